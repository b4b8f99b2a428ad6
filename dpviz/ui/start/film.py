"""The film of the first page: K-means and MAP-DP on the same points, visit by visit at first, then sweep by sweep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dpviz import datasets, metrics
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import cluster_shapes
from dpviz.engine.slow_motion import slow_motion
from dpviz.engine.trace import Trace
from dpviz.engine.visits import SlowMotion
from dpviz.fit.run import run
from dpviz.player import build_payload
from dpviz.player.data import ClusterEllipses, PanelData, RegionImage
from dpviz.player.payload import track_panels
from dpviz.player.run_panel import states_of, taken

SCENARIO, N_POINTS, N_GROUPS = "spherical_unequal_radius", 400, 3
DRAW = 3
"""Seed of the points and of both runs. What the page says holds for 19 of the first 20, which a test tries."""
VISITS_ALONE = 7
"""Visits that have a frame of their own, with the cost of every choice."""
VISIT_FRAMES = 30
"""Frames of the other visits of the first sweep, ever more of them in each."""
VISIT_MILLISECONDS, SWEEP_MILLISECONDS = (420, 45), 300
"""How long a frame is seen: one with a single visit, one with several, and a sweep."""
MAP_CELLS, SHOWN = 80, 1.5
"""Cells of a map on each axis, and its size in ranges of the points."""


class Told(NamedTuple):
    """A run for the film: its title there, and its settings.

    Attributes
    ----------
    title : str
    unit : str
        What its costs are.
    config : RunConfig
    """

    title: str
    unit: str
    config: RunConfig


class Film(NamedTuple):
    """What the browser plays.

    Attributes
    ----------
    payload : bytes
        Two panels for the player; a frame is what it calls a sweep.
    script : dict
        ``pace`` (milliseconds of each frame), ``first_sweep`` (the frame in which that is over), and for each panel its
        ``unit``, its first ``visits`` and its ``verdict`` at the end.
    """

    payload: bytes
    script: dict[str, Any]


def points(draw: int) -> Dataset:
    """Draw the points: one wide group beside two narrow ones."""
    return datasets.synthesize(SCENARIO, N_POINTS, draw)


def runs(draw: int) -> tuple[Told, Told]:
    """Both methods: K-means with the right K and ten starts, MAP-DP with a search of a tenth of the usual effort."""
    return (
        Told("K-means, told K = 3", "squared distance", RunConfig("kmeans", n_clusters=N_GROUPS, n_init=10, seed=draw)),
        Told(
            "MAP-DP, not told K", "−ln p, in nats",
            RunConfig("mapdp", family="normal_wishart", prior=None, effort=0.1, seed=draw),
        ),
    )  # fmt: skip


@cache
def film() -> Film:
    """Make the film, once per process."""
    dataset, told = points(DRAW), runs(DRAW)
    acts = [_act(dataset, one) for one in told]
    panels = [act.panel for act in acts]
    pace = [VISIT_MILLISECONDS[visit > VISITS_ALONE] for visit in range(1, len(_visits()))]
    pace += [SWEEP_MILLISECONDS] * (max(panel.n_sweeps for panel in panels) - len(pace))
    script = [
        {
            "unit": one.unit,
            "visits": _visits_in(act, tracks.tracks.astype(np.int64)),
            "verdict": _verdict(dataset, act.panel),
        }
        for one, act, tracks in zip(told, acts, track_panels(panels), strict=True)
    ]
    return Film(build_payload(panels), {"pace": pace, "first_sweep": len(_visits()) - 1, "panels": script})


class _Act(NamedTuple):
    """A panel, and the visits of its first sweep."""

    panel: PanelData
    slow: SlowMotion


def _act(dataset: Dataset, told: Told) -> _Act:
    problem = Problem(dataset.X, told.config)
    trace = run(dataset.X, told.config)
    slow = slow_motion(dataset.X, trace, 1)
    labels = np.vstack([_visited(trace, slow)[:-1], trace.labels[1:].astype(np.int64)])
    states = states_of(trace, labels)
    ruling = labels if problem.algorithm.uses_model else _centres_held(labels)
    curve = np.zeros(len(labels))
    counts = np.zeros(len(labels), dtype=np.int64)
    panel = PanelData(
        points=dataset.X, labels=states.labels, label_sweeps=states.label_sweeps, nll=curve, objective=curve,
        n_clusters=np.array([len(np.unique(row)) for row in labels]), n_moved=counts, n_born=counts, n_died=counts,
        seconds=curve, title=told.title, ellipses=_ellipses(problem, states_of(trace, ruling)),
        region_image=_regions(problem, ruling, dataset.X),
    )  # fmt: skip
    return _Act(panel, slow)


def _visits() -> IntArray:
    """Visits made in each frame of the first sweep: none, one by one, then ever more until all are."""
    later = np.geomspace(VISITS_ALONE + 1, N_POINTS, VISIT_FRAMES)
    return np.unique(np.concatenate([np.arange(VISITS_ALONE + 1), later.astype(np.int64)]))


def _visited(trace: Trace, slow: SlowMotion) -> IntArray:
    """Labels (frames, N) of the first sweep."""
    labels = np.tile(trace.labels_at(0).astype(np.int64), (len(_visits()), 1))
    for row, visits in enumerate(_visits()):
        labels[row, slow.points[:visits]] = slow.to_labels[:visits]
    return labels


def _centres_held(labels: IntArray) -> IntArray:
    """Labels whose means are the centres: K-means moves these only after a sweep."""
    held = labels.copy()
    held[: len(_visits()) - 1] = labels[0]
    return held


def _ellipses(problem: Problem, states: Trace) -> ClusterEllipses:
    found = cluster_shapes(problem, states, np.arange(len(states.labels)))
    assert found is not None
    ellipses = found.shapes.ellipses()
    assert ellipses is not None, "the points lie in a plane"
    return ClusterEllipses(found.rows, found.labels, *ellipses, meanings=problem.algorithm.shape_meanings)


def _regions(problem: Problem, labels: IntArray, X: FloatArray) -> RegionImage:
    """Map which cluster would take a point, in every frame: that of lowest cost, or the nearest centre."""
    low, high = X.min(axis=0), X.max(axis=0)
    middle, half = (low + high) / 2, SHOWN * float((high - low).max()) / 2
    x_low, x_high, y_low, y_high = extent = (
        middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half
    )  # fmt: skip
    steps = (np.arange(MAP_CELLS) + 0.5) / MAP_CELLS
    x, y = x_low + steps * (x_high - x_low), y_low + steps * (y_high - y_low)
    plane = np.column_stack([np.tile(x, MAP_CELLS), np.repeat(y, MAP_CELLS)])
    square = (len(labels), MAP_CELLS, MAP_CELLS)
    takers, margins = zip(*(taken(*_scores(problem, row, plane)) for row in labels), strict=True)
    return RegionImage(np.reshape(takers, square), np.arange(len(labels)), extent, np.reshape(margins, square))


def _scores(problem: Problem, labels: IntArray, plane: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return scores (n, C) of places in the clusters of a frame and in a new one, and the names of the clusters."""
    used, codes = np.unique(labels, return_inverse=True)
    if problem.algorithm.uses_model:
        return PartitionPredictive(problem, codes).log_scores(plane), used
    scores = algorithm_of(problem).scores_of_places(problem, codes, plane)
    assert scores is not None, f"{problem.config.algorithm} gives places to clusters"
    return scores, used


