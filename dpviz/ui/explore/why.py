"""The “why here?” panel: costs of every candidate for one point, with the arithmetic written out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.algorithms.centre_based import CentreAlgorithm
from dpviz.engine.candidates import NEW
from dpviz.families.base import COST, Formula
from dpviz.figures.explain import assignment_bars, standings
from dpviz.player import track_color
from dpviz.text import escape_markdown, percent
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.state import remade

MOST_CANDIDATES = 12
MOST_NAMED = 8
"""Most missing cells of a point that are named."""
NATS = "nats"
PROBABILITY = "probability"
DISTANCES = ("distance to its centre", "distance from which a new cluster wins")
"""What bars of a method that works with distances show."""
NEW_COLOR = "#888888"
_ARITHMETIC = "why arithmetic"


def _below(_title: str, bars: str) -> None:
    st.html(bars)


def show(finished: Finished, sweep: int, point: int, answer: Callable[[str, str], object] = _below) -> pd.DataFrame:
    """Draw the explanation of one point after one sweep, by an algorithm that explains, and return its numbers.

    ``answer(title, bars)`` shows the bars (HTML) where the reader looks.
    """
    algorithm = finished.problem.algorithm
    own = int(finished.trace.labels_at(sweep)[point])
    table, names, shown, bars, numbers = _told(finished, sweep, point, own)
    question = f"Why is point {point} in {finished.cluster_name(own, sweep)} after sweep {sweep}?"
    st.markdown(f"**{escape_markdown(question)}**")
    st.caption(algorithm.costs_in_words)
    _say_missing(finished, sweep, point)
    if shown < np.isfinite(table["total"].to_numpy()).sum():
        st.caption(f"The {shown} cheapest of {len(table)} candidates.")
    answer(question, bars)
    written: dict[str, Any] = {
        str(name): st.column_config.NumberColumn(format="%.3g") for name in numbers if name != PROBABILITY
    }
    st.dataframe(numbers, column_config=written, width="stretch")
    with st.expander("The arithmetic", key=_ARITHMETIC, on_change="rerun"):
        if once_opened(_ARITHMETIC):
            _arithmetic(finished, sweep, point, table, names)
    return table


def _bars(finished: Finished, columns: Mapping[str, FloatArray], names: Sequence[str], colors: Sequence[str]) -> str:
    """Draw the candidates' costs on the scale of the run; squared distances as distances, which the eye can compare."""
    algorithm = finished.problem.algorithm
    if algorithm.unit == NATS:
        return assignment_bars(columns, names, colors, algorithm.costs or ("cost", ""))
    if algorithm.unit != CentreAlgorithm.unit:
        edge = float(np.nanmax(np.where(columns["total"] == np.inf, 0.0, columns["total"]))) or 1.0
        return assignment_bars(columns, names, colors, algorithm.costs or ("cost", ""), algorithm.unit, edge=edge)
    X = finished.prepared.X
    farthest = float(np.sqrt(np.nanmax(np.nansum((X - np.nanmean(X, axis=0)) ** 2, axis=1)))) or 1.0
    parts = {name: np.sqrt(columns[name]) for name in ("neg_log_predictive", "neg_log_weight")}
    distances = {**columns, **parts, "total": sum(parts.values(), np.zeros(()))}
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
        what = "as the run filled them in by this sweep"
        what += ", though only seen ones choose the cluster" if finished.problem.scores_seen_cells else ""
    else:
        what = "which say nothing"
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    st.caption(escape_markdown(f"Missing cells, {what}: {', '.join(names[:MOST_NAMED])}{more}."))


def _numbers(finished: Finished, shown: Mapping[str, FloatArray], names: Sequence[str]) -> pd.DataFrame:
    """Write the bars' numbers, on their scale; a weight that no candidate has and a hard choice's odds are dropped."""
    algorithm = finished.problem.algorithm
    geometry, weight = algorithm.costs or ("cost", "weight")
    rows, *costs = standings(shown, algorithm.unit)
    told: dict[str, Any] = {}
    if algorithm.unit == NATS:
        told[PROBABILITY] = [percent(likely) for likely in shown["probability"][rows]]
    told[geometry] = costs[0]
    if (shown["neg_log_weight"] != 0).any():
        told |= {weight: costs[1], "total": costs[0] + costs[1]}
    return pd.DataFrame(told, index=pd.Index([names[k] for k in rows], name="cluster"))


def _color(finished: Finished, label: int, sweep: int) -> str:
    dark = st.context.theme.type == "dark"
    return NEW_COLOR if label == NEW else track_color(finished.number(label, sweep) - 1, dark=dark)


class _Told(NamedTuple):
    """Costs of all candidates and their names, how many are shown, their bars (HTML) and the bars' numbers."""

    table: pd.DataFrame
    names: list[str]
    shown: int
    bars: str
    numbers: pd.DataFrame


def _told(finished: Finished, sweep: int, point: int, own: int) -> _Told:
    """Explain, once per point and sweep: the panel is drawn again on every player event."""
    key = (finished, sweep, point, st.context.theme.type)
    return remade("explained point", key, lambda: _tell(finished, sweep, point, own))


def _tell(finished: Finished, sweep: int, point: int, own: int) -> _Told:
    problem, trace = finished.problem, finished.trace
    table = algorithm_of(problem).explain(problem, trace, trace.row(sweep), point)
    names = [_name(finished, label, own, sweep) for label in table.index]
    columns = {str(name): values.to_numpy() for name, values in table.items()}
    nearest = np.argsort(columns["total"], kind="stable")[:MOST_CANDIDATES]
    shown = nearest[columns["total"][nearest] < np.inf]
    colors = [_color(finished, int(label), sweep) for label in table.index]
    numbers = _numbers(finished, {name: values[shown] for name, values in columns.items()}, [names[k] for k in shown])
    return _Told(table, names, len(shown), _bars(finished, columns, names, colors), numbers)


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
