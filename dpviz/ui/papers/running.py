"""Run a study again, here and now, in its quick size."""

from __future__ import annotations

import time
from collections.abc import Iterator

from dpviz.analysis.grids import Progress
from dpviz.analysis.studies import Record, Results, Study, runnable
from dpviz.analysis.studies.running import evaluate
from dpviz.ui.session.background import Stage

OPERATIONS_PER_CELL = 1e9
"""Cells differ in their work, and none is done at once."""


class StudyRun:
    """A study in its quick size, as a task of the background.

    Parameters
    ----------
    study : Study

    Attributes
    ----------
    study : Study
    results : Results or None
        Set once it is over; partial if it was stopped.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.results: Results | None = None
        self._size = study.size("quick")
        self._cells, self._missing = runnable(study, self._size, {})
        self._records: list[Record] = []
        self._begun = time.perf_counter()

    def steps(self) -> Iterator[float]:
        """Run cell by cell."""
        for cell in self._cells:
            self._records.append(evaluate(cell, {}))
            yield OPERATIONS_PER_CELL

    def picture(self) -> None:
        """Show only progress."""

    def finish(self, stopped: bool) -> None:
        """Keep the finished cells."""
        command = f"dpviz reproduce {self.study.name} --quick"
        self.results = Results.gathered(self.study, self._size, self._records, self._missing, command)

    def stages(self) -> list[Stage]:
        """Report how many cells are done, and an estimate of the remaining time."""
        done, total = len(self._records), len(self._cells)
        progress = Progress(done, total, time.perf_counter() - self._begun)
        return [Stage(done / total, f"Runs: {progress}")]
