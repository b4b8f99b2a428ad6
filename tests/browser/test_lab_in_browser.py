"""The lab in Chromium, from a file: knobs that answer while they move, links, dice, drawings, tables, and refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Open
from playwright.sync_api import Locator, Page, expect

import dpviz
from dpviz.config import RunConfig
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.slow_motion import slow_motion
from dpviz.figures.explain import contest
from dpviz.laboratory import METHODS
from dpviz.text import short

pytestmark = pytest.mark.browser

X = np.round(dpviz.datasets.synthesize("elliptical_overlap", 120, 5).X, 2)
MOVE = "(node, to) => { node.value = to; node.dispatchEvent(new Event('input')); }"


def opened(open_page: Open, file: Path, fragment: str = "", **options: Any) -> Page:
    page = open_page(f"{file.as_uri()}#{fragment}", **options)
    status(page, 0).filter(has_text="sweep").wait_for()
    return page


def status(page: Page, panel: int) -> Locator:
    return page.locator(".panel-status").nth(panel)


def knob(page: Page, name: str) -> Locator:
    return page.locator(f"#knob-{name}")


def configuration(page: Page, panel: int) -> RunConfig:
    """What a panel runs, in Python."""
    return RunConfig.from_json(page.evaluate("(panel) => JSON.stringify(window.lab.configuration(panel))", panel))


def by_seed(page: Page) -> list[int]:
    """How many clusters the second panel's settings find with each of twenty seeds, in Python."""
    config = configuration(page, 1).to_dict()
    runs = (dpviz.run(rows_of(page), RunConfig.from_dict({**config, "seed": seed})) for seed in range(20))
    return [int(run.n_clusters[-1]) for run in runs]


def rows_of(page: Page) -> np.ndarray:
    """Rows of the first scenario, as they are in the page."""
    return np.round(dpviz.datasets.synthesize("spherical_unequal_radius", 500, 0).X, 3)


def expect_clusters(page: Page, panel: int, n: int) -> None:
    expect(status(page, panel)).to_contain_text(re.compile(rf"· {n} clusters?\b"))


def test_the_picture_answers_while_a_knob_moves(open_page, file):
    asked: list[str] = []
    page = open_page("about:blank")
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    seen = set()
    for position in (30, 120, 170):
        knob(page, "concentration").evaluate(MOVE, position)
        config = configuration(page, 1)
        n = int(dpviz.run(rows_of(page), config).n_clusters[-1])
        expect_clusters(page, 1, n)
        expect(page.locator(".panel-title").nth(1)).to_contain_text("N0 = ")
        seen.add(n)
    assert len(seen) > 1
    knob(page, "n_clusters").press("ArrowRight")
    expect_clusters(page, 0, 4)
    assert {url for url in asked if not url.startswith("blob:")} == {file.as_uri()}


def test_a_script_gets_what_the_library_computes(open_page, file):
    page = opened(open_page, file)
    for method in (METHODS[0], METHODS[2], METHODS[4]):
        trace = dpviz.run(X, method.config)
        for given in (method.config.to_json(), json.loads(method.config.to_json())):
            answer = page.evaluate("([config, X]) => window.lab.run(config, X)", [given, X.tolist()])
            assert answer["labels"] == trace.labels[-1].tolist() and answer["n_clusters"] == trace.n_clusters[-1]
            if not np.isnan(trace.nll[-1]):
                assert answer["nll"] == pytest.approx(trace.nll[-1], rel=1e-12)
    shown = page.evaluate("(config) => window.lab.run(config)", METHODS[2].config.to_json())
    assert shown["labels"] == dpviz.run(rows_of(page), METHODS[2].config).labels[-1].tolist()
    refused = page.evaluate(
        "(config) => window.lab.run(config).catch((error) => error.message)", RunConfig("mapdp").to_json()
    )
    assert "has to be chosen first" in refused or "name a start" in refused


