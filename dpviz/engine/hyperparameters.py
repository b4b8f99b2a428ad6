"""Chains that learn the hyperparameters of their partition prior: drawn after every sweep, given the partition.

The data depend on a hyperparameter θ through the partition alone: p(θ | z, X) ∝ p(θ) p(z | θ), which the sizes of the
clusters determine. The concentration of a Chinese restaurant under a gamma law is drawn by Escobar and West's auxiliary
variable (1995, eqs. 13, 14); every other parameter by a slice (Neal 2003, figs. 3 and 5) in a free coordinate of its
law, with the exact probability of the partition, normaliser included. Several are drawn one after the other.

The state of such a chain is (z, θ). Its nll is −ln p(X, z | θ) at the present θ, as of a chain with that θ fixed. It
does not include the law of θ.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.engine.imputation import completed
from dpviz.engine.kernels.collapsed import PartitionTables
from dpviz.engine.moves import Moves, Score
from dpviz.engine.position import Position
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.numerics.stream import stream_of
from dpviz.partition import Hyperprior, PartitionPrior
from dpviz.partition._learning_kernels import TRIED, begun_slice, free_log_density, from_free, slice_goes_on


def slice_step(
    log_density: Callable[[float], float],
    present: float,
    width: float,
    bounds: tuple[float, float],
    random_state: np.random.Generator,
) -> float:
    """Make one step of a slice sampler: stepping out, then shrinkage (Neal 2003, figs. 3 and 5).

    Parameters
    ----------
    log_density : callable
        Log density of the target, in nats, up to a constant.
    present : float
        Present state of the chain; inside the bounds.
    width : float
        Width of the first interval, and of every step out.
    bounds : tuple of float
        The target has no mass beyond.
    random_state : numpy.random.Generator

    Returns
    -------
    float
        The next state; the target stays invariant.
    """
    step = begun_slice(present, width, *bounds)
    with stream_of(random_state) as stream:
        while slice_goes_on(step, log_density(float(step[TRIED])), stream):
            pass
    return float(step[TRIED])


def drawn_given(
    partition: PartitionPrior, name: str, law: Hyperprior, sizes: IntArray, random_state: np.random.Generator
) -> PartitionPrior:
    """Draw one hyperparameter given a partition's sizes (K,), the others fixed; return the prior with it."""
    value = partition.draw_given(name, law, sizes, random_state)
    if value is not None:
        return partition.with_values({name: value})

    log_probability, numbers = partition.log_probabilities_of(name, sizes), law.numbers

    def log_density(free: float) -> float:
        return free_log_density(numbers, free) + log_probability(from_free(numbers, free))

    lower, upper = law.free_bounds
    present = min(max(law.to_free(getattr(partition, name)), lower), upper)
    free = slice_step(log_density, present, law.free_spread, (lower, upper), random_state)
    return partition.with_values({name: law.from_free(free)})


def values_of(config: RunConfig, partition: PartitionPrior) -> tuple[float, ...]:
    """Return a prior's values of the learned parameters, in the order of ``config.hyperpriors``."""
    return tuple(float(getattr(partition, name)) for name, _ in config.hyperpriors or ())


class LearningStepper:
    """One start whose every sweep is followed by a draw of the hyperparameters.

    Parameters
    ----------
    problem : Problem
        Its configuration has hyperpriors; the chain starts at the values of its partition prior.
    stepper : CollapsedStepper
        Stepper of the same problem.
    random_state : numpy.random.Generator
    """

    def __init__(self, problem: Problem, stepper: Any, random_state: np.random.Generator) -> None:
        self._config, self._stepper, self._random_state = problem.config, stepper, random_state
        self.clusters = stepper.clusters
        self._partition, self._n_points = problem.partition, len(problem.X)
        self._partition.quick_log_probability(self._sizes)  # loads kernels before the first sweep

    def go_on_from(self, position: Position) -> None:
        """Restore clusters, hyperparameters and random numbers from the end of an earlier run."""
        names = [name for name, _ in self._config.hyperpriors or ()]
        self._use(self._partition.with_values(dict(zip(names, position.hyperparameters, strict=True))))
        self._stepper.go_on_from(position)

    def score(self) -> Score:
        """Score the partition under the present hyperparameters."""
        return replace(self._stepper.score(), hyperparameters=values_of(self._config, self._partition))

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep, then a draw of every hyperparameter."""
        result: tuple[Moves, bool] = self._stepper.step(sweep)
        sizes, partition = self._sizes, self._partition
        for name, law in self._config.hyperpriors or ():
            partition = drawn_given(partition, name, law, sizes, self._random_state)
        self._use(partition)
        return result

    @property
    def _sizes(self) -> IntArray:
        return self.clusters.sizes[: self.clusters.n_clusters]

    def _use(self, partition: PartitionPrior) -> None:
        self._partition = partition
        self._stepper.use(PartitionTables(partition, self._n_points))


def with_partition(problem: Problem, partition: PartitionPrior) -> Problem:
    """Return a problem under another partition prior, which shares everything that does not depend on it."""
    problem.working  # noqa: B018  (computed once, for all that share it)
    other = copy.copy(problem)
    object.__setattr__(other, "config", replace(problem.config, partition=partition))
    return other


def as_it_stood(problem: Problem, trace: Trace, row: int) -> Problem:
    """Return the problem with the hyperparameters and missing cells of a recorded row."""
    found = completed(problem, trace, row)
    if not trace.hyperparameters:
        return found
    return with_partition(found, trace.partition_at(int(trace.label_sweeps[row])))
