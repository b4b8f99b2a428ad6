"""An offer of two answers side by side: a sentence on what the columns show, and a button to Compare."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families import family_class
from dpviz.families.automatic import AUTOMATIC
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.text import escape_markdown
from dpviz.ui.session.chosen_data import DataChoice, is_here
from dpviz.ui.shell import navigation, prior_factors


def is_gaussian(config: RunConfig) -> bool:
    """Whether a run has a model whose family is Gaussian, or will be."""
    families = config.candidates if config.family == AUTOMATIC else (config.family,)
    gaussian = all(issubclass(family_class(name), GaussianFamily) for name in families)
    return ALGORITHMS[config.algorithm].uses_model and gaussian


def offer_both(said: str, key: str, about: str, choice: DataChoice, both: Sequence[RunConfig]) -> None:
    """Draw a sentence with a button that opens Compare; nothing of data that are gone.

    Parameters
    ----------
    said : str
        The sentence.
    key, about : str
        Key and help of the button.
    choice : DataChoice
        The data that both runs are of.
    both : sequence of RunConfig
    """
    if not is_here(choice.data):  # forgotten in another tab, while this one still shows a run
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escape_markdown(said))
        if st.button("See both", key=key, type="tertiary", icon=":material/compare:", help=about):
            panels = [prior_factors.to_query(own, choice) for own in both]
            otherwise = "Open the Compare page of the whole app to see both."
            query = {"data": choice.to_json(), "panels": json.dumps(panels, separators=(",", ":"))}
            navigation.go_to("compare", otherwise, query)
