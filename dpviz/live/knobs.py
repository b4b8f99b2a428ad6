"""What a knob is: a slider at the plot, and the place of its value in a configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.parameters import Parameter
from dpviz.words import say_name

POSITIONS = 200
"""Steps of a logarithmic slider."""


@dataclass(frozen=True)
class Knob:
    """One slider.

    Attributes
    ----------
    name : str
        What the address of a page calls it.
    path : tuple of str
        Where its value is in a configuration.
    words, symbol, explanation : str
        Its name with the symbol of formulas, that symbol, and one line in plain words.
    low, high, usual : float
        Both ends and where it begins. Without ends (``penalty`` in the lab) the data say where it begins, and the ends
        are a hundred times less and more.
    step : float
        Between positions; 0 for positions that are even in the logarithm.
    """

    name: str
    path: tuple[str, ...]
    words: str
    symbol: str
    explanation: str
    low: float | None
    high: float | None
    usual: float | None
    step: float = 0.0

    def written(self) -> dict[str, Any]:
        """As a page reads it."""
        return {**vars(self), "path": list(self.path), "positions": POSITIONS}


def knob_of(
    parameter: Parameter,
    path: tuple[str, ...],
    low: float | None = None,
    high: float | None = None,
    usual: float | None = None,
    step: float = 0.0,
) -> Knob:
    """Return the knob of a parameter, whose value is at a path of the configuration."""
    words = replace(parameter, title=say_name(parameter.words)).label
    return Knob(parameter.name, path, words, parameter.symbol, say_name(parameter.explanation), low, high, usual, step)


def written_config(config: RunConfig) -> dict[str, Any]:
    """Write a configuration down as a page's script reads it, with the defaults that it needs and knobs change."""
    algorithm = ALGORITHMS[config.algorithm]
    plain = {**config.to_dict(), "n_init": config.n_init, "seed": config.seed}
    if algorithm.is_chain:
        plain |= {"burn_in": config.burn_in}  # which pages read, though it be the default
    if algorithm.uses_model:
        plain |= {"partition": config.partition.to_dict(), "prior": dict(config.prior or {})}
    return plain
