"""The Compare page without a browser: panels, what they share, links, lessons, long runs, repetitions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from configs import usual_config
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz import ChineseRestaurant, FiniteDirichlet, PitmanYor, PoweredChineseRestaurant, RunConfig
from dpviz.analysis.comparison import score_table
from dpviz.engine.algorithms.base import METHODS, method_of
from dpviz.errors import DpvizError
from dpviz.families import FAMILIES
from dpviz.partition import GeneralizedChineseRestaurant
from dpviz.ui.compare import links as compare_links
from dpviz.ui.compare import results as compare_results
from dpviz.ui.session.background import UNEXPECTED, Work
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Job
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.stage.lessons import COMPARISONS
from dpviz.ui.stage.panels import Common
from dpviz.ui.stage.plan import Plan
from dpviz.ui.stage.runs import STOPPED, Batch
from pages import MOST_SECONDS, address, computing, gated_runs, labelled, page, plain, press, run, said, set_to, settled

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=120)
THREE = [
    RunConfig("kmeans", n_init=1),
    usual_config(n_init=2, effort=0.1),
    usual_config("gibbs", n_sweeps=20, burn_in=5),
]

LONG = [
    RunConfig("kmeans", n_init=1),
    usual_config("gibbs", n_sweeps=500),
    usual_config(effort=0),
]


def opened(panels: Any = None, choice: DataChoice = SMALL, same: str | None = None) -> AppTest:
    """Open the page by a link; texts are passed on as they are."""
    at = page("compare", data=choice.to_json())
    if panels is not None:
        at.query_params["panels"] = panels if isinstance(panels, str) else compare_links.write_panels(panels, choice)
    if same is not None:
        at.query_params["same"] = same
    return settled(at.run())


def open_lesson(at: AppTest, comparison: Lesson) -> AppTest:
    """Open the page again with a comparison that was chosen from the list of lessons."""
    at.session_state["compare asked"] = comparison
    return settled(at.run())


def table(at: AppTest) -> Any:
    return at.table[0].value.map(plain)


def rows(at: AppTest) -> list[str]:
    return [plain(name) for name in at.table[0].value.index]


def test_opens_with_three_methods_on_the_chosen_data():
    at = opened()
    assert rows(at) == ["1 K-means", "2 MAP-DP", "3 Gibbs"]
    assert [c.key for c in at.get("bidi_component")].count("compare player") == 1
    trace = dpviz.run(prepare(SMALL).X, RunConfig("kmeans"))
    expected = dpviz.metrics.nmi(prepare(SMALL).dataset.labels, trace.result_labels)
    assert table(at).at[at.table[0].value.index[0], "NMI"].strip("*★ ") == f"{expected:.3f}"


@pytest.mark.parametrize("known", [True, False])
def test_clusters_of_runs_that_stay_keep_their_colours_when_another_is_turned(known):
    choice = SMALL if known else DataChoice("bundled", "old_faithful")
    assert (prepare(choice).dataset.labels is not None) == known
    at = opened([RunConfig("kmeans", n_clusters=k, n_init=1) for k in (3, 4, 5)], choice)
    before = at.session_state["compare picture"].all_labels
    for n_clusters in (8, 2, 7):
        set_to(at, "compare.2.n_clusters", n_clusters)
        settled(at)
        now = at.session_state["compare picture"].all_labels
        assert len(np.unique(now["3 K-means"])) == n_clusters
        for name in ("1 K-means", "2 K-means"):
            np.testing.assert_array_equal(now[name], before[name])


def test_on_a_table_of_ones_own_mapdp_comes_first():
    def numbered():
        import numpy as np
        import streamlit as st

        from dpviz.datasets import Dataset
        from dpviz.ui.session import state
        from dpviz.ui.session.chosen_data import keep_session_dataset
        from dpviz.ui.stage.panels import panel_numbers

        state.choose_data(keep_session_dataset(Dataset(X=np.arange(20.0).reshape(10, 2), name="own")))
        st.session_state["methods"] = [state.settings()[f"compare.{number}.method"] for number in panel_numbers()]

    methods = AppTest.from_function(numbered).run().session_state["methods"]
    assert methods == ["mapdp", "kmeans", "gibbs"]


def test_families_that_are_not_gaussian_stand_side_by_side():
    families = [
        name
        for name, family in FAMILIES.items()
        if family.kind not in ("real", "circular", "hurdle", "share", "parts", "parts+total") and name != "geometric"
    ]
    panels = [
        RunConfig("mapdp", family=name, n_init=1, init="kmeans++", init_clusters=2, prior=None) for name in families
    ]
    votes = DataChoice("bundled", "house_votes_84")  # zeros and ones are possible values of each of them
    at = opened(panels, votes)
    assert not at.error and [c.key for c in at.get("bidi_component")].count("compare player") == 1
    outcomes = at.session_state["compare picture"].outcomes
    assert [(outcome.error, outcome.config.family) for outcome in outcomes] == [("", name) for name in families]
    assert {outcome.config.kinds for outcome in outcomes} == {None, ("binary",) * 16}
    boxes = [box for box in at.selectbox if ".family." in str(box.key)]
    assert len(boxes) == 6 and all(
        len(box.options) == 12 and "Not for these data: hours and angles (" in box.help for box in boxes
    )
    at = opened([panels[0], RunConfig("kmeans")], SMALL)
    assert "for family = 'exponential' it must be a number ≥ 0" in said(at)
    assert (
        len(next(box for box in at.selectbox if ".family." in str(box.key)).options) == 7
    )  # the automatic choice, too


def test_a_link_restores_every_setting():
    prior = {"m0": [1.0, 2.0], "c0": 0.5}
    panels = [
        RunConfig("kmeans", n_clusters=4, init="random", n_init=2, seed=5),
        RunConfig(
            "mapdp",
            prior=prior,
            partition=PitmanYor(2.0, 0.2),
            order="shuffled",
            n_init=1,
            seed=6,
            family="normal_wishart",
        ),
        usual_config(
            "gibbs", partition=FiniteDirichlet(1.5, 7), n_sweeps=12, burn_in=4, thin=2, sampler="explicit_weights"
        ),
        usual_config(
            "gibbs",
            "normal_gamma",
            partition=PoweredChineseRestaurant(0.7, 1.3),
            hyperpriors={"power": "1+gamma(2,7)"},
            n_sweeps=9,
            burn_in=0,
        ),
        RunConfig("dpmeans", penalty=123.4, sweep="until_birth", seed=8),
        RunConfig("em", n_components=2, n_init=1, max_sweeps=7),
    ]
    at = opened(panels)
    assert json.loads(address(at, "panels")) == [config.to_query() for config in panels]
    assert "The hyperparameters came with a link or a run." in said(at)  # nothing is set behind the reader's back
    assert at.selectbox(key="compare.1.order.mapdp").value == "shuffled"
    assert "Also: effort 0.1" in said(opened([THREE[0], replace(THREE[1], init="singletons")]))  # which has no control
    assert [name.split(" ", 1)[1] for name in rows(at)] == [method_of(config).title for config in panels]
    again = opened(address(at, "panels"), same=address(at, "same"))
    left, right = (page.table[0].value.drop(columns="Seconds") for page in (at, again))
    assert left.replace(r"[*★\s]", "", regex=True).equals(right.replace(r"[*★\s]", "", regex=True))


def test_a_panel_learns_when_it_is_told_to():
    at = opened([THREE[1], THREE[2]])
    control = "compare.1.partition.chinese_restaurant.concentration.learn"
    assert [toggle.key for toggle in at.toggle if str(toggle.key).endswith(".learn")] == [control]
    settled(set_to(at, control, True))
    learning = replace(THREE[2], hyperpriors={"concentration": "gamma(1,0.3)"})
    assert at.session_state["compare picture"].outcomes[1].config == learning
    assert json.loads(address(at, "panels"))[1] == learning.to_query() and not at.error


def test_a_panel_from_a_link_stops_learning_when_it_is_told_to():
    at = opened([THREE[1], replace(THREE[2], hyperpriors={"concentration": "gamma(1,1)"})])
    settled(set_to(at, "compare.1.partition.chinese_restaurant.concentration.learn", False))
    assert json.loads(address(at, "panels"))[1] == THREE[2].to_query()
    settled(set_to(at, "compare.1.partition", "finite_mixtures"))
    assert not at.error and at.session_state["compare picture"].outcomes[1].config.partition.name == "finite_mixtures"


def test_what_applies_no_more_does_not_stay_behind_in_a_panel_from_a_link():
    at = opened([THREE[1], replace(THREE[2], split_merge=2)])
    settled(set_to(at, "compare.1.sampler", "explicit_parameters"))
    assert not at.error and json.loads(address(at, "panels"))[1].get("split_merge") is None
    at = opened([replace(THREE[1], init="kmeans++", init_clusters=7), THREE[2]])
    settled(set_to(at, "compare.0.init.mapdp", "single"))
    assert "init clusters" not in said(at)


def test_a_prior_without_controls_stays_and_is_said():
    prior = GeneralizedChineseRestaurant(1.0, tuple(np.log(np.arange(1.0, 200.0)).tolist()))
    config = replace(THREE[2], partition=prior, hyperpriors={"concentration": "gamma(1,1)"})
    at = opened([THREE[1], config])
    found = at.session_state["compare picture"].outcomes[1].config
    assert (found.partition, found.hyperpriors) == (prior, config.hyperpriors)
    assert f"partition {prior.title}" in said(at)
    assert "hyperpriors" in said(at)


def test_another_method_begins_with_its_own_settings():
    at = opened([THREE[1], replace(THREE[2], partition=PoweredChineseRestaurant(1.0, 1.3))])
    settled(set_to(at, "compare.1.method", "mapdp"))
    config = at.session_state["compare picture"].outcomes[1].config
    assert (config.algorithm, config.partition.name) == ("mapdp", "chinese_restaurant")


@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda comparison: comparison.title)
def test_a_lesson_sets_exactly_its_panels(comparison):
    def controls(number):
        import streamlit as st

        from dpviz.ui.session.chosen_data import prepare
        from dpviz.ui.stage import panels as compare_panels
        from dpviz.ui.stage.lessons import COMPARISONS
        from dpviz.ui.stage.panels import Common

        lesson = COMPARISONS[number]
        if "begun" not in st.session_state:
            compare_panels.set_panels(lesson.own, Common(seed=0), lesson.choice)
            st.session_state["begun"] = True
        common = compare_panels.common_controls(100)
        st.session_state["same"] = common == Common(seed=0) and (
            tuple(own for own, _ in compare_panels.cards(prepare(lesson.choice), common)) == lesson.own
        )

    at = AppTest.from_function(controls, args=(COMPARISONS.index(comparison),), default_timeout=MOST_SECONDS).run()
    assert not at.exception and at.session_state["same"]
    assert not at.run().exception and at.session_state["same"]  # a second look changes nothing


def test_the_watch_sentence_disappears_when_something_is_changed():
    lesson = next(number for number, comparison in enumerate(COMPARISONS) if comparison.title == "Iris")
    at = open_lesson(opened(THREE), COMPARISONS[lesson])
    assert COMPARISONS[lesson].watch in said(at.main)
    assert rows(at) == ["1 K-means", "2 DP-means", "3 MAP-DP", "4 Gibbs"]
    settled(labelled(at, "slider", "Clusters K").set_value(4).run())
    assert COMPARISONS[lesson].watch not in said(at.main)


def test_a_moved_control_is_run_and_named_in_table_and_address():
    at = opened(THREE)
    settled(labelled(at, "slider", "Clusters K").set_value(5).run())
    assert table(at)["Settings"].iloc[0] == "K = 5 · seed 0"
    assert table(at)["K"].iloc[0] == "5"
    assert json.loads(address(at, "panels"))[0]["n_clusters"] == "5"


def test_panels_are_added_up_to_six_and_removed_down_to_two():
    at = opened(THREE[:2])
    for _ in range(4):
        at = settled(at.button(key="compare.add").click().run())
    first = ["kmeans", "mapdp"]
    methods = [*first, *[name for name in METHODS if name not in first]][:6]
    assert [name.split(" ", 1)[1] for name in rows(at)] == [METHODS[name].title for name in methods]
    assert at.button(key="compare.add").disabled
    for count in (5, 4, 3, 2):
        first = next(button for button in at.button if str(button.key).endswith(".remove"))
        at = settled(first.click().run())
        assert len(rows(at)) == count
    assert all(button.disabled for button in at.button if str(button.key).endswith(".remove"))


def test_the_same_start_begins_all_that_can_and_names_the_others():
    panels = [RunConfig("kmeans", n_clusters=5, n_init=1), *THREE[1:]]
    at = opened(panels, same='{"seed":2,"order":true,"start":3}')
    assert "K-means · K = 5 · seed 2 keeps its own start: its K is 5, the start has 3 clusters." in said(at)
    plan, _ = Plan.make(SMALL, panels, Common(seed=2, order=True, start=3))
    picture = at.session_state["compare picture"]
    assert picture.plan == plan
    kmeans, mapdp, gibbs = (finished.trace for _, finished in picture.runs)
    assert dpviz.metrics.ari(mapdp.labels[0], gibbs.labels[0]) == 1 and mapdp.n_clusters[0] == 3
    assert mapdp.config.order == gibbs.config.order == "index" and kmeans.n_clusters[0] == 5


def test_a_repetition_draws_a_new_common_start_for_every_seed():
    plan, _ = Plan.make(SMALL, THREE, Common(seed=7, start=3))
    shifted, _ = Plan.make(SMALL, THREE, Common(seed=9, start=3))
    assert plan.repeated(2) == shifted.configs
    assert plan.repeated(0) == plan.configs != shifted.configs


def test_a_panel_that_does_not_fit_says_so_in_its_place_and_the_others_run():
    at = opened([RunConfig("kmeans", n_clusters=121), *THREE[1:]])
    assert rows(at) == ["2 MAP-DP", "3 Gibbs"]
    cards = next(expander for expander in at.expander if expander.label == "Panels")
    assert [plain(error.value) for error in cards.error] == [
        "n_samples=120 should be >= n_clusters=121; choose fewer clusters or add points."
    ]


def test_data_without_labels_are_scored_against_a_panel():
    at = opened(
        [*THREE[:2], RunConfig("kmeans", n_clusters=1)], DataChoice("bundled", "old_faithful", scaling="standardise")
    )
    assert at.selectbox(key="compare.reference").options[0] == "1 K-means"
    nmi = table(at)["NMI"].tolist()
    assert nmi[0] == "–" and nmi[1] != "–" and nmi[2] == "0.000"  # no run is its own success


def test_being_like_another_run_earns_no_star():
    choice = DataChoice("bundled", "old_faithful", scaling="standardise")
    columns = ["ΔK", "NMI", "AMI", "ARI", "VI (bits)"]
    at = opened([*THREE[:2], RunConfig("kmeans", n_clusters=1)], choice)
    assert not table(at)[columns].map(lambda cell: "★" in cell).any(axis=None)
    assert table(opened(THREE))[columns].map(lambda cell: "★" in cell).any().all()


def test_the_table_names_the_sweep_of_a_chain_that_it_describes():
    at = opened(THREE)
    trace = dpviz.run(prepare(SMALL).X, THREE[2])
    kept = trace.nll[THREE[2].burn_in + 1 :]
    assert f"sweep {THREE[2].burn_in + 1 + int(np.argmin(kept))} of 3 Gibbs" in [b.label for b in at.button]


def test_a_run_of_the_comparison_opens_in_explore():
    at = opened(THREE)
    labelled(at, "button", "2 MAP-DP · N0 = 3 · full covariance · seed 0").click().run()
    assert not at.exception and "The run is set up" in said(at)
    assert at.session_state["link ordered"] == (THREE[1],)


@pytest.mark.parametrize(
    ("panels", "notice"),
    [
        ("not json", "It is not JSON"),
        ("{}", "panels = 'dict' must be a list"),
        ("[" * 100_000, "It is not JSON"),
        ("[]", "were filled up"),
        ("[" + ",".join(["{V}"] * 9) + "]", "The link has 9 panels; the first 6 are shown."),
        ('[{V,"algorithm":"rm -rf"},{V,"algorithm":"mapdp","n_init":"1"}]', "Panel 1 of the link cannot be restored"),
        ('[17,null,{V,"seed":"-1"},{V,"zzz":"<script>"}]', "Panel 4 of the link cannot be restored"),
        ('[{V,"algorithm":"kmeans","n_clusters":"1e999"},{V,"algorithm":"kmeans","n_clusters":"NaN"}]', "Panel 2"),
        ('[{V,"algorithm":["kmeans"]},{V,"algorithm":"gibbs","n_sweeps":{"a":1}}]', "Panel 2 of the link"),
        ('[{V,"algorithm":"mapdp","partition":"{\\"name\\":\\"__class__\\"}"},{V,"algorithm":"kmeans"}]', "Panel 1"),
        ('"' + "x" * 300_000 + '"', "300,002 characters"),
    ],
)
def test_hostile_panels_become_defaults_with_a_notice(panels, notice):
    notices: list[str] = []
    read = compare_links.read_panels(panels.replace("V", '"version":"8"'), notices, SMALL)
    assert 2 <= len(read) <= 6 and all(isinstance(config, RunConfig) for config in read)
    assert any(notice in text for text in notices), notices
    assert all(len(text) < 500 for text in notices)


def test_what_can_be_read_of_a_broken_link_is_kept():
    notices: list[str] = []
    kept = usual_config(seed=77)
    text = json.dumps([{**kept.to_query(), "algorithm": "bad"}, kept.to_query()])
    assert compare_links.read_panels(text, notices, SMALL)[1] == kept
    assert len(notices) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"effort":"much"}',
        '{"effort":[1]}',
        '{"starts":0}',
        '{"starts":1e99}',
        "[]",
        "x",
        '{"seed":-1}',
        '{"seed":true}',
        '{"seed":1e9999}',
        '{"order":1}',
        '{"start":0}',
        '{"start":1001}',
    ],
)
def test_hostile_common_settings_are_dropped_with_a_notice(text):
    notices: list[str] = []
    assert Common(**compare_links.read_common(text, notices)) == Common()
    assert len(notices) == 1


def test_common_settings_travel_unchanged():
    for common in (Common(), Common(seed=0), Common(2**32 - 1, True, 12), Common(1, effort="work", starts=3)):
        assert Common(**compare_links.read_common(compare_links.write_common(common), [])) == common


def test_a_hostile_link_opens_the_page_with_markdown_made_inert():
    at = opened(
        '[{"version":"8","algorithm":"**bold** ![x](http://x)"},{"version":"8","algorithm":"kmeans","n_init":"1"}]'
    )
    assert rows(at)[1] == "2 K-means"
    assert "\\!\\[x\\]" in at.warning[0].value


@pytest.mark.parametrize("panel", [0, 1])
def test_an_algorithm_that_no_list_offers_is_taken_for_none(panel):
    """What a browser sends need not be what it was offered, and is asked for before the list is drawn."""
    at = opened(THREE)
    control = at.selectbox(key=f"compare.{panel}.method")
    sent = WidgetState(id=control.id, string_value="forged")
    control.__class__ = type("Forged", (type(control),), {"_widget_state": sent})
    settled(at.run())
    assert not at.exception and len(rows(at)) == 3


def test_long_runs_wait_for_the_button_and_can_be_stopped_and_run_again(monkeypatch):
    gate = gated_runs(monkeypatch)
    monkeypatch.setattr("dpviz.ui.session.jobs.UNASKED_COMPARED", 1e5)
    monkeypatch.setattr("dpviz.ui.session.jobs.QUICK_OPERATIONS", 1e6)  # K-means, and some of the chain
    at = opened(LONG)
    assert not at.table and "Press **Run**" in at.info[0].value
    press(at, "compare.run")
    assert len(at.get("progress")) == 3 and not at.table
    waiting = [own.proto.body for own in at.get("html") if "wait for their clusters" in own.proto.body]
    assert len(waiting) == 1 and f"{len(prepare(SMALL).X):,} points" in waiting[0] and "<img" in waiting[0]
    press(at, "compare.stop")
    gate.release()
    settled(at)
    assert not [own for own in at.get("html") if "wait for their clusters" in own.proto.body]
    assert rows(at) == ["1 K-means", "2 Gibbs"]
    assert STOPPED in said(at) and "Stopped early" in said(at)
    gate.release(1000)
    settled(press(at, "compare.run"))
    assert rows(at) == ["1 K-means", "2 Gibbs", "3 MAP-DP"]
    assert STOPPED not in said(at) and "Stopped early" not in said(at)


def test_a_reload_goes_on_with_the_runs_in_progress(monkeypatch):
    gate = gated_runs(monkeypatch)
    monkeypatch.setattr("dpviz.ui.session.jobs.UNASKED_COMPARED", 1e5)
    monkeypatch.setattr("dpviz.ui.session.jobs.QUICK_OPERATIONS", 1e6)
    at = opened([replace(config, seed=5) for config in LONG])  # no other test has finished them
    press(at, "compare.run")
    work = computing(at, "compare")
    assert work is not None and not work.over
    query = {name: address(at, name) for name in ("data", "panels", "same")}
    monkeypatch.setattr(Work, "left_alone", property(lambda work: not work.over))
    again = run(page("compare", **query))
    assert computing(again, "compare") is work and again.get("progress")
    gate.release(10**6)
    assert rows(settled(again)) == ["1 K-means", "2 Gibbs", "3 MAP-DP"]
    assert again.session_state["compare picture"].complete and not work.stopped


def test_a_run_that_fails_unexpectedly_says_so_in_its_panel(monkeypatch):
    whole = Job.steps

    def steps(job):
        yield from whole(job)
        if job.config.algorithm == "gibbs":
            raise ZeroDivisionError

    monkeypatch.setattr(Job, "steps", steps)
    at = opened([*THREE[:2], usual_config("gibbs", n_sweeps=21, burn_in=5)])
    assert rows(at) == ["1 K-means", "2 MAP-DP"]
    assert [plain(error.value) for error in at.error] == [UNEXPECTED]


def test_settings_outlive_a_visit_elsewhere():
    def page():
        import streamlit as st

        from dpviz.ui.session.chosen_data import DataChoice, prepare
        from dpviz.ui.stage import panels as compare_panels

        if st.session_state.get("elsewhere"):
            return
        prepared = prepare(DataChoice("synthetic", "elliptical_overlap").with_options(n=120))
        common = compare_panels.common_controls(120)
        st.session_state["own"] = [own for own, _ in compare_panels.cards(prepared, common)]

    at = AppTest.from_function(page, default_timeout=MOST_SECONDS).run()
    next(s for s in at.selectbox if s.value == "gibbs").set_value("dpmeans").run()
    next(s for s in at.slider if s.label == "Clusters K").set_value(7).run()
    before = at.session_state["own"]
    assert before[0].n_clusters == 7 and before[2].algorithm == "dpmeans"
    at.session_state["elsewhere"] = True
    assert not at.run().slider
    at.session_state["elsewhere"] = False
    assert at.run().session_state["own"] == before


def test_repeating_over_seeds_draws_a_box_for_every_score():
    at = opened(
        [RunConfig("kmeans", n_init=1), usual_config(n_init=1)],
        same='{"seed":3}',
    )
    at.number_input(key="compare.n_seeds").set_value(4).run()
    charts = len(at.get("plotly_chart"))
    settled(at.button(key="compare.repeat").click().run())
    assert len(at.get("plotly_chart")) == charts + 8
    work = computing(at, "compare study")
    assert work.over and sorted(work.task.result.frame()["seed"]) == [3, 3, 4, 4, 5, 5, 6, 6]
    settled(labelled(at, "slider", "Clusters K").set_value(2).run())
    assert len(at.get("plotly_chart")) == charts and "The repetition belonged to other settings" in said(at)


def test_repetitions_keep_the_models_that_the_shown_runs_chose():
    at = opened([RunConfig("mapdp", n_init=1), RunConfig("gibbs", n_sweeps=20, burn_in=5)], same='{"seed":3}')
    shown = [finished.config for _, finished in at.session_state["compare picture"].runs]
    at.number_input(key="compare.n_seeds").set_value(2).run()
    settled(at.button(key="compare.repeat").click().run())
    study = computing(at, "compare study").task.result
    assert not study.failures and len(study.frame()) == 4
    assert [run.config for run in study.plan] == [replace(c, seed=seed) for seed in (3, 4) for c in shown]


def test_the_lists_beside_the_heatmap_find_the_points_of_a_cell():
    at = opened([RunConfig("kmeans", n_clusters=2, n_init=1), RunConfig("kmeans", n_clusters=3, n_init=1)])
    picture = at.session_state["compare picture"]
    first, second = picture.labels.values()
    at.selectbox(key="compare.cell.first").set_value(int(first[0])).run()
    at.selectbox(key="compare.cell.second").set_value(int(second[0])).run()
    count = int(np.sum((first == first[0]) & (second == second[0])))
    assert f"**{count} points** are in cluster {first[0] + 1} of 1 K-means and in cluster {second[0] + 1}" in said(at)


def test_a_cell_chosen_in_other_runs_is_forgotten():
    at = opened(THREE)
    first = at.selectbox(key="compare.cell.first")
    first.set_value(first.options and int(first.options[-1].split()[-1]) - 1)
    settled(at.run())
    for number in (2, 4, 5):
        open_lesson(at, COMPARISONS[number])
        found = re.search(r"\*\*([\d,]+) points?\*\* (?:is|are) in cluster", said(at))
        apart = re.search(r"\*\*([\d,]+) of [\d,]+ points\*\*", said(at))
        assert found is not None and (apart is None or int(found[1].replace(",", "")) > 0)


def test_runs_with_very_many_clusters_leave_the_page_usable():
    choice = SMALL.with_options(n=1500)
    tiny = [RunConfig("dpmeans", penalty=1e-9), RunConfig("dpmeans", penalty=1e-9, order="permuted")]
    at = opened(tiny, choice)
    assert table(at)["K"].tolist() == ["1,500", "1,500"]
    assert "1,500 × 1,500 clusters" in said(at)


def test_runs_that_cannot_be_played_are_scored_all_the_same(monkeypatch):
    def refuse(panels, **options):
        raise DpvizError("no *picture*")

    monkeypatch.setattr("dpviz.ui.stage.runs.build_payload", refuse)
    at = opened(THREE)
    assert [plain(error.value) for error in at.error] == ["These runs cannot be played: no *picture*"]
    assert len(rows(at)) == 3


def made(configs: list[RunConfig]) -> Any:
    plan, _ = Plan.make(SMALL, configs, Common())
    batch = Batch(plan)
    assert Work(batch, at_once=float("inf")).over
    return batch.picture_of_all()


def test_clusters_are_numbered_as_in_the_player_and_lose_no_point(monkeypatch):
    monkeypatch.setattr("dpviz.ui.stage.runs.MOST_ROWS", 4)  # so that the chain's rows are thinned
    picture = made(THREE)
    for (name, finished), panel in zip(picture.runs, picture.panels, strict=True):
        result = finished.trace.result_labels
        assert dpviz.metrics.variation_of_information(result, picture.labels[name]) == 0
        assert len(panel.labels) <= 5 and any(np.array_equal(row, result) for row in panel.labels)


def test_the_csv_has_the_raw_scores_and_what_made_them():
    picture = made(THREE)
    X, labels = prepare(SMALL).X, prepare(SMALL).dataset.labels
    frame = compare_results.exported(picture, score_table(X, picture.traces, labels))
    assert [RunConfig.from_json(text) for text in frame["settings"]] == THREE
    assert frame["nll"].iloc[1] == dpviz.run(X, THREE[1]).nll[-1]
    assert frame["converged"].tolist() == [True, True, False]


def test_a_common_start_larger_than_the_data_is_refused_in_words():
    with pytest.raises(DpvizError, match="n_clusters=121"):
        Plan.make(SMALL, THREE, Common(start=121))


def test_equal_panels_are_run_once_and_shown_twice():
    config = usual_config(n_init=1, partition=ChineseRestaurant(2.5), seed=99)
    picture = made([config, config])
    assert list(picture.traces) == ["1 MAP-DP", "2 MAP-DP"]
    assert picture.runs[0][1] is picture.runs[1][1]
