"""Scores of partitions against contingency tables in plain loops and cases worked by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from dpviz import metrics
from dpviz.arrays import evenly_spaced
from dpviz.errors import InvalidDataError

SYMMETRIC = ["nmi", "nmi_max", "ami", "ari", "variation_of_information"]


def entropy(labels):
    """Entropy in nats."""
    n = len(labels)
    return -sum(count / n * math.log(count / n) for count in Counter(labels).values())


def mutual_information(left, right):
    """Sum over the cells of the contingency table, in nats."""
    n, rows, columns = len(left), Counter(left), Counter(right)
    cells = Counter(zip(left, right, strict=True))
    return sum(c / n * math.log(c * n / (rows[a] * columns[b])) for (a, b), c in cells.items())


def expected_mutual_information(left, right):
    """Mean over the hypergeometric law of every cell (Vinh et al. 2010)."""
    n, total = len(left), 0.0
    for a in Counter(left).values():
        for b in Counter(right).values():
            for c in range(max(1, a + b - n), min(a, b) + 1):
                chance = math.comb(b, c) * math.comb(n - b, a - c) / math.comb(n, a)
                total += chance * c / n * math.log(c * n / (a * b))
    return total


def rand_adjusted(left, right):
    """Loop over all pairs of points."""
    together = [(left[i] == left[j], right[i] == right[j]) for i in range(len(left)) for j in range(i + 1, len(left))]
    both = sum(a and b for a, b in together)
    in_left, in_right = sum(a for a, _ in together), sum(b for _, b in together)
    expected = in_left * in_right / len(together)
    return (both - expected) / ((in_left + in_right) / 2 - expected)


def labelings():
    rng = np.random.default_rng(5)
    for n_left, n_right, n in [(2, 2, 9), (3, 5, 40), (7, 2, 25), (4, 4, 60)]:
        left = rng.integers(n_left, size=n)
        noise = rng.random(n) < 0.4
        yield left.tolist(), np.where(noise, rng.integers(n_right, size=n), left % n_right).tolist()


@pytest.mark.parametrize("left, right", list(labelings()))
def test_scores_equal_naive_contingency_loops(left, right):
    shared, h_left, h_right = mutual_information(left, right), entropy(left), entropy(right)
    expected = expected_mutual_information(left, right)
    assert metrics.nmi(left, right) == pytest.approx(2 * shared / (h_left + h_right), abs=1e-12)
    assert metrics.nmi_max(left, right) == pytest.approx(shared / max(h_left, h_right), abs=1e-12)
    adjusted = (shared - expected) / ((h_left + h_right) / 2 - expected)
    assert metrics.ami(left, right) == pytest.approx(adjusted, abs=1e-10)
    assert metrics.ari(left, right) == pytest.approx(rand_adjusted(left, right), abs=1e-12)
    bits = (h_left + h_right - 2 * shared) / math.log(2)
    assert metrics.variation_of_information(left, right) == pytest.approx(bits, abs=1e-12)
    assert metrics.delta_k(left, right) == len(set(right)) - len(set(left))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 2000])
def test_scores_equal_those_of_scikit_learn(n):
    rng = np.random.default_rng(n)
    for n_left, n_right in [(1, 1), (1, 4), (3, 1), (2, 5), (30, 30), (n, n), (1, n)]:
        left = rng.integers(n_left, size=n)
        for right in (rng.integers(n_right, size=n), -left, np.where(rng.random(n) < 0.1, 7, left)):
            for name, average in (("nmi", "arithmetic"), ("nmi_max", "max")):
                known = normalized_mutual_info_score(left, right, average_method=average)
                assert getattr(metrics, name)(left, right) == pytest.approx(known, abs=1e-12)
            assert metrics.ari(left, right) == pytest.approx(adjusted_rand_score(left, right), abs=1e-12)


def test_equal_partitions_score_exactly_one_and_no_score_leaves_its_bounds():
    rng = np.random.default_rng(3)
    for _ in range(200):
        left, right = rng.integers(rng.integers(1, 9), size=30), rng.integers(rng.integers(1, 9), size=30)
        for score in (metrics.nmi, metrics.nmi_max, metrics.ari):
            assert score(left, 5 - left) == 1.0 and score(left, right) <= 1.0
        assert metrics.nmi(left, right) >= 0.0 and metrics.nmi_max(left, right) >= 0.0


def test_a_million_points_do_not_overflow_the_counts_of_pairs():
    left = np.arange(1_000_000) % 2
    assert metrics.ari(left, np.where(np.arange(1_000_000) < 250_000, 0, left)) == pytest.approx(
        adjusted_rand_score(left, np.where(np.arange(1_000_000) < 250_000, 0, left)), abs=1e-12
    )


def test_independent_halves_share_nothing():
    left, right = [0, 0, 1, 1], [0, 1, 0, 1]
    assert metrics.nmi(left, right) == pytest.approx(0.0, abs=1e-12)
    assert metrics.variation_of_information(left, right) == pytest.approx(2.0, abs=1e-12)  # bits, not nats


def test_delta_k_is_estimated_minus_true():
    assert metrics.delta_k(["a", "b", "c", "c"], [0, 0, 0, 0]) == -2
    assert metrics.delta_k([0, 0, 0, 0], [5, 5, -1, 9]) == 2
    assert type(metrics.delta_k([0], [0])) is int


def test_two_constant_labelings_are_equal():
    for score in ("nmi", "nmi_max", "ami", "ari"):
        assert getattr(metrics, score)([4, 4, 4], ["x", "x", "x"]) == 1.0
    assert metrics.variation_of_information([4, 4, 4], ["x", "x", "x"]) == 0.0
    assert metrics.nmi([0, 0, 0], [0, 1, 2]) == 0.0


@pytest.mark.parametrize("score", SYMMETRIC)
def test_names_of_clusters_and_order_of_arguments_do_not_matter(score):
    left = np.array([0, 0, 1, 1, 2, 2, 2])
    right = np.array([0, 1, 1, 1, 1, 2, 2])
    named = pd.Series(["red", "green", "blue"])[left]
    value = getattr(metrics, score)(left, right)
    assert getattr(metrics, score)(right, left) == pytest.approx(value, abs=1e-12)
    assert getattr(metrics, score)(named, right * 10 - 3) == pytest.approx(value, abs=1e-12)


def test_variation_of_information_obeys_the_triangle_inequality_and_is_exactly_zero_on_equal_partitions():
    rng = np.random.default_rng(1)
    distance = metrics.variation_of_information
    for _ in range(30):
        a, b, c = rng.integers(4, size=(3, 12))
        assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12
        assert distance(a, 9 - 2 * a) == 0.0


@pytest.mark.parametrize("score", [*SYMMETRIC, "delta_k"])
@pytest.mark.parametrize(
    "left, right, words",
    [
        ([0, 1], [0, 1, 1], "labels_true has 2 labels and labels_pred has 3"),
        ([], [], r"labels_true has shape \(0,\)"),
        ([0, 1], [[0, 1]], r"labels_pred has shape \(1, 2\)"),
        (3, [0], r"labels_true has shape \(\)"),
        ([0.0, math.nan], [0, 1], "labels_true has missing labels"),
        ([0, 1], ["a", math.nan], "labels_pred has missing labels"),
        ([0, 1], [None, "a"], "labels_pred has missing labels"),
        (pd.array(["a", None], dtype="string"), [0, 1], "labels_true has missing labels"),
        ([[1], [1, 2]], [0, 1], "labels_true has labels that are neither numbers nor strings"),
    ],
)
def test_unusable_labels_are_refused(score, left, right, words):
    with pytest.raises(InvalidDataError, match=words):
        getattr(metrics, score)(left, right)


def test_entropy_of_sizes_is_that_of_the_labels():
    labels = np.random.default_rng(7).integers(6, size=90)
    sizes = np.bincount(labels, minlength=9)  # clusters without points say nothing
    assert metrics.entropy(sizes) == pytest.approx(entropy(labels.tolist()), rel=1e-12)
    assert metrics.entropy([12]) == 0 and metrics.entropy([3, 3, 3]) == pytest.approx(math.log(3), rel=1e-12)


@pytest.mark.parametrize(("n_values", "most"), [(1, 5), (5, 5), (7, 100), (100, 7), (1001, 2)])
def test_evenly_spaced_positions_have_the_ends_and_steps_that_differ_by_one_at_most(n_values, most):
    positions = evenly_spaced(n_values, most)
    assert len(positions) == min(n_values, most) and (positions[0], positions[-1]) == (0, n_values - 1)
    assert np.ptp(np.diff(positions)) <= 1 if len(positions) > 1 else n_values == 1
