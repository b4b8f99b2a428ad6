"""Knobs above the picture of Explore: they answer while they move, and the server's run takes over when they rest."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from browsing import Open, expander, frames_of, settled
from numpy.testing import assert_allclose
from player_steps import STATUS, ready
from playwright.sync_api import Page, expect
from test_chapters_in_browser import DIES_ONCE

import dpviz
from dpviz.config import RunConfig
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import cluster_shapes
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.partition import ChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.shell import links

pytestmark = pytest.mark.browser

SMALL = DataChoice("synthetic", "elliptical_rotated").with_options(n=120)
X, GROUPS = prepare(SMALL).X, prepare(SMALL).dataset.labels
MODEL: dict[str, Any] = {"family": "normal_wishart", "prior": None, "partition": ChineseRestaurant(1.0)}
RUNS = {
    "K": RunConfig("kmeans", n_clusters=3, seed=2),
    "λ": RunConfig("dpmeans", penalty=9.0),
    "N0": RunConfig("mapdp", **MODEL, init="kmeans++", init_clusters=4, n_init=3, seed=1),
    "N0 of a chain": RunConfig("gibbs", **MODEL, init="single", n_sweeps=20, burn_in=5, seed=3),
}
LIVE = 'dpvizLive.lives.get("explore player")'
SAID = ".live-said"
FILM = f"""() => {{
  const {{ film }} = {LIVE}.sides[0];
  return film && {{ config: film.config, tracks: Array.from(film.tracks), K: film.answer.n_clusters,
    ari: film.panel.adjusted_rand.at(-1),
    centres: Array.from(film.panel.ellipse_centers.slice(2 * film.panel.ellipse_offsets.at(-2))),
    mapped: Array.from(film.panel.region_sweeps), last: film.panel.n_sweeps }};
}}"""
LAST_TRACKS = f"""() => {{
  const {{ player }} = {LIVE}, [panel] = player.run.panels;
  return player.opening.film ? null : Array.from(panel.labels.subarray(panel.n_sweeps * panel.n_points));
}}"""


PLACE = f"{LIVE}.player.panels[0].stage.getBoundingClientRect().top"
TWO_LINES_MORE = f"""() => {{
  {LIVE}.still.hold({LIVE}.player.root);
  document.querySelector("h4").parentElement.append(...["one", "two"].map((text) => {{
    const line = document.createElement("p");
    line.textContent = text;
    return line;
  }}));
}}"""


def opened(open_page: Open, address: str, config: RunConfig, before: str = "", sweep: int = 0) -> Page:
    page = open_page("about:blank")
    if before:
        page.add_init_script(before)
    page.goto(address + links.link(SMALL, config, sweep))
    expect(settled(ready(page, every_control=False)).locator(SAID)).not_to_be_empty()
    return page


def drag(page: Page, name: str, share: float, steps: int = 6) -> None:
    """Press a knob's thumb and move it to a share of its way, without letting go."""
    box = page.locator(".live-strip").get_by_role("slider", name=name).bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.5 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + share * box["width"], middle, steps=steps)


PLAYERS = {
    "explore player": links.link(SMALL, RUNS["N0"], 0),
    "compare player": f"""/compare?{
        urlencode({"data": SMALL.to_json(), "panels": json.dumps([RUNS[name].to_query() for name in ("K", "λ", "N0")])})
    }""",
}
"""Pages with knobs, by the key of their player."""


@pytest.mark.parametrize("key", PLAYERS)
def test_nobody_asks_the_server_while_dragging_scrubbing_and_clicking(open_page, address, key):
    page = open_page("about:blank")
    sent = frames_of(page)
    page.goto(address + PLAYERS[key])
    expect(settled(ready(page, every_control=False)).locator(SAID)).to_contain_text("Drag a knob")
    live = f'dpvizLive.lives.get("{key}")'
    page.wait_for_function(f"() => !{live}.player.deck.playing && {live}.computes")
    box = page.locator(".panels").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)  # the reader is at the picture
    page.wait_for_timeout(600)
    sent.clear()
    page.get_by_role("slider", name="Sweep").fill("1")
    number = page.evaluate(f"() => {live}.sides.findIndex((side) => side.facts.has_nll)")
    page.evaluate(f"() => {live}.player.reader.choose({number}, 5)")
    answer = page.get_by_role("region", name="Why here?")
    expect(answer).to_contain_text("Why is point 5 in cluster")
    expect(answer.get_by_role("row")).not_to_have_count(1)
    drag(page, "N0", 0.3)
    page.wait_for_function(f"() => {live}.film && !{live}.shared.busy")
    page.wait_for_timeout(600)  # longer than a knob or a playhead rests
    assert sent == []
    page.mouse.up()


