"""The program that serves the app: its headers, what it closes, and the browser that it opens."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from typing import Any

import pytest

from dpviz.ui.serving import program as serving
from dpviz.ui.serving.careful import COOKIE_SECONDS, Careful
from dpviz.ui.serving.health import answers
from dpviz.ui.serving.program import open_browser
from dpviz.ui.session.shelf import KEPT_SECONDS

LIFE = f"Path=/; Max-Age={COOKIE_SECONDS}"
PAGE = (b"content-type", b"text/html; charset=utf-8")
XSRF = b"_streamlit_xsrf=2|a|b|1; Path=/; SameSite=None; Secure"


def answer(path: str, embedders: tuple[str, ...] = ()) -> tuple[int, dict[str, str]]:
    """Status and headers that an application within gets to send for a path."""
    status, headers = answered({"type": "http", "path": path}, [(b"x-own", b"kept")], embedders=embedders)
    return status, dict(headers)


def sent_by(scope: dict[str, Any], *messages: dict[str, Any], **options: Any) -> list[Any]:
    """What reaches a browser of the messages with which an application answers."""
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message.copy())

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    asyncio.run(Careful(application, **options)(scope, receive, send))
    return sent


def answered(
    scope: dict[str, Any], own: list[tuple[bytes, bytes]], **options: Any
) -> tuple[int, list[tuple[str, str]]]:
    """The same for any request and an application that sends headers of its own, in their order."""
    begun = {"type": "http.response.start", "status": 200, "headers": own}
    sent = sent_by(scope, begun, {"type": "http.response.body", "body": b"shown"}, **options)
    return sent[0]["status"], [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]


def cookies(scope: dict[str, Any], *own: tuple[bytes, bytes], **options: Any) -> list[str]:
    """Cookies by which a browser is known that an answer sets."""
    _, headers = answered({"type": "http", "path": "/", **scope}, list(own), **options)
    return [value for name, value in headers if name == "set-cookie" and value.startswith("dpviz_browser=")]


def accepted(headers: list[tuple[bytes, bytes]], **options: Any) -> list[Any]:
    """Headers with which a websocket is accepted."""
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    (sent,) = sent_by(scope, {"type": "websocket.accept", "headers": [(b"x-own", b"kept")]}, **options)
    return sent["headers"]


def test_every_answer_has_the_headers_and_keeps_its_own():
    status, headers = answer("/tune")
    assert (status, headers["x-own"]) == (200, "kept")
    assert headers["x-content-type-options"] == "nosniff"
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["frame-ancestors"] == "'self'" and policy["object-src"] == "'none'"
    assert not any("http" in where or "*" in where for where in policy.values())


def test_sites_that_may_embed_are_added():
    _, headers = answer("/", ("https://a.test", "https://b.test:8443"))
    assert headers["content-security-policy"].endswith("frame-ancestors 'self' https://a.test https://b.test:8443")


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/below/_stcore/metrics"])
def test_metrics_are_closed(path):
    status, headers = answer(path)
    assert status == 404 and "x-own" not in headers and "content-security-policy" in headers


def test_what_is_no_request_passes_untouched():
    accept = {"type": "websocket.accept"}
    assert sent_by({"type": "websocket", "path": "/_stcore/metrics"}, accept) == [accept]


def test_cookies_for_frames_are_kept_apart_for_every_site_that_embeds():
    lax = b"_streamlit_user=x; Path=/; SameSite=Lax"
    own = [(b"set-cookie", XSRF), (b"Set-Cookie", lax), (b"set-cookie", XSRF + b"; Partitioned")]
    embedded = [value for name, value in answered({"type": "http", "path": "/"}, own, embedders=("https://a.test",))[1]]
    assert embedded[:3] == [XSRF.decode() + "; Partitioned", lax.decode(), XSRF.decode() + "; Partitioned"]
    alone = [value for name, value in answered({"type": "http", "path": "/"}, own)[1]]
    assert alone[:3] == [value.decode() for _, value in own]


def test_a_browser_without_a_secret_gets_one_of_its_own_where_a_page_begins():
    first, second = (cookies({}, PAGE) for _ in range(2))
    form = re.compile(rf"dpviz_browser=([\w-]{{43}}); {LIFE}; HttpOnly; SameSite=Lax")
    secrets = [form.fullmatch(cookie).group(1) for (cookie,) in (first, second)]  # type: ignore[union-attr]
    assert secrets[0] != secrets[1]
    known = {"headers": [(b"cookie", b"a=b; dpviz_browser=" + secrets[0].encode())]}
    assert cookies(known, PAGE) == first  # for its whole time again
    for damaged in (b"", b"short", b"x" * 44, b"y" * 42 + b"."):
        (another,) = cookies({"headers": [(b"cookie", b"dpviz_browser=" + damaged)]}, PAGE)
        assert form.fullmatch(another)
    assert cookies({}, (b"content-type", b"text/javascript")) == []
    (framed,) = cookies({}, PAGE, embedders=("https://a.test",))
    assert framed.endswith(f"; {LIFE}; HttpOnly; SameSite=None; Secure; Partitioned")
    (closed,) = cookies({"scheme": "https"}, PAGE)
    assert closed.endswith("; SameSite=Lax; Secure")


def test_a_session_gives_the_secret_of_its_browser_its_whole_time_again():
    secret = b"dpviz_browser=" + b"s" * 43
    again = (b"set-cookie", secret + f"; {LIFE}; HttpOnly; SameSite=Lax".encode())
    assert accepted([(b"cookie", secret)]) == [(b"x-own", b"kept"), again]
    for unknown in ([], [(b"cookie", b"dpviz_browser=short")]):  # the page gives it one
        assert accepted(unknown) == [(b"x-own", b"kept")]


def test_a_browser_remembers_its_secret_for_longer_than_its_data_are_kept():
    assert COOKIE_SECONDS > KEPT_SECONDS


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("said", "well"),
    [
        (b"HTTP/1.0 200 OK\r\n\r\nok", True),
        (b"HTTP/1.0 503 Busy\r\n\r\n", False),
        (b"", False),  # it ends before its answer, and within its first line
        (b"HTT", False),
        (b"nonsense\r\n\r\n", False),
    ],
)
def test_only_a_whole_answer_is_one(port, said, well):
    address = f"http://127.0.0.1:{port}/"
    assert not answers(address)
    with socket.create_server(("127.0.0.1", port)) as server:

        def serve():
            with server.accept()[0] as one:
                one.recv(1000)
                one.sendall(said)

        thread = threading.Thread(target=serve)
        thread.start()
        assert answers(address) == well
        thread.join()


def test_a_server_that_takes_a_question_and_says_nothing_does_not_answer(port):
    with socket.create_server(("127.0.0.1", port)) as silent:
        assert not answers(f"http://127.0.0.1:{port}/", seconds=0.1)
        with silent.accept()[0] as asked:
            assert b"GET / HTTP/1.1\r\n" in asked.recv(1000)


def test_no_proxy_of_the_environment_is_asked_for_health(port, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as sink:
        sink.setblocking(False)
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{sink.getsockname()[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert not answers(f"http://127.0.0.1:{port}/", seconds=0.1)
        with pytest.raises(BlockingIOError):
            sink.accept()


@pytest.mark.parametrize(
    ("address", "url"),
    [("127.0.0.1", "http://127.0.0.1:8501"), ("0.0.0.0", "http://localhost:8501"), ("::1", "http://[::1]:8501")],
)
def test_the_browser_opens_once_the_server_answers(monkeypatch, address, url):
    tried: list[str] = []
    opened: list[str] = []

    def at_last(asked):
        assert opened == []
        tried.append(asked)
        return len(tried) == 3

    monkeypatch.setattr(serving, "answers", at_last)
    monkeypatch.setattr(serving.webbrowser, "open", opened.append)
    monkeypatch.setattr(serving, "_PAUSE_SECONDS", 0.0)
    open_browser(address, 8501)
    assert tried == [f"{url}/_stcore/health"] * 3 and opened == [url]
    monkeypatch.setattr(serving, "_MOST_TRIES", 2)
    monkeypatch.setattr(serving, "answers", lambda asked: False)  # never in time
    open_browser(address, 8501)
    assert opened == [url]
