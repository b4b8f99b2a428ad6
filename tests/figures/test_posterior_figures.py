"""What the charts of the Posterior page hold, against direct computation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from dpviz.analysis import posterior
from dpviz.analysis.posterior.chains import autocorrelation_where_moving
from dpviz.analysis.sampling import PredictiveBands
from dpviz.datasets import Display, dot_stack
from dpviz.figures import posterior_chains as chains
from dpviz.figures import posterior_partitions as partitions
from dpviz.figures.data import MOST_POINTS

RNG = np.random.default_rng(4)
COUNTS = RNG.integers(2, 6, size=(3, 61))
NLL = RNG.normal(100, 4, size=(3, 61))
DRAWS = np.sort(RNG.integers(0, 3, size=(40, 25)), axis=1)[:, RNG.permutation(25)]
PLANE = Display(RNG.normal(size=(25, 2)), ("length <b>", "width"), np.eye(2), np.zeros(2))
LINE = Display(RNG.normal(size=(25, 1)), ("length",), np.eye(1), np.zeros(1))


def test_traces_hold_every_series_and_their_axes_span_what_is_not_burnt_in():
    COUNTS[:, 0] = 50  # a start far off
    figure = chains.traces({"K": list(COUNTS), "nll": list(NLL)}, 20)
    assert [trace.name for trace in figure.data] == ["chain 1", "chain 2", "chain 3"] * 2
    for trace, values in zip(figure.data, [*COUNTS, *NLL], strict=True):
        assert_array_equal(trace.x, np.arange(61))
        assert_array_equal(trace.y, values)
    for axis, kept in (("yaxis", COUNTS[:, 21:]), ("yaxis2", NLL[:, 21:])):
        low, high = figure.layout[axis].range
        assert kept.min() - np.ptp(kept) < low < kept.min() and kept.max() < high < kept.max() + np.ptp(kept)
    assert {(shape.x0, shape.x1) for shape in figure.layout.shapes} == {(0, 20)}
    assert figure.data[0].line.color != figure.data[1].line.color


def test_long_traces_are_drawn_at_some_sweeps_first_and_last_among_them():
    values = RNG.normal(size=10_001)
    (drawn,) = chains.traces({"nll": [values]}, 0).data
    assert len(drawn.x) == chains.MOST_STEPS and drawn.x[0] == 0 and drawn.x[-1] == 10_000
    assert_array_equal(drawn.y, values[np.asarray(drawn.x)])


def test_chains_shorter_than_the_burn_in_are_drawn_too():
    figure = chains.traces({"K": [[3, 4, 4], [5]]}, 20)
    assert [len(trace.x) for trace in figure.data] == [3, 1]


def test_rank_plots_hold_the_counts_and_the_level_of_agreement():
    counts = posterior.rank_histogram(NLL, 10)
    figure = chains.rank_plots(counts)
    for bars, row in zip(figure.data, counts, strict=True):
        assert_allclose(bars.y, row)
        assert_allclose(bars.x, np.arange(0.05, 1, 0.1))
    assert {shape.y0 for shape in figure.layout.shapes} == {6.1}
    assert len(chains.rank_plots(np.ones((7, 4))).data) == 7


def test_autocorrelations_leave_out_chains_that_never_move():
    curves = autocorrelation_where_moving([NLL[0], np.ones(61)], 12, 0)
    (line,) = chains.autocorrelations(curves).data
    assert_allclose(line.y, curves[0])
    assert line.name == "chain 1" and list(line.x) == list(range(13))


def test_the_law_of_k_holds_all_chains_each_and_what_is_pointed_at():
    law = posterior.law_of_n_clusters(COUNTS, 1)
    figure = chains.law_of_n_clusters(law, {"MAP-DP": 3, "K-means": 3, "known <b>": 9})
    bars, *dots = figure.data
    assert_array_equal(bars.x, [2, 3, 4, 5])
    assert_allclose(bars.y, [np.mean(COUNTS[:, 1:] == k) for k in bars.x])
    for chain, dot in enumerate(dots):
        assert_allclose(dot.y, [np.mean(COUNTS[chain, 1:] == k) for k in bars.x])
    assert {(note.x, note.text) for note in figure.layout.annotations} == {
        (3, "MAP-DP, K-means"),
        (9, "known &lt;b&gt;"),
    }
    assert figure.layout.xaxis.range[0] < 2 and figure.layout.xaxis.range[1] > 9


def test_sizes_hold_means_and_the_range_of_most_draws():
    sizes = posterior.ranked_sizes(DRAWS, 4)
    (bars,) = chains.ranked_sizes(sizes).data
    assert_allclose(bars.y, sizes.mean(axis=0))
    assert list(bars.x) == [1, 2, 3, 4] and bars.y[3] == 0
    assert_allclose(bars.y[:3] + bars.error_y.array[:3], np.quantile(sizes[:, :3], 0.95, axis=0))
    assert_allclose(bars.y[:3] - bars.error_y.arrayminus[:3], np.quantile(sizes[:, :3], 0.05, axis=0))


def test_co_clustering_holds_the_shares_in_the_order_shown():
    found = posterior.co_clustering(DRAWS)
    (heat,) = partitions.co_clustering(found).data
    for a, b in ((0, 1), (3, 20), (24, 24), (7, 2)):
        i, j = found.points[found.order[[a, b]]]
        assert heat.z[a][b] == pytest.approx(np.mean(DRAWS[:, i] == DRAWS[:, j]), abs=1e-6)
    assert_array_equal(heat.x, np.arange(25))


def test_large_matrices_are_means_over_blocks(monkeypatch):
    found = posterior.co_clustering(DRAWS)
    monkeypatch.setattr(partitions, "MOST_CELLS", 10)
    (heat,) = partitions.co_clustering(found).data
    ordered = found.ordered()
    assert np.shape(heat.z) == (9, 9)  # blocks of three, the last of one
    assert heat.z[1][2] == pytest.approx(ordered[3:6, 6:9].mean(), abs=1e-6)
    assert heat.z[8][0] == pytest.approx(ordered[24:, :3].mean(), abs=1e-6)
    assert_array_equal(heat.x, np.arange(9) * 3 + 1)


@pytest.mark.parametrize("display", [PLANE, LINE])
def test_uncertainty_is_the_colour_of_every_point_and_the_least_certain_are_on_top(display):
    bits, labels = RNG.exponential(size=25), RNG.integers(0, 3, size=25)
    (drawn,) = partitions.uncertainty(display, bits, labels).data
    points = np.asarray(drawn.customdata)[:, 0]
    assert sorted(points) == list(range(25)) and np.all(np.diff(drawn.marker.color) >= 0)
    assert_array_equal(drawn.marker.color, bits[points])
    assert_array_equal(np.asarray(drawn.customdata)[:, 1], labels[points] + 1)
    stack = dot_stack(LINE.coordinates[:, 0])
    expected = PLANE.coordinates if display is PLANE else np.column_stack([stack.positions, stack.heights + 1])
    assert_allclose(np.column_stack([drawn.x, drawn.y]), expected[points])


def test_a_partition_is_drawn_by_cluster_with_what_is_left_out_grey():
    labels = np.repeat([0, 2, -1], [10, 9, 6])
    figure = partitions.partition(PLANE, labels)
    assert [trace.name for trace in figure.data] == ["cluster 1 (10)", "cluster 3 (9)", "left out (6)"]
    for trace, label in zip(figure.data, (0, 2, -1), strict=True):
        assert_allclose(np.column_stack([trace.x, trace.y]), PLANE.coordinates[labels == label])
        assert_array_equal(trace.customdata, np.flatnonzero(labels == label))
    assert figure.layout.xaxis.title.text == "length &lt;b&gt;"


def test_of_many_clusters_the_largest_are_named_and_of_many_points_some_are_drawn():
    n = 3 * MOST_POINTS
    labels = np.where(np.arange(n) % 2, np.arange(n) % 50, 0)
    display = Display(RNG.normal(size=(n, 2)), ("a", "b"), np.eye(2), np.zeros(2))
    figure = partitions.partition(display, labels)
    assert len(figure.data) == partitions.MOST_NAMED + 1 and figure.data[-1].name == "6 smaller clusters"
    assert sum(len(trace.x) for trace in figure.data) == MOST_POINTS


def test_distances_hold_shares_of_draws_the_radius_and_other_answers():
    values = RNG.gamma(2.0, size=500)
    figure = partitions.distances(values, 3.25, {"MAP-DP": 0.0, "K-means": 40.0}, "bits")
    bars, mapdp, kmeans = figure.data
    assert sum(bars.y) == pytest.approx(1)
    first, width = bars.x[1] - bars.width[1] / 2, bars.width[1]
    assert bars.y[1] == pytest.approx(np.mean((values >= first) & (values < first + width)))
    assert (list(mapdp.x), list(kmeans.x)) == ([0.0], [40.0])
    assert [shape.x0 for shape in figure.layout.shapes] == [3.25]
    assert figure.layout.xaxis.range[0] < 0 and figure.layout.xaxis.range[1] > 40


def test_a_point_posterior_has_distances_of_nothing():
    figure = partitions.distances(np.zeros(9), 0.0, {"MAP-DP": 0.0}, "bits")
    assert sum(figure.data[0].y) == pytest.approx(1) and figure.layout.xaxis.range[1] > 0
    (words,) = figure.layout.annotations
    assert (words.text, words.xanchor) == ("edge of the ball", "left")  # on the other side are the numbers of the axis
    assert max(figure.layout.yaxis.tickvals) == 1  # of shares


def test_density_curves_hold_mean_and_band():
    grid, mean = np.linspace(0, 1, 7), RNG.random(7)
    figure = partitions.density_curve(RNG.random(30), grid, PredictiveBands(mean, mean - 0.1, mean + 0.2), "length")
    histogram, upper, lower, middle = figure.data
    assert len(histogram.x) == 30 and lower.fill == "tonexty"
    for line, expected in ((upper, mean + 0.2), (lower, mean - 0.1), (middle, mean)):
        assert_allclose(line.y, expected)
        assert_allclose(line.x, grid)


def test_density_maps_have_a_row_per_place_of_the_second_column():
    axes = (np.linspace(0, 1, 4), np.linspace(5, 9, 3))
    places = np.column_stack([grid.ravel() for grid in np.meshgrid(*axes)])
    heat, points = partitions.density_map(places[:, 0] + 10 * places[:, 1], axes, ("a", "b"), PLANE.coordinates).data
    for row, column in ((0, 0), (2, 1), (1, 3)):
        assert heat.z[row][column] == pytest.approx(axes[0][column] + 10 * axes[1][row])
    assert_allclose(np.column_stack([points.x, points.y]), PLANE.coordinates)
