"""Where powers pay: the power from which a coarser partition is more probable than the true groups, and what chains do.

Under the law of the powered Chinese restaurant, p(z) ∝ α^K Π Γ(N_k)^r, the nll of two partitions of the same points
differs by a straight line in r, so that one number says where it changes sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from dpviz.analysis.parameters import with_parameter
from dpviz.analysis.second_opinion import BOUND, n_groups
from dpviz.analysis.studies.results import Results
from dpviz.analysis.studies.study import Outcome
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.fit.run import run
from dpviz.metrics import entropy
from dpviz.partition import ChineseRestaurant
from dpviz.text import percent

KEPT = "kept_"
"""Before a power, the name of the number that says whether a chain kept the groups."""


class Balance(NamedTuple):
    """What speaks for one of two partitions, at every power.

    Attributes
    ----------
    evidence : float
        What the data, and α for every group more, say for the finer one (nats).
    crowding : float
        What the coarser one gains with every unit of the power (nats): Σ ln Γ of its sizes minus that of the other.
    """

    evidence: float
    crowding: float

    def difference(self, power: float) -> float:
        """Return the nll of the coarser partition minus that of the finer one (nats)."""
        return self.evidence - power * self.crowding

    @property
    def break_even(self) -> float:
        """Power above which the coarser one is the more probable."""
        return self.evidence / self.crowding


def balance(X: FloatArray, config: RunConfig, fine: IntArray, coarse: IntArray) -> Balance:
    """Weigh a partition against one of fewer clusters, whose law has a larger product of Γ.

    Parameters
    ----------
    X : ndarray (N, D)
    config : RunConfig
        With a prior that has a concentration; its power is not used.
    fine, coarse : ndarray (N,)
        0 … K − 1, each present.
    """
    exchangeable = replace(config, partition=ChineseRestaurant(config.partition.concentration))
    of_fine, of_coarse = partition_nll(Problem.check(X, exchangeable), [fine, coarse])
    crowding = float(gammaln(np.bincount(coarse)).sum() - gammaln(np.bincount(fine)).sum())
    return Balance(float(of_coarse - of_fine) + crowding, crowding)


def against_one(data: Dataset, config: RunConfig) -> Balance:
    """Weigh the true groups of some data against one cluster of all points."""
    assert data.labels is not None
    return balance(data.X, config, data.labels, np.zeros_like(data.labels))


def limit_of_break_even(weights: ArrayLike, means: ArrayLike, deviations: ArrayLike) -> float:
    """Return the break-even of groups on a line against one cluster, as their points become ever more.

    Per point the evidence tends to what one Gaussian for all loses, (ln σ² − Σ w_k ln σ_k²) / 2, and the crowding to
    the entropy of the weights; α and the prior of the components no longer matter.

    Parameters
    ----------
    weights, means, deviations : array_like (K,)
        Of Gaussian groups.
    """
    w, m, s = (np.asarray(values, dtype=np.float64) for values in (weights, means, deviations))
    variance = np.sum(w * (s**2 + m**2)) - np.sum(w * m) ** 2
    return float((np.log(variance) / 2 - np.sum(w * np.log(s))) / entropy(w))


def follow_powers(data: Dataset, config: RunConfig, powers: Sequence[float], from_truth: bool = False) -> Outcome:
    """Run a chain under every power, and see whether it ends with as many groups as there are.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
        Of gibbs and the powered Chinese restaurant.
    powers : sequence of float
    from_truth : bool
        Start at the true groups.

    Returns
    -------
    Outcome
        ``break_even``, the power above which one cluster has a lower nll than the true groups; for every power
        ``one_…``, the nll of one cluster minus that of the groups (nats), and ``kept_…``, whether the last
        draw has at least as many clusters of 5 % of the points as there are groups.
    """
    labels = data.labels
    assert labels is not None
    weighed, numbers = against_one(data, config), {}
    numbers["break_even"] = weighed.break_even
    started = replace(config, init=labels, init_clusters=None) if from_truth else config
    for power in powers:
        last = run(data.X, with_parameter(started, "power", power, data.X)).draws[-1]
        numbers[f"one_{power:.2f}"] = weighed.difference(power)
        numbers[f"{KEPT}{power:.2f}"] = float(n_groups(last, BOUND) >= len(np.unique(labels)))
    return Outcome(numbers, config, starts_from_truth=from_truth)


def shares_kept(results: Results, row: str, column: str) -> dict[float, float]:
    """Return the share of chains that kept the groups, by power."""
    records = results.of(row, column)
    names = [name for name in records[0].numbers if name.startswith(KEPT)] if records else []
    return {float(name.removeprefix(KEPT)): float(results.values(row, column, name).mean()) for name in names}


def words_on_powers(results: Results, cells: Sequence[tuple[str, str]]) -> list[str]:
    """Say where one cluster becomes the more probable, and how many chains keep the groups before it and beyond.

    Parameters
    ----------
    results : Results
    cells : sequence of (row, column)
        Rows are named “data; N = …”.

    Returns
    -------
    list of str
        Sentences.
    """
    turns: dict[str, list[float]] = {}
    cells = [cell for cell in cells if results.of(*cell)]  # of a run that was ended early some are missing
    if not cells:
        return []
    for row, column in cells:
        turns.setdefault(row.partition(";")[0], []).append(float(results.values(row, column, "break_even").mean()))
    ranges = "; ".join(f"{data}: {min(powers):.2f} to {max(powers):.2f}" for data, powers in turns.items())
    sentences = [f"Power from which one cluster is more probable than the true groups, averaged over draws: {ranges}."]
    ended: dict[tuple[bool, str], list[float]] = {}
    for row, column in cells:
        for record in results.of(row, column):
            for name in (name for name in record.numbers if name.startswith(KEPT)):
                beyond = float(name.removeprefix(KEPT)) > record.numbers["break_even"]
                ended.setdefault((beyond, column), []).append(record.numbers[name])
    for beyond, word in ((False, "the true groups are"), (True, "one cluster is")):
        shares = [
            f"{percent(float(np.mean(kept)))} of {len(kept):,} from {column}"
            for (side, column), kept in ended.items()
            if side is beyond
        ]
        if shares:
            sentences.append(f"Where {word} the more probable, chains end with all groups in: {'; '.join(shares)}.")
    return sentences
