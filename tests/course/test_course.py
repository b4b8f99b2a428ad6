"""The course: texts that are true of their runs, predictions marked by them, and pages that need no server."""

from __future__ import annotations

import base64
import html
import itertools
import json
import math
import re
import zlib
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from command_line import cli
from scipy.optimize import linear_sum_assignment

import dpviz
from dpviz.analysis.elicitation import concentration_for
from dpviz.course import (
    BY_NAME,
    CHAPTERS,
    GLOSSARY,
    PARTS,
    Played,
    Question,
    chapter_named,
    draft,
    mark,
    play,
    write_course,
)
from dpviz.course.chapters import NUMBERS, question, shared
from dpviz.course.chapters.shared import monte_carlo_error
from dpviz.course.chart import KEY_LETTER, LEFT, RIGHT, TOP, WIDTH, Chart, answer_axis, drawn
from dpviz.course.figure import MOST_DOTS
from dpviz.course.glossary import IN_TEXTS
from dpviz.course.offline import INDEX, TERMS, WORKSHEETS, chapter_page, file_name
from dpviz.errors import InvalidParameterError
from dpviz.files import check_pages
from dpviz.player.blocks import read_header
from dpviz.words import read, say
from dpviz.words.catalogue import ENGLISH

MODULES = Path(shared.__file__).parent
every_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)


def test_parts_hold_every_chapter_once_and_old_names_lead_to_what_holds_them_now():
    numbered = [pair for part in PARTS.values() for pair in part]
    assert numbered == list(enumerate(CHAPTERS, start=1)) and len(PARTS) == 2
    assert all(vars(NUMBERS)[chapter.name] == number for number, chapter in numbered)
    assert all(chapter_named(chapter.name) is chapter for chapter in CHAPTERS)
    assert {chapter_named(name) for name in ("density", "outliers")} == {BY_NAME["spheres"]}
    assert {chapter_named(name) for name in ("nosuch", None, 3, ["spheres"])} == {None}


def labels_of(played: Played, run: int) -> np.ndarray:
    """Result of a run repeated from its configuration."""
    return dpviz.run(played.dataset.X, played.chapter.runs[run]).result_labels


def n_clusters(labels: np.ndarray) -> int:
    return len(set(labels.tolist()))


@every_chapter
def test_every_text_is_filled_in_and_the_right_answer_can_be_given(chapter):
    played = play(chapter)
    for words in (*played.text, played.prompt, played.reveal):
        assert words and not re.search(r"[{}]|nan", words)
    assert played.truth in chapter.question.guesses
    assert 2 <= sum(len(re.findall(r"[.?!:]( |$)", words)) for words in played.text) <= 6
    question = chapter.question
    for guess in question.guesses:  # what a wrong one would have been right about
        plain = mark(replace_feedback(played), guess)
        marked = mark(played, guess)
        assert marked.is_right == plain.is_right and not re.search(r"[{}]|nan", marked.words)
        assert (marked.words == plain.words) == plain.is_right
    right = mark(played, played.truth)
    assert right.is_right and chapter.question.words(played.truth) in right.words
    for guess in {chapter.question.guesses[0], chapter.question.guesses[-1]} - {played.truth}:
        assert chapter.question.words(guess) in mark(played, guess).words


def replace_feedback(played: Played) -> Played:
    """A chapter that says of a wrong prediction only that it is."""
    return replace(played, chapter=replace(played.chapter, feedback={}))


@every_chapter
def test_every_text_of_a_chapter_is_shown(chapter):
    shown = {"title", "about", "lead", "prompt", "reveal", "lesson", "trial"}
    shown |= {"unit", "counted", "papers", "text", "low", "high"}
    own = {key.split(".")[2] for key in read(ENGLISH).texts if key.startswith(f"chapters.{chapter.name}.")}
    source = "".join(path.read_text(encoding="utf-8") for path in MODULES.glob("*.py"))
    for key in own - shown:
        numbered = re.fullmatch(r"(text|answer|claim|if|again_\d_answer|again)_(\d)|again_\d_reveal", key)
        assert numbered or re.search(rf'say\(f?"chapters\.{chapter.name}\.{re.sub("[0-9]", ".*", key)}"', source), key
    counts = {"claim": chapter.claims, "answer": chapter.question.answers, "again": chapter.trial.transfers}
    assert all(sum(bool(re.fullmatch(rf"{part}_\d", key)) for key in own) == len(of) for part, of in counts.items())


