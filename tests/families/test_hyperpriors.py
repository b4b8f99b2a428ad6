"""Learned hyperparameters against integrals over them, closed forms, and the joint distribution itself."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from functools import cache

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from scipy.special import gammaln, logsumexp
from traces import same_trace

import dpviz
import examples
from dpviz.datasets import Display
from dpviz.engine.explain import explain_assignment
from dpviz.engine.fewer_rows import with_rows
from dpviz.engine.hyperparameters import drawn_given, slice_step, with_partition
from dpviz.engine.initialise import start_kinds
from dpviz.engine.kernels.collapsed import CollapsedSweeper, PartitionTables
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.partition import Beta, Gamma, Shifted, as_law
from dpviz.player.run_panel import _Drawn
from examples import SIX

LARGEST_Z = 5.0
RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(centre, 1.0, size=(20, 2)) for centre in ((0, 0), (4, 0), (0, 5))])

LEARNED = [(prior, name) for prior, found in dpviz.PARTITION_PRIORS.items() for name in found.example().learnable]
LAWS = {
    name: as_law(parameter.hyperprior)
    for prior in dpviz.PARTITION_PRIORS.values()
    for name, parameter in prior.example().learnable.items()
    if parameter.hyperprior
}
LAWS |= {"concentration": Gamma(2.0, 1.5), "power": Shifted(1.0, Gamma(1.5, 2.0)), "discount": Beta(1.5, 2.0)}


def scipy_law(law, origin=0.0):
    """Scipy's own of a law."""
    if isinstance(law, Shifted):
        return scipy_law(law.law, law.origin)
    if isinstance(law, Beta):
        return stats.beta(law.a, law.b, loc=origin)
    return stats.gamma(law.shape, loc=origin, scale=1 / law.rate)


BY_SCIPY = {name: scipy_law(law) for name, law in LAWS.items()}
TOGETHER = [
    ("chinese_restaurant", ("concentration",)),
    ("finite_dirichlet", ("concentration",)),
    ("finite_mixtures", ("gamma",)),
    ("pitman_yor", ("concentration", "discount")),
    ("powered", ("concentration", "power")),
]


def quantiles(name, n_nodes):
    """Evenly likely values of a law, by scipy's own."""
    return BY_SCIPY[name].ppf((np.arange(n_nodes) + 0.5) / n_nodes)


def start(prior, names):
    """The example of a prior with values that the laws of the tests may have."""
    usual = {"concentration": 1.2, "power": 1.5, "discount": 0.25}
    return examples.partition_prior(prior).with_values({name: usual.get(name, LAWS[name].mean) for name in names})


def log_weight(prior, sizes, changes):
    return naive.PARTITION_LOG_WEIGHTS[prior](sizes, **{**naive.PARTITION_PARAMETERS[prior], **changes})


@cache
def shapes_and_ways(n):
    """Every shape, with the log of how many partitions have it."""
    found = []
    for sizes in naive.shapes(n):
        repeats = sum(math.lgamma(count + 1) for count in Counter(sizes).values())
        found.append((sizes, math.lgamma(n + 1) - sum(math.lgamma(size + 1) for size in sizes) - repeats))
    return found


def log_normaliser(prior, n, changes):
    """Sum over every shape, times the partitions that have it."""
    return float(logsumexp([ways + log_weight(prior, sizes, changes) for sizes, ways in shapes_and_ways(n)]))


