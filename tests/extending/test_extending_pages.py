"""What is added from outside, on the pages: controls, pictures, comparisons, grids, and a page of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from urllib.parse import parse_qsl

import numpy as np
import pytest
from configs import usual_config
from extending.registered import FOLDER, toys  # noqa: F401
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpviz import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, register
from dpviz.player import build_payload
from dpviz.player.blocks import read_header
from dpviz.player.run_panel import panel
from dpviz.ui.session import naming
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.shell import links
from dpviz.ui.tune import page as tune
from pages import address, checked, close, computing, labelled, press, run, said, set_to, settled, shown_run

pytestmark = pytest.mark.usefixtures("tables_read_here")

KICKS = DataChoice("bundled", "horse_kicks")
MIXED = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
NOT_COUNTS = "must be a whole number from 0"


@pytest.fixture
def app(toys) -> Iterator[AppTest]:  # noqa: F811
    """The whole app with the toys, not run yet."""
    opened = AppTest.from_file(str(FOLDER / "toy_app.py"), default_timeout=600)
    yield opened
    close(opened)


def on_page(app: AppTest, name: str, choice: DataChoice, **query: str) -> AppTest:
    """Open a page of the app by its address."""
    app._page_hash = calc_hash(name)  # pages that are functions have no file to switch to
    app.query_params.update({"data": choice.to_json(), **query})
    return settled(app.run())


def explored(app: AppTest, choice: DataChoice, config: RunConfig) -> AppTest:
    return on_page(app, "explore", choice, run=json.dumps(config.to_query()))


def counts(partition: object = None, **options: object) -> RunConfig:
    defaults = {"prior": None, "init": "single", "n_init": 2}
    return RunConfig(family="toy_counts", partition=partition, **{**defaults, **options})


def medians(n_clusters: int = 4, step: float = 0.5, **options: object) -> RunConfig:
    return RunConfig("toy_medians", n_clusters=n_clusters, options={"step": step}, **options)


def shown(app: AppTest) -> Finished:
    """The run that is shown."""
    assert "explore player" in {component.key for component in app.get("bidi_component")}
    return shown_run(app)


def player_header(finished: Finished) -> dict:
    return read_header(build_payload([panel(finished.prepared, finished.trace, "run")]))["panels"][0]


# --- Explore ----------------------------------------------------------------------------------------------------------


def test_explore_opens_a_link_to_a_family_and_a_prior_from_outside(toys, app):  # noqa: F811
    config = counts(toys.Partitions(0.02), prior={"c0": 0.8})
    explored(app, KICKS, config)
    assert not app.error and shown(app).config == config
    assert "Some of the link's settings" not in said(app)
    assert app.selectbox(key="run.partition").value == "toy_partitions"
    assert "curve_values" in player_header(shown(app))["arrays"], "bars"
    address = dict(parse_qsl(links.link(KICKS, config, 1).removeprefix("?")))
    assert RunConfig.from_query(json.loads(address["run"])) == config


def test_explore_answers_why_and_replays_a_sweep_of_a_family_from_outside(app):
    explored(app, KICKS, counts())
    app.session_state["explore"].point, app.session_state["why arithmetic"] = 3, True
    run(app)
    assert "Why is point 3 in" in said(app) and len(app.get("latex")) == 1 and not app.warning
    press(app, "slow")
    trace, slow = app.session_state["explore"].slow
    assert trace is shown(app).trace and slow.sweep == trace.result_sweep


@pytest.mark.parametrize("choice", [KICKS, MIXED], ids=["one column", "two columns"])
def test_explore_shows_an_algorithm_that_has_no_more_than_labels(app, choice):
    explored(app, choice, medians())
    assert not app.error and shown(app).config == medians()
    for point in (None, 3):  # nothing invites a click, and a click (of a run before) finds the same words
        app.session_state["explore"].point = point
        text = said(run(app))
        assert "No “why here?”: Toy medians does not explain single assignments." in text and "No slow motion" in text
        assert "Click" not in text and "ghost" not in text
    assert "K = 4, Step = 0.5" in text
    header = player_header(shown(app))
    assert header["objective_name"] == "Σ|x − median|"
    assert not [name for name in header["arrays"] if name.startswith(("curve", "ellipse", "density"))]


def test_explore_says_why_nobody_pulls_at_a_place(app):
    explored(app, KICKS, counts())
    text = said(app)
    assert "Click a point to see why it is where it is." in text and "the empty plane" not in text
    assert "The empty plane cannot be asked: data of the kind count do not fill a plane" in text
    explored(
        app,
        DataChoice("bundled", "iris"),
        usual_config(init="single", n_init=1),
    )
    assert "The empty plane cannot be asked: the plane shows 2 of 4 dimensions" in said(app)
    explored(app, MIXED, usual_config(init="single", n_init=1))
    assert "or the empty plane to see which clusters would attract a point there." in said(
        app
    ) and "No ghost" not in said(app)


def test_explore_s_controls_offer_everything_from_outside(toys, app):  # noqa: F811
    explored(app, KICKS, counts())
    set_to(app, "run.partition", "toy_partitions")
    settled(set_to(app, "run.partition.toy_partitions.openness", 1.0))
    assert shown(app).config.partition == toys.Partitions(1.0)
    settled(set_to(app, "run.method", "toy_medians"))
    settled(set_to(app, "run.toy_medians.step", 0.25))
    assert shown(app).config.option("step") == 0.25
    settled(set_to(app, "run.method", "gibbs"))
    assert shown(app).config.algorithm == "gibbs" or "waits for you" in said(app)
    assert not app.error


def test_explore_says_when_data_are_not_for_a_family(app):
    explored(app, MIXED, counts())
    errors = " ".join(error.value for error in app.error)
    assert NOT_COUNTS in errors and prepare(MIXED).clustered.feature_names[0] in errors
    box = next(box for box in app.selectbox if str(box.key).startswith("run.family."))
    assert "Toy counts" in box.options, "what was asked for can be seen"
    run(box.set_value("normal_gamma"))
    assert not app.error
    box = next(box for box in run(app).selectbox if str(box.key).startswith("run.family."))
    assert "Toy counts" not in box.options and "toy counts" in box.help


# --- Predict ----------------------------------------------------------------------------------------------------------


def asked(app: AppTest, config: RunConfig, tab: str = "point") -> str:
    values = {"run": config.to_query(), "tab": tab}
    return said(on_page(app, "predict", KICKS, predict=json.dumps(values)))


def test_predict_says_the_cluster_alone_of_an_algorithm_that_knows_no_more(app):
    text = asked(app, medians(2))
    assert "The point goes to cluster" in text and not app.error
    assert "Toy medians says no more than the cluster: it has no probabilities." in text
    assert "algorithm = 'toy_medians' does not say what a single column contributes." in text
    assert "Toy medians has no density" in asked(app, medians(2), "folds")


def test_predict_weighs_points_by_a_family_from_outside(app):
    text = asked(app, counts())
    assert "with probability" in text and not app.error
    assert "Every column is needed" in text, "its cells cannot be left out"
    settled(set_to(app, "predict.tab", "A table"))
    name = prepare(KICKS).dataset.feature_names[0]
    settled(set_to(app, "predict pasted", f"{name}\n2\n-1\n1\n"))
    assert "Row 2" in said(app) and "Not predicted: 1 row" in said(app)


# --- Compare ----------------------------------------------------------------------------------------------------------


def test_compare_shows_models_and_algorithm_side_by_side(toys, app):  # noqa: F811
    configs = [medians(3), counts(), counts(toys.Partitions(0.02)), RunConfig("kmeans", n_clusters=2)]
    panels = json.dumps([config.to_query() for config in configs])
    on_page(app, "compare", KICKS, panels=panels)
    assert not app.error
    picture = app.session_state["compare picture"]
    assert [outcome.error for outcome in picture.outcomes] == [""] * 4
    assert [outcome.config for outcome in picture.outcomes] == configs
    assert len(np.unique(picture.labels["1 Toy medians"])) == 3
    assert "Also: options" not in said(app), "what has a slider is not said again"


def test_compare_repeats_runs_over_seeds_and_opens_one_in_explore(app):
    panels = json.dumps([config.to_query() for config in (medians(3), counts())])
    on_page(app, "compare", KICKS, panels=panels)
    set_to(app, "compare.n_seeds", 3)
    settled(press(app, "compare.repeat"))
    study = computing(app, "compare study").task.result
    assert study.n_done == 6 and study.failures == []
    assert study.frame().groupby("run")["nll"].count().tolist() == [0, 3]
    button = app.button(key="compare.open.0")
    settled(run(button.click()))
    assert shown(app).config == medians(3), "the app's own address of Explore"


def test_compare_starts_an_algorithm_from_common_labels(app):
    panels = json.dumps([config.to_query() for config in (medians(3), medians(4), RunConfig("kmeans", n_clusters=3))])
    same = json.dumps({"seed": 0, "order": True, "start": 3})
    on_page(app, "compare", MIXED, panels=panels, same=same)
    assert not app.error and "keeps its own start: its K is 4, the start has 3 clusters" in said(app)
    first, _, third = (finished.trace.labels[0] for _, finished in app.session_state["compare picture"].runs)
    np.testing.assert_array_equal(first, third)


def test_compare_says_in_the_card_what_data_are_not_for_a_family(app):
    panels = json.dumps([config.to_query() for config in (counts(), RunConfig("kmeans"))])
    on_page(app, "compare", MIXED, panels=panels)
    picture = app.session_state["compare picture"]
    assert NOT_COUNTS in picture.outcomes[0].error and picture.outcomes[1].finished is not None
    assert NOT_COUNTS in said(app)


# --- Tune -------------------------------------------------------------------------------------------------------------


def computed(app: AppTest) -> AppTest:
    """Start what waits for the reader, and wait for everything."""
    settled(app)
    for button in [button for button in app.button if str(button.key).startswith("tune.run.")]:
        settled(run(button.click()))
    return app


def tuned(app: AppTest, place: str, choice: DataChoice) -> AppTest:
    on_page(app, "tune", choice)
    return set_to(app, "tune.place", place)


def choose(app: AppTest, key: str, value: object) -> AppTest:
    """Set the select box whose key begins so."""
    box = next(box for box in app.selectbox if str(box.key).startswith(key))
    return run(box.set_value(value))


def test_tune_varies_an_option_of_an_algorithm_from_outside(app):
    tuned(app, tune.GRID, MIXED)
    choose(app, "tune.grid.method", "toy_medians")
    choose(app, "tune.grid.toy_medians.first", "step")
    run(labelled(app, "number_input", "Values").set_value(3))
    computed(app)
    assert not app.error and "3 runs" in said(app)
    assert not any("points it has not seen" in toggle.label for toggle in app.toggle)


def test_tune_varies_a_prior_and_a_family_from_outside(app):
    tuned(app, tune.GRID, KICKS)
    choose(app, "tune.grid.method", "mapdp")
    choose(app, "tune.grid.mapdp.family", "toy_counts")
    choose(app, "tune.grid.mapdp.base.partition", "toy_partitions")
    names = next(box for box in app.selectbox if box.key == "tune.grid.mapdp.first").options
    assert len(names) == 4  # openness, r0, c0, temperature
    for parameter in ("openness", "r0", "c0"):
        choose(app, "tune.grid.mapdp.first", parameter)
        run(labelled(app, "number_input", "Values").set_value(2))
        computed(app)
        assert not app.error and "2 runs" in said(app)


@pytest.mark.parametrize("place", [tune.CONCENTRATION, tune.POWER, tune.PRIOR, tune.SEARCH])
def test_every_tab_of_tune_works_with_a_family_from_outside(app, place):
    tuned(app, place, KICKS)
    choose(app, "tune.", "mapdp")
    box = next(box for box in app.selectbox if ".family." in str(box.key))
    run(box.set_value("toy_counts"))
    for label in ("Values", "Runs from every kind of start"):
        for field in [field for field in app.number_input if field.label == label]:
            run(field.set_value(2))
    computed(app)
    assert not app.error, [error.value for error in app.error]


@pytest.mark.parametrize("place", [place for place in tune.PLACES if place != tune.COUNTS])  # which has no family
def test_every_tab_of_tune_says_when_data_are_not_for_a_family(app, place):
    tab = {"N0": "concentration", "r": "power", "alpha": "coarsening"}.get(tune.TABS[place], tune.TABS[place])
    own = f"family.{naming.data_key(MIXED)}"  # as a visit before left it
    app.session_state["settings"] = {f"tune.{tab}.{method}.{own}": "toy_counts" for method in METHODS}
    tuned(app, place, MIXED)
    if place == tune.GRID:
        choose(app, "tune.grid.method", "mapdp")
    box = next(box for box in app.selectbox if ".family." in str(box.key))
    assert box.value == "toy_counts"
    computed(app)
    assert NOT_COUNTS in " ".join(error.value for error in app.error)


def test_tune_offers_only_algorithms_that_have_a_bic(app):
    tuned(app, tune.COUNTS, MIXED)
    computed(app)
    box = next(box for box in app.selectbox if box.key == "tune.bic.method")
    assert "Toy medians" not in box.options and not app.error


# --- Data, and a page of its own --------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [KICKS, MIXED], ids=["counts", "numbers"])
def test_the_data_page_takes_no_notice(app, choice):
    on_page(app, "data", choice)
    assert not app.error


def test_a_page_from_outside_is_in_the_navigation_and_draws(app, monkeypatch):
    import streamlit

    offered: list[tuple[str, str]] = []
    navigation = streamlit.navigation

    def recorded(pages, **options):
        offered[:] = [(page.title, page.url_path) for room in pages.values() for page in room]
        return navigation(pages, **options)

    monkeypatch.setattr(streamlit, "navigation", recorded)
    on_page(app, "toy", KICKS)
    assert "Terms and symbols" in [expander.label for expander in app.sidebar.expander]
    assert [title for title, _ in offered[:4]] == ["dpviz", "Toy", "Story", "Course"]
    assert "280 of 280 values have no more than 0 decimals" in said(app)
    on_page(app, "toy", MIXED, toy='{"decimals":2}')
    found = int(np.sum((X := prepare(MIXED).X) == np.round(X, 2)))
    assert f"{found:,} of {X.size:,} values have no more than 2 decimals" in said(app) and not app.error
    set_to(app, "toy.decimals", 3)
    assert address(app, "toy") == '{"decimals":3}' and checked(app)
    for hostile in ("[", '{"decimals":7}', '{"decimals":true}', '{"other":1}'):
        on_page(app, "toy", MIXED, toy=hostile)
        assert app.warning and app.number_input(key="toy.decimals").value == 3


def test_the_app_with_toys_opens_on_the_first_page(app):
    assert str(FOLDER) in sys.path
    settled(app.run())
    assert not app.error and [component.key for component in app.get("bidi_component")] == [
        "frame",
        "hero",
        "hero engine",
    ]


# --- Priors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tab", ["restaurants", "counts", "sizes"])
def test_priors_stand_beside_one_from_outside(toys, app, tab):  # noqa: F811
    which = ["chinese_restaurant", "finite_mixtures", "toy_partitions"]
    settings = {"tab": tab, "points": 60, "customers": 60, "openness": 0.5, "which": which}
    on_page(app, "priors", MIXED, priors=json.dumps(settings))
    assert not app.error and not app.warning
    assert json.loads(address(app, "priors"))["openness"] == 0.5  # its slider is in the picture
    assert toys.Partitions.title in app.button_group(key="priors.which").options


def test_data_are_drawn_from_a_family_and_a_prior_from_outside(app):
    settings = {"tab": "data", "draw_prior": "toy_partitions", "draw_family": "toy_counts", "draw_points": 30}
    on_page(app, "priors", MIXED, priors=json.dumps(settings))
    assert not app.error and "Toy partitions (all alike), w = 0.01" in said(app)


# --- Posterior --------------------------------------------------------------------------------------------------------


class OwnChain(type(ALGORITHMS["gibbs"])):
    """Gibbs sampling without splits and merges."""

    name, title, variants = "own_chain", "Own chain", ()
    options = tuple(option for option in ALGORITHMS["gibbs"].options if option.name != "split_merge")


def test_the_posterior_page_runs_the_chain_that_is_chosen(app):
    register(OwnChain)
    config = usual_config("own_chain", "normal_gamma", n_sweeps=20, burn_in=0)
    asked = {"run": config.to_query(), "chains": 2, "burn_in": 2, "tab": "chains"}
    on_page(app, "posterior", MIXED, posterior=json.dumps(asked))
    for method in ("own_chain", "gibbs"):  # first the link's, then another
        settled(run(app.selectbox(key="posterior.method").select(method)))
        sampled = app.session_state["posterior sampled"]
        assert not app.error and sampled.setup.config.algorithm == method
        assert [trace.config.algorithm for trace in sampled.traces] == [method] * 2
