"""Runs as pages see them: in progress, finished, and shared between the sessions of a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from dpviz.analysis.grids import duration
from dpviz.analysis.sizes import held_bytes
from dpviz.arrays import FloatArray, IntArray, Strings
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.imputation import completed
from dpviz.engine.problem import Problem
from dpviz.engine.recording import MOST_RECORDED
from dpviz.engine.search import Search
from dpviz.engine.stored import digest
from dpviz.engine.trace import Trace
from dpviz.engine.warm import warm_algorithm, warm_family
from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.fit.timing import Estimate, estimate
from dpviz.player import LabelTracks, align_runs, track_labels
from dpviz.player.data import PanelData
from dpviz.player.run_panel import most_shown, shown_rows
from dpviz.ui.session import model_choice
from dpviz.ui.session.background import Stage
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, prepare
from dpviz.ui.session.computation import FINISHED, Computation, forget_all
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.model_choice import Asked, KeptModel
from dpviz.ui.session.scale import Scale

QUICK_OPERATIONS = 5e8
"""Operations of any computation that are done before a page is drawn, about half a second."""
UNASKED_OPERATIONS = 6.5e9
"""Computations estimated to take fewer operations, at most some three seconds on most machines, start by themselves."""
UNASKED_COMPARED, UNASKED_GRID, UNASKED_BY_LINK = 8e9, 8e9, 2e9
"""The same for all runs of a comparison, which every lesson is to start; for grids, whose first results show at once;
for grids that a link leads to, which may come from a stranger."""
RUN = "run"
"""First part of the names of finished runs among all results."""
LARGEST_SHARED = 100_000_000
"""Bytes above which a finished run is not kept for other sessions."""
MOST_SWEEPS = 500_000
"""Of a chain on a page: its curves and sizes take some 75 bytes per sweep and cluster, in every picture again."""
TRACKS: Kept[LabelTracks] = Kept(50_000_000)
"""Tracks of the clusters of runs that are shared between sessions, by data, run, and the picture seen before."""


@dataclass(frozen=True, eq=False)
class Finished:
    """A run with everything a page needs to show it.

    Attributes
    ----------
    choice, config : DataChoice, RunConfig
        Data and settings that made it.
    prepared : PreparedData
    trace : Trace
    stopped : bool
        Whether the user ended it early.
    names : mapping of int to str
        Names the user gave to clusters, by the number the player shows.
    asked : RunConfig, optional
        Settings of the controls, if the run continued from another run's clusters or left a choice to the data.
    notes : tuple of str
        Reasons why no narrower width was chosen.
    scale : Scale, optional
        Clusters of the result that are shown joined, if any are.
    like : ndarray of int (N,), optional
        Numbers, and so colours, of the clusters in the picture that was seen before, which this run's are to keep.
    is_loaded : bool
        Whether it was read from a file, so that its settings are not those that somebody asked for here.
    stored_undecided : tuple of str, optional
        Settings that were left to the data, as such a file says, if it does.
    kept : KeptModel, optional
        What was left to the data, if it was not chosen for these settings but kept from a run before.
    """

    choice: DataChoice
    config: RunConfig
    prepared: PreparedData
    trace: Trace
    stopped: bool = False
    names: Mapping[int, str] = field(default_factory=dict)
    asked: RunConfig | None = None
    notes: tuple[str, ...] = ()
    scale: Scale | None = None
    like: IntArray | None = None
    is_loaded: bool = False
    stored_undecided: Strings | None = None
    kept: KeptModel | None = None

    @property
    def n_bytes(self) -> int:
        """Size of all that it leads to, without the data."""
        return held_bytes(self, but=(self.prepared, self.prepared.X))

    @property
    def settings(self) -> RunConfig:
        """Settings of the controls when this run is shown."""
        return self.config if self.asked is None else self.asked

    @property
    def as_asked(self) -> Asked:
        """What asks for this run anew."""
        return Asked(self.choice, self.settings)

    @property
    def exact_settings(self) -> RunConfig:
        """Settings that make this run wherever they go: those of the controls, with the model if it is a kept one."""
        return self.settings if self.kept is None else self.kept.held_by(self.settings)

    @property
    def model(self) -> KeptModel | None:
        """What was left to the data, for other settings to keep; None if nothing was, or it was stopped before."""
        undecided = self.stopped and self.config == self.settings.provisional
        if not self.settings.is_automatic or undecided:
            return None
        of_choice = tuple(note for note in self.notes if not model_choice.is_refusal(note))
        return self.kept or KeptModel(self.choice, self.settings, self.config, of_choice)

    @property
    def undecided(self) -> Strings | None:
        """Settings of the model that were left to the data; None if that is not known."""
        return self.stored_undecided if self.is_loaded else self.settings.undecided

    @cached_property
    def problem(self) -> Problem:
        """Data and model of the run."""
        return Problem(self.prepared.X, self.config)

    def completed(self, sweep: int) -> Problem:
        """Return data and model after a shown sweep, with the cells that the run filled in as they stood then."""
        return completed(self.problem, self.trace, self.trace.row(self.shown_sweep(sweep)))

    @cached_property
    def label_tracks(self) -> LabelTracks:
        """Tracks of the clusters over the shown rows, like those of the picture before if there was one.

        Where the true groups are known, numbers and colours are those of the groups: every run on the same data then
        has the same colours, and a reader who goes from one to the next sees what changed. Sessions that show a
        shared run follow its clusters once.
        """
        if self.scale is not None or not SHARED.holds(self):
            return self._followed()
        like = b"" if self.like is None else self.like.tobytes()
        return TRACKS.get((self.choice.data, self.digest, like), self._followed)

    def _followed(self) -> LabelTracks:
        tracks = track_labels(self.trace.labels[self.shown_rows])
        true = self.prepared.dataset.labels
        if self.like is not None:
            tracks = align_runs([LabelTracks(self.like[None, :], ()), tracks])[1]
        elif true is not None:
            tracks = align_runs([track_labels(true[None, :]), tracks])[1]
        return tracks if self.scale is None else tracks.joined(self.joined_rows, self.scale.union_of(self.trace))

    @cached_property
    def shown_rows(self) -> IntArray:
        """Recorded rows that the player shows."""
        return shown_rows(self.trace)

    @cached_property
    def joined_rows(self) -> IntArray:
        """Which of the shown rows are joined: those with the labels of the result; none without a scale."""
        if self.scale is None:
            return np.empty(0, dtype=np.int64)
        shown = self.trace.labels[self.shown_rows]
        return np.flatnonzero((shown == self.trace.labels[self.trace.result_row]).all(axis=1))

    def in_player(self, panel: PanelData) -> PanelData:
        """Let number of clusters and nll in the player be those of the unions where clusters are joined."""
        return panel if self.scale is None else self.scale.in_player(panel, self.joined_rows)

    def is_joined(self, sweep: int) -> bool:
        """Whether clusters are joined after a sweep."""
        return self._position(sweep) in self.joined_rows

    @cached_property
    def digest(self) -> str:
        """Digest of the trace: no other run, genuine or forged, has the same."""
        return digest(self.trace)

    @property
    def tracks(self) -> tuple[Mapping[int, int], ...]:
        """For every row that is shown, the number the player gives to each label: clusters keep theirs."""
        return self.label_tracks.tables

    def shown_sweep(self, sweep: int) -> int:
        """Return the last sweep at or before ``sweep`` whose labels are shown."""
        return int(self.trace.label_sweeps[self.shown_rows][self._position(sweep)])

    def number(self, label: int, sweep: int) -> int:
        """Return the number the player shows for a label of a sweep, from 1."""
        return self.tracks[self._position(sweep)].get(label, label) + 1

    def cluster_name(self, label: int, sweep: int) -> str:
        """Name of a cluster found (:meth:`name_of`); of one that is joined with others, which part of these it is."""
        number = self.number(label, sweep)
        used = np.unique(self.trace.labels_at(sweep)).tolist()
        parts = [own for own in used if self.number(own, sweep) == number]
        part = f", part {parts.index(label) + 1} of {len(parts)}" if len(parts) > 1 else ""
        return f"{self.name_of(number)}{part}"

    def name_of(self, number: int) -> str:
        """Name given by the user to a number, or “cluster” and the number."""
        return self.names.get(number, f"cluster {number}")

    def clusters_at(self, sweep: int) -> IntArray:
        """Clusters (N,) of a shown sweep: its labels, or where clusters are joined the numbers of their unions."""
        if self.scale is not None and self.is_joined(sweep):
            return self.scale.labels
        return self.trace.labels_at(sweep).astype(np.int64)

    def number_of(self, cluster: int, sweep: int) -> int:
        """Return the number the player shows for a cluster of :meth:`clusters_at`, from 1."""
        first = int(np.argmax(self.clusters_at(sweep) == cluster))
        return self.number(int(self.trace.labels_at(sweep)[first]), sweep)

    def numbers_of_result(self) -> list[int]:
        """Return the numbers the player shows for the clusters of the result, in the order of their labels."""
        sweep = self.trace.result_sweep
        return [self.number_of(int(cluster), sweep) for cluster in np.unique(self.clusters_at(sweep))]

    def _position(self, sweep: int) -> int:
        sweeps = self.trace.label_sweeps[self.shown_rows]
        return max(int(np.searchsorted(sweeps, sweep, side="right")) - 1, 0)


class SharedRun(NamedTuple):
    """A finished run as all sessions have it.

    Attributes
    ----------
    trace : Trace
    asked : RunConfig or None
        Settings of the controls, if the run was made with others: it is found by both.
    notes : tuple of str
    """

    trace: Trace
    asked: RunConfig | None
    notes: tuple[str, ...]


class SharedRuns:
    """Finished runs of the whole server: many sessions that follow one link compute its run once."""

    def get(self, choice: DataChoice, config: RunConfig, prepared: PreparedData | None = None) -> Finished | None:
        """Return the finished run of this data and configuration, if any session has made it.

        Parameters
        ----------
        choice, config : DataChoice, RunConfig
        prepared : PreparedData, optional
            The data of the choice; without them a session must ask, since threads cannot look up own data.

        Raises
        ------
        DpvizError
            If there is one, but its data are no longer available.
        """
        choice = choice.data
        known: SharedRun | None = FINISHED.find((RUN, choice, config))
        if known is None:
            return None
        trace, asked, notes = known
        if config != asked:  # it names what the data have chosen elsewhere
            asked, notes = None, ()
        return Finished(choice, trace.config, prepared or prepare(choice), trace, asked=asked, notes=notes)

    def put(self, finished: Finished) -> None:
        """Keep a completed run for all that have its data: nobody else can name those that a user brought."""
        if finished.n_bytes > LARGEST_SHARED:
            return
        if finished.kept is not None:  # it is not the run of the settings that leave the model to the data
            finished = replace(finished, asked=None, notes=())
        choice, run = finished.choice.data, SharedRun(finished.trace, finished.asked, finished.notes)
        for config in {run.trace.config, run.asked or run.trace.config}:
            FINISHED.put((RUN, choice, config), run)  # without the data, which are kept where they are prepared

    def clear(self) -> None:
        """Forget all runs; those in progress continue while they are watched."""
        forget_all(RUN)

    def holds(self, finished: Finished) -> bool:
        """Return whether exactly this run is for every session: made by the engine, from no data or file of a user."""
        if finished.choice.source == "session":
            return False
        known = self.get(finished.choice, finished.config)
        return known is not None and known.trace is finished.trace


SHARED = SharedRuns()


def finished_run(asked: Asked, prepared: PreparedData | None = None) -> Finished | None:
    """Return the finished run that is asked for, if any session made it, on the axes that are.

    Parameters
    ----------
    asked : Asked
    prepared : PreparedData, optional
        As for :meth:`SharedRuns.get`.
    """
    choice, config, kept = asked
    known = SHARED.get(choice, asked.to_run, prepared)
    if known is None:
        return None
    if kept is not None and asked.to_run != config:
        known = replace(known, asked=config, kept=kept, notes=kept.said_of(choice))
    return replace(known, choice=choice, prepared=prepared or prepare(choice), names={}, scale=None)


def kept_model(shown: Finished | None, asked: Asked) -> KeptModel | None:
    """Return the model of the run shown if other settings only turn numbers beside it.

    So it does not change under the hands of those who turn N0 or the seed. Where anything else changes, or where they
    turn back to what it was chosen for, the data choose.
    """
    choice, config, _ = asked
    model = None if shown is None or not config.is_automatic else shown.model
    if shown is None or model is None or shown.choice.data != choice.data:
        return None
    turned = model_choice.only_turned(choice, shown.settings, config)
    return model if turned and not model.is_of(choice, config) else None


def wanted(
    place: str, asked: Asked, known: Callable[[], Finished | None] | None = None, search: Search | None = None
) -> Computation:
    """Return a run as a computation.

    Parameters
    ----------
    place : str
    asked : Asked
    known : callable, optional
        Returns the run if the place has it; by default, if any session has made it.
    search : Search, optional
        As for :class:`Job`.
    """
    return Computation(
        place,
        asked.key,
        lambda: Job(asked, search=search),
        estimate_of(asked),
        unasked=UNASKED_OPERATIONS,
        at_once=QUICK_OPERATIONS,
        shared=True,
        known=known or (lambda: finished_run(asked)),
    )


def estimate_of(asked: Asked) -> Estimate:
    """Estimate a run that is asked for."""
    return expected(asked.to_run, prepare(asked.choice))


def estimate_on(config: RunConfig, X: FloatArray) -> Estimate:
    """Estimate a run, with the number of clusters that the data suggest, if they suggest one."""
    algorithm, expected = ALGORITHMS[config.algorithm], estimate(config, X.shape)
    usual = algorithm.expected_clusters(config, len(X))
    factor = max(1.0, algorithm.clusters_on(config, X) / max(usual, 1.0))
    return expected.times(factor)._replace(n_clusters=expected.n_clusters * factor)


class _Pace(NamedTuple):
    """How long a run took: its clusters, and its seconds as a multiple of the estimate."""

    n_clusters: int
    factor: float


def expected(config: RunConfig, prepared: PreparedData) -> Estimate:
    """Estimate a run as :func:`estimate_on` does, its seconds by those of the last such run on these data."""
    guessed = estimate_on(config, prepared.X)
    pace: _Pace | None = FINISHED.find(_pace_name(config, prepared.choice))
    if pace is None:
        return guessed
    return guessed._replace(seconds=guessed.seconds * pace.factor, n_clusters=pace.n_clusters, measured=True)


def note_pace(config: RunConfig, prepared: PreparedData, trace: Trace) -> None:
    """Remember how long a run has taken that was made for a configuration."""
    guessed = estimate_on(config, prepared.X).seconds
    pace = _Pace(int(trace.n_clusters[-1]), trace.total_seconds / max(guessed, 1e-9))
    FINISHED.put(_pace_name(config, prepared.choice), pace)


def _pace_name(config: RunConfig, choice: DataChoice) -> tuple[object, ...]:
    return "pace", choice.data, config.algorithm, config.family


@cache
def _load_kernels(algorithm: str, family: str) -> None:
    warm_algorithm(algorithm)
    if family:
        warm_family(family)


class Job:
    """A run in progress, a task of :mod:`dpviz.ui.session.background`.

    Parameters
    ----------
    asked : Asked
        Automatic settings are chosen first, and the usual family and prior shown until then, unless a model is kept
        that data and settings allow.
    prepared : PreparedData, optional
        The data of the choice, if they are prepared already; threads cannot look up own data.
    search : Search, optional
        A finished search; it continues if the configuration is the same with more effort.

    Attributes
    ----------
    result : Finished or None
        Once it is over.
    search : Search
    to_run : RunConfig
        The configuration, with the model if one is kept.

    Raises
    ------
    DpvizError
        If data and configuration do not fit together.
    """

    waits = resumes = True

    def __init__(self, asked: Asked, prepared: PreparedData | None = None, search: Search | None = None) -> None:
        self.choice, self.config, kept = asked
        self.prepared = prepared or prepare(asked.choice)
        self.result: Finished | None = None
        self.kept: KeptModel | None = None
        self.to_run, self.notes, self._refused = asked.config, tuple[str, ...](), tuple[str, ...]()
        goes_on = search is not None and search.problem.X is self.prepared.X and search.allow(asked.config)
        if search is not None and goes_on:
            self.problem, self.search = search.problem, search
        else:
            self._begin(kept)
        self._seconds = 0.0
        self._stage = Stage(0.0, "starting")
        self._n_sweeps_done = 0
        self._begun_search: tuple[float, float] | None = None

    @property
    def settings(self) -> RunConfig:
        """Settings of the controls, as a finished run has them."""
        return self.config

    @property
    def as_asked(self) -> Asked:
        """What asks for this run anew."""
        return Asked(self.choice, self.config)

    @property
    def model(self) -> KeptModel | None:
        """What was left to the data, if it is known."""
        return self.kept

    def steps(self) -> Iterator[float]:
        """Sweep, yielding the operations of every sweep."""
        if self.kept is not None:
            try:
                yield from self._sweeps()
            except DpvizError as error:
                self._begin_without(error)
            else:
                return
        if self.config.is_automatic:
            yield from self._choose()
        yield from self._sweeps()

    def _sweeps(self) -> Iterator[float]:
        self._load_kernels()
        config, (n_points, n_features) = self.problem.config, self.problem.X.shape
        n_clusters, spent = 1, None if self.search.iterated is None else self.search.iterated.spent
        since = time.perf_counter()
        for start, _, record in self.search.records():
            self._seconds += time.perf_counter() - since
            if record is not None:
                n_clusters = record.n_clusters
                self._n_sweeps_done += record.sweep > 0
            self._stage = self._progress(start)
            before, iterated = spent, self.search.iterated
            spent = None if iterated is None else iterated.spent
            if spent is not None and before is not None:
                yield spent - before
            else:
                yield self.problem.algorithm.sweep_operations(config, n_points, n_features, n_clusters + 1)
            since = time.perf_counter()  # not before: it may have been stopped in the meantime

    def _load_kernels(self) -> None:
        """Use the kernels once on a few points: loading them from disk must not count as time of the run."""
        config = self.problem.config
        _load_kernels(config.algorithm, config.candidates[0] if config.uses_model else "")

    def _begin(self, kept: KeptModel | None) -> None:
        """Set the search up with a model that is kept, if that can be, else with the usual one until one is chosen."""
        try:
            self.to_run = self.config if kept is None else kept.held_by(self.config)
            self.problem = self._checked(self.to_run.provisional)
        except DpvizError as error:
            if kept is None:
                raise
            self._begin_without(error)
            return
        self.kept, self.notes = kept, () if kept is None else kept.said_of(self.choice)
        self.search = self._bounded()

    def _begin_without(self, error: DpvizError) -> None:
        """Begin without the model that was kept, and say why."""
        self._begin(None)
        self._refused = (model_choice.REFUSED.format(error),)

    def _checked(self, config: RunConfig) -> Problem:
        problem = Problem.check(self.prepared.X, config)
        if problem.algorithm.is_chain and config.n_sweeps > MOST_SWEEPS:
            raise InvalidParameterError(
                f"n_sweeps = {config.n_sweeps:,} must be at most {MOST_SWEEPS:,} on a page, which keeps the curves of "
                "all sweeps in the server's memory. Run longer chains on the command line."
            )
        return problem

    def _bounded(self) -> Search:
        """Return the search, which records so few labels that many sessions fit into one server."""
        return Search(self.problem, most_bytes=MOST_RECORDED)

    def _choose(self) -> Iterator[float]:
        """Choose family and width, yielding the operations of every step."""
        self._load_kernels()
        next(self.search.records())  # a first picture
        self._stage = Stage(0.0, model_choice.WORDS)
        yield 0.0
        chosen = yield from model_choice.choosing(self.prepared, self.config)
        self.notes = chosen.notes
        self.problem = self._checked(chosen.held_by(self.config))
        self.search = self._bounded()
        self.search.seconds = chosen.seconds  # counted for this run even if another session made the choice

    def picture(self) -> Trace:
        """Trace of the restart that is running now, with the labels that a picture of it shows."""
        return self.prepared.units.trace(self.search.current_trace(most_shown(len(self.prepared.X))))

    def finish(self, stopped: bool) -> None:
        """Keep the result, also of a stopped run; others that have the data find a completed run."""
        config = self.problem.config
        asked = self.config if self.config != config else None
        trace = self.prepared.units.trace(self.search.trace())
        finished = Finished(
            self.choice, config, self.prepared, trace, stopped, asked=asked, notes=self.notes, kept=self.kept
        )
        self.result = replace(finished, notes=(*self._refused, *self.notes))
        if not stopped:
            SHARED.put(finished)
            note_pace(self.to_run, self.prepared, trace)

    def stages(self) -> list[Stage]:
        """Report the run's progress."""
        return [self._stage]

    def _progress(self, start: int) -> Stage:
        """Share done, by starts and the sweeps of a chain, and a sentence."""
        search = self.search
        share = 0.2 if search.goes_on else 1.0  # of the bar, for the restarts
        iterated = search.iterated
        if iterated is not None:
            self._begun_search = self._begun_search or (self._seconds, iterated.share)
            words = f"search from the best starts · {iterated.n_trials:,} changes tried, {len(search.improved)} helped"
            begun, before = self._begun_search
            left = _left(self._seconds - begun, iterated.share - before, 1 - iterated.share)
            return Stage(share + (1 - share) * iterated.share, f"{words}{left and f' · at most {left}'}")
        elapsed = max(self._seconds, 1e-9)
        n_starts, sweep = len(search.kinds), search.current_sweep
        is_chain, n_sweeps = self.problem.algorithm.is_chain, self.problem.algorithm.n_sweeps(self.config)
        inside = sweep / n_sweeps if is_chain else 1 - np.exp(-sweep / 15)
        which = f"start {start + 1} of {n_starts}, " if n_starts > 1 else ""
        rate = self._n_sweeps_done / elapsed
        per_second = f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
        done = start + (inside if is_chain else 0.0)  # when a start converges cannot be known
        left = _left(elapsed, done, n_starts - done)
        left += " for the starts" if left and search.goes_on else ""
        words = f"{which}sweep {sweep} · {per_second} sweeps/s{left and f' · {left}'}"
        return Stage(share * min((start + inside) / n_starts, 1.0), words)


def _left(seconds: float, done: float, to_do: float) -> str:
    """Say how long the rest takes by the pace so far; nothing before there is one."""
    return f"about {duration(seconds * to_do / done)} left" if done > 0 and to_do > 0 else ""
