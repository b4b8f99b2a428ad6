"""Show and export text that strangers wrote so that nothing in it is carried out."""

from __future__ import annotations

import re
import string

import pandas as pd

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_WORD_JOINER = "\u2060"
_PUNCTUATION = re.compile(f"([{re.escape(string.punctuation)}])")
# Emoji and icon codes, bare addresses and arrows are found in the text after backslashes are gone; an invisible word
# joiner breaks them.
_REWRITTEN = re.compile(r"(?:(?<=:)(?=[\w+/-])|(?<=www)(?=\.)|(?<=@)(?=[\w-])|(?<=[-<>=~!])(?=[-<>=~]))", re.IGNORECASE)


def safe_text(value: object) -> str:
    """Return a value as text that no spreadsheet takes for a formula.

    Parameters
    ----------
    value : object
        Any value; strings are what matters.

    Returns
    -------
    str
        ``str(value)``, with an apostrophe in front if it starts like a formula (``=``, ``+``, ``-``, ``@``, their
        full-width forms, a tab or a line break).
    """
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def export_csv(frame: pd.DataFrame) -> bytes:
    """Write a table as UTF-8 CSV; text that starts like a formula gets an apostrophe, numbers survive exactly.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table; its index is not written. It is not changed.

    Returns
    -------
    bytes
        The file's content, with a header line.
    """
    columns = []
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if not pd.api.types.is_numeric_dtype(column.dtype):
            column = column.astype(object).map(safe_text, na_action="ignore")
        columns.append(column)
    safe = pd.concat(columns, axis=1) if columns else frame
    names = [safe_text(name) for name in frame.columns]
    # With “\r\n” between rows both characters are quoted inside cells; with “\n” a carriage return would split a row.
    return safe.to_csv(index=False, header=names, lineterminator="\r\n").encode("utf-8", "replace")


def escape_markdown(text: str) -> str:
    """Escape a text so that Streamlit's Markdown shows it literally, on one line.

    Parameters
    ----------
    text : str
        Any text, such as a column name from an uploaded file.

    Returns
    -------
    str
        The text with white space collapsed, every ASCII punctuation mark behind a backslash, and an invisible word
        joiner inside codes that are replaced regardless (``:smile:``, ``www.``, ``->``).
    """
    one_line = " ".join(str(text).split())
    return _PUNCTUATION.sub(r"\\\1", _REWRITTEN.sub(_WORD_JOINER, one_line))
