"""Estimates of the work of a run, and of its time on this machine.

Work is counted in arithmetic operations, which are the same on every machine, so decisions based on it are too.
Seconds are only shown to people. The machine's operations per second are measured once for each kind of run, on first
use, and stored with the compiled kernels.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Self

import numpy as np

from dpviz._jit import cache_folder
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.initialise import start_kinds
from dpviz.engine.problem import Problem
from dpviz.families import FAMILIES
from dpviz.files import opened
from dpviz.fit.automatic import choice_operations

N_POINTS, N_FEATURES = 2_000, 2
"""Size of the data on which the pace is measured."""
N_SWEEPS = 6
USUAL_PACE = 1e9
"""Operations per second if a measurement fails."""

_paces: dict[str, float] = {}
_lock = Lock()


class Estimate(NamedTuple):
    """Work of a computation in operations, and how long it takes on this machine, in seconds on one core.

    Attributes
    ----------
    operations, seconds : float
    n_clusters : float
        Clusters that each point is compared with, on average: more of them take longer in proportion. 0 if the
        configuration fixes their number.
    measured : bool
        Whether an earlier run on the same data has shown pace and number of clusters.
    """

    operations: float
    seconds: float
    n_clusters: float = 0.0
    measured: bool = False

    def __add__(self, other: object) -> Self:
        """Return the estimate of both, one after the other."""
        assert isinstance(other, Estimate)
        return self._replace(
            operations=self.operations + other.operations,
            seconds=self.seconds + other.seconds,
            n_clusters=max(self.n_clusters, other.n_clusters),
            measured=self.measured or other.measured,
        )

    def times(self, factor: float) -> Self:
        """Return the estimate of several repetitions."""
        return self._replace(operations=self.operations * factor, seconds=self.seconds * factor)


NOTHING = Estimate(0.0, 0.0)


def estimate(config: RunConfig, shape: tuple[int, ...]) -> Estimate:
    """Estimate a whole run on data of shape (N, D), with a choice of family and width; errs on the high side.

    Parameters
    ----------
    config : RunConfig
    shape : tuple of int
        (N, D).
    """
    operations = choice_operations(config, shape[0], shape[1])
    config = config.provisional
    algorithm = ALGORITHMS[config.algorithm]
    operations += algorithm.operations(config, shape[0], shape[1])
    assumed = 0.0 if algorithm.cluster_count else algorithm.expected_clusters(config, shape[0])
    return Estimate(operations, operations / pace(config), assumed)


def pace(config: RunConfig) -> float:
    """Operations per second of runs like this one on this machine."""
    algorithm = ALGORITHMS[config.algorithm]
    kind = f"{config.algorithm} {config.family}" if algorithm.uses_model else config.algorithm
    with _lock:
        if kind not in _paces:
            _paces.update(_read())
        if kind not in _paces:
            _paces[kind] = _measured(config)
            _write(_paces)
        return _paces[kind]


def _measured(config: RunConfig) -> float:
    """Do a few sweeps of the algorithm's own example; the fastest counts, since other processes slow the rest."""
    algorithm = ALGORITHMS[config.algorithm]
    family = FAMILIES[config.family] if algorithm.uses_model else next(iter(FAMILIES.values()))
    X = family.example_data(N_POINTS, N_FEATURES)
    example = RunConfig(config.algorithm, family=family.name, prior=None, **algorithm.example()[0])
    problem = Problem.check(X, example)
    stepper = algorithm.stepper(problem, start_kinds(problem)[0], np.random.default_rng(0))
    fastest = 0.0
    for sweep in range(1, N_SWEEPS + 1):  # the first one loads the kernels
        n_clusters = stepper.score().n_clusters
        begun = time.perf_counter()
        stepper.step(sweep)
        seconds = max(time.perf_counter() - begun, 1e-9)
        fastest = max(fastest, algorithm.sweep_operations(example, N_POINTS, N_FEATURES, n_clusters) / seconds)
    return fastest or USUAL_PACE


def _file() -> Path:
    return cache_folder() / "pace.json"


def _read() -> dict[str, float]:
    """Read earlier measurements; if the file is unreadable for any reason, measure again."""
    with suppress(OSError, ValueError, AttributeError, TypeError, RecursionError):
        with opened(_file(), "rb") as file:
            kept = json.load(file)
        return {str(kind): float(value) for kind, value in kept.items() if float(value) > 0}
    return {}


def _write(paces: dict[str, float]) -> None:
    """Store the measurements atomically; a folder that cannot be written to is ignored."""
    with suppress(OSError):
        handle, name = tempfile.mkstemp(dir=_file().parent, prefix="pace", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(paces, stream)
            os.replace(name, _file())
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
