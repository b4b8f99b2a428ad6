"""What Ctrl-C meets while the command ``dpviz`` starts: importing the library takes seconds.

The package is imported before any module of it, so this is the first that the package imports, and acts on import.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

INTERRUPTED = 130
"""Exit code that shells expect after SIGINT."""


def _begin() -> None:
    """Let Ctrl-C end the process at once, with one line, if it is the command."""
    meets = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # in the background of a shell it is ignored
    if meets and threading.current_thread() is threading.main_thread() and _is_the_command():
        signal.signal(signal.SIGINT, _leave)


def end() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_the_command() -> bool:
    """Whether the process runs ``dpviz`` or ``python -m dpviz.cli``, whose module is not known yet."""
    if sys.argv[:1] == ["-m"]:
        return ["-m", "dpviz.cli"] in [sys.orig_argv[place : place + 2] for place in range(len(sys.orig_argv))]
    return Path(sys.argv[0] if sys.argv else "").name in ("dpviz", "dpviz.exe")


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: nothing has begun, and modules half imported may turn an exception into another."""
    os.write(2, b"dpviz: interrupted\n")
    os._exit(INTERRUPTED)


_begin()
