"""The settings of one page in its address: JSON under a parameter of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpviz.text import read_json


class PageLink:
    """A parameter of the address that is followed once, and kept in step with what the page shows.

    Parameters
    ----------
    parameter : str
        Its name.
    longest : int
        Most characters that are read.
    remembered : int
        How many of the addresses that a session followed or wrote last are no links to follow. A browser may still send
        one that was written some moments ago, which must not undo a click; but going back to it is then not followed.
    """

    def __init__(self, parameter: str, longest: int, remembered: int = 1) -> None:
        self.parameter, self.longest, self._remembered = parameter, longest, remembered

    def arrived(self) -> str | None:
        """Return what a link that has just been opened says, once; None without one."""
        text = st.query_params.get(self.parameter)
        if text is None or text in self._known():
            return None
        self._note(text)
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
        """Put what is shown into the address."""
        self._note(text)
        if st.query_params.get(self.parameter) != text:
            st.query_params[self.parameter] = text

    def _known(self) -> list[str]:
        known: list[str] = st.session_state.setdefault(f"{self.parameter} links known", [])
        return known

    def _note(self, text: str) -> None:
        known = self._known()
        if text in known:
            known.remove(text)
        known.append(text)
        del known[: -self._remembered]


def as_text(values: Mapping[str, Any]) -> str:
    """Write settings as short JSON."""
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)
