"""Which addresses count as links to follow, and the settings of one page in its address as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.text import read_json

MOST_KNOWN = 200
MOST_CHARACTERS = 64_000
"""Longest address that is written: browsers and servers take it, and the proxy before several servers."""
TOO_LONG = (
    "These settings are too long for an address, which holds a part of them: neither a reload nor a link to this page "
    "brings all of them back."
)

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
    """A parameter of the address that is followed once, and kept in step with what the page shows.

    Parameters
    ----------
    parameter : str
        Its name.
    longest : int
        Most characters that are read.
    """

    def __init__(self, parameter: str, longest: int) -> None:
        self.parameter, self.longest = parameter, longest
        READ_PARAMETERS.add(parameter)
        self._addresses = Addresses(f"{parameter} links known")

    def arrived(self) -> str | None:
        """Return the text of a link that has just been opened, once; None without one."""
        text = st.query_params.get(self.parameter)
        if text is None or not self._addresses.is_link(text):
            return None
        self._addresses.note(text)
        return text

    def read(self, text: str) -> dict[str, Any]:
        """Read a link's JSON object.

        Raises
        ------
        ValueError, RecursionError
            If it is too long, or no such object.
        """
        if len(text) > self.longest:
            raise ValueError("too long")
        values = read_json(text)
        if not isinstance(values, dict):
            raise ValueError("not an object")
        return values

    def keep(self, text: str) -> None:
        """Write the settings shown into the address."""
        self._addresses.note(text)
        write({self.parameter: text})

    def keep_what_fits(self, values: Mapping[str, Any], *shorter: Mapping[str, Any]) -> None:
        """Write the settings shown into the address, or the first shorter version that fits, and say so on the page."""
        texts = [as_text(version) for version in (values, *shorter)]
        kept = next((text for text in texts if len(text) <= self.longest), texts[-1])
        if kept != texts[0]:
            st.caption(TOO_LONG)
        self.keep(kept)


def as_text(values: Mapping[str, Any]) -> str:
    """Write settings as short JSON."""
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)
