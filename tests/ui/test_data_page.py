"""The Data page: every way in, what happens to the choice, errors, and the numbers inside the figures."""

from __future__ import annotations

import base64
import io
import tracemalloc
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

from dpviz import datasets
from dpviz.config import RunConfig
from dpviz.datasets import KINDS, Dataset, display_coordinates, dot_stack
from dpviz.datasets.preparation import Preparation
from dpviz.datasets.tables import read_table
from dpviz.errors import DpvizError
from dpviz.figures import assumed
from dpviz.figures import data as figures
from dpviz.player.palette import track_color
from dpviz.text import inert
from dpviz.ui.data import columns as data_columns
from dpviz.ui.data import drawing as data_draw
from dpviz.ui.data import look as data_look
from dpviz.ui.data import upload as data_upload
from dpviz.ui.draw import MOST_POINTS, Drawing, read_drawing
from dpviz.ui.session import chosen_data as choices
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.shell import links
from pages import (
    address,
    checked,
    chosen,
    go_to,
    in_app,
    labelled,
    page,
    plain,
    press,
    run,
    said,
    set_to,
    settled,
    shown_run,
)

pytestmark = pytest.mark.usefixtures("tables_read_here")

CSV = b"length,width,species\n1.5,2,ash\n2.5,,birch\n3.5,4,ash\n4.5,9,birch\n"
HOSTILE = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) **b** %{x}"


def open_page(**query: str) -> AppTest:
    return run(page("data", **query))


def go(app: AppTest, way: str) -> AppTest:
    return set_to(app, "data way", way)


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader(key="data file").set_value((name, content, "application/octet-stream"))
    return run(app)


# Ways in


def test_a_changed_scenario_and_its_sliders_are_chosen_at_once_and_defaults_stay_out_of_the_choice():
    app = open_page()
    set_to(app, "data scenario", "moons")
    assert chosen(checked(app)) == DataChoice("synthetic", "moons")
    assert datasets.SCENARIOS["moons"].watch in said(app)
    app.slider(key="data moons noise").set_value(0.25)
    app.number_input(key="data moons n").set_value(200)
    assert chosen(run(app)) == DataChoice("synthetic", "moons", (("n", 200), ("noise", 0.25)))
    assert "200 points × 2 columns" in said(app)
    app.slider(key="data moons noise").set_value(0.08)
    assert chosen(run(app)) == DataChoice("synthetic", "moons", (("n", 200),))


def test_every_scenario_shows_one_control_per_parameter_and_draws():
    app = open_page()
    for name, scenario in datasets.SCENARIOS.items():
        app.selectbox(key="data scenario").set_value(name)
        run(app)
        sliders = {slider.key: slider for slider in app.slider}
        assert list(sliders) == [f"data {name} {parameter.name}" for parameter in scenario.parameters]
        for parameter in scenario.parameters:
            slider = sliders[f"data {name} {parameter.name}"]
            assert (slider.min, slider.max, slider.value) == (parameter.lower, parameter.upper, parameter.default)
        assert chosen(app) == DataChoice("synthetic", name)
        assert len(app.error) == 0


def test_the_dice_changes_the_seed_and_with_it_the_data(monkeypatch):
    monkeypatch.setattr("secrets.randbelow", lambda bound: bound - 7)
    app = open_page()
    app.button(key="data spherical_unequal_radius dice").click()
    assert chosen(run(app)) == DataChoice().with_options(seed=999_993)
    assert app.number_input(key="data spherical_unequal_radius seed").value == 999_993


def test_looking_at_bundled_data_keeps_the_choice_and_the_button_takes_them_standardised():
    app = go(open_page(), "Bundled")
    assert chosen(app) == DataChoice()
    app.button(key="data use bundled").click()
    assert chosen(run(app)) == DataChoice("bundled", "iris", scaling="standardise")
    entry = datasets.entries()["iris"]
    for part in (entry.description, entry.watch, entry.source, entry.licence, entry.citation):
        assert part in said(app)
    set_to(app, "data bundled", "galaxies")
    assert chosen(app).name == "galaxies"
    assert "82 points × 1 column**" in said(app)


def test_digits_have_options():
    app = open_page(data=DataChoice("bundled", "mnist_digits_1_to_4", (("n", 60), ("n_components", 2))).to_json())
    assert app.number_input(key="data mnist_digits_1_to_4 n").value == 60
    app.number_input(key="data mnist_digits_1_to_4 n_components").set_value(4)
    run(app)
    assert dict(chosen(app).options) == {"n": 60, "n_components": 4}
    assert "60 points × 4 columns" in said(app)


def test_an_upload_is_previewed_first_and_chosen_by_its_button():
    app = upload(go(open_page(), "Load"), "trees.csv", CSV)
    assert chosen(app) == DataChoice()
    assert "4 rows × 3 columns. Read as Unicode (UTF-8) text; cells separated by comma, decimal point" in said(app)
    assert "1 missing cell in 1 of 4 rows, which are kept." in said(app)
    app.button(key="data use").click()
    choice = chosen(run(app))
    assert choice.source == "session"
    dataset = next(iter(app.session_state["own data"].values()))
    assert_array_equal(dataset.X, [[1.5, 2], [2.5, np.nan], [3.5, 4], [4.5, 9]])
    assert [dataset.label_names[label] for label in dataset.labels] == ["ash", "birch", "ash", "birch"]
    assert choice.gaps
    assert "These data are in use" in said(app)
    assert "for this tab only" in said(app)  # without a browser there is no cookie
    assert DataChoice.from_json(app.query_params["data"]).name == choice.name


def test_who_asks_to_cluster_a_table_is_not_asked_again(monkeypatch):
    monkeypatch.setattr(jobs, "UNASKED_OPERATIONS", 0.0)  # nothing starts by itself
    app = run(in_app("data"))
    go(app, "Load")
    set_to(app, "data pasted", "a,b\n" + "".join(f"{k % 7}.5,{k * k % 11}.25\n" for k in range(40)))
    press(app, "data use")
    press(app, "data explore")
    assert settled(app) and shown_run(app).prepared.X.shape == (40, 2)


