"""Data drawn from the model itself (2014 paper, Sec. 4.1) and the two simulations of the powered CRP (2018 paper)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from dpviz.arrays import IntArray
from dpviz.datasets.scenario import MISSING_SHARE, Points, Scenario, ScenarioParameter, gaussian_groups, group_sizes
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import NormalGamma
from dpviz.partition import ChineseRestaurant
from dpviz.text import quoted

PRINTED_ORACLE = (
    "The paper's oracle concentration makes N0 ln N equal to the number of clusters: 3 / ln 300 = 0.53 and "
    "3 / ln 2000 = 0.39 (printed 0.52 and 0.40)."
)
ORACLE = f"The paper prints no parameters; these are a choice within what its figure shows. {PRINTED_ORACLE}"
AUTHORS = f"The paper prints no parameters; these are those of its first author's public code. {PRINTED_ORACLE}"

AUTHORS_WEIGHTS, AUTHORS_DEVIATIONS = (0.35, 0.4, 0.25), (0.5, 0.5, 1.0)
"""Of the three groups of simulation 1, from left to right."""


class PartitionSource(Protocol):
    """Anything that draws labels (n,), such as the priors of :mod:`dpviz.partition`."""

    def sample(self, n_points: int, random_state: np.random.Generator, /) -> IntArray: ...  # noqa: D102


class ComponentSource(Protocol):
    """Anything that draws components, such as the families of :mod:`dpviz.families`; a component draws points."""

    def draw(self, random_state: np.random.Generator, /) -> Any: ...  # noqa: D102


def crp_mixture(
    n: int,
    rng: np.random.Generator,
    *,
    concentration: float,
    n_features: int,
    m0: float,
    c0: float,
    a0: float,
    b0: float,
    partition: PartitionSource | None = None,
    family: ComponentSource | None = None,
) -> Points:
    """Draw a partition, then the parameters of every cluster, then its points (2014 paper, eq. 3)."""
    partition = ChineseRestaurant(concentration) if partition is None else partition
    family = NormalGamma(np.full(n_features, m0), c0, a0, np.full(n_features, b0)) if family is None else family
    if not callable(getattr(partition, "sample", None)):
        raise InvalidParameterError(f"partition = {quoted(partition)} must be a partition prior with a sample method.")
    if not callable(getattr(family, "draw", None)):
        raise InvalidParameterError(f"family = {quoted(family)} must be a component family with a draw method.")
    labels = np.asarray(partition.sample(n, rng), dtype=np.int64)
    groups, labels = np.unique(labels, return_inverse=True)
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    drawn = np.vstack([family.draw(rng).sample(int(size), rng) for size in sizes])
    if not np.isfinite(drawn).all():
        raise InvalidDataError("The prior drew values too large for a double; raise c0 or a0, or lower b0.")
    X = np.empty_like(drawn)
    X[order] = drawn
    return Points(X, labels.astype(np.int64), tuple(str(k + 1) for k in range(len(groups))))


def powered_sim_1_authors(n: int, rng: np.random.Generator, middle: float, right: float) -> Points:
    """Three Gaussians of unequal weight on a line, one twice as wide as the others (Sec. 3.1, Sim 1)."""
    means = [(0.0,), (middle,), (right,)]
    roots = [deviation * np.eye(1) for deviation in AUTHORS_DEVIATIONS]
    X, labels = gaussian_groups(rng, group_sizes(AUTHORS_WEIGHTS, n), means, roots)
    return Points(X, labels, ("left", "middle", "right"), (AUTHORS,))


def powered_sim_1(n: int, rng: np.random.Generator, spacing: float) -> Points:
    """Three equal unit Gaussians on a line that overlap, a variant of Sim 1 of Sec. 3.1."""
    means = [(-spacing,), (0.0,), (spacing,)]
    X, labels = gaussian_groups(rng, group_sizes([1 / 3] * 3, n), means, [np.eye(1)] * 3)
    return Points(X, labels, ("left", "middle", "right"), (ORACLE,))


def powered_sim_2(n: int, rng: np.random.Generator, distance: float, outer_deviation: float) -> Points:
    """One unit Gaussian, and far from it two Gaussians with the same mean and unequal width (Sec. 3.1, Sim 2)."""
    means = [(-distance / 2,), (distance / 2,), (distance / 2,)]
    roots = [np.eye(1), np.eye(1), outer_deviation * np.eye(1)]
    X, components = gaussian_groups(rng, group_sizes([1 / 3] * 3, n), means, roots)
    contradiction = (
        "The caption of Figure 2 speaks of three well separated components, Table 1 of two true clusters: the labels "
        "follow the table, with the pair of one mean as one group. The printed oracle concentrations are those of "
        "three clusters, not two, so three is what the oracle uses here."
    )
    return Points(X, np.minimum(components, 1), ("single", "same-mean pair"), (ORACLE, contradiction))


MODEL_SCENARIOS = (
    Scenario(
        name="crp_mixture",
        title="Drawn from the model: a CRP mixture",
        also="Chinese restaurant process, Dirichlet process mixture",
        watch="Many true clusters hold a few points only: MAP-DP merges them into larger ones, Gibbs finds more.",
        section="2014 paper, Sec. 4.1",
        n=600,
        generate=crp_mixture,
        parameters=(
            ScenarioParameter("concentration", "N0: more clusters when larger", 3.0, 0.01, 100.0, 0.1),
            ScenarioParameter("n_features", "Number of columns", 2, 1, 20, 1),
            ScenarioParameter("m0", "Where cluster centres lie on average", 1.0, -100.0, 100.0, 0.5),
            ScenarioParameter("c0", "Weight of that average: small spreads the centres", 0.1, 0.001, 10.0, 0.01),
            ScenarioParameter("a0", "Larger means that clusters are more alike in width", 1.0, 0.5, 50.0, 0.5),
            ScenarioParameter("b0", "Larger means wider clusters", 10.0, 0.01, 100.0, 0.5),
            MISSING_SHARE,
        ),
        models=("partition", "family"),
    ),
    Scenario(
        name="powered_sim_1_authors",
        title="Powered CRP, simulation 1: three overlapping Gaussians",
        also="pCRP, over-clustering, unequal width",
        watch="The CRP keeps opening small clusters as N grows; under a power above 1 there are fewer of them.",
        section="2018 paper, Sec. 3.1, Sim 1",
        n=300,
        generate=powered_sim_1_authors,
        parameters=(
            ScenarioParameter("middle", "Mean of the middle group; the left one has 0", 2.0, 0.0, 10.0, 0.1),
            ScenarioParameter("right", "Mean of the wide group on the right", 5.0, 0.0, 15.0, 0.1),
        ),
    ),
    Scenario(
        name="powered_sim_1",
        title="Three equal Gaussians that overlap",
        also="pCRP, over-clustering",
        watch="The CRP keeps opening small clusters as N grows; under a power above 1 there are fewer of them.",
        section="a variant of the 2018 paper, Sec. 3.1, Sim 1",
        n=300,
        generate=powered_sim_1,
        parameters=(ScenarioParameter("spacing", "Distance between neighbouring means", 4.1, 0.0, 10.0, 0.05),),
        former=(("spacing", 3.65),),
    ),
    Scenario(
        name="powered_sim_2",
        title="Powered CRP, simulation 2: a shared mean",
        also="pCRP, unequal variance",
        watch="Is the wide and narrow pair with one mean one cluster or two? The score counts it as one.",
        section="2018 paper, Sec. 3.1, Sim 2",
        n=300,
        generate=powered_sim_2,
        parameters=(
            ScenarioParameter("distance", "Distance between the two groups", 12.0, 0.0, 30.0, 0.5),
            ScenarioParameter("outer_deviation", "Standard deviation of the wide half of the pair", 1.7, 1.0, 5.0, 0.1),
        ),
        former=(("outer_deviation", 2.0),),
    ),
)
