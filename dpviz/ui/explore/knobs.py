"""Knobs at the picture of Explore: what the controls become when one rests."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.live import Run
from dpviz.ui.controls import run_controls
from dpviz.ui.explore import edits
from dpviz.ui.explore.showing import showing
from dpviz.ui.live import Rest
from dpviz.ui.session import computation, jobs
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import KeptModel
from dpviz.ui.stage import knobs

PLACE = "explore"


class _Shown(NamedTuple):
    """The run in the picture: data, what the controls asked for, with every choice made, and what was left to data."""

    choice: DataChoice
    settings: RunConfig
    config: RunConfig
    prepared: PreparedData
    model: KeptModel | None


def _shown() -> _Shown | None:
    """Return the run in progress, or else the one that is shown."""
    work, finished = computation.current(PLACE), showing().finished
    if work is not None and isinstance(work.task, jobs.Job):
        job = work.task
        return _Shown(job.choice, job.config, job.problem.config, job.prepared, job.kept)
    if finished is None:
        return None
    return _Shown(finished.choice, finished.settings, finished.config, finished.prepared, finished.model)


def bring() -> None:
    """Bring the engine to the browser, and the points of the run in the picture if it can cluster them."""
    shown = _shown()
    if shown is None:
        knobs.bring(PLACE, [], [], lambda *_: None)
        return
    choice, asked = showing().asked or (shown.choice, shown.settings)
    knobs.bring(PLACE, [Run(shown.config, shown.prepared.X)], [asked], partial(_take, shown, choice))


def facts(config: RunConfig, prepared: PreparedData, standing: str) -> dict[str, Any] | None:
    """Return what the player has to know of a run; None as for :func:`dpviz.ui.stage.knobs.facts`."""
    return knobs.facts(PLACE, [Run(config, prepared.X)], prepared, standing)


def of_finished(finished: Finished) -> dict[str, Any] | None:
    """Return the facts of a run that is over; of the controls, if they have moved on and their run waits."""
    asked = showing().asked
    if asked is None or asked[1] == finished.settings:
        return facts(finished.config, finished.prepared, "done")
    config = asked[1]
    if config.is_automatic and config.algorithm == finished.config.algorithm:
        config = config.with_model_of(finished.config)
    return facts(config, finished.prepared, "waiting")


def _take(shown: _Shown, choice: DataChoice, made: list[RunConfig], rest: Rest) -> None:
    """Set the controls to where the knobs are, or go on from the clusters that the browser has shown."""
    settings, turned = replace(made[0], seed=rest.seed), knobs.turned_on(PLACE)
    tracks, start = (_of_all(numbers, len(shown.prepared.X)) for numbers in (rest.tracks, rest.start))
    turned.pictured, turned.tracks = None if tracks is None else [settings], tracks
    showing().jump = sys.maxsize  # a knob's picture is at its end, wherever the playhead of the run before it was
    gone_on = None if start is None else _gone_on(shown, choice, settings, start)
    if gone_on is None:
        run_controls.apply(settings, choice)
    else:
        showing().restored = like_the_picture(gone_on)


def _gone_on(shown: _Shown, choice: DataChoice, settings: RunConfig, start: IntArray) -> Finished | None:
    """Go on from given clusters with what the knobs say; None if that takes long, or is not possible."""
    known = settings.with_model_of(shown.config) if settings.is_automatic else settings
    kept = shown.model if settings.is_automatic else None
    try:
        return edits.gone_on_from(start, choice, known, settings, shown.prepared, kept)
    except DpvizError:
        return None


def _of_all(numbers: IntArray | None, n_points: int) -> IntArray | None:
    return numbers if numbers is not None and len(numbers) == n_points else None


def like_the_picture(finished: Finished) -> Finished:
    """Give the clusters of a run the colours that they have in the picture that a knob has drawn."""
    turned = knobs.turned_on(PLACE)
    tracks = _of_all(turned.tracks, len(finished.prepared.X))
    if turned.pictured != [finished.settings] or tracks is None:
        return finished
    turned.pictured = turned.tracks = None
    return replace(finished, like=tracks)
