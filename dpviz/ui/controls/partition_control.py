"""The controls of a partition prior: which one, its parameters, and the laws under which a chain learns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.prior_laws import mean_n_clusters_under
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, Algorithm
from dpviz.families.automatic import AUTOMATIC
from dpviz.parameters import Parameter, Size
from dpviz.partition import (
    AUTOMATIC_PARTITION,
    PARTITION_PRIORS,
    ChineseRestaurant,
    Hyperprior,
    PartitionPrior,
    Shifted,
    as_law,
)
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.kept import remembered

ABOUT_AUTOMATIC = (
    "This is the automatic choice: on labelled tables it leaves fewer single points and pieces of groups than N0 = 3, "
    "with which the lessons begin."
)
NODES_OF_A_LAW = (16, 5)
"""Nodes for averaging an expected number of clusters over the law of one parameter, and of each of two."""


def default_partition(name: str, values: Mapping[str, float]) -> PartitionPrior:
    """Build a partition prior from some of its parameters and the defaults of the others."""
    prior = PARTITION_PRIORS[name]
    return prior(**{p.name: values.get(p.name, p.default) for p in prior.parameters})


def initial_partition(method: str, choice: DataChoice) -> PartitionPrior:
    """Return the partition prior with which a method begins on some data.

    The method's own if it has one; that of the lessons on data of a scenario; else the automatic one.
    """
    chosen = METHODS[method]
    if chosen.partition:
        return default_partition(chosen.partition, chosen.partition_defaults)
    partition: PartitionPrior = RunConfig(partition=None if choice.source == "synthetic" else AUTOMATIC).partition
    return partition


def plain_priors(method: str) -> list[str]:
    """Return the partition priors that a method accepts: no functions, and none that would make it another method."""
    chosen = METHODS[method]
    if chosen.partition:
        return [chosen.partition]
    taken = {variant.partition for variant in ALGORITHMS[chosen.algorithm].variants}
    return [name for name in PARTITION_PRIORS if name not in taken and has_controls(name)]


def method_with(name: str, preferred: str | None = None) -> str | None:
    """Return a method that accepts a partition prior: the preferred one if it does, else the first; None if none does.

    Parameters
    ----------
    name : str
        Of the prior.
    preferred : str, optional
        For example the method chosen now.
    """
    with_model = [method for method in METHODS if ALGORITHMS[METHODS[method].algorithm].uses_model]
    fitting = [method for method in with_model if has_controls(name) and name in plain_priors(method)]
    return preferred if preferred in fitting else next(iter(fitting), None)


def has_controls(name: str) -> bool:
    """Return whether sliders and text fields set all parameters of a partition prior."""
    return all(parameter.has_control for parameter in PARTITION_PRIORS[name].parameters)


def partition_controls(
    key: str, name: str, start: Mapping[str, Any], n_points: int | None = None
) -> tuple[PartitionPrior, dict[str, Hyperprior] | None]:
    """Draw a slider per parameter of a partition prior, or of the law under which a chain learns it.

    Parameters
    ----------
    key : str
        First part of those of the controls.
    name : str
        Of the prior.
    start : mapping of str to object
        Where the sliders begin, else at the defaults.
    n_points : int, optional
        Of the data; without it nothing is learned.

    Returns
    -------
    PartitionPrior
        Start of the chain, where parameters are learned.
    dict of str to Hyperprior, or None
        Laws of the learned parameters; None if none is learned.
    """
    values: dict[str, Any] = {}
    laws: dict[str, Hyperprior] = {}
    learns = n_points is not None and n_points <= PARTITION_PRIORS[name].most_points_learned
    for parameter in PARTITION_PRIORS[name].parameters:
        control = f"{key}.{parameter.name}"
        given = values[parameter.name] = start.get(parameter.name, parameter.default)
        help_text = "A chain draws it after every sweep, given the clusters, instead of holding it at a value."
        if (
            learns
            and parameter.hyperprior
            and widgets.toggle(escape_markdown(f"Learn {parameter.symbol}"), f"{control}.{LEARN}", help=help_text)
        ):
            law = laws[parameter.name] = law_sliders(control, parameter)
            set_to = state.settings().get(control, given)
            values[parameter.name] = set_to if law.contains(set_to) else law.mean
        elif parameter.has_control:
            values[parameter.name] = widgets.option_control(parameter, control, given, Size(1, 1))
    return PARTITION_PRIORS[name](**values), laws or None


LEARN, LAW = "learn", "law"
"""Keys, after a parameter's own, of the toggle that lets it be learned, and of the form of its law."""


def law_sliders(control: str, parameter: Parameter) -> Hyperprior:
    """Draw a slider for each number of a learned parameter's law, and say what the law expects."""
    form = as_law(state.settings().get(f"{control}.{LAW}") or parameter.hyperprior)
    inner = form.law if isinstance(form, Shifted) else form
    about = f"{parameter.symbol} − {form.origin:g}" if isinstance(form, Shifted) else parameter.symbol
    values = {}
    for own in inner.parameters:
        title = escape_markdown(f"{inner.title} law of {about}: {own.name}")
        key = f"{control}.{LAW}.{own.name}"
        low, high = own.slider_range()
        values[own.name] = widgets.log_slider(title, key, getattr(inner, own.name), low, high, help=own.explanation)
    inner = replace(inner, **values)
    law = replace(form, law=inner) if isinstance(form, Shifted) else inner
    lower, upper = law.quantile(0.05), law.quantile(0.95)
    words = (
        f"Before seeing data {parameter.symbol} is {law.mean:.3g} on average, and with 90 % probability between "
        f"{lower:.3g} and {upper:.3g}."
    )
    st.caption(escape_markdown(words))
    return law


