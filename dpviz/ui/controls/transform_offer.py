"""Where columns are skewed: an offer to look for clusters after powers of them, beside the columns."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families import family_class
from dpviz.families.automatic import AUTOMATIC
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.fit.transforms import can_be_transformed, likely_powers
from dpviz.text import counted
from dpviz.ui.session.chosen_data import DataChoice, is_here, prepare
from dpviz.ui.session.kept import remembered
from dpviz.ui.shell import navigation, prior_factors

MOST_POWER = 0.5
"""Columns whose most likely power is higher are hardly skewed to the right."""


@remembered(1_000_000)
def skewed_columns(choice: DataChoice) -> int:
    """Return how many measured columns of a choice are nearer to normal, as wholes, under a root or a logarithm."""
    data = prepare(choice).dataset
    columns = [
        d for d, kind in enumerate(data.kinds) if kind == "continuous" and can_be_transformed(data.X[:, d])
    ]  # fmt: skip
    return int(np.sum(likely_powers(data.X, columns) <= MOST_POWER))


def offer(choice: DataChoice, config: RunConfig, place: str) -> None:
    """Say how many columns are skewed, and offer clusters of them as they are and transformed on Compare.

    Nothing is said of methods without a model, other families, or where columns are transformed already.

    Parameters
    ----------
    choice : DataChoice
    config : RunConfig
        Of a run of the columns.
    place : str
        Name of the page, for the button.
    """
    plain = replace(choice, axes=())
    if choice.transform or choice.n_components or not _can_have(config) or not is_here(plain):
        return
    n_skewed = skewed_columns(plain)
    if not n_skewed:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        verb = "is" if n_skewed == 1 else "are"
        st.caption(
            f"{counted(n_skewed, 'column')} {verb} nearer to a bell curve under a power such as the logarithm: "
            "clusters there may be fewer. The cost says which is better."
        )
        if st.button(
            "See both", key=f"{place}.transform", type="tertiary", icon=":material/compare:",
            help="Compares clusters of the columns with clusters after powers that lower the cost, if any do. The Data "
            "page sets transformations for all pages.",
        ):  # fmt: skip
            data = replace(choice, transform=(1.0,))  # columns that are divided and not moved, for both
            both = [prior_factors.to_query(own, data) for own in (config, replace(config, transform=AUTOMATIC))]
            otherwise = "Open the Compare page of the whole app to see both."
            query = {"data": data.to_json(), "panels": json.dumps(both, separators=(",", ":"))}
            navigation.go_to("compare", otherwise, query)


def _can_have(config: RunConfig) -> bool:
    """Whether a run can have transformations: its family is Gaussian, or will be."""
    families = config.candidates if config.family == AUTOMATIC else (config.family,)
    gaussian = all(issubclass(family_class(name), GaussianFamily) for name in families)
    return ALGORITHMS[config.algorithm].uses_model and config.transform is None and gaussian
