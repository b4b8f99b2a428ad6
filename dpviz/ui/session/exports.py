"""Exports: rows with labels, the run as JSON, a snippet that reproduces it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.labelled_table import membership
from dpviz.analysis.own_table import beside, free_name, own_table, why_left_out, with_dates
from dpviz.analysis.stored_choice import with_undecided
from dpviz.analysis.stored_merge import with_merge
from dpviz.analysis.stored_names import ShownAs
from dpviz.analysis.stored_notes import with_notes
from dpviz.analysis.stored_reading import Reading, choices_of
from dpviz.arrays import IntArray, evenly_spaced
from dpviz.config import RunConfig, is_own
from dpviz.datasets import Dataset
from dpviz.datasets.indicators import CODINGS
from dpviz.datasets.scenario import MISSING
from dpviz.datasets.tables import export_csv
from dpviz.datasets.tables.export import export_parts
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families import family_class
from dpviz.text import counted
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.jobs import Finished

MOST_LABEL_COLUMNS = 1_000
CELLS_AT_ONCE = 500_000
"""Cells of a table that are written at a time."""
_NEXT, _AT_WORK = threading.Lock(), threading.Lock()
"""Held by who writes a part of a large table, and by who does so next: one who writes many lets others in between."""


def labelled_rows(finished: Finished, sweep: int) -> pd.DataFrame:
    """Return all of the user's original rows with their clusters.

    Parameters
    ----------
    finished : Finished
    sweep : int
        Sweep of the column ``cluster``: the numbers the player shows; names given to clusters stand beside them, and
        where clusters are joined the numbers of those that were found.

    Returns
    -------
    pandas.DataFrame
        Of the result ``probability``, too, of the cluster that is shown, as
        :func:`dpviz.analysis.labelled_table.membership` has it. Rows that were not clustered (missing cells) have an
        empty label, and a ``note`` says why.
    """
    dataset, trace = finished.prepared.dataset, finished.trace
    frame, rows = own_table(dataset)
    columns: dict[str, np.ndarray] = {"cluster": _numbers(finished, sweep)}
    joined = finished.scale if finished.is_joined(sweep) else None
    if joined is not None:
        columns["cluster_found"] = _numbers(replace(finished, scale=None), sweep)
    if finished.names:
        named = [finished.names.get(int(number), f"cluster {number}") for number in columns["cluster"]]
        columns["cluster_name"] = np.array(named, dtype=object)
    if sweep == trace.result_sweep:
        found = membership(finished.prepared.X, trace, None if joined is None else joined.labels)
        columns |= {} if found is None else {"probability": found}
    full, notes = beside(with_dates(frame, dataset.units), rows, columns), why_left_out(dataset)
    return full.assign(**{free_name("note", full): notes}) if len(notes) else full


def labelled_csv(finished: Finished, sweep: int, every_sweep: bool = False) -> bytes:
    """Return :func:`labelled_rows` as CSV, with formulas made inert.

    With ``every_sweep`` there is a column per recorded sweep, too (at most 1,000 of them, evenly chosen). All cells at
    once take many times what they take as text: so some rows are made at a time, and where several ask, in turn.
    """
    table = labelled_rows(finished, sweep)
    if not every_sweep:
        return export_csv(table)
    sweeps = finished.trace.label_sweeps[finished.shown_rows]
    chosen: list[int] = sweeps[evenly_spaced(len(sweeps), MOST_LABEL_COLUMNS)].tolist()
    names = [free_name(f"sweep_{number}", table) for number in chosen]
    with closing(_in_turn(_parts(finished, table, chosen))) as parts:
        return export_parts(parts, names)


Part = tuple[pd.DataFrame, IntArray]


def _parts(finished: Finished, table: pd.DataFrame, sweeps: Sequence[int]) -> Iterator[Part]:
    """Yield some rows of a table at a time, with the numbers (n, S) of their clusters in sweeps; −1 without one."""
    rows = own_table(finished.prepared.dataset)[1]
    place = np.full(len(table), -1)
    place[rows] = np.arange(len(rows))
    found = [(finished.trace.labels[finished.trace.row(sweep)], _number_of_each(finished, sweep)) for sweep in sweeps]
    length = max(CELLS_AT_ONCE // len(sweeps), 1)
    for start in range(0, len(table), length):
        own = place[start : start + length]
        numbers = np.stack([number_of[labels[own]] for labels, number_of in found], axis=1)
        numbers[own < 0] = -1
        yield table.iloc[start : start + length], numbers


def _in_turn(parts: Iterator[Part]) -> Generator[Part, None, None]:
    """Yield parts that are made and used while nobody else's are; after each one comes another who waits."""
    while True:
        with _NEXT:
            _AT_WORK.acquire()
        try:
            part = next(parts, None)
            if part is None:
                return
            yield part
        finally:
            _AT_WORK.release()


