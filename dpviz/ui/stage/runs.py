"""The runs of the Compare page: known ones, missing ones, and the picture of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpviz.analysis.effort import same_work
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, Display
from dpviz.engine.algorithms.base import describe, method_of
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.fit.timing import NOTHING, Estimate
from dpviz.limits import MOST_LABELS
from dpviz.player import PanelData, build_payload, panel_color, track_labels
from dpviz.player.agreement import agreement_curves
from dpviz.player.payload import track_panels
from dpviz.player.run_panel import panel, shown_part
from dpviz.ui.session import jobs, naming
from dpviz.ui.session.background import Stage
from dpviz.ui.session.chosen_data import (
    DISCRIMINANTS,
    DataChoice,
    PreparedData,
    prepare,
    rows_of,
)
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.session.model_choice import Asked, is_refusal, to_run
from dpviz.ui.session.scale import Scale
from dpviz.ui.stage.panels import WORK
from dpviz.ui.stage.plan import Plan, data_of, family_in_words, shared_rows

MOST_ROWS = 1_000
STOPPED = "Not run: the comparison was stopped."


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of one panel.

    Attributes
    ----------
    name : str
        Number and method, unique among the panels.
    config : RunConfig or None
        The settings it was run with; None if its controls are invalid.
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
        """Main parameter, family and seed."""
        if self.config is None:
            return ""
        parts = (naming.main_parameters(self.config), self.family, f"seed {self.config.seed}")
        return " · ".join(part for part in parts if part)

    @property
    def family(self) -> str:
        """The component family in words, as chosen; empty if there is none."""
        made_with = self.config if self.finished is None else self.finished.config
        return "" if made_with is None else family_in_words(made_with)


@dataclass(frozen=True, eq=False)
class Picture:
    """Runs on the same data, as they are shown together.

    Attributes
    ----------
    plan : Plan
        Plan that made it, without models that panels could not keep.
    choice : DataChoice
        The data, with the axes shown.
    outcomes : tuple of Outcome
        One per panel.
    made_by : Batch, optional
        The batch that ended with it, if it was stopped.
    seen : ndarray of int (N,), optional
        Numbers, and so colours, that all rows had in the picture that was seen before.
    """

    plan: Plan
    choice: DataChoice
    outcomes: tuple[Outcome, ...]
    made_by: Batch | None = None
    seen: IntArray | None = None

    @cached_property
    def runs(self) -> tuple[tuple[str, Finished], ...]:
        """Names and runs of the panels that have one."""
        return tuple((outcome.name, outcome.finished) for outcome in self.outcomes if outcome.finished is not None)

    @cached_property
    def whole(self) -> PreparedData:
        """The data with all rows that any panel uses."""
        return prepare(self.choice)

    @cached_property
    def rows(self) -> dict[str, IntArray]:
        """Which of all rows each run uses."""
        return {name: rows_of(finished.prepared, self.whole) for name, finished in self.runs}

    @cached_property
    def shared(self) -> dict[str, IntArray]:
        """Positions, among each run's own rows, of the rows that all runs use: comparisons are made on these."""
        return dict(zip(self.rows, shared_rows(list(self.rows.values())), strict=True))

    @cached_property
    def compared_rows(self) -> IntArray:
        """Rows of the whole table that all runs use."""
        first = self.runs[0][0]
        return self.rows[first][self.shared[first]]

    @property
    def true_labels(self) -> IntArray | None:
        """Known groups of the rows that all runs use."""
        labels = self.whole.dataset.labels
        return None if labels is None else labels[self.compared_rows]

    @property
    def leaving_rows_out(self) -> list[str]:
        """Names of the runs that leave out some rows."""
        return [name for name, rows in self.rows.items() if len(rows) < len(self.whole.X)]

    @property
    def traces(self) -> dict[str, Trace]:
        """Traces by name."""
        return {name: finished.trace for name, finished in self.runs}

    @cached_property
    def resting_sweep(self) -> int:
        """Where the playhead shows the results of most runs, of these the last: runs that ended before stay there."""
        results = {name: trace.result_sweep for name, trace in self.traces.items()}
        places = {*results.values(), max(trace.n_sweeps for trace in self.traces.values())}
        shown = {sweep: sum(self.at(name, sweep) == own for name, own in results.items()) for sweep in places}
        return max(places, key=lambda sweep: (shown[sweep], sweep))

    def at(self, name: str, sweep: int) -> int:
        """Return the sweep that the panel of a run shows when the playhead is at ``sweep``."""
        return min(sweep, self.traces[name].n_sweeps)

    def settings(self, name: str) -> str:
        """Return the main parameter and seed of a panel."""
        return next(outcome.settings for outcome in self.outcomes if outcome.name == name)

    def described(self, name: str) -> str:
        """Return name, main parameter and seed of a panel."""
        return f"{name} · {self.settings(name)}"

    def title(self, name: str) -> str:
        """Return the heading of a panel: the settings it does not share with all others."""
        outcome = next(outcome for outcome in self.outcomes if outcome.name == name)
        config = outcome.config
        assert config is not None
        configs = [other.config for other in self.outcomes if other.config is not None]
        families = {other.family for other in self.outcomes} - {""}
        parts = [name, naming.main_parameters(config)]
        parts += [outcome.family] if len(families) > 1 else []
        parts += [f"seed {config.seed}"] if len({other.seed for other in configs}) > 1 else []
        return " · ".join(part for part in parts if part)

    def on_axes(self, choice: DataChoice) -> Picture:
        """Return the same runs shown on the axes of a choice of the same data."""
        moved = []
        for outcome in self.outcomes:
            if outcome.finished is not None:
                own = data_of(choice, outcome.finished.config)
                outcome = replace(outcome, finished=replace(outcome.finished, choice=own, prepared=prepare(own)))
            moved.append(outcome)
        return replace(self, choice=choice, outcomes=tuple(moved))

    def at_scales(self, scales: Mapping[str, Scale]) -> Picture:
        """Return the same runs with clusters of some of the results joined."""
        moved = []
        for outcome in self.outcomes:
            if outcome.finished is not None and outcome.name in scales:
                outcome = replace(outcome, finished=replace(outcome.finished, scale=scales[outcome.name]))
            moved.append(outcome)
        return replace(self, outcomes=tuple(moved))

    @property
    def refusals(self) -> list[str]:
        """Say which runs could not keep the model of a run before, and why."""
        return [f"{name}: {note}" for name, run in self.runs for note in run.notes if is_refusal(note)]

    @property
    def complete(self) -> bool:
        """Whether no run was stopped early or left out by stopping."""
        return all(o.error != STOPPED and not (o.finished and o.finished.stopped) for o in self.outcomes)

    @cached_property
    def panels(self) -> list[PanelData]:
        """Panels of the player, one per run."""
        each = max(2, min(MOST_ROWS, MOST_LABELS // (len(self.runs) * self.runs[0][1].trace.n_points)))
        panels = []
        for name, finished in self.runs:
            pictured = _OnCommonAxes(finished.prepared, self.whole)
            shown = replace(finished, trace=shown_part(finished.trace, each * finished.trace.n_points))
            data = panel(pictured, shown.trace, self.title(name))
            tracks = track_labels(data.labels)  # once, for the player and for the results below it
            if shown.scale is not None:
                tracks = tracks.joined(shown.joined_rows, shown.scale.union_of(shown.trace))
            data = shown.in_player(replace(data, tracks=tracks))
            panels.append(self._judged(name, data) if self.leaving_rows_out else data)
        return panels

    def _judged(self, name: str, data: PanelData) -> PanelData:
        """Add the curves of agreement of what is shown with the known groups, on the rows that all runs use."""
        tracks = data.tracks
        if self.true_labels is None or tracks is None:
            return data
        found = agreement_curves(tracks.tracks[:, self.shared[name]], self.true_labels)
        nmi, ari = (np.full(data.n_sweeps + 1, np.nan) for _ in found)
        nmi[data.label_sweeps], ari[data.label_sweeps] = found
        return replace(data, agreement=nmi, adjusted_rand=ari)

    @cached_property
    def payload(self) -> bytes:
        """Payload of the player."""
        return build_payload(self.panels, shared=self._shared_if_they_differ, like=self._like)

    @property
    def _shared_if_they_differ(self) -> list[IntArray] | None:
        return list(self.shared.values()) if self.leaving_rows_out else None

    @property
    def _like(self) -> list[IntArray] | None:
        """Numbers that each run is to agree with: those of the true groups if they are known, else those seen before.

        So colours stay where knobs turn.
        """
        known = self.whole.dataset.labels
        numbers = self.seen if known is None or not np.ptp(known) else track_labels(known[np.newaxis]).tracks[0]
        return None if numbers is None else [numbers[rows] for rows in self.rows.values()]

    def after(self, before: Picture | None) -> Picture:
        """Return the picture with the colours of one that was seen before, if that has the same data."""
        if before is None or before.choice.data != self.choice.data:
            return self
        whole = [name for name, rows in before.rows.items() if len(rows) == len(before.whole.X)]
        return replace(self, seen=before.all_labels[whole[0]]) if whole else self

    def colors(self, dark: bool) -> dict[str, str]:
        """Return the colour of each run's panel in the player."""
        return {name: panel_color(number, dark=dark) for number, (name, _) in enumerate(self.runs)}

    @property
    def labels(self) -> dict[str, IntArray]:
        """Result of every run on the rows that all use, numbered from 0 by the colours of the player."""
        return {name: labels[self.shared[name]] for name, labels in self.all_labels.items()}

    @cached_property
    def all_labels(self) -> dict[str, IntArray]:
        """Result of every run on its own rows."""
        numbered, followed = {}, track_panels(self.panels, shared=self._shared_if_they_differ, like=self._like)
        for (name, finished), data, tracks in zip(self.runs, self.panels, followed, strict=True):
            sweep = finished.trace.label_sweeps[finished.trace.result_row]
            row = int(np.searchsorted(data.label_sweeps, sweep))
            numbered[name] = tracks.tracks[row].astype(np.int64)
        return numbered


@dataclass(frozen=True, eq=False)
class _OnCommonAxes:
    """The data of one panel on the axes of all: left-out rows must not rotate the others."""

    own: PreparedData
    whole: PreparedData

    @property
    def dataset(self) -> Dataset:
        """As loaded."""
        return self.own.dataset

    @property
    def clustered(self) -> Dataset:
        """The clustered numbers of this panel."""
        return self.own.clustered

    def display(self, labels: IntArray | None = None) -> Display:
        """Place the panel's points on axes of the whole table, or on discriminants of its own clusters if chosen."""
        other_units = self.own.dataset.kinds != self.whole.dataset.kinds  # numbers that the others have as categories
        if self.own.clustered is self.whole.clustered or other_units or self.own.choice.axes == (DISCRIMINANTS,):
            return self.own.display(labels)
        axes = self.whole.display()
        if self.own.choice.mixed:  # the others have the columns as they are
            axes = self.own.preparation.pulled_back(axes)
        return axes._replace(coordinates=axes.place(self.own.clustered.filled().X))


def keeping(plan: Plan, picture: Picture | None) -> Plan:
    """Return a plan whose panels keep the models of a picture where only N0, a temperature or a seed turned since.

    A panel keeps the model of the run with its settings, else of the one in its place.
    """
    if picture is None or picture.plan.as_asked == plan:
        return plan if picture is None else picture.plan
    runs = [outcome.finished for outcome in picture.outcomes]
    places = runs if len(runs) == len(plan.configs) else [None] * len(plan.configs)
    models = []
    for config, in_place in zip(plan.configs, places, strict=True):
        same = next((run for run in runs if run is not None and run.settings == config), in_place)
        asked = None if config is None else Asked(data_of(plan.choice, config), config)
        models.append(None if asked is None else jobs.kept_model(same, asked))
    return plan.keeping(models)


class Batch:
    """The missing runs of a comparison, one after the other, as a background task.

    For equal work, those that did less than the costliest are run once more, with more starts.

    Parameters
    ----------
    plan : Plan
    before : Picture, optional
        Runs that are shown: those of this plan are kept, also where they are too large for other sessions.

    Attributes
    ----------
    result : Batch
        Itself: it has the runs that are there.
    """

    waits, resumes = True, False

    def __init__(self, plan: Plan, before: Picture | None = None) -> None:
        self.plan = plan
        runs = () if before is None else [run for _, run in before.runs if not run.stopped]
        self._before = {(run.choice.data, run.exact_settings): run for run in runs}
        self.result = self
        methods = {c.algorithm: c for c in plan.configs if c is not None}
        panels = zip(plan.configs, plan.as_asked.configs, plan.models, strict=True)
        self._kept = {config: (asked, kept) for config, asked, kept in panels if config and asked}
        self._choices = {name: data_of(plan.choice, config) for name, config in methods.items()}
        self._prepared = {name: prepare(choice) for name, choice in self._choices.items()}
        self.results: dict[RunConfig, Finished | str] = {c: self._known(c) for c in plan.configs if c is not None}
        self.pending: list[RunConfig] = []
        self._jobs: dict[RunConfig, Job] = {}
        self._extended: dict[RunConfig, RunConfig] = {}
        self._running: RunConfig | None = None
        self._prepare_jobs()
        if not self.pending:
            self._extend()
        self.estimate = self._estimated()

    def _known(self, config: RunConfig) -> Finished | str:
        """Return a run that exists; nothing if none does."""
        choice = self._choices[config.algorithm]
        shown = self._before.get((choice.data, config))
        return shown or jobs.finished_run(Asked(choice, config), self._prepared[config.algorithm]) or ""

    def _estimated(self) -> Estimate:
        expected = sum((self._estimate(config) for config in self.pending), NOTHING)
        if self.plan.common.effort == WORK and not self._extended:
            costliest = max(map(self._estimate, self.results), default=NOTHING)
            expected += costliest.times(len(self.results) - 1)
        return expected

    def _estimate(self, config: RunConfig) -> Estimate:
        return jobs.expected(config, self._prepared[config.algorithm])

    def _prepare_jobs(self) -> None:
        """Queue the missing runs, and note at once why others cannot be run."""
        for config in [config for config, result in self.results.items() if result == ""]:
            self.pending.append(config)
            try:
                name = config.algorithm
                asked = Asked(self._choices[name], *self._kept.get(config, (config, None)))
                self._jobs[config] = Job(asked, self._prepared[name])
            except DpvizError as error:
                self._keep(config, str(error))

    def _extend(self) -> None:
        """For equal work, queue runs with the number of starts that matches the work of the costliest run."""
        if self.plan.common.effort != WORK:
            return
        done = {config: run.trace for config, run in self.results.items() if isinstance(run, Finished)}
        n_features = next(iter(self._prepared.values())).X.shape[1]
        extended = same_work(list(done.values()), n_features)
        self._extended = {
            config: config if more == trace.config else more
            for (config, trace), more in zip(done.items(), extended, strict=True)
        }
        for config in self._extended.values():
            if config not in self.results:
                self.results[config] = self._known(config)
        self._prepare_jobs()

    def steps(self) -> Iterator[float]:
        """Run the queue."""
        yield from self._run_pending()
        if not self._extended:
            self._extend()
            yield from self._run_pending()

    def _run_pending(self) -> Iterator[float]:
        for config in list(self.pending):
            self._running = config
            job = self._jobs[config]
            try:
                yield from job.steps()
                job.finish(stopped=False)
            except DpvizError as error:
                self._keep(config, str(error))
            else:
                self._keep(config, job.result or STOPPED)
            self._running = None

    def picture(self) -> None:
        """Show only progress."""

    def finish(self, stopped: bool) -> None:
        """End the run in progress, whose sweeps so far count, and leave out the others."""
        running = self._running
        if stopped and running is not None:
            self._jobs[running].finish(stopped=True)
            self._keep(running, self._jobs[running].result or STOPPED)
        for config in list(self.pending):
            self._keep(config, STOPPED)

    def _keep(self, config: RunConfig, result: Finished | str) -> None:
        self.results[config] = result
        self.pending.remove(config)

    def stages(self) -> list[Stage]:
        """Report the progress of every panel."""
        configs = [config for config in self.plan.configs if config is not None]
        return [
            Stage(share, f"{number} {describe(config)}: {words}")
            for number, config in enumerate(configs, 1)
            for share, words in [self._stage(config)]
        ]

    def _stage(self, config: RunConfig) -> Stage:
        config = self._extended.get(config, config)
        if config not in self.pending:
            return Stage(1.0, "done")
        return self._jobs[config].stages()[0] if config == self._running else Stage(0.0, "waiting")

    def picture_of_all(self, failure: str = "") -> Picture:
        """Collect the runs, and the panels that have none.

        Parameters
        ----------
        failure : str
            Error of the task, which is the reason for every run that it did not reach.
        """
        plan, found = self._plan_of_results(), []
        for number, (own, config) in enumerate(zip(self.plan.own, self.plan.configs, strict=True), 1):
            if config is None:
                found.append(Outcome(f"{number} (no run)", None, error=str(own)))
                continue
            name, result = f"{number} {method_of(config).title}", self._result(config)
            if isinstance(result, Finished):
                asked, kept = plan.as_asked.configs[number - 1], plan.models[number - 1]
                asked = None if asked == result.config else asked
                if (result.asked, result.kept) != (asked, kept):
                    result = replace(result, asked=asked, kept=kept)
                found.append(Outcome(name, result.config, result))
            else:
                found.append(Outcome(name, config, error=result or failure))
        picture = Picture(plan, plan.choice, tuple(found))
        return picture if picture.complete else replace(picture, made_by=self)

    def _plan_of_results(self) -> Plan:
        """Return the plan without the models that panels could not keep."""
        models = []
        for config, kept in zip(self.plan.configs, self.plan.models, strict=True):
            result = None if config is None else self._result(config)
            refused = kept is not None and isinstance(result, Finished) and to_run(result.config, kept) != result.config
            models.append(None if refused else kept)
        return self.plan.as_asked.keeping(models)

    def _result(self, config: RunConfig) -> Finished | str:
        """Return the outcome of a panel; one that was stopped before its further starts keeps the first ones."""
        first, result = self.results[config], self.results[self._extended.get(config, config)]
        given_up = not isinstance(result, Finished) or result.stopped
        if isinstance(first, Finished) and first is not result and given_up:
            return replace(first, stopped=True)
        return result
