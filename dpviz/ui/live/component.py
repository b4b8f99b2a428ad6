"""The component that shows nothing: it brings the engine and points to the browser, and tells of knobs at rest."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from dpviz.arrays import IntArray
from dpviz.browser import with_tables
from dpviz.live import MOST_POINTS, Run, why_not
from dpviz.live.facts import points_id
from dpviz.player.blocks import envelope
from dpviz.scripts import script
from dpviz.ui.live import lessons
from dpviz.ui.mounting import component, engine_message

_ENGINE, _POINTS = "live engine", "live points"
_MOST_KNOBS = 8


@dataclass(frozen=True, eq=False)
class Rest:
    """A knob that came to rest.

    Attributes
    ----------
    player, points : str
        Key of the player, and the name of its runs' points.
    number : int
        Counts the messages of a browser.
    values : mapping of str to float
        Where the knobs stand, by name; any numbers.
    seed : int
    tracks : ndarray of int (N,), or None
        Numbers of the points' clusters in the picture that the browser has drawn, which give them their colours.
    start : ndarray of int (N,), or None
        Clusters from which the run goes on; None if it begins as its method does.
    """

    player: str
    points: str
    number: int
    values: Mapping[str, float]
    seed: int
    tracks: IntArray | None
    start: IntArray | None


def bring(on_rest: Callable[[], None]) -> None:
    """Bring the engine to the browser, which keeps it, and hear of knobs and of lessons' draws.

    Parameters
    ----------
    on_rest : callable
        Called when a knob came to rest, before the script runs; :func:`turned` then tells where the knobs stand.
    """
    _component()(key=_ENGINE, data=engine_message(), on_rest_change=on_rest, on_dice_change=_asked)


def _asked() -> None:
    lessons.ask(_event("dice"))


def bring_points_of(runs: Sequence[Run]) -> None:
    """Bring the points of those runs that a browser can compute, exactly as they are clustered, each once."""
    for name, X in {points_id(X): X for config, X in runs if not why_not(config, X)}.items():
        X = np.ascontiguousarray(X, dtype=np.float64)
        header = {"kind": "points", "id": name, "n_features": X.shape[1]}
        _component()(key=f"{_POINTS} {name}", data=envelope(header, X.tobytes()))


def turned() -> Rest | None:
    """Return the message that just came; None for anything that no knob sends."""
    return read_rest(_event("rest"))


def _event(name: str) -> Any:
    state = st.session_state.get(_ENGINE)
    return None if state is None else state.get(name)


def read_rest(event: Any) -> Rest | None:
    """Check a message of a browser."""
    if not isinstance(event, Mapping):
        return None
    values, number, seed = event.get("values"), event.get("number"), event.get("seed")
    texts = [event.get("player"), event.get("points")]
    if not isinstance(values, Mapping) or len(values) > _MOST_KNOBS or not all(isinstance(text, str) for text in texts):
        return None
    if type(number) is not int or type(seed) is not int or not 0 <= number < 1 << 53 or not 0 <= seed < 1 << 32:
        return None
    if not all(type(value) in (int, float) and np.isfinite(value) for value in values.values()):
        return None
    numbers = {str(name): float(value) for name, value in values.items()}
    return Rest(
        str(texts[0]),
        str(texts[1]),
        number,
        numbers,
        seed,
        *(_numbers(event.get(name)) for name in ("tracks", "start")),
    )


def _numbers(written: Any) -> IntArray | None:
    """Read numbers of clusters; None if there are none."""
    if not isinstance(written, str) or not 0 < len(written) <= 4 * MOST_POINTS:
        return None
    try:
        content = base64.b64decode(written, validate=True)
    except binascii.Error:
        return None
    return np.frombuffer(content, dtype="<u2").astype(np.int64) if len(content) % 2 == 0 else None


_component = component("dpviz_live", lambda: with_tables(script("live")))