def test_a_table_of_501_columns_is_clustered_as_any_other():
    names, rows = ",".join(f"x{d}" for d in range(501)), np.random.default_rng(0).normal(size=(12, 501)).round(2)
    text = "\n".join([names, *(",".join(map(str, row)) for row in rows)])
    app = upload(go(run(in_app("data")), "Load"), "wide.csv", text.encode())
    press(app, "data use")
    press(app, "data explore")
    assert "12 points × 501 columns" in said(app.main)  # on Explore; only a browser stays there by itself
    settled(run(go_to(app, "explore")))
    finished = shown_run(app)
    assert finished.prepared.X.shape == (12, 501) and finished.trace.converged


def test_dates_are_shown_as_dates():
    rows = "day;x\n" + "".join(f"{1 + k % 28:02d}.02.2024;{k}.5\n" for k in range(30))
    app = upload(go(open_page(), "Load"), "dates.csv", rows.encode())
    preview = next(table.value for table in app.dataframe if "day" in table.value)
    assert [str(day)[:10] for day in preview["day"].head(2)] == ["2024-02-01", "2024-02-02"]
    loaded = data_columns.LoadedTable.of(read_table(rows.encode(), "dates.csv"))
    assert loaded.columns["Examples"].tolist() == ["2024-02-01, 2024-02-02, 2024-02-03", "0.5, 1.5, 2.5"]
    gappy = data_columns.LoadedTable.of(read_table(b"age,x\n21,1e-300\n,0.000123\n46,2.5\n", "gaps.csv"))
    assert gappy.columns["Examples"].tolist() == ["21, 46", "1e-300, 0.000123, 2.5"]


def test_a_proposal_is_made_by_one_click_and_taken_back_by_another():
    rows = [f"{row % 7 + 0.5},{-999 if row % 10 == 0 else row % 11}.25" for row in range(30)]
    app = upload(go(open_page(), "Load"), "codes.csv", "\n".join(["a,b", *rows]).encode())
    assert "Proposed: 3 cells of “b” are -999.25" not in said(app)
    app = upload(go(open_page(), "Load"), "codes.csv", "\n".join(["a,b", *rows]).replace("-999.25", "-999").encode())
    assert "Proposed: 3 cells of “b” are -999, far from" in said(app)
    press(app, "data accept 0")
    assert "As accepted, 3 cells of “b” with -999 emptied." in said(app)
    press(app, "data use")
    (dataset,) = app.session_state["own data"].values()
    assert np.isnan(dataset.X[::10, 1]).all() and chosen(app).gaps
    assert dict(dataset.reading)["accepted"] == (("b", -999.0),)
    press(app, "data accept none")
    assert "Proposed: 3 cells of “b” are -999, far from" in said(app)


def test_further_headings_are_taken_by_one_click_and_given_back_by_another():
    rows = [f"p{row},{row % 7 + 0.5},{row % 11}.25" for row in range(30)]
    heads = ["name,Q1,Q2", "Name,How tall?,How heavy?", *['"{""ImportId"":""a""}",' * 2 + '"{""ImportId"":""b""}"']]
    app = upload(go(open_page(), "Load"), "survey.csv", "\n".join([*heads, *rows]).encode())
    assert "the first 3 rows look like headings" in said(app)
    press(app, "data accept 0")
    assert "The first 3 rows were taken as headings: row 1 names the columns, row 2 describes them" in said(app)
    assert "the first 3 rows are headings." in said(app) and "look like headings" not in said(app)
    listed = next(table.value for table in app.dataframe if "Examples" in table.value)
    assert listed["Description"].tolist() == ["", "How tall?", "How heavy?"]
    press(app, "data use")
    (dataset,) = app.session_state["own data"].values()
    assert dataset.X.shape == (30, 2) and dict(dataset.reading)["header_rows"] == 3
    press(app, "data accept none")
    assert "the first 3 rows look like headings" in said(app)


def test_totals_are_left_out_by_one_click():
    rows = [f"p{row};{row % 7 + 1};{row % 11}" for row in range(30)]
    app = upload(go(open_page(), "Load"), "t.csv", "\n".join(["sep=;", "name;a;b", *rows, "Gesamt;4780;780"]).encode())
    assert "Proposed: the last row is named “Gesamt”" in said(app) and "31 rows" in said(app)
    assert app.button(key="data accept 0").label == "Leave out the last row"
    press(app, "data accept 0")
    assert "As accepted, the last row left out." in said(app) and "30 rows" in said(app)


def test_contradicting_headings_are_a_message_on_the_page():
    app = upload(go(open_page(), "Load"), "t.csv", b"a,b\n1,2\n3,4\n")
    for key, value in (("header_rows", 6), ("header", False)):
        box = next(box for box in app.selectbox if box.key.startswith(f"data {key} "))
        run(box.set_value(value))
        assert not app.exception and app.error


def test_what_was_edited_stays_when_proposals_are_accepted_or_the_table_is_read_otherwise(
    monkeypatch,
):
    rows = [f"{-99 if row < 4 else row % 7 + 60.5},{row % 11}.25,{row % 5}.5,{row % 9 + 1.5}" for row in range(60)]
    editor, keys = st.data_editor, []

    def edited_once(frame, **options):
        editor(frame, **options)
        keys.append(options["key"])
        if options["key"] == keys[0]:
            frame = frame.assign(Cluster=frame["Column"] != "site")
            frame.loc[frame["Column"] == "h", "Kind"] = "duration"
        return frame

    monkeypatch.setattr(st, "data_editor", edited_once)
    app = upload(
        go(open_page(), "Load"), "t.csv", "\n".join(["w,h,kind,site", *rows]).replace(",0.25", ",0.5").encode()
    )
    assert "Clustered as duration: “h”." in said(app) and "(60 rows × 3 columns)" in app.button(key="data use").label
    steps: list[Callable[[], Any]] = [
        lambda: app.button(key="data accept 0").click(),
        lambda: next(box for box in app.toggle if "keep" in box.key).set_value(False),
        lambda: app.button(key="data accept none").click(),
        lambda: next(box for box in app.selectbox if "data header" in box.key).set_value(True),
    ]
    for number, step in enumerate(steps):
        run(step())
        assert "× 3 columns)" in app.button(key="data use").label and "as duration: “h”." in said(app), number
    assert len(set(keys)) == 4  # without the proposal the table is read as at first


