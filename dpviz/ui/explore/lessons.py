"""Lessons: data, a run, and one sentence on what to watch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.course.claims import Bound, Claim, finds, within
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson


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
        "K-means fails on unequal radius",
        "Press play: K-means cuts the wide cluster in pieces, since it believes that all clusters are equally wide.",
        UNEQUAL,
        KMEANS,
        "Now the same data with MAP-DP",
        claims=(Claim("the wide group is cut", within(Bound("widest_whole", 0, most=0.9), Bound("ari", 0, most=0.6))),),
    ),
    Preset(
        "MAP-DP succeeds on unequal radius",
        "Nobody tells it K: its search for the lowest cost settles on the three true clusters, each of its own width.",
        UNEQUAL,
        SEARCH,
        claims=(
            Claim("three clusters, the true ones", within(Bound("n_clusters", 0, 3, 3), Bound("ari", 0, least=0.95))),
        ),
        needs_search=True,
    ),
    Preset(
        "Outliers steal a K-means cluster",
        "Four far points get a K-means cluster of their own, so two real clusters must share one.",
        OUTLIERS,
        KMEANS,
        "Now the same data with MAP-DP",
        claims=(
            Claim("the far points alone", within(Bound("smallest", 0, most=4))),
            Claim("two groups share a cluster", within(Bound("n_large", 0, 2, 2), Bound("ari", 0, most=0.7))),
        ),
    ),
    Preset(
        "Outliers under MAP-DP",
        "The outliers become small clusters of their own and the three real ones stay whole.",
        OUTLIERS,
        SEARCH,
        claims=(
            Claim("small clusters for the outliers", within(Bound("n_small", 0, 1, 4))),
            Claim("the real ones stay whole", within(*finds(0, 3, ari=0.9))),
        ),
    ),
    Preset(
        "MAP-DP learns rotated ellipses",
        "E-M and MAP-DP learn the clusters' directions; switch the algorithm to K-means to see it cut across them.",
        ROTATED,
        SEARCH,
        beside=(RunConfig("em", n_components=3), KMEANS),
        claims=(
            Claim("MAP-DP finds them", within(Bound("ari", 0, least=0.95))),
            Claim("E-M finds them", within(Bound("ari", 1, least=0.95))),
            Claim("K-means cuts across", within(Bound("ari", 2, most=0.65))),
        ),
    ),
    Preset(
        "Large clusters attract more points",
        "Watch the cluster sizes: the more points a cluster has, the more it attracts, so small ones fade away.",
        SMALL_OVERLAP,
        _chain(partition=ChineseRestaurant(1.0), init="random", init_clusters=12, n_sweeps=200, burn_in=50),
        claims=(Claim("of twelve clusters at most six are left", within(Bound("usual", 0, most=6))),),
    ),
    Preset(
        "The CRP opens too many clusters",
        "Tiny clusters keep appearing and dying: the Chinese restaurant never stops opening tables.",
        SMALL_OVERLAP,
        CROWD,
        "Now with the power r",
        claims=(
            Claim("more than twice the true number", within(Bound("usual", 0, least=7))),
            Claim("in most sweeps one is born", within(Bound("births", 0, least=0.8))),
        ),
    ),
    Preset(
        "The power r ends tiny clusters",
        "Same data and N0 = 10, but joining a cluster of n points now weighs n to the power 1.3: most tiny ones go.",
        SMALL_OVERLAP,
        POWERED,
        beside=(CROWD,),
        claims=(
            Claim("most tiny ones go", within(Bound("extra", 0, most=0.5, per=1))),
            Claim("about three are left", within(Bound("usual", 0, most=5))),
        ),
    ),
    Preset(
        "Stuck in a local optimum",
        "It begins with two clusters, and two ellipses stay glued together for good: no single point wants to leave.",
        ROTATED,
        GLUED,
        "Now with the search",
        claims=(
            Claim("it has converged", within(Bound("converged", 0, least=1))),
            Claim("two ellipses are one cluster", within(Bound("n_large", 0, 2, 2), Bound("ari", 0, most=0.7))),
        ),
    ),
    Preset(
        "The search gets out of it",
        "Several starts, and splits and merges of whole clusters: the third ellipse appears, at a far lower nll.",
        ROTATED,
        SEARCH,
        beside=(GLUED,),
        claims=(Claim("three, at a lower nll", within(Bound("n_large", 0, 3, 3), Bound("nll", 0, most=-100, than=1))),),
    ),
    Preset(
        "Nothing to find",
        "One Gaussian, no clusters: K-means reports three all the same, MAP-DP (switch to it) finds one.",
        _synthetic("null_gaussian"),
        RunConfig("kmeans", n_clusters=3, n_init=1),
        beside=(RunConfig("mapdp"),),
        claims=(
            Claim("three of K-means", within(Bound("n_clusters", 0, 3, 3))),
            Claim("one of MAP-DP", within(Bound("n_clusters", 1, 1, 1))),
        ),
    ),
    Preset(
        "Two halves of one cluster",
        "A random division of one Gaussian: each point is as well off in either half, so single moves undo it slowly.",
        ONE_CLUSTER,
        HALVES,
        "Now with splits and merges",
        claims=(Claim("twenty sweeps leave them apart", within(Bound("least_early", 0, least=2))),),
    ),
    Preset(
        "One merge unites two halves",
        "One proposal per sweep to divide a cluster or unite two: soon the halves are one.",
        ONE_CLUSTER,
        replace(HALVES, split_merge=1),
        claims=(Claim("one cluster within 20 sweeps", within(Bound("least_early", 0, most=1))),),
    ),
    Preset(
        "Galaxies: one column",
        "Stacked dots under the predictive densities: how many groups of galaxies does the chain visit?",
        DataChoice("bundled", "galaxies"),
        _chain("normal_gamma", partition=ChineseRestaurant(1.0), n_sweeps=300, burn_in=100),
        claims=(Claim("more than one number of groups", within(Bound("n_visited", 0, least=2))),),
    ),
)
