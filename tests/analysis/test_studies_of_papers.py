"""The papers' experiments: what their cells measure, each against a direct computation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import dpviz
from dpviz.analysis.posterior.raftery_lewis import raftery_lewis
from dpviz.analysis.studies import STUDIES, mixtures, uci
from dpviz.analysis.studies.chains import evenly, leave_one_out_nll, mean_scores, stopped_chain
from dpviz.analysis.studies.measures import by_size
from dpviz.analysis.studies.results import evaluate
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError

PRIOR = {"m0": [1, 1], "c0": 0.1, "a0": 1, "b0": [10, 10]}


def cell_of(study, column, row=None, repetition=0, **size):
    cells = STUDIES[study].cells(**STUDIES[study].size("quick", repetitions=repetition + 1, **size))
    return next(c for c in cells if (c.row, c.column, c.repetition) == (row or c.row, column, repetition))


@pytest.fixture(scope="module")
def mixture():
    return dpviz.datasets.synthesize("crp_mixture", n=600, seed=4)


# --- chains -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accuracy", [0.1, 0.03])
def test_a_chain_is_as_long_as_raftery_and_lewis_want_and_is_the_run_of_that_length(mixture, accuracy):
    config = dpviz.RunConfig("gibbs", seed=2, family="normal_gamma", prior=PRIOR, init="single")
    found = stopped_chain(mixture.X, config, longest=20_000, accuracy=accuracy)
    length = found.trace.n_sweeps
    whole = dpviz.run(mixture.X, replace(config, n_sweeps=length, burn_in=0))
    np.testing.assert_array_equal(found.trace.labels, whole.labels)
    advice = [raftery_lewis(series, r=accuracy) for series in (whole.n_clusters[1:], whole.nll[1:])]
    assert found.converged and all(a.burn_in + a.n_needed <= length for a in advice)
    assert found.burn_in == max(a.burn_in for a in advice)


def test_a_chain_that_never_settles_ends_at_its_longest():
    X = np.array([[0.0], [0.5], [100.0], [100.5]])
    config = dpviz.RunConfig("gibbs", prior={"m0": [50.0], "c0": 1e-4, "a0": 50.0, "b0": [1.0]}, family="normal_gamma")
    found = stopped_chain(X, config, longest=130)
    assert found.trace.n_sweeps == 130 and not found.converged
    with pytest.raises(InvalidParameterError, match="longest"):
        stopped_chain(X, config, longest=50)


def test_draws_are_taken_evenly_and_scored_one_by_one():
    draws = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 2, 2], [0, 0, 0, 0], [0, 1, 2, 3]], dtype=np.uint8)
    assert [d.tolist() for d in evenly(draws, 3)] == [draws[0].tolist(), draws[2].tolist(), draws[4].tolist()]
    assert len(evenly(draws, 50)) == 5
    data = dpviz.datasets.from_points(np.arange(8.0).reshape(4, 2), [0, 0, 1, 1])
    numbers = mean_scores(data, evenly(draws, 3))
    expected = [dpviz.metrics.nmi(data.labels, d) for d in draws[[0, 2, 4]]]
    assert numbers["nmi"] == pytest.approx(np.mean(expected)) and numbers["nmi_2sd"] == pytest.approx(
        2 * np.std(expected)
    )
    assert numbers["delta_k"] == pytest.approx(1.0)


@pytest.mark.parametrize("partition", [dpviz.ChineseRestaurant(2.0), dpviz.PitmanYor(1.0, 0.3)])
def test_the_density_of_a_point_left_out_is_that_of_a_fit_to_the_others(partition):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 2))
    labels = np.array([0, 0, 0, 1, 1, 2, 0])
    config = dpviz.RunConfig(
        "mapdp",
        family="normal_gamma",
        partition=partition,
        prior={"m0": [0.0, 0.0], "c0": 0.5, "a0": 1.5, "b0": [1.0, 2.0]},
    )
    expected = []
    for i in range(7):
        rest = np.arange(7) != i
        kept = np.unique(labels[rest], return_inverse=True)[1]
        fixed = dpviz.run(X[rest], replace(config, init=kept, n_init=1, max_sweeps=1))
        fit = dpviz.engine.predict.PartitionFit(Problem.check(X[rest], fixed.config), kept, kept[None])
        expected.append(-fit.log_density(X[i : i + 1])[0])
    found = leave_one_out_nll(Problem.check(X, config), labels)
    assert found == pytest.approx(np.mean(expected), abs=1e-9)


# --- 2014, Sec. 4.1 ---------------------------------------------------------------------------------------------------


def test_test_points_come_from_the_components_of_the_data(mixture):
    X, labels = mixtures.further_points(mixture, seed=4)
    again = mixtures.further_points(mixture, seed=4)
    np.testing.assert_array_equal(X, again[0])
    sizes = np.bincount(mixture.labels)
    k = int(np.argmax(sizes))
    assert set(labels) <= set(range(len(sizes))) and X.shape == mixture.X.shape
    for d in range(2):  # training and test points of the largest group follow one law
        assert stats.ks_2samp(mixture.X[mixture.labels == k, d], X[labels == k, d]).pvalue > 1e-3
    assert abs(np.mean(labels == k) - sizes[k] / 600) < 4 * np.sqrt(0.25 / 600)


def test_a_mixture_cell_says_what_its_run_says(mixture):
    record = evaluate(cell_of("raykov2014-mixtures", "MAP-DP", repetition=4), {})
    config = dpviz.RunConfig(
        "mapdp",
        family="normal_gamma",
        init="single",
        n_init=1,
        order="index",
        seed=4,
        prior=PRIOR,
    )
    trace = dpviz.run(mixture.X, config)
    assert record.config == trace.config
    assert record.numbers["nmi_max"] == dpviz.metrics.nmi_max(mixture.labels, trace.labels[-1])
    assert record.numbers["delta_k"] == trace.n_clusters[-1] - len(np.unique(mixture.labels))
    assert record.numbers["iterations"] == trace.n_sweeps and record.numbers["empty"] == trace.n_died.sum()
    model = dpviz.MAPDP(family="normal_gamma", prior=config.prior_dict, init=trace.labels[-1].astype(int), n_init=1)
    X, labels = mixtures.further_points(mixture, seed=4)
    found = model.fit(mixture.X).predict(X)
    assert record.numbers["test_nmi"] == pytest.approx(dpviz.metrics.nmi(labels, found))
    sizes = np.sort(trace.sizes(-1))[::-1]
    assert (
        record.arrays["sizes"][: len(sizes)].tolist() == sizes.tolist()
        and not record.arrays["sizes"][len(sizes) :].any()
    )


def test_a_chain_on_a_mixture_averages_over_its_draws(mixture):
    cell = cell_of("raykov2014-mixtures", "Gibbs", repetition=4, longest=1500)
    record = evaluate(cell, {})
    trace, burn_in, _ = stopped_chain(mixture.X, cell.config, 1500)
    kept = evenly(trace.labels[1 + burn_in :], mixtures.SCORED_DRAWS)
    assert record.numbers["nmi"] == pytest.approx(np.mean([dpviz.metrics.nmi(mixture.labels, d) for d in kept]))
    assert record.numbers["iterations"] == trace.n_sweeps and record.numbers["burn_in"] == burn_in


# --- 2014, Sec. 4.2 ---------------------------------------------------------------------------------------------------


def test_the_concentration_of_the_uci_sets_is_the_one_of_lowest_nll():
    record = evaluate(cell_of("raykov2014-uci", "MAP-DP", "Iris"), {})
    data = dpviz.datasets.load("iris")
    X = data.X
    prior = {"m0": X.mean(axis=0), "c0": 10 / 150, "a0": 1.0, "b0": X.var(axis=0, ddof=1)}
    traces = [
        dpviz.run(
            X,
            dpviz.RunConfig(
                "mapdp",
                init="single",
                n_init=1,
                family="normal_gamma",
                prior=prior,
                order="permuted",
                partition=dpviz.ChineseRestaurant(concentration),
            ),
        )
        for concentration in uci.CONCENTRATIONS
    ]
    best = min(traces, key=lambda trace: trace.nll[-1])
    assert record.numbers["concentration"] == best.config.partition.concentration
    assert record.numbers["nmi"] == dpviz.metrics.nmi(data.labels, best.labels[-1])
    assert record.config == best.config


def test_dp_means_has_as_many_clusters_as_there_are_classes():
    record = evaluate(cell_of("raykov2014-uci", "DP-means", "Iris"), {})
    assert record.numbers["n_clusters"] == 3
    data = dpviz.datasets.load("iris")
    trace = dpviz.run(data.X, record.config)
    assert record.config.sweep == "until_birth" and trace.n_clusters[-1] == 3
    assert record.numbers["iterations"] == trace.n_sweeps


def test_a_column_that_never_changes_does_not_stop_the_paper_s_prior():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    prior = uci.paper_prior(X)
    assert prior["b0"].tolist() == [pytest.approx(7 / 3), 1.0] and prior["c0"] == pytest.approx(10 / 3)


# --- 2016, Sec. 6 -----------------------------------------------------------------------------------------------------


def test_groups_of_patients_are_counted_from_the_largest():
    cell = cell_of("raykov2016-patients", "MAP-DP", "Early Parkinson’s (pd and rbd)")
    data = cell.source.load()
    assert data.n_points == 80
    record = evaluate(cell, {})
    trace = dpviz.run(data.X, record.config)
    ranked = by_size(trace.labels[-1].astype(int))
    sizes = np.bincount(ranked)
    assert np.all(np.diff(sizes) <= 0)
    assert record.numbers["share_1"] == pytest.approx(100 * sizes[0] / 80)
    age = data.X[:, data.feature_names.index("age")]
    assert record.numbers["mean age 2"] == pytest.approx(age[ranked == 1].mean())
    sex = data.X[:, data.feature_names.index("sex")]
    assert record.numbers["yes sex 1"] == pytest.approx(np.mean(sex[ranked == 0] > 0))
    two = [data.X[ranked == k] for k in (0, 1)]
    columns = [(a, b) for a, b in zip(two[0].T, two[1].T, strict=True) if len(np.unique([*a, *b])) > 1]
    p = [
        stats.ttest_ind(a, b, equal_var=not (np.ptp(a) and np.ptp(b))).pvalue  # a column that is constant in one group
        for a, b in columns
    ]
    assert record.numbers["significant"] == sum(value < 0.01 for value in p)


def test_clusters_are_renumbered_by_size():
    assert by_size(np.array([2, 2, 0, 1, 1, 1])).tolist() == [1, 1, 2, 0, 0, 0]
