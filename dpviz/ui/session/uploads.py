"""Uploads, bounded in memory: Streamlit itself keeps every file until its session ends."""

from __future__ import annotations

import itertools
import sys
import threading
from collections import OrderedDict
from typing import Any
from weakref import WeakSet

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from dpviz.datasets.tables import Table, read_isolated
from dpviz.errors import InvalidDataError

MOST_FILES = 2
"""Files of a session that wait to be read: a table, and a stored run."""
MOST_WAITING_BYTES = 500_000_000
"""Bytes of all files that wait to be read."""
MOST_HELD_BYTES = 500_000_000
"""Bytes of all tables kept for reading again with other settings; the last one stays even if it alone exceeds this."""

_ticks = itertools.count()
_lock = threading.Lock()
_held: WeakSet[Held] = WeakSet()


class Held:
    """The content of a session's table, until the memory is needed for others.

    Parameters
    ----------
    content : bytes or str
    """

    def __init__(self, content: bytes | str) -> None:
        self._content: bytes | str | None = content
        self._used = next(_ticks)
        with _lock:
            _held.add(self)
            for oldest in sorted(_held, key=lambda one: one._used)[:-1]:
                if sum(one.n_bytes for one in _held) <= MOST_HELD_BYTES:
                    break
                oldest._content = None

    @property
    def content(self) -> bytes | str:
        """What was uploaded.

        Raises
        ------
        InvalidDataError
            If it was dropped.
        """
        content = self._content
        if content is None:
            raise InvalidDataError(
                "This table was dropped to make room for those of others, or forgotten in another tab; choose the file "
                "or paste the rows again."
            )
        self._used = next(_ticks)
        return content

    def drop(self) -> None:
        """Let the content go."""
        self._content = None

    @property
    def n_bytes(self) -> int:
        """Its size; 0 once it was dropped."""
        return 0 if self._content is None else sys.getsizeof(self._content)


def take(file: UploadedFile) -> bytes:
    """Return the content of a file and remove it from Streamlit's memory."""
    content = file.getvalue()
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    return content


def read(held: Held, filename: str, **options: Any) -> Table:
    """Read a session's table in another process, in the session's turn.

    Parameters, result and errors are those of :func:`~dpviz.datasets.tables.read_isolated`.
    """
    context = get_script_run_ctx()
    return read_isolated(held.content, filename, owner=context.session_id if context else "", **options)


def limit(
    manager: MemoryUploadedFileManager, most_files: int = MOST_FILES, most_bytes: int = MOST_WAITING_BYTES
) -> None:
    """Bound the uploaded files that a server keeps before they are read; the latest stay.

    Parameters
    ----------
    manager : MemoryUploadedFileManager
        Store of the server's uploads. It accepts a file with every request, even one that no page asked for.
    most_files : int
        For each session.
    most_bytes : int
        For all sessions together.
    """
    add = manager.add_file
    waiting: OrderedDict[tuple[str, str], int] = OrderedDict()
    lock = threading.Lock()

    def add_file(session_id: str, file: UploadedFileRec) -> None:
        with lock:
            add(session_id, file)
            waiting.pop((session_id, file.file_id), None)
            waiting[session_id, file.file_id] = len(file.data)
            for session, name in [key for key in waiting if not manager.get_files(key[0], [key[1]])]:
                del waiting[session, name]  # read, or gone with its session
            own = [key for key in waiting if key[0] == session_id]
            for session, name in own[:-most_files]:
                manager.remove_file(session, name)
                del waiting[session, name]
            while len(waiting) > 1 and sum(waiting.values()) > most_bytes:
                (session, name), _ = waiting.popitem(last=False)
                manager.remove_file(session, name)

    manager.add_file = add_file  # type: ignore[method-assign]  # Streamlit accepts no other manager
