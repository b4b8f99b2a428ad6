"""Blocks of counts whose totals say less than their shares: words of documents, taxa of samples, purchases."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.tables.kinds import read_numbers
from dpviz.errors import require
from dpviz.hurdles import HURDLE
from dpviz.periods import SHARE, word_of
from dpviz.shares import PARTS

ALL = "*"
"""Names all columns of a block."""
FEWEST_PARTS, MORE = 5, 2.0
"""Columns that a block has, and by how much its totals vary more than its shares."""
LONGEST_SCORE, RARE = 4, 0.8
"""Largest number of usual scores, and share of zeros from which on columns are rather words that are rare."""
_COUNTS = ("count", HURDLE, SHARE)
_OF_BLOCK = (*_COUNTS, "binary", "ordinal", "categorical", "constant")
"""Kinds that counts of parts are taken for, the last ones where they are rare."""


def block_of_counts(frame: pd.DataFrame, kinds: Mapping[str, str], fewest: int = FEWEST_PARTS) -> Strings:
    """Return the counts, and other columns of whole numbers from 0 on if they are no more than those; else none."""
    found = [name for name, kind in kinds.items() if word_of(kind) in _OF_BLOCK and _are_whole(frame[name], kind)]
    counts = sum(word_of(kinds[name]) in _COUNTS for name in found)
    return tuple(found) if len(found) >= fewest and 2 * counts >= len(found) else ()


def with_block(frame: pd.DataFrame, kinds: Mapping[str, str], asked: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds asked for, with the columns of the block in place of ``*``.

    Raises
    ------
    InvalidParameterError
        If there is no block.
    """
    of_all = asked.get(ALL) if ALL not in frame else None
    if of_all is None:
        return dict(asked)
    block = block_of_counts(frame, kinds, fewest=2)
    bound = "of a table with two columns of counts or more, which are most of those of whole numbers from 0 on"
    require(bool(block), "kinds", f"{ALL} = {of_all}", bound, "Name columns one by one.")
    return {**dict.fromkeys(block, of_all), **{name: kind for name, kind in asked.items() if name != ALL}}


def spread_of_totals(frame: pd.DataFrame, block: Strings) -> tuple[float, float]:
    """Return by how much totals vary beyond one Poisson count, and counts given their totals: variance over mean."""
    X = frame[list(block)].to_numpy(np.float64, na_value=np.nan)
    X = X[~np.isnan(X).any(axis=1)]
    X = X[X.sum(axis=1) > 0]
    X = X[:, X.any(axis=0)]
    if len(X) < 2 or X.shape[1] < 2 or _are_scores(X):
        return 0.0, 0.0
    totals = X.sum(axis=1)
    expected = np.outer(totals, X.sum(axis=0) / X.sum())
    squared = float(((X - expected) ** 2 / expected).sum())
    return float(totals.var(ddof=1) / totals.mean()), squared / ((len(X) - 1) * (X.shape[1] - 1))


def may_be_parts(frame: pd.DataFrame, block: Strings) -> str:
    """Say that a block may be parts of a whole, where its totals vary more than its shares do; empty if not.

    They do so without the largest column, too: totals of columns in several units are that of the smallest unit.
    """
    if not block:
        return ""
    largest = frame[list(block)].sum().idxmax()
    for some in (tuple(name for name in block if name != largest), block):
        of_totals, of_shares = spread_of_totals(frame, some)
        if of_totals <= MORE * max(of_shares, 1.0):
            return ""
    return (
        f"The totals of {len(block)} columns of counts vary {of_totals:,.0f} times as much as Poisson counts, and what "
        f"they are made of {of_shares:,.1f} times. If rows that differ in their totals alone are alike, as long and "
        f"short documents are, take these columns as {PARTS}."
    )


def _are_scores(X: FloatArray) -> bool:
    """Whether most columns end where scales do, and are not as seldom above 0 as words: sums of scores vary, too."""
    return bool(np.median(X.max(axis=0)) <= LONGEST_SCORE and np.mean(X == 0) < RARE)


def _are_whole(column: pd.Series, kind: str) -> bool:
    numbers = read_numbers(column) if pd.api.types.is_numeric_dtype(column.dtype) else None
    values: FloatArray = np.empty(0) if numbers is None else numbers.values[np.isfinite(numbers.values)]
    least = values.min() if values.size else -1.0
    return bool((least == 0 or word_of(kind) in ("count", SHARE) and least > 0) and np.all(values == np.floor(values)))
