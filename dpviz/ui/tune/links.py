"""Settings of the Tune page in its address: ``tune=`` holds the tab, its settings and the starting configuration.

``held`` has the model that short runs chose for the tab, so that the link shows it on any machine, and ``usual``
records that the usual prior was asked for. ``version`` is that of the configurations with which the tabs begin.

Links come from strangers. A setting is taken over only if its name is one of a control and its value of the control's
kind; the controls themselves keep it within their bounds.
"""

from __future__ import annotations

import math
import re
from typing import Any

import streamlit as st

from dpviz.config_versions import VERSION, check_version
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.controls import model_control
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell import links, prior_factors
from dpviz.ui.shell.page_link import PageLink
from dpviz.ui.tune import computation, method_controls

LINK = PageLink("tune", longest=8_000)
LARGEST = 1e9
PREFIXES = {
    "recommendation": ("recommendation",),
    "grid": ("grid", "range"),
    "N0": ("concentration", "N0"),
    "r": ("power", "r"),
    "counts": ("asked", "bic"),
    "prior": ("prior",),
    "models": ("models",),
    "alpha": ("coarsening",),
    "search": ("search",),
}
"""Names of the tabs in links, and the settings of each, by the first part of their names."""
_NAME = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]*){0,6}")
_TEXTS = {"method", "first", "second", "family", "partition", "measure", "way"}
_SWITCHES = {"log", "folds"}
_UNLINKED = {"selected", "csv", "open", "take", "back", "run", "cancel", "continue"}


def restore(choice: DataChoice) -> str | None:
    """Follow the address once, before the controls are drawn; return the tab it names, if it does."""
    text = LINK.arrived()
    computation.arrive(text is not None or links.arrived())
    if text is None:
        return None
    try:
        values = LINK.read(text)
        check_version(values)
    except (ValueError, RecursionError) as error:
        words = "The link's settings of this page could not be read; the defaults are shown."
        words += f" {str(error)[:300]}" if isinstance(error, DpvizError) else ""
        st.warning(escape_markdown(words), icon=":material/link_off:")
        return None
    del values["version"]
    _take_base(values.pop("base", None), choice)
    _take_model(values, choice)
    tab = values.pop("tab", None)
    place = tab if isinstance(tab, str) and tab in PREFIXES else None
    good = {name: value for name, value in values.items() if is_setting(name, value)}
    if len(good) < len(values):
        st.warning("Some of the link's settings are unknown and were left out.", icon=":material/link_off:")
    state.put({f"tune.{name}": value for name, value in good.items()})
    return place


def _take_base(given: Any, choice: DataChoice) -> None:
    """Start all tabs from the configuration of the link."""
    if not isinstance(given, dict):
        return
    try:
        config = prior_factors.from_query({str(key): value for key, value in given.items()}, choice)
        method_controls.take_over(config, choice)
    except DpvizError as error:
        words = f"The link's starting point could not be restored. {str(error)[:300]}"
        st.warning(escape_markdown(words), icon=":material/link_off:")


def _take_model(values: dict[str, Any], choice: DataChoice) -> None:
    """Keep the model of the link, or use the usual prior."""
    try:
        model_control.take_link(method_controls.PAGE, choice, values)
    except DpvizError as error:
        words = f"The link's model could not be restored, so it is chosen again. {str(error)[:300]}"
        st.warning(escape_markdown(words), icon=":material/link_off:")


def is_setting(name: Any, value: Any) -> bool:
    """Whether a name is that of a control of this page, and a value has the control's type."""
    if not isinstance(name, str) or len(name) > 120 or not _NAME.fullmatch(name):
        return False
    parts = name.split(".")
    if _UNLINKED & set(parts) or not any(parts[0] in prefixes for prefixes in PREFIXES.values()):
        return False
    if _SWITCHES & set(parts):
        return isinstance(value, bool)
    if _TEXTS & set(parts):
        return isinstance(value, str) and len(value) <= 60
    return isinstance(value, int | float) and not isinstance(value, bool) and _is_small(value)


def _is_small(value: float) -> bool:
    return abs(value) <= LARGEST if isinstance(value, int) else math.isfinite(value) and abs(value) <= LARGEST


def remember(tab: str, choice: DataChoice) -> None:
    """Update the address with the settings shown; call it after the controls are drawn."""
    settings = {
        key.removeprefix("tune."): value
        for key, value in state.settings().items()
        if key.startswith("tune.") and key.removeprefix("tune.").split(".")[0] in PREFIXES[tab]
    }
    values: dict[str, Any] = {"tab": tab, "version": VERSION}
    values |= {name: value for name, value in sorted(settings.items()) if is_setting(name, value)}
    values |= model_control.to_link(method_controls.PAGE, choice)
    base = method_controls.given(choice)
    if base is not None:
        values["base"] = base.to_query()
    without_base = {name: value for name, value in values.items() if name != "base"}
    LINK.keep_what_fits(
        values, without_base, {n: values[n] for n in ("tab", "version", "held", "usual") if n in values}
    )
