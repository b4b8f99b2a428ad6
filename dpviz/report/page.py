"""The report as an HTML page: light, for print too, without a script and without a request."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from html import escape
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import dpviz
from dpviz import metrics
from dpviz.analysis.certainty import N_SWEEPS, Certainty, cluster_certainty
from dpviz.analysis.merging import NLL, MergeTree, tree
from dpviz.analysis.reference_methods import references
from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, scale
from dpviz.engine.algorithms.base import ALGORITHMS, describe
from dpviz.engine.improve import canonical_labels
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import DpvizError, InvalidDataError, require
from dpviz.fit.run import run
from dpviz.fit.steps import drained
from dpviz.player.notebook import Table
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.player.still import still
from dpviz.report.preparation import Shaping, n_filled, recognised
from dpviz.report.tables import Column, cluster_table, in_figures, own_columns, reasons
from dpviz.report.words import (
    MERGED_BY,
    citations,
    gaps_in_words,
    methods_paragraph,
    model_in_words,
    nats,
    search_in_words,
)
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
STEPS_PER_CLUSTER = 200
"""Iterations of K-means with ten starts, about."""
N_SEEDS = 3
"""Other seeds with which the run is repeated."""
OPERATIONS = 8.0
"""Arithmetic operations, as algorithms count them, for a point, a cluster and a column."""
UNION, PAIR, FEW_MERGES = 20.0, 1e4, 1e8
"""Sweeps that a tree of merges is worth, and work for each pair of clusters; up to so much a tree is always made."""

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


def report(dataset: Dataset, trace: Trace, X: FloatArray | None = None, **options: Any) -> str:
    """Write a run as one page.

    Parameters
    ----------
    dataset, trace, X, **options
        As for :func:`report_steps`.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        As for :func:`report_steps`.
    """
    return drained(report_steps(dataset, trace, X, **options))


def report_steps(
    dataset: Dataset,
    trace: Trace,
    X: FloatArray | None = None,
    *,
    code: str = "",
    joined: IntArray | None = None,
    joined_by: str = NLL,
    shaping: Shaping | None = None,
    most_work: float = MOST_WORK,
) -> Generator[tuple[float, str], None, str]:
    """Write a run as one page, part by part.

    Parameters
    ----------
    dataset : Dataset
        The data in their own units, in which clusters are described.
    trace : Trace
        A run on them.
    X : ndarray (N, D), optional
        What the run clustered, if columns were prepared; by default ``dataset.X``.
    code : str
        What repeats the run; left out if empty.
    joined : ndarray of int (N,), optional
        Clusters of the result joined to fewer (:func:`dpviz.analysis.merging.tree`), of which the page then speaks.
    joined_by : str
        What these merges were chosen by, of :data:`dpviz.analysis.merging.ORDERS`.
    shaping : Shaping, optional
        How X was made of the data; by default it is recognised if it is a scaling, and else the page says that it does
        not know.
    most_work : float
        Points × clusters × columns × sweeps that merges, a chain, runs with other seeds, or other methods may each take
        for the page; 0 for merges alone, if they are few. What would take more is named as not tried.

    Yields
    ------
    tuple of (float, str)
        Share of the parts that are done, and the next in words.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If the run was made from other data, or there is not one joined cluster for each row, each of whole clusters.
    """
    check_trace(trace)
    values = dataset.X if X is None else X
    for name, rows in (("X", len(values)), ("dataset", dataset.n_points)):
        require(rows == trace.n_points, name, rows, f"the {trace.n_points:,} rows of the run")
    _check_data(trace, values)
    of_points = trace.result_labels if joined is None else joined
    require(len(of_points) == trace.n_points, "joined", len(of_points), f"one for each of the {trace.n_points:,} rows")
    found = np.unique(of_points, return_inverse=True)[1]
    whole = len(np.unique(np.stack([trace.result_labels, found]), axis=1).T) == len(np.unique(trace.result_labels))
    require(whole, "joined", "labels", "unions of whole clusters of the run")
    of = _Told(dataset, values, trace, found, shaping or recognised(dataset, values), joined_by, most_work)
    yield 0.0, "merges of clusters"
    merges, why_none = _merges(of)
    words = _joined_in_words(of, merges)
    makers: list[tuple[str, Callable[[], str]]] = [
        ("the answer", lambda: _data(of) + _model(of) + _answer(of, words)),
        ("other scales", lambda: _scales(of, merges, why_none)),
        ("a chain, and runs with other seeds", lambda: _certainty(of)),
        ("other methods", lambda: _others(of)),
        ("methods", lambda: _methods(of, words, code)),
    ]
    parts = []
    for place, (name, make) in enumerate(makers, 1):
        yield place / (len(makers) + 1), name
        parts.append(make())
    title = escape(dataset.title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}: clusters</title><style>{_STYLE}</style></head><body>"
        f'<h1>{title}</h1><p class="muted">{escape(describe(trace.config))}</p>{"".join(parts)}</body></html>\n'
    )


class _Told(NamedTuple):
    """What a page tells of."""

    dataset: Dataset
    values: FloatArray
    trace: Trace
    labels: IntArray
    shaping: Shaping
    joined_by: str
    most_work: float

    @property
    def k(self) -> int:
        """Clusters of the answer."""
        return int(self.labels.max()) + 1

    @property
    def n_found(self) -> int:
        """Clusters of the run."""
        return int(self.trace.n_clusters[self.trace.result_sweep])

    @property
    def why_not(self) -> str:
        """Why something is not tried."""
        return "it takes longer than this report may" if self.most_work else "it was left out, as asked"

    def sweeps_take(self, n_sweeps: float) -> float:
        """Return the work of so many sweeps of the run's algorithm, whatever its family."""
        config, clusters = self.trace.config, float(max(self.k, self.n_found))
        algorithm = ALGORITHMS[config.algorithm]
        one = algorithm.sweep_operations(config, len(self.values), self.values.shape[1], clusters)
        return float(n_sweeps) * one / OPERATIONS


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