@every_chapter
def test_where_the_slider_begins_is_no_answer(chapter):
    if not chapter.question.answers:
        assert not mark(play(chapter), chapter.question.start).is_right


def test_a_number_is_right_if_it_is_close_and_says_which_way_it_was_off():
    played = play(BY_NAME["rich"])
    truth, close = played.truth, played.chapter.question.close
    assert [mark(played, truth + off).is_right for off in (-close - 1, -close, close, close + 1)] == [0, 1, 1, 0]
    assert "more than that" in mark(played, truth - close - 1).words
    assert "fewer than that" in mark(played, truth + close + 1).words
    with pytest.raises(InvalidParameterError, match="guess = 101 must be from 1 to 100"):
        mark(played, 101)


def test_one_is_said_in_the_singular():
    question = BY_NAME["growth"].question
    assert (question.words(1), question.words(2)) == ("1 cluster", "2 clusters")
    assert BY_NAME["spheres"].question.words(1) == "1 of 100"
    assert BY_NAME["theatre"].question.words(1) == "1 of 100 sweeps"


def test_k_means_cuts_the_wide_group_as_the_first_chapter_says():
    played = play(BY_NAME["spheres"])
    wide = dpviz.datasets.synthesize("spherical_unequal_radius", n=1200, seed=0).labels == 0
    assert (
        np.abs(played.dataset.X[wide]).max()
        > 3 * np.abs(played.dataset.X[~wide] - played.dataset.X[~wide].mean(0)).max()
    )
    together = np.bincount(labels_of(played, 0)[wide]).max() / wide.sum()
    assert played.truth == round(100 * together)
    assert played.facts["narrow"] == round(100 * np.bincount(labels_of(played, 0)[~wide]).max() / (~wide).sum())
    assert played.facts["mapdp_whole"] == round(100 * np.bincount(labels_of(played, 1)[wide]).max() / wide.sum())


def test_the_sentence_about_galaxies_says_what_an_own_count_of_the_draws_says():
    played = play(BY_NAME["question"])
    velocity, order = played.dataset.X[:, 0], np.argsort(played.dataset.X[:, 0])
    labels = labels_of(played, 0)[order]
    starts = np.flatnonzero(np.diff(labels)) + 1
    assert len(starts) == 2  # so that the groups are stretches of the line
    low, middle, high = np.split(order, starts)
    shared_by, split, draws = [0, 0], [0, 0], range(101, 1101)
    for sweep in draws:
        draw = played.traces[1].labels_at(sweep)
        sizes = {int(k): int((draw == k).sum()) for k in draw}
        for place, own in enumerate((low, high)):  # apart: its clusters have no more points than it has
            shared_by[place] += sum(sizes[k] for k in {int(k) for k in draw[own]}) == len(own)
        large = [k for k in set(draw[middle].tolist()) if (draw[middle] == k).sum() >= 7.2]
        for number in (1, 2):
            split[number - 1] += len(large) == number
    facts = played.facts
    assert [facts[name] for name in ("truth", "two")] == [round(count / 10) for count in split]
    assert [facts[f"{name}_apart"] for name in ("low", "high")] == [min(99, round(n / 10)) for n in shared_by]
    assert [facts[name] for name in ("low", "middle", "high")] == [len(low), len(middle), len(high)] == [7, 72, 3]
    spans = [f"{velocity[own].min():.1f}–{velocity[own].max():.1f}" for own in (low, high)]
    assert spans == [facts["low_span"], facts["high_span"]] and all(span in played.reveal for span in spans)
    single = dpviz.run(played.dataset.X, replace(played.chapter.runs[0], init="single", n_init=1)).nll[0]
    assert facts["gain"] == pytest.approx(single - played.traces[0].nll[-1])


