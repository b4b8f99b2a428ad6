"""What the figures of the story show: points, the configurations that a browser runs, and numbers to drag.

Everything takes the number of a draw, so that tests can try what the text says on others than the one that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpviz.analysis.comparison import contingency, n_disagreeing
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import synthesize
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import Problem
from dpviz.families.base import WIDTH
from dpviz.families.gaussian.normal_wishart import NormalWishart
from dpviz.fit.run import run
from dpviz.live.knobs import Knob, knob_of, written_config
from dpviz.partition import ChineseRestaurant
from dpviz.words import say

DRAW = 4
"""The draw that is shown, as in the film of the first page."""
N_THREE, N_NINE, N_PAIR = 240, 180, 600
N_STARTS, MANY_STARTS = 20, 100
NEXT = 7.0
"""Distance of neighbours among the nine groups, in their standard deviations."""
FIRST_CENTRES = ((-8.0, 10.0), (6.0, -9.0), (14.0, 9.0))
USUAL_CONCENTRATION, USUAL_WIDTH = 1.0, 0.125
FIRST_GAP = 2.7
RARE = 0.01
"""N0 of the two groups that overlap: clusters that are not needed are rare."""


class Points(NamedTuple):
    """Points (N, 2) and the groups (N,) that they were drawn from, as 0 … K − 1."""

    rows: FloatArray
    groups: IntArray

    def written(self) -> dict[str, Any]:
        """As the page reads them."""
        return {"rows": self.rows.tolist(), "groups": self.groups.tolist()}


def three(draw: int) -> Points:
    """One wide group beside two narrow ones, of which the lower one comes first, as its colour does in the film."""
    data = synthesize("spherical_unequal_radius", N_THREE, draw)
    assert data.labels is not None
    groups = np.unique(data.labels, return_inverse=True)[1]
    return Points(np.round(data.X, 2), np.array([0, 2, 1])[groups])


def nine(draw: int) -> Points:
    """Nine round groups of standard deviation 1, around the places of a square grid."""
    middles = NEXT * np.array([(x, y) for x in range(3) for y in range(3)])
    groups = np.arange(N_NINE) % len(middles)
    return Points(np.round(middles[groups] + np.random.default_rng(draw).standard_normal((N_NINE, 2)), 2), groups)


def pair(draw: int) -> Points:
    """Two round groups of standard deviation 1, both around (0, 0): the figure takes them apart."""
    groups = np.arange(N_PAIR) % 2
    return Points(np.round(np.random.default_rng(draw).standard_normal((N_PAIR, 2)), 3), groups)


def carried(points: Points) -> int:
    """Return the point of the wide group that is nearest to the narrow ones."""
    return int(np.argmax(np.where(points.groups == 0, points.rows[:, 0], -np.inf)))


def apart(points: Points, gap: float) -> FloatArray:
    """Rows (N, 2) of two groups whose middles are so far from each other."""
    return points.rows + np.column_stack([gap * (points.groups - 0.5), np.zeros(len(points.groups))])


def wrong(groups: IntArray, labels: IntArray) -> int:
    """Count the points in the wrong group: all but those of the best one-to-one match of clusters and groups."""
    return n_disagreeing(contingency(groups, labels))


def mapdp(concentration: float = USUAL_CONCENTRATION, width: float = USUAL_WIDTH) -> RunConfig:
    """MAP-DP as the figures of N0 and of the width run it: a fiftieth of the usual search, at 40 ms."""
    return RunConfig(
        "mapdp",
        family="normal_wishart",
        prior={"width": width},
        partition=ChineseRestaurant(concentration),
        effort=0.02,
        seed=0,
    )


BEST = mapdp(RARE, 1.0)
CHAIN = RunConfig(
    "gibbs",
    family="normal_wishart",
    prior={"width": 1.0},
    partition=ChineseRestaurant(RARE),
    init="single",
    n_sweeps=300,
    burn_in=100,
    split_merge=5,
    seed=0,
)
START = RunConfig("kmeans", n_clusters=9, init="random", n_init=1, seed=0)


def lowest(draw: int) -> RunConfig:
    """K-means told K = 3, a hundred starts."""
    return RunConfig("kmeans", n_clusters=3, init="kmeans++", n_init=MANY_STARTS, seed=draw)


def from_middles(points: Points) -> RunConfig:
    """K-means begun with a centre in the middle of each group."""
    middles = [points.rows[points.groups == k].mean(axis=0) for k in range(3)]
    return RunConfig("kmeans", n_clusters=3, init=np.array(middles), n_init=1)


def priced(points: Points) -> RunConfig:
    """MAP-DP with the hyperparameters of these points written out, which do not change when one is taken away."""
    model = Problem(points.rows, mapdp()).model
    assert isinstance(model, NormalWishart)
    return replace(mapdp(), prior=model.as_prior)


def _stops(points: Points) -> list[dict[str, Any]]:
    """From drawing to K-means."""
    penalty = ALGORITHMS["dpmeans"].typical("penalty", points.rows)
    assert penalty is not None
    usual = mapdp()
    found = (
        ("Gibbs", replace(CHAIN, prior=usual.prior, partition=usual.partition)),
        ("MAP-DP", usual),
        ("DP-means", RunConfig("dpmeans", penalty=round(penalty, 1), init="single", n_init=1, seed=0)),
        ("K-means", RunConfig("kmeans", n_clusters=3, init="kmeans++", n_init=10, seed=0)),
    )
    return [{"name": name, "config": written_config(config)} for name, config in found]


def _knobs() -> dict[str, Any]:
    (concentration,) = ChineseRestaurant.parameters
    width = replace(WIDTH, title=say("server.width"))
    at = ("partition", "concentration")
    knobs = (
        knob_of(concentration, at, 1e-6, 1000.0, USUAL_CONCENTRATION),
        knob_of(width, ("prior", "width"), 0.002, 8.0, USUAL_WIDTH),
    )
    n_wide = N_THREE // 3 - 1  # but for the point that is carried
    changes, words = say("course.changes_points"), say("story.n_wide")
    of_wide = Knob("n_wide", ("data", "n_wide"), words, "", changes, 1.0, float(n_wide), float(n_wide), 1.0)
    gap = Knob("gap", ("data", "apart"), say("story.gap"), "", changes, 0.0, 6.0, FIRST_GAP, 0.1)
    return {
        "knobs": [knob.written() for knob in knobs],
        "gap": gap.written(),
        "n_wide": of_wide.written(),
        "stick": knob_of(concentration, at, 0.1, 30.0, 3.0).written(),
    }


def told(draw: int = DRAW) -> Mapping[str, int]:
    """Return the numbers of the text that are computed before the page is opened."""
    points = three(draw)
    best, near = run(points.rows, lowest(draw)), run(points.rows, from_middles(points))
    return {
        "n": len(points.rows),
        "near_cost": round(float(near.objective[-1])),
        "near_wrong": wrong(points.groups, near.result_labels),
        "lowest_cost": round(float(best.objective[-1])),
        "lowest_wrong": wrong(points.groups, best.result_labels),
        "starts": MANY_STARTS,
    }


def shown() -> dict[str, Any]:
    """Return what the script of the page is told."""
    points = three(DRAW)
    return {
        "three": {**points.written(), "centres": FIRST_CENTRES},
        "nine": nine(DRAW).written(),
        "pair": pair(DRAW).written(),
        "prices": {"config": written_config(priced(points)), "point": carried(points)},
        "mapdp": written_config(mapdp()),
        "best": written_config(BEST),
        "chain": written_config(CHAIN),
        "starts": written_config(START),
        "n_starts": N_STARTS,
        "stops": _stops(points),
        **_knobs(),
    }
