"""Differences between clusters, column by column: their predictives, and tests of difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets.dataset import grouped, is_measured
from dpviz.errors import InvalidDataError, InvalidParameterError, require
from dpviz.families.base import Family
from dpviz.families.coarsened import Coarsened
from dpviz.families.columns.multinomial import Multinomial
from dpviz.families.directions import InDirections
from dpviz.families.gaps import WithGaps
from dpviz.families.mixed import Mixed
from dpviz.families.transformed import Transformed
from dpviz.hurdles import BAR, BAR_OF_SHARES, HURDLE, end_of, ends_of
from dpviz.periods import CIRCULAR, period_of, word_of
from dpviz.shares import KINDS_OF_PARTS, are_parts, shares_of_parts
from dpviz.text import quoted

AnyModel = Family | WithGaps | Coarsened | InDirections | Transformed
"""What a problem applies to data, and a family by itself."""
EVEN_PLACES = 200
LOGITS = np.linspace(-7.0, 7.0, EVEN_PLACES)
"""Of places between the ends of shares, wherever these are."""
OFFSETS = np.concatenate([np.linspace(0, 4, 13), 4 * 1.4 ** np.arange(1, 60)])
"""Places beside a cluster's mean in standard deviations, with growing steps, for tails of narrow and wide ones."""
LONGEST_BARS = 400
"""Most values of a discrete column that are all evaluated; of more only those that occur are."""


@dataclass(frozen=True, eq=False)
class Profile:
    """The clusters' predictives of one column.

    Attributes
    ----------
    column : int
    is_measured : bool
        Whether the values have densities; else each has a probability.
    values : ndarray (G,)
        Where the predictives are evaluated, increasing.
    densities : ndarray (K, G)
        Of each cluster, per unit of the column, or probabilities.
    weights : ndarray (K,)
        Share of the points in each cluster.
    information : float
        Mutual information (nats) of cluster and value under these predictives: the information of the value
        on the cluster of a further point. At most the entropy of the weights.
    period : float, optional
        After which the values begin again.
    has_bar : bool
        Whether the first four values draw the probabilities of zeros as bars of their area, to the left of 0, beside
        positive values with a long tail.
    """

    column: int
    is_measured: bool
    values: FloatArray
    densities: FloatArray
    weights: FloatArray
    information: float
    period: float | None = None
    has_bar: bool = False

    def in_units(self, centre: float, spread: float) -> Profile:
        """Return the profile of the column from which (values − centre) / spread were made."""
        densities = self.densities / spread if self.is_measured else self.densities
        return replace(self, values=self.values * spread + centre, densities=densities)


def column_profiles(family: AnyModel, X: FloatArray, labels: ArrayLike) -> list[Profile]:
    """Return the predictives of all clusters, column by column, the most informative first.

    Parameters
    ----------
    family : Family, WithGaps, Coarsened, InDirections or Transformed
        With its hyperparameters before any point: a family, or how a problem applies it to X (``Problem.model``).
    X : ndarray (N, D)
    labels : array_like of int, shape (N,)

    Returns
    -------
    list of Profile
        One per column; empty if the family does not say what a single column has.

    Raises
    ------
    InvalidParameterError
        If there is not one label for each row.
    """
    _, codes = grouped(labels)
    require(codes.shape == (len(X),), "labels", codes.shape, f"one label for each of the {len(X):,} rows of X")
    posteriors = [family.posterior(X[codes == k]) for k in range(codes.max() + 1)]
    if posteriors[0].marginal_log_densities(X[:1]) is None:
        return []
    weights = np.bincount(codes) / len(codes)
    kinds = family.column_kinds(X.shape[1])
    parts = are_parts(kinds)
    profiles = [_profile(d, kinds, posteriors, X, codes, weights) for d in np.flatnonzero(~parts).tolist()]
    profiles += _profiles_of_parts(np.flatnonzero(parts), posteriors, weights)
    return sorted(profiles, key=lambda profile: -profile.information)


