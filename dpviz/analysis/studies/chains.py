"""Gibbs chains as in the papers: stopped by Raftery and Lewis, scored draw by draw."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpviz.analysis.comparison import label_scores
from dpviz.analysis.posterior.raftery_lewis import independent_draws, raftery_lewis
from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.errors import require
from dpviz.fit.run import resume, run
from dpviz.metrics import nmi_max

PILOT = 100
"""Sweeps before the diagnostic is first computed."""


class Stopped(NamedTuple):
    """A chain, its burn-in, and whether the diagnostic was satisfied at the end."""

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
        Most sweeps, at least as many as the diagnostic needs.
    accuracy : float
        r of the diagnostic: accuracy of the probability of a value below the quantile.
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
    """Return at most this many draws (N,), evenly spaced."""
    return [draws[row].astype(np.int64) for row in evenly_spaced(len(draws), most)]


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
    working = problem.working
    sweeper = CollapsedSweeper(working.family, working.X, working.log_jacobian, problem.partition, labels, 0.0)
    total = 0.0
    for i in range(len(labels)):
        log_density, log_weight = sweeper.candidates_of(i)
        total -= float(logsumexp(log_density + log_weight) - logsumexp(log_weight))
    return total / len(labels)
