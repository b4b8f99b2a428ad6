"""The report says what was computed, in the units of the data, and names what was not tried."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from configs import usual_config
from numpy.testing import assert_allclose
from sklearn.mixture import GaussianMixture

import dpviz
from dpviz.analysis.model_table import (
    EFFORT,
    comparable_families,
    model_table,
    models_like,
    models_of,
    models_transformed,
    most_models,
)
from dpviz.analysis.stability import BOOTSTRAPS, HALVES, cluster_stability, draws_nothing
from dpviz.datasets import Dataset, one_hot, scale, tables
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.fit.automatic import resolve
from dpviz.fit.shape import learned_priors, may_be_learned
from dpviz.partition import ChineseRestaurant
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.report import cluster_table, report, report_steps
from dpviz.report.words import model_in_words


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table with what real ones have: ids, words, gaps, dates, markup, numbers of other scales."""
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1, 2], 40)
    frame = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(120)],
            "height": np.round(rng.normal(150 + 15 * group, 4), 1),
            "income": np.round(np.exp(rng.normal(8 + 0.7 * group, 0.2))),
            "colour": np.where(rng.random(120) < 0.9, np.array(["red", "green", "blue"])[group], "<b>x</b>"),
            "when": (
                pd.to_datetime("2024-01-01") + pd.to_timedelta(100 * group + rng.integers(0, 9, 120), "D")
            ).strftime("%Y-%m-%d"),
        }
    )
    frame.loc[[3, 50], "height"] = np.nan
    path = tmp_path_factory.mktemp("report") / "t.csv"
    frame.to_csv(path, index=False)
    return path, frame


@pytest.fixture(scope="module")
def written(table, tmp_path_factory):
    path, _ = table
    folder = tmp_path_factory.mktemp("written")
    run, page = folder / "run.json", folder / "report.html"
    asked = "--kind when=continuous --effort 0.05"  # dates are left out unless asked for
    assert cli("run", path, asked, "--quiet --out", run) == 0
    assert cli("report", run, "--data", path, "--out", page) == 0
    return dpviz.Trace.from_json(run.read_text()), page.read_text(encoding="utf-8"), run


class Cells(HTMLParser):
    """The tables of a page, as lists of rows of texts."""

    def __init__(self, page: str):
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.tags: set[str] = set()
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.tables[-1][-1][-1] += data


def test_clusters_are_described_in_the_units_of_the_data(table, written):
    _, frame = table
    trace, page, _ = written
    labels = trace.result_labels
    overview, columns, scales = Cells(page).tables[:3]
    assert [int(row[1]) for row in overview[1:]] == np.bincount(labels).tolist()
    by_name = {row[0]: row[1:] for row in columns[1:]}
    assert list(by_name) == ["height", "income", "colour", "when"]
    for cluster in range(labels.max() + 1):
        own = frame[labels == cluster]
        assert by_name["height"][cluster] == f"{own['height'].mean():.4g} ± {own['height'].std():.2g}"
        assert by_name["income"][cluster].startswith(f"{own['income'].mean():,.0f} ± ")
        usual = own["colour"].value_counts()
        assert by_name["colour"][cluster] == f"{usual.index[0]} ({usual.iloc[0] / len(own):.0%})"
        assert by_name["when"][cluster].startswith(str(pd.to_datetime(own["when"]).mean().round("D").date()))
    assert [int(row[0]) for row in scales[1:]] == list(range(labels.max() + 1, 0, -1))


def test_the_page_loads_nothing_runs_nothing_and_shows_markup_as_text(written):
    _, page, _ = written
    assert "default-src 'none'" in page and not re.search(r'(?:src|href)="', page)
    assert not Cells(page).tags & {"script", "b", "img", "link", "iframe"} and html.escape("<b>x</b>") in page


def test_the_numbers_are_those_of_the_run(written):
    trace, page, _ = written
    nll = trace.nll[trace.row(trace.result_sweep)]
    assert f"−ln p(data, partition) is {nll:,.2f} nats" in page and html.escape(trace.config.to_json()) in page
    assert "2 rows have missing cells" in page and "Left out because" in page


def test_what_is_not_tried_is_said(written, table, tmp_path):
    _, _, run = written
    page = tmp_path / "quick.html"
    assert cli("report", run, "--data", table[0], "--quick --out", page) == 0
    text = page.read_text(encoding="utf-8")
    assert "No chain was tried" in text and "Other seeds were not tried" in text and "Not tried:" in text
    assert "stays together" not in text


