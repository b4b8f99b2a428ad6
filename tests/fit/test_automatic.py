"""What is chosen by default: the family, the width of clusters; and that it can be run again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dpviz
from dpviz import RunConfig
from dpviz.analysis.hyperparameters import coordinate_search
from dpviz.datasets import scale
from dpviz.engine.problem import Problem
from dpviz.errors import IllConditionedError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.families.automatic import candidates
from dpviz.fit import width
from dpviz.fit.automatic import choice_steps, problem_for, resolve
from dpviz.fit.family import possible_families
from dpviz.fit.steps import drained
from dpviz.fit.timing import estimate
from dpviz.fit.width import choose_width
from dpviz.fit.words import words_for

RNG = np.random.default_rng(5)
LINE = RNG.normal(size=(120, 1)) * [3.0, 3.0] + RNG.normal(size=(120, 2)) * 0.2
LINES = LINE + np.repeat([[0.0, 0.0], [4.0, 0.0]], 60, axis=0)
ROUND = RNG.normal(size=(120, 4)) * [1, 0.2, 2, 0.5] + np.repeat([[0, 0, 0, 0], [6, 3, 0, 2]], 60, axis=0)
QUICK = {"n_init": 2, "effort": 0.01}


def same(one: dpviz.Trace, other: dpviz.Trace) -> bool:
    series = ("nll", "labels", "label_sweeps", "n_clusters", "n_moved", "n_born", "n_died", "flat_sizes")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in series)
    return equal and (one.config, one.starts, one.moves) == (other.config, other.starts, other.moves)


# --- which families ---------------------------------------------------------------------------------------------------

BY_KIND = [
    (None, ("normal_wishart", "normal_gamma")),
    (["real", "continuous"], ("normal_wishart", "normal_gamma")),
    (["count", "count"], ("poisson", "negative_binomial")),
    (["count", "real"], ("mixed",)),
    (["positive"], ("exponential",)),
    (["categorical"] * 3, ("categorical",)),
    (["binary", "ordinal"], ("binomial",)),
    (["real", "count"], ("mixed",)),
]
BY_KEYS = [
    ({"psi0"}, ("normal_wishart",)),
    ({"b0", "a0"}, ("normal_gamma",)),
    ({"m0", "c0"}, ("normal_wishart", "normal_gamma")),
    ({"sigma_hat_sq"}, ("spherical_normal",)),
    ({"sigma0"}, ("normal_known_covariance",)),
    ({"columns"}, ("mixed",)),
    ({"n_categories"}, ("categorical",)),
]


@pytest.mark.parametrize(("kinds", "expected"), BY_KIND)
def test_kinds_select_the_candidates(kinds, expected):
    assert candidates(kinds) == expected


@pytest.mark.parametrize(("keys", "expected"), BY_KEYS)
def test_the_keys_of_a_prior_select_the_candidates(keys, expected):
    assert candidates(None, keys) == expected


def test_a_width_leaves_the_families_that_have_one():
    assert candidates(None, {"width"}) == ("normal_wishart", "normal_gamma")
    of_real = {n for n, f in FAMILIES.items() if f.scaled_by_width} - {"mixed"}  # which has one for real columns only
    assert set(candidates(["count"], {"width"})) == of_real


@pytest.mark.parametrize(
    ("kinds", "given"),
    [
        (["categorical", "count"], {"width"}),
        (["categorical", "real", "count"], {"c0"}),
        (["binary"] * 3, {"width"}),
        (["real", "count"], {"alpha0"}),
    ],
)
def test_no_family_is_chosen_that_cannot_hold_the_columns(kinds, given):
    with pytest.raises(
        InvalidParameterError, match=f"prior has {next(iter(given))}, and no family for columns that are"
    ):
        candidates(kinds, given)


def test_a_width_makes_no_numbers_of_the_codes_of_categories():
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "green", "blue"] * 20), "x": np.arange(60.0)})
    config = dpviz.MAPDP(prior={"width": 0.3}, random_state=0).fit(frame).trace_.config
    assert config.family == "mixed" and config.prior_dict["columns"].tolist() == [6, 0]
    with pytest.raises(InvalidParameterError, match="prior has width.*give hyperparameters of categorical"):
        dpviz.MAPDP(prior={"width": 0.3}, random_state=0).fit(frame[["colour"]])


@pytest.mark.parametrize("prior", [{"alpha9": 1.0}, {"psi0": [[1.0]], "b0": [1.0]}])
def test_a_prior_that_no_family_has_is_refused(prior):
    with pytest.raises(InvalidParameterError, match="no family has all of these"):
        dpviz.RunConfig(prior=prior)


@pytest.mark.parametrize(("n_points", "n_features", "full"), [(9, 4, False), (10, 4, True), (5, 1, True)])
def test_full_covariances_need_as_many_points_as_they_have_entries(n_points, n_features, full):
    X = np.random.default_rng(0).normal(size=(n_points, n_features))
    assert ("normal_wishart" in possible_families(X, dpviz.RunConfig())) == full


# --- what is chosen ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("X", "family"), [(LINES, "normal_wishart"), (ROUND, "normal_gamma")])
def test_the_family_of_lower_nll_is_chosen_each_at_its_own_width(X, family):
    config = dpviz.RunConfig("mapdp")
    each = {name: choose_width(X, replace(config, family=name)) for name in config.candidates}
    nll = {name: min(t.nll for t in found.trials if t.width == found.width) for name, found in each.items()}
    assert min(nll, key=nll.get) == family
    assert resolve(X, config).config == each[family].config


def test_where_a_density_runs_off_its_nll_does_not_choose_full_covariances():
    rng = np.random.default_rng(2)
    votes = (rng.random((200, 6)) < np.where(np.arange(200)[:, None] < 100, 0.9, 0.1)).astype(float)
    for prior in ("auto", None):
        assert resolve(votes, dpviz.RunConfig(prior=prior)).config.family == "normal_gamma"
    full = choose_width(votes, dpviz.RunConfig(family="normal_wishart"))
    diagonal = choose_width(votes, dpviz.RunConfig(family="normal_gamma"))
    assert full.trials[3].nll < diagonal.trials[3].nll and full.notes  # lower at the usual width all the same


@pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])
@pytest.mark.parametrize("options", [{}, {"family": "normal_gamma"}, {"prior": None}, {"prior": {"c0": 0.3}}])
def test_the_trace_holds_what_was_chosen_and_runs_again_identically(algorithm, options):
    short = QUICK if algorithm == "mapdp" else {"n_sweeps": 6, "burn_in": 2}
    config = dpviz.RunConfig(algorithm, seed=2, **short, **options)
    trace = dpviz.run(LINES, config)
    assert not trace.config.is_automatic and trace.config.family in FAMILIES
    assert trace.config == resolve(LINES, config).config
    assert same(dpviz.run(LINES, trace.config), trace) and same(dpviz.run(LINES, config), trace)
    records = list(dpviz.iterate(LINES, config))
    np.testing.assert_array_equal([record.nll for record in records], trace.nll)


def test_gibbs_takes_what_mapdp_finds():
    chosen = [resolve(LINES, dpviz.RunConfig(name, seed=4)).config for name in ("mapdp", "gibbs")]
    assert (chosen[0].family, chosen[0].prior) == (chosen[1].family, chosen[1].prior)
    assert chosen[1].algorithm == "gibbs" and chosen[1].prior is not None


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma"])
def test_the_usual_prior_is_what_it_was(family):
    X = ROUND[:, :2]
    explicit = FAMILIES[family].default_prior(X)
    usual = dpviz.MAPDP(family=family, prior=None, **QUICK, random_state=1).fit(X)
    by_hand = dpviz.MAPDP(family=family, prior=explicit, **QUICK, random_state=1).fit(X)
    assert usual.trace_.config.prior is None
    np.testing.assert_array_equal(usual.trace_.nll, by_hand.trace_.nll)


def test_counts_that_vary_as_poissons_are_so_without_any_search():
    X = np.random.default_rng(0).poisson([2, 9], size=(40, 2)).astype(float)
    config = dpviz.RunConfig(kinds=["count", "count"], **QUICK)
    assert list(choice_steps(X, config)) == []
    chosen = resolve(X, config)
    assert (chosen.config.family, chosen.config.prior, chosen.notes) == ("poisson", None, ())
    assert dpviz.run(X, config).config == chosen.config


def dispersed(rng, means, size):
    """Counts whose rates vary within each group."""
    return rng.poisson(rng.gamma(size, np.asarray(means) / size)).astype(float)


@pytest.mark.parametrize("prior", ["auto", None])
def test_counts_of_one_group_that_vary_more_are_over_dispersed(prior):
    X = dispersed(np.random.default_rng(0), np.full((150, 5), 9.0), 2.0)
    config = dpviz.RunConfig(kinds=["count"] * 5, prior=prior)
    chosen = resolve(X, config)
    trace, poisson = dpviz.run(X, chosen.config), dpviz.run(X, dpviz.RunConfig(family="poisson", n_init=3, effort=0.02))
    assert chosen.config.family == "negative_binomial" and trace.n_clusters[-1] == 1 < poisson.n_clusters[-1]
    gain = f"{poisson.nll[-1] - trace.nll[-1]:,.1f} nats lower in short runs of 150 rows"
    assert gain in chosen.notes[-1] and f"1 cluster for {poisson.n_clusters[-1]}." in chosen.notes[-1]


@pytest.mark.parametrize("seed", range(4))
def test_groups_of_counts_stay_groups_whether_over_dispersed_or_not(seed):
    rng = np.random.default_rng(seed)
    groups, means = np.repeat([0, 1], 60), np.array([[3.0] * 6, [12.0] * 6])
    for X, family in (
        (rng.poisson(means[groups]).astype(float), "poisson"),
        (dispersed(rng, (5 * means)[groups], 4.0), "negative_binomial"),
    ):
        trace = dpviz.run(X, dpviz.RunConfig(kinds=["count"] * 6))
        assert trace.config.family == family
        assert dpviz.metrics.ari(groups, trace.result_labels) > 0.9


def test_probabilities_of_counts_do_not_run_off_however_small_the_dispersion():
    X = np.repeat([[2.0], [9.0]], 30, axis=0)
    trials = choose_width(X, dpviz.RunConfig(family="negative_binomial")).trials
    assert not any(trial.runs_off for trial in trials)
    assert trials[-1].nll == min(trial.nll for trial in trials)


def test_values_that_a_kind_does_not_allow_are_named():
    with pytest.raises(dpviz.DpvizError, match="family = 'poisson' it must be"):
        dpviz.run(ROUND, dpviz.RunConfig(kinds=["count"] * 4))


def test_estimators_have_these_defaults_and_report_the_choice():
    for name in ("MAPDP", "GibbsDP"):
        parameters = getattr(dpviz, name)().get_params()
        assert (parameters["family"], parameters["prior"]) == ("auto", "auto")
    fitted = dpviz.MAPDP(**QUICK, random_state=0).fit(LINES)
    assert fitted.trace_.config.family == "normal_wishart" and "width" in fitted.trace_.config.prior_dict
    assert fitted.family == fitted.prior == "auto" and fitted.means_.shape == (fitted.n_clusters_, 2)


def test_what_meets_data_without_a_run_resolves_as_a_run_does():
    config = dpviz.RunConfig(**QUICK)
    assert problem_for(LINES, config).config == resolve(LINES, config).config == dpviz.run(LINES, config).config


@pytest.mark.parametrize(("options", "open_choice"), [({}, "family"), ({"family": "normal_gamma"}, "prior")])
def test_a_problem_leaves_nothing_to_choose(options, open_choice):
    config = dpviz.RunConfig(**options)
    for make in (Problem, Problem.check):
        with pytest.raises(InvalidParameterError, match=f"{open_choice} = 'auto' has to be chosen first"):
            make(LINES, config)


@pytest.mark.parametrize(("X", "options"), [(LINES, {}), (LINES, {"family": "normal_gamma"}), (np.abs(ROUND), {})])
def test_families_check_the_data_a_few_times_however_many_widths_are_tried(monkeypatch, X, options):
    checks = []
    for name, family in FAMILIES.items():
        check = family.check_data
        monkeypatch.setattr(family, "check_data", lambda *given, n=name, c=check: checks.append(n) or c(*given))
    trace = dpviz.run(X, dpviz.RunConfig(**options))
    assert "width" in trace.config.prior_dict and 1 <= len(checks) <= 8


def test_methods_without_a_model_choose_nothing():
    config = dpviz.RunConfig("kmeans")
    assert not config.is_automatic and dpviz.run(LINES, config).config == config


# --- stopping, work, words --------------------------------------------------------------------------------------------


def test_a_choice_can_be_stopped_and_leaves_a_state_to_look_at():
    asked = []
    trace = dpviz.run(LINES, dpviz.RunConfig(), lambda: asked.append(1) or len(asked) > 3)
    assert trace.n_sweeps == 0 and trace.config.family == "normal_wishart" and trace.config.prior is None
    assert len(asked) == 4  # nothing was asked after the answer was yes


def test_the_choice_is_among_the_work_of_an_estimate():
    config = dpviz.RunConfig()
    whole, alone = estimate(config, (500, 3)), estimate(config.provisional, (500, 3))
    one_family = estimate(replace(config, family="normal_wishart"), (500, 3))
    assert alone.operations < one_family.operations < whole.operations


def test_the_same_choice_in_so_many_steps():
    first, second = (len(list(choice_steps(LINES, dpviz.RunConfig(seed=seed)))) for seed in (3, 3))
    assert first == second > 100
    assert (
        drained(choice_steps(LINES, dpviz.RunConfig(seed=3))).config == resolve(LINES, dpviz.RunConfig(seed=3)).config
    )


def test_a_choice_is_told_in_words():
    config = dpviz.RunConfig(family="normal_gamma", prior={"width": 0.125})
    assert words_for(config) == "Normal, independent features, width 0.125"
    assert words_for(dpviz.RunConfig(family="poisson")) == "Counts, independent columns"


def test_columns_that_hide_the_width_are_named_whatever_the_family():
    X = np.column_stack([np.random.default_rng(1).normal(size=300), np.arange(300) % 2])
    notes = resolve(X, dpviz.RunConfig(), ["size", "sex"]).notes
    assert any("Column “sex” takes 2 values; treat it as categorical" in note for note in notes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["iris", "wine", "crabs"])
def test_defaults_find_the_groups_of_standardised_tables_better_than_the_usual_prior(name):
    data = dpviz.datasets.load(name)
    X = scale(data.X, "standardise").X
    chosen = dpviz.run(X, dpviz.RunConfig())
    usual = dpviz.run(X, dpviz.RunConfig(family="normal_wishart", prior=None))
    score = [dpviz.metrics.nmi(data.labels, trace.result_labels) for trace in (chosen, usual)]
    assert chosen.nll[-1] <= usual.nll[-1] and score[0] >= score[1] - 0.01


def test_a_search_over_hyperparameters_begins_at_what_is_chosen():
    config = dpviz.RunConfig(n_init=1, effort=0.0)
    first = next(coordinate_search(LINES, config, max_passes=1))
    chosen = resolve(LINES, config).config
    assert (first.config.family, set(first.config.prior_dict)) == (chosen.family, {"m0", "c0", "a0", "psi0"})
    assert first.nll == pytest.approx(dpviz.run(LINES, chosen).nll[-1], rel=1e-12)


# --- the partition prior ----------------------------------------------------------------------------------------------


def clusters_of_two_groups(seed: int, partition: object) -> tuple[int, ...]:
    """Sizes of the clusters found in two groups of 250 points, eight standard deviations apart."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(250, 2)), rng.normal(size=(250, 2)) + [8, 0]])
    trace = dpviz.run(X, dpviz.RunConfig(partition=partition, effort=0.05))
    return tuple(sorted(np.unique(trace.result_labels, return_counts=True)[1]))


