"""The program that serves the app: its headers, what it closes, and the browser that it opens."""

from __future__ import annotations

import asyncio
import urllib.error
from typing import Any

import pytest

from dpviz.ui import serving
from dpviz.ui.serving import Careful, open_browser


def answer(path: str, embedders: tuple[str, ...] = ()) -> tuple[int, dict[str, str]]:
    """Status and headers that an application within gets to send for a path."""
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"kept")]})
        await send({"type": "http.response.body", "body": b"shown"})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    asyncio.run(Careful(application, embedders)({"type": "http", "path": path}, receive, send))
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_every_answer_has_the_headers_and_keeps_its_own() -> None:
    status, headers = answer("/tune")
    assert (status, headers["x-own"]) == (200, "kept")
    assert headers["x-content-type-options"] == "nosniff"
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["frame-ancestors"] == "'self'" and policy["object-src"] == "'none'"
    assert not any("http" in where or "*" in where for where in policy.values())


def test_sites_that_may_embed_are_added() -> None:
    _, headers = answer("/", ("https://a.test", "https://b.test:8443"))
    assert headers["content-security-policy"].endswith("frame-ancestors 'self' https://a.test https://b.test:8443")


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/below/_stcore/metrics"])
def test_metrics_are_closed(path: str) -> None:
    status, headers = answer(path)
    assert status == 404 and "x-own" not in headers and "content-security-policy" in headers


def test_what_is_no_request_passes_untouched() -> None:
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Careful(application)({"type": "websocket", "path": "/_stcore/metrics"}, send, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.accept"}]


@pytest.mark.parametrize(
    ("address", "url"),
    [("127.0.0.1", "http://127.0.0.1:8501"), ("0.0.0.0", "http://localhost:8501"), ("::1", "http://[::1]:8501")],
)
def test_the_browser_opens_once_the_server_answers(monkeypatch: pytest.MonkeyPatch, address: str, url: str) -> None:
    tried: list[str] = []
    opened: list[str] = []

    class Answer:
        def close(self) -> None:
            assert opened == []

    def urlopen(asked: str, timeout: float) -> Answer:
        tried.append(asked)
        if len(tried) < 3:
            raise urllib.error.URLError("refused")
        return Answer()

    monkeypatch.setattr(serving.urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(serving.webbrowser, "open", opened.append)
    monkeypatch.setattr(serving, "_PAUSE_SECONDS", 0.0)
    open_browser(address, 8501)
    assert tried == [f"{url}/_stcore/health"] * 3 and opened == [url]
    monkeypatch.setattr(serving, "_MOST_TRIES", 2)
    tried.clear()
    open_browser(address, 8501)  # never answers in time
    assert opened == [url]
