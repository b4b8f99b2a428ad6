"""A second opinion on the number of groups: what draws of the partition say, where one partition cannot.

The nll of a partition is that of a classification: of two equal normal groups less than about three standard
deviations apart it prefers one cluster, the surer the more rows there are. The posterior law of the partition does not
suffer from that. So two chains of the same model are asked, one from the answer and one from one cluster: a single one
that begins at the answer may stay there and confirm it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpviz.analysis.comparison import contingency, n_disagreeing
from dpviz.analysis.effort import operations_done
from dpviz.analysis.posterior import pairs_in_one_cluster, summary_partition
from dpviz.analysis.sampling import Chains
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets.dataset import grouped
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import check_data, check_should_stop
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, InvalidParameterError, require
from dpviz.fit.steps import drained
from dpviz.partition.base import whole_number
from dpviz.text import counted, in_words, percent

NOT_TRIED = "Second opinion on the number of groups: not asked."
"""What is said where a number of clusters is named and no draws were asked."""
BOUND, OTHER_BOUND = 0.05, 0.10
"""Shares of the rows that a cluster must hold to be a group: the law is told at the first, and checked at the other."""
BOUNDS = (0.01, 0.02, 0.03, BOUND, 0.07, OTHER_BOUND, 0.15, 0.20)
FEWEST_ROWS = 3
"""Rows that a group has at least, however few there are."""
SURE = 0.8
"""Share of the draws of each chain from which a number of groups is told."""
APART = 0.2
"""Difference of the chains' shares from which nothing is settled."""
FEWEST_SWEEPS, MOST_SWEEPS = 200, 600
"""Of each chain; the first half is left out."""
LEAST_WORK = 3e8
"""Operations of both chains, however little the search did: about half a second. Shorter chains differ by chance."""
MOVES = 5
"""Splits and merges that are proposed after each sweep."""


@dataclass(frozen=True, eq=False)
class SecondOpinion:
    """What two chains say of the number of groups.

    Attributes
    ----------
    groups : dict of int to float
        Probability of each number of groups, clusters of at least max(5 % of the rows, 3 rows); of both chains alike.
    settled : bool
        Whether the chains agree about that: no number has shares of their draws that differ by more than .2.
    number : int or None
        The groups to speak of instead of the answer's: another number than it has, which at least .8 of the draws of
        each chain have, where groups hold 5 % of the rows and where they hold 10 %.
    of_answer : int
        Groups of the answer, counted alike.
    by_bound : pandas.DataFrame
        Probability of each number of groups (columns) by the share of the rows that a group must hold (index).
    together : ndarray (K,)
        Of each cluster of the answer, in the order of labels, the probability that two of its rows are in one cluster;
        NaN of a single row.
    summary : ndarray of int (N,)
        The partition of least expected variation of information under the draws.
    n_differing : int
        Rows that the summary has in other clusters than the answer, each of whose clusters is compared with one.
    n_sweeps : int
        Of each chain.
    text : str
        The same in a few sentences.
    """

    groups: dict[int, float]
    settled: bool
    number: int | None
    of_answer: int
    by_bound: pd.DataFrame
    together: FloatArray
    summary: IntArray
    n_differing: int
    n_sweeps: int
    text: str


def second_opinion(
    X: Any, trace: Trace, n_sweeps: int | None = None, should_stop: Callable[[], bool] | None = None
) -> SecondOpinion | None:
    """Ask two chains of a run's model how many groups there are.

    Parameters
    ----------
    X : array_like (N, D)
        What the run clustered.
    trace : Trace
        Of mapdp or gibbs; its family, hyperparameters, N0 and width are kept as they are, and so is a law under which
        it learns N0 or others. Chains have temperature 1.
    n_sweeps : int, optional
        Of each chain, ≥ 2; by default as many as cost no more than the run's own search, or half a second if that is
        longer, between 200 and 600.
    should_stop : callable, optional
        Called every now and then; once it returns True there is no opinion.

    Returns
    -------
    SecondOpinion or None
        None if it was stopped.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If the run's algorithm has no law of partitions, or the data are not its own.
    """
    check_should_stop(should_stop)
    return drained(opinion_steps(X, trace, n_sweeps), should_stop or (lambda: False))


