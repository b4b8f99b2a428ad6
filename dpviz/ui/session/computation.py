"""One way to compute something long: a page wants it, and it is known, runs, waits for the reader, or has failed.

A :class:`Computation` says what is wanted, and :func:`wanted` how that stands. Pages hold no threads: what a session
has begun is held here, one computation in each place; a place that wants another stops the one before. What may serve
other sessions is kept in ``FINISHED``; a page that is loaded again finds what it had begun.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from dpviz.analysis.grids import duration
from dpviz.errors import DpvizError
from dpviz.fit.timing import Estimate
from dpviz.text import counted
from dpviz.ui.session.background import Task, Work
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.state import of_session
from dpviz.ui.session.tasks import Gathered

MOST_FINISHED, MOST_FINISHED_BYTES = 1_000, 300_000_000
"""Limits on the finished results that are kept for all sessions: runs, chains, grids, choices of a model."""
MOST_LEFT, MOST_LEFT_BYTES = 12, 50_000_000
"""The same for results of a session that were stopped when something else was wanted."""
_HELD = "computations"

Key = tuple[Hashable, ...]
FINISHED: Kept[Any] = Kept(MOST_FINISHED_BYTES, most=MOST_FINISHED)
"""Finished results of all kinds for the whole server: a reload, or another session with the same link, finds them."""
_running: WeakValueDictionary[Key, Work] = WeakValueDictionary()
_lock = Lock()


@dataclass(frozen=True, eq=False)
class Computation:
    """What a page wants.

    Attributes
    ----------
    place : str
        Where on which page: a session computes one thing in each place.
    key : hashable
        Everything that defines the result, in any session.
    begin : callable
        Returns the task; may raise a ``DpvizError``.
    estimate : Estimate
        Of all of it, on one core.
    unasked : float
        It starts by itself if it takes no more operations than this.
    at_once : float
        Operations that are done before the page is drawn.
    shared : bool
        Whether other sessions may have its result, and go on with it once nobody watches.
    known : callable, optional
        Returns the result if another place keeps it; None otherwise.
    keeps : bool
        Whether what was done is there again when it is wanted once more, after something else was, if it takes long.
    """

    place: str
    key: Hashable
    begin: Callable[[], Task]
    estimate: Estimate
    unasked: float = 0.0
    at_once: float = 0.0
    shared: bool = False
    known: Callable[[], Any] | None = None
    keeps: bool = False

    @property
    def name(self) -> Key:
        """Its name among those of all sessions."""
        return self.place, self.key


@dataclass(frozen=True, eq=False)
class Running:
    """It runs; :func:`~dpviz.ui.session.background.watch` shows its progress."""

    work: Work


@dataclass(frozen=True, eq=False)
class Done:
    """It is over; ``stopped`` if the result is only what was done by then."""

    result: Any
    stopped: bool = False


@dataclass(frozen=True, eq=False)
class Failed:
    """It ended with an error; ``result`` is what there was before."""

    message: str
    result: Any = None


@dataclass(frozen=True, eq=False)
class Waiting:
    """It takes long, so it waits for the reader, who starts it by :func:`start`."""

    estimate: Estimate


Outcome = Running | Done | Failed | Waiting


class _Begun(NamedTuple):
    """What runs in a place, or has ended there; without work if it could not even begin."""

    key: Hashable
    work: Work | None
    message: str = ""
    taken: bool = False
    keeps: bool = False


@dataclass(eq=False)
class _Held:
    """What a session computes: the latest in every place, and of earlier ones those that stop and results of others."""

    begun: dict[str, _Begun] = field(default_factory=dict)
    leaving: dict[Key, _Begun] = field(default_factory=dict)
    left: Kept[Done] = field(default_factory=lambda: Kept(MOST_LEFT_BYTES, most=MOST_LEFT))


def wanted(computation: Computation) -> Outcome:
    """Return how a computation stands, and begin it if it is short; whatever else ran in its place ends."""
    there = look(computation)
    if there is not None:
        return there
    if computation.estimate.operations > computation.unasked:
        return Waiting(computation.estimate)
    start(computation)
    begun = look(computation)
    assert begun is not None
    return begun


def look(computation: Computation) -> Outcome | None:
    """Return how a computation stands, None if it was not begun; whatever else ran in its place ends."""
    held, place = _held(), computation.place
    begun = _begun(place)
    if begun is not None and begun.key != computation.key:
        leave(place)
        begun = None
    if begun is None or (begun.work is not None and begun.work.stopped):
        known = _known(computation)
        if known is not None:
            return Done(known)
    if begun is None:
        begun = _left_alone(computation) or _leaving(computation)
    return held.left.find(computation.name) if begun is None else _outcome(begun)


def found(computation: Computation) -> Any:
    """Return what a computation has found, None unless it is over and still there; nothing else ends for it."""
    known = _known(computation)
    if known is not None:
        return known
    begun = _begun(computation.place)
    is_own = begun is not None and begun.key == computation.key
    outcome = _outcome(begun) if begun is not None and is_own else _held().left.find(computation.name)
    return outcome.result if isinstance(outcome, Done) and not outcome.stopped else None


def start(computation: Computation, *others: str) -> None:
    """Begin a computation, or go on with what was stopped; an error is kept for :func:`wanted`.

    Parameters
    ----------
    computation : Computation
    *others : str
        Places where nothing is to run meanwhile.
    """
    held, place = _held(), computation.place
    for other in others:
        stop(other)
    begun = _begun(place)
    work = begun.work if begun is not None and begun.key == computation.key else None
    if begun is not None and work is not None and (not (work.over or work.stopped) or work.resume()):
        held.begun[place] = begun._replace(taken=False)
        return
    leave(place)
    held.left.forget(computation.name)
    if _left_alone(computation) is not None:
        return
    try:
        work = Work(computation.begin(), computation.at_once, on_end=_keeper(computation))
    except DpvizError as error:
        held.begun[place] = _Begun(computation.key, None, str(error))
        return
    work.owner = held
    held.begun[place] = _watched(computation, work)
    if computation.shared:
        with _lock:
            _running[computation.name] = work


def current(place: str) -> Work | None:
    """Return what runs in a place, or has ended there and was not taken yet."""
    begun = _begun(place)
    return None if begun is None or begun.taken else begun.work


def is_of(computation: Computation) -> bool:
    """Whether what runs in its place, or has ended there, is this computation."""
    begun = _begun(computation.place)
    return begun is not None and begun.key == computation.key


def taken(place: str) -> tuple[Hashable, Outcome] | None:
    """Return what has ended in a place and its key, once; None while there is nothing, or it still runs.

    What was stopped stays, and goes on if it is started again.
    """
    held, begun = _held(), _begun(place)
    outcome = None if begun is None or begun.taken else _outcome(begun)
    if begun is None or outcome is None or isinstance(outcome, Running):
        return None
    held.begun[place] = begun._replace(taken=True)
    if not (isinstance(outcome, Done) and outcome.stopped):
        del held.begun[place]
    return begun.key, outcome


def stop(place: str) -> None:
    """End what runs in a place after its current step."""
    work = current(place)
    if work is not None:
        work.stop()


def leave(place: str) -> None:
    """End what runs in a place, and forget it but for results of which each stands for itself."""
    held, begun = _held(), _begun(place)
    held.begun.pop(place, None)
    if begun is None or begun.work is None:
        return
    work = begun.work
    work.stop()
    if isinstance(work.task, Gathered) and not work.error and work.task.result and work.stopped:
        held.left.put((place, begun.key), Done(list(work.task.result), stopped=True))
    elif begun.keeps and FINISHED.find((place, begun.key)) is None:
        held.leaving[place, begun.key] = begun
        _keep_what_ended()


def forget(computation: Computation) -> None:
    """End a computation if it runs, and forget what it had found."""
    leave(computation.place)
    _held().leaving.pop(computation.name, None)
    _held().left.forget(computation.name)


def leave_all(prefix: str) -> None:
    """Leave every place whose name begins so."""
    for place in [place for place in _held().begun if place.startswith(prefix)]:
        leave(place)


def is_begun_elsewhere(computation: Computation) -> bool:
    """Whether it runs without anybody who watches, as after its page was reloaded."""
    return _alone(computation) is not None


def _alone(computation: Computation) -> Work | None:
    """Return its work if it runs and nobody watches."""
    with _lock:
        work = _running.get(computation.name) if computation.shared else None
    return work if work is not None and work.left_alone else None


def expected_in_words(estimate: Estimate) -> str:
    """Say how long a computation takes, and what that assumes."""
    words, clusters = f"about {duration(max(estimate.seconds, 0.1))}", counted(round(estimate.n_clusters), "cluster")
    if estimate.measured:
        return f"{words}, by the pace of the last such run on these data, with {clusters}"
    return f"{words} if there are some {clusters}, and longer with more" if estimate.n_clusters else words


def forget_all(kind: str = "") -> None:
    """Forget all finished results, or those of a kind, and that others run; they continue while they are watched."""
    for name in FINISHED.keys():
        if not kind or name[0] == kind:
            FINISHED.forget(name)
    with _lock:
        _running.clear()


def _held() -> _Held:
    return of_session(_HELD, _Held)


def _begun(place: str) -> _Begun | None:
    """Return what this session has begun in a place, unless another has taken it over since."""
    held = _held()
    begun = held.begun.get(place)
    if begun is not None and begun.work is not None and begun.work.owner is not held:
        del held.begun[place]
        return None
    return begun


def _known(computation: Computation) -> Any:
    if computation.known is not None:
        return computation.known()
    return FINISHED.find(computation.name) if computation.shared else None


def _left_alone(computation: Computation) -> _Begun | None:
    """Take over what another session, or this page before it was reloaded, has left alone."""
    work = _alone(computation)
    if work is None:
        return None
    work.owner = held = _held()
    work.look()  # before its next step, at which it would end unwatched
    begun = held.begun[computation.place] = _watched(computation, work)
    return begun


def _watched(computation: Computation, work: Work) -> _Begun:
    takes_long = computation.estimate.operations > computation.unasked
    return _Begun(computation.key, work, keeps=computation.keeps and takes_long)


def _leaving(computation: Computation) -> _Begun | None:
    """Return what was left and still does its last step: it is in its place again until that is over."""
    held = _held()
    _keep_what_ended()
    begun = held.leaving.pop(computation.name, None)
    if begun is not None:
        held.begun[computation.place] = begun
    return begun


def _keep_what_ended() -> None:
    """Keep the results of what was left and has ended since."""
    held = _held()
    for name, begun in list(held.leaving.items()):
        work = begun.work
        if work is None or work.over:
            del held.leaving[name]
            if work is not None and not work.error and work.task.result is not None:
                held.left.put(name, Done(work.task.result, work.stopped))


def _keeper(computation: Computation) -> Callable[[Work], None] | None:
    """Return what keeps the finished result for others."""
    if not computation.shared or computation.known is not None:
        return None
    name = computation.name
    return lambda work: None if work.stopped else FINISHED.put(name, work.task.result)


def _is_over(work: Work) -> bool:
    """Whether there is nothing to wait for: some tasks show what they have as soon as they are told to stop."""
    return work.over or (work.stopped and not work.task.waits)


def _outcome(begun: _Begun) -> Outcome:
    work = begun.work
    if work is None:
        return Failed(begun.message)
    if not _is_over(work):
        return Running(work)
    result = list(work.task.result) if isinstance(work.task, Gathered) else work.task.result
    return Failed(work.error, result) if work.error else Done(result, work.stopped)
