"""Writing of files that hold a whole result, or stay as they were; reading of ordinary files only."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

_LONGEST = 50
"""Characters of a name that the temporary one repeats: file systems bound the bytes of names."""

PAGE_MARK, SITE_MARK = (f'<meta name="generator" content="{name}">' for name in ("dpviz", "dpviz site"))
PAGE_START = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{PAGE_MARK}
<meta name="viewport" content="width=device-width, initial-scale=1">
"""
"""Beginning of its pages."""
SITE_START = PAGE_START.replace(PAGE_MARK, SITE_MARK)
"""Beginning of those that hold nothing of a user's, by which this package knows that it may replace them."""
_START_BYTES = 1_000


def write_whole(path: str | Path, text: str | bytes) -> None:
    """Write a text as UTF-8, or bytes: readers see all of the old file or all of the new one.

    Parameters
    ----------
    path : str or Path
        A symbolic link stays, and the file it names is replaced. What is no ordinary file with a name, such as a pipe
        or one of ``/dev/fd``, is written to.
    text : str or bytes

    Raises
    ------
    OSError
        If it cannot be written, with the name of the file and the reason; an older file is as it was.
    """
    content = text.encode("utf-8", "replace") if isinstance(text, str) else text
    try:
        target = target_of(path)
        if is_written_to(path):
            Path(path).write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def check_pages(paths: Iterable[str | Path], folder: str | Path | None = None, force: bool = False) -> None:
    """Raise, before anything is written, unless pages that hold nothing of a user's may have these names.

    Parameters
    ----------
    paths : iterable of str or Path
        A file that exists must begin with ``SITE_START``, or be no ordinary file, such as a pipe.
    folder : str or Path, optional
        One that no link among the names may lead out of.
    force : bool
        Whether other files may be replaced, too; links never lead out.

    Raises
    ------
    OSError
        Naming the file.
    """
    for path in paths:
        target = target_of(path)
        if folder is not None and not target.is_relative_to(target_of(folder)):
            raise FileExistsError(
                f"{path} leads out of {folder} by a link, to {target}. Remove it or give another folder."
            )
        if target.is_dir():
            raise IsADirectoryError(f"{path} is a folder. Rename it or give another name.")
        if not force and target.is_file() and not is_of_site(target):
            raise FileExistsError(
                f"{path} is no page that dpviz wrote, or has data or runs of yours, and would be replaced. Give "
                "another name, or replace it with --force (force=True)."
            )


def is_of_site(file: Path) -> bool:
    """Whether a file is a page of this package that holds nothing of a user's: no film, and no lab with data."""
    with open(file, "rb") as content:
        return SITE_MARK.encode() in content.read(_START_BYTES)


def is_written_to(path: str | Path) -> bool:
    """Whether a path names what is written to, such as a pipe, instead of a file that is replaced.

    Raises
    ------
    OSError
        As for :func:`target_of`.
    """
    target = target_of(path)  # of a pipe in /dev/fd it does not exist, nor of a deleted file that is still open
    return Path(path).exists() and not target.is_file()


def opened(path: Path, mode: str) -> IO[Any]:
    """Open an ordinary file; a pipe, folder or device is refused, not waited for.

    Parameters
    ----------
    path : Path
    mode : str
        As for :func:`open`.

    Raises
    ------
    OSError
    """

    def opener(name: str, flags: int) -> int:
        handle = os.open(name, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle
        os.close(handle)
        raise OSError(errno.EINVAL, "It is no ordinary file", name)

    return open(path, mode, opener=opener)


def target_of(path: str | Path) -> Path:
    """Return the file that a path names in the end.

    Raises
    ------
    OSError
        If links lead in a circle, or no file can have this name.
    """
    try:
        return Path(path).resolve()
    except RuntimeError as error:  # so Python before 3.13 calls a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    except ValueError as error:  # a null byte
        raise OSError(errno.EINVAL, str(error), repr(path)) from error


def unfinished(target: Path) -> Path:
    """Return a new name next to the target, for the file that replaces it once complete."""
    return target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(8)}.unfinished")


def _replace(target: Path, content: bytes) -> None:
    temporary, before = unfinished(target), target.stat() if target.exists() else None
    mode = 0o600 if before is not None else 0o666
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            os.chmod(temporary, _mode_with_owner(temporary, before))
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _mode_with_owner(file: Path, before: os.stat_result) -> int:
    """Give a file the owner and group of the one that it replaces, as far as may be; return the mode it may have."""
    mode = before.st_mode & 0o777
    if not hasattr(os, "chown"):
        return mode
    for owner in (before.st_uid, -1):
        with suppress(OSError):
            os.chown(file, owner, before.st_gid)
            return mode
    return mode & ~0o070  # another group than before must not read what that one could
