"""How wrong may the model be: K and the fit of whole points over a grid of α (Miller & Dunson 2019, Sec. 4).

No nll chooses α, for powered likelihoods of different α are no densities to compare. Their rule is a picture: with ever
smaller α the number of clusters falls, at first at no cost in fit, later at a high one, and α is taken at the bend.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import Problem, check_config, check_data
from dpviz.engine.trace import Trace
from dpviz.errors import require
from dpviz.fit.automatic import resolve
from dpviz.fit.run import run_for_result

N_VALUES = 9
"""Values of α from 10 points to a hundred times all."""
STARTS, EFFORT = 5, 0.1
"""Starts and effort of each run, beside the one from the partition at the last α."""
FEWEST_LEVELS = 3
"""Numbers of clusters of which a curve may have a bend."""


@dataclass(frozen=True, eq=False)
class Level:
    """What one α finds.

    Attributes
    ----------
    alpha : float
        In points.
    weight : float
        ζ = α/(α + N), what each point counts.
    n_clusters : int
    fit : float
        Mean log density (nats) of the table's own rows, as whole points, under the mixture found.
    labels : ndarray of int (N,)
    config : RunConfig
        What found it.
    """

    alpha: float
    weight: float
    n_clusters: int
    fit: float
    labels: IntArray
    config: RunConfig


def usual_values(n_points: int, n_values: int = N_VALUES) -> FloatArray:
    """Return values of α (n_values,) to try, the largest first, at equal ratios."""
    return np.geomspace(100.0 * n_points, min(10.0, float(n_points)), n_values)


def levels(X: Any, config: RunConfig, alphas: Sequence[float] | None = None) -> Iterator[Level]:
    """Cluster a table at each of several α, from fine to coarse.

    Each is searched by MAP-DP, from its usual starts and from the partition at the α before; of these the one of lowest
    nll at its own α is taken.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig
        The model; what is automatic is chosen once, without coarsening.
    alphas : sequence of float, optional
        :func:`usual_values` by default.

    Yields
    ------
    Level
        The largest α first.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    check_config(config)
    algorithm = ALGORITHMS[config.algorithm]
    require(algorithm.uses_model, "algorithm", config.algorithm, "mapdp or gibbs", "Others have no likelihood.")
    data = check_data(X, gaps=True)
    values = sorted(usual_values(len(data)) if alphas is None else alphas, reverse=True)
    chosen = resolve(data, replace(config, coarsening=None)).config
    model = RunConfig(
        "mapdp",
        family=chosen.family,
        prior=chosen.prior,
        partition=chosen.partition,
        kinds=chosen.kinds,
        missing=chosen.missing,
        directions=chosen.directions,
        transform=chosen.transform,
        seed=chosen.seed,
        n_init=STARTS,
        effort=EFFORT,
    )
    tasks = [replace(model, coarsening=alpha) for alpha in values]  # a wrong α is refused before any is tried
    return _levels(data, tasks)


def _levels(X: FloatArray, configs: Sequence[RunConfig]) -> Iterator[Level]:
    labels: IntArray | None = None
    for config in configs:
        tried = [config] if labels is None else [config, replace(config, init=labels, n_init=1)]
        traces = [run_for_result(X, each) for each in tried]
        best = min(traces, key=lambda trace: float(trace.nll[trace.result_sweep]))
        labels = best.result_labels.astype(np.int64)
        yield _level(X, best, config, labels)


def _level(X: FloatArray, trace: Trace, config: RunConfig, labels: IntArray) -> Level:
    problem = Problem.check(X, trace.config)
    fit = float(np.mean(ALGORITHMS[config.algorithm].fitted(problem, trace).log_density(X)))
    assert config.coarsening is not None and problem.coarsening is not None
    n_clusters = int(labels.max()) + 1
    return Level(config.coarsening, problem.coarsening, n_clusters, fit, labels, config)


def bend(found: Sequence[Level]) -> Level | None:
    """Return the level at the bend of fit against K: the highest above the line from the coarsest to the best fit.

    Of levels with as many clusters the one of best fit counts, and of a fit that rises and falls again the part up to
    its peak. It is a rule for pictures, not a test.

    Parameters
    ----------
    found : sequence of Level

    Returns
    -------
    Level or None
        None where fewer than :data:`FEWEST_LEVELS` numbers of clusters were found up to there.
    """
    best = {level.n_clusters: level for level in sorted(found, key=lambda level: level.fit)}
    curve = [best[k] for k in sorted(best)]
    curve = curve[: int(np.argmax([level.fit for level in curve])) + 1] if curve else []
    if len(curve) < FEWEST_LEVELS:
        return None
    k, fit = (np.array([getattr(level, name) for level in curve], dtype=np.float64) for name in ("n_clusters", "fit"))
    above = (fit - fit[0]) / (fit[-1] - fit[0]) - (k - k[0]) / (k[-1] - k[0])
    return curve[int(np.argmax(above))]
