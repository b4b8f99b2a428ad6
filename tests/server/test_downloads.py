"""Files made for a download are there when the browser asks for them, whatever other sessions do meanwhile."""

from __future__ import annotations

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from dpviz.ui.session import downloads


class Server:
    """Streamlit's files, and a clock to set."""

    def __init__(self, kept: bool = True) -> None:
        self.now = 100.0
        self.storage = MemoryMediaFileStorage("/media")
        if kept:
            downloads.keep(self.storage, 30.0, lambda: self.now)
        self.files = MediaFileManager(self.storage)

    def pressed(self, content: bytes) -> str:
        """Address of what a button makes."""
        button = self.files.add_deferred(lambda: content, "text/csv", "button", "labels.csv")
        return self.files.execute_deferred(button)

    def scripts_end(self, n_scripts: int = 2) -> None:
        """Other sessions' pages are drawn."""
        for _ in range(n_scripts):
            self.files.remove_orphaned_files()

    def fetched(self, address: str) -> bytes:
        return self.storage.get_file(address.rpartition("/")[2]).content


def test_streamlit_alone_deletes_what_nobody_has_fetched_yet():
    server = Server(kept=False)
    address = server.pressed(b"1,2")
    server.scripts_end()
    with pytest.raises(MediaFileStorageError):
        server.fetched(address)


def test_a_file_waits_for_the_browser_and_not_for_ever():
    server = Server()
    address = server.pressed(b"1,2")
    server.now += 29.0
    server.scripts_end(20)
    assert server.fetched(address) == b"1,2"
    server.now += 2.0
    server.pressed(b"3,4")
    with pytest.raises(MediaFileStorageError):
        server.fetched(address)


def test_a_file_that_is_made_again_waits_again():
    server = Server()
    server.pressed(b"1,2")
    server.scripts_end()
    server.now += 29.0
    address = server.pressed(b"1,2")
    server.scripts_end()
    server.now += 29.0
    server.pressed(b"3,4")
    assert server.fetched(address) == b"1,2"


def test_what_a_page_still_shows_stays():
    server = Server()
    address = server.files.add(b"5,6", "text/csv", "button", "all.csv", is_for_static_download=True)
    server.now += 100.0
    server.scripts_end()
    assert server.fetched(address) == b"5,6"
