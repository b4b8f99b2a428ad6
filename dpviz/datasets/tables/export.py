"""Export untrusted tables so that spreadsheets execute nothing in them."""

from __future__ import annotations

import pandas as pd

from dpviz.text import safe_text


def export_csv(frame: pd.DataFrame) -> bytes:
    """Write a table as UTF-8 CSV; text that starts like a formula gets an apostrophe, numbers are kept exactly.

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
