"""Compare clusters in all columns with clusters in few directions: writes DIRECTIONS.md.

    python -m benchmarks.directions

Labelled bundled tables of more than seven columns, standardised, and generated ones in which the groups are known.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.linalg import eigh

import dpviz
from benchmarks.defaults import AUTOMATIC, tables
from benchmarks.generated import IN_DIRECTIONS, Table
from dpviz.datasets import scale
from dpviz.families.directions import Directions
from dpviz.fit.directions import FEWEST_COLUMNS, parallel_analysis
from dpviz.metrics import ari

FILE = pathlib.Path(__file__).with_name("DIRECTIONS.md")
SEEDS = 5
ROUNDS, MOST_DISCRIMINANTS = 4, 10
TITLE = """# What few directions find

ARI with the groups, and in brackets the number of clusters, of `dpviz.run(X, RunConfig(partition="auto"))`: in the
columns (`columns`); along the q directions that parallel analysis keeps (`q directions`); with `directions="auto"`
(`auto`, and what it took); and along discriminant directions in the manner of Fisher-EM (Bouveyron & Brunet 2012:
clusters along q directions, then along those that discriminate these clusters, up to four times; `discriminants`).
Bundled tables are standardised, seed 0; generated ones are means over five draws. Written by
`python -m benchmarks.directions`.

Where it loses:

- Parallel analysis finds correlation, not groups: along q directions by themselves groups are lost that lie in a
  direction of small variance, in one column, in two of ten columns, or in covariances alone (.20, .00, .00, .00).
  `auto` finds one cluster there, or several that are worth nothing, and goes back to the columns.
- `auto` keeps the columns where no two of their clusters may be parts of one group (a dip test of the log odds between
  them). So it loses nothing on lumps, but misses one of five draws of three groups in 3 factors of 24 columns.
- Of the bundled tables it loses vehicle (.25 → .08), whose groups are in the directions that it leaves out, as its
  note says. It gains most on breast cancer (.35 → .77 and .32 → .52) and wine.
- For full covariances of 40 columns 500 rows are too few. Diagonal ones make several clusters of one correlated
  Gaussian unless they are along principal directions, which `auto` tries, and takes where they pay for their angles.
- Discriminant directions follow the clusters that they start from: .90 on wine, but 22 clusters on breast cancer and 29
  on zoo.
- A bimodal column that no cluster tells apart is named in a note (`notes_`), whatever was found.
"""


def discriminants(X: np.ndarray, labels: np.ndarray, config: dpviz.RunConfig) -> np.ndarray:
    """Cluster along the directions that discriminate clusters, and again."""
    Z = scale(X, "standardise").X
    for _ in range(ROUNDS):
        n_clusters = len(np.unique(labels))
        if n_clusters == 1:
            return labels
        within = sum(
            (Z[labels == k] - Z[labels == k].mean(axis=0)).T @ (Z[labels == k] - Z[labels == k].mean(axis=0))
            for k in np.unique(labels)
        ) / len(Z) + 0.01 * np.eye(Z.shape[1])
        _, axes = eigh(Z.T @ Z / len(Z) - within, within)
        orthonormal = np.linalg.qr(axes[:, ::-1][:, : min(n_clusters - 1, MOST_DISCRIMINANTS)])[0]
        before, labels = labels, dpviz.run(Z @ orthonormal, config).result_labels
        if ari(before, labels) == 1:
            return labels
    return labels


def found(X: np.ndarray, groups: np.ndarray, seed: int) -> tuple[list[tuple[float, int]], int | None]:
    """ARI and clusters of each way, and the directions that ``auto`` took."""
    config = replace(AUTOMATIC, seed=seed)
    columns = dpviz.run(X, config)
    wanted = parallel_analysis(X)
    few = (
        dpviz.run(X, replace(config, directions=wanted)) if 0 < wanted <= Directions.of(X, 0).n_directions else columns
    )
    auto = dpviz.run(X, replace(config, directions="auto"))
    labels = [trace.result_labels for trace in (columns, few, auto)]
    labels.append(discriminants(X, labels[1], config))
    return [(ari(groups, own), len(np.unique(own))) for own in labels], auto.config.directions


def data_sets() -> Iterator[tuple[str, list[Table]]]:
    for name, draw in IN_DIRECTIONS.items():
        yield name, [draw(np.random.default_rng(seed)) for seed in range(SEEDS)]
    for name, data in tables():
        if data.n_features >= FEWEST_COLUMNS and not data.incomplete.any():
            yield name, [(scale(data.X, "standardise").X, np.asarray(data.labels))]


def row(name: str, draws: list[Table]) -> tuple[str, list[float]]:
    results = [found(X, groups, seed) for seed, (X, groups) in enumerate(draws)]
    X, groups = draws[0]
    scores = np.array([cells for cells, _ in results])
    taken = sorted({"columns" if q is None else str(q) for _, q in results})
    kept = sorted({parallel_analysis(own) for own, _ in draws})
    cells = [f"{np.mean(scores[:, way, 0]):.2f} ({np.mean(scores[:, way, 1]):.3g})" for way in range(4)]
    cells[1] += f", q = {', '.join(map(str, kept))}"
    cells[2] += f": {', '.join(taken)}"
    line = f"| {name} | {len(X):,} × {X.shape[1]} | {len(np.unique(groups))} | {' | '.join(cells)} |"
    return line, [float(np.mean(scores[:, way, 0])) for way in range(4)]


def main() -> None:
    lines = ["| data | size | groups | columns | q directions | auto | discriminants |", "|---" * 7 + "|"]
    every = []
    for name, draws in data_sets():
        line, scores = row(name, draws)
        print(line, flush=True)
        lines.append(line)
        every.append((len(draws) > 1, scores))
    for is_generated, what in ((True, "generated"), (False, "bundled")):
        means = np.mean([scores for own, scores in every if own == is_generated], axis=0)
        lines.append(f"| **mean, {what}** | | | {' | '.join(f'{mean:.3f}' for mean in means)} |")
    FILE.write_text("\n".join([TITLE, *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
