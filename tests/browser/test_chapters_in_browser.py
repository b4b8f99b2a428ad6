"""What can be tried in a chapter: dragged numbers, draws that are counted, and a browser that cannot compute."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browsing import Open
from knob_positions import answers_at, page_of, points_at, usual_values
from playwright.sync_api import Locator, Page, expect

from dpviz import metrics
from dpviz.config import RunConfig
from dpviz.course import BY_NAME, CHAPTERS, play
from dpviz.course.bench import N_DRAWS, draws, of_trial, trial_draw
from dpviz.course.chapter import Chapter
from dpviz.course.claims import Draw
from dpviz.course.offline import chapter_page
from dpviz.course.worksheets import worksheet
from dpviz.words import say

pytestmark = pytest.mark.browser


def revealed(
    open_page: Open,
    folder: Path,
    chapter: Chapter,
    script: str = "",
    before: Callable[[Page], None] = lambda page: None,
    change: Callable[[str], str] = lambda text: text,
) -> Page:
    """Open a chapter's page from a file, perhaps changed, do something before its question, and answer it."""
    file = folder / "chapter.html"
    file.write_text(change(chapter_page(play(chapter), 1 + CHAPTERS.index(chapter))), encoding="utf-8")
    page = open_page("about:blank", offline=True)
    if script:
        page.add_init_script(script)
    page.goto(file.as_uri())
    before(page)
    if chapter.question.answers:
        page.get_by_role("radio").first.check()
    else:
        page.get_by_role("button", name="Reveal").click()
        expect(page.locator("#reveal")).to_be_hidden()  # where keys begin is no prediction until it is chosen
        page.get_by_label("Your prediction").press("ArrowLeft")
    page.get_by_role("button", name="Reveal").click()
    return page


LEARNING_SYSTEM = """<script>
  var told = [], API = {};
  var kept = {};
  for (const name of ["Initialize", "SetValue", "Commit", "Finish"]) {
    API[`LMS${name}`] = (...words) => {
      told.push([name, ...words]);
      if (name === "SetValue") kept[words[0]] = words[1];
    };
  }
  API.LMSGetValue = (name) => kept[name] ?? "not attempted";
</script><iframe src="chapter.html" width="1000" height="800"></iframe>"""
OPENED_FROM = "() => { document.querySelector('iframe').remove(); told.length = 0; open('chapter.html'); }"


@pytest.mark.parametrize(("right", "mark"), [(True, "100"), (False, "0")])
def test_a_learning_system_is_told_the_mark_of_the_first_prediction(open_page, right, mark):
    chapter = BY_NAME["how-many"]
    played = play(chapter)
    page = in_learning_system(open_page, played, LEARNING_SYSTEM)
    frame = page.frame_locator("iframe")
    guess = played.truth if right else (played.truth + 1) % len(chapter.question.answers)
    frame.get_by_role("radio").nth(guess).check()
    frame.get_by_role("button", name="Reveal").click()
    expect(frame.locator("#verdict")).to_be_visible()
    frame.get_by_role("radio").nth(played.truth).check()
    frame.get_by_role("button", name="Reveal").click()  # a second prediction, which is no prediction
    assert set(frame.locator("a").evaluate_all("(links) => links.map((link) => link.target)")) == {"_blank"}
    page.evaluate("document.querySelector('iframe').contentWindow.location.reload()")
    page.wait_for_function("() => told.at(-1)[0] === 'Initialize' && told.length > 2")
    frame.get_by_role("radio").nth(played.truth).check()  # once the answer was seen
    frame.get_by_role("button", name="Reveal").click()
    expect(frame.locator("#verdict")).to_be_visible()
    page.evaluate("document.querySelector('iframe').src = 'about:blank'")
    page.wait_for_function("() => told.at(-1)[0] === 'Finish'")
    assert page.evaluate("told") == [
        ["Initialize", ""],
        ["SetValue", "cmi.core.score.min", "0"],
        ["SetValue", "cmi.core.score.max", "100"],
        ["SetValue", "cmi.core.score.raw", mark],
        ["SetValue", "cmi.core.lesson_status", "completed"],
        ["Commit", ""],
        ["Finish", ""],
        ["Initialize", ""],
        ["Finish", ""],
    ]
    with page.expect_popup():
        page.evaluate(OPENED_FROM)
    page.wait_for_function("() => told.length === 1 && told[0][0] === 'Initialize'")


