"""A class: what lecturer and students see of it, in one window or two, until it has ended; and its drawing."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.course import BY_NAME, CHAPTERS, PARTS, Chapter, index_page, mark, play
from dpviz.course.figure import caption
from dpviz.course.histogram import MOST_BINS, bin_width, histogram, in_words
from dpviz.course.index import entry, minutes
from dpviz.datasets.tables import export_csv, read_table
from dpviz.errors import NotKeptError
from dpviz.text import escape_markdown
from dpviz.ui.classroom import lecture, seats
from dpviz.ui.session import board as board_module
from dpviz.ui.session.board import CLASS_SECONDS, LEFT_SECONDS, MOST_CLASSES_OF_ONE, Board
from dpviz.words import say
from pages import guessed, in_app, labelled, lines, opened, plain, press, run, said, set_to

NUMBER, CHOICE = BY_NAME["luck"], BY_NAME["how-many"]


@pytest.fixture(autouse=True)
def kept(monkeypatch) -> Board:
    made = Board()
    monkeypatch.setattr(board_module._PLACE, "board", made)
    return made


def opened_class(chapter: Chapter) -> tuple[AppTest, str]:
    """A lecturer's page with a class that was opened there, and its code."""
    app = run(in_app("classroom", chapter=chapter.name))
    press(app, "class.ask")
    code = app.query_params["code"]
    return app, code if isinstance(code, str) else code[0]


def student(code: str) -> AppTest:
    return run(in_app("classroom", code=code))


def answer(app: AppTest, guess: int) -> AppTest:
    return run(labelled(guessed(app, guess), "button", "Send my answer").click())


def drawn(app: AppTest) -> str:
    return "\n".join(own.proto.body for own in app.get("html"))


@pytest.mark.parametrize("chapter", [NUMBER, CHOICE], ids=["number", "choice"])
def test_a_class_answers_and_the_lecturer_reveals_and_ends_it(chapter):
    played, question = play(chapter), chapter.question
    lecturer, code = opened_class(chapter)
    (link,) = [
        json.loads(own.proto.json) for own in lecturer.get("bidi_component") if "share" in own.proto.component_name
    ]
    assert link["url"] == f"http://localhost/classroom?code={code}" and "0 answers" in said(lecturer)
    guesses = [question.guesses[0], question.guesses[-1], question.guesses[0]]
    students = [student(f" {code.lower()}"), student(code), student(code)]
    for app, guess in zip(students, guesses, strict=True):
        assert plain(played.prompt) in said(app) and plain(played.reveal) not in said(app)
        answer(app, guess)
        assert f"You answered {question.words(guess)}" in said(app) and plain(played.reveal) not in said(app)
    run(students[2].button(key="class.change").click())
    answer(students[2], played.truth)
    counts = {guess: [*guesses[:2], played.truth].count(guess) for guess in {*guesses, played.truth}}
    run(lecturer)
    assert "3 answers" in said(lecturer) and in_words(question, counts) not in drawn(lecturer)
    assert caption(chapter, played.dataset) in drawn(lecturer)  # the data are in sight meanwhile
    set_to(lecturer, "class.hidden", False)
    assert "3 answers" in said(lecturer) and in_words(question, counts) in drawn(lecturer)
    assert "The run" not in drawn(lecturer) + said(lecturer)
    press(lecturer, "class.reveal")
    right = sum(number for guess, number in counts.items() if abs(guess - played.truth) <= question.close)
    assert f"{right} of 3 answers right" in said(lecturer) and plain(played.reveal) in said(lecturer)
    assert in_words(question, counts, played.truth) in drawn(lecturer)
    assert [own.proto.label for own in lecturer.get("download_button")] == ["Answers (CSV)"]
    for app, guess in zip(students, [*guesses[:2], played.truth], strict=True):
        run(app)
        assert plain(mark(played, guess).words) in said(app) and in_words(question, counts, played.truth) in drawn(app)
    late = student(code)
    assert "revealed before you sent one" in said(late) and not lines(late) and not late.radio
    press(lecturer, "class.end")
    assert "has ended, and its answers are forgotten" in said(lecturer)
    run(students[0])
    assert "This class has ended" in said(students[0])
    run(students[0].button(key="class.chapter").click())
    assert plain(mark(played, guesses[0]).words) in said(students[0])  # in the course, with the prediction
    assert f"No class has the code {code}" in said(student(code))