def z_scores(drawn, expected, n_batches=40):
    """Of means of correlated draws (S, M), by batch means."""
    batches = drawn[: len(drawn) // n_batches * n_batches].reshape(n_batches, -1, drawn.shape[1]).mean(axis=1)
    return (drawn.mean(axis=0) - expected) / np.sqrt(batches.var(axis=0, ddof=1) / n_batches)


def in_bins(values, edges):
    """Which bin each value is in, as indicators."""
    return (np.searchsorted(edges, values)[:, None] == np.arange(len(edges) + 1)).astype(float)


# --- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_scipys(name):
    law, known = LAWS[name], BY_SCIPY[name]
    values = known.ppf([0.001, 0.2, 0.5, 0.9, 0.999])
    assert_allclose([law.log_density(value) for value in values], known.logpdf(values), rtol=1e-10)
    assert_allclose([law.quantile(p) for p in (0.001, 0.2, 0.9)], known.ppf([0.001, 0.2, 0.9]), rtol=1e-9)
    assert law.mean == pytest.approx(known.mean(), rel=1e-12)
    assert (law.log_density(known.support()[0]), law.contains(known.support()[0])) == (-math.inf, False)


@pytest.mark.parametrize(
    "law", [Gamma(0.4, 3.0), Beta(0.6, 2.5), Shifted(1.0, Gamma(3.0, 0.2)), Shifted(2, Beta(3, 4))]
)
def test_the_free_coordinate_is_a_change_of_variables(law):
    total, _ = integrate.quad(
        lambda u: math.exp(law.free_log_density(u)), *np.clip(law.free_bounds, -120, 60), limit=400
    )
    assert total == pytest.approx(1.0, abs=1e-6)
    centre, _ = integrate.quad(lambda u: u * math.exp(law.free_log_density(u)), -60, 60, limit=400)
    square, _ = integrate.quad(lambda u: u**2 * math.exp(law.free_log_density(u)), -60, 60, limit=400)
    assert law.free_spread == pytest.approx(math.sqrt(square - centre**2), rel=1e-4)
    for free in (-3.0, 0.1, 2.0):
        assert law.to_free(law.from_free(free)) == pytest.approx(free, abs=1e-9)


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (Gamma(1, 0.3), "gamma(1,0.3)"),
        (Beta(1 / 3, 2), "beta(0.3333333333333333,2)"),
        (Shifted(1, Gamma(1, 10)), "1+gamma(1,10)"),
        (Shifted(-0.5, Beta(2, 1e-1)), "-0.5+beta(2,0.1)"),
    ],
)
def test_laws_are_written_and_read_without_loss(law, text):
    assert str(law) == text and as_law(text) == law == as_law(law)
    assert as_law(f"  {text.upper().replace(',', ' , ')} ") == law


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("normal(0,1)", r"= 'normal\(0,1\)' must be a law such as Gamma\(1, 0.3\)"),
        ("gamma(1)", "must be a law such as"),
        ("gamma(0,1)", r"shape = 0.0 must be a number from 0.01 to 1e\+06"),
        ("beta(1,1e9)", r"b = 1000000000.0 must be a number from 0.01 to 1e\+06"),
        ("1+1+gamma(1,1)", "must be a law such as"),
        ("9e99+gamma(1,1)", "origin = 9e"),
        (("gamma", 1, 1), "must be a law such as"),
        ("gamma(" + "1" * 500 + ",1)", "must be a law such as"),
    ],
)
def test_what_is_no_law_is_said(text, message):
    with pytest.raises(InvalidParameterError, match=message):
        as_law(text)
    with pytest.raises(InvalidParameterError, match=r"law = .* must be a Gamma or a Beta"):
        Shifted(1, Shifted(1, Gamma(1, 1)))


# --- draws given a partition ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", dpviz.PARTITION_PRIORS)
def test_the_quick_probability_is_the_exact_one(prior):
    found = examples.partition_prior(prior)
    for sizes in ([1], [6], [1, 1, 1], [9, 4, 1, 1]):
        expected = found.log_probability(sizes)
        assert found.quick_log_probability(np.array(sizes)) == pytest.approx(expected, abs=1e-10)
    if prior == "finite_dirichlet":
        assert found.quick_log_probability(np.ones(5, dtype=np.int64)) == -math.inf
        for sizes in ([1] * 40, [30, 2, *[1] * 37]):  # most components are open, then all, of many
            many = dpviz.FiniteDirichlet(0.37, 40 if len(sizes) == 40 else 10**7)
            assert many.quick_log_probability(np.array(sizes)) == pytest.approx(many.log_probability(sizes), rel=1e-12)


@pytest.mark.parametrize(("prior", "name"), LEARNED)
def test_the_probability_as_a_function_of_one_parameter_is_that_of_the_prior_with_it(prior, name):
    found, sizes = start(prior, [name]), np.array([7, 4, 1])
    before = repr(found)
    log_probability = found.log_probabilities_of(name, sizes)
    for value in (0.3, 0.9, 0.3):
        expected = found.with_values({name: value}).log_probability(sizes)
        assert log_probability(value) == pytest.approx(expected, abs=1e-10)
    assert repr(found) == before


