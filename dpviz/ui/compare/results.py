"""Results of the Compare page: scores, cluster sizes, and where two runs disagree."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis import effort
from dpviz.analysis.comparison import (
    AGREEMENTS,
    best_runs,
    contingency,
    label_scores,
    n_disagreeing,
    score_table,
    size_ranks,
)
from dpviz.analysis.reference_methods import Reference
from dpviz.arrays import IntArray
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError
from dpviz.figures import compare as figures
from dpviz.player import track_color
from dpviz.text import escape_markdown, in_words
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.session import state
from dpviz.ui.session.exports import csv_button
from dpviz.ui.stage.runs import Picture

KNOWN_GROUPS = "known groups"
COLUMNS = {
    "n_clusters": "K",
    "delta_k": "ΔK",
    "nmi": "NMI",
    "ami": "AMI",
    "ari": "ARI",
    "variation_of_information": "VI (bits)",
    "nll": "nll (nats)",
    "n_sweeps": "Sweeps to convergence",
    "seconds": "Seconds",
}
_CELL, _CELL_OF = "compare.cell", "compare cell of"


def choose_reference(picture: Picture) -> tuple[str, IntArray]:
    """Choose the reference of the scores: the known groups if there are any, else a panel."""
    known = picture.true_labels
    options = ([KNOWN_GROUPS] if known is not None else []) + [name for name, _ in picture.runs]
    name: str = widgets.select("Scored against", "compare.reference", options)
    return name, known if name == KNOWN_GROUPS and known is not None else picture.labels[name]


def scored(picture: Picture, reference: str, labels: IntArray, others: Sequence[Reference] = ()) -> pd.DataFrame:
    """Return the table of scores, computed once per picture and reference; a run is not scored against itself."""
    of = (picture, reference, tuple(others))
    return state.remade("compare scores", of, lambda: _scored(picture, reference, labels, others))


def _scored(picture: Picture, reference: str, labels: IntArray, others: Sequence[Reference]) -> pd.DataFrame:
    table = score_table(picture.whole.X, picture.traces, labels, picture.shared)
    for name, run in picture.runs:
        if run.scale is not None:
            own = label_scores(run.scale.labels[picture.shared[name]], labels)
            own["n_clusters"] = run.scale.n_clusters  # on all its rows
            own["nll"] = float(run.trace.nll[run.trace.result_sweep]) + run.scale.cost
            table.loc[name, list(own)] = list(own.values())
    for other in others:
        table.loc[other.name] = {**other.scores(labels), "nll_group": None}
    if len(np.unique(labels)) < 2:  # one cluster would agree completely, whatever it is worth
        table[list(AGREEMENTS)] = np.nan
    table["delta_k"] = table["n_clusters"] - _n_clusters_of(picture, reference)  # on all its rows, as K is
    if reference in table.index:
        table.loc[reference, list(AGREEMENTS)] = np.nan
    table["n_clusters"] = table["n_clusters"].astype(np.int64)
    return table


def _n_clusters_of(picture: Picture, reference: str) -> int:
    """Count the groups or clusters of the reference on all its rows."""
    known = picture.whole.dataset.labels
    labels = known if reference == KNOWN_GROUPS and known is not None else picture.all_labels[reference]
    return len(np.unique(labels))


def show_table(picture: Picture, table: pd.DataFrame, reference: str, others: Sequence[Reference] = ()) -> None:
    """Draw the table with the best of every column in bold and starred."""
    st.table(_in_words(picture, table, reference, others))
    starred = "" if reference == KNOWN_GROUPS else " Agreeing with another run is no merit, so agreements have none."
    st.caption(
        f"★ is the best of its column.{starred} ΔK is K minus that of the reference. "
        f"Seconds are those of the whole run, all starts; what each method got for them is under Effort. "
        f"{_about_nll(table)}"
    )
    if picture.leaving_rows_out:
        st.caption(_about_rows(picture))
    if about := _about_groups(picture, reference):
        st.caption(escape_markdown(about))
    for other in others:
        st.caption(escape_markdown(f"{other.name}: {other.settings}."))
    failed = [outcome for outcome in picture.outcomes if outcome.finished is None]
    for outcome in failed:
        st.caption(escape_markdown(f"{outcome.name} is missing here: {outcome.error}"))


def _about_rows(picture: Picture) -> str:
    """Say on which rows runs are compared, if some use fewer than others."""
    n_all, n_compared = len(picture.whole.X), len(picture.compared_rows)
    names = escape_markdown(in_words(picture.leaving_rows_out))
    return (
        f"Agreements, sizes and disagreements are those of the {n_compared:,} complete rows, which all runs have: "
        f"{names} left out the {n_all - n_compared:,} with missing cells. K, nll and seconds are those of each run's "
        "own rows."
    )


def _about_groups(picture: Picture, reference: str) -> str:
    """Say how many groups of the reference the compared rows have if some lack, and if one is too few to agree with."""
    known = picture.true_labels if reference == KNOWN_GROUPS else None
    labels = picture.labels[reference] if known is None else known
    n_here, n_all = len(np.unique(labels)), _n_clusters_of(picture, reference)
    if n_all < 2:
        return "The reference has one group, so that no agreement is told."
    have = f"The rows compared have {n_here:,} of the {n_all:,} groups of the reference"
    return "" if n_here == n_all else f"{have}." if n_here > 1 else f"{have}, so that no agreement is told."


def offer_table(picture: Picture, table: pd.DataFrame, others: Sequence[Reference] = ()) -> None:
    """Offer the table as CSV."""
    csv_button("Table (CSV)", lambda: exported(picture, table, others), "dpviz-comparison.csv", "compare.csv")


def _about_nll(table: pd.DataFrame) -> str:
    groups = table["nll_group"].dropna()
    if groups.empty:
        return "None of these methods has an nll."
    if groups.nunique() == 1:
        model = "The nll may be compared: same family, same prior of the clusters, same kind of partition prior"
    else:
        model = (
            "Compare nll only within a letter: same family, same prior of the clusters, same kind of partition prior"
        )
    without = [algorithm.title for algorithm in ALGORITHMS.values() if not algorithm.has_nll]
    none = "" if table["nll"].notna().all() else f" {in_words(without)} have none."
    return f"{model}, whose exact normaliser it holds.{none}"


def _in_words(picture: Picture, table: pd.DataFrame, reference: str, others: Sequence[Reference]) -> pd.DataFrame:
    settings = {other.name: other.settings for other in others}
    found = {name: run.scale.tree.n_leaves for name, run in picture.runs if run.scale is not None}
    best = best_runs(table)
    if reference != KNOWN_GROUPS:
        best = {column: runs for column, runs in best.items() if column not in (*AGREEMENTS, "delta_k")}
    several = table["nll_group"].nunique() > 1
    rows = {}
    for run, scores in table.to_dict("index").items():
        cells = {}
        for column, title in COLUMNS.items():
            text = _cell(column, scores[column])
            if column == "n_clusters" and run in found:
                text += f" (merged from {found[str(run)]})"
            if column == "nll" and several and text != "–":
                text += f" ({scores['nll_group']})"
            if column == "n_sweeps" and text == "–" and run not in settings:
                text = f"– (of {picture.traces[str(run)].n_sweeps:,})"
            cells[title] = f"**★ {text}**" if run in best.get(column, ()) else text
        if run in settings:
            cells |= {"Effort": "–", "Settings": "see below"}
        else:
            cells["Effort"] = effort.in_words(picture.traces[str(run)])
            cells["Settings"] = escape_markdown(picture.settings(str(run)))
        rows[escape_markdown(str(run))] = {title: _few_lines(text) for title, text in cells.items()}
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.set_axis([_unbroken(name) for name in frame.index], axis="index")


def _unbroken(text: str) -> str:
    """Keep a text on one line: narrow screens scroll the table horizontally instead."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _few_lines(text: str) -> str:
    """Let a cell break only between its parts: cells have a maximum width, and longer text would overlap the next."""
    return re.sub("([,·])\N{NO-BREAK SPACE}", r"\1 ", _unbroken(text))


