"""What the families of independent columns have of their own: scipy's laws, supports, defaults, coordinates, shapes."""

from __future__ import annotations

import math
from dataclasses import replace

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, special, stats

import dpviz
import examples
from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.analysis.hyperparameters import coordinate_search
from dpviz.config import RunConfig
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import cluster_shapes
from dpviz.engine.slow_motion import slow_motion
from dpviz.errors import DpvizError, InvalidDataError, MemoryLimitError
from dpviz.families import FAMILIES, Binomial, Categorical, Exponential, Geometric, NegativeBinomial, Poisson
from dpviz.families.columns import verbs
from dpviz.families.columns.categorical import MOST_COORDINATES
from dpviz.families.columns.exponential import LomaxShapes
from dpviz.families.columns.rising import factorial_table, log_gamma_ratios, log_rise, log_rising, log_risings
from dpviz.families.shapes import LONGEST_BARS
from dpviz.families.verbs import log_leave_one_out, rebuild
from dpviz.text import in_full

every_family = pytest.mark.parametrize("name", examples.ONE_KIND)
discrete = pytest.mark.parametrize("name", examples.DISCRETE)
every_density = pytest.mark.parametrize("name", [n for n in examples.ONE_KIND if n not in examples.WITH_ENDS])
"""Families of which no value has both a density and a probability: a bar as wide as one is drawn is neither."""


def example(name, n_points=12, n_features=2, seed=0):
    """Example data, and the family that its example prior makes."""
    X = FAMILIES[name].example_data(n_points, n_features, seed)
    return X, FAMILIES[name].from_prior(examples.hyperparameters(name, n_features), X)


# --- rising factorials ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", [1e-12, 0.3, 1.0, 11.5, 12.0, 700.25, 1e6, 1e9])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 13, 40, 5000])
def test_rising_factorials_are_sums_of_logarithms(a, n):
    exact = math.fsum(math.log(a + j) for j in range(n))
    assert log_rising(a, float(n)) == pytest.approx(exact, rel=2e-15, abs=2e-13)


def test_long_rising_factorials_are_differences_of_log_gamma():
    a, n = np.array([[0.7], [40.0], [3e4]]), np.array([2e4, 1e6, 1e9])
    assert_allclose(log_risings(a, n), special.gammaln(a + n) - special.gammaln(a), rtol=1e-13)


def test_factorials_are_tabled():
    assert_allclose(factorial_table(9.0), np.log([math.factorial(m) for m in range(10)]), atol=1e-14)


@pytest.mark.parametrize("weight", [1.0, 0.25, 1e-3])
@pytest.mark.parametrize("n", [0.0, 1.0, 8.0, 9.0, 500.0])
def test_events_that_count_less_rise_less(n, weight):
    for a in (0.2, 11.0, 800.0):
        exact = special.gammaln(a + weight * n) - special.gammaln(a)
        assert log_rise(a, n, weight) == pytest.approx(exact, rel=1e-11, abs=1e-11)


# --- predictives ------------------------------------------------------------------------------------------------------


SCIPY_LAWS = {
    "poisson": lambda family: stats.nbinom(family.alpha0, family.beta0 / (family.beta0 + 1)),
    "exponential": lambda family: stats.lomax(family.alpha0, scale=family.beta0),
    "binomial": lambda family: stats.betabinom(family.trials, family.alpha0, family.beta0),
    "geometric": lambda family: stats.betanbinom(1, family.alpha0, family.beta0),
}
"""The predictives of columns that scipy has."""


@pytest.mark.parametrize("name", SCIPY_LAWS)
@pytest.mark.parametrize("n_points", [0, 1, 12])
def test_predictives_are_those_of_scipy(name, n_points):
    X, prior = example(name, n_features=3)
    law = SCIPY_LAWS[name](prior.posterior(X[:n_points]))
    exact = law.logpdf(X) if name == "exponential" else law.logpmf(X)
    assert_allclose(prior.posterior(X[:n_points]).log_densities(X), exact, rtol=1e-10, atol=1e-10)
    assert_allclose(prior.posterior(X[:n_points]).expected_value(), law.mean(), rtol=1e-10)


@every_family
def test_a_row_alone_in_its_cluster_has_the_predictive_of_the_prior(name):
    X, prior = example(name, n_points=1, n_features=3)
    working = prior.working(X)
    state = working.family.bind(working.X, 2)
    rebuild(state, working.X, np.zeros(1, dtype=np.int64), np.array([1]), 1, 0)
    found = log_leave_one_out(state, working.X, 0, 0, 1) + working.log_jacobian
    assert found == pytest.approx(float(prior.log_predictive(X)[0]), abs=1e-12)