def control_values(key: str, config: RunConfig, learns: bool = True) -> dict[str, Any]:
    """Return the values of the controls that make the partition prior of a configuration; none if no controls do.

    Parameters
    ----------
    key : str
        Of the choice of the prior, and first part of those of its parameters.
    config : RunConfig
    learns : bool
        Whether a chain is to learn exactly the parameters that it learns.
    """
    partition = config.partition
    if partition is None or not has_controls(partition.name):
        return {}
    values: dict[str, Any] = {key: partition.name}
    laws = dict(config.hyperpriors or ())
    for parameter in partition.parameters:
        control, law = f"{key}.{partition.name}.{parameter.name}", laws.get(parameter.name)
        values[control] = getattr(partition, parameter.name)
        if not learns:
            continue
        values[f"{control}.{LEARN}"] = law is not None
        if law is not None:
            inner = law.law if isinstance(law, Shifted) else law
            values[f"{control}.{LAW}"] = str(law)
            values |= {f"{control}.{LAW}.{own.name}": getattr(inner, own.name) for own in inner.parameters}
    return values


OF_LESSONS = MappingProxyType({"concentration": 3.0})
"""Where the controls of another prior than the initial one begin."""


def _choose_prior(words: str, key: str, names: Sequence[str], initial: PartitionPrior, **arguments: Any) -> str:
    """Choose a partition prior, if there are several."""
    if len(names) == 1:
        return names[0]
    chosen: str = widgets.select(
        words, key, names, initial.name, format_func=lambda name: PARTITION_PRIORS[name].title, **arguments
    )
    return chosen


def partition_popover(
    key: str,
    own: str,
    names: Sequence[str],
    initial: PartitionPrior,
    others: Mapping[str, Any] = OF_LESSONS,
    n_points: int | None = None,
) -> tuple[PartitionPrior, dict[str, Hyperprior] | None]:
    """Choose a partition prior and its parameters in a popover, and return what :func:`partition_controls` does.

    Parameters
    ----------
    key, own : str
        Of the choice, and first part of those of the parameters.
    names : sequence of str
        The priors to choose from.
    initial : PartitionPrior
    others : mapping of str to object
        Where the parameters of other priors begin, else at their defaults.
    n_points : int, optional
        As for :func:`partition_controls`.
    """
    with st.popover("Partition prior", icon=":material/groups:"):
        name = _choose_prior("What is believed about cluster numbers and sizes", key, names, initial)
        start = vars(initial) if name == initial.name else others
        return partition_controls(f"{own}.{name}", name, start, n_points)


_ENDS = (
    '<div style="display: flex; justify-content: space-between; font-size: 0.75rem; margin-top: -0.75rem">'
    "<span>few clusters</span><span>many</span></div>"
)
"""What the ends of N0's slider stand for."""


def chosen_partition_controls(
    key: str, method: str, prepared: PreparedData, algorithm: Algorithm, place: AbstractContextManager[Any]
) -> dict[str, Any]:
    """Choose the partition prior, its parameters from their metadata, and which of them are learned.

    Parameters
    ----------
    key : str
        Of the choice, and first part of those of the parameters.
    method : str
    prepared : PreparedData
    algorithm : Algorithm
    place : context manager
        Where the parameters go, which come after the choice of the prior, but may be seen before it.
    """
    names, n_points, initial = plain_priors(method), len(prepared.X), initial_partition(method, prepared.choice)
    about = "What is believed about cluster numbers and sizes before seeing any data."
    name = _choose_prior("Partition prior", key, names, initial, help=about)
    start = vars(initial) if name == initial.name else OF_LESSONS
    with place:
        prior, laws = partition_controls(f"{key}.{name}", name, start, n_points if algorithm.learns else None)
        if name == ChineseRestaurant.name and not laws:
            st.html(_ENDS)
    if name == ChineseRestaurant.name and not laws:
        st.caption(
            "A new cluster weighs like N0 points, any other like its own: ten times N0 is worth "
            f"{np.log(10):.1f} nats of fit."
        )
    expected = expected_number_in_words(prior, n_points, tuple((laws or {}).items()))
    clusters, points = f"{expected} cluster{'' if expected == '1' else 's'}", counted(n_points, "point")
    st.caption(f"Before seeing data this expects {clusters} among {points}. {prior.explanation}")
    if prior == initial == AUTOMATIC_PARTITION:
        st.caption(ABOUT_AUTOMATIC)
    return {"partition": prior, "hyperpriors": laws or None}


@remembered(1_000_000)
def expected_number_in_words(
    prior: PartitionPrior, n_points: int, laws: tuple[tuple[str, Hyperprior], ...] = ()
) -> str:
    """Prior mean of K in words, over the laws of what is learned; the recursion behind it refuses some sizes."""
    try:
        return f"{mean_n_clusters_under(prior, dict(laws), n_points, NODES_OF_A_LAW[len(laws) > 1]):.3g}"
    except ValueError:
        return "an unknown number of"
