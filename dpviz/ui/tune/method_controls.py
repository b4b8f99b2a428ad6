"""Common settings of all runs on the Tune page: method, model, restarts, seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, describe, method_of
from dpviz.engine.options import OPTIONS
from dpviz.families.automatic import AUTOMATIC, SHAPE
from dpviz.parameters import Size
from dpviz.text import escape_markdown
from dpviz.ui.controls import model_control, widgets
from dpviz.ui.controls.codes import said_of_codes
from dpviz.ui.controls.data_controls import completed, say_rows
from dpviz.ui.controls.partition_control import partition_popover, plain_priors
from dpviz.ui.controls.run_controls import default_config, own_control, typical_value, with_values
from dpviz.ui.session import history, naming, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, for_distances, prepare

PAGE = "tune"
SWEEPS_OF_A_CHAIN = (200, 50)
"""Length and burn-in of a chain in a grid: its cells have many."""
WITHOUT_FOLDS = ("prior", "search", "coarsening")
"""Tabs that hold out no rows. On the others every run, and every fold, learns its own shape: one has seen all rows."""
_OF_BASE = {"method", "base", "family", "n_init", "effort", "seed"}
"""Parts of the keys of the settings that runs start from, and not of the range of a grid."""
EFFORT_OF_A_CELL = 0.1
"""Effort of a search in a grid, whose cells share their partitions."""


def base_controls(
    place: str,
    names: Sequence[str],
    prepared: PreparedData,
    prior_name: str | None = None,
    main: bool = True,
    n_init: bool = True,
) -> RunConfig | None:
    """Draw the settings that all runs of a tab share; None while short runs still choose their model.

    Automatic settings are chosen for the partition prior and the seed of the method's defaults, not for those of the
    controls: varied values and other seeds are all tried with the same model.

    Parameters
    ----------
    place : str
        Name of the tab, so that each keeps its own settings.
    names : sequence of str
        The methods to choose from.
    prepared : PreparedData
    prior_name : str, optional
        The partition prior, if the tab is about one; otherwise it can be chosen.
    main, n_init : bool
        Whether the reader chooses K, λ or the partition prior, and the restarts and the effort of a search.

    Raises
    ------
    DpvizError
        If the settings contradict each other.
    """
    taken = model_control.given(PAGE, prepared.choice)
    default = method_of(taken).name if taken is not None and method_of(taken).name in names else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = widgets.select(
            "Method", f"tune.{place}.method", names, default, format_func=naming.method_title, width=190
        )
        base = starting_point(method, prepared)
        key = f"tune.{place}.{method}"
        if not base.uses_model:
            with st.sidebar:
                prepared = completed(prepared, f"{METHODS[method].title} needs complete rows")
            prepared = for_distances(prepared, base.algorithm)
        chosen: dict[str, Any] = {}
        if main:
            chosen |= _main_setting(key, method, base, prepared, prior_name)
        if base.uses_model:
            family = f"{key}.family.{naming.data_key(prepared.choice)}"
            base = model_control.with_family(PAGE, family, base, prepared, width=330)
        if n_init:
            chosen["n_init"] = widgets.number("Restarts", f"{key}.n_init", base.n_init or 1, 1, 200, width=130)
            if base.init == "auto" and ALGORITHMS[base.algorithm].has_option("effort"):
                chosen["effort"] = widgets.option_control(
                    OPTIONS["effort"], f"{key}.effort", base.effort, Size(*prepared.X.shape), width=190
                )
        chosen["seed"] = widgets.number("Seed", f"{key}.seed", base.seed, 0, 2**32 - 1, width=130)
    config = with_values(base, chosen)
    asked = replace(config, partition=base.partition, seed=base.seed)
    held = model_control.held_model(PAGE, asked, prepared)
    if held is None:
        return None
    learns = asked.prior == SHAPE and place not in WITHOUT_FOLDS
    config = config.with_model_of(held)
    config = replace(config, prior=SHAPE) if learns else config
    _say_the_rest(place, config, asked, held, prepared, main)
    say_codes([config], prepared)
    return config


def data_for(config: RunConfig, prepared: PreparedData) -> PreparedData:
    """Return the data for a method once its controls are drawn: complete rows if it needs them."""
    if config.uses_model:
        return prepared
    own = for_distances(prepare(state.chosen_data()), config.algorithm)
    say_rows(own, prepared)
    return own


def say_codes(configs: Iterable[RunConfig], prepared: PreparedData) -> None:
    """Say which methods take the codes of which columns for numbers, if any does."""
    words = said_of_codes(configs, prepared)
    if words:
        st.caption(escape_markdown(words))


def take_over(config: RunConfig, choice: DataChoice) -> None:
    """Start all tabs from a configuration; call it before the controls are drawn.

    A grid varies values, each fixed for a whole run, and the model is taken at its word: nll of powers are no guide.
    """
    model_control.ask_for(PAGE, choice, AUTOMATIC)  # the data choose what the configuration leaves open
    model_control.give(PAGE, replace(config, hyperpriors=None, coarsening=None), choice)
    state.forget([key for key in state.settings() if key.startswith("tune.") and _OF_BASE & set(key.split("."))])


def starting_point(method: str, prepared: PreparedData) -> RunConfig:
    """Return the settings that were taken over, if they are of this method, or defaults for the data.

    Either may leave family and prior to the data, see :func:`dpviz.ui.controls.model_control.held_model`.
    """
    taken = model_control.given(PAGE, prepared.choice)
    if taken is not None and method_of(taken).name == method:
        return model_control.begun(PAGE, taken, prepared)
    config = model_control.begun(PAGE, default_config(method, prepared), prepared)
    if not ALGORITHMS[config.algorithm].is_chain:
        return replace(config, effort=EFFORT_OF_A_CELL)
    n_sweeps, burn_in = SWEEPS_OF_A_CHAIN
    # without splits and merges: a grid may vary the temperature, which excludes them
    return replace(config, n_sweeps=n_sweeps, burn_in=burn_in, split_merge=0)


def with_partition_prior() -> list[str]:
    """Methods whose partition prior is free to choose."""
    return [
        name for name, method in METHODS.items() if ALGORITHMS[method.algorithm].uses_model and not method.partition
    ]


def minimising_nll() -> list[str]:
    """Methods that end at a partition where no single move lowers the nll."""
    return [name for name, method in METHODS.items() if ALGORITHMS[method.algorithm].minimises_nll]


def _main_setting(
    key: str, method: str, base: RunConfig, prepared: PreparedData, prior_name: str | None
) -> dict[str, Any]:
    """Draw the algorithm's own parameters, or the partition prior with its parameters."""
    algorithm, own = ALGORITHMS[base.algorithm], f"{key}.base"
    if algorithm.uses_model:
        assert base.partition is not None
        names = plain_priors(method) if prior_name is None else [prior_name]
        return {"partition": partition_popover(f"{own}.partition", own, names, base.partition, vars(base.partition))[0]}
    chosen: dict[str, Any] = {}
    for option in algorithm.options:
        if option.name in algorithm.main and option.varies:
            typical = typical_value(algorithm.name, option.name, prepared.choice, prepared.X)
            name = option.name if typical is None else f"{option.name}.{naming.data_key(prepared.choice)}"
            chosen[option.name] = own_control(f"{own}.{name}", algorithm, option, base, prepared, {}, width=200)
    return chosen


