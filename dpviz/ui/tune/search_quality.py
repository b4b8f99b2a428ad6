"""How good the search for the lowest nll is: how many restarts it takes, from which start, and its local optima."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.search import STRATEGIES, LocalOptima, Restart, expected_best, local_optima, restarts
from dpviz.config import RunConfig
from dpviz.engine.options import START_WORDS
from dpviz.engine.trace import Trace
from dpviz.engine.trace_words import moves_in_words
from dpviz.figures import tune as figures
from dpviz.fit.run import run
from dpviz.fit.timing import estimate
from dpviz.text import in_words, signed
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.shell import links
from dpviz.ui.tune import computation, method_controls, report
from dpviz.ui.tune.report import Section
from dpviz.ui.tune.tabs import SEARCH

TOLERANCE = 1e-6
"""Relative tolerance: a run this close to the best nll counts as the best."""
Found = Restart | LocalOptima | Trace


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.caption(
        "MAP-DP stops where no single move helps, which may be a poor local optimum. This starts it many times, in "
        "different ways, and counts how many restarts each way needs to reach the best."
    )
    config = method_controls.base_controls("search", method_controls.minimising_nll(), prepared, n_init=False)
    if config is None:
        return
    n_restarts = widgets.number("Runs from every kind of start", "tune.search.n", 30, 2, 200, width=200)

    def begin(n_jobs: int) -> Generator[Found, None, None]:
        found = []
        for restart in restarts(prepared.X, config, n_restarts, n_jobs=n_jobs):
            found.append(restart)
            yield restart
        yield local_optima(found)
        yield run(prepared.X, default)

    default = replace(config, init="auto", n_init=None, effort=1.0)
    total = n_restarts * len(STRATEGIES) + 2
    whole = estimate(replace(config, init="single", n_init=total), prepared.X.shape)
    whole += estimate(default, prepared.X.shape)
    key = ("search", computation.fingerprint(prepared), config, n_restarts)
    computation.show(
        key, begin, total, whole, lambda found, live: _draw(prepared, config, found, live), prepared, config
    )


def _draw(prepared: PreparedData, config: RunConfig, found: Sequence[Found], live: bool) -> None:
    done = [entry for entry in found if isinstance(entry, Restart)]
    spread = next((entry for entry in found if isinstance(entry, LocalOptima)), None)
    best = min(done, key=lambda restart: restart.nll)
    highest = _highest(best)
    said = found_in_words(found, live)
    st.markdown(said[0])
    if said[1:]:
        st.markdown("\n\n".join(said[1:]))
    left, right = st.columns(2, gap="medium")
    by_start = {name: [r for r in done if r.strategy == name] for name in STRATEGIES}
    with left:
        st.markdown("**The best of so many restarts, on average**")
        curves = {_words(name): expected_best([r.nll for r in runs]) for name, runs in by_start.items() if runs}
        restarts_figure = figures.expected_best(curves, best.nll)
        chart(restarts_figure, "tune restarts")
    with right:
        if spread is not None:
            st.markdown("**Where the runs end: how much worse, how different**")
            figure = figures.optima(spread.nll, spread.distances[0], spread.counts)
            chart(figure, "tune optima")
    st.table(start_table(by_start, highest))
    if not live:
        # A run with the same restarts has the best of them as its result, or a better one.
        same = replace(config, init=best.strategy, n_init=sum(run.strategy == best.strategy for run in done))
        report.keep(Section(SEARCH, prepared, said, [restarts_figure], same))
        links.open_button(same, prepared.choice, "tune.search.open")


def _highest(best: Restart) -> float:
    """Highest nll that counts as the best."""
    return best.nll + TOLERANCE * max(1.0, abs(best.nll))


def found_in_words(found: Sequence[Found], live: bool = False) -> list[str]:
    """Return what the runs found, how often, and what was not tried, unless it is still to come."""
    done = [entry for entry in found if isinstance(entry, Restart)]
    spread = next((entry for entry in found if isinstance(entry, LocalOptima)), None)
    default = next((entry for entry in found if isinstance(entry, Trace)), None)
    best = min(done, key=lambda restart: restart.nll)
    reached = sum(restart.nll <= _highest(best) for restart in done)
    nll = signed(best.nll, ",.2f")
    said = [
        f"The lowest nll of {len(done):,} runs is {nll} with **K = {best.n_clusters}**; "
        f"{reached / len(done):.0%} of the runs reach it."
    ]
    if len(done) == 1:
        said = [f"One run ends at an nll of {nll} with **K = {best.n_clusters}**; none was tried beside it."]
    if spread is not None:
        said[0] += f" They end in {len(spread.nll):,} different partitions."
    if default is not None:
        said.append(_default_in_words(default, best.nll, _highest(best)))
    absent = [_words(name) for name in STRATEGIES if all(restart.strategy != name for restart in done)]
    absent += ["how different the partitions are"] * (spread is None) + ["the default search"] * (default is None)
    if absent and not live:
        said.append(f"Not tried: {in_words(absent)}.")
    return said


def _default_in_words(trace: Trace, lowest: float, highest: float) -> str:
    """Compare the default search of the other pages with the best of these runs."""
    nll, n_starts = float(trace.nll[-1]), len(trace.starts)
    moves = f", then {moves_in_words(trace)}," if trace.moves else " (no change of whole clusters helps its best)"
    found = "ends there too" if nll <= highest else f"ends {nll - lowest:.4g} nats above it"
    if nll < lowest - (highest - lowest):
        found = f"ends {lowest - nll:.4g} nats **below** it, with **K = {trace.n_clusters[-1]}**"
    return f"The default search, {n_starts} automatic starts{moves} {found}."


def _words(strategy: str) -> str:
    return START_WORDS[strategy]


def start_table(by_start: dict[str, list[Restart]], highest: float) -> pd.DataFrame:
    """One row per kind of start: how often it reaches the best, its median result, its time."""
    rows = {}
    for name, runs in by_start.items():
        if runs:
            nll = np.array([run.nll for run in runs])
            rows[_words(name)] = {
                "Runs": str(len(runs)),
                "Reach the best": f"{np.mean(nll <= highest):.0%}",
                "Median nll": f"{np.median(nll):,.2f}".replace("-", "−"),
                "Median K": f"{np.median([run.n_clusters for run in runs]):g}",
                "Sweeps": f"{np.mean([run.n_sweeps for run in runs]):.1f}",
                "Milliseconds": f"{1000 * np.mean([run.seconds for run in runs]):.1f}",
            }
    return pd.DataFrame.from_dict(rows, orient="index")
