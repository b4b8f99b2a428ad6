"""Chains that learn hyperparameters in the browser's engine, and the random numbers that this takes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import wasm_engine
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.browser.layout import FAMILIES
from dpviz.engine.slow_motion import slow_motion
from dpviz.numerics import variates
from dpviz.numerics.special import trigamma
from dpviz.numerics.stream import seeded_stream, stream_of

SEEDS = range(5)
GROWTH = tuple(np.log(np.arange(1, 61) + 0.3 * np.arange(1, 61) ** 2).tolist())
PRIORS = {
    "chinese": (dpviz.ChineseRestaurant(1.2), {"concentration": "gamma(1,0.3)"}),
    "chinese, few clusters": (dpviz.ChineseRestaurant(0.1), {"concentration": "gamma(0.3,4)"}),
    "chinese, other laws": (dpviz.ChineseRestaurant(0.7), {"concentration": "beta(2,1.5)"}),
    "pitman-yor": (dpviz.PitmanYor(1.0, 0.3), {"concentration": "0.5+gamma(1,0.3)", "discount": "beta(1,3)"}),
    "pitman-yor, discount": (dpviz.PitmanYor(1.0, 0.3), {"discount": "beta(1,3)"}),
    "finite": (dpviz.FiniteDirichlet(2.0, 6), {"concentration": "gamma(2,0.7)"}),
    "powered": (dpviz.PoweredChineseRestaurant(1.2, 1.1), {"concentration": "gamma(1,0.3)", "power": "1+gamma(1,10)"}),
    "powered below 1": (dpviz.PoweredChineseRestaurant(1.2, 0.9), {"power": "beta(3,1)"}),
    "generalized": (dpviz.GeneralizedChineseRestaurant(1.2, GROWTH), {"concentration": "gamma(1,0.3)"}),
}
DRAWS = {
    "normal": (variates.draw_normal, lambda rng: rng.standard_normal(), ()),
    "exponential": (variates.draw_exponential, lambda rng: rng.standard_exponential(), ()),
    **{
        f"gamma {shape}": (variates.draw_gamma, lambda rng, shape=shape: rng.standard_gamma(shape), (shape,))
        for shape in (0.02, 0.6, 1.0, 1.3, 40.0)
    },
    "beta": (variates.draw_beta, lambda rng: rng.beta(1.4, 90.0), (1.4, 90.0)),
}


def blobs(seed, n_points=60):
    rng = np.random.default_rng([seed, 2])
    return rng.normal(0, 4, (4, 2))[rng.integers(4, size=n_points)] + rng.normal(size=(n_points, 2))


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_are_those_of_numpys_generator_and_take_as_many_bits(name):
    draw, expected, parameters = DRAWS[name]
    for seed in SEEDS:
        stream, rng = seeded_stream(seed, 3), np.random.default_rng([seed, 3])
        ours = [draw(stream, *parameters) for _ in range(20_000)]
        assert_allclose(ours, [expected(rng) for _ in ours], rtol=1e-14 if name != "gamma 0.02" else 1e-12)
        with stream_of(rng) as theirs:
            assert_array_equal(stream[:4], theirs[:4])


@pytest.mark.parametrize(
    ("widths", "bits", "end", "density"),
    [
        (variates.NORMAL_WIDTHS, variates.NORMAL_BITS, variates.NORMAL_END, lambda x: np.exp(-0.5 * x**2)),
        (variates.EXPONENTIAL_WIDTHS, variates.EXPONENTIAL_BITS, variates.EXPONENTIAL_END, lambda x: np.exp(-x)),
    ],
)
def test_strips_have_equal_areas(widths, bits, end, density):
    x = widths * 2.0**bits
    assert x[-1] == end
    heights = np.append(1.0, density(x[1:]))
    area = x[0] * density(end)  # the lowest strip, tail included, as a rectangle
    assert_allclose(x[1:] * -np.diff(heights), area, rtol=1e-11)


def test_trigamma_is_the_second_derivative_of_log_gamma():
    assert math.isclose(trigamma(1.0), math.pi**2 / 6, rel_tol=1e-15)
    assert math.isclose(trigamma(0.5), math.pi**2 / 2, rel_tol=1e-15)
    for x in (0.01, 0.7, 3.2, 11.9, 12.0, 400.0, 1e6):
        assert math.isclose(trigamma(x) - trigamma(x + 1), 1 / x**2, rel_tol=1e-8)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("family", FAMILIES)
def test_chains_learn_the_servers_values(family, prior):
    partition, laws = PRIORS[prior]
    for seed in SEEDS:
        config = dpviz.RunConfig(
            "gibbs",
            family=family,
            prior=None,
            partition=partition,
            hyperpriors=laws,
            n_sweeps=15,
            burn_in=3,
            init=("single", "kmeans++")[seed % 2],
            split_merge=seed % 3,
            n_init=1 + seed % 2,
            seed=seed,
        )
        record = wasm_engine.assert_equal_to_the_servers(blobs(seed), config)
        learned = [record.rows["concentration" if name == "concentration" else "second"] for name in laws]
        assert all(len(np.unique(values)) > 10 for values in learned)


@pytest.mark.parametrize("prior", ["chinese", "pitman-yor"])
def test_visits_cost_what_the_chain_knew_before_the_sweep(prior):
    partition, laws = PRIORS[prior]
    for seed in SEEDS:
        X = blobs(seed, 30)
        config = dpviz.RunConfig(
            "gibbs",
            family="normal_gamma",
            prior=None,
            partition=partition,
            hyperpriors=laws,
            n_sweeps=4,
            burn_in=0,
            init="single",
            seed=seed,
        )
        trace = dpviz.run(X, config)
        for sweep in range(1, 5):
            expected = slow_motion(X, trace, sweep)
            visited, candidates, costs, _ = wasm_engine.visits(X, config, 0, sweep, len(X))
            assert_array_equal(visited[:, 2], expected.to_labels)
            assert_array_equal(candidates, expected.candidates)
            assert_allclose(costs, expected.costs, rtol=1e-10, atol=1e-9)
