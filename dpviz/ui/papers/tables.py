"""A paper's table beside what was found, and its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.analysis.studies import Compared, Results, Study, compared
from dpviz.analysis.studies.comparison import DIFFERS, size_shares, words_on_settings
from dpviz.analysis.studies.measures import by_size
from dpviz.analysis.studies.one_cluster import words_on_powers
from dpviz.analysis.studies.study import Figure, Table
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.algorithms.base import describe
from dpviz.figures import papers as figures
from dpviz.figures.powered_studies import STUDY_FIGURES
from dpviz.player.alignment import match_labels
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.papers import opening

NUMBERS, DIGITS, Z = "Numbers", "Distance in printed digits", "Distance in standard deviations (z)"
VIEWS = (NUMBERS, DIGITS, Z)
"""What the cells of all tables show."""
NOT_FOUND = "**No reason found.** "
_MARKED = "background-color: rgba(230, 140, 0, 0.25)"
PANELS, BESIDE, SHOWN = "papers-panels", "papers-beside", "papers-shown"
STYLE = f"""
@media (max-width: 40rem) {{
  .stMain [class*="st-key-{PANELS}"] {{overflow-x: auto}}
  .stMain [class*="st-key-{PANELS}"] > * {{min-width: 46rem}}
}}
@media (min-width: 72rem) {{
  .stMain [class*="st-key-{BESIDE}"] {{
    display: grid; grid-template: auto 1fr / minmax(0, 3fr) minmax(0, 5fr); gap: 1rem 2.5rem; margin-top: 1rem
  }}
  .stMain [class*="st-key-{BESIDE}"] > * {{grid-column: 1}}
  .stMain [class*="st-key-{BESIDE}"] > :has(> [class*="st-key-{SHOWN}"]) {{grid-area: 1 / 2 / 3}}
}}
"""
"""Panels side by side keep a size at which points can be told apart; on a phone one swipes along them.

In a wide window what is shown stands beside what is said of it; in a narrow one between what is said first and last.
"""
NARROW = 480
"""Pixels of a choice whose names are short."""
TRUE_GROUPS = "true groups"
_Part = TypeVar("_Part", Table, Figure)
WORDS = {"powers_that_pay": words_on_powers}
"""What figures of a kind say, computed from what they show."""


def places(key: str) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return the places of what is said first, of what is shown, and of what is said of it."""
    with st.container(key=f"{BESIDE}-{key}"):
        return st.container(), st.container(key=f"{SHOWN}-{key}"), st.container()


def shared_explanation(study: Study) -> str:
    """Return how to read the numbers of most of several tables; empty if that differs."""
    ((explanation, times),) = Counter(table.explanation for table in study.tables).most_common(1)
    return explanation if times > max(1, len(study.tables) / 2) else ""


def choose_setting(study: Study) -> str:
    """Let one of the ways to run a study be chosen, if there are several, and say what is to be said of it."""
    parts: tuple[Table | Figure, ...] = (*study.tables, *study.figures)
    named = {setting.name: setting for part in parts for setting in part.settings}
    if not named:
        return ""
    first, *_ = named
    name = widgets.select("How it was run", f"papers.{study.name}.setting", list(named), first, width=NARROW)
    if text := named[name].text:
        st.caption(escape_markdown(text))
    return name


def _under(part: _Part, name: str) -> _Part:
    """Return a table or figure as a setting gives it, where that changes it."""
    setting = next((setting for setting in part.settings[1:] if setting.name == name), None)
    return part if setting is None else part.under(setting)


def show_table(study: Study, results: Results, table: Table, view: str, key: str, setting: str) -> None:
    """Draw a table under a setting, why numbers differ, and a row that can be opened."""
    first, middle, last = places(key)
    with first:
        st.markdown(f"##### {escape_markdown(table.name)}. {escape_markdown(table.title)}")
        if table.explanation != shared_explanation(study):
            st.caption(escape_markdown(table.explanation))
    shown = _under(table, setting)
    found = list(compared(shown, results))
    with middle:
        st.table(numbers_frame(found, view).style.map(_background).format(_unbroken))
        if shown is table:
            _say_why(table, [entry for entry in found if entry.differs])
        _row_panel(study, results, shown, key)
    with last:
        for sentence in words_on_settings(table, results):
            st.caption(escape_markdown(sentence))


def _say_why(table: Table, differing: Sequence[Compared]) -> None:
    """Say why numbers differ, where something is known of it."""
    reasons = [remark for remark in table.remarks if any(remark.covers(entry.entry) for entry in differing)]
    if reasons:
        which = f"{counted(len(differing), 'number')} differ{'s' if len(differing) == 1 else ''}"
        with st.expander(f"Why {which}", icon=":material/difference:"):
            for remark in reasons:
                st.markdown(("" if remark.found else NOT_FOUND) + escape_markdown(remark.text))


def numbers_frame(found: list[Compared], view: str = NUMBERS) -> pd.DataFrame:
    """Return the table as texts, one per entry, as :func:`cell_text` writes them."""
    texts: dict[str, dict[str, str]] = {}
    for entry in found:
        texts.setdefault(entry.entry.row, {})[entry.entry.column] = cell_text(entry, view)
    frame = pd.DataFrame.from_dict(texts, orient="index").fillna("")
    if any(entry.entry.printed is not None for entry in found):
        frame.index.name = "paper → here" if view == NUMBERS else "here − paper"
    return frame


