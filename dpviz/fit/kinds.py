"""Whether whole numbers of which nobody said what they are are counts or measures, by nll.

Whole numbers have steps of 1, so that the probability of a count and the density of a measure compare: the density of
numbers that were moved evenly within half a step is on average at most the probability of the whole numbers themselves
(Theis et al. 2016, "A note on the evaluation of generative models"), whatever peak a cluster has on one of them. Counts
have the choice that is theirs if they stay counts. Measures have independent columns, as they are and after likely
powers: where that is enough for a lower nll, a full covariance and other powers may only lower it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidDataError
from dpviz.families.automatic import ANY, AUTOMATIC, candidates
from dpviz.families.base import WIDTH
from dpviz.families.columns.poisson import Poisson
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.powers import MOST_NAMED, Powers
from dpviz.fit.directions import are_open
from dpviz.fit.family import DIAGONAL
from dpviz.fit.fuller import least_gain
from dpviz.fit.model import model_steps
from dpviz.fit.transforms import SPIKE, can_be_transformed, likely_powers
from dpviz.fit.width import Steps, Table, WidthChoice, found_steps, quick, sampled_problem, width_steps
from dpviz.whole_numbers import MEASURE, WHOLE, as_counts

FEWEST_VALUES = 20
"""Columns of no more different values stay counts, as do those of a spike: a density says little of them."""
COUNTS_SAID = "Whole numbers are taken for counts: as measures they have an nll {0:,.1f} nats higher in short runs."
NEARLY_SAID = (
    "Whole numbers are taken for counts: as measures they have an nll only {0:,.1f} nats lower in short runs (at least "
    "{1:,.1f} is asked for)."
)
MEASURES_SAID = "{0} {1} measured rather than counted: as counts nll is {2:,.1f} nats higher in short runs."
LIKE_OTHERS_SAID = "{0} {1} measured like all others, among which directions can then be looked for."
_SEED = 2016
"""Of the moves within a step, so that the same data have the same kinds whatever the run's seed."""


class _Reached(NamedTuple):
    """Which columns are measures, with the nll and the clusters of a short run, and the choice that it is of."""

    measures: tuple[int, ...]
    nll: float
    labels: IntArray
    choice: WidthChoice
    powers: FloatArray


def propose(data: Table, so_far: WidthChoice) -> Steps:
    """Choose the kinds of whole numbers: all counts, all measures, or every column by itself; and say which.

    Counts keep the model that was chosen with them, unless powers or directions leave it open.
    """
    config, X = so_far.config, data.X
    whole = [d for d, kind in enumerate(config.kinds or ()) if kind == WHOLE]
    uncountable = [d for d in whole if not _can_be_counted(X[:, [d]])]
    fine = [d for d in whole if d in uncountable or _has_fine_steps(X[:, d])]
    fills_in = config.missing == "impute" and bool(np.isnan(X).any())
    if uncountable or fills_in or not fine:
        return WidthChoice(_measuring(config, uncountable if fills_in else fine))
    part = data.for_all(_measuring(config, ())).for_all(_measuring(config, fine))
    counted = yield from _counted(part, config)
    tried, powers = [counted], np.ones(X.shape[1])
    tried.append((yield from _measured(part, config, fine, powers)))
    if config.transform is not None:
        likely = likely_powers(part.X, [d for d in fine if can_be_transformed(part.X[:, d])])
        if np.any(likely != powers):
            tried.append((yield from _measured(part, config, fine, likely)))
    some = _by_column(part.X, fine, tried)
    if 0 < len(some) < len(fine):
        best = min(tried[1:], key=lambda one: one.nll)
        powers = np.where(np.isin(np.arange(X.shape[1]), some), best.powers, 1.0)
        tried.append((yield from _measured(part, config, some, powers)))
    best, least = min(tried[1:], key=lambda one: one.nll), least_gain(len(part.X))
    gain = counted.nll - best.nll
    if gain < least:
        own = _measuring(config, ())
        is_settled = own.transform is None and own.directions is None
        choice = counted.choice if is_settled else WidthChoice(own)
        said = COUNTS_SAID.format(-gain) if gain <= 0 else NEARLY_SAID.format(gain, least)
        return replace(choice, notes=()).saying(said, *choice.notes)
    heaped = _heaped(config, X, best.measures)
    like_others = (LIKE_OTHERS_SAID.format(*_named(heaped, data.names)),) if heaped else ()
    said = MEASURES_SAID.format(*_named(best.measures, data.names), gain)
    return WidthChoice(_measuring(config, [*best.measures, *heaped])).saying(said, *like_others)


