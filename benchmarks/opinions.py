"""Whether second opinions are calibrated, on draws of the prior: ``python -m benchmarks.opinions`` writes OPINIONS.md.

Rows and their clusters are drawn from a model, the model is run, and its second opinion is held against what was drawn:
the randomised rank of the true number of groups is uniform on [0, 1] if the law is right (mean ½, standard deviation
.289), and of all pairs of rows that are said to stay together with some probability that share does. With a width that
is chosen from the data the model is not quite that of the data, which is reported and not asked to hold.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Iterator

import numpy as np

import dpviz
from dpviz.analysis.second_opinion import BOUND, SecondOpinion, n_groups, second_opinion
from dpviz.arrays import IntArray
from dpviz.families import FAMILIES

FILE = pathlib.Path(__file__).with_name("OPINIONS.md")
FAMILY, PRIOR = "normal_gamma", {"m0": (0.0, 0.0), "c0": 0.1, "a0": 3.0, "b0": (1.0, 1.0)}
SIZES, DRAWS = (40, 400), 400
BINS = np.linspace(0.0, 1.0, 6)
FEWEST = 100
"""Clusters in a bin whose shares are compared."""


def drawn(n_points: int, seed: int, knows_width: bool) -> tuple[IntArray, IntArray, SecondOpinion]:
    """Draw rows of a table, run the model they are from, and return their clusters, those found, and the opinion."""
    rng, partition = np.random.default_rng([n_points, seed]), dpviz.ChineseRestaurant(2.0)
    family, labels = FAMILIES[FAMILY].from_prior(PRIOR, np.zeros((1, 2))), partition.sample(n_points, rng)
    X = np.empty((n_points, 2))
    for k in np.unique(labels):
        X[labels == k] = family.draw(rng).sample(int(np.sum(labels == k)), rng)
    config = dpviz.RunConfig(family=FAMILY, partition=partition, prior=PRIOR if knows_width else "auto", seed=seed)
    trace = dpviz.run(X, config)
    opinion = second_opinion(X, trace)
    assert opinion is not None
    return labels, trace.result_labels.astype(np.int64), opinion


def held(labels: IntArray, found: IntArray) -> Iterator[float]:
    """Yield for every cluster found the share of the pairs of its rows that are in one cluster; NaN without a pair."""
    for k in range(int(found.max()) + 1):
        sizes = np.bincount(labels[found == k])
        n_rows = sizes.sum()
        yield float(np.sum(sizes * (sizes - 1)) / (n_rows * (n_rows - 1))) if n_rows > 1 else np.nan


def row(n_points: int, knows_width: bool, n_draws: int) -> str:
    """Return a row of the table."""
    rng, ranks, pairs = np.random.default_rng(n_points), [], []
    n_settled = n_told = n_right = 0
    for seed in range(n_draws):
        labels, found, opinion = drawn(n_points, seed, knows_width)
        true = n_groups(labels, BOUND)
        below = sum(share for number, share in opinion.groups.items() if number < true)
        ranks.append(below + rng.random() * opinion.groups.get(true, 0.0))
        pairs += list(zip(opinion.together, held(labels, found), strict=True))
        n_settled += opinion.settled
        n_told += opinion.number is not None
        n_right += opinion.number == true
    said, true_share = np.array([pair for pair in pairs if not np.isnan(pair[0])]).T
    bins = []
    for low, high in zip(BINS[:-1], BINS[1:], strict=True):
        inside = (said >= low) & (said < high) if high < 1 else said >= low
        if inside.sum() >= FEWEST:
            bins.append(f"{said[inside].mean():.2f} / {true_share[inside].mean():.2f} ({inside.sum()})")
    width = "known" if knows_width else "chosen"
    return (
        f"| {n_points} | {width} | {n_draws} | {np.mean(ranks):.3f} | {np.std(ranks):.3f} | {', '.join(bins)} | "
        f"{n_settled} | {n_told} ({n_right}) |"
    )


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    n_draws = parser.parse_args().draws
    head = (
        f"# Are second opinions calibrated?\n\n{(__doc__ or '').partition(chr(10) * 2)[2]}\nNormal–gamma components in "
        "two columns, N0 = 2. “Said / held” are probabilities that two rows of a cluster are together, and the shares "
        f"that are, in bins of at least {FEWEST} clusters (how many). “Told” counts the opinions that lead with "
        "another number than the answer has, and in brackets those that are right.\n\n"
        "| rows | width | draws | mean rank (.5) | standard deviation (.289) | said / held | settled | told |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    rows = []
    for n_points in SIZES:
        for knows_width in (True, False):
            rows.append(row(n_points, knows_width, n_draws))
            print(rows[-1], flush=True)
    FILE.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
