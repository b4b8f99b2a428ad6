"""Mixtures with a finite but unknown number of components (Miller & Harrison 2018).

The number of components k has a law p; given k, their weights are Dirichlet(γ, …, γ). A partition of n points into t
clusters then has the probability V_n(t) Π_c γ (γ + 1) … (γ + |c| − 1), with

    V_n(t) = Σ_{k ≥ t} k (k − 1) … (k − t + 1) / (γk (γk + 1) … (γk + n − 1)) · p(k).

A point joins a cluster of m others with weight m + γ, and opens one beside t others with weight
γ V_n(t + 1) / V_n(t), where n counts the new point too: unlike those of other priors this table depends on n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from dpviz.arrays import FloatArray, IntArray, RandomState
from dpviz.errors import refused, require
from dpviz.parameters import Parameter
from dpviz.partition import _mixture_kernels as kernels
from dpviz.partition._kernels import seat_customers
from dpviz.partition.base import (
    MAX_TERMS,
    PartitionPrior,
    as_generator,
    register,
    seated_customers,
    varied,
    whole_number,
)
from dpviz.partition.component_laws import as_component_law, component_law_text
from dpviz.partition.ewens_pitman import break_stick

SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-12, 1e12
"""Weights γ beyond these are replaced by them: no partition of ten million points tells them apart."""
MOST_PLACES = 50_000
"""Most places of a sum over k; the slowest law that can be written needs 13,000."""
SUMMED = 128
"""Opening weights beside up to so many clusters are summed one by one; further ones are interpolated where that is
exact."""
N_NODES, TOLERANCE, ROUNDING = 20, 1e-11, 1e-15
"""Nodes of an interpolating polynomial; and the error of the logarithm (nats) above which a range is halved, which is
at least the rounding of ln N!, as sums over k are differences of numbers of that size."""
SMALLEST_PROBABILITY = 1e-30
MOST_SCANNED = 10**7
"""A number of components given seated customers is drawn among so many; the rest has next to no probability."""


class _Coefficients(NamedTuple):
    """A prior as the kernels need it."""

    gamma: float
    law: FloatArray


@register
@dataclass(frozen=True)
class MixtureOfFiniteMixtures(PartitionPrior):
    """Dirichlet mixtures of an unknown, finite number of components (Miller & Harrison 2018).

    However many points there are, the number of clusters stays near the number of components, where a Chinese
    restaurant opens ever more.

    Parameters
    ----------
    gamma : float
        γ > 0, the Dirichlet weight of each component (not their sum). Beyond 1e-12 to 1e12 nothing changes.
    n_components : str
        Law of the number of components − 1: ``"bnb(r,α,β)"`` (beta negative binomial), ``"poisson(r)"`` or
        ``"geometric(p)"``. Under ``"bnb(1,4,3)"`` one component has probability 4/7, and
        many components are rare but not impossible.

    Raises
    ------
    InvalidParameterError
        If ``gamma`` is not a finite number > 0, or ``n_components`` no such law.
    """

    gamma: float = 1.0
    n_components: str = "bnb(1,4,3)"

    name: ClassVar[str] = "finite_mixtures"
    title: ClassVar[str] = "Mixture of finite mixtures"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="gamma",
            symbol="γ",
            title="Weight of a component",
            explanation="Dirichlet weight of each of an unknown, finite number of components: small values make "
            "clusters of very different sizes.",
            default=1.0,
            lower=0.0,
            log=True,
            explore=(0.1, 10.0),
            hyperprior="gamma(2,2)",
        ),
        Parameter(
            name="n_components",
            symbol="components − 1",
            title="Components − 1",
            explanation="How many components there may be beside the first: bnb(r,α,β), poisson(r) or geometric(p).",
            default="bnb(1,4,3)",
            number=False,
            reads=component_law_text,
        ),
    )
    explanation: ClassVar[str] = (
        "The number of components is unknown but finite: the number of clusters settles as points are added, where a "
        "Chinese restaurant keeps opening new ones."
    )
    consistent: ClassVar[bool] = True
    most_points_learned: ClassVar[float] = 50_000

    def __post_init__(self) -> None:
        """Validate."""
        self._check_parameters()

    @classmethod
    def example(cls) -> MixtureOfFiniteMixtures:
        """Return a mixture of some components of unequal weights."""
        return cls(0.7, "poisson(5)")

    def join_table(self, n_points: int) -> FloatArray:
        """Return ln(n + γ)."""
        n_points = whole_number("n_points", n_points)
        table = np.full(n_points + 1, -np.inf)
        table[1:] = np.log(np.arange(1, n_points + 1) + self._coefficients.gamma)
        return table

    def open_table(self, n_points: int) -> FloatArray:
        """Return ln γ V_N(t + 1) / V_N(t); 0 at t = 0, and −inf at t = N, which N − 1 other points cannot form."""
        return _open_table(self, whole_number("n_points", n_points)).copy()

    def log_seat_weights(self, sizes: IntArray) -> FloatArray:
        """Return them by one sum over the number of components, without the table."""
        gamma = self._coefficients.gamma
        opening = self._sums(int(sizes.sum()) + 1, np.array([len(sizes)]))[1]
        return np.append(np.log(sizes + gamma), math.log(gamma) + opening)

    def log_normaliser(self, n_points: int) -> float:
        """Return −ln γ V_N(1), since the first cluster is opened with weight 1."""
        n_points = whole_number("n_points", n_points)
        return -math.log(self._coefficients.gamma) - self._log_totals(n_points, np.array([1]))[0]

    def quick_log_probability(self, sizes: IntArray) -> float:
        """Return the log probability (nats) of sizes (K,) by one sum over the number of components."""
        total = self._log_totals(int(sizes.sum()), np.array([len(sizes)]))[0]
        return float(total + kernels.log_weight_of_sizes(self._coefficients.gamma, np.asarray(sizes, np.int64)))

    def log_probabilities_of(self, name: str, sizes: IntArray) -> Callable[[float], float]:
        """Return the log probability of sizes (K,) as a function of γ."""
        return varied(self, name, lambda tried: tried.quick_log_probability(sizes))

    def operations_to_learn(self, n_points: int) -> float:
        """Seven sums, and the table of the next sweep."""
        return 3e5 + 3e4 * min(n_points, 2000)

    def mean_n_clusters_up_to(self, n_points: int) -> FloatArray:
        """E[K_m] for m = 0 … N: each point adds the probability that its component has none of those before it."""
        return _means(self, whole_number("n_points", n_points)).copy()

    def log_pmf_n_clusters(self, n_points: int) -> FloatArray:
        """Ln V_N(t) S_N(t), where S_N(t) sums Π γ (γ + 1) … (γ + |c| − 1) over all partitions into t clusters."""
        return _log_pmf_n_clusters(self, whole_number("n_points", n_points))

    def sample(self, n_points: int, random_state: RandomState = None) -> IntArray:
        """Draw a number of components, and seat all points among these."""
        n_points, generator = whole_number("n_points", n_points), as_generator(random_state)
        gamma, n_components = self._coefficients.gamma, as_component_law(self.n_components).draw(generator)
        empty = np.maximum(n_components - np.arange(n_points + 1.0), 0.0)
        log_open = np.full(n_points + 1, -np.inf)
        np.log(gamma * empty, out=log_open, where=empty > 0)
        labels = np.empty(n_points, np.int64)
        seat_customers(self.join_table(n_points), log_open, generator.random(n_points), labels)
        return labels

    def sample_weights(self, n_weights: int, random_state: RandomState = None, sizes: Sequence[int] = ()) -> FloatArray:
        """Draw the number of components given the seated customers, then break the stick of so many components."""
        n_weights, generator = whole_number("n_weights", n_weights), as_generator(random_state)
        seated = seated_customers(sizes)
        require(len(seated) <= n_weights, "sizes", sizes, f"at most n_weights = {n_weights}", "Draw more weights.")
        n_components = self._draw_components(seated, generator)
        gamma = self._coefficients.gamma
        most = int(min(n_weights, n_components))
        shares = break_stick(gamma * n_components, -gamma, most, seated, generator)
        return np.append(shares, np.zeros(n_weights - most))

    @property
    def _coefficients(self) -> _Coefficients:
        gamma = min(max(self.gamma, SMALLEST_WEIGHT), LARGEST_WEIGHT)
        return _Coefficients(gamma, _law_coefficients(self.n_components))

    def _log_totals(self, n_points: int, clusters: IntArray) -> FloatArray:
        """Ln V_N(t) for some t."""
        return self._sums(n_points, clusters)[0]

    def _sums(self, n_points: int, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
        """Ln V_N(t), and ln V_N(t + 1) / V_N(t), for some t."""
        log_totals, log_openings = np.empty(len(clusters)), np.empty(len(clusters))
        components, log_terms = np.empty(MOST_PLACES), np.empty(MOST_PLACES)
        complete = kernels.fill_openings(
            n_points, *self._coefficients, _rules(), clusters, components, log_terms, log_totals, log_openings
        )
        self._require(complete)
        return log_totals, log_openings

    def _require(self, complete: bool) -> None:
        if not complete:
            bound = "a narrower law, or gamma larger: the sum over numbers of components needs too many terms"
            raise refused("n_components", self.n_components, bound)

    def _draw_components(self, sizes: list[int], random_state: np.random.Generator) -> float:
        """Draw the number of components given seated customers, by inversion in growing pieces."""
        if not sizes:
            return as_component_law(self.n_components).draw(random_state)
        n_points, gamma, law = sum(sizes), *self._coefficients
        log_total = self._log_totals(n_points, np.array([len(sizes)]))[0]
        left, first, length = random_state.random(), len(sizes), 1000
        while True:
            log_terms = np.empty(length)
            kernels.fill_log_terms(len(sizes), n_points, gamma, law, first, log_terms)
            cumulative = np.cumsum(np.exp(log_terms - log_total))
            if left < cumulative[-1] or first > MOST_SCANNED:
                place = int(np.searchsorted(cumulative, left, side="right"))
                return float(first + min(place, length - 1))
            left, first, length = left - cumulative[-1], first + length, 2 * length


@cache
def _rules() -> kernels.Quadrature:
    return kernels.quadrature_rules()


@lru_cache(maxsize=64)
def _law_coefficients(n_components: str) -> FloatArray:
    return as_component_law(n_components).coefficients()


@lru_cache(maxsize=8)
def _open_table(prior: MixtureOfFiniteMixtures, n_points: int) -> FloatArray:
    table = np.full(n_points + 1, -np.inf)
    table[0] = 0.0
    waiting = [(1, min(SUMMED, n_points - 1)), (SUMMED + 1, n_points - 1)]
    while waiting:
        first, last = waiting.pop()
        values = _openings_between(prior, n_points, first, last)
        if values is None:
            middle = (first + last) // 2
            waiting += [(first, middle), (middle + 1, last)]
        else:
            table[first : last + 1] = math.log(prior._coefficients.gamma) + values
    return table


def _openings_between(prior: MixtureOfFiniteMixtures, n_points: int, first: int, last: int) -> FloatArray | None:
    """Ln V_N(t + 1) / V_N(t) for a range of t; None if a polynomial through some of them misses others in it."""
    clusters = np.arange(first, last + 1)
    if len(clusters) <= SUMMED:
        return prior._sums(n_points, clusters)[1]

    def some(places: FloatArray) -> tuple[FloatArray, FloatArray]:
        chosen = np.unique(np.round((first + last) / 2 + (last - first) / 2 * np.cos(np.pi * places)).astype(np.int64))
        return (2 * chosen - first - last) / (last - first), prior._sums(n_points, chosen)[1]

    nodes, values = some((np.arange(N_NODES) + 0.5) / N_NODES)
    polynomial = chebyshev.chebfit(nodes, values, len(nodes) - 1)
    checks, exact = some(np.arange(N_NODES + 1) / N_NODES)
    tolerance = max(TOLERANCE, ROUNDING * math.lgamma(n_points))
    if np.abs(chebyshev.chebval(checks, polynomial) - exact).max() > tolerance:
        return None
    return np.asarray(chebyshev.chebval((2 * clusters - first - last) / (last - first), polynomial))


@lru_cache(maxsize=8)
def _means(prior: MixtureOfFiniteMixtures, n_points: int) -> FloatArray:
    gamma, law = prior._coefficients
    components, log_terms = np.empty(MOST_PLACES), np.empty(MOST_PLACES)
    spread = min(gamma + 1, 50.0)  # of ln (1 + m/γk)^(γ + 1) wherever that is below 50
    reach = (1 + 1 / gamma) * n_points
    filled = kernels.fill_components(0, 0, gamma, law, 0.0, spread, reach, _rules(), components, log_terms)
    prior._require(filled >= 0)
    chances = np.empty(n_points)
    kernels.fill_chances_of_opening(gamma, components[:filled], np.exp(log_terms[:filled]), chances)
    chances[0] = 1.0
    return np.concatenate(([0.0], np.cumsum(chances)))


@lru_cache(maxsize=32)
def _log_pmf_n_clusters(prior: MixtureOfFiniteMixtures, n_points: int) -> FloatArray:
    gamma, law = prior._coefficients
    most = min(n_points, _most_components(law))
    bound = f"smaller: the exact law of K for {prior} needs more than {MAX_TERMS:,} terms"
    require(n_points * most <= MAX_TERMS, "n_points", n_points, bound, "Use the mean, or draws from the prior.")
    log_numbers = np.empty(most + 1)
    kernels.fill_log_numbers(n_points, gamma, log_numbers)
    log_openings = np.cumsum(_open_table(prior, n_points)[:most], dtype=np.longdouble).astype(np.float64)
    log_law = log_openings - prior.log_normaliser(n_points) - np.arange(1, most + 1) * math.log(gamma) + log_numbers[1:]
    log_pmf = np.full(n_points + 1, -np.inf)
    log_pmf[1 : most + 1] = np.where(log_law > math.log(SMALLEST_PROBABILITY), log_law, -np.inf)
    log_pmf.setflags(write=False)
    return log_pmf


def _most_components(law: FloatArray) -> int:
    """Return a number of components beyond which there is less than ``SMALLEST_PROBABILITY``, or a huge one."""
    most = max(64, int(law[5]))
    while most < MAX_TERMS:
        log_tail = kernels.log_probability_of_components(law, float(most)) + math.log(10.0 * most)
        if log_tail < math.log(SMALLEST_PROBABILITY):
            break
        most *= 2
    return most