def _heaped(config: RunConfig, X: FloatArray, measures: Sequence[int]) -> list[int]:
    """Return the last columns of X (N, D) that are counts, if these alone stand in the way of looking for directions.

    Their steps are fine but for one value within their range, as rounding heaps: a spike at the smallest is a zero
    that measures do not have.
    """
    kinds = config.kinds or ()
    last = [d for d, kind in enumerate(kinds) if kind == WHOLE and d not in measures]
    others = {kind for kind in kinds if kind != WHOLE}
    if config.directions not in (ANY, AUTOMATIC) or not are_open(X) or others - {MEASURE}:
        return []
    for d in last:
        values, counts = np.unique(X[:, d], return_counts=True)
        if len(values) <= FEWEST_VALUES or np.argmax(counts) == 0:
            return []
    return last


def _has_fine_steps(column: FloatArray) -> bool:
    """Whether a column (N,) has many values, of which none has so many rows that a density would live on it alone."""
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return bool(len(values) > FEWEST_VALUES and counts.max() < SPIKE * counts.sum())


def _can_be_counted(column: FloatArray) -> bool:
    try:
        Poisson.check_data(column)
    except InvalidDataError:
        return False
    return True


def _measuring(config: RunConfig, measures: Sequence[int]) -> RunConfig:
    """Return the configuration with some columns as measures, and the other whole numbers as counts."""
    kinds = list(as_counts(config.kinds or ()))
    for d in measures:
        kinds[d] = MEASURE
    return replace(config, kinds=None if set(kinds) <= {MEASURE, "real"} else kinds)


def _counted(part: Table, config: RunConfig) -> Generator[None, None, _Reached]:
    """Choose the model of counts, and search with it."""
    own = replace(_measuring(config, ()), transform=None, directions=None)
    choice = yield from model_steps(part, own)
    found = yield from found_steps(part.X, choice)
    return _Reached((), found.nll, found.labels, choice, np.ones(part.X.shape[1]))


def _measured(
    part: Table, config: RunConfig, measures: Sequence[int], powers: FloatArray
) -> Generator[None, None, _Reached]:
    """Choose the width with some columns as measures, under some powers, and price the clusters within steps."""
    own = replace(_measuring(config, measures), transform=None, directions=None)
    names = candidates(own.kinds)
    own = replace(own, family=DIAGONAL if DIAGONAL in names else names[0])
    choice = yield from width_steps(Powers.given(powers).of(part.X), own, part.names)
    found = yield from found_steps(Powers.given(powers).of(part.X), choice)
    moved = _moved(part.X, measures)
    problem = sampled_problem(Powers.given(powers).of(moved), quick(choice.config))
    nll = float(partition_nll(problem, [found.labels])[0] - Powers.given(powers).log_jacobian(moved).sum())
    return _Reached(tuple(measures), nll, found.labels, choice, powers)


def _moved(X: FloatArray, columns: Sequence[int]) -> FloatArray:
    """Return X (N, D) with whole numbers moved evenly within half a step."""
    moved = X.copy()
    moved[:, columns] += np.random.default_rng(_SEED).uniform(-0.5, 0.5, (len(X), len(columns)))
    return moved


def _by_column(X: FloatArray, fine: Sequence[int], tried: Sequence[_Reached]) -> list[int]:
    """Return which columns of X (N, D) are better measures than Poisson counts, given the clusters of lowest nll."""
    labels = min(tried, key=lambda one: one.nll).labels
    best = min(tried[1:], key=lambda one: one.nll)
    moved, powers = _moved(X, fine), Powers.given(best.powers)
    Y, slopes = powers.of(moved), powers.log_slopes(moved)
    prior = {WIDTH.name: (best.choice.config.prior_dict or {}).get(WIDTH.name, 1.0)}
    some = []
    for d in fine:
        known = ~np.isnan(X[:, d])
        count = Poisson.from_prior(None, X[known][:, [d]])
        measure = NormalGamma.from_prior(prior, Y[known][:, [d]])
        gain = float(slopes[known, d].sum())
        for k in np.unique(labels[known]):
            own = known & (labels == k)
            gain += measure.log_marginal(Y[own][:, [d]]) - count.log_marginal(X[own][:, [d]])
        if gain > 0:
            some.append(d)
    return some


def _named(columns: Sequence[int], names: Sequence[str]) -> tuple[str, str]:
    """Name columns, and say "is" or "are"."""
    said = ", ".join(f"“{names[d]}”" if len(names) > d else str(d) for d in columns[:MOST_NAMED])
    more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
    return (f"Columns {said}{more}", "are") if len(columns) > 1 else (f"Column {said}", "is")
