"""One answer first: which prior and which N0, how sure that is, the code that does it, and the evidence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.evaluation import why_no_density
from dpviz.analysis.grids import grid_frame
from dpviz.analysis.recommendation import (
    N_SEEDS,
    N_SPLITS,
    SAME,
    SIMILAR,
    HalvesCheck,
    Recommendation,
    SeedCheck,
    gather_evidence,
    number_of_runs,
    number_of_steps,
    recommendation,
)
from dpviz.analysis.second_opinion import NOT_TRIED
from dpviz.figures import tune as figures
from dpviz.figures.page import Figure
from dpviz.fit.timing import estimate
from dpviz.partition import PARTITION_PRIORS, ChineseRestaurant
from dpviz.text import in_words
from dpviz.ui.controls.charts import chart
from dpviz.ui.controls.opinion import WHERE
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.exports import snippet
from dpviz.ui.tune import advice, computation, method_controls, report
from dpviz.ui.tune.grid import MEASURES
from dpviz.ui.tune.report import Section
from dpviz.ui.tune.tabs import RECOMMENDATION

SCALE = (
    "K counts the clusters of a density, and a group that is not bell-shaped takes several. “From fine to coarse” on "
    "Explore joins them, at a cost in nats."
)
"""What a report says of the scale."""


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.caption(
        "Compares three partition priors over a wide range of N0 by nll, then tries the best with other seeds and on "
        "halves of the data. The other tabs show each part in detail."
    )
    base = method_controls.base_controls("recommendation", method_controls.minimising_nll(), prepared, main=False)
    if base is None:
        return

    whole = estimate(base, prepared.X.shape).times(number_of_runs(base))
    key = ("recommendation", computation.fingerprint(prepared), base)
    total = number_of_steps(base)
    computation.show(
        key,
        lambda n_jobs: gather_evidence(prepared.X, base, prepared.dataset.labels, n_jobs),
        total,
        whole,
        lambda found, live: _draw(prepared, recommendation(base, found), live),
        prepared,
        base,
    )


def _draw(prepared: PreparedData, advised: Recommendation, live: bool) -> None:
    so_far = "So far: " if live and advised.is_compared else ""
    said = [f"{so_far}{headline(advised)}", *reasons(advised)]
    if live:
        st.markdown(said[0])
        return
    with st.container(border=True):
        st.markdown(f"##### {said[0]}")
        st.markdown(f"**How sure?** {confidence(advised)}")
        advice.open_cell(advised.cell, advised.grid, prepared, "tune.recommendation.open")
    st.markdown("\n".join(f"- {reason}" for reason in said[1:]))
    st.caption(f"{NOT_TRIED} {WHERE}")
    figure = _row_figure(advised)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.markdown(f"**{_title(advised.prior)}: what N0 does**")
        chart(figure, "tune recommendation row")
    with right:
        st.markdown("**The best of every prior**")
        st.table(rivals_table(advised))
        st.markdown("**Other seeds, and halves of the data**")
        if advised.seeds or advised.halves:
            st.table(checks_table(advised))
        else:
            st.caption("Not tried.")
    with st.expander("The code that does it", icon=":material/code:"):
        st.code(snippet(prepared, advised.cell.config), language="python")
    sentences = [said[0], f"How sure? {confidence(advised)}", *said[1:], NOT_TRIED, SCALE]
    report.keep(Section(RECOMMENDATION, prepared, sentences, [figure], advised.cell.config))


def _title(prior: str) -> str:
    return PARTITION_PRIORS[prior].title


def _other_parameter(advised: Recommendation) -> str:
    pairs = zip(advised.grid.parameters[1:], advised.cell.values[1:], strict=True)
    return "".join(f" and {advice.title(name, advised.grid.base)} = {value:.3g}" for name, value in pairs)


def headline(advised: Recommendation) -> str:
    """Return the recommendation in one sentence; before all settings were compared it is only the best so far."""
    values = f"N0 = {advised.cell.values[0]:.3g}{_other_parameter(advised)}"
    settings = f"the prior “{_title(advised.prior)}” with {values}: **K = {advised.cell.n_clusters}**"
    if advised.is_compared:
        return f"Take {settings}."
    if advised.n_tried == 1:
        return f"No recommendation yet: only 1 of {advised.n_cells:,} settings was tried, {settings}."
    tried = f"{advised.n_tried:,} of {advised.n_cells:,} settings were tried"
    return f"No recommendation yet: only {tried}; the best of these is {settings}."


def confidence(advised: Recommendation) -> str:
    """Return how sure the recommendation is, in one sentence; what was not tried says nothing."""
    halves = advised.agreement_of_halves
    tried = advised.is_compared and len(advised.halves) >= N_SPLITS
    if not tried or not (advised.is_trusted or advised.is_contradicted) or np.isnan(halves):
        return _unknown(advised)
    if advised.is_trusted and halves >= SAME:
        return "Quite sure: it holds over other seeds and on halves of the data."
    if advised.is_trusted and halves >= SIMILAR:
        return "Fairly sure: it holds over other seeds, and roughly on halves of the data."
    if advised.is_trusted:
        return "Not very sure: it holds over other seeds, but halves of the data give other groups."
    others = f"{len(advised.seeds) - advised.n_agreeing} of {len(advised.seeds)} other seeds"
    if halves >= SIMILAR:
        return f"Not sure: {others} find other groups. The search is not good enough here; raise the restarts."
    return f"Not sure: {others}, and halves of the data, find other groups."


def _unknown(advised: Recommendation) -> str:
    """Say which evidence is missing, and what the evidence there is says."""
    lacking = [
        f"{there:,} of {all_:,} {what}" if there else f"no {what}"
        for there, all_, what in (
            (advised.n_tried, advised.n_cells, "settings"),
            (len(advised.seeds), N_SEEDS, "other seeds"),
            (len(advised.halves), N_SPLITS, "halves of the data"),
        )
        if there < all_
    ]
    known = "Not known"
    if advised.is_contradicted:
        known = "Not sure: other seeds find other groups. How far it holds is not known"
    if not lacking:
        return f"{known}: how far halves of the data agree is undefined."
    return f"{known}: only part of it was tried ({in_words(lacking)})."


def reasons(advised: Recommendation) -> list[str]:
    """Return what speaks for and against, a sentence or two each."""
    said = []
    if advised.seeds:
        said.append(
            f"**Seeds:** {advised.n_agreeing} of {len(advised.seeds)} other seeds find K = {advised.cell.n_clusters} "
            f"and nearly the same partition (adjusted Rand index at least {SAME:g})."
            + _not_all(len(advised.seeds), N_SEEDS)
        )
        lowest = min(check.nll for check in advised.seeds)
        if lowest < advised.cell.nll - 0.01:
            said.append(f"**A better partition exists:** one seed ends {advised.cell.nll - lowest:.3g} nats lower.")
    else:
        said.append("**Seeds:** not tried.")
    if advised.halves:
        counts = ", ".join("{} and {}".format(*check.n_clusters) for check in advised.halves)
        said.append(
            f"**Halves of the data:** the two fits agree with an adjusted Rand index of "
            f"{advised.agreement_of_halves:.2f} on average; they find K = {counts}."
            + _not_all(len(advised.halves), N_SPLITS)
        )
    else:
        said.append("**Halves of the data:** not tried.")
    said.append(dependence(advised))
    said += advice.ends(advised.grid, advised.cell, "nll", advised.row)
    said += _criteria(advised)
    return said


def _not_all(there: int, wanted: int) -> str:
    return f" Only {there:,} of {wanted:,} were tried." if there < wanted else ""


def dependence(advised: Recommendation) -> str:
    """Say whether K depends on the choice of prior and N0, and whether that can be known."""
    found = advised.cell.n_clusters
    if advised.depends_on_choice:
        first, last = advised.stable_range
        counts = [cell.n_clusters for cell in advised.row]
        where = f"from N0 = {first:.3g} to {last:.3g}" if first < last else f"only at N0 = {first:.3g}"
        whole = "whole range" if len(counts) == len(advised.grid.axes[0].values) else f"{len(counts)} values tried"
        span = f"over the {whole} it goes from {min(counts)} to {max(counts)}"
        if min(counts) == max(counts):
            span = "the best of another prior has another K"
        return f"**The answer depends on your choice:** K is {found} {where}; {span}."
    if not advised.is_compared:
        others = "no other was tried" if advised.n_tried == 1 else f"K is {found} wherever it was tried so far"
        return f"**Whether the answer depends on your choice is not known:** {others}."
    everywhere = f"K is {found} for every N0 tried, and under the best setting of every other prior"
    if advised.is_trusted:
        return f"**The answer does not depend on your choice:** {everywhere}."
    if not advised.is_contradicted:
        return (
            f"{everywhere}. Whether the answer depends on your choice cannot be said before other seeds were tried: it "
            "may be the search that always ends there."
        )
    return (
        f"{everywhere}, but other seeds disagree: whether the answer depends on your choice cannot be said before the "
        "search is better."
    )


def _criteria(advised: Recommendation) -> list[str]:
    """Compare with the choice by unseen points, which is made among Chinese restaurants."""
    other, cell = advised.by_held_out, advised.cell
    if other is None:
        why = why_no_density(advised.row) if advised.prior == ChineseRestaurant.name else ""  # others have no folds
        return [f"**Unseen points:** no setting was judged by them. {why}".strip()]
    if other.values[0] == cell.values[0] and other.n_clusters == cell.n_clusters:
        return []
    lead = "Two criteria disagree" if other.n_clusters != cell.n_clusters else "Two values of N0, one K"
    return [
        f"**{lead}:** nll takes N0 = {cell.values[0]:.3g} (K = {cell.n_clusters}); unseen points are best predicted "
        f"by a Chinese restaurant with N0 = {other.values[0]:.3g} (K = {other.n_clusters})."
    ]


def _row_figure(advised: Recommendation) -> Figure:
    frame = grid_frame(advised.grid, advised.row)
    measures = {name: MEASURES[name] for name in ("n_clusters_found", "nll", "held_out") if frame[name].notna().any()}
    marks = dict.fromkeys(("n_clusters_found", "nll"), advised.cell.values[0])
    return figures.curves(frame, "concentration", measures, "Concentration N0", True, marks)


def rivals_table(advised: Recommendation) -> pd.DataFrame:
    """One row per prior: its best N0 and other parameter, K, and how far its nll is above the lowest."""
    lowest = min(cell.nll for cell in advised.rivals.values())
    rows = [
        {
            "Prior": _title(prior),
            "Values": ", ".join(f"{value:.3g}" for value in cell.values),
            "K": cell.n_clusters,
            "nats above": f"{cell.nll - lowest:.2f}",
        }
        for prior, cell in advised.rivals.items()
    ]
    return pd.DataFrame(rows).set_index("Prior")


def checks_table(advised: Recommendation) -> pd.DataFrame:
    """One row per check: what it was, the K found, and the agreement."""
    checks: list[SeedCheck | HalvesCheck] = [*advised.seeds, *advised.halves]
    rows = [_row_of(check) for check in checks]
    return pd.DataFrame(rows, columns=["Check", "K", "Agreement (ARI)"]).set_index("Check")


def _row_of(check: SeedCheck | HalvesCheck) -> tuple[str, str, str]:
    if isinstance(check, SeedCheck):
        return f"seed {check.seed}", f"{check.n_clusters}", f"{check.agreement:.2f}"
    return "two halves", "{} and {}".format(*check.n_clusters), f"{check.agreement:.2f}"
