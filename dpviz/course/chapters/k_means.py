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
    }  # fmt: skip


def _density(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    counts = _counts(dataset, traces[0])
    small = counts[int(np.argmin(counts.sum(axis=1)))]
    home = int(np.argmax(small))
    others = int(counts[:, home].sum() - small[home])
    together, alone = small[home] >= 0.9 * small.sum(), others <= 0.1 * small[home]
    return {
        "truth": 2 if not together else 0 if alone else 1,
        "small": int(small.sum()), "others": others, "all": len(dataset.X),
        "objective": float(traces[0].objective[-1]), "grouped": _squares(dataset),
        **scores(dataset, traces, "kmeans", "mapdp"),
    }  # fmt: skip


def _squares(dataset: Dataset) -> float:
    """Sum of squared distances to the means of the true groups."""
    groups = [dataset.X[dataset.labels == group] for group in np.unique(dataset.labels)]  # type: ignore[arg-type]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def _outliers(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    sizes = np.bincount(traces[0].result_labels)
    found = np.bincount(traces[1].result_labels)
    far = np.bincount(dataset.labels)  # type: ignore[arg-type]
    return {
        "truth": int(sizes.min()), "small": int((found < CRUMB).sum()), "far": int(far[far < CRUMB].sum()),
        **scores(dataset, traces, "kmeans", "mapdp"),
    }  # fmt: skip


def _how_many(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    objective = np.array([trace.objective[-1] for trace in traces[:8]])
    best = int(np.argmin(objective)) + 1
    return {
        "truth": {3: 0, 8: 2}.get(best, 1), "three": objective[2], "eight": objective[7],
        "chart": Chart("Objective of K-means", tuple((f"K = {k}", (value,)) for k, value in enumerate(objective, 1))),
        **scores(dataset, [traces[2], traces[8]], "kmeans", "mapdp"),
    }  # fmt: skip


def _objective(draw: Draw, number: int) -> float:
    return float(draw.trace(number).objective[-1])


SPHERES = Chapter(
    "spheres",
    "Spheres and radii",
    (
        "K-means looks for the centres with the lowest sum of squared distances, each point's to its nearest centre. "
        "So the border between two clusters is halfway between their centres, however wide the clusters are.",
        "Here one group is six times as wide as the other two (in standard deviation), so that most of that sum comes "
        "from its points.",
    ),
    Scene("synthetic", "spherical_unequal_radius", (("n", 1200), ("seed", 0))),
    (RunConfig("kmeans", n_clusters=3, n_init=10), mapdp(), mapdp(0.1)),
    Question(
        "K-means is told that there are three clusters. Of every 100 points of the wide group, how many will be in the "
        "cluster that gets most of them?",
        lower=30,
        upper=100,
        start=95,
        unit="of 100",
        close=5,
    ),  # fmt: skip
    _spheres,
    "K-means cuts the wide group, which lowers the sum most, and {narrow} of 100 points of the two narrow ones share "
    "a cluster. Its ARI, the agreement with the true groups from 0 (as by chance) to 1 (the same), is "
    "{kmeans_ari:.2f}. MAP-DP learns the width of each cluster, and opens and closes clusters (chapters 5 to 8): it "
    "ends with K = {mapdp_k}, ARI {mapdp_ari:.2f}. It was not told so: N0 = 3 is no K, and N0 = 0.1 gives {other_k} "
    "too.",
    (0, 1),
    "K-means takes clusters to be round and equally wide.",
    "Does K-means keep a wide group whole, if it knows that there are three groups?",
    (
        Claim("K-means cuts the wide group", within(Bound("widest_whole", 0, most=0.9), Bound("ari", 0, most=0.6))),
        Claim("MAP-DP finds the three groups", within(*finds(1, 3))),
        Claim("with a small N0 as well", within(*finds(2, 3))),
    ),
    trial=Trial(
        (0, 1),
        (
            of_data("wide", "How many times as wide", ("spread", "0"), 1.0, 10.0, 6.0, 0.5),
            turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1),
        ),
        "If the wide group is [wide] times as wide as the others, K-means with K = [n_clusters] keeps {widest_whole 0} "
        "of 100 points of it together (ARI {ari 0}). MAP-DP finds {n_clusters 1} (ARI {ari 1}).",
        "widest_whole 0",
        Lead(
            "If the wide group is [wide] times as wide as the others, {widest_whole 0} of 100 of its points are in one "
            "cluster of K-means.",
            (("wide", 1.0, 4.0, 1.0),),
        ),
    ),
    papers=(
        "Raykov, Boukouvalas, Baig and Little (2016), What to do when K-means clustering fails, PLoS ONE 11(9); "
        "of ARI: Hubert and Arabie (1985), Comparing partitions, Journal of Classification 2."
    ),
)


DENSITY = Chapter(
    "density",
    "Density",
    (
        "These groups are equally wide, but not equally dense: the smallest has {small} of the {all:,} points. K-means "
        "lowers the sum of squared distances to the centres, in which every point counts, and so a large group more.",
    ),
    Scene("synthetic", "spherical_unequal_density", (("n", 1200), ("seed", 0))),
    (RunConfig("kmeans", n_clusters=3, n_init=10), mapdp()),
    Question(
        "K-means is told that there are three clusters. Where will the {small} points of the smallest group be?",
        ("In a cluster of their own", "Together, in one cluster with many others", "Spread over several clusters"),
    ),
    _density,
    "The cluster that holds the smallest group has {others:,} points of other groups as well (ARI {kmeans_ari:.2f}). "
    "That is the lower sum: {objective:,.0f}, against {grouped:,.0f} with a centre in each true group. MAP-DP asks two "
    "prices for a point in each cluster: its distance there, measured by the width of that cluster, and a seat, which "
    "is cheaper the more points sit there; a new cluster has both too. The lowest total wins: K = {mapdp_k}, ARI "
    "{mapdp_ari:.2f}.",
    (0, 1),
    "K-means puts its centres where most of the sum of squares is.",
    "Where does K-means put the points of a small group?",
    (
        Claim("together", lambda d: _density(d.dataset, [d.trace(0), d.trace(1)])["truth"] == 1),
        Claim("the smallest group is among many others", within(Bound("strangers", 0, least=100))),
        Claim("that is the lower sum", lambda d: bool(_objective(d, 0) < _squares(d.dataset))),
        Claim("MAP-DP finds the three groups", within(*finds(1, 3))),
    ),
    trial=Trial(
        (0, 1),
        (turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1), turn("concentration", 0.01, 1000.0, 3.0, 1)),
        "K-means with K = [n_clusters] has ARI {ari 0}. MAP-DP with N0 = [concentration] finds {n_clusters 1} "
        "(ARI {ari 1}).",
        "strangers 0",
        Lead(
            "With K = [n_clusters] there are {strangers 0} points of other groups in the cluster of K-means that has "
            "most of the smallest group.",
            (("n_clusters", 6, MOST_CENTRES, MOST_CENTRES),),
        ),
    ),
    papers=("Raykov, Boukouvalas, Baig and Little (2016), What to do when K-means clustering fails, PLoS ONE 11(9)."),
)


