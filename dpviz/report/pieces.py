"""Pieces of the report: what it tells of, sections, and tables of numbers and words."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from html import escape
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, IntArray, Strings
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.trace import Trace
from dpviz.errors import require
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.report.preparation import Shaping
from dpviz.report.tables import in_figures
from dpviz.text import counted
from dpviz.web_page import STILL, web_page

MOST_ROWS = 40
"""Rows of a table."""
OPERATIONS = 8.0
"""Arithmetic operations, as algorithms count them, for a point, a cluster and a column."""

_STYLE = """
body {font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 56rem; margin: 2rem auto;
      padding: 0 1rem}
h1 {font-size: 1.7rem; margin-bottom: 0} h2 {font-size: 1.25rem; border-top: 1px solid #ccc; padding-top: 1rem}
.scroll {overflow-x: auto} .scroll + .scroll {margin-top: 1rem}
table {border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums}
th, td {padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: right} th {font-weight: 600}
th:first-child, td:first-child, .words {text-align: left} .dot {display: inline-block; width: .8em; height: .8em;
      border-radius: 50%; margin-right: .4em; print-color-adjust: exact; -webkit-print-color-adjust: exact}
pre {background: #f4f4f4; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px}
code {overflow-wrap: anywhere} p.muted, figcaption {color: #555} figure {margin: 1rem 0}
figure svg {max-width: 100%; height: auto; max-height: 34rem}
@media print {body {max-width: none; margin: 0} h2 {break-after: avoid} figure, tr, .chart {break-inside: avoid}
              pre {border: 1px solid #ccc} .scroll {overflow: visible} table {font-size: 11px}
              th, td {padding: .2rem .35rem}}
@page {margin: 18mm}
"""

_Written = TypeVar("_Written")
Steps = Generator[str, None, _Written]
"""A part of the page, which yields the name of what it computes next."""


class Clusters(NamedTuple):
    """The clusters that the page speaks of: labels (N,), their names and numbers of colours."""

    labels: IntArray
    names: list[str]
    colours: list[int]

    @classmethod
    def of(cls, labels: IntArray, names: Sequence[str], colours: Sequence[int]) -> Clusters:
        """Name clusters by their labels, which tables of rows have, too, unless they have names."""
        n_clusters = int(labels.max()) + 1
        called = [str(name) for name in names] or [str(k) for k in range(n_clusters)]
        shades = list(colours) or list(range(n_clusters))
        for what, given in (("names", called), ("colours", shades)):
            require(len(given) == n_clusters, what, given, f"one for each of {counted(n_clusters, 'cluster')}")
        return cls(labels, called, shades)


class Told(NamedTuple):
    """What a page tells of."""

    dataset: Dataset
    values: FloatArray
    trace: Trace
    clusters: Clusters
    shaping: Shaping
    joined_by: str
    most_work: float
    notes: Strings
    undecided: Strings | None = None

    @property
    def labels(self) -> IntArray:
        """Cluster (N,) of every row, from 0."""
        return self.clusters.labels

    @property
    def k(self) -> int:
        """Clusters of the answer."""
        return len(self.clusters.names)

    @property
    def n_found(self) -> int:
        """Clusters of the run."""
        return int(self.trace.n_clusters[self.trace.result_sweep])

    @property
    def are_joined(self) -> bool:
        """Whether the clusters of the run are joined to fewer."""
        return self.k < self.n_found

    def why_not(self, work: float | None = None) -> str:
        """Return why something is not tried; empty if it takes so much work, and that may be."""
        if work is not None and work <= self.most_work:
            return ""
        return "it takes longer than this report may" if self.most_work else "it was left out, as asked"

    def sweeps_take(self, n_sweeps: float, config: RunConfig | None = None, n_clusters: int = 0) -> float:
        """Return the work of so many sweeps of a configuration, by default the run's, whatever its family."""
        config, clusters = config or self.trace.config, float(n_clusters or max(self.k, self.n_found))
        n_points, n_numbers = self.values.shape
        one = ALGORITHMS[config.algorithm].sweep_operations(config, n_points, n_numbers, clusters)
        return float(n_sweeps) * one / OPERATIONS

    def until_too_long(self, factor: float) -> Callable[[], bool]:
        """Return what tells, called after every sweep of the run's method, whether they took the work several times."""
        left = factor * self.most_work / max(self.sweeps_take(1), 1.0)

        def is_too_long() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        return is_too_long


def report_page(title: str, heading: str, body: str, policy: str = STILL) -> str:
    """Write a page in the style of reports: its title and its heading as plain text, and what is written already."""
    return web_page(title, _STYLE, f"<h1>{escape(heading)}</h1>{body}", policy)


def section(title: str, sentences: list[str], more: str = "") -> str:
    """Write a section: its sentences, and what is written already."""
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return f"<section><h2>{escape(title)}</h2>{words}{more}</section>"


def table(frame: pd.DataFrame, colours: Sequence[int] = (), row: str = "cluster") -> str:
    """Write a table; numbers with four digits, words as they are. A long one says how many rows, by name, it lacks."""
    left = [pd.api.types.is_string_dtype(kind) for kind in frame.dtypes]  # names may be there twice
    names = zip((frame.index.name or "", *frame.columns), (True, *left), strict=True)
    head = "".join(f"<th{' class=words' if of_words else ''}>{escape(str(name))}</th>" for name, of_words in names)
    rows = []
    for place, (name, values) in enumerate(frame.head(MOST_ROWS).iterrows()):
        dot = f'<span class="dot" style="background: {_colour(colours[place])}"></span>' if colours else ""
        cells = "".join(_cell(value) for value in values)
        rows.append(f"<tr><td>{dot}{escape(str(name))}</td>{cells}</tr>")
    n_more = len(frame) - MOST_ROWS
    more = f'<p class="muted">{left_out(n_more, row)}</p>' if n_more > 0 else ""
    return f'<div class="scroll"><table><tr>{head}</tr>{"".join(rows)}</table></div>{more}'


def left_out(number: int, what: str) -> str:
    """Say that so many more are left out of a table."""
    return f"{counted(number, f'more {what}')} {'is' if number == 1 else 'are'} left out here."


def _cell(value: object) -> str:
    if isinstance(value, str):
        return f'<td class="words">{escape(value)}</td>'
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "<td>–</td>"
    return f"<td>{value:,}</td>" if isinstance(value, int | np.integer) else f"<td>{in_figures(value)}</td>"  # type: ignore[arg-type]


def _colour(cluster: int) -> str:
    colors = CLUSTER_COLORS["light"]
    return colors[cluster % len(colors)]
