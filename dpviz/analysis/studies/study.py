"""What a study is: the cells that are run, and the tables of a paper that their numbers are set against."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import datasets
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, tables
from dpviz.errors import InvalidDataError, require

Size = Mapping[str, int]
"""Size of a study: ``repetitions`` and the study's other numbers, by name."""


MOST_REPETITIONS = 10_000
"""Most draws of the data that are planned; that takes some seconds."""


@dataclass(frozen=True)
class Source:
    """Data by name.

    Attributes
    ----------
    kind : {"synthetic", "bundled", "file"}
        Drawn from a scenario, shipped with dpviz, or a table that the user must supply.
    name : str
        Scenario, bundled table, or the name by which ``--data NAME=PATH`` gives the path of a file.
    options : tuple of (str, value)
        Of the scenario or table.
    scaling : {"none", "standardise", "robust"}
    gaps : bool
        Whether rows with missing cells are kept.
    groups : tuple of str
        Names of the groups whose rows are kept; all if empty.
    """

    kind: str
    name: str
    options: tuple[tuple[str, Any], ...] = ()
    scaling: str = "none"
    gaps: bool = False
    groups: tuple[str, ...] = ()

    def load(self, files: Mapping[str, str] | None = None) -> Dataset:
        """Draw or read the data.

        Parameters
        ----------
        files : mapping of str to str, optional
            Paths of the tables of kind ``"file"``.

        Raises
        ------
        DpvizError
            If they are not available, or cannot be clustered.
        """
        return _scaled(_of_groups(self._load(files or {}), self.groups), self.scaling)

    def _load(self, files: Mapping[str, str]) -> Dataset:
        options = dict(self.options)
        if self.kind == "synthetic":
            return datasets.synthesize(self.name, **options)
        if self.kind == "bundled":
            return datasets.load(self.name, gaps=self.gaps, **options)
        if self.name not in files:
            raise InvalidDataError(f"{self.name} is not shipped with dpviz; say where it is: --data {self.name}=PATH.")
        path = Path(files[self.name])
        if not path.is_file():
            raise InvalidDataError(f"--data {self.name}={path}: there is no such file. Give the path of the table.")
        return tables.to_dataset(tables.read_table(path.read_bytes(), path.name), label="label", gaps=self.gaps)


def _of_groups(data: Dataset, groups: Sequence[str]) -> Dataset:
    if not groups:
        return data
    names, labels = data.label_names or (), data.labels
    unknown = set(groups) - set(names)
    require(labels is not None and not unknown, "groups", groups, f"some of {', '.join(names)}")
    assert labels is not None
    kept = np.isin(labels, [names.index(name) for name in groups])
    rows = None if data.rows is None else data.rows[kept]
    note = f"Only the groups {', '.join(groups)}: {int(kept.sum())} of {data.n_points} rows."
    return replace(data, X=data.X[kept], labels=labels[kept], rows=rows, notes=(*data.notes, note))


