"""The player's charts, size ribbon, background maps and legend in a real browser."""

from __future__ import annotations

import io
import itertools
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import fake_runs
import numpy as np
import pytest
from PIL import Image
from player_steps import LAST, button, expect_python, expect_sweep, plot_pixels, ready, saved, show_chart
from playwright.sync_api import Locator, Page, expect

from dpviz.metrics import ari, nmi
from dpviz.player import track_color, track_labels

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"


def box_of(place: Locator) -> dict[str, float]:
    """Where an element is."""
    box = place.bounding_box()
    assert box is not None
    return dict(box)


def texts_of(page: Page, path: Path) -> list[str]:
    """Everything that is written in the exported picture."""
    svg = ElementTree.fromstring(saved(page, "svg", path))
    return [node.text or "" for node in svg.iter(f"{SVG}text")]


def frame_of(text: str) -> int:
    """Sweep that a hint speaks of."""
    found = re.match(r"sweep (\d+)", text)
    assert found is not None
    return int(found[1])


def test_the_ribbon_is_made_of_the_cluster_sizes(open_page):
    page = ready(open_page(color_scheme="light"))
    page.mouse.move(0, 0)
    shot = page.locator(".ribbon").screenshot()
    pixels = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)
    column = pixels[:, -16]  # just before the end of the run
    tracks = track_labels(fake_runs.full_panel().labels).tracks[-1]
    edges = 5 + (len(column) - 9) * (1 - np.r_[0, np.cumsum(np.bincount(tracks))] / 400)  # from the bottom up
    for track, (bottom, top) in enumerate(itertools.pairwise(edges)):
        color = [int(track_color(track)[k : k + 2], 16) for k in (1, 3, 5)]
        rows = np.flatnonzero(np.abs(column - color).sum(axis=1) < 30)
        assert [rows[0], rows[-1] + 1] == pytest.approx([top, bottom], abs=2)  # a seam parts the bands


def test_the_ribbon_scrubs_and_reads_out(open_page):
    page = ready(open_page())
    ribbon = page.locator("[data-ribbon]")
    box = box_of(ribbon)
    page.mouse.move(box["x"] + 46 + 0.5 * (box["width"] - 56), box["y"] + box["height"] - 8)
    hint = page.locator(".ribbon .hint")
    expect(hint).to_contain_text("cluster 1")
    labels = fake_runs.full_panel().labels
    size = int((track_labels(labels).tracks[frame_of(hint.inner_text())] == 0).sum())
    expect(hint).to_contain_text(f"{size} points ({size / 4:.3g} %)")
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"] + 10)
    page.mouse.up()
    expect_sweep(page, LAST)
    expect_python(page, sweep=LAST)
    page.mouse.move(0, 0)
    expect(hint).to_be_hidden()
    button(page, "Size ribbon").click()
    expect(ribbon).to_be_hidden()


def test_curves_read_out_under_the_pointer(open_page):
    page = ready(open_page())
    panel = fake_runs.full_panel()
    assert panel.true_labels is not None
    for title in ("Number of clusters", "Agreement"):
        show_chart(page, title)
    for name, values in (("k", panel.n_clusters), ("nll", panel.nll), ("agreement", None)):
        box = box_of(page.locator(f'[data-chart="{name}"]'))
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
        hint = page.locator(f".chart-{name} .hint")
        expect(hint).to_contain_text("sweep")
        text = hint.inner_text().replace(",", "")
        sweep = frame_of(text)
        assert 4 < sweep < 9
        truth, labels = panel.true_labels, panel.labels[sweep]
        expected = [ari(truth, labels), nmi(truth, labels)] if values is None else [values[sweep]]
        exact = 5e-4 if name == "agreement" else 1e-4
        shown = [float(number) for number in re.findall(r"(?:clusters|NLL|ARI|NMI)\s+([\d.]+)", text)]
        assert shown == pytest.approx(expected, abs=exact)
        assert ("nats" in text) == (name == "nll")
    expect_sweep(page, 0)  # pointing moves nothing


