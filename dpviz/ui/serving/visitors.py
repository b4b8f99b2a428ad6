"""Which requests a server answers: those that call it by a name of its own, and that no foreign page makes.

Streamlit checks neither before it serves a page, and for a websocket of a foreign page it asks other servers, in its
event loop, for this machine's addresses: nobody else is answered meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from starlette.types import Scope

from dpviz.server import LOOPBACK

HEALTH = "/_stcore/health"
"""Address of the health check, which this machine may ask for by its own names as well, whatever the server's are."""
NOT_BY_THIS_NAME = (
    "This server answers to its own names only, and was asked by another. Whoever runs it can add names: "
    "dpviz app --allow-host NAME."
)
NOT_FROM_THIS_PAGE = (
    "This server answers its own pages only, and was asked by another. A proxy in front of it must pass on the Host "
    "that it was asked for, with the port."
)

_PLACE = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\\[\]]+)(?::([0-9]{1,5}))?")
_ORIGIN = re.compile(r"(https?)://(.+)", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}


class _Place(NamedTuple):
    name: str
    port: int | None


def refusal(scope: Scope, names: Sequence[str]) -> str:
    """Say why a request is refused; empty if it is answered.

    Parameters
    ----------
    scope : ASGI scope
        Of a request or of a websocket.
    names : sequence of str
        Names of the server, ``*.example.org`` among them; empty means any.
    """
    hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
    host = _place(hosts[0]) if len(hosts) == 1 else None
    known = [*names, *LOOPBACK] if scope["path"] == HEALTH else names
    if names and not (host is not None and any(_is_named(host, name) for name in known)):
        return NOT_BY_THIS_NAME
    if origins and not (len(origins) == 1 and host is not None and _is_origin_of(origins[0], host)):
        return NOT_FROM_THIS_PAGE
    return ""


def _values(scope: Scope, header: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope.get("headers", ()) if name.lower() == header]


def _place(text: str) -> _Place | None:
    """Read ``example.org:8501`` or ``[::1]``; None if it is nothing of the kind."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    name, port = found.groups()
    return _Place(name.strip("[]").lower().rstrip("."), None if port is None else int(port))


def _is_named(host: _Place, name: str) -> bool:
    name = name.strip().strip("[]").lower().rstrip(".")
    return name in ("*", host.name) or (name.startswith("*.") and host.name.endswith(name[1:]))


def _is_origin_of(origin: str, host: _Place) -> bool:
    """Whether a page is one of the server that it asks; its scheme tells the port where none is named.

    The scheme itself is not compared: behind a proxy with TLS the server does not know its own.
    """
    found = _ORIGIN.fullmatch(origin)
    page = _place(found.group(2)) if found else None
    if found is None or page is None:
        return False
    usual = _PORTS[found.group(1).lower()]
    return page.name == host.name and (page.port or usual) == (host.port or usual)