@pytest.mark.parametrize("shifted", [False, True], ids=["plain", "shifted"])
@pytest.mark.parametrize(("prior", "name"), LEARNED)
def test_draws_given_a_partition_have_the_law_that_integration_gives(prior, name, shifted):
    """A shifted law has no auxiliary variable, so that slices are tried on the Chinese restaurant too."""
    others = {"power": Gamma(4, 4), "discount": Beta(1, 1)}
    law = others.get(name, Shifted(0.3, Gamma(2.0, 1.5))) if shifted else LAWS[name]
    known = scipy_law(law)
    sizes = np.array([5, 3, 1])
    grid = known.ppf((np.arange(500) + 0.5) / 500)
    log_likelihood = [log_weight(prior, sizes, {name: v}) - log_normaliser(prior, 9, {name: v}) for v in grid]
    posterior = np.exp(log_likelihood - logsumexp(log_likelihood))
    below = np.cumsum(posterior)
    places = [int(np.searchsorted(below, share)) for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    edges = (grid[places] + grid[np.array(places) + 1]) / 2
    expected = np.diff(np.concatenate([[0.0], below[places], [1.0]]))
    partition, rng, drawn = start(prior, [name]), np.random.default_rng(1), []
    for _ in range(4000):
        partition = drawn_given(partition, name, law, sizes, rng)
        drawn.append(getattr(partition, name))
    assert np.abs(z_scores(in_bins(np.array(drawn), edges), expected)).max() < LARGEST_Z


def two_far_peaks(u):
    return float(np.logaddexp(-0.5 * (u + 3) ** 2, -0.5 * (u - 3) ** 2)) if -4 <= u <= 5 else -math.inf


def in_pieces(u):
    return 0.0 if any(low <= u <= high for low, high in ((-1.0, 0.0), (0.5, 0.7), (0.9, 1.3))) else -math.inf


@pytest.mark.parametrize(
    ("log_density", "width", "bounds", "edges"),
    [
        (two_far_peaks, 2.0, (-4.0, 5.0), [-3.0, -1.0, 1.0, 3.0, 4.0]),
        (in_pieces, 0.6, (-5.0, 5.0), [-0.6, -0.2, 0.0, 0.6, 0.8, 1.0, 1.2]),
    ],
)
def test_a_slice_leaves_laws_with_far_peaks_hard_ends_and_gaps_as_they_are(log_density, width, bounds, edges):
    """Steps out that are shorter than a gap: what reaches over it must reach back as often."""
    grid = np.linspace(*bounds, 200_001)
    density = np.exp([log_density(u) for u in grid])
    shares = np.bincount(np.searchsorted(edges, grid), density) / density.sum()
    rng, state, drawn = np.random.default_rng(2), grid[density.argmax()], []
    for _ in range(100_000):
        state = slice_step(log_density, state, width, bounds, rng)
        drawn.append(state)
    assert np.abs(z_scores(in_bins(np.array(drawn), edges), shares)).max() < LARGEST_Z


@pytest.mark.parametrize("sizes", [[2], [1, 1], [40]])
def test_the_auxiliary_variable_is_exact_where_its_weights_matter_most(sizes):
    law, sizes = Gamma(0.7, 0.4), np.array(sizes)
    u = np.linspace(-60, 8, 680_001)
    values = np.exp(u)
    log_weights = 0.7 * u - 0.4 * values + len(sizes) * u + gammaln(values) - gammaln(values + sizes.sum())
    below = np.cumsum(np.exp(log_weights - log_weights.max()))
    edges = values[np.searchsorted(below / below[-1], [0.1, 0.3, 0.5, 0.7, 0.9])]
    prior, rng, drawn = dpviz.ChineseRestaurant(1.0), np.random.default_rng(4), []
    for _ in range(100_000):
        prior = drawn_given(prior, "concentration", law, sizes, rng)
        drawn.append(prior.concentration)
    assert np.abs(z_scores(in_bins(np.array(drawn), edges), [0.1, 0.2, 0.2, 0.2, 0.2, 0.1])).max() < LARGEST_Z


# --- the whole chain --------------------------------------------------------------------------------------------------


def exact_law(prior, names, n_nodes):
    """Posterior of partitions of six points, and joint posterior of hyperparameters at evenly likely nodes."""
    model = naive.Model(SIX, "normal_gamma", examples.hyperparameters("normal_gamma", 2), prior)
    partitions = naive.set_partitions(6)
    marginals = np.array([sum(map(model.log_marginal, naive.blocks_of(labels))) for labels in partitions])
    shapes = [tuple(sorted(np.bincount(labels).tolist())) for labels in partitions]
    nodes = (
        np.array(np.meshgrid(*(quantiles(name, n_nodes) for name in names), indexing="ij")).reshape(len(names), -1).T
    )
    joint = np.empty((len(nodes), len(partitions)))
    for row, values in enumerate(nodes):
        changes = dict(zip(names, values.tolist(), strict=True))
        weights = {shape: log_weight(prior, shape, changes) for shape in set(shapes)}
        log_prior = np.array([weights[shape] for shape in shapes])
        joint[row] = marginals + log_prior - logsumexp(log_prior)
    joint = np.exp(joint - logsumexp(joint))
    return partitions, joint.sum(axis=0), nodes, joint.sum(axis=1)


def codes(labels):
    first, second = np.triu_indices(labels.shape[1], 1)
    return (labels[:, first] == labels[:, second]) @ (1 << np.arange(len(first)))


@pytest.mark.parametrize(
    ("prior", "names"), [TOGETHER[0], *(pytest.param(*each, marks=pytest.mark.slow) for each in TOGETHER[1:])]
)
def test_law_of_partitions_and_of_hyperparameters_with_them_integrated_out(prior, names):
    n_draws = 20_000
    partitions, exact, nodes, posterior = exact_law(prior, names, {1: 400, 2: 60}[len(names)])
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_gamma",
        prior=examples.hyperparameters("normal_gamma", 2),
        init="single",
        partition=start(prior, names),
        hyperpriors={name: LAWS[name] for name in names},
        n_sweeps=100 + n_draws,
        burn_in=100,
        seed=3,
    )
    trace = dpviz.run(SIX, config)
    labels = trace.labels[trace.label_sweeps > 100]
    order = np.argsort(codes(partitions))
    where = order[np.searchsorted(codes(partitions)[order], codes(labels))]
    assert 0.5 * np.abs(np.bincount(where, minlength=203) / n_draws - exact).sum() <= 6 / np.sqrt(n_draws)
    together = (partitions[:, :1] == partitions[:, 1:]).astype(float)
    by_k = (partitions.max(axis=1)[:, None] == np.arange(6)).astype(float)
    features = np.hstack([together, by_k])
    common = (exact @ features > 5e-3) & (exact @ features < 1 - 5e-3)
    assert np.abs(z_scores(features[where][:, common], exact @ features[:, common])).max() < LARGEST_Z
    for h, name in enumerate(names):
        values = np.unique(nodes[:, h])
        law = np.array([posterior[nodes[:, h] == value].sum() for value in values])
        edges = BY_SCIPY[name].ppf([0.1, 0.3, 0.5, 0.7, 0.9])  # nodes lie evenly on either side of each
        expected = np.bincount(np.searchsorted(edges, values), law, minlength=6)
        drawn = trace.hyperparameters[name][101:]
        assert 0.5 * np.abs(expected - np.diff([0, 0.1, 0.3, 0.5, 0.7, 0.9, 1])).sum() > 0.02, "nothing is learned"
        assert np.abs(z_scores(in_bins(drawn, edges), expected)).max() < LARGEST_Z, name


