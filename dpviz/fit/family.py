"""Automatic choice of the family, by short runs.

Columns of one kind have its family, and columns of several kinds are mixed. Counts alone, if they vary more than
Poisson's, are compared with over-dispersed ones. For real columns, alone or beside others,
full and diagonal covariances are compared by the nll each reaches at its own best width, which scales the real columns
of a mixed table and nothing else. That says nothing of full ones in two classes of
tables, which are diagonal: with fewer points than a covariance has entries (22 columns of 195 voices: NMI .13 against
.18), and where a density diverges along columns without spread within clusters, as codes and votes have none (NMI .34
against .40 on votes, .37 against .44 on grades of cells; :mod:`dpviz.fit.width`). Tables with missing cells have
diagonal ones, which leave the cells out; where they are to be filled in, the complete rows decide.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import chdtri

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.config_values import is_open
from dpviz.engine.problem import Problem
from dpviz.errors import IllConditionedError, InvalidDataError
from dpviz.families import FAMILIES, family_class
from dpviz.families.automatic import AUTOMATIC, COUNTS, REAL
from dpviz.families.base import column_means
from dpviz.families.mixed import Mixed
from dpviz.fit.steps import in_threads
from dpviz.fit.width import (
    RunnerUp,
    Steps,
    Table,
    WidthChoice,
    WidthTrial,
    found_steps,
    quick,
    runs_off,
    sample_size,
    sampled,
    width_steps,
)
from dpviz.text import counted

FULL, DIAGONAL = REAL
LEVEL = 0.001
"""Probability that a table of Poisson counts without groups counts as over-dispersed."""
OVER_DISPERSED = (
    "Counts vary more than Poisson's, which {0} taken for over-dispersion within clusters: with it nll is {1:,.1f} "
    "nats {2} in short runs of {3:,} rows (at least {4:,.1f} lower is asked for), with {5} for {6:,}."
)
LEAST_GAIN = 0.1
"""Nats per point that over-dispersion must gain over Poisson counts: less is what it costs to cut groups that overlap.

