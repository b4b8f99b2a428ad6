"""Gibbs samplers that hold the clusters' parameters explicitly.

:class:`ExplicitParametersSweeper` is the lecture's marginalised sampler (Neal 2000 Alg. 2): weights integrated out,
parameters kept. :class:`ExplicitWeightsSweeper` is what the lecture starts from, the finite mixture with a Dirichlet
on its weights and everything explicit. Both report the same nll and E as the collapsed sampler.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import implements, prepare
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.kernels.collapsed_sweep import (
    N_BORN,
    N_COUNTERS,
    N_DIED,
    N_MOVED,
    N_OPEN,
    STARTING_SLOT,
    Clusters,
    Visits,
    close_ranks,
    collapsed_sweep,
    move_point,
)
from dpviz.engine.moves import Moves
from dpviz.families.base import Model
from dpviz.families.verbs import add_point, clear_slot, log_leave_one_out, log_predictive, rebuild, remove_point
from dpviz.partition import FiniteDirichlet


class LogDensityState(NamedTuple):
    """Log density (nats) of every point under every slot's explicit parameters, (slots, N); no statistics at all."""

    log_density: FloatArray


@implements(log_predictive, LogDensityState)
@implements(log_leave_one_out, LogDensityState)
def _log_density(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return state.log_density[k, i]


@implements(add_point, LogDensityState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    return True


@implements(remove_point, LogDensityState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    return True


@implements(rebuild, LogDensityState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    return


@implements(clear_slot, LogDensityState)
def _clear_slot(state: Any, k: int) -> None:
    return


MOST_POSTERIORS = 64
"""Most sets of points whose posteriors are cached."""


def posterior_after(family: Model, X: FloatArray) -> Callable[[BoolArray], Model]:
    """Return what gives the posterior after the marked points (N,) of X (N, D), which must stay as they are.

    It caches the latest: from one sweep to the next most clusters keep their points.
    """

    @lru_cache(MOST_POSTERIORS)
    def after(marked: bytes) -> Model:
        return family.posterior(X[np.frombuffer(marked, dtype=np.bool_)])

    return lambda marked: after(marked.tobytes())


class ExplicitParametersSweeper:
    """Neal's algorithm 2 on top of the collapsed sweep's kernel and bookkeeping.

    Parameters
    ----------
    family : Model
        In working coordinates.
    scorer : CollapsedSweeper
        Holds labels, tables, prior predictives and scores; its own sweep is not used.
    random_state : numpy.random.Generator
        Draws the parameters.
    """

    def __init__(self, family: Model, scorer: CollapsedSweeper, random_state: np.random.Generator) -> None:
        self.scorer, self._random_state = scorer, random_state
        self._posterior = posterior_after(family, scorer.X)
        self._draw_parameters(capacity=max(16, 2 * scorer.n_clusters))
        self._prepare_kernels()

    def _prepare_kernels(self) -> None:
        """Load the kernels of a sweep, so that the first one takes no longer than the others."""
        state, X, numbers = LogDensityState(self._log_density), self.scorer.X, np.zeros(1, dtype=np.int64)
        clusters, weights = Clusters(*(numbers,) * 4), self.scorer.tables.weights(np.zeros(1))
        visits = Visits(numbers, np.zeros(1), 1.0, np.zeros((0, 3), dtype=np.int64))
        prepare(collapsed_sweep, state, X, clusters, weights, visits, 0, True)
        prepare(move_point, state, X, clusters, 0, 0)

    def _draw_parameters(self, capacity: int) -> None:
        """Draw every open cluster's parameters given its members (second step of the lecture's sampler)."""
        labels = self.scorer.labels
        self._log_density = np.zeros((capacity, len(labels)))
        for k in range(self.scorer.n_clusters):
            self._draw_slot(k, labels == k)

    def _draw_slot(self, k: int, members: BoolArray) -> None:
        parameters = self._posterior(members).draw(self._random_state)
        self._log_density[k] = parameters.log_density(self.scorer.X)

    def sweep(self, order: IntArray, uniforms: FloatArray, record_events: bool = False) -> Moves:
        """Visit every point once, then redraw all parameters."""
        scorer = self.scorer
        X, n_points = scorer.X, len(scorer.X)
        labels = scorer.labels.copy()
        capacity = len(self._log_density)
        sizes = np.bincount(labels, minlength=capacity + 1).astype(np.int64)
        active = np.arange(capacity + 1)
        counters = np.zeros(N_COUNTERS, dtype=np.int64)
        counters[N_OPEN], counters[STARTING_SLOT] = scorer.n_clusters, -1
        events = np.empty((n_points if record_events else 0, 3), dtype=np.int64)
        weights, visits = scorer.tables.weights(scorer.log_prior_predictive), Visits(order, uniforms, 1.0, events)
        position = 0
        while True:
            state, clusters = LogDensityState(self._log_density), Clusters(labels, sizes, active, counters)
            position = collapsed_sweep(state, X, clusters, weights, visits, position, True)
            if position == n_points:
                break
            i = int(order[position])
            current = int(labels[i])
            slot = current if sizes[current] == 1 else int(np.argmin(sizes > 0))
            if slot == capacity:
                capacity *= 2
                self._log_density = np.vstack([self._log_density, np.zeros_like(self._log_density)])
                sizes = np.concatenate([sizes, np.zeros(capacity + 1 - len(sizes), dtype=np.int64)])
                active = np.concatenate([active, np.zeros(capacity + 1 - len(active), dtype=np.int64)])
            alone = np.arange(n_points) == i
            self._draw_slot(slot, alone)  # a singleton that stays is a new cluster with new parameters
            if record_events:
                events[position] = i, current, slot
            if slot != current:
                clusters = Clusters(labels, sizes, active, counters)  # of the arrays that may just have grown
                move_point(LogDensityState(self._log_density), X, clusters, i, slot)
            position += 1
        close_ranks(labels, sizes, active, counters[N_OPEN])
        scorer.assign(labels)
        self._draw_parameters(capacity)
        moves = (int(counters[N_MOVED]), int(counters[N_BORN]), int(counters[N_DIED]))
        return Moves(*moves, events if record_events else None)


class ExplicitWeightsSweeper:
    """Gibbs sampler of the finite mixture with explicit weights: z | π, θ; then π | z; then θ | z (lecture, p. 1–2).

    Parameters
    ----------
    family : Model
        In working coordinates.
    scorer : CollapsedSweeper
        Scores the partitions.
    partition : FiniteDirichlet
        Number of components and concentration.
    random_state : numpy.random.Generator
        Draws weights and parameters.
    """

    def __init__(
        self,
        family: Model,
        scorer: CollapsedSweeper,
        partition: FiniteDirichlet,
        random_state: np.random.Generator,
    ) -> None:
        self.scorer, self._random_state = scorer, random_state
        self._posterior = posterior_after(family, scorer.X)
        self._n_components = partition.n_components
        self._pseudo_count = partition.concentration / partition.n_components
        self._components = scorer.labels.copy()
        self._draw()

    def _draw(self) -> None:
        """Draw weights and all components' parameters, the empty ones' from the prior."""
        sizes = np.bincount(self._components, minlength=self._n_components)
        gammas = self._random_state.standard_gamma(self._pseudo_count + sizes)
        # ln Gamma(a) = ln Gamma(a + 1) + ln U / a keeps tiny shapes from underflowing to a weight of 0
        uniforms = self._random_state.random(self._n_components)
        boosted = self._random_state.standard_gamma(self._pseudo_count + 1.0, self._n_components)
        with np.errstate(divide="ignore"):
            log_gammas = np.where(sizes > 0, np.log(gammas), np.log(boosted) + np.log1p(-uniforms) / self._pseudo_count)
        self._scores = np.empty((self._n_components, len(self._components)))
        for k in range(self._n_components):
            parameters = self._posterior(self._components == k).draw(self._random_state)
            self._scores[k] = parameters.log_density(self.scorer.X) + log_gammas[k]

    def sweep(self, order: IntArray, uniforms: FloatArray, record_events: bool = False) -> Moves:
        """Draw all assignments (independent given weights and parameters), then weights and parameters."""
        cumulative = np.cumsum(np.exp(self._scores - self._scores.max(axis=0)), axis=0)
        before = self._components
        after = np.sum(cumulative <= uniforms * cumulative[-1], axis=0)
        self._components = np.minimum(after, self._n_components - 1)
        was_open, is_open = (np.bincount(each, minlength=self._n_components) > 0 for each in (before, self._components))
        self.scorer.assign(self._components)
        self._draw()
        events = np.column_stack([np.arange(len(before)), before, self._components]) if record_events else None
        return Moves(
            int(np.count_nonzero(before != self._components)),
            int(np.count_nonzero(is_open & ~was_open)),
            int(np.count_nonzero(was_open & ~is_open)),
            events,
        )
