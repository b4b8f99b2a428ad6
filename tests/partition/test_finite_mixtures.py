"""Mixtures of finite mixtures where sums over the number of components are long, and what is refused.

Probabilities, tables, laws of K and draws of few points are checked with those of all priors, and samplers too.
"""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from command_line import cli
from scipy import stats
from scipy.special import gammaln

import dpviz
from dpviz.analysis.parameters import with_parameter
from dpviz.errors import InvalidParameterError
from dpviz.partition import MixtureOfFiniteMixtures
from dpviz.partition.component_laws import LAWS, as_component_law

SEVERAL = [
    "bnb(1,4,3)",
    "bnb(0.5,0.2,9)",
    "bnb(100,4,300)",
    "poisson(1)",
    "poisson(3000)",
    "geometric(0.3)",
    "geometric(1e-6)",
]
EPSILON = np.finfo(float).eps
"""Ln V is a difference of numbers as large as ln Γ((γ + 1) n), or ln Γ(3000) under a Poisson law; rounding stays."""
every_law = pytest.mark.parametrize("law", SEVERAL)


def log_v(prior, n, t):
    """Ln V_n(t), from the probability of a partition into t clusters."""
    sizes = np.array([n - t + 1, *[1] * (t - 1)])
    blocks = gammaln(sizes + prior.gamma) - gammaln(prior.gamma)
    return prior.quick_log_probability(sizes) - float(blocks.sum())


# --- sums over the number of components -------------------------------------------------------------------------------


