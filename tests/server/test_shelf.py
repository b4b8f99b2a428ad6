"""What a browser brought: a reload finds it again, no other browser does, and it goes when it is told to."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.ui.controls.both_answers import offer_directions
from dpviz.ui.data import upload
from dpviz.ui.session import chosen_data, jobs, kept, shelf
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset
from dpviz.ui.session.computation import FINISHED
from dpviz.ui.session.kept import OwnData
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.session.shelf import Shelf, is_secret, new_secret
from dpviz.ui.shell import links
from pages import checked, opened, page, press, run, said, set_to, shown_run

CONFIG = RunConfig("mapdp", n_init=2, init="single", seed=5, family="normal_wishart", prior=None)
TABLE = "who;x;y\n" + "".join(f"anna{i};{i * i % 23},5;{i * 7 % 19}\n" for i in range(60))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def some(name: str = "table") -> Dataset:
    return Dataset(X=np.arange(24.0).reshape(12, 2) ** 2, name=name)


def test_data_stay_for_their_time_after_the_last_use_and_as_long_as_a_session_has_them():
    clock = Clock()
    found = Shelf(seconds=100, clock=clock)
    one, other = new_secret(), new_secret()
    assert found.find(one) is None and len(found) == 0
    own = found.at(one)
    own.keep("a", some())
    assert found.find(one) is own and found.find(other) is None
    clock.now = 99.0
    assert found.find(one) is own  # from when they have their whole time again
    clock.now = 198.0
    del own
    gc.collect()
    again = found.find(one)
    assert again is not None and list(again) == ["a"]
    clock.now = 400.0
    found.let_go()
    gc.collect()
    assert found.find(one) is again  # a tab is open
    del again
    clock.now = 500.0
    found.let_go()
    gc.collect()
    assert found.find(one) is None and len(found) == 0


def test_the_time_ends_by_itself_though_nobody_asks():
    found = Shelf(seconds=0.05)
    found.at(new_secret()).keep("a", some())
    alarm = found._alarm
    assert alarm is not None and alarm.daemon
    alarm.join()
    while found._alarm is not alarm and found._alarm is not None and found._kept:
        found._alarm.join()  # it came a moment too early
    gc.collect()
    assert len(found) == 0


def test_there_is_a_most_of_browsers():
    clock = Clock()
    found = Shelf(most=3, clock=clock)
    secrets = [new_secret() for _ in range(5)]
    for secret in secrets:
        clock.now += 1
        found.at(secret).keep("a", some())
    gc.collect()
    assert [found.find(secret) is not None for secret in secrets] == [False, False, True, True, True]


def test_a_place_that_is_still_empty_is_the_place():
    found, secret = Shelf(), new_secret()
    assert found.at(secret) is found.at(secret)


@pytest.fixture
def browser(monkeypatch) -> Iterator[list[str | None]]:
    """The secret of the browser whose sessions run now, to be replaced."""
    monkeypatch.setattr(shelf, "SHELF", Shelf())
    present: list[str | None] = [new_secret()]
    monkeypatch.setattr(shelf, "secret_of_browser", lambda: present[0])
    yield present
    upload._TABLES.clear()
    upload._CONVERTED.clear()


def bring(app: AppTest) -> DataChoice:
    """Upload the table, with a column that is left out by hand, and use it."""
    checked(set_to(app, "data way", "Load"))
    app.file_uploader(key="data file").set_value(("t.csv", TABLE.encode(), "text/csv"))
    run(app)
    checked(press(app, "data use"))
    choice: DataChoice = app.session_state["data choice"]
    return choice


@pytest.mark.usefixtures("tables_read_here")
def test_a_reload_finds_table_reading_and_run_and_another_browser_none_of_it(browser):
    choice = bring(run(page("data")))
    first = opened("explore", **links.state_query(choice, CONFIG))
    again = opened("explore", **links.state_query(choice, CONFIG))
    assert shown_run(again).trace is shown_run(first).trace
    assert not again.warning and shown_run(again).prepared.dataset.frame is not None

    form = opened("data", data=choice)
    words = said(form)
    assert "These data are in use on every page." in words and "cells separated by semicolon" in words
    assert "Kept of yours" not in words and "for all tabs of this browser" in words

    mine, browser[0] = browser[0], new_secret()
    stranger = opened("explore", **links.state_query(choice, CONFIG))
    assert "another browser" in said(stranger)
    assert shown_run(stranger).choice == DataChoice()
    assert not stranger.session_state["own data"]
    browser[0] = mine
    assert shown_run(opened("explore", **links.state_query(choice, CONFIG))).choice.name == choice.name


@pytest.mark.usefixtures("tables_read_here")
def test_what_is_forgotten_is_gone_in_all_tabs_and_from_every_store(browser):
    for store in (upload._TABLES, upload._CONVERTED):
        store.clear()
    choice = bring(run(page("data")))
    opened("explore", **links.state_query(choice, CONFIG))
    other = opened("data", data=choice)
    held = [key for store in kept._stores for key in store.keys() if choice.name in repr(key)]
    assert len(held) >= 3 and len(upload._TABLES) == len(upload._CONVERTED) == 1

    checked(press(other, "data forget 0"))
    assert other.session_state["data choice"] == DataChoice()
    assert not [key for store in kept._stores for key in store.keys() if choice.name in repr(key)]
    assert len(upload._TABLES) == len(upload._CONVERTED) == 0
    assert "for all tabs of this browser" not in said(other)
    late = opened("explore", **links.state_query(choice, CONFIG))
    assert "their time here is over" in said(late) and shown_run(late).choice == DataChoice()


def test_without_cookies_data_belong_to_their_session(browser):
    browser[0] = None
    own = OwnData()
    own.keep("n" * 32, some("mine"))
    app = page("data", data=DataChoice("session", "n" * 32))
    app.session_state["own data"] = own
    run(app)
    assert "this browser takes no cookies from here" in said(app)
    assert len(shelf.SHELF) == 0


def test_draws_are_dropped_before_tables_that_somebody_brought(monkeypatch):
    monkeypatch.setattr(kept, "MOST_SESSION_DATA", 3)
    own = OwnData()
    own.keep("table", some("my table"), source="a file")
    for draw in "abcd":
        own.keep(draw, some(draw))
    assert list(own) == ["table", "c", "d"] and own.dropped == ("b",)


@pytest.mark.usefixtures("tables_read_here")
def test_one_of_two_data_of_a_table_is_forgotten_and_the_other_can_be_read_again(browser):
    app = run(page("data"))
    first = bring(app)
    second = keep_session_dataset(some("another"), source=chosen_data.source_of(first.name))
    upload.forget_tables([first.name])
    source = chosen_data.source_of(second.name)
    assert source is not None and source.upload.held.n_bytes > 0  # type: ignore[attr-defined]
    upload.forget_tables([first.name, second.name])
    assert source.upload.held.n_bytes == 0  # type: ignore[attr-defined]


def test_data_dropped_to_make_room_take_their_results_with_them(monkeypatch):
    monkeypatch.setattr(kept, "MOST_SESSION_DATA", 1)
    own = OwnData()
    own.keep("first", some())
    key = ("run", (replace(DataChoice("session", "first")), CONFIG))
    FINISHED.put(key, "a result")
    assert FINISHED.find(key) == "a result"
    own.keep("second", some())
    assert FINISHED.find(key) is None and list(own) == ["second"]
    FINISHED.put(key, "the result of a run that was still going on")
    assert FINISHED.find(key) is None


@pytest.mark.parametrize("value", [None, "", "a" * 42, "a" * 44, "a" * 42 + "=", 7, "é" * 43])
def test_only_a_whole_secret_is_one(value):
    assert is_secret(new_secret()) and not is_secret(value)


def test_drawings_stay_with_their_session(browser, monkeypatch):
    sessions: list[dict[str, object]] = [{}, {}]
    monkeypatch.setattr(st, "session_state", sessions[0])
    drawn = keep_session_dataset(some(), kind=chosen_data.DRAWN)
    brought = keep_session_dataset(some())
    assert chosen_data.is_here(drawn) and chosen_data.is_here(brought)
    monkeypatch.setattr(st, "session_state", sessions[1])
    assert chosen_data.is_here(brought) and not chosen_data.is_here(drawn)
    chosen_data.forget_own(brought.name)
    monkeypatch.setattr(st, "session_state", sessions[0])
    assert chosen_data.is_here(drawn) and not chosen_data.is_here(brought)


def test_a_run_that_is_still_shown_when_its_data_are_forgotten_is_no_error():
    offer_directions(DataChoice("session", "0" * 32), RunConfig("mapdp"), "explore")
    app = opened("explore")
    shown = shown_run(app)
    app.session_state["explore"].finished = replace(shown, choice=DataChoice("session", "0" * 32))
    assert jobs.finished_run(Asked(shown.choice, shown.config), shown.prepared) is not None
