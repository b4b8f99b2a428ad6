"""Every code that a page offers, for every kind of table, run in a new process: the same labels and nll to the bit."""

from __future__ import annotations

import html
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from command_line import cli, typed

import dpviz
from dpviz import RunConfig
from dpviz.analysis.grids import Axis, Grid, latest_cells, run_grid
from dpviz.cli.reading_options import as_options
from dpviz.datasets.tables import export_csv
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.ui.data import upload
from dpviz.ui.data.columns import dataset_from
from dpviz.ui.data.upload import Upload
from dpviz.ui.draw import Drawing
from dpviz.ui.posterior import agreement, sampling
from dpviz.ui.posterior.findings import Pooled
from dpviz.ui.posterior.settings import Setup
from dpviz.ui.session import drawn, exports
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, keep_session_dataset, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.tune import report
from dpviz.ui.tune.report import Section

ROOT = Path(__file__).parents[2]
RUNNER = """
import contextlib, io, json, os, sys
told = []
for place, code in json.load(open(sys.argv[1])):
    os.chdir(place)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "exported", "exec"), names)
    trace, draws = names.get("trace"), names.get("draws")
    told.append([] if trace is None else [trace.labels.tolist(), trace.nll.tolist(), trace.objective.tolist()])
    told[-1] += [] if draws is None else [names["posterior"].as_draws(draws).labels.tolist()]
    told[-1] += [names["X"].tolist()]
json.dump(told, open(sys.argv[2], "w"))
"""
N = 40
GROUP = np.arange(N) % 2


def words() -> pd.DataFrame:
    """Persons, with words, a number of the row, and a label."""
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "id": np.arange(N) + 100,
            "age": np.round(rng.normal(40 + 20 * GROUP, 3)),
            "sex": np.where(rng.random(N) < 0.5, "female", "male"),
            "ward": np.array(["north", "south", "=east", "o'west"])[rng.integers(0, 4, N)],
            "weight": np.round(rng.normal(60 + 9 * GROUP, 2), 2),
            "group": np.where(GROUP == 1, "ill", "well"),
        }
    )


