"""The version of configurations, and the refusal of those that an earlier dpviz wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpviz.errors import TraceFormatError
from dpviz.text import quoted

VERSION = 8
"""Version of configurations that is written, and the only one that is read."""
_SETTLED = {
    "count_prior": "relative",
    "category_prior": "fitted",
    "imputation": "seen_cells",
    "split_merge_proposal": "sequential",
}
"""Rules that could be chosen once, each with the one that is followed now."""


def options_of(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a written configuration says, without its version and the rules that are followed anyway.

    Raises
    ------
    TraceFormatError
        If it is of another version, or follows another rule.
    """
    check_version(written)
    options = {name: value for name, value in written.items() if name != "version"}
    for name, followed in _SETTLED.items():
        if (rule := options.pop(name, followed)) != followed:
            raise TraceFormatError(
                f"This configuration has {name} = {quoted(rule)}, which could be chosen once; this dpviz follows "
                f"{followed!r} alone: make the run again."
            )
    return options


def check_version(written: Mapping[str, Any]) -> None:
    """Raise unless a configuration, or the part of a link that goes with some, is of the version that is read.

    Raises
    ------
    TraceFormatError
    """
    version = written.get("version")
    if version in (VERSION, str(VERSION)):  # in an address it is a text
        return
    number = quoted(version).strip("'")
    own = f"is of version {number}" if "version" in written else "names no version, as those of version 1"
    raise TraceFormatError(f"This configuration {own}; this dpviz reads version {VERSION}: make the run again.")
