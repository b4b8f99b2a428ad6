"""Kernels that are compiled while the server answers already, in one process of low priority.

Nothing waits for it but pages that compute, and these for :data:`dpviz.engine.warm.FIRST` only; what else is missing
when it is needed is compiled on the spot.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from dpviz._jit import NOT_KEPT
from dpviz.analysis.warm import warm_posterior
from dpviz.engine import warm
from dpviz.ui.serving.parent import when_parent_ends

POSTERIOR = "summaries of posteriors"
_log = logging.getLogger(__name__)


class Progress(NamedTuple):
    """How far compiling is.

    Attributes
    ----------
    title : str
        What is being compiled.
    done, total : int
        Steps.
    """

    title: str
    done: int
    total: int

    @property
    def waiting(self) -> bool:
        """Whether pages that compute wait."""
        return self.done < len(warm.FIRST)


_now: Progress | None = None


def progress() -> Progress | None:
    """Return how far compiling is; None once nothing is being compiled any more."""
    return _now


def begin() -> None:
    """Compile what is missing, in a process that ends with this one; say on standard output how far it is."""
    if NOT_KEPT or warm.is_done():
        return
    global _now
    _now = Progress(next(iter(_titles())), 0, len(_titles()))
    threading.Thread(target=_compile, daemon=True).start()


def _compile() -> None:
    """Compile, once more if the process ended early: what it compiled is kept, so that the next needs less memory."""
    global _now
    try:
        if _follow(_begun()):
            _follow(_begun())
    except OSError as error:  # of a process that cannot begin
        _log.warning("The engine cannot be compiled ahead (%s); what is missing is compiled when it is used.", error)
    finally:
        _now = None  # pages wait for it


def _begun() -> subprocess.Popen[str]:
    """Start a process that compiles what is missing; modules of the folder it is started in are not ours (-P)."""
    command = [sys.executable, "-P", "-m", __name__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="replace")


def _follow(process: subprocess.Popen[str]) -> int:
    """Say how far a process is until it ends; return its exit code."""
    global _now
    assert process.stdout is not None
    titles = _titles()
    _say("the engine is being compiled, once; the first pages work already.")
    for line in process.stdout:
        title = line.strip()
        if title in titles:
            _now = Progress(title, titles.index(title), len(titles))
            _say(f"compiling [{_now.done + 1}/{_now.total}] {title}")
    code = process.wait()
    if code:
        _log.warning(
            "Compiling the engine ended early (exit code %s); what is missing is compiled when it is used.", code
        )
    else:
        _say("the engine is compiled.")
    return code


def _say(words: str) -> None:
    """Print a line in one piece: another thread prints, too."""
    with suppress(OSError):  # a server's output may be closed
        print(f"dpviz: {words}\n", end="", flush=True)


def steps() -> dict[str, Callable[[], None]]:
    """Return everything that pages use and that is compiled, by its title."""
    return {**warm.steps(), POSTERIOR: warm_posterior}


def _titles() -> tuple[str, ...]:
    return tuple(steps())


def _compile_all() -> None:
    """Run all steps, one after the other, naming each on standard output."""
    if hasattr(os, "nice"):
        os.nice(10)  # the server and the browser go first
    when_parent_ends(lambda: os._exit(1))
    for title, step in steps().items():
        print(title, flush=True)
        step()
    warm.note_done()


if __name__ == "__main__":
    _compile_all()
