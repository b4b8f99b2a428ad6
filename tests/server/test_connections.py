"""Connections of the server: half a request is not waited for for ever; long answers and websockets are left alone."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http import auto
from websockets.sync.client import connect

from dpviz.ui.serving import connections
from dpviz.ui.serving.connections import Patient, bound

MOST_SECONDS = 120.0
HALF = b"GET / HTTP/1.1\r\nHost: x\r\nX-half: "


@contextmanager
def served(app: Any) -> Iterator[int]:
    """Serve an application by the protocol, and return its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, http=Patient, log_config=None, lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(MOST_SECONDS)


def opened(port: int, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=MOST_SECONDS)
    connection.sendall(sent)
    return connection


def test_who_never_asks_is_not_waited_for_and_all_others_are(monkeypatch):
    monkeypatch.setattr(connections, "SECONDS_TO_ASK", 0.05)
    may_answer = threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            said = await receive()
            await send({"type": "websocket.send", "text": said["text"]})
            return
        await asyncio.to_thread(may_answer.wait, MOST_SECONDS)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    with (
        served(app) as port,
        connect(f"ws://127.0.0.1:{port}/", proxy=None) as talk,
        opened(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as waiting,
    ):
        for _ in range(3):  # each of which takes as long as the two above have been open then
            with opened(port, HALF) as half:
                assert half.recv(100) == b""
        talk.send("still here")
        assert talk.recv(MOST_SECONDS) == "still here"
        may_answer.set()
        answer = b""
        while not answer.endswith(b"ok"):
            answer += waiting.recv(1_000)
        assert answer.startswith(b"HTTP/1.1 200")
        waiting.sendall(HALF)  # the next request on a connection is not waited for, either
        assert waiting.recv(100) == b""


def test_a_lack_of_places_is_one_line(monkeypatch, caplog):
    before, asked = resource.getrlimit(resource.RLIMIT_NOFILE), []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4_096))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    monkeypatch.setattr(auto, "AutoHTTPProtocol", auto.AutoHTTPProtocol)
    own = logging.getLogger("asyncio")
    monkeypatch.setattr(own, "filters", [])
    bound()
    assert auto.AutoHTTPProtocol is Patient and asked == [(4_096, 4_096)]
    for _ in range(1_000):
        own.error("socket.accept() out of system resource\nsocket: <socket.socket fd=6>")
    own.error("something else")
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2 and "too many connections" in said[0] and said[1] == "something else"
    monkeypatch.undo()
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before
