"""How the film is made: ``python -m dpviz.film.making`` writes its file.

K-means and MAP-DP on the same points, visit by visit at first, then sweep by sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from dpviz.film.stored import FILE, Film
from dpviz.fit.run import run
from dpviz.live.knobs import written_config
from dpviz.player import build_payload
from dpviz.player.data import ClusterEllipses, PanelData, RegionImage, cells_of, panel_of_labels
from dpviz.player.payload import track_panels
from dpviz.player.run_panel import ellipses_of, states_of, taken
from dpviz.words import say

SCENARIO, N_POINTS, N_GROUPS = "spherical_unequal_radius", 400, 3
DRAW = 4
"""Seed of the points and of both runs. What the page says holds for 19 of the first 20, which a test tries.

In this one the wide group is whole after K-means' first sweep, so that its being cut is seen, and MAP-DP's best start
has all points in one cluster.
"""
VISITS_ALONE = 7
"""Visits that have a frame of their own, with the cost of every choice."""
VISIT_FRAMES = 30
"""Frames of the other visits of the first sweep, ever more of them in each."""
VISIT_MILLISECONDS, SWEEP_MILLISECONDS = (600, 45), 300
"""How long a frame is seen: one with a single visit, one with several, and a sweep."""
PIECE = 0.2
"""Share of a group from which a cluster counts as a piece of it."""
MAP_CELLS, SHOWN = 80, 1.5
"""Cells of a map on each axis, and its size in ranges of the points."""


class Told(NamedTuple):
    """A run for the film: what its words are called, and its settings.

    Attributes
    ----------
    name : str
    config : RunConfig
    """

    name: str
    config: RunConfig

    @property
    def title(self) -> str:
        """What the run is called above its picture."""
        return say(f"film.{self.name}")


def points(draw: int) -> Dataset:
    """Draw the points: one wide group beside two narrow ones."""
    return datasets.synthesize(SCENARIO, N_POINTS, draw)


def runs(draw: int) -> tuple[Told, Told]:
    """Both methods: K-means with the right K and ten starts from random points, MAP-DP with a tenth of usual effort."""
    return (
        Told(
            "kmeans",
            RunConfig("kmeans", n_clusters=N_GROUPS, n_init=10, init="random", seed=draw),
        ),
        Told(
            "mapdp",
            RunConfig("mapdp", family="normal_wishart", prior=None, effort=0.1, seed=draw),
        ),
    )


def made() -> Film:
    """Make the film anew."""
    dataset, told = points(DRAW), runs(DRAW)
    acts = [_act(dataset, one) for one in told]
    panels = [act.panel for act in acts]
    pace = [VISIT_MILLISECONDS[visit > VISITS_ALONE] for visit in range(1, len(_visits()))]
    pace += [SWEEP_MILLISECONDS] * (max(panel.n_sweeps for panel in panels) - len(pace))
    script = [
        {
            "name": one.name,
            "config": written_config(one.config),
            "visits": _visits_in(act, tracks.tracks.astype(np.int64)),
            "unseen": [] if act.remembers else _rank(act.slow.points).tolist(),
            "made": _visits().tolist(),
            "verdict": _verdict(dataset, act.panel, tracks.tracks[-1].astype(np.int64)),
        }
        for one, act, tracks in zip(told, acts, track_panels(panels), strict=True)
    ]
    once = {
        "pace": pace,
        "first_sweep": len(_visits()) - 1,
        "point": _carried(dataset, np.asarray(panels[1].labels[-1], dtype=np.int64)),
    }
    return Film(build_payload(panels), {**once, "panels": script})


def _carried(dataset: Dataset, labels: IntArray) -> int:
    """Return the point of the wide group that is nearest to the narrow ones, of those that are in its cluster."""
    assert dataset.labels is not None
    wide = dataset.labels == 0
    own = labels == np.bincount(labels[wide]).argmax()
    return int(np.argmax(np.where(wide & own, dataset.X[:, 0], -np.inf)))


class _Act(NamedTuple):
    """A panel, the visits of its first sweep, and whether these depend on where points were before."""

    panel: PanelData
    slow: SlowMotion
    remembers: bool


def _act(dataset: Dataset, told: Told) -> _Act:
    problem = Problem(dataset.X, told.config)
    trace = run(dataset.X, told.config)
    slow = slow_motion(dataset.X, trace, 1)
    labels = np.vstack([_visited(trace, slow)[:-1], trace.labels[1:].astype(np.int64)])
    states = states_of(trace, labels)
    ruling = labels if problem.algorithm.uses_model else _centres_held(labels)
    panel = panel_of_labels(
        dataset.X,
        states.labels,
        nll=states.nll,
        objective=states.nll,
        title=told.title,
        ellipses=_ellipses(problem, states_of(trace, ruling)),
        region_image=_regions(problem, ruling, dataset.X),
    )
    return _Act(panel, slow, problem.algorithm.uses_model)


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
    ellipses = ellipses_of(problem, found, found.rows)
    assert ellipses is not None  # the points lie in a plane
    return ellipses


def _regions(problem: Problem, labels: IntArray, X: FloatArray) -> RegionImage:
    """Map which cluster would take a point, in every frame: that of lowest cost, or the nearest centre."""
    low, high = X.min(axis=0), X.max(axis=0)
    middle, half = (low + high) / 2, SHOWN * float((high - low).max()) / 2
    extent = (middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half)
    plane = cells_of(extent, MAP_CELLS)
    square = (len(labels), MAP_CELLS, MAP_CELLS)
    takers, margins, _ = zip(*(taken(*_scores(problem, row, plane)) for row in labels), strict=True)
    return RegionImage(np.reshape(takers, square), np.arange(len(labels)), extent, np.reshape(margins, square))


def _scores(problem: Problem, labels: IntArray, plane: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return scores (n, C) of places in the clusters of a frame and in a new one, and the names of the clusters."""
    used, codes = np.unique(labels, return_inverse=True)
    if problem.algorithm.uses_model:
        return PartitionPredictive(problem, codes).log_scores(plane), used
    scores = algorithm_of(problem).scores_of_places(problem, codes, plane)
    assert scores is not None  # K-means gives places to clusters
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


