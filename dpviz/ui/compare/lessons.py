"""Instructive comparisons: data, panels, and one sentence on what to watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.config import RunConfig
from dpviz.course.claims import CRUMB, Claim, Draw
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson
from dpviz.words import say


@dataclass(frozen=True)
class Comparison(Lesson):
    """One lesson.

    Attributes
    ----------
    choice : DataChoice
    configs : tuple of RunConfig
        The panels, all with seed 0.
    """

    choice: DataChoice
    configs: tuple[RunConfig, ...]


def _scenario(name: str, **options: float) -> DataChoice:
    return DataChoice("synthetic", name).with_options(**options)


def _bundled(name: str) -> DataChoice:
    return DataChoice("bundled", name, scaling="standardise")


KMEANS = RunConfig("kmeans", n_clusters=3)
EM = RunConfig("em", n_components=3)
MAPDP = RunConfig("mapdp", family="normal_wishart", prior=None, partition=ChineseRestaurant(3.0))
THREE = (KMEANS, EM, MAPDP)


LENGTH: dict[str, Any] = {"n_sweeps": 300, "burn_in": 100}


def _chain(power: float = 1.0) -> RunConfig:
    partition = ChineseRestaurant(1.0) if power == 1 else PoweredChineseRestaurant(1.0, power)
    return RunConfig("gibbs", partition=partition, family="normal_wishart", prior=None, split_merge=1, **LENGTH)


def _from_ten(power: float = 1.0) -> RunConfig:
    """Begin with ten K-means clusters, as the 2018 paper's study does: a powered chain hardly ever opens one."""
    return replace(_chain(power), init="kmeans++", init_clusters=10)


def _independent(n_points: int, concentration: float) -> tuple[RunConfig, RunConfig, RunConfig]:
    """MAP-DP, Gibbs and Gibbs with splits and merges, under the 2014 paper's prior for standardised columns (4.2)."""
    prior = {"c0": 10 / n_points, "a0": 1.0, "b0": 1.0}
    model = {"family": "normal_gamma", "prior": prior, "partition": ChineseRestaurant(concentration)}
    chain = RunConfig("gibbs", init="single", **LENGTH, **model)  # type: ignore[arg-type]
    return RunConfig("mapdp", **model), chain, replace(chain, split_merge=1)  # type: ignore[arg-type]


def _ari_over(bound: float, *panels: int) -> Callable[[Draw], bool]:
    return lambda draw: min(draw.ari(panel) for panel in panels) > bound


def _ari_under(bound: float, *panels: int) -> Callable[[Draw], bool]:
    return lambda draw: max(draw.ari(panel) for panel in panels) < bound


COMPARISONS = (
    Comparison(
        say("lessons.comparisons.unequal_radius.title"),
        say("lessons.comparisons.unequal_radius.watch"),
        _scenario("spherical_unequal_radius"),
        THREE,
        claims=(
            Claim("K-means merges and cuts", _ari_under(0.6, 0)),
            Claim("MAP-DP finds all three", lambda d: d.n_large(2) == 3 and d.ari(2) > 0.95),
        ),
    ),
    Comparison(
        say("lessons.comparisons.unequal_numbers.title"),
        say("lessons.comparisons.unequal_numbers.watch"),
        _scenario("spherical_unequal_density"),
        THREE,
        claims=(
            Claim("K-means splits the largest", lambda d: d.share_in_one(0, d.largest_group()) < 0.8),
            Claim("MAP-DP finds all three", lambda d: d.n_large(2) == 3 and d.ari(2) > 0.95),
        ),
    ),
    Comparison(
        say("lessons.comparisons.four_outliers.title"),
        say("lessons.comparisons.four_outliers.watch"),
        _scenario("spherical_outliers"),
        THREE,
        claims=(
            Claim("one is taken", lambda d: max(d.sizes(0)[-1], d.sizes(1)[-1]) < CRUMB and d.ari(0) < 0.7),
            Claim("MAP-DP opens more", lambda d: d.n_clusters(2) > 3 and d.n_large(2) == 3),
        ),
    ),
    Comparison(
        say("lessons.comparisons.rotated_ellipses.title"),
        say("lessons.comparisons.rotated_ellipses.watch"),
        _scenario("elliptical_rotated"),
        THREE,
        claims=(
            Claim("E-M and MAP-DP find them", _ari_over(0.95, 1, 2)),
            Claim("K-means cuts across", _ari_under(0.65, 0)),
        ),
    ),
    Comparison(
        say("lessons.comparisons.ellipses_far_apart.title"),
        say("lessons.comparisons.ellipses_far_apart.watch"),
        _scenario("elliptical_separated"),
        THREE,
        claims=(Claim("everything works", _ari_over(0.98, 0, 1, 2)),),
    ),
    Comparison(
        say("lessons.comparisons.ellipses_that_overlap.title"),
        say("lessons.comparisons.ellipses_that_overlap.watch"),
        _scenario("elliptical_overlap"),
        THREE,
        claims=(
            Claim("MAP-DP errs little", _ari_over(0.85, 2)),
            Claim("K-means cuts the largest", lambda d: d.share_in_one(0, d.largest_group()) < 0.9),
        ),
    ),
    Comparison(
        say("lessons.comparisons.powered_crp_simulation_1.title"),
        say("lessons.comparisons.powered_crp_simulation_1.watch"),
        _scenario("powered_sim_1", n=2000),
        (MAPDP, _from_ten(), _from_ten(1.1)),
        claims=(
            Claim("a tail of small clusters", lambda d: d.usual(1) > 3),
            Claim("most of them go", lambda d: d.visited(2).mean() - 3 < 0.6 * (d.visited(1).mean() - 3)),
            Claim("three most often", lambda d: d.usual(2) == 3),
        ),
    ),
    Comparison(
        say("lessons.comparisons.powered_crp_simulation_2.title"),
        say("lessons.comparisons.powered_crp_simulation_2.watch"),
        _scenario("powered_sim_2"),
        (MAPDP, _from_ten(), _from_ten(1.2)),
        claims=(
            Claim("fewer under the power", lambda d: d.visited(2).mean() < d.visited(1).mean()),
            Claim("two most often", lambda d: d.usual(2) == 2),
        ),
    ),
    Comparison(
        say("lessons.comparisons.iris.title"),
        say("lessons.comparisons.iris.watch"),
        _bundled("iris"),
        (KMEANS, RunConfig("dpmeans", penalty=9.0), *_independent(150, 3.0)[::2]),
        claims=(
            Claim("MAP-DP is done", lambda d: d.trace(2).converged and d.trace(2).n_sweeps < 30),
            Claim("Gibbs wanders on", lambda d: len(np.unique(d.trace(3).nll[-100:])) > 50),
        ),
    ),
    Comparison(
        say("lessons.comparisons.wine.title"),
        say("lessons.comparisons.wine.watch"),
        _bundled("wine"),
        (KMEANS, *_independent(178, 1.0)),
        claims=(
            Claim("single moves stay in one", lambda d: d.n_large(2) == 1, share=0.75),
            Claim("the others find several", lambda d: min(d.n_large(1), d.n_large(3)) >= 3),
        ),
    ),
    Comparison(
        say("lessons.comparisons.old_faithful.title"),
        say("lessons.comparisons.old_faithful.watch"),
        _bundled("old_faithful"),
        (RunConfig("kmeans", n_clusters=2), MAPDP, _chain(), _chain(1.11)),
        claims=(Claim("fewer with the power", lambda d: d.visited(3).mean() < d.visited(2).mean() - 0.2),),
    ),
)
