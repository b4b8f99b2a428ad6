"""DataFrames in the estimators: columns are read by their dtypes, and coded alike when fitted and predicted."""

from __future__ import annotations

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from command_line import cli
from numpy.testing import assert_array_equal
from sklearn.base import clone

import dpviz
from dpviz.datasets.tables import Table, to_dataset
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families.automatic import COUNTS

QUICK = {"n_init": 2, "init": "single", "random_state": 0}
GROUPS = np.repeat([0, 1, 2], 30)


def mixed_frame() -> pd.DataFrame:
    """Three groups that every column tells apart, with gaps."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": np.array(["red", "blue", "green"])[(GROUPS + (rng.random(90) < 0.1)) % 3],
            "visits": rng.poisson(np.array([1, 6, 15])[GROUPS]),
            "length": rng.normal(5.0 * GROUPS, 1.0),
            "smoker": rng.random(90) < np.array([0.1, 0.9, 0.5])[GROUPS],
            "grade": pd.Categorical(
                np.array(["low", "mid", "high"])[GROUPS], categories=["low", "mid", "high", "top"], ordered=True
            ),
        }
    )
    frame.loc[[3, 40], "colour"] = None
    frame.loc[5, "length"] = np.nan
    frame.loc[7, "grade"] = np.nan
    return frame


def by_hand(frame: pd.DataFrame) -> np.ndarray:
    """The same numbers, coded cell by cell."""
    codes = {"blue": 0.0, "green": 1.0, "red": 2.0, "low": 0.0, "mid": 1.0, "high": 2.0}
    rows = [
        [codes.get(cell, np.nan) if column in ("colour", "grade") else float(cell) for column, cell in row.items()]
        for row in frame.to_dict("records")
    ]
    return np.array(rows)


KINDS = ("categorical", "count", "continuous", "binary", "ordinal")


@pytest.mark.parametrize("estimator", [dpviz.MAPDP(**QUICK), dpviz.GibbsDP(n_sweeps=20, burn_in=5, random_state=0)])
def test_a_frame_clusters_as_its_columns_coded_by_hand(estimator):
    frame = mixed_frame()
    model = clone(estimator).fit(frame)
    other = clone(estimator).set_params(kinds=KINDS).fit(by_hand(frame))
    assert model.trace_.config == other.trace_.config and model.trace_.config.kinds == KINDS
    assert_array_equal(model.labels_, other.labels_)
    assert model.nll_ == other.nll_
    assert list(model.feature_names_in_) == list(frame)
    assert_array_equal(model.predict(frame), other.predict(by_hand(frame)))
    assert_array_equal(model.score_samples(frame), other.score_samples(by_hand(frame)))
    assert_array_equal(model.predict_proba(frame[:9]), other.predict_proba(by_hand(frame)[:9]))


def test_the_groups_are_found_and_predicted_from_any_part_of_the_rows():
    frame = mixed_frame()
    model = dpviz.MAPDP(**QUICK).fit(frame)
    assert dpviz.metrics.nmi(GROUPS, model.labels_) > 0.9
    some = frame.iloc[[80, 2, 45]]  # neither all categories nor in the order of the rows
    assert_array_equal(model.predict(some), model.predict(frame)[[80, 2, 45]])
    floats = frame.assign(visits=frame["visits"].astype("float"), smoker=frame["smoker"].astype(int))
    assert_array_equal(model.predict(floats), model.predict(frame))
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(some), model.predict(some))


def test_columns_have_the_kinds_that_a_table_from_a_file_has():
    frame = mixed_frame().drop(columns="grade").dropna()
    read = to_dataset(Table(frame=frame.astype({"smoker": int}), name="table", format="csv", header=True))
    model = dpviz.MAPDP(**QUICK).fit(frame)
    assert model.trace_.config.kinds == read.kinds
    assert_array_equal(model._problem.X, read.X)


COLUMNS = {
    "whole numbers from 0": (pd.Series([0, 3, 9, 12, 5] * 6), "count", [0, 3, 9, 12, 5]),
    "a scale": (pd.Series([1, 2, 3, 4, 5] * 6), "ordinal", [0, 1, 2, 3, 4]),
    "two whole numbers": (pd.Series([1, 2, 2, 1, 2] * 6), "binary", [0, 1, 1, 0, 1]),
    "whole numbers with gaps": (pd.Series([0, 3, None, 12, 5] * 6, dtype="Int64"), "count", [0, 3, np.nan, 12, 5]),
    "whole numbers with gaps as floats": (pd.Series([0, 3, np.nan, 12, 5] * 6), "count", [0, 3, np.nan, 12, 5]),
    "a scale with gaps as floats": (pd.Series([1, 2, np.nan, 4, 3] * 6), "ordinal", [0, 1, np.nan, 3, 2]),
    "floats with gaps": (pd.Series([0.5, 2, np.nan] * 10), "continuous", [0.5, 2, np.nan]),
    "booleans": (pd.Series([True, False, True, True, False] * 6), "binary", [1, 0, 1, 1, 0]),
    "booleans with gaps": (pd.Series([True, None, False] * 10, dtype="object"), "binary", [1, np.nan, 0]),
    "nullable booleans": (pd.Series([True, None, False] * 10, dtype="boolean"), "binary", [1, np.nan, 0]),
    "only true": (pd.Series([True] * 30), "binary", [1]),
    "floats": (pd.Series([0.5, 2.0, -1.0] * 10), "continuous", [0.5, 2, -1]),
    "text": (pd.Series(["b", "a", "c"] * 10), "categorical", [1, 0, 2]),
    "objects": (pd.Series(["b", "a", None] * 10, dtype=object), "binary", [1, 0, np.nan]),
    "text that reads as numbers": (pd.Series(["10", "9", "8"] * 10), "categorical", [0, 2, 1]),
    "numbers as objects": (pd.Series([0, 4, 7, 1, 11] * 6, dtype=object), "count", [0, 4, 7, 1, 11]),
    "categories": (pd.Series(["x", "y", "z"] * 10, dtype="category"), "categorical", [0, 1, 2]),
    "categories of numbers": (pd.Series([30, 10, 20] * 10, dtype="category"), "categorical", [2, 0, 1]),
    "an order": (
        pd.Series(pd.Categorical(["low", "top"] * 15, categories=["low", "mid", "top", "never"], ordered=True)),
        "ordinal",
        [0, 2],
    ),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_a_column_is_read_by_its_type(case):
    column, kind, expected = COLUMNS[case]
    frame = pd.DataFrame({"value": column, "other": np.linspace(0.0, 1.0, len(column))})
    model = dpviz.MAPDP(**QUICK).fit(frame)
    assert (model.trace_.config.kinds or ("continuous",) * 2)[0] == kind
    assert_array_equal(model._problem.X[: len(expected), 0], expected)
    assert np.isfinite(model.nll_)


def test_floats_alone_are_what_they_were():
    X = np.round(np.random.default_rng(1).normal(size=(40, 3)), 1)
    names = ["waiting time", "score", "count"]  # names that a table from a file is read by
    model = dpviz.MAPDP(**QUICK).fit(pd.DataFrame(np.abs(X), columns=names))
    other = dpviz.MAPDP(**QUICK).fit(np.abs(X))
    assert model.trace_.config == other.trace_.config
    assert_array_equal(model.labels_, other.labels_)
    assert_array_equal(model.predict(pd.DataFrame(X, columns=names)), other.predict(X))


def test_kinds_and_families_go_before_the_types():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.poisson(2, 40), "b": rng.geometric(0.2, 40) - 1})
    assert dpviz.MAPDP(**QUICK).fit(frame).trace_.config.family in COUNTS
    real = dpviz.MAPDP(kinds=["real", "real"], **QUICK).fit(frame)
    assert real.trace_.config.family in ("normal_wishart", "normal_gamma")
    named = dpviz.MAPDP(family="normal_gamma", **QUICK).fit(frame)
    assert named.nll_ == dpviz.MAPDP(family="normal_gamma", **QUICK).fit(frame.to_numpy(float)).nll_
    columns = {"columns": ["poisson", "geometric"]}
    asked = dpviz.MAPDP(family="mixed", prior=columns, **QUICK).fit(frame)
    assert_array_equal(asked._problem.X, frame.to_numpy(float))
    codes = dpviz.MAPDP(family="categorical", **QUICK).fit(
        pd.DataFrame({"a": ["x", "y", "z"] * 9, "b": ["p", "q", "p"] * 9})
    )
    assert_array_equal(codes._problem.X[:3], [[0, 0], [1, 1], [2, 0]])


REFUSED = {
    "names of rows": ({"value": [f"name {i}" for i in range(30)]}, {}, "“value” holds 30 different texts in as many"),
    "no values": ({"value": pd.Series([None] * 30, dtype=object), "b": ["x"] * 30}, {}, "column 0 of X is missing"),
    "no categories": ({"value": pd.Series([None] * 30, dtype="category")}, {}, "“value” has no values at all"),
    "no whole numbers": ({"value": pd.Series([None] * 30, dtype="Int64")}, {}, "X is missing|no values at all"),
    "dates": ({"value": pd.date_range("2020-01-01", periods=30)}, {}, "“value” has type datetime64.*days since"),
    "complex numbers": ({"value": np.ones(30) * 1j}, {}, "“value” has type complex128"),
    "several types": ({"value": ["a", 1, 2.5] * 10}, {}, "“value” holds mixed.* values"),
    "lists": ({"value": [[1], [2]] * 15}, {}, "“value” holds mixed values"),
    "text for a Gaussian": (
        {"value": ["a", "b"] * 15},
        {"family": "normal_gamma"},
        "holds binary values, which family = 'normal_gamma'",
    ),
    "categories for levels": (
        {"value": ["a", "b", "c"] * 10},
        {"family": "binomial"},
        "categorical values, which family = 'binomial'",
    ),
    "text as numbers": ({"value": ["a", "b"] * 15}, {"kinds": ["count"]}, "“value” holds text.*cannot be count"),
    "text as levels": ({"value": list("abc") * 10}, {"kinds": ["ordinal"]}, "Convert it to an ordered category"),
    "three as two": ({"value": list("abc") * 10}, {"kinds": ["binary"]}, "has 3 values; a binary column has at most 2"),
    "too many": (
        {"value": pd.Series([f"{i}" for i in range(1500)] * 2)},
        {},
        "“value” has 1,500 values; .* at most 1,000",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_columns_that_cannot_be_clustered_are_named(case):
    columns, options, message = REFUSED[case]
    with pytest.raises(InvalidDataError, match=message):
        dpviz.MAPDP(**QUICK, **options).fit(pd.DataFrame(columns))


def test_there_is_one_kind_per_column():
    with pytest.raises(InvalidParameterError, match="kinds = .* one word per column; X has 5 columns"):
        dpviz.MAPDP(kinds=["real"], **QUICK).fit(mixed_frame())


def test_what_was_not_there_when_it_was_fitted_is_named_by_column_and_row():
    frame = mixed_frame()
    model = dpviz.MAPDP(**QUICK).fit(frame)
    with pytest.raises(InvalidDataError, match="“colour” holds 'pink' in row 4, .* it had blue, green, red"):
        model.predict(frame.assign(colour=["red"] * 4 + ["pink"] * 86))
    with pytest.raises(InvalidDataError, match="“grade” holds 'top' in row 1, "):
        model.score_samples(frame[:3].assign(grade=["low", "top", "low"]))
    with pytest.raises(InvalidDataError, match="“length” holds text or categories such as 'long'"):
        model.predict(frame.assign(length=["long"] * 90))
    for other in (frame.drop(columns="grade"), frame[frame.columns[::-1]], by_hand(frame)):
        with pytest.raises(InvalidDataError, match="X must be a DataFrame with the columns colour, visits, length"):
            model.predict(other)
    scale = dpviz.MAPDP(**QUICK).fit(pd.DataFrame({"stars": [1, 2, 3, 4, 5] * 5}))
    with pytest.raises(InvalidDataError, match="“stars” holds 6 in row 1, .* it had 1, 2, 3, 4, 5"):
        scale.predict(pd.DataFrame({"stars": [2, 6]}))


@pytest.mark.parametrize("estimator", [dpviz.KMeans(2), dpviz.DPMeans(), dpviz.GaussianEM(2)])
def test_methods_without_a_model_say_what_to_do_about_categories(estimator):
    frame = mixed_frame().dropna()
    with pytest.raises(InvalidDataError, match="needs numbers, but colour, grade of X hold text.*get_dummies.*MAPDP"):
        estimator.fit(frame)
    coded = pd.get_dummies(frame)
    assert len(clone(estimator).fit(coded).labels_) == len(frame)


def test_notes_say_what_may_not_be_meant_and_what_the_choice_of_a_width_met():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"id": np.arange(40), "n": np.where(np.arange(40) == 3, np.nan, rng.poisson(4, 40))})
    notes = dpviz.MAPDP(**QUICK).fit(frame).notes_
    assert [note.split("”")[0] for note in notes[:2]] == ["“id", "“n"]
    assert "clustered as count" in notes[0] and "as floats since cells are missing" in notes[1]
    alike = [dpviz.MAPDP(**QUICK).fit(own) for own in (frame[["n"]], frame[["n"]].convert_dtypes())]
    assert [model.trace_.config.family for model in alike] == ["poisson", "poisson"]
    assert_array_equal(alike[0].labels_, alike[1].labels_)
    rounded = pd.DataFrame(np.round(rng.normal(size=(80, 2)), 1)[np.arange(80) % 4], columns=["long", "<b>wide"])
    model = dpviz.MAPDP(random_state=0, n_init=2).fit(rounded)
    assert any("<b>wide" in note for note in model.notes_)
    page = model.show().page
    assert "&lt;b&gt;wide" in page and "<b>wide</p>" not in page
    assert dpviz.MAPDP(**QUICK).fit(by_hand(mixed_frame())[:, 2:3]).notes_ == ()


def test_a_run_on_rows_with_gaps_plays_in_a_notebook():
    frame = mixed_frame()
    model = dpviz.MAPDP(**QUICK).fit(frame)
    film = model.show(GROUPS)
    assert "MAP-DP" in film.title and film.height == dpviz.compare_traces([model.trace_], notes=model.notes_).height


def test_the_notes_say_what_the_app_would_leave_out_or_scale_while_all_of_it_is_clustered():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    measured = dpviz.MAPDP(n_init=1, effort=0, random_state=0).fit(frame)
    assert measured.notes_[0] == (
        "Nothing is scaled here; app and command line would say: “Columns are standardised, since those in large units "
        "would outweigh the others.”"
    )
    assert_array_equal(measured._problem.X, frame.to_numpy())
    patients = np.repeat(np.arange(100_000, 100_020), 3)
    with_roles = frame.assign(patient_id=patients, tissue=["lung", "liver", "heart"] * 20)
    model = dpviz.MAPDP(n_init=1, effort=0, random_state=0).fit(with_roles)
    assert model._problem.X.shape == (60, 4)
    assert (
        "Nothing is left out here; app and command line would leave out patient_id, because they are numbers that name "
        "somebody or something; keep “tissue” apart as the reference label." in model.notes_
    )
    assert measured.notes_[0] in model.notes_
    alone = dpviz.MAPDP(n_init=1, effort=0, random_state=0).fit(frame[["a"]])
    assert not any("command line would" in note for note in alone.notes_)


@pytest.mark.parametrize("skewed", [False, True])
def test_the_note_on_scaling_is_the_sentence_of_the_command_line(skewed, tmp_path, capsys):
    frame = pd.DataFrame(np.random.default_rng(4).normal(size=(120, 2)), columns=["a", "b"])
    frame = np.exp(frame) if skewed else frame
    frame.to_csv(tmp_path / "own.csv", index=False)
    assert cli("run", tmp_path / "own.csv", "--n-init 1 --effort 0") == 0
    said = next(line for line in capsys.readouterr().err.splitlines() if line.startswith("dpviz: Columns are "))
    model = dpviz.MAPDP(n_init=1, effort=0, random_state=0).fit(frame)
    assert f"Nothing is scaled here; app and command line would say: “{said.removeprefix('dpviz: ')}”" in model.notes_


def test_arrow_tables_are_read_as_those_of_pandas():
    rng = np.random.default_rng(3)
    whole = pd.array(rng.poisson(4, 80), dtype="Int64")
    whole[5] = pd.NA
    frame = pd.DataFrame(
        {
            "size": np.append(rng.normal(size=40), rng.normal(8, 1, 40)),
            "visits": whole,
            "smokes": pd.array(rng.random(80) < 0.5, dtype="boolean"),
            "place": rng.choice(["x", "y", "z"], 80),
        }
    )
    of_pandas = dpviz.MAPDP(random_state=1, n_init=2).fit(frame)
    arrow = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    of_arrow = dpviz.MAPDP(random_state=1, n_init=2).fit(arrow)
    assert of_arrow.trace_.config == of_pandas.trace_.config and of_arrow.notes_ == of_pandas.notes_
    assert_array_equal(of_arrow.labels_, of_pandas.labels_)
    assert of_arrow.nll_ == of_pandas.nll_
    assert_array_equal(of_pandas.predict(arrow.slice(3, 9)), of_pandas.predict(frame[3:12]))
    with pytest.raises(InvalidDataError, match="did not when it was fitted"):
        of_arrow.predict(arrow.set_column(3, "place", pa.array(["w"] * 80)))


def test_arrow_tables_of_numbers_alone_have_their_names():
    X = np.random.default_rng(4).normal(size=(30, 2))
    model = dpviz.KMeans(n_clusters=2, random_state=0).fit(pa.table({"a": X[:, 0], "b": X[:, 1]}))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert_array_equal(model.labels_, dpviz.KMeans(n_clusters=2, random_state=0).fit(X).labels_)


@pytest.mark.parametrize("form", ["pandas", "arrow"])
def test_decimals_are_numbers_and_no_text_to_any_sentence(form):
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=30), rng.normal(6, 1, 30)]).round(2)
    cells = [Decimal(f"{value:.2f}") for value in values]
    other = rng.normal(size=60)
    frame = pd.DataFrame({"a": cells, "b": other})
    given = frame if form == "pandas" else pa.table({"a": pa.array(cells, pa.decimal128(10, 2)), "b": other})
    model, plain = (dpviz.MAPDP(**QUICK).fit(X) for X in (given, frame.assign(a=values)))
    assert_array_equal(model.labels_, plain.labels_)
    assert model.notes_ == plain.notes_ and not any("text" in note for note in model.notes_)
    assert_array_equal(model.predict(given), plain.predict(frame.assign(a=values)))


@pytest.mark.parametrize("estimator", [dpviz.MAPDP(**QUICK), dpviz.KMeans(2)])
def test_columns_of_one_name_are_refused_by_that_name(estimator):
    X = np.random.default_rng(0).normal(size=(40, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "a"])
    for table in (frame, pa.Table.from_arrays([pa.array(column) for column in X.T], names=["a", "b", "a"])):
        with pytest.raises(InvalidDataError, match="several columns named a; rename them"):
            clone(estimator).fit(table)
    fitted = clone(estimator).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    with pytest.raises(InvalidDataError, match="several columns named a; rename them"):
        fitted.predict(frame)
