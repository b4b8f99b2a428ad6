"""The controls of a run, drawn from the specifications of algorithms, partition priors and families."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.config_values import is_shape
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, Algorithm, method_of
from dpviz.engine.options import OPTIONS, START_WORDS
from dpviz.errors import InvalidDataError
from dpviz.families.base import WIDTH
from dpviz.live.turning import KNOBS
from dpviz.parameters import Parameter, Size
from dpviz.text import escape_markdown
from dpviz.ui.controls import partition_control, prior_controls, widgets
from dpviz.ui.controls.cluster_controls import EXACT, coarsening_control
from dpviz.ui.controls.data_controls import completed
from dpviz.ui.controls.keys import Keys
from dpviz.ui.session import naming, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, for_distances, prepare
from dpviz.ui.session.kept import remembered

AUTOMATIC_START = (
    "Automatic: one cluster, and K-means labels with ever more clusters. From the best of them MAP-DP searches on: it "
    "splits, merges and rearranges whole clusters, and keeps what lowers the nll."
)
SINGLE_START = (
    "One cluster: in the first sweep it weighs as little as a cluster of a single point, so that points leave it "
    "(2016, App. B). Below, that rule can be switched off."
)
_GIVEN = "set from outside"
"""Last part of the key of what a lesson or a link set the controls to."""
RUN = "run"
"""First part of the keys of Explore's controls; those of the panels of Compare have their own."""
PRIOR = f"{RUN}.priors"
"""Key of the panel with the priors, whose picture is drawn while somebody can see it."""
MOST_SINGLETONS_OFFERED = 2000
USUAL_CLUSTERS = 3


# --- what controls begin with -----------------------------------------------------------------------------------------


@remembered(1_000_000)
def typical_value(algorithm: str, option: str, choice: DataChoice, _X: FloatArray) -> float | None:
    """Return what the data suggest for an option; None where they suggest nothing."""
    return ALGORITHMS[algorithm].typical(option, _X)


def default_config(method: str, prepared: PreparedData) -> RunConfig:
    """Sensible settings of a method for the data; for their filled rows where it needs more complete ones."""
    chosen = METHODS[method]
    algorithm = ALGORITHMS[chosen.algorithm]
    if not algorithm.uses_model:
        try:
            prepared = for_distances(prepared, algorithm.name)
        except InvalidDataError:
            prepared = for_distances(prepare(replace(prepared.choice, fill=True)), algorithm.name)
    values = dict(algorithm.page_defaults)
    if algorithm.cluster_count:
        values[algorithm.cluster_count] = min(USUAL_CLUSTERS, len(prepared.X))
    for name in algorithm.main:
        typical = typical_value(algorithm.name, name, prepared.choice, prepared.X)
        values |= {} if typical is None else {name: typical}
    if algorithm.uses_model:
        values["partition"] = partition_control.initial_partition(method, prepared.choice)
    config = config_of(algorithm, values)
    if not algorithm.uses_model:
        return config
    return replace(config.with_kinds(prepared.clustered.model_kinds), **prepared.choice.model)


def config_of(algorithm: Algorithm, values: Mapping[str, Any]) -> RunConfig:
    """Build a configuration from some of its values."""
    return with_values(RunConfig(algorithm.name), values)


def with_values(config: RunConfig, values: Mapping[str, Any]) -> RunConfig:
    """Return a configuration with some of its values changed; those that are not its fields are its ``options``."""
    extra = {name: value for name, value in values.items() if name not in _FIELDS}
    fields = {name: value for name, value in values.items() if name in _FIELDS}
    options = {**dict(config.options or ()), **extra} or None
    return replace(config, **fields, options=options)


_FIELDS = {*OPTIONS, "init", "family", "partition", "prior", "kinds", "hyperpriors", "directions", "transform"}


# --- setting controls from outside ------------------------------------------------------------------------------------


