"""Clusters in the units of the data: means, deviations, shares, and what sets each apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Dataset
from dpviz.datasets.tables.cell_values import DAYS

MOST_REASONS = 3
LEAST_DIFFERENCE = 0.5
"""Standard deviations, or a share of the rows, by which a cluster has to differ for the column to be named."""
LEAST_SHARE = 0.25
MOST_WORDS = 12
"""Categories of a column whose shares are all told."""


class Column(NamedTuple):
    """A clustered column as the user wrote it.

    Attributes
    ----------
    name : str
    numbers : ndarray (N,) or None
        Its values, NaN where missing; None for words.
    words : ndarray of object (N,) or None
        Its categories, None where missing; None for numbers.
    is_date : bool
        Whether the numbers are days since 1 January 1970.
    """

    name: str
    numbers: FloatArray | None
    words: np.ndarray | None
    is_date: bool

    @property
    def described(self) -> tuple[str, str]:
        """Names of the two columns that describe it in a table of clusters."""
        return (f"{self.name} mean", f"{self.name} SD") if self.words is None else (
            f"{self.name} most frequent", f"{self.name} share")  # fmt: skip

    def written(self, number: float) -> str:
        """Write a value, or a mean: a date as such."""
        if self.is_date and abs(number) < 1e6:
            return str(np.datetime64("1970-01-01") + np.timedelta64(round(number), "D"))
        return in_figures(number)


def in_figures(number: float, digits: int = 4) -> str:
    """Write a number with so many figures, and never by a power of ten unless it is very small or large."""
    if number and not 1e-4 <= abs(number) < 1e12:
        return f"{number:.{digits}g}"
    return f"{number:,.0f}" if abs(number) >= 10 ** (digits - 1) else f"{number:.{digits}g}"


def own_columns(dataset: Dataset) -> list[Column]:
    """Return the clustered columns in their own units."""
    units, columns = dict(dataset.units), []
    for d, name in enumerate(dataset.feature_names):
        names = dataset.category_names[d]
        if names:
            codes = dataset.X[:, d]
            words = np.array([None if np.isnan(code) else names[int(code)] for code in codes], dtype=object)
            columns.append(Column(name, None, words, False))
        else:
            columns.append(Column(name, np.asarray(dataset.X[:, d]), None, units.get(name) == DAYS))
    return columns


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
        A row per cluster, numbered from 1 in the order of labels: ``n``, ``share`` (of 1), and of each column of
        numbers mean and standard deviation (of n − 1; NaN of a single value), of words the most frequent and its share,
        and the share of each word if there are at most :data:`MOST_WORDS`.
    """
    codes = np.unique(labels, return_inverse=True)[1]
    columns = own_columns(dataset)
    rows = []
    for cluster in range(codes.max() + 1):
        inside = codes == cluster
        row: dict[str, object] = {"cluster": cluster + 1, "n": int(inside.sum()), "share": float(inside.mean())}
        for column in columns:
            row |= _described(column, inside)
        rows.append(row)
    return pd.DataFrame(rows).set_index("cluster")


def _described(column: Column, inside: np.ndarray) -> dict[str, object]:
    first, second = column.described
    if column.numbers is not None:
        values = column.numbers[inside & np.isfinite(column.numbers)]
        mean = float(values.mean()) if len(values) else np.nan
        deviation = float(values.std(ddof=1)) if len(values) > 1 else np.nan
        return {first: mean, second: deviation}
    assert column.words is not None
    found = pd.Series([word for word in column.words[inside] if word is not None], dtype=object).value_counts(sort=True)
    usual, share = (found.index[0], float(found.iloc[0] / found.sum())) if len(found) else (None, np.nan)
    every = sorted({word for word in column.words if word is not None})
    shares = {
        f"{column.name} = {word}": float(found.get(word, 0) / found.sum()) if len(found) else np.nan for word in every
    }
    return {first: usual, second: share, **(shares if len(every) <= MOST_WORDS else {})}


def overview_table(dataset: Dataset, labels: IntArray, names: Sequence[str] = ()) -> pd.DataFrame:
    """Return for every cluster its size, its share of the rows, and what sets it apart in words.

    Parameters
    ----------
    dataset : Dataset
    labels : ndarray of int (N,)
    names : sequence of str
        Of the clusters in the order of labels, for the index; by default they are numbered from 1.
    """
    sizes = np.unique(labels, return_counts=True)[1]
    apart = ["; ".join(own) or "differs little in any one column" for own in reasons(dataset, labels)]
    index = pd.Index(list(names) or range(1, len(sizes) + 1), name="cluster")
    return pd.DataFrame({"n": sizes, "share": sizes / len(labels), "what sets it apart": apart}, index=index)


def described_table(dataset: Dataset, labels: IntArray, names: Sequence[str] = ()) -> pd.DataFrame:
    """Return :func:`overview_table`, and behind it what :func:`cluster_table` says of every column."""
    overview = overview_table(dataset, labels, names)
    columns = cluster_table(dataset, labels).drop(columns=["n", "share"])
    return pd.concat([overview, columns.set_axis(overview.index)], axis=1)


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
    codes = np.unique(labels, return_inverse=True)[1]
    columns = own_columns(dataset)
    found = []
    for cluster in range(codes.max() + 1):
        inside = codes == cluster
        phrases = [phrase for column in columns if (phrase := _difference(column, inside)) is not None]
        phrases.sort(key=lambda phrase: -phrase[0])
        found.append([words for _, words in phrases[:MOST_REASONS]])
    return found


def _difference(column: Column, inside: np.ndarray) -> tuple[float, str] | None:
    """Return how much a cluster differs from the other rows in a column, and in words; None if little."""
    if inside.all():
        return None
    if column.numbers is not None:
        known = np.isfinite(column.numbers)
        own, other = column.numbers[inside & known], column.numbers[~inside & known]
        spread = column.numbers[known].std()
        if not len(own) or not len(other) or spread == 0:
            return None
        size = float(abs(own.mean() - other.mean()) / spread)
        more, less = ("later", "earlier") if column.is_date else ("higher", "lower")
        way = more if own.mean() > other.mean() else less
        means = column.written(own.mean()), column.written(other.mean())
        words = f"{column.name} {way} ({means[0]}, others {means[1]})"
        return (size, words) if size >= LEAST_DIFFERENCE else None
    assert column.words is not None
    known = np.array([word is not None for word in column.words])
    own, other = column.words[inside & known], column.words[~inside & known]
    if not len(own) or not len(other):
        return None
    shares = {word: float((own == word).mean() - (other == word).mean()) for word in set(own)}
    word = max(sorted(shares), key=lambda name: shares[name])
    words = f"{column.name} “{word}” more often ({(own == word).mean():.0%}, others {(other == word).mean():.0%})"
    return (2 * shares[word], words) if shares[word] >= LEAST_SHARE else None
