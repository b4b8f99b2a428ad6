"""Why a point is where it is, as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

GEOMETRY, DENSITY = "#4477AA", "#CCBB44"


def assignment_bars(
    table: pd.DataFrame, names: Sequence[str], geometry: str, density: str, unit: str = "nats"
) -> go.Figure:
    """Draw the two costs of every candidate as bars side by side, with the total as a mark.

    Parameters
    ----------
    table : pandas.DataFrame
        What :func:`dpviz.explain_assignment` returned.
    names : sequence of str
        One name per row.
    geometry, density : str
        What the two costs are called.
    unit : str
        What the costs are measured in.

    Returns
    -------
    plotly.graph_objects.Figure
        Lower is better; the smallest total is starred. Costs that are not finite are left out.
    """
    rows = table[np.isfinite(table["total"])].reset_index(drop=True)
    labels = [name for name, keep in zip(names, np.isfinite(table["total"]), strict=True) if keep]
    best = int(rows["total"].idxmin())
    figure = go.Figure(
        [
            go.Bar(y=labels, x=rows["neg_log_predictive"], name=geometry, orientation="h", marker_color=GEOMETRY),
            go.Bar(y=labels, x=rows["neg_log_weight"], name=density, orientation="h", marker_color=DENSITY),
            go.Scatter(
                y=labels,
                x=rows["total"],
                name="total",
                mode="markers",
                marker={
                    "symbol": ["star" if k == best else "diamond" for k in range(len(rows))],
                    "size": [13 if k == best else 8 for k in range(len(rows))],
                    "color": "#EE6677",
                },
            ),
        ]
    )
    figure.update_layout(
        barmode="group",
        height=120 + 44 * len(rows),
        margin={"l": 8, "r": 8, "t": 36, "b": 8},
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
        xaxis={"title": f"cost in {unit} (lower is better)", "zeroline": True},
        yaxis={"autorange": "reversed"},
        bargap=0.25,
    )
    return figure
