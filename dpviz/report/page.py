"""The report as an HTML page: light, for print too, without a script and without a request."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from html import escape
from importlib.metadata import version

import numpy as np
import pandas as pd

import dpviz
from dpviz import metrics
from dpviz.analysis.merging import MergeTree, tree
from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS, describe
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import DpvizError, InvalidDataError, require
from dpviz.player.still import still
from dpviz.report.axes import axes_of
from dpviz.report.checks import MOST_WORK, certainty, models, others
from dpviz.report.pieces import Clusters, section, table
from dpviz.report.tables import Column, cluster_table, in_figures, overview_table, own_columns
from dpviz.report.words import citations, methods_paragraph, model_in_words, search_in_words
from dpviz.text import counted

MOST_DOTS = 4_000
"""Points in the picture."""
MOST_ACROSS = 12
"""Clusters beside each other in a table."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
body {font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 56rem; margin: 2rem auto;
      padding: 0 1rem}
h1 {font-size: 1.7rem; margin-bottom: 0} h2 {font-size: 1.25rem; border-top: 1px solid #ccc; padding-top: 1rem}
.scroll {overflow-x: auto} table {border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums}
th, td {padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: right} th {font-weight: 600}
th:first-child, td:first-child, .words {text-align: left} .dot {display: inline-block; width: .8em; height: .8em;
      border-radius: 50%; margin-right: .4em; print-color-adjust: exact; -webkit-print-color-adjust: exact}
pre {background: #f4f4f4; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px}
p.muted, figcaption {color: #555} figure {margin: 1rem 0} figure svg {max-width: 100%; height: auto; max-height: 34rem}
@media print {body {max-width: none; margin: 0} h2 {break-after: avoid} figure, tr {break-inside: avoid}
              pre {border: 1px solid #ccc}}
@page {margin: 18mm}
"""


def report(
    dataset: Dataset,
    trace: Trace,
    X: FloatArray | None = None,
    *,
    code: str = "",
    joined: IntArray | None = None,
    names: Sequence[str] = (),
    colours: Sequence[int] = (),
    most_work: float = MOST_WORK,
) -> str:
    """Write a run as one page.

    Parameters
    ----------
    dataset : Dataset
        The data in their own units, in which clusters are described.
    trace : Trace
        A run on them.
    X : ndarray (N, D), optional
        What the run clustered, if columns were scaled; by default ``dataset.X``.
    code : str
        What repeats the run; left out if empty.
    joined : ndarray of int (N,), optional
        Clusters of the result joined to fewer (:func:`dpviz.analysis.merging.tree`), of which the page then speaks.
    names : sequence of str
        Of the clusters in the order of their labels; by default they are numbered from 1.
    colours : sequence of int
        Which colour of the palette each has, from 0; in their order by default.
    most_work : float
        Points × clusters × columns × sweeps that a chain, repeated runs, other models or other methods may each take
        for the page; 0 for none. What would take more is named as not tried.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If the run was made from other data, or there is not one joined cluster for each row.
    """
    check_trace(trace)
    values = dataset.X if X is None else X
    require(len(values) == trace.n_points, "X", len(values), f"the {trace.n_points:,} rows of the run")
    _check_data(trace, values)
    merges, why_none = _merges(values, trace)
    of_points = trace.result_labels if joined is None else joined
    require(len(of_points) == trace.n_points, "joined", len(of_points), f"one for each of the {trace.n_points:,} rows")
    codes = np.unique(of_points, return_inverse=True)[1]
    found = Clusters.of(codes, names, colours, int(codes.max()) + 1 < trace.n_clusters[trace.result_sweep])
    parts = [
        _data(dataset, values),
        section("Model", [*model_in_words(trace), search_in_words(trace)]),
        _answer(dataset, values, trace, found),
        _scales(merges, why_none, dataset),
        certainty(values, trace, found, most_work),
        models(dataset, values, trace, most_work),
        others(dataset, values, trace, found.labels, most_work),
        _methods(trace, values, code),
    ]
    title = escape(dataset.title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}: clusters</title><style>{_STYLE}</style></head><body>"
        f'<h1>{title}</h1><p class="muted">{escape(describe(trace.config))}</p>{"".join(parts)}</body></html>\n'
    )


def _check_data(trace: Trace, values: FloatArray) -> None:
    if trace.data not in ("", fingerprint(np.asarray(values))):
        raise InvalidDataError("X holds other numbers than those that the trace was made from; give its own data.")


def _data(dataset: Dataset, values: FloatArray) -> str:
    n_points, n_features = values.shape
    gaps = int(np.isnan(values).any(axis=1).sum())
    facts = [
        f"{counted(n_points, 'row')} and {counted(n_features, 'column')} were clustered: "
        f"{', '.join(dataset.feature_names[:30])}{' and others' if n_features > 30 else ''}."
    ]
    if gaps:
        facts.append(f"{counted(gaps, 'row')} {'has' if gaps == 1 else 'have'} missing cells.")
    facts += [text for text in (dataset.source, dataset.licence, dataset.citation) if text]
    return section("Data", [*facts, *dataset.notes])


def _answer(dataset: Dataset, values: FloatArray, trace: Trace, found: Clusters) -> str:
    labels = found.labels
    k, n_found = len(found.names), int(trace.n_clusters[trace.result_sweep])
    words = [f"{counted(k, 'cluster')}" + (f", joined from the {n_found} that were found." if k < n_found else ".")]
    if ALGORITHMS[trace.config.algorithm].has_nll:
        words.append(f"As found, −ln p(data, partition) is {trace.nll[trace.result_sweep]:,.2f} nats.")
    if dataset.labels is not None:
        scores = metrics.ari(dataset.labels, labels), metrics.nmi(dataset.labels, labels)
        words.append(f"With the reference groups of the data: ARI {scores[0]:.3f}, NMI {scores[1]:.3f}.")
    figure = "" if dataset.n_features == 1 else _picture(dataset, values, found)
    overview = overview_table(dataset, labels, found.names)
    overview["share"] = [f"{share:.1%}" for share in overview["share"]]
    columns = _by_column(dataset, found)
    return section("Answer", words, figure + table(overview, colours=found.colours) + columns)


def _by_column(dataset: Dataset, found: Clusters) -> str:
    """Write the columns of the data below each other, a column per cluster: as mean ± SD, or the usual word."""
    columns, described = own_columns(dataset), cluster_table(dataset, found.labels)
    names = [column.name for column in columns]
    cells = {
        name if not name.isdigit() else f"cluster {name}": [_summary(column, described.iloc[k]) for column in columns]
        for k, name in enumerate(found.names[:MOST_ACROSS])
    }
    left = len(described) - MOST_ACROSS
    more = f'<p class="muted">The first {MOST_ACROSS} clusters of {len(described)}.</p>' if left > 0 else ""
    frame = pd.DataFrame(cells, index=names)
    return f"<p>In the units of the data: mean ± standard deviation, or the most frequent word.</p>{table(frame)}{more}"


def _summary(column: Column, row: pd.Series) -> str:
    usual, spread = (row[name] for name in column.described)
    if usual is None or (isinstance(usual, float) and np.isnan(usual)):
        return "–"
    if isinstance(usual, str):
        return f"{usual} ({spread:.0%})"
    deviation = "" if np.isnan(spread) else f" ± {in_figures(spread, 2)}" + (" days" if column.is_date else "")
    return column.written(float(usual)) + deviation


def _picture(dataset: Dataset, values: FloatArray, found: Clusters) -> str:
    """Draw the points in the units of up to two columns, and of more by their principal components."""
    across, up = axes_of(dataset, values)
    places = np.column_stack([across.values, up.values])
    known = np.flatnonzero(np.isfinite(places).all(axis=1))
    chosen = known[evenly_spaced(len(known), MOST_DOTS)]
    of_what = ", the axes those of standardised columns" if dataset.n_features > 2 else ""
    caption = f"{up.name} against {across.name}; colours are the clusters of the table{of_what}."
    if len(chosen) < len(places):
        caption += f" {len(chosen):,} of {len(places):,} points are drawn."
    drawing = still(places[chosen], np.array(found.colours)[found.labels[chosen]].tolist(), caption)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _merges(values: FloatArray, trace: Trace) -> tuple[MergeTree | None, str]:
    """Return the tree of merges, or why there is none."""
    try:
        return tree(values, trace), ""
    except DpvizError as error:
        return None, str(error)


def _scales(merges: MergeTree | None, why_none: str, dataset: Dataset) -> str:
    if merges is None:
        return section("At other scales", [f"Not tried: {why_none}"])
    if merges.n_leaves == 1:
        return section("At other scales", ["There is one cluster, so there is no coarser answer."])
    rows = []
    for k in range(merges.n_leaves, 0, -1):
        labels = merges.labels(k)
        row: dict[str, object] = {
            "clusters": k, "costs more (nats)": float(merges.nll[merges.n_leaves - k] - merges.nll[0]),
            "smallest": int(np.bincount(labels).min()), "largest": int(np.bincount(labels).max()),
        }  # fmt: skip
        if dataset.labels is not None:
            row["ARI"] = metrics.ari(dataset.labels, labels)
        rows.append(row)
    words = [
        "A mixture may take several clusters for one group that is not bell-shaped. Each row joins two clusters of the "
        "row above, those whose union costs least.",
        f"Joining only clusters that surely overlap leaves {merges.suggestion}.",
    ]
    return section("At other scales", words, table(pd.DataFrame(rows).set_index("clusters")))


def _methods(trace: Trace, values: FloatArray, code: str) -> str:
    papers = "".join(f"<li>{escape(paper)}</li>" for paper in citations(trace))
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "pandas", "scikit-learn"))
    more = f"<ul>{papers}</ul>" + (f"<pre>{escape(code)}</pre>" if code else "")
    more += (
        f'<p class="muted">dpviz {escape(dpviz.__version__)}, Python {platform.python_version()} on {sys.platform}, '
        f"{escape(versions)}. Configuration: <code>{escape(trace.config.to_json())}</code></p>"
    )
    return section("Methods, and how to repeat this", [methods_paragraph(trace, *values.shape)], more)
