"""The width of a cluster: narrowed priors, its way through configurations, and how it is chosen."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from command_line import cli
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.analysis.parameters import variable_parameters, with_parameter
from dpviz.datasets import scale, synthesize
from dpviz.errors import InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.fit.width import WIDTHS, choose_width, has_width, runs_off
from dpviz.metrics import nmi

WITH_WIDTH = [name for name, family in FAMILIES.items() if family.scaled_by_width and name != "mixed"]
"""Families of real columns; a mixed table has a width if some are real: tests of its own."""
WITHOUT_WIDTH = [name for name, family in FAMILIES.items() if not family.scaled_by_width]
# Mean 2 and 10, population variance 2/3 and 8/3, correlation 1/2.
SMALL = np.array([[1.0, 10.0], [2.0, 8.0], [3.0, 12.0]])
FULL = dpviz.RunConfig("mapdp", family="normal_wishart", prior=None)
SCENARIOS = [
    "spherical_unequal_radius",
    "spherical_unequal_density",
    "spherical_outliers",
    "elliptical_rotated",
    "elliptical_separated",
    "elliptical_overlap",
]


def quick(**options):
    settings = {"family": "normal_wishart", "prior": None, "n_init": 3, "effort": 0.0}
    return dpviz.RunConfig("mapdp", **{**settings, **options})


def many_clusters(n_clusters=31, n_each=100):
    """Separated circles on a square of side 30, their centres at least 3.6 apart and their deviation 0.6."""
    rng = np.random.default_rng(0)
    centres = []
    while len(centres) < n_clusters:
        candidate = rng.uniform(0, 30, 2)
        if all(np.hypot(*(candidate - centre)) > 3.6 for centre in centres):
            centres.append(candidate)
    labels = np.repeat(np.arange(n_clusters), n_each)
    return np.array(centres)[labels] + 0.6 * rng.normal(size=(len(labels), 2)), labels


# --- narrowed priors --------------------------------------------------------------------------------------------------

NARROWED = {
    "normal_wishart": {"c0": 0.1 / 4, "a0": 4.0, "psi0": np.array([[2 / 3, 2 / 3], [2 / 3, 8 / 3]]) / 4},
    "normal_gamma": {"c0": 0.1 / 4, "a0": 1.5, "b0": np.array([1 / 3, 4 / 3]) / 4},
    "spherical_normal": {"sigma0_sq": 5 / 3, "sigma_hat_sq": 1 / 6 / 4},
    "normal_known_covariance": {"sigma0": np.diag([2 / 3, 8 / 3]), "sigma_hat": np.diag([2 / 30, 8 / 30]) / 4},
}


@pytest.mark.parametrize("name", list(NARROWED))
def test_a_quarter_of_the_width_by_hand(name):
    family = FAMILIES[name].from_prior({"width": 0.25}, SMALL)
    for hyperparameter, expected in NARROWED[name].items():
        assert_allclose(getattr(family, hyperparameter), expected, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in WITH_WIDTH if FAMILIES[name].kind == "real"])
def test_clusters_get_narrower_and_their_means_stay_as_far_apart(name):
    family = FAMILIES[name]
    X = family.example_data(60, 3)
    usual, narrow = family.from_prior(None, X), family.from_prior({"width": 1 / 16}, X)
    within = usual.expected_covariance()
    assert_allclose(narrow.expected_covariance(), within / 16, rtol=1e-12)
    drawn = [
        np.array(
            [f.draw(np.random.default_rng(seed)).sample(1, np.random.default_rng(seed))[0] for seed in range(4000)]
        )
        for f in (usual, narrow)
    ]
    spread = [np.median(np.abs(points - usual.predictive().location), axis=0) for points in drawn]
    assert np.all(spread[1] > 0.6 * spread[0])  # of points: the means' spread is all of it, or nearly


@pytest.mark.parametrize("name", WITH_WIDTH)
def test_width_one_is_the_usual_prior_bit_for_bit(name):
    X = FAMILIES[name].example_data(50, 2)
    usual, one = FAMILIES[name].from_prior(None, X), FAMILIES[name].from_prior({"width": 1}, X)
    for parameter in usual.hyperparameters:
        assert_array_equal(getattr(one, parameter.name), getattr(usual, parameter.name))


@pytest.mark.parametrize("name", WITH_WIDTH)
def test_a_run_by_width_is_the_run_by_the_hyperparameters_that_it_stands_for(name):
    X = FAMILIES[name].example_data(80, 2)
    family = FAMILIES[name].from_prior({"width": 1 / 8}, X)
    explicit = {parameter.name: getattr(family, parameter.name) for parameter in family.hyperparameters}
    by_width = dpviz.run(X, quick(family=name, prior={"width": 1 / 8}))
    by_hand = dpviz.run(X, quick(family=name, prior=explicit))
    assert_array_equal(by_width.nll, by_hand.nll)
    assert_array_equal(by_width.result_labels, by_hand.result_labels)


@pytest.mark.parametrize("name", WITH_WIDTH)
def test_what_is_given_beside_the_width_stays(name):
    X = FAMILIES[name].example_data(50, 2)
    scaled, *others = FAMILIES[name].scaled_by_width
    usual = FAMILIES[name].default_prior(X)
    family = FAMILIES[name].from_prior({"width": 0.5, scaled: usual[scaled] * 3}, X)
    assert_array_equal(getattr(family, scaled), usual[scaled] * 3)
    for other in others:
        assert_array_equal(getattr(family, other), usual[other] * 0.5)


@pytest.mark.parametrize("name", WITHOUT_WIDTH)
def test_a_family_without_a_width_says_so(name):
    family = FAMILIES[name]
    X = family.example_data(30, 2)
    assert family.narrowed(family.default_prior(X), 0.5) is None
    with pytest.raises(InvalidParameterError, match=rf"prior\['width'\] = 0.5 .*family = '{name}'"):
        family.from_prior({"width": 0.5}, X)


@pytest.mark.parametrize("name", WITH_WIDTH)
@pytest.mark.parametrize("share", [0.0, -0.5, 8.5, "wide", np.nan, [0.5, 0.5], True])
def test_a_width_out_of_range_is_refused(name, share):
    family = FAMILIES[name]
    with pytest.raises(InvalidParameterError, match=r"prior\['width'\] = .* must be a number > 0 and <= 8"):
        family.from_prior({"width": share}, family.example_data(30, 2))


# --- through configurations, grids, links, the command line -----------------------------------------------------------


def test_a_width_survives_links_and_stored_configurations():
    config = quick(prior={"width": 1 / 64, "a0": 5.0})
    assert dpviz.RunConfig.from_query(config.to_query()) == config
    assert dpviz.RunConfig.from_json(config.to_json()) == config
    assert config.prior_dict == {"a0": 5.0, "width": 1 / 64}


@pytest.mark.parametrize("name", WITH_WIDTH)
def test_grids_vary_the_width(name):
    X = FAMILIES[name].example_data(50, 2)
    config = quick(family=name)
    assert "width" in variable_parameters(config)
    assert with_parameter(config, "width", 0.25, X).prior_dict == {"width": 0.25}
    with pytest.raises(InvalidParameterError, match=r"width = 9.0 must be a number > 0 and <= 8"):
        with_parameter(config, "width", 9.0, X)
    full = replace(config, prior=FAMILIES[name].default_prior(X))
    assert "width" not in variable_parameters(full) and not has_width(full)


@pytest.mark.parametrize("name", WITHOUT_WIDTH)
def test_grids_know_which_families_have_none(name):
    assert "width" not in variable_parameters(quick(family=name))


def test_a_factor_multiplies_the_narrowed_spread():
    config = with_parameter(quick(family="normal_gamma", prior={"width": 0.5}), "b0", 3.0, SMALL)
    assert_allclose(config.prior_dict["b0"], [0.5, 2.0], rtol=1e-12)
    assert config.prior_dict["width"] == 0.5


def run_in_shell(tmp_path, *options):
    X, _ = many_clusters(12, 40)
    np.savetxt(tmp_path / "data.csv", X, delimiter=",", header="a,b", comments="")
    out = tmp_path / "trace.json"
    code = cli("run", tmp_path / "data.csv", "--family normal_wishart", options, "--out", out)
    assert code == 0
    return json.loads(out.read_text())["config"].get("prior")


def test_the_command_line_takes_a_width_and_chooses_one(tmp_path, capsys):
    assert run_in_shell(tmp_path, "--width", "0.25") == {"width": 0.25}
    assert run_in_shell(tmp_path, "--prior", "width=0.25", "--prior", "a0=5") == {"a0": 5.0, "width": 0.25}
    capsys.readouterr()
    chosen = run_in_shell(tmp_path)
    assert chosen["width"] < 0.25
    assert f"chosen by nll: Normal, full covariance, width {chosen['width']:.4g}" in capsys.readouterr().err
    assert run_in_shell(tmp_path, "--prior", "auto") == chosen
    assert run_in_shell(tmp_path, "--prior", "none") is None


# --- choosing ---------------------------------------------------------------------------------------------------------


def test_many_narrow_clusters_are_found():
    X, labels = many_clusters()
    usual = dpviz.run(X, quick(effort=0.1))
    assert usual.n_clusters[-1] < 25
    choice = choose_width(X, FULL)
    found = dpviz.run(X, choice.config)
    assert found.n_clusters[-1] == 31 and nmi(labels, found.result_labels) > 0.99
    assert choice.width < 0.25 and not choice.notes


@pytest.mark.parametrize("name", WITH_WIDTH)
def test_the_width_of_lowest_nll_is_chosen_and_no_neighbour_had_a_better_partition(name):
    X = FAMILIES[name].example_data(120, 2)
    choice = choose_width(X, quick(family=name))
    assert [trial.width for trial in choice.trials] == list(WIDTHS)
    best = min((trial for trial in choice.trials if not trial.runs_off), key=lambda trial: trial.nll)
    assert choice.width == best.width and choice.config.prior_dict == {"width": best.width}
    for own, other in zip(choice.trials[1:], choice.trials, strict=False):
        for one, two in ((own, other), (other, own)):
            start = quick(family=name, prior={"width": one.width}, init=two.labels, n_init=1)
            assert one.nll <= dpviz.run(X, start).nll[0] + 1e-6


def test_many_columns_take_a_prior_wider_than_the_data():
    wine = dpviz.datasets.load("wine")
    X = scale(wine.X, "standardise").X
    choice = choose_width(X, quick(family="normal_wishart"))
    nll = {trial.width: trial.nll for trial in choice.trials}
    found = next(trial for trial in choice.trials if trial.width == choice.width)
    assert choice.width > 1 and nll[choice.width] < nll[1.0] - 100
    assert found.n_clusters <= 13  # 20 and more at the usual width


@pytest.mark.parametrize(("factor", "width", "words"), [(100, 1 / 512, "narrower"), (0, 8, "wider"), (8, 0, "")])
def test_a_choice_at_the_edge_of_what_was_tried_is_said(factor, width, words):
    """Points about distant places, noise in many columns, and groups whose width lies within the range."""
    rng = np.random.default_rng(0)
    n_features = 2 if factor else 20
    X = factor * np.repeat(rng.normal(size=(10, n_features)), 12, axis=0) + 0.3 * rng.normal(size=(120, n_features))
    choice = choose_width(X, FULL)
    expected = f"is the last of those tried: clusters that are {words} still may have a lower nll."
    assert [note.partition(f"The width {width:.4g} ")[2] for note in choice.notes] == [expected] * bool(words)
    assert not choice.collapses
    assert not words or choice.width == width


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [*SCENARIOS, "null_gaussian", "null_uniform"])
def test_scenarios_with_few_clusters_stay_as_they_are(scenario):
    data = dpviz.datasets.synthesize(scenario)
    usual, chosen = dpviz.run(data.X, FULL), dpviz.run(data.X, choose_width(data.X, FULL).config)
    assert chosen.n_clusters[-1] == usual.n_clusters[-1]
    assert nmi(data.labels, chosen.result_labels) >= nmi(data.labels, usual.result_labels) - 0.01


@pytest.mark.parametrize("scaling", ["none", "standardise"])
def test_iris_stays_as_it_is(scaling):
    iris = dpviz.datasets.load("iris")
    X = scale(iris.X, scaling).X
    usual, chosen = dpviz.run(X, FULL), dpviz.run(X, choose_width(X, FULL).config)
    assert chosen.n_clusters[-1] == usual.n_clusters[-1]
    assert nmi(iris.labels, chosen.result_labels) >= nmi(iris.labels, usual.result_labels)


# --- columns in which a density collapses -----------------------------------------------------------------------------

N = 300
DRAWN = np.random.default_rng(1)
PLAIN = DRAWN.normal(size=(N, 2))
TRAPS = {
    "two values": (
        np.column_stack([PLAIN[:, 0], np.arange(N) % 2]),
        "Column 1 takes 2 values; treat it as categorical",
    ),
    "five values": (
        np.column_stack([np.arange(N) % 5, PLAIN[:, 0]]),
        "Column 0 takes 5 values; treat it as categorical",
    ),
    "a constant": (np.column_stack([PLAIN, np.ones(N)]), "Column 2 takes 1 value; leave it out"),
    "rounded": (np.round(2 * PLAIN) / 2, "is rounded to even steps"),
    "identical rows": (np.ones((N, 2)), "takes 1 value"),
    "dependent columns": (np.column_stack([PLAIN, PLAIN.sum(axis=1)]), "exact combinations of others"),
}


MODELS = ["normal_wishart", "normal_gamma"]
CASES = [(trap, family) for trap in TRAPS for family in MODELS]
CASES.remove(("dependent columns", "normal_gamma"))  # independent columns know nothing of each other


@pytest.mark.parametrize(("trap", "family"), CASES)
def test_collapsing_columns_keep_the_usual_width_and_are_named(trap, family):
    X, words = TRAPS[trap]
    choice = choose_width(X, quick(family=family))
    assert choice.width >= 1
    assert any(words in note for note in choice.notes)
    narrowest, usual = choice.trials[-1], next(trial for trial in choice.trials if trial.width == 1)
    assert narrowest.nll < usual.nll  # nll alone would have run off


def test_columns_are_named_as_the_reader_knows_them():
    X = np.column_stack([PLAIN[:, 0], np.arange(N) % 2])
    assert "Column “sex” takes 2 values" in choose_width(X, quick(), ["size", "sex"]).notes[0]


def test_a_spike_at_zero_is_a_spike_even_among_points_near_it():
    rng = np.random.default_rng(1)
    X = np.column_stack([np.where(rng.random(N) < 0.3, 0.0, rng.exponential(size=N)), rng.normal(size=N)])
    choice = choose_width(X, quick())
    assert choice.width >= 0.25
    assert re.match(
        r"Column 0 has its lowest value in 3\d % of the rows; if that is zero, take it unscaled as hurdle; ",
        choice.notes[0],
    )
    middle = choose_width(np.column_stack([np.where(X[:, 0] == 0.0, 1.0, X[:, 0]), X[:, 1]]), quick())
    assert re.match(r"Column 0 has one value in 3\d % of the rows; treat it as categorical", middle.notes[0])


@pytest.mark.parametrize("column", [np.where(np.arange(N) % 3, np.abs(PLAIN[:, 0]), 0.0), np.round(2 * PLAIN[:, 0])])
def test_notes_give_no_numbers_of_columns_whose_units_they_cannot_know(column):
    X = np.column_stack([column, PLAIN[:, 1]])
    found = choose_width(X, quick()).notes
    assert found and choose_width((X - X.mean(axis=0)) / X.std(axis=0), quick()).notes == found


@pytest.mark.parametrize("step", [0.1, 0.5, 1.0])
def test_rounding_does_not_hide_separated_clusters(step):
    X, labels = many_clusters()
    X = np.round(X / step) * step
    found = dpviz.run(X, choose_width(X, quick(effort=0.2)).config)
    assert found.n_clusters[-1] == 31 and nmi(labels, found.result_labels) > 0.98


@pytest.mark.parametrize("size", [1e5, 1e8])
def test_a_wild_cell_is_not_taken_for_dependent_columns(size):
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(40, 2))
        X[7, 0] = size
        choice = choose_width(scale(X).X, quick(), ("len", "wid"))
        said = " ".join(choice.notes)
        assert "combinations" not in said and (not said or "“len” holds values so far from all others" in said)


def test_rings_are_not_taken_for_one_cluster():
    for seed in range(3):
        data = synthesize("rings", 400, seed=seed)
        choice = choose_width(data.X, quick())
        chosen = next(trial for trial in choice.trials if trial.width == choice.width)
        alone = dpviz.run(data.X, quick(init=np.zeros(400, int), n_init=1, max_sweeps=1, prior={"width": 4.0}))
        assert chosen.n_clusters > 4 and chosen.nll < alone.nll[-1] - 50


def test_years_are_no_trap():
    X = np.column_stack([DRAWN.integers(1900, 2000, N).astype(float), PLAIN[:, 0]])
    choice = choose_width(X, quick())
    assert choice.width >= 0.25 and not choice.notes and not any(trial.runs_off for trial in choice.trials)


@pytest.mark.parametrize(("n", "expected"), [(4, False), (5, False), (7, True), (8, True)])
def test_running_off_is_the_slope_in_the_limit(n, expected):
    # One cluster, D = 2, a0 = 4, one column of zeros: ln p = ½(a0 D + D − (a0 + n)) ln s + …, which grows for n > 6.
    X = np.column_stack([np.zeros(n), np.arange(n)])
    assert runs_off(X, quick(family="normal_wishart"), np.zeros(n, dtype=np.int64)) == expected


# --- estimators -------------------------------------------------------------------------------------------------------


def test_estimators_choose_a_width_and_keep_it_in_the_trace():
    X, labels = many_clusters(12, 40)
    mapdp = dpviz.MAPDP(family="normal_wishart", prior="auto", n_init=3, effort=0.1, random_state=3).fit(X)
    width = mapdp.trace_.config.prior_dict["width"]
    assert width == choose_width(X, replace(FULL, seed=mapdp.trace_.config.seed)).width < 0.25
    assert nmi(labels, mapdp.labels_) > 0.95 and mapdp.prior == "auto"
    gibbs = dpviz.GibbsDP(
        family="normal_wishart", prior="auto", n_sweeps=4, burn_in=2, random_state=3, concentration=3.0
    ).fit(X)
    assert gibbs.trace_.config.prior_dict == {"width": width}


def test_an_automatic_prior_of_a_family_without_width_is_the_usual_one():
    X = FAMILIES["poisson"].example_data(60, 2)
    assert dpviz.MAPDP(family="poisson", prior="auto", random_state=0).fit(X).trace_.config.prior is None


def test_choosing_needs_a_model():
    with pytest.raises(InvalidParameterError, match="algorithm = 'kmeans' must be one of mapdp"):
        choose_width(SMALL, dpviz.RunConfig("kmeans"))
