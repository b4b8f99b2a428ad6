"""What the tests of the player share: a second reader of payloads, and label histories."""

from __future__ import annotations

import itertools
import json
import struct
import zlib
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

TYPES = {"u1": "u1", "u2": "<u2", "u4": "<u4", "i4": "<i4", "f4": "<f4", "f8": "<f8"}
histories = arrays.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 12)), elements=st.integers(-1, 2))


def naive_decode(payload: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read the format from its description, one row after the other."""
    (length,) = struct.unpack("<I", payload[:4])
    header = json.loads(payload[4 : 4 + length])
    blocks = []
    for block in header["blocks"]:
        start = 4 + length + block["offset"]
        raw = payload[start : start + block["bytes"]]
        array = np.frombuffer(zlib.decompress(raw) if block["deflated"] else raw, TYPES[block["kind"]]).copy()
        array = array.reshape(block["shape"])
        for row in range(1, len(array) if block["differences"] else 0):
            array[row] ^= array[row - 1]
        blocks.append(array)
    return header, blocks


def layer(payload: bytes, name: str, number: int = 0) -> np.ndarray:
    """One array of a panel."""
    header, blocks = naive_decode(payload)
    return blocks[header["panels"][number]["arrays"][name]]


def same_partition(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two labellings put the same points together."""
    return bool(((left[:, None] == left) == (right[:, None] == right)).all())


def most_kept(before: np.ndarray, after: np.ndarray) -> int:
    """Largest number of points that any renaming of ``after`` can keep, by trying all of them."""
    old, new = np.unique(before), np.unique(after)
    names = [*old, *range(100, 100 + len(new))]
    kept = (
        sum(((after == k) & (before == name)).sum() for k, name in zip(new, choice, strict=True))
        for choice in itertools.permutations(names, len(new))
    )
    return int(max(kept))


def restless_labels(generator: np.random.Generator, most: int) -> np.ndarray:
    """A history with many births and deaths, at most ``most`` clusters in a sweep, renumbered at every sweep."""
    labels = np.zeros((150, 120), dtype=np.int64)
    for row in range(1, len(labels)):
        labels[row] = labels[row - 1]
        for _ in range(3):
            chosen = generator.choice(np.unique(labels[row]))
            members = np.flatnonzero(labels[row] == chosen)
            if generator.random() < 0.5 and len(np.unique(labels[row])) < most:
                labels[row, members[: len(members) // 2]] = labels[row].max() + 1
            else:
                labels[row, members] = generator.choice(np.unique(labels[row]))
        labels[row] = np.unique(labels[row], return_inverse=True)[1]
    return labels
