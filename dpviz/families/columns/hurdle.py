"""Zero or a positive value: money spent, rain, time on a page; exactly a yes/no column beside one with gaps.

Within a cluster a cell is zero with a chance of its own, and where it is not, its logarithm is normal with unknown mean
and variance. Both parts are independent given the cluster, so that their marginals multiply: that of the zeros is
beta–binomial of one trial, that of the logarithms normal–gamma of the positive cells alone (FORMULAS §8.4). The density
of a positive value is that of its logarithm divided by the value: with the mass at zero it sums to one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_means, require_values
from dpviz.families.columns.base import ColumnFamily, example_groups, weight_parameter
from dpviz.families.columns.binomial import Binomial
from dpviz.families.columns.kinds import prior_numbers
from dpviz.families.columns.normal_gamma import HALF_LOG_2PI, NORMAL_GAMMA
from dpviz.families.columns.rising import log_gamma_ratio, log_risings
from dpviz.families.gaussian.base import location, spread
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.shapes import CURVE_POINTS, Shapes
from dpviz.hurdles import BAR
from dpviz.hurdles import HURDLE as KIND
from dpviz.limits import LARGEST_VALUE
from dpviz.parameters import Parameter


@dataclass(frozen=True, eq=False)
class HurdleShapes(Shapes):
    """On the axis of one column a bar beside each end, whose area is its chance, and densities of what is between.

    Attributes
    ----------
    ends : ndarray (M, E)
        Chances of a zero and, of shares, of the whole.
    locations, spreads : ndarray (M,)
        Of the Student t of the logarithms, or the logits.
    degrees_of_freedom : ndarray (M,)
        Infinite for a normal.
    bar : float
        Width of a bar, in units of the data.
    whole : float
        Of shares; infinite if there is one end alone.
    unit, origin : float
        A displayed place is (x − origin) · unit.
    """

    ends: FloatArray
    locations: FloatArray
    spreads: FloatArray
    degrees_of_freedom: FloatArray
    bar: float
    whole: float = math.inf
    unit: float = 1.0
    origin: float = 0.0

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return "ends", "locations", "spreads", "degrees_of_freedom"

    @property
    def n_features(self) -> int:
        """One column."""
        return 1

    def projected(self, directions: FloatArray, origin: FloatArray) -> HurdleShapes | None:
        """Return the shapes along one axis in other units; None in the plane."""
        if directions.shape != (1, 1) or directions[0, 0] == 0:
            return None
        moved = self.origin + float(origin[0]) / self.unit
        return replace(self, unit=self.unit * float(directions[0, 0]), origin=moved)

    def grid(self, x: FloatArray) -> FloatArray:
        """Return places on both sides of the bars' edges, over the whole range, and closer ones near zero."""
        edges = self.bar * np.array([-1.001, -0.999, -0.001, 0.0])
        if math.isfinite(self.whole):
            between = np.linspace(0, self.whole, CURVE_POINTS)
            return np.unique((np.concatenate([edges, between, self.whole - edges]) - self.origin) * self.unit)
        most = max(float(np.max(x / self.unit + self.origin)), self.bar)
        shown = np.concatenate([edges, np.linspace(0, 1.1 * most, CURVE_POINTS), np.geomspace(most / 1e4, most)])
        return np.unique((shown - self.origin) * self.unit)

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the densities (M, G) per unit of the axis."""
        from scipy import stats  # deferred: it takes half a second to import

        x = grid / self.unit + self.origin
        between = (x > 0) & (x < self.whole)
        y, log_slope = on_line(np.where(between, x, min(1.0, 0.5 * self.whole)), self.whole)
        log_t = stats.t.logpdf(y, self.degrees_of_freedom[:, None], self.locations[:, None], self.spreads[:, None])
        density = (1.0 - self.ends.sum(axis=1, keepdims=True)) * np.where(between, np.exp(log_t + log_slope), 0.0)
        for chances, beyond in zip(self.ends.T, (-x, x - self.whole), strict=False):
            density += chances[:, None] * np.where((beyond > 0) & (beyond < self.bar), 1.0 / self.bar, 0.0)
        return np.asarray(density / abs(self.unit))


@dataclass(frozen=True, eq=False)
class HurdleParameters:
    """Parameters of one component.

    Attributes
    ----------
    family : Hurdle
        Says what a row is: of the data, or of working data.
    chances : ndarray (E + 1, D)
        Of a zero and, of shares, of the whole; last of other values.
    means, precisions : ndarray (D,)
        Of the logarithms, or logits, of other values.
    """

    family: Hurdle
    chances: FloatArray
    means: FloatArray
    precisions: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density of cells between the ends and log probability of others, of each row of X (n, D), in nats."""
        Y, ends, log_slopes = self.family.cells(X)
        normal = 0.5 * (np.log(self.precisions) - self.precisions * (Y - self.means) ** 2) - HALF_LOG_2PI + log_slopes
        return np.asarray(by_end(ends, np.log(self.chances), normal).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw values (n_points, D)."""
        shape = n_points, len(self.means)
        Y = self.means + random_state.standard_normal(shape) / np.sqrt(self.precisions)
        at_end = (random_state.random(shape) >= np.cumsum(self.chances[:-1], axis=0)[:, None]).sum(axis=0)
        return self.family.values(Y, at_end)

    def shapes(self) -> HurdleShapes | None:
        """Return the bars and the density if there is one column."""
        if len(self.means) > 1:
            return None
        spreads = 1.0 / np.sqrt(self.precisions)
        return self.family.shapes_of(
            self.chances[:-1].T, self.means, spreads, np.full(1, np.inf), float((self.means + 2.0 * spreads)[0])
        )


@dataclass(frozen=True)
class HurdleWorkingData(WorkingData):
    """Logarithms or logits of cells, NaN where a cell is at an end, and beside all these columns what tells the ends.

    Attributes
    ----------
    own : Hurdle
        The family in the units of the data.
    """

    own: Hurdle = None  # type: ignore[assignment]  # always given; the fields before it have defaults

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D), or raise InvalidDataError."""
        self.own.check_points(X)
        return self.own.apart(X)

    def directions(self, n_features: int) -> FloatArray:
        """No column moves working data in one direction."""
        return np.zeros((n_features, self.own.n_apart * n_features))

    def n_left_out(self) -> int:
        """Return how many entries other entries of their cell leave without a meaning."""
        cells = self.X.reshape(len(self.X), self.own.n_apart, -1)
        return int((np.isnan(cells) & ~np.isnan(cells).all(axis=1, keepdims=True)).sum())


@dataclass(frozen=True, eq=False)
class Hurdle(ColumnFamily):
    """Per column: zero with chance p ~ Beta(alpha0, beta0); else ln x ~ N(μ, 1/τ), τ ~ Gamma(a0, b0), μ ~ N(m0, 1/c0τ).

    Attributes
    ----------
    alpha0, beta0 : ndarray (D,)
        Zeros and positive values that the prior has seen, > 0.
    m0 : ndarray (D,)
        Expected logarithm of a positive value.
    c0, a0 : ndarray (D,)
        Weight of m0 in points, and shape of the precision's prior; both > 0.
    b0 : ndarray (D,)
        Rate of the precision's prior, > 0, in squared logarithms.
    """

    alpha0: FloatArray
    beta0: FloatArray
    m0: FloatArray
    c0: FloatArray
    a0: FloatArray
    b0: FloatArray

    name: ClassVar[str] = "hurdle"
    title: ClassVar[str] = "Zero or a positive value, independent columns (log-normal hurdle)"
    kind: ClassVar[str] = KIND
    support: ClassVar[str] = "numbers ≥ 0"
    end_weights: ClassVar[tuple[str, ...]] = ("alpha0",)
    """Hyperparameters that are the prior weights of values at an end, as beta0 is of others."""
    n_apart: ClassVar[int] = 2
    """How many entries of working data a cell takes."""
    scaled_by_width: ClassVar[tuple[str, ...]] = ("b0", "c0")
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter("alpha0", "α₀", "prior zeros: expected is a share of α₀/(α₀ + β₀)", "weight"),
        weight_parameter("beta0", "β₀", "prior positive values: α₀ + β₀ small lets clusters roam", "weight"),
        location("m0", "m₀"),
        weight_parameter("c0", "c₀", "how many points the prior mean is worth: small lets centres roam", "weight"),
        weight_parameter("a0", "a₀", "half the number of points the prior spread is worth", "weight"),
        spread("b0", "b₀", "prior spread: logarithms in a cluster have a variance of b₀/(a₀ − 1)", shape=("D",)),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Give the share of zeros two trials' worth, and logarithms what real columns get (FORMULAS §5).

        A column without positive values is taken to have 1 alone; what never occurs counts as half an event in all.
        """
        return cls.prior_of_cells(cells_at(X, math.inf))

    @classmethod
    def prior_of_cells(cls, cells: Cells) -> dict[str, Any]:
        """Return the default prior of cells (N, D)."""
        Y = np.where(np.isnan(cells.Y).all(axis=0), 0.0, cells.Y)
        own, n_columns, half_event = NormalGamma.default_prior(Y), Y.shape[1], 0.5 / len(Y)
        shares = [column_means(np.where(np.isnan(cells.ends), np.nan, cells.ends == end)) for end in cls._ends()]
        weights = 2 * np.clip(shares, half_event, 1 - half_event)
        weights *= np.minimum(1.0, (2 - 2 * half_event) / weights.sum(axis=0))
        ends = dict(zip(cls.end_weights, weights, strict=True))
        wide = {name: np.full(n_columns, own[name]) for name in ("c0", "a0")}
        return {**ends, "beta0": 2 - weights.sum(axis=0), "m0": own["m0"], **wide, "b0": own["b0"]}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless no value is negative."""
        require_values(X, X >= 0, cls.name, "a number ≥ 0", "Choose columns of zeros and positive values.", names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Logarithms of the positive cells, zeros at their mean, beside whether a cell is zero; all of equal spread."""
        Y, _, _ = cells_at(X, math.inf)
        seen = ~np.isnan(Y)
        mean = np.sum(Y, axis=0, where=seen) / np.maximum(seen.sum(axis=0), 1)
        both = np.hstack([np.where(seen, Y, mean), X == 0])
        width = both.std(axis=0) if len(X) else np.ones(both.shape[1])
        return np.asarray(both / np.where(width > 0, width, 1.0))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw zeros, and values about three levels, where zeros are the rarer the higher they are."""
        levels, rng = example_groups(n_points, n_features, seed)
        values = 4 * levels * np.exp(rng.normal(0.0, 0.4, levels.shape))
        return np.where(rng.random(levels.shape) < 1 / (1 + levels), 0.0, values)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        ends = {
            "alpha0": (0.7, 1.2), "beta0": (0.9, 0.5), "m0": (0.4, 1.6), "c0": (0.3, 0.6), "a0": (1.3, 1.9),
            "b0": (0.5, 0.2),
        }  # fmt: skip
        return {name: np.linspace(*own, n_features) for name, own in ends.items()}

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> Self:
        """Hyperparameters after the points X (n, D) (FORMULAS §2, §8.4)."""
        cells = self.cells(X)
        after = [own.posterior(part) for own, part in self._on_line(cells.Y)]
        real = {name: np.array([getattr(own, name) for own in after]).ravel() for name in ("m0", "c0", "a0", "b0")}
        weights = dict(zip((*self.end_weights, "beta0"), self.weights() + self._counts(cells), strict=True))
        return replace(self, **weights, **real)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log probability of an end, or log density of another value (nats), of each entry of X (n, D)."""
        from scipy import stats  # deferred: it takes half a second to import

        cells, weights = self.cells(X), self.weights()
        degrees, scale = self.student()
        values = stats.t.logpdf(cells.Y, degrees, self.m0, scale) + cells.log_slopes
        return by_end(cells.ends, np.log(weights) - np.log(weights.sum(axis=0)), values)

    def cells(self, X: FloatArray) -> Cells:
        """Return what the cells of X (n, D) are."""
        return cells_at(X, math.inf)

    def apart(self, X: FloatArray) -> FloatArray:
        """Return working data (n, 2D): logarithms, and whether cells are zero: 1, 0 or NaN."""
        return np.ascontiguousarray(np.hstack([self.cells(X).Y, np.where(np.isnan(X), np.nan, X == 0)]))

    def values(self, Y: FloatArray, at_end: IntArray) -> FloatArray:
        """Return cells (n, D) from their logarithms and from which end they are at, the number of ends if at none."""
        largest = math.log(LARGEST_VALUE)
        return np.where(at_end == 0, 0.0, np.exp(np.clip(Y, -largest, largest)))

    def weights(self) -> FloatArray:
        """Return the prior weights (E + 1, D) of the ends and of what is between."""
        return np.array([getattr(self, name) for name in (*self.end_weights, "beta0")])

    def student(self) -> tuple[FloatArray, FloatArray]:
        """Return degrees of freedom and scale (D,) of the Student t of one more logarithm or logit, about m0."""
        return 2.0 * self.a0, np.sqrt(self.b0 * (self.c0 + 1.0) / (self.a0 * self.c0))

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) (FORMULAS §2, §8.4)."""
        cells, weights = self.cells(X), self.weights()
        counts = self._counts(cells)
        ends = log_risings(weights, counts).sum() - log_risings(weights.sum(axis=0), counts.sum(axis=0)).sum()
        values = sum(own.log_marginal(part) for own, part in self._on_line(cells.Y))
        return float(ends + values + np.nansum(cells.log_slopes))

    def draw(self, random_state: np.random.Generator) -> HurdleParameters:
        """Draw chances, and means and precisions of logarithms or logits, column by column."""
        weights, chances, left = self.weights(), [], np.ones(len(self.m0))
        for end in self._ends():
            share = np.clip(random_state.beta(weights[end], weights[end + 1 :].sum(axis=0)), 1e-300, 1.0 - 1e-16)
            chances.append(left * share)
            left = left * (1.0 - share)
        precisions = np.maximum(random_state.standard_gamma(self.a0), 1e-300) / self.b0
        noise = random_state.standard_normal(len(self.m0))
        means = self.m0 + noise / np.sqrt(self.c0 * precisions)
        return HurdleParameters(self, np.array([*chances, left]), means, precisions)

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \begin{cases} \ln\frac{\alpha_d+\beta_d}{\alpha_d} & x_d = 0 \\"
            r" \ln\frac{\alpha_d+\beta_d}{\beta_d} + \ln x_d - \ln t_{\nu_d}(\ln x_d \mid m_d, s_d) & x_d > 0"
            r" \end{cases}"
        )
        degrees, scale = self.student()
        columns = {"x": x, "α": self.alpha0, "β": self.beta0, "m": self.m0, "s": scale, "ν": degrees}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> HurdleShapes | None:
        """Predictives of slots 0 … K − 1 as bars and a density, if there is one column."""
        if working.X.shape[1] > self.n_apart:
            return None
        kept, weight = slice(len(sizes)), state.weight
        n, ends = weight * state.n_cells[0, kept], weight * state.location[1 : self.n_apart, kept]
        c, a, b = self.c0[0] + n, self.a0[0] + 0.5 * n, weight * state.rest[0, kept]
        weights = self.weights()[:, 0]
        chances = (weights[:-1, None] + ends) / (weights.sum() + n + ends.sum(axis=0))
        most = float(np.max(working.X[:, 0], initial=-np.inf, where=~np.isnan(working.X[:, 0])))
        return self.shapes_of(
            chances.T, state.location[0, kept].copy(), np.sqrt(b * (c + 1.0) / (a * c)), 2.0 * a, most
        )

    def shapes_of(
        self, ends: FloatArray, locations: FloatArray, spreads: FloatArray, degrees: FloatArray, most: float
    ) -> HurdleShapes:
        """Return shapes on the axis of the only column, on which the largest logarithm is ``most``."""
        bar = BAR * math.exp(min(max(most, -700.0), math.log(LARGEST_VALUE))) if math.isfinite(most) else BAR
        return HurdleShapes(ends, locations, spreads, degrees, bar)

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 40.0 * n_features

    def working(self, X: FloatArray) -> HurdleWorkingData:
        """Take logarithms or logits of the cells that have one."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return HurdleWorkingData(
            APART[type(self)](**own), self.apart(X), np.ascontiguousarray(self.coordinates(X)), own=self
        )

    def of_ends(self) -> tuple[Any, ...]:
        """Return the families of the columns that say which cells are at an end."""
        return (Binomial(self.alpha0, self.beta0, np.ones(len(self.alpha0), dtype=np.int64)),)

    @classmethod
    def _ends(cls) -> range:
        return range(len(cls.end_weights))

    def _counts(self, cells: Cells) -> FloatArray:
        """Count the cells at each end, and others (E + 1, D)."""
        return np.array([(cells.ends == end).sum(axis=0) for end in range(len(self.end_weights) + 1)], dtype=np.float64)

    def _on_line(self, Y: FloatArray) -> list[tuple[NormalGamma, FloatArray]]:
        """Return the family of each column's logarithms or logits with its cells (n_d, 1) of Y (n, D)."""
        columns = zip(self.m0, self.c0, self.a0, self.b0, Y.T, strict=True)
        return [(NormalGamma(np.array([m]), c, a, np.array([b])), y[~np.isnan(y), None]) for m, c, a, b, y in columns]


class HurdleApart(Hurdle):
    """The same, of rows of working data (n, 2D)."""

    n_entries: ClassVar[int] = 2

    def cells(self, X: FloatArray) -> Cells:
        """Return what the cells of working data are."""
        Y, is_zero = np.split(X, 2, axis=1)
        return Cells(Y, 1.0 - is_zero, -Y)


APART: dict[type[Hurdle], type[Hurdle]] = {Hurdle: HurdleApart}
"""Families of working data, by those of the data."""


class Cells(NamedTuple):
    """Cells (n, D) of such columns; NaN where they are missing.

    Attributes
    ----------
    Y : ndarray (n, D)
        Logarithms or logits; NaN at the ends.
    ends : ndarray (n, D)
        The end that a cell is at, 0 or 1; their number if it is at none.
    log_slopes : ndarray (n, D)
        Log of by how much Y changes per unit of the data (nats); NaN at the ends.
    """

    Y: FloatArray
    ends: FloatArray
    log_slopes: FloatArray


def cells_at(X: FloatArray, whole: Any) -> Cells:
    """Return what cells (n, D) are, of shares of a whole or, if that is infinite, of numbers from 0 on."""
    between = (X > 0) & (X < whole)
    half = np.where(np.isfinite(whole), whole, 1.0) / 2
    Y, log_slopes = (np.where(between, part, np.nan) for part in on_line(np.where(between, X, half), whole))
    n_ends = 2 if np.all(np.isfinite(whole)) else 1
    return Cells(Y, np.where(np.isnan(X), np.nan, np.where(between, n_ends, X > 0)), log_slopes)


def on_line(x: FloatArray, whole: Any) -> tuple[FloatArray, FloatArray]:
    """Return logits of shares 0 < x < whole, logarithms if the whole is infinite, and the log of their slope (nats)."""
    of_whole = np.isfinite(whole)
    unit = np.where(of_whole, whole, 1.0)
    rest = np.log(np.where(of_whole, (whole - x) / unit, 1.0))  # never of 0, as 1 − x/whole may be next to the whole
    return np.log(x) - np.log(unit) - rest, -np.log(x) - rest


def by_end(ends: FloatArray, log_chances: FloatArray, between: FloatArray) -> FloatArray:
    """Return log probabilities, of (E + 1, D), of cells at their ends, and log densities of others, (n, D), nats."""
    last = len(log_chances) - 1
    found = np.where(ends == last, log_chances[last] + between, np.nan)
    for end in range(last):
        found = np.where(ends == end, log_chances[end], found)
    return found


# --- the kernels ------------------------------------------------------------------------------------------------------
# Logarithms are real columns with gaps whose prior's shape and weight are their own. Location and rest are m and b.


def _numbers(family: Hurdle) -> FloatArray:
    return prior_numbers(family.m0, family.c0, family.a0, family.b0)


@inlined
def _size(state: Any, d: int, n: float) -> float:
    weight, c, a = state.weight, state.prior[d, 1] + n, state.prior[d, 2] + 0.5 * state.weight * n
    return log_gamma_ratio(a, 0.5 * weight) - weight * HALF_LOG_2PI + 0.5 * math.log(c / (c + 1.0))


@inlined
def _own_term(state: Any, x: float, d: int) -> float:
    """Log of by how much a logarithm changes per unit of a value: the value's inverse."""
    return -x


@inlined
def log_marginal_on_line(state: Any, d: int, k: int) -> float:
    """Log marginal (nats) of the logarithms or logits of slot k."""
    n, weight, c0, a0 = state.n_cells[d, k], state.weight, state.prior[d, 1], state.prior[d, 2]
    constant = log_gamma_ratio(a0, 0.5 * weight * n) - weight * n * HALF_LOG_2PI + 0.5 * math.log(c0 / (c0 + n))
    powers = a0 * math.log(weight * state.prior[d, 3]) - (a0 + 0.5 * weight * n) * math.log(weight * state.rest[d, k])
    return constant + powers


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    n, m0, c0 = state.n_cells[d, k], state.prior[d, 0], state.prior[d, 1]
    total = n * m0 + (c0 + n) * (state.location[d, k] - m0)  # of the logarithms
    return log_marginal_on_line(state, d, k) - state.weight * total


HURDLE = replace(
    NORMAL_GAMMA,
    families=(Hurdle, HurdleApart),
    numbers=_numbers,
    log_sizes=None,
    beside=Hurdle.of_ends,
    is_student=False,
    size=_size,
    own_term=_own_term,
    log_marginal=_log_marginal,
)
