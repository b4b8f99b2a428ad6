"""What users upload is bounded: files are let go once read, waiting ones counted, tables dropped for want of room."""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

import pytest
from starlette.routing import Router
from starlette.types import Message
from streamlit import config
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec
from streamlit.web.server.starlette.starlette_routes import create_upload_routes

from dpviz.datasets.tables import isolated, read_isolated
from dpviz.errors import InvalidDataError
from dpviz.ui.data import upload
from dpviz.ui.session import uploads
from dpviz.ui.session.uploads import Held, limit


def manager(most_files: int, most_bytes: int) -> MemoryUploadedFileManager:
    made = MemoryUploadedFileManager("/upload")
    limit(made, most_files, most_bytes)
    return made


def add(to: MemoryUploadedFileManager, session: str, name: str, size: int = 10) -> None:
    to.add_file(session, UploadedFileRec(name, f"{name}.csv", "text/csv", bytes(size)))


def left(of: MemoryUploadedFileManager) -> set[tuple[str, str]]:
    return {(session, name) for session, files in of.file_storage.items() for name in files}


def test_a_session_that_sends_many_files_keeps_the_last_ones():
    files = manager(most_files=2, most_bytes=10_000)
    for number in range(50):
        add(files, "greedy", f"f{number}")
        add(files, "other", "same")  # sent again and again
    assert left(files) == {("greedy", "f48"), ("greedy", "f49"), ("other", "same")}


def test_all_sessions_together_keep_no_more_than_allowed():
    files = manager(most_files=2, most_bytes=100)
    for number in range(30):
        add(files, f"s{number}", "f", 30)
        assert sum(len(record.data) for held in files.file_storage.values() for record in held.values()) <= 100
    assert left(files) == {("s27", "f"), ("s28", "f"), ("s29", "f")}
    add(files, "large", "f", 1000)
    assert left(files) == {("large", "f")}  # a file that alone has more is still read


def test_files_that_were_taken_or_left_with_their_session_do_not_count():
    files = manager(most_files=2, most_bytes=100)
    add(files, "a", "1", 90)
    files.remove_file("a", "1")
    add(files, "b", "1", 90)
    files.remove_session_files("b")
    add(files, "c", "1", 50)
    add(files, "d", "1", 50)
    assert left(files) == {("c", "1"), ("d", "1")}


@pytest.fixture
def context(monkeypatch) -> MemoryUploadedFileManager:
    """A session named “me” whose page runs."""
    files = MemoryUploadedFileManager("/upload")

    class Context:
        session_id = "me"
        uploaded_file_mgr = files

    monkeypatch.setattr(uploads, "get_script_run_ctx", Context)
    return files


def test_a_table_is_taken_once_and_stays_when_the_widget_sees_that_it_is_gone(context, monkeypatch):
    state: dict[str, object] = {}
    monkeypatch.setattr(upload.st, "session_state", state)
    record = UploadedFileRec("1", "t.csv", "text/csv", b"a,b\n1,2\n")
    context.add_file("me", record)
    context.add_file("you", record)
    state["data file"] = UploadedFile(record, FileURLs())
    upload._take_file("data")
    assert left(context) == {("you", "1")}
    taken = state[upload._UPLOAD]
    assert isinstance(taken, upload.Upload) and taken.held.content == record.data and not taken.pasted
    state["data file"] = DeletedFile("1")
    upload._take_file("data")
    assert state[upload._UPLOAD] is taken
    state["data file"] = None
    upload._take_file("data")
    assert state[upload._UPLOAD] is None


def only_own_tables(monkeypatch: pytest.MonkeyPatch, most_bytes: int) -> None:
    """Count no tables that sessions of other tests hold."""
    monkeypatch.setattr(uploads, "_held", WeakSet())
    monkeypatch.setattr(uploads, "MOST_HELD_BYTES", most_bytes)


def test_the_table_looked_at_longest_ago_makes_room(monkeypatch):
    only_own_tables(monkeypatch, 3500)
    first, second, third = Held(bytes(1000)), Held("x" * 1000), Held(bytes(1000))
    assert len(first.content) == 1000  # looked at
    fourth = Held(bytes(1000))
    assert [len(one.content) for one in (first, third, fourth)] == [1000] * 3
    with pytest.raises(InvalidDataError, match="dropped to make room"):
        _ = second.content
    assert second.n_bytes == 0
    large = Held(bytes(9000))
    assert len(large.content) == 9000 and first.n_bytes == third.n_bytes == fourth.n_bytes == 0


