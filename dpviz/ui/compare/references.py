"""Rows of the table by methods of scikit-learn, computed on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from dpviz.analysis.reference_methods import Reference, Unfitted, n_steps, references
from dpviz.datasets.indicators import coded_in_words
from dpviz.errors import InvalidDataError
from dpviz.fit.timing import NOTHING
from dpviz.text import escape_markdown
from dpviz.ui.controls.computed import standing, start_button
from dpviz.ui.session import computation
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, for_distances
from dpviz.ui.session.computation import Computation, Done, Waiting
from dpviz.ui.session.tasks import Gathered
from dpviz.ui.stage.panels import Common
from dpviz.ui.stage.runs import Picture

_PLACE = "compare references"


def known(picture: Picture) -> tuple[Reference, ...]:
    """Return the reference rows of these data and this effort that are computed so far."""
    data = _complete(picture)
    outcome = None if data is None else computation.look(_wanted(picture, data))
    return _rows(outcome.result) if isinstance(outcome, Done) else ()


def _rows(steps: Iterable[Reference | Unfitted | None]) -> tuple[Reference, ...]:
    """Return what is to be shown of the steps."""
    return tuple(found for found in steps if isinstance(found, Reference))


def offer(picture: Picture, shown: tuple[Reference, ...]) -> None:
    """Offer the rows, or watch their computation; ``shown`` are the rows already on the page."""
    data = _complete(picture)
    if data is None:
        st.caption("Reference methods of scikit-learn need complete rows, of which there are fewer than two.")
        return
    wanted, n_rows = _wanted(picture, data), len(data.of_densities.X)
    match standing(wanted, "compare.references.stop"):
        case Waiting():
            lacking = n_rows != len(picture.compared_rows)
            about = (
                "Gaussian mixture with BIC, variational Gaussian mixture and HDBSCAN, all of scikit-learn, on the same "
                "data with as many starts. The table says their settings."
            )
            if lacking:
                about = "These methods need complete rows. Add a panel that does too, or fill the missing cells in."
            words, icon = "Add reference rows", ":material/compare:"
            start_button(words, wanted, "compare.references", icon=icon, disabled=lacking, help=about)
        case Done(result=found, stopped=stopped):
            if len(_rows(found)) > len(shown):  # the last one was finished while the page was drawn
                st.rerun()
            elif stopped:
                done = f"{len(found):,} of {n_steps(data.of_densities.X):,} steps of the reference methods"
                st.caption(f"Stopped after {done}; the others were not tried.")
            for row in found:
                if isinstance(row, Unfitted):
                    st.caption(escape_markdown(row.in_words()))


class Data(NamedTuple):
    """Complete rows as these methods take them: mixtures as E-M does, and the one of distances as K-means."""

    of_densities: PreparedData
    of_distances: PreparedData


def _complete(picture: Picture) -> Data | None:
    """Return these rows; None if there are fewer than two of them."""
    try:
        return Data(for_distances(picture.whole, "em"), for_distances(picture.whole))
    except InvalidDataError:
        return None


def _wanted(picture: Picture, data: Data) -> Computation:
    """Return the steps of all reference methods as a computation that the reader starts."""
    _, seed, n_starts = _key(picture)

    def steps() -> Iterator[Reference | Unfitted | None]:
        for row in references(data.of_densities.X, seed, n_starts, distances=data.of_distances.X):
            yield _with_columns(row, data) if isinstance(row, Reference) else row

    return Computation(
        _PLACE,
        _key(picture),
        lambda: Gathered(lambda _: steps(), n_steps(data.of_densities.X), words="reference methods: "),
        NOTHING,
        unasked=-1.0,
    )


def _with_columns(row: Reference, data: Data) -> Reference:
    """Add what became of columns of several kinds."""
    prepared = data.of_densities if row.has_density else data.of_distances
    coding = prepared.choice.mixed
    settings = f"{row.settings}; {coded_in_words(prepared.dataset, coding)}" if coding else row.settings
    return replace(row, settings=settings, scaling=prepared.choice.way)


def _key(picture: Picture) -> tuple[DataChoice, int, int]:
    """Return data, seed and starts, which determine the rows."""
    common: Common = picture.plan.common
    return picture.plan.choice, common.seed or 0, common.starts
