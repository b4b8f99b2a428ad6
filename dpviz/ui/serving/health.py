"""Health check of a server."""

from __future__ import annotations

import http.client
import urllib.request


def answers(address: str) -> bool:
    """Return whether a server reports that it is healthy.

    Parameters
    ----------
    address : str
        Address to request, such as ``http://127.0.0.1:8501/_stcore/health``.
    """
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    # A server that ends in the middle of its answer leaves an unreadable one, which raises no OSError.
    except (OSError, http.client.HTTPException):
        return False
