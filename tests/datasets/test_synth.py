"""Synthetic scenarios: the papers' stories hold, the same seed gives the same data, bad arguments are named."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest, multivariate_normal
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score as nmi

from dpviz.datasets import SCENARIOS, Dataset, from_points, synthesize
from dpviz.datasets.scenario import group_sizes
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError, MemoryLimitError
from dpviz.families import NormalWishart
from dpviz.partition import FiniteDirichlet

SIX = {  # name: shares, K-means column and MAP-DP column of Table 1 (2016 paper)
    "spherical_unequal_radius": ((1 / 3, 1 / 3, 1 / 3), 0.57, 0.97),
    "spherical_unequal_density": ((0.69, 0.29, 0.02), 0.48, 0.98),
    "spherical_outliers": ((1 / 3, 1 / 3, 1 / 3), 0.67, 0.93),
    "elliptical_rotated": ((1 / 3, 1 / 3, 1 / 3), 0.56, 0.98),
    "elliptical_separated": ((0.12, 0.28, 0.60), 1.00, 1.00),
    "elliptical_overlap": ((0.30, 0.05, 0.65), 0.56, 0.88),
}
UNREACHABLE = "spherical_unequal_density"


def k_means(data: Dataset) -> np.ndarray:
    return KMeans(3, n_init=10, random_state=0).fit_predict(data.X)


def median_k_means_score(name: str, **parameters: float) -> float:
    draws = (synthesize(name, seed=seed, **parameters) for seed in range(20))
    return float(np.median([nmi(data.labels, k_means(data)) for data in draws]))


def best_classifier_score(data: Dataset) -> float:
    """Score of the classifier that knows each group's share, mean and covariance (from the labelled points)."""
    groups = [data.X[data.labels == k] for k in range(3)]
    log_joint = [
        math.log(len(g)) + multivariate_normal.logpdf(data.X, g.mean(axis=0), np.cov(g.T).reshape(data.n_features, -1))
        for g in groups
    ]
    clustered = data.labels < 3
    return float(nmi(data.labels[clustered], np.argmax(log_joint, axis=0)[clustered]))


@pytest.mark.parametrize("name", [name for name in SIX if name != UNREACHABLE])
def test_k_means_scores_as_in_table_1(name):
    assert median_k_means_score(name) == pytest.approx(SIX[name][1], abs=0.05)


@pytest.mark.parametrize("name", SIX)
def test_the_groups_are_as_separable_as_map_dp_found_them(name):
    scores = [best_classifier_score(synthesize(name, seed=seed)) for seed in range(20)]
    assert np.median(scores) >= SIX[name][2] - 0.05


def test_unequal_density_fails_k_means_but_reaches_the_printed_score_only_by_overlap():
    assert 0.63 < median_k_means_score(UNREACHABLE) < 0.72
    assert median_k_means_score(UNREACHABLE, separation=3.2) == pytest.approx(SIX[UNREACHABLE][1], abs=0.05)
    assert best_classifier_score(synthesize(UNREACHABLE, separation=3.2)) < 0.75
    assert "0.48" in synthesize(UNREACHABLE).notes[0]


@pytest.mark.parametrize("name", SIX)
def test_the_six_scenarios_have_4000_points_in_the_printed_shares(name):
    data = synthesize(name)
    assert data.X.shape == (4000, 2)
    shares = np.bincount(data.labels)[:3] / 4000
    assert_allclose(shares, SIX[name][0], atol=0.0011)
    assert data.notes and "2016 paper, Sec. 5." in data.citation


def test_k_means_spends_one_cluster_on_all_four_outliers():
    data = synthesize("spherical_outliers")
    outliers = data.labels >= 3
    assert outliers.sum() == 4 and np.bincount(data.labels)[3:].tolist() == [2, 2]
    assert_allclose(np.linalg.norm(data.X[outliers], axis=1), 90, atol=3)
    found = k_means(data)
    (cluster,) = set(found[outliers])
    assert (found == cluster).sum() == 4


def test_k_means_leaves_the_true_clustering_of_rotated_ellipses_for_a_lower_objective():
    data = synthesize("elliptical_rotated")
    means = np.array([data.X[data.labels == k].mean(axis=0) for k in range(3)])
    true_objective = sum(((data.X[data.labels == k] - means[k]) ** 2).sum() for k in range(3))
    from_the_truth = KMeans(3, init=means, n_init=1).fit(data.X)
    assert from_the_truth.n_iter_ > 1
    assert min(from_the_truth.inertia_, KMeans(3, n_init=10, random_state=0).fit(data.X).inertia_) < true_objective


