"""Lessons: data, a run, and one sentence on what to watch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson


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
SMALL_OVERLAP = _synthetic("elliptical_overlap", n=1000)
ONE_CLUSTER = _synthetic("null_gaussian", n=1000)
HALVES = _usual(
    "gibbs", partition=ChineseRestaurant(0.1), init="random", init_clusters=2, n_sweeps=80, burn_in=20, seed=1
)

PRESETS = (
    Preset(
        "K-means fails on unequal radius",
        "Press play: K-means cuts the wide cluster in pieces, since it believes that all clusters are equally wide.",
        UNEQUAL,
        RunConfig("kmeans", n_clusters=3, n_init=1, init="random", seed=1),
        "Now the same data with MAP-DP",
    ),
    Preset(
        "MAP-DP succeeds on unequal radius",
        "Nobody tells it K: watch it open clusters in the first sweep and settle on the three true ones.",
        UNEQUAL,
        _usual("mapdp", init="single", n_init=1, seed=3),
    ),
    Preset(
        "Outliers steal a K-means cluster",
        "Four far points get a K-means cluster of their own, so two real clusters must share one.",
        _synthetic("spherical_outliers"),
        RunConfig("kmeans", n_clusters=3, n_init=10),
        "Now the same data with MAP-DP",
    ),
    Preset(
        "Outliers under MAP-DP",
        "The outliers become small clusters of their own and the three real ones stay whole.",
        _synthetic("spherical_outliers"),
        _usual("mapdp", n_init=10),
    ),
    Preset(
        "Rotated ellipses",
        "E-M and MAP-DP learn the clusters' directions; switch the algorithm to K-means to see it cut across them.",
        _synthetic("elliptical_rotated"),
        _usual("mapdp", n_init=10),
    ),
    Preset(
        "Rich get richer",
        "Watch the cluster sizes: the more points a cluster has, the more it attracts, so small ones fade away.",
        SMALL_OVERLAP,
        _chain(partition=ChineseRestaurant(1.0), init="random", init_clusters=12, n_sweeps=200, burn_in=50),
    ),
    Preset(
        "The CRP makes too many clusters",
        "Tiny clusters keep appearing and dying in every sweep: the Chinese restaurant never stops opening tables.",
        SMALL_OVERLAP,
        _chain(partition=ChineseRestaurant(10.0), n_sweeps=300, burn_in=100),
        "Now with the power r",
    ),
    Preset(
        "… and the power r cures it",
        "Same data and N0 = 10, but joining a cluster of n points now weighs n to the power 1.3: the tiny ones go.",
        SMALL_OVERLAP,
        _chain(partition=PoweredChineseRestaurant(10.0, 1.3), n_sweeps=300, burn_in=100),
    ),
    Preset(
        "Stuck in a local optimum",
        "This order of visits leaves two ellipses glued together for good. Raise “Restarts” (under “More”) to 10: the "
        "third cluster appears, at a far lower NLL.",
        _synthetic("elliptical_rotated"),
        _usual("mapdp", init="single", n_init=1, seed=4),
    ),
    Preset(
        "Nothing to find",
        "One Gaussian, no clusters: K-means reports three all the same, MAP-DP (switch to it) finds one.",
        _synthetic("null_gaussian"),
        RunConfig("kmeans", n_clusters=3, n_init=1),
    ),
    Preset(
        "Two halves of one cluster",
        "A random division of one Gaussian: each point is as well off in either half, so single moves undo it slowly.",
        ONE_CLUSTER,
        HALVES,
        "Now with splits and merges",
    ),
    Preset(
        "… come together in one move",
        "One proposal per sweep to divide a cluster or unite two: within five sweeps the halves are one.",
        ONE_CLUSTER,
        replace(HALVES, split_merge=1),
    ),
    Preset(
        "Galaxies: one column",
        "Stacked dots under the predictive densities: how many groups of galaxies does the chain visit?",
        DataChoice("bundled", "galaxies"),
        _chain("normal_gamma", partition=ChineseRestaurant(1.0), n_sweeps=300, burn_in=100),
    ),
)
