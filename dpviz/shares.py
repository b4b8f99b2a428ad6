"""Columns that are shares of a whole, or counts of its parts: how transformations and kinds name them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.arrays import BoolArray, FloatArray

LOGRATIO = "logratio"
"""The transformation of shares of a whole; with the whole after it, as in “logratio 100”, that of one of them."""
WHOLES = (1, 100)
"""What shares add up to."""
PARTS = "parts"
"""Kind of counts, such as those of words in documents, of which only the shares in a row's total are compared."""


PARTS_AND_TOTAL = "parts+total"
"""The same counts where the row's total matters, too: it is one more column."""
KINDS_OF_PARTS = (PARTS, PARTS_AND_TOTAL)


def entry_of(whole: float) -> str:
    """Return the entry of a transformation for a share of a whole."""
    return f"{LOGRATIO} {whole:.15g}"


def whole_of(entry: float | str) -> float:
    """Return the whole of which an entry of a transformation takes a share; 0 if it is a power."""
    return float(entry.removeprefix(LOGRATIO)) if isinstance(entry, str) else 0.0


def has_shares(transform: object) -> bool:
    """Whether a transformation takes log-ratios: the word, or an entry of a sequence."""
    entries = transform if isinstance(transform, list | tuple) else ()
    return transform == LOGRATIO or any(isinstance(entry, str) for entry in entries)


def are_parts(kinds: Sequence[str]) -> BoolArray:
    """Return which columns (D,) of these kinds are parts of a whole."""
    return np.array([kind in KINDS_OF_PARTS for kind in kinds], dtype=bool)


def shares_of_parts(X: FloatArray, kinds: Sequence[str]) -> FloatArray:
    """Return the shares (N, D) of parts in the totals of their rows; NaN in rows without any, and in other columns."""
    parts = are_parts(kinds)
    totals, found = X[:, parts].sum(axis=1, keepdims=True), np.full(X.shape, np.nan)
    found[:, parts] = X[:, parts] / np.where(totals > 0, totals, np.nan)
    return found
