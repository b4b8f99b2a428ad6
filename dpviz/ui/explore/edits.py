"""Points that are dragged or painted in the player: the run continues from its present clusters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import dpviz
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, from_points
from dpviz.ui import draw
from dpviz.ui.draw import COLOR_NAMES, Drawing
from dpviz.ui.player import PlayerState
from dpviz.ui.session import drawn, jobs, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import KeptModel


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
