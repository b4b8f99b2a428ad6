"""State that all pages of a session share: the chosen data, and the values of all controls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.ui.session.chosen_data import DataChoice

_SETTINGS = "settings"
_ASKED = "asked of controls"
_CHOICE = "data choice"
_ABSENT = object()

Held = TypeVar("Held")


def of_session(key: str, make: Callable[[], Held]) -> Held:
    """Return an object that this session has as long as it lasts, made when it is first asked for.

    Streamlit looks for it once in a script run: a page asks for some of them hundreds of times.
    """
    context = get_script_run_ctx(suppress_warning=True)
    found: dict[str, Any] = {} if context is None else vars(context).setdefault("dpviz", {})
    if key not in found:
        if key not in st.session_state:
            st.session_state[key] = make()
        found[key] = st.session_state[key]
    held: Held = found[key]
    return held


def remade(key: str, of: object, make: Callable[[], Held]) -> Held:
    """Return what this session has made last under a key, or make it anew if that was not ``of`` the same.

    Widgets draw their page again at every move, and most of what is on it stays.
    """
    kept = st.session_state.get(key)
    if kept is None or kept[0] != of:
        kept = st.session_state[key] = of, make()
    made: Held = kept[1]
    return made


def settings() -> dict[str, Any]:
    """Values of all controls of this session."""
    return of_session(_SETTINGS, dict[str, Any])


def value(key: str, default: Any = None) -> Any:
    """Return the value of a control, or the value it will have when it is drawn next."""
    present = st.session_state.get(key, _ABSENT)
    return present if present is not _ABSENT and not _is_asked(key, present) else settings().get(key, default)


def option(key: str, options: Collection[Any], default: Any) -> Any:
    """Return the option of a select box that will be drawn with it; what a browser sends need not be one of them."""
    chosen = value(key, default)
    return chosen if chosen in options else default


def put(values: Mapping[str, Any]) -> None:
    """Set the values of controls; call it before they are drawn, e.g. in a callback."""
    kept = settings()
    kept.update(values)
    for key in values:
        kept.pop(default_key(key), None)  # a value set here does not follow the default
        _ask(key)


def forget(keys: Iterable[str]) -> None:
    """Set controls back to their defaults; call it before they are drawn."""
    keys, kept = list(keys), settings()
    for key in keys:
        kept.pop(key, None)
        _ask(key)


# A value that was set here is written in every script run until one has drawn the whole page: the browser never
# receives what an interrupted run wrote. It is not written after that, because every written value replaces the
# browser's, and the reader may have chosen another meanwhile. So may a reader who interrupts the run: a value that the
# browser had neither before nor from here is the reader's.


def _asked() -> dict[str, list[Any]]:
    """Return the controls that were set here, each with the values that a browser can have without its reader."""
    return of_session(_ASKED, dict[str, list[Any]])


def _ask(key: str) -> None:
    asked = _asked()
    if key not in asked:
        present = st.session_state.get(key, _ABSENT)
        asked[key] = [] if present is _ABSENT else [present]


def is_asked(key: str) -> bool:
    """Whether a control was set by the program, and the reader has not set it since."""
    return key in _asked() and _is_asked(key, st.session_state.get(key, _ABSENT))


def _is_asked(key: str, present: Any) -> bool:
    """Whether it was, given the value that it has now."""
    known = _asked().get(key)
    if known is None:
        return False
    if present is not _ABSENT and present not in known:
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
