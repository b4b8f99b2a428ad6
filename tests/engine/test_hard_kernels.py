"""Hard sweeps against plain numpy references, which compute every distance and know no bounds."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from other_way import print_this_way, printed_the_other_way

from dpviz.engine.kernels import seeding
from dpviz.engine.kernels.hard import HardSweeper, nearest_centres, sum_of_squares
from dpviz.engine.kernels.seeding import farthest_first_penalty, kmeans_plusplus_centres, labels_by, random_centres
from dpviz.errors import InvalidParameterError
from dpviz.numerics.stream import seeded_stream

labels_from_kmeans = partial(labels_by, "kmeans")


def naive_squared_distances(x, centres):
    squared = np.zeros(len(centres))
    for d in range(len(x)):  # feature by feature, so that every rounding is that of the definition
        squared += (centres[:, d] - x[d]) ** 2
    return squared


def naive_sweep(X, labels, centres, penalty, order, until_birth):
    """One sweep as Kulis & Jordan print it; ``penalty`` None is K-means. Returns labels, centres and counts."""
    labels, centres, n_before = labels.copy(), centres.copy(), len(centres)
    old = labels.copy()
    for i in order:
        squared = naive_squared_distances(X[i], centres)
        if penalty is not None and squared.min() > penalty:
            centres = np.vstack([centres, X[i]])
            labels[i] = len(centres) - 1
            if until_birth:
                break
        elif squared[labels[i]] > squared.min():
            labels[i] = squared.argmin()
    n_moved, n_born = int((labels != old).sum()), len(centres) - n_before
    sizes = np.bincount(labels, minlength=len(centres))
    for k in np.flatnonzero(sizes):
        members = X[labels == k]
        centres[k] = members[0] + np.cumsum(members - members[0], axis=0)[-1] / sizes[k]
    if penalty is None:
        before = np.bincount(old, minlength=len(centres))
        n_born, n_died = int(np.sum((before == 0) & (sizes > 0))), int(np.sum((before > 0) & (sizes == 0)))
    else:
        alive = np.flatnonzero(sizes)
        n_died = len(centres) - len(alive)
        centres, labels = centres[alive], np.searchsorted(alive, labels)
    return labels, centres, (n_moved, n_born, n_died)


def naive_objective(X, labels, centres):
    return math.fsum(((X - centres[labels]) ** 2).ravel())


def random_data(rng):
    """Small data of many kinds: blobs, lattices full of ties, duplicates, one point, one feature, a far-off blob."""
    kind = rng.integers(6)
    n_points, n_features = int(rng.integers(1, 60)), int(rng.integers(1, 12))
    if kind == 0:
        X = rng.normal(size=(n_points, n_features))
    elif kind == 1:
        X = rng.integers(-2, 3, size=(n_points, n_features)).astype(float)
    elif kind == 2:
        X = rng.normal(size=(5, n_features))[rng.integers(5, size=n_points)]
    elif kind == 3:
        X = rng.normal(scale=5.0, size=(4, n_features))[rng.integers(4, size=n_points)]
        X += rng.normal(size=X.shape)
    elif kind == 4:
        X = np.full((n_points, n_features), 0.1)
    else:
        X = 1e-6 * rng.normal(size=(n_points, 1)) + (rng.random((n_points, 1)) < 0.2) * 1e3
    return np.ascontiguousarray(X)


def scattered_start(X, rng):
    """Labels and centres that need not fit each other."""
    n_clusters = int(rng.choice([1, len(X), rng.integers(1, len(X) + 1)]))
    centres = X[rng.choice(len(X), n_clusters, replace=False)] + rng.choice([0.0, 0.5])
    return rng.integers(n_clusters, size=len(X)), centres


def run_of_labels(seed):
    """Return everything discrete about a few runs, for comparing two ways of executing the same lines."""
    rng = np.random.default_rng(seed)
    history = []
    for _ in range(12):
        X = random_data(rng)
        labels, centres = scattered_start(X, rng)
        penalty = rng.choice([None, float(X.var() * X.shape[1])])
        sweeper = HardSweeper(X, labels, centres, penalty)
        for _ in range(4):
            counts = sweeper.sweep(rng.permutation(len(X)), until_birth=bool(rng.random() < 0.3))
            history.append([sweeper.labels.tolist(), *map(int, counts[:3]), sweeper.objective()])
        n_clusters = int(rng.integers(1, len(X) + 1))
        history.append(labels_from_kmeans(X, n_clusters, rng).tolist())
        history.append(farthest_first_penalty(X, n_clusters))
    return history


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "dpmeans_until_birth"])
def test_every_sweep_equals_the_naive_one(seed, algorithm):
    rng = np.random.default_rng([seed, len(algorithm)])
    X = random_data(rng)
    labels, centres = scattered_start(X, rng)
    spread = X.var(axis=0).sum()
    penalty = None if algorithm == "kmeans" else float(spread * rng.choice([0.0, 0.1, 0.5, 2.0]))
    sweeper = HardSweeper(X, labels, centres, penalty)
    until_birth = algorithm == "dpmeans_until_birth"
    for _ in range(25):
        order = rng.permutation(len(X))
        labels, centres, counts = naive_sweep(X, labels, centres, penalty, order, until_birth)
        assert sweeper.sweep(order, until_birth)[:3] == counts
        assert_array_equal(sweeper.labels, labels)
        assert_array_equal(sweeper.centres, centres)
        assert_array_equal(sweeper.sizes, np.bincount(labels, minlength=len(centres)))


@pytest.mark.parametrize("penalty", [None, 30.0, 40.0])
def test_long_runs_with_working_bounds_equal_the_naive_ones(penalty):
    """Overlapping blobs take many sweeps, in most of which nearly every point is decided by its bounds alone."""
    rng = np.random.default_rng(5)
    X = rng.normal(scale=2.0, size=(12, 6))[rng.integers(12, size=400)] + rng.normal(scale=1.5, size=(400, 6))
    labels, centres = np.zeros(400, dtype=np.int64), X[:9].copy()
    sweeper = HardSweeper(X, labels, centres, penalty)
    objectives = []
    while len(objectives) < 200:
        labels, centres, counts = naive_sweep(X, labels, centres, penalty, range(400), False)
        assert sweeper.sweep()[:3] == counts
        assert_array_equal(sweeper.labels, labels)
        objectives.append(sweeper.objective())
        if counts[0] == 0:
            break
    assert 10 < len(objectives) < 200
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("until_birth", [False, True])
@pytest.mark.parametrize("held", [False, True])
def test_the_objective_never_rises_and_runs_end(seed, until_birth, held):
    rng = np.random.default_rng(seed)
    X = random_data(rng)
    labels, centres = scattered_start(X, rng)
    penalty = None if held else float(X.var(axis=0).sum() * rng.choice([0.1, 0.5, 2.0]))
    sweeper = HardSweeper(X, labels, centres, penalty)
    objective, scale = sweeper.objective(), float((X**2).sum())
    for _ in range(400):
        counts = sweeper.sweep(rng.permutation(len(X)), until_birth)
        risen = sweeper.objective() - objective
        assert risen <= 1e-13 * (scale + objective)
        objective += risen
        if counts.n_moved == 0 and counts.largest_shift == 0.0:
            break
    assert counts.n_moved == 0
    assert objective == pytest.approx(
        naive_objective(X, sweeper.labels, sweeper.centres) + (penalty or 0.0) * len(sweeper.sizes), rel=1e-12
    )


def test_a_birth_needs_a_squared_distance_beyond_the_penalty():
    X = np.array([[-3.0], [3.0]])
    assert HardSweeper(X, np.zeros(2, dtype=np.int64), penalty=9.0).sweep()[:3] == (0, 0, 0)
    # the founder leaves, the other point stays with the old centre at 0, which is nearer
    assert HardSweeper(X, np.zeros(2, dtype=np.int64), penalty=np.nextafter(9.0, 0.0)).sweep()[:3] == (2, 2, 1)


def test_penalty_zero_opens_a_cluster_for_every_distinct_point():
    """Births go far beyond the room first given to the centres."""
    X = np.repeat(np.arange(100.0), 3)[:, None] * 0.1
    sweeper = HardSweeper(X, np.zeros(300, dtype=np.int64), penalty=0.0)
    assert sweeper.sweep()[:3] == (300, 100, 1)
    assert_array_equal(sweeper.labels, np.repeat(np.arange(100), 3))
    assert sweeper.objective() == 0.0
    assert sweeper.sweep() == (0, 0, 0, 0.0)


def test_the_objective_is_exact_far_from_the_origin():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(700, 3)) + 1e7
    labels, centres = rng.integers(4, size=700), rng.normal(size=(4, 3)) + 1e7
    exact = sum((Fraction(x) - Fraction(c)) ** 2 for x, c in zip(X.flat, centres[labels].flat, strict=True))
    assert sum_of_squares(X, labels, centres) == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("seed", range(40))
def test_nearest_centres_and_the_farthest_first_penalty_equal_naive_loops(seed):
    rng = np.random.default_rng(seed)
    X = random_data(rng)
    _, centres = scattered_start(X, rng)
    expected = [naive_squared_distances(x, centres).argmin() for x in X]
    assert_array_equal(nearest_centres(X, centres), expected)
    chosen = [X.mean(axis=0)]
    for n_clusters in range(1, len(X) + 1):
        distances = [naive_squared_distances(x, np.array(chosen)).min() for x in X]
        assert farthest_first_penalty(X, n_clusters) == max(distances)
        chosen.append(X[np.argmax(distances)])


def test_kmeans_plusplus_follows_its_law():
    """K = 2 draws two candidates per further centre: the law of the pair is enumerated."""
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    squared = (X - X.T) ** 2
    law = np.zeros((4, 4))
    for first in range(4):
        weights = squared[first] / squared[first].sum()
        potential = np.minimum(squared[first], squared).sum(axis=1)
        for a, b in itertools.product(range(4), repeat=2):
            law[first, b if potential[b] < potential[a] else a] += weights[a] * weights[b] / 4
    rng = np.random.default_rng(3)
    drawn = np.zeros((4, 4))
    for _ in range(8000):
        centres = kmeans_plusplus_centres(X, 2, rng)
        drawn[tuple(np.searchsorted(X[:, 0], centres[:, 0]))] += 1 / 8000
    assert np.abs(drawn - law).sum() / 2 < 0.02


@pytest.mark.parametrize("draw", [random_centres, kmeans_plusplus_centres])
def test_centres_are_distinct_points_as_long_as_there_are_enough(draw):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(6, 2)), [40, 1, 1, 1, 1, 1], axis=0)
    X[0, 0] = X[1, 0] = 0.0
    X[1, 0] *= -1.0  # −0.0 is no further point
    for _ in range(50):
        centres = draw(X, 7, rng)
        assert len(np.unique(centres + 0.0, axis=0)) == 7
        assert draw(X, 10, rng).shape == (10, 2)
        assert len(np.unique(draw(X, 10, rng) + 0.0, axis=0)) == 7


@pytest.mark.parametrize("seed", range(150))
def test_kmeans_labels_leave_no_cluster_empty(seed):
    rng = np.random.default_rng(seed)
    X = random_data(rng)
    n_distinct = len(np.unique(X, axis=0))
    n_clusters = int(rng.integers(1, len(X) + 1))
    labels = labels_from_kmeans(X, n_clusters, rng)
    assert_array_equal(np.unique(labels), np.arange(min(n_clusters, n_distinct)))


def plainly(function):
    """Return a kernel as Python runs it, which calls what stands in place of others."""
    return getattr(function, "py_func", function)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("max_sweeps", [1, 100])
def test_clusters_that_ran_empty_are_filled(monkeypatch, seed, max_sweeps):
    """Lloyd sweeps seldom empty a cluster seeded by k-means++, so the worst of all starts is put in its place."""
    monkeypatch.setattr(seeding, "kmeans_plusplus", lambda X, n_clusters, stream: np.zeros(n_clusters, np.int64))
    monkeypatch.setattr(seeding, "MOST_SWEEPS", max_sweeps)
    rng = np.random.default_rng(seed)
    X = random_data(rng)
    n_clusters = min(int(rng.integers(1, len(X) + 1)), len(np.unique(X, axis=0)))
    labels = plainly(seeding.kmeans_labels)(X, n_clusters, seeded_stream(seed, 0))
    assert_array_equal(np.unique(labels), np.arange(n_clusters))


def test_an_empty_cluster_is_given_the_furthest_point_and_the_run_goes_on(monkeypatch):
    X = np.array([[0.0], [1.0], [2.0], [30.0], [31.0]])
    own, begin = iter([np.array([[0.0], [1e3]])]), seeding.hard_clusters
    monkeypatch.setattr(seeding, "hard_clusters", lambda X, labels, centres: begin(X, labels, next(own, centres)))
    assert plainly(seeding.kmeans_labels)(X, 2, seeded_stream(0, 0)).tolist() == [0, 0, 0, 1, 1]


def test_kmeans_labels_are_a_fixed_point_close_to_the_best_one():
    rng = np.random.default_rng(8)
    truth = rng.integers(4, size=300)
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]])[truth] + rng.normal(size=(300, 2))
    labels = labels_from_kmeans(X, 4, rng)
    assert len(set(zip(labels, truth, strict=True))) == 4
    assert HardSweeper(X, labels).sweep() == (0, 0, 0, 0.0)


def test_the_same_generator_gives_the_same_start():
    X = np.random.default_rng(0).normal(size=(80, 3))
    for draw in (random_centres, kmeans_plusplus_centres, labels_from_kmeans):
        first, second, other = (draw(X, 5, np.random.default_rng(seed)) for seed in (4, 4, 5))
        assert_array_equal(first, second)
        assert not np.array_equal(first, other)


def test_compiled_and_plain_python_agree():
    assert printed_the_other_way(__file__) == run_of_labels(17)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"labels": np.array([0, 3, 0])}, "labels"),
        ({"labels": np.array([0, -1, 0])}, "labels"),
        ({"labels": np.zeros(2, dtype=np.int64)}, "labels"),
        ({"labels": np.array([0, 2, 0]), "centres": None}, "sizes"),
        ({"centres": np.zeros((2, 3))}, "centres"),
        ({"penalty": -1.0}, "penalty"),
        ({"penalty": np.nan}, "penalty"),
        ({"X": np.zeros((3, 2), dtype=np.float32)}, "X"),
        ({"X": np.zeros((2, 3)).T}, "X"),
        ({"X": np.zeros((0, 2)), "labels": np.zeros(0, dtype=np.int64)}, "X"),
    ],
)
def test_a_start_that_makes_no_sense_is_refused(arguments, named):
    valid = {"X": np.zeros((3, 2)), "labels": np.zeros(3, dtype=np.int64), "centres": np.zeros((2, 2))}
    with pytest.raises(InvalidParameterError, match=f"^{named} = "):
        HardSweeper(**{**valid, **arguments})


@pytest.mark.parametrize("order", [np.arange(2), np.arange(1, 4), np.array([0, 1, 3]), np.arange(3.0)])
def test_an_order_that_is_no_permutation_is_refused(order):
    sweeper = HardSweeper(np.zeros((3, 2)), np.zeros(3, dtype=np.int64))
    with pytest.raises(InvalidParameterError, match="^order = "):
        sweeper.sweep(order)


@pytest.mark.parametrize("n_clusters", [0, 4])
def test_an_impossible_number_of_clusters_is_refused(n_clusters):
    rng = np.random.default_rng(0)
    for draw in (random_centres, kmeans_plusplus_centres, labels_from_kmeans):
        with pytest.raises(InvalidParameterError, match="^n_clusters = "):
            draw(np.zeros((3, 2)), n_clusters, rng)
    with pytest.raises(InvalidParameterError, match="^n_clusters = "):
        farthest_first_penalty(np.zeros((3, 2)), n_clusters)


if __name__ == "__main__":
    print_this_way(run_of_labels(17))
