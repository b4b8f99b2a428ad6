"""Mixed tables adapt: the width and the covariance of the real columns, chosen by nll beside columns of other kinds."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from test_sampler_exact import check_law, fast_chain, sweeper_of

import dpviz
import examples
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import IllConditionedError, InvalidParameterError
from dpviz.families import FAMILIES, Mixed
from dpviz.families.automatic import candidates
from dpviz.families.mixed import CODES
from dpviz.fit import width
from dpviz.fit.automatic import resolve
from dpviz.fit.family import possible_models
from dpviz.fit.width import WIDTHS, choose_width, has_width, runs_off
from dpviz.fit.words import words_for
from dpviz.metrics import ari
from dpviz.ui.stage.plan import family_in_words

FULL, DIAGONAL, YES_NO, CATEGORIES = (
    CODES[name] for name in ("normal_wishart", "normal_gamma", "binomial", "categorical")
)
COIN = ["real"] * 8 + ["binary"]
BLOCK = {"columns": [FULL, YES_NO, FULL, CATEGORIES, FULL], "width": 0.5}
"""Three real columns of full covariance beside a yes/no column and one of categories."""


def beside_others(n_points: int, seed: int = 0) -> np.ndarray:
    """Columns for :data:`BLOCK`, loosely in two groups."""
    rng = np.random.default_rng(seed)
    group = np.arange(n_points) % 2
    real = rng.normal(size=(n_points, 3)) @ np.array([[1, 0.8, 0], [0, 0.5, 0.4], [0, 0, 1]]) + group[:, None]
    yes = rng.random(n_points) < 0.3 + 0.4 * group
    X = np.column_stack([real[:, 0], yes, real[:, 1], rng.integers(0, 3, n_points), real[:, 2]])
    X[:2, 1], X[:3, 3] = [0, 1], [0, 1, 2]  # every value is there, whatever the seed
    return X


def coin_table(seed: int, n_each: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Two separated groups in eight correlated columns, and a coin toss."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], n_each)
    centres = np.array([-2.0, 2.0])[labels, None] * rng.choice([-1, 1], 8)
    real = rng.normal(size=(len(labels), 8)) @ rng.normal(size=(8, 8)) + centres
    return np.column_stack([real, rng.integers(0, 2, len(labels))]), labels


def lumps(seed: int, n_lumps: int = 20, n_each: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Separated circles on a square of side 30."""
    rng = np.random.default_rng(seed)
    centres: list[np.ndarray] = []
    while len(centres) < n_lumps:
        candidate = rng.uniform(0, 30, 2)
        if all(np.hypot(*(candidate - centre)) > 3.6 for centre in centres):
            centres.append(candidate)
    labels = np.repeat(np.arange(n_lumps), n_each)
    return np.array(centres)[labels] + 0.6 * rng.normal(size=(len(labels), 2)), labels


def hyperparameters(X: np.ndarray, prior: dict) -> dict:
    family = Mixed.from_prior(prior, X)
    return {parameter.name: getattr(family, parameter.name) for parameter in family.hyperparameters}


# --- the width --------------------------------------------------------------------------------------------------------


def test_a_width_scales_the_priors_of_real_columns_and_of_logarithms_and_nothing_else():
    X = Mixed.example_data(40, examples.EVERY_BLOCK)
    columns = Mixed.example_prior(examples.EVERY_BLOCK)["columns"]
    usual, narrow = (hyperparameters(X, {"columns": columns, **width}) for width in ({}, {"width": 0.25}))
    changed = {name for name in usual if not np.array_equal(usual[name], narrow[name])}
    assert (
        changed
        == set(Mixed.scaled_by_width) - {"counted_multinomial_total_dispersion"}  # of parts that stand in no example
        == {
            "normal_gamma_b0",
            "normal_gamma_c0",
            "normal_wishart_psi0",
            "normal_wishart_c0",
            "hurdle_b0",
            "hurdle_c0",
            "share_b0",
            "share_c0",
        }
    )
    for name in changed:
        assert_allclose(narrow[name], 0.25 * np.asarray(usual[name]), rtol=1e-15)
    real = X[:, columns == FULL]
    alone = FAMILIES["normal_wishart"].from_prior({"width": 0.25}, real)
    assert_array_equal(narrow["normal_wishart_psi0"], alone.psi0)


def test_the_given_stays_beside_a_width():
    X = beside_others(30)
    given = hyperparameters(X, {**BLOCK, "normal_wishart_c0": 0.7})
    assert given["normal_wishart_c0"] == 0.7
    assert_array_equal(given["normal_wishart_psi0"], hyperparameters(X, BLOCK)["normal_wishart_psi0"])


