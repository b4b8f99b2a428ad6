"""Which requests the server answers, and that it asks nobody else for anything."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dpviz.server import LOOPBACK, server_command, server_options
from dpviz.ui.serving.careful import Refusals
from dpviz.ui.serving.health import answers
from dpviz.ui.serving.visitors import NOT_BY_THIS_NAME, NOT_FROM_THIS_PAGE, refusal

ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 300
"""Nothing takes so long on any machine: what does, hangs."""


def said(names: Sequence[str] = (), path: str = "/", **headers: str | list[str]) -> str:
    """Return what is said to a request; several headers of a name are a list."""
    listed: list[tuple[bytes, bytes]] = []
    for name, values in headers.items():
        listed += [(name.encode(), value.encode()) for value in ([values] if isinstance(values, str) else values)]
    return refusal({"type": "http", "path": path, "headers": listed}, names)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8501", "http://127.0.0.1:8501"),
        ("[::1]:8501", "http://[::1]:8501"),
        ("dpviz.example.org", "https://dpviz.example.org"),  # behind a proxy with TLS, which passes the name on
        ("dpviz.example.org", "http://dpviz.example.org"),
        ("dpviz.example.org:443", "https://dpviz.example.org"),  # some proxies name the usual port
        ("dpviz.example.org", "http://dpviz.example.org:80"),
        ("dpviz.example.org:8443", "https://dpviz.example.org:8443"),
        ("DPVIZ.Example.org", "https://dpviz.example.ORG"),
        ("dpviz.example.org.", "https://dpviz.example.org"),
    ],
)
def test_pages_of_the_server_itself_are_answered(host, origin):
    assert said(host=host, origin=origin) == ""
    assert said(host=host) == ""  # what is no browser says no origin


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.test",
        "http://127.0.0.1:9000",  # another server of this machine
        "http://127.0.0.1",
        "http://localhost:8501",  # another name: its cookies are others
        "http://127.0.0.1:8501.evil.test",
        "http://127.0.0.1:8501@evil.test",
        "http://evil.test#127.0.0.1:8501",
        "http://evil.test/127.0.0.1:8501",
        "null",  # every page can open a frame with this one
        "file://127.0.0.1:8501",
        "chrome-extension://127.0.0.1:8501",
        "127.0.0.1:8501",
        "http://127.0.0.1:99999999",
        "http://[::1",
        "http://",
        "",
    ],
)
def test_other_pages_are_not(origin):
    assert said(host="127.0.0.1:8501", origin=origin) == NOT_FROM_THIS_PAGE
    assert said(host="127.0.0.1:8501", origin=["http://127.0.0.1:8501", origin]) == NOT_FROM_THIS_PAGE
    assert said(origin=origin) == NOT_FROM_THIS_PAGE


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "LOCALHOST", "localhost.:8501", "[::1]:8501"])
def test_own_names_are_answered(host):
    assert said(LOOPBACK, host=host) == ""


@pytest.mark.parametrize(
    "host", ["evil", "evil.test:8501", "127.0.0.1.evil.test", "localhost@evil.test", "evil.test#localhost", "", "[::1"]
)
@pytest.mark.parametrize("path", ["/", "/tune", "/_stcore/health", "/_stcore/stream", "/media/a.png", "/static/a.js"])
def test_other_names_are_not_on_any_route(path, host):
    assert said(LOOPBACK, path, host=host) == said(LOOPBACK, path) == NOT_BY_THIS_NAME
    assert said(LOOPBACK, path, host=["localhost", host]) == NOT_BY_THIS_NAME
    assert said((), path, host=host) == ""  # a server without names takes any


def test_names_may_be_patterns_and_this_machine_may_always_ask_for_health():
    names = ["*.Example.org", "a.test"]
    assert said(names, host="x.example.org") == said(names, host="A.test:8501") == said(["*"], host="b") == ""
    assert said(names, host="example.org") == said(names, host="xexample.org") == NOT_BY_THIS_NAME
    assert said(names, host="localhost") == NOT_BY_THIS_NAME
    assert said(names, "/_stcore/health", host="localhost") == said(names, "/_stcore/health", host="127.0.0.1:1") == ""
    assert said(names, "/_stcore/health", host="evil.test") == NOT_BY_THIS_NAME


def test_many_refusals_are_one_line_a_minute(caplog):
    now = [0.0]
    refusals = Refusals(lambda: now[0])
    for second in range(150):
        now[0] = float(second)
        refusals.note(NOT_FROM_THIS_PAGE)
    said = [record.getMessage() for record in caplog.records]
    assert [line.partition(".")[0].rpartition(" ")[2] for line in said] == ["1", "60", "60"]
    assert all(NOT_FROM_THIS_PAGE in line for line in said)


# --- the real server --------------------------------------------------------------------------------------------------

WATCHED = """
import os, socket, sys

