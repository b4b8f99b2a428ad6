"""Of which other kinds a column's values could be: where rules of thumb had a choice, a reader should look first."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.tables.circles import may_be_circle
from dpviz.datasets.tables.kinds import LONGEST_SCALE, read_numbers
from dpviz.hurdles import HURDLE, kind_with_ends
from dpviz.periods import CIRCULAR, SHARE, word_of
from dpviz.shares import KINDS_OF_PARTS

_NO_CHOICE = ("constant", "date", "paradata", *KINDS_OF_PARTS)
_ONLY_BY_NAME = ("duration", CIRCULAR)


def other_kinds(column: pd.Series, kind: str) -> Strings:
    """Return the kinds that a column could have beside the guessed one; none if its values leave no choice.

    Numbers with fractions are measures, and two values are two categories. But whole numbers may be counts, levels,
    codes or rounded measures; words may be names; and what the name of a column decides, that of another would not.

    Parameters
    ----------
    column : pandas.Series
    kind : str
        One of ``ALL_KINDS``, or one with its number such as ``circular 24``.

    Returns
    -------
    tuple of str
    """
    word = word_of(kind)
    if word in _NO_CHOICE or column.nunique() <= 2:
        return ()
    numbers = read_numbers(column)
    if numbers is None:
        found = [] if word == CIRCULAR else _of_text(column)
    else:
        found = _of_numbers(numbers.values[~np.isnan(numbers.values)], word)
    return tuple(other for other in found if word_of(other) != word)


def _of_text(column: pd.Series) -> list[str]:
    circle, n_distinct = may_be_circle(column), column.nunique()
    found = [] if circle is None else [circle]
    if 2 * n_distinct <= column.count():
        found += ["categorical", "identifier"] if n_distinct > LONGEST_SCALE else ["categorical"]
    return found


def _of_numbers(values: FloatArray, word: str) -> list[str]:
    whole = bool(np.all(np.isfinite(values)) and np.array_equal(values, np.floor(values)))
    few = len(np.unique(values)) <= LONGEST_SCALE
    found = ["count"] if whole and values.min() >= 0 else []
    found += ["ordinal"] if few and whole else []
    found += ["categorical"] if few else []
    with_ends = kind_with_ends(values)
    found += [] if with_ends is None else [with_ends]
    return found + (["continuous"] if not few and (whole or word in (HURDLE, SHARE, *_ONLY_BY_NAME)) else [])