OUTLIERS = Chapter(
    "outliers",
    "Outliers",
    (
        "Three equal groups, and {far} points far away from all of them, at the edges of the picture. Squared "
        "distances make far points heavy: one point ten times as far counts a hundred times as much.",
    ),
    Scene("synthetic", "spherical_outliers", (("n", 1200), ("seed", 0))),
    (RunConfig("kmeans", n_clusters=3, n_init=10), mapdp()),
    Question(
        "K-means is told that there are three clusters. How many points will its smallest cluster have?",
        upper=400,
        start=200,
        unit="points",
        close=20,
    ),  # fmt: skip
    _outliers,
    "One of the three centres goes to outliers, so that two of the three groups share a centre: ARI "
    "{kmeans_ari:.2f}. MAP-DP opens {small} small clusters for outliers, K = {mapdp_k} in all, and the groups stay "
    "whole: ARI {mapdp_ari:.2f}. With so few points a cluster's width comes from what the prior expects (chapter 7), "
    "so their rings reach far beyond them.",
    (0, 1),
    "A method that may open clusters can give outliers their own, which then count in K.",
    "What does a handful of far points do to K-means?",
    (
        Claim("a centre of K-means goes to outliers", within(Bound("smallest", 0, most=4), Bound("n_large", 0, 2, 2))),
        Claim("MAP-DP sets them aside", within(*finds(1, 3, 0.9), Bound("n_small", 1, least=1))),
    ),
    trial=Trial(
        (0, 1),
        (turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1), turn("concentration", 0.01, 1000.0, 3.0, 1)),
        "With K = [n_clusters] the smallest cluster of K-means has {smallest 0} points (ARI {ari 0}). MAP-DP with N0 = "
        "[concentration] finds {n_clusters 1} (ARI {ari 1}).",
        "smallest 0",
        Lead(
            "With K = [n_clusters] the smallest cluster of K-means has {smallest 0} points.", (("n_clusters", 1, 2, 1),)
        ),
    ),
    papers=("Raykov, Boukouvalas, Baig and Little (2016), What to do when K-means clustering fails, PLoS ONE 11(9)."),
)


