"""Runs as pages see them: finished ones are shared, long ones advance a slice at a time and can be stopped.

A job lives in its session and only advances inside the session's own script runs, so when the session closes it ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.problem import Problem
from dpviz.engine.run import Search, polish_budget
from dpviz.engine.trace import Trace
from dpviz.engine.warm import warm_family, warm_hard_algorithms
from dpviz.ui.player import track_labels
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, prepare
from dpviz.ui.session.run_panel import shown_rows

QUICK_SECONDS = 0.5
"""Runs estimated to take less than this start by themselves."""
LARGEST_SHARED = 20_000_000
"""Bytes of labels beyond which a finished run is not kept for other sessions."""


@dataclass(frozen=True, eq=False)
class Finished:
    """A run with everything a page needs to show it.

    Attributes
    ----------
    choice, config : DataChoice, RunConfig
        What made it; the picture must never claim others.
    prepared : PreparedData
    trace : Trace
    stopped : bool
        Whether the user ended it early.
    names : mapping of int to str
        Names the user gave to clusters, by the number the player shows.
    """

    choice: DataChoice
    config: RunConfig
    prepared: PreparedData
    trace: Trace
    stopped: bool = False
    names: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def problem(self) -> Problem:
        """Data and model of the run."""
        return Problem(self.prepared.X, self.config)

    @cached_property
    def tracks(self) -> tuple[Mapping[int, int], ...]:
        """For every row that is shown, the number the player gives to each label: clusters keep theirs."""
        return track_labels(self.trace.labels[shown_rows(self.trace)]).tables

    def shown_sweep(self, sweep: int) -> int:
        """Return the last sweep at or before ``sweep`` whose labels are shown."""
        return int(self.trace.label_sweeps[shown_rows(self.trace)][self._position(sweep)])

    def number(self, label: int, sweep: int) -> int:
        """Return the number the player shows for a label of a sweep, from 1."""
        return self.tracks[self._position(sweep)].get(label, label) + 1

    def cluster_name(self, label: int, sweep: int) -> str:
        """Name given by the user, or “cluster” and the number the player shows."""
        number = self.number(label, sweep)
        return self.names.get(number, f"cluster {number}")

    def _position(self, sweep: int) -> int:
        sweeps = self.trace.label_sweeps[shown_rows(self.trace)]
        return max(int(np.searchsorted(sweeps, sweep, side="right")) - 1, 0)


def estimate_seconds(X_shape: tuple[int, int], config: RunConfig) -> float:
    """Rough time a run will take, from its size alone; errs on the long side."""
    n_points, n_features = X_shape
    n_init = config.n_init or 1
    if config.algorithm in ("kmeans", "dpmeans"):
        n_clusters = max(config.n_clusters, 3) if config.algorithm == "kmeans" else 6
        return n_points * n_features * n_clusters * 8e-9 * n_init * 25
    if config.algorithm == "em":
        per_component = n_points * (n_features**2 * 5e-10 + 50e-9)
        return n_init * 40 * (1e-4 + config.n_components * (5e-5 + per_component))
    per_candidate = 20e-9 + (0.5e-9 * n_features**2 if config.family == "normal_wishart" else 3e-9 * n_features)
    n_sweeps = config.n_sweeps if config.algorithm == "gibbs" else min(config.max_sweeps or 200, 25)
    if config.sampler != "collapsed" and config.algorithm == "gibbs":
        per_candidate *= 5
    n_candidates = _n_candidates(n_points, config)
    n_sweeps *= n_init
    if config.algorithm == "mapdp" and config.init == "auto" and n_init > 1:
        n_sweeps += polish_budget(n_points, n_candidates, n_sweeps) // 2  # most run out of trials before
    return (n_points * per_candidate * n_candidates + 2e-5) * n_sweeps


def _n_candidates(n_points: int, config: RunConfig) -> float:
    """Clusters a point is compared with: eight, or as many as the start or the prior ask for if that is more."""
    concentration = float(getattr(config.partition, "concentration", 3.0))
    expected = concentration * np.log1p(n_points / max(concentration, 1e-9))
    at_start = n_points / 3 if config.init == "singletons" else config.init_clusters or 0
    return float(max(8.0, expected / 4, at_start))


@st.cache_resource(max_entries=64, show_spinner=False)
def _shared_runs(choice: DataChoice, config: RunConfig) -> list[Finished]:
    """Box for a finished run; a class that follows one link computes it once."""
    return []


def finished_run(choice: DataChoice, config: RunConfig) -> Finished | None:
    """Return the finished run of this data and configuration, if any session made it."""
    if choice.source == "session":
        return None
    box = _shared_runs(replace(choice, axes=()), config)
    return replace(box[0], choice=choice, prepared=prepare(choice), names={}) if box else None


@st.cache_resource(show_spinner=False)
def _load_kernels(family: str | None) -> None:
    """Use the kernels once on a few points: reading them from disk must not count as time of somebody's run."""
    if family is None:
        warm_hard_algorithms()
    else:
        warm_family(family)


