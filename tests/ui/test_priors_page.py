"""The Priors page without a browser: what the browser is sent, what is said, the ways to other pages, and links."""

from __future__ import annotations

import json
import re
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis.continuum import penalised_inertia
from dpviz.analysis.elicitation import concentration_for
from dpviz.analysis.prior_laws import central_range, draw_data, ranked_table_sizes
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families import FAMILIES
from dpviz.partition import (
    PARTITION_PRIORS,
    ChineseRestaurant,
    FiniteDirichlet,
    GeneralizedChineseRestaurant,
    MixtureOfFiniteMixtures,
    PartitionPrior,
    PitmanYor,
    PoweredChineseRestaurant,
)
from dpviz.ui.controls import partition_control
from dpviz.ui.priors import continuum, counts, data_sets, laws
from dpviz.ui.priors.component import long_run_shares, panel_of, turned
from dpviz.ui.priors.controls import dials_of
from dpviz.ui.priors.dials import dial_of, films_of
from dpviz.ui.priors.page import SUITED, TABS
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.shell import page_link
from pages import address, chosen, close, in_app, page, plain, press, run, said, set_to, settled, shown_run

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
ALL = list(PARTITION_PRIORS)


def opened(tab: str, choice: DataChoice = SMALL, **settings: object) -> AppTest:
    return run(page("priors", data=choice, priors={"tab": tab, **settings}))


def in_whole_app(tab: str, **settings: object) -> AppTest:
    values = json.dumps({"tab": tab, **settings})
    return run(in_app("priors", data=SMALL, priors=values))


# --- what the browser is sent -----------------------------------------------------------------------------------------


def test_a_panel_has_the_seats_and_weights_of_its_prior():
    prior = PitmanYor(1.2, 0.25)
    panel = panel_of(prior, 30, 4, sequential=True, title="PY")
    labels = prior.sample_sequential_seating(30, 4)
    assert panel["labels"] == labels.tolist()
    assert_allclose(panel["expected"], prior.mean_n_clusters_up_to(30), rtol=1e-11)
    for seated in (1, 12, 30):  # the browser weighs the next seat as the library does
        sizes = np.bincount(labels[:seated])
        logs = [*(panel["join"][size - 1] for size in sizes), panel["open"][len(sizes)]]
        weights = np.exp(np.array(logs))
        assert_allclose(weights / weights.sum(), prior.seat_probabilities(sizes), rtol=1e-10)
    assert sum(panel["shares"]) == pytest.approx(1.0, abs=1e-9) and len(panel["shares"]) == labels.max() + 2


def test_the_two_notions_of_the_powered_restaurant_are_told_apart():
    prior = PoweredChineseRestaurant(1.2, 1.5)
    one_by_one, fixed = (panel_of(prior, 40, 2, sequential, "") for sequential in (True, False))
    assert one_by_one["labels"] == prior.sample_sequential_seating(40, 2).tolist()
    assert fixed["labels"] == prior.sample(40, 2).tolist()
    assert one_by_one["join"] is not None and fixed["join"] is None is fixed["open"]  # the next seat has no such law
    assert one_by_one["shares"] is None is fixed["shares"] and one_by_one["expected"] is None
    assert "not what Gibbs sampling" in one_by_one["note"] and "for all 40 customers at once" in fixed["note"]


def test_a_power_of_one_is_the_chinese_restaurant():
    panels = [
        panel_of(prior, 40, 2, True, "") for prior in (PoweredChineseRestaurant(1.2, 1.0), ChineseRestaurant(1.2))
    ]
    assert panels[0]["labels"] == panels[1]["labels"] and panels[0]["shares"] == panels[1]["shares"]


