"""Chapters on real tables: columns of every kind, and cells that are missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, Facts, Question, Scene
from dpviz.course.chapters.shared import mapdp, scores
from dpviz.course.chart import Chart
from dpviz.course.claims import Bound, Claim, within
from dpviz.course.treatments import FILLED, HIDDEN, HIDDEN_SHARE, STANDARDISED, by_last_column
from dpviz.course.trial import Lead, Trial, of_data, turn
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace

DERMATOLOGY_KINDS = ("ordinal",) * 10 + ("binary",) + ("ordinal",) * 22 + ("real",)


def _kinds(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    found = scores(dataset, traces, "kmeans", "mapdp", "scaled")
    age = dataset.X[:, dataset.feature_names.index("age")]
    clusters = traces[0].result_labels
    within = sum(((age[clusters == k] - age[clusters == k].mean()) ** 2).sum() for k in np.unique(clusters))
    return {
        "chart": Chart(
            "Agreement with the diagnoses (NMI, of 100)",
            tuple(
                (label, (100 * found[f"{name}_nmi"],))
                for label, name in (("K-means", "kmeans"), ("K-means, standardised", "scaled"), ("MAP-DP", "mapdp"))
            ),
        ),
        "truth": round(100 * found["kmeans_nmi"]), "best": round(100 * found["mapdp_nmi"]),
        "scaled": round(100 * found["scaled_nmi"]), "rows": len(age),
        "explained": round(100 * (1 - within / ((age - age.mean()) ** 2).sum())), **found,
    }  # fmt: skip


KINDS = Chapter(
    "kinds",
    "Not everything is Gaussian",
    (
        "{rows} patients with six skin diseases: signs scored 0 to 3, one question of yes or no, and the age in years. "
        "To K-means all columns are lengths in one unit. In the picture the age runs from left to right.",
    ),
    Scene("bundled", "dermatology"),
    (
        RunConfig("kmeans", n_clusters=6, n_init=10),
        mapdp(family="mixed", kinds=DERMATOLOGY_KINDS, effort=0.05),
        RunConfig("kmeans", n_clusters=6, n_init=10),
    ),
    Question(
        "K-means is told that there are six groups. How well will it agree with the diagnoses (NMI), from 0 "
        "(not at all) to 100 (exactly)?",
        upper=100,
        start=50,
        unit="of 100",
        close=8,
    ),  # fmt: skip
    _kinds,
    "K-means sorted the patients by age: its clusters explain {explained} % of that column's variance. MAP-DP with a "
    "model for each kind of column, scores, yes or no, and a bell curve for the age (independent within a cluster), "
    "reaches {best} of 100, with K = {mapdp_k} for six diseases, which NMI forgives: its ARI is {mapdp_ari:.2f}. "
    "K-means, told K, reaches {scaled} (ARI {scaled_ari:.2f}) once every column is divided by its standard deviation. "
    "The bell curve's prior takes its scale from the column, too.",
    (0, 2, 1),
    "Units decide in distances; columns need a common scale, by hand or by a model of each.",
    "How well does K-means do on scores, a yes or no, and ages in one table?",
    (
        Claim("units decide for K-means", within(Bound("nmi", 0, most=30), Bound("ari", 0, most=0.2))),
        Claim("not for the others", lambda d: min(d.ari(1), d.ari(2)) > 0.6),
    ),
    treatments=((2, STANDARDISED),),
    words=((0, "years as they are"), (1, "each column its kind"), (2, "standardised columns")),
    view=by_last_column,
    trial=Trial(
        (0,),
        (
            of_data("divide", "What ages are divided by", ("divide", str(len(DERMATOLOGY_KINDS) - 1)), 1.0, 100.0, 1.0),
            turn("n_clusters", 1, 12, 6, 0, step=1),
        ),
        "Divide the age in years by [divide]: K-means with K = [n_clusters] agrees with the diagnoses by {nmi 0} of "
        "100. No patient has changed.",
        "nmi 0",
        Lead(
            "With the age in units of [divide] years, K-means agrees with the diagnoses by {nmi 0} of 100.",
            (("divide", 10.0, 100.0, 100.0),),
        ),
    ),
    papers="Data: Güvenir, Demiröz and Ilter (1998), dermatology, UCI Machine Learning Repository.",
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
        "complete": int((~np.isnan(hidden).any(axis=1)).sum()), "rows": len(hidden),
        "chart": Chart(
            "Error of guesses at hidden cells (means of the columns: 100)",
            (("mean of the column", (100.0,)), ("mean of the cluster", (100 * error,))),
        ), **found,
    }  # fmt: skip


IRIS_WIDTH = 0.4

MISSING = Chapter(
    "missing",
    "Cells that are missing",
    (
        "Of each of {rows} irises we know four lengths. We hide 30 % of the cells completely at random, whatever is in "
        "them, which leaves {complete} rows complete; the first four rows then read {sample}.",
        "MAP-DP clusters all rows, with columns independent within a cluster: a row's cost is then a sum over its "
        "cells, and leaves hidden ones out.",
    ),
    Scene("bundled", "iris"),
    (mapdp(1.0, family="normal_gamma", prior={"width": IRIS_WIDTH}, missing="marginalise", effort=0.05),) * 3,
    Question(
        "Guess a hidden cell by the mean of its cluster. How large is the error (root mean square), if guessing by the "
        "mean of the column has an error of 100?",
        upper=150,
        start=140,
        close=10,
    ),
    _missing,
    "{truth}: a row's known cells tell its cluster, whose mean then stands for the hidden ones. With holes the ARI "
    "with the three species is {hidden_ari:.2f} (K = {hidden_k}), without {whole_ari:.2f} (K = {whole_k}); other "
    "holes move it as much as that. To fill holes with the columns' means before clustering makes rows unlike any "
    "flower: K = {filled_k}, ARI {filled_ari:.2f}. The films show every flower at its true place.",
    (0, 1, 2),
    "Cluster first, with missing cells left out of the cost, and fill in afterwards.",
    "How much do clusters know about cells that are missing?",
    (
        Claim(
            "clusters guess better than columns",
            lambda d: _error(d.runs[0][0], d.runs[1][0], d.labels(1)) < 0.8,
        ),
        Claim("filling in costs more than holes", lambda d: d.ari(2) < d.ari(1) - 0.05),
        Claim("filling in spoils the clusters", within(Bound("ari", 2, most=0.6))),
    ),
    treatments=((1, HIDDEN), (2, FILLED)),
    trial=Trial(
        (2,),
        (
            of_data("fill", "Share of the cells", ("fill",), 0.0, 0.6, HIDDEN_SHARE, 0.05),
            turn("width", 0.001, 8.0, IRIS_WIDTH, 0),
        ),
        "Fill a share of [fill] of the cells with the means of their columns, and expect width [width]: MAP-DP, the "
        "best of several starts without the search of the film, finds {n_clusters 0}, which agree with the species by "
        "ARI {ari 0}.",
        "ari 0",
        Lead(
            "If a share of [fill] of the cells is filled with the means of their columns, MAP-DP finds {n_clusters 0}.",
            (("fill", 0.0, 0.2, 0.0),),
        ),
    ),
    papers=("Data: Fisher (1936), iris; of missing cells: Rubin (1976), Inference and missing data, Biometrika 63."),
)
