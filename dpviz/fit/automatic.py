"""Automatic choice of what a configuration leaves to the data, stage by stage, by short runs.

A choice goes through the stages in their order. The models that are found of counts, under powers, or along directions,
decide about these: so the first three stages take tables through the last three (:func:`dpviz.fit.model.model_steps`),
and often know the model in the end, which is then kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.config_values import is_open
from dpviz.engine.improve import expected_operations
from dpviz.engine.problem import Problem, check_config, check_data, check_kinds
from dpviz.families import family_class
from dpviz.families.automatic import ANY, AUTOMATIC, REAL, SHAPE
from dpviz.fit import directions, family, fuller, kinds, shape, transforms, width
from dpviz.fit.family import DIAGONAL, FULL, keeps_digits, possible_families
from dpviz.fit.fuller import settle
from dpviz.fit.steps import drained
from dpviz.fit.totals import said_of_totals
from dpviz.fit.width import EFFORT, STARTS, WIDTHS, Steps, Table, WidthChoice, sample_size
from dpviz.shares import PARTS, are_parts
from dpviz.whole_numbers import WHOLE, as_counts


class Stage(NamedTuple):
    """What it settles, whether a configuration leaves that open, and how the choice so far becomes one with it."""

    name: str
    is_open: Callable[[RunConfig], bool]
    propose: Callable[[Table, WidthChoice], Steps]


STAGES = (
    Stage("kinds", lambda config: WHOLE in (config.kinds or ()), kinds.propose),
    Stage("transform", lambda config: isinstance(config.transform, str), transforms.propose),
    Stage("directions", lambda config: isinstance(config.directions, str), directions.propose),
    Stage("family", lambda config: config.is_automatic, family.propose),
    Stage("width", lambda config: is_open(config.prior), width.propose),
    Stage("shape", lambda config: config.prior == SHAPE, shape.propose),
)
CONSTANT = 1e-12
"""Largest range of a column, as a share of its values, that is taken for none."""
LEAST_SPREAD = 1e-8
"""Share of the largest variance from which a principal direction of standardised columns has a cluster's spread."""
CLOSE = (
    "Columns depend on each other so closely that a covariance of all of them would lose its digits; clusters {} "
    "instead."
)
FILLED = (
    f"Missing cells are filled in: beside columns that are {PARTS} of a whole they cannot be left out. Take these as "
    "counts to leave them out, or complete the rows."
)
_WIDTHS_SEARCHED, _SWEEPS, _CLUSTERS = 5, 8, 8
"""Typical sweeps of a choice, for estimates."""


def resolve(X: Any, config: RunConfig, names: Sequence[str] = ()) -> WidthChoice:
    """Choose the automatic settings of a configuration: its family, the width or the shape of its clusters, or none.

    Everything that fits data calls this, :func:`~dpviz.fit.run.run` first of all. The same data and
    configuration give the same choice, on every machine.

    Parameters
    ----------
    X : array_like (N, D)
        Of many points, a sample decides.
    config : RunConfig
        gibbs uses MAP-DP's choice. Algorithms without a model have nothing to choose.
    names : sequence of str, optional
        Names of the columns, for the notes.

    Returns
    -------
    WidthChoice
        Its ``config`` has a family, and a prior or None.

    Raises
    ------
    DpvizError
        If data and configuration contradict each other.
    """
    return drained(choice_steps(X, config, names))


def problem_for(X: Any, config: RunConfig) -> Problem:
    """Check data and configuration together, after choosing what is automatic.

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """
    return Problem.check(X, resolve(X, config).config)


def choice_steps(X: Any, config: RunConfig, names: Sequence[str] = ()) -> Steps:
    """Choose as :func:`resolve` does, yielding after every sweep and every tried change of clusters."""
    check_config(config)
    if not config.is_automatic:
        return WidthChoice(config)
    data = Table(check_data(X, gaps=True, lists=True), names)
    check_kinds(config, data.X)
    of_kinds, first = STAGES[0], WidthChoice(config)
    if of_kinds.is_open(config):  # all rows have the same kinds, whatever is tried with them
        first = yield from of_kinds.propose(data, first)
    first = first.saying(*_of_gaps(data.X, first.config))
    if not first.config.is_automatic:
        return (yield from settle(data, first))
    choice = yield from _attempted(data, first.config)
    of_totals = yield from said_of_totals(data, choice)
    return replace(choice, notes=first.notes).saying(*choice.notes, *of_totals)


def _of_gaps(X: FloatArray, config: RunConfig) -> tuple[str, ...]:
    """Say that missing cells of X (N, D) beside parts of a whole are filled in, where nobody asked for it."""
    filled = (
        are_parts(config.kinds or ()).any() and config.missing == AUTOMATIC and config.fills_in and np.isnan(X).any()
    )
    return (FILLED,) if filled else ()


def _attempted(data: Table, config: RunConfig) -> Steps:
    """Choose what is left open, or what may stand in for it where digits would be lost.

    An automatic family is one that all rows can be fitted with, whatever a sample of them allowed.
    """
    if config.family != AUTOMATIC or isinstance(config.directions, int):
        return (yield from _settled(data, config))  # what is asked for is run or refused, not replaced
    for tried, notes in _attempts(data.X, config):
        choice = yield from _settled(data, tried)
        if not notes:
            asked = choice
        if keeps_digits(data.X, choice.config):
            return choice.saying(*notes)
    return asked


