"""The cells that a run filled in, as a table to read and to download."""

from __future__ import annotations

import streamlit as st

from dpviz.analysis.imputed import MEASURED, cells_in_words
from dpviz.engine.imputation import FEWEST_DRAWS
from dpviz.text import counted
from dpviz.ui.session.exports import csv_button
from dpviz.ui.session.jobs import Finished

MOST_SHOWN = 2_000


def show(finished: Finished) -> None:
    """Draw the panel of a run that filled cells in, closed at first; nothing for other runs."""
    if finished.trace.imputed is None:
        return
    with st.expander("Filled cells: what stands for what was missing", key="imputed", on_change="rerun"):
        if st.session_state.get("imputed"):
            _draw(finished)


def _draw(finished: Finished) -> None:
    prepared = finished.prepared
    table = cells_in_words(prepared.dataset, prepared.X, finished.trace, prepared.preparation)
    if finished.trace.is_chain:
        n_draws = len(finished.trace.draw_rows)
        bounds = ", and the interval that holds 90 % of them" if n_draws >= FEWEST_DRAWS else ""
        words = (
            f"Mean of each cell over {counted(n_draws, 'recorded draw')}{bounds}; of codes the most probable category "
            "with its probability."
        )
        if bounds:
            words += " A wide interval: the row's other cells say little about this one."
        else:
            words += f" An interval needs {FEWEST_DRAWS} draws; the command line and Python keep all."
    else:
        words = (
            "The most probable value of each cell given the other members of its cluster. Modes have no uncertainty, "
            "and less scatter than the cells they stand for, so that clusters come out narrower: Gibbs sampling draws "
            "the cells and has intervals."
        )
    st.caption(f"{len(table):,} cells, in the units of the table. {words}")
    number = st.column_config.NumberColumn(format="%.4g")
    columns = {name: number for name in ("lower", "upper", "probability") if name in table}
    kinds = dict(zip(prepared.dataset.feature_names, prepared.dataset.kinds, strict=True))
    first = table.head(MOST_SHOWN)
    short = [
        f"{float(value):.4g}" if kinds[name] in MEASURED else value
        for name, value in zip(first["column"], first["value"], strict=True)
    ]
    st.dataframe(
        first.assign(value=short),
        column_config=columns,
        hide_index=True,
        width="stretch",
        height=min(38 * (len(table) + 1), 320),
    )
    if len(table) > MOST_SHOWN:
        st.caption(f"The first {MOST_SHOWN:,} are shown; the file has all.")
    csv_button("Filled cells (CSV)", lambda: table, "dpviz-filled-cells.csv", "imputed.csv")
