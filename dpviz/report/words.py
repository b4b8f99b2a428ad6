"""The model and the method in words, with the papers that they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dpviz
from dpviz.analysis.merging import ENTROPY, MODES, NLL, OVERLAP
from dpviz.config import RunConfig
from dpviz.config_values import is_open
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.engine.trace import Trace
from dpviz.families import family_class
from dpviz.families.automatic import REAL
from dpviz.families.base import WIDTH
from dpviz.families.powers import powers_in_words
from dpviz.fit.words import words_for
from dpviz.papers import PAPERS
from dpviz.text import counted

MOST_NUMBERS = 12
"""Numbers of a hyperparameter that are written out; of a larger one its size is."""
MERGED_BY = {
    NLL: "those whose union costs least first",
    MODES: "those that look most like one group first",
    OVERLAP: "those that overlap most first",
    ENTROPY: "those whose union takes most off the entropy of memberships first",
}
"""Which clusters were joined, by the order of a tree of merges."""


def nats(value: float, digits: int = 2) -> str:
    """Write a number of nats, with a minus sign where it is one."""
    return f"{value:,.{digits}f} nats".replace("-", "−")


def model_in_words(trace: Trace, names: Sequence[str] = (), undecided: Sequence[str] | None = None) -> list[str]:
    """Return sentences on what was assumed of clusters, and how many of them.

    Parameters
    ----------
    trace : Trace
    names : sequence of str
        Of the columns that were clustered, if they are known.
    undecided : sequence of str, optional
        Settings of the model that were left to the data, if that is known.

    Returns
    -------
    list of str
    """
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    if not algorithm.uses_model:
        title = f"{method_of(config).title} ({algorithm.describe(config)})"
        lacks = "" if algorithm.has_density else " has no model of a cluster"
        return [f"{title}{lacks}. {algorithm.explanation}"]
    return [
        *_powers_in_words(config, names),
        *_directions_in_words(config, len(names)),
        *_coarsening_in_words(trace),
        f"A cluster is: {words_for(config, names)}. {_hyperparameters_in_words(config, undecided)}",
        f"The number of clusters is not given. Partition prior: {_partition_in_words(config)}.",
        *_learned_in_words(trace),
    ]


def _powers_in_words(config: RunConfig, names: Sequence[str]) -> list[str]:
    """Say which columns were transformed, if any."""
    if config.transform is None:
        return []
    said = powers_in_words(config.transform, names)
    counted_so = "" if names else " (counted from 0)"
    before = "Costs and densities are those of the columns before they were."
    return [f"Columns were transformed{counted_so}: {said}. {before}"]


def _directions_in_words(config: RunConfig, n_columns: int) -> list[str]:
    """Say in which directions of so many columns clusters differ, if not in the columns."""
    if config.directions is None:
        return []
    along = counted(int(config.directions), "principal direction")
    if config.directions == n_columns:
        how = "are independent" if config.family == "normal_gamma" else "differ"
        return [f"Clusters {how} along all {along} of the standardised columns."]
    return [
        f"Clusters differ along the first {along} of the standardised columns; along the others all rows are one "
        "Gaussian."
    ]


def _coarsening_in_words(trace: Trace) -> list[str]:
    """Say how literally the model was taken, if not to the letter."""
    alpha = trace.config.coarsening
    if alpha is None:
        return []
    weight = alpha / (alpha + trace.n_points)
    return [
        f"The likelihood of each row is taken to the power α/(α + N) = {weight:.4g}, α = {alpha:.4g}: a row counts "
        f"that much of one in the fit of clusters, all {trace.n_points:,} together {trace.n_points * weight:.4g}, and "
        "as a whole one in the partition prior. Groups are joined unless so much of their gain in fit outweighs what "
        "that prior asks for them: a small α joins clear groups too. The nll holds this power; it is no density of the "
        "data, and not comparable with that of another α, family or hyperparameter of clusters."
    ]


def _partition_in_words(config: RunConfig) -> str:
    """Name the partition prior with its values, and those that were learned with their laws."""
    return f"{config.partition.title}, {ALGORITHMS[config.algorithm].describe(config)}"


def _hyperparameters_in_words(config: RunConfig, undecided: Sequence[str] | None) -> str:
    """Say which hyperparameters of the family were set for the run and how, whatever their shape."""
    pairs = () if is_open(config.prior) else config.prior or ()
    given = {name: value for name, value in pairs if name != "columns"}  # the kinds of columns are in the title
    if not given:
        return "Its hyperparameters follow from the data."
    set_by = {WIDTH.name: f" ({_set_by(undecided)})"}
    listed = ", ".join(f"{name} = {_written(value)}{set_by.get(name, '')}" for name, value in given.items())
    known = {parameter.name for parameter in family_class(config.family).hyperparameters} - {"columns"}
    if known <= set(given) and config.family in REAL and (undecided is None or "prior" in undecided):  # as a shape has
        learned = "learned from clusters of these rows"
        return (
            f"By the user, or {learned}, are {listed}."
            if undecided is None
            else f"{learned.capitalize()} are {listed}."
        )
    rest = "" if known <= set(given) else "; other hyperparameters follow from the data"
    return f"Given are {listed}{rest}."


def _set_by(undecided: Sequence[str] | None) -> str:
    """Say what set the width; a stored run need not tell."""
    by_nll = "by the lowest nll of short runs"
    if undecided is None:
        return f"by the user, or {by_nll}"
    return by_nll if "prior" in undecided else "as asked for"


def _written(value: Any) -> str:
    """Write a number, or nested tuples of a few numbers; of more their size."""
    array = np.asarray(value)
    if array.size > MOST_NUMBERS:
        return f"an array of {' × '.join(map(str, array.shape))} numbers"
    if array.ndim:
        return f"({', '.join(_written(part) for part in value)})"
    return f"{float(value):.4g}".replace("-", "−")


def _learned_in_words(trace: Trace) -> list[str]:
    """Say where learned hyperparameters began, and what they are at the result."""
    at_result = {name: series[trace.result_sweep] for name, series in trace.hyperparameters.items()}
    laws = dict(trace.config.hyperpriors or ())
    return [
        f"{name.capitalize()} was learned in the run, under the law {laws[name]}: it began at "
        f"{getattr(trace.config.partition, name):.4g} and is {value:.4g} at the result."
        for name, value in at_result.items()
        if name in laws
    ]


def gaps_in_words(trace: Trace, n_rows: int) -> str:
    """Say what a run did with the missing cells of so many rows."""
    if not n_rows:
        return ""
    done = "the run left these cells out" if trace.imputed is None else "the run filled these cells in, again and again"
    return f"{counted(n_rows, 'row')} {'has' if n_rows == 1 else 'have'} missing cells; {done}."


def search_in_words(trace: Trace) -> str:
    """Say how the result was found, and whether the method ended by itself."""
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    if algorithm.is_chain:
        return _chain_in_words(trace)
    ended = "it converged" if algorithm.has_density and not algorithm.uses_model else "no single point would move"
    if not trace.converged:
        ended = "not converged"
    starts = f"the best of {len(trace.starts)} starts" if len(trace.starts) > 1 else "one start"
    more = f", and a search worth {counted(trace.n_trial_sweeps, 'sweep')}" if trace.n_trial_sweeps else ""
    return f"{method_of(config).title}: {starts}{more}; {ended}."


def _chain_in_words(trace: Trace) -> str:
    burn_in, n_sweeps = trace.config.burn_in, trace.n_sweeps
    begun = f"A chain of {counted(n_sweeps, 'sweep')}"
    if n_sweeps < trace.config.n_sweeps:
        begun += f", stopped before the {trace.config.n_sweeps:,} that were asked for"
    if trace.result_sweep <= burn_in:  # nothing was kept
        return (
            f"{begun}: all are among the first {burn_in:,} that are to be left out, so no draw was kept; what is shown "
            f"is the state after sweep {trace.result_sweep:,}, whatever its nll."
        )
    return (
        f"{begun}, of which the first {burn_in:,} are left out; the result is its kept draw of lowest nll, sweep "
        f"{trace.result_sweep:,}."
    )


def methods_paragraph(
    trace: Trace,
    n_points: int,
    n_features: int,
    prepared: str = "",
    joined: str = "",
    names: Sequence[str] = (),
    undecided: Sequence[str] | None = None,
) -> str:
    """Write the paragraph for a paper's section on methods.

    Parameters
    ----------
    trace : Trace
    n_points, n_features : int
        Of the table.
    prepared : str
        How its columns became what was clustered.
    joined : str
        A sentence on the clusters that were joined afterwards.
    names : sequence of str
        Of the columns that were clustered, if they are known.
    undecided : sequence of str, optional
        As for :func:`model_in_words`.
    """
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    title = method_of(config).title
    how = f" ({prepared})" if prepared else ""
    what = f"{n_points:,} rows and {counted(n_features, 'column')}{how} were clustered by {title}"
    if not algorithm.uses_model:
        return f"{what} ({algorithm.describe(config)}, seed {config.seed}) with dpviz {dpviz.__version__}."
    powered = "" if config.coarsening is None else ", to that power,"
    sentences = [
        f"{what} with the component family “{words_for(config, names)}” and the partition prior "
        f"{config.partition.title} ({algorithm.describe(config)}), seed {config.seed}, with dpviz {dpviz.__version__}.",
        *_powers_in_words(config, names),
        *_directions_in_words(config, n_features),
        *_coarsening_in_words(trace),
        _hyperparameters_in_words(config, undecided),
        *_learned_in_words(trace),
        search_in_words(trace),
        f"The partition has {counted(int(trace.n_clusters[trace.result_sweep]), 'cluster')} and a negative log "
        f"likelihood{powered} of {nats(trace.nll[trace.result_sweep])}.",
        joined,
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def citations(trace: Trace) -> list[str]:
    """Return the papers of the method and of its prior, and dpviz itself."""
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    names = [config.algorithm, *([config.partition.name] if algorithm.uses_model else [])]
    names += [] if config.coarsening is None or not algorithm.uses_model else ["coarsening"]
    return [*(PAPERS[name] for name in names if name in PAPERS), f"dpviz {dpviz.__version__} (software)."]
