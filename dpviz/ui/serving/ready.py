"""What a server prepares before it accepts connections, so that no session waits for it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dpviz.ui.serving.newcomers import begin_whole
from dpviz.ui.serving.together import Gathered, Turns, hear_together, look_up_singly, read_theme_once, send_together
from dpviz.ui.session import downloads, uploads

QUICK_SECONDS = 2.0
"""Seconds that the first page may take without a word: loading its kernels takes less, compiling them more."""
FIRST_PAGE = "the first page is being made; the server answers once it is."


def send_at_once() -> None:
    """Send what is there at once and in one piece, on connections opened to servers of the running event loop.

    Otherwise the system keeps a message back until the browser has confirmed the one before, which it puts off for
    40 ms. asyncio prevents this for sockets that name their protocol; Streamlit's does not.
    """
    loop = asyncio.get_running_loop()
    create = loop.create_server

    async def create_server(protocol: Callable[[], Any], *, sock: socket.socket, **options: Any) -> asyncio.Server:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
        return await create(lambda: _gathering(protocol()), sock=sock, **options)

    def _gathering(protocol: Any) -> Any:
        connect = protocol.connection_made
        protocol.connection_made = lambda transport: connect(Gathered(transport, loop))
        return protocol

    loop.create_server = create_server  # type: ignore[method-assign, assignment]


def work_together() -> None:
    """Let the sessions of the running server cost little more than each does alone."""
    begin_whole()
    hear_together()
    send_together(st.runtime.get_instance())
    read_theme_once()
    look_up_singly()
    Turns(asyncio.get_running_loop()).install()


def limit_uploads() -> None:
    """Bound the files that the running server keeps."""
    manager = st.runtime.get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager), "Streamlit has no other"
    uploads.limit(manager)


def keep_downloads() -> None:
    """Keep the files that the running server makes until they are fetched."""
    storage = st.runtime.get_instance().media_file_mgr._storage  # there is no other way to it
    assert isinstance(storage, MemoryMediaFileStorage), "Streamlit has no other"
    downloads.keep(storage)


async def show_once(say: Callable[[str], None]) -> None:
    """Run the first page without a browser, so that its imports and its first run are ready for every session."""
    runtime = st.runtime.get_instance()
    visitor = _Visitor()
    session = runtime.connect_session(client=visitor, user_info={})
    message = BackMsg()
    message.rerun_script.query_string = ""
    telling = threading.Timer(QUICK_SECONDS, say, [FIRST_PAGE])
    telling.daemon = True
    telling.start()
    try:
        runtime.handle_backmsg(session, message)
        await visitor.shown.wait()  # as long as it takes: a deadline would end a server that still works
    finally:
        telling.cancel()
    runtime.close_session(session)


class _Visitor:
    """A client without a browser; ``shown`` is set once the page's script has run."""

    client_context = None

    def __init__(self) -> None:
        self.shown = asyncio.Event()

    def write_forward_msg(self, message: ForwardMsg) -> None:
        """Receive what the server sends; the server calls this in its event loop."""
        if message.WhichOneof("type") == "script_finished":
            self.shown.set()
