"""Choosing how clusters look, among the families whose columns can hold the data's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families import FAMILIES
from dpviz.families.automatic import AUTOMATIC, COUNTS, can_hold, candidates
from dpviz.fit.family import holds
from dpviz.periods import CIRCULAR, SHARE
from dpviz.shares import KINDS_OF_PARTS
from dpviz.ui.controls import widgets
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, complete_rows, prepare
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.state import settings
from dpviz.whole_numbers import WHOLE

ABOUT = (
    "How points scatter inside a cluster. Full covariance: ellipses of any direction; independent features: ellipses "
    "along the axes; automatic: whichever of these, or of Poisson and over-dispersed counts, reaches the lower nll; "
    "spherical: circles of one given width; known covariance: copies of one ellipse; mixed: every column by its own "
    "kind. Counts that vary more than Poisson's break up into many small clusters under it; over-dispersed counts have "
    "that spread inside a cluster, and nll compares the two."
)
REAL_FAMILY = "real"
REAL = "continuous"
"""Kind that the columns of any table of numbers can have."""

_POSSIBLE: Kept[bool] = Kept(1_000_000)
"""By family and data. A page asks for each of them in each script run, which Streamlit's own caches answer slowly."""


@cache
def family_title(name: str, counts: bool = False) -> str:
    """Name a family without the name of its prior; the automatic one by its candidates, for counts or real columns."""
    if name == AUTOMATIC:
        return f"Automatic: {'Poisson or over-dispersed' if counts else 'full or diagonal'}, by nll"
    return FAMILIES[name].title.partition(" (")[0]


def is_possible(name: str, choice: DataChoice, X: FloatArray) -> bool:
    """Return whether every value of the data has a density under a family."""
    return _POSSIBLE.get((name, choice), lambda: holds(name, X))


def family_control(
    key: str,
    prepared: PreparedData,
    begin: str = "",
    missing: str = "marginalise",
    algorithm: str = "",
    **layout: Any,
) -> str:
    """Choose a family that fits the data; one from a link is offered too, and refused when it is used.

    Parameters
    ----------
    key : str
        Of the control.
    prepared : PreparedData
    begin : str
        Initial choice, by default the usual one; the automatic choice is offered if either is it.
    missing : str
        Treatment of missing cells, if there are any; only "marginalise" needs a family that can leave them out.
    algorithm : str
        Algorithm that fills them in, if any: mapdp fills real columns only.
    **layout
        Passed on to the select box, such as its width.
    """
    possible = [name for name in FAMILIES if _can_hold(name, prepared, missing, algorithm)]
    usual = RunConfig().with_kinds(prepared.clustered.model_kinds).family
    begin = begin or usual
    in_use = settings().get(key, begin)
    offered = [name for name in FAMILIES if name in possible or name == in_use]
    automatic = AUTOMATIC in (usual, begin, in_use)
    if automatic and set(candidates(kinds_for(AUTOMATIC, prepared))) <= set(possible):
        offered.insert(0, AUTOMATIC)
    left_out = [name for name in FAMILIES if name not in possible]
    about = f"{ABOUT} {_why_left_out(left_out, prepared.choice)}".rstrip()
    titles = partial(family_title, counts=kinds_for(AUTOMATIC, prepared) is not None)
    chosen: str = widgets.select("Clusters look like", key, offered, begin, format_func=titles, help=about, **layout)
    if kinds_for(chosen, prepared) and not _in_own_units(prepared.choice) and set(prepared.dataset.kinds) != {REAL}:
        st.caption("Scaled columns all count as real. Without scaling (Data page), each has its own kind.")
    return chosen


def _can_hold(name: str, prepared: PreparedData, missing: str, algorithm: str) -> bool:
    """Return whether a family fits the data, with missing cells left out or filled in."""
    if FAMILIES[name].kind in (CIRCULAR, SHARE, *KINDS_OF_PARTS) and not can_hold(name, prepared.clustered.kinds):
        return False  # numbers alone do not say after what they begin again, nor what they are shares or parts of
    if missing == "marginalise" or not prepared.clustered.incomplete.any():
        return is_possible(name, prepared.choice, prepared.X)
    filled = complete_rows(prepare(replace(prepared.choice, fill=True)))
    modes = not ALGORITHMS[algorithm].minimises_nll or FAMILIES[name].kind == REAL_FAMILY
    leaves_out = missing == "auto" and is_possible(name, prepared.choice, prepared.X)
    return leaves_out or modes and is_possible(name, filled.choice, filled.X)


def kinds_for(family: str, prepared: PreparedData) -> tuple[str, ...] | None:
    """Return the kinds of the data's columns for a family that needs them."""
    kinds = prepared.clustered.kinds
    if family == AUTOMATIC:
        opened = prepared.clustered.model_kinds
        return opened if WHOLE in opened or candidates(kinds) == COUNTS else None
    return kinds if FAMILIES[family].prior_of_kinds(kinds) else None


def _why_left_out(names: Sequence[str], choice: DataChoice) -> str:
    """Say which families do not fit the data, and what values these need."""
    if not names:
        return ""
    needs: dict[str, list[str]] = {}
    for name in names:
        needs.setdefault(FAMILIES[name].support, []).append(FAMILIES[name].title.partition(",")[0].lower())
    said = "; ".join(f"{', '.join(titles)} (need {support})" for support, titles in needs.items())
    scaled = "" if _in_own_units(choice) else " Scaled columns and components are none of these."
    return f"Not for these data: {said}.{scaled}"


def _in_own_units(choice: DataChoice) -> bool:
    return choice.scaling == "none" and not choice.n_components
