"""Events of the player in Python: all data from the browser are checked here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray

_MOST_PAINTED = 2_000  # points of one stroke; the browser sends fewer


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


@dataclass(frozen=True)
class PlaceEvent:
    """A place in the plane that was clicked, with no point there: the ghost point.

    Attributes
    ----------
    panel : int
        The panel.
    x, y : float
        The place in the units of the points; ``y`` is 0 for points of one column.
    sweep : int
        The panel's sweep at the playhead.
    """

    panel: int
    x: float
    y: float
    sweep: int


@dataclass(frozen=True)
class Pull:
    """How strongly a cluster pulls at the ghost point: size × fit, as the conditional of Gibbs sampling has it.

    Attributes
    ----------
    track : int
        Track of the cluster; −1 for a new one.
    size : float
        Weight of the partition prior, e.g. the number of points, or the concentration for a new cluster; ≥ 0.
    log_fit : float
        ln of the predictive density at the place (nats); only differences between the pulls matter.
    """

    track: int
    size: float
    log_fit: float


@dataclass(frozen=True)
class MovedPoint:
    """A point that was dragged.

    Attributes
    ----------
    panel, index : int
        Panel and row of its points.
    x, y : float
        The new place in the units of the points.
    """

    panel: int
    index: int
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class PaintedPoints:
    """New points that were painted in one stroke.

    Attributes
    ----------
    panel : int
        The panel.
    points : ndarray of shape (M, 2)
        Places in the units of the points.
    """

    panel: int
    points: FloatArray


def read_point(event: Any, header: dict[str, Any], identity: str) -> PointEvent | None:
    """Check a click on a point; None for anything else, and for clicks on an earlier payload."""
    if not isinstance(event, dict) or event.get("id") != identity:
        return None
    panel, index, sweep = event.get("panel"), event.get("index"), event.get("sweep")
    if not is_index(panel, len(header["panels"])):
        return None
    described = header["panels"][panel]
    if not (is_index(index, described["n_points"]) and is_index(sweep, described["n_sweeps"] + 1)):
        return None
    return PointEvent(panel, index, sweep)  # type: ignore[arg-type]


def read_place(place: Any, header: dict[str, Any]) -> PlaceEvent | None:
    """Check the place of the ghost point; None for anything else, and for a place among other points."""
    described = _panel_of(place, header)
    if described is None or not is_index(place.get("sweep"), 1 << 31):
        return None
    spot = _spot([place.get("x"), place.get("y")], described)
    sweep = min(place["sweep"], described["n_sweeps"])
    return None if spot is None else PlaceEvent(place["panel"], spot[0], spot[1], sweep)


def read_moved(edit: Any, header: dict[str, Any]) -> MovedPoint | None:
    """Check a dragged point; None for anything else, and for points that are not those of the payload."""
    described = _panel_of(edit, header)
    if described is None or not is_index(edit.get("index"), described["n_points"]):
        return None
    spot = _spot([edit.get("x"), edit.get("y")], described)
    return None if spot is None else MovedPoint(edit["panel"], edit["index"], *spot)


def read_painted(edit: Any, header: dict[str, Any]) -> PaintedPoints | None:
    """Check painted points; None for anything else, and for points painted among others."""
    described = _panel_of(edit, header)
    places = edit.get("places") if described is not None else None
    if described is None or not isinstance(places, list) or not 1 <= len(places) <= _MOST_PAINTED:
        return None
    spots = [_spot(place, described) for place in places]
    if None in spots:
        return None
    return PaintedPoints(edit["panel"], np.array(spots, dtype=np.float64))


def _panel_of(event: Any, header: dict[str, Any]) -> dict[str, Any] | None:
    """Panel of an event, if it still has the same points."""
    if not isinstance(event, dict) or not is_index(event.get("panel"), len(header["panels"])):
        return None
    described: dict[str, Any] = header["panels"][event["panel"]]
    return described if event.get("points") == described["points_id"] else None


def _spot(pair: Any, described: dict[str, Any]) -> tuple[float, float] | None:
    """Coordinates in the units of the points, from the browser's."""
    numbers = _range(pair)
    if numbers is None or not all(math.isfinite(number) for number in numbers):
        return None
    x, y = (number + shift for number, shift in zip(numbers, described["origin"], strict=True))
    return (x, 0.0) if described["one_column"] else (x, y)


def _range(pair: Any) -> tuple[float, float] | None:
    if not isinstance(pair, list) or len(pair) != 2 or not all(type(edge) in (int, float) for edge in pair):
        return None
    return float(pair[0]), float(pair[1])


def is_index(value: Any, end: int) -> bool:
    """Whether a value is an integer in 0..end − 1."""
    return type(value) is int and 0 <= value < end
