"""Gnedin's partition prior from outside: finitely many clusters of infinitely many points, their number unknown.

After n customers at k tables the next joins one of size m with weight m + 1 and opens one with weight
k (k − γ) / (n − k + γ), which depends on n (Gnedin 2010, "A species sampling model with finitely many types").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from dpviz.arrays import FloatArray, IntArray, RandomState
from dpviz.errors import require
from dpviz.parameters import Parameter
from dpviz.partition import PartitionPrior, register
from dpviz.partition.base import as_generator, whole_number
from dpviz.partition.ewens_pitman import break_stick

MOST_TYPES = 10**6
"""Numbers of types given seated customers end here."""


@register
@dataclass(frozen=True)
class Gnedin(PartitionPrior):
    """The law p(z) = (K − 1)! (1 − γ)_{K−1} (γ)_{N−K} / ((N − 1)! (1 + γ)_{N−1}) Π N_k!.

    Parameters
    ----------
    chance_of_one : float
        γ, 0 < γ < 1: the probability that there is a single type.

    Raises
    ------
    InvalidParameterError
        If ``chance_of_one`` is not such a number.
    """

    chance_of_one: float

    name: ClassVar[str] = "gnedin"
    title: ClassVar[str] = "Gnedin"
    explanation: ClassVar[str] = "There are finitely many types, but on average infinitely many."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="chance_of_one",
            symbol="γ",
            explanation="Probability that there is a single type: small values make many.",
            default=0.5,
            lower=0.0,
            upper=1.0,
            upper_allowed=False,
            explore=(0.05, 0.95),
            hyperprior="beta(2,2)",
        ),
    )
    consistent: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate."""
        self._check_parameters()

    @classmethod
    def example(cls) -> Gnedin:
        """Return a prior of several types."""
        return cls(0.3)

    def join_table(self, n_points: int) -> FloatArray:
        """Return ln(m + 1)."""
        table = np.log(np.arange(1.0, whole_number("n_points", n_points) + 2))
        table[0] = -np.inf
        return table

    def open_table(self, n_points: int) -> FloatArray:
        """Return ln k (k − γ) / (n − k + γ) for n = N − 1; 0 at k = 0, and −inf at k = N."""
        k = np.arange(1.0, whole_number("n_points", n_points))
        opened = np.log(k * (k - self.chance_of_one) / (n_points - 1 - k + self.chance_of_one))
        return np.concatenate(([0.0], opened, [-np.inf]))

    def log_normaliser(self, n_points: int) -> float:
        """Return ln (N − 1)! (γ + N − 1) / γ."""
        n_points = whole_number("n_points", n_points)
        return float(gammaln(n_points) + np.log(self.chance_of_one + n_points - 1) - np.log(self.chance_of_one))

    def mean_n_clusters_up_to(self, n_points: int) -> FloatArray:
        """Return m! / (1 + γ)_{m−1} for m = 0 … N."""
        m = np.arange(1.0, whole_number("n_points", n_points) + 1)
        means = np.exp(gammaln(m + 1) - gammaln(self.chance_of_one + m) + gammaln(1 + self.chance_of_one))
        return np.concatenate(([0.0], means))

    def log_pmf_n_clusters(self, n_points: int) -> FloatArray:
        """Ln C(N − 1, k − 1) (N / k) … : partitions into k blocks, each weighed by the factorials of its sizes."""
        n = whole_number("n_points", n_points)
        k = np.arange(1.0, n + 1)
        ways = gammaln(n) - gammaln(k) - gammaln(n - k + 1) + np.log(n / k)
        opened = gammaln(k - self.chance_of_one) - gammaln(1 - self.chance_of_one)
        joined = gammaln(n - k + self.chance_of_one) - gammaln(self.chance_of_one)
        log_pmf = np.append(
            -np.inf, ways + opened + joined - gammaln(n + self.chance_of_one) + gammaln(1 + self.chance_of_one)
        )
        log_pmf[log_pmf < np.log(1e-30)] = -np.inf
        log_pmf.setflags(write=False)
        return log_pmf

    def sample(self, n_points: int, random_state: RandomState = None) -> IntArray:
        """Seat one customer after the other."""
        uniforms = as_generator(random_state).random(whole_number("n_points", n_points))
        labels, sizes = np.zeros(len(uniforms), dtype=np.int64), np.zeros(len(uniforms) + 1)
        sizes[0] = k = 1
        for n in range(1, len(uniforms)):
            weights = np.append(sizes[:k] + 1, k * (k - self.chance_of_one) / (n - k + self.chance_of_one))
            cumulative = np.cumsum(weights)
            labels[n] = np.searchsorted(cumulative, uniforms[n] * cumulative[-1], side="right")
            sizes[labels[n]] += 1
            k = max(k, labels[n] + 1)
        return labels

    def sample_weights(self, n_weights: int, random_state: RandomState = None, sizes: Sequence[int] = ()) -> FloatArray:
        """Draw the number of types given the seated customers; given it, weights are Dirichlet(1, …, 1)."""
        n_weights, rng = whole_number("n_weights", n_weights), as_generator(random_state)
        seated = [whole_number(f"sizes[{index}]", size) for index, size in enumerate(sizes)]
        require(len(seated) <= n_weights, "sizes", sizes, f"at most n_weights = {n_weights}", "Draw more weights.")
        k = np.arange(max(len(seated), 1), MOST_TYPES + 1.0)
        n_types = gammaln(k - self.chance_of_one) - gammaln(k - len(seated) + 1) + gammaln(k) - gammaln(k + sum(seated))
        cumulative = np.cumsum(np.exp(n_types - n_types.max()))
        drawn = k[min(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"), len(k) - 1)]
        most = int(min(n_weights, drawn))
        return np.append(break_stick(drawn, -1.0, most, seated, rng), np.zeros(n_weights - most))
