"""What the run on the Explore page has learned of the hyperparameters of its partition prior."""

from __future__ import annotations

import streamlit as st

from dpviz.figures import hyperparameters as figures
from dpviz.figures import posterior_chains as chain_figures
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls.charts import chart
from dpviz.ui.session.jobs import Finished


def show(finished: Finished) -> None:
    """Draw every hyperparameter over the sweeps, and its histogram beside its prior; nothing where none is learned."""
    trace, partition = finished.trace, finished.config.partition
    if not trace.hyperparameters or partition is None:
        return
    burn_in = finished.config.burn_in
    for name, law in finished.config.hyperpriors:
        parameter, values = partition.learnable[name], trace.hyperparameters[name]
        kept = values[burn_in + 1 :]
        with st.expander(escape_markdown(f"What was learned of {parameter.symbol}"), expanded=True):
            left, right = st.columns(2, gap="medium")
            with left:
                curve = chain_figures.traces({parameter.symbol: [values]}, burn_in, 240)
                chart(curve.update_layout(showlegend=False), f"explore learned {name} trace")
            if not len(kept):
                st.caption("The burn-in is not over: no draw was kept.")
                continue
            with right:
                chart(figures.prior_and_posterior(kept, law, parameter.label, 240), f"explore learned {name}")
            of = counted(len(kept), "sweep")
            words = f"{parameter.label}: mean {kept.mean():.4g} of {of} after the burn-in, which is shaded."
            st.caption(escape_markdown(words))