def _scaled(data: Dataset, scaling: str) -> Dataset:
    if scaling == "none":
        return data
    scaled = datasets.scale(data.X, scaling, data.feature_names)
    notes = (*data.notes, f"Columns are scaled ({scaling}).", *scaled.notes)
    return replace(data, X=scaled.X, kinds=(), category_names=(), notes=notes)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one cell found.

    Attributes
    ----------
    numbers : mapping of str to float
        By name; NaN where undefined.
    config : RunConfig
        Configuration, with all automatic choices; labels to start from are left out.
    arrays : mapping of str to ndarray
        Data of figures, such as labels.
    starts_from_truth : bool
        Whether the run started at the true groups, which ``config`` then does not hold.
    """

    numbers: Mapping[str, float]
    config: RunConfig
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    starts_from_truth: bool = False


Measure = Callable[..., Outcome]
"""A function of a module, so that other processes find it: given data, configuration and settings, it runs a cell."""


@dataclass(frozen=True)
class StudyCell:
    """Data, a configuration, and how they become numbers.

    Attributes
    ----------
    row, column : str
        Row and column: data or setting, and method. Cells that share both differ by their repetition.
    source : Source
    config : RunConfig
    measure : callable
        Called with the data, the configuration and ``settings``.
    repetition : int
    settings : tuple of (str, value)
        Further arguments of ``measure``.
    """

    row: str
    column: str
    source: Source
    config: RunConfig
    measure: Measure
    repetition: int = 0
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> tuple[str, str, int]:
        """What sets it apart from the other cells of its study."""
        return self.row, self.column, self.repetition

    def described(self) -> list[Any]:
        """Everything that decides what it finds, as plain values."""
        return [*self.key, astuple(self.source), self.config.to_json(), self.measure.__name__, self.settings]


@dataclass(frozen=True)
class Entry:
    """One number of a table.

    Attributes
    ----------
    row, column : str
        Its row and column in the table, in words.
    cell : tuple of (str, str)
        Row and column of the study's cells that give it.
    quantity : str
        Name of their number.
    printed, printed_spread : float, optional
        The printed number, and two standard deviations if printed, else None.
    spread : str
        A number of the cells that is their spread within a run (two standard deviations), which the spread over the
        repetitions is added to; empty where that one is all; "none" for shares of runs, which have no spread.
    comparable : bool
        Whether the printed number measures the same, so that a difference is meaningful.
    over : tuple of (str, str), optional
        Row and column of cells by whose mean the mean is divided.
    """

    row: str
    column: str
    cell: tuple[str, str]
    quantity: str
    printed: float | None = None
    printed_spread: float | None = None
    spread: str = ""
    comparable: bool = True
    over: tuple[str, str] | None = None

    def under(self, setting: Setting) -> Entry:
        """Return the number that a setting gives."""
        return replace(self, cell=setting.of(self.cell), over=None if self.over is None else setting.of(self.over))


@dataclass(frozen=True)
class Remark:
    """Why numbers differ from the paper's.

    Attributes
    ----------
    text : str
        One paragraph.
    rows, columns : tuple of str
        The entries it is about; all if empty.
    found : bool
        Whether runs show the reason.
    """

    text: str
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    found: bool = True

    def covers(self, entry: Entry) -> bool:
        """Whether it is about this entry."""
        return (not self.rows or entry.row in self.rows) and (not self.columns or entry.column in self.columns)


@dataclass(frozen=True, eq=False)
class Setting:
    """A choice that a paper leaves open, or may have made otherwise than it says: other cells for a table's numbers.

    Attributes
    ----------
    name : str
        In words.
    rows, columns : mapping of str to str
        Rows and columns of cells, and those that take their place.
    concerns : tuple of str
        Columns of cells that it can change; all if empty.
    text : str
        What is to be said where it is chosen; empty for nothing.
    """

    name: str
    rows: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    concerns: tuple[str, ...] = ()
    text: str = ""

    def of(self, cell: tuple[str, str]) -> tuple[str, str]:
        """Return the cell that takes the place of another under this choice; most often it is the same."""
        row, column = cell
        concerned = not self.concerns or column in self.concerns
        return (self.rows.get(row, row), self.columns.get(column, column)) if concerned else cell


def _that_change(cells: Sequence[tuple[str, str]], settings: Sequence[Setting]) -> tuple[Setting, ...]:
    others = [setting for setting in settings[1:] if any(setting.of(cell) != cell for cell in cells)]
    return (settings[0], *others) if others else ()


@dataclass(frozen=True)
class Table:
    """A table of a paper.

    Attributes
    ----------
    name, title : str
        Such as ``"Table 1"``, and its content.
    explanation : str
        How to read its numbers.
    entries : tuple of Entry
        Row by row.
    remarks : tuple of Remark
    decimals : int
        As the paper prints them.
    settings : tuple of Setting
        Ways in which it can be run, the first of which changes nothing; none if there is but one.
    """

    name: str
    title: str
    explanation: str
    entries: tuple[Entry, ...]
    remarks: tuple[Remark, ...] = ()
    decimals: int = 2
    settings: tuple[Setting, ...] = ()

    def with_settings(self, settings: Sequence[Setting]) -> Table:
        """Return the table with those settings that change one of its numbers, behind the first; none without any."""
        cells = [cell for entry in self.entries for cell in (entry.cell, entry.over) if cell is not None]
        return replace(self, settings=_that_change(cells, settings))

    def under(self, setting: Setting) -> Table:
        """Return the table with the numbers that a setting gives."""
        return replace(self, entries=tuple(entry.under(setting) for entry in self.entries))


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, drawn from the arrays of some cells.

    Attributes
    ----------
    name, title : str
    kind : str
        ``"partitions"``: points coloured by each method's clusters, side by side; ``"sizes"``: shares of the clusters
        by rank; or a key of :data:`dpviz.figures.powered_studies.STUDY_FIGURES`.
    cells : tuple of (str, str)
        Rows and columns of the cells it shows.
    quantiles : tuple of float
        Of the sizes over the repetitions, for ``"sizes"``.
    n_points : int
        Points of each data set, for ``"sizes"``.
    settings : tuple of Setting
        As of a table.
    """

    name: str
    title: str
    kind: str
    cells: tuple[tuple[str, str], ...]
    quantiles: tuple[float, ...] = ()
    n_points: int = 0
    settings: tuple[Setting, ...] = ()

    def with_settings(self, settings: Sequence[Setting]) -> Figure:
        """Return the figure with those settings that change one of its cells, behind the first; none without any."""
        return replace(self, settings=_that_change(self.cells, settings))

    def under(self, setting: Setting) -> Figure:
        """Return the figure of what a setting gives."""
        return replace(self, cells=tuple(map(setting.of, self.cells)))


