"""The story in Chromium, from a file: each figure's act, done once, gives the answer that Python computes."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import Open
from playwright.sync_api import Locator, Page, expect

from dpviz.config import RunConfig
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.film import film, making
from dpviz.fit.run import run
from dpviz.partition import ChineseRestaurant
from dpviz.story import story_page
from dpviz.story.facts import (
    BEST,
    CHAIN,
    DRAW,
    FIRST_CENTRES,
    FIRST_GAP,
    N_STARTS,
    START,
    Points,
    apart,
    carried,
    mapdp,
    nine,
    pair,
    priced,
    three,
    wrong,
)

pytestmark = pytest.mark.browser

FIGURES = ("film", "borders", "hill", "prices", "seats", "width", "starts", "overlap", "sticks", "stops")
PLACES = "() => [...document.querySelectorAll('figure[id]')].map((node) => node.id)"

HELD = """() => {
  const { story: told } = story.overlap, { engine } = told;
  window.held = []; // each lets a question through to the chain, and resolves when it is answered
  told.engine = (name) => (name !== "chain" ? engine(name) : { ask: (question) => new Promise((resolve) => {
    held.push(async () => {
      const found = engine(name).ask(question);
      resolve(found);
      await found;
    });
  }) });
}"""


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("story") / "index.html"
    path.write_text(story_page(), encoding="utf-8")
    return path


@pytest.fixture
def page(open_page: Open, file: Path) -> Page:
    return open_page(file.as_uri())


def figure(page: Page, name: str) -> Locator:
    """A figure that has begun."""
    node = page.locator(f"#{name}")
    node.scroll_into_view_if_needed()
    expect(node.locator(".stage > *").first).to_be_attached()
    return node


def expect_told(node: Locator, **values: object) -> None:
    for name, value in values.items():
        expect(node.locator(f'[data-told="{name}"]')).to_have_text(str(value))


def groups(n: int) -> str:
    return "1 group" if n == 1 else f"{n} groups"


def test_one_press_plays_the_film(open_page, file):
    page = open_page(file.as_uri(), reduced_motion="reduce")
    node = figure(page, "film")
    expect(node.locator(".go")).to_have_text("Play")
    node.get_by_role("slider", name="Position in the film").press("Home")
    expect(node.locator(".handle").first).to_be_hidden()
    expect(node.locator(".panel-status").first).to_have_text("3 centres")
    node.locator(".go").click()
    expect(node.locator(".go")).to_have_text("Again")
    expect(node.locator(".panel-status")).to_have_text(["3 clusters", "3 clusters"])
    said = node.locator(".overlay").evaluate_all("(nodes) => nodes.map((node) => node.getAttribute('aria-label'))")
    assert "cut in two, merged" in said[0] and "cut" not in said[1]


def test_a_point_of_the_film_that_is_carried_has_the_costs_of_python_in_both_pictures(page):
    node, dataset, told = figure(page, "film"), making.points(making.DRAW), film().script
    handle = node.get_by_role("slider", name="The point").last
    for key in ("Shift+ArrowLeft", "Shift+ArrowUp"):
        before = page.evaluate("() => JSON.stringify(story.film.hero.carried.costs)")
        handle.press(key)
        page.wait_for_function("(before) => JSON.stringify(story.film.hero.carried.costs) !== before", arg=before)
    expect(node.locator(".panel-status")).to_have_text(["cost: squared distance", "cost: how surprising here"])
    at, costs, tracks = page.evaluate("""() => {
      const { at } = story.film.hero.parts[0].handle, { costs, panels } = story.film.hero.carried;
      const { origin } = story.film.hero.run.panels[0];
      return [at.map((value, d) => value + origin[d]), costs, panels.map(({ labels }) => [...labels])];
    }""")
    left = np.delete(np.arange(len(dataset.X)), told["point"])
    X, place = dataset.X[left], np.array([at])
    for one, found, labels in zip(making.runs(making.DRAW), costs, np.array(tracks)[:, left], strict=True):
        names, codes = np.unique(labels, return_inverse=True)
        if one.name == "kmeans":
            means = np.array([X[codes == k].mean(axis=0) for k in range(len(names))])
            expected = ((place - means) ** 2).sum(axis=1)
        else:
            weights = np.log(len(X) + one.config.partition.concentration)  # of sizes, not of shares
            expected = -weights - PartitionPredictive(Problem(X, one.config), codes).log_scores(place)[0]
            names = np.append(names, -1)
        order = np.argsort(expected)
        assert [track for track, _ in found] == names[order].tolist()
        assert [cost for _, cost in found] == pytest.approx(expected[order], rel=1e-4)
    node.locator(".go").click()
    position = node.get_by_role("slider", name="Position in the film")
    position.press("End")
    expect(node.locator(".panel-status")).to_have_text(["3 clusters", "3 clusters"])
    home = page.evaluate("() => [story.film.hero.carried.home, story.film.hero.parts[1].handle.at]")
    assert home[0] == home[1]


def test_any_point_of_the_film_can_be_pressed_and_carried(page):
    node = figure(page, "film")
    expect(node.locator(".handle").first).to_be_visible()
    node.scroll_into_view_if_needed()
    x, y, point = page.evaluate("""() => {
      const { parts: [{ plate }], panels: [{ x, y }] } = story.film.hero, { a, d, e, f } = plate.node.getScreenCTM();
      const point = x.indexOf(Math.min(...x));
      return [e + a * plate.x(x[point]), f + d * plate.y(y[point]), point];
    }""")
    page.mouse.move(x + 2, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=3)
    page.mouse.up()
    expect(node.locator(".panel-status").first).to_have_text("cost: squared distance")
    assert page.evaluate("story.film.hero.carried.point") == point


LAST_PICTURE = """async (bytes) => {
  const video = document.createElement("video");
  const told = (name) => new Promise((resolve) => { video[`on${name}`] = resolve; });
  video.src = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: "video/webm" }));
  await told("loadeddata");
  video.currentTime = 1e6; // the end, where it learns how long it is
  await told("seeked");
  const canvas = document.createElement("canvas"), { videoWidth: width, videoHeight: height } = video;
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context.drawImage(video, 0, 0);
  return [video.duration, [[0, 0.33], [0.52, 0.85], [0.86, 1]].map(([from, to]) => {
    const { data } = context.getImageData(from * width, 0, (to - from) * width, height), green = [0, 158, 115];
    return data.filter((_, i) => i % 4 === 0 && green.every((value, k) => Math.abs(data[i + k] - value) < 40)).length;
  })];
}"""


def test_the_film_is_saved_as_webm_that_lasts_as_long_and_ends_where_it_does(page, open_page):
    node = figure(page, "film")
    expect(node.locator(".handle").first).to_be_visible()
    seconds = page.evaluate("""() => {
      const { script } = story.film.hero;
      script.pace = script.pace.map((pause) => pause / 2);
      return script.pace.reduce((sum, pause) => sum + pause) / 1000;
    }""")
    with page.expect_download() as download:
        node.get_by_role("button", name="Save as film").click()
        expect(node.locator(".go")).to_have_text("Pause")
    assert download.value.suggested_filename == "dpviz.webm"
    film = Path(download.value.path()).read_bytes()
    assert film[:4] == bytes.fromhex("1a45dfa3") and b"webm" in film[:64]
    length, greens = open_page("about:blank").evaluate(LAST_PICTURE, list(film))
    assert seconds + 1 < length < seconds + 5  # it rests on its end
    half_of_wide, wide, narrow = greens
    assert half_of_wide > 100 and narrow > 100 and wide == 0  # K-means cuts the wide group, and MAP-DP does not


def test_k_means_settles_where_python_does(page):
    points, node = three(DRAW), figure(page, "borders")
    node.get_by_role("button", name="Let K-means settle").click()
    trace = run(points.rows, RunConfig("kmeans", n_clusters=3, init=[list(c) for c in FIRST_CENTRES], order="index"))
    expect_told(node, wrong=wrong(points.groups, trace.result_labels), cost=f"{trace.objective[-1]:,.0f}")
    blue = node.get_by_role("slider", name="The blue centre")
    blue.press("ArrowRight")
    expect(node.locator('[data-told="cost"]')).not_to_have_text(f"{trace.objective[-1]:,.0f}")


def test_k_means_settles_from_elsewhere_and_does_not_always_end_alike(open_page, file):
    page = open_page(file.as_uri(), reduced_motion="reduce")  # it settles at once
    points, node = three(DRAW), figure(page, "borders")
    ends = set()
    for _ in range(12):
        node.get_by_role("button", name="elsewhere").click()
        centres = np.array(page.evaluate("() => story.borders.centres"))
        again = run(points.rows, RunConfig("kmeans", n_clusters=3, init=centres, n_init=1, order="index"))
        assert again.n_sweeps == 1  # nothing changes any more
        expect_told(node, cost=f"{again.objective[-1]:,.0f}")
        ends.add(round(again.objective[-1]))
    assert len(ends) > 1


def test_a_point_that_is_farther_out_is_more_surprising(page):
    node = figure(page, "hill")
    expect_told(node, widths="3.00", surprise="4.50", share="1.1 %")
    node.get_by_role("slider", name="The point").press("Shift+ArrowRight")
    expect_told(node, surprise=f"{(4.1 / 1.2) ** 2 / 2:.2f}")
    node.get_by_role("slider", name="Width of the hill").press("Shift+ArrowRight")
    expect_told(node, surprise=f"{(4.1 / 1.7) ** 2 / 2:.2f}")


def test_the_lowest_price_takes_the_point_that_is_carried(page):
    points, node = three(DRAW), figure(page, "prices")
    expect_told(node, taker="blue")
    node.locator(".handle").scroll_into_view_if_needed()
    start, end = node.locator(".handle .grip").bounding_box(), node.locator(".plate").bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + 0.93 * end["width"], end["y"] + 0.42 * end["height"], steps=4)
    page.mouse.up()
    expect(node.locator('[data-told="taker"]')).to_have_text("green")
    expect(node.locator(".price.lowest .name")).to_have_text("green")
    prices = prices_as_python(page, points, np.delete(np.arange(len(points.rows)), carried(points)), priced(points))
    assert prices[3]["seat"] == pytest.approx(np.log(len(points.rows)))  # of one seat among N − 1 and itself


def prices_as_python(page: Page, points: Points, left: np.ndarray, config: RunConfig) -> list[dict[str, float]]:
    """Prices of the figure, which differ from each other as the library's scores do beside the points that are left."""
    expect(page.locator("#prices:not(.awaited)")).to_be_visible()
    at, prices = page.evaluate("() => [story.prices.handle.at, story.prices.prices]")
    predictive = PartitionPredictive(Problem(points.rows[left], config), points.groups[left])
    scores = predictive.log_scores(np.array([at]))[0]
    sums = np.array([price["seat"] + price["place"] for price in prices])
    assert sums - sums[0] == pytest.approx(scores[0] - scores, abs=1e-9)
    assert min(min(price.values()) for price in prices) >= 0
    return prices


