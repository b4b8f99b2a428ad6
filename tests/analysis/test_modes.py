"""The dip test of clusters that may be one group: against a linear programme, chance, and groups that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from dpviz.engine.modes import EVEN, FEWEST_POINTS, NEAR, Side, dip, may_be_one, rejected_from, unevenness


def dip_by_programme(values: np.ndarray) -> float:
    """Least distance to a distribution function that is convex up to a mode, may jump there, and is concave after."""
    places, counts = np.unique(values, return_counts=True)
    after = np.cumsum(counts) / counts.sum()
    before = after - counts / counts.sum()
    best = np.inf
    for mode in range(len(places)):
        below, above = places[: mode + 1], places[mode:]
        n_left, n = len(below), len(below) + len(above) + 1  # G at and before the mode, at and after it, the distance
        rows, bounds = [], []

        def at_most(entries: dict[int, float], bound: float, n=n, rows=rows, bounds=bounds) -> None:
            row = np.zeros(n)
            for position, factor in entries.items():
                row[position] = factor
            rows.append(row)
            bounds.append(bound)

        distance = n - 1
        for i in range(
            n_left
        ):  # continuous before the mode: near the step from both sides, but at the mode from before
            at_most({i: 1.0, distance: -1.0}, before[i])
            if i < mode:
                at_most({i: -1.0, distance: -1.0}, -after[i])
            else:
                at_most({i: -1.0, distance: -1.0}, -before[i])
        for j in range(len(above)):
            at_most({n_left + j: -1.0, distance: -1.0}, -after[mode + j])
            at_most({n_left + j: 1.0, distance: -1.0}, before[mode + j] if j else after[mode + j])
        at_most({n_left - 1: 1.0, n_left: -1.0}, 0.0)
        for points, first, sign in ((below, 0, 1.0), (above, n_left, -1.0)):
            for i in range(1, len(points)):
                at_most({first + i - 1: 1.0, first + i: -1.0}, 0.0)
            for i in range(2, len(points)):
                one, two = 1 / (points[i - 1] - points[i - 2]), 1 / (points[i] - points[i - 1])
                slopes = {first + i - 2: -one, first + i - 1: one + two, first + i: -two}
                at_most({position: sign * factor for position, factor in slopes.items()}, 0.0)
        cost = np.zeros(n)
        cost[-1] = 1.0
        found = linprog(cost, np.array(rows), bounds, bounds=[(0.0, 1.0)] * n)
        assert found.success
        best = min(best, found.fun)
    return float(best)


@pytest.mark.parametrize("kind", ["uniform", "normal", "two groups", "three groups"])
def test_the_dip_is_the_distance_to_the_nearest_distribution_of_one_mode(kind):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 26))
        values = {
            "uniform": rng.random(n),
            "normal": rng.normal(size=n),
            "two groups": rng.normal(size=n) + 5 * (np.arange(n) % 2),
            "three groups": rng.normal(size=n) + 6 * (np.arange(n) % 3),
        }[kind]
        assert dip(values) == pytest.approx(dip_by_programme(values), abs=1e-9), (seed, n)
        assert dip(3.0 - 2.0 * values) == pytest.approx(dip(values), abs=1e-12)
        rounded = np.round(values, 1)
        assert dip(rounded) >= dip_by_programme(rounded) - 1e-9


def test_few_values_have_the_dip_of_their_steps():
    assert dip(np.array([2.0, 2.0, 2.0])) == 0.0
    assert dip(np.array([0.0, 1.0])) == 0.25
    assert dip(np.repeat([0.0, 1.0, 2.0], [50, 1, 50])) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("n", [20, 35, 50, 100, 150, 200, 300, 400])
def test_a_third_to_half_of_uniform_samples_count_as_even_and_one_in_twenty_is_rejected(n):
    rng = np.random.default_rng(n)
    scaled = np.array([dip(rng.random(n)) for _ in range(2000)]) * np.sqrt(n)
    assert 0.27 < np.mean(scaled <= EVEN) < 0.55
    assert abs(np.mean(scaled > rejected_from(n)) - 0.05) < 0.02  # four standard errors


def test_the_bounds_of_the_dip_test_are_those_of_its_tables():
    for n, published in ((20, 0.1051), (50, 0.0703), (100, 0.0511), (200, 0.0368)):  # of the package diptest, as in R
        assert rejected_from(n) / np.sqrt(n) == pytest.approx(published, abs=2e-4)


def test_many_points_that_may_be_one_are_judged_as_four_hundred():
    even = Side(np.linspace(0.0, 3.0, 5000), np.ones(5000))
    assert may_be_one(even, even)
    apart = Side(np.concatenate([np.linspace(0.0, 2.0, 500), np.linspace(4.0, 5.0, 4500)]), np.ones(5000))
    assert not may_be_one(apart, apart)


def sides(x: np.ndarray, cut: float, distance: float) -> tuple[Side, Side]:
    """Points on both sides of a cut, whose log odds are those of two normals so far apart."""
    odds = distance * (x - cut)
    return Side(odds[x > cut], np.ones((x > cut).sum())), Side(-odds[x <= cut], np.ones((x <= cut).sum()))


def test_a_group_that_is_cut_often_looks_like_one_and_two_groups_never_do():
    joined = {"uniform": 0, "normal": 0, "skewed": 0, "two groups": 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        skewed = rng.gamma(2.0, size=400)
        joined["uniform"] += unevenness(*sides(rng.random(400) * 4, 2.0, 2.0)) <= 1
        joined["normal"] += unevenness(*sides(rng.normal(size=400), 0.3, 1.6)) <= 1
        joined["skewed"] += unevenness(*sides(skewed, np.quantile(skewed, 0.7), 1.6)) <= 1
        pair = rng.normal(size=400) + 4 * (np.arange(400) % 2)
        joined["two groups"] += unevenness(*sides(pair, 2.0, 4.0)) <= 1
    assert joined["two groups"] == 0 and min(joined["normal"], joined["skewed"]) > 10 and joined["uniform"] > 0, joined


def test_clusters_that_are_far_or_small_are_not_said_to_be_one():
    rng = np.random.default_rng(0)
    far = Side(NEAR + rng.random(200), np.ones(200))
    near = Side(rng.random(200), np.ones(200))
    assert unevenness(far, near) == unevenness(near, far) == np.inf
    few = Side(rng.random(FEWEST_POINTS - 1), np.ones(FEWEST_POINTS - 1))
    assert unevenness(few, near) == np.inf and may_be_one(few, near) and not may_be_one(far, near)


def test_a_point_that_stands_for_several_counts_as_often():
    rng = np.random.default_rng(1)
    one, other = rng.exponential(size=100), Side(rng.exponential(size=300), np.ones(300))
    weighted = Side(one, np.full(100, 3.0))
    assert unevenness(weighted, other) == unevenness(Side(np.repeat(one, 3), np.ones(300)), other)
