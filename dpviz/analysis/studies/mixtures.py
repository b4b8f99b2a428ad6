"""Measures of Raykov et al. (2014), Sec. 4.1: data drawn from the model itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz import datasets
from dpviz.analysis.studies.chains import evenly, leave_one_out_nll, mean_scores, stopped_chain
from dpviz.analysis.studies.measures import run_numbers
from dpviz.analysis.studies.study import Outcome
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.predict import PartitionFit
from dpviz.engine.problem import Problem
from dpviz.families import NormalGamma
from dpviz.fit.run import run
from dpviz.metrics import ami, nmi, nmi_max

DRAWN_WITH = NormalGamma(np.array([1.0, 1.0]), 0.1, 1.0, np.array([10.0, 10.0]))
"""What components of the data are draws of."""
SCORED_DRAWS, LEFT_OUT_DRAWS, TEST_DRAWS = 40, 3, 10
"""Draws of a chain for its scores, for leaving each point out, and for the test points."""
MOST_RANKS = 60


class Recorded:
    """A family that records its draws.

    Attributes
    ----------
    components : list
        In the order of the groups.
    """

    def __init__(self) -> None:
        self.components: list[Any] = []

    def draw(self, random_state: np.random.Generator, /) -> Any:
        """Draw a component and keep it."""
        component = DRAWN_WITH.draw(random_state)
        self.components.append(component)
        return component


def further_points(data: Dataset, seed: int) -> tuple[FloatArray, IntArray]:
    """Draw as many further points from the components of a data set, in the shares that its groups have.

    Parameters
    ----------
    data : Dataset
        Of the scenario ``crp_mixture``.
    seed : int
        That it was drawn with.

    Returns
    -------
    X : ndarray (N, 2)
    labels : ndarray (N,)
        The component of each.
    """
    recorded = Recorded()
    again = datasets.synthesize("crp_mixture", n=data.n_points, seed=seed, family=recorded)
    assert np.array_equal(again.X, data.X)
    sizes = np.bincount(again.labels)  # type: ignore[arg-type]
    rng = np.random.default_rng([seed, 1])
    labels = rng.choice(len(sizes), size=data.n_points, p=sizes / sizes.sum())
    X = np.empty_like(data.X)
    for k in np.unique(labels):
        X[labels == k] = recorded.components[k].sample(int(np.sum(labels == k)), rng)
    return X, labels.astype(np.int64)


def _out_of_sample(problem: Problem, draws: list[IntArray], seed: int, data: Dataset) -> dict[str, float]:
    """Score the clusters of test points, which are predicted under the model of the partition alone (2014 eq. 18)."""
    X, labels = further_points(data, seed)
    found = [PartitionFit(problem, draw, np.array([draw])).predict(X) for draw in draws]
    scores = {"test_nmi": nmi, "test_nmi_max": nmi_max, "test_ami": ami}
    return {name: float(np.mean([score(labels, z) for z in found])) for name, score in scores.items()}


def _left_out(problem: Problem, draws: list[IntArray]) -> float:
    return float(np.mean([leave_one_out_nll(problem, draw) for draw in draws]))


def fit_mode(data: Dataset, config: RunConfig) -> Outcome:
    """Run MAP-DP on a mixture."""
    trace = run(data.X, config)
    labels = trace.result_labels
    problem = Problem.check(data.X, config)
    numbers = run_numbers(trace, data) | {"nmi_max": nmi_max(data.labels, labels)}  # type: ignore[arg-type]
    numbers |= {"empty": float(trace.n_died.sum()), "seconds": trace.total_seconds}
    numbers |= _out_of_sample(problem, [labels], config.seed, data) | {"left_out": _left_out(problem, [labels])}
    return Outcome(numbers, config, {"sizes": _ranked([labels])})


def fit_chain(data: Dataset, config: RunConfig, longest: int, accuracy: float = 0.1) -> Outcome:
    """Run Gibbs on a mixture until the diagnostic of Raftery and Lewis is satisfied, and average over its draws."""
    trace, burn_in, converged = stopped_chain(data.X, config, longest, accuracy)
    draws = trace.labels[1 + burn_in :]
    scored = evenly(draws, SCORED_DRAWS)
    problem = Problem.check(data.X, config)
    numbers = mean_scores(data, scored)
    numbers |= {"iterations": trace.n_sweeps, "burn_in": burn_in, "converged": float(converged)}
    numbers |= {"empty": float(trace.n_died.sum()), "seconds": trace.total_seconds}
    numbers |= _out_of_sample(problem, evenly(draws, TEST_DRAWS), config.seed, data)
    numbers["left_out"] = _left_out(problem, evenly(draws, LEFT_OUT_DRAWS))
    return Outcome(numbers, trace.config, {"sizes": _ranked(scored)})


def true_groups(data: Dataset, config: RunConfig) -> Outcome:
    """Count the groups that the data were drawn from."""
    assert data.labels is not None
    left_out = _left_out(Problem.check(data.X, config), [data.labels])
    numbers = {"n_clusters": float(len(np.unique(data.labels))), "left_out": left_out}
    return Outcome(numbers, config, {"sizes": _ranked([data.labels])})


def _ranked(draws: list[IntArray]) -> IntArray:
    """Return the median over draws of the size of the largest cluster, of the second largest, …; 0 if there is none."""
    sizes = np.zeros((len(draws), MOST_RANKS))
    for row, draw in zip(sizes, draws, strict=True):
        ranked = np.sort(np.bincount(draw))[::-1][:MOST_RANKS]
        row[: len(ranked)] = ranked
    return np.round(np.median(sizes, axis=0)).astype(np.int64)
