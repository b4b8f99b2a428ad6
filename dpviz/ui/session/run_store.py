"""Finished runs on disk, so that all processes of a server can show a run that one of them made.

The files are this program's own, in the folder that also holds its compiled kernels. They are still not trusted:
before any number of a file is shown, its content is compared with its digest, its name and the data.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.cache_folder import cache_root, open_folder
from dpviz.config import RunConfig
from dpviz.engine.stored import digest, fingerprint
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError, TraceFormatError
from dpviz.files import opened

MOST_STORED_BYTES = 200_000_000
"""Bytes of all files together; the least recently used are removed."""
MOST_FILE_BYTES = 20_000_000
"""Bytes of one file. Writing one takes about as long as a click, and reading it must not hold up a page."""
MOST_LABEL_BYTES = 50_000_000
"""Bytes of labels that a file may unpack to."""
MOST_SECONDS = 7 * 24 * 3600.0
"""Seconds since its last use after which a file is removed."""
_ABANDONED_SECONDS = 3600.0
_MAGIC = b"dpviz-finished-run-1\n"
_DIGEST_BYTES = 32
_SUFFIX, _PREFIX, _UNFINISHED = ".run", "run", ".part"
_OWN = re.compile(rf"[0-9a-f]{{32}}\{_SUFFIX}|{_PREFIX}\w+\{_UNFINISHED}")

_log = logging.getLogger(__name__)


class StoredRun(NamedTuple):
    """A run as it is stored.

    Attributes
    ----------
    trace : Trace
    asked : RunConfig or None
        Settings of the controls, if the run was made with others.
    notes : tuple of str
    """

    trace: Trace
    asked: RunConfig | None
    notes: tuple[str, ...]


class RunStore:
    """Finished runs in a folder, by the data and the configuration that made them.

    Several processes may use one folder: a file is written whole under another name first, so readers find all of it
    or nothing.

    Parameters
    ----------
    folder : Path
        Made when the first run is stored.
    most_bytes : int
        Bytes of all files together; at most one file more while it is being written.
    most_seconds : float
        Seconds since its last use after which a file is removed.
    """

    def __init__(self, folder: Path, most_bytes: int = MOST_STORED_BYTES, most_seconds: float = MOST_SECONDS) -> None:
        self._folder, self._most_bytes, self._most_seconds = folder, most_bytes, most_seconds

    def put(self, data: str, config: RunConfig, run: StoredRun) -> None:
        """Store a run under the data's and the configuration's names, unless it is too large or cannot be written.

        Parameters
        ----------
        data : str
            Text that identifies the data uniquely.
        config : RunConfig
            Configuration under which the run can be requested.
        run : StoredRun
            Runs with explicit parameters are not stored: their pictures need these, and files do not hold them.
        """
        trace, asked = run.trace, run.asked
        if trace.parameters or trace.labels.nbytes > MOST_LABEL_BYTES:
            return
        if asked is not None and not _leads_to(asked, trace.config):
            return
        content = _pack(_key(data, config), run)
        if len(content) > min(MOST_FILE_BYTES, self._most_bytes):
            return
        try:
            open_folder(self._folder)
            self._write(self._path(data, config), content)
            self._make_room()
        except OSError as error:  # a full disk must not lose the run
            _log.warning("A finished run could not be stored in %s: %s", self._folder, error)

    def find(self, data: str, config: RunConfig, load: Callable[[], FloatArray]) -> StoredRun | None:
        """Return the run that is stored for data and configuration; None if there is none or it cannot be trusted.

        Parameters
        ----------
        data, config
            As in :meth:`put`.
        load : callable
            Returns the data (N, D); called only if there is a file. Its exceptions are not caught.
        """
        path = self._path(data, config)
        content = _content(path)
        if content is None:
            return None
        X = load()
        try:
            run = _unpack(content, _key(data, config), config, X)
            os.utime(path)
        except DpvizError as error:
            _log.warning("A stored run is not used, and removed: %s", error)
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        except OSError:  # another process has removed it in the meantime
            pass
        return run

    def _path(self, data: str, config: RunConfig) -> Path:
        return self._folder / (hashlib.blake2b(_key(data, config).encode(), digest_size=16).hexdigest() + _SUFFIX)

    def _write(self, path: Path, content: bytes) -> None:
        handle, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_UNFINISHED, dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _make_room(self) -> None:
        """Remove old and unfinished files, and, beyond the limit, the least recently used ones."""
        now, files = time.time(), []
        for path in self._folder.iterdir():
            try:
                facts = path.lstat()
            except FileNotFoundError:  # removed by another process
                continue
            if not _OWN.fullmatch(path.name) or not stat.S_ISREG(facts.st_mode):
                continue
            if now - facts.st_mtime > (self._most_seconds if path.suffix == _SUFFIX else _ABANDONED_SECONDS):
                path.unlink(missing_ok=True)
            elif path.suffix == _SUFFIX:
                files.append((facts.st_mtime_ns, facts.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._most_bytes:
                break
            path.unlink(missing_ok=True)
            total -= size


def default_folder() -> Path:
    """Folder for runs of exactly this version of dpviz, in the user's cache."""
    return cache_root() / f"runs-{_version()}"


