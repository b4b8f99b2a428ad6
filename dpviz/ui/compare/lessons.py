"""Instructive comparisons: data, panels, and one sentence on what to watch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.course.claims import CRUMB, Bound, Claim, finds, within
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson


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
        "Unequal radius",
        "K-means merges the two narrow circles and cuts the wide one in two; MAP-DP learns each cluster's own width.",
        _scenario("spherical_unequal_radius"),
        THREE,
        claims=(
            Claim("K-means merges and cuts", within(Bound("ari", 0, most=0.6))),
            Claim("MAP-DP finds all three", within(*finds(2, 3))),
        ),
        needs_search=True,
    ),
    Comparison(
        "Unequal numbers",
        "K-means splits the largest circle to even out the numbers; MAP-DP weighs how many points a cluster has.",
        _scenario("spherical_unequal_density"),
        THREE,
        claims=(
            Claim("K-means splits the largest", within(Bound("largest_whole", 0, most=0.8))),
            Claim("MAP-DP finds all three", within(*finds(2, 3))),
        ),
    ),
    Comparison(
        "Four outliers",
        "Far points take one of the three clusters of K-means and of E-M; MAP-DP opens more for them.",
        _scenario("spherical_outliers"),
        THREE,
        claims=(
            Claim("one of K-means is taken", within(Bound("smallest", 0, most=CRUMB - 1), Bound("ari", 0, most=0.7))),
            Claim("one of E-M is taken", within(Bound("smallest", 1, most=CRUMB - 1))),
            Claim("MAP-DP opens more", within(Bound("n_clusters", 2, least=4), Bound("n_large", 2, 3, 3))),
        ),
    ),
    Comparison(
        "Rotated ellipses",
        "E-M and MAP-DP learn the ellipses' directions and agree; K-means cuts across them.",
        _scenario("elliptical_rotated"),
        THREE,
        claims=(
            Claim("E-M finds them", within(Bound("ari", 1, least=0.95))),
            Claim("MAP-DP finds them", within(Bound("ari", 2, least=0.95))),
            Claim("K-means cuts across", within(Bound("ari", 0, most=0.65))),
        ),
    ),
    Comparison(
        "Ellipses far apart",
        "Far enough apart everything works, although these clusters break all that K-means assumes.",
        _scenario("elliptical_separated"),
        THREE,
        claims=(Claim("everything works", within(*(Bound("ari", panel, least=0.98) for panel in range(3)))),),
    ),
    Comparison(
        "Ellipses that overlap",
        "MAP-DP errs only where the ellipses overlap; K-means cuts the largest one up far outside the overlap.",
        _scenario("elliptical_overlap"),
        THREE,
        claims=(
            Claim("MAP-DP errs little", within(Bound("ari", 2, least=0.85))),
            Claim("K-means cuts the largest", within(Bound("largest_whole", 0, most=0.9))),
        ),
    ),
    Comparison(
        "Powered CRP, simulation 1",
        "Three groups. The plain CRP's sizes end in a tail of small clusters; with the power r = 1.1 most of them go.",
        _scenario("powered_sim_1", n=2000),
        (MAPDP, _from_ten(), _from_ten(1.1)),
        claims=(
            Claim("a tail of small clusters", within(Bound("usual", 1, least=4))),
            Claim("most of them go", within(Bound("extra", 2, most=0.6, per=1))),
            Claim("three most often", within(Bound("usual", 2, 3, 3))),
        ),
        most_points=2000,  # it is about them
    ),
    Comparison(
        "Powered CRP, simulation 2",
        "Two Gaussians share a mean and count as one: the plain CRP adds clusters of a few points more often than the "
        "powered one, which has two most of the time.",
        _scenario("powered_sim_2"),
        (MAPDP, _from_ten(), _from_ten(1.2)),
        claims=(
            Claim("fewer under the power", within(Bound("mean_k", 2, most=1, per=1))),
            Claim("two most often", within(Bound("usual", 2, 2, 2))),
        ),
    ),
    Comparison(
        "Iris",
        "MAP-DP is done after a few sweeps while Gibbs wanders on; see below where their results differ.",
        _bundled("iris"),
        (KMEANS, RunConfig("dpmeans", penalty=9.0), *_independent(150, 3.0)[::2]),
        claims=(
            Claim("MAP-DP is done", within(Bound("converged", 2, least=1), Bound("n_sweeps", 2, most=29))),
            Claim("Gibbs wanders on", within(Bound("n_late_costs", 3, least=51))),
        ),
    ),
    Comparison(
        "Wine",
        "One model: MAP-DP's restarts find several clusters, a Gibbs chain of single moves usually stays in one, "
        "and with splits and merges of whole clusters it finds them too.",
        _bundled("wine"),
        (KMEANS, *_independent(178, 1.0)),
        claims=(
            Claim("single moves stay in one", within(Bound("n_large", 2, 1, 1)), share=0.75),
            Claim("the others find several", within(Bound("n_large", 1, least=3), Bound("n_large", 3, least=3))),
        ),
    ),
    Comparison(
        "Old Faithful",
        "Compare the tails of the cluster sizes: small clusters come and go under the CRP, and less so with the power "
        "r = 1.11.",
        _bundled("old_faithful"),
        (RunConfig("kmeans", n_clusters=2), MAPDP, _chain(), _chain(1.11)),
        claims=(Claim("fewer with the power", within(Bound("mean_k", 3, most=-0.2, than=2))),),
    ),
)
