"""Clusters in the units of the data: means, deviations, shares, and what sets each apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.datasets import Dataset
from dpviz.datasets.tables.cell_values import as_read
from dpviz.datasets.tables.table import CLOCK, DAYS
from dpviz.hurdles import end_of, ends_and_rest, ends_of
from dpviz.periods import about_mean, mean_of_turn, period_of
from dpviz.shares import are_parts, shares_of_parts

MOST_REASONS = 3
LEAST_DIFFERENCE = 0.5
"""Standard deviations, or a share of the rows, by which a cluster has to differ for the column to be named."""
LEAST_SHARE = 0.25
ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Share of the largest of some numbers by which they differ at most where they are the same but for rounding."""
MOST_WORDS = 12
"""Categories of a column whose shares are all told."""
SPREAD_IN = {DAYS: "days", CLOCK: "hours"}
"""Units of the spread of dates and times of the day."""


class Column(NamedTuple):
    """A clustered column as the user wrote it.

    Attributes
    ----------
    name : str
    numbers : ndarray (N,) or None
        Its values, NaN where missing, levels of numbers among them; None for words.
    codes : ndarray of int (N,) or None
        Its categories by their places in ``words``, −1 where missing; None for numbers.
    words : tuple of str
        Names of the categories.
    read_as : str
        ``DAYS`` or ``CLOCK`` if the numbers were dates or times of the day; else empty.
    period : float, optional
        After which the numbers begin again.
    ends : tuple of float
        Values with shares of their own, beside others of another law; none of most columns.
    """

    name: str
    numbers: FloatArray | None
    codes: IntArray | None
    words: tuple[str, ...]
    read_as: str = ""
    period: float | None = None
    ends: tuple[float, ...] = ()

    def n_known(self, labels: IntArray) -> IntArray:
        """Count the cells that are known in each cluster of labels (N,)."""
        if self.numbers is not None:
            known = np.isfinite(self.numbers)
        else:
            assert self.codes is not None
            known = self.codes >= 0
        return np.bincount(labels[known], minlength=int(labels.max()) + 1)

    @property
    def described(self) -> tuple[str, ...]:
        """Names of the columns that describe it in a table of clusters: two, or three if it has two ends."""
        if self.numbers is None:
            return f"{self.name} most frequent", f"{self.name} share"
        if self.ends:
            not_at_end = " or ".join(f"{end:g}" for end in self.ends)
            return f"{self.name} median if not {not_at_end}", *(f"{self.name} share of {end:g}" for end in self.ends)
        if not self.read_as:
            return f"{self.name} mean", f"{self.name} SD"
        return f"{self.name} mean ({self.read_as})", f"{self.name} SD ({SPREAD_IN[self.read_as]})"

    def written(self, number: float, spread: float) -> str:
        """Write a value, or a mean, with the digits that a spread leaves it: dates and times as such."""
        return as_read(number, self.read_as, spread=spread) or to_spread(number, spread)


def in_figures(number: float, digits: int = 4) -> str:
    """Write a number with so many figures, and never by a power of ten unless it is very small or large."""
    whole = 10 ** (digits - 1) <= abs(number) < 1e12
    return (f"{number:,.0f}" if whole else f"{number:.{digits}g}").replace("-", "−")


def to_spread(number: float, spread: float) -> str:
    """Write a number down to the second figure of a spread; one without spread as it is, with up to ten figures."""
    if not spread > 1e-12 * abs(number):
        return (f"{number:,.10g}" if abs(number) < 1e10 else f"{number:.10g}").replace("-", "−")
    place = 1 - int(np.floor(np.log10(spread)))
    if place > 6 or abs(number) >= 1e12:
        figures = 2 if number == 0 else int(np.clip(np.floor(np.log10(abs(number))) + 1 + place, 2, 15))
        return f"{number:#.{figures}g}".rstrip(".").replace("-", "−")
    return f"{round(number, max(place, 0)) + 0.0:,.{max(place, 0)}f}".replace("-", "−")


