"""Instructive comparisons: data, panels, and one sentence on what to watch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.course.claims import CRUMB, Bound, Claim, finds, within
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson
from dpviz.words import say


@dataclass(frozen=True)
class Comparison(Lesson):
    """One lesson.

    Attributes
    ----------
    configs : tuple of RunConfig
        The panels, all with seed 0.
    """

    configs: tuple[RunConfig, ...]

    @property
    def own(self) -> tuple[RunConfig, ...]:
        """All panels."""
        return self.configs


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


COMPARISONS = (
    Comparison(
        say("lessons.comparisons.unequal_radius.title"),
        say("lessons.comparisons.unequal_radius.watch"),
        _scenario("spherical_unequal_radius"),
        THREE,
        claims=(
            Claim(say("lessons.comparisons.unequal_radius.claim_1"), within(Bound("ari", 0, most=0.6))),
            Claim(say("lessons.comparisons.unequal_radius.claim_2"), within(*finds(2, 3))),
        ),
    ),
    Comparison(
        say("lessons.comparisons.unequal_numbers.title"),
        say("lessons.comparisons.unequal_numbers.watch"),
        _scenario("spherical_unequal_density"),
        THREE,
        claims=(
            Claim(say("lessons.comparisons.unequal_numbers.claim_1"), within(Bound("largest_whole", 0, most=0.8))),
            Claim(say("lessons.comparisons.unequal_numbers.claim_2"), within(*finds(2, 3))),
        ),
    ),
    Comparison(
        say("lessons.comparisons.four_outliers.title"),
        say("lessons.comparisons.four_outliers.watch"),
        _scenario("spherical_outliers"),
        THREE,
        claims=(
            Claim(
                say("lessons.comparisons.four_outliers.claim_1"),
                within(Bound("smallest", 0, most=CRUMB - 1), Bound("ari", 0, most=0.7)),
            ),
            Claim(say("lessons.comparisons.four_outliers.claim_2"), within(Bound("smallest", 1, most=CRUMB - 1))),
            Claim(
                say("lessons.comparisons.four_outliers.claim_3"),
                within(Bound("n_clusters", 2, least=4), Bound("n_large", 2, 3, 3)),
            ),
        ),
    ),
    Comparison(
        say("lessons.comparisons.rotated_ellipses.title"),
        say("lessons.comparisons.rotated_ellipses.watch"),
        _scenario("elliptical_rotated"),
        THREE,
        claims=(
            Claim(say("lessons.comparisons.rotated_ellipses.claim_1"), within(Bound("ari", 1, least=0.95))),
            Claim(say("lessons.comparisons.rotated_ellipses.claim_2"), within(Bound("ari", 2, least=0.95))),
            Claim(say("lessons.comparisons.rotated_ellipses.claim_3"), within(Bound("ari", 0, most=0.65))),
        ),
    ),
    Comparison(
        say("lessons.comparisons.ellipses_far_apart.title"),
        say("lessons.comparisons.ellipses_far_apart.watch"),
        _scenario("elliptical_separated"),
        THREE,
        claims=(
            Claim(
                say("lessons.comparisons.ellipses_far_apart.claim_1"),
                within(*(Bound("ari", panel, least=0.98) for panel in range(3))),
            ),
        ),
    ),
    Comparison(
        say("lessons.comparisons.ellipses_that_overlap.title"),
        say("lessons.comparisons.ellipses_that_overlap.watch"),
        _scenario("elliptical_overlap"),
        THREE,
        claims=(
            Claim(say("lessons.comparisons.ellipses_that_overlap.claim_1"), within(Bound("ari", 2, least=0.85))),
            Claim(
                say("lessons.comparisons.ellipses_that_overlap.claim_2"), within(Bound("largest_whole", 0, most=0.9))
            ),
        ),
    ),
    Comparison(
        say("lessons.comparisons.powered_crp_simulation_1.title"),
        say("lessons.comparisons.powered_crp_simulation_1.watch"),
        _scenario("powered_sim_1", n=2000),
        (MAPDP, _from_ten(), _from_ten(1.1)),
        claims=(
            Claim(say("lessons.comparisons.powered_crp_simulation_1.claim_1"), within(Bound("usual", 1, least=4))),
            Claim(
                say("lessons.comparisons.powered_crp_simulation_1.claim_2"), within(Bound("extra", 2, most=0.6, per=1))
            ),
            Claim(say("lessons.comparisons.powered_crp_simulation_1.claim_3"), within(Bound("usual", 2, 3, 3))),
        ),
        most_points=2000,  # it is about them
    ),
    Comparison(
        say("lessons.comparisons.powered_crp_simulation_2.title"),
        say("lessons.comparisons.powered_crp_simulation_2.watch"),
        _scenario("powered_sim_2"),
        (MAPDP, _from_ten(), _from_ten(1.2)),
        claims=(
            Claim(
                say("lessons.comparisons.powered_crp_simulation_2.claim_1"), within(Bound("mean_k", 2, most=1, per=1))
            ),
            Claim(say("lessons.comparisons.powered_crp_simulation_2.claim_2"), within(Bound("usual", 2, 2, 2))),
        ),
    ),
    Comparison(
        say("lessons.comparisons.iris.title"),
        say("lessons.comparisons.iris.watch"),
        _bundled("iris"),
        (KMEANS, RunConfig("dpmeans", penalty=9.0), *_independent(150, 3.0)[::2]),
        claims=(
            Claim(
                say("lessons.comparisons.iris.claim_1"),
                within(Bound("converged", 2, least=1), Bound("n_sweeps", 2, most=29)),
            ),
            Claim(say("lessons.comparisons.iris.claim_2"), within(Bound("n_late_costs", 3, least=51))),
        ),
    ),
    Comparison(
        say("lessons.comparisons.wine.title"),
        say("lessons.comparisons.wine.watch"),
        _bundled("wine"),
        (KMEANS, *_independent(178, 1.0)),
        claims=(
            Claim(say("lessons.comparisons.wine.claim_1"), within(Bound("n_large", 2, 1, 1)), share=0.75),
            Claim(
                say("lessons.comparisons.wine.claim_2"),
                within(Bound("n_large", 1, least=3), Bound("n_large", 3, least=3)),
            ),
        ),
    ),
    Comparison(
        say("lessons.comparisons.old_faithful.title"),
        say("lessons.comparisons.old_faithful.watch"),
        _bundled("old_faithful"),
        (RunConfig("kmeans", n_clusters=2), MAPDP, _chain(), _chain(1.11)),
        claims=(Claim(say("lessons.comparisons.old_faithful.claim_1"), within(Bound("mean_k", 3, most=-0.2, than=2))),),
    ),
)