def _cell(column: str, value: float) -> str:
    if math.isnan(value):
        return "–"
    if column in ("n_clusters", "n_sweeps"):
        return f"{value:,.0f}"
    if column == "delta_k":
        return f"{value:+.0f}".replace("-", "−") if value else "0"
    if column == "nll":
        return f"{value:,.1f}".replace("-", "−")
    if column == "seconds":
        return f"{value:.4f}"
    return f"{value:.3f}".replace("-", "−")


def exported(picture: Picture, table: pd.DataFrame, others: Sequence[Reference] = ()) -> pd.DataFrame:
    """Return the table of raw numbers and settings for the CSV."""
    prepared = picture.whole
    choice = prepared.choice
    said = {"data": prepared.dataset.title, "scaling": choice.scaling}  # that of each run, if it has another
    said |= {"principal_components": choice.n_components, "whitened": choice.whiten}  # type: ignore[dict-item]
    made: dict[str, dict[str, object]] = {
        other.name: {"settings": other.settings, "scaling": other.scaling} for other in others
    }
    for name, finished in picture.runs:
        scale, trace, config = finished.scale, finished.trace, finished.trace.config
        made[name] = {
            "scaling": finished.choice.way,
            "family": config.family if config.uses_model else "",
            "settings": config.to_json(),
            "rows": trace.n_points,
            "rows_compared": len(picture.compared_rows),
            "converged": trace.converged,
            "sweeps_done": trace.n_sweeps,
            "starts": len(trace.starts),
            "sweeps_of_all_starts": effort.sweeps_done(trace) - trace.n_trial_sweeps,
            "trial_sweeps": trace.n_trial_sweeps,
            "operations": effort.operations_done(trace, finished.prepared.X.shape[1]),
            "n_clusters_found": len(np.unique(trace.result_labels)),
            "merges_cost": 0.0 if scale is None else scale.cost,
        }
    rows = [{"run": run, **said, **made[run]} for run in table.index]
    own = [column for column in made[picture.runs[0][0]] if column not in said]
    before = pd.DataFrame(rows, columns=["run", *said, *own])
    beside = ["settings", "family"]
    first = ["run", *said, *beside]
    scores = table.reset_index(drop=True)
    return pd.concat([before[first], scores, before[[c for c in before if c not in first]]], axis=1)


