"""Cluster and missing cells chosen together: the kernel against a naive sweep, what it lowers, what it finds."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
import examples
from dpviz.engine.imputation import completed
from dpviz.engine.kernels.filling import FillingSweeper
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.slow_motion import slow_motion
from dpviz.errors import InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.families.filling import gaps_of, log_predictive_of_seen
from dpviz.families.imputation import log_predictive_of_cells, with_cells
from dpviz.families.verbs import rebuild
from dpviz.metrics import ari

BLOCKS = {"columns": np.array([1.0, 3.0, 1.0, 0.0]), "normal_wishart_a0": 4.5, "normal_wishart_c0": 0.3}
"""A block of two real columns about one of counts, and a real column of its own."""


log_weight = naive.partition_log_weight


def given(family, n_features):
    return BLOCKS if family == "mixed" else examples.hyperparameters(family, n_features)


def complete_table(family, n_points, n_features=4, seed=3):
    if family != "mixed":
        return FAMILIES[family].example_data(n_points, n_features, seed)
    X = FAMILIES["normal_wishart"].example_data(n_points, 4, seed)
    X[:, 1] = FAMILIES["poisson"].example_data(n_points, 1, seed)[:, 0]
    return X


def gapped(X, share, seed=0, columns=None):
    missing = np.random.default_rng(seed).random(X.shape) < share
    if columns is not None:
        missing[:, np.setdiff1d(np.arange(X.shape[1]), columns)] = False
    return np.where(missing, np.nan, X)


def table(family, n_points=40, share=0.25, n_features=4, seed=3):
    real = [0, 2, 3] if family == "mixed" else None
    return gapped(complete_table(family, n_points, n_features, seed), share, seed, real)


def config_of(family, X, **options):
    prior = given(family, X.shape[1])
    return dpviz.RunConfig("mapdp", family=family, prior=prior, missing="impute", **{"order": "index", **options})


# --- one row, one slot ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [[0], [3], [0, 2], [0, 2, 3], [0, 1, 2, 3]], ids=str)
@pytest.mark.parametrize("family", [*examples.GAUSSIAN, "mixed"])
def test_a_row_is_scored_by_its_seen_cells_and_filled_at_the_mode(family, missing):
    X = complete_table(family, 12)
    model = FAMILIES[family].from_prior(given(family, 4), X)
    working = model.working(X)
    state = working.family.bind(working.X, 3)
    rebuild(state, np.ascontiguousarray(working.X[:9]), np.zeros(9, dtype=np.int64), np.array([9]), 1, 0)
    gaps = np.zeros(4, dtype=bool)
    gaps[[d for d in missing if family != "mixed" or d != 1]] = True
    x = np.where(gaps, [3.3, 0.0, -7.0, 60.0], X[10])
    cells = gaps_of(np.ascontiguousarray(working.directions(4)), np.flatnonzero(gaps))
    score = log_predictive_of_seen(state, working.transform(x[None]), 0, 0, 9, cells) + working.log_jacobian
    posterior = model.posterior(X[:9])
    assert score == pytest.approx(log_predictive_of_cells(posterior, np.where(gaps, np.nan, x)[None])[0], abs=1e-12)
    assert_allclose((x[gaps] + cells.shifts), with_cells(posterior, x, gaps, None)[gaps], atol=1e-12)
    if gaps.all():
        assert score == pytest.approx(0.0, abs=1e-12)


# --- a sweep, and a naive one -----------------------------------------------------------------------------------------


def of_columns(family, hyperparameters, kept):
    """Hyperparameters of the law of some columns: a normal–Wishart loses a degree of freedom with each other one."""
    own = {name: np.asarray(value) for name, value in hyperparameters.items()}
    own = {name: v[np.ix_(*[kept] * v.ndim)] if v.ndim else float(v) for name, v in own.items()}
    if family == "normal_wishart":
        own["a0"] = own["a0"] - (len(kept) - np.sum(kept))
    return own


def t_after(family, X, m0=None, c0=None, a0=None, psi0=None, **other):
    """Location and scale, up to a factor, of one more point after the points X (n, D)."""
    n = len(X)
    if family == "normal_wishart":
        mean = X.mean(axis=0) if n else m0
        psi = psi0 + (X - mean).T @ (X - mean) + c0 * n / (c0 + n) * np.outer(mean - m0, mean - m0)
        return (c0 * m0 + n * mean) / (c0 + n), psi
    if family == "normal_gamma":
        return (c0 * m0 + X.sum(axis=0)) / (c0 + n), np.eye(len(m0))
    within = other["sigma_hat"] if "sigma_hat" in other else other["sigma_hat_sq"] * np.eye(len(other["mu0"]))
    between = other["sigma0"] if "sigma0" in other else other["sigma0_sq"] * np.eye(len(other["mu0"]))
    precision = np.linalg.inv(between) + n * np.linalg.inv(within)
    after = np.linalg.inv(precision)
    mean = after @ (np.linalg.solve(between, other["mu0"]) + np.linalg.solve(within, X.sum(axis=0)))
    return mean, after + within


def at_mode(family, X, x, seen, hyperparameters):
    location, scale = t_after(family, X, **hyperparameters)
    filled, gain = x.copy(), scale[np.ix_(~seen, seen)] @ np.linalg.inv(scale[np.ix_(seen, seen)])
    filled[~seen] = location[~seen] + gain @ (x[seen] - location[seen])
    return filled


def naive_sweep(X, seen, labels, family, hyperparameters, prior, first_sweep_rule=False):
    """One sweep in the order of the rows, the complete ones first; changes X in place and returns the labels after."""
    complete, blocks = seen.all(axis=1), naive.blocks_of(labels)
    labels = naive.Model(X.copy(), family, hyperparameters, prior).sweep(
        labels, np.flatnonzero(complete), first_sweep_rule=first_sweep_rule
    )
    starts = first_sweep_rule and any(not complete[i] for i in blocks[0])  # else all of it was visited
    blocks = naive.blocks_of(labels)
    first = blocks[0] if starts else None
    for i in np.flatnonzero(~complete):
        home = next(block for block in blocks if i in block)
        home.remove(i)
        others = [block for block in blocks if block]
        seats = [home, *(block for block in others if block is not home), *([set()] if home else [])]
        kept, scores = seen[i], []
        marginal, own = naive.LOG_MARGINALS[family], of_columns(family, hyperparameters, kept)
        for seat in seats:
            rest = [len(block) for block in others if block is not seat]
            size = len(seat)
            weight = log_weight(prior, [*rest, size + 1]) - log_weight(prior, [*rest, size] if size else rest)
            if seat is first:  # weighed as one point
                weight += log_weight(prior, [2, size]) - log_weight(prior, [1, size + 1])
            members = X[sorted(seat)]
            density = 0.0
            if kept.any():
                density = marginal(np.vstack([members, X[i]])[:, kept], **own) - (
                    marginal(members[:, kept], **own) if size else 0.0
                )
            scores.append(weight + density)
        seat = seats[int(np.argmax(scores))]
        X[i] = at_mode(family, X[sorted(seat)], X[i], kept, hyperparameters)
        seat.add(int(i))
        blocks = [block for block in blocks if block]
        if not any(block is seat for block in blocks):
            blocks.append(seat)
    after = np.empty(len(X), dtype=np.int64)
    for k, block in enumerate(blocks):
        after[list(block)] = k
    return after


@pytest.mark.parametrize("rule", [False, True])
@pytest.mark.parametrize("prior", ["pitman_yor", "finite_dirichlet", "powered"])
@pytest.mark.parametrize("family", examples.GAUSSIAN)
def test_sweeps_are_those_of_a_naive_reference(family, prior, rule):
    X, hyperparameters = table(family, 24, 0.3, 3), examples.hyperparameters(family, 3)
    X[5] = np.nan
    config = config_of(family, X, partition=examples.partition_prior(prior))
    problem, seen = Problem.check(X, config), ~np.isnan(X)
    labels = np.zeros(24, dtype=np.int64) if rule else np.arange(24) % 3
    clusters = FillingSweeper(problem.working, ~seen, problem.partition, labels, rule)
    filled, expected = problem.filled.copy(), problem.filled.copy()
    changed, most = 0, 1
    for sweep in range(6):
        moves = clusters.sweep(np.arange(24), np.empty(0))
        filled[~seen] += clusters.taken_shifts()
        clusters.replace_rows(np.arange(24), problem.working.transform(filled))
        after = naive_sweep(expected, seen, labels, family, hyperparameters, prior, rule and sweep == 0)
        assert_array_equal(clusters.labels, after)
        assert_allclose(filled, expected, atol=1e-8)
        nll = naive.Model(expected, family, hyperparameters, prior).nll(after)
        assert clusters.nll == pytest.approx(nll, abs=1e-6)
        labels, changed, most = after, changed + moves.n_moved, max(most, after.max() + 1)
    assert changed > 0 and (rule or most > 1)


# --- what goes down ---------------------------------------------------------------------------------------------------


def after_every_visit(X, config):
    """Fill a table, and yield for every visit the row, whether it stayed, and ln p(X, z) before and after."""
    problem, missing = Problem.check(X, config), np.isnan(X)
    order = np.arange(len(X))
    clusters = FillingSweeper(problem.working, missing, problem.partition, order % 3)
    gapped_rows = missing.any(axis=1)
    for _ in range(4):
        for i in [*order[~gapped_rows], *order[gapped_rows]]:
            own, before = clusters.labels[i], clusters.nll
            fellows = clusters.labels == own
            clusters.sweep(np.array([i]), np.empty(0))
            stayed = np.array_equal(fellows, clusters.labels == clusters.labels[i])
            yield bool(gapped_rows[i]), stayed, before, clusters.nll


@pytest.mark.parametrize("family", ["normal_wishart", "normal_known_covariance", "mixed"])
def test_only_a_row_with_gaps_that_changes_its_cluster_can_raise_the_nll(family):
    rises = {(gaps, stayed): [] for gaps in (False, True) for stayed in (False, True)}
    for seed in range(20):
        X = table(family, 30, seed=seed)
        for gaps, stayed, before, after in after_every_visit(X, config_of(family, X)):
            rises[gaps, stayed].append(after - before)
    assert min(map(len, rises.values())) > 10
    assert max(rises[False, True]) <= 1e-8 and max(rises[False, False]) <= 1e-8 and max(rises[True, True]) <= 1e-8


@pytest.mark.parametrize("family", ["normal_wishart", "normal_known_covariance", "mixed"])
def test_it_ends_where_complete_rows_seen_cells_and_modes_all_agree(family):
    X = table(family)
    trace = dpviz.run(X, config_of(family, X, init="kmeans++", init_clusters=3, seed=1))
    assert trace.converged and trace.imputed is not None
    problem, labels = completed(Problem.check(X, trace.config), trace, -1), trace.result_labels
    here = partition_nll(problem, [labels])[0]
    assert here == pytest.approx(trace.nll[-1], rel=1e-9)
    model, missing = problem.family, np.isnan(X)
    log_join, n_clusters = trace.config.partition.join_table(len(X)), labels.max() + 1
    log_open = trace.config.partition.open_table(len(X))
    for i in range(len(X)):
        fellows = labels == labels[i]
        fellows[i] = False
        scores = []
        for k in range(n_clusters):
            members = (labels == k) & (np.arange(len(X)) != i)
            if members.any():
                density = log_predictive_of_cells(model.posterior(problem.X[members]), X[[i]])[0]
                scores.append(density + log_join[members.sum()])
            else:
                scores.append(-np.inf)
        others = n_clusters - (not fellows.any())
        opens = log_predictive_of_cells(model, X[[i]])[0] + log_open[others]
        own = scores[labels[i]] if fellows.any() else opens
        assert own >= max(*scores, opens) - 1e-7
        mode = with_cells(model.posterior(problem.X[fellows]), problem.X[i], missing[i], None)
        assert_allclose(problem.X[i], mode, atol=1e-5)


# --- tables that are mostly gaps --------------------------------------------------------------------------------------


def test_a_row_without_any_cell_joins_the_largest_cluster_at_its_centre():
    X = complete_table("normal_wishart", 40)
    X[[7, 30]] = np.nan
    trace = dpviz.run(X, config_of("normal_wishart", X, init="kmeans++", init_clusters=3))
    labels, problem = trace.result_labels, completed(Problem.check(X, trace.config), trace, -1)
    largest = np.bincount(labels[~np.isnan(X).any(axis=1)]).argmax()
    assert labels[7] == labels[30] == largest
    assert_allclose(problem.X[7], problem.X[30], atol=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_a_table_without_a_complete_row_is_clustered(seed):
    rng = np.random.default_rng(seed)
    groups = np.arange(80) % 2
    X = rng.normal(size=(80, 3)) + 7.0 * groups[:, None]
    X[np.arange(80), rng.integers(3, size=80)] = np.nan
    trace = dpviz.run(X, dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, seed=seed))
    assert trace.converged and np.isfinite(trace.nll).all() and np.isfinite(trace.imputed).all()
    assert ari(groups, trace.result_labels) >= 0.9


def test_a_column_that_is_missing_in_all_rows_but_one():
    X = complete_table("normal_wishart", 30)
    X[1:, 2] = np.nan
    trace = dpviz.run(X, dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, missing="impute"))
    assert np.isfinite(trace.nll).all() and np.isfinite(trace.imputed).all()
    X[0, 2] = np.nan
    with pytest.raises(dpviz.errors.InvalidDataError, match="column 2 of X is missing"):
        dpviz.run(X, trace.config)


# --- what it finds ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_features", "share", "better"), [(4, 0.3, 0.1), (2, 0.2, 0.03)])
def test_groups_are_found_better_than_with_modes_of_the_present_cluster(n_features, share, better):
    """Of three elongated groups, over twenty draws."""
    found = {None: [], 1e9: []}  # coarsening, which so weak changes nothing but whose modes they are
    for seed in range(20):
        rng = np.random.default_rng(seed)
        centres, axes = 3 * rng.normal(size=(3, n_features)), rng.normal(size=(3, n_features))
        groups = rng.integers(3, size=90)
        X = centres[groups] + 1.5 * rng.normal(size=(90, 1)) * axes[groups] + 0.4 * rng.normal(size=(90, n_features))
        X = gapped(X, share, seed)
        for coarsening, scores in found.items():
            config = dpviz.RunConfig(
                family="normal_wishart", prior=None, n_init=2, max_sweeps=25, seed=seed, coarsening=coarsening
            )
            scores.append(ari(groups, dpviz.run(X, config).result_labels))
    assert np.mean(found[None]) > np.mean(found[1e9]) + better


# --- what follows a run -----------------------------------------------------------------------------------------------


def visited_run(events_sweep=None):
    X = table("normal_wishart", 30, n_features=2)
    config = config_of(
        "normal_wishart", X, init="single", order="shuffled", n_init=1, seed=4, events_sweep=events_sweep
    )
    return X, dpviz.run(X, config)


@pytest.mark.parametrize("sweep", [1, 2])
def test_slow_motion_shows_the_costs_that_decided_every_visit(sweep):
    X, trace = visited_run()
    shown = slow_motion(X, trace, sweep)
    assert sorted(shown.points) == list(range(len(X)))
    gaps = np.isnan(X).any(axis=1)[shown.points]
    assert gaps.any() and not np.any(np.diff(gaps.astype(int)) < 0), "complete rows come first"
    cheapest = shown.candidates[np.arange(len(X)), np.nanargmin(shown.costs, axis=1)]
    born = np.array([to not in candidates for to, candidates in zip(shown.to_labels, shown.candidates, strict=True)])
    assert_array_equal(cheapest, np.where(born, -1, shown.to_labels))
    assert np.any(shown.from_labels != shown.to_labels)
    _, again = visited_run(sweep)
    assert_array_equal(again.events, np.column_stack([shown.points, shown.from_labels, shown.to_labels]))


def test_rows_with_gaps_are_explained_by_their_seen_cells():
    X, trace = visited_run()
    problem = completed(Problem.check(X, trace.config), trace, -1)
    labels, model = trace.result_labels, problem.family
    for i in np.flatnonzero(np.isnan(X).any(axis=1)):
        explained = dpviz.explain_assignment(X, trace, -1, int(i))
        assert explained["total"].idxmin() in (labels[i], -1) and np.isfinite(explained["total"].min())
        for k in range(labels.max() + 1):
            members = (labels == k) & (np.arange(len(X)) != i)
            density = log_predictive_of_cells(model.posterior(problem.X[members]), X[[i]])[0]
            assert explained.loc[k, "neg_log_predictive"] == pytest.approx(-density, abs=1e-8)
        new = -log_predictive_of_cells(model, X[[i]])[0]
        assert explained.loc[-1, "neg_log_predictive"] == pytest.approx(new, abs=1e-8)
        assert explained["probability"].sum() == pytest.approx(1)


def test_new_points_with_gaps_join_the_clusters_that_rows_with_the_same_cells_joined():
    X = table("normal_wishart", 60, n_features=2)
    fitted = dpviz.MAPDP(family="normal_wishart", missing="impute", n_init=3, random_state=0).fit(X)
    rows = np.flatnonzero(np.isnan(X).any(axis=1))
    agree = fitted.predict(X[rows]) == fitted.labels_[rows]  # now each counts as one of the cluster itself
    assert agree.mean() >= 0.9
    assert np.isfinite(fitted.score_samples(X)).all() and np.isfinite(fitted.means_).all()


def test_a_chain_at_temperature_0_takes_the_same_modes():
    X = table("normal_wishart", 30, n_features=2)
    options = {"family": "normal_wishart", "prior": given("normal_wishart", 2), "init": "kmeans++", "init_clusters": 3}
    found = dpviz.run(X, dpviz.RunConfig("mapdp", **options, order="index", n_init=1, seed=5))
    chain = dpviz.run(
        X, dpviz.RunConfig("gibbs", **options, order="index", temperature=0, n_sweeps=found.n_sweeps, burn_in=0, seed=5)
    )
    assert_array_equal(chain.labels[-1], found.labels[-1])
    assert_allclose(chain.nll, found.nll)


# --- configurations ---------------------------------------------------------------------------------------------------


def test_modes_are_of_real_columns_only_and_it_is_said_before_the_run():
    X = complete_table("mixed", 20)
    X[3, 1] = np.nan
    with pytest.raises(InvalidParameterError, match="most probable values for real columns only, not for fam"):
        Problem.check(X, config_of("mixed", X))
