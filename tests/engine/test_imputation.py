"""Missing cells that are filled in: draws against marginal laws, modes against neighbours, and what is kept of them."""

from __future__ import annotations

import dataclasses

import naive
import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from scipy.special import logsumexp
from test_sampler_exact import partition_prior, total_variation_of_partitions

import dpviz
import examples
from dpviz.engine.imputation import FEWEST_DRAWS, completed, imputed_cells
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.families import FAMILIES
from dpviz.families.imputation import log_predictive_of_cells, with_cells
from dpviz.families.mixed import CODES
from dpviz.fit.width import choose_width

FOUR = np.array([[-1.9, -1.1], [-0.3, 0.2], [0.9, np.nan], [2.1, 0.8]])
"""Two loose groups, and one cell that is missing."""
FIVE = np.array([[-1.9, -1.1], [-0.9, np.nan], [np.nan, 0.2], [0.9, np.nan], [1.8, 0.8]])


def table(n_points=40, seed=0, n_features=2):
    X = FAMILIES["normal_wishart"].example_data(n_points, n_features, seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.15] = np.nan
    return X


def configured(family, algorithm="gibbs", **options):
    return dpviz.RunConfig(
        algorithm, family=family, prior=examples.hyperparameters(family, 2), missing="impute", **options
    )


def chain(X, family, n_sweeps, **options):
    prior = partition_prior("pitman_yor")
    config = configured(family, partition=prior, init="single", n_sweeps=n_sweeps, burn_in=50, **options)
    return dpviz.run(X, config)


# --- exactness --------------------------------------------------------------------------------------------------------


def marginal_law(family):
    """Law of the partitions of FOUR, the missing cell integrated out of the joint density of complete points."""
    given, partitions = examples.hyperparameters(family, 2), naive.set_partitions(4)
    known = {frozenset(): 0.0}

    def log_marginal(block):
        key = frozenset(block)
        if key not in known:
            X = FOUR[sorted(key)].copy()
            at = np.argwhere(np.isnan(X))

            def density(value):
                if len(at):
                    X[tuple(at[0])] = value
                return np.exp(naive.LOG_MARGINALS[family](X, **given))

            known[key] = np.log(integrate.quad(density, -np.inf, np.inf)[0] if len(at) else density(0.0))
        return known[key]

    log_joint = np.array(
        [
            naive.partition_log_weight("pitman_yor", np.bincount(labels).tolist())
            + sum(map(log_marginal, naive.blocks_of(labels)))
            for labels in partitions
        ]
    )
    return np.exp(log_joint - logsumexp(log_joint)), partitions


@pytest.mark.parametrize("split_merge", [0, 2])
@pytest.mark.parametrize("family", ["normal_wishart", "normal_known_covariance"])
def test_the_chain_of_labels_and_cells_has_the_marginal_law_of_the_partitions(family, split_merge):
    exact, partitions = marginal_law(family)
    assert exact.max() < 0.5, "the law has to be spread for the test to mean something"
    trace = chain(FOUR, family, 6000, seed=3, split_merge=split_merge)
    assert not split_merge or 0.02 < trace.acceptance_rate < 0.98
    labels = trace.draws
    assert total_variation_of_partitions(labels, exact, partitions) <= 0.04


BLOCK = {"columns": np.array([CODES["normal_wishart"]] * 2 + [CODES["poisson"]])}
BLOCK |= {f"normal_wishart_{name}": value for name, value in examples.hyperparameters("normal_wishart", 2).items()}
BLOCK |= {"poisson_alpha0": np.array([1.5]), "poisson_beta0": np.array([0.8])}
"""Two columns with a full covariance, and one of counts."""