def test_edited_columns_are_carried_over_by_name():
    before = pd.DataFrame({"Column": ["a", "b", "c"], "Kind": "count", "Cluster": True, "Label": False})
    edited = before.assign(Cluster=[True, False, True], Kind=["ordinal", "count", "count"], Label=[False, False, True])
    guessed = pd.DataFrame(
        {"Column": ["d", "c", "a"], "Kind": "binary", "Cluster": False, "Label": False, "Missing": 3}
    )
    made = data_columns.carried(guessed, before, edited)
    expected = guessed.assign(Kind=["binary", "binary", "ordinal"], Label=[False, True, False])
    pd.testing.assert_frame_equal(made, expected)
    pd.testing.assert_frame_equal(data_columns.carried(before, before, edited), edited)


@pytest.mark.parametrize("extension", ["tsv", "xlsx", "parquet", "npz"])
def test_other_formats_can_be_uploaded(extension):
    frame = pd.DataFrame({"a": [1.5, 2.5, 3.5], "b": [2.25, 0.5, 8.0]})
    file = io.BytesIO()
    writers: dict[str, Callable[[], Any]] = {
        "tsv": lambda: frame.to_csv(file, sep="\t", index=False),
        "xlsx": lambda: frame.to_excel(file, index=False),
        "parquet": lambda: frame.to_parquet(file),
        "npz": lambda: np.savez(file, X=frame.to_numpy()),
    }
    writers[extension]()
    app = upload(go(open_page(), "Load"), f"t.{extension}", file.getvalue())
    app.button(key="data use").click()
    run(app)
    assert_array_equal(next(iter(app.session_state["own data"].values())).X, frame.to_numpy())


def test_pasted_rows_can_be_read_differently():
    app = go(open_page(), "Load")
    app.text_area(key="data pasted").set_value("1,5\n2,5\n4,5\n")
    run(app)
    assert "3 rows × 2 columns" in said(app)
    separator = labelled(app, "selectbox", "Separator")
    separator.set_value("")
    run(app)
    assert "3 rows × 1 column." in said(app)
    app.button(key="data use").click()
    run(app)
    assert_array_equal(next(iter(app.session_state["own data"].values())).X, [[1.5], [2.5], [4.5]])


def box(app: AppTest, label: str) -> Any:
    return labelled(app, "selectbox", label)


def kept_X(app: AppTest) -> np.ndarray:
    (dataset,) = app.session_state["own data"].values()
    return dataset.X


def test_repairs_are_listed_by_line_and_confirmed_by_one_click():
    content = b"My trees,,\nlength,width,site\n1.5,2,a\n2.5,3\n3.5,4,b,extra\n4.5,9,a\n5.5,7,b\n6.5,1,a\n"
    app = upload(go(open_page(), "Load"), "trees.csv", content)
    assert [plain(warning.value) for warning in app.warning] == ["This is not a clean table. Repairs, by line:"]
    repairs, rest = (
        next(plain(m.value) for m in app.markdown if start in plain(m.value)) for start in ("above", "kept")
    )
    assert repairs.split("\n") == [
        "- Left out above the table: line 1.",
        "- Filled up with missing cells at the end: line 4.",
        "- Cells beyond the last column were dropped: line 5.",
    ]
    assert "line 4" not in rest
    assert chosen(app) == DataChoice()
    assert app.button(key="data use").label.startswith("Accept the repairs and use these data")
    app.button(key="data use").click()
    assert chosen(run(app)).source == "session"
    assert kept_X(app).shape == (6, 2)


def test_a_clean_table_has_nothing_to_accept():
    app = upload(go(open_page(), "Load"), "trees.csv", CSV)
    assert len(app.warning) == 0
    assert app.button(key="data use").label.startswith("Use these data")


def test_the_sheet_of_a_workbook_can_be_chosen():
    file = io.BytesIO()
    with pd.ExcelWriter(file) as book:
        pd.DataFrame({"a": [1.5, 2.5, 4.5]}).to_excel(book, sheet_name="First", index=False)
        pd.DataFrame({"b": [7.5, 8.5, 9.5, 1.5]}).to_excel(book, sheet_name="_S_ (x) `2`", index=False)
        pd.DataFrame().to_excel(book, sheet_name="Empty", index=False)
    app = upload(go(open_page(), "Load"), "book.xlsx", file.getvalue())
    assert "Read as a workbook, sheet “First”" in said(app)
    assert list(box(app, "Sheet").options) == ["First", "_S_ (x) `2`", "Empty"]
    assert box(app, "Sheet").value == "First"
    run(box(app, "Sheet").set_value("_S_ (x) `2`"))
    assert "4 rows × 1 column. Read as a workbook, sheet “_S_ (x) `2`”" in said(app)
    press(app, "data use")
    assert_array_equal(kept_X(app), [[7.5], [8.5], [9.5], [1.5]])
    run(box(app, "Sheet").set_value("Empty"))
    assert [plain(error.value) for error in app.error] == ["The sheet is empty."]
    run(box(app, "Sheet").set_value("First"))
    assert "3 rows × 1 column" in said(app) and len(app.error) == 0


def test_what_was_accepted_belongs_to_the_sheet_and_the_reading_of_it():
    file, names = io.BytesIO(), [f"p{row}" for row in range(30)]
    frame = pd.DataFrame({"name": names, "a": np.arange(30) % 7 + 1.5, "b": np.arange(30) % 11 + 0.25})
    with pd.ExcelWriter(file) as book:
        total = pd.DataFrame([["Total", frame["a"].sum(), frame["b"].sum()]], columns=frame.columns)
        pd.concat([frame, total]).to_excel(book, sheet_name="First", index=False)
        frame.to_excel(book, sheet_name="Second", index=False)
    app = upload(go(open_page(), "Load"), "book.xlsx", file.getvalue())
    press(app, "data accept 0")
    assert "As accepted, the last row left out." in said(app) and "30 rows" in said(app)
    run(box(app, "Sheet").set_value("Second"))
    assert "As accepted" not in said(app) and "30 rows × 3 columns" in said(app)
    assert not [button for button in app.button if button.key == "data accept none"]
    run(box(app, "Sheet").set_value("First"))
    assert "As accepted, the last row left out." in said(app)
    press(app, "data accept none")
    assert "31 rows × 3 columns" in said(app)


