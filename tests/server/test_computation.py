"""Long computations of pages: known, waiting, running, stopped, continued, failed; and who uses which cores."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from configs import usual_config
from streamlit.testing.v1 import AppTest

from dpviz.analysis.grids import duration
from dpviz.analysis.sampling import Chains
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError
from dpviz.fit.timing import Estimate
from dpviz.ui.posterior.sampling import Sampling
from dpviz.ui.posterior.settings import Setup
from dpviz.ui.session import background, computation, cores, jobs, tasks
from dpviz.ui.session.background import Stage, Work
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.computation import Computation, Done, Failed, Running, Waiting
from dpviz.ui.session.cores import held_cores
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.session.tasks import Gathered, Staged
from pages import ended, press, wait

QUICK, LONG = Estimate(1.0, 1.0), Estimate(9.0, 90.0)


@pytest.fixture(autouse=True)
def session(monkeypatch, tmp_path) -> Iterator[dict[str, Any]]:
    """A session of its own, of a server that knows nothing."""
    held: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", held)
    monkeypatch.setattr(cores, "folder", lambda: tmp_path)
    computation.forget_all()
    yield held
    for begun in held["computations"].begun.values() if "computations" in held else ():
        if begun.work is not None:
            begun.work.stop()
    computation.forget_all()


def numbers(last: int, gate: threading.Semaphore | None = None, error: Exception | None = None) -> Gathered:
    """1, 2, 3, … one by one, each when the gate lets it."""

    def begin(n_jobs: int) -> Generator[int, None, None]:
        for number in range(1, last + 1):
            if gate is not None:
                gate.acquire()
            yield number
        if error is not None:
            raise error

    return Gathered(begin, last, 1.0)


def asked(key: object = "a", estimate: Estimate = QUICK, **options: Any) -> Computation:
    """A computation of three numbers that starts by itself if it is quick."""
    begin = options.pop("begin", lambda: numbers(3))
    return Computation(options.pop("place", "here"), key, begin, estimate, unasked=5.0, **options)


def at_end(wanted: Computation) -> Any:
    """How it stands once it does not run any more."""
    outcome = computation.wanted(wanted)
    if isinstance(outcome, Running):
        ended(outcome.work)
        outcome = computation.wanted(wanted)
    return outcome


def test_what_is_quick_starts_by_itself_and_what_is_long_waits():
    assert at_end(asked()).result == [1, 2, 3]
    waiting = computation.wanted(asked("b", LONG))
    assert isinstance(waiting, Waiting) and waiting.estimate is LONG and computation.current("here") is None
    computation.start(asked("b", LONG))
    assert at_end(asked("b", LONG)).result == [1, 2, 3]


def test_what_is_done_at_once_is_there_at_once():
    outcome = computation.wanted(asked(at_once=float("inf")))
    assert isinstance(outcome, Done) and outcome.result == [1, 2, 3] and not outcome.stopped


@pytest.mark.parametrize("shared", [True, False])
def test_finished_results_are_shared_if_they_may_be(session, shared):
    wanted = asked(estimate=LONG, shared=shared)
    computation.start(wanted)
    assert at_end(wanted).result == [1, 2, 3]
    session.clear()  # another session
    assert isinstance(computation.wanted(wanted), Done if shared else Waiting)


def test_what_was_stopped_is_not_taken_for_the_whole_and_goes_on(session):
    gate = threading.Semaphore(2)
    wanted = asked(begin=lambda: numbers(3, gate), shared=True)
    running = computation.wanted(wanted)
    assert isinstance(running, Running)
    wait(lambda: len(running.work.task.result) == 2)
    computation.stop("here")
    stopped = computation.wanted(wanted)
    assert isinstance(stopped, Done) and stopped.stopped and stopped.result == [1, 2]
    gate.release(5)
    ended(running.work)
    assert computation.wanted(wanted).stopped and computation.FINISHED.find(wanted.name) is None
    assert computation.is_begun_elsewhere(wanted) is False
    computation.start(wanted)
    assert at_end(wanted).result == [1, 2, 3] and not at_end(wanted).stopped
    assert computation.FINISHED.find(wanted.name) == [1, 2, 3]


def test_another_wish_ends_the_one_before_and_what_it_had_is_there_again():
    gate = threading.Semaphore(1)
    first = asked("first", begin=lambda: numbers(3, gate))
    running = computation.wanted(first)
    assert isinstance(running, Running)
    wait(lambda: running.work.task.result)
    assert at_end(asked("second")).result == [1, 2, 3] and running.work.stopped
    again = computation.wanted(first)
    assert isinstance(again, Done) and again.stopped and again.result == [1]
    gate.release(9)


def test_stages_go_on_where_they_stopped():
    gate, begun = threading.Semaphore(1), []

    def staged():
        begun.append(1)
        for number in range(4):
            gate.acquire()
            yield Stage(number / 4, "…")
        return "whole"

    wanted = asked(begin=lambda: Staged(staged))
    running = computation.wanted(wanted)
    assert isinstance(running, Running)
    computation.stop("here")
    assert isinstance(computation.wanted(wanted), Running)  # there is nothing to show before the step is done
    gate.release()
    ended(running.work)
    stopped = computation.wanted(wanted)
    assert isinstance(stopped, Done) and stopped.stopped and stopped.result is None
    gate.release(9)
    computation.start(wanted)
    assert at_end(wanted).result == "whole" and begun == [1]


def test_errors_are_told_before_and_while_it_runs_and_it_can_be_tried_again():
    def refuse():
        raise DpvizError("no *such* thing")

    outcome = computation.wanted(asked(begin=refuse))
    assert isinstance(outcome, Failed) and outcome.message == "no *such* thing" and outcome.result is None
    assert isinstance(computation.wanted(asked(begin=lambda: numbers(3))), Failed)  # not again by itself
    computation.start(asked())
    assert at_end(asked()).result == [1, 2, 3]
    later = at_end(asked("later", begin=lambda: numbers(2, error=DpvizError("too few points."))))
    assert isinstance(later, Failed) and later.message == "too few points." and later.result == [1, 2]


def test_a_result_is_taken_once_and_what_was_stopped_may_go_on():
    assert computation.taken("here") is None
    computation.start(asked())
    work = computation.current("here")
    assert work is not None
    ended(work)
    assert computation.current("here") is work  # until it is taken, so that the page is drawn again
    assert result_taken() == ("a", [1, 2, 3], False)
    assert computation.taken("here") is None and computation.current("here") is None
    gate = threading.Semaphore(0)

    def staged():
        gate.acquire()
        yield Stage(0.5, "half")
        return "whole"

    wanted = asked("b", begin=lambda: Staged(staged))
    computation.start(wanted)
    work = computation.current("here")
    assert work is not None
    computation.stop("here")
    gate.release()
    ended(work)
    assert result_taken() == ("b", None, True)
    assert computation.taken("here") is None and computation.current("here") is None
    computation.start(wanted)
    assert computation.current("here") is work
    ended(work)
    assert result_taken() == ("b", "whole", False)


class Counted:
    """A task whose result is there once it has ended, as chains have it, and which cannot go on."""

    waits, resumes = True, False

    def __init__(self, gate: threading.Semaphore) -> None:
        self.result: str | None = None
        self._gate, self._done = gate, 0

    def steps(self) -> Iterator[float]:
        """Take a step whenever the gate lets it."""
        while True:
            self._gate.acquire()
            self._done += 1
            yield 1.0

    def picture(self) -> int:
        """Steps so far."""
        return self._done

    def finish(self, stopped: bool) -> None:
        """Keep the steps done."""
        self.result = f"{self._done} steps"

    def stages(self) -> list[Stage]:
        """Say nothing."""
        return []


@pytest.mark.parametrize("stops_first", [True, False])
def test_what_was_done_is_kept_while_the_reader_looks_at_something_else(stops_first):
    gate = threading.Semaphore(2)
    first, other = (asked(key, LONG, begin=lambda: Counted(gate), keeps=True) for key in ("first", "other"))
    computation.start(first)
    work = computation.current("here")
    assert work is not None
    wait(lambda: work.task._done == 2)
    if stops_first:
        computation.stop("here")
        gate.release()
        ended(work)
    assert isinstance(computation.wanted(other), Waiting) and work.stopped
    if not stops_first:  # it comes back before its last step is done
        outcome = computation.wanted(first)
        assert isinstance(outcome, Running) and outcome.work is work
        gate.release()
        ended(work)
        assert isinstance(computation.wanted(other), Waiting)
    for _ in range(2):
        outcome = computation.wanted(first)
        assert isinstance(outcome, Done) and outcome.stopped and outcome.result == "3 steps"
        assert isinstance(computation.wanted(other), Waiting)
    computation.forget(first)
    assert isinstance(computation.wanted(first), Waiting)


class Finite(Counted):
    """Ends by itself after two steps."""

    def steps(self) -> Iterator[float]:
        """Take two steps."""
        for _ in range(2):
            self._done += 1
            yield 1.0


@pytest.mark.parametrize("shared", [True, False])
def test_what_was_finished_is_kept_while_the_reader_looks_at_something_else(shared):
    gate = threading.Semaphore(0)
    first, other = (
        asked(key, LONG, begin=lambda: Finite(gate), keeps=True, shared=shared) for key in ("first", "other")
    )
    computation.start(first)
    assert at_end(first).result == "2 steps"
    assert isinstance(computation.wanted(other), Waiting)
    outcome = computation.wanted(first)
    assert isinstance(outcome, Done) and not outcome.stopped and outcome.result == "2 steps"


def test_what_was_taken_over_is_kept_as_well(monkeypatch, session):
    gate = threading.Semaphore(2)
    first, other = (
        asked(key, LONG, begin=lambda: Counted(gate), keeps=True, shared=True) for key in ("first", "other")
    )
    computation.start(first)
    work = computation.current("here")
    assert work is not None
    wait(lambda: work.task._done == 2)
    session.clear()  # the page is loaded again
    with monkeypatch.context() as patch:
        patch.setattr(Work, "left_alone", property(lambda work: not work.over))
        assert isinstance(computation.wanted(first), Running)
    assert isinstance(computation.wanted(other), Waiting) and work.stopped
    gate.release()
    ended(work)
    outcome = computation.wanted(first)
    assert isinstance(outcome, Done) and outcome.stopped and outcome.result == "3 steps"


def test_what_is_quick_begins_anew_and_what_ended_in_an_error_too():
    gate = threading.Semaphore(0)
    quick = asked("first", begin=lambda: Counted(gate), keeps=True)
    running = computation.wanted(quick)
    computation.wanted(asked("other", LONG))
    again = computation.wanted(quick)
    assert isinstance(running, Running) and isinstance(again, Running) and again.work is not running.work
    gate.release(9)


def result_taken() -> tuple[object, object, bool]:
    """What has ended in the place of these tests: its key, its result, and whether it was stopped."""
    taken = computation.taken("here")
    assert taken is not None and isinstance(taken[1], Done)
    return taken[0], taken[1].result, taken[1].stopped


def test_what_nobody_watches_any_more_is_taken_over(monkeypatch, session):
    gate = threading.Semaphore(1)
    wanted = asked(estimate=LONG, begin=lambda: numbers(3, gate), shared=True)
    computation.start(wanted)
    work = computation.current("here")
    mine = dict(session)
    session.clear()
    assert isinstance(computation.wanted(wanted), Waiting)  # it is watched
    monkeypatch.setattr(Work, "left_alone", property(lambda work: not work.over))
    outcome = computation.wanted(wanted)
    assert isinstance(outcome, Running) and outcome.work is work
    gate.release(9)
    assert at_end(wanted).result == [1, 2, 3]
    session.update(mine)


def test_what_runs_in_a_tab_that_is_hidden_is_not_taken_over(monkeypatch, session):
    """Browsers let hidden tabs ask once a minute, and their pages stay connected."""
    gate, pages, here = threading.Semaphore(1), {"first", "second"}, ["first"]
    monkeypatch.setattr(background, "page_connection", lambda: partial(pages.__contains__, here[0]))
    wanted = asked(estimate=LONG, begin=lambda: numbers(3, gate), shared=True)
    computation.start(wanted)
    work, first = computation.current("here"), dict(session)
    assert work is not None
    session.clear()
    here[0] = "second"
    work._asked -= 61.0
    assert isinstance(computation.wanted(wanted), Waiting) and not computation.is_begun_elsewhere(wanted)
    computation.leave("here")
    assert not work.stopped and work.owner is first["computations"]
    pages.remove("first")
    outcome = computation.wanted(wanted)
    assert isinstance(outcome, Running) and outcome.work is work
    gate.release(9)
    assert at_end(wanted).result == [1, 2, 3]


@pytest.mark.parametrize("leaves", ["stop", "leave", "another wish"])
def test_who_left_a_computation_alone_no_longer_ends_it_for_who_took_it_over(monkeypatch, session, leaves):
    gate = threading.Semaphore(1)
    wanted = asked(estimate=LONG, begin=lambda: numbers(3, gate), shared=True)
    computation.start(wanted)
    first = dict(session)
    session.clear()
    with monkeypatch.context() as patch:
        patch.setattr(Work, "left_alone", property(lambda work: not work.over))
        outcome = computation.wanted(wanted)
    assert isinstance(outcome, Running)
    second = dict(session)
    session.clear()
    session.update(first)
    assert computation.current("here") is None and computation.taken("here") is None
    if leaves == "another wish":
        computation.wanted(asked("b", estimate=LONG))
    else:
        getattr(computation, leaves)("here")
    assert isinstance(computation.wanted(wanted), Waiting)  # it may begin one of its own
    session.clear()
    session.update(second)
    gate.release(9)
    assert at_end(wanted).result == [1, 2, 3] and not outcome.work.stopped


# --- how long it takes ------------------------------------------------------------------------------------------------

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
MAPDP = usual_config(init="single", n_init=1, effort=0.0)


def test_pictures_take_a_twentieth_of_the_time_whatever_they_cost():
    now, made = 0.0, []

    def picture(seconds):
        nonlocal now
        now += seconds
        made.append(now)
        return len(made)

    pictures = background.Unhurried[int](lambda: now)
    for cost in (0.5, 0.5, 2.0, 0.25):  # of a machine that gets busy, and then a quicker sweep
        begun = now
        assert pictures.latest(partial(picture, cost)) == len(made)
        for share in (0.1, 0.5, 0.99):  # what was made is shown again meanwhile
            now = made[-1] + share * background.REST * cost
            assert pictures.latest(partial(picture, cost)) == len(made) and made[-1] == begun + cost
        now = made[-1] + background.REST * cost
    assert len(made) == 4 and now == (1 + background.REST) * (0.5 + 0.5 + 2.0 + 0.25)


def watching() -> None:
    import streamlit as st

    from dpviz.ui.session.background import watch

    if not st.session_state["work"].stopped and st.session_state["work"].owner == "who began it":
        watch(st.session_state["work"], key="stop")


@pytest.mark.parametrize("taken_over", [True, False])
def test_a_stop_button_that_is_left_on_a_page_ends_nothing_for_who_took_it_over(session, taken_over):
    gate = threading.Semaphore(0)
    session["work"] = work = Work(numbers(3, gate))
    work.owner = "who began it"
    try:
        app = AppTest.from_function(watching, default_timeout=600)
        app.run()
        if taken_over:
            work.owner = "who took it over"
        press(app, "stop")
        assert work.stopped is not taken_over
    finally:
        gate.release(5)
    ended(work)


def test_a_time_names_the_clusters_that_it_assumes_where_the_data_suggest_more():
    config = RunConfig("dpmeans", penalty=1e-9, n_init=1)
    usual, on_data = jobs.estimate(config, (60, 2)), jobs.estimate_on(config, prepare(SMALL).X)
    assert on_data.n_clusters == pytest.approx(60) and usual.n_clusters < 20
    assert on_data.operations / usual.operations == pytest.approx(on_data.n_clusters / usual.n_clusters)
    assert "if there are some 60 clusters" in computation.expected_in_words(on_data)


def test_a_time_says_which_number_of_clusters_it_assumes_and_later_what_was_measured():
    prepared = prepare(SMALL)
    guessed = jobs.expected(MAPDP, prepared)
    assert not guessed.measured and guessed.n_clusters == ALGORITHMS["mapdp"].expected_clusters(MAPDP, 60)
    assert "if there are some 8 clusters, and longer with more" in computation.expected_in_words(guessed)
    job = jobs.Job(Asked(SMALL, MAPDP))
    assert Work(job, at_once=float("inf")).over and job.result is not None
    trace, known = job.result.trace, jobs.expected(MAPDP, prepared)
    assert known.measured and known.n_clusters == trace.n_clusters[-1] and known.operations == guessed.operations
    assert known.seconds == pytest.approx(trace.total_seconds)
    words = f"by the pace of the last such run on these data, with {trace.n_clusters[-1]} clusters"
    assert words in computation.expected_in_words(known.times(3))
    assert not jobs.expected(MAPDP, prepare(SMALL.with_options(seed=1))).measured
    fixed = jobs.expected(RunConfig("kmeans", n_clusters=4), prepared)
    assert "clusters" not in computation.expected_in_words(fixed)


def test_the_time_left_is_that_of_the_pace_so_far_without_pauses(monkeypatch):
    """Each sweep takes a second of this clock; between sweeps an hour passes, as while it is stopped."""
    now = [0.0]
    monkeypatch.setattr(jobs.time, "perf_counter", lambda: now[0])
    job = jobs.Job(Asked(SMALL, usual_config("gibbs", n_sweeps=100, burn_in=0, n_init=1)))
    records = job.search.records

    def slow():
        for record in records():
            now[0] += 1.0
            yield record

    monkeypatch.setattr(job.search, "records", slow)
    for sweep, _ in zip(range(51), job.steps(), strict=False):
        if sweep:  # the first record is the start
            done = sweep / 100
            assert f"about {duration((sweep + 1) * (1 - done) / done)} left" in job.stages()[0].words
        now[0] += 3_600.0


# --- cores ------------------------------------------------------------------------------------------------------------

TAKE = """
import pathlib, sys
from dpviz.ui.session import cores
cores.folder, cores.n_cores = (lambda: pathlib.Path(sys.argv[1])), (lambda: 4)
with cores.held_cores(int(sys.argv[2])) as taken:
    print(taken.number, int(taken.are_all), flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def four(monkeypatch):
    """A machine with four cores."""
    monkeypatch.setattr(cores, "n_cores", lambda: 4)


def other_process(folder: Path, most: int) -> subprocess.Popen[str]:
    """Another server's process that holds cores."""
    return subprocess.Popen(
        [sys.executable, "-c", TAKE, str(folder), str(most)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.usefixtures("four")
def test_no_core_is_used_twice_and_all_come_back():
    with held_cores(3) as first, held_cores() as second, held_cores() as third:
        assert (first.number, second.number) == (3, 1) and not first.are_all
        assert third.number == 1  # a reader waits for it, so it goes on beside the others
    with held_cores() as again:
        assert again == (4, True)


@pytest.mark.usefixtures("four")
def test_no_core_is_used_by_two_processes_and_a_killed_one_lets_go(tmp_path):
    with ExitStack() as stack:
        other = stack.enter_context(other_process(tmp_path, 3))
        assert other.stdout is not None and other.stdout.readline().split() == ["3", "0"]
        with held_cores() as mine:
            assert mine == (1, False)
        other.kill()
        other.wait()
        with held_cores() as mine:
            assert mine == (4, True)
            late = stack.enter_context(other_process(tmp_path, 4))
            assert late.stdout is not None and late.stdout.readline().split() == ["1", "0"]
            late.kill()


@pytest.mark.usefixtures("four")
def test_a_grid_and_chains_that_start_together_use_each_core_once(monkeypatch):
    """The grid takes three cores of four, as the chains have one; in the other order the chains have what is left."""
    monkeypatch.setattr(tasks, "PARALLEL_OPERATIONS", 1.0)
    prepared = prepare(SMALL)
    model = usual_config("gibbs", n_sweeps=40, burn_in=0)
    threads: list[int] = []
    whole = Chains.advance

    def noted(chains, n_threads=1):
        threads.append(n_threads)
        yield from whole(chains, n_threads)

    monkeypatch.setattr(Chains, "advance", noted)
    go = threading.Event()

    def begin(n_jobs):
        yield n_jobs
        go.wait()

    def chains():
        return Work(Sampling(Setup(model, 3), prepared))

    with held_cores(1):
        grid = Work(Gathered(begin, 1, 5.0))
        wait(lambda: grid.task.result)
        ended(chains())
        go.set()
        ended(grid)
    assert grid.task.result == [3] and threads == [1]
    steps = Sampling(Setup(model, 3), prepared).steps()
    next(steps)
    grid = ended(Work(Gathered(begin, 1, 5.0)))
    assert threads == [1, 3] and grid.task.result == [1]
    steps.close()  # type: ignore[attr-defined]
    assert ended(Work(Gathered(begin, 1, 5.0))).task.result == [-1]
