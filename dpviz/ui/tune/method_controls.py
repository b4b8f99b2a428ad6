"""What every run on the Tune page starts from: method, model, restarts, seed; and the way from a run to Explore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dpviz.config import RunConfig
from dpviz.datasets.tables import escape_markdown
from dpviz.families import FAMILIES
from dpviz.partition import PARTITION_PRIORS, PoweredChineseRestaurant
from dpviz.ui.controls import run_controls, widgets
from dpviz.ui.session import history, naming, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData

_GIVEN = "tune.given"
_MODEL = ("mapdp", "gibbs")
PLAIN: dict[str, Any] = {"config": {"displaylogo": False}}
"""Options of the charts."""
SWEEPS_OF_A_CHAIN = (200, 50)
"""Length and burn-in of a chain in a grid: its cells have many."""


def base_controls(
    place: str,
    names: Sequence[str],
    prepared: PreparedData,
    prior_name: str | None = None,
    main: bool = True,
    n_init: bool = True,
) -> RunConfig:
    """Draw the few settings that all runs of a tab share.

    Parameters
    ----------
    place : str
        Name of the tab, so that each keeps its own settings.
    names : sequence of str
        The methods to choose from.
    prepared : PreparedData
    prior_name : str, optional
        The partition prior, where the tab is about one; otherwise it can be chosen.
    main, n_init : bool
        Whether K, λ or the partition prior, and the number of restarts, are the reader's.

    Raises
    ------
    DpvizError
        If the settings contradict each other.
    """
    given = _given(prepared)
    default = naming.method_of(given) if given is not None and naming.method_of(given) in names else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = widgets.select(
            "Method", f"tune.{place}.method", names, default, format_func=naming.METHODS.__getitem__, width=190
        )
        base = starting_point(method, prepared)
        key = f"tune.{place}.{method}"
        chosen: dict[str, Any] = {}
        if main:
            chosen |= _main_setting(key, method, base, prepared, prior_name)
        if base.algorithm in _MODEL:
            chosen["family"] = widgets.select(
                "Clusters look like", f"{key}.family.{naming.data_key(prepared.choice)}", list(FAMILIES), base.family,
                format_func=lambda name: FAMILIES[name].title, width=330,
            )  # fmt: skip
        if n_init:
            chosen["n_init"] = widgets.number("Restarts", f"{key}.n_init", base.n_init or 1, 1, 200, width=130)
        chosen["seed"] = widgets.number("Seed", f"{key}.seed", base.seed, 0, 2**32 - 1, width=130)
    if chosen.get("family", base.family) != base.family:
        chosen["prior"] = None  # hyperparameters belong to one family
    config = replace(base, **chosen)
    _say_the_rest(place, config, prepared, main)
    return config


def _given(prepared: PreparedData) -> RunConfig | None:
    """Return the settings that were taken over for these data."""
    given: tuple[str, RunConfig] | None = state.settings().get(_GIVEN)
    return given[1] if given is not None and given[0] == naming.data_key(prepared.choice) else None


def take_over(config: RunConfig, choice: DataChoice) -> None:
    """Let all tabs start from a configuration; call it before the controls are drawn."""
    state.settings()[_GIVEN] = (naming.data_key(choice), config)
    forget = [key for key in state.settings() if key.startswith("tune.") and _is_base(key)]
    for key in forget:
        state.settings().pop(key)
        st.session_state.pop(key, None)


def _is_base(key: str) -> bool:
    """Whether a key belongs to the settings that runs start from (and not to the range of a grid)."""
    return any(part in key.split(".") for part in ("method", "base", "family", "n_init", "seed"))


def starting_point(method: str, prepared: PreparedData) -> RunConfig:
    """Return the settings that were taken over, if they are of this method, or sensible ones for the data."""
    given = _given(prepared)
    if given is not None and naming.method_of(given) == method:
        return given
    n_clusters, family = min(3, len(prepared.X)), run_controls.default_family(prepared.X)
    if method in ("gibbs", "pcrp"):
        n_sweeps, burn_in = SWEEPS_OF_A_CHAIN
        powered = PoweredChineseRestaurant(1.0, 1.1) if method == "pcrp" else None
        return RunConfig("gibbs", family=family, partition=powered, n_sweeps=n_sweeps, burn_in=burn_in)
    if method == "dpmeans":
        return RunConfig("dpmeans", penalty=run_controls.default_penalty(prepared.choice, prepared.X))
    if method == "mapdp":
        return RunConfig("mapdp", family=family)
    return RunConfig(method, n_clusters=n_clusters, n_components=n_clusters, n_init=3 if method == "em" else 10)


def _main_setting(
    key: str, method: str, base: RunConfig, prepared: PreparedData, prior_name: str | None
) -> dict[str, Any]:
    """K, λ, or the partition prior with its parameters."""
    if method in ("kmeans", "em"):
        name = "n_clusters" if method == "kmeans" else "n_components"
        most = max(min(30, len(prepared.X)), 2)
        return {name: widgets.number("Clusters K", f"{key}.base.{name}", getattr(base, name), 1, most, width=130)}
    if method == "dpmeans":
        typical = run_controls.default_penalty(prepared.choice, prepared.X)
        name = f"{key}.base.penalty.{naming.data_key(prepared.choice)}"
        lower, upper = typical / 1000, typical * 100
        return {"penalty": widgets.log_slider("Penalty λ", name, base.penalty, lower, upper, width=200)}
    assert base.partition is not None
    with st.popover("Partition prior", icon=":material/groups:"):
        if prior_name is None:
            plain = [name for name in naming.PLAIN_PRIORS if method == "mapdp" or name != "powered"]
            choices = ["powered"] if method == "pcrp" else plain
            prior_name = widgets.select(
                "What is believed about cluster numbers and sizes", f"{key}.base.partition", choices,
                base.partition.name, format_func=lambda name: PARTITION_PRIORS[name].title,
            )  # fmt: skip
        assert prior_name is not None
        return {"partition": run_controls.prior_sliders(f"{key}.base.{prior_name}", prior_name, vars(base.partition))}


def _say_the_rest(place: str, config: RunConfig, prepared: PreparedData, main: bool) -> None:
    """Name what all runs share in one line, and offer what Explore has set up."""
    words = [naming.METHODS[naming.method_of(config)]]
    if main:
        detail = naming.describe(config).split(" · ")[1]
        prior = config.partition.title if config.algorithm in _MODEL and config.partition is not None else ""
        words.append(f"{prior} {detail} where it is not varied".strip())
    if config.algorithm in _MODEL:
        given = ", ".join(name for name, _ in config.prior or ())
        words.append(f"own {given}" if given else "shape prior from the data")
    if config.algorithm == "gibbs":
        words.append(f"{config.n_sweeps} sweeps, {config.burn_in} of them burn-in")
    last = next((run for run in history.runs() if _same_data(run.choice, prepared.choice)), None)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escape_markdown(f"Every run: {' · '.join(words)}."))
        if last is not None and _given(prepared) != last.config:
            st.button(
                "Start from Explore’s run", key=f"tune.take.{place}", type="tertiary", icon=":material/input:",
                help=f"All tabs then start from {escape_markdown(naming.describe(last.config))}.",
                on_click=take_over, args=(last.config, prepared.choice),
            )  # fmt: skip
        if _given(prepared) is not None:
            st.button(
                "Back to the defaults", key=f"tune.back.{place}", type="tertiary", icon=":material/undo:",
                on_click=_back_to_defaults, args=(prepared.choice,),
            )  # fmt: skip


def _same_data(one: DataChoice, other: DataChoice) -> bool:
    return replace(one, axes=()) == replace(other, axes=())


def _back_to_defaults(choice: DataChoice) -> None:
    take_over(RunConfig(), choice)
    state.settings().pop(_GIVEN)