def test_the_servers_runs_take_over_the_panels_that_a_knob_turned(open_page, address):
    page = open_page(address + PLAYERS["compare player"])
    expect(settled(ready(page, every_control=False)).locator(SAID)).to_contain_text("Drag a knob")
    before = page.locator(STATUS).all_inner_texts()
    top = page.evaluate("() => document.querySelector('.st-key-compare-runs').getBoundingClientRect().top")
    drag(page, "K", 0.3)
    expect(page.locator(SAID)).to_contain_text("Quick runs: 1 K-means")
    page.mouse.up()
    expect(page.locator(SAID)).to_contain_text("The server's runs: 1 K-means")
    shown = page.evaluate("() => dpvizLive.lives.get('compare player').values.n_clusters")
    assert shown not in (3, None)
    expect(page.locator(STATUS).first).to_contain_text(f"{shown} clusters")
    expect(settled(page).get_by_role("table")).to_contain_text(f"K = {shown}")
    assert page.locator(STATUS).all_inner_texts()[1:] == before[1:]
    assert page.evaluate("() => document.querySelector('.st-key-compare-runs').getBoundingClientRect().top") == top


def test_one_number_of_groups_is_turned_for_e_m_and_k_means(open_page, address):
    panels = [RunConfig("em", n_components=3).to_query(), RUNS["K"].to_query()]
    page = open_page(f"{address}/compare?{urlencode({'data': SMALL.to_json(), 'panels': json.dumps(panels)})}")
    expect(settled(ready(page, every_control=False)).locator(SAID)).to_contain_text("E-M is computed on the server")
    drag(page, "K", 0.3)
    expect(page.locator(SAID)).to_contain_text("Quick runs: 2 K-means")
    page.mouse.up()
    expect(page.locator(SAID)).to_contain_text("The server's runs: 2 K-means")
    shown = page.evaluate("() => dpvizLive.lives.get('compare player').values.n_clusters")
    assert shown > 3
    for place in (0, 1):
        expect(page.locator(STATUS).nth(place)).to_contain_text(f"{shown} clusters")


@pytest.mark.parametrize("knob", RUNS)
def test_a_knob_that_moves_shows_the_run_of_the_library_and_asks_no_server(open_page, address, knob):
    page = open_page("about:blank")
    sent = frames_of(page)
    page.goto(address + links.link(SMALL, RUNS[knob], 0))
    expect(settled(ready(page, every_control=False)).locator(SAID)).to_contain_text("Drag a knob")
    sent.clear()
    drag(page, knob.split()[0], 0.3)
    expect(page.locator(SAID)).to_contain_text("in a quick run")
    page.wait_for_function(f"() => !{LIVE}.shared.busy && {LIVE}.film")
    film = page.evaluate(FILM)
    config = RunConfig.from_dict(film["config"])
    assert config != RUNS[knob]  # it has the new value
    trace = dpviz.run(X, config)
    labels = trace.labels_at(-1)
    pairs = set(zip(labels.tolist(), film["tracks"], strict=True))
    assert len(pairs) == len(np.unique(labels)) == film["K"]
    assert film["ari"] == pytest.approx(dpviz.metrics.ari(GROUPS, labels))
    shown = cluster_shapes(Problem.check(X, config), trace, np.array([trace.n_sweeps]))
    assert shown is not None and isinstance(shown.shapes, LocationScaleShapes)  # ellipses stay while the knob moves
    assert_allclose(film["centres"], shown.shapes.locations.ravel(), rtol=1e-9, atol=1e-9)
    assert film["mapped"] == [film["last"]]
    page.wait_for_timeout(600)  # longer than a knob rests
    assert sent == []
    page.mouse.up()


def test_the_cost_that_a_knob_shows_has_the_unit_of_the_table(open_page, address):
    scaled = replace(SMALL, scaling="standardise")
    page = open_page("about:blank")
    page.goto(address + links.link(scaled, RUNS["N0"], 0))
    expect(settled(ready(page, every_control=False)).locator(SAID)).to_contain_text("Drag a knob")
    drag(page, "N0", 0.3)
    page.wait_for_function(f"() => !{LIVE}.shared.busy && {LIVE}.film")
    found = f"{LIVE}.sides[0].film"
    shown, config = page.evaluate(f"() => [[...{found}.panel.nll, {found}.answer.nll], {found}.config]")
    trace = dpviz.run(prepare(scaled).X, RunConfig.from_dict(config))
    raised = prepare(scaled).units.trace(trace).nll
    assert abs(raised[-1] - trace.nll[-1]) > 1
    assert_allclose(shown, [*raised, raised[-1]], rtol=1e-9)
    page.mouse.up()


