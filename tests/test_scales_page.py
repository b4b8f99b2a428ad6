"""Joined clusters on the pages: the panel of Explore, the picture, files and predictions that follow it."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis.merging import ORDERS, tree
from dpviz.analysis.stored_merge import merged_labels
from dpviz.config import RunConfig
from dpviz.figures.merging import GREY, dendrogram, positions
from dpviz.player import track_labels
from dpviz.player.run_panel import panel
from dpviz.ui.explore import scales
from dpviz.ui.session import exports
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Scale
from dpviz.ui.shell import links
from pages import go_to, in_app, run, said, settled, shown_run

WINE = DataChoice("bundled", "wine", scaling="standardise")
MANY = RunConfig(
    family="normal_gamma", prior=None, init="kmeans++", init_clusters=9, n_init=1, effort=0.0, max_sweeps=2, seed=1
)


def finished(config: RunConfig = MANY, n_clusters: int | None = None, order: str = "nll") -> Finished:
    prepared = prepare(WINE)
    run_of_wine = Finished(WINE, config, prepared, dpviz.run(prepared.X, config))
    if n_clusters is None:
        return run_of_wine
    found = tree(prepared.X, run_of_wine.trace, order)
    return replace(run_of_wine, scale=Scale.of(found, run_of_wine.trace, n_clusters))


def opened(config: RunConfig = MANY) -> AppTest:
    app = in_app("explore", **links.state_query(WINE, config))
    app.session_state[scales.OPEN] = True
    return settled(run(app))


def test_the_slider_joins_clusters_in_picture_files_and_predictions() -> None:
    app = opened()
    trace = shown_run(app).trace
    found = tree(prepare(WINE).X, trace)
    assert found.n_leaves > 4
    (slider,) = [slider for slider in app.slider if slider.label == "Clusters shown"]
    assert (slider.min, slider.max, slider.value) == (1, found.n_leaves, found.n_leaves)
    assert f"{abs(found.costs[0]):,.4g} nats" in said(app)
    run(slider.set_value(3))
    shown = shown_run(app)
    assert shown.scale is not None and shown.scale.n_clusters == 3
    np.testing.assert_array_equal(shown.scale.labels, found.labels(3))
    assert f"{abs(found.nll[-3] - found.nll[0]):,.4g} nats" in said(app)
    numbers = exports.labelled_rows(shown, trace.n_sweeps)["cluster"].astype(int)
    assert len(np.unique(np.column_stack([numbers, found.labels(3)]), axis=0)) == 3

    run(go_to(app, "predict"))
    known = settled(app).session_state["predict predictor"]
    assert known.predictor.n_clusters == 3 and "joined in Explore from" in said(app)
    assert {known.name(k) for k in range(3)} == {f"cluster {number}" for number in set(numbers)}
    run(go_to(app, "explore"))
    assert shown_run(app).scale == shown.scale


def test_another_order_keeps_the_number_of_clusters() -> None:
    app = opened()
    (slider,) = [slider for slider in app.slider if slider.label == "Clusters shown"]
    run(slider.set_value(3))
    app.session_state[scales.ORDER] = "entropy"
    run(app)
    scale = shown_run(app).scale
    assert scale is not None and scale.tree.order == "entropy" and scale.n_clusters == 3
    run(app.button(key="scales.suggestion").click())
    suggested = shown_run(app).scale
    assert (scale.tree.n_leaves if suggested is None else suggested.n_clusters) == scale.tree.suggestion


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (RunConfig("kmeans", n_clusters=3), "no nll, and so no cost"),
        (replace(MANY, partition=dpviz.FiniteDirichlet(1.0, 1), init="single", init_clusters=None), "nothing to join"),
    ],
    ids=["kmeans", "one cluster"],
)
def test_the_panel_says_why_there_is_nothing_to_join(config: RunConfig, words: str) -> None:
    app = opened(config)
    assert words in said(app) and not [slider for slider in app.slider if slider.label == "Clusters shown"]


@pytest.mark.parametrize("order", ORDERS)
def test_the_picture_has_one_number_for_every_union(order: str) -> None:
    run_of_wine = finished(n_clusters=4, order=order)
    scale, trace = run_of_wine.scale, run_of_wine.trace
    assert scale is not None
    tracks, before = run_of_wine.label_tracks, replace(run_of_wine, scale=None).label_tracks
    joined = run_of_wine.joined_rows
    for row in range(len(before.tracks)):
        if row not in joined:
            np.testing.assert_array_equal(tracks.tracks[row], before.tracks[row])
            continue
        pairs = np.unique(np.column_stack([tracks.tracks[row], scale.labels]), axis=0)
        assert len(pairs) == len(set(pairs[:, 0])) == 4
        for union in range(4):  # that of its largest part
            own = before.tracks[row][scale.labels == union]
            assert tracks.tracks[row][scale.labels == union][0] == np.bincount(own).argmax()
        assert all(tracks.tables[row][int(k)] == t for k, t in zip(trace.labels[row], tracks.tracks[row], strict=True))
    shown = panel(run_of_wine.prepared, trace, run_of_wine.config, "", tracks=tracks)
    counts = scales.joined_panel(run_of_wine, shown).n_clusters
    expected = trace.n_clusters.copy()
    expected[trace.label_sweeps[joined]] = 4
    np.testing.assert_array_equal(counts, expected)


def test_files_and_code_have_both_the_clusters_found_and_those_joined() -> None:
    run_of_wine = finished(n_clusters=3)
    sweep, scale = run_of_wine.trace.result_sweep, run_of_wine.scale
    assert scale is not None
    frame = pd.read_csv(io.BytesIO(exports.labelled_csv(run_of_wine, sweep)))
    assert frame["cluster"].nunique() == 3 and frame["cluster_found"].nunique() == scale.tree.n_leaves
    text = exports.run_json(run_of_wine)
    np.testing.assert_array_equal(merged_labels(text), scale.labels)
    assert json.loads(text)["merged"]["n_found"] == scale.tree.n_leaves
    np.testing.assert_array_equal(dpviz.Trace.from_json(text).labels, run_of_wine.trace.labels)
    made: dict[str, object] = {}
    exec(exports.code_of(run_of_wine), made)
    np.testing.assert_array_equal(made["labels"], scale.labels)


def test_the_tree_is_drawn_without_crossings_and_grey_beyond_the_cut() -> None:
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


def test_a_run_that_is_not_joined_keeps_its_tracks() -> None:
    run_of_wine = finished()
    unions = {int(k): int(k) for k in np.unique(run_of_wine.trace.result_labels)}
    tracks = track_labels(run_of_wine.trace.labels)
    same = tracks.joined(np.array([len(tracks.tracks) - 1]), unions)
    np.testing.assert_array_equal(same.tracks, tracks.tracks)
    assert same.tables == tracks.tables


def test_the_playhead_goes_to_the_draw_that_is_joined() -> None:
    app = opened(RunConfig("gibbs", family="normal_gamma", prior=None, n_sweeps=40, burn_in=10, seed=1))
    trace = shown_run(app).trace
    assert trace.result_sweep < trace.n_sweeps == app.session_state["explore"].sweep
    (slider,) = [slider for slider in app.slider if slider.label == "Clusters shown"]
    run(slider.set_value(2))
    assert app.session_state["explore"].sweep == trace.result_sweep
    assert shown_run(app).is_joined(trace.result_sweep) and not shown_run(app).is_joined(trace.n_sweeps)
