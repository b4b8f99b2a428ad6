"""Joined clusters on the pages: the panel of Explore, the picture, files and predictions that follow it."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis import merging
from dpviz.analysis.dendrogram import positions
from dpviz.analysis.merging import MODES, NLL, ORDERS, ticked, tree
from dpviz.analysis.stored_merge import merged_labels
from dpviz.arrays import IntArray
from dpviz.cli import main
from dpviz.config import RunConfig
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import TraceFormatError
from dpviz.figures.merging import GREY, dendrogram
from dpviz.fit.small_clusters import small_clusters_in_words
from dpviz.player import track_color, track_labels, track_pattern
from dpviz.player.palette import N_COLORS
from dpviz.player.run_panel import panel
from dpviz.ui.compare import links as compare_links
from dpviz.ui.compare import results as compare_results
from dpviz.ui.explore import export_panel, loading
from dpviz.ui.explore.result_words import result_in_words
from dpviz.ui.session import exports, trees
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Level, Scale
from dpviz.ui.shell import links
from dpviz.ui.stage import scales
from pages import go_to, in_app, opened_in_app, plain, press, run, said, settled, shown_run, went_back

WINE = DataChoice("bundled", "wine", scaling="standardise")
MANY = usual_config(family="normal_gamma", init="sequential", n_init=1, seed=1)


def finished(config: RunConfig = MANY, n_clusters: int | None = None, order: str = "nll") -> Finished:
    prepared = prepare(WINE)
    run_of_wine = Finished(WINE, config, prepared, dpviz.run(prepared.X, config))
    if n_clusters is None:
        return run_of_wine
    found = tree(prepared.X, run_of_wine.trace, order)
    return replace(run_of_wine, scale=Scale.of(found, run_of_wine.trace, n_clusters))


def opened(config: RunConfig = MANY, **query: str) -> AppTest:
    app = in_app("explore", **links.state_query(WINE, config), **query)
    app.session_state[scales.OPEN] = True
    return settled(run(app))


def clusters_slider(app: AppTest) -> Any:
    (slider,) = [slider for slider in app.slider if slider.label == "Clusters shown"]
    return slider


def captions(app: AppTest) -> list[str]:
    return [plain(caption.value) for caption in app.caption]


def warned(app: AppTest) -> str:
    return " ".join(warning.value for warning in app.warning).replace("\\", "")


def test_the_slider_joins_clusters_in_picture_files_and_predictions():
    app = opened()
    trace = shown_run(app).trace
    found = tree(prepare(WINE).X, trace)
    assert found.n_leaves > 4
    slider = clusters_slider(app)
    assert (slider.min, slider.max, slider.value) == (1, found.n_leaves, found.n_leaves)
    assert f"{abs(found.costs[0]):,.4g} nats" in said(app)
    run(slider.set_value(3))
    shown = shown_run(app)
    assert shown.scale is not None and shown.scale.n_clusters == 3
    assert_array_equal(shown.scale.labels, found.labels(3))
    assert f"{abs(found.nll[-3] - found.nll[0]):,.4g} nats" in said(app)
    numbers = exports.labelled_rows(shown, trace.n_sweeps)["cluster"].astype(int)
    assert len(np.unique(np.column_stack([numbers, found.labels(3)]), axis=0)) == 3

    run(go_to(app, "predict"))
    known = settled(app).session_state["predict predictor"]
    assert known.predictor.n_clusters == 3 and "joined in Explore from" in said(app)
    assert {known.name(k) for k in range(3)} == {f"cluster {number}" for number in set(numbers)}
    run(go_to(app, "explore"))
    assert shown_run(app).scale == shown.scale


def test_another_order_keeps_the_number_of_clusters():
    app = opened()
    run(clusters_slider(app).set_value(3))
    app.session_state[scales.ORDER] = "entropy"
    run(app)
    scale = shown_run(app).scale
    assert scale is not None and scale.tree.order == "entropy" and scale.n_clusters == 3


def test_unions_that_take_long_wait_for_one_press_whatever_is_marked(monkeypatch):
    app = opened()
    monkeypatch.setattr("dpviz.ui.session.jobs.UNASKED_OPERATIONS", 1.0)
    monkeypatch.setattr("dpviz.ui.session.trees._made", trees.Trees)  # nothing is made yet, at any question
    run(app)
    assert [button.label for button in app.button if "unions" in button.label] == ["Weigh all unions"]
    run(next(button for button in app.button if button.label == "Weigh all unions").click())
    assert not app.exception and clusters_slider(app).max > 4
    assert any(caption.startswith("By the looks: ") for caption in captions(app))


def test_both_marks_are_said_with_their_prices_and_one_is_ticked(monkeypatch):
    monkeypatch.setattr(merging, "CHEAP_UNIONS", 1)
    monkeypatch.setattr(merging, "STEP", 1.0)
    app = opened()
    trees = [tree(prepare(WINE).X, shown_run(app).trace, order) for order in (NLL, MODES)]
    by_price, best = trees[0], ticked(*trees)
    assert by_price.n_leaves > by_price.large_step > 1 and best is by_price
    told = [caption for caption in captions(app) if ":material/check:" in caption]
    assert len(told) == 1 and f"By the prices: **{by_price.large_step} clusters** of {by_price.n_leaves}" in told[0]
    assert f"costs {abs(by_price.cost(by_price.large_step)):,.4g} nats" in told[0]
    assert any(caption.startswith("By the looks: ") for caption in captions(app))
    app.session_state[scales.ORDER] = "entropy"
    run(run(app).button(key="scales.mark nll").click())
    scale = shown_run(app).scale
    assert scale is not None and (scale.tree.order, scale.n_clusters) == ("nll", by_price.large_step)
    assert app.session_state[scales.ORDER] == "nll"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (RunConfig("kmeans", n_clusters=3), "no nll, and so no cost"),
        (replace(MANY, partition=dpviz.FiniteDirichlet(1.0, 1), init="single"), "nothing to join"),
    ],
    ids=["kmeans", "one cluster"],
)
def test_the_panel_says_why_there_is_nothing_to_join(config, words):
    app = opened(config)
    assert words in said(app) and not [slider for slider in app.slider if slider.label == "Clusters shown"]


@pytest.mark.parametrize("order", ORDERS)
def test_the_picture_has_one_number_for_every_union(order):
    run_of_wine = finished(n_clusters=4, order=order)
    scale, trace = run_of_wine.scale, run_of_wine.trace
    assert scale is not None
    tracks, before = run_of_wine.label_tracks, replace(run_of_wine, scale=None).label_tracks
    joined = run_of_wine.joined_rows
    for row in range(len(before.tracks)):
        if row not in joined:
            assert_array_equal(tracks.tracks[row], before.tracks[row])
            continue
        pairs = np.unique(np.column_stack([tracks.tracks[row], scale.labels]), axis=0)
        assert len(pairs) == len(set(pairs[:, 0])) == 4
        for union in range(4):  # that of its largest part
            own = before.tracks[row][scale.labels == union]
            assert tracks.tracks[row][scale.labels == union][0] == np.bincount(own).argmax()
        assert all(tracks.tables[row][int(k)] == t for k, t in zip(trace.labels[row], tracks.tracks[row], strict=True))
    shown = panel(run_of_wine.prepared, trace, "", tracks=tracks)
    told = run_of_wine.in_player(shown)
    counts = told.n_clusters
    expected = trace.n_clusters.copy()
    expected[trace.label_sweeps[joined]] = 4
    assert_array_equal(counts, expected)
    costs, of_unions = trace.nll.copy(), partition_nll(run_of_wine.problem, [scale.labels])[0]
    costs[trace.label_sweeps[joined]] = of_unions
    assert_allclose(told.nll, costs, rtol=1e-12)
    assert np.array_equal(np.isnan(told.objective), counts != trace.n_clusters)


@pytest.mark.parametrize("name", ["wine", "breast_cancer_diagnostic", "vehicle", "parkinsons_voice"])
def test_joined_clusters_share_a_colour_only_when_there_are_more_of_them_than_colours(name):
    choice = DataChoice("bundled", name, scaling="standardise")
    prepared = prepare(choice)
    config = replace(MANY, init="random", init_clusters=40)
    own = Finished(choice, config, prepared, dpviz.run(prepared.X, config))
    found = own.numbers_of_result()
    assert len(found) > N_COLORS
    for order in ORDERS:
        merges = tree(prepared.X, own.trace, order)
        for n_clusters in range(2, merges.n_leaves):
            joined = replace(own, scale=Scale.of(merges, own.trace, n_clusters))
            tracks = [number - 1 for number in joined.numbers_of_result()]
            assert len({track_color(track) for track in tracks}) == min(n_clusters, N_COLORS)
            assert len({(track_color(track), track_pattern(track)) for track in tracks}) == n_clusters
            alone = [int(k) for k, n in enumerate(np.bincount(joined.scale.groups)) if n == 1]
            for union in alone:  # what is not joined keeps its number, if that is a colour
                label = joined.scale.groups.index(union)
                if found[label] <= N_COLORS:
                    assert joined.numbers_of_result()[union] == found[label]


def test_files_and_code_have_both_the_clusters_found_and_those_joined():
    run_of_wine = finished(n_clusters=3)
    sweep, scale = run_of_wine.trace.result_sweep, run_of_wine.scale
    assert scale is not None
    frame = pd.read_csv(io.BytesIO(exports.labelled_csv(run_of_wine, sweep)))
    assert frame["cluster"].nunique() == 3 and frame["cluster_found"].nunique() == scale.tree.n_leaves
    text = exports.run_json(run_of_wine)
    assert_array_equal(merged_labels(text, run_of_wine.trace.result_labels), scale.labels)
    assert json.loads(text)["merged"]["n_found"] == scale.tree.n_leaves
    assert_array_equal(dpviz.Trace.from_json(text).labels, run_of_wine.trace.labels)
    made: dict[str, object] = {}
    exec(exports.code_of(run_of_wine), made)
    assert_array_equal(made["labels"], scale.labels)


@pytest.mark.parametrize("n_clusters", [3, None])
def test_a_stored_run_keeps_the_numbers_and_names_of_the_page_wherever_it_goes(n_clusters, tmp_path):
    made = finished(n_clusters=n_clusters)
    made = replace(made, names={2: "young", 1: "old"})
    run_, rows, out = (str(tmp_path / name) for name in ("run.json", "rows.csv", "out.csv"))
    Path(run_).write_text(text := exports.run_json(made))
    Path(rows).write_bytes(exports.labelled_csv(made, made.trace.result_sweep))
    of_page, own = pd.read_csv(rows)["cluster"], ["--data", "wine", "--scaling", made.choice.way]
    assert main(["predict", run_, rows, *own, "--out", out]) == 0
    predicted = pd.read_csv(out)
    assert (predicted["cluster_"].astype(str) == of_page.astype(str)).mean() > 0.95  # those of all others may differ
    names = {1: "old", 2: "young", **{k: f"cluster {k}" for k in range(3, 20)}}
    assert (predicted["cluster_name_"] == predicted["cluster_"].astype(int).map(names)).all()
    assert main(["report", run_, *own, "--out", out]) == 0
    described = pd.read_csv(out)
    assert described["cluster"].tolist() == ["old", "young", *map(str, range(3, of_page.nunique() + 1))]
    assert described["n"].tolist() == of_page.value_counts().sort_index().tolist()
    loaded = loading.load_run(text.encode(), replace(made, names={}, scale=None))
    again, why = loading.joined_as_stored(text.encode(), loaded)
    assert why == "" and again.names == made.names

    half = text.replace('"young"', r'"\ud800"')
    Path(run_).write_text(half)
    with pytest.raises(TraceFormatError, match="damaged: it holds half a character"):
        loading.joined_as_stored(half.encode(), loaded)
    assert main(["predict", run_, rows, *own, "--out", out]) == 1
    n_found = len(np.unique(made.trace.result_labels))
    for numbers in ([1], [1] * n_found, ["1"] * n_found, [-1, *range(1, n_found)]):
        document = json.loads(text)
        document["shown"]["numbers"] = numbers
        with pytest.raises(TraceFormatError, match="numbers and names"):
            loading.joined_as_stored(json.dumps(document).encode(), loaded)


@pytest.mark.parametrize("order", ["nll", "overlap"])
def test_a_stored_run_is_shown_with_its_clusters_joined_as_they_were(order):
    stored = exports.run_json(finished(n_clusters=3, order=order)).encode("utf-8-sig")  # as some editors save it
    app = in_app("explore", **links.state_query(WINE, MANY))
    app.session_state[export_panel.OPEN] = app.session_state[scales.OPEN] = True
    app = settled(run(app))
    assert shown_run(app).scale is None
    run(app.file_uploader(key="load.run").set_value(("run.json", stored, "application/json")))
    app = settled(press(app, "load.go"))
    scale = shown_run(app).scale
    assert scale is not None and (scale.n_clusters, scale.tree.order) == (3, order)
    assert clusters_slider(app).value == 3 and app.session_state[scales.ORDER] == order

    document = json.loads(stored.decode("utf-8-sig"))
    del document["shown"]  # numbers of the clusters as they were joined
    found = np.unique(shown_run(app).trace.result_labels, return_inverse=True)[1]
    document["merged"]["labels"] = (found == 0).astype(int).tolist()
    other, why = loading.joined_as_stored(json.dumps(document).encode(), replace(shown_run(app), scale=None))
    assert other.scale is None and "joined in another way than by its prices" in why
    document["merged"]["labels"] = found[:9].tolist()
    with pytest.raises(TraceFormatError, match="9 labels for 178 points"):
        loading.joined_as_stored(json.dumps(document).encode(), shown_run(app))


def test_sentences_count_the_clusters_that_are_shown():
    run_of_wine = finished(n_clusters=3)
    sweep, scale = run_of_wine.trace.result_sweep, run_of_wine.scale
    assert scale is not None
    own = replace(run_of_wine, choice=replace(WINE, source="session"))
    told = result_in_words(own)
    named = {own.number_of(cluster, sweep): int(np.sum(scale.labels == cluster)) for cluster in range(3)}
    assert told.startswith("Result: 3 clusters in 178 rows: ") and len(named) == 3
    for number, size in named.items():
        assert told.count(f"cluster {number} has {size} rows") == told.count(f"cluster {number} ") == 1
    union = int(np.argmax([len(parts) for parts in parts_of(scale.labels, own.trace.result_labels)]))
    parts = parts_of(scale.labels, own.trace.result_labels)[union]
    assert [own.cluster_name(part, sweep) for part in parts] == [
        f"cluster {own.number_of(union, sweep)}, part {position + 1} of {len(parts)}" for position in range(len(parts))
    ]


def parts_of(joined: IntArray, found: IntArray) -> list[list[int]]:
    """Labels found in each union."""
    return [np.unique(found[joined == union]).tolist() for union in np.unique(joined)]


def test_single_points_are_counted_among_the_clusters_that_are_shown():
    app = opened(replace(MANY, partition=dpviz.ChineseRestaurant(1e5), max_sweeps=1))
    trace = shown_run(app).trace
    found = tree(prepare(WINE).X, trace)
    assert f"of {found.n_leaves} clusters" in said(app)
    several = [n for n in range(2, found.n_leaves) if 1 in np.bincount(found.labels(n))]
    for n_clusters in (several[-1], several[0], 2, 1):
        run(clusters_slider(app).set_value(n_clusters))
        words = small_clusters_in_words(np.bincount(found.labels(n_clusters)))
        said_of_it = [own for own in captions(app) if own.startswith("Result: ")]
        assert said_of_it == ([f"Result: {words}"] if words else [])
    assert words == ""


def test_the_tree_is_drawn_without_crossings_and_grey_beyond_the_cut():
    run_of_wine = finished()
    found = tree(run_of_wine.prepared.X, run_of_wine.trace)
    places, left = positions(found)
    assert sorted(places[: found.n_leaves]) == list(range(found.n_leaves))
    for step in range(found.n_leaves - 1):
        groups, rows = found.groups(found.n_leaves - step - 1), places[: found.n_leaves]
        for k in range(groups.max() + 1):  # what is joined stands side by side
            assert np.ptp(rows[groups == k]) == np.sum(groups == k) - 1
        assert left[found.n_leaves + step] == found.n_leaves - step - 1
    colors = [f"#0000{k:02x}" for k in range(found.n_leaves)]
    figure = dendrogram(found, 4, [str(k) for k in range(found.n_leaves)], colors)
    lines = [drawn.line.color for drawn in figure.data[: found.n_leaves - 1]]
    assert [color == GREY for color in lines] == [step >= found.n_leaves - 4 for step in range(found.n_leaves - 1)]
    marks = figure.data[found.n_leaves - 1]
    assert all(f"{cost:+,.4g} nats" in words for cost, words in zip(found.costs, marks.customdata, strict=True))


def test_a_run_that_is_not_joined_keeps_its_tracks():
    run_of_wine = finished()
    unions = {int(k): int(k) for k in np.unique(run_of_wine.trace.result_labels)}
    tracks = track_labels(run_of_wine.trace.labels)
    same = tracks.joined(np.array([len(tracks.tracks) - 1]), unions)
    assert_array_equal(same.tracks, tracks.tracks)
    assert same.tables == tracks.tables


def test_the_playhead_goes_to_the_draw_that_is_joined():
    app = opened(usual_config("gibbs", "normal_gamma", n_sweeps=40, burn_in=10, seed=1))
    trace = shown_run(app).trace
    assert trace.result_sweep < trace.n_sweeps == app.session_state["explore"].sweep
    run(clusters_slider(app).set_value(2))
    assert app.session_state["explore"].sweep == trace.result_sweep
    assert shown_run(app).is_joined(trace.result_sweep) and not shown_run(app).is_joined(trace.n_sweeps)


@pytest.mark.parametrize("order", ORDERS)
def test_a_link_keeps_the_scale_and_opens_at_it(order):
    asked = finished(n_clusters=4, order=order).scale
    assert asked is not None
    app = opened(scale=str(asked.level))
    shown = shown_run(app).scale
    assert shown is not None and shown.tree.order == order and not warned(app)
    assert_array_equal(shown.labels, asked.labels)
    assert clusters_slider(app).value == 4 and app.segmented_control(key=scales.ORDER).value == order
    assert "".join(app.query_params["scale"]) == str(asked.level)
    assert links.link(WINE, MANY, 1, shown).endswith(f"&scale={asked.level}")

    run(clusters_slider(app).set_value(2))
    address = {key: "".join(app.query_params[key]) for key in ("data", "run", "scale")}
    again = opened_in_app("explore", **address)  # the panel closed
    assert_array_equal(shown_run(again).scale.labels, asked.tree.labels(2))

    run(clusters_slider(app).set_value(asked.tree.n_leaves))
    assert shown_run(app).scale is None and "scale" not in app.query_params


def test_a_link_without_a_scale_shows_the_clusters_found_where_they_were_joined_before(
    monkeypatch,
):
    app = opened(scale="3")
    run(clusters_slider(app).set_value(2))
    went_back(monkeypatch)
    app.query_params.clear()
    app.query_params.update(links.state_query(WINE, MANY))
    run(app)
    assert shown_run(app).scale is None
    app.query_params.update(links.state_query(WINE, MANY), scale="3")
    run(app)
    assert shown_run(app).scale.n_clusters == 3 and clusters_slider(app).value == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "could not be read") for text in ("0", "-1", "words", "1e3", "", "3-", "3-words", "٣", "9" * 400)),
        ("1000000000", "asks for 1,000,000,000 clusters, but the run found"),
    ],
)
def test_a_scale_that_is_none_gives_a_word_and_the_clusters_found(text, words):
    app = opened(scale=text)
    assert shown_run(app).scale is None and words in warned(app)
    assert clusters_slider(app).value == clusters_slider(app).max and "scale" not in app.query_params


def test_a_link_says_why_its_run_is_not_joined(monkeypatch):
    assert "K-means has no nll" in warned(opened(RunConfig("kmeans", n_clusters=3), scale="2"))
    assert "no run to show at it" in warned(opened_in_app("explore", data=WINE, scale="2"))
    nearest = opened(replace(MANY, effort=0.0), scale="2")
    assert "the nearest ones are shown" in warned(nearest) and shown_run(nearest).scale.n_clusters == 2
    monkeypatch.setattr(trees, "UNION", 1e9)
    app = opened(replace(MANY, seed=2), scale="2")
    assert shown_run(app).scale is None and "it waits for you" in warned(app)


def test_levels_are_read_as_they_are_written():
    for level in [Level(n, order) for n in (1, 7, 1000) for order in ORDERS]:
        assert Level.read(str(level)) == level


# --- Compare ----------------------------------------------------------------------------------------------------------

PANELS = [RunConfig("kmeans", n_clusters=5, n_init=1), MANY, replace(MANY, seed=2)]


def compared(scale: Any = None, panels: list[RunConfig] = PANELS, is_open: bool = False) -> AppTest:
    query = {"panels": compare_links.write_panels(panels, WINE)}
    if scale is not None:
        query["same"] = json.dumps({"seed": None, "order": False, "start": None, "scale": scale})
    app = in_app("compare", data=WINE, **query)
    app.session_state[scales.OPEN_OF_ALL] = is_open
    return settled(run(app))


def drawn_trees(app: AppTest) -> list[dict[str, Any]]:
    """The pictures of trees that a page of a comparison shows."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [spec for spec in specs if spec["layout"]["xaxis"].get("title", {}).get("text") == "clusters left"]


