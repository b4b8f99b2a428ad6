"""What was said when a run's model was chosen, in the stored run: its report says it again."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dpviz.arrays import Strings
from dpviz.errors import TraceFormatError
from dpviz.text import read_json

KEY = "notes"


def with_notes(run: str, notes: Sequence[str]) -> str:
    """Add notes to a run's JSON, if there are any; programs that know nothing of them read the run as before."""
    if not notes:
        return run
    return f"{run.rstrip().removesuffix('}')}, {json.dumps(KEY)}: {json.dumps(list(notes))}}}"


def stored_notes(run: str) -> Strings:
    """Return the notes of a stored run; none if it does not have any.

    Raises
    ------
    TraceFormatError
        If they are no texts; the run is untrusted.
    """
    document = read_json(run) if f'"{KEY}"' in run else None
    found = document.get(KEY, []) if isinstance(document, dict) else []
    if not isinstance(found, list) or not all(isinstance(note, str) for note in found):
        raise TraceFormatError("this stored run is damaged: the notes on the choice of its model are no texts.")
    return tuple(found)