@every_law
@pytest.mark.parametrize("gamma", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("n", [6, 300, 100_000])
def test_leaving_a_point_out_gives_the_law_without_it(law, gamma, n):
    """V_n(t) = (n + γt) V_{n+1}(t) + γ V_{n+1}(t + 1), up to t = n, where only the tail of the law makes sums end."""
    prior = MixtureOfFiniteMixtures(gamma, law)
    for t in sorted({1, 2, n // 100 + 1, n // 2, n - 1, n}):
        terms = math.log(n + gamma * t) + log_v(prior, n + 1, t), math.log(gamma) + log_v(prior, n + 1, t + 1)
        expected = np.logaddexp(*terms)
        assert log_v(prior, n, t) == pytest.approx(expected, abs=20 * EPSILON * gammaln((n + 1) * (gamma + 2) + 3000))


@pytest.mark.parametrize("law", ["bnb(1,4,3)", "bnb(2,6,1.5)", "poisson(40)", "geometric(0.05)"])
@pytest.mark.parametrize(("n", "t"), [(30, 1), (30, 12), (200, 3), (200, 150), (8, 7)])
def test_sums_are_those_term_by_term(law, n, t):
    for gamma in (0.2, 5.0):
        exact = naive.log_v(n, t, gamma, law)
        assert log_v(MixtureOfFiniteMixtures(gamma, law), n, t) == pytest.approx(exact, rel=1e-12, abs=1e-10)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 4.0])
def test_a_beta_negative_binomial_law_is_a_mixture_of_geometric_ones(alpha):
    """Its tail, which no sum reaches term by term, is made of the geometric ones' for small p."""
    free = np.linspace(-220, 40, 5201)  # ln p / (1 − p)
    p = 1 / (1 + np.exp(-free))
    density = stats.beta.pdf(p, alpha, 3.0) * p * (1 - p) * (free[1] - free[0])
    kept = (p < 1) & (density > 1e-25)
    for sizes in ([7], [3, 1], [2, 1, 1, 1], [1] * 6):
        by_p = [
            math.exp(MixtureOfFiniteMixtures(1.5, f"geometric({float(q)!r})").log_probability(sizes)) for q in p[kept]
        ]
        mixed = float(np.dot(by_p, density[kept]))
        ours = MixtureOfFiniteMixtures(1.5, f"bnb(1,{alpha},3)").log_probability(sizes)
        assert math.exp(ours) == pytest.approx(mixed, rel=1e-8)


@pytest.mark.parametrize("law", ["bnb(1,4,3)", "poisson(2)", "geometric(0.01)"])
@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_interpolated_tables_are_the_exact_ones(law, gamma):
    n, prior = 20_000, MixtureOfFiniteMixtures(gamma, law)
    table = prior.open_table(n)
    assert len(table) == n + 1 and table[0] == 0 and table[n] == -np.inf and np.isfinite(table[:n]).all()
    for t in np.unique(np.geomspace(1, n - 1, 40).astype(int)):
        exact = math.log(gamma) + log_v(prior, n, t + 1) - log_v(prior, n, t)
        assert table[t] == pytest.approx(exact, abs=1e-9)  # of differences of numbers of up to 200,000
    assert prior.log_probability([15_000, 4_000, 999, 1]) == pytest.approx(
        prior.quick_log_probability(np.array([15_000, 4_000, 999, 1])), abs=1e-8
    )


@every_law
def test_law_and_mean_of_many_points_agree(law):
    for gamma in (0.3, 2.0):
        prior = MixtureOfFiniteMixtures(gamma, law)
        probabilities = np.exp(prior.log_pmf_n_clusters(700))
        assert probabilities.sum() == pytest.approx(1, abs=1e-10)
        assert probabilities @ np.arange(701) == pytest.approx(prior.mean_n_clusters(700), rel=1e-10)


def test_the_number_of_clusters_ends_at_that_of_the_components():
    """Given k components and enough points none of them is empty."""
    prior = MixtureOfFiniteMixtures(5.0, "poisson(2)")
    law = np.exp(prior.log_pmf_n_clusters(100_000))
    np.testing.assert_allclose(law[1:15], stats.poisson.pmf(np.arange(14), 2.0), atol=1e-8)
    crp = dpviz.ChineseRestaurant(1.0).mean_n_clusters_up_to(100_000)
    ours = prior.mean_n_clusters_up_to(100_000)
    assert ours[-1] - ours[1000] < 1e-4 and crp[-1] - crp[1000] > 4


@pytest.mark.parametrize(("gamma", "n"), [(500.0, 3000), (1e4, 1100), (1e6, 3000), (1e12, 2000), (1e200, 1500)])
@pytest.mark.parametrize("law", ["poisson(2)", "geometric(0.1)"])
def test_the_law_of_the_number_of_clusters_is_one_for_large_weights(law, gamma, n):
    """All components have equal weights then, so that K is the number of k cells that n balls occupy."""
    prior = MixtureOfFiniteMixtures(gamma, law)
    probabilities = np.exp(prior.log_pmf_n_clusters(n))
    assert probabilities.sum() == pytest.approx(1, abs=1e-8)
    assert probabilities @ np.arange(n + 1) == pytest.approx(prior.mean_n_clusters(n), rel=1e-8)
    k = np.arange(1, 2000)
    weights = stats.poisson.pmf(k - 1, 2.0) if law == "poisson(2)" else 0.1 * 0.9 ** (k - 1)
    occupied = np.dot(weights, k * -np.expm1(n * np.log1p(-1 / np.maximum(k, 1 + 1e-12))))
    assert probabilities @ np.arange(n + 1) == pytest.approx(occupied, rel=0.02 * min(1.0, n / gamma) + 1e-6)


@pytest.mark.parametrize("gamma", [1e-300, 1e-12, 1e12, 1e290])
def test_extreme_weights_stay_finite(gamma):
    prior = MixtureOfFiniteMixtures(gamma, "poisson(1)")
    assert np.isfinite(prior.open_table(50)[:50]).all() and np.isfinite(prior.log_probability([30, 20]))
    assert 1 <= prior.mean_n_clusters(50) <= 2 + 1e-9 and prior.sample(50, 0).max() < 50


def test_one_point_and_two():
    prior = MixtureOfFiniteMixtures(2.0, "geometric(0.25)")
    assert prior.log_probability([1]) == pytest.approx(0, abs=1e-14) and prior.sample(1, 0).tolist() == [0]
    k = np.arange(1.0, 2000)
    together = float(np.sum(0.25 * 0.75 ** (k - 1) * 3 / (2 * k + 1)))  # the second point joins with (1 + γ) / (γk + 1)
    assert math.exp(prior.log_probability([2])) == pytest.approx(together)
    assert prior.seat_probabilities([1]) == pytest.approx([together, 1 - together])


@pytest.mark.parametrize("law", ["bnb(2,5,1.5)", "poisson(3)", "geometric(0.2)"])
def test_drawn_numbers_of_components_have_their_law(law):
    rng = np.random.default_rng(3)
    drawn = np.array([as_component_law(law).draw(rng) for _ in range(20_000)])
    probabilities = np.exp(naive.log_pmf_components(np.arange(1.0, 12), law))
    observed = np.array([np.sum(drawn == k) for k in range(1, 12)] + [np.sum(drawn > 11)])
    expected = 20_000 * np.append(probabilities, 1 - probabilities.sum())
    kept = expected > 5
    pooled = np.append(observed[kept], observed[~kept].sum()), np.append(expected[kept], expected[~kept].sum())
    assert stats.chisquare(*(values[pooled[1] > 0] for values in pooled)).pvalue > 1e-3


# --- texts, values and options ----------------------------------------------------------------------------------------


def test_equal_laws_are_equal_however_they_are_written():
    prior = MixtureOfFiniteMixtures(1, " BNB( 1.0 , 4,3e0 ) ")
    assert prior == MixtureOfFiniteMixtures() and hash(prior) == hash(MixtureOfFiniteMixtures())
    assert prior.n_components == "bnb(1,4,3)" and prior != MixtureOfFiniteMixtures(1, "bnb(1,4,4)")
    assert eval(repr(prior), vars(dpviz)) == prior and prior.describe() == "γ = 1, components − 1 ~ bnb(1,4,3)"
    config = dpviz.RunConfig(family="normal_gamma", prior=None, partition=MixtureOfFiniteMixtures(0.5, "poisson(2)"))
    assert dpviz.RunConfig.from_json(config.to_json()) == config == dpviz.RunConfig.from_query(config.to_query())
    for text, usual in [("poisson(.5)", "poisson(0.5)"), ("Geometric(5e-1)", "geometric(0.5)")]:
        assert str(as_component_law(text)) == usual


NO_LAWS = ["", "bnb(1,4)", "poisson(1,2)", "poisson", "zipf(2)", "poisson(nan)", "poisson(1))", "p" * 9999]


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ("poisson(0)", r"n_components = 'poisson\(0\)': r = 0.0 must be a number > 0 and <= 1e\+06"),
        ("poisson(-1)", "r = -1.0 must be"),
        ("poisson(1e7)", "r = 10000000.0 must be"),
        ("poisson(1e999)", "r = inf must be"),
        ("geometric(0)", "p = 0.0 must be a number >= 1e-100 and < 1"),
        ("geometric(1)", "p = 1.0 must be a number >= 1e-100 and < 1"),
        ("geometric(-0.5)", "p = -0.5 must be"),
        ("bnb(0,4,3)", "r = 0.0 must be a number from 0.1 to 1000"),
        ("bnb(1,-4,3)", "alpha = -4.0 must be"),
        ("bnb(1,4,1e4)", "beta = 10000.0 must be"),
        *((text, r"must be bnb\(r,α,β\), poisson\(r\) or geometric\(p\)") for text in NO_LAWS),
        *((value, "n_components = .* must be bnb") for value in (None, 3, 2.0, ["poisson(1)"], b"poisson(1)", {})),
    ],
)
def test_what_is_no_law_of_components_is_said(law, message):
    with pytest.raises(InvalidParameterError, match=message):
        MixtureOfFiniteMixtures(1.0, law)


