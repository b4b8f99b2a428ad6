"""Chapters on how clusters are found, and how far a result can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz import metrics
from dpviz.analysis.posterior.chains import chain_diagnostics
from dpviz.analysis.second_opinion import least_gap
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
from dpviz.course.claims import Bound, Draw, finds, ranges, within
from dpviz.course.treatments import apart
from dpviz.course.trial import Transfer, Trial, Turn, of_data, turn
from dpviz.datasets import Dataset
from dpviz.engine.explain import explain_assignment
from dpviz.engine.trace import Trace
from dpviz.live.knobs import Knob
from dpviz.partition import ChineseRestaurant, FiniteDirichlet
from dpviz.words import say, say_count

N_ORDERS = 20
MOST_TRIED = 20
"""Points farthest out, among which is the one that gains most by leaving."""


def _luck(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    nll = np.array([trace.nll[-1] for trace in traces[:N_ORDERS]])
    worst = int(np.argmax(nll))
    stuck, found = traces[worst], traces[N_ORDERS]
    return {
        "shown": (int(np.argmin(nll)), worst, N_ORDERS),
        "chart": Chart(say("chapters.luck.chart"), values=tuple(nll.tolist()), form=",.1f"),
        "truth": int((nll <= nll.min() + 1e-6).sum()),
        "missed": int((nll > nll.min() + 1e-6).sum()),
        "above": float(nll.max() - nll.min()),
        "best": nll.min(),
        "stuck": stuck.nll[-1],
        "stuck_k": int(stuck.n_clusters[-1]),
        "searched": found.nll[-1],
        "searched_k": int(found.n_clusters[-1]),
    }


def _ends(draw: Draw) -> list[float]:
    """Return the nll (nats) at which each order of visits ends."""
    return [draw.nll(number) for number in range(N_ORDERS)]


def _sampling(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    counts = visited(traces[0])
    numbers, sweeps = np.unique(counts, return_counts=True)
    same = counts == len(np.unique(traces[1].result_labels))
    shown = range(numbers[0], numbers[-1] + 1)
    bars = tuple((str(k), (float(np.count_nonzero(counts == k)),)) for k in shown)
    errors = tuple((len(counts) * monte_carlo_error(counts == k),) for k in shown)
    return {
        "least": int(numbers[0]),
        "most": int(numbers[-1]),
        "mode": int(numbers[np.argmax(sweeps)]),
        "chart": Chart(say("chapters.sampling.chart", with_errors=WITH_ERRORS), bars, errors=errors),
        "truth": int(same.sum()),
        "error": len(counts) * monte_carlo_error(same),
        **scores(dataset, traces[1:], "mapdp"),
    }


LUCK = chapter(
    "luck",
    Scene("synthetic", "elliptical_rotated", (("n", 900), ("seed", 0))),
    (*(mapdp(init="single", n_init=1, seed=seed) for seed in range(N_ORDERS)), mapdp(effort=0.1)),
    Question(upper=20, start=4, within=True, of_things=True, close=2),
    _luck,
    (0, 1, N_ORDERS),
    (lambda d: max(_ends(d)) > min(_ends(d)) + 10, lambda d: d.nll(N_ORDERS) < min(_ends(d)) + 1e-6),
    words=((N_ORDERS, say("chapters.luck.run")),),
    trial=Trial(
        (0, mapdp(init="single", n_init=10)),
        (
            Turn(
                Knob(
                    "seed",
                    ("seed",),
                    say("chapters.luck.number_word"),
                    say("chapters.luck.number_symbol"),
                    say("chapters.luck.number_explanation"),
                    0,
                    N_ORDERS - 1,
                    0,
                    1,
                ),
                (0,),
            ),
        ),
        "above 0 1",
        lead=(("seed", 0, 4, 0),),
        transfers=(Transfer((("seed", 17),), ranges("above", 0, 1, beside=1)),),
    ),
)


SAMPLING = chapter(
    "sampling",
    Scene("synthetic", "elliptical_overlap", (("n", 500), ("seed", 0))),
    (RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=300, burn_in=BURN_IN), mapdp()),
    Question(upper=200, start=100, within=True, of_things=True, close=20),
    _sampling,
    (0, 1),
    (
        lambda d: bool(d.nll(1) < d.trace(0).nll.min() + 1e-6),
        within(Bound("sweeps_as", 0, most=50, beside=1)),
        within(Bound("n_visited", 0, least=3)),
        lambda d: d.usual(0) > d.n_clusters(1),
        lambda d: float((d.trace(0).n_born[BURN_IN + 1 :] > 0).mean()) > 0.5,
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100.0, 3.0, 0, 1),),
        "sweeps_as 0 1",
        lead=(("concentration", 0.01, 0.3, 0.01),),
        transfers=(Transfer((("concentration", 30.0),), ranges("sweeps_as", 0, 9.5, 50.5, beside=1)),),
    ),
)

GAP, GAPS = 2.7, (2.0, 2.5, 3.5, 4.0)
"""Between the centres of two groups, in their standard deviations: asked about, and in the chart."""
RARE = 0.01
"""N0 at which a chain opens few clusters beside those that it needs."""


def _overlap(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    best, counts = len(np.unique(traces[0].result_labels)), visited(traces[1])
    usual = int(np.argmax(np.bincount(counts)))
    pairs = zip(GAPS, traces[2::2], traces[3::2], strict=True)
    bars = tuple(
        (f"{gap:g}", (float(len(np.unique(one.result_labels))), float(visited(chain).mean())))
        for gap, one, chain in pairs
    )
    return {
        "best": say_count("bench.clusters", best),
        "truth": int(np.count_nonzero(counts == best)),
        "usual": say_count("bench.clusters", usual),
        "as_usual": int(np.count_nonzero(counts == usual)),
        "limit": least_gap(),
        "chart": Chart(
            say("chapters.overlap.chart"),
            bars,
            (say("chapters.overlap.part_1"), say("chapters.overlap.part_2")),
            form=",.1f",
        ),
    }


_OPTIMISED = mapdp(RARE)
_SAMPLED = RunConfig(
    "gibbs",
    family="normal_wishart",
    prior=None,
    partition=ChineseRestaurant(RARE),
    init="single",
    n_sweeps=300,
    burn_in=BURN_IN,
    split_merge=5,
)

OVERLAP = chapter(
    "overlap",
    Scene(
        "synthetic",
        "high_dimensional",
        (("n", 1000), ("seed", 0), ("n_features", 2), ("n_clusters", 2), ("separation", GAP)),
    ),
    (_OPTIMISED, _SAMPLED) * (1 + len(GAPS)),
    Question(upper=200, start=100, within=True, of_things=True, close=20),
    _overlap,
    (0, 1),
    (
        within(Bound("n_clusters", 0, most=1)),
        within(Bound("usual", 1, least=2, most=2)),
        within(Bound("sweeps_as", 1, most=20, beside=0)),
        lambda d: [d.n_clusters(2 * (1 + place)) > 1 for place in range(len(GAPS))] == [g > least_gap() for g in GAPS],
    ),
    treatments=tuple((2 * (1 + place) + run, apart(gap, GAP)) for place, gap in enumerate(GAPS) for run in (0, 1)),
    trial=Trial(
        (0, 1),
        (
            of_data("gap", say("chapters.overlap.number_word"), ("apart",), 0.0, 6.0, GAP, 0.1),
            turn("concentration", 0.001, 10.0, RARE, 0, 1),
        ),
        "sweeps_as 1 0",
        lead=(("gap", 3.5, 6.0, 6.0),),
        transfers=(Transfer((("gap", 1.0),), ranges("usual", 1, 1.5, 2.5)),),
    ),
)


def _most_gained(dataset: Dataset, trace: Trace) -> float:
    """Return by how much a place in a new cluster is cheaper (nats) than one among all, for the point that gains most.

    That is the point farthest from the rest, which all others see it as.
    """
    center, spread = dataset.X.mean(axis=0), np.linalg.inv(np.cov(dataset.X.T))
    far = np.argsort(np.einsum("ij,jk,ik->i", dataset.X - center, spread, dataset.X - center))[-MOST_TRIED:]
    places = [explain_assignment(dataset.X, trace, 0, int(point))["neg_log_predictive"].to_numpy() for point in far]
    return float(max(place[0] - place[-1] for place in places))


def _giant(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    return {
        "truth": int(traces[0].n_moved[1]),
        "stay": float(np.log((len(dataset.X) - 1) / 3.0)),
        "gain": _most_gained(dataset, traces[0]),
        "freed": int(traces[1].n_moved[1]),
        "chart": Chart(
            say("chapters.giant.chart"),
            tuple(
                (label, (float(trace.n_moved[1]),))
                for label, trace in zip(
                    (say("chapters.giant.label_1"), say("chapters.giant.label_2")), traces, strict=True
                )
            ),
        ),
        **scores(dataset, traces, "held", "free"),
    }


GIANT = chapter(
    "giant",
    Scene("synthetic", "elliptical_separated", (("n", 800), ("seed", 0))),
    tuple(mapdp(init="single", n_init=1, first_sweep=rule) for rule in ("all_points", "one_point")),
    Question(upper=800, start=400, of_things=True, close=40),
    _giant,
    (0, 1),
    (
        within(Bound("first_moved", 0, most=40), Bound("ari", 0, most=0.05)),
        within(*finds(1, 3)),
        within(Bound("first_moved", 1, least=700)),
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100_000.0, 3.0, 0, 1),),
        "first_moved 0",
        lead=(("concentration", 1000.0, 100_000.0, 100_000.0),),
        transfers=(Transfer((("concentration", 300.0),), ranges("first_moved", 0, 0.5, 199.5)),),
    ),
    words=((0, say("chapters.giant.run_1")), (1, say("chapters.giant.run_2"))),
)

N_CHAINS = 4


def _chains(traces: Sequence[Trace]) -> np.ndarray:
    return np.array([visited(trace) for trace in traces[:N_CHAINS]])


def _alike(labels: Sequence[np.ndarray]) -> float:
    """Mean ARI of two chains' last partitions."""
    pairs = [(one, other) for place, one in enumerate(labels) for other in labels[:place]]
    return float(np.mean([metrics.ari(one, other) for one, other in pairs]))