def test_customers_with_tables_of_their_own_number_have_their_next_seats_sent():
    prior = MixtureOfFiniteMixtures(0.7, "poisson(2)")
    panel = panel_of(prior, 30, 4, sequential=True, title="MFM")
    labels = prior.sample(30, 4)
    assert panel["labels"] == labels.tolist() and panel["join"] is None is panel["open"]
    assert len(panel["seats"]) == 31 and panel["seats"][0] == [1.0]
    for seated in (1, 12, 30):
        expected = prior.seat_probabilities(np.bincount(labels[:seated]))
        assert_allclose(panel["seats"][seated], expected, rtol=1e-10)
    assert sum(panel["shares"]) == pytest.approx(1.0, abs=1e-9)
    assert panel_of(PitmanYor(1.2, 0.25), 30, 4, True, "")["seats"] is None


def test_a_law_is_a_text_on_the_page_and_in_its_links():
    at = opened("counts", points=20, which=["finite_mixtures"], **{"finite_mixtures.n_components": "Poisson( 4 )"})
    field = at.text_input(key="priors.finite_mixtures.n_components")
    assert not at.error and "components − 1 ~ poisson(4)" not in said(at) and "unknown but finite" in said(at)
    drawn = next(trace for trace in json.loads(at.get("plotly_chart")[0].proto.spec)["data"] if "x" in trace)
    assert drawn["x"]
    run(field.set_value("poisson(-1)"))
    assert "n_components = 'poisson(-1)': r = -1.0 must be a number > 0" in plain(at.error[0].value)
    assert "bnb(1,4,3) is used" in plain(at.error[0].value)
    set_to(at, "priors.finite_mixtures.n_components", "geometric(0.5)")
    assert not at.error and json.loads(address(at, "priors"))["finite_mixtures.n_components"] == "geometric(0.5)"
    hostile = opened("counts", points=20, **{"finite_mixtures.n_components": "<script>", "gamma": 2})
    assert "Some of the link's settings are unknown" in plain(hostile.warning[0].value) and not hostile.error


def test_a_full_finite_mixture_has_no_weight_for_a_new_table():
    panel = panel_of(FiniteDirichlet(5.0, 3), 40, 1, True, "")
    assert max(panel["labels"]) == 2 and panel["open"][3] is None and panel["open"][2] is not None
    assert panel["shares"][-1] == pytest.approx(0.0, abs=1e-12)


def test_shares_are_drawn_given_the_customers():
    sizes = [900, 90, 10]
    assert_allclose(long_run_shares(ChineseRestaurant(1.0), sizes, 0)[:3], [0.9, 0.09, 0.01], atol=0.03)


# --- every tab --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tab", ["restaurants", "counts", "sizes"])
def test_two_points_are_enough(tab):
    app = opened(tab, points=2, customers=2, which=list(PARTITION_PRIORS)[:4])
    assert not app.error
    for chart in app.get("plotly_chart"):
        for trace in json.loads(chart.proto.spec)["data"]:
            assert trace["x"], trace["name"]


@pytest.mark.parametrize("tab", TABS.values())
def test_every_tab_is_drawn_and_named_in_the_address(tab):
    at = opened(tab)
    assert not at.error and not at.warning
    assert json.loads(address(at, "priors"))["tab"] == tab
    shown = {component.key for component in at.get("bidi_component")}
    own = {"restaurants": {"priors restaurants"}, "counts": {"priors law of K"}, "sizes": {"priors sizes"}}
    assert shown & {"priors restaurants", "priors law of K", "priors sizes"} == own.get(tab, set())
    assert bool(at.get("plotly_chart")) == (tab not in ("restaurants", "sizes"))


def test_the_page_opens_with_one_restaurant_and_others_are_added():
    at = opened("restaurants")
    assert at.button_group(key="priors.which").value == ["chinese_restaurant"]
    assert "add another" in at.button_group(key="priors.which").label
    assert "customer 30 of 100" in said(at)