def opinion_steps(X: Any, trace: Trace, n_sweeps: int | None = None) -> Generator[int, None, SecondOpinion]:
    """Do as :func:`second_opinion`, yielding the sweeps done since the last yield."""
    check_trace(trace)
    why = why_none(trace.config)
    if why:
        raise InvalidParameterError(why)
    data = check_data(X, gaps=True)
    answer = grouped(trace.result_labels)[1]
    if len(answer) != len(data):
        raise InvalidDataError(f"X has {len(data):,} rows, and the run {len(answer):,}: give the data that it is of.")
    length = usual_length(trace, data.shape[1]) if n_sweeps is None else whole_number("n_sweeps", n_sweeps)
    require(length >= 2, "n_sweeps", length, "a whole number ≥ 2", "The first half of them is left out.")
    chains = Chains(data, _both(trace, answer, length))
    yield from chains.advance()
    draws = [chain.draws for chain in chains.traces()]
    return _opinion(answer, draws, length)


def why_none(config: RunConfig) -> str:
    """Return why there is no second opinion on runs of a configuration, as a sentence; empty if there is one."""
    if config.uses_model:
        return ""
    have = in_words([algorithm.title for algorithm in ALGORITHMS.values() if algorithm.uses_model])
    title = ALGORITHMS[config.algorithm].title
    return f"{title} has no law of partitions, whose draws could be a second opinion; {have} have one."


def least_gap() -> float:
    """Return from which gap on the most probable partition cuts two equal normal groups, in standard deviations.

    A cut halfway costs each point ln 2 for its seat. It makes the variance that a point's cluster has along the gap
    smaller, from 1 + g²/4 of all points to that less (E|x|)², and saves half the logarithm of the ratio: more than ln 2
    once (E|x|)² > ¾ (1 + g²/4), where E|x| = (g/2)(2Φ(g/2) − 1) + 2φ(g/2) is how far the halves' means are from the
    middle. That is so for each point, so that more points do not bring the groups apart.
    """
    from scipy.optimize import brentq  # deferred: both take long to import
    from scipy.stats import norm

    def saved(gap: float) -> float:
        half = gap / 2
        from_middle = half * (2 * norm.cdf(half) - 1) + 2 * norm.pdf(half)
        return float(from_middle**2 - 0.75 * (1 + half**2))

    return float(brentq(saved, 1.0, 10.0))


def usual_length(trace: Trace, n_features: int) -> int:
    """Return how many sweeps each chain may take for the work of the run's search, or the least, within the bounds."""
    config, n_clusters = chain_of(trace.config, 2), int(trace.n_clusters[trace.result_sweep])
    sweep = ALGORITHMS["gibbs"].sweep_operations(config, trace.n_points, n_features, n_clusters + 1)
    work = max(operations_done(trace, n_features), LEAST_WORK)
    return int(np.clip(work / (2 * sweep), FEWEST_SWEEPS, MOST_SWEEPS))


def chain_of(config: RunConfig, n_sweeps: int) -> RunConfig:
    """Return a chain of ``n_sweeps`` of the same model, of which the first half is left out."""
    return RunConfig(
        "gibbs",
        family=config.family,
        prior=config.prior,
        partition=config.partition,
        kinds=config.kinds,
        missing=config.missing,
        directions=config.directions,
        transform=config.transform,
        coarsening=config.coarsening,
        seed=config.seed,
        init="single",
        n_init=1,
        n_sweeps=n_sweeps,
        burn_in=n_sweeps // 2,
        split_merge=MOVES,
        hyperpriors=config.hyperpriors,
    )


def _both(trace: Trace, answer: IntArray, n_sweeps: int) -> tuple[RunConfig, RunConfig]:
    """Return the chain from one cluster and that from the answer."""
    alone = chain_of(trace.config, n_sweeps)
    return alone, replace(alone, init=answer, seed=(alone.seed + 1) % 2**32)


def n_groups(labels: NDArray[np.integer[Any]], bound: float) -> int:
    """Return how many clusters of labels (N,) hold at least a share of the rows, and 3 rows."""
    return int(np.sum(np.bincount(labels) >= max(bound * len(labels), FEWEST_ROWS)))


def _laws(draws: Sequence[NDArray[np.integer[Any]]], bound: float) -> pd.DataFrame:
    """Return the share of each chain's draws (S, N) that have each number of groups (index), a column a chain."""
    shares = [pd.Series([n_groups(draw, bound) for draw in own]).value_counts(normalize=True) for own in draws]
    return pd.concat(shares, axis=1).fillna(0.0).sort_index()


def _agree(laws: pd.DataFrame) -> bool:
    """Whether no number of groups has shares of the chains' draws that are too far apart."""
    return float((laws.max(axis=1) - laws.min(axis=1)).max()) <= APART + 1e-9  # shares are ratios of whole numbers


