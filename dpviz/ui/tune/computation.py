"""The computations of the Tune page: generators of results, offered or started, watched, cancelled and continued."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import streamlit as st

from dpviz.config import RunConfig
from dpviz.fit.timing import Estimate
from dpviz.ui.controls.computed import say_it_waits, standing, start_button
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.computation import Computation, Done, Failed, Waiting, expected_in_words
from dpviz.ui.session.tasks import Gathered

_ARRIVING, _LINKED, _PLACES = "tune arriving", "tune linked", "tune places"

Begin = Callable[[int], Iterator[Any]]
"""Given the number of jobs (as in joblib), starts a computation."""


def fingerprint(prepared: PreparedData) -> str:
    """Return a digest of the clustered numbers and the known groups: equal for equal data in any session."""
    digest = hashlib.blake2b(repr(prepared.X.shape).encode(), digest_size=16)
    digest.update(prepared.X.tobytes())
    labels = prepared.dataset.labels
    digest.update(b"" if labels is None else repr(labels.tolist()).encode())
    return digest.hexdigest()


def arrive(by_link: bool) -> None:
    """Note before a page is drawn whether a link leads to it; if so, only short computations start by themselves."""
    st.session_state[_ARRIVING] = by_link
    if by_link:
        st.session_state[_LINKED] = set()


def _largest_unasked(key: tuple[Hashable, ...]) -> float:
    """Most operations of a computation that starts by itself."""
    linked: set[tuple[Hashable, ...]] = st.session_state.setdefault(_LINKED, set())
    if st.session_state.get(_ARRIVING):
        linked.add(key)
    return min(jobs.UNASKED_BY_LINK, jobs.UNASKED_GRID) if key in linked else jobs.UNASKED_GRID


def show(
    key: tuple[Hashable, ...],
    begin: Begin,
    total: int,
    estimate: Estimate,
    draw: Callable[[Sequence[Any], bool], None],
    data: PreparedData,
    config: RunConfig,
) -> None:
    """Offer or start a computation, watch it, and draw its results.

    Parameters
    ----------
    key : tuple
        Everything that defines it, in any session: the name of its place on the page, the :func:`fingerprint` of the
        data, the settings. A finished computation is shown at once when it is requested again, after a reload as well.
    begin : callable
        Given the number of jobs, returns the generator of results.
    total : int
        Most results there will be.
    estimate : Estimate
        Of all results, on one core.
    draw : callable
        Given the results so far, their costs and densities in units of the table, and whether more will come; called
        only with at least one.
    data : PreparedData
        That are clustered.
    config : RunConfig
        The one that varies, for results that do not say theirs.
    """

    def shown(found: Sequence[Any], live: bool) -> None:
        draw([data.units.result(one, config) for one in found], live)

    place = f"tune.{key[0]}"
    places: set[str] = st.session_state.setdefault(_PLACES, set())
    places.add(place)
    asked = Computation(
        place,
        key,
        lambda: Gathered(begin, total, estimate.operations),
        estimate,
        unasked=_largest_unasked(key),
        shared=True,
    )
    others = places - {place}
    match standing(asked, f"tune.cancel.{key[0]}", lambda found: shown(found, True), stop_words="Cancel"):
        case Waiting():
            expected = expected_in_words(estimate)
            words = f"{total:,} steps, {expected}, and longer on a busy machine. They can be cancelled."
            say_it_waits(words)
            start_button("Run", asked, f"tune.run.{key[0]}", *others, type="primary")
        case Done(result=found, stopped=True):
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.caption(f"Cancelled: what is shown are the {len(found):,} of {total:,} steps that were done.")
            with right:
                start_button("Continue", asked, f"tune.continue.{key[0]}", *others, icon=None, width="stretch")
            if found:
                shown(found, False)
        case Done(result=found) | Failed(result=found) if found:
            shown(found, False)