def test_the_runs_of_a_comparison_are_merged_to_one_number_of_clusters():
    app = compared(is_open=True)
    assert "Merged" not in said(app)
    settled(run(clusters_slider(app).set_value(3)))
    X, true = prepare(WINE).X, prepare(WINE).dataset.labels
    traces = [dpviz.run(X, config) for config in PANELS]
    frame = app.table[0].value.map(plain)
    for row, trace in list(zip(range(3), traces, strict=True))[1:]:
        found = tree(X, trace)
        nll = partition_nll(Problem.check(prepare(WINE).dataset.X, trace.config), [found.labels(3)])[0]
        for column, value in (
            ("K", f"3 (merged from {found.n_leaves})"),
            ("nll (nats)", f"{nll:,.1f}"),
            ("ARI", f"{dpviz.metrics.ari(true, found.labels(3)):.3f}"),
            ("NMI", f"{dpviz.metrics.nmi(true, found.labels(3)):.3f}"),
        ):
            assert frame.iloc[row][column].strip("*★ ") == value
        assert f"from {found.n_leaves} to 3 (costs {abs(found.cost(3)):,.4g} nats" in said(app)
    assert "1 K-means (no nll to weigh unions by)" in said(app)
    ari = dpviz.metrics.ari(true, traces[0].result_labels)
    assert frame.iloc[0]["ARI"].strip("*★ ") == f"{ari:.3f}" and frame.iloc[0]["K"].strip("*★ ") == "5"

    picture = app.session_state["compare joined"][1]
    for (name, finished), trace in list(zip(picture.runs, traces, strict=True))[1:]:
        pairs = np.unique(np.column_stack([picture.labels[name], tree(X, trace).labels(3)]), axis=0)
        assert len(pairs) == 3 and picture.panels[1].n_clusters[-1] == 3
        assert finished.scale.n_clusters == 3
    scores = app.session_state["compare scores"][-1]
    csv = compare_results.exported(picture, scores)
    assert csv["n_clusters"].tolist() == [5, 3, 3] and csv["n_clusters_found"].tolist()[0] == 5
    assert_allclose(csv["merges_cost"], [0.0, *(tree(X, trace).cost(3) for trace in traces[1:])])

    same = "".join(app.query_params["same"])
    assert json.loads(same)["scale"] == 3
    again = opened_in_app("compare", data=WINE, panels="".join(app.query_params["panels"]), same=same)
    assert not drawn_trees(again)  # the panel closed
    press(again, "compare.open.1")
    settled(run(again))
    assert shown_run(again).scale.n_clusters == 3 and "".join(again.query_params["scale"]) == "3"


