"""Choosing the concentration N0 and the power r, each in several ways that need not agree."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.evaluation import Cell, why_no_density
from dpviz.analysis.grids import Axis, Grid, grid_frame, latest_cells, run_grid
from dpviz.analysis.selection import (
    PowerLoss,
    best_cell,
    concentration_mode,
    log_concentration_posterior,
    power_before_blow_up,
    power_losses,
    prior_law_of_n_clusters,
)
from dpviz.errors import require
from dpviz.figures import tune as figures
from dpviz.fit.timing import estimate
from dpviz.partition import ChineseRestaurant
from dpviz.partition.ewens_pitman import CONCENTRATION
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.tune import advice, computation, method_controls, report, tabs
from dpviz.ui.tune.grid import MEASURES, N_FOLDS, WIDTH, field
from dpviz.ui.tune.report import Section

MOST_VALUES = 10_000


def show_concentration(prepared: PreparedData) -> None:
    """Draw the tab that chooses N0."""
    st.caption("N0 says how readily a new cluster is opened. Here are three ways to choose it; they need not agree.")
    base = method_controls.base_controls("concentration", method_controls.with_partition_prior(), prepared, main=False)
    if base is None:
        return
    config = replace(base, partition=ChineseRestaurant(1.0))
    lowest, highest = CONCENTRATION.grid_range()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lower, upper = field("N0 from", "tune.N0.from", lowest), field("N0 to", "tune.N0.to", highest)
        count = widgets.number("Values", "tune.N0.n", 21, 1, MOST_VALUES, width=WIDTH)
        shape = field("Gamma prior, shape a", "tune.N0.shape", 1.0)
        rate = field("Gamma prior, rate b", "tune.N0.rate", 0.1)
    require(min(shape, rate) > 0, "gamma prior of N0", (shape, rate), "a shape and a rate > 0")
    grid = Grid(config, (Axis.logarithmic("concentration", lower, upper, count),), N_FOLDS)

    def draw(found: Sequence[Cell], live: bool) -> None:
        cells = latest_cells(found)
        said, figure = _concentration_curves(grid, cells)
        if not live:
            _concentration_choices(prepared, grid, cells, shape, rate)
            report.keep(Section(tabs.CONCENTRATION, prepared, said, [figure], best_cell(cells, "nll").config))

    whole = estimate(config, prepared.X.shape).times(grid.n_cells * (1 + N_FOLDS))
    key = ("concentration", computation.fingerprint(prepared), grid)
    computation.show(
        key,
        lambda n_jobs: run_grid(prepared.X, grid, prepared.dataset.labels, n_jobs, share=True),
        grid.n_cells,
        whole,
        draw,
        prepared,
        config,
    )


def _concentration_curves(grid: Grid, found: Sequence[Cell]) -> tuple[list[str], Any]:
    said = concentration_words(grid, found)
    advice.tell(said)
    by_nll, by_density = best_cell(found, "nll"), _best_on_unseen_points(found)
    names = ("n_clusters_found", "nll", *(("held_out",) if by_density is not None else ()))
    measures = {name: MEASURES[name] for name in names}
    marks = {"nll": by_nll.values[0]} | ({"held_out": by_density.values[0]} if by_density is not None else {})
    figure = figures.curves(grid_frame(grid, found), "concentration", measures, "Concentration N0", True, marks)
    chart(figure, "tune N0 curves")
    return said, figure


def concentration_words(grid: Grid, found: Sequence[Cell]) -> list[str]:
    """Return what each criterion chooses among the values tried, and how K varies over them."""
    by_nll, by_density = best_cell(found, "nll"), _best_on_unseen_points(found)
    finding = f"nll is lowest at N0 = {by_nll.values[0]:.3g}: **K = {by_nll.n_clusters}**. "
    if len(found) == 1:
        finding = f"At N0 = {by_nll.values[0]:.3g}: **K = {by_nll.n_clusters}**. "
    elif by_density is None:
        finding += f"No value has a density of unseen points. {why_no_density(found)} "
    else:
        finding += (
            f"Unseen points are best predicted at N0 = {by_density.values[0]:.3g}: **K = {by_density.n_clusters}**. "
        )
    counts = [cell.n_clusters for cell in found]
    said = [finding + advice.span(counts, grid.n_cells), *advice.ends(grid, by_nll, "nll", found)]
    if by_density is not None:
        said += advice.disagreement(grid, by_nll, "nll", by_density, "the density of unseen points")
    return said


def _best_on_unseen_points(found: Sequence[Cell]) -> Cell | None:
    judged = [cell for cell in found if np.isfinite(cell.held_out)]
    return best_cell(judged, "held_out") if judged else None


def _concentration_choices(
    prepared: PreparedData, grid: Grid, found: Sequence[Cell], shape: float, rate: float
) -> None:
    """Draw p(ln N0) given the K found, and the prior law of K for the N0 that is chosen."""
    n_points = len(prepared.X)
    by_nll, by_density = best_cell(found, "nll"), _best_on_unseen_points(found)
    mode = concentration_mode(n_points, by_nll.n_clusters, shape, rate)
    nearest = min(found, key=lambda cell: abs(np.log(cell.values[0] / mode)))
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"**Given the K = {by_nll.n_clusters} of lowest nll**, p(ln N0 | K) is highest at N0 = {mode:.3g}.")
        values = np.geomspace(min(mode / 100, found[0].values[0]), mode * 30, 300)
        log_density = log_concentration_posterior(np.log(values), n_points, by_nll.n_clusters, shape, rate)
        chart(figures.density_curve(values, log_density, mode, "N0"), "tune N0 density")
        st.caption(
            f"Under the gamma prior of N0 with shape {shape:.3g} and rate {rate:.3g} (mean {shape / rate:.3g}). "
            "The density of N0 itself (2016 eq. 35) is highest at a lower value, or at 0."
        )
    with right:
        ways = {
            "lowest nll": by_nll,
            "best on unseen points": by_density,
            "nearest to the mode of p(ln N0 | K)": nearest,
        }
        ways = {words: cell for words, cell in ways.items() if cell is not None}
        way = widgets.select("Take the N0 with", "tune.N0.way", list(ways), width=300)
        cell = ways[way] or by_nll
        partition = cell.config.partition
        assert partition is not None
        row = prior_law_of_n_clusters([partition], n_points, [cell.n_clusters]).iloc[0]
        st.markdown(
            f"N0 = {cell.values[0]:.3g} expects {row['expected']:.3g} clusters, mostly {row['lower']:.0f} to "
            f"{row['upper']:.0f}; **found: {cell.n_clusters}**"
            + (" — the data had to overrule the prior." if row["tail"] < 0.05 else ".")
        )
        law = np.exp(partition.log_pmf_n_clusters(n_points))
        chart(figures.law_of_n_clusters(law, cell.n_clusters), "tune N0 law")
        advice.open_cell(cell, grid, prepared, "tune.N0.open")


def show_power(prepared: PreparedData) -> None:
    """Draw the tab that chooses r."""
    st.caption(
        "A power r > 1 lets small clusters vanish. The largest useful r is the last before the loss on unseen points "
        "shoots up: beyond it, real clusters vanish too."
    )
    config = method_controls.base_controls(
        "power", method_controls.with_partition_prior(), prepared, ChineseRestaurant.name
    )
    if config is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lower, upper = field("r from", "tune.r.from", 1.02), field("r to", "tune.r.to", 2.0)
        count = widgets.number("Values", "tune.r.n", 15, 1, MOST_VALUES, width=WIDTH)
    grid = Grid(config, (Axis.linear("power", lower, upper, count),), 0)

    def begin(n_jobs: int) -> Generator[Cell | PowerLoss, None, None]:
        yield from run_grid(prepared.X, grid, prepared.dataset.labels, n_jobs, share=True)
        if judged:
            yield from power_losses(prepared.X, config, grid.axes[0].values, N_FOLDS, n_jobs)

    judged = not prepared.clustered.incomplete.any()
    if not judged:
        st.caption("The loss needs complete rows, so it is not tried where cells are missing.")
    whole = estimate(config, prepared.X.shape).times(grid.n_cells * (1 + N_FOLDS * judged))
    key, n_steps = ("power", computation.fingerprint(prepared), grid), grid.n_cells * (1 + judged)
    computation.show(
        key, begin, n_steps, whole, lambda found, live: _draw_power(prepared, grid, found, live), prepared, config
    )


def _draw_power(prepared: PreparedData, grid: Grid, found: Sequence[Cell | PowerLoss], live: bool) -> None:
    cells = latest_cells(entry for entry in found if isinstance(entry, Cell))
    losses = [entry for entry in found if isinstance(entry, PowerLoss)]
    frame = grid_frame(grid, cells)
    frame["loss"] = np.nan
    frame.loc[frame["power"].isin([entry.power for entry in losses]), "loss"] = [entry.loss for entry in losses]
    best, last = best_cell(cells, "nll"), _last_before_blow_up(grid, losses)
    sentences = power_words(grid, cells, losses)
    advice.tell(sentences)
    measures = {"loss": "Loss on unseen points", "n_clusters_found": MEASURES["n_clusters_found"], "nll": "nll (nats)"}
    if not losses:
        measures.pop("loss")
    marks = {"nll": best.values[0]} | ({"loss": last} if last is not None else {})
    figure = figures.curves(frame, "power", measures, "Power r", False, marks)
    chart(figure, "tune r curves")
    if not live:
        report.keep(Section(tabs.POWER, prepared, sentences, [figure], best.config))
        options = {"lowest nll": best}
        if last is not None:
            options = {"before the blow-up": next(cell for cell in cells if cell.values[0] == last)} | options
        way = widgets.select(
            "Take the r with" if last is None else "Take the r", "tune.r.way", list(options), width=300
        )
        advice.open_cell(options[way], grid, prepared, "tune.r.open")


def _last_before_blow_up(grid: Grid, losses: Sequence[PowerLoss]) -> float | None:
    """Last power before the loss blows up; None if it does not, or not all powers were judged."""
    return power_before_blow_up(losses) if _is_judged(grid, losses) else None


def _is_judged(grid: Grid, losses: Sequence[PowerLoss]) -> bool:
    """Whether the losses can tell if they blow up."""
    return len(losses) == grid.n_cells > 1 and bool(np.isfinite([entry.loss for entry in losses]).all())


def power_words(grid: Grid, cells: Sequence[Cell], losses: Sequence[PowerLoss]) -> list[str]:
    """Return what nll and the loss choose among the powers tried, and the limits of that."""
    best, last, complete = best_cell(cells, "nll"), _last_before_blow_up(grid, losses), _is_judged(grid, losses)
    said = [f"nll is lowest at r = {best.values[0]:.3g}: **K = {best.n_clusters}**."]
    if len(cells) == 1:
        said = [f"At r = {best.values[0]:.3g}: **K = {best.n_clusters}**."]
    if len(cells) < grid.n_cells or len(cells) == 1:
        said.append(advice.span([cell.n_clusters for cell in cells], grid.n_cells))
    if last is not None:
        kept = next(cell for cell in cells if cell.values[0] == last)
        said.append(f"The loss blows up after r = {last:.3g}: **K = {kept.n_clusters}** there.")
    elif complete:
        said.append("The loss does not blow up in this range.")
    elif not losses:
        said.append("The loss on unseen points was not tried.")
    elif len(losses) < grid.n_cells:
        judged = f"{len(losses):,} of {grid.n_cells:,} powers"
        said.append(f"The loss on unseen points is known for {judged} only: whether it blows up cannot be said.")
    else:
        why = "of one power" if len(losses) == 1 else "that is not a number somewhere"
        said.append(f"A loss {why} cannot tell whether it blows up.")
    return [" ".join(said), *_power_warnings(grid, cells, best, last, complete)]


def _power_warnings(grid: Grid, cells: Sequence[Cell], best: Cell, last: float | None, complete: bool) -> list[str]:
    said = advice.ends(grid, best, "nll", cells)
    if last is not None:
        kept = next(cell for cell in cells if cell.values[0] == last)
        said += advice.disagreement(grid, best, "nll", kept, "the blow-up of the loss")
        if kept.index != best.index:
            said.append(
                "The nll asks which r explains these points and their partition best, and pays for every power away "
                "from 1; the blow-up asks how far r may go before unseen points suffer. The one is no bound on the "
                "other: every r between them is defensible."
            )
    elif complete:
        said.append("Without a blow-up the loss names no r; the range may end too early.")
    return said