@pytest.mark.parametrize("chapter", [NUMBER, CHOICE], ids=["number", "choice"])
def test_the_table_of_a_class_has_every_answer_with_its_count_and_whether_it_is_right(chapter):
    played, question = play(chapter), chapter.question
    counts = {question.guesses[0]: 2, question.guesses[-1]: 7, played.truth: 3}
    table = read_table(export_csv(lecture.answers_table(played, counts)), "x.csv").frame
    given = dict(zip(table["answer"], table["given"], strict=True))
    assert {words: number for words, number in given.items() if number} == {
        question.words(guess): number for guess, number in counts.items()
    }
    assert len(table) == (len(question.answers) or len(counts)) and set(table["question"]) == {played.prompt}
    right = table.loc[table["right"].astype(str) == "True", "answer"]
    assert question.words(played.truth) in list(right)
    numbers = table["guess"] - (1 if question.answers else 0)
    assert (abs(numbers[right.index] - played.truth) <= question.close).all()
    assert table["given"].sum() == sum(counts.values())


def test_every_window_of_a_lecturer_s_browser_is_the_lecturer_s(monkeypatch):
    monkeypatch.setattr(seats, "seat", lambda: "same")
    for module in ("page", "lecture", "attend"):
        monkeypatch.setattr(f"dpviz.ui.classroom.{module}.seat", lambda: "same")
    first, code = opened_class(CHOICE)
    second = student(code)
    assert [own.key for own in second.button if own.key == "class.reveal"] == ["class.reveal"]
    third = run(in_app("classroom"))
    press(third, f"class.own.{code}")
    press(second, "class.reveal")
    assert f"The run: {CHOICE.question.words(play(CHOICE).truth)}" in said(run(first)) and "0 of 0" not in said(first)
    press(second, "class.end")
    assert f"No class has the code {code}" in said(run(first))
    for _ in range(MOST_CLASSES_OF_ONE):
        app, _ = opened_class(CHOICE)
    app = run(in_app("classroom", chapter=CHOICE.name))
    press(app, "class.ask")
    assert "End one of them first" in app.error[0].value
    press(app, "class.again")
    assert len([own for own in app.button if str(own.key).startswith("class.own.")]) == MOST_CLASSES_OF_ONE


def test_a_class_goes_on_to_another_question_without_joining_anew(kept):
    lecturer, code = opened_class(CHOICE)
    answered, looks = student(code), student(code)  # one of them does not answer
    answer(answered, 1)
    press(lecturer, "class.reveal")
    assert lecturer.selectbox(key=f"class.next.{CHOICE.name}").value == CHAPTERS[CHAPTERS.index(CHOICE) + 1].name
    set_to(lecturer, f"class.next.{CHOICE.name}", NUMBER.name)
    press(lecturer, "class.ask_next")
    assert plain(play(NUMBER).prompt) in said(lecturer) and "0 answers" in said(lecturer)
    for app in (answered, looks):
        run(app)
        assert plain(play(NUMBER).prompt) in said(app) and plain(play(CHOICE).reveal) not in said(app)
        answer(app, play(NUMBER).truth)
    assert kept.counts(code) == {play(NUMBER).truth: 2}
    stale = student(code)
    press(lecturer, "class.reveal")
    set_to(lecturer, f"class.next.{NUMBER.name}", CHOICE.name)
    press(lecturer, "class.ask_next")
    run(stale)
    assert plain(play(CHOICE).prompt) in said(stale) and kept.counts(code) == {}


def test_of_two_windows_of_a_student_the_last_answer_counts_and_both_say_it(monkeypatch, kept):
    _, code = opened_class(NUMBER)
    monkeypatch.setattr("dpviz.ui.classroom.attend.seat", lambda: "same")
    first, second = student(code), student(code)
    guess, other = play(NUMBER).chapter.question.guesses[:2]
    answer(first, guess)
    answer(second, other)  # its form was open before
    words = NUMBER.question.words
    assert f"You answered {words(other)}" in plain(said(second)) and kept.counts(code) == {other: 1}
    assert f"You answered {words(other)}" in plain(said(run(first)))


def test_a_student_who_looked_at_other_pages_finds_the_way_back():
    _, code = opened_class(CHOICE)
    app = answer(student(code), 1)
    del app.query_params["code"]
    run(app)
    press(app, "class.back")
    assert "You answered" in said(app) and app.query_params["code"] in (code, [code])


@pytest.mark.parametrize("code", ["XXXXX", "x" * 100_000, "<b>a</b>", "'--", "\N{SNOWMAN}" * 5, " "])
def test_a_code_of_no_class_is_said_and_another_can_be_given(code):
    app = student(code)
    if code.strip():
        assert "No class has the code" in app.warning[0].value and "<b>" not in app.warning[0].value
    app.text_input(key="class.code").set_value("zzzzz")
    run(labelled(app, "button", "Join").click())
    assert "No class has the code ZZZZZ" in said(app)


def test_a_class_of_which_the_server_knows_nothing_any_more_leads_on(kept, monkeypatch):
    lecturer, code = opened_class(NUMBER)
    app = answer(student(code), 3)
    now = kept._clock()
    monkeypatch.setattr(kept, "_clock", lambda: now + CLASS_SECONDS + 1)
    assert "This class has ended" in said(run(app)) and "No class has the code" in said(run(lecturer))