def test_the_concentration_and_the_width_of_the_question_are_those_that_it_says():
    X = dpviz.datasets.load("galaxies").X
    elicited = concentration_for(dpviz.ChineseRestaurant(1.0), len(X), question.FEWEST, question.MOST)
    assert round(elicited.concentration, 1) == question.N0
    chosen = dpviz.run(X, dpviz.RunConfig("mapdp", partition=dpviz.ChineseRestaurant(question.N0))).config
    assert chosen.prior_dict["width"] == question.WIDTH


def test_the_objective_of_k_means_falls_with_every_centre():
    played = play(BY_NAME["how-many"])
    objective = [played.traces[k].objective[-1] for k in range(8)]
    assert objective == sorted(objective, reverse=True) and played.truth == 2
    assert played.facts["mapdp_k"] == n_clusters(labels_of(played, 8)) == 3


def test_concentration_and_power_move_the_number_of_clusters():
    played = play(BY_NAME["rich"])
    counts = [n_clusters(labels_of(played, run)) for run in range(3)]
    assert counts == [played.facts["few_k"], played.truth, played.facts["powered_k"]]
    assert counts[0] <= counts[2] < counts[1]


def test_the_chain_has_the_best_partitions_number_as_often_as_its_chapter_says():
    played = play(BY_NAME["sampling"])
    trace = dpviz.run(played.dataset.X, played.chapter.runs[0])
    visited = [n_clusters(trace.labels_at(sweep)) for sweep in range(101, 301)]
    assert played.truth == visited.count(n_clusters(labels_of(played, 1)))
    assert (played.facts["least"], played.facts["most"]) == (min(visited), max(visited))
    assert visited.count(played.facts["mode"]) == max(visited.count(k) for k in set(visited))


def test_some_orders_of_the_seventh_chapter_end_above_the_best_and_the_search_does_not():
    played = play(BY_NAME["luck"])
    ends = np.array([dpviz.run(played.dataset.X, config).nll[-1] for config in played.chapter.runs])
    assert played.truth == (ends[:20] <= ends[:20].min() + 1e-6).sum() < 20
    assert ends[:20].max() > ends[:20].min() + 10 and ends[20] <= ends[:20].min() + 1e-6
    assert ends[list(played.shown)].tolist() == [ends[:20].min(), played.facts["stuck"], played.facts["searched"]]
    assert played.facts["stuck"] == ends[:20].max()


def test_age_decides_for_k_means_and_not_for_a_model_of_every_kind():
    played = play(BY_NAME["kinds"])
    diagnoses = played.dataset.labels
    scores = [round(100 * dpviz.metrics.nmi(diagnoses, labels_of(played, run))) for run in range(2)]
    assert scores == [played.truth, played.facts["best"]] and scores[1] > 3 * scores[0]
    age = played.dataset.X[:, -1]
    labels = labels_of(played, 0)
    means = np.array([age[labels == k].mean() for k in range(6)])[labels]
    assert played.facts["explained"] == round(100 * means.var() / age.var()) > 90


def test_standardised_columns_are_what_the_third_run_of_the_last_chapter_gets():
    played = play(BY_NAME["kinds"])
    X = played.dataset.X
    labels = dpviz.run((X - X.mean(0)) / X.std(0), played.chapter.runs[2]).result_labels
    assert played.facts["scaled"] == round(100 * dpviz.metrics.nmi(played.dataset.labels, labels)) > 70
    titles = [panel["title"] for panel in read_header(played.film())["panels"]]
    assert ["standardised" in title for title in titles] == [False, True, False]


def test_the_bill_of_a_partition_is_its_nll_and_its_openings_follow_from_the_prior():
    played = play(BY_NAME["price"])
    labels = [labels_of(played, run) for run in range(3)]
    totals = [sum(bar) for _, bar in played.chart.bars]
    assert totals == pytest.approx([played.facts[name] for name in ("one", "two", "four")])
    sizes = [np.bincount(own) for own in labels]
    # −ln p(z) = −K ln N0 − Σ ln Γ(n_k) + Σ_i ln(N0 + i − 1)
    seats = np.log(3.0 + np.arange(400)).sum()
    openings = [seats - len(own) * np.log(3.0) - sum(math.lgamma(n) for n in own) for own in sizes]
    assert [bar[1] for _, bar in played.chart.bars] == pytest.approx(openings)
    assert played.facts["charge"] == pytest.approx(openings[2] - openings[1])
    assert played.truth == 2 and played.facts["mapdp_k"] == n_clusters(labels_of(played, 3)) == 2


