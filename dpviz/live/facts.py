"""What a page's script has to know of a run, so that knobs answer while they move."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.layout import ALGORITHMS as COMPUTED
from dpviz.browser.layout import FAMILIES, PARTITIONS
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.live.shared import Run, shared_knobs
from dpviz.live.turning import knobs_of, values_of
from dpviz.words import say, say_count

MOST_POINTS, MOST_COLUMNS = 5_000, 30
"""As many as a browser answers at once."""
FEWEST_SWEEPS, MOST_SWEEPS, MOST_VISITS = 12, 30, 30_000
"""Sweeps of a chain while a knob moves, and how many points they visit."""


def why_not(config: RunConfig, X: FloatArray) -> str:
    """Say why the browser cannot compute a run whose choices are made on data X (N, D); empty if it can."""
    title = method_of(config).called
    if config.algorithm not in COMPUTED:
        return say("server.method_on_server", method=title)
    n_points, n_features = X.shape
    if n_points > MOST_POINTS:
        return say_count("server.points_on_server", n_points, most=f"{MOST_POINTS:,}")
    if n_features > MOST_COLUMNS:
        return say_count("server.columns_on_server", n_features, most=MOST_COLUMNS)
    if not np.isfinite(X).all():
        return say("server.gaps_on_server")
    if not isinstance(config.init, str) and np.ndim(np.array(config.init)) == 2:
        return say("server.centres_on_server")
    return _why_no_model(config) if ALGORITHMS[config.algorithm].uses_model else ""


def _why_no_model(config: RunConfig) -> str:
    partition = config.partition.to_dict()["kind"]
    if config.directions is not None:
        return say("server.directions_on_server")
    if config.transform is not None:
        return say("server.transformed_on_server")
    if config.coarsening is not None:
        return say("server.coarsened_on_server")
    if config.is_automatic or config.family not in FAMILIES:
        return say("server.family_on_server")
    if partition not in PARTITIONS or partition == "generalized":
        return say("server.prior_on_server")
    if config.sampler != "collapsed" or config.hyperpriors:
        return say("server.chains_on_server")
    return ""


def draft_of(config: RunConfig, n_points: int) -> dict[str, Any]:
    """Return what the browser computes, with everything in it that knobs change.

    While a knob moves, a search is left out; the later sweeps of a chain are left to the server, which runs when the
    knob rests: its first sweeps are those of the server's chain.
    """
    plain: dict[str, Any] = config.to_dict() | {"n_init": config.n_init}
    if ALGORITHMS[config.algorithm].uses_model:
        plain["partition"] = config.partition.to_dict()
        plain["prior"] = dict(plain.get("prior") or {})
    if ALGORITHMS[config.algorithm].is_chain:
        n_sweeps = _sweeps(config, n_points)
        plain |= {"n_sweeps": n_sweeps, "burn_in": min(config.burn_in, n_sweeps - 1), "thin": 1}
    plain.pop("events_sweep", None)
    return plain


def _sweeps(config: RunConfig, n_points: int) -> int:
    """Sweeps of a chain while a knob moves."""
    return min(config.n_sweeps, max(FEWEST_SWEEPS, min(MOST_SWEEPS, MOST_VISITS // n_points)))


def _left_out(config: RunConfig, n_points: int) -> str:
    """Say what is left out while a knob moves; empty if it is the whole run."""
    if isinstance(config.init, str) and config.init == "auto" and ALGORITHMS[config.algorithm].improves(config):
        return "search"
    if not ALGORITHMS[config.algorithm].is_chain:
        return ""
    return "sweeps" if config.n_sweeps > _sweeps(config, n_points) else ""


def points_id(X: FloatArray) -> str:
    """Name exactly these data."""
    return hashlib.blake2b(np.ascontiguousarray(X, dtype=np.float64).tobytes(), digest_size=8).hexdigest()


def facts_of(runs: Sequence[Run], groups: IntArray | None, answered: int = 0, state: str = "done") -> dict[str, Any]:
    """Write down what the page's script has to know.

    Parameters
    ----------
    runs : sequence of Run
        That are shown, in the order of their panels.
    groups : ndarray (N,), optional
        True groups.
    answered : int
        Number of the last message about a knob that is taken into account.
    state : {"done", "running", "waiting"}
        Whether the picture is of these settings, on its way, or waits for a press of Run.
    """
    knobs = shared_knobs(runs)
    return {
        "panels": [_about(run) for run in runs],
        "points": points_of(runs),
        "knobs": [shared.written() for shared in knobs],
        "values": {shared.knob.name: shared.value for shared in knobs},
        "seed": runs[0].config.seed,
        "n_groups": None if groups is None else len(np.unique(groups)),
        "answered": answered,
        "state": state,
    }


def points_of(runs: Sequence[Run]) -> str:
    """Name exactly the data of several runs."""
    return " ".join(points_id(run.X) for run in runs)


def _about(run: Run) -> dict[str, Any]:
    """Write down what is one run's alone."""
    config, X = run
    algorithm, method, left_out = ALGORITHMS[config.algorithm], method_of(config), _left_out(config, len(X))
    return {
        "points": points_id(X),
        "method": method.name,
        "title": method.called,
        "values": values_of(config, knobs_of(config, X)),
        "config": draft_of(config, len(X)),
        "seed": config.seed,
        "why": why_not(config, X),
        "left_out": left_out,
        "begins": "here" if left_out else "start",
        "given": algorithm.cluster_count != "",
        "has_nll": algorithm.has_nll,
    }
