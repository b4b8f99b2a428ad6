"""Tables of known numbers, written with every separator, decimal mark, thousands separator, unit and quotation."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SEPARATORS = (",", ", ", ";", "\t", "|", " ")
THOUSANDS = ("", ",", ".", " ", "\u00a0", "\u202f", "\u2009", "'", "’")
UNITS = ("", " cm", " kg", "kg", "\u00a0mm", " €", " EUR", " mg/l", " °C", " m", "%", " %")


@dataclass(frozen=True)
class WrittenNumbers:
    """A matrix of numbers and its text.

    Attributes
    ----------
    text : str
    X : ndarray (n, D)
    cells : list of lists of str
        The numbers as written, without quotation marks and units.
    separator, decimal, thousands : str
    names : bool
        Whether names stand above.
    units : list of str
        What stands behind the numbers of each column.
    """

    text: str
    X: NDArray[np.float64]
    cells: list[list[str]]
    separator: str
    decimal: str
    thousands: str
    names: bool
    units: list[str]

    @property
    def is_cut(self) -> bool:
        """Whether a number without quotation marks holds the separator, so that no reader can be right for certain."""
        mark = self.separator.strip(" ") or " "
        cells = [cell + unit for row in self.cells for cell, unit in zip(row, self.units, strict=True)]
        return any(mark in cell and f'"{cell}"' not in self.text for cell in cells)

    @property
    def shows_decimal(self) -> bool:
        """Whether a number has a fraction that no thousands can be: not three digits, or after other thousands."""
        cells = (cell.lstrip("-") for row in self.cells for cell in row)
        return any(not re.fullmatch(r"[1-9]\d{0,2}.\d{3}", cell) for cell in cells if self.decimal in cell)

    def holds(self, values: NDArray[np.float64]) -> bool:
        """Whether these are the numbers that were written."""
        return values.shape == self.X.shape and bool(np.array_equal(values, self.X))


def number(digits: int, n_fraction: int, decimal: str, thousands: str) -> str:
    """Write a whole number of units of its last place."""
    whole, rest = divmod(abs(digits), 10**n_fraction)
    fraction = f"{decimal}{rest:0{n_fraction}d}" if n_fraction else ""
    return "-" * (digits < 0) + f"{whole:,}".replace(",", thousands) + fraction


def written_numbers(seed: int, with_units: bool = False) -> WrittenNumbers:
    """Draw a table and how it is written."""
    rng = random.Random(seed)
    decimal, separator = rng.choice(".,"), rng.choice(SEPARATORS)
    thousands = rng.choice([mark for mark in THOUSANDS if mark != decimal])
    n_rows, n_columns = rng.choice([2, 3, 6, 12, 40]), rng.randint(1, 4)
    n_fraction = [rng.choice([0, 0, 1, 2, 2, 3]) for _ in range(n_columns)]
    if rng.random() < 0.5:
        n_fraction = n_fraction[:1] * n_columns
    longest, all_long = rng.choice([3, 4, 5, 6, 8]), rng.random() < 0.4
    cells, X = [], np.zeros((n_rows, n_columns))
    for i in range(n_rows):
        cells.append([""] * n_columns)
        for d, places in enumerate(n_fraction):
            length = longest if all_long else rng.randint(1, longest)
            digits = rng.randrange(10 ** (length - 1) if all_long else 0, 10**length) * 10**places
            digits = (digits + rng.randrange(10**places)) * rng.choice([1] * 19 + [-1])
            cells[i][d], X[i, d] = number(digits, places, decimal, thousands), digits / 10**places
    names, quoted = rng.random() < 0.5, rng.choice(["never", "if needed", "if needed", "always"])
    mark = separator.strip(" ") or " "

    def written(cell: str) -> str:
        return f'"{cell}"' if quoted == "always" or (quoted == "if needed" and mark in cell) else cell

    units_here = [unit for unit in UNITS if " " not in unit or separator != " "] if with_units else [""]
    units = [rng.choice(units_here) for _ in range(n_columns)]
    measured = [[cell + unit for cell, unit in zip(row, units, strict=True)] for row in cells]
    rows = [["first", "second", "third", "fourth"][:n_columns]] * names + measured
    text = "".join(separator.join(map(written, row)) + "\n" for row in rows)
    return WrittenNumbers(text, X, cells, separator, decimal, thousands, names, units)