def test_seats_become_cheaper_with_n0_and_dearer_in_a_smaller_group(page):
    points, node = three(DRAW), figure(page, "prices")
    concentration, guests = node.locator(".told").get_by_role("slider").all()
    others = np.delete(np.arange(len(points.rows)), carried(points))
    blue = others[points.groups[others] == 0]
    concentration.press("End")
    many = replace(priced(points), partition=ChineseRestaurant(1000.0))
    expect_told(node, taker="a new group")
    prices_as_python(page, points, others, many)
    guests.press("Home")
    expect(guests).to_have_attribute("aria-valuenow", "1")
    prices = prices_as_python(page, points, np.setdiff1d(others, blue[1:]), many)
    assert prices[0]["seat"] == pytest.approx(np.log(1 + 160 + 1000))
    assert len(set(page.evaluate("() => [...new Set(story.prices.surveyed.takers)]"))) > 1


@pytest.mark.parametrize(
    ("name", "ends"),
    [("width", {"End": mapdp(width=8.0)}), ("seats", {"End": mapdp(1000.0), "Home": mapdp(1e-6)})],
)
def test_map_dp_clusters_anew_while_a_number_moves(page, name, ends):
    points, node = three(DRAW), figure(page, name)
    for key, config in ends.items():
        node.get_by_role("slider").press(key)
        labels = run(points.rows, config).result_labels
        expect_told(node, clusters=groups(len(np.unique(labels))), wrong=wrong(points.groups, labels))


