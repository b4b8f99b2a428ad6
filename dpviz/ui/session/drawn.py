"""The drawing as data: one at a time, kept in the session and, to survive a reload, in the browser's tab."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dpviz.datasets import from_points
from dpviz.ui import draw
from dpviz.ui.draw import CANVAS, COLOR_NAMES, Drawing
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DRAWN, DataChoice, is_here, keep_session_dataset

FEWEST = 2
_DRAWN, _EARLIER, _ASKED = "drawing in use", "earlier drawings", "canvas asked for"
LABELS = "data drawing labels"
"""Setting that takes the brush colours for true labels."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A drawing, the name it has as data, and whether its colours are labels."""

    name: str
    drawing: Drawing
    labelled: bool

    def same(self, drawing: Drawing, labelled: bool) -> bool:
        """Whether the present drawing gives these data."""
        return self._content() == _Drawn(self.name, drawing, labelled)._content()

    def _content(self) -> tuple[bytes, bytes]:
        return self.drawing.points.tobytes(), self.drawing.colors.tobytes() if self.labelled else b""


def is_drawing(choice: DataChoice) -> bool:
    """Return whether a choice names data that were drawn, in this session or in another."""
    return choice.source == "session" and choice.name.startswith(DRAWN)


def in_use(choice: DataChoice) -> bool:
    """Return whether a choice names the present drawing."""
    drawn = _drawn()
    return choice.source == "session" and drawn is not None and choice.name == drawn.name


def present() -> DataChoice | None:
    """Return the choice that names the present drawing, if there is one with enough points."""
    drawn = _drawn()
    choice = None if drawn is None else DataChoice("session", drawn.name)
    return choice if choice is not None and is_here(choice) else None


def take(drawing: Drawing, labelled: bool) -> DataChoice:
    """Make data from a drawing, replace its earlier state, and return the choice that names them.

    Parameters
    ----------
    drawing : Drawing
        At least ``FEWEST`` points.
    labelled : bool
        Whether the colours are true labels.
    """
    before, kept = _drawn(), present()
    if before is not None and kept is not None and before.same(drawing, labelled):
        return kept
    labels = [COLOR_NAMES[color] for color in drawing.colors] if labelled else None
    replacing = "" if before is None else before.name
    choice = keep_session_dataset(from_points(drawing.points, labels), replacing, kind=DRAWN)
    st.session_state[_DRAWN] = _Drawn(choice.name, drawing, labelled)
    if replacing:
        st.session_state.setdefault(_EARLIER, set()).add(replacing)
    return choice


def is_earlier(choice: DataChoice) -> bool:
    """Return whether a choice names an earlier state of this session's drawing: an address lags behind the session."""
    return choice.name in st.session_state.get(_EARLIER, ()) and not is_here(choice)


def keep() -> None:
    """Store the chosen drawing in the browser's tab; call it last on a page."""
    drawn = _drawn()
    if drawn is None or not in_use(state.chosen_data()):
        return
    x, y = drawn.drawing.points.T.tolist()
    colors = drawn.drawing.colors.tolist()
    draw.keep_in_tab({"name": drawn.name, "labelled": drawn.labelled, "x": x, "y": y, "color": colors})


def bring_back(lost: DataChoice) -> DataChoice | None:
    """Find a drawing of an earlier session in the browser's tab, and put it on the canvas.

    Nothing else of the page is drawn until the browser has answered.

    Returns
    -------
    DataChoice or None
        The drawing under its new name, on the same axes; None if the tab does not have it.
    """
    found = draw.find_in_tab()
    if found is None:
        st.info("Your hand-drawn points are brought back from this browser tab …", icon=":material/draw:")
        st.stop()
    drawing = draw.read_drawing(found)
    if drawing is None or found.get("name") != lost.name or len(drawing.points) < FEWEST:
        return None
    labelled = bool(found.get("labelled"))
    draw.replace_drawing(CANVAS, drawing)
    state.put({LABELS: labelled})
    return replace(lost, name=take(drawing, labelled).name)


def ask_for_canvas() -> None:
    """Let the Data page open with the canvas."""
    st.session_state[_ASKED] = True


def canvas_asked() -> bool:
    """Return, once, whether the canvas was asked for."""
    return bool(st.session_state.pop(_ASKED, False))


def _drawn() -> _Drawn | None:
    held: Any = st.session_state.get(_DRAWN)
    return held
