"""Studies as data: what is run, what a paper prints and why numbers differ, from one file per study.

``papers/NAME.toml`` has the attributes of a :class:`Study`, and instead of its cells their ``rows`` (each with its
``source``) and ``columns``. Every row has a cell in every column and repetition; ``config`` and ``settings`` of a cell
are those of ``all`` cells, its row and its column together, and in the first repetition ``first_settings``, what
figures need; a setting that is "none" is left out. A column that is run ``once`` has no further repetitions. A row may
name the ``columns`` that it has; others have all that do not stand ``apart``. A value ``{ of = "sweeps" }`` is that
number of the size, of the row's own ``numbers``, or the repetition; ``share`` of it, and ``most`` as much.

Tables and figures can be looked at as the study is run at first, which ``as_run`` names, and under those ``choices``
that change one of their cells, ``except`` in some.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import resources
from itertools import product
from typing import Any

from dpviz.analysis.studies import alternatives, long_chains, measures, mixtures, one_cluster, uci
from dpviz.analysis.studies.study import Entry, Figure, Remark, Setting, Source, Study, StudyCell, Table
from dpviz.config import RunConfig
from dpviz.errors import require
from dpviz.partition import PartitionPrior

NAMES = (
    "lu2018-simulation-1",
    "lu2018-simulations",
    "lu2018-separated",
    "lu2018-where-powers-pay",
    "lu2018-digits",
    "lu2018-geyser",
    "raykov2014-mixtures",
    "raykov2014-uci",
    "raykov2016-scenarios",
    "raykov2016-from-the-truth",
    "raykov2016-bic",
    "raykov2016-patients",
)
"""In the order in which they are shown."""
MODULES = {
    "alternatives": alternatives,
    "long_chains": long_chains,
    "measures": measures,
    "mixtures": mixtures,
    "one_cluster": one_cluster,
    "uci": uci,
}
"""Their functions run cells; files have them by module and name."""

Plain = Mapping[str, Any]


def read_study(name: str) -> Study:
    """Read a study from its file."""
    plain = tomllib.loads((resources.files(__package__) / "papers" / f"{name}.toml").read_text("utf-8"))
    remarks = [(_frozen(remark.pop("tables", ())), Remark(**_frozen(remark))) for remark in plain.get("remarks", ())]
    return Study(
        name=name,
        **{key: plain[key] for key in ("title", "paper", "place", "summary", "sizes")},
        version=plain.get("version", 1),
        quick_seconds=plain["quick_seconds"],
        cells=partial(_cells, plain),
        tables=tuple(
            Table(
                table["name"],
                table["title"],
                table.get("explanation", plain.get("explanation", "")),
                tuple(_entries(table, plain["tables"])),
                tuple(remark for names, remark in remarks if table["name"] in names or not names),
                table.get("decimals", 2),
            ).with_settings(_settings(plain, table["name"]))
            for table in plain["tables"]
        ),
        figures=tuple(
            Figure(cells=tuple(product(figure.pop("rows"), figure.pop("columns"))), **_frozen(figure)).with_settings(
                _settings(plain, figure["name"])
            )
            for figure in plain.get("figures", ())
        ),
    )


def _settings(plain: Plain, place: str) -> tuple[Setting, ...]:
    """Return how the study is run at first, and its other choices, for a table or figure of this name."""
    return Setting(plain.get("as_run", "")), *(
        Setting(
            choice["name"],
            choice.get("rows", {}),
            choice.get("columns", {}),
            tuple(choice.get("concerns", ())),
            choice.get("text", ""),
        )
        for choice in plain.get("choices", ())
        if place not in choice.get("except", ())
    )


def _cells(plain: Plain, repetitions: int, **size: int) -> list[StudyCell]:
    every, cells = plain.get("all", {}), []
    for row, repetition, column in product(plain["rows"], range(repetitions), plain["columns"]):
        named = column["column"] in row["columns"] if "columns" in row else not column.get("apart")
        if (repetition and column.get("once")) or not named:
            continue
        numbers = {**size, "repetition": repetition, **row.get("numbers", {})}
        source, config, settings, first = (
            _filled({**every.get(key, {}), **row.get(key, {}), **column.get(key, {})}, numbers)
            for key in ("source", "config", "settings", "first_settings")
        )
        source["options"] = tuple(source.get("options", {}).items())
        if "partition" in config:
            config["partition"] = PartitionPrior.from_dict(config["partition"])
        module, _, function = column.get("measure", every.get("measure")).partition(".")
        settings |= {} if repetition else first
        all_settings = tuple((name, value) for name, value in settings.items() if value is not None)
        place, measure = (row["row"], column["column"]), getattr(MODULES[module], function)
        cells.append(StudyCell(*place, Source(**source), RunConfig(**config), measure, repetition, all_settings))
    return cells


def _filled(value: Any, numbers: Mapping[str, float]) -> Any:
    """Return a value of a file with the numbers that it refers to; “none” is None, which files have not."""
    if isinstance(value, dict) and "of" in value:
        number = numbers[value["of"]]
        number = int(number * value["share"]) if "share" in value else number
        return min(number, value.get("most", number))
    if isinstance(value, dict):
        return {key: _filled(part, numbers) for key, part in value.items()}
    if isinstance(value, list):
        return tuple(_filled(part, numbers) for part in value)
    return None if value == "none" else value


def _frozen(value: Any) -> Any:
    return _filled(value, {})


def _entries(table: Plain, tables: Sequence[Plain]) -> Iterator[Entry]:
    """Yield the entries of a table: a row's own attributes count before a column's, and these before the table's.

    A row may have only the ``first`` columns, or be ``over`` another: its numbers divided by those of that column.
    A table of standard errors, ``errors_of`` others, has a row for each of theirs.
    """
    for row in _error_rows([other for other in tables if other["name"] in table.get("errors_of", ())]) or table["rows"]:
        errors = [error / 500 for error in row.get("standard_errors", ())]  # given in thousandths, and two are a spread
        for place, own in enumerate(table["columns"][: row.get("first")]):
            about = {**table, **({"column": own} if isinstance(own, str) else own), **row}
            yield Entry(
                about["row"],
                about["column"],
                (about.get("cell_row", about["row"]), about.get("cell_column", about["column"])),
                f"{about['quantity']} {about.get('part', '')}".rstrip(),
                _number(row.get("printed", ()), place),
                _number(row.get("printed_spread", errors), place),
                about.get("spread", ""),
                about.get("comparable", True),
                (about.get("cell_row", about["row"]), about["over"]) if "over" in about else None,
            )


def _error_rows(tables: Sequence[Plain]) -> list[Plain]:
    return [
        {
            "row": f"{row['row']}: {table['name'].partition(', ')[2]}",
            "cell_row": row.get("cell_row", row["row"]),
            "quantity": f"{table['quantity']}_se_thousandths",
            "printed": row["standard_errors"],
        }
        for rows in zip(*(table["rows"] for table in tables), strict=True)
        for table, row in zip(tables, rows, strict=True)
        if "standard_errors" in row
    ]


def _number(numbers: Sequence[float], place: int) -> float | None:
    """Return a printed number; None where a paper has none: behind the last, or where a file has nan."""
    return None if place >= len(numbers) or math.isnan(numbers[place]) else numbers[place]


STUDIES: dict[str, Study] = {name: read_study(name) for name in NAMES}
"""Every study by its name."""


def study_named(name: str) -> Study:
    """Look a study up.

    Raises
    ------
    InvalidParameterError
        For an unknown name; the message lists the known ones.
    """
    require(name in STUDIES, "name", name, f"one of {', '.join(STUDIES)}")
    return STUDIES[name]
