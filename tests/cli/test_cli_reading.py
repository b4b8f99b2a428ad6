"""Options by which a file is read otherwise than is detected: they reach the run, its stored file and its report."""

from __future__ import annotations

import html
import io
import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import cli

import dpviz
from dpviz.cli.reading_options import as_options
from dpviz.datasets.tables import read_table, to_dataset
from dpviz.engine.stored import fingerprint

BRIEF = (
    "--n-init 2 --family normal_wishart --prior none --effort 0.02 --transform none --directions none --scaling none"
)


@pytest.fixture
def ambiguous(tmp_path):
    """Two groups of lengths around 1.3 and 2.7, with decimal commas and tabs, which no cell shows."""
    rng = np.random.default_rng(0)
    X = np.round(np.concatenate([rng.normal(1.3, 0.05, (20, 2)), rng.normal(2.7, 0.05, (20, 2))]), 3)
    path = tmp_path / "lengths.tsv"
    path.write_text("".join(f"{a:.3f}\t{b:.3f}\n" for a, b in X).replace(".", ","))
    return path, X


def stored(path) -> tuple[str, dict]:
    text = path.read_text()
    return text, json.loads(text)["reading"]["choices"]


def test_the_decimal_mark_that_is_asked_for_is_that_of_run_predict_and_report(ambiguous, tmp_path, capsys):
    path, X = ambiguous
    run, rows = tmp_path / "run.json", tmp_path / "rows.tsv"
    rows.write_text("1,313\t1,287\n2,650\t2,755\n")
    assert cli("run", path, BRIEF, "--out", run) == 0
    assert "Choose the decimal comma if so" in capsys.readouterr().err
    assert cli("run", path, BRIEF, "--decimal comma --out", run) == 0
    assert "if so" not in capsys.readouterr().err
    text, choices = stored(run)
    assert choices == {"decimal": ","}
    assert dpviz.Trace.from_json(text).data == fingerprint(X)
    assert cli("predict", run, rows, "--data", path) == 0
    own = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert cli("predict", run, rows, "--data", path, "--decimal comma") == 0
    assert pd.read_csv(io.StringIO(capsys.readouterr().out)).equals(own)
    assert own["cluster"].tolist() == dpviz.Trace.from_json(text).result_labels[[0, -1]].tolist()
    assert cli("report", run, "--data", path, "--quick --out", tmp_path / "page.html") == 0
    assert "--decimal=comma" in (tmp_path / "page.html").read_text()


def test_every_option_is_passed_on_and_written_again(tmp_path, capsys):
    frame = pd.DataFrame({"a": np.r_[1:21, 101:121], "b": np.r_[21:41, 131:151]})
    book = tmp_path / "book.xlsx"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"n": [1, 2]}).to_excel(writer, sheet_name="first", index=False)
        frame.to_excel(writer, sheet_name="second", index=False, header=False)
    text = tmp_path / "names.csv"
    text.write_bytes("größe|höhe\n".encode("cp1250") + frame.to_csv(index=False, header=False, sep="|").encode())
    asked = {
        book: (["--sheet=second", "--header=no"], ["x1", "x2"]),
        text: (["--separator=bar", "--header=yes", "--encoding=cp1250"], ["größe", "höhe"]),
    }
    for path, (options, names) in asked.items():
        assert cli("run", path, BRIEF, options, "--out", tmp_path / "run.json") == 0
        document, choices = stored(tmp_path / "run.json")
        assert json.loads(document)["reading"]["names"] == names
        assert sorted(as_options(choices.items())) == sorted(options)
        assert dpviz.Trace.from_json(document).n_points == len(frame)


def test_options_of_predict_are_about_the_rows(ambiguous, tmp_path, capsys):
    _, X = ambiguous
    path, run, rows = tmp_path / "plain.csv", tmp_path / "run.json", tmp_path / "rows.csv"
    pd.DataFrame(X, columns=["a", "b"]).to_csv(path, index=False)
    rows.write_text('a,b\n"1,313","1,287"\n"2,650","2,755"\n')
    assert cli("run", path, BRIEF, "--out", run) == 0
    capsys.readouterr()
    clusters = []
    for mark in ("comma", "point"):
        assert cli("predict", run, rows, "--data", path, "--decimal", [mark]) == 0
        clusters.append(pd.read_csv(io.StringIO(capsys.readouterr().out))["a"].tolist())
    assert clusters == [[1.313, 2.65], [1313, 2650]]
    book = tmp_path / "book.xlsx"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"n": [1, 2]}).to_excel(writer, sheet_name="first", index=False)
        pd.DataFrame(X, columns=["a", "b"]).to_excel(writer, sheet_name="second", index=False)
    assert cli("run", book, "--sheet second", BRIEF, "--out", run) == 0
    capsys.readouterr()
    assert cli("predict", run, rows, "--data", book, "--decimal comma") == 0  # rows have no sheet
    assert pd.read_csv(io.StringIO(capsys.readouterr().out))["a"].tolist() == [1.313, 2.65]


