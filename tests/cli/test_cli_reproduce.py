"""``dpviz reproduce``: tables, files, wrong names, interrupts."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import cli
from test_cli import interrupted, started
from test_studies import TOY

from dpviz.analysis import studies
from dpviz.analysis.studies import STUDIES, Results, compared
from dpviz.analysis.studies.results import evaluate
from dpviz.cli import reproduce as command


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(STUDIES, "toy", TOY)
    return TOY


def test_without_a_name_the_studies_are_listed(capsys):
    assert cli("reproduce") == 0
    told = capsys.readouterr().out
    assert all(study.name in told and study.title in told for study in STUDIES.values())


def test_an_unknown_name_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as ended:
        cli("reproduce raykov2061")
    assert ended.value.code == 2
    assert "raykov2016-scenarios" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--repetitions 0", "repetitions = 0 must be a whole number ≥ 1"),
        ("--repetitions 1000000", "repetitions = 1000000 must be at most 10,000"),
        ("--data pima=x.csv", "this study needs no file"),
    ],
)
def test_what_cannot_work_is_said_before_anything_runs(toy, capsys, arguments, words):
    assert cli("reproduce toy --jobs 1", arguments) == 1
    assert words in capsys.readouterr().err


def test_a_study_never_replaces_a_file_that_it_reads(toy, tmp_path, monkeypatch, capsys):
    table = tmp_path / "toy.csv"
    table.write_text("a,b\n1,2\n")
    monkeypatch.setattr(command, "runnable", lambda *_: ([], []))
    assert cli("reproduce toy --jobs 1 --data", [f"own={table}"], "--out", tmp_path) == 1
    assert "is what this command reads" in capsys.readouterr().err and table.read_text() == "a,b\n1,2\n"


def test_a_study_is_printed_and_kept(toy, tmp_path, capsys):
    assert cli("reproduce toy --full --repetitions 2 --jobs 1 --out", tmp_path) == 0
    told = capsys.readouterr().out
    results = Results.from_json((tmp_path / "toy.json").read_text(encoding="utf-8"))
    assert results.command == "dpviz reproduce toy --full --repetitions 2"
    assert results.complete and results.size == {"repetitions": 2} and results.digest == TOY.digest(results.size)
    first = next(compared(TOY.tables[0], results))
    assert first.words in told and "0.90" in told and first.digits_words in told and "≠" in told
    assert pd.read_csv(tmp_path / "toy.csv")["nmi"].tolist() == results.values("iris", "K-means", "nmi").tolist()


def test_an_interrupted_study_keeps_its_finished_cells_and_older_results(toy, tmp_path, monkeypatch, capsys):
    (tmp_path / "toy.json").write_text("older")

    def two_and_then_ctrl_c(cells, files, n_jobs):
        yield from list(run_cells(cells, files, 1))[:2]
        raise KeyboardInterrupt

    run_cells = command.run_cells
    monkeypatch.setattr(command, "run_cells", two_and_then_ctrl_c)
    assert cli("reproduce toy --full --jobs 1 --out", tmp_path) == 130
    assert "2 of 3 done are kept" in capsys.readouterr().err
    assert (tmp_path / "toy.json").read_text() == "older"
    kept = Results.from_json((tmp_path / "toy.partial.json").read_text(encoding="utf-8"))
    assert len(kept.records) == 2 and not kept.complete


def interrupted_after(number, monkeypatch):
    """Let the command be interrupted after so many cells; return the list in which those that are begun are noted."""
    begun = []

    def some_and_then_ctrl_c(cells, files, n_jobs):
        for cell in cells:
            if len(begun) == number:
                raise KeyboardInterrupt
            begun.append(cell.key)
            yield evaluate(cell, files)

    monkeypatch.setattr(command, "run_cells", some_and_then_ctrl_c)
    return begun


def test_an_interrupted_study_goes_on_from_what_was_kept(toy, tmp_path, monkeypatch, capsys):
    arguments = ("reproduce toy --full --jobs 1 --out", tmp_path)
    every = [cell.key for cell in toy.cells(**toy.size("full"))]
    for place in range(2):
        begun = interrupted_after(1, monkeypatch)
        assert cli(*arguments) == 130 and begun == [every[place]]
    assert "going on from 1 of 3" in capsys.readouterr().err
    begun = interrupted_after(99, monkeypatch)
    assert cli(*arguments) == 0 and begun == every[2:]
    results = Results.from_json((tmp_path / "toy.json").read_text(encoding="utf-8"))
    assert results.complete and [record.key for record in results.records] == every
    for record, cell in zip(results.records, toy.cells(**toy.size("full")), strict=True):
        np.testing.assert_equal(record.numbers, evaluate(cell, {}).numbers)  # NaN equals NaN
    begun = interrupted_after(99, monkeypatch)
    assert cli(*arguments) == 0 and begun == every  # a study that is complete is run anew


def copied_after(number, folder, monkeypatch):
    """Let the folder be copied when so many cells are done, as a command that is killed then leaves it."""
    monkeypatch.setattr(command, "SAVED_EVERY", 0.0)

    def some_and_then_copied(cells, files, n_jobs):
        for done, cell in enumerate(cells):
            if done == number:
                shutil.copytree(folder, folder.with_name("killed"))
            yield evaluate(cell, files)

    monkeypatch.setattr(command, "run_cells", some_and_then_copied)
    return folder.with_name("killed")


@pytest.mark.parametrize("older", [False, True])
def test_a_killed_study_goes_on_from_what_was_saved_on_the_way(toy, tmp_path, monkeypatch, older):
    folder = tmp_path / "results"
    folder.mkdir()
    if older:
        (folder / "toy.json").write_text("older")
    killed = copied_after(2, folder, monkeypatch)
    assert cli("reproduce toy --full --jobs 1 --out", folder) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["toy.csv", "toy.json"]
    assert not older or (killed / "toy.json").read_text() == "older"
    begun = interrupted_after(99, monkeypatch)
    assert cli("reproduce toy --full --jobs 1 --out", killed) == 0 and len(begun) == 1
    whole, resumed = (Results.from_json((place / "toy.json").read_text("utf-8")) for place in (folder, killed))
    assert resumed.complete and resumed.digest == whole.digest
    assert sorted(path.name for path in killed.iterdir()) == ["toy.csv", "toy.json"]
    for one, other in zip(whole.records, resumed.records, strict=True):
        assert one.key == other.key
        np.testing.assert_equal(one.numbers, other.numbers)


def test_all_studies_run_one_after_the_other_and_those_that_are_complete_are_left(tmp_path, monkeypatch, capsys):
    studies_of_toys = {name: replace(TOY, name=name, quick_seconds=30.0) for name in ("one", "two")}
    monkeypatch.setattr(command, "STUDIES", studies_of_toys)
    monkeypatch.setattr(command, "study_named", studies_of_toys.__getitem__)
    begun = interrupted_after(4, monkeypatch)
    assert cli("reproduce all --repetitions 3 --jobs 1 --out", tmp_path) == 130 and len(begun) == 4
    told = capsys.readouterr().err
    assert "2 experiments: 6 runs" in told and "two, 3 runs" in told and "1 of 3 done are kept" in told
    begun = interrupted_after(99, monkeypatch)
    assert cli("reproduce all --repetitions 3 --jobs 1 --out", tmp_path) == 0 and len(begun) == 2
    for name in studies_of_toys:
        results = Results.from_json((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
        assert results.complete and len(results.records) == 3
        assert results.command == f"dpviz reproduce {name} --quick --repetitions 3"
    kept = tmp_path / "one.json"  # it may hold runs of a table that is not given this time
    kept.write_text(kept.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    told, before = capsys.readouterr().err, kept.read_bytes()
    assert cli("reproduce all --repetitions 3 --jobs 1 --out", tmp_path) == 0 and len(begun) == 2
    assert kept.read_bytes() == before and "one is complete in" in capsys.readouterr().err
    assert cli("reproduce all --jobs 1 --data pima=x.csv") == 1
    assert "no study needs it" in capsys.readouterr().err


def test_what_was_complete_before_does_not_keep_an_interrupted_study_from_going_on(toy, tmp_path, monkeypatch):
    arguments = ("reproduce toy --full --jobs 1 --out", tmp_path)
    assert cli(*arguments) == 0
    os.utime(tmp_path / "toy.json", (1.0, 1.0))
    interrupted_after(1, monkeypatch)
    assert cli(*arguments) == 130
    begun = interrupted_after(99, monkeypatch)
    assert cli(*arguments) == 0 and len(begun) == 2


@pytest.mark.parametrize("other", [{"versions": {"python": "2.7"}}, {"digest": "of another study"}])
def test_what_others_found_is_not_gone_on_from(toy, tmp_path, monkeypatch, other):
    arguments = ("reproduce toy --full --jobs 1 --out", tmp_path)
    interrupted_after(1, monkeypatch)
    assert cli(*arguments) == 130
    kept = Results.from_json((tmp_path / "toy.json").read_text(encoding="utf-8"))
    (tmp_path / "toy.json").write_text(replace(kept, **other).to_json(), encoding="utf-8")
    begun = interrupted_after(99, monkeypatch)
    assert cli(*arguments) == 0 and len(begun) == 3


def test_an_edited_page_leaves_what_was_run_valid_and_an_edited_engine_does_not(tmp_path, monkeypatch):
    def version(name, **edited):
        for file in ("ui", "engine", "analysis"):
            (tmp_path / name / file).mkdir(parents=True)
            (tmp_path / name / file / "page.py").write_text(edited.get(file, "x = 1"), encoding="utf-8")
        monkeypatch.setattr(studies.results, "PACKAGE", tmp_path / name)
        return studies.results._sources.__wrapped__()

    before = version("before")
    assert version("other page", ui="x = 2") == before
    assert len({before, version("other engine", engine="x = 2"), version("other study", analysis="x = 2")}) == 3


def test_ctrl_c_ends_the_command_and_its_workers(tmp_path):
    arguments = "reproduce raykov2014-mixtures --full --progress --jobs 1"
    with started(arguments, "--out", tmp_path) as process:
        _, err = interrupted(process, "of 800")
    assert process.returncode == 130 and "Traceback" not in err
    kept = Results.from_json((tmp_path / "raykov2014-mixtures.json").read_text(encoding="utf-8"))
    assert 0 < len(kept.records) < 800 and not kept.complete
