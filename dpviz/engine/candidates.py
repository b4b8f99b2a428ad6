"""The candidate clusters of a point, with costs and probabilities, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.arrays import FloatArray

if TYPE_CHECKING:
    import pandas as pd

NEW = -1
"""The label of a new cluster."""


def softmax(log_scores: FloatArray) -> FloatArray:
    """Return probabilities proportional to the exponentials."""
    scores = np.exp(log_scores - np.max(log_scores))
    return np.asarray(scores / np.sum(scores))


def candidate_table(predictive: FloatArray, weight: FloatArray, probability: FloatArray, has_new: bool) -> pd.DataFrame:
    """Return the table of :func:`dpviz.explain_assignment`; with ``has_new`` the last candidate is a new cluster."""
    import pandas as pd  # deferred: a run needs no tables

    n_clusters = len(predictive) - has_new
    index = pd.Index([*range(n_clusters), *([NEW] if has_new else [])], name="cluster")
    columns = {
        "neg_log_predictive": predictive,
        "neg_log_weight": weight,
        "total": predictive + weight,
        "probability": probability,
    }
    return pd.DataFrame(columns, index=index)
