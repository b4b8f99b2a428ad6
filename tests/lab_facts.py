"""What a page of the lab holds for its script."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any


def facts_of(page: str) -> dict[str, Any]:
    """Unpack the facts of a page."""
    written = re.search(r'id="lab-data">([^<]*)<', page)
    assert written is not None
    facts: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(written[1])))
    return facts
