"""What was said when a run's model was chosen, in the stored run: its report says it again."""

from __future__ import annotations

from collections.abc import Sequence

from dpviz.analysis.stored_extras import added, carried
from dpviz.arrays import Strings
from dpviz.errors import TraceFormatError

KEY, LONGEST = "notes", 5_000


def with_notes(run: str, notes: Sequence[str]) -> str:
    """Add notes to a run's JSON, if there are any."""
    return added(run, KEY, list(notes)) if notes else run


def stored_notes(run: str) -> Strings:
    """Return the notes of a stored run; none if it does not have any.

    Raises
    ------
    TraceFormatError
        If they are no texts; the run is untrusted.
    """
    found = carried(run, KEY)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(note, str) and len(note) <= LONGEST for note in found):
        raise TraceFormatError("this stored run is damaged: the notes on the choice of its model are no short texts.")
    return tuple(found)
