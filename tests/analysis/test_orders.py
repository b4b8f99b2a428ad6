"""Seating one by one: against enumeration and the exchangeable law, and on the Papers page."""

from __future__ import annotations

import math
import re
from collections import Counter

import naive
import numpy as np
import pytest

import dpviz
from dpviz.analysis.studies.seatings import law_of_sizes, log_probability_of_seating
from dpviz.figures.powered_studies import probabilities_by_power, weights_and_sizes
from dpviz.ui.papers import orders, weights
from dpviz.ui.papers import page as papers
from pages import labelled, opened, run, said

POWERED = dpviz.PoweredChineseRestaurant(1.3, 1.5)


def test_seatings_of_five_have_the_products_of_their_weights_and_add_up_to_one():
    found = {
        labels: math.exp(log_probability_of_seating(POWERED, labels))
        for labels in map(tuple, naive.set_partitions(5).tolist())
    }
    assert len(found) == 52 and sum(found.values()) == pytest.approx(1)
    for labels, probability in found.items():
        assert probability == pytest.approx(naive.seated_one_by_one(labels, 1.3, lambda n: n**1.5))


@pytest.mark.parametrize(
    "prior", [dpviz.ChineseRestaurant(1.7), dpviz.PitmanYor(1.0, 0.3), dpviz.FiniteDirichlet(2.0, 3)]
)
def test_where_order_does_not_matter_it_is_the_law_of_the_partition(prior):
    for labels in ([0, 0, 1, 0, 2, 1], [2, 1, 0, 0, 0, 1], [5, 5, 5, 5, 5, 5]):
        sizes = list(Counter(labels).values())
        assert log_probability_of_seating(prior, labels) == pytest.approx(prior.log_probability(sizes))


def test_seats_of_next_to_no_probability_keep_their_logarithms_and_impossible_ones_have_none():
    opens = joins = -2000 * math.log(10)  # beside a table of ten
    seating = [0] * 10 + [1, 1]
    assert log_probability_of_seating(dpviz.PoweredChineseRestaurant(1.0, 2000.0), seating) == pytest.approx(
        -math.log(2) + opens + joins
    )
    assert log_probability_of_seating(dpviz.FiniteDirichlet(1.2, 2), [0, 1, 2, 2]) == -math.inf


def test_two_orders_of_one_seating_part_as_the_power_rises():
    app = opened("papers", papers={"study": "lu2018-simulation-1"})
    assert "Eight customers" not in said(app)
    app.session_state[papers.ORDERS] = True
    run(app)
    run(labelled(app, "slider", "Power r").set_value(1.8))
    shown = said(app)
    assert orders.sentence(1.8) in shown
    together, in_turns = (naive.seated_one_by_one(order, 1.0, lambda n: n**1.8) for order in ("AAAABBBB", "ABABABAB"))
    assert f"{together:.2g} under" in shown and f"{in_turns / together:.2f} times as probable" in shown


def test_without_a_power_both_orders_are_as_probable():
    assert "the second is as probable." in orders.sentence(1.0)
    assert orders.seating("AAAABBBB", 1.0) == pytest.approx(orders.seating("ABABABAB", 1.0))
    assert orders.at_fixed_n(1.0) == pytest.approx(orders.seating("AAAABBBB", 1.0))


def test_the_figure_has_the_probabilities():
    figure = probabilities_by_power([1.0, 2.0], {"a": [0.5, 0.1], "b": [0.5, 0.3]}, 1.3)
    assert [list(line.y) for line in figure.data] == [[0.5, 0.1], [0.5, 0.3]]


@pytest.mark.parametrize("weight", [lambda n: n, lambda n: n**1.5, lambda n: n + 0.3 * n * n])
def test_the_law_of_sizes_adds_up_the_seatings_that_have_them(weight):
    expected = Counter()
    for labels in naive.set_partitions(7).tolist():
        sizes = tuple(sorted(Counter(labels).values(), reverse=True))
        expected[sizes] += naive.seated_one_by_one(labels, 1.3, weight)
    found = law_of_sizes([weight(n) for n in range(1, 8)], 1.3)
    assert found == pytest.approx(expected) and len(found) == 15


def drawn_by(powers):
    return dpviz.GeneralizedChineseRestaurant(1.0, tuple(weights.log_weights(powers).tolist()))


@pytest.mark.parametrize("powers", [(1.0, 1.5, 2.0), (2.0, 0.5, 1.0), (1.5, 1.5, 1.5)])
def test_a_weight_that_is_drawn_says_what_it_does(powers):
    def g(n):
        return min(n, 4) ** powers[0] * (min(max(n, 4), 12) / 4) ** powers[1] * (max(n, 12) / 12) ** powers[2]

    assert np.exp(weights.log_weights(powers)) == pytest.approx([g(n) for n in range(1, 301)])
    invariance, exactly, evening = weights.sentences(powers)
    assert f"{g(2):.2f} times as many at 2 and 1 customers, {g(20) / g(10):.2f} times" in invariance
    for sizes, factor in (([2, 1], g(2)), ([20, 10], g(20) / g(10))):
        larger, smaller, _ = drawn_by(powers).seat_probabilities(sizes)
        assert larger / smaller == pytest.approx(factor)
    assert ("eq. 4 holds" in invariance) is (len(set(powers)) == 1)
    below = [n for n in range(1, 301) if g(n) < n * (1 - 1e-9)]
    assert (f"fails first at n = {below[0]}" if below else "holds up to n = 300") in invariance
    law = law_of_sizes([g(n) for n in range(1, 21)], 1.0)
    tables, alone = (sum(p * count(sizes) for sizes, p in law.items()) for count in (len, lambda own: own.count(1)))
    assert f"{tables:.2f} tables under your g(n), {alone:.2f} of them with one customer" in exactly
    assert f"{sum(1 / i for i in range(1, 21)):.2f} tables under n," in exactly
    assert weights.mean_sizes(powers).sum() == pytest.approx(20)
    seated = sorted(Counter(drawn_by(powers).sample_sequential_seating(300, 0).tolist()).values(), reverse=True)
    assert [int(size) for size in re.findall(r"\d+", evening)][1 : 1 + len(seated[:6])] == seated[:6]


def test_an_evening_at_one_table_is_said_to_be_one():
    assert weights.sentences((3.0, 3.0, 3.0))[2].endswith("all at one table.")


def test_sliders_draw_the_weight_on_the_page():
    app = opened("papers", papers={"study": "lu2018-where-powers-pay"})
    app.session_state[papers.WEIGHTS] = True
    run(app)
    assert all(sentence in said(app) for sentence in weights.sentences(weights.STARTS))
    run(labelled(app, "slider", "Power of g from n = 4 to 12").set_value(0.4))
    assert all(sentence in said(app) for sentence in weights.sentences((1.0, 0.4, 2.0)))


def test_the_figure_of_a_weight_has_it_and_the_sizes():
    curves = {"one": ([0.0, 0.7], [1.5, 0.5]), "two": ([0.0, 1.4], [1.8, 0.2])}
    lines = weights_and_sizes(curves, 2).data
    assert [line.name for line in lines] == ["one", "one", "two", "two"]
    for (logs, sizes), weight, rank in zip(curves.values(), lines[::2], lines[1::2], strict=True):
        assert list(weight.y) == pytest.approx(np.exp(logs)) and list(rank.y) == sizes
        assert list(weight.x) == list(rank.x) == [1, 2]
