"""Missing cells that are left out, against sums and integrals over what they could have been, and enumeration."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from command_line import cli
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from split_merge_chain import engine_moves
from test_families import LABELS, Slots, check_verbs
from test_sampler_exact import check_sweeps, total_variation_of_partitions
from verbs import (
    call_add_point,
    call_log_leave_one_out,
    call_log_marginal,
    call_log_predictive,
    call_remove_point,
)

import dpviz
import examples
from dpviz._jit import COMPILED
from dpviz.datasets import tables
from dpviz.engine.kernels.collapsed_sweep import collapsed_sweep
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.families.columns.kinds import KINDS
from dpviz.families.gaps import WithGaps
from dpviz.fit.width import choose_width

PRODUCTS = examples.INDEPENDENT
every_product = pytest.mark.parametrize("family", PRODUCTS)


def complete(family, n_points, seed=0):
    return FAMILIES[family].example_data(n_points, examples.n_features(family), seed)


def table(family, n_points, seed=0, share=0.3):
    """The family's example with gaps in every column, a row of nothing, and one column that a cluster never has."""
    X = complete(family, n_points, seed)
    X[np.random.default_rng([seed, 5]).random(X.shape) < share] = np.nan
    X[0] = complete(family, n_points, seed)[0]
    X[3 % n_points] = np.nan
    return X


def hyperparameters(family):
    return examples.hyperparameters(family, examples.n_features(family))


def configured(family, **options):
    return dpviz.RunConfig(family=family, prior=hyperparameters(family), **options)


def reference(X, family, prior):
    return naive.Model(X, family, hyperparameters(family), prior)


def test_every_family_of_independent_columns_may_have_gaps():
    families = [family for kind in KINDS for family in kind.families if family.independent_columns]
    assert {family.name for family in families} == set(naive.ALONG_COLUMNS)
    for name, family in FAMILIES.items():
        X = family.example_data(12, 2)
        X[1, 0] = np.nan
        if name in PRODUCTS:
            assert np.isfinite(dpviz.run(X, dpviz.RunConfig(family=name, n_init=1, init="single")).nll).all()
            continue
        message = rf"X holds NaN in 1 of 12 rows .first: row 1, column 0.. family = '{name}' cannot leave missing cells"
        message = "row 1 lacks one of its 2 parts" if "multinomial" in name else message
        with pytest.raises(InvalidDataError, match=message):
            dpviz.run(X, dpviz.RunConfig(family=name, missing="marginalise"))


# --- the reference itself: what is left out is summed or integrated out -----------------------------------------------


@pytest.mark.parametrize("family", naive.ALONG_COLUMNS)
@pytest.mark.parametrize("d", [0, 1])
def test_leaving_a_cell_out_is_summing_or_integrating_over_what_it_could_have_been(family, d):
    X, given = complete(family, 7, seed=2), hyperparameters(family)
    gap = X.copy()
    gap[1, d] = np.nan

    def joint(value):
        X[1, d] = value
        return np.exp(naive.LOG_MARGINALS[family](X, **given))

    if FAMILIES[family].kind in examples.RANGES:
        total = examples.integral(joint, FAMILIES[family].kind, epsabs=0, epsrel=1e-9)
    else:
        values = {"categorical": 3 + d % 3 + 1, "binomial": 1 + int(given.get("trials", [0, 0])[d])}.get(family, 700)
        total = sum(joint(value) for value in range(values))
    assert np.log(total) == pytest.approx(naive.with_gaps(gap, family, given), abs=1e-6)


# --- verbs ------------------------------------------------------------------------------------------------------------


def slots_of(family, X):
    slots = Slots(Problem.check(X, configured(family)).model, X)
    return slots, slots.rebuild(LABELS)


@every_product
def test_verbs_are_joint_densities_of_the_cells_there_are(family):
    X = table(family, 12)
    check_verbs(slots_of(family, X)[0], lambda own: naive.with_gaps(X[own], family, hyperparameters(family)))


