"""Which addresses count as links to follow, and the settings of one page in its address as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.errors import DpvizError
from dpviz.text import escape_markdown, read_json
from dpviz.ui.controls.setting import UNCHANGED, Setting

MOST_KNOWN = 200
MOST_CHARACTERS = 64_000
"""Longest address that is written: browsers and servers take it, and the proxy before several servers."""
LONGEST = 8_000
"""Most characters of the settings of a page, as a rule."""
TOO_LONG = (
    "These settings are too long for an address, which holds a part of them: neither a reload nor a link to this page "
    "brings all of them back."
)

UNREADABLE = "The link's settings of this page could not be read; the defaults are shown."
READ_PARAMETERS = {"data", "run", "kept", "sweep", "scale", "ui", "panels", "same", "way"}
"""Names of all parameters that pages read, but for those of a :class:`PageLink`, which adds its own."""


class Addresses:
    """The addresses that a session followed or wrote, which do not count as links.

    A browser may still send one that was written some moments ago, which must not undo what the reader did since. It
    counts as a link again if the reader returns to it with the browser's buttons.

    Parameters
    ----------
    name : str
        Session key under which they are kept.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def is_link(self, address: str) -> bool:
        """Whether an address is to be followed; it counts as followed after :meth:`note`."""
        known = self._known()
        if hash(address) not in known:
            return True
        context = get_script_run_ctx(suppress_warning=True)
        return context is not None and context.is_history_navigation and hash(address) != known[-1]

    def note(self, address: str) -> None:
        """Note an address that is followed or written now."""
        self.forget(address)
        known = self._known()
        known.append(hash(address))
        del known[:-MOST_KNOWN]

    def forget(self, address: str) -> None:
        """Allow an address to be followed again."""
        if hash(address) in self._known():
            self._known().remove(hash(address))

    def _known(self) -> list[int]:
        known: list[int] = st.session_state.setdefault(self._name, [])
        return known


def write(changed: Mapping[str, str | None]) -> None:
    """Change parameters of the address, as one step of the browser's history; None removes one."""
    before = {key: st.query_params.get_all(key) for key in st.query_params}
    after = {key: values for key, values in before.items() if key not in changed}
    after |= {key: [value] for key, value in changed.items() if value is not None}
    if after != before:
        st.query_params.from_dict(after)


def fits(query: Mapping[str, str]) -> bool:
    """Whether an address can hold these parameters."""
    return len(urlencode(query)) <= MOST_CHARACTERS


class PageLink:
    """A parameter of the address that holds the settings of one page: followed once, then kept in step with them.

    Parameters
    ----------
    parameter : str
        Its name.
    longest : int
        Most characters that are read and written.
    unreadable : str
        What is said of a link that cannot be read.
    """

    def __init__(self, parameter: str, longest: int = LONGEST, unreadable: str = UNREADABLE) -> None:
        self.parameter, self.longest, self._unreadable = parameter, longest, unreadable
        READ_PARAMETERS.add(parameter)
        self._addresses = Addresses(f"{parameter} links known")

    def restore(self, settings: Iterable[Setting], other: Callable[[str], Setting | None] = lambda _: None) -> bool:
        """Take over the settings of a link that has just been opened, once, and say what of it could not be.

        Call it before the controls are drawn.

        Parameters
        ----------
        settings : iterable of Setting
            In the order in which they are read.
        other : callable
            Returns the setting of another name, if the page has it.

        Returns
        -------
        bool
            Whether there is such a link.
        """
        text = st.query_params.get(self.parameter)
        if text is None or not self._addresses.is_link(text):
            return False
        self._addresses.note(text)
        try:
            values = self._values(text)
            known = {setting.name: setting for setting in settings}
            further = {name: setting for name in values if name not in known and (setting := other(name)) is not None}
            _take(values, {**known, **further})
        except (ValueError, RecursionError) as error:
            said = f" {str(error)[:300]}" if isinstance(error, DpvizError) else ""
            warn(f"{self._unreadable}{said}")
        return True

    def _values(self, text: str) -> dict[str, Any]:
        values = read_json(text) if len(text) <= self.longest else None
        if not isinstance(values, dict):
            raise ValueError("no object")
        return values

    def remember(self, settings: Iterable[Setting]) -> None:
        """Write the settings shown into the address, those that fit, and say so on the page if some do not.

        Call it after the controls are drawn. Of those that are long the last goes first.
        """
        settings = list(settings)
        values = {setting.name: value for setting in settings if (value := setting.write()) is not None}
        long = [setting.name for setting in settings if setting.is_long and setting.name in values]
        text = everything = as_text(values)
        while len(text) > self.longest and long:
            del values[long.pop()]
            text = as_text(values)
        if text != everything:
            st.caption(TOO_LONG)
        self._addresses.note(text)
        write({self.parameter: text})


def _take(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Read the values of a link, and say so if some are none that the page has."""
    n_unknown = len(values.keys() - settings.keys())
    for name, setting in settings.items():
        value = values.get(name, setting.default)
        try:
            if value is not UNCHANGED:
                setting.read(value)
        except ValueError as error:
            if setting.unreadable:
                warn(f"{setting.unreadable} {str(error)[:300]}")
            elif isinstance(error, DpvizError):
                raise
            else:
                n_unknown += 1
    if n_unknown:
        warn("Some of the link's settings are unknown and were left out.")


def warn(words: str) -> None:
    """Say what of a link could not be followed."""
    st.warning(escape_markdown(words), icon=":material/link_off:")


def as_text(values: Any) -> str:
    """Write settings as short JSON."""
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)
