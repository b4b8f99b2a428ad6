"""The settings of a page, each said once: its name in an address, what a link may make of it, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

from dpviz.ui.session import state

LARGEST = 1e9
UNCHANGED = object()
"""Default of settings that stay as they are where a link says nothing of them."""


@dataclass(frozen=True)
class Setting:
    """One setting of a page.

    Attributes
    ----------
    name : str
        In the address.
    read : callable
        Takes over a value of a link, which may be hostile: it raises ``ValueError`` unless the page has such a value. A
        ``DpvizError``, which says why, ends the reading of the link, unless the setting has words for that.
    write : callable
        Returns the value that is shown; the address is without a setting that has None.
    default : object
        What is read of a link without it.
    is_long : bool
        Whether the address may go without it where it would be too long.
    unreadable : str
        What is said, before the reason, of a value that cannot be taken over; the rest of the link is read all the
        same.
    """

    name: str
    read: Callable[[Any], object]
    write: Callable[[], Any]
    default: Any = UNCHANGED
    is_long: bool = False
    unreadable: str = ""


def control(name: str, key: str, allows: Callable[[Any], bool], is_long: bool = False) -> Setting:
    """Return the setting that a control of this key has, which takes from links what ``allows`` says."""

    def read(value: Any) -> None:
        _require(allows(value))
        state.put({key: value})

    def write() -> Any:
        value = state.settings().get(key)
        return value if allows(value) else None

    return Setting(name, read, write, is_long=is_long)


def tab(key: str, tabs: Mapping[str, str]) -> Setting:
    """Return the setting of the control that chooses a tab; ``tabs`` maps what it shows to names in links."""
    shown = {name: words for words, name in tabs.items()}

    def read(name: Any) -> None:
        _require(one_of(shown)(name))
        state.put({key: shown[name]})

    return Setting("tab", read, lambda: tabs[state.settings().get(key, next(iter(tabs)))])


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("no such value")


def is_number(value: Any, most: float = LARGEST) -> bool:
    """Whether a value is a number that a field can show."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= most


def whole(lowest: int = 0, most: float = LARGEST) -> Callable[[Any], bool]:
    """Return what allows whole numbers within bounds."""
    return lambda value: type(value) is int and lowest <= value <= most


def within(lowest: float, most: float) -> Callable[[Any], bool]:
    """Return what allows numbers within bounds."""
    return lambda value: is_number(value) and lowest <= value <= most


def one_of(names: Container[str]) -> Callable[[Any], bool]:
    """Return what allows some texts."""
    return lambda value: isinstance(value, str) and value in names


def is_text(value: Any) -> bool:
    """Whether a value is a short text, such as the name of an option."""
    return isinstance(value, str) and len(value) <= 60
