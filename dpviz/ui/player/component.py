"""The player on a Streamlit page: mounts the component and checks all data from the browser."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpviz.errors import require
from dpviz.player.assets import player_styles
from dpviz.player.blocks import envelope, read_header
from dpviz.scripts import script
from dpviz.ui.mounting import component, nothing
from dpviz.ui.player.events import (
    MovedPoint,
    PaintedPoints,
    PlaceEvent,
    PointEvent,
    Pull,
    is_index,
    read_moved,
    read_painted,
    read_place,
    read_point,
)

# The player may be mounted after its courier: the newest answer waits for it.
_COURIER = """
export default function ({ data, parentElement }) {
  (globalThis.dpvizSent ??= new Map()).set(`${data.kind} ${data.key}`, data);
  document.dispatchEvent(new CustomEvent(`dpviz-${data.kind}`, { detail: data.key }));
  const box = parentElement.host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
}
"""


@dataclass(frozen=True, eq=False)
class PlayerState:
    """The reader's input.

    Attributes
    ----------
    sweep : int
        Position of the playhead when it last came to rest, 0 .. the largest number of sweeps.
    point : PointEvent or None
        The point just clicked; None in the script runs after that one.
    place : PlaceEvent or None
        Where the ghost point is; only with ``pulls``.
    moved : MovedPoint or None
        The point just dragged; None in the script runs after that one. Only if ``editable``.
    painted : PaintedPoints or None
        The points just painted; None in the script runs after that one. Only if ``editable``.
    """

    sweep: int
    point: PointEvent | None
    place: PlaceEvent | None = None
    moved: MovedPoint | None = None
    painted: PaintedPoints | None = None


class Named(bytes):
    """A payload whose name is found once: one that is shown again and again, or to many."""

    @functools.cached_property
    def name(self) -> str:
        """Name of exactly this content."""
        return _name_of(self)


def player(
    payload: bytes,
    *,
    key: str,
    sweep: int | None = None,
    start: str = "",
    height: int | None = None,
    scale: float = 1.0,
    pulls: Callable[[PlaceEvent], Sequence[Pull]] | None = None,
    editable: bool = False,
    live: Mapping[str, Any] | None = None,
) -> PlayerState:
    """Show a payload on the page.

    Parameters
    ----------
    payload : bytes
        Payload from :func:`~dpviz.ui.player.build_payload`. Pass the same object on every script run, as
        :class:`Named` if it is large.
    key : str
        Names this player within the session.
    sweep : int, optional
        Where to put the playhead. Only a *change* of this value moves it, so the returned sweep may be passed back.
        None leaves the playhead where the reader left it, also after visiting another page.
    start : {"", "play", "slow"}
        Start playing from ``sweep``, or play the slow motion if the payload has one. Pass it in one script run only.
    height : int, optional
        Height of the point area in pixels on a wide screen; None for what the window has room for, so that the
        picture and its playhead end where the window does.
    scale : float
        Enlargement of text and controls, and of ``height`` with them, e.g. 1.5 before an audience. It multiplies
        the page's own text size, which the player follows.
    pulls : callable, optional
        Lets the reader put a ghost point into the empty plane, and returns how strongly each cluster, and a new one,
        pulls at it in the sweep at the playhead. The player draws the answer beside the ghost point.
    editable : bool
        Lets the reader drag points and paint new ones. The player only reports this; the page makes the new data.
    live : mapping, optional
        What :func:`dpviz.live.facts_of` writes down, for knobs above the picture.

    Returns
    -------
    PlayerState
        What the reader did, checked against the payload.

    Raises
    ------
    TraceFormatError
        If the payload is not one from ``build_payload``.
    InvalidParameterError
        If ``sweep`` is negative, ``start`` is something else, ``height`` is not within 160..1200 or ``scale`` not
        within 0.5..3.
    """
    require(sweep is None or sweep >= 0, "sweep", sweep, "an integer ≥ 0 or None")
    require(start in ("", "play", "slow"), "start", start, 'one of "", "play" and "slow"')
    require(height is None or 160 <= height <= 1200, "height", height, "160 to 1200 pixels, or None")
    require(0.5 <= scale <= 3, "scale", scale, "0.5 to 3")
    header = read_header(payload)
    opening = _opening(payload, key, sweep, height, moves=bool(start)) | {
        "start": start,
        "scale": float(scale),
        "key": key,
        "placing": pulls is not None,
        "editable": bool(editable),
        **({} if live is None else {"live": dict(live)}),
    }
    result = _component()(
        key=key,
        data=envelope(opening, payload),
        **{f"on_{name}_change": nothing for name in ("sweep", "point", "place", "moved", "painted")},
    )
    shown = _shown_sweep(result.get("sweep"), opening, header)
    st.session_state[_memory_key(key)]["shown"] = shown
    place = read_place(result.get("place"), header) if pulls is not None else None
    if pulls is not None:
        _send_pulls(key, place, [] if place is None else pulls(place))
    return PlayerState(
        sweep=shown,
        point=read_point(result.get("point"), header, opening["id"]),
        place=place,
        moved=read_moved(result.get("moved"), header) if editable else None,
        painted=read_painted(result.get("painted"), header) if editable else None,
    )


def _send_pulls(key: str, place: PlaceEvent | None, pulls: Sequence[Pull]) -> None:
    """Send the answer in a component of its own; otherwise the payload would be sent again with it."""
    for pull in pulls:
        require(pull.track >= -1 and pull.size >= 0, "pulls", pull, "tracks ≥ 0 or −1 and sizes ≥ 0")
    answer = [[int(pull.track), float(pull.size), _json_number(pull.log_fit)] for pull in pulls]
    sweep = None if place is None else place.sweep
    _send("pulls", key, {"sweep": sweep, "pulls": answer})


def answer_why(key: str, point: int | None = None, sweep: int = 0, title: str = "", bars: str = "") -> None:
    """Say beside the picture why a point is where it is; without a point, take away what was said.

    Parameters
    ----------
    key : str
        Of the player.
    point, sweep : int
        The point that was asked about, and the sweep of which this is true.
    title : str
    bars : str
        HTML that holds no text of users but escaped.
    """
    _send("why", key, {"point": point, "sweep": sweep, "title": title, "bars": bars})


def _send(kind: str, key: str, answer: dict[str, Any]) -> None:
    _courier()(key=f"{key} {kind}", data={"kind": kind, "key": key, **answer})


def _json_number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None  # −∞: no pull at all


def _opening(payload: bytes, key: str, sweep: int | None, height: int | None, *, moves: bool) -> dict[str, Any]:
    """Return the playhead's target for the browser; ``command`` counts the moves by Python."""
    memory = st.session_state.setdefault(_memory_key(key), {"asked": None, "shown": 0, "command": 0, "sweep": 0})
    if moves or (sweep is not None and sweep not in (memory["asked"], memory["shown"])):
        memory |= {"sweep": int(memory["shown"] if sweep is None else sweep), "command": memory["command"] + 1}
    elif sweep is not None and sweep == memory["shown"]:
        memory["sweep"] = int(sweep)  # there already, at the end of a growing run: the browser need not have said so
    elif key not in st.session_state:  # the page was just opened: only the session still has the playhead
        memory["sweep"] = memory["shown"]
    memory["asked"] = sweep
    identity = payload.name if isinstance(payload, Named) else _name_of(payload)
    return {"id": identity, "command": memory["command"], "sweep": memory["sweep"], "height": height}


def _name_of(payload: bytes) -> str:
    return hashlib.blake2b(payload, digest_size=8).hexdigest()


def let_move(key: str) -> None:
    """Let the sweep asked for next move the playhead, although it may not be known yet that it was moved away."""
    memory = st.session_state.get(_memory_key(key))
    if memory is not None:
        memory |= {"asked": None, "shown": -1}


def _memory_key(key: str) -> str:
    return f"{key} playhead"  # no widget owns it, so it outlives the page


_component = component("dpviz_player", lambda: script("player"), player_styles)


_courier = component("dpviz_player_courier", lambda: _COURIER)


def _shown_sweep(reported: Any, opening: dict[str, Any], header: dict[str, Any]) -> int:
    last: int = max(panel["n_sweeps"] for panel in header["panels"])
    current = isinstance(reported, dict) and reported.get("command") == opening["command"]
    if current and is_index(reported.get("sweep"), 1 << 31):
        return min(int(reported["sweep"]), last)
    return last if header["partial"] else min(opening["sweep"], last)
