"""Compare what MAP-DP finds with every default with scikit-learn's methods: writes DEFAULTS.md.

    python -m benchmarks.defaults

All labelled bundled tables, standardised. Tables with counts, codes or durations are also given as they are, with the
kinds of their columns.
"""

from __future__ import annotations

import pathlib
import time
from collections.abc import Iterator

import numpy as np
from sklearn.cluster import KMeans

import dpviz
from dpviz.analysis.reference_methods import references
from dpviz.datasets import Dataset, scale
from dpviz.engine.automatic import words_for
from dpviz.metrics import nmi

FOLDER = pathlib.Path(__file__).parent
STARTS = 3
METHODS = ("ours", "K-means, told K", "Gaussian mixture + BIC", "Variational mixture", "HDBSCAN", "ours, by kinds")
TIE = 0.02
TITLE = """# Every default, beside scikit-learn
"""


def found_by(data: Dataset) -> Iterator[tuple[str, np.ndarray, float, str]]:
    """Yield method, labels, seconds and what was chosen."""
    X = scale(data.X, "standardise").X
    yield ("ours", *ours(X, dpviz.RunConfig()))
    begun = time.perf_counter()
    labels = KMeans(len(np.unique(data.labels)), n_init=10, random_state=0).fit(X).labels_
    yield "K-means, told K", labels, time.perf_counter() - begun, ""
    for reference in references(X, 0, STARTS):
        if reference is not None:
            yield reference.name, reference.labels, reference.seconds, ""
    if set(data.kinds) != {"continuous"}:
        yield ("ours, by kinds", *ours(data.X, dpviz.RunConfig().with_kinds(data.kinds)))


def ours(X: np.ndarray, config: dpviz.RunConfig) -> tuple[np.ndarray, float, str]:
    begun = time.perf_counter()
    trace = dpviz.run(X, config)
    return trace.result_labels, time.perf_counter() - begun, words_for(trace.config)


def row(name: str, data: Dataset) -> tuple[str, dict[str, float]]:
    scores, cells, chosen = {}, dict.fromkeys(METHODS, ""), ""
    for method, labels, seconds, words in found_by(data):
        scores[method] = nmi(data.labels, labels)
        cells[method] = f"{scores[method]:.3f} ({len(np.unique(labels))})"
        if method == "ours":
            chosen = f"{words}; {seconds:.1f} s"
    n_groups = len(np.unique(data.labels))
    shown = " | ".join(cells[method] for method in METHODS)
    return f"| {name} | {len(data.X)} × {data.n_features} | {n_groups} | {shown} | {chosen} |", scores


def main() -> None:
    lines = ["| table | size | groups | " + " | ".join(METHODS) + " | chosen |", "|---" * (len(METHODS) + 4) + "|"]
    every = []
    for name in dpviz.datasets.names():
        data = dpviz.datasets.load(name)
        if data.labels is None:
            continue
        line, scores = row(name, data)
        print(line, flush=True)
        lines.append(line)
        every.append(scores)
    counted = []
    for method in METHODS[1:5]:
        margins = [scores["ours"] - scores[method] for scores in every]
        leads, ties = sum(m > TIE for m in margins), sum(abs(m) <= TIE for m in margins)
        counted.append(f"| {method} | {leads} | {ties} | {len(every) - leads - ties} |")
    table = [
        "",
        f"Ours against each, a tie being within {TIE:g}:",
        "",
        "| | leads | ties | loses |",
        "|---|---|---|---|",
    ]
    (FOLDER / "DEFAULTS.md").write_text("\n".join([TITLE, *lines, *table, *counted]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
