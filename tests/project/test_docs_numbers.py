"""The numbers that docs/statistician.md has beside the papers' are those of the results that come along."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpviz.analysis.studies import STUDIES, committed, compared
from dpviz.analysis.studies.comparison import n_compared

GUIDE = (Path(__file__).parents[2] / "docs" / "statistician.md").read_text(encoding="utf-8")
HEADLINES = [
    ("raykov2016-scenarios", "Table 1", "5.1 circles of unequal radius", "K-means"),
    ("raykov2016-scenarios", "Table 1", "5.1 circles of unequal radius", "MAP-DP"),
    ("raykov2016-scenarios", "Table 1", "5.2 circles, unequal numbers", "K-means"),
    ("raykov2016-scenarios", "Table 1", "5.4 ellipses, one rotated", "MAP-DP"),
    ("raykov2016-scenarios", "Table 1", "5.6 ellipses that overlap", "MAP-DP"),
    ("raykov2014-mixtures", "Table 1", "NMI", "MAP-DP"),
    ("raykov2014-mixtures", "Table 1", "ΔK", "MAP-DP"),
    ("raykov2014-mixtures", "Table 1", "ΔK", "Gibbs"),
    ("raykov2014-mixtures", "Table 5", "−ln density, each point left out", "MAP-DP"),
    ("raykov2014-uci", "Table 2", "Iris", "DP-means"),
    ("raykov2014-uci", "Table 2", "Breast cancer", "MAP-DP"),
    ("raykov2014-uci", "Table 2", "Parkinson’s", "Gibbs"),
    ("raykov2014-uci", "Table 2", "Wine", "MAP-DP"),
    ("raykov2014-uci", "Table 2", "Soybean", "DP-means"),
    ("lu2018-simulation-1", "Table 1, NMI", "Sim 1, N = 300", "pCRP"),
    ("lu2018-simulation-1", "Table 1, K", "Sim 1, N = 2000", "CRP"),
    ("lu2018-simulations", "Table 1, K", "Sim 2, N = 2000", "CRP"),
    ("lu2018-separated", "Table 1, K", "Sim 2, N = 2000", "CRP"),
    ("lu2018-separated", "Table 1, NMI", "Sim 2, N = 2000", "CRP"),
]


@pytest.mark.parametrize(("name", "table", "row", "column"), HEADLINES)
def test_a_headline_is_the_number_that_comes_along(name, table, row, column):
    study, results = STUDIES[name], committed(name)
    shown = next(t for t in study.tables if t.name == table)
    found = next(c for c in compared(shown, results) if (c.entry.row, c.entry.column) == (row, column))
    mark = " ≠" if found.differs else ""
    assert f"| {found.printed_words} | {found.words}{mark} |" in GUIDE


def test_how_many_numbers_differ_is_counted():
    found = {year: [0, 0] for year in ("2014", "2016", "2018")}
    for name, study in STUDIES.items():
        there, differing = n_compared(study.tables, committed(name))
        of_year = found[study.paper.rpartition("(")[2].rstrip(")")]
        of_year[0] += there
        of_year[1] += differing
    words = "{1} of {0} numbers of 2016, {3} of {2} of 2014 and {5} of {4} of 2018 that can be compared".format(
        *found["2016"], *found["2014"], *found["2018"]
    )
    assert words in GUIDE.replace("\n", " ")
