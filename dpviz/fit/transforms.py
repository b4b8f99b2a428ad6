"""Which columns of a table are transformed, and how: powers by likelihood, kept where they lower nll.

The likelihood of one normal distribution prefers a logarithm for any skewed column, also for two normal groups of
unequal size, which it turns into something else. So powers are found twice: of the columns as wholes, and of the
columns given the clusters that a short run then finds. The columns as they are and both transformed tables compete by
the nll of short runs, in the units of the columns, each at its own best family and width.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.errors import InvalidDataError
from dpviz.families import FAMILIES, family_class
from dpviz.families.automatic import AUTOMATIC, SHAPE, can_hold
from dpviz.families.base import WIDTH
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.families.mixed import Mixed
from dpviz.families.powers import MOST_NAMED, Powers, powers_in_words
from dpviz.fit.fuller import least_gain, settle
from dpviz.fit.model import model_steps
from dpviz.fit.steps import in_threads
from dpviz.fit.width import RunnerUp, Steps, Table, WidthChoice, found_steps
from dpviz.shares import LOGRATIO, WHOLES, entry_of

LOG, POWER = "log", "power"
ROUNDING = 1e-9
"""Share of a whole by which sums of shares may be above it for rounding."""
GRID = np.linspace(-2.0, 2.0, 41)
"""Powers that are tried; a grid, so that the units of a column, which move nothing but rounding, change no power."""
FEWEST_VALUES = 10
"""Columns of fewer different values are left as they are under "auto": nearly codes, whose density says little."""
SPIKE = 0.2
"""So are columns of which one value has this share of the rows, or more."""

TRANSFORMED = "Transformed: "
"""How the note begins that says what is transformed, and what that gains."""
UNCHANGED = "No column is transformed"
"""How notes begin that say why ``"auto"`` changes nothing."""


def real_columns(config: RunConfig, n_features: int) -> IntArray:
    """Return the positions of the columns that are real numbers under a configuration."""
    family = family_class(config.candidates[0])
    if issubclass(family, GaussianFamily):
        return np.arange(n_features)
    if family is Mixed:
        return Mixed.real_columns(config.prior_dict, n_features)
    if not can_hold(family.name, ("continuous",)):  # counts, for one, may have a width too
        return np.arange(0)
    return family.columns_with_width(config.prior_dict, n_features)


def can_be_transformed(column: FloatArray) -> bool:
    """Whether a column (N,) may be worth a power: its values are > 0, many, and none is too frequent."""
    known = column[~np.isnan(column)]
    if np.any(known <= 0):
        return False
    values, counts = np.unique(known, return_counts=True)
    return bool(len(values) > FEWEST_VALUES and counts.max() < SPIKE * counts.sum())


def has_numbers(config: RunConfig) -> bool:
    """Whether hyperparameters of real columns are given as numbers, which are in the units of the columns."""
    given = set(config.prior_dict or {}) - {WIDTH.name, "columns"}
    others = tuple(f"{name}_" for name, family in FAMILIES.items() if not issubclass(family, GaussianFamily))
    return any(not name.startswith(others) for name in given)


def is_tried(X: FloatArray, config: RunConfig) -> bool:
    """Whether transformations of data X (N, D) would be tried under ``"auto"``: some column is likely to be skewed.

    Parameters
    ----------
    X : ndarray (N, D)
        Missing cells are NaN. Columns that are only divided by a number give the same answer.
    config : RunConfig
        Of an algorithm with a model, for columns of these kinds; whole numbers may be measures.
    """
    config = config.measuring
    if not replace(config, transform=AUTOMATIC).is_automatic or _why_not(X, config):
        return False
    part = Table(X).for_all(config).X
    columns = _varying(X, real_columns(config, X.shape[1]))
    return any(can_be_transformed(X[:, d]) and likely_powers(part[:, [d]], [0])[0] != 1.0 for d in columns)


def unasked(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the notes on a choice for one who did not ask for transformations, and need not hear of none."""
    return tuple(note for note in notes if not note.startswith(UNCHANGED))


def likely_powers(X: FloatArray, columns: Sequence[int] | IntArray, labels: IntArray | None = None) -> FloatArray:
    """Return for every column of X (N, D) the power under which it is most nearly normal within clusters.

    Parameters
    ----------
    X : ndarray (N, D)
        Missing cells are left out.
    columns : sequence of int
        Those that may be transformed; the others have power 1.
    labels : ndarray of int (N,), optional
        Clusters; one for all rows by default.

    Returns
    -------
    ndarray (D,)
        On :data:`GRID`; 1 or 0 where these are nearly as likely, see :func:`~dpviz.fit.fuller.least_gain`.
    """
    powers = np.ones(X.shape[1])
    for d in columns:
        known = ~np.isnan(X[:, d])
        clusters = np.zeros(len(X), dtype=np.int64) if labels is None else labels
        powers[d] = _likely_power(X[known, d], np.unique(clusters[known], return_inverse=True)[1])
    return powers


