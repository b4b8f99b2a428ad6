"""Automatic choice of the family and of the width of a cluster, by short runs.

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

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import chdtri

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.improve import expected_operations
from dpviz.engine.problem import Problem, check_config, check_data, check_kinds
from dpviz.errors import IllConditionedError, InvalidDataError
from dpviz.families import FAMILIES, family_class
from dpviz.families.automatic import ANY, AUTOMATIC, COUNTS, REAL, SHAPE
from dpviz.families.base import column_means
from dpviz.families.mixed import Mixed
from dpviz.families.powers import powers_in_words
from dpviz.fit.directions import FEWEST_COLUMNS, are_open, steps_in_directions
from dpviz.fit.shape import N_FOLDS, shape_steps
from dpviz.fit.steps import drained
from dpviz.fit.transforms import steps_transformed
from dpviz.fit.width import (
    EFFORT,
    STARTS,
    WIDTHS,
    Steps,
    WidthChoice,
    columns_with_width,
    has_width,
    quick,
    runs_off,
    sample_size,
    sampled,
    sampled_problem,
    trial_steps,
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
CONSTANT = 1e-12
"""Largest range of a column, as a share of its values, that is taken for none."""
LEAST_SPREAD = 1e-8
"""Share of the largest variance from which a principal direction of standardised columns has a cluster's spread."""
CLOSE = (
    "Columns depend on each other so closely that a covariance of all of them would lose its digits; clusters {} "
    "instead."
)
LEAST_GAIN = 0.1
"""Nats per point that over-dispersion must gain over Poisson counts: less is what it costs to cut groups that overlap.

Of 126 tables of two to four groups of Poisson counts, 1 to 5 columns, the gain is below that in all in which Poisson
counts tell the groups apart by more than .61 of ARI; in tables of one group that Poisson counts divide it is above.
"""
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
    check_config(config)
    if config.is_automatic:
        data = check_data(X, gaps=True)
        check_kinds(config, data.shape[1])
        config = resolve(data, config).config
    return Problem.check(X, config)


def choice_steps(X: Any, config: RunConfig, names: Sequence[str] = ()) -> Steps:
    """Choose as :func:`resolve` does, yielding after every sweep and every tried change of clusters.

    An automatic family is one that all rows can be fitted with, whatever a sample of them allowed.
    """
    check_config(config)
    if config.family != AUTOMATIC or not config.is_automatic or isinstance(config.directions, int):
        return (yield from _steps(X, config, names))  # what is asked for is run or refused, not replaced
    data, choice = check_data(X, gaps=True), None
    if _allow_covariance(data, config):
        choice = yield from _steps(data, config, names)
        if _keeps_digits(data, choice.config):
            return choice
    for other, note in _with_digits(data, config):
        found = yield from _steps(data, other, names)
        if _keeps_digits(data, found.config):
            return replace(found, notes=(*found.notes, note))
    return choice or (yield from _steps(data, config, names))


def _allow_covariance(X: FloatArray, config: RunConfig) -> bool:
    """Whether columns of X (N, D) spread in all their directions, if a covariance of all of them is to be tried."""
    n_spread, n_varied = _n_spread(X)
    return n_spread == n_varied or FULL not in possible_families(X, config)


def _n_spread(X: FloatArray) -> tuple[int, int]:
    """Return in how many principal directions X (N, D) spreads, and how many of its columns are not constant.

    Where cells are missing, or no two columns vary, both are D.
    """
    varied = X[:, np.ptp(X, axis=0) > CONSTANT * np.abs(X).max(axis=0)]
    if np.isnan(X).any() or varied.shape[1] < 2:
        return X.shape[1], X.shape[1]
    spread = np.linalg.eigvalsh(np.corrcoef(varied, rowvar=False))
    return int(np.sum(spread > LEAST_SPREAD * spread[-1])), varied.shape[1]


def _keeps_digits(X: Any, config: RunConfig) -> bool:
    """Whether a model of all rows keeps its digits: how many are needed grows with the number of rows."""
    try:
        Problem.check(X, config).working  # noqa: B018  (building it checks the hyperparameters)
    except IllConditionedError:
        return False
    return True


