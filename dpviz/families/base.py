"""The interface of a component family: hyperparameters, posterior, predictive, marginal, shapes of clusters.

A family exists twice. The frozen dataclass (:class:`Family`) is the readable one: hyperparameters in, posterior of
the same class out, in the units of the data. Its *state*, a ``NamedTuple`` of arrays, is what the sweeps use: one slot
of sufficient statistics per cluster, updated one point at a time by the verbs of :mod:`dpviz.families.verbs`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError
from dpviz.families.listed import n_features_of
from dpviz.families.shapes import Shapes
from dpviz.parameters import Parameter, Size, by_name
from dpviz.text import in_full, quoted

WIDTH = Parameter(
    name="width",
    symbol="s",
    title="How wide is one cluster?",
    explanation="times the usual prior's variance: less where clusters are many and narrow, more in many columns",
    default=1.0,
    lower=0.0,
    upper=8.0,
    log=True,
    explore=(1 / 512, 8.0),
)
"""Scales the default prior of every family that has a width.

In more than about ten columns full covariances need a prior wider than the data, so that it weighs more: there the
lowest nll lies at 2 to 8, for a0 from D + 2 to D + 10 alike; at 16 it is higher again on every table."""


DATA_KINDS = {"real": "continuous", "positive": "duration"}
"""Kinds of columns for which data sets use another word."""


class Component(Protocol):
    """Explicit parameters of one component, as drawn by :meth:`Family.draw`."""

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D)."""
        ...

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D)."""
        ...

    def shapes(self) -> Shapes | None:
        """Return the shape to draw for the component; None if there is none."""
        ...


@dataclass(frozen=True)
class WorkingData:
    """A family and its data in the coordinates that the kernels use; here the data's own.

    Attributes
    ----------
    family : Model
        The same model, its hyperparameters moved to the working coordinates.
    X : ndarray (N, D)
        float64, C order, writable.
    coordinates : ndarray (N, C)
        Coordinates in which 2-means divides a cluster, and distances of means define neighbouring clusters.
    log_jacobian : float
        To be added to every log density (nats per point) to convert it to the original units.
    """

    family: Model
    X: FloatArray
    coordinates: FloatArray
    log_jacobian: float = 0.0

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D) to working coordinates."""
        return np.ascontiguousarray(X)

    def directions(self, n_features: int) -> FloatArray:
        """Return by how much working coordinates change per unit of each column of the data (C, D)."""
        return np.eye(n_features)

    def n_left_out(self) -> int:
        """Return how many entries of X are NaN though no cell of the data is missing."""
        return 0


COST = "−ln f"
"""Name of a column's term in formulas that list the terms (nats)."""


@dataclass(frozen=True)
class Formula:
    """The formula of a predictive, with the numbers of one point.

    Attributes
    ----------
    latex : str
        −ln f as a formula.
    numbers : str
        Values of its symbols, as plain text.
    value : float
        −ln f (nats).
    columns : mapping of str to ndarray (D,)
        Numbers that differ between columns, by symbol.
    """

    latex: str
    numbers: str
    value: float
    columns: Mapping[str, FloatArray] = field(default_factory=dict)


def per_column(x: FloatArray, costs: FloatArray) -> Formula:
    """Write a predictive at a point x (D,) out as the sum of its columns' terms (nats, D)."""
    latex = r"-\ln f = \sum_d -\ln f_d(x_d)"
    return Formula(latex, "per column:", float(costs.sum()), {"x": x, COST: costs})


@dataclass(frozen=True)
class ClusterSummary:
    """Posterior of one cluster: its number of points, and the family updated by them."""

    size: int
    posterior: Model


