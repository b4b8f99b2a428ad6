"""Searches whose logarithms and exponentials are off by a unit in the last place, as other machines compute them.

Run as a script with ``NUMBA_DISABLE_JIT=1``, where kernels look ``math.log`` up at every call, and with the name of a
family: prints labels and nll of every sweep, table by table, first as they are and then off in some ways.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable

import numpy as np

import dpviz

FUNCTIONS = ("log", "log1p", "exp")
EXACT = {name: getattr(math, name) for name in FUNCTIONS}
WAYS = 2
N_POINTS, EFFORT = 24, 0.004


def off(exact: Callable[[float], float], way: int) -> Callable[[float], float]:
    """Return a function whose values are a unit lower, right, or a unit higher, as the argument's digits have it."""

    def function(x: float) -> float:
        value = exact(x)
        toward = hash((float(x), way)) % 3 - 1
        return math.nextafter(value, toward * math.inf) if toward and value else value

    return function


def tables(seed: int) -> list[np.ndarray]:
    """Return two draws, and tables in which places are equally far: mirrored, with repeated rows, and a lattice."""
    half = np.round(2 * np.random.default_rng(seed).normal(size=(N_POINTS // 2, 2)))
    drawn = [dpviz.datasets.synthesize(name, N_POINTS, seed).X for name in ("crp_mixture", "elliptical_overlap")]
    lattice = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    return [*drawn, np.vstack([half, -half]), np.repeat(half, 2, axis=0), lattice]


def main(family: str) -> None:
    """Print what every search finds, in every way."""
    found = []
    for number, X in enumerate(tables(len(family))):
        prior, partition = (None, {"width": 0.2})[number % 2], (dpviz.ChineseRestaurant(1.0), dpviz.PitmanYor(1.0, 0.3))
        config = dpviz.RunConfig(
            "mapdp", family=family, prior=prior, partition=partition[number % 2], n_init=3, effort=EFFORT, seed=number
        )
        ways = []
        for way in range(1 + WAYS):
            for name, exact in EXACT.items():
                setattr(math, name, off(exact, way) if way else exact)
            trace = dpviz.run(X, config)
            ways.append({"labels": trace.labels.tolist(), "nll": trace.nll.tolist()})
        found.append(ways)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
