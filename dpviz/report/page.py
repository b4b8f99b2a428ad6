"""The report as an HTML page: light, for print too, without a script and without a request."""

from __future__ import annotations

import platform
import sys
from dataclasses import replace
from html import escape
from importlib.metadata import version

import numpy as np
import pandas as pd

import dpviz
from dpviz import metrics
from dpviz.analysis.certainty import N_SWEEPS, Certainty, cluster_certainty
from dpviz.analysis.merging import MergeTree, tree
from dpviz.analysis.reference_methods import references
from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS, describe
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import DpvizError, InvalidDataError, require
from dpviz.fit.run import run
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.player.still import still
from dpviz.report.axes import axes_of
from dpviz.report.tables import Column, cluster_table, in_figures, own_columns, reasons
from dpviz.report.words import citations, methods_paragraph, model_in_words, search_in_words
from dpviz.text import counted

MOST_DOTS = 4_000
MOST_ROWS = 40
"""Clusters in a table, and points in the picture."""
MOST_ACROSS = 12
"""Clusters beside each other in a table."""
MOST_WORK = 1e9
"""Points × clusters × columns × sweeps that are still run for one part of a report: some ten seconds."""
STEPS_OF_OTHERS = 5_000
"""Components × iterations of the other methods together, about."""
N_SEEDS = 3
"""Other seeds with which the run is repeated."""

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
    most_work : float
        Points × clusters × columns × sweeps that a chain, runs with other seeds, or other methods may each take for
        the page; 0 for none. What would take more is named as not tried.

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
    found = np.unique(of_points, return_inverse=True)[1]
    parts = [
        _data(dataset, values),
        _section("Model", [*model_in_words(trace), search_in_words(trace)]),
        _answer(dataset, values, trace, found),
        _scales(merges, why_none, dataset),
        _certainty(values, trace, found, most_work),
        _others(dataset, values, trace, found, most_work),
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


def _section(title: str, sentences: list[str], more: str = "") -> str:
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return f"<section><h2>{escape(title)}</h2>{words}{more}</section>"


def _table(frame: pd.DataFrame, colours: bool = False) -> str:
    """Write a table; numbers with four digits, words as they are."""
    left = [pd.api.types.is_string_dtype(frame[name]) for name in frame.columns]
    names = zip((frame.index.name or "", *frame.columns), (True, *left), strict=True)
    head = "".join(f"<th{' class=words' if of_words else ''}>{escape(str(name))}</th>" for name, of_words in names)
    rows = []
    for place, (name, row) in enumerate(frame.head(MOST_ROWS).iterrows()):
        dot = f'<span class="dot" style="background: {_colour(place)}"></span>' if colours else ""
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


def _data(dataset: Dataset, values: FloatArray) -> str:
    n_points, n_features = values.shape
    gaps = int(np.isnan(values).any(axis=1).sum())
    facts = [
        f"{counted(n_points, 'row')} and {counted(n_features, 'column')} were clustered: "
        f"{', '.join(dataset.feature_names[:30])}{' and others' if n_features > 30 else ''}."
    ]
    if gaps:
        facts.append(f"{counted(gaps, 'row')} have missing cells.")
    facts += [text for text in (dataset.source, dataset.licence, dataset.citation) if text]
    return _section("Data", [*facts, *dataset.notes])


def _answer(dataset: Dataset, values: FloatArray, trace: Trace, labels: IntArray) -> str:
    k, n_found = int(labels.max()) + 1, int(trace.n_clusters[trace.result_sweep])
    words = [f"{counted(k, 'cluster')}" + (f", joined from the {n_found} that were found." if k < n_found else ".")]
    if ALGORITHMS[trace.config.algorithm].has_nll:
        words.append(f"As found, −ln p(data, partition) is {trace.nll[trace.result_sweep]:,.2f} nats.")
    if dataset.labels is not None:
        scores = metrics.ari(dataset.labels, labels), metrics.nmi(dataset.labels, labels)
        words.append(f"With the reference groups of the data: ARI {scores[0]:.3f}, NMI {scores[1]:.3f}.")
    apart = ["; ".join(own) or "differs little in any one column" for own in reasons(dataset, labels)]
    sizes = np.bincount(labels)
    overview = pd.DataFrame(
        {"cluster": range(1, k + 1), "n": sizes, "share": [f"{n / len(labels):.1%}" for n in sizes]}
    ).assign(**{"what sets it apart": apart})
    figure = "" if dataset.n_features == 1 else _picture(dataset, values, labels)
    columns = _by_column(dataset, cluster_table(dataset, labels))
    return _section("Answer", words, figure + _table(overview.set_index("cluster"), colours=True) + columns)


def _by_column(dataset: Dataset, table: pd.DataFrame) -> str:
    """Write the columns of the data below each other, a column per cluster: as mean ± SD, or the usual word."""
    columns = own_columns(dataset)
    names = [column.name for column in columns]
    cells = {
        cluster: [_summary(*own) for own in zip(columns, row.iloc[2::2], row.iloc[3::2], strict=True)]
        for cluster, row in table.head(MOST_ACROSS).iterrows()
    }
    left = len(table) - MOST_ACROSS
    more = f'<p class="muted">The first {MOST_ACROSS} clusters of {len(table)}.</p>' if left > 0 else ""
    frame = pd.DataFrame({f"cluster {cluster}": column for cluster, column in cells.items()}, index=names)
    return (
        f"<p>In the units of the data: mean ± standard deviation, or the most frequent word.</p>{_table(frame)}{more}"
    )


def _summary(column: Column, usual: object, spread: float) -> str:
    if usual is None or (isinstance(usual, float) and np.isnan(usual)):
        return "–"
    if isinstance(usual, str):
        return f"{usual} ({spread:.0%})"
    deviation = "" if np.isnan(spread) else f" ± {in_figures(spread, 2)}" + (" days" if column.is_date else "")
    return column.written(float(usual)) + deviation  # type: ignore[arg-type]


def _picture(dataset: Dataset, values: FloatArray, labels: IntArray) -> str:
    """Draw the points in the units of up to two columns, and of more by their principal components."""
    across, up = axes_of(dataset, values)
    places = np.column_stack([across.values, up.values])
    known = np.flatnonzero(np.isfinite(places).all(axis=1))
    chosen = known[evenly_spaced(len(known), MOST_DOTS)]
    of_what = ", the axes those of standardised columns" if dataset.n_features > 2 else ""
    caption = f"{up.name} against {across.name}; colours are the clusters of the table{of_what}."
    if len(chosen) < len(places):
        caption += f" {len(chosen):,} of {len(places):,} points are drawn."
    drawing = still(places[chosen], labels[chosen].tolist(), caption)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _merges(values: FloatArray, trace: Trace) -> tuple[MergeTree | None, str]:
    """Return the tree of merges, or why there is none."""
    try:
        return tree(values, trace), ""
    except DpvizError as error:
        return None, str(error)


def _scales(merges: MergeTree | None, why_none: str, dataset: Dataset) -> str:
    if merges is None:
        return _section("At other scales", [f"Not tried: {why_none}"])
    if merges.n_leaves == 1:
        return _section("At other scales", ["There is one cluster, so there is no coarser answer."])
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
    return _section("At other scales", words, _table(pd.DataFrame(rows).set_index("clusters")))


def _certainty(values: FloatArray, trace: Trace, labels: IntArray, most_work: float) -> str:
    title = "How certain"
    k = int(labels.max()) + 1
    if not ALGORITHMS[trace.config.algorithm].uses_model:
        return _section(
            title, ["This method has no probabilities, so no chain was run.", *_repeated(values, trace, most_work)]
        )
    if values.size * k * N_SWEEPS > most_work:
        chain = "No chain was tried: it takes longer than this report may."
        return _section(title, [chain, *_repeated(values, trace, most_work)])
    found = cluster_certainty(values, trace, labels)
    words = [
        f"A Gibbs chain of {len(found.n_clusters):,} kept sweeps that begins at these clusters has "
        f"{found.n_clusters.min()} to {found.n_clusters.max()} of them, most often "
        f"{np.bincount(found.n_clusters).argmax()}. Two points of a cluster stay together in the share of its draws "
        "that is given below; it explores the surroundings of this answer and need not find others far from it.",
        *_repeated(values, trace, most_work),
    ]
    return _section(title, words, _table(_stability(found)))


def _stability(found: Certainty) -> pd.DataFrame:
    k = len(found.stability)
    others = found.together - np.eye(k) * found.together
    frame = pd.DataFrame({"cluster": range(1, k + 1), "stays together": [f"{share:.0%}" for share in found.stability]})
    if k > 1:
        frame["likeliest to be one with"] = [int(place) + 1 for place in others.argmax(axis=1)]
        frame["probability"] = [f"{share:.1%}" for share in found.between]
    return frame.set_index("cluster")


def _repeated(values: FloatArray, trace: Trace, most_work: float) -> list[str]:
    """Repeat the run with other seeds, and say how much the results agree."""
    config: RunConfig = trace.config
    if isinstance(config.init, tuple):
        return ["Other seeds were not tried: the run began from given clusters."]
    n_sweeps = trace.n_trial_sweeps or trace.n_sweeps * len(trace.starts)
    if N_SEEDS * values.size * n_sweeps * max(trace.n_clusters[trace.result_sweep], 1) > most_work:
        return ["Other seeds were not tried: they take longer than this report may."]
    others = [run(values, replace(config, seed=config.seed + extra)) for extra in range(1, N_SEEDS + 1)]
    scores = [metrics.ari(trace.result_labels, other.result_labels) for other in others]
    counts = sorted({int(other.n_clusters[other.result_sweep]) for other in others})
    return [
        f"{N_SEEDS} runs with other seeds find {' or '.join(map(str, counts))} clusters, ARI with the answer as found "
        f"{min(scores):.3f} to {max(scores):.3f}."
    ]


def _others(dataset: Dataset, values: FloatArray, trace: Trace, labels: IntArray, most_work: float) -> str:
    title = "What other methods say"
    if np.isnan(values).any() or "categorical" in dataset.kinds:
        return _section(title, ["Not tried: the other methods here need complete columns of numbers."])
    if len(values) < 3 or values.size * STEPS_OF_OTHERS > most_work:
        return _section(title, ["Not tried: they take longer than this report may, or the rows are too few."])
    k = int(labels.max()) + 1
    found = {
        f"K-means, told K = {k}, ten starts": run(values, RunConfig("kmeans", n_clusters=k, n_init=10)).result_labels
    }
    found |= {f"{own.name} ({own.settings})": own.labels for own in references(values, 0, 1) if own is not None}
    rows = []
    for name, own in found.items():
        row: dict[str, object] = {
            "method": name, "clusters": len(np.unique(own[own >= 0])), "ARI with the answer": metrics.ari(labels, own),
        }  # fmt: skip
        if dataset.labels is not None:
            row["ARI with the reference"] = metrics.ari(dataset.labels, own)
        rows.append(row)
    words = [
        "On the same numbers. A method that agrees does not make an answer right, but where all differ look closer."
    ]
    return _section(title, words, _table(pd.DataFrame(rows).set_index("method")))


def _methods(trace: Trace, values: FloatArray, code: str) -> str:
    papers = "".join(f"<li>{escape(paper)}</li>" for paper in citations(trace))
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "pandas", "scikit-learn"))
    more = f"<ul>{papers}</ul>" + (f"<pre>{escape(code)}</pre>" if code else "")
    more += (
        f'<p class="muted">dpviz {escape(dpviz.__version__)}, Python {platform.python_version()} on {sys.platform}, '
        f"{escape(versions)}. Configuration: <code>{escape(trace.config.to_json())}</code></p>"
    )
    return _section("Methods, and how to repeat this", [methods_paragraph(trace, *values.shape)], more)
