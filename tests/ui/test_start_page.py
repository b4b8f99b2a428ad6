"""The first page: what it says is true of almost every draw, its film shows the runs, and old links lead on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from player_checks import layer, naive_decode

from dpviz import metrics
from dpviz.config import RunConfig
from dpviz.engine.slow_motion import slow_motion
from dpviz.film import making
from dpviz.film import stored as start_film
from dpviz.film.making import DRAW, N_POINTS, VISITS_ALONE, faults, holds, made, points, runs
from dpviz.film.stored import film
from dpviz.fit.run import run as fit
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell import links
from dpviz.ui.start.page import DOORS, SENTENCE
from pages import in_app, opened_in_app, shown_run

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=100)
QUICK = RunConfig("mapdp", n_init=1, effort=0.0, seed=5, family="normal_wishart", prior=None)


def test_what_the_page_says_holds_for_19_of_20_draws_and_for_the_one_it_shows():
    held = [all(holds(draw)) for draw in range(20)]
    assert held[DRAW] and sum(held) >= 19


def test_a_draw_of_which_it_is_not_true_is_found(monkeypatch):
    monkeypatch.setattr(making, "SCENARIO", "elliptical_separated")  # K-means cuts nothing there
    assert not holds(0)[0]


def frames(panel: int) -> np.ndarray:
    """Clusters (frames, N) of a panel of the film, by the colours' numbers."""
    return layer(film().payload, "labels", panel).reshape(-1, N_POINTS)


def test_the_stored_film_is_the_one_that_is_made_anew():
    """`python -m dpviz.film.making` writes it; ellipses and margins may differ in the last digit elsewhere."""
    anew, stored = made(), film()
    assert anew.script == stored.script
    (new, new_blocks), (old, old_blocks) = naive_decode(anew.payload), naive_decode(stored.payload)
    assert [block["shape"] for block in new["blocks"]] == [block["shape"] for block in old["blocks"]]
    assert new["panels"] == old["panels"]
    for block, ours, theirs in zip(new["blocks"], new_blocks, old_blocks, strict=True):
        if block["kind"] in ("f4", "f8"):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
        else:
            assert np.mean(ours != theirs) < 1e-3


VISIT = """
from streamlit.testing.v1 import AppTest

page = AppTest.from_file("app.py", default_timeout=120).run()
assert not page.exception
print(*(one.value for one in page.markdown))
"""


