"""Seating one by one: against enumeration and the exchangeable law, and on the Papers page."""

from __future__ import annotations

import json
import math
from collections import Counter

import naive
import pytest

import dpviz
from dpviz.analysis.studies.seatings import log_probability_of_seating
from dpviz.figures.powered_studies import probabilities_by_power
from dpviz.ui.papers import orders
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
        assert probability == pytest.approx(naive.seated_one_by_one(labels, 1.3, 1.5))


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
    app = opened("papers", papers=json.dumps({"study": "lu2018-simulation-1"}))
    assert "Eight customers" not in said(app)
    app.session_state[papers.ORDERS] = True
    run(app)
    run(labelled(app, "slider", "Power r").set_value(1.8))
    shown = said(app)
    assert all(sentence in shown for sentence in orders.sentences(1.8))
    together, in_turns = (naive.seated_one_by_one(order, 1.0, 1.8) for order in ("AAAABBBB", "ABABABAB"))
    assert f"{together:.2g} under" in shown and f"{in_turns / together:.2f} times as probable" in shown


def test_without_a_power_both_orders_are_as_probable():
    assert "the second is as probable." in orders.sentences(1.0)[0]
    assert orders.seating("AAAABBBB", 1.0) == pytest.approx(orders.seating("ABABABAB", 1.0))
    assert orders.at_fixed_n(1.0) == pytest.approx(orders.seating("AAAABBBB", 1.0))


def test_weights_of_doubled_tables_are_those_that_are_said():
    for power in (1.2, 1.75):
        prior = dpviz.PoweredChineseRestaurant(1.0, power)
        for sizes in ([2, 1], [20, 10]):
            larger, smaller, _ = prior.seat_probabilities(sizes)
            assert f"{larger / smaller:.2f} times" in orders.sentences(power)[1]
    other = [n + n * n for n in (1, 2, 10, 20)]
    assert f"{other[1] / other[0]:.2f} and {other[3] / other[2]:.2f}" in orders.sentences(1.2)[1]


def test_the_figure_has_the_probabilities():
    figure = probabilities_by_power([1.0, 2.0], {"a": [0.5, 0.1], "b": [0.5, 0.3]}, 1.3)
    assert [list(line.y) for line in figure.data] == [[0.5, 0.1], [0.5, 0.3]]