@pytest.mark.parametrize("impossible", [("gone", -999.0), ("name", -999.0)])
def test_what_was_accepted_can_be_taken_back_also_where_it_cannot_be_done(monkeypatch, impossible):
    rows = [f"p{row},{row % 7 + 1},{row % 11}" for row in range(30)]
    accept = data_upload._accept
    monkeypatch.setattr(data_upload, "_accept", lambda upload, *changes: accept(upload, *[impossible] * bool(changes)))
    app = upload(go(open_page(), "Load"), "t.csv", "\n".join(["name,a,b", *rows, "Total,4780,780"]).encode())
    press(app, "data accept 0")
    assert "accepted" in app.error[0].value and "rows ×" not in said(app)
    press(app, "data accept none")
    assert not app.error and "31 rows × 3 columns" in said(app)


def test_the_encoding_of_a_text_can_be_chosen():
    content = "имя,x,y\nмяч,1.5,2\nдом,2.5,4\nмяч,3.5,9\nдом,4.5,3\n".encode("cp1251")
    app = upload(go(open_page(), "Load"), "t.csv", content)
    assert "дом" not in str(app.dataframe[0].value)
    run(box(app, "Encoding").set_value("cp1251"))
    assert "Read as Cyrillic (Windows) text" in said(app)
    assert list(app.dataframe[0].value["имя"]) == ["мяч", "дом"] * 2
    run(box(app, "Encoding").set_value("utf-8"))
    assert "The file is not utf-8 text. Choose another encoding" in said(app)
    run(box(app, "Encoding").set_value("cp1251"))
    assert len(app.error) == 0


def test_pasted_text_has_no_encoding_to_choose_and_a_single_sheet_nothing_to_choose_from():
    app = go(open_page(), "Load")
    set_to(app, "data pasted", "a,b\n1,5\n2,6\n4,9\n")
    assert [box.label for box in app.selectbox if box.label in ("Separator", "Decimal", "First line", "Encoding")] == [
        "Separator",
        "Decimal",
        "First line",
    ]
    file = io.BytesIO()
    pd.DataFrame({"a": [1.5, 2.5, 4.5]}).to_excel(file, index=False)
    app = upload(app, "t.xlsx", file.getvalue())
    assert not {"Sheet", "Encoding", "Separator"} & {box.label for box in app.selectbox}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"", "empty"),
        ("a.pdf", b"%PDF-1.4", "cannot be read"),
        ("a.csv", b"name\nash\nbirch\ncedar\n", "No column is left to cluster"),
        (f"{HOSTILE}.csv", b"\x00\x01\x02\x03" * 50, "NUL"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error_and_the_data_stay(name, content, says):
    app = open_page(data=DataChoice("bundled", "iris").to_json())
    upload(go(app, "Load"), name, content)
    assert len(app.error) == 1
    assert says in plain(app.error[0].value)
    assert chosen(app) == DataChoice("bundled", "iris")
    assert "150 points × 4 columns" in said(go(app, "Bundled"))


def test_names_from_files_reach_markdown_escaped():
    header = HOSTILE.replace(",", "")
    app = upload(go(open_page(), "Load"), f"{HOSTILE}.csv", f"{header},b\n1,2\n,3\n5,6.5\n8,9\n".encode())
    app.button(key="data use").click()
    run(app)
    quoted = [element.value for element in [*app.markdown, *app.subheader] if "img" in element.value]
    assert len(quoted) >= 2  # the file's name and the note on missing cells
    for text in quoted:
        assert "<img" not in text.replace("\\<img", "")
        assert "[a](" not in text


def test_names_in_errors_are_escaped():
    app = upload(go(open_page(), "Load"), "table.[a](x) **b**", CSV)
    assert len(app.error) == 1
    assert r"\[a\]\(x\) \*\*b\*\*" in app.error[0].value


def test_a_drawing_is_chosen_as_it_grows_and_replaces_its_earlier_state(monkeypatch):
    drawing = Drawing(np.array([[0.0, 1.0]]), np.array([0]))
    monkeypatch.setattr(data_draw, "draw", lambda key: drawing)
    app = go(open_page(), "Draw")
    assert chosen(app) == DataChoice()
    drawing = Drawing(np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([0, 2]))
    first = chosen(run(app))
    assert first.source == "session"
    drawing = Drawing(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0]]), np.array([0, 2, 2]))
    app.toggle(key="data drawing labels").set_value(True)
    second = chosen(run(app))
    assert list(app.session_state["own data"]) == [second.name] != [first.name]
    dataset = app.session_state["own data"][second.name]
    assert_array_equal(dataset.X, drawing.points)
    assert [dataset.label_names[label] for label in dataset.labels] == ["blue", "green", "green"]


DRAWING = {"x": [0.0, 2.0, 4.0], "y": [1.0, 3.0, 1.0], "color": [0, 2, 2]}


def reloaded_with_a_drawing(monkeypatch: pytest.MonkeyPatch, found: object, name: str = "explore") -> AppTest:
    """A page in a new session whose address names a drawing, with what the browser's tab sends about one."""
    monkeypatch.setattr(data_draw.drawn.draw, "find_in_tab", lambda: found)
    lost = DataChoice("session", "drawn-0123", scaling="standardise")
    query = links.state_query(lost, RunConfig("mapdp", n_init=1, seed=5, family="normal_wishart", prior=None))
    return run(page(name, **query))


@pytest.mark.parametrize("name", ["explore", "compare", "data"])
def test_a_reload_brings_the_drawing_back_on_every_page(monkeypatch, name):
    app = reloaded_with_a_drawing(monkeypatch, {**DRAWING, "labelled": True, "name": "drawn-0123"}, name)
    choice = chosen(app)
    assert choice == DataChoice("session", choice.name, scaling="standardise") and choice.name != "drawn-0123"
    dataset = app.session_state["own data"][choice.name]
    assert_array_equal(dataset.X, np.column_stack([DRAWING["x"], DRAWING["y"]]))
    assert [dataset.label_names[label] for label in dataset.labels] == ["blue", "green", "green"]
    assert app.session_state["data canvas memory"]["opening"] == DRAWING
    assert app.session_state["settings"]["data drawing labels"] is True
    if name == "explore":
        assert shown_run(app).config.seed == 5
        assert choice.name in address(app, "data")
    assert not app.warning


