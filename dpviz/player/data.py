"""The player's input as plain arrays: one ``PanelData`` per run and its optional layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpviz.arrays import FloatArray
from dpviz.datasets import DotStack
from dpviz.errors import require
from dpviz.player.tracking import LabelTracks

Floats = NDArray[np.floating]
Integers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class ClusterEllipses:
    """Ellipses {x : (x − centre)ᵀ scale⁻¹ (x − centre) = factor²} of clusters, one entry per (recorded row, cluster).

    Attributes
    ----------
    rows : ndarray of int, shape (M,)
        Row of ``PanelData.labels`` that an entry belongs to.
    labels : ndarray of int, shape (M,)
        The cluster, as labelled in that row.
    centers : ndarray of shape (M, 2)
        Centres in the units of the points.
    scales : ndarray of shape (M, 2, 2)
        Symmetric positive definite scale matrices.
    factors : ndarray of shape (M, 2)
        Radius factors of the inner and outer ellipse, e.g. those that hold 50 % and 95 % of the predictive.
    meanings : tuple of str
        Meaning of the inner and the outer ellipse, for the legend.
    bent : bool
        Whether they go on where an axis begins again, as those of methods that know of turns do; others end there.
    """

    rows: Integers
    labels: Integers
    centers: Floats
    scales: Floats
    factors: Floats
    meanings: tuple[str, str] = ("core of a cluster", "reach of a cluster")
    bent: bool = False


@dataclass(frozen=True, eq=False)
class ClusterDensities:
    """Predictive density curves of one-column data, one entry per (recorded row, cluster).

    Attributes
    ----------
    rows, labels : ndarray of int, shape (M,)
        As in :class:`ClusterEllipses`.
    grid : ndarray of shape (G,)
        Places where the curves are evaluated, increasing.
    values : ndarray of shape (M, G)
        Density of each cluster times its share of the points, so that the curves add up to the mixture.
    """

    rows: Integers
    labels: Integers
    grid: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class DensityImage:
    """A non-negative function on a regular grid, drawn behind the points.

    Attributes
    ----------
    values : ndarray of shape (B, ny, nx)
        Frames; ``values[b, 0, 0]`` is the lower left corner.
    sweeps : ndarray of int, shape (B,)
        Sweep from which each frame holds, increasing.
    extent : tuple of float
        (x_low, x_high, y_low, y_high), the outer edges of the grid cells. Beyond it the plot repeats the cells at
        the edge, so make it large enough that little changes there: :func:`plane_extent`.
    """

    values: Floats
    sweeps: Integers
    extent: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class RegionImage:
    """Decision regions on a regular grid, drawn behind the points.

    Attributes
    ----------
    labels : ndarray of int, shape (B, ny, nx)
        Cluster that would take a point there, as labelled in the row of its sweep; −1 for "a new cluster".
    sweeps, extent
        As in :class:`DensityImage`.
    margins : ndarray of shape (B, ny, nx), optional
        By how much that cluster beats the runner-up at the middle of each cell, ≥ 0 in any unit: the player then draws
        the edges of the regions where the margin vanishes, smooth between the cells.
    """

    labels: Integers
    sweeps: Integers
    extent: tuple[float, float, float, float]
    margins: Floats | None = None


@dataclass(frozen=True, eq=False)
class SweepEvents:
    """Every visit of one sweep, for slow motion.

    Attributes
    ----------
    sweep : int
        The sweep, ≥ 1; the visits start from the labels of sweep − 1, which must be recorded.
    points, from_labels, to_labels : ndarray of int, shape (E,)
        Visited point, its label before and after, in the labels of sweep − 1; unknown labels are new clusters.
    candidates : ndarray of int, shape (E, C), optional
        Labels compared at each visit, −1 for "a new cluster".
    costs : ndarray of shape (E, C), optional
        Cost of each candidate in nats (lower is better); NaN where a visit had fewer candidates.
    nll : ndarray of shape (E,), optional
        −ln p(X, z) after each visit (nats); the curve moves with the visits if given. The number of clusters needs no
        array: the player counts it.
    ellipses : ClusterEllipses, optional
        Shapes that visits changed: ``rows`` are visits 0..E−1 and the shape holds from that visit on, ``labels`` are
        those of sweep − 1 or new ones. Without them the shapes do not change; emptied clusters lose theirs in any case.
    """

    sweep: int
    points: Integers
    from_labels: Integers
    to_labels: Integers
    candidates: Integers | None = None
    costs: Floats | None = None
    nll: Floats | None = None
    ellipses: ClusterEllipses | None = None


@dataclass(frozen=True, eq=False)
class GhostCurve:
    """Curves of another run, drawn faintly behind those of the panel.

    Attributes
    ----------
    name : str
        Name of the other run.
    nll, n_clusters : ndarray of shape (S + 1,)
        Its negative log joint probability (nats) and number of clusters per sweep.
    """

    name: str
    nll: Floats
    n_clusters: Floats


class Plane(NamedTuple):
    """A plane in which points x (D,) are shown, at (x − origin) @ directions.T.

    Attributes
    ----------
    directions : ndarray of shape (2, D)
    origin : ndarray of shape (D,)
    """

    directions: Floats
    origin: Floats


@dataclass(frozen=True, eq=False)
class PanelData:
    """One run on one data set.

    Attributes
    ----------
    points : ndarray of shape (N, 2) or (N, 1)
        Points to draw; one column is drawn as stacked dots.
    labels : ndarray of int, shape (R, N)
        Clusters at the recorded sweeps; numbers may mean different clusters in different rows.
    label_sweeps : ndarray of int, shape (R,)
        The recorded sweeps, increasing, within 0..T.
    nll, objective : ndarray of shape (T + 1,)
        −ln p(X, z) and the method's own objective after each sweep (nats); NaN where undefined.
    n_clusters, n_moved, n_born, n_died : ndarray of int, shape (T + 1,)
        Clusters, and what changed in each sweep.
    seconds : ndarray of shape (T + 1,)
        Duration of each sweep.
    title, objective_name : str
        Name of the run and of its objective.
    cost_note : str
        What the title of the cost says besides, on hovering.
    scaling_nats : float
        By how much costs are above those of the numbers that were clustered, which a browser computes.
    axis_names : sequence of str
        One name per column of ``points``.
    periods : sequence of float
        After what each axis begins again, 0 for axes that do not; such an axis turns where others move. None without.
    true_labels : ndarray of int, shape (N,), optional
        Known classes, shown on demand.
    point_names : sequence of str
        A name for each point, or none.
    class_names : sequence of str
        Names of the classes ``0..C−1`` of ``true_labels``.
    cluster_names : mapping of int to str
        Names given to clusters, by the number the player shows (from 1).
    agreement : ndarray of shape (T + 1,), optional
        Agreement with the known classes after each sweep, NaN where unknown, as normalised mutual information (0..1).
    adjusted_rand : ndarray of shape (T + 1,), optional
        The same as adjusted Rand index (at most 1). If both are omitted and there are ``true_labels``, both are
        computed for the recorded sweeps.
    tracks : LabelTracks, optional
        Tracks of the clusters of ``labels``, if the page followed more sweeps than it sends: colours then do
        not depend on which sweeps are sent. Followed from ``labels`` if omitted.
    values : ndarray of shape (N, F), optional
        Feature values to show under the pointer; ``value_names`` names the columns. At most 8 are sent.
    heights : ndarray of shape (N,), optional
        One-column data: height of each dot on the density scale; stacked automatically if omitted.
    plane : Plane, optional
        How the points are placed, for pictures that the browser makes of further runs.
    ellipses, densities, density_image, region_image, events, ghosts
        Optional layers.
    """

    points: Floats
    labels: Integers
    label_sweeps: Integers
    nll: Floats
    objective: Floats
    n_clusters: Integers
    n_moved: Integers
    n_born: Integers
    n_died: Integers
    seconds: Floats
    title: str = ""
    objective_name: str = "E"
    cost_note: str = ""
    scaling_nats: float = 0.0
    axis_names: Sequence[str] = ()
    periods: Sequence[float] = ()
    true_labels: Integers | None = None
    class_names: Sequence[str] = ()
    cluster_names: Mapping[int, str] = field(default_factory=dict)
    values: Floats | None = None
    value_names: Sequence[str] = ()
    point_names: Sequence[str] = ()
    heights: Floats | None = None
    plane: Plane | None = None
    ellipses: ClusterEllipses | None = None
    densities: ClusterDensities | None = None
    density_image: DensityImage | None = None
    region_image: RegionImage | None = None
    events: SweepEvents | None = None
    ghosts: Sequence[GhostCurve] = ()
    agreement: Floats | None = None
    adjusted_rand: Floats | None = None
    tracks: LabelTracks | None = None

    def __post_init__(self) -> None:
        """Check that the arrays belong together."""
        points, labels = np.asarray(self.points), np.asarray(self.labels)
        n_points = len(points)
        two_dimensional = points.ndim == 2 and points.shape[1] in (1, 2) and n_points > 0
        _require_shape(two_dimensional, "points", points, "(N, 1) or (N, 2) with N ≥ 1")
        require(bool(np.isfinite(points).all()), "points", "not finite", "finite numbers", "Drop those rows first.")
        fits = labels.ndim == 2 and labels.shape == (len(self.label_sweeps), n_points) and len(labels) > 0
        _require_shape(fits, "labels", labels, f"({len(self.label_sweeps)}, {n_points}), a row per recorded sweep")
        n_rows = len(self.seconds)
        for name in ("nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"):
            curve = np.asarray(getattr(self, name))
            _require_shape(curve.shape == (n_rows,), name, curve, f"({n_rows},) like seconds")
        for name in ("agreement", "adjusted_rand"):
            if getattr(self, name) is not None:
                curve = np.asarray(getattr(self, name))
                _require_shape(curve.shape == (n_rows,), name, curve, f"({n_rows},) like seconds")
        if self.tracks is not None:
            tracks = self.tracks.tracks
            _require_shape(tracks.shape == labels.shape, "tracks", tracks, f"{labels.shape} like labels")
        sweeps = np.asarray(self.label_sweeps)
        in_order = sweeps[0] >= 0 and sweeps[-1] < n_rows and bool((np.diff(sweeps) > 0).all())
        require(bool(in_order), "label_sweeps", sweeps, f"increasing within 0..{n_rows - 1}")
        for name in ("true_labels", "values", "heights"):
            column = getattr(self, name)
            if column is not None:
                _require_shape(len(column) == n_points, name, np.asarray(column), f"one row per point ({n_points})")

        named = len(self.point_names) in (0, n_points)
        _require_shape(named, "point_names", np.asarray(self.point_names), "a name per point, or none")

    @property
    def n_sweeps(self) -> int:
        """Number of sweeps T, not counting the initial state."""
        return len(self.seconds) - 1


def plane_extent(points: Floats) -> tuple[float, float, float, float]:
    """Part of the plane that the player shows at first, for background maps.

    Parameters
    ----------
    points : ndarray of shape (N, 2)
        Points to draw.

    Returns
    -------
    tuple of float
        (x_low, x_high, y_low, y_high): the points with room for the shapes around them, widened to twice as wide as
        high if both axes have one scale, as the plot on a wide screen is.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    middle, size = (low + high) / 2, np.maximum(high - low, 1e-9) * 1.3
    if 1 / 4 <= size[0] / size[1] <= 4:
        size = np.maximum(size, [2 * size[1], size[0] / 2])
    (x_low, y_low), (x_high, y_high) = middle - size / 2, middle + size / 2
    return float(x_low), float(x_high), float(y_low), float(y_high)


