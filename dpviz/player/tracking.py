"""Cluster identities across sweeps: labels may be renumbered at any sweep, but colours should not change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from dpviz.errors import require
from dpviz.player.palette import N_COLORS

Integers = NDArray[np.integer]

# Beyond this many cells the exact assignment (cubic in the number of clusters) gives way to a greedy one; only
# starts with hundreds of clusters have so many, and their single colours cannot be followed anyway.
_DENSE_CELLS = 40_000


@dataclass(frozen=True, eq=False)
class LabelTracks:
    """Labels in a numbering that follows clusters through the run.

    Attributes
    ----------
    tracks : ndarray of shape (R, N)
        Track of every point at every recorded sweep, 0-based, in the smallest unsigned type that holds it.
    tables : tuple of mapping
        For every recorded sweep, the track of each label that occurs in it.
    """

    tracks: Integers
    tables: tuple[Mapping[int, int], ...]

    def at(self, rows: Integers) -> LabelTracks:
        """Tracks of some of the recorded sweeps, in the numbering of all of them.

        Parameters
        ----------
        rows : ndarray of int, shape (Q,)
            Rows of the followed labels.

        Returns
        -------
        LabelTracks
            For those rows: pass it as ``PanelData.tracks`` with the same rows of the labels.
        """
        return LabelTracks(self.tracks[rows], tuple(self.tables[int(row)] for row in rows))

    def joined(self, rows: Integers, unions: Mapping[int, int]) -> LabelTracks:
        """Give the clusters of each union one track, in some of the recorded sweeps.

        It is that of the largest of them whose track is below the number of colours, or of unions if there are more of
        these: as in :func:`track_labels`, two unions never share a colour while one is left. A union without such a
        cluster takes a track that no union has, first those of the smallest clusters.

        Parameters
        ----------
        rows : ndarray of int, shape (Q,)
            Rows with the same labels.
        unions : mapping of int to int
            Number of the union of each label of these rows.

        Returns
        -------
        LabelTracks
            For all rows.
        """
        tracks, tables = self.tracks.copy(), list(self.tables)
        for row in rows.tolist():
            sizes = np.bincount(self.tracks[row], minlength=N_COLORS)
            taken = _tracks_of_unions(self.tables[row], unions, sizes)
            tables[row] = {label: taken[unions[label]] for label in self.tables[row]}
            lookup = np.arange(len(sizes))
            lookup[list(self.tables[row].values())] = list(tables[row].values())
            tracks[row] = lookup[self.tracks[row]]
        return LabelTracks(tracks, tuple(tables))


def _tracks_of_unions(table: Mapping[int, int], unions: Mapping[int, int], sizes: Integers) -> dict[int, int]:
    """Return the track of each union, given that of each label, and the points in every track."""
    parts: dict[int, list[int]] = {}
    for label, track in sorted(table.items(), key=lambda entry: -sizes[entry[1]]):
        parts.setdefault(unions[label], []).append(track)
    limit = max(N_COLORS, len(parts))
    taken = {union: next((track for track in own if track < limit), -1) for union, own in parts.items()}
    free = sorted(set(range(limit)) - set(taken.values()), key=lambda track: sizes[track])
    homeless = [union for union, track in taken.items() if track < 0]
    return taken | dict(zip(homeless, free, strict=False))


def track_labels(labels: Integers) -> LabelTracks:
    """Renumber clusters so that each keeps its number while most of its points stay together.

    Consecutive sweeps are matched by the assignment that keeps the most points in place. Numbers stay below the
    number of colours, or below the number K of clusters if there are more of them, so that two clusters of one
    sweep never share a colour while one is left. A new cluster takes the smallest such number that neither this
    sweep nor the one before uses; if only numbers of clusters that just died are left, one of those. When the number
    of clusters falls, clusters whose numbers have become too large move to free ones, the largest cluster first.

    Parameters
    ----------
    labels : ndarray of int, shape (R, N)
        Cluster labels, one row per recorded sweep, any integers.

    Returns
    -------
    LabelTracks
        The renumbered labels. Rows up to r depend on rows up to r only, so a growing run keeps its colours.

    Raises
    ------
    InvalidParameterError
        If labels are not a non-empty two-dimensional integer array.
    """
    labels = np.asarray(labels)
    shape_is_right = labels.ndim == 2 and labels.size > 0 and np.issubdtype(labels.dtype, np.integer)
    require(shape_is_right, "labels", f"array of shape {labels.shape}, {labels.dtype}", "integers of shape (R, N)")
    values, codes = _compact(labels)
    tracks = np.empty(labels.shape, dtype=np.min_scalar_type(max(N_COLORS, len(values))))
    tables: list[dict[int, int]] = []
    lookup = np.full(len(values), -1, dtype=np.int64)
    for row in range(len(codes)):
        code = codes[row].astype(np.int64)
        if row == 0:
            present = np.argsort(-np.bincount(code, minlength=len(values)), kind="stable")
            present = present[: len(np.unique(code))]
            lookup[present] = np.arange(len(present))
        elif not np.array_equal(codes[row], codes[row - 1]):
            present = np.flatnonzero(np.bincount(code, minlength=len(values)))
            lookup[present] = _continue_tracks(tracks[row - 1], np.searchsorted(present, code), len(present))
        tracks[row] = lookup[code]
        tables.append(dict(zip(values[present].tolist(), lookup[present].tolist(), strict=True)))
    return LabelTracks(tracks.astype(np.min_scalar_type(int(tracks.max())), copy=False), tuple(tables))


def _compact(labels: Integers) -> tuple[Integers, Integers]:
    low, high = int(labels.min()), int(labels.max())
    if low == 0 and high <= labels.shape[1] + 1024:
        return np.arange(high + 1), labels  # as they are: those of a long run are many
    if high - low <= labels.shape[1] + 1024:
        return np.arange(low, high + 1), labels.astype(np.int64) - low
    values, codes = np.unique(labels, return_inverse=True)
    return values, codes.reshape(labels.shape)


def _continue_tracks(previous: Integers, code: Integers, n_clusters: int) -> Integers:
    """Track of each of the ``n_clusters`` present codes, given every point's track one sweep earlier."""
    before = np.flatnonzero(np.bincount(previous))
    source = np.searchsorted(before, previous)
    continued = np.full(n_clusters, -1, dtype=np.int64)
    for old, new in _overlap_pairs(source, code, len(before), n_clusters):
        continued[new] = before[old]
    limit = max(N_COLORS, n_clusters)
    continued[continued >= limit] = -1
    homeless = np.flatnonzero(continued < 0)
    homeless = homeless[np.argsort(-np.bincount(code, minlength=n_clusters)[homeless], kind="stable")]
    free = np.setdiff1d(np.arange(limit), continued)
    free = free[np.argsort(np.isin(free, before), kind="stable")]
    continued[homeless] = free[: len(homeless)]
    return continued


def _overlap_pairs(rows: Integers, columns: Integers, n_rows: int, n_columns: int) -> list[tuple[int, int]]:
    """Pairs (row, column) that share points, chosen to keep as many points as possible."""
    code = rows * n_columns + columns
    if n_rows * n_columns <= _DENSE_CELLS:
        shared = np.bincount(code, minlength=n_rows * n_columns).reshape(n_rows, n_columns)
        row_of, column_of = linear_sum_assignment(shared, maximize=True)
        return [(int(i), int(j)) for i, j in zip(row_of, column_of, strict=True) if shared[i, j] > 0]
    pairs, counts = np.unique(code, return_counts=True)
    taken_rows: set[int] = set()
    taken_columns: set[int] = set()
    chosen = []
    for pair in pairs[np.argsort(-counts, kind="stable")].tolist():
        i, j = divmod(pair, n_columns)
        if i not in taken_rows and j not in taken_columns:
            taken_rows.add(i)
            taken_columns.add(j)
            chosen.append((i, j))
    return chosen