GHOST = f"""() => {{
  const {{ player, sides: [side] }} = {LIVE};
  return {{ answer: player.ghost.answer, config: side.film?.config ?? null,
    tracks: Array.from(player.snapshots()[0].labels), sweep: player.snapshots()[0].sweep }};
}}"""


def test_the_ghost_point_is_answered_here_for_the_run_that_a_knob_makes(open_page, address):
    page = open_page("about:blank")
    sent = frames_of(page)
    page.goto(address + links.link(SMALL, RUNS["N0"], 0))
    expect(settled(ready(page, every_control=False)).locator(SAID)).to_contain_text("Drag a knob")
    page.wait_for_function(f"() => {LIVE}.computes")
    box = page.locator(".panels").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.wait_for_timeout(600)
    sent.clear()
    place = np.array([4.0, 9.0])

    def check(served=RUNS["N0"]):
        page.wait_for_function(f"() => {LIVE}.player.ghost.answer?.sweep === {LIVE}.player.snapshots()[0].sweep")
        found = page.evaluate(GHOST)
        config = served if found["config"] is None else RunConfig.from_dict(found["config"])
        used, codes = np.unique(found["tracks"], return_inverse=True)
        predictive = PartitionPredictive(Problem(X, config), codes)
        weights, fits = np.exp(predictive.log_seat_weights), predictive.log_predictives(place[None, :])[0]
        told = {track: [size, fit] for track, size, fit in found["answer"]["pulls"]}
        assert sorted(told) == [-1, *used.tolist()]
        for track, weight, fit in zip([*used.tolist(), -1], weights, fits, strict=True):
            assert_allclose(told[track], [weight, fit], rtol=1e-9)
        return config

    page.evaluate(f"() => {LIVE}.player.ghost.put(0, ...{place.tolist()})")
    check()
    drag(page, "N0", 0.9)
    page.wait_for_function(f"() => !{LIVE}.shared.busy && {LIVE}.film")
    page.wait_for_timeout(600)  # longer than a knob rests
    made = check()
    assert made.partition != MODEL["partition"]
    page.evaluate(f"() => {LIVE}.player.deck.moveTo(1, true)")
    page.wait_for_timeout(600)
    check()
    assert sent == []
    page.mouse.up()
    expect(page.locator(SAID)).to_contain_text("The server")
    page.wait_for_function(f"() => !{LIVE}.film")
    assert check(made) == made


def test_the_servers_run_takes_over_where_the_knob_rests(open_page, address):
    page = opened(open_page, address, RUNS["K"], sweep=1)  # not at an end, which the next run would keep
    drag(page, "K", 0.3)
    expect(page.locator(SAID)).to_contain_text("in a quick run")
    page.mouse.up()
    page.wait_for_function(f"() => !{LIVE}.shared.busy")
    film = page.evaluate(FILM)
    view, place = (
        page.locator(".stage .overlay").first.get_attribute("data-view"),
        page.locator(".stage").bounding_box(),
    )
    expect(page.locator(SAID)).to_contain_text("The server agrees")
    n_clusters = film["config"]["n_clusters"]
    assert page.evaluate(LAST_TRACKS) == film["tracks"]  # the same clusters in the same colours
    assert page.locator(".stage .overlay").first.get_attribute("data-view") == view
    settled(page).evaluate(TWO_LINES_MORE)  # above the picture, which stays where it is
    page.wait_for_function(f"() => Math.abs({PLACE} - {place and place['y']}) < 1")
    expect(page.locator(STATUS).first).to_contain_text(f"{n_clusters} clusters")
    expect(page.locator(STATUS).first).to_contain_text(re.compile(r"sweep (\d+) of \1\b"))
    expect(page.get_by_role("slider", name="Clusters K")).to_have_count(1)  # that of the strip
    own = expander(page, "More: K, start, order, length, seed").get_by_role("slider", name="Clusters K")
    expect(own).to_have_value(str(n_clusters))