class Model(ABC):
    """A family with hyperparameters applied to data, and the state that the kernels use."""

    @abstractmethod
    def posterior(self, X: FloatArray) -> Self:
        """Hyperparameters after seeing the points X (n, D); n may be 0."""

    @abstractmethod
    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log predictive density or probability (nats) of each row of X (n, D) under the present hyperparameters."""

    def marginal_log_densities(self, X: FloatArray) -> FloatArray | None:
        """Log density or probability (nats) of each entry of X (n, D) under its own column's predictive.

        None for a family without such densities.
        """
        return None

    @abstractmethod
    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) as one cluster."""

    @abstractmethod
    def draw(self, random_state: np.random.Generator) -> Component:
        """Draw a component's parameters from the present hyperparameters."""

    @abstractmethod
    def places(self, X: FloatArray) -> FloatArray:
        """Coordinates (N, C) in which distances make sense: K-means starts and principal components use them."""

    @abstractmethod
    def working(self, X: FloatArray) -> WorkingData:
        """Move model and data to coordinates in which no offset or scale costs digits."""

    @abstractmethod
    def bind(self, X: FloatArray, capacity: int) -> Any:
        """Allocate the kernels' state for working data X with ``capacity`` empty slots."""

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 3.0 * n_features

    @abstractmethod
    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at one point x (D,)."""

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> Shapes | None:
        """Predictives of slots 0 … K − 1 of a state as shapes in the units of the data; None if nothing is drawn."""
        return None

    def summarise(self, X: FloatArray) -> ClusterSummary:
        """Posterior summary of a cluster made of the points X (n, D)."""
        return ClusterSummary(len(X), self.posterior(X))


class Family(Model):
    """A conjugate component family with its hyperparameters (immutable).

    Subclasses are frozen dataclasses whose fields are the hyperparameters in the units of the data.

    Attributes
    ----------
    name, title : str
        Key in ``FAMILIES``, and the display name.
    kind : str
        Kind of its columns: ``"real"``, ``"positive"``, ``"count"``, ``"ordinal"``, ``"binary"``, ``"categorical"``,
        ``"circular"``, ``"hurdle"``, ``"share"``, ``"parts"``.
    support : str
        The values that have a density, in words: :meth:`check_data` accepts only these.
    hyperparameters : tuple of Parameter
    scaled_by_width : tuple of str
        Hyperparameters that are proportional to the width of a cluster; none for a family without a width.
    independent_columns : bool
        Whether columns are independent within a cluster and the family is one of those that
        :class:`~dpviz.families.gaps.WithGaps` takes apart.
    has_own_distances : bool
        Whether coordinates stay as they are beside columns of other families, whose numbers are brought to unit spread.
    takes_lists : bool
        Whether rows may be :class:`~dpviz.families.listed.ListedRows`, which sparse matrices become.
    n_entries : int
        How many columns of X stand for one column, more than 1 in working coordinates alone.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    kind: ClassVar[str] = "real"
    support: ClassVar[str] = "real numbers"
    hyperparameters: ClassVar[tuple[Parameter, ...]]
    scaled_by_width: ClassVar[tuple[str, ...]] = ()
    independent_columns: ClassVar[bool] = False
    has_own_distances: ClassVar[bool] = False
    takes_lists: ClassVar[bool] = False
    n_entries: ClassVar[int] = 1

    # --- from data and a user's hyperparameters to a family -----------------------------------------------------------

    @classmethod
    @abstractmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Empirical-Bayes hyperparameters at fixed weight (FORMULAS §5) for data X (N, D)."""

    @classmethod
    def narrowed(cls, prior: Mapping[str, Any], share: float) -> dict[str, Any] | None:
        """Default hyperparameters for clusters that are narrower than all the data, or wider.

        The spread within a cluster is scaled, and with it the weight of the prior mean where that weight is counted in
        the cluster's own spread: the prior of the means keeps the spread of the data.

        Parameters
        ----------
        prior : mapping
            Result of :meth:`default_prior`.
        share : float
            Variance within a cluster as a share s of the expected one under ``prior``, 0 < s ≤ 8; 1 changes nothing.

        Returns
        -------
        dict or None
            None for a family without a width.
        """
        if not cls.scaled_by_width:
            return None
        return {**prior, **{name: prior[name] * share for name in cls.scaled_by_width if name in prior}}

    @classmethod
    def title_under(cls, prior: Mapping[str, Any] | None, kinds: Sequence[str] | None) -> str:
        """Return the display name for columns described by ``prior``, whose kinds may be known too."""
        return cls.title

    @classmethod
    def scaled_under(cls, prior: Mapping[str, Any] | None) -> tuple[str, ...]:
        """Return the hyperparameters that a width scales, for columns described by ``prior``; mostly all of them."""
        return cls.scaled_by_width

    @classmethod
    def columns_with_width(cls, prior: Mapping[str, Any] | None, n_features: int) -> IntArray:
        """Return the positions of the columns, as ``prior`` describes them, whose spread within a cluster is scaled."""
        return np.arange(n_features if cls.scaled_by_width else 0)

    @classmethod
    def from_prior(cls, prior: Mapping[str, Any] | None, X: FloatArray) -> Self:
        """Build the family from a user's hyperparameters; those not given come from :meth:`default_prior`.

        Parameters
        ----------
        prior : mapping or None
            Hyperparameters by name; a number stands for a vector of equal entries. ``"width"`` is no hyperparameter:
            it scales the defaults of those not given, see :meth:`narrowed`.
        X : ndarray (N, D)
            The data, for the defaults and for the shapes.

        Raises
        ------
        InvalidParameterError
            For unknown names, wrong shapes, values out of range, matrices that are not positive definite, and for a
            width of a family that has none.
        """
        given = dict(prior or {})
        share = given.pop(WIDTH.name, None)
        known = by_name(cls.hyperparameters)
        for key in given:
            if key not in known:
                raise InvalidParameterError(
                    f"prior[{quoted(key)}] is not a hyperparameter of {cls.name}; it has {', '.join(known)}."
                )
        defaults = {} if len(given) == len(known) else cls.default_prior_beside(given, X)
        if share is not None:
            defaults = cls._of_width(share, defaults or given)
        values = {**defaults, **given}
        lengths = cls.axis_lengths(values, X)
        size = Size(len(X), n_features_of(X))
        family = cls(**{name: checked(known[name], values[name], lengths, size) for name in known})
        family.check(size.n_features)
        return family

    @classmethod
    def default_prior_beside(cls, given: Mapping[str, Any], X: FloatArray) -> dict[str, Any]:
        """Return the defaults beside what a user gives, unchecked, which for most families changes nothing."""
        return cls.default_prior(X)

    @classmethod
    def _of_width(cls, share: Any, prior: Mapping[str, Any]) -> dict[str, Any]:
        """Return the default hyperparameters at a width as a user gives it."""
        share = checked_width(share)
        narrowed = cls.narrowed(prior, share)
        if narrowed is None:
            raise InvalidParameterError(
                f"prior[{WIDTH.name!r}] = {share:g} must be left out for family = {cls.name!r}, whose clusters have no "
                "width; give its hyperparameters instead."
            )
        return narrowed

    @classmethod
    def axis_lengths(cls, values: Mapping[str, Any], X: FloatArray) -> dict[str, int]:
        """Length of every axis that shapes of hyperparameters name, for data X (N, D); ``values`` are unchecked."""
        return {"D": n_features_of(X)}

    def check(self, n_features: int) -> None:  # noqa: B027  (most families have nothing to add)
        """Raise if the hyperparameters contradict each other for data with ``n_features`` columns."""

    @classmethod  # noqa: B027  (any real number has a density under most families)
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value of X (N, D), finite numbers, has a density under this family.

        Parameters
        ----------
        X : ndarray (N, D)
        names : sequence of str, optional
            Names of the columns, for the message.

        Raises
        ------
        InvalidDataError
            Naming the column, the row, the value and what it must be.
        """

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Coordinates (N, C) in which distances make sense: K-means starts and principal components use them."""
        return X

    def places(self, X: FloatArray) -> FloatArray:
        """Return the same if the hyperparameters define the columns."""
        return self.coordinates(X)

    @property
    def as_prior(self) -> dict[str, Any]:
        """Its hyperparameters by name, as :meth:`from_prior` takes them."""
        return {parameter.name: getattr(self, parameter.name) for parameter in self.hyperparameters}

    @classmethod
    def hyperparameters_for(cls, prior: Mapping[str, Any] | None) -> tuple[Parameter, ...]:
        """Return the hyperparameters that the columns described by ``prior`` use; for most families, all."""
        return cls.hyperparameters

    @classmethod
    def numeric_prior(cls, prior: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a user's hyperparameters with numbers in place of words, if words are allowed."""
        return prior

    @classmethod
    def leaves_cells_out(cls, prior: Mapping[str, Any] | None) -> bool:
        """Whether missing cells can be left out, since the columns as ``prior`` describes them are independent."""
        return cls.independent_columns

    @classmethod
    def kinds_under(cls, prior: Mapping[str, Any] | None, n_features: int) -> tuple[str, ...]:
        """Return the kind of each column under a user's hyperparameters, in the words of data sets."""
        return (DATA_KINDS.get(cls.kind, cls.kind),) * n_features

    @classmethod
    def prior_of_kinds(cls, kinds: Sequence[str]) -> dict[str, Any]:
        """Return the hyperparameters that follow from the kinds of the columns; most families have none."""
        return {}

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Return the kind of each column that it draws, in the words of data sets."""
        return self.kinds_under(None, n_features)

    @classmethod
    @abstractmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw loosely grouped data (n_points, n_features) of moderate size, for tests and for compiling."""

    @classmethod
    @abstractmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults, fit for :meth:`example_data`."""

    def working(self, X: FloatArray) -> WorkingData:
        """Keep the data's own coordinates, unless a family has better ones."""
        return WorkingData(self, np.array(X, order="C"), np.ascontiguousarray(self.coordinates(X)))