def _attempts(X: FloatArray, config: RunConfig) -> Iterator[tuple[RunConfig, tuple[str, ...]]]:
    """Return what is tried until digits are kept, what was asked for and, with a note each, what stands in for it.

    Where columns of X (N, D) depend on each other too closely for a covariance of all these come first: the directions
    across which the columns spread, of which each is orthogonal to all others; then independent columns.
    """
    number, n_varied = _n_spread(X)
    close = number < n_varied
    last = close and FULL in possible_families(X, config)
    if not last:
        yield config, ()
    if possible_families(X, config)[0] in REAL:
        if close and config.directions in (None, ANY, AUTOMATIC):
            where = f"are in the first {number} of {X.shape[1]} directions"
            real = replace(config, kinds=None)  # counts and durations that are to have a width are real numbers here
            yield replace(real, directions=number), (CLOSE.format(where),)
        yield replace(config, family=DIAGONAL, directions=None), (CLOSE.format("have independent columns"),)
    if last:
        yield config, ()


def _n_spread(X: FloatArray) -> tuple[int, int]:
    """Return in how many principal directions X (N, D) spreads, and how many of its columns are not constant.

    Where cells are missing, or no two columns vary, both are D.
    """
    varied = X[:, np.ptp(X, axis=0) > CONSTANT * np.abs(X).max(axis=0)]
    if np.isnan(X).any() or varied.shape[1] < 2:
        return X.shape[1], X.shape[1]
    spread = np.linalg.eigvalsh(np.corrcoef(varied, rowvar=False))
    return int(np.sum(spread > LEAST_SPREAD * spread[-1])), varied.shape[1]


def _settled(data: Table, config: RunConfig) -> Steps:
    """Choose by a sample of the rows; what is said of powers follows what is said of the columns under them."""
    asked = replace(config, coarsening=None)  # nll says nothing of a coarsened model, and so chooses none
    if asked.directions == ANY and not directions.are_open(data.X):
        asked = replace(asked, directions=None)
    so_far, of_powers = WidthChoice(asked), tuple[str, ...]()
    for stage in STAGES:
        if stage.is_open(asked):
            so_far = yield from stage.propose(data, so_far)
        if stage.name == "width":
            so_far = yield from settle(data, so_far)
        if stage.name == "transform":
            asked, of_powers, so_far = so_far.config, so_far.notes, replace(so_far, notes=())
    settled = replace(so_far.config, coarsening=config.coarsening)
    return replace(so_far, config=settled, notes=(*so_far.notes, *of_powers))


def choice_operations(config: RunConfig, n_points: int, n_features: int) -> float:
    """Estimate the arithmetic operations of the choice on data of shape (N, D)."""
    return _short_operations(config, n_points, n_features) + _fuller_operations(config, n_points, n_features)


def _fuller_operations(config: RunConfig, n_points: int, n_features: int) -> float:
    """Estimate the operations of following two models further, if there may be two."""
    if not config.is_automatic or config.candidates != REAL:
        return 0.0
    costs = [(family_class(name).operations(n_features), sample_size(name, n_features)) for name in REAL]
    return sum(expected_operations(min(n_points, most), cost, fuller.EFFORT) for cost, most in costs)


def _short_operations(config: RunConfig, n_points: int, n_features: int) -> float:
    """Estimate the operations of the short runs."""
    if WHOLE in (config.kinds or ()):  # as counts, as measures, and perhaps under powers
        both = (replace(config, kinds=as_counts(config.kinds)), config.measuring)
        return sum(_short_operations(own, n_points, n_features) for own in both)
    if isinstance(config.transform, str):  # in all directions: as they are, transformed, and again given the clusters
        untransformed = replace(config, transform=None)
        tried = 3 * _short_operations(replace(untransformed, directions=None), n_points, n_features)
        return tried + (_short_operations(untransformed, n_points, n_features) if config.directions else 0.0)
    if config.prior == SHAPE:  # of the width, then of width and shape with all rows and without each fold
        return (shape.N_FOLDS + 2) * _short_operations(replace(config, prior=AUTOMATIC), n_points, n_features)
    if config.directions in (AUTOMATIC, ANY):  # in the columns, in some directions, and in the others
        tried = 3 if n_features >= directions.FEWEST_COLUMNS else 1
        return tried * _short_operations(replace(config, directions=None), n_points, n_features)
    total, n_features = 0.0, min(n_features, config.directions or n_features)
    for name in config.candidates if config.is_automatic else ():
        cost = family_class(name).operations(n_features)
        n_sampled = min(n_points, sample_size(name, n_features))
        own = replace(config, family=name)
        at_all = len(WIDTHS) * STARTS * _SWEEPS * _CLUSTERS * n_sampled * cost
        total += at_all + _WIDTHS_SEARCHED * expected_operations(n_sampled, cost, EFFORT) if own.is_automatic else 0.0
    return total