def test_a_ratio_of_gamma_functions_is_exact_for_any_step():
    rng = np.random.default_rng(0)
    a, n = 10 ** rng.uniform(-6, 6, 4000), 10 ** rng.uniform(-4, 3, 4000)
    steps = np.round(n + 1)
    assert_allclose(log_gamma_ratios(a, steps), log_risings(a, steps), rtol=1e-13, atol=1e-13)
    halves = log_gamma_ratios(a, n) + log_gamma_ratios(a + n, steps - 0.5)
    assert_allclose(halves, log_gamma_ratios(a, n + (steps - 0.5)), rtol=1e-12, atol=1e-11)
    half = log_gamma_ratios(0.5, np.arange(20.0) + 0.5)  # Γ(n + 1)/Γ(½) = n!/√π
    exact = [math.log(math.factorial(n)) - 0.5 * math.log(math.pi) for n in range(20)]
    assert_allclose(half, exact, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_a_width_scales_the_dispersion_and_keeps_the_expected_mean(seed):
    X = NegativeBinomial.example_data(200, 4, seed)
    usual = NegativeBinomial.from_prior(None, X)
    for share in (8.0, 0.25, 2.0**-9):
        scaled = NegativeBinomial.from_prior({"width": share}, X)
        assert_allclose(scaled.dispersion, usual.dispersion * share, rtol=1e-12)
        assert_allclose(scaled.expected_value(), usual.expected_value(), rtol=1e-9)
    assert_allclose(usual.expected_value(), X.mean(axis=0), rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_over_dispersed_counts_of_one_group_are_one_cluster(seed):
    rng = np.random.default_rng(seed)
    X = rng.negative_binomial(1.5, 1.5 / (1.5 + 10), (300, 8)).astype(float)
    config = RunConfig("mapdp", family="negative_binomial", n_init=2, seed=seed)
    one = dpviz.run(X, config)
    assert one.n_clusters[-1] == 1
    assert dpviz.run(X, replace(config, family="poisson")).nll[-1] > one.nll[-1] + 300


@every_family
@pytest.mark.parametrize("n_points", [0, 3])
def test_predictives_sum_or_integrate_to_one(name, n_points):
    X, prior = example(name, n_features=2)
    family = prior.posterior(X[:n_points])
    if name == "exponential":

        def density(t, column):
            x = family.beta0 * t / (1 - t)
            return (np.exp(family.log_densities(x[None, :])[0]) * family.beta0 / (1 - t) ** 2)[column]

        totals, rest = [integrate.quad(density, 0, 1, (column,))[0] for column in (0, 1)], 0.0
    elif name in examples.WITH_ENDS:

        def of_column(own, d):
            return lambda x: float(np.exp(own.log_densities(np.full((1, 2), x))[0, d]))

        back = replace(family, alpha0=family.omega0, omega0=family.alpha0, m0=-family.m0) if name == "share" else family
        pairs = [(of_column(family, d), of_column(back, d)) for d in (0, 1)]
        totals, rest = [examples.integral(density, name, mirrored) for density, mirrored in pairs], 0.0
    elif name == "circular":  # whose densities are periodic: an even sum over a turn is exact
        values = np.tile(np.linspace(0, 24, 4096, endpoint=False)[:, None], 2)
        totals, rest = np.exp(family.log_densities(values)).mean(axis=0) * 24, 0.0
    elif name in examples.FINITE:
        n_values = family.trials + 1 if name == "binomial" else family.n_categories
        values = np.minimum(np.arange(n_values.max())[:, None], n_values - 1.0)
        probabilities = np.exp(family.log_densities(values))
        totals, rest = [probabilities[:n, d].sum() for d, n in enumerate(n_values)], 0.0
    else:
        most = 400_000.0 if name == "negative_binomial" else 4000.0  # its tail is heavy too
        values = np.tile(np.arange(most)[:, None], 2)
        totals, rest = np.exp(family.log_densities(values)).sum(axis=0), 0.0
        if name == "geometric":  # P(X ≥ x) = B(α, β + x)/B(α, β): its tail is heavy
            beta = special.betaln(family.alpha0, family.beta0)
            rest = np.exp(special.betaln(family.alpha0, family.beta0 + 4000) - beta)
    assert_allclose(np.asarray(totals) + rest, 1, atol=1e-9)


# --- statistics -------------------------------------------------------------------------------------------------------


def test_slots_are_rebuilt_from_what_a_kind_adds_up_whatever_that_is(monkeypatch):
    X, family = example("poisson", n_features=1)
    state = family.bind(X, 2)
    monkeypatch.setattr(verbs, "_with_cell", lambda state, x, d, n, location, rest: (location + x * x, rest + n))
    monkeypatch.setattr(verbs, "_own_term", lambda state, x, d: 0.5)
    add_up = getattr(verbs._add_up, "py_func", verbs._add_up)
    for x in X[:, 0]:
        add_up(state, x, 0, 1)
    assert state.n_cells[0, 1] == 12 and state.location[0, 1] == np.sum(X**2)
    assert state.rest[0, 1] == sum(range(12)) + 6


# --- draws ------------------------------------------------------------------------------------------------------------


@every_family
def test_points_of_draws_have_the_predictive_s_mean(name):
    X, prior = example(name, n_features=3)
    family, rng = prior.posterior(X), np.random.default_rng(1)
    points = np.vstack([family.draw(rng).sample(1, rng) for _ in range(6000)])
    if name == "categorical":
        width = family.n_categories.max()
        points, exact = (points[:, :, None] == np.arange(width)).reshape(6000, -1), family.probabilities().ravel()
    elif name == "circular":
        beside = 2 * np.pi / family.period * (points - family.m0)
        points = np.hstack([np.cos(beside), np.sin(beside)])
        exact = np.concatenate([family.resultant(), np.zeros(3)])
    elif name == "hurdle":  # whose mean is infinite
        zeros = family.alpha0 / (family.alpha0 + family.beta0)
        points = np.hstack([points == 0, (points > 0) & (points < np.exp(family.m0))])
        exact = np.concatenate([zeros, (1 - zeros) / 2])
    elif name == "share":
        weights = family.alpha0, family.omega0, family.beta0
        middle = 4 / (1 + np.exp(-family.m0))
        points = np.hstack([points == 0, points == 4, (points > 0) & (points < middle)])
        exact = np.concatenate([*weights[:2], weights[2] / 2]) / np.tile(np.sum(weights, axis=0), 3)
    else:
        exact = family.expected_value()
    errors = points.std(axis=0) / np.sqrt(6000)
    assert np.all(np.abs(points.mean(axis=0) - exact) <= 4.5 * errors)


@discrete
def test_points_of_a_draw_come_as_often_as_it_says(name):
    X, prior = example(name, n_features=1)
    draw = prior.posterior(X).draw(np.random.default_rng(2))
    points = draw.sample(40_000, np.random.default_rng(3))
    values, counts = np.unique(points, return_counts=True)
    exact = np.exp(draw.log_density(values[:, None]))
    assert exact.sum() > 0.999
    assert np.all(np.abs(counts / 40_000 - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 40_000) + 1e-4)


def test_durations_of_a_draw_are_exponential():
    X, prior = example("exponential")
    draw = prior.posterior(X).draw(np.random.default_rng(2))
    points = draw.sample(20_000, np.random.default_rng(3))
    for column, rate in zip(points.T, draw.rates, strict=True):
        assert stats.kstest(column, stats.expon(scale=1 / rate).cdf).pvalue > 0.001
    exact = stats.expon.logpdf(points[:9], scale=1 / draw.rates).sum(axis=1)
    assert_allclose(draw.log_density(points[:9]), exact, rtol=1e-12)


@pytest.mark.parametrize("name", ["poisson", "geometric", "exponential", "binomial"])
def test_draws_from_priors_worth_almost_nothing_stay_finite(name):
    X = FAMILIES[name].example_data(9, 2)
    family = FAMILIES[name].from_prior({"alpha0": 1e-6}, X)
    rng = np.random.default_rng(0)
    for _ in range(50):
        draw = family.draw(rng)
        assert np.all(np.isfinite(draw.sample(3, rng))) and not np.isnan(draw.log_density(X)).any()


# --- scales -----------------------------------------------------------------------------------------------------------


def test_durations_of_very_different_sizes_keep_their_digits():
    X = np.array([[1e-9], [3e-9], [1e-4], [2.0], [5e8], [1e9], [0.0]])
    labels, prior = np.array([0, 0, 0, 1, 1, 1, 0]), {"alpha0": [0.7], "beta0": [1e-3]}
    config = dpviz.RunConfig("gibbs", family="exponential", prior=prior)
    working = Problem.check(X, config).working
    partition = dpviz.ChineseRestaurant(1.0)
    clusters = CollapsedSweeper(working.family, working.X, working.log_jacobian, partition, labels, 1.0)
    exact = sum(naive.exponential(X[labels == k], **prior) for k in (0, 1))
    log_prior = partition.log_probability(np.bincount(labels))
    assert clusters.nll == pytest.approx(-exact - log_prior, rel=1e-12)
    for i in range(7):  # the largest durations dwarf the rest of their cluster, whose sum must be had otherwise
        others = X[(labels == labels[i]) & (np.arange(7) != i)]
        expected = naive.exponential(np.vstack([others, X[i]]), **prior) - naive.exponential(others, **prior)
        assert clusters.candidates_of(i)[0][labels[i]] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("name", ["poisson", "geometric"])
def test_counts_of_a_billion_keep_five_decimals(name):
    """ln Γ of two billion has an error of 4e-6 by itself; differences of sums of such would be off by more."""
    X = 10.0**9 - np.array([[0.0], [1.0], [40_000.0], [70_000.0]])
    config = dpviz.RunConfig("gibbs", family=name, prior={"alpha0": 2.0, "beta0": 0.001})
    working = Problem.check(X, config).working
    labels = np.zeros(4, dtype=np.int64)
    clusters = CollapsedSweeper(working.family, working.X, 0.0, dpviz.ChineseRestaurant(1.0), labels, 1.0)
    for i in range(4):
        others = X[np.arange(4) != i, 0].sum()
        if name == "poisson":  # scipy's probability mass function, unlike its logarithm, keeps its digits
            exact = np.log(stats.nbinom.pmf(X[i, 0], 2 + others, 3.001 / 4.001))
        else:  # α = 5: the rising factorials of x factors cancel but for a few at either end
            first, last = 0.001 + others + np.arange(5), 0.001 + others + X[i, 0] + np.arange(6)
            exact = np.log(5) + np.log(first).sum() - np.log(last).sum()
        assert clusters.candidates_of(i)[0][0] == pytest.approx(exact, abs=2e-5)
        posterior = working.family.posterior(X[np.arange(4) != i])
        assert posterior.log_predictive(X[[i]])[0] == pytest.approx(exact, abs=2e-5)


# --- supports ---------------------------------------------------------------------------------------------------------

BAD_VALUES = [
    ("poisson", -1.0, "it must be a whole number from 0 to 1,000,000,000. Choose columns that hold counts."),
    ("poisson", 2.5, "it must be a whole number from 0"),
    ("poisson", 2e9, "it must be a whole number from 0 to 1,000,000,000"),
    ("geometric", -3.0, "it must be a whole number from 0"),
    ("geometric", 0.1, "it must be a whole number from 0"),
    ("binomial", -1.0, "it must be a whole number from 0"),
    ("binomial", 1.5, "it must be a whole number from 0"),
    ("exponential", -0.5, "it must be a number ≥ 0. Choose columns that hold durations."),
    ("categorical", -1.0, "it must be a whole number from 0 to 9,999. Code categories as 0, 1, 2, …"),
    ("categorical", 0.5, "it must be a whole number from 0 to 9,999"),
    ("categorical", 10_000.0, "and drop columns that name the points"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD_VALUES)
def test_values_without_a_density_are_refused_by_name(name, value, message):
    X = FAMILIES[name].example_data(9, 2)
    fitted = dpviz.MAPDP(family=name, n_init=1, random_state=0, prior=None).fit(X)
    X[5, 1] = value
    with pytest.raises(InvalidDataError) as error:
        FAMILIES[name].check_data(X, ["visits", "wait"])
    assert str(error.value).startswith(
        f"column “wait” holds {in_full(value)} in row 5; for family = {name!r} it must be"
    )
    assert message in str(error.value)
    for refused in (
        lambda: dpviz.run(X, dpviz.RunConfig(family=name, prior=None)),
        lambda: fitted.predict(X),
        lambda: fitted.score_samples(X),
    ):
        with pytest.raises(InvalidDataError, match="column 1 of X holds .* in row 5") as error:
            refused()
        assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "prior", "message"),
    [
        ("binomial", {"trials": [4, 2]}, "holds 3 in row 2; .* at most its column's number of trials, 2. Raise"),
        ("binomial", {"trials": 1}, r"column 0 of X holds 2 in row 1; .* number of trials, 1\."),
        (
            "circular",
            {"period": [6, 2]},
            "column 1 of X holds 3 in row 2; .* within one turn, from -1 to 2. Take the rest",
        ),
        ("categorical", {"n_categories": 3}, "column 1 of X holds 3 in row 2; .* one of its column's 3 codes, 0 to 2"),
    ],
)
def test_data_beyond_what_the_prior_allows_are_refused(name, prior, message):
    X = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 3.0]])
    with pytest.raises(InvalidDataError, match=message):
        dpviz.run(X, dpviz.RunConfig(family=name, prior=prior))


