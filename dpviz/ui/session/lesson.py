"""What the list of lessons says about each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Lesson:
    """A lesson as its list shows it.

    Attributes
    ----------
    title, watch : str
        Its name, and one sentence on what to watch.
    """

    title: str
    watch: str
