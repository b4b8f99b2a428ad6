"""The first page: K-means and MAP-DP on the same points, one sentence, four doors."""

from __future__ import annotations

import streamlit as st

from dpviz.errors import TraceFormatError
from dpviz.film import DAMAGED
from dpviz.ui.shell import navigation
from dpviz.ui.start.component import hero

SENTENCE = "Told to find three groups, K-means cuts the wide one in two; MAP-DP, told nothing, finds them."
DOORS = (
    ("story", "Learn why", ":material/auto_stories:", None),
    ("explore", "Try it", ":material/tune:", None),
    ("data", "Draw points", ":material/draw:", {"way": "draw"}),
    ("data", "Your table", ":material/table_chart:", {"way": "load"}),
)
STYLE = """
.st-key-hero-sentence h4 {padding: 0.2rem 0 0.4rem}
.st-key-hero-place {
  --picture-height: clamp(160px, min(100vh - 24.7rem, 44vw), 1100px); min-height: calc(var(--picture-height) + 9rem)
}
.st-key-doors {display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); min-height: 3.4rem}
.st-key-doors a {
  border: 1px solid color-mix(in srgb, CanvasText 20%, transparent); border-radius: 0.6rem; min-height: 3.4rem;
  height: 100%; justify-content: center
}
.st-key-doors :has(a) {height: 100%}
.st-key-doors a:hover {border-color: var(--st-primary-color, #0072b2)}
.st-key-doors p {white-space: normal; text-align: center; line-height: 1.2; font-size: 1.05rem; font-weight: 600}
@media (max-width: 40rem) {
  .st-key-hero-place {
    --picture-height: clamp(120px, 50vh - 14.7rem, 70vw); min-height: calc(2 * var(--picture-height) + 9rem)
  }
  .st-key-doors {gap: 0.4rem; min-height: 4.4rem}
  .st-key-doors p {font-size: 0.875rem}
  .st-key-doors a {flex-direction: column; gap: 0; padding: 0.3rem 0.2rem; min-height: 4.4rem}
  .stMain {--sentence-size: clamp(0.9rem, 4.5vw, 1.25rem)}
  [data-testid="stLayoutWrapper"]:has(> .st-key-hero-sentence) {flex: none; height: calc(3.75 * var(--sentence-size))}
  .st-key-hero-sentence h4 {font-size: var(--sentence-size); padding: 0}
}
"""
"""The film's place is kept before the browser has made it, so that nothing moves when it comes."""


def show() -> None:
    """Draw the page."""
    with st.container(key="hero-sentence"):
        st.markdown(f"#### {SENTENCE}")
    with st.container(key="hero-place"):
        try:
            hero("hero")
        except TraceFormatError:
            st.info(DAMAGED)
    with st.container(horizontal=True, key="doors"):
        for name, words, icon, query in DOORS:
            navigation.door(name, words, icon, query)
