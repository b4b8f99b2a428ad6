"""Guess what kind of values each column of a table holds, so that a suitable component family can be chosen.

The guesses are rules of thumb, meant to be corrected by hand:

constant
    at most one distinct value (or none at all).
identifier
    whole numbers in a column named like an identifier, if nearly all differ or if they recur but are no codes 0, 1, …
    of a few groups; zip codes by their name; the row numbers 0, 1, … or 1, 2, … in order in the first column or in one
    without a name, or from any number on, unless they may be years, in the first column of 20 rows or more; whole
    numbers that all differ in a first column without a name, the index that pandas writes, whole numbers too large for
    exact arithmetic, and text with many distinct values. In a column named ``no`` or ``index``, as numbers that were
    measured may be, whole numbers count that all differ, and are in order but for few or have few gaps.
label
    at most one column: named ``label``, ``class``, ``outcome``, … with few distinct values, or else a last column of
    few texts if every other column holds numbers, or texts that identify rows. It is kept apart as the reference and
    not clustered.
date
    dates, also as numbers such as 20230131 or as text that may have the day or the month first; whole numbers in
    columns named year, month and day, and text in one named date.
paradata
    columns of how the rows came to be, by whole names and values that fit these: those that programs for surveys add
    (``submitdate``, ``startlanguage``, ``ipaddr``, …; ``seed`` or ``status`` only beside several such), and batches.
binary
    two distinct texts, the numbers 0 and 1, or two distinct whole numbers in 20 rows or more.
categorical
    text with few distinct values, and other numbers with at most 5 distinct values, each in ten rows on average.
ordinal
    whole numbers from 1 to at most 10, or from 0 if the name indicates a score or a grade; years such as those in
    which something was built; and other whole numbers with at most 10 distinct values, each in five rows on average.
count
    whole numbers from 0 or 1 upwards, or from 0 if the name indicates a number (``n`` and ``n_visits``, but not the
    ``N1`` of a questionnaire). A model may find that they are measures (:mod:`dpviz.fit.kinds`).
duration
    positive numbers in a column whose name indicates a time.
circular
    times of the day such as 08:30, hours of the day by their name, and directions by their name, from 0 to 360 or from
    −180 to 180 (:mod:`dpviz.datasets.tables.circles`).
hurdle
    numbers that are zero in a tenth of the rows and positive with a long tail in the others; whole ones if the median
    of these is 20 or more and the name indicates no number.
share
    numbers from 0 to 1 of which a tenth are 0 or 1, and a twentieth 1 or some beyond .9, or from 0 to 100 of which a
    tenth are 0 or 100 and a twentieth 100.
continuous
    every other column of numbers. Text of which nine tenths are numbers counts as numbers, if
    these are more than two.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dpviz.arrays import FloatArray
from dpviz.datasets.dataset import KINDS
from dpviz.datasets.tables.cell_values import Numbers, parse_numbers, parts
from dpviz.datasets.tables.circles import circle_of_numbers, circle_of_text
from dpviz.datasets.tables.limits import MAX_EXACT_INTEGER
from dpviz.datasets.tables.measures import are_dates, readings_as_dates
from dpviz.datasets.tables.paradata import find_paradata, may_be_paradata
from dpviz.datasets.tables.table import mark_of, was_dates
from dpviz.errors import require_kind
from dpviz.hurdles import HURDLE, kind_with_ends
from dpviz.periods import CIRCULAR, SHARE, word_of

ROLES = ("identifier", "label", "constant", "date", "paradata")
"""Kinds of columns that are not clustered; dates are if there is nothing else."""

ALL_KINDS = KINDS + ROLES
MAX_CATEGORIES = 50
_MIXED_SHARE = 0.9
_MIN_ROWS_FOR_PAIR = 20
LONGEST_SCALE = 10
"""Most distinct values of whole numbers that are levels."""
_FEW_FRACTIONS = 5
MAX_CODES = 1_000
"""Most categories or levels of a column that is coded."""

_LABELS = {"label", "labels", "class", "classes", "target", "truth", "species", "group", "cluster", "diagnosis", "type"}
_LABELS |= {"outcome", "outcomes", "targets"}
_IDENTIFIERS = {"id", "index", "idx", "no", "nr", "row", "rownames", "key", "uuid", "identifier", "unnamed: 0"}
_IDENTIFIER = re.compile(r"(^|[^A-Za-z])(?i:id)([^A-Za-z]|$)|[a-z]I[Dd]$|(?i:nummer|[a-z]nr)$")
_MAY_BE_MEASURED = {"no", "nr", "index", "idx"}
_IN_ORDER, _MOST_GAPS = 0.95, 1.5
_ZIP_CODES = {"zip", "zipcode", "postcode", "postal", "plz", "postleitzahl"}
_ZIP_CODE = "[0-9]{3}|[0-9] ?[A-Za-z]"
_PANDAS_INDEX = re.compile(r"unnamed: \d+(\.\d+)?|__index_level_\d+__|level_\d+")
_UNNAMED = re.compile(r"column \d+")  # names of columns without a name
_YEAR, _YEARS = {"year", "yr", "jahr"}, (1500, 2100)
_PARTS_OF_DATES = {
    **dict.fromkeys(_YEAR, _YEARS),
    **dict.fromkeys(("month", "monat"), (1, 12)),
    **dict.fromkeys(("day", "tag"), (1, 31)),
}
"""Names of columns that hold parts of dates, with the least and the greatest."""
_DATE = {"date", "datum", "datetime", "timestamp", "zeitstempel"}
_TIME = {
    *("time", "times", "duration", "durations", "interval", "intervals", "wait", "waiting", "lifetime", "survival"),
    *("seconds", "minutes", "hours", "days", "weeks", "months", "years", "latency", "delay", "gap", "gaps"),
}
_SCALE = {"score", "scores", "grade", "stage", "rating", "level", "rank", "likert", "scale", "degree", "severity"}
_NUMBER = {"count", "counts", "number", "num", "anzahl", "deaths", "events", "visits", "articles", "kicks"}
_NUMBER_OF = re.compile(r"n([_ .-]+[^\W\d].*)?")  # n, n_visits; the items N1 and N_2 of a questionnaire are no numbers


def infer_kinds(frame: pd.DataFrame) -> dict[str, str]:
    """Guess the kind of every column; the rules are those of this module.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of numbers and text, such as ``Table.frame``.

    Returns
    -------
    dict of str to str
        For every column one of ``ALL_KINDS``, or one with its number such as ``circular 24``.
    """
    require_kind("frame", frame, pd.DataFrame, "a pandas DataFrame")
    columns = [frame.iloc[:, position] for position in range(frame.shape[1])]
    kinds = {
        str(column.name): infer_kind(column, first=position == 0 and len(columns) > 1)
        for position, column in enumerate(columns)
    }
    likely = [column for column in columns if may_be_paradata(str(column.name))]
    present = {str(column.name): (kinds[str(column.name)], _present(column)) for column in likely}
    kinds |= {name: "paradata" for name in find_paradata(present) if kinds[name] != "constant"}
    label = _find_label(frame, kinds)
    if label is not None:
        kinds[label] = "label"
    return kinds


def _present(column: pd.Series) -> FloatArray | None:
    """Return the present numbers of a column, or None if it is text."""
    numbers = read_numbers(column)
    return None if numbers is None else numbers.values[~np.isnan(numbers.values)]


def infer_kind(column: pd.Series, *, first: bool = False, may_be_role: bool = True) -> str:
    """Guess the kind of one column, except label.

    Parameters
    ----------
    column : pandas.Series
        The column, with its name.
    first : bool
        Whether this is the first of several columns, where row numbers would be.
    may_be_role : bool
        Whether kinds that are not clustered are possible answers.

    Returns
    -------
    str
        One of ``ALL_KINDS``.
    """
    words = set(re.findall("[a-z]+", str(column.name).casefold()))
    numbers = read_numbers(column)
    if may_be_role and words & _ZIP_CODES and _holds_zip_codes(column, numbers):
        return "identifier"
    if numbers is None:
        circle = circle_of_text(text_cells(column), int(column.count()))
        if circle is not None:
            return circle
        return "date" if may_be_role and _are_dates(column, words) else _kind_of_text(column, may_be_role)
    values = numbers.values[~np.isnan(numbers.values)]
    if numbers.n_numbers < numbers.n_present and len(np.unique(values)) <= 2:  # other text is a further category
        return _kind_of_text(column, may_be_role)
    if may_be_role and not _has_two_values(values) and not numbers.n_inexact:  # which may differ in the last digits
        return "constant"
    whole = bool(np.all(np.isfinite(values)) and np.array_equal(values, np.floor(values)))
    if not values.size:
        return "continuous"
    if may_be_role and (was_dates(column) or are_dates(values) or (whole and _are_parts_of_dates(values, column))):
        return "date"
    circle = circle_of_numbers(values, str(column.name)) if np.all(np.isfinite(values)) else None
    if circle is not None:
        return circle
    if not whole:
        return _kind_of_fractions(values, words)
    if may_be_role and _identifies(values, str(column.name), first, numbers):
        return "identifier"
    return _kind_of_whole_numbers(values, words, counts=bool(_NUMBER_OF.fullmatch(str(column.name).casefold())))


def _are_dates(column: pd.Series, words: set[str]) -> bool:
    """Whether text is dates of two possible orders, or of other forms in a column that is named so."""
    cells = text_cells(column)
    return bool(readings_as_dates(cells)) or (bool(words & _DATE) and column.nunique() > 1)


def _are_parts_of_dates(values: FloatArray, column: pd.Series) -> bool:
    """Whether whole numbers are the years, months or days that the name of their column says, and nothing else."""
    least, greatest = _PARTS_OF_DATES.get(str(column.name).casefold(), (1, 0))
    return bool(least <= values.min() and values.max() <= greatest)


def read_numbers(column: pd.Series) -> Numbers | None:
    """Return a column as numbers, or None if it holds text (less than nine tenths numbers, or codes such as 007)."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(np.float64, na_value=np.nan)
        n_present = int(np.sum(~np.isnan(values)))
        return Numbers(values, n_present, n_present, _count_inexact(column))
    cells = text_cells(column)
    start = next(parts(cells))
    mark = mark_of(column)
    numbers = parse_numbers(start, mark)
    if numbers.n_present - numbers.n_numbers > (1 - _MIXED_SHARE) * len(cells):
        return None
    numbers = numbers if len(start) == len(cells) else parse_numbers(cells, mark)
    enough = _MIXED_SHARE * numbers.n_present <= numbers.n_numbers < numbers.n_present
    return numbers if enough or not numbers.n_present else None