@pytest.mark.parametrize(
    "options", [{}, {"split_merge": 2}, {"sampler": "explicit_parameters"}, {"order": "index"}], ids=str
)
def test_a_chain_sweeps_as_without_hyperpriors_and_draws_in_turn(options):
    """By hand, with the same generator; what the draws have to be is tested above, and the sweeps elsewhere."""
    names = ("concentration", "discount")
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_gamma",
        prior=examples.hyperparameters("normal_gamma", 2),
        init="single",
        partition=start("pitman_yor", names),
        hyperpriors={name: LAWS[name] for name in names},
        n_sweeps=200,
        burn_in=0,
        seed=3,
        **options,
    )
    trace, rng = dpviz.run(SIX, config), np.random.default_rng([config.seed, 0])
    problem = Problem.check(SIX, replace(config, hyperpriors=None))
    stepper, partition = problem.algorithm.stepper(problem, start_kinds(problem)[0], rng), problem.partition
    for sweep in range(1, 201):
        stepper.step(sweep)
        for name in names:
            partition = drawn_given(partition, name, LAWS[name], stepper.score().sizes, rng)
        stepper.use(PartitionTables(partition, len(SIX)))
        assert_array_equal(trace.labels_at(sweep), stepper.score().labels)
        assert (trace.nll[sweep], trace.partition_at(sweep)) == (stepper.score().nll, partition)
    assert len(np.unique(trace.n_clusters)) > 2


