"""Compare clusters of columns as they are with clusters of transformed columns: writes TRANSFORMS.md.

    python -m benchmarks.transforms

Labelled bundled tables, and generated ones in which the groups are known, many of them skewed.
"""

from __future__ import annotations

import pathlib
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import dpviz
from benchmarks.defaults import AUTOMATIC, tables
from benchmarks.generated import Draw, Table
from dpviz.families.powers import powers_in_words
from dpviz.fit.automatic import resolve
from dpviz.fit.transforms import can_be_transformed
from dpviz.metrics import ari

FILE = pathlib.Path(__file__).with_name("TRANSFORMS.md")
SEEDS, OF_FIRST, N_FIRST = 2, 5, 4
"""Draws of generated tables, and of so many first ones."""
TITLE = """# What transformations find

ARI with the groups, and in brackets the number of clusters, of `dpviz.run(X, RunConfig(partition="auto"))`: of the
columns, of their logarithms where all are above 0 (`transform="log"`), and with `transform="auto"`; by how many nats a
row its nll is below that of the columns, in the units of the columns both; and what it transformed. Generated tables
are means over two draws, the first four over five; bundled ones, which no one scaled, seed 0. Seconds are of the choice
and the run, on one core of a shared, busy machine. Written by `python -m benchmarks.transforms`, which takes names of
data for some of them and leaves the rows of the others.

On these tables `auto` loses no generated group, as logarithms alone lose some, and one skewed group is one cluster.
Where clusters of the columns have the lower nll nothing is transformed. What has no power stays: heavy tails to both
sides, and a column with zeros, are several clusters as before. Bundled tables gain little but wine; where groups are no
clusters of the columns (voices, biomarkers) they are none of transformed ones either, with as many clusters or more,
and those of the heart and of breast cancer agree a little less. It took up to three and a half times as long as the
columns, and less where many clusters become few; what short runs chose has since then not been chosen a second time.
"""


def _groups(rng: np.random.Generator, *shares: float, n: int = 400) -> np.ndarray:
    return rng.choice(len(shares), size=n, p=shares)


def lognormal(rng: np.random.Generator) -> Table:
    return np.exp(rng.normal(size=(400, 4)) @ rng.normal(size=(4, 4))), np.zeros(400)


def gamma(rng: np.random.Generator) -> Table:
    return rng.gamma(2.0, 3.0, size=(400, 4)), np.zeros(400)


def exponential(rng: np.random.Generator) -> Table:
    return rng.exponential(5.0, size=(400, 4)), np.zeros(400)


def income(rng: np.random.Generator) -> Table:
    base = rng.normal(10, 0.7, size=400)
    top = np.where(rng.random(400) < 0.05, rng.pareto(2.0, 400) + 1, 1.0)
    return np.exp(np.column_stack([base, 0.6 * base + rng.normal(0, 0.5, 400)])) * top[:, None], np.zeros(400)


def heavy(rng: np.random.Generator) -> Table:
    return 50 + rng.standard_t(3, size=(400, 4)), np.zeros(400)


def zeros(rng: np.random.Generator) -> Table:
    X = np.exp(rng.normal(size=(400, 3)))
    return np.where(rng.random((400, 3)) < [0.0, 0.0, 0.15], 0.0, X), np.zeros(400)


def one_normal(rng: np.random.Generator) -> Table:
    return 20 + rng.normal(size=(400, 5)), np.zeros(400)


def unequal_normal(rng: np.random.Generator) -> Table:
    groups = _groups(rng, 0.85, 0.15)
    return 20 + rng.normal(size=(400, 3)) + 5 * groups[:, None], groups


def unequal_widths(rng: np.random.Generator) -> Table:
    groups = _groups(rng, 0.7, 0.3)
    return 30 + rng.normal(size=(400, 3)) * np.array([1.0, 4.0])[groups][:, None] + 12 * groups[:, None], groups


def near_zero(rng: np.random.Generator) -> Table:
    groups = _groups(rng, 0.8, 0.2)
    return np.abs(3 + rng.normal(size=(400, 3))) + 5 * groups[:, None] + 0.01, groups


def skewed_groups(rng: np.random.Generator) -> Table:
    groups = _groups(rng, 0.6, 0.3, 0.1)
    return np.exp(0.5 * rng.normal(size=(400, 4)) + 2.2 * groups[:, None]), groups


def skewed_in_one(rng: np.random.Generator) -> Table:
    groups = _groups(rng, 0.5, 0.5)
    skew = np.exp(rng.normal(size=(400, 3)))
    return np.column_stack([skew, 20 + rng.normal(size=400) + 6 * groups]), groups


def skewed_beside(rng: np.random.Generator) -> Table:
    groups = _groups(rng, 0.75, 0.25)
    skew = np.exp(0.8 * rng.normal(size=(400, 2)) + 1.0 * groups[:, None])
    return np.column_stack([skew, 40 + rng.normal(size=(400, 2)) + 5 * groups[:, None]]), groups


def signed(rng: np.random.Generator) -> Table:
    groups = _groups(rng, 0.7, 0.3)
    return rng.normal(size=(400, 3)) + 5 * groups[:, None], groups


