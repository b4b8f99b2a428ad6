"""The rules that a page needs before its first paint, written into the document that Streamlit serves.

Streamlit draws its frame first, and a page's own rules after that: everything it has drawn until then would move.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEAD = b"</head>"
_UNASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since")
"""Without these, a document comes whole and as it is."""
_CHANGED = (b"content-length", b"etag", b"last-modified")
"""Headers that hold for the document without the rules only."""


class Painted:
    """Adds rules to every document, before the end of its head.

    Parameters
    ----------
    app : ASGI application
    style : callable
        Returns the rules, as HTML, for the layout that the address asks for, ``""`` if it asks for none.
    """

    def __init__(self, app: ASGIApp, style: Callable[[str], str]) -> None:
        self._app, self._style = app, style

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; what is no document is passed on as it comes."""
        if scope["type"] != "http" or scope["method"] != "GET" or "." in scope["path"].rpartition("/")[2]:
            await self._app(scope, receive, send)
            return
        headers = [pair for pair in scope["headers"] if pair[0].lower() not in _UNASKED]
        query = parse_qs(scope["query_string"].decode("ascii", "replace"))
        rules = self._style(query.get("ui", [""])[-1])
        await self._app({**scope, "headers": headers}, receive, _Document(send, rules.encode()))


class _Document:
    """Holds an answer back until it is whole, if it is a document."""

    def __init__(self, send: Send, style: bytes) -> None:
        self._send, self._style = send, style
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_document(message):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_whole(self._start)

    async def _send_whole(self, start: Message) -> None:
        body = self._body.replace(_HEAD, self._style + _HEAD, 1)
        headers = [pair for pair in start["headers"] if pair[0].lower() not in _CHANGED]
        await self._send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
        await self._send({"type": "http.response.body", "body": body})


def _is_document(message: Message) -> bool:
    headers = {name.lower(): value for name, value in message["headers"]}
    return headers.get(b"content-type", b"").startswith(b"text/html") and b"content-encoding" not in headers
