"""DataFrames in the estimators: the kinds that dtypes give columns, and one coding of cells for fit and predict.

Floats stay as they are and are real, unless they are whole numbers with gaps, or zeros and positive values with a long
tail. Booleans are binary; text, other objects and categories are categorical (binary if they are two, ordinal if the
categories have an order); whole numbers, with gaps or without, have the kind that the reader of tables gives them
(:mod:`dpviz.datasets.tables.kinds`), mostly counts. Cells without a value are missing, however they are marked.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.arrays import FloatArray, Strings
from dpviz.config import RunConfig
from dpviz.datasets.views import SPREAD
from dpviz.engine.problem import check_kinds
from dpviz.errors import InvalidDataError
from dpviz.families.automatic import AUTOMATIC, can_hold
from dpviz.families.mixed import Mixed
from dpviz.fit.transforms import is_tried
from dpviz.hurdles import SAID, ends_and_rest, ends_of, kind_with_ends
from dpviz.periods import period_of, word_of

if TYPE_CHECKING:
    import pandas as pd

    from dpviz.datasets.tables.decision import Decision

CODED = ("binary", "categorical", "ordinal")
"""Kinds whose cells are codes 0, 1, …."""
_NUMBERS = {
    "integer": "Int64",
    "floating": "Float64",
    "mixed-integer-float": "Float64",
    "decimal": "Float64",
    "boolean": "boolean",
    "empty": "Float64",
}
"""Types of columns by the types of their objects."""
_TABLES = frozenset({"polars", "pyarrow", "modin", "cudf"})
"""Libraries whose tables are read as pandas' are."""
_WHOLE = frozenset({"boolean", *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64))})
"""Types of pandas for whole numbers and booleans among which cells may be missing."""


def is_frame(X: Any) -> bool:
    """Whether X is a pandas DataFrame; without pandas nothing is."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def as_pandas(X: Any) -> Any:
    """Return a table of Polars, Arrow or another library that narwhals knows as a pandas DataFrame; others as they are.

    Whole numbers and booleans stay such, also where cells are missing.

    Raises
    ------
    InvalidDataError
        If two columns have one name.
    """
    if is_frame(X):
        _refuse_double_names(X.columns)
    elif isinstance(getattr(X, "column_names", None), list):  # as of Arrow's tables, which may have such columns too
        _refuse_double_names(X.column_names)
    if is_frame(X) or not _TABLES.intersection(sys.modules):  # whoever has such a table has imported its library
        return X
    import narwhals.stable.v2 as narwhals

    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, narwhals.DataFrame):
        return X
    import pandas as pd

    def with_gaps(kind: Any) -> Any:
        name = {"bool": "boolean"}.get(str(kind), str(kind).replace("uint", "UInt").replace("int", "Int"))
        return pd.api.types.pandas_dtype(name) if name in _WHOLE else None

    return frame.to_arrow().to_pandas(types_mapper=with_gaps)


def _refuse_double_names(names: Any) -> None:
    given = list(names)
    double = [name for name, number in Counter(given).items() if number > 1]
    if double:
        raise InvalidDataError(
            f"X has several columns named {_some(double)}; rename them, so that each has a name of its own, or give an "
            "array, whose columns have none."
        )


@dataclass(frozen=True, eq=False)
class ColumnCoding:
    """The coding of one column's cells as numbers.

    Attributes
    ----------
    name : str
    kind : str
        One of ``dpviz.datasets.dataset.KINDS``, or the requested kind.
    categories : tuple, optional
        Meanings of the codes 0, 1, …; without these, cells are numbers already.
    """

    name: str
    kind: str
    categories: tuple[Any, ...] | None = None

    def numbers(self, column: pd.Series) -> FloatArray:
        """Return cells as numbers (n,), those without a value as NaN.

        Raises
        ------
        InvalidDataError
            If a cell is not a number, or a category that the column did not have in the fit.
        """
        import pandas as pd

        column = _plain(column, self.name)
        if self.categories is None:
            if not pd.api.types.is_numeric_dtype(column.dtype):
                raise InvalidDataError(
                    f"column “{self.name}” holds {_what(column)}; it must be numbers, as it was when it was fitted."
                )
            return np.asarray(column.to_numpy(np.float64, na_value=np.nan))
        codes = pd.Index(list(self.categories), dtype=object).get_indexer(pd.Index(column.astype(object)))
        missing = column.isna().to_numpy(bool)
        unseen = np.flatnonzero((codes < 0) & ~missing)
        if len(unseen):
            row = int(unseen[0])
            raise InvalidDataError(
                f"column “{self.name}” holds {_short(column.iloc[row])} in row {row}, which it did not when it was "
                f"fitted: it had {_some(self.categories)}. Leave such rows out, or set the cell to missing (NaN)."
            )
        return np.where(missing, np.nan, codes).astype(np.float64)


@dataclass(frozen=True, eq=False)
class FrameCoding:
    """The coding of a DataFrame as numbers, also applied to every later one.

    Attributes
    ----------
    columns : tuple of ColumnCoding
    notes : tuple of str
        Sentences on columns that may have been read wrongly.
    """

    columns: tuple[ColumnCoding, ...]
    notes: Strings = ()

    @property
    def kinds(self) -> Strings:
        """Kind of every column."""
        return tuple(column.kind for column in self.columns)

    @property
    def category_names(self) -> tuple[Strings, ...]:
        """Names of the codes of every column; none for numbers."""
        return tuple(tuple(str(category) for category in column.categories or ()) for column in self.columns)

    @property
    def has_codes(self) -> bool:
        """Whether some column's cells are not numbers."""
        return any(column.categories is not None for column in self.columns)

    def numbers(self, X: Any) -> Any:
        """Return a DataFrame like X with numbers in place of its cells; X itself if nothing is coded.

        Raises
        ------
        InvalidDataError
            If columns are coded and X has other columns or other categories.
        """
        if not self.has_codes and not is_frame(X):
            return X
        names = [column.name for column in self.columns]
        same = is_frame(X) and [str(name) for name in X.columns] == names
        if not same and self.has_codes:
            raise InvalidDataError(
                f"X must be a DataFrame with the columns {_some(names)}, in this order, as it was when it was fitted: "
                "its categories were coded then."
            )
        if not same:
            return X  # scikit-learn says what is wrong with names and numbers of columns
        import pandas as pd

        values = [column.numbers(X.iloc[:, place]) for place, column in enumerate(self.columns)]
        return pd.DataFrame(np.column_stack(values), columns=X.columns, index=X.index)