def test_tabs_open_with_priors_that_suit_them_until_the_reader_chooses():
    at = opened("restaurants")

    def go(tab):
        set_to(at, "priors.place", tab)
        assert not at.exception
        return list(at.button_group(key="priors.which").value)

    assert go("Number of clusters") == list(SUITED["Number of clusters"])
    assert go("Sizes of clusters") == list(SUITED["Sizes of clusters"])
    assert go("Restaurants") == ["chinese_restaurant"]
    own = ["pitman_yor", "generalized"]
    set_to(at, "priors.which", own)
    assert go("Number of clusters") == go("Sizes of clusters") == go("Restaurants") == own
    assert json.loads(address(at, "priors"))["which"] == own
    at = opened("counts", which=["powered"])  # a link's choice is the reader's
    assert go("Sizes of clusters") == ["powered"]


def test_one_symbol_for_the_concentration_of_all_priors():
    symbols = {p.symbol for prior in PARTITION_PRIORS.values() for p in prior.parameters if p.name == "concentration"}
    assert symbols == {"N0"}
    for tab in TABS.values():
        at = opened(tab, which=list(PARTITION_PRIORS)[:3])
        assert not re.search(r"α(?!₀)(?! ?/)(?!,)", said(at)), tab


def test_restaurants_stand_side_by_side_under_one_seed():
    at = opened("restaurants", customers=50, seed=7)
    set_to(at, "priors.which", ["chinese_restaurant", "powered"])
    assert json.loads(address(at, "priors"))["which"] == ["chinese_restaurant", "powered"]
    assert "customer 30 of 50" in said(at) and "customers are seated one by one" in said(at)
    set_to(at, "priors.notion", "Draw at fixed N")
    assert "each is one exact draw at fixed N" in said(at)
    set_to(at, "priors.which", ["chinese_restaurant"])
    assert "two laws" not in said(at)
    set_to(at, "priors.which", [])
    assert "None is chosen; the first is shown." in said(at) and not at.exception


def test_numbers_of_clusters_are_those_of_the_library():
    at = opened("counts", points=300, concentration=2.0)
    mean, roughly = ChineseRestaurant(2.0).mean_n_clusters(300), 2 * np.log1p(150)
    assert f"approximation, {roughly:.3g} at N = 300 where the restaurant has {mean:.3g}" in said(at)
    assert len(at.get("plotly_chart")) == 2
    law = np.exp(ChineseRestaurant(2.0).log_pmf_n_clusters(300))
    curve = laws.count_panel(ChineseRestaurant(2.0), 300)
    assert curve["values"] == law[1 : len(curve["values"]) + 1].tolist() and sum(curve["values"]) > 0.999
    lower, upper = central_range(law)
    assert curve["said"] == f"{mean:.3g} clusters expected, 90 % in {lower} to {upper}"


@pytest.mark.parametrize("n_components", [5, 40, 10_000])
def test_one_more_point_goes_where_the_lecture_says(n_components):
    concentration, n = 2.5, 10
    joins = [(size + concentration / n_components) / (concentration + n) for size in (6, 3, 1)]
    empty = concentration * (1 - 3 / n_components) / (concentration + n)
    assert sum(joins) + empty == pytest.approx(1)
    words = counts.one_more_point(concentration, n_components)
    found = [float(number) for number in re.findall(r"0\.\d{4}\b", words)]
    limits = [*(size / (concentration + n) for size in (6, 3, 1)), concentration / (concentration + n)]
    assert_allclose(found, [*joins, empty, *limits], atol=5.1e-5)
    assert f"has {empty / (n_components - 3):.2g}, which tends to 0" in words


def test_the_number_of_components_is_turned_on_the_page():
    app = opened("counts")
    set_to(app, "priors.limit_components", 100.0)
    shown = said(app)
    assert any(counts.one_more_point(concentration, 100) in shown for concentration in (1.0, 3.0))


