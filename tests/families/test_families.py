"""Component families: the readable formulas and the kernels' verbs against joint densities, quadrature and draws."""

from __future__ import annotations

import re

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from verbs import (
    call_add_point,
    call_clear_slot,
    call_log_leave_one_out,
    call_log_marginal,
    call_log_predictive,
    call_rebuild,
    call_remove_point,
)

import dpviz
import examples
from dpviz.errors import IllConditionedError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.families.verbs import SLOT_FIELDS, SLOT_LAST_FIELDS

every_family = pytest.mark.parametrize("name", FAMILIES)
every_gaussian = pytest.mark.parametrize("name", examples.GAUSSIAN)
every_dimension = pytest.mark.parametrize("n_features", [1, 2, 3])
both_priors = pytest.mark.parametrize("default", [True, False], ids=["default", "given"])
LABELS = np.array([0, 1, 2, 0, 1, 0, 0, 1, 0, 3, 1, 0])


def data(n_features, n_points=12, seed=0, name="normal_gamma"):
    rng = np.random.default_rng([seed, n_features])
    X = rng.normal(size=(n_points, n_features)) * np.linspace(0.6, 1.7, n_features) + np.linspace(0, 1, n_features)
    return examples.data(name, X, seed)


def build(name, X, default):
    """The family, and the same hyperparameters as a dict."""
    given = None if default else examples.hyperparameters(name, X.shape[1])
    family = FAMILIES[name].from_prior(given, X)
    return family, {p.name: getattr(family, p.name) for p in family.hyperparameters}


def naive_log_predictive(name, hyperparameters, x, others):
    log_marginal_of = naive.LOG_MARGINALS[name]
    without = log_marginal_of(others, **hyperparameters) if len(others) else 0.0
    return log_marginal_of(np.vstack([others, x]), **hyperparameters) - without


class Slots:
    """A kernel state over working data, and the bookkeeping of a sweep."""

    def __init__(self, family, X, capacity=6):
        self.working = family.working(X)
        self.X, self.log_jacobian = self.working.X, self.working.log_jacobian
        self.state = self.working.family.bind(self.X, capacity)
        for k in range(capacity):
            call_clear_slot(self.state, k)

    def rebuild(self, labels):
        sizes = np.bincount(labels)
        call_rebuild(self.state, self.X, labels, sizes, len(sizes))
        return sizes

    def slot(self, k):
        return dict(slot_arrays(self.state, k))


def slot_arrays(state, k):
    """What a slot holds, by name; of blocks without columns there is no such slot."""
    for field in SLOT_FIELDS[type(state)]:
        value = getattr(state, field)
        if type(value) in SLOT_FIELDS:
            yield from ((f"{field} {name}", array) for name, array in slot_arrays(value, k))
        elif k < len(value):
            yield field, np.copy(value[k])
    for field in SLOT_LAST_FIELDS.get(type(state), ()):
        value = getattr(state, field)
        if k < value.shape[-1]:
            yield field, np.copy(value[..., k])


def check_verbs(slots, log_marginal):
    """Verbs of every point and cluster under LABELS are joint densities of the points that a list names, and ratios."""
    for k, n in enumerate(slots.rebuild(LABELS)):
        members = np.flatnonzero(LABELS == k).tolist()
        ours = call_log_marginal(slots.state, k, n) + n * slots.log_jacobian
        assert ours == pytest.approx(log_marginal(members), abs=1e-9)
        for i, own in enumerate(LABELS):
            others = [j for j in members if j != i]
            exact = log_marginal([*others, i]) - (log_marginal(others) if others else 0.0)
            if k != own:
                ours = call_log_predictive(slots.state, slots.X, i, k, n)
            elif others:
                ours = call_log_leave_one_out(slots.state, slots.X, i, k, n)
            else:
                ours = call_log_predictive(slots.state, slots.X, i, 5, 0)
            assert ours + slots.log_jacobian == pytest.approx(exact, abs=1e-9)


def test_every_family_has_a_reference():
    assert set(naive.LOG_MARGINALS) == set(FAMILIES)


# --- the readable side -----------------------------------------------------------------------------------------------


