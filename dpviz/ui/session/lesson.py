"""What the list of lessons says about each, and what must hold for it to be so."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpviz.config import RunConfig
from dpviz.course.claims import Claim


@dataclass(frozen=True)
class Lesson:
    """A lesson as its list shows it.

    Attributes
    ----------
    title, watch : str
        Its name, and one sentence on what to watch.
    beside : tuple of RunConfig
        Runs that the sentence speaks of and the lesson does not show.
    claims : tuple of Claim
        What the sentence says, about the own runs and then those beside them; as a rule true of 19 draws of 20.
    """

    title: str
    watch: str
    beside: tuple[RunConfig, ...] = field(default=(), kw_only=True)
    claims: tuple[Claim, ...] = field(default=(), kw_only=True)
