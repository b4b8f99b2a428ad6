"""Chapters on what K-means takes for granted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, Facts, Question, Scene
from dpviz.course.chapters.shared import mapdp, scores
from dpviz.course.chart import Chart
from dpviz.course.claims import CRUMB, Bound, Claim, Draw, finds, within
from dpviz.course.trial import Lead, Trial, of_data, turn
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
        "truth": round(100 * counts[wide].max() / counts[wide].sum()),
        "narrow": round(100 * narrow.sum(axis=0).max() / narrow.sum()),
        **scores(dataset, traces, "kmeans", "mapdp", "other"),
    }


def _density(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    counts = _counts(dataset, traces[0])
    small = counts[int(np.argmin(counts.sum(axis=1)))]
    home = int(np.argmax(small))
    others = int(counts[:, home].sum() - small[home])
    together, alone = small[home] >= 0.9 * small.sum(), others <= 0.1 * small[home]
    return {
        "truth": 2 if not together else 0 if alone else 1,
        "small": int(small.sum()),
        "others": others,
        "all": len(dataset.X),
        "objective": float(traces[0].objective[-1]),
        "grouped": _squares(dataset),
        **scores(dataset, traces, "kmeans", "mapdp"),
    }


def _squares(dataset: Dataset) -> float:
    """Sum of squared distances to the means of the true groups."""
    groups = [dataset.X[dataset.labels == group] for group in np.unique(dataset.labels)]  # type: ignore[arg-type]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def _outliers(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    sizes = np.bincount(traces[0].result_labels)
    found = np.bincount(traces[1].result_labels)
    far = np.bincount(dataset.labels)  # type: ignore[arg-type]
    return {
        "truth": int(sizes.min()),
        "small": int((found < CRUMB).sum()),
        "far": int(far[far < CRUMB].sum()),
        **scores(dataset, traces, "kmeans", "mapdp"),
    }


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


SPHERES = Chapter(
    "spheres",
    say("chapters.spheres.title"),
    (
        say("chapters.spheres.text_1"),
        say("chapters.spheres.text_2"),
    ),
    Scene("synthetic", "spherical_unequal_radius", (("n", 1200), ("seed", 0))),
    (RunConfig("kmeans", n_clusters=3, n_init=10), mapdp(), mapdp(0.1)),
    Question(
        say("chapters.spheres.prompt"),
        lower=30,
        upper=100,
        start=95,
        unit=say("chapters.spheres.unit"),
        counted="chapters.spheres.counted",
        within=True,
        close=5,
    ),
    _spheres,
    say("chapters.spheres.reveal"),
    (0, 1),
    say("chapters.spheres.lesson"),
    say("chapters.spheres.about"),
    (
        Claim(say("chapters.spheres.claim_1"), within(Bound("widest_whole", 0, most=0.9), Bound("ari", 0, most=0.6))),
        Claim(say("chapters.spheres.claim_2"), within(*finds(1, 3))),
        Claim(say("chapters.spheres.claim_3"), within(*finds(2, 3))),
    ),
    trial=Trial(
        (0, 1),
        (
            of_data("wide", say("chapters.spheres.number_word"), ("spread", "0"), 1.0, 10.0, 6.0, 0.5),
            turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1),
        ),
        say("chapters.spheres.trial"),
        "widest_whole 0",
        Lead(
            say("chapters.spheres.lead"),
            (("wide", 1.0, 4.0, 1.0),),
        ),
    ),
    papers=(say("chapters.spheres.papers")),
)


DENSITY = Chapter(
    "density",
    say("chapters.density.title"),
    (say("chapters.density.text"),),
    Scene("synthetic", "spherical_unequal_density", (("n", 1200), ("seed", 0))),
    (RunConfig("kmeans", n_clusters=3, n_init=10), mapdp()),
    Question(
        say("chapters.density.prompt"),
        (say("chapters.density.answer_1"), say("chapters.density.answer_2"), say("chapters.density.answer_3")),
    ),
    _density,
    say("chapters.density.reveal"),
    (0, 1),
    say("chapters.density.lesson"),
    say("chapters.density.about"),
    (
        Claim(say("chapters.density.claim_1"), lambda d: _density(d.dataset, [d.trace(0), d.trace(1)])["truth"] == 1),
        Claim(say("chapters.density.claim_2"), within(Bound("strangers", 0, least=100))),
        Claim(say("chapters.density.claim_3"), lambda d: bool(_objective(d, 0) < _squares(d.dataset))),
        Claim(say("chapters.density.claim_4"), within(*finds(1, 3))),
    ),
    trial=Trial(
        (0, 1),
        (turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1), turn("concentration", 0.01, 1000.0, 3.0, 1)),
        say("chapters.density.trial"),
        "strangers 0",
        Lead(
            say("chapters.density.lead"),
            (("n_clusters", 6, MOST_CENTRES, MOST_CENTRES),),
        ),
    ),
    papers=(say("chapters.density.papers")),
)


OUTLIERS = Chapter(
    "outliers",
    say("chapters.outliers.title"),
    (say("chapters.outliers.text"),),
    Scene("synthetic", "spherical_outliers", (("n", 1200), ("seed", 0))),
    (RunConfig("kmeans", n_clusters=3, n_init=10), mapdp()),
    Question(
        say("chapters.outliers.prompt"),
        upper=400,
        start=200,
        unit=say("chapters.outliers.unit"),
        counted="chapters.outliers.counted",
        of_things=True,
        close=20,
    ),
    _outliers,
    say("chapters.outliers.reveal"),
    (0, 1),
    say("chapters.outliers.lesson"),
    say("chapters.outliers.about"),
    (
        Claim(say("chapters.outliers.claim_1"), within(Bound("smallest", 0, most=4), Bound("n_large", 0, 2, 2))),
        Claim(say("chapters.outliers.claim_2"), within(*finds(1, 3, 0.9), Bound("n_small", 1, least=1))),
    ),
    trial=Trial(
        (0, 1),
        (turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1), turn("concentration", 0.01, 1000.0, 3.0, 1)),
        say("chapters.outliers.trial"),
        "smallest 0",
        Lead(say("chapters.outliers.lead"), (("n_clusters", 1, 2, 1),)),
    ),
    papers=(say("chapters.outliers.papers")),
)


HOW_MANY = Chapter(
    "how-many",
    say("chapters.how-many.title"),
    (say("chapters.how-many.text"),),
    Scene("synthetic", "elliptical_rotated", (("n", 900), ("seed", 0))),
    (*(RunConfig("kmeans", n_clusters=k, n_init=10) for k in range(1, 9)), mapdp()),
    Question(
        say("chapters.how-many.prompt"),
        (say("chapters.how-many.answer_1"), say("chapters.how-many.answer_2"), say("chapters.how-many.answer_3")),
    ),
    _how_many,
    say("chapters.how-many.reveal"),
    (2, 7, 8),
    say("chapters.how-many.lesson"),
    say("chapters.how-many.about"),
    (
        Claim(
            say("chapters.how-many.claim_1"), lambda d: bool((np.diff([_objective(d, k) for k in range(8)]) < 0).all())
        ),
        Claim(say("chapters.how-many.claim_2"), within(*finds(8, 3))),
    ),
    trial=Trial(
        (2, RunConfig("dpmeans", penalty=40.0, order="permuted"), 8),
        (
            turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1),
            turn("penalty", 1.0, 1000.0, 40.0, 1),
            turn("concentration", 0.01, 1000.0, 3.0, 2),
        ),
        say("chapters.how-many.trial"),
        "n_clusters 2",
        Lead(say("chapters.how-many.lead"), (("n_clusters", 1, 4, 1),)),
    ),
    papers=say("chapters.how-many.papers"),
)