def own_columns(dataset: Dataset) -> list[Column]:
    """Return the clustered columns in their own units, and parts of a whole in percent of their row's total."""
    units, columns = dict(dataset.units), []
    shares = shares_of_parts(dataset.X, dataset.kinds)
    for d, name in enumerate(dataset.feature_names):
        values, words = dataset.X[:, d], dataset.category_names[d]
        if are_parts(dataset.kinds)[d]:
            columns.append(Column(f"{name} (% of the parts)", 100 * shares[:, d], None, ()))
            continue
        levels = _levels(words) if dataset.kinds[d] == "ordinal" else None
        if levels is not None:
            known = np.isfinite(values)
            numbers = np.where(known, levels[np.where(known, values, 0).astype(np.int64)], np.nan)
            columns.append(Column(name, numbers, None, ()))
        elif words:
            codes = np.where(np.isnan(values), -1, values).astype(np.int64)
            columns.append(Column(name, None, codes, tuple(words)))
        else:
            unit, period = units.get(name, ""), period_of(dataset.kinds[d])
            read_as = unit if unit in SPREAD_IN else ""
            columns.append(Column(name, np.asarray(values), None, (), read_as, period, ends_of(dataset.kinds[d])))
    return columns


def _levels(words: Sequence[str]) -> FloatArray | None:
    """Return the numbers (L,) that the levels of an ordinal column are; None if any is a word, or there are none."""
    try:
        return np.array([float(word) for word in words]) if words else None
    except ValueError:
        return None


def cluster_table(dataset: Dataset, labels: IntArray) -> pd.DataFrame:
    """Describe every cluster in the units of the data.

    Parameters
    ----------
    dataset : Dataset
        Its ``X`` in the units that are wanted.
    labels : ndarray of int (N,)

    Returns
    -------
    pandas.DataFrame
        A row per cluster, in the order of labels and named by them: ``n``, ``share`` (of 1), and of each column of
        numbers, or levels that are numbers, mean and standard deviation (of n − 1; NaN of a single value), of those
        with ends the median of others and the share of each, of words
        the most frequent and its share, and the share of each word if there are at most :data:`MOST_WORDS`.
    """
    named, clusters = np.unique(labels, return_inverse=True)
    sizes = np.bincount(clusters)
    table: dict[str, object] = {"cluster": named, "n": sizes, "share": sizes / len(clusters)}
    for column in own_columns(dataset):
        if column.ends:
            own = [ends_and_rest(part, column.ends) for part in _by_cluster(column, clusters)]
            found = np.array([(part.median, *part.ends) for part in own])
            table |= dict(zip(column.described, found.T, strict=True))
            continue
        first, second = column.described
        if column.numbers is not None:
            moments = _moments(_about_means(column, clusters), clusters)
            mean = moments.mean if column.period is None else np.mod(moments.mean, column.period)
            table |= {first: mean, second: moments.deviation}
            continue
        counts = _counts(column, clusters)
        usual, known = counts.argmax(axis=1), counts.sum(axis=1)
        words = [column.words[word] if n else None for word, n in zip(usual, known, strict=True)]
        with np.errstate(invalid="ignore"):
            shares = counts / known[:, None]
        table |= {first: np.array(words, dtype=object), second: shares.max(axis=1)}
        there = [c for c in np.argsort(column.words) if counts[:, c].any()]
        if len(there) <= MOST_WORDS:
            table |= {f"{column.name} = {column.words[c]}": shares[:, c] for c in there}
    return pd.DataFrame(table).set_index("cluster")


def overview_table(dataset: Dataset, labels: IntArray, names: Sequence[str] = ()) -> pd.DataFrame:
    """Return for every cluster its size, its share of the rows, and what sets it apart in words.

    Parameters
    ----------
    dataset : Dataset
    labels : ndarray of int (N,)
    names : sequence of str
        Of the clusters in the order of labels, for the index; by default they have their labels.
    """
    named, sizes = np.unique(labels, return_counts=True)
    apart = ["; ".join(own) or "differs little in any one column" for own in reasons(dataset, labels)]
    index = pd.Index(list(names) or named, name="cluster")
    return pd.DataFrame({"n": sizes, "share": sizes / len(labels), "what sets it apart": apart}, index=index)


def described_table(dataset: Dataset, labels: IntArray, names: Sequence[str] = ()) -> pd.DataFrame:
    """Return :func:`overview_table`, and behind it what :func:`cluster_table` says of every column."""
    overview = overview_table(dataset, labels, names)
    columns = cluster_table(dataset, labels).drop(columns=["n", "share"])
    return pd.concat([overview, columns.set_axis(overview.index)], axis=1)


