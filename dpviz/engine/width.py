"""How wide is one cluster? The share of the data's spread under which the partition found is most probable.

The usual prior expects a cluster as wide as all the data (FORMULAS §5), which hides many narrow clusters. MAP-DP is run
at widths 1, ½, ¼, … and the one of lowest nll is taken: empirical Bayes by the exact joint probability.

A continuous density has no bound. Where whole clusters hold a single value of a column (two values, a spike at zero,
heavy rounding), or columns depend on each other exactly, nll falls without end as the width goes to 0, whatever the
clusters are worth. For one partition that is seen in the limit: there nll is linear in the logarithm of the width, and
its slope has the sign of (directions without any spread × points) against (prior shapes × clusters). Widths whose
partition runs off in this sense are not chosen; the usual one, 1, always may be. A column of which nearly all of a
cluster is one value counts as if all were: the rest would only delay the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import Problem, check_data
from dpviz.engine.rescore import partition_nll
from dpviz.engine.search import run
from dpviz.errors import require
from dpviz.families import family_class
from dpviz.families.base import WIDTH, Family

WIDTHS = tuple(2.0**-power for power in range(10))
"""The widths that are tried."""
LIMIT = (2.0**-20, 2.0**-22)
"""Widths between which a partition that runs off still gains; narrower ones would drown in rounding."""
STARTS, EFFORT = 3, 0.1
"""Of the search at one width; partitions of neighbouring widths are weighed besides."""
MOST_POINTS = 5000
"""A sample of so many points decides for more."""
NEARLY_ALL = 0.8
"""Share of a cluster's points on one value of a column from which the column has no spread there."""
FEW_VALUES = 10
SPIKE = 10.0
"""Times more points than a column's typical value has."""


@dataclass(frozen=True, eq=False)
class WidthTrial:
    """What was found at one width.

    Attributes
    ----------
    width : float
    nll : float
        Lowest found (nats); of the sample where there is one.
    labels : ndarray of int (N,)
    runs_off : bool
        Whether the partition gains without end from ever narrower clusters.
    """

    width: float
    nll: float
    labels: IntArray
    runs_off: bool = False

    @property
    def n_clusters(self) -> int:
        """Clusters of the partition."""
        return len(np.unique(self.labels))


