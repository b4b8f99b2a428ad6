"""The player's payload, label tracks, checks on what the browser sends back, and the standalone page."""

from __future__ import annotations

import base64
import itertools
import json
import re
import struct
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from browser import fake_runs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from streamlit.testing.v1 import AppTest

from dpviz.errors import DpvizError, InvalidParameterError, TraceFormatError
from dpviz.metrics import nmi
from dpviz.ui.player import (
    ClusterEllipses,
    MovedPoint,
    PanelData,
    PlaceEvent,
    Pull,
    RegionImage,
    SweepEvents,
    assets,
    build_payload,
    component,
    panel_from_trace,
    plane_extent,
    player,
    standalone_html,
    track_color,
    track_labels,
    track_pattern,
)
from dpviz.ui.player.agreement import agreement_curve
from dpviz.ui.player.alignment import align_runs, match_labels
from dpviz.ui.player.blocks import read_block, read_header
from dpviz.ui.player.layers import event_tracks
from dpviz.ui.player.palette import N_COLORS
from dpviz.ui.player.payload import stack_dots, track_panels

TYPES = {"u1": "u1", "u2": "<u2", "u4": "<u4", "i4": "<i4", "f4": "<f4", "f8": "<f8"}
histories = arrays.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 12)), elements=st.integers(-1, 2))