def test_a_link_opens_what_it_was_made_of(open_page, file):
    page = opened(open_page, file)
    page.get_by_role("combobox", name="Data").select_option("moons")
    page.get_by_role("button", name="Another draw").click()
    page.get_by_role("combobox", name="beside it").select_option("pitman_yor")
    page.get_by_role("combobox", name="and", exact=True).select_option("dpmeans")
    knob(page, "discount").evaluate(MOVE, 50)
    page.get_by_label("Seed", exact=True).fill("7")
    expect(status(page, 2)).to_contain_text("sweep")
    page.get_by_role("button", name="From here").click()
    page.wait_for_function("() => location.hash.includes('from=') && location.hash.includes('seed=7')")
    again = opened(open_page, file, page.url.partition("#")[2])
    for panel in range(3):
        assert configuration(again, panel) == configuration(page, panel)
        expect(status(again, panel)).to_have_text(status(page, panel).inner_text())
    expect(again.locator("#notice")).to_be_hidden()


def test_a_damaged_link_says_so_and_opens_what_it_can(open_page, file):
    fragment = "v=1&data=moons&seed=nine&concentration=1e9&methods=mapdp~magic&x=%E0%A4%A&from=3zz&width=0.5"
    page = opened(open_page, file, fragment)
    for part in ("seed: “nine”", "concentration: 1e9", "methods: “magic”", "a part: it cannot be read", "from:"):
        expect(page.locator("#notice")).to_contain_text(part)
    assert configuration(page, 1).seed == 0 and dict(configuration(page, 1).prior or ())["width"] == 0.5
    expect(page.get_by_role("combobox", name="Data")).to_have_value("moons")


def test_runs_go_on_from_the_clusters_on_the_screen(open_page, file):
    page = opened(open_page, file)
    before = dpviz.run(rows_of(page), configuration(page, 1))
    page.get_by_role("button", name="From here").click()
    config = configuration(page, 1)
    assert list(config.init) == before.labels[-1].tolist()
    knob(page, "n_clusters").press("ArrowRight")
    expect(page.locator(".panel-title").first).to_contain_text("from the start")
    page.get_by_role("button", name="From the start").click()
    assert configuration(page, 1).init == "kmeans++"


def test_twenty_seeds_are_those_of_the_library(open_page, file):
    page = opened(open_page, file)
    strip = page.locator(".strip").nth(1)
    expect(strip).to_contain_text("of 20")
    found = by_seed(page)
    assert [int(text) for text in strip.get_by_role("button").all_inner_texts()] == found
    expect(strip).to_contain_text(f"the right number, 3, in {found.count(3)} of 20")
    strip.get_by_role("button").nth(4).click()
    expect(page.get_by_label("Seed", exact=True)).to_have_value("4")


def test_seeds_and_maps_begin_soon_after_the_newest_picture(open_page, file):
    page = open_page("about:blank")
    page.add_init_script("""
      const later = setTimeout;
      window.setTimeout = (action, wait, ...more) => (wait === 350 ? 0 : later(action, wait, ...more));
    """)
    page.goto(file.as_uri())
    strip = page.locator(".strip").nth(1)
    expect(strip).to_contain_text("of 20")
    for _ in range(3):  # each ends what the one before began
        knob(page, "concentration").press("PageUp")
    expect(page.locator("#dice")).to_have_class("")  # until then it shows the seeds of the position before
    expect(strip.get_by_role("button").filter(has_text="·")).to_have_count(0)
    found = by_seed(page)
    assert [int(text) for text in strip.get_by_role("button").all_inner_texts()] == found
    page.wait_for_function("() => document.getElementById('player').shadowRoot.querySelector('.legend')?.textContent")
    assert page.evaluate("() => location.hash") == ""  # which is written after a while


def test_a_click_on_a_point_says_why_it_is_here(open_page, file):
    page = opened(open_page, file, "v=1&methods=mapdp&seed=0")
    overlay = page.locator(".stage .overlay").first
    overlay.focus()
    overlay.press("n")
    overlay.press("Enter")
    heading = page.locator("#why h2")
    heading.wait_for()
    point = int(re.findall(r"point (\d+)", heading.inner_text())[0])
    trace = dpviz.run(rows_of(page), configuration(page, 0))
    table = dpviz.explain_assignment(rows_of(page), trace, trace.n_sweeps, point)
    prices = contest(table)["total"].to_numpy()[:4]  # as Explore has them
    written = page.locator("#why .bars span").all_inner_texts()
    assert written == [f"{'// ' if price > 12 else ''}{short(price)}" for price in prices]
    shares = page.locator("#why .candidate b").all_inner_texts()
    assert float(shares[0].strip("> %")) == pytest.approx(100 * table["probability"].max(), abs=0.1)


