"""A whole run as a film: points, curves and cluster sizes tied to one playhead, for a browser of any kind.

Public interface
----------------
``panel(pictured, trace, title, **options) -> PanelData``
    A run on its data as the player shows it: rows, shapes, background maps, ghosts.
``PanelData``
    One run as plain arrays: points (N, 2) or (N, 1), labels (R, N) and the curves (T + 1,). Optional parts are
    ``ClusterEllipses``, ``ClusterDensities``, ``DensityImage``, ``RegionImage``, ``SweepEvents`` and ``GhostCurve``.
``panel_from_trace(points, trace, *, title="", **parts) -> PanelData``
    The same from any object with the fields of a trace.
``plane_extent(points) -> tuple``
    The part of the plane to compute background maps for.
``build_payload(panels, *, sync="sweep", partial=False, progress="") -> bytes``
    One immutable payload for one to six panels; build it once per run and cache it.
``standalone_html(payload, title) -> str``
    The player as one HTML file that opens without a server or a network.
``compare_traces(traces, X, ...) -> Film``
    The same inside a notebook; ``Trace.show`` and the estimators' ``show`` lead here.
``track_labels(labels) -> LabelTracks``, ``track_panels(panels)``
    Cluster numbers that persist from sweep to sweep: track t is called "cluster t + 1". Two clusters of one sweep
    share a colour only if the sweep has more clusters than colours.
``align_runs(runs) -> list[LabelTracks]``
    Equal numbers for clusters of different runs that hold the same points.
``track_color(track, *, dark=False) -> str``, ``track_pattern(track) -> str``, ``CLUSTER_COLORS``, ``CLUSTER_PATTERNS``
    The colour of a track, and the pattern that tells tracks of one colour apart, for charts outside the player.
``panel_color(number, *, dark=False) -> str``
    The grey of one of several panels in the player's curves; dashes tell them apart, colours are those of clusters.

On a Streamlit page the player is :mod:`dpviz.ui.player`.
"""

from __future__ import annotations

from dpviz.player.alignment import align_runs
from dpviz.player.data import (
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
from dpviz.player.notebook import Film, compare_traces
from dpviz.player.palette import CLUSTER_COLORS, CLUSTER_PATTERNS, panel_color, track_color, track_pattern
from dpviz.player.payload import build_payload, track_panels
from dpviz.player.run_panel import panel
from dpviz.player.standalone import standalone_html
from dpviz.player.tracking import LabelTracks, track_labels

__all__ = [
    "CLUSTER_COLORS",
    "CLUSTER_PATTERNS",
    "ClusterDensities",
    "ClusterEllipses",
    "DensityImage",
    "Film",
    "GhostCurve",
    "LabelTracks",
    "PanelData",
    "RegionImage",
    "SweepEvents",
    "align_runs",
    "build_payload",
    "compare_traces",
    "panel",
    "panel_color",
    "panel_from_trace",
    "plane_extent",
    "standalone_html",
    "track_color",
    "track_labels",
    "track_panels",
    "track_pattern",
]
