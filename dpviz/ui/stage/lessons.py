"""Lessons: data, runs, and one sentence on what to watch; of runs on Explore, and of comparisons of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dpviz.config import RunConfig
from dpviz.course.claims import CRUMB, Bound, Claim, Within, finds, within
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson
from dpviz.words import say


def _lesson(
    kind: str,
    name: str,
    choice: DataChoice,
    own: tuple[RunConfig, ...],
    claims: Sequence[Within | tuple[Within, float]] = (),
    leads_on: bool = False,
    **more: Any,
) -> Lesson:
    """Return a lesson with the texts of its name.

    Parameters
    ----------
    kind, name : str
        Of its texts.
    choice : DataChoice
    own : tuple of RunConfig
    claims : sequence of Within, or of Within and the least share of draws
        As the texts number them.
    leads_on : bool
        Whether it has a text onwards, since the next lesson builds on it.
    **more
        Further fields of :class:`~dpviz.ui.session.lesson.Lesson`.
    """
    said = [
        Claim(say(f"lessons.{kind}.{name}.claim_{number}"), *(claim if isinstance(claim, tuple) else (claim,)))
        for number, claim in enumerate(claims, 1)
    ]
    title, watch = say(f"lessons.{kind}.{name}.title"), say(f"lessons.{kind}.{name}.watch")
    onwards = say(f"lessons.{kind}.{name}.onwards") if leads_on else ""
    return Lesson(name, title, watch, choice, own, onwards, claims=tuple(said), **more)


def _run(name: str, choice: DataChoice, config: RunConfig, **more: Any) -> Lesson:
    return _lesson("runs", name, choice, (config,), **more)


_comparison = partial(_lesson, "comparisons")


def _synthetic(name: str, **options: float) -> DataChoice:
    return DataChoice("synthetic", name).with_options(**options)


def _bundled(name: str) -> DataChoice:
    return DataChoice("bundled", name, scaling="standardise")


def _usual(algorithm: str, family: str = "normal_wishart", **options: Any) -> RunConfig:
    """Configure a run with the usual priors: a lesson must not depend on an automatic choice."""
    return RunConfig(algorithm, family=family, prior=None, **{"partition": ChineseRestaurant(3.0), **options})


def _chain(family: str = "normal_wishart", **options: Any) -> RunConfig:
    """Configure a chain with splits and merges, without which it can stay where it began."""
    return _usual("gibbs", family, split_merge=1, **options)


LENGTH: dict[str, Any] = {"n_sweeps": 300, "burn_in": 100}
UNEQUAL = _synthetic("spherical_unequal_radius")
OUTLIERS = _synthetic("spherical_outliers")
ROTATED = _synthetic("elliptical_rotated")
SMALL_OVERLAP = _synthetic("elliptical_overlap", n=1000)
ONE_CLUSTER = _synthetic("null_gaussian", n=1000)
SEARCH = _usual("mapdp", effort=0.05)
KMEANS = RunConfig("kmeans", n_clusters=3, n_init=10)
GLUED = _usual("mapdp", init="kmeans++", init_clusters=2, n_init=1)
CROWD = _chain(partition=ChineseRestaurant(10.0), **LENGTH)
POWERED = _chain(partition=PoweredChineseRestaurant(10.0, 1.3), **LENGTH)
HALVES = _usual(
    "gibbs", partition=ChineseRestaurant(0.1), init="random", init_clusters=2, n_sweeps=80, burn_in=20, seed=1
)


EM = RunConfig("em", n_components=3)
MAPDP = _usual("mapdp")
THREE = (KMEANS, EM, MAPDP)
LONG_CHAIN = _chain(partition=ChineseRestaurant(1.0), **LENGTH)


def _powered(power: float) -> RunConfig:
    return replace(LONG_CHAIN, partition=PoweredChineseRestaurant(1.0, power))


def _from_ten(chain: RunConfig) -> RunConfig:
    """Begin with ten K-means clusters, as the 2018 paper's study does: a powered chain hardly ever opens one."""
    return replace(chain, init="kmeans++", init_clusters=10)


