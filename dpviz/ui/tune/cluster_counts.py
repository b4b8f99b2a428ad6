"""Choosing λ of DP-means for the K asked for, and K of K-means and E-M by an information criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from dpviz.analysis.evaluation import Cell
from dpviz.analysis.grids import run_configs, run_grid
from dpviz.analysis.selection import best_by_bic, bic, bic_grid, penalty_for
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS
from dpviz.errors import DpvizError
from dpviz.figures import tune as figures
from dpviz.fit.timing import NOTHING, estimate
from dpviz.text import counted
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.session.chosen_data import PreparedData, for_distances
from dpviz.ui.shell import links
from dpviz.ui.tune import advice, computation, method_controls, report
from dpviz.ui.tune.grid import numbers
from dpviz.ui.tune.report import Section
from dpviz.ui.tune.tabs import N_CLUSTERS, PENALTY

MOST_CLUSTERS = 20
NEAR_BIC = 10.0
"""Differences below this are no strong evidence (Kass & Raftery 1995, on the scale of 2 ln B)."""
POINTS_PER_CLUSTER = 15


def show_penalty(prepared: PreparedData) -> None:
    """Draw the part that chooses λ."""
    st.markdown(f"##### {PENALTY}")
    st.caption(
        "Walks from each point to the one furthest from all before; the distance of the last step gives λ. Compare "
        "how many clusters are found with how many were asked for."
    )
    most = min(MOST_CLUSTERS, len(prepared.X))
    asked = int(widgets.slider("Clusters to ask for", "tune.asked", min(3, most), 1, max(most, 2), 1))
    penalty = penalty_for(prepared.X, asked)
    base = method_controls.starting_point("dpmeans", prepared)
    method_controls.say_codes([base], prepared)
    configs = _penalties(base, prepared, most)

    def draw(found: Sequence[Cell], live: bool) -> None:
        by_asked = {cell.index[0] + 1: cell for cell in sorted(found, key=lambda cell: cell.index)}
        if asked in by_asked:
            n_clusters = by_asked[asked].n_clusters
            st.markdown(_found(asked, penalty, n_clusters))
        counts = [cell.n_clusters for cell in by_asked.values()]
        figure = figures.asked_and_found(list(by_asked), counts, asked)
        chart(figure, "tune asked")
        if not live and asked in by_asked:
            cell = by_asked[asked]
            said = [_found(asked, penalty, cell.n_clusters)]
            report.keep(Section(PENALTY, prepared, said, [figure], cell.config))
            links.open_button(by_asked[asked].config, prepared.choice, "tune.penalty.open")

    whole = sum((estimate(config, prepared.X.shape) for config in configs), NOTHING)
    key = ("penalty", computation.fingerprint(prepared), base)
    computation.show(
        key,
        lambda n_jobs: run_configs(prepared.X, configs, prepared.dataset.labels, n_jobs=n_jobs),
        len(configs),
        whole,
        draw,
        prepared,
        base,
    )


def _found(asked: int, penalty: float, n_clusters: int) -> str:
    return f"For {counted(asked, 'cluster')} λ = {penalty:.4g}; with it DP-means finds **K = {n_clusters}**."


def _penalties(base: RunConfig, prepared: PreparedData, most: int) -> list[RunConfig]:
    """One configuration per requested K, up to the number of distinct points."""
    configs = []
    for n_clusters in range(1, most + 1):
        try:
            configs.append(replace(base, penalty=penalty_for(prepared.X, n_clusters)))
        except DpvizError:
            break
    return configs


def show_n_clusters(prepared: PreparedData) -> None:
    """Draw the part that chooses K."""
    st.markdown(f"##### {N_CLUSTERS}")
    st.caption(
        "Fits every K and weighs the fit against the number of parameters (BIC). More clusters always fit better; from "
        "the lowest point on, not by enough."
    )
    config = method_controls.base_controls("bic", with_cluster_count(), prepared, main=False)
    if config is None:
        return
    prepared = for_distances(prepared, config.algorithm)
    grid = bic_grid(config, min(MOST_CLUSTERS, len(prepared.X)))

    parameter = grid.parameters[0]
    each = (estimate(grid.config(index, prepared.X), prepared.X.shape) for index in grid.indices())
    computation.show(
        ("bic", computation.fingerprint(prepared), grid),
        lambda n_jobs: run_grid(prepared.X, grid, prepared.dataset.labels, n_jobs),
        grid.n_cells,
        sum(each, NOTHING),
        lambda found, live: _draw_bic(prepared, parameter, found, live, grid.n_cells),
        prepared,
        config,
    )


def _draw_bic(prepared: PreparedData, parameter: str, found: Sequence[Cell], live: bool, n_cells: int) -> None:
    cells = sorted(found, key=lambda cell: cell.index)
    n_features = prepared.X.shape[1]
    frame = pd.DataFrame({parameter: [c.values[0] for c in cells], "bic": [bic(c, n_features) for c in cells]})
    best = best_by_bic(cells, n_features)
    known = prepared.dataset.labels
    groups = f" The known groups are {len(set(known.tolist()))}." if known is not None else ""
    tried = "" if len(cells) == n_cells else f" of the {len(cells):,} of {n_cells:,} that were tried"
    said = [f"BIC is lowest at **K = {best.values[0]:.0f}**{tried}.{groups}", *bic_warnings(cells, best, n_features)]
    advice.tell(said)
    marks = {"bic": best.values[0]}
    figure = figures.curves(frame, parameter, {"bic": "BIC (lower is better)"}, "Clusters K", False, marks, 220)
    chart(figure, "tune bic")
    if not live:
        report.keep(Section(N_CLUSTERS, prepared, said, [figure], best.config))
        numbers(best)
        links.open_button(best.config, prepared.choice, "tune.bic.open")


def bic_warnings(cells: Sequence[Cell], best: Cell, n_features: int) -> list[str]:
    """List the known errors of BIC, and where they show here."""
    said = [
        "BIC is known to count too many: a group that is not round (K-means) or not normal (E-M) is fitted by several "
        "clusters. Take its K as a bound to look at, not as the number of groups."
    ]
    n_points, found = sum(best.sizes), best.n_clusters
    largest = max(cell.values[0] for cell in cells)
    if best.values[0] == largest and len(cells) > 1:
        said.append(f"K = {largest:.0f} is the largest tried, and BIC still falls there: it does not choose a K.")
    values = {cell.values[0]: bic(cell, n_features) for cell in cells}
    near = [k for k, value in values.items() if value <= values[best.values[0]] + NEAR_BIC]
    if len(near) > 1:
        said.append(
            f"BIC is within {NEAR_BIC:g} of its lowest for K = {min(near):.0f} to {max(near):.0f}: all of "
            "these are about as good."
        )
    if n_points / found < POINTS_PER_CLUSTER:
        said.append(f"There are only {n_points / found:.0f} points per cluster.")
    return said


def with_cluster_count() -> list[str]:
    """Methods whose number of clusters has to be chosen."""
    return [name for name, method in METHODS.items() if ALGORITHMS[method.algorithm].has_bic]