def _by_cluster(column: Column, clusters: IntArray) -> list[FloatArray]:
    assert column.numbers is not None
    return [column.numbers[clusters == k] for k in range(int(clusters.max()) + 1)]


class _Moments(NamedTuple):
    """Of the known values of a column in each of K clusters, (K,) each; NaN where there are too few."""

    n: IntArray
    mean: FloatArray
    deviation: FloatArray


def _about_means(column: Column, clusters: IntArray) -> FloatArray:
    """Return the numbers of a column, those that begin again moved by whole periods to about their cluster's mean."""
    assert column.numbers is not None
    if column.period is None:
        return column.numbers
    moved = np.empty(len(column.numbers))
    for k in np.unique(clusters):
        moved[clusters == k] = about_mean(column.numbers[clusters == k], column.period)
    return moved


def _moments(values: FloatArray, clusters: IntArray) -> _Moments:
    known, k = np.isfinite(values), int(clusters.max()) + 1
    own, x = clusters[known], values[known]
    n = np.bincount(own, minlength=k)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(own, x, k) / n
        squares = np.bincount(own, (x - mean[own]) ** 2, k)
        deviation = np.sqrt(np.where(n > 1, squares / (n - 1.0), np.nan))
    lowest, highest = np.full(k, np.inf), np.full(k, -np.inf)
    np.minimum.at(lowest, own, x)
    np.maximum.at(highest, own, x)
    same = (n > 0) & _are_the_same(lowest, highest)
    return _Moments(n, np.where(same, lowest, mean), np.where(same & (n > 1), 0.0, deviation))


def _are_the_same(lowest: FloatArray, highest: FloatArray) -> BoolArray:
    """Whether numbers from a lowest to a highest differ by rounding alone: sums leave equal ones a spread."""
    with np.errstate(invalid="ignore"):
        return np.asarray(highest - lowest <= ROUNDING * np.maximum(np.abs(lowest), np.abs(highest)))


def _counts(column: Column, clusters: IntArray) -> IntArray:
    """Return how often each word stands in each cluster (K, C)."""
    assert column.codes is not None
    known, k, n_words = column.codes >= 0, int(clusters.max()) + 1, len(column.words)
    places = clusters[known] * n_words + column.codes[known]
    return np.asarray(np.bincount(places, minlength=k * n_words).reshape(k, n_words))


def reasons(dataset: Dataset, labels: IntArray) -> list[list[str]]:
    """Say what sets each cluster apart: the columns in which it differs most from all other rows.

    Parameters
    ----------
    dataset : Dataset
    labels : ndarray of int (N,)

    Returns
    -------
    list of list of str
        Up to three phrases per cluster, the largest difference first; none for a cluster that differs in no column.
    """
    clusters = np.unique(labels, return_inverse=True)[1]
    phrases: list[list[tuple[float, str]]] = [[] for _ in range(int(clusters.max()) + 1)]
    for column in own_columns(dataset):
        numbers = _differences_of_numbers if column.period is None else _differences_of_directions
        numbers = _differences_with_ends if column.ends else numbers
        describe = _differences_of_words if column.numbers is None else numbers
        for cluster, size, words in describe(column, clusters):
            phrases[cluster].append((size, words))
    return [[words for _, words in sorted(own, key=lambda phrase: -phrase[0])[:MOST_REASONS]] for own in phrases]


def _differences_of_numbers(column: Column, clusters: IntArray) -> Iterator[tuple[int, float, str]]:
    """Yield cluster, size of its difference from all other rows and words, where it is large enough."""
    assert column.numbers is not None
    known = column.numbers[np.isfinite(column.numbers)]
    if not len(known) or _are_the_same(known.min(), known.max()):
        return
    centre, spread = known.mean(), known.std()
    n, mean, _ = _moments(column.numbers - centre, clusters)
    sizes = np.bincount(clusters)
    more, less = ("later", "earlier") if column.read_as == DAYS else ("higher", "lower")
    for k in np.flatnonzero((n > 0) & (n < len(known))):
        other = -n[k] * mean[k] / (len(known) - n[k])  # the mean of all is 0
        apart = abs(mean[k] - other)
        if apart >= LEAST_DIFFERENCE * spread:
            own, others = (column.written(float(centre + value), float(apart)) for value in (mean[k], other))
            way, told = more if mean[k] > other else less, if_few(int(n[k]), int(sizes[k]))
            yield int(k), float(apart / spread), f"{column.name} {way} ({own}{told}, others {others})"


