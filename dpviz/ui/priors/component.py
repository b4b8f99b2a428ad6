"""Restaurants that fill up, and curves, on a Streamlit page: the data for the browser, and what it returns."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.prior_laws import seat
from dpviz.arrays import FloatArray, IntArray
from dpviz.partition import PartitionPrior
from dpviz.player import CLUSTER_COLORS
from dpviz.player.assets import player_styles
from dpviz.player.blocks import envelope
from dpviz.scripts import script
from dpviz.ui.mounting import component, nothing
from dpviz.ui.priors.dials import Dial

_STYLES = Path(__file__).parent / "assets" / "restaurant.css"
FIRST = 30
"""Most customers who sit when restaurants open: there is something to see, and Play seats the others."""
_DIGITS = 12
"""Significant digits of the weights sent to the browser."""


def panel_of(prior: PartitionPrior, n_points: int, seed: int, sequential: bool, title: str) -> dict[str, Any]:
    """Describe one restaurant for the browser.

    Parameters
    ----------
    prior : PartitionPrior
    n_points : int
        Customers.
    seed : int
        All restaurants of one seed use the same random numbers, customer by customer.
    sequential : bool
        Whether customers of an inconsistent prior are seated one by one; otherwise its points are a draw at fixed N.
    title : str

    Returns
    -------
    dict
        ``labels``; ``join`` and ``open``, log weights by size from 1 and by number of tables from 0; ``seats``, instead
        of them, the probabilities of the next seat after 0 … N customers if these have weights of their own; all None
        if the next seat has no such law; ``shares`` of the tables in the long run with the rest for new ones, or None;
        ``expected`` numbers of tables after 0 … N customers, or None; ``title`` and ``note``.
    """
    consistent = prior.reduced().consistent
    one_by_one = consistent or sequential
    by_tables = one_by_one and prior.constant_tables
    labels = seat(prior, n_points, seed, one_by_one)
    shares = long_run_shares(prior.reduced(), np.bincount(labels).tolist(), seed) if consistent else None
    return {
        "labels": labels.tolist(),
        "join": _rounded(prior.join_table(n_points)[1:]) if by_tables else None,
        "open": _rounded(prior.open_table(n_points)) if by_tables else None,
        "seats": _seats(prior, labels) if one_by_one and not by_tables else None,
        "shares": None if shares is None else _rounded(shares),
        "expected": _rounded(prior.mean_n_clusters_up_to(n_points)) if consistent else None,
        "title": title,
        "note": _note(consistent, sequential, n_points),
    }


def _seats(prior: PartitionPrior, labels: IntArray) -> list[list[float | None]]:
    """Probabilities of the next seat after 0 … N customers, each table's and last a new one's."""
    seated = [np.bincount(labels[:customers]) for customers in range(len(labels) + 1)]
    return [_rounded(prior.seat_probabilities(sizes)) for sizes in seated]


def long_run_shares(prior: PartitionPrior, sizes: Sequence[int], seed: int) -> FloatArray:
    """Draw the tables' shares (K + 1,) after infinitely many customers, given those seated; the last is the rest."""
    shares = prior.sample_weights(len(sizes), np.random.default_rng([seed, 1]), sizes)
    return np.append(shares, max(1 - shares.sum(), 0.0))


def _note(consistent: bool, sequential: bool, n_points: int) -> str:
    if consistent:
        return "Gibbs sampling and MAP-DP expect clusters of these sizes before they see the data."
    if sequential:
        return "Seated one by one: not what Gibbs sampling and MAP-DP expect, which is drawn for all customers at once."
    return f"Drawn for all {n_points} customers at once, as Gibbs sampling and MAP-DP expect them, shown one by one."


def _rounded(values: FloatArray) -> list[float | None]:
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in values]


