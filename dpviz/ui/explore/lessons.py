"""Lessons: data, a run, and one sentence on what to watch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.course.claims import Bound, Claim, finds, within
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson
from dpviz.words import say


@dataclass(frozen=True)
class Preset(Lesson):
    """One lesson.

    Attributes
    ----------
    config : RunConfig
    onwards : str
        Text of the button to the next lesson, if that one builds on this.
    """

    config: RunConfig
    onwards: str = ""

    @property
    def own(self) -> tuple[RunConfig, ...]:
        """The run that is shown."""
        return (self.config,)


def _synthetic(name: str, **options: float) -> DataChoice:
    return DataChoice("synthetic", name).with_options(**options)


def _usual(algorithm: str, family: str = "normal_wishart", **options: Any) -> RunConfig:
    """Configure a run with the usual priors: a lesson must not depend on an automatic choice."""
    return RunConfig(algorithm, family=family, prior=None, **{"partition": ChineseRestaurant(3.0), **options})


def _chain(family: str = "normal_wishart", **options: Any) -> RunConfig:
    """Configure a chain with splits and merges, without which it can stay where it began."""
    return _usual("gibbs", family, split_merge=1, **options)


UNEQUAL = _synthetic("spherical_unequal_radius")
OUTLIERS = _synthetic("spherical_outliers")
ROTATED = _synthetic("elliptical_rotated")
SMALL_OVERLAP = _synthetic("elliptical_overlap", n=1000)
ONE_CLUSTER = _synthetic("null_gaussian", n=1000)
SEARCH = _usual("mapdp", effort=0.05)
KMEANS = RunConfig("kmeans", n_clusters=3, n_init=10)
GLUED = _usual("mapdp", init="kmeans++", init_clusters=2, n_init=1)
CROWD = _chain(partition=ChineseRestaurant(10.0), n_sweeps=300, burn_in=100)
POWERED = _chain(partition=PoweredChineseRestaurant(10.0, 1.3), n_sweeps=300, burn_in=100)
HALVES = _usual(
    "gibbs", partition=ChineseRestaurant(0.1), init="random", init_clusters=2, n_sweeps=80, burn_in=20, seed=1
)

PRESETS = (
    Preset(
        say("lessons.runs.kmeans_fails_on_unequal_radius.title"),
        say("lessons.runs.kmeans_fails_on_unequal_radius.watch"),
        UNEQUAL,
        KMEANS,
        say("lessons.runs.kmeans_fails_on_unequal_radius.onwards"),
        claims=(
            Claim(
                say("lessons.runs.kmeans_fails_on_unequal_radius.claim_1"),
                within(Bound("widest_whole", 0, most=0.9), Bound("ari", 0, most=0.6)),
            ),
        ),
    ),
    Preset(
        say("lessons.runs.mapdp_succeeds_on_unequal_radius.title"),
        say("lessons.runs.mapdp_succeeds_on_unequal_radius.watch"),
        UNEQUAL,
        replace(SEARCH, effort=0.1),
        claims=(Claim(say("lessons.runs.mapdp_succeeds_on_unequal_radius.claim_1"), within(*finds(0, 3))),),
    ),
    Preset(
        say("lessons.runs.outliers_steal_a_kmeans_cluster.title"),
        say("lessons.runs.outliers_steal_a_kmeans_cluster.watch"),
        OUTLIERS,
        KMEANS,
        say("lessons.runs.outliers_steal_a_kmeans_cluster.onwards"),
        claims=(
            Claim(say("lessons.runs.outliers_steal_a_kmeans_cluster.claim_1"), within(Bound("smallest", 0, most=4))),
            Claim(
                say("lessons.runs.outliers_steal_a_kmeans_cluster.claim_2"),
                within(Bound("n_large", 0, 2, 2), Bound("ari", 0, most=0.7)),
            ),
        ),
    ),
    Preset(
        say("lessons.runs.outliers_under_mapdp.title"),
        say("lessons.runs.outliers_under_mapdp.watch"),
        OUTLIERS,
        SEARCH,
        claims=(
            Claim(say("lessons.runs.outliers_under_mapdp.claim_1"), within(Bound("n_small", 0, 1, 4))),
            Claim(say("lessons.runs.outliers_under_mapdp.claim_2"), within(*finds(0, 3, ari=0.9))),
        ),
    ),
    Preset(
        say("lessons.runs.mapdp_learns_rotated_ellipses.title"),
        say("lessons.runs.mapdp_learns_rotated_ellipses.watch"),
        ROTATED,
        SEARCH,
        beside=(RunConfig("em", n_components=3), KMEANS),
        claims=(
            Claim(say("lessons.runs.mapdp_learns_rotated_ellipses.claim_1"), within(Bound("ari", 0, least=0.95))),
            Claim(say("lessons.runs.mapdp_learns_rotated_ellipses.claim_2"), within(Bound("ari", 1, least=0.95))),
            Claim(say("lessons.runs.mapdp_learns_rotated_ellipses.claim_3"), within(Bound("ari", 2, most=0.65))),
        ),
    ),
    Preset(
        say("lessons.runs.large_clusters_attract_more_points.title"),
        say("lessons.runs.large_clusters_attract_more_points.watch"),
        SMALL_OVERLAP,
        _chain(partition=ChineseRestaurant(1.0), init="random", init_clusters=12, n_sweeps=200, burn_in=50),
        claims=(
            Claim(say("lessons.runs.large_clusters_attract_more_points.claim_1"), within(Bound("usual", 0, most=6))),
        ),
    ),
    Preset(
        say("lessons.runs.the_crp_opens_too_many_clusters.title"),
        say("lessons.runs.the_crp_opens_too_many_clusters.watch"),
        SMALL_OVERLAP,
        CROWD,
        say("lessons.runs.the_crp_opens_too_many_clusters.onwards"),
        claims=(
            Claim(say("lessons.runs.the_crp_opens_too_many_clusters.claim_1"), within(Bound("usual", 0, least=7))),
            Claim(say("lessons.runs.the_crp_opens_too_many_clusters.claim_2"), within(Bound("births", 0, least=0.8))),
        ),
    ),
    Preset(
        say("lessons.runs.the_power_r_ends_tiny_clusters.title"),
        say("lessons.runs.the_power_r_ends_tiny_clusters.watch"),
        SMALL_OVERLAP,
        POWERED,
        beside=(CROWD,),
        claims=(
            Claim(
                say("lessons.runs.the_power_r_ends_tiny_clusters.claim_1"), within(Bound("extra", 0, most=0.5, per=1))
            ),
            Claim(say("lessons.runs.the_power_r_ends_tiny_clusters.claim_2"), within(Bound("usual", 0, most=5))),
        ),
    ),
    Preset(
        say("lessons.runs.stuck_in_a_local_optimum.title"),
        say("lessons.runs.stuck_in_a_local_optimum.watch"),
        ROTATED,
        GLUED,
        say("lessons.runs.stuck_in_a_local_optimum.onwards"),
        claims=(
            Claim(say("lessons.runs.stuck_in_a_local_optimum.claim_1"), within(Bound("converged", 0, least=1))),
            Claim(
                say("lessons.runs.stuck_in_a_local_optimum.claim_2"),
                within(Bound("n_large", 0, 2, 2), Bound("ari", 0, most=0.7)),
            ),
        ),
    ),
    Preset(
        say("lessons.runs.the_search_gets_out_of_it.title"),
        say("lessons.runs.the_search_gets_out_of_it.watch"),
        ROTATED,
        SEARCH,
        beside=(GLUED,),
        claims=(
            Claim(
                say("lessons.runs.the_search_gets_out_of_it.claim_1"),
                within(Bound("n_large", 0, 3, 3), Bound("nll", 0, most=-100, than=1)),
            ),
        ),
    ),
    Preset(
        say("lessons.runs.nothing_to_find.title"),
        say("lessons.runs.nothing_to_find.watch"),
        _synthetic("null_gaussian"),
        RunConfig("kmeans", n_clusters=3, n_init=1),
        beside=(RunConfig("mapdp"),),
        claims=(
            Claim(say("lessons.runs.nothing_to_find.claim_1"), within(Bound("n_clusters", 0, 3, 3))),
            Claim(say("lessons.runs.nothing_to_find.claim_2"), within(Bound("n_clusters", 1, 1, 1))),
        ),
    ),
    Preset(
        say("lessons.runs.two_halves_of_one_cluster.title"),
        say("lessons.runs.two_halves_of_one_cluster.watch"),
        ONE_CLUSTER,
        HALVES,
        say("lessons.runs.two_halves_of_one_cluster.onwards"),
        claims=(
            Claim(say("lessons.runs.two_halves_of_one_cluster.claim_1"), within(Bound("least_early", 0, least=2))),
        ),
    ),
    Preset(
        say("lessons.runs.one_merge_unites_two_halves.title"),
        say("lessons.runs.one_merge_unites_two_halves.watch"),
        ONE_CLUSTER,
        replace(HALVES, split_merge=1),
        claims=(
            Claim(say("lessons.runs.one_merge_unites_two_halves.claim_1"), within(Bound("least_early", 0, most=1))),
        ),
    ),
    Preset(
        say("lessons.runs.galaxies_one_column.title"),
        say("lessons.runs.galaxies_one_column.watch"),
        DataChoice("bundled", "galaxies"),
        _chain("normal_gamma", partition=ChineseRestaurant(1.0), n_sweeps=300, burn_in=100),
        claims=(Claim(say("lessons.runs.galaxies_one_column.claim_1"), within(Bound("n_visited", 0, least=2))),),
    ),
)
