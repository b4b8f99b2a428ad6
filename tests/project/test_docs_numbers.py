"""The numbers that docs/statistician.md has beside the papers' are those of the results that come along."""

from __future__ import annotations

from pathlib import Path

import numpy as np
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
    assert f"| {found.printed_words} | {f'{found.words} {found.mark}'.rstrip()} |" in GUIDE


def test_how_many_numbers_differ_is_counted():
    found = {year: np.zeros(4, dtype=int) for year in ("2016", "2014", "2018")}
    for name, study in STUDIES.items():
        found[study.paper.rpartition("(")[2].rstrip(")")] += n_compared(study.tables, committed(name))
    parts = [f"of {found[year][0]} of {year} {found[year][1]} are ≠ and {found[year][2]} ≈" for year in found]
    unexplained = f"for {sum(counts[3] for counts in found.values())} of those that are ≠ no reason was found"
    assert f"{parts[0]}, {parts[1]} and {parts[2]}; {unexplained}" in GUIDE.replace("\n", " ")


def test_what_the_rule_for_the_first_sweep_does_is_the_number_that_comes_along():
    results = committed("raykov2014-mixtures")
    without, with_it = (
        results.values("CRP mixtures, N = 600", column, "nmi").mean()
        for column in ("MAP-DP, all points count", "MAP-DP")
    )
    assert f"is {without:.2f} in place of {with_it:.2f}" in GUIDE


def test_powers_pay_to_about_the_power_that_reproduces_simulation_1():
    results, row, start = committed("lu2018-where-powers-pay"), "means 0, 2, 5; N = 300", "the true groups"
    assert f"about r = {results.values(row, start, 'break_even').mean():.1f}," in GUIDE.replace("\n", " ")
    kept, with_moves = (
        int(results.values(row, column, "kept_1.30").sum()) for column in (start, f"{start}, with splits and merges")
    )
    assert f"{kept} of 10 that begin at the groups keep them, and {with_moves} of 10" in GUIDE.replace("\n", " ")
