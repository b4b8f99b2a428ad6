"""Settings of the chains of the Posterior page, and their controls."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dpviz.analysis.sampling import N_STARTS, different_starts
from dpviz.config import RunConfig
from dpviz.config_values import is_open, is_shape
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, Algorithm, describe, method_of
from dpviz.engine.options import COARSENING, OPTIONS, START_WORDS
from dpviz.families.automatic import AUTOMATIC, SHAPE
from dpviz.fit.width import has_width
from dpviz.text import escape_markdown, in_words
from dpviz.ui.controls import model_control, widgets
from dpviz.ui.controls.cluster_controls import EXACT, coarsening_control
from dpviz.ui.controls.partition_control import control_values, initial_partition, partition_popover, plain_priors
from dpviz.ui.controls.run_controls import default_config
from dpviz.ui.session import history, naming, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData

MOST_CHAINS = 8
MOST_SWEEPS = 100_000
USUAL = {"chains": 4, "n_sweeps": 1000, "burn_in": 200, "split_merge": 1, "seed": 0}
"""Default settings of the page."""
KEPT_BYTES = 40_000_000
"""Labels of all chains together; of longer chains one sweep in two, three, … is kept."""
PAGE = "posterior"
_PARTITION = "posterior.partition"


@dataclass(frozen=True)
class Setup:
    """Several chains of one posterior.

    Attributes
    ----------
    config : RunConfig
        Their common settings, with the seed of the first; no burn-in, since it is chosen afterwards.
    n_chains : int
    """

    config: RunConfig
    n_chains: int

    @property
    def identity(self) -> tuple[RunConfig, int]:
        """Settings that determine the chains; thinning does not change them."""
        return replace(self.config, thin=1), self.n_chains

    def configs(self, n_points: int) -> tuple[RunConfig, ...]:
        """Return the configuration of every chain."""
        return different_starts(self.config, self.n_chains, n_points)

    def longer(self, n_sweeps: int) -> Setup:
        """Return the same chains with another length."""
        return replace(self, config=replace(self.config, n_sweeps=n_sweeps))


def chain_methods() -> list[str]:
    """Methods that draw chains of a model."""
    return [name for name, method in METHODS.items() if _has_model(ALGORITHMS[method.algorithm])]


def _has_model(algorithm: Algorithm) -> bool:
    return algorithm.is_chain and algorithm.uses_model


def controls(prepared: PreparedData) -> tuple[Setup, int] | None:
    """Draw all settings; return the chains, and the sweeps left out at the start of each.

    None while short runs still choose the model, which all chains share. It is chosen for the partition prior and the
    seed of the method's defaults, so that another N0 or seed changes nothing else.
    """
    choice = prepared.choice
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = widgets.select(
            "Method", "posterior.method", chain_methods(), format_func=naming.method_title, width=130
        )
        values: dict[str, Any] = {}
        names, initial = plain_priors(method), initial_partition(method, choice)
        values["partition"], values["hyperpriors"] = partition_popover(
            _PARTITION, _PARTITION, names, initial, n_points=len(prepared.X)
        )
        begun = model_control.begun(PAGE, default_config(method, prepared), prepared)
        filling = {"missing": begun.missing, "algorithm": begun.algorithm}
        asked = model_control.with_family(PAGE, _family_key(choice), begun, prepared, **filling, width=270)
        n_chains = widgets.number("Chains", "posterior.chains", USUAL["chains"], 1, MOST_CHAINS, width=80)
        n_sweeps = widgets.number("Sweeps", "posterior.n_sweeps", USUAL["n_sweeps"], 2, MOST_SWEEPS, width=110)
        burn_in = widgets.number(
            "Burn-in",
            "posterior.burn_in",
            min(USUAL["burn_in"], n_sweeps // 2),
            0,
            n_sweeps - 1,
            width=110,
            help="Sweeps at the start of each chain that nothing below is computed from. Changing it runs nothing.",
        )
        with st.popover("More", icon=":material/tune:"):
            values["split_merge"] = widgets.number(
                "Splits, merges",
                "posterior.split_merge",
                USUAL["split_merge"],
                0,
                1000,
                help="Proposals per sweep to divide a cluster or unite two; they reach what moves of single points "
                "miss.",
            )
            values["seed"] = widgets.number("Seed", "posterior.seed", USUAL["seed"], 0, 2**32 - 1)
    given = model_control.given(PAGE, choice)
    if given is not None and given.family == asked.family:  # its prior is meant along its directions, under its powers
        columns = [] if given.is_automatic else [name for name in choice.model if isinstance(getattr(begun, name), str)]
        own = {name: getattr(given, name) for name in ("family", "prior", "missing", *columns)}
        asked = replace(begun, kinds=asked.kinds, **own)
    held = model_control.held_model(PAGE, asked, prepared)
    if held is None:
        return None
    if state.value(_coarsening_key(choice), EXACT) != EXACT:  # it came with Explore's model, or a link
        values["coarsening"] = coarsening_control(_coarsening_key(choice), prepared)
    values |= {"n_sweeps": n_sweeps, "burn_in": 0, "thin": thinning(n_chains, n_sweeps, len(prepared.X))}
    algorithm = ALGORITHMS[METHODS[method].algorithm]
    model = (COARSENING.name,)  # an option of models rather than of algorithms
    had = {n: value for n, value in values.items() if n not in OPTIONS or n in model or algorithm.has_option(n)}
    setup = Setup(replace(held, **had), n_chains)
    _say_the_rest(setup, asked, held, prepared)
    return setup, burn_in


def thinning(n_chains: int, n_sweeps: int, n_points: int) -> int:
    """Return how many sweeps to make per kept draw, so that the labels of all chains fit into memory."""
    return min(max(math.ceil(n_chains * n_sweeps * n_points / KEPT_BYTES), 1), n_sweeps)


def _family_key(choice: DataChoice) -> str:
    return f"{PAGE}.family.{naming.data_key(choice)}"


def _coarsening_key(choice: DataChoice) -> str:
    return f"{PAGE}.coarsening.{naming.data_key(choice)}"


def apply(config: RunConfig, choice: DataChoice) -> None:
    """Set all controls to the model of a configuration, which has one; call it before they are drawn."""
    chain = config.algorithm if _has_model(ALGORITHMS[config.algorithm]) else "gibbs"
    method = method_of(RunConfig(chain, partition=config.partition)).name
    values = control_values(_PARTITION, config) | {"posterior.method": method, _family_key(choice): config.family}
    values[_coarsening_key(choice)] = EXACT if config.coarsening is None else config.coarsening
    state.put(values)
    model_control.give(PAGE, config, choice)


def apply_link(config: RunConfig, choice: DataChoice) -> None:
    """Set all controls to the chains of a link, once its model is known to be chosen by short runs or not.

    Raises
    ------
    ValueError
        If it is no chain.
    """
    if not ALGORITHMS[config.algorithm].is_chain:
        raise ValueError("not a chain")
    usual = is_open(config.prior) and model_control.asked_prior(PAGE, choice) is None
    if usual or is_shape(config.prior):  # of no link that the page wrote
        model_control.ask_for(PAGE, choice, SHAPE if is_shape(config.prior) else AUTOMATIC)
    apply(config, choice)
    numbers = {"n_sweeps": min(config.n_sweeps, MOST_SWEEPS), "split_merge": config.split_merge, "seed": config.seed}
    state.put({f"{PAGE}.{name}": number for name, number in numbers.items()})
    for family in model_control.linked_families(PAGE)[:1]:
        state.put({_family_key(choice): family})
        state.settings().pop(model_control.given_key(PAGE))  # its prior is left to the data


def _choose_again(choice: DataChoice) -> None:
    """Leave the prior to the data; a family that came with one stays."""
    kept = state.settings().pop(model_control.given_key(PAGE), None)
    family = state.settings().get(_family_key(choice))
    model_control.ask_for(PAGE, choice, AUTOMATIC)
    if kept is not None:
        state.put({_family_key(choice): family})


def _say_the_rest(setup: Setup, asked: RunConfig, held: RunConfig, prepared: PreparedData) -> None:
    """Name in one line the settings without controls, and offer those of Explore, or another prior."""
    config, choice = setup.config, prepared.choice
    assert config.partition is not None
    starts = [START_WORDS[str(each.init)] for each in setup.configs(len(prepared.X))][:N_STARTS]
    kinds = in_words([f"“{start}”" for start in starts])
    kept = f" One sweep in {config.thin} is kept." if config.thin > 1 else ""
    laws = {name: str(law) for name, law in config.hyperpriors or ()}
    partition = f"{config.partition.title}, {config.partition.describe(laws)}"
    model = f"{partition}; {model_control.in_words(asked, held, prepared)}."
    words = " ".join([model, *model_control.notes_on(asked, held, choice), f"Starts: {kinds}.{kept}"])
    runs = [run for run in history.runs() if run.choice.data == choice.data]
    last = next((run for run in runs if run.config.uses_model), None)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escape_markdown(words))
        if last is not None and not _same_model(last.config, config):
            st.button(
                "Take Explore’s model",
                key="posterior.take",
                type="tertiary",
                icon=":material/input:",
                help=f"Family and priors of {escape_markdown(describe(last.config))}.",
                on_click=apply,
                args=(last.config, choice),
            )
        model_control.other_priors(PAGE, asked, choice)
        by_width = has_width(replace(held, prior=None))
        own = not asked.is_automatic and (by_width or config.prior is not None)
        if own or model_control.is_changed(PAGE, asked, held, choice):
            st.button(
                "Choose by nll" if by_width else "Shape prior from the data",
                key="posterior.forget",
                type="tertiary",
                icon=":material/undo:",
                on_click=_choose_again,
                args=(choice,),
            )


def _same_model(one: RunConfig, other: RunConfig) -> bool:
    names = ("family", "partition", "prior", "hyperpriors", "missing", "directions", "transform", "coarsening")
    return all(getattr(one, name) == getattr(other, name) for name in names)
