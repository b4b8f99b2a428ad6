"""Data and parameters at the edge and beyond: each works, or is refused in words that help."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.special import gammaln

import dpviz
from dpviz.engine.problem import Problem
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError
from dpviz.families import FAMILIES
from examples import GAUSSIAN

ALGORITHMS = {
    **{f"mapdp_{family}": dpviz.RunConfig(family=family, n_init=6, prior=None) for family in GAUSSIAN},
    **{
        f"gibbs_{family}": dpviz.RunConfig("gibbs", family=family, n_sweeps=4, burn_in=1, prior=None)
        for family in GAUSSIAN
    },
    **{
        f"explicit_{family}": dpviz.RunConfig(
            "gibbs", family=family, n_sweeps=4, burn_in=1, sampler="explicit_parameters", prior=None
        )
        for family in GAUSSIAN
    },
    "kmeans": dpviz.RunConfig("kmeans", n_clusters=2, n_init=2),
    "dpmeans": dpviz.RunConfig("dpmeans", penalty=9.0),
    "em": dpviz.RunConfig("em", n_components=2, n_init=2),
}
USUAL = {"family": "normal_wishart", "prior": None}
ESTIMATORS = [
    dpviz.KMeans(2),
    dpviz.DPMeans(),
    dpviz.MAPDP(n_init=1, **USUAL),
    dpviz.GibbsDP(n_sweeps=2, burn_in=0, **USUAL),
    dpviz.GaussianEM(2),
]
each_algorithm = pytest.mark.parametrize("name", ALGORITHMS)


def blobs() -> np.ndarray:
    """Two clear groups of 30, on a grid of 2⁻²⁰ so that large offsets are exact."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8])
    return np.round(X * 2**20) / 2**20


def with_entry(value: float) -> np.ndarray:
    X = blobs()
    X[[4, 9], [1, 0]] = value
    return X


