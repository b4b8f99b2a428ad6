"""Whose turn it is to have a file read: everybody's first before anybody's second."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from dpviz.errors import MemoryLimitError

_MOST_REMEMBERED = 1_000  # owners who had a turn


class Turns:
    """Lets a few work at the same time, of every owner one.

    Of those who wait, first comes whose owner had no turn yet, or had the last one longest ago; then who came first.

    Parameters
    ----------
    most : int
        Most that work at the same time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        self._waiting: dict[int, str] = {}
        self._working: list[str] = []
        self._served: OrderedDict[str, int] = OrderedDict()

    @contextmanager
    def taken(self, owner: str, seconds: float) -> Iterator[None]:
        """Wait for a turn and keep it.

        Parameters
        ----------
        owner : str
            Who asks; if empty, somebody who asks for nothing else.
        seconds : float
            Longest wait.

        Raises
        ------
        MemoryLimitError
            If it would be longer.
        """
        with self._changed:
            ticket = self.ask(owner)
            try:
                begun = self._changed.wait_for(lambda: self.begin(ticket), seconds)
            except BaseException:  # such as Ctrl-C
                self._waiting.pop(ticket, None)
                self._changed.notify_all()
                raise
            if not begun:
                del self._waiting[ticket]
                self._changed.notify_all()
                raise MemoryLimitError("Other files are being read, which takes long. Try again in a minute.")
        try:
            yield
        finally:
            self.end(owner)

    def ask(self, owner: str) -> int:
        """Queue up, and return a number for :meth:`begin`."""
        with self._changed:
            ticket = next(self._numbers)
            self._waiting[ticket] = owner
            return ticket

    def begin(self, ticket: int) -> bool:
        """Begin if it is this one's turn, and return whether it is."""
        with self._changed:
            if self._next() != ticket:
                return False
            owner = self._waiting.pop(ticket)
            self._working.append(owner)
            if owner:
                self._served[owner] = next(self._numbers)
                self._served.move_to_end(owner)
                while len(self._served) > _MOST_REMEMBERED:
                    self._served.popitem(last=False)
            self._changed.notify_all()
            return True

    def end(self, owner: str) -> None:
        """Let the next one begin."""
        with self._changed:
            self._working.remove(owner)
            self._changed.notify_all()

    def _next(self) -> int | None:
        """Return who of those that wait may begin, if anybody."""
        if len(self._working) >= self._most:
            return None
        may = [ticket for ticket, owner in self._waiting.items() if not owner or owner not in self._working]
        return min(may, key=lambda ticket: (self._served.get(self._waiting[ticket], -1), ticket), default=None)
