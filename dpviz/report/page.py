"""The report as an HTML page: light, for print too, without a script and without a request."""

from __future__ import annotations

import platform
import sys
from collections.abc import Generator, Sequence
from html import escape
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

import dpviz
from dpviz import metrics
from dpviz.analysis.merging import NLL, MergeTree, tree
from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS, describe
from dpviz.engine.improve import canonical_labels
from dpviz.engine.stored_check import check_result
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import DpvizError, require
from dpviz.fit.steps import drained
from dpviz.fit.transforms import TRANSFORMED, unasked
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.player.still import still
from dpviz.report.axes import axes_of
from dpviz.report.checks import MOST_WORK, certainty, models, others
from dpviz.report.dendrogram import dendrogram
from dpviz.report.pieces import MOST_ROWS, Clusters, Steps, Told, left_out, report_page, section, table
from dpviz.report.preparation import Shaping, n_filled, recognised, units_of
from dpviz.report.tables import (
    SPREAD_IN,
    Column,
    between,
    cluster_table,
    if_few,
    in_figures,
    overview_table,
    own_columns,
)
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
"""Points in the picture."""
MOST_ACROSS = 12
"""Clusters beside each other in a table; more of them, up to MOST_ROWS, are in further ones below it."""
UNION, PAIR, FEW_MERGES = 20.0, 1e4, 1e8
"""Sweeps that a tree of merges is worth, and work for each pair of clusters; up to so much a tree is always made."""


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
    names: Sequence[str] = (),
    colours: Sequence[int] = (),
    shaping: Shaping | None = None,
    notes: Sequence[str] = (),
    undecided: Sequence[str] | None = None,
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
    names : sequence of str
        Of the clusters in the order of their labels; by default these labels, counted from 0.
    colours : sequence of int
        Which colour of the palette each has, from 0; in their order by default.
    shaping : Shaping, optional
        How X was made of the data; by default it is recognised if it is a scaling, and else the page says that it does
        not know.
    notes : sequence of str
        What was said when the model was chosen (:attr:`dpviz.fit.width.WidthChoice.notes`), to be said here again.
    undecided : sequence of str, optional
        Settings of the model that were left to the data (:attr:`dpviz.config.RunConfig.undecided` of the configuration
        that was asked for); by default it is not known, and the page says so where it matters.
    most_work : float
        Points × clusters × columns × sweeps that merges, a chain, repeated runs, other models or other methods may each
        take for the page; 0 for merges alone, if they are few. What would take more is named as not tried.

    Yields
    ------
    tuple of (float, str)
        Share of the parts that are done, and what is computed next in words.

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
    check_result(values, trace)
    of_points = trace.result_labels if joined is None else joined
    require(len(of_points) == trace.n_points, "joined", len(of_points), f"one for each of the {trace.n_points:,} rows")
    found = np.unique(of_points, return_inverse=True)[1]
    whole = len(np.unique(np.stack([trace.result_labels, found]), axis=1).T) == len(np.unique(trace.result_labels))
    require(whole, "joined", "labels", "unions of whole clusters of the run")
    clusters = Clusters.of(found, names, colours)
    numbered = "" if names else "Clusters have the numbers of the run's labels, from 0, as in tables of rows."
    made = shaping or recognised(dataset, values)
    trace = units_of(dataset, values, made).trace(trace)
    of = Told(
        dataset,
        values,
        trace,
        clusters,
        made,
        joined_by,
        most_work,
        tuple(notes),
        None if undecided is None else tuple(undecided),
    )
    yield 0.0, "merges of clusters"
    merges, why_none = _merges(of)
    joins = _joined_in_words(of, merges)
    parts = [
        _answered(of, joins, merges, why_none, numbered),
        certainty(of),
        models(of),
        others(of),
        _methods(of, joins, code),
    ]
    written = []
    for place, part in enumerate(parts, 1):
        written.append((yield from _placed(place / (len(parts) + 1), part)))
    about = f'<p class="muted">{escape(describe(trace.config))}</p>'
    return report_page(f"{dataset.title}: clusters", dataset.title, about + "".join(written))


def _placed(share: float, part: Steps[str]) -> Generator[tuple[float, str], None, str]:
    """Take the steps of a part, each with the share of the page that is done before that part."""
    while True:
        try:
            name = next(part)
        except StopIteration as end:
            written: str = end.value
            return written
        yield share, name


def _answered(of: Told, joins: str, merges: MergeTree | None, why_none: str, numbered: str) -> Steps[str]:
    yield "the answer"
    return _data(of) + _model(of) + _answer(of, joins, numbered) + _scales(of, merges, why_none)


