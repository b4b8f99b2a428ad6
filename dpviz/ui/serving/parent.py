"""Ending with the parent: what a server starts ends when it does, even when it is killed.

Run as a script, with nothing of dpviz imported, it lends this to a program that knows nothing of it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence


def when_parent_ends(act: Callable[[], object]) -> None:
    """Call a function, in a thread of its own, once the standard input ends: only the parent has its other end."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1024):  # not by its buffer, whose lock would be in the way at the end
            pass
        act()

    threading.Thread(target=watch, daemon=True).start()


def run(command: Sequence[str]) -> int:
    """Run a command until it ends, or the parent does, or this process is told to; return its exit code."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: process.terminate())
    when_parent_ends(process.terminate)
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
