"""What visitors of a server share for a while: short links, and the answers of classes.

All of it is in memory, and gone with the server. Everything is bounded, and says when it goes: whoever reaches the
server can write here.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from dpviz.errors import NotKeptError, require

MOST_LINKS, MOST_LINK_CHARACTERS, MOST_LINK_BYTES = 2_000, 16_000, 8_000_000
"""Short links of a server, the longest address that one stands for, and all of them together; those that were followed
longest ago make room."""
LINK_SECONDS = 30 * 24 * 3600.0
"""Seconds since it was last made or followed after which a short link is forgotten."""
MOST_CLASSES, MOST_ANSWERS, MOST_CLASSES_OF_ONE = 100, 1_000, 3
"""Classes that are open on a server, answers in one, and classes that one browser has open."""
CLASS_SECONDS = 4 * 3600.0
"""Seconds from its opening after which a class is forgotten with its answers."""
LEFT_SECONDS = 600.0
"""Seconds without a look by its lecturer after which a class makes room, where no more can be opened."""
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Of a class's code: no vowels, so that it is no word, and none that is read as another."""
CODE_LENGTH = 5
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_SHORTEST_ID, _LONGEST_ID = 8, 24
_IS_ID, _IS_CODE = (
    re.compile(rf"[{_DIGITS}]{{{_SHORTEST_ID},{_LONGEST_ID}}}"),
    re.compile(f"[{LETTERS}]{{{CODE_LENGTH}}}"),
)

