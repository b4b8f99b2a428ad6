"""What the Explore page of a session shows, in one place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dpviz.engine.search import Search
from dpviz.engine.trace import Trace
from dpviz.engine.visits import SlowMotion
from dpviz.ui.session import computation
from dpviz.ui.session.background import Work
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.session.state import of_session

PLACE = "explore"


class Opened(NamedTuple):
    """The run that is open in the player, the sweep at its playhead, and whether it was still running."""

    trace: Trace
    sweep: int
    live: bool


@dataclass(eq=False)
class Showing:
    """State of the page.

    Attributes
    ----------
    finished : Finished or None
        The run that is shown.
    sweep : int
        At the playhead.
    opened : Opened or None
        What the player has open.
    jump : int or None
        Where the playhead goes next.
    from_start : bool
        Whether the next run opens at its first sweep.
    begins : str
        What the player does once it has a run: "play", "slow", or nothing.
    point : int or None
        The point that is explained.
    slow : tuple of Trace and SlowMotion, or None
        A sweep visit by visit, of a run.
    why_not_slow : str
        Why there is none.
    redraws_all : bool
        Whether a change shows everywhere, so that the whole page is drawn next, not only the fragment.
    started : bool
        Whether the page was opened before.
    lesson : Lesson or None
        A lesson that was chosen elsewhere, to open before any control is drawn.
    restored : Finished or None
        A run to show again, before any control is drawn.
    search : Search or None
        The search of the run, which may go on.
    attempted : Asked or None
        What was run last, however it ended.
    given : Asked or None
        A run of which it is said which model it has, by a link or because it is to be chosen again.
    error : tuple or None
        Data and settings of a run that failed, and why.
    asked : Asked or None
        What the controls ask for.
    why_no_scale : str
        Why clusters are not joined as a link asked, if the reader has not been told yet.
    left : list of Work
        Long runs that ended because another was wanted, until what they have done is among the session's runs.
    """

    finished: Finished | None = None
    sweep: int = 0
    opened: Opened | None = None
    jump: int | None = None
    from_start: bool = False
    begins: str = ""
    point: int | None = None
    slow: tuple[Trace, SlowMotion] | None = None
    why_not_slow: str = ""
    redraws_all: bool = False
    started: bool = False
    lesson: Lesson | None = None
    restored: Finished | None = None
    search: Search | None = None
    attempted: Asked | None = None
    given: Asked | None = None
    error: tuple[Any, str] | None = None
    asked: Asked | None = None
    why_no_scale: str = ""
    left: list[Work] = field(default_factory=list)

    def open_next_at_start(self, plays: bool) -> None:
        """Open the next run at its first sweep, so that it can be watched; ``plays`` if it starts by itself."""
        self.from_start, self.begins = True, "play" if plays else ""


def showing() -> Showing:
    """Return the state of this session's page."""
    return of_session(PLACE, Showing)


def job_of(work: Work) -> Job:
    """Return the run that is on its way."""
    assert isinstance(work.task, Job)
    return work.task


def in_picture() -> Job | Finished | None:
    """Return the run in progress, or else the one that is shown."""
    work = computation.current(PLACE)
    return showing().finished if work is None else job_of(work)
