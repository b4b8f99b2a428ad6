"""Long computations of the Predict page: gathered part by part, with one computation per place on the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import streamlit as st

from dpviz.fit.timing import Estimate
from dpviz.ui.controls.computed import standing
from dpviz.ui.session import computation, jobs
from dpviz.ui.session.computation import Computation, Done, Waiting
from dpviz.ui.session.tasks import Gathered


def asked(
    place: str,
    key: Hashable,
    begin: Callable[[], Iterator[Any]],
    total: int,
    expected: Estimate,
    unasked: bool = False,
) -> Computation:
    """Return a computation in parts; a quick one finishes at once when it is started.

    Parameters
    ----------
    place : str
    key : hashable
        Everything that defines it.
    begin : callable
        Starts the generator of its parts.
    total : int
        Number of parts.
    expected : Estimate
        Of all of them.
    unasked : bool
        Whether it starts by itself.
    """
    is_quick = expected.operations <= jobs.QUICK_OPERATIONS  # one part may be long
    return Computation(
        f"predict.{place}",
        key,
        lambda: Gathered(lambda _: begin(), total, expected.operations),
        expected,
        unasked=math.inf if unasked else -1.0,
        at_once=jobs.QUICK_OPERATIONS if is_quick else 0.0,
    )


def show(wanted: Computation, total: int, draw: Callable[[Sequence[Any], int, bool], None]) -> bool:
    """Watch a computation, and draw its parts; return whether it was started.

    Parameters
    ----------
    wanted : Computation
        As :func:`asked` returns it.
    total : int
        Number of parts.
    draw : callable
        Given the parts so far, their final number, and whether more are coming; called with at least one.
    """
    place = wanted.place.removeprefix("predict.")
    outcome = standing(wanted, f"predict.stop.{place}", lambda found: draw(found, total, True))
    match outcome:
        case Done(result=parts, stopped=stopped):
            if stopped:
                left, right = st.columns([5, 1], vertical_alignment="center")
                left.caption(f"Stopped: {len(parts):,} of {total:,} parts were done.")
                right.button(
                    "Start over",
                    key=f"predict.again.{place}",
                    width="stretch",
                    on_click=computation.forget,
                    args=(wanted,),
                )
            if parts:
                draw(parts, total, False)
    return not isinstance(outcome, Waiting)
