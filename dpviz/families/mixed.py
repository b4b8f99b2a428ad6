"""Mixed tables: columns of several kinds, independent given the cluster; a product of blocks of families (2016 App. A).

A block is the columns of one family. All its formulas and verbs are that family's own, on a range of columns. Real
columns are independent (normal–gamma) unless they are put into the one block with a full covariance (normal–Wishart).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Self, cast

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln

from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import InvalidParameterError
from dpviz.families.base import (
    WIDTH,
    Component,
    Family,
    Formula,
    WorkingData,
    checked,
    checked_width,
    in_the_table_s_words,
    per_column,
)
from dpviz.families.columns.base import ColumnFamily
from dpviz.families.columns.binomial import Binomial
from dpviz.families.columns.categorical import Categorical
from dpviz.families.columns.circular import Circular
from dpviz.families.columns.exponential import Exponential
from dpviz.families.columns.geometric import Geometric
from dpviz.families.columns.hurdle import Hurdle
from dpviz.families.columns.multinomial import CountedParts, Multinomial
from dpviz.families.columns.poisson import Poisson
from dpviz.families.columns.share import Share
from dpviz.families.columns.state import ColumnsState, bind_columns
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.gaussian.normal_wishart import NormalWishart
from dpviz.families.gaussian.predictive import Predictive
from dpviz.families.planes import shapes_of, side_by_side
from dpviz.families.shapes import Shapes
from dpviz.hurdles import HURDLE
from dpviz.parameters import Parameter, Size
from dpviz.periods import CIRCULAR, SHARE, word_of
from dpviz.shares import PARTS, PARTS_AND_TOTAL
from dpviz.text import quoted

BLOCKS: tuple[type[Family], ...] = (
    NormalGamma,
    NormalWishart,
    Exponential,
    Poisson,
    Geometric,
    Binomial,
    Categorical,
    Circular,
    Hurdle,
    Multinomial,
    CountedParts,
    Share,
)
"""Families that columns may have, in the order of their codes."""
CODES = {family.name: code for code, family in enumerate(BLOCKS)}
OF_KIND = {
    "real": "normal_gamma", "continuous": "normal_gamma", "positive": "exponential", "duration": "exponential",
    "count": "poisson", "whole": "poisson", "ordinal": "binomial", "binary": "binomial", "categorical": "categorical",
    CIRCULAR: "circular", HURDLE: "hurdle", SHARE: "share", PARTS: "multinomial",
    PARTS_AND_TOTAL: "counted_multinomial",
}  # fmt: skip
"""The family of a column by the kind of its values; data sets say “continuous” and “duration”."""
_IN_EXAMPLES = (
    "normal_gamma", "categorical", "poisson", "binomial",
    "exponential", "geometric", "circular", "hurdle", "share", "multinomial", "multinomial",
    "normal_wishart", "normal_wishart",
)  # fmt: skip
_REAL: tuple[type[Family], ...] = (NormalGamma, NormalWishart)
"""Families of real columns."""
_WITH_MARGINS: tuple[type[Family], ...] = (*_REAL, Circular)
"""Families of columns that have ellipses in a plane with others."""
_REST_IS_REAL = -1
"""Follows the codes of a table whose further columns are real."""


def column_codes(words: Any) -> Any:
    """Return families of columns, by their names or by kinds of values, as numbers; numbers stay as they are.

    Parameters
    ----------
    words : str, sequence, or mapping of int
        One for all columns, or one entry per column; of a mapping, columns that are left out are real.

    Raises
    ------
    InvalidParameterError
    """
    if isinstance(words, str):
        return _code(words)
    if isinstance(words, Mapping):
        whole = all(isinstance(d, int | np.integer) and 0 <= d < 1_000_000 for d in words)
        if not whole:
            raise InvalidParameterError(
                f"prior['columns'] = {quoted(words)} must have column numbers, 0, 1, 2, …, as keys."
            )
        return [*(_code(words.get(d, "real")) for d in range(max(words, default=-1) + 1)), _REST_IS_REAL]
    if not isinstance(words, Sequence) or not any(isinstance(word, str) for word in words):
        return words
    return [_code(word) for word in words]


def family_of_kind(kind: str) -> str | None:
    """Return the name of the family of columns of a kind; None if there is no such kind."""
    name = OF_KIND.get(word_of(kind))
    if name is None or (word_of(kind) != kind and not BLOCKS[CODES[name]].prior_of_kinds([kind])):
        return None
    return name


def _code(word: object) -> int:
    name = (family_of_kind(word) or word) if isinstance(word, str) else word
    if not isinstance(name, str) or name not in CODES:
        known = ", ".join([*OF_KIND, *CODES])
        raise InvalidParameterError(f"a column cannot be {quoted(word)}; it must be one of {known}.")
    return CODES[name]


def _own_parameters(family: type[Family]) -> Iterator[Parameter]:
    """Describe the hyperparameters of one kind of block, named by its family."""
    whose = family.title.partition(",")[0].lower()
    for parameter in family.hyperparameters:
        title = f"{parameter.words} ({family.name})"
        explanation = f"{whose}: {parameter.explanation}"
        yield replace(parameter, name=f"{family.name}_{parameter.name}", title=title, explanation=explanation)


def _of_block(family: type[Family], prior: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hyperparameters of one kind of block by the names that its family has for them."""
    prefix = f"{family.name}_"
    return {key.removeprefix(prefix): value for key, value in prior.items() if key.startswith(prefix)}


