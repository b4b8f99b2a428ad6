"""Charts of hyperparameters that chains learn."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from dpviz.figures.theme import ACCENT, finish
from dpviz.partition import Hyperprior
from dpviz.text import inert

MOST_BINS, FEWEST_BINS = 40, 8
CURVE_PLACES = 200
_PRIOR = "#D55E00"


def prior_and_posterior(values: ArrayLike, law: Hyperprior, label: str, height: int = 300) -> go.Figure:
    """Draw the histogram of a learned hyperparameter as a density, and the density of its law before seeing data.

    Parameters
    ----------
    values : array_like of float, shape (S,)
        Draws after the burn-in; at least one.
    law : Hyperprior
    label : str
        Its name.
    height : int
        Height in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Two traces: bars that add up to 1 over all draws in sight, and the curve. The axis spans nearly all draws, with
        a margin; where the law rises without bound the curve leaves the picture.
    """
    drawn = np.asarray(values, dtype=np.float64).ravel()
    low, high = _span(drawn, law)
    n_bins = int(np.clip(np.sqrt(len(drawn)), FEWEST_BINS, MOST_BINS))
    counts, edges = np.histogram(drawn, n_bins, (low, high))
    heights = counts / (len(drawn) * np.diff(edges))
    places = np.linspace(low, high, CURVE_PLACES + 2)[1:-1]
    curve = np.exp([law.log_density(place) for place in places])
    figure = go.Figure(
        go.Bar(
            x=(edges[1:] + edges[:-1]) / 2,
            y=heights,
            width=np.diff(edges),
            marker_color=ACCENT,
            opacity=0.6,
            name="posterior",
            hovertemplate="%{x:.4~g}: density %{y:.3~g}<extra>posterior</extra>",
        )
    )
    figure.add_scatter(
        x=places,
        y=curve,
        mode="lines",
        name=f"prior {inert(str(law))}",
        line={"color": _PRIOR, "width": 2},
        hovertemplate="%{x:.4~g}: density %{y:.3~g}<extra>prior</extra>",
    )
    figure.update_xaxes(title=inert(label), range=[low, high])
    figure.update_yaxes(title="Density", range=[0, 1.15 * max(heights.max(), float(np.median(curve)))])
    return finish(figure, height, showlegend=True, bargap=0)


def _span(drawn: np.ndarray, law: Hyperprior) -> tuple[float, float]:
    """Range of nearly all draws with a margin, inside the bounds of the law."""
    low, high = np.quantile(drawn, [0.002, 0.998])
    margin = 0.3 * (high - low) or 0.1 * max(abs(low), 1e-3)
    lower, upper = law.bounds
    return max(float(low - margin), lower), min(float(high + margin), upper)
