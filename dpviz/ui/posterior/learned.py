"""The tab of the Posterior page on hyperparameters of the partition prior that the chains learn."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpviz.figures import hyperparameters as figures
from dpviz.figures import posterior_chains as chain_figures
from dpviz.text import escape_markdown
from dpviz.ui.controls.charts import chart
from dpviz.ui.posterior.agreement import diagnostic_in_words, judged, learned_values, symbol_of
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session.chosen_data import PreparedData


def show(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Draw every hyperparameter: its trace, and its posterior next to its prior."""
    values, verdict = learned_values(sampled), judged(sampled, burn_in)
    config = sampled.setup.config
    assert config.partition is not None
    st.markdown("**What the data say about the prior itself.** Bars far from the curve: they say much.")
    for name, law in config.hyperpriors or ():
        parameter = config.partition.learnable[name]
        kept, found = values[name][:, burn_in:], verdict.diagnostics[symbol_of(config, name)[1]]
        low, high = np.quantile(kept, [0.025, 0.975])
        rhat, size = diagnostic_in_words(found.rhat, ".3f"), diagnostic_in_words(found.ess_bulk, ",.0f")
        words = (
            f"{parameter.label}: {kept.mean():.4g} on average, with 95 % probability between {low:.4g} and {high:.4g}. "
            f"R-hat {rhat}, effective sample size {size}."
        )
        st.markdown(escape_markdown(words))
        left, right = st.columns(2, gap="medium")
        with left:
            series = [trace.hyperparameters[name] for trace in sampled.traces]
            chart(chain_figures.traces({parameter.symbol: series}, burn_in, 300), f"posterior learned {name} traces")
        with right:
            chart(figures.prior_and_posterior(kept, law, parameter.label), f"posterior learned {name}")
    st.caption(
        "A draw of each follows every sweep, given the clusters. nll is that at the present values; the density tab "
        "weighs every draw by its own."
    )