# --- traces, stored runs, continued chains ----------------------------------------------------------------------------

PITMAN_YOR = {
    "partition": dpviz.PitmanYor(0.7, 0.3),
    "hyperpriors": {"discount": "beta(1,3)", "concentration": Gamma(1, 0.3)},
}
CHAINS = {
    "chinese restaurant": {"hyperpriors": {"concentration": "gamma(1,0.3)"}},
    "split and merge": {**PITMAN_YOR, "split_merge": 2},
    "thinned": {**PITMAN_YOR, "thin": 4, "burn_in": 3},
    "powered": {"partition": dpviz.PoweredChineseRestaurant(1.0, 1.1), "hyperpriors": {"power": "1+gamma(1,10)"}},
}


def chain(name, n_sweeps=40):
    usual = {"family": "normal_wishart", "prior": None, "n_sweeps": n_sweeps, "burn_in": 2, "seed": 9}
    return dpviz.RunConfig("gibbs", **{**usual, **CHAINS[name]})


@pytest.mark.parametrize("name", CHAINS)
def test_resumed_is_uninterrupted_and_stored_is_lossless(name):
    whole = dpviz.run(X, chain(name))
    first = dpviz.Trace.from_json(dpviz.run(X, chain(name, 17)).to_json())
    same_trace(dpviz.resume(X, first, 40), whole, "seconds")
    same_trace(dpviz.Trace.from_json(whole.to_json()), whole)
    for values in whole.hyperparameters.values():
        assert len(values) == whole.n_sweeps + 1 and len(np.unique(values)) == len(values)
    records = list(dpviz.iterate(X, chain(name)))
    assert_array_equal([record.hyperparameters for record in records], whole.learned)


def test_a_chain_begins_with_the_values_of_its_prior_and_its_nll_is_that_at_the_present_ones():
    trace = dpviz.run(X, chain("split and merge"))
    assert trace.partition_at(0) == dpviz.PitmanYor(0.7, 0.3)
    assert list(trace.hyperparameters) == ["concentration", "discount"]
    fixed = replace(trace.config, hyperpriors=None)
    for sweep in (0, 1, 7, 40):
        held = replace(fixed, partition=trace.partition_at(sweep), init=trace.labels_at(sweep), n_sweeps=3)
        began = dpviz.run(X, held)
        assert trace.nll[sweep] == pytest.approx(began.nll[0], rel=1e-12)
        assert trace.objective[sweep] == pytest.approx(began.objective[0], rel=1e-12)
    assert trace.to_frame()["discount"].tolist() == trace.hyperparameters["discount"].tolist()


def test_explanations_and_slow_motion_weigh_by_the_values_of_their_sweep():
    trace = dpviz.run(X, chain("chinese restaurant"))
    concentration = trace.hyperparameters["concentration"]
    for sweep in (3, 40):
        new = explain_assignment(X, trace, sweep, 5).loc[-1, "neg_log_weight"]
        assert new == pytest.approx(-math.log(concentration[sweep]), rel=1e-12)
    problem = Problem.check(X, trace.config)
    motion = problem.algorithm.slow_motion(problem, trace, 4)
    first = problem.algorithm.slow_motion(problem, trace, 1)
    fixed = dpviz.run(X, replace(trace.config, hyperpriors=None))
    same = Problem.check(X, fixed.config)
    assert_array_equal(first.costs, same.algorithm.slow_motion(same, fixed, 1).costs)
    assert np.isfinite(motion.costs[0]).any()