@pytest.mark.parametrize(
    "api", ["API = { base: '/api/v1' };", "API.LMSInitialize = API.LMSSetValue = () => { throw new Error('over'); };"]
)
def test_a_chapter_goes_on_in_what_is_no_learning_system_or_fails(open_page, api):
    page = in_learning_system(
        open_page, play(BY_NAME["how-many"]), LEARNING_SYSTEM.replace("</script>", f"{api}</script>")
    )
    frame = page.frame_locator("iframe")
    frame.get_by_role("radio").first.check()
    frame.get_by_role("button", name="Reveal").click()
    expect(frame.locator("#verdict")).to_be_visible()
    expect(frame.locator("#film canvas").first).to_be_visible()
    expect(frame.get_by_role("button", name="20 draws")).to_be_visible()


def in_learning_system(open_page, played, system: str) -> Page:
    """Open a chapter in the frame of a learning system, a page of the same site."""
    page = open_page("about:blank")
    pages = {"chapter.html": chapter_page(played, 1), "system.html": system}
    page.context.route(
        "https://learning.test/*",
        lambda route: route.fulfill(
            body=pages[route.request.url.rpartition("/")[2]], content_type="text/html; charset=utf-8"
        ),
    )
    page.goto("https://learning.test/system.html")
    return page


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_worksheet_is_one_page_which_it_fills(open_page, tmp_path, paper):
    page, file = open_page("about:blank", offline=True), tmp_path / "sheet.html"
    for number, chapter in enumerate(CHAPTERS, start=1):
        file.write_text(worksheet(play(chapter), number), encoding="utf-8")
        page.goto(file.as_uri())
        assert len(re.findall(rb"/Type /Page\b", page.pdf(format=paper))) == 1
    page.emulate_media(media="print")
    lines = page.locator(".lines").first
    low = lines.bounding_box()["height"]
    page.set_viewport_size({"width": 700, "height": 1400})
    assert lines.bounding_box()["height"] > low + 100  # as much as there is room


def test_text_and_film_are_larger_on_a_projector(open_page, tmp_path):
    page = revealed(open_page, tmp_path, BY_NAME["spheres"])
    measure = """() => {
      const roots = [document, document.getElementById("film").shadowRoot];
      const found = ["#verdict", ".panel-title"].map((name, k) => roots[k].querySelector(name));
      return found.map((node) => parseFloat(getComputedStyle(node).fontSize));
    }"""
    expect(page.locator(".panel-title").first).to_be_visible()
    desk = page.evaluate(measure)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.reload()
    picture, form = (page.locator(own).bounding_box() for own in ("#stage", "#question"))
    assert picture and form and picture["x"] + picture["width"] <= form["x"]  # and both are in sight
    assert max(picture["y"] + picture["height"], form["y"] + form["height"]) <= 1080
    page.get_by_label("Your prediction").press("ArrowLeft")
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".panel-title").first).to_be_visible()
    assert page.evaluate(measure) == pytest.approx([1.125 * size for size in desk])
    assert page.locator("#film").evaluate("(node) => node.clientWidth / innerWidth") > 0.65


def told(page: Page) -> Locator:
    """What was found, in the sentence."""
    return page.locator(".bench > p b")


