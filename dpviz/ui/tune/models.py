"""Choosing among models: families of clusters × partition priors, by nll and by the density of rows left out."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.model_table import EFFORT, N_FOLDS, Model, models_like, most_models, ranked
from dpviz.config import RunConfig
from dpviz.families import FAMILIES
from dpviz.fit.automatic import problem_for, words_for
from dpviz.fit.timing import estimate
from dpviz.text import escape_markdown
from dpviz.ui.controls.run_controls import with_values
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.exports import csv_button
from dpviz.ui.shell import links
from dpviz.ui.tune import advice, computation, method_controls, report
from dpviz.ui.tune.report import Section

_SHOWN = {
    "family": "Family", "prior": "Partition prior", "clusters": "K", "nll": "nll (nats)",
    "held_out": "Held-out density (nats per row)",
}  # fmt: skip


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
    kinds = prepared.clustered.kinds
    total = most_models(prepared.X, config, kinds)

    def begin(_n_jobs: int) -> Generator[Model, None, None]:
        problem_for(prepared.X, config)  # others that do not suit the numbers are left out, but not the reader's own
        yield from models_like(prepared.X, config, kinds)

    each = estimate(with_values(config, {"effort": EFFORT}), prepared.X.shape)
    key = ("models", computation.fingerprint(prepared), config, kinds)
    computation.show(
        key, begin, total, each.times(total * (1 + N_FOLDS)), lambda found, live: _draw(prepared, config, found, live)
    )


def _draw(prepared: PreparedData, config: RunConfig, found: Sequence[Model], live: bool) -> None:
    said = in_words(found, config.coarsening is not None)
    advice.tell(said)
    table = ranked(found)
    configs = {model.family: model.config for model in found}
    titles = {name: FAMILIES[name].title_under(own.prior_dict, own.kinds) for name, own in configs.items()}
    named = table.assign(family=table["family"].map(titles)).rename(columns=_SHOWN)
    number, height = st.column_config.NumberColumn, min(38 * (len(named) + 1), 500)
    columns = {_SHOWN["nll"]: number(format="%.2f"), _SHOWN["held_out"]: number(format="%.4f")}
    st.dataframe(named, hide_index=True, column_config=columns, width="stretch", height=height)
    if not live:
        csv_button("Table of models (CSV)", lambda: table, "dpviz-models.csv", "tune.models.csv")
        best = first(found)
        report.keep(Section("Models", prepared, [*said, *_rows(found)], [], best.config))
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
        said = [
            f"Of {len(found):,} models the highest held-out density, {best.held_out:.3f} nats per row, has {named}."
        ]
    if coarsened:
        return [*said, "All are coarsened alike: their nll is that of no density, and is not compared."]
    lowest = min(found, key=lambda model: model.nll)
    if lowest.config == best.config:
        said.append(f"Its nll, {best.nll:,.1f} nats, is the lowest, too." if known else f"It is {best.nll:,.1f} nats.")
    else:
        said.append(f"The lowest nll, {lowest.nll:,.1f} nats, has another: {_name(lowest)}: K = {lowest.clusters}.")
    counts = sorted({model.clusters for model in found})
    if len(counts) > 1:
        said.append(f"Over all of them K runs from {counts[0]} to {counts[-1]}.")
    return [*said, "Differences within a few nats, or a few hundredths of a nat per row, decide little."]


def _name(model: Model) -> str:
    return escape_markdown(f"{words_for(model.config)}, {model.prior}")


def _rows(found: Sequence[Model]) -> list[str]:
    """Return the models as sentences, for a report."""
    return [
        f"{_name(model)}: K = {model.clusters}, nll {model.nll:,.2f}, held-out density {model.held_out:.4f}."
        for model in found
    ]