@dataclass(frozen=True, eq=False)
class WidthChoice:
    """A configuration with the width that was chosen.

    Attributes
    ----------
    config : RunConfig
        The one that was given, with ``prior={"width": s}`` besides what its prior held.
    trials : tuple of WidthTrial
        All widths, the widest first; none where the configuration has no width.
    notes : tuple of str
        Sentences on columns that keep narrower widths from being chosen.
    """

    config: RunConfig
    trials: tuple[WidthTrial, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def width(self) -> float | None:
        """The chosen one; None where the configuration has none."""
        return (self.config.prior_dict or {}).get(WIDTH.name) if self.trials else None


def has_width(config: RunConfig) -> bool:
    """Whether a width would change anything: the family has one, and its prior is not given in full."""
    if not ALGORITHMS[config.algorithm].uses_model:
        return False
    return bool(set(family_class(config.family).scaled_by_width) - set(config.prior_dict or {}))


def choose_width(X: Any, config: RunConfig, names: Sequence[str] = ()) -> WidthChoice:
    """Choose the width of lowest nll, by short runs of MAP-DP.

    Parameters
    ----------
    X : array_like (N, D)
        More than 5,000 points are sampled with the configuration's seed. Of data whose missing cells are filled in the
        complete rows decide.
    config : RunConfig
        Of an algorithm with a model; gibbs takes the width that MAP-DP finds. Hyperparameters it gives stay.
    names : sequence of str, optional
        Names of the columns, for the notes.

    Returns
    -------
    WidthChoice
        The configuration unchanged where the family has no width, or the prior is given in full.

    Raises
    ------
    DpvizError
        If data and configuration contradict each other, or the algorithm has no model.
    """
    with_model = [name for name, algorithm in ALGORITHMS.items() if algorithm.uses_model]
    require(config.algorithm in with_model, "algorithm", config.algorithm, f"one of {', '.join(with_model)}")
    data = check_data(X, gaps=True)
    if not has_width(config):
        return WidthChoice(config)
    if Problem(data, config).imputes:
        data = check_data(data[~np.isnan(data).any(axis=1)])
    data = _sampled(data, config.seed)
    trials = _tried(data, _quick(config))
    allowed = [trial for trial in trials if trial.width == 1 or (not trial.runs_off and np.isfinite(trial.nll))]
    best = min(allowed, key=lambda trial: trial.nll if np.isfinite(trial.nll) else np.inf)
    refused = [trial for trial in trials if trial not in allowed and not trial.nll >= best.nll]
    notes = _notes(data, refused[0].labels, names) if refused else ()
    return WidthChoice(_at_width(config, best.width), tuple(trials), notes)


def _quick(config: RunConfig) -> RunConfig:
    return RunConfig(
        "mapdp", family=config.family, partition=config.partition, prior=config.prior, seed=config.seed,
        n_init=STARTS, effort=EFFORT,
    )  # fmt: skip


def _at_width(config: RunConfig, width: float) -> RunConfig:
    return replace(config, prior={**(config.prior_dict or {}), WIDTH.name: width})


def _sampled(X: FloatArray, seed: int) -> FloatArray:
    if len(X) <= MOST_POINTS:
        return X
    return X[np.sort(np.random.default_rng(seed).choice(len(X), MOST_POINTS, replace=False))]


def _tried(X: FloatArray, config: RunConfig) -> list[WidthTrial]:
    """Run MAP-DP at every width, then offer each partition to the next width, from the widest on and back again."""
    trials = [_trial(X, _at_width(config, width), width) for width in WIDTHS]
    forth = [(position, position - 1) for position in range(1, len(trials))]
    back = [(position, position + 1) for position in reversed(range(len(trials) - 1))]
    for position, neighbour in (*forth, *back):
        trials[position] = _offered(X, config, trials[position], trials[neighbour])
    return [replace(trial, runs_off=runs_off(X, config, trial.labels)) for trial in trials]


def _trial(X: FloatArray, config: RunConfig, width: float) -> WidthTrial:
    trace = run(X, config)
    return WidthTrial(width, float(trace.nll[trace.result_sweep]), trace.result_labels.astype(np.int64))


def _offered(X: FloatArray, config: RunConfig, own: WidthTrial, other: WidthTrial) -> WidthTrial:
    """Descend from another width's partition if that is better than the own one."""
    here = _at_width(config, own.width)
    if not partition_nll(Problem(X, here), [other.labels])[0] < own.nll:
        return own
    descended = _trial(X, replace(here, init=other.labels, n_init=1), own.width)
    return descended if descended.nll < own.nll else own


def runs_off(X: FloatArray, config: RunConfig, labels: IntArray) -> bool:
    """Whether the nll of a partition (N,) of X (N, D) falls without end as the width goes to 0."""
    snapped = X.copy()
    for rows, column, value in _without_spread(X, labels):
        snapped[rows, column] = value
    own = family_class(config.family).from_prior((config.prior_dict or {}) | {WIDTH.name: 1.0}, X)
    wider, narrower = (_nll_at(snapped, config, own, width, labels) for width in LIMIT)
    return not narrower >= wider  # NaN too


def _nll_at(X: FloatArray, config: RunConfig, family: Family, width: float, labels: IntArray) -> float:
    """Negative log joint probability under a family narrowed to a width, whatever X itself would suggest."""
    usual = {parameter.name: getattr(family, parameter.name) for parameter in family.hyperparameters}
    prior = {**(family.narrowed(usual, width) or usual), **(config.prior_dict or {})}
    prior.pop(WIDTH.name, None)
    return float(partition_nll(Problem(X, replace(config, prior=prior)), [labels])[0])


def _notes(X: FloatArray, labels: IntArray, names: Sequence[str]) -> tuple[str, ...]:
    """Say which columns have no spread within clusters; without one, columns depend on each other."""
    columns = sorted({column for _, column, _ in _without_spread(X, labels)})
    return tuple(_note(X[:, column], _named(column, names)) for column in columns) or (
        "Within clusters some columns are exact combinations of others, so that no width is too narrow; leave one out.",
    )


def _without_spread(X: FloatArray, labels: IntArray) -> Iterator[tuple[IntArray, int, float]]:
    """Rows of a cluster, column and value where (nearly) all of more points than columns are on that value."""
    for k in np.unique(labels):
        rows = np.flatnonzero(labels == k)
        if len(rows) <= X.shape[1]:
            continue
        for column in range(X.shape[1]):
            known = rows[~np.isnan(X[rows, column])]
            values, counts = np.unique(X[known, column], return_counts=True)
            most = int(np.argmax(counts)) if len(counts) else 0
            if len(counts) and counts[most] >= NEARLY_ALL * len(known):
                yield known, column, float(values[most])


def _named(column: int, names: Sequence[str]) -> str:
    return f"Column “{names[column]}”" if len(names) > column else f"Column {column}"


def _note(column: FloatArray, name: str) -> str:
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    if len(values) == 1:
        return f"{name} takes 1 value; leave it out."
    if len(values) <= FEW_VALUES:
        return f"{name} takes {len(values)} values; treat it as categorical, or leave it out."
    most = int(np.argmax(counts))
    if counts[most] > SPIKE * np.median(counts):
        share = 100 * counts[most] / len(column)
        return f"{name} is {values[most]:g} in {share:.0f} % of the rows; treat it as categorical, or leave it out."
    steps = np.diff(values) / np.min(np.diff(values))
    if np.allclose(steps, np.round(steps), rtol=0, atol=1e-6):
        step = float(np.min(np.diff(values)))
        return f"{name} is rounded to steps of {step:.3g}, which hide whether clusters are narrower."
    return f"{name} repeats too many values for narrower clusters; leave out rows that are there several times."
