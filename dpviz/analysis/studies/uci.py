"""Measures of Raykov et al. (2014), Sec. 4.2: tables with classes, as the paper runs them and with more effort."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.analysis.selection import best_cell, penalty_for
from dpviz.analysis.studies.chains import evenly, mean_scores, stopped_chain
from dpviz.analysis.studies.measures import run_numbers
from dpviz.analysis.studies.study import Outcome
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.fit.automatic import resolve
from dpviz.fit.run import run

CONCENTRATIONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Candidates for N0; the paper does not print its own."""
FACTORS = tuple(float(factor) for factor in np.geomspace(1 / 16, 16, 161))
"""Factors on the λ of farthest-first traversal, if that one does not give the true number of clusters."""
SCORED_DRAWS = 200


def paper_prior(X: FloatArray) -> dict[str, Any]:
    """Return the paper's normal–gamma prior: m0 = x̄, c0 = 10/N, a0 = 1, b0 the columns' sample variances.

    A column that never changes, which has no variance, gets 1: it says the same of every partition.
    """
    variances = X.var(axis=0, ddof=1)
    return {"m0": X.mean(axis=0), "c0": 10 / len(X), "a0": 1.0, "b0": np.where(variances > 0, variances, 1.0)}


def with_chosen_concentration(X: FloatArray, config: RunConfig) -> tuple[RunConfig, float]:
    """Return the configuration with the concentration whose run ends at the lowest nll (2014 App. A.3, way 2)."""
    grid = Grid(config, (Axis("concentration", CONCENTRATIONS),))
    best = best_cell(run_grid(X, grid, n_jobs=1, cache=None), "nll")
    return best.config, best.values[0]


def fit_mode(data: Dataset, config: RunConfig) -> Outcome:
    """Run MAP-DP with the paper's prior and N0 by nll."""
    chosen, concentration = with_chosen_concentration(data.X, _on(data, config))
    return Outcome(run_numbers(run(data.X, chosen), data) | {"concentration": concentration}, chosen)


def fit_chain(data: Dataset, config: RunConfig, longest: int) -> Outcome:
    """Run Gibbs with the paper's prior and the N0 that MAP-DP chooses, and average over the draws after the burn-in."""
    chain = _on(data, config)
    same: dict[str, Any] = {name: getattr(chain, name) for name in ("family", "prior", "init", "init_clusters", "seed")}
    mode, concentration = with_chosen_concentration(data.X, RunConfig("mapdp", n_init=1, **same))
    chain = replace(chain, partition=mode.partition)
    trace, burn_in, converged = stopped_chain(data.X, chain, longest)
    numbers = mean_scores(data, evenly(trace.labels[1 + burn_in :], SCORED_DRAWS))
    numbers |= {"iterations": trace.n_sweeps, "burn_in": burn_in, "converged": float(converged)}
    return Outcome(numbers | {"concentration": concentration}, trace.config)


def _on(data: Dataset, config: RunConfig) -> RunConfig:
    """Return the configuration with the paper's prior for the data; random groups are as many as the classes."""
    n_classes = len(np.unique(data.labels)) if config.init == "random" else None  # type: ignore[arg-type]
    return replace(config, prior=paper_prior(data.X), init_clusters=n_classes)


def fit_penalty(data: Dataset, config: RunConfig, n_clusters: int | None = None) -> Outcome:
    """Run DP-means with the λ nearest to that of farthest-first traversal that gives a number of clusters.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
    n_clusters : int, optional
        As many as there are classes without it.
    """
    n_groups = len(np.unique(data.labels)) if n_clusters is None else n_clusters  # type: ignore[arg-type]
    first = penalty_for(data.X, n_groups)
    runs = []
    for factor in FACTORS:
        trace = run(data.X, replace(config, penalty=first * factor))
        runs.append((abs(int(trace.n_clusters[-1]) - n_groups), abs(math.log(factor)), factor, trace))
    _, _, factor, trace = min(runs, key=lambda found: found[:3])
    return Outcome(run_numbers(trace, data) | {"factor": factor}, trace.config)


def fit_own_model(data: Dataset, config: RunConfig) -> Outcome:
    """Run MAP-DP with the family that fits the columns, full covariances among them, and its width by nll."""
    chosen = resolve(data.X, config.with_kinds(data.kinds)).config
    trace = run(data.X, chosen)
    return Outcome(run_numbers(trace, data), chosen)