def coding_of(frame: pd.DataFrame, config: RunConfig) -> FrameCoding:
    """Read the kinds of a DataFrame's columns.

    Parameters
    ----------
    frame : pandas.DataFrame
    config : RunConfig
        Its ``kinds`` override the dtypes, and its family may accept only numbers.

    Raises
    ------
    InvalidDataError
        If a column cannot be clustered, or not by the family.
    InvalidParameterError
        If there is not one kind per column.
    """
    check_kinds(config, frame)
    kinds: Sequence[str | None] = config.kinds or (None,) * frame.shape[1]
    by_kinds = bool(config.kinds) or reads_kinds(config)
    columns, notes = [], []
    for place, kind in enumerate(kinds):
        column = frame.iloc[:, place]
        column = column.rename(str(column.name))
        read = _read(column, kind, config.family, by_kinds)
        columns.append(read)
        notes += _notes(_plain(column, read.name), read, place == 0 < frame.shape[1] - 1) if reads_kinds(config) else []
    if reads_kinds(config):
        notes += _what_the_app_would_do(frame)
    return FrameCoding(tuple(columns), tuple(notes))


def reads_kinds(config: RunConfig) -> bool:
    """Whether the configuration leaves the kinds to the columns."""
    given = dict(config.prior) if isinstance(config.prior, tuple) else {}
    return config.kinds is None and config.family in (AUTOMATIC, Mixed.name) and "columns" not in given


def refuse_categories(frame: pd.DataFrame, algorithm: str) -> None:
    """Raise InvalidDataError if columns of a DataFrame do not hold numbers, for algorithms that need them."""
    worded = [str(name) for place, name in enumerate(frame.columns) if _is_worded(frame.iloc[:, place], str(name))]
    if worded:
        raise InvalidDataError(
            f"{algorithm} needs numbers, but {_some(worded)} of X hold text or categories. Code each category as a "
            f"column of 0 and 1 with pandas.get_dummies(X), or choose MAPDP or GibbsDP, which take X as it is."
        )


