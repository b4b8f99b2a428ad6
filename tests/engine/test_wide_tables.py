"""Wide tables, of too few rows for full covariances: independent along columns, or along all principal directions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import cli
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.datasets import scale
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidParameterError
from dpviz.fit.automatic import _short_operations, choice_operations, problem_for, resolve
from dpviz.fit.directions import is_wide
from dpviz.fit.words import words_for
from dpviz.metrics import ari
from dpviz.ui.session.chosen_data import DataChoice, prepare
from pages import chosen, close, go_to, in_app, press, run, said, set_to, settled, shown_run

BEGUN = dpviz.RunConfig(partition="auto", directions="any", effort=0.1)


def one_gaussian(seed: int, n_rows: int = 500, n_columns: int = 40) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)) @ rng.normal(size=(n_columns, n_columns))


def grouped(seed: int, n_columns: int = 30, moved: int = 4, width: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Two groups that differ in a few of many independent columns."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(300) < 0.4).astype(int)
    X = rng.normal(size=(300, n_columns))
    X[:, :moved] += width * truth[:, None]
    return X, truth


@pytest.mark.parametrize("seed", range(5))
def test_one_correlated_gaussian_is_one_cluster(seed):
    X = one_gaussian(seed)
    trace = dpviz.run(X, BEGUN)
    assert trace.config.directions == 40 and trace.n_clusters[trace.result_sweep] == 1
    assert trace.config.family == "normal_gamma"
    alone = dpviz.run(X, replace(BEGUN, directions=None))
    assert alone.config.directions is None and alone.n_clusters[alone.result_sweep] > 1
    assert trace.nll[trace.result_sweep] < alone.nll[alone.result_sweep] - 780 / 2 * np.log(500)


@pytest.mark.parametrize("seed", range(5))
def test_groups_in_few_independent_columns_are_not_turned_away(seed):
    """Along principal directions nll is lower for one cluster: the angles are fitted, and have to pay for it."""
    X, truth = grouped(seed)
    trace = dpviz.run(X, BEGUN)
    assert trace.config.directions is None and ari(truth, trace.result_labels) > 0.9
    along = problem_for(X, replace(BEGUN, family="normal_gamma", prior=None, directions=30))
    columns = problem_for(X, replace(BEGUN, family="normal_gamma", prior=None, directions=None))
    of_one, of_both = (
        partition_nll(along, [np.zeros(300, dtype=np.int64)])[0],
        partition_nll(columns, [truth])[0],
    )
    assert of_one < of_both


def test_units_change_the_unit_of_nll_and_nothing_else():
    X, units = one_gaussian(7, 90, 16), np.exp(np.random.default_rng(1).normal(size=16))
    ours, theirs = dpviz.run(X, BEGUN), dpviz.run(X * units + 3.0, BEGUN)
    assert ours.config.directions == theirs.config.directions == 16
    assert_array_equal(ours.result_labels, theirs.result_labels)
    assert_allclose(theirs.nll[-1], ours.nll[-1] + 90 * np.log(units).sum(), rtol=1e-7)


@pytest.mark.parametrize(
    "settled_by",
    [
        {"family": "normal_gamma"},
        {"prior": None},
        {"prior": {"width": 2.0}},
        {"prior": "shape"},
        {"kinds": ("real", "count")},
        {"kinds": ("count", "count")},
    ],
)
def test_any_is_none_where_the_model_is_given(settled_by):
    assert replace(BEGUN, **settled_by).directions is None


def test_what_any_means_and_where_it_means_nothing():
    assert BEGUN.directions == "any" and dpviz.RunConfig().directions is None
    assert dpviz.RunConfig.from_json(BEGUN.to_json()) == BEGUN and BEGUN.provisional.directions is None
    with pytest.raises(InvalidParameterError, match="a whole number from 1, 'auto', 'any', or None"):
        replace(BEGUN, directions="wide")
    rng = np.random.default_rng(0)
    gaps = one_gaussian(0, 90, 16)
    gaps[3, 4] = np.nan
    # enough rows, few columns, missing cells, fewer rows than columns
    for X in (rng.normal(size=(136, 16)), rng.normal(size=(20, 7)), gaps, rng.normal(size=(12, 20))):
        found, plain = resolve(X, BEGUN), resolve(X, replace(BEGUN, directions=None))
        assert found.config == plain.config and found.notes == plain.notes
    assert not is_wide(rng.normal(size=(136, 16))) and is_wide(rng.normal(size=(135, 16)))
    plain = replace(BEGUN, directions=None)
    short = 2 * _short_operations(plain, 135, 16)  # whatever the directions, two models are followed further once
    assert choice_operations(BEGUN, 135, 16) == choice_operations(plain, 135, 16) + short
    assert choice_operations(BEGUN, 136, 7) == choice_operations(plain, 136, 7)


def test_any_is_auto_without_a_word_where_it_comes_to_nothing():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        groups = np.repeat([0, 1, 2], 100)
        scores = np.array([[0, 0], [6, 0], [3, 5]])[groups] + rng.normal(size=(300, 2))
        hidden = scores @ rng.normal(size=(2, 20)) + 2 * rng.normal(size=(300, 20))
        apart = 5 * np.eye(3, 10)[groups] + rng.normal(size=(300, 10))
        for X, wanted in ((hidden, 2), (apart, None)):
            found, asked = resolve(X, BEGUN), resolve(X, replace(BEGUN, directions="auto"))
            assert found.config == asked.config and found.config.directions == wanted
            said = [note for note in asked.notes if note not in found.notes]
            assert all(note.startswith("Clusters are looked for in all directions") for note in said[:1])
            assert len(said) == (wanted is None)


def test_it_is_said_in_words():
    X = one_gaussian(2, 90, 16)
    choice = resolve(X, BEGUN)
    assert words_for(choice.config).startswith("Normal, independent features") and "16 direct" in words_for(
        choice.config
    )
    assert "“all" not in words_for(BEGUN) and "direction" not in words_for(BEGUN)
    (note,) = [note for note in choice.notes if "principal" in note]
    assert note.startswith("90 rows are too few for full covariances of 16 columns: clusters are independent along all")


def written(path, X):
    names = ",".join(f"x{d}" for d in range(X.shape[1]))
    np.savetxt(path, X, delimiter=",", header=names, comments="", fmt="%.17g")
    return str(path)


def test_command_line_and_estimators_begin_with_it(tmp_path, capsys):
    X, out = one_gaussian(3, 90, 16), tmp_path / "run.json"
    table = written(tmp_path / "wide.csv", X)

    def run_of(*options):
        assert cli("run", [table], "--quiet --effort 0.1", options, "--out", out) == 0
        return dpviz.Trace.from_json(out.read_text())

    own = run_of()
    assert "clusters are independent along all 16 principal directions" in capsys.readouterr().err
    expected, model = dpviz.run(scale(X).X, BEGUN), dpviz.MAPDP(effort=0.1, random_state=0).fit(scale(X).X)
    assert own.config == expected.config == model.trace_.config and own.config.directions == 16
    assert_array_equal(own.labels, expected.labels)
    assert_array_equal(own.labels, model.trace_.labels)
    plain = dpviz.run(scale(X).X, replace(BEGUN, directions=None))
    earlier = tmp_path / "config.json"
    earlier.write_text(replace(BEGUN, directions=None).to_json())
    for options in (["--directions", "none"], ["--config", str(earlier)]):
        assert run_of(*options).config == plain.config
    assert run_of("--family", "normal_gamma").config.directions is None
    assert dpviz.MAPDP(effort=0.1, random_state=0, directions=None).fit(scale(X).X).trace_.config == plain.config


def test_pages_begin_with_it_on_a_table_of_ones_own():
    X = one_gaussian(3, 90, 16)
    app = run(in_app("data"))
    set_to(app, "data way", "Load")
    rows = [",".join(f"{x:.6f}" for x in row) for row in X]
    set_to(app, "data pasted", "\n".join([",".join(f"x{d}" for d in range(16)), *rows]))
    press(app, "data use")
    assert chosen(app).directions == "any" and app.toggle(key="data any directions").value and not app.exception
    settled(run(go_to(app, "explore")))
    finished = shown_run(app)
    assert finished.config.directions == 16 and finished.trace.n_clusters[-1] == 1
    assert "Clusters are independent along 16 directions of the columns, all that vary." in said(app.main)
    direct = dpviz.run(finished.prepared.X, replace(BEGUN, effort=1.0))
    assert finished.config == direct.config
    assert finished.trace.nll[-1] == finished.prepared.units.trace(direct).nll[-1]
    run(go_to(app, "data"))
    set_to(app, "data any directions", False)
    assert chosen(app).directions == 0 and not app.exception
    close(app)


def test_links_of_data_hold_it_and_older_ones_do_not_mean_it():
    choice = DataChoice("bundled", "parkinsons_voice", scaling="standardise", directions="any")
    assert DataChoice.from_json(choice.to_json()) == choice
    assert DataChoice.from_json(json.dumps({"source": "bundled", "name": "wine"})).directions == 0
    assert_array_equal(prepare(choice).X, prepare(replace(choice, directions=0)).X)
