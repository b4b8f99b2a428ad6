"""What stands between browsers and Streamlit: refusals, and headers of every answer (security policies, cookies)."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence

from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dpviz.server import BROWSER_COOKIE
from dpviz.ui.serving.visitors import refusal
from dpviz.ui.session.shelf import is_secret, new_secret

CLOSED = ("/_stcore/metrics",)
"""Addresses that are closed: they would tell how many sessions there are and what they hold."""

POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",  # components and charts create scripts at run time
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "connect-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
"""Allowed sources of a page's content: only this server and the page itself."""

Headers = Iterable[tuple[bytes, bytes]]


COOKIE_SECONDS = 24 * 3600
"""Seconds for which a browser keeps a cookie after it last opened a page or a session: longer than its data are kept
after their last use, since a tab may be used for hours without another request."""
REFUSALS_APART = 60.0
"""Seconds between two lines in the log about refused requests."""
_INCOMPLETE = "ASGI callable returned without completing handshake."
_INVALID = "Invalid HTTP request received."
_log = logging.getLogger(__name__)


class Refusals:
    """Counts refused requests and says how many there were, once a minute at most: whoever asks could fill a disk.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._number, self._next = clock, 0, -math.inf

    def note(self, reason: str) -> None:
        """Count a refused request."""
        self._number += 1
        if self._clock() >= self._next:
            _log.warning("Refused since the last such line: %d. %s", self._number, reason)
            self._number, self._next = 0, self._clock() + REFUSALS_APART


def say_refusals_once() -> None:
    """Leave out the lines that the server writes for every refused websocket, and count what is no HTTP instead."""
    refusals = Refusals()

    def is_kept(record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if message == _INVALID:
            refusals.note("No request in HTTP, or one with a longer address than is taken.")
        return message not in (_INCOMPLETE, _INVALID)

    logging.getLogger("uvicorn.error").addFilter(is_kept)


class Careful:
    """Refuses foreign requests, adds headers to every answer, and gives every browser a secret of its own.

    What is refused (:func:`~dpviz.ui.serving.visitors.refusal`) and closed never reaches the application. The secret,
    by which the data that a browser brought are found again, is in a cookie that is set when it opens a page without
    one; pages and sessions give it its whole time again.

    Parameters
    ----------
    app : ASGI application
    embedders : sequence of str
        Origins whose pages may show the app in a frame, besides its own. Cookies for such frames are kept apart for
        every site that embeds (``Partitioned``): browsers that refuse cookies of third parties take them all the same.
    names : sequence of str
        Names by which browsers reach the server; empty means any.
    """

    def __init__(self, app: ASGIApp, embedders: Sequence[str] = (), names: Sequence[str] = ()) -> None:
        self._app, self._names, self._refusals = app, tuple(names), Refusals()
        policy = POLICY | {"frame-ancestors": " ".join(["'self'", *embedders])}
        headers = {
            "Content-Security-Policy": "; ".join(f"{what} {where}" for what, where in policy.items()),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",  # addresses say which data are looked at
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        }
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        self._embedded = bool(embedders)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""
        secret = _secret(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"].endswith("http.response.start"):
                own = tuple(message.get("headers", ()))
                known = [self._cookie(secret if is_secret(secret) else new_secret(), scope)] if _is_page(own) else []
                message = {**message, "headers": [*map(self._for_frames, own), *self._headers, *known]}
            elif message["type"] == "websocket.accept" and is_secret(secret):
                message = {**message, "headers": [*message.get("headers", ()), self._cookie(secret, scope)]}
            await send(message)

        refused = refusal(scope, self._names) if scope["type"] in ("http", "websocket") else ""
        if refused:
            self._refusals.note(refused)
            await PlainTextResponse(refused, status_code=403)(scope, receive, send_with_headers)
        elif scope["type"] == "http" and scope["path"].rstrip("/").endswith(CLOSED):
            await PlainTextResponse("", status_code=404)(scope, receive, send_with_headers)
        else:
            await self._app(_without_origin(scope), receive, send_with_headers)

    def _cookie(self, secret: str, scope: Scope) -> tuple[bytes, bytes]:
        """Return the header that gives a browser its secret, or the same for its whole time again."""
        reach = "SameSite=None; Secure; Partitioned" if self._embedded else "SameSite=Lax"
        reach += "; Secure" if scope.get("scheme") in ("https", "wss") and not self._embedded else ""
        return b"set-cookie", f"{BROWSER_COOKIE}={secret}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; {reach}".encode()

    def _for_frames(self, header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
        """Let browsers keep a cookie that frames on other sites need, for each of these sites."""
        name, value = header
        attributes = {part.strip() for part in value.lower().split(b";")[1:]}
        if self._embedded and name.lower() == b"set-cookie" and b"samesite=none" in attributes - {b"partitioned"}:
            return (name, value if b"partitioned" in attributes else value + b"; Partitioned")
        return header


def _without_origin(scope: Scope) -> Scope:
    """Leave out a websocket's origin once it is checked: Streamlit may not know it, and would ask others about it."""
    if scope["type"] != "websocket":
        return scope
    return {**scope, "headers": [pair for pair in scope.get("headers", ()) if pair[0].lower() != b"origin"]}


def _is_page(headers: Headers) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)


def _secret(scope: Scope) -> str:
    """Value of a browser's cookie; empty without one."""
    for name, value in scope.get("headers", ()):
        if name.lower() == b"cookie":
            found = cookie_parser(value.decode("latin-1")).get(BROWSER_COOKIE)
            if found:
                return found
    return ""
