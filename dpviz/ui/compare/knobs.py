"""Knobs above the compared runs: what the browser needs to answer them, and what the panels become when one rests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.live import Run, all_turned, facts_of, points_of, shared_knobs
from dpviz.ui import live
from dpviz.ui.session import naming
from dpviz.ui.shell import links
from dpviz.ui.stage import panels
from dpviz.ui.stage.plan import Plan
from dpviz.ui.stage.runs import Picture

_SHOWN, _ANSWERED, _TURNED = "compare knobs of", "compare knobs answered", "compare knobs turned"


def _runs(picture: Picture) -> list[Run]:
    return [Run(finished.config, finished.prepared.X) for _, finished in picture.runs]


def bring(picture: Picture, plan: Plan) -> None:
    """Bring the engine to the browser, with the points of the runs in the picture that it can compute."""
    st.session_state[_SHOWN] = (picture, plan)
    live.bring(_rest)
    live.bring_points_of(_runs(picture))


def facts(picture: Picture, standing: str) -> dict[str, Any] | None:
    """Return what the player has to know; None for runs without knobs, and where a page of others shows them.

    ``standing`` is "done", "running" or "waiting", as :func:`dpviz.live.facts_of` has it.
    """
    runs = _runs(picture)
    if links.layout() == "min" or not shared_knobs(runs):
        return None
    return facts_of(runs, picture.whole.dataset.labels, st.session_state.get(_ANSWERED, 0), standing)


def were_turned() -> bool:
    """Whether the settings are those of knobs whose runs are on their way: the picture is one that the browser made."""
    return bool(st.session_state.get(_TURNED, False))


def have_answered() -> None:
    """Note that the runs have arrived."""
    st.session_state[_TURNED] = False


def _rest() -> None:
    """Set the panels to where the knobs are; the page then runs what they ask for."""
    rest, shown = live.turned(), st.session_state.get(_SHOWN)
    if rest is None or shown is None:
        return
    picture, plan = shown
    runs = _runs(picture)
    if rest.points != points_of(runs) or len(plan.own) != len(picture.outcomes):
        return
    st.session_state[_ANSWERED] = rest.number
    places = [k for k, outcome in enumerate(picture.outcomes) if outcome.finished is not None]
    own = list(plan.own)
    asked = [own[k] for k in places]
    if not all(isinstance(config, RunConfig) for config in own):
        return  # a panel whose settings are invalid has to be mended first
    shift = rest.seed - runs[0].config.seed
    try:
        made = all_turned(runs, asked, rest.values)
    except DpvizError:
        return  # no knob of this page sends such a value
    for k, config in zip(places, made, strict=True):
        own[k] = config
    common = plan.common
    if common.seed is not None:
        common = replace(common, seed=(common.seed + shift) % 2**32)
    else:
        own = [replace(config, seed=(config.seed + shift) % 2**32) for config in own]
    st.session_state[_TURNED] = True
    panels.set_panels(own, common, naming.data_key(picture.choice))
