"""What chapters share: the settings of MAP-DP, and how runs are counted and scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import metrics
from dpviz.analysis.posterior.chains import chain_diagnostics
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.partition import ChineseRestaurant
from dpviz.words import say

BURN_IN = 100


def mapdp(n0: float = 3.0, **options: Any) -> RunConfig:
    """Return the settings of MAP-DP in most chapters, but for what is given."""
    settings = {"family": "normal_wishart", "prior": None, "partition": ChineseRestaurant(n0), "effort": 0.02}
    return RunConfig("mapdp", **{**settings, **options})


def scores(dataset: Dataset, traces: Sequence[Trace], *names: str) -> dict[str, Any]:
    """Count the clusters of the first runs, and score their agreement with the true groups, under these names."""
    assert dataset.labels is not None
    found: dict[str, Any] = {}
    for name, trace in zip(names, traces, strict=False):
        found[f"{name}_k"] = len(np.unique(trace.result_labels))
        found[f"{name}_nmi"] = metrics.nmi(dataset.labels, trace.result_labels)
        found[f"{name}_ari"] = metrics.ari(dataset.labels, trace.result_labels)
    return found


def visited(trace: Trace) -> IntArray:
    """K (S,) in every sweep of a chain after its burn-in."""
    return np.asarray(trace.n_clusters[(trace.config.burn_in or 0) + 1 :])


def shares(trace: Trace, most: int) -> FloatArray:
    """Share (most,) of a chain's sweeps after its burn-in with K = 1, 2, … most."""
    counts = visited(trace)
    return np.asarray(np.bincount(counts, minlength=most + 1)[1 : most + 1] / len(counts))


WITH_ERRORS = say("chapters.shared.label")
"""Says in a chart's title what they are."""


def monte_carlo_error(series: ArrayLike) -> float:
    """Return the standard error of the mean of a chain's values (S,): their deviation by the root of the effective S.

    0 for one value throughout, of which a chain cannot say how far it is off.
    """
    values = np.asarray(series, dtype=np.float64)
    effective = chain_diagnostics(values).ess_bulk
    return float(values.std() / np.sqrt(effective)) if np.isfinite(effective) else 0.0


def errors_of_shares(trace: Trace, most: int) -> FloatArray:
    """Monte Carlo errors (most,) of :func:`shares`."""
    counts = visited(trace)
    return np.array([monte_carlo_error(counts == k) for k in range(1, most + 1)])
