"""A model that short runs chose stays while N0, the temperature or the seed turn, until it is to be chosen again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.config import RunConfig
from dpviz.errors import InvalidParameterError
from dpviz.fit.automatic import resolve
from dpviz.partition import ChineseRestaurant
from dpviz.ui.compare import links as compare_links
from dpviz.ui.session import exports
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.computation import forget_all
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.shell import links
from dpviz.ui.shell.page_link import as_text
from pages import address, opened, press, run, said, set_to, settled, shown_run

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=100)
"""Points for which N0 = 3 and N0 = 0.3 choose other families and widths."""
ASKED = RunConfig("mapdp", n_init=2, init="single", partition=ChineseRestaurant(3.0))
CHAIN = RunConfig("gibbs", n_sweeps=30, burn_in=10, partition=ChineseRestaurant(3.0))
N0 = "run.partition.chinese_restaurant.concentration"
MODEL = ("family", "prior", "directions", "transform")
AGAIN = "run.choose"


@pytest.fixture(autouse=True)
def _nothing_known():
    """What other tests chose or ran is not there already."""
    forget_all()


def model(config: RunConfig) -> tuple[Any, ...]:
    return tuple(getattr(config, name) for name in MODEL)


def at(config: RunConfig, concentration: float) -> RunConfig:
    return replace(config, partition=ChineseRestaurant(concentration))


def explore(config: RunConfig = ASKED, choice: DataChoice = SMALL) -> AppTest:
    return opened("explore", **links.state_query(choice, config))


def turned(app: AppTest, concentration: float) -> AppTest:
    return settled(set_to(app, N0, concentration))


def shown(app: AppTest) -> Finished:
    found: Finished = shown_run(app)
    return found


def offers(app: AppTest) -> bool:
    return any(button.key == AGAIN for button in app.button)


def refuse(monkeypatch: pytest.MonkeyPatch, first: Finished) -> None:
    """Let settings below N0 = 1 refuse the model of a run."""
    checked = Job._checked

    def refusing(job, config):
        if model(config) == model(first.config) and config.partition.concentration < 1:
            raise InvalidParameterError("N0 = 0.3 is not for such clusters.")
        return checked(job, config)

    monkeypatch.setattr(Job, "_checked", refusing)


def same_run(one: Any, other: Any) -> None:
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.nll, other.nll)
    assert one.config == other.config


def test_n0_and_the_seed_turn_with_the_model_of_the_run_that_is_shown():
    app = explore()
    first = shown(app)
    X = first.prepared.X
    assert first.kept is None and not offers(app)
    low, anew = turned(app, 0.3), resolve(X, at(ASKED, 0.3)).config
    assert model(shown(low).trace.config) == model(first.trace.config) != model(anew)
    assert shown(low).trace.config.partition.concentration == 0.3 and shown(low).settings == at(ASKED, 0.3)
    same_run(shown(low).trace, dpviz.run(X, at(first.config, 0.3)))
    assert "The model was chosen at N0 = 3, seed 0, and is kept." in said(app.main) and offers(app)
    settled(set_to(app, "run.seed", 7))
    assert shown(app).config.seed == 7 and model(shown(app).config) == model(first.config) and offers(app)
    settled(set_to(app, "run.seed", 0))
    turned(app, 3.0)  # where the model was chosen
    assert shown(app).config == first.config and shown(app).kept is None and not offers(app)
    assert "is kept" not in said(app.main)


def test_the_temperature_of_a_chain_turns_with_its_model():
    app = explore(CHAIN)
    first = shown(app)
    turned(app, 0.3)
    settled(set_to(app, "run.temperature.gibbs", 0.5))
    assert shown(app).config.temperature == 0.5 and shown(app).config.partition.concentration == 0.3
    assert model(shown(app).config) == model(first.config) and offers(app)
    same_run(shown(app).trace, dpviz.run(first.prepared.X, shown(app).config))


def test_the_model_is_chosen_again_as_the_library_does():
    app = turned(explore(), 0.3)
    settled(press(app, AGAIN))
    found = shown(app)
    assert found.kept is None and found.settings == at(ASKED, 0.3) and not offers(app)
    same_run(found.trace, dpviz.run(found.prepared.X, at(ASKED, 0.3)))
    assert "is kept" not in said(app.main)
    turned(app, 30.0)  # now it is this one that stays
    assert model(shown(app).config) == model(found.config)
    assert "The model was chosen at N0 = 0.3, seed 0, and is kept." in said(app.main)


def test_an_address_leads_to_the_run_that_is_shown_and_to_the_choice():
    app = turned(explore(), 0.3)
    query = {name: address(app, name) for name in ("data", "run", "kept")}
    taken = dict(parse_qsl(links.link(shown(app).choice, shown(app).settings, 0, None, shown(app).kept)[1:]))
    assert {name: taken[name] for name in query} == query
    forget_all()
    again = opened("explore", **query)
    same_run(shown(again).trace, shown(app).trace)
    assert shown(again).settings == shown(app).settings and not again.warning and offers(again)
    assert "The model was chosen at N0 = 3, seed 0, and is kept." in said(again.main)
    turned(again, 30.0)
    assert model(shown(again).config) == model(shown(app).config)
    without = opened("explore", data=query["data"], run=query["run"])
    same_run(shown(without).trace, shown(app).trace)
    settled(press(again, AGAIN))
    same_run(shown(again).trace, dpviz.run(shown(again).prepared.X, at(ASKED, 30.0)))


def test_what_is_taken_away_makes_the_run_that_is_shown_and_says_when_its_model_was_chosen():
    app = turned(explore(), 0.3)
    found, space = shown(app), {}
    exec(exports.code_of(found), space)
    same_run(space["trace"], found.trace)
    assert "The model was chosen at N0 = 3, seed 0, and is kept." in exports.run_json(found)


@pytest.mark.parametrize(
    "change",
    [
        lambda app: app.selectbox(key="run.partition").set_value("pitman_yor"),
        lambda app: app.selectbox(key="run.method").set_value("gibbs"),
    ],
)
def test_another_prior_or_method_chooses_for_itself(change):
    app = turned(explore(), 0.3)
    settled(run(change(app)))
    found = shown(app)
    assert found.kept is None and not offers(app)
    assert model(found.config) == model(resolve(found.prepared.X, found.settings).config)


def test_other_data_and_columns_choose_for_themselves():
    app = turned(explore(), 0.3)
    for choice in (SMALL.with_options(n=60), replace(SMALL, scaling="standardise")):
        app.session_state["data choice"] = choice
        settled(run(app))
        found = shown(app)
        assert found.choice == choice and found.kept is None and not offers(app)
        assert model(found.config) == model(resolve(found.prepared.X, found.settings).config)


def test_a_link_to_an_automatic_run_has_it_choose_whatever_was_shown():
    app = explore()
    app.query_params.update(links.state_query(SMALL, at(ASKED, 0.3)))
    settled(run(app))
    assert shown(app).kept is None
    same_run(shown(app).trace, dpviz.run(shown(app).prepared.X, at(ASKED, 0.3)))


def test_who_asks_for_the_same_settings_gets_no_run_with_the_model_of_others():
    kept = shown(turned(explore(), 0.3))
    other = shown(explore(at(ASKED, 0.3)))
    assert other.kept is None and model(other.config) != model(kept.config)


def test_who_names_what_was_chosen_elsewhere_is_shown_the_run_as_that():
    made = shown(explore()).config
    app = explore(made)
    assert shown(app).settings == shown(app).config == made
    assert "Chosen by nll" not in said(app.main) and not app.warning


def test_a_run_is_found_again_with_its_model():
    app = turned(explore(), 0.3)
    before = shown(app)
    turned(app, 30.0)
    turned(app, 0.3)
    assert shown(app).trace is before.trace and shown(app).kept is not None


def test_a_model_that_other_settings_refuse_is_chosen_anew_and_the_page_says_so(
    monkeypatch,
):
    app = explore()
    first = shown(app)

    refuse(monkeypatch, first)
    turned(app, 0.3)
    assert shown(app).kept is None and not app.error
    same_run(shown(app).trace, dpviz.run(first.prepared.X, at(ASKED, 0.3)))
    assert "could not be kept, so that it was chosen anew: N0 = 0.3 is not for such clusters." in said(app.main)
    assert not any("could not be kept" in note for note in shown(explore(at(ASKED, 0.3))).notes)


def test_a_model_with_which_the_run_fails_is_chosen_anew_and_the_page_says_so(monkeypatch):
    app = explore()
    first, swept = shown(app), Job._sweeps

    def failing(job):
        for step in swept(job):
            if job.kept is not None:
                raise InvalidParameterError("These clusters lost their digits.")
            yield step

    monkeypatch.setattr(Job, "_sweeps", failing)
    turned(app, 0.3)
    assert shown(app).kept is None and "chosen anew: These clusters lost their digits." in said(app.main)
    same_run(shown(app).trace, dpviz.run(first.prepared.X, at(ASKED, 0.3)))


@pytest.mark.parametrize(
    "kept",
    [
        "{}x",
        "[]",
        '{"algorithm":"kmeans"}',
        '{"algorithm":"mapdp","family":"normal_gamma","prior":"null"}',
        '{"algorithm":"gibbs"}',
        "x" * 300_000,
    ],
)
def test_hostile_settings_of_a_kept_model_are_left_out_and_the_run_is_shown(kept):
    query = links.state_query(SMALL, replace(ASKED, family="normal_gamma", prior={"width": 0.5}))
    app = opened("explore", **query, kept=kept)
    assert shown(app).config.prior_dict == {"width": 0.5} and not offers(app)
    assert "could not be read" in said(app.main)


def test_a_link_whose_model_cannot_be_had_chooses_and_says_so():
    choice = replace(SMALL, directions="any")
    asked = replace(ASKED, directions="any")
    query = links.state_query(choice, replace(asked, family="normal_gamma", prior={"width": 0.5}, directions=7))
    app = opened("explore", **query, kept=as_text(asked.to_query()))
    assert shown(app).kept is None and not app.exception
    assert "could not be kept" in said(app.main)


PANELS = [
    RunConfig("kmeans", n_init=1),
    replace(ASKED, init="auto", effort=0.0),
    replace(ASKED, init="random", n_init=1),
]


def compare(panels: list[RunConfig] = PANELS, same: str = '{"seed":0}') -> AppTest:
    return opened("compare", data=SMALL.to_json(), panels=compare_links.write_panels(panels, SMALL), same=same)


def found(app: AppTest) -> list[Finished]:
    return [run for _, run in app.session_state["compare picture"].runs]


def n0_of(app: AppTest, panel: int) -> Any:
    return [slider for slider in app.select_slider if ".concentration" in str(slider.key)][panel]


def test_panels_of_compare_keep_their_models_until_they_are_to_be_chosen_again():
    app = compare()
    _, first, second = found(app)
    X = first.prepared.X
    settled(run(n0_of(app, 0).set_value(0.3)))
    assert not any(button.key == "compare.run" for button in app.button)  # all have run to their end
    _, turned_one, other = found(app)
    assert model(turned_one.trace.config) == model(first.trace.config) != model(resolve(X, at(ASKED, 0.3)).config)
    same_run(turned_one.trace, dpviz.run(X, at(first.trace.config, 0.3)))
    assert other.trace is second.trace
    assert "2 MAP-DP: The model was chosen at N0 = 3, seed 0, and is kept." in said(app.main)
    settled(set_to(app, "compare.seed", 4))
    assert [run.trace.config.seed for run in found(app)] == [4, 4, 4]
    assert [model(run.trace.config) for run in found(app)[1:]] == [model(first.config), model(second.config)]
    forget_all()
    query = {name: address(app, name) for name in ("data", "panels", "same")}
    for again, before in zip(found(opened("compare", **query)), found(app), strict=True):
        same_run(again.trace, before.trace)
    settled(press(app, "compare.choose"))
    assert not any(button.key == "compare.choose" for button in app.button)
    assert "The model was chosen" not in said(app.main)
    asked = replace(PANELS[1], partition=ChineseRestaurant(0.3), seed=4, n_init=first.config.n_init)
    same_run(found(app)[1].trace, dpviz.run(X, asked))
    settled(run(n0_of(app, 0).set_value(30.0)))
    assert model(found(app)[1].trace.config) == model(dpviz.run(X, asked).config)


def test_a_panel_that_moves_into_the_place_of_another_keeps_its_own_model():
    panels = [PANELS[0], *(replace(at(PANELS[1], n0), seed=0) for n0 in (3.0, 0.3))]
    app = compare(panels)
    _, _, last = found(app)
    remove = next(button for button in app.button if str(button.key).endswith("1.remove"))
    settled(run(remove.click()))
    assert [run.trace is last.trace for run in found(app)] == [False, True]
    assert "The model was chosen" not in said(app.main)


def test_a_panel_that_cannot_keep_its_model_says_so(monkeypatch):
    app = compare()
    first = found(app)[1]

    refuse(monkeypatch, first)
    settled(run(n0_of(app, 0).set_value(0.3)))
    settled(run(app))
    assert model(found(app)[1].trace.config) == model(resolve(first.prepared.X, at(ASKED, 0.3)).config)
    assert "2 MAP-DP: The model of the run before could not be kept, so that it was chosen anew" in said(app.main)
    assert "The model was chosen" not in said(app.main)
    assert "family" not in json.loads(address(app, "panels"))[1]