def show_sizes(picture: Picture) -> None:
    """Draw the cluster sizes of all results by rank."""
    sizes = {name: size_ranks(labels) for name, labels in picture.labels.items()}
    known = picture.true_labels
    if known is not None:
        sizes[KNOWN_GROUPS] = size_ranks(known)
    chart(figures.size_ranks(sizes, picture.colors(is_dark())), "compare sizes")


def is_dark() -> bool:
    """Whether the page is dark."""
    return st.context.theme.type == "dark"


def show_disagreement(picture: Picture) -> None:
    """Draw the contingency table of two panels, and the points of a chosen pair of clusters."""
    names = [name for name, _ in picture.runs]
    if len(names) < 2:
        st.caption("It takes two runs to disagree.")
        return
    left, right = st.columns(2)
    with left:
        first = widgets.select("Rows", "compare.first", names, names[0], format_func=picture.described)
    others = [name for name in names if name != first]
    with right:
        second = widgets.select("Columns", "compare.second", others, others[0], format_func=picture.described)
    labels = picture.labels[first], picture.labels[second]
    try:
        table = contingency(*labels)
    except DpvizError as error:
        st.info(escape_markdown(str(error)))
        return
    n_points, apart = len(labels[0]), n_disagreeing(table)
    st.markdown(
        f"**{apart:,} of {n_points:,} points** ({apart / n_points:.1%}) lie outside the matched pairs on the diagonal."
        if apart
        else f"They agree on all {n_points:,} points."
    )
    heat, points = st.columns(2, gap="medium")
    with heat:
        _heatmap(picture, table, (first, second))
    with points:
        _cell_points(picture, table, (first, second), labels)


