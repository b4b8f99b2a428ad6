"""Data and model of a run, checked once, so that every algorithm can rely on them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, filled_in
from dpviz.config import RunConfig
from dpviz.engine.algorithms.plan import PLANS, Plan
from dpviz.engine.options import COUNTED_STARTS
from dpviz.errors import InvalidDataError, InvalidParameterError, MemoryLimitError, require
from dpviz.families import Multinomial, family_class
from dpviz.families.base import Family, WorkingData, column_maxima, not_finite
from dpviz.families.coarsened import Coarsened
from dpviz.families.directions import Directions, InDirections
from dpviz.families.gaps import WithGaps
from dpviz.families.gaussian.base import centred, power_of_two_scale
from dpviz.families.listed import ListedRows, is_sparse, n_features_of, opened
from dpviz.families.powers import Powers
from dpviz.families.transformed import Transformed
from dpviz.families.verbs import SLOT_FIELDS, SLOT_LAST_FIELDS
from dpviz.limits import LARGEST_VALUE
from dpviz.numerics.sums import column_means
from dpviz.partition import PartitionPrior
from dpviz.periods import NUMBERED, word_of
from dpviz.shares import PARTS, are_parts
from dpviz.text import quoted

SMALLEST_SPREAD = 1e-150
MOST_SINGLETONS = 20_000
_OF_MODEL = ("algorithm", "family", "prior", "kinds", "missing", "directions", "transform", "coarsening")
"""Options on which the quantities derived from data and model depend."""
_COMPUTED = (
    "family",
    "has_gaps",
    "imputes",
    "filled",
    "powers",
    "directions",
    "model",
    "working",
    "coordinates",
    "scale",
    "centred",
)
ROWS_PER_COLUMN = 5
"""Fewest complete rows that set hyperparameters if cells are filled in; else all rows as first filled do."""


def check_data(X: Any, gaps: bool = False, whole: bool = True, lists: bool = False) -> FloatArray:
    """Return data as a float64 array (N, D) in C order, or raise an error that says what is wrong.

    Parameters
    ----------
    X : array_like (N, D)
    gaps : bool
        Whether cells may be missing (NaN).
    whole : bool
        Whether these are all the data, in which no column may be entirely missing, rather than some points.
    lists : bool
        Whether X may be sparse, a matrix of scipy or a frame all of whose columns are. It becomes
        :class:`~dpviz.families.listed.ListedRows`, of which :func:`check_kinds` must then be asked.

    Raises
    ------
    InvalidDataError
        If X is not two-dimensional, empty, not numeric, not finite, or of a magnitude whose squares overflow.
    """
    X = opened(X)
    if is_sparse(X):
        if not lists:
            raise InvalidDataError("X is a sparse matrix, and this takes dense tables only. Give X.toarray().")
        return _listed(X)
    try:
        array = refuse_conversions(X)
        if array.dtype.kind == "c":
            raise InvalidDataError(f"X has type {array.dtype}; it must be real numbers.")
        array = np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidDataError):
            raise
        raise InvalidDataError(f"X cannot be read as numbers: {error}. Rows must have equal length.") from error
    if array.ndim != 2:
        raise InvalidDataError(
            f"X has shape {array.shape}; it must be 2-D (N points, D features). Use X.reshape(-1, 1) for one feature."
        )
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise InvalidDataError(f"X is empty (shape {array.shape}); it needs at least one point and one feature.")
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(array)
    if not np.isfinite(total):
        _check_finite(array, gaps, whole)
    largest = float(np.fmax.reduce(np.abs(array), axis=None))
    if largest > LARGEST_VALUE:
        raise InvalidDataError(f"X reaches {largest:.3g}; its squares overflow beyond {LARGEST_VALUE:g}. Rescale it.")
    spread = column_maxima(array) + column_maxima(-array)
    if np.any((spread > 0) & (spread < SMALLEST_SPREAD)):
        column = int(np.flatnonzero((spread > 0) & (spread < SMALLEST_SPREAD))[0])
        raise InvalidDataError(
            f"column {column} of X varies by {spread[column]:.3g} only; squares underflow below {SMALLEST_SPREAD:g}. "
            "Rescale it."
        )
    return array


def _listed(X: Any) -> FloatArray:
    """Return a sparse matrix as lists of its cells; families that take these check what they hold."""
    if not isinstance(X, ListedRows) and (X.ndim != 2 or 0 in X.shape or X.dtype.kind not in "biuf"):
        raise InvalidDataError(
            f"X is a sparse matrix of shape {X.shape} and type {X.dtype}; it must hold real numbers, in at least one "
            "row and one column."
        )
    rows = ListedRows.of(X)
    endless = np.flatnonzero(~np.isfinite(rows.totals))
    if len(endless):
        raise InvalidDataError(f"X holds NaN or infinity in row {endless[0]}; drop or fill it.")
    return rows


def _check_finite(X: FloatArray, gaps: bool, whole: bool) -> None:
    """Raise if a cell of X (N, D) is infinite, or missing where it may not be."""
    if not gaps and not np.isfinite(X).all() or np.isinf(X).any():
        advice = "; MAP-DP and Gibbs leave missing cells (NaN) out" if np.isnan(X).any() and not gaps else ""
        raise InvalidDataError(f"{not_finite(X)}; drop or fill those rows{advice}.")
    empty = np.flatnonzero(np.isnan(X).all(axis=0))
    if whole and len(empty):
        raise InvalidDataError(f"column {empty[0]} of X is missing (NaN) in all {len(X):,} rows; leave it out.")


def refuse_conversions(X: Any) -> np.ndarray[Any, Any]:
    """Return X as an array of its own type, unless a conversion to numbers would silently change its meaning.

    Raises
    ------
    InvalidDataError
        If X holds text (even text that reads as a number), dates, or masked entries.
    ValueError
        If it is not an array at all.
    """
    if np.ma.is_masked(X):
        raise InvalidDataError("X has masked entries; drop or fill those rows.")
    array = np.asarray(X)
    if array.dtype.kind in "USO" and any(isinstance(entry, str | bytes) for entry in array.ravel()):
        raise InvalidDataError("X holds text; code categories as numbers or drop those columns.")
    if array.dtype.kind in "mM":
        raise InvalidDataError(f"X has type {array.dtype}; it must be real numbers. Use days since a first date.")
    return array


def check_config(config: Any) -> None:
    """Raise ``InvalidParameterError`` for anything but a configuration."""
    if not isinstance(config, RunConfig):
        raise InvalidParameterError(f"config = {quoted(config)} must be a RunConfig.")


def check_should_stop(should_stop: object) -> None:
    """Raise unless this can be asked whether to stop."""
    wanted = "a function without arguments that returns whether to stop, or None"
    require(should_stop is None or callable(should_stop), "should_stop", should_stop, wanted)


def check_kinds(config: RunConfig, X: Any) -> None:
    """Raise unless there is a kind for every column of X (N, D), if an algorithm with a model has kinds.

    Raises
    ------
    InvalidParameterError
    InvalidDataError
        If X is sparse, unless its columns are one block of a family that takes lists.
    """
    uses_model, n_features = PLANS[config.algorithm].uses_model, n_features_of(X)
    if isinstance(X, ListedRows) and not (uses_model and family_class(config.candidates[0]).takes_lists):
        raise InvalidDataError(
            f"X is a sparse matrix, which is taken if all columns are {PARTS} of a whole: say kinds = [{PARTS!r}] * "
            f"{n_features} to mapdp or gibbs. Or give X.toarray()."
        )
    if uses_model and config.kinds and len(config.kinds) != n_features:
        raise InvalidParameterError(
            f"kinds = {quoted(list(config.kinds))} must have one word per column; X has {n_features} columns."
        )


_CHECKED: set[type] = set()
"""Models whose states :func:`_check_slots` has seen."""


def _check_slots(working: WorkingData) -> None:
    """Raise unless SLOT_FIELDS names every array with an entry per slot; kernels would write beyond the end of others.

    Raises
    ------
    InvalidParameterError
        If an array that ``bind`` allocates depends on the number of slots and is not named.
    """
    model = type(working.family)
    if model not in _CHECKED:
        _compare_states(*(working.family.bind(working.X[:1], n_slots) for n_slots in (2, 5)))
        _CHECKED.add(model)


def _compare_states(few: Any, more: Any) -> None:
    """Check two states that differ in their numbers of slots, and the states within them."""
    state, per_slot = type(few), []
    for field in few._fields:
        one, other = getattr(few, field), getattr(more, field)
        if hasattr(one, "_fields"):
            _compare_states(one, other)
            per_slot.append(field)
        elif np.shape(one) != np.shape(other):
            per_slot.append(field)
    named = (*SLOT_FIELDS.get(state, ()), *SLOT_LAST_FIELDS.get(state, ()))
    require(
        set(per_slot) <= set(named) and state in SLOT_FIELDS,
        f"SLOT_FIELDS[{state.__name__}]",
        named,
        f"all of {tuple(per_slot)}",
        "The family's bind gives these an entry per slot: they grow with the clusters.",
    )


@dataclass(frozen=True)
class Problem:
    """Checked data X (N, D) and configuration, with derived quantities computed once for all restarts."""

    X: FloatArray
    config: RunConfig
    sampled: np.ndarray[Any, np.dtype[np.int64]] | None = None
    """Labels (N,) from the search of a sample, with which a run on very many points starts."""
    admits_gaps: bool = False
    """Whether further points may have missing cells though X has none."""
    held_by: type[Family] | None = None
    """A family that has checked X, so that it need not again."""

    def __post_init__(self) -> None:
        """Refuse a configuration that leaves a choice to the data."""
        if self.config.is_automatic:
            name = self.config.undecided[0]
            raise InvalidParameterError(
                f"{name} = {getattr(self.config, name)!r} has to be chosen first: give {name}, or the configuration "
                "that dpviz.fit.automatic.resolve(X, config) returns."
            )

    @classmethod
    def check(cls, X: Any, config: RunConfig) -> Problem:
        """Check data and configuration together.

        Raises
        ------
        InvalidDataError, InvalidParameterError, MemoryLimitError
        """
        check_config(config)
        data = check_data(X, PLANS[config.algorithm].uses_model, lists=True)
        check_kinds(config, data)
        problem = cls(data, config)
        problem._check_n_clusters()
        problem._check_memory()
        problem.algorithm.check_problem(problem)
        return problem

    @property
    def algorithm(self) -> Plan:
        """The specification of the algorithm."""
        return PLANS[self.config.algorithm]

    @property
    def size(self) -> tuple[int, int]:
        """Number of points N, and of columns D."""
        return len(self.X), n_features_of(self.X)

    @property
    def partition(self) -> PartitionPrior:
        """The partition prior; the configuration has filled in the default."""
        assert self.config.partition is not None
        return self.config.partition

    @cached_property
    def family(self) -> Family:
        """The family with its hyperparameters, in the units of the data, which it has checked.

        Where clusters are in some directions it is that of the coordinates along these, of transformed columns theirs.
        """
        if self.powers is not None:
            return self.inner.family
        family, X = family_class(self.config.family), self._typical
        if self.directions is not None:
            X = self.directions.leading(X)
        if family is not self.held_by:
            family.check_data(X)
        return self.config.family_for(X)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether a cell of X is missing."""
        return bool(np.isnan(self.X).any())

    @cached_property
    def imputes(self) -> bool:
        """Whether missing cells are filled in, rather than left out."""
        return self.has_gaps and self.config.fills_in

    @cached_property
    def powers(self) -> Powers | None:
        """The transformations of the columns; None if they are as they are.

        Raises
        ------
        InvalidDataError, InvalidParameterError
            If they do not fit the columns, or cells are to be filled in, for which no model of the columns is known.
        """
        given = self.config.transform if self.algorithm.uses_model else None
        if given is None:
            return None
        require(len(given) == self.X.shape[1], "transform", given, f"one power for each of {self.X.shape[1]} columns")
        powers = Powers.given(given)
        for d, (kind, power) in enumerate(zip(self.config.kinds or (), given, strict=False)):
            fits = power == 1 or word_of(kind) not in NUMBERED
            require(fits, f"transform[{d}]", power, f"1 for a column that is {kind}, whose powers are not")
        powers.check(self.X)
        if self.imputes:
            raise InvalidDataError(
                f"{not_finite(self.X)}. transform = {quoted(given)} fills no cells in; choose missing='marginalise' "
                "and a family of independent columns such as 'normal_gamma', or drop those rows, or choose "
                "transform=None."
            )
        return powers

    @cached_property
    def inner(self) -> Problem:
        """The problem of the transformed columns, in which nothing is transformed; this one if nothing is."""
        if self.powers is None:
            return self
        data = check_data(self.powers.of(self.X), gaps=True)
        return replace(self, X=data, config=replace(self.config, transform=None))

    @cached_property
    def directions(self) -> Directions | None:
        """The directions that hold clusters, and the others; None if clusters differ in the columns themselves.

        They are those of the transformed columns.
        """
        if self.powers is not None:
            return self.inner.directions
        wanted = self.config.directions if self.algorithm.uses_model else None
        return None if wanted is None else Directions.of(self.X, wanted)

    @property
    def takes_modes(self) -> bool:
        """Whether missing cells are filled in with their most probable values, rather than drawn."""
        return self.imputes and self.config.temperature == 0

    @property
    def scores_seen_cells(self) -> bool:
        """Whether a row's seen cells choose its cluster, and its missing ones are the modes there."""
        return self.takes_modes and self.coarsening is None

    @cached_property
    def filled(self) -> FloatArray:
        """X, with initial values in missing cells that are filled in: the mean or, for codes and counts, the mode.

        Raises
        ------
        InvalidDataError
            If one of the parts of a whole is missing, which follows from no other row.
        """
        if not self.imputes:
            return self.X
        kinds = family_class(self.config.family).kinds_under(self.config.prior_dict, self.X.shape[1])
        parts = are_parts(kinds)
        if parts.any():
            Multinomial.check_data(self.X[:, parts])
        return filled_in(self.X, kinds)

    @property
    def _typical(self) -> FloatArray:
        """The rows that set hyperparameters: if cells are filled in, the complete ones, if there are enough."""
        complete = ~np.isnan(self.X).any(axis=1)
        enough = complete.sum() >= ROWS_PER_COLUMN * self.X.shape[1]
        return self.X[complete] if self.imputes and enough else self.filled

    def under(self, config: RunConfig) -> Problem:
        """Return the problem of the same data under another configuration, which was checked.

        What was computed for the same model is not computed again.
        """
        other = replace(self, config=config)
        if all(getattr(config, name) == getattr(self.config, name) for name in _OF_MODEL):
            other.__dict__.update({name: value for name, value in vars(self).items() if name in _COMPUTED})
        return other

    def with_cells(self, cells: FloatArray) -> Problem:
        """Return the problem of complete data, with the same hyperparameters and these missing cells (M,)."""
        X, family = self.X.copy(), self.family
        X[np.isnan(X)] = cells
        return Problem(X, replace(self.config, prior=family.as_prior, events_sweep=None))

    @cached_property
    def model(self) -> Family | WithGaps | Coarsened | InDirections | Transformed:
        """The family as applied to data: column by column if missing cells are left out, or in some directions.

        Coarsened, it weighs each point as a part of a point; transformed, it is one of the columns all the same.
        """
        if self.powers is not None:
            own = self.inner.model
            assert not isinstance(own, Transformed)
            return Transformed.of(own, self.powers, self.X)
        left_out = self.admits_gaps or self.has_gaps and not self.imputes
        own = WithGaps.of(self.family) if left_out and self.directions is None else self.family
        model = own if self.coarsening is None else Coarsened.of(own, self.coarsening)
        return model if self.directions is None else InDirections.of(model, self.directions, self.X)

    @property
    def coarsening(self) -> float | None:
        """ζ = α/(α + N), what each point counts in the likelihood; None if the likelihood is as it is."""
        alpha = self.config.coarsening
        return None if alpha is None else alpha / (alpha + len(self.X))

    def meeting(self, X: FloatArray) -> Problem:
        """Return the problem in a form that can score further points X (n, D), if their gaps can be left out."""
        can = family_class(self.config.family).leaves_cells_out(self.config.prior_dict)
        can = can and self.directions is None
        known = not can or self.has_gaps and not self.imputes or self.admits_gaps or not np.isnan(X).any()
        return self if known else replace(self, admits_gaps=True)

    @cached_property
    def working(self) -> WorkingData:
        """Family and data in the coordinates of the kernels; missing cells stay NaN."""
        working = self.model.working(self.filled)
        known = working.X.size - np.isnan(self.filled).sum() - working.n_left_out()  # none is missing in fewer columns
        if np.isfinite(working.X).sum() < known:
            raise InvalidDataError("X and the hyperparameters differ too much in scale; rescale one of them.")
        _check_slots(working)
        return working

    @cached_property
    def coordinates(self) -> FloatArray:
        """Coordinates (N, C) in which distances make sense: those of the family, if the algorithm has one."""
        return self.model.places(self.filled) if self.algorithm.uses_model else self.X

    @cached_property
    def scale(self) -> float:
        """One power of two for all coordinates, by which :attr:`centred` is divided."""
        return float(np.max(power_of_two_scale(self.coordinates)))

    @cached_property
    def centred(self) -> FloatArray:
        """Centred coordinates in units of :attr:`scale`, for everything that works with plain distances."""
        coordinates = np.ascontiguousarray(self.coordinates)
        factor = np.full(coordinates.shape[1], 1.0 / self.scale)  # a power of two, so exact
        return centred(coordinates, column_means(coordinates), factor)

    @property
    def largest_n_clusters(self) -> int:
        """Most clusters a start may have."""
        n_points = len(self.X)
        return self.partition.most_clusters(n_points) if self.algorithm.uses_model else n_points

    def keeps_labels(self, sweep: int) -> bool:
        """Whether a sweep's labels are recorded: all are, unless a chain is thinned."""
        return self.algorithm.keeps_labels(self.config, sweep)

    def _check_n_clusters(self) -> None:
        n_points, wanted = len(self.X), self.algorithm.cluster_count
        if wanted and self.config.option(wanted) > n_points:
            value = self.config.option(wanted)
            raise InvalidParameterError(
                f"n_samples={n_points} should be >= {wanted}={value}; choose fewer clusters or add points."
            )
        if self.config.init == "singletons":
            if n_points > MOST_SINGLETONS:
                raise InvalidParameterError(
                    f"init = 'singletons' starts {n_points:,} clusters; {MOST_SINGLETONS:,} is the limit. "
                    "Use 'sequential' or 'auto'."
                )
            self._check_start("init = 'singletons'", n_points)
        if self.config.init_clusters is not None and self.config.init in COUNTED_STARTS:
            if self.config.init_clusters > n_points:
                raise InvalidParameterError(
                    f"init_clusters = {self.config.init_clusters} must be at most the number of points, {n_points}."
                )
            self._check_start("init_clusters", self.config.init_clusters)

    def _check_start(self, what: str, n_clusters: int) -> None:
        """Raise if a finite Dirichlet prior gives a start no probability."""
        if n_clusters > self.largest_n_clusters:
            raise InvalidParameterError(
                f"{what} gives {n_clusters} starting clusters, but {self.partition!r} allows at most "
                f"{self.largest_n_clusters}; raise n_components or start with fewer."
            )

    def check_labels(self, labels: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return starting labels (N,) renumbered 0 … K − 1 in the order of the values given."""
        array = np.asarray(labels)
        if array.shape != (len(self.X),):
            raise InvalidParameterError(
                f"init has {array.shape[0]} labels for {len(self.X)} points; give one label per point."
            )
        values, renumbered = np.unique(array, return_inverse=True)
        self._check_start("init", len(values))
        self._check_given_clusters(len(values))
        return renumbered.astype(np.int64)

    def check_centres(self, centres: Any) -> FloatArray:
        """Return the given starting centres (K, D) of kmeans, or raise an error that says what is wrong."""
        array = np.asarray(centres, dtype=np.float64)
        if array.shape[1] != self.X.shape[1]:
            raise InvalidParameterError(
                f"init has centres of {array.shape[1]} features; they must have {self.X.shape[1]}, as X has."
            )
        largest = float(np.max(np.abs(array)))
        if largest > LARGEST_VALUE:
            raise InvalidParameterError(f"init reaches {largest:.3g}; centres must be at most {LARGEST_VALUE:g}.")
        self._check_given_clusters(len(array))
        return array

    def _check_given_clusters(self, n_given: int) -> None:
        """Raise if a given start contradicts the number of clusters asked for."""
        name = self.algorithm.cluster_count
        if name and n_given != self.config.option(name):
            raise InvalidParameterError(
                f"init has {n_given} clusters, but {name} = {self.config.option(name)}; give {name}={n_given}."
            )

    def _check_memory(self) -> None:
        n_points, n_rows = len(self.X), self.algorithm.n_recorded(self.config)
        needed = n_points * (n_rows + 1)
        limit = _memory_limit()
        if needed > limit:
            raise MemoryLimitError(
                f"labels of {n_points:,} points over {n_rows:,} recorded sweeps need {needed / 1e9:.1f} GB; "
                f"the limit here is {limit / 1e9:.1f} GB. Run fewer sweeps, or keep every m-th one (thin=m)."
            )


def _memory_limit() -> float:
    """Half of the machine's memory, in bytes."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2
    except (AttributeError, ValueError, OSError):
        return 4e9
