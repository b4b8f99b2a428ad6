"""Length of a chain that gives one quantile with a given accuracy (Raftery & Lewis 1992)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, xlogy

from dpviz.analysis.posterior.chains import as_chains
from dpviz.arrays import IntArray
from dpviz.errors import require
from dpviz.parameters import LARGEST_NUMBER, is_number

Bits = IntArray


@dataclass(frozen=True)
class RafteryLewis:
    """Lengths in sweeps for the quantile q to be within ±r with probability s.

    Attributes
    ----------
    burn_in : int or None
        Sweeps after which the chain has forgotten its start; None if the chain never crosses the quantile, or does at
        every sweep: then nothing can be said.
    n_needed : int or None
        Sweeps after the burn-in; None in the same cases.
    n_independent : int
        Draws that would suffice if they were independent.
    dependence : float
        (burn_in + n_needed) / n_independent: above 5 it points to a bad start or a chain that hardly moves; else NaN.
    thinning : int or None
        Thinning that gives a Markov chain of first order; None in the same cases.
    """

    burn_in: int | None
    n_needed: int | None
    n_independent: int
    dependence: float
    thinning: int | None


def raftery_lewis(
    chain: ArrayLike, q: float = 0.025, r: float = 0.1, s: float = 0.95, precision: float = 0.001
) -> RafteryLewis:
    """Estimate how long one chain must run; the defaults are those of Raykov et al. (2014), Sec. 4.1.

    Whether the chain is at or below its quantile is made a two-state Markov chain by thinning, as little as BIC
    prefers the first order to the second; its two transition rates then give its burn-in and its information.

    Parameters
    ----------
    chain : array_like of float, shape (T,)
        One scalar per sweep of a pilot run, T ≥ ``n_independent``.
    q : float
        The quantile, in (0, 1).
    r : float
        Wanted accuracy of P(value ≤ quantile), > 0.
    s : float
        Probability of that accuracy, in (0, 1).
    precision : float
        Distance from its stationary law that the chain may have after the burn-in, in (0, 1).

    Returns
    -------
    RafteryLewis

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    for name, value in (("q", q), ("s", s), ("precision", precision)):
        require(is_number(value) and 0 < value < 1, name, value, "a number in (0, 1)")
    require(is_number(r) and 0 < r <= LARGEST_NUMBER, "r", r, "a number > 0")
    values = as_chains(chain, name="chain")
    require(len(values) == 1, "number of chains in chain", len(values), "1", "Call it once per chain.")
    quantile_spread = _quantile_spread(r, s)
    n_independent = independent_draws(q, r, s)
    n_draws = values.shape[1]
    require(n_draws >= n_independent, "len(chain)", n_draws, f"≥ {n_independent}", "Run a longer pilot chain.")
    below = (values[0] <= np.quantile(values[0], q)).astype(np.int64)
    thinning = _thinning(below)
    thinned = below[::thinning]
    counts = np.bincount(2 * thinned[:-1] + thinned[1:], minlength=4)
    rise, fall = counts[1] / max(counts[0] + counts[1], 1), counts[2] / max(counts[2] + counts[3], 1)
    both = rise + fall
    memory = abs(1 - both)  # second eigenvalue of the two-state chain
    if rise == 0 or fall == 0 or memory == 1:
        return RafteryLewis(None, None, n_independent, math.nan, None)
    forgotten = math.log(precision * both / max(rise, fall)) / math.log(memory) if memory > 0 else 0.0
    needed = (2 - both) * rise * fall / both**3 * quantile_spread**2
    burn_in, n_needed = math.ceil(forgotten) * thinning, math.ceil(needed) * thinning
    return RafteryLewis(burn_in, n_needed, n_independent, (burn_in + n_needed) / n_independent, thinning)


def independent_draws(q: float = 0.025, r: float = 0.1, s: float = 0.95) -> int:
    """Return the number of independent draws that would suffice; shorter chains are not judged."""
    return math.ceil(q * (1 - q) * _quantile_spread(r, s) ** 2)


def _quantile_spread(r: float, s: float) -> float:
    return float(ndtri((s + 1) / 2)) / r


def _thinning(below: Bits) -> int:
    """Find the smallest step at which BIC prefers a chain of first order to one of second."""
    step = 1
    while _prefers_second_order(below[::step]):
        step += 1
    return step


def _prefers_second_order(bits: Bits) -> bool:
    """Return whether the likelihood ratio G² against the first order exceeds BIC's 2 ln n (2 parameters more)."""
    if len(bits) < 4:  # too few triples to tell
        return False
    triples = np.bincount(4 * bits[:-2] + 2 * bits[1:-1] + bits[2:], minlength=8).reshape(2, 2, 2)
    before, after = triples.sum(axis=2, keepdims=True), triples.sum(axis=0, keepdims=True)
    middle = triples.sum(axis=(0, 2), keepdims=True)
    expected = before * after / np.maximum(middle, 1)
    g_squared = 2 * (xlogy(triples, triples) - xlogy(triples, np.where(triples > 0, expected, 1))).sum()
    return bool(g_squared > 2 * math.log(len(bits) - 2))