def watch(event, arguments):
    asks = event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
    if asks or event == "socket.connect" and isinstance(arguments[1], tuple):
        with open(os.environ["ASKED"], "a") as file:
            file.write(f"{event} {arguments}\\n")
        raise ConnectionRefusedError("nobody is asked")

def accepted(self):
    connection, place = accept(self)
    with open(os.environ["DELAYS"], "a") as file:
        file.write(str(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
    return connection, place

bind, accept = socket.socket.bind, socket.socket.accept
socket.socket.accept = accepted
socket.socket.bind = lambda self, place: bind(self, ("127.0.0.1", place[1]) if place[0] == "0.0.0.0" else place)
sys.addaudithook(watch)
"""
"""Runs in the server and in whatever it starts: notes and refuses every connection that they open, and every name that
they look up; of those that they accept it notes whether messages go out at once. It lets the server believe that it
listens on every address of the machine, where a test may not."""


@contextmanager
def server(port: int, folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Serve as for a class, on every address, and name the file where connections to others are noted."""
    (folder / "sitecustomize.py").write_text(WATCHED)
    asked = folder / "asked"
    environment = {
        **os.environ,
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "ASKED": str(asked),
        "DELAYS": str(folder / "delays"),
    }
    command = server_command(server_options("0.0.0.0", port, shared=True, names=names))
    said = (folder / "said").open("w")
    with said, subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=said) as process:
        try:
            deadline = time.monotonic() + MOST_SECONDS
            while not answers(f"http://127.0.0.1:{port}/_stcore/health"):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.1)
            yield asked
        finally:
            process.terminate()


def answered(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    """Status of an answer, and the beginning of what it says."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=MOST_SECONDS)
    connection.request(method, path, headers=headers)
    try:
        answer = connection.getresponse()
        return answer.status, "" if answer.status == 101 else answer.read().decode(errors="replace")
    finally:
        connection.close()


def handshake(port: int, **headers: str) -> tuple[int, str]:
    upgrade: dict[str, Any] = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    return answered(port, "/_stcore/stream", **upgrade, **{"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}, **headers)


@pytest.mark.slow
def test_the_server_refuses_what_is_foreign_and_asks_nobody(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with server(port, tmp_path, ["127.0.0.1", "a.test"]) as asked:
        assert not asked.exists(), asked.read_text()  # while it started and drew its first page
        (tmp_path / "delays").unlink()  # of connections that waited for it to start
        assert answered(port, "/explore") == answered(port, "/explore", Host="a.test") and answered(port, "/")[0] == 200
        for origin in ("https://evil.test", "null", "http://localhost:9000", "http://8.8.8.8", "http://evil.test"):
            assert handshake(port, Origin=origin) == (403, NOT_FROM_THIS_PAGE)
        for headers in ({}, {"Origin": f"http://127.0.0.1:{port}"}, {"Origin": "https://A.test", "Host": "a.test"}):
            assert handshake(port, **headers)[0] == 101
        assert handshake(port, Host="evil") == (403, NOT_BY_THIS_NAME)
        for path in ("/", "/explore", "/_stcore/health", "/_stcore/host-config", "/media/a.png", "/static/a.js"):
            assert answered(port, path, Host="evil") == (403, NOT_BY_THIS_NAME)
        upload = "/_stcore/upload_file/session/file"
        assert answered(port, upload, "PUT", Host="evil") == (403, NOT_BY_THIS_NAME)
        assert answered(port, upload, "PUT", Origin="http://evil.test") == (403, NOT_FROM_THIS_PAGE)
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port), timeout=MOST_SECONDS) as connection:
                connection.sendall(b"no HTTP\r\n\r\n")
                assert connection.recv(100).startswith(b"HTTP/1.1 400")
        assert not asked.exists(), asked.read_text()
    assert set((tmp_path / "delays").read_text()) == {"1"}
    said = (tmp_path / "said").read_text()
    assert said.count("Refused since the last such line: ") == 2  # of strangers, and of what is no HTTP
    assert "handshake" not in said and "Invalid HTTP" not in said and len(said) < 2_000
