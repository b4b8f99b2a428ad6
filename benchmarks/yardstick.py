"""A yardstick for the machine: a plain kernel that weighs every point against K clusters and draws one.

Nothing is recorded, updated, guarded or left out, and each squared distance is one chain of additions, as a first
version in numba would have it. Divide the engine's times by it before comparing machines or busy hours:
``python benchmarks/yardstick.py`` prints nanoseconds of processor time per visit.
"""

from __future__ import annotations

import math
import statistics
import time

import numba
import numpy as np
from workloads import WORKLOADS, gaussian_mixture

N_REPETITIONS = 7


@numba.njit
def _visit_all(X, order, means, roots, offsets, degrees, uniforms, drawn):
    """Draw a cluster for every point under Student t densities: offset − (ν + D)/2 · ln(1 + ‖R(x − m)‖²/ν)."""
    n_features, n_clusters = X.shape[1], len(means)
    delta, cumulative = np.empty(n_features), np.empty(n_clusters)
    for position in range(len(order)):
        i = order[position]
        highest = -math.inf
        for k in range(n_clusters):
            squared = 0.0
            for row in range(n_features):
                delta[row] = X[i, row] - means[k, row]
                projected = 0.0
                for column in range(row + 1):
                    projected += roots[k, row, column] * delta[column]
                squared += projected * projected
            score = offsets[k] - 0.5 * (degrees[k] + n_features) * math.log(1.0 + squared / degrees[k])
            cumulative[k] = score
            highest = max(highest, score)
        total = 0.0
        for k in range(n_clusters):
            total += math.exp(cumulative[k] - highest)
            cumulative[k] = total
        target = uniforms[position] * total
        choice = 0
        while cumulative[choice] < target:
            choice += 1
        drawn[i] = choice


def yardstick(X, labels):
    """Nanoseconds of processor time per visit, as the median of a few sweeps over the points of X.

    Parameters
    ----------
    X : ndarray (N, D)
    labels : ndarray (N,)
        The clusters 0 … K − 1.
    """
    rng = np.random.default_rng(0)
    members = [X[labels == k] for k in range(labels.max() + 1)]
    sizes = np.array([len(x) for x in members], dtype=np.float64)
    means = np.array([x.mean(axis=0) for x in members])
    roots = np.array([np.linalg.inv(np.linalg.cholesky(np.cov(x.T))) for x in members])
    offsets = np.log(sizes) + np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    drawn = np.empty(len(X), dtype=np.int64)
    taken = []
    for _ in range(1 + N_REPETITIONS):
        order, uniforms = rng.permutation(len(X)), rng.random(len(X))
        begun = time.process_time()
        _visit_all(X, order, means, roots, offsets, sizes, uniforms, drawn)
        taken.append(time.process_time() - begun)
    return 1e9 * statistics.median(taken[1:]) / len(X)  # the first one compiles


if __name__ == "__main__":
    for name in ("W1", "W2"):
        print(f"{name}: {yardstick(*gaussian_mixture(*WORKLOADS[name])[:2]):.0f} ns per visit")
