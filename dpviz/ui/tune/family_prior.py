"""Choosing the prior of the clusters: from the shared prior, one hyperparameter after the other by nll."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.hyperparameters import FACTORS, SearchStep, coordinate_search, searchable_parameters
from dpviz.analysis.parameters import hyperparameter_values
from dpviz.config import RunConfig
from dpviz.figures import tune as figures
from dpviz.fit.timing import estimate
from dpviz.text import signed
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.shell import links
from dpviz.ui.tune import computation, method_controls, report
from dpviz.ui.tune.advice import title
from dpviz.ui.tune.report import Section
from dpviz.ui.tune.tabs import PRIOR

_START = "the start"


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.caption(
        "Starts from the prior that all runs share and changes one number of it at a time, while the nll falls. "
        "If K changes on the way, the answer depends on the prior."
    )
    config = method_controls.base_controls("prior", method_controls.minimising_nll(), prepared)
    if config is None:
        return
    names = searchable_parameters(config)
    most = int(widgets.slider("At most this many passes", "tune.prior.passes", 5, 1, 10, 1, width=300))
    st.markdown("**Where it starts**")
    st.table(prior_table(config, prepared))

    total = 1 + most * len(names)
    whole = estimate(config, prepared.X.shape).times((1 + (total - 1) * len(FACTORS)) / 2)
    key = ("prior", computation.fingerprint(prepared), config, most)
    computation.show(
        key,
        lambda _n_jobs: coordinate_search(prepared.X, config, names, most),
        total,
        whole,
        lambda found, live: _draw(prepared, found, live, len(names), most),
        prepared,
        config,
    )


def prior_table(config: RunConfig, prepared: PreparedData) -> pd.DataFrame:
    """Hyperparameters of a configuration, with their meanings."""
    values = hyperparameter_values(config, prepared.X)
    spread = float(np.std(prepared.X))
    rows = []
    for parameter in config.hyperparameters:
        value = np.asarray(values[parameter.name])
        value = np.where(np.abs(value) < 1e-12 * spread, 0.0, value)  # the mean of standardised columns is zero
        if value.ndim == 0:
            shown = f"{float(value):.4g}"
        elif value.ndim == 1:
            shown = f"{len(value)} numbers, {value.min():.3g} to {value.max():.3g}"
        else:
            shown = f"{len(value)} × {len(value)}, diagonal {np.diag(value).min():.3g} to {np.diag(value).max():.3g}"
        rows.append({"": parameter.symbol, "What it is": parameter.explanation, "Value": shown.replace("-", "−")})
    return pd.DataFrame(rows).set_index("")


def fall_in_words(found: Sequence[SearchStep], n_parameters: int, most_passes: int) -> str:
    """Return how far the nll falls, and whether more changes would have been tried."""
    start, last, tried = found[0], found[-1], found[1:]
    changed = [step for step in tried if step.new != step.old]
    if not tried:
        return f"nll {signed(start.nll, ',.1f')}, K = {start.n_clusters} to begin with; no change was tried."
    last_pass = tried[-n_parameters:]
    stays = len(tried) % n_parameters == 0 and all(step.new == step.old for step in last_pass)
    rest = "" if stays or len(tried) == n_parameters * most_passes else " Not all changes were tried."
    if changed:
        n_changes = f"{len(changed)} change{'s' if len(changed) > 1 else ''}"
        return (
            f"nll falls from {signed(start.nll, ',.1f')} to **{signed(last.nll, ',.1f')}** in {n_changes}; "
            f"K goes from {start.n_clusters} to **{last.n_clusters}**.{rest}"
        )
    which = f"None of the {len(tried)} changes that were tried" if rest else "No change"
    return f"{which} lowers the nll of {signed(start.nll, ',.1f')}: K = **{start.n_clusters}** from the start.{rest}"


def _draw(prepared: PreparedData, found: Sequence[SearchStep], live: bool, n_parameters: int, most_passes: int) -> None:
    last = found[-1]
    names = [_START, *(title(step.parameter, step.config) for step in found[1:])]
    finding = fall_in_words(found, n_parameters, most_passes)
    st.markdown(finding)
    left, right = st.columns(2, gap="medium")
    with left:
        figure = figures.falling_nll(names, [step.nll for step in found])
        chart(figure, "tune prior nll")
    with right:
        st.dataframe(step_table(found), height=300, hide_index=True, key="tune prior steps")
    if live:
        return
    report.keep(Section(PRIOR, prepared, [finding], [figure], last.config))
    with st.container(horizontal=True):
        links.open_button(last.config, prepared.choice, "tune.prior.open")
        st.button(
            "Start from this prior on all tabs",
            key="tune.prior.take",
            icon=":material/input:",
            on_click=method_controls.take_over,
            args=(last.config, prepared.choice),
        )


def step_table(found: Sequence[SearchStep]) -> pd.DataFrame:
    """One row per step: the change tried, and its result."""
    rows = []
    for number, step in enumerate(found):
        changed = step.new != step.old
        rows.append(
            {
                "Step": number,
                "Tried": title(step.parameter, step.config) if number else _START,
                "Change": f"{step.old:.3g} → {step.new:.3g}" if number and changed else "stays" if number else "",
                "nll (nats)": round(step.nll, 2),
                "K": step.n_clusters,
            }
        )
    return pd.DataFrame(rows)