def test_k_means_splits_the_largest_cluster_and_merges_it_with_the_smallest():
    data = synthesize("spherical_unequal_density")
    found = k_means(data)
    (of_smallest,) = {np.bincount(found[data.labels == 2]).argmax()}
    assert 0.3 < np.mean(found[data.labels == 0] == of_smallest) < 0.7
    assert np.bincount(found).min() > 0.25 * 4000


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_same_seed_gives_the_same_data_whatever_the_global_state(name):
    first = synthesize(name, n=200, seed=7)
    np.random.seed(1)  # noqa: NPY002  (the point is that this changes nothing)
    random.seed(1)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    again = synthesize(name, n=200, seed=7)
    assert_array_equal(first.X, again.X)
    assert_array_equal(first.labels, again.labels)
    assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002
    assert not np.array_equal(first.X, synthesize(name, n=200, seed=8).X)


@pytest.mark.parametrize(
    "words",
    [
        "spherical",
        "elliptical",
        "outliers",
        "unequal density",
        "unequal radius",
        "unequal volume",
        "rotated",
        "overlap",
        "well separated",
        "equal density",
        "equal volume",
        "circles",
        "ellipses",
        "pCRP",
        "Dirichlet process",
        "Chinese restaurant",
        "over-clustering",
        "non-Gaussian",
        "noise",
        "no clusters",
        "high-dimensional",
        "mixed",
        "missing data",
        "uniform",
        "rings",
        "moons",
    ],
)
def test_words_of_the_papers_find_a_scenario(words):
    found = [name for name, scenario in SCENARIOS.items() if words.lower() in scenario.found_by.lower()]
    assert found and len(found) <= 6


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_describes_itself_and_its_sliders(name):
    scenario, data = SCENARIOS[name], synthesize(name)
    assert scenario.found_by == f"{scenario.title} · {scenario.also}" and scenario.also
    assert scenario.name == name and scenario.title and scenario.watch.endswith((".", "!", "?"))
    assert (data.n_points, data.title, data.watch) == (scenario.n, scenario.title, scenario.watch)
    assert set(data.labels) == set(range(len(data.label_names)))
    for parameter in scenario.parameters:
        assert parameter.explanation and parameter.lower <= parameter.default <= parameter.upper
        assert type(parameter.default) is type(parameter.step) is type(parameter.lower) is type(parameter.upper)
        assert 0 < parameter.step < parameter.upper - parameter.lower
        assert f"{parameter.name}={parameter.default!r}" in data.source


@pytest.mark.parametrize(
    ("name", "parameter", "end"),
    [(name, p.name, end) for name, s in SCENARIOS.items() for p in s.parameters for end in ("lower", "upper")],
)
def test_every_slider_works_at_both_ends_and_changes_the_data(name, parameter, end):
    (slider,) = (p for p in SCENARIOS[name].parameters if p.name == parameter)
    given = {parameter: getattr(slider, end)}
    if parameter == "smallest_share" and end == "upper" and name == "spherical_unequal_density":
        given["largest_share"] = 0.5
    data = synthesize(name, n=300, **given)
    assert np.isfinite(data.X[~np.isnan(data.X)]).all() and data.n_points == 300
    assert np.isnan(data.X).any() == (parameter == "missing" and end == "upper")
    if getattr(slider, end) != slider.default:
        assert not np.array_equal(data.X, synthesize(name, n=300).X)


@pytest.mark.parametrize("name", [name for name, s in SCENARIOS.items() if "missing" in {p.name for p in s.parameters}])
def test_missing_cells_are_taken_from_the_same_points_as_many_as_asked_for(name):
    whole = synthesize(name, n=2000, seed=4)
    few, many = (synthesize(name, n=2000, seed=4, missing=share) for share in (0.1, 0.4))
    assert not whole.gaps and few.gaps and many.gaps
    for data, share in ((few, 0.1), (many, 0.4)):
        gaps = np.isnan(data.X)
        assert abs(gaps.mean() - share) < 5 * np.sqrt(share * (1 - share) / gaps.size)
        assert_array_equal(data.X[~gaps], whole.X[~gaps])
        assert_array_equal(data.labels, whole.labels)
        assert f"missing={share!r}" in data.source
    assert np.isnan(many.X)[np.isnan(few.X)].all()  # more of the same
    assert_array_equal(few.X, synthesize(name, n=2000, seed=4, missing=0.1).X)
    assert not np.array_equal(np.isnan(few.X), np.isnan(synthesize(name, n=2000, seed=5, missing=0.1).X))