def test_sizes_are_mean_shares_by_rank_of_ranks_that_one_draw_in_ten_has():
    drawn = ranked_table_sizes(ChineseRestaurant(2.0), 40, laws.N_DRAWS, 1)
    often = (drawn > 0).mean(axis=0) >= 0.1
    assert 0 < often.sum() < drawn.shape[1]
    curve = laws.share_panel(ChineseRestaurant(2.0), 40, 1)
    assert_allclose(curve["values"], drawn[:, often].mean(axis=0) / 40)
    assert curve["said"] == f"the largest holds {drawn[:, 0].mean() / 40:.0%}"


def test_marks_are_shares_of_draws():
    assert laws.share_of_draws(np.array([3, 1, 3, 7])) == [[1, 0.25], [3, 0.5], [7, 0.25]]


def test_laws_of_many_points_follow_at_rest_which_is_said():
    def sliders(points):
        at = opened("sizes", points=points, which=["chinese_restaurant"])
        assert ("the laws follow when a slider rests" in said(at)) == (points > laws.MOST_LIVE)
        return {str(widget.key) for kind in ("slider", "select_slider") for widget in at.get(kind)}

    assert "priors.concentration" in sliders(laws.MOST_LIVE + 1) and "priors.concentration" not in sliders(60)


# --- data sets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_draws_data_sets(family):
    at = opened("data", draw_family=family, draw_from="The family’s example", draw_columns=3, draw_points=40)
    assert not at.error and len(at.get("plotly_chart")) == data_sets.N_SETS
    assert "an example, far from defaults" in said(at)


def test_a_draw_is_opened_in_explore_under_its_own_prior():
    at = in_whole_app("data", draw_prior="pitman_yor", draw_points=50, draw_seed=3, concentration=1.5, discount=0.5)
    assert "what Explore begins with for the chosen data" in said(at)
    set_to(at, "priors.draw_taken", 2)
    at = settled(press(at, "priors.draw_open"))
    choice = chosen(at)
    assert choice.source == "session" and not at.error
    config = shown_run(at).config
    assert config.partition == PitmanYor(1.5, 0.5) and config.family == "normal_wishart"
    X = prepare(SMALL).X
    model = FAMILIES["normal_wishart"].from_prior(None, X)
    expected = draw_data(PitmanYor(1.5, 0.5), model, 50, 4)
    trace = shown_run(at).trace
    assert_array_equal(trace.nll[-1], dpviz.run(expected.X, config).nll[-1])
    close(at)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_draws_of_every_family_open_in_explore(family):
    settings = {"draw_family": family, "draw_from": "The family’s example", "draw_columns": 8, "draw_points": 30}
    at = in_whole_app("data", draw_prior="powered", **settings)
    at = settled(press(at, "priors.draw_open"))
    finished = shown_run(at)
    assert not at.error and not at.warning
    assert finished.config.family == family and finished.config.partition == PoweredChineseRestaurant(3.0, 1.1)
    assert finished.trace.n_points == 30 and finished.prepared.X.shape == (30, 8)
    close(at)


def test_explore_has_no_control_for_a_growth_function():
    assert "there the draw meets the Chinese restaurant" in said(opened("data", draw_prior="generalized"))
    assert "there the draw meets" not in said(opened("data", draw_prior="powered"))


def test_counts_are_drawn_for_counts_and_keep_their_kind():
    at = opened("data", DataChoice("bundled", "horse_kicks"), draw_family="poisson", draw_points=30)
    assert "what Explore begins with for the chosen data" in said(at) and not at.error


