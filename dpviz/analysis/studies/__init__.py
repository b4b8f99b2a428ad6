"""Experiments of the papers as code: each study has its runs, and the paper's printed numbers."""

from __future__ import annotations

from dpviz.analysis.studies import (  # noqa: F401  (they register their studies)
    lu2018_section_3_1,
    lu2018_section_3_2,
    lu2018_section_3_3,
    raykov2014_section_4_1,
    raykov2014_section_4_2,
    raykov2016_section_5,
    raykov2016_section_6,
)
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