def _rank(points: IntArray) -> IntArray:
    """Return at which visit every point has its turn, from 0."""
    ranks = np.empty(len(points), dtype=np.int64)
    ranks[points] = np.arange(len(points))
    return ranks


def _verdict(dataset: Dataset, panel: PanelData, last: IntArray) -> dict[str, Any]:
    assert dataset.labels is not None
    return {
        "clusters": len(np.unique(last)),
        "agreement": {  # both, as everywhere: the second flatters many clusters
            name: round(float(score(dataset.labels, last)), 2)
            for name, score in (("ARI", metrics.ari), ("NMI", metrics.nmi))
        },
        "faults": faults(dataset.X, dataset.labels, last),
    }


def faults(X: FloatArray, groups: IntArray, labels: IntArray) -> list[dict[str, Any]]:
    """Say which groups are cut in pieces and which are merged, and where.

    A cluster is a piece of a group if it holds more than a fifth of it; a group is in that which has most of it.

    Returns
    -------
    list of dict
        ``pieces``, 0 of what is merged, and ``x``, ``y``: the middle of the cut group, or of the cluster that holds
        several.
    """
    said = []
    home = []
    for group in np.unique(groups):
        used, counts = np.unique(labels[groups == group], return_counts=True)
        home.append(int(used[np.argmax(counts)]))
        pieces = int(np.sum(counts > PIECE * counts.sum()))
        if pieces > 1:
            said.append((pieces, X[groups == group].mean(axis=0)))
    for cluster, several in zip(*np.unique(home, return_counts=True), strict=True):
        if several > 1:
            said.append((0, X[labels == cluster].mean(axis=0)))
    return [{"pieces": pieces, "x": float(f"{x:.4g}"), "y": float(f"{y:.4g}")} for pieces, (x, y) in said]


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
    cut = len(wide) > 1 and np.sort(wide)[-2] > PIECE * wide.sum()
    cheaper = _sum_of_squares(X, kmeans) < _sum_of_squares(X, true)
    found = len(np.unique(mapdp)) == N_GROUPS and metrics.nmi(true, mapdp) > 0.9
    return bool(cut and cheaper), bool(found)


def _sum_of_squares(X: FloatArray, labels: IntArray) -> float:
    return sum(float(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum()) for k in np.unique(labels))


if __name__ == "__main__":
    FILE.write_bytes(made().stored)
