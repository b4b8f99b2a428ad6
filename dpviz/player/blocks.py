"""The payload's container: ``u32 header length | JSON header | blocks``, blocks deflated where that pays."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.errors import TraceFormatError

_TYPES = {"u1": "|u1", "u2": "<u2", "u4": "<u4", "i4": "<i4", "f4": "<f4", "f8": "<f8"}
_PLAIN_BYTES = 16_384  # smaller blocks are not worth compressing
_DEFLATE_LEVEL = 3  # within 15 % of level 9 on label differences and several times faster


class BlockWriter:
    """Collects arrays and writes them behind a header; equal arrays are stored once."""

    def __init__(self) -> None:
        self._descriptions: list[dict[str, Any]] = []
        self._chunks: list[bytes] = []
        self._known: dict[tuple[str, tuple[int, ...], bytes], int] = {}
        self._length = 0

    def add(self, array: NDArray[Any], kind: str, *, differences: bool = False) -> int:
        """Store one array.

        Parameters
        ----------
        array : ndarray
            The values.
        kind : str
            One of u1, u2, u4, i4, f4, f8: the type they are stored as.
        differences : bool
            Store each row as its bitwise exclusive or with the row before: mostly zeros for label histories.

        Returns
        -------
        int
            Number of the block, for the header.
        """
        stored = np.ascontiguousarray(array, dtype=_TYPES[kind])
        identity = (kind, stored.shape, hashlib.blake2b(stored.data, digest_size=16).digest())
        if identity in self._known:
            return self._known[identity]
        differences = differences and len(stored) > 1
        if differences:
            stored = np.concatenate([stored[:1], stored[1:] ^ stored[:-1]])
        raw = stored.tobytes()
        chunk = zlib.compress(raw, _DEFLATE_LEVEL) if len(raw) > _PLAIN_BYTES else raw
        deflated = len(chunk) < len(raw)
        self._chunks.append(chunk if deflated else raw)
        self._descriptions.append(
            {
                "kind": kind,
                "shape": list(stored.shape),
                "offset": self._length,
                "bytes": len(self._chunks[-1]),
                "deflated": deflated,
                "differences": differences,
            }
        )
        self._length += len(self._chunks[-1])
        self._known[identity] = len(self._chunks) - 1
        return self._known[identity]

    def finish(self, header: dict[str, Any]) -> bytes:
        """Write the header with the list of blocks, then the blocks."""
        return envelope(header | {"blocks": self._descriptions}, *self._chunks)


def envelope(header: Mapping[str, Any], *contents: bytes) -> bytes:
    """Write a header and bytes as one message, which ``openEnvelope`` of the player's script reads."""
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    return b"".join([struct.pack("<I", len(text)), text, *contents])


def read_header(payload: bytes) -> dict[str, Any]:
    """Header of a payload.

    Raises
    ------
    TraceFormatError
        If the bytes are not a player payload.
    """
    try:
        (length,) = struct.unpack_from("<I", payload)
        header: dict[str, Any] = json.loads(payload[4 : 4 + length])
        known = header["format"] == "dpviz-player" and header["version"] == 1
    except (struct.error, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise TraceFormatError(f"payload ({len(payload)} bytes) is not one from build_payload.") from error
    if not known:
        raise TraceFormatError("payload has an unknown version; build it again with this version of dpviz.")
    return header
