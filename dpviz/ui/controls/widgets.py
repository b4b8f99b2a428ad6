"""Streamlit's widgets with a memory: their values survive a change of page, and can be set by lessons and links.

Streamlit forgets a widget's value when its page is left. Every control here is bound to a key of the session's
settings, which no widget owns: the widget starts from it and writes back to it. A new widget starts with the remembered
value as its default; a widget already on the page is written to only if it has to change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from dpviz.errors import InvalidParameterError
from dpviz.parameters import Parameter, Size
from dpviz.partition.hyperpriors import LONGEST_TEXT
from dpviz.text import escape_markdown
from dpviz.ui.session import state
from dpviz.ui.session.state import default_key, settings

_ABSENT = object()


def default_of(key: str, value: Any, otherwise: Any = None, text: str = "") -> Any:
    """Set the initial value of a control that is drawn next, and return the default to pass to it.

    Parameters
    ----------
    key : str
        Of the control.
    value : object
        Value it is to show.
    otherwise : object, optional
        Default of a control whose value was written to the session for the browser to follow: Streamlit warns if a
        different default is passed with a written value.
    text : str, optional
        Text of the value in a list of options. A browser keeps showing the former text of an option unless it
        receives another value.

    Returns
    -------
    object
        The value, if the control is new on this page or shows it already; else `otherwise`.
    """
    present, kept, name = st.session_state.get(key, _ABSENT), settings(), _text_key(key)
    former, former_text = kept.get(name, (value, text))
    kept[name] = value, text
    renamed = present is not _ABSENT and former == value and former_text != text
    present = value if present is _ABSENT else present
    if not renamed and not state.is_asked(key) and type(present) is type(value) and present == value:
        return value
    state.assign(key, value)
    return otherwise


def _text_key(key: str) -> str:
    """Name the setting that holds the value of a control and what it showed for that."""
    return f"{key} text"


def _following(key: str, default: Any) -> Any:
    """Return the value of a control; if it still has its default, it follows a default that the data change."""
    value, kept, name = state.value(key, default), settings(), default_key(key)
    former = kept.get(name)
    kept[name] = default
    return default if former is not None and former != default and value == former else value


def kept(key: str) -> Any:
    """Remember the value of a control that was just drawn, and return it."""
    value = settings()[key] = st.session_state[key]
    return value


def select(
    label: str, key: str, options: Sequence[Any], default: Any = None, follows: bool = False, **arguments: Any
) -> Any:
    """Draw a select box that remembers.

    Parameters
    ----------
    label, key : str
    options : sequence
    default : object, optional
        Initial option, if it is among the options; else the first is.
    follows : bool
        Whether it follows its default until something else is chosen.
    **arguments
        Passed on to the widget.
    """
    value = _following(key, default) if follows else state.value(key, default)
    if value not in options:
        value = default if default in options else options[0]
    text = str(arguments.get("format_func", str)(value))
    index = list(options).index(default_of(key, value, options[0], text))
    st.selectbox(label, options, index, key=key, **arguments)
    return kept(key)


def segments(label: str, key: str, options: Sequence[str], **arguments: Any) -> str:
    """Draw a row of buttons, one of which is always pressed, that remembers."""
    value = state.value(key)
    value = value if value in options else options[0]
    begin = default_of(key, value)
    arguments = {"label_visibility": "collapsed", **arguments}
    st.segmented_control(label, options, default=begin, key=key, required=True, **arguments)
    return str(kept(key))


def several(label: str, key: str, options: Sequence[Any], default: Sequence[Any], **arguments: Any) -> list[Any]:
    """Draw a selection of several options that remembers; it starts over if none of the chosen options is left."""
    chosen = state.value(key, default)
    value = [option for option in chosen if option in options] or list(default if chosen else ())
    st.multiselect(label, options, default_of(key, value), key=key, **arguments)
    return list(kept(key))


def toggle(label: str, key: str, default: bool = False, **arguments: Any) -> bool:
    """Draw a toggle that remembers."""
    value = bool(state.value(key, default))
    st.toggle(label, default_of(key, value, False), key=key, **arguments)
    return bool(kept(key))


def number(label: str, key: str, default: int, lower: int, upper: int, **arguments: Any) -> int:
    """Draw a whole-number field that remembers."""
    value = int(min(max(state.value(key, default), lower), upper))
    st.number_input(label, lower, upper, default_of(key, value, "min"), key=key, **arguments)
    return int(kept(key))


def real(label: str, key: str, default: float, **arguments: Any) -> float:
    """Draw a field for any number that remembers."""
    value = float(state.value(key, default))
    st.number_input(label, value=default_of(key, value, "min"), key=key, **arguments)
    return float(kept(key))


def text(label: str, key: str, default: str, reads: Callable[[str], str], **arguments: Any) -> str:
    """Draw a field for a text that remembers; one that cannot be read is said to be, and the default is returned.

    Parameters
    ----------
    label, key, default : str
    reads : callable
        Returns the text in its usual form, or raises ``InvalidParameterError``.
    **arguments
        Passed on to the widget.
    """
    value = str(state.value(key, default))
    st.text_input(label, default_of(key, value, ""), max_chars=LONGEST_TEXT, key=key, **arguments)
    try:
        return reads(str(kept(key)))
    except InvalidParameterError as error:
        st.error(escape_markdown(f"{error} {default} is used."), icon=":material/error:")
        return default


def slider(label: str, key: str, default: float, lower: float, upper: float, step: float, **arguments: Any) -> float:
    """Draw a linear slider that remembers; its range extends to a value set by a link."""
    kind = int if isinstance(default, int) and isinstance(step, int) else float
    value = kind(state.value(key, default))
    lower, upper = min(kind(lower), value), max(kind(upper), value)
    st.slider(label, lower, upper, default_of(key, value), kind(step), key=key, **arguments)
    return kind(kept(key))


def log_slider(label: str, key: str, default: float, lower: float, upper: float, **arguments: Any) -> float:
    """Draw a slider over round numbers (1, 1.5, 2, 3, 5, 7 per decade) whose range extends to a value set by a link."""
    value = float(_following(key, float(default)))
    options = sorted(_round_numbers(lower, upper) | {value, float(default)})
    begin = default_of(key, value)
    st.select_slider(label, options, begin, key=key, format_func=lambda number: f"{number:.4g}", **arguments)
    return float(kept(key))


def log_slider_or(
    word: str, words: str, label: str, key: str, lower: float, upper: float, falling: bool = False, **arguments: Any
) -> Any:
    """Draw the same with one more position before the numbers, which stands for a word and is the initial one.

    Parameters
    ----------
    word, words : str
        Value returned for that position, and its label.
    falling : bool
        Whether the numbers get smaller from there.
    label, key, lower, upper, **arguments
        As for :func:`log_slider`.
    """
    value = state.value(key, word)
    value = value if value == word else float(value)
    options = [word, *sorted(_round_numbers(lower, upper) | ({value} - {word}), reverse=falling)]
    begin = default_of(key, value)
    shown = {word: words}
    st.select_slider(
        label, options, begin, key=key, format_func=lambda place: shown.get(place) or f"{place:.4g}", **arguments
    )
    return kept(key)


def _read(option: Parameter, written: str) -> str:
    """Return a text in its usual form."""
    return str(option.check(written))


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
        Initial value.
    size : Size
        Of the data.
    typical : float, optional
        The data's suggestion, for parameters without a range of their own.
    choices : sequence of str
        Allowed choices, if not all.
    **layout
        Passed on to the widget, such as its width.
    """
    about = option.explanation or None
    if option.choices:
        words = dict(option.choices)
        allowed = list(choices or option.values)
        return select(option.words, key, allowed, value, format_func=words.__getitem__, help=about, **layout)
    if option.reads is not None:
        return text(option.words, key, str(value), partial(_read, option), help=about, **layout)
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