@every_product
def test_taking_points_out_and_putting_them_back_is_a_rebuild(family):
    X = table(family, 12)
    slots, sizes = slots_of(family, X)
    fresh, _ = slots_of(family, X)
    for k, n in enumerate(sizes):
        members, left = np.flatnonzero(LABELS == k), n
        for i in members[:-1]:
            assert call_remove_point(slots.state, slots.X, i, k, left)
            left -= 1
        alone = call_log_predictive(slots.state, slots.X, 0, k, left)
        known = reference(X, family, "chinese_restaurant")
        exact = known.log_marginal({0, int(members[-1])}) - known.log_marginal({int(members[-1])})
        assert members[-1] == 0 or alone == pytest.approx(exact, abs=1e-8)
        for i in members[:-1]:
            call_add_point(slots.state, slots.X, i, k, left)
            left += 1
        for name, array in fresh.slot(k).items():
            if name != "rest" or family == "normal_gamma":
                assert_allclose(slots.slot(k)[name], array, rtol=1e-8, atol=1e-9, err_msg=name)


@every_product
def test_a_table_without_gaps_is_the_family_itself(family):
    """Two implementations: statistics by cluster, and by cluster and column."""
    X = complete(family, 12)
    problem = Problem.check(X, configured(family))
    own, apart = Slots(problem.family, X), Slots(WithGaps.of(problem.family), X)
    sizes = own.rebuild(LABELS)
    apart.rebuild(LABELS)
    for k, n in enumerate(sizes):
        ours = call_log_marginal(own.state, k, n) + n * own.log_jacobian
        assert call_log_marginal(apart.state, k, n) == pytest.approx(ours, abs=1e-9)
        for i in range(12):
            verb = call_log_leave_one_out if LABELS[i] == k else call_log_predictive
            if n > 1 or LABELS[i] != k:
                ours = verb(own.state, own.X, i, k, n) + own.log_jacobian
                assert verb(apart.state, apart.X, i, k, n) == pytest.approx(ours, abs=1e-9)


@every_product
def test_the_readable_side_says_the_same(family):
    X = table(family, 12)
    model, given = Problem.check(X, configured(family)).model, hyperparameters(family)
    assert model.log_marginal(X) == pytest.approx(naive.with_gaps(X, family, given), abs=1e-9)
    posterior = model.posterior(X[:8])
    for x in X[8:]:
        exact = naive.with_gaps(np.vstack([X[:8], x]), family, given) - naive.with_gaps(X[:8], family, given)
        assert posterior.log_predictive(x[None])[0] == pytest.approx(exact, abs=1e-9)
        formula = posterior.formula(x)
        assert formula.value == pytest.approx(-exact, abs=1e-9)
        assert np.all(formula.columns["−ln f"][np.isnan(x)] == 0)
    drawn = posterior.draw(np.random.default_rng(0))
    points = drawn.sample(5, np.random.default_rng(1))
    assert np.isfinite(points).all() and np.isfinite(drawn.log_density(X)).all()
    assert drawn.log_density(np.full((1, X.shape[1]), np.nan))[0] == 0


# --- sweeps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "prior", "temperature"), examples.every_pair_with(0.0, 1.0, families=PRODUCTS))
def test_sweeps_equal_the_naive_ones_number_by_number(family, prior, temperature):
    X = table(family, 14, seed=3)
    check_sweeps(X, reference(X, family, prior), family, prior, temperature)


def test_splits_and_merges_leave_out_what_is_missing():
    X, partitions = table("normal_gamma", 4, seed=1), naive.set_partitions(4)
    exact = reference(X, "normal_gamma", "pitman_yor").posterior(partitions)
    assert exact.max() < 0.6, "the posterior has to be spread for the test to mean something"
    config = configured("normal_gamma", algorithm="gibbs", partition=examples.partition_prior("pitman_yor"))
    labels = engine_moves(Problem.check(X, config), 20_000, seed=2)
    assert total_variation_of_partitions(labels, exact, partitions) <= 0.02


@pytest.mark.parametrize("sampler", ["collapsed", "explicit_parameters", "explicit_weights"])
def test_every_sampler_has_the_law_of_the_enumeration(sampler):
    X, partitions = table("mixed", 4, seed=1), naive.set_partitions(4)
    partition = examples.partition_prior("finite_dirichlet")
    exact = reference(X, "mixed", "finite_dirichlet").posterior(partitions)
    config = configured(
        "mixed", algorithm="gibbs", partition=partition, sampler=sampler, init="single", n_sweeps=4000, seed=2
    )
    labels = dpviz.run(X, config).draws
    assert total_variation_of_partitions(labels, exact, partitions) <= 0.05


