"""Knobs at the picture: what the browser needs to answer them, and what the controls become when one rests."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, NamedTuple

import dpviz
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.live import Run, facts_of, knobs_of, turned, why_not
from dpviz.live.facts import points_id
from dpviz.ui import live
from dpviz.ui.controls import run_controls
from dpviz.ui.explore import edits
from dpviz.ui.explore.showing import showing
from dpviz.ui.session import computation, jobs
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import KeptModel
from dpviz.ui.session.state import remade
from dpviz.ui.shell import links


class _Shown(NamedTuple):
    """The run in the picture: data, what the controls asked for, with every choice made, and what was left to data."""

    choice: DataChoice
    settings: RunConfig
    config: RunConfig
    prepared: PreparedData
    model: KeptModel | None


def _shown() -> _Shown | None:
    """Return the run in progress, or else the one that is shown."""
    work, finished = computation.current("explore"), showing().finished
    if work is not None and isinstance(work.task, jobs.Job):
        job = work.task
        return _Shown(job.choice, job.config, job.problem.config, job.prepared, job.kept)
    if finished is None:
        return None
    return _Shown(finished.choice, finished.settings, finished.config, finished.prepared, finished.model)


def bring() -> None:
    """Bring the engine to the browser, and the points of the run in the picture if it can cluster them."""
    live.bring(_rest)
    shown = _shown()
    if shown is not None and not why_not(shown.config, shown.prepared.X):
        live.bring_points(shown.prepared.X)


def facts(config: RunConfig, prepared: PreparedData, standing: str) -> dict[str, Any] | None:
    """Return what the player has to know; None for a run without knobs, and where a page of others shows it."""
    if links.layout() == "min" or config.is_automatic:
        return None
    answered, run = showing().answered, Run(config, prepared.X)

    def told() -> dict[str, Any] | None:
        return facts_of([run], prepared.dataset.labels, answered, standing) if knobs_of(*run) else None

    return remade("explore facts", (prepared, config, answered, standing), told)


def of_finished(finished: Finished) -> dict[str, Any] | None:
    """Return the facts of a run that is over; of the controls, if they have moved on and their run waits."""
    asked = showing().asked
    if asked is None or asked[1] == finished.settings:
        return facts(finished.config, finished.prepared, "done")
    config = asked[1]
    if config.is_automatic and config.algorithm == finished.config.algorithm:
        config = config.with_model_of(finished.config)
    return facts(config, finished.prepared, "waiting")


def _rest() -> None:
    """Set the controls to where the knobs are; the page then runs what they ask for."""
    rest, shown = live.turned(), _shown()
    if rest is None or shown is None or rest.points != points_id(shown.prepared.X):
        return
    showing().answered = rest.number
    choice, asked = showing().asked or (shown.choice, shown.settings)
    try:
        settings = turned(shown.config, asked, rest.values, knobs_of(shown.config, shown.prepared.X))
    except DpvizError:
        return  # no knob of this page sends such a value
    settings = replace(settings, seed=rest.seed)
    n_points = len(shown.prepared.X)
    tracks, start = (_of_all(numbers, n_points) for numbers in (rest.tracks, rest.start))
    showing().pictured = None if tracks is None else (settings, tracks)
    showing().jump = sys.maxsize  # a knob's picture is at its end, wherever the playhead of the run before it was
    gone_on = None if start is None else _gone_on(shown, choice, settings, start)
    if gone_on is None:
        run_controls.apply(settings, choice)
    else:
        showing().restored = like_the_picture(gone_on)


def _gone_on(shown: _Shown, choice: DataChoice, settings: RunConfig, start: IntArray) -> Finished | None:
    """Go on from given clusters with what the knobs say; None if that takes long, or is not possible."""
    known = settings.with_model_of(shown.config) if settings.is_automatic else settings
    config = edits.continued(known, start)
    if jobs.estimate_on(config, shown.prepared.X).operations >= jobs.QUICK_OPERATIONS:
        return None
    try:
        trace = shown.prepared.units.trace(dpviz.run(shown.prepared.X, config))
    except DpvizError:
        return None
    kept = shown.model if settings.is_automatic else None
    if kept is None or kept.is_of(choice, settings):
        return Finished(choice, config, shown.prepared, trace, asked=settings)
    return Finished(choice, config, shown.prepared, trace, asked=settings, kept=kept, notes=kept.said_of(choice))


def _of_all(numbers: IntArray | None, n_points: int) -> IntArray | None:
    return numbers if numbers is not None and len(numbers) == n_points else None


def is_of_a_knob(settings: RunConfig) -> bool:
    """Whether a run follows a knob that came to rest, and its picture the one that the knob drew."""
    pictured = showing().pictured
    return pictured is not None and pictured[0] == settings


def like_the_picture(finished: Finished) -> Finished:
    """Give the clusters of a run the colours that they have in the picture that a knob has drawn."""
    pictured = showing().pictured
    if pictured is None or pictured[0] != finished.settings or len(pictured[1]) != len(finished.prepared.X):
        return finished
    showing().pictured = None
    return replace(finished, like=pictured[1])
