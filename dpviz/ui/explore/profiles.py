"""The profiles of the clusters at the playhead: what each column looks like in each, and which columns matter."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.profiles import Profile, column_profiles, column_tests, joined_profiles
from dpviz.figures.profiles import profile_figure
from dpviz.player import track_color
from dpviz.report.tables import described_table, overview_table
from dpviz.shares import are_parts
from dpviz.text import escape_markdown, percent
from dpviz.ui.controls.charts import chart
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.exports import csv_button
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.state import remade

MOST_COLUMNS, MOST_CLUSTERS, ACROSS = 8, 12, 4
OF_PART = ("another part", "this part")


def show(finished: Finished, sweep: int) -> None:
    """Draw the panel, closed at first: it is computed only while it is open."""
    with st.expander("Profiles: what sets the clusters apart", key="profiles", on_change="rerun"):
        if st.session_state.get("profiles"):
            _draw(finished, finished.shown_sweep(sweep))


def _draw(finished: Finished, sweep: int) -> None:
    _overview(finished, sweep)
    if not finished.problem.algorithm.uses_model:
        st.caption("This method has no model of a cluster, so there are no predictives; the tests below need none.")
    elif profiles := _profiles(finished, sweep):
        _pictures(finished, sweep, profiles)
    else:
        st.caption("This family does not say what a single column looks like.")
    _tests(finished, sweep)


def _overview(finished: Finished, sweep: int) -> None:
    """Show sizes and what sets each cluster apart, and offer every column's means and shares."""
    dataset, labels = finished.prepared.dataset, finished.clusters_at(sweep)
    numbers = [finished.number_of(int(k), sweep) for k in np.unique(labels)]
    names, order = [finished.name_of(number) for number in numbers], np.argsort(numbers)
    table = overview_table(dataset, labels, names).iloc[order]
    texts: dict[Any, Any] = {"share": percent}
    shown = table.reset_index().style.format(texts | dict.fromkeys(("cluster", "what sets it apart"), escape_markdown))
    st.table(shown, hide_index=True, height=400 if len(table) > MOST_CLUSTERS else "content")
    csv_button(
        "Means, deviations and shares (CSV)",
        lambda: described_table(dataset, labels, names).iloc[order].reset_index(),
        "dpviz-clusters.csv",
        "profiles.clusters",
    )


def _profiles(finished: Finished, sweep: int) -> list[Profile]:
    """Compute them once per sweep at the playhead."""

    def made() -> list[Profile]:
        problem = finished.completed(sweep)
        return column_profiles(problem.model, problem.X, finished.trace.labels_at(sweep))

    profiles = remade("profiles of clusters", (finished.trace, sweep), made)
    if finished.scale is not None and finished.is_joined(sweep):
        return joined_profiles(profiles, finished.scale.groups)
    return profiles


def _pictures(finished: Finished, sweep: int, profiles: list[Profile]) -> None:
    """Draw the most informative columns, for the largest clusters."""
    used, sizes = np.unique(finished.clusters_at(sweep), return_counts=True)
    largest = np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS]
    numbers = [finished.number_of(int(k), sweep) for k in used]
    largest = np.array(sorted(largest, key=numbers.__getitem__))
    shown = [
        replace(profile, densities=profile.densities[largest], weights=profile.weights[largest])
        for profile in profiles[:MOST_COLUMNS]
    ]
    dark = st.context.theme.type == "dark"
    names = [f"{finished.name_of(numbers[k])} ({sizes[k]:,})" for k in largest]
    colors = [track_color(numbers[k] - 1, dark=dark) for k in largest]
    clustered = finished.prepared.clustered
    left_out = []
    if len(largest) < len(used):
        left_out.append(f"the {len(largest)} largest of {len(used)} clusters")
    if len(shown) < len(profiles):
        left_out.append(f"the {len(shown)} columns of {len(profiles)} that tell most")
    st.caption(
        f"What each cluster expects of a further point after sweep {sweep}, column by column. The number is the mutual "
        "information: how much a value of the column says about the cluster. "
        + (f"Shown are {' and '.join(left_out)}." if left_out else "")
    )
    st.html(_legend(names, colors))
    for first in range(0, len(shown), ACROSS):
        for place, profile in zip(st.columns(ACROSS), shown[first : first + ACROSS], strict=False):
            column = profile.column
            own, name = _in_its_units(profile, finished.prepared)
            words = OF_PART if are_parts(clustered.kinds)[column] else clustered.category_names[column]
            figure = profile_figure(own, name, names, colors, words)
            with place:
                chart(figure, f"profiles.{column}", has_bar=False)


def _in_its_units(profile: Profile, prepared: PreparedData) -> tuple[Profile, str]:
    """Return the profile in the table's units, as the table above has them, and its name; else name the scaling."""
    preparation, name = prepared.preparation, prepared.clustered.feature_names[profile.column]
    if preparation.by_column:
        return profile.in_units(preparation.centre[profile.column], preparation.spread[profile.column]), name
    is_scaled = preparation.indicators is not None and name in prepared.dataset.feature_names
    return profile, f"{name} (standardised)" if is_scaled else name


def _legend(names: list[str], colors: list[str]) -> str:
    """Return one legend for all pictures."""
    entries = [
        f"<span style='white-space: nowrap'><span style='color: {color}'>●</span> {html.escape(name)}</span>"
        for name, color in zip(names, colors, strict=True)
    ]
    return f"<div style='font-size: 0.9rem'>{' &ensp; '.join(entries)}</div>"


def _tests(finished: Finished, sweep: int) -> None:
    tested = finished.prepared.dataset if finished.prepared.choice.mixed else finished.prepared.clustered
    labels = finished.clusters_at(sweep)
    table = column_tests(tested.X, labels, tested.kinds, tested.feature_names)
    st.markdown("**Tests of difference**")
    st.caption(
        "By the kind of each column; p-values corrected for their number (Benjamini–Hochberg). The clusters were made "
        "from these very columns, so small values are no proof of groups: read the order, not the size."
    )
    number = st.column_config.NumberColumn(format="%.3g")
    columns = {name: number for name in ("statistic", "p", "p_corrected")}
    st.dataframe(table, column_config=columns, width="stretch", height=min(38 * (len(table) + 1), 320))
    csv_button("Tests (CSV)", table.reset_index, "dpviz-tests.csv", "profiles.csv")
