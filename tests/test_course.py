"""The course: texts that are true of their runs, predictions marked by them, and pages that need no server."""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz.cli import main
from dpviz.course import CHAPTERS, GLOSSARY, Played, Question, mark, play, write_course
from dpviz.course.figure import MOST_DOTS
from dpviz.course.offline import WORKSHEETS, chapter_page, file_name
from dpviz.errors import InvalidParameterError
from dpviz.player.blocks import read_header

BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
every_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)


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
    right = mark(played, played.truth)
    assert right.is_right and chapter.question.words(played.truth) in right.words
    for guess in {chapter.question.guesses[0], chapter.question.guesses[-1]} - {played.truth}:
        assert chapter.question.words(guess) in mark(played, guess).words


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


def test_the_small_group_of_the_second_chapter_shares_its_cluster():
    played = play(BY_NAME["density"])
    groups, labels = played.dataset.labels, labels_of(played, 0)
    small = groups == np.argmin(np.bincount(groups))
    home = np.bincount(labels[small]).argmax()
    assert played.truth == 1 and (labels[small] == home).mean() >= 0.9
    assert played.facts["others"] == (labels[~small] == home).sum() > small.sum()


def test_the_smallest_cluster_of_the_third_chapter_holds_the_outliers():
    played = play(BY_NAME["outliers"])
    labels = labels_of(played, 0)
    smallest = np.bincount(labels).argmin()
    assert played.truth == (labels == smallest).sum()
    far = np.linalg.norm(played.dataset.X - np.median(played.dataset.X, axis=0), axis=1)
    assert far[labels == smallest].min() > np.quantile(far, 0.99)


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


def test_the_chain_of_the_sixth_chapter_visits_as_many_numbers_as_it_says():
    played = play(BY_NAME["sampling"])
    trace = dpviz.run(played.dataset.X, played.chapter.runs[0])
    visited = [n_clusters(trace.labels_at(sweep)) for sweep in range(101, 301)]
    assert played.truth == len(set(visited))
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
    assert [path.name for path in sorted(folder.glob("*.html"))] == [file_name(n) for n in range(1, 9)]
    sheets = {path.name for path in (folder / WORKSHEETS).iterdir()}
    assert sheets == {*(file_name(n) for n in range(1, 9)), "answers.html"}
    assert len(pages) == 17 and all(path.is_file() for path in pages)


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
    assert html.escape(played.reveal) in page and html.escape(played.prompt) in page


@every_chapter
def test_a_page_loads_nothing(chapter, pages):
    page = pages[CHAPTERS.index(chapter)].read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    links = re.findall(r'(?:src|href|action)="([^"]*)"', page)
    assert set(links) <= {file_name(n) for n in range(1, 9)}


@every_chapter
def test_a_worksheet_asks_and_does_not_tell(chapter, pages):
    played, place = play(chapter), CHAPTERS.index(chapter)
    sheet = pages[8 + place].read_text(encoding="utf-8")
    assert html.escape(played.prompt) in sheet and played.reveal not in html.unescape(sheet)
    assert sheet.count("<circle") == len(played.dataset.X) < MOST_DOTS
    assert all(html.escape(answer) in sheet for answer in chapter.question.answers)
    answers = pages[-1].read_text(encoding="utf-8")
    assert html.escape(chapter.question.words(played.truth)) in answers and html.escape(played.reveal) in answers


def test_texts_with_signs_of_markup_are_written_as_text():
    played = play(CHAPTERS[0])
    changed = Played(
        dataclass_with(played.chapter, title="a < b", question=Question("x </script> {truth}?", ("<i>", "b"))),
        played.dataset, played.traces, {**played.facts, "truth": 0},
    )  # fmt: skip
    page = chapter_page(changed, 1)
    assert "All pages" not in page and 'href="../index.html">All pages<' in chapter_page(changed, 1, "../index.html")
    assert "<h1>1. a &lt; b</h1>" in page and "&lt;i&gt;" in page and "x </script>" not in page
    marks = json.loads(re.search(r'id="marks">(.*?)</script>', page)[1])["marks"]
    assert marks["0"]["words"] == "You predicted “<i>”, and so it is."


def dataclass_with(chapter, **changes):
    return type(chapter)(**{**vars(chapter), **changes})


def test_the_command_line_writes_the_course(tmp_path, capsys):
    assert main(["course", "--out", str(tmp_path / "course")]) == 0
    written = capsys.readouterr().out.split()
    assert len(written) == 17 and all(Path(name).is_file() for name in written)
    (tmp_path / "file").write_text("")
    assert main(["course", "--out", str(tmp_path / "file")]) == 1
    assert "file" in capsys.readouterr().err


def test_the_glossary_is_in_order():
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.casefold)
