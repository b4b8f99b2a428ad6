"""Figures 2 to 8 of Lu, Li & Dunson (2018), from the results of studies.

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
from dpviz.analysis.studies.one_cluster import Balance, shares_kept
from dpviz.analysis.studies.reading import study_named
from dpviz.analysis.studies.results import Record, Results
from dpviz.analysis.studies.study import StudyCell
from dpviz.figures.cluster_counts import count_laws, count_traces, in_twos, place
from dpviz.figures.prior_laws import line_style
from dpviz.figures.theme import ACCENT, GROUP_COLORS, SYMBOLS, finish, group_marker, point_trace
from dpviz.text import counted, inert

Cells = Sequence[tuple[str, str]]
_GREY = "rgba(128, 128, 128, 0.18)"
_LINE = "rgba(128, 128, 128, 0.9)"
N_POSITIONS, N_BINS, SHOWN_RANKS = 400, 50, 8
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
    """Draw two columns of the points by true group, if known, then by the clusters of each cell (2018 Fig. 7)."""
    data = clustered_points(_cell(results, cells[0]))
    partitions = [] if data.labels is None else [data.labels]
    figure = _beside([("", "True groups")] * len(partitions) + [*cells])
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


def true_groups(results: Results, cells: Cells) -> go.Figure:
    """Draw how the points of each true group lie on a line, a panel per row of the study (2018 Fig. 2).

    Heights are the density of all points, of which each group has its share.
    """
    figure = in_twos([row for row, _ in cells])
    for number, cell in enumerate(cells):
        data = clustered_points(_cell(results, cell))
        assert data.labels is not None
        edges = np.linspace(data.X.min(), data.X.max(), N_BINS + 1)
        width = float(edges[1] - edges[0])
        for k in np.unique(data.labels):
            counts, _ = np.histogram(data.X[data.labels == k, 0], edges)
            name = (data.label_names or ())[k]
            figure.add_bar(
                x=(edges[:-1] + edges[1:]) / 2,
                y=counts / (data.n_points * width),
                width=width,
                name=inert(name),
                legendgroup=name,
                showlegend=number == 0,
                marker={"color": GROUP_COLORS[k], "line": {"width": 0}},
                hovertemplate=f"{inert(name)}, at %{{x:.2f}}: %{{y:.3f}}<extra></extra>",
                **place(number),
            )
        figure.update_yaxes(title="Density" if number % 2 == 0 else None, **place(number))
    margin = {"l": 8, "r": 8, "t": 70, "b": 8}
    height = PANEL * ((len(cells) + 1) // 2) + 60
    legend = {"y": 1.15}
    return finish(figure, height, showlegend=True, barmode="stack", bargap=0, margin=margin, legend=legend)


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


def powers_that_pay(results: Results, cells: Cells) -> go.Figure:
    """Draw the share of chains that keep the groups over the powers: a row of panels per start, a column per data.

    Rows of the study are named “data; N = …”. A dotted line has the power from which one cluster is more probable,
    averaged over the draws.
    """
    starts = list(dict.fromkeys(column for _, column in cells))
    data = list(dict.fromkeys(row.partition("; ")[0] for row, _ in cells))
    sizes = list(dict.fromkeys(row.partition("; ")[2] for row, _ in cells))
    figure = make_subplots(
        len(starts),
        len(data),
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.04,
        vertical_spacing=0.1,
        subplot_titles=[f"{inert(one)}<br>from {inert(start, 60)}" for start in starts for one in data],
    )
    for row, start in cells:
        where, _, size = row.partition("; ")
        panel = {"row": starts.index(start) + 1, "col": data.index(where) + 1}
        number, shares = sizes.index(size), shares_kept(results, row, start)
        figure.add_scatter(
            x=list(shares),
            y=list(shares.values()),
            mode="lines+markers",
            name=inert(size),
            legendgroup=size,
            showlegend=panel == {"row": 1, "col": 1},
            line={"color": GROUP_COLORS[number], "width": 1.5},
            marker={"symbol": SYMBOLS[number], "size": 8},
            hovertemplate=f"{inert(size)}, r = %{{x}}: %{{y:.0%}}<extra></extra>",
            **panel,
        )
        even = float(results.values(row, start, "break_even").mean())
        figure.add_vline(even, line={"color": GROUP_COLORS[number], "width": 1.5, "dash": "dot"}, **panel)
    figure.update_annotations(font_size=11)  # long titles side by side
    figure.update_xaxes(title="Power r", row=len(starts))
    figure.update_yaxes(title="Chains", tickformat=".0%", col=1)
    legend = {"y": 1 + 0.25 / len(starts)}
    return finish(figure, PANEL * len(starts), showlegend=True, margin={"l": 8, "r": 8, "t": 80, "b": 8}, legend=legend)


def differences_by_power(balances: Sequence[Balance], power: float, largest: float) -> go.Figure:
    """Draw the nll of one cluster minus that of the true groups over the powers, a line per draw of the data.

    Parameters
    ----------
    balances : sequence of Balance
    power : float
        That is marked.
    largest : float
        Where the lines end; they begin at 1.
    """
    figure = go.Figure()
    for number, own in enumerate(balances, 1):
        figure.add_scatter(
            x=[1, largest],
            y=[own.difference(1), own.difference(largest)],
            mode="lines",
            line={"color": ACCENT, "width": 1},
            opacity=0.5,
            hovertemplate=f"draw {number}: r = %{{x}}, %{{y:,.1f}} nats<extra></extra>",
        )
    figure.add_hline(0, line={"color": _LINE, "width": 1.5})
    figure.add_vline(power, line={"color": _LINE, "width": 1.5, "dash": "dash"})
    figure.update_xaxes(title="Power r")
    figure.update_yaxes(title="nll: one − groups (nats)")
    return finish(figure, PANEL + 40, showlegend=False)


def probabilities_by_power(powers: Sequence[float], curves: Mapping[str, Sequence[float]], power: float) -> go.Figure:
    """Draw probabilities over the powers, a line per name, on a logarithmic scale, with one power marked."""
    figure = go.Figure()
    for number, (name, values) in enumerate(curves.items()):
        figure.add_scatter(
            x=list(powers),
            y=list(values),
            mode="lines",
            name=inert(name),
            line=line_style(number),
            hovertemplate="r = %{x}: %{y:.2g}<extra></extra>",
        )
    figure.add_vline(power, line={"color": _LINE, "width": 1.5, "dash": "dash"})
    figure.update_xaxes(title="Power r")
    figure.update_yaxes(title="Probability", type="log", dtick=1, exponentformat="power")
    return finish(figure, PANEL + 40, showlegend=True)


def weights_and_sizes(curves: Mapping[str, tuple[ArrayLike, ArrayLike]], n_customers: int) -> go.Figure:
    """Draw weights g(n) on logarithmic axes, and the expected sizes of tables by rank, side by side.

    Parameters
    ----------
    curves : mapping of str to (array_like (M,), array_like (N,))
        By name: ln g(n) for n = 1, …, M, and expected customers at the largest table, the second largest, ….
    n_customers : int
        Whose sizes they are.
    """
    figure = make_subplots(1, 2, horizontal_spacing=0.12)
    for number, (name, (logs, sizes)) in enumerate(curves.items()):
        weights, means = np.exp(logs), np.asarray(sizes)[:SHOWN_RANKS]
        style = {"name": inert(name), "legendgroup": name, "line": line_style(number)}
        where = f"{inert(name)}: %{{y:.3g}}<extra></extra>"
        for column, mode, y in ((1, "lines", weights), (2, "lines+markers", means)):
            own = {"x": np.arange(1, len(y) + 1), "y": y, "mode": mode, "showlegend": column == 1}
            figure.add_scatter(**own, **style, hovertemplate=where, row=1, col=column)
    figure.update_xaxes(title="Customers n at a table", type="log", dtick=1, row=1, col=1)
    figure.update_yaxes(title="Weight g(n)", type="log", dtick=1, exponentformat="power", row=1, col=1)
    figure.update_xaxes(title=f"Rank of a table, of {n_customers} customers", row=1, col=2)
    figure.update_yaxes(title="Expected customers", rangemode="tozero", row=1, col=2)
    return finish(figure, PANEL + 40, showlegend=True)


STUDY_FIGURES: Mapping[str, Callable[[Results, Cells], go.Figure]] = MappingProxyType(
    {
        "power_losses": power_losses,
        "cluster_counts": cluster_counts,
        "cluster_count_laws": cluster_count_laws,
        "densities": densities,
        "partitions_in_plane": partitions_in_plane,
        "cluster_sizes": cluster_sizes,
        "powers_that_pay": powers_that_pay,
        "true_groups": true_groups,
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
