"""What a server's process holds stays within the stated bounds, by the count of Python's own allocator."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any

import pytest
from configs import usual_config

import dpviz
from dpviz.analysis.evaluation import CACHE, Cell
from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.fit.timing import Estimate
from dpviz.ui.explore import finished_run
from dpviz.ui.posterior.sampling import Sampling
from dpviz.ui.posterior.settings import Setup
from dpviz.ui.priors import laws
from dpviz.ui.session import chosen_data, computation, history, kept
from dpviz.ui.session.background import Work
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.computation import Computation, Done
from dpviz.ui.session.jobs import Job
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.session.tasks import Gathered

N_STEPS = 500
SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=200)
EACH, ALL = 1_000_000, 4_000_000
"""Bounds of this test: of every store, and of all of them together."""
GIBBS = usual_config("gibbs", "normal_gamma", n_sweeps=60, burn_in=0, n_init=1)
QUICK = usual_config(family="normal_gamma", init="single", n_init=1, effort=0.0)


@pytest.fixture
def session(monkeypatch) -> Iterator[dict[str, Any]]:
    """A session of a server with little memory."""
    held: dict[str, Any] = {}
    for module in (chosen_data, history):
        monkeypatch.setattr(module.st, "session_state", held)
    monkeypatch.setattr(kept, "MOST_KEPT_BYTES", ALL)
    monkeypatch.setattr(history, "MOST_BYTES", EACH)
    monkeypatch.setattr(computation, "MOST_LEFT_BYTES", EACH)
    monkeypatch.setattr(CACHE, "_n_bytes", EACH)
    computation.forget_all()
    CACHE.__init__(n_bytes=EACH)  # type: ignore[misc]  # what other tests left is none of this one
    stores = list(kept._stores)
    for store in stores:
        monkeypatch.setattr(store, "_most_bytes", EACH)
        store.clear()
    yield held
    computation.forget_all()


def explore(step: int) -> None:
    """Run a chain, show it, and remember it."""
    job = Job(Asked(SMALL, replace(GIBBS, seed=step)))
    assert Work(job, at_once=float("inf")).over and job.result is not None
    history.add(job.result)
    assert len(job.result.tracks) and finished_run.PAYLOADS.get(step, lambda: bytes(80_000))


def tune(step: int) -> None:
    """Compute a grid that many sessions may show."""
    grid = Grid(replace(QUICK, seed=step), (Axis.logarithmic("concentration", 0.1, 10, 4),), 0)
    X = prepare(SMALL).X

    def begin(n_jobs: int) -> Generator[Cell, None, None]:
        yield from run_grid(X, grid, None, n_jobs, share=True)

    asked = Computation(
        "tune", ("grid", grid), lambda: Gathered(begin, 4), Estimate(0, 0), at_once=float("inf"), shared=True
    )
    assert isinstance(computation.wanted(asked), Done)


def sample(step: int) -> None:
    """Run chains that others may show."""
    prepared = prepare(SMALL)
    setup = Setup(replace(GIBBS, n_sweeps=30, n_init=1, seed=step), 2)
    asked = Computation(
        "posterior", setup, lambda: Sampling(setup, prepared), Estimate(0, 0), at_once=float("inf"), shared=True
    )
    assert isinstance(computation.wanted(asked), Done)


def look(step: int) -> None:
    """Prepare other data, and draw from a prior."""
    prepare(SMALL.with_options(seed=step, n=1_500))
    laws.simulated(dpviz.ChineseRestaurant(1 + step / 100), 50, step, False)


STEPS: tuple[Callable[[int], None], ...] = (explore, tune, sample, look)


@pytest.mark.slow
def test_a_server_holds_no_more_after_500_steps_than_it_says(session):
    for step in range(len(STEPS)):  # what is loaded on the way is there before
        STEPS[step](10_000 + step)
    for store in kept._stores:
        store.clear()
    session.clear()
    gc.collect()
    most = 0
    tracemalloc.start(1)
    try:
        for step in range(N_STEPS):
            STEPS[step % len(STEPS)](step)
            if step % 50 == 49:
                gc.collect()
                most = max(most, tracemalloc.get_traced_memory()[0])
        n_kept = sum(len(store) for store in kept._stores)
    finally:
        tracemalloc.stop()
    assert n_kept < N_STEPS
    assert most <= 1.25 * (ALL + EACH) + 1_000_000  # the stores, cells of grids, and what the session shows
