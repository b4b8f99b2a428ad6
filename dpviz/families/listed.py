"""Tables of counts, mostly 0, as lists of the others, each row as long as the longest: sparse ones are read so."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from dpviz.arrays import FloatArray, IntArray


class ListedRows(np.ndarray):
    """Rows (n, 1 + 2 m): how many cells are listed, then the column and the count of each, last D and the total.

    Shorter rows end in counts of 0. Their width is that of the longest row.
    """

    @classmethod
    def of(cls, X: Any) -> Self:
        """List an array (n, D) or a sparse matrix of scipy; what is listed stays as it is."""
        if isinstance(X, cls):
            return X
        if is_sparse(X):
            cells = X.astype(np.float64).tocsr()  # before equal places are added up, which small integers do not hold
            cells.sum_duplicates()
            cells.eliminate_zeros()
            numbers, parts, counts = np.diff(cells.indptr), cells.indices, cells.data
            rows = np.repeat(np.arange(X.shape[0]), numbers)
        else:
            rows, parts = np.nonzero(X)
            numbers, counts = np.bincount(rows, minlength=len(X)), X[rows, parts]
        found = np.zeros((X.shape[0], 3 + 2 * numbers.max(initial=0)))
        places = 1 + 2 * (np.arange(len(rows)) - np.repeat(np.cumsum(numbers) - numbers, numbers))
        found[rows, places], found[rows, places + 1] = parts, counts
        every, last = np.arange(len(found)), 1 + 2 * numbers
        found[:, 0], found[every, last] = numbers + 1, X.shape[1]
        found[every, last + 1] = np.bincount(rows, counts, len(found))
        return found.view(cls)

    @property
    def n_features(self) -> int:
        """Number of columns D, which the first row tells."""
        return int(self[0, 2 * int(self[0, 0]) - 1])

    @property
    def parts(self) -> IntArray:
        """Columns (n, m) of the listed cells."""
        return np.asarray(self[:, 1::2]).astype(np.int64)

    @property
    def counts(self) -> FloatArray:
        """Values (n, m) of the listed cells."""
        return np.asarray(self[:, 2::2])

    @property
    def totals(self) -> FloatArray:
        """Totals of the rows (n,)."""
        return np.asarray(self[np.arange(len(self)), 2 * np.asarray(self[:, 0]).astype(np.int64)])

    def sums(self, n_features: int) -> FloatArray:
        """Sum of each column and, last, of all (D + 1,)."""
        return np.asarray(np.bincount(self.parts.ravel(), self.counts.ravel(), n_features + 1), dtype=np.float64)

    def dense(self, n_features: int) -> FloatArray:
        """Return the table (n, D)."""
        places = np.arange(len(self))[:, None] * (n_features + 1) + self.parts
        found = np.bincount(places.ravel(), self.counts.ravel(), len(self) * (n_features + 1))
        return np.asarray(found.reshape(len(self), n_features + 1)[:, :-1])


def is_sparse(X: object) -> bool:
    """Whether a table is a sparse matrix of scipy, or listed."""
    return isinstance(X, ListedRows) or hasattr(type(X), "tocsr")  # a frame may have a column of this name


def opened(X: Any) -> Any:
    """Return a frame all of whose columns are sparse as a matrix of scipy, or dense if they list other cells than 0."""
    kinds = [] if is_sparse(X) or not hasattr(type(X), "sparse") else list(X.dtypes)
    if not kinds or not all(hasattr(kind, "fill_value") for kind in kinds):
        return X
    return X.sparse.to_coo() if all(kind.fill_value == 0 for kind in kinds) else X.sparse.to_dense()


def n_features_of(X: Any) -> int:
    """Return the number of columns of a table, listed or not."""
    return X.n_features if isinstance(X, ListedRows) else int(X.shape[1])
