"""The program that serves the app: Streamlit's server with headers that keep browsers careful.

:func:`dpviz.server.streamlit_command` runs it.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import urllib.request
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dpviz.server import EMBED, app_folder

NEEDED_SOON = ("dpviz.ui.pages", "sklearn.preprocessing", "sklearn.discriminant_analysis")
"""Modules that pages import: loading them holds up every session, so they are there before the first one."""

_MOST_TRIES, _PAUSE_SECONDS = 600, 0.1

CLOSED = ("/_stcore/metrics",)
"""Addresses that are nobody's business: how many sessions there are and what they hold."""

POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",  # components and charts make scripts at run time
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
"""Where what a page uses may come from: nowhere but this server and the page itself."""


class Careful:
    """Adds headers to every answer and closes some addresses.

    Parameters
    ----------
    app : ASGI application
    embedders : sequence of str
        Origins whose pages may show the app in a frame, beside its own.
    """

    def __init__(self, app: ASGIApp, embedders: Sequence[str] = ()) -> None:
        self._app = app
        policy = POLICY | {"frame-ancestors": " ".join(["'self'", *embedders])}
        headers = {
            "Content-Security-Policy": "; ".join(f"{what} {where}" for what, where in policy.items()),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",  # addresses say which data are looked at
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        }
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
            await send(message)

        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(CLOSED):
            await send_with_headers({"type": "http.response.start", "status": 404, "headers": []})
            await send_with_headers({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send_with_headers)


def open_browser(address: str, port: int) -> None:
    """Open the app in the browser of this machine, once it answers.

    Parameters
    ----------
    address : str
        Where the server listens.
    port : int
    """
    host = "localhost" if address in ("0.0.0.0", "::") else f"[{address}]" if ":" in address else address
    url = f"http://{host}:{port}"
    for _ in range(_MOST_TRIES):
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
        except OSError:
            time.sleep(_PAUSE_SECONDS)
        else:
            webbrowser.open(url)
            return


def main(arguments: Sequence[str]) -> None:
    """Serve the app with options such as ``--server.port=8501`` and ``--embed=["https://example.org"]``."""
    options: dict[str, Any] = {}
    for argument in arguments:
        name, _, value = argument.removeprefix("--").partition("=")
        options[name] = json.loads(value)
    embedders = options.pop(EMBED, [])
    for module in NEEDED_SOON:
        import_module(module)
    script = str(app_folder() / "app.py")
    sys.argv[:] = [script]  # Streamlit looks for its settings beside it

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        if not st.get_option("server.headless"):
            place = (st.get_option("server.address"), st.get_option("server.port"))
            threading.Thread(target=open_browser, args=place, daemon=True).start()
        yield

    middleware = [Middleware(Careful, embedders=embedders)]
    st.App(script, lifespan=lifespan, middleware=middleware).run(config=options)


if __name__ == "__main__":
    main(sys.argv[1:])
