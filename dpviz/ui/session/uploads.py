"""What users upload, bounded in memory: Streamlit itself keeps every file until its session is gone."""

from __future__ import annotations

import itertools
import sys
import threading
from collections import OrderedDict
from weakref import WeakSet

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from dpviz.errors import InvalidDataError

MOST_FILES = 2
"""Files of a session that wait to be read: a table, and a stored run."""
MOST_WAITING_BYTES = 500_000_000
"""Bytes of all files that wait to be read."""
MOST_HELD_BYTES = 500_000_000
"""Bytes of all tables that may be read again with other settings; the last one stays even if it alone has more."""

_ticks = itertools.count()
_lock = threading.Lock()
_held: WeakSet[Held] = WeakSet()


class Held:
    """The content of a table that a session looks at, until others need the room.

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
                "This table was dropped to make room for those of others; choose the file or paste the rows again."
            )
        self._used = next(_ticks)
        return content

    @property
    def n_bytes(self) -> int:
        """Its size; 0 once it was dropped."""
        return 0 if self._content is None else sys.getsizeof(self._content)


def take(file: UploadedFile) -> bytes:
    """Return the content of a file, which Streamlit keeps no longer."""
    content = file.getvalue()
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    return content


def limit(
    manager: MemoryUploadedFileManager, most_files: int = MOST_FILES, most_bytes: int = MOST_WAITING_BYTES
) -> None:
    """Make a server keep no more of the files that nobody has taken yet; the latest stay.

    Parameters
    ----------
    manager : MemoryUploadedFileManager
        Where the server puts files. It takes one for every request with a new name, whatever the page asked for.
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
                del waiting[session, name]  # taken, or gone with its session
            own = [key for key in waiting if key[0] == session_id]
            for session, name in own[:-most_files]:
                manager.remove_file(session, name)
                del waiting[session, name]
            while len(waiting) > 1 and sum(waiting.values()) > most_bytes:
                (session, name), _ = waiting.popitem(last=False)
                manager.remove_file(session, name)

    manager.add_file = add_file  # type: ignore[method-assign]  # Streamlit offers no manager of one's own
