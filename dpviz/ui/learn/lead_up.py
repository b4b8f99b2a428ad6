"""The way back up: on a phone the button that reveals is far below what it reveals."""

from __future__ import annotations

from dpviz.ui.mounting import component

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


_component = component("dpviz_lead_up", lambda: _SCRIPT)