def test_fewer_of_ten_groups_are_found_the_wider_a_cluster_is_expected():
    played = play(BY_NAME["width"])
    counts = [n_clusters(labels_of(played, run)) for run in range(3)]
    assert counts == [played.facts[f"{name}_k"] for name in ("wide", "usual", "chosen")] == sorted(counts)
    assert played.truth == counts[1] < 10 <= counts[2]
    assert played.facts["large"] == (np.bincount(labels_of(played, 2)) >= 10).sum() == 10


def test_no_point_leaves_the_giant_but_for_the_rule_of_the_first_sweep():
    played = play(BY_NAME["giant"])
    held, freed = (dpviz.run(played.dataset.X, config) for config in played.chapter.runs)
    assert played.truth == (held.labels_at(1) != held.labels_at(0)).sum() == 0
    assert freed.n_clusters[-1] == 3 and [bar[0] for _, bar in played.chart.bars] == [0, freed.n_moved[1]]


def test_a_restaurant_sees_clusters_in_one_gaussian_and_a_finite_mixture_does_not():
    played = play(BY_NAME["growth"])
    crp, mfm = ([n_clusters(t.labels_at(s)) for s in range(101, 301)] for t in played.traces)
    assert played.truth == round(np.mean(crp)) > 4 and played.facts["single"] == round(
        100 * np.mean(np.array(mfm) == 1)
    )
    seats = 3.0 / (3.0 + np.arange(5000))  # a guest opens a table with probability N0 / (N0 + i)
    assert [played.facts["expected"], played.facts["more"]] == pytest.approx([seats[:500].sum(), seats.sum()])


def test_chains_agree_on_a_number_and_not_on_clusters():
    played = play(BY_NAME["agreement"])
    last = [trace.labels_at(400) for trace in played.traces]
    pairs = [dpviz.metrics.ari(last[i], last[j]) for i in range(4) for j in range(i)]
    own = [dpviz.metrics.ari(trace.labels_at(250), trace.labels_at(400)) for trace in played.traces]
    assert played.facts["within"] == round(100 * np.mean(own))
    assert played.facts["of_film"] == round(100 * pairs[0])  # as the film and its sentence have it
    assert played.truth == round(100 * np.mean(pairs)) < 70 and 0.99 < played.facts["rhat"] < 1.1
    means = [np.mean([n_clusters(t.labels_at(s)) for s in range(101, 401)]) for t in played.traces]
    assert (played.facts["low"], played.facts["high"]) == pytest.approx((min(means), max(means)))


def test_four_samplers_have_one_law_of_k():
    played = play(BY_NAME["theatre"])
    laws = [np.bincount(trace.n_clusters[101:], minlength=8)[1:8] / 10 for trace in played.traces]
    assert np.array([bar for _, bar in played.chart.bars]) == pytest.approx(np.array(laws).T)
    assert played.truth == round(laws[1][played.facts["usual"] - 1])
    samplers = [(config.partition.name, config.sampler) for config in played.chapter.runs]
    assert len(set(samplers)) == 4


def test_cells_that_are_hidden_are_left_out_and_the_clusters_guess_them():
    played = play(BY_NAME["missing"])
    hidden, filled = (played.chapter.table(played.dataset, run).X for run in (1, 2))
    holes = np.isnan(hidden)
    assert (hidden == played.dataset.X)[~holes].all() and 0.2 < holes.mean() < 0.4
    assert played.facts["complete"] == (~holes.any(axis=1)).sum() and not np.isnan(filled).any()
    assert filled[holes] == pytest.approx(np.nanmean(hidden, axis=0)[np.nonzero(holes)[1]])
    labels = played.traces[1].result_labels
    off = [[], []]
    for i, j in zip(*np.nonzero(holes), strict=True):
        friends = hidden[labels == labels[i], j]
        guess = np.nanmean(friends) if np.isfinite(friends).any() else np.nanmean(hidden[:, j])
        off[0].append(guess - played.dataset.X[i, j])
        off[1].append(np.nanmean(hidden[:, j]) - played.dataset.X[i, j])
    assert played.truth == round(100 * np.sqrt(np.mean(np.square(off[0])) / np.mean(np.square(off[1]))))


