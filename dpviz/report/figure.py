"""Figures for papers: clusters, or the course of a run, as SVG or PDF in the widths of a column.

matplotlib draws them, an extra (``pip install 'dpviz[figures]'``): it writes text as text, and needs no browser.
"""

from __future__ import annotations

import io
import textwrap
import threading
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidParameterError, extra, require, require_one_of
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.report.axes import Axis, axes_of
from dpviz.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ONE_COLUMN, TWO_COLUMNS = 89.0, 183.0
"""Widths (mm) of a figure in one column of a journal, and across both."""
NARROWEST, WIDEST = 40.0, 400.0
FORMATS = ("svg", "pdf")
PARTS = ("clusters", "curve")
MM = 1 / 25.4
MOST_NAMED, MOST_VECTORS = 24, 20_000
"""Clusters in the legend; points that are drawn as shapes, of more as one picture of 600 dots per inch."""
_MARKERS = ("o", "s", "^", "D")
PALETTE = CLUSTER_COLORS["light"]
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 7.0,
    "axes.labelsize": 7.0,
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 6.0,
    "ytick.labelsize": 6.0,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2.0,
    "ytick.major.size": 2.0,
    "legend.fontsize": 6.0,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "svg.hashsalt": "dpviz",
    "savefig.dpi": 600,
    "path.simplify": False,
}
_ONE_AT_A_TIME = threading.Lock()
"""matplotlib's style is one for the whole process."""


def paper_figure(
    dataset: Dataset,
    trace: Trace,
    X: FloatArray | None = None,
    *,
    format: str = "svg",
    part: str = "clusters",
    columns: Sequence[str] = (),
    width: float = ONE_COLUMN,
    joined: ArrayLike | None = None,
    names: Sequence[str] = (),
    colours: Sequence[int] = (),
) -> bytes:
    """Draw a run for a paper.

    Parameters
    ----------
    dataset : Dataset
        The data in their own units, which the axes have.
    trace : Trace
        A run on them.
    X : ndarray (N, D), optional
        What the run clustered, if columns were scaled; by default ``dataset.X``.
    format : {"svg", "pdf"}
    part : {"clusters", "curve"}
        The points of the result with their clusters, or the nll (or objective) after every sweep.
    columns : sequence of str
        One or two columns to show; by default those of a table of up to two, else principal components of the
        standardised columns. One column is a histogram.
    width : float
        In mm, from 40 to 400; journals often have 89 for one column and 183 for two.
    joined : array_like of int (N,), optional
        Clusters of the result joined to fewer.
    names : sequence of str
        Of the clusters in the order of their labels, for the legend; “cluster” and the label, from 0, by default.
    colours : sequence of int
        Which colour of the palette each has, from 0; in their order by default.

    Returns
    -------
    bytes
        The file: texts are texts, and colours stay apart for colour-blind readers.

    Raises
    ------
    InvalidParameterError, InvalidDataError
    MissingPackageError
        Without matplotlib.
    """
    check_trace(trace)
    require_one_of("format", format, FORMATS)
    require_one_of("part", part, PARTS)
    require(NARROWEST <= width <= WIDEST, "width", width, f"from {NARROWEST:g} to {WIDEST:g} (mm)")
    labels = np.unique(trace.result_labels if joined is None else np.asarray(joined), return_inverse=True)[1]
    require(len(labels) == dataset.n_points, "dataset", dataset.n_points, f"the {len(labels):,} rows of the run")
    n_clusters = int(labels.max()) + 1
    called = list(names) or [f"cluster {k}" for k in range(n_clusters)]
    require(len(called) == n_clusters, "names", called, f"one for each of {counted(n_clusters, 'cluster')}")
    shades = list(colours) or list(range(n_clusters))
    require(len(shades) == n_clusters, "colours", shades, f"one for each of {counted(n_clusters, 'cluster')}")
    with extra("figures", "a figure for papers"):
        import matplotlib
        from matplotlib.figure import Figure
    with _ONE_AT_A_TIME, matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that the font lacks, which an SVG has nevertheless
        figure = Figure(figsize=(width * MM, (0.75 if width < 120 else 0.6) * width * MM), layout="constrained")
        axes = figure.add_subplot()
        if part == "curve":
            _curve(axes, trace)
        else:
            _clusters(figure, axes, axes_of(dataset, dataset.X if X is None else X, columns), labels, called, shades)
        file = io.BytesIO()
        dated = {"Date": None} if format == "svg" else {"CreationDate": None}
        figure.savefig(file, format=format, metadata={**dated, "Title": dataset.title})
    return file.getvalue()


