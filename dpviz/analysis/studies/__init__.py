"""Experiments of the papers as data: each study has its runs, and the paper's printed numbers."""

from __future__ import annotations

from dpviz.analysis.studies.comparison import Compared, compared
from dpviz.analysis.studies.reading import STUDIES, study_named
from dpviz.analysis.studies.results import Record, Results, committed, expected_seconds, run_cells, runnable
from dpviz.analysis.studies.study import Study

__all__ = [
    "STUDIES",
    "Compared",
    "Record",
    "Results",
    "Study",
    "committed",
    "compared",
    "expected_seconds",
    "run_cells",
    "runnable",
    "study_named",
]