@pytest.mark.parametrize("init", ["auto", "single", "kmeans++", "sequential", "singletons", "random"])
def test_mapdp_ends_where_no_single_move_lowers_the_nll(init):
    X = table("mixed", 40, seed=2)
    trace = dpviz.run(X, configured("mixed", init=init, n_init=4, seed=1))
    labels = trace.result_labels.astype(int)
    assert trace.converged
    known, prior = reference(X, "mixed", "chinese_restaurant"), dpviz.ChineseRestaurant(3.0)

    def log_joint(labels):
        return prior.log_probability(np.bincount(labels)) + sum(map(known.log_marginal, naive.blocks_of(labels)))

    assert trace.nll[-1] == pytest.approx(-log_joint(labels), rel=1e-10)
    for i in range(40):
        for k in range(labels.max() + 2):
            moved = labels.copy()
            moved[i] = k
            assert log_joint(np.unique(moved, return_inverse=True)[1]) <= log_joint(labels) + 1e-8


def test_nothing_is_compiled_anew_for_another_table_with_gaps():
    def compiled():
        return len(collapsed_sweep.signatures) if COMPILED else 0

    dpviz.run(table("mixed", 20), configured("mixed", n_init=1))
    before = compiled()
    for family in PRODUCTS:
        dpviz.run(table(family, 20), configured(family, n_init=2))
    assert compiled() == before


# --- what is read from a run ------------------------------------------------------------------------------------------


@every_product
def test_explanations_and_scores_are_those_of_the_joint_density(family):
    X = table(family, 12)
    prior = dpviz.PitmanYor(0.7, 0.3)
    trace = dpviz.run(X, configured(family, algorithm="gibbs", partition=prior, init=LABELS, n_sweeps=2, burn_in=0))

    def log_joint(labels):
        values, sizes = np.unique(labels, return_counts=True)
        given = hyperparameters(family)
        return prior.log_probability(sizes) + sum(naive.with_gaps(X[labels == k], family, given) for k in values)

    assert trace.nll[0] == pytest.approx(-log_joint(LABELS), abs=1e-8)
    for point in (0, 3, 7):
        explained = dpviz.explain_assignment(X, trace, 0, point)
        moved = []
        for label in range(LABELS.max() + 2):
            labels = LABELS.copy()
            labels[point] = label
            moved.append(log_joint(labels))
        if np.sum(LABELS == LABELS[point]) == 1:
            moved[LABELS[point]] = -np.inf
        moved = np.array(moved)
        assert_allclose(explained["probability"], np.exp(moved - logsumexp(moved)), atol=1e-9)
    others = [np.zeros(12, dtype=int), np.arange(12) % 3]
    found = partition_nll(Problem.check(X, trace.config), others)
    assert found == pytest.approx([-log_joint(labels) for labels in others], abs=1e-8)


def test_a_row_without_cells_goes_where_the_prior_alone_sends_it():
    X = np.vstack([complete("normal_gamma", 20), np.full((1, 2), np.nan)])
    labels = np.append(np.repeat([0, 1], [5, 15]), 0)
    trace = dpviz.run(X, dpviz.RunConfig("gibbs", family="normal_gamma", init=labels, n_sweeps=2, burn_in=0))
    explained = dpviz.explain_assignment(X, trace, 0, 20)
    assert_array_equal(explained["neg_log_predictive"], 0)
    assert_allclose(explained["probability"], np.array([5, 15, 3]) / 23, rtol=1e-12)


@pytest.mark.parametrize("trained_on", ["gaps", "complete rows"])
def test_new_points_with_gaps_have_the_density_that_is_left_of_whole_ones(trained_on):
    """Summed over the second column, a count, what is left is the density of the first."""
    X = FAMILIES["mixed"].example_data(40, 3)[:, [0, 2]]
    if trained_on == "gaps":
        X[::5, 0], X[::7, 1] = np.nan, np.nan
    fitted = dpviz.MAPDP(family="mixed", kinds=["real", "count"], random_state=0).fit(X)
    points = np.array([[0.3, np.nan], [-2.0, np.nan]])
    counts = np.arange(300.0)
    for point, left in zip(points, fitted.score_samples(points), strict=True):
        whole = fitted.score_samples(np.column_stack([np.full(300, point[0]), counts]))
        assert logsumexp(whole) == pytest.approx(left, abs=1e-6)
    nothing = np.full((1, 2), np.nan)
    assert fitted.score_samples(nothing)[0] == pytest.approx(0, abs=1e-12)
    assert_allclose(fitted.predict_proba(nothing)[0, :-1], fitted.weights_, rtol=1e-12)
    assert_allclose(fitted.predict_proba(points).sum(axis=1), 1, rtol=1e-12)
    assert_array_equal(
        fitted.predict(points),
        [-1 if row.argmax() == fitted.n_clusters_ else row.argmax() for row in fitted.predict_proba(points)],
    )