def csv_button(label: str, table: Callable[[], pd.DataFrame], file_name: str, key: str) -> None:
    """Offer a table as CSV; it is made on request."""
    st.download_button(
        label,
        lambda: export_csv(table()),
        file_name=file_name,
        mime="text/csv",
        icon=":material/download:",
        key=key,
        on_click="ignore",
    )


def _numbers(finished: Finished, sweep: int) -> np.ndarray:
    """Cluster numbers (N,) of a shown sweep as in the player."""
    return _number_of_each(finished, sweep)[finished.trace.labels_at(sweep)]


def _number_of_each(finished: Finished, sweep: int) -> IntArray:
    """Return the number that the player shows for each label of a sweep; 0 for those that no point has."""
    counts = np.bincount(finished.trace.labels_at(sweep))
    return np.array([finished.number(k, sweep) if count else 0 for k, count in enumerate(counts)])


def _imports(config: RunConfig) -> list[str]:
    """Import what registers an algorithm, a family or a prior from outside."""
    used: list[type] = [type(ALGORITHMS[config.algorithm])]
    if config.uses_model:
        used += [family_class(config.family), type(config.partition)]
    return sorted({f"import {owner.__module__}" for owner in used if not is_own(owner)})


def _run(prepared: PreparedData, config: RunConfig) -> tuple[str, ...]:
    """Return the lines that run a configuration, with the costs that the page shows, and print the result's."""
    nats = prepared.units.scaling_nats(config)
    in_units = f".in_units({nats!r})  # costs in units of the table's columns" if nats else ""
    return f"trace = dpviz.run(X, config){in_units}", "print(trace.to_frame().tail(1))"


PASTED, TAKEN = "pasted.txt", "dpviz-labels.csv"
"""Files with a pasted text, and with the rows of data that came from no file."""
_DOWNLOADED = (("filename", TAKEN), ("separator", ","), ("decimal", "."), ("header", True))


def _own_table(dataset: Dataset, whole: bool) -> list[str]:
    """Return code that reads the user's own table as the Data page did: every column with its kind, words as codes.

    It makes ``X``, or the ``whole`` data set.
    """
    from_file = dataset.frame is not None and bool(dataset.reading)
    # Without a table of their own, data are the numbers that they are clustered by.
    kinds = dataset.kinds if dataset.frame is not None else ["continuous"] * dataset.n_features
    return [
        "from pathlib import Path",
        *_read_again(dict(dataset.reading if from_file else _DOWNLOADED)),
        "kinds = {",
        *(f"    {name!r}: {kind!r}," for name, kind in zip(dataset.feature_names, kinds, strict=True)),
        "}",
        f"{'data' if whole else 'X'} = to_dataset(table, features=list(kinds), kinds=kinds, "
        f"gaps={bool(dataset.incomplete.any())}){'' if whole else '.X'}",
    ]


def _read_again(options: dict[str, Any]) -> list[str]:
    """Return the lines that read a file with given arguments; pasted text has no name of a file."""
    filename = options.pop("filename", None)
    reader, content = ("read_table", "file.read_bytes(), file.name")
    if filename is None:
        reader, content = "read_text", "file.read_text('utf-8')"
    remarks = {None: ["# the pasted text, kept in a file"], TAKEN: ["# “Rows with labels” of the Explore page"]}
    named = "".join(f", {name}={value!r}" for name, value in options.items())
    return [
        f"from dpviz.datasets.tables import {reader}, to_dataset",
        "",
        *remarks.get(filename, []),
        f"file = Path({filename or PASTED!r})",
        f"table = {reader}({content}{named})",
    ]