@every_family
@every_dimension
@both_priors
def test_readable_formulas_equal_joint_densities(name, n_features, default):
    X = data(n_features, name=name)
    family, hyperparameters = build(name, X, default)
    new = data(n_features, 3, seed=1, name=name) * 2
    if name in examples.OTHERS:
        new = np.minimum(new, X.max(axis=0))  # what every prior allows
    for n in (0, 1, 2, 12):
        posterior = family.posterior(X[:n])
        exact = [naive_log_predictive(name, hyperparameters, x, X[:n]) for x in new]
        assert_allclose(posterior.log_predictive(new), exact, rtol=0, atol=1e-10)
        exact = naive.LOG_MARGINALS[name](X[:n], **hyperparameters) if n else 0.0
        assert family.log_marginal(X[:n]) == pytest.approx(exact, abs=1e-10)


@every_family
@every_dimension
def test_the_marginal_is_the_product_of_predictives_in_any_order(name, n_features):
    X = data(n_features, name=name)
    family, _ = build(name, X, default=False)
    rng = np.random.default_rng(2)
    for order in (rng.permutation(12), rng.permutation(12)):
        product, after = 0.0, family
        for i in order:
            product += after.log_predictive(X[i : i + 1])[0]
            after = after.posterior(X[i : i + 1])
        assert product == pytest.approx(family.log_marginal(X), abs=1e-10)
        assert family.log_marginal(X[order]) == pytest.approx(family.log_marginal(X), abs=1e-11)


@pytest.mark.parametrize("n_points", [1, 2, 7])
@every_dimension
def test_naive_joint_densities_are_those_of_scipy(n_points, n_features):
    X = data(n_features, n_points)
    known = examples.hyperparameters("normal_known_covariance", n_features)
    covariance = np.kron(np.eye(n_points), known["sigma_hat"]) + np.kron(np.ones((n_points,) * 2), known["sigma0"])
    normal = stats.multivariate_normal.logpdf(X.ravel(), np.tile(known["mu0"], n_points), covariance)
    assert naive.normal_known_covariance(X, **known) == pytest.approx(normal, abs=1e-10)

    gamma = examples.hyperparameters("normal_gamma", n_features)
    unit = (np.eye(n_points) + 1 / gamma["c0"]) / gamma["a0"]
    student = sum(
        stats.multivariate_t.logpdf(column, np.full(n_points, m), b * unit, df=2 * gamma["a0"])
        for column, m, b in zip(X.T, gamma["m0"], gamma["b0"], strict=True)
    )
    assert naive.normal_gamma(X, **gamma) == pytest.approx(student, abs=1e-10)

    wishart = examples.hyperparameters("normal_wishart", n_features)
    degrees = wishart["a0"] - n_features + 1
    scale = wishart["psi0"] * (wishart["c0"] + 1) / wishart["c0"] / degrees
    student = stats.multivariate_t.logpdf(X[0], wishart["m0"], scale, df=degrees)
    assert naive.normal_wishart(X[:1], **wishart) == pytest.approx(student, abs=1e-10)


@pytest.mark.parametrize("n_features", [1, 2])
@pytest.mark.parametrize("n_points", [0, 3])
@every_gaussian
def test_the_predictive_integrates_to_one(name, n_features, n_points):
    X = data(n_features)
    family = build(name, X, default=False)[0].posterior(X[:n_points])
    location = family.predictive().location

    def density(*x):
        return float(np.exp(family.log_predictive(np.array([x]))[0]))

    if n_features == 1:
        total = sum(integrate.quad(density, *bounds)[0] for bounds in ((-np.inf, location[0]), (location[0], np.inf)))
    else:
        # x = location + u / (1 − u²) maps the plane to a square, where a Gauss–Legendre rule takes in the tails
        nodes, weights = np.polynomial.legendre.leggauss(600)
        stretched, slope = nodes / (1 - nodes**2), weights * (1 + nodes**2) / (1 - nodes**2) ** 2
        grid = np.stack(np.meshgrid(stretched, stretched, indexing="ij"), axis=-1).reshape(-1, 2) + location
        total = np.outer(slope, slope).ravel() @ np.exp(family.log_predictive(grid))
    assert total == pytest.approx(1.0, abs=1e-6)


# --- the kernels' verbs ----------------------------------------------------------------------------------------------


@every_family
@every_dimension
@both_priors
def test_rebuilt_slots_equal_joint_densities(name, n_features, default):
    X = data(n_features, name=name)
    family, hyperparameters = build(name, X, default)
    check_verbs(Slots(family, X), lambda own: naive.LOG_MARGINALS[name](X[own], **hyperparameters))