def _data(of: _Told) -> str:
    dataset, n_features = of.dataset, of.dataset.n_features
    filled, gaps = n_filled(dataset, of.values), int(np.isnan(of.values).any(axis=1).sum())
    facts = [
        f"{counted(dataset.n_points, 'row')} and {counted(n_features, 'column')}: "
        f"{', '.join(dataset.feature_names[:30])}{' and others' if n_features > 30 else ''}.",
        f"{counted(filled, 'missing cell')} {'was' if filled == 1 else 'were'} filled in before." if filled else "",
        *of.shaping.in_words(of.values.shape[1]),
        gaps_in_words(of.trace, gaps),
        "The stored run does not say which numbers it was made from; that they are these is taken on trust."
        if not of.trace.data else "",
        dataset.source, dataset.licence, dataset.citation,
    ]  # fmt: skip
    return _section("Data", [*(text for text in facts if text), *dataset.notes])


def _model(of: _Told) -> str:
    uses_units = ALGORITHMS[of.trace.config.algorithm].uses_model and not of.shaping.is_none
    units = ["Hyperparameters of clusters are those of the prepared numbers."] if uses_units else []
    return _section("Model", [*model_in_words(of.trace), *units, search_in_words(of.trace)])


def _joined_in_words(of: _Told, merges: MergeTree | None) -> str:
    """Say from how many clusters the answer was joined, by what, and at which price; empty if none were."""
    if of.k == of.n_found:
        return ""
    begun = f"{counted(of.k, 'cluster')}, joined from the {of.n_found} that were found"
    if merges is None:
        return f"{begun}."
    if not np.array_equal(merges.labels(of.k), canonical_labels(of.labels)):
        return f"{begun}; by what, and at which price, is not known here."
    cost = merges.cost(of.k)
    return f"{begun}, {MERGED_BY[of.joined_by]}, which costs {nats(abs(cost))} {'more' if cost >= 0 else 'less'}."


