"""Share partitions between neighbouring cells of a grid, so that none is worse than a neighbour's partition.

A cell's search may miss a partition that the next cell found. How good that one is under this cell's prior needs no
search: its nll is closed-form. So every cell is offered its neighbours' partitions; one that is better becomes the
start of a further run, and its result is offered to other cells, until none gains. Annealed runs (temperature > 0) may
leave the partition they are given; such a cell changes only if its run ends lower.

At the end, for neighbours a and b, nll_a(z_a) ≤ nll_a(z_b) and nll_b(z_b) ≤ nll_b(z_a). Where the two differ in the
concentration alone, with an exchangeable prior whose odds of one more cluster rise with N0 for all sizes (Chinese
restaurant, powered, Pitman–Yor), adding the two lines leaves K_a ≤ K_b for N0_a < N0_b: K cannot fall as N0 rises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dpviz.analysis.evaluation import Cell, Task, run_cell
from dpviz.arrays import IntArray
from dpviz.engine.improve import canonical_labels
from dpviz.engine.kernels.search_plan import TOLERANCE
from dpviz.engine.rescore import partition_nll
from dpviz.fit.automatic import problem_for

Index = tuple[int, ...]
Offer = tuple[Cell, tuple[Cell, ...]]
"""A cell, and the neighbours with different partitions."""


def offers(cells: Mapping[Index, Cell], changed: Iterable[Index]) -> list[Offer]:
    """Return which cells must score which neighbours' partitions, among the neighbours that changed."""
    identities = {index: canonical_labels(cell.labels.astype(np.int64)).tobytes() for index, cell in cells.items()}
    news = set(changed)
    found = []
    for index, cell in sorted(cells.items()):
        different = {
            identities[other]: cells[other]
            for other in _neighbours(index)
            if other in news and other in cells and identities[other] != identities[index]
        }
        if different:
            found.append((cell, tuple(different.values())))
    return found


def _neighbours(index: Index) -> Iterator[Index]:
    for axis in range(len(index)):
        for step in (-1, 1):
            yield (*index[:axis], index[axis] + step, *index[axis + 1 :])


def accept_offer(cell: Cell, neighbours: Sequence[Cell], task: Task) -> Cell | None:
    """Return the cell improved by a run from the best partition of its neighbours; None if none is better."""
    config = task.config(cell.values, task.X)
    nll = partition_nll(problem_for(task.X, config), [other.labels for other in neighbours])
    best = int(np.argmin(nll))
    highest = cell.nll - TOLERANCE * max(1.0, abs(cell.nll))
    if not nll[best] < highest:
        return None
    start: IntArray = neighbours[best].labels
    warm = replace(config, init=tuple(start.tolist()), init_clusters=None, n_init=1)
    found = run_cell(task, cell.index, cell.values, warm, cell.held_out)
    if not found.nll < highest:  # annealed sweeps may leave a good partition
        return None
    return replace(found, seconds=found.seconds + cell.seconds, source=neighbours[best].values)