def apply(config: RunConfig, choice: DataChoice, prefix: str = RUN) -> None:
    """Set all controls, those of the panel with this first part of keys, so that they make ``config``.

    Call it before they are drawn.
    """
    keys, algorithm = Keys(prefix, naming.data_key(choice)), ALGORITHMS[config.algorithm]
    values: dict[str, Any] = {keys.own("method"): method_of(config).name, keys.of_data("family"): config.family}
    values[keys.of_data("missing")] = config.missing
    values[keys.of_data("coarsening")] = EXACT if config.coarsening is None else config.coarsening
    values[keys.of_data("shape")] = is_shape(config.prior)
    values[keys.own(f"init.{config.algorithm}")] = config.init if isinstance(config.init, str) else algorithm.starts[0]
    for option in algorithm.options:
        value = config.option(option.name)
        values[keys.of_option(algorithm, option)] = 0 if value is None else value
    values |= partition_control.control_values(keys.own("partition"), config, algorithm.learns)
    forget_what_was_given(prefix, "", choice)
    state.settings()[keys.own(_GIVEN)] = (method_of(config).name, keys.data, values)
    state.put(values)
    prior_controls.apply(config, keys)


def in_terms_of_controls(config: RunConfig) -> RunConfig:
    """Return the settings by which controls say the same: width 1 is the usual prior, and distances have no prior."""
    if not config.uses_model:
        return replace(config, partition=RunConfig(config.algorithm).partition)
    return replace(config, prior=None) if config.prior == ((WIDTH.name, WIDTH.default),) else config


def forget_what_was_given(prefix: str, method: str, choice: DataChoice) -> None:
    """Drop the settings of a lesson or a link once method or data change; the reader's own changes stay.

    Call it before the controls are drawn, with the data as they were chosen, not as a method takes them.
    """
    keys = Keys(prefix, naming.data_key(choice))
    given = state.settings().get(keys.own(_GIVEN))
    if given is None or given[:2] == (method, keys.data):
        return
    state.settings()[keys.own(_GIVEN)] = None
    state.forget(
        control
        for control, value in given[2].items()
        if control != keys.own("method") and state.settings().get(control) == value
    )


# --- one control ------------------------------------------------------------------------------------------------------


def first_method(choice: DataChoice) -> str:
    """Return the method with which data begin: the first lesson's, or on one's own table MAP-DP."""
    return "mapdp" if choice.source == "session" else "kmeans"


def method_control(choice: DataChoice) -> str:
    """Choose the algorithm; returns its method's name."""
    method: str = widgets.select(
        "Algorithm", "run.method", list(METHODS), first_method(choice), follows=True, format_func=naming.method_title
    )
    st.caption(METHODS[method].explanation)
    return method


# --- all controls of a run --------------------------------------------------------------------------------------------


def run_controls(prepared: PreparedData, shown: RunConfig | None = None) -> RunConfig:
    """Draw all controls of a run and return their configuration; ``shown`` is that of the run in the picture."""
    method = method_control(prepared.choice)
    forget_what_was_given(RUN, method, prepared.choice)
    algorithm = ALGORITHMS[METHODS[method].algorithm]
    prepared = prepared if algorithm.uses_model else _for_distances(prepared, algorithm)
    # the picture of another method, or of a chain that learns N0, has none of these knobs
    has_strip = shown is not None and method_of(shown).name == method and not shown.hyperpriors
    return controls_of(method, prepared, has_strip=has_strip)


