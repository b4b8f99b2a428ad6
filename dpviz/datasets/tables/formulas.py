r"""Formulas in cells of text: an apostrophe makes them inert in files, and is taken off again when dpviz reads them.

A cell is dangerous where a spreadsheet finds a sign of a formula at its start. That depends on the separator which the
spreadsheet expects, not the one in the file: ``a;=b`` is one cell between commas and two in a German Excel. So every
place counts where a cell may begin by any reading: the start, and what follows a semicolon, a tab, a bar or the end of
a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pandas as pd

from dpviz.datasets.tables.table import listed

_SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
_SEPARATORS = ";|\t\r\n"
_PASSED_OVER = r"'\"\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff"
"""What readers drop in front of a sign: white space, quotation marks, invisible characters, the apostrophe itself."""
_REMARK = "Apostrophes that kept text from being formulas were removed in"
_SUSPECT = re.compile(f"[{re.escape(_SIGNS + _SEPARATORS)}]")
_RUN = re.compile(rf"(?:\A|[{_SEPARATORS}])[{_PASSED_OVER}]*+")
MAY_BE_GUARDED = rf"^'|[{_SEPARATORS}]'"
"""Regular expression that every text with a guard matches."""


def guarded(text: str) -> str:
    """Put an apostrophe in front of everything in a cell that a spreadsheet might take for a formula.

    Parameters
    ----------
    text : str
        A cell, or the name of a column.

    Returns
    -------
    str
        A text from which :func:`unguarded` makes the same one again, whatever it is.
    """
    places = list(_places(text)) if _SUSPECT.search(text) else []
    return "'".join(text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True))


def unguarded(text: str) -> str:
    """Inverse of :func:`guarded`: take its apostrophes off; other texts stay as they are."""
    places = [place for place in _places(text) if text[place : place + 1] == "'"]
    ends = zip([0, *(place + 1 for place in places)], [*places, len(text)], strict=True)
    return "".join(text[start:end] for start, end in ends)


def _places(text: str) -> Iterator[int]:
    """Where a cell may begin that readers could take for a formula; apostrophes at these places do not change them."""
    for number, run in enumerate(_RUN.finditer(text)):
        start, end = run.span()
        before_sign = end < len(text) and text[end] in _SIGNS
        if number == 0 and (before_sign or any(text.find(space, start, end) >= 0 for space in "\t\r\n")):
            yield 0
        # At the end of the text, too: by another reading the mark that closes this cell opens one there.
        last = end if before_sign or end == len(text) else text.rfind("\t", start, end)
        for place in range(start + 1, last + 1):
            if text[place - 1] in _SEPARATORS and text[place - 1 : place + 1] != "\r\n":
                yield place


def without_guards(frame: pd.DataFrame, names: Sequence[str] = ()) -> tuple[pd.DataFrame, list[str]]:
    """Take the apostrophes off the text of a table, and name the columns that had some.

    Parameters
    ----------
    frame : pandas.DataFrame
    names : sequence of str
        Names of columns that apostrophes were taken off already.

    Returns
    -------
    frame : pandas.DataFrame
    notes : list of str
    """
    changed = []
    for name in frame.columns[[not pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]]:
        column = frame[name]
        may_be = column.str.contains(MAY_BE_GUARDED, regex=True, na=False).to_numpy(dtype=bool)
        bare = [unguarded(text) for text in column[may_be]]
        if bare != column[may_be].tolist():
            frame[name] = column.mask(may_be, pd.Series(bare, index=column.index[may_be], dtype=column.dtype))
            changed.append(str(name))
    of_names = [f"{_REMARK} the names of columns {listed(names)}."] * bool(names)
    return frame, of_names + [f"{_REMARK} {listed(changed)}."] * bool(changed)
