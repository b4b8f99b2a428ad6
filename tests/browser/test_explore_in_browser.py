"""The Explore page in a real browser: ready to play, asked why, stopped, linked, taken away."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pandas as pd
import pytest
from boxes import themed
from browsing import downloaded, expander, motionless, moved, place_of, settled
from measures import controls, shifts, watching_shifts
from numpy.testing import assert_array_equal
from player_steps import STATUS, button, ready
from playwright.sync_api import Page, expect

import dpviz
from dpviz.config import RunConfig
from dpviz.engine.trace import Trace
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.shell import links
from dpviz.ui.stage.lessons import PRESETS

pytestmark = pytest.mark.browser

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=100)
QUICK = RunConfig("mapdp", n_init=1, init="single", seed=5, family="normal_wishart", prior=None)
X = prepare(SMALL).X
TRACE = dpviz.run(X, QUICK)
FINISHED = Finished(SMALL, QUICK, prepare(SMALL), TRACE)


def link(choice: DataChoice = SMALL, config: RunConfig = QUICK, sweep: int = 0) -> str:
    return links.link(choice, config, sweep)


def expect_sweep(page: Page, sweep: int, last: int) -> None:
    expect(page.locator(STATUS).first).to_contain_text(f"sweep {sweep} of {last} ")


def expect_run(page: Page, title: str) -> None:
    """The picture says it was made by this run."""
    expect(page.get_by_role("application", name=title)).to_be_visible()


def taken(page: Page, name: str) -> Path:
    return downloaded(page, page.get_by_role("button", name=name))


def test_lands_on_a_lesson_ready_to_play(open_page, address):
    page = ready(open_page(f"{address}/explore"))
    preset = PRESETS[0]
    last = dpviz.run(prepare(preset.choice).X, preset.config).n_sweeps
    expect_sweep(page, 0, last)
    expect(page.get_by_text(preset.watch)).to_be_visible()
    page.get_by_label("Speed").select_option("8")
    button(page, "Play").click()
    expect_sweep(page, last, last)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_lesson_is_chosen_from_the_list_of_all(open_page, address):
    page = ready(open_page(f"{address}/explore"))
    page.get_by_role("link", name="Lessons").click()
    page.get_by_role("button", name=PRESETS[1].title).click()
    expect(page).to_have_url(re.compile("/explore"))
    expect(page.get_by_text(PRESETS[1].watch).first).to_be_visible()  # the page before may not be gone yet
    page.locator(".stage .overlay").focus()
    page.keyboard.press("End")
    expect(page.locator(STATUS).first).to_contain_text("3 clusters")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_it_opens_with_few_controls_and_nothing_jumps(open_page, address, width, height):
    page = watching_shifts(open_page("about:blank", width=width, height=height))
    page.goto(f"{address}/explore")
    motionless(settled(ready(page, every_control=False)))
    assert controls(page) <= 35  # with the ways home, to the canvas and to a class, and knobs at the picture
    assert shifts(page) < 0.1
    more = button(page, "More controls")
    more.click()
    expect(button(page, "Last")).to_be_visible()
    more.click()
    expect(button(page, "Last")).to_be_hidden()
    page.keyboard.press("End")  # keys work all the same
    expect(page.locator(STATUS).first).to_contain_text(re.compile(r"sweep (\d+) of \1 "))


def test_keys_and_scrubbing_move_what_belongs_to_the_playhead(open_page, address):
    page = ready(open_page(address + link()))
    last = TRACE.n_sweeps
    page.locator(".stage .overlay").focus()
    page.keyboard.press("ArrowRight")
    expect_sweep(page, 1, last)
    page.get_by_role("slider", name="Sweep").fill(str(last))
    expect_sweep(page, last, last)
    expect(page.get_by_role("button", name=f"Slow motion of sweep {last}")).to_be_visible()
    page.keyboard.press("Home")
    expect_sweep(page, 0, last)


def test_why_shows_the_numbers_of_explain_assignment(open_page, address):
    page = ready(open_page(address + link(sweep=2)))
    expect_sweep(page, 2, TRACE.n_sweeps)
    page.mouse.click(*place_of(page, X, 12))
    expect(page.get_by_role("region", name="Why here?")).to_contain_text("after sweep 2?")
    page.mouse.move(0, 0)  # to the page around the picture, which now follows
    question = page.get_by_role("strong").filter(has_text=re.compile(r"Why is point \d+ in"))
    expect(question).to_contain_text("after sweep 2?")
    point = int(re.findall(r"point (\d+)", question.inner_text())[0])
    said = expander(page, "The arithmetic")
    table = dpviz.explain_assignment(X, TRACE, 2, point)
    for row in table[np.isfinite(table["total"])].itertuples():
        expect(said).to_contain_text(f"−ln f = {row.neg_log_predictive:.4f}, −ln weight = {row.neg_log_weight:.4f}")
        expect(said).to_contain_text(f"total = {row.total:.4f}")
    number = FINISHED.number(int(TRACE.labels[2][point]), 2)
    expect(question).to_contain_text(f"in cluster {number} ")


def test_slow_motion_of_a_sweep(open_page, address):
    page = ready(open_page(address + link(sweep=1)))
    page.get_by_role("button", name="Slow motion of sweep 1").click()
    expect(page.get_by_role("button", name="sweep 1 in slow motion")).to_be_visible()


def test_a_link_restores_the_state_and_reload_keeps_it(open_page, address):
    page = ready(open_page(address + link(sweep=3)))
    expect_sweep(page, 3, TRACE.n_sweeps)
    shown = expander(page, "Take it away").get_by_test_id("stCode").first
    given = shown.inner_text().replace("\n", "")
    assert given.startswith(address)
    other = ready(open_page(given))
    expect_sweep(other, 3, TRACE.n_sweeps)
    page.reload()
    expect_sweep(ready(page), TRACE.n_sweeps, TRACE.n_sweeps)
    expect_run(page, "MAP-DP · N0 = 3 · seed 5")


@pytest.mark.parametrize("n_points", [2_000, 100_000], ids=["few points", "many points"])
def test_a_long_run_is_watched_and_stopped(open_page, address, n_points):
    long = RunConfig("gibbs", n_sweeps=60_000, burn_in=100, family="normal_wishart", prior=None)
    page = open_page(address + link(SMALL.with_options(n=n_points), long))
    page.get_by_role("main").get_by_role("button", name="Run").click()
    expect(page.get_by_text(re.compile(r"sweep \d+ · .* sweeps/s")).first).to_be_visible()
    ready(page)
    first = re.findall(r"sweep (\d+)", page.locator(STATUS).first.inner_text())[0]
    expect(page.locator(STATUS).first).not_to_contain_text(f"sweep {first} ")
    page.reload()  # which finds the run at once and asks nobody to start it
    ready(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped early")).to_be_visible()
    expect(page.get_by_role("button", name="Run to the end")).to_be_enabled()
    expect(page.locator(STATUS).first).to_contain_text(re.compile(r"of \d"))  # no longer that of the live run
    done = int(re.findall(r"of ([\d\s\u2009\u202f,]+)", page.locator(STATUS).first.inner_text())[0].strip())
    assert 0 < done < 60_000


def test_a_moved_control_runs_again_or_marks_the_picture_stale(open_page, address):
    page = ready(open_page(address + link(SMALL.with_options(n=2000))))
    box = expander(page, "Start, order, length")
    page.get_by_label("Seed", exact=True).fill("6")
    page.keyboard.press("Enter")
    expect_run(page, "MAP-DP · N0 = 3 · seed 6")
    box.get_by_role("spinbutton", name="Restarts (the best is shown)").fill("9000")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The picture shows the previous settings.")).to_be_visible()
    expect_run(page, "MAP-DP · N0 = 3 · seed 6")


def test_names_reach_the_picture_and_going_back_restores_them(open_page, address):
    page = ready(open_page(address + link()))
    expander(page, "Name the clusters").get_by_label("Cluster 1").fill("wide <b>")
    page.keyboard.press("Enter")
    expander(page, "Take it away")
    expander(page, "Start, order, length")
    page.get_by_label("Seed", exact=True).fill("6")
    page.keyboard.press("Enter")
    expect_run(page, "MAP-DP · N0 = 3 · seed 6")
    history = expander(page, "Runs of this session")
    history.get_by_role("button", name="Back to this run").click()
    expect(page.get_by_label("Seed", exact=True)).to_have_value("5")
    expect(settled(page).get_by_label("Cluster 1")).to_have_value("wide <b>")
    table = pd.read_csv(taken(page, "Rows with labels"))
    assert (table["cluster_name"][table["cluster"] == 1] == "wide <b>").all()


def test_downloads(open_page, address, tmp_path):
    last = TRACE.n_sweeps
    page = ready(open_page(address + link(sweep=last)))
    expect_sweep(page, last, last)
    expander(page, "Take it away")
    table = pd.read_csv(taken(page, f"Rows with labels of sweep {last}"))
    assert table["cluster"].tolist() == [FINISHED.number(int(label), last) for label in TRACE.labels[last]]
    assert_array_equal(table[["x1", "x2"]].to_numpy(), X)
    stored = taken(page, "The run (JSON)")
    loaded = Trace.from_json(stored.read_text())
    assert loaded.config == QUICK
    assert_array_equal(loaded.labels, TRACE.labels)
    html = tmp_path / "run.html"
    html.write_bytes(taken(page, "The player as a page that works offline").read_bytes())
    offline = ready(open_page(html.as_uri(), offline=True))
    expect_sweep(offline, 0, last)
    code = page.get_by_test_id("stCode").filter(has_text="import dpviz").inner_text()
    names: dict[str, Trace] = {}
    exec(compile(code, "snippet", "exec"), names)
    assert_array_equal(names["trace"].labels, TRACE.labels)
    with page.expect_download() as download:
        page.get_by_role("button", name="The run (JSON)").click()
    for _ in range(2):  # Streamlit alone deletes a file when two scripts have ended
        settled(page).reload()
    settled(ready(page))
    with urlopen(download.value.url) as asked_late:
        assert asked_late.read() == stored.read_bytes()


def test_a_stored_run_is_shown_again(open_page, address, tmp_path):
    other = dpviz.run(X, RunConfig("gibbs", n_sweeps=17, burn_in=2, seed=3, family="normal_wishart", prior=None))
    stored = tmp_path / "run.json"
    stored.write_text(other.to_json())
    page = ready(open_page(address + link()))
    box = expander(page, "Take it away")
    box.locator("input[type=file]").set_input_files(stored)
    page.get_by_role("button", name="Show the stored run").click()
    expect_sweep(page, 17, 17)
    expect_run(page, "Gibbs · N0 = 3 · seed 3")
    expect(page.get_by_label("Seed", exact=True)).to_have_value("3")
    assert json.loads(stored.read_text())["config"]["algorithm"] == "gibbs"


def test_a_phone_needs_no_sideways_scrolling(open_page, address):
    page = ready(open_page(f"{address}/explore", width=390, height=844, color_scheme="light"))
    for scheme in ("light", "dark"):
        themed(page, scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), scheme
        play = button(page, "Play").bounding_box()
        assert play is not None and play["y"] + play["height"] <= 844, scheme
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.get_by_test_id("stPageLink-NavLink").filter(has_text="Lessons")).to_be_visible()
    for scheme in ("dark", "light"):
        themed(page, scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), scheme


def test_minimal_layout_is_the_stage_alone(open_page, address):
    page = ready(open_page(f"{address}{link()}&ui=min"))
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_test_id("stMain").get_by_test_id("stExpander")).to_have_count(0)
    expect(button(page, "Play")).to_be_visible()


def test_large_type_for_presentations(open_page, address):
    size = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    page = ready(open_page(f"{address}{link()}&ui=full"))
    sizes = [page.evaluate(size)]
    moved(page, f"{address}{link()}&ui=present")
    expect(page.locator("html")).not_to_have_css("font-size", f"{sizes[0]:g}px")
    sizes.append(ready(settled(page)).evaluate(size))
    assert sizes[1] == pytest.approx(1.25 * sizes[0])


TELLS = """(after) => {
  const [player] = dpvizPlayers.values(), { channel } = player;
  document.addEventListener("click", () => setTimeout(() => {
    channel.setStateValue("sweep", { sweep: 1, command: player.opening.command });
    globalThis.told = true;
  }, after), { capture: true, once: true });
}"""


@pytest.mark.parametrize("after", [0, 5, 15, 30, 100, 250])
def test_what_a_player_tells_while_the_next_page_begins_leaves_that_page_as_it_is(open_page, address, after):
    """Told at once, one in two of the first four leaves the page empty."""
    page = settled(ready(open_page(address + link())))
    page.get_by_test_id("stTopNav").get_by_role("button", name="Analyse").click()
    page.evaluate(TELLS, after)
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text="Data").click()
    page.wait_for_function("globalThis.told")
    expect(page.get_by_text("Choose what to cluster.")).to_be_visible()
    page.wait_for_timeout(1000)  # what would be drawn instead would be by then
    expect(settled(page).get_by_text("Choose what to cluster.")).to_be_visible()
