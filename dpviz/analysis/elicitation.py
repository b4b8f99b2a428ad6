"""From “I expect between a and b clusters among n points” to a concentration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from dpviz.arrays import FloatArray
from dpviz.errors import InvalidParameterError, require
from dpviz.partition import PartitionPrior, PitmanYor
from dpviz.partition.base import whole_number

KEPT = 0.95
"""Probability of a range with one open end."""
LOWEST, HIGHEST = math.log(1e-8), math.log(1e8)
"""Search range: ln of the distance of a concentration from the lowest that the prior allows."""
TOLERANCE = 1e-4
"""Tolerance of ln N0 above its lowest value: three to four digits, and more of the probability, which is flat there."""


@dataclass(frozen=True, eq=False)
class Elicited:
    """A prior that expects a range of numbers of clusters.

    Attributes
    ----------
    prior : PartitionPrior
        The given one with another concentration.
    n_points, lower, upper : int
        The expectation: K from ``lower`` to ``upper`` among ``n_points``.
    law : ndarray (n_points + 1,)
        Its exact probability of K = 0 … N.
    """

    prior: PartitionPrior
    n_points: int
    lower: int
    upper: int
    law: FloatArray

    @property
    def concentration(self) -> float:
        """N0."""
        return float(_concentration(self.prior))

    @property
    def probability(self) -> float:
        """P(lower ≤ K ≤ upper)."""
        return float(self.law[self.lower : self.upper + 1].sum())

    @property
    def below(self) -> float:
        """P(K < lower)."""
        return float(self.law[: self.lower].sum())

    @property
    def above(self) -> float:
        """P(K > upper)."""
        return float(self.law[self.upper + 1 :].sum())

    @property
    def expected(self) -> float:
        """E[K]."""
        return float(self.law @ np.arange(self.n_points + 1))


def concentration_for(prior: PartitionPrior, n_points: int, lower: int, upper: int) -> Elicited:
    """Choose the concentration under which the number of clusters most probably lies in a range.

    It is the N0 that maximises P(lower ≤ K ≤ upper) under the exact law of K at N. There is one such N0 for the Chinese
    restaurant, Pitman–Yor, and the powered and generalised restaurants, whose laws are totally positive in N0 and K.

    A range that begins at 1, or ends at the most clusters possible, has no such N0, since the probability grows all the
    way to an end. Then it is the N0 farthest from that end which still keeps 95 % within the range.

    Parameters
    ----------
    prior : PartitionPrior
        One with a concentration, which is replaced; its other parameters stay.
    n_points : int
        N, at least 2.
    lower, upper : int
        1 ≤ lower ≤ upper ≤ the most clusters possible, but not all of them.

    Returns
    -------
    Elicited

    Raises
    ------
    InvalidParameterError
        If the prior has no concentration, the range is empty or excludes nothing, no concentration between 1e-8 and
        1e8 gives it (powered restaurants of a power below 1 need less for few clusters among many points), or an exact
        law would need too long a recursion.
    """
    n_points = whole_number("n_points", n_points)
    lower, upper = whole_number("lower", lower), whole_number("upper", upper)
    most = _check_range(prior, n_points, lower, upper)

    def law_at(x: float) -> FloatArray:
        return np.asarray(np.exp(_at(prior, x).log_pmf_n_clusters(n_points)))

    def inside(x: float) -> float:
        return float(law_at(x)[lower : upper + 1].sum())

    start = _where_the_mean_is(prior, n_points, lower if upper == most else upper)
    try:
        if lower == 1 or upper == most:
            best = _crossing(lambda x: inside(x) - KEPT, start, falls=lower == 1)
        else:
            best = _highest(inside, _where_the_mean_is(prior, n_points, lower), start)
    except _BeyondTheSearch as beyond:
        one_sided = lower == 1 or upper == most
        raise InvalidParameterError(_unreachable(prior, n_points, lower, upper, one_sided, beyond.below)) from None
    return Elicited(_at(prior, best), n_points, lower, upper, law_at(best))


def discount_curve(n_points: int, lower: int, upper: int, discounts: Sequence[float]) -> list[Elicited]:
    """Choose N0 of Pitman–Yor for each of several discounts.

    Each N0 maximises the probability of the range; the larger the discount, the wider the law of K and the lower it is.

    Parameters
    ----------
    n_points, lower, upper : int
        As for :func:`concentration_for`.
    discounts : sequence of float
        Each 0 ≤ d < 1; those without such an N0 are left out.

    Raises
    ------
    InvalidParameterError
        If no discount works, or the range is empty.
    """
    found, failed = [], None
    for discount in discounts:
        prior = PitmanYor(1.0, float(discount))
        _check_range(prior, whole_number("n_points", n_points), lower, upper)
        try:
            found.append(concentration_for(prior, n_points, lower, upper))
        except InvalidParameterError as error:
            failed = error
    if failed is not None and not found:
        raise failed
    return found


def _concentration(prior: PartitionPrior) -> float:
    value: Any = getattr(prior, "concentration", None)
    require(value is not None, "prior", prior, "one with a concentration")
    return float(value)


def _at(prior: PartitionPrior, x: float) -> PartitionPrior:
    """Return the prior whose concentration lies e^x above the lowest allowed, which is −d for Pitman–Yor."""
    lowest = -getattr(prior, "discount", 0.0)
    return replace(prior, concentration=math.exp(x) + lowest)  # type: ignore[call-arg]


def _check_range(prior: PartitionPrior, n_points: int, lower: int, upper: int) -> int:
    """Return the most clusters possible."""
    _concentration(prior)
    most = prior.most_clusters(n_points)
    require(n_points >= 2, "n_points", n_points, "at least 2")
    require(lower <= upper, "lower", lower, f"at most upper = {upper}")
    require(upper <= most, "upper", upper, f"at most {most}, the most clusters possible")
    bound = f"a range that leaves something out of 1 to {most}"
    require((lower, upper) != (1, most), "lower, upper", (lower, upper), bound)
    return most


def _where_the_mean_is(prior: PartitionPrior, n_points: int, mean: float) -> float:
    """Return the x at which E[K] has this value, or the nearest end of the search range."""

    def excess(x: float) -> float:
        return _at(prior, x).mean_n_clusters(n_points) - mean

    if excess(LOWEST) >= 0 or excess(HIGHEST) <= 0:
        return LOWEST if excess(LOWEST) >= 0 else HIGHEST
    return float(brentq(excess, LOWEST, HIGHEST, xtol=TOLERANCE))


class _BeyondTheSearch(Exception):
    """The concentration that is looked for lies below, or above, all that are tried."""

    def __init__(self, below: bool) -> None:
        super().__init__()
        self.below = below


def _unreachable(prior: PartitionPrior, n_points: int, lower: int, upper: int, one_sided: bool, below: bool) -> str:
    """Say which concentration a range would need, and what in the prior asks for it."""
    what = f"{lower if lower == upper else f'{lower} to {upper}'} clusters among {n_points:,} points"
    rest = [p for p in prior.parameters if p.name != "concentration"]
    under = f"{prior.title} ({', '.join(f'{p.name} = {getattr(prior, p.name)!s:.60}' for p in rest)})"
    under = under.removesuffix(" ()")
    wish = f"has {what} with a probability of {KEPT:.0%}" if one_sided else f"makes {what} most probable"
    if not below:
        return (
            f"lower, upper = {lower}, {upper}: no concentration up to {math.exp(HIGHEST):g} {wish} under {under}. "
            "Give a wider range, or another prior."
        )
    sublinear = getattr(prior, "power", 1.0) < 1
    why = " With power < 1 a large cluster attracts less than its share, so few clusters need N0 near 0." * sublinear
    remedy = "Raise the power, expect more clusters," if sublinear else "Expect more clusters"
    return (
        f"lower, upper = {lower}, {upper}: the concentration that {wish} under {under} is less than "
        f"{math.exp(LOWEST):g}, where the search ends.{why} {remedy} or take another prior."
    )


def _crossing(function: Callable[[float], float], start: float, falls: bool) -> float:
    """Find the root of a monotone function, walking from a start so that no distant law is needed."""
    step = 1.0 if (function(start) > 0) == falls else -1.0
    x, sign = start, function(start) > 0
    while (function(x + step) > 0) == sign:
        x += step
        if not LOWEST < x < HIGHEST:
            raise _BeyondTheSearch(below=x <= LOWEST)
    return float(brentq(function, min(x, x + step), max(x, x + step), xtol=TOLERANCE))


def _highest(function: Callable[[float], float], low: float, high: float) -> float:
    """Find the only maximum, near the x at which E[K] is at the ends of the range.

    For a family that is exponential in ln N0 it lies between them, since there E[K | K in the range] = E[K]; for others
    it may lie beyond, and the search continues there.
    """
    margin = 0.5
    while True:
        bounds = (max(low - margin, LOWEST), min(high + margin, HIGHEST))
        found = minimize_scalar(lambda x: -function(x), bounds=bounds, method="bounded", options={"xatol": TOLERANCE})
        best = float(found.x)
        if bounds[0] + 10 * TOLERANCE < best < bounds[1] - 10 * TOLERANCE:
            return best
        if bounds == (LOWEST, HIGHEST):
            raise _BeyondTheSearch(below=best < 0)
        margin *= 4


__all__ = ["KEPT", "Elicited", "concentration_for", "discount_curve"]