def _with_digits(X: FloatArray, config: RunConfig) -> Iterator[tuple[RunConfig, str]]:
    """Return what is tried, with a note, where columns of X (N, D) depend on each other too closely for a covariance.

    First the directions across which they spread, of which each is orthogonal to all others; then independent columns.
    """
    if possible_families(X, config)[0] not in REAL:
        return
    number, n_varied = _n_spread(X)
    if config.directions in (None, ANY, AUTOMATIC) and number < n_varied:
        where = f"are in the first {number} of {X.shape[1]} directions"
        yield replace(config, directions=number), CLOSE.format(where)
    yield replace(config, family=DIAGONAL, directions=None), CLOSE.format("have independent columns")


def _steps(X: Any, config: RunConfig, names: Sequence[str]) -> Steps:
    """Choose by a sample of the rows."""
    if not config.is_automatic:
        return WidthChoice(config)
    if config.coarsening is not None:  # nll says nothing of a coarsened model, and so chooses none
        choice = yield from _steps(X, replace(config, coarsening=None), names)
        return replace(choice, config=replace(choice.config, coarsening=config.coarsening))
    data = check_data(X, gaps=True)
    check_kinds(config, data.shape[1])
    if config.directions == ANY and not are_open(data):
        config = replace(config, directions=None)
    if config.transform is not None:
        return (yield from steps_transformed(data, config, names, _steps))
    if config.prior == SHAPE:
        return (yield from shape_steps(data, config, names, _steps))
    if config.directions is not None:
        return (yield from steps_in_directions(data, config, names, _steps))
    models = possible_models(data, config)
    every = data
    if len(models) > 1:  # the nll of different points cannot be compared
        data = sampled(data, min(models, key=lambda model: sample_size(model.family, data.shape[1])))
    if len(models) > 1 and models[0].family == Mixed.name:
        return (yield from _of_mixed(data, models, names, every))
    if tuple(model.family for model in models) == COUNTS:
        return (yield from _of_counts(data, models, names))
    by_width, compared = config.prior == AUTOMATIC, len(models) > 1
    best: tuple[float, WidthChoice] | None = None
    for model in models:
        found = yield from _with_model(data, model, by_width, compared, names)
        if best is None or found[0] < best[0]:
            best = found
    assert best is not None
    return best[1]


def _of_mixed(X: FloatArray, models: Sequence[RunConfig], names: Sequence[str], every: FloatArray) -> Steps:
    """Start at widths of all models of a mixed table, the usual one first; search the one of lower nll.

    Sweeps over columns of several kinds take long: a search of both would double the time of a default fit.
    """
    begun, reached = [], []
    for model in models:
        choice = yield from width_steps(X, model, names, searched=False)
        begun.append(choice.trials)
        reached.append(_told(model, choice))
    for position in (*np.argsort(reached, kind="stable"), 0):
        choice = yield from width_steps(X, models[position], names, begun[position])
        if np.isfinite(_told(models[position], choice)) and _keeps_digits(every, choice.config):
            break
    return choice


def _of_counts(X: FloatArray, models: Sequence[RunConfig], names: Sequence[str]) -> Steps:
    """Take the negative binomial where its nll is lower than that of Poisson counts by :data:`LEAST_GAIN` a point.

    It is started at all widths of its dispersion first, and searched only if it is taken.
    """
    poisson, dispersed = models
    alone = yield from trial_steps(sampled_problem(X, quick(poisson)), 1.0)
    choice = yield from width_steps(X, dispersed, names, searched=False)
    if choice.trials:
        found = next(trial for trial in choice.trials if trial.width == choice.width)
    else:
        found = yield from trial_steps(sampled_problem(X, quick(dispersed)), 1.0)
    gain, least = alone.nll - found.nll, LEAST_GAIN * len(X)
    taken = gain >= least
    if taken and choice.trials:
        choice = yield from width_steps(X, dispersed, names, choice.trials)
    note = OVER_DISPERSED.format(
        "is" if taken else "is not", abs(gain), "lower" if gain > 0 else "higher", len(X), least,
        counted(found.n_clusters, "cluster"), alone.n_clusters,
    )  # fmt: skip
    return replace(choice if taken else WidthChoice(poisson.provisional), notes=(note,))


def _told(model: RunConfig, choice: WidthChoice) -> float:
    """Return the nll that a choice of width reaches; infinite if it says nothing of this model."""
    found = next((trial.nll for trial in choice.trials if trial.width == choice.width), np.inf)
    return np.inf if _depends(model) and choice.collapses else found


def _depends(config: RunConfig) -> bool:
    """Whether columns depend on each other within a cluster."""
    return not family_class(config.family).leaves_cells_out(config.prior_dict)


