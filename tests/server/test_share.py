"""“Share with a class”: what the short link leads to, and that its QR code reads as the link, by another program."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import zxingcpp
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.course import CHAPTERS
from dpviz.course.qr import MOST_BYTES, Code, code
from dpviz.errors import InvalidParameterError
from dpviz.ui.session import board as board_module
from dpviz.ui.session.board import Board
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.kept import OwnData
from dpviz.ui.sharing import dialog, short_links
from pages import in_app, plain, press, run, said, settled


@pytest.fixture(autouse=True)
def kept(monkeypatch) -> Board:
    made = Board()
    monkeypatch.setattr(board_module._PLACE, "board", made)
    return made


def read(made: Code) -> list[str]:
    """What a reader of QR codes sees in a drawing, four pixels a module."""
    pixels = np.full((made.size, made.size), 255, np.uint8)
    drawn = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", made.path)
    assert "".join(f"M{x} {y}h{wide}v1h-{back}z" for x, y, wide, back in drawn) == made.path
    for x, y, wide, _ in drawn:
        pixels[int(y), int(x) : int(x) + int(wide)] = 0
    return [found.text for found in zxingcpp.read_barcodes(np.kron(pixels, np.ones((4, 4), np.uint8)))]


@pytest.mark.parametrize(
    "text", ["http://192.168.1.20:8501/?go=89mghj3s", "https://ü.example/" + "a" * 400, "x" * 2331]
)
def test_a_reader_finds_the_text_in_a_code(text):
    assert read(code(text)) == [text]


@pytest.mark.parametrize("text", ["", "x" * (MOST_BYTES + 1)])
def test_a_text_that_no_code_holds_is_refused(text):
    with pytest.raises(InvalidParameterError, match="must be 1 to 2,331 bytes long"):
        code(text)


def shared(app: AppTest) -> dict:
    """What the dialog shows."""
    press(app, "share")
    found = next(own for own in app.get("bidi_component") if own.proto.component_name == "dpviz_share")
    return json.loads(found.proto.json)


def followed(url: str) -> AppTest:
    return run(in_app(go=url.rpartition("=")[2]))


def test_a_chapter_at_its_step_opens_from_its_short_link():
    place = json.dumps({"chapter": "how-many", "guesses": {"how-many": 1}}, separators=(",", ":"))
    app = run(in_app("learn", learn=place, evil="<script>"))
    data = shared(app)
    assert re.fullmatch(r"http://localhost/\?go=[0-9a-z]{8}", data["url"])
    assert read(Code(data["size"], data["path"])) == [data["url"]]
    assert data["frame"].startswith('<iframe src="http://localhost/learn?learn=%7B') and "ui=min" in data["frame"]
    assert "evil" not in data["frame"] and "Only this machine" in said(app)
    assert shared(app)["url"] == data["url"]
    app = followed(data["url"])
    assert f"2. {CHAPTERS[1].title}" in said(app) and app.query_params["learn"] in (place, [place])


@pytest.mark.parametrize("short", ["00000000", "", "x", "'--", "<b>", "0" * 100_000])
def test_a_short_link_that_leads_nowhere_says_so_on_the_first_page(short):
    app = run(in_app(go=short))
    assert "This short link" in app.warning[0].value and "go" not in app.query_params


def test_a_page_that_is_stored_but_not_there_any_more_says_so(kept):
    app = followed(f"?go={kept.shorten('nosuch', {})}")
    assert "This short link" in app.warning[0].value


def test_a_session_makes_so_many_short_links_and_then_gets_whole_addresses(monkeypatch):
    monkeypatch.setattr(short_links, "MOST_OF_ONE", 1)
    app = run(in_app("learn"))
    assert "go=" in shared(app)["url"] and "go=" in shared(app)["url"]
    press(app, "learn.open.price")
    data = shared(app)
    assert "/learn?learn=" in data["url"] and "as many as one may" in said(app)


def test_own_data_do_not_travel_and_the_dialog_says_so():
    app = run(in_app("tune"))
    own = OwnData()
    own.keep("mine", dpviz.datasets.load("iris"))
    app.session_state["own data"] = own
    app.session_state["data choice"] = DataChoice("session", "mine")
    data = shared(settled(run(app)))
    assert "go=" in data["url"] and plain(dialog.OWN_DATA) in said(app)


@pytest.mark.parametrize(
    ("here", "url", "is_local"),
    [
        ("https://dpviz.example.org/explore", "https://dpviz.example.org/?go=1", False),
        ("http://192.168.1.20:8501", "http://192.168.1.20:8501/?go=1", False),
        ("https://example.org/tools/dpviz/learn/", "https://example.org/tools/dpviz/?go=1", False),
        ("http://[::1]:8501/learn", "http://[::1]:8501/?go=1", True),
        ("http://localhost:8501/", "http://localhost:8501/?go=1", True),
        (None, "http://localhost/?go=1", True),
    ],
)
def test_the_address_is_the_one_by_which_the_browser_reaches_the_server(monkeypatch, here, url, is_local):
    monkeypatch.setattr(type(short_links.st.context), "url", property(lambda self: here))
    assert short_links.whole("", "go=1") == (url, is_local)
