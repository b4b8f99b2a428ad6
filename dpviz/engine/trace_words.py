"""What a run did, in words."""

from __future__ import annotations

import re

import numpy as np

from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.stored import MOVES
from dpviz.engine.trace import Trace
from dpviz.text import counted
from dpviz.words import say


def moves_in_words(trace: Trace) -> str:
    """Say how many moves of whole clusters of each kind a run made."""
    kinds = {
        "merge": ("merge", "merges"),
        "split": ("split", "splits"),
        "swap": ("rearrangement", "rearrangements"),
    }
    counts = {kind: sum(move == kind for _, move in trace.moves) for kind in MOVES}
    return ", ".join(f"{count} {kinds[kind][count > 1]}" for kind, count in counts.items() if count)


def rise_in_words(trace: Trace) -> str:
    """Say why the nll rose in a sweep, if it did in one; empty if it never rises, or nothing is said of its reason."""
    if not np.any(np.diff(trace.nll) > 0):
        return ""
    if ALGORITHMS[trace.config.algorithm].is_chain or trace.config.temperature:
        return say("player.may_rise")
    ended = trace.chosen_start < len(trace.starts)  # not while the restart is running whose trace this is
    start = trace.starts[trace.chosen_start].init if ended else ""
    if trace.nll[1] > trace.nll[0] and start == "single" and trace.config.first_sweep == "one_point":
        return say("player.rose_first")
    return ""


def final_start_in_words(trace: Trace) -> str:
    """Say so if a run of several starts shows nothing that moves, because the best start was final already."""
    if len(trace.starts) < 2 or not trace.converged or np.any(trace.n_moved) or trace.moves:
        return ""
    labels = re.fullmatch(r"kmeans\((\d+)\)", trace.starts[trace.chosen_start].init)
    best = f"the best, K-means with {labels[1]} clusters," if labels else "the best"
    return f"Found among {len(trace.starts)} starts: {best} was final already, so no point moves here."


def acceptance_in_words(trace: Trace) -> str:
    """Say how many of a chain's proposals to split or merge were accepted; empty if none was made."""
    if np.isnan(trace.acceptance_rate):
        return ""
    assert trace.n_accepted is not None
    n_proposed = trace.config.split_merge * trace.n_sweeps
    return f"{trace.acceptance_rate:.2%} of {n_proposed:,} proposals accepted ({trace.n_accepted.sum():,})"


def search_end_in_words(trace: Trace) -> str:
    """Say why an iterated search ended, and how much it did; empty if there was none."""
    if not trace.n_trial_sweeps:
        return ""
    ended = "its budget was spent" if trace.search_exhausted else "searches from different starts agreed on this result"
    work = counted(trace.n_trial_sweeps, "sweep")
    return f"The search for a lower cost ended because {ended}; it did the work of {work}."
