"""Coarsened posteriors: exact powers of the likelihood for every family, and densities of whole points."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import naive
import numpy as np
import pytest
from command_line import cli
from numpy.testing import assert_allclose
from scipy import integrate, special, stats
from test_sampler_exact import (
    SIX,
    check_law,
    fast_chain,
    partition_prior,
    points,
    sweeper_of,
)
from verbs import call_log_leave_one_out, call_log_predictive, call_rebuild

import dpviz
import examples
from dpviz.analysis.coarsening import Level, bend, levels, usual_values
from dpviz.analysis.comparison import comparable_groups
from dpviz.analysis.held_out import held_out_folds
from dpviz.analysis.merging import tree
from dpviz.analysis.prediction import predict
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.families.coarsened import SPREADS, Coarsened
from dpviz.families.columns.kinds import KINDS
from dpviz.families.gaps import WithGaps
from dpviz.figures.coarsening import fit_against_clusters
from dpviz.fit.automatic import resolve
from dpviz.live.facts import why_not
from dpviz.report.words import citations, methods_paragraph

every_family = pytest.mark.parametrize("family", FAMILIES)
WIDE = 9
"""Columns of examples; those of a mixed table are then of all kinds."""
GROUPS = np.repeat([0, 1, 2], 20)


def example(family: str, n_points: int, n_features: int, seed: int = 1):
    own = FAMILIES[family]
    X = own.example_data(n_points, n_features, seed)
    return X, own.from_prior(own.example_prior(n_features), X)


def lumps(seed: int = 0, n_columns: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, n_columns)) + 8 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[GROUPS][:, :n_columns]


# --- the powered marginal ---------------------------------------------------------------------------------------------


@every_family
@pytest.mark.parametrize("n_features", [1, 2, WIDE])
def test_a_weight_of_one_is_the_model_and_parts_of_repeated_points_are_the_points(family, n_features):
    X, own = example(family, 7, n_features)
    expected = own.log_marginal(X)
    assert Coarsened.of(own, 1.0).log_marginal(X) == pytest.approx(expected, rel=1e-13, abs=1e-11)
    for parts in (2, 3):
        found = Coarsened.of(own, 1 / parts).log_marginal(np.repeat(X, parts, axis=0))
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("family", examples.INDEPENDENT)
def test_the_same_with_gaps(family):
    X, own = example(family, 7, 3)
    X[2, 0] = X[4, 1] = X[4, 2] = np.nan
    with_gaps = WithGaps.of(own)
    expected = with_gaps.log_marginal(X)
    found = Coarsened.of(with_gaps, 0.5).log_marginal(np.repeat(X, 2, axis=0))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_spreads_of_kinds_are_hyperparameters_of_theirs():
    for kind in KINDS:
        for family in kind.families:
            assert set(kind.spreads) <= {parameter.name for parameter in family.hyperparameters}
    assert {family: SPREADS[FAMILIES[family]] for family in ("exponential", "normal_gamma", "poisson")} == {
        "exponential": ("beta0",), "normal_gamma": ("c0", "b0"), "poisson": (),
    }  # fmt: skip


ZETA = 0.37
ONE_PARAMETER = {
    "spherical_normal": lambda p: (
        stats.norm(p["mu0"][0], np.sqrt(p["sigma0_sq"])),
        lambda x, m: stats.norm.logpdf(x, m, np.sqrt(p["sigma_hat_sq"])),
        (-30, 30),
    ),
    "exponential": lambda p: (
        stats.gamma(p["alpha0"], scale=1 / p["beta0"]),
        lambda x, r: stats.expon.logpdf(x, scale=1 / r),
        (0, 60),
    ),
    "poisson": lambda p: (stats.gamma(p["alpha0"], scale=1 / p["beta0"]), stats.poisson.logpmf, (0, 60)),
    "geometric": lambda p: (stats.beta(p["alpha0"], p["beta0"]), lambda x, r: stats.geom.logpmf(x + 1, r), (0, 1)),
    "negative_binomial": lambda p: (
        stats.beta(p["alpha0"], p["beta0"]),
        lambda x, r: stats.nbinom.logpmf(x, 1 / p["dispersion"], r),
        (0, 1),
    ),
    "binomial": lambda p: (
        stats.beta(p["alpha0"], p["beta0"]),
        lambda x, r: stats.binom.logpmf(x, p["trials"], r),
        (0, 1),
    ),
}
"""Prior of the parameter, log density of a point given it, and where to integrate."""


@pytest.mark.parametrize("family", ONE_PARAMETER)
def test_powered_marginals_are_the_integrals_that_define_them(family):
    X, own = example(family, 5, 1)
    values = {parameter.name: np.ravel(getattr(own, parameter.name)) for parameter in own.hyperparameters}
    prior, log_density, bounds = ONE_PARAMETER[family]({k: v if k == "mu0" else v[0] for k, v in values.items()})
    inside = bounds[0] + 1e-12, bounds[1] - 1e-12

    def integrand(theta):
        return prior.pdf(theta) * np.exp(ZETA * np.sum(log_density(X[:, 0], theta)))

    integral = integrate.quad(integrand, *inside, limit=400, epsabs=0, epsrel=1e-9)[0]
    assert Coarsened.of(own, ZETA).log_marginal(X) == pytest.approx(np.log(integral), abs=1e-6)


@pytest.mark.parametrize("family", ["normal_gamma", "normal_wishart"])
def test_powered_marginals_of_normals_of_unknown_spread_are_integrals_too(family):
    X, own = example(family, 5, 1)
    gamma = family == "normal_gamma"
    shape, rate = (own.a0, own.b0[0]) if gamma else (own.a0 / 2, own.psi0[0, 0] / 2)

    def integrand(mean, log_precision):
        precision = np.exp(log_precision)
        log_prior = stats.gamma.logpdf(precision, shape, scale=1 / rate) + log_precision
        log_prior += stats.norm.logpdf(mean, own.m0[0], 1 / np.sqrt(own.c0 * precision))
        return np.exp(log_prior + ZETA * stats.norm.logpdf(X[:, 0], mean, 1 / np.sqrt(precision)).sum())

    integral = integrate.dblquad(integrand, -9, 4, -25, 25, epsabs=0, epsrel=1e-7)[0]
    assert Coarsened.of(own, ZETA).log_marginal(X) == pytest.approx(np.log(integral), abs=1e-5)


def test_powered_marginals_of_categories_are_ratios_of_dirichlet_normalisers():
    X, own = example("categorical", 9, 2)
    weights = own.weights()
    total = 0.0
    for d, alpha in enumerate(weights):
        alpha = alpha[: own.n_categories[d]]
        seen = alpha + ZETA * np.bincount(X[:, d].astype(int), minlength=len(alpha))
        total += special.gammaln(seen).sum() - special.gammaln(seen.sum())
        total -= special.gammaln(alpha).sum() - special.gammaln(alpha.sum())
    assert Coarsened.of(own, ZETA).log_marginal(X) == pytest.approx(total, abs=1e-11)


# --- the kernels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "gaps"), [*((name, False) for name in FAMILIES), *((name, True) for name in examples.INDEPENDENT)]
)
def test_sweeps_weigh_ratios_of_marginals(family, gaps):
    """Of a point outside, of a member without itself, and after the point has come and gone."""
    n_features = 6 if gaps else WIDE if family == "mixed" else 3  # of six none shares a covariance
    X, own = example(family, 12, n_features)
    if gaps:
        X[3, 0] = X[7, 2] = np.nan
    model = Coarsened.of(WithGaps.of(own) if gaps else own, ZETA)
    working, labels = model.working(X), np.arange(12) % 2
    state, sizes = working.family.bind(working.X, 3), np.array([6, 6, 0])
    call_rebuild(state, working.X, labels, sizes, 2)
    members = [np.flatnonzero(labels == k) for k in range(2)]
    for i in range(12):
        k = labels[i]
        outside, others = members[1 - k], members[k][members[k] != i]
        joined = model.log_marginal(X[[*outside, i]]) - model.log_marginal(X[outside])
        without = model.log_marginal(X[members[k]]) - model.log_marginal(X[others])
        found = call_log_predictive(state, working.X, i, 1 - k, 6) + working.log_jacobian
        assert found == pytest.approx(joined, abs=1e-8)
        found = call_log_leave_one_out(state, working.X, i, k, 6) + working.log_jacobian
        assert found == pytest.approx(without, abs=1e-8)
        assert model.posterior(X[outside]).log_marginal(X[[i]]) == pytest.approx(joined, abs=1e-8)
        assert model.posterior(X[outside]).formula(X[i]).value == pytest.approx(-joined, abs=1e-8)


@pytest.mark.parametrize(("family", "prior"), examples.every_family_with(["chinese_restaurant", "pitman_yor"]))
@pytest.mark.slow
def test_the_chain_visits_all_203_partitions_of_six_points_as_the_powered_likelihood_tells(family, prior):
    X, partitions = points(SIX, family), naive.set_partitions(6)
    config = dpviz.RunConfig("gibbs", family=family, prior=examples.hyperparameters(family, 2), coarsening=9.0)
    problem = Problem.check(X, replace(config, partition=partition_prior(prior)))
    assert problem.coarsening == 0.6
    model = naive.Model(X, family, {}, prior)
    model.log_marginal = lambda block: problem.model.log_marginal(X[sorted(block)])
    exact = model.posterior(partitions)
    assert_allclose(partition_nll(problem, partitions[::40]), [model.nll(z) for z in partitions[::40]])
    begin = lambda labels: sweeper_of(problem.working, labels, problem.partition)  # noqa: E731
    labels = fast_chain(X, family, prior, 200_000, seed=1, begin=begin)
    check_law(labels, exact, partitions, spread=0.5)


@pytest.mark.parametrize("sampler", ["explicit_parameters", "explicit_weights"])
def test_samplers_of_explicit_parameters_target_the_same_law(sampler):
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_gamma",
        prior=examples.hyperparameters("normal_gamma", 2),
        coarsening=9.0,
        partition=dpviz.FiniteDirichlet(2.0, 3),
        sampler=sampler,
        n_sweeps=4_000,
        burn_in=100,
    )
    problem, partitions = Problem.check(SIX, config), naive.set_partitions(6)
    weights = np.exp(-partition_nll(problem, partitions))
    law = np.bincount(partitions.max(axis=1), weights / weights.sum())
    draws = dpviz.run(SIX, config).draws
    n_clusters = np.array([len(np.unique(draw)) for draw in draws])
    found = np.bincount(n_clusters - 1, minlength=len(law))[: len(law)] / len(draws)
    assert_allclose(found, law, atol=0.04)


@every_family
def test_map_dp_never_raises_its_objective(family):
    X = examples.data(family, lumps(), seed=2)
    prior = examples.hyperparameters(family, 2)
    config = dpviz.RunConfig(family=family, prior=prior, coarsening=30.0, init="random", init_clusters=8, n_init=1)
    trace = dpviz.run(X, config)
    assert len(trace.nll) > 2 and all(after <= before + 1e-9 for before, after in pairwise(trace.nll))
    again = partition_nll(Problem(X, trace.config), [trace.result_labels])[0]
    assert again == pytest.approx(trace.nll[-1], rel=1e-10)


# --- whole points under the powered posterior -------------------------------------------------------------------------


@every_family
def test_new_rows_are_whole_points_under_the_powered_posterior(family):
    """Of points that count by halves and are there twice, the posterior is that of the points once."""
    n_features = WIDE if family == "mixed" else 2
    X, new = (FAMILIES[family].example_data(n, n_features, seed) for n, seed in ((20, 1), (5, 2)))
    config = dpviz.RunConfig(family=family, prior=examples.hyperparameters(family, n_features))
    once = Problem.check(X, config)
    twice = Problem.check(np.repeat(X, 2, axis=0), replace(config, coarsening=40.0))
    labels = np.arange(20) % 3
    plain, coarse = PartitionPredictive(once, labels), PartitionPredictive(twice, np.repeat(labels, 2))
    assert_allclose(coarse.log_predictives(new), plain.log_predictives(new), rtol=1e-9)
    one, other = once.model.summarise(X[:7]), twice.model.summarise(np.repeat(X[:7], 2, axis=0))
    assert other.size == 14 and type(other.posterior) is type(one.posterior)
    terms = coarse.contributions(new)
    assert (terms is None) == (plain.contributions(new) is None)


def test_held_out_densities_are_comparable_and_those_of_few_points_worse():
    X = lumps()
    means = {}
    for alpha in (None, 1e9, 1.0):
        config = dpviz.RunConfig(family="normal_gamma", prior=None, coarsening=alpha, n_init=2, effort=0)
        means[alpha] = np.mean([fold.mean for fold in held_out_folds(X, config)])
    assert means[1e9] == pytest.approx(means[None], abs=1e-6) and means[1.0] < means[None]


def test_new_rows_with_gaps_and_rows_without_any_cell():
    X, new = lumps(), np.array([[8.0, np.nan], [np.nan, np.nan]])
    for family in ("normal_gamma", "normal_wishart"):
        trace = dpviz.run(X, dpviz.RunConfig(family=family, prior=None, coarsening=500.0, n_init=1))
        found = predict(X, trace, new)
        assert np.isfinite(found.log_density[0]) and found.log_density[1] == pytest.approx(0.0, abs=1e-9)


def test_rows_that_no_cluster_can_hold_are_refused():
    X = np.repeat([[0.0], [1.0], [2.0]], 5, axis=0)
    trace = dpviz.run(X, dpviz.RunConfig(family="categorical", prior=None, coarsening=5.0, n_init=1))
    with pytest.raises(InvalidDataError):
        predict(X, trace, np.array([[7.0]]))


# --- with everything else ---------------------------------------------------------------------------------------------


def test_few_points_see_fewer_clusters():
    rng = np.random.default_rng(3)
    X = np.exp(rng.normal(size=(400, 2)) * 0.8)  # skewed: bell curves must be several
    options = {"family": "normal_wishart", "transform": None, "n_init": 3, "effort": 0.1, "random_state": 0}
    found = [dpviz.MAPDP(coarsening=a, **options).fit(X).n_clusters_ for a in (None, 20.0)]
    assert found[0] > 3 and found[1] < found[0]


def test_nearly_all_of_a_point_is_the_point():
    X = lumps()
    plain = dpviz.run(X, dpviz.RunConfig(family="normal_wishart", prior=None, n_init=2))
    coarse = dpviz.run(X, dpviz.RunConfig(family="normal_wishart", prior=None, n_init=2, coarsening=1e9))
    assert np.array_equal(plain.result_labels, coarse.result_labels)
    assert coarse.nll[-1] == pytest.approx(plain.nll[-1], rel=1e-6)


def test_what_is_automatic_is_chosen_of_the_model_as_it_is():
    X = lumps()
    coarse, plain = (resolve(X, dpviz.RunConfig(coarsening=alpha)).config for alpha in (20.0, None))
    assert coarse == replace(plain, coarsening=20.0)


def test_merges_cost_powered_marginals_and_overlap_by_densities_of_whole_points():
    X = lumps()
    trace = dpviz.run(X, dpviz.RunConfig(family="normal_gamma", prior=None, coarsening=500.0))
    assert trace.n_clusters[-1] == 3
    found, problem = tree(X, trace), Problem(X, trace.config)
    two = found.labels(2)
    assert found.nll[1] == pytest.approx(partition_nll(problem, [two])[0], rel=1e-10)
    assert np.all(found.overlaps[:1] < 0.05)


@pytest.mark.parametrize("family", ["normal_wishart", "spherical_normal"])
def test_clusters_in_some_directions_may_be_coarsened(family):
    X = np.hstack([lumps(), np.random.default_rng(1).normal(size=(60, 3))])
    config = dpviz.RunConfig(family=family, prior=None, directions=2, n_init=2)
    plain, coarse = (dpviz.run(X, replace(config, coarsening=alpha)) for alpha in (None, 1e9))
    assert coarse.nll[-1] == pytest.approx(plain.nll[-1], rel=1e-6)
    both = [predict(X, trace, X[:5] + 0.1).log_density for trace in (plain, coarse)]
    assert_allclose(*both, rtol=1e-5)
    assert np.isfinite(predict(X, dpviz.run(X, replace(config, coarsening=10.0)), X[:5]).log_density).all()


@pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])
def test_missing_cells_are_filled_in_under_the_powered_posterior(algorithm):
    X = lumps()
    X[::7, 0] = np.nan
    config = dpviz.RunConfig(
        algorithm,
        family="normal_wishart",
        prior=None,
        missing="impute",
        n_init=1,
        n_sweeps=30,
        burn_in=10,
        coarsening=200.0,
        init=GROUPS.tolist(),
    )
    trace = dpviz.run(X, config)
    assert trace.imputed is not None and np.isfinite(trace.imputed).all()
    if algorithm == "mapdp":
        assert all(after <= before + 1e-6 for before, after in pairwise(trace.nll[1:]))


@every_family
def test_shapes_are_those_of_whole_points(family):
    """Of points that count by halves and are there twice they are those of the points once."""
    X = examples.data(family, lumps(n_columns=1), seed=1)
    config = dpviz.RunConfig(family=family, prior=examples.hyperparameters(family, 1), init=GROUPS.tolist())
    problems = Problem(X, config), Problem(np.repeat(X, 2, axis=0), replace(config, coarsening=120.0))
    shapes = []
    for problem, repeats in zip(problems, (1, 2), strict=True):
        labels = np.repeat(GROUPS, repeats)
        state, sizes = problem.working.family.bind(problem.working.X, 4), np.append(np.bincount(labels), 0)
        call_rebuild(state, problem.working.X, labels, sizes, 3)
        shapes.append(problem.model.slot_shapes(state, sizes[:3], problem.working))
    one, other = shapes
    if "multinomial" in family:  # whose columns are one
        assert one is other is None
        return
    grid = one.grid(X[:, 0])
    assert_allclose(other.curves(grid), one.curves(grid), rtol=1e-9)


# --- configurations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [0, -1.0, np.nan, np.inf, 1e12, 1e-9, "much", True, [5.0]])
def test_what_is_no_number_of_points_is_refused(wrong):
    with pytest.raises(InvalidParameterError, match="coarsening"):
        dpviz.RunConfig(coarsening=wrong)
    with pytest.raises(InvalidParameterError, match="coarsening"):
        dpviz.MAPDP(coarsening=wrong).fit(lumps())


def test_families_of_other_packages_are_refused():
    class Other(type(example("poisson", 5, 1)[1])):
        name = "other"

    own = example("poisson", 5, 1)[1]
    other = Other(**{parameter.name: getattr(own, parameter.name) for parameter in own.hyperparameters})
    with pytest.raises(InvalidParameterError, match="coarsening must be None with family = 'other'"):
        Coarsened.of(other, 0.5)


def test_nll_of_different_alpha_are_not_compared():
    X = lumps()
    alphas = (None, 20.0, 20.0, 500.0)
    configs = [dpviz.RunConfig(family="normal_gamma", prior=None, coarsening=alpha) for alpha in alphas]
    assert comparable_groups(X, configs) == ["a", "b", "b", "c"]


def test_a_browser_leaves_it_to_the_server():
    config = dpviz.RunConfig(family="normal_gamma", prior=None, coarsening=20.0)
    assert why_not(config, lumps()) == "Coarsened models are computed on the server."


def test_the_command_line_and_words_know_it(tmp_path, capsys):
    table = tmp_path / "table.csv"
    np.savetxt(table, lumps(), delimiter=",", header="a,b", comments="")
    assert cli("run", table, "--coarsening 40") == 0
    assert "coarsened at α = 40" in "".join(capsys.readouterr())
    assert cli("run", table, "--coarsening -3") != 0
    assert "coarsening = -3.0 must be a number from 0.001 to 1e+09" in capsys.readouterr().err
    trace = dpviz.run(lumps(), dpviz.RunConfig(prior=None, coarsening=40.0, n_init=1, effort=0))
    said = methods_paragraph(trace, 60, 2)
    assert "to the power α/(α + N) = 0.4, α = 40" in said and "Miller & Dunson" in " ".join(citations(trace))


# --- the curve from which α is read -----------------------------------------------------------------------------------

MODEL = dpviz.RunConfig(family="normal_gamma", prior=None)
POINTS = dpviz.datasets.synthesize("elliptical_overlap", n=60).X


def level(alpha: float, n_clusters: int, fit: float) -> Level:
    return Level(alpha, alpha / (alpha + 100), n_clusters, fit, np.zeros(100, dtype=np.int64), MODEL)


def test_levels_go_from_fine_to_coarse_each_no_worse_than_the_partition_before():
    found = list(levels(POINTS, MODEL, [5.0, 1000.0, 50.0]))
    assert [one.alpha for one in found] == [1000.0, 50.0, 5.0]
    for before, after in zip(found, found[1:], strict=False):
        nll = partition_nll(Problem(POINTS, after.config), [before.labels, after.labels])
        assert nll[1] <= nll[0] + 1e-9
        assert after.weight == after.alpha / (after.alpha + len(POINTS))
    values = usual_values(300)
    assert values[0] == pytest.approx(30_000) and values[-1] == pytest.approx(10) and len(values) == 9


def test_the_bend_is_the_corner_of_the_curve_up_to_the_best_fit():
    corner = level(100, 3, -1.2)
    found = [level(1e4, 9, -1.0), level(1e3, 6, -1.1), corner, level(30, 2, -3.0), level(10, 1, -4.0)]
    assert bend(found) is corner
    assert bend([*found, level(1e5, 20, -1.5)]) is corner, "what fits worse than fewer clusters does not count"
    assert bend([]) is None and bend(found[:2]) is None and bend([level(1, 1, -1.0)] * 4) is None


def test_what_has_no_likelihood_or_no_alpha_is_refused():
    with pytest.raises(InvalidParameterError, match="algorithm = 'kmeans' must be mapdp or gibbs"):
        levels(POINTS, dpviz.RunConfig("kmeans"))
    with pytest.raises(InvalidParameterError, match="coarsening"):
        levels(POINTS, MODEL, [10.0, -1.0])


def test_the_figure_holds_the_levels():
    found = [level(1e4, 9, -1.0), level(100, 3, -1.2), level(10, 1, -4.0)]
    curve, corner, chosen = fit_against_clusters(found[::-1], found[1], found[0]).data
    assert list(curve.x) == [9, 3, 1] and list(curve.y) == [-1.0, -1.2, -4.0]
    assert list(corner.x) == [3] and list(chosen.x) == [9]
    assert len(fit_against_clusters(found, None, found[0]).data) == 2
