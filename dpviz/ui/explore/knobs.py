"""Knobs at the picture: what the browser needs to answer them, and what the controls become when one rests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dpviz
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.live import facts_of, knobs_of, turned, why_not
from dpviz.live.facts import points_id
from dpviz.ui import live
from dpviz.ui.controls import run_controls
from dpviz.ui.explore import edits
from dpviz.ui.explore.showing import showing
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.jobs import Finished


def bring(finished: Finished | None) -> None:
    """Bring the engine to the browser, and the points of the run that is shown if it can cluster them."""
    live.bring(_rest)
    if finished is not None and not why_not(finished.config, finished.prepared.X):
        live.bring_points(finished.prepared.X)


def facts(config: RunConfig, prepared: PreparedData, state: str) -> dict[str, Any] | None:
    """Return what the player has to know; None for a run without knobs."""
    if config.is_automatic or not knobs_of(config, prepared.X):
        return None
    return facts_of(config, prepared.X, prepared.dataset.labels, showing().answered, state)


def of_finished(finished: Finished) -> dict[str, Any] | None:
    """Return the facts of a run that is over; of the controls, if they have moved on and their run waits."""
    asked = showing().asked
    if asked is None or asked[1] == finished.settings:
        return facts(finished.config, finished.prepared, "done")
    config = asked[1]
    if config.is_automatic and config.algorithm == finished.config.algorithm:
        config = replace(config, family=finished.config.family, prior=finished.config.prior)
    return facts(config, finished.prepared, "waiting")


def _rest() -> None:
    """Set the controls to where the knobs are; the page then runs what they ask for."""
    rest, finished = live.turned(), showing().finished
    if rest is None or finished is None or rest.points != points_id(finished.prepared.X):
        return
    showing().answered = rest.number
    asked: tuple[DataChoice, RunConfig] = showing().asked or (finished.choice, finished.settings)
    knobs = knobs_of(finished.config, finished.prepared.X)
    try:
        settings = replace(turned(finished.config, asked[1], rest.values, knobs), seed=rest.seed)
    except DpvizError:
        return  # no knob of this page sends such a value
    n_points = len(finished.prepared.X)
    here = rest.tracks is not None and len(rest.tracks) == n_points
    showing().pictured = (settings, rest.tracks) if here and rest.tracks is not None else None
    if rest.start is not None and len(rest.start) == n_points:
        gone_on = _gone_on(finished, asked[0], settings, rest.start)
        if gone_on is not None:
            showing().restored = like_the_picture(gone_on)
            return
    run_controls.apply(settings, asked[0])


def _gone_on(finished: Finished, choice: DataChoice, settings: RunConfig, start: IntArray) -> Finished | None:
    """Go on from given clusters with what the knobs say; None if that takes long, or is not possible."""
    known = {"family": finished.config.family, "prior": finished.config.prior} if settings.is_automatic else {}
    config = edits.continued(replace(settings, **known), start)
    if jobs.estimate_on(config, finished.prepared.X).operations >= jobs.QUICK_OPERATIONS:
        return None
    try:
        trace = dpviz.run(finished.prepared.X, config)
    except DpvizError:
        return None
    return Finished(choice, config, finished.prepared, trace, asked=settings)


def like_the_picture(finished: Finished) -> Finished:
    """Give the clusters of a run the colours that they have in the picture that a knob has drawn."""
    pictured = showing().pictured
    if pictured is None or pictured[0] != finished.settings or len(pictured[1]) != len(finished.prepared.X):
        return finished
    showing().pictured = None
    return replace(finished, like=pictured[1])
