"""Long computations side by side: the same with one core and with several, and over when they are to be."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from collections.abc import Generator
from inspect import GEN_RUNNING, getgeneratorstate

import numpy as np
import pytest

import dpviz
from dpviz.fit import steps
from dpviz.fit.automatic import choice_steps
from dpviz.fit.steps import WORTH_A_THREAD, drained, in_threads


@pytest.fixture(params=[1, 2, 3])
def cores(request, monkeypatch) -> int:
    monkeypatch.setattr(steps, "n_cores", lambda: request.param)
    monkeypatch.setattr(steps, "_most_threads", None)
    return int(request.param)


def counted(number: int) -> Generator[None, None, int]:
    for _ in range(number):
        yield
    return number


@pytest.mark.parametrize("n_points", [1, WORTH_A_THREAD])
def test_results_are_in_order_and_every_step_is_one(cores, n_points):
    computations = [counted(number) for number in (5, 0, 2, 9)]
    n_steps, together = 0, in_threads(computations, n_points)
    with pytest.raises(StopIteration) as ended:
        for n_steps in itertools.count():  # noqa: B007
            next(together)
    assert ended.value.value == [5, 0, 2, 9]
    assert n_steps == 16


def test_of_no_computation_there_is_no_result(cores):
    assert drained(in_threads([], WORTH_A_THREAD)) == []


def test_closed_they_end_and_none_goes_on(cores):
    n_taken = [0, 0]

    def endless(number):
        while True:
            n_taken[number] += 1
            yield

    running = [endless(0), endless(1)]
    together = in_threads(running, WORTH_A_THREAD)
    next(together)
    together.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("dpviz short run")]
    assert sum(n_taken) > 0 and not any(getgeneratorstate(one) == GEN_RUNNING for one in running)


def test_they_go_no_further_ahead_than_a_few_steps():
    n_taken = [0, 0]

    def endless(number):
        while True:
            n_taken[number] += 1
            yield

    crew = steps._Crew([endless(0), endless(1)], 2)
    together = crew.steps()
    for _ in range(10):
        next(together)
    crew.end()
    assert 10 <= sum(n_taken) <= 10 + 2 * steps.AHEAD


def test_a_process_ends_while_somebody_holds_what_runs_in_threads():
    script = (
        "import itertools\nfrom dpviz.fit import steps\nsteps.n_cores = lambda: 2\n"
        "def endless():\n    for _ in itertools.count():\n        yield\n"
        "together = steps.in_threads([endless(), endless()], steps.WORTH_A_THREAD)\nnext(together)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_server_takes_turns_in_one_thread(monkeypatch):
    monkeypatch.setattr(steps, "n_cores", lambda: 2)
    monkeypatch.setattr(steps, "_most_threads", None)
    steps.one_thread()
    together, n_threads = in_threads([counted(3), counted(4)], WORTH_A_THREAD), threading.active_count()
    next(together)
    assert threading.active_count() == n_threads
    assert drained(together) == [3, 4]


def test_an_error_of_one_is_raised_and_ends_the_others(cores):
    def failing():
        yield
        raise ValueError("no width")

    def endless():
        while True:
            yield

    with pytest.raises(ValueError, match="no width"):
        drained(in_threads([failing(), endless()], WORTH_A_THREAD))


def test_a_choice_is_the_same_whatever_the_cores(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(0, 3, (4, 3))[rng.integers(0, 4, WORTH_A_THREAD)] + rng.normal(0, 1, (WORTH_A_THREAD, 3))
    X[:, 2] = np.exp(X[:, 2] / 3)
    config, found = dpviz.RunConfig(effort=0.05, transform="auto"), []
    monkeypatch.setattr(steps, "_most_threads", None)
    for number in (1, 2):
        monkeypatch.setattr(steps, "n_cores", lambda number=number: number)
        n_steps, choice = 0, choice_steps(X, config)
        with pytest.raises(StopIteration) as ended:
            for n_steps in itertools.count():  # noqa: B007
                next(choice)
        own = ended.value.value
        found.append((own.config, own.notes, n_steps, [(trial.nll, trial.labels.tolist()) for trial in own.trials]))
    assert found[0] == found[1]
