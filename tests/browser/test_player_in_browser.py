"""The player in a real browser: playing, scrubbing, asking, selecting, growing, saving."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree

import fake_runs
import numpy as np
import pytest
from browsing import place_of
from PIL import Image
from player_steps import (
    LAST,
    STATUS,
    button,
    expect_python,
    expect_redraw,
    expect_sweep,
    plot_pixels,
    ready,
    saved,
    show_chart,
)
from playwright.sync_api import Locator, Page, expect
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from dpviz.player import build_payload, standalone_html, track_labels

pytestmark = pytest.mark.browser


def test_plays_to_the_end_and_tells_python(open_page):
    page = ready(open_page())
    expect_sweep(page, 0)
    page.get_by_label("Speed").select_option("8")
    button(page, "Play").click()
    expect(button(page, "Pause")).to_be_visible()
    expect_sweep(page, LAST)
    expect(button(page, "Play")).to_be_visible()
    expect_python(page, sweep=LAST)


def test_pause_stops_where_it_is(open_page):
    page = ready(open_page())
    button(page, "Play").click()
    expect(page.locator(STATUS)).to_contain_text(re.compile(r"sweep [2-9] "))
    button(page, "Pause").click()
    stopped = page.get_by_role("slider", name="Sweep").input_value()
    assert 2 <= int(stopped) < LAST
    expect_python(page, sweep=int(stopped))
    assert page.get_by_role("slider", name="Sweep").input_value() == stopped


def test_steps_and_jumps(open_page):
    page = ready(open_page())
    for name, sweep in (("Step", 1), ("On 10", 11), ("Step back", 10), ("Back 10", 0), ("Last", 11), ("First", 0)):
        button(page, name).click()
        expect_sweep(page, sweep)


def test_status_says_what_happened(open_page):
    page = ready(open_page())
    panel = fake_runs.full_panel()
    button(page, "Step").click()
    rand = adjusted_rand_score(panel.true_labels, panel.labels[1])
    nmi = normalized_mutual_info_score(panel.true_labels, panel.labels[1])
    happened = f"sweep 1 of {LAST} · 4 clusters · ARI {rand:.2f} · NMI {nmi:.2f} · {panel.n_moved[1]} moved"
    expect(page.locator(STATUS)).to_have_text(happened)
    expect(page.locator(".live")).to_have_text(happened.replace(" ·", ","))


def test_keys(open_page):
    page = ready(open_page())
    page.locator(".stage .overlay").focus()
    for key, sweep in (("ArrowRight", 1), ("]", 11), ("[", 1), ("End", 11), ("ArrowLeft", 10), ("Home", 0)):
        page.keyboard.press(key)
        expect_sweep(page, sweep)
    page.keyboard.press("Space")
    expect(button(page, "Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(button(page, "Play")).to_be_visible()


def test_scrub_by_slider_and_by_curve(open_page):
    page = ready(open_page())
    page.get_by_role("slider", name="Sweep").fill("7")
    expect_sweep(page, 7)
    expect_python(page, sweep=7)
    show_chart(page, "Number of clusters")
    chart = page.locator('[data-chart="k"]')
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 30)
    middle = int(page.get_by_role("slider", name="Sweep").input_value())
    assert 7 < middle < LAST
    page.mouse.move(box["x"] + box["width"] + 40, box["y"] + 30)
    page.mouse.up()
    expect_sweep(page, LAST)
    expect_python(page, sweep=LAST)


def test_click_on_a_point_reaches_python(open_page):
    page = ready(open_page())
    button(page, "Step").click()
    points = fake_runs.full_panel().points
    lonely = int(np.argmax(np.sort(((points[:, None] - points) ** 2).sum(-1), axis=1)[:, 1]))
    page.mouse.move(*place_of(page, points, lonely))
    expect(page.locator(".tip")).to_contain_text(f"point {lonely} · cluster")
    expect(page.locator(".tip")).to_contain_text("width")
    page.mouse.down()
    page.mouse.up()
    expect_python(page, sweep=1, point={"panel": 0, "index": lonely, "sweep": 1})


def test_point_by_keyboard_alone(open_page):
    page = ready(open_page())
    leftmost = int(np.argmin(fake_runs.full_panel().points[:, 0]))
    page.locator(".stage .overlay").focus()
    page.keyboard.press("n")
    expect(page.locator(".tip")).to_contain_text(f"point {leftmost} ")
    page.keyboard.press("Enter")
    expect_python(page, point={"panel": 0, "index": leftmost, "sweep": 0})


def test_box_select(open_page):
    page = ready(open_page())
    points = fake_runs.full_panel().points
    inside = np.flatnonzero((points[:, 0] > 3.5) & (points[:, 1] > 3.5))
    corners = np.array([points[inside].min(axis=0), points[inside].max(axis=0)])
    places = np.array([place_of(page, points, int(point)) for point in inside])
    button(page, "Select points with a box").click()
    page.mouse.move(places[:, 0].min() - 3, places[:, 1].min() - 3)
    page.mouse.down()
    page.mouse.move(places[:, 0].max() + 3, places[:, 1].max() + 3, steps=4)
    page.mouse.up()
    chosen = "Array.from([...dpvizPlayers.values()][0].panels[0].scatter.selected ?? [])"
    page.wait_for_function(f"{chosen}.length > 0")
    slack = 0.15
    near = ((points > corners[0] - slack) & (points < corners[1] + slack)).all(axis=1)
    assert set(inside) <= set(np.flatnonzero(page.evaluate(chosen))) <= set(np.flatnonzero(near))
    page.locator(".stage .overlay").focus()
    page.keyboard.press("Escape")
    page.wait_for_function(f"{chosen}.length === 0")


def test_true_labels_recolour_the_points(open_page):
    page = ready(open_page())
    before = plot_pixels(page)
    truth = page.get_by_role("button", name="True labels")
    truth.click()
    expect(truth).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".stage")).to_be_visible()
    page.mouse.move(0, 0)
    changed = (np.abs(plot_pixels(page) - before).sum(axis=2) > 60).mean()
    assert changed > 0.005


def test_loop_starts_again(open_page):
    page = ready(open_page())
    button(page, "Loop").click()
    page.get_by_label("Speed").select_option("8")
    button(page, "Play").click()
    expect_sweep(page, LAST)
    expect(page.locator(STATUS)).to_contain_text(re.compile(r"sweep [0-6] of"))
    expect(button(page, "Pause")).to_be_visible()


def test_every_option_changes_the_picture(open_page):
    page = ready(open_page())
    button(page, "Step").click()
    expect_python(page, sweep=1)
    canvas = slice(26, None)  # below the chart's own heading, where the chips are
    before = plots_pixels(page)[canvas]
    for name in ("Clusters", "Moved", "Shapes", "Density", "Regions", "SSE", "log"):
        chip = button(page, name)
        pressed = chip.get_attribute("aria-pressed") == "true"
        press(page, chip, not pressed)
        changed = (np.abs(plots_pixels(page)[canvas] - before) > 30).any(axis=2)
        assert changed.sum() > 300, name
        press(page, chip, pressed)
        back = (np.abs(plots_pixels(page)[canvas] - before) > 30).any(axis=2)
        assert back.sum() == 0, name  # as it was, for the next


def press(page: Page, chip: Locator, pressed: bool) -> None:
    """Press a chip, and leave it: what follows shows the picture alone."""
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", str(pressed).lower())
    chip.blur()
    page.mouse.move(0, 0)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def plots_pixels(page: Page) -> np.ndarray:
    """Colours of plot and charts, (height, width, 3)."""
    shot = page.locator(".plots").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def test_zoom_pan_and_reset(open_page):
    page = ready(open_page())
    stage = page.locator(".stage .overlay")
    home = plot_pixels(page)
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.keyboard.down("Control")
    for _ in range(3):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    expect_redraw(page, home)
    zoomed = plot_pixels(page)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 260, steps=3)
    page.mouse.up()
    expect_redraw(page, zoomed)
    button(page, "Reset view").click()  # there as long as there is something to reset
    expect(button(page, "Reset view")).to_be_hidden()
    page.mouse.move(0, 0)
    page.wait_for_function("() => new Promise(requestAnimationFrame).then(() => true)")
    assert (np.abs(plot_pixels(page) - home) > 30).mean() < 0.02


def test_after_a_click_on_a_point_the_wheel_still_scrolls_the_page(open_page):
    page = ready(open_page(height=500))
    overlay = page.locator(".stage .overlay")
    page.mouse.move(*place_of(page, fake_runs.full_panel().points, 0))
    page.mouse.down()
    page.mouse.up()
    expect(overlay).to_be_focused()
    view, before = overlay.get_attribute("data-view"), overlay.bounding_box()
    page.mouse.wheel(0, 200)
    page.wait_for_function("(y) => document.querySelector('[data-testid=stMain]').scrollTop > y", arg=50)
    assert overlay.get_attribute("data-view") == view and overlay.bounding_box() != before


def test_the_card_of_a_point_follows_the_playhead(open_page):
    page = ready(open_page())
    panel = fake_runs.full_panel()
    tracks = track_labels(panel.labels).tracks
    mover = int(np.flatnonzero(tracks[0] != tracks[-1])[0])
    page.mouse.move(*place_of(page, panel.points, mover))
    expect(page.locator(".tip")).to_contain_text(f"point {mover} · cluster {tracks[0][mover] + 1}")
    page.locator(".stage .overlay").focus()
    page.keyboard.press("End")
    expect(page.locator(".tip")).to_contain_text(f"point {mover} · cluster {tracks[-1][mover] + 1}")


def test_playhead_survives_leaving_the_page(open_page):
    page = ready(open_page())
    page.get_by_role("slider", name="Sweep").fill("6")
    expect_python(page, sweep=6)
    away = page.get_by_test_id("stCheckbox").filter(has_text="Another page")
    away.click()
    expect(page.locator(STATUS)).to_have_count(0)
    away.click()
    expect_sweep(page, 6)


def test_python_moves_the_playhead_once(open_page):
    page = ready(open_page())
    page.get_by_test_id("stCheckbox").filter(has_text="Go to sweep 5").click()
    expect_sweep(page, 5)
    expect_python(page, sweep=5)
    button(page, "Step").click()
    expect_python(page, sweep=6)
    expect_sweep(page, 6)


def test_a_new_run_replaces_the_old_one_in_place(open_page):
    page = ready(open_page())
    button(page, "Last").click()
    expect_python(page, sweep=LAST)
    page.get_by_test_id("stCheckbox").filter(has_text="Other run").click()
    expect(page.locator(".panel-title")).to_have_text("run 1")
    expect_sweep(page, LAST)
    expect(page.locator(".panel")).to_have_count(1)


def test_slow_motion_visits_points_one_by_one(open_page):
    page = ready(open_page())
    panel = fake_runs.full_panel()
    tracks = track_labels(panel.labels)
    assert panel.events is not None
    slow = page.get_by_role("button", name="sweep 1 in slow motion")
    slow.click()
    expect(button(page, "Pause")).to_be_visible()  # one click starts it
    expect(page.locator(".position")).to_have_text(re.compile(r"visit [1-9]"))
    button(page, "First").click()
    expect(page.locator(".position")).to_have_text("visit 0 / 400")
    for step in range(1, 4):
        button(page, "Step").click()
        before = tracks.tables[0][panel.events.from_labels[step - 1]]
        after = tracks.tables[0][panel.events.to_labels[step - 1]]
        text = f"cluster {before + 1} → cluster {after + 1}" if before != after else f"stays in cluster {after + 1}"
        expect(page.locator(STATUS)).to_have_text(f"point {step - 1}: {text}")
    expect(page.locator(".chart-sizes .chart-title")).to_have_text("Cost of each choice")
    button(page, "Last").click()
    slow.click()
    expect_sweep(page, 1)


def test_slow_motion_moves_curves_and_shapes_and_drops_emptied_clusters(open_page, tmp_path):
    page = ready(open_page("?scenario=merging"))
    space = "{http://www.w3.org/2000/svg}"

    def shapes(step):
        svg = ElementTree.fromstring(saved(page, "svg", tmp_path / f"{step}.svg"))
        return [node.get("d") or "" for node in svg.iter(f"{space}path") if node.get("stroke-dasharray") == "5 4"]

    show_chart(page, "Number of clusters")
    page.get_by_role("button", name="sweep 1 in slow motion").click()
    button(page, "First").click()
    drawn = {}
    for step, (nll, clusters) in enumerate([(100, 3), (99, 3), (98, 3), (97, 2)]):
        expect(page.locator(".position")).to_have_text(f"visit {step} / 21")
        expect(page.locator(".chart-nll .readout")).to_have_text(str(nll))
        expect(page.locator(".chart-k .readout")).to_have_text(str(clusters))
        drawn[step] = set(shapes(step))
        button(page, "Step").click()
    assert [len(drawn[step]) for step in range(4)] == [3, 3, 2, 2]  # a single point has no ring
    for step in range(3):
        assert len(drawn[step + 1] - drawn[step]) == 1  # the shape of the cluster that grew
    box = page.locator('[data-chart="k"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 12, box["y"] + 30)
    expect(page.locator(".position")).to_have_text("visit 21 / 21")  # charts over the visits scrub the visits


def test_compared_panels_share_the_playhead(open_page):
    page = ready(open_page("?scenario=compare"))
    statuses = page.locator(STATUS)
    button(page, "Last").click()
    for number, sweeps in enumerate((6, 14, 30)):
        expect(statuses.nth(number)).to_contain_text(f"sweep {sweeps} of {sweeps} ")
    page.get_by_role("slider", name="Sweep").fill("10")
    expect(statuses.nth(0)).to_contain_text("sweep 6 of 6 ")
    expect(statuses.nth(1)).to_contain_text("sweep 10 of 14 ")
    page.get_by_label("Synchronise by").select_option("fraction")
    expect(statuses.nth(0)).to_contain_text("sweep 2 of 6 ")
    expect(statuses.nth(1)).to_contain_text("sweep 5 of 14 ")
    page.get_by_label("Synchronise by").select_option("seconds")
    expect(statuses.nth(2)).to_contain_text("sweep 10 of 30 ")
    expect(page.locator(".position")).to_have_text("20 ms / 60 ms")


def test_one_column_shows_curves(open_page):
    page = ready(open_page("?scenario=one_column"))
    button(page, "Last").click()
    with_curves = plot_pixels(page)
    page.get_by_role("button", name="Clusters", exact=True).click()
    page.mouse.move(0, 0)
    expect_redraw(page, with_curves)


def test_a_growing_run_is_followed(open_page):
    page = ready(open_page("?scenario=live"))
    expect(page.locator(".progress")).to_contain_text("of 12")
    expect(page.locator(STATUS)).to_contain_text("sweep 12 of 12 ")
    expect(page.locator(".progress")).to_be_hidden()
    expect_python(page, sweep=12, stage=12)


def test_two_players_do_not_disturb_each_other(open_page):
    page = open_page("?scenario=two", height=1600)
    expect(page.locator(STATUS)).to_have_count(2)
    expect(page.locator(STATUS).nth(1)).to_contain_text("sweep")
    page.get_by_role("slider", name="Sweep").nth(1).fill("4")
    expect_python(page, sweeps=[0, 4])
    expect(page.locator(STATUS).nth(0)).to_contain_text("sweep 0 of")


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_follows_the_theme(open_page, scheme, dark):
    page = ready(open_page(color_scheme=scheme))
    page.mouse.move(0, 0)
    background = np.median(plot_pixels(page).reshape(-1, 3), axis=0)
    assert (background.mean() < 60) == dark
    assert (background.mean() > 240) != dark


def test_follows_a_change_of_theme_and_keeps_the_playhead(open_page):
    page = ready(open_page(color_scheme="light"))
    page.get_by_role("slider", name="Sweep").fill("4")
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".dpviz-player")).to_have_class(re.compile("dark"))
    page.mouse.move(0, 0)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert np.median(plot_pixels(page)) < 60
    expect_sweep(page, 4)


def test_pinch_zooms(open_page):
    page = ready(open_page(width=390, height=844, has_touch=True, is_mobile=True))
    before = plot_pixels(page)
    box = page.locator(".stage .overlay").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)

    def touch(kind, *spreads):
        points = [{"x": x + side * spread, "y": y, "id": k} for spread in spreads for k, side in enumerate((-1, 1))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 20)
    for spread in (30, 50, 80):
        touch("touchMove", spread)
    touch("touchEnd")
    expect_redraw(page, before)


@pytest.mark.parametrize("scenario", ["plain", "compare", "one_column"])
def test_fits_a_phone(open_page, scenario):
    page = ready(open_page(f"?scenario={scenario}", width=390, height=844))
    widths = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] <= widths[1]
    player = page.locator(".dpviz-player")
    overflow = player.evaluate("(node) => node.scrollWidth - node.clientWidth")
    assert overflow <= 0
    transport = page.locator(".transport").bounding_box()
    assert transport is not None
    assert transport["y"] + transport["height"] <= 844


def test_reduced_motion_still_plays(open_page):
    page = ready(open_page(reduced_motion="reduce"))
    page.get_by_label("Speed").select_option("8")
    button(page, "Play").click()
    expect_sweep(page, LAST)


def test_saves_png_and_svg(open_page, tmp_path):
    page = ready(open_page())
    button(page, "Step").click()
    picture = Image.open(io.BytesIO(saved(page, "png", tmp_path / "run.png")))
    assert min(picture.size) > 800
    assert len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0)) > 100
    svg = ElementTree.fromstring(saved(page, "svg", tmp_path / "run.svg"))
    space = "{http://www.w3.org/2000/svg}"
    assert len(svg.findall(f".//{space}path")) > 400
    texts = [node.text for node in svg.findall(f".//{space}text")]
    assert {"run 0", "width (cm)", "Cost", "Cluster sizes"} <= set(texts)


def test_a_comparison_is_saved_with_the_charts_that_it_shows(open_page, tmp_path):
    page = ready(open_page("?scenario=compare"))
    svg = ElementTree.fromstring(saved(page, "svg", tmp_path / "runs.svg"))
    texts = {node.text for node in svg.iter("{http://www.w3.org/2000/svg}text")}
    shown = set(page.locator(".chart-title:visible").all_inner_texts())
    assert len(shown) == 2 and "Cluster sizes" not in shown
    assert shown <= texts and "Cluster sizes" not in texts


def test_clusters_beyond_the_colours_have_markers_of_their_own(open_page, tmp_path):
    page = ready(open_page("?scenario=crowd"))
    svg = ElementTree.fromstring(saved(page, "svg", tmp_path / "run.svg"))
    markers = [node for node in svg.iter("{http://www.w3.org/2000/svg}path") if node.get("opacity")]
    looks = [(node.get("fill"), re.sub(r"[-\d. ]+", "", node.get("d") or "")) for node in markers]
    truth = fake_runs.crowded_panel().true_labels
    assert truth is not None
    of_cluster = {(int(k), look) for k, look in zip(truth, looks, strict=True)}
    assert len(of_cluster) == len(set(looks)) == 30


def test_saves_a_film_that_plays(open_page, tmp_path):
    page = ready(open_page(width=700, height=700))
    page.get_by_label("Speed").select_option("8")
    film = saved(page, "webm", tmp_path / "run.webm")
    assert film[:4] == bytes.fromhex("1a45dfa3")
    assert b"webm" in film[:64]
    size = page.evaluate(
        """async (bytes) => {
          const video = document.createElement("video");
          video.src = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: "video/webm" }));
          await new Promise((resolve, reject) => { video.onloadeddata = resolve; video.onerror = reject; });
          return [video.videoWidth, video.videoHeight];
        }""",
        list(film),
    )
    assert min(size) > 300


def test_standalone_page_plays_without_a_server(open_page, tmp_path):
    panel = fake_runs.full_panel(title="<b>bold</b> </script>")
    target = tmp_path / "run.html"
    target.write_text(standalone_html(build_payload([panel]), "A </title><script>alert(1)</script>"), encoding="utf-8")
    page = open_page(target.as_uri(), offline=True)
    ready(page)
    assert page.title() == "A </title><script>alert(1)</script>"
    expect(page.locator(".panel-title")).to_have_text("<b>bold</b> </script>")
    page.get_by_label("Speed").select_option("8")
    button(page, "Play").click()
    expect_sweep(page, LAST)
    saved(page, "png", tmp_path / "run.png")


def test_standalone_download_from_the_page(open_page, tmp_path):
    page = ready(open_page())
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    download.value.save_as(tmp_path / "page.html")
    ready(open_page((tmp_path / "page.html").as_uri(), offline=True))
