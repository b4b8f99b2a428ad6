"""Parts of the player by themselves: numbers beside each other, titles, opacities, edges of regions, the focus."""

from __future__ import annotations

import base64
import json
import re
from typing import Any
from xml.etree import ElementTree

import fake_runs
import numpy as np
import pytest
from browsing import import_modules, place_of
from measures import COLLECT_TEXTS
from player_steps import expect_python, ready, saved, show_chart
from playwright.sync_api import Page, expect

import dpviz
from dpviz.periods import mean_of_turn
from dpviz.player import CLUSTER_COLORS, build_payload, standalone_html, track_labels
from dpviz.player.assets import player_styles
from dpviz.player.blocks import envelope
from dpviz.player.notebook import compare_traces

pytestmark = pytest.mark.browser


@pytest.fixture
def parts(open_page) -> Page:
    """A blank page that knows functions and classes of the player, and its styles."""
    modules = ("format", "crowding", "regions", "overlay", "mount")
    page = import_modules(open_page("about:blank"), *(f"player/assets/{name}.js" for name in modules))
    page.add_style_tag(content=player_styles())
    return page


def test_a_table_of_pulls_has_whole_weights_and_says_what_is_nearly_nothing(open_page):
    page = ready(open_page("?scenario=interactive"))
    page.get_by_role("slider", name="Sweep").fill("5")
    expect_python(page, sweep=5)
    page.evaluate(COLLECT_TEXTS)
    place = np.array([[2.5, -1.0]])
    page.mouse.click(*place_of(page, place, 0))
    expect(page.locator(".live")).to_contain_text("ghost point: cluster")
    panel, shown = fake_runs.full_panel(), json.loads(page.get_by_test_id("stText").inner_text())
    tracks = track_labels(panel.labels).tracks[shown["place"]["sweep"]]
    groups = [panel.points[tracks == track] for track in range(4)]
    fits = [float(np.exp(-0.5 * ((group.mean(axis=0) - place[0]) ** 2).sum())) for group in groups]
    written = page.evaluate("written")
    for group, fit in zip(groups, fits, strict=True):
        row = next(text for text in written if text.startswith(f"{len(group)} × "))  # a count, with no decimals
        assert (row.split(" × ")[1] == "≈ 0") == (fit < 1e-4 * max(*fits, np.exp(-4.0)))
    assert any(text.endswith(" × ≈ 0") for text in written) and "≈ 0 %" in written


def test_the_bars_of_compared_runs_name_what_differs(open_page):
    page = ready(open_page("?scenario=titles"))
    page.evaluate(COLLECT_TEXTS)
    show_chart(page, "Cluster sizes")
    page.wait_for_function("written.includes('N0 = 3')")
    written = page.evaluate("written")
    assert "N0 = 5" in written and not any("MAP-DP" in text for text in written)
    expect(page.locator(".panel-title").first).to_have_text("MAP-DP · N0 = 3 · seed 1")  # the panel has its whole title


def test_points_are_the_fainter_the_more_lie_on_each_other(parts):
    """A point alone is plain; a crowd is darker than it, and the darker the denser, but never a blob."""
    crowds = [1, 10, 100, 1000, 5000]
    xs = [60 + 120 * k for k, count in enumerate(crowds) for _ in range(count)]
    call = "([xs, ys]) => Array.from(opacityLevels(xs, ys, 700, 120, 3, 1), (level) => OPACITIES[level])"
    opacities = np.array(parts.evaluate(call, [xs, [60] * len(xs)]))
    each = [set(opacities[np.array(xs) == 60 + 120 * k]) for k in range(len(crowds))]
    assert [len(found) for found in each] == [1] * len(crowds)  # equal places, equal points
    by_crowd = [found.pop() for found in each]
    assert by_crowd == sorted(by_crowd, reverse=True) and by_crowd[0] > 5 * by_crowd[-1]
    assert 0.65 <= by_crowd[0] <= 0.8
    layers = np.array(crowds[2:]) / 9 * np.pi * 3**2 / 12**2  # markers over a place, in cells of twelve pixels
    shades = 1 - (1 - np.array(by_crowd[2:])) ** layers
    assert shades[0] < 0.97


