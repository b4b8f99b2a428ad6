"""From panels to the one immutable payload that the browser plays."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.datasets import dot_stack
from dpviz.errors import require
from dpviz.player.agreement import agreement_curves
from dpviz.player.alignment import align_runs, follow, follow_together, match_labels
from dpviz.player.blocks import BlockWriter
from dpviz.player.data import Floats, PanelData, Plane, dot_heights
from dpviz.player.layers import add_layers
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.player.tracking import Integers, LabelTracks, track_labels

SYNCHRONISATIONS = ("sweep", "fraction", "seconds")
MOST_PANELS = 6
MOST_BINS = 120
"""Bins of dots that are stacked where they are."""
_MAX_VALUES = 8


def build_payload(
    panels: Sequence[PanelData],
    *,
    sync: str = "sweep",
    partial: bool = False,
    progress: str = "",
    shared: Sequence[Integers] | None = None,
    like: Sequence[Integers] | None = None,
    groups: Integers | None = None,
) -> bytes:
    """Pack runs for the player.

    Parameters
    ----------
    panels : sequence of PanelData
        One to six runs that share a playhead.
    sync : str
        Unit of the playhead for runs of unequal length: "sweep", "fraction" of the run, or "seconds".
    partial : bool
        The runs are still growing: the player follows the newest sweep.
    progress : str
        Progress message while they grow, e.g. "sweep 120 of 600".
    shared, like : sequence of ndarray of int, optional
        As for :func:`track_panels`.
    groups : ndarray of int, shape (N,), optional
        Numbers 0, 1, … of the true groups of all panels' points: clusters take the number, and so the colour, of the
        group that they match in the last sweep, for pictures of the groups beside the player.

    Returns
    -------
    bytes
        ``u32 header length | JSON header | blocks``. Equal input gives equal bytes, so it can be cached.

    Raises
    ------
    InvalidParameterError
        If the number of panels, ``sync`` or a layer's labels, rows or shapes are out of range.
    """
    require(1 <= len(panels) <= MOST_PANELS, "panels", f"{len(panels)} panels", f"1 to {MOST_PANELS} panels")
    require(sync in SYNCHRONISATIONS, "sync", sync, f"one of {', '.join(SYNCHRONISATIONS)}")
    writer = BlockWriter()
    tracks = track_panels(panels, align=not partial, shared=shared, like=like)
    if groups is not None:
        tracks = [follow(own, groups) for own in tracks]
    return writer.finish(
        {
            "format": "dpviz-player",
            "version": 1,
            "sync": sync,
            "partial": bool(partial),
            "progress": str(progress),
            "colors": CLUSTER_COLORS,
            "panels": [
                _panel_header(writer, panel, track, groups) for panel, track in zip(panels, tracks, strict=True)
            ],
        }
    )


def track_panels(
    panels: Sequence[PanelData],
    *,
    align: bool = True,
    shared: Sequence[Integers] | None = None,
    like: Sequence[Integers] | None = None,
) -> list[LabelTracks]:
    """Follow the clusters of every panel, and give matching clusters of different panels the same number.

    Parameters
    ----------
    panels : sequence of PanelData
        The runs.
    align : bool
        Renumber the panels that have equally many points so that their last sweeps agree best, all with all.
    shared : sequence of ndarray of int, optional
        Positions, among each panel's points, of the points that all panels have, which then determine the numbers.
    like : sequence of ndarray of int, optional
        Numbers ≥ 0 of each panel's points, such as those of a picture that was seen before: all panels together are
        then renumbered so that they agree best with these.

    Returns
    -------
    list of LabelTracks
        One per panel; :func:`~dpviz.player.track_color` gives the colour of a track number.
    """
    tracks = [panel.tracks or track_labels(panel.labels) for panel in panels]
    if not align:
        return tracks
    if shared is not None:
        tracks = align_runs(tracks, shared)
    else:
        sizes = [track.tracks.shape[1] for track in tracks]
        for size in set(sizes):
            places = [place for place, other in enumerate(sizes) if other == size]
            for place, aligned in zip(places, align_runs([tracks[place] for place in places]), strict=True):
                tracks[place] = aligned
    return tracks if like is None else follow_together(tracks, like)


def _panel_header(
    writer: BlockWriter, panel: PanelData, tracks: LabelTracks, groups: Integers | None
) -> dict[str, Any]:
    points = np.asarray(panel.points, dtype=np.float64)
    origin = _origin(points)
    arrays = {
        **_point_arrays(writer, panel, points - origin[: points.shape[1]]),
        "labels": writer.add(tracks.tracks, f"u{tracks.tracks.dtype.itemsize}", differences=True),
        "label_sweeps": writer.add(np.asarray(panel.label_sweeps), "i4"),
        **{name: writer.add(np.asarray(getattr(panel, name)), "f8") for name in ("nll", "objective", "seconds")},
        **{
            name: writer.add(np.asarray(getattr(panel, name)), "i4")
            for name in ("n_clusters", "n_moved", "n_born", "n_died")
        },
    }
    if panel.true_labels is not None:
        own = match_labels(panel.true_labels, tracks.tracks[-1]) if groups is None else np.asarray(groups)
        arrays["true_tracks"] = writer.add(own, "i4")
        arrays["true_labels"] = writer.add(np.asarray(panel.true_labels), "i4")
    for name, curve in _agreements(panel, tracks).items():
        arrays[name] = writer.add(curve, "f8")
    described = add_layers(writer, panel, tracks, origin, arrays)
    axis_names = [str(name) for name in panel.axis_names]
    return {
        "title": str(panel.title),
        "objective_name": str(panel.objective_name),
        "cost_note": str(panel.cost_note),
        **({"scaling_nats": float(panel.scaling_nats)} if panel.scaling_nats else {}),
        "axis_names": axis_names or (["x", "y"] if points.shape[1] == 2 else ["x"]),
        **({"periods": [float(period) for period in panel.periods]} if any(panel.periods) else {}),
        "value_names": [str(name) for name in panel.value_names][:_MAX_VALUES],
        **({"point_names": [str(name) for name in panel.point_names]} if panel.point_names else {}),
        "class_names": [str(name) for name in panel.class_names],
        "cluster_names": {str(int(number)): str(name) for number, name in panel.cluster_names.items()},
        "n_points": len(points),
        "points_id": hashlib.blake2b(points.tobytes(), digest_size=8).hexdigest(),
        "n_sweeps": panel.n_sweeps,
        "one_column": points.shape[1] == 1,
        "origin": origin.tolist(),
        **({} if panel.plane is None else {"plane": _written(panel.plane)}),
        "arrays": arrays,
        **described,
    }


def _written(plane: Plane) -> dict[str, Any]:
    return {name: np.asarray(numbers).tolist() for name, numbers in plane._asdict().items()}


def _point_arrays(writer: BlockWriter, panel: PanelData, points: Floats) -> dict[str, int]:
    if points.shape[1] == 2:
        heights = points[:, 1]
    elif panel.heights is not None:
        heights = np.asarray(panel.heights, dtype=np.float64)
    else:
        heights = dot_heights(dot_stack(points, MOST_BINS))
    arrays = {"x": writer.add(points[:, 0], "f4"), "y": writer.add(heights, "f4")}
    if panel.values is not None:
        arrays["values"] = writer.add(np.asarray(panel.values, dtype=np.float64)[:, :_MAX_VALUES], "f4")
    return arrays


def _agreements(panel: PanelData, tracks: LabelTracks) -> dict[str, Floats]:
    """Return the curves of agreement that there are: the page's own, or those with the true labels."""
    own = {"agreement": panel.agreement, "adjusted_rand": panel.adjusted_rand}
    curves = {name: curve for name, curve in own.items() if curve is not None}
    if curves or panel.true_labels is None:
        return curves
    found = agreement_curves(tracks.tracks, np.asarray(panel.true_labels))
    for name, values in zip(own, found, strict=True):
        curves[name] = curve = np.full(panel.n_sweeps + 1, np.nan)
        curve[np.asarray(panel.label_sweeps)] = values
    return curves


def _origin(points: Floats) -> FloatArray:
    """Offset to subtract before rounding to single precision; zero unless the data sit far from zero."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    origin = np.zeros(2)
    origin[: points.shape[1]] = np.where(np.abs(middle) > 100 * (high - low), middle, 0.0)
    return origin
