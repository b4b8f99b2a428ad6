"""The optional layers of a panel, translated from its labels to tracks and written as blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import require
from dpviz.player.blocks import BlockWriter
from dpviz.player.data import ClusterDensities, ClusterEllipses, Integers, PanelData, SweepEvents
from dpviz.player.tracking import LabelTracks
from dpviz.words import say_name

Arrays = dict[str, int]


def add_layers(
    writer: BlockWriter, panel: PanelData, tracks: LabelTracks, origin: FloatArray, arrays: Arrays
) -> dict[str, Any]:
    """Write the layers that a panel has.

    Parameters
    ----------
    writer : BlockWriter
        Receives the arrays.
    panel : PanelData
        The panel.
    tracks : LabelTracks
        Its tracks.
    origin : ndarray of shape (2,)
        Offset subtracted from the two coordinates.
    arrays : dict
        Receives the block number of each array.

    Returns
    -------
    dict
        The layers' part of the panel's header: extents, names, the sweep of the events.
    """
    described: dict[str, Any] = {"ghosts": []}
    if panel.ellipses is not None:
        arrays |= _ellipse_arrays(writer, panel.ellipses, tracks, origin)
        described["ellipse_meanings"] = [say_name(str(meaning)) for meaning in panel.ellipses.meanings]
        described["ellipses_bent"] = bool(panel.ellipses.bent)
    if panel.densities is not None:
        arrays |= _density_arrays(writer, panel.densities, tracks, origin)
    if panel.density_image is not None:
        density = panel.density_image
        _check_frames("density_image.values", density.values, density.sweeps, density.extent)
        arrays["density_image"] = writer.add(density.values, "f4")
        arrays["density_sweeps"] = writer.add(np.asarray(density.sweeps), "i4")
        described["density_extent"] = _shifted(density.extent, origin)
    if panel.region_image is not None:
        regions = panel.region_image
        _check_frames("region_image.labels", regions.labels, regions.sweeps, regions.extent)
        rows = [_row_at(panel, int(sweep)) for sweep in regions.sweeps]
        frames = [_translate(frame, tracks.tables[row]) for frame, row in zip(regions.labels, rows, strict=True)]
        arrays["region_image"] = writer.add(np.stack(frames), "i4")
        if regions.margins is not None:
            _check_frames("region_image.margins", regions.margins, regions.sweeps, regions.extent)
            margins = [_near_edges(*pair) for pair in zip(regions.labels, regions.margins, strict=True)]
            arrays["region_margins"] = writer.add(np.stack(margins), "u1")
        arrays["region_sweeps"] = writer.add(np.asarray(regions.sweeps), "i4")
        described["region_extent"] = _shifted(regions.extent, origin)
    if panel.events is not None:
        arrays |= _event_arrays(writer, panel, panel.events, tracks, origin)
        described["events_sweep"] = int(panel.events.sweep)
    for ghost in panel.ghosts:
        described["ghosts"].append(
            {"name": str(ghost.name), "nll": writer.add(ghost.nll, "f8"), "k": writer.add(ghost.n_clusters, "f8")}
        )
    return described


def _near_edges(labels: Integers, margins: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return margins in 255 steps up to the largest at an edge of a region: only there they say where the edge is."""
    at_edge = np.zeros(labels.shape, dtype=bool)
    across, up = np.diff(labels, axis=1) != 0, np.diff(labels, axis=0) != 0
    at_edge[:, 1:] |= across
    at_edge[:, :-1] |= across
    at_edge[1:] |= up
    at_edge[:-1] |= up
    largest = float(np.max(margins, where=at_edge, initial=0.0)) or 1.0
    return np.maximum(1, np.round(255 * np.minimum(1.0, np.asarray(margins) / largest))).astype(np.uint8)