@dataclass(frozen=True)
class Study:
    """An experiment of a paper.

    Attributes
    ----------
    name, title : str
        Its key, and a heading of one line.
    paper, place : str
        The paper, and its tables and figures.
    summary : str
        Description of the runs, in a few sentences.
    cells : callable
        Given a size as keyword arguments, returns the cells.
    sizes : mapping of str to Size
        ``"quick"`` and ``"full"``.
    tables : tuple of Table
    figures : tuple of Figure
    version : int
        Raise it when a measure changes, so that older results no longer match.
    quick_seconds : float
        Measured processor time of the quick size, without data that do not come along; that of the full size is in
        its results.
    """

    name: str
    title: str
    paper: str
    place: str
    summary: str
    cells: Callable[..., Sequence[StudyCell]]
    sizes: Mapping[str, Size]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    version: int = 1
    quick_seconds: float = math.nan

    def size(self, name: str, **changes: int) -> dict[str, int]:
        """Return a size by name with some of its numbers changed.

        Raises
        ------
        InvalidParameterError
            If it has no such number, one is below 1, or there are more repetitions than are planned.
        """
        require(name in self.sizes, "size", name, f"one of {', '.join(self.sizes)}")
        size = dict(self.sizes[name])
        for key, value in changes.items():
            require(key in size, "size", key, f"one of {', '.join(size)}")
            require(value >= 1, key, value, "a whole number ≥ 1")
            few = key != "repetitions" or value <= MOST_REPETITIONS
            advice = "Every run of a study is planned before the first begins, and the papers need at most 100 draws."
            require(few, key, value, f"at most {MOST_REPETITIONS:,}", advice)
        return size | changes

    def digest(self, size: Size) -> str:
        """Short digest of everything that determines the results; results with another digest are of another study."""
        described = [cell.described() for cell in self.cells(**size)]
        text = json.dumps([self.name, self.version, described], ensure_ascii=False)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
