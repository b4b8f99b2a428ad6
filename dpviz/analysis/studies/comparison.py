"""The numbers of a paper next to ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpviz.analysis.studies.results import Results
from dpviz.analysis.studies.study import Entry, Figure, Table
from dpviz.arrays import FloatArray


@dataclass(frozen=True)
class Compared:
    """One number of a table, and ours.

    Attributes
    ----------
    entry : Entry
    found : float
        Mean over the repetitions; NaN if there is none.
    spread : float
        Two standard deviations, over the repetitions or within the run; NaN where there is none.
    n_repetitions : int
    decimals : int
        Of the table.
    """

    entry: Entry
    found: float
    spread: float
    n_repetitions: int
    decimals: int

    @property
    def difference(self) -> float:
        """Our number minus the printed one; NaN unless both exist and mean the same."""
        if self.entry.printed is None or not self.entry.comparable:
            return math.nan
        return self.found - self.entry.printed

    @property
    def differs(self) -> bool:
        """Whether the difference exceeds the larger of both spreads and the rounding of the printed number."""
        spreads = [s for s in (self.spread, self.entry.printed_spread) if s is not None and math.isfinite(s)]
        tolerance = max(spreads, default=0.0) + 0.5 * 10.0**-self.decimals
        return bool(abs(self.difference) > tolerance)

    @property
    def words(self) -> str:
        """The number with its spread."""
        return in_digits(self.found, self.spread, self.decimals)

    @property
    def printed_words(self) -> str:
        """The printed number with its spread; a dash if there is none."""
        return in_digits(self.entry.printed, self.entry.printed_spread, self.decimals)


def n_compared(tables: Sequence[Table], results: Results) -> tuple[int, int]:
    """Return how many printed numbers can be compared with ours, and how many of them differ."""
    found = [one for table in tables for one in compared(table, results) if math.isfinite(one.difference)]
    return len(found), sum(one.differs for one in found)


def in_digits(value: float | None, spread: float | None, decimals: int) -> str:
    """Write a number with its spread, with decimals that suit its size; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    shown = min(decimals, max(0, 3 - len(str(int(abs(value))))))
    around = "" if spread is None or not math.isfinite(spread) else f" ± {spread:,.{shown}f}"
    return f"{value:,.{shown}f}{around}".replace("-", "−")


def compared(table: Table, results: Results) -> Iterator[Compared]:
    """Compare every entry of a table with our number."""
    for entry in table.entries:
        values = results.values(*entry.cell, entry.quantity)
        values = values[np.isfinite(values)]
        found = float(values.mean()) if values.size else math.nan
        spread = 2 * float(values.std(ddof=1)) if values.size > 1 else math.nan
        if entry.spread and values.size:
            within = results.values(*entry.cell, entry.spread)
            spread = float(np.sqrt(np.mean(within**2) + 4 * values.var()))
        yield Compared(entry, found, spread, int(values.size), table.decimals)


def size_shares(figure: Figure, results: Results) -> dict[str, list[FloatArray]]:
    """Return, by method, quantiles over the repetitions of the share of the largest cluster, of the second, …."""
    shares = {}
    for row, column in figure.cells:
        sizes = np.array([record.arrays["sizes"] for record in results.of(row, column)])
        if sizes.size:
            quantiles = np.quantile(sizes, figure.quantiles, axis=0, method="nearest")
            shares[column] = list(quantiles / figure.n_points)
    return shares


def comparison_frame(table: Table, results: Results) -> pd.DataFrame:
    """One row per entry: the printed number, ours, the difference, and whether it exceeds the spread."""
    ours = ["found", "found_two_sd", "repetitions", "difference", "differs"]
    rows = []
    for c in compared(table, results):
        printed = (table.name, c.entry.row, c.entry.column, c.entry.printed, c.entry.printed_spread)
        rows.append((*printed, c.found, c.spread, c.n_repetitions, c.difference, c.differs))
    return pd.DataFrame(rows, columns=["table", "row", "column", "paper", "paper_two_sd", *ours])