HOW_MANY = Chapter(
    "how-many",
    "Choosing K",
    (
        "K-means has to be told K. Could its own objective, the sum of squared distances to the centres, choose "
        "it? We run K-means with K = 1, 2, … 8 on three ellipses, and take the lowest objective.",
    ),
    Scene("synthetic", "elliptical_rotated", (("n", 900), ("seed", 0))),
    (*(RunConfig("kmeans", n_clusters=k, n_init=10) for k in range(1, 9)), mapdp()),
    Question("Which K has the lowest objective?", ("K = 3, the truth", "Another K below 8", "K = 8, the largest")),
    _how_many,
    "An added centre can only lower the best sum: {three:,.0f} at K = 3, {eight:,.0f} at K = 8. So one looks for an "
    "elbow in these bars, or adds a charge for each cluster, as BIC does. MAP-DP lowers another cost, in which a "
    "charge follows from a prior (chapter 5): the nll, −ln of the joint density of points and partition. The lowest "
    "that it finds has K = {mapdp_k}, ARI {mapdp_ari:.2f}. That is the K of one partition, not yet a proof of how many "
    "groups there are: see chapters 10 and 11.",
    (2, 7, 8),
    "The sum of squares rewards every further cluster: without a charge it cannot count them.",
    "Can the objective of K-means choose K?",
    (
        Claim("every centre lowers it", lambda d: bool((np.diff([_objective(d, k) for k in range(8)]) < 0).all())),
        Claim("MAP-DP ends with three", within(*finds(8, 3))),
    ),
    trial=Trial(
        (2, RunConfig("dpmeans", penalty=40.0, order="permuted"), 8),
        (
            turn("n_clusters", 1, MOST_CENTRES, 3, 0, step=1),
            turn("penalty", 1.0, 1000.0, 40.0, 1),
            turn("concentration", 0.01, 1000.0, 3.0, 2),
        ),
        "K-means with K = [n_clusters] has the objective {objective 0}. DP-means is K-means that opens a cluster for a "
        "point farther than √λ from every centre: with λ = [penalty] it finds {n_clusters 1}. MAP-DP with N0 = "
        "[concentration] finds {n_clusters 2}. Over which range of λ, and of N0, does each find three?",
        "n_clusters 2",
        Lead("With K = [n_clusters] the objective of K-means is {objective 0}.", (("n_clusters", 1, 4, 1),)),
    ),
    papers="Kulis and Jordan (2012), Revisiting k-means: new algorithms via Bayesian nonparametrics, ICML.",
)