def snippet(prepared: PreparedData, config: RunConfig, end: Sequence[str] | None = None) -> str:
    """Return Python code that reproduces the run, or ends with other lines, which use ``X`` and ``config``."""
    choice = prepared.choice
    lines = ["import dpviz", *_imports(config), ""]
    options = "".join(f", {name}={value!r}" for name, value in choice.options)
    incomplete, coded = bool(prepared.dataset.incomplete.any()), choice.mixed in CODINGS
    if choice.source == "synthetic":
        lines.append(f"X = dpviz.datasets.synthesize({choice.name!r}{options}).X")
    elif choice.source == "bundled":
        options += ", gaps=True" if incomplete else ""
        lines.append(f"X = dpviz.datasets.load({choice.name!r}{options}).X")
    else:
        lines += _own_table(prepared.dataset, coded)
    if coded and incomplete:
        filled = f"X=dpviz.datasets.fill(data.X, {prepared.dataset.kinds!r}), gaps=False"
        lines += ["from dataclasses import replace", f"data = replace(data, {filled})"]
    elif incomplete and not prepared.clustered.incomplete.any():
        lines.append(f"X = dpviz.datasets.fill(X, {prepared.dataset.kinds!r})")
    elif choice.source == "synthetic" and dict(choice.options).get(MISSING) and not incomplete:
        lines += ["import numpy as np", "X = X[~np.isnan(X).any(axis=1)]"]
    if coded:
        lines.append(f"X = dpviz.datasets.one_hot(data, {choice.mixed!r}).X")
    elif choice.way != "none":
        lines.append(f"X = dpviz.datasets.scale(X, {choice.way!r}).X")
    if choice.n_components:
        n_components = prepared.clustered.n_features
        lines.append(f"X = dpviz.datasets.pca(X, {n_components}, whiten={choice.whiten}).scores")
    arguments = []
    for name, value in config.to_dict().items():
        if name == "version":
            continue
        if name == "partition":
            value = config.partition
            arguments.append(f"partition={'dpviz' if is_own(type(value)) else type(value).__module__}.{value!r}")
        else:
            arguments.append(f"{name}={value!r}")
    lines += ["config = dpviz.RunConfig(", *[f"    {argument}," for argument in arguments], ")"]
    lines += _run(prepared, config) if end is None else end
    return "\n".join(lines) + "\n"


def run_json(finished: Finished) -> str:
    """Return the run as JSON: also what clusters are joined to and called, how an own file was read, and notes."""
    sweep, scale = finished.trace.result_sweep, finished.scale
    numbers = {int(label): finished.number(int(label), sweep) for label in np.unique(finished.trace.result_labels)}
    text = with_undecided(with_notes(finished.trace.to_json(), finished.notes), finished.undecided)
    text = ShownAs(numbers, finished.names).added_to(text)
    text = text if scale is None else with_merge(text, scale.tree, scale.n_clusters)
    choice, data = finished.choice, finished.prepared.dataset
    if choice.source != "session" or choice.n_components or choice.fill:
        return text
    gaps, asked = finished.prepared.clustered.gaps, dict(data.reading)
    repair, choices = bool(asked.get("repair")), choices_of(asked)
    return Reading(data.feature_names, data.kinds, None, gaps, choice.way, repair, choices).added_to(text)


def code_of(finished: Finished) -> str:
    """Return :func:`snippet` of a run, and say in it if the run was stopped before its end."""
    scale = finished.scale
    end = (
        ()
        if scale is None
        else (
            "from dpviz.analysis.merging import tree",
            f"labels = tree(X, trace, {scale.tree.order!r}).labels({scale.n_clusters})",
        )
    )
    code = snippet(finished.prepared, finished.config, (*_run(finished.prepared, finished.config), *end))
    if not finished.stopped:
        return code
    done = counted(finished.trace.n_sweeps, "sweep")
    return f"# The whole run; the one that was shown was stopped early, and had {done}.\n{code}"
