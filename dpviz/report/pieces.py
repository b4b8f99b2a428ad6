"""Pieces of the report: sections, and tables of numbers and words."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpviz.arrays import IntArray
from dpviz.errors import require
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.report.tables import in_figures
from dpviz.text import counted

MOST_ROWS = 40
"""Clusters in a table."""


class Clusters(NamedTuple):
    """The clusters that the page speaks of: labels (N,), their names and numbers of colours, and whether joined."""

    labels: IntArray
    names: list[str]
    colours: list[int]
    are_joined: bool

    @classmethod
    def of(cls, labels: IntArray, names: Sequence[str], colours: Sequence[int], are_joined: bool) -> Clusters:
        """Name clusters by their numbers unless they have names."""
        n_clusters = int(labels.max()) + 1
        called = [str(name) for name in names] or [str(k + 1) for k in range(n_clusters)]
        shades = list(colours) or list(range(n_clusters))
        for what, given in (("names", called), ("colours", shades)):
            require(len(given) == n_clusters, what, given, f"one for each of {counted(n_clusters, 'cluster')}")
        return cls(labels, called, shades, are_joined)


def section(title: str, sentences: list[str], more: str = "") -> str:
    """Write a section: its sentences, and what is written already."""
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return f"<section><h2>{escape(title)}</h2>{words}{more}</section>"


def table(frame: pd.DataFrame, colours: Sequence[int] = ()) -> str:
    """Write a table; numbers with four digits, words as they are."""
    left = [pd.api.types.is_string_dtype(frame[name]) for name in frame.columns]
    names = zip((frame.index.name or "", *frame.columns), (True, *left), strict=True)
    head = "".join(f"<th{' class=words' if of_words else ''}>{escape(str(name))}</th>" for name, of_words in names)
    rows = []
    for place, (name, row) in enumerate(frame.head(MOST_ROWS).iterrows()):
        dot = f'<span class="dot" style="background: {_colour(colours[place])}"></span>' if colours else ""
        cells = "".join(_cell(value) for value in row)
        rows.append(f"<tr><td>{dot}{escape(str(name))}</td>{cells}</tr>")
    n_more = len(frame) - MOST_ROWS
    more = f'<p class="muted">{n_more:,} more are left out.</p>' if n_more > 0 else ""
    return f'<div class="scroll"><table><tr>{head}</tr>{"".join(rows)}</table></div>{more}'


def _cell(value: object) -> str:
    if isinstance(value, str):
        return f'<td class="words">{escape(value)}</td>'
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "<td>–</td>"
    return f"<td>{value:,}</td>" if isinstance(value, int | np.integer) else f"<td>{in_figures(value)}</td>"  # type: ignore[arg-type]


def _colour(cluster: int) -> str:
    colors = CLUSTER_COLORS["light"]
    return colors[cluster % len(colors)]