def test_the_command_in_a_page_to_publish_names_no_folder(written, table, tmp_path, monkeypatch):
    _, _, run = written
    words = typed("report", run, "--data", table[0], "--quick --out", tmp_path / "p.html")
    monkeypatch.setattr("sys.argv", ["dpviz", *words])
    assert cli(words) == 0
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "dpviz report run.json --data t.csv --quick --out p.html" in text
    assert str(tmp_path) not in text


def test_other_methods_are_scored_against_the_answer():
    data = dpviz.datasets.load("iris")
    trace = dpviz.run(data.X, usual_config(effort=0.02))
    page = report(data, trace)
    rows = Cells(page).tables[-1]
    kmeans = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=int(trace.n_clusters[-1]), n_init=10))
    assert rows[1][0].startswith("K-means") and len(rows) == 5
    scores = [dpviz.metrics.ari(other, kmeans.result_labels) for other in (trace.result_labels, data.labels)]
    assert rows[1][2:] == [f"{score:.4g}" for score in scores]
    mixtures = [GaussianMixture(k, n_init=10, max_iter=500, random_state=0).fit(data.X) for k in range(1, 13)]
    by_bic = min(mixtures, key=lambda fit: fit.bic(data.X)).predict(data.X)
    assert rows[2][0].startswith("Gaussian mixture") and "10 starts each" in rows[2][0]
    assert rows[2][3] == f"{dpviz.metrics.ari(data.labels, by_bic):.4g}"


def test_columns_of_several_kinds_are_made_comparable_for_other_methods():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 60)
    size, price = 80 + 40 * group + rng.normal(0, 5, 120), rng.normal(3e5, 9e4, 120)
    garage, town = rng.integers(0, 2, 120), rng.integers(0, 3, 120)
    kinds, names = ("continuous", "continuous", "binary"), ((), (), ("no", "yes"))
    X = np.column_stack([size, price, garage])
    data = Dataset(X=X, name="t", feature_names=("size", "price", "garage"), kinds=kinds, category_names=names)
    coded = replace(
        data,
        X=np.column_stack([X, town]),
        feature_names=(*data.feature_names, "town"),
        kinds=(*kinds, "categorical"),
        category_names=(*names, ("x", "y", "z")),
    )
    mixed = usual_config(family="mixed", effort=0.02)
    for own, numbers, words in (
        (data, scale(X, "standardise").X, "columns standardised, since they are of several kinds"),
        (
            coded,
            one_hot(coded).X,
            "On 3 numbers standardised, “town” as 3 indicators; mixtures have one",
        ),
    ):
        trace = dpviz.run(own.X, mixed.with_kinds(own.kinds))
        page = report(own, trace)
        kmeans = dpviz.run(numbers, dpviz.RunConfig("kmeans", n_clusters=len(set(trace.result_labels)), n_init=10))
        expected = dpviz.metrics.ari(trace.result_labels, kmeans.result_labels)
        assert Cells(page).tables[-1][1][2] == f"{expected:.4g}".replace("-", "−") and words in html.unescape(page)


@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "gibbs", "em"])
def test_every_method_has_a_report(algorithm):
    data = dpviz.datasets.load("old_faithful")
    trace = dpviz.run(
        data.X, dpviz.RunConfig(algorithm, **({"n_sweeps": 40, "burn_in": 5} if algorithm == "gibbs" else {}))
    )
    page = report(data, trace, most_work=1e6)
    assert "nan" not in re.sub(r"<[^>]*>", " ", page).lower().replace("finance", "").split()
    assert f"{trace.n_clusters[trace.result_sweep]} cluster" in page


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0, 2.0], [1.5, 2.5]]),
        np.arange(20.0)[:, None] ** 2,
        np.column_stack([np.arange(12.0), np.ones(12)]),
    ],
)
def test_small_and_constant_tables_have_a_report(X):
    data = Dataset(X=X, name="small")
    trace = dpviz.run(X, usual_config(family="normal_gamma", init="single", n_init=1))
    assert "</html>" in report(data, trace, most_work=1e6)


