"""What priors say before any data: seats, shares in the long run, growth, sizes, whole data sets."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate
from scipy.special import psi
from scipy.stats import beta as beta_law
from scipy.stats import chisquare, kstest
from scipy.stats import gamma as gamma_law

from dpviz.analysis.prior_laws import (
    central_range,
    distance_to_the_limit,
    draw_data,
    growth_of_n_clusters,
    logarithmic_growth,
    mean_n_clusters_under,
    ranked_table_sizes,
    seat,
    simulated_n_clusters,
)
from dpviz.errors import InvalidParameterError
from dpviz.families import FAMILIES, Mixed, NormalGamma
from dpviz.families.mixed import OF_KIND
from dpviz.partition import (
    PARTITION_PRIORS,
    Beta,
    ChineseRestaurant,
    FiniteDirichlet,
    Gamma,
    MixtureOfFiniteMixtures,
    PitmanYor,
    PoweredChineseRestaurant,
)

EXAMPLES = [prior.example() for prior in PARTITION_PRIORS.values()]
every_prior = pytest.mark.parametrize("prior", EXAMPLES, ids=lambda prior: prior.name)
CONSISTENT = [ChineseRestaurant(1.2), ChineseRestaurant(0.3), PitmanYor(1.2, 0.25), PitmanYor(-0.1, 0.5)]
CONSISTENT += [FiniteDirichlet(1.2, 4), FiniteDirichlet(0.7, 1), FiniteDirichlet(2.0, 60)]
every_stick = pytest.mark.parametrize("prior", CONSISTENT.copy(), ids=str)
CONSISTENT += [MixtureOfFiniteMixtures(1.5, law) for law in ("poisson(1)", "geometric(0.3)", "bnb(1,0.5,3)")]
every_consistent = pytest.mark.parametrize("prior", CONSISTENT, ids=str)
POWERED = PoweredChineseRestaurant(1.2, 1.5)


def sizes_of(labels):
    return np.bincount(labels).tolist()


# --- seats ------------------------------------------------------------------------------------------------------------


@every_prior
def test_the_next_seat_has_the_weights_of_the_tables(prior):
    for sizes in ([1], [3, 1], [2, 2, 5]):
        n = sum(sizes) + (0 if prior.constant_tables else 1)
        weights = np.exp(np.append(prior.join_table(n)[sizes], prior.open_table(n)[len(sizes)]))
        assert_allclose(prior.seat_probabilities(sizes), weights / weights.sum(), rtol=1e-13)
    assert prior.seat_probabilities([]).tolist() == [1.0]


def test_a_restaurant_without_free_components_opens_no_table():
    assert FiniteDirichlet(1.2, 2).seat_probabilities([3, 4])[-1] == 0.0


def test_the_power_makes_the_large_table_larger_and_the_discount_opens_new_ones():
    crp, powered, py = ChineseRestaurant(1.2), POWERED, PitmanYor(1.2, 0.25)
    sizes = [20, 5, 1]
    assert crp.seat_probabilities(sizes) == pytest.approx(np.array([20, 5, 1, 1.2]) / 27.2)
    assert powered.seat_probabilities(sizes)[0] > crp.seat_probabilities(sizes)[0]
    assert py.seat_probabilities(sizes)[-1] == pytest.approx((1.2 + 3 * 0.25) / 27.2)


@every_prior
def test_a_consistent_prior_is_one_whose_probabilities_add_up_when_a_point_is_left_out(prior):
    gaps = []
    for labels in naive.set_partitions(4):
        more = [[*labels, k] for k in range(max(labels) + 2)]
        whole = math.fsum(math.exp(prior.log_probability(sizes_of(longer))) for longer in more)
        gaps.append(abs(whole - math.exp(prior.log_probability(sizes_of(labels)))))
    assert (max(gaps) < 1e-12) == prior.consistent


@pytest.mark.parametrize("sizes", [[0], [2, -1], [1.5], 3.5, ["a"]])
def test_sizes_that_are_none_are_refused(sizes):
    with pytest.raises(InvalidParameterError, match="sizes"):
        ChineseRestaurant(1.0).seat_probabilities(sizes)


# --- shares in the long run -------------------------------------------------------------------------------------------


@every_stick
def test_pieces_of_the_stick_follow_their_beta_laws(prior):
    concentration, discount = prior._two_parameters()
    n_weights = 4
    weights = np.array([prior.sample_weights(n_weights, seed) for seed in range(2000)])
    assert weights.shape == (2000, n_weights) and (weights >= 0).all() and (weights.sum(axis=1) <= 1 + 1e-12).all()
    left = 1 - np.cumsum(weights, axis=1) + weights
    for k in range(n_weights):
        second = concentration + discount * (k + 1)
        if k >= prior.most_clusters(n_weights):
            assert (weights[:, k] == 0).all()
        elif second < 1e-9:  # the last component takes all that is left
            assert_allclose(weights[:, k], left[:, k], rtol=0, atol=1e-15)  # of 1 minus a sum
        else:
            assert kstest(weights[:, k] / left[:, k], beta_law(1 - discount, second).cdf).pvalue > 1e-3


@every_consistent
def test_customers_who_choose_by_the_weights_are_seated_by_the_prior(prior):
    # p(z) = E[Π of the chosen tables' weights, in the order of opening]: with weights in that order the first customer
    # of table k comes with what is left.
    n, n_draws = 4, 4000
    weights = np.array([prior.sample_weights(n, seed) for seed in range(n_draws)])
    left = 1 - np.cumsum(weights, axis=1) + weights
    for labels in naive.set_partitions(n):
        product = np.ones(n_draws)
        for i in range(1, n):
            opens = labels[i] == max(labels[:i]) + 1
            product *= left[:, labels[i]] if opens else weights[:, labels[i]]
        exact = math.exp(prior.log_probability(sizes_of(labels)))
        assert abs(product.mean() - exact) <= 4.5 * product.std() / np.sqrt(n_draws) + 1e-12, labels


@every_consistent
def test_shares_after_customers_were_seated_have_the_mean_of_the_next_seat(prior):
    sizes = [5, 1, 2][: prior.most_clusters(3)]
    expected = prior.seat_probabilities(sizes)
    drawn = np.array([prior.sample_weights(len(sizes), seed, sizes) for seed in range(3000)])
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - expected[:-1]) <= 4.5 * error + 1e-12).all()
    rest = 1 - drawn.sum(axis=1)
    assert abs(rest.mean() - expected[-1]) <= 4.5 * rest.std() / np.sqrt(len(rest)) + 1e-12


def test_a_seating_and_its_shares_together_have_the_shares_law():
    prior = PitmanYor(1.2, 0.25)
    first = [prior.sample_weights(30, seed, sizes_of(prior.sample(30, seed + 9000)))[0] for seed in range(1500)]
    assert kstest(first, beta_law(0.75, 1.45).cdf).pvalue > 1e-3


def test_weights_that_do_not_exist_are_refused():
    with pytest.raises(InvalidParameterError, match="Powered Chinese restaurant has no weights"):
        POWERED.sample_weights(5, 0)
    with pytest.raises(InvalidParameterError, match="n_weights = 0"):
        ChineseRestaurant(1.0).sample_weights(0)
    with pytest.raises(InvalidParameterError, match="at most n_weights = 2"):
        ChineseRestaurant(1.0).sample_weights(2, 0, [1, 1, 1])
    with pytest.raises(InvalidParameterError, match="at most 2 sizes"):
        FiniteDirichlet(1.0, 2).sample_weights(5, 0, [1, 1, 1])


# --- the number of clusters -------------------------------------------------------------------------------------------


@every_prior
def test_growth_is_the_exact_law_at_every_number_of_points(prior):
    growth = growth_of_n_clusters(prior, [1, 2, 6])
    for row in growth.itertuples():
        law = np.zeros(row.n_points + 1)
        for labels in naive.set_partitions(row.n_points):
            law[len(set(labels))] += math.exp(prior.log_probability(sizes_of(labels)))
        assert row.mean == pytest.approx(law @ np.arange(len(law)), rel=1e-12)
        below, above = law[: row.lower].sum(), law[row.upper + 1 :].sum()
        assert below < 0.05 + 1e-12 and above <= 0.05 + 1e-12
        assert law[: row.lower + 1].sum() >= 0.05 and law[row.upper :].sum() > 0.05


def test_the_central_range_of_a_known_law():
    assert central_range(np.array([0.0, 0.04, 0.5, 0.42, 0.04])) == (2, 3)
    assert central_range(np.array([0.0, 0.2, 0.6, 0.2]), 0.5) == (2, 2)
    assert central_range(np.array([0.0, 1.0])) == (1, 1)


@every_prior
@pytest.mark.parametrize("sequential", [False, True])
def test_simulated_numbers_have_the_mean_of_their_own_law(prior, sequential):
    n_points, n_draws = [2, 6], 4000
    drawn = simulated_n_clusters(prior, n_points, n_draws, 1, sequential)
    assert drawn.shape == (n_draws, 2)
    for column, n in zip(drawn.T, n_points, strict=True):
        law = np.zeros(n + 1)
        for labels in naive.set_partitions(n):
            law[len(set(labels))] += seated(prior, labels) if sequential else exact(prior, labels)
        kept = law > 0
        observed = np.bincount(column, minlength=n + 1)
        assert not observed[~kept].any()
        assert chisquare(observed[kept], law[kept] / law.sum() * n_draws).pvalue > 1e-3


def exact(prior, labels):
    return math.exp(prior.log_probability(sizes_of(labels)))


def seated(prior, labels):
    """Probability that customers take these seats one after the other."""
    return math.prod(
        prior.seat_probabilities(sizes_of(labels[:i]) if i else [])[label] for i, label in enumerate(labels)
    )


def test_both_notions_of_the_powered_restaurant_are_kept_apart():
    one, other = (simulated_n_clusters(POWERED, [6], 4000, 2, sequential)[:, 0] for sequential in (True, False))
    mean = POWERED.mean_n_clusters(6)
    error = other.std() / np.sqrt(len(other))
    assert abs(other.mean() - mean) < 4 * error and abs(one.mean() - mean) > 10 * error
    assert_array_equal(seat(POWERED, 50, 3), POWERED.sample(50, 3))
    assert_array_equal(seat(POWERED, 50, 3, True), POWERED.sample_sequential_seating(50, 3))


def test_one_seating_serves_all_numbers_of_points():
    drawn = simulated_n_clusters(ChineseRestaurant(3.0), [1, 10, 100], 20, 0, sequential=True)
    assert (np.diff(drawn, axis=1) >= 0).all() and (drawn[:, 0] == 1).all()


def test_the_approximation_is_close_for_large_concentrations_and_rough_for_small():
    n = np.array([100, 1000])
    for concentration, most in ((30.0, 0.02), (3.0, 0.15)):
        mean = concentration * (psi(concentration + n) - psi(concentration))
        assert_allclose(logarithmic_growth(concentration, n), mean, rtol=most)
    assert logarithmic_growth(0.1, [1000])[0] == pytest.approx(0.92, abs=0.005)


# --- sizes ------------------------------------------------------------------------------------------------------------


@every_prior
@pytest.mark.parametrize("sequential", [False, True])
def test_ranked_sizes_have_the_means_of_all_partitions(prior, sequential):
    n, n_draws = 6, 3000
    drawn = ranked_table_sizes(prior, n, n_draws, 5, sequential)
    assert (drawn.sum(axis=1) == n).all() and (np.diff(drawn, axis=1) <= 0).all()
    expected = np.zeros(n)
    for labels in naive.set_partitions(n):
        own = sorted(sizes_of(labels), reverse=True)
        expected[: len(own)] += (seated if sequential else exact)(prior, labels) * np.array(own)
    width = drawn.shape[1]
    error = drawn.std(axis=0) / np.sqrt(n_draws)
    assert (np.abs(drawn.mean(axis=0) - expected[:width]) <= 4 * error + 1e-12).all()
    assert expected[width:].sum() < 10 / n_draws


# --- the limit of finite mixtures -------------------------------------------------------------------------------------


def test_the_distance_to_the_limit_has_a_closed_form_for_two_points():
    # p(K = 1) = (1 + α/K_max) / (1 + α) against 1 / (1 + α)
    components = [1, 2, 5, 100]
    expected = [1.5 / (m * 2.5) for m in components]
    assert_allclose(distance_to_the_limit(1.5, 2, components), expected, rtol=1e-12)


def test_the_distance_falls_like_one_over_the_number_of_components():
    distance = distance_to_the_limit(3.0, 200, [1_000, 10_000, 100_000])
    assert_allclose(distance[:-1] / distance[1:], 10, rtol=0.02)


# --- whole data sets --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [1, 3, 10, 40])
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_draws_data_that_it_can_have(name, n_features):
    example = FAMILIES[name].example_data(50, n_features)
    family = FAMILIES[name].from_prior(FAMILIES[name].example_prior(n_features), example)
    for seed in range(3):
        dataset = draw_data(PitmanYor(1.0, 0.3), family, 40, seed)
        assert dataset.X.shape == (40, n_features)
        FAMILIES[name].check_data(dataset.X)
        assert np.isfinite(family.log_marginal(dataset.X))
        again = draw_data(PitmanYor(1.0, 0.3), family, 40, seed)
        assert_array_equal(dataset.X, again.X)


def test_the_kinds_of_columns_lead_back_to_the_family():
    for name in {*OF_KIND.values(), "mixed"} - {"normal_gamma"}:
        family = FAMILIES[name].from_prior(FAMILIES[name].example_prior(8), FAMILIES[name].example_data(30, 8))
        kinds = draw_data(ChineseRestaurant(1.0), family, 30).kinds
        blocks = family.parts() if name == "mixed" else [(np.arange(8), family)]
        for columns, block in blocks:
            expected = {"geometric": "poisson", "normal_wishart": "normal_gamma"}.get(block.name, block.name)
            found = Mixed.from_prior({"columns": [kinds[column] for column in columns]}, np.ones((9, len(columns))))
            assert {part.name for _, part in found.parts()} == {expected}


def test_drawn_labels_follow_the_law_at_fixed_n_and_values_their_clusters():
    family = NormalGamma(np.zeros(1), 1e-4, 50.0, np.full(1, 1e-4))  # clusters far apart and narrow
    counts = []
    for seed in range(400):
        dataset = draw_data(POWERED, family, 10, seed)
        counts.append(len(set(dataset.labels.tolist())))
        groups = [dataset.X[dataset.labels == k] for k in np.unique(dataset.labels)]
        assert max(float(np.ptp(group)) for group in groups) < 0.1
    law = np.exp(POWERED.log_pmf_n_clusters(10))
    mean = law @ np.arange(11)
    assert abs(np.mean(counts) - mean) < 4 * np.std(counts) / np.sqrt(len(counts))


@pytest.mark.parametrize("n_draws", [0, 2.5, 10**6])
def test_impossible_numbers_of_draws_are_refused(n_draws):
    with pytest.raises(InvalidParameterError, match="n_draws"):
        ranked_table_sizes(ChineseRestaurant(1.0), 5, n_draws)
    with pytest.raises(InvalidParameterError, match="n_draws"):
        simulated_n_clusters(ChineseRestaurant(1.0), [5], n_draws)
    with pytest.raises(InvalidParameterError, match="n_points"):
        growth_of_n_clusters(ChineseRestaurant(1.0), [])


def test_the_expected_number_of_clusters_is_averaged_over_the_laws_of_hyperparameters():
    known = gamma_law(1.0, scale=1 / 0.3)

    def mean(concentration):
        return concentration * (psi(concentration + 200) - psi(concentration))

    exact, _ = integrate.quad(lambda value: known.pdf(value) * mean(value), 0, 150, limit=500, epsabs=0, epsrel=1e-9)
    prior, laws = ChineseRestaurant(3.0), {"concentration": Gamma(1.0, 0.3)}
    assert mean_n_clusters_under(prior, laws, 200) == pytest.approx(exact, rel=1e-5)
    assert mean_n_clusters_under(prior, {}, 200) == pytest.approx(mean(3.0), rel=1e-12)
    both = {**laws, "discount": Beta(1, 3)}
    p, q = ((np.arange(60) + 0.5) / 60 for _ in range(2))
    each = [PitmanYor(known.ppf(a), beta_law(1, 3).ppf(b)).mean_n_clusters(50) for a in p for b in q]
    assert mean_n_clusters_under(PitmanYor(1.0, 0.1), both, 50) == pytest.approx(np.mean(each), rel=4e-3)
    assert mean_n_clusters_under(PitmanYor(1.0, 0.1), both, 50, 5) == pytest.approx(np.mean(each), rel=4e-3)
    shape, rate = 0.5, 0.1  # steep at 0, with a long tail
    wide = gamma_law(shape, scale=1 / rate)
    exact, _ = integrate.quad(
        lambda root: wide.pdf(root**2) * mean(root**2) * 2 * root, 0, 20, limit=500, epsabs=0, epsrel=1e-9
    )
    assert mean_n_clusters_under(prior, {"concentration": Gamma(shape, rate)}, 200) == pytest.approx(exact, rel=1e-5)
