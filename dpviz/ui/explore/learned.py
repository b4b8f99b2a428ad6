"""What the run on the Explore page has learned of the hyperparameters of its partition prior."""

from __future__ import annotations

import streamlit as st

from dpviz.figures import hyperparameters as figures
from dpviz.figures import posterior_chains as chain_figures
from dpviz.figures.theme import PLAIN
from dpviz.text import counted, escape_markdown
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
                chart = chain_figures.traces({parameter.symbol: [values]}, burn_in, 240).update_layout(showlegend=False)
                st.plotly_chart(chart, key=f"explore learned {name} trace", config=PLAIN)
            if not len(kept):
                st.caption("The burn-in is not over: no draw was kept.")
                continue
            with right:
                chart = figures.prior_and_posterior(kept, law, parameter.label, 240)
                st.plotly_chart(chart, key=f"explore learned {name}", config=PLAIN)
            of = counted(len(kept), "sweep")
            words = f"{parameter.label}: mean {kept.mean():.4g} of {of} after the burn-in, which is shaded."
            st.caption(escape_markdown(words))