def test_densities_are_averaged_over_draws_each_with_its_own_values():
    trace = dpviz.run(X, chain("thinned"))
    problem, points = Problem.check(X, trace.config), np.array([[0.0, 0.0], [9.0, -9.0]])
    densities = []
    for row in np.flatnonzero(trace.label_sweeps > 3):
        own = replace(trace.config, hyperpriors=None, partition=trace.partition_at(int(trace.label_sweeps[row])))
        scores = PartitionPredictive(Problem.check(X, own), trace.labels[row].astype(np.int64)).log_scores(points)
        densities.append(np.exp(scores).sum(axis=1))
    fitted = problem.algorithm.fitted(problem, trace)
    assert_allclose(np.exp(fitted.log_density(points)), np.mean(densities, axis=0), rtol=1e-12)
    best = with_partition(problem, trace.partition_at(trace.result_sweep))
    expected = np.exp(PartitionPredictive(best, trace.result_labels).log_weights[:-1])
    assert_allclose(fitted.weights(), expected, rtol=1e-12)


def test_maps_of_the_plane_are_those_of_the_values_of_their_sweep():
    trace = dpviz.run(X, chain("split and merge"))
    row = int(np.argmax(trace.hyperparameters["concentration"]))
    held = replace(trace.config, hyperpriors=None, partition=trace.partition_at(row))
    fixed = replace(trace, config=held, learned=None)
    display = Display(X, ("x", "y"), np.eye(2), np.zeros(2))
    runs = [with_rows(each, np.array([row])) for each in (trace, fixed)]
    maps = [_Drawn(each, Problem.check(X, each.config), display).background() for each in runs]
    assert_array_equal(maps[0]["density_image"].values, maps[1]["density_image"].values)
    assert_array_equal(maps[0]["region_image"].labels, maps[1]["region_image"].labels)


def test_another_prior_between_two_sweeps_scores_as_one_built_for_it():
    problem = Problem.check(X, chain("chinese restaurant"))
    working, labels, other = problem.working, np.arange(60) % 3, dpviz.PitmanYor(2.0, 0.4)
    clusters, built = (
        CollapsedSweeper(working.family, working.X, working.log_jacobian, prior, labels, 1.0)
        for prior in (problem.partition, other)
    )
    clusters.use(PartitionTables(other, 60))
    assert (clusters.nll, clusters.objective) == (built.nll, built.objective)


def test_the_estimator_learns():
    model = dpviz.GibbsDP(
        "normal_wishart",
        prior=None,
        hyperpriors={"concentration": "gamma(1,0.3)"},
        n_sweeps=40,
        burn_in=2,
        random_state=1,
    ).fit(X)
    assert model.trace_.hyperparameters["concentration"].shape == (41,)
    assert np.isfinite(model.score_samples(X)).all()
    begun = dpviz.GibbsDP(
        "normal_wishart",
        concentration=0.5,
        prior=None,
        hyperpriors={"concentration": "gamma(1,9)"},
        n_sweeps=4,
        burn_in=0,
    ).fit(X)
    assert begun.trace_.partition_at(0) == dpviz.ChineseRestaurant(0.5) and begun.get_params()["hyperpriors"]
    with pytest.raises(TypeError, match="hyperpriors"):
        dpviz.MAPDP(hyperpriors={})


# --- configurations ---------------------------------------------------------------------------------------------------