def test_every_run_of_a_comparison_has_a_tree_with_one_cut_for_all():
    app = compared(is_open=True)
    X = prepare(WINE).X
    found = [tree(X, dpviz.run(X, config)) for config in PANELS[1:]]
    most = max(one.n_leaves for one in found)
    assert clusters_slider(app).value == clusters_slider(app).max == most
    assert "1 K-means has no tree: no nll to weigh unions by" in said(app)
    for n_clusters in (most, 3, most - 1):
        if n_clusters < most:
            settled(run(clusters_slider(app).set_value(n_clusters)))
        assert clusters_slider(app).value == n_clusters
        shown = app.session_state["compare joined"][1] if n_clusters < most else None
        for name, one, drawn in zip(("2 MAP-DP", "3 MAP-DP"), found, drawn_trees(app), strict=True):
            *_, leaves, cut = drawn["data"]
            assert cut["x"] == [n_clusters - 0.5] * 2 and drawn["layout"]["xaxis"]["range"] == [most + 0.4, 0.4]
            parts = one.groups(min(n_clusters, one.n_leaves))
            pairs = set(zip(parts.tolist(), leaves["marker"]["color"], strict=True))
            assert len(pairs) == len(set(parts.tolist()))  # the parts of a union have one colour: the player's
            if shown is not None:
                numbers = shown.all_labels[name][np.unique(one.leaves, return_index=True)[1]]
                assert leaves["marker"]["color"] == [track_color(int(number), dark=False) for number in numbers]
    press(app, "compare.scales.suggested")
    both = [(one, tree(X, dpviz.run(X, config), MODES)) for one, config in zip(found, PANELS[1:], strict=True)]
    best = [ticked(*of) for of in both]
    cuts = [of[0].n_leaves if one is None else one.mark for of, one in zip(both, best, strict=True)]
    assert [drawn["data"][-1]["x"][0] for drawn in drawn_trees(app)] == [cut - 0.5 for cut in cuts]
    assert json.loads("".join(app.query_params["same"]))["scale"] == "suggested"
    press(app, "compare.scales.found")
    assert clusters_slider(app).value == most and "scale" not in json.loads("".join(app.query_params["same"]))