@every_family
@every_dimension
@both_priors
def test_adding_point_by_point_is_rebuilding_and_removing_undoes_it(name, n_features, default):
    X = data(n_features, name=name)
    family, _ = build(name, X, default)
    slots, whole = Slots(family, X), Slots(family, X)
    before = []
    for i in range(len(X)):
        before.append(slots.slot(2))
        call_add_point(slots.state, slots.X, i, 2, i)
    whole.rebuild(np.zeros(len(X), dtype=np.int64))
    for i in range(len(X)):
        ours = call_log_predictive(slots.state, slots.X, i, 2, len(X))
        assert ours == pytest.approx(call_log_predictive(whole.state, whole.X, i, 0, len(X)), abs=1e-10)
    for i in reversed(range(1, len(X))):
        by_removal = call_log_leave_one_out(slots.state, slots.X, i, 2, i + 1)
        assert call_remove_point(slots.state, slots.X, i, 2, i + 1)
        assert call_log_predictive(slots.state, slots.X, i, 2, i) == pytest.approx(by_removal, abs=1e-9)
        for field, value in slots.slot(2).items():
            assert_allclose(value, before[i][field], rtol=1e-9, atol=1e-9, err_msg=field)


@every_family
@every_dimension
def test_a_cleared_slot_is_as_good_as_new(name, n_features):
    X = data(n_features, name=name)
    family, _ = build(name, X, default=False)
    used, fresh = Slots(family, X), Slots(family, X)
    used.rebuild(LABELS)
    call_add_point(used.state, used.X, 2, 1, 4)
    call_clear_slot(used.state, 1)
    for field, value in used.slot(1).items():
        assert_array_equal(value, fresh.slot(1)[field], err_msg=field)
    for n, i in enumerate((3, 8, 1)):
        for slots in (used, fresh):
            call_add_point(slots.state, slots.X, i, 1, n)
        assert call_log_predictive(used.state, used.X, 0, 1, n + 1) == call_log_predictive(
            fresh.state, fresh.X, 0, 1, n + 1
        )


@pytest.mark.parametrize("name", ["normal_wishart", "normal_gamma"])
def test_a_removal_that_would_lose_digits_is_refused(name):
    X = np.vstack([data(2), [[1e5, -1e5]]])
    slots = Slots(build(name, data(2), default=False)[0], X)
    slots.rebuild(np.zeros(13, dtype=np.int64))
    before = slots.slot(0)
    assert np.isnan(call_log_leave_one_out(slots.state, slots.X, 12, 0, 13))
    assert not call_remove_point(slots.state, slots.X, 12, 0, 13)
    for field, value in slots.slot(0).items():
        assert_array_equal(value, before[field])


@pytest.mark.parametrize("name", [*examples.GAUSSIAN, "exponential", "poisson", "geometric"])
@every_dimension
@pytest.mark.parametrize("distance", [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8])
def test_leaving_out_an_outlier_is_refused_or_exact(name, n_features, distance):
    others = data(n_features, name=name)
    outlier = distance * np.linspace(1, -0.8, n_features)
    X = np.vstack([others, outlier if name in examples.GAUSSIAN else np.round(np.abs(outlier))])
    family = build(name, others, default=False)[0]
    if name == "normal_wishart" and n_features > 1 and distance == 1e8:  # its scatter is all that is left of Ψ
        with pytest.raises(IllConditionedError, match="depend on each other"):
            Slots(family, X)
        return
    slots = Slots(family, X)
    slots.rebuild(np.zeros(13, dtype=np.int64))
    ours = call_log_leave_one_out(slots.state, slots.X, 12, 0, 13) + slots.log_jacobian
    exact = family.posterior(others).log_predictive(X[12:])[0]
    assert (np.isnan(ours) and name not in ("poisson", "geometric")) or ours == pytest.approx(exact, rel=1e-6)


# --- scales and offsets ----------------------------------------------------------------------------------------------

POWERS = {"m0": 1, "mu0": 1, "b0": 2, "psi0": 2, "sigma0_sq": 2, "sigma_hat_sq": 2, "sigma0": 2, "sigma_hat": 2}
POWERS |= {"beta0": 1}
UNITS = [(1e-100, 0.0), (1e-30, 0.0), (1e30, 0.0), (1e100, 0.0), (1.0, 1e8), (1e-3, 1e5), (1e50, 1e58)]