def _read(column: pd.Series, kind: str | None, family: str, by_kinds: bool) -> ColumnCoding:
    """Read one column, of the given kind, the dtype's kind, or the family's kind."""
    from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

    name, plain = str(column.name), _plain(column, str(column.name))
    if not is_numeric_dtype(plain.dtype):
        return _worded(column, plain, kind, family)
    gaps_alone = kind is None and by_kinds and _is_whole_with_gaps(plain)
    if (is_float_dtype(plain.dtype) and not gaps_alone) or not by_kinds:
        kind = _with_ends(plain) if kind is None and by_kinds else kind
        coded = kind in CODED and by_kinds and _is_whole(plain)
        return ColumnCoding(name, kind or "continuous", _whole_categories(plain, name, str(kind)) if coded else None)
    if is_bool_dtype(plain.dtype):
        return ColumnCoding(name, kind or "binary")
    from dpviz.datasets.tables.kinds import infer_kind

    kind = kind or infer_kind(plain.rename(name), may_be_role=False)
    return ColumnCoding(name, kind, _whole_categories(plain, name, kind) if kind in CODED else None)


def _with_ends(column: pd.Series) -> str | None:
    values = column.to_numpy(np.float64, na_value=np.nan)
    return kind_with_ends(values[~np.isnan(values)])


def _is_whole_with_gaps(column: pd.Series) -> bool:
    """Whether numbers are floats only since cells are missing, for which whole numbers of pandas have no place."""
    return bool(column.isna().any()) and _is_whole(column)


def _is_whole(column: pd.Series) -> bool:
    values = column.to_numpy(np.float64, na_value=np.nan)
    present = values[~np.isnan(values)]
    return bool(present.size) and bool(np.isfinite(present).all()) and np.array_equal(present, np.floor(present))


def _whole_categories(column: pd.Series, name: str, kind: str) -> tuple[Any, ...]:
    """Return the values that code whole numbers: the levels of a scale from lowest to highest, or those that occur."""
    found = sorted(int(value) for value in column.dropna().unique())
    if not found:
        raise InvalidDataError(f"column “{name}” has no values at all; leave it out.")
    _check_number(name, found[-1] - found[0] + 1 if kind == "ordinal" else len(found), kind)
    return tuple(range(found[0], found[-1] + 1)) if kind == "ordinal" else tuple(found)


def _worded(column: pd.Series, plain: pd.Series, kind: str | None, family: str) -> ColumnCoding:
    """Read a column of text or categories."""
    import pandas as pd

    name = str(column.name)
    ordered = isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)
    try:
        categories = _levels(column) if ordered else tuple(pd.factorize(plain, sort=True)[1])
    except TypeError as error:
        raise InvalidDataError(
            f"column “{name}” holds values that are no categories ({error}); leave it out."
        ) from error
    if not categories:
        raise InvalidDataError(f"column “{name}” has no values at all; leave it out.")
    n_present = int(plain.count())
    unique = len(categories) == n_present > 2 and not isinstance(column.dtype, pd.CategoricalDtype)
    if unique and kind is None:
        raise InvalidDataError(
            f"column “{name}” holds {n_present:,} different texts in as many rows, which name rows rather than "
            "categories; leave it out, or convert it to the dtype 'category'."
        )
    own = "ordinal" if ordered else "binary" if len(categories) == 2 else "categorical"
    wanted = kind or own
    if wanted not in CODED or wanted == "ordinal" and not ordered and len(categories) > 2:
        advice = "Convert it to an ordered category" if wanted == "ordinal" else "Make numbers of it"
        raise InvalidDataError(f"column “{name}” holds {_what(plain)}, so it cannot be {wanted}. {advice}.")
    _check_family(name, wanted, family)
    _check_number(name, len(categories), wanted)
    return ColumnCoding(name, wanted, categories)


def _check_family(name: str, kind: str, family: str) -> None:
    """Raise unless a family, if it is chosen already, accepts the codes of categories."""
    if family != AUTOMATIC and not can_hold(family, [kind]):
        raise InvalidDataError(
            f"column “{name}” holds {kind} values, which family = {family!r} cannot take. Choose family='auto', or "
            "leave the column out."
        )


def _check_number(name: str, n_categories: int, kind: str) -> None:
    from dpviz.datasets.tables.kinds import MAX_CODES

    most = 2 if kind == "binary" else MAX_CODES
    if n_categories > most:
        raise InvalidDataError(
            f"column “{name}” has {n_categories:,} values; a {kind} column has at most {most:,}. Join rare ones, leave "
            "it out, or say another kind by kinds=…."
        )


def _levels(column: pd.Series) -> tuple[Any, ...]:
    """Levels of an ordered category from the lowest to the highest that occurs."""
    codes = column.cat.codes[column.notna()]
    return tuple(column.cat.categories[codes.min() : codes.max() + 1]) if len(codes) else ()


