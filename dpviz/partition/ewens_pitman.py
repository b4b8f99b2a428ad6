"""Priors whose sequential seating is exchangeable: the two-parameter family of Ewens and Pitman.

With concentration N0 and discount d, a customer joins a table of n with weight n − d and opens one beside K others with
weight N0 + dK; the weights sum to N0 + m. The Chinese restaurant has d = 0, the finite Dirichlet mixture
d = −N0 / K_max.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpviz.arrays import FloatArray, IntArray, RandomState
from dpviz.errors import require
from dpviz.numerics.stream import stream_of
from dpviz.parameters import LARGEST_NUMBER, Parameter
from dpviz.partition._kernels import (
    Restaurant,
    fill_seating_law,
    join_table_of,
    log_normaliser_of,
    log_probability_of,
    means_of,
    open_table_of,
)
from dpviz.partition._learning_kernels import draw_concentration
from dpviz.partition.base import (
    MAX_TERMS,
    PartitionPrior,
    as_generator,
    real_number,
    register,
    seated_customers,
    varied,
    whole_number,
)
from dpviz.partition.hyperpriors import Gamma, Hyperprior

NO_GROWTH = np.empty(0)
"""In place of a growth function."""
CONCENTRATION = Parameter(
    name="concentration",
    symbol="N0",
    explanation="How readily a point opens a new cluster: it counts like this many points.",
    default=3.0,
    lower=0.0,
    log=True,
    explore=(0.01, 100.0),
    hyperprior="gamma(1,0.3)",
)


@dataclass(frozen=True)
class _EwensPitman(PartitionPrior):
    consistent: ClassVar[bool] = True
    constant_tables: ClassVar[bool] = True

    @abstractmethod
    def _two_parameters(self) -> tuple[float, float]:
        """Return the concentration N0 and the discount d."""

    def _n_components(self) -> int:
        """Return the number of components, 0 if there are infinitely many."""
        return 0

    def restaurant(self) -> Restaurant:
        """Return the prior as kernels take it."""
        return Restaurant(*self._two_parameters(), self._n_components(), NO_GROWTH, False, 0)

    def join_table(self, n_points: int) -> FloatArray:
        return join_table_of(self.restaurant(), whole_number("n_points", n_points))

    def open_table(self, n_points: int) -> FloatArray:
        return open_table_of(self.restaurant(), whole_number("n_points", n_points))

    def log_normaliser(self, n_points: int) -> float:
        return float(log_normaliser_of(self.restaurant(), whole_number("n_points", n_points)))

    def quick_log_probability(self, sizes: IntArray) -> float:
        return float(log_probability_of(self.restaurant(), sizes))

    def log_probabilities_of(self, name: str, sizes: IntArray) -> Callable[[float], float]:
        return varied(self, name, lambda tried: tried.quick_log_probability(sizes))

    def mean_n_clusters_up_to(self, n_points: int) -> FloatArray:
        return means_of(self.restaurant(), whole_number("n_points", n_points))

    def log_pmf_n_clusters(self, n_points: int) -> FloatArray:
        return _log_pmf_n_clusters(self, whole_number("n_points", n_points))

    def sample(self, n_points: int, random_state: RandomState = None) -> IntArray:
        return self.sample_sequential_seating(n_points, random_state)

    def sample_weights(self, n_weights: int, random_state: RandomState = None, sizes: Sequence[int] = ()) -> FloatArray:
        """Break a stick: piece k takes Beta(1 − d, N0 + d k) of what is left (Pitman 1996; CRP: Sethuraman 1994).

        Given seated customers, table k of size n_k takes Beta(n_k − d, N0 + d k + those at later tables).
        """
        n_weights = whole_number("n_weights", n_weights)
        seated = seated_customers(sizes)
        most = self.most_clusters(n_weights)
        bound = f"at most n_weights = {n_weights} and at most {most} sizes"
        require(len(seated) <= most, "sizes", sizes, bound, "Draw more weights.")
        shares = break_stick(*self._two_parameters(), most, seated, as_generator(random_state))
        return np.append(shares, np.zeros(n_weights - most))


def break_stick(
    concentration: float, discount: float, n_weights: int, seated: Sequence[int], random_state: np.random.Generator
) -> FloatArray:
    """Draw the shares (n_weights,) of tables in the order of opening, given those seated at the first ones.

    A negative discount is that of −N0/d components, and ``n_weights`` is at most their number.
    """
    counts = np.array([*seated, *[0] * (n_weights - len(seated))], dtype=np.float64)
    later = np.append(np.cumsum(counts[::-1])[::-1][1:], 0.0)
    taken = np.where(counts > 0, counts, 1.0) - discount
    left = concentration + discount * np.arange(1, n_weights + 1) + later
    shares = np.ones(n_weights)  # the last of finitely many components takes all the rest
    open_ended = left > 1e-12 * concentration if discount < 0 else np.full(n_weights, True)
    shares[open_ended] = random_state.beta(taken[open_ended], left[open_ended])
    remaining = np.append(1.0, np.cumprod(1 - shares)[:-1])
    return np.asarray(shares * remaining)


@lru_cache(maxsize=32)
def _log_pmf_n_clusters(prior: _EwensPitman, n_points: int) -> FloatArray:
    law = np.zeros(n_points + 1)
    complete = fill_seating_law(*prior._two_parameters(), prior.most_clusters(n_points), MAX_TERMS, law)
    bound = f"smaller: the exact law of K for {prior} needs more than {MAX_TERMS:,} terms"
    require(complete, "n_points", n_points, bound, "Use the mean, or draws from the prior.")
    log_pmf = np.full(n_points + 1, -np.inf)
    np.log(law, out=log_pmf, where=law > 0)
    log_pmf.setflags(write=False)
    return log_pmf


@register
@dataclass(frozen=True)
class ChineseRestaurant(_EwensPitman):
    """The Chinese restaurant process: join with weight n, open with weight N0 (Raykov et al. 2014, eqs. 1, 2).

    Parameters
    ----------
    concentration : float
        N0 > 0, the prior count of a new cluster.

    Raises
    ------
    InvalidParameterError
        If ``concentration`` is not a finite number > 0.
    """

    concentration: float

    name: ClassVar[str] = "chinese_restaurant"
    title: ClassVar[str] = "Chinese restaurant"
    parameters: ClassVar[tuple[Parameter, ...]] = (CONCENTRATION,)

    def __post_init__(self) -> None:
        """Validate."""
        self._check_parameters()

    @classmethod
    def example(cls) -> ChineseRestaurant:
        """Return a restaurant that opens tables readily."""
        return cls(1.2)

    def _two_parameters(self) -> tuple[float, float]:
        return self.concentration, 0.0

    def draw_given(
        self, name: str, law: Hyperprior, sizes: IntArray, random_state: np.random.Generator
    ) -> float | None:
        """Draw N0 under a Gamma(a, b) by Escobar & West's auxiliary variable (1995); None under others."""
        if not isinstance(law, Gamma):
            return None
        with stream_of(random_state) as stream:
            return draw_concentration(self.concentration, law.numbers, sizes, stream)


