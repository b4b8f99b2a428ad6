"""The Learn page: what a reader predicts, what the page answers, and where links lead."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.course import BY_NAME, CHAPTERS, PARTS, mark, play
from dpviz.text import escape_markdown
from pages import TEXTS, guessed, in_app, labelled, lines, opened, page, plain, press, run

every_chapter = pytest.mark.parametrize("name", BY_NAME)


def shown(app: AppTest) -> str:
    return "\n".join(str(element.value) for kind in TEXTS for element in app.get(kind))


def at(name: str, **guesses: int) -> AppTest:
    return opened("learn", learn=json.dumps({"chapter": name, "guesses": guesses}))


def place(app: AppTest) -> dict:
    """What the address says."""
    return json.loads(address(app, "learn"))


def address(app: AppTest, name: str) -> str:
    value = app.query_params[name]
    return value if isinstance(value, str) else value[0]


def predict(app: AppTest, guess: int) -> AppTest:
    return run(labelled(guessed(app, guess), "button", "Reveal").click())


@every_chapter
def test_a_prediction_is_quoted_and_marked_and_nothing_is_told_before(name):
    played = play(BY_NAME[name])
    app = at(name)
    assert escape_markdown(played.prompt) in shown(app) and escape_markdown(played.reveal) not in shown(app)
    guess = played.chapter.question.guesses[-1]
    app = predict(app, guess)
    marked = mark(played, guess)
    answer = app.success if marked.is_right else app.info
    assert [element.value for element in answer] == [escape_markdown(marked.words)]
    assert escape_markdown(played.reveal) in shown(app) and not [b for b in app.button if b.label == "Reveal"]
    assert place(app) == {"chapter": name, "guesses": {name: guess}}


def test_the_page_opens_with_the_first_chapter_and_leads_through_all():
    app = opened("learn")
    for number, chapter in enumerate(CHAPTERS, start=1):
        assert f"#### {number}. {escape_markdown(chapter.title)}" in shown(app)
        app = predict(app, play(chapter).truth)
        assert len(app.success) == 1
        assert f"{number} of {len(CHAPTERS)} predictions made" in shown(app)
        following = [button for button in app.button if button.key == "learn.next"]
        assert len(following) == (number < len(CHAPTERS))
        if following:
            begins = next((part for part, chapters in PARTS.items() if chapters[0][0] == number + 1), "")
            assert plain(following[0].label) == f"Next{f' ({begins})' if begins else ''}: {CHAPTERS[number].title}"
            app = run(following[0].click())
    assert place(app)["guesses"] == {name: play(chapter).truth for name, chapter in BY_NAME.items()}


def test_the_contents_list_every_chapter_below_the_heading_of_its_part():
    app = opened("learn")
    listed = [own for own in app.sidebar if own.type == "caption" or str(own.key).startswith("learn.open.")]
    expected = [
        text for part, own in PARTS.items() for text in (part, *(f"learn.open.{c.name}" for _, c in own)) if text
    ]
    assert [own.value if own.type == "caption" else own.key for own in listed][1:] == expected


def test_an_answer_has_to_be_picked():
    app = run(labelled(at("how-many"), "button", "Reveal").click())
    assert "Pick an answer first" in app.info[0].value and place(app)["guesses"] == {}
    app = run(labelled(at("rich"), "button", "Reveal").click())
    assert "Put your prediction on the line first" in app.info[0].value and place(app)["guesses"] == {}


@every_chapter
def test_every_number_can_be_predicted_also_where_keys_begin(name):
    question = BY_NAME[name].question
    for guess in [] if question.answers else [question.lower, question.start, question.upper]:
        assert place(predict(at(name), guess))["guesses"] == {name: guess}


@pytest.mark.parametrize("sent", [None, 29, 101, 10**30, 50.0, True, "50", [50], {"a": 1}])
def test_what_no_line_sends_is_no_prediction(sent):
    app = at("spheres")
    app.session_state[lines(app)[0]] = {"guess": sent}
    app = run(labelled(app, "button", "Reveal").click())
    assert app.info and place(app)["guesses"] == {}


def test_a_prediction_can_be_made_again():
    app = run(at("rich", rich=5, spheres=40).button(key="learn.again").click())
    assert place(app)["guesses"] == {"spheres": 40}
    assert lines(app) == ["learn.rich.slide"] and not app.success and not app.info
    app = run(labelled(app, "button", "Reveal").click())
    assert app.info and place(app)["guesses"] == {"spheres": 40}  # nothing is left of the first one


def test_a_link_leads_to_a_chapter_at_its_step():
    app = at("luck", luck=16, kinds=50)
    assert [element.value for element in app.success] == [escape_markdown(mark(play(BY_NAME["luck"]), 16).words)]
    app = press(app, "learn.open.kinds")
    assert [element.value for element in app.info] == [escape_markdown(mark(play(BY_NAME["kinds"]), 50).words)]


@pytest.mark.parametrize(
    "values",
    ["no JSON", "[1]", "[" * 3000, json.dumps({"chapter": "x" * 2000}), json.dumps("spheres")],
    ids=["text", "list", "deep", "long", "string"],
)
def test_a_link_that_cannot_be_read_leads_to_the_beginning_with_a_word(values):
    app = opened("learn", learn=values)
    assert "could not be read" in app.warning[0].value and f"#### 1. {escape_markdown(CHAPTERS[0].title)}" in shown(app)


@pytest.mark.parametrize("guess", [-1, 101, 10**30, 0.5, True, None, "40", [40], {"a": 1}])
def test_a_guess_that_nobody_can_make_is_left_out(guess):
    app = opened("learn", learn=json.dumps({"chapter": "spheres", "guesses": {"spheres": guess, "nosuch": 1}}))
    assert place(app) == {"chapter": "spheres", "guesses": {}}
    assert lines(app) == ["learn.spheres.slide"]
    assert plain(app.warning[0].value).endswith("so they were left out: nosuch, spheres")


def test_an_unknown_chapter_is_the_first_one():
    assert place(opened("learn", learn=json.dumps({"chapter": "nosuch"})))["chapter"] == "spheres"


@pytest.mark.parametrize("name", ["density", "outliers"])
def test_a_link_of_before_leads_to_the_chapter_that_holds_it_now(name):
    app = at("luck", luck=16)
    assert place(app)["chapter"] == "luck"
    app = opened("learn", learn=json.dumps({"chapter": name, "guesses": {name: 1, "luck": 16}}))
    assert place(app) == {"chapter": "spheres", "guesses": {"luck": 16}}
    assert plain(app.warning[0].value).endswith(f"left out: {name}")


@pytest.mark.parametrize("name", ["spheres", "kinds"])
def test_a_chapter_opens_in_explore_with_its_data_and_its_run(name):
    app = in_app("learn", learn=json.dumps({"chapter": name, "guesses": {name: 40}}))
    app = run(app)
    app = press(app, "learn.try")
    chapter = BY_NAME[name]
    choice = app.session_state["data choice"]
    assert (choice.source, choice.name) == (chapter.scene.source, chapter.scene.name)
    assert json.loads(address(app, "data"))["name"] == chapter.scene.name


def test_the_page_runs_alone():
    assert run(page("learn")).exception == []
