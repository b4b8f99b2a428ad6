"""The Challenges page: tasks to solve by drawing or by a setting, marked by runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import streamlit as st

from dpviz.course.challenges import GROUPS, MOST, Attempt, beat_the_nll, find_three, let_kmeans_win
from dpviz.datasets import synthesize
from dpviz.engine.algorithms.base import describe
from dpviz.errors import DpvizError
from dpviz.player import build_payload
from dpviz.player.notebook import Table
from dpviz.player.run_panel import panel
from dpviz.text import escape_markdown
from dpviz.ui.draw import Drawing, draw
from dpviz.ui.learn.marks import say_mark
from dpviz.ui.player import player
from dpviz.ui.session.kept import Kept
from dpviz.ui.shell import links
from dpviz.words import say, say_count

CANVAS = "challenge canvas"
HEIGHT = 380
N_EXAMPLE = 240


class Marked(NamedTuple):
    """What came of a try, and the film of its runs."""

    attempt: Attempt
    film: bytes


MARKED: Kept[Marked] = Kept(20_000_000)
"""For all sessions: a rerun of the page, and a class with one task, mark each try only once."""
_SOLVED = "challenges solved"
_FIRST_N0 = 100.0
VALUES = [float(f"{digit}e{power}") for power in range(-3, 3) for digit in (1, 1.5, 2, 3, 5, 7)] + [1000.0]


@dataclass(frozen=True)
class Challenge:
    """A task.

    Attributes
    ----------
    name, title : str
    text : str
        What is to be done.
    attempt : callable
        Draws its controls and returns what came of them, or None while there is nothing to mark.
    example : callable or None
        Returns what would come of a drawing, for as long as there is none; of tasks that are drawn.
    widths : (int, int)
        Of the controls and of what came of them, relative to each other.
    """

    name: str
    title: str
    text: str
    attempt: Callable[[], Marked | None]
    example: Callable[[], Marked] | None = None
    widths: tuple[int, int] = (1, 1)


def _filmed(attempt: Attempt) -> Marked:
    """Make the film of the last two runs."""
    table = Table(attempt.dataset)
    panels = [panel(table, trace, describe(trace.config)) for trace in attempt.traces[-2:]]
    return Marked(attempt, build_payload(panels))


def _of_drawing(name: str, mark: Callable[[np.ndarray, np.ndarray], Attempt]) -> Marked | None:
    """Let the reader draw, and mark the drawing."""
    drawing: Drawing = draw(CANVAS)
    if len(drawing.points) == 0:
        return None
    key = (name, drawing.points.tobytes(), drawing.colors.tobytes())
    return MARKED.get(key, lambda: _filmed(mark(drawing.points, drawing.colors)))


def _example(name: str, mark: Callable[[np.ndarray, np.ndarray], Attempt]) -> Marked:
    """Mark a wide group beside two narrow ones: in their colours, or to beat the machine, in halves."""
    dataset = synthesize("spherical_unequal_radius", N_EXAMPLE, 0)
    assert dataset.labels is not None
    points, x = np.round(dataset.X, 2), dataset.X[:, 0]
    colors = dataset.labels if name == "win" else (x > np.median(x)).astype(np.int64)
    return MARKED.get(("example", name), lambda: _filmed(mark(points, colors)))


def _win() -> Marked | None:
    return _of_drawing("win", let_kmeans_win)


def _beat() -> Marked | None:
    return _of_drawing("beat", beat_the_nll)


def _three() -> Marked:
    seed = st.session_state.setdefault("challenge seed", 0)
    concentration = st.select_slider(
        say("challenges.n0"), VALUES, _FIRST_N0, key="challenge.n0", format_func=lambda n0: f"{n0:g}"
    )
    st.button(say("challenges.other_data"), key="challenge.dice", icon=":material/casino:", on_click=_throw)
    return MARKED.get(("three", concentration, seed), lambda: _filmed(find_three(concentration, seed)))


def _throw() -> None:
    st.session_state["challenge seed"] = st.session_state.get("challenge seed", 0) + 1


CHALLENGES = (
    Challenge(
        "win",
        say("challenges.win"),
        say("challenges.win_task"),
        _win,
        lambda: _example("win", let_kmeans_win),
    ),
    Challenge(
        "beat",
        say("challenges.beat"),
        say("challenges.beat_task"),
        _beat,
        lambda: _example("beat", beat_the_nll),
    ),
    Challenge(
        "three",
        say("challenges.find_three"),
        say("challenges.find_three_task", groups=GROUPS),
        _three,
        widths=(2, 5),
    ),
)


def show() -> None:
    """Draw the page."""
    st.markdown(f"#### {say('challenges.heading')}")
    by_title = {own.title: own for own in CHALLENGES}
    solved = _solved()
    st.caption(say_count("challenges.solved", len(solved), all=len(CHALLENGES)))
    chosen = st.segmented_control(
        say("challenges.choose"),
        list(by_title),
        default=CHALLENGES[0].title,
        key="challenge.chosen",
        format_func=lambda title: f"{title} ✓" if by_title[title].name in solved else title,
        label_visibility="collapsed",
    )
    challenge = by_title.get(chosen or "", CHALLENGES[0])
    st.markdown(f"**{escape_markdown(challenge.text)}**")
    left, right = st.columns(challenge.widths, gap="large")
    try:
        with left:
            marked = challenge.attempt()
    except DpvizError as error:
        right.info(escape_markdown(str(error)), icon=":material/draw:")
        return
    with right:
        if marked is None:
            st.info(say("challenges.draw", most=f"{MOST:,}"), icon=":material/draw:")
            _show_example(challenge)
        else:
            _show(challenge, marked)
    if marked is not None and marked.attempt.is_solved and challenge.name not in solved:
        solved.add(challenge.name)
        st.rerun()  # the tick is above


def _solved() -> set[str]:
    """Names of the challenges that this session has solved."""
    solved: set[str] = st.session_state.setdefault(_SOLVED, set())
    return solved


def _show(challenge: Challenge, marked: Marked) -> None:
    """Say what the runs say, and play them."""
    say_mark(marked.attempt.is_solved, marked.attempt.words, ":material/emoji_events:")
    _play(marked, f"player.challenge.{challenge.name}")


def _show_example(challenge: Challenge) -> None:
    """Show what would come of a drawing, without a mark."""
    if challenge.example is None:
        return
    marked = challenge.example()
    st.caption(escape_markdown(say(f"challenges.example_{challenge.name}", said=marked.attempt.words)))
    _play(marked, f"player.example.{challenge.name}")


def _play(marked: Marked, key: str) -> None:
    last = max(trace.n_sweeps for trace in marked.attempt.traces[-2:])
    player(marked.film, sweep=last, key=key, height=HEIGHT, scale=links.player_scale())
