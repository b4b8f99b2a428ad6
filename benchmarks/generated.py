"""Tables drawn for benchmarks, in which the groups are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Table = tuple[np.ndarray, np.ndarray]
"""Rows, and the group of each."""
Draw = Callable[[np.random.Generator], Table]


def coin(rng: np.random.Generator) -> Table:
    """Two groups along a direction of small variance."""
    groups = np.repeat([0, 1], 150)
    scores = rng.normal(size=(300, 8)) * [5, 4, 3, 0.5, 0.5, 0.5, 0.5, 0.5]
    scores[:, 3] += 4 * groups
    return scores @ np.linalg.qr(rng.normal(size=(8, 8)))[0], groups


def bimodal(rng: np.random.Generator) -> Table:
    groups = np.repeat([0, 1], 200)
    return np.column_stack([rng.normal(size=(400, 10)), rng.normal(size=400) + 6 * groups]), groups


def nuisance(rng: np.random.Generator) -> Table:
    groups = np.repeat([0, 1], 200)
    factors = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 12)) * 1.5
    return np.column_stack([factors + rng.normal(size=(400, 12)), rng.normal(size=400) + 6 * groups]), groups


def one(rng: np.random.Generator) -> Table:
    return rng.normal(size=(500, 40)), np.zeros(500)


def correlated(rng: np.random.Generator) -> Table:
    return rng.normal(size=(500, 40)) @ rng.normal(size=(40, 40)), np.zeros(500)


def lumps(rng: np.random.Generator) -> Table:
    groups = np.repeat(np.arange(4), 100)
    return 2.5 * rng.normal(size=(4, 12))[groups] + rng.normal(size=(400, 12)), groups


def turned_lumps(rng: np.random.Generator) -> Table:
    X, groups = lumps(rng)
    return X @ (np.eye(12) + 0.5 * rng.normal(size=(12, 12))), groups


def unequal(rng: np.random.Generator) -> Table:
    groups = np.repeat(np.arange(4), [20, 60, 150, 270])
    noise = rng.normal(size=(500, 10)) * np.array([0.5, 1, 1, 1.5])[groups][:, None]
    return 3 * rng.normal(size=(4, 10))[groups] + noise, groups


def two_of_ten(rng: np.random.Generator) -> Table:
    groups = np.repeat(np.arange(3), 150)
    return np.hstack([np.array([[0, 0], [4, 0], [0, 4]])[groups], np.zeros((450, 8))]) + rng.normal(
        size=(450, 10)
    ), groups


def factors(rng: np.random.Generator) -> Table:
    groups = np.repeat(np.arange(3), 150)
    latent = 3 * rng.normal(size=(3, 3))[groups] + rng.normal(size=(450, 3))
    return latent @ rng.normal(size=(3, 24)) + 1.5 * rng.normal(size=(450, 24)), groups


def covariances(rng: np.random.Generator) -> Table:
    groups, roots = np.repeat([0, 1], 250), rng.normal(size=(2, 10, 10))
    return np.einsum("nd,nde->ne", rng.normal(size=(500, 10)), roots[groups]), groups


def skewed_one(rng: np.random.Generator) -> Table:
    return rng.lognormal(0.0, 0.8, (500, 8)), np.zeros(500)


def five_answers(rng: np.random.Generator) -> Table:
    """25 items of five answers that follow five correlated traits, and no groups."""
    traits = rng.normal(size=(600, 5)) @ np.linalg.cholesky(0.7 * np.eye(5) + 0.3).T
    items = 0.8 * np.repeat(traits, 5, axis=1) + 0.6 * rng.normal(size=(600, 25))
    return np.clip(np.round(items + 2), 0, 4), np.zeros(600)


def dispersed_one(rng: np.random.Generator) -> Table:
    means, sizes = rng.uniform(3, 20, 15), rng.uniform(0.7, 4, 15)
    return rng.poisson(rng.gamma(sizes, means / sizes, (500, 15))).astype(float), np.zeros(500)


def dispersed_groups(rng: np.random.Generator) -> Table:
    groups, sizes = np.repeat(np.arange(3), 150), rng.uniform(1, 5, 15)
    means = (8 * np.exp(0.8 * rng.normal(size=(3, 15))))[groups]
    return rng.poisson(rng.gamma(sizes, means / sizes)).astype(float), groups


def poisson_groups(rng: np.random.Generator) -> Table:
    groups = np.repeat(np.arange(4), 100)
    return rng.poisson((6 * np.exp(0.6 * rng.normal(size=(4, 10))))[groups]).astype(float), groups


IN_DIRECTIONS: dict[str, Draw] = {
    "2 groups along a direction of small variance, 8 columns": coin,
    "a bimodal column beside 10 independent ones": bimodal,
    "a bimodal column beside 12 of two nuisance factors": nuisance,
    "one Gaussian, 40 independent columns": one,
    "one Gaussian, 40 correlated columns": correlated,
    "4 lumps, 12 columns": lumps,
    "4 lumps, 12 columns, correlated within": turned_lumps,
    "4 lumps of unequal size and width, 10 columns": unequal,
    "3 groups in 2 of 10 columns, 4 deviations apart": two_of_ten,
    "3 groups in 3 factors of 24 columns": factors,
    "2 groups of different covariance about one mean, 10 columns": covariances,
}
"""Tables of real columns, most of them with groups that only some directions show."""
ONE_GROUP: dict[str, Draw] = {"one skewed group, 8 columns": skewed_one}
COUNTS: dict[str, Draw] = {
    "one group of over-dispersed counts, 15 columns": dispersed_one,
    "3 groups of over-dispersed counts, 15 columns": dispersed_groups,
    "4 groups of Poisson counts, 10 columns": poisson_groups,
}
ANSWERS: dict[str, Draw] = {"25 items of five answers, five traits and no groups": five_answers}