def test_other_data_and_other_labels_are_refused():
    data = dpviz.datasets.load("old_faithful")
    trace = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=2))
    with pytest.raises(InvalidDataError, match="other numbers"):
        report(data, trace, data.X + 1)
    with pytest.raises(InvalidParameterError, match="one for each"):
        report(data, trace, joined=np.zeros(3, dtype=int))


def test_joined_clusters_are_what_the_page_speaks_of():
    data = dpviz.datasets.load("iris")
    trace = dpviz.run(data.X, usual_config(effort=0.02))
    joined = np.minimum(trace.result_labels, 1)
    page = report(data, trace, joined=joined, most_work=0.0)
    assert f"2 clusters, joined from the {trace.n_clusters[-1]} that were found" in page
    assert [int(row[1]) for row in Cells(page).tables[0][1:]] == np.bincount(joined).tolist()


def titled(page: str, title: str) -> list[list[list[str]]]:
    """The tables below a heading."""
    return Cells(page.partition(f"<h2>{title}</h2>")[2].partition("</section>")[0]).tables


def test_how_stable_each_cluster_is_stands_beside_its_size(table, written):
    trace, page, _ = written
    (found,) = titled(page, "How certain")
    assert found[0] == [
        "cluster",
        "n",
        "stays together",
        "likeliest to be one with",
        "pairs together",
        "chain",
        "other seeds",
        "halves",
        "bootstraps",
    ]
    assert [int(row[1]) for row in found[1:]] == np.bincount(trace.result_labels).tolist()
    assert all(0.75 < float(share) <= 1 for row in found[1:] for share in row[5:])  # the groups are far apart
    assert "3 runs with other seeds find 3 clusters" in page


def test_a_method_without_chance_is_repeated_in_other_orders_of_the_rows():
    data = dpviz.datasets.load("iris")
    trace = dpviz.run(data.X, dpviz.RunConfig("dpmeans", penalty=1.0))
    page = html.unescape(report(data, trace))
    runs = [dpviz.run(data.X, replace(trace.config, seed=seed, order="permuted")) for seed in (1, 2, 3)]
    agreed = [dpviz.metrics.ari(trace.result_labels, again.result_labels) for again in runs]
    assert min(agreed) < 1
    counts = sorted({int(again.n_clusters[again.result_sweep]) for again in runs})
    assert "This method draws nothing at random, so that other seeds would repeat the run." in page
    found = f"{' or '.join(map(str, counts))} cluster{'s' * (counts != [1])}"
    said = f"find {found}, ARI with the answer as found {min(agreed):.3f} to {max(agreed):.3f}."
    assert f"3 runs that visit the rows in other orders {said}" in page
    columns = titled(page, "How certain")[-1][0]
    assert "other orders" in columns and "other seeds" not in columns
    for config in (
        dpviz.RunConfig("dpmeans", penalty=1.0, order="permuted"),
        dpviz.RunConfig("dpmeans", penalty=1.0, init="random", n_init=3),
        usual_config(effort=0.02),
        dpviz.RunConfig("kmeans", n_clusters=3),
    ):
        assert not draws_nothing(dpviz.run(data.X, config).config)


def test_runs_that_samples_do_not_allow_are_not_counted():
    X = np.column_stack([np.arange(24.0) + 50 * (np.arange(24) > 11), np.full(24, np.nan)])
    X[3, 1] = 1.0  # samples without this row have no value of its column
    trace = dpviz.run(X, usual_config(family="normal_gamma", init="single", n_init=1))
    ran = {way: len(counts) for way, counts in cluster_stability(X, trace).attrs["n_clusters"].items()}
    assert ran[HALVES] == 2 and 0 < ran[BOOTSTRAPS] < 10
    said = report(Dataset(X=X, name="few", gaps=True), trace)
    assert "2 runs on random halves" in said and f"{ran[BOOTSTRAPS]} runs on bootstrap samples" in said