def test_complete_rows_are_predicted_as_ever_and_gaps_do_not_change_them():
    X = complete("poisson", 40)
    fitted = dpviz.MAPDP(family="poisson", n_init=2, random_state=0).fit(X)
    alone = fitted.score_samples(X)
    together = fitted.score_samples(np.vstack([X, [[np.nan, 1.0]]]))
    assert_allclose(together[:-1], alone, rtol=1e-12)


def test_seeds_stand_at_the_means_of_the_columns():
    X = np.array([[1.0, np.nan], [3.0, 5.0], [np.nan, 7.0]])
    problem = Problem.check(X, dpviz.RunConfig(family="normal_gamma", prior=None))
    assert_allclose(problem.coordinates, [[1, 6], [3, 5], [2, 7]])
    mixed = Problem.check(X, dpviz.RunConfig(family="mixed", kinds=["real", "categorical"], prior=None))
    one_hot = np.sqrt(0.5) * np.array([[0.5, 0.5], [1, 0], [0, 1]])
    assert_allclose(mixed.coordinates, np.column_stack([[1, 3, 2], one_hot]))


@every_product
def test_defaults_are_those_of_the_cells_there_are(family):
    X = table(family, 30, seed=6)
    prior = {"columns": hyperparameters("mixed")["columns"]} if family == "mixed" else None
    model = Problem.check(X, dpviz.RunConfig(family=family, prior=prior)).model
    for d, column in enumerate(model.columns):
        cells = X[~np.isnan(X[:, d]), d, None]
        alone = type(column).default_prior(cells)
        for name in ("m0", "b0", "mu0", "trials", "n_categories"):
            if name in alone:
                assert_allclose(getattr(column, name), alone[name], rtol=1e-12)


# --- bad input --------------------------------------------------------------------------------------------------------


def spoiled(*places):
    X = complete("normal_gamma", 20)
    for place, value in places:
        X[place] = value
    return X


@pytest.mark.parametrize(
    ("X", "algorithm", "message"),
    [
        (
            spoiled(((3, 1), np.nan), ((5, 0), np.nan)),
            "kmeans",
            r"X holds NaN in 2 of 20 rows .first: row 3, column 1.*"
            "drop or fill those rows; MAP-DP and Gibbs leave missing cells .NaN. out",
        ),
        (spoiled(((3, 1), np.nan)), "dpmeans", "X holds NaN in 1 of 20 rows"),
        (spoiled(((3, 1), np.nan)), "em", "X holds NaN in 1 of 20 rows"),
        (spoiled(((4, 0), np.inf)), "mapdp", r"X holds infinity in 1 of 20 rows .first: row 4, column 0.; drop or"),
        (spoiled(((4, 0), np.inf), ((2, 1), np.nan)), "mapdp", "X holds NaN and infinity in 2 of 20 rows"),
        (spoiled((np.s_[:, 1], np.nan)), "mapdp", r"column 1 of X is missing .NaN. in all 20 rows; leave it out"),
        (np.full((4, 2), np.nan), "gibbs", "column 0 of X is missing"),
    ],
)
def test_what_cannot_be_left_out_is_said(X, algorithm, message):
    with pytest.raises(InvalidDataError, match=message):
        dpviz.run(X, dpviz.RunConfig(algorithm, family="normal_gamma"))


def test_values_beside_gaps_are_still_checked():
    X = complete("poisson", 20)
    X[2, 0], X[5, 1] = np.nan, -1.0
    with pytest.raises(InvalidDataError, match="column 1 of X holds -1 in row 5"):
        dpviz.run(X, dpviz.RunConfig(family="poisson"))
    X[5, 1] = 1.0
    fitted = dpviz.MAPDP(family="poisson", n_init=1).fit(X)
    with pytest.raises(InvalidDataError, match="column 1 of X holds 0.5 in row 1"):
        fitted.predict([[np.nan, 1.0], [np.nan, 0.5]])
    with pytest.raises(InvalidDataError, match="column 2 of X holds 9 .*Raise prior..n_categories"):
        codes = np.array([[0, 1, 2], [1, 0, np.nan], [0, 0, 1.0]])
        dpviz.MAPDP(family="categorical", n_init=1).fit(codes).predict([[np.nan, 0, 9.0]])


