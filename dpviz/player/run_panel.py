"""From a run to the player's input: rows, ellipses or density curves, background maps, ghosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from scipy.special import logsumexp

from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, Display, dot_stack
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.hyperparameters import with_partition
from dpviz.engine.problem import Problem
from dpviz.engine.record import smallest_unsigned
from dpviz.engine.rescore import partition_nll
from dpviz.engine.shapes import ClusterShapes, projected_shapes
from dpviz.engine.trace import Trace
from dpviz.engine.trace_words import rise_in_words
from dpviz.engine.transforms import scores_of_places
from dpviz.engine.visits import SlowMotion
from dpviz.families.columns.circular import CircularShapes
from dpviz.families.planes import ProductShapes
from dpviz.limits import MOST_LABELS
from dpviz.periods import period_of
from dpviz.player.data import (
    ClusterDensities,
    ClusterEllipses,
    DensityImage,
    GhostCurve,
    PanelData,
    Plane,
    RegionImage,
    SweepEvents,
    plane_extent,
)
from dpviz.player.tracking import LabelTracks

MOST_LIVE_LABELS = 2_000_000
"""Labels sent to the browser during a run, when they are sent repeatedly."""
MOST_ROWS = 2_000
MOST_ELLIPSES = 40
"""Sweeps with more clusters than this get no ellipses: they would be indistinguishable."""
MOST_PLANE_COLUMNS = 30
"""As many as browsers cluster."""
MOST_NAMED_POINTS = 5_000
"""More points are not named."""
MOST_LIVE_SHAPES = 100
MOST_CURVE_VALUES, LEAST_PLACES = 4_000_000, 500
"""Numbers of the curves of hours that are sent, unless they are more at so few places, which a screen hardly shows."""
MOST_SLOW_SHAPES = 120
"""Most states of a sweep in slow motion whose shapes are sent."""
MOST_MAPS, MAP_CELLS = 16, 90
"""Most sweeps with a background map, and its resolution per axis."""
WIDEST_MARGIN = 1e6
"""A cluster that cannot take a place at all is beaten by this much, in the units of the scores."""


class Pictured(Protocol):
    """Data as loaded, the clustered numbers, and the places of the points."""

    @property
    def dataset(self) -> Dataset:
        """Data as loaded: the values shown on hovering, and the true labels."""

    @property
    def clustered(self) -> Dataset:
        """The same rows with the numbers that are clustered (N, D)."""

    def display(self, labels: IntArray | None = None) -> Display:
        """Place the points, perhaps by their present clusters."""


def shown_rows(trace: Trace, most_labels: int = MOST_LABELS, growing: bool = False) -> IntArray:
    """Rows of ``trace.labels`` that are sent: all, or evenly thinned with first, last and that of the result kept.

    Of a growing run every second, fourth, … row is sent, so that the rows, and with them the colours, stay the same
    from one picture to the next.
    """
    n_rows, n_points = trace.labels.shape
    most = most_shown(n_points, most_labels)
    if n_rows <= most:
        return np.arange(n_rows)
    if growing:
        stride = 1 << int(np.ceil(np.log2((n_rows - 1) / (most - 1))))
        return np.unique(np.append(np.arange(0, n_rows, stride), n_rows - 1))
    return np.union1d(evenly_spaced(n_rows, most), trace.result_row)


def most_shown(n_points: int, most_labels: int = MOST_LIVE_LABELS) -> int:
    """Most recorded sweeps of N points that are sent; by default of a run in progress."""
    return max(2, min(MOST_ROWS, most_labels // n_points))


def panel(
    pictured: Pictured,
    trace: Trace,
    config: RunConfig,
    title: str,
    *,
    ghosts: Sequence[tuple[str, Trace]] = (),
    live: bool = False,
    slow: SlowMotion | None = None,
    names: Mapping[int, str] | None = None,
    tracks: LabelTracks | None = None,
) -> PanelData:
    """Make the player's panel of a run.

    Parameters
    ----------
    pictured : Pictured
    trace : Trace
        Finished or partial.
    config : RunConfig
    title : str
    ghosts : sequence of (name, Trace)
        Runs whose curves are drawn faintly.
    live : bool
        Whether the run is still in progress: then fewer rows are sent, and shapes only for short runs.
    slow : SlowMotion, optional
        A sweep to be played visit by visit.
    names : mapping of int to str, optional
        Names given to clusters, by the number the player shows.
    tracks : LabelTracks, optional
        Tracks of the clusters in the sent rows, if not computed from these rows.
    """
    problem = Problem(pictured.clustered.X, config)
    rows = shown_rows(trace, MOST_LIVE_LABELS if live else MOST_LABELS, growing=live)
    with_shapes = not live or trace.n_sweeps < MOST_LIVE_SHAPES
    display = pictured.display(trace.labels_at(int(trace.label_sweeps[-1])))
    one_column = display.coordinates.shape[1] == 1
    parts: dict[str, object] = {}
    if with_shapes:
        parts |= _shapes(problem, trace, rows, display)
    if one_column and len(display.coordinates) <= 50_000:
        coordinates, parts["heights"] = _stacked(display.coordinates[:, 0], parts.get("densities"))
    else:
        coordinates = display.coordinates
    if not live and pictured.clustered.n_features == 2 and not one_column:
        parts |= _background(problem, trace, rows, display)
    dataset = pictured.dataset
    return PanelData(
        points=coordinates,
        labels=trace.labels[rows],
        label_sweeps=trace.label_sweeps[rows],
        **{
            name: getattr(trace, name)
            for name in ("nll", "objective", "n_clusters", "n_moved", "n_born", "n_died", "seconds")
        },
        title=title,
        objective_name=problem.algorithm.objective,
        cost_note=rise_in_words(trace),
        scaling_nats=trace.scaling_nats,
        axis_names=display.axis_names,
        periods=_periods(display, pictured.clustered.kinds, problem),
        true_labels=dataset.labels,
        class_names=dataset.label_names or (),
        point_names=dataset.row_names() if len(dataset.X) <= MOST_NAMED_POINTS else (),
        cluster_names=names or {},
        tracks=tracks,
        values=dataset.X[:, :8],
        value_names=dataset.feature_names[:8],
        plane=_plane(problem, display),
        events=None if slow is None else _events(problem, trace, slow, display),
        ghosts=tuple(GhostCurve(name, other.nll, other.n_clusters.astype(float)) for name, other in ghosts),
        **parts,  # type: ignore[arg-type]
    )


def _periods(display: Display, kinds: Sequence[str], problem: Problem) -> tuple[float, ...]:
    """Return after what each axis begins again, in its units; 0 for those that are no circular column.

    A column is circular by its kind in the data, or if an array was given, which has none, by the model.
    """
    of_model = problem.model.column_kinds(len(kinds)) if problem.algorithm.uses_model else kinds
    found = []
    for direction in display.directions:
        (columns,) = np.nonzero(direction)
        alone = [period_of(own[columns[0]]) for own in (kinds, of_model)] if len(columns) == 1 else []
        period = next(filter(None, alone), None)
        found.append(0.0 if period is None else period * abs(float(direction[columns[0]])))
    return tuple(found)


def _shapes(problem: Problem, trace: Trace, rows: IntArray, display: Display) -> dict[str, object]:
    """Ellipses in the plane, or density curves on one axis, of the sweeps with few enough clusters."""
    few = rows[trace.n_clusters[trace.label_sweeps[rows]] <= MOST_ELLIPSES]
    if len(few) == 0 or (len(display.directions) == 1 and problem.X.shape[1] > 1):
        return {}
    shown = projected_shapes(problem, trace, few, display.directions, display.origin)
    if shown is None:
        return {}
    position = np.zeros(len(trace.labels), dtype=np.int64)
    position[rows] = np.arange(len(rows))
    at = position[shown.rows]
    if len(display.directions) == 1:
        grid = shown.shapes.grid(display.coordinates[:, 0])
        if isinstance(shown.shapes, CircularShapes):  # with places about each cluster of each sweep
            grid = _thinned(grid, max(LEAST_PLACES, MOST_CURVE_VALUES // len(at)))
        return {"densities": ClusterDensities(at, shown.labels, grid, shown.density_curves(grid))}
    ellipses = _ellipses(problem, shown, at)
    return {} if ellipses is None else {"ellipses": ellipses}


def _thinned(grid: FloatArray, most: int) -> FloatArray:
    """Return a grid (G,), or one place in each of ``most`` equal parts of it if it has more."""
    if len(grid) <= most:
        return grid
    parts = np.floor((grid - grid[0]) / (grid[-1] - grid[0]) * (most - 1))
    return np.asarray(grid[np.unique(parts, return_index=True)[1]])


def _ellipses(problem: Problem, shown: ClusterShapes, at: IntArray) -> ClusterEllipses | None:
    """Return the ellipses of shapes in the plane for the rows or visits that they belong to."""
    ellipses, bent = shown.shapes.ellipses(), isinstance(shown.shapes, ProductShapes)
    if ellipses is None:
        return None
    return ClusterEllipses(at, shown.labels, *ellipses, meanings=problem.algorithm.shape_meanings, bent=bent)


def _plane(problem: Problem, display: Display) -> Plane | None:
    """Return the plane of what a browser could cluster."""
    if len(display.directions) != 2 or problem.X.shape[1] > MOST_PLANE_COLUMNS or np.isnan(problem.X).any():
        return None
    return Plane(display.directions, display.origin)


def _stacked(x: FloatArray, densities: object) -> tuple[FloatArray, FloatArray]:
    """Scale one column's dots so that the tallest stack is as high as the highest density."""
    stack = dot_stack(x)
    area = len(x) * stack.bin_width
    heights = (stack.heights + 0.5) / area if area > 0 else stack.heights.astype(np.float64)
    return stack.positions[:, None], np.asarray(heights)