def test_nothing_is_computed_before_the_browser_has_answered(monkeypatch):
    app = reloaded_with_a_drawing(monkeypatch, None)
    assert "brought back" in said(app) and shown_run(app) is None
    assert "0123" in address(app, "data")
    monkeypatch.setattr(data_draw.drawn.draw, "find_in_tab", lambda: {**DRAWING, "name": "drawn-0123"})
    assert chosen(run(app)).source == "session" and "brought back" not in said(app)


def test_an_address_that_is_a_moment_behind_the_drawing_undoes_nothing(monkeypatch):
    drawing = Drawing(np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([0, 2]))
    monkeypatch.setattr(data_draw, "draw", lambda key: drawing)
    app = go(open_page(), "Draw")
    first = chosen(app)
    assert first.name in address(app, "data")
    drawing = Drawing(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0]]), np.array([0, 2, 2]))
    second = chosen(run(app))
    assert second != first and second.name in address(app, "data")
    app.query_params["data"] = first.to_json()
    assert chosen(run(app)) == second and not app.warning
    assert second.name in address(app, "data")


@pytest.mark.parametrize(
    "found",
    [
        {},
        {**DRAWING, "name": "drawn-4567"},
        {"name": "drawn-0123", "x": "?"},
        {"name": "drawn-0123", **{name: values[:1] for name, values in DRAWING.items()}},
    ],
    ids=["nothing", "another drawing", "no drawing", "too few points"],
)
def test_a_drawing_that_is_gone_is_said_with_the_way_to_the_canvas(monkeypatch, found):
    monkeypatch.setattr(data_draw.drawn.draw, "find_in_tab", lambda: found)
    app = run(in_app("explore", data=DataChoice("session", "drawn-0123")))
    assert chosen(app) == DataChoice()
    assert [plain(warning.value) for warning in app.warning] == [links.DRAWING_GONE]
    app.button(key="link draw 0").click()
    run(app)
    assert app.segmented_control(key="data way").value == "Draw"
    assert not app.warning


@pytest.mark.parametrize(
    "sent",
    [
        None,
        3,
        "x",
        {"x": [1], "y": [1]},
        {"x": [1, 2], "y": [1], "color": [0]},
        {"x": ["1"], "y": [1], "color": [0]},
        {"x": [float("nan")], "y": [1], "color": [0]},
        {"x": [1], "y": [1], "color": [6]},
        {"x": [10**400], "y": [1], "color": [0]},
        {"x": [1], "y": [True], "color": [0]},
        {"x": [1], "y": [1], "color": [-1]},
        {name: [0] * (MOST_POINTS + 1) for name in ("x", "y", "color")},
    ],
)
def test_a_drawing_that_no_canvas_sends_is_refused(sent):
    assert read_drawing(sent) is None


def test_a_drawing_is_read_and_kept_on_the_canvas():
    drawing = read_drawing({"x": [1.25, 1e300], "y": [-3, -7.5], "color": [0, 5]})
    assert drawing is not None
    assert_array_equal(drawing.points, [[1.25, -3], [8, -6]])
    assert_array_equal(drawing.colors, [0, 5])


# The choice


def test_a_link_is_followed_and_kept_up_to_date():
    linked = DataChoice("synthetic", "rings", (("n", 50), ("noise", 0.1)), scaling="robust", n_components=1)
    app = open_page(data=linked.to_json())
    assert chosen(app) == linked
    assert app.selectbox(key="data scenario").value == "rings"
    assert app.slider(key="data rings noise").value == 0.1
    assert app.selectbox(key="data scaling").value == "robust"
    app.number_input(key="data rings n").set_value(60)
    run(app)
    assert DataChoice.from_json(address(app, "data")) == linked.with_options(n=60)


def test_data_chosen_elsewhere_are_what_the_controls_show():
    app = open_page()
    app.selectbox(key="data scenario").set_value("rings")
    run(app)
    app.session_state["data choice"] = DataChoice("bundled", "wine", n_components=2, whiten=True)
    run(app)
    assert app.segmented_control(key="data way").value == "Bundled"
    assert app.selectbox(key="data bundled").value == "wine"
    assert app.number_input(key="data components").value == 2
    assert app.toggle(key="data whiten").value is True
    assert chosen(app) == DataChoice("bundled", "wine", n_components=2, whiten=True)


def test_controls_keep_their_values_while_another_page_is_open():
    app = run(in_app("data"))
    set_to(app, "data scenario", "moons")
    set_to(app, "data moons noise", 0.3)
    go(app, "Load")
    run(go_to(app, "papers"))
    assert "data way" not in app.session_state
    run(go_to(app, "data"))
    assert app.segmented_control(key="data way").value == "Load"
    go(app, "Synthesize")
    assert app.slider(key="data moons noise").value == 0.3
    assert chosen(app) == DataChoice("synthetic", "moons", (("noise", 0.3),))


def test_impossible_settings_are_an_error_and_the_data_stay():
    app = open_page(data=DataChoice("synthetic", "spherical_outliers").to_json())
    app.number_input(key="data spherical_outliers n").set_value(10)
    app.slider(key="data spherical_outliers outliers_per_group").set_value(50)
    run(app)
    assert len(app.error) == 1
    assert "n = 10 must be at least 103" in plain(app.error[0].value)
    assert chosen(app) == DataChoice("synthetic", "spherical_outliers")
    assert "4,000 points" in said(app)


def test_data_that_are_gone_are_replaced_with_a_word_and_every_way_in_is_still_there():
    app = open_page(data='{"source":"session","name":"0123456789abcdef"}')
    assert len(app.warning) == 1
    app.session_state["data choice"] = DataChoice("session", "0123456789abcdef")
    run(app)
    assert len(app.warning) == 2 and "no longer here" in app.warning[1].value and not app.error
    assert chosen(go(app, "Bundled")) == DataChoice()
    app.button(key="data use bundled").click()
    assert chosen(run(app)).name == "iris"


