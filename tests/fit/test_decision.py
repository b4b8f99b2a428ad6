"""One place decides what is clustered of a table: the app, the command line and the estimators agree to the digit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import cli

import dpviz
from dpviz import MAPDP
from dpviz.analysis.table_units import TableUnits
from dpviz.datasets import scale
from dpviz.datasets.catalog import data_folder
from dpviz.datasets.preparation import scaled_columns
from dpviz.datasets.tables import decide, read_table, read_text
from dpviz.datasets.tables.other_kinds import other_kinds
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidParameterError
from dpviz.ui.data import columns
from dpviz.ui.data.columns import LoadedTable, converted, describe_columns

N = 60


def proposed(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(proposal.line for proposal in decide(frame).proposals)


def _groups(rng: np.random.Generator) -> np.ndarray:
    return np.repeat([0.0, 6.0, 12.0], N // 3)[:, None] + rng.normal(size=(N, 3))


def _genes() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(_groups(rng).round(3), columns=["g1", "g2", "g3"])
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    frame.insert(0, "sample", [f"S{row:03d}" for row in range(N)])
    return frame.assign(tissue=["lung"] * 20 + ["liver"] * 20 + ["heart"] * 20)


def _visits() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    findings = (rng.random((N, 4)) < np.repeat([[0.1], [0.9]], N // 2, axis=0)).astype(int)
    return pd.DataFrame({"patient_id": np.repeat(np.arange(20) + 100_000, 3)}).join(
        pd.DataFrame(findings, columns=["fever", "cough", "rash", "icd"])
    )


def _survey() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    items = pd.DataFrame(rng.integers(1, 6, (N, 4)), columns=["N1", "N2", "A1", "A2"])
    items["N2"] = items["N2"].where(np.arange(N) % 9 > 0)
    return items.assign(plz=rng.integers(10_000, 99_999, N), mood=["good", "fair", "bad"] * 20, end=1.5)


def _one_sparse_column() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(_groups(rng).round(3), columns=["a", "b", "c"])
    return frame.assign(b=frame["b"].mask(np.arange(N) % 2 == 1))


def _counts() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame(rng.poisson([2, 9, 30], (N, 3)), columns=["n_visits", "calls", "n"])


def _one_column() -> pd.DataFrame:
    return pd.DataFrame({"v": _groups(np.random.default_rng(6))[:, 0].round(3)})


TABLES = {
    "genes": _genes,
    "visits": _visits,
    "survey": _survey,
    "sparse": _one_sparse_column,
    "counts": _counts,
    "one column": _one_column,
}
SHIPPED = ["iris", "old_faithful"]


def content(name: str) -> bytes:
    """A table as a file: made here, or shipped."""
    if name in SHIPPED:
        return (data_folder() / f"{name}.csv").read_bytes()
    return TABLES[name]().to_csv(index=False).encode()


@pytest.mark.parametrize("name", [*TABLES, *SHIPPED])
def test_the_three_doors_agree(name, tmp_path, capsys):
    file, out = tmp_path / "table.csv", tmp_path / "run.json"
    file.write_bytes(content(name))
    table = read_table(file.read_bytes(), file.name)
    loaded = LoadedTable.of(table)
    page = converted(loaded, loaded.columns.copy(), gaps=True)
    decision = page.decision
    assert decision == decide(table.frame)
    divided = decision.scaling != "none" and "transform" in page.begun
    assert divided == (name == "iris")
    X = scale(page.dataset.X, "spread" if divided else decision.scaling).X

    assert cli("run", file, "--n-init 1 --effort 0 --seed 3 --out", out) == 0
    said = [line.removeprefix("dpviz: ") for line in capsys.readouterr().err.splitlines()]
    assert said[: len(page.lines())] == list(page.lines())
    by_command = dpviz.Trace.from_json(out.read_text())

    kinds = page.dataset.kinds if decision.scaling == "none" else ("continuous",) * X.shape[1]
    config = dpviz.RunConfig(seed=3, n_init=1, effort=0, partition="auto").with_kinds(kinds)
    by_page = dpviz.run(X, replace(config, **page.begun))

    model = MAPDP(n_init=1, effort=0, random_state=3, kinds=by_command.config.kinds)
    columns = [column for column, _ in decision.features]
    if decision.scaling == "none":
        model.fit(table.frame[columns])
    else:
        model.fit(pd.DataFrame(X, columns=columns))
    assert page.dataset.feature_names == tuple(columns)
    of_numbers = by_command.in_units(0.0).nll[-1]
    assert by_page.nll[-1] == model.trace_.nll[-1] == pytest.approx(of_numbers, rel=1e-12)
    made = scaled_columns(page.dataset, "spread" if divided else decision.scaling)
    of_page = TableUnits(made.X, made.preparation).trace(by_page)  # what the library says of the table as it is
    of_table = partition_nll(Problem.check(page.dataset.X, by_page.config), [by_page.result_labels])[0]
    assert of_page.nll[-1] == by_command.nll[-1] == pytest.approx(of_table, rel=1e-9)
    np.testing.assert_array_equal(by_page.result_labels, by_command.result_labels)
    assert by_page.config.kinds == by_command.config.kinds == model.trace_.config.kinds
    assert by_page.config.transform == by_command.config.transform == model.trace_.config.transform
    assert by_page.config.partition == by_command.config.partition == model.trace_.config.partition


def test_rows_with_gaps_are_kept_unless_they_are_to_be_dropped():
    frame = _genes()
    kept, dropped = decide(frame), decide(frame, gaps=False)
    assert (kept.gaps, kept.has_gaps, kept.label, kept.identifiers) == (True, True, "tissue", ("sample",))
    assert any("are kept, since MAP-DP and Gibbs" in line for line in kept.lines())
    assert "Rows with missing cells are left out." in dropped.lines()
    sparse = _one_sparse_column()
    assert [name for name, _ in decide(sparse).features] == ["a", "b", "c"]
    assert [name for name, _ in decide(sparse, gaps=False).features] == ["a", "c"]
    whole = decide(_counts())
    assert not whole.has_gaps and not any("missing" in line for line in whole.lines())


def test_only_several_measured_columns_are_scaled():
    assert decide(_genes()).scaling == "standardise"
    assert [decide(make()).scaling for make in (_visits, _survey, _counts, _one_column)] == ["none"] * 4


@pytest.mark.parametrize("options", ["--missing drop", "--algorithm kmeans --n-clusters 3"])
def test_the_command_drops_rows_if_asked_to_or_if_the_algorithm_needs_complete_ones(options, tmp_path, capsys):
    file, out = tmp_path / "table.csv", tmp_path / "labels.csv"
    file.write_bytes(content("genes"))
    assert cli("run", file, options, "--n-init 1 --out", out) == 0
    complete = np.flatnonzero(_genes()[["g1", "g2", "g3"]].notna().all(axis=1))
    assert np.flatnonzero(pd.read_csv(out)["cluster"].notna()).tolist() == complete.tolist()
    assert "Rows with missing cells are left out." in capsys.readouterr().err


def test_runs_from_before_files_were_scaled_and_kept_whole_still_predict(tmp_path, capsys):
    file, stored, new = tmp_path / "table.csv", tmp_path / "run.json", tmp_path / "new.csv"
    file.write_bytes(content("genes"))
    new.write_text("g1,g2,g3\n6,6,6\n")
    older = ["--scaling", "none", "--missing", "drop"]
    for options in (older, []):
        assert cli("run", file, options, "--n-init 1 --effort 0 --out", stored) == 0
        assert cli("predict", stored, new, "--data", file) == 0
        assert capsys.readouterr().out.startswith("g1,g2,g3,cluster")


def test_columns_of_equal_values_are_named():
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0, 8.5, 9.0], "b": [3.5, 1.5, 2.5, 0.5, 7.5]})
    twice = frame.assign(c=frame["a"], d=2 * frame["b"], e=[7.0] * 5, f=[7.0] * 5)
    said = (
        "“a”, “c” hold the same values, which so may count more than once; leave all but one out unless that is meant."
    )
    assert decide(twice).repeated == (("a", "c"),) and said in decide(twice).lines()
    assert said in MAPDP(effort=0.0, n_init=1, random_state=0).fit(twice).notes_
    counts = frame.assign(c=[3, 1, 2, 0, 0], d=[3.0, 1.0, 2.0, -0.0, 0.0], e=[3.0, 1.0, 2.0, 0.0, np.nan])
    typed = counts.assign(f=counts["c"].astype("Int8"), g=counts["e"].astype("Int64"))  # as Parquet files have them
    assert decide(typed).repeated == (("c", "d", "f"), ("e", "g"))
    assert not decide(frame).repeated and not decide(twice, features=["a", "b", "d"]).repeated


def test_edits_and_gaps_are_independent():
    loaded = LoadedTable.of(read_table(content("sparse"), "sparse.csv"))
    assert loaded.guessed(True)["Cluster"].tolist() == [True, True, True]
    assert loaded.guessed(False)["Cluster"].tolist() == [True, False, True]
    dropped = converted(loaded, loaded.guessed(False).copy(), gaps=False)
    assert dropped.dataset.feature_names == ("a", "c") and dropped.dataset.n_points == N
    asked = loaded.guessed(False).assign(Cluster=True)
    assert converted(loaded, asked, gaps=False).dataset.n_points == N // 2


def test_columns_are_looked_at_once_and_listed_as_they_are_decided_without_gaps(monkeypatch):
    table = read_table(content("sparse"), "sparse.csv")
    listed = describe_columns(table, decide(table.frame, gaps=False))
    seen = []
    monkeypatch.setattr(
        columns, "other_kinds", lambda column, kind: seen.append(column.name) or other_kinds(column, kind)
    )
    pd.testing.assert_frame_equal(LoadedTable.of(table).guessed(False), listed)
    assert seen == list(table.frame.columns)


def test_codes_for_missing_cells_and_copied_rows_are_proposed_and_left_alone():
    rng = np.random.default_rng(9)
    clean = pd.DataFrame(
        {"age": rng.integers(18, 80, N) + 0.5, "high": rng.integers(0, 100, N), "x": rng.normal(size=N)}
    )
    assert decide(clean).proposals == ()
    coded = clean.assign(age=clean["age"].where(np.arange(N) % 10 > 0, -999.0), high=[99, 98, 97, 95] * 15)
    assert proposed(coded) == (
        "Proposed: 6 cells of “age” are -999, far from all others; if that stands for a missing value, empty these "
        "cells.",
    )
    both = clean.assign(x=np.where(np.arange(N) % 20 == 0, 9999, np.where(np.arange(N) % 20 == 1, -9, clean["x"])))
    assert [line.split(",")[0] for line in proposed(both)] == [
        "Proposed: 3 cells of “x” are 9999",
        "Proposed: 3 cells of “x” are -9",
    ]
    copied = pd.concat([clean, clean.head(3)], ignore_index=True)
    assert proposed(copied) == (
        "Proposed: 3 rows repeat an earlier one in every column; if these are copies, delete them.",
    )
    assert proposed(copied)[0] in decide(copied).lines()
    answers = pd.DataFrame(rng.integers(0, 2, (N, 3)), columns=["a", "b", "c"])
    assert answers.duplicated().any() and decide(answers).proposals == ()


def test_accepted_proposals_are_made_by_every_reader_and_told():
    rng = np.random.default_rng(10)
    frame = pd.DataFrame({"age": rng.integers(18, 80, N) + 0.5, "x": rng.normal(size=N)})
    frame.loc[::10, "age"] = -999.0
    text = pd.concat([frame, frame.head(3)]).to_csv(index=False)
    changes = [proposal.change for proposal in decide(read_table(text.encode(), "t.csv").frame).proposals]
    assert changes == [("age", -999.0), ("", None)]
    for table in (
        read_table(text.encode(), "t.csv", accepted=changes),
        read_text(text, accepted=changes),
    ):
        assert decide(table.frame).proposals == ()
        pd.testing.assert_frame_equal(table.frame, frame.mask(frame == -999.0))
        assert table.notes[-2:] == (
            "As accepted, 7 cells of “age” with -999 emptied.",
            "As accepted, 3 copied rows deleted; the others are renumbered.",
        )
    for wrong in ([("nothing", 1.0)], [("age", None)]):
        with pytest.raises(InvalidParameterError, match="accepted"):
            read_text(text, accepted=wrong)
