"""How runs are shown: a display above the engine registers itself here, and traces show themselves by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from dpviz.errors import InvalidParameterError
from dpviz.families.listed import is_sparse
from dpviz.limits import MOST_PLAYED_UNASKED

Display: TypeAlias = Callable[[Sequence[Any], Any, Any, Sequence[str]], Any]
"""From traces, data or None, true groups or None, and titles to an object that a notebook shows by itself."""

_registered: list[Display] = []


def register_display(display: Display) -> Display:
    """Show runs by this function from now on."""
    _registered[:] = [display]
    return display


def shown(trace: Any, X: Any = None, labels: Any = None, title: str = "") -> Any:
    """Show one run, as ``Trace.show`` does.

    Raises
    ------
    InvalidParameterError
        If no display is registered.
    """
    if not _registered:
        raise InvalidParameterError("there is no display of runs; register one by dpviz.engine.display.")
    return _registered[0]([trace], X, labels, [title] if title else [])


def shown_unasked(trace: Any) -> str | None:
    """Return the HTML of a run that a notebook displays; None without its data or if it is large."""
    if trace.X is None or is_sparse(trace.X) or trace.n_points > MOST_PLAYED_UNASKED:
        return None
    return str(trace.show()._repr_html_())
