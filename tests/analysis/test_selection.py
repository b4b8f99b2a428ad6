"""Choosing concentration, power, penalty, K and hyperparameters, each against a second way to compute it."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from configs import usual_config
from scipy import stats
from sklearn.mixture import GaussianMixture

import dpviz
import examples
from dpviz.analysis.evaluation import folds_of
from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.analysis.hyperparameters import FACTORS, WIDEST, coordinate_search, searchable_parameters
from dpviz.analysis.parameters import with_parameter
from dpviz.analysis.selection import (
    PowerLoss,
    best_by_bic,
    best_cell,
    bic,
    bic_grid,
    concentration_mode,
    log_concentration_posterior,
    penalty_for,
    power_before_blow_up,
    power_losses,
    prior_law_of_n_clusters,
    square_root_loss,
)
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError, InvalidParameterError
from examples import WISHART

SEED = 7
CENTRES = np.array([[0.0, 0.0], [20.0, 2.0], [3.0, 24.0]])


def three_blobs(n_points=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.repeat(CENTRES, n_points // 3, axis=0) + rng.normal(size=(n_points, 2))


def cells_of(X, grid):
    return sorted(run_grid(X, grid, n_jobs=1, cache=None), key=lambda cell: cell.index)


# --- concentration ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_points", "n_clusters"), [(1, 1), (30, 1), (30, 4), (30, 30)])
@pytest.mark.parametrize(("shape", "rate"), [(1.0, 0.1), (0.5, 2.0)])
def test_posterior_of_the_concentration_is_prior_times_law_of_k(n_points, n_clusters, shape, rate):
    concentrations = np.geomspace(0.01, 50, 40)
    likelihood = [dpviz.ChineseRestaurant(c).log_pmf_n_clusters(n_points)[n_clusters] for c in concentrations]
    prior = stats.gamma.logpdf(concentrations, shape, scale=1 / rate) + np.log(concentrations)  # of ln N0
    ours = log_concentration_posterior(np.log(concentrations), n_points, n_clusters, shape, rate)
    difference = ours - likelihood - prior
    usable = np.isfinite(difference)  # probabilities below 1e-30 are reported as 0
    assert usable.sum() > 10
    np.testing.assert_allclose(difference[usable], difference[usable][0], atol=1e-8)


@pytest.mark.parametrize(("n_points", "n_clusters"), [(1, 1), (100, 1), (100, 7), (100, 100), (1_000_000, 12)])
@pytest.mark.parametrize(("shape", "rate"), [(1.0, 0.1), (0.01, 3.0), (4.0, 1e-4)])
def test_the_mode_is_the_highest_point_of_the_posterior_and_the_only_one(n_points, n_clusters, shape, rate):
    mode = concentration_mode(n_points, n_clusters, shape, rate)
    assert 0 < mode < np.inf
    steps = np.linspace(-3, 3, 601)
    curve = log_concentration_posterior(np.log(mode) + steps, n_points, n_clusters, shape, rate)
    assert np.argmax(curve) == 300
    assert np.all(np.diff(curve[:301]) > 0) and np.all(np.diff(curve[300:]) < 0)


@pytest.mark.parametrize("bad", [(0, 1, 1, 1), (5, 0, 1, 1), (5, 6, 1, 1), (5, 2, 0, 1), (5, 2, 1, np.inf)])
def test_impossible_counts_and_priors_are_refused(bad):
    with pytest.raises(InvalidParameterError):
        concentration_mode(*bad)


def test_prior_law_of_k_beside_the_k_found_equals_enumeration():
    partitions = naive.set_partitions(6)
    n_clusters = partitions.max(axis=1) + 1
    priors = [dpviz.ChineseRestaurant(1.2), dpviz.PoweredChineseRestaurant(1.2, 1.5), dpviz.FiniteDirichlet(1.2, 4)]
    frame = prior_law_of_n_clusters(priors, 6, [2, 4, 1])
    for (_, row), name in zip(frame.iterrows(), ["chinese_restaurant", "powered", "finite_dirichlet"], strict=True):
        weights = [naive.partition_log_weight(name, np.bincount(labels).tolist()) for labels in partitions]
        law = np.bincount(n_clusters, np.exp(weights), minlength=7)
        law /= law.sum()
        found = int(row["n_clusters"])
        assert row["expected"] == pytest.approx(law @ np.arange(7), rel=1e-10)
        assert row["probability"] == pytest.approx(law[found], rel=1e-10)
        assert row["tail"] == pytest.approx(min(law[: found + 1].sum(), law[found:].sum()), rel=1e-10)
        assert law[: int(row["lower"])].sum() < 0.05 <= law[: int(row["lower"]) + 1].sum()
        assert law[: int(row["upper"])].sum() < 0.95 <= law[: int(row["upper"]) + 1].sum() + 1e-12


def test_best_cell_takes_the_lowest_nll_or_the_highest_density():
    config = usual_config()
    cells = cells_of(three_blobs(), Grid(config, (Axis.logarithmic("concentration", 1e-6, 1e3, 7),), n_folds=3))
    assert best_cell(cells, "nll").nll == min(cell.nll for cell in cells)
    assert best_cell(cells, "held_out").held_out == max(cell.held_out for cell in cells)
    assert best_cell(cells, "nll").n_clusters == 3
    kmeans = cells_of(three_blobs(), Grid(dpviz.RunConfig("kmeans"), (Axis("n_clusters", (2.0,)),)))
    with pytest.raises(InvalidParameterError, match="neither nll nor density"):
        best_cell(kmeans, "nll")


# --- power ------------------------------------------------------------------------------------------------------------


def test_square_root_loss_by_hand():
    X = np.array([[0.0], [6.0], [1.0], [1.0], [9.0]])
    assert square_root_loss(X, [0, 0, 1, 1, 2]) == pytest.approx(np.sqrt(18.0))
    assert square_root_loss(X, [0, 0, 1, 1, 1]) == pytest.approx(np.sqrt(18.0) + np.sqrt(128 / 3))


def test_cross_validated_loss_measures_held_out_points_from_the_clusters_they_join():
    X = three_blobs()
    config = usual_config(seed=SEED, n_init=5)
    result = next(power_losses(X, config, [1.1], n_folds=3, n_jobs=1))
    folds = folds_of(X, config, 3)
    losses = []
    for fold in range(3):
        training, held_out = X[folds != fold], X[folds == fold]
        prior = dpviz.PoweredChineseRestaurant(3.0, 1.1)
        fitted = dpviz.MAPDP(partition=prior, n_init=5, random_state=SEED, **WISHART).fit(training)
        assert fitted.n_clusters_ == 3
        means = np.array([training[fitted.labels_ == k].mean(axis=0) for k in range(3)])
        nearest = np.argmin(((held_out[:, None] - means) ** 2).sum(axis=2), axis=1)  # the blobs are far apart
        squares = ((held_out - means[nearest]) ** 2).sum(axis=1)
        losses.append(np.sqrt(np.bincount(nearest, squares)).sum())
    assert result.loss == pytest.approx(np.mean(losses), rel=1e-12)
    assert result.n_clusters == 3


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ([10, 10.2, 9.9, 20, 21], 1.2),
        ([14, 10, 10.5, 12, 30], 1.2),  # over-clustering first; 12 is 20 % above 10
        ([10, 30, 10, 30, 31], 1.2),  # one bad fit is not the end of the plateau
        ([10, 10.5, 10.9, 10.2], None),
        ([10, 9, 8], None),
        ([10], None),
    ],
)
def test_the_blow_up_is_where_the_loss_leaves_its_plateau_for_good(losses, expected):
    curve = [PowerLoss(1.0 + i / 10, float(loss), 3.0) for i, loss in enumerate(losses)]
    assert power_before_blow_up(curve) == expected


def test_a_power_that_unites_the_groups_blows_up_the_loss():
    X = dpviz.datasets.synthesize("powered_sim_2", 120, seed=1).X
    config = usual_config(partition=dpviz.ChineseRestaurant(1.0))
    losses = list(power_losses(X, config, [1.01, 1.1, 1.3, 4.0], n_jobs=1))
    assert power_before_blow_up(losses) == 1.3
    assert losses[-1].n_clusters < losses[0].n_clusters


# --- penalty and number of clusters -----------------------------------------------------------------------------------


def naive_farthest_first(X, n_clusters):
    chosen = [X.mean(axis=0)]
    for _ in range(n_clusters):
        squared = np.min([((X - point) ** 2).sum(axis=1) for point in chosen], axis=0)
        chosen.append(X[squared.argmax()])
    return float(np.min([((X - point) ** 2).sum(axis=1) for point in chosen[:-1]], axis=0).max())


@pytest.mark.parametrize("n_clusters", [1, 3, 8])
@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (1e-4, 0.0), (300.0, 1e6)])
def test_penalty_is_in_squared_units_of_the_data(n_clusters, scale, offset):
    X = three_blobs()
    penalty = penalty_for(scale * X + offset, n_clusters)
    assert penalty == pytest.approx(scale**2 * naive_farthest_first(X, n_clusters), rel=1e-8)


def test_dp_means_with_that_penalty_finds_the_wished_number_of_clusters():
    X = three_blobs()
    assert dpviz.DPMeans(penalty=penalty_for(X, 3)).fit(X).n_clusters_ == 3
    with pytest.raises(InvalidParameterError, match="too few distinct points"):
        penalty_for(np.array([[0.0], [0.0], [1.0]]), 3)


def test_bic_of_kmeans_is_that_of_a_spherical_mixture_with_hard_assignments():
    X = three_blobs()
    for cell in cells_of(X, bic_grid(dpviz.RunConfig("kmeans", n_init=3), 5)):
        n, (labels, K) = len(X), (dpviz.run(X, cell.config).labels_at(-1), cell.config.n_clusters)
        means = np.array([X[labels == k].mean(axis=0) for k in range(K)])
        variance = ((X - means[labels]) ** 2).sum() / (2 * (n - K))
        density = stats.norm.logpdf(X, means[labels], np.sqrt(variance)).sum()
        shares = np.log(np.bincount(labels)[labels] / n).sum()
        assert bic(cell, 2) == pytest.approx(-2 * (density + shares) + (2 * K + K) * np.log(n), rel=1e-10)


def test_bic_of_em_is_scikit_learns_in_the_units_of_the_data():
    X = 1000 * three_blobs() + 5
    cell = cells_of(X, Grid(dpviz.RunConfig("em", n_init=2), (Axis("n_components", (2.0,)),), n_folds=0))[0]
    fitted = dpviz.GaussianEM(2, n_init=2, random_state=0).fit(X)
    ours, scale = fitted.trace_.parameters[-1], fitted._problem.scale
    mixture = GaussianMixture(2)
    mixture.weights_, mixture.means_ = ours.weights, ours.means * scale + X.mean(axis=0)
    mixture.covariances_ = np.linalg.inv(ours.roots @ ours.roots.transpose(0, 2, 1)) * scale**2
    mixture.precisions_cholesky_ = ours.roots / scale
    assert bic(cell, 2) == pytest.approx(mixture.bic(X), rel=1e-9)


@pytest.mark.parametrize("algorithm", [name for name, algorithm in ALGORITHMS.items() if algorithm.has_bic])
def test_bic_finds_three_far_groups(algorithm):
    X = three_blobs(45)
    cells = cells_of(X, bic_grid(usual_config(algorithm, n_init=3), 6))
    assert best_by_bic(cells, 2).n_clusters == 3


def test_bic_is_undefined_for_a_perfect_fit():
    X = np.repeat([[0.0], [1.0], [5.0]], 2, axis=0)
    cells = cells_of(X, bic_grid(dpviz.RunConfig("kmeans", n_init=5), 6))
    assert [bool(np.isnan(bic(cell, 1))) for cell in cells] == [False, False, True, True, True, True]
    with pytest.raises(DpvizError, match="one of kmeans, em to choose K by BIC"):
        bic_grid(usual_config())
    with pytest.raises(DpvizError, match="coincide"):
        best_by_bic(cells[2:], 1)


# --- hyperparameters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", dpviz.FAMILIES)
def test_coordinate_search_goes_down_to_where_no_single_change_helps(family):
    X = three_blobs(45) if family in examples.GAUSSIAN else dpviz.FAMILIES[family].example_data(45, 6)
    config = dpviz.RunConfig("mapdp", family=family, n_init=5, effort=0, prior=None)
    steps = list(coordinate_search(X, config, max_passes=30))
    assert all(later.nll <= earlier.nll for earlier, later in zip(steps, steps[1:], strict=False))
    assert all(
        (step.new == step.old) == (step.nll == before.nll) for before, step in zip(steps, steps[1:], strict=False)
    )
    for step in steps[:: max(1, len(steps) // 4)]:
        trace = dpviz.run(X, step.config)
        assert (step.nll, step.n_clusters) == (trace.nll[-1], trace.n_clusters[-1])
    last = steps[-1].config
    names = searchable_parameters(last)
    scales = {p.name for p in last.hyperparameters if p.role == "scale"}
    assert set(names) == {"concentration"} | scales and not {"c0", "a0"} & set(names)
    assert scales or family in ("binomial", "categorical", "circular", "multinomial")
    for name in names:
        present = {"concentration": last.partition.concentration}.get(name, (last.prior_dict or {}).get(name))
        for factor in FACTORS:
            value = factor * present if isinstance(present, float) else factor
            if name == "concentration" and not 3.0 / WIDEST <= value <= 3.0 * WIDEST:
                continue  # further than any search goes
            assert dpviz.run(X, with_parameter(last, name, value, X)).nll[-1] >= steps[-1].nll


def test_values_that_the_model_excludes_are_no_candidates():
    X = three_blobs(30)
    config = dpviz.RunConfig(
        "mapdp", prior={"a0": 1.5}, n_init=3, family="normal_wishart"
    )  # with D = 2, a0 must be > 1: ¼ and ½ are out
    steps = list(coordinate_search(X, config, ["a0"], max_passes=2))
    assert all(step.config.prior_dict["a0"] > 1 for step in steps)


@pytest.mark.parametrize("name", ["n_components", "temperature", "power", "nonsense", "m0"])
def test_what_is_no_hyperparameter_of_the_model_is_not_searched(name):
    with pytest.raises(InvalidParameterError, match=name):
        list(coordinate_search(three_blobs(30), usual_config(), [name]))


def test_nll_chooses_no_hyperparameters_of_coarsened_models():
    config = dpviz.RunConfig("mapdp", family="normal_gamma", coarsening=20.0, init="single", effort=0.0)
    X = np.random.default_rng(0).normal(size=(30, 2))
    grids = [Grid(config, (Axis(name, (0.5, 1.0)),), 2) for name in ("width", "concentration")]
    widths, concentrations = (list(run_grid(X, grid, n_jobs=1, cache=None)) for grid in grids)
    for criterion in ("nll", "objective"):
        with pytest.raises(InvalidParameterError, match="Of coarsened models nll and objective say nothing"):
            best_cell(widths, criterion)
        assert best_cell(concentrations, criterion) in concentrations
    assert best_cell(widths, "held_out") in widths
    with pytest.raises(InvalidParameterError, match="nll says nothing between values of b0"):
        list(coordinate_search(X, config, ["b0"]))
    assert len(list(coordinate_search(X, config, ["concentration"], max_passes=1))) == 2
