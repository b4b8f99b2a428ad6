"""Figures 3 to 8 of Lu, Li & Dunson (2018), from the results of studies.

Each function takes the results and the cells (row, column) to show, as :class:`~dpviz.analysis.studies.study.Figure`
has them; :data:`STUDY_FIGURES` finds it by the figure's kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from dpviz.analysis.studies.long_chains import clustered_points, losses_by_power, weighted_densities
from dpviz.analysis.studies.measures import by_size
from dpviz.analysis.studies.reading import study_named
from dpviz.analysis.studies.results import Record, Results
from dpviz.analysis.studies.study import StudyCell
from dpviz.figures.cluster_counts import count_laws, count_traces, in_twos, place
from dpviz.figures.theme import ACCENT, GROUP_COLORS, finish, group_marker, point_trace
from dpviz.text import counted, inert

Cells = Sequence[tuple[str, str]]
_GREY = "rgba(128, 128, 128, 0.18)"
_LINE = "rgba(128, 128, 128, 0.9)"
N_POSITIONS = 400
PANEL = 260
"""Height of a row of panels in pixels."""


def power_losses(results: Results, cells: Cells) -> go.Figure:
    """Draw the cross-validated loss over the powers, a panel per cell and a line per repetition (2018 Fig. 3).

    The chosen power is marked on each line.
    """
    figure = in_twos([row for row, _ in cells])
    for number, (row, column) in enumerate(cells):
        panel = place(number)
        for record in results.of(row, column):
            color = GROUP_COLORS[record.repetition % len(GROUP_COLORS)]
            losses, power = losses_by_power(record.numbers), record.numbers["power"]
            name = f"repetition {record.repetition + 1}"
            figure.add_scatter(
                x=list(losses),
                y=list(losses.values()),
                mode="lines",
                line={"color": color, "width": 1.5},
                name=name,
                showlegend=False,
                hovertemplate=f"{name}: r = %{{x}}, loss %{{y:.3f}}<extra></extra>",
                **panel,
            )
            figure.add_scatter(
                x=[power],
                y=[losses[power]],
                mode="markers",
                marker={"color": color, "size": 9},
                showlegend=False,
                hovertemplate=f"{name}: r = %{{x}} is chosen<extra></extra>",
                **panel,
            )
        figure.update_xaxes(title="Power r", **panel)
        figure.update_yaxes(title="Loss" if number % 2 == 0 else None, **panel)
    return finish(figure, PANEL * ((len(cells) + 1) // 2), showlegend=False)


def cluster_counts(results: Results, cells: Cells) -> go.Figure:
    """Draw the number of clusters over the sweeps, a panel per cell, the burn-in shaded (2018 Fig. 4)."""
    records = {column: _first(results, (row, column)) for row, column in cells}
    config = next(iter(records.values())).config
    traces = {column: record.arrays["k_trace"] for column, record in records.items()}
    return count_traces(traces, config.thin, config.burn_in, PANEL + 40)


def cluster_count_laws(results: Results, cells: Cells) -> go.Figure:
    """Draw the posterior of the number of clusters, a panel per row and a mark per method (2018 Fig. 6).

    Draws of all repetitions have equal weight.
    """
    panels: dict[str, dict[str, tuple[ArrayLike, ArrayLike]]] = {}
    for row, column in cells:
        law = pooled_law(results.of(row, column))
        panels.setdefault(row, {})[column] = np.arange(1, len(law)), law[1:]
    return count_laws(panels, PANEL)


def pooled_law(records: Sequence[Record]) -> np.ndarray:
    """Return the share of draws with K = 0, 1, … clusters among those of all records."""
    counts = np.zeros(max(len(record.arrays["k_counts"]) for record in records))
    for record in records:
        counts[: len(record.arrays["k_counts"])] += record.arrays["k_counts"]
    return counts / counts.sum()


def densities(results: Results, cells: Cells) -> go.Figure:
    """Draw the density of the draw that fits best with its weighted clusters, over the points (2018 Fig. 5).

    For data of one column; the histogram is of the points.
    """
    figure = _beside(cells)
    for number, cell in enumerate(cells, 1):
        record, X = _first(results, cell), clustered_points(_cell(results, cell)).X
        at = np.linspace(X.min(), X.max(), N_POSITIONS)[:, None]
        parts = weighted_densities(X, record.config, record.arrays["labels"], at)
        panel = {"row": 1, "col": number}
        figure.add_histogram(
            x=X[:, 0], histnorm="probability density", marker={"color": _GREY}, hoverinfo="skip", nbinsx=60, **panel
        )
        figure.add_scatter(
            x=at[:, 0],
            y=parts.sum(axis=0),
            mode="lines",
            line={"color": ACCENT, "width": 2},
            hovertemplate="density %{y:.3f}<extra></extra>",
            **panel,
        )
        for k, part in enumerate(parts[:-1], 1):
            figure.add_scatter(
                x=at[:, 0],
                y=part,
                mode="lines",
                line={"color": _LINE, "width": 1.2, "dash": "dash"},
                hovertemplate=f"cluster {k}: %{{y:.3f}}<extra></extra>",
                **panel,
            )
    figure.update_yaxes(title="Density", row=1, col=1)
    return finish(figure, PANEL + 40, showlegend=False)


def partitions_in_plane(results: Results, cells: Cells) -> go.Figure:
    """Draw the first two columns of the points by true group, then by the clusters of each cell (2018 Fig. 7)."""
    figure = _beside([("", "True groups"), *cells])
    data = clustered_points(_cell(results, cells[0]))
    partitions = [] if data.labels is None else [data.labels]
    partitions += [_first(results, cell).arrays["labels"] for cell in cells]
    trace = point_trace(len(data.X) * len(partitions))
    for number, labels in enumerate(map(by_size, partitions), 1):
        for k in np.unique(labels):
            members = data.X[labels == k]
            figure.add_trace(
                trace(
                    x=members[:, 0],
                    y=members[:, 1],
                    mode="markers",
                    marker=group_marker(int(k)),
                    hovertemplate=f"cluster {k + 1} of {counted(len(members), 'point')}<extra></extra>",
                ),
                row=1,
                col=number,
            )
        figure.update_xaxes(title=inert(data.feature_names[0], 18), row=1, col=number)
    figure.update_yaxes(title=inert(data.feature_names[1]), row=1, col=1)
    return finish(figure, PANEL + 60, showlegend=False)


def cluster_sizes(results: Results, cells: Cells) -> go.Figure:
    """Draw the sizes of the clusters of the draw that fits best, the largest first (2018 Fig. 8b)."""
    figure = go.Figure()
    for number, (row, column) in enumerate(cells):
        sizes = _first(results, (row, column)).arrays["sizes"]
        figure.add_bar(
            x=np.arange(1, len(sizes) + 1),
            y=sizes,
            name=inert(column),
            marker={"color": GROUP_COLORS[number]},
            hovertemplate=f"{inert(column)}, cluster %{{x}}: %{{y:,}} points<extra></extra>",
        )
    figure.update_xaxes(title="Rank of the cluster", dtick=1)
    figure.update_yaxes(title="Points in it")
    return finish(figure, PANEL + 40, showlegend=True, barmode="group")


STUDY_FIGURES: Mapping[str, Callable[[Results, Cells], go.Figure]] = MappingProxyType(
    {
        "power_losses": power_losses,
        "cluster_counts": cluster_counts,
        "cluster_count_laws": cluster_count_laws,
        "densities": densities,
        "partitions_in_plane": partitions_in_plane,
        "cluster_sizes": cluster_sizes,
    }
)
"""Function by the kind of a study's figure."""


def _first(results: Results, cell: tuple[str, str]) -> Record:
    return results.of(*cell)[0]


def _cell(results: Results, cell: tuple[str, str]) -> StudyCell:
    """Return the study's cell that the first repetition came from."""
    cells = study_named(results.study).cells(**results.size)
    return next(c for c in cells if c.key == (*cell, 0))


def _beside(cells: Cells) -> go.Figure:
    titles = [inert(column) for _, column in cells]
    return make_subplots(
        1, len(cells), shared_xaxes="all", shared_yaxes="all", horizontal_spacing=0.03, subplot_titles=titles
    )