def test_a_block_with_a_missing_cell_beside_missing_counts_has_the_law_without_them():
    """A cell of the block is integrated out of the joint density of complete points, a count is summed out."""
    X, partitions, known = np.column_stack([FOUR, [0.0, 1.0, 4.0, np.nan]]), naive.set_partitions(4), {frozenset(): 0.0}
    given = {"alpha0": BLOCK["poisson_alpha0"], "beta0": BLOCK["poisson_beta0"]}
    block = {name.removeprefix("normal_wishart_"): value for name, value in BLOCK.items() if "wishart" in name}

    def log_marginal(members):
        key = frozenset(members)
        if key not in known:
            rows = X[sorted(key)]
            gaps, counts = np.isnan(rows[:, :2]), rows[~np.isnan(rows[:, 2]), 2:]

            def density(value):
                return np.exp(naive.normal_wishart(np.where(gaps, value, rows[:, :2]), **block))

            real = integrate.quad(density, -np.inf, np.inf)[0] if gaps.any() else density(0.0)
            known[key] = np.log(real) + (naive.poisson(counts, **given) if len(counts) else 0.0)
        return known[key]

    log_joint = [
        naive.partition_log_weight("pitman_yor", np.bincount(labels).tolist())
        + sum(map(log_marginal, naive.blocks_of(labels)))
        for labels in partitions
    ]
    exact = np.exp(log_joint - logsumexp(log_joint))
    assert exact.max() < 0.5
    config = dpviz.RunConfig(
        "gibbs",
        family="mixed",
        prior=BLOCK,
        partition=partition_prior("pitman_yor"),
        init="single",
        n_sweeps=6000,
        burn_in=50,
        seed=3,
    )
    assert Problem.check(X, config).imputes
    assert total_variation_of_partitions(dpviz.run(X, config).draws, exact, partitions) <= 0.04


@pytest.mark.slow
@pytest.mark.parametrize("family", ["normal_gamma", "spherical_normal"])
def test_cells_filled_in_and_cells_left_out_have_the_same_law_of_partitions(family):
    given, partitions = examples.hyperparameters(family, 2), naive.set_partitions(5)
    exact = naive.Model(FIVE, family, given, "pitman_yor").posterior(partitions)
    labels = chain(FIVE, family, 10_000, seed=4).draws
    assert total_variation_of_partitions(labels, exact, partitions) <= 3.45 / np.sqrt(len(labels))


@pytest.mark.slow
def test_counts_and_codes_filled_in_have_the_law_of_those_left_out():
    X = FAMILIES["poisson"].example_data(5, 2, 3)
    X[[1, 2], [0, 1]] = np.nan
    partitions = naive.set_partitions(5)
    exact = naive.Model(X, "poisson", examples.hyperparameters("poisson", 2), "pitman_yor").posterior(partitions)
    labels = chain(X, "poisson", 10_000, seed=5).draws
    assert total_variation_of_partitions(labels, exact, partitions) <= 3.45 / np.sqrt(len(labels))


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma", "normal_known_covariance"])
def test_drawn_cells_follow_the_joint_density_of_the_row(family):
    given = examples.hyperparameters(family, 2)
    X = FAMILIES[family].example_data(6, 2, 3)
    posterior = FAMILIES[family].from_prior(given, X).posterior(X[:5])
    rng, x, missing = np.random.default_rng(6), np.array([0.7, 99.0]), np.array([False, True])
    drawn = np.array([with_cells(posterior, x, missing, rng) for _ in range(3000)])
    assert np.all(drawn[:, 0] == 0.7)

    def density(value):
        return np.exp(naive.LOG_MARGINALS[family](np.vstack([X[:5], [0.7, value]]), **given))

    grid = np.linspace(-15, 15, 6001)
    law = np.cumsum([density(value) for value in grid])
    assert stats.kstest(drawn[:, 1], lambda v: np.interp(v, grid, law / law[-1])).pvalue > 0.01
    mode = with_cells(posterior, x, missing, None)[1]
    assert mode == pytest.approx(grid[np.argmax(np.diff(law, prepend=0.0))], abs=0.006)
    nothing_known = with_cells(posterior, x, np.array([True, True]), None)
    assert_allclose(nothing_known, posterior.predictive().location)


