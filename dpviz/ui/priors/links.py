"""Settings of the Priors page in its address: ``priors=`` holds the tab and the settings as JSON.

Links come from strangers. A setting is taken over only if its name is that of a control and its value of the control's
kind; the controls, and the priors themselves, keep it within their bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from dpviz.errors import InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.parameters import Parameter
from dpviz.partition import PARTITION_PRIORS
from dpviz.ui.priors.controls import WHICH, shared_parameters
from dpviz.ui.session import state
from dpviz.ui.shell.page_link import PageLink, as_text

LINK = PageLink("priors", longest=4_000)
LARGEST = 1e9
_WHOLE = (
    "customers",
    "seed",
    "points",
    "draw_points",
    "draw_columns",
    "draw_seed",
    "draw_taken",
    "expected_points",
    "expected_from",
    "expected_to",
)
_NUMBERS = ("temperature", "penalty_factor", "variance_share")
_TEXTS = ("notion", "draw_from")
_PRIORS = ("draw_prior", "expected_prior", "continuum_prior")


def restore(tabs: Mapping[str, str], place: str) -> None:
    """Follow the address once, before the controls are drawn.

    Parameters
    ----------
    tabs : mapping of str to str
        Names of the tabs on the page, and in links.
    place : str
        Setting that holds the tab.
    """
    text = LINK.arrived()
    if text is None:
        return
    try:
        values = LINK.read(text)
    except (ValueError, RecursionError):
        st.warning("The link's settings of this page could not be read.", icon=":material/link_off:")
        return
    kinds = _kinds()
    asked = values.pop("tab", None)
    good = {f"priors.{name}": value for name, value in values.items() if name in kinds and kinds[name](value)}
    if len(good) < len(values):
        st.warning("Some of the link's settings are unknown and were left out.", icon=":material/link_off:")
    state.put(good)
    for words, name in tabs.items():
        if name == asked:
            state.put({place: words})


def remember(tab: str) -> None:
    """Update the address with the settings shown; call it after the controls are drawn."""
    kinds, settings = _kinds(), state.settings()
    shown = {name: settings[f"priors.{name}"] for name in kinds if f"priors.{name}" in settings}
    values = {name: value for name, value in shown.items() if kinds[name](value)}
    LINK.keep(as_text({"tab": tab, **values}))


def _kinds() -> dict[str, Callable[[Any], bool]]:
    """Map settings that links may hold to functions that check their values."""
    kinds: dict[str, Callable[[Any], bool]] = dict.fromkeys(_WHOLE, _is_whole)
    kinds |= dict.fromkeys(_NUMBERS, _is_number)
    kinds |= {
        name: _is_number if own.number else partial(_is_readable, own) for name, own in shared_parameters().items()
    }
    kinds |= dict.fromkeys(_TEXTS, _is_text) | dict.fromkeys(_PRIORS, _is_prior)
    return kinds | {WHICH.removeprefix("priors."): _are_priors, "draw_family": _is_family}


def _is_number(value: Any) -> bool:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and math.isfinite(value) and abs(value) <= LARGEST


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 60


def _is_readable(parameter: Parameter, value: Any) -> bool:
    try:
        return bool(parameter.check(value))
    except InvalidParameterError:
        return False


def _is_prior(value: Any) -> bool:
    return isinstance(value, str) and value in PARTITION_PRIORS


def _is_family(value: Any) -> bool:
    return isinstance(value, str) and value in FAMILIES


def _are_priors(value: Any) -> bool:
    return isinstance(value, list) and 0 < len(value) <= len(PARTITION_PRIORS) and all(map(_is_prior, value))
