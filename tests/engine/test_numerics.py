"""Compiled arithmetic against numpy, scipy and exact references."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import multigammaln

from dpviz.numerics.matrices import cholesky, lower_inverse, matrix_product, symmetric_eigen, transposed
from dpviz.numerics.special import log_gamma, log_gammas, multivariate_log_gamma
from dpviz.numerics.stream import (
    draw_by_weight,
    draw_integer,
    draw_permutation,
    draw_uniforms,
    seeded_stream,
    stream_of,
)
from dpviz.numerics.sums import column_means, column_variances, cumulated, pairwise_sum

BERNOULLI = [
    Fraction(*pair)
    for pair in [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798)]
]


def exact_log_gamma(x):
    """ln Γ(x) to forty digits: Stirling's series beyond 60, reached by Γ(x + 1) = x Γ(x)."""
    with localcontext() as context:
        context.prec = 60
        z, product = Decimal(float(x)), Decimal(1)
        while z < 60:
            product *= z
            z += 1
        two_pi = 2 * Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
        value = (z - Decimal("0.5")) * z.ln() - z + two_pi.ln() / 2
        for k, b in enumerate(BERNOULLI, 1):
            value += Decimal(b.numerator) / Decimal(b.denominator) / (2 * k * (2 * k - 1)) / z ** (2 * k - 1)
        return value - product.ln()


def error(found, exact):
    """Units in the last place; a number below one stands for less than 1e-16."""
    absolute = abs(Decimal(float(found)) - exact)
    return min(float(absolute / Decimal(math.ulp(float(exact)))), float(absolute * Decimal("1e16")))


@pytest.mark.parametrize("seed", range(5))
def test_log_gamma_is_exact_to_two_units_in_the_last_place(seed):
    rng = np.random.default_rng(seed)
    halves = np.arange(1, 60) / 2
    small, middle, wide = rng.uniform(0, 3, 150), rng.uniform(0, 30, 150), 10 ** rng.uniform(-10, 12, 100)
    near_zeros = np.concatenate([1 + rng.normal(size=40) * 1e-3, 2 + rng.normal(size=40) * 1e-5])
    borders = np.array([b + s for b in (0.5, 1.5, 2.5, 12.0) for s in (-1e-12, 0.0, 1e-12)])
    x = np.concatenate([halves, small, middle, wide, near_zeros, borders])
    worst = max(error(value, exact_log_gamma(entry)) for entry, value in zip(x, log_gammas(x), strict=True) if value)
    assert worst < 2.5
    assert log_gamma(1.0) == log_gamma(2.0) == 0.0


def test_log_gamma_at_the_ends_of_its_range():
    assert math.isnan(log_gamma(0.0)) and math.isnan(log_gamma(-1.5)) and math.isnan(log_gamma(math.nan))
    assert log_gamma(math.inf) == math.inf
    assert log_gamma(5e-324) == pytest.approx(-math.log(5e-324))
    assert log_gamma(1e300) == pytest.approx(math.lgamma(1e300), rel=1e-15)


@pytest.mark.parametrize("order", [1, 2, 5])
def test_the_multivariate_gamma_is_scipys(order):
    for x in (order / 2, order + 0.3, 400.0):
        assert multivariate_log_gamma(x, order) == pytest.approx(multigammaln(x, order), rel=1e-13)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 127, 128, 129, 255, 257, 1000, 4999, 100_003])
def test_sums_are_numpys_to_the_last_digit(n):
    x = np.random.default_rng(n).normal(size=n) ** 3
    assert pairwise_sum(x) == np.add.reduce(x)


@pytest.mark.parametrize("shape", [(1, 1), (300, 1), (300, 2), (41, 9)])
def test_moments_of_columns_are_numpys_to_the_last_digit(shape):
    X = np.random.default_rng(1).normal(3.0, 2.0, size=shape)
    assert_array_equal(column_means(X), X.mean(axis=0))
    assert_array_equal(column_variances(X), X.var(axis=0))


def test_equal_entries_have_no_variance():
    X = np.full((7, 2), 0.1)
    X[3, 1] = 0.2
    assert column_variances(X)[0] == 0.0 < column_variances(X)[1]


def test_cumulated_sums_are_exact_to_the_last_digit():
    weights = np.concatenate([[-np.inf], np.log(np.arange(1, 20_001))])
    exact = [0, 0, *np.cumsum([Fraction(w) for w in weights[1:-1]])]
    assert (
        max(abs(s - float(e)) / math.ulp(float(e) or 1.0) for s, e in zip(cumulated(weights), exact, strict=True)) <= 1
    )
    weights[5:] = -np.inf
    assert cumulated(weights)[6:].max() == -np.inf


@pytest.mark.parametrize("size", [1, 2, 6, 15])
def test_small_matrices_are_factorised(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size + 2))
    matrix = root @ root.T
    factor = cholesky(matrix)
    assert_allclose(factor, np.linalg.cholesky(matrix), rtol=1e-10)
    assert_allclose(lower_inverse(factor) @ factor, np.eye(size), atol=1e-9)
    values, vectors = symmetric_eigen(matrix)
    assert_allclose(values, np.linalg.eigvalsh(matrix), rtol=1e-9, atol=1e-12 * values[-1])
    assert_allclose(vectors * values @ vectors.T, matrix, atol=1e-12 * values[-1])
    assert_allclose(vectors.T @ vectors, np.eye(size), atol=1e-13)
    assert_allclose(matrix_product(matrix, transposed(root.T.copy())), matrix @ root, rtol=1e-12)


def test_a_matrix_that_is_not_positive_definite_has_no_factor():
    assert np.isnan(cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))).any()


def test_a_diagonal_keeps_its_axes():
    values, vectors = symmetric_eigen(np.diag([3.0, 1.0, 1.0]))
    assert values.tolist() == [1.0, 1.0, 3.0]
    assert vectors.argmax(axis=0).tolist() == [1, 2, 0]


@pytest.mark.parametrize(("seed", "start"), [(0, 0), (5, 3), (2**32 - 1, 7), (12345, 0)])
def test_the_stream_is_numpys(seed, start):
    theirs, ours = np.random.default_rng([seed, start]), seeded_stream(seed, start)
    with np.errstate(over="ignore"):
        for n in (1, 2, 3, 8, 9, 1000, 4097):
            assert_array_equal(draw_permutation(ours, n), theirs.permutation(n))
            assert_array_equal(draw_uniforms(ours, n), theirs.random(n))
            assert [draw_integer(ours, n) for _ in range(5)] == theirs.integers(n, size=5).tolist()
            weights = theirs.random(n)
            assert_array_equal(draw_uniforms(ours, n), weights)
            p = (weights + 1e-3) / (weights + 1e-3).sum()
            assert_array_equal(draw_by_weight(ours, np.cumsum(p), 4), theirs.choice(n, size=4, p=p))


def test_a_generator_goes_on_where_kernels_left_it():
    one, other = np.random.default_rng(4), np.random.default_rng(4)
    one.integers(7)  # leaves half a number
    other.integers(7)
    with stream_of(one) as stream:
        drawn = draw_permutation(stream, 6)
    assert_array_equal(drawn, other.permutation(6))
    assert_array_equal(one.permutation(9), other.permutation(9))
    assert one.bit_generator.state == other.bit_generator.state
