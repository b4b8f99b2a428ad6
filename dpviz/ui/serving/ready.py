"""What a server prepares before it accepts connections, so that no session waits for it."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dpviz.analysis.warm import warm_posterior
from dpviz.cache_folder import open_folder, why_not_ours
from dpviz.engine import warm
from dpviz.ui.serving.newcomers import begin_whole
from dpviz.ui.serving.together import Gathered, Turns, hear_together, look_up_singly, read_theme_once, send_together
from dpviz.ui.session import downloads, uploads
from dpviz.ui.session.jobs import SHARED
from dpviz.ui.session.run_store import RunStore, default_folder

_MOST_SECONDS = 600.0
_log = logging.getLogger(__name__)


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


def share_runs() -> None:
    """Share finished runs with this user's other servers, in a folder to which nobody else writes."""
    folder, why = default_folder(), ""
    with suppress(OSError):  # which each run says that cannot be stored
        open_folder(folder)
        why = why_not_ours(folder)
    if why:
        _log.warning("The workers do not share their runs in %s: %s.", folder, why)
    else:
        SHARED.store = RunStore(folder)


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


def load_kernels() -> None:
    """Read all compiled kernels from disk, or compile the missing ones, before a session needs one."""
    for step in (*warm.steps().values(), warm_posterior):
        step()


async def show_once() -> None:
    """Run the first page without a browser, so that its imports and its first run are ready for every session."""
    runtime = st.runtime.get_instance()
    visitor = _Visitor()
    session = runtime.connect_session(client=visitor, user_info={})
    message = BackMsg()
    message.rerun_script.query_string = ""
    runtime.handle_backmsg(session, message)
    try:
        await asyncio.wait_for(visitor.shown.wait(), _MOST_SECONDS)
    finally:
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