def test_the_first_page_compiles_nothing(tmp_path):
    environment = {**os.environ, "DPVIZ_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    done = subprocess.run(
        [sys.executable, "-c", VISIT],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert SENTENCE in done.stdout
    assert list(tmp_path.rglob("made-by-dpviz.txt")) and not list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize("panel", [0, 1])
def test_the_film_begins_and_ends_with_the_states_of_the_run(panel):
    trace = fit(points(DRAW).X, runs(DRAW)[panel].config)
    shown = frames(panel)
    assert len(shown) == film().script["first_sweep"] + trace.n_sweeps
    for frame, sweep in ((0, 0), (film().script["first_sweep"], 1), (-1, trace.n_sweeps)):
        pairs = {(int(a), int(b)) for a, b in zip(shown[frame], trace.labels_at(sweep), strict=True)}
        assert len(pairs) == len(np.unique(trace.labels_at(sweep))) == len(np.unique(shown[frame]))


@pytest.mark.parametrize("panel", [0, 1])
def test_the_first_frames_are_single_visits_and_the_point_goes_where_it_costs_least(panel):
    trace = fit(points(DRAW).X, runs(DRAW)[panel].config)
    slow, shown = slow_motion(points(DRAW).X, trace, 1), frames(panel)
    visits = film().script["panels"][panel]["visits"]
    assert [visit["point"] for visit in visits] == slow.points[:VISITS_ALONE].tolist()
    for number, visit in enumerate(visits):
        costs = dict(visit["costs"])
        cheapest, before, after = min(costs, key=lambda track: costs[track]), shown[number], shown[number + 1]
        assert set(np.flatnonzero(before != after)) <= {visit["point"]}
        if cheapest == -1:
            assert after[visit["point"]] not in before
        else:
            assert after[visit["point"]] == cheapest
        assert {track for track in costs if track >= 0} == set(before.tolist())


def test_the_verdicts_are_those_of_the_results():
    for number, panel in enumerate(film().script["panels"]):
        assert panel["verdict"]["clusters"] == len(np.unique(frames(number)[-1]))
    true = points(DRAW).labels
    for number, panel in enumerate(film().script["panels"]):
        last = frames(number)[-1]
        expected = {"ARI": round(metrics.ari(true, last), 2), "NMI": round(metrics.nmi(true, last), 2)}
        assert panel["verdict"]["agreement"] == expected
        assert max(expected.values()) < 0.7 if number == 0 else min(expected.values()) > 0.9


def test_the_first_insight_needs_one_press_eight_seconds_and_sixty_words():
    assert sum(film().script["pace"]) <= 8_000
    words = [SENTENCE, *(words for _, words, *_ in DOORS), *(told.title for told in runs(DRAW))]
    assert len(" ".join(words).split()) <= 45  # the film adds a few of its own


def test_the_embedded_player_is_still_at_the_address_it_had():
    app = opened_in_app(ui="min")
    assert shown_run(app) is not None
    assert not {words for _, words, *_ in DOORS} & {link.proto.label for link in app.get("page_link")}


def test_a_link_of_the_time_when_explore_was_the_first_page_opens_its_run():
    app = opened_in_app(**links.state_query(SMALL, QUICK, 1))
    assert shown_run(app).config == QUICK
    assert shown_run(app).choice == SMALL


def test_the_wide_group_is_whole_at_first_and_its_being_cut_is_seen():
    wide = points(DRAW).labels == 0
    shown = frames(0)[:, wide]
    largest = [np.unique(row, return_counts=True)[1].max() / wide.sum() for row in shown]
    assert largest[film().script["first_sweep"]] > 0.8 > 0.6 > largest[-1]
    assert len(np.unique(frames(1)[0])) == 1  # and MAP-DP has everything to find


def test_the_first_sweep_of_k_means_begins_with_points_of_no_cluster_and_ends_without():
    kmeans, mapdp = film().script["panels"]
    assert mapdp["unseen"] == []  # where points are counts for its very first visit
    assert sorted(kmeans["unseen"]) == list(range(N_POINTS))
    assert [visit["point"] for visit in kmeans["visits"]] == np.argsort(kmeans["unseen"])[:VISITS_ALONE].tolist()
    assert kmeans["made"][0] == 0 and kmeans["made"][-1] == N_POINTS


def test_faults_are_where_a_group_is_cut_and_where_groups_are_merged():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [10.0, 0.0], [10.0, 2.0], [20.0, 0.0], [20.0, 2.0]])
    groups = np.array([0, 0, 1, 1, 2, 2])
    assert faults(X, groups, groups) == []
    assert faults(X, groups, np.array([0, 3, 1, 1, 1, 1])) == [
        {"pieces": 2, "x": 1.0, "y": 0.0},
        {"pieces": 0, "x": 15.0, "y": 1.0},
    ]


def test_faults_are_named_in_every_draw_of_which_the_page_is_true():
    for draw in range(20):
        if all(holds(draw)):
            dataset = points(draw)
            result = fit(dataset.X, runs(draw)[0].config).result_labels
            assert [fault["pieces"] for fault in faults(dataset.X, dataset.labels, result)] == [2, 0]


@pytest.mark.parametrize("kept", [None, 0, 3, 100, 60_000, 144_000])
def test_a_damaged_film_costs_the_film_alone(kept, tmp_path, monkeypatch):
    damaged = tmp_path / "film.bin"
    if kept is not None:
        damaged.write_bytes(start_film.FILE.read_bytes()[:kept])
    film.cache_clear()
    monkeypatch.setattr(start_film, "FILE", damaged)
    try:
        shown = in_app().run()
    finally:
        film.cache_clear()
    assert not shown.exception and [one.value for one in shown.info] == [start_film.DAMAGED]
    assert f"#### {SENTENCE}" in [one.value for one in shown.markdown]
