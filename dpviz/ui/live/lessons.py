"""A lesson's twenty draws at its picture: the browser counts in how many the lesson is right, and asks for the rest.

What no browser computes is computed here when a reader asks for the count, once for all sessions.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

import numpy as np
import streamlit as st

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.course.draws import N_DRAWS, packed, titles_of, written_claims, written_run
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.player.blocks import envelope
from dpviz.scripts import script
from dpviz.ui.mounting import component
from dpviz.ui.session.background import TICK_SECONDS, Work
from dpviz.ui.session.chosen_data import prepare
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.session.tasks import Gathered
from dpviz.words import say

_ASKED = "lesson_draws.asked"
_works: dict[str, Work] = {}
_lock = Lock()


def bring_lesson(lesson: Lesson | None, player: str) -> None:
    """Let the reader of a lesson count in how many of twenty draws it is right.

    Parameters
    ----------
    lesson : Lesson or None
        Whose run or runs are in the picture.
    player : str
        Key of the player.
    """
    if lesson is None:
        return
    header = {"kind": "lesson", "player": player, "lesson": lesson.title}
    _component()(key=f"lesson.{lesson.title}", data=envelope(header, written(lesson)))
    places = lesson.on_server(_tables(lesson)[0])
    if places:
        _bring_found(lesson, places)


def ask(event: Any) -> None:
    """Note that a browser asks for what it cannot compute of a lesson."""
    asked = event.get("lesson") if isinstance(event, Mapping) else None
    if not isinstance(asked, str):
        return
    st.session_state[_ASKED] = asked
    with _lock:
        work = _works.get(asked)
        if work is not None and work.over and work.error:  # who asks once more tries once more
            del _works[asked]


def _bring_found(lesson: Lesson, places: list[int]) -> None:
    """Bring what is known of the draws; begin to compute it if the reader has asked."""
    work = _begun(lesson, places) if st.session_state.get(_ASKED) == lesson.title else _works.get(lesson.title)
    if work is None or (work.over and work.stopped):
        return
    if not work.over:
        _await(work)
    elif work.error:
        _found(lesson, {"fault": work.error}, b"")
    else:
        labels = work.task.result
        size = {"runs": places, "draws": N_DRAWS, "n_points": len(labels[0])}
        _found(lesson, size, np.concatenate(labels).astype("u1").tobytes())


def _begun(lesson: Lesson, places: list[int]) -> Work:
    """Begin to compute a lesson's draws, or join who has asked before: a class asks at the same time."""
    with _lock:
        work = _works.get(lesson.title)
        if work is None or (work.over and work.stopped):
            work = _works[lesson.title] = Work(served(lesson, places))
        return work


def _found(lesson: Lesson, about: dict[str, Any], content: bytes) -> None:
    header = {"kind": "found", "lesson": lesson.title, **about}
    _component()(key=f"found.{lesson.title}", data=envelope(header, zlib.compress(content)))


@st.fragment(run_every=TICK_SECONDS)
def _await(work: Work) -> None:
    """Draw the page again when it is over; the picture says that it is on its way."""
    work.look()
    if work.over:
        st.rerun()


def served(lesson: Lesson, places: list[int]) -> Gathered:
    """Return the task of the runs that no browser computes: labels (N,), run by run and in each draw by draw."""
    tables = _tables(lesson)

    def found(_: int) -> Iterator[IntArray]:
        draws = [lesson.draw(tables, number) for number in range(N_DRAWS)]
        return (draw.labels(place) for place in places for draw in draws)

    return Gathered(found, len(places) * N_DRAWS, words=lesson.title)


@functools.cache
def _tables(lesson: Lesson) -> list[Dataset]:
    return lesson.tables()


@functools.cache
def written(lesson: Lesson) -> bytes:
    """Write down a lesson's draws for ``trialOf``."""
    tables = _tables(lesson)
    places = lesson.on_server(tables[0])
    runs = [_run(config, place in places) for place, config in enumerate(lesson.quick_runs(0))]
    facts = {
        "title": lesson.title,
        "runs": runs,
        "claims": written_claims(lesson.claims, titles_of(lesson.runs)),
        "counted": _counted(lesson),
        "n_points": len(prepare(lesson.choice).X),
    }
    return packed(facts, tables)


def _run(config: RunConfig, is_served: bool) -> dict[str, Any]:
    own = {} if is_served else written_run(config)
    return {**own, "title": method_of(config).called, "served": is_served}


def _counted(lesson: Lesson) -> dict[str, Any]:
    """Say what is told of each draw: K of the first run that finds one, else how well the first run agrees."""
    tables = _tables(lesson)
    for place, config in enumerate(lesson.quick_runs(0)[: len(lesson.own)]):
        algorithm, title = ALGORITHMS[config.algorithm], method_of(config).called
        if not algorithm.cluster_count:
            words = say("lesson_draws.k_visited" if algorithm.is_chain else "lesson_draws.k_found", method=title)
            return {"quantity": "usual" if algorithm.is_chain else "n_clusters", "run": place, "words": words}
    title = method_of(lesson.own[0]).called
    if tables[0].labels is not None and len(np.unique(tables[0].labels)) > 1:
        return {"quantity": "ari", "run": 0, "words": say("lesson_draws.agreement", method=title)}
    return {"quantity": "n_clusters", "run": 0, "words": say("lesson_draws.k_given", method=title)}


_component = component("dpviz_lesson", lambda: script("lesson"))