def _clusters(
    figure: Figure, axes: Axes, shown: list[Axis], labels: IntArray, names: list[str], colours: list[int]
) -> None:
    """Draw points, or a histogram of one column, and a legend with the sizes."""
    known = np.isfinite([axis.values for axis in shown]).all(axis=0)
    if not known.any():
        raise InvalidParameterError("in every row a cell of these columns is missing; choose others.")
    sizes = np.bincount(labels)
    titles = [
        f"{name} ({size:,})" if k < MOST_NAMED else "" for k, (name, size) in enumerate(zip(names, sizes, strict=True))
    ]
    (_points if len(shown) == 2 else _histogram)(axes, shown, np.where(known, labels, -1), titles, colours)
    _name(axes, "x", shown[0])
    if len(shown) == 2:
        _name(axes, "y", shown[1])
    else:
        axes.set_ylabel("rows")
    more, across = len(sizes) - MOST_NAMED, round(figure.get_figwidth() / MM / 34)
    legend = figure.legend(
        loc="outside lower center",
        ncols=max(1, across),
        frameon=False,
        markerscale=1.5,
        handletextpad=0.2,
        columnspacing=0.8,
        title=f"and {more:,} more" if more > 0 else None,
    )
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_alpha(1.0)


def _points(axes: Axes, shown: list[Axis], labels: IntArray, titles: list[str], colours: list[int]) -> None:
    """Draw points, those of small clusters on top."""
    places, sizes = [_apart(axis) for axis in shown], np.bincount(labels[labels >= 0], minlength=len(titles))
    above = np.argsort(np.argsort(-sizes, kind="stable"))
    for k, title in enumerate(titles):
        x, y = (place[labels == k] for place in places)
        axes.scatter(
            x,
            y,
            s=6.0 if len(labels) <= 1_000 else 2.0,
            color=_colour(colours[k]),
            alpha=0.75,
            linewidths=0,
            marker=_MARKERS[colours[k] // len(PALETTE) % len(_MARKERS)],
            rasterized=len(labels) > MOST_VECTORS,
            label=title or None,
            zorder=2 + above[k] / len(titles),
        )


def _histogram(axes: Axes, shown: list[Axis], labels: IntArray, titles: list[str], colours: list[int]) -> None:
    """Draw the rows of each cluster on those of the clusters before."""
    values = shown[0].values
    n_known = int((labels >= 0).sum())
    edges = np.histogram_bin_edges(values[labels >= 0], "auto" if n_known < 1e5 else 100)
    floor = np.zeros(len(edges) - 1)
    for k, title in enumerate(titles):
        top = floor + np.histogram(values[labels == k], edges)[0]
        axes.stairs(top, edges, baseline=floor, fill=True, color=_colour(colours[k]), label=title or None)
        floor = top


def _colour(number: int) -> str:
    return PALETTE[number % len(PALETTE)]


def _apart(axis: Axis) -> FloatArray:
    """Move the points of a category apart, evenly over half of its room; numbers stay."""
    shift = np.random.default_rng(0).permutation(len(axis.values)) / max(len(axis.values) - 1, 1) - 0.5
    return axis.values + 0.5 * shift if axis.words else axis.values


def _name(axes: Axes, which: str, axis: Axis) -> None:
    """Name an axis; dates have days on it, and categories their words."""
    own = axes.xaxis if which == "x" else axes.yaxis
    figure = axes.figure
    length = float(figure.bbox.width if which == "x" else figure.bbox.height) / figure.dpi / MM
    own.set_label_text(textwrap.fill(axis.name, max(int(0.5 * length), 12)))
    if axis.is_date:
        own.axis_date()
    elif axis.words:
        own.set_ticks(range(len(axis.words)), list(axis.words))


def _curve(axes: Axes, trace: Trace) -> None:
    """Draw nll or objective after every sweep; of a chain the burn-in is shaded."""
    algorithm = ALGORITHMS[trace.config.algorithm]
    series = trace.nll if algorithm.has_nll else trace.objective
    sweeps = np.arange(len(series))
    known = np.isfinite(series)
    axes.plot(sweeps[known], series[known], color=PALETTE[0], linewidth=0.8)
    axes.set_xlabel("sweep")
    axes.set_ylabel("−ln p(data, partition) (nats)" if algorithm.has_nll else f"objective ({algorithm.unit})")
    if trace.is_chain and trace.config.burn_in:
        axes.axvspan(0, min(trace.config.burn_in, len(series) - 1), color="0.9", linewidth=0)
        axes.set_title("shaded: burn-in", fontsize=6.0, loc="left")