BAD_DATA = {
    "nan": (with_entry(np.nan), "NaN in 2 of 60 rows .first: row 4, column 1.*drop or fill"),
    "inf": (with_entry(np.inf), "infinity in 2 of 60 rows"),
    "both infinities": (np.where(blobs() > 4, np.inf, -np.inf), "infinity in 60 of 60 rows"),
    "none": ([[None, 1.0], [2.0, 3.0]], "NaN in 1 of 2 rows"),
    "no points": (np.empty((0, 2)), "empty.*at least one point"),
    "no features": (np.empty((5, 0)), "empty.*one feature"),
    "one axis": (np.arange(5.0), r"shape \(5,\).*2-D.*reshape"),
    "three axes": (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\).*2-D"),
    "a number": (3.0, r"shape \(\)"),
    "nothing": (None, r"shape \(\)"),
    "text": (np.array([["a", "b"]] * 5), "holds text.*code categories"),
    "text that reads as numbers": (np.array([["1", "2"]] * 5), "holds text"),
    "one late text": (np.array([[1.0, 2.0]] * 2000 + [[3.0, "4"]], dtype=object), "holds text"),
    "bytes": (np.array([[b"1"]] * 5), "holds text"),
    "objects": (np.array([[1, object()]] * 5, dtype=object), "cannot be read as numbers"),
    "complex": (blobs() * 1j, "complex128.*real numbers"),
    "complex objects": (np.array([[1, 1j]] * 5, dtype=object), "cannot be read as numbers"),
    "ragged": ([[1, 2], [3]], "cannot be read as numbers.*equal length"),
    "huge integers": ([[10**400, 1], [1, 2]], "cannot be read as numbers"),
    "dates": (np.array([["2020-01-01"] * 2] * 5, dtype="M8[D]"), r"datetime64\[D\].*real numbers"),
    "masked": (np.ma.masked_greater(blobs(), 9), "masked"),
    "records": (np.zeros(5, dtype="i4,i4"), "cannot be read as numbers"),
    "a dict": ({"a": 1}, "cannot be read as numbers"),
    "sparse": (sparse.csr_array(blobs()), "is a sparse matrix, which is taken if all columns are parts of a whole"),
    "too large": (blobs() * 1e200, r"reaches 1e\+201; its squares overflow beyond 1e\+150. Rescale"),
    "nearly infinite": (np.abs(blobs()) * 1e307, "squares overflow"),
    "too small": (blobs() * 1e-200, "column 0 .* varies by .*e-199 only; squares underflow below 1e-150"),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_are_refused_with_the_reason(case):
    X, message = BAD_DATA[case]
    left_out = dpviz.RunConfig(family="normal_wishart", n_init=1, missing="marginalise")
    for config in (left_out, ALGORITHMS["kmeans"]):
        with pytest.raises(InvalidDataError, match=message):
            dpviz.run(X, config)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("case", BAD_DATA)
def test_estimators_refuse_bad_data(case, estimator):
    """In scikit-learn's words where it has some; it insists on TypeError for objects that are no numbers."""
    X, _ = BAD_DATA[case]
    if case in ("nan", "none") and isinstance(estimator, dpviz.MAPDP | dpviz.GibbsDP):
        assert estimator.fit(X).trace_.imputed is not None, "missing cells are no bad data here: they are filled in"
        return
    no_numbers = case in ("objects", "complex objects", "records", "a dict")
    with pytest.raises(TypeError if no_numbers else ValueError):
        estimator.fit(X)


@each_algorithm
def test_predicting_bad_data_is_refused_too(name):
    if not name.startswith("mapdp"):
        return
    model = dpviz.MAPDP(family=name.removeprefix("mapdp_"), n_init=1, prior=None).fit(blobs())
    for case in ("inf", "text", "too large", "three axes"):
        with pytest.raises(ValueError):
            model.predict(BAD_DATA[case][0])


BAD_RUNS = {
    "more kmeans clusters than points": (
        {"algorithm": "kmeans", "n_clusters": 61},
        r"n_samples=60 should be >= n_clusters=61; choose fewer clusters",
    ),
    "more components than points": ({"algorithm": "em", "n_components": 61}, "n_samples=60.*n_components=61"),
    "labels beyond a finite Dirichlet": (
        {"init": np.arange(60), "partition": dpviz.FiniteDirichlet(1.0, 5)},
        "init gives 60 starting clusters.*n_components=5.*at most 5; raise n_components",
    ),
    "init_clusters beyond a finite Dirichlet": (
        {"init": "random", "init_clusters": 6, "partition": dpviz.FiniteDirichlet(1.0, 5)},
        "init_clusters gives 6 starting clusters.*at most 5",
    ),
    "singletons beyond a finite Dirichlet": (
        {"init": "singletons", "partition": dpviz.FiniteDirichlet(1.0, 5)},
        "init = 'singletons' gives 60 starting clusters.*at most 5",
    ),
    "init_clusters beyond the points": (
        {"init": "kmeans++", "init_clusters": 61},
        "init_clusters = 61 must be at most the number of points, 60",
    ),
    "labels of wrong length": ({"init": [0, 1]}, "init has 2 labels for 60 points; give one label per point"),
    "labels of wrong length for kmeans": ({"algorithm": "kmeans", "init": [0, 1]}, "init has 2 labels for 60 points"),
    "labels that contradict n_clusters": (
        {"algorithm": "kmeans", "init": np.arange(60) % 4},
        "init has 4 clusters, but n_clusters = 3; give n_clusters=4",
    ),
    "labels that contradict n_components": (
        {"algorithm": "em", "init": np.arange(60) % 2},
        "init has 2 clusters, but n_components = 3",
    ),
    "centres of wrong width": (
        {"algorithm": "kmeans", "init": np.zeros((3, 5))},
        "init has centres of 5 features; they must have 2",
    ),
    "narrow centres": ({"algorithm": "kmeans", "init": np.zeros((3, 1))}, "centres of 1 features; they must have 2"),
    "too few centres": ({"algorithm": "kmeans", "init": np.zeros((2, 2))}, "init has 2 clusters, but n_clusters = 3"),
    "centres far out": ({"algorithm": "kmeans", "init": np.full((3, 2), 1e200)}, r"init reaches 1e\+200"),
    "too short a growth": (
        {"partition": dpviz.GeneralizedChineseRestaurant(1.0, (0.0, 1.0))},
        "at least as long as there are points .60.; it has 2 values",
    ),
}


@pytest.mark.parametrize("case", BAD_RUNS)
def test_runs_that_do_not_suit_the_data(case):
    options, message = BAD_RUNS[case]
    config = dpviz.RunConfig(**{"family": "normal_wishart", "prior": None, **options})
    with pytest.raises(InvalidParameterError, match=message):
        dpviz.run(blobs(), config)
    with pytest.raises(InvalidParameterError, match=message):
        next(dpviz.iterate(blobs(), config))


def test_singletons_have_a_limit():
    X = np.zeros((20_001, 1))
    with pytest.raises(InvalidParameterError, match="starts 20,001 clusters; 20,000 is the limit. Use 'sequential'"):
        dpviz.run(X, dpviz.RunConfig(init="singletons", family="normal_wishart", prior=None))


def test_one_point_is_too_few_for_em_only():
    with pytest.raises(InvalidDataError, match="at least 2 points"):
        dpviz.run([[1.0]], dpviz.RunConfig("em", n_components=1))
    with pytest.raises(InvalidParameterError, match="n_samples=1 should be >= n_clusters=3"):
        dpviz.run([[1.0]], dpviz.RunConfig("kmeans"))
    assert dpviz.run([[1.0]], dpviz.RunConfig("kmeans", n_clusters=1)).objective[-1] == 0


def test_something_else_than_a_configuration():
    for config in ({"algorithm": "mapdp"}, None, "mapdp"):
        with pytest.raises(InvalidParameterError, match="must be a RunConfig"):
            dpviz.run(blobs(), config)


BAD_PRIORS = [
    ("normal_wishart", {"psi0": [[1, 2], [2, 1]]}, "psi0.*not positive definite"),
    ("normal_wishart", {"psi0": np.zeros((2, 2))}, "psi0.*not positive definite"),
    ("normal_wishart", {"psi0": [[1, 0.5], [0.2, 1]]}, "psi0.*not symmetric"),
    ("normal_wishart", {"psi0": np.eye(3)}, r"psi0.*shape \(3, 3\).*must be \(2, 2\)"),
    ("normal_wishart", {"psi0": 1.0}, r"psi0.*shape \(\).*must be \(2, 2\)"),
    ("normal_wishart", {"m0": [1, 2, 3]}, r"m0.*shape \(3,\).*must be \(2,\)"),
    ("normal_wishart", {"c0": -1}, r"c0.*-1\.0 must be > 0"),
    ("normal_wishart", {"c0": 0}, r"c0.*0\.0 must be > 0"),
    ("normal_wishart", {"c0": [1, 2]}, r"c0.*shape \(2,\)"),
    ("normal_wishart", {"a0": 1}, "a0.*= 1.* must be > 1; give a larger value"),
    ("normal_wishart", {"q": 1}, "'q'.*not a hyperparameter of normal_wishart; it has m0, c0, a0, psi0"),
    ("normal_gamma", {"b0": 0}, "b0.*must be > 0"),
    ("normal_gamma", {"b0": [1, -1]}, "b0.*must be > 0"),
    ("normal_gamma", {"b0": [1, 2, 3]}, r"b0.*shape \(3,\)"),
    ("normal_gamma", {"a0": -2}, "a0.*must be > 0"),
    ("spherical_normal", {"sigma0_sq": 0}, "sigma0_sq.*must be > 0"),
    ("spherical_normal", {"sigma_hat_sq": -1}, "sigma_hat_sq.*must be > 0"),
    ("spherical_normal", {"mu0": [1]}, r"mu0.*shape \(1,\)"),
    ("normal_known_covariance", {"sigma0": -np.eye(2)}, "sigma0.*not positive definite"),
    ("normal_known_covariance", {"sigma_hat": [[1, 0], [1, 1]]}, "sigma_hat.*not symmetric"),
]


@pytest.mark.parametrize(("family", "prior", "message"), BAD_PRIORS, ids=lambda value: str(value)[:30])
def test_bad_hyperparameters_are_named(family, prior, message):
    with pytest.raises(InvalidParameterError, match=message):
        dpviz.run(blobs(), dpviz.RunConfig(family=family, prior=prior))
    with pytest.raises(InvalidParameterError, match=message):
        dpviz.MAPDP(family=family, prior=prior).fit(blobs())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda v: dpviz.ChineseRestaurant(v), "concentration"),
        (lambda v: dpviz.PoweredChineseRestaurant(v, 1.1), "concentration"),
        (lambda v: dpviz.PoweredChineseRestaurant(1.0, v), "power"),
        (lambda v: dpviz.FiniteDirichlet(v, 5), "concentration"),
        (lambda v: dpviz.GeneralizedChineseRestaurant(v, (0.0,)), "concentration"),
        (lambda v: dpviz.RunConfig("dpmeans", penalty=v), "penalty"),
    ],
)
@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, True, "1", None, 1j, [1.0], 10**400])
def test_numbers_that_must_be_positive(make, message, value):
    with pytest.raises(InvalidParameterError, match=f"{message} = .* must be a"):
        make(value)