def test_new_points_beyond_what_was_fitted_are_refused_until_the_prior_allows_them():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    for name, parameter in [("binomial", "trials"), ("categorical", "n_categories")]:
        with pytest.raises(InvalidDataError, match=f"holds 2 in row 0.*{parameter}"):
            dpviz.MAPDP(family=name, prior=None).fit(X).predict([[0.0, 2.0]])
        wider = dpviz.MAPDP(family=name, prior={parameter: 3}).fit(X)
        assert np.isfinite(wider.score_samples([[0.0, 2.0]])[0])


@pytest.mark.parametrize("name", ["binomial", "categorical"])
def test_folds_keep_what_the_columns_can_hold(name):
    X = FAMILIES[name].example_data(30, 2, seed=4)
    X[0, 0] = X[:, 0].max() + 3  # in one fold only
    base = dpviz.RunConfig(family=name, n_init=1, init="single", prior=None)
    cell = next(iter(run_grid(X, Grid(base, (Axis("alpha0", (0.5,)),), 5), n_jobs=1)))
    assert np.isfinite(cell.held_out)


def test_five_thousand_categories_and_one_alone():
    """A column of one category says nothing; one of as many as points, next to nothing."""
    rng = np.random.default_rng(5)
    groups = np.arange(400) % 2
    X = np.column_stack([(rng.random((400, 12)) < 0.1 + 0.8 * groups[:, None]), rng.permutation(5000)[:400]])
    X = X.astype(np.float64)
    assert dpviz.metrics.nmi(groups, dpviz.MAPDP(family="categorical", random_state=0, prior=None).fit(X).labels_) > 0.9
    model = dpviz.run(X, dpviz.RunConfig(family="categorical", prior={"n_categories": 5000}, init=groups))
    plain = dpviz.run(
        np.column_stack([X, np.zeros(400)]),
        dpviz.RunConfig(family="categorical", prior={"n_categories": [5000] * 13 + [1]}, init=groups),
    )
    assert_array_equal(plain.labels, model.labels)
    assert_allclose(plain.nll, model.nll, rtol=1e-12)
    constant = dpviz.MAPDP(family="categorical", prior=None).fit(np.zeros((20, 2)))
    assert constant.n_clusters_ == 1 and constant.score_samples([[0.0, 0.0]])[0] == pytest.approx(0)