def with_gaps(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    frame = frame.astype(dict.fromkeys(columns, object))
    for place, column in enumerate(columns):
        frame.loc[place::7, column] = None
    return frame


def numeric() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    return pd.DataFrame(rng.normal(4.0 * GROUP[:, None], 1.0, (N, 3)) / 7, columns=["a b", "x\"y'\\z", "=c"])


def excel() -> bytes:
    stream = io.BytesIO()
    with pd.ExcelWriter(stream) as writer:
        pd.DataFrame({"remark": ["not this"]}).to_excel(writer, sheet_name="notes", index=False)
        words().to_excel(writer, sheet_name="data", index=False)
    return stream.getvalue()


def written(frame: pd.DataFrame, **options: Any) -> bytes:
    return frame.to_csv(index=False, **options).encode()


@dataclass(frozen=True)
class Own:
    """A user's table: the file or text, how the Data page was asked to read it, and what was changed there."""

    content: Callable[[], bytes | str]
    name: str = "my table.csv"
    asked: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    gaps: bool = False
    changes: dict[str, Any] = field(default_factory=dict)
    """Of the choice."""


TABLES: dict[str, Own] = {
    "numeric": Own(lambda: written(numeric())),
    "standardised": Own(lambda: written(numeric()), changes={"scaling": "standardise"}),
    "components": Own(lambda: written(numeric()), changes={"scaling": "robust", "n_components": 2, "whiten": True}),
    "words": Own(lambda: export_csv(words())),
    "numbers with gaps, dropped": Own(lambda: written(with_gaps(numeric(), ["a b"]))),
    "numbers with gaps, kept": Own(lambda: written(with_gaps(numeric(), ["a b"])), gaps=True),
    "words with gaps, kept": Own(lambda: written(with_gaps(words(), ["sex", "weight"])), gaps=True),
    "words with gaps, dropped": Own(lambda: written(with_gaps(words(), ["sex", "weight"]))),
    "words with gaps, filled": Own(
        lambda: written(with_gaps(words(), ["sex", "weight"])), gaps=True, changes={"gaps": False, "fill": True}
    ),
    "gaps kept at first, then dropped": Own(
        lambda: written(with_gaps(words(), ["sex"])), gaps=True, changes={"gaps": False}
    ),
    "kinds by hand": Own(lambda: written(words()), kinds={"age": "categorical", "sex": "categorical", "id": "count"}),
    "decimal commas": Own(lambda: written(numeric(), sep=";", decimal=",")),
    "read differently": Own(
        lambda: written(numeric(), sep="|", header=False), asked={"separator": "|", "header": False}
    ),
    "a sheet of a workbook": Own(excel, name="book.xlsx", asked={"sheet": "data"}),
    "pasted": Own(lambda: written(words(), sep="\t").decode(), name=""),
    "proposals accepted": Own(
        lambda: written(pd.concat([numeric(), numeric().head(3)]).assign(code=[-99, *range(N - 1), -99, 0, 1])),
        asked={"accepted": (("code", -99.0), ("", None))},
        gaps=True,
    ),
    "units and dates": Own(
        lambda: written(
            numeric().assign(
                day=[f"{1 + row % 28}.02.2024" for row in range(N)], price=[f"{row}.5 €" for row in range(N)]
            )
        )
    ),
    "repaired": Own(lambda: b"A title\n\n" + written(words()).replace(b"male\n", b"male,\n") + b"Source: me\n"),
}
OTHERS: dict[str, DataChoice] = {
    "scenario": DataChoice("synthetic", "elliptical_overlap", scaling="standardise").with_options(n=40, seed=3),
    "scenario with gaps": replace(DataChoice("synthetic", "mixed_table").with_options(n=40, missing=0.2), gaps=True),
    "scenario, gaps dropped": DataChoice("synthetic", "mixed_table").with_options(n=60, missing=0.1),
    "bundled with gaps": DataChoice("bundled", "house_votes_84", gaps=True),
    "bundled, gaps filled": DataChoice("bundled", "heart_cleveland", fill=True, scaling="standardise"),
}


@pytest.fixture(scope="module", autouse=True)
def _fresh_session():
    """Outside of a script run the session state is one for the whole process."""
    st.session_state.clear()
    yield
    st.session_state.clear()


def uploaded(own: Own) -> DataChoice:
    """What the Data page makes of a table."""
    loaded = upload._load(Upload.of(own.name, own.content()), own.asked)
    columns = loaded.guessed(own.gaps).copy()
    for column, kind in own.kinds.items():
        columns.loc[columns["Column"] == column, ["Kind", "Cluster"]] = [kind, True]
    choice = keep_session_dataset(dataset_from(loaded, columns, own.gaps))
    return replace(choice, **{"gaps": own.gaps, **own.changes})


def drawing() -> DataChoice:
    points = np.random.default_rng(7).normal(3.0 * GROUP[:, None], 1.0, (N, 2))
    return drawn.take(Drawing(points, GROUP.astype(np.int64)), labelled=True)


def model(prepared: PreparedData, algorithm: str = "mapdp", **options: Any) -> RunConfig:
    """A short run; the family follows from the columns."""
    config = RunConfig(algorithm, seed=2, **options).with_kinds(prepared.clustered.kinds)
    if not ALGORITHMS[algorithm].uses_model:
        return config
    kinds = set(prepared.clustered.kinds) - {"continuous"}
    return replace(
        config, family="mixed" if kinds or prepared.clustered.incomplete.any() else "normal_gamma", prior=None
    )


def runs_of(prepared: PreparedData) -> Iterator[RunConfig]:
    """Configurations that Explore may show of these data."""
    yield model(prepared, init="single", n_init=1)
    yield model(prepared, init="single", n_init=1, first_sweep="all_points")
    if not prepared.clustered.incomplete.any():
        yield model(prepared, "kmeans", n_clusters=2, n_init=2)
    yield model(prepared, "gibbs", n_sweeps=6, burn_in=2)


@dataclass(frozen=True)
class Exported:
    """A code, the files it needs, and what it has to find."""

    code: str
    files: dict[str, bytes]
    expected: list[Any]


def files_of(prepared: PreparedData, own: Own | None, finished: Finished) -> dict[str, bytes]:
    """What a user has on disk who runs the code."""
    if own is not None:
        content = own.content()
        return {own.name or exports.PASTED: content.encode() if isinstance(content, str) else content}
    return {exports.TAKEN: exports.labelled_csv(finished, 0)} if prepared.choice.source == "session" else {}


def explored(prepared: PreparedData, own: Own | None) -> Iterator[Exported]:
    for config in runs_of(prepared):
        trace = prepared.units.trace(dpviz.run(prepared.X, config))
        files = files_of(prepared, own, Finished(prepared.choice, config, prepared, trace))
        found = [trace.labels.tolist(), trace.nll.tolist(), trace.objective.tolist(), prepared.X.tolist()]
        yield Exported(exports.snippet(prepared, config), files, found)


def tuned(prepared: PreparedData, own: Own | None) -> Iterator[Exported]:
    """The code in Tune's report, of a cell that begins from its neighbour's partition if there is one."""
    base = model(prepared, init="single", n_init=1)
    grid = Grid(base, (Axis.logarithmic("concentration", 0.1, 30.0, 4),))
    cells = latest_cells(run_grid(prepared.X, grid, None, 1, share=True))
    cell = next((cell for cell in cells if cell.source is not None), cells[0])
    page = report.page([Section("Title", prepared, ["Finding"], [], cell.config)]).decode()
    code = page.rpartition("<pre>")[2].partition("</pre>")[0]
    for mark, letter in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&")):
        code = code.replace(mark, letter)
    trace = dpviz.run(prepared.X, cell.config)
    assert trace.nll[-1] == cell.nll
    trace = prepared.units.trace(trace)
    files = files_of(prepared, own, Finished(prepared.choice, cell.config, prepared, trace))
    found = [trace.labels.tolist(), trace.nll.tolist(), trace.objective.tolist(), prepared.X.tolist()]
    yield Exported(code, files, found)


def sampled(prepared: PreparedData, own: Own | None) -> Iterator[Exported]:
    """The code of the Posterior page, whose draws are those of the page."""
    setup = Setup(model(prepared, "gibbs", n_sweeps=20, burn_in=0), 2)
    task = sampling.Sampling(setup, prepared)
    for _ in task.steps():
        pass
    task.finish(stopped=False)
    assert task.result is not None
    draws = Pooled.of(task.result, 12).draws.labels
    files = files_of(prepared, own, Finished(prepared.choice, setup.config, prepared, task.result.traces[0]))
    code = agreement.code(prepared, task.result, 12)
    yield Exported(code, files, [draws.tolist(), prepared.X.tolist()])


@pytest.mark.parametrize(
    "name", ["decimal commas", "read differently", "a sheet of a workbook", "pasted", "proposals accepted", "repaired"]
)
def test_the_command_line_reads_the_table_of_a_page_s_run_as_the_page_did(name, tmp_path, capsys):
    own = TABLES[name]
    prepared = prepare(replace(uploaded(own), scaling="none"))
    trace = dpviz.run(prepared.X, model(prepared, init="single", n_init=1))
    made = Finished(prepared.choice, trace.config, prepared, trace)
    file, run, out = tmp_path / (own.name or exports.PASTED), str(tmp_path / "run.json"), tmp_path / "out.csv"
    file.write_bytes(files_of(prepared, own, made)[file.name])
    Path(run).write_text(exports.run_json(made))
    assert cli("report", [run], "--data", file, "--out", out) == 0
    assert pd.read_csv(out)["n"].sum() == trace.n_points
    asked = typed("--scaling none", ["--missing", "drop"] * (not own.gaps))  # who says one thing need not say all
    assert cli("report", [run], "--data", file, asked, "--out", out) == 0
    assert cli("predict", [run], file, "--data", file, "--out", out) == 0
    assert len(pd.read_csv(out)) == N + 3 * (name == "proposals accepted")  # new rows may repeat
    assert cli("report", [run], "--data", file, "--quick --out", tmp_path / "page.html") == 0
    chosen = ", ".join(f"{option}={value!r}" for option, value in own.asked.items())
    page = html.unescape((tmp_path / "page.html").read_text())
    assert all(option in page for option in as_options(own.asked.items()))
    assert ("# cells or rows of the table were changed as proposed" in page) == ("accepted" in own.asked)
    capsys.readouterr()
    file.with_suffix(".csv").write_bytes(written(numeric() + 1))
    assert cli("report", [run], "--data", file.with_suffix(".csv"), "--out", out) == 1
    assert (f"The run read its table with {chosen}." in capsys.readouterr().err) == bool(own.asked)


def everything() -> Iterator[tuple[str, Exported]]:
    for name in (*TABLES, "drawn", *OTHERS):  # a session holds only some tables at a time
        own = TABLES.get(name)
        choice = uploaded(own) if own is not None else drawing() if name == "drawn" else OTHERS[name]
        prepared = prepare(choice)
        for page in (explored, tuned, sampled):
            for exported in page(prepared, own):
                yield f"{name}, {page.__name__}", exported


def test_every_code_gives_the_run_that_the_page_shows(tmp_path, tables_read_here):
    names, wanted = zip(*everything(), strict=True)
    asked = []
    for number, exported in enumerate(wanted):
        place = tmp_path / str(number)
        place.mkdir()
        for name, content in exported.files.items():
            (place / name).write_bytes(content)
        asked.append((str(place), exported.code))
    given, found = tmp_path / "given.json", tmp_path / "found.json"
    given.write_text(json.dumps(asked))
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{RUNNER}", str(given), str(found)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    for name, exported, told in zip(names, wanted, json.loads(found.read_text()), strict=True):
        np.testing.assert_equal(told, json.loads(json.dumps(exported.expected)), err_msg=name)
    pages = ("explored", "tuned", "sampled")
    assert set(names) == {f"{table}, {page}" for table in (*TABLES, "drawn", *OTHERS) for page in pages}
