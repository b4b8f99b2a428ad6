"""The last ten runs of the session: what changed between them, faint copies of their curves, a way back to each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, describe, method_of
from dpviz.engine.options import OPTIONS, START_WORDS
from dpviz.engine.trace import Trace
from dpviz.families import FAMILIES
from dpviz.partition import PartitionPrior
from dpviz.shares import has_shares
from dpviz.text import counted, escape_markdown
from dpviz.ui.session.chosen_data import DataChoice, is_here
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.state import of_session

MOST_RUNS = 10
MOST_BYTES = 200_000_000
"""Bytes beyond which older runs are dropped, so that a session cannot fill the server."""
LARGEST = MOST_BYTES // 2
"""Bytes of a run above which it is not kept, since it would push out the others; only runs of millions of sweeps do."""
_RUNS, _GHOST = "runs of this session", "ghost of the previous run"


def runs() -> list[Finished]:
    """Return the runs of this session, the newest first."""
    return _kept().values()[::-1]


def _kept() -> Kept[Finished]:
    return of_session(_RUNS, lambda: Kept[Finished](MOST_BYTES, lambda run: run.n_bytes, MOST_RUNS, grow=True))


def _name(finished: Finished) -> tuple[DataChoice, RunConfig]:
    return finished.choice.data, finished.config


def same_run(one: Finished, other: Finished) -> bool:
    """Whether two are the same run, regardless of the axes shown and the clusters' names."""
    return _name(one) == _name(other)


def add(finished: Finished, is_shown: bool = True) -> bool:
    """Remember a run, if it is not too large, and say so if it is; a known run moves to the front.

    Of one that is not on the screen there is no way to its files. Runs whose data are gone are dropped.
    """
    let_go()
    if finished.n_bytes > LARGEST:
        words = f"{describe(finished.config)} is too large to be kept among the runs of this session"
        words += "; its JSON has all." if is_shown else ", and is gone."
        st.toast(escape_markdown(words), icon=":material/history:")
        return False
    _kept().put(_name(finished), finished)
    return True


def let_go() -> None:
    """Drop the runs whose data are gone."""
    for gone in [run for run in runs() if not is_here(run.choice)]:
        _kept().forget(_name(gone))


def with_names(finished: Finished) -> Finished:
    """Give a run the cluster names and the scale that the user chose when it was shown before."""
    before = next((run for run in runs() if same_run(run, finished)), None)
    if before is None or not np.array_equal(before.trace.labels, finished.trace.labels):
        return finished
    return replace(finished, names=before.names, scale=before.scale)


def update(finished: Finished) -> None:
    """Replace a run by itself with other axes or other names."""
    _kept().replace(_name(finished), finished)


def previous(finished: Finished) -> Finished | None:
    """Return the run before the one shown."""
    return next((run for run in runs() if not same_run(run, finished)), None)


def ghosts(finished: Finished) -> list[tuple[str, Trace]]:
    """Curves of the previous run, if the reader wants them and they have the same scale."""
    before = previous(finished)
    if before is None or not st.session_state.get(_GHOST, False) or not comparable(finished, before):
        return []
    return [(f"before: {describe(before.config)}", before.trace)]


def comparable(one: Finished, other: Finished) -> bool:
    """Whether two runs' nll curves are comparable in one chart: same clustered numbers, and both have an nll.

    That of a table whose missing cells are filled in is of other numbers than that of one whose cells are left out, and
    a coarsened likelihood is another one for every α.
    """
    filled = (one.trace.imputed is None) != (other.trace.imputed is None)
    if filled or one.config.coarsening != other.config.coarsening:
        return False
    with_nll = all(ALGORITHMS[run.config.algorithm].has_nll for run in (one, other))
    same_data = one.choice.data == other.choice.data
    return with_nll and same_data


def changes(old: Finished, new: Finished) -> list[str]:
    """Describe what differs between two runs' settings."""
    said = []
    if old.choice != new.choice:
        said.append(
            f"data: {old.prepared.dataset.title} → {new.prepared.dataset.title}"
            if old.choice.name != new.choice.name
            else "the data's settings"
        )
    before, after = method_of(old.config), method_of(new.config)
    if before != after:
        said.append(f"algorithm: {before.title} → {after.title}")
    given = {**old.config.to_dict(), **new.config.to_dict()}  # what follows from the algorithm is not listed
    both_have_models = all(run.config.uses_model for run in (old, new))
    ignored = {"version"} if both_have_models else {"version", "family", "prior", "kinds", "partition"}
    for name in [name for name in given if name not in ignored]:
        before, after = getattr(old.config, name), getattr(new.config, name)
        if name != "algorithm" and before != after:
            said.append(f"{WORDS.get(name, name.replace('_', ' '))}: {_short(name, before)} → {_short(name, after)}")
    return said


WORDS = {
    "family": "clusters look like",
    "partition": "partition prior",
    "prior": "prior of a cluster's shape",
    "init": "start",
    "n_init": "restarts",
    "n_clusters": "K",
    "n_components": "K",
    "penalty": "λ",
    "n_sweeps": "sweeps",
    "hyperpriors": "learned",
    "coarsening": "the model",
    "transform": "columns",
}


def _short(name: str, value: Any) -> str:
    if isinstance(value, PartitionPrior):
        return f"{value.title} ({value.describe()})"
    if name == "prior":
        return "the data's own" if value is None else f"{', '.join(parameter for parameter, _ in value)} changed"
    if name == "hyperpriors":
        return ", ".join(f"{parameter} ~ {law}" for parameter, law in value or ()) or "nothing"
    if name == "options":
        return ", ".join(f"{option} {setting}" for option, setting in value or ())
    if name == "coarsening":
        return "taken at its word" if value is None else f"coarsened at α = {value:.4g}"
    if name == "transform":
        word = value if isinstance(value, str) else "log-ratios" if has_shares(value) else "powers"
        return "as they are" if value is None else f"transformed ({word})"
    if value is None:
        return "automatic"
    if name == "family":
        return str(FAMILIES[value].title)
    if not isinstance(value, str):
        return f"{value:.4g}" if isinstance(value, float) else str(value) if isinstance(value, int) else "given labels"
    words = START_WORDS if name == "init" else dict(OPTIONS[name].choices) if name in OPTIONS else {}
    return words.get(value, value.replace("_", " "))


def show(finished: Finished, go_back: Callable[[Finished], None]) -> None:
    """List the runs, newest first."""
    kept = runs()
    with st.expander(f"Runs of this session ({len(kept)})"):
        if previous(finished) is not None:
            st.toggle(
                "Ghost of the previous run in the curves",
                key=_GHOST,
                help="Its curves are drawn faintly behind this run's, where both have an nll (−ln probability of data "
                "and clusters) on the same data.",
            )
        for number, run in enumerate(kept):
            trace, sweep = run.trace, run.trace.result_sweep
            nll = f", nll {trace.nll[sweep]:,.1f}" if ALGORITHMS[run.config.algorithm].has_nll else ""
            st.markdown(
                f"**{escape_markdown(describe(run.config))}** on "
                f"{escape_markdown(run.prepared.dataset.title)}: "
                f"K = {trace.n_clusters[sweep]}, {counted(trace.n_sweeps, 'sweep')}{nll}"
            )
            if number + 1 < len(kept):
                changed = changes(kept[number + 1], run)
                st.caption("Changed: " + escape_markdown("; ".join(changed)) if changed else "Nothing changed.")
            if not same_run(run, finished) and st.button("Back to this run", key=f"history.{number}"):
                go_back(run)