def _background(problem: Problem, trace: Trace, rows: IntArray, display: Display) -> dict[str, object]:
    """Map −ln of the mixture predictive, and the cluster that would take a point, over the plane, for some sweeps."""
    if problem.algorithm.uses_model and problem.family.kind != "real":
        return {}  # no cluster can be computed for an impossible point
    x_low, x_high, y_low, y_high = extent = plane_extent(display.coordinates)
    steps = (np.arange(MAP_CELLS) + 0.5) / MAP_CELLS
    x, y = x_low + steps * (x_high - x_low), y_low + steps * (y_high - y_low)
    plane = np.column_stack([np.tile(x, MAP_CELLS), np.repeat(y, MAP_CELLS)])
    points = plane @ np.linalg.inv(display.directions).T + display.origin
    few = rows[trace.n_clusters[trace.label_sweeps[rows]] <= MOST_ELLIPSES]
    if len(few) == 0:
        return {}
    chosen = few[evenly_spaced(len(few), MOST_MAPS)]
    sweeps, square = trace.label_sweeps[chosen], (MAP_CELLS, MAP_CELLS)
    heights, takers, margins = [], [], []
    for row in chosen:
        labels = trace.labels[row].astype(np.int64)
        scores = _scores(problem, trace, int(trace.label_sweeps[row]), labels, points)
        if scores is None:
            return {}
        taker, margin = taken(scores, np.unique(labels))
        takers.append(taker.reshape(square))
        margins.append(margin.reshape(square))
        cost = -logsumexp(scores, axis=1)
        heights.append(np.exp(-0.25 * (cost - cost.min())).reshape(square))  # so that more than the peaks is visible
    regions: dict[str, object] = {"region_image": RegionImage(np.array(takers), sweeps, extent, np.array(margins))}
    if not problem.algorithm.uses_model:
        return regions
    return {"density_image": DensityImage(np.array(heights), sweeps, extent), **regions}


