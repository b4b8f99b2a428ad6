"""Run the cells of a study side by side, and keep what they find, as JSON and CSV with versions, size and command."""

from __future__ import annotations

import base64
import functools
import json
import math
import platform
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, resources
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpviz.analysis.experiment import experiment
from dpviz.analysis.studies.study import Outcome, Size, Study, StudyCell
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError, TraceFormatError, require
from dpviz.kernel_sources import PACKAGE, digest

FORMAT = "dpviz-study-1"
LIBRARIES = ("dpviz", "numpy", "scipy", "scikit-learn", "numba")
SHOWING = {"cli", "course", "figures", "report", "ui", "words"}
"""Folders whose edits leave what was run valid, as they decide no number: the layers above this one, and texts."""

HEAD = ("study", "size", "digest", "command", "complete", "missing", "versions")
"""Attributes of results beside their records."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Record(Outcome):
    """What one cell found, and which it is.

    Attributes
    ----------
    row, column : str
    repetition : int
        Key of the cell.
    seconds : float
        Spent on the cell with everything that it chose on the way.
    """

    row: str
    column: str
    repetition: int
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
        found, missing = {record.key: record for record in records}, tuple(missing)
        cells = study.cells(**size)
        in_order = tuple(found[cell.key] for cell in cells if cell.key in found)
        complete = all(cell.key in found for cell in cells if cell.source.name not in missing)
        head = (study.name, dict(size), study.digest(size))
        return cls(*head, in_order, missing, complete, command, present_versions())

    def of(self, row: str, column: str) -> list[Record]:
        """Return the repetitions of a cell."""
        return [record for record in self.records if (record.row, record.column) == (row, column)]

    def values(self, row: str, column: str, quantity: str) -> FloatArray:
        """Return a number of a cell, one per repetition; empty if there is none.

        Of an array of counts ``"counts[3]"`` is the share of the third, counted from 0.
        """
        name, _, place = quantity.rstrip("]").partition("[")
        if place:
            counts = [record.arrays[name] for record in self.of(row, column) if name in record.arrays]
            return np.array([own[int(place) : int(place) + 1].sum() / own.sum() for own in counts], dtype=np.float64)
        return np.array([r.numbers[quantity] for r in self.of(row, column) if quantity in r.numbers], dtype=np.float64)

    def to_frame(self) -> pd.DataFrame:
        """One row per record: row, column, repetition, its numbers, seed, configuration and seconds."""
        rows = []
        for r in self.records:
            run = {"seed": r.config.seed, "config": r.config.to_json(), "starts_from_truth": r.starts_from_truth}
            cell = {"row": r.row, "column": r.column, "repetition": r.repetition}
            rows.append({**cell, **r.numbers, "seconds_of_cell": r.seconds, **run})
        return pd.DataFrame(rows)

    def to_json(self) -> str:
        """Everything, one line per record; the inverse is :meth:`from_json`."""
        head = {"format": FORMAT, **{name: getattr(self, name) for name in HEAD}}
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
            head = {name: values[name] for name in HEAD}
            head["size"] = {name: int(number) for name, number in head["size"].items()}
            head["missing"] = tuple(head["missing"])
            return cls(records=tuple(map(_record_from_plain, values["records"])), **head)
        except DpvizError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, zlib.error) as error:
            raise TraceFormatError(f"these results are damaged: {type(error).__name__}: {error!s:.200}") from error


def runnable(study: Study, size: Size, files: Mapping[str, str]) -> tuple[list[StudyCell], list[str]]:
    """Return the cells whose data are there, and the names of the tables that are not.

    Parameters
    ----------
    study : Study
    size : Size
    files : mapping of str to str
        Paths of tables that are not shipped.

    Raises
    ------
    DpvizError
        If a path is for no table of the study, or a given table cannot be read.
    """
    cells = study.cells(**size)
    asked = {cell.source.name: cell.source for cell in cells if cell.source.kind == "file"}
    for name in files:
        known = f"one of {', '.join(asked)}" if asked else "left out: this study needs no file"
        require(name in asked, "--data", name, known)
        asked[name].load(files)
    missing = [name for name in asked if name not in files]
    return [cell for cell in cells if cell.source.name not in missing], missing


def run_cells(
    cells: Sequence[StudyCell], files: Mapping[str, str] | None = None, n_jobs: int | None = -1
) -> Iterator[Record]:
    """Run cells and yield what each found, in no particular order; closing the generator cancels what is left.

    Parameters
    ----------
    cells : sequence of StudyCell
    files : mapping of str to str, optional
        Paths of tables that are not shipped.
    n_jobs : int, optional
        Processes; −1 for one per core, 1 for none. With ``joblib.parallel_config(backend="dask")`` on a cluster.

    Raises
    ------
    DpvizError
        If a cell cannot be run.
    """
    yield from experiment(evaluate, [(cell,) for cell in cells], (dict(files or {}),), n_jobs)


def evaluate(cell: StudyCell, files: Mapping[str, str]) -> Record:
    """Run one cell."""
    begun = time.perf_counter()
    outcome = cell.measure(cell.source.load(files), cell.config, **dict(cell.settings))
    found: dict[str, Any] = vars(outcome) | {name: getattr(cell, name) for name in ("row", "column", "repetition")}
    found["numbers"] = {name: float(value) for name, value in outcome.numbers.items()}
    return Record(**found, seconds=time.perf_counter() - begun)


def committed(name: str) -> Results | None:
    """Return the results that come with dpviz, of a size that was run once with everything; None without any."""
    file = resources.files(__package__) / "results" / f"{name}.json"
    return Results.from_json(file.read_text("utf-8")) if file.is_file() else None


def expected_seconds(study: Study, size: Size) -> float:
    """Return how long a study took, one process alone, where it was measured: in its two sizes, per repetition.

    Returns
    -------
    float
        Seconds; NaN for other sizes.
    """
    quick = study.sizes["quick"]
    if _as_long(size, quick):
        return study.quick_seconds * size["repetitions"] / quick["repetitions"]
    full = committed(study.name)
    if full is None or not _as_long(size, full.size):
        return math.nan
    before: dict[tuple[str, str], list[float]] = {}
    for record in full.records:
        before.setdefault((record.row, record.column), []).append(record.seconds)
    return float(sum(np.mean(before.get((cell.row, cell.column), math.nan)) for cell in study.cells(**size)))


def _as_long(one: Size, other: Size) -> bool:
    """Whether two sizes are the same but for their repetitions."""
    return {**one, "repetitions": 0} == {**other, "repetitions": 0}


def present_versions() -> dict[str, str]:
    """Return the versions that decide numbers, and a digest of the sources here that do, which change in between."""
    libraries = {name: metadata.version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), **libraries, "sources": _sources()}


@functools.cache
def _sources() -> str:
    found = (path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py")))
    return digest(PACKAGE / path for path in found if path.parts[0] not in SHOWING)[:8]


def _record_to_plain(record: Record) -> dict[str, Any]:
    plain: dict[str, Any] = {"row": record.row, "column": record.column, "repetition": record.repetition}
    plain["numbers"] = {name: value if math.isfinite(value) else None for name, value in record.numbers.items()}
    plain |= {"config": record.config.to_dict(), "seconds": round(record.seconds, 3)}
    if record.arrays:
        plain["arrays"] = {name: _packed(array) for name, array in record.arrays.items()}
    return plain | ({"starts_from_truth": True} if record.starts_from_truth else {})


def _record_from_plain(plain: Mapping[str, Any]) -> Record:
    numbers = {name: math.nan if value is None else float(value) for name, value in plain["numbers"].items()}
    arrays = {name: _unpacked(packed) for name, packed in plain.get("arrays", {}).items()}
    changed = {"numbers": numbers, "config": RunConfig.from_dict(plain["config"]), "arrays": arrays}
    record = Record(**{**plain, **changed})
    if (type(record.row), type(record.column), type(record.repetition)) != (str, str, int):
        raise TypeError(f"{record.key} are no row, column and repetition")
    if not 0 <= float(record.seconds) < math.inf:
        raise ValueError(f"{record.seconds} seconds")
    return record


def _packed(array: NDArray[Any]) -> str:
    """Write whole numbers from 0 to 65535 as base64 of their zlib-compressed bytes."""
    return base64.b64encode(zlib.compress(np.asarray(array).astype("<u2").tobytes(), 9)).decode("ascii")


def _unpacked(text: str) -> IntArray:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<u2").astype(np.int64)
