"""What a reader changes in the picture: points by dragging and painting, settings by knobs; the run goes on from it."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import dpviz
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, from_points
from dpviz.errors import DpvizError
from dpviz.live import Run
from dpviz.ui import draw
from dpviz.ui.controls import run_controls
from dpviz.ui.draw import COLOR_NAMES, Drawing
from dpviz.ui.explore.showing import PLACE, in_picture, showing
from dpviz.ui.live import Rest
from dpviz.ui.player import PlayerState
from dpviz.ui.session import drawn, jobs, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, prepare
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.session.model_choice import KeptModel
from dpviz.ui.stage import knobs


def is_editable(finished: Finished) -> bool:
    """Whether points may be dragged and painted: those that were drawn by hand, as they were drawn."""
    choice = finished.choice
    return drawn.is_drawing(choice) and choice == DataChoice("session", choice.name)


def edited(dataset: Dataset, labels: IntArray, done: PlayerState) -> tuple[Dataset, IntArray]:
    """Return drawn data after an edit, and the cluster of every point; a new one takes that of the nearest old one.

    Parameters
    ----------
    dataset : Dataset
        N points in the plane.
    labels : ndarray (N,)
    done : PlayerState
        With a dragged point, painted points, or both.
    """
    points = dataset.X.copy()
    if done.moved is not None:
        points[done.moved.index] = done.moved.x, done.moved.y
    added = np.empty((0, 2)) if done.painted is None else done.painted.points[: draw.MOST_POINTS - len(points)]
    nearest = _nearest(points, added)
    points = draw.inside(np.vstack([points, added]))
    groups = None if dataset.labels is None else np.append(dataset.labels, dataset.labels[nearest])
    named = groups if groups is None or dataset.label_names is None else np.array(dataset.label_names)[groups]
    return from_points(points, named), np.append(labels, labels[nearest])


def gone_on(finished: Finished, done: PlayerState) -> Finished | None:
    """Use the edited data from now on, and continue the run from its clusters at the playhead.

    Returns
    -------
    Finished or None
        None if the run takes long: the page then offers it like any other.

    Raises
    ------
    DpvizError
        If data or clusters no longer fit the method.
    """
    trace = finished.trace
    labels = trace.labels_at(finished.shown_sweep(done.sweep))
    dataset, start = edited(finished.prepared.dataset, labels, done)
    drawing = Drawing(dataset.X, _colors(dataset))
    choice = drawn.take(drawing, dataset.labels is not None)
    draw.replace_drawing(draw.CANVAS, drawing)
    state.choose_data(choice)
    moved_on = gone_on_from(start, choice, finished.config, finished.settings, prepare(choice), finished.model)
    return None if moved_on is None else replace(moved_on, names=finished.names)


def gone_on_from(
    labels: IntArray,
    choice: DataChoice,
    config: RunConfig,
    asked: RunConfig,
    prepared: PreparedData,
    kept: KeptModel | None,
) -> Finished | None:
    """Return a run that goes on from given clusters; None if it takes long.

    Parameters
    ----------
    labels : ndarray of int (N,)
    choice : DataChoice
    config, asked : RunConfig
        Settings with every choice made, and those of the controls.
    prepared : PreparedData
    kept : KeptModel, optional
        What was left to the data for other settings.

    Raises
    ------
    DpvizError
        If data or clusters do not fit the method.
    """
    config = continued(config, labels)
    if jobs.estimate_on(config, prepared.X).operations >= jobs.QUICK_OPERATIONS:
        return None
    trace = prepared.units.trace(dpviz.run(prepared.X, config))
    kept = None if kept is None or kept.is_of(choice, asked) else kept
    notes = () if kept is None else kept.said_of(choice)
    return Finished(choice, config, prepared, trace, asked=asked, kept=kept, notes=notes)


def _colors(dataset: Dataset) -> IntArray:
    """Brush colour of every point: its label if it has one, else as on the canvas, else the first."""
    if dataset.labels is not None and dataset.label_names is not None:
        return np.array([COLOR_NAMES.index(name) for name in dataset.label_names], dtype=np.int64)[dataset.labels]
    colors = np.zeros(dataset.n_points, dtype=np.int64)
    before = draw.on_canvas(draw.CANVAS).colors[: dataset.n_points]
    colors[: len(before)] = before
    return colors


def continued(config: RunConfig, labels: IntArray) -> RunConfig:
    """Return the configuration of one run that starts from given clusters."""
    start = np.unique(labels, return_inverse=True)[1]
    return replace(config, init=start, init_clusters=None, n_init=1)


def _nearest(points: FloatArray, added: FloatArray) -> IntArray:
    """Row of the nearest of ``points`` (N, 2) to each of the added ones (M, 2)."""
    distances = ((added[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    return np.asarray(distances.argmin(axis=1), dtype=np.int64)


# --- knobs ------------------------------------------------------------------------------------------------------------


def bring_knobs() -> None:
    """Bring the engine to the browser, and the points of the run in the picture if it can cluster them."""
    shown = in_picture()
    if shown is None:
        knobs.bring(PLACE, [], [], lambda *_: None)
        return
    asked = showing().asked or shown.as_asked
    own = Run(shown.problem.config, shown.prepared.X)
    knobs.bring(PLACE, [own], [asked.config], partial(_take, shown, asked.choice))


def facts(config: RunConfig, prepared: PreparedData, standing: str) -> dict[str, Any] | None:
    """Return what the player has to know of a run; None as for :func:`dpviz.ui.stage.knobs.facts`."""
    return knobs.facts(PLACE, [Run(config, prepared.X)], prepared, standing)


def of_finished(finished: Finished) -> dict[str, Any] | None:
    """Return the facts of a run that is over; of the controls, if they have moved on and their run waits."""
    asked = showing().asked
    if asked is None or asked.config == finished.settings:
        return facts(finished.config, finished.prepared, "done")
    config = asked.config
    if config.is_automatic and config.algorithm == finished.config.algorithm:
        config = config.with_model_of(finished.config)
    return facts(config, finished.prepared, "waiting")


def _take(shown: Job | Finished, choice: DataChoice, made: list[RunConfig], rest: Rest) -> None:
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


def _gone_on(shown: Job | Finished, choice: DataChoice, settings: RunConfig, start: IntArray) -> Finished | None:
    """Go on from given clusters with what the knobs say; None if that takes long, or is not possible."""
    known = settings.with_model_of(shown.problem.config) if settings.is_automatic else settings
    kept = shown.model if settings.is_automatic else None
    try:
        return gone_on_from(start, choice, known, settings, shown.prepared, kept)
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