def _likely_power(x: FloatArray, codes: IntArray) -> float:
    """Return the most likely power of one complete column (n,) given clusters (n,)."""
    logs = np.log(x)
    logs = logs - logs.mean()  # the units of the column shift every likelihood alike
    beyond = Powers.given(GRID).beyond(np.repeat(x[:, None], len(GRID), axis=1))
    fits = np.array([_log_likelihood(logs, power, codes) for power in GRID])
    fits[beyond] = -np.inf
    enough = np.nanmax(fits) - least_gain(len(x))
    for simple in (1.0, 0.0):
        if _log_likelihood(logs, simple, codes) >= enough:
            return simple
    return round(float(GRID[np.nanargmax(fits)]), 6)


def _log_likelihood(logs: FloatArray, power: float, codes: IntArray) -> float:
    """Log likelihood of a power (nats, but for a constant) under a normal of each cluster, of centred logarithms (n,).

    Each cluster's variance has seen one further point at the common one, so that no cluster is infinitely likely.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        y = logs if power == 0 else np.exp(power * logs) / power
        sizes = np.bincount(codes)
        means = np.bincount(codes, y) / sizes
        squares = np.bincount(codes, (y - means[codes]) ** 2)
        common = squares.sum() / len(y)
        variances = (squares + common) / (sizes + 1)
        fit = -0.5 * np.sum(sizes * np.log(variances)) + (power - 1) * logs.sum()
    return float(fit) if np.isfinite(fit) else -np.inf


class _Tried(NamedTuple):
    """Powers, the clusters of a short run under these, its nll in units of the columns, and what else was chosen."""

    powers: FloatArray
    labels: IntArray
    nll: float
    choice: WidthChoice


def propose(data: Table, so_far: WidthChoice) -> Steps:
    """Choose the powers of the columns, with a note on what was found, and the model if it is known by then.

    Raises
    ------
    InvalidDataError
        If a column that is to have a power is not positive.
    """
    choice = yield from _asked(data, so_far.config)
    if choice.config.transform is not None:
        Powers.given(choice.config.transform).check(data.X, data.names)
    return choice


def _asked(data: Table, config: RunConfig) -> Steps:
    """Choose the powers that a word asks for."""
    (X, names), by_nll = data, config.transform == AUTOMATIC
    none = np.ones(X.shape[1])
    real = real_columns(config, X.shape[1])
    varying = _varying(X, real)
    able = np.array([d for d in varying if can_be_transformed(X[:, d])], dtype=np.int64)
    columns, logarithms = able if by_nll else varying, none.copy()
    logarithms[columns] = 0.0
    if config.transform == LOGRATIO:
        return WidthChoice(replace(config, transform=_shares_of_one_whole(X, real)))
    if config.transform == LOG:
        return WidthChoice(_with_powers(config, logarithms))
    why = _why_not(X, config) if by_nll else ""
    if why:
        return WidthChoice(_with_powers(config, none), notes=(f"{UNCHANGED}: {why}.",))
    notes = _left_out(X, real, able, names) if by_nll else ()
    Powers.given(logarithms).check(X, names)
    part = data.for_all(config)
    first = likely_powers(part.X, columns)
    if by_nll and np.all(first == 1.0):
        why = "is nearer to normal under a power" if len(able) else "of many different values is > 0 throughout"
        return WidthChoice(_with_powers(config, first), notes=(*notes, f"{UNCHANGED}: none {why}."))
    begun = [_try(part, config, powers) for powers in ([none, first] if by_nll else [first])]
    tried = yield from in_threads(begun, len(part.X))
    best = min(tried, key=lambda one: one.nll)
    again = likely_powers(part.X, columns, best.labels)
    if not any(np.array_equal(again, one.powers) for one in tried):
        tried.append((yield from _try(part, config, again)))
    short = _chosen(tried, len(part.X))
    settled = yield from settle(part, replace(short.choice, runner_up=_runner_up(tried, short)))
    powers = np.ones(X.shape[1]) if settled.config.transform is None else np.array(settled.config.transform)
    by = "short" if np.array_equal(powers, short.powers) else "fuller"
    if np.all(powers == 1.0):
        said = (*notes, f"{UNCHANGED}: {by} runs have the lower nll in the columns.")
    else:
        gain = f", {tried[0].nll - short.nll:,.0f} nats lower in short runs" if by_nll and by == "short" else ""
        said = (f"{TRANSFORMED}{powers_in_words(powers.tolist(), names)}{gain}.", *notes)
    # without directions a choice for the sample is that for all, but for a shape, which all rows are to be asked
    known = config.directions is None and (part.X is X or config.prior != SHAPE)
    choice = settled if known else WidthChoice(_with_powers(config, powers), notes=settled.notes)
    return choice.saying(*said)


def _shares_of_one_whole(X: FloatArray, columns: IntArray) -> tuple[float | str, ...]:
    """Return the transformation that takes some columns of X (N, D) for shares of 1 or, if most add up to more, 100.

    Of a row that leaves nothing of the whole those say so who transform it.
    """
    totals = X[:, columns].sum(axis=1, where=~np.isnan(X[:, columns]))
    typical, largest = float(np.median(totals)), float(np.max(totals, initial=0.0))
    whole = next((whole for whole in WHOLES if typical <= whole * (1 + ROUNDING)), None)
    if not len(columns) or whole is None:
        raise InvalidDataError(
            f"transform = {LOGRATIO!r} must be of measured columns that add up to {WHOLES[0]} or {WHOLES[-1]} with "
            f"the one that is left out; these add up to {largest:g}. Name them: one “{entry_of(WHOLES[-1])}” or 1, as "
            "it is, per column."
        )
    return tuple(entry_of(whole) if d in columns else 1.0 for d in range(X.shape[1]))


def _runner_up(tried: Sequence[_Tried], best: _Tried) -> RunnerUp | None:
    """Return the model of the next lower nll among those of all powers, each with one family and the other."""
    others = [RunnerUp(one.nll - best.nll, one.choice) for one in tried if one is not best]
    for one in tried:
        if one.choice.runner_up is not None:
            others.append(RunnerUp(one.nll - best.nll + one.choice.runner_up.behind, one.choice.runner_up.choice))
    return min(others, key=lambda other: other.behind, default=None)


def _with_powers(config: RunConfig, powers: FloatArray) -> RunConfig:
    return replace(config, transform=tuple(powers.tolist()))


def _varying(X: FloatArray, columns: IntArray) -> IntArray:
    """Return those of some columns of X (N, D) that hold more than one number."""
    known = [X[~np.isnan(X[:, d]), d] for d in columns]
    return np.array([d for d, x in zip(columns, known, strict=True) if len(x) and x.min() < x.max()], dtype=np.int64)


def _why_not(X: FloatArray, config: RunConfig) -> str:
    """Say why ``"auto"`` tries nothing on data X (N, D), whatever they look like; empty if it may."""
    if has_numbers(config):
        return "hyperparameters are given in the units of the columns"
    return "missing cells are filled in" if np.isnan(X).any() and _fills_in(config, X.shape[1]) else ""


def _fills_in(config: RunConfig, n_features: int) -> bool:
    """Whether missing cells are filled in whichever family nll chooses; of two that differ one leaves them out."""
    families = config.candidates if n_features > 1 else config.candidates[:1]  # of one column both are the same model
    return all(replace(config, family=name).fills_in for name in families)


def _chosen(tried: Sequence[_Tried], n_points: int) -> _Tried:
    """Return the first of lowest nll, unless an earlier one is nearly as good."""
    best = min(tried, key=lambda one: one.nll)
    if not np.isfinite(best.nll):
        return tried[0]
    return next(one for one in tried if one.nll <= best.nll + least_gain(n_points))


def _left_out(X: FloatArray, real: IntArray, able: IntArray, names: Sequence[str]) -> tuple[str, ...]:
    """Name real columns that are skewed but for zeros, which have no logarithm."""
    zeros = []
    for d in real:
        above = X[X[:, d] > 0, d] if d not in able and np.nanmin(X[:, d]) == 0 else np.empty(0)
        if len(above) and can_be_transformed(above) and likely_powers(above[:, None], [0])[0] != 1.0:
            zeros.append(d)
    if not zeros:
        return ()
    said = ", ".join(f"“{names[d]}”" if len(names) > d else str(d) for d in zeros[:MOST_NAMED])
    more = f" and {len(zeros) - MOST_NAMED} more" if len(zeros) > MOST_NAMED else ""
    many = len(zeros) > 1
    columns = f"Columns {said}{more} hold" if many else f"Column {said} holds"
    return (f"{columns} zeros, which have no logarithm, and {'stay as they are' if many else 'stays as it is'}.",)


def _try(part: Table, config: RunConfig, powers: FloatArray) -> Generator[None, None, _Tried]:
    """Run the table under some powers, in all directions, at the best family and width."""
    choice = yield from model_steps(part, replace(_with_powers(config, powers), directions=None))
    found = yield from found_steps(part.under(choice.config).X, choice)
    n_points = len(part.X)
    labels = found.labels if len(found.labels) == n_points else np.zeros(n_points, dtype=np.int64)
    return _Tried(powers, labels, found.nll - float(Powers.given(powers).log_jacobian(part.X).sum()), choice)
