"""Ctrl-C and SIGTERM: what is done is kept, and no worker outlives the command."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import warnings
from collections.abc import Iterator
from typing import Any

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes that shells expect after SIGINT and SIGTERM."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does."""


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Raise :class:`Terminated` on SIGTERM, instead of dying at once and leaving workers behind."""

    def end(number: int, frame: Any) -> None:
        raise Terminated

    with _handling(signal.SIGTERM, end):
        yield


@contextlib.contextmanager
def bare_interrupts() -> Iterator[None]:
    """Raise an interrupt as itself where it hit Python code that a kernel's call runs.

    Arguments and results of kernels pass through some, and the call then ends with a SystemError that the interrupt
    caused.
    """
    try:
        yield
    except SystemError as error:
        cause = error.__cause__
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise cause from None
        raise


@contextlib.contextmanager
def remembered() -> Iterator[list[int]]:
    """Append the exit code of the first Ctrl-C or SIGTERM to a list; the next one interrupts as usual."""
    codes: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def remember(number: int, frame: Any) -> None:
        codes.append(INTERRUPTED if number == signal.SIGINT else TERMINATED)
        for known, handler in before.items():
            signal.signal(known, handler)

    with _handling(signal.SIGINT, remember), _handling(signal.SIGTERM, remember):
        yield codes


@contextlib.contextmanager
def _handling(number: int, handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only the main thread may handle signals
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def ignore_interrupts() -> None:
    """Make workers ignore Ctrl-C, which a terminal sends them too: the command ends them itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def quiet_cancelling() -> Iterator[None]:
    """Suppress joblib's warnings of cancelled calls: the command itself reports the interruption.

    It may also be handing out the next one while its workers end, which the log would show as an error.
    """
    log = logging.getLogger("concurrent.futures")
    log.addFilter(_is_news)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"[\s\S]*adjusting the input task iterator", category=UserWarning)
            yield
    finally:
        log.removeFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or kind.__name__ != "ShutdownExecutorError"


def end_workers() -> None:
    """End the processes that joblib keeps for the next call, at once."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)