def test_a_page_finds_what_python_finds_and_counts_the_same_draws(open_page, tmp_path):
    chapter = BY_NAME["width"]
    page = revealed(open_page, tmp_path, chapter)
    tables = draws(chapter)
    made = [trial_draw(chapter, table, number) for number, table in enumerate(tables)]
    expect(told(page).first).to_have_text(f"{made[0].n_clusters(0)} clusters")
    expect(told(page).nth(1)).to_have_text(f"{made[0].ari(0):.2f}")
    page.get_by_role("button", name="20 draws").click()
    claims = of_trial(chapter)
    right = [all(claim.holds(draw) for claim in claims) for draw in made]
    expect(page.get_by_text(f"What is said below holds in {sum(right)} of {N_DRAWS} draws.")).to_be_visible()
    found = [draw.n_clusters(0) for draw in made]
    expect(page.get_by_text(f"number of clusters: at most 9 ({min(found)} to {max(found)})")).to_be_visible()
    chips = page.get_by_role("group", name="Draws").get_by_role("button")
    assert chips.all_inner_texts() == [str(draw.n_clusters(0)) for draw in made]
    assert ["right" in (chip.get_attribute("class") or "") for chip in chips.all()] == right

    width = page.get_by_role("slider", name="Cluster width")
    width.press("PageDown")
    width.press("ArrowLeft")
    value = float(width.get_attribute("aria-valuenow") or "nan")
    assert 0.001 < value < 0.7 and width.inner_text() == f"{value:g}"
    X, config = made[0].runs[0]
    turned = replace(made[0], runs=((X, replace(config, prior={"width": value})),), _made={})
    expect(told(page).first).to_have_text(f"{turned.n_clusters(0)} clusters")
    expect(page.locator(".panel-title")).to_have_count(1)  # the film has two, which may say as many clusters
    expect(page.locator(".panel-title")).to_contain_text(f"= {value:g}")
    assert metrics.ari(last_labels(page), turned.labels(0)) == 1.0
    page.get_by_role("button", name="The film").click()
    expect(told(page).first).to_have_text(f"{made[0].n_clusters(0)} clusters")
    expect(width).to_have_attribute("aria-valuenow", "1")


def test_a_number_is_dragged_before_the_prediction_on_the_way_to_that_of_the_question(open_page, tmp_path):
    chapter = BY_NAME["width"]
    made = trial_draw(chapter, draws(chapter)[0], 0)

    def drag(page):
        width, told = page.locator(".bench.lead").get_by_role("slider"), page.locator(".bench.lead b")
        for key, value in (("End", 8.0), ("Home", 2.0), ("ArrowLeft", 2.0)):
            width.press(key)
            expect(width).to_have_attribute("aria-valuenow", f"{value:g}")
            X, config = made.runs[0]
            there = replace(made, runs=((X, replace(config, prior={"width": value})),), _made={})
            expect(told).to_have_text(f"{there.n_clusters(0)} clusters")
            expect(page.locator(".panel-title")).to_contain_text(f"= {value:g}")  # and the picture has moved
            assert metrics.ari(last_labels(page), there.labels(0)) == 1.0

    page = revealed(open_page, tmp_path, chapter, before=drag)
    expect(told(page).first).to_have_text(f"{made.n_clusters(0)} clusters")
    expect(page.locator(".bench.lead")).to_have_count(0)


