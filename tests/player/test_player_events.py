"""The playhead, and checks on what the browser sends back."""

from __future__ import annotations

import json
import struct
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from browser import fake_runs

from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.player import build_payload
from dpviz.player.blocks import read_header
from dpviz.ui.player import MovedPoint, PlaceEvent, Pull, component, player


class Page:
    """Stands in for Streamlit: keeps a session, answers with what the browser would have sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, payload: bytes) -> None:
        self.payload = payload
        self.session: dict[str, Any] = {}
        self.sent: dict[str, Any] = {}
        self.opening: dict[str, Any] = {}
        monkeypatch.setattr(component, "st", SimpleNamespace(session_state=self.session))
        monkeypatch.setattr(component, "_component", lambda: self.mount)
        self.courier: dict[str, Any] = {}
        monkeypatch.setattr(component, "_courier", lambda: lambda **sent: self.courier.update(sent))

    def mount(self, *, key: str, data: bytes, **_: Any) -> dict[str, Any]:
        """Record the envelope."""
        (length,) = struct.unpack("<I", data[:4])
        self.opening = json.loads(data[4 : 4 + length])
        assert data[4 + length :] == self.payload
        self.session[key] = self.sent
        return self.sent

    def report(self, sweep: int) -> None:
        """Say where the playhead came to rest."""
        self.sent = {**self.sent, "sweep": {"sweep": sweep, "command": self.opening["command"]}}


@pytest.fixture
def page(monkeypatch) -> Page:
    """Page with a full panel."""
    return Page(monkeypatch, build_payload([fake_runs.full_panel()]))


def test_passing_the_returned_sweep_back_never_moves_the_playhead(page):
    sweep = player(page.payload, key="p", sweep=0).sweep
    for reported in (3, 7, 9, 2):
        page.report(reported)
        for _ in range(3):
            sweep = player(page.payload, key="p", sweep=sweep).sweep
            assert sweep == reported
            assert page.opening["command"] == 0


def test_a_changed_sweep_is_a_command_and_old_reports_no_longer_count(page):
    player(page.payload, key="p", sweep=0)
    page.report(4)
    assert player(page.payload, key="p", sweep=8).sweep == 8
    assert (page.opening["command"], page.opening["sweep"]) == (1, 8)
    assert player(page.payload, key="p", sweep=8).sweep == 8
    page.report(9)
    assert player(page.payload, key="p", sweep=8).sweep == 9
    assert page.opening["command"] == 1


def test_the_session_remembers_the_playhead_when_the_browser_forgot(page):
    player(page.payload, key="p")
    page.report(6)
    player(page.payload, key="p")
    assert page.opening["sweep"] == 0  # unchanged while the browser keeps it: the message stays cached
    page.sent = {}
    del page.session["p"]
    assert player(page.payload, key="p").sweep == 6
    assert page.opening["sweep"] == 6


def test_sweeps_are_limited_to_the_run(page):
    assert player(page.payload, key="p", sweep=500).sweep == 11
    growing = build_payload([fake_runs.full_panel()], partial=True)
    page.payload = growing
    assert player(growing, key="q").sweep == 11


def test_a_run_that_was_followed_to_its_end_stays_there_when_it_is_over(page):
    """Before the browser has said where it is."""
    page.payload = build_payload([fake_runs.full_panel()], partial=True)
    assert player(page.payload, key="followed").sweep == 11
    page.payload = build_payload([fake_runs.full_panel()])
    assert player(page.payload, key="followed", sweep=11).sweep == 11
    assert player(page.payload, key="followed").sweep == 11
    assert page.opening["sweep"] == 11


@pytest.mark.parametrize(
    "event",
    [
        None,
        5,
        "x",
        [],
        {},
        {"panel": 1},
        {"panel": -1},
        {"panel": True},
        {"index": 400},
        {"index": 1.5},
        {"index": "0"},
        {"sweep": 12},
        {"sweep": None},
        {"id": "of an older run"},
    ],
)
def test_hostile_point_events_are_dropped(page, event):
    player(page.payload, key="p")
    good = {"id": page.opening["id"], "panel": 0, "index": 399, "sweep": 11}
    page.sent = {"point": good}
    point = player(page.payload, key="p").point
    assert point == component.PointEvent(0, 399, 11)
    page.sent = {"point": {**good, **event} if isinstance(event, dict) and event else event}
    assert player(page.payload, key="p").point is None


def test_pulls_are_asked_for_the_place_and_sent_beside_the_payload(page):
    asked: list[PlaceEvent] = []

    def pulls(place):
        asked.append(place)
        return [Pull(0, 12, -3.5), Pull(-1, 0.5, -np.inf)]

    assert player(page.payload, key="p", pulls=pulls).place is None
    assert asked == []
    assert page.courier == {"key": "p pulls", "data": {"kind": "pulls", "key": "p", "sweep": None, "pulls": []}}
    points_id = read_header(page.payload)["panels"][0]["points_id"]
    place = {"panel": 0, "points": points_id, "x": 1.5, "y": -2, "sweep": 400}
    page.sent = {"place": place}
    before = page.opening
    assert player(page.payload, key="p", pulls=pulls).place == PlaceEvent(0, 1.5, -2.0, 11)
    assert asked == [PlaceEvent(0, 1.5, -2.0, 11)]
    assert page.courier["data"] == {
        "kind": "pulls",
        "key": "p",
        "sweep": 11,
        "pulls": [[0, 12.0, -3.5], [-1, 0.5, None]],
    }
    assert page.opening == before  # the message with the payload stays as it is, and so cached
    assert player(page.payload, key="p").place is None
    with pytest.raises(InvalidParameterError, match="pulls = "):
        player(page.payload, key="p", pulls=lambda _: [Pull(0, -1.0, 0.0)])
    for wrong in (
        {"x": "1"},
        {"x": np.inf},
        {"y": None},
        {"panel": 2},
        {"points": "others"},
        {"sweep": -1},
        {"x": True},
    ):
        page.sent = {"place": {**place, **wrong}}
        assert player(page.payload, key="p", pulls=pulls).place is None


def test_moved_and_painted_points_are_checked(page):
    points_id = read_header(page.payload)["panels"][0]["points_id"]
    moved = {"panel": 0, "points": points_id, "index": 7, "x": 0.5, "y": 2}
    painted = {"panel": 0, "points": points_id, "places": [[0, 1], [2.5, 3]]}
    page.sent = {"moved": moved, "painted": painted}
    assert player(page.payload, key="p").moved is None  # the page did not ask
    state = player(page.payload, key="p", editable=True)
    assert state.moved == MovedPoint(0, 7, 0.5, 2.0)
    assert state.painted is not None
    np.testing.assert_array_equal(state.painted.points, [[0, 1], [2.5, 3]])
    for wrong in ({"index": 400}, {"index": -1}, {"x": None}, {"points": ""}, {"panel": "0"}):
        page.sent = {"moved": {**moved, **wrong}}
        assert player(page.payload, key="p", editable=True).moved is None
    for places in ([], [[0]], [[0, float("nan")]], [[0, 1]] * 2001, "ab", None, [[0, 1], None]):
        page.sent = {"painted": {**painted, "places": places}}
        assert player(page.payload, key="p", editable=True).painted is None


def test_places_are_in_the_units_of_the_points(page):
    far = np.column_stack([1.7e9 + np.arange(50.0), np.arange(50.0)])
    page.payload = build_payload([fake_runs.panel(far, np.zeros((2, 50), dtype=int))])
    described = read_header(page.payload)["panels"][0]
    page.sent = {"moved": {"panel": 0, "points": described["points_id"], "index": 1, "x": 3.0, "y": 4.0}}
    moved = player(page.payload, key="p", editable=True).moved
    assert moved == MovedPoint(0, 1, 3.0 + described["origin"][0], 4.0)
    page.payload = build_payload([fake_runs.one_column_panel()])
    points_id = read_header(page.payload)["panels"][0]["points_id"]
    page.sent = {"place": {"panel": 0, "points": points_id, "x": 1.0, "y": 0.07, "sweep": 2}}
    assert player(page.payload, key="p", pulls=lambda _: []).place == PlaceEvent(0, 1.0, 0.0, 2)


def test_player_checks_its_own_parameters(page):
    with pytest.raises(DpvizError, match="sweep = -1"):
        player(page.payload, key="p", sweep=-1)
    with pytest.raises(DpvizError, match="height = 20"):
        player(page.payload, key="p", height=20)
    with pytest.raises(DpvizError, match=r"scale = 0\.1"):
        player(page.payload, key="p", scale=0.1)
