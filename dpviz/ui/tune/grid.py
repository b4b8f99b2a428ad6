"""One or two parameters over a range: curves and maps, and the numbers of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.evaluation import Cell, copies_in_words, has_density, why_no_density
from dpviz.analysis.grids import MOST_CELLS, Axis, Grid, duration, grid_frame, latest_cells, run_grid
from dpviz.analysis.parameters import hyperparameter_values, parameter_of, variable_parameters
from dpviz.analysis.selection import best_cell
from dpviz.config import RunConfig
from dpviz.config_values import is_shape
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, method_of
from dpviz.families.base import WIDTH as CLUSTER_WIDTH
from dpviz.figures import tune as figures
from dpviz.fit.timing import estimate
from dpviz.parameters import FACTOR, Size
from dpviz.text import escape_markdown
from dpviz.ui.controls import run_controls, widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.session import naming, state
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.exports import csv_button
from dpviz.ui.tune import advice, computation, method_controls, report
from dpviz.ui.tune.advice import at, title
from dpviz.ui.tune.report import Section
from dpviz.ui.tune.tabs import GRID

MEASURES = {
    "n_clusters_found": "Clusters K",
    "nll": "nll (nats)",
    "objective": "Objective",
    "held_out": "Held-out log density (nats per point)",
    "nmi": "NMI with the known groups",
    "ari": "ARI with the known groups",
}
NOTHING = "nothing else"
N_FOLDS = 5
MOST_VALUES = 1_000_000
MOST_WHOLE_VALUES = 12
WIDTH = 150
_SELECTED, _CLICKED = "tune.grid.selected", "tune grid clicked"


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.caption(
        "Runs the method once for every value and shows what comes out. Look for wide stretches where nothing changes. "
        "Where the method minimises the nll, cells share what they find: none is worse than a neighbour's partition."
    )
    config = method_controls.base_controls("grid", methods_to_vary(), prepared)
    if config is None:
        return
    prepared = method_controls.data_for(config, prepared)
    axes = _axes(config, prepared)
    n_folds = _folds(config, len(axes))
    if n_folds and (copies := copies_in_words(prepared.X, config, n_folds)):
        st.caption(escape_markdown(copies))
    grid = Grid(config, axes, n_folds)
    X, labels = prepared.X, prepared.dataset.labels

    whole = estimate(config, X.shape).times(grid.n_cells * (1 + n_folds))
    if grid.n_cells > MOST_CELLS:
        words = f"These values make {grid.n_cells:,} runs, which would take about {duration(whole.seconds)}"
        st.error(f"{words}; {MOST_CELLS:,} runs are the most. Take fewer values.")
        return
    key = ("grid", computation.fingerprint(prepared), grid)
    computation.show(
        key,
        lambda n_jobs: run_grid(X, grid, labels, n_jobs, share=True),
        grid.n_cells,
        whole,
        lambda found, live: _draw(prepared, grid, found, live),
        prepared,
        config,
    )


def methods_to_vary() -> list[str]:
    """Methods that have a parameter to vary, those with an nll first."""
    own = {name: ALGORITHMS[method.algorithm] for name, method in METHODS.items()}
    names = [name for name, algorithm in own.items() if variable_parameters(RunConfig(algorithm.name))]
    return sorted(names, key=lambda name: not own[name].has_nll)


def _axes(config: RunConfig, prepared: PreparedData) -> tuple[Axis, ...]:
    names, method = list(variable_parameters(config)), method_of(config)
    own = [name for name in method.partition_defaults if name != "concentration"]  # what sets the method apart
    preferred = (*own, "concentration", *ALGORITHMS[config.algorithm].main)
    usual_first = next((name for name in preferred if name in names), names[0])
    key = f"tune.grid.{method.name}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = widgets.select(
            "Vary", f"{key}.first", names, usual_first, format_func=lambda name: title(name, config), width=240
        )
        axes = [_range(first, config, prepared, 21)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        second = widgets.select(
            "and",
            f"{key}.second",
            [NOTHING, *(name for name in names if name != first)],
            format_func=lambda name: name if name == NOTHING else title(name, config),
            width=240,
        )
        if second != NOTHING:
            axes.append(_range(second, config, prepared, 12))
    return tuple(axes)


def _range(parameter: str, config: RunConfig, prepared: PreparedData, n_values: int) -> Axis:
    """Draw range and number of values, and build the axis, whose own messages say what is invalid."""
    lower, upper, log = usual_range(parameter, config, prepared)
    found = parameter_of(config, parameter)
    bound = "" if found.explore is not None else f"{config.family}.{naming.data_key(prepared.choice)}"
    key = f"tune.range.{parameter}.{bound}"
    first = field("From", f"{key}.from", lower, found.integer)
    last = field("To", f"{key}.to", upper, found.integer)
    if found.integer:
        step = widgets.number("Every", f"{key}.n", 1, 1, MOST_VALUES, width=WIDTH)
        return Axis.whole(parameter, int(first), int(last), step)
    count = widgets.number("Values", f"{key}.n", n_values, 1, MOST_VALUES, width=WIDTH)
    log = widgets.toggle("Even on a log scale", f"{key}.log", log)
    return (Axis.logarithmic if log else Axis.linear)(parameter, first, last, count)


def usual_range(parameter: str, config: RunConfig, prepared: PreparedData) -> tuple[float, float, bool]:
    """Return the initial ends of a parameter's axis, and whether it is logarithmic."""
    found, size = parameter_of(config, parameter), Size(*prepared.X.shape)
    if found.shape:
        return *FACTOR.grid_range(size, 1.0), True
    typical = run_controls.typical_value(config.algorithm, parameter, prepared.choice, prepared.X)
    if typical is None and found.explore is None:
        usual = replace(config, prior=None) if is_shape(config.prior) else config  # learning one takes long
        typical = float(hyperparameter_values(usual, prepared.X)[parameter])
    lower, upper = found.grid_range(size, typical)
    if parameter == CLUSTER_WIDTH.name:  # the data may have chosen one at the end of its range
        lower = min(lower, (config.prior_dict or {}).get(parameter, upper) / 4)
    if found.integer:
        return lower, min(upper, lower + MOST_WHOLE_VALUES - 1), False
    if found.explore is None:
        return float(f"{lower:.3g}"), float(f"{upper:.3g}"), found.log
    return lower, upper, found.log