def test_twenty_starts_fill_in_with_the_costs_of_python(page):
    node, points = figure(page, "starts"), nine(DRAW)
    node.get_by_role("button").click()
    costs = [run(points.rows, replace(START, seed=seed)).objective[-1] for seed in range(N_STARTS)]
    expect(node.locator(".thumbs figcaption")).to_have_text([f"{cost:,.0f}" for cost in costs])
    n_lowest = int(sum(cost <= min(costs) * (1 + 1e-9) for cost in costs))
    expect_told(node, lowest=f"{min(costs):,.0f}", highest=f"{max(costs):,.0f}", found=f"{n_lowest} of 20 starts")
    expect(node.locator(".thumbs .lowest")).to_have_count(n_lowest)


def test_draws_say_what_the_best_grouping_does_not(page):
    node, points = figure(page, "overlap"), pair(DRAW)
    for key, gap in (("", FIRST_GAP), ("End", 6.0)):
        if key:
            node.get_by_role("slider").press(key)
        X = apart(points, gap)
        best = len(np.unique(run(X, BEST).result_labels))
        counts = np.asarray(run(X, CHAIN).n_clusters[CHAIN.burn_in + 1 :]).astype(int)
        expect_told(node, best=groups(best), one=np.sum(counts == 1), two=np.sum(counts == 2), drawn=200)
        expect_told(node, more=np.sum(counts > 2))


