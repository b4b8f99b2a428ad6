"""Whether a default fit has the last word: nll beside that of the same call with a choice by nll switched off.

For ten kinds of tables and twenty draws of each, what a default fit reaches is compared with what the same call reaches
without powers, and with the other of the two families. Powers of columns are taken over none only if they lower nll by
2 nats and .01 a row; that much is added to another call that has powers where the default has none. Above are draws
whose default is more than 1 nat higher, in brackets the most of all draws (negative if the default is always lower).
Seconds are of processor time, of all draws. Written by ``python -m benchmarks.last_word``.
"""

from __future__ import annotations

import pathlib
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import dpviz
from dpviz.families.automatic import REAL
from dpviz.fit.fuller import least_gain

FILE = pathlib.Path(__file__).with_name("LAST_WORD.md")
DRAWS = 20
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


def _has_powers(trace: dpviz.Trace) -> bool:
    return any(power != 1.0 for power in trace.config.transform or ())


def rows() -> Iterator[str]:
    """Yield a row of the table for every kind."""
    for kind in KINDS:
        above = {"without powers": [], "with the other family": []}
        spent, others = 0.0, 0.0
        for seed in range(DRAWS):
            X = kind(np.random.default_rng(seed))
            config = dpviz.RunConfig(transform="auto")
            nll, trace, seconds = reached(X, config)
            spent += seconds
            other = next(name for name in REAL if name != trace.config.family)
            for name, own in zip(above, (replace(config, transform=None), replace(config, family=other)), strict=True):
                lower, beside, seconds = reached(X, own)
                asked = least_gain(len(X)) if _has_powers(beside) and not _has_powers(trace) else 0.0
                above[name].append(nll - lower - asked)
                others += seconds
        told = [f"{sum(gap > ALLOWED for gap in gaps)} ({max(gaps):.1f})" for gaps in above.values()]
        yield f"| {kind.__name__.replace('_', ' ')} | {' | '.join(told)} | {spent:.0f} | {others:.0f} |"


def main() -> None:
    """Write the table."""
    head = (
        f"# The last word\n\n{(__doc__ or '').partition(chr(10) * 2)[2]}\n"
        f"| kind, {DRAWS} draws | above: without powers | with the other family | default, seconds | both others |\n"
        "|---|---|---|---|---|\n"
    )
    found = []
    for row in rows():
        found.append(row)
        print(row, flush=True)
    FILE.write_text(head + "\n".join(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