def test_further_questions_are_marked_by_what_the_browser_finds_there_one_after_the_other(open_page, tmp_path):
    chapter = BY_NAME["spheres"]
    page, own = revealed(open_page, tmp_path, chapter), page_of(chapter)
    asked = page.locator(".bench .transfer")
    page.get_by_role("button", name="Another draw").click()
    expect(page.get_by_text("Draw 2 of 20")).to_be_visible()
    page.get_by_role("button", name=say("bench.further")).click()
    for place, transfer in enumerate(chapter.trial.transfers):
        expect(asked.nth(place)).to_be_visible()
        assert all(asked.nth(later).is_hidden() for later in range(place + 1, len(chapter.trial.transfers)))
        values = usual_values(own) | dict(transfer.values)
        X, groups = points_at(own, values, 1)
        assert groups is not None
        runs = tuple((one.X, RunConfig.from_dict(one.config)) for one in answers_at(own, values, 1))
        draw = Draw(replace(draws(chapter)[1], X=X, labels=groups.astype(np.int64)), runs)
        right = [holds(draw) for holds in transfer.holds].index(True)
        for answer, words in enumerate(transfer.answers):
            asked.nth(place).get_by_role("button", name=words).click()
            mark = "predicted_right" if answer == right else "predicted_another"
            said, run = (say("course.quoted", answer=transfer.answers[one]) for one in (answer, right))
            verdict = asked.nth(place).get_by_role("status")
            expect(verdict).to_contain_text(say(f"course.{mark}", said=said, right=run))
            expect(verdict).to_contain_text(f"(ARI {draw.ari(0):.2f})")
            expect(verdict).to_contain_text(f"{draw.n_clusters(1)} clusters, ARI {draw.ari(1):.2f}")
        assert metrics.ari(last_labels(page), draw.labels(0)) == 1.0  # and it is what the picture shows
        for turn in own.facts["turns"]:
            number = page.locator(".bench > p").get_by_role("slider", name=turn["words"])
            assert float(number.get_attribute("aria-valuenow") or "nan") == values[turn["name"]]


SEEN = """() => {
  const { panels } = document.querySelector("#film").shadowRoot.querySelector(".bench").bench.player.run;
  return panels.map(({ title, labels, x, y }) => [title, labels, x, y].map(String).join(" ")).join();
}"""


def test_in_every_chapter_a_number_moves_the_picture_of_the_question(open_page, tmp_path):
    page = open_page("about:blank", width=1440, height=900, offline=True)
    for number, chapter in enumerate(CHAPTERS, start=1):
        file = tmp_path / f"{chapter.name}.html"
        file.write_text(chapter_page(play(chapter), number), encoding="utf-8")
        page.goto(file.as_uri())
        lead = page.locator(".bench.lead")
        for slider in lead.get_by_role("slider").all():
            seen = []
            for key in ("Home", "End"):
                slider.press(key)
                expect(lead.locator(".awaited")).to_have_count(0)
                seen.append(page.evaluate(SEEN))
            assert seen[0] != seen[1], chapter.name
        expect(page.locator("#stage > figure")).to_be_hidden()  # which was there before
        picture, form = (page.locator(own).bounding_box() for own in ("#stage", "#question"))
        assert picture and form and picture["x"] + picture["width"] <= form["x"], chapter.name
        assert max(picture["y"] + picture["height"], form["y"] + form["height"]) <= 900, chapter.name


def test_numbers_are_dragged_and_points_are_drawn(open_page, tmp_path):
    page = revealed(open_page, tmp_path, BY_NAME["price"])
    distance = page.get_by_role("slider", name="Distance of the groups")
    expect(told(page).first).to_have_text("2 clusters")
    place = distance.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 5, place["y"] + 5)
    page.mouse.down()
    page.mouse.move(place["x"] + 5 - 400, place["y"] + 40, steps=6)
    page.mouse.up()
    expect(distance).to_have_attribute("aria-valuenow", "0")  # all of one group
    expect(told(page).first).to_have_text("1 cluster")
    n_points = len(last_labels(page))
    tool = page.get_by_role("button", name="Draw points").first
    tool.click()
    expect(tool).to_have_attribute("aria-pressed", "true")
    stage = page.locator(".stage").first.bounding_box()
    assert stage is not None
    page.mouse.move(stage["x"] + 0.2 * stage["width"], stage["y"] + 0.3 * stage["height"])
    page.mouse.down()
    page.mouse.move(stage["x"] + 0.3 * stage["width"], stage["y"] + 0.35 * stage["height"], steps=20)
    page.mouse.up()
    expect(page.get_by_text("Your points")).to_be_visible()
    assert len(last_labels(page)) > n_points + 5