def _notes(column: pd.Series, read: ColumnCoding, first: bool) -> list[str]:
    """Say what may be unexpected in the reading of a column."""
    from dpviz.datasets.tables.kinds import infer_kind

    if read.kind not in ("continuous", *CODED) and infer_kind(column, first=first) == "identifier":
        return [f"“{read.name}” looks as if it numbered the rows; it is clustered as {read.kind}. Leave it out if so."]
    period = period_of(read.kind)
    if period is not None:
        return [f"“{read.name}” is {read.kind}: it begins again after {period:g}. Say kinds=[…] if it does not."]
    if ends := ends_of(read.kind):
        shares = ends_and_rest(column.to_numpy(np.float64, na_value=np.nan), ends).ends
        at_ends = " and ".join(f"{share:.0%} of its cells are {end:g}" for share, end in zip(shares, ends, strict=True))
        what = SAID[word_of(read.kind)]
        return [f"“{read.name}” is {read.kind}: {what}. {at_ends}. Say kinds=[…] if it is continuous."]
    if column.dtype.kind == "f" and _is_whole_with_gaps(column):
        return [
            f"“{read.name}” holds whole numbers, as floats since cells are missing, and is read as whole numbers are: "
            f"as {read.kind}. Say kinds=[…] if they are measures."
        ]
    return []


def _what_the_app_would_do(frame: pd.DataFrame) -> list[str]:
    """Say what is decided about such a table elsewhere: an estimator drops and scales nothing."""
    from dpviz.datasets.tables.decision import decide

    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        return []
    named = frame.set_axis(names, axis=1)
    read = named.assign(**{name: _as_read(named[name]) for name in names})
    decision = decide(read)
    said = [f"leave out {_some(columns)}, because {reason}" for reason, columns in decision.left_out]
    said += [f"keep “{decision.label}” apart as the reference label"] if decision.label is not None else []
    would = [f"Nothing is left out here; app and command line would {'; '.join(said)}."] if said else []
    if decision.scaling != "none":
        scaled = replace(decision, scaling=SPREAD) if _may_be_transformed(read, decision) else decision
        would.append(f"Nothing is scaled here; app and command line would say: “{scaled.scaling_in_words()}”")
    parts = [f"{decision.why_parts} Say kinds=[…] for that."] if decision.why_parts else []
    return [*would, *parts, *decision.repeats()]


def _may_be_transformed(frame: pd.DataFrame, decision: Decision) -> bool:
    """Whether columns would be divided and not moved elsewhere, since some are skewed."""
    X = frame[[name for name, _ in decision.features]].to_numpy(dtype=np.float64, na_value=np.nan)
    return not np.isinf(X).any() and is_tried(X, RunConfig())


def _as_read(column: pd.Series) -> pd.Series:
    """Return a column of objects that are numbers, such as decimals, as numbers, and any other as it is."""
    from pandas.api.types import is_numeric_dtype, is_object_dtype

    plain = _plain(column, str(column.name)) if is_object_dtype(column.dtype) else column
    return plain if is_numeric_dtype(plain.dtype) else column


def _plain(column: pd.Series, name: str) -> pd.Series:
    """Return a column as numbers, booleans or objects, or raise an error that says what it is instead."""
    import pandas as pd

    types = pd.api.types
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.astype(object)
    if types.is_object_dtype(column.dtype) or types.is_string_dtype(column.dtype):
        inferred = types.infer_dtype(column, skipna=True)
        if inferred in _NUMBERS:
            return column.astype(pd.api.types.pandas_dtype(_NUMBERS[inferred]))
        if inferred != "string":
            raise InvalidDataError(
                f"column “{name}” holds {inferred} values; it must hold numbers, booleans or texts throughout."
            )
        return column.astype(object)
    if not types.is_numeric_dtype(column.dtype) or types.is_complex_dtype(column.dtype):
        raise InvalidDataError(
            f"column “{name}” has type {column.dtype}; it must be numbers, booleans, text or categories. "
            "Use days since a first date for dates, or leave it out."
        )
    return column


def _is_worded(column: pd.Series, name: str) -> bool:
    from pandas.api.types import is_numeric_dtype

    return not is_numeric_dtype(_plain(column, name).dtype)


def _what(column: pd.Series) -> str:
    first = column.dropna()
    return f"text or categories such as {_short(first.iloc[0])}" if len(first) else "no values"


def _short(value: Any) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 40 else text[:37] + "…"


def _some(values: Sequence[Any], most: int = 6) -> str:
    shown = ", ".join(str(value)[:40] for value in values[:most])
    return f"{shown}, … ({len(values):,} in all)" if len(values) > most else shown
