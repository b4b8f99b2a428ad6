"""What a study found: one record per cell, as JSON and CSV with versions, size and command."""

from __future__ import annotations

import base64
import json
import math
import platform
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata, resources
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpviz.analysis.studies.study import Size, Study
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError, TraceFormatError

FORMAT = "dpviz-study-1"
LIBRARIES = ("dpviz", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True, eq=False)
class Record:
    """What one cell found.

    Attributes
    ----------
    row, column : str
    repetition : int
        Key of the cell.
    numbers : mapping of str to float
    config : RunConfig
        Configuration; without the labels of a start at the true groups.
    arrays : mapping of str to ndarray
        For figures.
    starts_from_truth : bool
    seconds : float
        Spent on the cell with everything that it chose on the way.
    """

    row: str
    column: str
    repetition: int
    numbers: Mapping[str, float]
    config: RunConfig
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    starts_from_truth: bool = False
    seconds: float = math.nan

    @property
    def key(self) -> tuple[str, str, int]:
        """Which cell it is of."""
        return self.row, self.column, self.repetition


@dataclass(frozen=True, eq=False)
class Results:
    """Everything a study found.

    Attributes
    ----------
    study : str
    size : mapping of str to int
    digest : str
        ``Study.digest(size)`` when it was run.
    records : tuple of Record
        In the order of the cells.
    missing : tuple of str
        Tables that were not available; their cells have no record.
    complete : bool
        Whether every cell whose data were available has a record.
    command : str
        Command that makes them.
    versions : mapping of str to str
        Of Python and the libraries.
    """

    study: str
    size: Mapping[str, int]
    digest: str
    records: tuple[Record, ...]
    missing: tuple[str, ...] = ()
    complete: bool = True
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def gathered(
        cls, study: Study, size: Size, records: Iterable[Record], missing: Iterable[str] = (), command: str = ""
    ) -> Results:
        """Put records in the order of the study's cells, with what made them."""
        found = {record.key: record for record in records}
        cells = study.cells(**size)
        missing = tuple(missing)
        here = [cell for cell in cells if cell.source.kind != "file" or cell.source.name not in missing]
        return cls(
            study=study.name,
            size=dict(size),
            digest=study.digest(size),
            records=tuple(found[cell.key] for cell in cells if cell.key in found),
            missing=missing,
            complete=all(cell.key in found for cell in here),
            command=command,
            versions=present_versions(),
        )

    @cached_property
    def _by_cell(self) -> dict[tuple[str, str], list[Record]]:
        found: dict[tuple[str, str], list[Record]] = {}
        for record in self.records:
            found.setdefault((record.row, record.column), []).append(record)
        return found

    def of(self, row: str, column: str) -> list[Record]:
        """Return the repetitions of a cell."""
        return self._by_cell.get((row, column), [])

    def values(self, row: str, column: str, quantity: str) -> FloatArray:
        """Return a number of a cell, one per repetition; empty if there is none."""
        return np.array([r.numbers[quantity] for r in self.of(row, column) if quantity in r.numbers], dtype=np.float64)

    def to_frame(self) -> pd.DataFrame:
        """One row per record: row, column, repetition, its numbers, seed, configuration and seconds."""
        rows = [
            {
                "row": r.row,
                "column": r.column,
                "repetition": r.repetition,
                **r.numbers,
                "seconds_of_cell": r.seconds,
                "seed": r.config.seed,
                "config": r.config.to_json(),
                "starts_from_truth": r.starts_from_truth,
            }
            for r in self.records
        ]
        return pd.DataFrame(rows)

    def to_json(self) -> str:
        """Everything, one line per record; the inverse is :meth:`from_json`."""
        head = {
            "format": FORMAT,
            "study": self.study,
            "size": dict(self.size),
            "digest": self.digest,
            "command": self.command,
            "complete": self.complete,
            "missing": list(self.missing),
            "versions": dict(self.versions),
        }
        lines = ",\n  ".join(json.dumps(_record_to_plain(r), ensure_ascii=False, allow_nan=False) for r in self.records)
        return json.dumps(head, ensure_ascii=False, indent=1)[:-2] + f',\n "records": [\n  {lines}\n ]\n}}\n'

    @classmethod
    def from_json(cls, text: str) -> Results:
        """Inverse of :meth:`to_json`.

        Raises
        ------
        TraceFormatError
            If it is no such text.
        """
        try:
            values = json.loads(text)
            if values.get("format") != FORMAT:
                raise TraceFormatError(f"these are no results of a study: their format is not {FORMAT!r}.")
            return cls(
                study=values["study"],
                size={name: int(number) for name, number in values["size"].items()},
                digest=values["digest"],
                records=tuple(map(_record_from_plain, values["records"])),
                missing=tuple(values["missing"]),
                complete=values["complete"],
                command=values["command"],
                versions=values["versions"],
            )
        except DpvizError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, zlib.error) as error:
            raise TraceFormatError(f"these results are damaged: {type(error).__name__}: {error!s:.200}") from error


def committed(name: str) -> Results | None:
    """Return the results that come with dpviz, of a size that was run once with everything; None without any."""
    file = resources.files(__package__) / "results" / f"{name}.json"
    return Results.from_json(file.read_text("utf-8")) if file.is_file() else None


def present_versions() -> dict[str, str]:
    """Return the versions that decide numbers."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in LIBRARIES}}


def _record_to_plain(record: Record) -> dict[str, Any]:
    numbers = {name: value if math.isfinite(value) else None for name, value in record.numbers.items()}
    plain: dict[str, Any] = {"row": record.row, "column": record.column, "repetition": record.repetition}
    plain |= {"numbers": numbers, "config": record.config.to_dict(), "seconds": round(record.seconds, 3)}
    if record.arrays:
        plain["arrays"] = {name: _packed(array) for name, array in record.arrays.items()}
    return plain | ({"starts_from_truth": True} if record.starts_from_truth else {})


def _record_from_plain(plain: Mapping[str, Any]) -> Record:
    numbers = {name: math.nan if value is None else float(value) for name, value in plain["numbers"].items()}
    return Record(
        row=plain["row"],
        column=plain["column"],
        repetition=plain["repetition"],
        numbers=numbers,
        config=RunConfig.from_dict(plain["config"]),
        seconds=plain["seconds"],
        arrays={name: _unpacked(packed) for name, packed in plain.get("arrays", {}).items()},
        starts_from_truth=plain.get("starts_from_truth", False),
    )


def _packed(array: NDArray[Any]) -> str:
    """Write whole numbers from 0 to 65535 as base64 of their zlib-compressed bytes."""
    return base64.b64encode(zlib.compress(np.asarray(array).astype("<u2").tobytes(), 9)).decode("ascii")


def _unpacked(text: str) -> IntArray:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<u2").astype(np.int64)