def test_two_clean_groups_leave_no_crumbs():
    assert sum(clusters_of_two_groups(seed, "auto") == (250, 250) for seed in range(20)) >= 19


def test_the_papers_partition_prior_leaves_crumbs_beside_two_clean_groups():
    assert 1 in clusters_of_two_groups(1, None)


@pytest.mark.parametrize("n_complete", [0, 1, 2, 10, 40])
def test_few_complete_rows_choose_no_width_alone(n_complete):
    rng = np.random.default_rng(0)
    groups = np.arange(200) % 4
    X = np.array([[0, 0, 0], [8, 0, 0], [0, 8, 0], [0, 0, 8]])[groups] + 0.3 * rng.normal(size=(200, 3))
    rows = rng.permutation(200)[n_complete:]
    X[rows, rng.integers(0, 3, len(rows))] = np.nan
    for config in (RunConfig(family="normal_wishart"), RunConfig(missing="impute")):
        chosen = resolve(X, config)
        assert ((chosen.width or 1.0) < 1) == (n_complete >= 15)  # five per column
        said = [f"Too few rows are complete ({n_complete} of 200) to choose a width, so that the usual one is kept."]
        assert chosen.notes == (tuple(said) if n_complete < 15 else ())


@pytest.mark.parametrize("seed", range(3))
def test_models_are_compared_on_the_same_points(monkeypatch, seed):
    """Points are dear under full covariances: fewer would be sampled for them, whose nll is then lower in any case."""
    n_features = 12
    most = 900 * FAMILIES["normal_gamma"].operations(n_features)
    monkeypatch.setattr(width, "SAMPLE_OPERATIONS", most)
    assert width.sample_size("normal_wishart", n_features) < width.sample_size("normal_gamma", n_features) == 900
    rng = np.random.default_rng(seed)
    X = 5.0 * rng.normal(size=(3, n_features))[np.arange(1_000) % 3] + rng.normal(size=(1_000, n_features))
    assert resolve(X, RunConfig()).config.family == "normal_gamma"