def test_tables_of_sessions_that_are_gone_do_not_count(monkeypatch):
    only_own_tables(monkeypatch, 2500)
    stays, goes = Held(bytes(1000)), Held(bytes(1000))
    del goes
    gc.collect()
    new = Held(bytes(1000))
    assert stays.n_bytes > 1000 and new.n_bytes > 1000


# --- where they lie --------------------------------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    """An empty folder in which this process and those that it starts make their temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def opened_in(folder: Path) -> list[str]:
    """Files of a folder that this process has open or mapped, by what the system says of each."""
    opened = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the listing's own
            opened.append(os.readlink(handle))
    mapped = [line.split(maxsplit=5)[-1] for line in Path("/proc/self/maps").read_text().splitlines()]
    return [name for name in opened + mapped if name.startswith(str(folder))]


class OneSession:
    """As much of a server as its route for uploads asks for."""

    def is_active_session(self, session_id: str) -> bool:
        return session_id == "me"


@pytest.fixture
def no_cookies():
    """Uploads without the cookie that keeps other sites from sending any."""
    before = config.get_option("server.enableXsrfProtection")
    config.set_option("server.enableXsrfProtection", False)
    yield
    config.set_option("server.enableXsrfProtection", before)


def sent(content: bytes, look: Callable[[], None]) -> MemoryUploadedFileManager:
    """Send a file to Streamlit's route in pieces; ``look`` is called before the last of them."""
    files = MemoryUploadedFileManager("/_stcore/upload_file")
    route = create_upload_routes(OneSession(), files, "")[0]  # type: ignore[arg-type]
    start = b'--x\r\nContent-Disposition: form-data; name="f"; filename="t.csv"\r\n\r\n'
    pieces = [start, *(content[begin : begin + 65_536] for begin in range(0, len(content), 65_536)), b"\r\n--x--\r\n"]
    answers: list[Message] = []

    async def receive() -> Message:
        if len(pieces) == 1:
            look()
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: Message) -> None:
        answers.append(message)

    headers = [(b"content-type", b"multipart/form-data; boundary=x"), (b"host", b"h")]
    scope = {
        "type": "http",
        "method": "PUT",
        "path": "/_stcore/upload_file/me/1",
        "query_string": b"",
        "headers": headers,
        "scheme": "http",
        "server": ("h", 80),
        "root_path": "",
    }
    asyncio.run(Router([route])(scope, receive, send))
    assert answers[0]["status"] == 204
    return files


@pytest.mark.parametrize(("size", "n_files"), [(900_000, 0), (3_000_000, 1)])
def test_a_large_upload_passes_through_a_file_without_a_name_while_it_arrives(temporary, no_cookies, size, n_files):
    seen: list[list[str]] = []

    def look():
        assert not list(temporary.iterdir())
        seen.append(opened_in(temporary))

    content = os.urandom(size)
    files = sent(content, look)
    assert [len(found) for found in seen] == [n_files] and all("deleted" in name for name in seen[0])
    assert opened_in(temporary) == [] and not list(temporary.iterdir())
    (record,) = files.get_files("me", ["1"])
    assert record.data == content


def test_a_table_that_was_read_lies_in_a_file_without_a_name_as_long_as_it_is_kept(temporary, monkeypatch):
    run, during = isolated._run, []

    def watched(given, result, complaint):
        status = run(given, result, complaint)
        during.append((list(temporary.iterdir()), len(opened_in(temporary))))
        return status

    monkeypatch.setattr(isolated, "_run", watched)
    table = read_isolated(b"a,b\n" + b"1.5,2.5\n" * 1000, "t.csv")
    assert during == [([], 3)]  # the upload, the result, and what the process complains of
    kept = opened_in(temporary)
    assert kept and all("deleted" in name for name in kept) and not list(temporary.iterdir())
    assert table.frame["a"].sum() == 1500
    del table
    gc.collect()
    assert opened_in(temporary) == []
