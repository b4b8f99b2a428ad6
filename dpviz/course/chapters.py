"""The eight chapters. Every number in their texts comes from their runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz import metrics
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, Facts, Question, Scene
from dpviz.course.claims import Claim, Draw
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant

BURN_IN = 100
N_ORDERS = 20


def _mapdp(n0: float = 3.0, **options: Any) -> RunConfig:
    settings = {"family": "normal_wishart", "prior": None, "partition": ChineseRestaurant(n0), "effort": 0.02}
    return RunConfig("mapdp", **{**settings, **options})


def _scores(dataset: Dataset, traces: Sequence[Trace], *names: str) -> dict[str, Any]:
    """Count the clusters of the first runs, and score their agreement with the true groups, under these names."""
    assert dataset.labels is not None
    found: dict[str, Any] = {}
    for name, trace in zip(names, traces, strict=False):
        found[f"{name}_k"] = len(np.unique(trace.result_labels))
        found[f"{name}_nmi"] = metrics.nmi(dataset.labels, trace.result_labels)
        found[f"{name}_ari"] = metrics.ari(dataset.labels, trace.result_labels)
    return found


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
        "narrow": round(100 * narrow.sum(axis=0).max() / narrow.sum()), **_scores(dataset, traces, "kmeans", "mapdp"),
    }  # fmt: skip


def _density(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    counts = _counts(dataset, traces[0])
    small = counts[int(np.argmin(counts.sum(axis=1)))]
    home = int(np.argmax(small))
    others = int(counts[:, home].sum() - small[home])
    together, alone = small[home] >= 0.9 * small.sum(), others <= 0.1 * small[home]
    return {
        "truth": 2 if not together else 0 if alone else 1,
        "small": int(small.sum()), "others": others, **_scores(dataset, traces, "kmeans", "mapdp"),
    }  # fmt: skip


def _outliers(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    sizes = np.bincount(traces[0].result_labels)
    found = np.bincount(traces[1].result_labels)
    return {"truth": int(sizes.min()), "small": int((found < 10).sum()), **_scores(dataset, traces, "kmeans", "mapdp")}


def _how_many(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    objective = np.array([trace.objective[-1] for trace in traces[:8]])
    best = int(np.argmin(objective)) + 1
    return {
        "truth": {3: 0, 8: 2}.get(best, 1), "three": objective[2], "eight": objective[7],
        **_scores(dataset, [traces[2], traces[8]], "kmeans", "mapdp"),
    }  # fmt: skip


def _rich(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    scores = _scores(dataset, traces, "few", "many", "powered")
    ones = int((np.bincount(traces[1].result_labels) == 1).sum())
    return {"truth": scores["many_k"], "ones": ones, **scores}


def _sampling(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    visited, sweeps = np.unique(traces[0].n_clusters[BURN_IN + 1 :], return_counts=True)
    return {
        "truth": len(visited), "least": int(visited[0]), "most": int(visited[-1]),
        "mode": int(visited[np.argmax(sweeps)]), **_scores(dataset, traces[1:], "mapdp"),
    }  # fmt: skip


def _luck(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    nll = np.array([trace.nll[-1] for trace in traces[:N_ORDERS]])
    worst = int(np.argmax(nll))
    stuck, found = traces[worst], traces[N_ORDERS]
    return {
        "shown": (int(np.argmin(nll)), worst, N_ORDERS),
        "truth": int((nll <= nll.min() + 1e-6).sum()), "best": nll.min(), "stuck": stuck.nll[-1],
        "stuck_k": int(stuck.n_clusters[-1]),
        "searched": found.nll[-1], "searched_k": int(found.n_clusters[-1]),
    }  # fmt: skip


def _kinds(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    scores = _scores(dataset, traces, "kmeans", "mapdp", "scaled")
    age = dataset.X[:, dataset.feature_names.index("age")]
    clusters = traces[0].result_labels
    within = sum(((age[clusters == k] - age[clusters == k].mean()) ** 2).sum() for k in np.unique(clusters))
    return {
        "truth": round(100 * scores["kmeans_nmi"]), "best": round(100 * scores["mapdp_nmi"]),
        "scaled": round(100 * scores["scaled_nmi"]), "rows": len(age),
        "explained": round(100 * (1 - within / ((age - age.mean()) ** 2).sum())), **scores,
    }  # fmt: skip


def _objective(draw: Draw, number: int) -> float:
    return float(draw.trace(number).objective[-1])


def _ends(draw: Draw) -> list[float]:
    """Return the nll (nats) at which each order of visits ends."""
    return [draw.nll(number) for number in range(N_ORDERS)]


DERMATOLOGY_KINDS = ("ordinal",) * 10 + ("binary",) + ("ordinal",) * 22 + ("real",)

CHAPTERS: tuple[Chapter, ...] = (
    Chapter(
        "spheres",
        "Spheres and radii",
        (
            "K-means puts every point into the cluster with the nearest centre. The border between two clusters lies "
            "halfway between their centres, wherever the points are: every cluster is taken to be equally wide.",
            "Here one group is six times as wide as the other two.",
        ),
        Scene("synthetic", "spherical_unequal_radius", (("n", 1200), ("seed", 0))),
        (RunConfig("kmeans", n_clusters=3, n_init=10), _mapdp()),
        Question(
            "K-means is told that there are three clusters. How many of every 100 points of the wide group will it put "
            "into one cluster?",
            upper=100,
            start=95,
            unit="of 100",
            close=5,
        ),  # fmt: skip
        _spheres,
        "K-means cuts the wide group, and {narrow} of 100 points of the two narrow ones share a cluster. Its agreement "
        "with the true groups is NMI {kmeans_nmi:.2f}, ARI {kmeans_ari:.2f}. MAP-DP learns a width for each cluster. "
        "It finds K = {mapdp_k} clusters, which nobody told it, at NMI {mapdp_nmi:.2f}, ARI {mapdp_ari:.2f}.",
        (0, 1),
        "K-means believes that all clusters are equally wide.",
        "Does K-means keep a wide group whole, if it knows that there are three groups?",
        (
            Claim(
                "K-means cuts the wide group", lambda d: d.share_in_one(0, d.widest_group()) < 0.9 and d.ari(0) < 0.6
            ),
            Claim("MAP-DP finds the three", lambda d: d.n_large(1) == 3 and d.ari(1) > 0.95),
        ),
    ),
    Chapter(
        "density",
        "Density",
        (
            "These groups are equally wide, but not equally large: the smallest has {small} points only. K-means "
            "lowers the sum of squared distances to the centres, and a centre earns more among many points.",
        ),
        Scene("synthetic", "spherical_unequal_density", (("n", 1200), ("seed", 0))),
        (RunConfig("kmeans", n_clusters=3, n_init=10), _mapdp()),
        Question(
            "K-means is told that there are three clusters. Where will the {small} points of the smallest group be?",
            ("In a cluster of their own", "Together, in one cluster with many others", "Spread over several clusters"),
        ),
        _density,
        "The cluster that holds the smallest group has {others:,} points of other groups as well, since that lowers "
        "the objective more than a centre for {small} points (NMI {kmeans_nmi:.2f}, ARI {kmeans_ari:.2f}). MAP-DP "
        "weighs a cluster by how many points it has, so a small one may stand beside a large one: K = {mapdp_k}, NMI "
        "{mapdp_nmi:.2f}, ARI {mapdp_ari:.2f}.",
        (0, 1),
        "K-means spends its centres where most points are.",
        "Where does K-means put the points of a small group?",
        (
            Claim("with many others", lambda d: _density(d.dataset, [d.trace(0), d.trace(1)])["truth"] == 1),
            Claim("MAP-DP finds the three", lambda d: d.n_large(1) == 3 and d.ari(1) > 0.95),
        ),
    ),
    Chapter(
        "outliers",
        "Outliers",
        (
            "Three equal groups, and a handful of points far away from all of them. Squared distances make far points "
            "heavy: one point ten times as far counts a hundred times as much.",
        ),
        Scene("synthetic", "spherical_outliers", (("n", 1200), ("seed", 0))),
        (RunConfig("kmeans", n_clusters=3, n_init=10), _mapdp()),
        Question(
            "K-means is told that there are three clusters. How many points will its smallest cluster have?",
            upper=400,
            start=200,
            unit="points",
            close=20,
        ),  # fmt: skip
        _outliers,
        "One of the three centres left for the outliers, so two real groups must share one: NMI {kmeans_nmi:.2f}, "
        "ARI {kmeans_ari:.2f}. MAP-DP opens {small} small clusters for the outliers, K = {mapdp_k} in all, and the "
        "groups stay whole: NMI {mapdp_nmi:.2f}, ARI {mapdp_ari:.2f}.",
        (0, 1),
        "A method that may open clusters can set outliers aside instead of serving them.",
        "What does a handful of far points do to K-means?",
        (
            Claim("one centre is left for them", lambda d: d.sizes(0)[-1] <= 4 and d.n_large(0) == 2),
            Claim("MAP-DP sets them aside", lambda d: d.n_large(1) == 3 and d.n_clusters(1) > 3 and d.ari(1) > 0.9),
        ),
    ),
    Chapter(
        "how-many",
        "Choosing K",
        (
            "K-means has to be told K. Could its own objective, the sum of squared distances to the centres, choose "
            "it? We run K-means with K = 1, 2, … 8 on three ellipses, and take the lowest objective.",
        ),
        Scene("synthetic", "elliptical_rotated", (("n", 900), ("seed", 0))),
        (*(RunConfig("kmeans", n_clusters=k, n_init=10) for k in range(1, 9)), _mapdp()),
        Question("Which K has the lowest objective?", ("K = 3, the truth", "Another K below 8", "K = 8, the largest")),
        _how_many,
        "With more centres every point has one nearer by: {three:,.0f} at K = 3, {eight:,.0f} at K = 8. The objective "
        "only ever rewards another cluster. The negative log likelihood (nll) of MAP-DP also charges for it, since a "
        "cluster must be drawn from the prior first: it stops at K = {mapdp_k}, NMI {mapdp_nmi:.2f}, ARI "
        "{mapdp_ari:.2f}.",
        (2, 7, 8),
        "An objective that only rewards clusters cannot count them.",
        "Can the objective of K-means choose K?",
        (
            Claim("every centre lowers it", lambda d: bool((np.diff([_objective(d, k) for k in range(8)]) < 0).all())),
            Claim("MAP-DP stops at three", lambda d: d.n_large(8) == 3 and d.ari(8) > 0.95),
        ),
    ),
    Chapter(
        "rich",
        "The rich get richer",
        (
            "The Chinese restaurant: a new guest sits at a table with n others with weight n, and at an empty one with "
            "weight N0, the concentration. So large tables grow, and a larger N0 opens more of them.",
            "On these 500 points MAP-DP finds {few_k} clusters with N0 = 0.1.",
        ),
        Scene("synthetic", "elliptical_overlap", (("n", 500), ("seed", 0))),
        (_mapdp(0.1), _mapdp(100.0), _mapdp(partition=PoweredChineseRestaurant(100.0, 1.5))),
        Question(
            "With N0 = 0.1 there are {few_k} clusters. N0 becomes 100, a thousand times as much. How many now?",
            lower=1,
            upper=100,
            start=50,
            unit="clusters",
            close=3,
        ),  # fmt: skip
        _rich,
        "A cluster gains the logarithm of N0 only, and the points have their say: {ones} of the {many_k} clusters are "
        "single points. The power r makes large tables even more attractive, with weight n to the power r: with r = "
        "1.5, N0 = 100 still, there are {powered_k}.",
        (0, 1, 2),
        "N0 sets how readily clusters open, r how much size attracts.",
        "How many clusters more does MAP-DP find if N0 is a thousand times as large?",
        (
            Claim("more with a large N0", lambda d: d.n_clusters(1) > 3 * d.n_clusters(0)),
            Claim("most of them are crumbs", lambda d: d.n_clusters(1) - d.n_large(1) > d.n_clusters(1) / 2),
            Claim("fewer with the power", lambda d: d.n_clusters(2) < d.n_clusters(1)),
        ),
    ),
    Chapter(
        "sampling",
        "Sampling or optimising",
        (
            "MAP-DP moves each point to its most probable cluster and stops when nothing moves. Gibbs sampling draws "
            "the cluster instead, by its probability, and never stops: it shows what else the data could mean.",
        ),
        Scene("synthetic", "elliptical_overlap", (("n", 500), ("seed", 0))),
        (
            RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=300, burn_in=BURN_IN),
            _mapdp(),
        ),
        Question(
            "Gibbs runs for 300 sweeps, the first 100 to warm up. How many different numbers of clusters will it visit "
            "in the other 200?",
            lower=1,
            upper=20,
            start=3,
            unit="different numbers",
            close=1,
        ),  # fmt: skip
        _sampling,
        "From {least} to {most} clusters, most often {mode}; small clusters keep opening and closing. MAP-DP's single "
        "answer, K = {mapdp_k}, says nothing of that. The spread is the posterior's: that is what Gibbs is for.",
        (0, 1),
        "Optimising gives one answer, sampling says how sure it is.",
        "How many different numbers of clusters does one chain visit?",
        (
            Claim("several numbers", lambda d: len(set(d.visited(0).tolist())) >= 3),
            Claim("clusters open and close", lambda d: float((d.trace(0).n_born[BURN_IN + 1 :] > 0).mean()) > 0.5),
        ),
    ),
    Chapter(
        "luck",
        "Local optima",
        (
            "MAP-DP visits one point after the other, and stops where no single point would move. That is a local "
            "optimum and depends on the order of the visits. We start from one cluster, with twenty orders.",
        ),
        Scene("synthetic", "elliptical_rotated", (("n", 900), ("seed", 0))),
        (*(_mapdp(init="single", n_init=1, seed=seed) for seed in range(N_ORDERS)), _mapdp(effort=0.1)),
        Question(
            "How many of the twenty orders end at the lowest nll that any of them finds?",
            upper=20,
            start=10,
            unit="of 20",
            close=2,
        ),  # fmt: skip
        _luck,
        "The best end at {best:,.1f} nats, the worst at {stuck:,.1f} with K = {stuck_k}, though no single point wants "
        "to leave its cluster. Starting several ways, and then splitting, merging and shaking whole clusters, finds "
        "{searched:,.1f} with K = {searched_k}; the default search does that.",
        (0, 1, N_ORDERS),
        "“Converged” means that no single move helps, not that nothing better exists.",
        "How often does a single order of visits find the best clusters?",
        (
            Claim("some orders end above the best", lambda d: max(_ends(d)) > min(_ends(d)) + 10),
            Claim("the search ends no higher", lambda d: d.nll(N_ORDERS) < min(_ends(d)) + 1e-6),
        ),
    ),
    Chapter(
        "kinds",
        "Not everything is Gaussian",
        (
            "{rows} patients with six skin diseases: signs scored 0 to 3, one question of yes or no, and the age. To "
            "K-means all columns are lengths, and years are large numbers.",
        ),
        Scene("bundled", "dermatology"),
        (
            RunConfig("kmeans", n_clusters=6, n_init=10),
            _mapdp(family="mixed", kinds=DERMATOLOGY_KINDS, effort=0.05),
            RunConfig("kmeans", n_clusters=6, n_init=10),
        ),
        Question(
            "K-means is told that there are six groups. How well will it agree with the diagnoses, from 0 (as by "
            "chance) to 100 (exactly)?",
            upper=100,
            start=50,
            unit="of 100",
            close=8,
        ),  # fmt: skip
        _kinds,
        "K-means sorted the patients by age: its clusters explain {explained} % of that column. MAP-DP with a model "
        "for each kind of column, coins and dice for the scores and a bell curve for the age, reaches {best} of 100 "
        "with K = {mapdp_k}. K-means too, told K, reaches {scaled} once every column is divided by its standard "
        "deviation: a choice that somebody must make, and that the model does not ask for.",
        (0, 2, 1),
        "Give every column a model of its own kind, and its units stop mattering.",
        "How well does K-means do on scores, a yes or no, and ages in one table?",
        (
            Claim("units decide for K-means", lambda d: d.ari(0) < 0.2),
            Claim("not for the others", lambda d: min(d.ari(1), d.ari(2)) > 0.6),
        ),
        standardised=(2,),
    ),
)
