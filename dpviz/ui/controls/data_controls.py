"""The sidebar's data chooser: the short way; the Data page has everything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from dpviz import datasets
from dpviz.datasets import SCENARIOS
from dpviz.datasets.tables.table import listed
from dpviz.errors import DpvizError
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import (
    DataChoice,
    PreparedData,
    complete_rows,
    dropped_data,
    keeping_gaps,
    prepare,
    session_datasets,
)
from dpviz.ui.shell import navigation

SOURCES_IN_WORDS = {"synthetic": "Synthetic", "bundled": "Bundled", "session": "Yours"}


def default_scaling(name: str) -> str:
    """By default standardise bundled tables with measured columns, since they mix units.

    Counts and codes stay as they are, and so do durations, which share a unit, and synthetic data.
    """
    entry = datasets.entries().get(name)
    measured = entry is not None and "continuous" in {entry.kind, *entry.kinds.values()}
    return "standardise" if measured else "none"


def say_dropped() -> None:
    """Name the user's data that were dropped to make room."""
    dropped = dropped_data()
    if dropped:
        names = escape_markdown(listed(dropped))
        st.info(f"To make room, the server dropped {names}. Load it again to use it.", icon=":material/memory:")


_SHOWN = "data choice of the sidebar"


def chosen_in_sidebar(gaps: bool = False) -> PreparedData | None:
    """Choose data in the sidebar and prepare them; None if that fails; the page then says why.

    Parameters
    ----------
    gaps : bool
        Whether the page knows what to do about missing cells; else it gets complete rows.
    """
    with st.sidebar:
        choice = data_controls()
    try:
        prepared = prepare(choice)
        if gaps:
            return prepared
        with st.sidebar:
            prepared = completed(prepared, "This page needs complete rows")
        return complete_rows(prepared)
    except DpvizError as error:
        st.error(escape_markdown(str(error)))
        return None


def completed(prepared: PreparedData, why: str) -> PreparedData:
    """Say what happens to rows with missing cells where complete rows are required, and let the reader choose.

    Parameters
    ----------
    prepared : PreparedData
    why : str
        Who needs complete rows, as the beginning of a sentence.

    Returns
    -------
    PreparedData
        The same rows, with the reader's choice applied.
    """
    n_rows = int(prepared.clustered.incomplete.sum())
    if not n_rows:
        return prepared
    choice = prepared.choice
    filled = widgets.toggle(
        "Fill cells in where rows must be complete",
        f"data.fill.{choice.source}.{choice.name}",
        choice.fill,
        help="Otherwise rows with missing cells are left out there. Filled cells hold the mean of their column, or its "
        "commonest value if it has codes or counts, and count like any others: groups look tighter than they are.",
    )
    done = "filled in" if filled else "left out"
    st.caption(f"{escape_markdown(why)}: {n_rows:,} of {len(prepared.X):,} have missing cells and are {done}.")
    if filled == choice.fill:
        return prepared
    choice = replace(choice, fill=filled)
    state.choose_data(choice)
    st.session_state[_SHOWN] = choice
    return prepare(choice)


def say_rows(own: PreparedData, whole: PreparedData) -> None:
    """Say which rows a method uses if cells are missing; the sidebar, which says more, may be folded away."""
    if whole.clustered.incomplete.any():
        filled = len(own.X) == len(whole.X)
        rows = "all rows, with their missing cells filled in" if filled else f"the {len(own.X):,} complete rows"
        st.caption(f"On {rows}.")


def data_controls(*, watch: bool = False) -> DataChoice:
    """Choose data and the scenario's main sliders; the choice holds on every page.

    Parameters
    ----------
    watch : bool
        Whether to say what to watch when the data are clustered.
    """
    choice = state.chosen_data()
    say_dropped()
    # chosen elsewhere (by a preset, a link, the Data page), or back from a page without these controls
    if st.session_state.get(_SHOWN) != choice or "data.source" not in st.session_state:
        _set_controls(choice)
    source = widgets.segments(
        "Data",
        "data.source",
        list(SOURCES_IN_WORDS),
        format_func=SOURCES_IN_WORDS.__getitem__,
        label_visibility="visible",
    )
    chosen = {"synthetic": _synthetic, "bundled": _bundled}.get(source, _session)(choice, watch)
    state.choose_data(chosen)
    st.session_state[_SHOWN] = chosen
    return chosen


