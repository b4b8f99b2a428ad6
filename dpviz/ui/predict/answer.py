"""A run's prediction for one point: its cluster, probability and density, and the columns that decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.predicted_table import NO_DENSITY, OFF, WHY_OFF, refused, required, unseen
from dpviz.analysis.prediction import Prediction
from dpviz.arrays import FloatArray
from dpviz.datasets.indicators import NUMBER
from dpviz.datasets.tables.cell_values import as_read
from dpviz.datasets.tables.table import listed
from dpviz.engine.contributions import Contributions
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.figures import predict as figures
from dpviz.text import escape_markdown, percent, short
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.predict import form
from dpviz.ui.predict.runs import Known
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import TRANSFORMS_IN_WORDS

MOST_CANDIDATES, MOST_AGAINST, MOST_BARS = 8, 5, 12
TOGETHER, WEIGHT, SUM = "all columns together", "the cluster itself", "sum"
NATS, SQUARED = "nats", "squared units of what is clustered"
_FOR, _AGAINST = "predict.for", "predict.against"


@dataclass(frozen=True, eq=False)
class Asked:
    """One point, as entered and as prepared for the run.

    Attributes
    ----------
    raw, point : ndarray (D,) and (C,)
        In the units of the table, and as prepared.
    prediction : Prediction
    """

    raw: FloatArray
    point: FloatArray
    prediction: Prediction

    @property
    def cluster(self) -> int:
        """The cluster, −1 for a new one."""
        return int(self.prediction.clusters[0])


def ask(known: Known, raw: FloatArray) -> Asked:
    """Predict the point; a chain that would take long does not average densities.

    Raises
    ------
    DpvizError
        If the run cannot predict it: naming the columns, the values entered and what they must be.
    """
    _check(known, raw)
    point = known.prepare(raw[None, :])
    quick = known.predictor.estimate(1).operations < jobs.UNASKED_OPERATIONS
    return Asked(raw, point[0], known.predictor.predict(point, with_density=quick))


def _check(known: Known, raw: FloatArray) -> None:
    """Raise InvalidDataError unless the point (D,) has a density under the run."""
    prepared = known.prepared
    cells, off = refused(known.predictor, prepared.preparation, raw[None, :])
    needed = required(known.predictor, prepared.preparation, prepared.dataset)
    names, wrong = prepared.dataset.feature_names, np.flatnonzero(cells[0]).tolist()
    said = [f"“{names[d]}” is {_of_table(known, d, raw[d])} and must be {needed[d]}." for d in wrong]
    if any(needed[d] != NO_DENSITY for d in wrong):
        said.append(f"Transformation “{TRANSFORMS_IN_WORDS['']}” on the Data page takes any number.")
    if off.any():
        said.append(f"The values of {listed([names[d] for d in np.flatnonzero(off[0])])} {OFF}. {WHY_OFF}")
    if said:
        raise InvalidDataError(" ".join(said))


def show_words(known: Known, asked: Asked) -> None:
    """Show the point's cluster, its probability and its density."""
    found, name = asked.prediction, escape_markdown(known.name(asked.cluster))
    if found.probabilities is None:
        st.markdown(f"##### The point goes to {name}")
        st.caption(_no_probability(known))
    else:
        chance = float(found.probabilities[0].max())
        st.markdown(f"##### The point goes to {name}, with probability {percent(chance)}")
        st.caption(_densities(known, asked))
    dataset = known.prepared.dataset
    if not known.predictor.problem.algorithm.uses_model and (new := unseen(asked.raw[None, :], dataset)[0]).any():
        names = escape_markdown(listed(dataset.feature_names[d] for d in np.flatnonzero(new)))
        st.warning(f"No clustered row has this value of {names}: nothing in the data tells how far it is from others.")
    if np.isnan(asked.raw).all():
        st.info("Every column is missing, so the partition prior alone decides: the largest cluster is most probable.")


def show_probabilities(known: Known, asked: Asked) -> None:
    """Draw the probabilities of all clusters, if there are any."""
    if asked.prediction.probabilities is not None:
        _bars(known, asked.prediction)


