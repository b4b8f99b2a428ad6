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
from dpviz.engine.options import OPTIONS
from dpviz.errors import DpvizError
from dpviz.families.automatic import AUTOMATIC, SHAPE
from dpviz.parameters import Size
from dpviz.partition import PARTITION_PRIORS
from dpviz.text import escape_markdown
from dpviz.ui.controls import partition_control, run_controls, widgets
from dpviz.ui.controls.family_control import family_control, kinds_for
from dpviz.ui.controls.shape_control import can_learn, shape_control
from dpviz.ui.session import naming, state
from dpviz.ui.session.chosen_data import PreparedData, for_distances

FEWEST, MOST = 2, 6
FIRST_METHODS = ("kmeans", "mapdp", "gibbs")
_PANELS, _NEXT = "compare.panels", "compare.next"
_DATA_BOUND: dict[str, Any] = {"init": None, "init_clusters": None}
OWN, RESTARTS, WORK = "", "restarts", "work"
EFFORTS = {RESTARTS: "Same restarts", WORK: "Same work", OWN: "Each its own"}
"""Ways to equalise the methods' efforts."""
_CONTROLLED = {
    "version",
    "algorithm",
    "partition",
    "hyperpriors",
    "family",
    "kinds",
    "init",
    "n_init",
    "n_sweeps",
    "burn_in",
    "seed",
}


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


def set_panels(configs: Sequence[RunConfig], common: Common, data: str) -> None:
    """Open exactly these panels; call it before the controls are drawn.

    Parameters
    ----------
    configs : sequence of RunConfig
        Their own settings.
    common : Common
    data : str
        ``naming.data_key`` of the data they belong to.
    """
    for number in list(state.settings().get(_PANELS, [])):
        remove_panel(number)
    state.settings()[_PANELS] = []
    for config in configs:
        add_panel(method_of(config).name)
        state.settings()[f"compare.{panel_numbers()[-1]}.given"] = (data, config)
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


def _starting_point(prefix: str, method: str, prepared: PreparedData) -> RunConfig:
    """Return the initial settings of a panel's controls: those given, if they fit, or the defaults."""
    given: tuple[str, RunConfig] | None = state.settings().get(f"{prefix}.given")
    default = run_controls.default_config(method, prepared)
    if given is None or method_of(given[1]).name != method:
        return default
    if given[0] == naming.data_key(prepared.choice):
        return given[1]
    model = {
        name: getattr(default, name) for name in ("family", "prior", "kinds", "directions", "transform", "penalty")
    }
    return replace(given[1], **_DATA_BOUND, **model)


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
    base = _starting_point(prefix, method, prepared)
    if not ALGORITHMS[base.algorithm].uses_model:
        prepared = for_distances(prepared, base.algorithm)
    key = f"{prefix}.{method}"
    main = st.container()
    with more:
        chosen = _further_controls(key, method, base, prepared, common)
        if common.seed is None:
            chosen["seed"] = widgets.number("Seed", f"{prefix}.seed", base.seed, 0, 2**32 - 1)
    with main:
        chosen |= _main_controls(key, method, base, prepared, chosen.pop("partition_name", ""))
    config = run_controls.with_values(base, chosen)
    _mention_the_rest(config)
    return config


def _main_controls(key: str, method: str, base: RunConfig, prepared: PreparedData, partition: str) -> dict[str, Any]:
    """Draw the algorithm's own parameters, or those of the partition prior."""
    algorithm, data = ALGORITHMS[base.algorithm], naming.data_key(prepared.choice)
    if algorithm.uses_model:
        start = vars(base.partition) if type(base.partition) is PARTITION_PRIORS[partition] else {}
        own = f"{key}.partition.{partition}"
        if not algorithm.learns:
            return {"partition": partition_control.prior_sliders(own, partition, start)}
        begin = dict(base.hyperpriors or ()) if start else {}
        prior, laws = partition_control.partition_controls(own, partition, start, len(prepared.X), begin)
        return {"partition": prior, "hyperpriors": laws}
    chosen = {}
    for option in algorithm.options:
        if option.name in algorithm.main and option.varies:
            typical = run_controls.typical_value(algorithm.name, option.name, prepared.choice, prepared.X)
            own = f"{key}.{option.name}" if typical is None else f"{key}.{option.name}.{data}"
            value, size = base.option(option.name), Size(*prepared.X.shape)
            chosen[option.name] = widgets.option_control(option, own, value, size, typical=typical)
    return chosen


def _further_controls(key: str, method: str, base: RunConfig, prepared: PreparedData, common: Common) -> dict[str, Any]:
    """Draw family, kind of partition prior, start, restarts, length."""
    chosen: dict[str, Any] = {}
    algorithm = ALGORITHMS[base.algorithm]
    if algorithm.uses_model:
        chosen["family"] = family_control(f"{key}.family.{naming.data_key(prepared.choice)}", prepared, base.family)
        chosen["kinds"] = kinds_for(chosen["family"], prepared)
        if chosen["family"] != base.family and (isinstance(base.prior, tuple) or not can_learn(chosen["family"])):
            chosen["prior"] = AUTOMATIC  # hyperparameters belong to one family
        if can_learn(chosen["family"], chosen["kinds"]):
            own = chosen.get("prior", base.prior)
            learns = shape_control(f"{key}.shape.{naming.data_key(prepared.choice)}", own == SHAPE)
            chosen["prior"] = SHAPE if learns else AUTOMATIC if own == SHAPE else own
        chosen["partition_name"] = _partition_name(key, method, base)
    if common.start is None and isinstance(base.init, str):
        chosen["init"] = run_controls.start_control(f"{key}.init", algorithm, base.init, len(prepared.X))
    if common.effort == OWN or algorithm.is_chain:
        size = Size(*prepared.X.shape)
        chosen["n_init"] = widgets.option_control(OPTIONS["n_init"], f"{key}.n_init", base.n_init or 1, size)
    if algorithm.is_chain:
        for name in ("n_sweeps", "burn_in"):
            chosen[name] = run_controls.chain_control(OPTIONS[name], f"{key}.{name}", getattr(base, name), chosen)
        chosen["thin"] = min(base.thin, chosen["n_sweeps"] - chosen["burn_in"])
    return chosen


def _partition_name(key: str, method: str, base: RunConfig) -> str:
    assert base.partition is not None
    names = partition_control.plain_priors(method, base.partition.name)
    if len(names) == 1:
        return names[0]
    name: str = widgets.select(
        "Partition prior",
        f"{key}.partition",
        names,
        base.partition.name,
        format_func=lambda n: PARTITION_PRIORS[n].title,
    )
    return name


def _mention_the_rest(config: RunConfig) -> None:
    """List settings of a link or a lesson that have no control here, so that no setting is hidden."""
    given = config.to_dict()
    given |= given.pop("options", {})
    controlled = {*_CONTROLLED, *ALGORITHMS[config.algorithm].main}
    rest = {name: value for name, value in given.items() if name not in controlled}
    if not isinstance(config.init, str):
        rest["init"] = "given"
    if rest:
        said = "; ".join(f"{name.replace('_', ' ')} {_short(value)}" for name, value in rest.items())
        st.caption(escape_markdown(f"Also: {said}"))


def _short(value: Any) -> str:
    if value is None:
        return "as usual"
    text = f"{value:.4g}" if isinstance(value, float) else ", ".join(value) if isinstance(value, dict) else str(value)
    return text if len(text) < 40 else text[:37] + "…"


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
