"""Compile the summaries of draws of a partition ahead of time: ``python -m dpviz.analysis.warm``.

The engine's own kernels are compiled by ``python -m dpviz.engine.warm``.
"""

from __future__ import annotations

import time

import numpy as np

from dpviz.analysis import posterior


def warm_posterior() -> None:
    """Use everything once on a few draws of a few points."""
    draws = posterior.as_draws(np.random.default_rng(0).integers(0, 3, size=(12, 9)))
    posterior.co_clustering(draws)
    for loss in posterior.LOSSES:
        partition = posterior.summary_partition(draws, loss).partition
    posterior.credible_ball(draws, partition)
    posterior.point_uncertainty(draws, partition)
    posterior.attachment(draws, partition)
    posterior.certain_clusters(draws, 0.5)


def main() -> None:
    """Compile, and print the time it took."""
    print("Compiling the summaries of posteriors …", end=" ", flush=True)
    started = time.perf_counter()
    warm_posterior()
    print(f"{time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