def test_no_column_is_without_any_cell():
    data = synthesize("mixed_table", n=10, missing=0.8, n_real=20, n_binary=20, n_categorical=20)
    assert not np.isnan(data.X).all(axis=0).any()


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("n", [9, 0, -1, 1_000_001, 10**30, 10.0, float("nan"), "many", True, [10]])
def test_hostile_sizes_are_refused_with_the_cap(name, n):
    with pytest.raises(InvalidParameterError, match="n = .* from 10 to 1,000,000"):
        synthesize(name, n=n)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, 1j, [1.0], 1e300, -1e300])
def test_hostile_parameter_values_are_refused_by_name(name, value):
    for parameter in SCENARIOS[name].parameters:
        with pytest.raises(InvalidParameterError, match=f"^{parameter.name} = .* from "):
            synthesize(name, **{parameter.name: value})


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "0", None, math.nan])
def test_hostile_seeds_are_refused(seed):
    with pytest.raises(InvalidParameterError, match="^seed = "):
        synthesize("moons", seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "nothing", None, 3, ["moons"], "x" * 10_000])
def test_unknown_scenarios_are_refused_with_the_known_ones(name):
    with pytest.raises(InvalidParameterError, match="elliptical_overlap") as caught:
        synthesize(name)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 700


def test_unknown_parameters_and_impossible_combinations_are_refused():
    with pytest.raises(InvalidParameterError, match="colour is not a parameter of the scenario moons. It has noise"):
        synthesize("moons", colour="red")
    with pytest.raises(InvalidParameterError, match="largest_share"):
        synthesize("spherical_unequal_density", largest_share=0.9, smallest_share=0.1)
    with pytest.raises(InvalidParameterError, match="^n = 10 must be at least 13"):
        synthesize("spherical_outliers", n=10, outliers_per_group=5)
    with pytest.raises(MemoryLimitError, match="1.6 GB"):
        synthesize("high_dimensional", n=1_000_000, n_features=200)


def test_group_sizes_add_up_follow_the_shares_and_are_never_zero():
    for n, shares in itertools.product(range(3, 60), [(0.69, 0.29, 0.02), (1 / 3, 1 / 3, 1 / 3), (0.98, 0.01, 0.01)]):
        sizes = group_sizes(shares, n)
        assert sizes.sum() == n and sizes.min() >= 1
        assert np.all(np.abs(sizes - n * np.array(shares)) <= 2)


def test_the_crp_mixture_has_the_size_and_number_of_clusters_of_the_2014_paper():
    draws = [synthesize("crp_mixture", seed=seed) for seed in range(100)]
    assert draws[0].X.shape == (600, 2)
    counts = np.array([len(data.label_names) for data in draws])
    expected = sum(3 / (3 + i) for i in range(600))  # E[K] of the restaurant with N0 = 3
    variance = sum(3 * i / (3 + i) ** 2 for i in range(600))
    assert abs(counts.mean() - expected) < 3 * math.sqrt(variance / 100)


def test_the_points_of_a_crp_mixture_follow_the_normal_gamma_prior():
    """One point of each draw follows the prior predictive, a Student t: 2 a0 degrees of freedom (FORMULAS §2)."""
    m0, c0, a0, b0 = 2.0, 0.5, 3.0, 4.0
    points = [
        synthesize("crp_mixture", n=10, seed=seed, n_features=1, m0=m0, c0=c0, a0=a0, b0=b0).X[0, 0]
        for seed in range(400)
    ]
    scale = math.sqrt(b0 * (c0 + 1) / (a0 * c0))
    assert kstest(points, "t", args=(2 * a0, m0, scale)).pvalue > 0.01


def test_any_partition_prior_and_family_can_be_drawn_from():
    family = NormalWishart(np.zeros(3), 0.1, 5.0, np.eye(3))
    data = synthesize("crp_mixture", n=500, seed=2, partition=FiniteDirichlet(50.0, 4), family=family)
    assert data.X.shape == (500, 3) and len(data.label_names) == 4
    with pytest.raises(InvalidParameterError, match="^partition = 'crp' must"):
        synthesize("crp_mixture", partition="crp")
    with pytest.raises(InvalidParameterError, match="^family = 3 must"):
        synthesize("crp_mixture", family=3)


def test_points_of_a_crp_mixture_stay_with_their_cluster():
    """Clusters much tighter than their distances: a point of the wrong label would be far from its cluster."""
    data = synthesize("crp_mixture", n=300, seed=1, c0=0.001, a0=50.0, b0=0.01)
    for k in range(len(data.label_names)):
        assert np.ptp(data.X[data.labels == k], axis=0).max() < 0.5
    assert np.ptp(data.X, axis=0).min() > 0.5


