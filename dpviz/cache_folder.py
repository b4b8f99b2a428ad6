"""The folder of what dpviz can make again (kernels, finished runs, embeddings), and what may be removed there.

The place is the user's, and anything may lie in it. So everything of ours is below one folder of our own, and only
what is certainly ours is ever removed from that.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path

from dpviz.files import opened

KEEP_SECONDS = 30 * 24 * 3600
"""Seconds since its last use after which the folder of another version is removed."""
MARKER = "made-by-dpviz.txt"
"""File in every folder that may be removed some day."""
_MARK = "dpviz made this folder, and removes it when it was not used for 30 days. Nothing is lost with it.\n"
_NOT_KEPT = (
    "Compiled code cannot be kept in {} ({}), so that {}, which takes up to minutes.{} Let DPVIZ_CACHE_DIR name a "
    "folder that you can write to, or that root has filled (docs/host.md, “Compiled kernels”)."
)
_NAME = re.compile(r"(runs-)?[0-9a-f]{16}")
_CONTENT = re.compile(
    rf"{re.escape(MARKER)}"
    r"|.+\.nb[ic](\.tmp\.[0-9a-f]+)?"  # numba's
    r"|pace\.json|pace\w+\.part"  # measured speeds
    r"|compiled"  # says that all kernels are
    r"|[0-9a-f]{32}\.run|run\w+\.part"  # finished runs
)


def cache_root() -> Path:
    """Folder that is dpviz's own.

    Returns
    -------
    pathlib.Path
        ``dpviz-cache`` in ``$DPVIZ_CACHE_DIR`` if that is set, else ``dpviz`` in the user's cache folder. For a user
        without a home it is one that cannot be made.
    """
    chosen = os.environ.get("DPVIZ_CACHE_DIR")
    if chosen:
        return _from_home(chosen) / "dpviz-cache"
    return _from_home(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "dpviz"


def _from_home(path: str) -> Path:
    """Take “~” for the user's own folder, as a shell does: many files that set variables are read by none."""
    found = os.path.expanduser(path)
    return Path(os.devnull if found.startswith("~") else found)  # of a user without a home: nothing is kept


def open_folder(folder: Path) -> None:
    """Make a folder in :func:`cache_root`, mark it as dpviz's, and note that it is used now.

    Parameters
    ----------
    folder : Path
        Its name is 16 hexadecimal digits, after ``runs-`` for finished runs.

    Raises
    ------
    OSError
    """
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # of a call the last folder alone has this mode
    folder.mkdir(exist_ok=True, mode=0o700)
    marker = folder / MARKER
    is_empty = marker.is_file() and not marker.stat().st_size  # as a full disk leaves it
    if not marker.is_symlink() and (is_empty or not marker.exists()):  # a pipe or a socket is none of ours
        _mark(folder, marker)
    os.utime(folder)
    with suppress(OSError):  # earlier versions remove what lies beside their own folders by its age
        os.utime(folder.parent)


def opened_cache(folder: Path) -> tuple[Path | None, str]:
    """Open the folder of compiled code, and remove what other versions left beside it.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    readable : Path or None
        Folder whose code may be run: another's code would run as this user. One that can be written to has to belong
        to root or this user, and not to be open to everyone; one that cannot is given, without links, if nobody but
        root and this user can change anything in it.
    not_kept : str
        Why nothing can be stored there, as a sentence; empty if it can.
    """
    try:
        open_folder(folder)
        if os.access(folder, os.W_OK):
            if why := why_not_ours(folder):
                return None, _NOT_KEPT.format(folder, why, "every start compiles anew", "")
            remove_unused(folder)
            return folder, ""
        reason = os.strerror(errno.EACCES)
    except OSError as error:
        reason = error.strerror or str(error)
    found, anew, why = _resolved(folder), "every start compiles anew", ""
    changeable = None if found is None else _changeable(found)
    if changeable is not None:
        found, why = None, f" What is there is not used, since others than root and you may change {changeable}."
    elif found is not None:
        anew += " what is not there"
    return found, _NOT_KEPT.format(folder, reason, anew, why)


def why_not_ours(folder: Path) -> str:
    """Say why what lies in a folder of :func:`cache_root` may be somebody else's; empty if it is this user's.

    Raises
    ------
    OSError
        If it is not there.
    """
    strange = next(filter(_is_strange, (folder.parent, folder)), None)
    return "" if strange is None else f"another user owns {strange}, or everyone may write there: chmod o-w"


def _is_strange(folder: Path) -> bool:
    """Whether somebody else may have put something there; to root, as in containers, no user of the machine is one."""
    if not hasattr(os, "getuid"):
        return False
    facts = folder.stat()
    return facts.st_uid not in (0, os.getuid()) and os.getuid() != 0 or bool(facts.st_mode & stat.S_IWOTH)


def _resolved(folder: Path) -> Path | None:
    """Return a folder without links in its name; None if there is none that can be read."""
    try:
        found = folder.resolve(strict=True)
        return found if found.is_dir() and os.access(found, os.R_OK | os.X_OK) else None
    except (OSError, RuntimeError):  # the latter is a circle of links, before Python 3.13
        return None


def _changeable(folder: Path) -> Path | None:
    """Return a file or folder, of all in a folder and those above it, that others than root and this user may change.

    In a folder above, such as :file:`/tmp`, others may add what they like if they cannot rename what is not theirs.
    """
    for above in folder.parents:
        if _is_of_others(above, may_add=True):
            return above
    for place, inner, names in os.walk(folder):
        for path in (Path(place), *(Path(place, name) for name in (*inner, *names))):
            if _is_of_others(path):
                return path
    return None


def _is_of_others(path: Path, may_add: bool = False) -> bool:
    facts = path.lstat()
    if not hasattr(os, "getuid") or facts.st_uid not in (0, os.getuid()) or stat.S_ISLNK(facts.st_mode):
        return True
    adding = may_add and facts.st_mode & stat.S_ISVTX
    return bool(facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)) and not adding


def _mark(folder: Path, marker: Path) -> None:
    """Write the marker, or leave neither an empty one nor an empty folder, which would stay for ever."""
    try:
        marker.write_text(_MARK, encoding="utf-8")
    except OSError:
        with suppress(OSError):
            marker.unlink()
        with suppress(OSError):  # if it is empty
            folder.rmdir()
        raise


def remove_unused(kept: Path) -> None:
    """Remove the folders beside ``kept`` that dpviz made, that hold nothing else, and that nobody used lately.

    What cannot be read or removed stays.

    Parameters
    ----------
    kept : Path
        Folder of this version.
    """
    with suppress(OSError):
        for folder in kept.parent.iterdir():
            if folder.name != kept.name and _NAME.fullmatch(folder.name):
                with suppress(OSError):
                    _remove_if_unused(folder)


def _remove_if_unused(folder: Path) -> None:
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or time.time() - facts.st_mtime <= KEEP_SECONDS or not _is_marked(folder):
        return
    files, folders = [], []
    for place, inner, names in os.walk(folder):
        files += [Path(place, name) for name in names]
        folders += [Path(place, name) for name in inner]
    links = any(path.is_symlink() for path in (*files, *folders))
    if links or not all(_CONTENT.fullmatch(file.name) for file in files):
        return
    for file in files:
        file.unlink()
    for inner_folder in (*reversed(folders), folder):  # each fails if something was added meanwhile
        inner_folder.rmdir()


def _is_marked(folder: Path) -> bool:
    marker = folder / MARKER
    if marker.is_symlink():
        return False
    with opened(marker, "rb") as file:
        return bool(file.read(len(_MARK) + 1) == _MARK.encode())
