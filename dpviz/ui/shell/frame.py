"""What Streamlit's frame around the pages lacks in the browser.

An address that a page completes is no step of the history, so that one press leads back; the rooms of the navigation
are groups to assistive technology, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_SCRIPT = Path(__file__).parent / "assets" / "frame.js"


def mend() -> None:
    """Mend the frame, once per browser tab; it shows nothing."""
    _component()(key="frame")


@functools.cache
def _component() -> Callable[..., Any]:
    mount: Callable[..., Any] = st.components.v2.component("dpviz_frame", js=_SCRIPT.read_text(encoding="utf-8"))
    return mount