def _independent(n_points: int, concentration: float) -> tuple[RunConfig, RunConfig, RunConfig]:
    """MAP-DP, Gibbs and Gibbs with splits and merges, under the 2014 paper's prior for standardised columns (4.2)."""
    prior = {"c0": 10 / n_points, "a0": 1.0, "b0": 1.0}
    model = {"family": "normal_gamma", "prior": prior, "partition": ChineseRestaurant(concentration)}
    chain = RunConfig("gibbs", init="single", **LENGTH, **model)  # type: ignore[arg-type]
    return RunConfig("mapdp", **model), chain, replace(chain, split_merge=1)  # type: ignore[arg-type]


PRESETS = (
    _run(
        "kmeans_fails_on_unequal_radius",
        UNEQUAL,
        replace(KMEANS, init="random", seed=38),  # the wide group begins almost whole
        leads_on=True,
        claims=(within(Bound("widest_whole", 0, most=0.9), Bound("ari", 0, most=0.6)),),
    ),
    _run(
        "mapdp_succeeds_on_unequal_radius",
        UNEQUAL,
        replace(SEARCH, effort=0.1),
        claims=(within(*finds(0, 3)),),
    ),
    _run(
        "outliers_steal_a_kmeans_cluster",
        OUTLIERS,
        KMEANS,
        leads_on=True,
        claims=(
            within(Bound("smallest", 0, most=4)),
            within(Bound("n_large", 0, 2, 2), Bound("ari", 0, most=0.7)),
        ),
    ),
    _run(
        "outliers_under_mapdp",
        OUTLIERS,
        SEARCH,
        claims=(
            within(Bound("n_small", 0, 1, 4)),
            within(*finds(0, 3, ari=0.9)),
        ),
    ),
    _run(
        "mapdp_learns_rotated_ellipses",
        ROTATED,
        SEARCH,
        beside=(RunConfig("em", n_components=3), KMEANS),
        claims=(
            within(Bound("ari", 0, least=0.95)),
            within(Bound("ari", 1, least=0.95)),
            within(Bound("ari", 2, most=0.65)),
        ),
    ),
    _run(
        "large_clusters_attract_more_points",
        SMALL_OVERLAP,
        _chain(partition=ChineseRestaurant(1.0), init="random", init_clusters=12, n_sweeps=200, burn_in=50),
        claims=(within(Bound("usual", 0, most=6)),),
    ),
    _run(
        "the_crp_opens_too_many_clusters",
        SMALL_OVERLAP,
        CROWD,
        leads_on=True,
        claims=(
            within(Bound("usual", 0, least=7)),
            within(Bound("births", 0, least=0.8)),
        ),
    ),
    _run(
        "the_power_r_ends_tiny_clusters",
        SMALL_OVERLAP,
        POWERED,
        beside=(CROWD,),
        claims=(
            within(Bound("extra", 0, most=0.5, per=1)),
            within(Bound("usual", 0, most=5)),
        ),
    ),
    _run(
        "stuck_in_a_local_optimum",
        ROTATED,
        GLUED,
        leads_on=True,
        claims=(
            within(Bound("converged", 0, least=1)),
            within(Bound("n_large", 0, 2, 2), Bound("ari", 0, most=0.7)),
        ),
    ),
    _run(
        "the_search_gets_out_of_it",
        ROTATED,
        SEARCH,
        beside=(GLUED,),
        claims=(within(Bound("n_large", 0, 3, 3), Bound("nll", 0, most=-100, than=1)),),
    ),
    _run(
        "nothing_to_find",
        _synthetic("null_gaussian"),
        RunConfig("kmeans", n_clusters=3, n_init=1),
        beside=(RunConfig("mapdp"),),
        claims=(
            within(Bound("n_clusters", 0, 3, 3)),
            within(Bound("n_clusters", 1, 1, 1)),
        ),
    ),
    _run(
        "two_halves_of_one_cluster",
        ONE_CLUSTER,
        HALVES,
        leads_on=True,
        claims=(within(Bound("least_early", 0, least=2)),),
    ),
    _run(
        "one_merge_unites_two_halves",
        ONE_CLUSTER,
        replace(HALVES, split_merge=1),
        claims=(within(Bound("least_early", 0, most=1)),),
    ),
    _run(
        "galaxies_one_column",
        DataChoice("bundled", "galaxies"),
        _chain("normal_gamma", partition=ChineseRestaurant(1.0), **LENGTH),
        claims=(within(Bound("n_visited", 0, least=2)),),
    ),
)


