"""How pages are laid out: rules of every page, of the layouts that an address may ask for, and of single pages."""

from __future__ import annotations

from dpviz.ui.shell import navigation

_READABLE = """
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] * {color: inherit; opacity: 1}
[data-testid="stSliderThumbValue"], [data-testid="stSliderThumbValue"] * {color: CanvasText !important}
[data-testid="stButtonGroup"] button[data-selected="true"] p {color: CanvasText}
.js-plotly-plot :is(.xtick, .ytick, .g-xtitle, .g-x2title, .g-ytitle, .g-y2title, .annotation) text,
.js-plotly-plot .bartext-outside {
  fill: color-mix(in srgb, CanvasText 78%, Canvas) !important
}
[data-testid="stTopNav"] [aria-current="true"] {box-shadow: inset 0 -2px currentColor; border-radius: 0}
[data-testid="stTopNav"] [aria-current="true"] :is(p, span) {font-weight: 600}
.stMain [data-testid="stMarkdownContainer"] > p {max-width: 75ch}
.st-key-terms details {border: 0}
.st-key-terms p {font-size: 0.875rem}
[data-stale="true"]:is(.st-key-explore-player, .st-key-compare-runs) {
  position: relative; opacity: 1 !important; filter: grayscale(1); transition: filter 0.2s 0.5s
}
[data-stale="true"]:is(.st-key-explore-player, .st-key-compare-runs)::after {
  content: ""; position: absolute; inset: 0 0 auto; height: 3px; transform-origin: left;
  background: CanvasText; opacity: 0.6; animation: dpviz-wait 1.6s 0.5s ease-in-out infinite backwards
}
@keyframes dpviz-wait {from {transform: scaleX(0)} to {transform: scaleX(1); opacity: 0}}
@media (prefers-reduced-motion: reduce) {[data-stale="true"]::after {animation-duration: 0s !important}}
.js-plotly-plot .modebar-group {background-color: Canvas !important}
@media (hover: none) {.modebar-container {display: none}}
[data-testid="stElementToolbarButton"]:has([aria-label^="Download as CSV"]) {display: none}
"""
"""While a page waits, the picture keeps its points, in grey, and a bar at its top runs: a pale picture shows nothing.

The last rule hides Streamlit's own download of every table, which writes formulas as they are.
"""
_COMPACT = """
.st-key-frame {display: none}
.stMain .stMainBlockContainer {
  padding: 3.2rem clamp(0.75rem, 2vw, 3rem) 2rem; width: 100%; max-width: initial; min-width: auto
}
@media (max-width: 48rem) {.stMain .stMainBlockContainer {padding-top: 4rem}}
@media (max-width: 40rem) {.stMain [data-testid="stHorizontalBlock"] {row-gap: 1rem}}
"""
"""Narrow margins leave room for plots; on a phone the title starts below the header, and columns, which stand one below
the other there, are no further apart than all else.
"""
_MINIMAL = """
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"], [data-testid="stExpandSidebarButton"],
[data-testid="stHeader"] {display: none}
.stMain .stMainBlockContainer {padding: 0.5rem 1rem}
"""
_LARGE_TYPE = """
html:root {font-size: 125%}
.stMain .stMainBlockContainer {padding: 3.2rem 1rem 0}
.stMainBlockContainer [data-testid="stVerticalBlock"] {gap: 0.6rem}
"""
_STILL = """
.stAppSkeleton, .stAppViewContainer {visibility: hidden}
:root .stAppViewContainer * {visibility: inherit}
.stAppViewContainer:has([data-testid="stElementContainer"]:not(.st-key-frame)) {animation: dpviz-show 0s 5s forwards}
@keyframes dpviz-show {to {visibility: visible}}
"""
"""Nothing is seen before a page stands: the sidebar would push it aside, and controls grow as they are loaded.

The frame takes these rules away then. What is on the way for longer is seen as it comes.
"""
UNTIL_IT_STANDS = "dpviz-until-it-stands"
"""Class of the rules that the frame takes away once the page has drawn itself."""
_LAYOUTS = {"min": _MINIMAL, "present": _LARGE_TYPE}


def of_layout(layout: str) -> str:
    """Return the rules of every page in a layout, as HTML."""
    return f"<style>{_rules()}{_LAYOUTS.get(layout, '')}</style>"


def first_paint(layout: str) -> str:
    """Return the rules that hold before a page has drawn anything, in the layout of its address, as HTML."""
    first = f'<style class="{UNTIL_IT_STANDS}">{_LAYOUTS.get(layout, "")}{_STILL}</style>'
    return f"<style>{_rules()}</style>{first}"


def _rules() -> str:
    return "".join([_READABLE, _COMPACT, *(page.style for page in navigation.PAGES.values())])