@register
@dataclass(frozen=True)
class PitmanYor(_EwensPitman):
    """The Pitman–Yor process: join with weight n − d, open besides K others with weight N0 + dK.

    Parameters
    ----------
    concentration : float
        N0 > −d.
    discount : float
        0 <= d < 1; above 0 the number of clusters grows like N^d.

    Raises
    ------
    InvalidParameterError
        If a parameter is not a finite number in its range.
    """

    concentration: float
    discount: float

    name: ClassVar[str] = "pitman_yor"
    title: ClassVar[str] = "Pitman–Yor"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(CONCENTRATION, lower=-1.0),  # below −discount, which is checked together with the discount
        Parameter(
            name="discount",
            symbol="d",
            explanation="Weight taken from every cluster and given to new ones: many small clusters appear.",
            default=0.25,
            lower=0.0,
            lower_allowed=True,
            upper=1.0,
            upper_allowed=False,
            explore=(0.0, 0.9),
            hyperprior="beta(1,3)",
        ),
    )

    def __post_init__(self) -> None:
        """Validate."""
        discount = self.parameters[1].check(self.discount)
        concentration = self.concentration
        if type(concentration) is not float or not -discount < concentration < LARGEST_NUMBER:  # the message takes long
            bound = f"a finite number > -discount = {-discount:g}"
            concentration = real_number("concentration", self.concentration, bound)
            require(concentration > -discount, "concentration", self.concentration, bound)
        object.__setattr__(self, "discount", discount)
        object.__setattr__(self, "concentration", concentration)

    def reduced(self) -> PartitionPrior:
        """Return the Chinese restaurant at d = 0."""
        return ChineseRestaurant(self.concentration) if self.discount == 0 else self

    @classmethod
    def example(cls) -> PitmanYor:
        """Return a process with many small clusters."""
        return cls(1.2, 0.25)

    def _two_parameters(self) -> tuple[float, float]:
        return self.concentration, self.discount


@register
@dataclass(frozen=True)
class FiniteDirichlet(_EwensPitman):
    """A mixture of K_max components with Dirichlet(α/K_max, …) weights, integrated out (Paisley's lecture, eq. 11).

    A point joins a cluster with weight n + γ and takes one of the K_max − K empty components with weight
    γ (K_max − K), where γ = α / K_max.

    Parameters
    ----------
    concentration : float
        N0 > 0, the sum α of the Dirichlet parameters.
    n_components : int
        K_max >= 1; more clusters than this have probability 0.

    Raises
    ------
    InvalidParameterError
        If a parameter is not a finite number in its range.
    """

    concentration: float
    n_components: int

    name: ClassVar[str] = "finite_dirichlet"
    title: ClassVar[str] = "Finite Dirichlet mixture"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="concentration",
            symbol="N0",
            explanation="Sum of the Dirichlet parameters: small values leave components empty.",
            default=3.0,
            lower=0.0,
            log=True,
            explore=(0.01, 100.0),
            hyperprior="gamma(1,0.3)",
        ),
        Parameter(
            name="n_components",
            symbol="K_max",
            title="Most clusters possible",
            explanation="Number of components; no partition has more clusters.",
            default=10,
            lower=1,
            lower_allowed=True,
            upper=10**7,  # a table of that many entries fits in memory
            integer=True,
            explore=(1, 50),
        ),
    )

    def __post_init__(self) -> None:
        """Validate."""
        self._check_parameters()

    @classmethod
    def example(cls) -> FiniteDirichlet:
        """Return a mixture of few components."""
        return cls(1.2, 4)

    def _two_parameters(self) -> tuple[float, float]:
        return self.concentration, -self.concentration / self.n_components

    def _n_components(self) -> int:
        return self.n_components

    def most_clusters(self, n_points: int) -> int:
        """Return the most clusters that a partition of N points can have."""
        return min(n_points, self.n_components)
