"""Whether a server answers that it is well."""

from __future__ import annotations

import http.client
import urllib.request


def answers(address: str) -> bool:
    """Say whether a server answers that it is well.

    Parameters
    ----------
    address : str
        What to ask for, such as ``http://127.0.0.1:8501/_stcore/health``.
    """
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    # A server that ends in the middle of its answer leaves one that cannot be read: that is no OSError.
    except (OSError, http.client.HTTPException):
        return False
