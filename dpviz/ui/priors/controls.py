"""Choice of priors and of their parameters, which all tabs share."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.errors import DpvizError
from dpviz.parameters import Parameter, Size
from dpviz.partition import PARTITION_PRIORS, PartitionPrior
from dpviz.partition.product_form import log_size_times_log
from dpviz.text import escape_markdown
from dpviz.ui.controls import partition_control, widgets
from dpviz.ui.priors.dials import Dial, dial_of
from dpviz.ui.session import state

WHICH, LARGEST_SEED = "priors.which", 2**31 - 1
_SUGGESTED = "priors suggested"
MOST_PRIORS = 6
"""Most priors side by side: each has its own colour."""
FUNCTIONS = {log_size_times_log: "g(n) = n (1 + ln n)"}
"""Text for parameters that no slider sets."""


def parameter_key(name: str) -> str:
    """Name the control of a parameter in the session's settings."""
    return f"priors.{name}"


def control_name(prior: str, parameter: Parameter) -> str:
    """Name the control of a prior's parameter, which all priors share that have a number of its name."""
    return parameter.name if parameter.number else f"{prior}.{parameter.name}"


def shared_parameters() -> dict[str, Parameter]:
    """Parameters of all priors that a control can set, by its name; of equal names the first counts."""
    found: dict[str, Parameter] = {}
    for name, prior in PARTITION_PRIORS.items():
        for parameter in prior.parameters:
            if parameter.has_control:
                found.setdefault(control_name(name, parameter), parameter)
    return found


def side_by_side(
    suited: Sequence[str], more: DeltaGenerator | None = None, with_dials: bool = False
) -> list[PartitionPrior]:
    """Choose priors and their parameters; those that the settings do not allow are left out, with a message.

    Parameters
    ----------
    suited : sequence of str
        Names of the priors that suit what is shown; the reader's own choice goes before them.
    more : DeltaGenerator, optional
        Where the choice of the priors goes; by default before their parameters.
    with_dials : bool
        Whether the picture has sliders of its own for the parameters that have :func:`dials_of`.
    """
    with more or nullcontext():
        names = _which([name for name in suited if name in PARTITION_PRIORS] or list(PARTITION_PRIORS)[:1])
    turned = {dial.name: dial.values[dial.place] for dial in dials_of(names)} if with_dials else {}
    values = {**parameter_controls(names, list(turned)), **turned}
    found = []
    for name in names:
        try:
            found.append(_with_values(name, values))
        except DpvizError as error:
            title = PARTITION_PRIORS[name].title
            st.warning(escape_markdown(f"{title} is left out: {error}"), icon=":material/warning:")
    return found


def dials_of(names: Sequence[str]) -> list[Dial]:
    """Return the dials of all parameters of some priors that have one."""
    wanted = {control_name(name, parameter) for name in names for parameter in PARTITION_PRIORS[name].parameters}
    found = [dial_of(n, parameter_key(n), parameter) for n, parameter in shared_parameters().items() if n in wanted]
    return [dial for dial in found if dial is not None]


def one_prior(label: str, key: str, names: Sequence[str], left_out: Sequence[str] = ()) -> PartitionPrior:
    """Choose one prior and its parameters.

    Parameters
    ----------
    label, key : str
        Of the select box.
    names : sequence of str
        The priors to choose from.
    left_out : sequence of str
        Parameters without a control.

    Raises
    ------
    InvalidParameterError
        If the settings contradict each other.
    """
    name = widgets.select(label, key, list(names), format_func=lambda n: PARTITION_PRIORS[n].title, width=330)
    return _with_values(name, parameter_controls([name], left_out))


def with_numbers(prior: PartitionPrior) -> str:
    """Name a prior with its parameters."""
    said = [prior.describe(), *(FUNCTIONS[p.default] for p in prior.parameters if p.default in FUNCTIONS)]
    return f"{prior.title}, {', '.join(said)}"


def _with_values(name: str, values: Mapping[str, Any]) -> PartitionPrior:
    """Build a prior from the values of controls by their names."""
    controls = {p.name: control_name(name, p) for p in PARTITION_PRIORS[name].parameters}
    own = {parameter: values[control] for parameter, control in controls.items() if control in values}
    return partition_control.default_partition(name, own)


def _which(suited: list[str]) -> list[str]:
    """Choose among the registered priors; at least one is always chosen.

    What a tab suggested is replaced by what the next one suggests, until the reader chooses.
    """
    suggested = state.settings().get(_SUGGESTED)
    if suggested not in (None, suited) and state.value(WHICH) == suggested:
        state.put({WHICH: suited})
    state.settings()[_SUGGESTED] = suited
    value = [name for name in state.value(WHICH, suited) if name in PARTITION_PRIORS]
    st.pills(
        "Priors: add another to see it beside",
        list(PARTITION_PRIORS),
        selection_mode="multi",
        key=WHICH,
        default=widgets.default_of(WHICH, value),
        format_func=lambda name: PARTITION_PRIORS[name].title,
    )
    chosen = [name for name in PARTITION_PRIORS if name in st.session_state[WHICH]][:MOST_PRIORS]
    state.settings()[WHICH] = chosen
    if not chosen:
        st.caption("None is chosen; the first is shown.")
    return chosen or list(PARTITION_PRIORS)[:1]


def parameter_controls(names: Sequence[str], left_out: Sequence[str] = ()) -> Mapping[str, Any]:
    """Draw one control for each parameter that one of the priors has, and say what is not plain from their titles."""
    chosen = [(name, PARTITION_PRIORS[name]) for name in names]
    wanted = {control_name(name, p) for name, prior in chosen for p in prior.parameters} - set(left_out)
    shown = {name: parameter for name, parameter in shared_parameters().items() if name in wanted}
    values: dict[str, Any] = {}
    for column, (name, parameter) in zip(st.columns(max(len(shown), 1)), shown.items(), strict=False):
        with column:
            values[name] = widgets.option_control(parameter, parameter_key(name), parameter.default, Size(1, 1))
    for _, prior in chosen:
        if prior.explanation:
            st.caption(escape_markdown(f"{prior.title}: {prior.explanation}"))
    return values


def seed_control(key: str) -> int:
    """Choose a seed, or draw one at random."""
    seed = widgets.number("Seed", key, 0, 0, LARGEST_SEED, width=130)
    st.button(":material/casino:", key=f"{key}.roll", help="Another seed", on_click=_roll, args=(key,))
    return seed


def _roll(key: str) -> None:
    state.put({key: secrets.randbelow(100_000)})
