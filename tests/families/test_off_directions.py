"""Rows that lead off the directions in which the data vary: what folds, tables and pages say of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from test_predict_page import pasted, results

import dpviz
from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.tune import concentration_and_power, grid
from pages import close, said

pytestmark = pytest.mark.usefixtures("tables_read_here")
QUICK = "--family normal_wishart --directions 2 --effort 0 --init single"


@pytest.fixture
def X() -> np.ndarray:
    """Two groups in the first of four columns; the last is 0 but for one row, whose fold is fitted to zeros."""
    X = np.random.default_rng(5).normal(size=(60, 4))
    X[:30, 0] += 6
    X[:, 3] = np.arange(60) == 17
    return X


def table(tmp_path: Path, X: np.ndarray, name: str = "t.csv") -> str:
    path = tmp_path / name
    pd.DataFrame(X, columns=[f"c{d}" for d in range(X.shape[1])]).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("more", [[], "--criterion held_out"], ids=["nll", "held out"])
def test_a_grid_without_held_out_densities_says_why(tmp_path, capsys, X, more):
    words = typed("tune", [table(tmp_path, X)], QUICK, "--parameter concentration --values 1,2 --jobs 1")
    out = tmp_path / "out.csv"
    assert cli(words, more, "--folds 5 --out", out) == bool(more)
    told = capsys.readouterr().err
    assert "2 runs without a held-out density: a fold has rows that vary where the rows it is fitted to do not" in told
    assert pd.read_csv(out)["held_out"].isna().all()
    if more:
        assert "none where a fold has rows that vary where the rows it is fitted to do not" in told
    else:
        assert "best by nll: concentration = " in told


def test_pages_that_judge_by_unseen_points_say_why_they_cannot(X):
    config = dpviz.RunConfig(family="normal_wishart", directions=2, effort=0.0, init="single", n_init=1)
    asked = Grid(config, (Axis("concentration", (1.0, 2.0)),), 5)
    cells = list(run_grid(X, asked, n_jobs=1, cache=None))
    why = "2 runs without a held-out density: a fold has rows that vary where the rows it is fitted to do not"
    assert why in concentration_and_power.concentration_words(asked, cells)[0]
    assert any(why in line for line in grid._warnings(asked, cells, cells[0], "nll"))
    plain = Grid(config, asked.axes)
    assert not any(why in line for line in grid._warnings(plain, list(run_grid(X, plain, n_jobs=1)), cells[0], "nll"))


def test_rows_off_the_directions_are_named_and_no_cell_is_blamed(tmp_path, capsys):
    rng = np.random.default_rng(1)
    X, run, out = rng.normal(size=(14, 40)), str(tmp_path / "run.json"), tmp_path / "out.csv"
    data = table(tmp_path, X)
    assert cli("run", [data], QUICK, "--quiet --out", [run]) == 0
    new = np.vstack([X[:2], rng.normal(size=(2, 40)), X[2:3]])
    new[4, 0] = np.nan
    capsys.readouterr()
    assert cli("predict", [run], [table(tmp_path, new, "new.csv")], "--data", [data], "--out", out) == 0
    told, found = capsys.readouterr().err, pd.read_csv(out)
    assert "row 3: “c0”, “c1”, “c2”, “c3”, “c4” and 35 more lead off the directions in which the data vary" in told
    assert "row 4: " in told and "must be" not in told and "or there are fewer rows than columns" in told
    assert found["cluster"].notna().tolist() == [True, True, False, False, False]
    off = "not predicted: its values lead off the directions in which the data vary"
    assert found["note"].fillna("").tolist() == ["", "", off, off, "not predicted: missing cells"]


def test_a_page_names_rows_off_the_directions():
    jobs.SHARED.clear()
    choice = DataChoice("synthetic", "high_dimensional", directions=2).with_options(n=50, n_features=60)
    names, X = prepare(choice).dataset.feature_names, prepare(choice).dataset.X
    rows = pd.DataFrame(np.vstack([X[:2], X[:1] + np.random.default_rng(0).normal(size=(1, 60))]), columns=names)
    config = dpviz.RunConfig(family="normal_wishart", directions=2, n_init=1, init="single", prior=None)
    app = pasted(choice, rows.to_csv(index=False), config)
    text = said(app)
    assert "Not predicted: 1 row off the directions of the data." in text
    assert f"Row 3: “{names[0]}”" in text and "lead off the directions in which the data vary." in text
    assert results(app)["cluster"].notna().tolist() == [True, True, False]
    close(app)
