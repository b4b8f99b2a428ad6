"""Partition priors against enumeration, closed forms, exact integer arithmetic and plain loops."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import fields
from fractions import Fraction
from functools import partial

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import digamma, gammaln, logsumexp
from scipy.stats import chi2

from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.partition import (
    PARTITION_PRIORS,
    ChineseRestaurant,
    FiniteDirichlet,
    GeneralizedChineseRestaurant,
    MixtureOfFiniteMixtures,
    PartitionPrior,
    PitmanYor,
    PoweredChineseRestaurant,
    _kernels,
    base,
    ewens_pitman,
    product_form,
)


def log_log1p(sizes):
    """Ln g for g(n) = ln(1 + n)."""
    return np.log(np.log1p(sizes))


def powered_log(sizes, power):
    return power * np.log(sizes)


COMPONENT_LAWS = ("bnb(1,4,3)", "poisson(1)", "geometric(0.3)")
CONVEX_STEPS = (-1.0, -1.0, 0.5, 0.75, 2.0, 2.0, 4.0)  # ln g with flat stretches and jumps

PRIORS = [
    *(ChineseRestaurant(c) for c in (1.2, 0.3)),
    *(PoweredChineseRestaurant(c, r) for c in (1.2, 0.3) for r in (0.7, 1.0, 1.5)),
    *(GeneralizedChineseRestaurant(c, g) for c in (1.2, 0.3) for g in (log_log1p, CONVEX_STEPS)),
    *(PitmanYor(c, 0.25) for c in (1.2, 0.3, 0.0, -0.1)),
    PitmanYor(1.2, 0.0),
    *(FiniteDirichlet(c, k) for c in (1.2, 0.3) for k in (3, 5)),
    FiniteDirichlet(0.7, 1),
    *(MixtureOfFiniteMixtures(c, law) for law in COMPONENT_LAWS for c in (0.7, 1.0, 2.0)),
]
PRIORS += [prior.example() for prior in PARTITION_PRIORS.values() if type(prior.example()) not in map(type, PRIORS)]
every_prior = pytest.mark.parametrize("prior", PRIORS, ids=[f"{prior.name}-{i}" for i, prior in enumerate(PRIORS)])


def set_partitions(n):
    """All label sequences numbered by first appearance."""
    if n == 0:
        return [()]
    return [(*labels, label) for labels in set_partitions(n - 1) for label in range(max(labels, default=-1) + 2)]


PARTITIONS = {n: set_partitions(n) for n in range(1, 8)}


def sizes_of(labels):
    return list(Counter(labels).values())


def closed_form(prior, sizes):
    """Ln p(z) + constant by the plain formulas."""
    values = {field.name: getattr(prior, field.name) for field in fields(prior)}
    if callable(values.get("log_g")):
        values["log_g"] = [float(prior.log_g(np.array(j))) for j in range(1, sum(sizes))]
    return naive.PARTITION_LOG_WEIGHTS[prior.name](sizes, **values)


@every_prior
def test_probabilities_of_all_partitions_sum_to_one(prior):
    for n, partitions in PARTITIONS.items():
        total = math.fsum(math.exp(prior.log_probability(sizes_of(labels))) for labels in partitions)
        assert total == pytest.approx(1.0, abs=1e-12), n


@every_prior
def test_log_probability_equals_the_formula_in_print(prior):
    plain = np.array([closed_form(prior, sizes_of(labels)) for labels in PARTITIONS[7]])
    ours = np.array([prior.log_probability(sizes_of(labels)) for labels in PARTITIONS[7]])
    assert_allclose(ours, plain - logsumexp(plain), rtol=0, atol=1e-12)


@every_prior
def test_full_conditionals_are_the_tables(prior):
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = int(rng.integers(2, 8))
        others = sizes_of(rng.integers(rng.integers(1, 4), size=n - 1).tolist())
        if len(others) > prior.most_clusters(n):
            continue
        joined = [[*others[:k], others[k] + 1, *others[k + 1 :]] for k in range(len(others))]
        exact = np.array([prior.log_probability(sizes) for sizes in [*joined, [*others, 1]]])
        weights = np.append(prior.join_table(n)[others], prior.open_table(n)[len(others)])
        assert_allclose(exact - logsumexp(exact), weights - logsumexp(weights), rtol=0, atol=1e-12)


def test_tables_against_closed_forms():
    n = np.arange(1, 51)
    cases = [
        (ChineseRestaurant(1.7), np.log(n), np.full(50, np.log(1.7)), np.log(1.7)),
        (PoweredChineseRestaurant(1.7, 1.3), 1.3 * np.log(n), np.full(50, np.log(1.7)), np.log(1.7)),
        (GeneralizedChineseRestaurant(1.7, np.sqrt), np.sqrt(n), np.full(50, np.log(1.7)), np.log(1.7)),
        (PitmanYor(1.7, 0.4), np.log(n - 0.4), np.log(1.7 + 0.4 * n), np.log(1.7)),
        (PitmanYor(-0.1, 0.4), np.log(n - 0.4), np.log(-0.1 + 0.4 * n), 0.0),
        (FiniteDirichlet(1.7, 60), np.log(n + 1.7 / 60), np.log(1.7 / 60 * (60 - n)), np.log(1.7)),
    ]
    for prior, join, opening, first in cases:
        for table in (prior.join_table(50), prior.open_table(50), prior.block_table(50)):
            assert table.shape == (51,) and table.dtype == np.float64
            assert table.flags.c_contiguous and table.flags.writeable
        assert prior.join_table(50)[0] == -np.inf
        assert_allclose(prior.join_table(50)[1:], join, rtol=1e-14, atol=1e-15)
        assert_allclose(prior.open_table(50), [first, *opening], rtol=1e-13, atol=1e-15)
        blocks = [0.0, 0.0, *np.cumsum(join[:-1])]
        assert_allclose(prior.block_table(50), blocks, rtol=1e-13, atol=1e-14)


def test_finite_dirichlet_allows_no_more_clusters_than_components():
    prior = FiniteDirichlet(1.2, 3)
    assert np.isfinite(prior.open_table(10)).tolist() == [True] * 3 + [False] * 8
    assert (prior.open_table(10)[3:] == -np.inf).all()
    assert prior.log_probability([2, 1, 1, 3]) == -np.inf
    assert np.isfinite(prior.log_probability([2, 1, 4]))
    assert np.isfinite(prior.log_pmf_n_clusters(10)).tolist() == [False] + [True] * 3 + [False] * 7
    assert max(prior.sample(200, seed).max() for seed in range(20)) == 2


@every_prior
def test_law_and_mean_of_the_number_of_clusters_equal_enumeration(prior):
    means = prior.mean_n_clusters_up_to(7)
    assert means[0] == 0.0
    for n, partitions in PARTITIONS.items():
        law = np.zeros(n + 1)
        for labels in partitions:
            law[len(set(labels))] += math.exp(prior.log_probability(sizes_of(labels)))
        log_pmf = prior.log_pmf_n_clusters(n)
        assert log_pmf.shape == (n + 1,) and log_pmf[0] == -np.inf
        assert_allclose(np.exp(log_pmf), law, rtol=1e-11, atol=1e-16)
        mean = float(law @ np.arange(n + 1))
        assert prior.mean_n_clusters(n) == pytest.approx(mean, rel=1e-12)
        assert means[n] == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("power", [1, 2])
def test_recursions_equal_exact_rational_arithmetic(power):
    n_points, alpha = 40, Fraction(3, 2)
    weight = [Fraction(0)] + [alpha * math.factorial(n - 1) ** power for n in range(1, n_points + 1)]
    z = [[Fraction(0)] * (n_points + 1) for _ in range(n_points + 1)]
    z[0][0] = Fraction(1)
    for m in range(1, n_points + 1):
        for k in range(1, m + 1):
            terms = (math.comb(m - 1, n - 1) * weight[n] * z[m - n][k - 1] for n in range(1, m + 1))
            z[m][k] = sum(terms, Fraction(0))
    total = sum(z[-1], Fraction(0))
    log_total = math.log(total.numerator) - math.log(total.denominator)
    mean = float(sum(k * value for k, value in enumerate(z[-1])) / total)
    law = np.array([float(value / total) for value in z[-1]])
    same_law = [
        PoweredChineseRestaurant(1.5, power),
        GeneralizedChineseRestaurant(1.5, partial(powered_log, power=power)),
        *([ChineseRestaurant(1.5)] if power == 1 else []),
    ]
    for prior in same_law:
        assert prior.log_normaliser(n_points) == pytest.approx(log_total, rel=1e-14)
        assert prior.mean_n_clusters(n_points) == pytest.approx(mean, rel=1e-13)
        ours = np.exp(prior.log_pmf_n_clusters(n_points))
        resolved = law > 1e-28
        assert resolved.sum() > 10
        assert_allclose(ours[resolved], law[resolved], rtol=1e-11)
        assert ours[~resolved].max(initial=0.0) < 1e-27


@pytest.mark.parametrize(
    "prior",
    [
        ChineseRestaurant(5.0),
        PitmanYor(2.0, 0.6),
        FiniteDirichlet(2.0, 7),
        PoweredChineseRestaurant(0.5, 0.6),
        PoweredChineseRestaurant(30.0, 1.2),
        GeneralizedChineseRestaurant(2.0, log_log1p),
    ],
    ids=lambda prior: prior.name,
)
def test_law_has_mass_one_and_the_exact_mean_at_a_thousand_points(prior):
    law = np.exp(prior.log_pmf_n_clusters(1000))
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert law @ np.arange(1001) == pytest.approx(prior.mean_n_clusters(1000), rel=1e-12)


def full_law(concentration, power, n_points):
    """p(K = k) of the powered law: p_m(k) = Σ_n p(first block has n of m points) p_{m−n}(k − 1), nothing dropped."""
    n = np.arange(1, n_points + 1)
    log_blocks = np.log(concentration) + (power - 1) * gammaln(n) - np.log(n)  # w(n) / n!, times n / m below
    log_totals = np.zeros(n_points + 1)
    laws = np.zeros((n_points + 1, n_points + 1))
    laws[0, 0] = 1.0
    for m in range(1, n_points + 1):
        terms = log_blocks[:m] + np.log(n[:m] / m) + log_totals[m - n[:m]]
        log_totals[m] = logsumexp(terms)
        laws[m, 1:] = np.exp(terms - log_totals[m]) @ laws[m - n[:m], :-1]
    return laws[-1]


@pytest.mark.parametrize(
    ("concentration", "power", "n_points"), [(30.0, 1.1, 300), (30.0, 1.2, 100), (300.0, 1.5, 300), (3000.0, 1.5, 400)]
)
def test_the_law_ends_where_it_is_negligible_and_not_before(concentration, power, n_points):
    ours = np.exp(PoweredChineseRestaurant(concentration, power).log_pmf_n_clusters(n_points))
    law = full_law(concentration, power, n_points)
    assert law.sum() == pytest.approx(1.0, abs=1e-10)  # 400 steps through logarithms of up to 2,000
    resolved = law > 1e-29
    assert_allclose(ours[resolved], law[resolved], rtol=1e-9)
    assert ours[~resolved].max(initial=0.0) < 1.1e-29


def test_law_is_complete_where_one_block_and_many_blocks_compete():
    # Joining pays only beyond 100 points, so either nearly all points share a block or hardly any two do.
    prior = GeneralizedChineseRestaurant(1.0, (*[-8.0] * 100, *[8.2] * 100))
    law = np.exp(prior.log_pmf_n_clusters(200))
    assert law[1] > 0.9 and 1e-3 < law[150:].sum() < 1e-2
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert law @ np.arange(201) == pytest.approx(prior.mean_n_clusters(200), rel=1e-12)


def test_rounding_opens_no_component_too_many():
    # α − K_max (α / K_max) is not 0 in floating point for about one in fifteen of these.
    for concentration in np.arange(1, 60) / 10:
        for n_components in range(1, 30):
            law = FiniteDirichlet(concentration, n_components).log_pmf_n_clusters(40)
            assert np.isfinite(law[1 : n_components + 1]).all() and (law[n_components + 1 :] == -np.inf).all()


def test_rounding_seats_nobody_at_a_table_that_does_not_exist():
    rng = np.random.default_rng(0)
    for n_components in range(2, 30):
        prior, labels = FiniteDirichlet(0.7, n_components), np.empty(300, np.int64)
        for _ in range(10):
            uniforms = rng.random(300)
            uniforms[100:][rng.random(200) < 0.5] = np.nextafter(1.0, 0.0)
            _kernels.seat_customers(prior.join_table(300), prior.open_table(300), uniforms, labels)
            assert labels.max() == n_components - 1


def test_mean_equals_closed_forms():
    for n in (1, 10, 4000):
        crp = 0.4 * (digamma(0.4 + n) - digamma(0.4))
        assert ChineseRestaurant(0.4).mean_n_clusters(n) == pytest.approx(crp, rel=1e-12)
        grown = gammaln(2.5 + n) - gammaln(2.5) - gammaln(2.1 + n) + gammaln(2.1)
        assert PitmanYor(2.1, 0.4).mean_n_clusters(n) == pytest.approx(2.1 / 0.4 * np.expm1(grown), rel=1e-11)
        gamma = 1.3 / 9  # one component is empty with probability Γ(α) Γ(α − γ + n) / (Γ(α + n) Γ(α − γ))
        empty = np.exp(gammaln(1.3) + gammaln(1.3 - gamma + n) - gammaln(1.3 + n) - gammaln(1.3 - gamma))
        assert FiniteDirichlet(1.3, 9).mean_n_clusters(n) == pytest.approx(9 * (1 - empty), rel=1e-11)
    assert ChineseRestaurant(0.1).mean_n_clusters(1000) == pytest.approx(1.73, abs=0.005)


def test_power_one_is_the_chinese_restaurant():
    crp, powered, n = ChineseRestaurant(3.0), PoweredChineseRestaurant(3.0, 1.0), 4000
    generalized = GeneralizedChineseRestaurant(3.0, np.log)  # goes through the recursion
    sizes = [2500, 1000, 400, 99, 1]
    exact = float(gammaln(3.0 + n) - gammaln(3.0))
    for prior in (crp, powered, generalized):
        assert prior.log_normaliser(n) == pytest.approx(exact, rel=1e-14)
        assert prior.log_probability(sizes) == pytest.approx(closed_form(crp, sizes) - exact, abs=1e-9)
        assert_allclose(prior.mean_n_clusters_up_to(n), crp.mean_n_clusters_up_to(n), rtol=1e-12)
    assert_array_equal(powered.join_table(n), crp.join_table(n))
    assert_array_equal(powered.open_table(n), crp.open_table(n))
    assert_array_equal(powered.log_pmf_n_clusters(n), crp.log_pmf_n_clusters(n))
    for law_of, atol in ((PoweredChineseRestaurant(3.0, 1 + 1e-12), 1e-10), (generalized, 1e-12)):
        law = np.exp(law_of.log_pmf_n_clusters(400))
        assert_allclose(law, np.exp(crp.log_pmf_n_clusters(400)), rtol=0, atol=atol)


@pytest.mark.parametrize("concentration", [0.01, 1.0, 30.0, 5000.0])
@pytest.mark.parametrize("power", [1.0005, 1.02, 1.1, 1.5, 4.0])
def test_walking_inwards_from_both_ends_loses_nothing(concentration, power):
    n = 1500
    walked = PoweredChineseRestaurant(concentration, power)
    full = GeneralizedChineseRestaurant(concentration, partial(powered_log, power=power))
    assert walked.log_normaliser(n) == pytest.approx(full.log_normaliser(n), rel=1e-13)
    assert_allclose(walked.mean_n_clusters_up_to(n), full.mean_n_clusters_up_to(n), rtol=1e-11)


def test_a_million_points_are_within_reach():
    n = 1_000_000
    prior = PoweredChineseRestaurant(2.0, 1.1)
    # Z_N is at least the weight of one block, plus those of the splits 1 + (N − 1) and 2 + (N − 2).
    single = np.log(2) + 1.1 * gammaln(n)
    one = np.log(n) + 2 * np.log(2) + 1.1 * gammaln(n - 1)
    two = np.log(n) + np.log(n - 1) - np.log(2) + 2 * np.log(2) + 1.1 * gammaln(n - 2)
    bound = logsumexp([single, one, two])
    assert bound < prior.log_normaliser(n) < bound + 0.3
    assert 1.0 < prior.mean_n_clusters(n) < 2.0
    labels = prior.sample(n, 4)
    assert labels[0] == 0 and np.bincount(labels).min() >= 1


def goodness_of_fit(draws, probabilities):
    """P-value of the chi-square test over all partitions, with those expected fewer than five times pooled."""
    counts = Counter(draws)
    assert set(counts) <= set(probabilities)
    expected = np.array(list(probabilities.values())) * len(draws)
    observed = np.array([counts[labels] for labels in probabilities])
    rare = expected < 5
    expected = np.append(expected[~rare], expected[rare].sum())
    observed = np.append(observed[~rare], observed[rare].sum())
    kept = expected > 0
    assert not observed[~kept].any()
    statistic = float(((observed - expected)[kept] ** 2 / expected[kept]).sum())
    return float(chi2.sf(statistic, kept.sum() - 1)) if kept.sum() > 1 else 1.0


def fixed_n_law(prior, n):
    return {labels: math.exp(prior.log_probability(sizes_of(labels))) for labels in PARTITIONS[n]}


def seating_law(prior, n):
    """Product of the normalised weights met while seating one customer after the other, each at its own number."""
    law = {}
    tables = [(np.exp(prior.join_table(m)), np.exp(prior.open_table(m))) for m in range(1, n + 1)]
    for labels in PARTITIONS[n]:
        probability = 1.0
        for i in range(1, n):
            seated, (join, opening) = Counter(labels[:i]), tables[i]
            weights = [join[seated[k]] for k in range(len(seated))] + [opening[len(seated)]]
            probability *= weights[labels[i]] / sum(weights)
        law[labels] = probability
    return law


@every_prior
def test_draws_follow_the_law_at_fixed_n(prior):
    rng = np.random.default_rng(11)
    draws = [tuple(prior.sample(6, rng).tolist()) for _ in range(8000)]
    assert goodness_of_fit(draws, fixed_n_law(prior, 6)) > 1e-3


@every_prior
def test_sequential_draws_follow_the_seating_law(prior):
    rng = np.random.default_rng(12)
    draws = [tuple(prior.sample_sequential_seating(6, rng).tolist()) for _ in range(8000)]
    assert goodness_of_fit(draws, seating_law(prior, 6)) > 1e-3


@every_prior
def test_seating_is_the_law_at_fixed_n_for_consistent_priors_only(prior):
    fixed, seated = fixed_n_law(prior, 6), seating_law(prior, 6)
    distance = sum(abs(fixed[labels] - seated[labels]) for labels in fixed) / 2
    assert distance < 1e-12 if prior.reduced().consistent else distance > 0.01


@every_prior
def test_tables_that_are_said_to_be_constant_are(prior):
    reach = len(prior.log_g) if isinstance(getattr(prior, "log_g", None), tuple) else 40
    tables = [(prior.join_table(n), prior.open_table(n)) for n in range(1, reach + 1)]
    last = tables[-1]
    alike = all(
        np.array_equal(table, whole[: len(table)]) for pair in tables for table, whole in zip(pair, last, strict=True)
    )
    assert alike == prior.constant_tables


@pytest.mark.parametrize(
    "prior",
    [
        PoweredChineseRestaurant(2.0, 0.7),
        PoweredChineseRestaurant(8.0, 1.05),
        PitmanYor(1.0, 0.5),
        FiniteDirichlet(3.0, 40),
    ],
    ids=lambda prior: prior.name,
)
def test_draws_of_many_points_have_the_exact_number_of_clusters(prior):
    rng = np.random.default_rng(2)
    law = np.exp(prior.log_pmf_n_clusters(800))
    mean = law @ np.arange(801)
    deviation = np.sqrt(law @ (np.arange(801) - mean) ** 2 / 400)
    drawn = np.mean([prior.sample(800, rng).max() + 1 for _ in range(400)])
    assert abs(drawn - mean) < 3.5 * deviation


def test_labels_are_numbered_by_first_appearance_and_repeat_with_the_seed():
    for prior in PRIORS:
        n = 7
        for draw in (prior.sample, prior.sample_sequential_seating):
            labels = draw(n, 5)
            assert labels.dtype == np.int64 and labels.shape == (n,)
            assert tuple(labels.tolist()) in PARTITIONS[n]
            assert_array_equal(labels, draw(n, 5))
            assert_array_equal(labels, draw(n, np.random.default_rng(5)))
    prior = PoweredChineseRestaurant(5.0, 0.7)
    state = np.random.RandomState(5)
    first, second = prior.sample(100, state), prior.sample(100, state)
    assert_array_equal(first, prior.sample(100, np.random.RandomState(5)))
    assert (first != second).any()
    assert prior.sample(3, None).shape == (3,)


def test_weights_beyond_the_range_of_floats_do_not_overflow():
    prior = GeneralizedChineseRestaurant(1e-290, partial(np.multiply, 5.0))  # g(n) = e^{5n}, up to e^{10000}
    labels = prior.sample_sequential_seating(2000, 0)
    assert labels.max() == 0
    assert np.isfinite(prior.log_normaliser(2000)) and prior.mean_n_clusters(2000) == pytest.approx(1.0)
    late = GeneralizedChineseRestaurant(1.0, (*[-800.0] * 5, *[900.0] * 195))
    assert np.unique(late.sample_sequential_seating(200, 0)).size > 100  # joining never has a chance
    assert 0 <= late.log_pmf_n_clusters(200).argmax() <= 200


def test_kernels_compute_the_same_with_and_without_compilation():
    names = ["fill_normalisers", "fill_n_clusters_laws", "draw_blocks"]
    names += ["seat_customers", "fill_seating_means", "fill_seating_law"]
    n, laws = 30, {}
    for compiled in (True, False):
        run = {name: getattr(_kernels, name) for name in names}
        if not compiled:
            run = {name: getattr(function, "py_func", function) for name, function in run.items()}
        prior, uniforms = PoweredChineseRestaurant(4.0, 1.2), np.random.default_rng(0).random(n)
        log_blocks = np.log(4.0) + 0.2 * gammaln(np.arange(n + 1).clip(1))
        log_normalisers, means, law = np.empty(n + 1), np.empty(n + 1), np.zeros((n + 1, n + 1))
        drawn, seated, seating = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n + 1)
        run["fill_normalisers"](log_blocks, True, 10**6, log_normalisers, means)
        run["fill_n_clusters_laws"](log_blocks, log_normalisers, law)
        run["draw_blocks"](log_blocks, log_normalisers, uniforms, drawn)
        run["seat_customers"](prior.join_table(n), prior.open_table(n), uniforms, seated)
        seating_means = np.empty(n + 1)
        run["fill_seating_means"](1.5, 0.25, seating_means)
        run["fill_seating_law"](1.5, 0.25, n, 10**6, seating)
        laws[compiled] = (log_normalisers, means, law[-1], drawn, seated, seating_means, seating)
    for with_compiler, without in zip(laws[True], laws[False], strict=True):
        assert_allclose(with_compiler, without, rtol=1e-12, atol=1e-300)
    assert laws[True][3].max() > 0 and laws[True][4].max() > 0


def test_equal_by_value_and_hashable():
    assert ChineseRestaurant(3) == ChineseRestaurant(np.float64(3.0)) == ChineseRestaurant(np.int32(3))
    assert hash(PitmanYor(1, 0)) == hash(PitmanYor(1.0, 0.0))
    assert FiniteDirichlet(1, np.int64(4)) == FiniteDirichlet(1.0, 4) != FiniteDirichlet(1.0, 5)
    assert ChineseRestaurant(1.0) != PoweredChineseRestaurant(1.0, 1.0)
    assert GeneralizedChineseRestaurant(1, [0, 1]) == GeneralizedChineseRestaurant(1.0, np.array([0.0, 1.0]))
    assert GeneralizedChineseRestaurant(1, np.log) == GeneralizedChineseRestaurant(1, np.log)
    assert len({*PRIORS, *PRIORS}) == len(PRIORS)
    assert type(ChineseRestaurant(np.float32(2)).concentration) is float
    assert type(FiniteDirichlet(2, np.int8(3)).n_components) is int
    with pytest.raises(AttributeError):
        PRIORS[0].concentration = 2.0


@every_prior
def test_to_dict_and_back_through_json(prior):
    if callable(getattr(prior, "log_g", None)):
        with pytest.raises(InvalidParameterError, match=r"log_g .* function .* as a tuple"):
            prior.to_dict()
        return
    values = prior.to_dict()
    assert PARTITION_PRIORS[values["kind"]] is type(prior)
    restored = PartitionPrior.from_dict(json.loads(json.dumps(values, allow_nan=False)))
    assert restored == prior and hash(restored) == hash(prior)


@pytest.mark.parametrize(
    "values, words",
    [
        ({"kind": "stick"}, "chinese_restaurant.*'stick'"),
        ({"concentration": 1.0}, "needs a kind"),
        ({"kind": ["powered"]}, "needs a kind"),
        (None, "needs a kind"),
        ({"kind": "powered", "concentration": 1.0}, r"\['concentration', 'power'\]; got \['concentration'\]"),
        ({"kind": "chinese_restaurant", "concentration": 1.0, "power": 2.0}, "takes"),
        ({"kind": "chinese_restaurant", 3: 1.0}, "takes"),
    ],
)
def test_malformed_dictionaries_are_refused(values, words):
    with pytest.raises(TraceFormatError, match=words):
        PartitionPrior.from_dict(values)


def test_out_of_range_values_in_a_dictionary_are_refused():
    with pytest.raises(InvalidParameterError, match="concentration = -1"):
        PartitionPrior.from_dict({"kind": "chinese_restaurant", "concentration": -1})


def test_registry_describes_every_parameter():
    for name, prior_class in PARTITION_PRIORS.items():
        parameters = {parameter.name: parameter for parameter in prior_class.parameters}
        defaults = {key: parameter.default for key, parameter in parameters.items()}
        assert prior_class.name == name and prior_class.title
        assert list(parameters) == [field.name for field in fields(prior_class)]
        assert prior_class(**defaults).mean_n_clusters(50) > 1
        for key, parameter in parameters.items():
            assert parameter.symbol and parameter.explanation.endswith(".")
            if not parameter.number:
                continue
            low, high = parameter.slider_range()
            assert parameter.lower <= low < parameter.default < high
            assert parameter.grid_range() == (low, high)
            for end in (low, high):
                prior_class(**{**defaults, key: end})
            if name == "pitman_yor" and key == "concentration":
                continue  # its bound is -discount; the slider stays above 0
            if parameter.lower_allowed:
                prior_class(**{**defaults, key: parameter.lower})
            else:
                with pytest.raises(InvalidParameterError, match=key):
                    prior_class(**{**defaults, key: parameter.lower})


NOT_NUMBERS = [math.nan, math.inf, -math.inf, None, True, "1", [1.0], 10**400, 1j, np.ones(1)]


@pytest.mark.parametrize("value", [*NOT_NUMBERS, 0, -1.0], ids=lambda value: repr(value)[:20])
def test_parameters_that_must_be_positive(value):
    for build in (
        lambda: ChineseRestaurant(value),
        lambda: PoweredChineseRestaurant(value, 1.0),
        lambda: GeneralizedChineseRestaurant(value, np.log),
        lambda: FiniteDirichlet(value, 3),
    ):
        with pytest.raises(InvalidParameterError, match="concentration = .* must be a finite number > 0"):
            build()
    with pytest.raises(InvalidParameterError, match="power = .* must be a finite number > 0"):
        PoweredChineseRestaurant(1.0, value)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, -0.1, 1.0, 2], ids=lambda value: repr(value)[:20])
def test_discount_lies_below_one(value):
    with pytest.raises(InvalidParameterError, match="discount = .* must be a number >= 0 and < 1"):
        PitmanYor(1.0, value)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, -0.25, -3], ids=lambda value: repr(value)[:20])
def test_pitman_yor_concentration_exceeds_minus_discount(value):
    with pytest.raises(InvalidParameterError, match="concentration = .* > -discount = -0.25"):
        PitmanYor(value, 0.25)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, 0, -1, 2.0, 10**7 + 1], ids=lambda value: repr(value)[:20])
def test_counts_are_positive_integers(value):
    with pytest.raises(InvalidParameterError, match="n_components = .* must be a whole number from 1"):
        FiniteDirichlet(1.0, value)
    prior = PoweredChineseRestaurant(1.0, 1.1)
    for method in (
        *(ChineseRestaurant(1.0).join_table, ChineseRestaurant(1.0).open_table, ChineseRestaurant(1.0).log_normaliser),
        *(prior.join_table, prior.open_table, prior.block_table, prior.log_normaliser, prior.mean_n_clusters),
        *(prior.mean_n_clusters_up_to, prior.log_pmf_n_clusters, prior.sample, prior.sample_sequential_seating),
    ):
        with pytest.raises(InvalidParameterError, match="n_points = .* must be a whole number from 1"):
            method(value)


NOT_SIZES = [[], 3, None, [0, 2], [1, -1], [1.5, 2], [[1, 2]], [[1], [2, 3]], "ab", [True], [10**30], [10**7, 1]]


@pytest.mark.parametrize("sizes", NOT_SIZES)
def test_sizes_are_positive_integers(sizes):
    with pytest.raises(InvalidParameterError, match="sizes"):
        ChineseRestaurant(1.0).log_probability(sizes)


@pytest.mark.parametrize("random_state", ["seed", -1, 1.5, True])
def test_random_state_is_checked(random_state):
    with pytest.raises(InvalidParameterError, match="random_state"):
        ChineseRestaurant(1.0).sample(3, random_state)
    with pytest.raises(InvalidParameterError, match="random_state"):
        PoweredChineseRestaurant(1.0, 1.2).sample(3, random_state)


class Unhashable:
    __hash__ = None

    def __call__(self, sizes):
        return np.log(sizes)


@pytest.mark.parametrize("log_g", [3.0, None, "abc", {}, (), [None], [math.nan], [1.0, "2"], [True], Unhashable()])
def test_growth_that_is_neither_function_nor_numbers_is_refused(log_g):
    with pytest.raises(InvalidParameterError, match="log_g"):
        GeneralizedChineseRestaurant(1.0, log_g)


@pytest.mark.parametrize(
    "log_g, words",
    [
        ((0.0, 1.0, 0.5, 2.0), r"log_g at n = 3 = 0.5 must be non-decreasing in n; ln g\(2\) = 1 is larger"),
        ((0.0, 1.0, 2.0), r"at least as long as there are points \(4\); it has 3 values"),
        (lambda n: -np.abs(n - 2.0), r"log_g at n = 3 = -1.0 must be non-decreasing"),
        (lambda n: np.where(n == 3, np.inf, n), "log_g at n = 3 = inf must be finite"),
        (lambda n: np.where(n >= 2, np.nan, n), "log_g at n = 2 = nan must be finite"),
        (lambda n: 1.0, r"a vectorised function; for 4 sizes it returned an array of shape \(\)"),
    ],
)
def test_growth_is_checked_when_a_table_is_filled(log_g, words):
    prior = GeneralizedChineseRestaurant(1.0, log_g)
    for call in (prior.join_table, prior.log_normaliser, prior.sample, prior.sample_sequential_seating):
        with pytest.raises(InvalidParameterError, match=words):
            call(4)
    if isinstance(log_g, tuple):
        prior.join_table(2)


def test_what_would_take_too_long_is_refused_by_name(monkeypatch):
    slow = PoweredChineseRestaurant(1.0, 0.9)
    for call in (slow.log_normaliser, slow.mean_n_clusters, slow.sample):
        with pytest.raises(InvalidParameterError, match=r"n_points = 50001 must be at most 50,000 .*power=0.9"):
            call(50_001)
    with pytest.raises(InvalidParameterError, match=r"n_points = 10001 must be at most 10,000 .* law of K"):
        PoweredChineseRestaurant(1.0, 1.1).log_pmf_n_clusters(10_001)
    assert base.MAX_TERMS >= product_form.MAX_POINTS * (product_form.MAX_POINTS + 1) // 2
    for module in (product_form, ewens_pitman):
        monkeypatch.setattr(module, "MAX_TERMS", 1000)
    with pytest.raises(InvalidParameterError, match=r"n_points = 777 must be smaller: .* more than 1,000 terms"):
        PoweredChineseRestaurant(1.0, 1.0001).log_normaliser(777)
    with pytest.raises(InvalidParameterError, match=r"n_points = 777 must be smaller: .* more than 1,000 terms"):
        PitmanYor(1.0, 0.9).log_pmf_n_clusters(777)


def test_cached_results_cannot_be_spoilt():
    for prior in (ChineseRestaurant(2.0), PoweredChineseRestaurant(2.0, 1.3)):
        with pytest.raises(ValueError, match="read-only"):
            prior.log_pmf_n_clusters(20)[3] = 0.0
        for values in (prior.join_table, prior.open_table, prior.block_table, prior.mean_n_clusters_up_to):
            before = values(20).copy()
            values(20)[:] = 99.0
            assert_array_equal(values(20), before)


OF_ANY_PRIOR = (
    test_probabilities_of_all_partitions_sum_to_one,
    test_log_probability_equals_the_formula_in_print,
    test_full_conditionals_are_the_tables,
    test_law_and_mean_of_the_number_of_clusters_equal_enumeration,
    test_draws_follow_the_law_at_fixed_n,
    test_sequential_draws_follow_the_seating_law,
    test_seating_is_the_law_at_fixed_n_for_consistent_priors_only,
    test_tables_that_are_said_to_be_constant_are,
    test_to_dict_and_back_through_json,
)
"""What holds of priors from outside, too, whose weights ``naive`` knows."""
