"""A tuning session as one HTML file: the result of every tab, its charts, and the code of every choice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

import dpviz
from dpviz.config import RunConfig
from dpviz.figures import page as in_html
from dpviz.figures.page import Figure
from dpviz.report.pieces import report_page
from dpviz.text import counted
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.exports import snippet
from dpviz.web_page import SCRIPTED

_KEPT = "tune report"


@dataclass(frozen=True, eq=False)
class Section:
    """Result of one tab.

    Attributes
    ----------
    title : str
    prepared : PreparedData
    sentences : sequence of str
        The finding and its limits, in Markdown with bold type alone.
    figures : sequence of plotly figure
    config : RunConfig
        Configuration that the code reproduces.
    scaled : PreparedData, optional
        The data that it is of, if their columns are scaled otherwise.
    """

    title: str
    prepared: PreparedData
    sentences: Sequence[str]
    figures: Sequence[Figure]
    config: RunConfig
    scaled: PreparedData | None = None


def keep(section: Section) -> None:
    """Add a finished tab to the report, replacing its earlier state."""
    kept: dict[tuple[DataChoice, str], Section] = st.session_state.setdefault(_KEPT, {})
    kept[section.prepared.choice.of_every_picture(), section.title] = section


def offer(prepared: PreparedData) -> None:
    """Offer the report of this session's results about the data, if there are any."""
    kept: dict[tuple[DataChoice, str], Section] = st.session_state.get(_KEPT, {})
    own = [section for (data, _), section in kept.items() if data == prepared.choice.of_every_picture()]
    if own:
        st.download_button(
            f"Report of this session ({len(own)} part{'s' if len(own) > 1 else ''}, HTML)",
            lambda: page(own),
            file_name="dpviz-tuning.html",
            mime="text/html",
            icon=":material/description:",
            key="tune.report",
            on_click="ignore",
        )


def page(sections: Sequence[Section]) -> bytes:
    """Return the whole file, in UTF-8."""
    prepared = sections[0].prepared
    notes = "".join(f"<br>{escape(note)}" for note in prepared.notes)
    about = f"Tuning with dpviz {escape(dpviz.__version__)}. {_size(prepared)}{notes}"
    parts = [
        f"<script>{in_html.script()}</script>",
        f'<p class="muted">{about}</p>',
        *(_part(section, number, prepared) for number, section in enumerate(sections)),
    ]
    title = prepared.dataset.title
    return report_page(f"Tuning: {title}", title, "\n".join(parts), SCRIPTED).encode()


def _size(prepared: PreparedData) -> str:
    n_points, n_columns = (counted(*of) for of in zip(prepared.X.shape, ("point", "column"), strict=True))
    return f"{n_points}, {n_columns}, scaling: {escape(prepared.choice.way)}."


def _part(section: Section, number: int, first: PreparedData) -> str:
    """Write a section, and of which points it is if they are not those above, as methods of distances need."""
    finding, *limits = (_bold(sentence) for sentence in section.sentences)
    charts = [in_html.chart(figure, f"chart-{number}-{position}") for position, figure in enumerate(section.figures)]
    bullets = f"<ul>{''.join(f'<li>{limit}</li>' for limit in limits)}</ul>" if limits else ""
    code = escape(snippet(section.scaled or section.prepared, section.config))
    size = _size(section.prepared)
    data = f'<p class="muted">{size}</p>' if size != _size(first) else ""
    body = f"{data}<p>{finding}</p>{bullets}{''.join(charts)}<pre>{code}</pre>"
    return f"<section><h2>{escape(section.title)}</h2>{body}</section>"


def _bold(markdown: str) -> str:
    """Return a sentence as HTML: bold type is kept, all else is plain text."""
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(markdown.replace("\\", "")))