def test_a_sweep_is_played_and_the_plane_answers(open_page, file):
    page = open_page("about:blank")
    page.add_init_script("globalThis.dpvizLive = { keeps: () => false, shown(player) { globalThis.shown = player; } }")
    page.goto(f"{file.as_uri()}#v=1&methods=mapdp&seed=0")
    status(page, 0).filter(has_text="sweep").wait_for()
    X, config = rows_of(page), configuration(page, 0)
    trace = dpviz.run(X, config)
    panel = page.wait_for_function("() => shown.run.panels[0].region_image && shown.run.panels[0]")
    read = "(p) => [p.region_image.length, Array.from(p.region_sweeps), p.shapes.region_image]"
    n_cells, sweeps, shape = panel.evaluate(read)
    assert sweeps == list(range(trace.n_sweeps + 1)) and n_cells == np.prod(shape)
    overlay = page.locator(".stage .overlay").first
    overlay.focus()
    overlay.press("g")
    ghost = page.wait_for_function("() => shown.ghost.answer?.pulls.length > 0 && shown.ghost")
    x, y, pulls = ghost.evaluate("({ at, answer }) => [at.x, at.y, answer.pulls]")
    labels = trace.labels_at(trace.n_sweeps).astype(np.int64)
    scores = PartitionPredictive(Problem.check(X, config), labels).log_scores(np.array([[x, y]]))[0]
    weights = np.log([weight for _, weight, _ in pulls])
    found = np.sort(weights + [fit for _, _, fit in pulls]) - np.logaddexp.reduce(weights)
    np.testing.assert_allclose(found, np.sort(scores), rtol=1e-6)
    page.get_by_role("button", name="Slow motion", exact=True).click()
    expect(page.get_by_role("button", name=f"sweep {trace.n_sweeps} in slow motion")).to_be_visible()
    events = page.evaluate("() => Array.from(shown.run.panels[0].event_points)")
    assert events == slow_motion(X, trace, trace.n_sweeps).points.tolist()


def test_points_are_drawn_and_clustered_while_they_are_drawn(open_page, file):
    page = opened(open_page, file)
    page.get_by_role("combobox", name="Data").select_option("drawn")
    expect(page.locator("#notice")).to_contain_text("Nothing is drawn yet")
    canvas = page.get_by_role("application", name="Drawing canvas")
    page.get_by_role("button", name="Blob").click()
    box = canvas.bounding_box()
    assert box is not None
    for across in (0.2, 0.8):
        page.mouse.move(box["x"] + across * box["width"], box["y"] + 0.5 * box["height"])
        page.mouse.down()
        expect(status(page, 1)).to_contain_text("sweep")  # the button is still down
        page.mouse.up()
    expect(page.locator(".dpviz-draw .status")).to_contain_text("30 points")
    page.get_by_role("combobox", name="Data").select_option("rings")
    page.get_by_role("combobox", name="Data").select_option("drawn")
    expect(page.locator(".dpviz-draw .status")).to_contain_text("30 points")
    page.wait_for_function("() => location.hash.includes('data=drawn') && location.hash.includes('rows=')")
    again = opened(open_page, file, page.url.partition("#")[2])
    expect(again.locator(".dpviz-draw .status")).to_contain_text("30 points")


def test_what_is_edited_in_the_picture_stands_beside_what_it_was(open_page, file):
    page = open_page("about:blank")
    page.add_init_script("globalThis.dpvizLive = { keeps: () => false, shown(player) { globalThis.shown = player; } }")
    data, rows = page.get_by_role("combobox", name="Data"), "rows=1_2~3_4~9_9&"
    for source in ("table", "drawn"):
        page.goto("about:blank")
        page.goto(f"{file.as_uri()}#v=1&data={source}&{rows}names=x~y&methods=mapdp")
        status(page, 0).filter(has_text="sweep").wait_for()
        edit = "() => shown.channel.setTriggerValue('moved', { panel: 0, index: 0, x: 0, y: 0 })"
        page.evaluate(edit)
        expect(data).to_have_value("edited")
        for name in (source, "edited"):
            data.select_option(name)
            page.wait_for_function("(name) => location.hash.includes(`data=${name}`)", arg=name)
            assert (rows in page.url) == (name == source)
        page.reload()
        expect(data).to_have_value("edited")


