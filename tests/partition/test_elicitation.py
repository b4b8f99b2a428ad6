"""From an expected range of K to N0: against dense scans, closed forms for two points, and exact sums."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import psi

from dpviz.analysis.elicitation import KEPT, concentration_for, discount_curve
from dpviz.errors import InvalidParameterError
from dpviz.partition import (
    PARTITION_PRIORS,
    ChineseRestaurant,
    FiniteDirichlet,
    PitmanYor,
    PoweredChineseRestaurant,
)

N = 60


def with_concentration(prior, value):
    return replace(prior, concentration=value)


EXAMPLES = {name: prior.example() for name, prior in PARTITION_PRIORS.items()} | {
    "shrinking": PoweredChineseRestaurant(1.0, 0.7)
}
EXAMPLES["finite_dirichlet"] = FiniteDirichlet(1.0, 12)  # the ranges below are for more clusters than its example has
PRIORS = {
    name: partial(with_concentration, prior) for name, prior in EXAMPLES.items() if hasattr(prior, "concentration")
}
every_prior = pytest.mark.parametrize("name", PRIORS)


def inside(prior, lower, upper, n_points=N):
    return float(np.exp(prior.log_pmf_n_clusters(n_points))[lower : upper + 1].sum())


def scanned(make, lowest=0.0):
    """Priors of 400 concentrations, from next to the lowest to far beyond anything useful."""
    return [make(lowest + step) for step in np.geomspace(1e-4, 1e4, 400)]


@every_prior
@pytest.mark.parametrize(("lower", "upper"), [(3, 8), (2, 2), (5, 11)])
def test_no_other_concentration_puts_more_into_the_range(name, lower, upper):
    found = concentration_for(PRIORS[name](1.0), N, lower, upper)
    assert found.prior == PRIORS[name](found.concentration)
    assert found.probability == pytest.approx(inside(found.prior, lower, upper), rel=1e-12)
    elsewhere = [
        inside(prior, lower, upper) for prior in scanned(PRIORS[name], -getattr(EXAMPLES[name], "discount", 0.0))
    ]
    assert found.probability >= max(elsewhere) - 1e-12
    assert found.probability < max(elsewhere) + 0.01  # the scan comes near it: it is no lucky spike
    steps = np.diff(elsewhere)
    assert not (steps[np.argmax(steps < -1e-12) :] > 1e-12).any()  # once it falls it never rises: one maximum


@every_prior
def test_the_rest_lies_below_and_above(name):
    found = concentration_for(PRIORS[name](1.0), N, 3, 8)
    law = np.exp(found.prior.log_pmf_n_clusters(N))
    assert found.below == pytest.approx(law[:3].sum(), rel=1e-12)
    assert found.above == pytest.approx(law[9:].sum(), rel=1e-12)
    assert found.below + found.probability + found.above == pytest.approx(1.0, abs=1e-12)
    assert found.expected == pytest.approx(found.prior.mean_n_clusters(N), rel=1e-10)


def test_one_number_of_clusters_is_the_maximum_of_its_likelihood():
    # d/dN0 ln p(K = k) = 0 where k = E[K] = N0 (ψ(N0 + N) − ψ(N0)).
    for k in (2, 7, 30):
        concentration = concentration_for(ChineseRestaurant(1.0), 500, k, k).concentration
        assert concentration * (psi(concentration + 500) - psi(concentration)) == pytest.approx(k, rel=1e-4)


@every_prior
def test_a_range_from_one_keeps_ninety_five_percent(name):
    found = concentration_for(PRIORS[name](1.0), N, 1, 5)
    assert found.probability == pytest.approx(KEPT, abs=1e-5)
    assert inside(PRIORS[name](found.concentration + 0.05), 1, 5) < KEPT


def test_a_range_up_to_the_most_keeps_ninety_five_percent():
    for prior, most in ((ChineseRestaurant(1.0), N), (FiniteDirichlet(1.0, 12), 12), (PitmanYor(1.0, 0.4), N)):
        assert concentration_for(prior, N, 4, most).probability == pytest.approx(KEPT, abs=1e-5)


def test_two_points_have_a_closed_form():
    # p(K = 1) = 1 / (1 + N0) = 0.95
    assert concentration_for(ChineseRestaurant(9.0), 2, 1, 1).concentration == pytest.approx(1 / KEPT - 1, rel=1e-4)


def test_the_concentration_given_does_not_matter():
    one, other = (concentration_for(PitmanYor(c, 0.2), N, 3, 8).concentration for c in (0.01, 90.0))
    assert one == other


def test_a_curve_over_discounts_solves_each_by_itself():
    discounts = [0.0, 0.3, 0.6]
    curve = discount_curve(N, 3, 8, discounts)
    assert [found.prior.discount for found in curve] == discounts
    for found in curve:
        alone = concentration_for(PitmanYor(5.0, found.prior.discount), N, 3, 8)
        assert (found.concentration, found.probability) == (alone.concentration, alone.probability)
    crp = concentration_for(ChineseRestaurant(1.0), N, 3, 8)
    assert curve[0].concentration == pytest.approx(crp.concentration, rel=1e-4)
    assert curve[0].probability > curve[1].probability > curve[2].probability
    assert curve[2].concentration < 0 < curve[0].concentration


@pytest.mark.parametrize(
    ("n_points", "lower", "upper", "words"),
    [
        (1, 1, 1, "n_points = 1"),
        (50, 8, 3, "lower = 8"),
        (50, 0, 3, "lower = 0"),
        (50, 3, 51, "upper = 51"),
        (50, 1, 50, "leaves something out"),
        (50, 2.5, 3, "lower = 2.5"),
        (50, True, 3, "lower = True"),
    ],
)
def test_ranges_that_say_nothing_are_refused(n_points, lower, upper, words):
    with pytest.raises(InvalidParameterError, match=words):
        concentration_for(ChineseRestaurant(1.0), n_points, lower, upper)


@pytest.mark.parametrize(("lower", "upper", "wish"), [(2, 5, "makes 2 to 5"), (1, 4, "has 1 to 4")])
def test_a_small_power_is_said_to_need_a_vanishing_concentration(lower, upper, wish):
    with pytest.raises(InvalidParameterError) as caught:
        concentration_for(PoweredChineseRestaurant(1.0, 0.1), 120, lower, upper)
    words = str(caught.value)
    assert f"lower, upper = {lower}, {upper}: the concentration that {wish} clusters among 120 points" in words
    assert "is less than 1e-08" in words and "With power < 1" in words and "Raise the power" in words
    lowest = PoweredChineseRestaurant(1e-8, 0.1)  # more than expected even there: the range itself is no mistake
    assert lowest.mean_n_clusters(120) > upper
    assert concentration_for(PoweredChineseRestaurant(1.0, 0.8), 120, lower, upper).concentration > 1e-8


def test_what_cannot_be_reached_is_refused():
    # 12 points put evenly into 10 components leave three of them empty on average, however large α is.
    with pytest.raises(
        InvalidParameterError, match="no concentration up to 1e.08 has 9 to 10 clusters among 12 points"
    ):
        concentration_for(FiniteDirichlet(1.0, 10), 12, 9, 10)
    with pytest.raises(InvalidParameterError, match="discount"):
        discount_curve(N, 3, 8, [1.0])
    with pytest.raises(InvalidParameterError, match="upper = 61"):
        discount_curve(N, 3, 61, [0.1])
