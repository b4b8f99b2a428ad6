"""What can be tried in a chapter, in its player: the browser computes."""

from __future__ import annotations

import functools
import json
import struct
import zlib
from typing import Any, Literal

from dpviz.browser import module_bytes, with_tables
from dpviz.course import Chapter
from dpviz.course.bench import trial_bytes
from dpviz.scripts import script
from dpviz.ui.mounting import component


def bring_bench(chapter: Chapter, player: str, kind: Literal["lead", "trial"] = "trial") -> None:
    """Let a chapter's numbers be dragged in the player of this key: those before the prediction, or all."""
    if chapter.trial is None or (kind == "lead" and chapter.trial.lead is None):
        return
    _component()(key="course engine", data=_engine())
    _component()(key=f"{kind} {chapter.name}", data=_envelope({"kind": kind, "player": player}, trial_bytes(chapter)))


def _envelope(header: dict[str, Any], content: bytes) -> bytes:
    text = json.dumps(header).encode()
    return b"".join([struct.pack("<I", len(text)), text, content])


@functools.cache
def _engine() -> bytes:
    return _envelope({"kind": "engine"}, zlib.compress(module_bytes(), 9))


_component = component("dpviz_bench", lambda: with_tables(script("bench")))