def test_equal_whole_numbers_are_spread_and_many_columns_projected():
    def drawn(family, n_columns):
        values, data = FAMILIES[family].example_prior(n_columns), FAMILIES[family].example_data(30, n_columns)
        dataset = draw_data(ChineseRestaurant(1.0), FAMILIES[family].from_prior(values, data), 60)
        places = data_sets.coordinates(dataset)
        assert places.shape == (60, 2) and np.isfinite(places).all()
        return places - dataset.X if n_columns == 2 else places

    shift = drawn("poisson", 2)
    assert 0 < np.abs(shift).max() <= data_sets.JITTER and len(np.unique(shift)) > 50
    assert (drawn("normal_gamma", 2) == 0).all()
    stacked = drawn("normal_gamma", 1)
    assert (stacked[:, 1] >= 0).all() and (stacked[:, 1] == np.round(stacked[:, 1])).all()
    drawn("categorical", 5)


# --- from K to N0 -----------------------------------------------------------------------------------------------------


def test_the_concentration_is_said_with_its_probability():
    at = opened("elicit", expected_points=500, expected_from=3, expected_to=8)
    found = concentration_for(ChineseRestaurant(1.0), 500, 3, 8)
    assert f"**N0 = {found.concentration:.4g}** gives 3 to 8 clusters among 500 points" in said(at)
    assert f"**{found.probability:.1%}**: more than any other value does" in said(at)
    assert "The chosen data have 60 points, for which the same words mean another N0." in said(at)
    set_to(at, "priors.expected_from", 1)
    assert "95.0%**: the farthest that still keeps 95% in the range" in said(at)


def test_a_range_that_says_nothing_is_explained():
    at = opened("elicit", expected_points=500, expected_from=9, expected_to=4)
    assert "lower = 9 must be at most upper = 4" in plain(at.error[0].value) and not at.exception


def test_a_prior_without_sliders_stays_here():
    at = opened("elicit", expected_prior="generalized", expected_points=60)
    assert "cannot be taken to another page" in said(at)
    assert not [button for button in at.button if str(button.key).startswith("priors.use")]
    assert GeneralizedChineseRestaurant.parameters[1].number is False


def elicited(prior: PartitionPrior) -> PartitionPrior:
    return concentration_for(prior, 60, 3, 8).prior


@pytest.mark.parametrize(
    "prior", [ChineseRestaurant(1.0), PitmanYor(1.0, 0.25), PoweredChineseRestaurant(1.0, 1.1)], ids=lambda p: p.name
)
def test_the_prior_is_used_on_explore(prior, monkeypatch):
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 1e12)  # the app in tests forgets on the next run where it went
    at = in_whole_app("elicit", expected_prior=prior.name)
    at = settled(press(at, "priors.use.explore"))
    assert shown_run(at).config.partition == elicited(prior)
    assert chosen(at) == SMALL and not at.error
    close(at)


def test_the_prior_is_used_on_compare():
    at = in_whole_app("elicit")
    at = settled(press(at, "priors.use.compare"))
    shown = json.loads(address(at, "panels"))
    assert len(shown) == 2 and not at.error
    expected = elicited(ChineseRestaurant(1.0)).to_dict()
    for text in shown:
        config = dpviz.RunConfig.from_query(text)
        assert config.partition is not None and config.partition.to_dict() == expected
    close(at)


def test_the_prior_is_used_on_tune():
    at = in_whole_app("elicit")
    at = press(at, "priors.use.tune")
    config = at.session_state["settings"]["tune.given"][1]
    assert config.partition == elicited(ChineseRestaurant(1.0)) and not at.error
    close(at)


def test_methods_for_a_prior():
    assert partition_control.method_with("chinese_restaurant") == "mapdp"
    assert partition_control.method_with("chinese_restaurant", "gibbs") == "gibbs"
    assert partition_control.method_with("powered", "pcrp") == "pcrp"
    assert partition_control.method_with("powered", "kmeans") == "mapdp"
    assert partition_control.method_with("generalized") is None


# --- from Gibbs sampling to K-means -----------------------------------------------------------------------------------


