"""Challenges are marked by their runs, whatever is drawn."""

from __future__ import annotations

import numpy as np
import pytest

import dpviz
from dpviz.course.challenges import FEWEST, MOST, beat_the_nll, find_three, let_kmeans_win
from dpviz.errors import DpvizError, InvalidDataError
from dpviz.partition import ChineseRestaurant
from dpviz.ui.learn.challenges import CANVAS, CHALLENGES
from pages import in_app, press, run, said, set_to

SEEDS = range(20)


def evenly_spread(seed: int) -> tuple[np.ndarray, np.ndarray]:
    points = np.random.default_rng(seed).uniform((-6, -4), (6, 4), (200, 2))
    return points, (points[:, 0] > 0).astype(int)


def three_blobs(seed: int) -> tuple[np.ndarray, np.ndarray]:
    centres = np.repeat([[-4.0, 0.0], [0.0, 0.0], [4.0, 0.0]], 50, axis=0)
    return np.random.default_rng(seed).normal(centres, 0.6), np.repeat([0, 3, 5], 50)


def test_kmeans_wins_where_there_are_no_groups_and_not_on_round_ones():
    assert sum(let_kmeans_win(*evenly_spread(seed)).is_solved for seed in SEEDS) >= 19
    assert not any(let_kmeans_win(*three_blobs(seed)).is_solved for seed in range(5))


def test_the_marks_say_what_the_runs_say():
    points, colors = evenly_spread(0)
    attempt = let_kmeans_win(points, colors)
    scores = [dpviz.metrics.ari(colors, trace.result_labels) for trace in attempt.traces]
    assert all(f"{score:.2f}" in attempt.words for score in scores) and scores[0] >= scores[1] + 0.1
    assert attempt.traces[0].n_clusters[-1] == 2


def nll_of(points: np.ndarray, labels: np.ndarray) -> float:
    """By the chain rule over points in their order: prior of the seat, then the predictive of its table."""
    family = dpviz.families.NormalWishart.from_prior({}, points)
    seats, total = ChineseRestaurant(3.0), 0.0
    for i, label in enumerate(labels):
        before = labels[:i]
        tables = np.unique(before)
        sizes = [int((before == table).sum()) for table in tables]
        probabilities = seats.seat_probabilities(sizes)
        place = int(np.searchsorted(tables, label)) if label in tables else len(tables)
        members = points[:i][before == label]
        total -= np.log(probabilities[place]) + family.posterior(members).log_predictive(points[i : i + 1])[0]
    return float(total)


def test_colours_cost_what_the_model_says():
    points, colors = three_blobs(1)
    attempt = beat_the_nll(points, colors)
    assert f"Your colours cost {nll_of(points, colors):,.2f} nats" in attempt.words


@pytest.mark.parametrize("seed", range(5))
def test_colours_of_plain_groups_beat_a_single_start_only_where_they_cost_less(seed):
    attempt = beat_the_nll(*three_blobs(seed))
    own, single, search = attempt.traces
    assert attempt.is_solved == (own.nll[0] < single.nll[-1] - 1e-6)
    assert search.nll[search.row(search.result_sweep)] <= single.nll[-1] + 1e-6


def test_some_n0_finds_three_in_every_draw_and_the_first_one_offered_does_not():
    for seed in SEEDS:
        assert not find_three(100.0, seed).is_solved and find_three(0.1, seed).is_solved
    attempt = find_three(100.0, 0)
    assert f"finds {attempt.traces[0].n_clusters[-1]} clusters" in attempt.words


@pytest.mark.parametrize("mark", [let_kmeans_win, beat_the_nll])
@pytest.mark.parametrize(
    ("points", "colors", "said"),
    [
        (np.zeros((0, 2)), np.zeros(0, dtype=int), f"draw {FEWEST} to"),
        (np.zeros((MOST + 1, 2)), np.zeros(MOST + 1, dtype=int), f"to {MOST:,}"),
        (np.arange(40.0).reshape(20, 2), np.zeros(20, dtype=int), "one colour"),
        (np.ones((20, 2)), np.arange(20) % 2, "one place"),
    ],
)
def test_what_cannot_be_marked_is_said(mark, points, colors, said):
    with pytest.raises(InvalidDataError, match=said):
        mark(points, colors)


def test_drawings_on_a_line_or_of_pairs_of_equal_points_are_marked_or_refused():
    line = np.column_stack([np.linspace(-5, 5, 30), np.zeros(30)])
    pairs = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    for points in (line, pairs):
        for mark in (let_kmeans_win, beat_the_nll):
            try:
                words = mark(points, (points[:, 0] > points[:, 0].mean()).astype(int)).words
            except DpvizError as error:
                words = str(error)
            assert words and "nan" not in words


def test_the_page_marks_a_setting_and_keeps_what_is_solved():
    app = run(in_app("challenges"))
    assert not app.exception and "0 of 3 solved" in said(app.main)
    set_to(app, "challenge.chosen", CHALLENGES[2].title)
    assert len(app.info) == 1 and "0 of 3 solved" in said(app.main)
    set_to(app, "challenge.n0", 0.1)
    assert len(app.success) == 1 and "1 of 3 solved" in said(app.main)
    press(app, "challenge.dice")
    assert not app.exception and "1 of 3 solved" in said(app.main)


@pytest.mark.parametrize(("place", "mark"), [(0, let_kmeans_win), (1, beat_the_nll)])
def test_until_something_is_drawn_an_example_is_marked_that_solves_nothing(place, mark):
    challenge = CHALLENGES[place]
    attempt = challenge.example().attempt
    again = mark(attempt.dataset.X, attempt.dataset.labels)
    assert not attempt.is_solved and again.words == attempt.words
    app = run(in_app("challenges"))
    set_to(app, "challenge.chosen", challenge.title)
    assert attempt.words in said(app.main) and "0 of 3 solved" in said(app.main) and not app.success


def test_the_page_marks_a_drawing():
    app = in_app("challenges")
    points, colors = evenly_spread(0)
    sent = {"x": points[:, 0].tolist(), "y": points[:, 1].tolist(), "color": colors.tolist()}
    app.session_state[f"{CANVAS} memory"] = {"opening": sent, "shown": sent}
    run(app)
    assert not app.exception and "1 of 3 solved" in said(app.main) and len(app.success) == 1