def test_three_columns_of_which_two_are_missing():
    X = FAMILIES["normal_wishart"].example_data(9, 3, 3)
    posterior = FAMILIES["normal_wishart"].from_prior(examples.hyperparameters("normal_wishart", 3), X).posterior(X)
    t = posterior.predictive()
    missing, rng = np.array([True, False, True]), np.random.default_rng(8)
    drawn = np.array([with_cells(posterior, np.array([0.0, 1.2, 0.0]), missing, rng) for _ in range(4000)])[:, missing]
    gain = t.scale[np.ix_([0, 2], [1])] / t.scale[1, 1]
    location = t.location[[0, 2]] + gain[:, 0] * (1.2 - t.location[1])
    squared = (1.2 - t.location[1]) ** 2 / t.scale[1, 1]
    degrees = t.degrees_of_freedom + 1
    scale = (t.scale[np.ix_([0, 2], [0, 2])] - gain @ t.scale[np.ix_([1], [0, 2])]) * (degrees - 1 + squared) / degrees
    covariance = scale * degrees / (degrees - 2)
    errors = np.sqrt(np.diag(covariance) / len(drawn))
    assert np.all(np.abs(drawn.mean(axis=0) - location) < 4 * errors)
    assert_allclose(np.cov(drawn.T), covariance, atol=0.15 * np.sqrt(np.outer(*[np.diag(covariance)] * 2)).max())


# --- the mode ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["normal_wishart", "normal_known_covariance"])
def test_modes_of_present_clusters_never_raise_the_nll_and_end_where_neither_a_move_nor_a_cell_lowers_it(family):
    X = table()
    options = {"init": "kmeans++", "init_clusters": 3, "n_init": 2, "seed": 1, "coarsening": 1e9}
    trace = dpviz.run(X, configured(family, "mapdp", **options))
    assert trace.converged and np.all(np.diff(trace.nll)[1:] <= 1e-9)
    problem = completed(Problem.check(X, trace.config), trace, -1)
    labels = trace.result_labels
    here = partition_nll(problem, [labels])[0]
    assert here == pytest.approx(trace.nll[-1], rel=1e-9)
    moved = []
    for i in range(len(X)):
        for k in range(labels.max() + 2):
            other = labels.copy()
            other[i] = k
            moved.append(other)
    assert np.all(partition_nll(problem, moved) >= here - 1e-7)
    for m in range(0, trace.imputed.shape[1], 3):
        for step in (-0.01, 0.01):
            cells = trace.imputed[-1].copy()
            cells[m] += step
            assert partition_nll(problem_with(problem, X, cells), [labels])[0] > here


def problem_with(problem, X, cells):
    changed = X.copy()
    changed[np.isnan(X)] = cells
    return Problem(changed, problem.config)


