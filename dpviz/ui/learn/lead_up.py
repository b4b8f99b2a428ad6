"""The way back up: on a phone the button that reveals is far below what it reveals."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st

_SCRIPT = """
export default function ({ data, parentElement }) {
  const host = parentElement.host ?? parentElement;
  const box = host.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
  const led = (globalThis.dpvizLedUp ??= new Set());
  const main = host.closest('[data-testid="stMain"]');
  if (led.has(data) || !main) return;
  led.add(data);
  main.scrollTo({ top: 0 });
}
"""


def lead_up(name: str) -> None:
    """Scroll to the beginning of the page, once for each name while the browser has the page open."""
    _component()(key=f"lead up {name}", data=name)


@functools.cache
def _component() -> Callable[..., Any]:
    mount: Callable[..., Any] = st.components.v2.component("dpviz_lead_up", js=_SCRIPT)
    return mount