def text_cells(column: pd.Series) -> Any:
    """Return a column as text with nulls for missing cells."""
    cells = pa.array(column.astype("str"), pa.large_string(), from_pandas=True)
    return cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells])


def _count_inexact(column: pd.Series) -> int:
    if not pd.api.types.is_integer_dtype(column.dtype):
        return 0
    present = column.dropna().to_numpy()
    large = present[(present > MAX_EXACT_INTEGER) | (present < -MAX_EXACT_INTEGER)]
    return sum(int(float(value)) != int(value) for value in large)


def _has_two_values(values: FloatArray) -> bool:
    return bool(values.size) and bool(np.any(values != values[0]))


def _holds_zip_codes(column: pd.Series, numbers: Numbers | None) -> bool:
    """Whether a column that is named after zip codes holds such: three digits or more, or a letter after a digit."""
    if numbers is not None:
        values = numbers.values[~np.isnan(numbers.values)]
        return _has_two_values(values) and bool(np.all(values == np.floor(values))) and 100 <= values.max() < np.inf
    distinct = pa.array(column.dropna().unique(), pa.large_string())
    alike = pc.sum(pc.match_substring_regex(distinct, _ZIP_CODE)).as_py() or 0
    return len(distinct) > 1 and alike >= _MIXED_SHARE * len(distinct)


