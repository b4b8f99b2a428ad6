"""What chapters say wherever their numbers are moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from knob_positions import answers_at, page_of, points_at, usual_values
from playwright.sync_api import expect
from test_chapters_in_browser import revealed, told

from dpviz.config import RunConfig
from dpviz.course import CHAPTERS
from dpviz.course.bench import draws
from dpviz.course.claims import OF_TWO, QUANTITIES, Draw

pytestmark = pytest.mark.browser
BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
SAID: dict[str, Callable[[float], str]] = {
    "n_clusters": lambda n: "1 cluster" if n == 1 else f"{n:.0f} clusters",
    "mean_k": "{:.1f}".format,
    "ari": "{:.2f}".format,
    "widest_whole": lambda share: f"{100 if share == 1 else min(99, 100 * share):.0f}",
    "sweeps_as": "{:.0f}".format,
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("spheres", ["widest_whole 0", "ari 0", "n_clusters 1", "ari 1"]),
        ("question", ["n_clusters 0", "", "", ""]),
        ("how-many", ["", "n_clusters 1", "n_clusters 2"]),
        ("sampling", ["n_clusters 1", "", "", "mean_k 0", "sweeps_as 0 1"]),
    ],
)
def test_a_chapter_says_what_the_library_finds_wherever_a_number_is_moved(open_page, tmp_path, name, expected):
    chapter = BY_NAME[name]
    page, own, table = revealed(open_page, tmp_path, chapter), page_of(chapter), draws(chapter)[0]
    values = usual_values(own)
    wide = next((turn["path"][2] for turn in own.facts["turns"] if list(turn["path"][:2]) == ["data", "spread"]), None)
    for turn in own.facts["turns"]:
        slider = page.locator(".bench").get_by_role("slider", name=turn["words"])
        for key in ("Home", "PageUp", "End"):
            slider.press(key)
            values[turn["name"]] = float(slider.get_attribute("aria-valuenow") or "nan")
            runs = tuple((one.X, RunConfig.from_dict(one.config)) for one in answers_at(own, values))
            X, groups = points_at(own, values)
            draw = Draw(replace(table, X=X, labels=None if groups is None else groups.astype(np.int64)), runs)
            for place, quantity in enumerate(expected):
                if quantity:
                    expect(told(page).nth(place)).to_have_text(_said(draw, wide, *quantity.split()).replace("-", "−"))
            expect(page.locator(".bench .awaited")).to_have_count(0)


def _said(draw: Draw, wide: str | None, quantity: str, run: str, other: str = "") -> str:
    if quantity == "widest_whole" and wide is not None:  # also where it is as wide as the others
        return SAID[quantity](draw.share_in_one(int(run), int(wide)))
    value = OF_TWO[quantity](draw, int(run), int(other)) if other else QUANTITIES[quantity](draw, int(run))
    return SAID[quantity](value)
