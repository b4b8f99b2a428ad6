"""Chapters on the model: what a cluster costs, how readily it opens, and how wide it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.course.chapter import Facts, Question, Scene
from dpviz.course.chapters.shared import (
    BURN_IN,
    WITH_ERRORS,
    chapter,
    errors_of_shares,
    mapdp,
    monte_carlo_error,
    scores,
    shares,
    visited,
)
from dpviz.course.chart import Chart
from dpviz.course.claims import CRUMB, Bound, Draw, finds, ranges, within
from dpviz.course.trial import Transfer, Trial, of_data, turn
from dpviz.datasets import Dataset
from dpviz.engine.explain import explain_assignment
from dpviz.engine.trace import Trace
from dpviz.fit.run import run
from dpviz.partition import ChineseRestaurant, MixtureOfFiniteMixtures, PoweredChineseRestaurant
from dpviz.words import say


def _rich(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    found = scores(dataset, traces, "few", "many", "powered")
    ones = int((np.bincount(traces[1].result_labels) == 1).sum())
    bars = (("N0 = 0.1", found["few_k"]), ("N0 = 100", found["many_k"]), ("N0 = 100, r = 1.5", found["powered_k"]))
    chart = Chart(say("chapters.rich.chart"), tuple((label, (float(k),)) for label, k in bars))
    expected = traces[1].config.partition.mean_n_clusters(len(dataset.X))
    return {"truth": found["many_k"], "ones": ones, "expected": expected, "chart": chart, **found}


RICH = chapter(
    "rich",
    Scene("synthetic", "elliptical_overlap", (("n", 500), ("seed", 5))),
    (mapdp(0.1), mapdp(100.0), mapdp(partition=PoweredChineseRestaurant(100.0, 1.5))),
    Question(lower=1, upper=100, start=50, of_things=True, close=5),
    _rich,
    (0, 1, 2),
    (
        within(Bound("n_clusters", 1, least=3.0, per=0)),
        lambda d: d.n_clusters(1) - d.n_large(1) > d.n_clusters(1) / 2,
        within(Bound("n_clusters", 2, most=0.99, per=1)),
        within(Bound("n_clusters", 1, most=100)),
    ),
    trial=Trial(
        (0, 1, 2),
        (turn("concentration", 0.01, 1000.0, 100.0, 1, 2), turn("power", 1.0, 2.0, 1.5, 2, step=0.01)),
        "n_clusters 1",
        lead=(("concentration", 0.01, 3.0, 0.1),),
        transfers=(Transfer((("concentration", 1000.0),), ranges("n_clusters", 1, 49.5, 150.5)),),
    ),
)


PIECES = (1, 2, 4)


def _bill(X: FloatArray, labels: IntArray, config: RunConfig) -> tuple[float, float]:
    """Return what clusters cost (nats): their fit −ln p(X | z), and their partition −ln p(z)."""
    settled = RunConfig(
        "mapdp",
        family=config.family,
        prior=config.prior,
        partition=config.partition,
        init=labels,
        n_init=1,
        max_sweeps=1,
    )
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
        "place": _signed(own[0]),
        "seat": _signed(own[1]),
        "here": _signed(own.sum()),
        "new_place": _signed(new[0]),
        "new_seat": _signed(new[1]),
        "new": _signed(new.sum()),
        "truth": 1 if abs(change) <= 10 else 2 if change > 0 else 0,
        "gain": two[0] - four[0],
        "charge": four[1] - two[1],
        "change": abs(change),
        "one": totals[0],
        "two": totals[1],
        "four": totals[2],
        "chart": Chart(
            say("chapters.price.chart"),
            tuple((say("chapters.price.label", k=k), bill) for k, bill in zip(PIECES, bills, strict=True)),
            (say("chapters.price.chart_part_1"), say("chapters.price.chart_part_2")),
            stacked=True,
        ),
        **scores(dataset, traces[len(PIECES) :], "mapdp"),
    }


PRICE = chapter(
    "price",
    Scene("synthetic", "high_dimensional", (("n", 400), ("seed", 0), ("n_features", 2), ("n_clusters", 2))),
    (*(RunConfig("kmeans", n_clusters=k, n_init=10) for k in PIECES), mapdp()),
    Question(),
    _price,
    (1, 2, 3),
    (
        lambda d: _bills(d)[2][0] < _bills(d)[1][0],
        lambda d: sum(_bills(d)[2]) > sum(_bills(d)[1]) + 10,
        lambda d: sum(_bills(d)[1]) < sum(_bills(d)[0]) - 10,
        within(*finds(3, 2)),
    ),
    trial=Trial(
        (3,),
        (
            of_data("apart", say("chapters.price.number_word"), ("apart",), 0.0, 150.0, 100.0, 5.0),
            turn("concentration", 0.001, 1000.0, 3.0, 0),
        ),
        "n_large 0",
        lead=(("apart", 0.0, 75.0, 0.0),),
        transfers=(Transfer((("apart", 10.0),), ranges("n_large", 0, 1.5)),),
    ),
)


def _width(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    found = scores(dataset, traces, "wide", "usual", "chosen")
    width = dict(traces[2].config.prior or ())["width"]
    bars = (
        (say("chapters.width.label_1"), found["wide_k"]),
        (say("chapters.width.label_2"), found["usual_k"]),
        (say("chapters.width.label_3", width=width), found["chosen_k"]),
    )
    return {
        "truth": found["usual_k"],
        "width": width,
        "large": int((np.bincount(traces[2].result_labels) >= CRUMB).sum()),
        "chart": Chart(say("chapters.width.chart"), tuple((label, (float(k),)) for label, k in bars)),
        **found,
    }


WIDTH = chapter(
    "width",
    Scene("synthetic", "high_dimensional", (("n", 300), ("seed", 0), ("n_features", 2), ("n_clusters", 10))),
    (mapdp(prior={"width": 8.0}), mapdp(), mapdp(prior="auto")),
    Question(lower=1, upper=20, start=15, of_things=True, close=1),
    _width,
    (1, 2),
    (
        within(Bound("n_clusters", 1, most=9), Bound("ari", 1, most=0.9)),
        lambda d: d.n_clusters(0) < d.n_clusters(1),
        within(*finds(2, 10)),
    ),
    trial=Trial(
        (1,),
        (turn("width", 0.001, 8.0, 1.0, 0), turn("concentration", 0.01, 1000.0, 3.0, 0)),
        lead=(("width", 2.0, 8.0, 8.0),),
        transfers=(Transfer((("width", 0.001),), ranges("n_clusters", 0, 8.5, 13.5)),),
    ),
    words=((0, say("chapters.width.run_1")), (1, say("chapters.width.run_2")), (2, say("chapters.width.run_3"))),
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
        "error": monte_carlo_error(crp),
        "single_error": 100 * monte_carlo_error(mfm == 1),
        "crumbs": float(np.mean([((sizes > 0) & (sizes < CRUMB)).sum() for sizes in small])),
        "truth": round(float(crp.mean())),
        "expected": prior.mean_n_clusters(len(dataset.X)),
        "more": prior.mean_n_clusters(10 * len(dataset.X)),
        "single": round(100 * float((mfm == 1).mean())),
        "chart": Chart(
            say("chapters.growth.chart", with_errors=WITH_ERRORS),
            tuple((str(k), (100 * one, 100 * other)) for k, (one, other) in enumerate(both, 1)),
            (say("chapters.growth.chart_part_1"), say("chapters.growth.chart_part_2")),
            errors=tuple(errors),
        ),
    }


GROWTH = chapter(
    "growth",
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
    ),
    Question(lower=1, upper=25, start=20, of_things=True, close=2),
    _growth,
    (0, 1),
    (within(Bound("mean_k", 0, 4.0, 15.0)), lambda d: (d.visited(1) == 1).mean() > 0.5),
    trial=Trial(
        (0,),
        (
            turn("concentration", 0.01, 100.0, 3.0, 0),
            of_data("points", say("chapters.growth.number_word"), ("points",), 20, 500, 500, 20),
        ),
        "mean_k 0",
        lead=(("points", 20, 100, 20),),
        transfers=(Transfer((("concentration", 0.03),), ranges("mean_k", 0, 2, 5)),),
    ),
)