def _scaled(families: Iterable[type[Family]]) -> tuple[str, ...]:
    """Name the hyperparameters of blocks that are proportional to the width of a cluster."""
    return tuple(f"{family.name}_{name}" for family in families for name in family.scaled_by_width)


@dataclass(frozen=True)
class MixedComponent:
    """Explicit parameters of one component: one component per block that has columns.

    Attributes
    ----------
    parts : tuple of (ndarray, Component)
        Positions of the block's columns, and its parameters.
    """

    parts: tuple[tuple[IntArray, Component], ...]

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D)."""
        return np.sum([part.log_density(X[:, columns]) for columns, part in self.parts], axis=0)

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D)."""
        X = np.empty((n_points, sum(len(columns) for columns, _ in self.parts)))
        for columns, part in self.parts:
            X[:, columns] = part.sample(n_points, random_state)
        return X

    def shapes(self) -> Shapes | None:
        """Return those of the only column; None if there are more."""
        columns, part = self.parts[0]
        return part.shapes() if len(self.parts) == 1 and len(columns) == 1 else None


@dataclass(frozen=True)
class MixedWorkingData(WorkingData):
    """Working data of every block, side by side.

    Attributes
    ----------
    parts : tuple of (ndarray, WorkingData)
        Positions of a block's columns in the table, and its working data.
    """

    parts: tuple[tuple[IntArray, WorkingData], ...] = ()

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D) to working coordinates, or raise InvalidDataError."""
        mapped = []
        for columns, part in self.parts:
            assert isinstance(part.family, Family)
            with in_the_table_s_words(columns, f"{part.family.name}_"):
                mapped.append(part.transform(X[:, columns]))
        return np.ascontiguousarray(np.hstack(mapped))

    def directions(self, n_features: int) -> FloatArray:
        """Join those of the blocks, whose columns stand side by side."""
        joined, first = np.zeros((n_features, self.X.shape[1])), 0
        for columns, part in self.parts:
            joined[columns, first : first + part.X.shape[1]] = part.directions(len(columns))
            first += part.X.shape[1]
        return joined

    def n_left_out(self) -> int:
        """Add those of the blocks up."""
        return sum(part.n_left_out() for _, part in self.parts)


@dataclass(frozen=True, eq=False)
class Mixed(Family):
    """Blocks of columns, each of a family of its own, independent given the cluster.

    Attributes
    ----------
    columns : ndarray of int (D,)
        Each column's family, as a position in :data:`BLOCKS`.
    blocks : tuple of Family
        One of each kind; those without columns are ignored. ``poisson_alpha0`` and the like, hyperparameters
        of blocks by the families' names, are attributes too.
    """

    columns: IntArray
    blocks: tuple[Family, ...]

    name: ClassVar[str] = "mixed"
    title: ClassVar[str] = "Mixed, each column of its own kind"
    kind: ClassVar[str] = "mixed"
    scaled_by_width: ClassVar[tuple[str, ...]] = _scaled(BLOCKS)
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="columns",
            symbol="columns",
            explanation="what each column holds",
            lower=0,
            lower_allowed=True,
            upper=len(BLOCKS) - 1,
            integer=True,
            role="count",
            shape=("D",),
        ),
        *(parameter for family in BLOCKS for parameter in _own_parameters(family)),
    )

    def __getattr__(self, name: str) -> Any:
        """Look a block's hyperparameter up; of a block without columns, arrays are empty."""
        for family in BLOCKS if not name.startswith("_") else ():
            own = name.removeprefix(f"{family.name}_")
            if own != name and any(parameter.name == own for parameter in family.hyperparameters):
                value = getattr(self.blocks[CODES[family.name]], own)
                absent = CODES[family.name] not in self.columns
                return value[(slice(0),) * np.ndim(value)] if absent and np.ndim(value) else value
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def hyperparameters_for(cls, prior: Mapping[str, Any] | None) -> tuple[Parameter, ...]:
        """Return those of the families that some column has."""
        present = tuple(f"{family.name}_" for family in _present(prior))
        return tuple(p for p in cls.hyperparameters if p.name == "columns" or p.name.startswith(present))

    @classmethod
    def title_under(cls, prior: Mapping[str, Any] | None, kinds: Sequence[str] | None) -> str:
        """Count the columns of a full covariance and, by kind, those beside it; without one, the usual title."""
        codes = np.atleast_1d(cls.numeric_prior(prior or {}).get("columns", [_REST_IS_REAL]))
        shared = codes == CODES[NormalWishart.name]
        if not shared.any() or _REST_IS_REAL in codes:
            return cls.title
        own = kinds if kinds and len(kinds) == len(codes) else ["" for _ in codes]
        words = [_as_kind(int(code)) if kind != "binary" else "yes/no" for code, kind in zip(codes, own, strict=True)]
        beside = Counter(word for word, within in zip(words, shared, strict=True) if not within)
        full = f"{NormalWishart.title.partition(' (')[0]} of {shared.sum()} columns"
        return f"{full} beside {' and '.join(f'{n} {word}' for word, n in beside.items())}" if beside else full

    @classmethod
    def scaled_under(cls, prior: Mapping[str, Any] | None) -> tuple[str, ...]:
        """Return those of the blocks of real columns, if there are any: no other column has a width."""
        return _scaled(_present(prior))

    @classmethod
    def narrowed(cls, prior: Mapping[str, Any], share: float) -> dict[str, Any] | None:
        """Narrow each block as its family does."""
        found = dict(prior)
        for family in BLOCKS:
            own = family.narrowed(_of_block(family, prior), share) or {}
            found |= {f"{family.name}_{name}": value for name, value in own.items()}
        return found

    @classmethod
    def columns_with_width(cls, prior: Mapping[str, Any] | None, n_features: int) -> IntArray:
        """Return the positions of the real columns, and of those whose logarithms are."""
        with_width = [CODES[family.name] for family in BLOCKS if len(family.columns_with_width(None, 1))]
        return np.flatnonzero(np.isin(_codes_under(prior, n_features), with_width))

    @classmethod
    def real_columns(cls, prior: Mapping[str, Any] | None, n_features: int) -> IntArray:
        """Return the positions of the real columns."""
        return np.flatnonzero(np.isin(_codes_under(prior, n_features), [CODES[family.name] for family in _REAL]))

    @classmethod
    def with_full_covariance(cls, prior: Mapping[str, Any] | None, n_features: int) -> dict[str, Any]:
        """Return a user's hyperparameters with all real columns in the block of full covariance."""
        codes = _codes_under(prior, n_features)
        codes[cls.real_columns(prior, n_features)] = CODES[NormalWishart.name]
        return {**(prior or {}), "columns": codes}

    @classmethod
    def leaves_cells_out(cls, prior: Mapping[str, Any] | None) -> bool:
        """Whether no columns depend on others, by a full covariance or as parts of a whole."""
        return all(family.independent_columns for family in _present(prior))

    @classmethod
    def shares_covariance(cls, prior: Mapping[str, Any] | None) -> bool:
        """Whether some columns share a full covariance."""
        return NormalWishart in _present(prior)

    @classmethod
    def kinds_under(cls, prior: Mapping[str, Any] | None, n_features: int) -> tuple[str, ...]:
        """Give every column the kind of its family, or none if its family is not given."""
        given = cls.numeric_prior(prior or {}).get("columns", [_REST_IS_REAL])
        codes = [*np.atleast_1d(_with_the_rest(given, n_features)), *np.full(n_features, np.nan)][:n_features]
        known = range(len(BLOCKS))
        return tuple(BLOCKS[int(code)].kinds_under(None, 1)[0] if code in known else "" for code in codes)

    @classmethod
    def numeric_prior(cls, prior: Mapping[str, Any]) -> Mapping[str, Any]:
        """Replace the families of the columns by their codes, and add what words for kinds imply besides."""
        words = prior.get("columns")
        if isinstance(words, Mapping):
            words = [words[d] for d in sorted(words)]
        given = words if isinstance(words, list | tuple) else ()
        are_kinds = all(isinstance(word, str) and family_of_kind(word) for word in given)
        implied = _prior_of_blocks(given) if given and are_kinds else {}
        return {**implied, **prior, "columns": column_codes(prior["columns"])} if "columns" in prior else prior

    @classmethod
    def prior_of_kinds(cls, kinds: Sequence[str]) -> dict[str, Any]:
        """Give each column the family of its kind, and each family what these kinds imply besides."""
        return {"columns": np.array(column_codes(list(kinds)), dtype=np.float64), **_prior_of_blocks(kinds)}

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """All columns are real and independent, as :class:`NormalGamma` has them by default."""
        own = {f"{NormalGamma.name}_{name}": value for name, value in NormalGamma.default_prior(X).items()}
        return {"columns": np.zeros(X.shape[1]), **own}

    @classmethod
    def from_prior(cls, prior: Mapping[str, Any] | None, X: FloatArray) -> Self:
        """Build each block by its own family; hyperparameters not given are its defaults for its columns."""
        given = dict(cls.numeric_prior(prior or {}))
        width = {WIDTH.name: checked_width(given.pop(WIDTH.name))} if WIDTH.name in given else {}
        known = [parameter.name for parameter in cls.hyperparameters]
        for key in given:
            if key not in known:
                raise InvalidParameterError(
                    f"prior[{quoted(key)}] is not a hyperparameter of mixed; it has {', '.join(known)}."
                )
        columns = _checked_columns(cls.hyperparameters[0], given.get("columns", [_REST_IS_REAL]), X)
        if width and not cls.scaled_under({"columns": columns}):
            raise InvalidParameterError(
                f"prior[{WIDTH.name!r}] = {width[WIDTH.name]:g} must be left out: it scales real columns; "
                "there are none."
            )
        if {CODES[Multinomial.name], CODES[CountedParts.name]} <= set(columns.tolist()):
            raise InvalidParameterError(
                f"columns are {PARTS} or {PARTS_AND_TOTAL}, which are one block in a table: take all of them as either."
            )
        blocks = []
        for code, family in enumerate(BLOCKS):
            own, members = _of_block(family, given), np.flatnonzero(columns == code)
            if len(members) == 0:
                _refuse_arrays(family, own)
                blocks.append(_without_columns(code))
                continue
            with in_the_table_s_words(members, f"{family.name}_"):
                family.check_data(X[:, members])
                blocks.append(family.from_prior(own | (width if family.scaled_by_width else {}), X[:, members]))
        return cls(columns, tuple(blocks))

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Give every column the kind that its block says it has."""
        kinds = {
            d: kind for own, block in self.parts() for d, kind in zip(own, block.column_kinds(len(own)), strict=True)
        }
        return tuple(kinds[d] for d in range(n_features))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw every block's own example, with the same groups in all."""
        X, columns = np.empty((n_points, n_features)), _example_columns(n_features)
        for code, family in enumerate(BLOCKS):
            members = np.flatnonzero(columns == code)
            if len(members):
                X[:, members] = family.example_data(n_points, len(members), seed)
        return X

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return every block's own example, fit for :meth:`example_data`."""
        columns = _example_columns(n_features)
        prior: dict[str, Any] = {"columns": columns}
        for code, family in enumerate(BLOCKS):
            n_members = int(np.sum(columns == code))
            if n_members:
                own = family.example_prior(n_members)
                prior |= {f"{family.name}_{name}": value for name, value in own.items()}
        return prior

    # --- the model ----------------------------------------------------------------------------------------------------

    def parts(self) -> list[tuple[IntArray, Family]]:
        """Return the blocks that have columns: positions of the columns, and the family."""
        members = [np.flatnonzero(self.columns == code) for code in range(len(BLOCKS))]
        return [(columns, block) for columns, block in zip(members, self.blocks, strict=True) if len(columns)]

    def with_blocks(self, blocks: Sequence[Family]) -> Mixed:
        """Return the family with other blocks in place of those that have columns."""
        own = iter(blocks)
        present = set(self.columns.tolist())
        return Mixed(self.columns, tuple(next(own) if c in present else b for c, b in enumerate(self.blocks)))

    def posterior(self, X: FloatArray) -> Mixed:
        """Hyperparameters after the points X (n, D), block by block."""
        return self.with_blocks([block.posterior(X[:, columns]) for columns, block in self.parts()])

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Sum over blocks of log predictives (nats), for each row of X (n, D)."""
        return np.sum([block.log_predictive(X[:, columns]) for columns, block in self.parts()], axis=0)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Return what each entry of X (n, D) adds to the log predictive (nats) of its row.

        Columns that share a normal–Wishart block are taken in order, each given those before it.
        """
        log_densities = np.empty(X.shape)
        for columns, block in self.parts():
            log_densities[:, columns] = _log_densities(block, X[:, columns])
        return log_densities

    def marginal_log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictive (nats) of each entry of X (n, D) by itself, block by block."""
        log_densities = np.empty(X.shape)
        for columns, block in self.parts():
            log_densities[:, columns] = block.marginal_log_densities(X[:, columns])
        return log_densities

    def log_marginal(self, X: FloatArray) -> float:
        """Sum over blocks of log marginal likelihoods (nats) of the points X (n, D)."""
        return float(sum(block.log_marginal(X[:, columns]) for columns, block in self.parts()))

    def draw(self, random_state: np.random.Generator) -> MixedComponent:
        """Draw every block's parameters."""
        return MixedComponent(tuple((columns, block.draw(random_state)) for columns, block in self.parts()))

    # --- the kernels --------------------------------------------------------------------------------------------------

    def places(self, X: FloatArray) -> FloatArray:
        """Return the joined coordinates of the blocks, numbers at unit spread unless a block has distances of its own.

        Two categories are at distance 1, and two opposite angles at distance 2.
        """
        found = []
        for columns, block in self.parts():
            coordinates = block.places(X[:, columns])
            found.append(coordinates if block.has_own_distances else at_unit_spread(coordinates))
        return np.ascontiguousarray(np.hstack(found))

    def working(self, X: FloatArray) -> MixedWorkingData:
        """Move every block to its own coordinates, and join their columns, those of a full covariance last.

        Behind them is what rows list of parts of a whole.
        """
        blocks = sorted(self.parts(), key=lambda part: isinstance(part[1], (NormalWishart, Multinomial)))
        parts = tuple((columns, block.working(np.ascontiguousarray(X[:, columns]))) for columns, block in blocks)
        codes = np.concatenate([np.repeat(self.columns[columns[0]], part.X.shape[1]) for columns, part in parts])
        own = {CODES[cast(Family, part.family).name]: cast(Family, part.family) for _, part in parts}
        family = Mixed(codes, tuple(own.get(code, block) for code, block in enumerate(self.blocks)))
        return MixedWorkingData(
            family,
            np.ascontiguousarray(np.hstack([part.X for _, part in parts])),
            self.places(X),
            sum(part.log_jacobian for _, part in parts),
            parts,
        )

    def bind(self, X: FloatArray, capacity: int) -> ColumnsState:
        """Allocate the state of working data."""
        free, full = self.apart()
        return bind_columns(free, X, capacity, full=full)

    def apart(self) -> tuple[list[Family], NormalWishart | None]:
        """Return the blocks of independent columns, parts of a whole last, and that of a full covariance."""
        blocks = sorted((block for _, block in self.parts()), key=lambda block: isinstance(block, Multinomial))
        full = next((block for block in blocks if isinstance(block, NormalWishart)), None)
        return [block for block in blocks if block is not full], full

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 300.0 + 15.0 * n_features

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at a point x (D,) as a sum over columns."""
        costs = -self.log_densities(x[None, :])[0]
        return per_column(x, costs)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> Shapes | None:
        """Return those of the only column, or of all real and circular ones; None without two such."""
        assert isinstance(working, MixedWorkingData)
        alone, first = len(self.columns) == 1, 0
        found: list[tuple[IntArray, Shapes | None]] = []
        for columns, part in working.parts:
            family = cast(Family, part.family)
            if alone or isinstance(family, _WITH_MARGINS):
                found.append((columns, shapes_of(family, statistics_of(family, state, first), sizes, part)))
            first += part.X.shape[1]
        return found[0][1] if alone else side_by_side(found, len(self.columns))


def statistics_of(block: Family, state: ColumnsState, first: int) -> Any:
    """Return the statistics of a block's columns, from ``first`` on, as the state of its own that Gaussians draw from.

    Each point counts as it counts in ``state``.
    """
    if isinstance(block, NormalWishart):
        own = {"mean": state.full.mean, "inverse_factor": state.full.inverse_factor / np.sqrt(state.weight)}
    elif isinstance(block, NormalGamma):
        rows = slice(first, first + len(block.m0))
        own = {"mean": state.location[rows], "b": state.weight * state.rest[rows]}
    elif isinstance(block, Circular):
        return state._replace(location=state.location[first:], rest=state.rest[first:])
    else:
        return state
    return block.bind(np.empty((1, 0)), 1)._replace(**own)  # for kernels that read nothing else


def _prior_of_blocks(kinds: Sequence[str]) -> dict[str, Any]:
    """Return the hyperparameters of blocks that follow from kinds of columns."""
    implied: dict[str, Any] = {}
    for family in BLOCKS:
        own = family.prior_of_kinds([kind for kind in kinds if family_of_kind(kind) == family.name])
        implied |= {f"{family.name}_{name}": value for name, value in own.items() if np.size(value)}
    return implied


def at_unit_spread(coordinates: FloatArray) -> FloatArray:
    """Divide each coordinate (N, C) by its standard deviation, unless that is 0."""
    spread = coordinates.std(axis=0) if len(coordinates) else np.ones(coordinates.shape[1])
    return np.asarray(coordinates / np.where(spread > 0, spread, 1))


def _example_columns(n_features: int) -> IntArray:
    return np.array([CODES[_IN_EXAMPLES[d % len(_IN_EXAMPLES)]] for d in range(n_features)])


def _checked_columns(parameter: Parameter, codes: Any, X: FloatArray) -> IntArray:
    """Return a code per column."""
    n_features = X.shape[1]
    return np.asarray(checked(parameter, _with_the_rest(codes, n_features), {"D": n_features}, Size(*X.shape)))


def _with_the_rest(codes: Any, n_features: int) -> Any:
    """Add that the columns after the named ones are real."""
    if np.ndim(codes) == 1 and len(codes) and codes[-1] == _REST_IS_REAL:
        return [*codes[:-1], *np.zeros(max(n_features + 1 - len(codes), 0))]
    return codes


@cache
def _without_columns(code: int) -> Family:
    """Return the block of a kind of which a table has no column, by default for data that it can hold."""
    return BLOCKS[code].from_prior(None, BLOCKS[code].example_data(1, 1))


def _as_kind(code: int) -> str:
    """Name the columns of a family in words."""
    return "independent real" if BLOCKS[code] is NormalGamma else BLOCKS[code].kind


def _present(prior: Mapping[str, Any] | None) -> list[type[Family]]:
    """Return the families that some column has under a user's hyperparameters."""
    given = np.atleast_1d(Mixed.numeric_prior(prior or {}).get("columns", _REST_IS_REAL))
    codes = np.maximum(given, CODES[NormalGamma.name])
    return [family for code, family in enumerate(BLOCKS) if code in codes]


