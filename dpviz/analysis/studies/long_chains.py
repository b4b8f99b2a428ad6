"""Measures of Lu, Li & Dunson (2018): long Gibbs chains, the power tuned on one sample, the chain run on another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dpviz.analysis.parameters import with_parameter
from dpviz.analysis.posterior.losses import losses
from dpviz.analysis.second_opinion import BOUND, n_groups
from dpviz.analysis.selection import PowerLoss, power_before_blow_up, power_losses
from dpviz.analysis.studies.study import Outcome, StudyCell
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.errors import require
from dpviz.fit.run import run
from dpviz.metrics import entropy

N_FOLDS = 5
N_BATCHES = 20
"""Batches of consecutive draws, whose means give the standard error of a chain's mean."""
MOST_CLUSTERS = 100
"""Draws with more clusters are counted as having this many."""


def two_samples(data: Dataset, n_tuning: int, seed: int) -> tuple[Dataset, Dataset]:
    """Divide the rows at random into a sample to tune on, and all others.

    Parameters
    ----------
    data : Dataset
    n_tuning : int
        Rows of the first, below N.
    seed : int
    """
    require(0 < n_tuning < data.n_points, "n_tuning", n_tuning, f"between 1 and {data.n_points - 1}")
    order = np.random.default_rng([seed, 1]).permutation(data.n_points)
    return _rows(data, np.sort(order[:n_tuning])), _rows(data, np.sort(order[n_tuning:]))


def _rows(data: Dataset, rows: IntArray) -> Dataset:
    labels = None if data.labels is None else data.labels[rows]
    return replace(data, X=data.X[rows], labels=labels, rows=None, frame=None)


LOSS = "loss_"
"""Before a power, the name of the number that holds its loss."""


def losses_by_power(numbers: Mapping[str, float]) -> dict[float, float]:
    """Return the loss of every power that a chain's numbers have."""
    return {float(name.removeprefix(LOSS)): loss for name, loss in numbers.items() if name.startswith(LOSS)}


def tuned_power(losses_of_powers: Sequence[PowerLoss]) -> float:
    """Return the last power before the loss blows up, or the largest that was tried if it does not (2018 Sec. 2.3)."""
    chosen = power_before_blow_up(losses_of_powers)
    return losses_of_powers[-1].power if chosen is None else chosen


def standard_error(values: FloatArray) -> float:
    """Estimate the standard error of the mean of a chain from the means of consecutive batches.

    Parameters
    ----------
    values : ndarray (S,)
        At least ``N_BATCHES``, or NaN is returned.
    """
    if len(values) < N_BATCHES:
        return np.nan
    means = [batch.mean() for batch in np.array_split(values, N_BATCHES)]
    return float(np.std(means, ddof=1) / np.sqrt(N_BATCHES))


def reference_labels(data: Dataset) -> IntArray:
    """Return the groups (N,) that clusters are compared with: the known ones, or else two Gaussians fitted by E-M."""
    if data.labels is not None:
        return data.labels
    return run(data.X, RunConfig("em", n_components=2)).result_labels


def chain_numbers(trace: Trace, reference: IntArray) -> dict[str, float]:
    """Average the scores of a chain's draws.

    Returns
    -------
    dict of str to float
        Of ``nmi``, ``vi`` (bits) and ``k`` the mean; ``…_se_thousandths``, 1000 times the standard deviation over √S,
        as if the draws were independent; ``…_2se``, twice the standard error that counts their correlation. ``k_max``;
        ``best_k``, of the draw of lowest nll; ``true_k``, the share of draws with as many clusters as groups;
        ``surplus``, the mean share of points outside the largest clusters, as many as there are groups; ``short``,
        whether the last draw has fewer clusters of at least 5 % of the points than there are groups.
    """
    draws, n_true = trace.draws, len(np.unique(reference))
    sizes = [np.sort(np.bincount(draw))[::-1] for draw in draws]
    bits = losses(draws, reference, "variation_of_information")
    # 2 I = H(U) + H(V) − VI, so that NMI = 2 I / (H(U) + H(V)) follows from the sizes
    entropies = (entropy(np.bincount(reference)) + np.array([entropy(counts) for counts in sizes])) / np.log(2)
    series = {
        "nmi": 1 - np.divide(bits, entropies, out=np.zeros_like(bits), where=entropies > 0),
        "vi": bits,
        "k": np.array([np.count_nonzero(counts) for counts in sizes], dtype=np.float64),
    }
    numbers = {}
    for name, values in series.items():
        numbers[name] = float(values.mean())
        numbers[f"{name}_se_thousandths"] = 1000 * float(values.std() / np.sqrt(len(values)))
        numbers[f"{name}_2se"] = 2 * standard_error(values)
    numbers["k_max"] = float(series["k"].max())
    numbers["true_k"] = float(np.mean(series["k"] == n_true))
    numbers["surplus"] = float(np.mean([counts[n_true:].sum() for counts in sizes]) / len(reference))
    numbers["short"] = float(n_groups(draws[-1], BOUND) < n_true)
    numbers["best_k"] = float(len(np.unique(trace.result_labels)))
    return numbers