def unpacked(film: bytes, panel: int, name: str) -> np.ndarray:
    """Return an array of a film, as the player reads it."""
    header = read_header(film)
    block = header["blocks"][header["panels"][panel]["arrays"][name]]
    start = 4 + int.from_bytes(film[:4], "little") + block["offset"]
    content = film[start : start + block["bytes"]]
    kind = np.dtype(f"<{block['kind']}")
    array = np.frombuffer(zlib.decompress(content) if block["deflated"] else content, dtype=kind)
    array = array.reshape(block["shape"]).copy()
    return np.bitwise_xor.accumulate(array, axis=0) if block["differences"] else array


@pytest.mark.parametrize("name", ["spheres", "width", "missing"])
def test_clusters_have_the_colours_of_the_groups_they_match_and_points_one_place(name):
    played = play(BY_NAME[name])
    film, groups = played.film(), played.dataset.labels
    for panel, run in enumerate(played.shown):
        tracks, labels = unpacked(film, panel, "labels")[-1], played.traces[run].labels_at(played.traces[run].n_sweeps)
        assert dpviz.metrics.ari(tracks, labels) == 1.0
        assert (tracks == groups).sum() == max_agreement(labels, groups)
        assert (unpacked(film, panel, "true_tracks") == groups).all()
        for axis in "xy":
            assert unpacked(film, panel, axis) == pytest.approx(unpacked(film, 0, axis))


def max_agreement(labels: np.ndarray, groups: np.ndarray) -> int:
    """Most points whose clusters and groups can have one number."""
    size = max(labels.max(), groups.max()) + 1
    shared = np.zeros((size, size), dtype=int)
    np.add.at(shared, (labels, groups), 1)
    return int(shared[linear_sum_assignment(shared, maximize=True)].sum())


@every_chapter
def test_a_chapter_can_be_read_before_its_runs_are_made(chapter):
    words, told = draft(chapter), play(chapter).text
    assert len(words) == len(told) and not any(re.search(r"[{}]", paragraph) for paragraph in words)
    for early, late in zip(words, told, strict=True):
        assert re.fullmatch("".join(".+" if part == "…" else re.escape(part) for part in re.split("(…)", early)), late)


def test_the_error_of_a_chain_is_that_of_as_many_independent_draws():
    generator = np.random.default_rng(0)
    assert monte_carlo_error(generator.normal(size=4000)) == pytest.approx(4000**-0.5, rel=0.1)
    slow = np.repeat(generator.normal(size=400), 10)  # each value ten times: a tenth of them says as much
    assert monte_carlo_error(slow) == pytest.approx(400**-0.5, rel=0.25)
    assert monte_carlo_error(np.ones(100)) == 0.0


# --- charts and axes --------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def rectangles(chart: Chart) -> list[dict[str, float]]:
    """Return the bars of a drawing; those of the key are above the plot."""
    tree = ElementTree.fromstring(drawn(chart))
    found = [
        {name: float(rect.get(name, "nan")) for name in ("x", "y", "width", "height")}
        for rect in tree.iter(f"{SVG}rect")
    ]
    return [rect for rect in found if rect["y"] > TOP]


def test_bars_are_as_long_as_their_numbers_and_stacked_ones_stand_on_each_other():
    beside = rectangles(Chart("t", (("a", (1.0, 3.0)), ("b", (2.0, 0.0))), ("x", "y")))
    heights = [rect["height"] for rect in beside]
    assert heights == pytest.approx([heights[1] * share for share in (1 / 3, 1, 2 / 3, 0)], abs=0.1)
    floor = {round(rect["y"] + rect["height"], 1) for rect in beside}
    assert len(floor) == 1 and all(a["x"] + a["width"] <= b["x"] for a, b in itertools.pairwise(beside))
    one, other = rectangles(Chart("t", (("a", (1.0, 3.0)),), ("x", "y"), stacked=True))
    assert one["y"] == pytest.approx(other["y"] + other["height"], abs=0.2) and one["x"] == other["x"]
    assert other["height"] == pytest.approx(3 * one["height"], abs=0.2)


