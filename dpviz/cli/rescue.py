"""Second places for a result that cannot be written where it was asked for: computing it again may take hours."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from dpviz.files import write_whole

UNNAMED = "dpviz-result.txt"
"""Name for what was to go to stdout."""


def deliver(text: str, out: str | None, shorter: Callable[[], str] | None = None) -> str | None:
    """Write a result to a file or to stdout; if that fails, to a second place, and say on stderr why and where.

    Parameters
    ----------
    text : str
    out : str or None
        Value of ``--out``; None is stdout. Readers see all of an older result or all of the new one.
    shorter : callable, optional
        Returns the part of the result that matters most, for a terminal where no file can be written.

    Returns
    -------
    str or None
        Where the result is now, which is ``out`` unless that failed.

    Raises
    ------
    BrokenPipeError
        If the reader of stdout has gone.
    OSError
        If the result cannot be written anywhere.
    """
    try:
        _write(text, out)
        return out
    except BrokenPipeError:
        raise
    except OSError as error:
        if out is None:
            _give_up_stdout()
        reason = f"{'stdout' if out is None else out} cannot be written: {error.strerror or error}"
        return _rescued(text, out, reason, shorter)


def _write(text: str, out: str | None) -> None:
    if out is not None:
        write_whole(out, text)
        return
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    rest = memoryview(text.encode(sys.stdout.encoding, sys.stdout.errors or "strict"))
    while rest:  # without a buffer (PYTHONUNBUFFERED) Python forgets what a full disk did not take
        taken = raw.write(rest)
        if not taken:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        rest = rest[taken:]


def _rescued(text: str, out: str | None, reason: str, shorter: Callable[[], str] | None) -> str | None:
    """Write to the first second place that takes it, or in the end to stdout."""
    name = Path(out or UNNAMED)
    for folder in _second_places():
        with suppress(OSError):
            place = _written(text, folder, name)
            _say(f"{reason}. The result is not lost: it is in {place}")
            return place
    if out is None:
        raise OSError(f"{reason}; nor can any folder be written to. The result is lost.")
    in_short = shorter is not None and sys.stdout.isatty()
    try:
        _write(shorter() if shorter is not None and in_short else text, None)
    except OSError as error:
        _give_up_stdout()
        raise OSError(f"{reason}; nor can any folder or stdout be written to. The result is lost.") from error
    _say(f"{reason}; nor can any other folder. {'The labels are' if in_short else 'The result is'} on stdout")
    return None


def _second_places() -> Iterator[Path]:
    """Folders to try: for temporary files, the user's own, the present one."""
    for place in (tempfile.gettempdir, Path.home, Path.cwd):
        with suppress(OSError, RuntimeError):  # there may be none of these
            yield Path(place()).resolve()


def _written(text: str, folder: Path, name: Path) -> str:
    """Write a new file that nobody else can read or has made before, or none."""
    handle, path = tempfile.mkstemp(prefix=f"{name.stem}.", suffix=name.suffix, dir=folder)
    os.close(handle)
    try:
        write_whole(path, text)
    except BaseException:
        with suppress(OSError):
            Path(path).unlink()
        raise
    return path


def _give_up_stdout() -> None:
    """Throw away what stdout still holds, which Python would try to write once more at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(words: str) -> None:
    with suppress(OSError):  # stderr may be on the same full disk
        print(f"dpviz: {words}", file=sys.stderr, flush=True)
