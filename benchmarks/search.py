"""Compare searches for the lowest nll on the bundled UCI tables: python -m benchmarks.search writes SEARCH.md.

Each trial is what a user would run once: ten restarts of a strategy, or restarts followed by splits and merges until
none helps. The default, ``auto``, ends with splits and merges of its own, bounded in what they cost.
"""

from __future__ import annotations

import pathlib
import sys
import time
from dataclasses import replace

import numpy as np

import dpviz
from dpviz.analysis.search import expected_best, local_optima, polish, restarts

TABLES = ("wine", "iris", "breast_cancer_original", "breast_cancer_diagnostic", "parkinsons_voice", "vehicle")
SEARCHES = {  # name: (init, restarts, polished)
    "single × 10": ("single", 10, False),
    "kmeans++ × 10": ("kmeans++", 10, False),
    "random × 10": ("random", 10, False),
    "auto (default)": ("auto", 10, False),
    "single, polish": ("single", 1, True),
    "auto, polish": ("auto", 10, True),
}
N_TRIALS = 20
TITLE = """# Searching for the lowest nll

MAP-DP on the raw columns of bundled UCI tables, normal–gamma components (m0 = means, c0 = 10/N, a0 = 1, b0 = population
variances), N0 = 1. nll in nats, above the best that any trial of any search found; {n_trials} seeds each; seconds are
medians per trial on a two-core machine with other work: compare them within a table only. `polish` tries splits, merges
and both in turn until none helps (`dpviz.analysis.search.polish`); the default ends with a bounded number of the same
trials. Written by `python -m benchmarks.search`.
"""


def configuration(X: np.ndarray) -> dpviz.RunConfig:
    spread = np.where(X.var(axis=0) > 0, X.var(axis=0), 1e-6 * X.var(axis=0).mean())
    prior = {"m0": X.mean(axis=0), "c0": 10 / len(X), "a0": 1.0, "b0": spread}
    return dpviz.RunConfig("mapdp", family="normal_gamma", prior=prior, partition=dpviz.ChineseRestaurant(1.0))


def trial(X: np.ndarray, config: dpviz.RunConfig, polished: bool) -> tuple[float, float]:
    """Return the nll found and the seconds it took."""
    begun = time.perf_counter()
    trace = dpviz.run(X, config)
    nll = polish(X, config, trace.labels_at(-1)).nll if polished else float(trace.nll[-1])
    return nll, time.perf_counter() - begun


def table_of(name: str) -> list[str]:
    """Run every search on one table; return the lines of its section."""
    X = dpviz.datasets.load(name).X
    config = configuration(X)
    found = {}
    for search, (init, n_init, polished) in SEARCHES.items():
        trials = range(N_TRIALS)
        found[search] = np.array(
            [trial(X, replace(config, init=init, n_init=n_init, seed=seed), polished) for seed in trials]
        )
        print(f"  {search}: {found[search][:, 0].min():.3f}", file=sys.stderr)
    best = min(results[:, 0].min() for results in found.values())
    lines = [
        f"\n## {name}: N = {X.shape[0]}, D = {X.shape[1]}, best nll found {best:.3f}\n",
        "| search | best | median | worst | seeds at the best | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for search, results in found.items():
        above, seconds = results[:, 0] - best, np.median(results[:, 1])
        at_best = int(np.count_nonzero(above < 1e-6 * abs(best)))
        cells = (f"{above.min():.2f}", f"{np.median(above):.2f}", f"{above.max():.2f}", f"{at_best}/{N_TRIALS}")
        lines.append(f"| {search} | {' | '.join(cells)} | {seconds:.3f} |")
    return [*lines, *_optima(X, config, best)]


def _optima(X: np.ndarray, config: dpviz.RunConfig, best: float) -> list[str]:
    """Tell how many local optima 60 random starts end in, and what more restarts would bring."""
    found = list(restarts(X, config, 60, ["random"]))
    optima = local_optima(found)
    above = expected_best([restart.nll for restart in found]) - best
    spread = optima.distances[np.triu_indices(len(optima.nll), 1)]
    typical = f", {np.median(spread):.2f} bits apart (median variation of information)" if len(spread) else ""
    curve = ", ".join(f"{above[m - 1]:.2f} with {m}" for m in (1, 3, 10, 30, 60))
    return [
        f"\n60 random starts end in {len(optima.nll)} different partitions{typical}. "
        f"Expected lowest nll above the best: {curve}."
    ]


def main() -> None:
    lines = [TITLE.format(n_trials=N_TRIALS)]
    for name in sys.argv[1:] or TABLES:
        print(name, file=sys.stderr)
        lines += table_of(name)
    (pathlib.Path(__file__).parent / "SEARCH.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