def test_a_pasted_table_is_clustered_or_refused_with_a_sentence(open_page, file):
    page = opened(open_page, file)
    page.get_by_role("combobox", name="Data").select_option("table")
    box, read = page.get_by_label("Rows of numbers"), page.get_by_role("button", name="Cluster these rows")
    plain = RunConfig("kmeans").to_json()
    box.fill("a;b;c\n1,5;2;3\n3;1;2\n7;8;9\n7,5;8;9\n")
    read.click()
    expect(status(page, 0)).to_contain_text("3 clusters")
    assert (
        page.evaluate("(config) => window.lab.run(config)", RunConfig("kmeans", n_clusters=4).to_json())["n_clusters"]
        == 4
    )
    page.get_by_role("combobox", name="Up", exact=True).select_option("c")
    for text, said in (
        ("a,b\n1,2\n3,red", "Row 2, b: “red” is no number"),
        ("1,2\n3,", "Row 2, column 2: the cell is empty"),
        ("1,2\n3", "Row 2 has 1 cell, and the first line has 2"),
        ("1\n2", "There is one column"),
        ("  \n", "There is nothing to read"),
    ):
        box.fill(text)
        read.click()
        expect(page.get_by_role("alert")).to_contain_text(said)
        expect(page.get_by_role("alert")).to_contain_text("What was there before is still there")
        assert len(page.evaluate("(config) => window.lab.run(config)", plain)["labels"]) == 4


def test_a_million_pasted_rows_are_refused_and_what_was_there_stays(open_page, file):
    page = opened(open_page, file, "v=1&data=table&rows=1_2~3_4~9_9&names=a~b&methods=mapdp")
    page.get_by_label("Rows of numbers").evaluate("""(box) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "0 0\\n".repeat(1e6));
      box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
    }""")
    expect(page.get_by_role("alert")).to_contain_text("1,000,000 rows, and this page takes 20,000")
    assert len(page.evaluate("() => window.lab.run(window.lab.configuration(0))")["labels"]) == 3


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("delete window.WebAssembly", "this browser has no WebAssembly"),
        (
            "window.Worker = class { postMessage() { setTimeout(() => this.onerror({message: 'it died'})); }"
            " terminate() {} }",
            "it died",
        ),
    ],
)
def test_without_an_engine_the_points_are_shown_and_kept(open_page, file, script, said):
    page = open_page("about:blank")
    page.add_init_script(script)
    page.goto(f"{file.as_uri()}#v=1&data=table&rows=1_2~3_4~9_9&names=a~b&methods=mapdp")
    expect(page.locator("#notice")).to_contain_text(said)
    expect(page.locator("#notice")).to_contain_text("What was drawn or pasted is not lost")
    expect(page.locator(".panel-title").first).to_contain_text("not computed")
    assert "rows=1_2~3_4~9_9" in page.url


def test_a_million_points_are_refused_with_a_sentence(open_page, file):
    page = opened(open_page, file)
    said = page.evaluate(
        "(config) => window.lab.run(config, {values: new Float64Array(2e6), nPoints: 1e6, nFeatures: 2})"
        ".catch((error) => error.message)",
        METHODS[3].config.to_json(),
    )
    assert "run fewer sweeps" in said


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_follows_the_scheme(open_page, file, width, scheme):
    page = opened(open_page, file, width=width, color_scheme=scheme, reduced_motion="reduce")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}[scheme]
    page.add_style_tag(content=":root { font-size: 200%; }")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_many_points_answer_with_one_start_and_then_with_all(open_page, file):
    rows = np.round(dpviz.datasets.synthesize("elliptical_separated", 2_000, 1).X, 1)
    written = "~".join(f"{x}_{y}" for x, y in rows.tolist())
    page = opened(open_page, file, f"v=1&data=table&rows={written}&names=a~b&methods=mapdp")
    knob(page, "concentration").evaluate("""(knob) => {
      const title = document.getElementById("player").shadowRoot.querySelector(".panel-title");
      new MutationObserver(() => (window.seen ??= title.textContent)).observe(title, { childList: true });
      knob.value = 60;
      knob.dispatchEvent(new Event("input"));
    }""")
    page.wait_for_function("() => window.seen?.includes('one start')")
    expect(page.locator(".panel-title").first).not_to_contain_text("one start")
    config = configuration(page, 0)
    assert config.n_init == 10
    expect_clusters(page, 0, int(dpviz.run(rows, config).n_clusters[-1]))