def _say_the_rest(
    place: str, config: RunConfig, asked: RunConfig, held: RunConfig, prepared: PreparedData, main: bool
) -> None:
    """Name what all runs share in one line, and offer those of Explore, or another prior."""
    words, algorithm, choice = [method_of(config).title], ALGORITHMS[config.algorithm], prepared.choice
    if main:
        prior = config.partition.title if algorithm.uses_model and config.partition is not None else ""
        words.append(f"{prior} {naming.main_parameters(config)} where it is not varied".strip())
    if algorithm.uses_model:
        words.append(model_control.in_words(asked, held, prepared))
    if algorithm.is_chain:
        words.append(f"{config.n_sweeps} sweeps, {config.burn_in} of them burn-in")
    data = choice.of_every_method().data
    given = model_control.given(PAGE, choice)
    last = next((run for run in history.runs() if run.choice.of_every_method().data == data), None)
    said = [f"Every run: {' · '.join(words)}.", *model_control.notes_on(asked, held, choice)]
    if config.prior == SHAPE:
        said.append("Every run, and every fold, learns its own.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escape_markdown(" ".join(said)))
        taken = None if last is None else last.settings if last.settings.prior == SHAPE else last.config
        if taken is not None and given != taken:
            st.button(
                "Start from Explore’s run",
                key=f"tune.take.{place}",
                type="tertiary",
                icon=":material/input:",
                help=f"All tabs then start from {escape_markdown(describe(taken))}.",
                on_click=take_over,
                args=(taken, choice),
            )
        model_control.other_priors(PAGE, asked, choice)
        if given is not None or model_control.is_changed(PAGE, asked, held, choice):
            st.button(
                "Back to the defaults",
                key=f"tune.back.{place}",
                type="tertiary",
                icon=":material/undo:",
                on_click=_back_to_defaults,
                args=(choice,),
            )


def _back_to_defaults(choice: DataChoice) -> None:
    take_over(RunConfig(), choice)
    state.settings().pop(model_control.given_key(PAGE))