def _data(of: Told) -> str:
    dataset, n_features = of.dataset, of.dataset.n_features
    filled, gaps = n_filled(dataset, of.values), int(np.isnan(of.values).any(axis=1).sum())
    facts = [
        f"{counted(dataset.n_points, 'row')} and {counted(n_features, 'column')}: "
        f"{', '.join(dataset.feature_names[:30])}{' and others' if n_features > 30 else ''}.",
        f"{counted(filled, 'missing cell')} {'was' if filled == 1 else 'were'} filled in before." if filled else "",
        *of.shaping.in_words(of.values.shape[1]),
        gaps_in_words(of.trace, gaps),
        "The stored run does not say which numbers it was made from; that they are these is taken on trust."
        if not of.trace.data
        else "",
        dataset.source,
        dataset.licence,
        dataset.citation,
    ]
    return section("Data", [*(text for text in facts if text), *dataset.notes])


def _model(of: Told) -> str:
    uses_units = of.trace.config.uses_model and not of.shaping.is_none
    units = ["Hyperparameters of clusters are those of the prepared numbers."] if uses_units else []
    told = [note for note in unasked(of.notes) if not note.startswith(TRANSFORMED)]  # the model says the powers itself
    return section(
        "Model", [*model_in_words(of.trace, _names(of), of.undecided), *units, *told, search_in_words(of.trace)]
    )


def _names(of: Told) -> tuple[str, ...]:
    """Return the names of the columns that were clustered; none if these are made of several."""
    names = of.dataset.feature_names
    return names if len(names) == of.values.shape[1] and not of.shaping.n_components else ()


def _joined_in_words(of: Told, merges: MergeTree | None) -> str:
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


def _answer(of: Told, joins: str, numbered: str) -> str:
    dataset, trace, labels, clusters = of.dataset, of.trace, of.labels, of.clusters
    words = [joins or f"{counted(of.k, 'cluster')}."]
    if ALGORITHMS[trace.config.algorithm].has_nll:
        units = "" if of.shaping.by_column else ", of the prepared numbers"
        units += "" if trace.config.coarsening is None else ", the likelihood to its power"
        words.append(f"As found, −ln p(data, partition) is {nats(trace.nll[trace.result_sweep])}{units}.")
    if dataset.labels is not None:
        scores = metrics.ari(dataset.labels, labels), metrics.nmi(dataset.labels, labels)
        words.append(f"With the reference groups of the data: ARI {scores[0]:.3f}, NMI {scores[1]:.3f}.")
    words += [numbered] if numbered else []
    overview = overview_table(dataset, labels, clusters.names)
    overview["share"] = [f"{share:.1%}" for share in overview["share"]]
    shown = table(overview, colours=clusters.colours)
    return section("Answer", words, _picture(of) + shown + _by_column(dataset, clusters))


