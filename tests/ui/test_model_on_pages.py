"""The model that runs of the Tune and Posterior pages hold: chosen by the data once, kept by links, left by hand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz import RunConfig
from dpviz.analysis.grids import Grid
from dpviz.datasets import Dataset
from dpviz.errors import InvalidDataError
from dpviz.families import default_family
from dpviz.fit.automatic import choice_steps, resolve
from dpviz.fit.steps import drained
from dpviz.fit.width import has_width
from dpviz.fit.words import words_for
from dpviz.ui.posterior.settings import Setup
from dpviz.ui.session import jobs, model_choice, naming
from dpviz.ui.session.background import Stage
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.computation import forget_all
from dpviz.ui.session.kept import OwnData
from dpviz.ui.tune import computation
from dpviz.ui.tune import page as tune
from pages import (
    address,
    close,
    ended,
    go_to,
    in_app,
    labelled,
    opened_in_app,
    press,
    run,
    said,
    set_to,
    settled,
    shown_run,
    until,
)

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
X = prepare(SMALL).X
POSITIVE = DataChoice("bundled", "old_faithful", scaling="none")
FAMILY_KEY = f"family.{naming.data_key(SMALL)}"
CHOSEN = resolve(X, RunConfig()).config
USUAL = RunConfig(family=default_family(X), prior=None)
SHORT = RunConfig("gibbs", n_sweeps=30, burn_in=0, split_merge=1, family=USUAL.family, prior=None)
"""What the Posterior page's links held before the data chose anything."""


_grids: list[Grid] = []


@pytest.fixture(autouse=True)
def _nothing_known(request, monkeypatch):
    """What others chose or ran is not there already, unless a test says so; grids shown on the Tune page are noted."""
    if "choices_of_others" not in request.fixturenames:
        forget_all()
    show = computation.show

    def noted(key, *arguments):
        _grids.extend(part for part in key if isinstance(part, Grid))
        show(key, *arguments)

    monkeypatch.setattr(computation, "show", noted)


@pytest.fixture
def choices_of_others():
    """For tests that need the same choice, and are not about how it is made."""


@pytest.fixture
def choices(monkeypatch) -> list[RunConfig]:
    """What was chosen by short runs, and for which configuration each time."""
    made: list[RunConfig] = []

    def counted(data, config, names=()):
        made.append(config)
        return choice_steps(data, config, names)

    monkeypatch.setattr(model_choice, "choice_steps", counted)
    return made


def tab(app: AppTest, place: str = tune.GRID, **settings: Any) -> AppTest:
    """Set the Tune page to a tab with few runs; two underscores stand for a dot."""
    own = {f"tune.{name.replace('__', '.')}": value for name, value in settings.items()}
    few = {"tune.range.concentration..n": 2, "tune.N0.n": 2, "tune.search.n": 2}
    app.session_state["settings"] = {"tune.place": place, **few, **own}
    return app


def tuned(place: str = tune.GRID, choice: DataChoice = SMALL, **settings: Any) -> AppTest:
    return run_all(tab(in_app("tune", data=choice), place, **settings))


def run_all(app: AppTest) -> AppTest:
    """Run the page until its model is chosen; grids are not waited for."""
    return until(run(app), lambda app: "Every run:" in said(app) or app.error)


def base() -> RunConfig:
    """What the grid starts from that was shown last."""
    return _grids[-1].base


def followed(text: str | dict[str, Any], page: str = "tune", choice: DataChoice = SMALL) -> AppTest:
    """Open a page by a link."""
    return run(linked(text, page, choice))


def linked(text: str | dict[str, Any], page: str, choice: DataChoice = SMALL) -> AppTest:
    """A page with a link, not run yet."""
    link = text if isinstance(text, str) else json.dumps(text)
    return in_app(page, data=choice, **{page: link})


def chains(choice: DataChoice = SMALL, **link: Any) -> AppTest:
    """Open the Posterior page, with its chains at their end."""
    query = {"posterior": json.dumps(link)} if link else {}
    return settled(run(short(in_app("posterior", data=choice, **query))))


def short(app: AppTest) -> AppTest:
    """Set the Posterior page to few and short chains."""
    app.session_state["settings"] = {"posterior.n_sweeps": 30, "posterior.burn_in": 10, "posterior.chains": 2}
    return app


def setup(app: AppTest) -> Setup:
    found: Setup = app.session_state["posterior sampled"].setup
    return found


