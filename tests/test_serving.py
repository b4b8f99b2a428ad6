"""The program that serves the app: its headers, what it closes, and the browser that it opens."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from dpviz.ui.serving import program as serving
from dpviz.ui.serving.careful import Careful
from dpviz.ui.serving.program import open_browser

PAGE = (b"content-type", b"text/html; charset=utf-8")
XSRF = b"_streamlit_xsrf=2|a|b|1; Path=/; SameSite=None; Secure"


def answer(path: str, embedders: tuple[str, ...] = ()) -> tuple[int, dict[str, str]]:
    """Status and headers that an application within gets to send for a path."""
    status, headers = answered({"type": "http", "path": path}, [(b"x-own", b"kept")], embedders=embedders)
    return status, dict(headers)


def answered(
    scope: dict[str, Any], own: list[tuple[bytes, bytes]], **options: Any
) -> tuple[int, list[tuple[str, str]]]:
    """The same for any request and an application that sends headers of its own, in their order."""
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": own})
        await send({"type": "http.response.body", "body": b"shown"})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    asyncio.run(Careful(application, **options)(scope, receive, send))
    return sent[0]["status"], [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]


def cookies(
    scope: dict[str, Any], *own: tuple[bytes, bytes], called: str = "dpviz_worker", **options: Any
) -> list[str]:
    """Cookies of a name that an answer sets."""
    _, headers = answered({"type": "http", "path": "/", **scope}, list(own), **options)
    return [value for name, value in headers if name == "set-cookie" and value.startswith(f"{called}=")]


def accepted(headers: list[tuple[bytes, bytes]], **options: Any) -> list[Any]:
    """Headers with which a websocket is accepted."""
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept", "headers": [(b"x-own", b"kept")]})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    asyncio.run(Careful(application, **options)(scope, send, send))  # type: ignore[arg-type]
    return sent[0]["headers"]


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


def test_cookies_for_frames_are_kept_apart_for_every_site_that_embeds() -> None:
    lax = b"_streamlit_user=x; Path=/; SameSite=Lax"
    own = [(b"set-cookie", XSRF), (b"Set-Cookie", lax), (b"set-cookie", XSRF + b"; Partitioned")]
    embedded = [value for name, value in answered({"type": "http", "path": "/"}, own, embedders=("https://a.test",))[1]]
    assert embedded[:3] == [XSRF.decode() + "; Partitioned", lax.decode(), XSRF.decode() + "; Partitioned"]
    alone = [value for name, value in answered({"type": "http", "path": "/"}, own)[1]]
    assert alone[:3] == [value.decode() for _, value in own]


def test_a_worker_names_itself_to_browsers_that_know_none_where_a_page_begins() -> None:
    assert cookies({}, PAGE, worker="2") == ["dpviz_worker=2; Path=/; HttpOnly; SameSite=Lax"]
    framed = cookies({}, PAGE, worker="2", embedders=("https://a.test",))
    assert framed == ["dpviz_worker=2; Path=/; HttpOnly; SameSite=None; Secure; Partitioned"]
    belongs_elsewhere = {"headers": [(b"cookie", b"_streamlit_xsrf=2|a|b|1; dpviz_worker=1")]}
    assert cookies(belongs_elsewhere, PAGE, worker="2") == []  # its session may still be there
    assert cookies({}, (b"content-type", b"text/javascript"), worker="2") == []
    assert cookies({}, PAGE) == []  # a server that is alone


def test_a_browser_gets_a_seat_in_classes_that_tells_nothing_else_where_a_page_begins() -> None:
    seats = {cookies({}, PAGE, called="dpviz_seat")[0] for _ in range(20)}
    assert len(seats) == 20 and all(
        re.fullmatch(r"dpviz_seat=[\w-]{22}; Path=/; HttpOnly; SameSite=Lax", seat) for seat in seats
    )
    (framed,) = cookies({}, PAGE, called="dpviz_seat", embedders=("https://a.test",))
    assert framed.endswith("; SameSite=None; Secure; Partitioned")
    has_one = {"headers": [(b"cookie", b"dpviz_seat=x; dpviz_worker=1")]}
    assert cookies(has_one, PAGE, called="dpviz_seat") == []
    assert cookies({}, (b"content-type", b"text/javascript"), called="dpviz_seat") == []


def test_a_browser_belongs_where_its_session_is() -> None:
    named = (b"set-cookie", b"dpviz_worker=2; Path=/; HttpOnly; SameSite=Lax")
    assert accepted([], worker="2") == [(b"x-own", b"kept"), named]
    assert accepted([(b"cookie", b"dpviz_worker=1")], worker="2") == [(b"x-own", b"kept"), named]
    assert accepted([(b"cookie", b"a=b; dpviz_worker=2")], worker="2") == [(b"x-own", b"kept")]
    assert accepted([]) == [(b"x-own", b"kept")]


@pytest.mark.parametrize(
    ("address", "url"),
    [("127.0.0.1", "http://127.0.0.1:8501"), ("0.0.0.0", "http://localhost:8501"), ("::1", "http://[::1]:8501")],
)
def test_the_browser_opens_once_the_server_answers(monkeypatch: pytest.MonkeyPatch, address: str, url: str) -> None:
    tried: list[str] = []
    opened: list[str] = []

    def answers(asked: str) -> bool:
        assert opened == []
        tried.append(asked)
        return len(tried) == 3

    monkeypatch.setattr(serving, "answers", answers)
    monkeypatch.setattr(serving.webbrowser, "open", opened.append)
    monkeypatch.setattr(serving, "_PAUSE_SECONDS", 0.0)
    open_browser(address, 8501)
    assert tried == [f"{url}/_stcore/health"] * 3 and opened == [url]
    monkeypatch.setattr(serving, "_MOST_TRIES", 2)
    monkeypatch.setattr(serving, "answers", lambda asked: False)  # never in time
    open_browser(address, 8501)
    assert opened == [url]
