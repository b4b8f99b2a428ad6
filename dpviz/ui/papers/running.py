"""Run a study again, here and now, in its quick size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpviz.analysis.studies import Record, Results, Study, runnable
from dpviz.analysis.studies.running import evaluate
from dpviz.fit.timing import NOTHING
from dpviz.ui.session.computation import Computation
from dpviz.ui.session.tasks import Gathered

PLACE = "papers"


def quick_run(study: Study) -> Computation:
    """Return a study in its quick size, cell by cell, as a computation that the reader starts."""

    def begin() -> Gathered:
        cells, _ = runnable(study, study.size("quick"), {})

        def evaluated(_: int) -> Iterator[Record]:
            for cell in cells:
                yield evaluate(cell, {})

        return Gathered(evaluated, len(cells), words="Runs: ")

    return Computation(PLACE, study.name, begin, NOTHING, unasked=-1.0)


def results_of(study: Study, records: Sequence[Record]) -> Results:
    """Return the results of a quick run; partial ones if it was stopped."""
    size = study.size("quick")
    _, missing = runnable(study, size, {})
    return Results.gathered(study, size, records, missing, f"dpviz reproduce {study.name} --quick")
