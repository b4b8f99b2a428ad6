"""Laws of a prior for the charts, cached so that a slider that moves back answers at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.prior_laws import central_range, growth_of_n_clusters, ranked_table_sizes, simulated_n_clusters
from dpviz.arrays import FloatArray, IntArray
from dpviz.figures.prior_laws import shown_counts
from dpviz.partition import PartitionPrior
from dpviz.ui.priors.component import bring_films, curves, turned
from dpviz.ui.priors.controls import dials_of, parameter_key, with_numbers
from dpviz.ui.priors.dials import films_of
from dpviz.ui.session import state
from dpviz.ui.session.kept import remembered

MOST_LIVE = 1_000
"""Points up to which the laws at all positions of the sliders are made before they move."""
MOST_RANKS = 200
"""Ranks of clusters that are shown."""

N_DRAWS = 300
"""Draws simulated for the law of K and for the sizes."""
N_SEATINGS = 100
"""Draws simulated for every N of the growth curve."""
MOST_BYTES = 20_000_000
"""Most bytes of the cached laws of each kind."""


def is_live(n_points: int) -> bool:
    """Whether laws of so many points answer while a slider moves; else they follow, which is said."""
    if n_points > MOST_LIVE:
        st.caption(f"With more than {MOST_LIVE:,} points the laws follow when a slider rests.")
    return n_points <= MOST_LIVE


def show_curves(
    key: str,
    axes: Mapping[str, Any],
    priors: Sequence[PartitionPrior],
    n_points: int,
    panel: Callable[[PartitionPrior], dict[str, Any]],
    more: Callable[[PartitionPrior], dict[str, Any]] = lambda _: {},
) -> Callable[[], None]:
    """Draw a curve of each prior under sliders.

    Parameters
    ----------
    key : str
    axes : mapping
        As :func:`~dpviz.ui.priors.component.curves` takes it.
    priors : sequence of PartitionPrior
    n_points : int
    panel : callable
        Returns the panel of a prior, at any position.
    more : callable
        What is in the panels of these priors beside that.

    Returns
    -------
    callable
        Makes the curves at all positions of the sliders, for which the rest of the page need not wait.
    """
    dials = dials_of([prior.name for prior in priors]) if n_points <= MOST_LIVE else []

    def rest() -> None:
        found = turned(key, dials)
        if found is not None:
            state.put({parameter_key(found[0].name): found[1]})

    shown = curves(axes, [panel(prior) | more(prior) for prior in priors], key, dials, rest)
    return lambda: bring_films(key, shown, films_of(dials, priors, panel))


@remembered(MOST_BYTES)
def count_panel(prior: PartitionPrior, n_points: int) -> dict[str, Any]:
    """Return the exact law of K as a curve."""
    exact = law(prior, n_points)
    counts = shown_counts([exact])
    lower, upper = central_range(exact)
    mean = float(np.arange(len(exact)) @ exact)
    said = f"{mean:.3g} clusters expected, 90 % in {lower} to {upper}"
    return {"title": with_numbers(prior), "said": said, "values": exact[counts].tolist()}


@remembered(MOST_BYTES)
def share_panel(prior: PartitionPrior, n_points: int, seed: int) -> dict[str, Any]:
    """Return mean shares by rank as a curve, of ranks that one draw in ten has."""
    drawn = ranked_sizes(prior, n_points, seed)
    kept = np.flatnonzero((drawn > 0).mean(axis=0) >= 0.1)[:MOST_RANKS]
    shares = drawn[:, kept].mean(axis=0) / n_points
    return {"title": with_numbers(prior), "said": f"the largest holds {shares[0]:.0%}", "values": shares.tolist()}


def share_of_draws(counts: IntArray) -> list[list[float]]:
    """Return the share of draws (S,) at each K that was drawn, as marks."""
    values, times = np.unique(counts, return_counts=True)
    return np.column_stack([values, times / len(counts)]).tolist()


@remembered(MOST_BYTES)
def law(prior: PartitionPrior, n_points: int) -> FloatArray:
    """Exact probability (N + 1,) of K = 0 … N."""
    return np.exp(prior.log_pmf_n_clusters(n_points))


@remembered(MOST_BYTES)
def simulated(prior: PartitionPrior, n_points: int, seed: int, sequential: bool) -> IntArray:
    """Drawn numbers of clusters (S,)."""
    return simulated_n_clusters(prior, [n_points], N_DRAWS, seed, sequential)[:, 0]


def numbers_of_points(n_points: int) -> list[int]:
    """Return numbers of points up to N, about evenly spaced in their logarithm."""
    return np.unique(np.round(np.geomspace(1, n_points, 14)).astype(int)).tolist()


@remembered(MOST_BYTES)
def exact_growth(prior: PartitionPrior, n_points: int) -> pd.DataFrame:
    """Exact E[K] and the central range of K up to N."""
    return growth_of_n_clusters(prior, numbers_of_points(n_points))


@remembered(MOST_BYTES)
def simulated_growth(prior: PartitionPrior, n_points: int, seed: int, sequential: bool) -> pd.DataFrame:
    """Mean of simulated K up to N, with its standard error."""
    asked = numbers_of_points(n_points)
    drawn = simulated_n_clusters(prior, asked, N_SEATINGS, seed, sequential)
    error = drawn.std(axis=0) / np.sqrt(N_SEATINGS)
    return pd.DataFrame({"n_points": asked, "mean": drawn.mean(axis=0), "error": error})


def ranked_sizes(prior: PartitionPrior, n_points: int, seed: int) -> IntArray:
    """Sizes (S, R) of clusters drawn at fixed N, from the largest down."""
    return ranked_table_sizes(prior, n_points, N_DRAWS, seed)
