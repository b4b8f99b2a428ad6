"""Sliders in the restaurants' own picture: what it shows at each of their positions is made before they move."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from dpviz.errors import DpvizError
from dpviz.parameters import Parameter, Size
from dpviz.partition import PartitionPrior
from dpviz.ui.session import state

MOST_POSITIONS = 31
PER_DECADE = 6
_DIGITS = 6
"""Significant digits of the numbers of positions that are passed."""


class Dial(NamedTuple):
    """One slider.

    Attributes
    ----------
    name : str
        Of the control, as links have it.
    parameter : Parameter
    values : tuple of float
        Its positions.
    place : int
        Which of them it is at.
    """

    name: str
    parameter: Parameter
    values: tuple[float, ...]
    place: int

    def written(self) -> dict[str, Any]:
        """As a page reads it."""
        return {
            "name": self.name,
            "words": self.parameter.label,
            "explanation": self.parameter.explanation,
            "values": list(self.values),
            "place": self.place,
        }


def dial_of(name: str, key: str, parameter: Parameter) -> Dial | None:
    """Return the dial of a control that has a key in the session's settings; None for one that is no smooth number."""
    if not parameter.varies or parameter.integer or parameter.explore is None:
        return None
    value = float(state.value(key, parameter.default))
    values = tuple(sorted({*_positions(parameter), value}))
    return Dial(name, parameter, values, values.index(value))


def _positions(parameter: Parameter) -> list[float]:
    low, high = parameter.slider_range(Size(1, 1))
    if parameter.log and low > 0:
        count = min(MOST_POSITIONS, 1 + round(PER_DECADE * math.log10(high / low)))
        return [float(f"{value:.2g}") for value in np.geomspace(low, high, count)]
    return [round(float(value), 3) for value in np.linspace(low, high, MOST_POSITIONS)]


def films_of(
    dials: Sequence[Dial], priors: Sequence[PartitionPrior], panel: Callable[[PartitionPrior], dict[str, Any] | None]
) -> dict[str, list[list[dict[str, Any] | None]]]:
    """Return, for every dial, the panels at each of its positions.

    None stands for a panel that stays as it is: its prior does not have the parameter, or allows no such value, or
    ``panel`` has none because that takes long, and it follows when the dial rests.
    """
    return {
        dial.name: [[_panel(dial, value, prior, panel) for prior in priors] for value in dial.values] for dial in dials
    }


def _panel(
    dial: Dial, value: float, prior: PartitionPrior, panel: Callable[[PartitionPrior], dict[str, Any] | None]
) -> dict[str, Any] | None:
    name = dial.parameter.name
    if name not in {field.name for field in fields(prior)}:
        return None
    try:
        made = panel(replace(prior, **{name: value}))
    except DpvizError:
        return None
    return made and {key: _short(part) for key, part in made.items()}


def _short(part: Any) -> Any:
    if isinstance(part, list):
        return [_short(one) for one in part]
    return float(f"{part:.{_DIGITS}g}") if isinstance(part, float) else part
