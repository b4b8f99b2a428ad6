"""Downloads of the Posterior page: series, draws and the summary, as CSV."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.datasets.tables import export_csv
from dpviz.ui.posterior import arviz_offer
from dpviz.ui.posterior.findings import Findings, Pooled
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session.chosen_data import PreparedData


def series_table(sampled: Sampled) -> pd.DataFrame:
    """One row per chain and sweep: K, nll and the other recorded series; the burn-in is included."""
    tables = []
    for chain, trace in enumerate(sampled.traces):
        table = trace.to_frame().reset_index()
        table.insert(0, "chain", chain + 1)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def draws_table(prepared: PreparedData, pooled: Pooled) -> pd.DataFrame:
    """One row per draw: its chain, its sweep, and the cluster of every row of the data, from 1."""
    rows = original_rows(prepared)
    labels = pd.DataFrame(pooled.draws.labels + 1, columns=[f"row_{row}" for row in rows])
    return pd.concat([pd.DataFrame({"chain": pooled.chains + 1, "sweep": pooled.sweeps}), labels], axis=1)


def summary_table(prepared: PreparedData, found: Findings) -> pd.DataFrame:
    """One row per point: its cluster in the summary from 1, its uncertainty (bits), and its certain cluster, if any.

    Where clusters are joined, their unions have the number of their largest part, and those found stand beside them.
    """
    certain = found.certain.labels
    before = {} if found.merges is None else {"cluster_found": found.as_found + 1}
    return pd.DataFrame(
        {
            "row": original_rows(prepared),
            "cluster": found.numbers + 1,
            **before,
            "uncertainty_bits": found.uncertainty,
            "certain_cluster": pd.Series(certain + 1, dtype="Int64").where(certain >= 0),
        }
    )


def original_rows(prepared: PreparedData) -> np.ndarray:
    """Rows of the points in the table, from 0."""
    rows = prepared.dataset.rows
    return np.arange(len(prepared.X)) if rows is None else np.asarray(rows)


def offer(
    prepared: PreparedData, sampled: Sampled, pooled: Pooled | None, found: Findings | None, burn_in: int
) -> None:
    """Offer the results available so far."""
    with st.popover("Take it away", icon=":material/download:"):
        st.caption("K, nll and the other series of every sweep of every chain, the burn-in too.")
        _button("Series", "series", lambda: export_csv(series_table(sampled)))
        if pooled is not None:
            st.caption(f"{pooled.draws.n_draws:,} partitions after the burn-in, evenly thinned: a row per draw.")
            _button("Draws", "draws", lambda: export_csv(draws_table(prepared, pooled)))
        if found is not None:
            st.caption("The summary with the uncertainty of every point, as set on the tab “One summary”.")
            _button("Summary", "summary", lambda: export_csv(summary_table(prepared, found)))
        arviz_offer.offer(sampled.traces, burn_in)


def _button(label: str, name: str, data: object) -> None:
    st.download_button(
        f"{label} (CSV)",
        data,  # type: ignore[arg-type]
        file_name=f"dpviz-posterior-{name}.csv",
        mime="text/csv",
        key=f"posterior.take.{name}",
        on_click="ignore",
        icon=":material/table:",
    )