def test_edges_of_regions_are_straight_where_the_margin_is_linear(parts):
    """Quadratic splines reproduce linear functions: no staircase of cells is left, at any angle."""
    n, factor = 12, 6
    palette = [[int(color[k : k + 2], 16) for k in (1, 3, 5)] for color in CLUSTER_COLORS["light"]]
    call = """([labels, margins, n, colors]) => {
      const theme = { muted: [1, 2, 3], clusterColor: (k) => colors[k], clusterVariant: () => 0 };
      const canvas = regionCanvas(labels, margins, n, n, theme);
      return Array.from(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data);
    }"""
    cells = np.arange(n) + 0.5
    pixels = (np.arange(n * factor) + 0.5) / factor
    for angle in np.linspace(0.1, 3.0, 8):
        normal = np.array([np.cos(angle), np.sin(angle)])
        at_cells = (cells[None, :] - 6.2) * normal[0] + (cells[:, None] - 5.7) * normal[1]
        at_pixels = (pixels[None, :] - 6.2) * normal[0] + (pixels[:, None] - 5.7) * normal[1]
        labels, margins = (at_cells > 0).astype(int), np.abs(at_cells)
        flat = parts.evaluate(call, [labels.ravel().tolist(), margins.ravel().tolist(), n, palette[:2]])
        image = np.array(flat).reshape(n * factor, n * factor, 4)[::-1]  # row 0 on top
        distances = [np.abs(image[..., :3] - color).sum(axis=-1) for color in palette[:2]]
        drawn, inside = distances[1] < distances[0], slice(factor, -factor)  # beyond, cells have no neighbours
        np.testing.assert_array_equal(drawn[inside, inside], (at_pixels > 0)[inside, inside])
        nearest = np.repeat(np.repeat(labels, factor, axis=0), factor, axis=1) == 1
        assert (nearest != (at_pixels > 0))[inside, inside].any()  # the map's own cells have steps


MOUNT = """async ([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const parentElement = document.getElementById(name);
  globalThis.leave = mountPlayer({ data: bytes, key: name, parentElement, setStateValue() {}, setTriggerValue() {} });
}"""


MOVED = """async (data) => {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const place = (name) => ({ parentElement: document.getElementById(name), setStateValue() {}, setTriggerValue() {} });
  const into = (name) => mountPlayer({ data: bytes, key: "run", ...place(name) });
  const shown = () => [dpvizPlayers.get("run"), dpvizPlayers.get("run")?.root.parentNode.id];
  const leaveOne = into("one"), [player] = shown();
  while (!player.run) await new Promise(requestAnimationFrame);
  player.deck.moveTo(7, true);
  const leaveTwo = into("two"), beside = shown(); // before the first place is left
  leaveOne();
  const left = shown();
  leaveTwo();
  const gone = dpvizPlayers.size;
  into("one");
  return [beside, left, shown()].map(([own, at]) => [own === player, at, own.deck.frame]).concat([gone]);
}"""


def test_a_player_whose_place_changes_goes_on_as_it_is(parts):
    opening = {"id": "run", "command": 0, "sweep": 0, "height": 200, "scale": 1.0}
    data = base64.b64encode(envelope(opening, build_payload([fake_runs.full_panel()]))).decode()
    parts.evaluate('() => { document.body.innerHTML = \'<div id="one"></div><div id="two"></div>\'; }')
    assert parts.evaluate(MOVED, data) == [[True, "two", 7], [True, "two", 7], [True, "one", 7], 0]


OVERTAKEN = """async (envelopes) => {
  const place = { parentElement: document.getElementById("one"), setStateValue() {}, setTriggerValue() {} };
  for (const data of envelopes) { // the next comes while the one before is still being read
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    mountPlayer({ data: bytes, key: "run", ...place });
  }
}"""


def test_a_first_picture_that_another_overtakes_leaves_a_player_that_shows_the_other(parts):
    payload = build_payload([fake_runs.full_panel()])
    openings = [{"id": f"run {k}", "command": k, "sweep": 3 * k, "height": 200, "scale": 1.0} for k in range(2)]
    parts.evaluate("() => { document.body.innerHTML = '<div id=\"one\"></div>'; }")
    parts.evaluate(OVERTAKEN, [base64.b64encode(envelope(opening, payload)).decode() for opening in openings])
    expect(parts.locator(".panel-status")).to_contain_text("sweep 3")


@pytest.mark.parametrize("other", ["", "another player", "a text field"])
def test_a_player_that_is_drawn_anew_has_the_focus_that_it_had(parts, other):
    opening = {"id": "run", "command": 0, "sweep": 0, "height": 200, "scale": 1.0}
    data = base64.b64encode(envelope(opening, build_payload([fake_runs.full_panel()]))).decode()
    parts.evaluate('() => { document.body.innerHTML = \'<div id="one"></div><div id="two"></div><input>\'; }')
    parts.evaluate(MOUNT, ["one", data])
    figure = parts.get_by_role("application")
    expect(parts.locator(".panel-status")).to_contain_text("sweep 0")
    figure.focus()
    expect(figure).to_be_focused()
    parts.evaluate("leave()")
    expect(figure).to_have_count(0)
    if other == "a text field":
        parts.locator("input").focus()
    parts.evaluate(MOUNT, ["two" if other == "another player" else "one", data])
    expect(parts.locator(".panel-status")).to_contain_text("sweep 0")
    parts.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    if other:
        assert not focused_figure(parts)
    else:
        expect(figure).to_be_focused()


def focused_figure(page: Page) -> Any:
    """Whether a figure has the focus."""
    return page.evaluate("document.activeElement.getAttribute('role') === 'application'")


