"""Choosing among models: families of clusters × partition priors, by nll and by the density of rows left out."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.evaluation import copies_in_words
from dpviz.analysis.model_table import (
    AS_THEY_ARE,
    EFFORT,
    N_FOLDS,
    Model,
    models_like,
    models_transformed,
    most_models,
    most_transformed,
    ranked,
    with_titles,
)
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.families.gaussian.base import variances_or_one
from dpviz.families.powers import LOST, lose_mass
from dpviz.fit.automatic import problem_for
from dpviz.fit.timing import estimate
from dpviz.fit.words import words_for
from dpviz.text import escape_markdown, signed
from dpviz.ui.controls.run_controls import with_values
from dpviz.ui.session.chosen_data import PreparedData, prepare
from dpviz.ui.session.exports import csv_button
from dpviz.ui.shell import links
from dpviz.ui.tune import advice, computation, method_controls, report
from dpviz.ui.tune.report import Section
from dpviz.ui.tune.tabs import MODELS

_SHOWN = {
    "family": "Family",
    "transform": "Columns",
    "prior": "Partition prior",
    "clusters": "K",
    "nll": "nll (nats)",
    "held_out": "Held-out density (nats per row)",
}


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.caption(
        "Every family of clusters that these columns can have, with every partition prior, each by MAP-DP with a short "
        f"search. nll is −ln p(data, partition); the held-out density is the mean of ln p of rows that were left out, "
        f"a third of them each time ({N_FOLDS} folds). Only families are compared whose nll are of the same measure."
    )
    config = method_controls.base_controls("models", ["mapdp"], prepared, n_init=False)
    if config is None:
        return
    if copies := copies_in_words(prepared.X, config, N_FOLDS):
        st.caption(escape_markdown(copies))
    kinds = prepared.clustered.kinds
    positive = _not_moved(prepared)
    n_others = 0 if positive is None else most_transformed(positive, config, kinds)
    total = most_models(prepared.X, config, kinds) + n_others
    if n_others:
        st.caption(
            "Columns above 0 are also tried as logarithms (all real columns, if all are above 0) and under powers (of "
            "those where nll falls, if it falls), with the partition prior chosen here. nll and density stay those of "
            "the columns as given."
        )
    if isinstance(config.transform, tuple):
        st.caption(
            "“Powers” are those of all runs here, which were found from all rows, so that densities of rows that were "
            "left out are a little too high beside those of “powers by nll”, which are found without these rows."
        )

    def begin(n_jobs: int) -> Generator[Model, None, None]:
        problem_for(prepared.X, config)  # others that do not suit the numbers are left out, but not the reader's own
        found = list[RunConfig]()
        for model in models_like(prepared.X, config, kinds, n_jobs=n_jobs):
            found.append(model.config)
            yield model
        if positive is not None and n_others:
            for model in models_transformed(positive, config, kinds, n_jobs=n_jobs):
                if model.config not in found:  # the powers by nll may be those of the run, or logarithms
                    found.append(model.config)
                    yield in_units_of(prepared.X, positive, model)

    each = estimate(with_values(config, {"effort": EFFORT}), prepared.X.shape)
    key = ("models", computation.fingerprint(prepared), config, kinds)
    computation.show(
        key,
        begin,
        total,
        each.times(total * (1 + N_FOLDS)),
        lambda found, live: _draw(prepared, config, found, live),
        prepared,
        config,
    )


def _not_moved(prepared: PreparedData) -> FloatArray | None:
    """Return the columns divided, if they are scaled, and not moved, so that they may have powers; None if none may."""
    choice = prepared.choice
    if choice.n_components or "continuous" not in prepared.dataset.kinds:
        return None
    X = prepare(choice if choice.transform else replace(choice, transform=(1.0,))).X
    return X if X.shape == prepared.X.shape else None


def in_units_of(X: FloatArray, others: FloatArray, model: Model) -> Model:
    """Return what a model of columns in other units, multiples of X (N, D) but for a shift, says per unit of X."""
    logs = np.log(variances_or_one(others) / variances_or_one(X)) / 2  # priors take constant columns for as wide
    gain = float(np.sum(~np.isnan(X) * logs))
    return model._replace(nll=model.nll - gain, held_out=model.held_out + gain / len(X))


def _draw(prepared: PreparedData, config: RunConfig, found: Sequence[Model], live: bool) -> None:
    said = in_words(found, config.coarsening is not None)
    advice.tell(said)
    table = ranked(found)
    named = with_titles(table, found)[[name for name in _SHOWN if name in table]]
    named = named.rename(columns=_SHOWN)
    texts: dict[Any, Any] = dict.fromkeys(named.columns, escape_markdown)
    texts |= {_SHOWN[name]: partial(_digits, decimals) for name, decimals in (("nll", 2), ("held_out", 4))}
    st.table(named.style.format(texts), hide_index=True)
    if not live:
        csv_button("Table of models (CSV)", lambda: table, "dpviz-models.csv", "tune.models.csv")
        best = first(found)
        way = best.config.transform
        scaled = None if way is None else prepare(replace(prepared.choice, transform=way))
        report.keep(Section(MODELS, prepared, [*said, *_rows(found)], [], best.config, scaled))
        links.open_button(best.config, prepared.choice, "tune.models.open")


def first(found: Sequence[Model]) -> Model:
    """Return the model of the highest held-out density, or of the lowest nll if no such density is known."""
    table = pd.DataFrame(found, columns=list(Model._fields)).drop(columns="config")
    place = table.sort_values(["held_out", "nll"], ascending=[False, True], kind="stable").index[0]
    return found[int(place)]


def in_words(found: Sequence[Model], coarsened: bool = False) -> list[str]:
    """Say which model comes first by either measure, and what that decides."""
    best = first(found)
    known = not np.isnan(best.held_out)
    named = f"{_name(best)}: **K = {best.clusters}**"
    if not known:
        said = [f"No density of rows left out is known here; the lowest nll has {named}."]
    else:
        density = signed(best.held_out, ".3f")
        said = [f"Of {len(found):,} models the highest held-out density, {density} nats per row, has {named}."]
    if coarsened:
        return [*said, "All are coarsened alike: their nll is that of no density, and is not compared."]
    lowest = min(found, key=lambda model: model.nll)
    nll = signed(lowest.nll, ",.1f")
    if lowest.config == best.config:
        said.append(f"Its nll, {nll} nats, is the lowest, too." if known else f"It is {nll} nats.")
    else:
        said.append(f"The lowest nll, {nll} nats, has another: {_name(lowest)}: K = {lowest.clusters}.")
    counts = sorted({model.clusters for model in found})
    if len(counts) > 1:
        said.append(f"Over all of them K runs from {counts[0]} to {counts[-1]}.")
    if any(lose_mass(model.config.transform) for model in found):
        said.append(LOST)
    return [*said, "Differences within a few nats, or a few hundredths of a nat per row, decide little."]


def _name(model: Model) -> str:
    others = "" if model.transform == AS_THEY_ARE else f", columns: {model.transform}"
    return escape_markdown(f"{words_for(replace(model.config, transform=None))}, {model.prior}{others}")


def _rows(found: Sequence[Model]) -> list[str]:
    """Return the models as sentences, for a report."""
    return [
        f"{_name(model)}: K = {model.clusters}, {_number('nll', model.nll, 2)}, "
        f"{_number('held-out density', model.held_out, 4)}."
        for model in found
    ]


def _number(name: str, value: float, decimals: int) -> str:
    return f"no {name}" if np.isnan(value) else f"{name} {_digits(decimals, value)}"


def _digits(decimals: int, value: float) -> str:
    return "–" if np.isnan(value) else signed(value, f",.{decimals}f")
