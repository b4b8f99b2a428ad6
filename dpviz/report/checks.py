"""What the report tries for the reader: a chain, repeated runs, other models, other methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpviz import metrics
from dpviz.analysis.certainty import N_SWEEPS, Certainty, cluster_certainty
from dpviz.analysis.evaluation import copies_in_words
from dpviz.analysis.model_table import (
    N_FOLDS,
    PRIORS,
    Model,
    comparable_families,
    kept_from_all_rows,
    models_of,
    other_way,
    ranked,
    with_titles,
)
from dpviz.analysis.reference_methods import Reference, Unfitted, references
from dpviz.analysis.second_opinion import NOT_TRIED, opinion_steps, usual_length, why_none
from dpviz.analysis.stability import ARI, BOOTSTRAPS, HALVES, N_CLUSTERS, SEEDS, draws_nothing, stability_steps
from dpviz.arrays import FloatArray, Strings
from dpviz.config import RunConfig
from dpviz.datasets import scale
from dpviz.datasets.coded_numbers import scaling_of_mixed, with_numbers
from dpviz.datasets.indicators import CODINGS, DUMMY, ONE_HOT, coded_in_words, one_hot
from dpviz.fit.run import run
from dpviz.fit.shape import may_be_learned
from dpviz.fit.steps import drained
from dpviz.report.pieces import Steps, Told, section, table
from dpviz.report.preparation import units_of
from dpviz.text import counted, in_words

MOST_WORK = 1e9
"""Points × clusters × columns × sweeps that are still run for one part of a report: some ten seconds."""
N_STARTS = 10
"""Of K-means, and of the other methods that begin at random where there is time."""
STEPS_OF_OTHERS = 5_000
"""Components × iterations of the other methods together, about, with a start each."""
STEPS_PER_CLUSTER = 200
"""Iterations of K-means with ten starts, about."""
N_SEEDS, N_HALVES, N_BOOTSTRAPS = 3, 2, 10
"""Other seeds with which the run is repeated, fewer if there is no time for all; divisions into halves, and bootstrap
samples, on which it is."""
TOGETHER = "pairs together"
OTHER_ORDERS = "other orders"
FEWEST_HALVED = 20
"""Rows of which halves say anything."""
TOO_FEW = "the rows are too few"
SWEEPS_OF_MODEL = 500
"""Sweeps of one model with its folds, about."""


def certainty(of: Told) -> Steps[str]:
    """Say which clusters stay in a chain, and which are found again by repeated runs."""
    words: list[str] = []
    columns: dict[str, Any] = {"n": np.bincount(of.labels)}
    if not of.trace.config.uses_model:
        words.append("No chain was run: this method has no prior on partitions.")
    elif why := of.why_not(of.sweeps_take(N_SWEEPS)):
        words.append(f"No chain was tried: {why}.")
    else:
        yield "a chain"
        chain = cluster_certainty(of.values, of.trace, of.labels)
        learned = " It learns the same hyperparameters." if of.trace.config.hyperpriors else ""
        words.append(
            f"A Gibbs chain of {len(chain.n_clusters):,} kept sweeps that begins at these clusters has "
            f"{chain.n_clusters.min()} to {chain.n_clusters.max()} of them, most often "
            f"{np.bincount(chain.n_clusters).argmax()}.{learned} Two points of a cluster stay together in the share of "
            "its draws that is given below; it explores the surroundings of this answer and need not find others far "
            "from it."
        )
        if of.k > 1:
            words.append(
                "Beside it stand the cluster with which it is one most often, and in what share of the draws two "
                "points, one of each, are together: the mean over all such pairs."
            )
        columns |= _of_chain(chain, of.clusters.names)
    words.append((yield from _groups(of)))
    said, again = yield from _repeated(of)
    words += said
    columns |= again
    if len(columns) == 1:
        return section("How certain", words)
    words.append(
        "How well a cluster is found again is the mean of Jaccard’s coefficient with the cluster most like it (Hennig "
        "2007): below 0.5 it is dissolved, above 0.75 stable."
    )
    frame = pd.DataFrame(columns, index=pd.Index(of.clusters.names, name="cluster"))
    return section("How certain", words, table(frame))


def _groups(of: Told) -> Steps[str]:
    """Say how many groups draws of the partition have, which one partition cannot show where groups overlap."""
    none = why_none(of.trace.config)
    if none:
        return f"No second opinion on the number of groups: {none}"
    n_sweeps = usual_length(of.trace, of.values.shape[1])
    if why := of.why_not(of.sweeps_take(2 * n_sweeps)):
        return f"{NOT_TRIED.removesuffix('.')}: {why}."
    yield "a second opinion on the number of groups"
    before = "Before clusters were joined: " if of.are_joined else ""
    return f"{before}{drained(opinion_steps(of.values, of.trace, n_sweeps)).text}"


def _of_chain(chain: Certainty, names: list[str]) -> dict[str, Any]:
    columns: dict[str, Any] = {"stays together": [f"{share:.0%}" for share in chain.stability]}
    if len(names) > 1:
        others = chain.together - np.diag(np.diag(chain.together))
        likeliest = zip(others.argmax(axis=1), chain.between, strict=True)
        columns["likeliest to be one with"] = [names[int(place)] if share > 0 else "–" for place, share in likeliest]
        columns[TOGETHER] = [f"{share:.0%}" if share >= 0.005 or share == 0 else "<1%" for share in chain.between]
    columns["chain"] = _shares(chain.jaccard)
    return columns


def _repeated(of: Told) -> Steps[tuple[list[str], dict[str, list[str]]]]:
    """Repeat the run with other seeds and on parts of the rows; return what to say, and the stability by each way."""
    config: RunConfig = of.trace.config
    if isinstance(config.init, tuple):
        return ["Other seeds were not tried: the run began from given clusters."], {}
    n_sweeps = of.trace.n_trial_sweeps or of.trace.n_sweeps * len(of.trace.starts)
    if of.trace.is_chain:  # a run that was stopped had fewer than others with its settings have
        n_sweeps = config.n_sweeps * (config.n_init or 1)
    work = of.sweeps_take(n_sweeps)
    n_seeds = int(min(N_SEEDS, of.most_work / work))
    if not n_seeds:
        return [f"Other seeds were not tried: {of.why_not()}."], {}
    why_none = of.why_not((N_SEEDS + N_HALVES + 0.63 * N_BOOTSTRAPS) * work)
    if len(of.values) < FEWEST_HALVED:
        why_none = TOO_FEW
    if of.are_joined:
        why_none = "they find clusters before these are joined"
    parts = (0, 0) if why_none else (N_HALVES, N_BOOTSTRAPS)
    too_long = of.until_too_long(N_SEEDS)
    stable = yield from stability_steps(of.values, of.trace, None, n_seeds, *parts, should_stop=too_long)
    counts, aris = stable.attrs[N_CLUSTERS], stable.attrs[ARI]
    if not counts[SEEDS]:
        return [f"Other seeds were not tried to their end: {of.why_not()}."], {}
    found, in_order = sorted(set(counts[SEEDS])), draws_nothing(config)
    said = ["This method draws nothing at random, so that other seeds would repeat the run."] if in_order else []
    how = "that visit the rows in other orders" if in_order else "with other seeds"
    said += [
        f"{counted(len(counts[SEEDS]), 'run')} {how} find {' or '.join(map(str, found))} "
        f"cluster{'s' * (found != [1])}, ARI with the answer as found {min(aris[SEEDS]):.3f} to {max(aris[SEEDS]):.3f}."
    ]
    for way, what in (
        (HALVES, "on random halves of the rows"),
        (BOOTSTRAPS, "on bootstrap samples, whose copies of rows are left out,"),
    ):
        if counts[way]:
            same = " A row counts there as it does in all." if config.coarsening is not None else ""
            said.append(f"{counted(len(counts[way]), 'run')} {what} find {_range(counts[way])}.{same}")
        elif not why_none:
            why_none = of.why_not()
    if why_none:
        said.append(f"Not all parts of the rows were clustered by themselves: {why_none}.")
    kept = [] if of.are_joined else [way for way in stable if stable[way].notna().any()]
    shares = {str(way): _shares(stable[way].to_numpy()) for way in kept}
    if in_order and SEEDS in shares:
        shares = {OTHER_ORDERS: shares.pop(SEEDS)} | shares
    return said, shares


def _shares(coefficients: FloatArray) -> list[str]:
    return ["–" if np.isnan(coefficient) else f"{coefficient:.2f}" for coefficient in coefficients]


def _range(numbers: list[int]) -> str:
    least, most = min(numbers), max(numbers)
    return counted(least, "cluster") if least == most else f"{least} to {most} clusters"


def models(of: Told) -> Steps[str]:
    """Compare families and partition priors by nll and held-out density."""
    title, values = "Other models", of.values
    if not of.trace.config.uses_model:
        return section(title, ["None were compared: this method has no prior on partitions."])
    if why := TOO_FEW if len(values) < FEWEST_HALVED else of.why_not(_work_of_models(of)):
        return section(title, [f"Not tried: {why}."])
    found: list[Model] = []
    work, are_all = 0.0, True
    yield "other models"
    units = units_of(of.dataset, values, of.shaping)
    for model in models_of(values, of.trace, _kinds(of)):
        found.append(units.result(model, model.config))
        work += of.sweeps_take(SWEEPS_OF_MODEL, model.config, model.clusters)
        if of.why_not(work):  # these have many more clusters than the answer
            are_all = False
            break
        yield f"other models, {len(found)} done"
    coarsened = of.trace.config.coarsening is not None
    nll = "" if coarsened else "−ln p(data, partition) in nats, the lower the better, and "
    words = [
        f"Families of clusters and partition priors on the same numbers, each by MAP-DP with a short search: {nll}the "
        f"mean log density of rows that were left out ({N_FOLDS} folds), the higher the better. "
        + _first_in_words(found)
    ]
    words += [copies] if (copies := copies_in_words(values, of.trace.config, N_FOLDS)) else []
    learned = may_be_learned(of.trace.config.family, of.trace.config.prior_dict)
    if any(np.isnan(model.held_out) and not (learned and model.family == of.trace.config.family) for model in found):
        words.append(
            "A dash stands where rows that were left out have no density under what the others say, as where a column "
            "varies in them alone."
        )
    if len(ways := {model.config.directions for model in found}) == 1 and (q := ways.pop()) is not None:
        words.append(f"All look for clusters along {counted(q, 'direction')} of the columns, as the run does.")
    words += _flattered(of.trace.config)
    if coarsened:
        words.append("All are coarsened as the run is: their −ln p is of no density, and says nothing here.")
    if not are_all:
        words.append(f"More were not tried: {of.why_not()}.")
    frame = with_titles(ranked(found), found)
    frame["nll"] = ["–" if np.isnan(nll) else f"{nll:,.1f}".replace("-", "−") for nll in frame["nll"]]
    frame["held_out"] = ["–" if np.isnan(own) else f"{own:.3f}".replace("-", "−") for own in frame["held_out"]]
    shown = frame.rename(columns={"prior": "partition prior", "held_out": "held-out density"}).set_index("family")
    return section(title, words, table(shown, row="model"))


def _flattered(config: RunConfig) -> list[str]:
    """Say which densities of rows left out these rows may have helped with: a run does not say what it was given."""
    names, powers = kept_from_all_rows(config)
    said = []
    if may_be_learned(config.family, config.prior_dict):
        said.append(
            f"The run’s own family has no density of rows left out here: its {in_words(names)} may be a shape that was "
            "learned from all rows, which knows them. (dpviz compare --prior shape --folds learns it without them.)"
        )
    elif names:
        said.append(
            f"The run’s own family keeps its {in_words(names)} where rows are left out: if they were found from all "
            "rows, its densities are too high beside the others."
        )
    if powers:
        said.append(
            "All keep the powers of columns that the run has: if these were found from all rows, the densities of rows "
            "left out are a little too high, for all alike."
        )
    return said


def _first_in_words(found: Sequence[Model]) -> str:
    nats, per_row = "a few nats", "a few hundredths of a nat per row"
    both = f"{nats}, or {per_row}, decide little."
    known = any(np.isfinite(model.nll) for model in found)
    if any(np.isfinite(model.held_out) for model in found):
        return f"The first is that of the highest; differences within {both if known else f'{per_row} decide little.'}"
    unknown = "No density of rows that were left out is known here, so that"
    if known:
        return f"{unknown} the first is that of the lowest −ln p; differences within {both}"
    return f"{unknown} none is known to be better than another: they are in the order in which they were tried."


def _work_of_models(of: Told) -> float:
    """Return what all of them take if they have as many clusters as the answer."""
    gaps, family = bool(np.isnan(of.values).any()), of.trace.config.family
    configs = [RunConfig("mapdp", family=name) for name in comparable_families(_kinds(of), gaps, family)]
    configs += configs * (other_way(of.values, of.trace.config) is not None)  # of a mixed family alone
    return (1 + len(PRIORS)) * sum(of.sweeps_take(SWEEPS_OF_MODEL, config) for config in configs)


def _kinds(of: Told) -> Strings:
    """Return the kinds of the numbers that were clustered."""
    same = of.values.shape == of.dataset.X.shape and np.array_equal(of.values, of.dataset.X, equal_nan=True)
    return of.dataset.kinds if same and of.dataset.kinds else ("continuous",) * of.values.shape[1]


class _Comparable(NamedTuple):
    """Numbers with distances (N, C), those with densities (N, C'), and what they are in words."""

    of_distances: FloatArray
    of_densities: FloatArray
    words: str = "On the same numbers."


def _comparable(of: Told) -> _Comparable | None:
    """Return what other methods take, as they do on Compare; None if cells are missing, or codes have no distances.

    A model takes columns of several kinds as they are. Methods of distances would follow the largest unit.
    """
    own, scaling = of.dataset, of.shaping.scaling
    if np.isnan(of.values).any():
        return None
    way = scaling_of_mixed(own) if of.shaping.is_none else "none"
    if way != "none":
        own = with_numbers(own, every=True)
        if way == "standardise":
            X = scale(own.X, way).X
            return _Comparable(X, X, "On these columns standardised, since they are of several kinds.")
        every, one_less = (one_hot(own, coding).X for coding in (ONE_HOT, DUMMY))
        words = f"On {coded_in_words(own, ONE_HOT)}; mixtures have one indicator less of each column."
        return _Comparable(every, one_less, words)
    if "categorical" in own.kinds and scaling not in CODINGS:
        return None
    if scaling == ONE_HOT and not np.isnan(own.X).any():  # filled cells are in the numbers only
        return _Comparable(of.values, one_hot(own, DUMMY).X, "On the same numbers; mixtures have one indicator less.")
    return _Comparable(of.values, of.values)


def others(of: Told) -> Steps[str]:
    """Compare with K-means and the usual methods of scikit-learn."""
    title, values, labels, k = "What other methods say", of.values, of.labels, of.k
    numbers = _comparable(of)
    if numbers is None:
        return section(title, ["Not tried: the other methods here need complete columns of numbers."])
    work = values.size * max(STEPS_OF_OTHERS, STEPS_PER_CLUSTER * k)
    if why := TOO_FEW if len(values) < 3 else of.why_not(work):
        return section(title, [f"Not tried: {why}."])
    yield "other methods"
    told = RunConfig("kmeans", n_clusters=k, n_init=N_STARTS)
    found = {f"K-means, told K = {k}, {N_STARTS} starts": run(numbers.of_distances, told).result_labels}
    fair = not of.why_not(values.size * STEPS_OF_OTHERS * N_STARTS)
    rest = list(references(numbers.of_densities, 0, N_STARTS if fair else 1, distances=numbers.of_distances))
    found |= {f"{own.name} ({own.settings})": own.labels for own in rest if isinstance(own, Reference)}
    rows = []
    for name, own in found.items():
        row: dict[str, object] = {
            "method": name,
            "clusters": len(np.unique(own[own >= 0])),
            "ARI with the answer": metrics.ari(labels, own),
        }
        if of.dataset.labels is not None:
            row["ARI with the reference"] = metrics.ari(of.dataset.labels, own)
        rows.append(row)
    words = [
        f"{numbers.words} A method that agrees does not make an answer right, but where all differ look closer.",
        *(own.in_words() for own in rest if isinstance(own, Unfitted)),
    ]
    return section(title, words, table(pd.DataFrame(rows).set_index("method"), row="method"))