def test_a_cluster_of_one_point_has_its_cross_on_the_point_and_no_ring(parts):
    drawn = parts.evaluate(
        """() => {
          const said = { rings: [], crosses: [] };
          const path = { ellipse: (x, y) => said.rings.push([x, y]), moveTo: (x, y) => said.crosses.push([x + 6, y]) };
          const context = new Proxy(path, { get: (known, name) => known[name] ?? (() => {}), set: () => true });
          const shape = { xx: 4, xy: 0, yy: 4, inner: 1, outer: 2 };
          const shapes = [{ ...shape, track: 0, x: 1, y: 1 }, { ...shape, track: 1, x: 5, y: 5 }]; // off its only point
          const panel = { x: [0, 2, 9], y: [0, 2, 9], cluster_names: {} };
          const same = { scaleX: 1, scaleY: 1, x: (value) => value, y: (value) => value };
          const color = [0, 0, 0];
          const theme = { clusterColor: () => color, clusterVariant: () => 0, text: color, background: color };
          drawEllipses(context, panel, { moved: [0, 0] }, { shapes, labels: [0, 0, 1] }, same, theme);
          return said;
        }"""
    )
    assert drawn["rings"] == [[1, 1], [1, 1]]
    assert [9, 9] in drawn["crosses"] and [5, 5] not in drawn["crosses"]


def test_an_axis_of_hours_turns_as_the_view_is_moved(open_page, tmp_path):
    """All points stay within one turn, and what is read of them is the hour that the data have."""
    hours = np.array([0.5, 1.0, 23.0, 12.0])
    points, file = np.column_stack([hours, [0.0, 1.0, 2.0, 3.0]]), tmp_path / "hours.html"
    labels = np.zeros((2, 4), dtype=np.int64)
    panel = fake_runs.panel(points, labels, axis_names=("hour", "amount"), periods=(24.0, 0.0))
    file.write_text(standalone_html(build_payload([panel]), "hours"))
    page = ready(open_page(file.as_uri()), every_control=False)
    plot = page.locator("canvas[data-view]").first

    def bounds() -> list[float]:
        return json.loads(plot.get_attribute("data-view") or "")["bounds"]

    before = bounds()
    assert before[0] < 0 and before[1] > 24
    plot.focus()
    while (here := bounds())[0] < before[0] + 30:
        shown = plot.get_attribute("data-view") or ""
        page.keyboard.press("Shift+ArrowRight")
        expect(plot).not_to_have_attribute("data-view", shown)
        assert bounds()[0] > here[0]
    seen = []
    for _ in points:
        page.keyboard.press("n")
        seen.append(page.locator(".live").first.text_content() or "")
    read = sorted(float(re.search(r"hour\s+([\d.]+)", text)[1]) for text in seen)
    assert read == sorted(hours)


def test_a_cluster_about_midnight_has_its_ellipse_on_both_sides_until_the_axis_is_turned(open_page, tmp_path):
    """What is saved as SVG: ends of the clips in which the outer ring is drawn, from the seam on, in hours."""
    rng = np.random.default_rng(2)
    X = np.column_stack([np.mod(rng.normal(23.5, 1.0, 120), 24), rng.normal(0.0, 3.0, 120)])
    trace = dpviz.run(X, dpviz.RunConfig(kinds=["circular 24", "real"], init="single", max_sweeps=1, prior=None))
    file = tmp_path / "midnight.html"
    file.write_text(compare_traces([trace], X).page)
    page = ready(open_page(file.as_uri()))
    plot = page.locator("canvas[data-view]").first

    def rings() -> list[tuple[float, float, float]]:
        """From where to where each dashed ring is seen, and its middle."""
        svg, space = ElementTree.fromstring(saved(page, "svg", tmp_path / "run.svg")), "{http://www.w3.org/2000/svg}"
        view = json.loads(plot.get_attribute("data-view") or "")
        low, high, *_ = view["bounds"]
        clips = {clip.get("id"): clip[0].get("d") for clip in svg.iter(f"{space}clipPath")}
        found = {}
        for group in svg.iter(f"{space}g"):
            for path in group.findall(f"{space}path[@stroke-dasharray='5 4']"):
                start, across = re.match(r"M([-\d.]+) [-\d.]+h([\d.]+)", clips[group.get("clip-path")[5:-1]]).groups()
                ends = re.findall(r"(?:M|1 1 )([-\d.]+) ", path.get("d"))
                pixels = [float(start), float(start) + float(across), (float(ends[0]) + float(ends[1])) / 2]
                hours = [(x - view["plot"]["x"]) / view["plot"]["width"] * (high - low) + low for x in pixels]
                found[path.get("d")] = tuple(np.round(hours, 1))
        return sorted(found.values())

    left, right = rings()
    middle = float(mean_of_turn(X[:, 0], 24.0))
    assert left == pytest.approx((0.0, middle - 12, middle - 24), abs=0.11)
    assert right == pytest.approx((middle - 12, 24.0, middle), abs=0.11)
    before = json.loads(plot.get_attribute("data-view") or "")["bounds"]
    plot.focus()
    while (bounds := json.loads(plot.get_attribute("data-view") or "")["bounds"])[0] < before[0] + 6:
        shown = plot.get_attribute("data-view") or ""
        page.keyboard.press("Shift+ArrowRight")
        expect(plot).not_to_have_attribute("data-view", shown)
    (whole,) = rings()
    assert whole == pytest.approx((*bounds[:2], middle), abs=0.11)  # no clip of its own: that of the plot