def test_more_counts_than_memory_holds_are_refused():
    X = np.column_stack([np.arange(9000.0) % 10_000] * 4)
    with pytest.raises(MemoryLimitError, match="18,001 clusters of 36,000 categories need 10.4 GB; start with fewer"):
        dpviz.run(X, dpviz.RunConfig(family="categorical", init="singletons", prior=None))


def test_categories_a_prior_knows_beyond_the_data_keep_their_probability():
    X = np.array([[0.0], [0.0], [2.0]])
    family = Categorical.from_prior({"n_categories": 5, "alpha0": [1.0, 2.0, 3.0, 4.0, 5.0]}, X)
    assert_allclose(family.posterior(X).probabilities()[0], np.array([3, 2, 4, 4, 5]) / 18)
    assert_array_equal(Categorical.from_prior({"n_categories": 5}, X).alpha0, np.ones(5))


def test_columns_of_fewer_categories_take_the_first_weights():
    X = np.array([[0.0, 0.0], [1.0, 2.0]])
    family = Categorical.from_prior({"alpha0": [0.5, 1.0, 4.0]}, X)
    assert_allclose(family.probabilities(), [[1 / 3, 2 / 3, 0], [0.5 / 5.5, 1 / 5.5, 4 / 5.5]])


# --- defaults and coordinates -----------------------------------------------------------------------------------------


