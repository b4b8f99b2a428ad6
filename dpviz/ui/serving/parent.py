"""Ending with the parent: programs that a server starts end when it does, even when it is killed.

Run as a script, it imports nothing of dpviz and does this for any other program.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence


def when_parent_ends(act: Callable[[], object]) -> None:
    """Call a function in its own thread once standard input is closed: only the parent holds its other end."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1024):  # unbuffered: the buffer's lock would block the exit
            pass
        act()

    threading.Thread(target=watch, daemon=True).start()


def run(command: Sequence[str]) -> int:
    """Run a command until it ends, the parent ends or this process gets a signal; return its exit code."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: process.terminate())
    when_parent_ends(process.terminate)
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