def test_errors_are_lines_around_the_tops_of_bars_and_are_told():
    chart = Chart("t", (("a", (1.0, 4.0)),), ("x", "y"), errors=((0.5, 0.0),))
    lines = re.findall(r'd="M([\d.]+) ([\d.]+)V([\d.]+)"', drawn(chart))
    (bar, other), (line,) = rectangles(chart), [[float(number) for number in line] for line in lines]
    assert line[0] == pytest.approx(bar["x"] + bar["width"] / 2, abs=0.2)
    assert [bar["y"] - line[1], line[2] - bar["y"]] == pytest.approx([other["height"] / 8] * 2, abs=0.2)
    assert chart.words == "t. a: x 1 ± 0, y 4 ± 0." and "± 0.5" in replace(chart, form=".1f").words


def test_equal_values_are_dots_upon_each_other_and_words_are_escaped():
    chart = Chart("a < b", values=(1.0, 5.0, 5.0, 5.0))
    dots = [(dot.get("cx"), dot.get("cy")) for dot in ElementTree.fromstring(drawn(chart)).iter(f"{SVG}circle")]
    assert len(set(dots)) == 4 and len({x for x, _ in dots}) == 2
    assert ElementTree.fromstring(drawn(chart)).get("aria-label") == "a < b: 1, 5, 5, 5."


@every_chapter
def test_every_chart_has_a_picture_and_numbers_that_are_told(chapter):
    chart = play(chapter).chart
    if chart is not None:
        assert ElementTree.fromstring(drawn(chart)).get("aria-label") == chart.words
        assert all(len(bar) == max(1, len(chart.parts)) for _, bar in chart.bars)
        assert KEY_LETTER * len(chart.title) <= WIDTH - LEFT - RIGHT  # what is beyond the drawing is cut off


def test_the_axis_of_answers_has_both_at_their_places():
    axis = ElementTree.fromstring(answer_axis(0, 200, 150, 50, "points"))
    places = {mark.get("class"): mark.get("style") for mark in axis}
    assert (places["mark you"], places["mark run"]) == ("--at: 75.00%", "--at: 25.00%")
    assert axis.get("aria-label") == "You: 150, the run: 50 points, from 0 to 200"


# --- pages without a server -------------------------------------------------------------------------------------------


def embedded(page: str, name: str) -> bytes:
    found = re.search(rf'id="{name}">([^<]*)<', page)
    assert found is not None
    return base64.b64decode(found[1])


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> list[Path]:
    return write_course(tmp_path_factory.mktemp("course") / "new" / "folder")


def test_there_is_one_page_for_each_chapter_and_worksheets_beside_them(pages):
    folder = pages[0].parent
    chapters = [file_name(n) for n in range(1, len(CHAPTERS) + 1)]
    assert [path.name for path in sorted(folder.glob("*.html"))] == [*chapters, INDEX, TERMS]
    listed = re.findall(r'<li class="part">([^<]+)<|data-chapter="([^"]+)"', pages[0].read_text(encoding="utf-8"))
    expected = [text for part, own in PARTS.items() for text in (part, *(chapter.name for _, chapter in own))]
    assert ["".join(pair) for pair in listed] == expected[1:]
    linked = set(re.findall(r'href="([^"]+)"', (folder / INDEX).read_text(encoding="utf-8")))
    assert linked == {*chapters, *(f"{WORKSHEETS}/{name}" for name in chapters)}
    sheets = {path.name for path in (folder / WORKSHEETS).iterdir()}
    assert sheets == {*(file_name(n) for n in range(1, len(CHAPTERS) + 1)), "answers.html"}
    assert len(pages) == 2 * len(CHAPTERS) + 3 and all(path.is_file() for path in pages)
    check_pages(pages, folder)  # knows each of them as its own


@every_chapter
def test_a_page_plays_its_runs_and_marks_every_guess(chapter, pages):
    played = play(chapter)
    page = pages[CHAPTERS.index(chapter)].read_text(encoding="utf-8")
    panels = read_header(embedded(page, "payload"))["panels"]
    assert len(panels) == len(chapter.shown)
    found = re.search(r'id="marks">(.*?)</script>', page)
    assert found is not None
    marks = json.loads(found[1])["marks"]
    assert marks == {str(guess): mark(played, guess)._asdict() for guess in chapter.question.guesses}
    plain = re.sub(r'<a class="term"[^>]*>(.*?)</a>', r"\1", page)
    assert all(html.escape(words) in plain for words in (*played.text, played.prompt, played.reveal))


