"""Normal–Wishart family: full-covariance normal components (2016 S1; 2018 Sec. 2; lecture eqs. 19–22)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln, multigammaln

from dpviz._jit import implements, inlined, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import refuse_gaps
from dpviz.families.gaussian.base import (
    AffineWorkingData,
    GaussianFamily,
    centre_and_scale,
    centred,
    example_covariance,
    example_weights,
    location,
    spread,
    usable_variances,
    weight,
)
from dpviz.families.gaussian.conditioning import check_prior_mean, check_scatter
from dpviz.families.gaussian.normal import NormalParameters, draw_wishart_root, root_of, squared_distances
from dpviz.families.gaussian.placing import Given, Placed, array_or, number_or, placed, scaling
from dpviz.families.gaussian.predictive import Predictive, fill_predictive
from dpviz.families.gaussian.scoring import SHORTEST_LOOP, keep_likely, log_below
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SLOT_LAST_FIELDS,
    SMALLEST_REMAINDER,
    Candidates,
    OpenSlots,
    add_point,
    clear_slot,
    cluster_means,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
    score_open_slots,
)
from dpviz.numerics.matrices import (
    cholesky,
    log_diagonal,
    lower_inverse,
    matrix_product,
    symmetric_eigen,
    transposed,
)
from dpviz.numerics.special import log_gamma, multivariate_log_gamma
from dpviz.numerics.sums import column_means, column_variances
from dpviz.parameters import Parameter

PRIOR_WEIGHT, SPARE_DEGREES = 0.1, 2.0
"""c0 of the default prior, and its degrees of freedom beyond D."""
LOG_PI = math.log(math.pi)
SMALLEST_CORRELATION_EIGENVALUE = 1e-6
"""The default Ψ0 is shrunk towards its diagonal until no direction is narrower than this, in correlation units."""


@dataclass(frozen=True, eq=False)
class NormalWishart(GaussianFamily):
    """Normal components with unknown mean and covariance: Λ ~ Wishart(a0, Ψ0⁻¹), μ | Λ ~ N(m0, (c0 Λ)⁻¹).

    Attributes
    ----------
    m0 : ndarray (D,)
        Prior mean.
    c0 : float
        Weight of the prior mean, in points; > 0.
    a0 : float
        Degrees of freedom; > D − 1.
    psi0 : ndarray (D, D)
        Prior scatter, positive definite.
    """

    m0: FloatArray
    c0: float
    a0: float
    psi0: FloatArray

    name: ClassVar[str] = "normal_wishart"
    title: ClassVar[str] = "Normal, full covariance (normal–Wishart)"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        location("m0", "m₀"),
        weight("c0", "c₀", "how many points the prior mean is worth: small lets centres roam"),
        weight(
            "a0",
            "a₀",
            "how many points the prior shape is worth (more than D − 1)",
            lower=lambda size: size.n_features - 1.0,
        ),
        spread("psi0", "Ψ₀", "prior scatter: a cluster's expected shape is Ψ₀/(a₀ − D − 1)", shape=("D", "D")),
    )
    scaled_by_width: ClassVar[tuple[str, ...]] = ("psi0", "c0")

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise if a cell is missing: there is no closed form of the marginal of incomplete rows."""
        refuse_gaps(X, cls.name)

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Empirical Bayes at fixed weight: m0 = x̄, c0 = 0.1, a0 = D + 2, psi0 = S/N (FORMULAS §5)."""
        return default_normal_wishart(np.ascontiguousarray(X))._asdict()

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults, for data of unit order."""
        return {**example_weights(n_features), "a0": n_features + 1.7, "psi0": example_covariance(n_features)}

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 0.5 * n_features**2

    def working(self, X: FloatArray) -> AffineWorkingData:
        """Centre each column and divide it by a power of two; raise where factors would lose their digits."""
        centre, scale, log_jacobian = centre_and_scale(np.ascontiguousarray(X))
        family = NormalWishart(*scaled_normal_wishart(self._prior(), centre, scale))
        data = AffineWorkingData.of(family, X, centre, 1 / scale, log_jacobian)
        if len(centre) > 1 and np.all(np.isfinite(data.X)):
            check_prior_mean(np.abs(family.m0))
            check_scatter(family.psi0, data.X, family.a0)
        return data

    def posterior(self, X: FloatArray) -> NormalWishart:
        """Hyperparameters after the points X (n, D) (FORMULAS §2)."""
        n = len(X)
        if n == 0:
            return self
        mean = X.sum(axis=0) / n
        c = self.c0 + n
        shift, centred = mean - self.m0, X - mean
        psi = self.psi0 + centred.T @ centred + self.c0 * n / c * shift[:, None] * shift
        return NormalWishart((self.c0 * self.m0 + n * mean) / c, c, self.a0 + n, psi)

    def predictive(self) -> Predictive:
        """Student t with ν = a − D + 1 and scale (c+1)/(cν) Ψ."""
        degrees = self.a0 - len(self.m0) + 1
        return Predictive(self.m0, (self.c0 + 1) / (self.c0 * degrees) * self.psi0, degrees)

    def expected_covariance(self) -> FloatArray:
        """Ψ/(a − D − 1), or NaN where a ≤ D + 1."""
        weight = self.a0 - len(self.m0) - 1
        return self.psi0 / weight if weight > 0 else np.full_like(self.psi0, np.nan)

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Multivariate Student t log density (nats) of each row of X."""
        t = self.predictive()
        n_features, degrees = len(t.location), t.degrees_of_freedom
        squared, log_determinant = squared_distances(X, t.location, t.scale)
        constant = (
            gammaln((degrees + n_features) / 2) - gammaln(degrees / 2) - 0.5 * n_features * np.log(degrees * np.pi)
        )
        return np.asarray(constant - 0.5 * log_determinant - 0.5 * (degrees + n_features) * np.log1p(squared / degrees))

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats), FORMULAS §2."""
        n, n_features = X.shape
        after = self.posterior(X)
        return float(
            -0.5 * n * n_features * np.log(np.pi)
            + multigammaln(after.a0 / 2, n_features)
            - multigammaln(self.a0 / 2, n_features)
            + 0.5 * self.a0 * np.linalg.slogdet(self.psi0)[1]
            - 0.5 * after.a0 * np.linalg.slogdet(after.psi0)[1]
            + 0.5 * n_features * np.log(self.c0 / after.c0)
        )

    @cached_property
    def _factors(self) -> tuple[FloatArray, FloatArray]:
        """L and L⁻¹ with LLᵀ = Ψ, which all draws share."""
        return root_of(self.psi0)

    def draw(self, random_state: np.random.Generator) -> NormalParameters:
        """Draw (μ, Λ) from the normal–Wishart."""
        root, log_determinant = draw_wishart_root(self.a0, *self._factors, random_state)
        noise = random_state.standard_normal(len(self.m0))
        return NormalParameters(self.m0 + np.linalg.solve(root, noise) / np.sqrt(self.c0), root, log_determinant)

    def _prior(self) -> NormalWishartPrior:
        """Return the hyperparameters as kernels are compiled for them."""
        return NormalWishartPrior(np.array(self.m0), float(self.c0), float(self.a0), np.array(self.psi0, order="C"))

    def bind(self, X: FloatArray, capacity: int) -> NormalWishartState:
        """Allocate the state; states for the same number of points share what does not depend on clusters."""
        n_points = len(X)
        if n_points not in self._constants:
            prior = self._prior()
            self._constants[n_points] = prior, normal_wishart_tables(prior, n_points)
        return normal_wishart_state(*self._constants[n_points], capacity)

    @cached_property
    def _constants(self) -> dict[int, tuple[NormalWishartPrior, NormalWishartTables]]:
        """Arrays of states that kernels only read, by the number of points: each start of a run binds the family."""
        return {}


