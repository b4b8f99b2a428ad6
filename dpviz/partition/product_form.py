"""Restaurants with a growth function g of the cluster size, as exact laws at fixed N.

The full conditionals g(N_k) : α of Lu, Li & Dunson (2018, eqs. 2 and 3) belong to the joint law p(z) = Π w(N_k) / Z_N,
w(n) = α Π_{j<n} g(j), Z_0 = 1 and Z_m = Σ_{n=1..m} C(m−1, n−1) w(n) Z_{m−n}.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray, RandomState
from dpviz.errors import refused, require
from dpviz.numerics.special import log_gamma, log_gammas
from dpviz.parameters import Parameter
from dpviz.partition._kernels import (
    Restaurant,
    draw_blocks,
    fill_n_clusters_laws,
    log_probability_of,
    powered_join_table,
    rising_log_products,
    solution_of,
)
from dpviz.partition.base import (
    MAX_TERMS,
    PartitionPrior,
    as_generator,
    real_number,
    register,
    varied,
    whole_number,
)
from dpviz.partition.ewens_pitman import ChineseRestaurant

MAX_POINTS = 50_000
MAX_POINTS_LAW = 10_000
SMALLEST_PROBABILITY = 1e-30
"""The law of K ends here: products of terms that its recursion drops can be this large."""

MAX_POINTS_LEARNED = 3000
"""Up to this many points a chain learns its parameters: ln Z then takes 25 ms at most (r near 1; quadratic in N), and
a sweep asks for it about seven times for each parameter."""

CONCENTRATION = replace(ChineseRestaurant.parameters[0], default=1.0, hyperprior="gamma(1,1)")


class _Solution(NamedTuple):
    """Z_m / m! and E[K_m] for m = 0..N, and w(n) / Γ(n); the arrays stay writable, as kernels are compiled for that."""

    log_blocks: FloatArray
    log_normalisers: FloatArray
    means: FloatArray


@dataclass(frozen=True)
class _ProductForm(PartitionPrior):
    concentration: float

    constant_tables: ClassVar[bool] = True
    most_points_learned: ClassVar[float] = MAX_POINTS_LEARNED

    @abstractmethod
    def _log_growth(self, sizes: IntArray) -> FloatArray:
        """Return ln g at the sizes 1..N."""

    def _is_two_ended(self) -> bool:
        """Whether the terms of the recursion are large near n = 1 and n = m only."""
        return False

    def restaurant(self, n_points: int) -> Restaurant:
        """Return the prior as kernels take it, for N points."""
        return Restaurant(self.concentration, 0.0, 0, self.join_table(n_points), self._is_two_ended(), MAX_TERMS)

    def join_table(self, n_points: int) -> FloatArray:
        n_points = whole_number("n_points", n_points)
        return np.concatenate(([-np.inf], self._log_growth(np.arange(1, n_points + 1))))

    def open_table(self, n_points: int) -> FloatArray:
        return np.full(whole_number("n_points", n_points) + 1, np.log(self.concentration))

    def log_normaliser(self, n_points: int) -> float:
        n_points = whole_number("n_points", n_points)
        return float(self._solve(n_points).log_normalisers[-1] + log_gamma(n_points + 1.0))

    def quick_log_probability(self, sizes: IntArray) -> float:
        n_points = int(sizes.sum())
        found = log_probability_of(self.restaurant(n_points), sizes)
        if math.isnan(found):
            raise _too_long(self, n_points)
        return found

    def log_probabilities_of(self, name: str, sizes: IntArray) -> Callable[[float], float]:
        return varied(self, name, lambda tried: tried.quick_log_probability(sizes))

    def operations_to_learn(self, n_points: int) -> float:
        return 7 * (float(n_points) ** 2 + 4e4)

    def mean_n_clusters_up_to(self, n_points: int) -> FloatArray:
        return self._solve(whole_number("n_points", n_points)).means.copy()

    def log_pmf_n_clusters(self, n_points: int) -> FloatArray:
        return self._log_pmf(whole_number("n_points", n_points))

    def sample(self, n_points: int, random_state: RandomState = None) -> IntArray:
        n_points = whole_number("n_points", n_points)
        solution = self._solve(n_points)
        labels = np.empty(n_points, np.int64)
        uniforms = as_generator(random_state).random(n_points)
        draw_blocks(solution.log_blocks, solution.log_normalisers, uniforms, labels)
        return labels

    def _solve(self, n_points: int) -> _Solution:
        return _solve(self, n_points)

    def _log_pmf(self, n_points: int) -> FloatArray:
        return _log_pmf_n_clusters(self, n_points)


_ADVICE = "Use fewer points, or a prior whose normaliser has a closed form."


@lru_cache(maxsize=16)
def _solve(prior: _ProductForm, n_points: int) -> _Solution:
    if not prior._is_two_ended() and n_points > MAX_POINTS:
        raise refused("n_points", n_points, f"at most {MAX_POINTS:,} for {prior}", _ADVICE)
    *solution, complete = solution_of(prior.restaurant(n_points))
    if not complete:
        raise _too_long(prior, n_points)
    return _Solution(*solution)


def _too_long(prior: _ProductForm, n_points: int) -> Exception:
    bound = f"smaller: the exact normaliser for {prior} needs more than {MAX_TERMS:,} terms"
    return refused("n_points", n_points, bound, _ADVICE)


@lru_cache(maxsize=32)
def _log_pmf_n_clusters(prior: _ProductForm, n_points: int) -> FloatArray:
    bound = f"at most {MAX_POINTS_LAW:,} for the exact law of K under {prior}"
    require(n_points <= MAX_POINTS_LAW, "n_points", n_points, bound, "Use the mean, or draws from the prior.")
    solution = _solve(prior, n_points)
    mean = solution.means[-1]
    width = min(n_points, int(mean + 10 * np.sqrt(mean) + 20))
    while True:
        laws = np.zeros((n_points + 1, width + 1))
        fill_n_clusters_laws(solution.log_blocks, solution.log_normalisers, laws)
        law = laws[-1]
        if width == n_points or (law[-1] <= SMALLEST_PROBABILITY and 1 - law.sum() < 1e-13):
            break
        width = min(n_points, width + width // 2)
    log_pmf = np.full(n_points + 1, -np.inf)
    np.log(law, out=log_pmf[: width + 1], where=law > SMALLEST_PROBABILITY)
    log_pmf.setflags(write=False)
    return log_pmf


@register
@dataclass(frozen=True)
class PoweredChineseRestaurant(_ProductForm):
    """The powered Chinese restaurant: join with weight n^r, open with weight α (Lu, Li & Dunson 2018, eq. 2).

    Parameters
    ----------
    concentration : float
        N0 > 0; α in the paper.
    power : float
        r > 0; above 1 small clusters are discouraged, at 1 this is the Chinese restaurant.

    Raises
    ------
    InvalidParameterError
        If a parameter is not a finite number > 0.
    """

    power: float

    name: ClassVar[str] = "powered"
    title: ClassVar[str] = "Powered Chinese restaurant"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        CONCENTRATION,
        Parameter(
            name="power",
            symbol="r",
            explanation="Power of the cluster size: above 1 large clusters attract more, small ones vanish.",
            default=1.1,
            lower=0.0,
            explore=(0.5, 2.0),
            hyperprior="1+gamma(1,10)",
        ),
    )

    def __post_init__(self) -> None:
        """Validate."""
        self._check_parameters()

    @classmethod
    def example(cls) -> PoweredChineseRestaurant:
        """Return a restaurant that shrinks small clusters."""
        return cls(1.2, 1.5)

    def reduced(self) -> PartitionPrior:
        """Return the Chinese restaurant at r = 1."""
        return ChineseRestaurant(self.concentration) if self.power == 1 else self

    def restaurant(self, n_points: int) -> Restaurant:
        """Return the prior as kernels take it, for N points; at r = 1 that is the Chinese restaurant."""
        if self.power == 1:
            return ChineseRestaurant(self.concentration).restaurant()
        return super().restaurant(n_points)

    def _log_growth(self, sizes: IntArray) -> FloatArray:
        return powered_join_table(self.power, len(sizes))[1:]

    def _is_two_ended(self) -> bool:
        return self.power > 1

    def _solve(self, n_points: int) -> _Solution:
        if self.power != 1:
            return super()._solve(n_points)
        log_normalisers = rising_log_products(self.concentration, n_points) - log_gammas(np.arange(1.0, n_points + 2))
        means = ChineseRestaurant(self.concentration).mean_n_clusters_up_to(n_points)
        return _Solution(np.full(n_points + 1, np.log(self.concentration)), log_normalisers, means)

    def _log_pmf(self, n_points: int) -> FloatArray:
        if self.power != 1:
            return super()._log_pmf(n_points)
        return ChineseRestaurant(self.concentration).log_pmf_n_clusters(n_points)


def log_size_times_log(sizes: IntArray) -> FloatArray:
    """Ln g(n) for g(n) = n (1 + ln n), a growth just faster than the Chinese restaurant's."""
    log_sizes = np.log(sizes)
    return np.asarray(log_sizes + np.log1p(log_sizes))


