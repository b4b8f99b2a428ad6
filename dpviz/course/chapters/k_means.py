"""Chapters on what K-means takes for granted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.course.chapter import Facts, Question, Scene
from dpviz.course.chapters.shared import chapter, mapdp, scores
from dpviz.course.chart import Chart
from dpviz.course.claims import Bound, Draw, finds, ranges, within
from dpviz.course.trial import Transfer, Trial, of_data, turn
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.words import say

MOST_CENTRES = 12


def _counts(dataset: Dataset, trace: Trace) -> IntArray:
    """Numbers of points in both group g (rows) and cluster k (columns)."""
    assert dataset.labels is not None
    table = np.zeros((dataset.labels.max() + 1, trace.result_labels.max() + 1), dtype=np.int64)
    np.add.at(table, (dataset.labels, trace.result_labels), 1)
    return table


def _spheres(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    counts = _counts(dataset, traces[0])
    widths = [dataset.X[dataset.labels == group].std(axis=0).mean() for group in range(len(counts))]
    wide = int(np.argmax(widths))
    narrow = np.delete(counts, wide, axis=0)
    return {
        "truth": _share(counts[wide]),
        "narrow": _share(narrow.sum(axis=0)),
        "mapdp_whole": _share(_counts(dataset, traces[1])[wide]),
        **scores(dataset, traces, "kmeans", "mapdp", "other"),
    }


def _share(counts: IntArray) -> int:
    """Of 100 points, those in the cluster with most of them."""
    return round(100 * counts.max() / counts.sum())


def _how_many(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    objective = np.array([trace.objective[-1] for trace in traces[:8]])
    best = int(np.argmin(objective)) + 1
    return {
        "truth": {3: 0, 8: 2}.get(best, 1),
        "three": objective[2],
        "eight": objective[7],
        "chart": Chart(
            say("chapters.how-many.chart"),
            tuple((say("chapters.how-many.label", k=k), (value,)) for k, value in enumerate(objective, 1)),
        ),
        **scores(dataset, [traces[2], traces[8]], "kmeans", "mapdp"),
    }


def _objective(draw: Draw, number: int) -> float:
    return float(draw.trace(number).objective[-1])


SPHERES = chapter(
    "spheres",
    Scene("synthetic", "spherical_unequal_radius", (("n", 1200), ("seed", 0))),
    (RunConfig("kmeans", n_clusters=3, n_init=10), mapdp(), mapdp(0.1)),
    Question(lower=30, upper=100, start=95, within=True, close=5),
    _spheres,
    (0, 1),
    (
        within(Bound("widest_whole", 0, most=0.9), Bound("ari", 0, most=0.6)),
        within(*finds(1, 3)),
        within(*finds(2, 3)),
        lambda d: _spheres(d.dataset, [d.trace(0), d.trace(1), d.trace(2)])["narrow"] >= 95,
    ),
    trial=Trial(
        (0, 1),
        (
            of_data("wide", say("chapters.spheres.number_word"), ("spread", "0"), 1.0, 10.0, 6.0, 0.5),
            of_data("many", say("chapters.spheres.many_word"), ("thin", "0"), 1, 40, 1, 1),
            of_data("far", say("chapters.spheres.far_word"), ("far",), 0, 100, 0, 5),
            turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1),
        ),
        "widest_whole 0",
        lead=(("wide", 1.0, 4.0, 1.0),),
        transfers=(
            Transfer((("wide", 1.0), ("many", 40)), ranges("largest_whole", 0, 0.9)),
            Transfer((("wide", 1.0), ("far", 60)), ranges("smallest", 0, 4.5)),
        ),
    ),
)


HOW_MANY = chapter(
    "how-many",
    Scene("synthetic", "elliptical_rotated", (("n", 900), ("seed", 0))),
    (*(RunConfig("kmeans", n_clusters=k, n_init=10) for k in range(1, 9)), mapdp()),
    Question(),
    _how_many,
    (2, 7, 8),
    (lambda d: bool((np.diff([_objective(d, k) for k in range(8)]) < 0).all()), within(*finds(8, 3))),
    trial=Trial(
        (2, RunConfig("dpmeans", penalty=40.0, order="permuted"), 8),
        (
            turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1),
            turn("penalty", 1.0, 1000.0, 40.0, 1),
            turn("concentration", 0.01, 1000.0, 3.0, 2),
        ),
        "n_clusters 2",
        lead=(("n_clusters", 1, 4, 1),),
        transfers=(Transfer((("concentration", 0.03),), ranges("n_clusters", 2, 2.5, 3.5)),),
    ),
)
