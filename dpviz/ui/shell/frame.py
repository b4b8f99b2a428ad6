"""What Streamlit's frame around the pages lacks in the browser.

An address that a page completes is no step of the history, so that one press leads back; the rooms of the navigation
are groups to assistive technology, too.
"""

from __future__ import annotations

from pathlib import Path

from dpviz.ui.mounting import component
from dpviz.ui.shell import navigation

_SCRIPT = Path(__file__).parent / "assets" / "frame.js"


def mend(title: str) -> None:
    """Mend the frame, once per browser tab, and mark where the page of this title is; it shows nothing."""
    here = next((page.room or page.title for page in navigation.PAGES.values() if page.title == title), title)
    _component()(key="frame", data={"here": here})


_component = component("dpviz_frame", lambda: _SCRIPT.read_text(encoding="utf-8"))