@pytest.mark.parametrize("kinds", [["binary", "categorical", "count"], ["positive", "count"]])
def test_without_real_columns_there_is_no_width(kinds):
    config = dpviz.RunConfig(kinds=kinds)
    assert (config.family, config.prior) == ("mixed", None) and not has_width(config)
    X = np.abs(np.random.default_rng(0).integers(1, 3, (30, len(kinds)))).astype(float)
    if "binary" in kinds:
        X[:, 0] -= 1
    columns = Mixed.prior_of_kinds(kinds)
    with pytest.raises(InvalidParameterError, match=r"prior\['width'\] = 0.5 must be left out: it scales real columns"):
        dpviz.run(X, dpviz.RunConfig(family="mixed", prior={**columns, "width": 0.5}))
    with pytest.raises(InvalidParameterError, match="prior has width, and no family for columns that are"):
        candidates(["binary", "categorical", "count"], {"width"})


@pytest.mark.parametrize("share", [0.0, 9.0, np.nan, [0.5, 0.5]])
def test_a_width_out_of_range_is_refused(share):
    with pytest.raises(InvalidParameterError, match=r"prior\['width'\] = .* must be a number > 0 and <= 8"):
        Mixed.from_prior({**BLOCK, "width": share}, beside_others(30))


def test_a_block_and_a_width_survive_links_and_stored_configurations():
    for config in (
        dpviz.RunConfig(family="mixed", prior=BLOCK),
        dpviz.RunConfig(kinds=COIN),
        dpviz.RunConfig(kinds=COIN, prior={"width": 0.5}),
        dpviz.RunConfig(kinds=COIN, prior=None),
    ):
        assert dpviz.RunConfig.from_json(config.to_json()) == config
        assert dpviz.RunConfig.from_query(config.to_query()) == config
    assert dpviz.RunConfig(kinds=COIN).is_automatic and not dpviz.RunConfig(kinds=COIN, prior=None).is_automatic


def test_searches_of_other_options_share_a_model_and_of_another_prior_do_not():
    X = np.random.default_rng(0).poisson(30, size=(20, 2)).astype(float)
    problem = Problem.check(X, dpviz.RunConfig(family="poisson", prior=None))
    assert problem.under(replace(problem.config, seed=3)).model is problem.model
    other = problem.under(replace(problem.config, prior={"alpha0": 5.0}))
    assert_allclose(other.family.alpha0, 5.0)
    assert_allclose(problem.family.alpha0, 2.0)


# --- exactness --------------------------------------------------------------------------------------------------------


def test_a_block_of_one_column_is_that_column_alone():
    X = beside_others(40)[:, [0, 1]]
    labels = np.arange(40) % 3
    nll = []
    for family in ("normal_wishart", "normal_gamma"):
        config = dpviz.RunConfig(family="mixed", prior={"columns": [family, "binary"], "width": 0.25})
        nll.append(partition_nll(Problem.check(X, config), [labels])[0])
    assert nll[0] == pytest.approx(nll[1], rel=1e-12)


def test_the_marginal_of_a_block_is_that_of_its_columns_plus_the_others():
    X = beside_others(25)
    family = Mixed.from_prior(BLOCK, X)
    real = FAMILIES["normal_wishart"].from_prior({"width": 0.5}, X[:, [0, 2, 4]])
    yes, n = X[:, 1].sum(), len(X)
    own = hyperparameters(X, BLOCK)
    tosses = stats.betabinom(n, own["binomial_alpha0"][0], own["binomial_beta0"][0])
    expected = real.log_marginal(X[:, [0, 2, 4]])
    expected += tosses.logpmf(yes) - np.log(float(_choose(n, int(yes))))
    counts = np.bincount(X[:, 3].astype(int), minlength=3)
    weights = np.asarray(own["categorical_alpha0"])[:3]
    expected += stats.dirichlet_multinomial(weights, n).logpmf(counts) - stats.multinomial(n, counts / n).logpmf(counts)
    expected += float(np.sum(counts * np.log(counts / n)))  # of one sequence of these counts
    assert family.log_marginal(X) == pytest.approx(expected, rel=1e-10)
    assert family.log_marginal(X) == pytest.approx(naive.mixed(X, **own), rel=1e-10)


def _choose(n: int, k: int) -> int:
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result


@pytest.mark.slow
@pytest.mark.parametrize("prior", dpviz.PARTITION_PRIORS)
@pytest.mark.parametrize("gaps", [False, True])
def test_the_chain_visits_all_203_partitions_as_often_as_it_must(prior, gaps):
    """Under a block of full covariance, or with missing cells under independent columns, of width ½ both times."""
    X, partitions = beside_others(6, seed=9), naive.set_partitions(6)
    given = dict(BLOCK)
    if gaps:
        given["columns"] = [DIAGONAL if code == FULL else code for code in BLOCK["columns"]]
        X[[0, 2, 3, 5], [4, 0, 1, 3]] = np.nan
    exact = naive.Model(X, "mixed", hyperparameters(X, given), prior).posterior(partitions)
    working = Problem.check(X, dpviz.RunConfig("gibbs", family="mixed", prior=given)).working

    def begun(labels):
        return sweeper_of(working, labels, examples.partition_prior(prior))

    labels = fast_chain(X, "mixed", prior, 200_000, seed=1, begin=begun)
    check_law(labels, exact, partitions)


