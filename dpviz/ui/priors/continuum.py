"""From Gibbs sampling by MAP-DP to DP-means and K-means: one slider for the temperature, one for the variance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.continuum import SMALLEST_SHARE, penalised_inertia, small_variance_config
from dpviz.analysis.table_units import TableUnits
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import dot_stack
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.trace import Trace
from dpviz.families import default_family
from dpviz.figures import continuum as figures
from dpviz.figures import prior_laws
from dpviz.fit.run import run
from dpviz.partition import PARTITION_PRIORS
from dpviz.player.alignment import match_labels
from dpviz.text import escape_markdown
from dpviz.ui.controls import partition_control, widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.priors.controls import one_prior
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.kept import remembered

MOST_POINTS, N_SWEEPS = 1_000, 60
"""Of larger data a sample of this size is run, for this many sweeps."""


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    rows = np.sort(np.random.default_rng(0).permutation(len(prepared.X))[:MOST_POINTS])
    X, places = prepared.X[rows], coordinates(prepared, rows)
    if len(rows) < len(prepared.X):
        st.caption(f"A sample of {MOST_POINTS:,} of the {len(prepared.X):,} points is run.")
    with errors_shown():
        _temperature(TableUnits(X, prepared.preparation), places)
    st.divider()
    with errors_shown():
        _variance(X, places)


def coordinates(prepared: PreparedData, rows: IntArray) -> FloatArray:
    """Places (n, 2) of some rows: as the data are displayed, one column as stacked dots."""
    shown = prepared.display().coordinates[rows]
    if shown.shape[1] == 2:
        return np.asarray(shown)
    stack = dot_stack(shown)
    return np.column_stack([stack.positions, stack.heights])


class _Data:
    """Points by identity, so that runs on them can be kept."""

    def __init__(self, X: FloatArray) -> None:
        self.X = X
        self._key = (X.shape, X.tobytes())

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Data) and self._key == other._key


@remembered(20_000_000)
def _run(data: _Data, config: RunConfig) -> Trace:
    return run(data.X, config)


def _temperature(units: TableUnits, places: FloatArray) -> None:
    X = units.X
    st.markdown(
        "**From Gibbs sampling to MAP-DP.** At temperature 1 a point's cluster is drawn with its probability; the "
        "lower the temperature, the more often the most probable one is taken; at 0 always: that is MAP-DP."
    )
    names = [name for name in PARTITION_PRIORS if partition_control.method_with(name)]
    partition = one_prior("Partition prior", "priors.continuum_prior", names)
    temperature = widgets.slider("Temperature", "priors.temperature", 0.5, 0.0, 1.0, 0.05)
    base = RunConfig(
        "gibbs",
        family=default_family(X),
        partition=partition,
        n_sweeps=N_SWEEPS,
        burn_in=1,
        init="single",
        order="index",
        prior=None,
    )
    at = {f"T = {t:.3g}": replace(base, temperature=t) for t in dict.fromkeys((1.0, temperature, 0.0))}
    traces = {name: units.trace(_run(_Data(X), config)) for name, config in at.items()}
    chosen = traces[f"T = {temperature:.3g}"]
    left, right = st.columns(2, gap="large")
    with left:
        figure = figures.nll_by_sweep({name: trace.nll for name, trace in traces.items()})
        chart(figure, "priors temperature nll")
        moves = f"{chosen.n_moved[-1]:,d} of {len(X):,} points moved in the last sweep"
        st.caption(
            f"nll of {N_SWEEPS} sweeps from one cluster, each on the same seed. At T = {temperature:.3g}, {moves}. "
            "At T = 0 the nll never rises after the first sweep, and the run ends where no point moves."
        )
    with right:
        labels = chosen.labels_at(chosen.n_sweeps).astype(np.int64)
        chart(prior_laws.data_panel(places, labels, 300), "priors temperature points", has_bar=False)
        n_found = len(np.unique(labels))
        st.caption(f"The partition after sweep {chosen.n_sweeps:d} at T = {temperature:.3g}, with K = {n_found}.")


def _variance(X: FloatArray, places: FloatArray) -> None:
    st.markdown(
        "**From MAP-DP to DP-means and K-means.** Let the variance σ̂² within clusters shrink, and N0 with it so that a "
        "cluster's price λ is fixed: MAP-DP then minimises Σ‖x − x̄‖² + λK, one point at a time."
    )
    typical = ALGORITHMS["dpmeans"].typical("penalty", X)
    left, right = st.columns(2, gap="large")
    with left:
        factor = widgets.log_slider("Price λ, times what the data suggest", "priors.penalty_factor", 1.0, 0.05, 5.0)
    with right:
        share = widgets.log_slider("σ̂² as a share of λ", "priors.variance_share", 0.01, SMALLEST_SHARE, 1.0)
    penalty = factor * (typical or float(X.var()) or 1.0)
    found = ends(X, penalty, share)
    for column, (name, labels) in zip(st.columns(3), list(found.items())[:3], strict=True):
        with column:
            st.markdown(f"**{escape_markdown(name)}**")
            figure = prior_laws.data_panel(places, labels)
            chart(figure, f"priors end {name}", has_bar=False)
    rows = [(name, len(np.unique(labels)), penalised_inertia(X, labels, penalty)) for name, labels in found.items()]
    st.dataframe(pd.DataFrame(rows, columns=["Method", "K", "Σ‖x − x̄‖² + λK"]).round(3), hide_index=True)
    fall = rows[1][2] - rows[3][2]
    st.caption(
        f"λ = {penalty:.4g}, σ̂² = {share * penalty:.4g}. DP-means may stop early: from its end MAP-DP at this σ̂² "
        f"{_onwards(fall, rows[1][2])}. K-means is DP-means with K held, here at DP-means' own K."
    )


def _onwards(fall: float, stopped: float) -> str:
    if abs(fall) <= 1e-9 * stopped:
        return "moves nothing"
    return f"goes on downhill by {fall:.4g}" if fall > 0 else "goes elsewhere, as σ̂² is not small yet"


def ends(X: FloatArray, penalty: float, share: float) -> dict[str, IntArray]:
    """Labels that the methods end with: MAP-DP, DP-means, K-means, and MAP-DP started from the result of DP-means.

    Clusters of different methods have equal numbers, and so colours, where they hold most points in common.

    Raises
    ------
    InvalidParameterError
        If no N0 gives this λ or share.
    """
    data = _Data(X)
    towards = _run(data, small_variance_config(X, penalty, share)).result_labels
    stopped = _run(data, RunConfig("dpmeans", penalty=penalty, n_init=1)).result_labels
    held = _run(data, RunConfig("kmeans", n_clusters=len(np.unique(stopped)))).result_labels
    onwards = _run(data, small_variance_config(X, penalty, share, stopped)).result_labels
    found = {"MAP-DP": towards, "DP-means": stopped, "K-means": held, "MAP-DP from DP-means’ end": onwards}
    first = np.unique(towards, return_inverse=True)[1].astype(np.int64)
    return {name: match_labels(labels, first).astype(np.int64) for name, labels in found.items()}