class NormalWishartPrior(NamedTuple):
    """Hyperparameters of :class:`NormalWishart`, for kernels."""

    m0: FloatArray
    c0: float
    a0: float
    psi0: FloatArray


class NormalWishartTables(NamedTuple):
    """What depends on a cluster's size alone, with the factor of Ψ0; all clusters share it."""

    inverse_factor0: FloatArray
    log_determinant0: float
    predictive_constant: FloatArray
    leave_one_out_constant: FloatArray
    marginal_constant: FloatArray


class NormalWishartState(NamedTuple):
    """Per slot the posterior mean m, W = L⁻¹ with Ψ = LLᵀ (packed lower triangle), and ln|Ψ|; tables by cluster size.

    ``transposed_factor`` holds W once more, with the slot last. ``weight``, ``constant`` and ``power`` are those of the
    slot's ln f(x) = constant − power · ln(1 + weight · distance).

    Distances are ‖W(x − m)‖²: with Ψ⁻¹ itself in place of W they would lose all digits where Ψ is ill-conditioned.
    """

    c0: float
    a0: float
    m0: FloatArray
    psi0: FloatArray
    inverse_factor0: FloatArray
    log_determinant0: float
    predictive_constant: FloatArray
    leave_one_out_constant: FloatArray
    marginal_constant: FloatArray
    mean: FloatArray
    inverse_factor: FloatArray
    transposed_factor: FloatArray
    log_determinant: FloatArray
    weight: FloatArray
    constant: FloatArray
    power: FloatArray
    offset: FloatArray
    product: FloatArray