def test_modes_narrow_a_cluster_and_draws_do_not():
    """Determinants of the filled tables' covariances, relative to the complete tables', of one correlated group."""
    by_modes, by_draws = [], []
    options = {"family": "normal_wishart", "prior": None, "partition": dpviz.FiniteDirichlet(1.0, 1), "init": "single"}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        whole = rng.normal(size=(80, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
        X = np.where(rng.random(whole.shape) < 0.2, np.nan, whole)

        def relative(cells, X=X, whole=whole):
            filled = X.copy()
            filled[np.isnan(X)] = cells
            return np.linalg.det(np.cov(filled.T)) / np.linalg.det(np.cov(whole.T))

        modes = dpviz.run(X, dpviz.RunConfig("mapdp", n_init=1, **options))
        draws = dpviz.run(X, dpviz.RunConfig("gibbs", n_sweeps=60, burn_in=20, seed=seed, **options))
        assert modes.converged
        by_modes.append(relative(modes.imputed[-1]))
        by_draws.append(np.mean([relative(cells) for cells in draws.imputed[draws.label_sweeps > 20]]))
    assert max(by_modes) < 1 and np.all(np.array(by_modes) < by_draws)
    assert abs(np.mean(by_draws) - 1) <= 3 * stats.sem(by_draws)


def test_modes_are_for_real_columns_alone():
    X = FAMILIES["poisson"].example_data(12, 2)
    X[1, 0] = np.nan
    with pytest.raises(InvalidParameterError, match="most probable values for real columns only, not for fam"):
        dpviz.run(X, configured("poisson", "mapdp"))
    assert np.isfinite(dpviz.run(X, configured("poisson", n_sweeps=5, burn_in=1)).nll).all()


# --- what is kept, and what can be asked of it ------------------------------------------------------------------------


def test_cells_are_kept_with_the_labels():
    X = table(30)
    n_missing = int(np.isnan(X).sum())
    trace = chain(X, "normal_wishart", 120, thin=5, seed=2)
    assert trace.imputed.shape == (len(trace.labels), n_missing) and np.isfinite(trace.imputed).all()
    again = dpviz.Trace.from_json(trace.to_json(), n_points=30)
    assert_array_equal(again.imputed, trace.imputed)
    assert_array_equal(chain(X, "normal_wishart", 120, thin=5, seed=2).imputed, trace.imputed)
    for row in (0, len(trace.labels) - 1):
        problem = completed(Problem.check(X, trace.config), trace, row)
        nll = partition_nll(problem, [trace.labels[row]])[0]
        assert nll == pytest.approx(trace.nll[trace.label_sweeps[row]], rel=1e-9)
    damaged = trace.to_json().replace(f'"shape":[{len(trace.labels)},{n_missing}]', f'"shape":[1,{n_missing}]')
    with pytest.raises(TraceFormatError):
        dpviz.Trace.from_json(damaged)


def test_imputed_cells_are_shown_with_their_interval():
    X = table(30)
    trace = chain(X, "normal_wishart", 150, seed=2)
    shown = dpviz.imputed_cells(X, trace)
    assert_array_equal(shown[["row", "column"]], np.argwhere(np.isnan(X)))
    kept = trace.imputed[trace.label_sweeps > 50]
    assert_allclose(shown["mean"], kept.mean(axis=0))
    assert_allclose(shown["lower"], np.quantile(kept, 0.05, axis=0))
    assert np.all(shown["lower"] < shown["upper"])
    mode = dpviz.run(X, configured("normal_wishart", "mapdp", init="single"))
    assert_array_equal(dpviz.imputed_cells(X, mode)["mean"], mode.imputed[-1])
    left_out = dpviz.run(X, dpviz.RunConfig(family="normal_gamma", init="single"))
    assert left_out.imputed is None
    with pytest.raises(InvalidParameterError, match="filled no cells"):
        dpviz.imputed_cells(X, left_out)


def test_cells_of_a_result_are_those_of_its_sweep_and_few_draws_have_no_interval():
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(4, 1, (30, 2))])
    X[rng.random(X.shape) < 0.2] = np.nan
    warm = usual_config(temperature=1.0, missing="impute", init="random", n_init=1, init_clusters=4, max_sweeps=60)
    traces = [dpviz.run(X, dataclasses.replace(warm, seed=seed)) for seed in range(5)]
    assert any(trace.result_sweep < trace.n_sweeps for trace in traces)
    for trace in traces:
        assert np.array_equal(imputed_cells(X, trace)["mean"], trace.imputed[trace.result_row])
    chain = usual_config("gibbs", missing="impute", burn_in=5)
    for n_draws in (FEWEST_DRAWS - 1, FEWEST_DRAWS):
        table = imputed_cells(X, dpviz.run(X, dataclasses.replace(chain, n_sweeps=5 + n_draws)))
        assert table[["lower", "upper"]].isna().to_numpy().all() == (n_draws < FEWEST_DRAWS)


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma", "mixed"])
def test_measurements_begin_at_the_mean_whether_or_not_they_are_whole_numbers(family):
    X = np.array([[170.0, 61], [182, np.nan], [165, 55], [np.nan, 90], [190, 84], [np.nan, 70], [175, np.nan]])
    config = dpviz.RunConfig(family=family, prior=None, missing="impute", init="single")
    for shift in (0.0, 1e-9):
        filled = Problem.check(X + shift, config).filled
        assert_allclose(filled[np.isnan(X)], np.nanmean(X, axis=0)[np.argwhere(np.isnan(X))[:, 1]])


