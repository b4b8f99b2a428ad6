"""Methods of distances on tables with words and units: what is clustered, and that all doors do the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import cli
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.mixture import GaussianMixture
from streamlit.testing.v1 import AppTest
from test_report import Cells

import dpviz
from dpviz.analysis import effort
from dpviz.datasets import Dataset, display_coordinates, one_hot, scale
from dpviz.datasets.coded_numbers import scaling_of_mixed, with_numbers
from dpviz.datasets.preparation import scaled_columns
from dpviz.datasets.tables import MAX_COLUMNS, read_table, to_dataset
from dpviz.engine.stored import fingerprint
from dpviz.metrics import ari
from dpviz.report import report
from dpviz.ui.compare import results
from dpviz.ui.compare.results import exported
from dpviz.ui.session import exports
from pages import plain, press, run, said, settled, shown_run

N = 90
GROUPS = np.arange(N) % 3
COLUMNS = ["income", "age", "colour", "member"]


def table() -> pd.DataFrame:
    """Incomes in the thousands that say nothing; ages and colours tell three groups apart."""
    rng = np.random.default_rng(3)
    colours = np.array(["red", "green", "blue"])
    return pd.DataFrame(
        {
            "income": np.round(rng.lognormal(10, 0.6, N)),
            "age": np.round(rng.normal(25 + 20 * GROUPS, 2), 1),
            "colour": np.where(rng.random(N) < 0.9, colours[GROUPS], colours[rng.integers(0, 3, N)]),
            "member": np.where(rng.random(N) < 0.3, "no", "yes"),
        }
    )


def by_hand(frame: pd.DataFrame) -> np.ndarray:
    numbers = frame[["income", "age"]].to_numpy()
    member = (frame["member"] == "yes").to_numpy(float)[:, None]
    standardised = [(own - own.mean(axis=0)) / own.std(axis=0) for own in (numbers, member)]
    indicators = np.column_stack([frame["colour"] == word for word in ("blue", "green", "red")]).astype(float)
    shares = indicators.mean(axis=0)
    return np.column_stack([standardised[0], indicators / np.sqrt(1 - np.sum(shares**2)), standardised[1]])


def squared_distances(X: np.ndarray) -> np.ndarray:
    return ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)


@pytest.fixture
def data(tmp_path) -> Dataset:
    table().to_csv(tmp_path / "people.csv", index=False)
    read = read_table((tmp_path / "people.csv").read_bytes(), "people.csv")
    return to_dataset(read, features=COLUMNS)


def test_numbers_are_standardised_and_categories_are_indicators(data):
    found = one_hot(data)
    assert found.feature_names == ("income", "age", "colour = blue", "colour = green", "colour = red", "member")
    assert_allclose(found.X, by_hand(table()), atol=1e-12)
    assert found.X[:, 2:5].var(axis=0).sum() == pytest.approx(1)
    assert_array_equal(found.apply(data.X[7:9]), found.X[7:9])
    empty = np.array([[30_000.0, 25.0, np.nan, 1.0]])
    assert_array_equal(np.isnan(found.apply(empty)), [[False, False, True, True, True, False]])
    assert_array_equal(one_hot(data, "dummy").X, np.delete(found.X, 2, axis=1))


def test_two_categories_have_the_distances_of_their_standardised_codes():
    codes = (np.random.default_rng(1).random((40, 1)) < 0.2).astype(float)
    third = Dataset(X=codes, name="two", kinds=("categorical",), category_names=(("no", "yes", "never"),))
    two = Dataset(X=codes, name="two", kinds=("categorical",), category_names=(("no", "yes"),))
    standardised = scale(codes).X
    assert_array_equal(one_hot(two).X, standardised)
    assert_allclose(squared_distances(one_hot(third).X), squared_distances(standardised), rtol=1e-12)


def test_groups_are_found_that_raw_columns_hide_as_by_scikit_learn(data):
    config = dpviz.RunConfig("kmeans", n_clusters=3, n_init=10)
    raw = dpviz.run(data.X, config).result_labels
    labels = dpviz.run(one_hot(data).X, config).result_labels
    theirs = KMeans(3, n_init=10, random_state=0).fit_predict(by_hand(table()))
    assert ari(GROUPS, raw) < 0.1 and ari(GROUPS, labels) > 0.9
    assert ari(theirs, labels) == 1


@pytest.mark.parametrize(
    ("kinds", "names", "way"),
    [
        (("continuous", "duration"), ((), ()), "none"),
        (("count", "count"), ((), ()), "none"),
        (("continuous", "count"), ((), ()), "standardise"),
        (("continuous", "binary"), ((), ("no", "yes")), "standardise"),
        (("continuous", "categorical"), ((), ("a", "b", "c")), "one_hot"),
        (("continuous", "categorical"), ((), ("1", "2", "3")), "standardise"),
        (("categorical", "categorical"), (("1", "2", "3"), ("0.5", "5", "50")), "standardise"),
        (("continuous", "categorical"), ((), tuple(f"w{code}" for code in range(MAX_COLUMNS))), "standardise"),
    ],
)
def test_what_several_kinds_become(kinds, names, way):
    own = Dataset(X=np.tile(np.arange(3.0)[:, None] % 2, 2), name="own", kinds=kinds, category_names=names)
    assert scaling_of_mixed(own) == way
    assert scaling_of_mixed(with_numbers(own)) == way or "categorical" in kinds
    assert scaling_of_mixed(own, density=True) == way.replace("one_hot", "dummy")


@pytest.mark.parametrize("way", ["one_hot", "dummy", "standardise"])
def test_rows_keep_their_places_on_axes_of_the_columns(data, way):
    axes, made = display_coordinates(data, "principal_components"), scaled_columns(data, way)
    pulled = made.preparation.pulled_back(axes)
    assert_allclose(pulled.place(made.X), axes.coordinates, atol=1e-9)
    centre = made.X[GROUPS == 1].mean(axis=0)
    assert_allclose(pulled.place(centre), axes.coordinates[GROUPS == 1].mean(axis=0), atol=1e-9)


def own_table() -> None:
    from pathlib import Path

    import streamlit as st

    from dpviz.datasets.tables import read_table, to_dataset
    from dpviz.ui.compare import page as compare
    from dpviz.ui.explore import page as explore
    from dpviz.ui.predict import page as predict
    from dpviz.ui.session import state
    from dpviz.ui.session.chosen_data import keep_session_dataset

    if "kept" not in st.session_state:
        read = read_table(Path(st.session_state["file"]).read_bytes(), "people.csv")
        dataset = to_dataset(read, features=["income", "age", "colour", "member"])
        st.session_state["kept"] = keep_session_dataset(dataset)
        state.choose_data(st.session_state["kept"])
        state.put({"run.method": st.session_state["method"]})
    {"explore": explore, "compare": compare, "predict": predict}[st.session_state["page"]].show()


def opened(page: str, file: Path, method: str = "kmeans") -> AppTest:
    app = AppTest.from_function(own_table, default_timeout=600)
    for key, value in (("page", page), ("file", str(file)), ("method", method)):
        app.session_state[key] = value
    return settled(run(app))


def test_page_command_line_code_and_library_agree(data, tmp_path, capsys):
    file, app = tmp_path / "people.csv", opened("explore", tmp_path / "people.csv")
    finished = shown_run(app)
    assert "K-means: 3 numbers standardised, “colour” as 3 indicators." in said(app.main)
    assert "for numbers" not in said(app.main) and "90 points × 4 columns" in said(app.main)
    expected = dpviz.run(one_hot(data).X, finished.config)
    assert_array_equal(finished.trace.labels, expected.labels)

    (tmp_path / "config.json").write_text(finished.config.to_json())
    code = exports.code_of(finished) + "\nimport json; print(json.dumps(trace.result_labels.tolist()))"
    (tmp_path / exports.TAKEN).write_bytes(exports.labelled_csv(finished, finished.trace.result_sweep))
    told = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout.splitlines()[-1]) == expected.result_labels.tolist()

    out, config = tmp_path / "cli.json", str(tmp_path / "config.json")
    assert cli("run", file, "--config", [config], [f"--features={','.join(COLUMNS)}"], "--out", out) == 0
    by_command = dpviz.Trace.from_json(out.read_text())
    assert_array_equal(by_command.labels, expected.labels)
    assert by_command.data == fingerprint(finished.prepared.X)

    (tmp_path / "page.json").write_text(exports.run_json(finished))
    of_page = pd.read_csv(tmp_path / exports.TAKEN)["cluster"].to_numpy()  # numbers of the picture, from 1
    for stored, clusters in (("cli.json", expected.result_labels), ("page.json", of_page)):
        stored_run, rows, report = str(tmp_path / stored), tmp_path / "rows.csv", tmp_path / "report.html"
        assert cli("predict", [stored_run], file, "--data", file, "--out", rows) == 0
        predicted = pd.read_csv(rows)["cluster"].to_numpy()
        assert_array_equal(predicted, clusters)
        assert cli("report", [stored_run], "--data", file, "--quick --out", report) == 0
        assert "an indicator for each category" in report.read_text()


def test_models_refuse_indicators_and_earlier_runs_keep_their_numbers(data, tmp_path, capsys):
    file, out = str(tmp_path / "people.csv"), str(tmp_path / "run.json")
    columns = f"--features={','.join(COLUMNS)}"
    assert cli("run", [file], [columns], "--algorithm mapdp --scaling one_hot --out", [out]) == 1
    assert "mapdp models categories as such: take --scaling none" in capsys.readouterr().err
    trace = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=3))
    Path(out).write_text(trace.to_json())  # which says nothing about how its file was read
    rows = str(tmp_path / "rows.csv")
    assert cli("predict", [out], [file], "--data", [file], [columns], "--out", [rows]) == 0
    assert_array_equal(pd.read_csv(rows)["cluster"].to_numpy(), trace.result_labels)


def test_compare_says_what_each_method_gets_and_keeps_the_places_of_points(tmp_path, data):
    app = opened("compare", tmp_path / "people.csv")
    assert "3 numbers standardised, “colour” as 3 indicators." in said(app.main)
    picture = app.session_state["compare picture"]
    places = [panel.points for panel in picture.panels]
    for (_, finished), own in zip(picture.runs, places, strict=True):
        assert_allclose(own, places[0], atol=1e-9)
        if finished.config.algorithm in ("kmeans", "dpmeans"):
            assert_array_equal(finished.prepared.X, one_hot(data).X)
    table = pd.DataFrame({"nll": 0.0}, index=pd.Index([name for name, _ in picture.runs]))
    written = exported(picture, table)
    expected = [effort.operations_done(run.trace, run.prepared.X.shape[1]) for _, run in picture.runs]
    assert written["operations"].tolist() == expected  # of as many columns as each has
    ways = written["scaling"].tolist()
    assert ways == ["none" if run.problem.algorithm.uses_model else "one_hot" for _, run in picture.runs]


def test_mixtures_of_scikit_learn_get_an_indicator_less_on_compare_and_in_reports(tmp_path, data, monkeypatch):
    offered: list[Callable[[], pd.DataFrame]] = []
    monkeypatch.setattr(results, "csv_button", lambda _, make, *rest: offered.append(make))
    app = opened("compare", tmp_path / "people.csv")
    press(app, "compare.references")
    settled(app)
    common = app.session_state["compare picture"].plan.common
    dummy, every = one_hot(data, "dummy").X, one_hot(data).X
    assert np.linalg.matrix_rank(dummy - dummy.mean(axis=0)) == dummy.shape[1] == every.shape[1] - 1
    fits = [
        GaussianMixture(k, n_init=common.starts, max_iter=500, random_state=common.seed or 0).fit(dummy)
        for k in range(1, 13)
    ]
    by_bic = min(fits, key=lambda fit: fit.bic(dummy))
    by_density = HDBSCAN(min_cluster_size=5, copy=True).fit_predict(every)
    with ThreadPoolExecutor(1) as outside:  # as Streamlit makes a file: in no session
        written = outside.submit(offered[-1]).result().set_index("run").iloc[-3:]
    assert written["n_clusters"].iloc[[0, 2]].tolist() == [by_bic.n_components, len(set(by_density) - {-1})]
    assert written["scaling"].tolist() == ["dummy", "dummy", "one_hot"]
    assert [re.search("as ([23]) indicators", text)[1] for text in written["settings"]] == ["2", "2", "3"]

    trace = dpviz.run(every, dpviz.RunConfig("kmeans", n_clusters=3, n_init=10))
    (told,) = [rows for rows in Cells(report(data, trace, every)).tables if rows[0][:1] == ["method"]]
    (row,) = [row for row in told if row[0].startswith("Gaussian mixture")]
    first = [GaussianMixture(k, n_init=10, max_iter=500, random_state=0).fit(dummy) for k in range(1, 13)]
    expected = ari(trace.result_labels, min(first, key=lambda fit: fit.bic(dummy)).predict(dummy))
    assert row[2] == f"{expected:.4g}"


def test_a_table_with_gaps_is_compared_with_other_methods_and_taken_away(tmp_path, data, monkeypatch):
    gappy = pd.read_csv(tmp_path / "people.csv")
    gappy.loc[[4, 50], "age"] = np.nan
    gappy.to_csv(tmp_path / "people.csv", index=False)
    offered: list[Callable[[], pd.DataFrame]] = []
    monkeypatch.setattr(results, "csv_button", lambda _, make, *rest: offered.append(make))
    app = opened("compare", tmp_path / "people.csv")
    press(app, "compare.references")
    settled(app)
    with ThreadPoolExecutor(1) as outside:
        written = outside.submit(offered[-1]).result()
    assert written["run"].tolist()[-3:] == ["Gaussian mixture + BIC", "Variational mixture", "HDBSCAN"]
    assert written["n_clusters"].iloc[-3:].ge(1).all()


def test_a_point_is_predicted_by_its_words_and_units(tmp_path, data):
    app = opened("explore", tmp_path / "people.csv")
    trace = shown_run(app).trace
    app.session_state["page"] = "predict"
    app = settled(run(app))
    found = app.session_state["predict predictor"]
    assert found.finished.trace is trace and not app.error
    points = found.predictor.predict(found.prepare(data.X)).clusters
    assert_array_equal(points, trace.result_labels)
    why = app.main.table[-1].value.rename(index=plain)
    assert list(why["value"].loc[["colour = blue", "colour = green", "colour = red"]]).count("yes") == 1
    assert why["value"].loc["income"] == f"{np.median(data.X[:, 0]):.6g}"