def test_where_a_knob_rests_the_browser_searches_and_finds_what_the_server_finds(open_page, address):
    config = RunConfig("mapdp", **MODEL, effort=0.2, seed=4)
    page = opened(open_page, address, config)
    drag(page, "N0", 0.8)
    expect(page.locator(SAID)).to_contain_text("Let go, and the search goes on")
    page.evaluate(
        "() => Object.assign(dpvizLive, { later: dpvizLive.send, send: null })"
    )  # the server is not asked yet
    page.mouse.up()
    expect(page.locator(SAID)).to_contain_text("after the search")
    film = page.evaluate(FILM)
    searched = RunConfig.from_dict(film["config"])
    assert (searched.init, searched.effort) == ("auto", 0.2)
    page.evaluate("() => Object.assign(dpvizLive, { send: dpvizLive.later })")
    expect(page.locator(SAID)).to_contain_text("The search agrees")
    assert page.evaluate(LAST_TRACKS) == film["tracks"]


WORKERS = """
  globalThis.workers = { begun: 0, ended: 0 };
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      workers.begun += 1;
    }
    terminate() {
      workers.ended += 1;
      super.terminate();
    }
  };
"""


def test_a_knob_that_turns_while_the_page_searches_is_answered_by_the_same_worker(open_page, address):
    page = opened(open_page, address, RunConfig("mapdp", **MODEL, effort=0.2, seed=4), WORKERS)
    drag(page, "N0", 0.8)
    expect(page.locator(SAID)).to_contain_text("Let go, and the search goes on")
    page.evaluate("() => Object.assign(dpvizLive, { later: dpvizLive.send, send: null })")  # the browser searches alone
    before, workers = page.evaluate(FILM)["config"], page.evaluate("() => workers")
    asked = f"(effort) => {{ {LIVE}.sides[0].facts.config.effort = effort; }}"
    page.evaluate(asked, 1000.0)  # for hours
    page.mouse.up()
    so_far = page.locator(f"{SAID} .live-added")
    expect(page.locator(SAID)).to_contain_text(re.compile(r"The search goes on … \d+\s%, −?[\d,]+\.\d\snats"))
    first = so_far.inner_text()
    expect(so_far).not_to_have_text(first)
    drag(page, "N0", 0.3)
    expect(page.locator(SAID)).to_have_text(re.compile("Let go, and the search goes on.$"))
    assert page.evaluate(FILM)["config"] != before
    page.evaluate(asked, 0.2)
    page.mouse.up()
    expect(page.locator(SAID)).to_contain_text("after the search")
    assert page.evaluate("() => workers") == workers
    page.evaluate("() => Object.assign(dpvizLive, { send: dpvizLive.later })")
    expect(page.locator(SAID)).to_contain_text("The search agrees")


def test_workers_end_when_their_page_is_left_and_begin_anew_when_it_is_opened_again(open_page, address):
    page = opened(open_page, address, RunConfig("mapdp", **MODEL, effort=0.2, seed=4), WORKERS)
    drag(page, "N0", 0.8)
    page.mouse.up()
    expect(page.locator(SAID)).to_contain_text("The search agrees")
    n_open = "() => workers.begun - workers.ended"
    assert page.evaluate(n_open) > 0
    page.get_by_role("link", name="Lessons").click()
    expect(page.get_by_role("heading", name="Lessons", exact=True)).to_be_visible()
    page.wait_for_function("() => workers.begun === workers.ended")
    page.go_back()
    ready(page)
    page.wait_for_function("() => workers.begun === workers.ended + 1")  # before a knob moves
    drag(page, "N0", 0.3)
    expect(page.locator(SAID)).to_contain_text("Let go, and the search goes on")
    page.mouse.up()
    expect(page.locator(SAID)).to_contain_text("The search agrees")


def test_no_picture_of_a_moving_knob_is_dearer_than_one_cluster(open_page, address):
    choice = DataChoice("synthetic", "null_gaussian", (("n", 100), ("seed", 0)))
    config = RunConfig("mapdp", **MODEL | {"partition": ChineseRestaurant(60.0)}, effort=0.2)
    page = open_page(address + links.link(choice, config, 0))
    expect(settled(ready(page, every_control=False)).locator(SAID)).to_contain_text("Drag a knob")
    drag(page, "N0", 0.02)
    expect(page.locator(SAID)).to_contain_text("1 cluster in a quick run")  # from those of N0 = 60 five stay
    film = page.evaluate(FILM)
    one = dpviz.run(prepare(choice).X, replace(RunConfig.from_dict(film["config"]), init="single", n_init=1))
    assert film["K"] == one.n_clusters[-1] == 1
    page.mouse.up()


