"""A run inside a notebook's page: it plays in its frame, and asks nobody for anything."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import dpviz

pytestmark = pytest.mark.browser


def test_a_frame_plays_by_itself(open_page):
    data = dpviz.datasets.load("iris")
    trace = dpviz.run(data.X, dpviz.RunConfig("mapdp", n_init=1, init="single", family="normal_wishart", prior=None))
    page = open_page("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(
        f"<h1>Cell 1</h1>{trace._repr_html_()}<h1>Cell 2</h1>{trace.show(labels=data.labels)._repr_html_()}"
    )
    for number in (0, 1):
        frame = page.frame_locator("iframe").nth(number)
        expect(frame.locator(".panel-status").first).to_contain_text(f"sweep 0 of {trace.n_sweeps}")
        frame.get_by_label("Speed").select_option("8")
        frame.get_by_role("button", name="Play", exact=True).click()
        expect(frame.locator(".panel-status").first).to_contain_text(f"sweep {trace.n_sweeps} of {trace.n_sweeps}")
    assert [url for url in asked if not url.startswith(("about:", "data:", "blob:"))] == []
