"""The numbers of a paper next to ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpviz.analysis.studies.results import Results
from dpviz.analysis.studies.study import Entry, Figure, Table
from dpviz.arrays import FloatArray
from dpviz.text import counted, in_words, signed

DIFFERS, LOOSE = "≠", "≈"
MOST_NAMED = 5
"""Numbers that a sentence on a setting names."""
NO_SPREAD = "none"
"""In place of a number that is a spread: of shares of runs, each of which is 0 or 1."""


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
    def unit(self) -> float:
        """Unit of the last digit that is printed."""
        return float(10.0 ** -decimals_of(self.entry.printed or 0.0, self.decimals))

    @property
    def digits(self) -> float:
        """The difference in units of the last printed digit, whatever the spread."""
        return self.difference / self.unit

    @property
    def larger_spread(self) -> float:
        """The larger of both spreads; 0 where there is none."""
        return max(s if s is not None and math.isfinite(s) else 0.0 for s in (self.spread, self.entry.printed_spread))

    @property
    def z(self) -> float:
        """The difference in standard deviations, of which the larger spread is two; NaN where there is none."""
        return 2 * self.difference / self.larger_spread if self.larger_spread else math.nan

    @property
    def digits_words(self) -> str:
        """The difference in printed digits with its sign; empty where there is none."""
        return _signed(self.digits, 0)

    @property
    def z_words(self) -> str:
        """The difference in standard deviations with its sign; empty where there is none."""
        return _signed(self.z, 1)

    @property
    def differs(self) -> bool:
        """Whether the difference exceeds the larger of both spreads and the rounding of the printed number."""
        return bool(abs(self.difference) > self.larger_spread + 0.5 * self.unit)

    @property
    def is_loose(self) -> bool:
        """Whether it agrees only by a spread of more than a unit of the last printed digit."""
        return bool(math.isfinite(self.difference)) and not self.differs and self.larger_spread > self.unit

    @property
    def mark(self) -> str:
        """Mark of a number that differs, or agrees by a wide spread."""
        return DIFFERS if self.differs else LOOSE if self.is_loose else ""

    @property
    def words(self) -> str:
        """The number with its spread."""
        return in_digits(self.found, self.spread, self.decimals)

    @property
    def printed_words(self) -> str:
        """The printed number with its spread; a dash if there is none."""
        return in_digits(self.entry.printed, self.entry.printed_spread, self.decimals)


class Counted(NamedTuple):
    """How many printed numbers can be compared with ours, differ, agree but loosely, and differ without a reason."""

    compared: int
    differing: int
    loose: int
    unexplained: int


def n_compared(tables: Sequence[Table], results: Results) -> Counted:
    """Count the numbers of some tables."""
    found = [(t.remarks, one) for t in tables for one in compared(t, results) if math.isfinite(one.difference)]
    differing = [(remarks, one.entry) for remarks, one in found if one.differs]
    unexplained = sum(not any(own.found and own.covers(entry) for own in remarks) for remarks, entry in differing)
    return Counted(len(found), len(differing), sum(one.is_loose for _, one in found), unexplained)


def off_the_full_ones(tables: Sequence[Table], results: Results, full: Results) -> tuple[int, int]:
    """Return how many numbers lie beyond the spread and the rounding of those of the full size, and of how many."""
    pairs = [
        (ours, theirs)
        for table in tables
        for ours, theirs in zip(compared(table, results), compared(table, full), strict=True)
        if math.isfinite(ours.found) and math.isfinite(theirs.found)
    ]
    beyond = [
        abs(ours.found - theirs.found) > (theirs.spread if math.isfinite(theirs.spread) else 0.0) + 0.5 * theirs.unit
        for ours, theirs in pairs
    ]
    return sum(beyond), len(pairs)


def under_settings(table: Table, results: Results) -> dict[str, list[Compared]]:
    """Return the numbers of a table by the setting that gives them, none if it has no settings."""
    return {setting.name: list(compared(table.under(setting), results)) for setting in table.settings}


def times_nearest(by_setting: Mapping[str, Sequence[Compared]]) -> tuple[dict[str, int], int]:
    """Count, by setting, for how many printed numbers none of the others comes nearer; and how many numbers there are.

    Only numbers count that some setting changes. Distances are in whole units of the last printed digit; no spread
    excuses them, and several settings may be nearest.
    """
    changed = [found for found in _each(by_setting) if len({own.entry for own in found}) > 1]
    away = [[abs(own.digits) for own in found] for found in changed]
    digits = np.round([own for own in away if np.isfinite(own).all()])
    if not len(digits):
        return {}, 0
    nearest = (digits == digits.min(axis=1, keepdims=True)).sum(axis=0)
    return dict(zip(by_setting, nearest.tolist(), strict=True)), len(digits)


def better_settings(by_setting: Mapping[str, Sequence[Compared]]) -> dict[str, list[Compared]]:
    """Return, by setting, the numbers that differ as the table is run at first, and are half as far away under it."""
    better: dict[str, list[Compared]] = {}
    for found in _each(by_setting):
        name, nearest = min(zip(by_setting, found, strict=True), key=lambda named: _away(named[1]))
        if found[0].differs and 2 * _away(nearest) <= _away(found[0]):
            better.setdefault(name, []).append(nearest)
    return better


def words_on_settings(table: Table, results: Results) -> list[str]:
    """Say how often the numbers of each setting are the nearest to the printed ones, and which only another gives."""
    by_setting = under_settings(table, results)
    times, n_numbers = times_nearest(by_setting)
    if not times:
        return []
    most = [name for name, number in times.items() if number == max(times.values())]
    each = "; ".join(f"{name}: {number}" for name, number in times.items())
    sentences = [
        f"Of {counted(n_numbers, 'printed number')} that these settings change, so many are met most nearly, ties "
        f"counted for each: {each}. Agrees best: {in_words(most)}."
    ]
    for name, numbers in better_settings(by_setting).items():
        which = [f"{c.entry.row}, {c.entry.column}: {c.printed_words} → {c.words}" for c in numbers]
        more = f"; and {len(which) - MOST_NAMED} more" if len(which) > MOST_NAMED else ""
        sentences.append(f"At most half as far off under “{name}”: {'; '.join(which[:MOST_NAMED])}{more}.")
    return sentences


def _each(by_setting: Mapping[str, Sequence[Compared]]) -> Iterator[tuple[Compared, ...]]:
    """Yield every number of a table as each setting gives it."""
    return zip(*by_setting.values(), strict=True)


def _away(found: Compared) -> float:
    return abs(found.digits) if math.isfinite(found.digits) else math.inf


def _signed(distance: float, decimals: int) -> str:
    return signed(distance, f"+,.{decimals}f") if math.isfinite(distance) else ""


def decimals_of(value: float, decimals: int) -> int:
    """Return how many of a table's decimals a number is written with: larger numbers have fewer."""
    return min(decimals, max(0, max(3, decimals + 1) - len(str(int(abs(value))))))


def in_digits(value: float | None, spread: float | None, decimals: int) -> str:
    """Write a number with its spread, with decimals that suit its size; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    shown = decimals_of(value, decimals)
    around = "" if spread is None or not math.isfinite(spread) else f" ± {spread:,.{shown}f}"
    return f"{value:,.{shown}f}{around}".replace("-", "−")


def compared(table: Table, results: Results) -> Iterator[Compared]:
    """Compare every entry of a table with our number."""
    for entry in table.entries:
        values = results.values(*entry.cell, entry.quantity)
        values = values[np.isfinite(values)]
        found = float(values.mean()) if values.size else math.nan
        spread = 2 * float(values.std(ddof=1)) if values.size > 1 else math.nan
        if entry.spread == NO_SPREAD:
            spread = math.nan
        elif entry.spread and values.size:
            within = results.values(*entry.cell, entry.spread)
            spread = float(np.sqrt(np.mean(within**2) + 4 * values.var()))
        if entry.over is not None:
            divisor = results.values(*entry.over, entry.quantity)
            found, spread = found / float(np.mean(divisor)) if divisor.size else math.nan, math.nan
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
