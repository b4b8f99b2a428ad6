"""The app as a whole: what is chosen on one page is what the others show."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.course import GLOSSARY
from dpviz.text import escape_markdown
from dpviz.ui.shell.navigation import PAGES
from dpviz.ui.start.page import DOORS
from pages import chosen, close, go_to, in_app, run, set_to, settled, shown_run
from pages import page as alone


@pytest.fixture
def app() -> AppTest:
    return settled(in_app("explore").run())


def test_opens_on_a_film_that_is_ready_to_play_and_on_three_doors():
    app = run(in_app())
    assert not app.error
    assert [component.key for component in app.get("bidi_component")] == ["frame", "hero", "hero engine"]
    assert [link.label for link in app.get("page_link")] == [words for _, words, *_ in DOORS]


def test_explore_opens_on_a_run_that_is_ready_to_play(app):
    assert not app.error
    assert any(component.key == "explore player" for component in app.get("bidi_component"))
    assert shown_run(app).trace.n_sweeps > 1


def test_own_data_are_a_click_away_beside_a_page_also_before_there_are_any(app):
    before = chosen(app)
    set_to(app, "data.source", "session")
    doors = [link.label for link in app.sidebar.get("page_link")]
    assert {words for name, words, *_ in DOORS if name == "data"} <= set(doors)
    assert chosen(app) == before and not app.error and not app.exception
    assert chosen(run(go_to(app, "tune"))) == before


@pytest.mark.parametrize("route", [("tune", "explore", "tune"), ("compare", "explore", "data", "explore")])
def test_chosen_data_outlive_a_change_of_page(app, route):
    set_to(app, "data.source", "bundled")
    set_to(app, "data.name.bundled", "ruspini")
    assert chosen(app).name == "ruspini"
    for page in route:
        for again in (go_to(app, page), app):  # what a page computes is not waited for
            assert chosen(run(again)).name == "ruspini", f"lost on {page}"
    close(app)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_stands_alone_and_explains_its_words(page):
    app = run(alone(page))
    assert not app.error
    words = "\n".join(str(element.value) for element in app.markdown)
    assert all(f"**{escape_markdown(term)}.**" in words for term in GLOSSARY)
    close(app)
