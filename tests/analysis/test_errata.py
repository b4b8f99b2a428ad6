"""What is printed wrong, and what is right: every erratum is proven by numbers, without the project's own formulas."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp, factorial, lgamma, log

import naive
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gammaln

import dpviz
from dpviz.analysis.studies.errata import ERRATA


def rises():
    """Yield nll and the papers' objective of runs, from the state after the first sweep on."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 2)) + 2 * rng.integers(0, 3, (60, 1))
        config = dpviz.RunConfig(family="normal_gamma", prior=None, init="kmeans++", n_init=1, seed=seed, effort=0)
        trace = dpviz.run(X, config)
        yield np.diff(trace.nll[1:]), np.diff(trace.objective[1:])


def objective():
    steps = list(rises())
    assert max(nll.max(initial=-1.0) for nll, _ in steps) <= 1e-9
    assert max(own.max(initial=-1.0) for _, own in steps) > 1e-3


def stop():
    epsilon, after_convergence = 1e-6, 0.0
    assert after_convergence < epsilon  # so that the loop as printed goes on
    assert not abs(after_convergence) > epsilon


def prediction():
    places = [stats.norm(mean).logpdf(0.1) for mean in (0.0, 50.0)]
    sizes = [log(5), log(5)]
    posterior = [exp(place + size) for place, size in zip(places, sizes, strict=True)]
    printed = [place - size for place, size in zip(places, sizes, strict=True)]
    right = [-place - size for place, size in zip(places, sizes, strict=True)]
    assert int(np.argmin(right)) == int(np.argmax(posterior)) != int(np.argmin(printed))


def exponential():
    x, shape, rate = np.array([0.4, 3.1, 0.7]), 2.0, 1.5
    grid = np.linspace(1e-9, 40, 400_001)
    weight = stats.gamma(shape, scale=1 / rate).pdf(grid) * np.prod([grid * np.exp(-grid * one) for one in x], axis=0)
    posterior = weight / integrate.trapezoid(weight, grid)
    right = stats.gamma(shape + len(x), scale=1 / (rate + x.sum())).pdf(grid)
    printed = stats.gamma(shape + x.sum(), scale=1 / (rate + len(x))).pdf(grid)
    assert np.abs(posterior - right).max() < 1e-6 < 0.05 < np.abs(posterior - printed).max()


def poisson():
    alpha, beta = 2.5, 0.8

    def joint(rate, x):
        return stats.poisson(rate).pmf(x) * stats.gamma(alpha, scale=1 / beta).pdf(rate)

    for x in range(6):
        by_hand, _ = integrate.quad(joint, 0, 60, args=(x,))
        log_right = (
            lgamma(x + alpha) - lgamma(alpha) - log(factorial(x)) + alpha * log(beta / (beta + 1)) - x * log(beta + 1)
        )
        assert exp(log_right) == pytest.approx(by_hand, rel=1e-7)
    for x in (0, 1, 2, 5):
        with pytest.raises(ValueError, match="math domain|expected a positive"):
            alpha * log(1 - x) + beta * log(x)


def concentration():
    N, K, a, b = 50, 1, 1.0, 0.5
    log_n0 = np.linspace(-30, 8, 4_001)
    n0 = np.exp(log_n0)
    printed = gammaln(n0) - gammaln(n0 + N) + (K + a - 1) * log_n0 - b * n0
    right = printed + log_n0  # dN0 = N0 d ln N0
    assert printed.argmax() == 0  # at the end of any grid: the mode is at 0
    assert 0 < right.argmax() < len(n0) - 1
    assert (np.diff(right, 2) < 1e-9).all()  # log-concave
    beyond = np.linspace(-60, -30, 101)
    at = np.exp(beyond)
    assert (np.diff(gammaln(at) - gammaln(at + N) + (K + a - 1) * beyond - b * at) <= 1e-9).all()


def three_customers():
    for alpha, r in product((0.3, 1.0, 1.3, 2.0, 7.0), (1.0, 1.1, 1.5, 2.0)):
        opens, joins = alpha / (2**r + alpha), 1 / (2 + alpha)
        assert (opens < joins) == (alpha**2 + alpha < 2**r)
        together, apart = 1 / (1 + alpha) * opens, alpha / (1 + alpha) * joins
        assert together == pytest.approx(apart) if r == 1 else together < apart
    for alpha in (0.3, 0.99, 1.0, 1.3):
        assert (alpha**2 + alpha < 2) == (alpha < 1)  # so that for these the printed inequality holds for r = 1, too


def sequence():
    alpha, r, n = 1.3, 1.5, 5
    one_by_one, law = {}, {}
    for labels in map(tuple, naive.set_partitions(n).tolist()):
        one_by_one[labels] = naive.seated_one_by_one(labels, alpha, lambda n: n**r)
        sizes = Counter(labels).values()
        law[labels] = alpha ** len(sizes) * np.prod([float(factorial(size - 1)) ** r for size in sizes])
    total = sum(law.values())
    law = {labels: weight / total for labels, weight in law.items()}
    assert sum(one_by_one.values()) == pytest.approx(1.0)
    assert 0.5 * sum(abs(law[labels] - one_by_one[labels]) for labels in law) > 0.05
    # the conditionals of the law are those printed, of each customer given all others; those of the sequence are not
    others = (0, 0, 0, 1)
    odds = {name: of[(*others, 0)] / of[(*others, 1)] for name, of in (("law", law), ("sequence", one_by_one))}
    assert odds == {"law": pytest.approx(3**r), "sequence": pytest.approx(3**r)}  # of the last they agree
    moved = {name: of[(0, 0, 0, 0, 1)] / of[(0, 1, 1, 1, 2)] for name, of in (("law", law), ("sequence", one_by_one))}
    assert moved["law"] == pytest.approx(3**r / alpha)  # the first among three others, or alone
    assert moved["sequence"] != pytest.approx(3**r / alpha, rel=0.05)


PROOFS = {
    proof.__name__: proof
    for proof in (objective, stop, prediction, exponential, poisson, concentration, three_customers, sequence)
}


@pytest.mark.parametrize("name", [erratum.name for erratum in ERRATA])
def test_what_is_printed_is_wrong_and_the_other_right(name):
    PROOFS[name]()


def test_every_erratum_has_a_proof_and_a_place():
    assert set(PROOFS) == {erratum.name for erratum in ERRATA}
    assert all(paper and place for erratum in ERRATA for paper, place in erratum.papers)