def column_means(X: FloatArray) -> FloatArray:
    """Return the mean (D,) of the cells that each column of X (N, D) has."""
    return np.asarray(np.nanmean(X, axis=0) if np.isnan(X).any() else X.mean(axis=0))


def column_maxima(X: FloatArray) -> FloatArray:
    """Return the largest (D,) of the cells that each column of X (N, D) has."""
    return np.asarray(np.fmax.reduce(X, axis=0))


def not_finite(X: FloatArray) -> str:
    """Say in how many rows of X (N, D) a cell is missing (NaN) or infinite, and which is the first."""
    wrong = ~np.isfinite(X)
    row, column = (int(index) for index in np.argwhere(wrong)[0])
    what = "NaN" if np.isnan(X[wrong]).all() else "infinity" if np.isinf(X[wrong]).all() else "NaN and infinity"
    return f"X holds {what} in {wrong.any(axis=1).sum():,} of {len(X):,} rows (first: row {row}, column {column})"


def refuse_gaps(X: FloatArray, family: str) -> None:
    """Raise InvalidDataError if a cell of X (N, D) is missing, for families whose columns depend on each other."""
    if np.isnan(X).any():
        raise InvalidDataError(
            f"{not_finite(X)}. family = {family!r} cannot leave missing cells out; choose missing='impute', a family "
            "of independent columns such as 'normal_gamma' ('mixed' for several kinds), or drop or fill those rows."
        )


