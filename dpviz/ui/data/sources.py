"""Two ways to get data by name: synthetic scenarios and bundled tables."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from dpviz import datasets
from dpviz.datasets import Scenario
from dpviz.datasets.digits import DIGITS, MAX_COMPONENTS, METHODS, largest_subset
from dpviz.datasets.scenario import MIN_POINTS
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice, keeping_gaps
from dpviz.ui.shell.links import MOST_POINTS

LARGEST_SEED = 2**31 - 1
_SCENARIO, _BUNDLED = "data scenario", "data bundled"
_DIGITS_DEFAULTS = {"n": 1_000, "method": "pca", "n_components": 3, "seed": 0}


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show errors of the block and continue; names from a file stay plain text in messages."""
    try:
        yield
    except DpvizError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")


def show_choice(choice: DataChoice) -> None:
    """Set the controls below to a choice made elsewhere; call it before they are drawn."""
    given = dict(choice.options)
    if choice.source == "synthetic" and choice.name in datasets.SCENARIOS:
        scenario = datasets.SCENARIOS[choice.name]
        values = _defaults(scenario) | {name: given[name] for name in _fitting(scenario, given)}
        state.put({_SCENARIO: choice.name} | {_key(scenario.name, name): value for name, value in values.items()})
    elif choice.source == "bundled" and choice.name in datasets.names():
        state.put({_BUNDLED: choice.name})
        if choice.name == DIGITS:
            state.put({_key(DIGITS, name): given.get(name, default) for name, default in _DIGITS_DEFAULTS.items()})


def _key(name: str, parameter: str) -> str:
    return f"data {name} {parameter}"


def _defaults(scenario: Scenario) -> dict[str, Any]:
    return {parameter.name: parameter.default for parameter in scenario.parameters} | {"n": scenario.n, "seed": 0}


def _fitting(scenario: Scenario, given: dict[str, Any]) -> list[str]:
    """Return the options that a slider can show; others, as from a tampered link, are left alone."""
    bounds = {parameter.name: parameter.slider_range() for parameter in scenario.parameters}
    bounds |= {"n": (MIN_POINTS, MOST_POINTS), "seed": (0, LARGEST_SEED)}
    return [
        name
        for name, value in given.items()
        if name in bounds and isinstance(value, int | float) and bounds[name][0] <= value <= bounds[name][1]
    ]


def synthesize_form() -> DataChoice:
    """Show a scenario and its sliders, and return the choice they make."""
    name = widgets.select(
        "Scenario", _SCENARIO, list(datasets.SCENARIOS), format_func=lambda name: datasets.SCENARIOS[name].found_by
    )
    scenario = datasets.SCENARIOS[name]
    st.markdown(scenario.watch)
    values: dict[str, Any] = {}
    for parameter in scenario.parameters:
        key, limits = _key(name, parameter.name), parameter.slider_range()
        values[parameter.name] = widgets.slider(parameter.explanation, key, parameter.default, *limits, parameter.step)
    left, right = st.columns(2)
    with left:
        values["n"] = widgets.number("Points", _key(name, "n"), scenario.n, MIN_POINTS, MOST_POINTS, step=100)
    with right:
        values["seed"] = _seed(name)
    return keeping_gaps(_choice("synthetic", name, values, _defaults(scenario)))


def _seed(name: str) -> int:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = widgets.number("Seed", _key(name, "seed"), 0, 0, LARGEST_SEED, help="Equal seeds draw equal points.")
        st.button(
            "New draw", key=_key(name, "dice"), icon=":material/casino:", on_click=_roll, args=(_key(name, "seed"),)
        )
    return seed


def _roll(key: str) -> None:
    state.put({key: secrets.randbelow(1_000_000)})


def bundled_form() -> DataChoice:
    """Show a bundled data set and where it comes from, and return it as a choice."""
    known = datasets.entries()
    name = widgets.select("Data set", _BUNDLED, list(known), default="iris", format_func=lambda name: known[name].title)
    entry = known[name]
    st.markdown(f"{escape_markdown(entry.description)}  \n**What to watch.** {escape_markdown(entry.watch)}")
    values = _digits_options() if name == DIGITS else {}
    with st.expander("Source, licence and citation"):
        for heading, text in (
            ("Source", entry.source),
            ("Licence", entry.licence),
            ("Cite", entry.citation),
            ("Labels", entry.labels),
        ):
            if text:
                st.markdown(f"**{heading}.** {escape_markdown(text)}")
    return _choice("bundled", name, values, _DIGITS_DEFAULTS)


def _digits_options() -> dict[str, Any]:
    method = widgets.select("Embedding", _key(DIGITS, "method"), list(METHODS), format_func=lambda name: METHODS[name])
    left, right = st.columns(2)
    with left:
        n = widgets.number("Digits", _key(DIGITS, "n"), 1_000, 50, largest_subset(method), step=100)
        n_components = widgets.number("Dimensions", _key(DIGITS, "n_components"), 3, 1, MAX_COMPONENTS)
    with right:
        seed = _seed(DIGITS)
    return {"n": n, "method": method, "n_components": n_components, "seed": seed}


def _choice(source: str, name: str, values: dict[str, Any], defaults: dict[str, Any]) -> DataChoice:
    """Name the data; options equal to the defaults are left out, which keeps links short and equal data equal."""
    changed = {option: value for option, value in values.items() if value != defaults[option]}
    return DataChoice(source, name).with_options(**changed)
