"""Lessons: data, a run, and one sentence on what to watch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.course.claims import Claim
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson
from dpviz.words import say


@dataclass(frozen=True)
class Preset(Lesson):
    """One lesson.

    Attributes
    ----------
    choice : DataChoice
    config : RunConfig
    onwards : str
        Text of the button to the next lesson, if that one builds on this.
    """

    choice: DataChoice
    config: RunConfig
    onwards: str = ""


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
            Claim("the wide group is cut", lambda d: d.share_in_one(0, d.widest_group()) < 0.9 and d.ari(0) < 0.6),
        ),
    ),
    Preset(
        say("lessons.runs.mapdp_succeeds_on_unequal_radius.title"),
        say("lessons.runs.mapdp_succeeds_on_unequal_radius.watch"),
        UNEQUAL,
        SEARCH,
        claims=(Claim("three clusters, the true ones", lambda d: d.n_clusters(0) == 3 and d.ari(0) > 0.95),),
    ),
    Preset(
        say("lessons.runs.outliers_steal_a_kmeans_cluster.title"),
        say("lessons.runs.outliers_steal_a_kmeans_cluster.watch"),
        OUTLIERS,
        KMEANS,
        say("lessons.runs.outliers_steal_a_kmeans_cluster.onwards"),
        claims=(
            Claim("the far points alone", lambda d: d.sizes(0)[-1] <= 4),
            Claim("two groups share a cluster", lambda d: d.n_large(0) == 2 and d.ari(0) < 0.7),
        ),
    ),
    Preset(
        say("lessons.runs.outliers_under_mapdp.title"),
        say("lessons.runs.outliers_under_mapdp.watch"),
        OUTLIERS,
        SEARCH,
        claims=(
            Claim("small clusters for the outliers", lambda d: 1 <= d.n_clusters(0) - d.n_large(0) <= 4),
            Claim("the real ones stay whole", lambda d: d.n_large(0) == 3 and d.ari(0) > 0.9),
        ),
    ),
    Preset(
        say("lessons.runs.mapdp_learns_rotated_ellipses.title"),
        say("lessons.runs.mapdp_learns_rotated_ellipses.watch"),
        ROTATED,
        SEARCH,
        beside=(RunConfig("em", n_components=3), KMEANS),
        claims=(
            Claim("MAP-DP and E-M find them", lambda d: min(d.ari(0), d.ari(1)) > 0.95),
            Claim("K-means cuts across", lambda d: d.ari(2) < 0.65),
        ),
    ),
    Preset(
        say("lessons.runs.large_clusters_attract_more_points.title"),
        say("lessons.runs.large_clusters_attract_more_points.watch"),
        SMALL_OVERLAP,
        _chain(partition=ChineseRestaurant(1.0), init="random", init_clusters=12, n_sweeps=200, burn_in=50),
        claims=(Claim("of twelve clusters at most six are left", lambda d: d.usual(0) <= 6),),
    ),
    Preset(
        say("lessons.runs.the_crp_opens_too_many_clusters.title"),
        say("lessons.runs.the_crp_opens_too_many_clusters.watch"),
        SMALL_OVERLAP,
        CROWD,
        say("lessons.runs.the_crp_opens_too_many_clusters.onwards"),
        claims=(
            Claim("more than twice the true number", lambda d: d.usual(0) > 6),
            Claim("in most sweeps one is born", lambda d: float((d.trace(0).n_born[101:] > 0).mean()) > 0.8),
        ),
    ),
    Preset(
        say("lessons.runs.the_power_r_ends_tiny_clusters.title"),
        say("lessons.runs.the_power_r_ends_tiny_clusters.watch"),
        SMALL_OVERLAP,
        POWERED,
        beside=(CROWD,),
        claims=(
            Claim("most tiny ones go", lambda d: d.visited(0).mean() - 3 < 0.5 * (d.visited(1).mean() - 3)),
            Claim("about three are left", lambda d: d.usual(0) <= 5),
        ),
    ),
    Preset(
        say("lessons.runs.stuck_in_a_local_optimum.title"),
        say("lessons.runs.stuck_in_a_local_optimum.watch"),
        ROTATED,
        GLUED,
        say("lessons.runs.stuck_in_a_local_optimum.onwards"),
        claims=(
            Claim("it has converged", lambda d: d.trace(0).converged),
            Claim("two ellipses are one cluster", lambda d: d.n_large(0) == 2 and d.ari(0) < 0.7),
        ),
    ),
    Preset(
        say("lessons.runs.the_search_gets_out_of_it.title"),
        say("lessons.runs.the_search_gets_out_of_it.watch"),
        ROTATED,
        SEARCH,
        beside=(GLUED,),
        claims=(Claim("three, at a lower nll", lambda d: d.n_large(0) == 3 and d.nll(0) < d.nll(1) - 100),),
    ),
    Preset(
        say("lessons.runs.nothing_to_find.title"),
        say("lessons.runs.nothing_to_find.watch"),
        _synthetic("null_gaussian"),
        RunConfig("kmeans", n_clusters=3, n_init=1),
        beside=(RunConfig("mapdp"),),
        claims=(Claim("three, and one", lambda d: (d.n_clusters(0), d.n_clusters(1)) == (3, 1)),),
    ),
    Preset(
        say("lessons.runs.two_halves_of_one_cluster.title"),
        say("lessons.runs.two_halves_of_one_cluster.watch"),
        ONE_CLUSTER,
        HALVES,
        say("lessons.runs.two_halves_of_one_cluster.onwards"),
        claims=(Claim("twenty sweeps leave them apart", lambda d: int(d.trace(0).n_clusters[:21].min()) > 1),),
    ),
    Preset(
        say("lessons.runs.one_merge_unites_two_halves.title"),
        say("lessons.runs.one_merge_unites_two_halves.watch"),
        ONE_CLUSTER,
        replace(HALVES, split_merge=1),
        claims=(Claim("one cluster within 20 sweeps", lambda d: int(d.trace(0).n_clusters[:21].min()) == 1),),
    ),
    Preset(
        say("lessons.runs.galaxies_one_column.title"),
        say("lessons.runs.galaxies_one_column.watch"),
        DataChoice("bundled", "galaxies"),
        _chain("normal_gamma", partition=ChineseRestaurant(1.0), n_sweeps=300, burn_in=100),
        claims=(Claim("more than one number of groups", lambda d: len(set(d.visited(0).tolist())) > 1),),
    ),
)
