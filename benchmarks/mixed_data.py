"""Compare MAP-DP on tables of categories, scales and numbers with missing cells with two peers: writes MIXED.md.

    python -m pip install --target DIRECTORY --no-deps stepmix tqdm
    PYTHONPATH=DIRECTORY python -m benchmarks.mixed_data

StepMix is a package of latent class models with mixed descriptors, whose likelihood leaves missing cells out as ours
does. It is needed by nothing but this comparison.
"""

from __future__ import annotations

import pathlib
import time
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

import dpviz
from dpviz.datasets import Dataset, fill
from dpviz.fit.run import run
from dpviz.metrics import ari, nmi

FOLDER = pathlib.Path(__file__).parent
TABLES = ("dermatology", "house_votes_84", "zoo", "soybean_307", "heart_cleveland")
MOST_CLASSES, STARTS, PATIENCE = 20, 2, 3
"""Latent classes are tried up to so many, unless so many numbers in a row have not lowered the BIC."""
AS_CATEGORIES, AS_NUMBERS = ("binary", "categorical", "ordinal"), ("continuous", "duration", "count")
TITLE = """# Mixed tables with missing cells

All rows, cells missing as they are; columns by their kinds. `ours` is MAP-DP with every default, seed 0, not told K:
`dpviz.run(X, dpviz.RunConfig().with_kinds(kinds))`. StepMix (3.0) has categories and scales as categorical, numbers as
normal with diagonal covariances, {starts} starts for each number of classes, and the number of lowest BIC: of 1 to
{most}, or until {patience} in a row do not lower it. K-means sees one column per category, all standardised, missing
cells filled with mean or mode, 10 starts, and is told the true K. NMI (arithmetic) and adjusted Rand index with the
labels, K found in brackets, and user CPU seconds of one run on one thread of a machine with other work (of StepMix of
all numbers of classes). Written by `python -m benchmarks.mixed_data`.

"""


class Result(NamedTuple):
    """What a method found."""

    labels: np.ndarray
    seconds: float
    remark: str = ""


def ours(data: Dataset) -> Result:
    """MAP-DP by kinds, with its default search; what a start alone takes is the remark."""
    config = dpviz.RunConfig().with_kinds(data.kinds)
    run(data.X, dpviz.RunConfig(n_init=1, init="single", effort=0.0).with_kinds(data.kinds))  # loads the kernels
    begun = time.process_time()
    trace = run(data.X, config)
    seconds = time.process_time() - begun
    begun = time.process_time()
    run(data.X, dpviz.RunConfig(n_init=1, init="single", effort=0.0).with_kinds(data.kinds))
    return Result(trace.result_labels, seconds, f"one start {time.process_time() - begun:.3f} s")


def stepmix(data: Dataset) -> Result:
    """Latent classes, as many as have the lowest BIC."""
    from stepmix.stepmix import StepMix  # deferred: only this comparison needs it
    from stepmix.utils import get_mixed_descriptor

    frame = pd.DataFrame(data.X, columns=list(data.feature_names))
    groups = {
        "categorical_nan": [n for n, kind in zip(frame, data.kinds, strict=True) if kind in AS_CATEGORIES],
        "gaussian_diag_nan": [n for n, kind in zip(frame, data.kinds, strict=True) if kind in AS_NUMBERS],
    }
    for name in groups["gaussian_diag_nan"]:
        frame[name] = (frame[name] - frame[name].mean()) / frame[name].std()
    table, descriptor = get_mixed_descriptor(frame, **{kind: names for kind, names in groups.items() if names})
    begun = time.process_time()
    found = {}
    for n_classes in range(1, MOST_CLASSES + 1):
        model = StepMix(
            n_components=n_classes, measurement=descriptor, n_init=STARTS, random_state=0, verbose=0, progress_bar=0
        ).fit(table)
        criterion = float(model.bic(table))
        found[n_classes] = (criterion if np.isfinite(criterion) else np.inf, model.predict(table))
        best = min(found, key=lambda n: found[n][0])
        if n_classes >= best + PATIENCE:
            break
    return Result(found[best][1], time.process_time() - begun)


def k_means(data: Dataset) -> Result:
    """K-means on one column per category, told K."""
    frame = pd.DataFrame(fill(data.X, data.kinds), columns=list(data.feature_names))
    coded = [n for n, kind in zip(frame, data.kinds, strict=True) if kind in AS_CATEGORIES]
    X = pd.get_dummies(frame, columns=coded).to_numpy(float)
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    begun = time.process_time()
    labels = KMeans(len(np.unique(data.labels)), n_init=10, random_state=0).fit_predict(X)
    return Result(labels, time.process_time() - begun)


METHODS = {"ours": ours, "StepMix, BIC": stepmix, "K-means, told K": k_means}


def main() -> None:
    """Run all and write MIXED.md, whose last part is written by hand and stays."""
    path = FOLDER / "MIXED.md"
    remarks = path.read_text(encoding="utf-8").partition("## Where")[2] if path.exists() else ""
    lines = ["| table | size | missing cells | groups | " + " | ".join(METHODS) + " | |", "|---" * 8 + "|"]
    for name in TABLES:
        data = dpviz.datasets.load(name, gaps=True)
        results = [method(data) for method in METHODS.values()]
        cells = [
            f"{nmi(data.labels, r.labels):.3f}, {ari(data.labels, r.labels):.3f} ({len(np.unique(r.labels))}); "
            f"{r.seconds:.2f} s"
            for r in results
        ]
        size = f"{data.n_points} × {data.n_features}"
        groups = len(np.unique(data.labels))
        row = [name, size, f"{int(np.isnan(data.X).sum()):,}", str(groups), *cells, results[0].remark]
        lines.append("| " + " | ".join(row) + " |")
        print(lines[-1], flush=True)
    text = TITLE.format(starts=STARTS, most=MOST_CLASSES, patience=PATIENCE) + "\n".join(lines) + "\n"
    path.write_text(text + (f"\n## Where{remarks}" if remarks else ""), encoding="utf-8")


if __name__ == "__main__":
    main()
