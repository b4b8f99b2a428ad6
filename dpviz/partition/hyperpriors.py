"""Laws of the parameters of partition priors, for chains that learn them.

A law is written in short as ``gamma(2,4)``, ``beta(1,3)`` or ``1+gamma(1,10)``, which lies above 1; so do
configurations, links and the command line, and :func:`as_law` reads it. Each law has a free coordinate u, any real
number, in which slices are taken: ln x for a gamma, ln x − ln(1 − x) for a beta.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import betaincinv, betaln, gammaincinv

from dpviz.arrays import FloatArray
from dpviz.errors import InvalidParameterError, require
from dpviz.parameters import Parameter
from dpviz.partition import _learning_kernels as kernels
from dpviz.text import quoted

LONGEST_TEXT = 200
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
"""A number as texts of laws write it."""
WRITTEN = (
    rf"\s*(?:(?P<origin>{NUMBER})\s*\+\s*)?(?P<name>[a-z]+)\s*"
    rf"\(\s*(?P<first>{NUMBER})\s*,\s*(?P<second>{NUMBER})\s*\)\s*"
)
"""A law as texts write it, in letters of either case; browsers read it by the same pattern."""
_TEXT = re.compile(WRITTEN, re.IGNORECASE)
EXAMPLES = "a law such as Gamma(1, 0.3), Beta(1, 3) or Shifted(1, Gamma(1, 10)), or its text, e.g. '1+gamma(1,10)'"


def _positive(name: str, explanation: str) -> Parameter:
    return Parameter(
        name=name, explanation=explanation, lower=0.01, lower_allowed=True, upper=1e6, log=True, explore=(0.1, 100.0)
    )


@dataclass(frozen=True)
class WrittenLaw(ABC):
    """A law that can be written in short, as its name and the values of its parameters.

    Attributes
    ----------
    name : str
        Its name in texts.
    parameters : tuple of Parameter
        Its parameters.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __post_init__(self) -> None:
        """Validate."""
        for parameter in self.parameters:
            object.__setattr__(self, parameter.name, parameter.check(getattr(self, parameter.name)))

    def __str__(self) -> str:
        """Write the law in short; :func:`as_law` or :func:`as_component_law` reads it back without loss."""
        return f"{self.name}({','.join(plain_number(getattr(self, field.name)) for field in fields(self))})"


@dataclass(frozen=True)
class Hyperprior(WrittenLaw):
    """A continuous law of one parameter.

    Attributes
    ----------
    name, title : str
        Its name in texts, and its display name.
    parameters : tuple of Parameter
        Its parameters.
    """

    title: ClassVar[str]

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """Ends of its support, which do not belong to it."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Its mean."""

    @property
    @abstractmethod
    def numbers(self) -> FloatArray:
        """The law as kernels take it."""

    @property
    def free_bounds(self) -> tuple[float, float]:
        """Ends of the free coordinate; values beyond are outside the range of float64."""
        return kernels.free_bounds(self.numbers)

    @property
    def free_spread(self) -> float:
        """Standard deviation of the free coordinate."""
        return kernels.free_spread(self.numbers)

    def to_free(self, value: float) -> float:
        """Free coordinate of a value within the bounds."""
        return kernels.to_free(self.numbers, value)

    def from_free(self, free: float) -> float:
        """Value at a free coordinate."""
        return kernels.from_free(self.numbers, free)

    def free_log_density(self, free: float) -> float:
        """Log density (nats) of the free coordinate, per unit of that."""
        return kernels.free_log_density(self.numbers, free) + self._log_constant

    @abstractmethod
    def quantile(self, probability: float) -> float:
        """Value below which it lies with a probability."""

    @property
    @abstractmethod
    def _log_constant(self) -> float:
        """What the kernel's log density lacks."""

    @abstractmethod
    def _log_slope(self, free: float) -> float:
        """Ln dx/du at a free coordinate."""

    def contains(self, value: float) -> bool:
        """Whether a value lies inside the support."""
        return self.bounds[0] < value < self.bounds[1]

    def log_density(self, value: float) -> float:
        """Log density (nats) at a value, per unit of that; −inf outside the support."""
        if not self.contains(value):
            return -math.inf
        free = self.to_free(value)
        return self.free_log_density(free) - self._log_slope(free)


@dataclass(frozen=True)
class Gamma(Hyperprior):
    """Gamma law on x > 0 with density ∝ x^(shape − 1) e^(−rate x).

    Parameters
    ----------
    shape, rate : float
        From 0.01 to 1,000,000; the mean is shape / rate.

    Raises
    ------
    InvalidParameterError
    """

    shape: float
    rate: float

    name: ClassVar[str] = "gamma"
    title: ClassVar[str] = "Gamma"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _positive("shape", "1 is an exponential law, highest at 0; larger shapes keep away from 0 and are narrower."),
        _positive("rate", "The mean is shape / rate: a larger rate expects smaller values."),
    )

    @property
    def bounds(self) -> tuple[float, float]:
        """All positive numbers."""
        return 0.0, math.inf

    @property
    def mean(self) -> float:
        """Shape / rate."""
        return self.shape / self.rate

    @cached_property
    def numbers(self) -> FloatArray:
        """The law as kernels take it."""
        return np.array([kernels.OF_GAMMA, self.shape, self.rate, math.nan])

    def quantile(self, probability: float) -> float:
        """Value below which it lies with a probability."""
        return float(gammaincinv(self.shape, probability)) / self.rate

    @cached_property
    def _log_constant(self) -> float:
        return self.shape * math.log(self.rate) - math.lgamma(self.shape)

    def _log_slope(self, free: float) -> float:
        return free