def test_points_stay_on_the_first_film_and_are_no_draw_and_the_film_comes_back(open_page, tmp_path):
    chapter = BY_NAME["price"]
    page = revealed(open_page, tmp_path, chapter)
    made = [trial_draw(chapter, table, number) for number, table in enumerate(draws(chapter))]
    expect(told(page).first).to_have_text("2 clusters")
    n_points = len(last_labels(page))
    page.get_by_role("button", name="Draw points").first.click()
    stage = page.locator(".stage").first.bounding_box()
    assert stage is not None
    page.mouse.move(stage["x"] + 0.02 * stage["width"], stage["y"] + 0.05 * stage["height"])
    page.mouse.down()
    page.mouse.move(stage["x"] + 0.2 * stage["width"], stage["y"] + 0.05 * stage["height"], steps=20)
    page.mouse.up()
    expect(page.get_by_text("Your points")).to_be_visible()  # no number was dragged before
    assert len(last_labels(page)) > n_points + 5
    distance = page.get_by_role("slider", name="Distance of the groups")
    expect(distance).to_have_attribute("aria-disabled", "true")  # it moves points of the draw
    distance.press("PageDown")
    expect(distance).to_have_attribute("aria-valuenow", "100")

    page.get_by_role("button", name="20 draws").click()
    expect(page.get_by_text(re.compile("^Of the chapter's data, without your points: what is said"))).to_be_visible()
    chips = page.get_by_role("group", name="Draws").get_by_role("button")
    assert chips.all_inner_texts() == [str(draw.n_large(0)) for draw in made]

    page.evaluate("""() => {  // an answer that is on its way until it is let go
      const { bench } = document.querySelector("#film").shadowRoot.querySelector(".bench");
      const asked = bench.stage.engines.run(0), { ask } = asked;
      const held = new Promise((resolve) => (window.letGo = resolve));
      asked.ask = (question) => ask.call(asked, async (engine) => {
        const runs = await question(engine);
        await held;
        return runs;
      });
      const { retell } = bench;
      bench.retell = (shows) => (window.told = retell.call(bench, shows));
      bench.another.click();
      window.late = window.told;
      bench.back.click();
    }""")
    page.evaluate("async () => { letGo(); await late; await told; }")
    assert len(last_labels(page)) == n_points
    expect(page.get_by_role("button", name="The film")).to_be_hidden()
    assert page.evaluate(
        "document.querySelector('#film').shadowRoot.querySelector('.bench').bench.stage.films.length === 0"
    )
    expect(distance).to_have_attribute("aria-disabled", "false")


def test_a_refusal_ends_nothing_and_the_newest_film_of_the_page_comes_back(open_page, tmp_path):
    page = revealed(open_page, tmp_path, BY_NAME["price"])
    expect(told(page).first).to_have_text("2 clusters")
    page.get_by_role("button", name="Another draw").click()
    expect(page.get_by_text("Draw 2 of 20")).to_be_visible()
    page.evaluate("""() => {
      window.bench = document.querySelector("#film").shadowRoot.querySelector(".bench").bench;
      window.first = bench.served.run;
      const letters = atob(document.getElementById("payload").textContent.trim());
      const payload = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
      bench.player.open({ ...bench.served.opening, id: "newer" }, payload); // the page has another one
      const asked = bench.stage.engines.run(0), { ask } = asked;
      asked.ask = () => Promise.reject(Object.assign(new Error("too wide."), { name: "Refused" }));
      bench.retell(true).then(() => (asked.ask = ask));
    }""")
    expect(page.get_by_text("Not computed here: too wide.")).to_be_visible()
    expect(told(page).first).to_have_text("–")
    page.get_by_role("button", name="Another draw").click()
    expect(page.get_by_text("Draw 3 of 20")).to_be_visible()
    page.evaluate("window.shown = bench.player.run")
    page.get_by_role("button", name="The film").click()
    page.wait_for_function("""() => {
      const { opening, run } = bench.player;
      return opening.id === "newer" && run !== shown && run !== first;
    }""")
    expect(told(page).first).to_have_text("2 clusters")


