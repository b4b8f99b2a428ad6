"""Chapters on real tables: columns of every kind, and cells that are missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.config import RunConfig
from dpviz.course.chapter import Facts, Question, Scene
from dpviz.course.chapters.shared import chapter, mapdp, scores
from dpviz.course.chart import Chart
from dpviz.course.claims import Bound, ranges, within
from dpviz.course.treatments import FILLED, HIDDEN, HIDDEN_SHARE, STANDARDISED, by_last_column
from dpviz.course.trial import Transfer, Trial, of_data, turn
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.words import say

DERMATOLOGY_KINDS = ("ordinal",) * 10 + ("binary",) + ("ordinal",) * 22 + ("real",)


def _kinds(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    found = scores(dataset, traces, "kmeans", "mapdp", "scaled")
    age = dataset.X[:, dataset.feature_names.index("age")]
    clusters = traces[0].result_labels
    within = sum(((age[clusters == k] - age[clusters == k].mean()) ** 2).sum() for k in np.unique(clusters))
    return {
        "chart": Chart(
            say("chapters.kinds.chart"),
            tuple(
                (label, (100 * found[f"{name}_nmi"],))
                for label, name in (
                    (say("chapters.kinds.label_1"), "kmeans"),
                    (say("chapters.kinds.label_2"), "scaled"),
                    (say("chapters.kinds.label_3"), "mapdp"),
                )
            ),
        ),
        "truth": round(100 * found["kmeans_nmi"]),
        "best": round(100 * found["mapdp_nmi"]),
        "scaled": round(100 * found["scaled_nmi"]),
        "rows": len(age),
        "explained": round(100 * (1 - within / ((age - age.mean()) ** 2).sum())),
        **found,
    }


KINDS = chapter(
    "kinds",
    Scene("bundled", "dermatology"),
    (
        RunConfig("kmeans", n_clusters=6, n_init=10),
        mapdp(family="mixed", kinds=DERMATOLOGY_KINDS, effort=0.05),
        RunConfig("kmeans", n_clusters=6, n_init=10),
    ),
    Question(upper=100, start=50, within=True, close=8),
    _kinds,
    (0, 2, 1),
    (within(Bound("nmi", 0, most=30), Bound("ari", 0, most=0.2)), lambda d: min(d.ari(1), d.ari(2)) > 0.6),
    treatments=((2, STANDARDISED),),
    words=((0, say("chapters.kinds.run_1")), (1, say("chapters.kinds.run_2")), (2, say("chapters.kinds.run_3"))),
    view=by_last_column,
    trial=Trial(
        (0,),
        (
            of_data(
                "divide",
                say("chapters.kinds.number_word"),
                ("divide", str(len(DERMATOLOGY_KINDS) - 1)),
                1.0,
                100.0,
                1.0,
            ),
            turn("n_clusters", 1, 12, 6, 0, step=1),
        ),
        "nmi 0",
        lead=(("divide", 10.0, 100.0, 100.0),),
        transfers=(Transfer((("n_clusters", 12),), ranges("nmi", 0, 20, 50)),),
    ),
)


def _clusters_guess(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the mean of each cell's column (N, D) in its row's cluster, or in all rows if no cell there is known."""
    guess = np.tile(np.nanmean(X, axis=0), (len(X), 1))
    for cluster in np.unique(labels):
        members = X[labels == cluster]
        known = np.isfinite(members).any(axis=0)
        guess[np.ix_(labels == cluster, known)] = np.nanmean(members[:, known], axis=0)
    return guess


def _error(truth: np.ndarray, hidden: np.ndarray, labels: np.ndarray) -> float:
    """Error of hidden cells guessed by clusters, as a share of that of the columns' means (root mean squares)."""
    holes = np.isnan(hidden)
    by_cluster = _clusters_guess(hidden, labels) - truth
    by_column = np.nanmean(hidden, axis=0) - truth
    return float(np.sqrt((by_cluster[holes] ** 2).mean() / (by_column[holes] ** 2).mean()))


def _missing(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    hidden = HIDDEN.of(dataset, 0).X
    found = scores(dataset, traces, "whole", "hidden", "filled")
    error = _error(dataset.X, hidden, traces[1].result_labels)
    return {
        "truth": round(100 * error),
        "sample": "; ".join(" ".join("–" if np.isnan(cell) else f"{cell:g}" for cell in row) for row in hidden[:4]),
        "complete": int((~np.isnan(hidden).any(axis=1)).sum()),
        "rows": len(hidden),
        "chart": Chart(
            say("chapters.missing.chart"),
            ((say("chapters.missing.chart_bar_1"), (100.0,)), (say("chapters.missing.chart_bar_2"), (100 * error,))),
        ),
        **found,
    }


IRIS_WIDTH = 0.4

MISSING = chapter(
    "missing",
    Scene("bundled", "iris"),
    (mapdp(1.0, family="normal_gamma", prior={"width": IRIS_WIDTH}, missing="marginalise", effort=0.05),) * 3,
    Question(upper=150, start=140, close=10),
    _missing,
    (0, 1, 2),
    (
        lambda d: _error(d.runs[0][0], d.runs[1][0], d.labels(1)) < 0.8,
        lambda d: d.ari(2) < d.ari(1) - 0.05,
        within(Bound("ari", 2, most=0.6)),
    ),
    treatments=((1, HIDDEN), (2, FILLED)),
    trial=Trial(
        (2,),
        (
            of_data("fill", say("chapters.missing.number_word"), ("fill",), 0.0, 0.6, HIDDEN_SHARE, 0.05),
            turn("width", 0.001, 8.0, IRIS_WIDTH, 0),
        ),
        "ari 0",
        lead=(("fill", 0.0, 0.2, 0.0),),
        transfers=(Transfer((("fill", 0.6),), ranges("ari", 0, 0.2, 0.5)),),
    ),
)
