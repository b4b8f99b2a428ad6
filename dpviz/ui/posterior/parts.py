"""Results that a tab computes from draws on request: once, in steps, in the background unless quick."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Hashable
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from dpviz.fit.timing import NOTHING
from dpviz.text import counted
from dpviz.ui.controls.computed import standing, start_button
from dpviz.ui.posterior.findings import Pooled
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session import computation
from dpviz.ui.session.background import Stage
from dpviz.ui.session.computation import Computation, Done
from dpviz.ui.session.state import remade
from dpviz.ui.session.tasks import Staged

Result = TypeVar("Result")
_PLACES, _POOLED = "posterior part ", "posterior pooled"
QUICK_LABELS = 300_000
"""Draws × points up to which a tab is computed before it is drawn, within about a second."""


def computed(
    kind: str, key: Hashable, begin: Callable[[], Generator[Stage, None, Result]], n_labels: int
) -> Result | None:
    """Return a result, or draw its progress and return None.

    Parameters
    ----------
    kind : str
        A session holds one result of each kind.
    key : hashable
        Everything that defines it.
    begin : callable
        Returns a generator of stages whose return value is the result.
    n_labels : int
        Draws × points.
    """
    asked = _asked(kind, key, begin, math.inf if n_labels <= QUICK_LABELS else 0.0)
    outcome = standing(asked, f"posterior.stop.{kind}")
    if not isinstance(outcome, Done):
        return None
    if outcome.stopped:
        st.caption("Stopped before it was done.")
        start_button("Go on", asked, f"posterior.go.{kind}")
    result: Result | None = outcome.result
    return result


def _asked(
    kind: str, key: Hashable, begin: Callable[[], Generator[Stage, None, Any]], at_once: float = 0.0
) -> Computation:
    """Return what computes a result, whose work is not estimated: it starts by itself."""
    return Computation(f"{_PLACES}{kind}", key, lambda: Staged(begin), NOTHING, at_once=at_once)


def pooled(sampled: Sampled, burn_in: int) -> Pooled:
    """Pool the draws of all chains; again only if chains or burn-in change.

    Raises
    ------
    InvalidParameterError
        If no draw is left.
    """
    return remade(_POOLED, (sampled, burn_in), lambda: Pooled.of(sampled, burn_in))


def draws_in_words(found: Pooled) -> str:
    """Say how many draws and chains a result is computed from."""
    return (
        f"{counted(found.draws.n_draws, 'draw')}, as many of each of {counted(len(np.unique(found.chains)), 'chain')}"
    )


def known(kind: str, key: Hashable) -> Any:
    """Return the result computed earlier under this key, else None."""
    outcome = computation.look(_asked(kind, key, _nothing))
    return outcome.result if isinstance(outcome, Done) else None


def _nothing() -> Generator[Stage, None, None]:
    yield from ()


def forget() -> None:
    """Stop all computations on draws that are no longer shown."""
    computation.leave_all(_PLACES)
