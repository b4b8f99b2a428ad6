"""How large clusters are under each prior, from the largest down."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpviz.figures import prior_laws as figures
from dpviz.figures.theme import PLAIN
from dpviz.partition import PartitionPrior
from dpviz.text import escape_markdown
from dpviz.ui.priors import laws
from dpviz.ui.priors.counts import points_and_seed


def show(priors: Sequence[PartitionPrior]) -> None:
    """Draw the tab."""
    n_points, seed = points_and_seed()
    st.markdown(
        "**Few large clusters and many small ones, or all alike?** A straight line is a power law, which a discount "
        "makes; a power r > 1 favours one giant."
    )
    sizes = {prior.title: laws.ranked_sizes(prior, n_points, seed) for prior in priors}
    st.plotly_chart(figures.rank_curves(sizes, n_points), key="priors sizes", config=PLAIN)
    shares = [(title, drawn[:, 0].mean() / n_points) for title, drawn in sizes.items()]
    said = "; ".join(f"{title} {share:.0%}" for title, share in shares)
    about = (
        f"Mean share of the points, by rank, over {laws.N_DRAWS} draws of N = {n_points:,} points from the exact law "
        f"at fixed N; ranks that fewer than one draw in ten has are left out. The largest cluster holds: {said}."
    )
    st.caption(escape_markdown(about))
