"""Settings of the Predict page in its address: ``predict=`` holds the run, the tab, the folds and the point.

Links come from strangers: the configuration is checked as any other, and numbers must be such as the fields can show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.predict import folds, runs
from dpviz.ui.session import state
from dpviz.ui.session.scale import Level, Scale
from dpviz.ui.shell.page_link import PageLink
from dpviz.ui.shell.prior_factors import from_query

LINK = PageLink("predict", longest=8_000)
_UNREADABLE = "The link's settings of this page could not be read; the defaults are shown."
_POINT = "predict linked point"
LARGEST = 1e300


def restore(tabs: dict[str, str], place: str) -> None:
    """Follow the address once, before anything is drawn; ``tabs`` are the page's, ``place`` the key of its choice."""
    text = LINK.arrived()
    if text is None:
        return
    try:
        values = LINK.read(text)
        if isinstance(values.get("run"), dict):
            choice = state.chosen_data()
            config = from_query({str(key): value for key, value in values["run"].items()}, choice)
            runs.follow(config, _level(values))
    except (ValueError, RecursionError) as error:
        words = f"{_UNREADABLE} {str(error)[:300]}" if isinstance(error, DpvizError) else _UNREADABLE
        st.warning(escape_markdown(words), icon=":material/link_off:")
        return
    asked = values.get("tab")
    if asked in tabs.values():
        state.put({place: next(words for words, name in tabs.items() if name == asked)})
    if type(values.get("folds")) is int and 2 <= values["folds"] <= folds.MOST:
        state.put({folds.N_FOLDS: values["folds"]})
    point = values.get("point")
    if isinstance(point, list) and all(_is_cell(value) for value in point):
        st.session_state[_POINT] = point


def _level(values: dict[str, Any]) -> Level:
    """Return the scale of a link's run; without one, or with none, no union."""
    try:
        return Level.read(str(values["scale"])) if "scale" in values else Level()
    except DpvizError as error:
        words = "The link's scale could not be read, so the run predicts with the clusters that it found."
        st.warning(escape_markdown(f"{words} {error}"), icon=":material/link_off:")
        return Level()


def _is_cell(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def take_point() -> Sequence[float | None] | None:
    """Return the point of the link, once; None where a cell is missing."""
    point: Sequence[float | None] | None = st.session_state.pop(_POINT, None)
    return point


def remember(config: RunConfig, scale: Scale | None, tab: str, point: FloatArray | None) -> None:
    """Update the address with the settings shown; call it after everything is drawn."""
    values: dict[str, Any] = {"run": config.to_query(), "tab": tab}
    if scale is not None:
        values["scale"] = str(scale.level)
    n_folds = state.settings().get(folds.N_FOLDS)
    if n_folds is not None:
        values["folds"] = n_folds
    if point is not None:
        values["point"] = [None if np.isnan(cell) else float(cell) for cell in point]
    shorter = {name: value for name, value in values.items() if name != "point"}
    LINK.keep_what_fits(
        values, shorter, {name: value for name, value in shorter.items() if name not in ("run", "scale")}
    )
