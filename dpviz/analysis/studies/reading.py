"""Studies as data: what is run, what a paper prints and why numbers differ, from one file per study.

``papers/NAME.toml`` has the attributes of a :class:`Study`, and instead of its cells their ``rows`` (each with its
``source``) and ``columns``. Every row has a cell in every column and repetition; ``config`` and ``settings`` of a cell
are those of ``all`` cells, its row and its column together, and in the first repetition ``first_settings``, what
figures need. A column that is run ``once`` has no further repetitions. A value ``{ of = "sweeps" }`` is that number of
the size, of the row's own ``numbers``, or the repetition; ``share`` of it, and ``most`` as much.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import resources
from itertools import product
from typing import Any

from dpviz.analysis.studies import measures, mixtures, patients, uci
from dpviz.analysis.studies.long_chains import score_chain
from dpviz.analysis.studies.study import Entry, Figure, Measure, Remark, Source, Study, StudyCell, Table
from dpviz.config import RunConfig
from dpviz.errors import require
from dpviz.partition import PartitionPrior

NAMES = (
    "lu2018-simulations",
    "lu2018-separated",
    "lu2018-digits",
    "lu2018-digits-others",
    "lu2018-geyser",
    "raykov2014-mixtures",
    "raykov2014-uci",
    "raykov2016-scenarios",
    "raykov2016-bic",
    "raykov2016-patients",
)
"""In the order in which they are shown."""
MEASURES: Mapping[str, Measure] = {
    "score_run": measures.score_run,
    "score_chain": score_chain,
    "choose_k": measures.choose_k,
    "mixtures.fit_mode": mixtures.fit_mode,
    "mixtures.fit_chain": mixtures.fit_chain,
    "mixtures.true_groups": mixtures.true_groups,
    "uci.fit_mode": uci.fit_mode,
    "uci.fit_chain": uci.fit_chain,
    "uci.fit_penalty": uci.fit_penalty,
    "uci.fit_own_model": uci.fit_own_model,
    "groups_of_patients": patients.groups_of_patients,
}
"""Functions that run a cell, by the names that files have for them."""

Plain = Mapping[str, Any]


def read_study(name: str) -> Study:
    """Read a study from its file."""
    plain = tomllib.loads((resources.files(__package__) / "papers" / f"{name}.toml").read_text("utf-8"))
    remarks = [(_frozen(remark.pop("tables", ())), Remark(**_frozen(remark))) for remark in plain.get("remarks", ())]
    return Study(
        name=name,
        **{key: plain[key] for key in ("title", "paper", "place", "summary", "sizes")},
        version=plain.get("version", 1),
        cells=partial(_cells, plain.get("all", {}), plain["rows"], plain["columns"]),
        tables=tuple(
            Table(
                table["name"],
                table["title"],
                table.get("explanation", plain.get("explanation", "")),
                tuple(_entries(table, plain["tables"])),
                tuple(remark for names, remark in remarks if table["name"] in names or not names),
                table.get("decimals", 2),
            )
            for table in plain["tables"]
        ),
        figures=tuple(
            Figure(cells=tuple(product(figure.pop("rows"), figure.pop("columns"))), **_frozen(figure))
            for figure in plain.get("figures", ())
        ),
    )


def _cells(
    every: Plain, rows: Sequence[Plain], columns: Sequence[Plain], repetitions: int, **size: int
) -> list[StudyCell]:
    cells = []
    for row, repetition, column in product(rows, range(repetitions), columns):
        if repetition and column.get("once"):
            continue
        numbers = {**size, "repetition": repetition, **row.get("numbers", {})}
        config, settings = ({**every.get(key, {}), **row.get(key, {}), **column.get(key, {})} for key in _JOINED)
        if not repetition:
            settings |= {**every.get("first_settings", {}), **column.get("first_settings", {})}
        source = _filled(row["source"], numbers)
        source["options"] = tuple(source.get("options", {}).items())
        cells.append(
            StudyCell(
                row["row"],
                column["column"],
                Source(**source),
                _config(_filled(config, numbers)),
                MEASURES[column.get("measure", every.get("measure"))],
                repetition,
                tuple(_filled(settings, numbers).items()),
            )
        )
    return cells


_JOINED = ("config", "settings")


def _config(options: dict[str, Any]) -> RunConfig:
    if "partition" in options:
        options["partition"] = PartitionPrior.from_dict(options["partition"])
    return RunConfig(**options)


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

    A table of standard errors, ``errors_of`` others, has a row for each of theirs.
    """
    for row in _error_rows([other for other in tables if other["name"] in table.get("errors_of", ())]) or table["rows"]:
        errors = [error / 500 for error in row.get("standard_errors", ())]  # given in thousandths, and two are a spread
        for place, own in enumerate(table["columns"]):
            column = {"column": own} if isinstance(own, str) else own
            about = {**table, **column, **row}
            quantity = about["quantity"] if "part" not in about else f"{about['quantity']} {about['part']}"
            yield Entry(
                about["row"],
                about["column"],
                (about.get("cell_row", about["row"]), about.get("cell_column", about["column"])),
                quantity,
                _number(row.get("printed", ()), place),
                _number(row.get("printed_spread", errors), place),
                about.get("spread", ""),
                about.get("comparable", True),
            )


def _error_rows(tables: Sequence[Plain]) -> list[Plain]:
    return [
        {
            "row": f"{row['row']}: {table['name'].partition(', ')[2]}",
            "cell_row": row["row"],
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