@pytest.mark.parametrize("gamma", [0, -1.0, math.nan, math.inf, 1e301, 10**400, None, "1", True])
def test_weights_that_are_none_are_refused(gamma):
    with pytest.raises(InvalidParameterError, match="gamma = .* must be a finite number > 0"):
        MixtureOfFiniteMixtures(gamma)


def test_laws_too_wide_to_sum_are_refused_by_name():
    for call in ("open_table", "log_pmf_n_clusters"):
        with pytest.raises(InvalidParameterError, match=r"n_components = 'bnb\(1,0.1,1\)' must be a narrower law"):
            getattr(MixtureOfFiniteMixtures(1e-12, "bnb(1,0.1,1)"), call)(10)
    with pytest.raises(InvalidParameterError, match="n_points = 100000 must be smaller: the exact law of K"):
        MixtureOfFiniteMixtures().log_pmf_n_clusters(100_000)


def test_laws_explain_their_parameters():
    assert all(parameter.explanation.endswith(".") for law in LAWS.values() for parameter in law.parameters)


def test_a_restaurant_is_turned_into_it():
    base = dpviz.RunConfig(family="normal_gamma", prior=None)
    X = dpviz.datasets.load("iris").X
    assert with_parameter(base, "gamma", 0.5, X).partition == MixtureOfFiniteMixtures(0.5)
    turned = with_parameter(base, "n_components", "poisson(2)", X)
    assert turned.partition == MixtureOfFiniteMixtures(1.0, "poisson(2)")
    assert with_parameter(turned, "gamma", 3.0, X).partition == MixtureOfFiniteMixtures(3.0, "poisson(2)")
    assert with_parameter(base, "n_components", 5, X).partition == dpviz.FiniteDirichlet(3.0, 5)
    law, five = "poisson(2)", with_parameter(base, "n_components", 5, X)
    refused = [(base, "power", "2"), (dpviz.RunConfig("kmeans"), "n_components", law), (five, "n_components", law)]
    for config, name, value in refused:
        with pytest.raises(InvalidParameterError, match=f"{name} = '.*' must be a number"):
            with_parameter(config, name, value, X)


