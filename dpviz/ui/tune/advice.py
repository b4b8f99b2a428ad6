"""Notes on a result of the Tune page: its limits, contradictions, how it was found."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpviz.analysis.evaluation import Cell
from dpviz.analysis.grids import Grid
from dpviz.analysis.parameters import parameter_of
from dpviz.analysis.selection import ends_reached
from dpviz.config import RunConfig
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.shell import links


def title(parameter: str, config: RunConfig) -> str:
    """Name a parameter as axes and lists do."""
    found = parameter_of(config, parameter)
    if found.shape:
        return f"{found.symbol}, times what it is"
    if found.title.endswith("?"):  # a control's question is not a name for an axis
        return f"{found.name.capitalize()} {found.symbol}"
    return found.symbol if found.role else found.label


def at(grid: Grid, cell: Cell) -> str:
    """Values of a cell's parameters in words."""
    pairs = zip(grid.parameters, cell.values, strict=True)
    return ", ".join(f"{title(name, grid.base)} = {value:.3g}" for name, value in pairs)


def tell(sentences: Sequence[str]) -> None:
    """Write the finding, and below it its limits."""
    finding, *limits = sentences
    st.markdown(finding)
    if limits:
        st.markdown("\n".join(f"- {limit}" for limit in limits))


def span(counts: Sequence[int], n_all: int) -> str:
    """Say how K varies over the values of an axis; a part of them, or one, shows less than all."""
    low, high, n_tried = min(counts), max(counts), len(counts)
    if n_all == 1:
        return "Only one value was tried: nothing is known of others."
    if n_tried == 1:
        return f"Only 1 of {n_all:,} values was tried: nothing is known of the others."
    where = "the whole range" if n_tried == n_all else f"the {n_tried:,} of {n_all:,} values that were tried"
    return f"K is {low} over {where}." if low == high else f"Over {where} K goes from {low} to {high}."


def ends(grid: Grid, best: Cell, criterion: str, tried: Sequence[Cell]) -> list[str]:
    """Point out a best value that is the first or last of those tried, unless it was compared with no other."""
    said = []
    for parameter, end in ends_reached(grid, best).items():
        position = grid.parameters.index(parameter)
        value = best.values[position]
        if len({cell.values[position] for cell in tried}) < 2:
            continue
        said.append(
            f"**At the edge:** {title(parameter, grid.base)} = {value:.3g} is the {end} value tried, so the "
            f"{criterion} may be better still beyond it. Widen the range."
        )
    return said


def disagreement(grid: Grid, one: Cell, criterion: str, other: Cell, rival: str) -> list[str]:
    """Point out where two criteria choose different values."""
    if one.index == other.index:
        return []
    same_k = one.n_clusters == other.n_clusters
    found = f"both with K = {one.n_clusters}" if same_k else f"K = {one.n_clusters} against K = {other.n_clusters}"
    weight = "It makes no difference to K." if same_k else "Look at both partitions before you choose."
    return [
        f"**Two criteria disagree:** {at(grid, one)} by {criterion}, {at(grid, other)} by {rival}; {found}. {weight}"
    ]


def open_cell(cell: Cell, grid: Grid, prepared: PreparedData, key: str) -> None:
    """Offer a cell's run in Explore, and say how it was found if Explore may find a different partition."""
    if cell.source is None:
        links.open_button(cell.config, prepared.choice, key)
        return
    source = ", ".join(
        f"{title(name, grid.base)} = {value:.3g}" for name, value in zip(grid.parameters, cell.source, strict=True)
    )
    st.caption(
        f"Found by starting from the partition at {source}, which is better here than what this run's own starts "
        "found. Explore searches by its own starts and may end in another partition; code, table and report start "
        "from this one."
    )
    links.open_button(own_search(cell, grid, prepared), prepared.choice, key, "Open these settings in Explore")


def own_search(cell: Cell, grid: Grid, prepared: PreparedData) -> RunConfig:
    """Return a cell's settings with its own starts."""
    return grid.config(cell.index, prepared.X)
