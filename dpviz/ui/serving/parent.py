"""Ending with the parent: programs that a server starts end when it does, even when it is killed."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable


def when_parent_ends(act: Callable[[], object]) -> None:
    """Call a function in its own thread once standard input is closed: only the parent holds its other end."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1024):  # unbuffered: the buffer's lock would block the exit
            pass
        act()

    threading.Thread(target=watch, daemon=True).start()
