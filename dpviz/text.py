"""Escaping of untrusted text for Markdown and HTML."""

from __future__ import annotations

import html
import json
import re
import string
from collections.abc import Sequence
from typing import Any

LONGEST_QUOTED = 80
"""Most characters of a value of a user or a file that a message repeats."""
_WORD_JOINER = "\u2060"
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")
_WHITE = re.compile(r"[^\S\u00a0\u202f]+")  # all but spaces that keep a number with its unit
_PUNCTUATION = re.compile(f"([{re.escape(string.punctuation)}])")
# Emoji and icon codes, bare addresses and arrows are found in the text after backslashes are gone; an invisible word
# joiner breaks them.
_REWRITTEN = re.compile(r"(?:(?<=:)(?=[\w+/-])|(?<=www)(?=\.)|(?<=@)(?=[\w-])|(?<=[-<>=~!])(?=[-<>=~]))", re.IGNORECASE)


def inert(text: object, longest: int = 40) -> str:
    """Make a text safe as a plotly label: plotly reads tags and links in labels as HTML.

    Parameters
    ----------
    text : object
        Any value, such as a column name from an uploaded file.
    longest : int
        Longer texts are cut, so that a label never displaces the drawing.
    """
    one_line = " ".join(str(text).split())
    short = one_line if len(one_line) <= longest else one_line[: longest - 1] + "…"
    return html.escape(short, quote=False)


def cut(text: str, longest: int = LONGEST_QUOTED) -> str:
    """Return a text on one line, and of a longer one its beginning."""
    begin = text[: 20 * longest]  # more would take long, and is cut anyway
    one_line = " ".join(begin.split())
    return one_line if len(begin) == len(text) and len(one_line) <= longest else one_line[: longest - 1] + "…"


def quoted(value: object) -> str:
    """Write a value of a user or of a file as messages quote it: as Python does, on one line, and cut."""
    if not isinstance(value, str | bytes):
        return cut(repr(value))
    whole = repr(value[:LONGEST_QUOTED])  # on one line, its blanks as they are
    is_whole = len(value) <= LONGEST_QUOTED >= len(whole)
    return whole if is_whole else whole[: LONGEST_QUOTED - 1] + "…"


def escape_markdown(text: str) -> str:
    """Escape a text so that Streamlit's Markdown shows it literally, on one line.

    Parameters
    ----------
    text : str
        Any text, such as a column name from an uploaded file.

    Returns
    -------
    str
        The text with white space collapsed but for spaces that do not break, every ASCII punctuation mark behind a
        backslash, and an invisible word joiner inside codes that are replaced regardless (``:smile:``, ``www.``,
        ``->``). Half characters (surrogates without their other half), which cannot be sent to a browser, become ``�``.
    """
    one_line = _HALF_CHARACTERS.sub("\ufffd", _WHITE.sub(" ", str(text)).strip())
    return _PUNCTUATION.sub(r"\\\1", _REWRITTEN.sub(_WORD_JOINER, one_line))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or the plural, which ends in s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(probability: float) -> str:
    """Return a probability in percent; near either end, that it is not quite there."""
    if 0 < probability < 0.0005:
        return "< 0.1\u202f%"
    if 0.9995 <= probability < 1:
        return "> 99.9\u202f%"
    return f"{100 * probability:.1f}".removesuffix(".0") + "\u202f%"


def signed(value: float, form: str) -> str:
    """Return a number in a form of Python's, such as ``",.1f"``, with a minus sign, which what rounds to 0 has not."""
    sign = "+" if form.startswith("+") else ""
    return f"{value:{sign}z{form.removeprefix('+')}}".replace("-", "−")


def short(value: float) -> str:
    """Return a number with two decimals, more of it where it would be nothing, and none from a hundred on."""
    size = abs(value)
    if 0 < size < 1e-4:
        return "< 0.0001"
    text = f"{size:,.0f}" if size >= 100 else f"{size:.2g}" if 0 < size < 0.01 else f"{size:.2f}"
    return f"−{text}" if value < 0 else text


def in_full(value: float) -> str:
    """Write a number with all its digits: what is wrong with it may be the last of them."""
    return f"{float(value)!r}".removesuffix(".0")


def read_json(text: str) -> Any:
    """Read untrusted JSON.

    Parameters
    ----------
    text : str

    Raises
    ------
    ValueError, RecursionError
        If it is not JSON, nested too deeply, or holds half characters, which no page, file or digest can take.
    """
    values = json.loads(text)
    if "\\u" in text and _HALF_CHARACTERS.search(json.dumps(values, ensure_ascii=False)):
        raise ValueError("it holds half a character")
    return values


def in_words(names: Sequence[str]) -> str:
    """Join names as a sentence does: “a, b and c”."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