def test_defaults_are_empirical_bayes_at_fixed_weight():
    X = np.array([[1.0, 0.0], [3.0, 2.0], [5.0, 4.0], [7.0, 0.0]])
    expected = {
        "poisson": {"alpha0": [2.0, 2.0], "beta0": [0.5, 4 / 3]},
        "exponential": {"alpha0": [2.0, 2.0], "beta0": [4.0, 1.5]},
        "geometric": {"alpha0": [2.0, 2.0], "beta0": [4.0, 1.5]},
        "negative_binomial": {"alpha0": [4.0, 1 + 18 / 13], "beta0": [2.0, 2.0], "dispersion": [1 / 6, 26 / 27]},
        "binomial": {"alpha0": [8 / 7, 0.75], "beta0": [6 / 7, 1.25], "trials": [7, 4]},
        "categorical": {"n_categories": [8, 5], "alpha0": np.ones(8)},
        "circular": {"period": [24, 2 * np.pi], "resolution": [1, 1], **dict.fromkeys(("m0", "n0", "s0"), [0, 0])},
        "hurdle": {
            "alpha0": [1 / 4, 1],
            "beta0": [7 / 4, 1],
            "m0": np.log([105 ** (1 / 4), 8 ** (1 / 2)]),
            "c0": [0.1, 0.1],
            "a0": [1.5, 1.5],
            "b0": [np.log([1, 3, 5, 7]).var() / 2, np.log([2, 4]).var() / 2],
        },
        "share": {
            "alpha0": [1 / 4, 1],
            "omega0": [1 / 4, 1 / 4],
            "beta0": [3 / 2, 3 / 4],
            "m0": [special.logit([0.01, 0.03, 0.05, 0.07]).mean(), special.logit([0.02, 0.04]).mean()],
            "c0": [0.1, 0.1],
            "a0": [1.5, 1.5],
            "b0": [special.logit([0.01, 0.03, 0.05, 0.07]).var() / 2, special.logit([0.02, 0.04]).var() / 2],
            "whole": [100, 100],
        },
    }
    for name in examples.ONE_KIND:
        default = FAMILIES[name].default_prior(X)
        assert set(default) == set(expected[name])
        for key, value in expected[name].items():
            assert_allclose(default[key], value, rtol=1e-12, err_msg=f"{name} {key}")


