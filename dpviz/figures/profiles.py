"""The clusters' predictives of one column, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from dpviz.analysis.profiles import Profile
from dpviz.arrays import FloatArray

HEIGHT = 220
MOST_BARS = 25
"""Discrete columns with more values than this are drawn as steps."""
ROOM = 32
"""Most characters of all names of values on an axis; hovering shows them in full."""


def profile_figure(
    profile: Profile, name: str, clusters: Sequence[str], colors: Sequence[str], value_names: Sequence[str] = ()
) -> go.Figure:
    """Draw a curve or bars for each cluster; of a column that begins again a rose, whose rim can be dragged to turn it.

    Parameters
    ----------
    profile : Profile
    name : str
        Of the column.
    clusters, colors : sequence of str
        One per cluster, in the order of the profile's rows.
    value_names : sequence of str, optional
        Names of the values 0, 1, … if they have names.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    drawn = _drawn if profile.period is None else _petal
    is_long = profile.has_bar and len(profile.values) > 4
    profile = _by_logarithms(profile) if is_long else profile
    figure = go.Figure(
        [
            drawn(profile, cluster, color, densities, value_names)
            for cluster, color, densities in zip(clusters, colors, profile.densities, strict=True)
        ]
    )
    figure.update_layout(
        title={"text": f"{name} · {profile.information:.2f} nats", "font": {"size": 14}, "x": 0, "y": 0.97},
        height=HEIGHT,
        barmode="group",
        bargap=0.15,
        showlegend=False,
        margin={"l": 36, "r": 6, "t": 34, "b": 28},
    )
    if profile.period is not None:
        return _as_rose(figure, profile.period, value_names)
    if is_long:
        _name_powers(figure, profile.values)
    figure.update_yaxes(rangemode="tozero", nticks=4)
    if not profile.is_measured and len(profile.values) <= MOST_BARS:
        places = [v for v in profile.values if v < len(value_names)] if value_names else profile.values
        sparse = max(1, -(-len(places) // 8))
        room = max(ROOM // max(len(places) // sparse, 1), 3)
        words = [_short(value_names[int(v)], room) if value_names else f"{v:g}" for v in places]
        figure.update_xaxes(tickvals=places[::sparse], ticktext=words[::sparse], tickangle=0, tickfont_size=11)
    return figure


def _by_logarithms(profile: Profile) -> Profile:
    """Return a profile of zeros and positive values per power of ten, the bar of zeros beside the smallest value."""
    edges, x = profile.values[:4], profile.values[4:]
    chances = profile.densities[:, 1:2] * (edges[2] - edges[1])
    powers = np.log10(x)
    gap = 0.06 * max(powers[-1] - powers[0], 0.5)
    bar, none = chances / gap * np.ones(2), np.zeros((len(chances), 1))
    values = np.concatenate([powers[0] - gap * np.array([2, 2, 1, 1]), powers])
    densities = np.hstack([none, bar, none, profile.densities[:, 4:] * x * np.log(10)])
    return replace(profile, values=values, densities=densities)


def _name_powers(figure: go.Figure, values: FloatArray) -> None:
    """Write 0 below the bar, and powers of ten below the places of their exponents."""
    tens = np.arange(np.ceil(values[4]), values[-1])
    tens = tens[:: max(1, -(-len(tens) // 5))]
    words = ["0", *(f"{10.0**power:g}" for power in tens)]
    figure.update_xaxes(tickvals=[float(values[1:3].mean()), *tens], ticktext=words, tickangle=0)


def _as_rose(figure: go.Figure, period: float, value_names: Sequence[str]) -> go.Figure:
    """Set the axes of a rose: the turn begins at the top and goes clockwise, as on clocks and compasses."""
    places = [float(v) for v in range(len(value_names))] or [period * part / 8 for part in range(8)]
    words = [_short(name, 9) for name in value_names] or [f"{place:.4g}" for place in places]
    figure.update_layout(margin_t=54)  # the beginning of the turn is written below the title
    figure.update_polars(
        bgcolor="rgba(0, 0, 0, 0)",
        radialaxis={"showticklabels": False, "rangemode": "tozero", "nticks": 4},
        angularaxis={
            "direction": "clockwise",
            "rotation": 90,
            "tickvals": [360 * place / period for place in places],
            "ticktext": words,
        },
    )
    return figure


def _petal(
    profile: Profile, cluster: str, color: str, densities: FloatArray, value_names: Sequence[str]
) -> go.Scatterpolar:
    assert profile.period is not None
    return go.Scatterpolar(
        theta=360 * profile.values / profile.period,
        r=densities,
        mode="lines",
        line={"color": color, "width": 2},
        name=cluster,
        customdata=profile.values,
        hovertemplate="%{customdata:.4g}: %{r:.3g}",
    )


def _short(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…"


def _drawn(
    profile: Profile, cluster: str, color: str, densities: FloatArray, value_names: Sequence[str]
) -> go.Bar | go.Scatter:
    as_steps = not profile.is_measured and len(profile.values) > MOST_BARS
    if profile.is_measured or as_steps:
        line = {"color": color, "width": 2, "shape": "hvh" if as_steps else "linear"}
        return go.Scatter(x=profile.values, y=densities, mode="lines", line=line, name=cluster)
    words = [value_names[int(v)] if v < len(value_names) else f"{v:g}" for v in profile.values]
    return go.Bar(
        x=profile.values,
        y=densities,
        marker={"color": color},
        name=cluster,
        customdata=words,
        hovertemplate="%{customdata}: %{y:.3f}",
    )