def last_labels(page: Page) -> np.ndarray:
    """Clusters in the last sweep of the first panel."""
    shown = page.evaluate("""() => {
      const { run } = document.querySelector("#film").shadowRoot.querySelector(".bench").bench.player;
      const [panel] = run.panels;
      return [...panel.labels.slice(-panel.n_points)];
    }""")
    return np.array(shown)


def test_a_browser_that_cannot_compute_says_so_and_plays_the_film(open_page, tmp_path):
    page = revealed(open_page, tmp_path, BY_NAME["giant"], "delete window.WebAssembly")
    expect(page.get_by_text("this browser does not compute")).to_be_visible()
    expect(page.locator(".panel-status").first).to_contain_text(re.compile("sweep 1 of 1"))
    expect(page.get_by_role("slider", name="Concentration")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("button", name="20 draws")).to_be_hidden()


DIES_ONCE = """
  window.deaths = 0;
  window.Worker = class extends Worker {
    postMessage(message) {
      if (message.kind !== "run" || window.deaths === 0) return super.postMessage(message);
      window.deaths -= 1;
      this.terminate();
      this.onerror({ message: "it died" });
    }
  };
"""


def test_a_worker_that_dies_is_replaced_and_the_page_says_so(open_page, tmp_path):
    page = revealed(open_page, tmp_path, BY_NAME["price"], DIES_ONCE)
    expect(told(page).first).to_have_text("2 clusters")
    page.evaluate("window.deaths = 1")
    distance = page.get_by_role("slider", name="Distance of the groups")
    distance.press("ArrowLeft")
    expect(page.get_by_text("Not computed here: it died")).to_be_visible()
    distance.press("Home")
    expect(told(page).first).to_have_text("1 cluster")
    expect(page.get_by_text("Not computed here")).to_have_count(0)


def test_a_film_is_explained_also_where_nothing_more_can_be_tried(open_page, tmp_path):
    page = revealed(open_page, tmp_path, BY_NAME["price"], DIES_ONCE)
    page.get_by_role("button", name="Another draw").click()
    expect(page.get_by_text("Draw 2 of 20")).to_be_visible()
    distance = page.get_by_role("slider", name="Distance of the groups")
    page.evaluate("window.deaths = 2")
    distance.press("ArrowLeft")
    expect(page.get_by_text("Not computed here: it died")).to_be_visible()
    distance.press("ArrowLeft")
    expect(page.get_by_text("this browser does not compute")).to_be_visible()
    page.evaluate("""() => {
      const { bench } = document.querySelector("#film").shadowRoot.querySelector(".bench");
      bench.stage.hear("point", { panel: 0, index: 3 });
    }""")
    expect(page.locator(".live-prices")).to_contain_text("Why is point 3 in cluster")


def cut(part: str, kept: int) -> Callable[[str], str]:
    """Return what leaves no more of a part of a page than its first letters."""
    return lambda text: re.sub(rf'(id="{part}"[^>]*>[^<]{{{kept}}})[^<]*', r"\1", text)


@pytest.mark.parametrize("kept", [0, 1000])
def test_a_damaged_engine_is_a_sentence_and_the_film_plays(open_page, tmp_path, kept):
    page = revealed(open_page, tmp_path, BY_NAME["giant"], change=cut("engine", kept))
    n0 = page.locator(".bench").get_by_role("slider", name="Concentration")
    expect(page.get_by_text("Not computed here: ")).to_be_visible()
    n0.press("ArrowLeft")
    expect(page.get_by_text("this browser does not compute")).to_be_visible()
    expect(n0).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".panel-status").first).to_contain_text(re.compile("sweep 1 of 1"))


def test_a_damaged_film_is_a_sentence(open_page, tmp_path):
    page = revealed(open_page, tmp_path, BY_NAME["giant"], change=cut("payload", 2000))
    expect(page.get_by_text("This run could not be read")).to_be_visible()
