"""The story: one small file that loads nothing, claims that hold on other draws, and figures that compute as Python."""

from __future__ import annotations

import gzip
import html
import re
from dataclasses import replace

import numpy as np
import pytest
from modules import evaluate
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.config import RunConfig
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.fit.run import run
from dpviz.story import shown, story_page
from dpviz.story.facts import (
    BEST,
    CHAIN,
    DRAW,
    FIRST_GAP,
    N_STARTS,
    START,
    Points,
    apart,
    carried,
    from_middles,
    lowest,
    mapdp,
    nine,
    pair,
    priced,
    three,
    told,
    wrong,
)
from dpviz.story.page import PLACES, article

MOST_BYTES, MOST_ZIPPED, MOST_WORDS = 1_200_000, 600_000, 2_500
DRAWS = range(20)
FEWEST = 19
"""Of twenty draws, on which what the text says has to be true."""


def words_of(page: str) -> list[str]:
    return html.unescape(re.sub(r"<[^>]+>", " ", page)).split()


def middles(points: Points) -> np.ndarray:
    return np.array([points.rows[points.groups == k].mean(axis=0) for k in range(points.groups.max() + 1)])


def squares(points: Points, labels: np.ndarray) -> float:
    return sum(float(((own - own.mean(axis=0)) ** 2).sum()) for own in (points.rows[labels == k] for k in set(labels)))


def n_clusters(X: np.ndarray, config: RunConfig) -> int:
    return len(np.unique(run(X, config).result_labels))


@pytest.fixture(scope="module")
def page() -> str:
    return story_page({name: f"{name}.html" for name in PLACES})


def test_the_page_is_small_loads_nothing_and_leads_to_the_places_that_it_is_given(page):
    papers = [f"https://doi.org/{doi}" for doi in re.findall(r"doi:(10\.[^\s<]+)", page)]
    assert len(page.encode()) <= MOST_BYTES and len(gzip.compress(page.encode(), 9)) <= MOST_ZIPPED
    assert set(re.findall(r"(?:https?|wss?|ftp)://[^\"'` ]*", page)) == {"http://www.w3.org/2000/svg", *papers}
    assert not re.search(r"<link|<img|<iframe|\ssrc=|@import|\bfetch\(|XMLHttpRequest|sendBeacon|EventSource", page)
    linked = set(re.findall(r'<a href="([^"#]+)"', page))
    places = {f"{name}.html" for name in ("lab", "course", "index", "worksheets", "answers", "handout")}
    figures = set(re.findall(r'<figure id="(\w+)"', page))
    assert linked == {*places, *papers, "?ui=present", *(f"?figure={name}" for name in figures)} and len(figures) == 10
    assert re.findall(r'<a href="([^"]+)"', "".join(article().values())) == ["#sticks-title", "?ui=present", *papers]


def test_every_heading_is_a_link_s_place_and_every_figure_stands_once(page):
    ids = re.findall(r'id="([\w-]+)"', page.split("<script", 1)[0])
    assert len(ids) == len(set(ids))
    assert "{" not in page.split("<main>")[1].split("</main>")[0]


def test_the_article_is_short_and_its_appendix_is_not_counted():
    sections = article()
    counted = [len(words_of(text)) for name, text in sections.items() if name not in ("sticks", "stops", "papers")]
    assert len(counted) == len(sections) - 3 and 1_000 < sum(counted) <= MOST_WORDS


# --- what the text says ---


def holds_for_kmeans(draw: int) -> bool:
    """Centres in the middle of the groups leave few crosses; the lowest cost cuts the wide group, and is lower."""
    points = three(draw)
    by_hand = np.argmin(((points.rows[:, None] - middles(points)) ** 2).sum(axis=2), axis=1)
    best = run(points.rows, lowest(draw)).result_labels
    pieces = np.bincount(best[points.groups == 0], minlength=3)
    narrow = [np.bincount(best[points.groups == k], minlength=3) for k in (1, 2)]
    together = np.argmax(narrow[0]) == np.argmax(narrow[1]) and min(row.max() for row in narrow) > 70
    near = run(points.rows, from_middles(points)).result_labels
    return bool(
        0 < wrong(points.groups, by_hand) < len(by_hand) / 20
        and wrong(points.groups, best) > len(best) / 3
        and np.sort(pieces)[-2] > pieces.sum() / 5
        and together
        and squares(points, near) > squares(points, best)
        and wrong(points.groups, near) < len(near) / 10
    )


