"""Powers of positive columns: a strictly increasing function of each, after which groups are nearer to normal.

Box & Cox (1964, "An analysis of transformations"): y = x^λ/λ, and ln x at λ = 0. Their (x^λ − 1)/λ differs by a
constant, which no family notices and which costs digits where x is large and λ negative; λ = 1 is the column as it is.
The density of x is that of y times dy/dx = x^(λ−1), so that nll stays that of the table as given, whatever the powers.
A normal y may lie where no x leads, beyond 0, unless λ is 0 or 1: that mass is lost, and nll only higher for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.errors import InvalidDataError
from dpviz.limits import LARGEST_VALUE


@dataclass(frozen=True, eq=False)
class Powers:
    """A power for each column of a table.

    Attributes
    ----------
    exponents : ndarray (D,)
        λ; 0 is the logarithm, and 1 leaves a column as it is.
    """

    exponents: FloatArray

    @property
    def changed(self) -> BoolArray:
        """Return which columns (D,) are not as they were."""
        return np.asarray(self.exponents != 1.0)

    def outside(self, X: FloatArray) -> BoolArray:
        """Return which cells (n, D) of X have no power: numbers that are not positive, in columns that have one."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.changed & (X <= 0))

    def beyond(self, X: FloatArray) -> BoolArray:
        """Return which columns (D,) of positive X (n, D) have powers so large, or all so small, that squares are lost.

        Logarithms are never.
        """
        beyond = np.zeros(X.shape[1], dtype=bool)
        for d in np.flatnonzero(self.changed & (self.exponents != 0)):
            power = self.exponents[d]
            largest = np.fmax.reduce(power * np.log(X[:, d])) - np.log(abs(power))
            beyond[d] = abs(largest) > np.log(LARGEST_VALUE)
        return beyond

    def check(self, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise InvalidDataError unless powers of X (n, D) can be fitted; missing ones (NaN) can."""
        self._check_inside(X, names)
        beyond = self.beyond(X)
        if beyond.any():
            column = int(np.flatnonzero(beyond)[0])
            power = self.exponents[column]
            least, most = np.nanmin(X[:, column]), np.nanmax(X[:, column])
            raise InvalidDataError(
                f"column {_called(column, names)} holds {least:g} to {most:g}; under transform, here the power "
                f"{power:g}, squares of what becomes of {least if power < 0 else most:g} overflow or underflow. Choose "
                "its logarithm, power 0, or another unit."
            )

    def _check_inside(self, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise InvalidDataError unless all cells of X (n, D) have their power; missing ones (NaN) have."""
        outside = self.outside(X)
        if outside.any():
            row, column = (int(index) for index in np.argwhere(outside)[0])
            named = _called(column, names)
            held = (
                "0" if X[row, column] == 0 else "a number below 0"
            )  # which, in units that may be others than the file's
            what = "the logarithm" if self.exponents[column] == 0 else f"the power {self.exponents[column]:g}"
            raise InvalidDataError(
                f"column {named} holds {held} in row {row}; under transform, here {what}, it must be > 0. "
                "Choose transform='auto', which leaves such columns as they are, or transform=None."
            )

    def of(self, X: FloatArray) -> FloatArray:
        """Return the transformed columns (n, D) of X; missing cells stay missing.

        A number whose power, or its square, is beyond all floats has the largest one whose square is not: further rows
        may be as far away as they like.

        Raises
        ------
        InvalidDataError
            If a number is not positive where its column has a power.
        """
        self._check_inside(X)
        Y = np.array(X, dtype=np.float64, order="C")
        for d in np.flatnonzero(self.changed):
            power = self.exponents[d]
            with np.errstate(over="ignore"):
                changed = np.log(X[:, d]) if power == 0 else X[:, d] ** power / power
            Y[:, d] = np.clip(changed, -LARGEST_VALUE, LARGEST_VALUE)
        return Y

    def back(self, Y: FloatArray, reach: FloatArray) -> FloatArray:
        """Return the columns (n, D) from transformed ones; beyond the ends of what x can be, 0 or ``reach`` (D,)."""
        X = np.array(Y, dtype=np.float64, order="C")
        for d in np.flatnonzero(self.changed):
            power, y = self.exponents[d], Y[..., d]
            if power == 0:
                X[..., d] = np.exp(np.minimum(y, np.log(reach[d])))
            else:
                scaled = np.maximum(power * y, 0.0)
                with np.errstate(divide="ignore", over="ignore"):
                    X[..., d] = np.minimum(scaled ** (1 / power), reach[d])
        return X

    def log_slopes(self, X: FloatArray) -> FloatArray:
        """Log of dy/dx (nats) of each cell of X (n, D): what turns a log density of y into that of x; 0 if missing."""
        slopes = np.zeros(X.shape)
        for d in np.flatnonzero(self.changed):
            slopes[:, d] = (self.exponents[d] - 1.0) * np.log(X[:, d])
        return np.where(np.isnan(X), 0.0, slopes)

    def log_jacobian(self, X: FloatArray) -> FloatArray:
        """Sum of :meth:`log_slopes` over the columns (nats, n)."""
        return np.asarray(self.log_slopes(X).sum(axis=1))

    def some(self, columns: IntArray) -> Powers:
        """Return those of some columns."""
        return Powers(self.exponents[columns])


def _called(column: int, names: Sequence[str]) -> str:
    return f"“{names[column]}”" if len(names) > column else f"{column} of X"


def powers_in_words(exponents: Sequence[float], names: Sequence[str] = ()) -> str:
    """Name the transformed columns: "log of “price”, power 0.5 of “area”"."""
    said = []
    for value in sorted({float(value) for value in exponents} - {1.0}):
        columns = [d for d, own in enumerate(exponents) if own == value]
        named = ", ".join(f"“{names[d]}”" if len(names) > d else str(d) for d in columns[:MOST_NAMED])
        more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
        plain = "" if names else "column " if len(columns) == 1 else "columns "
        said.append(f"{'log' if value == 0 else f'power {value:g}'} of {plain}{named}{more}")
    return "; ".join(said)


MOST_NAMED = 5
LOST = (
    "Powers other than 0 and 1 lose the part of a normal distribution that lies where no value of the column leads, so "
    "that densities under them are lower by that, and a comparison with others is unfair to them."
)


def lose_mass(exponents: object) -> bool:
    """Whether any of some powers, of the columns or a word for what is still open, gives up mass: see :data:`LOST`."""
    return isinstance(exponents, tuple) and any(power not in (0.0, 1.0) for power in exponents)
