"""Cluster numbers and colours: over the sweeps of a run, over compared runs, and against known classes."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from browser import fake_runs
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from player_checks import histories, most_kept, restless_labels, same_partition

from dpviz.errors import InvalidParameterError
from dpviz.metrics import ari, nmi
from dpviz.player import track_color, track_labels, track_pattern
from dpviz.player.agreement import agreement_curves
from dpviz.player.alignment import align_runs, follow_together, match_labels
from dpviz.player.palette import N_COLORS
from dpviz.player.payload import track_panels


@given(histories)
def test_tracks_keep_the_partition_and_as_many_points_as_possible(labels):
    tracks = track_labels(labels)
    for row, track in enumerate(tracks.tracks):
        assert same_partition(labels[row], track)
        assert tracks.tables[row] == {int(k): int(t) for k, t in zip(labels[row], track, strict=True)}
        if row > 0:
            assert (track == tracks.tracks[row - 1]).sum() == most_kept(tracks.tracks[row - 1], labels[row])


@given(histories)
def test_a_growing_history_keeps_its_tracks(labels):
    whole = track_labels(labels).tracks
    for n_rows in range(1, len(labels) + 1):
        assert_array_equal(track_labels(labels[:n_rows]).tracks, whole[:n_rows])


def test_renumbering_at_every_sweep_is_invisible():
    generator = np.random.default_rng(0)
    partition = generator.integers(0, 7, 200)
    labels = np.array([generator.permutation(50)[partition] for _ in range(20)])
    tracks = track_labels(labels).tracks
    assert (tracks == tracks[0]).all()
    sizes = np.bincount(tracks[0])
    assert (np.diff(sizes) <= 0).all()  # at the start the largest cluster is track 0


def test_hundreds_of_clusters_are_followed_too():
    generator = np.random.default_rng(1)
    singletons = np.arange(600)
    merged = np.where(singletons < 300, singletons // 2 * 2, singletons)
    tracks = track_labels(np.array([singletons, generator.permutation(600)[merged]])).tracks
    assert same_partition(tracks[1], merged)
    assert set(tracks[1]) == set(range(450))
    kept = (singletons < 450) & ((singletons % 2 == 0) | (singletons >= 300))
    assert (tracks[1] == tracks[0])[kept].all()
    assert tracks.dtype == np.uint16


@pytest.mark.parametrize("most", [N_COLORS, 3 * N_COLORS])
def test_clusters_share_a_colour_only_when_there_are_more_of_them_than_colours(most):
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


def test_a_cluster_keeps_its_number_as_long_as_that_is_a_colour_of_its_own():
    tracks = track_labels(restless_labels(np.random.default_rng(7), 3 * N_COLORS)).tracks
    for before, after in itertools.pairwise(tracks):
        for number in np.unique(before[before < N_COLORS]):
            members = before == number
            new = after[members][0]
            if np.array_equal(after == new, members):  # nobody joined and nobody left
                assert new == number


def test_a_new_cluster_takes_the_number_of_one_that_just_died_only_if_no_other_has_a_colour():
    few = track_labels(np.array([[0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 4, 0]])).tracks
    assert_array_equal(few[1], [0, 0, 0, 1, 3, 0])
    start = np.repeat(np.arange(N_COLORS), 2)
    full = track_labels(np.array([start, np.r_[start[:-4], 50, start[-3], start[:2]]])).tracks
    assert_array_equal(full[1], np.r_[start[:-4], N_COLORS - 1, start[-3], start[:2]])


def test_colours_and_patterns_of_negative_tracks_are_refused():
    for look in (track_color, track_pattern):
        with pytest.raises(InvalidParameterError, match="track = -1"):
            look(-1)


@given(histories, st.integers(0, 1000))
def test_classes_agree_with_a_reference_as_far_as_possible(labels, seed):
    reference = np.random.default_rng(seed).integers(0, 5, labels.shape[1])
    matched = match_labels(labels[-1], reference)
    assert same_partition(labels[-1], matched)
    assert (matched == reference).sum() == most_kept(reference, labels[-1])
    assert matched.max() < N_COLORS


def test_classes_without_a_partner_take_free_colours():
    reference = np.array([0, 0, 1, 1, 2, 2])
    assert_array_equal(match_labels(np.array([5, 5, 7, 7, 7, 9]), reference), [0, 0, 1, 1, 1, 2])
    assert_array_equal(match_labels(np.array([5, 5, 5, 5, 5, 9]), np.array([0, 0, 0, 1, 1, 0])), [0] * 5 + [2])


def agreement(rows: list[np.ndarray]) -> int:
    """Points with equal numbers, over all pairs of labellings."""
    return sum(int((left == right).sum()) for left, right in itertools.combinations(rows, 2))


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_no_run_alone_could_be_renumbered_to_agree_better(seed, n_runs):
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


def test_runs_agree_among_each_other_where_the_first_says_nothing():
    groups = np.repeat([0, 1, 2], 10)
    runs = [track_labels(labels[np.newaxis]) for labels in (np.zeros(30, dtype=int), groups, (groups + 1) % 3)]
    flat = np.array([0] * 12 + [1] * 9 + [2] * 9)  # sizes decide the first numbers, and they differ
    aligned = align_runs([*runs, track_labels(flat[np.newaxis])])
    assert_array_equal(aligned[1].tracks, aligned[2].tracks)
    assert (aligned[3].tracks == aligned[1].tracks).sum() == 27


@given(st.integers(0, 1000))
def test_aligning_keeps_clusters_of_a_sweep_apart(seed):
    generator = np.random.default_rng(seed)
    runs = [track_labels(restless_labels(generator, most)[:40]) for most in (4, 14, 20)]
    for run in align_runs(runs):
        for track in run.tracks:
            alive = np.unique(track).tolist()
            assert len({track_color(number) for number in alive}) == min(len(alive), N_COLORS)


def test_aligning_to_a_run_of_many_clusters_keeps_colours_and_patterns_apart():
    fine = np.repeat(np.arange(100), np.arange(100, 0, -1))
    for one, other in itertools.combinations((14, 26, 62, 74), 2):
        coarse = np.where(fine == one, N_COLORS, np.where(fine == other, N_COLORS + 1, fine % N_COLORS))
        tracks = align_runs([track_labels(fine[None, :]), track_labels(coarse[None, :])])[1].tracks[0]
        assert same_partition(tracks, coarse)
        assert len({(track_color(number), track_pattern(number)) for number in np.unique(tracks).tolist()}) == 14


@pytest.mark.parametrize("seed", range(8))
def test_runs_that_follow_together_keep_what_they_share_and_agree_as_well_as_any_renumbering(seed):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 4, (2, 60))
    runs = align_runs([track_labels(row[np.newaxis]) for row in labels])
    reference = generator.integers(0, 4, 60)
    both = follow_together(runs, [reference, reference])
    for i, j in itertools.product(range(2), repeat=2):
        equal = runs[i].tracks[-1][:, np.newaxis] == runs[j].tracks[-1]
        np.testing.assert_array_equal(both[i].tracks[-1][:, np.newaxis] == both[j].tracks[-1], equal)
    found = sum(int((run.tracks[-1] == reference).sum()) for run in both)
    renamed = (np.array(names) for names in itertools.permutations(range(6), 4))
    best = max(sum(int((names[run.tracks[-1]] == reference).sum()) for run in runs) for names in renamed)
    assert found == best


def test_panels_get_matching_colours():
    panels = fake_runs.compared_panels(200)
    plain = [track_labels(panel.labels).tracks[-1] for panel in panels]
    tracks = [track.tracks[-1] for track in track_panels(panels)]
    assert agreement(tracks) >= agreement(plain)
    assert (tracks[0] == tracks[1]).mean() > 0.6
    for kept, row in zip(track_panels(panels, align=False), plain, strict=True):
        assert_array_equal(kept.tracks[-1], row)
    other = fake_runs.full_panel(n_points=100)
    assert_array_equal(track_panels([*panels, other])[-1].tracks, track_labels(other.labels).tracks)


@given(histories, st.integers(0, 1000))
def test_agreement_is_that_of_the_metrics(labels, seed):
    classes = np.random.default_rng(seed).integers(-3, 3, labels.shape[1])
    curves = agreement_curves(track_labels(labels).tracks, classes)
    assert_allclose(curves.nmi, [nmi(classes, row) for row in labels], atol=1e-12)
    assert_allclose(curves.ari, [ari(classes, row) for row in labels], atol=1e-12)


def test_tracking_many_labels_takes_few_times_their_bytes():
    labels = np.random.default_rng(0).integers(0, 5, (400, 3000)).astype(np.uint8)
    tracemalloc.start()
    tracks = track_labels(labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * labels.nbytes
    assert_array_equal(tracks.tracks, track_labels(labels.astype(np.int64) + 7).tracks)