def holds_for_borders(draw: int) -> bool:
    """Most of the way from the wide group to a narrow one belongs to the wide one; what is far out begins a new one."""
    points = three(draw)
    scores = PartitionPredictive(Problem(points.rows, priced(points)), points.groups)
    start, *ends = middles(points)
    shares = np.linspace(0, 1, 101)[:, None]
    takers = [scores.log_scores(start + shares * (end - start)).argmax(axis=1) for end in ends]
    beyond = scores.log_scores(np.array([[start[0] - 60.0, start[1] + 60.0]])).argmax()
    return bool(all((of_one[:70] == 0).all() and of_one[-1] > 0 for of_one in takers) and beyond == 3)


def holds_for_seats(draw: int) -> bool:
    """Three groups for N0 from a millionth to one, more at thirty, and dozens at a hundred."""
    X = three(draw).rows
    few = {n_clusters(X, mapdp(concentration)) for concentration in (1e-6, 1e-4, 1e-2, 1.0)}
    return few == {3} and n_clusters(X, mapdp(30.0)) > 3 and n_clusters(X, mapdp(100.0)) >= 24


def holds_for_width(draw: int) -> bool:
    """Three groups up to the width of all points; beyond, the narrow ones are together."""
    points = three(draw)
    found = {n_clusters(points.rows, mapdp(width=width)) for width in (0.002, 0.02, 0.2, 1.0)}
    wide = [run(points.rows, mapdp(width=width)).result_labels for width in (2.5, 8.0)]
    both = wide[1][points.groups > 0]
    few = {len(np.unique(labels)) for labels in wide}
    return found == {3} and few == {2} and np.bincount(both).max() > 0.95 * len(both)


def holds_for_starts(draw: int) -> bool:
    """Most starts end higher than the lowest, with two centres in one group and two groups around one centre."""
    points = nine(draw)
    traces = [run(points.rows, replace(START, seed=seed)) for seed in range(N_STARTS)]
    costs = np.array([trace.objective[-1] for trace in traces])
    stuck = [trace.result_labels for trace in traces if trace.objective[-1] > costs.min() * (1 + 1e-9)]
    homes = [[np.bincount(labels[points.groups == k]).argmax() for k in range(9)] for labels in stuck]
    return len(stuck) > N_STARTS / 2 and np.mean([len(set(home)) < 9 for home in homes]) > 0.9


def holds_for_overlap(draw: int) -> bool:
    """The most probable grouping has one group, most draws have two."""
    X = apart(pair(draw), FIRST_GAP)
    trace = run(X, CHAIN)
    counts, drawn = np.asarray(trace.n_clusters[CHAIN.burn_in + 1 :]), np.asarray(trace.labels[CHAIN.burn_in + 1 :])
    in_two = drawn[counts == 2]
    firsts = [
        first[own] for _, first, own in (np.unique(row, return_index=True, return_inverse=True) for row in in_two)
    ]
    all_differ = len(np.unique(firsts, axis=0)) == len(in_two)
    one, two = partition_nll(Problem(X, BEST), [np.zeros(len(X), np.int64), pair(draw).groups])
    return n_clusters(X, BEST) == 1 and one < two and np.mean(counts == 2) > 0.5 and all_differ


@pytest.mark.parametrize(
    "holds",
    [holds_for_kmeans, holds_for_borders, holds_for_seats, holds_for_width, holds_for_starts, holds_for_overlap],
)
def test_what_the_text_says_is_true_of_nineteen_in_twenty_draws_and_of_that_which_is_shown(holds):
    found = [holds(draw) for draw in DRAWS]
    assert found[DRAW] and sum(found) >= FEWEST, found


