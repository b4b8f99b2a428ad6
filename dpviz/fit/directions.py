"""In how many directions the groups of a table are: parallel analysis, and what it overlooks.

Horn's parallel analysis keeps the leading eigenvalues of the correlation matrix that exceed what columns permuted by
themselves have. It finds correlation, not groups: groups along a direction of small variance, or in one column that
depends on no other, are in none of these directions. So they are taken only where clusters of the columns look like
parts of groups, or are one, and only where clusters are found in them; and what they leave out is looked at: the other
directions by themselves, and every column.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.config_values import is_open
from dpviz.engine.improve import canonical_labels
from dpviz.engine.modes import may_be_one
from dpviz.engine.rescore import partition_nll
from dpviz.engine.without_itself import seen_without_itself, sides
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.families.directions import NEGLIGIBLE, Directions
from dpviz.fit.model import model_steps
from dpviz.fit.width import Steps, Table, WidthChoice, at_width, short_run, trial_steps
from dpviz.partition import ChineseRestaurant

FEWEST_COLUMNS = 8
"""Tables of fewer columns are clustered in all of them."""
PERMUTATIONS, QUANTILE = 40, 0.95
LEAST_GAIN = 0.05
"""Nats per point that clusters must gain over one; less is a division of one group that is not quite normal."""
_SEED = 1965
"""Of the permutations alone, so that the same data have the same directions whatever the run's seed."""
SPLIT = 0.22
"""A column falls into two groups if this share of its variance, or less, remains within the best two parts of it.

It is 1 − 2/π = .36 for a normal column, .25 for a uniform one, and .2 for two equal groups four deviations apart."""
SMALLEST_PART = 0.05
"""Share of the rows that each of these parts must have."""

TOLD = 0.9
"""Share of the rows on the side of most of their cluster from which clusters tell the two groups apart."""
MOST_NAMED = 5
ALONG_ALL = (
    "{0:,} rows are too few for full covariances of {1} columns: clusters are independent along all {1} principal "
    "directions, {2:,.0f} nats lower in short runs than independent columns."
)


def parallel_analysis(X: FloatArray) -> int:
    """Return how many leading directions of standardised columns vary more than chance makes them (Horn 1965).

    Parameters
    ----------
    X : ndarray (N, D)

    Returns
    -------
    int
        Eigenvalues of the correlation matrix, from the largest, above the 95 % quantile of the same rank's over 40
        permutations of every column; 0 for independent columns.

    Raises
    ------
    InvalidDataError
        If cells are missing.
    """
    found = Directions.of(X, 0)
    Z, rng = (X - found.centre) / found.spread, np.random.default_rng(_SEED)
    by_chance = np.empty((PERMUTATIONS, X.shape[1]))
    for row in by_chance:
        permuted = rng.permuted(Z, axis=0)
        row[:] = np.linalg.eigvalsh(permuted.T @ permuted / len(Z))[::-1]
    own = found.deviations**2
    above = own > np.quantile(by_chance, QUANTILE, axis=0)[: len(own)] + NEGLIGIBLE
    return int(len(own) if above.all() else np.argmin(above))


def split_columns(X: FloatArray, labels: IntArray) -> list[int]:
    """Return the columns of X (N, D) that fall into two groups by themselves which clusters (N,) do not tell apart.

    See :data:`SPLIT` and :data:`TOLD`.
    """
    n_points, least = len(X), max(int(np.ceil(SMALLEST_PART * len(X))), 2)
    if n_points < 2 * least:
        return []
    sizes, found = np.arange(least, n_points - least + 1), []
    for d, column in enumerate(X.T):
        ordered = np.sort(column) - column.mean()
        below = np.cumsum(ordered)[sizes - 1]  # the column is centred, so the sum of what is above is minus this
        between = below**2 / sizes + below**2 / (n_points - sizes)
        total, place = float(np.sum(ordered**2)), int(np.argmax(between))
        if total > 0 and total - between[place] <= SPLIT * total:
            above = column > np.sort(column)[sizes[place] - 1]
            counts = [np.bincount(labels[side], minlength=labels.max() + 1) for side in (above, ~above)]
            if np.maximum(*counts).sum() < TOLD * n_points:
                found.append(d)
    return found


def propose(data: Table, so_far: WidthChoice) -> Steps:
    """Choose in how many directions clusters are looked for, if in some only, and the model that was found there."""
    config = so_far.config
    config = replace(config, prior=AUTOMATIC) if is_open(config.prior) else config  # a shape is learned later
    X = data.under(config).X
    part = data.for_all(config)
    plain = yield from _in_all(part, config)
    wanted, why = _kept(X)
    if not why and _are_separate(part.under(config).X, plain):
        why = "no two of the clusters of the columns look like parts of one group"
    if not why:
        leading = yield from model_steps(data, replace(config, directions=wanted))
        turned = Directions.of(X, wanted)
        found = yield from _clusters(turned.leading(X), leading)
        if found.gain >= LEAST_GAIN:
            alone = replace(config, transform=None, directions=None, family=AUTOMATIC, prior=AUTOMATIC)
            others = Table(turned.others(X) * turned.deviations[wanted:])
            by_themselves = yield from _clusters(others.X, (yield from model_steps(others, alone)))
            return leading.saying(*_overlooked(turned, by_themselves), *_not_told(X, found.labels, data.names))
        number = len(np.unique(found.labels))
        what = "one cluster" if number == 1 else f"{number} clusters, worth only {found.gain:.2f} nats a point"
        first = "first direction" if wanted == 1 else f"first {wanted} directions"
        why = f"along the {first}, which parallel analysis keeps, there is {what}"
    if config.directions == ANY:  # nobody asked for directions
        return plain
    untold = () if plain.found is None else _not_told(X, plain.found.labels, data.names)
    return plain.saying(f"Clusters are looked for in all directions: {why}.", *untold)


