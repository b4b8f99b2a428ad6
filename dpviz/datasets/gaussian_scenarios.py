"""The six synthetic data sets of Raykov et al. (2016), Sec. 5: three Gaussians in the plane, N = 4000.

The paper prints shares and scores but neither means nor covariances. Those here were chosen so that the figures'
stories hold and K-means scores close to Table 1; each note says where a value is a choice.
"""

from __future__ import annotations

import numpy as np

from dpviz.datasets.scenario import (
    MISSING_SHARE,
    Points,
    Scenario,
    ScenarioParameter,
    ellipse_root,
    gaussian_groups,
    group_sizes,
)
from dpviz.errors import require

N_POINTS = 4_000
EQUAL = (1 / 3, 1 / 3, 1 / 3)
CHOSEN = "Chosen so that the methods score as in Table 1 of Raykov et al. 2016, which prints no means or covariances."


def spherical_unequal_radius(n: int, rng: np.random.Generator, radius_ratio: float, separation: float) -> Points:
    """One wide circle beside two narrow ones, equally many points in each (Sec. 5.1)."""
    distance = 3 * radius_ratio + 1
    means = [(0, 0), (distance, separation / 2), (distance, -separation / 2)]
    roots = [radius_ratio * np.eye(2), np.eye(2), np.eye(2)]
    X, labels = gaussian_groups(rng, group_sizes(EQUAL, n), means, roots)
    return Points(X, labels, ("wide", "narrow, upper", "narrow, lower"), (CHOSEN,))


def spherical_unequal_density(
    n: int, rng: np.random.Generator, largest_share: float, smallest_share: float, separation: float
) -> Points:
    """Equal circles in a row with very unequal numbers of points (Sec. 5.2)."""
    shares = _three_shares(largest_share, smallest_share)
    means = [(0, 0), (separation, 0), (-separation + 0.5, 0)]
    X, labels = gaussian_groups(rng, group_sizes(shares, n), means, [np.eye(2)] * 3)
    notes = (
        "The paper prints no means or covariances. Its K-means score of 0.48 and separated clusters exclude each "
        "other: in a search over places of equal circles with shares 69, 29 and 2 %, K-means never fell below 0.63 "
        "where the best possible classifier reached 0.93. The default keeps the clusters apart (K-means about 0.69); "
        "a separation of 3.2 brings K-means to 0.49, but then no classifier passes 0.7.",
    )
    return Points(X, labels, ("largest", "middle", "smallest"), notes)


def spherical_outliers(
    n: int, rng: np.random.Generator, separation: float, outliers_per_group: int, outlier_distance: float
) -> Points:
    """Three equal circles and two tight groups of far outliers on the same side (Sec. 5.3)."""
    n_clustered = n - 2 * outliers_per_group
    fewest = 2 * outliers_per_group + 3
    require(n >= fewest, "n", n, f"at least {fewest}", "Ask for fewer outliers or more points.")
    circles = separation * np.array([(0, 0), (1, 0), (0.5, np.sqrt(3) / 2)])
    angles = np.radians([40.0, 50.0])  # top right; the two groups are about a sixth of the distance apart
    outliers = outlier_distance * np.column_stack([np.cos(angles), np.sin(angles)])
    sizes = [*group_sizes(EQUAL, n_clustered), outliers_per_group, outliers_per_group]
    roots = [np.eye(2)] * 3 + [0.5 * np.eye(2)] * 2
    X, labels = gaussian_groups(rng, sizes, np.vstack([circles, outliers]), roots)
    return Points(X, labels, ("left", "right", "upper", "outliers 1", "outliers 2"), (CHOSEN,))


def elliptical_rotated(n: int, rng: np.random.Generator, elongation: float, gap: float, rotation: float) -> Points:
    """Two parallel ellipses and a turned one, equal in volume and number of points (Sec. 5.4)."""
    means = [(0, gap / 2), (0, -gap / 2), (3.3 * elongation, 1.5 * gap)]
    parallel, turned = ellipse_root(elongation, 1, 0), ellipse_root(elongation, 1, rotation)
    X, labels = gaussian_groups(rng, group_sizes(EQUAL, n), means, [parallel, parallel, turned])
    return Points(X, labels, ("upper", "lower", "rotated"), (CHOSEN,))


def elliptical_separated(n: int, rng: np.random.Generator, first_share: float, separation: float) -> Points:
    """Ellipses of different size, shape and number, far apart (Sec. 5.5)."""
    shares = (first_share, 0.28, 0.72 - first_share)
    means = separation * np.array([(-14, 6), (14, 9), (0, -9)])
    roots = [ellipse_root(1.2, 0.8, 0), ellipse_root(2.5, 0.8, 60), ellipse_root(3.5, 1.2, -15)]
    X, labels = gaussian_groups(rng, group_sizes(shares, n), means, roots)
    return Points(X, labels, ("first", "second", "third"), (CHOSEN,))