def _answer(of: _Told, joined: str) -> str:
    dataset, trace, labels, k = of.dataset, of.trace, of.labels, of.k
    words = [joined or f"{counted(k, 'cluster')}."]
    if ALGORITHMS[trace.config.algorithm].has_nll:
        units = "" if of.shaping.is_none else ", of the prepared numbers"
        words.append(f"As found, −ln p(data, partition) is {nats(trace.nll[trace.result_sweep])}{units}.")
    if dataset.labels is not None:
        scores = metrics.ari(dataset.labels, labels), metrics.nmi(dataset.labels, labels)
        words.append(f"With the reference groups of the data: ARI {scores[0]:.3f}, NMI {scores[1]:.3f}.")
    apart = ["; ".join(own) or "differs little in any one column" for own in reasons(dataset, labels)]
    sizes = np.bincount(labels)
    overview = pd.DataFrame(
        {"cluster": range(1, k + 1), "n": sizes, "share": [f"{n / len(labels):.1%}" for n in sizes]}
    ).assign(**{"what sets it apart": apart})
    figure = "" if of.values.shape[1] == 1 else _picture(of)
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
    return column.written(float(usual), spread) + deviation  # type: ignore[arg-type]


def _picture(of: _Told) -> str:
    """Draw the clustered numbers, of more than two columns the principal components of the standardised ones."""
    n_features, names = of.values.shape[1], of.shaping.column_names(of.dataset.feature_names, of.values.shape[1])
    values = of.values
    if n_features > 2:  # else the column of the largest numbers is the picture
        values = scale(values, "standardise", names).X
    drawn = of.dataset
    if n_features > 2 or not of.shaping.is_none or of.dataset.X.shape != values.shape:
        drawn = Dataset(X=values, name="drawn", feature_names=names, gaps=True)
    display = Table(drawn).display()
    axes = ", the axes those of standardised columns" if n_features > 2 else ""
    if n_features > 2 and of.shaping.n_components:
        axes = f", the axes those of the {n_features} standardised principal components that were clustered"
    points, titles = display.coordinates, display.axis_names
    chosen = evenly_spaced(len(points), MOST_DOTS)
    caption = f"{titles[1]} against {titles[0]}; colours are the clusters of the table{axes}."
    if len(chosen) < len(points):
        caption += f" {len(chosen):,} of {len(points):,} points are drawn."
    drawing = still(points[chosen, :2], of.labels[chosen].tolist(), caption)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _merges(of: _Told) -> tuple[MergeTree | None, str]:
    """Return the tree of merges, or why there is none."""
    unions = UNION * of.sweeps_take(1) + PAIR * float(of.n_found) ** 2
    if unions > max(of.most_work, FEW_MERGES):
        return (
            None,
            f"{counted(of.n_found, 'cluster')} of {len(of.values):,} rows take longer to weigh pair by pair "
            "than this report may.",
        )
    try:
        return tree(of.values, of.trace, of.joined_by), ""
    except DpvizError as error:
        return None, str(error)


def _scales(of: _Told, merges: MergeTree | None, why_none: str) -> str:
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
        if of.dataset.labels is not None:
            row["ARI"] = metrics.ari(of.dataset.labels, labels)
        rows.append(row)
    words = [
        "A mixture may take several clusters for one group that is not bell-shaped. Each row joins two clusters of the "
        f"row above, {MERGED_BY[merges.order]}.",
        f"Joining only clusters that surely overlap leaves {merges.suggestion}.",
    ]
    return _section("At other scales", words, _table(pd.DataFrame(rows).set_index("clusters")))


def _certainty(of: _Told) -> str:
    title, algorithm = "How certain", ALGORITHMS[of.trace.config.algorithm]
    if not algorithm.uses_model:
        return _section(title, ["No chain was run: this method has no prior on partitions.", *_repeated(of)])
    if of.sweeps_take(N_SWEEPS) > of.most_work:
        return _section(title, [f"No chain was tried: {of.why_not}.", *_repeated(of)])
    found = cluster_certainty(of.values, of.trace, of.labels)
    learned = " It learns the same hyperparameters." if of.trace.config.hyperpriors else ""
    words = [
        f"A Gibbs chain of {len(found.n_clusters):,} kept sweeps that begins at these clusters has "
        f"{found.n_clusters.min()} to {found.n_clusters.max()} of them, most often "
        f"{np.bincount(found.n_clusters).argmax()}.{learned} Two points of a cluster stay together in the share of its "
        "draws that is given below; it explores the surroundings of this answer and need not find others far from it.",
        *_repeated(of),
    ]
    return _section(title, words, _table(_stability(found)))