DULL = {
    "all zero": np.zeros((20, 2)),
    "all one": np.ones((20, 2)),
    "a zero column": np.column_stack([np.arange(20) % 3, np.zeros(20)]).astype(float),
    "one point": np.array([[3.0, 0.0]]),
    "two equal points": np.full((2, 2), 2.0),
    "duplicated rows": np.repeat([[0.0, 1.0], [9.0, 12.0]], 20, axis=0),
    "more columns than points": np.random.default_rng(1).integers(0, 4, size=(4, 30)).astype(float),
}


@every_family
@pytest.mark.parametrize("case", DULL)
def test_dull_data_work(name, case):
    X = DULL[case]
    for config in (
        dpviz.RunConfig(family=name, n_init=6, prior=None),
        dpviz.RunConfig("gibbs", family=name, n_sweeps=4, burn_in=1, prior=None),
        dpviz.RunConfig("gibbs", family=name, n_sweeps=4, burn_in=1, sampler="explicit_parameters", prior=None),
    ):
        trace = dpviz.run(X, config)
        assert np.isfinite(trace.nll).all() and np.isfinite(trace.objective).all()
        assert np.isfinite(dpviz.explain_assignment(X, trace, -1, 0).loc[-1, "total"])
    if case in ("all zero", "all one"):
        assert dpviz.run(X, dpviz.RunConfig(family=name, n_init=6, prior=None)).n_clusters[-1] == 1


@every_family
def test_coordinates_are_finite_and_put_equal_points_together(name):
    for X in (FAMILIES[name].example_data(60, 3), *DULL.values()):
        places = FAMILIES[name].coordinates(X)
        assert len(places) == len(X) and np.isfinite(places).all()
        assert_array_equal(places[X[:, 0] == X[0, 0]][:, 0], places[0, 0])


def test_coordinates_even_out_the_spread():
    rng = np.random.default_rng(6)
    for family, draw in [
        (Poisson, lambda mean: rng.poisson(mean, 4000)),
        (Geometric, lambda mean: rng.geometric(1 / (1 + mean), 4000) - 1),
        (Exponential, lambda mean: rng.exponential(mean, 4000)),
    ]:
        spreads = [np.std(family.coordinates(draw(mean)[:, None].astype(float))) for mean in (10.0, 100.0, 1000.0)]
        assert max(spreads) / min(spreads) < 1.25
    zeros = Exponential.coordinates(np.array([[0.0, 0.0], [4.0, 0.0], [8.0, 0.0]]))
    assert_allclose(zeros, np.log([[2.0, 1.0], [4.0, 1.0], [8.0, 1.0]]))
    assert_allclose(Binomial.coordinates(np.array([[0.0, 0], [5, 0]])), [[0, 0], [1, 0]])


def test_categories_are_at_equal_distances_and_rare_ones_share_a_place():
    X = np.array([[0.0], [3.0], [1.0], [3.0]])
    places = Categorical.coordinates(X)
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    assert_allclose(distances, X != X.T, atol=1e-12)
    many = Categorical.coordinates(np.concatenate([np.zeros(5), np.arange(5000.0)])[:, None])
    assert many.shape == (5005, MOST_COORDINATES)
    assert_array_equal(many[-1], 0)


# --- how clusters are shown -------------------------------------------------------------------------------------------


