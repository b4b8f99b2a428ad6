"""Connections that hold a place without asking for anything are closed, and there are places for many."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http import auto

from dpviz.ui.serving.careful import Refusals

MOST_FILES = 65_536
"""Open files, connections among them, that the server may have where the system lets it; many shells allow 1,024."""
SECONDS_TO_ASK = 30.0
"""Seconds after which a connection is closed on which no request has come to the end of its headers."""
_NO_FILES = "socket.accept() out of system resource"


class Patient(auto.AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """The server's protocol, which waits for ever for the end of a request's headers, with an end to that."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def _wait(self) -> None:
        self.loop.call_later(SECONDS_TO_ASK, self._close_unless_asked, self.cycle)

    def _close_unless_asked(self, before: object) -> None:
        """Close the connection if no request has come since; ``before`` is the last one at that time."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:  # it is a websocket by now
            return
        cycle: Any = self.cycle  # of a request and its answer
        waits = cycle is None or cycle.response_complete
        if waits and cycle is before:
            self.transport.close()
        else:
            self._wait()


def bound() -> None:
    """Let this process have many connections, close those that ask for nothing, and log a lack of places sparingly."""
    auto.AutoHTTPProtocol = Patient
    with suppress(ImportError, ValueError, OSError):  # not on Windows; not where the system refuses
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    refusals = Refusals()

    def is_kept(record: logging.LogRecord) -> bool:
        lacking = record.getMessage().startswith(_NO_FILES)
        if lacking:
            refusals.note("There are too many connections for the number of open files that the system allows.")
        return not lacking

    logging.getLogger("asyncio").addFilter(is_kept)