def test_the_model_stays_where_n0_rests_over_a_reload_and_until_it_is_to_be_chosen_again(open_page, address):
    chosen, again = r"Chosen by nll: ([^.]*)\.", "Choose the model again"
    page = opened(open_page, address, RunConfig("mapdp", effort=0.0, partition=ChineseRestaurant(1.0)))
    model = re.compile(re.escape(re.search(chosen, page.locator("body").inner_text())[0]))
    drag(page, "N0", 0.95)
    expect(page.locator(SAID)).to_contain_text("in a quick run")
    page.wait_for_function(f"() => !{LIVE}.shared.busy && {LIVE}.film")
    page.mouse.up()
    page.wait_for_function(f"() => !{LIVE}.film")  # the server's run has taken over
    kept = page.get_by_text(model).filter(has_text="The model was chosen at N0 = 1, seed 0, and is kept.")
    expect(kept).to_be_visible()
    page.wait_for_function(LAST_TRACKS)  # the picture is no longer that of the quick run
    clusters = page.locator(STATUS).first.inner_text()
    page.reload()
    expect(settled(ready(page, every_control=False)).locator(STATUS).first).to_have_text(clusters)
    expect(kept).to_be_visible()
    page.get_by_role("button", name=again).click()
    expect(page.get_by_role("button", name=again)).to_have_count(0)
    expect(settled(page).get_by_text("Chosen by nll")).to_be_visible()
    expect(page.get_by_text("The model was chosen at")).to_have_count(0)


NO_ENGINE = {
    "no WebAssembly": ("delete globalThis.WebAssembly;", "computes nothing itself"),
    "a Worker that dies": (
        "globalThis.Worker = class { terminate() {} postMessage() { setTimeout(() => this.onerror({})); } };",
        "stopped",
    ),
    "a damaged engine": ("WebAssembly.compile = () => Promise.reject(new Error('it is damaged'));", "stopped"),
}


@pytest.mark.parametrize("what", NO_ENGINE)
def test_without_an_engine_the_server_answers(open_page, address, what):
    before, words = NO_ENGINE[what]
    page = opened(open_page, address, RUNS["K"], before)
    drag(page, "K", 0.3)
    expect(page.locator(SAID)).to_contain_text(words)
    page.mouse.up()
    expect(page.locator(STATUS).first).not_to_contain_text("3 clusters")
    assert page.evaluate(FILM) is None


HEARD = """(node) => {
  window.heard = [];
  const changes = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => heard.push(node.textContent)).observe(node, changes);
}"""


def test_a_worker_that_dies_is_replaced_and_the_page_says_so(open_page, address):
    page = opened(open_page, address, RUNS["K"], DIES_ONCE)
    page.locator(SAID).evaluate(HEARD)
    page.evaluate("window.deaths = 1")
    drag(page, "K", 0.3, steps=1)  # whose next answer may follow at once
    page.wait_for_function("() => heard.some((words) => words.includes('stopped (it died); nothing is lost'))")
    drag(page, "K", 0.6)
    page.wait_for_function(f"() => {LIVE}.sides[0].film !== null")
    page.mouse.up()
    page.wait_for_function(f"() => !{LIVE}.shared.busy")
    assert page.evaluate(f"() => {LIVE}.shared.engines.failures") == 0


@pytest.mark.parametrize(
    ("name", "run", "without_chance"),
    [("λ", RUNS["λ"], True), ("N0", RUNS["N0"], False), ("N0", RunConfig("mapdp", **MODEL, effort=0.1), False)],
    ids=["nothing drawn", "one start", "a search"],
)
def test_seeds_find_what_the_run_finds_with_them_and_are_no_trials_where_nothing_is_drawn(
    open_page, address, name, run, without_chance
):
    page = opened(open_page, address, run)
    drag(page, name, 0.3)
    page.mouse.up()
    page.get_by_role("button", name="20 seeds").click()
    line = page.locator(".live-seeds .strip")
    thrown = line.get_by_role("button")
    expect(thrown.filter(has_text="·")).to_have_count(0)
    assert ("draws nothing at random" in line.locator(".words").inner_text()) == without_chance
    config = RunConfig.from_dict(page.evaluate(f"() => {LIVE}.sides[0].configuration({{ from: 'start' }})"))
    own = [str(len(np.unique(dpviz.run(X, replace(config, seed=seed)).result_labels))) for seed in range(20)]
    assert thrown.all_inner_texts() == own and (len(set(own)) == 1 or not without_chance)