def possible_models(X: FloatArray, config: RunConfig) -> list[RunConfig]:
    """Return the configurations, each with a family, between which the nll decides for data X (N, D).

    Their widths are still to be chosen. A mixed table's real columns are independent or, if their hyperparameters are
    left to the data, share a full covariance.
    """
    models = [replace(config, family=family) for family in possible_families(X, config)]
    if models[0].family != Mixed.name or config.prior != AUTOMATIC:
        return models
    real = columns_with_width(models[0], X)
    if len(real) > 1 and _full_is_possible(X, config, len(real)):
        joint = Mixed.with_full_covariance(models[0].prior_dict, X.shape[1])
        models.append(replace(models[0], prior=joint))
    return models


def possible_families(X: FloatArray, config: RunConfig) -> tuple[str, ...]:
    """Families between which the nll decides for data X (N, D); the first of the candidates if none can hold them."""
    holding = tuple(name for name in config.candidates if _holds(name, X))
    if holding == COUNTS:
        return COUNTS if is_over_dispersed(X) else COUNTS[:1]
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


def choice_operations(config: RunConfig, n_points: int, n_features: int) -> float:
    """Estimate the arithmetic operations of the choice on data of shape (N, D)."""
    if isinstance(config.transform, str):  # in all directions: as they are, transformed, and again given the clusters
        untransformed = replace(config, transform=None)
        tried = 3 * choice_operations(replace(untransformed, directions=None), n_points, n_features)
        return tried + (choice_operations(untransformed, n_points, n_features) if config.directions else 0.0)
    if config.prior == SHAPE:  # of the width, then of width and shape with all rows and without each fold
        return (N_FOLDS + 2) * choice_operations(replace(config, prior=AUTOMATIC), n_points, n_features)
    if config.directions in (AUTOMATIC, ANY):  # in the columns, in some directions, and in the others
        tried = 3 if n_features >= FEWEST_COLUMNS else 1
        return tried * choice_operations(replace(config, directions=None), n_points, n_features)
    total, n_features = 0.0, min(n_features, config.directions or n_features)
    for name in config.candidates if config.is_automatic else ():
        cost = family_class(name).operations(n_features)
        n_sampled = min(n_points, sample_size(name, n_features))
        own = replace(config, family=name)
        at_all = len(WIDTHS) * STARTS * _SWEEPS * _CLUSTERS * n_sampled * cost
        total += at_all + _WIDTHS_SEARCHED * expected_operations(n_sampled, cost, EFFORT) if own.is_automatic else 0.0
    return total


def _with_model(X: FloatArray, config: RunConfig, by_width: bool, compared: bool, names: Sequence[str]) -> _Scored:
    """Choose the width of a model, if it is to be; return the nll it reaches, if requested."""
    if by_width and has_width(config):
        choice = yield from width_steps(X, config, names)
        if not choice.trials:
            return np.inf, choice
        found = next(trial for trial in choice.trials if trial.width == choice.width)
        collapses = choice.collapses
    elif compared:
        choice, data = WidthChoice(config.provisional), sampled(X, config)
        found = yield from trial_steps(sampled_problem(data, quick(config)), 1.0)
        collapses = runs_off(data, quick(config), found.labels)
    else:
        return np.inf, WidthChoice(config.provisional)
    tells = np.isfinite(found.nll) and not (_depends(config) and collapses)
    return found.nll if tells else np.inf, choice


_Scored = Generator[None, None, tuple[float, WidthChoice]]


def _holds(name: str, X: FloatArray) -> bool:
    try:
        FAMILIES[name].check_data(X)
    except InvalidDataError:
        return False
    return True


def words_for(config: RunConfig, names: Sequence[str] = ()) -> str:
    """Describe the family, the width and what else is chosen of a configuration, for columns of these names."""
    title = "family by nll"
    if config.family != AUTOMATIC:
        family = family_class(config.family)
        title = family.title_under(config.prior_dict, config.kinds).partition(" (")[0]
    width = (config.prior_dict or {}).get("width")
    title = title if width is None else f"{title}, width {width:.4g}"
    number = config.directions
    where = "directions by parallel analysis" if number == AUTOMATIC else f"{number} direction{'s' * (number != 1)}"
    title = title if number in (None, ANY) else f"{title}, in {where}"
    if config.transform is not None:
        of = config.transform if isinstance(config.transform, str) else powers_in_words(config.transform, names)
        title = f"{title}, transformed: {of}"
    return title if config.coarsening is None else f"{title}, coarsened at α = {config.coarsening:.4g}"
