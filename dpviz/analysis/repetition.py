"""A comparison repeated over seeds and over new draws of the data, step by step."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from dpviz.analysis.comparison import AGREEMENTS, scores
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.recording import MOST_RECORDED
from dpviz.engine.search import Search
from dpviz.errors import DpvizError
from dpviz.fit.automatic import problem_for

COLUMNS = ("run", "seed", "draw", "n_clusters", *AGREEMENTS, "nll", "n_sweeps", "seconds")


class Draw(NamedTuple):
    """One draw of the data: points (N, D), and the reference partition (N,) of its scores.

    If that covers only some of the points, ``rows`` are their positions.
    """

    X: FloatArray
    reference: IntArray | None
    rows: IntArray | None = None


@dataclass(frozen=True)
class PlannedRun:
    """One run of a study.

    Attributes
    ----------
    run : str
        Name of the compared run that it repeats.
    seed : int
        Seed of the run.
    config : RunConfig
    draw : int
        Number of the draw of the data.
    data : hashable, optional
        Name of its data, if runs for one draw use different rows; the number of the draw by default.
    """

    run: str
    seed: int
    config: RunConfig
    draw: int = 0
    data: Hashable = None


class Repetition:
    """Runs repeated, step by step, so that they can be watched and stopped.

    Parameters
    ----------
    draws : mapping of hashable to Draw
        The data, by the names that the plan uses.
    plan : sequence of PlannedRun

    Attributes
    ----------
    plan : tuple of PlannedRun
    n_done : int
        Runs that are over, failed ones included.
    failures : list of str
        Errors, one sentence per failed run.
    """

    def __init__(self, draws: Mapping[Any, Draw], plan: Sequence[PlannedRun]) -> None:
        self.plan = tuple(plan)
        self.n_done = 0
        self.failures: list[str] = []
        self._draws = dict(draws)
        self._rows: list[dict[str, Any]] = []

    def steps(self) -> Iterator[float]:
        """Run everything, once, yielding the operations of every sweep."""
        for planned in self.plan:
            X, reference, rows = self._draws[planned.draw if planned.data is None else planned.data]
            n_points, n_features = X.shape
            try:
                problem = problem_for(X, planned.config)
                search, n_clusters = Search(problem, most_bytes=MOST_RECORDED), 1
                for _, _, record in search.records():
                    n_clusters = n_clusters if record is None else record.n_clusters
                    yield problem.algorithm.sweep_operations(problem.config, n_points, n_features, n_clusters + 1)
                found = scores(search.trace(), reference, rows)
                self._rows.append({"run": planned.run, "seed": planned.seed, "draw": planned.draw, **found})
            except DpvizError as error:
                self.failures.append(f"{planned.run}, seed {planned.seed}: {error}")
            self.n_done += 1

    def frame(self) -> pd.DataFrame:
        """Scores of the runs that are over: columns ``run``, ``seed``, ``draw`` and those of ``scores``."""
        return pd.DataFrame(self._rows, columns=list(COLUMNS))
