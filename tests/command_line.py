"""The command line of a test, written as one types it."""

from __future__ import annotations

import shlex
import sys
from typing import Any

from dpviz.cli import main


def typed(*parts: Any) -> list[str]:
    """Words of texts, which are quoted as in a shell; a path is one word, and a list holds whole ones."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, str):
            found += shlex.split(part)
        else:
            found += map(str, part) if isinstance(part, (list, tuple)) else [str(part)]
    return found


def cli(*parts: Any) -> int:
    """The exit code of a command, which is run in this process."""
    return main(typed(*parts))


def own_process(*parts: Any) -> list[str]:
    """Words that start a command in a process of its own."""
    return [sys.executable, "-m", "dpviz.cli", *typed(*parts)]
