"""One question about a table, from why it is asked to the sentence that can be published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.analysis.elicitation import concentration_for
from dpviz.arrays import BoolArray, IntArray
from dpviz.config import RunConfig
from dpviz.course.chapter import Facts, Question, Scene
from dpviz.course.chapters.shared import BURN_IN, chapter, mapdp
from dpviz.course.chart import Chart
from dpviz.course.claims import Bound, Draw, ranges, within
from dpviz.course.treatments import stacked
from dpviz.course.trial import Transfer, Trial, turn
from dpviz.datasets import Dataset
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.trace import Trace
from dpviz.partition import ChineseRestaurant
from dpviz.words import say

N0, FEWEST, MOST = 0.8, 2, 8
"""The concentration for as many groups as are expected."""
WIDTH = 0.125
"""Of lowest nll."""
LEAST_PIECE = 0.1
"""Of a group, below which a piece of it is left out."""


def _apart(draw: IntArray, group: BoolArray) -> bool:
    """Whether no cluster of a draw has points of a group and others."""
    return not set(draw[group]) & set(draw[~group])


def _pieces(draw: IntArray, group: BoolArray) -> int:
    """Count the clusters of a draw that hold a piece of a group."""
    sizes = np.unique(draw[group], return_counts=True)[1]
    return int((sizes >= LEAST_PIECE * group.sum()).sum())


def _span(values: np.ndarray) -> str:
    return f"{values.min():.1f}–{values.max():.1f}"


def _of_hundred(shares: Sequence[bool]) -> int:
    """Return how many of 100 are so: all only if all are."""
    return 100 if all(shares) else min(99, round(100 * float(np.mean(shares))))


def _question(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    velocity, labels, chain = dataset.X[:, 0], traces[0].result_labels, traces[1]
    low, high = (labels == labels[at(velocity)] for at in (np.argmin, np.argmax))
    middle = ~(low | high)
    draws = [chain.labels_at(sweep) for sweep in range(BURN_IN + 1, chain.n_sweeps + 1)]
    pieces = [_pieces(draw, middle) for draw in draws]
    low_apart, high_apart = (_of_hundred([_apart(draw, own) for draw in draws]) for own in (low, high))
    one, two = (_of_hundred([piece == number for piece in pieces]) for number in (1, 2))
    single, together = partition_nll(Problem(dataset.X, traces[0].config), [np.zeros_like(labels), labels])
    bars = ((1, low_apart), (2, high_apart), (3, one), (4, two))
    return {
        "truth": one,
        "two": two,
        "low_apart": low_apart,
        "high_apart": high_apart,
        "rows": len(velocity),
        "low": int(low.sum()),
        "middle": int(middle.sum()),
        "high": int(high.sum()),
        "low_span": _span(velocity[low]),
        "high_span": _span(velocity[high]),
        "k": len(np.unique(labels)),
        "n0": N0,
        "width": WIDTH,
        "law": round(100 * concentration_for(ChineseRestaurant(1.0), len(velocity), FEWEST, MOST).probability),
        "gain": float(single - together),
        "chart": Chart(
            say("chapters.question.chart"),
            tuple((say(f"chapters.question.label_{number}"), (float(share),)) for number, share in bars),
        ),
    }


def _said(draw: Draw) -> Facts:
    return _question(draw.dataset, [draw.trace(run) for run in (0, 1)])


_MODEL: dict[str, Any] = {"family": "normal_gamma", "prior": {"width": WIDTH}}

QUESTION = chapter(
    "question",
    Scene("bundled", "galaxies"),
    (
        mapdp(N0, **_MODEL, effort=0.05),
        RunConfig(
            "gibbs", **_MODEL, partition=ChineseRestaurant(N0), n_sweeps=BURN_IN + 1000, burn_in=BURN_IN, split_merge=2
        ),
    ),
    Question(upper=100, start=90, within=True, of_things=True, close=8),
    _question,
    (0, 1),
    (
        within(Bound("n_clusters", 0, 3, 3)),
        lambda d: min(_said(d)["low_apart"], _said(d)["high_apart"]) >= 85,
        lambda d: _said(d)["truth"] <= 20 and _said(d)["two"] > 50,
    ),
    view=stacked,
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100.0, N0, 0, 1), turn("width", 0.001, 8.0, WIDTH, 0, 1)),
        lead=(("concentration", 0.01, 0.3, 0.01),),
        transfers=(Transfer((("concentration", 3.0),), ranges("n_clusters", 0, 2.5, 3.5)),),
    ),
)