_TABLES = (
    """CREATE TABLE IF NOT EXISTS links (
        id TEXT PRIMARY KEY, used REAL NOT NULL, n_bytes INTEGER NOT NULL, target TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS links_used ON links (used)",
    """CREATE TABLE IF NOT EXISTS classes (
        code TEXT PRIMARY KEY, chapter TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        owner BLOB NOT NULL, salt BLOB NOT NULL, opened REAL NOT NULL, seen REAL NOT NULL, revealed INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS answers (
        code TEXT NOT NULL, seat BLOB NOT NULL, guess INTEGER NOT NULL, PRIMARY KEY (code, seat)
    ) WITHOUT ROWID""",
)


class Lesson(NamedTuple):
    """A class that is open.

    Attributes
    ----------
    code : str
    chapter : str
        Name of the chapter whose question it answers.
    revealed : bool
        Whether the answer was shown, which ends the answering.
    is_own : bool
        Whether it was opened in the browser that asks.
    seconds_left : float
        Until it is forgotten.
    """

    code: str
    chapter: str
    revealed: bool
    is_own: bool
    seconds_left: float


class Board:
    """Short links and classes of one server.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._rows = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._rows.execute("PRAGMA secure_delete = ON")
        for table in _TABLES:
            self._rows.execute(table)

    def shorten(self, page: str, query: Mapping[str, str]) -> str:
        """Keep an address within the app, and return its id: the same address has the same one.

        Parameters
        ----------
        page : str
            Name of the page.
        query : mapping
            Parameters of the address.

        Raises
        ------
        NotKeptError
            If it is too long, or cannot be kept.
        """
        target = json.dumps([page, dict(sorted(query.items()))], separators=(",", ":"))
        if len(target) > MOST_LINK_CHARACTERS:  # it is ASCII
            raise NotKeptError(
                f"This address has {len(target):,} characters, and a short link stands for at most "
                f"{MOST_LINK_CHARACTERS:,}. Copy the address itself instead."
            )
        with self._transaction() as rows:
            chosen = self._free_id(rows, target)
            row = (chosen, self._clock(), len(target.encode()), target)
            rows.execute("INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?)", row)
            self._make_room_for_links(rows)
        return chosen

    def follow(self, short: str) -> tuple[str, dict[str, str]]:
        """Return page and parameters that a short link stands for.

        Raises
        ------
        NotKeptError
            If nothing is kept under this id.
        """
        if not _IS_ID.fullmatch(short):
            raise NotKeptError("This short link is damaged: copy or scan it again.")
        with self._transaction() as rows:
            found = rows.execute("SELECT target FROM links WHERE id = ?", (short,)).fetchone()
            if found is None:
                raise NotKeptError(
                    "This short link leads nowhere: it is damaged, or the server has forgotten it. The same settings "
                    "have the same short link, so whoever made it revives it by “Share with a class”."
                )
            rows.execute("UPDATE links SET used = ? WHERE id = ?", (self._clock(), short))
        page, query = json.loads(found[0])
        return page, query

    def open(self, chapter: str, guesses: range, seat: str) -> str:
        """Open a class for the question of a chapter, and return its code.

        Parameters
        ----------
        chapter : str
        guesses : range
            All possible answers.
        seat : str
            Secret of the browser that may reveal and end it.

        Raises
        ------
        NotKeptError
            If there are too many.
        """
        with self._transaction() as rows:
            now, owner = self._clock(), self._owner(seat)
            (own,) = rows.execute("SELECT COUNT(*) FROM classes WHERE owner = ?", (owner,)).fetchone()
            if own >= MOST_CLASSES_OF_ONE:
                raise NotKeptError(f"You have {own} classes open, as many as one may have. End one of them first.")
            self._make_room_for_a_class(rows, now)
            code = _unused(rows)
            rows.execute(
                "INSERT INTO classes VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
                (code, chapter, guesses[0], guesses[-1], owner, secrets.token_bytes(16), now, now),
            )
        return code

    def find(self, code: str, seat: str) -> Lesson | None:
        """Return the open class of a code; None if there is none, or none any more."""
        if not _IS_CODE.fullmatch(code):
            return None
        with self._transaction() as rows:
            now = self._clock()
            found = rows.execute(
                "SELECT chapter, revealed, owner, opened, seen FROM classes WHERE code = ?", (code,)
            ).fetchone()
            if found is None:
                return None
            chapter, revealed, owner, opened, seen = found
            is_own = secrets.compare_digest(owner, self._owner(seat))
            if is_own and now - seen > LEFT_SECONDS / 10:
                rows.execute("UPDATE classes SET seen = ? WHERE code = ?", (now, code))
        return Lesson(code, chapter, bool(revealed), is_own, opened + CLASS_SECONDS - now)

    def own(self, seat: str) -> list[Lesson]:
        """Return the classes that a browser has open, the oldest first."""
        with self._transaction() as rows:
            found = rows.execute(
                "SELECT code FROM classes WHERE owner = ? ORDER BY opened, code", (self._owner(seat),)
            ).fetchall()
        lessons = (self.find(code, seat) for (code,) in found)
        return [lesson for lesson in lessons if lesson is not None]

    def ask(self, code: str, before: str, chapter: str, guesses: range, seat: str) -> None:
        """Go on from a question that was revealed to another, and forget its answers.

        Only the browser that opened a class can.

        Raises
        ------
        NotKeptError
            If the class is elsewhere by now.
        """
        with self._transaction() as rows:
            self._step(
                rows,
                "chapter = ?, first = ?, last = ?, revealed = 0",
                (chapter, guesses[0], guesses[-1]),
                "revealed = 1",
                code,
                before,
                seat,
            )
            rows.execute("DELETE FROM answers WHERE code = ?", (code,))

    def answer(self, code: str, chapter: str, seat: str, guess: int) -> None:
        """Keep an answer to the question of a chapter, in place of the one that this seat gave before.

        Raises
        ------
        InvalidParameterError
            If it is none of the possible ones.
        NotKeptError
            If the class has ended or is at another question, takes no more answers, or is full.
        """
        with self._transaction() as rows:
            found = rows.execute(
                "SELECT chapter, first, last, revealed, salt FROM classes WHERE code = ?", (code,)
            ).fetchone()
            if found is None:
                raise NotKeptError("This class has ended; the answer was not kept.")
            asked, first, last, revealed, salt = found
            if asked != chapter:
                raise NotKeptError("The class is at another question by now; the answer was not kept.")
            require(type(guess) is int and first <= guess <= last, "guess", guess, f"from {first} to {last}")
            if revealed:
                raise NotKeptError("The answer was revealed already; yours was not kept.")
            place = _digest(seat, salt)
            (others,) = rows.execute(
                "SELECT COUNT(*) FROM answers WHERE code = ? AND seat <> ?", (code, place)
            ).fetchone()
            if others >= MOST_ANSWERS:
                raise NotKeptError(f"This class has {others:,} answers, as many as one may have; yours was not kept.")
            rows.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (code, place, guess))

    def answered(self, code: str, seat: str) -> int | None:
        """Return the answer that a seat has given; None if there is none."""
        with self._transaction() as rows:
            found = rows.execute("SELECT salt FROM classes WHERE code = ?", (code,)).fetchone()
            if found is None:
                return None
            given = rows.execute(
                "SELECT guess FROM answers WHERE code = ? AND seat = ?", (code, _digest(seat, found[0]))
            ).fetchone()
        return None if given is None else int(given[0])

    def counts(self, code: str) -> dict[int, int]:
        """Return how often each answer was given."""
        with self._transaction() as rows:
            found = rows.execute(
                "SELECT guess, COUNT(*) FROM answers WHERE code = ? GROUP BY guess ORDER BY guess", (code,)
            ).fetchall()
        return dict(found)

    def reveal(self, code: str, chapter: str, seat: str) -> None:
        """Take no more answers to a question, and show the right one; raises as :meth:`ask`."""
        with self._transaction() as rows:
            self._step(rows, "revealed = 1", (), "revealed = 0", code, chapter, seat)

    def end(self, code: str, seat: str) -> None:
        """Forget a class with its answers; only the browser that opened it can."""
        with self._transaction() as rows:
            self._forget_classes(rows, "code = ? AND owner = ?", (code, self._owner(seat)))

    def _step(
        self,
        rows: sqlite3.Connection,
        change: str,
        values: tuple[object, ...],
        where: str,
        code: str,
        chapter: str,
        seat: str,
    ) -> None:
        """Change a class that still stands where its lecturer saw it: another window may have gone on."""
        found = rows.execute(
            f"UPDATE classes SET {change} WHERE code = ? AND owner = ? AND chapter = ? AND {where}",
            (*values, code, self._owner(seat), chapter),
        )
        if not found.rowcount:
            raise NotKeptError("Another window has taken this class further, or it has ended.")

    @staticmethod
    def _owner(seat: str) -> bytes:
        return _digest(seat, b"owner")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Forget what is too old; then run statements all or none, one thread after the other."""
        with self._lock:
            self._forget_old()  # stays forgotten if the statements are undone
            self._rows.execute("BEGIN")
            try:
                yield self._rows
            except BaseException:
                self._rows.rollback()
                raise
            self._rows.commit()

    @staticmethod
    def _free_id(rows: sqlite3.Connection, target: str) -> str:
        """Return the shortest beginning of the address's digest that no other address has."""
        digest = int.from_bytes(hashlib.blake2b(target.encode(), digest_size=16).digest())
        whole = "".join(_DIGITS[digest >> (5 * place) & 31] for place in range(_LONGEST_ID))
        for length in range(_SHORTEST_ID, _LONGEST_ID + 1):
            found = rows.execute("SELECT target FROM links WHERE id = ?", (whole[:length],)).fetchone()
            if found is None or found[0] == target:
                return whole[:length]
        raise NotKeptError("Other addresses have all short links of this one. Copy the address itself instead.")

    @staticmethod
    def _make_room_for_links(rows: sqlite3.Connection) -> None:
        kept, total = rows.execute("SELECT COUNT(*), SUM(n_bytes) FROM links").fetchone()
        if kept <= MOST_LINKS and total <= MOST_LINK_BYTES:
            return
        for short, n_bytes in rows.execute("SELECT id, n_bytes FROM links ORDER BY used").fetchall():
            rows.execute("DELETE FROM links WHERE id = ?", (short,))
            kept, total = kept - 1, total - n_bytes
            if kept <= MOST_LINKS and total <= MOST_LINK_BYTES:
                break

    def _forget_old(self) -> None:
        now = self._clock()
        self._forget_classes(self._rows, "opened <= ?", (now - CLASS_SECONDS,))
        self._rows.execute("DELETE FROM links WHERE used < ?", (now - LINK_SECONDS,))

    @staticmethod
    def _forget_classes(rows: sqlite3.Connection, which: str, values: tuple[object, ...]) -> None:
        if rows.execute(f"DELETE FROM classes WHERE {which}", values).rowcount:
            rows.execute("DELETE FROM answers WHERE code NOT IN (SELECT code FROM classes)")

    def _make_room_for_a_class(self, rows: sqlite3.Connection, now: float) -> None:
        (n_open,) = rows.execute("SELECT COUNT(*) FROM classes").fetchone()
        if n_open < MOST_CLASSES:
            return
        left = rows.execute("SELECT code FROM classes WHERE seen < ? ORDER BY seen", (now - LEFT_SECONDS,)).fetchone()
        if left is None:
            raise NotKeptError(
                f"{n_open} classes are open on this server, as many as it keeps. They end by themselves after "
                f"{CLASS_SECONDS / 3600:g} hours; try again later."
            )
        self._forget_classes(rows, "code = ?", left)


def _unused(rows: sqlite3.Connection) -> str:
    """Return a code that no class has."""
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        if rows.execute("SELECT 1 FROM classes WHERE code = ?", (code,)).fetchone() is None:
            return code


def _digest(seat: str, salt: bytes) -> bytes:
    return hashlib.blake2b(seat.encode("utf-8", "replace"), digest_size=16, key=salt).digest()


def written_code(text: str) -> str:
    """Return a code as it is kept: people write it in small letters, and with spaces."""
    return "".join(text.split()).upper()[: 2 * CODE_LENGTH]


class _Place:
    """Where the board of this process is."""

    def __init__(self) -> None:
        self.board = Board()


_PLACE = _Place()


def board() -> Board:
    """Return the board of this server."""
    return _PLACE.board