def joined_profiles(profiles: Sequence[Profile], groups: ArrayLike) -> list[Profile]:
    """Return the profiles of unions of clusters: the predictives of their parts, weighed by their shares of the points.

    Parameters
    ----------
    profiles : sequence of Profile
    groups : array_like of int, shape (K,)
        Number 0, 1, … of the union of each cluster.

    Returns
    -------
    list of Profile
        The most informative first.

    Raises
    ------
    InvalidParameterError
        If there is not one group for each cluster.
    """
    belongs = np.asarray(groups)[None, :] == np.unique(groups)[:, None]
    joined = []
    for profile in profiles:
        fits = belongs.shape[1:] == profile.weights.shape
        require(fits, "groups", belongs.shape[1:], f"one for each of the {len(profile.weights)} clusters")
        weights = belongs @ profile.weights
        densities = (belongs * profile.weights) @ profile.densities / weights[:, None]
        information = _information(profile.values, densities, weights, profile.is_measured)
        joined.append(replace(profile, densities=densities, weights=weights, information=information))
    return sorted(joined, key=lambda profile: -profile.information)


def _profile(
    column: int,
    kinds: Sequence[str],
    posteriors: Sequence[AnyModel],
    X: FloatArray,
    codes: IntArray,
    weights: FloatArray,
) -> Profile:
    x, kind = X[:, column], kinds[column]
    known, period, ends, has_density = np.isfinite(x), period_of(kind), ends_of(kind), is_measured(kind)
    if period is not None:
        values = _places_of_turn(x[known], codes[known], period)
    elif kind == HURDLE:
        positive = known & (np.nan_to_num(x) > 0)
        logarithms = np.log(x, out=np.zeros_like(x), where=positive)[positive]
        values = np.concatenate([[0.0], np.exp(_places(logarithms, codes[positive])) if positive.any() else []])
    elif ends:
        between = known & (end_of(x, ends) == len(ends))
        logits = np.log(x[between] / (ends[1] - x[between]))
        near = _places(logits, codes[between]) if between.any() else LOGITS
        inside = ends[1] / (1 + np.exp(-np.unique(np.concatenate([LOGITS, near]))))
        values = np.concatenate([ends[:1], inside[end_of(inside, ends) == len(ends)], ends[1:]])
    else:
        values = _places(x[known], codes[known]) if has_density else _distinct(x[known])
    entries = np.repeat(X[np.isfinite(x)][:1], len(values), axis=0)  # the others do not matter, but must be possible
    entries[:, column] = values
    densities = np.exp([_entries(posterior, entries)[:, column] for posterior in posteriors])
    if ends:
        values, densities = _with_bars(values, densities, ends)
    information = _information(values, densities, weights, has_density)
    return Profile(column, has_density, values, densities, weights, information, period, kind == HURDLE)


def _profiles_of_parts(columns: IntArray, posteriors: Sequence[AnyModel], weights: FloatArray) -> list[Profile]:
    """Return the chances that one count is of a part, and that it is not: clusters' mean shares."""
    found = []
    for model in posteriors if len(columns) else ():
        while isinstance(model, Coarsened | InDirections | Transformed):  # which leave parts as they are
            model = model.own
        blocks = [block for _, block in model.parts()] if isinstance(model, Mixed) else [model]
        found += [block.alpha0 / block.alpha0.sum() for block in blocks if isinstance(block, Multinomial)]
    profiles, values = [], np.array([0.0, 1.0])
    for d, shares in zip(columns.tolist(), np.array(found).T, strict=True):
        densities = np.column_stack([1.0 - shares, shares])
        profiles.append(Profile(d, False, values, densities, weights, _information(values, densities, weights, False)))
    return profiles


def _entries(posterior: AnyModel, X: FloatArray) -> FloatArray:
    found = posterior.marginal_log_densities(X)
    assert found is not None
    return found


