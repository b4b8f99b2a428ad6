"""The panels of the Compare page: their algorithms, parameters and common settings.

A panel has a number that is never reused in a session, so that no control of an earlier panel sets it. Its controls
start from a *given* configuration, set by a lesson or a link, or from the method's defaults for the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.analysis.comparison import SharedStart
from dpviz.analysis.effort import MOST_STARTS, USUAL_STARTS, same_starts
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, describe, method_of
from dpviz.errors import DpvizError
from dpviz.ui.controls import run_controls, widgets
from dpviz.ui.session import naming, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, for_distances

FEWEST, MOST = 2, 6
FIRST_METHODS = ("kmeans", "mapdp", "gibbs")
_PANELS, _NEXT = "compare.panels", "compare.next"
OWN, RESTARTS, WORK = "", "restarts", "work"
EFFORTS = {RESTARTS: "Same restarts", WORK: "Same work", OWN: "Each its own"}
"""Ways to equalise the methods' efforts."""


@dataclass(frozen=True)
class Common:
    """Settings that all panels share.

    Attributes
    ----------
    seed : int or None
        One seed for all; None leaves each its own.
    order : bool
        Whether methods that visit points one by one do so in the order of the data.
    start : int or None
        Number of clusters in the common start, where methods accept one; None leaves each its own start.
    effort : str
        ``RESTARTS`` gives every method the same number of starts; ``WORK`` gives the cheaper ones more, until each has
        done the work of the costliest; ``OWN`` leaves each its own.
    starts : int
        Their number, unless each has its own.
    """

    seed: int | None = None
    order: bool = False
    start: int | None = None
    effort: str = OWN
    starts: int = USUAL_STARTS

    def applied(
        self, own: Sequence[RunConfig], X: FloatArray, rows: Sequence[IntArray]
    ) -> tuple[list[RunConfig], list[str]]:
        """Return the configurations to run, and one sentence for each that cannot use the common start.

        Parameters
        ----------
        own : sequence of RunConfig
            The panels' own settings.
        X : ndarray (N, D)
            All rows, complete.
        rows : sequence of ndarray of int
            Which of them each panel uses.

        Raises
        ------
        DpvizError
            If the data are too few for the common start.
        """
        configs = [config if self.seed is None else replace(config, seed=self.seed) for config in own]
        if self.effort != OWN:
            configs = [same_starts(config, self.starts) for config in configs]
        if self.order:
            configs = [replace(c, order="index") if ALGORITHMS[c.algorithm].has_option("order") else c for c in configs]
        if self.start is None or not configs:
            return configs, []
        start = SharedStart.draw(X, self.start, configs[0].seed)
        starts = [start.of_rows(own_rows) for own_rows in rows]
        refusals = [begin.refusal(config) for begin, config in zip(starts, configs, strict=True)]
        remarks = [
            f"{describe(config)} keeps its own start: {why}."
            for config, why in zip(configs, refusals, strict=True)
            if why
        ]
        return [
            config if why else replace(config, init=begin.labels)
            for config, begin, why in zip(configs, starts, refusals, strict=True)
        ], remarks


def panel_numbers() -> list[int]:
    """Numbers of the panels, in the order they are shown."""
    if _PANELS not in state.settings():
        state.settings()[_PANELS] = []
        first = run_controls.first_method(state.chosen_data())
        for method in sorted(FIRST_METHODS, key=lambda name: name != first):
            add_panel(method)
    numbers: list[int] = state.settings()[_PANELS]
    return numbers


def add_panel(method: str | None = None) -> None:
    """Open a panel, by default with the first method that no panel has."""
    numbers: list[int] = state.settings().setdefault(_PANELS, [])
    used = {state.settings().get(f"compare.{number}.method") for number in numbers}
    if method is None:
        method = next((name for name in METHODS if name not in used), "mapdp")
    number = state.settings().get(_NEXT, 0)
    state.settings()[_NEXT] = number + 1
    state.settings()[f"compare.{number}.method"] = method
    numbers.append(number)


def needing_complete_rows() -> list[str]:
    """Titles of the methods of the panels that cannot leave missing cells out."""
    names = [f"compare.{number}.method" for number in panel_numbers()]
    methods = [METHODS[state.option(name, METHODS, FIRST_METHODS[0])] for name in names]
    return list(dict.fromkeys(method.title for method in methods if not ALGORITHMS[method.algorithm].uses_model))


def remove_panel(number: int) -> None:
    """Close a panel and forget its settings."""
    panel_numbers().remove(number)
    for key in [key for key in state.settings() if key.startswith(f"compare.{number}.")]:
        del state.settings()[key]


def set_panels(configs: Sequence[RunConfig], common: Common, choice: DataChoice) -> None:
    """Open exactly these panels; call it before the controls are drawn.

    Parameters
    ----------
    configs : sequence of RunConfig
        Their own settings.
    common : Common
    choice : DataChoice
        The data they belong to.
    """
    for number in list(state.settings().get(_PANELS, [])):
        remove_panel(number)
    state.settings()[_PANELS] = []
    for config in configs:
        add_panel(method_of(config).name)
        prefix = f"compare.{panel_numbers()[-1]}"
        run_controls.apply(config, choice, prefix)
        state.settings()[f"{prefix}.given"] = (naming.data_key(choice), config)
    values: dict[str, Any] = {"compare.same_seed": common.seed is not None, "compare.same_order": common.order}
    values["compare.same_start"] = common.start is not None
    values |= {"compare.seed": common.seed} if common.seed is not None else {}
    values |= {"compare.start": common.start} if common.start is not None else {}
    values |= {"compare.effort": common.effort, "compare.starts": common.starts}
    state.put(values)