COMPARISONS = (
    _comparison(
        "unequal_radius",
        _synthetic("spherical_unequal_radius"),
        THREE,
        claims=(
            within(Bound("ari", 0, most=0.6)),
            within(*finds(2, 3)),
        ),
    ),
    _comparison(
        "unequal_numbers",
        _synthetic("spherical_unequal_density"),
        THREE,
        claims=(
            within(Bound("largest_whole", 0, most=0.8)),
            within(*finds(2, 3)),
        ),
    ),
    _comparison(
        "four_outliers",
        _synthetic("spherical_outliers"),
        THREE,
        claims=(
            within(Bound("smallest", 0, most=CRUMB - 1), Bound("ari", 0, most=0.7)),
            within(Bound("smallest", 1, most=CRUMB - 1)),
            within(Bound("n_clusters", 2, least=4), Bound("n_large", 2, 3, 3)),
        ),
    ),
    _comparison(
        "rotated_ellipses",
        _synthetic("elliptical_rotated"),
        THREE,
        claims=(
            within(Bound("ari", 1, least=0.95)),
            within(Bound("ari", 2, least=0.95)),
            within(Bound("ari", 0, most=0.65)),
        ),
    ),
    _comparison(
        "ellipses_far_apart",
        _synthetic("elliptical_separated"),
        THREE,
        claims=(within(*(Bound("ari", panel, least=0.98) for panel in range(3))),),
    ),
    _comparison(
        "ellipses_that_overlap",
        _synthetic("elliptical_overlap"),
        THREE,
        claims=(
            within(Bound("ari", 2, least=0.85)),
            within(Bound("largest_whole", 0, most=0.9)),
        ),
    ),
    _comparison(
        "powered_crp_simulation_1",
        _synthetic("powered_sim_1_authors", n=2000),
        (MAPDP, _from_ten(LONG_CHAIN), _from_ten(_powered(1.1))),
        claims=(
            within(Bound("usual", 1, least=4)),
            within(Bound("extra", 2, most=0.6, per=1)),
            within(Bound("usual", 2, 3, 3)),
        ),
        most_points=2000,  # it is about them
    ),
    _comparison(
        "powered_crp_simulation_2",
        _synthetic("powered_sim_2"),
        (MAPDP, _from_ten(LONG_CHAIN), _from_ten(_powered(1.2))),
        claims=(
            within(Bound("mean_k", 2, most=1, per=1)),
            within(Bound("usual", 2, 2, 2)),
        ),
    ),
    _comparison(
        "iris",
        _bundled("iris"),
        (KMEANS, RunConfig("dpmeans", penalty=9.0), *_independent(150, 3.0)[::2]),
        claims=(
            within(Bound("converged", 2, least=1), Bound("n_sweeps", 2, most=29)),
            within(Bound("n_late_costs", 3, least=51)),
        ),
    ),
    _comparison(
        "wine",
        _bundled("wine"),
        (KMEANS, *_independent(178, 1.0)),
        claims=(
            (within(Bound("n_large", 2, 1, 1)), 0.75),
            within(Bound("n_large", 1, least=3), Bound("n_large", 3, least=3)),
        ),
    ),
    _comparison(
        "old_faithful",
        _bundled("old_faithful"),
        (RunConfig("kmeans", n_clusters=2), MAPDP, LONG_CHAIN, _powered(1.11)),
        claims=(within(Bound("mean_k", 3, most=-0.2, than=2)),),
    ),
)