@every_chapter
def test_a_page_loads_nothing(chapter, pages):
    page = pages[CHAPTERS.index(chapter)].read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    links = re.findall(r'(?:src|href|action)="([^"]*)"', page)
    chapters = {file_name(n) for n in range(1, len(CHAPTERS) + 1)}
    assert {link.partition("#")[0] for link in links} <= {TERMS, INDEX, *chapters}


@every_chapter
def test_a_worksheet_asks_and_does_not_tell(chapter, pages):
    played, place = play(chapter), CHAPTERS.index(chapter)
    sheet = pages[len(CHAPTERS) + place].read_text(encoding="utf-8")
    assert html.escape(played.prompt) in sheet and played.reveal not in html.unescape(sheet)
    assert sheet.count("<circle") == len(played.dataset.X) < MOST_DOTS
    assert all(html.escape(answer) in sheet for answer in chapter.question.answers)
    assert all(html.escape(turn.knob.words) in sheet for turn in chapter.trial.turns)  # to try after the run
    answers = pages[-2].read_text(encoding="utf-8")
    assert html.escape(chapter.question.words(played.truth)) in answers and html.escape(played.reveal) in answers


@every_chapter
def test_the_answers_have_the_last_picture_of_each_run_in_the_colours_of_the_groups(chapter, pages):
    played, answers = play(chapter), pages[-2].read_text(encoding="utf-8")
    section = answers.split("<section>")[1 + CHAPTERS.index(chapter)]
    assert section.count("<svg") == len(played.shown) + (played.chart is not None)
    assert all(f"<figcaption>{html.escape(played.name(run))}<" in section for run in played.shown)
    groups, clusters = played.dataset.labels, [played.clusters(run) for run in played.shown]
    groups = clusters[0] if groups is None else groups
    for own, run in zip(clusters, played.shown, strict=True):
        last = played.traces[run].labels_at(played.traces[run].n_sweeps)
        assert dpviz.metrics.ari(own, last) == 1.0 and (own == groups).sum() == max_agreement(last, groups)


def test_texts_with_signs_of_markup_are_written_as_text():
    played = play(CHAPTERS[0])
    changed = Played(
        dataclass_with(played.chapter, title="a < b", question=Question("x </script> {truth}?", ("<i>", "b"))),
        played.dataset,
        played.traces,
        {**played.facts, "truth": 0},
    )
    page = chapter_page(changed, 1)
    home = say("site.all_pages")
    assert f">{home}<" not in page and f'href="../index.html">{home}<' in chapter_page(changed, 1, "../index.html")
    assert "<h1>1. a &lt; b</h1>" in page and "&lt;i&gt;" in page and "x </script>" not in page
    marks = json.loads(re.search(r'id="marks">(.*?)</script>', page)[1])["marks"]
    assert marks["0"]["words"] == "You predicted “<i>”, and so it is."


def dataclass_with(chapter, **changes):
    return type(chapter)(**{**vars(chapter), **changes})


def test_the_command_line_writes_the_course(tmp_path, capsys):
    assert cli("course --out", tmp_path / "course") == 0
    written = capsys.readouterr().out.split()
    assert len(written) == 2 * len(CHAPTERS) + 3 and all(Path(name).is_file() for name in written)
    (tmp_path / "file").write_text("")
    assert cli("course --out", tmp_path / "file") == 1
    assert "file" in capsys.readouterr().err


def test_the_glossary_is_in_order_and_texts_lead_to_it_at_the_first_use_of_a_term(pages):
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.casefold) and set(IN_TEXTS.values()) <= set(GLOSSARY)
    places = set(re.findall(r'<dt id="([^"]+)"', pages[-1].read_text(encoding="utf-8")))
    for page in pages[: len(CHAPTERS)]:
        found = re.findall(r'<a class="term" href="terms.html#([^"]+)"', page.read_text(encoding="utf-8"))
        assert found and len(set(found)) == len(found) and set(found) <= places
