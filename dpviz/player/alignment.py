"""Equal numbers, and so equal colours, for clusters of different runs or labellings that hold the same points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from dpviz.arrays import IntArray
from dpviz.player.palette import N_COLORS, N_MARKS
from dpviz.player.tracking import Integers, LabelTracks, track_labels

_MOST_MATCHED = 512  # larger numbers keep their place: an exact assignment costs the cube of their count
_MOST_ROUNDS = 20  # a safeguard: each round can only raise the agreement, and two or three are the rule


def align_runs(runs: Sequence[LabelTracks], common: Sequence[Integers] | None = None) -> list[LabelTracks]:
    """Renumber the tracks of runs on the same points so that their last sweeps agree best, all with all.

    The agreement is the number of points that have equal numbers, summed over all pairs of runs. Starting from the
    numbers of the run that overlaps most with the others, the runs are renumbered in turn, each by the exact
    assignment given the rest, until no renumbering of a single run improves the agreement.

    Parameters
    ----------
    runs : sequence of LabelTracks
        Tracks of N points each.
    common : sequence of ndarray of int, optional
        Where runs have points of their own: for each the positions, among its points, of those that all have.

    Returns
    -------
    list of LabelTracks
        The same partitions under new numbers. One renumbering holds for all sweeps of a run, and exchanges only
        numbers below that of colours, only those above it below that of marks, or only those above that, so what tells
        its clusters apart stays.
    """
    last = [run.tracks[-1].astype(np.int64) for run in runs]
    if common is not None:
        last = [labels[rows] for labels, rows in zip(last, common, strict=True)]
    size = max(int(run.tracks.max()) for run in runs) + 1
    width = min(max(size, N_COLORS), _MOST_MATCHED)
    shared = {(i, j): _overlaps(last[i], last[j], width) for i in range(len(runs)) for j in range(len(runs)) if i != j}
    hub = int(
        np.argmax([sum(_best_overlap(shared[i, j]) for j in range(len(runs)) if j != i) for i in range(len(runs))])
    )
    slots = [np.arange(width) for _ in runs]
    settled = {hub}
    for _ in range(_MOST_ROUNDS):
        before = [slot.copy() for slot in slots]
        for i in [*range(hub + 1, len(runs)), *range(hub + 1)]:
            others = [j for j in sorted(settled) if j != i]
            if others:
                gain = np.sum([_by_slot(shared[i, j], slots[j]) for j in others], axis=0)
                slots[i] = _best_slots(gain, slots[i])
            settled.add(i)
        if all(np.array_equal(old, new) for old, new in zip(before, slots, strict=True)) and len(settled) == len(runs):
            break
    return [_renumbered(run, slot) for run, slot in zip(runs, slots, strict=True)]


def follow(run: LabelTracks, reference: Integers) -> LabelTracks:
    """Renumber the tracks of a run so that its last sweep agrees best with other numbers of the points.

    Parameters
    ----------
    run : LabelTracks
    reference : ndarray of int, shape (N,)
        Numbers ≥ 0.

    Returns
    -------
    LabelTracks
        As of :func:`align_runs`.
    """
    return follow_together([run], [reference])[0]


def follow_together(runs: Sequence[LabelTracks], references: Sequence[Integers]) -> list[LabelTracks]:
    """Renumber the tracks of runs alike, so that their last sweeps together agree best with other numbers.

    Numbers that runs share they share afterwards.

    Parameters
    ----------
    runs : sequence of LabelTracks
    references : sequence of ndarray of int
        Numbers ≥ 0 of each run's points.

    Returns
    -------
    list of LabelTracks
        As of :func:`align_runs`.
    """
    last = [run.tracks[-1].astype(np.int64) for run in runs]
    wanted = [np.asarray(reference, dtype=np.int64) for reference in references]
    most = max(int(numbers.max()) for numbers in (*(run.tracks for run in runs), *wanted))
    width = min(max(most + 1, N_COLORS), _MOST_MATCHED)
    gain = np.sum([_overlaps(*both, width) for both in zip(last, wanted, strict=True)], axis=0)
    slots = _best_slots(gain, np.arange(width))
    return [_renumbered(run, slots) for run in runs]


def match_labels(labels: Integers, reference: Integers) -> Integers:
    """Renumber one labelling (true classes, say) to agree best with reference tracks.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
        Labels to renumber, any integers.
    reference : ndarray of int, shape (N,)
        Tracks of the same points.

    Returns
    -------
    ndarray of int, shape (N,)
        The same partition. Classes without a partner take numbers that the reference leaves free, as long as these
        have a colour of their own.
    """
    tracks = track_labels(np.asarray(labels)[np.newaxis])
    codes = tracks.tracks[0].astype(np.int64)
    n_classes = int(codes.max()) + 1
    width = max(int(reference.max()) + 1, n_classes, N_COLORS)
    if width > _MOST_MATCHED:
        return codes
    shared = _overlaps(codes, reference.astype(np.int64), width)[:n_classes]
    # A tie-break below one point: numbers with a colour first, and among them those the reference does not use.
    wanted = 2 * (np.arange(width) < max(N_COLORS, n_classes)) + (np.bincount(reference, minlength=width) == 0)
    _, slot = linear_sum_assignment(shared * (3 * width + 1) + wanted, maximize=True)
    return np.asarray(slot[codes])


def _overlaps(rows: Integers, columns: Integers, width: int) -> IntArray:
    """Count the points with each pair of numbers below ``width``."""
    inside = (rows < width) & (columns < width)
    return np.bincount(rows[inside] * width + columns[inside], minlength=width * width).reshape(width, width)


def _best_overlap(shared: IntArray) -> int:
    return int(shared[linear_sum_assignment(shared, maximize=True)].sum())


def _by_slot(shared: IntArray, slots: IntArray) -> IntArray:
    """Overlaps with another run whose number k is now called ``slots[k]``."""
    moved = np.empty_like(shared)
    moved[:, slots] = shared
    return moved


def _best_slots(gain: IntArray, current: IntArray) -> IntArray:
    """Assign numbers to slots within each of the three blocks; among equals the current slot, or one not used yet."""
    width = len(current)
    weights = gain * (3 * width + 1) + (gain.sum(axis=0) == 0)
    weights[np.arange(width), current] += 1
    slots = np.empty(width, dtype=np.int64)
    for block in (slice(0, N_COLORS), slice(N_COLORS, N_MARKS), slice(N_MARKS, width)):
        slots[block] = linear_sum_assignment(weights[block, block], maximize=True)[1] + block.start
    return slots


def _renumbered(run: LabelTracks, slots: IntArray) -> LabelTracks:
    every = np.arange(max(len(slots), int(run.tracks.max()) + 1))
    every[: len(slots)] = slots
    renamed = every[run.tracks]
    tables = tuple({label: int(every[track]) for label, track in table.items()} for table in run.tables)
    return LabelTracks(renamed.astype(np.min_scalar_type(int(renamed.max()))), tables)
