"""The specification of an algorithm, which estimators, pages, command line, grids and exports read.

A new algorithm is one module with a subclass of :class:`Algorithm`, registered by :func:`register`. Pages omit what it
does not define (a density, an explanation, slow motion), with a message.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.moves import Moves, Score
from dpviz.engine.options import OPTIONS
from dpviz.engine.position import Position
from dpviz.errors import InvalidParameterError, require, require_free
from dpviz.parameters import Parameter

if TYPE_CHECKING:  # these modules need the registry below
    import pandas as pd

    from dpviz.config import RunConfig
    from dpviz.engine.initialise import StartKind
    from dpviz.engine.problem import Problem
    from dpviz.engine.shapes import SizedShapes
    from dpviz.engine.slow_motion import SlowMotion
    from dpviz.engine.trace import Trace


class Stepper(Protocol):
    """One start of one algorithm, advanced a sweep at a time."""

    def score(self) -> Score:
        """Score the present state."""
        ...

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """Do sweep number ``sweep`` (from 1); return its counts, and whether the start has converged."""
        ...


class Resumable(Stepper, Protocol):
    """A start that can continue an earlier run of the same start."""

    def go_on_from(self, position: Position) -> None:
        """Restore clusters, learned hyperparameters and the state of the random numbers."""
        ...


class Fitted(Protocol):
    """A finished run that predicts new points."""

    def predict(self, X: FloatArray) -> IntArray:
        """Cluster (n,) of each row of X (n, D) in the labels of the result; −1 for a new one."""
        ...

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats, n) of each row of X (n, D); only for algorithms with a density."""
        ...


@dataclass(frozen=True)
class Refusal:
    """A finished run of an algorithm that cannot predict new points."""

    algorithm: str

    def predict(self, X: FloatArray) -> IntArray:
        """Raise ``InvalidParameterError``."""
        raise InvalidParameterError(f"algorithm = {self.algorithm!r} says nothing of points that it has not seen.")

    def log_density(self, X: FloatArray) -> FloatArray:
        """Raise ``InvalidParameterError``."""
        raise InvalidParameterError(f"algorithm = {self.algorithm!r} has no density for points that it has not seen.")


@dataclass(frozen=True)
class Method:
    """An algorithm as people choose it: itself, or with one partition prior that makes it another method.

    Attributes
    ----------
    name, title, explanation : str
    algorithm : str
    partition : str
        Name of its partition prior; empty if any is allowed.
    partition_defaults : mapping of str to float
        Initial values of the prior's parameters, if not their own defaults.
    """

    name: str
    title: str
    explanation: str
    algorithm: str
    partition: str = ""
    partition_defaults: Mapping[str, float] = field(default_factory=dict)