def _agreement(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    chains = _chains(traces)
    last = [trace.labels_at(trace.n_sweeps) for trace in traces]
    middle = [trace.labels_at((BURN_IN + trace.n_sweeps) // 2) for trace in traces]
    own = [_alike(pair) for pair in zip(middle, last, strict=True)]
    return {
        "within": round(100 * float(np.mean(own))),
        "truth": round(100 * _alike(last)),
        "of_film": round(100 * _alike(last[:2])),
        "rhat": chain_diagnostics(chains).rhat,
        "low": chains.mean(axis=1).min(),
        "high": chains.mean(axis=1).max(),
        "chart": Chart(
            say("chapters.agreement.chart"),
            (
                (say("chapters.agreement.chart_bar_1"), (100 * _alike(last),)),
                (say("chapters.agreement.chart_bar_2"), (100 * float(np.mean(own)),)),
            ),
        ),
    }


AGREEMENT = chapter(
    "agreement",
    Scene("synthetic", "null_uniform", (("n", 300), ("seed", 0))),
    tuple(
        RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=400, burn_in=BURN_IN, split_merge=2, seed=seed)
        for seed in range(N_CHAINS)
    ),
    Question(upper=100, start=90, within=True, close=10),
    _agreement,
    (0, 1),
    (
        lambda d: chain_diagnostics(_chains([d.trace(i) for i in range(4)])).rhat < 1.1,
        lambda d: (
            float(np.mean([_alike([d.trace(i).labels_at(250), d.trace(i).labels_at(400)]) for i in range(4)])) < 0.7
        ),
        lambda d: _alike([d.last(i) for i in range(4)]) < 0.7,
        within(Bound("alike", 1, most=0.7, beside=0)),
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100.0, 3.0, 0, 1),),
        "alike 1 0",
        lead=(("concentration", 0.01, 0.1, 0.01),),
        transfers=(Transfer((("concentration", 30.0),), ranges("alike", 1, 0.5, beside=0)),),
    ),
)