def _no_probability(known: Known) -> str:
    title = escape_markdown(known.predictor.problem.algorithm.title)
    if not known.predictor.weighs:
        return f"{title} says no more than the cluster: it has no probabilities."
    opens = len(known.candidates) > len(known.numbers)
    takes = (
        "the nearest centre takes a point within √λ of it, and any other opens a new cluster"
        if opens
        else "the nearest centre takes the point, however far it is"
    )
    return f"{title} has no probabilities and no density: {takes}."


def _densities(known: Known, asked: Asked) -> str:
    """Write the densities in the units of the table."""
    found, preparation = asked.prediction, known.prepared.preparation
    volume = float(preparation.log_volume(asked.raw[None, :])[0])
    assert found.new_probability is not None and found.map_log_density is not None
    new = percent(float(found.new_probability[0]))
    words = [f"Probability of a new cluster: {new}."] if found.opens_clusters else []
    under = f"{short(float(found.map_log_density[0]) + volume)} under this cluster alone"
    if found.log_density is None:
        words.append(f"Log predictive density: {under} (nats); that of all draws takes long, a table shows it.")
    else:
        draws = " (mean over the draws)" if known.finished.trace.is_chain else ""
        mixture = short(float(found.log_density[0]) + volume)
        words.append(f"Log predictive density (nats): {mixture} of the mixture{draws}, {under}.")
    words.append(f"Per unit {preparation.unit}.")
    return " ".join(words)


def _bars(known: Known, found: Prediction) -> None:
    assert found.probabilities is not None
    order = np.argsort(-found.probabilities[0], kind="stable")[:MOST_CANDIDATES]
    candidates = [known.candidates[position] for position in order]
    names, colors = [known.name(k) for k in candidates], [known.color(k) for k in candidates]
    figure = figures.probability_bars(names, colors, found.probabilities[0][order])
    chart(figure, "predict.bars", has_bar=False)
    if len(order) < len(known.candidates):
        st.caption(f"The {len(order)} most probable of {len(known.candidates)} candidates.")


def show_place(known: Known, asked: Asked) -> None:
    """Draw the point among the data."""
    labels = known.finished.trace.result_labels
    display = known.prepared.display(labels)
    missing = np.isnan(asked.point)
    filled = np.where(missing, np.nanmean(known.prepared.X, axis=0), asked.point)
    spot = display.place(filled)
    clusters = known.predictor.clusters
    by_number = np.argsort(known.numbers)
    candidates, clusters = by_number.tolist(), np.argsort(by_number)[clusters]
    ink = "#ffffff" if st.context.theme.type == "dark" else "#000000"
    names, colors = [known.name(k) for k in candidates], [known.color(k) for k in candidates]
    chart(figures.placed_point(display, clusters, names, colors, spot, ink), "predict.place", has_bar=False)
    if missing.any():
        st.caption("The star is the point, drawn at the mean of the columns that are missing.")


# --- why --------------------------------------------------------------------------------------------------------------


def show_why(known: Known, asked: Asked) -> None:
    """Show how much each column favours the chosen cluster over others."""
    st.markdown("##### Why: what each column says")
    try:
        found = known.predictor.contributions(asked.point[None, :])
    except InvalidParameterError as error:
        st.caption(escape_markdown(str(error)))
        return
    order = [int(k) for k in np.argsort(-found.scores[0], kind="stable")]
    order = [k for k in order if np.isfinite(found.scores[0, k])]
    if len(order) < 2:
        st.caption("There is no other cluster to weigh against.")
        return
    names = {k: known.name(known.candidates[k]) for k in order}
    left, right = st.columns(2)
    with left:
        best: int = widgets.select("For", _FOR, order, order[0], follows=True, format_func=names.__getitem__)
    others = [k for k in order if k != best]
    with right:
        other: int = widgets.select("Against", _AGAINST, others, others[0], follows=True, format_func=names.__getitem__)
    table = why_table(known, asked, found, [best, other, *(k for k in others if k != other)])
    _draw_why(known, table, names[best], names[other])