def _codes_under(prior: Mapping[str, Any] | None, n_features: int) -> FloatArray:
    """Return a code per column as a user's hyperparameters have it, unchecked."""
    given = Mixed.numeric_prior(prior or {}).get("columns", [_REST_IS_REAL])
    return np.array(np.broadcast_to(np.asarray(_with_the_rest(given, n_features), dtype=np.float64), n_features))


def _refuse_arrays(family: type[Family], given: Mapping[str, Any]) -> None:
    """Refuse hyperparameters with entries for columns, where there are none of the family."""
    for name, value in given.items():
        if np.ndim(value) and np.size(value):
            raise InvalidParameterError(
                f"prior['{family.name}_{name}'] has shape {np.shape(value)}, but no column is {family.name}; "
                "leave it out."
            )


def _log_densities(block: Family, X: FloatArray) -> FloatArray:
    """Log predictive densities (nats) of the entries of a block's columns X (n, C); their sum is the row's."""
    if isinstance(block, ColumnFamily):
        return block.log_densities(X)
    assert isinstance(block, NormalGamma | NormalWishart)
    return student_densities(block.predictive(), X)


def student_densities(t: Predictive, X: FloatArray) -> FloatArray:
    """Log densities (nats) of the entries of X (n, D) under a Student t, each given those to its left."""
    root = np.linalg.cholesky(t.scale)
    squared = solve_triangular(root, (X - t.location).T, lower=True).T ** 2
    degrees: Any = np.full(X.shape[1], t.degrees_of_freedom)
    before = np.zeros_like(squared)
    if not t.independent:
        before[:, 1:] = np.cumsum(squared, axis=1)[:, :-1]
        degrees = t.degrees_of_freedom + np.arange(X.shape[1])
    width = (t.degrees_of_freedom + before) / degrees  # squared scale of a column, given those before it
    constant = gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * np.log(degrees * np.pi)
    constant = constant - np.log(np.diagonal(root)) - 0.5 * np.log(width)
    return np.asarray(constant - 0.5 * (degrees + 1) * np.log1p(squared / (degrees * width)))
