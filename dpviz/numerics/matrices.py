"""Factors of small symmetric matrices, compiled: in set-up LAPACK's calls take longer than their arithmetic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray

MOST_ROTATIONS = 60
"""Passes of Jacobi's method over all pairs; it needs fewer than ten."""


@kernel
def cholesky(matrix: FloatArray) -> FloatArray:
    """Return L (D, D), lower triangular, with LLᵀ = matrix; a matrix that is not positive definite gives NaN."""
    size = matrix.shape[0]
    factor = np.zeros((size, size))
    for row in range(size):
        for column in range(row + 1):
            rest = matrix[row, column]
            for j in range(column):
                rest -= factor[row, j] * factor[column, j]
            if row == column:
                factor[row, row] = math.sqrt(rest) if rest > 0.0 else math.nan
            else:
                factor[row, column] = rest / factor[column, column]
    return factor


@kernel
def lower_inverse(factor: FloatArray) -> FloatArray:
    """Return the inverse (D, D) of a lower triangular matrix."""
    size = factor.shape[0]
    inverse = np.zeros((size, size))
    for column in range(size):
        inverse[column, column] = 1.0 / factor[column, column]
        for row in range(column + 1, size):
            total = 0.0
            for j in range(column, row):
                total += factor[row, j] * inverse[j, column]
            inverse[row, column] = -total / factor[row, row]
    return inverse


@kernel
def log_diagonal(factor: FloatArray) -> float:
    """Return Σ ln of the diagonal entries: half of ln|A| for a factor of A."""
    total = 0.0
    for d in range(factor.shape[0]):
        total += math.log(factor[d, d])
    return total


@kernel
def matrix_product(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return AB for A (n, m) and B (m, k), each entry summed in the order of m."""
    product = np.zeros((A.shape[0], B.shape[1]))
    for row in range(A.shape[0]):
        for j in range(A.shape[1]):
            for column in range(B.shape[1]):
                product[row, column] += A[row, j] * B[j, column]
    return product


@kernel
def transposed(A: FloatArray) -> FloatArray:
    """Return a copy of Aᵀ in C order."""
    turned = np.empty((A.shape[1], A.shape[0]))
    for row in range(A.shape[0]):
        for column in range(A.shape[1]):
            turned[column, row] = A[row, column]
    return turned


@kernel
def symmetric_eigen(matrix: FloatArray) -> Any:
    """Return eigenvalues (D,) in rising order and eigenvectors (D, D) in columns, by Jacobi's cyclic rotations."""
    size = matrix.shape[0]
    rest, vectors = matrix.copy(), np.eye(size)
    for _ in range(MOST_ROTATIONS):
        rotated = False
        for p in range(size):
            for q in range(p + 1, size):
                if abs(rest[p, q]) > 1e-18 * math.sqrt(abs(rest[p, p]) * abs(rest[q, q])) and rest[p, q] != 0.0:
                    _rotate(rest, vectors, p, q)
                    rotated = True
        if not rotated:
            break
    values, ordered = np.empty(size), np.empty((size, size))
    taken = np.zeros(size, np.bool_)
    for position in range(size):
        lowest = -1
        for d in range(size):
            if not taken[d] and (lowest < 0 or rest[d, d] < rest[lowest, lowest]):
                lowest = d
        taken[lowest] = True
        values[position] = rest[lowest, lowest]
        for row in range(size):
            ordered[row, position] = vectors[row, lowest]
    return values, ordered


@kernel
def _rotate(rest: FloatArray, vectors: FloatArray, p: int, q: int) -> None:
    """Turn the plane of axes p and q so that the entry between them becomes 0."""
    theta = (rest[q, q] - rest[p, p]) / (2.0 * rest[p, q])
    tangent = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
    if theta < 0.0:
        tangent = -tangent
    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    shift = tangent * rest[p, q]
    rest[p, p] -= shift
    rest[q, q] += shift
    rest[p, q] = rest[q, p] = 0.0
    for j in range(rest.shape[0]):
        if j != p and j != q:
            one, other = rest[j, p], rest[j, q]
            rest[j, p] = rest[p, j] = cosine * one - sine * other
            rest[j, q] = rest[q, j] = sine * one + cosine * other
        one, other = vectors[j, p], vectors[j, q]
        vectors[j, p] = cosine * one - sine * other
        vectors[j, q] = sine * one + cosine * other
