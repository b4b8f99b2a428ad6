"""Experiments of the papers as code: each study says what it runs, and what the paper printed."""

from __future__ import annotations

from dpviz.analysis.studies import mixtures_2014, powered_2018, scenarios_2016  # noqa: F401  (they register their studies)
from dpviz.analysis.studies.comparison import Compared, compared, comparison_frame
from dpviz.analysis.studies.results import Record, Results, committed
from dpviz.analysis.studies.running import run_cells, runnable
from dpviz.analysis.studies.study import STUDIES, Study, study_named

__all__ = [
    "STUDIES",
    "Compared",
    "Record",
    "Results",
    "Study",
    "committed",
    "compared",
    "comparison_frame",
    "run_cells",
    "runnable",
    "study_named",
]
