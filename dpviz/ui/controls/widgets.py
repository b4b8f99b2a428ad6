"""Streamlit's widgets with a memory: their values survive a change of page, and can be set by lessons and links.

Streamlit forgets a widget's value when its page is left. Every control here is bound to a key of the session's
settings, which no widget owns: the widget starts from it and writes back to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st

from dpviz.parameters import Parameter, Size
from dpviz.ui.session.state import default_key, settings


def seed(key: str, default: Any) -> None:
    """Give a widget that has no value yet the remembered one, or a default.

    A value that another page's widget of this key left is set again: unless it is, Streamlit takes it away with that
    widget, and the new one starts from nothing.
    """
    st.session_state[key] = st.session_state[key] if key in st.session_state else settings().get(key, default)


def _follow(key: str, default: float) -> None:
    """Let a control that still stands on its default take the new one when the data change it."""
    former = settings().get(default_key(key))
    if former is not None and former != default and st.session_state[key] == former:
        st.session_state[key] = default
    settings()[default_key(key)] = default


def _kept(key: str) -> Any:
    settings()[key] = st.session_state[key]
    return st.session_state[key]


def select(label: str, key: str, options: Sequence[Any], default: Any = None, **arguments: Any) -> Any:
    """Draw a select box that remembers."""
    seed(key, options[0] if default is None else default)
    if st.session_state[key] not in options:
        st.session_state[key] = options[0] if default not in options else default
    st.selectbox(label, options, key=key, **arguments)
    return _kept(key)


def toggle(label: str, key: str, default: bool = False, **arguments: Any) -> bool:
    """Draw a toggle that remembers."""
    seed(key, default)
    st.toggle(label, key=key, **arguments)
    return bool(_kept(key))


def number(label: str, key: str, default: int, lower: int, upper: int, **arguments: Any) -> int:
    """Draw a whole-number field that remembers."""
    seed(key, default)
    st.session_state[key] = int(min(max(st.session_state[key], lower), upper))
    st.number_input(label, lower, upper, key=key, **arguments)
    return int(_kept(key))


def real(label: str, key: str, default: float, **arguments: Any) -> float:
    """Draw a field for any number that remembers."""
    seed(key, float(default))
    st.session_state[key] = float(st.session_state[key])
    st.number_input(label, key=key, **arguments)
    return float(_kept(key))


def slider(label: str, key: str, default: float, lower: float, upper: float, step: float, **arguments: Any) -> float:
    """Draw a linear slider that remembers; its range stretches to hold a value set by a link."""
    integer = isinstance(default, int) and isinstance(step, int)
    kind = int if integer else float
    seed(key, default)
    value = kind(st.session_state[key])
    st.session_state[key] = value
    lower, upper = min(kind(lower), value), max(kind(upper), value)
    st.slider(label, lower, upper, step=kind(step), key=key, **arguments)
    return float(_kept(key)) if not integer else int(_kept(key))


def log_slider(label: str, key: str, default: float, lower: float, upper: float, **arguments: Any) -> float:
    """Draw a slider over round numbers (1, 1.5, 2, 3, 5, 7 per decade) that takes in any value set by a link."""
    seed(key, default)
    _follow(key, float(default))
    value = float(st.session_state[key])
    options = sorted(_round_numbers(lower, upper) | {value, float(default)})
    st.session_state[key] = value
    st.select_slider(label, options, key=key, format_func=lambda number: f"{number:.4g}", **arguments)
    return float(_kept(key))


def log_slider_or(word: str, words: str, label: str, key: str, lower: float, upper: float, **arguments: Any) -> Any:
    """Draw the same with one more place, before the numbers, that stands for a word; there it begins.

    Parameters
    ----------
    word, words : str
        What is returned for that place, and what it is called.
    label, key, lower, upper, **arguments
        As for :func:`log_slider`.
    """
    seed(key, word)
    value = st.session_state[key]
    value = value if value == word else float(value)
    options = [word, *sorted(_round_numbers(lower, upper) | ({value} - {word}))]
    st.session_state[key] = value
    shown = {word: words}
    st.select_slider(
        label, options, key=key, format_func=lambda place: shown.get(place) or f"{place:.4g}", **arguments
    )  # fmt: skip
    return _kept(key)


def _round_numbers(lower: float, upper: float) -> set[float]:
    steps = {
        round(mantissa * 10.0**exponent, 12)
        for exponent in range(math.floor(math.log10(lower)), math.ceil(math.log10(upper)) + 1)
        for mantissa in (1, 1.5, 2, 3, 5, 7)
    }
    return {step for step in steps if lower <= step <= upper}


def option_control(
    option: Parameter,
    key: str,
    value: Any,
    size: Size,
    *,
    typical: float | None = None,
    choices: Sequence[str] = (),
    **layout: Any,
) -> Any:
    """Draw the control that fits a parameter and return what it is set to.

    Parameters
    ----------
    option : Parameter
    key : str
        Of the control.
    value : object
        Where it begins.
    size : Size
        Of the data.
    typical : float, optional
        What the data suggest, for parameters without a range of their own.
    choices : sequence of str
        What it is chosen from, if fewer than all.
    **layout
        Passed on to the widget, such as its width.
    """
    about = option.explanation or None
    if option.choices:
        words = dict(option.choices)
        allowed = list(choices or option.values)
        return select(option.words, key, allowed, value, format_func=words.__getitem__, help=about, **layout)
    if option.integer and option.explore is None:
        lower, upper = option.limits(size)
        return number(option.words, key, int(value), int(lower), int(upper), help=about, **layout)
    low, high = option.slider_range(size, typical)
    if option.integer:
        lowest, highest = int(low), int(high)
        if highest <= lowest:
            return lowest
        return int(slider(option.label, key, int(value), lowest, highest, 1, help=about, **layout))
    if option.log and low > 0:
        return log_slider(option.label, key, float(value), low, high, help=about, **layout)
    return slider(option.label, key, float(value), low, high, option.step or 0.01, help=about, **layout)