def _set_controls(choice: DataChoice) -> None:
    """Set the controls to data that were chosen elsewhere."""
    values: dict[str, Any] = {"data.source": choice.source, f"data.name.{choice.source}": choice.name}
    if choice.source == "synthetic":
        scenario, given = SCENARIOS[choice.name], dict(choice.options)
        defaults = {"n": scenario.n, "seed": 0, **{p.name: p.default for p in scenario.parameters}}
        values |= {f"data.options.{choice.name}.{name}": given.get(name, value) for name, value in defaults.items()}
    state.put(values)


def _select_name(source: str, names: list[str], titles: dict[str, str]) -> str:
    name: str = widgets.select(
        "Data set", f"data.name.{source}", names, format_func=titles.__getitem__, label_visibility="collapsed"
    )
    return name


def _same(choice: DataChoice, source: str, name: str) -> bool:
    return choice.source == source and choice.name == name


def _synthetic(choice: DataChoice, watch: bool) -> DataChoice:
    name = _select_name("synthetic", list(SCENARIOS), {n: scenario.title for n, scenario in SCENARIOS.items()})
    scenario = SCENARIOS[name]
    base = choice if _same(choice, "synthetic", name) else DataChoice("synthetic", name)
    if watch:
        st.caption(scenario.watch)
    key = f"data.options.{name}"
    options: dict[str, Any] = {}
    with st.expander("Shape these data"):
        n = widgets.number("Points", f"{key}.n", scenario.n, 10, 100_000)
        if n != scenario.n:
            options["n"] = n
        for parameter in scenario.parameters:
            value = widgets.slider(
                parameter.name.replace("_", " ").capitalize(),
                f"{key}.{parameter.name}",
                parameter.default,
                *parameter.slider_range(),
                parameter.step,
                help=parameter.explanation,
            )
            if value != parameter.default:
                options[parameter.name] = value
        seed = widgets.number("Seed of the data", f"{key}.seed", 0, 0, 2**31)
        if seed:
            options["seed"] = seed
    return keeping_gaps(replace(base, options=tuple(sorted(options.items()))))


def _bundled(choice: DataChoice, watch: bool) -> DataChoice:
    entries = datasets.entries()
    name = _select_name("bundled", list(datasets.names()), {n: entry.title for n, entry in entries.items()})
    if watch:
        st.caption(entries[name].watch)
    if _same(choice, "bundled", name):
        return choice
    return DataChoice("bundled", name, scaling=default_scaling(name))


def _session(choice: DataChoice, watch: bool) -> DataChoice:
    """Choose among data that the reader brought, and lead to where more are brought; without any the choice stays."""
    own = session_datasets()
    for words, icon, way in (("Your table", "table_chart", "load"), ("Draw points", "draw", "draw")):
        navigation.door("data", words, f":material/{icon}:", {"way": way})
    if not own:
        return choice
    name = _select_name("session", list(own), {n: own[n].title for n in own})
    return choice if _same(choice, "session", name) else DataChoice("session", name)


def heading(prepared: PreparedData) -> None:
    """Name the data with their size; the tooltip lists everything dropped or changed."""
    n_points, n_features = prepared.X.shape
    st.markdown(f"#### {escape_markdown(prepared.dataset.title)}")
    notes = "\n\n".join(escape_markdown(note) for note in prepared.notes)
    n_rows = int(prepared.clustered.incomplete.sum())
    gaps = f", {counted(n_rows, 'point')} with missing cells" if n_rows else ""
    st.caption(f"{counted(n_points, 'point')}, {counted(n_features, 'column')}{gaps}", help=notes or None)


def places_in_words(prepared: PreparedData) -> str:
    """Say at how few places the points stand, if at half as many as there are or fewer; empty if not."""
    X = prepared.clustered.X

    def n_different() -> int:
        if any(2 * pd.Series(column).nunique() > len(X) for column in X.T):  # soon known of measures
            return len(X)
        return int((~pd.DataFrame(X).duplicated()).sum())

    n_places = state.remade("data places", prepared.choice, n_different)
    return f"They stand at {counted(n_places, 'place')}, since rows are equal." if 2 * n_places <= len(X) else ""
