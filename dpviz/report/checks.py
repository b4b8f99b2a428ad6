"""What the report tries for the reader: a chain, repeated runs, other models, other methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dpviz import metrics
from dpviz.analysis.certainty import N_SWEEPS, Certainty, cluster_certainty
from dpviz.analysis.model_table import N_FOLDS, model_table
from dpviz.analysis.reference_methods import references
from dpviz.analysis.stability import BOOTSTRAPS, HALVES, SEEDS, cluster_stability
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.trace import Trace
from dpviz.fit.run import run
from dpviz.report.pieces import Clusters, section, table

MOST_WORK = 1e9
"""Points × clusters × columns × sweeps that are still run for one part of a report: some ten seconds."""
STEPS_OF_OTHERS = 5_000
"""Components × iterations of the other methods together, about."""
N_SEEDS, N_HALVES, N_BOOTSTRAPS = 3, 2, 10
"""Other seeds with which the run is repeated; divisions into halves, and bootstrap samples, on which it is."""
FEWEST_HALVED = 20
"""Rows of which halves say anything."""
SWEEPS_OF_MODELS = 6_000
"""Sweeps of all models together, with their folds, about."""


def certainty(values: FloatArray, trace: Trace, found: Clusters, most_work: float) -> str:
    """Say which clusters stay in a chain, and which are found again by repeated runs."""
    words: list[str] = []
    columns: dict[str, Any] = {"n": np.bincount(found.labels)}
    k = len(found.names)
    if not ALGORITHMS[trace.config.algorithm].uses_model:
        words.append("This method has no probabilities, so no chain was run.")
    elif values.size * k * N_SWEEPS > most_work:
        words.append("No chain was tried: it takes longer than this report may.")
    else:
        chain = cluster_certainty(values, trace, found.labels)
        words.append(
            f"A Gibbs chain of {len(chain.n_clusters):,} kept sweeps that begins at these clusters has "
            f"{chain.n_clusters.min()} to {chain.n_clusters.max()} of them, most often "
            f"{np.bincount(chain.n_clusters).argmax()}. Two points of a cluster stay together in the share of its "
            "draws that is given below; it explores the surroundings of this answer and need not find others far from "
            "it."
        )
        columns |= _of_chain(chain, found.names)
    said, again = _repeated(values, trace, found, most_work)
    columns |= again
    frame = pd.DataFrame(columns, index=pd.Index(found.names, name="cluster"))
    return section("How certain", [*words, *said], table(frame) if len(columns) > 1 else "")


def _of_chain(chain: Certainty, names: list[str]) -> dict[str, Any]:
    columns: dict[str, Any] = {"stays together": [f"{share:.0%}" for share in chain.stability]}
    if len(names) > 1:
        others = chain.together - np.diag(np.diag(chain.together))
        columns["likeliest to be one with"] = [names[int(place)] for place in others.argmax(axis=1)]
        columns["probability"] = [f"{share:.1%}" for share in chain.between]
    columns["chain"] = _shares(chain.jaccard)
    return columns


def _repeated(
    values: FloatArray, trace: Trace, found: Clusters, most_work: float
) -> tuple[list[str], dict[str, list[str]]]:
    """Repeat the run with other seeds and on parts of the rows; return what to say, and the stability by each way."""
    config: RunConfig = trace.config
    if isinstance(config.init, tuple):
        return ["Other seeds were not tried: the run began from given clusters."], {}
    if found.are_joined:
        return ["Repeated runs were not tried: they find clusters before these are joined."], {}
    n_sweeps = trace.n_trial_sweeps or trace.n_sweeps * len(trace.starts)
    work = values.size * n_sweeps * max(trace.n_clusters[trace.result_sweep], 1)
    on_parts = (N_SEEDS + N_HALVES + 0.63 * N_BOOTSTRAPS) * work <= most_work and len(values) >= FEWEST_HALVED
    if N_SEEDS * work > most_work:
        return ["Other seeds were not tried: they take longer than this report may."], {}
    parts = (N_HALVES, N_BOOTSTRAPS) if on_parts else (0, 0)
    stable = cluster_stability(values, trace, found.labels, N_SEEDS, *parts)
    counts = {way: sorted(set(numbers)) for way, numbers in stable.attrs["n_clusters"].items()}
    n_runs = {way: len(numbers) for way, numbers in stable.attrs["n_clusters"].items()}  # samples may allow none
    said = f"{n_runs[SEEDS]} runs with other seeds find {_range(counts[SEEDS])} clusters"
    if on_parts and counts[HALVES] and counts[BOOTSTRAPS]:
        said += f", {n_runs[HALVES]} runs on random halves of the rows {_range(counts[HALVES])}, and "
        said += f"{n_runs[BOOTSTRAPS]} on bootstrap samples, whose copies of rows are left out, "
        said += f"{_range(counts[BOOTSTRAPS])}."
    else:
        said += ". Halves and bootstrap samples were not tried: the rows are too few, or it takes too long."
    meaning = (
        "How well a cluster is found again is the mean of Jaccard’s coefficient with the cluster most like it (Hennig "
        "2007): below 0.5 it is dissolved, above 0.75 stable."
    )
    kept = {str(way): _shares(stable[way].to_numpy()) for way in stable if stable[way].notna().any()}
    return [said, meaning], kept


def _shares(coefficients: FloatArray) -> list[str]:
    return ["–" if np.isnan(coefficient) else f"{coefficient:.2f}" for coefficient in coefficients]


def _range(numbers: list[int]) -> str:
    return "no" if not numbers else str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def models(dataset: Dataset, values: FloatArray, trace: Trace, most_work: float) -> str:
    """Compare families and partition priors by nll and held-out density."""
    title, algorithm = "Other models", ALGORITHMS[trace.config.algorithm]
    if not algorithm.uses_model:
        return section(title, ["This method has no model, so none were compared."])
    if len(values) < FEWEST_HALVED or values.size * SWEEPS_OF_MODELS * trace.n_clusters[trace.result_sweep] > most_work:
        return section(title, ["Not tried: they take longer than this report may, or the rows are too few."])
    kinds = (
        dataset.kinds if values.shape == dataset.X.shape and np.array_equal(values, dataset.X, equal_nan=True) else ()
    )
    found = model_table(values, trace, kinds or ("continuous",) * values.shape[1])
    words = [
        "Families of clusters and partition priors on the same numbers, each by MAP-DP with a short search: −ln "
        f"p(data, partition) in nats, the lower the better, and the mean log density of rows that were left out "
        f"({N_FOLDS} folds), the higher the better. The first is that of the highest; differences within a few nats, "
        "or a few hundredths of a nat per row, decide little."
    ]
    found["nll"] = [f"{nll:,.1f}" for nll in found["nll"]]
    found["held_out"] = ["–" if np.isnan(density) else f"{density:.3f}" for density in found["held_out"]]
    shown = found.rename(columns={"prior": "partition prior", "held_out": "held-out density"}).set_index("family")
    return section(title, words, table(shown))


def others(dataset: Dataset, values: FloatArray, trace: Trace, labels: IntArray, most_work: float) -> str:
    """Compare with K-means and the usual methods of scikit-learn."""
    title = "What other methods say"
    if np.isnan(values).any() or "categorical" in dataset.kinds:
        return section(title, ["Not tried: the other methods here need complete columns of numbers."])
    if len(values) < 3 or values.size * STEPS_OF_OTHERS > most_work:
        return section(title, ["Not tried: they take longer than this report may, or the rows are too few."])
    k = int(labels.max()) + 1
    found = {
        f"K-means, told K = {k}, ten starts": run(values, RunConfig("kmeans", n_clusters=k, n_init=10)).result_labels
    }
    found |= {f"{own.name} ({own.settings})": own.labels for own in references(values, 0, 1) if own is not None}
    rows = []
    for name, own in found.items():
        row: dict[str, object] = {
            "method": name, "clusters": len(np.unique(own[own >= 0])), "ARI with the answer": metrics.ari(labels, own),
        }  # fmt: skip
        if dataset.labels is not None:
            row["ARI with the reference"] = metrics.ari(dataset.labels, own)
        rows.append(row)
    words = [
        "On the same numbers. A method that agrees does not make an answer right, but where all differ look closer."
    ]
    return section(title, words, table(pd.DataFrame(rows).set_index("method")))
