"""What the order of customers does in a powered restaurant: one seating, two orders, one slider."""

from __future__ import annotations

import math

import numpy as np

from dpviz.analysis.studies.seatings import log_probability_of_seating
from dpviz.figures.powered_studies import probabilities_by_power
from dpviz.partition import PoweredChineseRestaurant
from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.papers.tables import places

_POWER = "papers.orders.r"
LARGEST = 2.0
YEAR = "2018"
"""Of the paper that has this process."""
ORDERS = {"AAAABBBB": "one table after the other", "ABABABAB": "in turns"}
"""Tables of eight customers in the order in which they come, four at each."""
POWERS = tuple(np.round(np.linspace(1, LARGEST, 41), 3).tolist())


def show() -> None:
    """Draw the slider, what it says, and both probabilities over the powers."""
    first, middle, last = places(_POWER)
    with first:
        power = widgets.slider("Power r", _POWER, 1.3, 1.0, LARGEST, 0.05)
    last.markdown(escape_markdown(sentence(power)))
    curves = {f"{order}, {how}": [seating(order, r) for r in POWERS] for order, how in ORDERS.items()}
    curves["any order, by eq. 2 of all others"] = [at_fixed_n(r) for r in POWERS]
    with middle:
        chart(probabilities_by_power(POWERS, curves, power), "papers.orders.figure")


def seating(order: str, power: float) -> float:
    """Return the probability that customers sit down so, one after the other, with α = 1."""
    return math.exp(log_probability_of_seating(PoweredChineseRestaurant(1.0, power), [*map(ord, order)]))


def at_fixed_n(power: float) -> float:
    """Return the probability of the same two tables under the law whose conditionals the sampler draws from."""
    return math.exp(PoweredChineseRestaurant(1.0, power).log_probability([4, 4]))


def sentence(power: float) -> str:
    """Say how probable the seating is in both orders."""
    (first, how), (other, in_turns) = ORDERS.items()
    one, two = seating(first, power), seating(other, power)
    ratio = f"{two / one:.2f} times as probable" if power > 1 else "as probable"
    return (
        f"Eight customers sit four and four. If they come {how} ({first}), that has probability {one:.2g} under α = 1 "
        f"and r = {power:.2f}; if they come {in_turns} ({other}), {two:.2g}: the second is {ratio}. Gibbs sampling and "
        "MAP-DP know no order: their conditionals, eq. 2 given all others, belong to a law that gives "
        f"{at_fixed_n(power):.2g}."
    )