def test_a_sentence_waits_for_the_newest_answers_of_both_engines(page):
    node, points = figure(page, "overlap"), pair(DRAW)
    awaited = page.locator("#overlap.awaited")
    expect(node.locator('[data-told="two"]')).to_have_text(re.compile(r"^\d+$"))
    expect(awaited).to_have_count(0)
    page.evaluate(HELD)
    for key, gap in (("Home", 0.0), ("End", 6.0)):
        node.get_by_role("slider").press(key)
        expect_told(node, best=groups(len(np.unique(run(apart(points, gap), BEST).result_labels))))
    expect(awaited).to_have_count(1)
    page.evaluate("() => held[0]()")
    expect(awaited).to_have_count(1)
    page.evaluate("() => held[1]()")
    expect(awaited).to_have_count(0)


def test_the_appendix_breaks_another_stick_and_runs_again(page):
    node = figure(page, "sticks")
    before = node.locator(".told").inner_text()
    node.get_by_role("button").click()
    expect(node.locator(".told")).not_to_have_text(before)
    pieces = node.locator('[data-told="pieces"]')
    few = pieces.inner_text()
    node.get_by_role("slider").press("End")
    expect(pieces).not_to_have_text(few)
    assert int(pieces.inner_text().split()[0]) > int(few.split()[0])
    node.get_by_role("slider").press("Home")
    expect(pieces).to_have_text(re.compile("^1 piece holds$|^[2-5] pieces hold$"))
    node = figure(page, "stops")
    expect(node.locator("figcaption").nth(1)).to_have_text("MAP-DP: 3 groups")
    gibbs = "() => document.querySelector('#stops .plate').outerHTML"
    before = page.evaluate(gibbs)
    node.get_by_role("button").click()
    page.wait_for_function(f"(before) => ({gibbs})() !== before", arg=before)
    expect(node.locator("figcaption").nth(3)).to_have_text("K-means: 3 groups")


