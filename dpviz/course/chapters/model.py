"""Chapters on the model: what a cluster costs, how readily it opens, and how wide it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, Facts, Question, Scene
from dpviz.course.chapters.shared import (
    BURN_IN,
    WITH_ERRORS,
    errors_of_shares,
    mapdp,
    monte_carlo_error,
    scores,
    shares,
    visited,
)
from dpviz.course.chart import Chart
from dpviz.course.claims import CRUMB, Bound, Claim, Draw, finds, within
from dpviz.course.trial import Lead, Trial, of_data, turn
from dpviz.datasets import Dataset
from dpviz.engine.explain import explain_assignment
from dpviz.engine.trace import Trace
from dpviz.fit.run import run
from dpviz.partition import ChineseRestaurant, MixtureOfFiniteMixtures, PoweredChineseRestaurant


def _rich(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    found = scores(dataset, traces, "few", "many", "powered")
    ones = int((np.bincount(traces[1].result_labels) == 1).sum())
    bars = (("N0 = 0.1", found["few_k"]), ("N0 = 100", found["many_k"]), ("N0 = 100, r = 1.5", found["powered_k"]))
    chart = Chart("Clusters found", tuple((label, (float(k),)) for label, k in bars))
    expected = traces[1].config.partition.mean_n_clusters(len(dataset.X))
    return {"truth": found["many_k"], "ones": ones, "expected": expected, "chart": chart, **found}


RICH = Chapter(
    "rich",
    "The rich get richer",
    (
        "MAP-DP's prior of partitions is told as a Chinese restaurant, with points as guests and clusters as tables. "
        "Given where all others sit, a guest has weight n for a table of n of them, and weight N0, the concentration, "
        "for an empty one. So large tables grow, and a larger N0 opens more of them.",
        "On these 500 points MAP-DP finds {few_k} clusters with N0 = 0.1. Before it has seen any point, the prior with "
        "N0 = 100 expects {expected:.0f}.",
    ),
    Scene("synthetic", "elliptical_overlap", (("n", 500), ("seed", 5))),
    (mapdp(0.1), mapdp(100.0), mapdp(partition=PoweredChineseRestaurant(100.0, 1.5))),
    Question(
        "With N0 = 0.1 there are {few_k} clusters. N0 becomes 100, a thousand times as much. How many now?",
        lower=1,
        upper=100,
        start=50,
        unit="clusters",
        close=5,
    ),  # fmt: skip
    _rich,
    "A new table is ln 1000 = 6.9 nats cheaper, no more, and the points have their say: {ones} of the {many_k} "
    "clusters are single points. Where such clusters are not wanted, a power r helps, with which a table of n has "
    "weight n to the power r: with r = 1.5, N0 = 100 still, there are {powered_k}. The three costs cannot be compared, "
    "since each contains its own prior.",
    (0, 1, 2),
    "N0 sets how readily clusters open, r how much size attracts.",
    "How many clusters more does MAP-DP find if N0 is a thousand times as large?",
    (
        Claim("many more with a large N0", within(Bound("n_clusters", 1, least=3.0, per=0))),
        Claim("most of them are crumbs", lambda d: d.n_clusters(1) - d.n_large(1) > d.n_clusters(1) / 2),
        Claim("fewer with the power", within(Bound("n_clusters", 2, most=0.99, per=1))),
    ),
    trial=Trial(
        (0, 1, 2),
        (turn("concentration", 0.01, 1000.0, 100.0, 1, 2), turn("power", 1.0, 2.0, 1.5, 2, step=0.01)),
        "With N0 = 0.1 there are {n_clusters 0}. With N0 = [concentration] there are {n_clusters 1}, {alone 1} of them "
        "single points, for {nll 1} nats; with that N0 and the power r = [power] there are {n_clusters 2}.",
        "n_clusters 1",
        Lead("With N0 = [concentration] MAP-DP finds {n_clusters 1}.", (("concentration", 0.01, 3.0, 0.1),)),
    ),
    papers=(
        "Lu, Li and Dunson (2018), Reducing over-clustering via the powered Chinese restaurant process, "
        "arXiv:1802.05392."
    ),
)


PIECES = (1, 2, 4)


def _bill(X: FloatArray, labels: IntArray, config: RunConfig) -> tuple[float, float]:
    """Return what clusters cost (nats): their fit −ln p(X | z), and their partition −ln p(z)."""
    settled = RunConfig(
        "mapdp", family=config.family, prior=config.prior, partition=config.partition, init=labels, n_init=1,
        max_sweeps=1,
    )  # fmt: skip
    partition = -config.partition.log_probability(np.bincount(labels))
    return float(run(X, settled).nll[0]) - partition, partition


def _bills(draw: Draw) -> list[tuple[float, float]]:
    return [_bill(draw.dataset.X, draw.labels(number), draw.runs[-1][1]) for number in range(len(PIECES))]


def _signed(number: float) -> str:
    return f"{number:.1f}".replace("-", "−")


def _price(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    bills = [_bill(dataset.X, trace.result_labels, traces[-1].config) for trace in traces[: len(PIECES)]]
    (_, two, four), totals = bills, [sum(bill) for bill in bills]
    change = totals[2] - totals[1]
    middle = int(np.argmin(((dataset.X - dataset.X.mean(axis=0)) ** 2).sum(axis=1)))
    prices = explain_assignment(dataset.X, traces[-1], -1, middle)[["neg_log_predictive", "neg_log_weight"]].to_numpy()
    own, new = prices[traces[-1].result_labels[middle]], prices[-1]
    return {
        "place": _signed(own[0]), "seat": _signed(own[1]), "here": _signed(own.sum()),
        "new_place": _signed(new[0]), "new_seat": _signed(new[1]), "new": _signed(new.sum()),
        "truth": 1 if abs(change) <= 10 else 2 if change > 0 else 0,
        "gain": two[0] - four[0], "charge": four[1] - two[1], "change": abs(change),
        "one": totals[0], "two": totals[1], "four": totals[2],
        "chart": Chart(
            "Cost (nats) as one, two and four clusters",
            tuple((f"K = {k}", bill) for k, bill in zip(PIECES, bills, strict=True)),
            ("fit", "partition"), stacked=True,
        ), **scores(dataset, traces[len(PIECES) :], "mapdp"),
    }  # fmt: skip


PRICE = Chapter(
    "price",
    "What a cluster costs",
    (
        "MAP-DP asks two prices for a point in each cluster, in nats (natural logarithms): for its place, −ln of the "
        "density that the cluster's other points predict there, and for its seat, −ln of their number, or −ln N0 in a "
        "new cluster. The point in the middle here pays {place} and {seat}, {here} in all, and would pay {new_place} "
        "and {new_seat}, {new} in all, in a new cluster, so it stays.",
        "All points together pay the nll: their fit, and the price of the partition, −ln of its prior probability. "
        "K-means with four centres cuts these two groups of 200 into four halves, which fit better, by {gain:,.0f} "
        "nats.",
    ),
    Scene("synthetic", "high_dimensional", (("n", 400), ("seed", 0), ("n_features", 2), ("n_clusters", 2))),
    (*(RunConfig("kmeans", n_clusters=k, n_init=10) for k in PIECES), mapdp()),
    Question(
        "What does the nll do, from two clusters to four halves?",
        ("It falls, since the fit is better", "It stays, within 10 nats", "It rises, though the fit is better"),
    ),
    _price,
    "The partition into four costs {charge:,.0f} nats more: about ln 2 = 0.69 for each of the 400 points, which has "
    "to say in which half it is. Less the {gain:,.0f} of better fit, that is {change:,.0f} nats more in all. From one "
    "cluster to two the nll fell, {one:,.0f} to {two:,.0f}, because the groups lie apart. MAP-DP finds K = {mapdp_k} "
    "(ARI {mapdp_ari:.2f}). The fit is a marginal likelihood, an average over the means and widths that a cluster "
    "might have, so that these are charged for as well.",
    (1, 2, 3),
    "A cluster pays if it saves more in fit than it adds to the price of the partition.",
    "Do clusters become cheaper if they are cut in halves?",
    (
        Claim("halves fit better", lambda d: _bills(d)[2][0] < _bills(d)[1][0]),
        Claim("and cost more", lambda d: sum(_bills(d)[2]) > sum(_bills(d)[1]) + 10),
        Claim("two cost less than one", lambda d: sum(_bills(d)[1]) < sum(_bills(d)[0]) - 10),
        Claim("MAP-DP finds the two groups", within(*finds(3, 2))),
    ),
    trial=Trial(
        (3,),
        (
            of_data("apart", "Distance of the groups, percent", ("apart",), 0.0, 150.0, 100.0, 5.0),
            turn("concentration", 0.001, 1000.0, 3.0, 0),
        ),
        "Let the groups be [apart] % as far apart as here, and N0 be [concentration]: MAP-DP finds {n_clusters 0}, at "
        "{nll 0} nats. From where on do two clusters pay?",
        "n_large 0",
        Lead(
            "With the groups [apart] % as far apart as here MAP-DP finds {n_clusters 0}, at {nll 0} nats.",
            (("apart", 0.0, 75.0, 0.0),),
        ),
    ),
    papers=(
        "Raykov, Boukouvalas, Baig and Little (2016), What to do when K-means clustering fails, PLoS ONE 11(9), "
        "equations 13 and 14."
    ),
)


def _width(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    found = scores(dataset, traces, "wide", "usual", "chosen")
    width = dict(traces[2].config.prior or ())["width"]
    bars = (("width 8", found["wide_k"]), ("width 1", found["usual_k"]), (f"width {width:.2g}", found["chosen_k"]))
    return {
        "truth": found["usual_k"], "width": width, "large": int((np.bincount(traces[2].result_labels) >= CRUMB).sum()),
        "chart": Chart("Clusters found", tuple((label, (float(k),)) for label, k in bars)), **found,
    }  # fmt: skip


WIDTH = Chapter(
    "width",
    "How wide is a cluster?",
    (
        "Width is the variance that is expected in a cluster before its points are seen, as a share of that of all the "
        "data: width 1 is as wide as everything, width 0.01 a tenth of that in standard deviation. The cluster's own "
        "points correct it, and the expectation counts like one point more, which for narrow groups is a lot.",
        "Here are ten groups of 30 points each. The chapters before have width 1.",
    ),
    Scene("synthetic", "high_dimensional", (("n", 300), ("seed", 0), ("n_features", 2), ("n_clusters", 10))),
    (mapdp(prior={"width": 8.0}), mapdp(), mapdp(prior="auto")),
    Question("How many clusters does MAP-DP find with width 1?", lower=1, upper=20, start=15, unit="clusters", close=1),
    _width,
    "{usual_k} of ten (ARI {usual_ari:.2f}): narrow groups beside each other are cheaper as one cluster, if clusters "
    "are expected to be wide. With width 8 there are {wide_k}. Among widths the nll of the best partition is lowest "
    "at {width:.2g}, which so is chosen from the same data: {chosen_k} clusters, of which {large} have ten points or "
    "more (ARI {chosen_ari:.3f}).",
    (1, 2),
    "Where groups are many and narrow, a prior that is too wide merges them.",
    "How many of ten small groups are found if clusters are expected to be wide?",
    (
        Claim("fewer than ten with width 1", within(Bound("n_clusters", 1, most=9), Bound("ari", 1, most=0.9))),
        Claim("fewer still with a large one", lambda d: d.n_clusters(0) < d.n_clusters(1)),
        Claim("ten with the width of lowest nll", within(*finds(2, 10))),
    ),
    trial=Trial(
        (1,),
        (turn("width", 0.001, 8.0, 1.0, 0), turn("concentration", 0.01, 1000.0, 3.0, 0)),
        "With width [width] and N0 = [concentration] MAP-DP finds {n_clusters 0} in ten groups (ARI {ari 0}), at "
        "{nll 0} nats. Which width costs least?",
        lead=Lead("With width [width] MAP-DP finds {n_clusters 0}.", (("width", 2.0, 8.0, 8.0),)),
    ),
    words=((0, "width 8"), (1, "width 1"), (2, "width by nll")),
)

MOST_SHOWN = 16
"""Numbers of clusters in the histogram of two chains."""


def _growth(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    crp, mfm = (visited(trace) for trace in traces)
    prior = traces[0].config.partition
    both = zip(*(shares(trace, MOST_SHOWN) for trace in traces), strict=True)
    errors = zip(*(100 * errors_of_shares(trace, MOST_SHOWN) for trace in traces), strict=True)
    small = [np.bincount(traces[0].labels_at(sweep)) for sweep in range(BURN_IN + 1, traces[0].n_sweeps + 1)]
    return {
        "error": monte_carlo_error(crp), "single_error": 100 * monte_carlo_error(mfm == 1),
        "crumbs": float(np.mean([((sizes > 0) & (sizes < CRUMB)).sum() for sizes in small])),
        "truth": round(float(crp.mean())), "expected": prior.mean_n_clusters(len(dataset.X)),
        "more": prior.mean_n_clusters(10 * len(dataset.X)), "single": round(100 * float((mfm == 1).mean())),
        "chart": Chart(
            f"Sweeps (of 100) with K clusters; {WITH_ERRORS}",
            tuple((str(k), (100 * one, 100 * other)) for k, (one, other) in enumerate(both, 1)),
            ("Chinese restaurant", "mixture of finite mixtures"), errors=tuple(errors),
        ),
    }  # fmt: skip


GROWTH = Chapter(
    "growth",
    "Clusters that are not there",
    (
        "In a Chinese restaurant every guest may open a table, however many there are. With N0 = 3 it expects "
        "{expected:.0f} tables among 500 guests and {more:.0f} among 5,000: there is no number at which this stops.",
        "These 500 points are one group, drawn from one Gaussian (a normal distribution).",
    ),
    Scene("synthetic", "null_gaussian", (("n", 500), ("seed", 0))),
    tuple(
        RunConfig(
            "gibbs",
            family="normal_wishart",
            prior=None,
            partition=partition,
            n_sweeps=300,
            burn_in=BURN_IN,
            split_merge=2,
        )
        for partition in (ChineseRestaurant(3.0), MixtureOfFiniteMixtures())
    ),  # fmt: skip
    Question(
        "A Gibbs chain with this prior sees them. How many clusters will it have on average, after its burn-in?",
        lower=1,
        upper=25,
        start=20,
        unit="clusters",
        close=2,
    ),
    _growth,
    "{truth} ± {error:.1f} (Monte Carlo error): fewer than the {expected:.0f} that the prior expects, more than the "
    "one that there is. Of them {crumbs:.1f} have fewer than ten points; this prior keeps opening them, however many "
    "points there are, as long as N0 is fixed. A mixture of finite mixtures has a prior on the number of components "
    "instead, and its chain one cluster in {single} ± {single_error:.0f} of 100 sweeps. With more and more points it "
    "finds the number of groups if each is exactly Gaussian; other shapes take several clusters under either.",
    (0, 1),
    "A count of clusters rests on the prior and on the shape of a cluster.",
    "How many clusters does a Chinese restaurant see in a single Gaussian?",
    (
        Claim("the chain has several clusters for one group", within(Bound("mean_k", 0, least=4.0))),
        Claim("one is the usual number of the other", lambda d: (d.visited(1) == 1).mean() > 0.5),
    ),
    trial=Trial(
        (0,),
        (
            turn("concentration", 0.01, 100.0, 3.0, 0),
            of_data("points", "Points", ("points",), 20, 500, 500, 20),
        ),
        "In [points] points of one Gaussian a chain with N0 = [concentration] sees {mean_k 0} clusters on average, and "
        "its last sweep has {n_clusters 0}.",
        "mean_k 0",
        Lead("Among [points] of the points the chain has {mean_k 0} clusters on average.", (("points", 20, 100, 20),)),
    ),
    papers=(
        "Miller and Harrison (2018), Mixture models with a prior on the number of components, Journal of the "
        "American Statistical Association 113."
    ),
)