def restaurants(
    panels: Sequence[dict[str, Any]],
    key: str,
    dials: Sequence[Dial] = (),
    films: Mapping[str, Any] | None = None,
    on_turn: Callable[[], None] | None = None,
) -> int:
    """Show restaurants side by side under one playhead, and return its last position.

    Parameters
    ----------
    panels : sequence of dict
        Results of :func:`panel_of`, at least one, with the same number of customers.
    key : str
        Names these restaurants within the session.
    dials : sequence of Dial
        Sliders above them.
    films : mapping, optional
        What they show at each position of a dial; see :func:`~dpviz.ui.priors.dials.films_of`.
    on_turn : callable, optional
        Called when a dial came to rest, before the script runs; :func:`turned` then tells where.

    Returns
    -------
    int
        Customers seated, 0 … N.
    """
    n_points = len(panels[0]["labels"])
    first = min(FIRST, n_points)
    memory = st.session_state.setdefault(f"{key} playhead", {"opening": first, "shown": first})
    if key not in st.session_state:  # the page was just opened: only the session still has the playhead
        memory["opening"] = memory["shown"]
    sent = _told(panels, dials) | {"n": n_points, "customer": memory["opening"]}
    result = _component()(
        key=key, data=envelope(sent, _packed(films)), on_customer_change=nothing, on_turned_change=on_turn or nothing
    )
    shown = result.get("customer")
    if type(shown) is int:
        memory["shown"] = min(max(shown, 0), n_points)
    return int(min(memory["shown"], n_points))


def keep_playhead(key: str) -> None:
    """Let restaurants that are not shown open where they were left, also if the script is cut short meanwhile."""
    memory = st.session_state.get(f"{key} playhead")
    if memory is not None:
        memory["opening"] = memory["shown"]


def curves(
    axes: Mapping[str, Any],
    panels: Sequence[dict[str, Any]],
    key: str,
    dials: Sequence[Dial],
    on_turn: Callable[[], None],
) -> str:
    """Show a curve of each prior in one chart, and return what :func:`bring_films` has to know of it.

    Parameters
    ----------
    axes : mapping
        ``x`` and ``y`` in words, and ``log`` if both are logarithmic.
    panels : sequence of dict
        ``title``, ``said`` of it, ``values`` at x = 1, 2, … and, where there are some, ``marks`` and ``open`` marks,
        pairs of x and y.
    key, dials, on_turn
        As for :func:`restaurants`.
    """
    sent = _told(panels, dials) | {"axes": dict(axes), "name": key}
    _component()(key=key, data=envelope(sent, b""), on_turned_change=on_turn)
    return str(sent["id"])


def bring_films(key: str, identity: str, films: Mapping[str, Any]) -> None:
    """Bring what curves show at each position of their dials, which may take a moment to make."""
    header = {"later": True, "name": key, "id": identity}
    _component()(key=f"{key} films", data=envelope(header, _packed(films)))


def _told(panels: Sequence[dict[str, Any]], dials: Sequence[Dial]) -> dict[str, Any]:
    palette = {name: list(colors) for name, colors in CLUSTER_COLORS.items()}
    written = [dial.written() for dial in dials]
    identity = hashlib.blake2b(json.dumps([panels, written]).encode(), digest_size=8).hexdigest()
    return {"panels": list(panels), "palette": palette, "id": identity, "dials": written}


def _packed(films: Mapping[str, Any] | None) -> bytes:
    return zlib.compress(json.dumps(films or {}).encode())


def turned(key: str, dials: Sequence[Dial]) -> tuple[Dial, float] | None:
    """Return the dial that just came to rest, and its value; None for anything that no dial sends."""
    state = st.session_state.get(key)
    event = None if state is None else state.get("turned")
    if not isinstance(event, Mapping):
        return None
    place = event.get("place")
    for dial in dials:
        if dial.name == event.get("name") and type(place) is int and 0 <= place < len(dial.values):
            return dial, dial.values[place]
    return None


_component = component(
    "dpviz_priors", lambda: script("priors"), lambda: player_styles() + _STYLES.read_text(encoding="utf-8")
)
