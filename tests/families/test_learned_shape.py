"""The learned shape: what a partition teaches, the choice by rows held out, and tables where nothing can be learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.analysis.held_out import held_out_folds
from dpviz.analysis.prediction import predict
from dpviz.errors import InvalidParameterError
from dpviz.fit import shape
from dpviz.fit.automatic import choice_operations, resolve
from dpviz.fit.shape import FEWEST_ROWS, FLOOR, N_FOLDS, SPARE_DEGREES, WEIGHTS, learned_priors
from dpviz.fit.width import choose_width
from dpviz.metrics import ari

FULL, DIAGONAL = "normal_wishart", "normal_gamma"
SETTINGS = {"family": FULL, "prior": "shape", "partition": "auto"}
GROUPS = np.repeat(np.arange(3), 40)


def groups(seed: int = 0, n_features: int = 3) -> np.ndarray:
    """Three groups of one covariance, far from that of all points."""
    rng = np.random.default_rng(seed)
    root = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0] * np.geomspace(0.2, 1.5, n_features)
    centres = np.array([[0, 0], [6, 0], [0, 6]])
    return np.pad(centres, ((0, 0), (0, n_features - 2)))[GROUPS] + rng.normal(size=(120, n_features)) @ root.T


def chosen(X: np.ndarray, **options) -> tuple[dpviz.RunConfig, str]:
    """The resolved configuration and the last note."""
    choice = resolve(X, dpviz.RunConfig(**{**SETTINGS, **options}))
    return choice.config, choice.notes[-1]


# --- what a partition teaches -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", [FULL, DIAGONAL])
def test_a_partition_teaches_the_pooled_covariance_within_its_clusters(family):
    X, rng = groups(), np.random.default_rng(1)
    labels = rng.integers(3, size=len(X))
    scatter, whole = FLOOR * np.cov(X.T, bias=True), X.mean(axis=0)
    for k in range(3):
        own = X[labels == k]
        scatter = scatter + (own - own.mean(axis=0)).T @ (own - own.mean(axis=0)) / len(X)
    if family == DIAGONAL:
        scatter = np.diag(np.diagonal(scatter))
    shifts = [X[labels == k].mean(axis=0) - whole for k in range(3)]
    weight = 3 / np.mean([shift @ np.linalg.inv(scatter) @ shift for shift in shifts])
    for spare, prior in zip(SPARE_DEGREES, learned_priors(X, labels, family), strict=True):
        found = dpviz.FAMILIES[family].from_prior(prior, X)
        # what clusters are expected to look like, whatever the parametrisation
        assert_allclose(found.expected_covariance(), scatter, rtol=1e-10)
        assert_allclose(found.m0, whole, rtol=1e-12)
        assert found.c0 == pytest.approx(np.clip(weight, *WEIGHTS))
        assert found.a0 == (3 + spare if family == FULL else (1 + spare) / 2)


def test_one_column_learns_the_same_from_either_family():
    """A Wishart law of one column with a0 degrees is a gamma law of shape a0/2 and rate ψ0/2."""
    X, labels = groups()[:, :1], GROUPS
    for full, diagonal in zip(learned_priors(X, labels, FULL), learned_priors(X, labels, DIAGONAL), strict=True):
        assert diagonal["a0"] == full["a0"] / 2
        assert_allclose(diagonal["b0"], full["psi0"][0] / 2)
        assert diagonal["c0"] == pytest.approx(full["c0"])


def test_missing_cells_are_left_out_of_what_a_partition_teaches():
    X = np.array([[0.0, 1.0], [2.0, np.nan], [7.0, 5.0], [9.0, np.nan], [5.0, np.nan]])
    found = learned_priors(X, np.array([0, 0, 1, 1, 2]), DIAGONAL)[1]
    variances = np.array([np.var(X[:, 0]), 4.0])
    within = np.array([4 / 5, 0.0]) + FLOOR * variances
    assert_allclose(found["b0"] / (found["a0"] - 1), within)
    shifts = np.array([[1 - 4.6, 8 - 4.6, 5 - 4.6], [1 - 3, 5 - 3, np.nan]])
    assert found["c0"] == pytest.approx(np.clip(1 / np.nanmean(shifts**2 / within[:, None]), *WEIGHTS))


# --- what is chosen ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", [FULL, DIAGONAL])
def test_the_numbers_are_in_the_trace_and_run_again_to_the_same_bits(family):
    X = groups(n_features=8)
    config, note = chosen(X, family=family)
    assert note.startswith("Prior: a learned shape (a0 = ") and "higher log density" in note
    trace = dpviz.run(X, dpviz.RunConfig(**{**SETTINGS, "family": family}))
    assert trace.config == config
    assert set(dict(config.prior)) == {p.name for p in dpviz.FAMILIES[family].hyperparameters}
    again = dpviz.run(X, dpviz.RunConfig.from_json(trace.config.to_json()))
    assert_array_equal(again.nll, trace.nll)
    assert_array_equal(again.labels, trace.labels)
    assert family == DIAGONAL or ari(GROUPS, trace.result_labels) > 0.9  # the groups lie across the columns


def test_rows_held_out_decide_though_nll_would_take_the_shape(monkeypatch):
    """Two groups of different covariances have none in common to learn."""
    rng = np.random.default_rng(0)
    roots, labels = rng.normal(size=(2, 4, 4)), np.repeat([0, 1], 100)
    X = np.einsum("nd,nde->ne", rng.normal(size=(200, 4)), roots[labels]) + 3 * labels[:, None]
    config, note = chosen(X)
    assert config == resolve(X, dpviz.RunConfig(**{**SETTINGS, "prior": "auto"})).config
    width = f"{dict(config.prior)['width']:.4g}"
    assert note.startswith(f"Prior: width {width}, instead of a learned shape. Rows held out have a lower log density")

    def always(X, base, n_directions):
        return np.arange(len(X)) + 1.0
        yield

    monkeypatch.setattr(shape, "_gains", always)
    learned = resolve(X, dpviz.RunConfig(**SETTINGS)).config
    assert dpviz.run(X, learned).nll[-1] < dpviz.run(X, config).nll[-1]


@pytest.mark.parametrize(("errors", "word"), [(1.9, "Prior: width "), (2.1, "Prior: a learned shape (a0 = ")])
def test_a_gain_below_two_standard_errors_may_be_chance(monkeypatch, errors, word):
    def gains(X, base, n_directions):
        signs = np.resize([-1.0, 1.0], len(X))
        return signs + errors * np.std(signs, ddof=1) / np.sqrt(len(X))
        yield

    monkeypatch.setattr(shape, "_gains", gains)
    _, note = chosen(groups())
    assert note.startswith(word) and "a higher log density under the shape" in note and "2 standard errors" in note


@pytest.mark.parametrize(("family", "seed"), [(FULL, 0), (DIAGONAL, 1), (FULL, 2)])
def test_units_change_no_cluster(family, seed):
    X, rng = groups(seed), np.random.default_rng(seed)
    moved = X * 10.0 ** rng.uniform(-4, 4, X.shape[1]) + rng.normal(size=X.shape[1])
    maps = [moved, X @ rng.normal(size=(3, 3))] if family == FULL else [moved]
    own, note = chosen(X, family=family)
    labels = dpviz.run(X, own).result_labels
    for other in maps:
        config, same = chosen(other, family=family)
        assert same.split("(")[0] == note.split("(")[0]
        assert ari(labels, dpviz.run(other, config).result_labels) == 1.0


@pytest.mark.parametrize("family", [FULL, DIAGONAL])
def test_a_width_alone_is_that_of_auto(family):
    shaped, plain = (
        choose_width(groups(), dpviz.RunConfig(**{**SETTINGS, "family": family, "prior": prior}))
        for prior in ("shape", "auto")
    )
    assert shaped.config == plain.config and shaped.width == plain.width is not None


def test_no_row_is_scored_by_what_was_learned_from_it(monkeypatch):
    """Coordinates, width, shape and partition of a fold are those of the others' rows alone."""
    X, seen = groups(), []
    own = shape._fitted

    def noted(Z, base):
        seen.append(Z)
        return (yield from own(Z, base))

    monkeypatch.setattr(shape, "_fitted", noted)
    config = dpviz.RunConfig(**SETTINGS, seed=3)
    resolve(X, config)
    folds = np.random.default_rng(3).permutation(len(X)) % N_FOLDS
    assert len(seen) == 1 + N_FOLDS
    for number, Z in enumerate(seen[1:]):
        others = X[folds != number]
        assert_allclose(Z, (others - others.mean(axis=0)) / others.std(axis=0), atol=1e-12)


