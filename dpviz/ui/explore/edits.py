"""Points that are dragged or painted in the player: the run goes on from its present clusters and settles again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import dpviz
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, from_points
from dpviz.ui import draw
from dpviz.ui.player import PlayerState
from dpviz.ui.session import jobs, state
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset, prepare
from dpviz.ui.session.jobs import Finished

HAND_DRAWN = "hand_drawn"
"""Name of the data set that drawing makes."""


def is_editable(finished: Finished) -> bool:
    """Whether points may be dragged and painted: those that were drawn by hand, as they were drawn."""
    choice, dataset = finished.choice, finished.prepared.dataset
    return choice == DataChoice("session", choice.name) and dataset.name == HAND_DRAWN and dataset.n_features == 2


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
    """Use the edited data from now on, and let the run go on from its clusters at the playhead.

    Returns
    -------
    Finished or None
        None if the run takes long: the page then offers it as it does any other.

    Raises
    ------
    DpvizError
        If data or clusters do not fit the method any more.
    """
    trace = finished.trace
    labels = trace.labels_at(finished.shown_sweep(done.sweep))
    dataset, start = edited(finished.prepared.dataset, labels, done)
    choice = keep_session_dataset(dataset, replacing=finished.choice.name)
    draw.replace_points(draw.CANVAS, dataset.X)
    state.choose_data(choice)
    prepared, config = prepare(choice), continued(finished.config, start)
    if jobs.estimate_on(config, prepared.X).operations >= jobs.QUICK_OPERATIONS:
        return None
    return Finished(
        choice, config, prepared, dpviz.run(prepared.X, config), names=finished.names, asked=finished.settings
    )


def continued(config: RunConfig, labels: IntArray) -> RunConfig:
    """Return the configuration of one run that starts from given clusters."""
    start = np.unique(labels, return_inverse=True)[1]
    return replace(config, init=start, init_clusters=None, n_init=1)


def _nearest(points: FloatArray, added: FloatArray) -> IntArray:
    """Row of the nearest of ``points`` (N, 2) to each of the added ones (M, 2)."""
    distances = ((added[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    return np.asarray(distances.argmin(axis=1), dtype=np.int64)
