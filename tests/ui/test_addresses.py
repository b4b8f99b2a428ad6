"""Which addresses are links to follow: new ones, and those that the reader goes back to."""

from __future__ import annotations

import json

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpviz.analysis.studies import STUDIES
from dpviz.config import RunConfig
from dpviz.ui.explore import page as explore_page
from dpviz.ui.session import jobs, state
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell import links
from dpviz.ui.shell.page_link import MOST_KNOWN, Addresses
from pages import address, opened, opened_in_app, run, set_to, settled, shown_run, went_back

QUICK = RunConfig("mapdp", n_init=1, effort=0.0, seed=5, family="normal_wishart", prior=None)
SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=100)


def sent_again(app: AppTest, query: dict[str, str]) -> AppTest:
    """A browser asks for a script run with an address that it had before."""
    app.query_params.clear()
    app.query_params.update(query)
    return settled(run(app))


def methods_after(app: AppTest, *methods: str) -> list[dict[str, str]]:
    """Choose methods one after the other, and return the address after each."""
    addresses = []
    for method in methods:
        settled(set_to(app, "run.method", method))
        addresses.append({key: address(app, key) for key in ("data", "run")})
    return addresses


def test_an_address_that_is_a_moment_behind_undoes_no_choice():
    app = opened_in_app("explore", **links.state_query(SMALL, QUICK))
    first, second = methods_after(app, "kmeans", "dpmeans")
    assert first != second
    sent_again(app, first)
    assert app.selectbox(key="run.method").value == "dpmeans"
    assert shown_run(app).config.algorithm == "dpmeans"


def test_going_back_returns_to_the_run_that_was_shown(monkeypatch):
    app = opened_in_app("explore", **links.state_query(SMALL, QUICK))
    first, _ = methods_after(app, "kmeans", "dpmeans")
    went_back(monkeypatch)
    sent_again(app, first)
    assert app.selectbox(key="run.method").value == "kmeans"
    assert shown_run(app).config.algorithm == "kmeans"
    went_back(monkeypatch, did=False)
    set_to(app, "run.method", "mapdp")
    assert app.selectbox(key="run.method").value == "mapdp"


PLACES = {"tune": "tune.place", "priors": "priors.place", "posterior": "posterior.place", "papers": "papers.study"}


@pytest.mark.parametrize("name", PLACES)
def test_pages_undo_nothing_when_the_address_is_behind_and_return_when_one_goes_back(monkeypatch, name):
    quick = {"tune": json.dumps({"tab": "grid"})} if name == "tune" else {}  # the first tab computes at once
    monkeypatch.setattr(jobs, "UNASKED_GRID", 0.0)  # what the others compute is not in the address
    app = opened(name, data=SMALL, **quick)

    def control():
        return app.selectbox(key=PLACES[name]) if name == "papers" else app.segmented_control(key=PLACES[name])

    options = control().options[1:4:2] if name != "papers" else list(STUDIES)[1:3]
    settled(run(control().set_value(options[0])))
    before = {key: address(app, key) for key in app.query_params}
    settled(run(control().set_value(options[1])))
    sent_again(app, before)
    assert control().value == options[1]
    went_back(monkeypatch)
    sent_again(app, before)
    assert control().value == options[0]


def test_known_addresses_are_kept_up_to_a_number():
    st.session_state.clear()
    addresses = Addresses("known here")
    for number in range(MOST_KNOWN + 1):
        assert addresses.is_link(str(number))
        addresses.note(str(number))
    assert addresses.is_link("0") and not addresses.is_link("1")
    addresses.forget("1")
    assert addresses.is_link("1")
    st.session_state.clear()


def test_a_run_that_is_cut_short_while_it_is_shown_keeps_no_other_from_running(monkeypatch):
    """The reader changes back to the former method in the moment in which another one's result is shown."""
    app = opened("explore", **links.state_query(SMALL, QUICK))
    methods_after(app, "dpmeans")
    assert shown_run(app).config.algorithm == "dpmeans"
    remember, cut = links.remember, []

    def remember_once_cut(choice, config=None, *more):
        if not cut:
            cut.append(config)
            state.put({"run.method": "dpmeans"})
            st.rerun()
        remember(choice, config, *more)

    monkeypatch.setattr(explore_page.links, "remember", remember_once_cut)
    settled(set_to(app, "run.method", "kmeans"))
    assert [config.algorithm for config in cut] == ["kmeans"]
    assert app.selectbox(key="run.method").value == "dpmeans"
    assert shown_run(app).config.algorithm == "dpmeans"