def naive_decode(payload: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read the format from its description, one row after the other."""
    (length,) = struct.unpack("<I", payload[:4])
    header = json.loads(payload[4 : 4 + length])
    blocks = []
    for block in header["blocks"]:
        start = 4 + length + block["offset"]
        raw = payload[start : start + block["bytes"]]
        array = np.frombuffer(zlib.decompress(raw) if block["deflated"] else raw, TYPES[block["kind"]]).copy()
        array = array.reshape(block["shape"])
        for row in range(1, len(array) if block["differences"] else 0):
            array[row] ^= array[row - 1]
        blocks.append(array)
    return header, blocks


def layer(payload: bytes, name: str, number: int = 0) -> np.ndarray:
    """One array of a panel."""
    header, blocks = naive_decode(payload)
    return blocks[header["panels"][number]["arrays"][name]]


def same_partition(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two labellings put the same points together."""
    return bool(((left[:, None] == left) == (right[:, None] == right)).all())


def most_kept(before: np.ndarray, after: np.ndarray) -> int:
    """Largest number of points that any renaming of ``after`` can keep, by trying all of them."""
    old, new = np.unique(before), np.unique(after)
    names = [*old, *range(100, 100 + len(new))]
    kept = (sum(((after == k) & (before == name)).sum() for k, name in zip(new, choice, strict=True))
            for choice in itertools.permutations(names, len(new)))  # fmt: skip
    return int(max(kept))


@given(histories)
def test_tracks_keep_the_partition_and_as_many_points_as_possible(labels: np.ndarray) -> None:
    tracks = track_labels(labels)
    for row, track in enumerate(tracks.tracks):
        assert same_partition(labels[row], track)
        assert tracks.tables[row] == {int(k): int(t) for k, t in zip(labels[row], track, strict=True)}
        if row > 0:
            assert (track == tracks.tracks[row - 1]).sum() == most_kept(tracks.tracks[row - 1], labels[row])


@given(histories)
def test_a_growing_history_keeps_its_tracks(labels: np.ndarray) -> None:
    whole = track_labels(labels).tracks
    for n_rows in range(1, len(labels) + 1):
        np.testing.assert_array_equal(track_labels(labels[:n_rows]).tracks, whole[:n_rows])


def test_renumbering_at_every_sweep_is_invisible() -> None:
    generator = np.random.default_rng(0)
    partition = generator.integers(0, 7, 200)
    labels = np.array([generator.permutation(50)[partition] for _ in range(20)])
    tracks = track_labels(labels).tracks
    assert (tracks == tracks[0]).all()
    sizes = np.bincount(tracks[0])
    assert (np.diff(sizes) <= 0).all()  # at the start the largest cluster is track 0


def test_hundreds_of_clusters_are_followed_too() -> None:
    generator = np.random.default_rng(1)
    singletons = np.arange(600)
    merged = np.where(singletons < 300, singletons // 2 * 2, singletons)
    tracks = track_labels(np.array([singletons, generator.permutation(600)[merged]])).tracks
    assert same_partition(tracks[1], merged)
    assert set(tracks[1]) == set(range(450))
    kept = (singletons < 450) & ((singletons % 2 == 0) | (singletons >= 300))
    assert (tracks[1] == tracks[0])[kept].all()
    assert tracks.dtype == np.uint16


def restless_labels(generator: np.random.Generator, most: int) -> np.ndarray:
    """A history with many births and deaths, at most ``most`` clusters in a sweep, renumbered at every sweep."""
    labels = np.zeros((150, 120), dtype=np.int64)
    for row in range(1, len(labels)):
        labels[row] = labels[row - 1]
        for _ in range(3):
            chosen = generator.choice(np.unique(labels[row]))
            members = np.flatnonzero(labels[row] == chosen)
            if generator.random() < 0.5 and len(np.unique(labels[row])) < most:
                labels[row, members[: len(members) // 2]] = labels[row].max() + 1
            else:
                labels[row, members] = generator.choice(np.unique(labels[row]))
        labels[row] = np.unique(labels[row], return_inverse=True)[1]
    return labels


@pytest.mark.parametrize("most", [N_COLORS, 3 * N_COLORS])
def test_clusters_share_a_colour_only_when_there_are_more_of_them_than_colours(most: int) -> None:
    labels = restless_labels(np.random.default_rng(most), most)
    tracks = track_labels(labels).tracks
    births = 0
    for row, track in enumerate(tracks):
        alive = np.unique(track).tolist()
        births += row > 0 and len(set(alive) - set(tracks[row - 1].tolist()))
        assert same_partition(labels[row], track)
        assert len({track_color(number) for number in alive}) == min(len(alive), N_COLORS)
        assert len({(track_color(number, dark=True), track_pattern(number)) for number in alive}) == len(alive)
        assert max(alive) < max(N_COLORS, len(alive))
    assert births > 60


def test_a_cluster_keeps_its_number_as_long_as_that_is_a_colour_of_its_own() -> None:
    tracks = track_labels(restless_labels(np.random.default_rng(7), 3 * N_COLORS)).tracks
    for before, after in itertools.pairwise(tracks):
        for number in np.unique(before[before < N_COLORS]):
            members = before == number
            new = after[members][0]
            if np.array_equal(after == new, members):  # nobody joined and nobody left
                assert new == number


def test_a_new_cluster_takes_the_number_of_one_that_just_died_only_if_no_other_has_a_colour() -> None:
    few = track_labels(np.array([[0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 4, 0]])).tracks
    np.testing.assert_array_equal(few[1], [0, 0, 0, 1, 3, 0])
    start = np.repeat(np.arange(N_COLORS), 2)
    full = track_labels(np.array([start, np.r_[start[:-4], 50, start[-3], start[:2]]])).tracks
    np.testing.assert_array_equal(full[1], np.r_[start[:-4], N_COLORS - 1, start[-3], start[:2]])


def test_colours_and_patterns_of_negative_tracks_are_refused() -> None:
    for look in (track_color, track_pattern):
        with pytest.raises(InvalidParameterError, match="track = -1"):
            look(-1)


@given(histories, st.integers(0, 1000))
def test_classes_agree_with_a_reference_as_far_as_possible(labels: np.ndarray, seed: int) -> None:
    reference = np.random.default_rng(seed).integers(0, 5, labels.shape[1])
    matched = match_labels(labels[-1], reference)
    assert same_partition(labels[-1], matched)
    assert (matched == reference).sum() == most_kept(reference, labels[-1])
    assert matched.max() < N_COLORS


def test_classes_without_a_partner_take_free_colours() -> None:
    reference = np.array([0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(match_labels(np.array([5, 5, 7, 7, 7, 9]), reference), [0, 0, 1, 1, 1, 2])
    np.testing.assert_array_equal(
        match_labels(np.array([5, 5, 5, 5, 5, 9]), np.array([0, 0, 0, 1, 1, 0])), [0] * 5 + [2]
    )


def agreement(rows: list[np.ndarray]) -> int:
    """Points with equal numbers, over all pairs of labellings."""
    return sum(int((left == right).sum()) for left, right in itertools.combinations(rows, 2))


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_no_run_alone_could_be_renumbered_to_agree_better(seed: int, n_runs: int) -> None:
    generator = np.random.default_rng(seed)
    runs = [track_labels(generator.integers(0, 4, (3, 12))) for _ in range(n_runs)]
    aligned = align_runs(runs)
    last = [run.tracks[-1].astype(int) for run in aligned]
    for number, (run, new) in enumerate(zip(runs, aligned, strict=True)):
        for row in range(3):
            assert same_partition(run.tracks[row], new.tracks[row])
            assert new.tables[row].keys() == run.tables[row].keys()
        others = last[:number] + last[number + 1 :]
        names = range(5)
        present = np.unique(last[number])
        best = max(
            agreement([np.array(choice)[np.searchsorted(present, last[number])], *others])
            for choice in itertools.permutations(names, len(present))
        )
        assert agreement(last) == best


def test_runs_agree_among_each_other_where_the_first_says_nothing() -> None:
    groups = np.repeat([0, 1, 2], 10)
    runs = [track_labels(labels[np.newaxis]) for labels in (np.zeros(30, dtype=int), groups, (groups + 1) % 3)]
    flat = np.array([0] * 12 + [1] * 9 + [2] * 9)  # sizes decide the first numbers, and they differ
    aligned = align_runs([*runs, track_labels(flat[np.newaxis])])
    np.testing.assert_array_equal(aligned[1].tracks, aligned[2].tracks)
    assert (aligned[3].tracks == aligned[1].tracks).sum() == 27


@given(st.integers(0, 1000))
def test_aligning_keeps_clusters_of_a_sweep_apart(seed: int) -> None:
    generator = np.random.default_rng(seed)
    runs = [track_labels(restless_labels(generator, most)[:40]) for most in (4, 14, 20)]
    for run in align_runs(runs):
        for track in run.tracks:
            alive = np.unique(track).tolist()
            assert len({track_color(number) for number in alive}) == min(len(alive), N_COLORS)


def test_panels_get_matching_colours() -> None:
    panels = fake_runs.compared_panels(200)
    plain = [track_labels(panel.labels).tracks[-1] for panel in panels]
    tracks = [track.tracks[-1] for track in track_panels(panels)]
    assert agreement(tracks) >= agreement(plain)
    assert (tracks[0] == tracks[1]).mean() > 0.6
    for kept, row in zip(track_panels(panels, align=False), plain, strict=True):
        np.testing.assert_array_equal(kept.tracks[-1], row)
    other = fake_runs.full_panel(n_points=100)
    np.testing.assert_array_equal(track_panels([*panels, other])[-1].tracks, track_labels(other.labels).tracks)


def test_a_page_that_followed_every_sweep_may_send_a_few() -> None:
    labels = restless_labels(np.random.default_rng(3), 9)
    whole = track_labels(labels)
    rows = np.arange(0, 150, 11)
    few = fake_runs.panel(np.random.default_rng(0).normal(size=(120, 2)), labels[rows], tracks=whole.at(rows))
    payload = build_payload([few])
    np.testing.assert_array_equal(layer(payload, "labels"), whole.tracks[rows])
    assert (track_labels(labels[rows]).tracks != whole.tracks[rows]).any()
    with pytest.raises(InvalidParameterError, match="tracks = .* must be of shape"):
        fake_runs.panel(few.points, labels[rows], tracks=whole)


def test_payload_holds_what_went_in() -> None:
    panel = fake_runs.full_panel()
    payload = build_payload([panel], sync="seconds", progress="x")
    header, blocks = naive_decode(payload)
    assert (header["sync"], header["partial"], header["progress"]) == ("seconds", False, "x")
    described = header["panels"][0]
    assert (described["n_points"], described["n_sweeps"], described["title"]) == (400, 11, "Nearest centroid")
    np.testing.assert_array_equal(layer(payload, "labels"), track_labels(panel.labels).tracks)
    np.testing.assert_array_equal(layer(payload, "nll"), panel.nll)
    np.testing.assert_array_equal(layer(payload, "n_moved"), panel.n_moved)
    np.testing.assert_allclose(layer(payload, "x"), panel.points[:, 0], rtol=1e-6)
    np.testing.assert_allclose(layer(payload, "values"), panel.values, rtol=1e-6)
    for number, block in enumerate(header["blocks"]):
        np.testing.assert_array_equal(read_block(payload, header, number), blocks[number])
        assert block["bytes"] > 0


def test_payload_is_deterministic_and_stores_equal_points_once() -> None:
    panels = fake_runs.compared_panels(300)
    payload = build_payload(panels)
    assert payload == build_payload(fake_runs.compared_panels(300))
    used = [panel["arrays"]["x"] for panel in read_header(payload)["panels"]]
    assert len(set(used)) == 1


@pytest.mark.parametrize("size", ["long", "large"])
def test_long_runs_stay_under_three_megabytes(size: str) -> None:
    n_points, n_sweeps = fake_runs.SIZES[size]
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


def test_data_far_from_zero_keep_their_digits() -> None:
    points = np.column_stack([1.7e9 + np.arange(50.0), np.arange(50.0)])
    payload = build_payload([fake_runs.panel(points, np.zeros((2, 50), dtype=int))])
    origin = read_header(payload)["panels"][0]["origin"]
    assert origin[1] == 0
    np.testing.assert_array_equal(layer(payload, "x").astype(float) + origin[0], points[:, 0])


def test_layers_speak_in_tracks() -> None:
    panel = fake_runs.full_panel()
    payload, tracks = build_payload([panel]), track_labels(panel.labels)
    assert panel.ellipses is not None
    assert panel.region_image is not None
    offsets, centers = layer(payload, "ellipse_offsets"), layer(payload, "ellipse_centers")
    for row, track in enumerate(tracks.tracks):
        for entry in range(offsets[row], offsets[row + 1]):
            members = panel.points[track == layer(payload, "ellipse_tracks")[entry]]
            np.testing.assert_allclose(centers[entry], members.mean(axis=0), rtol=1e-5, atol=1e-5)
    regions = layer(payload, "region_image")
    expected = np.vectorize(tracks.tables[-1].get)(panel.region_image.labels)
    np.testing.assert_array_equal(regions, expected)


def test_visits_end_in_the_tracks_of_their_sweep() -> None:
    panel = fake_runs.full_panel()
    payload, tracks = build_payload([panel]), track_labels(panel.labels)
    replayed = tracks.tracks[0].astype(int)
    replayed[layer(payload, "event_points")] = layer(payload, "event_to")
    assert same_partition(replayed, panel.labels[1])
    assert (replayed[layer(payload, "event_to") == layer(payload, "event_from")]
            == tracks.tracks[0][layer(payload, "event_to") == layer(payload, "event_from")]).all()  # fmt: skip


def test_a_cluster_opened_in_the_visits_gets_the_track_it_ends_with() -> None:
    labels = np.array([[0, 0, 0, 0, 1, 1], [4, 4, 9, 9, 7, 7]])  # the new sweep is renumbered
    panel = fake_runs.panel(np.arange(12.0).reshape(6, 2), labels)
    events = SweepEvents(1, np.arange(6), labels[0], np.array([0, 0, 2, 2, 1, 1]))
    tracks = track_labels(labels)
    assert event_tracks(panel, events, tracks)[2] == tracks.tables[1][9]


def test_shapes_and_nll_of_visits_are_sent_by_visit() -> None:
    panel = fake_runs.merging_panel()
    assert panel.events is not None
    assert panel.events.ellipses is not None
    payload = build_payload([panel])
    np.testing.assert_array_equal(layer(payload, "event_nll"), 99.0 - np.arange(21))
    offsets = layer(payload, "event_ellipse_offsets")
    np.testing.assert_array_equal(offsets, np.r_[0, 1, 2, np.full(19, 3)])
    table = track_labels(panel.labels).tables[0]
    np.testing.assert_array_equal(layer(payload, "event_ellipse_tracks"), [table[1]] * 3)
    np.testing.assert_allclose(layer(payload, "event_ellipse_centers"), panel.events.ellipses.centers, rtol=1e-6)


@pytest.mark.parametrize("wrong", [{"nll": np.zeros(3)}, {"ellipses": "late"}])
def test_visits_that_do_not_fit_are_named(wrong: dict[str, Any]) -> None:
    panel = fake_runs.merging_panel()
    if wrong == {"ellipses": "late"}:
        wrong = {"ellipses": one_ellipse(rows=np.array([21]))}
    events = SweepEvents(**{**vars(panel.events), **wrong})
    with pytest.raises(InvalidParameterError, match=r"events\.(nll|ellipses\.rows) = "):
        build_payload([PanelData(**{**vars(panel), "events": events})])


def test_dots_stack_to_the_histogram() -> None:
    values = np.random.default_rng(0).normal(size=300)
    heights = stack_dots(values)
    counts, edges = np.histogram(values, bins=round(2 * np.sqrt(300)))
    width = edges[1] - edges[0]
    for number, count in enumerate(counts):
        last = number == len(counts) - 1
        inside = (values >= edges[number]) & ((values < edges[number + 1]) | last)
        expected = (np.arange(count) + 0.5) / (300 * width)
        np.testing.assert_allclose(np.sort(heights[inside]), expected)


def test_equal_values_stack_in_one_column() -> None:
    heights = stack_dots(np.full(10, 3.0))
    assert len(np.unique(heights)) == 10
    assert np.isfinite(heights).all()


def test_panel_from_anything_with_the_fields_of_a_trace() -> None:
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
def test_what_does_not_fit_is_named(parts: dict[str, Any], message: str) -> None:
    good = fake_runs.panel(POINTS, LABELS)
    with pytest.raises(InvalidParameterError, match=message):
        build_payload([PanelData(**{**vars(good), **parts})])


def test_number_of_panels_and_sync_are_checked() -> None:
    panel = fake_runs.panel(POINTS, LABELS)
    with pytest.raises(InvalidParameterError, match="panels"):
        build_payload([])
    with pytest.raises(InvalidParameterError, match="panels"):
        build_payload([panel] * 7)
    with pytest.raises(InvalidParameterError, match="sync = 'time'"):
        build_payload([panel], sync="time")


@pytest.mark.parametrize("junk", [b"", b"abc", b"\xff\xff\xff\xff{}", b"\x02\0\0\0{}", b"\x04\0\0\0null"])
def test_junk_is_not_a_payload(junk: bytes) -> None:
    with pytest.raises(TraceFormatError, match="build_payload"):
        standalone_html(junk, "title")


class Page:
    """Stands in for Streamlit: keeps a session, answers with what the browser would have sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, payload: bytes) -> None:
        self.payload = payload
        self.session: dict[str, Any] = {}
        self.sent: dict[str, Any] = {}
        self.opening: dict[str, Any] = {}
        monkeypatch.setattr(component, "st", SimpleNamespace(session_state=self.session))
        monkeypatch.setattr(component, "_component", lambda: self.mount)
        self.courier: dict[str, Any] = {}
        monkeypatch.setattr(component, "_courier", lambda: lambda **sent: self.courier.update(sent))

    def mount(self, *, key: str, data: bytes, **_: Any) -> dict[str, Any]:
        """Record the envelope."""
        (length,) = struct.unpack("<I", data[:4])
        self.opening = json.loads(data[4 : 4 + length])
        assert data[4 + length :] == self.payload
        self.session[key] = self.sent
        return self.sent

    def report(self, sweep: int) -> None:
        """Say where the playhead came to rest."""
        self.sent = {**self.sent, "sweep": {"sweep": sweep, "command": self.opening["command"]}}


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """Page with a full panel."""
    return Page(monkeypatch, build_payload([fake_runs.full_panel()]))


def test_passing_the_returned_sweep_back_never_moves_the_playhead(page: Page) -> None:
    sweep = player(page.payload, key="p", sweep=0).sweep
    for reported in (3, 7, 9, 2):
        page.report(reported)
        for _ in range(3):
            sweep = player(page.payload, key="p", sweep=sweep).sweep
            assert sweep == reported
            assert page.opening["command"] == 0


def test_a_changed_sweep_is_a_command_and_old_reports_no_longer_count(page: Page) -> None:
    player(page.payload, key="p", sweep=0)
    page.report(4)
    assert player(page.payload, key="p", sweep=8).sweep == 8
    assert (page.opening["command"], page.opening["sweep"]) == (1, 8)
    assert player(page.payload, key="p", sweep=8).sweep == 8
    page.report(9)
    assert player(page.payload, key="p", sweep=8).sweep == 9
    assert page.opening["command"] == 1


def test_the_session_remembers_the_playhead_when_the_browser_forgot(page: Page) -> None:
    player(page.payload, key="p")
    page.report(6)
    player(page.payload, key="p")
    assert page.opening["sweep"] == 0  # unchanged while the browser keeps it: the message stays cached
    page.sent = {}
    del page.session["p"]
    assert player(page.payload, key="p").sweep == 6
    assert page.opening["sweep"] == 6


def test_sweeps_are_limited_to_the_run(page: Page) -> None:
    assert player(page.payload, key="p", sweep=500).sweep == 11
    growing = build_payload([fake_runs.full_panel()], partial=True)
    page.payload = growing
    assert player(growing, key="q").sweep == 11


@pytest.mark.parametrize(
    "event",
    [None, 5, "x", [], {}, {"panel": 1}, {"panel": -1}, {"panel": True}, {"index": 400}, {"index": 1.5}, {"index": "0"},
     {"sweep": 12}, {"sweep": None}, {"id": "of an older run"}],
)  # fmt: skip
def test_hostile_point_events_are_dropped(page: Page, event: object) -> None:
    player(page.payload, key="p")
    good = {"id": page.opening["id"], "panel": 0, "index": 399, "sweep": 11}
    page.sent = {"point": good}
    point = player(page.payload, key="p").point
    assert point == component.PointEvent(0, 399, 11)
    page.sent = {"point": {**good, **event} if isinstance(event, dict) and event else event}
    assert player(page.payload, key="p").point is None


def test_selection_holds_the_points_in_the_box(page: Page) -> None:
    points = fake_runs.full_panel().points
    box = {"panel": 0, "points": read_header(page.payload)["panels"][0]["points_id"], "x": [0.0, 3.0], "y": [-1, 2.5]}
    page.sent = {"selection": box}
    selection = player(page.payload, key="p").selection
    assert selection is not None
    expected = (points[:, 0] >= 0) & (points[:, 0] <= 3) & (points[:, 1] >= -1) & (points[:, 1] <= 2.5)
    np.testing.assert_array_equal(selection.indices, np.flatnonzero(expected))
    assert selection.y_range == (-1.0, 2.5)
    for bad in ({"x": [0.0]}, {"x": "ab"}, {"y": [0, "1"]}, {"panel": 3}, {"points": "of other data"}, {"y": None}):
        page.sent = {"selection": {**box, **bad}}
        assert player(page.payload, key="p").selection is None


def test_pulls_are_asked_for_the_place_and_sent_beside_the_payload(page: Page) -> None:
    asked: list[PlaceEvent] = []

    def pulls(place: PlaceEvent) -> list[Pull]:
        asked.append(place)
        return [Pull(0, 12, -3.5), Pull(-1, 0.5, -np.inf)]

    assert player(page.payload, key="p", pulls=pulls).place is None
    assert asked == []
    assert page.courier == {"key": "p pulls", "data": {"key": "p", "sweep": None, "pulls": []}}
    points_id = read_header(page.payload)["panels"][0]["points_id"]
    place = {"panel": 0, "points": points_id, "x": 1.5, "y": -2, "sweep": 400}
    page.sent = {"place": place}
    before = page.opening
    assert player(page.payload, key="p", pulls=pulls).place == PlaceEvent(0, 1.5, -2.0, 11)
    assert asked == [PlaceEvent(0, 1.5, -2.0, 11)]
    assert page.courier["data"] == {"key": "p", "sweep": 11, "pulls": [[0, 12.0, -3.5], [-1, 0.5, None]]}
    assert page.opening == before  # the message with the payload stays as it is, and so cached
    assert player(page.payload, key="p").place is None
    with pytest.raises(InvalidParameterError, match="pulls = "):
        player(page.payload, key="p", pulls=lambda _: [Pull(0, -1.0, 0.0)])
    for wrong in (
        {"x": "1"},
        {"x": np.inf},
        {"y": None},
        {"panel": 2},
        {"points": "others"},
        {"sweep": -1},
        {"x": True},
    ):
        page.sent = {"place": {**place, **wrong}}
        assert player(page.payload, key="p", pulls=pulls).place is None


def test_moved_and_painted_points_are_checked(page: Page) -> None:
    points_id = read_header(page.payload)["panels"][0]["points_id"]
    moved = {"panel": 0, "points": points_id, "index": 7, "x": 0.5, "y": 2}
    painted = {"panel": 0, "points": points_id, "places": [[0, 1], [2.5, 3]]}
    page.sent = {"moved": moved, "painted": painted}
    assert player(page.payload, key="p").moved is None  # the page did not ask
    state = player(page.payload, key="p", editable=True)
    assert state.moved == MovedPoint(0, 7, 0.5, 2.0)
    assert state.painted is not None
    np.testing.assert_array_equal(state.painted.points, [[0, 1], [2.5, 3]])
    for wrong in ({"index": 400}, {"index": -1}, {"x": None}, {"points": ""}, {"panel": "0"}):
        page.sent = {"moved": {**moved, **wrong}}
        assert player(page.payload, key="p", editable=True).moved is None
    for places in ([], [[0]], [[0, float("nan")]], [[0, 1]] * 2001, "ab", None, [[0, 1], None]):
        page.sent = {"painted": {**painted, "places": places}}
        assert player(page.payload, key="p", editable=True).painted is None


def test_places_are_in_the_units_of_the_points(page: Page) -> None:
    far = np.column_stack([1.7e9 + np.arange(50.0), np.arange(50.0)])
    page.payload = build_payload([fake_runs.panel(far, np.zeros((2, 50), dtype=int))])
    described = read_header(page.payload)["panels"][0]
    page.sent = {"moved": {"panel": 0, "points": described["points_id"], "index": 1, "x": 3.0, "y": 4.0}}
    moved = player(page.payload, key="p", editable=True).moved
    assert moved == MovedPoint(0, 1, 3.0 + described["origin"][0], 4.0)
    page.payload = build_payload([fake_runs.one_column_panel()])
    points_id = read_header(page.payload)["panels"][0]["points_id"]
    page.sent = {"place": {"panel": 0, "points": points_id, "x": 1.0, "y": 0.07, "sweep": 2}}
    assert player(page.payload, key="p", pulls=lambda _: []).place == PlaceEvent(0, 1.0, 0.0, 2)


def test_player_checks_its_own_parameters(page: Page) -> None:
    with pytest.raises(DpvizError, match="sweep = -1"):
        player(page.payload, key="p", sweep=-1)
    with pytest.raises(DpvizError, match="height = 20"):
        player(page.payload, key="p", height=20)
    with pytest.raises(DpvizError, match=r"scale = 0\.1"):
        player(page.payload, key="p", scale=0.1)


def test_standalone_page_carries_the_payload_and_escapes_text() -> None:
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


def test_a_page_with_the_player_runs() -> None:
    script = Path(fake_runs.__file__).with_name("player_page.py")
    app = AppTest.from_file(script, default_timeout=30).run()
    assert not app.exception
    assert len(app.get("bidi_component")) == 1
    assert json.loads(app.code[0].value) == {"sweep": 0, "point": None, "selected": None}


def test_scripts_join_into_one_module() -> None:
    folder = Path(assets.__file__).parent / "assets"
    sources = {name: (folder / f"{name}.js").read_text(encoding="utf-8") for name in assets.MODULES}
    assert set(sources) == {path.stem for path in folder.glob("*.js")}
    exported: dict[str, set[str]] = {}
    for name, source in sources.items():
        for names, module in re.findall(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', source, re.MULTILINE):
            assert {part.strip() for part in names.split(",") if part.strip()} <= exported[module]
        exported[name] = set(re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", source, re.MULTILINE))
    joined = assets.player_script()
    assert re.findall(r"^(?:import|export)\b.*", joined, re.MULTILINE) == []
    defined = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", joined, re.MULTILINE)
    assert len(defined) == len(set(defined))


@given(histories, st.integers(0, 1000))
def test_agreement_is_the_normalised_mutual_information(labels: np.ndarray, seed: int) -> None:
    classes = np.random.default_rng(seed).integers(-3, 3, labels.shape[1])
    curve = agreement_curve(track_labels(labels).tracks, classes)
    np.testing.assert_allclose(curve, [nmi(classes, row) for row in labels], atol=1e-12)


def test_agreement_stands_at_the_recorded_sweeps_or_is_the_pages_own() -> None:
    panel = fake_runs.full_panel()
    assert panel.true_labels is not None
    thinned = {"labels": panel.labels[::3], "label_sweeps": np.arange(12)[::3], "ellipses": None, "events": None}
    sent = layer(build_payload([PanelData(**{**vars(panel), **thinned, "region_image": None})]), "agreement")
    np.testing.assert_array_equal(np.flatnonzero(np.isfinite(sent)), [0, 3, 6, 9])
    np.testing.assert_allclose(sent[9], nmi(panel.true_labels, panel.labels[9]))
    own = build_payload([fake_runs.full_panel(agreement=np.linspace(0, 1, 12), true_labels=None)])
    np.testing.assert_array_equal(layer(own, "agreement"), np.linspace(0, 1, 12))
    none = read_header(build_payload([fake_runs.full_panel(true_labels=None)]))
    assert "agreement" not in none["panels"][0]["arrays"]
    with pytest.raises(InvalidParameterError, match=r"agreement = .* must be of shape \(12,\)"):
        fake_runs.full_panel(agreement=np.zeros(3))


def test_a_map_extent_holds_the_points_at_the_shape_of_a_wide_plot() -> None:
    points = np.array([[0.0, 0.0], [4.0, 2.0], [1.0, 3.0]])
    x_low, x_high, y_low, y_high = plane_extent(points)
    assert x_low < 0 < 4 < x_high
    assert y_low < 0 < 3 < y_high
    assert (x_high - x_low) == pytest.approx(2 * (y_high - y_low))
    stretched = plane_extent(points * [1000, 1])
    assert stretched[1] - stretched[0] == pytest.approx(4000 * 1.3)
