"""Rules for the first paint are in every document, and in nothing else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dpviz.ui.serving.painted import Painted

DOCUMENT = b"<html><head><title>dpviz</title></head><body></body></html>"


def answered(
    path: str, kind: bytes, method: str = "GET", **asked: str
) -> tuple[dict[bytes, bytes], bytes, list[bytes]]:
    """Headers and body of the answer, and the names of the request's headers that reached the application."""
    reached: list[bytes] = []
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.extend(name for name, _ in scope["headers"])
        headers = [(b"content-type", kind), (b"content-length", b"59"), (b"etag", b"old")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for part, more in ((DOCUMENT[:20], True), (DOCUMENT[20:], False)):
            await send({"type": "http.response.body", "body": part, "more_body": more})

    async def keep(message: Any) -> None:
        sent.append(message)

    headers = [(name.replace("_", "-").encode(), value.encode()) for name, value in asked.items()]
    place, _, query = path.partition("?")
    scope = {"type": "http", "method": method, "path": place, "query_string": query.encode(), "headers": headers}
    asyncio.run(Painted(app, "<style>{}</style>".format)(scope, None, keep))  # type: ignore[arg-type]
    return dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:]), reached


@pytest.mark.parametrize(
    ("path", "layout"),
    [
        ("/", b""),
        ("/explore?data=%FF", b""),
        ("/behind/a/proxy/explore?sweep=3&ui=present", b"present"),
        ("/?ui=min&ui=present", b"present"),  # as the page itself reads its address
    ],
)
def test_documents_get_the_rules_of_their_layout_and_a_length_of_their_own(path, layout):
    headers, body, reached = answered(path, b"text/html; charset=utf-8", accept_encoding="gzip", if_none_match="old")
    assert body == DOCUMENT.replace(b"</head>", b"<style>" + layout + b"</style></head>")
    assert headers[b"content-length"] == str(len(body)).encode()
    assert b"etag" not in headers  # a browser would keep a document with the rules of an older version
    assert reached == []


@pytest.mark.parametrize(
    ("path", "kind", "method"),
    [
        ("/static/js/index.js", b"text/html", "GET"),
        ("/_stcore/health", b"text/plain", "GET"),
        ("/", b"text/html", "HEAD"),
    ],
)
def test_everything_else_is_passed_on_as_it_is(path, kind, method):
    headers, body, reached = answered(path, kind, method)
    assert body == DOCUMENT
    assert headers[b"etag"] == b"old" and reached == []
