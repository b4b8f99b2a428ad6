"""Health check of a server."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

PATIENCE_SECONDS = 10.0
"""Seconds after which a health check counts as not answered."""


def answers(address: str, seconds: float = PATIENCE_SECONDS) -> bool:
    """Return whether a server reports that it is healthy.

    Parameters
    ----------
    address : str
        Address to request, such as ``http://127.0.0.1:8501/_stcore/health``. No proxy of the environment is asked.
    seconds : float
        How long to wait for the server.
    """
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=seconds)
    try:
        connection.request("GET", place.path, headers={"Host": "localhost"})  # a name that every health check has
        return connection.getresponse().status == 200
    # A server that ends in the middle of its answer leaves an unreadable one, which raises no OSError.
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
