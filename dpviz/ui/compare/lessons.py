"""Instructive comparisons: data, panels, and one sentence on what to watch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson


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


def _independent(n_points: int, concentration: float) -> tuple[RunConfig, RunConfig, RunConfig]:
    """MAP-DP, Gibbs and Gibbs with splits and merges, under the 2014 paper's prior for standardised columns (4.2)."""
    prior = {"c0": 10 / n_points, "a0": 1.0, "b0": 1.0}
    model = {"family": "normal_gamma", "prior": prior, "partition": ChineseRestaurant(concentration)}
    chain = RunConfig("gibbs", init="single", **LENGTH, **model)  # type: ignore[arg-type]
    return RunConfig("mapdp", **model), chain, replace(chain, split_merge=1)  # type: ignore[arg-type]


COMPARISONS = (
    Comparison(
        "Unequal radius",
        "K-means merges the two narrow circles and cuts the wide one in two; MAP-DP learns each cluster's own width.",
        _scenario("spherical_unequal_radius"),
        THREE,
    ),
    Comparison(
        "Unequal numbers",
        "K-means splits the largest circle to even out the numbers; MAP-DP weighs how many points a cluster has.",
        _scenario("spherical_unequal_density"),
        THREE,
    ),
    Comparison(
        "Outliers",
        "Four far points take one of the three clusters of K-means; MAP-DP opens two more for them.",
        _scenario("spherical_outliers"),
        THREE,
    ),
    Comparison(
        "Rotated ellipses",
        "E-M and MAP-DP learn the ellipses' directions and agree; K-means cuts across them.",
        _scenario("elliptical_rotated"),
        THREE,
    ),
    Comparison(
        "Ellipses far apart",
        "Far enough apart everything works, although these clusters break all that K-means assumes.",
        _scenario("elliptical_separated"),
        THREE,
    ),
    Comparison(
        "Ellipses that overlap",
        "MAP-DP errs only where the ellipses overlap; K-means cuts the largest one up far outside the overlap.",
        _scenario("elliptical_overlap"),
        THREE,
    ),
    Comparison(
        "Powered CRP, simulation 1",
        "The plain CRP's sizes end in a tail of small clusters; a power just above 1, r = 1.02, leaves the three.",
        _scenario("powered_sim_1", n=2000),
        (MAPDP, _chain(), _chain(1.02)),
    ),
    Comparison(
        "Powered CRP, simulation 2",
        "Two Gaussians share a mean: the plain CRP adds clusters of a few points, the powered one counts two.",
        _scenario("powered_sim_2"),
        (MAPDP, _chain(), _chain(1.1)),
    ),
    Comparison(
        "Iris",
        "MAP-DP is done after a few sweeps while Gibbs wanders on; see below where their results differ.",
        _bundled("iris"),
        (KMEANS, RunConfig("dpmeans", penalty=9.0), *_independent(150, 3.0)[::2]),
    ),
    Comparison(
        "Wine",
        "One model: MAP-DP's restarts find several clusters, a Gibbs chain of single moves usually stays in one, and "
        "with splits and merges of whole clusters it finds them too.",
        _bundled("wine"),
        (KMEANS, *_independent(178, 1.0)),
    ),
    Comparison(
        "Old Faithful",
        "Compare the tails of the cluster sizes: the CRP keeps a tiny third cluster, the power r = 1.11 leaves two.",
        _bundled("old_faithful"),
        (RunConfig("kmeans", n_clusters=2), MAPDP, _chain(), _chain(1.11)),
    ),
)
