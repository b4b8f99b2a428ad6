"""Another weight of a table than a power of its size, drawn by the reader: what it does to the sizes of tables."""

from __future__ import annotations

import functools

import numpy as np
import streamlit as st

from dpviz.analysis.studies import seatings
from dpviz.arrays import FloatArray
from dpviz.figures.powered_studies import weights_and_sizes
from dpviz.partition import GeneralizedChineseRestaurant
from dpviz.text import escape_markdown, in_words
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.papers.tables import PANELS, places

KNOTS, STARTS = (1, 4, 12), (1.0, 1.5, 2.0)
"""Sizes from which on each of the reader's powers holds, up to the next, and the powers at first."""
LEAST, LARGEST = 0.1, 3.0
N_EXACT, N_SEATED, N_NAMED = 20, 300, 6
"""Customers of the exact law, of the evening that is drawn, and its tables that are named."""
POWER = 1.5
"""Of the curve beside the reader's."""

Powers = tuple[float, ...]


def show() -> None:
    """Draw a slider for each stretch of g, what it says, and g and the sizes beside those of n and of a power."""
    first, second, third = KNOTS
    stretches = (f"from n = {first} to {second}", f"from n = {second} to {third}", f"beyond n = {third}")
    before, middle, after = places("papers.weights")
    with before:
        powers = tuple(
            widgets.slider(f"Power of g {stretch}", f"papers.weights.{knot}", start, LEAST, LARGEST, 0.1)
            for stretch, knot, start in zip(stretches, KNOTS, STARTS, strict=True)
        )
    for sentence in sentences(powers):
        after.markdown(escape_markdown(sentence))
    curves = {name: (log_weights(own), mean_sizes(own)) for name, own in beside(powers).items()}
    with middle, st.container(key=f"{PANELS}-weights"):
        chart(weights_and_sizes(curves, N_EXACT), "papers.weights.figure")


def beside(powers: Powers) -> dict[str, Powers]:
    """Return the reader's g and what it is compared with, by name, as the powers of their stretches."""
    return {"your g(n)": powers, "n": (1.0,) * len(KNOTS), f"n^{POWER}": (POWER,) * len(KNOTS)}


def log_weights(powers: Powers) -> FloatArray:
    """Return ln g(n) for n from 1 to ``N_SEATED``."""
    return seatings.log_weights_by_stretches(KNOTS, powers, N_SEATED)


@functools.lru_cache(maxsize=64)
def _law(powers: Powers) -> dict[tuple[int, ...], float]:
    return seatings.law_of_sizes(np.exp(log_weights(powers)[:N_EXACT]).tolist(), 1.0)


def mean_sizes(powers: Powers) -> FloatArray:
    """Return the expected customers (N,) at the largest of ``N_EXACT`` customers' tables, the second largest, …."""
    return seatings.mean_sizes(_law(powers))


def sentences(powers: Powers) -> list[str]:
    """Say whether g is invariant and at least n, at how many tables few customers sit, and how many once sat."""
    logs = log_weights(powers)
    once, later = (float(np.exp(logs[2 * n - 1] - logs[n - 1])) for n in (1, 10))
    invariant = len(set(powers)) == 1
    below = np.flatnonzero(logs < np.log(np.arange(1, N_SEATED + 1)) - 1e-9)
    exactly = [
        f"{sum(p * len(sizes) for sizes, p in _law(own).items()):.2f} tables under {name}, "
        f"{sum(p * sizes.count(1) for sizes, p in _law(own).items()):.2f} of them with one customer"
        for name, own in beside(powers).items()
    ]
    seated = GeneralizedChineseRestaurant(1.0, tuple(logs.tolist())).sample_sequential_seating(N_SEATED, 0)
    tables = np.sort(np.bincount(seated))[::-1]
    more = f" and {len(tables) - N_NAMED} smaller ones" if len(tables) > N_NAMED else ""
    evening = f"tables of {in_words(list(map(str, tables[:N_NAMED])))}{more}" if len(tables) > 1 else "all at one table"
    return [
        f"A table twice as large draws {once:.2f} times as many at 2 and 1 customers, {later:.2f} times at 20 and 10: "
        + ("g is a power, and eq. 4 holds." if invariant else "g is no power, and by Lemma 2.1 eq. 4 cannot hold.")
        + " The paper asks for g(n) ≥ n, too: "
        + (f"that fails first at n = {below[0] + 1}." if len(below) else f"that holds up to n = {N_SEATED}."),
        f"{N_EXACT} customers who come one by one, with α = 1, take on average, exactly: {'; '.join(exactly)}.",
        f"One evening of {N_SEATED} under your g: {evening}.",
    ]
