"""Figures 3 to 8 of Lu, Li & Dunson (2018), from the results of studies.

Each function takes the results and the cells (row, column) to show, as :class:`~dpviz.analysis.studies.study.Figure`
has them; :data:`STUDY_FIGURES` finds it by the figure's kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpviz.analysis.studies.long_chains import clustered_points, loss_name, weighted_densities
from dpviz.analysis.studies.lu2018_tables import POWERS
from dpviz.analysis.studies.measures import by_size
from dpviz.analysis.studies.results import Record, Results
from dpviz.analysis.studies.study import StudyCell, study_named
from dpviz.figures.theme import ACCENT, GROUP_COLORS, SYMBOLS, finish, group_marker
from dpviz.text import inert

Cells = Sequence[tuple[str, str]]
_GREY = "rgba(128, 128, 128, 0.18)"
_LINE = "rgba(128, 128, 128, 0.9)"
MOST_VALUES = 1000
"""Longer traces are drawn at so many evenly spaced sweeps."""
N_POSITIONS = 400
PANEL = 260
"""Height of a row of panels in pixels."""


def power_losses(results: Results, cells: Cells) -> go.Figure:
    """Draw the cross-validated loss over the powers, a panel per cell and a line per repetition (2018 Fig. 3).

    The power that was chosen is marked on each line.
    """
    figure = _panels([row for row, _ in cells])
    for number, (row, column) in enumerate(cells):
        place = _place(number)
        for record in results.of(row, column):
            color = GROUP_COLORS[record.repetition % len(GROUP_COLORS)]
            losses = [record.numbers[loss_name(power)] for power in POWERS]
            power = record.numbers["power"]
            name = f"repetition {record.repetition + 1}"
            figure.add_scatter(
                x=POWERS, y=losses, mode="lines", line={"color": color, "width": 1.5}, name=name, showlegend=False,
                hovertemplate=f"{name}: r = %{{x}}, loss %{{y:.3f}}<extra></extra>", **place,
            )  # fmt: skip
            figure.add_scatter(
                x=[power], y=[record.numbers[loss_name(power)]], mode="markers", marker={"color": color, "size": 9},
                showlegend=False, hovertemplate=f"{name}: r = %{{x}} is chosen<extra></extra>", **place,
            )  # fmt: skip
        figure.update_xaxes(title="Power r", **place)
        figure.update_yaxes(title="Loss" if number % 2 == 0 else None, **place)
    return finish(figure, PANEL * _n_rows(len(cells)), showlegend=False)


def cluster_counts(results: Results, cells: Cells) -> go.Figure:
    """Draw the number of clusters over the sweeps, a panel per cell, the burn-in shaded (2018 Fig. 4)."""
    figure = _beside(cells)
    for number, cell in enumerate(cells, 1):
        record = _first(results, cell)
        values = record.arrays["k_trace"]
        kept = np.unique(np.round(np.linspace(0, len(values) - 1, min(len(values), MOST_VALUES))).astype(int))
        figure.add_scatter(
            x=kept * record.config.thin, y=values[kept], mode="lines", line={"color": ACCENT, "width": 1},
            hovertemplate="sweep %{x:,}: K = %{y}<extra></extra>", row=1, col=number,
        )  # fmt: skip
        figure.add_vrect(
            x0=0, x1=record.config.burn_in, fillcolor=_GREY, line_width=0, layer="below", row=1, col=number
        )
        figure.update_xaxes(title="Sweep", row=1, col=number)
    figure.update_yaxes(title="K", row=1, col=1)
    return finish(figure, PANEL + 40, showlegend=False)


def cluster_count_laws(results: Results, cells: Cells) -> go.Figure:
    """Draw the posterior of the number of clusters, a panel per row and a mark per method (2018 Fig. 6).

    Draws of all repetitions count alike.
    """
    rows = list(dict.fromkeys(row for row, _ in cells))
    columns = list(dict.fromkeys(column for _, column in cells))
    figure = _panels(rows)
    for row, column in cells:
        number, method = rows.index(row), columns.index(column)
        law = pooled_law(results.of(row, column))
        figure.add_scatter(
            x=np.arange(1, len(law)), y=law[1:], name=inert(column), legendgroup=column, showlegend=number == 0,
            mode="lines+markers", line={"color": GROUP_COLORS[method], "width": 1},
            marker={"color": GROUP_COLORS[method], "symbol": SYMBOLS[method], "size": 8},
            hovertemplate=f"{inert(column)}: K = %{{x}} with probability %{{y:.3f}}<extra></extra>", **_place(number),
        )  # fmt: skip
        figure.update_xaxes(title="K", dtick=1, **_place(number))
        figure.update_yaxes(title="Probability" if number % 2 == 0 else None, **_place(number))
    return finish(figure, PANEL * _n_rows(len(rows)) + 30, showlegend=True, legend_y=1.08)


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
        place = {"row": 1, "col": number}
        figure.add_histogram(
            x=X[:, 0], histnorm="probability density", marker={"color": _GREY}, hoverinfo="skip", nbinsx=60, **place
        )
        figure.add_scatter(x=at[:, 0], y=parts.sum(axis=0), mode="lines", line={"color": ACCENT, "width": 2},
                           hovertemplate="density %{y:.3f}<extra></extra>", **place)  # fmt: skip
        for k, part in enumerate(parts[:-1], 1):
            figure.add_scatter(x=at[:, 0], y=part, mode="lines", line={"color": _LINE, "width": 1.2, "dash": "dash"},
                               hovertemplate=f"cluster {k}: %{{y:.3f}}<extra></extra>", **place)  # fmt: skip
    figure.update_yaxes(title="Density", row=1, col=1)
    return finish(figure, PANEL + 40, showlegend=False)


def partitions_in_plane(results: Results, cells: Cells) -> go.Figure:
    """Draw the first two columns of the points by true group, then by the clusters of each cell (2018 Fig. 7)."""
    figure = _beside([("", "True groups"), *cells])
    data = clustered_points(_cell(results, cells[0]))
    partitions = [] if data.labels is None else [data.labels]
    partitions += [_first(results, cell).arrays["labels"] for cell in cells]
    for number, labels in enumerate(map(by_size, partitions), 1):
        for k in np.unique(labels):
            members = data.X[labels == k]
            figure.add_scattergl(
                x=members[:, 0], y=members[:, 1], mode="markers", marker=group_marker(int(k), 4), row=1, col=number,
                hovertemplate=f"cluster {k + 1} of {len(members):,} points<extra></extra>",
            )  # fmt: skip
        figure.update_xaxes(title=inert(data.feature_names[0], 18), row=1, col=number)
    figure.update_yaxes(title=inert(data.feature_names[1]), row=1, col=1)
    return finish(figure, PANEL + 60, showlegend=False)


def cluster_sizes(results: Results, cells: Cells) -> go.Figure:
    """Draw the sizes of the clusters of the draw that fits best, the largest first (2018 Fig. 8b)."""
    figure = go.Figure()
    for number, (row, column) in enumerate(cells):
        sizes = _first(results, (row, column)).arrays["sizes"]
        figure.add_bar(
            x=np.arange(1, len(sizes) + 1), y=sizes, name=inert(column), marker={"color": GROUP_COLORS[number]},
            hovertemplate=f"{inert(column)}, cluster %{{x}}: %{{y:,}} points<extra></extra>",
        )  # fmt: skip
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


def _panels(titles: Sequence[str]) -> go.Figure:
    """Panels in rows of two."""
    n_columns = min(2, len(titles))
    return make_subplots(
        _n_rows(len(titles)), n_columns, subplot_titles=[inert(title) for title in titles], vertical_spacing=0.2,
        horizontal_spacing=0.1,
    )  # fmt: skip


def _n_rows(n_panels: int) -> int:
    return (n_panels + 1) // 2


def _place(number: int) -> dict[str, int]:
    return {"row": number // 2 + 1, "col": number % 2 + 1}