def _visits_in(act: _Act, tracks: IntArray) -> list[dict[str, Any]]:
    """Return the first visits for the browser: the point, and what each cluster costs; track −1 is a new cluster."""
    labels, slow = np.asarray(act.panel.labels), act.slow
    said = []
    for visit in range(VISITS_ALONE):
        before = {int(label): int(track) for label, track in zip(labels[visit], tracks[visit], strict=True)} | {-1: -1}
        costs = [
            [before[int(label)], float(f"{cost:.4g}")]
            for label, cost in zip(slow.candidates[visit], slow.costs[visit], strict=True)
            if np.isfinite(cost) and int(label) in before
        ]
        said.append({"point": int(slow.points[visit]), "costs": costs})
    return said


def _verdict(dataset: Dataset, panel: PanelData) -> dict[str, Any]:
    last = np.asarray(panel.labels[-1])
    assert dataset.labels is not None
    return {"clusters": len(np.unique(last)), "agreement": round(float(metrics.nmi(dataset.labels, last)), 2)}


def holds(draw: int) -> Sequence[bool]:
    """Whether what the page says is true of a draw: of K-means, and of MAP-DP.

    Returns
    -------
    sequence of bool
        That K-means cuts the wide group and finds this cheaper than the true groups; that MAP-DP finds three clusters,
        the true groups but for a few points.
    """
    dataset = points(draw)
    X, true = dataset.X, dataset.labels
    assert true is not None
    kmeans, mapdp = (run(X, told.config).result_labels for told in runs(draw))
    wide = np.unique(kmeans[true == 0], return_counts=True)[1]
    cut = len(wide) > 1 and np.sort(wide)[-2] > 0.2 * wide.sum()
    cheaper = _sum_of_squares(X, kmeans) < _sum_of_squares(X, true)
    found = len(np.unique(mapdp)) == N_GROUPS and metrics.nmi(true, mapdp) > 0.9
    return bool(cut and cheaper), bool(found)


def _sum_of_squares(X: FloatArray, labels: IntArray) -> float:
    return sum(float(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum()) for k in np.unique(labels))
