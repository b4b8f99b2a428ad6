"""A finished run on the Explore page: slow motion, the ghost point, edited points."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz import datasets
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.rescore import partition_nll
from dpviz.engine.shapes import cluster_shapes
from dpviz.engine.slow_motion import slow_motion
from dpviz.engine.stored import fingerprint
from dpviz.errors import DpvizError
from dpviz.partition import ChineseRestaurant
from dpviz.player import run_panel
from dpviz.ui.draw import Drawing
from dpviz.ui.explore import edits, finished_run, loading
from dpviz.ui.player import MovedPoint, Named, PaintedPoints, PlaceEvent, PlayerState
from dpviz.ui.player.component import _opening
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.model_choice import Asked

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=80)
MAPDP = usual_config(n_init=3)


def finished(choice: DataChoice = SMALL, config: RunConfig = MAPDP) -> Finished:
    prepared = prepare(choice)
    return Finished(choice, config, prepared, dpviz.run(prepared.X, config))


@pytest.mark.parametrize("sweep", [1, 2])
def test_slow_motion_moves_nll_and_shapes_with_the_visits(sweep):
    config = usual_config(
        "gibbs", partition=ChineseRestaurant(0.7), init="random", init_clusters=4, n_sweeps=5, burn_in=1
    )
    run = finished(config=config)
    slow = slow_motion(run.prepared.X, run.trace, sweep)
    events = run_panel.panel(run.prepared, run.trace, "", slow=slow).events
    assert events is not None and events.nll is not None and events.ellipses is not None
    problem, labels = run.problem, run.trace.labels_at(sweep - 1)
    moved = slow.from_labels != slow.to_labels
    checked = [*np.flatnonzero(moved)[:5], *np.flatnonzero(moved)[-5:]]
    for visit in range(len(slow.points)):
        labels[slow.points[visit]] = slow.to_labels[visit]
        if visit in checked:
            compact = np.unique(labels, return_inverse=True)[1]
            again = dpviz.run(run.prepared.X, replace(config, init=compact, n_sweeps=2, burn_in=0))
            assert events.nll[visit] == pytest.approx(again.nll[0], abs=1e-6)
    assert events.nll[-1] == pytest.approx(run.trace.nll[sweep], abs=1e-6)
    rows = events.ellipses.rows
    assert set(rows) <= set(np.flatnonzero(moved)) and rows[-1] == np.flatnonzero(moved)[-1]
    last = events.ellipses.rows == events.ellipses.rows[-1]
    assert set(events.ellipses.labels[last]) == set(labels)
    shapes = cluster_shapes(problem, run.trace, np.array([sweep]))
    assert shapes is not None
    centers = shapes.shapes.ellipses()[0]  # type: ignore[union-attr, index]
    assert_allclose(np.sort(events.ellipses.centers[last], axis=0), np.sort(centers, axis=0), atol=1e-8)


def test_slow_motion_of_a_sweep_with_a_split_or_merger_ends_before_it():
    config = usual_config(
        "gibbs", partition=ChineseRestaurant(0.7), init="random", init_clusters=9, n_sweeps=9, burn_in=1, split_merge=9
    )
    run = finished(config=config)
    assert run.trace.n_accepted is not None
    sweep = int(np.flatnonzero(run.trace.n_accepted)[0])
    slow = slow_motion(run.prepared.X, run.trace, sweep)
    events = run_panel.panel(run.prepared, run.trace, "", slow=slow).events
    labels = run.trace.labels_at(sweep - 1)
    labels[slow.points] = slow.to_labels
    assert events is not None and events.nll is not None
    assert events.nll[-1] == pytest.approx(partition_nll(run.problem, [labels])[0], abs=1e-6)
    assert events.nll[-1] != pytest.approx(run.trace.nll[sweep], abs=1e-3)


def test_a_growing_run_keeps_the_rows_that_were_sent():
    before: set[int] = set()
    for n_rows in range(2, 300):
        trace = SimpleNamespace(labels=np.zeros((n_rows, 10)))
        rows = run_panel.shown_rows(trace, 400, growing=True)  # type: ignore[arg-type]
        assert len(rows) <= 41 and rows[0] == 0 and rows[-1] == n_rows - 1
        now = set(rows[:-1].tolist())
        assert before <= now or len(now) <= 21, "rows only go when every second one does"
        before = now


def test_the_ghost_point_shows_size_and_fit_of_every_cluster_and_of_a_new_one():
    run = finished()
    last = run.trace.n_sweeps
    labels = run.trace.labels_at(last)
    pulls = finished_run.pulls_at(run, PlaceEvent(0, 0.3, -0.2, last))
    assert [pull.track for pull in pulls] == [*(run.number(k, last) - 1 for k in np.unique(labels)), -1]
    weights = np.array([pull.size for pull in pulls])
    expected = np.append(np.bincount(labels), 3.0)  # joining weighs the size, a new cluster N0
    assert_allclose(weights, expected, rtol=1e-12)  # as they are, not as shares of N
    family = run.problem.family
    point = np.array([0.3, -0.2])
    for k, pull in enumerate(pulls[:-1]):
        members = run.prepared.X[labels == k]
        together = family.log_marginal(np.vstack([members, point]))
        assert pull.log_fit == pytest.approx(together - family.log_marginal(members), abs=1e-8)
    assert pulls[-1].log_fit == pytest.approx(family.log_marginal(point[None, :]), abs=1e-8)


def test_slow_motion_and_pulls_of_a_chain_that_learns_are_those_of_its_present_values():
    config = usual_config(
        "gibbs",
        partition=ChineseRestaurant(0.7),
        hyperpriors={"concentration": "gamma(1,0.3)"},
        init="random",
        init_clusters=4,
        n_sweeps=5,
        burn_in=1,
    )
    run = finished(config=config)
    slow = slow_motion(run.prepared.X, run.trace, 3)
    events = run_panel.panel(run.prepared, run.trace, "", slow=slow).events
    assert events is not None and events.nll is not None
    held = replace(config, hyperpriors=None, partition=run.trace.partition_at(2), n_sweeps=2, burn_in=0)
    labels = run.trace.labels_at(2)
    for visit in range(len(slow.points)):
        labels[slow.points[visit]] = slow.to_labels[visit]
        if visit % 40 == 39:
            again = dpviz.run(run.prepared.X, replace(held, init=np.unique(labels, return_inverse=True)[1]))
            assert events.nll[visit] == pytest.approx(again.nll[0], abs=1e-6)
    for sweep in (2, 3):
        new = finished_run.pulls_at(run, PlaceEvent(0, 0.3, -0.2, sweep))[-1].size
        assert new == pytest.approx(run.trace.hyperparameters["concentration"][sweep], rel=1e-9)


def test_a_place_that_cannot_be_weighed_is_no_crash(monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(finished_run.st, "warning", said.append)
    run = finished()
    assert finished_run._pulls_or_warning(run, PlaceEvent(0, 0.3, -0.2, 1)) and not said

    def refuse(*_):
        raise DpvizError("x is [outside]")

    monkeypatch.setattr(finished_run, "predictive_of", refuse)
    assert finished_run._pulls_or_warning(run, PlaceEvent(0, 0.3, -0.2, 1)) == []
    assert said == [r"No cluster can be weighed at this place: x is \[outside\]"]


def test_points_that_were_moved_or_painted_keep_their_clusters():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(-4, 0.5, (30, 2)), rng.normal(4, 0.5, (30, 2))])
    dataset = datasets.from_points(points, ["a"] * 30 + ["b"] * 30)
    labels = np.repeat([0, 1], 30)
    done = PlayerState(
        0, None, None, MovedPoint(0, 5, 3.9, 4.1), PaintedPoints(0, np.array([[4.2, 4.0], [-4.2, 99.0]]))
    )
    changed, start = edits.edited(dataset, labels, done)
    assert changed.X.shape == (62, 2) and start[:60].tolist() == labels.tolist()
    assert_array_equal(changed.X[5], [3.9, 4.1])
    assert_array_equal(changed.X[60:], [[4.2, 4.0], [-4.2, 6.0]])  # the canvas ends at 6
    assert changed.labels is not None and changed.labels[60] in (0, 1)
    config = edits.continued(usual_config(n_init=10), start)
    trace = dpviz.run(changed.X, config)
    assert_array_equal(trace.labels_at(0), np.unique(start, return_inverse=True)[1])
    assert len(trace.starts) == 1 and trace.labels_at(trace.n_sweeps)[5] == trace.labels_at(trace.n_sweeps)[59]


def test_what_is_edited_on_explore_is_on_the_canvas_in_the_colours_of_its_groups(
    monkeypatch,
):
    named = datasets.from_points(np.zeros((4, 2)), ["green", "sky", "green", "blue"])
    assert edits._colors(named).tolist() == [2, 5, 2, 0]
    shown = Drawing(np.zeros((3, 2)), np.array([2, 5, 0]))
    monkeypatch.setattr(edits.draw, "on_canvas", lambda key: shown)
    assert edits._colors(datasets.from_points(np.zeros((5, 2)))).tolist() == [2, 5, 0, 0, 0]


def test_a_stored_run_knows_its_data():
    run, other = finished(), finished(SMALL.with_options(seed=4))
    assert run.trace.n_points == other.trace.n_points
    stored = run.trace.to_json().encode()
    assert loading.load_run(stored, run).trace.data == run.trace.data != ""
    with pytest.raises(DpvizError, match="made from other data"):
        loading.load_run(stored, other)
    document = json.loads(stored)
    del document["data"]  # as files were written before
    assert loading.load_run(json.dumps(document).encode(), run).trace.data == ""
    with pytest.raises(DpvizError, match="does not fit its data: nll of its result"):
        loading.load_run(json.dumps(document).encode(), other)


def test_a_stored_run_is_compared_with_the_data_before_it_is_unpacked(monkeypatch):
    run = finished()
    stored = run.trace.to_json().encode()
    monkeypatch.setattr("dpviz.engine.stored._decode", lambda *_: pytest.fail("unpacked"))
    with pytest.raises(DpvizError, match=r"has 80 points, but the data have 61: choose the data it was made from"):
        loading.load_run(stored, finished(SMALL.with_options(n=61)))
    monkeypatch.setattr(loading, "MOST_BYTES", 100)
    with pytest.raises(DpvizError, match="100 is the limit"):
        loading.load_run(stored, run)
    monkeypatch.setattr(loading, "MOST_MEGABYTES", 0)
    with pytest.raises(DpvizError, match="up to 0 MB are read"):
        loading.load_run(stored, run)


def test_the_digest_of_data_is_of_their_numbers():
    X = np.arange(12.0).reshape(4, 3)
    same = [X, np.asfortranarray(X), X.astype(np.float32), X.astype(int), X * np.where(X == 0, -1, 1)]
    assert len({fingerprint(x) for x in same}) == 1
    others = [X, X.reshape(3, 4), X[::-1], X + 1e-12]
    assert len({fingerprint(x) for x in others}) == 4


def test_dpmeans_looks_at_the_data_before_it_says_how_long_it_takes():
    X = prepare(SMALL.with_options(n=4000)).X
    tiny, usual = (RunConfig("dpmeans", penalty=penalty) for penalty in (1e-9, 36.0))
    assert ALGORITHMS["dpmeans"].clusters_on(tiny, X) == len(X)
    assert jobs.estimate_on(tiny, X).operations > jobs.QUICK_OPERATIONS > jobs.estimate_on(usual, X).operations


def test_sessions_that_show_a_shared_run_follow_its_clusters_once(monkeypatch):
    monkeypatch.setattr(jobs, "TRACKS", Kept(50_000_000))
    jobs.SHARED.clear()
    made = finished()
    alone = made.label_tracks
    assert len(jobs.TRACKS) == 0  # nobody else has the run
    made = replace(made)
    jobs.SHARED.put(made)
    one, other = (jobs.finished_run(Asked(SMALL, MAPDP)) for _ in range(2))
    assert one is not None and other is not None
    assert one.label_tracks is other.label_tracks
    assert_array_equal(one.label_tracks.tracks, alone.tracks)
    assert one.label_tracks.tables == alone.tables
    reader = replace(other, like=made.trace.labels[0].astype(np.int64))
    assert_array_equal(reader.label_tracks.tracks, reader._followed().tracks)
    assert len(jobs.TRACKS) == 2
    forged = replace(other, trace=dpviz.run(other.prepared.X, MAPDP))
    assert forged.label_tracks.tables == alone.tables
    assert len(jobs.TRACKS) == 2  # a run like the shared one is not it
    jobs.SHARED.clear()


def test_an_own_tables_tracks_are_kept_for_nobody_else(monkeypatch):
    monkeypatch.setattr(jobs, "TRACKS", Kept(50_000_000))
    made = finished()
    own = replace(made, choice=replace(SMALL, source="session", name="mine"))
    jobs.SHARED.put(own)
    assert own.label_tracks.tables == made.label_tracks.tables
    assert len(jobs.TRACKS) == 0
    jobs.SHARED.clear()


def test_a_payload_that_is_shown_often_has_the_name_of_its_content():
    payload = finished_run._built(finished(), [], None)
    assert payload == bytes(payload)
    opened = {id(one): _opening(one, "key", None, None, moves=False)["id"] for one in (payload, bytes(payload))}
    assert set(opened.values()) == {payload.name}
    assert Named(payload + b" ").name != payload.name
