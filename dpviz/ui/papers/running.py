"""Run a study again, here and now, in its quick size."""

from __future__ import annotations

from collections.abc import Sequence

from dpviz.analysis.studies import Record, Results, Study, run_cells, runnable
from dpviz.fit.timing import NOTHING
from dpviz.ui.session.computation import Computation
from dpviz.ui.session.tasks import Gathered

PLACE = "papers"


def quick_run(study: Study) -> Computation:
    """Return a study in its quick size, cell by cell, as a computation that the reader starts."""

    def begin() -> Gathered:
        cells, _ = runnable(study, study.size("quick"), {})
        return Gathered(lambda n_jobs: run_cells(cells, n_jobs=n_jobs), len(cells), words="Runs: ")

    return Computation(PLACE, study.name, begin, NOTHING, unasked=-1.0)


def results_of(study: Study, records: Sequence[Record]) -> Results:
    """Return the results of a quick run; partial ones if it was stopped."""
    size = study.size("quick")
    _, missing = runnable(study, size, {})
    return Results.gathered(study, size, records, missing, f"dpviz reproduce {study.name} --quick")
