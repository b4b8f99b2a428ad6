"""The list of lessons: every chapter, run and comparison once under its kind, and what each opens."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpviz.course import CHAPTERS
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.player.still import THUMBNAIL, thumbnail
from dpviz.text import escape_markdown
from dpviz.ui.learn.entries import ENTRIES, PAGES
from dpviz.ui.learn.lessons import SEEN
from dpviz.ui.stage.lessons import COMPARISONS, PRESETS
from dpviz.words import read, say
from dpviz.words.catalogue import ENGLISH
from pages import address, in_app, opened, page, press, run, said, set_to


def number_of(kind: str, title: str) -> int:
    return next(number for number, own in enumerate(ENTRIES) if (own.kind, own.title) == (kind, title))


def shown_titles(app: AppTest) -> list[str]:
    return [
        ENTRIES[int(str(own.key).partition(".")[2])].title for own in app.button if str(own.key).startswith("lesson.")
    ]


def test_everything_is_listed_once_with_its_kind_and_a_line():
    app = opened("lessons")
    assert shown_titles(app) == [own.title for own in (*CHAPTERS, *PRESETS, *COMPARISONS)]
    lines = [*(own.about for own in CHAPTERS), *(own.watch for own in (*PRESETS, *COMPARISONS))]
    assert all(lines) and [own.line for own in ENTRIES] == lines
    said = [own.value for own in app.caption]
    assert said == [escape_markdown(own.line) for own in ENTRIES]
    assert [own.value for own in app.markdown if own.value.startswith("#####")] == [
        f"##### {say(f'lessons.headings.{kind}')}" for kind in PAGES
    ]


@pytest.mark.parametrize(("times", "kept"), [(1, 2), (8, 1)])
def test_thumbnails_hold_every_shown_point_at_its_place_in_the_colour_of_its_group(times, kept):
    generator = np.random.default_rng(3)
    points = np.vstack([generator.normal(0, 1, (100, 2)), generator.normal((8, 3), 1, (140, 2))])
    groups = [0] * 100 + [1] * 140
    for given in (points, points * (1, 1000), points[:, :1]):  # also of other units, and of one column
        drawing = ElementTree.fromstring(thumbnail(given, groups, "dark", times))
        paths = drawing.findall("{http://www.w3.org/2000/svg}path")
        assert [path.get("stroke") for path in paths] == list(CLUSTER_COLORS["dark"][:2])
        dots = [np.array(re.findall(r"M(\d+) (\d+)h0", str(path.get("d"))), dtype=float) for path in paths]
        assert [len(own) for own in dots] == [100 // kept, 140 // kept]
        shown = np.vstack(dots)
        assert (shown >= 0).all() and (shown <= times * np.array(THUMBNAIL)).all()
        assert np.corrcoef(shown[:, 0], given[::kept, 0])[0, 1] > 0.99
        assert len(given[0]) == 1 or np.corrcoef(shown[:, 1], given[::kept, 1])[0, 1] < -0.99


def test_lessons_of_the_same_data_have_one_picture_and_others_another():
    pictures = {own.picture("light") for own in ENTRIES if own.kind != "Chapter"}
    assert len(pictures) == len({own.choice for own in (*PRESETS, *COMPARISONS)})
    assert all(own.picture("light") != own.picture("dark") for own in ENTRIES)


@pytest.mark.parametrize(("kind", "lessons"), [("runs", PRESETS), ("comparisons", COMPARISONS)])
def test_every_text_of_a_lesson_is_of_one_that_is_listed(kind, lessons):
    written = [key.split(".")[2:] for key in read(ENGLISH).texts if key.startswith(f"lessons.{kind}.")]
    assert {name for name, _ in written} == {lesson.name for lesson in lessons}
    for lesson in lessons:
        expected = {"title", "watch", *(f"claim_{number + 1}" for number in range(len(lesson.claims)))}
        expected |= {"onwards"} if lesson.onwards else set()
        assert {part for name, part in written if name == lesson.name} == expected


def test_no_two_lessons_can_be_taken_for_each_other():
    names = [own.title.lower().removeprefix("the ") for own in ENTRIES]
    assert len(set(names)) == len(names)
    assert all(own.title[0].isalpha() for own in ENTRIES)  # each stands by itself, not as the end of another


@pytest.mark.parametrize("kind", PAGES)
def test_one_kind_can_be_listed_alone(kind):
    app = opened("lessons")
    set_to(app, "lessons.kind", kind)
    assert shown_titles(app) == [own.title for own in ENTRIES if own.kind == kind]


def test_the_list_says_where_to_start_and_what_was_opened():
    app = run(in_app("lessons"))
    assert app.button(key="lessons.next").label == f"Start here: {escape_markdown(ENTRIES[0].title)}"
    assert all(SEEN not in str(own.icon) for own in app.button if str(own.key).startswith("lesson."))
    app.session_state["lessons opened"] = {0, 2}
    run(app)
    assert app.button(key="lessons.next").label == f"Go on: {escape_markdown(ENTRIES[1].title)}"
    ticked = [number for number in range(len(ENTRIES)) if app.button(key=f"lesson.{number}").icon == SEEN]
    assert ticked == [0, 2]
    press(app, "lessons.next")
    assert any(f"2. {escape_markdown(CHAPTERS[1].title)}" in own.value for own in app.markdown)
    assert app.session_state["lessons opened"] == {0, 1, 2}


def test_a_chapter_opens_the_course_at_it():
    app = run(in_app("lessons"))
    press(app, f"lesson.{number_of('Chapter', 'Local optima')}")
    assert any("6. Local optima" in own.value for own in app.markdown)


def test_a_run_opens_in_explore_and_leads_to_the_next():
    app = run(in_app("lessons"))
    press(app, f"lesson.{number_of('Run', PRESETS[2].title)}")
    finished = app.session_state["explore"].finished
    assert (finished.choice, finished.config) == (PRESETS[2].choice, PRESETS[2].config)
    assert app.button(key="guide.next").label.startswith(PRESETS[2].onwards)


def test_a_comparison_opens_in_compare_with_its_sentence():
    wanted = next(own for own in COMPARISONS if own.title == "Old Faithful")
    app = run(in_app("lessons"))
    press(app, f"lesson.{number_of('Comparison', wanted.title)}")
    assert app.session_state["data choice"] == wanted.choice
    assert any(wanted.watch in own.value for own in app.caption)


def test_a_lesson_that_its_address_opens_again_is_not_called_another_one_s_data():
    first, second = COMPARISONS[:2]
    app = page("compare")
    app.session_state["compare asked"] = first
    run(app)
    opened_first = {name: address(app, name) for name in ("data", "panels", "same")}
    app.session_state["compare asked"] = second
    run(app)
    app.session_state["compare links known"].clear()
    app.session_state["links known"].clear()
    app.query_params.update(opened_first)
    run(app)
    assert first.watch in said(app) and "about other data" not in said(app)


def test_a_lesson_on_other_data_says_so_and_leads_back():
    wanted = next(own for own in COMPARISONS if own.title == "Rotated ellipses")
    words = "The lesson “Rotated ellipses” is about other data"
    app = page("compare")
    app.session_state["compare asked"] = wanted
    run(app)
    assert words not in said(app) and wanted.watch in said(app)
    app.session_state["data choice"] = wanted.choice.with_options(n=60)
    run(app)
    assert words in said(app)
    press(app, "compare.back")
    assert app.session_state["data choice"] == wanted.choice
    assert words not in said(app) and wanted.watch in said(app)