@pytest.mark.parametrize(
    ("options", "partition"),
    [
        ("--gamma 2", MixtureOfFiniteMixtures(2.0)),
        ("--n-components poisson(2)", MixtureOfFiniteMixtures(1.0, "poisson(2)")),
        ("--gamma 2 --n-components geometric(.2)", MixtureOfFiniteMixtures(2.0, "geometric(0.2)")),
        ("--n-components 4", dpviz.FiniteDirichlet(3.0, 4)),
    ],
)
def test_the_command_line_sets_it(tmp_path, options, partition):
    out = tmp_path / "run.json"
    short = "--family normal_gamma --prior none --n-init 1 --effort 0.05"
    assert cli("run iris", short, options, "--out", out) == 0
    assert dpviz.Trace.from_json(out.read_text()).config.partition == partition


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--n-components poisson(-2)", "n_components = 'poisson(-2)': r = -2.0 must be"),
        ("--n-components many", "n_components = 'many' must be bnb(r,α,β)"),
        ("--gamma 0", "gamma = 0.0 must be"),
        ("--gamma 2 --concentration 3", "--concentration is no parameter of MixtureOfFiniteMixtures"),
        ("--algorithm kmeans --n-components poisson(2)", "n_components = 'poisson(2)' must be a number"),
    ],
)
def test_the_command_line_says_what_is_wrong(capsys, options, message):
    assert cli("run iris", options) == 1
    assert message in capsys.readouterr().err


# --- chains -----------------------------------------------------------------------------------------------------------


def test_groups_far_apart_are_found_and_a_restaurant_finds_more():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(150, 2)), rng.normal(size=(150, 2)) + [9, 0]])
    found = {}
    for partition in (MixtureOfFiniteMixtures(1.0, "poisson(1)"), dpviz.ChineseRestaurant(1.0)):
        config = dpviz.RunConfig(
            "gibbs", family="normal_wishart", prior=None, partition=partition, n_sweeps=300, burn_in=50
        )
        found[partition.name] = np.mean(dpviz.run(X, config).n_clusters[51:] == 2)
    assert found["finite_mixtures"] > 0.97 > 0.9 > found["chinese_restaurant"]
