"""A partition prior from outside: every partition of K clusters is equally likely, and each cluster counts a factor.

With p(z) = w^K / T_N(w) the normaliser is a Touchard polynomial, at w = 1 the number of all partitions (Bell's), and
T_N = w Σ_n C(N − 1, n − 1) T_{N−n} by the size n of the first point's cluster (Mansour & Schork 2015, Sec. 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, logsumexp

from dpviz.arrays import FloatArray, IntArray, RandomState
from dpviz.errors import require
from dpviz.parameters import Parameter
from dpviz.partition import PartitionPrior, register
from dpviz.partition.base import as_generator, whole_number

MOST_POINTS = 5_000
"""The recursions take a time that grows with the square of the number of points."""


@register
@dataclass(frozen=True)
class ToyPartitions(PartitionPrior):
    """The law p(z) ∝ w^K: sizes do not matter, numbers do.

    Parameters
    ----------
    openness : float
        w > 0, the factor of every cluster; at 1 all partitions are equally likely.

    Raises
    ------
    InvalidParameterError
        If ``openness`` is not a finite number > 0.
    """

    openness: float

    name: ClassVar[str] = "toy_partitions"
    title: ClassVar[str] = "Toy partitions (all alike)"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="openness",
            symbol="w",
            explanation="Factor of every cluster: 1 makes all partitions equally likely, less makes clusters fewer.",
            default=0.01,
            lower=0.0,
            log=True,
            explore=(1e-6, 10.0),
        ),
    )
    constant_tables: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate."""
        self._check_parameters()

    @classmethod
    def example(cls) -> ToyPartitions:
        """Return a prior that likes few clusters."""
        return cls(0.2)

    def join_table(self, n_points: int) -> FloatArray:
        """All clusters attract alike."""
        table = np.zeros(whole_number("n_points", n_points) + 1)
        table[0] = -np.inf
        return table

    def open_table(self, n_points: int) -> FloatArray:
        """A new cluster weighs w."""
        return np.full(whole_number("n_points", n_points) + 1, np.log(self.openness))

    def log_normaliser(self, n_points: int) -> float:
        """Ln T_N(w) (nats)."""
        return float(_touchard(self.openness, _checked(n_points))[0][-1])

    def mean_n_clusters_up_to(self, n_points: int) -> FloatArray:
        """E[K_m] for m = 0 … N: one cluster, and those of the points that are not in it."""
        return _touchard(self.openness, _checked(n_points))[1].copy()

    def log_pmf_n_clusters(self, n_points: int) -> FloatArray:
        """Ln S(N, k) w^k / T_N, with the Stirling numbers S of the second kind."""
        return _log_pmf(self.openness, _checked(n_points))

    def sample(self, n_points: int, random_state: RandomState = None) -> IntArray:
        """Draw the size of the first free point's cluster, then its other members, and so on."""
        n_points, generator = _checked(n_points), as_generator(random_state)
        log_totals = _touchard(self.openness, n_points)[0]
        labels, free = np.empty(n_points, dtype=np.int64), np.arange(n_points)
        label = 0
        while len(free):
            terms = _log_terms(self.openness, len(free), log_totals)
            size = 1 + generator.choice(len(free), p=np.exp(terms - logsumexp(terms)))
            chosen = np.append(0, 1 + generator.choice(len(free) - 1, size - 1, replace=False))
            labels[free[chosen]] = label
            free, label = np.delete(free, chosen), label + 1
        return labels


def _checked(n_points: int) -> int:
    number = whole_number("n_points", n_points)
    require(number <= MOST_POINTS, "n_points", number, f"at most {MOST_POINTS:,} for toy_partitions")
    return number


def _log_terms(openness: float, m: int, log_totals: FloatArray) -> FloatArray:
    """Ln of w C(m − 1, n − 1) T_{m−n} for n = 1 … m."""
    n = np.arange(1, m + 1)
    log_choices = gammaln(m) - gammaln(n) - gammaln(m - n + 1)
    return np.asarray(np.log(openness) + log_choices + log_totals[m - n])


@lru_cache(maxsize=16)
def _touchard(openness: float, n_points: int) -> tuple[FloatArray, FloatArray]:
    """Ln T_m and E[K_m] for m = 0 … N."""
    log_totals, means = np.zeros(n_points + 1), np.zeros(n_points + 1)
    for m in range(1, n_points + 1):
        terms = _log_terms(openness, m, log_totals)
        log_totals[m] = np.logaddexp.reduce(terms)
        means[m] = 1 + np.exp(terms - log_totals[m]) @ means[m - np.arange(1, m + 1)]
    return log_totals, means


@lru_cache(maxsize=16)
def _log_pmf(openness: float, n_points: int) -> FloatArray:
    """Ln p(K = k): row N of the Stirling numbers by S(m, k) = k S(m − 1, k) + S(m − 1, k − 1)."""
    k = np.arange(1, n_points + 1)
    log_stirling = np.full(n_points + 1, -np.inf)
    log_stirling[0] = 0.0
    for _ in range(n_points):
        log_stirling[1:] = np.logaddexp(np.log(k) + log_stirling[1:], log_stirling[:-1])
        log_stirling[0] = -np.inf
    log_pmf = log_stirling + np.arange(n_points + 1) * np.log(openness)
    log_pmf -= logsumexp(log_pmf)
    log_pmf[log_pmf < np.log(1e-30)] = -np.inf
    log_pmf.setflags(write=False)
    return log_pmf