def _ellipse_arrays(writer: BlockWriter, ellipses: ClusterEllipses, tracks: LabelTracks, origin: FloatArray) -> Arrays:
    entry_tracks = _entry_tracks("ellipses.labels", ellipses.rows, ellipses.labels, tracks)
    return _shape_arrays(writer, "ellipse", ellipses, entry_tracks, len(tracks.tables), origin)


def _shape_arrays(
    writer: BlockWriter,
    prefix: str,
    ellipses: ClusterEllipses,
    entry_tracks: IntArray,
    n_rows: int,
    origin: FloatArray,
) -> Arrays:
    count = len(ellipses.rows)
    expected = {"labels": (count,), "centers": (count, 2), "scales": (count, 2, 2), "factors": (count, 2)}
    for name, shape in expected.items():
        actual = np.shape(getattr(ellipses, name))
        require(actual == shape, f"ellipses.{name}", f"array of shape {actual}", f"of shape {shape}")
    order = np.argsort(ellipses.rows, kind="stable")
    scales = np.asarray(ellipses.scales, dtype=np.float64)[order]
    return {
        f"{prefix}_offsets": writer.add(_offsets(ellipses.rows, n_rows), "i4"),
        f"{prefix}_tracks": writer.add(entry_tracks[order], "i4"),
        f"{prefix}_centers": writer.add(np.asarray(ellipses.centers, dtype=np.float64)[order] - origin, "f4"),
        f"{prefix}_scales": writer.add(scales.reshape(count, 4)[:, [0, 1, 3]], "f4"),
        f"{prefix}_factors": writer.add(np.asarray(ellipses.factors)[order], "f4"),
    }


def _density_arrays(
    writer: BlockWriter, densities: ClusterDensities, tracks: LabelTracks, origin: FloatArray
) -> Arrays:
    shape = (len(densities.rows), len(densities.grid))
    actual = np.shape(densities.values)
    require(actual == shape, "densities.values", f"array of shape {actual}", f"of shape {shape}")
    order = np.argsort(densities.rows, kind="stable")
    entry_tracks = _entry_tracks("densities.labels", densities.rows, densities.labels, tracks)
    return {
        "curve_offsets": writer.add(_offsets(densities.rows, len(tracks.tables)), "i4"),
        "curve_tracks": writer.add(entry_tracks[order], "i4"),
        "curve_grid": writer.add(np.asarray(densities.grid, dtype=np.float64) - origin[0], "f4"),
        "curve_values": writer.add(np.asarray(densities.values)[order], "f4"),
    }


def _event_arrays(
    writer: BlockWriter, panel: PanelData, events: SweepEvents, tracks: LabelTracks, origin: FloatArray
) -> Arrays:
    lookup = event_tracks(panel, events, tracks)
    arrays = {
        "event_points": writer.add(np.asarray(events.points), "i4"),
        "event_from": writer.add(_translate(events.from_labels, lookup), "i4"),
        "event_to": writer.add(_translate(events.to_labels, lookup), "i4"),
    }
    if events.candidates is not None and events.costs is not None:
        shape = np.shape(events.costs)
        same = np.shape(events.candidates) == shape and len(events.costs) == len(events.points)
        require(same, "events.costs", f"array of shape {shape}", "of shape (E, C) like events.candidates")
        candidates = np.where(np.isnan(events.costs), -1, events.candidates)
        arrays["event_candidates"] = writer.add(_translate(candidates, lookup), "i4")
        arrays["event_costs"] = writer.add(events.costs, "f4")
    n_visits = len(events.points)
    if events.nll is not None:
        require(np.shape(events.nll) == (n_visits,), "events.nll", np.shape(events.nll), f"of shape ({n_visits},)")
        arrays["event_nll"] = writer.add(np.asarray(events.nll), "f8")
    if events.ellipses is not None:
        visits = np.asarray(events.ellipses.rows)
        inside = bool(((visits >= 0) & (visits < n_visits)).all())
        require(inside, "events.ellipses.rows", visits, f"visits within 0..{n_visits - 1}")
        shape_tracks = _translate(events.ellipses.labels, lookup)
        arrays |= _shape_arrays(writer, "event_ellipse", events.ellipses, shape_tracks, n_visits, origin)
    return arrays