def test_at_temperature_zero_the_sampler_is_map_dp():
    at = opened("continuum", temperature=0, concentration=2.0)
    X = prepare(SMALL).X
    config = dpviz.RunConfig(
        "mapdp",
        partition=ChineseRestaurant(2.0),
        init="single",
        n_init=1,
        order="index",
        family="normal_wishart",
        prior=None,
    )
    trace = dpviz.run(X, config)
    assert f"At T = 0, 0 of {len(X)} points moved in the last sweep." in said(at)
    n_clusters = trace.n_clusters[-1]
    assert f"after sweep {trace.n_sweeps} at T = 0, with K = {n_clusters}." in said(at)


def test_ends_are_those_of_the_methods_and_their_objectives_are_listed():
    X = prepare(SMALL).X
    penalty = 0.3 * ALGORITHMS["dpmeans"].typical("penalty", X)
    at = opened("continuum", penalty_factor=0.3, variance_share=0.001)
    table = at.dataframe[0].value.set_index("Method")
    stopped = dpviz.run(X, dpviz.RunConfig("dpmeans", penalty=penalty, n_init=1))
    assert table.loc["DP-means", "K"] == stopped.n_clusters[-1] == table.loc["K-means", "K"]
    assert table.iloc[:, 1]["DP-means"] == pytest.approx(stopped.objective[-1], abs=1e-3)
    ends = continuum.ends(X, penalty, 0.001)
    for name, labels in ends.items():
        numbers = range(max(labels.max(), ends["MAP-DP"].max()) + 1)
        others = (np.array(order)[labels] == ends["MAP-DP"] for order in permutations(numbers))
        assert np.mean(labels == ends["MAP-DP"]) == max(map(np.mean, others))  # no other colours agree on more points
        assert table.loc[name].iloc[1] == pytest.approx(penalised_inertia(X, labels, penalty), abs=1e-3)
    fall = table.iloc[:, 1]["DP-means"] - table.iloc[:, 1]["MAP-DP from DP-means’ end"]
    assert ("goes on downhill" in said(at)) == (fall > 1e-3)


def test_what_is_left_of_the_continuum_is_shown_beside_an_error():
    at = opened("continuum", variance_share=1e-9)
    assert "sigma_hat_sq" in plain(at.error[0].value) and len(at.get("plotly_chart")) == 2


def test_one_column_is_stacked_and_large_data_are_sampled():
    prepared = prepare(DataChoice("bundled", "horse_kicks"))
    places = continuum.coordinates(prepared, np.arange(20))
    assert places.shape == (20, 2)
    assert "A sample of 1,000 of the 1,200 points is run." in said(
        opened("continuum", DataChoice("synthetic", "elliptical_overlap").with_options(n=1_200))
    )


# --- links ------------------------------------------------------------------------------------------------------------


def test_a_link_brings_tab_and_settings_back():
    at = opened("counts", points=123, seed=5, power=1.3, which=["powered"])
    restored = run(page("priors", data=SMALL, priors=address(at, "priors")))
    assert restored.number_input(key="priors.points").value == 123
    assert json.loads(address(restored, "priors"))["power"] == 1.3
    assert said(restored) == said(at)


def test_an_address_of_a_moment_ago_does_not_undo_a_click():
    at = opened("counts", points=123)
    earlier = address(at, "priors")
    set_to(at, "priors.place", "Sizes of clusters")
    assert json.loads(address(at, "priors"))["tab"] == "sizes"
    at.query_params["priors"] = earlier  # the browser had not heard of the new one when the reader clicked again
    set_to(at, "priors.points", 200)
    shown = json.loads(address(at, "priors"))
    assert shown["tab"] == "sizes" and shown["points"] == 200


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1, 2]", "could not be read"),
        ("{", "could not be read"),
        ("[" * 3000, "could not be read"),
        (" " * (page_link.LONGEST + 1), "could not be read"),
        ('{"tab": "counts", "points": "many"}', "left out"),
        ('{"tab": "counts", "concentration": true, "run.method": "em"}', "left out"),
        ('{"tab": "counts", "concentration": 1e400}', "left out"),
        ('{"tab": "counts", "which": ["nobody"]}', "left out"),
        ('{"tab": "data", "draw_family": ["poisson"], "draw_prior": {}}', "left out"),
    ],
)
def test_links_from_strangers_do_no_harm(text, words):
    at = run(page("priors", data=SMALL, priors=text))
    assert any(words in warning.value for warning in at.warning) and not at.error
    assert "run.method" not in at.session_state["settings"]