def groups_in_words(draws: Sequence[NDArray[np.integer[Any]]]) -> str:
    """Say how many groups the draws (S, N) of several chains have, or that the chains differ."""
    laws = _laws(draws, BOUND)
    what = f"groups, clusters of at least {percent(BOUND)} of the rows"
    if not _agree(laws):
        return f"Not settled: the chains differ in how many {what}, there are."
    law = {int(number): float(share) for number, share in zip(laws.index, laws.mean(axis=1), strict=True)}
    return f"Of the draws, {_likely_in_words(law)} ({what})."


def _opinion(answer: IntArray, draws: Sequence[NDArray[np.integer[Any]]], n_sweeps: int) -> SecondOpinion:
    """Compare the draws (S, N) of both chains with the answer (N,)."""
    each = {bound: _laws(draws, bound) for bound in BOUNDS}
    by_bound = pd.DataFrame({bound: laws.mean(axis=1) for bound, laws in each.items()}).fillna(0.0).sort_index().T
    by_bound.index.name, by_bound.columns.name = "share of the rows", "groups"
    sure = _sure(each[BOUND]) & _sure(each[OTHER_BOUND])
    of_answer = n_groups(answer, BOUND)
    number = next(iter(sure - {of_answer}), None)
    pooled = np.concatenate(draws)
    summary = summary_partition(pooled).partition.astype(np.int64)
    differing = n_disagreeing(contingency(answer, summary))
    settled = _agree(each[BOUND])
    groups = {int(k): float(share) for k, share in zip(by_bound.columns, by_bound.loc[BOUND], strict=True) if share}
    together = _together(answer, pooled)
    text = _in_words(groups, settled, number, of_answer, together, differing, n_sweeps)
    return SecondOpinion(groups, settled, number, of_answer, by_bound, together, summary, differing, n_sweeps, text)


def _sure(laws: pd.DataFrame) -> set[int]:
    """Return the numbers of groups that are as good as sure in each chain: one, or none."""
    return {int(number) for number in laws.index[(laws >= SURE).all(axis=1)]}


def _together(answer: IntArray, draws: NDArray[np.integer[Any]]) -> FloatArray:
    """Return for each cluster of the answer (N,) how probable it is that two of its rows are in one cluster."""
    sizes, first = np.bincount(answer), np.unique(answer, return_index=True)[1]
    by_first = pairs_in_one_cluster(draws, answer).diagonal()  # in the order of their first rows
    pairs = by_first[np.argsort(np.argsort(first))] - sizes
    return np.divide(pairs, sizes * (sizes - 1), out=np.full(len(sizes), np.nan), where=sizes > 1)


def _in_words(
    groups: Mapping[int, float],
    settled: bool,
    number: int | None,
    of_answer: int,
    together: FloatArray,
    n_differing: int,
    n_sweeps: int,
) -> str:
    """Say what was found, the number first if there is one to speak of."""
    asked = f"two chains of {n_sweeps} sweeps, one from this answer and one from one cluster"
    if not settled:
        return (
            f"Not settled: {asked}, differ in how many groups of at least {percent(BOUND)} of the rows there are, so "
            "that no number is told."
        )
    law = _likely_in_words(groups)
    own = f"This answer has {of_answer}, as {percent(groups.get(of_answer, 0.0))} of the draws do."
    said = [f"Of the draws of {asked}, {law} (clusters of at least {percent(BOUND)} of the rows). {own}"]
    if number is not None:
        said = [f"Rather {counted(number, 'group')} than the {of_answer} of this answer.", *said]
    elif max(groups, key=lambda k: groups[k]) != of_answer:
        said.append("No other number is sure enough, whatever share of the rows a group must hold, to replace it.")
    parted = int(np.sum(together < SURE))
    if parted:
        those = f"{counted(parted, 'cluster')} of this answer {'stays' if parted == 1 else 'stay'} together less"
        said.append(f"{those}: in under {percent(SURE)} of the draws are two of its rows in one cluster.")
    if n_differing:
        said.append(f"The partition that is nearest to all draws has {counted(n_differing, 'row')} in other clusters.")
    return " ".join(said)


def _likely_in_words(groups: Mapping[int, float]) -> str:
    """Tell numbers of groups and their probabilities, the most probable first, until 95 % are told."""
    ordered, told = sorted(groups.items(), key=lambda item: (-item[1], item[0])), 0.0
    shown = []
    for number, share in ordered:
        if told >= 0.95:
            break
        shown.append(f"{counted(number, 'group')} in {percent(share)}")
        told += share
    return ", ".join(shown)
