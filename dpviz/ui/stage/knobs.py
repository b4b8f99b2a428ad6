"""Knobs at the picture of one run or of several: what the browser needs to answer them, and word of those at rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.live import Run, all_turned, facts_of, points_of, shared_knobs
from dpviz.ui import live
from dpviz.ui.live import Rest
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.state import of_session, remade
from dpviz.ui.shell import links


@dataclass(eq=False)
class Turned:
    """The knobs of a page.

    Attributes
    ----------
    answered : int
        Number of the last message of which the controls know.
    pictured : sequence of RunConfig, optional
        What the controls ask for since a knob came to rest, until its runs have arrived: the browser has drawn them.
    tracks : ndarray of int (N,), optional
        Numbers of the clusters that were seen then, of one run.
    """

    answered: int = 0
    pictured: Sequence[RunConfig] | None = None
    tracks: IntArray | None = None


def turned_on(page: str) -> Turned:
    """Return the knobs of a page."""
    return of_session(f"{page} knobs", Turned)


def facts(page: str, runs: Sequence[Run], whole: PreparedData, standing: str) -> dict[str, Any] | None:
    """Return what the player has to know; None for runs without knobs, and where a page of others shows them.

    Parameters
    ----------
    page : str
    runs : sequence of Run
    whole : PreparedData
        Data of all of them.
    standing : {"done", "running", "waiting"}
        As :func:`dpviz.live.facts_of` has it.
    """
    if links.layout() == "min" or any(run.config.is_automatic for run in runs):
        return None
    answered = turned_on(page).answered

    def told() -> dict[str, Any] | None:
        return facts_of(runs, whole.dataset.labels, answered, standing) if shared_knobs(runs) else None

    return remade(f"{page} facts", (whole, [run.config for run in runs], answered, standing), told)


def bring(
    page: str,
    runs: Sequence[Run],
    asked: Sequence[RunConfig],
    take: Callable[[list[RunConfig], Rest], None],
) -> None:
    """Bring the engine to the browser, with the points of the runs in the picture that it can compute.

    Parameters
    ----------
    page : str
    runs, asked : sequence of Run, sequence of RunConfig
        What is shown, and what the controls ask for.
    take : callable
        Called with what the controls are to ask for when a knob came to rest; the page then runs it.
    """
    live.bring(partial(_rest, page, runs, asked, take))
    live.bring_points_of(runs)


def _rest(
    page: str,
    runs: Sequence[Run],
    asked: Sequence[RunConfig],
    take: Callable[[list[RunConfig], Rest], None],
) -> None:
    rest = live.turned()
    if rest is None or not runs or rest.points != points_of(runs):
        return
    turned_on(page).answered = rest.number
    try:
        made = all_turned(runs, asked, rest.values)
    except DpvizError:
        return  # no knob of this page sends such a value
    take(made, rest)