def test_an_answer_that_comes_too_late_is_not_kept_and_says_so(kept):
    lecturer, code = opened_class(NUMBER)
    app = student(code)
    for button in lecturer.button:
        if button.key == "class.reveal":
            run(button.click())
    answer(app, 3)
    assert "revealed before you sent one" in said(app) and kept.counts(code) == {}


@pytest.mark.parametrize("step", ["reveal", "end"])
def test_a_step_that_the_server_cannot_take_is_said_and_can_be_taken_again(step, kept, monkeypatch):
    lecturer, _ = opened_class(CHOICE)

    def full(*_):
        raise NotKeptError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(kept, step, full)
        press(lecturer, f"class.{step}")
    own = lecturer.session_state[seats._SEAT]
    assert "This was not done. The disk is full" in said(lecturer) and not kept.own(own)[0].revealed
    press(lecturer, f"class.{step}")
    assert "not done" not in said(lecturer)
    assert [lesson.revealed for lesson in kept.own(own)] == [True] * (step == "reveal")


def test_a_class_that_was_revealed_is_looked_at_while_its_lecturer_shows_it(monkeypatch):
    lecturer, _ = opened_class(CHOICE)
    intervals: list[float] = []

    def fragment(drawn, run_every):
        intervals.append(run_every)
        return drawn

    monkeypatch.setattr(lecture.st, "fragment", fragment)
    press(lecturer, "class.reveal")
    assert intervals and max(intervals) < LEFT_SECONDS


def test_the_course_leads_to_a_class_of_its_chapter():
    app = run(in_app("learn", learn=json.dumps({"chapter": CHOICE.name})))
    (door,) = [own for own in app.get("page_link") if "class" in own.proto.label.lower()]
    assert (door.proto.page, door.proto.query_string) == ("classroom", f"chapter={CHOICE.name}")


def heights(drawing: str) -> list[float]:
    return [float(high) for high in re.findall(r'<rect [^>]*height="([0-9.]+)"', drawing)]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda own: own.name)
def test_the_drawing_counts_every_answer_where_it_belongs(chapter):
    question = chapter.question
    counts = {guess: 1 + place % 3 for place, guess in enumerate(question.guesses)}
    drawing = histogram(question, counts, question.guesses[0])
    numbers = [int(found) for found in re.findall(r">(\d+)</text>", drawing)]
    if question.answers:
        assert [number for number in numbers if number] == list(counts.values())
        assert drawing.count("✓") == 1
        return
    wide = bin_width(question)
    assert len(heights(drawing)) <= MOST_BINS + 1 and f"the run · {question.lower:,}" in drawing
    bins: dict[int, int] = {}
    for guess, number in counts.items():
        bins[guess // wide] = bins.get(guess // wide, 0) + number
    assert len(heights(drawing)) == len(bins)
    tallest = max(bins.values())
    for high, number in zip(heights(drawing), bins.values(), strict=True):
        assert high == pytest.approx(max(heights(drawing)) * number / tallest, abs=0.06)


def test_the_index_lists_every_chapter_with_what_it_needs():
    played = [play(chapter) for chapter in CHAPTERS]
    page = index_page(played, [f"{number}.html" for number in range(1, len(CHAPTERS) + 1)], ["w.html"] * len(CHAPTERS))
    for number, own in enumerate(played, start=1):
        assert f'<a href="{number}.html">' in page and own.prompt.replace("'", "&#x27;") in page
    assert f"{sum(map(minutes, CHAPTERS))} minutes in all" in page and "http:" not in page and "https:" not in page
    heading = next(part for part in PARTS if part)
    assert page.index(BY_NAME["question"].title) < page.index(f"{heading}</th>") < page.index(BY_NAME["giant"].title)
    chapter = BY_NAME["how-many"]
    own = entry(chapter, 2)
    assert (own.answer, own.methods, own.knobs) == ("one of 3 answers", ("K-means", "MAP-DP"), ("K",))
    assert 4 <= minutes(chapter) <= 6
    assert set(entry(BY_NAME["rich"], 4).knobs) == {"N0", "r", "partition prior"}


def test_a_link_of_before_asks_the_chapter_that_holds_it_now():
    app = run(in_app("classroom", chapter="density"))
    assert app.button(key="class.ask").label == escape_markdown(say("classroom.ask", title=BY_NAME["spheres"].title))
    assert not [own for own in run(in_app("classroom", chapter="nosuch")).button if own.key == "class.ask"]


def test_the_page_of_a_class_lists_the_chapters():
    app = opened("classroom")
    for number, chapter in enumerate(CHAPTERS, start=1):
        assert plain(f"{minutes(chapter)} min · {chapter.about}") in said(app)
        assert app.button(key=f"class.open.{chapter.name}").label == escape_markdown(f"{number}. {chapter.title}")
