"""From a run to the player's input: rows, ellipses or density curves, background maps, ghosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.datasets import Dataset, Display, dot_stack
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.fewer_rows import with_rows
from dpviz.engine.hyperparameters import with_partition
from dpviz.engine.kernels.collapsed_sweep import decide
from dpviz.engine.problem import Problem
from dpviz.engine.record import smallest_unsigned
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
    cells_of,
    dot_heights,
    panel_from_trace,
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
MOST_STACKED = 50_000
"""Points of one column that are moved to the middle of a bin."""
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


def shown_part(trace: Trace, most_labels: int = MOST_LABELS, growing: bool = False) -> Trace:
    """Return a trace with the rows of :func:`shown_rows` alone."""
    rows = shown_rows(trace, most_labels, growing)
    return trace if len(rows) == len(trace.labels) else with_rows(trace, rows)


def panel(
    pictured: Pictured,
    trace: Trace,
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
    trace = shown_part(trace, MOST_LIVE_LABELS if live else MOST_LABELS, growing=live)
    dataset, clustered = pictured.dataset, pictured.clustered
    run = _Drawn(trace, Problem(clustered.X, trace.config), pictured.display(trace.labels[-1].astype(np.int64)))
    coordinates = run.display.coordinates
    parts: dict[str, Any] = run.shapes() if not live or trace.n_sweeps < MOST_LIVE_SHAPES else {}
    if coordinates.shape[1] == 2 and clustered.n_features == 2 and not live:
        parts |= run.background()
    if coordinates.shape[1] == 1 and len(coordinates) <= MOST_STACKED:
        stack = dot_stack(coordinates)
        coordinates, parts["heights"] = stack.positions[:, None], dot_heights(stack)
    return panel_from_trace(
        coordinates,
        trace,
        title=title,
        objective_name=run.problem.algorithm.objective,
        cost_note=rise_in_words(trace),
        scaling_nats=trace.scaling_nats,
        axis_names=run.display.axis_names,
        periods=run.periods(clustered.kinds),
        true_labels=dataset.labels,
        class_names=dataset.label_names or (),
        point_names=dataset.row_names() if len(dataset.X) <= MOST_NAMED_POINTS else (),
        cluster_names=names or {},
        tracks=tracks,
        values=dataset.X[:, :8],
        value_names=dataset.feature_names[:8],
        plane=run.plane(),
        events=None if slow is None else SweepEvents(**vars(slow), ellipses=run.visited_ellipses(slow)),
        ghosts=tuple(GhostCurve(name, other.nll, other.n_clusters.astype(float)) for name, other in ghosts),
        **parts,
    )


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A run with the rows that are sent, its data and model, and where its points are."""

    trace: Trace
    problem: Problem
    display: Display

    @property
    def directions(self) -> FloatArray:
        """Directions (1 or 2, D) of the axes."""
        return self.display.directions

    def few(self) -> IntArray:
        """Return the rows whose sweeps have few enough clusters for shapes and maps."""
        return np.flatnonzero(self.trace.n_clusters[self.trace.label_sweeps] <= MOST_ELLIPSES)

    def periods(self, kinds: Sequence[str]) -> tuple[float, ...]:
        """Return after what each axis begins again, in its units; 0 for those that are no circular column.

        A column is circular by its kind in the data, or if an array was given, which has none, by the model.
        """
        of_model = self.problem.model.column_kinds(len(kinds)) if self.problem.algorithm.uses_model else kinds
        found = []
        for direction in self.directions:
            (columns,) = np.nonzero(direction)
            alone = [period_of(own[columns[0]]) for own in (kinds, of_model)] if len(columns) == 1 else []
            period = next(filter(None, alone), None)
            found.append(0.0 if period is None else period * abs(float(direction[columns[0]])))
        return tuple(found)

    def plane(self) -> Plane | None:
        """Return the plane of what a browser could cluster."""
        X = self.problem.X
        if len(self.directions) != 2 or X.shape[1] > MOST_PLANE_COLUMNS or np.isnan(X).any():
            return None
        return Plane(self.directions, self.display.origin)

    def projected(self, trace: Trace, rows: IntArray) -> ClusterShapes | None:
        """Return the shapes of clusters in rows of a trace, where the points are."""
        return projected_shapes(self.problem, trace, rows, self.directions, self.display.origin)

    def shapes(self) -> dict[str, Any]:
        """Ellipses in the plane, or density curves on one axis, of the sweeps with few enough clusters."""
        few, on_a_line = self.few(), len(self.directions) == 1
        if len(few) == 0 or (on_a_line and self.problem.X.shape[1] > 1):
            return {}
        found = self.projected(self.trace, few)
        if found is None:
            return {}
        if not on_a_line:
            return {"ellipses": ellipses_of(self.problem, found, found.rows)}
        grid = found.shapes.grid(self.display.coordinates[:, 0])
        if isinstance(found.shapes, CircularShapes):  # with places about each cluster of each sweep
            grid = _thinned(grid, max(LEAST_PLACES, MOST_CURVE_VALUES // len(found.rows)))
        return {"densities": ClusterDensities(found.rows, found.labels, grid, found.density_curves(grid))}

    def visited_ellipses(self, slow: SlowMotion) -> ClusterEllipses | None:
        """Shapes after some of the visits that moved a point, evenly spread."""
        moved = np.flatnonzero(slow.to_labels != slow.from_labels)
        too_many = self.trace.n_clusters[slow.sweep - 1] > MOST_ELLIPSES
        if len(moved) == 0 or len(self.directions) != 2 or too_many:
            return None
        visits = moved[evenly_spaced(len(moved), MOST_SLOW_SHAPES)]
        labels = np.tile(self.trace.labels_at(slow.sweep - 1), (len(visits), 1))
        for row, visit in enumerate(visits):
            labels[row, slow.points[: visit + 1]] = slow.to_labels[: visit + 1]  # each point is visited once
        found = self.projected(states_of(self.trace, labels), np.arange(len(visits)))
        return None if found is None else ellipses_of(self.problem, found, visits[found.rows])

    def background(self) -> dict[str, Any]:
        """Map −ln of the mixture predictive, and who would take a point, over the plane, for some sweeps."""
        few, has_model = self.few(), self.problem.algorithm.uses_model
        if len(few) == 0 or (has_model and self.problem.family.kind != "real"):
            return {}  # no cluster can be computed for an impossible point
        extent = plane_extent(self.display.coordinates)
        points = cells_of(extent, MAP_CELLS) @ np.linalg.inv(self.directions).T + self.display.origin
        chosen = few[evenly_spaced(len(few), MOST_MAPS)]
        maps = []
        for row in chosen:
            scores = self._scores(row, points)
            if scores is None:
                return {}
            taker, margin, log_sum = taken(scores, np.unique(self.trace.labels[row]))
            height = np.exp(0.25 * (log_sum - log_sum.max()))  # so that more than the peaks is visible
            maps.append((taker, margin, height))
        takers, margins, heights = (np.reshape(one, (-1, MAP_CELLS, MAP_CELLS)) for one in zip(*maps, strict=True))
        sweeps = self.trace.label_sweeps[chosen]
        regions = {"region_image": RegionImage(takers, sweeps, extent, margins)}
        return regions | ({"density_image": DensityImage(heights, sweeps, extent)} if has_model else {})

    def _scores(self, row: int, points: FloatArray) -> FloatArray | None:
        """Scores (n, K + 1) of places in the clusters of a row and in a new one, or (n, K) if none can be opened."""
        problem, labels = self.problem, self.trace.labels[row].astype(np.int64)
        if not problem.algorithm.uses_model:
            return algorithm_of(problem).scores_of_places(problem, labels, points)
        partition = self.trace.partition_at(int(self.trace.label_sweeps[row]))
        return scores_of_places(with_partition(problem, partition), labels, points)


def ellipses_of(problem: Problem, found: ClusterShapes, at: IntArray) -> ClusterEllipses | None:
    """Return the ellipses of shapes in the plane for the rows or visits that they belong to; None if there are none."""
    ellipses, bent = found.shapes.ellipses(), isinstance(found.shapes, ProductShapes)
    meanings = problem.algorithm.shape_meanings
    return None if ellipses is None else ClusterEllipses(at, found.labels, *ellipses, meanings=meanings, bent=bent)


def _thinned(grid: FloatArray, most: int) -> FloatArray:
    """Return a grid (G,), or one place in each of ``most`` equal parts of it if it has more."""
    if len(grid) <= most:
        return grid
    parts = np.floor((grid - grid[0]) / (grid[-1] - grid[0]) * (most - 1))
    return np.asarray(grid[np.unique(parts, return_index=True)[1]])


def taken(scores: FloatArray, used: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the cluster that takes each place (−1 for a new one), its lead over the runner-up, and ln Σ exp scores."""
    decided = np.empty((len(scores), 3))
    decide(np.ascontiguousarray(scores), decided)
    names = np.append(used, [-1] * (scores.shape[1] - len(used)))
    return names[decided[:, 0].astype(np.int64)], np.minimum(decided[:, 1], WIDEST_MARGIN), decided[:, 2]


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