def moved(hyperparameters, scale, offset):
    """The same model in other units: locations move and stretch, variances stretch, counts stay."""
    result = {}
    for key, value in hyperparameters.items():
        value = value * scale ** POWERS.get(key, 0)
        result[key] = value + offset if POWERS.get(key) == 1 else value
    return result


@pytest.mark.parametrize(
    ("name", "scale", "offset"),
    [
        *((name, *units) for name in examples.GAUSSIAN for units in UNITS),
        *(("exponential", scale, offset) for scale, offset in UNITS if not offset),
    ],
)
@both_priors
def test_units_and_offsets_cost_no_digits(name, scale, offset, default):
    unit = np.round(data(2, 30, name=name) * 64) / 64  # few binary digits, so that adding an offset loses none of them
    if offset:
        scale = 2.0 ** np.round(np.log2(scale))
        offset = scale * 2.0 ** np.round(np.log2(offset / scale))
    given = {key: np.round(value * 64) / 64 for key, value in examples.hyperparameters(name, 2).items()}
    labels = np.arange(30) % 3
    options = {"family": name, "init": labels, "order": "index"}
    plain = dpviz.run(unit, dpviz.RunConfig(prior=None if default else given, **options))
    far = dpviz.run(
        unit * scale + offset,
        dpviz.RunConfig(prior=None if default else moved(given, scale, offset), **options),
    )
    assert_array_equal(far.labels, plain.labels)
    jacobian = unit.size * np.log(scale)
    assert_allclose(far.nll - jacobian, plain.nll, rtol=0, atol=1e-6 if offset and default else 1e-8)
    assert_allclose(far.objective - jacobian, plain.objective, rtol=0, atol=1e-6 if offset else 1e-8)


@pytest.mark.parametrize("name", [name for name in examples.GAUSSIAN if name != "spherical_normal"])  # one unit
@pytest.mark.parametrize("ratio", [1e-8, 1e-4, 1e4, 1e8])
def test_columns_in_different_units_cost_no_digits(name, ratio):
    unit, units = data(2, 15), np.array([1.0, 2.0 ** np.round(np.log2(ratio))])
    given = examples.hyperparameters(name, 2)
    scales = {0: 1.0, 1: units, 2: np.outer(units, units)}
    stretched = {key: value * (units**2 if key == "b0" else scales[POWERS.get(key, 0)]) for key, value in given.items()}
    plain, other = FAMILIES[name](**given), FAMILIES[name](**stretched)
    labels, jacobian = np.zeros(15, dtype=np.int64), np.log(units).sum()
    assert other.log_marginal(unit * units) + 15 * jacobian == pytest.approx(plain.log_marginal(unit), abs=1e-9)
    slots = Slots(other, unit * units)
    slots.rebuild(labels)
    ours = call_log_marginal(slots.state, 0, 15) + 15 * (slots.log_jacobian + jacobian)
    assert ours == pytest.approx(plain.log_marginal(unit), abs=1e-9)
    ours = other.posterior(unit * units).log_predictive(unit * units) + jacobian
    assert_allclose(ours, plain.posterior(unit).log_predictive(unit), rtol=0, atol=1e-9)


# --- draws and summaries ---------------------------------------------------------------------------------------------


@every_family
@every_dimension
def test_draws_average_to_the_marginal_and_the_expected_covariance(name, n_features):
    """E[Π p(x | θ)] over θ from the posterior is the joint predictive of the points x."""
    X = data(n_features, name=name)
    family = build(name, X, default=False)[0].posterior(X)
    rng = np.random.default_rng(6)
    draws = [family.draw(rng) for _ in range(6000)]
    for x in (X[:1], X[3:5]):
        densities = np.exp([draw.log_density(x).sum() for draw in draws])
        error = densities.std() / np.sqrt(len(densities))
        assert abs(densities.mean() - np.exp(family.log_marginal(x))) <= 4 * error
        assert error < 0.05 * densities.mean()
    if name in examples.OTHERS:
        return  # their expected values: test_column_families.py
    covariances = np.array([draw.covariance for draw in draws])
    errors = covariances.std(axis=0) / np.sqrt(len(draws)) + 1e-12
    assert np.all(np.abs(covariances.mean(axis=0) - family.expected_covariance()) < 4.5 * errors)
    means = np.array([draw.mean for draw in draws])
    errors = means.std(axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(means.mean(axis=0) - family.predictive().location) < 4.5 * errors)