MOST_SHOWN, N_COMPONENTS = 7, 15
PARTITION_ALONE: dict[str, Any] = {
    "algorithm": "gibbs",
    "family": "normal_wishart",
    "prior": None,
    "partition": ChineseRestaurant(1.0),
    "sampler": "collapsed",
    "n_sweeps": 1100,
    "burn_in": BURN_IN,
}
SAMPLERS = (
    say("chapters.theatre.label_1"),
    say("chapters.theatre.label_2"),
    say("chapters.theatre.label_3"),
    say("chapters.theatre.label_4"),
)


def _theatre(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    laws = [100 * shares(trace, MOST_SHOWN) for trace in traces]
    errors = [100 * errors_of_shares(trace, MOST_SHOWN) for trace in traces]
    usual = int(np.argmax(laws[0]))
    return {
        "truth": round(float(laws[1][usual])),
        "usual": usual + 1,
        "first": laws[0][usual],
        "third": laws[2][usual],
        "fourth": laws[3][usual],
        "sweeps": len(visited(traces[0])),
        "error": max(float(error[usual]) for error in errors),
        "chart": Chart(
            say("chapters.theatre.chart", with_errors=WITH_ERRORS),
            tuple((str(k), tuple(each)) for k, each in enumerate(zip(*laws, strict=True), 1)),
            SAMPLERS,
            errors=tuple(zip(*errors, strict=True)),
        ),
    }


def _gap(draw: Draw, one: int, other: int) -> float:
    """Total variation distance of the laws of K of two samplers."""
    laws = [shares(draw.trace(number), 40) for number in (one, other)]
    return float(np.abs(laws[0] - laws[1]).sum() / 2)


THEATRE = chapter(
    "theatre",
    Scene("synthetic", "elliptical_overlap", (("n", 40), ("seed", 0))),
    tuple(
        RunConfig(**{**PARTITION_ALONE, "partition": partition, "sampler": sampler})
        for partition, sampler in (
            (FiniteDirichlet(1.0, N_COMPONENTS), "explicit_weights"),
            (FiniteDirichlet(1.0, N_COMPONENTS), "explicit_parameters"),
            (ChineseRestaurant(1.0), "explicit_parameters"),
            (ChineseRestaurant(1.0), "collapsed"),
        )
    ),
    Question(upper=100, start=90, within=True, of_things=True, close=8),
    _theatre,
    (0, 3),
    (lambda d: _gap(d, 0, 1) < 0.2, lambda d: _gap(d, 2, 3) < 0.2, lambda d: _gap(d, 0, 3) < 0.25),
    words=((0, SAMPLERS[0]), (len(SAMPLERS) - 1, SAMPLERS[-1])),
    trial=Trial(
        (3, RunConfig(**{**PARTITION_ALONE, "seed": 7})),
        (turn("n_sweeps", 150, 3000, 1100, 0, 1, step=50),),
        "share_of_usual 0 0",
        lead=(("n_sweeps", 150, 500, 150),),
        transfers=(
            Transfer((("n_sweeps", 3000),), (within(Bound("share_of_usual", 0, -8, 8, than=1, beside=0)), within())),
        ),
    ),
)
