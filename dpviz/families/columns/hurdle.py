"""Zero or a positive value: money spent, rain, time on a page; exactly a yes/no column beside one with gaps.

Within a cluster a cell is zero with a chance of its own, and where it is not, its logarithm is normal with unknown mean
and variance. Both parts are independent given the cluster, so that their marginals multiply: that of the zeros is
beta–binomial of one trial, that of the logarithms normal–gamma of the positive cells alone (FORMULAS §8.4). The density
of a positive value is that of its logarithm divided by the value: with the mass at zero it sums to one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, require_values
from dpviz.families.columns.base import ColumnFamily, example_groups, weight_parameter
from dpviz.families.columns.binomial import Binomial
from dpviz.families.columns.kinds import prior_numbers
from dpviz.families.columns.normal_gamma import HALF_LOG_2PI, NORMAL_GAMMA
from dpviz.families.columns.rising import log_gamma_ratio
from dpviz.families.gaussian.base import location, spread
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.shapes import CURVE_POINTS, Shapes
from dpviz.hurdles import BAR
from dpviz.hurdles import HURDLE as KIND
from dpviz.limits import LARGEST_VALUE
from dpviz.parameters import Parameter


@dataclass(frozen=True, eq=False)
class HurdleShapes(Shapes):
    """On the axis of one column a bar at zero, whose area is its chance, and densities of the positive values.

    Attributes
    ----------
    zeros : ndarray (M,)
        Chances of a zero.
    locations, spreads : ndarray (M,)
        Of the Student t of the logarithms.
    degrees_of_freedom : ndarray (M,)
        Infinite for a normal.
    bar : float
        Width of the bar, in units of the data.
    unit, origin : float
        A displayed place is (x − origin) · unit.
    """

    zeros: FloatArray
    locations: FloatArray
    spreads: FloatArray
    degrees_of_freedom: FloatArray
    bar: float
    unit: float = 1.0
    origin: float = 0.0

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return "zeros", "locations", "spreads", "degrees_of_freedom"

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
        """Return places on both sides of the bar's edges, over the whole range, and closer ones near zero."""
        edges = self.bar * np.array([-1.001, -0.999, -0.001, 0.0])
        most = max(float(np.max(x / self.unit + self.origin)), self.bar)
        shown = np.concatenate([edges, np.linspace(0, 1.1 * most, CURVE_POINTS), np.geomspace(most / 1e4, most)])
        return np.unique((shown - self.origin) * self.unit)

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the densities (M, G) per unit of the axis."""
        from scipy import stats  # deferred: it takes half a second to import

        x = grid / self.unit + self.origin
        bar = np.where((x < 0) & (x > -self.bar), 1.0 / self.bar, 0.0)
        positive, y = x > 0, np.log(np.where(x > 0, x, 1.0))
        log_t = stats.t.logpdf(y, self.degrees_of_freedom[:, None], self.locations[:, None], self.spreads[:, None])
        density = np.where(positive, np.exp(log_t - y), 0.0)
        zeros = self.zeros[:, None]
        return np.asarray((zeros * bar + (1.0 - zeros) * density) / abs(self.unit))


@dataclass(frozen=True, eq=False)
class HurdleParameters:
    """Parameters of one component.

    Attributes
    ----------
    zeros : ndarray (D,)
        Chances of a zero.
    means, precisions : ndarray (D,)
        Of the logarithms of positive values.
    is_apart : bool
        Whether rows are those of working data.
    """

    zeros: FloatArray
    means: FloatArray
    precisions: FloatArray
    is_apart: bool = False

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density of the positive cells and log probability of the zeros of each row of X (n, D), in nats."""
        Y, is_zero = _halves(X) if self.is_apart else _parts(X)
        squared = self.precisions * (Y - self.means) ** 2
        positive = np.log1p(-self.zeros) + 0.5 * (np.log(self.precisions) - squared) - HALF_LOG_2PI - Y
        return np.asarray(np.where(is_zero == 1, np.log(self.zeros), positive).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw values (n_points, D)."""
        shape = n_points, len(self.zeros)
        Y = self.means + random_state.standard_normal(shape) / np.sqrt(self.precisions)
        positive = np.exp(np.clip(Y, -np.log(LARGEST_VALUE), np.log(LARGEST_VALUE)))
        return np.where(random_state.random(shape) < self.zeros, 0.0, positive)

    def shapes(self) -> HurdleShapes | None:
        """Return the bar and the density if there is one column."""
        if len(self.zeros) > 1:
            return None
        spreads = 1.0 / np.sqrt(self.precisions)
        bar = BAR * float(np.exp(np.clip(self.means + 2.0 * spreads, -700.0, np.log(LARGEST_VALUE)))[0])
        return HurdleShapes(self.zeros, self.means, spreads, np.full(1, np.inf), bar)


@dataclass(frozen=True)
class HurdleWorkingData(WorkingData):
    """Logarithms of the positive cells, NaN where a cell is zero, and beside all these columns whether it is."""

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D), or raise InvalidDataError."""
        Hurdle.check_data(X)
        return np.ascontiguousarray(np.hstack(_parts(X)))

    def directions(self, n_features: int) -> FloatArray:
        """No column moves working data in one direction."""
        return np.zeros((n_features, 2 * n_features))

    def n_left_out(self) -> int:
        """Return how many zeros have no logarithm."""
        n_features = self.X.shape[1] // 2
        return int(self.X[:, n_features:].sum())


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

        A column without positive values is taken to have 1 alone.
        """
        Y, is_zero = _parts(X)
        Y = np.where(np.isnan(Y).all(axis=0), 0.0, Y)
        shares, own = Binomial.default_prior(is_zero), NormalGamma.default_prior(Y)
        wide = {name: np.full(X.shape[1], own[name]) for name in ("c0", "a0")}
        return {"alpha0": shares["alpha0"], "beta0": shares["beta0"], "m0": own["m0"], **wide, "b0": own["b0"]}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless no value is negative."""
        require_values(X, X >= 0, cls.name, "a number ≥ 0", "Choose columns of zeros and positive values.", names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Logarithms of the positive cells, zeros at their mean, beside whether a cell is zero; all of equal spread."""
        Y, is_zero = _parts(X)
        seen = ~np.isnan(Y)
        mean = np.sum(Y, axis=0, where=seen) / np.maximum(seen.sum(axis=0), 1)
        both = np.hstack([np.where(seen, Y, mean), is_zero])
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

    def posterior(self, X: FloatArray) -> Hurdle:
        """Hyperparameters after the points X (n, D) (FORMULAS §2, §8.4)."""
        Y, is_zero = self.parts_of(X)
        zeros = self.of_zeros().posterior(is_zero)
        after = [own.posterior(cells) for own, cells in self._logarithms(Y)]
        real = {name: np.array([getattr(own, name) for own in after]).ravel() for name in ("m0", "c0", "a0", "b0")}
        return type(self)(zeros.alpha0, zeros.beta0, **real)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log probability of a zero, or log density of a positive value (nats), of each entry of X (n, D)."""
        from scipy import stats  # deferred: it takes half a second to import

        Y, is_zero = self.parts_of(X)
        degrees, scale = self.student()
        values = stats.t.logpdf(Y, degrees, self.m0, scale) - Y
        return self.of_zeros().log_densities(is_zero) + np.where(is_zero == 1, 0.0, values)

    def parts_of(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return logarithms (n, D) of the positive cells of X, and whether cells are zero: 1, 0 or NaN."""
        return _parts(X)

    def student(self) -> tuple[FloatArray, FloatArray]:
        """Return degrees of freedom and scale (D,) of the Student t of one more logarithm, about m0."""
        return 2.0 * self.a0, np.sqrt(self.b0 * (self.c0 + 1.0) / (self.a0 * self.c0))

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) (FORMULAS §2, §8.4)."""
        Y, is_zero = self.parts_of(X)
        values = sum(own.log_marginal(cells) for own, cells in self._logarithms(Y))
        return self.of_zeros().log_marginal(is_zero) + values - float(np.nansum(Y))

    def draw(self, random_state: np.random.Generator) -> HurdleParameters:
        """Draw chances, and means and precisions of logarithms, column by column."""
        zeros = np.clip(random_state.beta(self.alpha0, self.beta0), 1e-300, 1.0 - 1e-16)
        precisions = np.maximum(random_state.standard_gamma(self.a0), 1e-300) / self.b0
        noise = random_state.standard_normal(len(self.m0))
        return HurdleParameters(zeros, self.m0 + noise / np.sqrt(self.c0 * precisions), precisions, self.n_entries > 1)

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
        """Predictives of slots 0 … K − 1 as a bar and a density, if there is one column."""
        if working.X.shape[1] > 2:
            return None
        kept, weight = slice(len(sizes)), state.weight
        n, zeros = weight * state.n_cells[0, kept], weight * state.location[1, kept]
        c, a, b = self.c0[0] + n, self.a0[0] + 0.5 * n, weight * state.rest[0, kept]
        most = np.max(working.X[:, 0], initial=-np.inf, where=~np.isnan(working.X[:, 0]))
        return HurdleShapes(
            (self.alpha0[0] + zeros) / (self.alpha0[0] + self.beta0[0] + n + zeros),
            state.location[0, kept].copy(),
            np.sqrt(b * (c + 1.0) / (a * c)),
            2.0 * a,
            BAR * float(np.exp(most)) if np.isfinite(most) else BAR,
        )

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 40.0 * n_features

    def working(self, X: FloatArray) -> HurdleWorkingData:
        """Take logarithms of the positive cells."""
        family = HurdleApart(self.alpha0, self.beta0, self.m0, self.c0, self.a0, self.b0)
        own = np.ascontiguousarray(np.hstack(_parts(X)))
        return HurdleWorkingData(family, own, np.ascontiguousarray(self.coordinates(X)))

    def of_zeros(self) -> Binomial:
        """Return the family of the columns that say which cells are zero."""
        return Binomial(self.alpha0, self.beta0, np.ones(len(self.alpha0), dtype=np.int64))

    def _logarithms(self, Y: FloatArray) -> list[tuple[NormalGamma, FloatArray]]:
        """Return the family of each column's logarithms with its cells (n_d, 1) of Y (n, D)."""
        columns = zip(self.m0, self.c0, self.a0, self.b0, Y.T, strict=True)
        return [(NormalGamma(np.array([m]), c, a, np.array([b])), y[~np.isnan(y), None]) for m, c, a, b, y in columns]


class HurdleApart(Hurdle):
    """The same, of rows of working data (n, 2D)."""

    n_entries: ClassVar[int] = 2

    def parts_of(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both halves."""
        return _halves(X)


def _parts(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of the positive cells of X (n, D), NaN for others, and whether cells are zero, or NaN."""
    Y = np.log(X, out=np.full(X.shape, np.nan), where=X > 0)
    return Y, np.where(np.isnan(X), np.nan, X == 0)


def _halves(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return them from rows of working data (n, 2D)."""
    n_features = X.shape[1] // 2
    return X[:, :n_features], X[:, n_features:]


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
def _log_marginal(state: Any, d: int, k: int) -> float:
    n, weight, m0, c0, a0 = state.n_cells[d, k], state.weight, state.prior[d, 0], state.prior[d, 1], state.prior[d, 2]
    total = n * m0 + (c0 + n) * (state.location[d, k] - m0)  # of the logarithms
    constant = log_gamma_ratio(a0, 0.5 * weight * n) - weight * n * HALF_LOG_2PI + 0.5 * math.log(c0 / (c0 + n))
    powers = a0 * math.log(weight * state.prior[d, 3]) - (a0 + 0.5 * weight * n) * math.log(weight * state.rest[d, k])
    return constant + powers - weight * total


HURDLE = replace(
    NORMAL_GAMMA,
    families=(Hurdle, HurdleApart),
    numbers=_numbers,
    log_sizes=None,
    beside=Hurdle.of_zeros,
    is_student=False,
    size=_size,
    own_term=_own_term,
    log_marginal=_log_marginal,
)
