"""How large clusters are under each prior, from the largest down."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpviz.ui.priors import laws
from dpviz.ui.priors.counts import asked

KEY = "priors sizes"


def show(suited: Sequence[str]) -> None:
    """Draw the tab."""
    picture, priors, n_points, seed = asked(
        "**Few large clusters and many small ones, or all alike?** A discount makes a power law: a straight line, "
        "but for its tail among few points. A power r > 1 favours one giant.",
        suited,
    )
    axes = {"x": "Rank of the cluster", "y": "Share of the points", "log": True}
    with picture:
        bring_films = laws.show_curves(
            KEY, axes, priors, n_points, lambda prior: laws.share_panel(prior, n_points, seed)
        )
        st.caption(
            f"Mean share of the points, by rank, over {laws.N_DRAWS} draws of N = {n_points:,} points from the exact "
            "law at fixed N; ranks that fewer than one draw in ten has are left out."
        )
    bring_films()