GENERATED: dict[str, Draw] = {
    "one log-normal group": lognormal,
    "one gamma group": gamma,
    "one exponential group": exponential,
    "incomes with a Pareto tail": income,
    "one group with heavy tails (t, 3 degrees)": heavy,
    "log-normal, a column with zeros": zeros,
    "one normal group": one_normal,
    "2 normal groups, 85 : 15": unequal_normal,
    "2 normal groups, the smaller one wide": unequal_widths,
    "2 normal groups near 0, 80 : 20": near_zero,
    "3 log-normal groups, 60 : 30 : 10": skewed_groups,
    "2 groups in a normal column beside 3 skewed ones": skewed_in_one,
    "2 groups in 2 skewed and 2 normal columns": skewed_beside,
    "2 normal groups about 0": signed,
}


def found(X: np.ndarray, groups: np.ndarray, config: dpviz.RunConfig) -> tuple[float, int, float, dpviz.Trace, float]:
    """ARI, clusters, nll, the run, and its seconds."""
    begun = time.perf_counter()
    trace = dpviz.run(X, resolve(X, config).config)
    seconds = time.perf_counter() - begun
    labels = trace.result_labels
    return ari(groups, labels), len(np.unique(labels)), float(trace.nll[trace.result_sweep]), trace, seconds


def data_sets() -> Iterator[tuple[str, list[Table], tuple[str, ...] | None]]:
    for number, (name, draw) in enumerate(GENERATED.items()):
        n_draws = OF_FIRST if number < N_FIRST else SEEDS
        yield name, [draw(np.random.default_rng(seed)) for seed in range(n_draws)], None
    for name, data in tables():
        real = [kind == "continuous" for kind in data.kinds]
        able = any(is_real and can_be_transformed(x) for is_real, x in zip(real, data.X.T, strict=True))
        if able and not data.incomplete.any():
            yield name, [(data.X, np.asarray(data.labels))], data.kinds


def row(name: str, draws: list[Table], kinds: tuple[str, ...] | None) -> tuple[str, list[float]]:
    cells: dict[str, list[tuple[float, int, float, dpviz.Trace, float]]] = {"columns": [], "log": [], "auto": []}
    for seed, (X, groups) in enumerate(draws):
        config = replace(AUTOMATIC, seed=seed)
        config = config if kinds is None else config.with_kinds(kinds)
        cells["columns"].append(found(X, groups, config))
        cells["auto"].append(found(X, groups, replace(config, transform="auto")))
        if np.all(X > 0):
            cells["log"].append(found(X, groups, replace(config, transform="log")))
    X, groups = draws[0]
    said = [
        f"{np.mean([c[0] for c in own]):.2f} ({np.mean([c[1] for c in own]):.3g})" if own else "—"
        for own in (cells["columns"], cells["log"], cells["auto"])
    ]
    gains = [(a[2] - b[2]) / len(X) for a, b in zip(cells["columns"], cells["auto"], strict=True)]
    taken = {words(trace.config.transform) for _, _, _, trace, _ in cells["auto"]}
    seconds = [np.mean([c[4] for c in cells[way]]) for way in ("columns", "auto")]
    size = f"{len(X):,} × {X.shape[1]} | {len(np.unique(groups))}"
    timed = f"{seconds[0]:.1f}, {seconds[1]:.1f}"
    line = f"| {name} | {size} | {' | '.join(said)} | {np.mean(gains):.3f} | {timed} | {' / '.join(sorted(taken))} |"
    return line, [float(np.mean([c[0] for c in cells[way]])) for way in ("columns", "auto")]


def words(powers: tuple[float, ...] | None) -> str:
    """Say shortly how many columns have which power."""
    if powers is None:
        return "none"
    short = powers_in_words(powers)
    return (
        short if len(short) < 60 else f"{np.sum(np.array(powers) == 0)} logs, {np.sum(~np.isin(powers, (0, 1)))} powers"
    )


def rows_kept() -> dict[str, tuple[str, list[float]]]:
    """Rows of the file by the names of their data, with their mean ARI of the columns and under auto."""
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else ():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 9 and "(" in cells[3] and not cells[0].startswith("**"):
            found[cells[0]] = line, [float(cells[place].split()[0]) for place in (3, 5)]
    return found


def main() -> None:
    names, kept = sys.argv[1:], rows_kept()
    lines = ["| data | size | groups | columns | log | auto | nats a row | seconds | transformed |", "|---" * 9 + "|"]
    every, left_out = [], list[str]()
    for name, draws, kinds in data_sets():
        if names and name not in names and name not in kept:
            left_out.append(name)
            continue
        if names and name not in names:
            line, scores = kept[name]
        else:
            line, scores = row(name, draws, kinds)
            print(line, flush=True)
        lines.append(line)
        every.append((len(draws) > 1, scores))
    for is_generated, what in ((True, "generated"), (False, "bundled")):
        means = np.mean([scores for own, scores in every if own == is_generated], axis=0)
        lines.append(f"| **mean, {what}** | | | {means[0]:.3f} | | {means[1]:.3f} | | | |")
    if left_out:
        lines += ["", f"Not run: {', '.join(left_out)}."]
    FILE.write_text("\n".join([TITLE, *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
