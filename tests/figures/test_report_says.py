"""What a report says of the model, of how columns were prepared, of merges and of what was stopped, is true."""

from __future__ import annotations

import html
import itertools
import json
import re
import shlex
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.analysis.certainty import cluster_certainty
from dpviz.analysis.merging import ORDERS, tree
from dpviz.analysis.stored_merge import with_merge
from dpviz.analysis.stored_notes import stored_notes
from dpviz.analysis.stored_reading import stored_reading
from dpviz.cli import main
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, fill, scale
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.fit.automatic import resolve
from dpviz.fit.steps import drained
from dpviz.partition import ChineseRestaurant
from dpviz.report import Shaping, report, report_steps
from dpviz.report.dendrogram import GREY
from dpviz.report.pieces import Clusters, Told
from dpviz.report.tables import cluster_table, reasons, to_spread
from dpviz.report.words import MERGED_BY
from dpviz.ui.explore import loading, report_offer
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.exports import run_json
from dpviz.ui.session.jobs import Finished


def groups(n: int = 40, apart: float = 9.0) -> Dataset:
    """Three round groups in two columns of their own units."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(n, 2)) + apart * np.array(at) for at in ((0, 0), (1, 0), (0, 1))])
    return Dataset(X=100 + 20 * X, name="groups", feature_names=("a", "b"))


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


LEARNED = usual_config(
    "gibbs",
    "normal_gamma",
    partition=ChineseRestaurant(200.0),
    n_sweeps=60,
    burn_in=20,
    hyperpriors={"concentration": "gamma(1,0.3)"},
)


def test_a_learned_hyperparameter_is_learned_by_the_chain_of_certainty_and_named():
    data = groups()
    trace = dpviz.run(data.X, LEARNED)
    certain = cluster_certainty(data.X, trace)
    assert np.bincount(certain.n_clusters).argmax() == 3 and certain.stability.min() > 0.9
    text = words(report(data, trace, most_work=0.0))
    at_result = trace.hyperparameters["concentration"][trace.result_sweep]
    said = f"learned in the run, under the law {dict(trace.config.hyperpriors)['concentration']}"
    assert text.count(said) == 2 and text.count(f"is {at_result:.4g} at the result") == 2  # model, and methods


@pytest.mark.parametrize("scaling", ["none", "standardise", "robust"])
def test_the_scaling_is_said_wherever_the_numbers_are(scaling):
    data = groups()
    X = scale(data.X, scaling).X
    text = words(report(data, dpviz.run(X, RunConfig("dpmeans", penalty=2.0)), X, most_work=0.0))
    said = {"none": "not scaled", "standardise": "standardised columns", "robust": "robustly scaled columns"}
    for name, phrase in said.items():
        assert (phrase in text.partition("Model")[0]) == (name == scaling)
        assert (phrase in text.rpartition("Methods")[2]) == (name == scaling)


def test_numbers_of_unknown_origin_are_called_so_and_filled_cells_are_counted():
    data = groups()
    X = data.X**2
    text = words(report(data, dpviz.run(X, RunConfig("kmeans")), X, most_work=0.0))
    assert "how is not known here" in text and "not scaled" not in text
    holed = data.X.copy()
    holed[[3, 9], 1] = np.nan
    gappy = replace(data, X=holed, gaps=True)
    filled = fill(holed, gappy.kinds)
    text = words(report(gappy, dpviz.run(filled, RunConfig("kmeans")), filled, most_work=0.0))
    assert "2 missing cells were filled in before." in text and "not scaled" in text
    config = usual_config(family="normal_gamma", effort=0.0)
    assert "the run left these cells out" in words(report(gappy, dpviz.run(holed, config), most_work=0.0))


@pytest.mark.parametrize(("n_components", "whiten"), [(1, False), (2, False), (3, True), (4, True)])
def test_a_run_on_principal_components_has_a_report_that_says_so(n_components, whiten):
    choice = DataChoice("bundled", "iris", scaling="standardise", n_components=n_components, whiten=whiten)
    prepared = prepare(choice)
    trace = dpviz.run(prepared.X, RunConfig("kmeans"))
    finished = Finished(choice, trace.config, prepared, trace, names={1: "Ann & Co"})
    text = words(dpviz.fit.steps.drained(report_offer.steps(finished)))
    assert "Ann & Co" in text and "cluster 2" in text
    assert report_offer._wanted(finished).key != report_offer._wanted(replace(finished, names={})).key
    said = f"{n_components} principal component{'s' * (n_components > 1)} of the standardised columns"
    assert text.count(said) == 2 and ("unit variance" in text) == whiten


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ({"m0": [1.0, 2.0]}, "Given are m0 = (1, 2); other hyperparameters follow"),
        ({"m0": [1.0, -2.0], "c0": 1.0}, "Given are c0 = 1, m0 = (1, −2); other"),
        (None, "Its hyperparameters follow from the data."),
        ({"m0": [1.0, 2.0], "c0": 1.0, "a0": 5.0, "psi0": [[1.0, 0.0], [0.0, 1.0]]}, "psi0 = ((1, 0), (0, 1))."),
    ],
)
def test_given_hyperparameters_are_given_whatever_their_shape(prior, said):
    data = groups(10)
    config = RunConfig("mapdp", family="normal_wishart", prior=prior, effort=0.0)
    text = words(report(data, dpviz.run(data.X, config), most_work=0.0))
    assert said in text
    assert ("follow from the data" in text) == ("psi0" not in said)


@pytest.mark.parametrize(
    ("number", "spread", "text"),
    [
        (1013.2504, 0.0217, "1,013.250"),
        (2019.97, 0.21, "2,019.97"),
        (3012.4, 612.0, "3,012"),
        (-0.2, 30.0, "0"),
        (-1234.56, 0.0, "−1,234.56"),
        (0.1 + 0.2, 1e-17, "0.3"),
        (2e-7, 3e-9, "2.000e−07"),
        (3.3e14, 2e12, "3.300e+14"),
        (5.0, float("nan"), "5"),
    ],
)
def test_digits_follow_the_spread(number, spread, text):
    assert to_spread(number, spread) == text


@pytest.mark.parametrize("value", [0.1, 0.3, 1e-9, 1 / 3, 1013.2504, 1e12 + 0.1, -7.7, 0.0])
def test_equal_numbers_have_no_spread_and_are_no_reason(value):
    for n in (2, 3, 7, 96, 250):
        noise = np.full(n, value) * (1 + np.finfo(float).eps * (np.arange(n) % 2))
        for column in (np.full(n, value), noise):
            other = np.arange(n, dtype=float)
            data = Dataset(X=np.column_stack([column, other]), name="equal", feature_names=("same", "other"))
            labels = np.arange(n) % 2 if n > 3 else np.zeros(n, dtype=int)
            table = cluster_table(data, labels)
            assert (table["same SD"] == 0).all() and (table["other SD"] > 0).all()
            assert set(table["same mean"]) <= set(column)
            assert not any("same" in why for own in reasons(data, labels) for why in own)
            if n > 7:
                trace = dpviz.run(data.X, RunConfig("kmeans", n_clusters=2, n_init=1, init=tuple(labels.tolist())))
                assert "e−1" not in re.sub("e−10|e−09", "", words(report(data, trace, most_work=0.0)))


def test_a_spread_above_rounding_is_told():
    X = np.array([[1.0], [1.0 + 1e-12], [1.0 - 1e-12], [1.0]])
    (spread,) = cluster_table(Dataset(X=X, name="near"), np.zeros(4, dtype=int)).iloc[:, -1]
    assert spread == pytest.approx(X.std(ddof=1), rel=1e-3) and spread > 0


@pytest.mark.parametrize("n_clusters", [1, 12, 13, 25, 40, 41, 47])
def test_all_clusters_have_their_means_or_are_said_to_be_left_out(n_clusters):
    X = np.repeat(np.arange(n_clusters) * 50.0, 3)[:, None] + np.tile([0.0, 1.0, 2.0], n_clusters)[:, None]
    data = Dataset(X=np.hstack([X, -X]), name="many")
    init = tuple(np.repeat(np.arange(n_clusters), 3).tolist())
    trace = dpviz.run(data.X, RunConfig("kmeans", n_clusters=n_clusters, n_init=1, init=init))
    page = report(data, trace, most_work=0.0)
    shown = re.findall(r"<th[^>]*>cluster (\d+)</th>", page)
    assert shown == [str(k) for k in range(min(n_clusters, 40))]
    widest = max(
        len(re.findall("<th", head)) for head in re.findall(r"<tr>(?:<th.*?)</tr>", page) if "cluster 0" in head
    )
    assert widest <= 13
    if n_clusters > 40:
        more = n_clusters - 40
        assert words(page).count(f"{more} more cluster{'s are' if more > 1 else ' is'} left out here.") == 2
    else:
        assert "left out here" not in page


def test_columns_beyond_those_of_a_table_are_counted():
    data = Dataset(X=np.random.default_rng(0).normal(size=(30, 43)), name="wide")
    page = words(report(data, dpviz.run(data.X, RunConfig("kmeans", n_clusters=2, n_init=1)), most_work=0.0))
    assert "3 more columns are left out here." in page


def test_two_groups_of_nearby_pressures_are_told_apart():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 50)
    data = Dataset(X=(1013.25 + 0.3 * labels + rng.normal(0, 0.02, 100))[:, None], name="p", feature_names=("hPa",))
    assert reasons(data, labels)[0] == ["hPa lower (1,013.25, others 1,013.55)"]
    assert "1,013.25" in report(data, dpviz.run(data.X, RunConfig("kmeans", n_clusters=2)), most_work=0.0)


def test_words_and_numbers_of_clusters_agree_with_pandas():
    rng = np.random.default_rng(3)
    n, k = 400, 5
    X = np.column_stack([rng.normal(1e6, 1, n), rng.integers(0, 7, n)]).astype(float)
    X[rng.random((n, 2)) < 0.1] = np.nan
    names = tuple(f"w{i}" for i in range(7))
    data = Dataset(
        X=X,
        name="t",
        feature_names=("x", "w"),
        kinds=("continuous", "categorical"),
        category_names=((), names),
        gaps=True,
    )
    labels = rng.integers(0, k, n)
    X[labels == 2, 1] = 4.0
    data = replace(data, X=X)
    found, frame = cluster_table(data, labels), pd.DataFrame(X, columns=["x", "w"])
    assert_allclose(found["x SD"], frame.groupby(labels)["x"].std(), rtol=1e-9)
    assert_allclose(found["x mean"], frame.groupby(labels)["x"].mean(), rtol=1e-15)
    assert found["w share"].tolist() == [frame["w"][labels == c].value_counts(normalize=True).iloc[0] for c in range(k)]
    others = (frame["w"][labels != 2].dropna() == 4).mean()
    assert reasons(data, labels)[2] == [f"w “w4” more often (100%, others {others:.0%})"]


def test_what_few_known_cells_say_of_a_cluster_is_told_with_their_number():
    X = np.column_stack([np.r_[np.full(7, np.nan), 900.0, np.arange(20.0)], np.r_[np.full(7, np.nan), 1, np.zeros(20)]])
    data = Dataset(
        X=X,
        name="t",
        feature_names=("insulin", "ward"),
        kinds=("continuous", "categorical"),
        category_names=((), ("north", "south")),
        gaps=True,
    )
    labels = np.repeat([0, 1], [8, 20])
    rare = reasons(data, labels)[0]
    assert rare[0].startswith("insulin higher (900, known in 1 of 8 rows, others ")
    assert rare[1] == "ward “south” more often (100%, known in 1 of 8 rows, others 0%)"
    assert not any("known in" in words for words in reasons(data, labels)[1])
    rng = np.random.default_rng(0)
    wide = np.column_stack([X[:, 0], np.repeat([0.0, 90.0], [8, 20]) + rng.normal(size=28), X[:, 1]])
    apart = Dataset(
        X=wide,
        name="t",
        feature_names=("insulin", "at", "ward"),
        gaps=True,
        kinds=("continuous", "continuous", "categorical"),
        category_names=((), (), ("north", "south")),
    )
    trace = dpviz.run(wide, RunConfig("mapdp", kinds=apart.kinds, family="mixed", init=labels, n_init=1))
    assert_array_equal(trace.result_labels, labels)
    page = words(report(apart, trace, most_work=0.0))
    by_column = page.partition("In the units of the data")[2].partition("At other scales")[0]
    assert "insulin 900, known in 1 of 8 rows" in by_column and "south (100%), known in 1 of 8 rows" in by_column
    assert by_column.count("known in") == 2


@pytest.mark.parametrize("order", ORDERS)
def test_how_clusters_were_joined_and_at_which_price_is_said(order, tmp_path):
    data = groups(20, 3.0)
    config = RunConfig("mapdp", family="normal_gamma", prior={"width": 1e-3}, partition=ChineseRestaurant(50.0))
    trace = dpviz.run(data.X, config)
    merges = tree(data.X, trace, order)
    assert merges.n_leaves > 3
    path, page = tmp_path / "r.json", tmp_path / "r.html"
    path.write_text(with_merge(trace.to_json(), merges, 3))
    table = tmp_path / "t.csv"
    pd.DataFrame(data.X, columns=["a", "b"]).to_csv(table, index=False)
    assert cli("report", path, "--data", table, "--scaling none --quick --out", page) == 0
    written = page.read_text("utf-8")
    text, cost = words(written), merges.cost(3)
    price = f"{abs(cost):,.2f} nats {'more' if cost >= 0 else 'less'}"
    said = f"3 clusters, joined from the {merges.n_leaves} that were found, {MERGED_BY[order]}, which costs {price}."
    assert text.count(said) == 2 and f"the row above, {MERGED_BY[order]}" in text and f"--merge-by {order}" in text
    (tree_drawn,) = (svg for svg in re.findall("<svg.*?</svg>", written, re.DOTALL) if "joined from the left" in svg)
    lines = re.findall('d="M[^"]*H[^"]*" fill="none" stroke="([^"]*)"', tree_drawn)
    assert [color == GREY for color in lines] == [step >= merges.n_leaves - 3 for step in range(merges.n_leaves - 1)]
    assert "This page joins those left of the dotted line." in text and tree_drawn.count("stroke-dasharray") == 1


def test_the_tree_of_a_report_without_unions_has_no_cut_and_names_are_text():
    data = groups()
    trace = dpviz.run(data.X, usual_config(family="normal_gamma", effort=0.0))
    k = len(np.unique(trace.result_labels))
    assert k > 2
    written = report(data, trace, names=[f"<b>{number}</b>" for number in range(k)], most_work=0.0)
    (tree_drawn,) = (svg for svg in re.findall("<svg.*?</svg>", written, re.DOTALL) if "joined from the left" in svg)
    assert "stroke-dasharray" not in tree_drawn and "dotted line" not in written and "<b>0</b>" not in written
    found = re.findall(r"&lt;b&gt;(\d+)&lt;/b&gt; \((\d+)\)</text>", tree_drawn)
    sizes = np.bincount(np.unique(trace.result_labels, return_inverse=True)[1])
    assert sorted((int(name), int(size)) for name, size in found) == list(enumerate(sizes.tolist()))


def test_joined_labels_that_divide_a_cluster_are_refused_and_foreign_ones_are_called_so():
    data = groups()
    trace = dpviz.run(data.X, usual_config(family="normal_gamma", effort=0.0))
    with pytest.raises(InvalidParameterError, match="unions of whole clusters"):
        report(data, trace, joined=np.arange(120) % 2)


def test_an_interrupted_chain_is_called_so():
    data = groups()
    config = usual_config("gibbs", "normal_gamma", n_sweeps=10**7, burn_in=50)
    for most, said in ((20, "no draw was kept"), (80, "its kept draw of lowest nll")):
        left = iter(range(most))
        trace = dpviz.run(data.X, config, lambda left=left: next(left, None) is None)
        text = words(report(data, trace, most_work=1e6))
        assert text.count("stopped before the 10,000,000 that were asked for") == 2 and text.count(said) == 2
        assert "Other seeds were not tried: it takes longer" in text


def test_the_largest_seed_has_neighbours_and_counts_have_their_nouns():
    data = groups()
    trace = dpviz.run(data.X, RunConfig("kmeans", n_clusters=1, seed=2**32 - 1))
    assert "3 runs with other seeds find 1 cluster, ARI" in words(report(data, trace, most_work=1e9))


def test_clusters_that_never_meet_have_no_likeliest_partner_and_quick_says_why():
    data = groups(apart=100.0)
    trace = dpviz.run(data.X, usual_config(family="normal_gamma", effort=0.0))
    page = report(data, trace)
    assert page.count('<td class="words">–</td>') == len(np.unique(trace.result_labels)) > 1
    text = words(report(data, trace, most_work=0.0))
    assert text.count("it was left out, as asked") == 5 and "longer" not in text


def test_methods_with_a_model_but_no_prior_are_not_said_to_have_none():
    data = groups()
    text = words(report(data, dpviz.run(data.X, RunConfig("em")), most_work=0.0))
    assert "has no model" not in text and "no probabilities" not in text and "no prior on partitions" in text


def test_a_run_that_names_no_data_is_taken_on_trust_and_says_so():
    data = groups()
    trace = dpviz.run(data.X, RunConfig("kmeans"))
    assert "on trust" not in report(data, trace, most_work=0.0)
    forged = replace(trace, data="", n_trial_sweeps=10**30)
    text = words(report(data, forged, most_work=1e6))
    assert "on trust" in text and "Other seeds were not tried" in text


def test_many_clusters_are_not_weighed_pair_by_pair():
    data = groups(100)
    config = usual_config(family="normal_gamma", init=np.arange(300) // 2)
    many = dpviz.run(data.X, config, should_stop=lambda: True)
    assert many.n_clusters[many.result_sweep] == 150
    assert "150 clusters of 300 rows take longer to weigh" in words(report(data, many, most_work=1e8))


def test_the_commands_of_a_report_make_the_same_run_again(tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(90, 3)) + 9 * np.repeat([0, 1, 2], 30)[:, None], columns=["a", "km/h", "c"])
    frame.to_csv(tmp_path / "home" / "t.csv", index=False)
    run, page = tmp_path / "home" / "r.json", tmp_path / "home" / "r.html"
    source = f"{tmp_path}/home/t.csv"
    assert cli("run", [source], "--features a,km/h --seed 7 --merge 2 --quiet --out", run) == 0
    assert cli("report", run, [f"--data={source}"], "--features a,km/h --quick --out", page) == 0
    text = html.unescape(page.read_text("utf-8"))
    assert str(tmp_path) not in text
    note, again, once_more = re.search(r"<pre>(.*?)</pre>", text, re.DOTALL)[1].splitlines()
    (tmp_path / "config.json").write_text(re.search(r"<code>(.*?)</code>", text, re.DOTALL)[1])
    frame.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    for command in (again, once_more):
        assert main(shlex.split(command)[1:]) == 0
    first, second = (json.loads(file.read_text()) for file in (run, tmp_path / "r.json"))
    assert first["merged"] == second["merged"] and first["config"] == second["config"]
    again_written = html.unescape((tmp_path / "r.html").read_text("utf-8"))
    given = text.replace(BY_NLL, ASKED)  # the run that is made again is given the width, and compares no models
    given = re.sub(r"<p>Followed further[^<]*</p>", "", given)
    assert again_written.partition("<pre>")[0] == given.partition("<pre>")[0]


def test_one_who_waits_for_the_turn_of_another_report_can_be_stopped():
    data = groups()
    trace = dpviz.run(data.X, RunConfig("kmeans"))
    parts = report_offer.in_turns(report_steps(data, trace, shaping=Shaping(), most_work=0.0))
    next(parts)
    assert not report_offer._TURN.locked()  # nobody is kept from a turn by a report that rests, or was stopped
    with report_offer._TURN:
        assert "waiting" in next(parts).words
        thread = threading.Thread(target=parts.close)
        thread.start()
        thread.join()
    assert "</html>" in dpviz.fit.steps.drained(
        report_offer.in_turns(report_steps(data, trace, shaping=Shaping(), most_work=0.0))
    )


WIDE = RunConfig("mapdp", family="normal_gamma", effort=0.0)
BY_NLL, ASKED = "(by the lowest nll of short runs)", "(as asked for)"


def test_who_set_the_width_is_said_where_it_is_known(tmp_path, monkeypatch):
    data = groups()
    asked = replace(WIDE, prior={"width": 0.5})
    trace = dpviz.run(data.X, asked)
    for undecided, said in (
        (None, "(by the user, or by the lowest nll of short runs)"),
        (("prior",), BY_NLL),
        (("family",), ASKED),
        ((), ASKED),
    ):
        assert words(report(data, trace, undecided=undecided, most_work=0.0)).count(f"width = 0.5 {said}") == 2
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(data.X, columns=["a", "b"]).to_csv("groups.csv", index=False)
    for options, said in (([], BY_NLL), (["--width", "0.25"], ASKED)):
        family = typed("--algorithm mapdp --family normal_wishart --effort 0", options)
        assert cli("run groups.csv", family, "--out run.json") == 0
        assert cli("report run.json --data groups.csv --quick --out page.html") == 0
        assert words(Path("page.html").read_text()).count(said) == 2
    document = json.loads(Path("run.json").read_text())
    document["undecided"] = "prior"
    Path("run.json").write_text(json.dumps(document))
    assert cli("report run.json --data groups.csv --quick --out page.html") == 1


def test_who_set_a_learned_shape_is_said_where_it_is_known():
    data = groups()
    shape = {"a0": 2.0, "b0": [0.5, 0.5], "c0": 0.1, "m0": [1.0, 1.0]}
    trace = dpviz.run(data.X, replace(WIDE, prior=shape))
    for undecided, said in ((("prior",), "Learned from clusters of these rows are a0 = 2"), ((), "Given are a0 = 2")):
        text = words(report(data, trace, undecided=undecided, most_work=0.0))
        assert text.count(said) == 2 and "By the user" not in text


@pytest.mark.parametrize("given", [False, True])
def test_a_run_of_a_page_knows_who_set_its_width_also_where_it_was_loaded(given):
    choice = DataChoice("bundled", "iris", scaling="standardise")
    prepared = prepare(choice)
    asked = replace(WIDE, family="normal_wishart", **({"prior": {"width": 0.5}} if given else {}))
    config = resolve(prepared.X, asked).config
    trace = prepared.units.trace(dpviz.run(prepared.X, config))
    own = Finished(choice, config, prepared, trace, asked=None if given else asked)
    said, other = (ASKED, BY_NLL) if given else (BY_NLL, ASKED)
    stored = run_json(own)
    loaded = loading.load_run(stored.encode(), own)
    earlier = loading.load_run(own.trace.to_json().encode(), own)
    for finished in (own, loaded):
        text = words(drained(report_offer.steps(finished)))
        assert text.count(said) == 2 and other not in text
    assert earlier.undecided is None and run_json(loaded) == stored


def test_a_small_table_is_run_again_on_the_page_too():
    choice = DataChoice("bundled", "wine", scaling="standardise")
    prepared = prepare(choice)
    config = usual_config(family="normal_gamma")
    own = Finished(choice, config, prepared, dpviz.run(prepared.X, config))
    assert own.trace.n_trial_sweeps > 1000
    told = [words for _, words in itertools.islice(report_offer.steps(own), 5)]
    asked = "a second opinion on the number of groups"
    assert told == ["merges of clusters", "the answer", "a chain", asked, "other seeds, run 1"]


@pytest.mark.parametrize("n_seeds", [0, 1, 2, 3])
def test_as_many_other_seeds_are_tried_as_there_is_time_for(n_seeds):
    data = groups()
    trace = dpviz.run(data.X, RunConfig("mapdp", family="normal_gamma", effort=0.05))
    of_one = Told(data, data.X, trace, Clusters.of(trace.result_labels, (), ()), Shaping(), "nll", 1.0, ())
    work = of_one.sweeps_take(trace.n_trial_sweeps)
    text = words(report(data, trace, most_work=(n_seeds + 0.5) * work))
    if n_seeds:
        assert f"{n_seeds} run{'s' * (n_seeds > 1)} with other seeds find" in text
    else:
        assert "Other seeds were not tried: it takes longer than this report may" in text


def test_what_was_said_when_the_model_was_chosen_is_stored_and_said_again(tmp_path, capsys):
    rng = np.random.default_rng(0)
    spend = np.where(rng.random(300) < 0.6, 0.0, rng.exponential(3, 300))
    x = np.concatenate([rng.normal(0, 1, 150), rng.normal(6, 1, 150)])
    data, run, page = (str(tmp_path / name) for name in ("spend.csv", "run.json", "page.html"))
    pd.DataFrame({"x": x, "y": rng.normal(size=300), "spend <net>": spend}).to_csv(data, index=False)
    plain = ["--kind=spend <net>=continuous"]  # else it is a hurdle, whose zeros are nothing to say
    assert cli("run", [data], plain, "--algorithm mapdp --out", [run]) == 0
    (note,) = [line for line in capsys.readouterr().err.splitlines() if "has its lowest value in" in line]
    note = note.removeprefix("dpviz: ")
    stored = Path(run).read_text()
    assert stored_notes(stored) == (note,) and stored_reading(stored).names == ("x", "y", "spend <net>")
    assert_array_equal(dpviz.Trace.from_json(stored).labels.shape[1:], (300,))
    assert cli("report", [run], "--data", [data], "--quick --out", [page]) == 0
    written = Path(page).read_text()
    assert note in words(written).partition("Answer")[0] and "<net>" not in written

    document = json.loads(stored)
    document["notes"] = ["fine", 3]
    Path(run).write_text(json.dumps(document))
    with pytest.raises(TraceFormatError, match="no short texts"):
        stored_notes(Path(run).read_text())
    assert cli("report", [run], "--data", [data], "--quick --out", [page]) == 1
    assert "the notes on the choice of its model are no short texts" in capsys.readouterr().err