# --- columns that depend on each other --------------------------------------------------------------------------------


def with_a_combination(seed: int, spread: float) -> np.ndarray:
    """One group of three columns, and a combination of them up to a spread; 400 rows."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(400, 3))
    return np.column_stack([X, X[:, 0] + 2 * X[:, 1] + spread * r.normal(size=400)])


@pytest.mark.parametrize("spread", [0.0, 1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("seed", range(5))
def test_a_default_takes_the_directions_that_columns_spread_in_and_says_so(seed, spread):
    fitted = dpviz.MAPDP(random_state=0, **QUICK).fit(with_a_combination(seed, spread))
    assert fitted.n_clusters_ == 1 and fitted.trace_.config.directions == 3
    assert any("clusters are in the first 3 of 4 directions" in note for note in fitted.notes_)


@pytest.mark.parametrize("spread", [3e-5, 1e-5, 3e-6])
def test_a_default_that_a_sample_allows_fits_all_rows(spread, monkeypatch):
    """How many digits a covariance needs grows with the number of rows."""
    monkeypatch.setattr(width, "SAMPLE_OPERATIONS", 0.0)
    monkeypatch.setattr(width, "FEWEST_POINTS", 100)
    monkeypatch.setattr("dpviz.fit.automatic.LEAST_SPREAD", 0.0)  # so that nothing is known before the sample
    X = np.vstack([with_a_combination(seed, spread) for seed in range(10)])
    choice = resolve(X, RunConfig("mapdp", family="auto", prior="auto", **QUICK))
    assert np.isfinite(dpviz.run(X, choice.config).nll).all()
    with pytest.raises(IllConditionedError):
        dpviz.run(X, RunConfig("mapdp", family="normal_wishart", prior={"width": 0.1}))


def test_what_columns_of_chance_and_constants_are_is_not_changed():
    for X in (ROUND, LINES, np.column_stack([ROUND, np.ones(len(ROUND))])):
        assert resolve(X, RunConfig("mapdp", family="auto", prior="auto", **QUICK)).config.directions is None


@pytest.mark.parametrize("value", [0.0, 0.1, 0.3, 1.0, 1e9])
@pytest.mark.parametrize("n", [10, 40, 100])
def test_constant_columns_beside_others_are_no_directions(value, n):
    r = np.random.default_rng(n)
    a, b, constant = r.normal(size=n), r.normal(size=n), np.full(n, value)
    for columns, directions in (([a, b, constant], None), ([a, 2 * a, constant], 1), ([a, b, a, constant], 2)):
        choice = resolve(np.column_stack(columns), RunConfig("mapdp", family="auto", prior="auto", **QUICK))
        assert choice.config.directions == directions