def _scores(problem: Problem, trace: Trace, sweep: int, labels: IntArray, points: FloatArray) -> FloatArray | None:
    """Scores (n, K + 1) of places in the clusters of a sweep and in a new one, or (n, K) if none can be opened."""
    if not problem.algorithm.uses_model:
        return algorithm_of(problem).scores_of_places(problem, labels, points)
    return scores_of_places(with_partition(problem, trace.partition_at(sweep)), labels, points)


def taken(scores: FloatArray, used: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the cluster that takes each place (−1 for a new one), and by how much it beats the runner-up."""
    names = np.append(used, [-1] * (scores.shape[1] - len(used)))
    best = np.argmax(scores, axis=1)
    if scores.shape[1] == 1:
        return names[best], np.ones(len(scores))
    second, first = np.partition(scores, -2, axis=1)[:, -2:].T
    return names[best], first - np.maximum(second, first - WIDEST_MARGIN)


def _events(problem: Problem, trace: Trace, slow: SlowMotion, display: Display) -> SweepEvents:
    """Visits of a sweep, with the nll and the shapes after each."""
    return SweepEvents(
        slow.sweep,
        slow.points,
        slow.from_labels,
        slow.to_labels,
        slow.candidates,
        slow.costs,
        nll=_visited_nll(problem, trace, slow),
        ellipses=_visited_ellipses(problem, trace, slow, display),
    )


def _visited_nll(problem: Problem, trace: Trace, slow: SlowMotion) -> FloatArray | None:
    """Follow the nll over the visits: a move changes it by the difference of its costs.

    None if costs are something else: for methods without an nll, where missing cells are filled in as rows move, and if
    the first sweep has a special rule.
    """
    if problem.imputes:
        return None
    costs = {}
    for name, labels in (("to", slow.to_labels), ("from", slow.from_labels)):
        is_it = slow.candidates == labels[:, None]
        alone = ~is_it.any(axis=1)  # a cluster of this point alone, or one not yet there: the candidate "new"
        is_it[alone] = slow.candidates[alone] == -1
        costs[name] = np.where(is_it, np.nan_to_num(slow.costs), 0.0).sum(axis=1)
    moved = slow.to_labels != slow.from_labels
    curve = trace.nll[slow.sweep - 1] + np.cumsum(np.where(moved, costs["to"] - costs["from"], 0.0))
    if not np.isfinite(curve).all():
        return None
    labels = trace.labels_at(slow.sweep - 1)
    labels[slow.points] = slow.to_labels
    # what came after the visits, splits and draws of hyperparameters, is not in it
    end = partition_nll(with_partition(problem, trace.partition_at(slow.sweep - 1)), [labels])[0] + trace.scaling_nats
    return None if abs(curve[-1] - end) > 1e-6 * max(abs(end), 1.0) else np.asarray(curve)


def _visited_ellipses(problem: Problem, trace: Trace, slow: SlowMotion, display: Display) -> ClusterEllipses | None:
    """Shapes after some of the visits that moved a point, evenly spread."""
    moved = np.flatnonzero(slow.to_labels != slow.from_labels)
    if len(moved) == 0 or len(display.directions) != 2 or trace.n_clusters[slow.sweep - 1] > MOST_ELLIPSES:
        return None
    visits = moved[evenly_spaced(len(moved), MOST_SLOW_SHAPES)]
    labels = np.tile(trace.labels_at(slow.sweep - 1), (len(visits), 1))
    for row, visit in enumerate(visits):
        labels[row, slow.points[: visit + 1]] = slow.to_labels[: visit + 1]  # each point is visited once
    states = states_of(trace, labels)
    shown = projected_shapes(problem, states, np.arange(len(visits)), display.directions, display.origin)
    return None if shown is None else _ellipses(problem, shown, visits[shown.rows])


def states_of(trace: Trace, labels: IntArray) -> Trace:
    """Labelings (R, N) in the form of a trace; numbers may be unused."""
    width = int(labels.max()) + 1
    sizes = np.array([np.bincount(row, minlength=width) for row in labels])
    return replace(
        trace,
        labels=smallest_unsigned(labels, width),
        label_sweeps=np.arange(len(labels)),
        nll=np.zeros(len(labels)),
        flat_sizes=sizes.ravel(),
        size_offsets=np.arange(len(labels) + 1) * width,
    )