def why_table(known: Known, asked: Asked, found: Contributions, order: list[int]) -> pd.DataFrame:
    """Differences of contributions: how much each column favours one candidate over others.

    Parameters
    ----------
    known : Known
    asked : Asked
    found : Contributions
        Of the point.
    order : list of int
        Candidates: first the favoured one, then at most ``MOST_AGAINST`` to compare it with.

    Returns
    -------
    pandas.DataFrame
        A row per column, the strongest against the second candidate first; then the joint term of all columns, the
        term of the clusters themselves, and the sum of all. ``value``, and a column per candidate, such as
        ``against cluster 2``.
    """
    best, others = order[0], order[1 : 1 + MOST_AGAINST]
    columns = found.columns[0, best] - found.columns[0, others]
    strongest = np.argsort(-np.abs(columns[0]), kind="stable")
    values = [_in_words(known, asked, column) for column in range(columns.shape[1])]
    rows = [columns[:, strongest].T]
    index = [_column_names(known)[column] for column in strongest]
    shown = [values[column] for column in strongest]
    together, weight = found.together[0, best] - found.together[0, others], found.weights[best] - found.weights[others]
    for extra, name in ((together, TOGETHER), (weight, WEIGHT)):
        if np.any(extra != 0):
            rows.append(extra[None, :])
            index.append(name)
            shown.append("")
    rows.append(found.scores[0, best] - found.scores[0, others][None, :])
    index.append(SUM)
    shown.append("")
    names = [f"against {known.name(known.candidates[k])}" for k in others]
    table = pd.DataFrame(np.vstack(rows), index=pd.Index(index, name="column"), columns=names)
    table.insert(0, "value", shown)
    return table


def _column_names(known: Known) -> tuple[str, ...]:
    return known.prepared.clustered.feature_names


def _in_words(known: Known, asked: Asked, column: int) -> str:
    """Format a value as in the table; components as numbers, and indicators as yes or no."""
    preparation = known.prepared.preparation
    if preparation.components is not None:
        return f"{asked.point[column]:.4g}"
    if preparation.indicators is not None:
        code, column = preparation.indicators.codes[column], preparation.indicators.columns[column]
        if code != NUMBER:
            return "yes" if asked.raw[column] == code else "no"
    value = asked.raw[column]
    return "missing" if np.isnan(value) else _of_table(known, column, value)


def _of_table(known: Known, column: int, value: float) -> str:
    """Write a value of a column as the table does."""
    dataset = known.prepared.dataset
    names, unit = dataset.category_names[column], form.unit(dataset, column)
    if names and 0 <= value < len(names):
        return names[int(value)]
    number = f"{value:.{form.digits(dataset, column)}g}".replace("-", "−")
    return as_read(value, unit, exact=True) or f"{number}{f' {unit}' if unit else ''}"


def _draw_why(known: Known, table: pd.DataFrame, best: str, other: str) -> None:
    first = table.columns[1]
    parts = table[first].iloc[:-1]  # not their sum
    bars = parts.iloc[np.argsort(-parts.abs().to_numpy(), kind="stable")[:MOST_BARS]]
    figure = figures.contribution_bars(list(bars.index), bars.to_numpy(), best, other, _unit_of_parts(known))
    left, right = st.columns([2, 3], gap="large")
    with left:
        chart(figure, "predict.why", has_bar=False)
    shown = table.rename(index=escape_markdown, columns=escape_markdown)
    texts: dict[Any, Any] = dict.fromkeys(shown.columns, short) | {"value": escape_markdown}
    with right:
        st.table(shown.style.format(texts), height=400 if len(table) > MOST_BARS else "content")
        st.caption(_why_words(known, table, best))


def _unit_of_parts(known: Known) -> str:
    nats = known.predictor.problem.algorithm.unit == NATS
    return NATS if nats else SQUARED


def _why_words(known: Known, table: pd.DataFrame, best: str) -> str:
    name = escape_markdown(best)
    if _unit_of_parts(known) == SQUARED:
        return f"Above 0: the column is nearer to the centre of {name} ({SQUARED})."
    words = f"Above 0: the column speaks for {name}, in nats: 1 makes it 2.7 times as likely. The sum is the log odds."
    if TOGETHER in table.index:
        words += " “All columns together” is what their correlations say beyond each column by itself."
    return f"{words} “The cluster itself” is how large it is before the point is seen."