@every_gaussian
def test_points_sampled_from_a_draw_have_its_mean_and_covariance(name):
    X = data(3)
    draw = build(name, X, default=False)[0].posterior(X).draw(np.random.default_rng(7))
    points = draw.sample(40_000, np.random.default_rng(8))
    spread = np.sqrt(np.diagonal(draw.covariance))
    assert_allclose(points.mean(axis=0), draw.mean, rtol=0, atol=0.025 * spread.max())
    assert_allclose(np.cov(points.T), draw.covariance, rtol=0, atol=0.03 * spread.max() ** 2)
    exact = stats.multivariate_normal.logpdf(points[:5], draw.mean, draw.covariance)
    assert_allclose(draw.log_density(points[:5]), exact, rtol=0, atol=1e-10)


@every_gaussian
@pytest.mark.parametrize("n_features", [2, 3])
@pytest.mark.parametrize("n_points", [2, 12])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_ellipse_holds_its_level_of_the_predictive(name, n_features, n_points, level):
    X = data(n_features)
    family = build(name, X, default=False)[0]
    summary = family.summarise(X[:n_points])
    assert summary.size == n_points
    rng = np.random.default_rng(9)
    posterior = family.posterior(X[:n_points])
    points = np.vstack([posterior.draw(rng).sample(1, rng) for _ in range(8000)])
    for axes in (None, np.array([[0.6, 0.8], [-0.8, 0.6]]) @ np.eye(2, n_features)[:, ::-1]):
        directions = np.eye(2, n_features) if axes is None else axes
        centre, half_axes = summary.predictive.ellipse(level, axes)
        inside = np.linalg.norm(np.linalg.solve(half_axes, (points @ directions.T - centre).T), axis=0) <= 1
        assert inside.mean() == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / len(points)))


@every_family
def test_summaries_are_the_posterior_s(name):
    X = data(2, name=name)
    family, _ = build(name, X, default=False)
    summary, posterior = family.summarise(X), family.posterior(X)
    assert summary.size == 12
    for parameter in family.hyperparameters:
        ours, exact = getattr(summary.posterior, parameter.name), getattr(posterior, parameter.name)
        assert_array_equal(ours, exact)
    if name in examples.OTHERS:
        return
    assert_array_equal(summary.mean, posterior.predictive().location)
    assert_array_equal(summary.covariance, posterior.expected_covariance())
    assert np.all(np.isfinite(summary.covariance)) and np.all(np.linalg.eigvalsh(summary.covariance) > 0)


@pytest.mark.parametrize(("name", "prior"), [("normal_wishart", {"a0": 2.5}), ("normal_gamma", {"a0": 0.7})])
def test_a_covariance_that_does_not_exist_is_nan(name, prior):
    X = data(2)
    assert np.isnan(np.diagonal(FAMILIES[name].from_prior(prior, X).expected_covariance())).all()


# --- validation ------------------------------------------------------------------------------------------------------