def test_numbers_of_the_text_are_those_of_the_shown_draw():
    points, numbers = three(DRAW), told()
    best = run(points.rows, lowest(DRAW)).result_labels
    assert numbers["lowest_cost"] == round(squares(points, best)) and numbers["lowest_wrong"] == wrong(
        points.groups, best
    )
    near = run(points.rows, from_middles(points)).result_labels
    assert numbers["near_cost"] == round(squares(points, near)) and numbers["near_wrong"] == wrong(points.groups, near)
    text = " ".join(words_of(article()["borders"]))
    assert f"is {numbers['lowest_cost']:,}. It leaves {numbers['lowest_wrong']} of the {len(best)} points" in text


def test_points_in_the_wrong_group_are_those_of_the_best_match():
    groups = np.array([0, 0, 0, 1, 1, 1])
    for labels, expected in (
        ([2, 2, 2, 0, 0, 0], 0),
        ([0, 0, 1, 1, 1, 1], 1),
        ([0, 0, 0, 0, 0, 0], 3),
        ([0, 1, 2, 3, 4, 5], 4),
    ):
        assert wrong(groups, np.array(labels)) == expected


# --- what the figures compute ---


@pytest.mark.parametrize("seed", range(5))
def test_a_figure_counts_and_colours_as_python_does(seed):
    rng = np.random.default_rng(seed)
    groups, labels = np.sort(rng.permutation(np.arange(40) % 3)), rng.permutation(np.arange(40) % (2 + seed))
    argument = {"labels": labels.tolist(), "groups": groups.tolist()}
    found = evaluate(["stage/plate.js"], "({ labels, groups }) => matched(labels, groups)", argument)
    assert found["wrong"] == wrong(groups, labels)
    colors = np.array(found["colors"])
    assert len(set(colors)) == len(colors) and np.sum(colors[labels] != groups) == found["wrong"]


def test_borders_are_halfway_and_their_cells_hold_the_nearest_points():
    points, rng = three(DRAW), np.random.default_rng(1)
    centres = rng.normal(0, 8, (3, 2))
    box = [*np.quantile(points.rows[:, 0], [0, 1]), *np.quantile(points.rows[:, 1], [0, 1])]
    script = """({ rows, centres, box }) => {
      const found = nearest(rows, centres), cells = centres.map((_, k) => cellOf(k, centres, box));
      return { ...found, moved: middles(rows, found.labels, centres), cells };
    }"""
    given = {"rows": points.rows.tolist(), "centres": centres.tolist(), "box": box}
    found = evaluate(["story/assets/borders.js"], script, given)
    distances = ((points.rows[:, None] - centres) ** 2).sum(axis=2)
    labels = distances.argmin(axis=1)
    assert_array_equal(found["labels"], labels)
    assert_allclose(found["cost"], distances.min(axis=1).sum())
    assert_allclose(found["moved"], [points.rows[labels == k].mean(axis=0) for k in range(3)])
    area = 0.0
    for k, cell in enumerate(found["cells"]):
        corners = np.array(cell)
        reach = ((corners[:, None] - centres) ** 2).sum(axis=2)
        assert (reach[:, k] <= reach.min(axis=1) + 1e-9).all()
        x, y = corners.T
        area += abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
    assert_allclose(area, (box[1] - box[0]) * (box[3] - box[2]))


def test_a_hill_has_the_density_of_a_normal_distribution():
    from scipy.stats import norm

    x, width = np.linspace(-3, 3, 7), 1.7
    script = """({ x, width }) => Object.fromEntries(Object.entries({ density, surprise })
      .map(([name, of]) => [name, x.map((at) => of(at, width))]))"""
    found = evaluate(["story/assets/hill.js"], script, {"x": x.tolist(), "width": width})
    assert_allclose(found["density"], norm.pdf(x, scale=width))
    assert_allclose(found["surprise"], (x / width) ** 2 / 2, atol=1e-12)