def _heatmap(picture: Picture, table: pd.DataFrame, pair: tuple[str, str]) -> None:
    first, second = (f"Cluster of {name}" for name in pair)
    dark = is_dark()
    colors = [[track_color(int(k), dark=dark) for k in side] for side in (table.index, table.columns)]
    figure = figures.contingency_heatmap(table, (first, second), (colors[0], colors[1]), dark=dark)
    key = f"compare contingency {id(picture)} {pair[0]} {pair[1]}"
    chart(figure, key, on_select=lambda: _take_cell(st.session_state.get(key), table), selection_mode="points")
    hidden = max(table.shape) - figures.MOST_SHOWN
    more = f" Only {figures.MOST_SHOWN} clusters are drawn on a side; the list has all." if hidden > 0 else ""
    st.caption(f"Click a cell to see its points. Clusters have the numbers and colours of the player.{more}")


def _take_cell(event: Any, table: pd.DataFrame) -> None:
    """Set the lists to the clicked cell; the event comes from the browser."""
    try:
        row, column = (int(index) for index in event["selection"]["points"][0]["customdata"][:2])
        cell = (int(table.index[row]), int(table.columns[column]))
    except (TypeError, KeyError, IndexError, ValueError, AttributeError):
        return
    state.put({f"{_CELL}.first": cell[0], f"{_CELL}.second": cell[1]})


def _cell_points(
    picture: Picture, table: pd.DataFrame, pair: tuple[str, str], labels: tuple[IntArray, IntArray]
) -> None:
    off_diagonal = table.to_numpy().copy()
    np.fill_diagonal(off_diagonal, 0)
    row, column = divmod(int(np.argmax(off_diagonal)), off_diagonal.shape[1])  # the largest disagreement
    rows, columns = [int(k) for k in table.index.to_numpy()], [int(k) for k in table.columns.to_numpy()]
    of_what = (picture.plan, pair)
    if st.session_state.get(_CELL_OF) != of_what:  # the chosen cell belongs to other runs
        st.session_state[_CELL_OF] = of_what
        state.put({f"{_CELL}.first": rows[row], f"{_CELL}.second": columns[column]})
    left, right = st.columns(2)
    with left:
        _swatch(f"{_CELL}.first", rows, rows[row])
        first = _cluster_list(f"In {pair[0]}", f"{_CELL}.first", rows, rows[row])
    with right:
        _swatch(f"{_CELL}.second", columns, columns[column])
        second = _cluster_list(f"In {pair[1]}", f"{_CELL}.second", columns, columns[column])
    inside = np.flatnonzero((labels[0] == first) & (labels[1] == second))
    points = "1 point** is" if len(inside) == 1 else f"{len(inside):,} points** are"
    st.markdown(f"**{points} in cluster {first + 1} of {pair[0]} and in cluster {second + 1} of {pair[1]}.")
    dark = is_dark()
    colors = (track_color(first, dark=dark), track_color(second, dark=dark))
    display = picture.whole.display(None if picture.leaving_rows_out else picture.labels[pair[0]])
    display = display._replace(coordinates=display.coordinates[picture.compared_rows])
    chart(figures.highlighted_points(display, inside, colors), "compare cell")


def _swatch(key: str, clusters: list[int], default: int) -> None:
    """Draw the colour of the cluster in the list below."""
    color = track_color(state.option(key, clusters, default), dark=is_dark())
    st.html(f'<div style="height:4px;border-radius:2px;background:{color}"></div>')


def _cluster_list(label: str, key: str, clusters: list[int], default: int) -> int:
    cluster: int = widgets.select(label, key, clusters, default, format_func=lambda k: f"cluster {k + 1}")
    return cluster
