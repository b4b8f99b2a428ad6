"""Transformations for clustering (scaling, principal components) and for display (two coordinates, dot stacks)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import BoolArray, FloatArray, IntArray, filled_in
from dpviz.datasets.dataset import Dataset
from dpviz.errors import (
    InvalidDataError,
    InvalidParameterError,
    require,
    require_flag,
    require_kind,
    require_one_of,
    require_sequence,
)
from dpviz.limits import LARGEST_VALUE

SCALINGS = ("none", "standardise", "robust")
SPREAD = "spread"
"""Scaling that divides and moves nothing, so that columns stay positive for logarithms and powers."""
CHOICES = ("columns", "principal_components", "linear_discriminants")
_BLOCK_VALUES = 1_000_000
_NEGLIGIBLE = 1e-12  # share of the largest variance below which a direction is rounding noise


class Scaled(NamedTuple):
    """A table moved and divided column by column: ``X = (original − centre) / spread``.

    Attributes
    ----------
    X : ndarray (N, D)
    centre, spread : ndarray (D,)
        The subtracted centre and the divisor; 0 and 1 for unchanged columns.
    notes : tuple of str
        Columns that could not be scaled.
    """

    X: FloatArray
    centre: FloatArray
    spread: FloatArray
    notes: tuple[str, ...]


class PrincipalComponents(NamedTuple):
    """Principal components of a table: ``scores = (X − centre) @ directions.T``.

    Attributes
    ----------
    scores : ndarray (N, C)
    directions : ndarray (C, D)
        Unit vectors, divided by the standard deviations of the scores if whitened.
    centre : ndarray (D,)
    explained : ndarray (C,)
        Share of the total variance along each direction.
    """

    scores: FloatArray
    directions: FloatArray
    centre: FloatArray
    explained: FloatArray


class Display(NamedTuple):
    """Places of points: ``coordinates = (X − origin) @ directions.T``, so ellipses can be projected in the same way.

    Attributes
    ----------
    coordinates : ndarray (N, 2) or (N, 1)
    axis_names : tuple of str
    directions : ndarray (2, D) or (1, D)
    origin : ndarray (D,)
    """

    coordinates: FloatArray
    axis_names: tuple[str, ...]
    directions: FloatArray
    origin: FloatArray

    def place(self, X: FloatArray) -> FloatArray:
        """Places of other points of the same columns, (D,) or (n, D)."""
        return np.asarray((X - self.origin) @ self.directions.T)


class DotStack(NamedTuple):
    """Stacked dots for one-column data: dot i is drawn at (positions[i], heights[i]).

    Attributes
    ----------
    positions : ndarray (N,)
        Middle of each value's bin, so that no two dots overlap.
    heights : ndarray of int, shape (N,)
        0 for the lowest dot of a bin, then 1, 2, …, in the order of the rows.
    bin_width : float
        Width of a bin in units of the data.
    """

    positions: FloatArray
    heights: IntArray
    bin_width: float


def scale(X: ArrayLike, method: str = "standardise", feature_names: Sequence[str] | None = None) -> Scaled:
    """Scale the columns of a table.

    Parameters
    ----------
    X : array-like, shape (N, D)
        Finite numbers; missing cells (NaN) stay missing.
    method : {"none", "standardise", "robust", "spread"}
        Nothing; mean 0 and variance 1; median 0 and interquartile range 1, which outliers do not move; or variance 1
        without moving anything, for columns that are to be transformed.
    feature_names : sequence of str, length D, optional
        Names for the notes; columns are counted from 1 otherwise.

    Returns
    -------
    Scaled
        A column without spread is only centred, with a note.

    Raises
    ------
    InvalidParameterError
        If the method is unknown.
    InvalidDataError
        If X is not a table of finite numbers.
    """
    require_one_of("method", method, (*SCALINGS, SPREAD))
    table = _table(X, gaps=True)
    n_features = table.shape[1]
    if feature_names is not None:
        require_sequence("feature_names", feature_names, str, f"{n_features} texts, one per column")
        require(len(feature_names) == n_features, "feature_names", feature_names, f"{n_features} texts, one per column")
    if method == "none":
        return Scaled(table.copy(), np.zeros(n_features), np.ones(n_features), ())
    if method == SPREAD:
        spread = np.nanstd(table, axis=0)
        spread = np.where((spread > 0) & (np.nanmax(table, axis=0) > np.nanmin(table, axis=0)), spread, 1.0)
        return Scaled(table / spread, np.zeros(n_features), spread, ())
    from sklearn.preprocessing import RobustScaler, StandardScaler  # deferred: it takes a second to import

    scaler = StandardScaler() if method == "standardise" else RobustScaler()
    scaled = scaler.fit_transform(table)
    centre = np.array(scaler.mean_ if method == "standardise" else scaler.center_)
    spread = np.array(scaler.scale_)
    lowest = np.nanmin(table, axis=0)
    constant = np.nanmax(table, axis=0) == lowest
    scaled[:, constant] = table[:, constant] - lowest[constant]  # the mean of equal values may be off by rounding
    centre[constant], spread[constant] = lowest[constant], 1.0
    names = feature_names or [f"column {d + 1}" for d in range(n_features)]
    unscaled = ~constant & (np.ptp(np.nanpercentile(table, [25, 75], axis=0), axis=0) == 0)
    notes = _note("the same value in every row: centred to 0", names, constant)
    if method == "robust":
        notes += _note("the middle half is one value: centred but not divided", names, unscaled)
    return Scaled(scaled, centre, spread, notes)


def fill(X: ArrayLike, kinds: Sequence[str] = ()) -> FloatArray:
    """Fill missing cells in, for methods that need complete rows.

    Parameters
    ----------
    X : array-like, shape (N, D)
        Finite numbers, and NaN for missing cells; no column without any number.
    kinds : sequence of str, length D, optional
        Kinds of the columns: continuous ones and durations get their mean, others their commonest value, the lowest of
        several. All continuous without.

    Returns
    -------
    ndarray (N, D)

    Raises
    ------
    InvalidDataError
        If X is not such a table.
    InvalidParameterError
        If there is not one kind per column.
    """
    table = _table(X, gaps=True)
    require_sequence("kinds", kinds, str, f"{table.shape[1]} kinds, one per column")
    kinds = tuple(kinds) or ("continuous",) * table.shape[1]
    require(len(kinds) == table.shape[1], "kinds", kinds, f"{table.shape[1]} kinds, one per column")
    return filled_in(table, kinds)


def pca(X: ArrayLike, n_components: int = 2, whiten: bool = False) -> PrincipalComponents:
    """Project a table on its directions of largest variance.

    Parameters
    ----------
    X : array-like, shape (N, D)
        Finite numbers, N ≥ 2.
    n_components : int
        1 to min(N − 1, D).
    whiten : bool
        Give every component unit variance.

    Raises
    ------
    InvalidParameterError
        If there are fewer components, or a whitened one has no variance.
    InvalidDataError
        If X is not a table of finite numbers, or all its rows are equal.
    """
    require_flag("whiten", whiten)
    table = _table(X)
    largest = min(table.shape[0] - 1, table.shape[1])
    integer = isinstance(n_components, (int, np.integer)) and not isinstance(n_components, bool)
    bound = f"an integer from 1 to {largest} for {table.shape[0]} rows and {table.shape[1]} columns"
    require(integer and 1 <= n_components <= largest, "n_components", n_components, bound)
    if not np.ptp(table, axis=0).any():
        raise InvalidDataError("All rows of X are equal, so there is no direction of largest variance.")
    centre = table.mean(axis=0)
    all_variances, all_directions = _principal_axes(table, centre)
    variances, directions = all_variances[:n_components], all_directions[:n_components]
    if whiten:
        usable = int(np.sum(variances > _NEGLIGIBLE * variances[0]))
        bound = f"at most {usable} when whitening, as no other direction has variance"
        require(n_components <= usable, "n_components", n_components, bound)
        directions = directions / np.sqrt(variances)[:, None]
    scores = (table - centre) @ directions.T
    return PrincipalComponents(scores, directions, centre, variances / all_variances.sum())


def _principal_axes(table: FloatArray, centre: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return variances and directions, largest first; the largest entry of a direction is positive.

    Rows are processed in blocks, which keeps all digits and copies little; unlike scipy's, numpy's decomposition
    lets other threads run.
    """
    n_points, n_features = table.shape
    n_rows = max(n_features, _BLOCK_VALUES // n_features)
    scaled = np.empty((0, n_features))
    for start in range(0, n_points, n_rows):
        block = np.concatenate([scaled, table[start : start + n_rows] - centre])
        _, lengths, directions = np.linalg.svd(block, full_matrices=False)
        scaled = lengths[:, None] * directions
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return lengths**2 / (n_points - 1), directions * signs[:, None]


def display_coordinates(
    dataset: Dataset,
    choice: str = "columns",
    *,
    columns: Sequence[str] | None = None,
    labels: ArrayLike | None = None,
) -> Display:
    """Place the points of a data set on one or two axes.

    Parameters
    ----------
    dataset : Dataset
    choice : {"columns", "principal_components", "linear_discriminants"}
        Named columns, directions of largest variance, or the directions that separate given groups best. Columns of
        different kinds have no common unit, so that the variance is that of the standardised ones.
    columns : sequence of one or two str, optional
        For ``"columns"``; the first two by default.
    labels : array-like of int, shape (N,), optional
        For ``"linear_discriminants"``: any partition; the data set's own labels by default. Two groups have one
        discriminant.

    Returns
    -------
    Display
        Two coordinates per point, or one if the data or the groups have only one.

    Raises
    ------
    InvalidParameterError
        If the choice, a column or the labels are unusable.
    InvalidDataError
        If the points have no such direction, e.g. all rows are equal.
    """
    require_kind("dataset", dataset, Dataset, "a Dataset")
    require_one_of("choice", choice, CHOICES)
    if choice == "columns":
        return _columns(dataset, columns)
    if choice == "principal_components":
        return _principal_components(dataset)
    return _discriminants(dataset.X, dataset.labels if labels is None else labels)


def _principal_components(dataset: Dataset) -> Display:
    mixed = len(set(dataset.kinds)) > 1
    scaled = scale(dataset.X, "standardise" if mixed else "none")
    components = pca(scaled.X, min(2, dataset.n_features, max(dataset.n_points - 1, 1)))
    of_what = "of variance, columns standardised" if mixed else "of variance"
    axis_names = tuple(
        f"Principal component {c + 1} ({'< 1' if 0 < share < 0.005 else f'{100 * share:.0f}'} % {of_what})"
        for c, share in enumerate(components.explained)
    )
    origin = scaled.centre + scaled.spread * components.centre
    return Display(components.scores, axis_names, components.directions / scaled.spread, origin)


def dot_stack(values: ArrayLike, n_bins: int = 60) -> DotStack:
    """Stack the dots of one column, bin by bin.

    Data with at most ``n_bins`` evenly spaced values, such as counts, get one bin per value.

    Parameters
    ----------
    values : array-like, shape (N,) or (N, 1)
        Finite numbers.
    n_bins : int, default 60
        Number of bins over the range of the values, 1 to 10,000.

    Raises
    ------
    InvalidParameterError
        If ``n_bins`` is out of range.
    InvalidDataError
        If the values are not one column of finite numbers.
    """
    integer = isinstance(n_bins, (int, np.integer)) and not isinstance(n_bins, bool)
    require(integer and 1 <= n_bins <= 10_000, "n_bins", n_bins, "an integer from 1 to 10,000")
    try:
        column = np.asarray(values)
        table = _table(column[:, None] if column.ndim == 1 else column)
    except ValueError as error:
        raise InvalidDataError(f"values must be a column of finite numbers: {error}") from error
    if table.shape[1] != 1:
        raise InvalidDataError(f"values has {table.shape[1]} columns; dots are stacked for one column only.")
    x = table[:, 0]
    lowest, width, bins = _bins(x, int(n_bins))
    order = np.argsort(bins, kind="stable")
    first_of_bin = np.searchsorted(bins[order], bins[order])
    heights = np.empty(len(x), dtype=np.int64)
    heights[order] = np.arange(len(x)) - first_of_bin
    return DotStack(np.asarray(lowest + width * bins, dtype=np.float64), heights, width)


def _bins(x: FloatArray, n_bins: int) -> tuple[float, float, IntArray]:
    """Return the middle of the lowest bin, the width of a bin, and the bin of each value."""
    distinct = np.unique(x)
    if len(distinct) == 1:
        return float(x[0]), 1.0, np.zeros(len(x), dtype=np.int64)
    extent, gap = float(np.ptp(distinct)), float(np.diff(distinct).min())
    if extent <= gap * (n_bins - 0.5):  # as many bins as needed to give every multiple of the gap its own
        steps = (x - distinct[0]) / gap
        if np.allclose(steps, np.round(steps), rtol=0, atol=1e-6):
            return float(distinct[0]), gap, np.round(steps).astype(np.int64)
    width = max(extent / n_bins, float(np.finfo(np.float64).tiny))
    bins = np.minimum((x - distinct[0]) / width, n_bins - 1).astype(np.int64)
    return float(distinct[0]) + width / 2, width, bins


def _columns(dataset: Dataset, columns: Sequence[str] | None) -> Display:
    bound = f"one or two different names out of {', '.join(dataset.feature_names[:20])}"
    if columns is not None:
        require_sequence("columns", columns, str, bound)
    chosen = list(dataset.feature_names[:2] if columns is None else columns)
    known = all(name in dataset.feature_names for name in chosen)
    require(known and len(chosen) in (1, 2) and len(set(chosen)) == len(chosen), "columns", columns, bound)
    indices = [dataset.feature_names.index(name) for name in chosen]
    directions = np.eye(dataset.n_features)[indices]
    return Display(dataset.X[:, indices], tuple(chosen), directions, np.zeros(dataset.n_features))


def _discriminants(X: FloatArray, labels: Any) -> Display:
    if labels is None:
        raise InvalidParameterError("labels are needed for linear discriminants; cluster first or choose other axes.")
    groups = np.asarray(labels)
    require(groups.shape == (len(X),), "labels", groups.shape, f"of shape ({len(X)},), one label per point")
    n_groups = len(np.unique(groups))
    require(2 <= n_groups < len(X), "labels", f"{n_groups} groups", f"2 to {len(X) - 1} groups", "Choose other axes.")
    if not any(np.ptp(X[groups == group], axis=0).any() for group in np.unique(groups)):
        raise InvalidDataError("Every group is a single point, so no direction separates them best. Choose other axes.")
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # deferred: it takes a second to import

    varying = np.ptp(X, axis=0) > 0
    with np.errstate(invalid="ignore"):  # 0/0 if the groups' means agree: no axes are left, which is checked below
        model = LinearDiscriminantAnalysis(solver="svd").fit(X[:, varying], groups)
    axes = np.asarray(model.scalings_[:, : min(2, n_groups - 1)].T)
    if axes.shape[0] == 0:
        raise InvalidDataError("No direction in which points vary separates these groups. Choose other axes.")
    directions, origin = np.zeros((axes.shape[0], X.shape[1])), X.mean(axis=0)
    directions[:, varying] = axes
    axis_names = tuple(f"Linear discriminant {c + 1}" for c in range(axes.shape[0]))
    return Display((X - origin) @ directions.T, axis_names, directions, origin)


def _note(what: str, names: Sequence[str], affected: BoolArray) -> tuple[str, ...]:
    listed = [name for name, is_affected in zip(names, affected, strict=True) if is_affected]
    return (f"Not scaled, {what}: {', '.join(listed)}.",) if listed else ()


def _table(X: ArrayLike, gaps: bool = False) -> FloatArray:
    table = Dataset(X=X, name="X", gaps=gaps).X  # type: ignore[arg-type]  # the common check of tables, with its messages
    if float(np.nanmax(np.abs(table))) > LARGEST_VALUE:
        raise InvalidDataError(f"X holds a value beyond ±{LARGEST_VALUE:g}, whose square overflows. Use other units.")
    return table