# --- unusual data that must work --------------------------------------------------------------------------------------


def result(X: np.ndarray, name: str, **changes: object) -> dpviz.Trace:
    config = ALGORITHMS[name]
    if config.algorithm == "dpmeans" and "penalty" not in changes:
        changes["penalty"] = float(np.mean(np.var(X, axis=0))) or 1.0
    trace = dpviz.run(X, dpviz.RunConfig.from_dict({**config.to_dict(), **changes}))
    assert np.isfinite(trace.objective).all()
    assert np.isnan(trace.nll).all() == (config.algorithm in ("kmeans", "dpmeans", "em"))
    return trace


UNUSUAL = {
    "a constant column": np.column_stack([blobs(), np.full(60, 0.1)]),
    "a large constant column": np.column_stack([blobs(), np.full(60, 1e8 / 3)]),
    "all columns constant": np.full((60, 2), 0.1),
    "all zero": np.zeros((60, 3)),
    "duplicated columns": np.column_stack([blobs(), blobs()]),
    "collinear columns": np.column_stack([blobs(), blobs() @ [1.0, 2.0]]),
    "duplicated rows": np.repeat(blobs()[[0, 59]], 20, axis=0),
    "more columns than points": np.random.default_rng(1).normal(size=(5, 12)),
    "two points": blobs()[:2],
    "two equal points": blobs()[[0, 0]],
    "three points": blobs()[:3],
    "one far point": np.vstack([blobs(), [[1e10, 1e10]]]),
    "one point very far": np.vstack([blobs(), [[1e100, 1e100]]]),
    "columns of very different scales": blobs() * [1e-80, 1e80],
    "whole numbers": (blobs() * 3).astype(int),
    "booleans": blobs() > 1,
}


