"""Choosing λ of DP-means for a wished K, and K of K-means and E-M by an information criterion."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from dpviz.analysis.evaluation import Cell
from dpviz.analysis.grids import run_configs, run_grid
from dpviz.analysis.selection import best_by_bic, bic, bic_grid, penalty_for
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS
from dpviz.engine.timing import NOTHING, estimate
from dpviz.errors import DpvizError
from dpviz.figures import tune as figures
from dpviz.ui.controls import widgets
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.shell import links
from dpviz.ui.tune import computation, method_controls
from dpviz.ui.tune.grid import numbers
from dpviz.ui.tune.method_controls import PLAIN

MOST_CLUSTERS = 20


def show_penalty(prepared: PreparedData) -> None:
    """Draw the half that chooses λ."""
    st.subheader("λ for DP-means", anchor=False)
    st.caption(
        "Walks from each point to the one furthest from all before; the distance of the last step gives λ. Look how "
        "close the clusters found come to the clusters wished for."
    )
    most = min(MOST_CLUSTERS, len(prepared.X))
    wished = int(widgets.slider("Clusters wished for", "tune.wished", min(3, most), 1, max(most, 2), 1))
    penalty = penalty_for(prepared.X, wished)
    base = method_controls.starting_point("dpmeans", prepared)
    configs = _penalties(base, prepared, most)

    def begin(n_jobs: int) -> Generator[Cell, None, None]:
        yield from run_configs(prepared.X, configs, prepared.dataset.labels, n_jobs=n_jobs)

    def draw(found: Sequence[Cell], live: bool) -> None:
        by_wish = {cell.index[0] + 1: cell for cell in sorted(found, key=lambda cell: cell.index)}
        if wished in by_wish:
            n_clusters = by_wish[wished].n_clusters
            st.markdown(f"For {wished} clusters λ = {penalty:.4g}; with it DP-means finds **K = {n_clusters}**.")
        counts = [cell.n_clusters for cell in by_wish.values()]
        st.plotly_chart(figures.wished_and_found(list(by_wish), counts, wished), key="tune wished", **PLAIN)
        if not live and wished in by_wish:
            links.open_button(by_wish[wished].config, prepared.choice, "tune.penalty.open")

    whole = sum((estimate(config, prepared.X.shape) for config in configs), NOTHING)
    key = ("penalty", replace(prepared.choice, axes=()), base)
    computation.show(key, begin, len(configs), whole, draw)


def _penalties(base: RunConfig, prepared: PreparedData, most: int) -> list[RunConfig]:
    """One configuration per wished K, up to where the data have no more distinct points."""
    configs = []
    for n_clusters in range(1, most + 1):
        try:
            configs.append(replace(base, penalty=penalty_for(prepared.X, n_clusters)))
        except DpvizError:
            break
    return configs


def show_n_clusters(prepared: PreparedData) -> None:
    """Draw the half that chooses K."""
    st.subheader("K for K-means and E-M", anchor=False)
    st.caption(
        "Fits every K and weighs the fit against the number of parameters (BIC). Look for the lowest point: more "
        "clusters always fit better, but from there on not by enough."
    )
    config = method_controls.base_controls("bic", with_cluster_count(), prepared, main=False)
    grid = bic_grid(config, min(MOST_CLUSTERS, len(prepared.X)))

    def begin(n_jobs: int) -> Generator[Cell, None, None]:
        yield from run_grid(prepared.X, grid, prepared.dataset.labels, n_jobs)

    parameter = grid.parameters[0]
    each = (estimate(grid.config(index, prepared.X), prepared.X.shape) for index in grid.indices())
    computation.show(
        ("bic", replace(prepared.choice, axes=()), grid), begin, grid.n_cells, sum(each, NOTHING),
        lambda found, live: _draw_bic(prepared, parameter, found, live),
    )  # fmt: skip


def _draw_bic(prepared: PreparedData, parameter: str, found: Sequence[Cell], live: bool) -> None:
    cells = sorted(found, key=lambda cell: cell.index)
    n_features = prepared.X.shape[1]
    frame = pd.DataFrame({parameter: [c.values[0] for c in cells], "bic": [bic(c, n_features) for c in cells]})
    best = best_by_bic(cells, n_features)
    known = prepared.dataset.labels
    groups = f" The known groups are {len(set(known.tolist()))}." if known is not None else ""
    st.markdown(f"BIC is lowest at **K = {best.values[0]:.0f}**.{groups}")
    marks = {"bic": best.values[0]}
    figure = figures.curves(frame, parameter, {"bic": "BIC (lower is better)"}, "Clusters K", False, marks, 220)
    st.plotly_chart(figure, key="tune bic", **PLAIN)
    if not live:
        numbers(best)
        links.open_button(best.config, prepared.choice, "tune.bic.open")


def with_cluster_count() -> list[str]:
    """Methods whose number of clusters is to choose."""
    return [name for name, method in METHODS.items() if ALGORITHMS[method.algorithm].has_bic]
