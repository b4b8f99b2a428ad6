"""Predictive accuracy of a configuration: held-out log density, fold by fold."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.evaluation import copies_in_words
from dpviz.analysis.held_out import Fold, HeldOut, folds_estimate, held_out_folds
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import describe
from dpviz.engine.stored import fingerprint
from dpviz.families.powers import LOST, lose_mass
from dpviz.text import counted, escape_markdown, signed
from dpviz.ui.controls import widgets
from dpviz.ui.controls.computed import start_button
from dpviz.ui.predict import gathering
from dpviz.ui.predict.runs import Known
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.computation import expected_in_words

PLACE = "folds"
N_FOLDS, USUAL, MOST = "predict.n_folds", 5, 20
_MEASURED = "predict measured"
MOST_MEASURED = 50


def show(known: Known) -> None:
    """Offer the measurement, and show its result."""
    config, X = known.finished.settings, known.prepared.X
    if not known.predictor.problem.algorithm.has_density:
        title = escape_markdown(known.predictor.problem.algorithm.title)
        st.info(f"{title} has no density, so it cannot score unseen points. Choose another run.")
        return
    st.caption(
        "For each fold in turn, the settings of the run are fitted to all other folds, and the points of the fold are "
        "scored. The higher the mean log density, the better the settings predict. A fit never sees its own fold, but "
        "the scaling of columns is that of all rows."
    )
    n_folds = widgets.number("Folds", N_FOLDS, USUAL, 2, min(MOST, len(X)), width=150)
    if copies := copies_in_words(X, config, n_folds):
        st.caption(escape_markdown(copies))
    folds_of, expected = (config, n_folds), folds_estimate(config, X.shape, n_folds)
    key = (fingerprint(X), *folds_of)
    folds = held_out_folds(X, config, n_folds)  # raises before anything is offered
    asked = gathering.asked(PLACE, key, lambda: folds, n_folds, expected)
    if not gathering.show(asked, n_folds, lambda found, total, more: _results(known, folds_of, found, more)):
        start_button("Measure the held-out density", asked, "predict.measure", type="primary")
        st.caption(escape_markdown(f"{expected_in_words(expected)}; it can be stopped.".capitalize()))
    _measured_before(known)


def _results(known: Known, folds_of: tuple[RunConfig, int], folds: Sequence[Fold], more: bool) -> None:
    preparation, X = known.prepared.preparation, known.prepared.dataset.X
    volume = preparation.log_volume(X)
    found = HeldOut.of(folds, len(X))
    own_units = HeldOut(found.folds, found.log_density + volume)
    st.markdown(f"##### {signed(own_units.mean, '.4f')} nats per point")
    st.caption(f"{measured_words(own_units, folds_of[1])}, per unit {preparation.unit}; {_error_words(own_units)}.")
    if lose_mass(known.finished.config.transform):
        st.caption(LOST)
    rows = [
        {
            "fold": fold.number + 1,
            "points": len(fold.rows),
            "mean log density": fold.mean + float(volume[fold.rows].mean()),
            "clusters": fold.n_clusters,
        }
        for fold in own_units.folds
    ]
    number = {"mean log density": st.column_config.NumberColumn(format="%.4f")}
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=number, width="content")
    if not more and len(folds) == folds_of[1]:
        _remember(known, folds_of, own_units)


def measured_words(found: HeldOut, n_folds: int) -> str:
    """Say of which points a mean is; those of folds that were not tried are not among them."""
    n_points = int((~np.isnan(found.log_density)).sum())
    tried = "Mean" if len(found.folds) == n_folds else f"{len(found.folds):,} of {n_folds:,} folds were tried: mean"
    return f"{tried} log density of {counted(n_points, 'point')} under fits without them"


def _error_words(found: HeldOut) -> str:
    error = found.standard_error
    return f"standard error {error:.2g}" if np.isfinite(error) else "a standard error cannot be given"


# --- what was measured before -----------------------------------------------------------------------------------------


def _remember(known: Known, folds_of: tuple[RunConfig, int], found: HeldOut) -> None:
    """Keep the numbers for a comparison of runs."""
    measured = _measured()
    clusters = np.mean([fold.n_clusters for fold in found.folds])
    row = (describe(known.finished.config), folds_of[1], found.mean, found.standard_error, float(clusters))
    measured[_data(known), *folds_of] = row
    while len(measured) > MOST_MEASURED:
        measured.pop(next(iter(measured)))


def _data(known: Known) -> DataChoice:
    """Return what tells the points apart: another draw has others, under the same name."""
    return known.prepared.choice.data


def _measured() -> dict[tuple[Hashable, ...], tuple[str, int, float, float, float]]:
    kept: dict[tuple[Hashable, ...], tuple[str, int, float, float, float]] = st.session_state.setdefault(_MEASURED, {})
    return kept


def _measured_before(known: Known) -> None:
    """Compare the measurements on these data in this session."""
    own = _data(known)
    rows = [row for key, row in _measured().items() if key[0] == own]
    if len(rows) < 2:
        return
    st.markdown("**Measured on these data in this session**")
    names = ["run", "folds", "mean log density", "standard error", "clusters"]
    table = pd.DataFrame(rows, columns=names).sort_values("mean log density", ascending=False)
    config = dict.fromkeys(names[2:4], st.column_config.NumberColumn(format="%.4f"))
    st.dataframe(table, hide_index=True, column_config=config, width="content")