def test_counts_and_codes_begin_at_the_mode_and_measurements_beside_them_at_the_mean():
    X = np.array([[1.0, 4, 10], [2, 4, 20], [2, 7, 60], [np.nan, np.nan, np.nan]])
    kinds = ["categorical", "count", "real"]
    config = usual_config("gibbs", "mixed", kinds=kinds, missing="impute")
    assert_array_equal(Problem.check(X, config).filled[3], [2, 4, 30])


def test_automatic_fills_in_only_where_cells_cannot_be_left_out():
    X = table(30, n_features=3)
    for family, kinds, fills in [("normal_wishart", None, True), ("normal_gamma", None, False)]:
        assert Problem.check(X, dpviz.RunConfig(family=family, kinds=kinds, prior=None)).imputes == fills
    shared = {"columns": {0: "normal_wishart", 1: "normal_wishart"}}
    for prior, fills in [(shared, True), (None, False)]:
        trace = dpviz.run(X, dpviz.RunConfig(family="mixed", prior=prior, init="single", max_sweeps=5))
        assert (trace.imputed is not None) == fills
    complete = np.nan_to_num(X)
    plain, asked = dpviz.RunConfig(init="single"), dpviz.RunConfig(init="single", missing="impute")
    assert_array_equal(dpviz.run(complete, plain).nll, dpviz.run(complete, asked).nll)


def test_explanations_and_predictions_take_the_cells_as_they_stand():
    X = table(30)
    trace = chain(X, "normal_wishart", 80, seed=2)
    point = int(np.flatnonzero(np.isnan(X).any(axis=1))[0])
    explained = dpviz.explain_assignment(X, trace, -1, point)
    whole = completed(Problem.check(X, trace.config), trace, len(trace.labels) - 1)
    start = dpviz.run(
        whole.X,
        dpviz.RunConfig(
            "gibbs",
            family="normal_wishart",
            prior=examples.hyperparameters("normal_wishart", 2),
            init=trace.labels_at(-1),
            partition=trace.config.partition,
            n_sweeps=1,
            burn_in=0,
        ),
    )
    expected = dpviz.explain_assignment(whole.X, start, 0, point)
    assert_allclose(explained["probability"], expected["probability"], rtol=1e-9)
    points = np.array([[0.3, 0.2], [5.0, -3.0]])
    for estimator, options in ((dpviz.MAPDP, {"init": "single"}), (dpviz.GibbsDP, {"n_sweeps": 20, "burn_in": 10})):
        fitted = estimator(missing="impute", random_state=0, **options).fit(X)
        assert np.isfinite(fitted.score_samples(points)).all() and len(fitted.means_) == fitted.n_clusters_
        grid = np.linspace(-60, 60, 4001)
        whole = np.exp(fitted.score_samples(np.column_stack([grid, np.full(len(grid), 0.2)]))).sum() * (
            grid[1] - grid[0]
        )
        assert np.exp(fitted.score_samples([[np.nan, 0.2]])[0]) == pytest.approx(whole, rel=2e-3)  # Student tails
        assert fitted.score_samples([[np.nan, np.nan]])[0] == pytest.approx(0, abs=1e-12)
        assert fitted.predict([[np.nan, 0.2], [0.3, 0.2]])[1] == fitted.predict([[0.3, 0.2]])[0]


