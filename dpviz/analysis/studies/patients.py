"""Measures of Raykov et al. (2016), Sec. 6: groups of patients, and what differs between them."""

from __future__ import annotations

import math

import numpy as np

from dpviz.analysis.profiles import column_tests
from dpviz.analysis.studies.measures import by_size, run_numbers
from dpviz.analysis.studies.study import Outcome
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.fit.run import run

SIGNIFICANCE = 0.01
"""The paper's level of the tests between two groups, not corrected for their number."""
N_GROUPS = 4
"""Groups whose shares and means are kept, the largest first."""


def groups_of_patients(data: Dataset, config: RunConfig, yes: tuple[str, ...], scores: tuple[str, ...]) -> Outcome:
    """Run MAP-DP with a distribution for each kind of column, and compare the groups column by column.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
    yes, scores : tuple of str
        Columns whose shares, and whose means, are kept by group.

    Returns
    -------
    Outcome
        ``n_clusters``; ``share_1``, … in percent; ``significant``, columns that differ between the two largest groups
        with p < 0.01; ``yes NAME k`` and ``mean NAME k`` of group k, the largest first.
    """
    config = config.with_kinds(data.kinds)
    trace = run(data.X, config)
    ranked = by_size(trace.result_labels)
    numbers = run_numbers(trace, data)
    sizes = np.bincount(ranked, minlength=N_GROUPS)
    numbers |= {f"share_{k + 1}": 100 * float(sizes[k] / len(ranked)) for k in range(N_GROUPS)}
    numbers["significant"] = float(len(significant(data, ranked)))
    for word, names in (("yes", yes), ("mean", scores)):
        for name in names:
            column = data.X[:, data.feature_names.index(name)]
            values = np.where(np.isnan(column), np.nan, column > 0) if word == "yes" else column
            for k in range(N_GROUPS):
                numbers[f"{word} {name} {k + 1}"] = _mean(values[ranked == k])
    return Outcome(numbers, trace.config)


def significant(data: Dataset, ranked: IntArray) -> list[str]:
    """Columns that differ between the two largest clusters by Student's t-test, as the paper tests them."""
    two = ranked < 2
    kinds = ("continuous",) * data.n_features
    tests = column_tests(data.X[two], ranked[two], kinds, data.feature_names)
    return [str(name) for name in tests.index[tests["p"] < SIGNIFICANCE]]


def _mean(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else math.nan