def test_folds_learn_the_shape_again():
    X, config = groups(), dpviz.RunConfig(**SETTINGS)
    fold = next(iter(held_out_folds(X, config, 2)))
    others = np.delete(X, fold.rows, axis=0)
    trace = dpviz.run(others, config)
    assert_array_equal(fold.log_density, predict(others, trace, X[fold.rows]).log_density)


def test_the_alternation_is_bounded(monkeypatch):
    taught = []
    own = shape._taught
    monkeypatch.setattr(shape, "_taught", lambda sample, labels: taught.append(1) or own(sample, labels))
    # every descent ends elsewhere, so that no partition comes again
    rng, trial = np.random.default_rng(0), shape.trial_steps

    def elsewhere(problem, width, **changes):
        found = yield from trial(problem, width, **changes)
        return replace(found, labels=rng.integers(2, size=len(found.labels)))

    monkeypatch.setattr(shape, "trial_steps", elsewhere)
    resolve(groups(), dpviz.RunConfig(**SETTINGS))
    assert len(taught) == (1 + N_FOLDS) * shape.MOST_ROUNDS


def test_its_work_is_estimated():
    plain, learned = (choice_operations(dpviz.RunConfig(prior=prior), 500, 4) for prior in ("auto", "shape"))
    assert learned > N_FOLDS * plain


