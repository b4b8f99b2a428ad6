"""What a browser brought, kept for all of its tabs: a reload finds it again, and so does a link opened in another tab.

A browser is known by a cookie with a secret that the server gave it, which no script of a page can read and no address
holds. Without cookies, data belong to their session, as drawings always do: a tab keeps those itself.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakValueDictionary

import streamlit as st

from dpviz.server import BROWSER_COOKIE
from dpviz.ui.session.kept import OwnData

KEPT_SECONDS = 4 * 3600.0
"""Seconds since a browser last used its data for which they are kept after its last tab has been closed."""
MOST_BROWSERS = 1_000
"""Browsers whose data are kept without an open tab; :mod:`~dpviz.ui.session.kept` bounds the bytes of all data."""

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
_HELD = "data of the browser"


def new_secret() -> str:
    """Return a secret of 256 bits for a browser."""
    return secrets.token_urlsafe(32)


def is_secret(value: object) -> bool:
    """Whether a cookie's value has the form of a secret."""
    return isinstance(value, str) and _SECRET.fullmatch(value) is not None


class Shelf:
    """Data by the secret of the browser that brought them.

    They stay as long as a session of the browser holds them, and for some time after that.

    Parameters
    ----------
    seconds : float
        How long that is, from when they were last asked for.
    most : int
        Most browsers without a session for which data stay; those asked for longest ago go first.
    clock : callable
        Returns seconds.
    """

    def __init__(
        self, seconds: float = KEPT_SECONDS, most: int = MOST_BROWSERS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._held: WeakValueDictionary[str, OwnData] = WeakValueDictionary()
        self._kept: OrderedDict[str, tuple[OwnData, float]] = OrderedDict()
        self._lock = threading.RLock()
        self._alarm: threading.Timer | None = None

    def find(self, secret: str) -> OwnData | None:
        """Return what a browser brought, if there is something; it is then kept for the whole time again."""
        with self._lock:
            self.let_go()
            own = self._held.get(secret)
            return None if own is None else self._keep(secret, own)

    def at(self, secret: str) -> OwnData:
        """Return the place for a browser's data."""
        with self._lock:
            own = self.find(secret)  # which may be empty, and then is the place all the same
            return self._keep(secret, OwnData()) if own is None else own

    def let_go(self) -> None:
        """Let data go whose time is over, and come back when the next ones are."""
        with self._lock:
            now = self._clock()
            while self._kept and (len(self._kept) > self._most or self._oldest + self._seconds <= now):
                self._kept.popitem(last=False)
            waits = self._alarm is not None and self._alarm.is_alive() and self._alarm is not threading.current_thread()
            if self._kept and not waits:
                self._alarm = threading.Timer(self._oldest + self._seconds - now, self.let_go)
                self._alarm.daemon = True
                self._alarm.start()

    def __len__(self) -> int:
        """Return of how many browsers data are kept, with a session or without."""
        return len(self._held)

    @property
    def _oldest(self) -> float:
        return next(iter(self._kept.values()))[1]

    def _keep(self, secret: str, own: OwnData) -> OwnData:
        self._held[secret] = own
        self._kept[secret] = own, self._clock()
        self._kept.move_to_end(secret)
        self.let_go()
        return own


SHELF = Shelf()


def of_browser(make: bool = False) -> OwnData | None:
    """Return what the browser of this session brought, in any of its tabs.

    Parameters
    ----------
    make : bool
        Whether a place is to be made if there is none yet.

    Returns
    -------
    OwnData or None
        None without a cookie, or if the browser brought nothing.
    """
    secret = secret_of_browser()
    if secret is None:
        return None
    own = SHELF.at(secret) if make else SHELF.find(secret)
    if own is not None:
        st.session_state[_HELD] = own  # which holds it while the tab is open
    return own


def secret_of_browser() -> str | None:
    """Return the secret of this session's browser; None if it takes no cookies, so that a reload loses its data."""
    secret = st.context.cookies.get(BROWSER_COOKIE)
    return secret if is_secret(secret) else None
