"""Knobs at the plot, answered in the browser while they move by the engine's own kernels.

Public interface
----------------
``knobs_of(config, X) -> tuple of Knob``
    What can be turned of a run; ``values_of(config, knobs)`` where the knobs stand, and
    ``turned(config, settings, values)`` the settings with other values.
``why_not(config, X) -> str``
    Why the browser cannot compute a configuration, in a sentence; empty if it can.
``draft_of(config, n_points) -> dict``
    What the browser computes while a knob moves, as a configuration that knobs complete: the whole run where that is
    quick, else without the search and the later sweeps that the server adds when the knob rests.
``Run(config, X)``, ``shared_knobs(runs)``, ``all_turned(runs, settings, values)``
    The same for several runs that are shown together.
``facts_of(runs, ...) -> dict``
    All of this for the script of the page.

The script's modules that the laboratory, the course and the Streamlit pages share are in ``dpviz/stage``.
"""

from __future__ import annotations

from dpviz.live.facts import MOST_POINTS, draft_of, facts_of, points_of, why_not
from dpviz.live.knobs import Knob
from dpviz.live.shared import Run, SharedKnob, all_turned, shared_knobs
from dpviz.live.turning import knobs_of, turned, values_of

__all__ = [
    "MOST_POINTS",
    "Knob",
    "Run",
    "SharedKnob",
    "all_turned",
    "draft_of",
    "facts_of",
    "knobs_of",
    "points_of",
    "shared_knobs",
    "turned",
    "values_of",
    "why_not",
]
