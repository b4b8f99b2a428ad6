"""Every table that leaves dpviz as CSV: no reading of it finds a formula, and dpviz reads it back as it was."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from command_line import cli
from hypothesis import example, given, settings
from hypothesis import strategies as draw
from test_studies import TOY

import dpviz
from dpviz.analysis.prediction import Predictor
from dpviz.analysis.studies import STUDIES, Results, run_cells
from dpviz.datasets import Dataset
from dpviz.datasets.tables import export_csv, read_points, read_table, to_dataset
from dpviz.datasets.tables.export import csv_text
from dpviz.datasets.tables.formulas import MAY_BE_GUARDED, guarded, unguarded
from dpviz.ui.posterior import downloads
from dpviz.ui.predict import table as predict_table
from dpviz.ui.predict.runs import Known
from dpviz.ui.session import exports
from dpviz.ui.session.chosen_data import keep_session_dataset, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.tune import grid as tune_grid

SIGNS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
DIALECTS = (",", ";", "\t")
CALC = "cmd|' /C calc'!A0"
HOSTILE = [
    f"={CALC}",
    f"a;={CALC}",
    f"a\t={CALC}",
    f"x;\t @{CALC}",
    f"two\n+{CALC}",
    f"two\r-{CALC}",
    f" \r\n={CALC}",
    f'q";"={CALC}',
    f"－{CALC}",
    f"\ufeff={CALC}",
    f"'={CALC}",
    "b;-2",
    "=1;",
    '=HYPERLINK("http://x";"y")',
    "fine",
    "=1\r",
]
"""Cells that some reading takes for a formula, and one that none does."""

hostile_texts = draw.text(draw.sampled_from("=+-@\t\r\n;|, '\"a1＝－＠\ufeff\u200b\0"), max_size=8)


def numbers(cell: str) -> bool:
    """Whether a cell is a number, or a row of a reading with another separator that begins with one."""
    return re.match(r"[+-](inf|[\d.]+(e[+-]?\d+)?)(,|$)", cell) is not None


def formulas(text: str) -> list[str]:
    """Every cell that begins like a formula by one of the readings, behind what readers drop there."""
    cells = [
        cell.lstrip(" \0\ufeff\u200b")
        for separator in DIALECTS
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for cell in row
    ]
    return [cell for cell in cells if cell.startswith(SIGNS) and not numbers(cell)]


def hostile_table(n_rows: int = 48) -> pd.DataFrame:
    """Two measured columns with groups, words and labels, all of them hostile."""
    rng = np.random.default_rng(0)
    groups = np.arange(n_rows) % 3
    words = np.array([text for text in HOSTILE if text.strip() == text], dtype=object)
    return pd.DataFrame(
        {
            f"={CALC}": np.round(rng.normal(5.0 * groups, 0.5), 3) - 5.0,
            f"b;+{CALC}": np.round(rng.normal(-3.0 * groups, 0.5), 3),
            "@words": words[np.arange(n_rows) % len(words)],
            f"-label\t={CALC}": np.array([f"={CALC}", "@b", "plain"], dtype=object)[groups],
        }
    )


@pytest.fixture(autouse=True)
def _fresh_session():
    """Outside of a script run the session state is one for the whole process."""
    st.session_state.clear()
    yield
    st.session_state.clear()


# --- one cell ---------------------------------------------------------------------------------------------------------


@settings(max_examples=500)
@given(draw.lists(hostile_texts, min_size=6, max_size=6))
@example(HOSTILE[:6])
@example(HOSTILE[6:12])
@example(HOSTILE[-6:])
def test_no_reading_finds_a_formula_and_nothing_is_lost(texts):
    frame = pd.DataFrame([[texts[0], texts[1], 1.5], [texts[2], texts[3], -2e-300]], columns=[*texts[4:], "n"])
    for text in (export_csv(frame).decode(), csv_text(frame)):
        assert not formulas(text)
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert [unguarded(name) for name in rows[0]] == [*texts[4:], "n"]
        assert [[unguarded(cell) for cell in row[:2]] for row in rows[1:]] == [texts[:2], texts[2:4]]
        assert [float(row[2]) for row in rows[1:]] == [1.5, -2e-300]


@settings(max_examples=500)
@given(hostile_texts)
def test_taking_guards_off_undoes_putting_them_on(text):
    assert unguarded(guarded(text)) == text
    assert guarded(text) == text or re.search(MAY_BE_GUARDED, guarded(text))


def test_harmless_text_is_written_as_it_is():
    for text in ("a=b", "", "Bath, UK", "it's", "'quoted'", "1;2", "two\nlines", "two\r\nlines", "x-y", "50 %"):
        assert guarded(text) == unguarded(text) == text


def test_a_long_cell_of_white_space_takes_no_longer_than_others():
    text = "\n\t " * 100_000 + "="
    assert unguarded(guarded(text)) == text


# --- numbers, and the way back ----------------------------------------------------------------------------------------


def test_numbers_stay_numbers_in_columns_of_any_kind():
    frame = pd.DataFrame(
        {"v": [-3.5, 2e-3, -np.inf], "mixed": ["=1", -3.5, 7], "whole": pd.array([-1, None, 2], dtype="Int64"), -4: 0}
    )
    for text in (export_csv(frame).decode(), csv_text(frame)):
        assert text.splitlines() == ["v,mixed,whole,-4", "-3.5,'=1,-1,0", "0.002,-3.5,,0", "-inf,7,2,0"]


def test_what_was_exported_is_read_back_and_the_change_is_named():
    frame = hostile_table()
    again = read_table(export_csv(frame), "x.csv")
    assert [name.replace("\t", " ") for name in frame.columns] == list(again.frame.columns)
    assert again.frame.to_numpy().tolist() == frame.to_numpy().tolist()
    assert any("Apostrophes that kept text from being formulas" in note for note in again.notes)


def test_a_column_of_numbers_written_as_text_stays_text():
    frame = pd.DataFrame({"code": ["-5", "+6", "-7", "-8"], "v": [1.5, 2.5, 3.5, 4.5]})
    assert read_table(export_csv(frame), "x.csv").frame["code"].tolist() == frame["code"].tolist()


def test_apostrophes_of_others_are_left_alone():
    table = read_table(b"name,v\n'quoted',1\nit's,2\n' a,3\nO'=x,4\n", "x.csv")
    assert table.frame["name"].tolist() == ["'quoted'", "it's", "' a", "O'=x"]
    assert not any("Apostrophes" in note for note in table.notes)


# --- every export -----------------------------------------------------------------------------------------------------


@pytest.fixture
def hostile_file(tmp_path) -> Path:
    path = tmp_path / "=cmd.csv"
    path.write_bytes(export_csv(hostile_table()))
    return path


@pytest.fixture
def toy(monkeypatch):
    """A study whose rows have hostile names."""

    def cells(**size):
        return [replace(cell, row=f"={CALC}", column=f"a;={CALC}") for cell in TOY.cells(**size)]

    monkeypatch.setitem(STUDIES, "toy", replace(TOY, cells=cells))


BRIEF = "--n-init 1 --jobs 1 --quiet"
COMMANDS = {
    "run": "run {data} --n-init 1 --quiet --out {out}",
    "predict": "predict {run} {data} --data {data} --out {out}",
    "compare": f"compare {{data}} --algorithms kmeans,mapdp {BRIEF} --out {{out}}",
    "tune": f"tune {{data}} --parameter concentration --values 1,2 --folds 0 {BRIEF} --out {{out}}",
    "reproduce": "reproduce toy --jobs 1 --out {out.parent}",
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_write_no_formula(command, hostile_file, tmp_path):
    columns = list(read_table(hostile_file.read_bytes(), hostile_file.name).frame.columns)
    kept, out = tmp_path / "run.json", tmp_path / "toy.csv"
    own = ["--features", ",".join(columns[:2])]
    if command == "predict":
        assert cli("run", hostile_file, own, "--n-init 1 --quiet --out", kept) == 0
    arguments = COMMANDS[command].format(data=hostile_file, run=kept, out=out)
    assert cli(arguments, own if command != "reproduce" else []) == 0
    text = out.read_bytes().decode("utf-8")
    assert not formulas(text) and "\r\n" not in text.partition("\n")[0]
    if command == "predict":
        table = read_table(text.encode(), "x.csv").frame
        assert list(table.columns)[:4] == columns
        assert table[columns].to_numpy().tolist() == hostile_table().to_numpy().tolist()


def hostile_dataset() -> Dataset:
    table = read_table(export_csv(hostile_table()), "x.csv")
    names = list(table.frame.columns)
    return to_dataset(table, features=names[:2], label=names[3])


def finished() -> Finished:
    """A run on the hostile table, with hostile names of clusters."""
    choice = keep_session_dataset(hostile_dataset())
    config = dpviz.RunConfig("gibbs", n_sweeps=6, burn_in=2, family="normal_gamma", prior=None)
    prepared = prepare(choice)
    names = {1: f"={CALC}", 2: f"b;+{CALC}", 3: "\tc"}
    return Finished(choice, config, prepared, dpviz.run(prepared.X, config), names=names)


def predictions(run: Finished) -> pd.DataFrame:
    known = Known(run, Predictor(run.prepared.X, run.trace))
    given = read_table(export_csv(hostile_table()), "x.csv")
    seen = predict_table.as_seen(known, read_points(given, run.prepared.dataset))
    return predict_table.result_table(known, seen, known.predictor.predict(seen.prepared))


def tuned(run: Finished) -> pd.DataFrame:
    frame = pd.DataFrame({"concentration": [1.0], "nll": [-3.5]})
    dataset = replace(run.prepared.dataset, title=f"={CALC}")
    cell = type("Cell", (), {"config": run.config})()
    return tune_grid._exported(replace(run.prepared, dataset=dataset), frame, [cell])


def pooled_draws(run: Finished) -> pd.DataFrame:
    pooled = type("Pooled", (), {})()
    pooled.draws = type("Draws", (), {"labels": run.trace.labels.astype(np.int64)})()
    pooled.chains, pooled.sweeps = np.zeros(len(run.trace.labels), dtype=int), run.trace.label_sweeps
    return downloads.draws_table(run.prepared, pooled)


PAGES: dict[str, Callable[[Finished], bytes]] = {
    "Explore": lambda run: exports.labelled_csv(run, run.trace.n_sweeps, every_sweep=True),
    "Predict": lambda run: export_csv(predictions(run)),
    "Tune": lambda run: export_csv(tuned(run)),
    "Posterior": lambda run: export_csv(pooled_draws(run)),
    "Papers": lambda run: export_csv(
        Results.gathered(
            STUDIES["toy"], {"repetitions": 1}, run_cells(STUDIES["toy"].cells(repetitions=1), n_jobs=1)
        ).to_frame()
    ),
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", PAGES)
def test_pages_offer_no_formula(name):
    run = finished()
    content = PAGES[name](run)
    assert not formulas(content.decode("utf-8"))
    if name == "Explore":
        again = read_table(content, "x.csv").frame
        assert again["cluster_name"].iloc[0].strip() in [name.strip() for name in run.names.values()]
        first = list(hostile_table().to_numpy()[:, 2])
        assert again["@words"].tolist() == first


def test_there_is_one_writer_of_tables():
    """What writes a table by itself writes formulas."""
    own, found = Path("dpviz/datasets/tables/export.py"), []
    root = Path(__file__).parents[2]
    for path in (root / "dpviz").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("to_csv", "to_excel", "writer", "DictWriter"):
                found.append(path.relative_to(root))
    assert found == [own]


def test_names_that_lose_an_apostrophe_are_told():
    table = read_table(b"a,'=b\n1,2\n2,3\n", "x.csv")
    assert list(table.frame.columns) == ["a", "=b"]
    assert any("removed in the names of columns" in note and "=b" in note for note in table.notes)
    plain = read_table(b"a,b\n1,2\n2,3\n", "x.csv")
    assert not any("Apostrophes" in note for note in plain.notes)


def test_whole_numbers_stay_whole_beside_gaps():
    frame = pd.DataFrame({"visits": [2, np.nan, 9], "size": [2.0, np.nan, 9.5], "w": [2.0, 3.0, 4.0]})
    assert export_csv(frame).decode() == "visits,size,w\r\n2,2.0,2.0\r\n,,3.0\r\n9,9.5,4.0\r\n"