def common_controls(n_points: int) -> Common:
    """Draw the switches for the common settings, and the button that adds a panel."""
    equal, seed, order, start = st.columns(4, vertical_alignment="top")
    with equal:
        chosen = widgets.select(
            "Equal effort",
            "compare.effort",
            list(EFFORTS),
            RESTARTS,
            format_func=lambda name: EFFORTS[name],
            help="Same restarts: every method starts equally often, and the best one counts. Same work: methods that "
            "need fewer operations for that get more restarts, until all have done as much as the costliest. A chain "
            "keeps its length. The table says what each got, MAP-DP's search too; with Same start there is none.",
        )
        starts = USUAL_STARTS
        if chosen != OWN:
            starts = widgets.number("Restarts of all panels", "compare.starts", starts, 1, MOST_STARTS)
    with seed:
        same_seed = widgets.toggle("Same seed", "compare.same_seed", True, help="One seed for all panels.")
        value = widgets.number("Seed of all panels", "compare.seed", 0, 0, 2**32 - 1) if same_seed else None
    with order:
        same_order = widgets.toggle(
            "Same order",
            "compare.same_order",
            help="DP-means, MAP-DP and Gibbs visit the points as they stand in the data. K-means and E-M move all "
            "points at once and have no order.",
        )
    with start:
        same_start = widgets.toggle(
            "Same start",
            "compare.same_start",
            help="All that can begin from the same labels: every point goes to the nearest of a few K-means++ seeds. "
            "Restarts then begin alike, and MAP-DP goes without its search.",
        )
        clusters = (
            widgets.number("Clusters at the start", "compare.start", 3, 1, min(n_points, 1000)) if same_start else None
        )
    return Common(value, same_order, clusters, chosen, starts)


def add_button() -> None:
    """Draw the button that adds a panel."""
    full = len(panel_numbers()) >= MOST
    st.button(
        "Add a panel",
        icon=":material/add:",
        key="compare.add",
        on_click=add_panel,
        disabled=full,
        help=f"There are {MOST} at most." if full else None,
    )


def panel_controls(number: int, prepared: PreparedData, common: Common) -> RunConfig:
    """Draw one panel's controls and return its own settings.

    Parameters
    ----------
    number : int
        The panel's.
    prepared : PreparedData
    common : Common
        Settings that need no control here, because they are common.

    Raises
    ------
    DpvizError
        If the settings contradict each other.
    """
    prefix = f"compare.{number}"
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="xxsmall"):
        method = widgets.select(
            "Algorithm",
            f"{prefix}.method",
            list(METHODS),
            format_func=naming.method_title,
            label_visibility="collapsed",
        )
        more = st.popover(":material/tune:", help="More settings", type="tertiary")
        st.button(
            ":material/close:",
            key=f"{prefix}.remove",
            help="Remove this panel",
            type="tertiary",
            on_click=remove_panel,
            args=(number,),
            disabled=len(panel_numbers()) <= FEWEST,
        )
    run_controls.forget_what_was_given(prefix, method, prepared.choice)
    algorithm = ALGORITHMS[METHODS[method].algorithm]
    if not algorithm.uses_model:
        prepared = for_distances(prepared, algorithm.name)
    shared = {"seed"} if common.seed is not None else set()
    shared |= set() if common.start is None else {"init", "init_clusters"}
    shared |= set() if common.effort == OWN or algorithm.is_chain else {"n_init"}
    return run_controls.controls_of(method, prepared, prefix, more, shared, _given(prefix, method, prepared))


def _given(prefix: str, method: str, prepared: PreparedData) -> RunConfig | None:
    """Return the settings that a panel was opened with, without what was of other data; None for another method."""
    data, config = state.settings().get(f"{prefix}.given", ("", None))
    if config is None or method_of(config).name != method:
        return None
    if data == naming.data_key(prepared.choice):
        return config
    return replace(config, init=None, init_clusters=None, **prepared.choice.model)


def cards(prepared: PreparedData, common: Common) -> list[tuple[RunConfig | str, DeltaGenerator]]:
    """Draw a card per panel.

    Returns
    -------
    list of (RunConfig or str, DeltaGenerator)
        Each panel's own settings, or why they are invalid; and the place in its card for further messages.
    """
    numbers = panel_numbers()
    made: list[tuple[RunConfig | str, DeltaGenerator]] = []
    per_row = 3 if len(numbers) in (3, 5, 6) else len(numbers)
    for begin in range(0, len(numbers), per_row):
        row = numbers[begin : begin + per_row]
        for number, column in zip(row, st.columns(per_row)[: len(row)], strict=True):
            with column, st.container(border=True):
                try:
                    own: RunConfig | str = panel_controls(number, prepared, common)
                except DpvizError as error:
                    own = str(error)
                made.append((own, st.container()))
    return made