def test_models_are_compared_as_they_run():
    data = dpviz.datasets.load("old_faithful")
    trace = dpviz.run(data.X, dpviz.RunConfig("mapdp", partition="auto", effort=0.05))
    found = model_table(data.X, trace, data.kinds)
    assert set(found["family"]) == {"normal_wishart", "normal_gamma", "spherical_normal"} and len(found) == 12
    assert found["held_out"].is_monotonic_decreasing
    own = found[(found["family"] == trace.config.family) & found["prior"].str.startswith(trace.config.partition.title)]
    config = dpviz.RunConfig(
        "mapdp", family=trace.config.family, prior=trace.config.prior, effort=EFFORT, partition=trace.config.partition
    )
    assert own["nll"].item() == dpviz.run(data.X, config).nll[-1]
    (shown,) = titled(report(data, trace), "Other models")
    assert [row[0] for row in shown[1:]] == [FAMILIES[name].title for name in found["family"]]
    assert [row[3] for row in shown[1:]] == [f"{nll:,.1f}" for nll in found["nll"]]


def test_models_are_compared_with_what_the_run_learned_and_in_its_directions():
    X, kinds = dpviz.datasets.load("iris").X[::5], ("continuous",) * 4
    trace = dpviz.run(X, usual_config(directions=2, effort=0.0))
    (own, *_) = models_of(X, trace, kinds)
    assert own.config == replace(trace.config, effort=EFFORT)
    assert {model.config.directions for model in models_of(X, trace, kinds)} == {2}
    assert "All look for clusters along 2 directions of the columns, as the run does." in report(
        Dataset(X=X, name="iris"), trace
    )
    config = usual_config(
        "gibbs",
        "normal_gamma",
        partition=ChineseRestaurant(90.0),
        n_sweeps=30,
        burn_in=10,
        hyperpriors={"concentration": "gamma(1,1)"},
    )
    trace = dpviz.run(X[:, :2], config)
    (own, *_) = models_of(X[:, :2], trace, kinds[:2])
    assert own.config.partition.concentration == trace.hyperparameters["concentration"][trace.result_sweep] != 90.0


@pytest.mark.parametrize("family", ["normal_gamma", "normal_wishart"])
def test_a_learned_shape_has_no_density_of_rows_that_taught_it(family):
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [6.0, 1.0]], 20, axis=0) + rng.normal(size=(40, 2)) * [0.3, 3.0]
    for prior in learned_priors(X, np.repeat([0, 1], 20), family):
        assert may_be_learned(family, prior)
    trace = dpviz.run(X, dpviz.RunConfig(family=family, prior=prior, effort=0.0, n_init=2))
    table = model_table(X, trace, ("continuous",) * 2, 2)
    own = table["family"] == family
    assert table["held_out"][own].isna().all() and table["held_out"][~own].notna().all() and table["nll"].notna().all()
    page = report(Dataset(X=X, name="taught"), trace)
    assert "The run’s own family has no density of rows left out here: its a0" in page
    assert "A dash stands where" not in page and "The first is that of the highest" in page


def test_what_the_folds_of_other_models_keep_is_said():
    X = np.random.default_rng(0).lognormal(size=(60, 2))
    given = dpviz.RunConfig("mapdp", family="normal_gamma", prior={"a0": 2.0, "b0": [0.5, 0.5]}, effort=0.0)
    words = "The run’s own family keeps its a0 and b0 where rows are left out"
    page = report(Dataset(X=X, name="kept"), dpviz.run(X, given))
    assert "Given are a0 = 2, b0 = (0.5, 0.5); other hyper" in page
    whole = replace(given, prior={"a0": 2.0, "b0": [0.5, 0.5], "c0": 0.1, "m0": [1.0, 1.0]})
    learned = "By the user, or learned from clusters of these rows, are a0 = 2, b0 = (0.5, 0.5), c0 = 0.1, m0 = (1, 1)."
    assert learned in " ".join(model_in_words(dpviz.run(X, whole)))
    assert not may_be_learned("normal_gamma", whole.prior_dict)
    assert words in page and "the powers of columns" not in page
    width = replace(given, prior={"width": 0.5}, transform=(0.0, 1.0))
    page = report(Dataset(X=X, name="kept", feature_names=("price", "area")), dpviz.run(X, width))
    assert page.count("log of “price”") == 4 and "counted from 0" not in page
    assert "All keep the powers of columns that the run has" in page and "own family keeps" not in page