def controls_of(
    method: str,
    prepared: PreparedData,
    prefix: str = RUN,
    further: AbstractContextManager[Any] | None = None,
    common: Collection[str] = (),
    given: RunConfig | None = None,
    has_strip: bool = False,
) -> RunConfig:
    """Draw all controls of a method and return their configuration.

    Parameters
    ----------
    method : str
    prepared : PreparedData
        As the method takes them.
    prefix : str
        First part of the keys.
    further : context manager, optional
        Where all controls go but the main ones; by default below these.
    common : collection of str
        Options without a control, since they are set for several runs together: they stay as they are.
    given : RunConfig, optional
        Settings of which what no control here makes stays, and is said.
    has_strip : bool
        Whether the main ones are knobs at a picture, too: they are then among the others.
    """
    algorithm, keys = ALGORITHMS[METHODS[method].algorithm], Keys(prefix, naming.data_key(prepared.choice))
    begin, chosen = default_config(method, prepared), dict[str, Any]()
    own = {option.name: option for option in algorithm.options}
    held = dict[str, Any]()
    if given is not None and not partition_control.has_controls(given.partition.name):
        held = {"partition": given.partition, "hyperpriors": given.hyperpriors}
    main = st.container()
    with further or nullcontext():
        if algorithm.uses_model:
            chosen |= prior_controls.missing_controls(keys, prepared)
            chosen |= {name: getattr(given or begin, name) for name in ("directions", "transform")}
            with st.expander("Prior: sizes and shapes of clusters", key=keys.own("priors"), on_change="rerun"):
                key, place = keys.own("partition"), nullcontext() if has_strip else main
                chosen |= held or partition_control.chosen_partition_controls(key, method, prepared, algorithm, place)
                chosen |= prior_controls.family_controls(keys, prepared, chosen, algorithm)
                chosen["coarsening"] = coarsening_control(keys.of_data("coarsening"), prepared)
        knobs = [name for name in algorithm.main if has_strip and name in KNOBS]
        further_words = ", ".join([*(own[name].symbol for name in knobs), "start, order, length, seed"])
        more = st.expander(f"More: {further_words}")
        for name in algorithm.main:
            with more if name in knobs else main:
                key = keys.of_option(algorithm, own[name])
                chosen[name] = own_control(key, algorithm, own[name], begin, prepared, chosen)
        with more:
            chosen |= _search_controls(keys, algorithm, begin, prepared, chosen, common)
        if chosen.get("hyperpriors") and chosen.get("sampler") == "explicit_weights":
            st.caption(
                "Explicit weights learn no parameters of the partition prior: the chain holds them where it begins."
            )
            chosen["hyperpriors"] = None
        if chosen.get("hyperpriors") and chosen.get("temperature", 1.0) != 1:
            st.caption("Parameters of the partition prior are learned at temperature 1 only: they are held here.")
            chosen["hyperpriors"] = None
    if given is None:
        return config_of(algorithm, chosen)
    if not isinstance(given.init, str):
        del chosen["init"]
    config = with_values(given, chosen | _switched_off(algorithm, given, chosen, common))
    _mention_the_rest(config, {*chosen, *common} - held.keys())
    return config


def _switched_off(
    algorithm: Algorithm, given: RunConfig, chosen: Mapping[str, Any], common: Collection[str]
) -> dict[str, Any]:
    """Return the defaults of options that applied to what was given, and do not to what is chosen instead."""
    before = {**{name: getattr(given, name) for name in _FIELDS}, **dict(given.options or ())}
    usual = RunConfig(algorithm.name)
    return {
        option.name: usual.option(option.name)
        for option in algorithm.options
        if option.name not in (*chosen, *common) and algorithm.applies(option.name, before)
    }


def _mention_the_rest(config: RunConfig, shown: Collection[str]) -> None:
    """List settings of a link or a lesson that have no control, so that no setting is hidden."""
    values = config.to_dict()
    values |= values.pop("options", {})
    said = []
    for name, value in values.items():
        if name not in ("version", "algorithm", *shown):
            words = "given" if name == "init" else f"{value:.4g}" if isinstance(value, float) else value
            words = config.partition.title if name == "partition" else words
            said.append(f"{name.replace('_', ' ')} {words}")
    if said:
        st.caption(escape_markdown(f"Also: {'; '.join(said)}"))


def _for_distances(prepared: PreparedData, algorithm: Algorithm) -> PreparedData:
    """Return the data as a method takes them; where too few rows are complete, offer to fill cells in, and raise."""
    try:
        return for_distances(prepared, algorithm.name)
    except InvalidDataError:
        if completed(prepared, f"{algorithm.title} needs complete rows").choice != prepared.choice:
            st.rerun()  # the switch stands at its place now
        raise