# --- what is chosen ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_coin_toss_beside_correlated_columns_changes_nothing(seed):
    X, labels = coin_table(seed)
    trace = dpviz.run(X, dpviz.RunConfig(kinds=COIN))
    assert trace.n_clusters[-1] == 2 and ari(labels, trace.result_labels) >= 0.95
    given = trace.config.prior_dict
    assert given["columns"].tolist() == [FULL] * 8 + [YES_NO] and given["width"] in WIDTHS
    assert trace.nll[-1] < dpviz.run(X, dpviz.RunConfig(kinds=COIN, prior=None)).nll[-1]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("informative", [False, True])
def test_lumps_are_found_beside_a_yes_no_column(seed, informative):
    real, labels = lumps(seed)
    alone = dpviz.run(real, dpviz.RunConfig())
    rng = np.random.default_rng(seed)
    chance = np.where(labels % 2, 0.9, 0.1) if informative else 0.5
    X = np.column_stack([real, rng.random(len(real)) < chance])
    trace = dpviz.run(X, dpviz.RunConfig(kinds=["real", "real", "binary"]))
    assert ari(labels, trace.result_labels) >= ari(labels, alone.result_labels) - 0.02
    assert trace.config.prior_dict["width"] < 0.1


def test_the_candidates_by_size_and_gaps():
    def full(X, **options):
        models = possible_models(X, dpviz.RunConfig(**options))
        return [FULL in (model.prior_dict or {}).get("columns", []) for model in models]

    X, _ = coin_table(0)
    assert full(X, kinds=COIN) == [False, True]
    assert full(X[:36], kinds=COIN) == [False, True] and full(X[:35], kinds=COIN) == [False]  # 8 · 9 / 2 entries
    assert full(X, kinds=COIN, prior=None) == [False]
    assert full(X[:, [0, 8]], kinds=["real", "binary"]) == [False]  # one column: both are the same
    gaps = X.copy()
    gaps[3, 1] = np.nan
    assert full(gaps, kinds=COIN) == [False]  # left out exactly
    assert full(gaps, kinds=COIN, missing="impute") == [False, True]
    assert dpviz.run(gaps, dpviz.RunConfig(kinds=COIN, effort=0.01)).config.prior_dict["width"] in WIDTHS


@pytest.mark.parametrize("seed", range(4))
def test_the_choice_does_not_depend_on_units(seed):
    X, _ = coin_table(seed, n_each=60)
    scaled = X.copy()
    scaled[:, :8] = X[:, :8] * np.logspace(-3, 4, 8) + 50
    one, other = (dpviz.run(each, dpviz.RunConfig(kinds=COIN, effort=0.05)) for each in (X, scaled))
    assert one.config.prior == other.config.prior
    assert_array_equal(one.result_labels, other.result_labels)
    shift = len(X) * np.log(np.logspace(-3, 4, 8)).sum()
    assert other.nll[-1] == pytest.approx(one.nll[-1] + shift, rel=1e-9)


def test_columns_that_hide_the_width_are_real_ones():
    X, _ = coin_table(1)
    X[:, 2] = X[:, 8] + 3  # as good as a copy of the coin
    choice = resolve(X, dpviz.RunConfig(kinds=COIN), ["a", "b", "twice", *"cdefg", "coin"])
    assert choice.notes == ("Column “twice” takes 2 values; treat it as categorical, or leave it out.",)
    assert choice.width >= 1 and FULL not in choice.config.prior_dict["columns"]
    diagonal = dpviz.RunConfig(kinds=["real", "binary"], prior=None)
    constant = np.column_stack([X[:, 0], np.zeros(len(X))])
    assert not runs_off(constant, diagonal, np.zeros(len(X), dtype=int))  # one answer is no loss of spread


def test_near_exact_columns_do_not_choose_full_covariances():
    X, labels = coin_table(2)
    X[:, 7] = X[:, :7].sum(axis=1)
    choice = resolve(X, dpviz.RunConfig(kinds=COIN))
    assert FULL not in choice.config.prior_dict["columns"]