@each_algorithm
@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_data_work(case, name):
    trace = result(UNUSUAL[case], name)
    if case in ("all columns constant", "all zero", "two equal points") and name.startswith(("mapdp", "kmeans")):
        assert trace.n_clusters[-1] == 1
    if case == "duplicated rows" and not name.startswith(("gibbs", "explicit")):
        assert_array_equal(trace.labels_at(-1), trace.labels_at(-1)[[0] * 20 + [20] * 20])
        assert trace.n_clusters[-1] == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_one_point_works(family):
    for algorithm in ("mapdp", "gibbs"):
        for X in ([[3.0, 4.0]], [[float("multinomial" in family)]]):  # a row of no parts is refused
            trace = dpviz.run(X, dpviz.RunConfig(algorithm, family=family, n_sweeps=3, burn_in=0, prior=None))
            assert np.isfinite(trace.nll).all()
            assert_array_equal(trace.n_clusters, 1)


@pytest.mark.parametrize("exponent", [-332, -100, -20, 20, 100, 332])
@pytest.mark.parametrize("name", [name for name in ALGORITHMS if not name.startswith(("gibbs", "explicit"))])
def test_the_scale_of_the_data_does_not_matter(name, exponent):
    """From 1e-100 to 1e100, by powers of two so that the data themselves are exact."""
    X, scale = blobs(), 2.0**exponent
    plain = result(X, name, penalty=16.0)
    scaled = result(X * scale, name, penalty=16.0 * scale**2)
    assert_array_equal(scaled.labels_at(-1), plain.labels_at(-1))
    assert plain.n_clusters[-1] == 2
    if ALGORITHMS[name].algorithm == "mapdp":
        assert scaled.nll[-1] == pytest.approx(plain.nll[-1] + 120 * np.log(scale), rel=1e-9)
    if ALGORITHMS[name].algorithm in ("kmeans", "dpmeans"):
        assert scaled.objective[-1] == pytest.approx(plain.objective[-1] * scale**2, rel=1e-9)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if not name.startswith(("gibbs", "explicit"))])
