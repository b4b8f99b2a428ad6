"""The exceptions dpviz raises on purpose; every one is a ``ValueError``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from dpviz.text import cut, quoted

LONGEST_MESSAGE = 2_000
"""Most characters of a message: what it quotes may be a stranger's."""


class DpvizError(ValueError):
    """An error that the caller can fix; the message says how, in at most :data:`LONGEST_MESSAGE` characters."""

    def __init__(self, *args: object) -> None:
        """Cut a message that is longer."""
        is_long = args and isinstance(args[0], str) and len(args[0]) > LONGEST_MESSAGE
        super().__init__(*((cut(str(args[0]), LONGEST_MESSAGE), *args[1:]) if is_long else args))


class InvalidParameterError(DpvizError):
    """A parameter has the wrong type, shape or range."""


class IllConditionedError(InvalidParameterError):
    """Hyperparameters and data whose numbers would lose their digits together."""


class InvalidDataError(DpvizError):
    """The data cannot be clustered as they are (empty, not finite, not numeric, …)."""


class MemoryLimitError(DpvizError):
    """The request would not fit in memory; the message gives its size."""


class TraceFormatError(DpvizError):
    """A stored run, configuration or link does not have the expected format."""


class NotKeptError(DpvizError):
    """A server cannot keep something, or keeps it no more: a short link, a class or an answer; it says what to do."""


class MissingPackageError(DpvizError, ImportError):
    """An optional package is not installed; the message says how to get it."""


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Import packages of an extra within this context.

    Parameters
    ----------
    name : str
        Of the extra, e.g. ``"app"``.
    what : str
        What needs it, as the subject of a sentence that is in the singular.

    Raises
    ------
    MissingPackageError
        If one is not installed.
    """
    try:
        yield
    except ImportError as error:
        missing = (error.name or "a package").partition(".")[0]
        raise MissingPackageError(f"{what} needs {missing}: pip install 'dpviz[{name}]'.") from error


def require(condition: bool, parameter: str, value: object, bound: str, advice: str = "") -> None:
    """Raise unless ``condition`` holds, naming the parameter, its value and its bound.

    Parameters
    ----------
    condition : bool
        Condition that must hold.
    parameter : str
        Name of the parameter as the caller knows it.
    value : object
        The value that was given; long values are shortened in the message.
    bound : str
        What the parameter must be, e.g. ``"a number > 0"``.
    advice : str, optional
        How to fix it, as a sentence.

    Raises
    ------
    InvalidParameterError
        If ``condition`` is false.
    """
    if not condition:
        raise refused(parameter, value, bound, advice)


def require_kind(parameter: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise unless a value is an instance of ``kind``; the rest as for :func:`require`."""
    require(isinstance(value, kind), parameter, value, wanted)


def require_one_of(parameter: str, value: object, names: Iterable[str], advice: str = "") -> None:
    """Raise unless a value is one of these texts; the rest as for :func:`require`. Lists and arrays are none."""
    known = tuple(names)
    require(isinstance(value, str) and value in known, parameter, value, f"one of {', '.join(known)}", advice)


def require_sequence(parameter: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise unless a value is a list or a tuple of ``kind``; the rest as for :func:`require`."""
    fits = isinstance(value, list | tuple) and all(isinstance(entry, kind) for entry in value)
    require(fits, parameter, value, wanted)


def require_flag(parameter: str, value: object) -> None:
    """Raise unless a value is True or False, of Python or numpy; the rest as for :func:`require`."""
    require(isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"), parameter, value, "True or False")


def require_text(parameter: str, value: object) -> None:
    """Raise unless a value is a text or None; the rest as for :func:`require`."""
    require(value is None or isinstance(value, str), parameter, value, "a text or None")


def refused(parameter: str, value: object, bound: str, advice: str = "") -> InvalidParameterError:
    """Return the error of :func:`require`, for hot code that builds the message only on failure."""
    return InvalidParameterError(f"{parameter} = {quoted(value)} must be {bound}.{' ' + advice if advice else ''}")


def require_free(kind: str, name: str, present: type | None, new: type) -> None:
    """Raise if a name is registered for another class; defining a class once more, as notebooks do, replaces it.

    Parameters
    ----------
    kind : str
        What is registered, e.g. ``"family"``.
    name : str
    present : type or None
        The class that has the name.
    new : type
        The class that is to have it.

    Raises
    ------
    InvalidParameterError
        If these are different classes.
    """
    if present is not None and (present.__module__, present.__qualname__) != (new.__module__, new.__qualname__):
        raise refused(
            f"name of the {kind} {new.__qualname__}",
            name,
            "a free one",
            f"It is that of {present.__module__}.{present.__qualname__}; choose another.",
        )
