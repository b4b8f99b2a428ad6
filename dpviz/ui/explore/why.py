"""The “why here?” panel: costs of every candidate for one point, with the arithmetic written out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.algorithms.centre_based import CentreAlgorithm
from dpviz.engine.candidates import NEW
from dpviz.families.base import COST, Formula
from dpviz.figures.explain import assignment_bars, contest
from dpviz.player import track_color
from dpviz.text import escape_markdown, percent
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.session.jobs import Finished

MOST_CANDIDATES = 12
MOST_NAMED = 8
"""Most missing cells of a point that are named."""
NATS = "nats"
PROBABILITY = "probability"
DISTANCES = ("distance to its centre", "distance from which a new cluster wins")
"""What bars of a method that works with distances show."""
NEW_COLOR = "#888888"
_HELD, _ARITHMETIC = "explained point", "why arithmetic"


def _below(_title: str, bars: str) -> None:
    st.html(bars)


def show(finished: Finished, sweep: int, point: int, answer: Callable[[str, str], object] = _below) -> pd.DataFrame:
    """Draw the explanation of one point after one sweep, by an algorithm that explains, and return its numbers.

    ``answer(title, bars)`` shows the bars (HTML) where the reader looks.
    """
    algorithm = finished.problem.algorithm
    table = _explained(finished, sweep, point)
    own = int(finished.trace.labels_at(sweep)[point])
    names = [_name(finished, label, own, sweep) for label in table.index]
    question = f"Why is point {point} in {finished.cluster_name(own, sweep)} after sweep {sweep}?"
    st.markdown(f"**{escape_markdown(question)}**")
    totals = table["total"].to_numpy()
    nearest = np.argsort(totals, kind="stable")[:MOST_CANDIDATES]
    shown = table.iloc[nearest[totals[nearest] < np.inf]]
    st.caption(algorithm.costs_in_words)
    _say_missing(finished, sweep, point)
    if len(shown) < np.isfinite(totals).sum():
        st.caption(f"The {len(shown)} cheapest of {len(table)} candidates.")
    name_of = dict(zip(table.index, names, strict=True))
    colors = [_color(finished, int(label), sweep) for label in table.index]
    answer(question, _bars(finished, table, names, colors))
    numbers = _numbers(finished, shown, name_of)
    written: dict[str, Any] = {
        str(name): st.column_config.NumberColumn(format="%.3g") for name in numbers if name != PROBABILITY
    }
    st.dataframe(numbers, column_config=written, width="stretch")
    with st.expander("The arithmetic", key=_ARITHMETIC, on_change="rerun"):
        if once_opened(_ARITHMETIC):
            _arithmetic(finished, sweep, point, table, names)
    return table


def _bars(finished: Finished, table: pd.DataFrame, names: Sequence[str], colors: Sequence[str]) -> str:
    """Draw the candidates' costs on the scale of the run; squared distances as distances, which the eye can compare."""
    algorithm = finished.problem.algorithm
    if algorithm.unit == NATS:
        return assignment_bars(table, names, colors, algorithm.costs or ("cost", ""))
    if algorithm.unit != CentreAlgorithm.unit:
        edge = float(table["total"].replace(np.inf, 0.0).max()) or 1.0
        return assignment_bars(table, names, colors, algorithm.costs or ("cost", ""), algorithm.unit, edge=edge)
    X = finished.prepared.X
    farthest = float(np.sqrt(np.nanmax(np.nansum((X - np.nanmean(X, axis=0)) ** 2, axis=1)))) or 1.0
    parts = {name: np.sqrt(table[name].to_numpy()) for name in ("neg_log_predictive", "neg_log_weight")}
    distances = table.assign(**parts, total=sum(parts.values()))
    return assignment_bars(distances, names, colors, DISTANCES, "units of the data", edge=farthest)


def _say_missing(finished: Finished, sweep: int, point: int) -> None:
    """Name the point's missing cells, and say whether they were filled in."""
    missing = np.flatnonzero(np.isnan(finished.prepared.X[point]))
    if not len(missing):
        return
    names = [finished.prepared.clustered.feature_names[d] for d in missing]
    if finished.problem.imputes:
        cells = finished.completed(sweep).X[point, missing]
        names = [f"{name} ({value:.4g})" for name, value in zip(names, cells, strict=True)]
        what = "were missing and hold what the run filled in by this sweep"
        what += ", but only the seen ones choose the cluster" if finished.problem.scores_seen_cells else ""
    else:
        what = "are missing and say nothing"
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    st.caption(escape_markdown(f"Of its cells {', '.join(names[:MOST_NAMED])}{more} {what}."))


