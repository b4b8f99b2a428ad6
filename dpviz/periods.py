"""Kinds of columns to which a number belongs: after which period angles begin again, of which whole shares are."""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray

CIRCULAR = "circular"
"""Kind of such columns; with a period it is “circular 24”."""
SHARE = "share"
"""Kind of shares of which some are nothing or the whole; with the whole it is “share 100”, of percent."""
NUMBERED = (CIRCULAR, SHARE)
"""Words of the kinds to which a number belongs; none of their values is a measure that may be scaled."""
SHORTEST_PERIOD, LONGEST_PERIOD = 1e-9, 1e12
"""Also the smallest and the largest whole."""
HOURS = 24.0
"""Of a day."""
USUAL_PERIODS = (2.0 * math.pi, HOURS, 360.0)
"""Of radians, hours and degrees."""
MOST_TURNS = 1e9
"""Of numbers farther out too few digits are left to say where in a turn they are."""


def circular(period: float) -> str:
    """Return the kind of columns with a period."""
    return f"{CIRCULAR} {period:.15g}"


def share(whole: float) -> str:
    """Return the kind of shares of a whole, to its last digit, which may be the largest of them."""
    return f"{SHARE} {float(whole)!r}".removesuffix(".0")


def advice_on(kind: str) -> str:
    """Say how the number of a kind is written, if its word has one."""
    example = {CIRCULAR: f"a period as in '{circular(24)}'", SHARE: f"what shares are of as in '{share(100)}'"}
    own = example.get(word_of(kind))
    return f"Write {own}." if own else ""


def word_of(kind: str) -> str:
    """Return a kind without the number that it may have."""
    return kind.partition(" ")[0]


def period_of(kind: str) -> float | None:
    """Return the period of a kind such as “circular 24”; None if it names none, or no possible one."""
    return _number_of(kind, CIRCULAR)


def whole_of(kind: str) -> float | None:
    """Return the whole of a kind such as “share 100”; None if it names none, or no possible one."""
    return _number_of(kind, SHARE)


def _number_of(kind: str, word: str) -> float | None:
    own, _, text = kind.partition(" ")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if own == word and SHORTEST_PERIOD <= number <= LONGEST_PERIOD else None


def usual_period(low: float, high: float) -> float:
    """Return the first usual period in which numbers from low to high are within a turn, the last one if none is."""
    return next((p for p in USUAL_PERIODS if is_within_turn(low, p) and is_within_turn(high, p)), USUAL_PERIODS[-1])


def is_within_turn(value: Any, period: Any) -> Any:
    """Whether numbers are within one turn, such as from 0 to 360 or from −180 to 180 degrees."""
    return (value >= -period / 2) & (value <= period)


def wrapped(values: FloatArray, period: float, start: float = 0.0) -> FloatArray:
    """Return values (n,) with those beyond a turn taken to the one from ``start`` on, but for what is too far."""
    moved = ~is_within_turn(values, period) & (np.abs(values) <= MOST_TURNS * period)
    return np.where(moved, np.mod(np.where(moved, values, start) - start, period) + start, values)


def about_mean(x: FloatArray, period: float) -> FloatArray:
    """Return values (n,) moved by whole periods to within half a period of their mean direction; NaN stays."""
    unit, seen = 2.0 * math.pi / period, x[np.isfinite(x)]
    middle = math.atan2(np.sin(unit * seen).sum(), np.cos(unit * seen).sum()) / unit
    return np.asarray(middle + np.mod(x - middle + period / 2, period) - period / 2)


def mean_of_turn(x: FloatArray, period: float) -> float:
    """Return the mean of values (n,) about their mean direction, from 0 to the period; NaN without any."""
    return float(np.mod(np.nanmean(about_mean(x, period)), period)) if np.isfinite(x).any() else math.nan


def is_one_of(kind: str, kinds: Container[str]) -> bool:
    """Whether a kind, perhaps with a number, is one of some words for kinds."""
    return kind in kinds or any(word in kinds and _number_of(kind, word) is not None for word in NUMBERED)