def test_numbers_out_of_bounds_leave_a_prior_out_with_a_word():
    at = opened("counts", points=10**8, discount=5, n_components=10**8, tab_unknown=1, which=ALL)
    assert at.number_input(key="priors.points").value == 2_000
    texts = [plain(warning.value) for warning in at.warning]
    assert any("Pitman–Yor is left out: discount = 5" in text for text in texts)
    assert any("Finite Dirichlet mixture is left out: n_components" in text for text in texts)
    assert not at.exception
    at = opened("data", draw_prior="pitman_yor", discount=5)
    assert "discount = 5" in plain(at.error[0].value)


def test_settings_at_the_edge_are_no_trouble():
    at = opened("elicit", expected_prior="finite_dirichlet", n_components=1, expected_from=1, expected_to=1)
    assert "a range that leaves something out of 1 to 1" in plain(at.error[0].value)
    at = opened("counts", points=50, concentration=-0.1, which=ALL)  # Pitman–Yor alone can have it
    assert not at.error and len(at.get("plotly_chart")) == 1  # how K grows; its laws are a picture of their own
    assert all("is left out: concentration" in plain(warning.value) for warning in at.warning) and len(at.warning) == 4
    at = opened("restaurants", customers=400, concentration=10**9)
    assert not at.error and not at.warning


def test_every_registered_prior_has_controls_for_its_numbers():
    at = opened("counts", points=20, which=ALL)
    shown = {str(widget.key) for kind in ("slider", "select_slider") for widget in at.get(kind)}
    shown |= {f"priors.{dial.name}" for dial in dials_of(ALL)}  # in the picture
    for prior in PARTITION_PRIORS.values():
        assert {f"priors.{p.name}" for p in prior.parameters if p.number} <= shown


def test_a_dial_has_the_panels_of_its_positions_and_takes_nothing_else(monkeypatch):
    parameter = next(own for own in ChineseRestaurant.parameters if own.name == "concentration")
    state: dict[str, Any] = {}
    monkeypatch.setattr("dpviz.ui.priors.dials.state.value", lambda key, default: 3.3)
    monkeypatch.setattr("dpviz.ui.priors.component.st.session_state", state)
    dial = dial_of("concentration", "priors.concentration", parameter)
    assert dial is not None and dial.values[dial.place] == 3.3 and list(dial.values) == sorted(set(dial.values))
    priors = (ChineseRestaurant(3.3), PitmanYor(3.3, 0.25), MixtureOfFiniteMixtures(1.0))
    films = films_of([dial], priors, lambda prior: panel_of(prior, 20, 1, True, prior.describe()))["concentration"]
    for value, shown in zip(dial.values, films, strict=True):
        assert shown[2] is None  # it has no such number
        for prior, panel in zip((ChineseRestaurant(value), PitmanYor(value, 0.25)), shown, strict=False):
            assert panel is not None and panel["labels"] == panel_of(prior, 20, 1, True, "")["labels"]
    hostile: tuple[Any, ...] = (
        None,
        3,
        {},
        {"name": "concentration", "place": -1},
        {"name": "concentration", "place": 10**9},
    )
    for event in (*hostile, {"name": "x", "place": 0}, {"name": "concentration", "place": True}):
        state["r"] = {"turned": event}
        assert turned("r", [dial]) is None
    state["r"] = {"turned": {"name": "concentration", "place": 2}}
    assert turned("r", [dial]) == (dial, dial.values[2])
