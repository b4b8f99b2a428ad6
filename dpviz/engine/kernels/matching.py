"""How many points two partitions put into clusters that can be matched, one to one."""

from __future__ import annotations

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import IntArray


@kernel
def most_matched(before: IntArray, after: IntArray) -> int:
    """Return the most points that stay where clusters of two partitions are matched one to one.

    The assignment problem, solved row by row along shortest augmenting paths (Crouse 2016, as in scipy).

    Parameters
    ----------
    before, after : ndarray (N,)
        Labels 0 … K − 1.
    """
    n_rows, n_columns = before.max() + 1, after.max() + 1
    size = max(n_rows, n_columns)
    cost = np.zeros((size, size), np.int64)
    for i in range(before.shape[0]):
        cost[before[i], after[i]] -= 1
    row_price, column_price = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    taken_by = np.full(size + 1, -1)  # the last column is where each path begins
    for row in range(size):
        _assign(row, cost, row_price, column_price, taken_by)
    kept = 0
    for column in range(size):
        kept -= cost[taken_by[column], column]
    return kept


@kernel
def moves_between(before: IntArray, after: IntArray) -> tuple[int, int, int]:
    """Count points moved, clusters born and died from one partition to another, after clusters are matched."""
    n_before, n_after = before.max() + 1, after.max() + 1
    n_matched = min(n_before, n_after)
    return before.shape[0] - most_matched(before, after), n_after - n_matched, n_before - n_matched


@kernel
def _assign(row: int, cost: IntArray, row_price: IntArray, column_price: IntArray, taken_by: IntArray) -> None:
    """Assign one more row to a column, and others anew where that is cheaper."""
    size, far = cost.shape[0], 2**62
    shortest, came_from, visited = np.full(size, far), np.full(size, size), np.zeros(size + 1, np.bool_)
    taken_by[size], column = row, size
    while taken_by[column] >= 0:
        visited[column] = True
        present, nearest, step = taken_by[column], -1, far
        for other in range(size):
            if visited[other]:
                continue
            length = cost[present, other] - row_price[present] - column_price[other]
            if length < shortest[other]:
                shortest[other], came_from[other] = length, column
            if shortest[other] < step:
                nearest, step = other, shortest[other]
        for other in range(size + 1):
            if visited[other]:
                row_price[taken_by[other]] += step
                column_price[other] -= step
            elif other < size:
                shortest[other] -= step
        column = nearest
    while column != size:
        taken_by[column] = taken_by[came_from[column]]
        column = came_from[column]
