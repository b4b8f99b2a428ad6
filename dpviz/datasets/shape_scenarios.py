"""Data without clusters, data that no Gaussian fits, and clusters in many dimensions."""

from __future__ import annotations

import numpy as np

from dpviz.datasets.scenario import Points, Scenario, ScenarioParameter, gaussian_groups, group_sizes
from dpviz.errors import MemoryLimitError

MAX_CELLS = 50_000_000  # 400 MB of float64

_N_FEATURES = ScenarioParameter("n_features", "Number of columns", 2, 1, 20, 1)


def null_gaussian(n: int, rng: np.random.Generator, n_features: int) -> Points:
    """One standard Gaussian."""
    _refuse_huge(n, n_features)
    return Points(rng.standard_normal((n, n_features)), np.zeros(n, dtype=np.int64), ("the only one",))


def null_uniform(n: int, rng: np.random.Generator, n_features: int) -> Points:
    """Points spread evenly over the unit cube."""
    _refuse_huge(n, n_features)
    return Points(rng.uniform(size=(n, n_features)), np.zeros(n, dtype=np.int64), ("the only one",))


def rings(n: int, rng: np.random.Generator, noise: float, inner_radius: float) -> Points:
    """Two concentric rings (scikit-learn's circles)."""
    from sklearn.datasets import make_circles  # deferred: scikit-learn takes a second to import

    state = int(rng.integers(2**32))
    X, labels = make_circles(n, shuffle=False, noise=noise, factor=inner_radius, random_state=state)
    return Points(X, labels.astype(np.int64), ("outer", "inner"))


def moons(n: int, rng: np.random.Generator, noise: float) -> Points:
    """Two interleaved half-moons (scikit-learn's moons)."""
    from sklearn.datasets import make_moons  # deferred: scikit-learn takes a second to import

    X, labels = make_moons(n, shuffle=False, noise=noise, random_state=int(rng.integers(2**32)))
    return Points(X, labels.astype(np.int64), ("upper", "lower"))


def high_dimensional(n: int, rng: np.random.Generator, n_features: int, n_clusters: int, separation: float) -> Points:
    """Equal unit Gaussians at random places, the nearest two ``separation`` standard deviations apart."""
    from scipy.spatial.distance import pdist  # deferred: it takes long to import

    _refuse_huge(n, n_features)
    means = rng.standard_normal((n_clusters, n_features))
    means *= separation / pdist(means).min()
    sizes = group_sizes([1 / n_clusters] * n_clusters, n)
    X, labels = gaussian_groups(rng, sizes, means, [np.eye(n_features)] * n_clusters)
    return Points(X, labels, tuple(str(k + 1) for k in range(n_clusters)))


def _refuse_huge(n: int, n_features: int) -> None:
    if n * n_features > MAX_CELLS:
        raise MemoryLimitError(
            f"n × n_features = {n * n_features:,} numbers would need {n * n_features * 8 / 1e9:.1f} GB; "
            f"at most {MAX_CELLS:,} are drawn. Lower n or n_features."
        )


SHAPE_SCENARIOS = (
    Scenario(
        name="null_gaussian",
        title="Nothing to find: one Gaussian",
        also="no clusters, a single cluster, null",
        watch="One cluster is the truth: whatever else appears was put there by the method.",
        n=500,
        generate=null_gaussian,
        parameters=(_N_FEATURES,),
    ),
    Scenario(
        name="null_uniform",
        title="Nothing to find: evenly spread points",
        also="no clusters, uniform noise, null",
        watch="There are no clusters, and no Gaussian fits a box: see how many pieces it is cut into.",
        n=500,
        generate=null_uniform,
        parameters=(_N_FEATURES,),
    ),
    Scenario(
        name="rings",
        title="Two rings",
        also="non-Gaussian, concentric circles",
        watch="An honest failure: both rings share one centre, so Gaussian clusters cut them into arcs.",
        n=600,
        generate=rings,
        parameters=(
            ScenarioParameter("noise", "Standard deviation of the points around the rings", 0.05, 0.0, 0.5, 0.01),
            ScenarioParameter("inner_radius", "Radius of the inner ring; the outer has 1", 0.5, 0.05, 0.95, 0.05),
        ),
    ),
    Scenario(
        name="moons",
        title="Two half-moons",
        also="non-Gaussian, curved, bananas",
        watch="An honest failure: several ellipses are strung along each moon, because a moon is no ellipse.",
        n=600,
        generate=moons,
        parameters=(
            ScenarioParameter("noise", "Standard deviation of the points around the moons", 0.08, 0.0, 0.5, 0.01),
        ),
    ),
    Scenario(
        name="high_dimensional",
        title="Clusters in many dimensions",
        also="high-dimensional data",
        watch="Raise the dimensions at the same separation and see when too few points are left to learn covariances.",
        n=1_000,
        generate=high_dimensional,
        parameters=(
            ScenarioParameter("n_features", "Number of columns", 10, 2, 200, 1),
            ScenarioParameter("n_clusters", "Number of clusters", 5, 2, 10, 1),
            ScenarioParameter("separation", "Distance between the nearest two centres", 6.0, 0.0, 20.0, 0.5),
        ),
    ),
)