def test_a_comparison_without_trees_says_why():
    app = compared(panels=[PANELS[0], replace(PANELS[0], seed=3)], is_open=True)
    assert "None of these methods has an nll" in said(app) and not drawn_trees(app)


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (10**9, "Nothing is merged. As found: 1 K-means"),
        *((scale, "could not all be restored. scale = ") for scale in (0, -2, 10**30, "words", 1.5, True, None, [2])),
    ],
)
def test_a_comparison_at_a_scale_that_is_none_shows_what_was_found(scale, words):
    app = in_app(
        "compare",
        data=WINE,
        panels=compare_links.write_panels(PANELS[:2], WINE),
        same={"scale": scale},
    )
    settled(run(app))
    assert words in said(app) and "Merged, always" not in said(app) and not app.error


def test_suggested_merges_of_a_comparison_are_each_run_s_own(monkeypatch):
    monkeypatch.setattr(merging, "LEAST_OVERLAP", 0.02)
    monkeypatch.setattr(merging, "ERRORS", 0.0)
    panels = [MANY, replace(MANY, init="singletons")]
    app, counts = compared("suggested", panels), []
    for number, config in enumerate(panels, 1):
        trace = dpviz.run(prepare(WINE).X, config)
        by_price, by_modes = (tree(prepare(WINE).X, trace, order) for order in (NLL, MODES))
        best = ticked(by_price, by_modes) or by_price
        counts.append(best.n_leaves - best.mark)
        joined = f"{number} MAP-DP from {best.n_leaves} to {best.mark} ("
        assert (joined if counts[-1] else f"{number} MAP-DP (the suggestion joins none)") in said(app)
    assert max(counts) > 0


# --- Predict ----------------------------------------------------------------------------------------------------------


def test_a_link_to_predictions_keeps_the_scale():
    app = opened(scale="3-overlap")
    settled(run(go_to(app, "predict")))
    address = json.loads("".join(app.query_params["predict"]))
    assert address["scale"] == "3-overlap"

    def by_link(**changes):
        return opened_in_app("predict", data=WINE, predict={**address, **changes})

    expected = finished(n_clusters=3, order="overlap").scale
    again = by_link()
    known = again.session_state["predict predictor"]
    assert expected is not None and known.predictor.n_clusters == 3 and not warned(again)
    assert_array_equal(known.finished.scale.labels, expected.labels)
    assert json.loads("".join(again.query_params["predict"]))["scale"] == "3-overlap"
    for scale, words in (("words", "could not be read"), (0, "could not be read"), (10**9, "but the run found")):
        hostile = by_link(scale=scale)
        assert words in warned(hostile)
        assert hostile.session_state["predict predictor"].predictor.n_clusters == expected.tree.n_leaves
