"""What a page of the lab holds for its script."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any


def content_of(page: str, name: str) -> bytes:
    """Return what a page holds under a name."""
    written = re.search(rf'id="{name}">([^<]*)<', page)
    assert written is not None
    return base64.b64decode(written[1])


def facts_of(page: str) -> dict[str, Any]:
    """Unpack the facts of a page."""
    facts: dict[str, Any] = json.loads(zlib.decompress(content_of(page, "lab-data")))
    return facts
