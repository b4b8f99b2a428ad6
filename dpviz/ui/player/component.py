"""The player on a Streamlit page: mounts the component and checks everything that comes back from the browser."""

from __future__ import annotations

import functools
import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpviz.errors import require
from dpviz.ui.player.assets import player_script, player_styles
from dpviz.ui.player.blocks import read_block, read_header


@dataclass(frozen=True)
class PointEvent:
    """A click on a point ("why here?").

    Attributes
    ----------
    panel, index, sweep : int
        Panel, row of its points, and the panel's sweep that was showing.
    """

    panel: int
    index: int
    sweep: int


@dataclass(frozen=True, eq=False)
class Selection:
    """Points inside a dragged box.

    Attributes
    ----------
    panel : int
        The panel.
    indices : ndarray of int
        Rows of its points.
    x_range, y_range : tuple of float
        The box in the units of the points.
    """

    panel: int
    indices: NDArray[np.int64]
    x_range: tuple[float, float]
    y_range: tuple[float, float]


@dataclass(frozen=True, eq=False)
class PlayerState:
    """What the reader did.

    Attributes
    ----------
    sweep : int
        Position of the playhead when it last came to rest, 0 .. the largest number of sweeps.
    point : PointEvent or None
        The point just clicked; None in the script runs after that one.
    selection : Selection or None
        The selected points.
    """

    sweep: int
    point: PointEvent | None
    selection: Selection | None


def player(
    payload: bytes,
    *,
    key: str,
    sweep: int | None = None,
    height: int = 480,
    scale: float = 1.0,
    on_sweep: Callable[[], None] | None = None,
    on_point: Callable[[], None] | None = None,
    on_selection: Callable[[], None] | None = None,
) -> PlayerState:
    """Show a payload on the page.

    Parameters
    ----------
    payload : bytes
        What :func:`~dpviz.ui.player.build_payload` returned. Pass the same object on every script run.
    key : str
        Names this player within the session.
    sweep : int, optional
        Where to put the playhead. Only a *change* of this value moves it, so the returned sweep may be passed back.
        None leaves the playhead where the reader left it, also after visiting another page.
    height : int
        Height of the point area in pixels on a wide screen.
    scale : float
        Enlargement of text and controls, and of ``height`` with them, e.g. 1.5 before an audience. It comes on top of
        the page's own text size, which the player follows.
    on_sweep, on_point, on_selection : callable, optional
        Called before the script run that the event causes; ``st.session_state[key]`` holds the raw values.

    Returns
    -------
    PlayerState
        Playhead, clicked point and selection, checked against the payload.

    Raises
    ------
    TraceFormatError
        If the payload is not one from ``build_payload``.
    InvalidParameterError
        If ``sweep`` is negative, ``height`` is not within 160..1200 or ``scale`` not within 0.5..3.
    """
    require(sweep is None or sweep >= 0, "sweep", sweep, "an integer ≥ 0 or None")
    require(160 <= height <= 1200, "height", height, "160 to 1200 pixels")
    require(0.5 <= scale <= 3, "scale", scale, "0.5 to 3")
    header = read_header(payload)
    opening = _opening(payload, key, sweep, height) | {"scale": float(scale)}
    result = _component()(
        key=key,
        data=_envelope(opening, payload),
        on_sweep_change=on_sweep or _nothing,
        on_point_change=on_point or _nothing,
        on_selection_change=on_selection or _nothing,
    )
    shown = _shown_sweep(result.get("sweep"), opening, header)
    st.session_state[_memory_key(key)]["shown"] = shown
    return PlayerState(
        sweep=shown,
        point=_point(result.get("point"), header, opening["id"]),
        selection=_selection(result.get("selection"), header, payload),
    )


def _opening(payload: bytes, key: str, sweep: int | None, height: int) -> dict[str, Any]:
    """Say where the browser's playhead belongs; ``command`` counts the times that Python moved it."""
    memory = st.session_state.setdefault(_memory_key(key), {"asked": None, "shown": 0, "command": 0, "sweep": 0})
    if sweep is not None and sweep not in (memory["asked"], memory["shown"]):
        memory |= {"sweep": int(sweep), "command": memory["command"] + 1}
    elif key not in st.session_state:  # first time on this page: the browser has forgotten, the session has not
        memory["sweep"] = memory["shown"]
    memory["asked"] = sweep
    identity = hashlib.blake2b(payload, digest_size=8).hexdigest()
    return {"id": identity, "command": memory["command"], "sweep": memory["sweep"], "height": height}


def _memory_key(key: str) -> str:
    return f"{key} playhead"  # no widget owns it, so it outlives the page


def _envelope(opening: dict[str, Any], payload: bytes) -> bytes:
    text = json.dumps(opening).encode()
    return b"".join([struct.pack("<I", len(text)), text, payload])


@functools.cache
def _component() -> Callable[..., Any]:
    script = player_script() + "\nexport default mountPlayer;\n"
    mount: Callable[..., Any] = st.components.v2.component("dpviz_player", css=player_styles(), js=script)
    return mount


def _nothing() -> None:
    """Stand in for a callback: Streamlit only returns the values that have one."""


def _shown_sweep(reported: Any, opening: dict[str, Any], header: dict[str, Any]) -> int:
    last: int = max(panel["n_sweeps"] for panel in header["panels"])
    current = isinstance(reported, dict) and reported.get("command") == opening["command"]
    if current and _is_index(reported.get("sweep"), 1 << 31):
        return min(int(reported["sweep"]), last)
    return last if header["partial"] else min(opening["sweep"], last)


def _point(event: Any, header: dict[str, Any], identity: str) -> PointEvent | None:
    if not isinstance(event, dict) or event.get("id") != identity:
        return None
    panel, index, sweep = event.get("panel"), event.get("index"), event.get("sweep")
    if not _is_index(panel, len(header["panels"])):
        return None
    described = header["panels"][panel]
    if not (_is_index(index, described["n_points"]) and _is_index(sweep, described["n_sweeps"] + 1)):
        return None
    return PointEvent(panel, index, sweep)  # type: ignore[arg-type]


def _selection(box: Any, header: dict[str, Any], payload: bytes) -> Selection | None:
    if not isinstance(box, dict) or not _is_index(box.get("panel"), len(header["panels"])):
        return None
    described = header["panels"][box["panel"]]
    ranges = [_range(box.get("x")), _range(box.get("y"))]
    if box.get("points") != described["points_id"] or None in ranges:
        return None
    inside = np.ones(described["n_points"], dtype=bool)
    for name, bounds in zip("xy", ranges, strict=True):
        values = read_block(payload, header, described["arrays"][name]).astype(np.float64)
        inside &= (values >= bounds[0]) & (values <= bounds[1])  # type: ignore[index]
    shifted = [(low + origin, high + origin) for (low, high), origin in zip(ranges, described["origin"], strict=True)]  # type: ignore[misc]
    return Selection(box["panel"], np.flatnonzero(inside), shifted[0], shifted[1])


def _range(pair: Any) -> tuple[float, float] | None:
    if not isinstance(pair, list) or len(pair) != 2 or not all(type(edge) in (int, float) for edge in pair):
        return None
    return float(pair[0]), float(pair[1])


def _is_index(value: Any, end: int) -> bool:
    return type(value) is int and 0 <= value < end
