"""The last ten runs of the session: what changed between them, ghosts of their curves, one click back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import streamlit as st

from dpviz.config import RunConfig
from dpviz.datasets.tables import escape_markdown
from dpviz.engine.trace import Trace
from dpviz.ui import methods
from dpviz.ui.jobs import Finished

MOST_RUNS = 10
_RUNS, _GHOST = "runs of this session", "ghost of the previous run"


def runs() -> list[Finished]:
    """Return the runs of this session, the newest first."""
    kept: list[Finished] = st.session_state.setdefault(_RUNS, [])
    return kept


def add(finished: Finished) -> None:
    """Remember a run; the same run moves to the front instead of standing twice."""
    kept = [run for run in runs() if (run.choice, run.config) != (finished.choice, finished.config)]
    st.session_state[_RUNS] = [finished, *kept][:MOST_RUNS]


def previous(finished: Finished) -> Finished | None:
    """Return the run before the one shown."""
    others = [run for run in runs() if (run.choice, run.config) != (finished.choice, finished.config)]
    return others[0] if others else None


def ghosts(finished: Finished) -> list[tuple[str, Trace]]:
    """Curves of the previous run, if they are wanted and on the same scale."""
    before = previous(finished)
    if before is None or not st.session_state.get(_GHOST, False) or not comparable(finished, before):
        return []
    return [(f"before: {methods.describe(before.config)}", before.trace)]


def comparable(one: Finished, other: Finished) -> bool:
    """Whether two runs' nll curves may stand in one chart: same numbers clustered, and both have an nll."""
    with_nll = all(run.config.algorithm in ("mapdp", "gibbs") for run in (one, other))
    same_data = methods.data_key(one.choice) == methods.data_key(other.choice) and (
        one.choice.options == other.choice.options
    )
    return with_nll and same_data


def changes(old: Finished, new: Finished) -> list[str]:
    """Say in words what differs between two runs' settings."""
    said = []
    if old.choice != new.choice:
        said.append(f"data: {old.prepared.dataset.title} → {new.prepared.dataset.title}"
                    if old.choice.name != new.choice.name else "the data's settings")  # fmt: skip
    for field in fields(RunConfig):
        before, after = getattr(old.config, field.name), getattr(new.config, field.name)
        if before != after:
            said.append(f"{field.name.replace('_', ' ')}: {_short(before)} → {_short(after)}")
    return said


def _short(value: Any) -> str:
    text = "default" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) < 40 else text[:37] + "…"


def show(finished: Finished, go_back: Callable[[Finished], None]) -> None:
    """List the runs, newest first."""
    kept = runs()
    with st.expander(f"Runs of this session ({len(kept)})"):
        if previous(finished) is not None:
            st.toggle(
                "Ghost of the previous run in the curves",
                key=_GHOST,
                help="Drawn faintly behind the nll and K curves, where both runs have an nll on the same data.",
            )
        for number, run in enumerate(kept):
            trace = run.trace
            nll = f", nll {trace.nll[-1]:,.1f}" if run.config.algorithm in ("mapdp", "gibbs") else ""
            st.markdown(
                f"**{escape_markdown(methods.describe(run.config))}** on "
                f"{escape_markdown(run.prepared.dataset.title)}: "
                f"K = {trace.n_clusters[-1]}, {trace.n_sweeps} sweeps{nll}"
            )
            if number + 1 < len(kept):
                changed = changes(kept[number + 1], run)
                st.caption("Changed: " + escape_markdown("; ".join(changed)) if changed else "Nothing changed.")
            if run is not finished:
                st.button("Back to this run", key=f"history.{number}", on_click=go_back, args=(run,))