def test_a_width_at_which_digits_are_lost_takes_over_no_partition(monkeypatch):
    X, given = beside_others(80), {"columns": BLOCK["columns"]}
    own, narrowest = width.partition_nll, WIDTHS[-1]

    def nll_of(problem, partitions):
        if (problem.config.prior_dict or {}).get("width") == narrowest:
            raise IllConditionedError("its digits are lost")
        return own(problem, partitions)

    monkeypatch.setattr(width, "partition_nll", nll_of)
    trials = {trial.width: trial.nll for trial in choose_width(X, dpviz.RunConfig(family="mixed", prior=given)).trials}
    assert trials.pop(narrowest) == np.inf and np.all(np.isfinite(list(trials.values())))


def test_a_width_alone_keeps_the_given_columns():
    X = beside_others(80)
    choice = choose_width(X, dpviz.RunConfig(family="mixed", prior={"columns": BLOCK["columns"]}))
    assert set(choice.config.prior_dict) == {"columns", "width"}
    assert choice.config.prior_dict["columns"].tolist() == BLOCK["columns"]


def test_the_trace_runs_again_identically_and_gibbs_takes_the_same():
    X, _ = coin_table(3, n_each=50)
    trace = dpviz.run(X, dpviz.RunConfig(kinds=COIN, effort=0.01))
    assert_array_equal(dpviz.run(X, trace.config).nll, trace.nll)
    chain = dpviz.run(X, dpviz.RunConfig("gibbs", kinds=COIN, n_sweeps=4, burn_in=1))
    assert chain.config.prior == trace.config.prior


def test_words_count_the_columns():
    kinds = [*COIN, "count", "count", "categorical"]
    columns = [FULL] * 8 + [YES_NO, CODES["poisson"], CODES["poisson"], CATEGORIES]
    config = dpviz.RunConfig(kinds=kinds, prior={"columns": columns, "width": 0.5})
    assert words_for(config) == (
        "Normal, full covariance of 8 columns beside 1 yes/no and 2 count and 1 categorical, width 0.5"
    )
    assert words_for(dpviz.RunConfig(family="mixed", prior=BLOCK)) == (
        "Normal, full covariance of 3 columns beside 1 ordinal and 1 categorical, width 0.5"
    )
    assert words_for(dpviz.RunConfig(kinds=COIN, prior={"width": 2.0})) == (
        "Mixed, each column of its own kind, width 2"
    )
    assert family_in_words(config) == words_for(config).removeprefix("Normal, ")  # as on Compare


def test_columns_that_are_only_transformed_if_it_pays_are_not_said_to_be_transformed():
    begun = dpviz.RunConfig("mapdp", transform="auto")
    assert family_in_words(begun).endswith("columns transformed if that costs less")
    assert family_in_words(replace(begun, transform="log")).endswith("columns transformed")


# --- what follows from a block ----------------------------------------------------------------------------------------


def test_estimators_predict_and_explain_with_a_block():
    X, _ = coin_table(4, n_each=60)
    fitted = dpviz.MAPDP(kinds=COIN, effort=0.02, random_state=0).fit(X)
    assert fitted.family == fitted.prior == "auto"
    assert_array_equal(fitted.predict(X[:20]), fitted.labels_[:20])
    probabilities = fitted.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    gap = X[:3].copy()
    gap[:, 2] = np.nan
    assert np.isfinite(fitted.score_samples(gap)).all()


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"normal_wishart_a0": 3.0}, r"prior\['normal_wishart_a0'\] = 3.0 must be > 5"),
        ({"normal_wishart_psi0": np.eye(5)}, r"prior\['normal_wishart_psi0'\] has shape \(5, 5\); for 6 features"),
        ({"normal_wishart_psi0": np.ones((6, 6))}, r"prior\['normal_wishart_psi0'\] is not positive definite"),
    ],
)
def test_a_block_of_more_columns_than_rows_is_proper_or_refused(prior, message):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(4, 6)), [0, 1, 1, 0]])
    columns = {"columns": [FULL] * 6 + [YES_NO]}
    assert np.isfinite(dpviz.run(X, dpviz.RunConfig(family="mixed", prior=columns)).nll).all()
    with pytest.raises(InvalidParameterError, match=message):
        dpviz.run(X, dpviz.RunConfig(family="mixed", prior={**columns, **prior}))


@pytest.mark.parametrize("seed", range(3))
def test_narrow_clusters_in_a_direction_have_a_full_covariance_though_the_width_is_the_last(seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 4, 120)
    centres = rng.uniform(-10, 10, (4, 2))
    along = rng.multivariate_normal([0, 0], [[1, 0.97], [0.97, 1]], 120)
    X = np.column_stack([centres[groups] + 0.25 * along, groups % 2])
    chosen = resolve(X, dpviz.RunConfig(kinds=("real", "real", "binary")))
    assert chosen.width == WIDTHS[-1] and any("last of those tried" in note for note in chosen.notes)
    assert list(chosen.config.prior_dict["columns"][:2]) == [CODES["normal_wishart"]] * 2