class Algorithm(ABC):
    """The specification of an algorithm.

    Attributes
    ----------
    name, title, explanation : str
        Key in ``ALGORITHMS``, display name, and one or two sentences on what it does.
    options : tuple of Parameter
        All its options, in the order controls show them; those that are not fields of ``RunConfig`` are kept in its
        ``options``.
    main : tuple of str
        Names of the options that are its own parameters rather than those of the search for the result.
    starts : tuple of str
        Kinds of start that ``init`` may name.
    defaults : mapping
        Defaults of ``init``, ``n_init``, ``max_sweeps``, ``order`` and ``temperature``, for None in the configuration.
    page_defaults : mapping
        Initial values on the pages instead.
    uses_model : bool
        Whether it has a component family and a partition prior.
    has_nll, has_density : bool
        Whether its states have an exact joint probability, and its results a density for further points.
    learns : bool
        Whether its runs may draw hyperparameters of the partition prior (``hyperpriors``).
    is_chain : bool
        Whether it draws states and never converges: the result is then the kept draw of lowest nll.
    cluster_count : str
        The option that fixes the number of clusters; empty if there is none.
    takes_centres : bool
        Whether ``init`` may be an array of centres (K, D).
    objective, unit : str
        Name of its objective, and the unit of the costs in explanations.
    costs : tuple of (str, str), optional
        Names of the two costs of a candidate, geometry and weight; None if assignments cannot be explained.
    costs_in_words : str
        Their meaning, and which candidate wins.
    shape_meanings : tuple of (str, str)
        Meaning of the inner and the outer ellipse of a cluster.
    variants : tuple of Method
        Further methods that are this algorithm with a certain partition prior.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    explanation: ClassVar[str]
    options: ClassVar[tuple[Parameter, ...]] = ()
    main: ClassVar[tuple[str, ...]] = ()
    starts: ClassVar[tuple[str, ...]]
    defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    page_defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    uses_model: ClassVar[bool] = False
    has_nll: ClassVar[bool] = False
    has_density: ClassVar[bool] = False
    learns: ClassVar[bool] = False
    is_chain: ClassVar[bool] = False
    cluster_count: ClassVar[str] = ""
    takes_centres: ClassVar[bool] = False
    objective: ClassVar[str] = "Objective"
    unit: ClassVar[str] = "nats"
    costs: ClassVar[tuple[str, str] | None] = None
    costs_in_words: ClassVar[str] = ""
    shape_meanings: ClassVar[tuple[str, str]] = ("holds 50 % of a cluster", "holds 95 % of a cluster")
    variants: ClassVar[tuple[Method, ...]] = ()

    @property
    def minimises_nll(self) -> bool:
        """Whether its runs end in a local optimum, where no single move lowers the nll."""
        return self.has_nll and not self.is_chain

    @property
    def has_bic(self) -> bool:
        """Whether its number of clusters can be chosen by an information criterion."""
        return bool(self.cluster_count) and type(self).bic is not Algorithm.bic

    # --- what a configuration means -----------------------------------------------------------------------------------

    def check_config(self, config: RunConfig) -> None:  # noqa: B027  (most have nothing to add)
        """Raise if options contradict each other."""

    def check_problem(self, problem: Problem) -> None:  # noqa: B027
        """Raise if data and configuration do not fit together."""

    def has_option(self, name: str) -> bool:
        """Whether it has an option of this name."""
        return any(option.name == name for option in self.options)

    def applies(self, option: str, chosen: Mapping[str, Any]) -> bool:
        """Whether an option has any effect given the other chosen options (``init`` and ``partition`` among them)."""
        return option != "init_clusters" or chosen.get("init") in ("kmeans++", "random")

    def choices(self, option: Parameter, chosen: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the allowed values of an option given the other chosen options."""
        return option.values

    def n_sweeps(self, config: RunConfig) -> int:
        """Return the most sweeps of a start."""
        return config.max_sweeps or 0

    def keeps_labels(self, config: RunConfig, sweep: int) -> bool:
        """Whether a sweep's labels are recorded."""
        return True

    def n_recorded(self, config: RunConfig) -> int:
        """Return the most sweeps whose labels are recorded, without the initial state."""
        return self.n_sweeps(config)

    def can_go_on(self, config: RunConfig) -> bool:
        """Whether further sweeps depend only on clusters and random numbers, so that a run can be resumed."""
        return False

    def improves(self, config: RunConfig) -> bool:
        """Whether a search by changes of whole clusters follows the restarts."""
        return False

    def typical(self, option: str, X: FloatArray) -> float | None:
        """Return the data's (N, D) suggestion for an option; None if there is none."""
        return None

    # --- running ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> Stepper:
        """Begin one start."""

    def expected_clusters(self, config: RunConfig, n_points: int) -> float:
        """Estimate the number of clusters that a point is compared with, from the configuration."""
        return float(max(config.option(self.cluster_count), 3)) if self.cluster_count else 6.0

    def clusters_on(self, config: RunConfig, X: FloatArray) -> float:
        """Estimate the number of clusters that a point of X (N, D) is compared with, from a quick look at the data."""
        return self.expected_clusters(config, len(X))

    def expected_sweeps(self, config: RunConfig) -> float:
        """Estimate the sweeps of a run, all starts together; errs on the high side."""
        return float(min(self.n_sweeps(config), 25) * (config.n_init or 1))

    def sweep_operations(self, config: RunConfig, n_points: int, n_features: int, n_clusters: float) -> float:
        """Estimate the arithmetic operations of a sweep that compares every point with K clusters."""
        return float(n_points * n_features * n_clusters * 8)

    def operations(self, config: RunConfig, n_points: int, n_features: int) -> float:
        """Estimate the arithmetic operations of a whole run."""
        n_clusters = self.expected_clusters(config, n_points)
        return self.sweep_operations(config, n_points, n_features, n_clusters) * self.expected_sweeps(config)

    # --- reading a finished run ---------------------------------------------------------------------------------------

    def fitted(self, problem: Problem, trace: Trace) -> Fitted:
        """Return the result in a form that predicts further points; unless overridden, one that refuses them."""
        return Refusal(self.name)

    def explain(self, problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
        """Explain a point's assignment at a recorded row, as :func:`dpviz.explain_assignment` returns it.

        Raises
        ------
        InvalidParameterError
            If the algorithm does not explain assignments.
        """
        raise InvalidParameterError(f"algorithm = {self.name!r} does not explain single assignments.")

    def why_no_slow_motion(self, config: RunConfig) -> str:
        """Say why sweeps cannot be replayed visit by visit, as a sentence; empty if they can."""
        return f"{self.title} updates all points together; there are no single visits to replay."

    def slow_motion(self, problem: Problem, trace: Trace, sweep: int) -> SlowMotion:
        """Replay one sweep; called only if :meth:`why_no_slow_motion` is empty."""
        raise InvalidParameterError(self.why_no_slow_motion(trace.config))

    def shapes(self, problem: Problem, trace: Trace, rows: IntArray) -> list[SizedShapes]:
        """Shapes of all clusters at each of the recorded rows; an empty list if nothing is drawn."""
        return []

    def bic(self, config: RunConfig, sizes: IntArray, objective: float, n_features: int) -> float:
        """Bayesian information criterion of a result; lower is better, NaN where it is undefined.

        Raises
        ------
        InvalidParameterError
            If the algorithm has no number of clusters to choose.
        """
        raise InvalidParameterError(f"algorithm = {self.name!r} has no number of clusters to choose by BIC.")

    # --- words and examples -------------------------------------------------------------------------------------------

    def describe(self, config: RunConfig) -> str:
        """Name the main parameters with their values, e.g. ``K = 3``."""
        own = {option.name: option for option in self.options}
        shown = [(own[name], config.option(name)) for name in self.main if name in own]
        numbers = [(option.symbol or option.words, value) for option, value in shown if not isinstance(value, str)]
        return ", ".join(f"{symbol} = {value:.4g}" for symbol, value in numbers)

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return options of short runs that use every kernel of the algorithm, for tests and for compiling.

        They are keyword arguments of ``RunConfig``; options of the algorithm's own are within ``options``.
        """
        return ({},)


ALGORITHMS: dict[str, Algorithm] = {}
"""Every algorithm by its ``name``."""
METHODS: dict[str, Method] = {}
"""Every method that people choose from, by its ``name``."""

AlgorithmClass = TypeVar("AlgorithmClass", bound=type[Algorithm])


def register(algorithm: AlgorithmClass) -> AlgorithmClass:
    """Add an algorithm to :data:`ALGORITHMS`, and it and its variants to :data:`METHODS`.

    Raises
    ------
    InvalidParameterError
        If another class has its name, or its description contradicts itself.
    """
    _check_description(algorithm)
    ALGORITHMS[algorithm.name] = algorithm()
    own = Method(algorithm.name, algorithm.title, algorithm.explanation, algorithm.name)
    METHODS.update({method.name: method for method in (own, *algorithm.variants)})
    return algorithm


def _check_description(algorithm: type[Algorithm]) -> None:
    """Raise for what would fail much later, on a page or the command line."""
    present = ALGORITHMS.get(algorithm.name)
    require_free("algorithm", algorithm.name, type(present) if present else None, algorithm)
    start = algorithm.defaults.get("init")
    starts = getattr(algorithm, "starts", ())
    require(
        start in starts, f"defaults['init'] of {algorithm.name}", start, f"one of its starts, which are {starts}",
        "Runs that ask for no other start have this one.",
    )  # fmt: skip
    drawn = set(starts) <= {"kmeans++", "random"}
    require(
        drawn or not algorithm.cluster_count, f"starts of {algorithm.name}", starts, "among 'kmeans++' and 'random'",
        f"Other starts have numbers of clusters of their own, and {algorithm.cluster_count} would not be heeded.",
    )  # fmt: skip
    unbounded = [option.name for option in algorithm.options if option.needs_typical]
    require(
        not unbounded or algorithm.typical is not Algorithm.typical, f"options of {algorithm.name}", unbounded,
        "ones with a range worth exploring",
        "Give each an explore=(low, high), or the algorithm a typical() that suggests values from the data.",
    )  # fmt: skip
    own = {option.name for option in algorithm.options if option.name not in OPTIONS}
    misplaced = [name for options in algorithm.example() for name in options if name in own]
    require(
        not misplaced, f"example() of {algorithm.name}", misplaced, "options of RunConfig",
        "Its own are one of these: {'options': {name: value}}.",
    )  # fmt: skip


def algorithm_named(name: object) -> Algorithm:
    """Look an algorithm up.

    Raises
    ------
    InvalidParameterError
        For an unknown name; the message lists the known ones.
    """
    known = isinstance(name, str) and name in ALGORITHMS
    require(known, "algorithm", name, f"one of {', '.join(ALGORITHMS)}")
    return ALGORITHMS[str(name)]


def require_minimiser(config: RunConfig) -> None:
    """Raise InvalidParameterError unless the configuration's algorithm minimises the nll."""
    found = [name for name, algorithm in ALGORITHMS.items() if algorithm.minimises_nll]
    require(config.algorithm in found, "algorithm", config.algorithm, f"one of {', '.join(found)}")


def method_of(config: RunConfig) -> Method:
    """Return the method that a configuration belongs to."""
    prior = "" if config.partition is None else config.partition.name
    for variant in ALGORITHMS[config.algorithm].variants:
        if variant.partition == prior:
            return variant
    return METHODS[config.algorithm]


def describe(config: RunConfig) -> str:
    """Title of a run: method, main parameters, seed."""
    parts = (method_of(config).title, ALGORITHMS[config.algorithm].describe(config), f"seed {config.seed}")
    return " · ".join(part for part in parts if part)