def event_tracks(panel: PanelData, events: SweepEvents, tracks: LabelTracks) -> Mapping[int, int]:
    """Tracks of the labels that a sweep's visits use: those of the sweep before, then those it opens.

    A cluster opened in the sweep gets the track that most of its points have afterwards, if no other label holds it.
    """
    sweeps = np.asarray(panel.label_sweeps)
    starts = np.flatnonzero(sweeps == events.sweep - 1)
    require(len(starts) == 1, "events.sweep", events.sweep, "a sweep ≥ 1 whose predecessor is in label_sweeps")
    row = int(starts[0])
    lookup = dict(tracks.tables[row])
    labels = np.array(panel.labels[row])
    labels[np.asarray(events.points)] = events.to_labels
    opened = np.setdiff1d(np.concatenate([np.ravel(events.to_labels), np.ravel(events.from_labels)]), list(lookup))
    if events.candidates is not None:
        opened = np.union1d(opened, np.setdiff1d(events.candidates, list(lookup)))
    recorded = row + 1 < len(sweeps) and sweeps[row + 1] == events.sweep
    for label in opened[opened >= 0].tolist():
        afterwards = tracks.tracks[row + 1][labels == label] if recorded else np.empty(0, dtype=np.int64)
        likely = int(np.bincount(afterwards).argmax()) if len(afterwards) else -1
        taken = set(lookup.values())
        lookup[label] = likely if likely >= 0 and likely not in taken else _first_free(taken)
    return lookup


def _first_free(taken: set[int]) -> int:
    return next(number for number in range(len(taken) + 1) if number not in taken)


def _entry_tracks(parameter: str, rows: Integers, labels: Integers, tracks: LabelTracks) -> IntArray:
    inside = len(rows) == 0 or (int(np.min(rows)) >= 0 and int(np.max(rows)) < len(tracks.tables))
    require(inside, parameter.replace("labels", "rows"), rows, f"rows within 0..{len(tracks.tables) - 1}")
    unknown = [(int(r), int(k)) for r, k in zip(rows, labels, strict=True) if int(k) not in tracks.tables[int(r)]]
    require(not unknown, parameter, unknown[:3], "labels that occur in their row of labels")
    return np.array([tracks.tables[int(r)][int(k)] for r, k in zip(rows, labels, strict=True)], dtype=np.int64)


def _offsets(rows: Integers, n_rows: int) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))])


def _translate(labels: Integers, lookup: Mapping[int, int]) -> IntArray:
    values, codes = np.unique(labels, return_inverse=True)
    unknown = [int(value) for value in values if value != -1 and int(value) not in lookup]
    require(not unknown, "labels", unknown[:3], "labels of the sweep they belong to, or −1")
    return np.array([lookup.get(int(value), -1) for value in values], dtype=np.int64)[codes].reshape(np.shape(labels))


def _check_frames(parameter: str, frames: NDArray[Any], sweeps: Integers, extent: tuple[float, ...]) -> None:
    shape = np.shape(frames)
    fits = len(shape) == 3 and shape[0] == len(sweeps) > 0
    require(fits, parameter, f"array of shape {shape}", "of shape (B, ny, nx), a frame per entry of sweeps")
    require(extent[0] < extent[1] and extent[2] < extent[3], parameter, extent, "an extent with low < high")


def _shifted(extent: tuple[float, float, float, float], origin: FloatArray) -> list[float]:
    return [float(edge - origin[i // 2]) for i, edge in enumerate(extent)]


def _row_at(panel: PanelData, sweep: int) -> int:
    return max(int(np.searchsorted(panel.label_sweeps, sweep, side="right")) - 1, 0)