def field(label: str, key: str, default: float, whole: bool = False) -> float:
    """Draw a number field that remembers and accepts any number; code that uses the number checks it."""
    value = (int if whole else float)(state.value(key, default))  # a link may hold either
    begin = widgets.default_of(key, value, "min")
    st.number_input(
        label, value=begin, step=1 if whole else None, format="%d" if whole else "%.4g", key=key, width=WIDTH
    )
    return float(widgets.kept(key))


def _folds(config: RunConfig, n_axes: int) -> int:
    if not has_density(config):
        return 0
    wanted = widgets.toggle(
        "Also judge every run by points it has not seen",
        f"tune.grid.folds.{n_axes}",
        help=f"Held-out log density by {N_FOLDS}-fold cross-validation; six times the work.",
    )
    return N_FOLDS if wanted else 0


def _draw(prepared: PreparedData, grid: Grid, found: Sequence[Cell], live: bool) -> None:
    cells = latest_cells(found)
    frame = grid_frame(grid, cells)
    measures = {name: text for name, text in MEASURES.items() if frame[name].notna().any()}
    if "nll" in measures:
        measures.pop("objective", None)
    criterion = next((name for name in ("nll", "objective") if name in measures), None)
    best = best_cell(cells, criterion) if criterion is not None else cells[0]
    said = [_finding(grid, cells, best, criterion, measures), *_warnings(grid, cells, best, criterion)]
    advice.tell(said)
    if len(grid.axes) == 1:
        figure, name = _curves(grid, frame, measures, best, criterion), "curves"
    else:
        figure, name = _map(grid, cells, measures)
    # A new key for every picture; otherwise the browser would carry a selection over to the next.
    key = f"tune {name} {'growing' if live else hash((prepared.choice, grid))}"
    options: dict[str, Any] = {} if live else {"on_select": "rerun", "selection_mode": "points"}
    event = chart(figure, key, **options)
    if not live:
        report.keep(Section(GRID, prepared, said, [figure], best.config))
        _details(prepared, grid, cells, best, event)
        csv_button("All runs (CSV)", lambda: _exported(prepared, frame, cells), "dpviz-tune.csv", "tune.grid.csv")


def _finding(grid: Grid, cells: Sequence[Cell], best: Cell, criterion: str | None, measures: dict[str, str]) -> str:
    """Return the result in a sentence."""
    counts = sorted({cell.n_clusters for cell in cells})
    span = f"K = {counts[0]} everywhere" if len(counts) == 1 else f"K goes from {counts[0]} to {counts[-1]}"
    n_runs = f"{len(cells):,} run{'s' if len(cells) > 1 else ''}"
    if len(cells) < grid.n_cells:
        n_runs += f" of {grid.n_cells:,}"
    if len(cells) == 1:
        return f"{n_runs}: **K = {counts[0]}** at {at(grid, cells[0])}; with nothing to compare."
    said = [f"{n_runs}: {span}"]
    if criterion == "nll":
        said.append(f"nll is lowest at {at(grid, best)}: **K = {best.n_clusters}**")
    elif criterion == "objective":
        said.append("the objective alone cannot choose a parameter that it is made of")
    if "held_out" in measures:
        seen = best_cell(cells, "held_out")
        said.append(f"unseen points are best predicted at {at(grid, seen)}: **K = {seen.n_clusters}**")
    if "ari" in measures:
        near = max(cells, key=lambda cell: np.nan_to_num(cell.ari, nan=-1.0))
        n_equal = sum(f"{cell.ari:.2f}" == f"{near.ari:.2f}" for cell in cells)
        where = f"at {at(grid, near)}" if n_equal == 1 else f"in {n_equal:,} of the runs"
        said.append(f"closest to the known groups {where} (ARI {near.ari:.2f}, NMI {near.nmi:.2f})")
    return "; ".join(said) + "."