def _numbers(finished: Finished, shown: pd.DataFrame, name_of: Mapping[int, str]) -> pd.DataFrame:
    """Write the bars' numbers, on their scale; a weight that no candidate has and a hard choice's odds are dropped."""
    algorithm = finished.problem.algorithm
    geometry, weight = algorithm.costs or ("cost", "weight")
    costs = contest(shown, algorithm.unit)
    told = {PROBABILITY: shown["probability"].loc[costs.index].map(percent)} if algorithm.unit == NATS else {}
    told[geometry] = costs["geometry"]
    if (shown["neg_log_weight"] != 0).any():
        told |= {weight: costs["size"], "total": costs["total"]}
    numbers = pd.DataFrame({name: values.to_numpy() for name, values in told.items()})
    return numbers.set_index(pd.Index([name_of[k] for k in costs.index], name="cluster"))


def _color(finished: Finished, label: int, sweep: int) -> str:
    dark = st.context.theme.type == "dark"
    return NEW_COLOR if label == NEW else track_color(finished.number(label, sweep) - 1, dark=dark)


def _explained(finished: Finished, sweep: int, point: int) -> pd.DataFrame:
    """Explain, once per point and sweep: the panel is drawn again on every player event."""
    key = (finished.trace, sweep, point)
    held = st.session_state.get(_HELD)
    if held is None or held[0] != key:
        problem, trace = finished.problem, finished.trace
        held = (key, algorithm_of(problem).explain(problem, trace, trace.row(sweep), point))
        st.session_state[_HELD] = held
    table: pd.DataFrame = held[1]
    return table


def _name(finished: Finished, label: int, own: int, sweep: int) -> str:
    if label == NEW:
        return "new cluster"
    name = finished.cluster_name(label, sweep)
    return f"{name} (here now)" if label == own else name


def _arithmetic(finished: Finished, sweep: int, point: int, table: pd.DataFrame, names: list[str]) -> None:
    """Write the sums out, and the family's formula with the numbers of the cheapest cluster."""
    if not finished.problem.algorithm.uses_model:
        for name, row in zip(names, table.itertuples(), strict=True):
            parts = f"**{row.total:.4g}**"
            if (table["neg_log_weight"] != 0).any():
                parts = f"{row.neg_log_predictive:.4g} + {row.neg_log_weight:.4g} = {parts}"
            st.markdown(f"{escape_markdown(name)}: {parts}")
        return
    labels = finished.trace.labels_at(sweep)
    for label, name, row in zip(table.index, names, table.itertuples(), strict=True):
        if not np.isfinite(float(row.total)):  # type: ignore[arg-type]
            st.markdown(f"{escape_markdown(name)}: holds this point alone, so staying *is* opening a new cluster.")
            continue
        count = int(np.sum(labels == label)) - int(labels[point] == label)
        others = f" ({count:,} other points)" if label != NEW else ""
        st.markdown(
            f"{escape_markdown(name)}{others}: −ln f = {row.neg_log_predictive:.4f}, −ln weight = "
            f"{row.neg_log_weight:.4f}, total = **{row.total:.4f}**, probability {row.probability:.4g}"
        )
    missing = np.isnan(finished.prepared.X[point])
    if finished.problem.scores_seen_cells and missing.any():
        st.markdown("−ln f is the density of the cells that are seen, whatever the missing ones are.")
        return
    best = int(table.index[int(np.argmin(table["total"]))])
    members = (labels == best) & (np.arange(len(labels)) != point)
    problem = finished.completed(sweep)
    posterior = problem.model.posterior(problem.X[members])
    st.markdown(f"**The formula with the numbers of {escape_markdown(names[list(table.index).index(best)])}**")
    words = "filled in" if finished.problem.imputes else "missing"
    names_of_columns = [
        f"{name} ({words})" if gap else name
        for name, gap in zip(finished.prepared.clustered.feature_names, missing, strict=True)
    ]
    _formula(posterior.formula(problem.X[point]), names_of_columns)


def _formula(formula: Formula, names: Sequence[str]) -> None:
    """Write the formula out; the table's columns of terms follow the same order."""
    st.latex(formula.latex)
    st.markdown(escape_markdown(formula.numbers))
    if formula.columns:
        table = pd.DataFrame(formula.columns, index=list(names))
        if COST in table:
            table = table.sort_values(COST, ascending=False)
        st.dataframe(table, height=min(38 + 35 * len(table), 250))
    st.markdown(f"which gives −ln f = **{formula.value:.4f}**.")
