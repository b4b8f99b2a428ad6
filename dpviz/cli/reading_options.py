"""Options by which a file is read otherwise than is detected, as the app's Data page offers it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from dpviz.datasets.dataset import KINDS
from dpviz.datasets.tables import Table
from dpviz.datasets.tables.dialect import ENCODINGS
from dpviz.datasets.tables.headings import MAX_HEADER_ROWS
from dpviz.datasets.tables.kinds import text_cells
from dpviz.datasets.tables.measures import contradict
from dpviz.datasets.tables.proposals import propose
from dpviz.datasets.tables.table import listed
from dpviz.errors import InvalidParameterError
from dpviz.periods import NUMBERED, advice_on, is_one_of, word_of
from dpviz.text import quoted

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " ", "none": ""}
_WORDS: dict[str, dict[str, Any]] = {
    "separator": _SEPARATORS,
    "decimal": {"point": ".", "comma": ","},
    "header": {"yes": True, "no": False},
}
_ARGUMENTS = (*_WORDS, "header_rows", "encoding", "sheet", "date_order")
_DATE_ORDERS = {"day": "day first", "month": "month first"}


def add_reading(command: Any) -> None:
    """Add the options to a command that reads a file."""
    for name, title in (
        ("separator", "what stands between the cells of a text; none: it is one column"),
        ("decimal", "the decimal mark of numbers, where both readings are possible"),
        ("header", "whether the first line names the columns"),
    ):
        command.add_argument(f"--{name}", choices=list(_WORDS[name]), help=f"{title}; default: as detected")
    command.add_argument(
        "--header-rows",
        type=_header_rows,
        metavar="NUMBER",
        help="how many rows at the top are headings: names under merged ones, units, descriptions of the columns; "
        "default: the first, if it names the columns",
    )
    command.add_argument(
        "--encoding",
        choices=list(ENCODINGS),
        metavar="NAME",
        help=f"of a text: {', '.join(ENCODINGS)}; default: as detected",
    )
    command.add_argument(
        "--kind",
        type=_kind,
        action="append",
        default=[],
        metavar="COLUMN=KIND",
        help=f"what a column is taken for, {', '.join(KINDS)}, the last two with a number as share:100 and "
        "circular:24; may be given for several columns, and as *=parts or *=parts+total for all columns of counts; "
        "default: as detected",
    )
    command.add_argument(
        "--date-order",
        choices=list(_DATE_ORDERS),
        help="what comes first in dates such as 1/2/2023, where their column does not tell; default: left out",
    )
    command.add_argument("--sheet", metavar="NAME", help="of a workbook; default: the first with values in it")


def _kind(text: str) -> tuple[str, str]:
    column, found, kind = text.rpartition("=")
    for word in NUMBERED:
        kind = kind.replace(f"{word}:", f"{word} ")
    if not (found and column and is_one_of(kind, KINDS)):
        advice = advice_on(kind).replace(f"{word_of(kind)} ", f"{word_of(kind)}:")
        bound = f"{quoted(text)} must be COLUMN=KIND, and the kind one of {', '.join(KINDS)}"
        raise argparse.ArgumentTypeError(f"{bound}. {advice}".rstrip(" ."))
    return column, kind


def option_name(name: str) -> str:
    """Write a parameter's name as an option."""
    return "--" + name.replace("_", "-")


def _header_rows(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= number <= MAX_HEADER_ROWS:
        none = "; --header no says that no row is one" if text == "0" else ""
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 1 to {MAX_HEADER_ROWS}{none}")
    return number


def asked_kinds(options: argparse.Namespace) -> dict[str, str]:
    """Return the kinds of columns that options ask for, by their names."""
    return dict(getattr(options, "kind", None) or ())


def asked_reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of :func:`~dpviz.datasets.tables.read_table` that options ask for."""
    given = {name: value for name in _ARGUMENTS if (value := getattr(options, name, None)) is not None}
    return {name: _WORDS.get(name, {}).get(value, value) for name, value in given.items()}


def without_reading(options: argparse.Namespace) -> argparse.Namespace:
    """Return options without those for how a file is read."""
    return argparse.Namespace(**(vars(options) | dict.fromkeys((*_ARGUMENTS, "kind"))))


def read_in_order(read: Callable[..., Table], date_order: str | None, **choices: Any) -> Table:
    """Read a table, and dates of which the day may be the month in the order that is asked for, if any is."""
    table = read(**choices)
    if date_order is None:
        return table
    wanted = _DATE_ORDERS[date_order]
    proposed = [one.change for one in propose(table.frame, (), measured=False) if one.change is not None]
    orders = [change for change in proposed if change[1] == wanted]
    accepted = (*choices.pop("accepted", ()), *orders)
    notes = _without_effect(table, date_order, bool(orders))
    table = read(**choices, accepted=accepted) if orders else table
    return replace(table, notes=(*table.notes, *notes))


def _without_effect(table: Table, date_order: str, elsewhere: bool) -> list[str]:
    """Say which dates the order that is asked for changes nothing in, or that there are none for it."""
    texts = [name for name in table.frame if not pd.api.types.is_numeric_dtype(table.frame[name].dtype)]
    names = [str(name) for name in texts if contradict(text_cells(table.frame[name]))]
    if names:
        why = "some of their dates can only have the day first, and others only the month"
        return [f"--date-order {date_order} changes nothing in {listed(names)}: {why}."]
    none = "no column has dates of which the day may be the month"
    return [] if elsewhere else [f"--date-order {date_order} changes nothing: {none}."]


def check_reading(table: Table, asked: Mapping[str, Any], name: str) -> None:
    """Raise an InvalidParameterError if a file is of a format that some of the arguments are not about."""
    for option, formats in (
        ("separator", {"text"}),
        ("encoding", {"text"}),
        ("header", {"text", "excel"}),
        ("header_rows", {"text", "excel"}),
        ("sheet", {"excel"}),
    ):
        if asked.get(option) is not None and table.format not in formats:
            about = "a workbook" if option == "sheet" else "a text" if len(formats) == 1 else "a text or a workbook"
            raise InvalidParameterError(f"{option_name(option)} is about {about}, and {name} is none.")


def as_options(choices: Iterable[tuple[str, Any]]) -> list[str]:
    """Return the options that ask for some arguments; those for which there is none are left out."""
    words = []
    for name, value in choices:
        if name == "accepted":
            orders = {order for _, order in value if order in _DATE_ORDERS.values()}
            words += [f"--date-order={first}" for first, order in _DATE_ORDERS.items() if orders == {order}]
        if name in _ARGUMENTS:
            written = {meant: word for word, meant in _WORDS.get(name, {}).items()}
            words.append(f"{option_name(name)}={written.get(value, value)}")
    return words
