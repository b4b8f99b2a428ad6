"""Gibbs chains as the papers run them: stopped by Raftery and Lewis, scored draw by draw."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpviz.analysis.comparison import label_scores
from dpviz.analysis.posterior.raftery_lewis import independent_draws, raftery_lewis
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.search import resume, run
from dpviz.engine.trace import Trace
from dpviz.errors import require
from dpviz.metrics import nmi_max

PILOT = 100
"""Sweeps before the diagnostic is asked for the first time."""


class Stopped(NamedTuple):
    """A chain, the sweeps after which it has forgotten its start, and whether the diagnostic was content at the end."""

    trace: Trace
    burn_in: int
    converged: bool


def stopped_chain(X: FloatArray, config: RunConfig, longest: int, accuracy: float = 0.1) -> Stopped:
    """Sweep until K and nll are both known well enough by their 2.5 % quantiles (2014 Sec. 4.1), or to the longest.

    Parameters
    ----------
    X : ndarray (N, D)
    config : RunConfig
        Of gibbs; its length is not used.
    longest : int
        Most sweeps, as many at least as the diagnostic needs to say anything.
    accuracy : float
        r of the diagnostic: how well the probability of a value below the quantile is to be known.
    """
    length = max(PILOT, independent_draws(r=accuracy))
    require(longest >= length, "longest", longest, f"at least {length} sweeps, without which nothing can be said")
    trace = run(X, replace(config, n_sweeps=length, burn_in=0))
    while True:
        wanted, burn_in = 0, 0
        for chain in (trace.n_clusters[1:], trace.nll[1:]):
            advice = raftery_lewis(chain, r=accuracy)
            if advice.n_needed is None or advice.burn_in is None:  # the quantile is never crossed, or all the time
                wanted = max(wanted, 2 * length)
            else:
                wanted, burn_in = max(wanted, advice.burn_in + advice.n_needed), max(burn_in, advice.burn_in)
        if wanted <= length or length == longest:
            return Stopped(trace, min(burn_in, length - 1), wanted <= length)
        length = min(wanted, longest)
        trace = resume(X, trace, length)


def evenly(draws: NDArray[np.unsignedinteger], most: int) -> list[IntArray]:
    """Return at most so many draws (N,), evenly spaced."""
    rows = np.unique(np.round(np.linspace(0, len(draws) - 1, min(most, len(draws)))).astype(int))
    return [draws[row].astype(np.int64) for row in rows]


def mean_scores(data: Dataset, draws: list[IntArray]) -> dict[str, float]:
    """Score every draw and average; ``…_2sd`` is two standard deviations over the draws."""
    scores = [
        label_scores(draw, data.labels) | {"nmi_max": math.nan if data.labels is None else nmi_max(data.labels, draw)}
        for draw in draws
    ]
    numbers = {}
    for name in scores[0]:
        values = np.array([score[name] for score in scores], dtype=np.float64)
        numbers[name], numbers[f"{name}_2sd"] = float(values.mean()), 2 * float(values.std())
    return numbers


def leave_one_out_nll(problem: Problem, labels: IntArray) -> float:
    """Mean over the points of −ln of their mixture predictive given all the others and their clusters (nats).

    2014 Sec. 3.3 with the point itself left out.

    Parameters
    ----------
    problem : Problem
        Training data and model.
    labels : ndarray (N,)
        0 … K − 1, each present.
    """
    X, n_points = problem.X, len(labels)
    predictive = PartitionPredictive(problem, labels)
    log_predictives = predictive.log_scores(X) - predictive.log_weights
    sizes = np.bincount(labels)
    join, new = problem.partition.join_table(n_points - 1), problem.partition.open_table(n_points - 1)
    total = 0.0
    for k in range(len(sizes)):
        members = np.flatnonzero(labels == k)
        alone = len(members) == 1
        others = np.append(sizes.astype(np.int64), 0)
        others[k] -= 1
        log_weights = np.append(join[others[:-1]], new[len(sizes) - alone])
        log_weights -= logsumexp(log_weights)
        for i in members:
            scores = log_predictives[i].copy()
            if not alone:
                rest = problem.family.posterior(X[members[members != i]])
                scores[k] = float(rest.log_predictive(X[i : i + 1])[0])
            total -= float(logsumexp(scores + log_weights))
    return total / n_points