def model_held(app: AppTest, page: str) -> RunConfig:
    """The configuration whose model a page holds."""
    return base() if page == "tune" else setup(app).config


def opened_elsewhere(app: AppTest, page: str, choices: list[RunConfig], choice: DataChoice = SMALL) -> AppTest:
    """Open a page by its address on another server, which chooses nothing: model and address are as they were."""
    text, shown = address(app, page), model_held(app, page)
    close(app)
    forget_all()
    choices.clear()
    again = followed(text, page, choice)
    again = run_all(again) if page == "tune" else settled(again)
    assert model_held(again, page) == shown and not choices and address(again, page) == text and not again.error
    return again


def model_of(config: RunConfig) -> tuple[str, Any]:
    return config.family, config.prior


# --- what pages begin with --------------------------------------------------------------------------------------------


def with_narrow_clusters(app: AppTest) -> AppTest:
    """Bring a table of 31 clusters of 20 points in 2-D into the session."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(centre, 0.15, (20, 2)) for centre in rng.uniform(-10, 10, (31, 2))])
    own = OwnData()
    own.keep("narrow", Dataset(X=points, name="narrow", title="31 clusters", labels=np.repeat(np.arange(31), 20)))
    app.session_state["own data"] = own
    app.session_state["data choice"] = DataChoice("session", "narrow")
    return app


def test_many_narrow_clusters_are_found_from_the_start_on_both_pages():
    app = settled(run_all(tab(with_narrow_clusters(in_app("tune")), grid__mapdp__effort=0.0)))
    held = base()
    data = app.session_state["own data"]["narrow"].X
    assert model_of(held) == model_of(resolve(data, RunConfig()).config)
    assert held.prior_dict is not None and held.prior_dict["width"] <= 0.05
    assert f"{words_for(held)}, chosen by nll" in said(app)
    found, usual = (dpviz.run(data, replace(held, **model)) for model in ({}, model_fields(data)))
    assert found.n_clusters[-1] >= 25 > usual.n_clusters[-1]
    app.session_state["settings"] |= {"posterior.n_sweeps": 10, "posterior.burn_in": 2, "posterior.chains": 2}
    settled(run(go_to(app, "posterior")))
    assert model_of(setup(app).config) == model_of(held)
    assert all(model_of(trace.config) == model_of(held) for trace in app.session_state["posterior sampled"].traces)
    assert f"{words_for(held)}, chosen by nll" in said(app)


def model_fields(data: Any) -> dict[str, Any]:
    return {"family": default_family(data), "prior": None}


def test_tabs_pages_and_sessions_choose_once(choices):
    app = tuned()
    for place in (tune.CONCENTRATION, tune.PRIOR, tune.GRID):
        run_all(app.segmented_control(key="tune.place").set_value(place))
    run_all(app.selectbox(key="tune.grid.method").set_value("gibbs"))
    run_all(app.number_input(key="tune.grid.gibbs.seed").set_value(3))
    run_all(app.select_slider(key="tune.grid.gibbs.base.chinese_restaurant.concentration").set_value(10.0))
    assert model_of(base()) == model_of(CHOSEN)
    close(app)
    assert model_of(setup(chains()).config) == model_of(CHOSEN)
    close(tuned())
    opened_in_app("explore", data=SMALL, run=RunConfig(effort=0.0))
    assert [config.family for config in choices] == ["auto"]


def test_a_run_in_explore_has_chosen_for_the_other_pages(choices):
    query = json.dumps(RunConfig(effort=0.0).to_query())
    app = opened_in_app("explore", data=SMALL, run=query)
    assert shown_run(app).config == replace(CHOSEN, effort=0.0)
    first = shown_run(app).trace.total_seconds
    close(run_all(go_to(app, "tune")))
    assert len(choices) == 1 and f"{words_for(CHOSEN)}, chosen by nll" in said(app)
    jobs.SHARED.clear()
    again = opened_in_app("explore", data=SMALL, run=query)
    chosen = model_choice.known(SMALL, RunConfig())
    assert chosen is not None and shown_run(again).trace.total_seconds >= chosen.seconds
    assert len(choices) == 1 and first >= chosen.seconds


@pytest.fixture
def gate(monkeypatch) -> Iterator[threading.Event]:
    """Let no choice go on before the event is set."""
    opened, whole = threading.Event(), model_choice.staged

    def staged(*arguments):
        yield Stage(0.0, model_choice.WORDS.capitalize())
        opened.wait()
        return (yield from whole(*arguments))

    monkeypatch.setattr(model_choice, "staged", staged)
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 0.0)
    yield opened
    opened.set()


def test_sessions_that_ask_at_the_same_time_wait_for_one_choice(gate, choices):
    apps = [run(tab(in_app("tune", data=SMALL))), run(in_app("posterior", data=SMALL))]
    works = [app.session_state["model choice"][1] for app in apps]
    assert works[0] is works[1] and not works[0].over
    for app in apps:
        assert "Choosing how clusters look" in app.get("progress")[0].proto.text and not app.get("plotly_chart")
        assert app.selectbox  # the settings stand above it
    gate.set()
    ended(works[0])
    for app in apps:
        until(app, lambda app: "chosen by nll" in said(app))
        close(app)
    assert len(choices) == 1


def test_who_does_not_want_to_wait_takes_the_usual_prior(gate):
    app = run(tab(in_app("tune", data=SMALL)))
    run_all(app.button(key="tune.leave choice").click())
    assert model_of(base()) == model_of(USUAL) and not app.session_state["model choice"][1].stopped
    assert "width 1 (the usual prior)" in said(app)
    assert app.selectbox(key=f"tune.grid.mapdp.{FAMILY_KEY}").value == USUAL.family
    gate.set()
    close(app)


def test_a_choice_that_takes_long_waits_for_a_click(monkeypatch, choices):
    monkeypatch.setattr(jobs, "UNASKED_OPERATIONS", 0.0)
    app = run(tab(in_app("tune", data=SMALL)))
    assert "They take about" in said(app) and not choices and "model choice" not in app.session_state
    run_all(app.button(key="tune.choose").click())
    assert len(choices) == 1 and model_of(base()) == model_of(CHOSEN)
    close(app)
    other = run(in_app("posterior", data=SMALL.with_options(seed=5)))
    settled(press(other, "posterior.usual prior"))
    assert len(choices) == 1 and "the usual prior" in said(other)
    close(other)


def test_a_choice_that_fails_says_why_and_is_not_repeated(monkeypatch):
    asked = []

    def refuse(*_):
        asked.append(1)
        raise InvalidDataError("the columns are all alike.")
        yield

    monkeypatch.setattr(model_choice, "choice_steps", refuse)
    for name in ("tune", "posterior"):
        app = run(tab(in_app(name, data=SMALL)))
        run(app)
        assert [error.value for error in app.error] == ["the columns are all alike\\."] and not app.exception
    assert len(asked) == 2  # once in each session


def test_directions_are_chosen_with_family_and_width():
    asked = RunConfig("mapdp", directions="auto")
    chosen = drained(model_choice.choosing(prepare(DataChoice("bundled", "old_faithful")), asked))
    held = chosen.held_by(asked)
    assert held.directions is None and not held.is_automatic


def test_columns_that_keep_the_width_are_named():
    votes = DataChoice("bundled", "house_votes_84")
    key = naming.data_key(votes)
    app = tuned(choice=votes, **{f"grid__mapdp__family__{key}": "normal_gamma"})
    chosen = model_choice.known(votes, replace(base(), prior="auto", partition="auto"))
    assert chosen is not None and chosen.notes and all(note in said(app) for note in chosen.notes)
    close(app)


# --- families, by hand ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["zoo", "house_votes_84"])
def test_families_without_a_width_begin_as_ever(name, choices):
    choice = DataChoice("bundled", name)
    app = tuned(choice=choice)
    held = base()
    assert not has_width(held) and held.prior is None
    assert "shape prior from the data" in said(app)
    labels = [button.label for button in app.button]
    assert "Usual prior" not in labels and "Back to the defaults" not in labels
    text = address(app, "tune")
    close(app)
    again = run(in_app("tune", data=choice, tune=text))
    assert "shape prior from the data" in said(again) and address(again, "tune") == text
    assert not choices


def test_a_family_chosen_by_hand_has_a_width_of_its_own_and_automatic_stays_on_offer():
    app = tuned()
    family = app.selectbox(key=f"tune.grid.mapdp.{FAMILY_KEY}")
    assert family.value == "auto" and family.options[0] == "Automatic: full or diagonal, by nll"
    other = "normal_gamma" if CHOSEN.family == "normal_wishart" else "normal_wishart"
    for name in (other, "spherical_normal"):
        run_all(app.selectbox(key=f"tune.grid.mapdp.{FAMILY_KEY}").set_value(name))
        expected = resolve(X, RunConfig(family=name)).config
        assert model_of(base()) == model_of(expected) and f"{words_for(expected)}, chosen by nll" in said(app)
    run_all(app.button(key="tune.usual prior").click())
    assert model_of(base()) == ("spherical_normal", None)
    run_all(app.selectbox(key=f"tune.grid.mapdp.{FAMILY_KEY}").set_value("auto"))
    assert model_of(base()) == model_of(CHOSEN)
    close(app)


def test_counts_begin_with_a_choice_of_their_own():
    app = tuned(choice=DataChoice("bundled", "horse_kicks"))
    family = labelled(app, "selectbox", "Clusters look like")
    assert family.value == "auto" and family.options[0] == "Automatic: Poisson or over-dispersed, by nll"
    assert model_of(base()) == ("poisson", None)
    close(app)


def test_the_usual_prior_is_a_click_away_and_so_is_the_way_back():
    app = tuned()
    run_all(app.button(key="tune.usual prior").click())
    assert model_of(base()) == model_of(USUAL)
    run_all(app.button(key="tune.back.grid").click())
    assert model_of(base()) == model_of(CHOSEN)
    assert "Back to the defaults" not in [button.label for button in app.button]
    close(app)
    app = chains()
    assert model_of(setup(app).config) == model_of(CHOSEN)
    settled(press(app, "posterior.usual prior"))
    assert model_of(setup(app).config) == model_of(USUAL) and "width 1 (the usual prior)" in said(app)
    settled(run(labelled(app, "button", "Choose by nll").click()))
    assert model_of(setup(app).config) == model_of(CHOSEN)
    assert app.selectbox(key=f"posterior.{FAMILY_KEY}").value == "auto"


def test_tables_with_gaps_have_independent_columns_and_a_width():
    gaps = DataChoice("synthetic", "elliptical_overlap", gaps=True).with_options(n=60, missing=0.1)
    app = tuned(choice=gaps)
    expected = resolve(prepare(gaps).X, RunConfig()).config
    assert np.isnan(prepare(gaps).X).any() and expected.family == "normal_gamma"
    assert model_of(base()) == model_of(expected) and not app.error
    close(app)


def test_grids_over_the_width_and_the_scatter_are_about_the_held_width():
    app = tuned()
    for name in ("width", "psi0" if CHOSEN.family == "normal_wishart" else "b0"):
        run_all(app.selectbox(key="tune.grid.mapdp.first").set_value(name))
        assert not [words for words in app.selectbox(key="tune.grid.mapdp.first").options if "?" in words]
        values, held = _grids[-1].axes[0].values, {"width": CHOSEN.prior_dict["width"]}.get(name, 1.0)
        assert values[0] < held < values[-1] and min(abs(np.log(np.array(values) / held))) < 0.25
    close(app)


# --- links ------------------------------------------------------------------------------------------------------------


def test_a_link_of_tune_shows_the_model_that_it_was_made_with(choices):
    app = tuned()
    run_all(app.number_input(key="tune.grid.mapdp.seed").set_value(7))
    text, shown = address(app, "tune"), base()
    close(app)
    reloaded = run_all(followed(text))
    assert f"{words_for(shown)}, chosen by nll" in said(reloaded) and len(choices) == 1
    assert "Back to the defaults" not in [button.label for button in reloaded.button]
    again = opened_elsewhere(reloaded, "tune", choices)
    assert f"{words_for(shown)}, as the link has it" in said(again)
    assert again.selectbox(key=f"tune.grid.mapdp.{FAMILY_KEY}").value == "auto"
    other = json.loads(text)
    other["held"]["mapdp.auto"]["prior"] = '{"width":0.7}'  # of a version that chose otherwise
    another = run_all(followed(other))
    assert base().prior_dict == {"width": 0.7} and not choices
    run_all(another.button(key="tune.back.grid").click())
    assert model_of(base()) == model_of(CHOSEN) and len(choices) == 1
    for each in (again, another):
        close(each)


def test_other_data_of_the_same_scenario_choose_for_themselves(choices):
    link = {"mapdp.auto": {"version": "8", "family": "normal_gamma", "prior": '{"width":0.7}'}}
    app = run_all(followed({"tab": "grid", "version": 8, "held": link, "range.concentration..n": 2}))
    assert base().prior_dict == {"width": 0.7} and not choices
    app.session_state["data choice"] = SMALL.with_options(seed=9)
    del app.query_params["data"]
    run_all(app)
    assert len(choices) == 1 and "chosen by nll" in said(app)
    close(app)


@pytest.mark.parametrize(
    "model", [{"family": "normal_wishart"}, {}, {"family": "normal_wishart", "prior": '"shape"'}, {"coarsening": "50"}]
)
@pytest.mark.parametrize("usual", [{}, {"usual": True}])
def test_a_link_of_posterior_whose_run_leaves_the_model_open_is_opened_again_as_it_was(model, usual, choices):
    run = {"version": "8", "algorithm": "gibbs", "n_sweeps": "30", "burn_in": "0", **model}
    app = chains(run=run, chains=2, burn_in=10, **usual)
    begun = setup(app)
    assert len(choices) == 1 and has_width(begun.config) and begun.config.prior is not None
    text = address(app, "posterior")
    assert "usual" not in json.loads(text) and ("shape" in json.loads(text)) == ("prior" in model)
    again = opened_elsewhere(app, "posterior", choices)
    assert setup(again) == begun
    close(again)


def test_a_link_of_posterior_shows_the_model_that_it_was_made_with(choices):
    app = chains()
    again = opened_elsewhere(app, "posterior", choices)
    assert setup(again) == setup(app) and f"{words_for(CHOSEN)}, as the link has it" in said(again)
    assert again.selectbox(key=f"posterior.{FAMILY_KEY}").value == "auto"
    for name, labels in zip(range(2), ("first", "second"), strict=True):
        one, other = (each.session_state["posterior sampled"].traces[name].labels for each in (app, again))
        np.testing.assert_array_equal(one, other, err_msg=labels)
    settled(run(labelled(again, "button", "Choose by nll").click()))
    assert "chosen by nll" in said(again) and len(choices) == 1


@pytest.mark.parametrize("found", [(1, None), (None, (1.0, 0.0)), (None, None)])
@pytest.mark.parametrize("page", ["tune", "posterior"])
def test_a_page_opened_again_has_the_directions_and_powers_that_its_data_chose(page, found, monkeypatch):
    made: list[RunConfig] = []

    def chosen(data, config, names=()):
        made.append(config)
        choice = yield from choice_steps(data, replace(config, directions=None, transform=None), names)
        return replace(choice, config=replace(choice.config, directions=found[0], transform=found[1]))

    monkeypatch.setattr(model_choice, "choice_steps", chosen)
    choice = replace(POSITIVE, directions="any", transform="auto")
    app = tuned(choice=choice) if page == "tune" else chains(choice)
    shown, text = model_held(app, page), address(app, page)
    assert (shown.directions, shown.transform) == found and len(made) == 1
    again = opened_elsewhere(app, page, made, choice)
    assert "transformed: auto" not in said(again)
    older = json.loads(text)
    for query in older["held"].values():
        for name in ("directions", "transform"):
            query.pop(name, None)
    another = followed(older, page, choice)
    another = run_all(another) if page == "tune" else settled(another)
    assert model_held(another, page).prior == shown.prior and not another.error
    for each in (again, another):
        close(each)


def with_wide_skewed_columns(app: AppTest) -> AppTest:
    """Bring a table of two groups in 12 skewed columns, which vary in two directions, into the session."""
    rng = np.random.default_rng(0)
    latent = np.concatenate([rng.normal(centre, 1.0, (30, 2)) for centre in ((-4, 0), (4, 0))])
    columns = np.exp(0.3 * (latent @ rng.normal(size=(2, 12)) + 0.2 * rng.normal(size=(60, 12))))
    own = OwnData()
    own.keep("wide", Dataset(X=columns / columns.std(axis=0), name="wide", title="Wide", labels=np.repeat([0, 1], 30)))
    app.session_state["own data"] = own
    app.session_state["data choice"] = DataChoice("session", "wide", directions="any", transform="auto")
    return app


def test_all_pages_and_what_is_taken_over_have_one_model_with_its_directions_and_powers():
    asked = RunConfig(
        effort=0.02, partition=dpviz.ChineseRestaurant(1.0), directions="any", transform="auto"
    ).to_query()
    app = settled(run(short(with_wide_skewed_columns(in_app("explore", run=asked)))))

    def model(config):
        return *model_of(config), config.directions, config.transform

    explored = shown_run(app)
    wanted = model(explored.trace.config)
    assert isinstance(explored.trace.config.directions, int) and isinstance(explored.trace.config.transform, tuple)
    app.session_state["settings"] |= {"posterior.chains": 2, "posterior.place": "answers"}
    settled(run(go_to(app, "posterior")))
    assert model(setup(app).config) == wanted and setup(app).config.partition != dpviz.ChineseRestaurant(1.0)
    settled(press(app, "posterior.take"))
    assert model(setup(app).config) == wanted and setup(app).config.partition == dpviz.ChineseRestaurant(1.0)
    assert all(model(trace.config) == wanted for trace in app.session_state["posterior sampled"].traces)
    assert all(button.key != "posterior.take" for button in app.button)
    run_all(tab(go_to(app, "tune")))
    assert model(base()) == wanted
    cell = replace(base(), partition=explored.config.partition, effort=explored.config.effort)
    assert dpviz.run(explored.prepared.X, cell).nll[-1] == pytest.approx(explored.trace.nll[-1], abs=1.0)


HOSTILE = [
    {"mapdp.auto": 3},
    {"mapdp.auto": {"version": "8", "algorithm": "kmeans"}},
    {"mapdp.auto": {"version": "8"}},
    {"mapdp.auto": {"version": "8", "family": "normal_gamma", "prior": '{"width":-1}'}},
    {"\ud800": {"\ud800": 1}},
    {"mapdp.auto": {"version": "8", "family": "normal_gamma", "prior": '{"width":[1,2]}'}},
    {"mapdp.auto": {"version": "8", "family": "normal_gamma", "prior": '{"c0":1}'}},
    {"mapdp.auto": {"version": "8", "family": "poisson", "prior": "null"}},
    {str(n): {} for n in range(99)},
]


@pytest.mark.parametrize("held", HOSTILE)
@pytest.mark.parametrize("page", ["tune", "posterior"])
@pytest.mark.usefixtures("choices_of_others")
def test_hostile_models_in_links_are_left_out(page, held):
    link = {"tab": "grid", "version": 8, "held": held, "usual": "<b>", "range.concentration..n": 2}
    app = run(short(linked(link, page)))
    until(app, lambda app: "Every run:" in said(app) or "Starts:" in said(app))
    assert "chosen by nll" in said(app) and words_for(CHOSEN) in said(app) and not app.error
    close(app)


# --- from other pages -------------------------------------------------------------------------------------------------


def test_a_prior_that_comes_from_the_priors_page_leaves_the_width_to_the_data(choices):
    given = RunConfig("mapdp", partition=dpviz.ChineseRestaurant(20.0), effort=0.0)
    app = tab(in_app("tune", data=SMALL))
    app.session_state["settings"]["tune.given"] = (naming.data_key(SMALL), given)
    run_all(app)
    expected = resolve(X, given).config
    assert base() == replace(expected, partition=base().partition)
    close(opened_elsewhere(app, "tune", choices))


# --- the learned shape ------------------------------------------------------------------------------------------------


def test_explore_learns_a_shape_and_says_so_and_its_link_too():
    app = opened_in_app("explore", data=SMALL)
    set_to(app, "run.method", "mapdp")
    set_to(app, f"run.shape.{naming.data_key(SMALL)}", True)
    finished = shown_run(settled(app))
    assert finished.settings.prior == "shape"
    found = resolve(X, finished.settings)
    assert finished.config.prior == found.config.prior
    assert found.notes[-1].startswith("Prior: ") and found.notes[-1] in said(app).replace("\\", "")
    again = shown_run(opened_in_app("explore", **dict(app.query_params)))
    assert again.settings == finished.settings


def test_tune_learns_a_shape_in_every_run_and_a_link_keeps_that():
    app = tuned()
    press(app, "tune.shape prior")
    until(app, lambda app: "Prior: " in said(app))
    assert base().prior == "shape" and not app.error
    other = until(run(followed(address(app, "tune"))), lambda app: "Prior: " in said(app))
    assert base().prior == "shape"
    press(other, "tune.back.grid")
    until(other, lambda app: "Every run:" in said(app))
    assert base().prior == resolve(X, replace(base(), prior="auto", effort=1.0)).config.prior


def test_a_panel_of_compare_learns_a_shape():
    app = run(in_app("compare", data=SMALL))
    settings = app.session_state["settings"]
    own = next(panel for panel in settings["compare.panels"] if settings[f"compare.{panel}.method"] == "mapdp")
    switch = next(one for one in app.toggle if str(one.key).startswith(f"compare.{own}.shape."))
    run(switch.set_value(True))
    assert '"prior":"shape"' in address(app, "panels") and not app.error