@dataclass(frozen=True)
class Beta(Hyperprior):
    """Beta law on 0 < x < 1 with density ∝ x^(a − 1) (1 − x)^(b − 1).

    Parameters
    ----------
    a, b : float
        From 0.01 to 1,000,000; the mean is a / (a + b).

    Raises
    ------
    InvalidParameterError
    """

    a: float
    b: float

    name: ClassVar[str] = "beta"
    title: ClassVar[str] = "Beta"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _positive("a", "Weight towards 1: the mean is a / (a + b)."),
        _positive("b", "Weight towards 0: the mean is a / (a + b)."),
    )

    @property
    def bounds(self) -> tuple[float, float]:
        """All numbers between 0 and 1."""
        return 0.0, 1.0

    @property
    def mean(self) -> float:
        """The ratio a / (a + b)."""
        return self.a / (self.a + self.b)

    @cached_property
    def numbers(self) -> FloatArray:
        """The law as kernels take it."""
        return np.array([kernels.OF_BETA, self.a, self.b, math.nan])

    def quantile(self, probability: float) -> float:
        """Value below which it lies with a probability."""
        return float(betaincinv(self.a, self.b, probability))

    @cached_property
    def _log_constant(self) -> float:
        return -float(betaln(self.a, self.b))

    def _log_slope(self, free: float) -> float:
        return -_softplus(-free) - _softplus(free)


@dataclass(frozen=True)
class Shifted(Hyperprior):
    """The law of origin + x, where x has another law.

    Parameters
    ----------
    origin : float
        Values lie above it.
    law : Gamma or Beta
        Law of the excess over the origin.

    Raises
    ------
    InvalidParameterError
    """

    origin: float
    law: Hyperprior

    name: ClassVar[str] = "shifted"
    title: ClassVar[str] = "Shifted"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="origin", lower=-1e6, lower_allowed=True, upper=1e6, explanation="Values lie above it."),
    )

    def __post_init__(self) -> None:
        """Validate."""
        super().__post_init__()
        plain = isinstance(self.law, Hyperprior) and not isinstance(self.law, Shifted)
        require(plain, "law", self.law, "a Gamma or a Beta")

    def __str__(self) -> str:
        """Write the law in short."""
        return f"{plain_number(self.origin)}+{self.law}"

    @property
    def bounds(self) -> tuple[float, float]:
        """Those of the law, shifted."""
        lower, upper = self.law.bounds
        return self.origin + lower, self.origin + upper

    @property
    def mean(self) -> float:
        """Origin and mean of the law."""
        return self.origin + self.law.mean

    @cached_property
    def numbers(self) -> FloatArray:
        """The law as kernels take it."""
        return np.append(self.law.numbers[: kernels.ORIGIN], self.origin)

    def quantile(self, probability: float) -> float:
        """Value below which it lies with a probability."""
        return self.origin + self.law.quantile(probability)

    @property
    def _log_constant(self) -> float:
        return self.law._log_constant

    def _log_slope(self, free: float) -> float:
        return self.law._log_slope(free)


LAWS: dict[str, type[Gamma] | type[Beta]] = {Gamma.name: Gamma, Beta.name: Beta}
"""Laws that texts can name."""


def as_law(value: object, parameter: str = "law") -> Hyperprior:
    """Return a law as it is, or read its text.

    Parameters
    ----------
    value : Hyperprior or str
    parameter : str
        Its name in messages.

    Raises
    ------
    InvalidParameterError
        Naming what was given and what a law looks like.
    """
    if isinstance(value, Hyperprior):
        return value
    match = _TEXT.fullmatch(value) if isinstance(value, str) and len(value) <= LONGEST_TEXT else None
    if match is None or match["name"].lower() not in LAWS:
        raise InvalidParameterError(f"{parameter} = {quoted(value)} must be {EXAMPLES}.")
    try:
        law: Hyperprior = LAWS[match["name"].lower()](float(match["first"]), float(match["second"]))
        return law if match["origin"] is None else Shifted(float(match["origin"]), law)
    except InvalidParameterError as error:
        raise InvalidParameterError(f"{parameter} = {quoted(value)}: {error}") from error


def plain_number(number: float) -> str:
    """Write a number so that it reads back the same, a whole one without a point."""
    return repr(float(number)).removesuffix(".0")


def _softplus(free: float) -> float:
    """Ln(1 + e^u) without overflow."""
    return max(free, 0.0) + math.log1p(math.exp(-abs(free)))