Of 126 tables of two to four groups of Poisson counts, 1 to 5 columns, the gain is below that in all in which Poisson
counts tell the groups apart by more than .61 of ARI; in tables of one group that Poisson counts divide it is above.
"""


def propose(data: Table, so_far: WidthChoice) -> Steps:
    """Choose the family, and the width of its clusters where families are compared by the nll they reach."""
    seen = data.under(so_far.config)
    models = possible_models(seen.X, so_far.config)
    if len(models) == 1:
        return replace(so_far, config=models[0])
    fewest = min(models, key=lambda model: sample_size(model.family, seen.X.shape[1]))
    sample = Table(sampled(seen.X, fewest), seen.names)  # the nll of different points cannot be compared
    if models[0].family == Mixed.name:
        return (yield from _of_mixed(sample, models, seen))
    if tuple(model.family for model in models) == COUNTS:
        return (yield from _of_counts(sample, models))
    reached = yield from in_threads([_reached(sample, model) for model in models], len(sample.X))
    (lowest, best), (next_lower, second) = sorted(reached, key=lambda reach: reach[0])
    return replace(best, runner_up=RunnerUp(next_lower - lowest, second)) if np.isfinite(next_lower) else best


def _reached(sample: Table, model: RunConfig) -> Generator[None, None, tuple[float, WidthChoice]]:
    """Return the nll that a model reaches, at its own best width if that is open, and the choice of it."""
    if is_open(model.prior):
        choice = yield from width_steps(sample.X, model, sample.names)
        return _told(choice, choice.found, choice.collapses), choice
    choice = WidthChoice(model)
    found = yield from found_steps(sample.X, choice)
    return _told(choice, found, runs_off(sample.X, quick(model), found.labels)), choice


def _of_mixed(sample: Table, models: Sequence[RunConfig], every: Table) -> Steps:
    """Start at widths of all models of a mixed table, the usual one first; search the one of lower nll.

    Sweeps over columns of several kinds take long: a search of both would double the time of a default fit.
    """
    begun = []
    for model in models:
        begun.append((yield from width_steps(sample.X, model, sample.names, searched=False)))
    reached = [_told(choice, choice.found, choice.collapses) for choice in begun]
    for position in (*np.argsort(reached, kind="stable"), 0):
        choice = yield from width_steps(sample.X, models[position], sample.names, begun[position].trials)
        told = np.isfinite(_told(choice, choice.found, choice.collapses))
        if told and keeps_digits(every.X, replace(choice.config, transform=None)):
            break
    return choice


def _of_counts(sample: Table, models: Sequence[RunConfig]) -> Steps:
    """Take the negative binomial where its nll is lower than that of Poisson counts by :data:`LEAST_GAIN` a point.

    It is started at all widths of its dispersion first, and searched only if it is taken.
    """
    X, names = sample
    plain, dispersed = WidthChoice(models[0].provisional), models[1]
    alone = yield from found_steps(X, plain)
    choice = yield from width_steps(X, dispersed, names, searched=False)
    found = yield from found_steps(X, choice)
    gain, least = alone.nll - found.nll, LEAST_GAIN * len(X)
    taken = gain >= least
    if taken and choice.trials:
        choice = yield from width_steps(X, dispersed, names, choice.trials)
    note = OVER_DISPERSED.format(
        "is" if taken else "is not",
        abs(gain),
        "lower" if gain > 0 else "higher",
        len(X),
        least,
        counted(found.n_clusters, "cluster"),
        alone.n_clusters,
    )
    return replace(choice if taken else plain, notes=(note,))


def _told(choice: WidthChoice, found: WidthTrial | None, collapses: bool) -> float:
    """Return the nll of what was found; infinite if it says nothing of a model whose columns depend on each other."""
    family, prior = family_class(choice.config.family), choice.config.prior_dict
    depends = Mixed.shares_covariance(prior) if family is Mixed else not family.leaves_cells_out(prior)
    return np.inf if found is None or not np.isfinite(found.nll) or depends and collapses else found.nll


def keeps_digits(X: FloatArray, config: RunConfig) -> bool:
    """Whether a model of all rows keeps its digits: how many are needed grows with the number of rows."""
    try:
        Problem.check(X, config).working  # noqa: B018  (building it checks the hyperparameters)
    except IllConditionedError:
        return False
    return True


def possible_models(X: FloatArray, config: RunConfig) -> list[RunConfig]:
    """Return the configurations, each with a family, between which the nll decides for data X (N, D).

    Their widths are still to be chosen. A mixed table's real columns are independent or, if their hyperparameters are
    left to the data, share a full covariance.
    """
    models = [replace(config, family=family) for family in possible_families(X, config)]
    if models[0].family != Mixed.name or config.prior != AUTOMATIC:
        return models
    n_real = len(Mixed.real_columns(models[0].prior_dict, X.shape[1]))
    if n_real > 1 and _full_is_possible(X, config, n_real):
        joint = Mixed.with_full_covariance(models[0].prior_dict, X.shape[1])
        models.append(replace(models[0], prior=joint))
    return models


def possible_families(X: FloatArray, config: RunConfig) -> tuple[str, ...]:
    """Families between which the nll decides for data X (N, D); the first of the candidates if none can hold them."""
    holding = tuple(name for name in config.candidates if holds(name, X))
    if holding == COUNTS:
        fills_in = config.missing == "impute" and np.isnan(X).any()  # which short runs do with real columns only
        return COUNTS if is_over_dispersed(X) and not fills_in else COUNTS[:1]
    if not holding or holding[0] not in REAL:
        return (holding or config.candidates)[:1]
    real = tuple(name for name in holding if name in REAL)
    if len(real) < len(REAL):
        return real
    if X.shape[1] == 1:  # both are the same model
        return (FULL,)
    return real if _full_is_possible(X, config, X.shape[1]) else (DIAGONAL,)


def is_over_dispersed(X: FloatArray) -> bool:
    """Whether counts X (N, D) vary more than Poisson's in some column (Fisher 1950); groups may be why, or may not.

    The dispersion test at :data:`LEVEL`, divided by the number of columns. Missing cells are left out.
    """
    seen = (~np.isnan(X)).sum(axis=0)
    means = np.maximum(column_means(X), 1 / len(X))
    statistic = np.nansum((X - means) ** 2, axis=0) / means
    return bool(np.any(statistic > chdtri(np.maximum(seen - 1, 1), LEVEL / X.shape[1])))


def _full_is_possible(X: FloatArray, config: RunConfig, n_columns: int) -> bool:
    """Whether so many of the columns of X (N, D) may share a full covariance."""
    if config.missing != "impute" and np.isnan(X).any():  # diagonal ones leave missing cells out
        return False
    return len(X) >= n_columns * (n_columns + 1) / 2


def holds(name: str, X: FloatArray) -> bool:
    """Return whether every value of X (N, D) has a density under a family."""
    try:
        FAMILIES[name].check_data(X)
    except InvalidDataError:
        return False
    return True
