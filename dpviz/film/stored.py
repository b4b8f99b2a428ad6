"""The film from its file: it plays before any kernel is compiled."""

from __future__ import annotations

import functools
import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

from dpviz.errors import TraceFormatError
from dpviz.player.blocks import envelope, read_header
from dpviz.words import say

FILE = Path(__file__).parent / "assets" / "film.bin"
"""Made by :mod:`dpviz.film.making`; a test compares it with a film made anew."""
DAMAGED = say("film.damaged")


class Film(NamedTuple):
    """What the browser plays.

    Attributes
    ----------
    payload : bytes
        Two panels for the player; a frame is what it calls a sweep.
    script : dict
        ``pace`` (milliseconds of each frame), ``first_sweep`` (the frame in which that is over), ``point`` (which one
        has the handle by which it is carried), and for each panel its ``name``, its ``config``, its first ``visits``,
        in which order the first sweep makes them all if only its centres count before (``unseen``, else empty), and its
        ``verdict`` at the end.
    """

    payload: bytes
    script: dict[str, Any]

    @property
    def stored(self) -> bytes:
        """The film as in its file, and as the browser reads it: ``u32 script length | script | payload``."""
        return envelope(self.script, self.payload)


@functools.cache
def film() -> Film:
    """Read the film, once per process.

    Raises
    ------
    TraceFormatError
        If its file is missing or damaged.
    """
    try:
        stored = FILE.read_bytes()
        (length,) = struct.unpack_from("<I", stored)
        payload, script = stored[4 + length :], json.loads(stored[4 : 4 + length])
        last = max((block["offset"] + block["bytes"] for block in read_header(payload)["blocks"]), default=0)
    except (OSError, ValueError, struct.error) as error:
        raise TraceFormatError(DAMAGED) from error
    (header,) = struct.unpack_from("<I", payload)
    if len(payload) < 4 + header + last:
        raise TraceFormatError(DAMAGED)
    return Film(payload, script)
