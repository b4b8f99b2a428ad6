"""Charts of what priors believe: the numbers in the figures against direct computation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from dpviz.analysis.elicitation import concentration_for
from dpviz.analysis.prior_laws import (
    distance_to_the_limit,
    growth_of_n_clusters,
    logarithmic_growth,
)
from dpviz.figures import continuum
from dpviz.figures import prior_laws as figures
from dpviz.figures.theme import ACCENT, GROUP_COLORS
from dpviz.partition import ChineseRestaurant, FiniteDirichlet
from dpviz.player import CLUSTER_COLORS

CRP = ChineseRestaurant(2.0)
N = 40


def law(prior, n_points=N):
    return np.exp(prior.log_pmf_n_clusters(n_points))


def test_growth_shows_the_exact_mean_its_range_and_two_standard_errors():
    asked = [1, 10, N]
    exact = {"crp": growth_of_n_clusters(CRP, asked)}
    simulated = pd.DataFrame({"n_points": asked, "mean": [1.0, 3.5, 6.0], "error": [0.0, 0.2, 0.3]})
    roughly = pd.DataFrame({"n_points": asked, "mean": logarithmic_growth(2.0, asked)})
    figure = figures.growth(exact, {"crp": simulated}, {"crp": simulated}, roughly)
    approximation, line, marks, seated = figure.data
    assert_allclose(approximation.y, 2 * np.log1p(np.array(asked) / 2))
    assert_allclose(line.y, [CRP.mean_n_clusters(n) for n in asked])
    assert_array_equal(line.customdata, exact["crp"][["lower", "upper"]])
    assert_allclose(marks.error_y.array, [0.0, 0.4, 0.6])
    assert seated.marker.symbol.endswith("-open") and figure.layout.xaxis.type == "log"
    assert len(figures.growth(exact, {}, {}).data) == 1


def test_the_limit_has_every_law_and_its_distance():
    components = (2, 100)
    laws = {most: law(FiniteDirichlet(2.0, most)) for most in components}
    distances = distance_to_the_limit(2.0, N, components)
    figure = figures.limit_of_components(laws, law(CRP), distances)
    for trace, most, distance in zip(figure.data, components, distances, strict=False):
        assert_allclose(trace.y, laws[most][np.array(trace.x)])
        assert trace.name == f"K_max = {most} ({distance:.2g})"
    assert_allclose(figure.data[-1].y, law(CRP)[np.array(figure.data[-1].x)])


@pytest.mark.parametrize("n_points", [1, 2, 3])
def test_laws_of_few_points_end_with_them(n_points):
    laws = {most: law(FiniteDirichlet(2.0, most), n_points) for most in (2, 100)}
    limit = law(CRP, n_points)
    figure = figures.limit_of_components(laws, limit, distance_to_the_limit(2.0, n_points, tuple(laws)))
    assert_array_equal(figure.data[-1].x, np.arange(1, n_points + 1))
    assert_allclose(figure.data[-1].y, limit[1:])
    assert figure.layout.xaxis.dtick == 1  # there are no half clusters


def test_a_data_panel_has_every_point_with_the_colour_of_its_cluster():
    points, labels = np.arange(24.0).reshape(12, 2), np.arange(12)
    trace = figures.data_panel(points, labels).data[0]
    assert_array_equal(np.column_stack([trace.x, trace.y]), points)
    assert [*trace.marker.color] == [GROUP_COLORS[k % len(GROUP_COLORS)] for k in labels]
    assert len(set(zip(trace.marker.color, trace.marker.symbol, strict=True))) == 12
    assert_array_equal(trace.customdata, labels + 1)
    assert trace.type == "scatter"
    many = np.zeros((figures.MOST_PANEL_VECTORS + 1, 2))
    assert figures.data_panel(many, np.zeros(len(many), dtype=int)).data[0].type == "scattergl"


def test_the_elicited_law_marks_the_range():
    found = concentration_for(CRP, N, 3, 8)
    bars = figures.elicited_law(found.law, 3, 8).data[0]
    assert_allclose(bars.y, found.law[np.array(bars.x)])
    within = [k for k, color in zip(bars.x, bars.marker.color, strict=True) if color == ACCENT]
    assert within == [3, 4, 5, 6, 7, 8]
    assert sum(y for k, y in zip(bars.x, bars.y, strict=True) if k in within) == pytest.approx(found.probability)


def test_the_range_is_shown_even_where_the_law_is_elsewhere():
    bars = figures.elicited_law(law(CRP), 30, N).data[0]
    assert bars.x[-1] == N


def test_the_curve_over_discounts_has_both_measures():
    values = np.array([0.0, 0.5]), np.array([0.7, -0.2]), np.array([0.9, 0.3])
    upper, lower = figures.concentration_by_discount(*values).data
    for trace, expected in ((upper, values[1]), (lower, values[2])):
        assert_array_equal(trace.x, values[0])
        assert_array_equal(trace.y, expected)


def test_nll_curves_leave_a_start_far_above_out_of_the_axis():
    curves = {"T = 1": np.array([900.0, 120.0, 100.0, 104.0]), "T = 0": np.array([900.0, 95.0])}
    figure = continuum.nll_by_sweep(curves)
    for trace, nll in zip(figure.data, curves.values(), strict=True):
        assert_array_equal(trace.y, nll)
        assert_array_equal(trace.x, np.arange(len(nll)))
    low, high = figure.layout.yaxis.range
    assert low < 95 and 104 < high < 200
    assert len(continuum.nll_by_sweep({"still": np.array([5.0])}).data) == 1


def test_charts_have_the_colours_of_the_players_clusters_in_its_order():
    light = list(CLUSTER_COLORS["light"])
    places = [light.index(color) for color in GROUP_COLORS]
    assert places == sorted(places) and places[:6] == list(range(6))
