"""State that all pages of a session share: the chosen data, and the values of all controls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.ui.session.chosen_data import DataChoice

_SETTINGS = "settings"
_ASKED = "asked of controls"
_CHOICE = "data choice"


def settings() -> dict[str, Any]:
    """Values of all controls of this session."""
    values: dict[str, Any] = st.session_state.setdefault(_SETTINGS, {})
    return values


def value(key: str, default: Any = None) -> Any:
    """Return the value of a control, or the value it will have when it is drawn next."""
    if key in st.session_state and not is_asked(key):
        return st.session_state[key]
    return settings().get(key, default)


def option(key: str, options: Collection[Any], default: Any) -> Any:
    """Return the option of a select box that will be drawn with it; what a browser sends need not be one of them."""
    chosen = value(key, default)
    return chosen if chosen in options else default


def put(values: Mapping[str, Any]) -> None:
    """Set the values of controls; call it before they are drawn, e.g. in a callback."""
    settings().update(values)
    for key in values:
        settings().pop(default_key(key), None)  # a value set here does not follow the default
        _ask(key)


def forget(keys: Iterable[str]) -> None:
    """Set controls back to their defaults; call it before they are drawn."""
    keys = list(keys)
    for key in keys:
        settings().pop(key, None)
        _ask(key)


# A value that was set here is written in every script run until one has drawn the whole page: the browser never
# receives what an interrupted run wrote. It is not written after that, because every written value replaces the
# browser's, and the reader may have chosen another meanwhile. So may a reader who interrupts the run: a value that the
# browser had neither before nor from here is the reader's.


def _asked() -> dict[str, list[Any]]:
    """Return the controls that were set here, each with the values that a browser can have without its reader."""
    keys: dict[str, list[Any]] = st.session_state.setdefault(_ASKED, {})
    return keys


def _ask(key: str) -> None:
    _asked().setdefault(key, [st.session_state[key]] if key in st.session_state else [])


def is_asked(key: str) -> bool:
    """Whether a control was set by the program, and the reader has not set it since."""
    known = _asked().get(key)
    if known is None:
        return False
    if key in st.session_state and st.session_state[key] not in known:
        _asked().pop(key)
        return False
    return True


def assign(key: str, value: Any) -> None:
    """Set a control that is drawn next, in the browser too."""
    _ask(key)
    st.session_state[key] = settings()[key] = value
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and context.fragment_ids_this_run:  # the rest of the page is not drawn, nor its end reached
        _asked().pop(key)
    else:
        _asked()[key].append(value)


def delivered() -> None:
    """Note that the whole page is drawn: the browser receives all values that were set."""
    _asked().clear()


def chosen_data() -> DataChoice:
    """Return the data all pages show."""
    choice: DataChoice = st.session_state.setdefault(_CHOICE, DataChoice())
    return choice


def choose_data(choice: DataChoice) -> None:
    """Make all pages show these data."""
    st.session_state[_CHOICE] = choice.of_every_method()


def default_key(key: str) -> str:
    """Name the setting that holds the default of a control that follows its default."""
    return f"{key} default"