def test_configurations_carry_laws_through_text_and_links():
    config = chain("split and merge")
    assert config.hyperpriors == (("concentration", Gamma(1, 0.3)), ("discount", Beta(1, 3)))
    assert json.loads(config.to_json())["hyperpriors"] == {"concentration": "gamma(1,0.3)", "discount": "beta(1,3)"}
    assert dpviz.RunConfig.from_json(config.to_json()) == config == dpviz.RunConfig.from_query(config.to_query())
    assert hash(config) == hash(replace(config)) and replace(config, hyperpriors={}).hyperpriors is None
    assert "hyperpriors" not in dpviz.RunConfig("gibbs").to_dict()


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        (
            "mapdp",
            {"hyperpriors": {"concentration": "gamma(1,1)"}},
            r"hyperpriors = .* None with algorithm='mapdp'.* gibbs",
        ),
        ("kmeans", {"hyperpriors": {"concentration": "gamma(1,1)"}}, r"hyperpriors = .* None with algorithm='kmeans'"),
        (
            "gibbs",
            {"hyperpriors": {"power": "gamma(1,1)"}},
            r"hyperpriors = 'power' must be .*concentration with Chinese",
        ),
        ("gibbs", {"hyperpriors": {"concentration": 3.0}}, r"hyperpriors\['concentration'\] = 3.0 must be a law"),
        (
            "gibbs",
            {"hyperpriors": {"concentration": "-1+gamma(1,1)"}},
            r"= '-1\+gamma\(1,1\)' must be a law of numbers above 0",
        ),
        (
            "gibbs",
            {"hyperpriors": {"concentration": "5+gamma(1,1)"}},
            r"concentration = 3.0 must be inside the support",
        ),
        ("gibbs", {"hyperpriors": 3}, r"hyperpriors = 3 must be a mapping"),
        (
            "gibbs",
            {"hyperpriors": ("concentration", "gamma(1,1)")},
            r"hyperpriors = .* must be a mapping",
        ),
        ("gibbs", {"options": (1, 2)}, r"options = \(1, 2\) must be a dict of options"),
        ("gibbs", {"hyperpriors": {"concentration": "gamma(1,1)"}, "temperature": 2.0}, "None with .*temperature=2"),
        (
            "gibbs",
            {
                "hyperpriors": {"concentration": "gamma(1,1)"},
                "sampler": "explicit_weights",
                "partition": dpviz.FiniteDirichlet(1.0, 4),
            },
            "None with sampler='explicit_weights'",
        ),
        (
            "gibbs",
            {"hyperpriors": {"n_components": "gamma(1,1)"}, "partition": dpviz.FiniteDirichlet(1.0, 4)},
            "hyperpriors = 'n_components' must be .*concentration",
        ),
        (
            "gibbs",
            {"hyperpriors": {"discount": "gamma(1,1)"}, "partition": dpviz.PitmanYor(1.0, 0.2)},
            r"hyperpriors\['discount'\] = 'gamma\(1,1\)' must be a law of numbers between 0 and 1",
        ),
    ],
)
def test_bad_values_are_named_with_their_bounds(algorithm, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        dpviz.RunConfig(algorithm, **options)


def test_a_normaliser_that_takes_too_long_is_refused_before_the_run():
    many = RNG.normal(size=(3001, 1))
    config = replace(chain("powered"), family="normal_gamma")
    with pytest.raises(InvalidParameterError, match=r"hyperpriors = .* must be None for 3,001 points.* at most 3,000"):
        dpviz.run(many, config)
    assert dpviz.run(many[:300], replace(config, n_sweeps=3)).n_sweeps == 3


@pytest.mark.parametrize("damage", ["missing", "columns", "rows", "nan", "below"])
def test_damaged_hyperparameters_are_refused(damage):
    trace = dpviz.run(X, chain("powered", 6))
    stored = json.loads(trace.to_json())
    learned = np.array(trace.learned)
    changed = {
        "columns": np.hstack([learned, learned]),
        "rows": learned[:-1],
        "nan": np.where(np.arange(7)[:, None] == 3, np.nan, learned),
        "below": learned - 5,
    }
    if damage == "missing":
        del stored["arrays"]["learned"]
    else:
        other = object.__new__(dpviz.Trace)
        vars(other).update({**vars(trace), "learned": changed[damage]})
        stored["arrays"]["learned"] = json.loads(other.to_json())["arrays"]["learned"]
    with pytest.raises(TraceFormatError, match="hyperparameters"):
        dpviz.Trace.from_json(json.dumps(stored))
