"""Which settings of a run's model were left to the data, in the stored run: its report says who set them."""

from __future__ import annotations

from collections.abc import Sequence

from dpviz.analysis.stored_extras import added, carried
from dpviz.arrays import Strings
from dpviz.errors import TraceFormatError

KEY = "undecided"


def with_undecided(run: str, undecided: Sequence[str] | None) -> str:
    """Add the names of settings that were left to the data to a run's JSON, if they are known."""
    return run if undecided is None else added(run, KEY, list(undecided))


def stored_undecided(run: str) -> Strings | None:
    """Return the names of settings that a stored run's data chose; None if it does not say.

    Raises
    ------
    TraceFormatError
        If they are no texts; the run is untrusted.
    """
    found = carried(run, KEY)
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise TraceFormatError("this stored run is damaged: the settings that were left to the data are no texts.")
    return tuple(found)
