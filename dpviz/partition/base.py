"""The interface of partition priors, and their registry."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray, IntArray, RandomState
from dpviz.errors import InvalidParameterError, TraceFormatError, require, require_free
from dpviz.numerics.sums import cumulated
from dpviz.parameters import Parameter
from dpviz.partition._kernels import seat_customers
from dpviz.partition.hyperpriors import Hyperprior
from dpviz.text import quoted

MAX_TERMS = 50_000 * 50_001 // 2  # the full recursion for 50,000 points, several seconds; longer recursions are refused

MOST_SEATED = 2_000
"""Most customers who are seated one by one if the tables depend on their number: the time grows with its square."""

PARTITION_PRIORS: dict[str, type[PartitionPrior]] = {}
"""Every partition prior by its ``name``."""

PriorClass = TypeVar("PriorClass", bound="type[PartitionPrior]")
Prior = TypeVar("Prior", bound="PartitionPrior")


def real_number(parameter: str, value: object, bound: str = "a finite number") -> float:
    """Return ``value`` as a float, or raise ``InvalidParameterError`` unless it is one finite number."""
    number = math.nan
    if type(value) is float:  # checks of abstract classes are slow
        number = value
    elif isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):  # a huge integer
            number = float(value)
    require(abs(number) < 1e300, parameter, value, bound)  # so that sums over a million points stay finite
    return number


def whole_number(parameter: str, value: object) -> int:
    """Return ``value`` as an int, or raise an error unless it is a whole number from 1 to ten million."""
    is_integer = type(value) is int or isinstance(value, Integral) and not isinstance(value, bool)
    # The upper bound keeps a table of that many entries within memory.
    require(is_integer and 1 <= value <= 10**7, parameter, value, "a whole number from 1 to 10,000,000")  # type: ignore[operator]
    return int(value)  # type: ignore[call-overload]


def seated_customers(sizes: Sequence[int]) -> list[int]:
    """Return the sizes of tables as ints, or raise an error unless they are whole numbers of at least 1."""
    wanted = "a sequence of whole numbers, table by table"
    flat = isinstance(sizes, Sequence) or (isinstance(sizes, np.ndarray) and sizes.ndim == 1)
    require(flat and not isinstance(sizes, str), "sizes", sizes, wanted)
    return [whole_number(f"sizes[{index}]", size) for index, size in enumerate(sizes)]


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator: the given one, or a new one seeded from the integer or RandomState (None: from entropy)."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(int(random_state.randint(2**32, dtype=np.uint32)))
    is_seed = isinstance(random_state, Integral) and not isinstance(random_state, bool) and random_state >= 0
    bound = "None, an integer >= 0, a RandomState or a Generator"
    require(random_state is None or is_seed, "random_state", random_state, bound)
    return np.random.default_rng(random_state)


def varied(prior: Prior, name: str, evaluate: Callable[[Prior], float]) -> Callable[[float], float]:
    """Return what evaluates a prior at any value of one parameter, without checking it each time."""
    tried = object.__new__(type(prior))  # copy.copy takes ten times as long
    tried.__dict__.update(prior.__dict__)

    def evaluate_at(value: float) -> float:
        object.__setattr__(tried, name, value)
        return evaluate(tried)

    return evaluate_at


def register(prior_class: PriorClass) -> PriorClass:
    """Add a prior to :data:`PARTITION_PRIORS`; a name that another class has raises InvalidParameterError."""
    require_free("partition prior", prior_class.name, PARTITION_PRIORS.get(prior_class.name), prior_class)
    PARTITION_PRIORS[prior_class.name] = prior_class
    return prior_class


@dataclass(frozen=True)
class PartitionPrior(ABC):
    """A prior over partitions of N points, given by the weights of joining and of opening a cluster.

    Given K clusters of the N − 1 others, a point joins one of size n with a weight that depends only on n, or opens a
    new one with a weight that depends only on K. The probability of a partition with sizes N_1..N_K at fixed N is

        p(z) = Π_{k<K} open(k) · Π_k Π_{j=1}^{N_k − 1} join(j) / Z_N,

    which is exchangeable and has exactly these weights as its full conditionals.

    Attributes
    ----------
    name, title : str
        Key in :data:`PARTITION_PRIORS`, and the display name.
    parameters : tuple of Parameter
    explanation : str
        What its title does not say, in a plain sentence; may be empty.
    consistent : bool
        Whether leaving a point out of N gives the law at N − 1. Seating customers one by one then draws from the law at
        fixed N, and the clusters have weights in the long run (Kingman 1978); otherwise the two notions differ.
    constant_tables : bool
        Whether the tables are the same at every N, as far as they reach. Customers are then seated one by one with
        those at N; otherwise the next customer after n has those at n + 1.
    most_points_learned : float
        Most points for which chains learn its parameters: its law is evaluated several times per sweep for each.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    explanation: ClassVar[str] = ""
    consistent: ClassVar[bool] = False
    constant_tables: ClassVar[bool] = False
    most_points_learned: ClassVar[float] = math.inf

    @classmethod
    @abstractmethod
    def example(cls) -> Self:
        """Return a prior with parameters far from the defaults, for tests and for compiling."""

    def reduced(self) -> PartitionPrior:
        """Return the simplest prior that gives every partition the same probability: itself by default."""
        return self

    @abstractmethod
    def join_table(self, n_points: int) -> FloatArray:
        """Log weights of joining a cluster.

        Parameters
        ----------
        n_points : int
            Number of points N, at least 1.

        Returns
        -------
        ndarray of shape (n_points + 1,), float64
            Entry n: ln weight (nats) of joining a cluster of ``n`` *other* points; entry 0 is −inf.
        """

    @abstractmethod
    def open_table(self, n_points: int) -> FloatArray:
        """Log weights of opening a cluster.

        Parameters
        ----------
        n_points : int
            Number of points N, at least 1.

        Returns
        -------
        ndarray of shape (n_points + 1,), float64
            Entry K: ln weight (nats) of opening one when the *other* points form ``K`` clusters.
        """

    @abstractmethod
    def log_normaliser(self, n_points: int) -> float:
        """Ln Z_N (nats): log sum over all partitions of N points of the products of weights.

        Raises
        ------
        InvalidParameterError
            If the exact value would need too long a recursion.
        """

    @abstractmethod
    def mean_n_clusters_up_to(self, n_points: int) -> FloatArray:
        """Exact E[K_m] for m = 0..N, each under the law at fixed m.

        Returns
        -------
        ndarray of shape (n_points + 1,), float64

        Raises
        ------
        InvalidParameterError
            If the exact values would need too long a recursion.
        """

    @abstractmethod
    def log_pmf_n_clusters(self, n_points: int) -> FloatArray:
        """Exact law of the number of clusters.

        Returns
        -------
        ndarray of shape (n_points + 1,), float64, read-only
            Entry k: ln p(K = k) in nats; −inf where it is impossible (k = 0 always) or below 1e-30.

        Raises
        ------
        InvalidParameterError
            If the exact law would need too long a recursion.
        """

    @abstractmethod
    def sample(self, n_points: int, random_state: RandomState = None) -> IntArray:
        """Draw a partition exactly from the law at fixed N.

        Parameters
        ----------
        n_points : int
            Number of points N, at least 1.
        random_state : None, int, RandomState or Generator
            Seed or generator of the random numbers.

        Returns
        -------
        ndarray of shape (n_points,), int64
            Labels 0, 1, … in the order of first appearance.
        """

    def _check_parameters(self) -> None:
        """Check every number against its description, and keep it as int or float."""
        for parameter in self.parameters:
            if parameter.has_control:
                object.__setattr__(self, parameter.name, parameter.check(getattr(self, parameter.name)))

    def block_table(self, n_points: int) -> FloatArray:
        """Log weight of a whole cluster, so that ln p(z) = Σ_k block[N_k] + Σ_{k<K} open[k] − ln Z_N.

        Returns
        -------
        ndarray of shape (n_points + 1,), float64
            Entry n: Σ_{j=1}^{n−1} of the join table, in nats; entries 0 and 1 are 0.
        """
        return cumulated(self.join_table(n_points))

    def log_probability(self, sizes: ArrayLike) -> float:
        """Exact log prior probability of one partition with these cluster sizes.

        Parameters
        ----------
        sizes : array_like of int, shape (K,)
            Number of points of each cluster, all at least 1, in any order.

        Returns
        -------
        float
            ln p(z) in nats; −inf if the prior does not allow that many clusters.

        Raises
        ------
        InvalidParameterError
            If ``sizes`` are not positive integers, or the normaliser would need too long a recursion.
        """
        given = list(sizes) if isinstance(sizes, Iterable) else []
        require(len(given) > 0, "sizes", sizes, "a 1-D sequence of at least one integer >= 1")
        counts = np.array([whole_number(f"sizes[{index}]", size) for index, size in enumerate(given)])
        n_points = whole_number("the sum of sizes", counts.sum())
        blocks = self.block_table(n_points)[counts].sum()
        openings = self.open_table(n_points)[: counts.size].sum()
        return float(blocks + openings - self.log_normaliser(n_points))

    def quick_log_probability(self, sizes: IntArray) -> float:
        """Return :meth:`log_probability` (nats) of valid sizes (K,), as fast as possible.

        Closed forms of ln Γ lose digits where parameters exceed a million or so.
        """
        return self.log_probability(sizes)

    def log_probabilities_of(self, name: str, sizes: IntArray) -> Callable[[float], float]:
        """Return :meth:`quick_log_probability` of sizes (K,) as a function of one parameter, the others fixed.

        Slices evaluate it about seven times per draw, with values inside the bounds.
        """
        return lambda value: self.with_values({name: value}).quick_log_probability(sizes)

    @property
    def learnable(self) -> dict[str, Parameter]:
        """The parameters that a chain can learn, by name: real numbers."""
        return {p.name: p for p in self.parameters if p.number and not p.integer and not p.choices}

    def with_values(self, values: Mapping[str, float | str]) -> Self:
        """Return the prior with some of its parameters changed."""
        return replace(self, **values)

    def draw_given(
        self, name: str, law: Hyperprior, sizes: IntArray, random_state: np.random.Generator
    ) -> float | None:
        """Draw a parameter given a partition with these sizes (K,), if that can be done exactly; else None."""
        return None

    def operations_to_learn(self, n_points: int) -> float:
        """Estimate the arithmetic operations of drawing one parameter given a partition of N points.

        A slice evaluates :meth:`quick_log_probability` about seven times.
        """
        return 8e4

    def mean_n_clusters(self, n_points: int) -> float:
        """Exact expected number of clusters of N points.

        Raises
        ------
        InvalidParameterError
            If the exact value would need too long a recursion.
        """
        return float(self.mean_n_clusters_up_to(n_points)[-1])

    def sample_sequential_seating(self, n_points: int, random_state: RandomState = None) -> IntArray:
        """Draw a partition by seating customers one by one with the weights among those already seated.

        For the powered and generalised restaurants this is *not* the law at fixed N that :meth:`sample` draws from: it
        depends on the order of the points (Lu, Li & Dunson 2018, eq. 2 read as a sequence). For priors that are
        :attr:`consistent` the two agree.

        Parameters
        ----------
        n_points : int
            Number of points N, at least 1.
        random_state : None, int, RandomState or Generator
            Seed or generator of the random numbers.

        Returns
        -------
        ndarray of shape (n_points,), int64
            Labels 0, 1, … in the order of first appearance.

        Raises
        ------
        InvalidParameterError
            If each of more than 2,000 customers needs tables of its own.
        """
        n_points = whole_number("n_points", n_points)
        if self.constant_tables:
            labels = np.empty(n_points, np.int64)
            uniforms = as_generator(random_state).random(n_points)
            seat_customers(self.join_table(n_points), self.open_table(n_points), uniforms, labels)
            return labels
        if self.consistent:
            return self.sample(n_points, random_state)
        bound = f"at most {MOST_SEATED:,}: under {self.title} every customer has tables of weights of its own"
        require(n_points <= MOST_SEATED, "n_points", n_points, bound, "Draw at fixed N instead.")
        return self._seat_one_by_one(as_generator(random_state).random(n_points))

    def _seat_one_by_one(self, uniforms: FloatArray) -> IntArray:
        """Seat each customer with the tables of the law at its number."""
        labels = np.zeros(len(uniforms), np.int64)
        for customer in range(1, len(uniforms)):
            cumulative = np.cumsum(self.seat_probabilities(np.bincount(labels[:customer])))
            labels[customer] = np.searchsorted(cumulative, uniforms[customer] * cumulative[-1], side="right")
        return labels

    def seat_probabilities(self, sizes: ArrayLike) -> FloatArray:
        """Probabilities of the next customer's table when customers are seated one by one.

        After n customers they are a conditional of the law at n + 1, and of that at any larger N only if the prior is
        :attr:`consistent`.

        Parameters
        ----------
        sizes : array_like of int, shape (K,)
            Customers at each table, all at least 1; none before the first customer.

        Returns
        -------
        ndarray of shape (K + 1,), float64
            Probability of each table, and last that of a new one.

        Raises
        ------
        InvalidParameterError
            If ``sizes`` are not positive integers.
        """
        given = list(sizes) if isinstance(sizes, Iterable) else [sizes]
        counts = np.array([whole_number(f"sizes[{index}]", size) for index, size in enumerate(given)], dtype=np.int64)
        if counts.size == 0:
            return np.ones(1)
        log_weights = self.log_seat_weights(counts)
        weights = np.exp(log_weights - log_weights.max())
        return np.asarray(weights / weights.sum())

    def log_seat_weights(self, sizes: IntArray) -> FloatArray:
        """Log weights (K + 1,) of one more point: in clusters of valid sizes (K,), and last in a new one.

        They are those of the law at one point more. Constant tables are asked for at the points that there are, as
        they may reach no further.
        """
        n_points = int(sizes.sum())
        reach = n_points if self.constant_tables else n_points + 1
        return np.append(self.join_table(reach)[sizes], self.open_table(reach)[len(sizes)])

    def sample_weights(self, n_weights: int, random_state: RandomState = None, sizes: Sequence[int] = ()) -> FloatArray:
        """Draw the shares that the tables have after infinitely many customers, in the order they were opened.

        Parameters
        ----------
        n_weights : int
            Number of shares to break off the stick, at least the number of ``sizes``.
        random_state : None, int, RandomState or Generator
            Seed or generator of the random numbers.
        sizes : sequence of int, optional
            Customers already seated, table by table in the order of opening; without any, before the first customer.

        Returns
        -------
        ndarray of shape (n_weights,), float64
            The share of all further tables is 1 minus their sum.

        Raises
        ------
        InvalidParameterError
            If the prior is not :attr:`consistent`, or numbers are out of range.
        """
        raise InvalidParameterError(
            f"{self.title} has no weights: its laws at different numbers of points do not follow from one another. "
            f"Use one of {', '.join(prior.title for prior in PARTITION_PRIORS.values() if prior.consistent)}."
        )

    def most_clusters(self, n_points: int) -> int:
        """Return the most clusters that a partition of N points can have."""
        return n_points

    def describe(self, laws: Mapping[str, str] = MappingProxyType({})) -> str:
        """Name the parameters that have controls, with their symbols and values, or with laws where these are given."""
        said = []
        for p in self.parameters:
            if p.name in laws or p.reads is not None:
                said.append(f"{p.symbol} ~ {laws.get(p.name, getattr(self, p.name))}")
            elif p.number:
                said.append(f"{p.symbol} = {getattr(self, p.name):.4g}")
        return ", ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """Return the prior as JSON-able values: its ``kind`` and its parameters.

        Raises
        ------
        InvalidParameterError
            If a parameter is a function, which cannot be stored.
        """
        values: dict[str, Any] = {"kind": self.name}
        for field in fields(self):
            value = getattr(self, field.name)
            advice = "Give the values ln g(1), ln g(2), … as a tuple instead."
            require(not callable(value), field.name, value, "storable; a function is not", advice)
            values[field.name] = list(value) if isinstance(value, tuple) else value
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> PartitionPrior:
        """Rebuild a prior from the result of :meth:`to_dict`.

        Raises
        ------
        TraceFormatError
            If the kind is unknown, or a parameter is missing or does not belong to it.
        InvalidParameterError
            If a parameter is out of range.
        """
        kind = values.get("kind") if isinstance(values, Mapping) else None
        if not isinstance(kind, str) or kind not in PARTITION_PRIORS:
            known = ", ".join(PARTITION_PRIORS)
            raise TraceFormatError(f"A partition prior needs a kind among {known}; got {quoted(kind)}.")
        prior_class = PARTITION_PRIORS[kind]
        given = {name: value for name, value in values.items() if name != "kind"}
        expected = {field.name for field in fields(prior_class)}
        if set(given) != expected:
            shown = quoted(sorted(map(str, given)))
            raise TraceFormatError(f"The partition prior {quoted(kind)} takes {sorted(expected)}; got {shown}.")
        return prior_class(**given)
