"""The last word on a model: two that are near each other by short runs are followed further."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dpviz
from dpviz.engine.improve import expected_operations
from dpviz.families import family_class
from dpviz.families.automatic import REAL
from dpviz.families.powers import Powers
from dpviz.fit import fuller
from dpviz.fit.fuller import EFFORT, least_gain, settle
from dpviz.fit.steps import drained
from dpviz.fit.timing import estimate
from dpviz.fit.width import RunnerUp, Table, WidthChoice


def turned_groups(seed: int) -> np.ndarray:
    """Return three groups (150, 2) whose columns are correlated within each."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(150, 2)) @ np.array([[2.0, 1.8], [0.0, 0.5]])
    return rng.uniform(10, 40, (3, 2))[rng.integers(0, 3, 150)] + noise


def at(family: str, width: float = 1.0, **changes: object) -> dpviz.RunConfig:
    return dpviz.RunConfig(family=family, prior={"width": width}, **changes)


def searched(X: np.ndarray, config: dpviz.RunConfig) -> float:
    """Return the nll (nats) of X after half the search of a run, in units of the columns."""
    trace = dpviz.run(X, replace(config, effort=EFFORT))
    return float(trace.nll[trace.result_sweep])


@pytest.mark.parametrize("order", [REAL, REAL[::-1]])
def test_the_model_of_lower_nll_in_fuller_runs_is_taken_whichever_was_ahead(order):
    X = turned_groups(0)
    chosen, rival = (WidthChoice(at(family)) for family in order)
    settled = drained(settle(Table(X), replace(chosen, runner_up=RunnerUp(10.0, rival))))
    nll = {family: searched(X, at(family)) for family in REAL}
    best = min(nll, key=nll.get)
    assert settled.config == at(best) and settled.runner_up is None
    (note,) = settled.notes
    gap, reversed_said = abs(nll[REAL[0]] - nll[REAL[1]]), "in short runs it was 10.0 nats higher"
    assert f"nll is {gap:,.1f} nats lower with" in note
    assert (reversed_said in note) == (order[0] != best)


@pytest.mark.parametrize("behind", [1.01 * fuller.CLOSE * 150, np.inf, np.nan])
def test_what_is_far_behind_is_not_followed(behind):
    chosen, rival = (WidthChoice(at(family)) for family in REAL)
    steps = settle(Table(turned_groups(0)), replace(chosen, runner_up=RunnerUp(behind, rival)))
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value.config == chosen.config and not end.value.value.notes


@pytest.mark.parametrize("seed", range(5))
def test_powers_have_to_gain_what_is_asked_of_them(monkeypatch, seed):
    X = np.exp(turned_groups(seed) / 20)
    plain, logs = WidthChoice(at(REAL[0])), WidthChoice(at(REAL[0], transform=(0.0, 0.0)))
    gain = searched(X, plain.config) - searched(X, logs.config)
    for least, taken in ((gain - 1e-6, logs), (gain + 1e-6, plain)):
        monkeypatch.setattr(fuller, "WORTH", (least, 0.0))
        for chosen, rival in ((plain, logs), (logs, plain)):
            settled = drained(settle(Table(X), replace(chosen, runner_up=RunnerUp(0.0, rival))))
            assert settled.config == taken.config
    monkeypatch.undo()
    assert least_gain(100) == 3.0
    assert np.allclose(Powers.given(np.zeros(2)).log_jacobian(X), -np.log(X).sum(axis=1))  # nll is that of the columns


@pytest.mark.parametrize("seed", range(6))
def test_a_default_run_is_not_above_the_same_call_with_the_other_family(seed):
    rng = np.random.default_rng(seed)
    X = turned_groups(seed) * rng.uniform(0.5, 2.0, 2) + rng.normal(size=(150, 2)) * rng.uniform(0, 3)
    trace = dpviz.run(X, dpviz.RunConfig())
    other = next(name for name in REAL if name != trace.config.family)
    beside = dpviz.run(X, dpviz.RunConfig(family=other))
    assert trace.nll[trace.result_sweep] <= beside.nll[beside.result_sweep] + 1.0


def test_both_searches_are_among_the_work_of_an_estimate():
    both, one = (estimate(config, (500, 3)) for config in (dpviz.RunConfig(), at(REAL[0])))
    cost = family_class(REAL[0]).operations(3)
    assert both.operations - one.operations > 2 * expected_operations(500, cost, EFFORT)