class Job:
    """A run in progress.

    Parameters
    ----------
    choice : DataChoice
    config : RunConfig

    Raises
    ------
    DpvizError
        If data and configuration do not fit together.
    """

    def __init__(self, choice: DataChoice, config: RunConfig) -> None:
        self.choice, self.config = choice, config
        self.prepared = prepare(choice)
        self.problem = Problem.check(self.prepared.X, config)
        if config.algorithm != "em":
            _load_kernels(config.family if config.algorithm in ("mapdp", "gibbs") else None)
        self._search = Search(self.problem)
        self._records = self._advance_forever()
        self._begun = time.perf_counter()
        self.start = self.n_sweeps_done = 0
        self.result: Finished | None = None

    def _advance_forever(self) -> Iterator[None]:
        for start, _, record in self._search.records():
            self.start = start
            self.n_sweeps_done += record is not None and record.sweep > 0
            yield

    def advance(self, seconds: float) -> Finished | None:
        """Sweep for about this long (one sweep at least); return the finished run once it is."""
        until = time.perf_counter() + seconds
        for _ in self._records:
            if time.perf_counter() >= until:
                return None
        return self._finish(stopped=False)

    def stop(self) -> Finished:
        """End the run; what was done counts."""
        return self._finish(stopped=True)

    def _finish(self, stopped: bool) -> Finished:
        trace = self._search.trace()
        self.result = Finished(self.choice, self.config, self.prepared, trace, stopped)
        if not stopped and self.choice.source != "session" and trace.labels.nbytes <= LARGEST_SHARED:
            _shared_runs(replace(self.choice, axes=()), self.config).append(self.result)
        return self.result

    def partial_trace(self) -> Trace:
        """Trace of the restart that is running now."""
        return self._search.current_trace()

    @property
    def progress(self) -> tuple[float, str]:
        """Fraction done (by starts, and sweeps of a chain) and a sentence."""
        share = 0.5 if self._search.goes_on else 1.0  # of the bar, for the restarts
        polished = self._search.share_of_polish
        if polished is not None:
            n_found = len(self._search.polished)
            return share + (1 - share) * polished, f"splits and merges from the best start · {n_found} found"
        elapsed = max(time.perf_counter() - self._begun, 1e-9)
        n_starts, sweep = len(self._search.kinds), self._search.current_sweep
        inside = sweep / self.config.n_sweeps if self.config.algorithm == "gibbs" else 1 - np.exp(-sweep / 15)
        start = f"start {self.start + 1} of {n_starts}, " if n_starts > 1 else ""
        rate = self.n_sweeps_done / elapsed
        told = f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
        fraction = share * min((self.start + inside) / n_starts, 1.0)
        return fraction, f"{start}sweep {sweep} · {told} sweeps/s"