def cell_text(found: Compared, view: str = NUMBERS) -> str:
    """Write the printed number, an arrow, the one found and a mark; or how far it is, in printed digits or as z."""
    if view == NUMBERS:
        printed = "" if found.entry.printed is None else f"{found.printed_words} → "
        return f"{printed}{found.words} {found.mark}".rstrip()
    distance = found.digits_words if view == DIGITS else found.z_words
    return f"{distance} {found.mark}".rstrip() if distance else "–"


def _unbroken(text: Any) -> str:
    """Return the text of a cell, whose lines end at arrows alone."""
    return escape_markdown(text).replace(" ", "\N{NO-BREAK SPACE}").replace("→\N{NO-BREAK SPACE}", "→ ")


def _background(text: Any) -> str:
    return _MARKED if str(text).endswith(DIFFERS) else ""


def made_key(key: str) -> str:
    """Name the panel that tells how a row of a table was made."""
    return f"{key}.made"


@st.fragment
def _row_panel(study: Study, results: Results, table: Table, key: str) -> None:
    """Draw the panel on a row, closed until it is asked for; opening it draws nothing else again."""
    panel = made_key(key)
    with st.expander("How a row was made", icon=":material/settings:", key=panel, on_change="rerun"):
        if once_opened(panel):
            _row(study, results, table, key)


def _row(study: Study, results: Results, table: Table, key: str) -> None:
    """Show the configurations of a row, and offer to open it."""
    rows = list(dict.fromkeys(entry.row for entry in table.entries))
    row = widgets.select("Row", f"{key}.row", rows, rows[0])
    runs = opening.runs_of_row(study, results, table, row)
    for number, source in enumerate(opening.data_sets(runs)):
        here = [(cell, record) for cell, record in runs if cell.source == source]
        options = ", ".join(f"{name} = {value}" for name, value in source.options)
        st.markdown(f"Data: **{escape_markdown(source.name)}** {escape_markdown(options)}")
        for cell, record in here:
            begun = ", begun at the true groups" if record.starts_from_truth else ""
            st.markdown(escape_markdown(f"{cell.column}: {describe(record.config)}{begun}"))
            st.code(record.config.to_json(), language="json", wrap_lines=True)
        if source.kind == "file":
            st.caption("These data do not come with dpviz; load the table on the Data page to look at it.")
        elif st.button("Open in Compare", key=f"{key}.open.{number}", icon=":material/compare:", type="primary"):
            opening.open_in_compare(source, runs)
    if any(record.repetition == 0 for _, record in runs):
        st.caption("Shown is the first repetition; the others differ by their seeds and, if drawn, their data.")


def show_figure(study: Study, results: Results, figure: Figure, key: str, setting: str) -> None:
    """Draw a figure of the paper from what was found under a setting."""
    first, middle, last = places(key)
    with first:
        st.markdown(f"##### {escape_markdown(figure.name)}. {escape_markdown(figure.title)}")
    figure = _under(figure, setting)
    known = _DRAWN.setdefault(results, {})
    if figure not in known:
        known[figure] = _drawn(study, results, figure)
    drawn, n_shown, n_points = known[figure]
    if drawn is not None:
        with middle, st.container(key=f"{PANELS}-{key}" if n_points or figure.kind in WORDS else None):
            chart(drawn, key)
    if figure.kind in WORDS:
        for sentence in WORDS[figure.kind](results, figure.cells):
            last.markdown(escape_markdown(sentence))
    if n_shown < n_points:
        last.caption(f"Each panel draws the same {n_shown:,} of the {n_points:,} points, small clusters whole.")


Drawn = tuple[Any, int, int]
_DRAWN: WeakKeyDictionary[Results, dict[Figure, Drawn]] = WeakKeyDictionary()
"""What has been drawn: a page has several figures with thousands of points, and results never change."""


def _drawn(study: Study, results: Results, figure: Figure) -> Drawn:
    """Return a figure, if there are results for it, and how many points it shows and has, if it shows only some."""
    if figure.kind in STUDY_FIGURES:
        complete = all(results.of(*cell) for cell in figure.cells)
        return STUDY_FIGURES[figure.kind](results, figure.cells) if complete else None, 0, 0
    if figure.kind == "sizes":
        shares = size_shares(figure, results)
        return figures.share_ranks(shares) if shares else None, 0, 0
    X, labels = partitions(study, results, figure)
    if not labels:
        return None, 0, 0
    return figures.partitions(X, labels), len(figures.drawn_rows(labels)), len(X)


def partitions(study: Study, results: Results, figure: Figure) -> tuple[FloatArray, dict[str, IntArray]]:
    """Return the points of a figure, and the true groups and the clusters of its methods, if they were kept.

    Each method's clusters have the numbers of the true groups with which they share most points.
    """
    cells = opening.cells_of(study, results)
    X: FloatArray = np.empty((0, 2))
    labels: dict[str, IntArray] = {}
    for row, column in figure.cells:
        for record in results.of(row, column)[:1]:
            data = cells[record.key].source.load()
            X = data.X
            if data.labels is not None:
                labels.setdefault(TRUE_GROUPS, by_size(data.labels))
            if "labels" in record.arrays:
                ranked, truth = by_size(record.arrays["labels"]), labels.get(TRUE_GROUPS)
                labels[column] = ranked if truth is None else match_labels(ranked, truth).astype(np.int64)
    return X, labels