def test_both_prices_are_those_that_python_explains_but_for_one_summit():
    points = three(DRAW)
    config = replace(priced(points), init=points.groups.tolist(), order="index")
    trace = run(points.rows, config)
    point = carried(points)
    table = dpviz.explain_assignment(points.rows, trace, 0, point)
    sizes = np.bincount(np.delete(points.groups, point))
    given = {"sizes": sizes.tolist(), "concentration": config.partition.concentration}
    seats = evaluate(["story/assets/prices.js"], "({ sizes, concentration }) => seats(sizes, concentration)", given)
    expected = table["neg_log_weight"].loc[[0, 1, 2, -1]].to_numpy()
    n = len(points.rows)
    normaliser = np.log(n - 1 + config.partition.concentration)
    shift = {float(f"{seat - other:.9f}") for seat, other in zip(seats, expected, strict=True)}
    assert shift <= {0.0, float(f"{normaliser:.9f}")} and len(shift) == 1
    assert min(seats) >= 0


def test_draws_that_are_shown_are_sweeps_of_the_chain_after_its_first_ones():
    trace = run(apart(pair(DRAW), FIRST_GAP), CHAIN)
    given = {"labels": trace.labels.ravel().tolist(), "counts": trace.n_clusters.tolist(), "burnIn": CHAIN.burn_in}
    script = """({ labels, counts, burnIn }) => {
      const shown = someOf({ labels: Int32Array.from(labels), n_clusters: counts }, burnIn, 4);
      return shown.map((one) => [one.count, ...one.labels]);
    }"""
    found = np.array(evaluate(["story/assets/overlap.js"], script, given))
    sweeps = [150, 200, 250, 300]
    assert_array_equal(found[:, 0], trace.n_clusters[sweeps])
    assert_array_equal(found[:, 1:], trace.labels[sweeps])


def test_an_ellipse_has_its_scale_matrix():
    scale = np.array([[2.0, 0.7], [0.7, 1.1]])
    given = {"at": [1.0, -2.0], "scale": [2.0, 0.7, 1.1]}
    ring = np.array(evaluate(["story/assets/knobbed.js"], "({ at, scale }) => ringOf(at, scale, 3)", given)) - [
        1.0,
        -2.0,
    ]
    assert_allclose(np.einsum("ni,ij,nj->n", ring, np.linalg.inv(scale), ring), 9.0)


def test_groups_are_taken_apart_as_python_does():
    points = pair(3)
    given = {"rows": points.rows.tolist(), "groups": points.groups.tolist()}
    found = evaluate(["story/assets/overlap.js"], "({ rows, groups }) => apart(rows, groups, 2.5)", given)
    assert_allclose(found, apart(points, 2.5))


@pytest.mark.parametrize("concentration", [0.5, 3.0])
def test_pieces_of_a_stick_have_the_law_of_a_dirichlet_process(concentration):
    script = """(n0) => Array.from({ length: 4000 }, (_, seed) => broken(n0, dice(seed)))
      .map((pieces) => [pieces[0], ...[2, 1].map((power) => pieces.reduce((sum, share) => sum + share ** power, 0))])"""
    first, same, whole = np.array(evaluate(["story/assets/sticks.js", "story/assets/dice.js"], script, concentration)).T
    expected = 1 / (1 + concentration)  # of the first piece, and that two points share a place
    for sample in (first, same):
        assert abs(sample.mean() - expected) < 4 * sample.std() / np.sqrt(len(sample))
    assert_allclose(whole, 1.0, atol=1.1e-4)


def test_the_page_has_the_points_and_configurations_of_python():
    facts = shown()
    points = three(DRAW)
    assert_array_equal(facts["three"]["rows"], points.rows)
    for name, config in (("mapdp", mapdp()), ("best", BEST), ("chain", CHAIN), ("starts", START)):
        assert RunConfig.from_dict(facts[name]) == config
    assert facts["n_starts"] == N_STARTS