def test_options_that_say_what_to_do_about_gaps():
    X = table("normal_gamma", 20)
    config = configured("normal_gamma", init="single")
    runs = [dpviz.run(X, config), dpviz.run(X, configured("normal_gamma", init="single", missing="marginalise"))]
    assert_array_equal(runs[0].nll, runs[1].nll)
    with pytest.raises(InvalidParameterError, match="missing = 'guess' must be one of auto, marginalise, impute"):
        dpviz.RunConfig(missing="guess")


@pytest.mark.parametrize("estimator", [dpviz.MAPDP, dpviz.GibbsDP])
def test_estimators_take_gaps(estimator):
    X = table("mixed", 30)
    options = {"n_sweeps": 20, "burn_in": 10} if estimator is dpviz.GibbsDP else {}
    fitted = estimator(family="mixed", prior=hyperparameters("mixed"), missing="marginalise", random_state=1, **options)
    fitted.fit(X)
    assert fitted.trace_.config.missing == "marginalise"
    assert np.isfinite(fitted.score(X))
    assert len(fitted.cluster_summaries()) == fitted.n_clusters_
    with pytest.raises(ValueError, match="infinity"):
        fitted.fit(np.where(np.isnan(X), np.inf, X))
    with pytest.raises(AttributeError, match="means_ exists for Gaussian families"):
        fitted.means_  # noqa: B018


@pytest.mark.parametrize("estimator", [dpviz.MAPDP, dpviz.GibbsDP])
def test_moments_of_clusters_count_the_cells_there_are(estimator):
    """Posterior means of μ and σ² of every column under a normal–gamma prior, and of μ under a known variance."""
    X = table("normal_gamma", 60)
    options = {"n_sweeps": 20, "burn_in": 10} if estimator is dpviz.GibbsDP else {}
    m0, c0, a0, b0 = np.array([0.3, -0.5]), 0.4, 3.0, np.array([0.2, 0.3])
    prior = {"m0": m0, "c0": c0, "a0": a0, "b0": b0}
    fitted = estimator(family="normal_gamma", prior=prior, partition=None, random_state=1, **options)
    fitted.fit(X)
    assert fitted.n_clusters_ > 1 and fitted.means_.shape == (fitted.n_clusters_, 2)
    for k in range(fitted.n_clusters_):
        for d in range(2):
            cells = X[fitted.labels_ == k, d]
            cells = cells[~np.isnan(cells)]
            n, mean = len(cells), cells.mean() if len(cells) else 0.0
            b = b0[d] + ((cells - mean) ** 2).sum() / 2 + c0 * n * (mean - m0[d]) ** 2 / (2 * (c0 + n))
            assert fitted.means_[k, d] == pytest.approx((c0 * m0[d] + n * mean) / (c0 + n), rel=1e-9)
            assert fitted.covariances_[k, d, d] == pytest.approx(b / (a0 + n / 2 - 1), rel=1e-9)
    assert np.all(fitted.covariances_[:, 0, 1] == 0)
    known = estimator(
        family="spherical_normal", prior={"mu0": m0, "sigma0_sq": 4.0, "sigma_hat_sq": 0.5}, random_state=1, **options
    ).fit(X)
    own = X[known.labels_ == 0, 1]
    n = np.isfinite(own).sum()
    assert known.means_[0, 1] == pytest.approx((m0[1] / 4 + np.nansum(own) / 0.5) / (1 / 4 + n / 0.5), rel=1e-9)
    assert_array_equal(known.covariances_[0], np.eye(2) * 0.5)


def test_other_estimators_say_that_they_need_complete_rows():
    for estimator in (dpviz.KMeans(2), dpviz.DPMeans(), dpviz.GaussianEM(2)):
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(table("normal_gamma", 20))


def test_a_width_is_chosen_from_the_cells_there_are():
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(scale=30, size=(12, 2)), 15, axis=0) + rng.normal(scale=0.3, size=(180, 2))
    X[rng.random(X.shape) < 0.1] = np.nan
    choice = choose_width(X, dpviz.RunConfig(family="normal_gamma"))
    assert choice.width < 0.2
    spiked = X.copy()
    spiked[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, 5.0)
    choice = choose_width(spiked, dpviz.RunConfig(family="normal_gamma"), ("a", "b"))
    assert choice.notes == ("Column “b” takes 1 value; leave it out.",) or choice.width == 1