def _identifies(values: FloatArray, name: str, first: bool, numbers: Numbers) -> bool:
    if numbers.n_inexact:
        return True
    in_order = bool(np.all(np.diff(values) == 1))
    counts_rows = in_order and values[0] in (0, 1)
    if _PANDAS_INDEX.fullmatch(name.casefold()):
        return counts_rows or len(np.unique(values)) == values.size
    if name.casefold() in _MAY_BE_MEASURED and not counts_rows:
        return _numbers_rows(values)
    if name.casefold() in _IDENTIFIERS or _IDENTIFIER.search(name):
        n_distinct = len(np.unique(values))
        return n_distinct > 0.9 * values.size or _recurs_as_identifier(values, n_distinct)
    unnamed = bool(_UNNAMED.fullmatch(name.casefold()))
    if first and unnamed:  # the index of rows that were sampled or sorted before writing
        return values.size > 2 and values.min() >= 0 and len(np.unique(values)) == values.size
    years = values[0] >= _YEARS[0] and values[-1] <= _YEARS[1]  # a series of them is about their years
    counted_on = first and in_order and values.size >= _MIN_ROWS_FOR_PAIR and values[0] > 0 and not years
    return counted_on or (counts_rows and values.size > 2 and (first or unnamed))


def _numbers_rows(values: FloatArray) -> bool:
    """Whether numbers all differ, and are nearly all in order or, in any order, nearly all of those between them."""
    steps = np.diff(values)
    in_order = max(np.mean(steps > 0), np.mean(steps < 0)) >= _IN_ORDER
    dense = values.max() - values.min() < _MOST_GAPS * values.size
    return len(np.unique(values)) == values.size and bool(in_order or dense)


