"""Parts of a whole: laws given the total, any length of rows, a block beside other columns, tables of words."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from dataclasses import replace

import naive
import numpy as np
import pandas as pd
import pytest
from command_line import cli
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

import dpviz
from dpviz.analysis.prediction import Predictor
from dpviz.analysis.profiles import column_profiles, column_tests
from dpviz.datasets import Dataset, tables
from dpviz.datasets.tables.blocks import may_be_parts
from dpviz.datasets.tables.decision import decide
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError
from dpviz.families import CountedParts, Multinomial
from dpviz.families.mixed import Mixed
from dpviz.fit.automatic import FILLED, resolve
from dpviz.metrics import ari
from dpviz.report.tables import cluster_table, reasons

PARTS = dpviz.RunConfig(family="multinomial")


def topics(seed, equal=False, n_topics=4, n_rows=300, n_words=60):
    """Rows of four topics, of 60 words each or of very different lengths."""
    rng = np.random.default_rng(seed)
    shares, truth = rng.dirichlet(np.full(n_words, 0.3), n_topics), np.arange(n_rows) % n_topics
    lengths = np.full(n_rows, 60) if equal else np.floor(np.exp(rng.normal(4, 0.9, n_rows))).astype(int) + 5
    rows = [rng.multinomial(length, shares[topic]) for length, topic in zip(lengths, truth, strict=True)]
    return np.array(rows, dtype=float), truth


@pytest.mark.parametrize("n_seen", [0, 1, 9])
def test_predictives_of_one_total_sum_to_one_over_all_rows(n_seen):
    X = Multinomial.example_data(12, 3)
    family = Multinomial.from_prior(Multinomial.example_prior(3), X).posterior(X[:n_seen])
    rows = np.array([row for row in itertools.product(range(7), repeat=3) if sum(row) == 6], dtype=float)
    assert np.exp(family.log_predictive(rows)).sum() == pytest.approx(1, abs=1e-12)
    ratios = [family.log_marginal(row[None]) for row in rows]
    assert_allclose(family.log_predictive(rows), ratios, rtol=1e-12)
    drawn = family.draw(np.random.default_rng(0))
    assert np.exp(drawn.log_density(rows)).sum() == pytest.approx(1, abs=1e-12)
    assert_array_equal(drawn.sample(5, np.random.default_rng(1)).sum(axis=1), family.total)


def apart(seed, differ, n_rows=160):
    """Rows of two kinds that are hardly told apart by their shares, of totals of two sizes or of one."""
    rng, truth = np.random.default_rng(seed), np.arange(n_rows) % 2
    shares = rng.dirichlet(np.full(12, 2.0)) * np.exp(rng.normal(0.0, 0.45, (2, 12)))
    totals = np.floor(np.exp(rng.normal(np.where(differ & (truth == 1), 5.0, 3.0), 0.4))).astype(int) + 1
    rows = rng.multinomial(totals, (shares / shares.sum(axis=1, keepdims=True))[truth])
    return rows.astype(float), truth


@pytest.mark.parametrize("differ", [True, False])
def test_totals_are_one_more_column_where_they_tell_groups_apart(differ):
    better, said = [], []
    for seed in range(20):
        X, truth = apart(seed, differ)
        choice = resolve(sparse.csr_array(X), dpviz.RunConfig(kinds=["parts+total"] * 12))
        same = [ari(truth, dpviz.run(X, replace(own, effort=0.1)).result_labels) for own in (choice.config, PARTS)]
        better.append(same[0] - same[1])
        said.append(choice.notes[-1].startswith("Totals of the parts tell groups apart: "))
    assert sum(note == differ for note in said) >= 19
    assert not differ or np.mean(better) > 0.2


def nll(log_marginals, sizes):
    """Negative log joint (nats) of a partition of these sizes under a restaurant of concentration 3."""
    n_points = sum(sizes)
    return math.lgamma(3 + n_points) - math.lgamma(3) - naive.chinese_restaurant(sizes, 3.0) - math.fsum(log_marginals)


@pytest.mark.parametrize("coarsening", [None, 20.0])
def test_every_partition_has_the_nll_of_an_urn(coarsening):
    X, prior = Multinomial.example_data(6, 4), Multinomial.example_prior(4)
    problem = Problem.check(X, replace(PARTS, prior=prior, coarsening=coarsening))
    for labels in naive.set_partitions(6):
        codes = np.asarray(labels)
        members = [X[codes == k] for k in np.unique(codes)]
        marginals = [problem.model.log_marginal(rows) for rows in members]
        if coarsening is None:
            assert_allclose(marginals, [naive.multinomial(rows, **prior) for rows in members], atol=1e-9)
        expected = nll(marginals, [len(rows) for rows in members])
        assert partition_nll(problem, [codes])[0] == pytest.approx(expected, abs=1e-8)


def test_the_weight_of_the_parts_is_the_likeliest_for_rows_apart():
    rng = np.random.default_rng(0)
    for true in (0.1, 1.0, 10.0):
        X = np.array([rng.multinomial(200, rng.dirichlet(np.full(20, true))) for _ in range(300)], dtype=float)
        assert np.log(Multinomial.default_prior(X)["alpha0"][0] / true) == pytest.approx(0, abs=0.25)


@pytest.mark.parametrize("equal", [False, True])
def test_topics_are_found_whatever_the_lengths_of_rows(equal):
    found = []
    for seed in range(20):
        X, truth = topics(seed, equal)
        trace = dpviz.run(X, PARTS)
        found.append((trace.n_clusters[-1], ari(truth, trace.result_labels)))
    assert sum(k == 4 and same > 0.97 for k, same in found) >= 19


def test_totals_that_are_counts_stand_beside_other_columns_too():
    X, truth = topics(3, n_rows=60, n_words=6)
    table = np.column_stack([X, truth + np.random.default_rng(1).normal(size=60)])
    trace = dpviz.run(table, dpviz.RunConfig(kinds=["parts+total"] * 6 + ["real"], effort=0.0))
    own, labels = Problem.check(table, trace.config).model, trace.result_labels
    assert isinstance(own, Mixed)
    of_totals = [name for name in own.as_prior if name.startswith("counted_multinomial_total")]
    prior = {name.removeprefix("counted_multinomial_"): own.as_prior[name] for name in of_totals}
    of_size = (own.normal_gamma_m0, own.normal_gamma_c0, own.normal_gamma_a0, own.normal_gamma_b0)
    clusters = [table[labels == k] for k in np.unique(labels)]
    marginals = [
        naive.counted_multinomial(rows[:, :6], own.counted_multinomial_alpha0, **prior)
        + naive.normal_gamma(rows[:, 6:], *of_size)
        for rows in clusters
    ]
    assert trace.nll[-1] == pytest.approx(nll(marginals, [len(rows) for rows in clusters]), rel=1e-10)
    with pytest.raises(InvalidParameterError, match="which are one block in a table: take all of them as either"):
        dpviz.run(X, dpviz.RunConfig(kinds=["parts+total"] * 3 + ["parts"] * 3))


@pytest.mark.parametrize("total", [100, 30])
def test_totals_that_hardly_vary_stand_beside_measures(total):
    rng, labels = np.random.default_rng(total), np.arange(90) % 3
    shares = rng.dirichlet(np.ones(4), 3)
    X = np.array([rng.multinomial(total + rng.integers(3), shares[k]) for k in labels], dtype=float)
    table = np.column_stack([X, rng.normal(size=90)])
    trace = dpviz.run(table, dpviz.RunConfig(kinds=["parts+total"] * 4 + ["real"]))
    assert ari(labels, trace.result_labels) > 0.8
    for width in (1 / 64, 4.0):
        given = {"width": width, **Mixed.prior_of_kinds(["parts+total"] * 4 + ["real"])}
        usual = Mixed.from_prior({**given, "width": 1.0}, table)
        narrowed = Mixed.narrowed(usual.as_prior, width)
        assert narrowed is not None
        expected = Mixed.from_prior(given, table).as_prior
        for parameter in Mixed.hyperparameters_for(given):
            assert_allclose(narrowed[parameter.name], expected[parameter.name], rtol=1e-12, err_msg=parameter.name)


def test_parts_stand_beside_other_columns_in_the_compiled_tables():
    X, truth = topics(3, n_rows=90, n_words=12)
    size = np.random.default_rng(1).normal(truth, 1.0)
    table = np.column_stack([X[:, :5], size, X[:, 5:]])
    kinds = ["parts"] * 5 + ["real"] + ["parts"] * 7
    trace = dpviz.run(table, dpviz.RunConfig(kinds=kinds))
    problem, labels = Problem.check(table, trace.config), trace.result_labels
    own = problem.model
    assert isinstance(own, Mixed)
    of_size = (own.normal_gamma_m0, own.normal_gamma_c0, own.normal_gamma_a0, own.normal_gamma_b0)
    clusters = [(X[labels == k], size[labels == k, None]) for k in np.unique(labels)]
    marginals = [naive.multinomial(a, own.multinomial_alpha0, 1) + naive.normal_gamma(b, *of_size) for a, b in clusters]
    assert trace.nll[-1] == pytest.approx(nll(marginals, [len(a) for a, _ in clusters]), rel=1e-10)
    new, _ = topics(3, n_rows=8, n_words=12)
    rows = np.column_stack([new[:, :5], np.zeros(8), new[:, 5:]])
    posteriors = [own.posterior(table[labels == k]) for k in np.unique(labels)]
    expected = np.column_stack([after.log_predictive(rows) for after in posteriors]) + np.log(np.bincount(labels))
    found = Predictor(table, trace).predict(rows)
    assert_allclose(found.scores[:, :-1] - found.scores[:, :1], expected - expected[:, :1], atol=1e-8)
    for gap, said in ((5, "cannot leave missing cells"), (0, "row 7 lacks one of its 12 parts")):
        gappy = table.copy()
        gappy[7, gap] = np.nan
        with pytest.raises(DpvizError, match=said):
            dpviz.run(gappy, dpviz.RunConfig(kinds=kinds, missing="marginalise"))
    for algorithm in ("mapdp", "gibbs"):  # by which no part is filled in, either
        with pytest.raises(DpvizError, match="row 7 lacks one of its 12 parts"):
            dpviz.run(gappy, dpviz.RunConfig(algorithm, kinds=kinds))
    gappy = table.copy()
    gappy[7, 5] = np.nan
    assert np.isfinite(Predictor(table, trace).predict(gappy[5:9]).log_density).all()
    filled = dpviz.run(gappy, dpviz.RunConfig(kinds=kinds))
    assert FILLED in resolve(gappy, dpviz.RunConfig(kinds=kinds)).notes
    for complete, missing in ((table, "auto"), (gappy, "impute")):
        assert FILLED not in resolve(complete, dpviz.RunConfig(kinds=kinds, missing=missing)).notes
    assert ari(filled.result_labels, labels) > 0.9


@pytest.mark.parametrize("changes", [{"transform": (1.0, 1.0, 1.0, 0.0)}, {"coarsening": 50.0}, {}])
def test_profiles_of_parts_are_mean_shares_whatever_stands_beside_them(changes):
    X, _ = topics(0, n_rows=60, n_words=3)
    table = np.column_stack([X, np.exp(np.random.default_rng(1).normal(size=60))])
    trace = dpviz.run(table, dpviz.RunConfig(kinds=["parts"] * 3 + ["real"], effort=0.0, **changes))
    problem, labels = Problem.check(table, trace.config), trace.result_labels
    profiles = {profile.column: profile for profile in column_profiles(problem.model, table, labels)}
    weight = 50 / (50 + 60) if "coarsening" in changes else 1.0
    alpha = problem.inner.family.multinomial_alpha0
    after = [alpha + weight * X[labels == k].sum(axis=0) for k in np.unique(labels)]
    for d in range(3):
        assert_allclose(profiles[d].densities[:, 1], [own[d] / own.sum() for own in after], rtol=1e-9)


def test_profiles_are_chances_of_one_count_and_the_words_that_tell_come_first():
    X = np.array([[9, 1, 5], [8, 2, 5], [1, 9, 5], [2, 8, 5]] * 5, dtype=float)
    labels = np.array([0, 0, 1, 1] * 5)
    prior = {"alpha0": 0.5, "total": 15}
    profiles = column_profiles(Multinomial.from_prior(prior, X), X, labels)
    assert [profile.column for profile in profiles][-1] == 2 and profiles[-1].information < 0.01
    first = next(profile for profile in profiles if profile.column == 0)
    shares = (X[labels == 0].sum(axis=0) + 0.5) / (X[labels == 0].sum() + 1.5)
    assert_allclose(first.densities[0], [1 - shares[0], shares[0]], rtol=1e-12)
    prior |= {"total_alpha0": 3.0, "total_beta0": 4.0, "total_dispersion": 0.5}
    of_both = column_profiles(CountedParts.from_prior(prior, X), X, labels)
    assert_array_equal([profile.densities for profile in of_both], [profile.densities for profile in profiles])
    longer = X * np.repeat([1, 5, 2, 3, 9], 4)[:, None]  # whose shares are the same
    tested = column_tests(longer, labels, ["parts"] * 3, [*"abc"])
    assert tested.loc["a", "statistic"] == pytest.approx(
        stats.kruskal(X[labels == 0, 0] / 15, X[labels == 1, 0] / 15)[0]
    )
    assert np.isnan(tested.loc["c", "p"])


def test_tables_of_clusters_say_shares_whatever_the_lengths_of_rows():
    X = np.array([[8, 1, 1], [80, 10, 10], [1, 1, 8], [100, 100, 800]], dtype=float)
    data = Dataset(X=X, name="words", feature_names=("a", "b", "c"), kinds=("parts",) * 3)
    table = cluster_table(data, np.array([0, 0, 1, 1]))
    assert_allclose(table["a (% of the parts) mean"], [80, 10]), assert_allclose(table["b (% of the parts) SD"], 0)
    first, second = reasons(data, np.array([0, 0, 1, 1]))
    assert (
        "a (% of the parts) higher (80, others 10)" in first and "c (% of the parts) higher (80, others 10)" in second
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (np.array([[1.0, 2.0], [0.0, 0.0]]), "row 1 holds no counts at all in its 2 parts"),
        (np.array([[1.0, -2.0], [0.0, 1.0]]), "whole number from 0"),
        (np.array([[1.0, 0.5], [0.0, 1.0]]), "whole number from 0"),
        (np.full((10, 1_000_000), 1e9), "beyond 2\\^53 are not exact"),
    ],
)
def test_what_is_no_part_is_refused(wrong, said):
    with pytest.raises(InvalidDataError, match=said):
        Multinomial.check_data(wrong)


@pytest.mark.parametrize("n_words", [60, 300])
def test_sparse_tables_are_run_and_predicted_as_dense_ones(n_words):
    (X, _), (new, _) = topics(0, n_rows=120, n_words=n_words), topics(1, n_rows=9, n_words=n_words)
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(X))
    for changes in ({}, {"algorithm": "gibbs", "sampler": "explicit_parameters", "n_sweeps": 20, "burn_in": 5}):
        config = dpviz.RunConfig(family="multinomial", **changes)
        dense = dpviz.run(X, config)
        predicted = Predictor(X, dense).predict(new)
        for given in (sparse.csr_array(X), sparse.coo_matrix(X.astype(int)), frame):
            trace = dpviz.run(given, config)
            assert trace.data == dense.data and trace._repr_html_() is None
            assert_array_equal(trace.labels, dense.labels), assert_array_equal(trace.nll, dense.nll)
            for rows in (new, sparse.csc_array(new)):
                found = Predictor(given, trace).predict(rows)
                assert_allclose(found.log_density, predicted.log_density, rtol=1e-12)
                assert_array_equal(found.clusters, predicted.clusters)
                terms = Predictor(given, trace).contributions(rows)
                assert_allclose(terms.columns, Predictor(X, dense).contributions(new).columns, rtol=1e-9, atol=1e-9)
    model = dpviz.MAPDP(kinds=["parts"] * n_words, random_state=0, effort=0.0).fit(sparse.csr_array(X))
    other = dpviz.MAPDP(kinds=["parts"] * n_words, random_state=0, effort=0.0).fit(X)
    assert_array_equal(model.labels_, other.labels_)
    assert_array_equal(model.predict(sparse.csr_array(new)), other.predict(new))
    assert_allclose(model.score_samples(new), other.score_samples(sparse.csr_array(new)))


def test_sparse_tables_are_read_whatever_type_their_cells_and_columns_have():
    X = topics(0, n_rows=40)[0]
    X[0, 0] = 300
    expected = dpviz.run(X, PARTS)
    rows, columns = np.nonzero(X)
    counts = X[rows, columns].astype(np.int64)
    small = np.minimum(counts, 200).astype(np.uint8)  # and what is beyond, in a second entry for the same cell
    cells = (np.append(small, np.uint8(100)), (np.append(rows, 0), np.append(columns, 0)))
    named = pd.DataFrame(X).rename(columns={0: "tocsr", 1: "sparse"})
    for given in (sparse.coo_matrix(cells, X.shape), pd.DataFrame(X).astype("Sparse[float]"), named):
        assert dpviz.run(given, PARTS).nll[-1] == expected.nll[-1]
    config = dpviz.RunConfig("gibbs", family="multinomial", n_sweeps=20, burn_in=5)
    trace = dpviz.run(sparse.csr_array(X), config)
    other = dpviz.run(X, config)
    for kept in (trace, other.with_data(sparse.csr_array(X))):
        assert kept._repr_html_() is None
        found, expected = (own.to_arviz()["posterior"]["n_clusters"] for own in (kept, dpviz.run(X, config)))
        assert_array_equal(found, expected)


def test_sparse_tables_take_the_memory_of_what_they_hold():
    rng, shares = np.random.default_rng(0), np.random.default_rng(1).dirichlet(np.full(20_000, 0.02), 4)
    cells = [np.unique(rng.choice(20_000, 60, p=shares[i % 4]), return_counts=True) for i in range(1_000)]
    rows = np.repeat(np.arange(1_000), [len(words) for words, _ in cells])
    words, counts = (np.concatenate(part) for part in zip(*cells, strict=True))
    X = sparse.csr_array((counts.astype(float), (rows, words)), shape=(1_000, 20_000))
    tracemalloc.start()
    try:
        trace = dpviz.run(X, replace(PARTS, init="kmeans++", init_clusters=6, n_init=2, effort=0.0))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ari(np.arange(1_000) % 4, trace.result_labels) > 0.9
    assert most < 0.5 * 8 * 1_000 * 20_000


def test_what_sparse_tables_cannot_be_is_said():
    X = topics(0, n_rows=20)[0]
    for config in (dpviz.RunConfig(), dpviz.RunConfig("kmeans"), dpviz.RunConfig(kinds=["real"] + ["parts"] * 59)):
        with pytest.raises(
            InvalidDataError, match=r"taken if all columns are parts of a whole: say kinds = \['parts'\]"
        ):
            dpviz.run(sparse.csr_array(X), config)
    with pytest.raises(InvalidDataError, match=r"takes dense tables only. Give X.toarray\(\)"):
        dpviz.second_opinion(sparse.csr_array(X), dpviz.run(X, PARTS))
    with pytest.raises(InvalidParameterError, match="one word per column; X has 60 columns"):
        dpviz.run(sparse.csr_array(X), dpviz.RunConfig(kinds=["parts"] * 59))
    with pytest.raises(InvalidDataError, match="shape .20, 60. and type complex128; it must hold real numbers"):
        dpviz.run(sparse.csr_array(X * 1j), PARTS)
    for wrong, said in (
        (-1.0, "column 7 of X holds -1 in row 5"),
        (0.5, "column 7 of X holds 0.5"),
        (np.nan, "X holds NaN or infinity in row 5"),
    ):
        X[5, 7] = wrong
        with pytest.raises(InvalidDataError, match=said):
            dpviz.run(sparse.csr_array(X), PARTS)
    X[5] = 0.0
    with pytest.raises(InvalidDataError, match="row 5 holds no counts at all in its 60 parts"):
        dpviz.run(sparse.csr_array(X), PARTS)


def table_of_words(seed=0, equal=False):
    X, truth = topics(seed, equal, n_rows=120, n_words=30)
    return pd.DataFrame(X.astype(int), columns=[f"word{v}" for v in range(30)]), truth


def test_long_documents_are_one_block_and_what_is_none_is_refused():
    rng = np.random.default_rng(3)
    shares, totals = rng.dirichlet(np.full(30, 0.15), 4), rng.integers(500, 5_000, 200)
    rows = [rng.multinomial(total, rng.dirichlet(shares[i % 4] * 20 + 0.01)) for i, total in enumerate(totals)]
    frame = pd.DataFrame(rows, columns=[f"word{v}" for v in range(30)])
    kinds = dict(decide(frame).features)
    assert "hurdle" in kinds.values()
    assert set(dict(decide(frame, kinds={"*": "parts"}).features).values()) == {"parts"}
    few = pd.DataFrame(rng.poisson([3, 2, 2], (200, 3)), columns=[*"abc"])
    assert {kind for _, kind in decide(few, kinds={"*": "parts"}).features} == {"parts"}
    with pytest.raises(InvalidParameterError, match=r"kinds = '\* = parts' must be of a table with two columns"):
        decide(pd.DataFrame(rng.normal(size=(50, 3)), columns=[*"abc"]), kinds={"*": "parts"})


def test_cells_beside_parts_are_not_left_out():
    X = np.column_stack([np.random.default_rng(1).normal(size=60), np.random.default_rng(2).poisson(5, (60, 3)) + 1.0])
    X[0, 0] = np.nan
    config = dpviz.RunConfig(kinds=["real", "parts", "parts", "parts"], missing="marginalise")
    with pytest.raises(InvalidParameterError, match="parts of a whole cannot leave missing cells .NaN. of others out"):
        dpviz.run(X, config)


def test_counts_whose_totals_vary_are_said_to_be_parts_and_can_be_named_at_once(tmp_path, capsys):
    frame, truth = table_of_words()
    decision = decide(frame)
    assert len(decision.may_be_parts) == 30 and "take these columns as parts" in decision.why_parts
    assert not decide(table_of_words(equal=True)[0]).why_parts
    independent = pd.DataFrame(np.random.default_rng(0).poisson([3, 9, 5, 7, 6, 4], (200, 6)))
    assert not may_be_parts(independent.set_axis([*"abcdef"], axis=1), tuple("abcdef"))
    lenient = np.random.default_rng(1).beta(1, 1, (200, 1))
    scores = pd.DataFrame(np.random.default_rng(2).binomial(4, lenient, (200, 9))).set_axis([*"abcdefghi"], axis=1)
    assert not may_be_parts(scores, tuple("abcdefghi"))
    for seed in range(20):  # totals of columns in several units are that of the smallest
        rng = np.random.default_rng(seed)
        homes = pd.DataFrame(rng.poisson([4, 2, 1, 1], (200, 4)), columns=[*"abcd"])
        for large in (rng.poisson(rng.gamma(8, 1000, 200)), np.round(np.exp(rng.normal(8, 1, 200)))):
            assert not may_be_parts(homes.assign(e=large), tuple("abcde"))
            assert may_be_parts(table_of_words(seed)[0], tuple(frame.columns))
    fitted = dpviz.MAPDP(random_state=0, effort=0.0).fit(frame)
    assert any("take these columns as parts. Say kinds=[…]" in note for note in fitted.notes_)
    read = tables.read_table(frame.to_csv(index=False).encode(), "words.csv")
    data = tables.to_dataset(read, kinds={"*": "parts"})
    assert set(data.kinds) == {"parts"} and data.n_features == 30
    trace = dpviz.run(data.X, dpviz.RunConfig(kinds=list(data.kinds)))
    assert trace.config.family == "multinomial" and ari(truth, trace.result_labels) == 1
    path = tmp_path / "words.csv"
    frame.to_csv(path, index=False)
    assert cli("run", path, "--kind", "*=parts", "--effort", "0") == 0
    told = capsys.readouterr()
    assert "Clustered as parts: " in told.err and '"family":"multinomial"' in told.out
    assert cli("run", path, "--effort", "0", "--family", "poisson") == 0
    assert "take these columns as parts" in capsys.readouterr().err
    assert cli("run", path, "--kind", "*=parts+total", "--effort", "0") == 0
    told = capsys.readouterr()
    assert "Clustered as parts+total: " in told.err and '"family":"counted_multinomial"' in told.out
    assert "Totals of the parts tell no groups apart: " in told.err  # they have one law in all topics
