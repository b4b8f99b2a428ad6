"""What can be tried in a chapter, in its player: the browser computes."""

from __future__ import annotations

from typing import Literal

from dpviz.browser import with_tables
from dpviz.course import Chapter
from dpviz.course.bench import trial_bytes
from dpviz.player.blocks import envelope
from dpviz.scripts import script
from dpviz.ui.mounting import component, engine_message


def bring_bench(chapter: Chapter, player: str, kind: Literal["lead", "trial"] = "trial") -> None:
    """Let a chapter's numbers be dragged in the player of this key: those before the prediction, or all."""
    _component()(key="course engine", data=engine_message())
    _component()(key=f"{kind} {chapter.name}", data=envelope({"kind": kind, "player": player}, trial_bytes(chapter)))


_component = component("dpviz_bench", lambda: with_tables(script("bench")))