def test_preparation_is_part_of_the_choice_and_ends_with_the_data_it_was_for():
    app = open_page(data=DataChoice("bundled", "iris").to_json())
    app.selectbox(key="data scaling").set_value("standardise")
    app.number_input(key="data components").set_value(2)
    run(app)
    app.toggle(key="data whiten").set_value(True)
    app.selectbox(key="data axes").set_value("columns")
    run(app)
    app.selectbox(key="data axis across").set_value("Component 2")
    run(app)
    prepared = DataChoice("bundled", "iris", (), "standardise", 2, True, ("Component 2", "Component 1"))
    assert chosen(app) == prepared
    assert_allclose(np.var(prepare(prepared).X, axis=0, ddof=1), 1)
    app.selectbox(key="data bundled").set_value("wine")
    assert chosen(run(app)) == DataChoice("bundled", "wine", scaling="standardise")


def test_own_data_differ_in_name_when_only_their_kinds_differ():
    def keep():
        import numpy as np

        from dpviz.datasets import Dataset
        from dpviz.ui.session.chosen_data import keep_session_dataset

        X = np.array([[0.0], [1.0]])
        for kind in ("count", "continuous"):
            keep_session_dataset(Dataset(X=X, name="same", kinds=(kind,)))

    app = checked(AppTest.from_function(keep).run())
    assert [dataset.kinds for dataset in app.session_state["own data"].values()] == [("count",), ("continuous",)]


def test_principal_components_of_two_columns_are_shown_when_asked_for():
    prepared = prepare(DataChoice("bundled", "old_faithful", axes=(choices.COMPONENTS,)))
    assert prepared.display().axis_names[0].startswith("Principal component 1")


# Columns edited by hand


def loaded(text: str) -> data_columns.LoadedTable:
    table = read_table(text.encode(), "table.csv")
    return data_columns.LoadedTable.of(table)


WITH_ROLES = "id,score,weight,species\n1,3,2.5,ash\n2,1,4.5,birch\n3,2,3.5,ash\n4,5,9.5,birch\n5,3,1.5,ash\n"


def test_columns_are_described_as_they_are_guessed():
    columns = loaded(WITH_ROLES).columns.set_index("Column")
    assert columns["Kind"].tolist() == ["identifier", "ordinal", "continuous", "binary"]
    assert columns["Cluster"].tolist() == [False, True, True, False]
    assert columns["Label"].tolist() == [False, False, False, True]
    assert columns.loc["weight", ["Missing", "Distinct", "Examples"]].tolist() == [0, 5, "2.5, 4.5, 3.5"]


def test_untouched_columns_make_the_dataset_that_is_guessed():
    table = loaded(WITH_ROLES)
    dataset = data_columns.dataset_from(table, table.columns.copy())
    assert dataset.feature_names == ("score", "weight")
    assert any("number the rows" in note for note in dataset.notes)


def test_of_many_columns_those_that_leave_a_choice_come_first_and_the_data_keep_the_order_of_the_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 8)), columns=[f"m{d}" for d in range(8)])
    frame["stars"], frame["last"] = rng.integers(1, 6, 60), rng.normal(size=60)
    table = loaded(frame.to_csv(index=False))
    assert table.columns["Column"].tolist() == ["stars", *(f"m{d}" for d in range(8)), "last"]
    assert table.columns["Or"].tolist() == ["count, categorical", *[""] * 9]
    changed = edited(table, m3=("Cluster", False), stars=("Kind", "categorical"))
    dataset = data_columns.dataset_from(table, changed)
    assert dataset.feature_names == tuple(name for name in frame if name != "m3")


def test_every_kind_has_a_picture_of_two_clusters():
    assert set(assumed.ASSUMED) == set(KINDS)
    for kind in KINDS:
        kind_of_file, code = assumed.picture(kind).split(",")
        assert kind_of_file == "data:image/svg+xml;base64"
        drawn = ElementTree.fromstring(base64.b64decode(code))
        colors = {part.get("stroke") or part.get("fill") for part in drawn} - {"#888"}
        assert colors == {track_color(0), track_color(1)}


def edited(table: data_columns.LoadedTable, **cells: tuple[str, object]) -> pd.DataFrame:
    columns = table.columns.set_index("Column")
    for name, (what, value) in cells.items():
        columns.loc[name, what] = value
    return columns.reset_index()


def test_kinds_features_and_label_can_be_set_by_hand():
    table = loaded(WITH_ROLES)
    dataset = data_columns.dataset_from(table, edited(table, score=("Kind", "count"), weight=("Cluster", False)))
    assert (dataset.feature_names, dataset.kinds) == (("score",), ("count",))
    assert dataset.label_names == ("ash", "birch")
    assert dataset.notes[-1] == "Not clustered: “id”, “weight”."
    assert data_columns.dataset_from(table, edited(table, species=("Label", False))).labels is None
    clustered_id = data_columns.dataset_from(table, edited(table, id=("Cluster", True)))
    assert_array_equal(clustered_id.X[:, 0], np.arange(5))  # taken as ordinal, so levels start at 0


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"score": ("Label", True)}, "2 columns are ticked as Label"),
        ({"species": ("Cluster", True)}, "“species” is ticked as Label and to be clustered"),
        ({"weight": ("Kind", "count")}, "cannot be of the kind count"),
        ({"weight": ("Kind", "identifier")}, "to be clustered"),
    ],
)
def test_contradictions_are_errors(cells, says):
    table = loaded(WITH_ROLES)
    columns = edited(table, **cells)
    if "score" in cells:
        columns.loc[columns["Column"] == "score", "Cluster"] = False
    with pytest.raises(DpvizError, match=says):
        data_columns.dataset_from(table, columns)


def test_no_column_to_cluster_is_an_error():
    table = loaded(WITH_ROLES)
    with pytest.raises(DpvizError, match="No column is ticked"):
        data_columns.dataset_from(table, table.columns.assign(Cluster=False))


# Figures


def small(n: int = 60, n_groups: int = 3) -> Dataset:
    generator = np.random.default_rng(5)
    return Dataset(
        X=np.column_stack([generator.normal(size=n), generator.poisson(3, n), generator.integers(0, 2, n)]),
        name="small",
        labels=np.arange(n) % n_groups,
        feature_names=(HOSTILE, "count", "colour"),
        label_names=tuple(f"<b>{k}</b>" for k in range(n_groups)),
        kinds=("continuous", "count", "binary"),
        category_names=((), (), ("red", "blue")),
    )