def _recurs_as_identifier(values: FloatArray, n_distinct: int) -> bool:
    """Whether numbers of a column named like an identifier recur as those of patients do, not as codes 0, 1, … do."""
    return n_distinct > MAX_CATEGORIES or (n_distinct > LONGEST_SCALE and values.min() > n_distinct)


def _kind_of_fractions(values: FloatArray, words: set[str]) -> str:
    if words & _TIME and values.min() > 0:
        return "duration"
    with_ends = kind_with_ends(values)
    if with_ends is not None:
        return with_ends
    n_distinct = _few_distinct(values, _FEW_FRACTIONS, 10)
    return "continuous" if n_distinct < 2 else "binary" if n_distinct == 2 else "categorical"


def _few_distinct(values: FloatArray, most: int, rows_each: int) -> int:
    """Return the number of distinct values if they are few and each is in many rows on average, else 0."""
    if values.size < _MIN_ROWS_FOR_PAIR or np.unique(values[:1000]).size > most or not np.all(np.isfinite(values)):
        return 0
    n_distinct = int(np.unique(values).size)
    return n_distinct if n_distinct <= min(most, values.size // rows_each) else 0


def _kind_of_whole_numbers(values: FloatArray, words: set[str], counts: bool) -> str:
    low, high = values.min(), values.max()
    distinct = np.unique(values[:1000])
    if distinct.size <= 2:
        distinct = np.unique(values)
    if distinct.size == 2 and ((low, high) == (0, 1) or values.size >= _MIN_ROWS_FOR_PAIR):
        return "binary"
    if words & _YEAR and low >= _YEARS[0] and high <= _YEARS[1]:
        return "ordinal"
    if words & _TIME and low > 0:
        return "duration"
    few = high - low < MAX_CODES and _few_distinct(values, LONGEST_SCALE, 5) > 0
    if low < 0:
        return "ordinal" if few else "continuous"
    if counts or words & _NUMBER:
        return "count"
    with_ends = kind_with_ends(values)
    if with_ends is not None:
        return with_ends
    if high <= LONGEST_SCALE and (low == 1 or words & _SCALE):
        return "ordinal"
    return "count" if low <= 1 else "ordinal" if few else "continuous"


def _kind_of_text(column: pd.Series, may_be_role: bool) -> str:
    n_present, n_distinct = int(column.count()), int(column.nunique())
    if n_distinct < 2 and may_be_role:
        return "constant"
    if n_distinct == 2:
        return "binary"
    return "categorical" if n_distinct <= min(MAX_CATEGORIES, n_present // 2) or not may_be_role else "identifier"


def _find_label(frame: pd.DataFrame, kinds: dict[str, str]) -> str | None:
    discrete = [name for name, kind in kinds.items() if kind in ("binary", "categorical", "ordinal", "count")]
    for name in discrete:
        if name.casefold() in _LABELS and frame[name].nunique() <= min(MAX_CATEGORIES, len(frame) // 2):
            return name
    texts = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    last = str(frame.columns[-1]) if len(frame.columns) > 2 else None
    no_groups = (
        "identifier",
        "date",
        "paradata",
        "continuous",
        "count",
        "ordinal",
        "duration",
        CIRCULAR,
        HURDLE,
        SHARE,
    )  # or numbers with text
    alone = [name for name in texts if word_of(kinds[str(name)]) not in no_groups] == [last]
    return last if alone and last in discrete else None
