"""A whole run, played in the browser: points, curves and cluster sizes tied to one playhead.

Public interface
----------------
``PanelData``
    One run as plain arrays: points (N, 2) or (N, 1), labels (R, N) and the curves (T + 1,). Optional parts are
    ``ClusterEllipses``, ``ClusterDensities``, ``DensityImage``, ``RegionImage``, ``SweepEvents`` and ``GhostCurve``.
``panel_from_trace(points, trace, *, title="", **parts) -> PanelData``
    The same from anything that has the fields of a trace.
``plane_extent(points) -> tuple``
    The part of the plane to compute background maps for.
``build_payload(panels, *, sync="sweep", partial=False, progress="") -> bytes``
    One immutable payload for one to six panels; build it once per run and cache it.
``player(payload, *, key, sweep=None, height=480, scale=1.0, on_sweep=None, …) -> PlayerState``
    Show it on a Streamlit page. ``PlayerState(sweep, point, selection)`` has the playhead where it last rested, the
    ``PointEvent`` (for one script run only) and the ``Selection``. The playhead survives page changes by itself.
    ``pulls=`` lets the reader place a ghost point: it maps a ``PlaceEvent`` to one ``Pull`` per cluster and one for a
    new one, which are drawn beside it. ``editable=True`` reports dragged and painted points: ``PlayerState.moved`` is a
    ``MovedPoint`` and ``PlayerState.painted`` are ``PaintedPoints``, for one script run only.
``standalone_html(payload, title) -> str``
    The same player as one HTML file that opens without a server or a network.
``track_labels(labels) -> LabelTracks``, ``track_panels(panels)``
    How a cluster keeps its number from sweep to sweep: track t is called "cluster t + 1". Two clusters of one sweep
    share a colour only if the sweep has more clusters than colours.
``align_runs(runs) -> list[LabelTracks]``
    Equal numbers for clusters of different runs that hold the same points.
``track_color(track, *, dark=False) -> str``, ``track_pattern(track) -> str``, ``CLUSTER_COLORS``, ``CLUSTER_PATTERNS``
    The colour of a track, and the pattern that tells tracks of one colour apart, for charts outside the player.
``panel_color(number, *, dark=False) -> str``
    The colour that one of several panels has in the player's curves.
"""

from __future__ import annotations

from dpviz.ui.player.alignment import align_runs
from dpviz.ui.player.component import PlayerState, player
from dpviz.ui.player.data import (
    ClusterDensities,
    ClusterEllipses,
    DensityImage,
    GhostCurve,
    PanelData,
    RegionImage,
    SweepEvents,
    panel_from_trace,
    plane_extent,
)
from dpviz.ui.player.events import MovedPoint, PaintedPoints, PlaceEvent, PointEvent, Pull, Selection
from dpviz.ui.player.palette import CLUSTER_COLORS, CLUSTER_PATTERNS, panel_color, track_color, track_pattern
from dpviz.ui.player.payload import build_payload, track_panels
from dpviz.ui.player.standalone import standalone_html
from dpviz.ui.player.tracking import LabelTracks, track_labels

__all__ = [
    "CLUSTER_COLORS",
    "CLUSTER_PATTERNS",
    "ClusterDensities",
    "ClusterEllipses",
    "DensityImage",
    "GhostCurve",
    "LabelTracks",
    "MovedPoint",
    "PaintedPoints",
    "PanelData",
    "PlaceEvent",
    "PlayerState",
    "PointEvent",
    "Pull",
    "RegionImage",
    "Selection",
    "SweepEvents",
    "align_runs",
    "build_payload",
    "panel_color",
    "panel_from_trace",
    "plane_extent",
    "player",
    "standalone_html",
    "track_color",
    "track_labels",
    "track_panels",
    "track_pattern",
]