def test_points_hold_every_row_once_under_its_label():
    dataset = small()
    figure = figures.points(display_coordinates(dataset, "columns"), dataset)
    assert [trace.name for trace in figure.data] == [
        "&lt;b&gt;0&lt;/b&gt;",
        "&lt;b&gt;1&lt;/b&gt;",
        "&lt;b&gt;2&lt;/b&gt;",
    ]
    for label, trace in enumerate(figure.data):
        assert_array_equal(np.column_stack([trace.x, trace.y]), dataset.X[dataset.labels == label][:, :2])
        assert_array_equal(trace.customdata, np.flatnonzero(dataset.labels == label) + 1)
    assert len({trace.marker.color for trace in figure.data}) == 3
    assert {(trace.marker.symbol, trace.marker.line.width) for trace in figure.data} == {
        ("circle", 0)
    }  # as in the player
    assert figure.layout.xaxis.title.text == inert(HOSTILE)
    assert "<" not in figure.layout.xaxis.title.text


def test_one_column_is_stacked_dots():
    dataset = Dataset(X=np.array([[1.0], [2.0], [1.0], [1.0]]), name="counts")
    figure = figures.points(display_coordinates(dataset, "columns"), dataset)
    stack = dot_stack(dataset.X)
    assert_array_equal(figure.data[0].x, stack.positions)
    assert_array_equal(figure.data[0].y, [1, 1, 2, 3])
    assert figure.layout.showlegend is False


def test_large_data_are_sampled_the_same_way_each_time():
    rows = figures.shown_rows(7_000)
    assert len(np.unique(rows)) == figures.MOST_POINTS
    assert np.all(np.diff(rows) > 0)
    assert_array_equal(rows, figures.shown_rows(7_000))
    assert_array_equal(figures.shown_rows(50), np.arange(50))


@pytest.mark.parametrize("seed", range(20))
def test_samples_hold_small_groups_and_clusters_whole(seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat([0, 1, 2], [5_996, 4_000, 4]))
    clusters = rng.permutation(np.repeat([0, 1], [9_993, 7]))
    rows = figures.shown_rows(10_000, 300, [groups, clusters])
    assert len(np.unique(rows)) == 300
    assert set(np.flatnonzero(groups == 2)) | set(np.flatnonzero(clusters == 1)) <= set(rows)
    singletons = figures.shown_rows(10_000, 300, [np.arange(10_000)])
    assert len(singletons) == 300  # as many as fit, and never more than were asked for


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([2_500, 2_500], ""),
        ([2_990, 2_000, 10], "small groups whole"),
        ([5] * 1_000, "200 of 1,000 small groups whole"),
    ],
)
def test_how_many_small_groups_are_drawn_whole_is_said(sizes, words):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    dataset = Dataset(X=np.arange(5_000.0)[:, None], name="many", labels=np.random.default_rng(0).permutation(labels))
    said_of_it = figures.small_groups_in_words(dataset)
    if words.startswith("200"):  # as many as fit into half of the sample, and a few that chance drew whole
        assert int(said_of_it.split()[0]) >= 200 and said_of_it.endswith("of 1,000 small groups whole")
    else:
        assert said_of_it == words


