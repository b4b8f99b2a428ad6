"""What is computed from draws is the same compiled and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from other_way import print_this_way, printed_the_other_way

from dpviz.analysis import posterior


def everything():
    """Results of every function with a kernel: whole numbers, and real ones."""
    rng = np.random.default_rng(5)
    centre = rng.integers(4, size=50)
    draws = np.where(rng.random((30, 50)) < 0.3, rng.integers(6, size=(30, 50)), centre) * 11
    summaries = [posterior.summary_partition(draws, loss, n_starts=3) for loss in posterior.LOSSES]
    certain, pairs = posterior.certain_clusters(draws, 0.5), posterior.co_clustering(draws)
    return {
        "whole": [
            posterior.as_draws(draws).labels.tolist(),
            [summary.partition.tolist() for summary in summaries],
            certain.labels.tolist(),
            pairs.order.tolist(),
        ],
        "real": [
            *(summary.expected_loss for summary in summaries),
            *(value for loss in posterior.LOSSES for value in posterior.losses(draws, centre, loss).tolist()),
            *posterior.point_uncertainty(draws, centre).tolist(),
            *posterior.attachment(draws, centre).ravel().tolist(),
            *pairs.probabilities.ravel().tolist(),
        ],
    }


def test_compiled_results_are_the_plain_ones():
    ours, theirs = everything(), printed_the_other_way(__file__)
    assert ours["whole"] == theirs["whole"]
    assert ours["real"] == pytest.approx(theirs["real"], rel=1e-12, abs=1e-12)


if __name__ == "__main__":
    print_this_way(everything())