SLOT_FIELDS[NormalWishartState] = ("inverse_factor", "log_determinant", "weight", "constant", "power")
SLOT_LAST_FIELDS[NormalWishartState] = ("mean", "transposed_factor")


@kernel
def default_scatter(X: FloatArray) -> FloatArray:
    """Return the covariance (D, D) of X (N, D), shrunk towards its diagonal where it would be nearly singular."""
    n_points, n_features = X.shape
    mean, roots = column_means(X), np.sqrt(usable_variances(column_variances(X)))
    correlation, scaled = np.zeros((n_features, n_features)), np.empty(n_features)
    for i in range(n_points):
        for d in range(n_features):
            scaled[d] = (X[i, d] - mean[d]) / roots[d]
        for row in range(n_features):
            for column in range(row):
                correlation[row, column] += scaled[row] * scaled[column]
    for row in range(n_features):
        correlation[row, row] = 1.0
        for column in range(row):
            correlation[row, column] /= n_points
            correlation[column, row] = correlation[row, column]
    smallest = symmetric_eigen(correlation)[0][0]
    if smallest < SMALLEST_CORRELATION_EIGENVALUE:
        wanted = (SMALLEST_CORRELATION_EIGENVALUE - smallest) / (1.0 - smallest)
        correlation = (1.0 - wanted) * correlation + wanted * np.eye(n_features)
    for row in range(n_features):
        for column in range(row + 1):  # the mean of both orders of rounding is symmetric to the last digit
            half = 0.5 * correlation[row, column]
            covariance = half * roots[column] * roots[row] + half * roots[row] * roots[column]
            correlation[row, column] = correlation[column, row] = covariance
    return correlation


@kernel
def default_normal_wishart(X: FloatArray) -> NormalWishartPrior:
    """Return the default hyperparameters of X (N, D)."""
    return NormalWishartPrior(column_means(X), PRIOR_WEIGHT, X.shape[1] + SPARE_DEGREES, default_scatter(X))


@kernel
def scaled_normal_wishart(prior: NormalWishartPrior, centre: FloatArray, scale: FloatArray) -> NormalWishartPrior:
    """Return the hyperparameters of columns that are centred and divided by their scales (D,)."""
    psi0 = prior.psi0.copy()
    for row in range(scale.shape[0]):
        for column in range(scale.shape[0]):
            psi0[row, column] = psi0[row, column] / scale[column] / scale[row]
    return NormalWishartPrior((prior.m0 - centre) / scale, prior.c0, prior.a0, psi0)


class NormalWishartKind(NamedTuple):
    """Tells :func:`~dpviz.families.gaussian.placing.placed` the family."""


@implements(placed, NormalWishartKind)
def _placed(family: Any, X: FloatArray, given: Given, capacity: int) -> Placed:
    centre, scale, log_jacobian = centre_and_scale(X)
    default = default_normal_wishart(X)
    prior = NormalWishartPrior(
        array_or(given.location, default.m0),
        number_or(given.weight, default.c0 * given.share),
        number_or(given.shape, default.a0),
        array_or(given.spread, (default.psi0 * given.share).ravel()).reshape(default.psi0.shape),
    )
    prior = scaled_normal_wishart(prior, centre, scale)
    state = normal_wishart_state(prior, normal_wishart_tables(prior, X.shape[0]), capacity)
    return Placed(state, centred(X, centre, 1.0 / scale), log_jacobian, scaling(centre, scale))