def cells_of(extent: tuple[float, float, float, float], n: int) -> FloatArray:
    """Return the middles (n², 2) of n × n cells of a part of the plane, row by row from the lowest."""
    x_low, x_high, y_low, y_high = extent
    steps = (np.arange(n) + 0.5) / n
    x, y = x_low + steps * (x_high - x_low), y_low + steps * (y_high - y_low)
    return np.column_stack([np.tile(x, n), np.repeat(y, n)])


def dot_heights(stack: DotStack) -> FloatArray:
    """Return heights (N,) of stacked dots in density units: those of a bin of width w fill 0 .. count / (N w)."""
    area = len(stack.heights) * stack.bin_width
    return np.asarray((stack.heights + 0.5) / area if area > 0 else stack.heights, dtype=np.float64)


def panel_from_trace(points: Floats, trace: Any, *, title: str = "", **parts: Any) -> PanelData:
    """Make a panel from a trace, or from any object with the same fields.

    Parameters
    ----------
    points : ndarray of shape (N, 2) or (N, 1)
        Place of each row of the data.
    trace : object
        Has ``labels``, ``label_sweeps``, ``nll``, ``objective``, ``n_clusters``, ``n_moved``, ``n_born``, ``n_died``
        and ``seconds``.
    title : str
        Name of the run.
    **parts
        Further fields of :class:`PanelData`.

    Returns
    -------
    PanelData
        The panel; arrays are shared, not copied.
    """
    names = ("labels", "label_sweeps", "nll", "objective", "n_clusters", "n_moved", "n_born", "n_died", "seconds")
    return PanelData(points=points, title=title, **{name: getattr(trace, name) for name in names}, **parts)


def panel_of_labels(points: Floats, labels: Integers, **parts: Any) -> PanelData:
    """Make a panel of labels (R, N) that are no run's, a sweep each, of whose costs and moves nothing is known.

    Parameters are those of :func:`panel_from_trace`.
    """
    unknown, none = np.full(len(labels), np.nan), np.zeros(len(labels), dtype=np.int64)
    curves: dict[str, Any] = {name: none for name in ("n_moved", "n_born", "n_died")}
    curves |= {"nll": unknown, "objective": unknown, "seconds": np.zeros(len(labels))}
    curves["n_clusters"] = np.array([len(np.unique(row)) for row in labels])
    return PanelData(points=points, labels=labels, label_sweeps=np.arange(len(labels)), **{**curves, **parts})


def _require_shape(condition: bool, parameter: str, array: np.ndarray, shape: str) -> None:
    require(bool(condition), parameter, f"array of shape {array.shape}", f"of shape {shape}")