def test_dashes_in_the_table_of_models_are_explained_and_so_is_its_order():
    X = np.column_stack([np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) == 7])
    trace = dpviz.run(X, usual_config(directions=2, effort=0.0))
    assert np.isnan(model_table(X, trace, ("continuous",) * 4)["held_out"]).all()
    page = report(Dataset(X=X, name="rare"), trace)
    assert "so that the first is that of the lowest −ln p" in page and "A dash stands where rows" in page
    plain = report(Dataset(X=X[:, :3], name="plain"), dpviz.run(X[:, :3], replace(trace.config, directions=None)))
    assert "The first is that of the highest;" in plain and "A dash stands where" not in plain
    page = report(Dataset(X=X, name="rare"), dpviz.run(X, replace(trace.config, coarsening=40.0)))
    assert "(α + N) = 0.4, α = 40: a row counts that much of one in the fit of clusters, all 60 together 24, " in page
    assert "they are in the order in which they were tried" in page and "of the lowest −ln p" not in page
    assert "in nats, the lower the better, and the mean log density" not in page


def test_a_report_rests_between_runs_and_joined_clusters_are_not_looked_for():
    X = np.random.default_rng(0).normal(size=(40, 1)) + 9.0 * (np.arange(40) % 2)[:, None]
    trace = dpviz.run(X, usual_config(family="normal_gamma", effort=0.0))
    told, steps = [], report_steps(Dataset(X=X, name="two"), trace, joined=np.zeros(40, dtype=np.int64))
    with pytest.raises(StopIteration) as end:
        while True:
            told.append(next(steps))
    shares, names = zip(*told, strict=True)
    assert list(shares) == sorted(shares) and shares[0] == 0.0 and shares[-1] < 1.0
    assert sum("other seeds" in name for name in names) == 3 and sum("models" in name for name in names) > 8
    (found,) = titled(end.value.value, "How certain")
    assert "3 runs with other seeds find" in end.value.value and "before these are joined" in end.value.value
    assert found[0] == ["cluster", "n", "stays together", "chain"]


COUNTS = np.random.default_rng(5).poisson(np.repeat([[3.0, 30.0], [12.0, 9.0]], 20, axis=0)).astype(np.float64)
LONG = np.random.default_rng(6).normal(np.repeat([[0.0], [6.0]], 20, axis=0), np.arange(1.0, 6.0))


@pytest.mark.parametrize(
    ("X", "kind", "model"),
    [
        (LONG, "continuous", {"family": "normal_gamma", "prior": {"width": 0.5}, "directions": 2}),
        (COUNTS, "count", {"family": "poisson", "prior": None}),
    ],
)
def test_models_are_compared_in_the_runs_directions_and_under_its_prior(X, kind, model):
    config = dpviz.RunConfig("mapdp", partition=dpviz.ChineseRestaurant(1.0), effort=EFFORT, **model)
    trace = dpviz.run(X, config)
    found = model_table(X, trace, (kind,) * X.shape[1], 2)
    own = found[(found["family"] == model["family"]) & found["prior"].str.startswith(config.partition.title)]
    assert own["nll"].item() == trace.nll[-1]
    if kind == "continuous":
        assert set(found["family"]) == {"normal_wishart", "normal_gamma", "spherical_normal"}
    else:
        assert "negative_binomial" in set(found["family"])


def test_models_do_not_depend_on_how_many_are_searched_side_by_side():
    X, kinds = np.exp(LONG[:40, :2] / 4), ("continuous",) * 2
    config = usual_config(family="normal_gamma", partition=ChineseRestaurant(1.0))
    for models in (models_like, models_transformed):
        alone, together = (list(models(X, config, kinds, 2, n_jobs)) for n_jobs in (1, 2))
        assert repr(together) == repr(alone) and len(alone) > 1


def test_models_that_score_values_they_filled_in_are_not_compared():
    X = np.where(np.arange(LONG.size).reshape(LONG.shape) % 29, LONG, np.nan)[:, :3]
    trace = dpviz.run(X, usual_config(init="single", n_init=1))
    assert set(model_table(X, trace, ("continuous",) * 3, 2)["family"]) == {"normal_wishart"}


