"""What is taken away is the user's own table, with clusters and how probable they are, the same by every door."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

import dpviz
from dpviz.analysis.labelled_table import labelled_table, membership
from dpviz.analysis.merging import tree
from dpviz.analysis.own_table import with_dates
from dpviz.datasets.tables import export_csv, read_table, to_dataset
from dpviz.datasets.tables.table import DAYS
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.ui.session import exports
from dpviz.ui.session.chosen_data import keep_session_dataset, prepare
from dpviz.ui.session.jobs import Finished

MODEL = {"family": "normal_gamma", "prior": None, "effort": 0.02}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = np.random.default_rng(3)
    group = np.arange(60) % 3
    frame = pd.DataFrame(
        {
            "who": [f"p{i:02d}" for i in range(60)],
            "a": np.round(rng.normal(4.0 * group, 1), 2),
            "b": np.round(rng.normal(-5.0 * group, 1), 2),
            "remark": np.where(group == 0, "=SUM(A1)", "two\nlines"),
            "cluster": group,
        }
    )
    frame.loc[7, "a"] = np.nan
    path = tmp_path_factory.mktemp("own") / "own.csv"
    frame.to_csv(path, index=False)
    return path, frame


@pytest.mark.parametrize("missing", ["auto", "drop"])
def test_all_doors_give_her_table_with_the_same_clusters(missing, file, tmp_path):
    path, frame = file
    out, stored = tmp_path / "out.csv", tmp_path / "run.json"
    asked = typed("run", path, f"--features a,b --family normal_gamma --prior none --missing {missing}")
    for place in (out, stored):
        assert cli(asked, "--scaling none --effort 0.02 --quiet --out", place) == 0
    by_command = pd.read_csv(out)
    names = [*frame.columns, "cluster_", "probability"]
    assert list(by_command.columns) == [*names, *(["note"] if missing == "drop" else [])]
    for name in ("who", "a", "b", "cluster"):
        assert by_command[name].equals(frame[name])
    assert by_command["remark"].str.removeprefix("'").tolist() == frame["remark"].tolist()

    trace = dpviz.Trace.from_json(stored.read_text())
    data = to_dataset(read_table(path.read_bytes(), path.name), features=["a", "b"], gaps=missing == "auto")
    by_library = labelled_table(data, trace)
    choice = keep_session_dataset(data)
    choice = exports.replace(choice, gaps=missing == "auto")
    run = Finished(choice, trace.config, prepare(choice), trace)
    by_app = exports.labelled_rows(run, trace.result_sweep)
    rows = np.arange(60) if missing == "auto" else np.delete(np.arange(60), 7)
    for found in (by_command, by_library):
        assert found["cluster_"].dropna().astype(int).tolist() == trace.result_labels.tolist()
        assert np.flatnonzero(found["cluster_"].notna()).tolist() == rows.tolist()
    numbers = [run.number(int(k), trace.result_sweep) for k in trace.result_labels]
    assert by_app["cluster_"].dropna().astype(int).tolist() == numbers
    assert_allclose(by_command["probability"], by_library["probability"], rtol=1e-12)
    assert_array_equal(by_app["probability"], by_library["probability"])
    if missing == "drop":
        assert by_library["note"][7] == by_app["note"][7] == "not clustered: missing “a”"


def test_dates_come_back_as_dates_where_these_give_the_same_days():
    days = [19_000.0, np.nan, -200.0]
    frame = pd.DataFrame({"day": days, "when": [0.25, 19_000.5, np.nan], "odd": [1.0, 2 / 3, 1e9], "x": days})
    found = with_dates(frame, [("day", DAYS), ("when", DAYS), ("odd", DAYS), ("x", "kg"), ("gone", DAYS)])
    assert found["day"].tolist() == [datetime.date(2022, 1, 8), None, datetime.date(1969, 6, 15)]
    assert found["when"].tolist() == [datetime.datetime(1970, 1, 1, 6), datetime.datetime(2022, 1, 8, 12), None]
    pd.testing.assert_frame_equal(found[["odd", "x"]], frame[["odd", "x"]])
    again = read_table(export_csv(found), "again.csv").frame
    pd.testing.assert_frame_equal(again[["day", "when"]], frame[["day", "when"]])


def test_probabilities_are_those_of_the_cluster_and_sums_of_the_joined_ones():
    X = dpviz.datasets.load("iris").X
    trace = dpviz.run(X, dpviz.RunConfig("mapdp", **MODEL))
    labels = trace.result_labels
    every = softmax(PartitionPredictive(Problem.check(X, trace.config), labels).log_scores(X), axis=1)
    assert_allclose(membership(X, trace), every[np.arange(150), labels], rtol=1e-12)
    joined = tree(X, trace).labels(2)
    parts = np.array([np.unique(labels[joined == j]) for j in (0, 1)], dtype=object)
    sums = [every[i, parts[joined[i]].astype(int)].sum() for i in range(150)]
    assert_allclose(membership(X, trace, joined), sums, rtol=1e-9)
    frame = pd.DataFrame(X, columns=list("abcd"), index=range(1000, 1150))
    found = labelled_table(frame, trace, joined=joined)
    assert found["merged"].tolist() == joined.tolist() and found["a"].tolist() == X[:, 0].tolist()


def test_methods_without_densities_have_no_probability_and_other_tables_are_refused():
    X = dpviz.datasets.load("old_faithful").X
    trace = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=2, n_init=1))
    assert list(labelled_table(pd.DataFrame(X), trace).columns) == [0, 1, "cluster"]
    with pytest.raises(InvalidParameterError, match="272 rows of the run"):
        labelled_table(pd.DataFrame(X[:9]), trace)


@pytest.mark.parametrize("algorithm", ["mapdp", "kmeans"])
def test_rows_in_another_order_than_the_run_s_are_refused(algorithm):
    X = np.random.default_rng(8).normal(4.0 * np.repeat([[0], [1]], 20, axis=0), 1, (40, 2))
    X[3, 0] = -0.0
    model = MODEL if algorithm == "mapdp" else {"n_clusters": 2}
    trace = dpviz.run(X, dpviz.RunConfig(algorithm, **model))
    frame = pd.DataFrame({"who": np.arange(40), "a": X[:, 0] + 0.0, "b": X[:, 1]})
    joined_by = frame.set_index("who")[["a", "b"]]
    assert labelled_table(joined_by, trace).index.equals(joined_by.index)
    assert labelled_table(frame, trace)["cluster"].tolist() == trace.result_labels.tolist()
    assert labelled_table(frame.assign(a=2 * frame["a"])[::-1], trace)["cluster"].notna().all()  # not its columns
    for given in (None, X):
        with pytest.raises(InvalidDataError, match="in another order"):
            labelled_table(frame.sample(frac=1, random_state=1), trace, given)