def chain_arrays(trace: Trace, keep: bool) -> dict[str, IntArray]:
    """Return the data of figures: counts of draws by K, ranked sizes of the best draw, K over time and labels."""
    labels = trace.result_labels
    n_clusters = np.minimum(trace.n_clusters[trace.label_sweeps[trace.draw_rows]], MOST_CLUSTERS)
    arrays = {
        "k_counts": np.bincount(n_clusters),
        "sizes": np.sort(np.bincount(labels))[::-1],
    }
    if keep:
        arrays |= {"k_trace": trace.n_clusters[:: trace.config.thin], "labels": labels}
    return arrays


def score_chain(
    data: Dataset,
    config: RunConfig,
    n_tuning: int,
    powers: tuple[float, ...] = (),
    tuning_sweeps: int = 0,
    keep: bool = False,
) -> Outcome:
    """Run a chain on the points not used for tuning, and score its draws.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
        Of gibbs.
    n_tuning : int
        Points that are left for tuning.
    powers : tuple of float
        Powers that are cross-validated on them; the configuration's own is kept without any.
    tuning_sweeps : int
        Length of the chains that tune; half of it is burn-in.
    keep : bool
        Keep K over time and the labels of the best draw, for figures.
    """
    tuning, rest = two_samples(data, n_tuning, config.seed)
    numbers: dict[str, float] = {}
    if powers:
        short = replace(config, n_sweeps=tuning_sweeps, burn_in=tuning_sweeps // 2)
        numbers = _tuned(tuning.X, short, powers)
        config = with_parameter(config, "power", numbers["power"], tuning.X)
    trace = run(rest.X, config)
    numbers = chain_numbers(trace, reference_labels(rest)) | numbers
    return Outcome(numbers, config, chain_arrays(trace, keep))


def tune_power(data: Dataset, config: RunConfig, n_tuning: int, powers: tuple[float, ...]) -> Outcome:
    """Cross-validate powers on the points that :func:`score_chain` leaves for that (2018 Sec. 2.3).

    Returns
    -------
    Outcome
        The loss of every power, a mean over the folds; ``power``, the one that is chosen; ``lowest_loss`` and
        ``highest_loss`` up to it, times the root of the number of folds: a loss is a sum of roots of sums over points,
        so that this is its level for all of them.
    """
    tuning, _ = two_samples(data, n_tuning, config.seed)
    numbers = _tuned(tuning.X, config, powers)
    chosen = numbers["power"]
    before = [math.sqrt(N_FOLDS) * loss for power, loss in losses_by_power(numbers).items() if power <= chosen]
    numbers |= {"lowest_loss": min(before), "highest_loss": max(before)}
    return Outcome(numbers, with_parameter(config, "power", chosen, tuning.X))


def _tuned(X: FloatArray, config: RunConfig, powers: Sequence[float]) -> dict[str, float]:
    """Return the loss of every power, and the ``power`` that is chosen."""
    tried = list(power_losses(X, config, powers, N_FOLDS, n_jobs=1))
    return {f"{LOSS}{entry.power:.2f}": entry.loss for entry in tried} | {"power": tuned_power(tried)}


def clustered_points(cell: StudyCell) -> Dataset:
    """Return the points that the chain of a cell runs on."""
    return two_samples(cell.source.load(), dict(cell.settings)["n_tuning"], cell.config.seed)[1]


def weighted_densities(X: FloatArray, config: RunConfig, labels: IntArray, at: FloatArray) -> FloatArray:
    """Return the predictive density of every cluster of a partition, times its weight.

    Parameters
    ----------
    X : ndarray (N, D)
    config : RunConfig
        The model.
    labels : ndarray (N,)
        0 … K − 1, each present.
    at : ndarray (G, D)
        Places.

    Returns
    -------
    ndarray (K + 1, G)
        The last is that of a new cluster; they add up to the density of the mixture.
    """
    return np.exp(PartitionPredictive(Problem.check(X, config), labels).log_scores(at)).T