# --- with other settings ----------------------------------------------------------------------------------------------


def test_directions_have_the_shape_of_their_coordinates():
    X = groups(1) @ np.random.default_rng(0).normal(size=(3, 9)) + 0.1 * np.random.default_rng(1).normal(size=(120, 9))
    config, note = chosen(X, directions=3)
    assert config.directions == 3 and note.startswith("Prior: a learned shape")
    assert np.shape(dict(config.prior)["psi0"]) == (3, 3)
    assert ari(GROUPS, dpviz.run(X, config).result_labels) > 0.9


def test_a_coarsened_run_has_the_shape_of_the_model_at_its_word():
    X = groups()
    config, note = chosen(X, coarsening=50.0)
    assert (replace(config, coarsening=None), note) == chosen(X)


@pytest.mark.parametrize("family", [FULL, DIAGONAL])
def test_missing_cells_are_left_out_or_complete_rows_decide(family):
    X = groups()
    X[::17, 1] = np.nan
    config, note = chosen(X, family=family)
    assert note.startswith("Prior: ") and np.isfinite(dpviz.run(X, config).nll[-1])
    if family == FULL:
        complete = X[~np.isnan(X).any(axis=1)]
        assert config == chosen(complete, family=family)[0]


def test_gibbs_takes_what_mapdp_finds_and_methods_without_a_model_ignore_it():
    X = groups()
    assert chosen(X, algorithm="gibbs")[0].prior == chosen(X)[0].prior
    assert dpviz.run(X, dpviz.RunConfig("kmeans", prior="shape")).n_clusters[-1] == 3


# --- where there is nothing to learn ----------------------------------------------------------------------------------

RNG = np.random.default_rng(5)
TABLES = {
    "two rows": (groups()[:2], "Too few rows (2; 10 are needed)"),
    "nine rows": (groups()[: FEWEST_ROWS - 1], "Too few rows (9;"),
    "a constant column": (np.column_stack([groups(), np.ones(120)]), "some clusters have no spread"),
    "nearly constant": (np.column_stack([groups(), RNG.random(120) < 0.03]), "some clusters have no spread"),
    "a repeated column": (groups()[:, [0, 1, 2, 2]], "some clusters have no spread"),
    "one value": (np.ones((30, 2)), "some clusters have no spread"),
    "repeated rows": (np.repeat(groups()[::20], 20, axis=0), "some clusters have no spread"),
}


@pytest.mark.parametrize("table", list(TABLES))
def test_a_width_is_kept_where_a_density_would_run_off_and_why_is_said(table):
    X, why = TABLES[table]
    choice = resolve(X, dpviz.RunConfig(**SETTINGS))
    assert any(why in note for note in choice.notes)
    assert choice.config == resolve(X, dpviz.RunConfig(**{**SETTINGS, "prior": "auto"})).config
    assert np.isfinite(dpviz.run(X, choice.config).nll[-1])


@pytest.mark.parametrize("family", [FULL, DIAGONAL])
def test_fewer_rows_than_columns_and_one_group_have_an_answer(family):
    X = np.random.default_rng(2).normal(size=(20, 30))
    config, _ = chosen(X, family=family)
    assert np.isfinite(dpviz.run(X, config).nll[-1])
    one, _ = chosen(X.T[:, :4], family=family)
    assert dpviz.run(X.T[:, :4], one).n_clusters[-1] == 1


@pytest.mark.parametrize(
    "options", [{"family": "poisson"}, {"family": "spherical_normal"}, {"family": "auto", "kinds": ("real", "binary")}]
)
def test_only_full_and_diagonal_covariances_can_be_learned(options):
    with pytest.raises(InvalidParameterError, match=r"prior = 'shape' must be 'auto', .* with .*: it learns a covar"):
        dpviz.RunConfig(**{**SETTINGS, **options})


def test_the_command_line_takes_it_and_learns_it_again_in_every_fold(tmp_path, capsys):
    np.savetxt(path := tmp_path / "groups.csv", groups()[::2], delimiter=",", header="a,b,c", comments="", fmt="%.5f")
    options = typed(path, "--family", [DIAGONAL], "--prior shape --scaling none --concentration 1")
    assert cli("run", options) == 0
    assert "Prior: " in capsys.readouterr().err
    out = tmp_path / "compared.csv"
    assert cli("compare", options, "--algorithms mapdp --folds 2 --out", out) == 0
    config = dpviz.RunConfig(family=DIAGONAL, prior="shape", partition=dpviz.ChineseRestaurant(1.0))
    X = np.loadtxt(path, delimiter=",", skiprows=1)
    density = np.concatenate([fold.log_density for fold in held_out_folds(X, config, 2)])
    assert pd.read_csv(out)["held_out"][0] == pytest.approx(density.mean())
