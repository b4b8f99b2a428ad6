"""What a stored run carries beside itself: programs that know nothing of it read the run as before."""

from __future__ import annotations

import json
from typing import Any

from dpviz.errors import TraceFormatError
from dpviz.text import read_json


def added(run: str, key: str, value: Any) -> str:
    """Add a value, which JSON can hold, to the JSON of a run that has none of this name."""
    return f"{run.rstrip().removesuffix('}')}, {json.dumps(key)}: {json.dumps(value)}}}"


def carried(run: str, key: str) -> Any:
    """Return what a run, which is untrusted JSON, carries by a name; None if nothing.

    Raises
    ------
    TraceFormatError
        If it holds what no page, file or digest can take.
    """
    try:
        document = read_json(run) if f'"{key}"' in run else None
    except (ValueError, RecursionError) as error:
        raise TraceFormatError(f"this stored run is damaged: {error}.") from error
    return document.get(key) if isinstance(document, dict) else None