def test_a_mixed_table_is_tried_both_ways():
    rng, group = np.random.default_rng(2), np.arange(60) % 2
    of_both = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 60) + 4.0 * group[:, None]
    X, kinds = np.column_stack([of_both, rng.poisson(1 + 3 * group)]), ("continuous", "continuous", "count")
    config = resolve(X, dpviz.RunConfig("mapdp", kinds=kinds, partition=ChineseRestaurant(1.0))).config
    assert config.family == "mixed"
    found = list(models_like(X, config, kinds, 2))
    assert len(found) == most_models(X, config, kinds) == 8
    assert [model.family for model in found[::4]] == ["mixed, full covariance", "mixed"]
    other = found[4]  # as a search told of nothing but these columns would have it
    (again, *_) = models_like(X, other.config, kinds, 2)
    assert (again.family, again.nll, again.held_out) == (other.family, other.nll, other.held_out)
    X[3, 0] = np.nan  # a full covariance has no likelihood of the same cells
    assert most_models(X, replace(other.config, partition=ChineseRestaurant(1.0)), kinds) == 4


def test_only_what_can_be_compared_is():
    of_counts = ("poisson", "geometric", "negative_binomial", "counted_multinomial")
    assert comparable_families(("count", "count"), False, "poisson") == of_counts
    assert comparable_families(("continuous", "binary"), False, "mixed") == ("mixed",)
    assert "normal_wishart" not in comparable_families(("continuous",) * 2, True, "normal_gamma")
    assert comparable_families(("hurdle",), False, "hurdle") == ("hurdle",)  # zeros have probabilities there
    assert "hurdle" not in comparable_families(("duration",), False, "exponential")


def test_names_and_colours_are_those_of_the_door(table, written):
    data = dpviz.datasets.load("old_faithful")
    trace = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=2))
    page = report(data, trace, names=["7", "<long>"], colours=[6, 1], most_work=0.0)
    overview, columns = Cells(page).tables[:2]
    assert [row[0] for row in overview[1:]] == ["7", "<long>"] and columns[0][1:] == ["cluster 7", "<long>"]
    assert CLUSTER_COLORS["light"][6] in page and "&lt;long&gt;" in page


def test_the_command_writes_the_table_of_clusters(table, written, tmp_path):
    path, frame = table
    trace, _, run = written
    out = tmp_path / "clusters.csv"
    assert cli("report", run, "--data", path, "--out", out) == 0
    found = pd.read_csv(out)
    groups = frame.groupby(trace.result_labels)
    assert found["cluster"].tolist() == list(groups.groups)  # the numbers that tables of rows have, too
    assert_allclose(found["height mean"], groups["height"].mean())
    assert_allclose(found["income SD"], groups["income"].std())
    assert_allclose(found["colour = red"], groups["colour"].apply(lambda own: (own == "red").mean()))
    assert found["n"].tolist() == groups.size().tolist() and found["what sets it apart"].str.len().min() > 9


def test_the_table_of_clusters_has_means_and_shares():
    X = np.array([[1.0, 0], [3.0, 1], [9.0, 1], [np.nan, 1]])
    data = Dataset(
        X=X,
        name="t",
        feature_names=("a", "w"),
        kinds=("continuous", "categorical"),
        category_names=((), ("no", "yes")),
        gaps=True,
    )
    found = cluster_table(data, np.array([0, 0, 1, 1]))
    assert found["n"].tolist() == [2, 2] and found["a mean"].tolist() == [2.0, 9.0]
    assert found["a SD"].iloc[0] == pytest.approx(2**0.5) and np.isnan(found["a SD"].iloc[1])
    assert found["w most frequent"].iloc[1] == "yes" and found["w share"].tolist() == [0.5, 1.0]


def test_levels_that_are_numbers_have_means_and_others_are_words():
    data = Dataset(
        X=np.array([[0.0, 0], [2, 1], [2, 1], [np.nan, 0]]),
        name="t",
        feature_names=("item", "size"),
        kinds=("ordinal", "ordinal"),
        category_names=(("3", "4", "5"), ("small", "large")),
        gaps=True,
    )
    found = cluster_table(data, np.array([0, 0, 1, 1]))
    assert found["item mean"].tolist() == [4, 5] and found["item SD"].iloc[0] == pytest.approx(2**0.5)
    assert found["size share"].tolist() == [0.5, 0.5]


def test_means_of_dates_have_their_unit():
    table = tables.read_text("day,w\n" + "".join(f"2022-01-{10 + i % 9},{i % 4}.5\n" for i in range(20)))
    data = tables.to_dataset(table, features=["day", "w"])
    found = cluster_table(data, np.zeros(20, np.int64))
    assert list(found)[2:4] == ["day mean (days since 1 January 1970)", "day SD (days)"]