@pytest.mark.parametrize("estimator", [dpviz.MAPDP, dpviz.GibbsDP])
def test_moments_of_clusters_count_the_cells_that_were_filled_in(estimator):
    """Posterior means of μ and Σ under a normal–Wishart prior, of the table as the result filled it in."""
    X = table(60)
    options = {"n_sweeps": 30, "burn_in": 10} if estimator is dpviz.GibbsDP else {}
    m0, c0, a0, psi0 = np.array([0.3, -0.5]), 0.4, 6.0, np.array([[2.0, 0.5], [0.5, 3.0]])
    prior = {"m0": m0, "c0": c0, "a0": a0, "psi0": psi0}
    fitted = estimator(family="normal_wishart", prior=prior, random_state=1, **options).fit(X)
    whole = X.copy()
    whole[np.isnan(X)] = fitted.trace_.imputed[fitted.trace_.result_row]
    assert fitted.means_.shape == (fitted.n_clusters_, 2)
    for k in range(fitted.n_clusters_):
        own = whole[fitted.labels_ == k]
        n, mean = len(own), own.mean(axis=0)
        psi = psi0 + (own - mean).T @ (own - mean) + c0 * n / (c0 + n) * np.outer(mean - m0, mean - m0)
        assert_allclose(fitted.means_[k], (c0 * m0 + n * mean) / (c0 + n), rtol=1e-9)
        assert_allclose(fitted.covariances_[k], psi / (a0 + n - 3), rtol=1e-9)


def test_points_with_gaps_under_a_shared_covariance_beside_counts():
    X = FAMILIES["mixed"].example_data(40, 3)[:, [0, 0, 2]]
    X[:, 1] += np.random.default_rng(9).normal(size=40)
    prior = {"columns": {0: "normal_wishart", 1: "normal_wishart", 2: "count"}}
    fitted = dpviz.MAPDP(family="mixed", prior=prior, init="single", n_init=1, random_state=0).fit(X)
    counts = np.arange(300.0)
    whole = fitted.score_samples(np.column_stack([np.full((300, 2), [0.3, np.nan]), counts]))
    assert logsumexp(whole) == pytest.approx(fitted.score_samples([[0.3, np.nan, np.nan]])[0], abs=1e-6)
    complete = fitted.score_samples(X[:5])
    posteriors = fitted.cluster_summaries()
    weights = np.append(fitted.weights_, 1 - fitted.weights_.sum())
    models = [summary.posterior for summary in posteriors] + [fitted._problem.family]
    readable = [np.log(w) + log_predictive_of_cells(m, X[:5]) for w, m in zip(weights, models, strict=True)]
    assert_allclose(logsumexp(readable, axis=0), complete, rtol=1e-9)


def test_what_makes_no_sense_is_refused():
    X = table(30)
    for options, message in [
        ({"temperature": 0.5}, "temperature = 0.5 must be 0 or 1 where missing cells are filled in"),
        ({"sampler": "explicit_parameters"}, "sampler = 'explicit_parameters' must be 'collapsed'"),
    ]:
        with pytest.raises(InvalidParameterError, match=message):
            dpviz.run(X, configured("normal_wishart", **options))
    with pytest.raises(InvalidParameterError, match="a partition alone has no nll"):
        partition_nll(Problem.check(X, configured("normal_wishart")), [np.zeros(30, dtype=int)])


def test_a_width_is_chosen_from_the_complete_rows():
    X = table(120)
    whole = X[~np.isnan(X).any(axis=1)]
    config = dpviz.RunConfig(family="normal_wishart")
    assert choose_width(X, config).width == choose_width(whole, config).width


def test_a_chain_that_fills_cells_in_learns_too():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2)) + 4 * (np.arange(40) % 2)[:, None]
    X[rng.random(X.shape) < 0.15] = np.nan
    config = usual_config("gibbs", n_sweeps=12, burn_in=2, hyperpriors={"concentration": "gamma(1,1)"})
    trace = dpviz.run(X, config)
    assert trace.imputed.shape == (13, np.isnan(X).sum()) and trace.learned.shape == (13, 1)
    problem = Problem.check(X, config)
    filled = X.copy()
    filled[np.isnan(X)] = trace.imputed[-1]
    held = dpviz.RunConfig(
        "gibbs",
        family="normal_wishart",
        prior=problem.with_cells(trace.imputed[-1]).config.prior_dict,
        n_sweeps=2,
        burn_in=0,
        init=trace.labels_at(12),
        partition=trace.partition_at(12),
    )
    assert dpviz.run(filled, held).nll[0] == pytest.approx(trace.nll[12], rel=1e-10)
    assert np.isfinite(problem.algorithm.fitted(problem, trace).log_density(filled[:3])).all()
