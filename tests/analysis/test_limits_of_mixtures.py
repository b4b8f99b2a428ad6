"""Signs of data that mixtures are not made for: against a naive formula, laws of sequences, and on the Data page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpviz import datasets
from dpviz.datasets import Dataset
from dpviz.datasets.limits_of_mixtures import FEWEST_ROWS, beyond_mixtures, likeness_of_neighbours
from dpviz.ui.session.chosen_data import DataChoice
from pages import page, run, said


def walk(n: int, likeness: float, seed: int) -> np.ndarray:
    """A stationary sequence whose neighbours correlate by so much, in three columns."""
    rng = np.random.default_rng(seed)
    x = np.empty((n, 3))
    x[0] = rng.normal(size=3)
    for i in range(1, n):
        x[i] = likeness * x[i - 1] + np.sqrt(1 - likeness**2) * rng.normal(size=3)
    return x


@pytest.mark.parametrize("likeness", [0.0, 0.4, 0.8])
def test_a_sequence_has_the_likeness_that_it_was_made_with(likeness):
    found = [likeness_of_neighbours(walk(2_000, likeness, seed)) for seed in range(20)]
    assert np.mean(found) == pytest.approx(likeness, abs=0.02)


def test_it_is_the_sum_of_squared_steps_against_that_about_the_mean_of_the_group():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 3)).cumsum(axis=0), rng.integers(0, 3, 60)
    X[rng.random(X.shape) < 0.05] = np.nan
    naive = []
    for column in X.T:
        x, groups = column[~np.isnan(column)], labels[~np.isnan(column)]
        x = np.array([value - x[groups == group].mean() for value, group in zip(x, groups, strict=True)])
        steps = sum((x[i] - x[i - 1]) ** 2 for i in range(1, len(x)))
        naive.append(1 - steps / (2 * sum((value - x.mean()) ** 2 for value in x)))
    assert likeness_of_neighbours(X, labels) == pytest.approx(np.median(naive))


def test_rows_in_random_order_are_never_called_alike_and_sequences_always():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        for n in (FEWEST_ROWS, 300):
            independent = Dataset(X=rng.normal(size=(n, 1 + seed % 4)), name="mine")
            assert beyond_mixtures(independent) == ()
            (said_of_it,) = beyond_mixtures(Dataset(X=walk(n, 0.95, seed), name="mine"))
            assert "Rows that follow one another" in said_of_it
    assert likeness_of_neighbours(walk(FEWEST_ROWS - 1, 0.95, 0)) == 0
    assert likeness_of_neighbours(np.ones((100, 2))) == 0


@pytest.mark.parametrize("seed", range(20))
def test_columns_that_never_change_but_for_rounding_say_nothing(seed):
    rng = np.random.default_rng(seed)
    assert likeness_of_neighbours(np.full((1_000, 1), rng.normal())) == 0
    labels = np.sort(rng.integers(0, 3, 1_000))
    level = rng.normal(size=3)[labels]
    assert likeness_of_neighbours(level[:, None], labels) == 0
    assert abs(likeness_of_neighbours(np.column_stack([level, rng.normal(size=1_000)]), labels)) < 0.2


def test_a_table_sorted_by_known_groups_is_none_of_rows_that_are_alike():
    for seed in range(20):
        data = datasets.synthesize("elliptical_separated", n=300, seed=seed)
        order = np.argsort(data.labels, kind="stable")
        ordered = datasets.from_points(data.X[order], data.labels[order])
        assert beyond_mixtures(ordered) == ()
        assert likeness_of_neighbours(ordered.X) > 0.5


def test_more_columns_than_rows_are_counted():
    X = np.random.default_rng(0).normal(size=(60, 61))
    (words,) = beyond_mixtures(Dataset(X=X, name="mine"))
    assert "more columns (61) than rows (60)" in words
    assert beyond_mixtures(Dataset(X=X[:, :60], name="mine")) == ()


def test_the_data_page_says_it():
    deaths = datasets.load("london_times_deaths")
    app = run(page("data", data=DataChoice("bundled", "london_times_deaths")))
    (words,) = beyond_mixtures(replace(deaths, labels=None))
    assert words in said(app)
    assert "Rows that follow" not in said(run(page("data", data=DataChoice("bundled", "iris"))))
