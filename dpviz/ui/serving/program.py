"""The program that serves the app: Streamlit's server with security headers.

:func:`dpviz.server.server_command` runs it.
"""

from __future__ import annotations

import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from dpviz.server import EMBED, app_folder, local_address, read_flags, say
from dpviz.ui.serving import compiling
from dpviz.ui.serving.careful import Careful, say_refusals_once
from dpviz.ui.serving.connections import bound
from dpviz.ui.serving.health import answers
from dpviz.ui.serving.painted import Painted
from dpviz.ui.serving.ready import keep_downloads, limit_uploads, send_at_once, show_once, work_together
from dpviz.ui.shell import style

NEEDED_SOON = ("dpviz.ui.pages", "sklearn.preprocessing", "sklearn.discriminant_analysis")
"""Modules that pages import: loading them blocks every session, so they are imported before the first one."""
_MOST_TRIES, _PAUSE_SECONDS = 600, 0.1


def open_browser(address: str, port: int) -> None:
    """Open the app in the browser of this machine, once it answers.

    Parameters
    ----------
    address : str
        Address where the server listens.
    port : int
    """
    url = local_address(address, port)
    for _ in range(_MOST_TRIES):
        if answers(f"{url}/_stcore/health"):
            webbrowser.open(url)
            return
        time.sleep(_PAUSE_SECONDS)


def main(arguments: Sequence[str]) -> None:
    """Serve the app with options such as ``--server.port=8501`` and ``--embed=["https://example.org"]``."""
    options = read_flags(arguments)
    embedders = options.pop(EMBED, [])
    for module in NEEDED_SOON:
        import_module(module)
    script = str(app_folder() / "app.py")
    sys.argv[:] = [script]  # Streamlit looks for its settings next to it
    options["logger.hideWelcomeMessage"] = True  # for it, Streamlit asks other servers for this machine's addresses

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        """Prepare, before the first connection, what the first session would wait for."""
        send_at_once()
        work_together()
        limit_uploads()
        keep_downloads()
        if st.get_option("server.headless"):
            await show_once(say)
        compiling.begin()
        place = (st.get_option("server.address"), st.get_option("server.port"))
        print(f"dpviz: open {local_address(*place)} in a browser.", flush=True)
        if not st.get_option("server.headless"):
            threading.Thread(target=open_browser, args=place, daemon=True).start()
        yield

    say_refusals_once()
    bound()
    middleware = [
        Middleware(Careful, embedders=embedders, names=options["server.allowedHosts"]),
        Middleware(Painted, style=style.first_paint),
    ]
    st.App(script, lifespan=lifespan, middleware=middleware).run(config=options)