def require_values(
    X: FloatArray,
    allowed: BoolArray,
    family: str,
    bound: str,
    advice: str,
    names: Sequence[str] = (),
    first_row: int = 0,
) -> None:
    """Raise unless all values are allowed or missing (NaN), naming the first that is not.

    Parameters
    ----------
    X : ndarray (N, D)
    allowed : ndarray of bool (N, D)
    family : str
        Name of the family with this requirement.
    bound, advice : str
        Requirement on the values, and how to fix them, as a sentence.
    names : sequence of str, optional
        Names of the columns.
    first_row : int
        Position of the first of these rows in the table.

    Raises
    ------
    InvalidDataError
    """
    if allowed.all():
        return
    allowed = allowed | np.isnan(X)
    if allowed.all():
        return
    row, column = (int(index) for index in np.argwhere(~allowed)[0])
    named = f"“{names[column]}”" if names else f"{column} of X"
    raise InvalidDataError(
        f"column {named} holds {in_full(X[row, column])} in row {first_row + row}; for family = {family!r} it must be "
        f"{bound}. {advice}"
    )


@contextmanager
def in_the_table_s_words(columns: Sequence[int] | IntArray, prefix: str = "") -> Iterator[None]:
    """Let errors of a family of some columns use the names of columns and hyperparameters in the whole table."""
    try:
        yield
    except DpvizError as error:
        said = re.sub(r"column (\d+) of X", lambda found: f"column {columns[int(found[1])]} of X", str(error))
        raise type(error)(said.replace("prior['", f"prior['{prefix}")) from error