def _differences_of_directions(column: Column, clusters: IntArray) -> Iterator[tuple[int, float, str]]:
    """Yield cluster, size of its distance from all other rows about a turn and words, where it is large enough."""
    assert column.numbers is not None and column.period is not None
    known, sizes = np.isfinite(column.numbers), np.bincount(clusters)
    for k in np.unique(clusters[known]):
        own, others = column.numbers[known & (clusters == k)], column.numbers[known & (clusters != k)]
        if not len(others):
            continue
        spread = max(float(np.std(about_mean(part, column.period))) for part in (own, others))
        means = [mean_of_turn(part, column.period) for part in (own, others)]
        apart = abs(float(np.mod(means[0] - means[1] + column.period / 2, column.period)) - column.period / 2)
        if apart >= max(LEAST_DIFFERENCE * spread, ROUNDING * column.period):
            here, there = (column.written(value, apart) for value in means)
            told = if_few(len(own), int(sizes[k]))
            yield int(k), apart / spread if spread else np.inf, f"{column.name} about {here}{told}, others {there}"


def _differences_with_ends(column: Column, clusters: IntArray) -> Iterator[tuple[int, float, str]]:
    """Yield cluster, size of its difference from all other rows and words: at the ends, and in other values."""
    assert column.numbers is not None
    x, sizes, ends = column.numbers, np.bincount(clusters), column.ends
    not_at_end = " or ".join(f"{end:g}" for end in ends)
    y = _placed(np.where(end_of(x, ends) < len(ends), np.nan, x), ends)
    spread = float(np.nanstd(y)) if np.isfinite(y).any() else 0.0
    for k, part in enumerate(_by_cluster(column, clusters)):
        own, others = ends_and_rest(part, ends), ends_and_rest(x[clusters != k], ends)
        told = if_few(int(np.isfinite(part).sum()), int(sizes[k]))
        for end, here, there in zip(ends, own.ends, others.ends, strict=True):
            if abs(here - there) >= LEAST_SHARE:
                way = "more" if here > there else "less"
                shares = f"{here:.0%}{told}, others {there:.0%}"
                yield k, 2 * abs(here - there), f"{column.name} {end:g} {way} often ({shares})"
        if np.isnan(own.median) or np.isnan(others.median):
            continue
        apart = abs(float(np.subtract(*_placed(np.array([own.median, others.median]), ends))))
        if apart >= LEAST_DIFFERENCE * spread > 0:
            way = "higher" if own.median > others.median else "lower"
            here, there = (between(median, ends, 3) for median in (own.median, others.median))
            yield k, apart / spread, f"{column.name} {way} where not {not_at_end} ({here}{told}, others {there})"


def between(number: float, ends: Sequence[float], digits: int = 4) -> str:
    """Write a number with so many figures, or as many as tell it from the ends."""
    written = (in_figures(number, more) for more in range(digits, 18))
    return next((text for text in written if text not in {f"{end:g}" for end in ends}), in_figures(number, digits))


def _placed(x: FloatArray, ends: Sequence[float]) -> FloatArray:
    """Return logarithms of values (n,) with one end, or logits between two, which compare them."""
    return np.log(x) if len(ends) == 1 else np.log(x / (ends[1] - x))


def _differences_of_words(column: Column, clusters: IntArray) -> Iterator[tuple[int, float, str]]:
    """Yield cluster, size of its difference from all other rows and words, where it is large enough."""
    counts = _counts(column, clusters)
    n, totals, sizes = counts.sum(axis=1), counts.sum(axis=0), np.bincount(clusters)
    for k in np.flatnonzero((n > 0) & (n < totals.sum())):
        own, others = counts[k] / n[k], (totals - counts[k]) / (totals.sum() - n[k])
        word = int((own - others).argmax())
        if own[word] - others[word] >= LEAST_SHARE:
            shares = f"{own[word]:.0%}{if_few(int(n[k]), int(sizes[k]))}, others {others[word]:.0%}"
            yield (
                int(k),
                float(2 * (own[word] - others[word])),
                (f"{column.name} “{column.words[word]}” more often ({shares})"),
            )


def if_few(n_known: int, size: int) -> str:
    """Say of how many rows of a cluster a cell is known, where that is fewer than half of them."""
    return f", known in {n_known:,} of {size:,} rows" if 2 * n_known < size else ""