@every_family
def test_formulas_give_the_number_they_write_out(name):
    X, prior = example(name, n_features=3)
    formula = prior.posterior(X[1:]).formula(X[0])
    exact = naive.LOG_MARGINALS[name](X[1:], **examples.hyperparameters(name, 3))
    exact -= naive.LOG_MARGINALS[name](X, **examples.hyperparameters(name, 3))
    assert formula.value == pytest.approx(exact, abs=1e-9)
    x = {symbol: np.asarray(values) for symbol, values in formula.columns.items()}
    assert all(values.shape == (3,) for values in x.values())
    a, b, y = x.get("α"), x.get("β"), np.log(np.where(x["x"] > 0, x["x"], 1))
    terms = {
        "poisson": lambda: (
            special.gammaln(a)
            + special.gammaln(x["x"] + 1)
            - special.gammaln(a + x["x"])
            + a * np.log((b + 1) / b)
            + x["x"] * np.log(b + 1)
        ),
        "exponential": lambda: np.log(b / a) + (a + 1) * np.log1p(x["x"] / b),
        "geometric": lambda: special.betaln(a, b) - special.betaln(a + 1, b + x["x"]),
        "negative_binomial": lambda: (
            special.betaln(a, b)
            - special.betaln(a + 1 / x["φ"], b + x["x"])
            + special.gammaln(1 / x["φ"])
            + special.gammaln(x["x"] + 1)
            - special.gammaln(x["x"] + 1 / x["φ"])
        ),
        "binomial": lambda: (
            special.betaln(a, b)
            - special.betaln(a + x["x"], b + x["t"] - x["x"])
            - np.log(special.comb(x["t"], x["x"]))
        ),
        "categorical": lambda: np.log(x["Σ α"] / x["α of x"]),
        "circular": lambda: _circular_terms(x, prior.n_concentrations),
        "hurdle": lambda: np.where(
            x["x"] == 0,
            np.log((a + b) / a),
            np.log((a + b) / b) + y - stats.t.logpdf(y, x["ν"], x["m"], x["s"]),
        ),
        "share": lambda: (
            np.log(a + x["ω"] + b)
            - np.select(
                [x["x"] == 0, x["x"] == x["T"]],
                [np.log(a), np.log(x["ω"])],
                np.log(b) + logit_terms(x, x["x"] / x["T"]),
            )
        ),
    }
    assert terms[name]().sum() == pytest.approx(formula.value, abs=1e-9)


def logit_terms(x, shares):
    shares = np.where((shares > 0) & (shares < 1), shares, 0.5)
    slopes = -np.log(x["T"] * shares * (1 - shares))
    return stats.t.logpdf(special.logit(shares), x["ν"], x["m"], x["s"]) + slopes


def _circular_terms(x, n_concentrations):
    """The formula's sums over κ, with the length of the sum of one more unit vector by the cosine rule."""
    beside = np.cos(2 * np.pi / x["P"] * (x["x"] - x["direction"]))
    longer = np.sqrt(x["R"] ** 2 + 1 + 2 * x["R"] * beside)

    def log_sum(n, length, most):
        kappa = np.array([0.0, *(0.5 * 2.0 ** np.arange(most))])
        flat = np.log(special.ive(0, kappa)) + kappa
        return special.logsumexp(np.log(special.ive(0, kappa * length)) + kappa * length - n * flat)

    before = np.array(list(map(log_sum, x["n"], x["R"], n_concentrations)))
    return np.log(x["P"]) + before - np.array(list(map(log_sum, x["n"] + 1, longer, n_concentrations)))


@every_density
def test_shapes_of_one_column_are_the_posterior_predictives(name):
    X = FAMILIES[name].example_data(50, 1, seed=3) * (1e4 if name == "exponential" else 1)
    config = dpviz.RunConfig("gibbs", family=name, n_sweeps=8, burn_in=2, seed=3, prior=None)
    trace, problem = dpviz.run(X, config), Problem.check(X, config)
    found = cluster_shapes(problem, trace, np.arange(len(trace.labels)))
    assert found is not None and len(found.labels) == trace.n_clusters[trace.label_sweeps].sum()
    grid = found.shapes.grid(X[:, 0])
    assert np.all(np.diff(grid) > 0) and grid[0] <= X.min() and grid[-1] >= X.max()
    curves = found.shapes.curves(grid)
    values = grid if FAMILIES[name].kind in examples.RANGES else np.round(grid)
    for one, (row, label) in enumerate(zip(found.rows, found.labels, strict=True)):
        family = problem.family.posterior(X[trace.labels[row] == label])
        assert_allclose(curves[one], np.exp(family.log_predictive(values[:, None])), rtol=1e-9)
    two = Problem.check(np.hstack([X, X]), config)
    run = dpviz.run(np.hstack([X, X]), config)
    assert (cluster_shapes(two, run, np.arange(len(run.labels))) is None) == (name != "circular")


@every_density
def test_shapes_of_a_draw_are_its_density(name):
    X, prior = example(name, n_features=1, n_points=30)
    draw = prior.posterior(X).draw(np.random.default_rng(4))
    shapes = draw.shapes()
    grid = shapes.grid(X[:, 0])
    values = grid if FAMILIES[name].kind in examples.RANGES else np.round(grid)
    assert_allclose(shapes.curves(grid)[0], np.exp(draw.log_density(values[:, None])), rtol=1e-9)
    assert example(name, n_features=2)[1].draw(np.random.default_rng(4)).shapes() is None


