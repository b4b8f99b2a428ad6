"""Runs between Gibbs sampling and MAP-DP, sweep by sweep."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from dpviz.arrays import FloatArray
from dpviz.figures.prior_laws import line_style
from dpviz.figures.theme import finish, whole_numbers
from dpviz.text import inert


def nll_by_sweep(curves: Mapping[str, FloatArray]) -> go.Figure:
    """Draw the nll of several runs over their sweeps.

    Parameters
    ----------
    curves : mapping of str to ndarray (T + 1,)
        In nats, by the name of the run; the axis leaves the starts out if they are far above the rest.
    """
    figure = go.Figure()
    for number, (name, nll) in enumerate(curves.items()):
        figure.add_scatter(
            x=np.arange(len(nll)),
            y=nll,
            mode="lines",
            name=inert(name),
            line=line_style(number),
            hovertemplate="sweep %{x}: nll = %{y:.6~g}<extra>" + inert(name) + "</extra>",
        )
    later = np.concatenate([nll[min(2, len(nll) - 1) :] for nll in curves.values()])
    margin = max(0.08 * float(np.ptp(later)), 1.0)
    figure.update_xaxes(title="Sweep", **whole_numbers(0, max(len(nll) for nll in curves.values()) - 1))
    figure.update_yaxes(title="nll (nats)", range=[later.min() - margin, later.max() + margin])
    return finish(figure, 300, showlegend=True)