def elliptical_overlap(n: int, rng: np.random.Generator, smallest_share: float, separation: float) -> Points:
    """Ellipses of different size, shape and number that overlap (Sec. 5.6)."""
    shares = (0.30, smallest_share, 0.70 - smallest_share)
    means = separation * np.array([(0, 0), (2.4, 4.3), (-3.9, -5.2)])
    roots = [ellipse_root(2.9, 0.6, 169), ellipse_root(3.0, 1.2, 99), ellipse_root(2.1, 0.5, 75)]
    X, labels = gaussian_groups(rng, group_sizes(shares, n), means, roots)
    return Points(X, labels, ("middle", "upper", "lower"), (CHOSEN,))


def _three_shares(largest_share: float, smallest_share: float) -> tuple[float, float, float]:
    middle = 1 - largest_share - smallest_share
    require(
        middle > 0, "largest_share + smallest_share", largest_share + smallest_share, "below 1", "Lower one of them."
    )
    return largest_share, middle, smallest_share


GAUSSIAN_SCENARIOS = (
    Scenario(
        name="spherical_unequal_radius",
        title="Circles of unequal radius",
        also="spherical data, unequal radius",
        watch="K-means cuts the wide circle in two and merges the narrow ones; MAP-DP learns each cluster's own width.",
        section="2016 paper, Sec. 5.1",
        n=N_POINTS,
        generate=spherical_unequal_radius,
        parameters=(
            ScenarioParameter("radius_ratio", "How many times wider the wide circle is", 6.0, 1.0, 12.0, 0.5),
            ScenarioParameter("separation", "Distance between the narrow circles, in their radii", 5.0, 0.0, 15.0, 0.5),
        ),
    ),
    Scenario(
        name="spherical_unequal_density",
        title="Equal circles, unequal numbers",
        also="spherical data, equal radius, unequal density",
        watch="K-means splits the largest cluster and gives much of it to the smallest; MAP-DP weighs size.",
        section="2016 paper, Sec. 5.2",
        n=N_POINTS,
        generate=spherical_unequal_density,
        parameters=(
            ScenarioParameter("largest_share", "Share of points in the largest cluster", 0.69, 0.1, 0.97, 0.01),
            ScenarioParameter("smallest_share", "Share of points in the smallest cluster", 0.02, 0.005, 0.33, 0.005),
            ScenarioParameter("separation", "Distance between neighbouring centres, in radii", 5.5, 1.0, 15.0, 0.5),
        ),
    ),
    Scenario(
        name="spherical_outliers",
        title="Equal circles with outliers",
        also="spherical data, outliers",
        watch="K-means spends one of three clusters on a few outliers; MAP-DP opens extra clusters for them.",
        section="2016 paper, Sec. 5.3",
        n=N_POINTS,
        generate=spherical_outliers,
        parameters=(
            ScenarioParameter("separation", "Distance between the circles' centres, in radii", 5.0, 1.0, 15.0, 0.5),
            ScenarioParameter("outliers_per_group", "Points in each of the two groups of outliers", 2, 1, 50, 1),
            ScenarioParameter("outlier_distance", "How far away the outliers are, in radii", 90.0, 5.0, 200.0, 5.0),
        ),
    ),
    Scenario(
        name="elliptical_rotated",
        title="Equal ellipses, one rotated",
        also="elliptical data, equal volume and density",
        watch="K-means cuts across the ellipses, which lowers its objective; MAP-DP follows their shape.",
        section="2016 paper, Sec. 5.4",
        n=N_POINTS,
        generate=elliptical_rotated,
        parameters=(
            ScenarioParameter("elongation", "Length of the ellipses over their width", 5.5, 1.0, 12.0, 0.5),
            ScenarioParameter("gap", "Distance between the parallel ellipses, in widths", 7.0, 1.0, 20.0, 0.5),
            ScenarioParameter("rotation", "Angle of the third ellipse (degrees)", 90.0, 0.0, 90.0, 5.0),
            MISSING_SHARE,
        ),
    ),
    Scenario(
        name="elliptical_separated",
        title="Unequal ellipses, far apart",
        also="elliptical data, unequal volume and density, well separated",
        watch="Everything works: far enough apart, even K-means finds clusters that break all its assumptions.",
        section="2016 paper, Sec. 5.5",
        n=N_POINTS,
        generate=elliptical_separated,
        parameters=(
            ScenarioParameter("first_share", "Share of the first cluster (second: 28 %)", 0.12, 0.01, 0.71, 0.01),
            ScenarioParameter("separation", "Factor on the distances between the clusters", 1.0, 0.1, 2.0, 0.05),
            MISSING_SHARE,
        ),
    ),
    Scenario(
        name="elliptical_overlap",
        title="Unequal ellipses that overlap",
        also="elliptical data, unequal volume and density, overlap",
        watch="MAP-DP errs only where clusters overlap; K-means mislabels points far outside the overlap as well.",
        section="2016 paper, Sec. 5.6",
        n=N_POINTS,
        generate=elliptical_overlap,
        parameters=(
            ScenarioParameter("smallest_share", "Share of the smallest cluster (first: 30 %)", 0.05, 0.01, 0.69, 0.01),
            ScenarioParameter("separation", "Factor on the distances: smaller means more overlap", 1.0, 0.1, 3.0, 0.05),
            MISSING_SHARE,
        ),
    ),
)