def _by_column(dataset: Dataset, found: Clusters) -> str:
    """Write the columns of the data below each other, a column per cluster: as mean ± SD, or the usual word."""
    columns, described = own_columns(dataset), cluster_table(dataset, found.labels)
    names = [column.name for column in columns]
    shown = [name if not name.isdigit() else f"cluster {name}" for name in found.names[:MOST_ROWS]]
    sizes, known = np.bincount(found.labels), [column.n_known(found.labels) for column in columns]
    cells = [
        [_summary(column, described.iloc[k]) + if_few(int(n[k]), int(sizes[k])) for k in range(len(shown))]
        for column, n in zip(columns, known, strict=True)
    ]
    frame, n_tables = pd.DataFrame(cells, index=names, columns=shown), -(-len(shown) // MOST_ACROSS)
    parts = [frame.iloc[:, own] for own in np.array_split(np.arange(len(shown)), n_tables)]
    n_more = len(found.names) - len(shown)
    more = f'<p class="muted">{left_out(n_more, "cluster")}</p>' if n_more else ""
    written = "".join(table(part, row="column") for part in parts)
    usual = "mean ± standard deviation, or the most frequent word"
    with_ends = any(column.ends for column in columns)
    usual += "; where many are at an end, the share of these and the median of the others" * with_ends
    return f"<p>In the units of the data: {usual}.</p>{written}{more}"


def _summary(column: Column, row: pd.Series) -> str:
    usual, spread, *_ = values = [row[name] for name in column.described]
    if column.ends and not np.isnan(spread):
        at_ends = ", ".join(f"{end:g} ({share:.0%})" for end, share in zip(column.ends, values[1:], strict=True))
        return at_ends + ("" if np.isnan(usual) else f", else {between(usual, column.ends)}")
    if usual is None or (isinstance(usual, float) and np.isnan(usual)):
        return "–"
    if isinstance(usual, str):
        return f"{usual} ({spread:.0%})"
    unit = f" {SPREAD_IN[column.read_as]}" if column.read_as else ""
    deviation = "" if np.isnan(spread) else f" ± {in_figures(spread, 2)}{unit}"
    return column.written(float(usual), spread) + deviation


def _picture(of: Told) -> str:
    """Draw the points in the units of up to two columns, and of more as they were clustered; nothing of one."""
    n_numbers, n_features = of.values.shape[1], of.dataset.n_features
    shown = axes_of(of.dataset, of.values, clustered=of.shaping.column_names(of.dataset, n_numbers))
    if len(shown) == 1:
        return ""
    across, up = shown
    places = np.column_stack([across.values, up.values])
    known = np.flatnonzero(np.isfinite(places).all(axis=1))
    chosen = known[evenly_spaced(len(known), MOST_DOTS)]
    axes = ""
    if n_features > 2 and n_numbers > 2:
        axes = ", the axes those of standardised columns"
        if of.shaping.n_components:
            axes = f", the axes those of the {n_numbers} standardised principal components that were clustered"
    caption = f"{up.name} against {across.name}; colours are the clusters of the table{axes}."
    if len(chosen) < len(places):
        caption += f" {len(chosen):,} of {len(places):,} points are drawn."
    drawing = still(places[chosen], np.array(of.clusters.colours)[of.labels[chosen]].tolist(), caption)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _merges(of: Told) -> tuple[MergeTree | None, str]:
    """Return the tree of merges, or why there is none."""
    if not of.trace.config.uses_model:
        return None, "this method has no nll, and so no price of joining two clusters."
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


def _scales(of: Told, merges: MergeTree | None, why_none: str) -> str:
    if merges is None:
        return section("At other scales", [f"Not tried: {why_none}"])
    if merges.n_leaves == 1:
        return section("At other scales", ["There is one cluster, so there is no coarser answer."])
    rows = []
    for k in range(merges.n_leaves, 0, -1):
        labels = merges.labels(k)
        row: dict[str, object] = {
            "clusters": k,
            "costs more (nats)": float(merges.nll[merges.n_leaves - k] - merges.nll[0]),
            "smallest": int(np.bincount(labels).min()),
            "largest": int(np.bincount(labels).max()),
        }
        if of.dataset.labels is not None:
            row["ARI"] = metrics.ari(of.dataset.labels, labels)
        rows.append(row)
    words = [
        "A mixture may take several clusters for one group that is not bell-shaped. Each row joins two clusters of the "
        f"row above, {MERGED_BY[merges.order]}.",
        f"Joining only clusters that look like one group (dip test), in this order, leaves {merges.suggestion}.",
    ]
    return section(
        "At other scales", words, _tree(of, merges) + table(pd.DataFrame(rows).set_index("clusters"), row="scale")
    )


def _tree(of: Told, merges: MergeTree) -> str:
    """Draw the tree, its leaves in the colours of the clusters of the page."""
    shown = of.labels[np.unique(merges.leaves, return_index=True)[1]]
    sizes = np.bincount(merges.leaves)
    names = [f"{of.clusters.names[k]} ({size:,})" for k, size in zip(shown, sizes, strict=True)]
    palette = CLUSTER_COLORS["light"]
    colors = [palette[of.clusters.colours[k] % len(palette)] for k in shown]
    cut = of.k if np.array_equal(canonical_labels(of.labels), merges.labels(min(of.k, merges.n_leaves))) else None
    caption = (
        f"The {merges.n_leaves} clusters found, with the numbers of their points, joined from the left to the right."
    )
    if cut is not None and cut < merges.n_leaves:
        caption += " This page joins those left of the dotted line."
    drawing = dendrogram(merges, cut or merges.n_leaves, names, colors, caption)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _methods(of: Told, joined: str, code: str) -> Steps[str]:
    yield "methods"
    papers = "".join(f"<li>{escape(paper)}</li>" for paper in citations(of.trace))
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "pandas", "scikit-learn"))
    more = f"<ul>{papers}</ul>" + (f"<pre>{escape(code)}</pre>" if code else "")
    more += (
        f'<p class="muted">dpviz {escape(dpviz.__version__)}, Python {platform.python_version()} on {sys.platform}, '
        f"{escape(versions)}. Configuration: <code>{escape(of.trace.config.to_json())}</code></p>"
    )
    n_rows, n_columns, how = of.dataset.n_points, of.dataset.n_features, of.shaping.in_brief()
    words = methods_paragraph(of.trace, n_rows, n_columns, how, joined, _names(of), of.undecided)
    return section("Methods, and how to repeat this", [words], more)