def choice_for(config: RunConfig, prepared: PreparedData) -> DataChoice:
    """Return the data as a configuration clusters them: for distances, with a note on rows left out, if it must."""
    if config.uses_model:
        return prepared.choice
    title = ALGORITHMS[config.algorithm].title
    return for_distances(completed(prepared, f"{title} needs complete rows"), config.algorithm).choice


def own_control(
    key: str,
    algorithm: Algorithm,
    option: Parameter,
    begin: RunConfig,
    prepared: PreparedData,
    chosen: Mapping[str, Any],
    **layout: Any,
) -> Any:
    """Draw the control of an option, which begins with its value in a configuration.

    What it offers depends on the data, and on the values of other options that are ``chosen``.
    """
    typical = typical_value(algorithm.name, option.name, prepared.choice, prepared.X)
    value, size, choices = begin.option(option.name), Size(*prepared.X.shape), algorithm.choices(option, chosen)
    return widgets.option_control(option, key, value, size, typical=typical, choices=choices, **layout)


def _search_controls(
    keys: Keys,
    algorithm: Algorithm,
    begin: RunConfig,
    prepared: PreparedData,
    chosen: Mapping[str, Any],
    common: Collection[str],
) -> dict[str, Any]:
    """Draw what a beginner can leave alone: start, order, length, seed; but for what is common."""
    found: dict[str, Any] = {}
    start = keys.own(f"init.{algorithm.name}")
    if "init" in common:
        found["init"] = state.option(start, algorithm.starts, begin.init)
    else:
        found["init"] = start_control(start, algorithm, str(begin.init), len(prepared.X))
    for option in algorithm.options:
        known = {**chosen, **found}
        if option.name in (*algorithm.main, "seed") or not algorithm.applies(option.name, known):
            continue
        if option.name in common:
            found[option.name] = state.value(keys.of_option(algorithm, option), begin.option(option.name))
        elif option.name == "init_clusters":
            words = "Starting clusters (0: automatic)"
            found[option.name] = widgets.number(words, keys.own(option.name), 0, 0, len(prepared.X)) or None
        elif option.name in ("n_sweeps", "burn_in", "thin"):
            found[option.name] = chain_control(option, keys.own(option.name), getattr(begin, option.name), found)
        else:
            key = keys.of_option(algorithm, option)
            found[option.name] = own_control(key, algorithm, option, begin, prepared, known)
    seed = keys.own("seed")
    if "seed" in common:
        return {**found, "seed": state.value(seed, 0)}
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with right:
        dice = keys.own("dice")
        st.button(":material/casino:", key=dice, help="Another seed", on_click=_roll, args=(seed,), width="stretch")
    with left:
        found["seed"] = widgets.option_control(OPTIONS["seed"], seed, 0, Size(*prepared.X.shape))
    return found


def start_control(key: str, algorithm: Algorithm, begin: str, n_points: int) -> str:
    """Choose the kind of start; the first sweep of singletons weighs every point against every other."""
    starts = [s for s in algorithm.starts if s != "singletons" or n_points <= MOST_SINGLETONS_OFFERED or s == begin]
    words = [AUTOMATIC_START] if algorithm.minimises_nll and "auto" in starts else []
    words += [SINGLE_START] if algorithm.uses_model and "single" in starts else []
    help_text = "\n\n".join(words) or None
    start: str = widgets.select("Start", key, starts, begin, format_func=START_WORDS.__getitem__, help=help_text)
    return start


def chain_control(option: Parameter, key: str, begin: int, found: Mapping[str, int]) -> int:
    """Choose length, burn-in or thinning of a chain so that at least one draw is kept."""
    n_sweeps = found.get("n_sweeps", 2)
    lower, upper = {
        "n_sweeps": (2, option.limits()[1]),
        "burn_in": (0, n_sweeps - 1),
        "thin": (1, n_sweeps - found.get("burn_in", 0)),
    }[option.name]
    return widgets.number(option.words, key, min(begin, int(upper)), lower, int(upper), help=option.explanation)


def _roll(seed: str) -> None:
    state.put({seed: int(np.random.default_rng().integers(100_000))})
