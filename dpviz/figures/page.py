"""Figures in a self-contained HTML file: light, as for print, and without network requests."""

from __future__ import annotations

from typing import Any, TypeAlias

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

Figure: TypeAlias = go.Figure
"""Options of figures in the pages."""


def script() -> str:
    """Return plotly's JavaScript, which a file with charts includes once."""
    return str(get_plotlyjs())


def chart(figure: Figure, name: str) -> str:
    """Return a figure as HTML that needs ``script`` in the same file.

    Parameters
    ----------
    figure : plotly figure
        Not changed.
    name : str
        The element's id, unique in the file.
    """
    drawn = go.Figure(figure).update_layout(
        template="plotly_white", width=720, paper_bgcolor="white", plot_bgcolor="white", font={"color": "#222"}
    )
    options: dict[str, Any] = {"staticPlot": True}
    html = drawn.to_html(full_html=False, include_plotlyjs=False, include_mathjax=False, config=options, div_id=name)
    return f"<div class='chart'>{html}</div>"
