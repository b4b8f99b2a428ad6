"""Choosing how wrong the model may be: K and fit over α, and the partition at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dpviz.analysis.coarsening import EFFORT, STARTS, Level, bend, levels, usual_values
from dpviz.figures.coarsening import fit_against_clusters
from dpviz.fit.timing import estimate
from dpviz.metrics import ari
from dpviz.ui.controls.charts import chart
from dpviz.ui.controls.cluster_controls import TITLE
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.shell import links
from dpviz.ui.tune import advice, computation, method_controls, report
from dpviz.ui.tune.report import Section
from dpviz.ui.tune.tabs import COARSENING

_CHOSEN = "tune.coarsening.alpha"


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.caption(
        "No group is quite a bell curve: with many points, even small departures become clusters of their own. Taking "
        "the likelihood to the power α/(α + N) lets each point count less in the fit of clusters, and no less in the "
        "partition prior (after Miller & Dunson 2019): groups that gain little in fit are joined, and in the end all. "
        "This clusters the data at ever smaller α, each from the partition before; α is taken where the curve of fit "
        "bends."
    )
    config = method_controls.base_controls("coarsening", ["mapdp"], prepared, n_init=False)
    if config is None:
        return
    alphas = usual_values(len(prepared.X)).tolist()

    each = estimate(replace(config, n_init=STARTS + 1, effort=EFFORT, coarsening=alphas[0]), prepared.X.shape)
    key = ("coarsening", computation.fingerprint(prepared), config)
    computation.show(
        key,
        lambda _n_jobs: levels(prepared.X, config, alphas),
        len(alphas),
        each.times(len(alphas)),
        lambda found, live: _draw(prepared, found, live, len(alphas)),
        prepared,
        config,
    )


def _draw(prepared: PreparedData, found: Sequence[Level], live: bool, n_all: int) -> None:
    suggested = bend(found) if len(found) == n_all else None
    chosen = suggested or found[-1]
    if not live and len(found) > 1:
        chosen = _slider(found, chosen)
    said = _in_words(prepared, found, suggested, chosen, n_all)
    advice.tell(said)
    figure = fit_against_clusters(found, suggested, chosen)
    chart(figure, "tune coarsening")
    if not live:
        report.keep(Section(COARSENING, prepared, said, [figure], chosen.config))
        links.open_button(chosen.config, prepared.choice, "tune.coarsening.open")


def _slider(found: Sequence[Level], begin: Level) -> Level:
    """Let the reader go along the curve; it begins at the bend."""
    by_alpha = {level.alpha: level for level in sorted(found, key=lambda level: -level.alpha)}
    options = list(by_alpha)
    if st.session_state.get(_CHOSEN) not in by_alpha:
        st.session_state[_CHOSEN] = begin.alpha
    words = {alpha: f"α = {alpha:.3g}, K = {level.n_clusters}" for alpha, level in by_alpha.items()}
    alpha: float = st.select_slider(TITLE, options, key=_CHOSEN, format_func=words.__getitem__)
    return by_alpha[alpha]


def _in_words(
    prepared: PreparedData, found: Sequence[Level], suggested: Level | None, chosen: Level, n_all: int
) -> list[str]:
    """Say what the chosen α finds, where the bend is, and what that does not tell."""
    counted_as = f"each of the {len(prepared.X):,} points counts {chosen.weight:.3g}"
    said = [f"At α = {chosen.alpha:.4g}, where {counted_as}, the clusters are **K = {chosen.n_clusters}**."]
    known = prepared.dataset.labels
    if known is not None:
        said[0] += f" With the known groups: ARI {ari(known, chosen.labels):.2f}."
    if suggested is not None:
        said.append(
            f"The curve bends at α = {suggested.alpha:.4g}, K = {suggested.n_clusters}: the level furthest above the "
            "line from the coarsest to the best fit. That is a rule for a picture, no test: look at it."
        )
    elif len(found) == n_all:
        said.append("There are too few different K up to the best fit for a bend: α is not to be read from this.")
    else:
        said.append(f"{len(found)} of {n_all} values were tried: the bend is told when all are there.")
    said.append(
        "Fit is the mean log density of the table's own rows, as whole points, under the mixture found: it rises with "
        "K and chooses none. nll cannot, either: powered likelihoods of different α are no densities to compare."
    )
    return said
