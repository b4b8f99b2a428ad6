"""Challenges: tasks whose solution is a drawing or a setting, and which are marked by runs on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from dpviz import metrics
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.course.chapters.shared import mapdp
from dpviz.datasets import Dataset, synthesize
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidDataError, require
from dpviz.fit.run import run
from dpviz.words import say, say_count

FEWEST, MOST = 10, 1_000
"""Points of a drawing that is marked."""
LEAD = 0.1
"""By how much the ARI of K-means has to be the larger one."""
EQUAL = 1e-6
"""Nats within which two partitions cost the same."""
GROUPS, N_POINTS = 3, 300


@dataclass(frozen=True, eq=False)
class Attempt:
    """What came of a try.

    Attributes
    ----------
    is_solved : bool
    words : str
        What the runs say.
    dataset : Dataset
        What they clustered.
    traces : tuple of Trace
    """

    is_solved: bool
    words: str
    dataset: Dataset
    traces: tuple[Trace, ...]


def _drawn(points: FloatArray, colors: IntArray) -> Dataset:
    """Check a drawing and return it with its colours as groups."""
    n = len(points)
    if not FEWEST <= n <= MOST:
        raise InvalidDataError(say_count("challenges.points_drawn", n, fewest=FEWEST, most=f"{MOST:,}"))
    groups = np.unique(colors, return_inverse=True)[1]
    if groups.max() == 0:
        raise InvalidDataError(say("challenges.one_colour"))
    if (points == points[0]).all():
        raise InvalidDataError(say("challenges.one_place"))
    return Dataset(X=points, name="drawing", title=say("challenges.drawing"), labels=groups)


def let_kmeans_win(points: FloatArray, colors: IntArray) -> Attempt:
    """Compare K-means and MAP-DP by how well they find the colours of a drawing.

    Parameters
    ----------
    points : ndarray of float, shape (n, 2)
    colors : ndarray of int, shape (n,)
        Groups as they are meant; K-means is told how many there are.

    Returns
    -------
    Attempt
        Solved if the ARI of K-means (ten starts) is larger by :data:`LEAD`.

    Raises
    ------
    InvalidDataError
        If there are too few or too many points, or only one colour.
    """
    dataset = _drawn(points, colors)
    assert dataset.labels is not None
    told = RunConfig("kmeans", n_clusters=int(dataset.labels.max()) + 1, n_init=10)
    traces = (run(dataset.X, told), run(dataset.X, mapdp(effort=0.05)))
    one, other = (metrics.ari(dataset.labels, trace.result_labels) for trace in traces)
    scores = say("challenges.scores", kmeans=one, mapdp=other, k=_k(traces[1]))
    solved = one >= other + LEAD
    advice = say("challenges.kmeans_wins") if solved else say("challenges.kmeans_not_ahead", lead=LEAD)
    return Attempt(solved, f"{scores} {advice}", dataset, traces)


def beat_the_nll(points: FloatArray, colors: IntArray) -> Attempt:
    """Compare the nll of a drawing's colours with that of MAP-DP's clusters.

    Parameters
    ----------
    points : ndarray of float, shape (n, 2)
    colors : ndarray of int, shape (n,)

    Returns
    -------
    Attempt
        Solved if the colours cost less than what one start from a single cluster finds; the words tell what the
        default search finds, and whether MAP-DP stays at the colours.

    Raises
    ------
    InvalidDataError
        If there are too few or too many points, or only one colour.
    """
    dataset = _drawn(points, colors)
    assert dataset.labels is not None
    own = run(dataset.X, mapdp(init=dataset.labels, n_init=1))
    single = run(dataset.X, mapdp(init="single", n_init=1))
    search = run(dataset.X, mapdp(effort=0.2))
    yours, theirs, best = float(own.nll[0]), float(single.nll[-1]), float(_lowest(search))
    words = say("challenges.costs", yours=yours, theirs=theirs, best=best)
    solved = yours < theirs - EQUAL
    if yours < best - EQUAL:
        words += " " + say("challenges.beats_search")
    elif abs(yours - best) <= EQUAL:
        words += " " + say("challenges.equals_search")
    elif own.n_moved[1:].any():
        words += " " + say("challenges.points_move")
    return Attempt(solved, words, dataset, (own, single, search))


def find_three(concentration: float, seed: int) -> Attempt:
    """Cluster three overlapping groups with a given N0.

    Parameters
    ----------
    concentration : float
        N0 of MAP-DP; from .001 to 1,000.
    seed : int
        Of the draw of the groups; ≥ 0.

    Returns
    -------
    Attempt
        Solved if there are three clusters, of which none is a single point.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its range.
    """
    require(0.001 <= concentration <= 1000.0, "concentration", concentration, "from 0.001 to 1000")
    dataset = overlapping(seed)
    trace = run(dataset.X, mapdp(concentration, effort=0.05))
    sizes = np.bincount(trace.result_labels)
    k, singles = len(sizes), int((sizes == 1).sum())
    solved = k == GROUPS and singles == 0
    found = say_count("challenges.found", k)
    if singles:
        found = say_count("challenges.found_with_singles", singles, found=found)
    words = say("challenges.with_n0", n0=concentration, found=found)
    return Attempt(solved, f"{words} {say('challenges.three')}" if solved else words, dataset, (trace,))


@cache
def overlapping(seed: int) -> Dataset:
    """Draw the three groups of :func:`find_three`."""
    return synthesize("elliptical_overlap", N_POINTS, seed)


def _k(trace: Trace) -> int:
    return len(np.unique(trace.result_labels))


def _lowest(trace: Trace) -> float:
    return float(trace.nll[trace.row(trace.result_sweep)])
