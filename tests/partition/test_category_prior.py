"""The prior of categories: as fits each column as a whole."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from test_sampler_exact import check_law, fast_chain, sweeper_of

import dpviz
import examples
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError
from dpviz.families.columns.categorical import Categorical
from dpviz.families.columns.category_weights import fitted_weights
from dpviz.families.gaps import WithGaps
from dpviz.metrics import ari

KINDS = ("continuous", "categorical", "count", "categorical")


def favourites(seed: int, n_categories: int = 1_000) -> tuple[np.ndarray, np.ndarray]:
    """Four groups of 25 with a few favourites of their own among many categories, in ten columns."""
    rng, groups = np.random.default_rng(seed), np.repeat(np.arange(4), 25)
    chances = rng.dirichlet(np.full(n_categories, 5 / n_categories), (4, 10))
    X = [[rng.choice(n_categories, p=chances[k, d]) for d in range(10)] for k in groups]
    return np.array(X, dtype=np.float64), groups


def even(seed: int, n_points: int = 60, n_categories: int = 40, n_columns: int = 1) -> np.ndarray:
    """Columns that say nothing: every category is as probable."""
    return np.random.default_rng(seed).integers(0, n_categories, (n_points, n_columns)).astype(np.float64)


def skewed(seed: int, n_points: int = 200, n_categories: int = 60) -> np.ndarray:
    """One column, whose category c has a probability in proportion to 1/c."""
    p = 1 / np.arange(1.0, n_categories + 1)
    return np.random.default_rng(seed).choice(n_categories, (n_points, 1), p=p / p.sum()).astype(np.float64)


def table(seed: int = 0, gaps: bool = False) -> np.ndarray:
    """A table of KINDS in three groups: three codes of fifty, and four of four."""
    rng, groups = np.random.default_rng(seed), np.arange(60) % 3
    rare = np.array([3.0, 20.0, 49.0])[np.where(rng.random(60) < 0.8, groups, rng.integers(3, size=60))]
    X = np.column_stack([rng.normal(3 * groups), rare, rng.poisson(groups + 1), np.arange(60) % 4]).astype(float)
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X


def nll_of(trace: dpviz.Trace) -> float:
    return float(trace.nll[trace.result_sweep])


def found(X: np.ndarray, **options: object) -> dpviz.Trace:
    return dpviz.run(X, dpviz.RunConfig(family="categorical", effort=0.1, **options))  # type: ignore[arg-type]


# --- the weight -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X", [favourites(0, 100)[0], even(1), skewed(2), skewed(3, n_points=900), even(4, n_categories=12, n_points=500)]
)
def test_the_weight_makes_a_column_as_one_cluster_most_probable(X):
    n_categories = (X.max(axis=0) + 1).astype(int)
    for d, weight in enumerate(fitted_weights(X, n_categories)):
        column, lowest = X[:, d : d + 1], min(1.0, 10 / n_categories[d])
        assert lowest <= weight <= 1

        def log_marginal(w, column=column):
            return Categorical.from_prior({"alpha0": w}, column).log_marginal(column)

        others = np.geomspace(lowest, 1, 60)
        assert log_marginal(weight) >= max(map(log_marginal, others)) - 1e-9


def test_the_weights_of_these_columns_lie_at_both_ends_and_between():
    assert fitted_weights(even(1), np.array([40])) == [1.0]
    assert fitted_weights(np.zeros((30, 1)), np.array([40])) == [0.25]
    assert 0.2 < fitted_weights(skewed(3, n_points=900), np.array([60]))[0] < 0.9


@pytest.mark.parametrize("n_categories", [1, 2, 5, 10])
@pytest.mark.parametrize("gaps", [False, True])
def test_up_to_ten_categories_are_worth_a_point_each(n_categories, gaps):
    X = np.minimum(np.random.default_rng(0).geometric(0.5, (50, 3)) - 1.0, n_categories - 1)
    X[0] = n_categories - 1
    if gaps:
        X[5:20, 1] = np.nan
    assert_array_equal(Categorical.from_prior(None, X).alpha0, np.ones(n_categories))


DULL = {
    "one row": np.array([[7_000.0]]),
    "every point its own": np.arange(300.0)[:, None],
    "the largest code": np.array([[0.0], [9_999.0], [0.0]]),
    "gaps": np.array([[30.0], [np.nan], [30.0]]),
}


@pytest.mark.parametrize("name", DULL)
def test_dull_columns_have_a_prior_too(name):
    X = DULL[name]
    family = Categorical.from_prior(None, X)
    most = np.nanmax(X) + 1
    assert np.all((min(1, 10 / most) <= family.alpha0) & (family.alpha0 <= 1))
    assert np.isfinite(found(X).nll).all()
    if name == "every point its own":
        assert_array_equal(family.alpha0, 1.0)


def test_columns_of_a_table_each_have_their_own_weight():
    X = np.hstack([skewed(2), even(1, 200), skewed(5)])
    family = Categorical.from_prior(None, X)
    alone = [Categorical.from_prior(None, X[:, d : d + 1]).alpha0[0] for d in range(3)]
    assert_array_equal(family.alpha0[:, 0], alone)
    assert len(set(alone)) == 3
    known = Categorical.from_prior({"n_categories": [200, 40, 60]}, X)  # more categories than the data have
    assert known.alpha0[0, 0] < alone[0] and known.alpha0[1, 0] == 1.0


# --- weights of their own for every column ----------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [False, True])
def test_weights_may_have_a_row_per_column(gaps):
    X = np.array([[0.0, 2.0], [1.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    if gaps:
        X[1, 1] = np.nan
    rows = np.array([[0.2, 0.7, 3.0], [1.0, 0.4, 0.3]])
    model: Any = Categorical.from_prior({"n_categories": [2, 3], "alpha0": rows}, X)
    model = WithGaps.of(model) if gaps else model
    columns = [
        Categorical.from_prior({"n_categories": [n], "alpha0": rows[d, :n]}, X[~np.isnan(X[:, d]), d : d + 1])
        for d, n in enumerate((2, 3))
    ]
    cells = [X[~np.isnan(X[:, d]), d : d + 1] for d in range(2)]
    expected = sum(column.log_marginal(own) for column, own in zip(columns, cells, strict=True))
    assert model.log_marginal(X) == pytest.approx(expected, rel=1e-13)
    trace = found(X, prior={"n_categories": [2, 3], "alpha0": rows})
    assert dpviz.RunConfig.from_json(trace.config.to_json()) == trace.config


@pytest.mark.parametrize(
    ("alpha0", "message"),
    [
        (np.ones((3, 3)), r"prior\['alpha0'\] has shape \(3, 3\); for 2 features it must be \(2, 3\)"),
        (np.ones((2, 4)), r"prior\['alpha0'\] has shape \(2, 4\)"),
        (np.zeros((2, 3)), r"(?s)prior\['alpha0'\] = .* must be ≥ 1e-12"),
        (np.full((2, 3), np.nan), r"prior\['alpha0'\] holds NaN"),
        ([[1.0, 2.0], [1.0]], r"prior\['alpha0'\]"),
    ],
)
def test_rows_that_do_not_fit_are_refused(alpha0, message):
    X = np.array([[0.0, 2.0], [1.0, 0.0]])
    with pytest.raises(InvalidParameterError, match=message):
        Categorical.from_prior({"alpha0": alpha0}, X)


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [False, True])
def test_the_chain_visits_all_203_partitions_as_often_as_it_must(gaps):
    X = np.array([[0.0, 20.0], [0.0, 3.0], [1.0, 20.0], [2.0, 0.0], [11.0, 3.0], [11.0, 20.0]])
    if gaps:
        X[2, 1] = X[3, 0] = np.nan
    prior = {"n_categories": [12, 40], "alpha0": np.vstack([np.full(40, 0.9), np.full(40, 0.25)])}
    partitions = naive.set_partitions(6)
    exact = naive.Model(X, "categorical", prior, "pitman_yor").posterior(partitions)
    working = Problem.check(X, dpviz.RunConfig("gibbs", family="categorical", prior=prior)).working
    partition = examples.partition_prior("pitman_yor")
    labels = fast_chain(
        X, "categorical", "pitman_yor", 200_000, seed=1, begin=lambda start: sweeper_of(working, start, partition)
    )
    check_law(labels, exact, partitions)


# --- groups are found, and what says nothing makes none ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_groups_with_a_few_favourites_among_many_categories_are_found(seed):
    X, groups = favourites(seed)
    trace, other = found(X), found(X, prior={"alpha0": 1.0})
    assert trace.n_clusters[trace.result_sweep] == 4 and ari(groups, trace.result_labels) == 1
    assert other.n_clusters[other.result_sweep] < 4
    assert nll_of(trace) < nll_of(other) - 1_000


@pytest.mark.parametrize("seed", range(20))
def test_an_even_column_of_many_categories_changes_no_answer(seed):
    rng, groups = np.random.default_rng(seed), np.repeat(np.arange(3), 30)
    X = np.where(rng.random((90, 5)) < 0.8, groups[:, None], rng.integers(3, size=(90, 5))).astype(np.float64)
    X = np.hstack([X, even(seed, 90, 100)])
    trace, other = found(X), found(X, prior={"alpha0": 1.0})
    assert_array_equal(trace.labels, other.labels)
    few = found(X, prior={"alpha0": 10 / 100})  # as little in all, whatever the column holds
    assert nll_of(few) > nll_of(trace)


def test_only_weights_that_are_not_given_follow_the_data():
    family: Any = dpviz.RunConfig(family="categorical", prior={"alpha0": 0.3}).family_for(favourites(0)[0])
    assert np.all(family.alpha0 == 0.3)
    mixed: Any = dpviz.RunConfig(kinds=KINDS, prior={"categorical_alpha0": 0.3}).family_for(table())
    assert np.all(mixed.categorical_alpha0 == 0.3)
