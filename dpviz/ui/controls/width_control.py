"""The width of a cluster: one slider, and a button that lets short runs choose it."""

from __future__ import annotations

import streamlit as st

from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.families.automatic import AUTOMATIC
from dpviz.families.base import WIDTH
from dpviz.fit.width import MOST_POINTS, WIDTHS, choose_width
from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import PreparedData

ABOUT = (
    "Times the variance of all the data. 1 is the usual prior, which overlooks clusters when there are many narrow "
    "ones; above 1 the prior weighs more, which many columns need. By nll: every run chooses it."
)
CHOOSING = (
    f"Runs MAP-DP briefly at {len(WIDTHS)} widths from {WIDTHS[0]:g} to 1/{1 / WIDTHS[-1]:g} and takes the one of "
    f"lowest nll: seconds for some thousand points in few columns, longer in many. Of more than {MOST_POINTS:,} points "
    "a sample decides. The other hyperparameters are left at what the data suggest meanwhile."
)


def width_control(key: str, prepared: PreparedData, config: RunConfig) -> float | str:
    """Draw slider and button and return the width, or that every run chooses it.

    Parameters
    ----------
    key : str
        Of the slider.
    prepared : PreparedData
    config : RunConfig
        Family and partition prior for which the width is chosen.
    """
    slider = st.container()
    if st.button("Choose it for me", key=f"{key}.choose", help=CHOOSING):
        _choose(key, prepared, config)
    with slider:
        width: float | str = widgets.log_slider_or(
            AUTOMATIC, "by nll", WIDTH.words, key, *WIDTH.slider_range(), help=ABOUT
        )
    chosen, *said = state.settings().get(_choice_key(key), (None,))
    for words in said if width == chosen else ():
        st.caption(escape_markdown(words))
    return width


def _choice_key(key: str) -> str:
    return f"{key}.chosen"


def _choose(key: str, prepared: PreparedData, config: RunConfig) -> None:
    """Choose the width and set the slider, which must not be drawn yet."""
    try:
        with st.spinner(f"Trying {len(WIDTHS)} widths …"):
            choice = choose_width(prepared.X, config, prepared.clustered.feature_names)
    except DpvizError as error:
        st.error(escape_markdown(str(error)))
        return
    if not choice.trials:
        st.warning(escape_markdown(" ".join(choice.notes)))
        return
    found = next(trial for trial in choice.trials if trial.width == choice.width)
    said = f"Chosen by nll: {choice.width:.4g}, with K = {found.n_clusters} in a short run."
    state.put({key: choice.width})
    state.settings()[_choice_key(key)] = (choice.width, said, *choice.notes)