def test_a_large_offset_does_not_matter(name):
    X = blobs()
    plain, shifted = result(X, name, penalty=16.0), result(X + 1e8, name, penalty=16.0)
    assert_array_equal(shifted.labels_at(-1), plain.labels_at(-1))
    assert shifted.objective[-1] == pytest.approx(plain.objective[-1], rel=1e-6)
    assert plain.n_clusters[-1] == 2


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma", "normal_known_covariance"])
def test_units_of_single_columns_do_not_matter(family):
    X = blobs()
    plain = result(X, f"mapdp_{family}", init="single")
    mixed = result(X * [2.0**-60, 2.0**60], f"mapdp_{family}", init="single")
    assert_array_equal(mixed.labels, plain.labels)


def test_nothing_warns_or_touches_the_global_generator():
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ALGORITHMS:
            result(blobs(), name)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


# --- columns of every kind --------------------------------------------------------------------------------------------


def counts() -> np.ndarray:
    return np.random.default_rng(0).poisson(3, size=(30, 2)).astype(float)


def with_cell(X: np.ndarray, value: float, row: object = 4, column: object = 1) -> np.ndarray:
    X = X.astype(float)
    X[row, column] = value
    return X


GAP = with_cell(counts(), np.nan, 3, 0)
FEW = np.minimum(counts(), 3)
REAL = np.random.default_rng(1).normal(size=30)
BAD_COLUMNS = {
    "a negative count": (with_cell(counts(), -2), {"kinds": ["count"] * 2}, "column 1 of X holds -2 in row 4.* from 0"),
    "a negative count beside a gap": (with_cell(GAP, -2), {"kinds": ["count"] * 2}, "column 1 of X holds -2 in row 4"),
    "nearly a count": (
        with_cell(counts(), 2.0000001),
        {"kinds": ["count"] * 2},
        "holds 2.0000001 in row 4.*whole number",
    ),
    "a fraction of a count": (with_cell(counts(), 2.5), {"kinds": ["count"] * 2}, "holds 2.5 in row 4.*whole number"),
    "a fraction in a mixed table": (
        np.c_[with_cell(counts(), 2.5), REAL],
        {"kinds": ["count", "count", "real"]},
        "column 1 of X holds 2.5 in row 4",
    ),
    "an enormous count": (
        with_cell(counts(), 1e15),
        {"kinds": ["count"] * 2},
        "holds 1000000000000000 .*to 1,000,000,000",
    ),
    "a fraction of a step": (with_cell(counts(), 0.5), {"kinds": ["ordinal"] * 2}, "holds 0.5 in row 4.*whole number"),
    "a negative duration": (with_cell(counts() + 1, -1), {"kinds": ["duration"] * 2}, "holds -1 in row 4.*number ≥ 0"),
    "a negative duration beside numbers": (
        np.c_[REAL, with_cell(counts() + 1, -1)],
        {"kinds": ["real", "duration", "duration"]},
        "column 2 of X holds -1",
    ),
    "a column without cells": (
        with_cell(counts(), np.nan, slice(None)),
        {"kinds": ["count"] * 2},
        "column 1 of X is missing .* in all 30 rows",
    ),
    "fewer trials than the data": (
        with_cell(FEW, 5),
        {"family": "binomial", "prior": {"trials": 3}},
        "column 1 of X holds 5 in row 4.*number of trials, 3. Raise prior\\['trials'\\]",
    ),
    "fewer trials in a mixed table": (
        np.c_[with_cell(FEW, 5), REAL],
        {"kinds": ["ordinal", "ordinal", "real"], "family": "mixed", "prior": {"binomial_trials": [3, 3]}},
        "holds 5 in row 4.*Raise prior\\['binomial_trials'\\]",
    ),
    "fewer codes than the data": (
        with_cell(FEW, 5),
        {"family": "categorical", "prior": {"n_categories": [4, 4]}},
        "holds 5 in row 4.*4 codes, 0 to 3. Raise prior\\['n_categories'\\]",
    ),
    "a negative code": (with_cell(FEW, -1), {"kinds": ["categorical"] * 2}, "holds -1 in row 4.*whole number from 0"),
    "a fraction of a code": (with_cell(FEW, 0.5), {"kinds": ["categorical"] * 2}, "holds 0.5 in row 4.*Code categor"),
    "more codes than are kept": (with_cell(FEW, 1e9), {"kinds": ["categorical"] * 2}, "whole number from 0 to 9,999"),
    "an infinite count": (with_cell(counts(), np.inf), {"kinds": ["count"] * 2}, "infinity in 1 of 30 rows"),
    "an infinite code": (with_cell(FEW, np.inf), {"kinds": ["categorical"] * 2}, "infinity in 1 of 30 rows"),
    "an infinite cell beside a gap": (with_cell(GAP, -np.inf), {"kinds": ["count"] * 2}, "NaN and infinity in 2 of 30"),
}
BAD_KINDS = {
    "fewer kinds than columns": ["count"],
    "more kinds than columns": ["count"] * 3,
    "more kinds of several families": ["count", "real", "real"],
}
each_model = pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])


