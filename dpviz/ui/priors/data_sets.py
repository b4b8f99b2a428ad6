"""Whole data sets drawn from a partition prior and a prior of the clusters, and a link from one of them to Explore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.parameters import hyperparameter_values
from dpviz.analysis.prior_laws import draw_data
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, display_coordinates, dot_stack
from dpviz.datasets.dataset import is_measured
from dpviz.families import FAMILIES, Family
from dpviz.figures import prior_laws as figures
from dpviz.partition import PARTITION_PRIORS, PartitionPrior
from dpviz.text import escape_markdown
from dpviz.ui.controls import partition_control, widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.controls.family_control import family_title, is_possible, kinds_for
from dpviz.ui.controls.widgets import segments
from dpviz.ui.priors.controls import one_prior, seed_control, with_numbers
from dpviz.ui.session.chosen_data import PreparedData, keep_session_dataset
from dpviz.ui.shell import links

N_SETS, N_BESIDE = 6, 3
OWN, LIKE_DATA = "The family’s example", "As for the chosen data"
MOST_POINTS, MOST_COLUMNS = 2_000, 10
JITTER = 0.3
"""Half the width over which equal whole numbers are spread, so that they do not overlap."""


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.markdown("**What does this prior think data look like?** Clusters, shapes and points, all drawn from it.")
    prior = one_prior("Partition prior", "priors.draw_prior", list(PARTITION_PRIORS))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        family = widgets.select(
            "Clusters look like", "priors.draw_family", list(FAMILIES), format_func=family_title, width=330
        )
        n_points = widgets.number("Points", "priors.draw_points", 300, 10, MOST_POINTS, width=130)
        seed = seed_control("priors.draw_seed")
    with st.container(horizontal=True, vertical_alignment="center"):
        possible = is_possible(family, prepared.choice, prepared.X)
        options = [LIKE_DATA, OWN] if possible else [OWN]
        source = segments("Hyperparameters", "priors.draw_from", options)
        n_columns = 0
        if source == OWN:
            n_columns = widgets.number("Columns", "priors.draw_columns", 2, 1, MOST_COLUMNS, width=140)
    values, model = _model(family, n_columns, prepared)
    drawn = [_draw(f"{prior} {family}", values, n_points, seed + k, prior, model) for k in range(N_SETS)]
    _panels(drawn)
    whose = "what Explore begins with for the chosen data" if source == LIKE_DATA else "an example, far from defaults"
    said = (
        f"{N_SETS} draws of {n_points:,} points under {with_numbers(prior)}. Colours are the clusters; "
        f"the hyperparameters of their shapes are {whose}. {_axes(drawn[0])}"
    )
    st.caption(escape_markdown(said))
    _take(drawn, prior, family, values)


def _model(family: str, n_columns: int, prepared: PreparedData) -> tuple[dict[str, Any], Family]:
    """Return hyperparameters and the family that has them; without a number of columns, those for the chosen data."""
    if n_columns:
        example = FAMILIES[family].example_data(50, n_columns)
        values = FAMILIES[family].example_prior(n_columns)
        return values, FAMILIES[family].from_prior(values, example)
    values = hyperparameter_values(
        RunConfig("mapdp", family=family, kinds=kinds_for(family, prepared), prior=None), prepared.X
    )
    return values, FAMILIES[family].from_prior(values, prepared.X)


@st.cache_resource(max_entries=64, show_spinner=False)
def _draw(
    known_as: str, values: Mapping[str, Any], n_points: int, seed: int, _prior: PartitionPrior, _model: Family
) -> Dataset:
    """Cache a draw; a prior with a function is identified by its description, and a family by its name in it."""
    return draw_data(_prior, _model, n_points, seed)


def _panels(drawn: Sequence[Dataset]) -> None:
    for row in range(0, len(drawn), N_BESIDE):
        for number, column in enumerate(st.columns(N_BESIDE), row):
            labels = drawn[number].labels
            assert labels is not None
            n_groups = len(np.unique(labels))
            with column:
                st.markdown(f"**Draw {number + 1:d}**: {n_groups} cluster{'s' if n_groups > 1 else ''}")
                figure = figures.data_panel(coordinates(drawn[number]), labels)
                chart(figure, f"priors data set {number}", has_bar=False)


def coordinates(dataset: Dataset) -> FloatArray:
    """Places (n, 2) of the points: one column as stacked dots, two as they are, more by principal components.

    Whole numbers that stand for counts or codes are spread a little, so that equal points do not hide each other.
    """
    if dataset.n_features == 1:
        stack = dot_stack(dataset.X)
        return np.column_stack([stack.positions, stack.heights])
    if dataset.n_features == 2:
        spread = [not is_measured(kind) for kind in dataset.kinds]
        shifts = np.random.default_rng(0).uniform(-JITTER, JITTER, dataset.X.shape)
        return np.asarray(dataset.X + shifts * spread)
    return display_coordinates(dataset, "principal_components").coordinates


def _axes(dataset: Dataset) -> str:
    if dataset.n_features == 1:
        return "Points of the one column are stacked."
    if dataset.n_features > 2:
        return f"Of {dataset.n_features} columns the first two principal components are shown."
    if all(map(is_measured, dataset.kinds)):
        return "Each panel has axes of its own."
    return "Whole numbers are spread a little so that equal points show."


def _take(drawn: Sequence[Dataset], prior: PartitionPrior, family: str, values: Mapping[str, Any]) -> None:
    """Offer to open one draw in Explore, under the prior that it was drawn from if Explore has controls for it."""
    partition = prior if partition_control.method_with(prior.name, "mapdp") == "mapdp" else None
    if partition is None:
        st.caption("Explore has no control for this growth function; there the draw meets the Chinese restaurant.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = widgets.number("Draw", "priors.draw_taken", 1, 1, N_SETS, width=140)
        icon = ":material/play_circle:"
        if not st.button("Open this draw in Explore", key="priors.draw_open", icon=icon, type="primary"):
            return
    dataset = drawn[number - 1]
    kinds = dataset.kinds if FAMILIES[family].prior_of_kinds(dataset.kinds) else None
    config = RunConfig("mapdp", family=family, partition=partition, prior=dict(values), kinds=kinds)
    links.open_run(config, keep_session_dataset(dataset))
