"""What came out of a reader's own table, in a sentence: how many clusters, of whom, and what sets them apart."""

from __future__ import annotations

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Dataset
from dpviz.datasets.tables.cell_values import as_read
from dpviz.hurdles import HURDLE, ends_and_rest, ends_of
from dpviz.periods import mean_of_turn, period_of
from dpviz.report.tables import if_few, to_spread
from dpviz.shares import are_parts, shares_of_parts
from dpviz.text import counted, in_words, short
from dpviz.ui.session.jobs import Finished

MOST_CLUSTERS, MOST_COLUMNS, MOST_ROWS_NAMED = 4, 2, 2


def result_in_words(finished: Finished) -> str:
    """Say what a run found in data of the reader's own, joined as they are shown; empty for other data.

    Returns
    -------
    str
        Not escaped: it holds names of columns, of rows and of clusters.
    """
    if finished.choice.source != "session":
        return ""
    sweep = finished.trace.result_sweep
    labels = finished.clusters_at(sweep)
    used, sizes = np.unique(labels, return_counts=True)
    n_rows = counted(len(labels), "row")
    if len(used) == 1:
        return f"Result: one cluster of all {n_rows}."
    dataset = finished.prepared.dataset
    largest = np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS]
    others, names = telling_columns(dataset, labels), dataset.row_names()
    parts = []
    for label, size in zip(used[largest], sizes[largest], strict=True):
        members = np.flatnonzero(labels == label)
        columns = [*telling_parts(dataset, members), *others]
        known = np.isfinite(dataset.X[members][:, columns]).sum(axis=0)
        means = [
            f"{dataset.feature_names[d]} {mean_in_words(dataset, d, members)}{if_few(int(n), len(members))}"
            for d, n in zip(columns, known, strict=True)
        ]
        some = [f"with {in_words([names[i] for i in members[:MOST_ROWS_NAMED]])}"] if names else []
        about = f" ({'; '.join([', '.join(means), *some])})" if means or some else ""
        name = finished.name_of(finished.number_of(int(label), sweep))
        parts.append(f"{name} has {counted(int(size), 'row')}{about}")
    if len(used) > len(parts):
        n_more = len(used) - len(parts)
        parts.append(f"{n_more} more {'holds' if n_more == 1 else 'hold'} the rest")
    return f"Result: {len(used)} clusters in {n_rows}: {in_words(parts)}."


def mean_in_words(dataset: Dataset, d: int, members: IntArray) -> str:
    """Write a mean with three digits, as its neighbours in the sentence, and that of dates and times as such.

    Where these are too few to tell values of the column apart, or too many to be read, its spread gives the digits. Of
    codes it is how many have the commonest, or the second of two.
    """
    period, spread = period_of(dataset.kinds[d]), float(np.nanstd(dataset.X[:, d]))
    own = dataset.X[members, d]
    if names := dataset.category_names[d]:
        counts = np.bincount(own[np.isfinite(own)].astype(np.int64), minlength=len(names))
        code = 1 if len(names) == 2 else int(np.argmax(counts))
        return f"{names[code]} in {counts[code] / counts.sum():.0%}" if counts.any() else "missing"
    if ends := ends_of(dataset.kinds[d]):
        shares, value = ends_and_rest(own, ends)
        if np.isnan(shares).any():
            return "missing"
        at_ends = ", ".join(f"{end:g} in {share:.0%}" for end, share in zip(ends, shares, strict=True))
        return at_ends + ("" if np.isnan(value) else f", else about {short(value)}")
    if are_parts(dataset.kinds)[d]:
        known = shares_of_parts(dataset.X[members], dataset.kinds)[:, d]
        known = known[np.isfinite(known)]
        return f"{known.mean():.1%}" if len(known) else "missing"
    value = float(np.nanmean(own)) if period is None else mean_of_turn(own, period)
    read = as_read(value, dict(dataset.units).get(dataset.feature_names[d], ""), spread=spread)
    if read is not None:
        return read
    last = 1.0 if abs(value) >= 99.95 else 0.1 if abs(value) >= 9.995 else 0.01
    if 0 < spread < 2 * last or abs(value) >= 1e12:
        return to_spread(value, spread)
    return f"{value:.1f}".replace("-", "−") if last == 0.1 else short(value)


def telling_parts(dataset: Dataset, members: IntArray) -> list[int]:
    """Return the parts that set a cluster apart most: by their share there times its log ratio to that elsewhere."""
    parts = np.flatnonzero(are_parts(dataset.kinds))
    own = np.nansum(dataset.X[members][:, parts], axis=0)
    others = np.nansum(dataset.X[:, parts], axis=0) - own
    shares, elsewhere = ((counts + 0.5) / (counts + 0.5).sum() for counts in (own, others))
    telling = shares * np.log(shares / elsewhere)
    return [int(parts[i]) for i in np.argsort(-telling, kind="stable")[:MOST_COLUMNS] if telling[i] > 0]


def telling_columns(dataset: Dataset, labels: IntArray) -> list[int]:
    """Return the columns that tell the clusters apart best, by their share of variance; no parts."""
    parts = are_parts(dataset.kinds)
    shares = {d: _share_between(_placed(dataset, d), labels) for d in range(dataset.n_features) if not parts[d]}
    told = sorted((d for d in shares if shares[d] > 0), key=lambda d: -shares[d])
    return told[:MOST_COLUMNS]


def _placed(dataset: Dataset, d: int) -> FloatArray:
    """Return where the values of a column are (N, C), NaN if missing: on a circle, codes as indicators.

    A long tail, where its kind has one, does not outweigh the zeros.
    """
    column, period = dataset.X[:, d : d + 1], period_of(dataset.kinds[d])
    if names := dataset.category_names[d]:
        return np.where(np.isnan(column), np.nan, column == np.arange(len(names)))
    if period is not None:
        turn = 2 * np.pi / period * column
        return np.hstack([np.cos(turn), np.sin(turn)])
    return np.log1p(column / ends_and_rest(column, (0.0,)).median) if dataset.kinds[d] == HURDLE else column


def _share_between(places: FloatArray, labels: IntArray) -> float:
    """Share of the variance of places (N, C) between clusters; 0 if a cluster has none."""
    seen = ~np.isnan(places[:, 0])
    groups = [places[seen & (labels == label)] for label in np.unique(labels)]
    total = float(np.var(places[seen], axis=0).sum()) if seen.any() else 0.0
    if total == 0 or not all(len(group) for group in groups):
        return 0.0
    within = sum(len(group) * float(np.var(group, axis=0).sum()) for group in groups) / int(seen.sum())
    return 1 - within / total
