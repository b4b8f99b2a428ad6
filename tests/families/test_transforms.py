"""Transformed columns: densities of the columns as given, whatever the powers, and powers that do no harm."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import dpviz
from dpviz.analysis.evaluation import Task, fold_log_density
from dpviz.analysis.held_out import held_out_folds
from dpviz.analysis.model_table import models_like, models_transformed, most_transformed
from dpviz.analysis.prediction import Predictor
from dpviz.analysis.profiles import column_profiles
from dpviz.engine.explain import explain_assignment
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidDataError, InvalidParameterError, TraceFormatError
from dpviz.families.powers import Powers, lose_mass
from dpviz.fit import family, width
from dpviz.fit.automatic import resolve
from dpviz.fit.transforms import has_numbers, is_tried, likely_powers, unasked
from dpviz.metrics import ari

SIZES = [12, 9]
TRUTH = np.repeat([0, 1], SIZES)


def skewed(seed=0, n_columns=2):
    """Two log-normal groups far apart."""
    rng = np.random.default_rng(seed)
    return np.exp(0.4 * rng.normal(size=(sum(SIZES), n_columns)) + 3.0 * TRUTH[:, None])


def config(**changes):
    return dpviz.RunConfig(
        **{"family": "normal_wishart", "prior": None, "transform": (0.0, 0.5), "n_init": 2} | changes
    )


@pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"family": "normal_gamma"}, {"family": "spherical_normal"}, {"directions": 1}, {"hyperpriors": True}],
)
def test_a_density_is_that_of_the_transformed_columns_times_the_slopes(algorithm, changes):
    X, new = skewed(), skewed(1)[:5]
    if changes.pop("hyperpriors", False):
        changes = {"hyperpriors": {"concentration": "gamma(1,0.3)"}} if algorithm == "gibbs" else {}
    given = config(algorithm=algorithm, n_init=1, n_sweeps=30, burn_in=10, **changes)
    Y, Y_new = (np.column_stack([np.log(table[:, 0]), 2 * np.sqrt(table[:, 1])]) for table in (X, new))
    slopes, slopes_new = (-np.log(table[:, 0]) - 0.5 * np.log(table[:, 1]) for table in (X, new))
    ours, naive = dpviz.run(X, given), dpviz.run(Y, replace(given, transform=None))
    assert_array_equal(ours.labels, naive.labels)
    assert_allclose(ours.nll, naive.nll - slopes.sum(), rtol=1e-9)
    found, expected = Predictor(X, ours).predict(new), Predictor(Y, naive).predict(Y_new)
    assert_allclose(found.log_density, expected.log_density + slopes_new, rtol=1e-9)
    assert_allclose(found.probabilities, expected.probabilities, rtol=1e-9)
    ours_why, naive_why = (explain_assignment(t, trace, -1, 3) for t, trace in ((X, ours), (Y, naive)))
    difference = ours_why["neg_log_predictive"] - naive_why["neg_log_predictive"]
    if "directions" not in changes:
        assert_allclose(difference, -slopes[3], rtol=1e-8)
    problem = Problem.check(X, ours.config)
    nll = partition_nll(problem, [ours.result_labels])[0]
    parts = [problem.model.log_marginal(X[ours.result_labels == k]) for k in np.unique(ours.result_labels)]
    inner = [problem.inner.model.log_marginal(Y[ours.result_labels == k]) for k in np.unique(ours.result_labels)]
    assert_allclose(sum(parts), sum(inner) + slopes.sum(), rtol=1e-9)
    assert np.isfinite(nll)


def test_coarsened_predictives_are_of_whole_points():
    X, new = skewed(), skewed(1)[:5]
    given = config(coarsening=8.0)
    trace = dpviz.run(X, given)
    problem = Problem.check(X, trace.config)
    scores = Predictor(X, trace).predict(new).log_density
    labels, inner = trace.result_labels, problem.inner
    weights = [*np.bincount(labels), 3.0]
    posteriors = [inner.model.posterior(inner.X[labels == k]) for k in range(labels.max() + 2)]
    densities = np.array([np.exp(p.log_predictive(problem.powers.of(new))) for p in posteriors])
    expected = np.log(weights / np.sum(weights) @ densities) + problem.powers.log_jacobian(new)
    assert_allclose(scores, expected, rtol=1e-9)


def reaching_far(n):
    """Positive places (n,) from 1e-120 to 1e120, dense about 1, and weights that make sums of densities integrals."""
    v, step = np.linspace(-6.3, 6.3, n, retstep=True)
    x = np.exp(np.sinh(v))
    return x, step * np.cosh(v) * x


@pytest.mark.parametrize("power", [0.0, 0.5, -1.0])
def test_the_density_of_one_column_integrates_to_what_its_powers_reach(power):
    X = skewed(2, 1)
    trace = dpviz.run(X, config(transform=(power,), family="normal_gamma"))
    predictor = Predictor(X, trace)
    grid, steps = reaching_far(4001)
    mass = np.exp(predictor.predict(grid[:, None]).log_density) @ steps
    problem = Problem.check(X, trace.config)
    inner, labels = problem.inner, trace.result_labels
    weights = np.array([*np.bincount(labels), 3.0])
    lost = 0.0
    for weight, k in zip(weights / weights.sum(), range(labels.max() + 2), strict=True):
        t = inner.family.posterior(inner.X[labels == k]).predictive()
        below = stats.t.cdf(-t.location[0] / np.sqrt(t.scale[0, 0]), t.degrees_of_freedom)
        lost += weight * (0.0 if power == 0 else below if power > 0 else 1 - below)
    assert mass == pytest.approx(1 - lost, abs=1e-6)
    assert (lost > 0) == (power != 0)


@pytest.mark.parametrize("asked", ["log", "power", "auto"])
def test_units_move_nll_by_their_logarithm_and_nothing_else(asked):
    rng = np.random.default_rng(4)
    X, units = np.exp(rng.normal(size=(150, 3)) @ [[1, 0.4, 0], [0, 0.5, 0.2], [0, 0, 0.8]]), [1e-4, 37.0, 5e3]
    given = dpviz.RunConfig(transform=asked, n_init=2, effort=0.1)
    ours, scaled = dpviz.run(X, given), dpviz.run(X * units, given)
    assert ours.config.transform == scaled.config.transform
    assert_array_equal(ours.result_labels, scaled.result_labels)
    shift = len(X) * np.log(units).sum()
    assert_allclose(scaled.nll[-1], ours.nll[-1] + shift, rtol=1e-7)


def test_powers_are_found():
    rng = np.random.default_rng(5)
    normal = rng.normal(10, 1.5, size=(2000, 1))
    X = np.hstack([np.exp(normal / 3), normal, normal**2, 1 / normal])
    assert_allclose(likely_powers(X, range(4)), [0, 1, 0.5, -1], atol=0.3)
    gaps = X.copy()
    gaps[::3, 0] = np.nan
    assert likely_powers(gaps, range(4))[0] == 0 and likely_powers(X, [1])[0] == 1


def one_skewed_group(rng):
    return np.exp(rng.normal(size=(400, 4)) + rng.normal(size=(400, 1))), np.zeros(400)


def unequal_normal_groups(rng):
    truth = (rng.random(400) < 0.15).astype(int)
    return 20 + rng.normal(size=(400, 3)) + 6 * truth[:, None], truth


def skewed_groups(rng):
    truth = (rng.random(400) < 0.3).astype(int)
    return np.exp(0.5 * rng.normal(size=(400, 3)) + 2.5 * truth[:, None]), truth


@pytest.mark.parametrize("make", [one_skewed_group, unequal_normal_groups, skewed_groups])
@pytest.mark.parametrize("seed", range(3))
def test_auto_has_few_clusters_of_skewed_columns_and_loses_no_group(make, seed):
    X, truth = make(np.random.default_rng(seed))
    trace = dpviz.run(X, dpviz.RunConfig(partition="auto", transform="auto", n_init=4))
    n_groups = len(np.unique(truth))
    assert n_groups <= trace.n_clusters[trace.result_sweep] <= n_groups + 1
    assert n_groups == 1 or ari(truth, trace.result_labels) > 0.95
    assert (trace.config.transform is None) == (make is unequal_normal_groups)


def test_auto_leaves_columns_out_and_says_so():
    rng = np.random.default_rng(6)
    skew = np.exp(rng.normal(size=(300, 2)))
    zeros = np.where(rng.random(300) < 0.1, 0.0, np.exp(rng.normal(size=300)))
    X = np.column_stack([skew, zeros, rng.normal(size=300), np.full(300, 2.0), rng.integers(1, 5, 300)])
    choice = resolve(X, dpviz.RunConfig(transform="auto"), ["a", "b", "spent", "signed", "same", "grade"])
    assert choice.config.transform == (0, 0, 1, 1, 1, 1)
    assert "Column “spent” holds zeros, which have no logarithm, and stays as it is." in choice.notes
    assert any(note.startswith("Transformed: log of “a”, “b”, ") for note in choice.notes)
    alone = resolve(X[:, 3:], dpviz.RunConfig(transform="auto"))
    assert alone.config.transform is None and any("No column is transformed" in note for note in alone.notes)


@pytest.mark.parametrize("make", [skewed_groups, unequal_normal_groups, one_skewed_group])
@pytest.mark.parametrize("changes", [{}, {"family": "normal_gamma"}, {"directions": 2}])
def test_what_short_runs_chose_is_not_chosen_again(monkeypatch, make, changes):
    X, config = make(np.random.default_rng(0))[0], dpviz.RunConfig(partition="auto", transform="auto", **changes)
    asked, own = [], width.width_steps

    def noted(X, config, *others, **options):
        asked.append((X.tobytes(), config))
        return (yield from own(X, config, *others, **options))

    for module in (family, width):
        monkeypatch.setattr(module, "width_steps", noted)
    choice = resolve(X, config)
    assert is_tried(X, config) and len(set(asked)) == len(asked) > 1
    powers = choice.config.transform
    Y = X if powers is None else Powers.given(powers).of(X)
    alone = resolve(Y, replace(config, transform=None))
    assert replace(choice.config, transform=None) == alone.config and choice.notes[: len(alone.notes)] == alone.notes


def test_numbers_are_of_the_columns_so_that_nothing_is_transformed():
    X, units = skewed(), {"prior": {"m0": [1.0, 2.0]}, "family": "auto", "transform": "auto"}
    kinds, codes = ("real", "real", "count"), [[0.0], [1.0], [3.0]] * 7
    for given, has in (
        (units, True),
        (units | {"prior": {"c0": 0.1}}, True),
        (units | {"prior": {"width": 0.5}}, False),
        (units | {"prior": None}, False),
        (units | {"kinds": kinds, "prior": {"poisson_alpha0": 2.0}}, False),
        (units | {"kinds": kinds, "prior": {"normal_gamma_c0": 2.0}}, True),
    ):
        asked = config(**given)
        table = X if asked.kinds is None else np.hstack([X, codes])
        assert has_numbers(asked) == has and is_tried(table, asked) == (not has)
    (note,) = [note for note in resolve(X, config(**units)).notes if "transformed" in note]
    assert note == "No column is transformed: hyperparameters are given in the units of the columns."
    assert unasked(["Narrow.", note]) == ("Narrow.",)
    assert_array_equal(dpviz.run(X, config(**units)).labels, dpviz.run(X, config(**units | {"transform": None})).labels)


def test_zeros_are_told_of_skewed_columns_only():
    rng = np.random.default_rng(2)
    level = np.where(rng.random(300) < 0.1, 0.0, 20 + rng.normal(size=300))
    X = np.column_stack([np.exp(rng.normal(size=300)), level])
    assert not any("zeros" in note for note in resolve(X, dpviz.RunConfig(transform="auto")).notes)


@pytest.mark.parametrize("asked", ["log", "power", (0.0, 1.0)])
@pytest.mark.parametrize(("value", "held"), [(0.0, "0"), (-3.0, "a number below 0")])
def test_numbers_without_a_logarithm_are_refused_by_name(asked, value, held):
    X = skewed()
    X[4, 0] = value
    with pytest.raises(InvalidDataError, match=rf"column 0 of X holds {held} in row 4.*it must be > 0"):
        dpviz.run(X, config(transform=asked))
    if isinstance(asked, str):
        with pytest.raises(InvalidDataError, match="column “price” holds"):
            resolve(X, config(transform=asked), ["price", "area"])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("ln", "transform = 'ln' must be 'auto', 'log', 'power', 'logratio', None, or one power per column"),
        ((0.0, 3.0), "transform"),
        ([], "transform"),
        ([[0.0]], "transform"),
        (0.5, "transform"),
        ((0.0, float("nan")), "transform holds NaN"),
        ((True, False), "numeric"),
    ],
)
def test_wrong_transformations_are_refused(wrong, said):
    with pytest.raises(InvalidParameterError, match=said):
        config(transform=wrong)


def test_transformations_are_of_real_columns():
    with pytest.raises(InvalidParameterError, match="must be None or 'auto' with family = 'poisson'"):
        dpviz.RunConfig(family="poisson", transform="log")
    assert dpviz.RunConfig(family="poisson", transform="auto").transform is None
    assert dpviz.RunConfig("kmeans", transform="log").transform == "log"  # kept, and ignored
    with pytest.raises(InvalidParameterError, match="one power for each of 2 columns"):
        dpviz.run(skewed(), config(transform=(0.0, 0.0, 0.0)))
    rng = np.random.default_rng(7)
    X = np.column_stack([skewed(7), rng.poisson(3, len(TRUTH)), rng.integers(0, 3, len(TRUTH))])
    kinds = ("real", "real", "count", "categorical")
    trace = dpviz.run(X, dpviz.RunConfig(kinds=kinds, transform="log", n_init=2))
    assert trace.config.transform == (0, 0, 1, 1)
    Y = X.copy()
    Y[:, :2] = np.log(X[:, :2])
    naive = dpviz.run(Y, replace(trace.config, transform=None))
    assert_allclose(trace.nll, naive.nll + np.log(X[:, :2]).sum(), rtol=1e-9)


def test_missing_cells_stay_missing_and_are_not_filled_in():
    X = skewed()
    X[3, 0] = X[7, 1] = np.nan
    trace = dpviz.run(X, config(family="normal_gamma"))
    Y = np.column_stack([np.log(X[:, 0]), 2 * np.sqrt(X[:, 1])])
    naive = dpviz.run(Y, replace(trace.config, transform=None))
    slopes = np.nansum(-np.log(X[:, 0])) + np.nansum(-0.5 * np.log(X[:, 1]))
    assert_allclose(trace.nll, naive.nll - slopes, rtol=1e-9)
    new = [[np.nan, 2.0], [1.0, np.nan]]
    assert np.isfinite(Predictor(X, trace).predict(new).log_density).all()
    with pytest.raises(InvalidDataError, match="fills no cells in"):
        dpviz.run(X, config(family="normal_gamma", missing="impute"))
    left = resolve(X, config(transform="auto", missing="impute"))
    assert left.config.transform is None and any("filled in" in note for note in left.notes)
    found = resolve(X, config(transform="auto", family="auto", prior="auto"))
    assert found.config.family == "normal_gamma" and found.config.transform is not None
    assert not any("filled in" in note for note in found.notes)


def test_folds_find_their_own_powers_and_densities_are_of_the_table():
    X = np.random.default_rng(8).lognormal(0, 1, size=(60, 2)) ** [1, 0.5]
    given = dpviz.RunConfig(transform="power", family="normal_wishart", prior=None, n_init=2)
    held_out = np.arange(60) < 20
    log_density, _ = fold_log_density(Task(X, None, given, (), 3), (), held_out)
    own = dpviz.run(X[20:], given)
    assert_allclose(log_density, Predictor(X[20:], own).predict(X[:20]).log_density, rtol=1e-12)
    wrong = X.copy()
    wrong[0, 0] = -1.0
    density, _ = fold_log_density(Task(wrong, None, given, (), 3), (), held_out)
    assert np.isnan(density).all()


def test_models_and_comparisons_find_powers_anew_in_every_fold(tmp_path):
    X = np.random.default_rng(13).gamma(2, size=(60, 2))  # each half has other powers than all
    given = dpviz.RunConfig(family="normal_gamma", prior=None, transform="power", effort=0.0)
    models = list(models_like(X, given, ("continuous",) * 2, 2))
    assert len({model.family for model in models}) == 3 and {model.config.transform for model in models} == {"power"}
    for model in models[::5]:
        folds = held_out_folds(X, model.config, 2)
        assert model.held_out == pytest.approx(np.concatenate([fold.log_density for fold in folds]).mean())
    np.savetxt(path := tmp_path / "skewed.csv", X, delimiter=",", header="price,area", comments="")
    options = "--transform power --family normal_gamma --prior none --scaling none"
    brief = "--algorithms mapdp --folds 2 --effort 0 --concentration 3 --jobs 1"
    assert cli("compare", path, options, brief, "--out", out := tmp_path / "out.csv") == 0
    folds = held_out_folds(X, given, 2)
    expected = np.concatenate([fold.log_density for fold in folds]).mean()
    assert pd.read_csv(out)["held_out"][0] == pytest.approx(expected)


def test_what_was_found_is_kept_and_gives_the_same_run():
    X = skewed()
    trace = dpviz.run(X, dpviz.RunConfig(transform="auto", n_init=2))
    assert trace.config.transform == (0, 0)
    back = dpviz.RunConfig.from_json(trace.config.to_json())
    assert back == trace.config == dpviz.RunConfig.from_query(trace.config.to_query())
    again = dpviz.run(X, back)
    assert_array_equal(again.labels, trace.labels)
    assert_array_equal(again.nll, trace.nll)
    assert dpviz.RunConfig(transform=[1, 1]).transform is None
    with pytest.raises((InvalidParameterError, TraceFormatError)):
        dpviz.RunConfig.from_query({"version": "8", "transform": "[1e999]"})
    chain = dpviz.run(X, config(algorithm="gibbs", n_sweeps=20, burn_in=5, n_init=1))
    longer = dpviz.resume(X, chain, 40)
    whole = dpviz.run(X, config(algorithm="gibbs", n_sweeps=40, burn_in=5, n_init=1))
    assert_array_equal(longer.labels, whole.labels)


def test_further_points_that_have_no_logarithm_are_refused_or_marked():
    X = skewed()
    trace = dpviz.run(X, config())
    predictor = Predictor(X, trace)
    with pytest.raises(InvalidDataError, match="column 0 of X holds a number below 0 in row 1.*Leave the row"):
        predictor.predict([[1.0, 1.0], [-2.0, 1.0]])
    assert_array_equal(predictor.impossible(np.array([[1.0, 1.0], [-2.0, 0.0]])), [[False] * 2, [True] * 2])
    found = predictor.predict([[2.0, 3.0]])
    assert found.probabilities.shape[1] == trace.n_clusters[-1] + 1


def test_an_estimator_has_the_parameter_and_reports_in_own_units():
    X = skewed()
    model = dpviz.MAPDP(transform="log", family="normal_gamma", prior=None, random_state=0).fit(X)
    assert model.get_params()["transform"] == "log" and model.trace_.config.transform == (0, 0)
    assert not hasattr(model, "transform")  # scikit-learn would take it for a transformer
    assert ari(TRUTH, model.labels_) == 1
    inner = Problem.check(X, model.trace_.config).inner
    for k, (mean, covariance) in enumerate(zip(model.means_, model.covariances_, strict=True)):
        own = inner.model.summarise(inner.X[model.labels_ == k])
        assert_allclose(mean, np.exp(own.mean))
        assert_allclose(covariance, own.covariance * np.outer(mean, mean))
    with pytest.raises(InvalidDataError, match="it must be > 0"):
        model.predict([[0.0, 1.0]])
    terms = model._partition_fit.contributions(X[:4])
    assert_allclose(terms.scores, model._partition_fit.log_scores(X[:4]))


def test_shapes_are_in_the_columns():
    X = skewed(9, 1)
    trace = dpviz.run(X, config(transform=(0.0,), family="normal_gamma"))
    problem = Problem.check(X, trace.config)
    from dpviz.engine.shapes import projected_shapes

    shown = projected_shapes(problem, trace, np.array([trace.result_row]), np.eye(1), np.zeros(1))
    grid = np.geomspace(1e-3, 1e5, 4000)
    curves = shown.shapes.curves(grid)
    assert_allclose(np.trapezoid(curves, grid, axis=1), 1, atol=1e-3)
    posteriors = [problem.model.posterior(X[trace.result_labels == k]) for k in range(len(curves))]
    assert_allclose(curves, [np.exp(p.log_predictive(grid[:, None])) for p in posteriors], rtol=1e-8)
    profile = column_profiles(problem.model, X, trace.result_labels)[0]
    assert np.all(profile.densities >= 0) and profile.information > 0.3
    plane = dpviz.run(skewed(), config())
    both = projected_shapes(
        Problem.check(skewed(), plane.config), plane, np.array([plane.result_row]), np.eye(2), np.zeros(2)
    )
    ellipses = both.shapes.ellipses()
    reach = ellipses.factors[:, 1:] * np.sqrt(np.diagonal(ellipses.scales, axis1=1, axis2=2))
    assert np.all(ellipses.centres > 0) and np.all(ellipses.centres + reach > 0)


def test_powers_bring_rows_there_and_back():
    X, powers = skewed(1, 4), Powers.given([0.0, 0.5, -1.0, 1.0])
    assert_allclose(powers.back(powers.of(X), np.full(4, np.inf)), X)
    step = 1e-6
    numeric = (powers.of(X + step) - powers.of(X - step)) / (2 * step)
    assert_allclose(np.log(numeric), powers.log_slopes(X), atol=1e-5)


# --- shares of a whole ------------------------------------------------------------------------------------------------


def shares(seed=0, n=40, whole=1.0, groups=((8, 3, 1, 2), (1, 9, 4, 2), (3, 3, 3, 12))):
    """Rows of four shares of a whole, of three groups."""
    rng = np.random.default_rng(seed)
    return whole * np.vstack([rng.dirichlet(weights, n) for weights in groups])


RATIOS = ("logratio 1",) * 3
FIXED = {
    "family": "normal_wishart",
    "prior": {"m0": (0.0,) * 3, "c0": 0.1, "a0": 5.0, "psi0": ((2.0, 0, 0), (0, 2.0, 0), (0, 0, 2.0))},
}
"""A prior that no rotation of log-ratios changes."""


def test_log_ratios_have_the_jacobian_of_their_definition():
    powers = Powers.given((1.0, "logratio 100", "logratio 100", 0.5, "logratio 100"))
    X = np.insert(shares(whole=100.0, n=4)[:, :3], [0, 2], 2.5, axis=1)
    assert_allclose(powers.back(powers.of(X), np.full(5, np.inf)), X)
    for x in X:
        steps = 1e-6 * np.maximum(x, 1e-3)
        moved = [(powers.of((x + s)[None]) - powers.of((x - s)[None]))[0] / (2 * s.sum()) for s in np.diag(steps)]
        slopes = np.array(moved).T
        assert_allclose(np.linalg.slogdet(slopes)[1], powers.log_jacobian(x[None])[0], atol=1e-6)
        assert_allclose(powers.slopes_back(x) @ slopes, np.eye(5), atol=1e-6)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [1, 2, 3, 0]])
def test_the_cost_of_shares_depends_on_no_order_and_not_on_which_is_left_out(order):
    X, new = shares(), shares(1, 3)
    ours = dpviz.run(X[:, :3], config(transform=RATIOS, **FIXED))
    other = dpviz.run(X[:, order[:3]], config(transform=RATIOS, **FIXED))
    assert_array_equal(ours.result_labels, other.result_labels)
    assert_allclose(other.nll[-1], ours.nll[-1], rtol=1e-10)
    found = [Predictor(X[:, of], trace).predict(new[:, of]) for of, trace in (([0, 1, 2], ours), (order[:3], other))]
    assert_allclose(found[0].log_density, found[1].log_density, rtol=1e-9)


def test_the_cost_of_shares_is_that_of_log_ratios_in_any_orthonormal_basis_and_the_jacobian():
    X = shares()
    basis = np.linalg.svd(np.full((4, 4), 0.25))[0][:, 1:]
    ours = dpviz.run(X[:, :3], config(transform=RATIOS, **FIXED))
    naive = dpviz.run(np.log(X) @ basis, config(transform=None, **FIXED))
    assert_array_equal(ours.result_labels, naive.result_labels)
    assert_allclose(ours.nll[-1], naive.nll[-1] + np.log(X).sum() + len(X) * np.log(2), rtol=1e-10)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([0.0, 0.5, 0.2], "column 0 of X holds 0 in row 4; log-ratios need shares > 0. Replace zeros"),
        ([0.3, 0.5, 0.2], "row 4 holds shares that add up to 1 of 1; log-ratios need some left"),
        ([0.3, np.nan, 0.2], "column 1 of X is missing in row 4 beside other shares of 1"),
    ],
)
def test_shares_without_log_ratios_are_refused_by_name(row, said):
    X = shares()[:, :3]
    trace = dpviz.run(X, config(transform="logratio"))
    assert trace.config.transform == RATIOS
    with pytest.raises(InvalidDataError, match=said):
        Predictor(X, trace).predict([*X[:4], row])
    X[4] = row
    with pytest.raises(InvalidDataError, match=said):
        dpviz.run(X, config(transform="logratio", missing="marginalise", family="normal_gamma"))
    with pytest.raises(InvalidDataError, match="these add up to"):
        dpviz.run(1000 * shares(), config(transform="logratio"))
    for wrong in (shares(), np.round(shares(), 2)):  # with the share that is to be left out
        with pytest.raises(InvalidDataError, match="shares that add up to [01.]* of 1; log-ratios need some left"):
            dpviz.run(wrong, config(transform="logratio"))
    X[4] = [0.6, 0.5, 0.2]
    with pytest.raises(InvalidDataError, match="row 4 holds shares that add up to 1.3 of 1"):
        dpviz.run(X, config(transform="logratio"))
    for wrong in (("logratio", 1.0), ("logratio 0", 1.0), ("logratio x", 1.0), ("log", 1.0)):
        with pytest.raises(InvalidParameterError, match="or “logratio” and the whole"):
            config(transform=wrong)


def test_the_command_line_takes_log_ratios_of_the_shares_of_a_table_alone(tmp_path, capsys):
    rng, path = np.random.default_rng(2), tmp_path / "soil.csv"
    table = np.column_stack([rng.normal(50, 5, 120), np.round(shares(whole=100.0) + 0.01, 2)])
    table[:, -1] = np.round(100 - table[:, 1:-1].sum(axis=1), 2)
    np.savetxt(path, table, delimiter=",", header="depth,sand,silt,clay,peat", comments="", fmt="%.2f")
    assert cli("run", path, "--transform logratio --effort 0 --quiet --out", tmp_path / "out.json") == 0
    kept = json.loads((tmp_path / "out.json").read_text())["config"]
    assert kept["transform"] == [1.0, *["logratio 100"] * 3]
    capsys.readouterr()
    assert cli("run", path, "--transform logratio --scaling spread") == 1
    assert "log-ratios are of shares that add up: take --scaling none" in capsys.readouterr().err
    assert cli("run", path, "--transform 1,logratio:100,logratio:100,logratio:100 --effort 0") == 0
    assert "log-ratios of “sand”, “silt”, “clay” and what they leave of 100" in capsys.readouterr().err
    assert cli("predict", tmp_path / "out.json", path, "--data", path) == 0
    capsys.readouterr()
    table[3, 2], table[5, 1:3] = 0.0, 60.0
    np.savetxt(tmp_path / "new.csv", table[:9], delimiter=",", header="depth,sand,silt,clay,peat", comments="")
    assert cli("predict", tmp_path / "out.json", tmp_path / "new.csv", "--data", path) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "must be above 0 like all shares" in line]
    assert len(said) == 2 and "“silt”" in said[0] and "“sand”" in said[1]


def test_the_command_line_transforms(tmp_path, capsys):
    path = tmp_path / "skewed.csv"
    np.savetxt(path, skewed(), delimiter=",", header="price,area", comments="")
    auto = typed("--transform auto --scaling none --quiet --out", tmp_path / "out.json")
    assert cli("run", path, auto) == 0
    assert "log of “price”, “area”" in capsys.readouterr().err
    assert cli("run", path, "--transform log --effort 0") == 0
    told = capsys.readouterr().err
    assert "Columns are divided to variance 1, and not moved," in told and "distances" not in told
    assert cli("run", path, "--algorithm kmeans --transform log") == 1
    assert "--transform is about the model of clusters, and kmeans has none" in capsys.readouterr().err


SKEWED = np.exp(np.random.default_rng(3).normal(size=(150, 3)) @ [[1, 0.5, 0], [0, 1, 0], [0, 0, 0.8]])


def written(path, X):
    np.savetxt(path, X, delimiter=",", header="price,area,rent", comments="", fmt="%.17g")
    return str(path)


def test_the_command_line_begins_with_transformations_of_skewed_columns(tmp_path, capsys):
    brief, out = "--quiet --effort 0", tmp_path / "out.json"
    table = written(tmp_path / "skewed.csv", SKEWED)
    assert cli("run", [table], brief, "--out", out) == 0
    told, own = capsys.readouterr().err, stored_trace(out)
    assert "Transformed: log of “price”, “area”, “rent”" in told and "divided to variance 1, and not moved" in told
    X = dpviz.datasets.scale(SKEWED, "spread").X
    expected = dpviz.run(X, dpviz.RunConfig(partition="auto", transform="auto", effort=0.0))
    assert own.config == expected.config and own.in_units(0.0).nll[-1] == pytest.approx(expected.nll[-1], rel=1e-12)
    for options, scaling in (
        (["--transform", "none"], "standardise"),
        (["--prior", "c0=0.1", "--family", "normal_gamma"], "standardise"),
        (["--algorithm", "kmeans"], "standardise"),
        (["--scaling", "standardise"], "standardise"),
        (["--scaling", "robust"], "robust"),
        (["--scaling", "none", "--transform", "none"], "none"),
    ):
        assert cli("run", [table], brief, options, "--out", out) == 0
        told, trace = capsys.readouterr().err, stored_trace(out)
        assert trace.config.transform is None and "ransform" not in told
        Y = dpviz.datasets.scale(SKEWED, scaling).X
        assert_array_equal(trace.labels, dpviz.run(Y, trace.config).labels)
    earlier = tmp_path / "config.json"  # a configuration says all there is to say
    earlier.write_text(dpviz.RunConfig(partition="auto", effort=0.0).to_json())
    assert cli("run", [table], "--config", earlier, "--quiet --out", out) == 0
    assert stored_trace(out).config.transform is None and "are standardised" in capsys.readouterr().err
    assert cli("run", [table], brief, "--prior c0=0.1 --transform auto --out", out) == 0
    assert "No column is transformed: hyperparameters are given in the units" in capsys.readouterr().err


@pytest.mark.parametrize("estimator", [dpviz.MAPDP, dpviz.GibbsDP])
def test_estimators_begin_with_transformations(estimator):
    options = {"random_state": 0} | ({"effort": 0.0} if estimator is dpviz.MAPDP else {"n_sweeps": 12, "burn_in": 4})
    model = estimator(**options).fit(SKEWED)
    asked = replace(model.trace_.config, family="auto", prior="auto", transform="auto")
    expected = dpviz.run(SKEWED, asked)
    assert model.trace_.config.transform == (0.0, 0.0, 0.0) and any("Transformed: log of" in n for n in model.notes_)
    assert expected.config == model.trace_.config and expected.nll[-1] == model.trace_.nll[-1]
    numbers = estimator(family="normal_gamma", prior={"c0": 0.1}, **options).fit(SKEWED)
    counts = estimator(kinds=["count"], **options).fit(np.arange(20)[:, None] % 6)
    shifted = estimator(**options).fit(SKEWED - SKEWED.mean(axis=0))
    plain = estimator(transform=None, **options).fit(SKEWED)
    for other in (numbers, counts, shifted, plain):
        assert other.trace_.config.transform is None and not any("transformed" in note for note in other.notes_)


@pytest.mark.parametrize("name", ["wine", "crabs", "old_faithful"])
def test_columns_that_are_only_divided_have_the_same_clusters_as_standardised_ones(name):
    X, begun = dpviz.datasets.load(name).X, dpviz.RunConfig(partition="auto", effort=0.0)
    moved, divided = (dpviz.run(dpviz.datasets.scale(X, way).X, begun) for way in ("standardise", "spread"))
    assert moved.config == divided.config
    assert_array_equal(moved.result_labels, divided.result_labels)
    assert_allclose(moved.nll[moved.result_sweep], divided.nll[divided.result_sweep])


def stored_trace(path):
    return dpviz.Trace.from_json(path.read_text())


@pytest.mark.parametrize("make", [unequal_normal_groups, lambda rng: (20 + rng.normal(size=(90, 3)), None)])
def test_nothing_is_said_where_nothing_is_transformed(tmp_path, capsys, make):
    X, _ = make(np.random.default_rng(1))
    table, out = written(tmp_path / "plain.csv", X[:, :3]), tmp_path / "out.json"
    assert cli("run", [table], "--quiet --effort 0.1 --out", out) == 0
    assert "ransform" not in capsys.readouterr().err.replace("since they may be transformed", "")
    alone = dpviz.run(dpviz.datasets.scale(X[:, :3]).X, dpviz.RunConfig(partition="auto", effort=0.1))
    assert_array_equal(stored_trace(out).result_labels, alone.result_labels)
    assert stored_trace(out).in_units(0.0).nll[-1] == pytest.approx(alone.nll[-1], rel=1e-9)


def test_folds_transform_anew_where_columns_are_transformed(tmp_path):
    table, out = written(tmp_path / "skewed.csv", SKEWED), tmp_path / "out.json"
    short = "--quiet --effort 0 --folds 3 --jobs 1"
    assert cli("compare", [table], "--algorithms mapdp,kmeans", short, "--out", out) == 0
    rows = {row["algorithm"]: row for row in json.loads(out.read_text())}
    assert [rows[name]["scaling"] for name in ("mapdp", "kmeans")] == ["spread", "standardise"]
    assert rows["mapdp"]["n_clusters"] == 1 and np.isfinite(rows["mapdp"]["held_out"])


def test_all_rows_beyond_a_transformation_are_told_and_columns_that_have_none():
    X = skewed()
    predictor = Predictor(X, dpviz.run(X, config()))
    rows = np.tile(X[:1], (3000, 1))
    rows[::2, 1] = -1.0
    rows[1, 0] = np.nan
    assert_array_equal(predictor.impossible(rows, 10), rows == -1.0)
    (note,) = resolve(X - X.mean(axis=0), config(transform="auto")).notes
    assert note == "No column is transformed: none of many different values is > 0 throughout."


@pytest.mark.parametrize("word", ["auto", "power"])
def test_no_power_is_found_that_leaves_the_range_of_squares(word):
    X = skewed()
    X[0, 0] = 1e-300  # as p-values may be
    found = resolve(X, config(transform=word))
    assert found.config.transform is not None and not Powers.given(found.config.transform).beyond(X).any()
    with pytest.raises(InvalidDataError, match="column 0 of X holds 1e-300 .*power -0.6, .* becomes of 1e-300"):
        dpviz.run(X, config(transform=(-0.6, 1.0)))
    trace = dpviz.run(skewed(), config(transform=(-1.0, 1.0)))
    (far,) = Predictor(skewed(), trace).predict([[1e-200, 1.0]]).log_density  # no row is too far to have a density
    assert far < Predictor(skewed(), trace).predict([[1e-3, 1.0]]).log_density


def test_no_warning_is_shown():
    X = skewed()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for power in (-2.0, 2.0, 0.0):
            dpviz.run(X, config(transform=(power, 1.0)))


def test_families_are_also_compared_under_transformations_in_the_units_of_the_columns():
    X = np.random.default_rng(0).lognormal(size=(60, 2))
    own = dpviz.RunConfig("mapdp", family="normal_gamma", prior={"width": 1.0}, effort=0.05)
    kinds = ("continuous",) * 2
    found = list(models_transformed(X, own, kinds, 2))
    plain = list(models_like(X, own, kinds, 2))
    logs = [model for model in found if model.transform == "logarithms"]
    assert {model.family for model in logs} == {"normal_gamma", "normal_wishart", "spherical_normal"}
    assert len(found) <= most_transformed(X, own, kinds) == 6 and {model.clusters for model in logs} == {1}
    assert min(model.held_out for model in logs) > max(model.held_out for model in plain)
    for model in logs:  # of one cluster: the marginal likelihood of the logarithms, times the slopes 1/x
        alone = dpviz.run(np.log(X), replace(model.config, transform=None))
        assert model.nll == pytest.approx(alone.nll[-1] + np.log(X).sum())
    again = replace(own, transform="log")
    assert {model.transform for model in models_transformed(X, again, kinds, 2)} <= {"as they are", "powers by nll"}
    assert most_transformed(X - 1, own, kinds) == 0
    counts = dpviz.RunConfig("mapdp", family="poisson", prior=None)
    assert most_transformed(np.floor(30 * X) + 1, counts, ("count",) * 2) == 0


@pytest.mark.parametrize(("power", "loses"), [(-1.0, True), (0.5, True), (0.0, False), (1.0, False)])
def test_powers_but_the_logarithm_lose_mass_and_say_so(power, loses):
    X = np.exp(0.5 * np.random.default_rng(0).normal(size=(80, 1)))
    config = dpviz.RunConfig(family="normal_gamma", transform=(power,), effort=0.0, prior={"width": 1.0})
    logs = np.linspace(-30.0, 30.0, 20_001) if power < 1.0 else None
    grid = np.linspace(-200.0, 200.0, 20_001) if logs is None else np.exp(logs)
    density = np.exp(Predictor(X, dpviz.run(X, config)).predict(grid[:, None]).log_density)
    mass = np.trapezoid(density, grid) if logs is None else np.trapezoid(density * grid, logs)
    assert (mass < 1.0 - 1e-3) == loses and mass < 1.0 + 1e-3
    assert lose_mass((1.0, power)) == loses and not lose_mass("auto") and not lose_mass(None)
