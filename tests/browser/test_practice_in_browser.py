"""Eight tables as people have them, from upload to what is taken away, end as they do on the command line."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browsing import DATA_PAGE, downloaded, expander, settled
from command_line import cli
from player_steps import ready
from playwright.sync_api import Page, expect
from practice_tables import KINDS, practice

from dpviz.engine.trace import Trace

pytestmark = pytest.mark.browser
REPORT = "A report that can be published (HTML)"


def clustered(page: Page, address: str, file: Path) -> None:
    """Upload a file, take it into use, and wait until it is clustered."""
    page.goto(f"{address}/{DATA_PAGE}")
    page.get_by_test_id("stButtonGroup").first.get_by_text("Load", exact=True).click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("button", name="these data (")).to_be_visible()
    settled(page).get_by_role("button", name="these data (").click()
    page.get_by_role("button", name="Explore these data").click()
    expander(ready(page), "Take it away")


def taken(page: Page, folder: Path, button: str, name: str) -> Path:
    """Download a file under a name of its own."""
    place = folder / name
    place.write_bytes(downloaded(page, page.get_by_role("button", name=button)).read_bytes())
    return place


def numbers_in(page: str) -> list[str]:
    """Numbers that a report says of its answer, without names of clusters, which are others by each door."""
    told = page.partition("<h2>Answer</h2>")[2].partition("<h2>Methods")[0]
    return re.findall(r"−?[\d,]+\.\d+(?: ± [\d.,]+)?|\(\d+%\)", unescape(re.sub(r"<svg.*?</svg>", "", told)))


def test_tables_go_the_whole_way(open_page, address, tmp_path):
    page = open_page(f"{address}/{DATA_PAGE}")
    for kind in KINDS:
        table = practice(kind)
        file, own, run = tmp_path / table.name, tmp_path / "own.csv", tmp_path / "run.json"
        file.write_bytes(table.content)
        clustered(page, address, file)
        by_app = pd.read_csv(taken(page, tmp_path, "Rows with labels of sweep", "app.csv"), dtype={"cluster": "Int64"})
        stored = taken(page, tmp_path, "The run (JSON)", "app.json")
        settled(page).get_by_role("button", name=REPORT).click()
        told = taken(page, tmp_path, f"{REPORT}: download", "app.html").read_text("utf-8")

        for out in (run, own):
            assert cli("run", file, "--repair --quiet --out", out) == 0
        by_command, traces = pd.read_csv(own), [Trace.from_json(place.read_text()) for place in (stored, run)]
        np.testing.assert_array_equal(traces[0].labels, traces[1].labels, kind)
        np.testing.assert_array_equal(traces[0].nll, traces[1].nll, kind)
        both = pd.DataFrame({"app": by_app["cluster"], "command": by_command["cluster"]}).drop_duplicates()
        assert len(both) == both["app"].nunique() == both["command"].nunique(), kind  # by other names
        same = [name for name in by_command if name != "cluster"]
        pd.testing.assert_frame_equal(by_app[same], by_command[same])
        out = tmp_path / "report.html"
        assert cli("report", stored, "--data", file, "--quick --out", out) == 0
        quick = numbers_in(out.read_text("utf-8"))
        assert quick and not set(quick) - set(numbers_in(told)), kind
