"""The verbs of a family's state as compiled code calls them.

All of them are in one kernel: compiling takes a state apart and puts it together again, which for so little code takes
longer than the verbs themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz._jit import kernel
from dpviz.families.verbs import (
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)

ADD, REMOVE, CLEAR, REBUILD, MARGINAL, PREDICTIVE, LEAVE_ONE_OUT = range(7)
NO_POINTS, NOBODY = np.empty((0, 0)), np.empty(0, dtype=np.int64)


@kernel
def _call(verb, state, X, labels, sizes, i, k, n):
    if verb == ADD:
        return 1.0 if add_point(state, X, i, k, n) else 0.0
    if verb == REMOVE:
        return 1.0 if remove_point(state, X, i, k, n) else 0.0
    if verb == MARGINAL:
        return log_marginal(state, k, n)
    if verb == PREDICTIVE:
        return log_predictive(state, X, i, k, n)
    if verb == LEAVE_ONE_OUT:
        return log_leave_one_out(state, X, i, k, n)
    if verb == CLEAR:
        clear_slot(state, k)
    else:
        rebuild(state, X, labels, sizes, n, k)
    return 0.0


def call_add_point(state: Any, X: np.ndarray, i: int, k: int, n: int) -> bool:
    return bool(_call(ADD, state, X, NOBODY, NOBODY, i, k, n))


def call_remove_point(state: Any, X: np.ndarray, i: int, k: int, n: int) -> bool:
    return bool(_call(REMOVE, state, X, NOBODY, NOBODY, i, k, n))


def call_clear_slot(state: Any, k: int) -> None:
    _call(CLEAR, state, NO_POINTS, NOBODY, NOBODY, 0, k, 0)


def call_rebuild(
    state: Any, X: np.ndarray, labels: np.ndarray, sizes: np.ndarray, n_clusters: int, first: int = 0
) -> None:
    _call(REBUILD, state, X, labels, sizes, 0, first, n_clusters)


def call_log_marginal(state: Any, k: int, n: int) -> float:
    return _call(MARGINAL, state, NO_POINTS, NOBODY, NOBODY, 0, k, n)


def call_log_predictive(state: Any, X: np.ndarray, i: int, k: int, n: int) -> float:
    return _call(PREDICTIVE, state, X, NOBODY, NOBODY, i, k, n)


def call_log_leave_one_out(state: Any, X: np.ndarray, i: int, k: int, n: int) -> float:
    return _call(LEAVE_ONE_OUT, state, X, NOBODY, NOBODY, i, k, n)