def quick(algorithm: str, **options: object) -> dpviz.RunConfig:
    length = {"n_sweeps": 5, "burn_in": 1} if algorithm == "gibbs" else {}
    return dpviz.RunConfig(algorithm, n_init=2, **length, **options)


@each_model
@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_values_that_a_kind_cannot_have_are_named(case, algorithm):
    X, options, message = BAD_COLUMNS[case]
    with pytest.raises(InvalidDataError, match=message):
        dpviz.run(X, quick(algorithm, **options))


@each_model
@pytest.mark.parametrize("case", BAD_KINDS)
def test_there_is_one_kind_per_column(case, algorithm):
    with pytest.raises(InvalidParameterError, match="kinds = .* one word per column; X has 2 columns"):
        dpviz.run(counts(), quick(algorithm, kinds=BAD_KINDS[case]))


UNUSUAL_COLUMNS = {
    "a duration of zero": (with_cell(counts() + 1, 0), ["duration"] * 2),
    "a row without cells": (with_cell(counts(), np.nan, 4, slice(None)), ["count"] * 2),
    "a row without cells of a mixed table": (
        with_cell(np.c_[counts(), REAL], np.nan, 4, slice(None)),
        ["count", "categorical", "real"],
    ),
    "as many categories as rows": (np.c_[np.arange(30), FEW[:, 0]], ["categorical"] * 2),
    "more codes than rows": (np.c_[np.random.default_rng(2).integers(0, 5000, 30), FEW[:, 0]], ["categorical"] * 2),
    "five thousand categories": (np.arange(5000)[:, None] % 5000, ["categorical"]),
    "one category": (np.zeros((30, 1)), ["categorical"]),
    "one category beside others": (np.c_[np.zeros(30), FEW[:, 0]], ["categorical"] * 2),
    "one binary value": (np.ones((30, 1)), ["binary"]),
    "nothing counted": (np.zeros((30, 1)), ["count"]),
}


@pytest.mark.parametrize("case", UNUSUAL_COLUMNS)
def test_unusual_columns_have_the_nll_of_their_joint_density(case):
    X, kinds = UNUSUAL_COLUMNS[case]
    trace = dpviz.run(X, quick("gibbs", kinds=kinds, init="single"))
    problem = Problem.check(X, trace.config)
    labels = trace.result_labels
    sizes = np.unique(labels, return_counts=True)[1]
    n0, n = 3.0, len(X)
    log_prior = len(sizes) * np.log(n0) + gammaln(sizes).sum() + gammaln(n0) - gammaln(n0 + n)
    log_data = sum(problem.model.log_marginal(np.asarray(X, dtype=float)[labels == k]) for k in np.unique(labels))
    assert trace.nll[trace.result_sweep] == pytest.approx(-(log_prior + log_data), rel=1e-9)


@pytest.mark.parametrize("case", ["one category", "one binary value", "nothing counted"])
def test_columns_that_say_nothing_leave_one_cluster(case):
    X, kinds = UNUSUAL_COLUMNS[case]
    assert set(dpviz.run(X, quick("mapdp", kinds=kinds)).result_labels) == {0}


def test_every_refusal_is_a_value_error():
    assert issubclass(DpvizError, ValueError)
    for error in DpvizError.__subclasses__():
        assert error.__module__ == "dpviz.errors"
