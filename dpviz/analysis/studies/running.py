"""Run the cells of a study side by side, each result as soon as it is there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dpviz.analysis.experiment import experiment
from dpviz.analysis.studies.results import Record
from dpviz.analysis.studies.study import Size, Study, StudyCell
from dpviz.errors import require


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
    return [cell for cell in cells if cell.source.kind != "file" or cell.source.name in files], missing


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
    seconds = time.perf_counter() - begun
    return Record(
        row=cell.row,
        column=cell.column,
        repetition=cell.repetition,
        numbers={name: float(value) for name, value in outcome.numbers.items()},
        config=outcome.config,
        arrays={name: np.asarray(array) for name, array in outcome.arrays.items()},
        starts_from_truth=outcome.starts_from_truth,
        seconds=seconds,
    )
