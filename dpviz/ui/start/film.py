"""The film of the first page, from its file: it plays before any kernel is compiled."""

from __future__ import annotations

import functools
import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parent / "assets" / "film.bin"
"""Made by :mod:`dpviz.ui.start.making`; a test compares it with a film made anew."""


class Film(NamedTuple):
    """What the browser plays.

    Attributes
    ----------
    payload : bytes
        Two panels for the player; a frame is what it calls a sweep.
    script : dict
        ``pace`` (milliseconds of each frame), ``first_sweep`` (the frame in which that is over), and for each panel its
        ``unit``, its first ``visits``, in which order the first sweep makes them all if only its centres count before
        (``unseen``, else empty), and its ``verdict`` at the end.
    """

    payload: bytes
    script: dict[str, Any]

    @property
    def stored(self) -> bytes:
        """The film as in its file, and as the browser reads it: ``u32 script length | script | payload``."""
        text = json.dumps(self.script, separators=(",", ":")).encode()
        return b"".join([struct.pack("<I", len(text)), text, self.payload])


@functools.cache
def film() -> Film:
    """Read the film, once per process."""
    stored = FILE.read_bytes()
    (length,) = struct.unpack_from("<I", stored)
    return Film(stored[4 + length :], json.loads(stored[4 : 4 + length]))