def test_compared_curves_are_read_out_by_name(open_page):
    page = ready(open_page("?scenario=compare"))
    show_chart(page, "Number of clusters")
    box = box_of(page.locator('[data-chart="k"]'))
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 50)
    hint = page.locator(".chart-k .hint")
    for text in ("K = 3  3 (sweep 6)", "K = 4  4 (sweep 14)", "K = 6  6 (sweep 2"):
        expect(hint).to_contain_text(text)


def test_a_steep_start_runs_off_until_asked_for(open_page, tmp_path):
    page = ready(open_page("?scenario=steep"))
    show_chart(page, "Number of clusters")
    full = page.locator(".chart-nll").get_by_role("button", name="full range")
    assert "starts at 90,000" in texts_of(page, tmp_path / "cut.svg")
    full.click()
    expect(full).to_have_attribute("aria-pressed", "true")
    whole = texts_of(page, tmp_path / "whole.svg")
    assert "starts at 90,000" not in whole
    assert any(text.endswith("0,000") for text in whole)  # the axis has the tens of thousands
    expect(page.locator(".chart-k").get_by_role("button", name="full range")).to_be_hidden()


def test_a_longer_ghost_keeps_its_length(open_page, tmp_path):
    page = ready(open_page("?scenario=steep"))
    assert "22" in texts_of(page, tmp_path / "run.svg")  # the axis goes on to the double of the run
    box = box_of(page.locator('[data-chart="nll"]'))
    page.mouse.move(box["x"] + box["width"] - 11, box["y"] + 30)
    hint = page.locator(".chart-nll .hint")
    expect(hint).to_contain_text("sweep 22")
    expect(hint).to_contain_text("longer")
    expect(hint).not_to_contain_text("NLL")


def test_maps_fill_the_plot_and_say_their_sweep(open_page, tmp_path):
    page = ready(open_page(color_scheme="light"))
    button(page, "Regions").click()
    assert "regions of sweep 11, the first" in texts_of(page, tmp_path / "first.svg")
    button(page, "Density").click()
    button(page, "Last").click()
    expect_sweep(page, LAST)
    assert "regions and density of sweep 11" in texts_of(page, tmp_path / "last.svg")
    page.mouse.move(0, 0)
    plot = json.loads(page.locator(".stage .overlay").get_attribute("data-view") or "")["plot"]
    pixels = plot_pixels(page)
    for x in (plot["x"] + 3, plot["x"] + plot["width"] - 4):
        for y in (plot["y"] + 3, plot["y"] + plot["height"] - 4):
            assert np.ptp(pixels[int(y), int(x)]) > 8  # tinted, not the page's white


def test_runs_on_the_same_points_share_a_view_whatever_their_shapes_are(open_page):
    page = ready(open_page("?scenario=shapes"))
    view = page.locator(".stage .overlay")
    before = view.get_attribute("data-view")
    page.get_by_test_id("stCheckbox").filter(has_text="Other run").click()
    expect(page.locator(".panel-title")).to_have_text(fake_runs.LONG_TITLE)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert view.get_attribute("data-view") == before
    points, bounds = fake_runs.full_panel().points, json.loads(before or "")["bounds"]
    assert (points.min(axis=0) > bounds[::2]).all()
    assert (points.max(axis=0) < bounds[1::2]).all()


def test_the_legend_folds_and_names_what_the_run_has(open_page):
    page = ready(open_page())
    legend, fold = page.get_by_role("region", name="Legend"), button(page, "Legend")
    expect(legend).to_be_hidden()
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "true")
    for text in ("changed cluster in this sweep", "core of a cluster", "True labels", "new cluster", "another run"):
        expect(legend).to_contain_text(text)
    expect(legend).not_to_contain_text("repeat the colour")
    fold.click()
    expect(legend).to_be_hidden()
