"""The command ``dpviz``, which meets Ctrl-C from its first line on: importing the library takes seconds.

It is outside the package because Python imports a package before any module of it.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
"""Exit code that shells expect after SIGINT."""
_MESSAGE = "dpviz: interrupted\n"


def main() -> int:
    """Run the command line of the process and return its exit code."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # in the background of a shell Ctrl-C is ignored, and stays so
        signal.signal(signal.SIGINT, _leave)
    from dpviz.cli import main as command

    try:
        signal.signal(signal.SIGINT, before)
        return command()
    except KeyboardInterrupt:
        sys.stderr.write(_MESSAGE)
        return INTERRUPTED


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: nothing has begun, and modules half imported may turn an exception into another."""
    os.write(2, _MESSAGE.encode())
    os._exit(INTERRUPTED)