@pytest.mark.parametrize("name", ["poisson", "geometric", "binomial"])
def test_more_values_than_bars_draw_nothing(name):
    X = np.array([[0.0], [3.0 * LONGEST_BARS], [4.0 * LONGEST_BARS]])
    config = dpviz.RunConfig(family=name, n_init=1, prior=None)
    assert cluster_shapes(Problem.check(X, config), dpviz.run(X, config), np.arange(1)) is None
    assert (
        FAMILIES[name]
        .from_prior({"alpha0": 1e9 if name != "geometric" else 1.0, "beta0": 1e5}, X)
        .draw(np.random.default_rng(0))
        .shapes()
        is None
    )


def test_density_curves_can_be_shown_in_other_units():
    shapes = LomaxShapes(np.array([3.0, np.inf]), np.array([2.0, 5.0]), np.zeros(2))
    grid = np.linspace(0, 30, 61)
    exact = [stats.lomax.pdf(grid, 3.0, scale=2.0), stats.expon.pdf(grid, scale=5.0)]
    assert_allclose(shapes.curves(grid), exact, rtol=1e-12)
    for unit in (0.1, -4.0):
        shown = shapes.projected(np.array([[unit]]), np.array([1.0]))
        assert_allclose(shown.curves((grid - 1.0) * unit), np.array(exact) / abs(unit), rtol=1e-12)
    assert shapes.projected(np.eye(2), np.zeros(2)) is None
    assert np.all(shapes.curves(np.array([-1.0])) == 0)


# --- models that are used ---------------------------------------------------------------------------------------------


@every_family
def test_clear_groups_are_found(name):
    groups = np.arange(150) % 3
    rng = np.random.default_rng(7)
    means = np.array([1.0, 12.0, 60.0])[rng.permuted(np.tile([0, 1, 2], (12, 1)), axis=1).T][groups]
    X = {
        "poisson": lambda: rng.poisson(means),
        "geometric": lambda: rng.geometric(1 / (1 + means)) - 1,
        "negative_binomial": lambda: rng.negative_binomial(4, 4 / (4 + means)),
        "exponential": lambda: rng.exponential(means),
        "binomial": lambda: rng.binomial(8, means / (8 + means)),
        "categorical": lambda: np.minimum(np.log10(means) + 1 + rng.integers(0, 2, means.shape), 3).astype(int),
        "circular": lambda: np.mod(8 * np.log10(means) + rng.normal(-1.0, 2.0, means.shape), 24),
        "hurdle": lambda: means * np.exp(rng.normal(0, 0.4, means.shape)) * (rng.random(means.shape) < 0.7),
        "share": lambda: np.where(
            rng.random(means.shape) < 0.3,
            rng.random(means.shape) < means / (8 + means),
            special.expit(np.log(means / 8) + rng.normal(0, 0.5, means.shape)),
        ),
    }[name]().astype(float)
    narrow = {"width": 1 / 8} if name == "negative_binomial" else None  # usually one cluster has the data's dispersion
    model = dpviz.MAPDP(family=name, random_state=0, prior=narrow).fit(X)
    assert dpviz.metrics.nmi(groups, model.labels_) > 0.9
    assert_array_equal(model.predict(X), model.labels_)
    assert np.all(np.diff(model.trace_.nll)[1:] <= 1e-9)
    for k, summary in enumerate(model.cluster_summaries()):
        assert summary.size == np.sum(model.labels_ == k)
    slow = slow_motion(X, model.trace_, 1)
    assert_array_equal(np.sort(slow.points), np.arange(150))


def test_binary_data_are_one_trial_or_two_categories():
    """Beta–Bernoulli and a Dirichlet over two codes are the same model."""
    X = (np.random.default_rng(8).random((40, 5)) < 0.4).astype(float)
    labels = np.arange(40) % 3
    binomial = dpviz.run(X, dpviz.RunConfig(family="binomial", prior={"alpha0": 0.8, "beta0": 0.3}, init=labels))
    codes = dpviz.run(X, dpviz.RunConfig(family="categorical", prior={"alpha0": [0.3, 0.8]}, init=labels))
    assert_array_equal(binomial.labels, codes.labels)
    assert_allclose(binomial.nll, codes.nll, rtol=1e-12)


def test_a_number_that_stands_for_a_vector_is_searched_like_the_vector():
    X = FAMILIES["poisson"].example_data(30, 2)
    priors = {"alpha0": 30.0}, {"alpha0": [30.0, 30.0]}
    configs = [dpviz.RunConfig(family="poisson", prior=prior, n_init=2) for prior in priors]
    found = [[step.nll for step in coordinate_search(X, config, ["alpha0"])] for config in configs]
    assert found[0] == found[1] and found[0][-1] < found[0][0]


def test_hyperparameters_that_contradict_the_data_say_so_in_searches_too():
    with pytest.raises(DpvizError, match="n_categories"):
        list(coordinate_search([[0.0], [4.0]], dpviz.RunConfig(family="categorical", prior={"n_categories": 2})))