@pytest.mark.parametrize("name", FIGURES)
def test_an_address_has_one_figure_alone(open_page, tmp_path, name):
    path = tmp_path / "index.html"
    path.write_text(story_page({"lab": "lab.html"}), encoding="utf-8")
    page = open_page(f"{path.as_uri()}?figure={name}", width=480, height=640)
    node = figure(page, name)
    expect(node.locator(".plate, canvas").first).to_be_visible()
    outside = """(name) => [...document.querySelectorAll("main :is(h1, h2, p, figure[id])")]
      .filter((node) => node.checkVisibility() && !node.closest(`#${name}`)).length"""
    assert page.evaluate(outside, name) == 0 and page.evaluate("document.documentElement.scrollWidth") <= 480
    expect(page.locator(".awaited")).to_have_count(0)
    assert "…" not in node.locator(".told").inner_text()
    page.goto(path.as_uri())
    figure(page, name).get_by_role("link", name="this picture alone").click()
    expect(page).to_have_url(f"{path.as_uri()}?figure={name}")


SHOWN = """() => [...document.querySelectorAll("main > section")].filter((node) => node.checkVisibility())
  .map((node) => [node.getAttribute("aria-labelledby"), node.innerText])"""


def test_a_lecture_shows_every_section_alone_and_what_follows_its_picture_at_the_second_press(open_page, file):
    page = open_page(f"{file.as_uri()}?ui=present", reduced_motion="reduce")
    count, sections = page.locator(".lecture output"), page.locator("main > section").count()
    expect(count).to_have_text(re.compile(r"^1 / "))
    assert page.evaluate("() => getComputedStyle(document.documentElement).fontSize") == "20px"
    last, steps = int(count.inner_text().split(" / ")[1]), []
    for number in range(1, last + 1):
        expect(count).to_have_text(f"{number} / {last}")
        ((name, text),) = page.evaluate(SHOWN)
        steps.append((name, text))
        if number == 2:  # the end of the film is not seen before it is played
            expect(page.locator("#film .panel-status").first).to_have_text("3 centres")
        if number == 6:
            page.locator(".lecture button", has_text="Next").click()
        else:
            page.keyboard.press("PageDown")
    assert len({name for name, _ in steps}) == sections
    for (name, text), (following, longer) in pairwise(steps):
        assert name != following or (len(text) < len(longer) and text.split("\n")[0] == longer.split("\n")[0])
    assert "The lowest cost that" not in dict(reversed(steps))["borders-title"]
    expect(page.locator(".lecture button", has_text="Next")).to_be_disabled()
    page.keyboard.press("PageUp")
    expect(count).to_have_text(f"{last - 1} / {last}")
    page.locator(".lecture button", has_text="The whole page").click()
    assert len(page.evaluate(SHOWN)) == sections
    expect(page.locator(".lecture")).to_be_hidden()
    page.get_by_role("link", name="one picture at a time").click()
    expect(count).to_have_text(f"1 / {last}")


def test_in_a_lecture_arrows_move_what_is_held_and_turn_pages_else(page):
    page.get_by_role("link", name="one picture at a time").click()
    count = page.locator(".lecture output")
    while not page.locator("#hill").is_visible():
        page.keyboard.press("ArrowRight")
    before, at = count.inner_text(), page.locator('#hill [data-told="widths"]')
    widths = at.inner_text()
    page.locator("#hill .handle").last.press("ArrowRight")
    expect(at).not_to_have_text(widths)
    expect(count).to_have_text(before)
    page.locator("#hill .handle").last.press("PageDown")
    expect(count).not_to_have_text(before)


def test_in_a_lecture_a_link_within_the_page_leads_to_its_step(page):
    page.get_by_role("link", name="one picture at a time").click()
    link = page.get_by_role("link", name="below")
    while not link.is_visible():
        page.keyboard.press("PageDown")
    link.click()
    ((name, _),) = page.evaluate(SHOWN)
    assert name == "sticks-title"