@pytest.mark.usefixtures("tables_read_here")
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_rows_without_names_are_predicted_by_the_places_of_their_columns(ending, tmp_path, capsys):
    """As the same rows are below the names x1, x2 and x3, though a column is empty in the rows or in the data."""
    groups = np.repeat([[0, 0, -8], [0, 5, 0]], 20, axis=0)
    data = pd.DataFrame(np.random.default_rng(0).normal(scale=0.5, size=(40, 3)) + groups, columns=["x1", "x2", "x3"])
    rows = pd.DataFrame({"x1": [0.1, -0.3], "x2": np.nan, "x3": [-8, 0.2]})

    def predicted(frame, header, options=()):
        for name, table in (("data", frame), ("rows", rows)):
            write = table.to_csv if ending == "csv" else table.to_excel
            write(tmp_path / f"{name}.{ending}", index=False, header=header)
        path, run = tmp_path / f"data.{ending}", tmp_path / "run.json"
        said = "--header yes" if header else "--header no"
        assert cli("run", path, BRIEF, said, options, "--out", run) == 0
        capsys.readouterr()
        assert cli("predict", run, tmp_path / f"rows.{ending}", "--data", path, said) == 0
        out, err = capsys.readouterr()
        return pd.read_csv(io.StringIO(out)), err

    found, err = predicted(data, header=False)
    assert "missing in every row: “x2”" in err
    labels = dpviz.Trace.from_json(stored(tmp_path / "run.json")[0]).result_labels
    assert found["cluster"].tolist() == labels[[0, -1]].tolist()
    pd.testing.assert_frame_equal(found, predicted(data, header=True)[0].drop(columns="x2"))
    found, _ = predicted(data.assign(x2=np.nan), False, ["--features=x1,x3"])
    pd.testing.assert_frame_equal(found, predicted(data, True, ["--features=x1,x3"])[0].drop(columns="x2"))


@pytest.mark.parametrize(
    ("name", "option"), [("t.csv", "--sheet=one"), ("t.xlsx", "--separator=tab"), ("t.xlsx", "--encoding=cp1252")]
)
def test_options_of_another_format_are_refused(name, option, tmp_path, capsys):
    frame = pd.DataFrame({"a": range(30), "b": np.arange(30) ** 2})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert cli("run", tmp_path / name, BRIEF, [option]) == 1
    about = "a workbook" if "sheet" in option else "a text"
    assert f"{option.partition('=')[0]} is about {about}, and {name} is none." in capsys.readouterr().err


def test_folds_of_copies_are_told(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)).repeat(2, axis=0), columns=["a", "b"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    tuned = ["tune", str(tmp_path / "t.csv"), "--parameter", "concentration", "--values", "1", "--folds", "3"]
    compared = ["compare", str(tmp_path / "t.csv"), "--algorithms", "kmeans,mapdp", "--n-clusters", "2", "--folds", "3"]
    for command in (tuned, compared):
        assert cli(command, BRIEF) == 0
        assert "30 rows repeat an earlier one; copies of a row are left out together." in capsys.readouterr().err


def test_a_reading_that_was_asked_for_and_fails_is_no_reason_to_take_another(ambiguous, tmp_path, capsys):
    path, _ = ambiguous
    assert cli("run", path, BRIEF, "--separator semicolon") == 1
    assert cli("run iris", BRIEF, "--decimal comma") == 1
    assert "how a table is read are about a file, and 'iris' is none" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli("run", path, "--decimal both")
    assert shlex.join(as_options([("accepted", (("a", 9.0),)), ("separator", "\t")])) == "--separator=tab"


def test_the_kind_of_a_column_can_be_named_and_the_commands_of_a_report_name_it(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    group = np.arange(60) % 3
    frame = pd.DataFrame(
        {
            "weight": rng.normal(60 + 10 * group, 2).round(1),
            "visits=3": rng.poisson(2 + 3 * group),
            "colour": np.array(["red", "green", "blue"])[group],
        }
    )
    monkeypatch.chdir(tmp_path)
    frame.to_csv("own.csv", index=False)
    named = "--kind=visits=3=categorical"
    for algorithm in ("kmeans", "mapdp"):
        assert cli(f"run own.csv --algorithm {algorithm}", [named], "--out run.json") == 0
        assert "as categorical: “visits=3”" in capsys.readouterr().err
        stored = dpviz.Trace.from_json((tmp_path / "run.json").read_text())
        reading = json.loads((tmp_path / "run.json").read_text())["reading"]
        assert dict(zip(reading["names"], reading["kinds"], strict=True))["visits=3"] == "categorical"
        assert cli("report run.json --data own.csv --quick --out page.html") == 0
        page = html.unescape((tmp_path / "page.html").read_text())
        (command,) = [line for line in page.splitlines() if line.startswith("dpviz run ") or ">dpviz run " in line]
        words = shlex.split(command.partition("dpviz ")[2])
        assert named in words
        (tmp_path / "config.json").write_text(stored.config.to_json())
        (tmp_path / "run.json").rename(tmp_path / "first.json")
        assert cli(words) == 0
        again = dpviz.Trace.from_json((tmp_path / "run.json").read_text())
        assert again.data == stored.data
        np.testing.assert_array_equal(again.result_labels, stored.result_labels)
        if algorithm == "kmeans":  # an indicator for every number
            data = to_dataset(read_table(Path("own.csv").read_bytes(), "own.csv"), kinds={"visits=3": "categorical"})
            assert fingerprint(dpviz.datasets.one_hot(data).X) == stored.data
    for kind in ("visits=3=colour", "visits", "=count"):
        with pytest.raises(SystemExit):
            cli("run own.csv --kind", [kind])
    assert cli("run own.csv --kind height=count") == 1
    assert "'height' must be a column of the table" in capsys.readouterr().err
