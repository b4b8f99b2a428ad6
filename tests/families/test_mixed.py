"""Mixed tables: every kind of block at once against naive products, and against the families themselves."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from test_families import Slots, check_verbs
from test_sampler_exact import check_law, check_sweeps, fast_chain, sweeper
from verbs import call_log_leave_one_out

import dpviz
import examples
from dpviz._jit import COMPILED
from dpviz.datasets import load
from dpviz.engine.kernels.collapsed_sweep import collapsed_sweep, evaluate
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import cluster_shapes, projected_shapes
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import FAMILIES, Exponential, Mixed, NegativeBinomial, mixed
from dpviz.families.base import require_values
from dpviz.families.columns.state import ColumnsState
from dpviz.families.mixed import BLOCKS, CODES, OF_KIND
from dpviz.families.verbs import SLOT_LAST_FIELDS, grow_slots
from examples import EVERY_BLOCK

SPREAD = 12
"""With this seed the posterior of six points is spread over many partitions."""


def model(X, prior):
    return naive.Model(X, "mixed", Mixed.example_prior(X.shape[1]), prior)


def test_blocks_stand_in_the_order_of_the_reference():
    assert [family.name for family in BLOCKS] == [name for name, _ in naive.MIXED]
    codes = set(range(len(BLOCKS))) - {CODES["counted_multinomial"]}  # parts are counted or not, all in a table
    assert set(Mixed.example_prior(EVERY_BLOCK)["columns"]) == codes


def test_a_kind_whose_cells_are_never_zero_refuses_no_table_without_it(monkeypatch):
    def positive(X, names=()):
        require_values(X, X > 0, "exponential", "a number > 0", "Leave out zeros.", names)

    monkeypatch.setattr(Exponential, "check_data", staticmethod(positive))
    mixed._without_columns.cache_clear()
    X = np.column_stack([np.linspace(-1, 1, 6), np.arange(6.0)])
    family = Mixed.from_prior({"columns": ["real", "count"]}, X)
    assert [block.name for _, block in family.parts()] == ["normal_gamma", "poisson"]


def test_columns_of_one_more_block_have_words_beside_a_full_covariance(monkeypatch):
    monkeypatch.setattr(mixed, "BLOCKS", (*BLOCKS, NegativeBinomial))
    title = Mixed.title_under({"columns": [CODES["normal_wishart"], CODES["normal_gamma"], len(BLOCKS)]}, None)
    assert title.endswith("of 1 columns beside 1 independent real and 1 count")


# --- exactness --------------------------------------------------------------------------------------------------------


def test_verbs_of_all_blocks_together_are_joint_densities():
    X = Mixed.example_data(12, EVERY_BLOCK)
    given = Mixed.example_prior(EVERY_BLOCK)
    check_verbs(Slots(Mixed.from_prior(given, X), X), lambda own: naive.mixed(X[own], **given))


@pytest.mark.parametrize("prior", dpviz.PARTITION_PRIORS)
@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_sweeps_with_all_blocks_equal_the_naive_ones(prior, temperature):
    X = Mixed.example_data(14, EVERY_BLOCK, seed=3)
    check_sweeps(X, model(X, prior), "mixed", prior, temperature)


@pytest.mark.slow
@pytest.mark.parametrize("prior", dpviz.PARTITION_PRIORS)
def test_the_chain_with_all_blocks_visits_all_203_partitions_as_often_as_it_must(prior):
    X, partitions = Mixed.example_data(6, EVERY_BLOCK, seed=SPREAD), naive.set_partitions(6)
    exact = model(X, prior).posterior(partitions)
    labels = fast_chain(X, "mixed", prior, 200_000, seed=1)
    check_law(labels, exact, partitions)


def test_a_point_that_dwarfs_its_cluster_in_one_block_leaves_them_all_exactly():
    X = Mixed.example_data(9, 3)
    X[4, 0] = 1e7
    labels = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
    given = Mixed.example_prior(3)
    clusters = sweeper(X, labels, "mixed", "chinese_restaurant", 0.0)
    slots = Slots(Mixed.from_prior(given, X), X)
    slots.rebuild(labels)
    assert np.isnan(call_log_leave_one_out(slots.state, slots.X, 4, 0, 5)), "the closed form refuses"
    exact = naive.mixed(X[:5], **given) - naive.mixed(X[:4], **given)
    assert clusters.candidates_of(4)[0][0] == pytest.approx(exact, rel=1e-9)
    clusters.sweep(np.arange(9), np.empty(0))
    assert clusters.nll == pytest.approx(model(X, "chinese_restaurant").nll(clusters.labels), rel=1e-9)


@pytest.mark.parametrize("name", [family.name for family in BLOCKS])
def test_a_table_of_one_kind_is_that_family(name):
    X, labels = FAMILIES[name].example_data(40, 3), np.arange(40) % 3
    own = examples.hyperparameters(name, 3)
    alone = dpviz.run(X, dpviz.RunConfig(family=name, prior=own, init=labels, order="index"))
    prior = {"columns": [name] * 3, **{f"{name}_{key}": value for key, value in own.items()}}
    mixed = dpviz.run(X, dpviz.RunConfig(family="mixed", prior=prior, init=labels, order="index"))
    assert_array_equal(mixed.labels, alone.labels)
    assert_allclose(mixed.nll, alone.nll, rtol=1e-12)
    defaults = [dpviz.run(X, dpviz.RunConfig(family=name, init=labels, order="index", prior=None)).nll]
    columns = {"columns": [name] * 3}
    defaults.append(dpviz.run(X, dpviz.RunConfig(family="mixed", prior=columns, init=labels, order="index")).nll)
    assert_allclose(*defaults, rtol=1e-12)


def test_a_new_table_compiles_nothing():
    def compiled():
        return len(collapsed_sweep.signatures) + len(evaluate.signatures) if COMPILED else 0

    X = Mixed.example_data(30, EVERY_BLOCK)
    dpviz.run(X, dpviz.RunConfig(family="mixed", kinds=["real"] * EVERY_BLOCK, n_init=1, prior=None))
    before = compiled()
    dpviz.run(X, dpviz.RunConfig(family="mixed", prior=Mixed.example_prior(EVERY_BLOCK), n_init=2))
    dpviz.run(X[:, [1]], dpviz.RunConfig(family="mixed", kinds=["categorical"], n_init=2, prior=None))
    assert compiled() == before


def test_slots_grow_in_columns_and_in_the_block_of_full_covariance():
    X = Mixed.example_data(40, EVERY_BLOCK)
    working = Problem.check(X, dpviz.RunConfig(family="mixed", prior=Mixed.example_prior(EVERY_BLOCK))).working
    clusters = sweeper(X, np.zeros(40, dtype=np.int64), "mixed", "chinese_restaurant", 0.0)
    clusters.assign(np.arange(40) // 2)
    clusters.sweep(np.arange(40), np.empty(0))
    assert clusters.nll == pytest.approx(model(X, "chinese_restaurant").nll(clusters.labels), rel=1e-10)
    state = working.family.bind(working.X, 3)
    grown = grow_slots(state, 61)
    assert {getattr(grown, name).shape[-1] for name in SLOT_LAST_FIELDS[ColumnsState]} == {61}
    assert grown.full.mean.shape[-1] == len(grown.full.log_determinant) == 61


# --- what columns hold ------------------------------------------------------------------------------------------------


def test_kinds_and_families_say_what_columns_hold():
    X = np.array([[0.5, 3.0, 1.0], [1.5, 0.0, 2.0], [2.5, 1.0, 0.0]])
    codes = [CODES["normal_gamma"], CODES["poisson"], CODES["categorical"]]
    for config in (
        dpviz.RunConfig(family="mixed", kinds=["real", "count", "categorical"], prior=None),
        dpviz.RunConfig(family="mixed", kinds=("continuous", "count", "categorical"), prior=None),
        dpviz.RunConfig(family="mixed", prior={"columns": {1: "count", 2: "categorical"}}),
        dpviz.RunConfig(family="mixed", prior={"columns": ["normal_gamma", "poisson", "categorical"]}),
        dpviz.RunConfig(family="mixed", prior={"columns": codes}),
        dpviz.RunConfig(family="mixed", prior={"columns": codes}, kinds=["real"] * 3),
    ):
        assert Problem.check(X, config).family.columns.tolist() == codes
        assert dpviz.RunConfig.from_json(config.to_json()) == config and hash(config) == hash(config)
        assert dpviz.RunConfig.from_query(config.to_query()) == config
    assert Problem.check(X, dpviz.RunConfig(family="mixed", prior=None)).family.columns.tolist() == [0, 0, 0]
    assert set(OF_KIND) > {"real", "positive", "count", "ordinal", "binary", "categorical"}


def test_only_hyperparameters_of_columns_there_are_are_asked_for():
    names = [p.name for p in dpviz.RunConfig(family="mixed", kinds=["count", "binary"], prior=None).hyperparameters]
    assert names == [
        "columns",
        "poisson_alpha0",
        "poisson_beta0",
        "binomial_alpha0",
        "binomial_beta0",
        "binomial_trials",
    ]


def test_columns_that_are_not_named_are_real():
    X = Mixed.example_data(20, 3)
    config = dpviz.RunConfig(family="mixed", prior={"columns": {1: "categorical"}})
    names = [p.name for p in config.hyperparameters]
    assert "normal_gamma_b0" in names and "categorical_alpha0" in names and "poisson_alpha0" not in names
    whole = dpviz.RunConfig(family="mixed", kinds=["real", "categorical", "real"], prior=None)
    assert_array_equal(dpviz.run(X, config).nll, dpviz.run(X, whole).nll)


@pytest.mark.parametrize("columns", ["poisson", "count", CODES["poisson"]])
def test_one_word_or_number_stands_for_all_columns(columns):
    config = dpviz.RunConfig(family="mixed", prior={"columns": columns})
    assert [p.name for p in config.hyperparameters] == ["columns", "poisson_alpha0", "poisson_beta0"]
    assert Problem.check(np.ones((4, 3)), config).family.columns.tolist() == [CODES["poisson"]] * 3


@pytest.mark.parametrize(
    ("prior", "kinds", "message"),
    [
        (None, ["real", "many", "count"], "kinds = 'many' must be one of real, continuous"),
        (None, "real", "kinds = 'real' must be a list"),
        ({"columns": ["real", "many", "count"]}, None, "a column cannot be 'many'; it must be one of real"),
        ({"columns": "many"}, None, "a column cannot be 'many'"),
        ({"columns": [["count"]]}, None, "a column cannot be|must be numeric"),
        ({"columns": {-1: "count"}}, None, "must have column numbers"),
        ({"columns": {"age": "count"}}, None, "must have column numbers"),
        ({"columns": [0, 0, 99]}, None, rf"prior\['columns'\] = .* must be ≤ {len(BLOCKS) - 1}"),
        ({"columns": [0, 0, 0, 0]}, None, r"prior\['columns'\] has shape \(4,\)"),
        (None, ["count"] * 2, "kinds = .* one word per column; X has 3 columns"),
        ({"columns": {5: "count"}}, None, r"prior\['columns'\] has shape \(6,\)"),
        (None, ["count"] * 4, "kinds = .* one word per column; X has 3 columns"),
        ({"poisson_alpha0": -1.0}, ["real", "count", "real"], r"prior\['poisson_alpha0'\] = .* must be ≥ 1e-12"),
        ({"poisson_alpha0": [1.0]}, ["real"] * 3, r"prior\['poisson_alpha0'\] .* no column is poisson; leave it out"),
        ({"alpha0": 1.0}, None, r"prior\['alpha0'\] is not a hyperparameter of mixed; it has columns, normal_gamma_m0"),
    ],
)
def test_what_cannot_be_is_refused_by_name(prior, kinds, message):
    X = np.array([[0.5, 3.0, 1.0], [1.5, 0.0, 2.0], [2.5, 1.0, 0.0]])
    with pytest.raises(InvalidParameterError, match=message):
        dpviz.run(X, dpviz.RunConfig(family="mixed", prior=prior, kinds=kinds))


def test_values_without_a_density_are_named_by_the_table_s_column():
    X = np.array([[0.5, 3.0, 1.0], [1.5, 0.0, 2.0], [2.5, 1.0, 0.0]])
    fitted = dpviz.MAPDP(
        family="mixed", kinds=["real", "count", "categorical"], n_init=1, random_state=0, prior=None
    ).fit(X)
    for place, value, message in [
        ((1, 1), -2.0, "column 1 of X holds -2 in row 1; for family = 'poisson' it must be a whole number from 0"),
        ((2, 1), 0.5, "column 1 of X holds 0.5 in row 2"),
        ((0, 2), 0.5, "column 2 of X holds 0.5 in row 0; for family = 'categorical'"),
    ]:
        bad = X.copy()
        bad[place] = value
        for refused in (lambda bad=bad: dpviz.run(bad, fitted.trace_.config), lambda bad=bad: fitted.predict(bad)):
            with pytest.raises(InvalidDataError, match=message):
                refused()
    with pytest.raises(InvalidDataError, match=r"column 2 of X holds 7 .*Raise prior\['categorical_n_categories'\]"):
        fitted.score_samples([[0.5, 3.0, 7.0]])


MIXED_TABLES = [name for name in dpviz.datasets.names() if set(load(name).kinds) != {"continuous"}]


@pytest.mark.parametrize("name", MIXED_TABLES)
def test_bundled_tables_cluster_as_they_are(name):
    data = load(name)
    config = dpviz.RunConfig(family="mixed", kinds=data.kinds, n_init=1, init="kmeans++", init_clusters=3, prior=None)
    trace = dpviz.run(data.X, config)
    assert np.isfinite(trace.nll).all() and trace.converged and np.all(np.diff(trace.nll)[1:] <= 1e-9)


def test_kinds_tell_more_than_numbers_do():
    data = load("house_votes_84")
    own = dpviz.MAPDP(family="mixed", kinds=data.kinds, effort=0.1, random_state=0, prior=None).fit(data.X)
    plain = dpviz.MAPDP(family="normal_gamma", effort=0.1, random_state=0, prior=None).fit(data.X)
    scores = [dpviz.metrics.nmi(data.labels, fitted.labels_) for fitted in (own, plain)]
    assert scores[0] > scores[1] + 0.05


@pytest.mark.parametrize("seed", range(4))
def test_groups_of_a_drawn_table_are_found_by_its_kinds(seed):
    data = dpviz.datasets.synthesize("mixed_table", seed=seed, separation=2.0)
    assert data.kinds == (
        "continuous",
        "continuous",
        "duration",
        "count",
        "count",
        "ordinal",
        *["binary"] * 3,
        *["categorical"] * 2,
    )
    for d, kind in enumerate(data.kinds):
        FAMILIES[OF_KIND[kind]].check_data(data.X[:, [d]])
    fitted = dpviz.MAPDP(family="mixed", kinds=data.kinds, effort=0.1, random_state=0, prior=None).fit(data.X)
    assert dpviz.metrics.nmi(data.labels, fitted.labels_) > 0.9


def test_a_drawn_table_has_the_columns_that_are_asked_for():
    none = dict.fromkeys(("n_real", "n_durations", "n_counts", "n_ordinal", "n_binary", "n_categorical"), 0)
    data = dpviz.datasets.synthesize(
        "mixed_table", n=5000, separation=0.0, **{**none, "n_counts": 1, "n_categorical": 1}
    )
    assert data.kinds == ("count", "categorical")
    assert stats.chisquare(np.bincount(data.X[:, 1].astype(int))).pvalue > 0.001
    assert data.X[:, 0].mean() == pytest.approx(5, abs=0.15) and data.X[:, 0].var() == pytest.approx(5, abs=0.5)
    with pytest.raises(InvalidParameterError, match="must have a column"):
        dpviz.datasets.synthesize("mixed_table", **none)


# --- prediction, contributions, draws, shapes -------------------------------------------------------------------------


def test_what_columns_add_up_to_is_the_predictive():
    X = Mixed.example_data(30, EVERY_BLOCK)
    family = Mixed.from_prior(Mixed.example_prior(EVERY_BLOCK), X).posterior(X[:20])
    per_column = family.log_densities(X)
    assert_allclose(per_column.sum(axis=1), family.log_predictive(X), rtol=1e-10)
    joint = np.flatnonzero(family.columns == CODES["normal_wishart"])
    t = family.blocks[CODES["normal_wishart"]].predictive()
    first = stats.t(t.degrees_of_freedom, t.location[0], np.sqrt(t.scale[0, 0])).logpdf(X[:, joint[0]])
    assert_allclose(per_column[:, joint[0]], first, rtol=1e-10)
    formula = family.formula(X[25])
    assert_allclose(formula.columns["−ln f"], -per_column[25], rtol=1e-12)
    assert formula.value == pytest.approx(-family.log_predictive(X[25:26])[0], rel=1e-12)


def test_the_mixture_of_a_mixed_table_sums_and_integrates_to_one():
    X = Mixed.example_data(40, 3)[:, :2]
    fitted = dpviz.MAPDP(family="mixed", kinds=["real", "categorical"], effort=0.1, random_state=0, prior=None).fit(X)
    grid, step = np.linspace(-60, 60, 24_001, retstep=True)
    total = 0.0
    for code in range(int(X[:, 1].max()) + 1):
        total += np.exp(fitted.score_samples(np.column_stack([grid, np.full(len(grid), code)]))).sum() * step
    assert total == pytest.approx(1, abs=2e-3)  # Student tails
    probabilities = fitted.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)


def test_draws_have_every_column_of_its_kind():
    X = Mixed.example_data(30, EVERY_BLOCK)
    family = Mixed.from_prior(Mixed.example_prior(EVERY_BLOCK), X)
    points = family.draw(np.random.default_rng(0)).sample(50, np.random.default_rng(1))
    assert len(family.parts()) == len(BLOCKS) - 1  # one of parts
    for columns, block in family.parts():
        block.check_data(points[:, columns])


@pytest.mark.parametrize("kind", ["real", "count", "categorical"])
def test_one_column_is_drawn_as_its_family_is(kind):
    name = OF_KIND[kind]
    X = FAMILIES[name].example_data(40, 1)
    labels = np.arange(40) % 2
    curves = []
    for config in (
        dpviz.RunConfig(family=name, init=labels, max_sweeps=1, prior=None),
        dpviz.RunConfig(family="mixed", kinds=[kind], init=labels, max_sweeps=1, prior=None),
    ):
        found = cluster_shapes(Problem.check(X, config), dpviz.run(X, config), np.arange(1))
        curves.append(found.shapes.curves(found.shapes.grid(X[:, 0])))
    assert_allclose(*curves, rtol=1e-9)


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma"])
def test_two_real_columns_of_a_block_have_the_ellipses_that_they_have_alone(family):
    alone = FAMILIES[family].example_data(40, 2)
    X = np.column_stack([alone[:, 0], FAMILIES["poisson"].example_data(40, 1)[:, 0], alone[:, 1]])
    own = examples.hyperparameters(family, 2)
    prior = {"columns": {0: family, 1: "count", 2: family}, **{f"{family}_{name}": v for name, v in own.items()}}
    options = {"init": np.arange(40) % 3, "max_sweeps": 1}
    mixed = dpviz.RunConfig(family="mixed", prior=prior, **options)
    problem, trace = Problem.check(X, mixed), dpviz.run(X, mixed)
    plain = dpviz.RunConfig(family=family, prior=own, **options)
    axes, origin = np.eye(3)[[2, 0]], np.array([0.5, 2.0, -1.0])
    shown = projected_shapes(problem, trace, np.arange(2), axes, origin)
    first = shown.rows == 0
    turned = np.eye(2)[[1, 0]]
    whole = projected_shapes(Problem.check(alone, plain), dpviz.run(alone, plain), np.arange(1), turned, origin[[0, 2]])
    for found, wanted in zip(shown.shapes.ellipses(), whole.shapes.ellipses(), strict=True):
        assert_allclose(found[first], wanted, rtol=1e-9)
    counts, tilted = np.eye(3)[[0, 1]], np.array([[1.0, 0, 0], [0, 1e-9, 1]])
    assert projected_shapes(problem, trace, np.arange(2), counts, origin) is None, "counts have no ellipse"
    assert projected_shapes(problem, trace, np.arange(2), tilted, origin) is None