def _stability(found: Certainty) -> pd.DataFrame:
    k = len(found.stability)
    others = found.together - np.eye(k) * found.together
    frame = pd.DataFrame({"cluster": range(1, k + 1), "stays together": [f"{share:.0%}" for share in found.stability]})
    if k > 1:
        likeliest = zip(others.argmax(axis=1), found.between, strict=True)
        frame["likeliest to be one with"] = [str(place + 1) if share > 0 else "–" for place, share in likeliest]
        frame["probability"] = [f"{share:.1%}" for share in found.between]
    return frame.set_index("cluster")


def _repeated(of: _Told) -> list[str]:
    """Repeat the run with other seeds, and say how much the results agree."""
    config: RunConfig = of.trace.config
    if isinstance(config.init, tuple):
        return ["Other seeds were not tried: the run began from given clusters."]
    n_sweeps = of.trace.n_trial_sweeps or of.trace.n_sweeps * len(of.trace.starts)
    if ALGORITHMS[config.algorithm].is_chain:  # a run that was stopped had fewer than others with its settings have
        n_sweeps = config.n_sweeps * (config.n_init or 1)
    if N_SEEDS * of.sweeps_take(n_sweeps) > of.most_work:
        return [f"Other seeds were not tried: {of.why_not}."]
    others, left = [], N_SEEDS * of.most_work / max(of.sweeps_take(1), 1.0)

    def is_too_long() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    for extra in range(1, N_SEEDS + 1):
        others.append(run(of.values, replace(config, seed=(config.seed + extra) % 2**32), is_too_long))
        if left < 0:
            return [f"Other seeds were not tried to their end: {of.why_not}."]
    scores = [metrics.ari(of.trace.result_labels, other.result_labels) for other in others]
    counts = sorted({int(other.n_clusters[other.result_sweep]) for other in others})
    return [
        f"{N_SEEDS} runs with other seeds find {' or '.join(map(str, counts))} cluster{'s' * (counts != [1])}, ARI "
        f"with the answer as found {min(scores):.3f} to {max(scores):.3f}."
    ]


def _others(of: _Told) -> str:
    title, values, labels, k = "What other methods say", of.values, of.labels, of.k
    if np.isnan(values).any() or "categorical" in of.dataset.kinds:
        return _section(title, ["Not tried: the other methods here need complete columns of numbers."])
    if len(values) < 3:
        return _section(title, ["Not tried: the rows are too few."])
    if values.size * max(STEPS_OF_OTHERS, STEPS_PER_CLUSTER * k) > of.most_work:
        return _section(title, [f"Not tried: {of.why_not}."])
    found = {
        f"K-means, told K = {k}, ten starts": run(values, RunConfig("kmeans", n_clusters=k, n_init=10)).result_labels
    }
    found |= {f"{own.name} ({own.settings})": own.labels for own in references(values, 0, 1) if own is not None}
    rows = []
    for name, own in found.items():
        row: dict[str, object] = {
            "method": name, "clusters": len(np.unique(own[own >= 0])), "ARI with the answer": metrics.ari(labels, own),
        }  # fmt: skip
        if of.dataset.labels is not None:
            row["ARI with the reference"] = metrics.ari(of.dataset.labels, own)
        rows.append(row)
    words = [
        "On the same numbers. A method that agrees does not make an answer right, but where all differ look closer."
    ]
    return _section(title, words, _table(pd.DataFrame(rows).set_index("method")))


def _methods(of: _Told, joined: str, code: str) -> str:
    papers = "".join(f"<li>{escape(paper)}</li>" for paper in citations(of.trace))
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "pandas", "scikit-learn"))
    more = f"<ul>{papers}</ul>" + (f"<pre>{escape(code)}</pre>" if code else "")
    more += (
        f'<p class="muted">dpviz {escape(dpviz.__version__)}, Python {platform.python_version()} on {sys.platform}, '
        f"{escape(versions)}. Configuration: <code>{escape(of.trace.config.to_json())}</code></p>"
    )
    words = methods_paragraph(of.trace, of.dataset.n_points, of.dataset.n_features, of.shaping.in_brief(), joined)
    return _section("Methods, and how to repeat this", [words], more)
