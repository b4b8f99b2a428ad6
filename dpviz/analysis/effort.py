"""The search effort of methods: to equalise it in a comparison, and to report it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import check_config
from dpviz.engine.trace import Trace
from dpviz.engine.trace_words import moves_in_words
from dpviz.errors import require
from dpviz.partition.base import whole_number
from dpviz.text import counted

USUAL_STARTS = 10
MOST_STARTS = 200
"""Most starts of any method, even if each is fast."""


def same_starts(config: RunConfig, n_starts: int) -> RunConfig:
    """Set the number of starts of a method; a chain, which does not converge, keeps its own length.

    Parameters
    ----------
    config : RunConfig
    n_starts : int
        Between 1 and ``MOST_STARTS``.

    Raises
    ------
    InvalidParameterError
    """
    check_config(config)
    n_starts = whole_number("n_starts", n_starts)
    require(n_starts <= MOST_STARTS, "n_starts", n_starts, f"between 1 and {MOST_STARTS}")
    return config if ALGORITHMS[config.algorithm].is_chain else replace(config, n_init=n_starts)


def same_work(traces: Sequence[Trace], n_features: int) -> list[RunConfig]:
    """Give every method the number of starts that equals the work of the costliest run.

    Work is :func:`operations_done`, which is the same on every machine; so are the starts.

    Parameters
    ----------
    traces : sequence of Trace
        A finished run of each method on the same data.
    n_features : int
        Columns of the data.

    Returns
    -------
    list of RunConfig
        One per run. The costliest keeps its configuration, and so do chains, and runs in which nothing is random: those
        were configured for more starts than they made.
    """
    done = [operations_done(trace, n_features) for trace in traces]
    configs = []
    for trace, own in zip(traces, done, strict=True):
        config, n_starts = trace.config, len(trace.starts)
        affordable = int(n_starts * max(done) / own)
        if affordable > n_starts and n_starts >= (config.n_init or 1):
            config = same_starts(config, min(affordable, MOST_STARTS))
        configs.append(config)
    return configs


def sweeps_done(trace: Trace) -> int:
    """Sweeps of all starts together, and the search after them in sweeps."""
    return sum(start.n_sweeps for start in trace.starts) + trace.n_trial_sweeps


def operations_done(trace: Trace, n_features: int) -> float:
    """Estimate the arithmetic operations of a run from its sweeps.

    Every sweep of a start counts with the number of clusters that the start ended with.
    """
    algorithm, shape = ALGORITHMS[trace.config.algorithm], (trace.n_points, n_features)
    of_starts = [
        max(start.n_sweeps, 1) * algorithm.sweep_operations(trace.config, *shape, start.n_clusters + 1)
        for start in trace.starts
    ]
    last = int(trace.n_clusters[-1]) + 1
    return float(np.sum(of_starts) + trace.n_trial_sweeps * algorithm.sweep_operations(trace.config, *shape, last))


def in_words(trace: Trace) -> str:
    """Describe the effort of a run: starts, their sweeps, the work and the changes of the search after them.

    For example ``10 starts, 84 sweeps, then 1 merge (search worth 212 sweeps)``.
    """
    n_starts, n_sweeps = len(trace.starts), sum(start.n_sweeps for start in trace.starts)
    starts = counted(n_starts, "chain" if trace.is_chain else "start")
    said = f"{starts}, {counted(n_sweeps, 'sweep')}"
    if not trace.n_trial_sweeps:
        return said
    found = moves_in_words(trace) or "no better partition"
    return f"{said}, then {found} (search worth {counted(trace.n_trial_sweeps, 'sweep')})"
