"""Settings of the Posterior page in its address: ``posterior=`` holds the chains, the burn-in and the tab.

Links come from strangers: the configuration is checked as any other, numbers must be whole and within the bounds of
their controls, and choices must be among those offered. ``run`` has the model of the chains, however it was chosen;
``held`` repeats it if short runs chose it, so that the page can say so (:mod:`dpviz.ui.controls.model_control`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpviz.config_values import is_open, is_shape
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.controls import model_control
from dpviz.ui.posterior import scales, settings
from dpviz.ui.posterior.findings import LOSS_WORDS
from dpviz.ui.posterior.settings import MOST_CHAINS, MOST_SWEEPS, Setup
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell.page_link import PageLink
from dpviz.ui.shell.prior_factors import from_query

LINK = PageLink("posterior", longest=8_000)
BOUNDS = {"chains": (1, MOST_CHAINS), "burn_in": (0, MOST_SWEEPS)}
MOST_ASKED = 10**12
"""Numbers of clusters in links from here on are none."""
_UNREADABLE = "The link's settings of this page could not be read; the defaults are shown."


def restore(choice: DataChoice) -> str | None:
    """Follow the address once, before the controls are drawn; return the tab it names, if it does."""
    text = LINK.arrived()
    if text is None:
        return None
    try:
        values = LINK.read(text)
        asked = list(values["held"])[:1] if isinstance(values.get("held"), dict) else []
        model_control.take_link(settings.PAGE, choice, values)
        _take(values, choice)
        if asked:
            settings.leave_to_data(asked[0].partition(".")[2], choice)
    except (ValueError, RecursionError) as error:
        words = f"{_UNREADABLE} {str(error)[:300]}" if isinstance(error, DpvizError) else _UNREADABLE
        st.warning(escape_markdown(words), icon=":material/link_off:")
        return None
    _take_scale(values)
    tab = values.get("tab")
    return tab if isinstance(tab, str) else None


def _take_scale(values: Mapping[str, Any]) -> None:
    """Join clusters of the summary as a link says; links without a scale join none."""
    n_clusters = values.get("scale")
    is_number = type(n_clusters) is int and 0 < n_clusters < MOST_ASKED
    scales.choose(n_clusters if is_number else None)
    if n_clusters is not None and not is_number:
        words = f"The link's scale must be a number of clusters from 1, not {str(n_clusters)[:40]}; none are joined."
        st.warning(escape_markdown(words), icon=":material/link_off:")


def _take(values: Mapping[str, Any], choice: DataChoice) -> None:
    """Set the controls; values that they do not offer are left out."""
    numbers = {
        name: values[name]
        for name, (lowest, most) in BOUNDS.items()
        if type(values.get(name)) is int and lowest <= values[name] <= most
    }
    if isinstance(values.get("loss"), str) and values["loss"] in LOSS_WORDS:
        state.put({"posterior.loss": values["loss"]})
    run = values.get("run")
    if not isinstance(run, Mapping):
        state.put({f"posterior.{name}": value for name, value in numbers.items()})
        return
    config = from_query({str(key): value for key, value in run.items()}, choice)
    if not ALGORITHMS[config.algorithm].is_chain:
        raise ValueError("not a chain")
    usual = is_open(config.prior) and model_control.is_usual(settings.PAGE, choice)
    if usual or is_shape(config.prior):  # of no link that the page wrote
        model_control.leave_open(settings.PAGE, choice, config.prior)
    own = {name: getattr(config, name) for name in ("split_merge", "seed")}
    settings.apply(config, choice, n_sweeps=min(config.n_sweeps, MOST_SWEEPS), **own, **numbers)


def remember(setup: Setup, burn_in: int, tab: str, choice: DataChoice) -> None:
    """Update the address with the settings shown; call it after the controls are drawn."""
    values: dict[str, Any] = {"run": setup.config.to_query(), "chains": setup.n_chains, "burn_in": burn_in, "tab": tab}
    values |= model_control.to_link(settings.PAGE, choice)
    loss = state.settings().get("posterior.loss")
    if loss is not None:
        values["loss"] = loss
    if scales.asked() is not None:
        values["scale"] = scales.asked()
    LINK.keep_what_fits(values, {"tab": tab})
