"""Files that are made when a download is asked for: they stay until the browser has fetched them."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

SECONDS = 30.0
"""How long a busy browser may take to ask for a file that was made for it."""


def keep(
    storage: MemoryMediaFileStorage, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
) -> None:
    """Let files stay for a while after they were made.

    Streamlit makes the file when its button is pressed, and sends its address. It deletes the file as soon as the
    scripts of two sessions have ended, fetched or not: while others use the server, a browser may find nothing.

    Parameters
    ----------
    storage : MemoryMediaFileStorage
        Files of the server. Its caller lets one thread in at a time.
    seconds : float
        A file that is no longer needed is deleted when some file is made or deleted after this time.
    clock : callable
    """
    load, delete = storage.load_and_get_id, storage.delete_file
    made: dict[str, float] = {}
    unneeded: set[str] = set()

    def load_and_get_id(
        path_or_data: str | bytes, mimetype: str, kind: MediaFileKind, filename: str | None = None
    ) -> str:
        file = load(path_or_data, mimetype, kind, filename)
        made[file] = clock()
        unneeded.discard(file)
        delete_old()
        return file

    def delete_file(file_id: str) -> None:
        unneeded.add(file_id)
        delete_old()

    def delete_old() -> None:
        now = clock()
        for file in [file for file in unneeded if now - made.get(file, now - seconds) >= seconds]:
            delete(file)
            unneeded.discard(file)
            made.pop(file, None)

    storage.load_and_get_id = load_and_get_id  # type: ignore[method-assign]  # Streamlit makes the storage itself
    storage.delete_file = delete_file  # type: ignore[method-assign]