@pytest.mark.parametrize("n", [300, 2000])
def test_with_means_closer_the_best_rule_scores_as_the_2018_paper_prints_for_chains(n):
    scores = []
    for seed in range(20):
        data = synthesize("powered_sim_1", n=n, seed=seed, spacing=3.65)
        nearest = np.abs(data.X - np.array([[-3.65, 0.0, 3.65]])).argmin(axis=1)  # the best rule: equal weights and sd
        scores.append(nmi(data.labels, nearest))
    assert 0.77 <= np.median(scores) <= 0.83


def test_the_authors_simulation_1_has_their_weights_means_and_deviations():
    data = synthesize("powered_sim_1_authors", n=40_000)
    groups = [data.X[data.labels == k, 0] for k in range(3)]
    assert [len(group) / 40_000 for group in groups] == pytest.approx([0.35, 0.4, 0.25])
    assert [group.mean() for group in groups] == pytest.approx([0, 2, 5], abs=0.05)
    assert [group.std() for group in groups] == pytest.approx([0.5, 0.5, 1], abs=0.02)


def test_powered_sim_2_has_two_groups_one_a_pair_with_one_mean():
    data = synthesize("powered_sim_2", n=30_000, outer_deviation=2.0)
    single, pair = (data.X[data.labels == k, 0] for k in (0, 1))
    assert data.label_names == ("single", "same-mean pair") and len(pair) == 2 * len(single)
    assert pair.mean() - single.mean() == pytest.approx(12, abs=0.1)
    assert single.std() == pytest.approx(1, abs=0.03)
    assert pair.std() == pytest.approx(math.sqrt((1 + 4) / 2), abs=0.05)
    excess_kurtosis = ((pair - pair.mean()) ** 4).mean() / pair.var() ** 2 - 3  # 0 for one Gaussian
    assert excess_kurtosis == pytest.approx(3 * (1 + 16) / 2 / 2.5**2 - 3, abs=0.25)
    assert any("three" in note and "two" in note for note in data.notes)


def test_null_scenarios_are_what_they_claim():
    gaussian, uniform = synthesize("null_gaussian", n=2000), synthesize("null_uniform", n=2000)
    for column in range(2):
        assert kstest(gaussian.X[:, column], "norm").pvalue > 0.01
        assert kstest(uniform.X[:, column], "uniform").pvalue > 0.01
    assert set(gaussian.labels) == set(uniform.labels) == {0}


def test_rings_lie_on_two_circles():
    data = synthesize("rings", noise=0.0, inner_radius=0.3)
    assert_allclose(np.linalg.norm(data.X, axis=1), np.where(data.labels == 0, 1.0, 0.3), atol=1e-12)


def test_the_nearest_two_centres_in_many_dimensions_are_the_asked_distance_apart():
    data = synthesize("high_dimensional", n=50_000, n_features=4, n_clusters=3, separation=8.0)
    means = [data.X[data.labels == k].mean(axis=0) for k in range(3)]
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(means, 2)]
    assert min(distances) == pytest.approx(8, abs=0.1)


def test_rows_come_in_random_order():
    labels = synthesize("elliptical_rotated").labels
    same_as_next = np.mean(labels[1:] == labels[:-1])
    assert same_as_next == pytest.approx(1 / 3, abs=0.04)


def test_hand_drawn_points_keep_their_order_and_labels():
    data = from_points([[0, 1], [2, 3], [4, 5]], labels=["red", "blue", "red"])
    assert data.X.tolist() == [[0, 1], [2, 3], [4, 5]] and data.feature_names == ("x", "y")
    assert data.labels.tolist() == [0, 1, 0] and data.label_names == ("red", "blue")
    assert from_points([[1.0]]).labels is None
    assert from_points([[1], [2]], labels=[7, -1]).label_names == ("7", "-1")


@pytest.mark.parametrize(
    "points", [[], [[]], [1, 2], [[1, 2, 3]], [[1, 2], [3]], [[math.nan, 1]], [["a", "b"]], None, "points", [[None, 1]]]
)
def test_hand_drawn_points_that_are_no_points(points):
    with pytest.raises(InvalidDataError):
        from_points(points)  # type: ignore[arg-type]


@pytest.mark.parametrize("labels", [[], [1], [[1, 2]], [1, 2, 3], 5])
def test_hand_drawn_labels_that_do_not_fit(labels):
    with pytest.raises(DpvizError, match="labels"):
        from_points([[0, 1], [2, 3]], labels=labels)  # type: ignore[arg-type]
