"""Ctrl-C, SIGTERM and a closed terminal: what is done is kept, and no worker outlives the command."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import os
import signal
import stat
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

INTERRUPTED = 130
"""Exit code that shells expect after SIGINT."""
_SIGNALLED = 128
"""What shells add to the number of a signal."""
_HANG_UP: Any = getattr(signal, "SIGHUP", None)
"""The signal of a terminal that was closed, or of a lost connection; Windows has none."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP, which end a command as Ctrl-C does."""


def exit_code(interrupt: BaseException) -> int:
    """Return the exit code that shells expect after an interrupt."""
    return int(interrupt.args[0]) if isinstance(interrupt, Terminated) else INTERRUPTED


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Raise :class:`Terminated` on SIGTERM and SIGHUP, instead of dying at once and leaving workers behind."""

    def end(number: int, frame: Any) -> None:
        _without_terminal(number)
        raise Terminated(_SIGNALLED + number)

    with contextlib.ExitStack() as handled:
        for number in _ending():
            handled.enter_context(_handling(number, end))
        yield


def _ending() -> list[Any]:
    """Signals that end a command; a hang-up that is ignored, as under nohup, stays so."""
    heard = _HANG_UP is not None and signal.getsignal(_HANG_UP) is not signal.SIG_IGN
    return [signal.SIGTERM, _HANG_UP] if heard else [signal.SIGTERM]


def _without_terminal(number: int) -> None:
    """Write no more to a terminal that is gone, which would fail before the result is written.

    A terminal that was hung up no longer says that it is one, but it still is a device.
    """
    if number == _HANG_UP and sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            if stat.S_ISCHR(os.fstat(sys.stderr.fileno()).st_mode):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


class Closed(io.TextIOBase):
    """A stream that was closed before Python started."""

    def write(self, text: str) -> int:
        """Raise an OSError."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


class Unfailing:
    """A stream whose words may be lost, with the terminal, pipe or disk that they go to, but end nothing.

    Parameters
    ----------
    stream : TextIO
        Where they go while that is possible.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        """Return anything else of the stream."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, or lose it."""
        self._guarded(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Write what is held back, or lose it."""
        self._guarded(self._stream.flush)

    def _guarded(self, act: Callable[[], Any]) -> None:
        try:
            act()
        except OSError:
            with contextlib.suppress(OSError, ValueError):  # or what is held back fails again when the process ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


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
    """Append the exit code of the first Ctrl-C, SIGTERM or SIGHUP to a list; the next one interrupts as usual."""
    codes: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *_ending())}

    def remember(number: int, frame: Any) -> None:
        _without_terminal(number)
        codes.append(_SIGNALLED + number)
        for known, handler in before.items():
            signal.signal(known, handler)

    with contextlib.ExitStack() as handled:
        for number in before:
            handled.enter_context(_handling(number, remember))
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
