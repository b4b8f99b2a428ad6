"""Kinds of columns of whole numbers: counts, measures, or what either may be until nll has decided."""

from __future__ import annotations

from collections.abc import Sequence

COUNT, MEASURE, WHOLE = "count", "continuous", "whole"
"""Kinds of columns: counts, measures, and whole numbers that may be either (:mod:`dpviz.fit.kinds`)."""


def with_counts_open(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return kinds of columns that nobody named: whether its counts are counts is left to the data."""
    return tuple(WHOLE if kind == COUNT else kind for kind in kinds)


def as_counts(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return kinds of columns with whole numbers as counts."""
    return tuple(COUNT if kind == WHOLE else kind for kind in kinds)