def _warnings(grid: Grid, cells: Sequence[Cell], best: Cell, criterion: str | None) -> list[str]:
    """Return the limits of a choice by lowest nll."""
    if criterion != "nll":
        return []
    said = advice.ends(grid, best, "nll", cells)
    said += [why for why in (why_no_density(cells),) if why and grid.n_folds]
    if any(np.isfinite(cell.held_out) for cell in cells):
        said += advice.disagreement(grid, best, "nll", best_cell(cells, "held_out"), "the density of unseen points")
    return said


def _curves(grid: Grid, frame: pd.DataFrame, measures: dict[str, str], best: Cell, criterion: str | None) -> Any:
    axis = grid.axes[0]
    marks = {criterion: best.values[0]} if criterion == "nll" else {}
    spacing = np.diff(axis.values)
    log_x = len(axis.values) > 2 and axis.values[0] > 0 and spacing[-1] > 1.5 * spacing[0]
    return figures.curves(frame, axis.parameter, measures, title(axis.parameter, grid.base), log_x, marks)


def _map(grid: Grid, cells: Sequence[Cell], measures: dict[str, str]) -> tuple[Any, str]:
    measure = widgets.select("Colour shows", "tune.grid.measure", list(measures), format_func=measures.__getitem__)
    values = np.full(grid.shape, np.nan)
    for cell in cells:
        name = "n_clusters" if measure == "n_clusters_found" else measure
        values[cell.index] = getattr(cell, name)
    marked = None
    if measure in ("nll", "held_out"):
        across, up = best_cell(cells, measure).index
        marked = (up, across)
    # Rows are the second parameter: the first runs along the horizontal axis, as in curves.
    axes = [(title(axis.parameter, grid.base), axis.values) for axis in reversed(grid.axes)]
    counts = measure == "n_clusters_found"
    return figures.parameter_map(values.T, axes, measures[measure], marked, counts), f"map {measure}"


def clicked(event: Any) -> tuple[int, ...] | None:
    """Return the custom data of the point that was clicked, if any; the event comes from the browser."""
    try:
        data = event["selection"]["points"][0]["customdata"]
        return tuple(int(number) for number in np.atleast_1d(data))
    except (TypeError, KeyError, IndexError, ValueError, AttributeError):
        return None


def _details(prepared: PreparedData, grid: Grid, cells: Sequence[Cell], best: Cell, event: Any) -> None:
    """Show one run's numbers, and offer to open it in Explore."""
    by_index = {cell.index: cell for cell in cells}
    indices = list(by_index)
    picked = clicked(event)
    before = st.session_state.get(_CLICKED)
    if before is None or before[0] != (prepared.choice, grid):
        st.session_state.pop(_SELECTED, None)  # a new grid starts at its best run
        state.settings().pop(_SELECTED, None)
    if picked is not None and (before is None or before[1] != picked):
        index = picked[::-1] if len(grid.axes) == 2 else indices[min(picked[0], len(indices) - 1)]
        if index in by_index:
            st.session_state[_SELECTED] = index
    st.session_state[_CLICKED] = ((prepared.choice, grid), picked)
    index = widgets.select(
        "Numbers of one run (or click a point above)",
        _SELECTED,
        indices,
        best.index,
        format_func=lambda i: at(grid, by_index[i]) if i in by_index else "",
    )
    cell = by_index[index]
    numbers(cell)
    advice.open_cell(cell, grid, prepared, "tune.grid.open")


def numbers(cell: Cell) -> None:
    """Show the result of one run."""
    sizes = ", ".join(f"{size:,}" for size in sorted(cell.sizes, reverse=True)[:12])
    more = " …" if len(cell.sizes) > 12 else ""
    values = {
        "Clusters K": f"{cell.n_clusters}",
        "Sizes": sizes + more,
        "nll (nats)": f"{cell.nll:,.2f}",
        "Objective": f"{cell.objective:,.2f}",
        "Held-out log density": f"{cell.held_out:.4f}",
        "NMI": f"{cell.nmi:.3f}",
        "ARI": f"{cell.ari:.3f}",
        "Sweeps": f"{cell.n_sweeps:,}" + ("" if cell.converged else ", not converged"),
        "Seconds": f"{cell.seconds:.3f}",
    }
    # On one line each: narrow screens scroll the table horizontally instead.
    unbroken = {name: text.replace("-", "−").replace(" ", "\N{NO-BREAK SPACE}") for name, text in values.items()}
    st.table(pd.DataFrame([{name: text for name, text in unbroken.items() if text != "nan"}]).set_index("Clusters K"))


def _exported(prepared: PreparedData, frame: pd.DataFrame, cells: Sequence[Cell]) -> pd.DataFrame:
    settings = [cell.config.to_json() for cell in cells]
    return frame.assign(data=prepared.dataset.title, settings=settings)