def test_samples_of_many_groups_take_little_memory():
    rows = np.arange(20_000)
    tracemalloc.start()
    try:
        shown = figures.shown_rows(20_000, 4_000, [rows // 2])
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert len(np.unique(shown)) == 4_000


def test_smaller_groups_share_grey():
    n_groups = figures.MOST_GROUPS + 3
    labels = np.repeat(np.arange(n_groups), np.arange(n_groups) + 1)
    dataset = Dataset(X=np.random.default_rng(0).normal(size=(len(labels), 2)), name="many", labels=labels)
    figure = figures.points(display_coordinates(dataset, "columns"), dataset)
    assert [trace.name for trace in figure.data] == [str(code) for code in range(3, n_groups)] + ["3 smaller groups"]
    assert len(figure.data[-1].x) == 1 + 2 + 3
    assert sum(len(trace.x) for trace in figure.data) == len(labels)


def test_the_scatter_matrix_holds_each_pair_once_and_a_histogram_of_each_column():
    dataset = small()
    figure = figures.scatter_matrix(dataset, ["count", HOSTILE])
    scatters = [trace for trace in figure.data if trace.type == "scatter"]
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert len(scatters) == 3  # one pair, three groups
    for label, trace in enumerate(scatters):
        assert_array_equal(trace.x, dataset.X[dataset.labels == label, 1])
        assert_array_equal(trace.y, dataset.X[dataset.labels == label, 0])
    assert len(bars) == 6
    for label, trace in enumerate(bars[:3]):
        values, counts = np.unique(dataset.X[dataset.labels == label, 1], return_counts=True)
        drawn = {x: y for x, y in zip(trace.x, trace.y, strict=True) if y}
        assert drawn == dict(zip(values, counts, strict=True))
    assert [sum(trace.y) for trace in bars[3:]] == [20, 20, 20]
    assert sum(bool(trace.showlegend) for trace in figure.data) == 3


def test_histograms_count_every_row():
    dataset = small()
    figure = figures.column_histograms(dataset, dataset.feature_names)
    continuous, count, binary = figure.data
    assert sum(continuous.y) == 60
    edges = np.append(np.array(continuous.x) - continuous.width / 2, continuous.x[-1] + continuous.width[-1] / 2)
    assert_allclose(edges[[0, -1]], [dataset.X[:, 0].min(), dataset.X[:, 0].max()])
    assert dict(zip(count.x, count.y, strict=True))[3.0] == np.sum(dataset.X[:, 1] == 3)
    assert list(binary.y) == [np.sum(dataset.X[:, 2] == 0), np.sum(dataset.X[:, 2] == 1)]
    assert figure.layout.xaxis3.ticktext == ("red", "blue")
    assert all("<" not in annotation.text for annotation in figure.layout.annotations)


@pytest.mark.parametrize("column", [[7.0, 7.0, 7.0], [1.0, 1.0, np.nextafter(1.0, 2)], [-1e150, 0.5, 1e150]])
def test_histograms_of_awkward_columns_count_every_row(column):
    dataset = Dataset(X=np.array(column)[:, None], name="awkward")
    assert sum(figures.column_histograms(dataset, ["x1"]).data[0].y) == 3


def test_label_balance_is_sorted_and_complete():
    dataset = Dataset(X=np.zeros((6, 1)), name="x", labels=np.array([0, 1, 1, 1, 2, 2]), label_names=("a", "<i>b", "c"))
    figure = figures.label_balance(dataset)
    assert figure.data[0].x == (3, 2, 1)
    assert figure.layout.yaxis.ticktext == ("&lt;i&gt;b", "c", "a")
    assert figure.data[0].text[0] == "3 (50.0%)"


def test_many_labels_end_in_one_bar_for_the_rest():
    labels = np.concatenate([np.arange(50), np.arange(10)])
    figure = figures.label_balance(Dataset(X=np.zeros((60, 1)), name="x", labels=labels))
    assert sum(figure.data[0].x) == 60
    assert figure.layout.yaxis.ticktext[-1] == "10 smaller groups"


def test_missing_values_are_those_of_the_frame():
    frame = pd.DataFrame({"full": [1, 2, 3], "one": [1, None, 3], "<u>two": [None, None, 3]})
    figure = figures.missing_values(frame)
    assert figure.data[0].x == (2, 1)
    assert figure.layout.yaxis.ticktext == ("&lt;u&gt;two", "one")


def test_correlations_are_numpys_and_constant_columns_have_none():
    generator = np.random.default_rng(3)
    X = np.column_stack([generator.normal(size=40), np.full(40, 2.0), generator.normal(size=40)])
    matrix = figures.correlations(Dataset(X=X, name="x"))
    expected = np.corrcoef(X[:, 0], X[:, 2])[0, 1]
    assert_allclose(matrix[[0, 0, 2], [0, 2, 0]], [1, expected, expected])
    assert np.isnan(matrix[1]).all()
    figure = figures.correlation_heatmap(matrix, ["a", "<b>", "c"])
    assert_array_equal(figure.data[0].z, matrix)
    assert figure.layout.xaxis.ticktext == ("a", "&lt;b&gt;", "c")


def test_the_summary_agrees_with_pandas_and_with_the_file():
    table = read_table(CSV, "trees.csv")
    dataset = datasets.tables.to_dataset(table)
    summary = figures.column_summary(dataset).set_index("Column")
    kept = pd.DataFrame(dataset.X, columns=list(dataset.feature_names))
    expected = kept.describe().T
    for ours, theirs in (
        ("Minimum", "min"),
        ("Lower quartile", "25%"),
        ("Median", "50%"),
        ("Upper quartile", "75%"),
        ("Maximum", "max"),
        ("Mean", "mean"),
        ("Standard deviation", "std"),
    ):
        assert_allclose(summary[ours], expected[theirs])
    assert summary["Missing"].tolist() == [0, 1]
    assert summary["Distinct"].tolist() == [3, 3]


def test_explained_variance_is_drawn_with_its_sum():
    figure = figures.explained_variance(np.array([0.6, 0.3, 0.1]), 2)
    assert_array_equal(figure.data[0].y, [0.6, 0.3, 0.1])
    assert_allclose(figure.data[1].y, [0.6, 0.9, 1.0])
    assert figure.data[0].marker.color[1] != figure.data[0].marker.color[2]


def test_the_download_is_what_is_clustered_with_its_labels():
    prepared = prepare(DataChoice("bundled", "iris", scaling="standardise", n_components=2))
    table = data_look.clustered_table(prepared)
    assert_array_equal(table[["Component 1", "Component 2"]], prepared.X)
    assert table["label"].value_counts().to_dict() == {"setosa": 50, "versicolor": 50, "virginica": 50}


def test_a_column_called_label_keeps_its_name_in_the_download():
    dataset = Dataset(X=np.ones((2, 1)), name="x", feature_names=("label",), labels=np.array([0, 1]))
    unchanged = Preparation.none(dataset.n_features)
    table = data_look.clustered_table(choices.PreparedData(DataChoice(), dataset, dataset, (), unchanged))
    assert list(table.columns) == ["label", "true label"]


@pytest.mark.parametrize("name", ["iris", "galaxies", "horse_kicks", "house_votes_84", "dermatology"])
def test_every_look_works_on_data_of_every_kind(name):
    app = open_page(data=DataChoice("bundled", name).to_json())
    control = app.segmented_control(key="data look")
    for view in control.options:
        app.segmented_control(key="data look").set_value(view)
        run(app)
        assert len(app.error) == 0


def test_points_on_each_other_are_counted_where_a_picture_seems_to_lose_some():
    app = go(run(in_app("data")), "Load")
    rows = [(k % 2, k % 2, (k + (k % 9 == 0)) % 2) for k in range(120)]
    set_to(app, "data pasted", "fever,cough,rash\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    press(app, "data use")
    words = f"They stand at {len(set(rows))} places"
    assert words in said(app)
    settled(run(go_to(app, "explore")))
    assert words in said(app.main) and "fever 1 in" in said(app.main)
    assert "They stand at" not in said(open_page(data=DataChoice("bundled", "iris").to_json()))


def test_the_door_of_the_first_page_leads_to_a_file_and_no_other_data_are_taken_for_it():
    app = run(in_app("data", way="load"))
    assert app.button_group(key="data way").value == "Load" and "way" not in app.query_params
    assert not app.get("plotly_chart") and "data explore" not in {button.key for button in app.button}
    set_to(app, "data way", "Synthesize")
    assert app.get("plotly_chart") and app.button(key="data explore").label == "Explore these data"


def test_the_door_to_the_canvas_shows_no_other_data_beside_it():
    app = run(in_app("data", way="draw"))
    assert app.button_group(key="data way").value == "Draw" and "way" not in app.query_params
    assert "Your drawing" in [heading.value.lstrip("# ") for heading in app.markdown]
    assert not app.get("plotly_chart") and "data explore" not in {button.key for button in app.button}
