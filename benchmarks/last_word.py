"""Whether a default fit has the last word: nll beside that of the same call with a choice by nll switched off.

For ten kinds of tables and several draws of each, what a default fit reaches is compared with what the same call
reaches without powers, and with the other of the two families. Usage: ``python -m benchmarks.last_word [draws]``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import dpviz
from dpviz.families.automatic import REAL

ALLOWED = 1.0
"""Nats by which the default may be above either."""


def _groups(rng: np.random.Generator, n_groups: int, n_features: int, n_points: int = 300) -> tuple[np.ndarray, ...]:
    return rng.uniform(5, 25, (n_groups, n_features)), rng.integers(0, n_groups, n_points)


def spherical(rng: np.random.Generator) -> np.ndarray:
    centres, z = _groups(rng, 4, 2)
    return centres[z] + rng.normal(size=(300, 2))


def elliptical(rng: np.random.Generator) -> np.ndarray:
    centres, z = _groups(rng, 3, 3)
    roots = rng.normal(size=(3, 3, 3))
    return centres[z] + np.einsum("nd,nde->ne", rng.normal(size=(300, 3)), roots[z])


def unequal(rng: np.random.Generator) -> np.ndarray:
    centres, z = _groups(rng, 3, 2)
    return centres[z] + rng.normal(size=(300, 2)) * np.array([0.3, 1.0, 2.5])[z][:, None]


def outliers(rng: np.random.Generator) -> np.ndarray:
    X = spherical(rng)
    X[:15] = rng.uniform(1, 40, (15, 2))
    return X


def lognormal(rng: np.random.Generator) -> np.ndarray:
    z = rng.integers(0, 3, 300)
    return np.exp(rng.normal(size=(3, 3))[z] * 1.5 + 0.5 * rng.normal(size=(300, 3)))


def one_skewed(rng: np.random.Generator) -> np.ndarray:
    return rng.gamma(2.0, size=(300, 4))


def partly_skewed(rng: np.random.Generator) -> np.ndarray:
    X = elliptical(rng)
    X[:, 0] = np.exp(X[:, 0] / 10)
    return X


def heavy(rng: np.random.Generator) -> np.ndarray:
    centres, z = _groups(rng, 3, 2)
    return np.abs(centres[z] + rng.standard_t(3, (300, 2))) + 0.1


def factors(rng: np.random.Generator) -> np.ndarray:
    z = rng.integers(0, 3, 300)
    latent = 3 * rng.normal(size=(3, 2))[z] + rng.normal(size=(300, 2))
    return latent @ rng.normal(size=(2, 6)) + rng.normal(size=(300, 6)) + 30


def many(rng: np.random.Generator) -> np.ndarray:
    centres, z = _groups(rng, 15, 2, 600)
    return centres[z] + rng.normal(size=(600, 2)) * rng.uniform(0.3, 1.0, (15, 2))[z]


KINDS = (
    spherical,
    elliptical,
    unequal,
    outliers,
    lognormal,
    one_skewed,
    partly_skewed,
    heavy,
    factors,
    many,
)


def reached(X: np.ndarray, config: dpviz.RunConfig) -> tuple[float, dpviz.Trace, float]:
    """Return the nll of a run (nats), the run, and its processor time in seconds."""
    begun = time.process_time()
    trace = dpviz.run(X, config)
    return float(trace.nll[trace.result_sweep]), trace, time.process_time() - begun


def rows(n_draws: int) -> Iterator[str]:
    """Yield a row of a table for every kind."""
    for kind in KINDS:
        above = {"without powers": [], "with the other family": []}
        spent, others = 0.0, 0.0
        for seed in range(n_draws):
            X = kind(np.random.default_rng(seed))
            config = dpviz.RunConfig(transform="auto")
            nll, trace, seconds = reached(X, config)
            spent += seconds
            other = next(name for name in REAL if name != trace.config.family)
            for name, own in zip(above, (replace(config, transform=None), replace(config, family=other)), strict=True):
                lower, _, seconds = reached(X, own)
                above[name].append(nll - lower)
                others += seconds
        told = [f"{sum(gap > ALLOWED for gap in gaps)} (most {max(gaps):.1f})" for gaps in above.values()]
        yield f"| {kind.__name__} | {n_draws} | {' | '.join(told)} | {spent:.0f} | {others:.0f} |"


def main() -> None:
    """Print the table."""
    print("| kind | draws | above: without powers | with the other family | default, seconds | both others |")
    print("|---|---|---|---|---|---|")
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        print(row, flush=True)


if __name__ == "__main__":
    main()
