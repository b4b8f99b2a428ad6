"""The specification of an algorithm, which estimators, pages, command line, grids and exports read.

A new algorithm is one module with a subclass of :class:`Algorithm`, registered by :func:`register`. Pages omit what it
does not define (a density, an explanation, slow motion), with a message.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.description import METHODS, REGISTERED, Method, described
from dpviz.engine.algorithms.plan import Plan
from dpviz.engine.initialise import StartKind
from dpviz.engine.moment_shapes import SizedShapes
from dpviz.engine.moves import Moves, Score
from dpviz.engine.options import OPTIONS
from dpviz.engine.position import Position
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.engine.visits import SlowMotion
from dpviz.errors import InvalidParameterError, require, require_free
from dpviz.words import say

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ALGORITHMS",
    "METHODS",
    "Algorithm",
    "Fitted",
    "Method",
    "Refusal",
    "Resumable",
    "Stepper",
    "algorithm_named",
    "algorithm_of",
    "describe",
    "method_of",
    "register",
    "require_minimiser",
]


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


class Algorithm(Plan):
    """The specification of an algorithm.

    Its class variables are those of :class:`~dpviz.engine.algorithms.description.Description`; what it says of a
    configuration is in :class:`~dpviz.engine.algorithms.plan.Plan`.
    """

    # --- running ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> Stepper:
        """Begin one start."""

    # --- reading a finished run ---------------------------------------------------------------------------------------

    def fitted(self, problem: Problem, trace: Trace) -> Fitted:
        """Return the result in a form that predicts further points; unless overridden, one that refuses them."""
        return Refusal(self.name)

    def scores_of_places(self, problem: Problem, labels: IntArray, X: FloatArray) -> FloatArray | None:
        """Score (n, K) of each row of X (n, D) in each cluster of ``labels`` (N,), the best of which takes it; or None.

        For algorithms without a model, whose regions are drawn behind the points; for others the model says it. A
        column more than there are clusters is the score of a new one.
        """
        return None

    def scored_again(self, problem: Problem, trace: Trace, row: int) -> Score | None:
        """Compute labels and costs of a recorded row from the data, by which stored runs are checked; or None.

        Where the row holds the labels alone, their costs.
        """
        return None

    def explain(self, problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
        """Explain a point's assignment at a recorded row, as :func:`dpviz.explain_assignment` returns it.

        Raises
        ------
        InvalidParameterError
            If the algorithm does not explain assignments.
        """
        raise InvalidParameterError(f"algorithm = {self.name!r} does not explain single assignments.")

    def slow_motion(self, problem: Problem, trace: Trace, sweep: int) -> SlowMotion:
        """Replay one sweep; called only if :meth:`why_no_slow_motion` is empty."""
        raise InvalidParameterError(self.why_no_slow_motion(trace.config))

    def shapes(self, problem: Problem, trace: Trace, rows: IntArray) -> list[SizedShapes]:
        """Shapes of all clusters at each of the recorded rows; an empty list if nothing is drawn."""
        return []


ALGORITHMS = cast("dict[str, Algorithm]", REGISTERED)
"""Every algorithm by its ``name``: :func:`register` adds only whole ones."""

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
        start in starts,
        f"defaults['init'] of {algorithm.name}",
        start,
        f"one of its starts, which are {starts}",
        "Runs that ask for no other start have this one.",
    )
    drawn = set(starts) <= {"kmeans++", "random"}
    require(
        drawn or not algorithm.cluster_count,
        f"starts of {algorithm.name}",
        starts,
        "among 'kmeans++' and 'random'",
        f"Other starts have numbers of clusters of their own, and {algorithm.cluster_count} would not be heeded.",
    )
    unbounded = [option.name for option in algorithm.options if option.needs_typical]
    require(
        not unbounded or algorithm.typical is not Algorithm.typical,
        f"options of {algorithm.name}",
        unbounded,
        "ones with a range worth exploring",
        "Give each an explore=(low, high), or the algorithm a typical() that suggests values from the data.",
    )
    own = {option.name for option in algorithm.options if option.name not in OPTIONS}
    misplaced = [name for options in algorithm.example() for name in options if name in own]
    require(
        not misplaced,
        f"example() of {algorithm.name}",
        misplaced,
        "options of RunConfig",
        "Its own are one of these: {'options': {name: value}}.",
    )


def algorithm_named(name: object) -> Algorithm:
    """Look an algorithm up.

    Raises
    ------
    InvalidParameterError
        For an unknown name; the message lists the known ones.
    """
    return ALGORITHMS[described(name).name]


def algorithm_of(problem: Problem) -> Algorithm:
    """Return the algorithm that a problem is to be solved by."""
    return ALGORITHMS[problem.config.algorithm]


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
    """Title of a run, in the language of this process: method, main parameters, how far it is coarsened, seed."""
    algorithm, alpha = ALGORITHMS[config.algorithm], config.coarsening
    coarsened = "" if alpha is None or not algorithm.uses_model else say("run.coarsened", alpha=f"{alpha:.4g}")
    parts = (method_of(config).called, algorithm.describe(config), coarsened, say("run.seed", seed=config.seed))
    return " · ".join(part for part in parts if part)
