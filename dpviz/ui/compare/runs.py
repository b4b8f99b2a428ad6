"""The runs of the Compare page: which are known, which have to be made, and the picture they make together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from dpviz.analysis.comparison import result_row
from dpviz.config import RunConfig
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.families.base import IntArray
from dpviz.ui.compare.panels import Common
from dpviz.ui.player import PanelData, build_payload
from dpviz.ui.player.payload import track_panels
from dpviz.ui.session import jobs, naming
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.session.run_panel import panel

QUICK_SECONDS = 3.0
"""Comparisons estimated to take less than this, all panels together, start by themselves."""
MOST_LABELS = 24_000_000
"""Labels sent to the browser, all panels together: rows are thinned beyond."""
MOST_ROWS = 1_000
STOPPED = "Not run: the comparison was stopped."
_KNOWN, _KEPT = "compare known runs", 2 * 6


@dataclass(frozen=True)
class Plan:
    """Everything that defines a comparison.

    Attributes
    ----------
    choice : DataChoice
        Without its axes, which are chosen after the runs.
    own : tuple of (RunConfig or str)
        The panels' own settings, or why a panel has none.
    common : Common
    configs : tuple of (RunConfig or None)
        What is run: the own settings with what is common to all.
    """

    choice: DataChoice
    own: tuple[RunConfig | str, ...]
    common: Common
    configs: tuple[RunConfig | None, ...]

    @classmethod
    def make(cls, choice: DataChoice, own: Sequence[RunConfig | str], common: Common) -> tuple[Plan, list[str]]:
        """Apply what is common; return the plan and what could not be made common.

        Raises
        ------
        DpvizError
            If the data are too few for the common start.
        """
        applied, remarks = common.applied([c for c in own if isinstance(c, RunConfig)], prepare(choice).X)
        left = iter(applied)
        configs = tuple(next(left) if isinstance(c, RunConfig) else None for c in own)
        return cls(replace(choice, axes=()), tuple(own), common, configs), remarks

    def repeated(self, shift: int) -> tuple[RunConfig | None, ...]:
        """Return the same runs with ``shift`` added to every seed."""
        plan, _ = Plan.make(
            self.choice,
            [replace(c, seed=(c.seed + shift) % 2**32) if isinstance(c, RunConfig) else c for c in self.own],
            self.common if self.common.seed is None else replace(self.common, seed=(self.common.seed + shift) % 2**32),
        )
        return plan.configs


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one panel.

    Attributes
    ----------
    name : str
        Number and method, unique among the panels.
    config : RunConfig or None
        The settings it was run with; None if its controls made none.
    finished : Finished or None
    error : str
        Why there is no run.
    """

    name: str
    config: RunConfig | None
    finished: Finished | None = None
    error: str = ""

    @property
    def settings(self) -> str:
        """Main parameter and seed."""
        return "" if self.config is None else naming.describe(self.config).split(" · ", 1)[1]