def checked_width(share: Any) -> float:
    """Return the width of a user's prior as a number, or raise InvalidParameterError."""
    number = share.item() if isinstance(share, np.ndarray) and share.ndim == 0 else share
    described = replace(WIDTH, name=f"prior[{WIDTH.name!r}]")
    return float(described.check(number, advice="It multiplies the usual variance within a cluster."))


def checked(parameter: Parameter, value: Any, lengths: Mapping[str, int], size: Size) -> Any:
    """Return a hyperparameter as a number or an array of its shape, or raise an error that says what is wrong."""
    where = f"prior[{parameter.name!r}]"
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"{where} = {quoted(value)} must be numeric.") from error
    if not np.all(np.isfinite(array)):
        raise InvalidParameterError(f"{where} holds NaN or infinity; give finite numbers.")
    expected = tuple(lengths[axis] for axis in parameter.shape)
    is_matrix = parameter.shape == ("D", "D")
    if array.shape == () and (not is_matrix or expected == (1, 1)):
        array = np.full(expected, float(array))
    if array.shape != expected:
        raise InvalidParameterError(
            f"{where} has shape {array.shape}; for {size.n_features} features it must be {expected}."
        )
    if is_matrix:
        return _positive_definite(where, array)
    lower, upper = parameter.limits(size)
    above = array >= lower if parameter.lower_allowed else array > lower
    below = array <= upper if parameter.upper_allowed else array < upper
    if not np.all(above):
        sign = "≥" if parameter.lower_allowed else ">"
        raise InvalidParameterError(f"{where} = {quoted(value)} must be {sign} {lower:g}; give a larger value.")
    if not np.all(below):
        sign = "≤" if parameter.upper_allowed else "<"
        raise InvalidParameterError(f"{where} = {quoted(value)} must be {sign} {upper:g}; give a smaller value.")
    if parameter.integer:
        if np.any(array != np.round(array)):
            raise InvalidParameterError(f"{where} = {quoted(value)} must hold whole numbers.")
        array = array.astype(np.int64)
    return array if expected else array.item()


def _positive_definite(where: str, matrix: FloatArray) -> FloatArray:
    """Return the symmetric part of a positive definite matrix; scales as small as 1e-200 are treated alike."""
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=0):
        raise InvalidParameterError(f"{where} is not symmetric; give a symmetric positive definite matrix.")
    diagonal = np.diagonal(matrix)
    if np.all(diagonal > 0):
        roots = np.sqrt(diagonal)
        smallest = float(np.linalg.eigvalsh((matrix + matrix.T) / 2 / roots / roots[:, None])[0])
        if smallest > 1e-13:
            return (matrix + matrix.T) / 2
    raise InvalidParameterError(
        f"{where} is not positive definite; add a small multiple of its diagonal, or drop collinear columns."
    )
