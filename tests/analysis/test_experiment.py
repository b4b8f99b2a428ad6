"""Experiments: every trial once, the same results whatever runs them, and none after they are closed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from dpviz.analysis.experiment import experiment


def noted(number: int, folder: str) -> int:
    """Square a number, and leave a mark for every time that was done."""
    with (Path(folder) / str(number)).open("a") as file:
        file.write("*")
    return number * number


def process_and_threads(number: int) -> tuple[int, list[int]]:
    np.eye(2) @ np.eye(2)
    return os.getpid(), [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def refused(number: int) -> int:
    if number == 3:
        raise ValueError("not this one")
    return number


NUMBERS = [(number,) for number in range(40)]
SQUARES = [number * number for number in range(40)]


@pytest.mark.parametrize("n_jobs", [1, 2, None])
@pytest.mark.parametrize("most_together", [1, 16])
def test_every_trial_is_measured_once_whatever_runs_it(tmp_path, n_jobs, most_together):
    for place, in_order in enumerate((False, True)):
        folder = tmp_path / str(place)
        folder.mkdir()
        found = list(experiment(noted, NUMBERS, (str(folder),), n_jobs, most_together, in_order))
        assert (found if in_order else sorted(found)) == SQUARES
        assert {int(mark.name): mark.read_text() for mark in folder.iterdir()} == dict.fromkeys(range(40), "*")


def test_a_closed_experiment_takes_no_further_trial_and_the_next_goes_on_from_what_is_known(tmp_path):
    running = experiment(noted, NUMBERS, (str(tmp_path),))
    first = [next(running) for _ in range(4)]
    running.close()
    assert len(list(tmp_path.iterdir())) == 4
    known = {(number,): square for number, square in enumerate(first)}
    assert list(experiment(noted, NUMBERS[::-1], (str(tmp_path),), known=known)) == SQUARES[3::-1] + SQUARES[:3:-1]
    assert all(mark.read_text() == "*" for mark in tmp_path.iterdir())


def test_without_trials_and_with_known_ones_alone_nothing_runs():
    def fails(*_):
        pytest.fail("a trial ran")

    assert list(experiment(fails, [])) == []
    assert list(experiment(fails, [(1,), (2,)], known={(1,): "one", (2,): "two", (3,): "three"})) == ["one", "two"]


def test_trials_have_one_thread_of_linear_algebra_in_every_process():
    found = list(experiment(process_and_threads, NUMBERS, n_jobs=2))
    assert os.getpid() not in {process for process, _ in found}
    assert all(threads and set(threads) == {1} for _, threads in found)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_a_trial_raises_ends_the_experiment(n_jobs):
    with pytest.raises(ValueError, match="not this one"):
        list(experiment(refused, NUMBERS, n_jobs=n_jobs, in_order=True))
