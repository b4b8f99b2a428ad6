"""Writing of files that hold a whole result, or stay as they were."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

_LONGEST = 50
"""Characters of a name that the temporary one repeats: file systems bound the bytes of names."""


def write_whole(path: str | Path, text: str) -> None:
    """Write a text as UTF-8: readers see all of the old file or all of the new one.

    Parameters
    ----------
    path : str or Path
        A symbolic link stays, and the file it names is replaced. What is no ordinary file, such as a pipe, is written
        to.
    text : str

    Raises
    ------
    OSError
        If it cannot be written, with the name of the file and the reason; an older file is as it was.
    """
    content = text.encode("utf-8", "replace")
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def unfinished(target: Path) -> Path:
    """Return a new name next to the target, for the file that replaces it once complete."""
    return target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(8)}.unfinished")


def _replace(target: Path, content: bytes) -> None:
    temporary, exists = unfinished(target), target.exists()
    mode = target.stat().st_mode & 0o777 if exists else 0o666  # no reader may have more of it than of the target
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if exists:
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
