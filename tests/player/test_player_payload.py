"""The player's payload, the standalone page, and its scripts."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from browser import fake_runs
from numpy.testing import assert_allclose, assert_array_equal
from player_checks import layer, naive_decode, restless_labels, same_partition
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.datasets import Dataset
from dpviz.engine import shapes
from dpviz.engine.slow_motion import slow_motion
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.metrics import ari, nmi
from dpviz.player import (
    ClusterEllipses,
    PanelData,
    RegionImage,
    SweepEvents,
    build_payload,
    panel_from_trace,
    plane_extent,
    run_panel,
    standalone_html,
    track_labels,
)
from dpviz.player.blocks import read_header
from dpviz.player.layers import event_tracks
from dpviz.player.notebook import Table
from dpviz.player.payload import MOST_BINS


def test_a_page_that_followed_every_sweep_may_send_a_few():
    labels = restless_labels(np.random.default_rng(3), 9)
    whole = track_labels(labels)
    rows = np.arange(0, 150, 11)
    few = fake_runs.panel(np.random.default_rng(0).normal(size=(120, 2)), labels[rows], tracks=whole.at(rows))
    payload = build_payload([few])
    assert_array_equal(layer(payload, "labels"), whole.tracks[rows])
    assert (track_labels(labels[rows]).tracks != whole.tracks[rows]).any()
    with pytest.raises(InvalidParameterError, match="tracks = .* must be of shape"):
        fake_runs.panel(few.points, labels[rows], tracks=whole)


def test_axes_of_circular_columns_say_after_what_they_begin_again():
    X = np.random.default_rng(0).uniform(0, 24, (30, 3))
    config, kinds = dpviz.RunConfig("kmeans", n_clusters=2), ("circular 24", "continuous", "circular 24")
    for n_columns, periods in ((1, [24.0]), (2, [24.0, 0.0]), (3, None)):  # of three columns components are shown
        own = X[:, :n_columns]
        table = Table(Dataset(X=own, name="hours", feature_names=tuple("abc"[:n_columns]), kinds=kinds[:n_columns]))
        panel = run_panel.panel(table, dpviz.run(own, config), "")
        header = read_header(build_payload([panel]))["panels"][0]
        assert header.get("periods") == periods
        assert header.get("ellipses_bent") is (None if n_columns == 1 else False), "K-means knows of no turns"


def test_curves_of_a_long_chain_on_hours_are_sent_at_fewer_places(monkeypatch):
    """Every cluster of every sweep has places of its own: of thousands that was more than there is memory."""
    X = np.random.default_rng(0).uniform(0, 24, (40, 1))
    config = dpviz.RunConfig("gibbs", kinds=["circular 24"], n_sweeps=30, burn_in=2, prior=None)
    table, trace = Table(Dataset(X=X, name="hours", feature_names=("a",))), dpviz.run(X, config)
    whole = run_panel.panel(table, trace, "").densities
    monkeypatch.setattr(run_panel, "MOST_CURVE_VALUES", 1)
    monkeypatch.setattr(shapes, "PLACES_AT_ONCE", 700)
    found = run_panel.panel(table, trace, "").densities
    assert whole is not None and found is not None and len(found.grid) <= 500 < 2_000 < len(whole.grid)
    kept = np.isin(whole.grid, found.grid)
    assert_allclose(found.values, whole.values[:, kept], rtol=1e-9)
    assert np.diff(found.grid).max() <= np.diff(whole.grid).max() + 24 / 499
    assert found.grid[[0, -1]].tolist() == whole.grid[[0, -1]].tolist()


def test_ellipses_of_hours_go_round_in_slow_motion_too():
    X, labels = np.random.default_rng(0).uniform(0, 24, (30, 2)), np.arange(30) % 2
    config = dpviz.RunConfig("mapdp", kinds=["circular 24", "real"], init=labels, prior=None)
    table = Table(Dataset(X=X, name="hours", feature_names=("a", "b")))  # of an array, which has no kinds
    trace = dpviz.run(X, config)
    panel = run_panel.panel(table, trace, "", slow=slow_motion(X, trace, 1))
    assert panel.periods == (24.0, 0.0) and panel.ellipses is not None and panel.ellipses.bent
    assert panel.events is not None and panel.events.ellipses is not None and panel.events.ellipses.bent
    assert read_header(build_payload([panel]))["panels"][0]["ellipses_bent"] is True
    after, states = panel.ellipses.rows == 1, panel.events.ellipses
    last = states.rows == states.rows.max()
    for name in ("centers", "scales", "factors"):
        found, expected = (
            np.sort(getattr(own, name)[some], axis=0) for own, some in ((states, last), (panel.ellipses, after))
        )
        assert_allclose(found, expected, rtol=1e-4, err_msg=name)


def test_payload_holds_what_went_in():
    panel = fake_runs.full_panel()
    payload = build_payload([panel], sync="seconds", progress="x")
    header, blocks = naive_decode(payload)
    assert (header["sync"], header["partial"], header["progress"]) == ("seconds", False, "x")
    described = header["panels"][0]
    assert (described["n_points"], described["n_sweeps"], described["title"]) == (400, 11, "Nearest centroid")
    assert_array_equal(layer(payload, "labels"), track_labels(panel.labels).tracks)
    assert_array_equal(layer(payload, "nll"), panel.nll)
    assert_array_equal(layer(payload, "n_moved"), panel.n_moved)
    assert_allclose(layer(payload, "x"), panel.points[:, 0], rtol=1e-6)
    assert_allclose(layer(payload, "values"), panel.values, rtol=1e-6)
    assert "point_names" not in described  # most points have none
    assert min(block["bytes"] for block in header["blocks"]) > 0


def test_payload_is_deterministic_and_stores_equal_points_once():
    panels = fake_runs.compared_panels(300)
    payload = build_payload(panels)
    assert payload == build_payload(fake_runs.compared_panels(300))
    used = [panel["arrays"]["x"] for panel in read_header(payload)["panels"]]
    assert len(set(used)) == 1


@pytest.mark.parametrize(("n_points", "n_sweeps"), [(4_000, 600), (50_000, 60)])
def test_long_runs_stay_under_three_megabytes(n_points, n_sweeps):
    generator = np.random.default_rng(0)
    labels = np.repeat(generator.integers(0, 8, n_points)[None], n_sweeps + 1, axis=0)
    for sweep in range(1, n_sweeps + 1):  # three points in a hundred move at every sweep, as in Gibbs sampling
        labels[sweep] = labels[sweep - 1]
        moved = generator.random(n_points) < 0.03
        labels[sweep, moved] = generator.integers(0, 8, int(moved.sum()))
    zeros = np.zeros(n_sweeps + 1)
    curves = dict.fromkeys(("nll", "objective", "n_clusters", "n_moved", "n_born", "n_died", "seconds"), zeros)
    points, sweeps = generator.normal(size=(n_points, 2)), np.arange(n_sweeps + 1)
    panel = PanelData(points=points, labels=labels, label_sweeps=sweeps, **curves)
    payload = build_payload([panel])
    assert len(payload) < 3_000_000
    assert same_partition(layer(payload, "labels")[-1][:500], labels[-1][:500])


def test_data_far_from_zero_keep_their_digits():
    points = np.column_stack([1.7e9 + np.arange(50.0), np.arange(50.0)])
    payload = build_payload([fake_runs.panel(points, np.zeros((2, 50), dtype=int))])
    origin = read_header(payload)["panels"][0]["origin"]
    assert origin[1] == 0
    assert_array_equal(layer(payload, "x").astype(float) + origin[0], points[:, 0])


def test_layers_speak_in_tracks():
    panel = fake_runs.full_panel()
    payload, tracks = build_payload([panel]), track_labels(panel.labels)
    assert panel.ellipses is not None
    assert panel.region_image is not None
    offsets, centers = layer(payload, "ellipse_offsets"), layer(payload, "ellipse_centers")
    for row, track in enumerate(tracks.tracks):
        for entry in range(offsets[row], offsets[row + 1]):
            members = panel.points[track == layer(payload, "ellipse_tracks")[entry]]
            assert_allclose(centers[entry], members.mean(axis=0), rtol=1e-5, atol=1e-5)
    regions = layer(payload, "region_image")
    expected = np.vectorize(tracks.tables[-1].get)(panel.region_image.labels)
    assert_array_equal(regions, expected)


def test_visits_end_in_the_tracks_of_their_sweep():
    panel = fake_runs.full_panel()
    payload, tracks = build_payload([panel]), track_labels(panel.labels)
    replayed = tracks.tracks[0].astype(int)
    replayed[layer(payload, "event_points")] = layer(payload, "event_to")
    assert same_partition(replayed, panel.labels[1])
    assert (
        replayed[layer(payload, "event_to") == layer(payload, "event_from")]
        == tracks.tracks[0][layer(payload, "event_to") == layer(payload, "event_from")]
    ).all()


def test_a_cluster_opened_in_the_visits_gets_the_track_it_ends_with():
    labels = np.array([[0, 0, 0, 0, 1, 1], [4, 4, 9, 9, 7, 7]])  # the new sweep is renumbered
    panel = fake_runs.panel(np.arange(12.0).reshape(6, 2), labels)
    events = SweepEvents(1, np.arange(6), labels[0], np.array([0, 0, 2, 2, 1, 1]))
    tracks = track_labels(labels)
    assert event_tracks(panel, events, tracks)[2] == tracks.tables[1][9]


def test_shapes_and_nll_of_visits_are_sent_by_visit():
    panel = fake_runs.merging_panel()
    assert panel.events is not None
    assert panel.events.ellipses is not None
    payload = build_payload([panel])
    assert_array_equal(layer(payload, "event_nll"), 99.0 - np.arange(21))
    offsets = layer(payload, "event_ellipse_offsets")
    assert_array_equal(offsets, np.r_[0, 1, 2, np.full(19, 3)])
    table = track_labels(panel.labels).tables[0]
    assert_array_equal(layer(payload, "event_ellipse_tracks"), [table[1]] * 3)
    assert_allclose(layer(payload, "event_ellipse_centers"), panel.events.ellipses.centers, rtol=1e-6)


@pytest.mark.parametrize("wrong", [{"nll": np.zeros(3)}, {"ellipses": "late"}])
def test_visits_that_do_not_fit_are_named(wrong):
    panel = fake_runs.merging_panel()
    if wrong == {"ellipses": "late"}:
        wrong = {"ellipses": one_ellipse(rows=np.array([21]))}
    events = SweepEvents(**{**vars(panel.events), **wrong})
    with pytest.raises(InvalidParameterError, match=r"events\.(nll|ellipses\.rows) = "):
        build_payload([PanelData(**{**vars(panel), "events": events})])


def test_dots_stack_to_the_histogram():
    values = np.random.default_rng(0).normal(size=300)
    heights = layer(build_payload([fake_runs.panel(values[:, None], np.zeros((1, 300), dtype=int))]), "y")
    counts, edges = np.histogram(values, bins=MOST_BINS)
    width = edges[1] - edges[0]
    for number, count in enumerate(counts):
        last = number == len(counts) - 1
        inside = (values >= edges[number]) & ((values < edges[number + 1]) | last)
        expected = (np.arange(count) + 0.5) / (300 * width)
        assert_allclose(np.sort(heights[inside]), expected, rtol=1e-6)  # of single precision


def test_equal_values_stack_in_one_column():
    heights = layer(build_payload([fake_runs.panel(np.full((10, 1), 3.0), np.zeros((1, 10), dtype=int))]), "y")
    assert len(np.unique(heights)) == 10
    assert np.isfinite(heights).all()


def test_panel_from_anything_with_the_fields_of_a_trace():
    panel = fake_runs.full_panel()
    names = "labels label_sweeps nll objective n_clusters n_moved n_born n_died seconds".split()
    fields = {name: getattr(panel, name) for name in names}
    made = panel_from_trace(panel.points, SimpleNamespace(**fields), title="t", true_labels=panel.true_labels)
    assert made.labels is panel.labels
    assert (made.title, made.n_sweeps) == ("t", 11)


POINTS = np.arange(12.0).reshape(6, 2)
LABELS = np.zeros((3, 6), dtype=int)
EXTENT = (0.0, 1.0, 0.0, 1.0)


def one_ellipse(**changed: np.ndarray) -> ClusterEllipses:
    """A circle around cluster 0 at the start, with some fields changed."""
    zero, one = np.zeros(1, dtype=int), np.ones((1, 2))
    fields = {"rows": zero, "labels": zero, "centers": one, "scales": np.eye(2)[None], "factors": one}
    return ClusterEllipses(**{**fields, **changed})


def regions(*shape: int, label: int = 0) -> RegionImage:
    """One region everywhere."""
    return RegionImage(np.full(shape, label), np.array([2]), EXTENT)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"points": np.zeros((6, 3))}, "points = .* must be of shape"),
        ({"points": np.full((6, 2), np.nan)}, "points = .* must be finite"),
        ({"labels": np.zeros((2, 6), dtype=int)}, "labels = .* must be of shape"),
        ({"label_sweeps": np.array([0, 2, 1])}, "label_sweeps = .* must be increasing"),
        ({"label_sweeps": np.array([0, 1, 3])}, "label_sweeps = .* must be increasing within 0..2"),
        ({"nll": np.zeros(4)}, "nll = .* must be of shape"),
        ({"true_labels": np.zeros(5, dtype=int)}, "true_labels = .* must be of shape one row per point"),
        ({"labels": np.zeros((3, 6))}, "labels = .* must be integers"),
        ({"ellipses": one_ellipse(labels=np.array([5]))}, "ellipses.labels = .* must be labels that occur"),
        ({"ellipses": one_ellipse(rows=np.array([3]))}, "ellipses.rows = .* must be rows within 0..2"),
        ({"ellipses": one_ellipse(scales=np.eye(2))}, "ellipses.scales = .* must be of shape"),
        ({"region_image": regions(1, 2, 2, label=8)}, "labels = .* must be labels of the sweep"),
        ({"region_image": regions(2, 2)}, "region_image.labels = .* must be of shape"),
        ({"events": SweepEvents(0, np.arange(6), LABELS[0], LABELS[0])}, "events.sweep = 0 must be a sweep ≥ 1"),
    ],
)
def test_what_does_not_fit_is_named(parts, message):
    good = fake_runs.panel(POINTS, LABELS)
    with pytest.raises(InvalidParameterError, match=message):
        build_payload([PanelData(**{**vars(good), **parts})])


def test_number_of_panels_and_sync_are_checked():
    panel = fake_runs.panel(POINTS, LABELS)
    with pytest.raises(InvalidParameterError, match="panels"):
        build_payload([])
    with pytest.raises(InvalidParameterError, match="panels"):
        build_payload([panel] * 7)
    with pytest.raises(InvalidParameterError, match="sync = 'time'"):
        build_payload([panel], sync="time")


@pytest.mark.parametrize("junk", [b"", b"abc", b"\xff\xff\xff\xff{}", b"\x02\0\0\0{}", b"\x04\0\0\0null"])
def test_junk_is_not_a_payload(junk):
    with pytest.raises(TraceFormatError, match="build_payload"):
        standalone_html(junk, "title")


def test_standalone_page_carries_the_payload_and_escapes_text():
    payload = build_payload([fake_runs.full_panel(title="</script><script>alert(1)</script>")])
    page = standalone_html(payload, "<i>&</title>")
    assert "<title>&lt;i&gt;&amp;&lt;/title&gt;</title>" in page
    carried = re.search(r'id="payload">([^<]*)</script>', page)
    assert carried is not None
    assert base64.b64decode(carried[1]) == payload
    assert len(re.findall(r"</script", page, re.IGNORECASE)) == 3
    assert "alert(1)" not in page
    assert re.search(r"https?://(?!www\.w3\.org/2000/svg)", page) is None
    with pytest.raises(InvalidParameterError, match="title"):
        standalone_html(payload, " ")


def test_a_page_with_the_player_runs():
    script = Path(fake_runs.__file__).with_name("player_page.py")
    app = AppTest.from_file(script, default_timeout=600).run()
    assert not app.exception
    assert len(app.get("bidi_component")) == 1
    assert json.loads(app.text[0].value) == {"sweep": 0, "point": None}


def test_agreement_stands_at_the_recorded_sweeps_or_is_the_pages_own():
    panel = fake_runs.full_panel()
    assert panel.true_labels is not None
    thinned = {"labels": panel.labels[::3], "label_sweeps": np.arange(12)[::3], "ellipses": None, "events": None}
    sent = layer(build_payload([PanelData(**{**vars(panel), **thinned, "region_image": None})]), "agreement")
    assert_array_equal(np.flatnonzero(np.isfinite(sent)), [0, 3, 6, 9])
    assert_allclose(sent[9], nmi(panel.true_labels, panel.labels[9]))
    rand = layer(build_payload([panel]), "adjusted_rand")
    assert_allclose(rand, [ari(panel.true_labels, row) for row in panel.labels])
    own = build_payload([fake_runs.full_panel(agreement=np.linspace(0, 1, 12), true_labels=None)])
    assert_array_equal(layer(own, "agreement"), np.linspace(0, 1, 12))
    none = read_header(build_payload([fake_runs.full_panel(true_labels=None)]))
    assert "agreement" not in none["panels"][0]["arrays"]
    with pytest.raises(InvalidParameterError, match=r"agreement = .* must be of shape \(12,\)"):
        fake_runs.full_panel(agreement=np.zeros(3))


def test_a_map_extent_holds_the_points_at_the_shape_of_a_wide_plot():
    points = np.array([[0.0, 0.0], [4.0, 2.0], [1.0, 3.0]])
    x_low, x_high, y_low, y_high = plane_extent(points)
    assert x_low < 0 < 4 < x_high
    assert y_low < 0 < 3 < y_high
    assert (x_high - x_low) == pytest.approx(2 * (y_high - y_low))
    stretched = plane_extent(points * [1000, 1])
    assert stretched[1] - stretched[0] == pytest.approx(4000 * 1.3)
