"""Who uses which cores: no core is used by two long computations, in all processes of a user's servers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

from dpviz.cache_folder import cache_root
from dpviz.files import opened
from dpviz.fit.steps import n_cores

try:
    import fcntl
except ImportError:  # other systems than Unix, on which every server is one process
    fcntl = None  # type: ignore[assignment]

_here: set[int] = set()
_lock = threading.Lock()


class Cores(NamedTuple):
    """Number of cores to use, at least 1, and whether these are all of the machine."""

    number: int
    are_all: bool


@cache
def folder() -> Path:
    """Folder that all processes of a user's servers share, whatever their versions."""
    return cache_root()


@contextmanager
def held_cores(most: int | None = None) -> Iterator[Cores]:
    """Hold up to so many cores, or all, that no other computation holds.

    Each core is a locked file, which the kernel lets go when its process ends, however it ends. If no core is free, one
    is used all the same: a computation that a reader waits for goes on beside others, but not on all their cores.
    """
    number = n_cores()
    wanted = number if most is None else min(most, number)
    with ExitStack() as held:
        taken = 0
        for core in range(number):
            if taken < wanted and _take(core, held):
                taken += 1
        yield Cores(max(taken, 1), taken == number)


def _take(core: int, held: ExitStack) -> bool:
    """Take a core, unless another computation has it: of this process, or of another."""
    with _lock:
        if core in _here:
            return False
        _here.add(core)
    file = _locked(folder() / f"core-{core}.lock")
    if file is None:
        _give_back(core)
        return False
    held.callback(_give_back, core)
    held.enter_context(file)
    return True


def _give_back(core: int) -> None:
    with _lock:
        _here.discard(core)


def _locked(path: Path) -> IO[bytes] | None:
    """Return a file that is open and locked; None if another process has it locked."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = opened(path, "ab")
    except OSError:  # no such folder or file can be had: cores are counted in this process only
        return open(os.devnull, "ab")
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    except OSError:  # a file system without locks
        pass
    return file
