"""Which sweeps' labels a long run keeps, so that they fit into a number of bytes."""

from __future__ import annotations

from typing import Any

from dpviz.config import RunConfig

ROW_OVERHEAD = 128
"""Bytes of an array beside its entries."""
FEWEST_ROWS = 8
"""As many rows are kept however large they are."""
MOST_RECORDED = 40_000_000
"""Bytes of labels, of filled cells and of explicit parameters that a run holds where several users share a machine."""


def is_regular(sweeps: Any, config: RunConfig, stride: int) -> Any:
    """Return whether a sweep, or each of several, is every ``stride``-th that a configuration keeps.

    They count from the burn-in; the initial state is one of them, too.
    """
    return (sweeps == 0) | ((sweeps - config.burn_in) % (config.thin * stride) == 0)


def bytes_of(value: object) -> int:
    """Bytes of an array, or of the arrays in tuples."""
    return sum(map(bytes_of, value)) if isinstance(value, tuple) else int(getattr(value, "nbytes", 0))