@dataclass(frozen=True, eq=False)
class Picture:
    """Runs on the same data, as they are shown together.

    Attributes
    ----------
    plan : Plan
        What made it; the picture must never claim another.
    choice : DataChoice
        The data, with the axes they are shown on.
    outcomes : tuple of Outcome
        One per panel.
    """

    plan: Plan
    choice: DataChoice
    outcomes: tuple[Outcome, ...]

    @cached_property
    def runs(self) -> tuple[tuple[str, Finished], ...]:
        """Names and runs of the panels that have one."""
        return tuple((outcome.name, outcome.finished) for outcome in self.outcomes if outcome.finished is not None)

    @property
    def traces(self) -> dict[str, Trace]:
        """Traces by name."""
        return {name: finished.trace for name, finished in self.runs}

    def settings(self, name: str) -> str:
        """Return the main parameter and seed of a panel."""
        return next(outcome.settings for outcome in self.outcomes if outcome.name == name)

    def described(self, name: str) -> str:
        """Return name, main parameter and seed of a panel."""
        return f"{name} · {self.settings(name)}"

    def on_axes(self, choice: DataChoice) -> Picture:
        """Return the same runs shown on the axes of a choice of the same data."""
        prepared = prepare(choice)
        moved = [
            replace(o, finished=o.finished and replace(o.finished, choice=choice, prepared=prepared))
            for o in self.outcomes
        ]
        return Picture(self.plan, choice, tuple(moved))

    @property
    def complete(self) -> bool:
        """Whether no run was stopped early or left out by stopping."""
        return all(o.error != STOPPED and not (o.finished and o.finished.stopped) for o in self.outcomes)

    @cached_property
    def panels(self) -> list[PanelData]:
        """What the player shows, one panel per run."""
        each = max(2, min(MOST_ROWS, MOST_LABELS // (len(self.runs) * self.runs[0][1].trace.n_points)))
        return [
            panel(finished.prepared, _thinned(finished.trace, each), finished.config, self.described(name))
            for name, finished in self.runs
        ]

    @cached_property
    def payload(self) -> bytes:
        """What the player plays."""
        return build_payload(self.panels)

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Result of every run, numbered from 0 by the colours of the player."""
        numbered = {}
        for (name, finished), data, tracks in zip(self.runs, self.panels, track_panels(self.panels), strict=True):
            sweep = finished.trace.label_sweeps[result_row(finished.trace)]
            row = int(np.searchsorted(data.label_sweeps, sweep))
            numbered[name] = tracks.tracks[row].astype(np.int64)
        return numbered


def _thinned(trace: Trace, most: int) -> Trace:
    """Drop recorded labels evenly, but neither the first, the last nor those of the result."""
    n_rows = len(trace.label_sweeps)
    if n_rows <= most:
        return trace
    rows = np.round(np.linspace(0, n_rows - 1, most)).astype(np.int64)
    rows = np.union1d(rows, [result_row(trace)])
    return replace(trace, labels=trace.labels[rows], label_sweeps=trace.label_sweeps[rows])


def known(choice: DataChoice, config: RunConfig) -> Finished | str | None:
    """Return a run that was made before, or why it cannot be made; None if that is not known."""
    store: dict[tuple[DataChoice, RunConfig], Finished | str] = st.session_state.setdefault(_KNOWN, {})
    if (choice, config) not in store:
        shared = jobs.finished_run(choice, config)
        if shared is None:
            return None
        _keep(choice, config, shared)
    return store[choice, config]


def _keep(choice: DataChoice, config: RunConfig, result: Finished | str) -> None:
    store: dict[tuple[DataChoice, RunConfig], Finished | str] = st.session_state.setdefault(_KNOWN, {})
    store[choice, config] = result
    while len(store) > _KEPT:  # the oldest goes: sessions must not grow without end
        store.pop(next(iter(store)))


class Batch:
    """The runs of a comparison that are not known yet, made one after the other, a slice of time at once.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.choice = plan, plan.choice
        self.results = {c: known(plan.choice, c) or "" for c in plan.configs if c is not None}
        self.pending = [config for config, result in self.results.items() if result == ""]
        self._job: Job | None = None

    @property
    def seconds(self) -> float:
        """Rough time that is left."""
        shape = prepare(self.choice).X.shape
        return sum(jobs.estimate_seconds(shape, config) for config in self.pending)

    def advance(self, seconds: float) -> bool:
        """Run for about this long; return whether everything is done."""
        until = time.perf_counter() + seconds
        while self.pending and (left := until - time.perf_counter()) > 0:
            config = self.pending[0]
            try:
                self._job = self._job or Job(self.choice, config)
                result: Finished | str | None = self._job.advance(left)
            except DpvizError as error:
                result = str(error)
            if result is not None:
                _keep(self.choice, config, result)
                self._next(result)
        return not self.pending

    def _next(self, result: Finished | str) -> None:
        self.results[self.pending.pop(0)] = result
        self._job = None

    def stop(self) -> None:
        """End the run in progress, which counts as far as it came, and leave out the others."""
        if self._job is not None:
            self._next(self._job.stop())
        while self.pending:
            self._next(STOPPED)

    def progress(self, config: RunConfig) -> tuple[float, str]:
        """Fraction done and words, for one configuration."""
        if config not in self.pending:
            return 1.0, "done"
        if self._job is not None and self._job.config == config:
            return self._job.progress
        return 0.0, "waiting"

    def picture(self) -> Picture:
        """Put the runs together, and the panels that have none."""
        found = []
        for number, (own, config) in enumerate(zip(self.plan.own, self.plan.configs, strict=True), 1):
            if config is None:
                found.append(Outcome(f"{number} (no run)", None, error=str(own)))
                continue
            name, result = f"{number} {naming.METHODS[naming.method_of(config)]}", self.results[config]
            if isinstance(result, Finished):
                found.append(Outcome(name, config, result))
            else:
                found.append(Outcome(name, config, error=result))
        return Picture(self.plan, self.choice, tuple(found))
