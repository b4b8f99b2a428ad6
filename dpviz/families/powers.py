"""Powers of positive columns, after which groups are nearer to normal, and log-ratios of shares of a whole.

Box & Cox (1964, "An analysis of transformations"): y = x^λ/λ, and ln x at λ = 0. Their (x^λ − 1)/λ differs by a
constant, which no family notices and which costs digits where x is large and λ negative; λ = 1 is the column as it is.
The density of x is that of y times dy/dx = x^(λ−1), so that nll stays that of the table as given, whatever the powers.
A normal y may lie where no x leads, beyond 0, unless λ is 0 or 1: that mass is lost, and nll only higher for it.

Shares x_1 … x_m > 0 that leave x_d = W − Σ x_j > 0 of a whole W, d = m + 1, become m isometric log-ratios (Egozcue et
al. 2003, "Isometric logratio transformations for compositional data analysis"): y_j = √(j/(j + 1)) (mean of ln x_1 …
ln x_j, less ln x_{j+1}). Their Jacobian |dy/dx| = W/(√d Π x_i), over all d shares, is the same whichever share is left
out, and another order turns y: families that no rotation changes have the same nll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.errors import InvalidDataError
from dpviz.limits import LARGEST_VALUE
from dpviz.shares import entry_of, whole_of


@dataclass(frozen=True, eq=False)
class Powers:
    """A power for each column of a table, or log-ratios; see :meth:`given`.

    Attributes
    ----------
    exponents : ndarray (D,)
        λ; 0 is the logarithm, and 1 leaves a column as it is. Shares have 0.
    wholes : ndarray (D,)
        Of what a column is a share; 0 for other columns. Those of one whole are turned to log-ratios together.
    """

    exponents: FloatArray
    wholes: FloatArray

    @classmethod
    def given(cls, transform: Sequence[float | str] | FloatArray) -> Powers:
        """Return those that a configuration names, an entry for each column."""
        exponents = np.array([0.0 if isinstance(entry, str) else entry for entry in transform])
        return cls(exponents, np.array([whole_of(entry) for entry in transform]))

    @property
    def has_shares(self) -> bool:
        """Whether any columns are turned to log-ratios."""
        return bool(self.wholes.any())

    @property
    def changed(self) -> BoolArray:
        """Return which columns (D,) are not as they were."""
        return np.asarray(self.exponents != 1.0)

    def shares(self) -> list[tuple[float, IntArray]]:
        """Return each whole and the columns that are shares of it."""
        wholes = np.unique(self.wholes[self.wholes > 0])
        return [(float(whole), np.flatnonzero(self.wholes == whole)) for whole in wholes]

    def outside(self, X: FloatArray) -> BoolArray:
        """Return which cells (n, D) of X have no power: numbers that are not positive, in columns that have one.

        Nor have any shares of a row of which one has none or is missing beside others, or that leave nothing.
        """
        with np.errstate(invalid="ignore"):
            outside = np.asarray(self.changed & (X <= 0))
            for whole, columns in self.shares():
                shares = X[:, columns]
                wrong = outside[:, columns].any(axis=1) | (shares.sum(axis=1) >= whole) | np.isnan(shares).any(axis=1)
                outside[:, columns] = wrong[:, None] & ~np.isnan(shares)
        return outside

    def one_of_shares(self, outside: BoolArray, X: FloatArray) -> BoolArray:
        """Return cells that are :meth:`outside` (n, D) with one of each row's shares, which are so together.

        It is the first that is not positive, or else the first.
        """
        for _, columns in self.shares():
            shares = outside[:, columns]
            named = np.argmax(np.where(X[:, columns] <= 0, 2, 1) * shares, axis=1)
            outside[:, columns] = shares & (np.arange(len(columns)) == named[:, None])
        return outside

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
        self.check_inside(X, names)
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

    def check_inside(
        self,
        X: FloatArray,
        names: Sequence[str] = (),
        advice: str = "Choose transform='auto', which leaves such columns as they are, or transform=None.",
    ) -> None:
        """Raise InvalidDataError unless all cells of X (n, D) have their power; missing ones (NaN) have."""
        outside = self.outside(X)
        if outside.any():
            row, column = (int(index) for index in np.argwhere(outside)[0])
            named = _called(column, names)
            if self.wholes[column]:
                raise InvalidDataError(_no_log_ratios(X[row], column, self.wholes, names, row))
            # which number below 0, is in units that may be others than the file's
            held = "0" if X[row, column] == 0 else "a number below 0"
            what = "the logarithm" if self.exponents[column] == 0 else f"the power {self.exponents[column]:g}"
            raise InvalidDataError(
                f"column {named} holds {held} in row {row}; under transform, here {what}, it must be > 0. {advice}"
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
        self.check_inside(X)
        Y = np.array(X, dtype=np.float64, order="C")
        for d in np.flatnonzero(self.changed):
            power = self.exponents[d]
            with np.errstate(over="ignore"):
                changed = np.log(X[:, d]) if power == 0 else X[:, d] ** power / power
            Y[:, d] = np.clip(changed, -LARGEST_VALUE, LARGEST_VALUE)
        for whole, columns in self.shares():
            Y[:, columns] = np.log(_with_rest(X[:, columns], whole)) @ _balances(len(columns))
        return Y

    def back(self, Y: FloatArray, reach: FloatArray) -> FloatArray:
        """Return the columns (n, D) from transformed ones; beyond the ends of what x can be, 0 or ``reach`` (D,)."""
        X = np.array(Y, dtype=np.float64, order="C")
        for whole, columns in self.shares():
            logs = Y[..., columns] @ _balances(len(columns)).T
            parts = np.exp(logs - logs.max(axis=-1, keepdims=True))
            X[..., columns] = (whole * parts / parts.sum(axis=-1, keepdims=True))[..., :-1]
        for d in np.flatnonzero(self.changed & (self.wholes == 0)):
            power, y = self.exponents[d], Y[..., d]
            if power == 0:
                X[..., d] = np.exp(np.minimum(y, np.log(reach[d])))
            else:
                scaled = np.maximum(power * y, 0.0)
                with np.errstate(divide="ignore", over="ignore"):
                    X[..., d] = np.minimum(scaled ** (1 / power), reach[d])
        return X

    def log_slopes(self, X: FloatArray) -> FloatArray:
        """Log of dy/dx (nats) of each cell of X (n, D): what turns a log density of y into that of x; 0 if missing.

        Shares have one together: what the share that is left adds stands with the last of them.
        """
        slopes = np.zeros(X.shape)
        for d in np.flatnonzero(self.changed):
            slopes[:, d] = (self.exponents[d] - 1.0) * np.log(X[:, d])
        for whole, columns in self.shares():
            rest = _with_rest(X[:, columns], whole)[:, -1]
            slopes[:, columns[-1]] += np.log(whole / rest) - 0.5 * np.log(len(columns) + 1)
        return np.where(np.isnan(X), 0.0, slopes)

    def log_jacobian(self, X: FloatArray) -> FloatArray:
        """Sum of :meth:`log_slopes` over the columns (nats, n)."""
        return np.asarray(self.log_slopes(X).sum(axis=1))

    def slopes_back(self, x: FloatArray) -> FloatArray:
        """Return dx/dy (D, D) at a point x (D,)."""
        x = np.maximum(x, 1e-300)
        slopes = np.diag(np.where(self.changed, np.exp((1.0 - self.exponents) * np.log(x)), 1.0))
        for whole, columns in self.shares():
            shares = x[columns] / whole
            logs = _balances(len(columns))[:-1]  # of each share, but for what all share
            everything = np.append(shares, 1.0 - shares.sum()) @ _balances(len(columns))
            slopes[np.ix_(columns, columns)] = x[columns, None] * (logs - everything)
        return slopes

    def some(self, columns: IntArray) -> Powers:
        """Return those of some columns."""
        return Powers(self.exponents[columns], self.wholes[columns])


def _with_rest(shares: FloatArray, whole: float) -> FloatArray:
    """Return shares (n, m) and what they leave of the whole (n, m + 1)."""
    return np.column_stack([shares, whole - shares.sum(axis=1)])


def _balances(m: int) -> FloatArray:
    """Return an orthonormal basis (m + 1, m) of the log-ratios of m + 1 shares: columns that sum to 0."""
    first = np.arange(1, m + 1)
    basis = np.triu(np.ones((m + 1, m))) / first
    basis[first, first - 1] = -1.0
    return np.asarray(basis * np.sqrt(first / (first + 1)))


def _no_log_ratios(x: FloatArray, column: int, wholes: FloatArray, names: Sequence[str], row: int) -> str:
    """Say why the shares of a row x (D,) have no log-ratios, and what to do."""
    whole = wholes[column]
    columns = np.flatnonzero(wholes == whole)
    low, missing = columns[x[columns] <= 0], columns[np.isnan(x[columns])]
    if len(low):
        held = f"column {_called(int(low[0]), names)} holds {x[low[0]]:g} in row {row}; log-ratios need shares > 0"
        return f"{held}. Replace zeros by a share too small to be measured, or leave the row out."
    if len(missing):
        held = f"column {_called(int(missing[0]), names)} is missing in row {row} beside other shares of {whole:g}"
        return f"{held}; log-ratios need all of them. Fill it in, or leave the row out."
    return (
        f"row {row} holds shares that add up to {x[columns].sum():.15g} of {whole:g}; log-ratios need some left for "
        "the share that is no column. Leave out one of the columns, or the row, or name another whole, such as "
        f"“{entry_of(100)}”."
    )


def _called(column: int, names: Sequence[str]) -> str:
    return f"“{names[column]}”" if len(names) > column else f"{column} of X"


def powers_in_words(exponents: Sequence[float | str], names: Sequence[str] = ()) -> str:
    """Name the transformed columns: "log of “price”, power 0.5 of “area”"."""
    said = []
    for value in sorted(set(exponents) - {1.0}, key=lambda entry: (isinstance(entry, str), entry)):
        columns = [d for d, own in enumerate(exponents) if own == value]
        named = ", ".join(f"“{names[d]}”" if len(names) > d else str(d) for d in columns[:MOST_NAMED])
        more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
        plain = "" if names else "column " if len(columns) == 1 else "columns "
        what = "log" if value == 0 else f"power {value:g}" if not isinstance(value, str) else "log-ratios"
        rest = f" and what they leave of {whole_of(value):g}" if isinstance(value, str) else ""
        said.append(f"{what} of {plain}{named}{more}{rest}")
    return "; ".join(said)


MOST_NAMED = 5
LOST = (
    "Powers other than 0 and 1 lose the part of a normal distribution that lies where no value of the column leads, so "
    "that densities under them are lower by that, and a comparison with others is unfair to them."
)


def lose_mass(exponents: object) -> bool:
    """Whether any of some powers, of the columns or a word for what is still open, gives up mass: see :data:`LOST`."""
    return isinstance(exponents, tuple) and any(not isinstance(p, str) and p not in (0.0, 1.0) for p in exponents)