def _places(x: FloatArray, codes: IntArray) -> FloatArray:
    """Places over the whole range, and more of them where clusters are: narrow ones fall between even steps."""
    low, high = float(x.min()), float(x.max())
    margin = 0.1 * max(high - low, 1e-9)
    low, high = (max(low - margin, 0.0) if low >= 0 else low - margin), high + margin
    own = [x[codes == k] for k in np.unique(codes)]
    near = [np.mean(part) + sign * np.std(part) * OFFSETS for part in own for sign in (-1, 1)]
    places = np.unique(np.concatenate([np.linspace(low, high, EVEN_PLACES), *near]))
    return places[(places >= low) & (places <= high)]


def _places_of_turn(x: FloatArray, codes: IntArray, period: float) -> FloatArray:
    """Places over a whole turn, and more of them where clusters are, on both sides of its end."""
    start = -period / 2 if x.min(initial=0.0) < 0 else 0.0
    unit = 2 * np.pi / period
    means = [np.angle(np.mean(np.exp(1j * unit * x[codes == k]))) / unit for k in np.unique(codes)]
    steps = np.concatenate([-OFFSETS, OFFSETS]) * (period / EVEN_PLACES / 8)
    near = np.mod(np.add.outer(means, steps[np.abs(steps) < period / 4]).ravel() - start, period) + start
    return np.unique(np.concatenate([np.linspace(start, start + period, EVEN_PLACES + 1), near]))


