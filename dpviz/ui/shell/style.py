"""How pages are laid out: rules of every page, of the layouts that an address may ask for, and of single pages."""

from __future__ import annotations

from dpviz.ui.shell import navigation

_READABLE = """
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] * {color: inherit; opacity: 1}
[data-testid="stSliderThumbValue"], [data-testid="stSliderThumbValue"] * {color: CanvasText !important}
[data-testid="stButtonGroup"] button[data-selected="true"] p {color: CanvasText}
@media (hover: none) {.modebar-container {display: none}}
[data-testid="stElementToolbarButton"]:has([aria-label^="Download as CSV"]) {display: none}
"""
"""The last rule hides Streamlit's own download of every table, which writes formulas as they are."""
_COMPACT = """
.st-key-frame {display: none}
.stMain .stMainBlockContainer {
  padding: 3.2rem clamp(0.75rem, 2vw, 3rem) 2rem; width: 100%; max-width: initial; min-width: auto
}
@media (max-width: 48rem) {.stMain .stMainBlockContainer {padding-top: 4rem}}
"""
"""Narrow margins leave room for plots; on a phone the title starts below the header."""
_MINIMAL = """
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"], [data-testid="stExpandSidebarButton"],
[data-testid="stHeader"] {display: none}
.stMain .stMainBlockContainer {padding: 0.5rem 1rem}
"""
_LARGE_TYPE = """
html {font-size: 125%}
.stMain .stMainBlockContainer {padding: 3.2rem 1rem 0}
.stMainBlockContainer [data-testid="stVerticalBlock"] {gap: 0.6rem}
"""
_STILL = """
.stAppSkeleton, .stAppViewContainer > :has(> .stMain) {visibility: hidden}
.stMain:has([data-testid="stElementContainer"]:not(.st-key-frame)), .stAppViewContainer > * > :not(.stMain) {
  visibility: visible
}
"""
"""Nothing is seen before a page has begun to say where it is: the sidebar would push it aside."""


def of_layout(layout: str) -> str:
    """Return the rules of every page in a layout, as HTML."""
    return _html(_rules() + {"min": _MINIMAL, "present": _LARGE_TYPE}.get(layout, ""))


def first_paint() -> str:
    """Return the rules that hold before a page has drawn anything, as HTML."""
    return _html(_rules() + _STILL)


def _rules() -> str:
    return "".join([_READABLE, _COMPACT, *(page.style for page in navigation.PAGES.values())])


def _html(rules: str) -> str:
    return f"<style>{rules}</style>"