BAD_PRIORS = [
    ("normal_wishart", {"a0": 1.0}, "prior['a0'] = 1.0 must be > 1; give a larger value"),
    ("normal_wishart", {"c0": 0.0}, "prior['c0'] = 0.0 must be > 0"),
    ("normal_wishart", {"psi0": [[1.0, 2.0], [2.0, 1.0]]}, "prior['psi0'] is not positive definite"),
    ("normal_wishart", {"psi0": [[1.0, 0.5], [0.0, 1.0]]}, "prior['psi0'] is not symmetric"),
    ("normal_wishart", {"psi0": np.eye(3)}, "prior['psi0'] has shape (3, 3); for 2 features it must be (2, 2)"),
    ("normal_wishart", {"m0": [0.0, 0.0, 0.0]}, "prior['m0'] has shape (3,)"),
    ("normal_wishart", {"m0": [0.0, np.nan]}, "prior['m0'] holds NaN"),
    ("normal_wishart", {"b0": 1.0}, "prior['b0'] is not a hyperparameter of normal_wishart; it has m0, c0, a0, psi0"),
    ("normal_gamma", {"a0": -1.0}, "prior['a0'] = -1.0 must be > 0"),
    ("normal_gamma", {"b0": [1.0, 0.0]}, "prior['b0'] = [1.0, 0.0] must be > 0"),
    ("normal_gamma", {"c0": "many"}, "prior['c0'] = 'many' must be numeric"),
    ("normal_gamma", {"c0": [1.0, 2.0]}, "prior['c0'] has shape (2,)"),
    ("spherical_normal", {"sigma0_sq": 0.0}, "prior['sigma0_sq'] = 0.0 must be > 0"),
    ("spherical_normal", {"sigma_hat_sq": np.inf}, "prior['sigma_hat_sq'] holds NaN or infinity"),
    ("normal_known_covariance", {"sigma_hat": np.zeros((2, 2))}, "prior['sigma_hat'] is not positive definite"),
    ("normal_known_covariance", {"sigma0": 1.0}, "prior['sigma0'] has shape ()"),
    ("poisson", {"alpha0": 0.0}, "prior['alpha0'] = 0.0 must be ≥ 1e-12; give a larger value"),
    ("poisson", {"beta0": [1.0, -1.0]}, "prior['beta0'] = [1.0, -1.0] must be ≥ 1e-12"),
    ("poisson", {"beta0": 1e13}, "prior['beta0'] = 10000000000000.0 must be ≤ 1e+12; give a smaller value"),
    ("exponential", {"beta0": 0.0}, "prior['beta0'] = 0.0 must be ≥ 1e-150"),
    ("exponential", {"alpha0": [1.0, 2.0, 3.0]}, "prior['alpha0'] has shape (3,)"),
    ("geometric", {"beta0": np.nan}, "prior['beta0'] holds NaN"),
    ("binomial", {"trials": 0}, "prior['trials'] = 0 must be ≥ 1; give a larger value"),
    ("binomial", {"trials": 7.5}, "prior['trials'] = 7.5 must hold whole numbers"),
    ("binomial", {"trials": [6, 1, 1]}, "prior['trials'] has shape (3,)"),
    ("categorical", {"n_categories": 0}, "prior['n_categories'] = 0 must be ≥ 1"),
    ("categorical", {"n_categories": 10_001}, "prior['n_categories'] = 10001 must be ≤ 10000"),
    ("categorical", {"n_categories": "few"}, "prior['n_categories'] = 'few' must be numeric"),
    ("categorical", {"n_categories": np.inf}, "prior['n_categories'] holds NaN or infinity"),
    ("categorical", {"n_categories": 5, "alpha0": np.ones(4)}, "prior['alpha0'] has shape (4,)"),
    ("categorical", {"alpha0": 0.0}, "prior['alpha0'] = 0.0 must be ≥ 1e-12"),
]


@pytest.mark.parametrize(("name", "prior", "message"), BAD_PRIORS)
def test_a_prior_that_cannot_be_is_refused_by_name(name, prior, message):
    with pytest.raises(InvalidParameterError, match=re.escape(message)):
        FAMILIES[name].from_prior(prior, data(2, name=name))


def test_every_hyperparameter_has_a_prior_that_is_refused():
    for name, family in FAMILIES.items():
        for parameter in family.hyperparameters:
            with pytest.raises(InvalidParameterError, match=re.escape(f"prior['{parameter.name}']")):
                family.from_prior({parameter.name: np.full((2, 2, 2), 1.0)}, data(2, name=name))
            assert parameter.explanation and parameter.symbol, name


def test_scalars_stand_for_vectors_and_an_unknown_family_lists_the_known_ones():
    X = data(2)
    family = FAMILIES["normal_gamma"].from_prior({"m0": 0.5, "b0": 2}, X)
    assert_array_equal(family.m0, [0.5, 0.5])
    assert_array_equal(family.b0, [2.0, 2.0])
    with pytest.raises(InvalidParameterError, match="normal_known_covariance"):
        dpviz.RunConfig(family="cauchy", prior=None)


OF_ANY_FAMILY = (
    test_readable_formulas_equal_joint_densities,
    test_rebuilt_slots_equal_joint_densities,
    test_adding_point_by_point_is_rebuilding_and_removing_undoes_it,
    test_the_marginal_is_the_product_of_predictives_in_any_order,
    test_a_cleared_slot_is_as_good_as_new,
)
"""What holds of families from outside, too, whose densities ``naive`` knows."""
