"""What hypothesis draws from: finite numbers, texts, tables and their written forms."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from numpy.typing import NDArray

moderate_floats = st.floats(-1e100, 1e100, allow_nan=False)
"""Every double up to 1e100, subnormal ones and −0 included."""

short_texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
"""Any printable or unprintable text without NUL."""

cells = st.one_of(
    short_texts,
    moderate_floats.map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(
        ["", "NA", "?", "-", "nan", "inf", "1e999", "1,5", "1.234,5", "007", "=1+1", "2020-01-01", '"', "'"]
    ),
)
"""One cell of a table, from a clean number to nonsense."""


@st.composite
def float_tables(draw: st.DrawFn, max_rows: int = 12, max_columns: int = 4) -> NDArray[np.float64]:
    """Tables of finite doubles with at least two rows whose columns are neither constant nor all whole numbers."""
    n_columns = draw(st.integers(1, max_columns))
    row = st.lists(moderate_floats, min_size=n_columns, max_size=n_columns)
    body = np.array(draw(st.lists(row, min_size=1, max_size=max_rows)))
    return np.vstack([np.full(n_columns, 0.5), np.full(n_columns, 1.5), body])


@st.composite
def cell_grids(draw: st.DrawFn) -> list[list[str]]:
    """Rectangular or ragged grids of arbitrary cells."""
    width = draw(st.integers(1, 5))
    slack = draw(st.sampled_from([0, 0, 0, 2]))
    return draw(st.lists(st.lists(cells, min_size=width, max_size=width + slack), max_size=8))


def written(rows: list[list[str]], separator: str) -> str:
    """Write rows as delimited text with quotes where they are needed."""
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator).writerows(rows)
    return stream.getvalue()


frames = st.lists(
    st.tuples(
        short_texts,
        st.one_of(st.lists(moderate_floats, min_size=5, max_size=5), st.lists(short_texts, min_size=5, max_size=5)),
    ),
    min_size=1,
    max_size=4,
).map(lambda columns: pd.concat([pd.Series(values, name=name) for name, values in columns], axis=1))
"""Data frames of five rows with arbitrary, possibly repeated names."""


@st.composite
def partitions_and_names(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draws of a partition (S, N), and the same partitions with other names, some of them huge or negative."""
    n_draws, n_points = draw(st.integers(1, 6)), draw(st.integers(1, 7))
    row = st.lists(st.integers(0, 4), min_size=n_points, max_size=n_points)
    draws = np.array(draw(st.lists(row, min_size=n_draws, max_size=n_draws)))
    names = st.lists(st.integers(-(2**62), 2**62), min_size=5, max_size=5, unique=True)
    return draws, np.array([np.array(draw(names))[row] for row in draws])
