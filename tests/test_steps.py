"""Long computations side by side: the same with one core and with several, and over when they are to be."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Generator
from inspect import GEN_RUNNING, getgeneratorstate

import numpy as np
import pytest

import dpviz
from dpviz.fit import steps
from dpviz.fit.automatic import choice_steps
from dpviz.fit.steps import WORTH_A_THREAD, drained, side_by_side


@pytest.fixture(params=[1, 2, 3])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(steps, "n_cores", lambda: request.param)
    return int(request.param)


def counted(number: int) -> Generator[None, None, int]:
    for _ in range(number):
        yield
    return number


@pytest.mark.parametrize("n_points", [1, WORTH_A_THREAD])
def test_results_are_in_order_and_every_step_is_one(cores: int, n_points: int) -> None:
    computations = [counted(number) for number in (5, 0, 2, 9)]
    n_steps, together = 0, side_by_side(computations, n_points)
    with pytest.raises(StopIteration) as ended:
        for n_steps in itertools.count():  # noqa: B007
            next(together)
    assert ended.value.value == [5, 0, 2, 9]
    assert n_steps == 16


def test_of_no_computation_there_is_no_result(cores: int) -> None:
    assert drained(side_by_side([], WORTH_A_THREAD)) == []


def test_closed_they_end_and_none_goes_on(cores: int) -> None:
    n_taken = [0, 0]

    def endless(number: int) -> Generator[None, None, None]:
        while True:
            n_taken[number] += 1
            yield

    running = [endless(0), endless(1)]
    together = side_by_side(running, WORTH_A_THREAD)
    next(together)
    together.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("dpviz short run")]
    assert sum(n_taken) > 0 and not any(getgeneratorstate(one) == GEN_RUNNING for one in running)


def test_an_error_of_one_is_raised_and_ends_the_others(cores: int) -> None:
    def failing() -> Generator[None, None, int]:
        yield
        raise ValueError("no width")

    def endless() -> Generator[None, None, int]:
        while True:
            yield

    with pytest.raises(ValueError, match="no width"):
        drained(side_by_side([failing(), endless()], WORTH_A_THREAD))


def test_a_choice_is_the_same_whatever_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(0, 3, (4, 3))[rng.integers(0, 4, WORTH_A_THREAD)] + rng.normal(0, 1, (WORTH_A_THREAD, 3))
    X[:, 2] = np.exp(X[:, 2] / 3)
    config, found = dpviz.RunConfig(effort=0.05, transform="auto"), []
    for number in (1, 2):
        monkeypatch.setattr(steps, "n_cores", lambda number=number: number)
        n_steps, choice = 0, choice_steps(X, config)
        with pytest.raises(StopIteration) as ended:
            for n_steps in itertools.count():  # noqa: B007
                next(choice)
        own = ended.value.value
        found.append((own.config, own.notes, n_steps, [(trial.nll, trial.labels.tolist()) for trial in own.trials]))
    assert found[0] == found[1]
