"""Explore's second opinion on the number of groups: asked by a switch, in the background, for the run that is shown."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.analysis.second_opinion import NOT_TRIED, second_opinion
from dpviz.config import RunConfig
from dpviz.errors import InvalidDataError
from dpviz.text import escape_markdown
from dpviz.ui.controls import opinion
from dpviz.ui.controls.opinion import KEY
from dpviz.ui.explore.showing import Showing
from dpviz.ui.session import computation
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell import links
from pages import opened, press, set_to, settled

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=100)
QUICK = RunConfig("mapdp", n_init=2, init="single", seed=5, family="normal_wishart", prior=None)


def captions(app: AppTest) -> list[str]:
    return [caption.value for caption in app.caption]


def shown(app: AppTest) -> Showing:
    return app.session_state["explore"]


@pytest.fixture
def page() -> AppTest:
    """A quick run of MAP-DP."""
    computation.forget_all("explore opinion")
    return opened("explore", **links.state_query(SMALL, QUICK))


def test_nothing_is_asked_before_the_switch_is_on_and_then_for_each_run(page):
    before = captions(page)
    settled(set_to(page, KEY, True))
    for seed in (None, 7):
        if seed is not None:
            settled(set_to(page, "run.seed", seed))
        finished = shown(page).finished
        assert finished is not None
        found = second_opinion(finished.prepared.X, finished.trace)
        assert found is not None and escape_markdown(found.text) in captions(page)
        assert escape_markdown(found.text) not in before and NOT_TRIED not in captions(page)
    set_to(page, KEY, False)
    assert escape_markdown(found.text) not in captions(page)


def test_what_takes_long_waits_for_the_reader(page, monkeypatch):
    monkeypatch.setattr(opinion.jobs, "UNASKED_OPERATIONS", -1.0)
    set_to(page, KEY, True)
    assert any(said.startswith(NOT_TRIED) and "about" in said for said in captions(page))
    settled(press(page, f"{KEY}.ask"))
    assert not any(said.startswith(NOT_TRIED) for said in captions(page))


def test_a_method_without_a_law_has_none_and_says_why(page):
    settled(set_to(page, "run.method", "kmeans"))
    assert any("No second opinion" in said and "law of partitions" in said for said in captions(page))
    assert not [toggle for toggle in page.toggle if toggle.key == KEY]


def test_an_error_is_said_and_may_be_tried_again(page, monkeypatch):
    def fails(*_):
        raise InvalidDataError("these data are too odd")

    with monkeypatch.context() as patched:
        patched.setattr(opinion, "opinion_steps", fails)
        settled(set_to(page, KEY, True))
        assert ["these data are too odd"] == [error.value for error in page.error]
    settled(press(page, f"{KEY}.ask"))
    assert not page.error and NOT_TRIED not in captions(page)
