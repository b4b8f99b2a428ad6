"""Compare the learned shape of clusters with their width: writes SHAPE.md.

    python -m benchmarks.shape

Bundled tables of real columns, standardised, and generated ones in which the groups are known.
"""

from __future__ import annotations

import pathlib
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import dpviz
from benchmarks.defaults import AUTOMATIC, generated
from benchmarks.generated import IN_DIRECTIONS, Table, coin, correlated, covariances, lumps, one, two_of_ten
from dpviz.analysis.held_out import HeldOut, held_out_folds
from dpviz.datasets import scale
from dpviz.fit.automatic import resolve
from dpviz.metrics import ari

FILE = pathlib.Path(__file__).with_name("SHAPE.md")
BUNDLED = ("iris", "wine", "crabs", "ruspini", "mnist_digits_1_to_4", "parkinsons_voice", "vehicle")
N_FOLDS, MOST_CELLS = 3, 3000
"""Folds of the whole choice, and cells of the largest bundled table for which it is repeated in each."""
TITLE = """# What the learned shape finds

`dpviz.run(X, RunConfig(partition="auto", prior=…))`, seed 0: ARI with the groups, K and nll under `auto` (the width of
lowest nll) and `shape`. `gain` is what `shape` decides by: how much higher the log density of rows held out is under a
learned shape than under a width, in nats a row, by short runs without each of five folds; where it is not above 0 the
width is kept, and both columns are the same. `held out` repeats the whole choice without each of three folds and gives
the mean log density of the rows left out (of bundled tables of at most 3,000 cells). Bundled tables are standardised;
generated ones are one draw each. Seconds are of a choice and run on a machine with other work. Written by
`python -m benchmarks.shape`.

What it says:

- It gains where groups share a covariance: iris (.56 → .82), and nll by 39 to 670 nats on iris, wine, vehicle and five
  long groups. Groups that `auto` finds are kept: 20 clusters, lumps, a direction of small variance.
- Groups of different covariances, and digits, keep the width.
- A better density is not a better division. parkinsons (voice) gets 33 clusters for 19, with a worse ARI, and one
  correlated Gaussian in 40 columns, too many for a full covariance, 30 for 7: diagonal clusters predict it better the
  more there are. wine has 9 clusters for 6 at the same ARI.
- Which one is taken is close on several tables: crabs, ruspini and iris are within an error or so of 0. With three
  folds the whole choice predicts crabs better (.620 for .560), and wine and iris no better, though short runs say +.56
  on wine: they search less than whole runs do.
"""
HEAD = (
    "| table | size | groups | auto: ARI (K), nll | shape: ARI (K), nll | taken | gain | held out: auto | shape | s |"
)


class Row(NamedTuple):
    """A line of the table, and the ARI under both priors if the groups are known."""

    line: str
    scores: tuple[float, float] | None


def one_shape(rng: np.random.Generator) -> Table:
    """Five long parallel groups of one covariance."""
    groups = np.repeat(np.arange(5), 60)
    root = rng.normal(size=(6, 6)) * np.geomspace(3, 0.3, 6)
    return 2.5 * rng.normal(size=(5, 6))[groups] + rng.normal(size=(300, 6)) @ root.T / 2, groups


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray | None]]:
    for name in BUNDLED:
        data = dpviz.datasets.load(name)
        yield name, scale(data.X, "standardise").X, data.labels
    twenty = generated(20, 100)
    yield "20 generated clusters", twenty.X, twenty.labels
    for name, draw in IN_DIRECTIONS.items():
        if draw in (coin, one, correlated, lumps, two_of_ten, covariances):
            yield (name, *draw(np.random.default_rng(0)))
    yield ("5 long groups of one covariance", *one_shape(np.random.default_rng(0)))


def row(name: str, X: np.ndarray, labels: np.ndarray | None) -> Row:
    shown, scores, held_out, seconds = [], [], [], []
    for prior in ("auto", "shape"):
        config, begun = replace(AUTOMATIC, prior=prior), time.perf_counter()
        choice = resolve(X, config)
        trace = dpviz.run(X, choice.config)
        seconds.append(f"{time.perf_counter() - begun:.0f}")
        scores.append(np.nan if labels is None else ari(labels, trace.result_labels))
        known = "–" if labels is None else f"{scores[-1]:.3f}"
        shown.append(f"{known} ({len(np.unique(trace.result_labels))}), {trace.nll[trace.result_sweep]:.1f}")
        folds = held_out_folds(X, config, N_FOLDS) if name in BUNDLED and X.size <= MOST_CELLS else None
        held_out.append("–" if folds is None else f"{HeldOut.of(list(folds), len(X)).mean:.3f}")
    note = choice.notes[-1]
    gain = re.search(r"[\d.]+ ± [\d.]+", note)
    taken = "shape" if choice.width is None else f"width {choice.width:.4g}"
    signed = "refused: no spread" if gain is None else f"{'+' if taken == 'shape' else '−'}{gain[0]}"
    n_groups = "–" if labels is None else len(np.unique(labels))
    cells = (name, f"{len(X)} × {X.shape[1]}", n_groups, *shown, taken, signed, *held_out, " → ".join(seconds))
    line = "| " + " | ".join(map(str, cells)) + " |"
    return Row(line, None if labels is None else (scores[0], scores[1]))


def written(rows: list[Row]) -> str:
    """Return the page, with the means over tables of known groups."""
    scores = np.array([each.scores for each in rows if each.scores is not None])
    lines = [HEAD, "|---" * (HEAD.count("|") - 1) + "|", *(each.line for each in rows)]
    means = f"\nMean ARI over {len(scores)} tables of known groups: auto {scores[:, 0].mean():.3f}, shape"
    return TITLE + "\n" + "\n".join([*lines, f"{means} {scores[:, 1].mean():.3f}."]) + "\n"


def main() -> None:
    rows = []
    for table in tables():
        rows.append(row(*table))
        print(rows[-1].line, flush=True)
    FILE.write_text(written(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