def _kept(X: FloatArray) -> tuple[int, str]:
    """Return how many directions parallel analysis keeps, and why clusters are to be looked for in all if so."""
    why = _why_all(X)
    wanted = 0 if why else parallel_analysis(X)
    if not why and wanted == 0:
        why = "parallel analysis keeps none of them"
    elif not why and wanted == Directions.of(X, 0).n_directions:
        why = "parallel analysis keeps all of them"
    return wanted, why


def _are_separate(X: FloatArray, choice: WidthChoice) -> bool:
    """Whether a choice found several clusters in data (N, D), of which no two may be parts of one group."""
    found = choice.found
    if found is None or found.n_clusters == 1 or choice.config.directions is not None:
        return False
    problem = short_run(X, choice.config)
    if len(found.labels) != len(problem.X):
        return False
    seen = seen_without_itself(problem, ChineseRestaurant(1.0), canonical_labels(found.labels))
    pairs = combinations(range(found.n_clusters), 2)
    return not any(may_be_one(*sides(seen, a, b)) for a, b in pairs)


def are_open(X: FloatArray) -> bool:
    """Whether directions may do better than the columns of X (N, D): enough of them, and no missing cell."""
    return not _why_all(X)


def is_wide(X: FloatArray) -> bool:
    """Whether rows of X (N, D) are too few for full covariances, and complete, so that directions may do better."""
    return len(X) < X.shape[1] * (X.shape[1] + 1) / 2 and not _why_all(X)


def _in_all(part: Table, config: RunConfig) -> Steps:
    """Choose for the columns or, where rows are too few for full covariances, perhaps for as many directions.

    A diagonal covariance needs many clusters for one group of correlated columns, and one along their principal
    directions. The lower nll decides, as both are densities of the same numbers, but the directions, D(D − 1)/2 angles,
    are fitted to these without a prior: each has to gain ½ ln N (Schwarz 1978). Else they would always win, and groups
    be lost that only the columns show.
    """
    X = part.under(config).X
    n_points, n_features = X.shape
    columns = yield from model_steps(part, replace(config, directions=None))
    if not is_wide(X) or columns.found is None or (turned := Directions.of(X, 0)).n_directions < n_features:
        return columns
    along = yield from model_steps(part, replace(config, directions=n_features))
    assert along.found is not None
    gain = columns.found.nll - along.found.nll + n_points * turned.log_jacobian
    if not gain > n_features * (n_features - 1) / 4 * np.log(n_points):
        return columns
    return along.saying(ALONG_ALL.format(n_points, n_features, gain))


def _why_all(X: FloatArray) -> str:
    """Say why no directions are looked for; empty if they are."""
    if np.isnan(X).any():
        return "cells are missing, and directions combine all columns of a row"
    return f"of fewer than {FEWEST_COLUMNS} columns none is left out" if X.shape[1] < FEWEST_COLUMNS else ""


class _Found(NamedTuple):
    """Clusters of a short run, of a sample of many points, and what they gain over one cluster (nats per point)."""

    labels: IntArray
    gain: float


def _clusters(Y: FloatArray, choice: WidthChoice) -> Generator[None, None, _Found]:
    """Return the clusters that a choice found on Y (N, C), by a short run if it needed none.

    One cluster has the width that suits it best.
    """
    problem = short_run(Y, choice.config)
    found = choice.found or (yield from trial_steps(problem, 1.0))
    others = [problem.under(at_width(problem.config, trial.width)) for trial in choice.trials] or [problem]
    alone = min(float(partition_nll(other, [np.zeros(len(problem.X))])[0]) for other in others)
    return _Found(found.labels, (alone - found.nll) / len(problem.X))


def _overlooked(turned: Directions, others: _Found) -> list[str]:
    """Say in which directions clusters are, and what the others by themselves hold."""
    n_leading, n_others = turned.n_leading, turned.n_others
    notes = [
        f"Clusters are in the first {n_leading} of {n_leading + n_others} directions, which parallel analysis keeps."
    ]
    if others.gain >= LEAST_GAIN:
        those = "direction is" if n_others == 1 else f"{n_others} directions are"
        number = len(np.unique(others.labels))
        notes.append(f"The other {those} not one Gaussian: {number} clusters by themselves. Compare directions=None.")
    return notes


def _not_told(X: FloatArray, labels: IntArray, names: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of X (N, D) that fall into groups of their own; nothing if clusters are of a sample."""
    split = split_columns(X, labels) if len(labels) == len(X) and not np.isnan(X).any() else []
    if not split:
        return ()
    said = ", ".join(f"“{names[d]}”" if len(names) > d else str(d) for d in split[:MOST_NAMED])
    more = f" and {len(split) - MOST_NAMED} more" if len(split) > MOST_NAMED else ""
    fall = "Columns {} fall" if len(split) > 1 else "Column {} falls"
    return (f"{fall.format(said + more)} into two groups that these clusters do not tell apart.",)
