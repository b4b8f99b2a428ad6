"""The “why here?” panel: costs of every candidate for one point, with the arithmetic written out."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.datasets.tables import escape_markdown
from dpviz.engine.explain import NEW, explain_assignment
from dpviz.families import Predictive
from dpviz.families.base import FloatArray
from dpviz.figures.explain import assignment_bars
from dpviz.ui.session.jobs import Finished

MOST_CANDIDATES = 12
_HELD = "explained point"
COSTS = {
    "kmeans": ("squared distance", "penalty (none)"),
    "dpmeans": ("squared distance", "penalty λ of a new cluster"),
    "em": ("geometry: −ln density", "weight: −ln π_k"),
}
IN_WORDS = {
    "kmeans": "The nearest centre wins.",
    "dpmeans": "The nearest centre wins, unless it is further than the penalty of a new cluster.",
    "em": "Geometry: how far the point is from the cluster's shape. Weight: how rare the cluster is. The smaller the "
    "total, the more probable.",
    "mapdp": "Geometry: how badly the point fits the cluster's shape. Density: how few points the cluster has. The "
    "smallest total wins.",
    "gibbs": "Geometry: how badly the point fits the cluster's shape. Density: how few points the cluster has. The "
    "smaller the total, the more probable is the cluster's draw.",
}


def show(finished: Finished, sweep: int, point: int) -> pd.DataFrame:
    """Draw the explanation of one point after one sweep, and return its numbers."""
    table = _explained(finished, sweep, point)
    own = int(finished.trace.labels_at(sweep)[point])
    names = [_name(finished, label, own, sweep) for label in table.index]
    geometry, density = COSTS.get(finished.config.algorithm, ("geometry: −ln f", "density: −ln weight"))
    st.markdown(
        f"**Why is point {point} in {escape_markdown(finished.cluster_name(own, sweep))} after sweep {sweep}?**"
    )
    nearest = table["total"].replace(np.inf, np.nan).nsmallest(MOST_CANDIDATES).index
    shown = table[table.index.isin(nearest)]
    st.caption(IN_WORDS[finished.config.algorithm])
    if len(shown) < np.isfinite(table["total"]).sum():
        st.caption(f"The {len(shown)} cheapest of {len(table)} candidates.")
    unit = "squared units of the data" if finished.config.algorithm in ("kmeans", "dpmeans") else "nats"
    st.plotly_chart(
        assignment_bars(shown, [names[list(table.index).index(k)] for k in shown.index], geometry, density, unit),
        config={"displayModeBar": False},
        key="why bars",
    )
    st.dataframe(
        shown.assign(cluster=[names[list(table.index).index(k)] for k in shown.index])
        .set_index("cluster")
        .rename(columns={"neg_log_predictive": geometry, "neg_log_weight": density}),
        column_config={"probability": st.column_config.NumberColumn(format="%.3g")},
        width="stretch",
    )
    with st.expander("The arithmetic"):
        _arithmetic(finished, sweep, point, table, names)
    return table


def _explained(finished: Finished, sweep: int, point: int) -> pd.DataFrame:
    """Explain, once for as long as the same point is asked about: the panel is drawn again on every player event."""
    key = (finished.trace, sweep, point)
    held = st.session_state.get(_HELD)
    if held is None or held[0] != key:
        held = (key, explain_assignment(finished.prepared.X, finished.trace, sweep, point))
        st.session_state[_HELD] = held
    table: pd.DataFrame = held[1]
    return table


def _name(finished: Finished, label: int, own: int, sweep: int) -> str:
    if label == NEW:
        return "new cluster"
    name = finished.cluster_name(label, sweep)
    return f"{name} (here now)" if label == own else name


def _arithmetic(finished: Finished, sweep: int, point: int, table: pd.DataFrame, names: list[str]) -> None:
    """Write the sums out, and the family's formula with the numbers of the cheapest cluster."""
    if finished.config.algorithm in COSTS:
        for name, row in zip(names, table.itertuples(), strict=True):
            parts = f"{row.neg_log_predictive:.4g} + {row.neg_log_weight:.4g} = **{row.total:.4g}**"
            st.markdown(f"{escape_markdown(name)}: {parts}")
        return
    labels = finished.trace.labels_at(sweep)
    for label, name, row in zip(table.index, names, table.itertuples(), strict=True):
        if not np.isfinite(float(row.total)):  # type: ignore[arg-type]
            st.markdown(f"{escape_markdown(name)}: holds this point alone, so staying *is* opening a new cluster.")
            continue
        count = int(np.sum(labels == label)) - int(labels[point] == label)
        others = f" ({count:,} other points)" if label != NEW else ""
        st.markdown(
            f"{escape_markdown(name)}{others}: −ln f = {row.neg_log_predictive:.4f}, −ln weight = "
            f"{row.neg_log_weight:.4f}, total = **{row.total:.4f}**, probability {row.probability:.4g}"
        )
    best = int(table.index[int(np.argmin(table["total"]))])
    members = (labels == best) & (np.arange(len(labels)) != point)
    posterior = finished.problem.family.posterior(finished.prepared.X[members])
    st.markdown(f"**The formula with the numbers of {escape_markdown(names[list(table.index).index(best)])}**")
    _formula(finished.config.family, posterior.predictive(), finished.prepared.X[point])


def _formula(family: str, predictive: Predictive, x: FloatArray) -> None:
    location, scale, degrees = predictive.location, predictive.scale, predictive.degrees_of_freedom
    n_features = len(x)
    squared = float((x - location) @ np.linalg.solve(scale, x - location))
    log_determinant = float(np.linalg.slogdet(scale)[1])
    if family == "normal_gamma":
        st.latex(
            r"-\ln f = \sum_d \Big[\ln\tfrac{\Gamma(\nu/2)}{\Gamma((\nu+1)/2)} + \tfrac12\ln(\nu\pi s_d^2)"
            r" + \tfrac{\nu+1}{2}\ln\big(1+\tfrac{(x_d-m_d)^2}{\nu s_d^2}\big)\Big]"
        )
        st.markdown(f"ν = {degrees:.4g}; per feature:")
        columns = {"x": x, "m": location, "s": np.sqrt(np.diagonal(scale))}
        st.dataframe(pd.DataFrame(columns), height=min(38 + 35 * n_features, 250))
        return
    if np.isfinite(degrees):
        st.latex(
            r"-\ln f = \ln\tfrac{\Gamma(\nu/2)}{\Gamma((\nu+D)/2)} + \tfrac D2\ln(\nu\pi) + \tfrac12\ln|S|"
            r" + \tfrac{\nu+D}{2}\ln\big(1+\tfrac{d^2}{\nu}\big)"
        )
        value = (
            math.lgamma(degrees / 2) - math.lgamma((degrees + n_features) / 2)
            + n_features / 2 * math.log(degrees * math.pi) + log_determinant / 2
            + (degrees + n_features) / 2 * math.log1p(squared / degrees)
        )  # fmt: skip
        st.markdown(f"ν = {degrees:.6g}, D = {n_features}, ln|S| = {log_determinant:.4f}, d² = {squared:.4f}")
    else:
        st.latex(r"-\ln f = \tfrac D2\ln 2\pi + \tfrac12\ln|S| + \tfrac12 d^2")
        value = n_features / 2 * math.log(2 * math.pi) + log_determinant / 2 + squared / 2
        st.markdown(f"D = {n_features}, ln|S| = {log_determinant:.4f}, d² = {squared:.4f}")
    st.markdown(
        f"which gives −ln f = **{value:.4f}**; d² = (x − m)ᵀ S⁻¹ (x − m), the squared distance in units of its shape."
    )