def test_the_address_keeps_the_step_of_a_lecture_and_the_numbers_that_were_dragged(open_page, file):
    page = open_page(f"{file.as_uri()}?ui=present&step=8")
    count = page.locator(".lecture output")
    expect(count).to_have_text(re.compile("^8 / "))
    page.keyboard.press("PageUp")
    page.wait_for_url("**?ui=present&step=7")
    page.reload()
    expect(count).to_have_text(re.compile("^7 / "))
    page.locator(".lecture button", has_text="The whole page").click()
    page.wait_for_url(file.as_uri())
    number = figure(page, "seats").get_by_role("slider")
    number.press("PageUp")
    moved = number.get_attribute("aria-valuenow")
    page.wait_for_url(f"**?seats.concentration={moved}")
    page.reload()
    expect(number).to_have_attribute("aria-valuenow", moved)


@pytest.mark.parametrize("said", ["ui=present&step=99", "ui=present&step=x", "ui=present"])
def test_a_step_that_there_is_not_is_the_first(open_page, file, said):
    page = open_page(f"{file.as_uri()}?{said}&seats.concentration=1e9&overlap.gap=-1&prices.n_wide=x")
    expect(page.locator(".lecture output")).to_have_text(re.compile("^1 / "))
    usual = {"seats": {"concentration": 1}, "overlap": {"gap": FIRST_GAP}}
    for name, values in usual.items():
        page.wait_for_function(f"() => story.{name}.plate")
        assert page.evaluate(f"story.{name}.values") == values
    assert page.evaluate("story.prices.values.n_wide === story.prices.facts.n_wide.usual")


def test_the_dot_of_the_film_is_held_when_the_window_has_another_size(page):
    handle = figure(page, "film").get_by_role("slider", name="The point").last
    handle.press("ArrowLeft")
    at = page.evaluate("() => story.film.hero.parts[1].handle.at")
    old = handle.element_handle()
    page.set_viewport_size({"width": 600, "height": 900})
    old.wait_for_element_state("hidden")
    expect(handle).to_be_focused()
    assert page.evaluate("() => story.film.hero.parts[1].handle.at") == at


FAILS_ONCE = """() => {
  const { carried } = story.film.hero, { engine } = carried;
  carried.engine = () => { carried.engine = engine; return { ask: () => Promise.reject(new Error("boom")) }; };
}"""


def test_prices_of_the_film_are_said_once_they_are_there_and_a_failure_until_then(page):
    node = figure(page, "film")
    handle, said = node.get_by_role("slider", name="The point").last, node.locator(".key").last
    expect(said).to_contain_text("Drag the dot.")
    page.evaluate(FAILS_ONCE)
    handle.press("ArrowLeft")
    expect(said).to_contain_text("cannot compute here: boom")
    assert "boom" in page.evaluate("story.film.hero.live.textContent")
    handle.press("ArrowLeft")
    expect(said).to_contain_text("Drag the dot.")
    assert re.fullmatch(
        r".*squared distance [\d.]+; .*surprising here [\d.]+", page.evaluate("story.film.hero.live.textContent")
    )


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_all_fits_and_nothing_is_asked_of_anybody(open_page, file, width, scheme):
    asked: list[str] = []
    page = open_page("about:blank", width=width, color_scheme=scheme, reduced_motion="reduce")
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert page.evaluate(PLACES) == list(FIGURES)
    for name in FIGURES:
        expect(figure(page, name).locator(".plate, canvas").first).to_be_visible()
    figure(page, "borders").get_by_role("button").first.click()
    expect(page.locator(".awaited")).to_have_count(0)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = "() => [...document.querySelectorAll('.thumbs .plate')].map((node) => node.getBoundingClientRect().width)"
    assert min(page.evaluate(small)) >= 96
    assert {url for url in asked if not url.startswith("blob:")} == {file.as_uri()}


def test_a_printed_page_has_every_picture_and_no_button(page):
    page.emulate_media(media="print")
    for name in FIGURES:
        expect(page.locator(f"#{name}").locator(".plate path, canvas").first).to_be_attached()
    expect(page.locator("#prices .price.lowest")).to_have_count(1)
    expect(page.locator('#overlap [data-told="two"]')).to_have_text(re.compile(r"^\d+$"))
    expect(page.locator("button:visible")).to_have_count(0)
