"""A computation on a page, the same on each: begun by a button, watched until it is over, and why it failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dpviz.text import escape_markdown
from dpviz.ui.session import computation
from dpviz.ui.session.background import watch
from dpviz.ui.session.computation import Computation, Failed, Outcome, Running
from dpviz.ui.session.tasks import Gathered


def standing(
    wanted: Computation, stop: str, draw: Callable[[Any], None] = lambda _: None, **watching: Any
) -> Outcome | None:
    """Return how a computation stands; None while it runs, with its progress on the page. Why it failed is said.

    Parameters
    ----------
    wanted : Computation
    stop : str
        Key of the button that stops it.
    draw : callable
        Given its latest picture while it runs; of results one by one those there are, once there is one.
    **watching
        Further arguments of :func:`~dpviz.ui.session.background.watch`.
    """
    outcome = computation.wanted(wanted)
    if isinstance(outcome, Running):
        task = outcome.work.task

        def gathered(_: Any) -> None:
            if task.result:
                draw(list(task.result))

        watch(outcome.work, gathered if isinstance(task, Gathered) else draw, key=stop, **watching)
        return None
    if isinstance(outcome, Failed):
        st.error(escape_markdown(outcome.message), icon=":material/error:")
    return outcome


def say_it_waits(words: str) -> None:
    """Say of a computation that takes long that it waits for the reader, in plain words."""
    st.info(escape_markdown(words), icon=":material/hourglass_empty:")


def start_button(words: str, wanted: Computation, key: str, *others: str, **layout: Any) -> None:
    """Draw a button that begins a computation, or goes on with it; nothing runs meanwhile in ``others``."""
    layout = {"icon": ":material/play_arrow:", **layout}
    st.button(words, key=key, on_click=computation.start, args=(wanted, *others), **layout)
