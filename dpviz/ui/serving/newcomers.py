"""Browsers that come back to a server which does not know them, since the one that they had is gone.

Such a browser has a session without a page: what it asks of a part of the page (a fragment) Streamlit ignores, and what
it presses is of widgets that the session does not know yet. The reader would press buttons in vain.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

PRESSES = ("trigger_value", "string_trigger_value", "json_trigger_value", "chat_input_value")
"""Values of widgets that count once."""


def begin_whole() -> None:
    """Let the first script run of every session draw the whole page, whatever part of it the browser asks for.

    What was pressed follows in a second run, once the widgets are known. What a session runs by does not tell which run
    is the first: Streamlit lets go of it whenever a script has ended.
    """
    kind: Any = AppSession
    request, handle = kind.request_rerun, kind._handle_scriptrunner_event_on_event_loop
    known, waiting = WeakSet[AppSession](), WeakKeyDictionary[AppSession, ClientState]()

    def requested(session: AppSession, client_state: ClientState | None) -> None:
        is_new = session not in known
        known.add(session)
        if client_state is None or not client_state.is_auto_rerun:  # it has what the browser holds now
            waiting.pop(session, None)
        if is_new and client_state is not None:
            client_state = _of_whole_page(client_state)
            if any(map(_is_press, client_state.widget_states.widgets)):
                waiting[session] = client_state
                client_state = _without_presses(client_state)
        request(session, client_state)

    def handled(session: AppSession, sender: Any, event: ScriptRunnerEvent, *given: Any, **named: Any) -> None:
        handle(session, sender, event, *given, **named)
        if event == ScriptRunnerEvent.SHUTDOWN and vars(session)["_scriptrunner"] is None and session in waiting:
            request(session, waiting.pop(session))

    kind.request_rerun, kind._handle_scriptrunner_event_on_event_loop = requested, handled


def _of_whole_page(asked: ClientState) -> ClientState:
    """Return what was asked of a part of the page as asked of all of it."""
    whole = ClientState()
    whole.CopyFrom(asked)
    if whole.fragment_id:
        whole.fragment_id, whole.is_auto_rerun = "", False
    return whole


def _is_press(state: WidgetState) -> bool:
    return state.WhichOneof("value") in PRESSES


def _without_presses(asked: ClientState) -> ClientState:
    """Return what was asked as if nothing had been pressed."""
    calm = ClientState()
    calm.CopyFrom(asked)
    del calm.widget_states.widgets[:]
    calm.widget_states.widgets.extend(state for state in asked.widget_states.widgets if not _is_press(state))
    return calm