@register
@dataclass(frozen=True)
class GeneralizedChineseRestaurant(_ProductForm):
    """The generalised Chinese restaurant: join with weight g(n), open with weight α (Lu, Li & Dunson 2018, eq. 3).

    Parameters
    ----------
    concentration : float
        N0 > 0; α in the paper.
    log_g : callable or sequence of float
        ln g: a vectorised function of an integer array of sizes n >= 1, or the values ln g(1), ln g(2), … (at least as
        many as there are points). g must be finite and must never decrease; g(0) = 0 is understood. Checked when a
        table is filled.

    Raises
    ------
    InvalidParameterError
        If ``concentration`` is not a finite number > 0, or ``log_g`` neither a hashable function nor numbers.
    """

    log_g: Callable[[IntArray], Any] | tuple[float, ...]

    name: ClassVar[str] = "generalized"
    title: ClassVar[str] = "Generalised Chinese restaurant"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        CONCENTRATION,
        Parameter(
            name="log_g",
            symbol="ln g",
            explanation="Log weight of joining a cluster of n points, as a function of n that never decreases.",
            default=log_size_times_log,
            number=False,
        ),
    )

    def __post_init__(self) -> None:
        """Validate what does not depend on the number of points."""
        self._check_parameters()
        bound = "a hashable function of n, or a sequence of the numbers ln g(1), ln g(2), …"
        if callable(self.log_g):
            require(isinstance(self.log_g, Hashable), "log_g", self.log_g, bound)
            return
        require(isinstance(self.log_g, Iterable) and not isinstance(self.log_g, str | dict), "log_g", self.log_g, bound)
        values = tuple(real_number(f"log_g[{index}]", value) for index, value in enumerate(self.log_g))
        require(len(values) > 0, "log_g", self.log_g, bound)
        object.__setattr__(self, "log_g", values)

    @classmethod
    def example(cls) -> GeneralizedChineseRestaurant:
        """Return a restaurant whose weights grow faster than the size, for up to 60 points."""
        sizes = np.arange(1, 61)
        return cls(1.2, tuple(np.log(sizes + 0.3 * sizes**2).tolist()))

    def _log_growth(self, sizes: IntArray) -> FloatArray:
        if callable(self.log_g):
            values = np.array(self.log_g(sizes), dtype=np.float64)
            bound = f"a vectorised function; for {sizes.size} sizes it returned an array of shape {values.shape}"
            require(values.shape == sizes.shape, "log_g", self.log_g, bound)
        else:
            bound = f"at least as long as there are points ({sizes.size}); it has {len(self.log_g)} values"
            require(len(self.log_g) >= sizes.size, "log_g", self.log_g, bound)
            values = np.array(self.log_g[: sizes.size])
        _check_growth(values)
        return values


def _check_growth(values: FloatArray) -> None:
    unusable = np.flatnonzero(~(np.abs(values) < 1e300))
    if unusable.size:
        raise refused(f"log_g at n = {unusable[0] + 1}", float(values[unusable[0]]), "finite")
    wobble = 1e-12 * np.maximum(1, np.abs(values[1:]))  # rounding of a flat g
    falls = np.flatnonzero(np.diff(values) < -wobble)
    if falls.size:
        n = int(falls[0]) + 1
        bound = f"non-decreasing in n; ln g({n}) = {values[n - 1]:g} is larger"
        raise refused(f"log_g at n = {n + 1}", float(values[n]), bound)