def test_bundled_tables_keep_their_rows_if_asked_to():
    known = dpviz.datasets.load("dermatology")
    data = dpviz.datasets.load("dermatology", gaps=True)
    assert data.n_points == 366 and known.n_points == 358 and np.isnan(data.X).sum() == 8
    assert_array_equal(data.X[~data.incomplete], known.X)
    assert_array_equal(data.labels[~data.incomplete], known.labels)
    assert data.notes[-1] == "8 missing cells in 8 of 366 rows, which are kept."
    votes = dpviz.datasets.load("house_votes_84", gaps=True)
    assert votes.n_points == 435 and set(np.unique(votes.X[~np.isnan(votes.X)])) == {0.0, 1.0}
    whole = dpviz.datasets.load("iris", gaps=True)
    assert whole.notes == dpviz.datasets.load("iris").notes


def test_files_keep_their_rows_if_asked_to():
    text = "a,b,c\n" + "\n".join(f"{i},{'' if i % 2 else i * i},{'xy'[i % 2] if i % 3 else ''}" for i in range(30))
    read = tables.read_table(text.encode(), "t.csv")
    data = tables.to_dataset(read, gaps=True, features=["a", "b", "c"])
    assert data.n_points == 30 and data.incomplete.sum() == 20
    assert np.isnan(data.X).sum(axis=0).tolist() == [0, 15, 10]
    assert data.notes[-1] == "25 missing cells in 20 of 30 rows, which are kept."
    assert tables.to_dataset(read, features=["a", "b", "c"]).n_points == 10
    alone = tables.to_dataset(read, gaps=True, features=["b", "c"])
    assert alone.n_points == 25 and not np.isnan(alone.X).all(axis=1).any()
    assert "5 rows without a value in any clustered column are left out of 30." in alone.notes
    assert alone.notes[-1] == "15 missing cells in 15 of 25 rows, which are kept."
    assert len(alone.rows) == 25 and alone.frame is read.frame
    text = "u,v\n" + "\n".join(f"{i * i / 7:.3f},{'' if i % 2 else i**3 / 9:}" for i in range(30))
    half_empty = tables.read_table(text.encode(), "t.csv")
    assert tables.to_dataset(half_empty, gaps=True).feature_names == ("u", "v")
    assert tables.to_dataset(half_empty).feature_names == ("u",)
    with pytest.raises(InvalidDataError, match="column 0 of X .* has no values at all"):
        dpviz.datasets.Dataset(X=[[np.nan, 1.0]], name="x", gaps=True)


@pytest.mark.parametrize("method", ["standardise", "robust"])
def test_scaling_leaves_gaps_where_they_are(method):
    X = table("normal_gamma", 40)
    scaled = dpviz.datasets.scale(X, method)
    assert_array_equal(np.isnan(scaled.X), np.isnan(X))
    for d in range(2):
        cells = ~np.isnan(X[:, d])
        assert_allclose(scaled.X[cells, d], dpviz.datasets.scale(X[cells, d, None], method).X[:, 0])


def test_the_command_line_keeps_rows_with_gaps_if_told_what_to_do_about_them(capsys):
    assert cli("run dermatology --missing auto --family mixed --init single --quiet") == 0
    said = capsys.readouterr().out
    assert "366 points" in said and "8 missing cells in 8 of 366 rows, which are kept" in said
    assert "nats of the table without its missing cells" in said
    assert cli("run dermatology --family mixed --init single --quiet") == 0
    assert "358 points" in capsys.readouterr().out
    assert cli("run dermatology --missing auto --algorithm kmeans --quiet") == 1
    assert "X holds NaN in 8 of 366 rows (first: row 33, column 33)" in capsys.readouterr().err
    assert cli("run dermatology --missing marginalise --init single --n-init 1 --quiet") == 0
    assert '"family":"mixed"' in capsys.readouterr().out


def test_a_column_that_a_sample_of_the_rows_has_no_cell_of_is_no_error():
    X = complete("normal_gamma", 12)
    X[:11, 1] = np.nan
    problem = Problem.check(X, configured("normal_gamma"))
    part = Problem(X[:11], problem.config)
    assert np.isfinite(part.working.family.log_marginal(part.working.X))
    assert np.isfinite(partition_nll(part, [np.zeros(11, dtype=int)])).all()
