"""Links that restore a comparison: ``?panels=`` holds the panels' own settings, ``same=`` what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dpviz.analysis.effort import MOST_STARTS
from dpviz.config import RunConfig
from dpviz.config_versions import check_version
from dpviz.engine.algorithms.base import METHODS, method_of
from dpviz.errors import DpvizError, InvalidParameterError, refused, require
from dpviz.text import escape_markdown, read_json
from dpviz.ui.controls.run_controls import default_config
from dpviz.ui.controls.setting import one_of, whole
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import LONGEST_LINK, DataChoice, prepare
from dpviz.ui.shell import links, prior_factors
from dpviz.ui.shell.page_link import TOO_LONG, Addresses, as_text, fits, write
from dpviz.ui.stage import scales
from dpviz.ui.stage.panels import EFFORTS, FEWEST, FIRST_METHODS, MOST, OWN, Common, set_panels

SAME: dict[str, tuple[Callable[[Any], bool], str]] = {
    "seed": (lambda seed: seed is None or whole(0, 2**32 - 1)(seed), "a whole number below 2^32"),
    "order": (lambda order: isinstance(order, bool), "true or false"),
    "start": (lambda start: start is None or whole(1, 1000)(start), "a whole number between 1 and 1000"),
    "effort": (one_of(EFFORTS), f"one of {', '.join(name for name in EFFORTS if name)}, or left out"),
    "starts": (whole(1, MOST_STARTS), f"a whole number between 1 and {MOST_STARTS}"),
    "scale": (scales.is_scale, f"a number of clusters from 1, {scales.SUGGESTED!r}, or left out"),
}
"""What links may say that panels have in common, and how that is told."""
_DROPPED = "What the link's panels have in common could not all be restored."
_NOTICES = "compare notices"
_ADDRESSES = Addresses("compare links known")


def restore() -> bool:
    """Follow a link to a comparison, once, and say which parts of it could not be followed.

    Returns
    -------
    bool
        Whether there is one. Its panels name the models of their runs, or leave them to the data.
    """
    text = st.query_params.get("panels")
    followed = text is not None and _ADDRESSES.is_link(text)
    if text is not None and followed:
        _ADDRESSES.note(text)
        choice, notices = state.chosen_data(), []  # type: ignore[var-annotated]
        panels = read_panels(text, notices, choice)
        same = read_common(st.query_params.get("same"), notices)
        scales.choose(same.pop("scale", scales.AS_FOUND))
        set_panels(panels, Common(**same), choice)
        st.session_state[_NOTICES] = notices
    for notice in st.session_state.pop(_NOTICES, []):
        st.warning(escape_markdown(notice), icon=":material/link_off:")
    return followed


def remember(choice: DataChoice, own: Sequence[RunConfig | str], common: Common) -> None:
    """Update the address from the controls."""
    links.remember(choice)
    configs = [config for config in own if isinstance(config, RunConfig)]
    text = write_panels(configs, choice)
    is_short = fits({"data": choice.to_json(), "panels": text})
    if not is_short:
        st.caption(TOO_LONG)
    if len(configs) < len(own) or not is_short:
        write({"panels": None, "same": None})  # a link would restore another comparison
        return
    _ADDRESSES.note(text)
    write({"panels": text, "same": write_common(common, scales.asked())})


def write_panels(configs: Sequence[RunConfig], choice: DataChoice) -> str:
    """Panels on some data as one line of JSON: a list of :func:`~dpviz.ui.shell.prior_factors.to_query` objects."""
    return as_text([prior_factors.to_query(config, choice) for config in configs])


def read_panels(text: str, notices: list[str], choice: DataChoice) -> list[RunConfig]:
    """Inverse of :func:`write_panels`; the text may be hostile.

    Parameters
    ----------
    text : str
    notices : list of str
        Receives a message for each unreadable part.
    choice : DataChoice
        The data, for the defaults that replace unreadable parts.
    """
    others = [name for name in METHODS if name not in FIRST_METHODS]
    defaults = [default_config(method, prepare(choice)) for method in [*FIRST_METHODS, *others]]
    try:
        entries = _parsed(text)
        require(isinstance(entries, list), "panels", type(entries).__name__, "a list")
        for entry in (each for each in entries if isinstance(each, dict)):
            check_version(entry)
    except DpvizError as error:
        notices.append(f"The link's panels could not be restored, so the usual ones are shown. {str(error)[:300]}")
        return defaults[: len(FIRST_METHODS)]
    if len(entries) > MOST:
        notices.append(f"The link has {len(entries)} panels; the first {MOST} are shown.")
    configs = []
    for number, entry in enumerate(entries[:MOST]):
        try:
            require(isinstance(entry, dict), "the panel", entry, "an object")
            configs.append(prior_factors.from_query(entry, choice))
        except DpvizError as error:
            name = method_of(defaults[number]).title
            notices.append(f"Panel {number + 1} of the link cannot be restored and became {name}. {str(error)[:300]}")
            configs.append(defaults[number])
    if len(configs) < FEWEST:
        notices.append(f"A comparison has {FEWEST} panels at least, so the link's were filled up.")
        configs += defaults[len(configs) : FEWEST]
    return configs


def write_common(common: Common, scale: int | str = scales.AS_FOUND) -> str:
    """Return the panels' common settings as JSON, and the scale at which their results are shown."""
    left_out = {"effort", "starts"} if common.effort == OWN else set()
    values: dict[str, Any] = {name: value for name, value in vars(common).items() if name not in left_out}
    return as_text(values if scale == scales.AS_FOUND else {**values, "scale": scale})


def read_common(text: str | None, notices: list[str]) -> dict[str, Any]:
    """Inverse of :func:`write_common`: fields of :class:`Common`, and the scale, without what nobody can set."""
    if text is None:
        return {}
    found = {}
    try:
        values = _parsed(text)
        require(isinstance(values, dict), "same", type(values).__name__, "an object")
    except DpvizError as error:
        notices.append(f"{_DROPPED} {str(error)[:300]}")
        return {}
    for name, (allows, bound) in SAME.items():
        if name not in values:
            continue
        if allows(values[name]):
            found[name] = values[name]
        else:
            notices.append(f"{_DROPPED} {refused(name, values[name], bound)}")
    return found


def _parsed(text: str) -> Any:
    require(len(text) <= LONGEST_LINK, "the link", f"{len(text):,} characters", f"at most {LONGEST_LINK:,}")
    try:
        return read_json(text)
    except (ValueError, RecursionError) as error:
        raise InvalidParameterError(f"It is not JSON: {error}") from error
