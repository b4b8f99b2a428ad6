"""Browsers that come back to a server which does not know them, since the one that they had is gone.

Such a browser has a session without a page: what it asks of a part of the page (a fragment) Streamlit ignores, and the
reader presses buttons in vain.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession


def begin_whole() -> None:
    """Let the first script run of every session draw the whole page, whatever part of it the browser asks for.

    What a session runs by does not tell: Streamlit lets go of it whenever a script has ended.
    """
    kind: Any = AppSession
    request, known = kind.request_rerun, WeakSet[AppSession]()

    def requested(session: AppSession, client_state: ClientState | None) -> None:
        is_new = session not in known
        known.add(session)
        if is_new and client_state is not None and client_state.fragment_id:
            whole = ClientState()
            whole.CopyFrom(client_state)
            whole.fragment_id, whole.is_auto_rerun = "", False
            client_state = whole
        request(session, client_state)

    kind.request_rerun = requested