def _with_bars(values: FloatArray, densities: FloatArray, ends: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Draw the probabilities of the first value, zero, as bars of their area to its left, of a whole to its right."""
    wide = BAR_OF_SHARES * ends[-1] if len(ends) > 1 else BAR * (float(values[-1]) or 1.0)  # or all are zero
    bar, beside_zero = np.array([0.0, 1.0, 1.0, 0.0]) / wide, np.array([-wide, -wide, 0.0, 0.0])
    if len(ends) == 1:
        return np.concatenate([beside_zero, values[1:]]), np.hstack([densities[:, :1] * bar, densities[:, 1:]])
    places = np.concatenate([beside_zero, values[1:-1], ends[-1] - beside_zero[::-1]])
    return places, np.hstack([densities[:, :1] * bar, densities[:, 1:-1], densities[:, -1:] * bar])


def _distinct(x: FloatArray) -> FloatArray:
    last = int(x.max())
    return np.arange(last + 1.0) if last < LONGEST_BARS else np.unique(x)


def _information(values: FloatArray, densities: FloatArray, weights: FloatArray, is_measured: bool) -> float:
    """Mutual information (nats) over the values; the small mass beyond them is left out."""
    mixture = weights @ densities
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(densities > 0, densities * np.log(densities / mixture), 0.0)
    each = np.trapezoid(terms, values, axis=1) if is_measured else terms.sum(axis=1)
    return max(float(weights @ each), 0.0)


# --- tests ------------------------------------------------------------------------------------------------------------


def column_tests(X: ArrayLike, labels: ArrayLike, kinds: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Test, column by column, whether clusters differ; the p-values are corrected for their number.

    Clusters were made from these columns, so they differ by construction: the table orders columns, as Tables 3 and 4
    of Raykov et al. (2016) do, and proves nothing about groups in the population.

    Parameters
    ----------
    X : array_like (N, D)
    labels : array_like (N,)
    kinds : sequence of str
        Of the columns, as :attr:`dpviz.datasets.Dataset.kinds`.
    names : sequence of str
        Of the columns.

    Returns
    -------
    pandas.DataFrame
        Index ``column``; ``test``, ``statistic``, ``p`` and ``p_corrected`` (Benjamini–Hochberg), the smallest first.
        A column without a test (one value only, one cluster only) has NaN.

    Raises
    ------
    InvalidParameterError
        If there is not one kind and one name for each column, or one label for each row.
    """
    from scipy import stats  # large, and only this needs it

    try:
        table = np.atleast_2d(np.asarray(X, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidDataError(f"X cannot be read as numbers: {error}.") from error
    groups, codes = grouped(labels)
    require(codes.shape == (len(table),), "labels", codes.shape, f"one label for each of the {len(table):,} rows of X")
    for what, given in (("kinds", kinds), ("names", names)):
        require(isinstance(given, Sequence) and not isinstance(given, str), what, given, "a list of words")
        require(len(given) == table.shape[1], f"number of {what}", len(given), f"{table.shape[1]}, one for each column")
    table = np.where(are_parts(kinds), shares_of_parts(table, kinds), table)
    rows: list[dict[str, Any]] = [
        {"column": name, **_test(stats, x[np.isfinite(x)], codes[np.isfinite(x)], kind)}
        for name, kind, x in zip(names, kinds, table.T, strict=True)
    ]
    frame = pd.DataFrame(rows).set_index("column")
    known = frame["p"].notna()
    frame["p_corrected"] = np.nan
    if known.any():
        frame.loc[known, "p_corrected"] = stats.false_discovery_control(frame.loc[known, "p"])
    return frame.sort_values(["p_corrected", "p"], kind="stable")


def _test(stats: Any, x: FloatArray, codes: IntArray, kind: str) -> dict[str, Any]:
    """Choose the test by the column's kind: means of measurements, ranks of ordered values, shares of categories."""
    parts = [x[codes == k] for k in np.unique(codes)]
    nothing = {"test": "none", "statistic": np.nan, "p": np.nan}
    if len(parts) < 2 or len(np.unique(x)) < 2:
        return nothing
    if kind in ("binary", "categorical"):
        shared = pd.crosstab(codes, x).to_numpy()
        found = stats.chi2_contingency(shared, correction=False)
        return {"test": "χ²", "statistic": float(found.statistic), "p": float(found.pvalue)}
    if kind == "continuous":
        large = [part for part in parts if len(part) > 1 and np.ptp(part) > 0]
        if len(large) == len(parts) == 2:
            found = stats.ttest_ind(*parts, equal_var=False)
            return {"test": "Welch's t", "statistic": float(found.statistic), "p": float(found.pvalue)}
        if sum(map(len, parts)) <= len(parts) or not large:
            return nothing
        found = stats.f_oneway(*parts)
        return {"test": "ANOVA", "statistic": float(found.statistic), "p": float(found.pvalue)}
    if not isinstance(kind, str):
        raise _unknown(kind)
    if word_of(kind) == CIRCULAR:
        return _uniform_scores(stats, parts)
    if kind in ("ordinal", "count", "duration", *KINDS_OF_PARTS) or ends_of(kind):
        found = stats.kruskal(*parts)
        return {"test": "Kruskal–Wallis", "statistic": float(found.statistic), "p": float(found.pvalue)}
    raise _unknown(kind)


def _unknown(kind: object) -> InvalidParameterError:
    return InvalidParameterError(f"kind = {quoted(kind)} must be one of those of Dataset.kinds.")


def _uniform_scores(stats: Any, parts: Sequence[FloatArray]) -> dict[str, Any]:
    """Compare clusters of places on a circle by their ranks about it, wherever it begins (Mardia & Jupp 2000, §8.4.2).

    Ranks of all N values become angles 2π rank/N, of which a cluster's sum is long if it has a place of its own.
    """
    ranks = stats.rankdata(np.concatenate(parts))
    turned = np.split(np.exp(2j * np.pi * ranks / len(ranks)), np.cumsum([len(part) for part in parts])[:-1])
    statistic = 2 * sum(abs(part.sum()) ** 2 / len(part) for part in turned)
    return {
        "test": "Mardia–Watson–Wheeler",
        "statistic": float(statistic),
        "p": float(stats.chi2.sf(statistic, 2 * (len(parts) - 1))),
    }
