"""One type for all settings of users: parameters of families, partition priors, algorithms and scenarios.

Sliders, the ranges of grids, the command line and error messages are all made from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, TypeAlias

from dpviz.errors import InvalidParameterError, refused, require

LARGEST_NUMBER = 1e300
"""Sums over a million numbers of this magnitude stay finite."""

Role: TypeAlias = Literal["", "location", "scale", "weight", "count"]


class Size(NamedTuple):
    """Size of the data, on which bounds may depend: N points, D features."""

    n_points: int
    n_features: int


Bound: TypeAlias = float | Callable[[Size], float]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Metadata of one parameter, for controls, grids and messages.

    Attributes
    ----------
    name, symbol : str
        The keyword argument, and its symbol in formulas.
    explanation : str
        One line in plain words.
    title : str
        Its name in words; made from ``name`` when empty.
    default : object
        A sensible value. Hyperparameters get theirs from the data instead, see ``Family.default_prior``.
    lower, upper : float or callable
        Bounds; a callable is given the data's :class:`Size`.
    lower_allowed, upper_allowed : bool
        Whether the bounds themselves are allowed.
    integer, log : bool
        Whether only whole numbers are allowed, and whether sliders and grids are even on a logarithmic scale.
    explore : tuple of two bounds, optional
        The range worth exploring. Without one it extends about a typical value, by ``around`` downwards and upwards.
    around : tuple of float
        Factors from a typical value to the ends of a slider.
    grid_factor : float
        Factor from a typical value to either end of a grid.
    step : float, optional
        Step of a linear slider; values between steps are allowed.
    role : {"", "location", "scale", "weight", "count"}
        For a hyperparameter: a place among the data, a spread in their units, a number of points that the prior is
        worth, or a number that describes the data, as trials or a period do. Grids vary scales and weights; the search
        for a prior by nll fits scales alone, since weights run away.
    shape : tuple of str
        Axes of an array: ``()`` for a number, ``("D",)``, ``("D", "D")``, or other letters whose lengths the family
        knows. A number stands for a vector of equal entries.
    choices : tuple of (str, str)
        Allowed values with what they are called, for a parameter that is chosen from a list.
    number : bool
        False for values that no slider can hold, such as a function or a text.
    reads : callable, optional
        For a value that is written as text, such as a law: returns the text in its usual form from what was given and
        the parameter's name, or raises ``InvalidParameterError``, which says what is expected. It is no ``number``.
    hyperprior : str
        The law under which a chain learns it unless another is given, as text; see :mod:`dpviz.partition.hyperpriors`.
        Empty if learning it is not offered.
    """

    name: str
    symbol: str = ""
    explanation: str = ""
    title: str = ""
    default: Any = None
    lower: Bound = -math.inf
    upper: Bound = math.inf
    lower_allowed: bool = False
    upper_allowed: bool = True
    integer: bool = False
    log: bool = False
    explore: tuple[Bound, Bound] | None = None
    around: tuple[float, float] = (100.0, 1000.0)
    grid_factor: float = 10.0
    step: float | None = None
    role: Role = ""
    shape: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    number: bool = True
    reads: Callable[[object, str], str] | None = None
    hyperprior: str = ""

    @property
    def words(self) -> str:
        """Its name in words."""
        return self.title or self.name.replace("_", " ").capitalize()

    @property
    def label(self) -> str:
        """Its name in words, with the symbol that formulas use."""
        return f"{self.words} {self.symbol}".strip()

    @property
    def values(self) -> tuple[str, ...]:
        """Its allowed choices."""
        return tuple(value for value, _ in self.choices)

    @property
    def has_control(self) -> bool:
        """Whether a slider, a list or a text field can set it."""
        return self.number or self.reads is not None

    @property
    def needs_typical(self) -> bool:
        """Whether a slider needs the data's suggestion, as there is no range worth exploring for all data."""
        return self.number and not self.choices and not self.integer and self.explore is None

    @property
    def varies(self) -> bool:
        """Whether one number can vary it: itself, or a factor on its array; a factor on a location means nothing."""
        return self.number and not self.choices and self.role not in ("location", "count")

    def limits(self, size: Size | None = None) -> tuple[float, float]:
        """Bounds for data of this size; a bound that depends on an unknown size is infinite."""
        return _at(self.lower, size, -math.inf), _at(self.upper, size, math.inf)

    def allows(self, value: float, size: Size | None = None) -> bool:
        """Whether a number lies within the bounds."""
        lower, upper = self.limits(size)
        above = value >= lower if self.lower_allowed else value > lower
        below = value <= upper if self.upper_allowed else value < upper
        return above and below

    def bound(self, size: Size | None = None) -> str:
        """Say what a value must be, for messages."""
        if self.choices:
            return f"one of {', '.join(self.values)}"
        lower, upper = self.limits(size)
        if self.integer and math.isfinite(lower) and math.isfinite(upper):
            return f"a whole number from {lower:,.0f} to {upper:,.0f}"
        enclosed = math.isfinite(lower) and math.isfinite(upper)
        kind = "a whole number" if self.integer else "a number" if enclosed else "a finite number"
        if enclosed and self.lower_allowed and self.upper_allowed:
            return f"{kind} from {lower:g} to {upper:g}"
        ends = [f"{'>=' if self.lower_allowed else '>'} {lower:g}"] if math.isfinite(lower) else []
        ends += [f"{'<=' if self.upper_allowed else '<'} {upper:g}"] if math.isfinite(upper) else []
        return f"{kind} {' and '.join(ends)}".strip()

    def check(self, value: Any, size: Size | None = None, advice: str = "") -> Any:
        """Return a value as str, int or float.

        Raises
        ------
        InvalidParameterError
            If it is of the wrong kind or out of bounds.
        """
        if self.choices:
            require(isinstance(value, str) and value in self.values, self.name, value, self.bound(), advice)
            return value
        if self.reads is not None:
            return self.reads(value, self.name)
        number = self._as_number(value)
        if number is None or not self.allows(number, size):  # the text of the bound takes longer than the check
            raise refused(self.name, value, self.bound(size), advice)
        return number

    def _as_number(self, value: Any) -> float | None:
        """Return a number as int or float; None for anything else."""
        if type(value) is float and not self.integer:  # checks of abstract classes are slow
            return value if abs(value) <= LARGEST_NUMBER else None
        if isinstance(value, bool) or not isinstance(value, Integral if self.integer else Real):
            return None
        if self.integer:
            return int(value)  # type: ignore[call-overload]
        with suppress(OverflowError):  # a huge integer
            number = float(value)
            return number if abs(number) <= LARGEST_NUMBER else None
        return None

    def slider_range(self, size: Size | None = None, typical: float | None = None) -> tuple[float, float]:
        """Return the range of a slider.

        Parameters
        ----------
        size : Size, optional
            Of the data, for bounds that depend on it.
        typical : float, optional
            The data's suggestion; needed if there is no range worth exploring for all data.
        """
        return self._range(size, typical, *self.around)

    def grid_range(self, size: Size | None = None, typical: float | None = None) -> tuple[float, float]:
        """Return the default range of a grid; parameters as for :meth:`slider_range`."""
        return self._range(size, typical, self.grid_factor, self.grid_factor)

    def _range(self, size: Size | None, typical: float | None, down: float, up: float) -> tuple[float, float]:
        lower, upper = self.limits(size)
        if self.explore is not None:
            low, high = _at(self.explore[0], size, lower), _at(self.explore[1], size, upper)
            return max(low, lower), max(min(high, upper), max(low, lower))
        if typical is None:
            raise InvalidParameterError(
                f"{self.name} has no range worth exploring for all data, and nothing said what is typical of these."
            )
        start = lower if math.isfinite(lower) else 0.0
        return start + (typical - start) / down, typical * up


def _at(bound: Bound, size: Size | None, unknown: float) -> float:
    if not callable(bound):
        return bound
    return unknown if size is None else bound(size)


def is_number(value: object) -> bool:
    """Whether a value is one real number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def by_name(parameters: Sequence[Parameter]) -> dict[str, Parameter]:
    """Index parameters by their names."""
    return {parameter.name: parameter for parameter in parameters}


FACTOR = Parameter(
    name="factor",
    explanation="Multiplies every entry of an array.",
    default=1.0,
    lower=0.0,
    log=True,
    around=(1000.0, 100.0),
)
"""Varies an array by one number: a factor on the data's suggestion."""
