"""A synthetic table whose columns are of several kinds."""

from __future__ import annotations

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.datasets.scenario import MISSING_SHARE, Points, Scenario, ScenarioParameter, group_sizes
from dpviz.errors import InvalidParameterError

N_CATEGORIES = 4
HIGHEST_RANK = 4


def mixed_table(
    n: int,
    rng: np.random.Generator,
    *,
    n_clusters: int,
    separation: float,
    n_real: int,
    n_durations: int,
    n_counts: int,
    n_ordinal: int,
    n_binary: int,
    n_categorical: int,
) -> Points:
    """Draw equal groups; in every column each group has its own level, ``separation`` standard deviations apart."""
    kinds = (
        ("continuous",) * n_real
        + ("duration",) * n_durations
        + ("count",) * n_counts
        + ("ordinal",) * n_ordinal
        + ("binary",) * n_binary
        + ("categorical",) * n_categorical
    )
    if not kinds:
        raise InvalidParameterError("a mixed table must have a column; raise n_real or another of the numbers.")
    labels = np.repeat(np.arange(n_clusters), group_sizes([1 / n_clusters] * n_clusters, n))
    columns = [_column(kind, separation, labels, n_clusters, rng) for kind in kinds]
    names = tuple(str(k + 1) for k in range(n_clusters))
    return Points(np.column_stack(columns).astype(np.float64), labels, names, kinds=kinds)


def _column(kind: str, separation: float, labels: np.ndarray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Draw one column (n,): normal, exponential, Poisson, binomial or categorical about the groups' levels."""
    if kind == "categorical":
        scores = separation * rng.standard_normal((n_clusters, N_CATEGORIES))
        cumulative = np.exp(scores - scores.max(axis=1, keepdims=True)).cumsum(axis=1)
        return np.sum(cumulative[labels, :-1] < cumulative[labels, -1:] * rng.random((len(labels), 1)), axis=1)
    level = (separation * rng.standard_normal(n_clusters))[labels]
    draws = {
        "continuous": lambda: level + rng.standard_normal(len(labels)),
        "duration": lambda: 10 * np.exp(level) * rng.standard_exponential(len(labels)),
        "count": lambda: rng.poisson(np.minimum(5 * np.exp(level / 2), 1e6)),
        "ordinal": lambda: rng.binomial(HIGHEST_RANK, 1 / (1 + np.exp(-level))),
        "binary": lambda: rng.binomial(1, 1 / (1 + np.exp(-level))),
    }
    return np.asarray(draws[kind](), dtype=np.float64)


MIXED_SCENARIOS = (
    Scenario(
        name="mixed_table",
        title="A mixed table",
        also="mixed data types, missing data",
        watch="Give each column its own kind (clusters look like: mixed) and compare with a Gaussian of all columns.",
        n=400,
        generate=mixed_table,
        parameters=(
            ScenarioParameter("n_clusters", "Number of clusters", 3, 1, 10, 1),
            ScenarioParameter("separation", "How far the groups' levels are apart", 1.5, 0.0, 5.0, 0.1),
            ScenarioParameter("n_real", "Real columns", 2, 0, 20, 1),
            ScenarioParameter("n_durations", "Columns of durations", 1, 0, 20, 1),
            ScenarioParameter("n_counts", "Columns of counts", 2, 0, 20, 1),
            ScenarioParameter("n_ordinal", "Columns of ranks from 0 to 4", 1, 0, 20, 1),
            ScenarioParameter("n_binary", "Binary columns", 3, 0, 20, 1),
            ScenarioParameter("n_categorical", "Columns of four categories", 2, 0, 20, 1),
            MISSING_SHARE,
        ),
    ),
)