@cache
def _version() -> str:
    """Digest of everything that determines a run: another version never shows the runs of this one."""
    package = Path(__file__).resolve().parents[2]
    result = hashlib.blake2b(np.__version__.encode(), digest_size=8)
    for path in sorted(package.rglob("*.py")):
        result.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return result.hexdigest()


def _key(data: str, config: RunConfig) -> str:
    return json.dumps([data, config.to_json()])


def _pack(key: str, run: StoredRun) -> bytes:
    facts = {
        "key": key,
        "asked": None if run.asked is None else run.asked.to_json(),
        "notes": run.notes,
        "digest": digest(run.trace),
    }
    body = json.dumps(facts).encode() + b"\n" + run.trace.to_json().encode()
    return _MAGIC + hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() + body


def _content(path: Path) -> bytes | None:
    """Read a file, if it exists and is no larger than the largest that is written."""
    try:
        with opened(path, "rb") as file:
            content = file.read(MOST_FILE_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= MOST_FILE_BYTES else b""


def _unpack(content: bytes, key: str, config: RunConfig, X: FloatArray) -> StoredRun:
    """Read a stored run; raise a DpvizError unless it is complete and exactly the requested run."""
    start = len(_MAGIC) + _DIGEST_BYTES
    body = content[start:]
    claimed = content[len(_MAGIC) : start]
    whole = hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() == claimed
    _hold(content.startswith(_MAGIC) and whole, "it is damaged")
    line, _, text = body.partition(b"\n")
    try:
        facts = json.loads(line)
        found_key, asked_text, notes, expected = (facts[name] for name in ("key", "asked", "notes", "digest"))
        trace_text = text.decode()
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TraceFormatError("its head cannot be read") from error
    _hold(found_key == key, "it is of other data or settings")
    _hold(isinstance(notes, list) and all(isinstance(note, str) for note in notes), "its notes are no texts")
    asked = None if asked_text is None else RunConfig.from_json(asked_text)
    trace = Trace.from_json(trace_text, n_points=len(X), most_bytes=2 * MOST_LABEL_BYTES)
    _hold(config in (trace.config, asked), "it was made with other settings")
    _hold(asked is None or _leads_to(asked, trace.config), "it was made with other settings than asked for")
    _hold(trace.data == fingerprint(X), "it was made from other data")
    _hold(digest(trace) == expected, "it is not the run that was stored")
    return StoredRun(trace, asked, tuple(notes))


def _hold(condition: bool, problem: str) -> None:
    if not condition:
        raise TraceFormatError(problem)


def _leads_to(asked: RunConfig, made: RunConfig) -> bool:
    """Return whether ``asked``, which leaves some of the model to the data, can have led to a run with ``made``."""
    return asked.is_automatic and made.with_model_of(asked) == asked
