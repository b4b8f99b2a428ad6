"""Drawings in the browser tab's storage: they survive a reload, which ends the session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpviz.ui.mounting import component, nothing

_SCRIPT = Path(__file__).parent / "assets" / "keep.js"
_STORAGE = "dpviz drawing in use"


def keep_in_tab(kept: Mapping[str, Any]) -> None:
    """Write to the tab's storage; call it on every run of the page, since the browser may have missed the last one."""
    _component()(key="keep drawing", data={"storage": _STORAGE, "kept": kept}, on_found_change=nothing)


def find_in_tab() -> Mapping[str, Any] | None:
    """Ask the browser for the stored drawing.

    Returns
    -------
    mapping or None
        Unchecked data from the browser, empty if nothing was stored; None until it has answered.
    """
    found = _component()(key="find drawing", data={"storage": _STORAGE}, on_found_change=nothing).get("found")
    return found if isinstance(found, Mapping) or found is None else {}


_component = component("dpviz_kept_drawing", lambda: _SCRIPT.read_text(encoding="utf-8"))
