"""Views of a table before clustering: points, columns, labels, missing cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Dataset, Display, dot_stack
from dpviz.figures.theme import ACCENT, GROUP_COLORS, OTHER_COLOR, finish, group_marker
from dpviz.periods import about_mean, period_of
from dpviz.text import inert

MOST_POINTS = 2_000
"""More points are sampled, always the same ones: browsers are slow with more."""
MOST_GROUPS = 20
"""Groups with a colour and shape of their own; the smaller rest is grey."""
HARDLY_SHOWN = 12
"""Groups of which a random sample would hold no more points than this are drawn whole."""
MOST_BARS = 40
MOST_CORRELATED = 60


class _Group(NamedTuple):
    name: str
    rows: IntArray
    marker: dict[str, Any]
    shown: bool  # in the legend


def shown_rows(n_points: int, most: int = MOST_POINTS, groupings: Sequence[IntArray] = ()) -> IntArray:
    """Rows that scatter plots draw: all, or a fixed random sample in their order.

    Parameters
    ----------
    n_points : int
    most : int
        Size of the sample.
    groupings : sequence of ndarray of int (N,)
        Groups whose small ones are drawn whole, the smallest first, in up to half of the sample: at random, a cluster
        of four outliers would not be there at all.
    """
    if n_points <= most:
        return np.arange(n_points)
    whole = _small_groups(n_points, most, groupings)
    others = np.flatnonzero(~whole)
    drawn = np.random.default_rng(0).choice(others, most - int(whole.sum()), replace=False)
    return np.sort(np.concatenate([np.flatnonzero(whole), drawn]))


def _small_groups(n_points: int, most: int, groupings: Sequence[IntArray]) -> NDArray[np.bool_]:
    """Mark the rows of the groups that a random sample would hardly show."""
    whole, taken = np.zeros(n_points, dtype=bool), 0
    for group in groupings:
        _, codes, sizes = np.unique(group, return_inverse=True, return_counts=True)
        smallest_first = np.argsort(sizes, kind="stable")
        hardly_shown = _hardly_shown(sizes[smallest_first], most)
        fits = taken + np.cumsum(sizes[smallest_first]) <= most // 2
        chosen = np.zeros(len(sizes), dtype=bool)
        chosen[smallest_first[hardly_shown & fits]] = True
        whole |= chosen[codes]
        taken = int(np.count_nonzero(whole))
    return whole


def _hardly_shown(sizes: IntArray, most: int) -> NDArray[np.bool_]:
    """Whether a random sample would hardly show the groups of these sizes (K,), which are those of all points."""
    return np.asarray(sizes * most / sizes.sum() <= HARDLY_SHOWN)


def small_groups_in_words(dataset: Dataset) -> str:
    """Say how many of the small groups of a sampled data set are drawn whole; empty if there are none."""
    if dataset.labels is None:
        return ""
    _, codes, sizes = np.unique(dataset.labels, return_inverse=True, return_counts=True)
    small = _hardly_shown(sizes, MOST_POINTS)
    whole = small & (np.bincount(codes[_rows_of(dataset)], minlength=len(sizes)) == sizes)
    if not small.any():
        return ""
    if whole.sum() == small.sum():
        return "small groups whole"
    return f"{int(whole.sum()):,} of {int(small.sum()):,} small groups whole"


def _rows_of(dataset: Dataset) -> IntArray:
    return shown_rows(dataset.n_points, groupings=() if dataset.labels is None else [dataset.labels])


def points(display: Display, dataset: Dataset) -> go.Figure:
    """Draw the points on the displayed coordinates; one coordinate is drawn as stacked dots.

    Parameters
    ----------
    display : Display
        Where to draw them.
    dataset : Dataset
        Its labels give the colours.
    """
    rows = _rows_of(dataset)
    stacked = is_stacked(display)
    if stacked:
        stack = dot_stack(display.coordinates[rows, 0])
        x, y = np.full(dataset.n_points, np.nan), np.full(dataset.n_points, np.nan)
        x[rows], y[rows] = stack.positions, stack.heights + 1
    else:
        x, y = display.coordinates.T
    figure = go.Figure([_scatter(group, x, y) for group in _groups(dataset, rows)])
    name_axes(figure, display, x[rows], y[rows])
    return finish(figure, 440, showlegend=dataset.labels is not None)


def name_axes(figure: go.Figure, display: Display, x: ArrayLike, y: ArrayLike) -> None:
    """Name the axes of displayed points.

    Two coordinates get one scale, so that circles stay circles, unless one of them spans far more than the other.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Changed in place.
    display : Display
    x, y : ndarray (n,)
        The places of its points.
    """
    stacked = is_stacked(display)
    figure.update_xaxes(title=inert(display.axis_names[0]))
    figure.update_yaxes(title="Points at this value" if stacked else inert(display.axis_names[1]))
    wide, high = float(np.ptp(x)), float(np.ptp(y))
    if not stacked and max(wide, high) <= 3 * min(wide, high):
        figure.update_yaxes(scaleanchor="x")


def is_stacked(display: Display) -> bool:
    """Return whether points have one coordinate, so that they are drawn as stacked dots."""
    return display.coordinates.shape[1] == 1


def scatter_matrix(dataset: Dataset, columns: Sequence[str]) -> go.Figure:
    """Draw every pair of some columns, and the histogram of each.

    Parameters
    ----------
    dataset : Dataset
    columns : sequence of str
        One to five or so names of columns.

    Returns
    -------
    plotly.graph_objects.Figure
        Lower triangle only: the upper would repeat it.
    """
    n_columns = len(columns)
    indices = [dataset.feature_names.index(column) for column in columns]
    lower: list[list[dict[str, Any] | None]] = [
        [{} if across <= down else None for across in range(n_columns)] for down in range(n_columns)
    ]
    figure = make_subplots(
        n_columns, n_columns, specs=lower, shared_xaxes="columns", horizontal_spacing=0.02, vertical_spacing=0.02
    )
    groups = _groups(dataset, _rows_of(dataset), size=4)
    for down, index in enumerate(indices):
        for across, other in enumerate(indices[:down]):
            for group in groups:
                trace = _scatter(group, dataset.X[:, other], dataset.X[:, index])
                figure.add_trace(trace.update(showlegend=False), down + 1, across + 1)
        bars = _Bars.of(dataset, index)
        for group in groups:
            bar = bars.of_group(group, dataset.X[:, index])
            figure.add_trace(bar.update(showlegend=group.shown and down == 0), down + 1, down + 1)
    finish(figure, 120 + 150 * n_columns, barmode="stack", bargap=0, showlegend=dataset.labels is not None)
    return _name_matrix_axes(figure, columns)


def _name_matrix_axes(figure: go.Figure, columns: Sequence[str]) -> go.Figure:
    """Write names and numbers at the left and at the bottom only."""
    for place, column in enumerate(columns, start=1):
        figure.update_yaxes(row=place, col=1, title=inert(column, 20))
        title = {"text": inert(column, 12), "font": {"size": 10}}  # short enough for a phone
        figure.update_xaxes(row=len(columns), col=place, title=title)
        for across in range(2, place):
            figure.update_yaxes(row=place, col=across, showticklabels=False)
        figure.update_yaxes(row=place, col=place, showticklabels=False, showgrid=False)
    return figure


def column_histograms(dataset: Dataset, columns: Sequence[str]) -> go.Figure:
    """Draw the distribution of every given column, two side by side; all rows are counted.

    Parameters
    ----------
    dataset : Dataset
    columns : sequence of str
        Names of columns, at least one.
    """
    n_rows = (len(columns) + 1) // 2
    across = min(2, len(columns))
    titles = [inert(column, 20) for column in columns]
    height = 60 + 200 * n_rows
    gap = min(84 / height, 1 / n_rows)  # room for the numbers under one histogram and the name over the next
    figure = make_subplots(n_rows, across, subplot_titles=titles, vertical_spacing=gap, horizontal_spacing=0.1)
    for position, column in enumerate(columns):
        place = {"row": position // 2 + 1, "col": position % 2 + 1}
        bars = _Bars.of(dataset, dataset.feature_names.index(column))
        width = bars.widths * (0.8 if bars.names else 1)
        figure.add_trace(go.Bar(x=bars.middles, y=bars.counts, width=width, marker_color=ACCENT), **place)
        if bars.names:
            figure.update_xaxes(tickvals=bars.middles, ticktext=[inert(name, 12) for name in bars.names], **place)
    figure.update_annotations(font_size=13)
    return finish(figure, height, showlegend=False, bargap=0)


def label_balance(dataset: Dataset) -> go.Figure:
    """Draw the sizes of the reference groups, the largest first.

    Parameters
    ----------
    dataset : Dataset
        With labels.
    """
    if dataset.labels is None or dataset.label_names is None:
        raise ValueError("label_balance needs a dataset with labels.")
    counts = np.bincount(dataset.labels, minlength=len(dataset.label_names))
    order = [int(code) for code in np.argsort(-counts, kind="stable") if counts[code]]
    names = [dataset.label_names[code] for code in order[:MOST_BARS]]
    sizes = [int(counts[code]) for code in order[:MOST_BARS]]
    colors = [GROUP_COLORS[code % len(GROUP_COLORS)] for code in order[:MOST_BARS]]
    if len(order) > MOST_BARS:
        names.append(f"{len(order) - MOST_BARS:,} smaller groups")
        sizes.append(int(counts[order[MOST_BARS:]].sum()))
        colors.append(OTHER_COLOR)
    shares = [f"{size:,} ({size / dataset.n_points:.1%})" for size in sizes]
    return _bars_with_names(names, sizes, shares, colors, "Rows")


def missing_values(frame: pd.DataFrame) -> go.Figure:
    """Draw the numbers of missing cells of each column, the emptiest column first.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table as loaded; columns without missing cells are not drawn.
    """
    missing = frame.isna().sum()
    worst = missing[missing > 0].sort_values(ascending=False, kind="stable")
    names = [str(name) for name in worst.index[:MOST_BARS]]
    sizes = [int(number) for number in worst.iloc[:MOST_BARS]]
    shares = [f"{size:,} ({size / len(frame):.1%})" for size in sizes]
    return _bars_with_names(names, sizes, shares, [ACCENT] * len(names), "Missing cells")


def correlations(dataset: Dataset) -> FloatArray:
    """Pearson correlation of the first ``MOST_CORRELATED`` columns; NaN if a column is constant.

    Missing cells are left out pair by pair.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    ndarray (C, C)
    """
    table = dataset.X[:, :MOST_CORRELATED]
    varying = np.flatnonzero(np.nanmax(table, axis=0) > np.nanmin(table, axis=0))
    matrix = np.full((table.shape[1], table.shape[1]), np.nan)
    if np.isnan(table).any():
        matrix[np.ix_(varying, varying)] = pd.DataFrame(table[:, varying]).corr(min_periods=3)
    elif len(varying):
        matrix[np.ix_(varying, varying)] = np.atleast_2d(np.corrcoef(table[:, varying], rowvar=False))
    return matrix


def correlation_heatmap(matrix: FloatArray, names: Sequence[str]) -> go.Figure:
    """Draw a correlation matrix.

    Parameters
    ----------
    matrix : ndarray (C, C)
        Result of :func:`correlations`.
    names : sequence of str, length C or more
        Names of the columns.
    """
    size = len(matrix)
    written = size <= 12
    heatmap = go.Heatmap(
        z=matrix,
        zmin=-1,
        zmax=1,
        colorscale="RdBu",
        colorbar={
            "orientation": "h",
            "thickness": 10,
            "len": 0.5,
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
        },
        texttemplate="%{z:.2f}" if written else None,
        hovertemplate="%{x}<br>%{y}<br>r = %{z:.3f}<extra></extra>",
        hoverongaps=False,
    )
    figure = go.Figure(heatmap)
    labels = {"tickvals": list(range(size)), "ticktext": [inert(name, 22) for name in names[:size]], "showgrid": False}
    figure.update_xaxes(**labels, tickangle=-45 if size > 4 else 0, constrain="domain", constraintoward="left")
    figure.update_yaxes(**labels, autorange="reversed", scaleanchor="x", constrain="domain", constraintoward="top")
    return finish(figure, min(760, 180 + 60 * size))


def explained_variance(shares: FloatArray, n_chosen: int) -> go.Figure:
    """Draw the share of variance along each principal component, the clustered ones in colour.

    Parameters
    ----------
    shares : ndarray (C,)
        Shares of the total variance, in 0..1.
    n_chosen : int
        Number of clustered components.
    """
    numbers = np.arange(1, len(shares) + 1)
    colors = [ACCENT if number <= n_chosen else OTHER_COLOR for number in numbers]
    hover = "Component %{x}: %{y:.1%}<extra></extra>"
    figure = go.Figure(go.Bar(x=numbers, y=shares, marker_color=colors, hovertemplate=hover))
    figure.add_scatter(
        x=numbers,
        y=np.cumsum(shares),
        mode="lines+markers",
        line={"color": OTHER_COLOR},
        marker={"size": 4},
        hovertemplate="First %{x}: %{y:.1%}<extra></extra>",
    )
    figure.update_xaxes(title="Principal component", dtick=max(1, len(shares) // 10))
    figure.update_yaxes(title="Variance", tickformat=".0%", range=[0, 1.05])
    return finish(figure, 200, showlegend=False, margin={"l": 8, "r": 8, "t": 8, "b": 8})


def column_summary(dataset: Dataset) -> pd.DataFrame:
    """Summarise every column in numbers.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    pandas.DataFrame
        One row per column; ``Missing`` counts empty cells, in the table as it came where there is one. All else is of
        the other cells. The standard deviation divides by N − 1.
    """
    X, periods = dataset.X, [period_of(kind) for kind in dataset.kinds]
    turned = [x if period is None else about_mean(x, period) for x, period in zip(X.T, periods, strict=True)]
    about = np.column_stack(turned)  # each that begins again about its mean direction
    n_cells, means = np.sum(~np.isnan(X), axis=0), np.nanmean(about, axis=0)
    quartiles = np.nanpercentile(X, [0, 25, 50, 75, 100], axis=0)
    with np.errstate(invalid="ignore"):  # a single cell has no deviation
        spread = np.sqrt(np.nansum((about - means) ** 2, axis=0) / np.where(n_cells > 1, n_cells - 1, np.nan))
    summary = pd.DataFrame(
        {"Column": dataset.feature_names, "Kind": dataset.kinds}
        | dict(zip(("Minimum", "Lower quartile", "Median", "Upper quartile", "Maximum"), quartiles, strict=True))
        | {"Mean": [mean if period is None else mean % period for mean, period in zip(means, periods, strict=True)]}
        | {"Standard deviation": spread}
    )
    frame = dataset.frame
    if frame is not None and all(name in frame for name in dataset.feature_names):
        summary["Missing"] = [int(frame[name].isna().sum()) for name in dataset.feature_names]
    elif dataset.gaps:
        summary["Missing"] = len(X) - n_cells
    summary["Distinct"] = [len(np.unique(column[~np.isnan(column)])) for column in X.T]
    return summary


class _Bars(NamedTuple):
    """A histogram: one bar per category or whole number where there are few, else up to 40 equal bins."""

    edges: FloatArray
    counts: IntArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset, index: int) -> _Bars:
        column = dataset.X[:, index]
        column = column[~np.isnan(column)]
        names = dataset.category_names[index]
        low, high = column.min(), column.max()
        if names:
            edges = np.arange(len(names) + 1) - 0.5
        elif high - low <= 40 and np.array_equal(column, np.floor(column)):
            edges = np.arange(low, high + 2) - 0.5
        else:
            edges = np.linspace(low, high, min(40, max(8, int(np.sqrt(len(column))))) + 1)
        if np.any(np.diff(edges) <= 0):  # all but one value, or values too close for a bin between them
            edges = np.array([low - 0.5 * max(1.0, abs(low)), high + 0.5 * max(1.0, abs(high))])
        return cls(
            edges.astype(np.float64), np.histogram(column, edges)[0].astype(np.int64), names if len(names) <= 8 else ()
        )

    @property
    def middles(self) -> FloatArray:
        return (self.edges[1:] + self.edges[:-1]) / 2

    @property
    def widths(self) -> FloatArray:
        return np.diff(self.edges)

    def of_group(self, group: _Group, column: FloatArray) -> go.Bar:
        """Return the bars of one group alone, which count the rows drawn in scatter plots."""
        return go.Bar(
            x=self.middles,
            y=np.histogram(column[group.rows], self.edges)[0],
            width=self.widths,
            name=group.name,
            legendgroup=group.name,
            marker={"color": group.marker["color"], "line": {"width": 0}},
            hovertemplate="%{x:.4g}: %{y}<extra></extra>",
        )


def _groups(dataset: Dataset, rows: IntArray, size: float = 5) -> list[_Group]:
    """Split rows by reference group; the smallest of very many groups share one colour."""
    if dataset.labels is None or dataset.label_names is None:
        return [_Group("", rows, group_marker(-1, size), False)]
    counts = np.bincount(dataset.labels, minlength=len(dataset.label_names))
    kept = sorted(int(code) for code in np.argsort(-counts, kind="stable")[:MOST_GROUPS] if counts[code])
    codes, names = dataset.labels[rows], dataset.label_names
    groups = [_Group(inert(names[code], 24), rows[codes == code], group_marker(code, size), True) for code in kept]
    rest = rows[~np.isin(codes, kept)]
    if len(rest):
        n_rest = int(np.sum(counts > 0)) - len(kept)
        groups.append(_Group(f"{n_rest:,} smaller groups", rest, group_marker(-1, size) | {"color": OTHER_COLOR}, True))
    return groups


def _scatter(group: _Group, x: FloatArray, y: FloatArray) -> go.Scatter:
    return go.Scatter(
        x=x[group.rows],
        y=y[group.rows],
        mode="markers",
        name=group.name,
        legendgroup=group.name,
        marker=group.marker,
        showlegend=group.shown,
        customdata=group.rows + 1,
        hovertemplate="row %{customdata}: (%{x:.4g}, %{y:.4g})<extra></extra>",
    )


def _bars_with_names(
    names: Sequence[str], sizes: Sequence[int], texts: Sequence[str], colors: Sequence[str], title: str
) -> go.Figure:
    positions = list(range(len(names)))  # names may repeat once they are shortened, so they only label positions
    bars = go.Bar(
        y=positions,
        x=sizes,
        orientation="h",
        text=texts,
        textposition="auto",
        marker_color=colors,
        hovertemplate="%{text}<extra></extra>",
    )
    figure = go.Figure(bars)
    figure.update_yaxes(tickvals=positions, ticktext=[inert(name, 28) for name in names], autorange="reversed")
    figure.update_xaxes(title=title, rangemode="tozero")
    return finish(figure, 90 + 30 * max(2, len(names)), showlegend=False, bargap=0.25)