@kernel
def normal_wishart_tables(prior: NormalWishartPrior, n_points: int) -> NormalWishartTables:
    """Fill the tables of everything that depends on a cluster's size alone, and factorise Ψ0."""
    m0, c0, a0, psi0 = prior
    n_features = m0.shape[0]
    factor = cholesky(psi0)
    inverse, packed = lower_inverse(factor), np.empty(n_features * (n_features + 1) // 2)
    position = 0
    for row in range(n_features):
        for column in range(row + 1):
            packed[position] = inverse[row, column]
            position += 1
    log_determinant0 = 2.0 * log_diagonal(factor)
    half_log_pi, at_prior = 0.5 * n_features * LOG_PI, multivariate_log_gamma(0.5 * a0, n_features)
    predictive, marginal = np.empty(n_points + 1), np.empty(n_points + 1)
    leave_one_out = np.full(n_points + 1, math.nan)  # entry 0 has no meaning
    for n in range(n_points + 1):
        a, c = a0 + n, c0 + n
        shape = log_gamma(0.5 * (a + 1.0)) - log_gamma(0.5 * (a - n_features + 1.0))
        predictive[n] = shape - half_log_pi + 0.5 * n_features * math.log(c / (c + 1.0))
        shape = multivariate_log_gamma(0.5 * a, n_features) - at_prior
        marginal[n] = shape - n * half_log_pi + 0.5 * a0 * log_determinant0 + 0.5 * n_features * math.log(c0 / c)
        if n > 0:
            left = (c - 1.0) / c  # 0 of a singleton if c0 is tiny; its entry is not used
            log_left = math.log(left) if left > 0.0 else -math.inf
            shape = log_gamma(0.5 * a) - log_gamma(0.5 * (a - n_features))
            leave_one_out[n] = shape - half_log_pi + 0.5 * n_features * log_left
    return NormalWishartTables(packed, log_determinant0, predictive, leave_one_out, marginal)


@kernel
def normal_wishart_state(prior: NormalWishartPrior, tables: NormalWishartTables, capacity: int) -> NormalWishartState:
    """Allocate a state; states with the same tables share these."""
    n_features, lower = prior.m0.shape[0], tables.inverse_factor0.shape[0]
    return NormalWishartState(
        prior.c0,
        prior.a0,
        prior.m0.copy(),
        prior.psi0,
        tables.inverse_factor0,
        tables.log_determinant0,
        tables.predictive_constant,
        tables.leave_one_out_constant,
        tables.marginal_constant,
        np.zeros((n_features, capacity)),
        np.zeros((capacity, lower)),
        np.zeros((lower, capacity)),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(n_features),
        np.zeros(n_features),
    )


@inlined
def _refresh(state: Any, k: int, n: int) -> None:
    """Recompute the quantities derived from the slot's number of points, its W and its ln|Ψ|."""
    for position in range(state.inverse_factor0.shape[0]):
        state.transposed_factor[position, k] = state.inverse_factor[k, position]
    c = state.c0 + n
    state.weight[k] = c / (c + 1.0)
    state.constant[k] = state.predictive_constant[n] - 0.5 * state.log_determinant[k]
    state.power[k] = 0.5 * (state.a0 + n + 1.0)


@inlined
def _squared_distance(state: Any, X: FloatArray, i: int, k: int) -> float:
    """Return ‖W(x − m)‖², each row an independent sum; leaves x − m in ``state.offset``.

    Here and below, unsigned indices avoid the check for negative ones, which takes longer than the sum itself.
    """
    offset, mean, factor = state.offset, state.mean, state.inverse_factor
    total = 0.0
    position = 0
    for row in range(X.shape[1]):
        delta = X[i, row] - mean[row, k]
        offset[row] = delta
        projected = 0.0
        for column in range(row):
            projected += factor[k, np.uint64(position + column)] * offset[column]
        projected += factor[k, np.uint64(position + row)] * delta
        total += projected * projected
        position += row + 1
    return total


@inlined
def _squared_distances(state: Any, X: FloatArray, i: int, n_slots: int, work: FloatArray) -> None:
    """Write ‖W(x − m)‖² of slots 0 … n_slots − 1 to row D + 1 of ``work``; the rows before are scratch."""
    mean, factor = state.mean, state.transposed_factor
    n_features = X.shape[1]
    projected, total = n_features, n_features + 1
    for k in range(n_slots):
        work[total, k] = 0.0
    position = 0
    for row in range(n_features):
        for k in range(n_slots):
            work[row, k] = X[i, row] - mean[row, k]
            work[projected, k] = 0.0
        for column in range(row + 1):
            for k in range(n_slots):
                work[projected, k] += factor[position, k] * work[column, k]
            position += 1
        for k in range(n_slots):
            work[total, k] += work[projected, k] * work[projected, k]


@inlined
def _shift_inverse_factor(state: Any, k: int, weight: float) -> None:
    """Replace W by the factor of WᵀW + weight · v vᵀ, v = WᵀW · ``state.offset`` (rank-one Cholesky update)."""
    offset, product, factor = state.offset, state.product, state.inverse_factor
    n_features = offset.shape[0]
    product[:] = 0.0
    position = 0
    for row in range(n_features):
        projected = 0.0
        for column in range(row + 1):
            projected += factor[k, np.uint64(position + column)] * offset[column]
        for column in range(row + 1):
            product[column] += factor[k, np.uint64(position + column)] * projected
        position += row + 1
    size = math.sqrt(abs(weight))
    sign = 1.0 if weight > 0.0 else -1.0
    for row in range(n_features - 1, -1, -1):
        position -= row + 1
        diagonal = factor[k, np.uint64(position + row)]
        step = size * product[row]
        changed = math.sqrt(max(diagonal * diagonal + sign * step * step, 1e-300))
        cosine, sine = changed / diagonal, step / diagonal
        factor[k, np.uint64(position + row)] = changed
        for column in range(row):
            moved = (factor[k, np.uint64(position + column)] + sign * sine * size * product[column]) / cosine
            product[column] = cosine * product[column] - sine / size * moved
            factor[k, np.uint64(position + column)] = moved


@inlined
def _left_out(state: Any, k: int, n: int, squared: float) -> float:
    """Return the log leave-one-out predictive of a point at this squared distance from the mean of its slot."""
    c = state.c0 + n
    remainder = 1.0 - c / (c - 1.0) * squared
    if not remainder > SMALLEST_REMAINDER:
        return math.nan
    constant = state.leave_one_out_constant[n] - 0.5 * state.log_determinant[k]
    return constant + 0.5 * (state.a0 + n - 1.0) * math.log(remainder)


@implements(log_predictive, NormalWishartState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    c = state.c0 + n
    spread = 1.0 + c / (c + 1.0) * _squared_distance(state, X, i, k)
    constant = state.predictive_constant[n] - 0.5 * state.log_determinant[k]
    return constant - 0.5 * (state.a0 + n + 1.0) * math.log(spread)


@implements(score_open_slots, NormalWishartState)
def _score_open_slots(
    state: Any,
    X: FloatArray,
    i: int,
    own: int,
    open_slots: OpenSlots,
    best: float,
    slack: float,
    candidates: Candidates,
) -> int:
    weight, constant, power = state.weight, state.constant, state.power
    n_slots, log_weight = open_slots.n_slots, open_slots.log_weight
    scores, work = candidates.scores, candidates.work
    spread, bound = X.shape[1] + 1, X.shape[1] + 2  # rows of ``work``
    if n_slots < SHORTEST_LOOP + X.shape[1] // 3:
        for k in range(n_slots):
            work[spread, k] = _squared_distance(state, X, i, k)
    else:
        _squared_distances(state, X, i, n_slots, work)
    if math.isnan(scores[0]):
        scores[0] = _left_out(state, own, open_slots.sizes[own], work[spread, own]) + log_weight[own]
    if open_slots.n_open == 1:
        return 1
    for k in range(n_slots):
        work[spread, k] = 1.0 + weight[k] * work[spread, k]
        work[bound, k] = constant[k] + log_weight[k] - power[k] * log_below(work[spread, k])
    work[bound, own] = math.nan  # not a candidate: nothing is above NaN
    best = max(best, scores[0])
    return keep_likely(constant, power, math.inf, open_slots, best, slack, candidates)


@implements(log_leave_one_out, NormalWishartState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _left_out(state, k, n, _squared_distance(state, X, i, k))


@implements(fill_predictive, NormalWishartState)
def _fill_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    n_features, position = location.shape[0], 0
    inverse = np.zeros((n_features, n_features))
    for row in range(n_features):
        location[row] = state.mean[row, k]
        for column in range(row + 1):
            inverse[row, column] = state.inverse_factor[k, position]
            position += 1
    factor = lower_inverse(inverse)
    degrees, weight = state.a0 + n - n_features + 1.0, state.c0 + n
    scale[:] = matrix_product(factor, transposed(factor))
    for row in range(n_features):
        for column in range(n_features):
            scale[row, column] *= (weight + 1.0) / (weight * degrees)
    return degrees


@implements(add_point, NormalWishartState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    c = state.c0 + n
    weight = c / (c + 1.0)
    spread = 1.0 + weight * _squared_distance(state, X, i, k)
    if spread * SMALLEST_REMAINDER > 1.0:
        return False
    _shift_inverse_factor(state, k, -weight / spread)
    state.log_determinant[k] += math.log(spread)
    for d in range(X.shape[1]):
        state.mean[d, k] += state.offset[d] / (c + 1.0)
    _refresh(state, k, n + 1)
    return True


@implements(remove_point, NormalWishartState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    c = state.c0 + n
    weight = c / (c - 1.0)
    remainder = 1.0 - weight * _squared_distance(state, X, i, k)
    if not remainder > SMALLEST_REMAINDER:
        return False
    _shift_inverse_factor(state, k, weight / remainder)
    state.log_determinant[k] += math.log(remainder)
    for d in range(X.shape[1]):
        state.mean[d, k] -= state.offset[d] / (c - 1.0)
    _refresh(state, k, n - 1)
    return True


@implements(clear_slot, NormalWishartState)
def _clear_slot(state: Any, k: int) -> None:
    state.log_determinant[k] = state.log_determinant0
    for d in range(state.m0.shape[0]):
        state.mean[d, k] = state.m0[d]
    for position in range(state.inverse_factor0.shape[0]):
        state.inverse_factor[k, position] = state.inverse_factor0[position]
    _refresh(state, k, 0)


@implements(log_marginal, NormalWishartState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    return state.marginal_constant[n] - 0.5 * (state.a0 + n) * state.log_determinant[k]


@kernel
def _factorise(psi: FloatArray, packed: FloatArray, k: int) -> float:
    """Write the packed inverse Cholesky factor of ψ to slot k and return ln|ψ|; only ψ's lower triangle is read."""
    n_features = psi.shape[0]
    log_determinant = 0.0
    for column in range(n_features):
        for row in range(column, n_features):
            total = psi[row, column]
            for inner in range(column):
                total -= psi[row, inner] * psi[column, inner]
            psi[row, column] = math.sqrt(total) if row == column else total / psi[column, column]
        log_determinant += 2.0 * math.log(psi[column, column])
    start = 0
    for row in range(n_features):
        packed[k, start + row] = 1.0 / psi[row, row]
        for column in range(row):
            total = 0.0
            for inner in range(column, row):
                total += psi[row, inner] * packed[k, inner * (inner + 1) // 2 + column]
            packed[k, start + column] = -total / psi[row, row]
        start += row + 1
    return log_determinant


@implements(rebuild, NormalWishartState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    n_points, n_features = X.shape
    packed, offset = state.inverse_factor, state.offset
    packed[first : first + n_clusters] = 0.0
    mean = np.empty((n_clusters, n_features))
    cluster_means(X, labels, sizes, n_clusters, 0, mean)
    for i in range(n_points):  # scatter about the cluster's own mean, packed in the place of the factor
        cluster = labels[i]
        k = first + cluster
        position = 0
        for row in range(n_features):
            delta = X[i, row] - mean[cluster, row]
            offset[row] = delta
            for column in range(row + 1):
                packed[k, np.uint64(position + column)] += delta * offset[column]
            position += row + 1
    psi = np.zeros((n_features, n_features))
    for cluster in range(n_clusters):
        k, n = first + cluster, sizes[cluster]
        c = state.c0 + n
        weight = state.c0 * n / c
        position = 0
        for row in range(n_features):
            offset[row] = mean[cluster, row] - state.m0[row]
            for column in range(row + 1):
                shift = weight * offset[row] * offset[column]
                psi[row, column] = state.psi0[row, column] + packed[k, position] + shift
                position += 1
        state.log_determinant[k] = _factorise(psi, packed, k)
        for d in range(n_features):
            state.mean[d, k] = (state.c0 * state.m0[d] + n * mean[cluster, d]) / c
        _refresh(state, k, n)
