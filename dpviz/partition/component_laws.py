"""Laws of the number of components of a finite mixture, as texts such as ``poisson(2)``.

Each is the law of that number minus 1, which is 0, 1, 2, …
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import betaln, gammaln

from dpviz.arrays import FloatArray
from dpviz.errors import InvalidParameterError
from dpviz.parameters import Parameter
from dpviz.partition._mixture_kernels import BETA_NEGATIVE_BINOMIAL, GEOMETRIC, POISSON
from dpviz.partition.hyperpriors import LONGEST_TEXT, NUMBER, WrittenLaw
from dpviz.text import quoted

_TEXT = re.compile(rf"\s*([a-z]+)\s*\(\s*({NUMBER}(?:\s*,\s*{NUMBER})*)\s*\)\s*", re.IGNORECASE)
MOST_DRAWN = 1e15
"""Poisson numbers of a larger mean are replaced by it: they differ from it by less than a ten-millionth."""


@dataclass(frozen=True)
class ComponentLaw(WrittenLaw):
    """A law of the number of components minus 1.

    Attributes
    ----------
    name : str
        Its name in texts.
    parameters : tuple of Parameter
    """

    @abstractmethod
    def coefficients(self) -> FloatArray:
        """Return what kernels need: the kind, ln of a constant, three parameters, and where its tail begins.

        From there on k (d ln p/dk) stays within half of its distance from −1.
        """

    @abstractmethod
    def draw(self, random_state: np.random.Generator) -> float:
        """Draw a number of components, at least 1."""


@dataclass(frozen=True)
class GeometricComponents(ComponentLaw):
    """P(j) = p (1 − p)^j.

    Parameters
    ----------
    p : float
        1e-100 <= p < 1; the mean of j is (1 − p) / p.

    Raises
    ------
    InvalidParameterError
    """

    p: float

    name: ClassVar[str] = "geometric"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="p", lower=1e-100, lower_allowed=True, upper=1.0, upper_allowed=False,
            explanation="Chance that there are no more.",
        ),
    )  # fmt: skip

    def coefficients(self) -> FloatArray:
        """Return ln p and ln(1 − p)."""
        return np.array([GEOMETRIC, math.log(self.p), math.log1p(-self.p), 0.0, 0.0, 1.0])

    def draw(self, random_state: np.random.Generator) -> float:
        """Draw by inversion, which has no largest number."""
        return 1.0 + math.floor(math.log(1.0 - random_state.random()) / math.log1p(-self.p))


@dataclass(frozen=True)
class PoissonComponents(ComponentLaw):
    """P(j) = e^−r r^j / j!.

    Parameters
    ----------
    r : float
        0 < r <= 1,000,000, the mean of j.

    Raises
    ------
    InvalidParameterError
    """

    r: float

    name: ClassVar[str] = "poisson"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter(name="r", lower=0.0, upper=1e6, explanation="The mean."),)

    def coefficients(self) -> FloatArray:
        """Return −r and ln r."""
        return np.array([POISSON, -self.r, math.log(self.r), 0.0, 0.0, 3.0 * self.r + 3.0])

    def draw(self, random_state: np.random.Generator) -> float:
        """Draw j + 1."""
        return 1.0 + float(random_state.poisson(self.r))


def _shape(name: str, explanation: str) -> Parameter:
    return Parameter(name=name, lower=0.1, lower_allowed=True, upper=1e3, explanation=explanation)


@dataclass(frozen=True)
class BetaNegativeBinomialComponents(ComponentLaw):
    """P(j) = Γ(r + j) / (j! Γ(r)) · B(α + r, β + j) / B(α, β): negative binomial with a Beta(α, β) law of its chance.

    Parameters
    ----------
    r, alpha, beta : float
        Each from 0.1 to 1,000; for large j the law falls like j^−(α + 1).

    Raises
    ------
    InvalidParameterError
    """

    r: float
    alpha: float
    beta: float

    name: ClassVar[str] = "bnb"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _shape("r", "1 is a mixture of geometric laws."),
        _shape("alpha", "How fast the law falls."),
        _shape("beta", "How far it begins to fall."),
    )

    def coefficients(self) -> FloatArray:
        """Return what does not depend on j."""
        r, alpha, beta = self.r, self.alpha, self.beta
        constant = float(gammaln(alpha + r) - gammaln(r) - betaln(alpha, beta))
        tail = 100 * (1 + r + alpha + beta + r * beta / alpha) / min(alpha, 1.0)
        return np.array([BETA_NEGATIVE_BINOMIAL, constant, r, alpha, beta, tail])

    def draw(self, random_state: np.random.Generator) -> float:
        """Draw a chance, a gamma variable given it, and a Poisson number of that mean."""
        chance = random_state.beta(self.alpha, self.beta)
        mean = random_state.gamma(self.r) * (1.0 - chance) / max(chance, 1e-250)
        return 1.0 + (float(random_state.poisson(mean)) if mean < MOST_DRAWN else math.floor(mean))


LAWS: dict[str, type[ComponentLaw]] = {
    law.name: law for law in (BetaNegativeBinomialComponents, PoissonComponents, GeometricComponents)
}
EXAMPLES = "bnb(r,α,β), poisson(r) or geometric(p), the law of the number of components − 1, e.g. 'bnb(1,4,3)'"


def as_component_law(value: object, parameter: str = "n_components") -> ComponentLaw:
    """Read the text of a law.

    Parameters
    ----------
    value : str
    parameter : str
        Its name in messages.

    Raises
    ------
    InvalidParameterError
        Naming what was given and what a law looks like.
    """
    match = _TEXT.fullmatch(value) if isinstance(value, str) and len(value) <= LONGEST_TEXT else None
    law = LAWS.get(match[1].lower()) if match else None
    numbers = [float(number) for number in match[2].split(",")] if match else []
    if law is None or len(numbers) != len(law.parameters):
        raise InvalidParameterError(f"{parameter} = {quoted(value)} must be {EXAMPLES}.")
    try:
        return law(*numbers)
    except InvalidParameterError as error:
        raise InvalidParameterError(f"{parameter} = {quoted(value)}: {error}") from error


def component_law_text(value: object, parameter: str = "n_components") -> str:
    """Write a law in its usual form; raises as :func:`as_component_law` does."""
    return str(as_component_law(value, parameter))
