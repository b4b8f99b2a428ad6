"""The Papers page in a real browser: a table, its figures, and a row that opens in Compare."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browsing import page_server

ROOT = Path(__file__).parents[2]
QUERY = urlencode({"papers": json.dumps({"study": "raykov2016-scenarios"})})

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Address of the whole app."""
    with page_server(ROOT / "app.py") as server:
        yield server
