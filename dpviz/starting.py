"""What Ctrl-C and a missing package meet while dpviz is imported, which takes the command ``dpviz`` seconds.

The package is imported before any module of it, so this is the first that the package imports, and acts on import.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType

from dpviz.errors import MissingPackageError

INTERRUPTED = 130
"""Exit code that shells expect after SIGINT."""


def _begin() -> None:
    """If the process is the command, let it say in one line what package it lacks, and let Ctrl-C end it at once."""
    if _is_the_command():
        sys.excepthook = _say_what_is_missing
    meets = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # in the background of a shell it is ignored
    if meets and threading.current_thread() is threading.main_thread() and _is_the_command():
        signal.signal(signal.SIGINT, _leave)


def end() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, and let errors be shown whole."""
    if sys.excepthook is _say_what_is_missing:
        sys.excepthook = sys.__excepthook__
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def needed_packages() -> Iterator[None]:
    """Say of a package that is missing what to install.

    Raises
    ------
    MissingPackageError
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if _is_ours(error):
            raise
        raise MissingPackageError(_in_words(error)) from error


def _is_ours(error: ModuleNotFoundError) -> bool:
    return (error.name or "dpviz").partition(".")[0] == "dpviz"


def _in_words(error: ModuleNotFoundError) -> str:
    package = (error.name or "").partition(".")[0]
    return (
        f"dpviz needs {package}, which this Python does not have: install dpviz with all that it needs, by "
        "'pip install dpviz', or in a checkout by 'make setup'."
    )


def _say_what_is_missing(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if isinstance(error, ModuleNotFoundError) and not _is_ours(error):
        error = MissingPackageError(_in_words(error))
    if isinstance(error, MissingPackageError):
        sys.stderr.write(f"dpviz: {error}\n")
    else:
        sys.__excepthook__(kind, error, traceback)


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
