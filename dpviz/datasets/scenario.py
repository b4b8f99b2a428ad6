"""The definition of a synthetic scenario: a title, its sliders, and a function that draws points."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import InvalidParameterError
from dpviz.parameters import Parameter

MIN_POINTS = 10
MAX_POINTS = 1_000_000


class Points(NamedTuple):
    """Draw of a scenario: rows (n, D), their groups (n,), names of the groups, notes; kinds (D,)."""

    X: FloatArray
    labels: IntArray
    label_names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, init=False)
class ScenarioParameter(Parameter):
    """One slider of a scenario: a parameter whose bounds are both allowed, and both worth exploring.

    Parameters
    ----------
    name, explanation : str
        Keyword of :func:`dpviz.datasets.synthesize`, and one line in plain words.
    default, lower, upper : int or float
        Value when not given, and the bounds. An integer default asks for whole numbers.
    step : int or float
        Step of the slider; values between steps are allowed.
    """

    step: float = 1.0

    def __init__(self, name: str, explanation: str, default: float, lower: float, upper: float, step: float) -> None:
        super().__init__(
            name=name,
            explanation=explanation,
            default=default,
            lower=lower,
            upper=upper,
            lower_allowed=True,
            integer=isinstance(default, int),
            explore=(lower, upper),
            step=step,
        )


MISSING = "missing"
MISSING_SHARE = ScenarioParameter(MISSING, "Share of missing cells", 0.0, 0.0, 0.8, 0.05)
"""The slider of scenarios with missing cells: each cell is missing independently with this probability."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A recipe for synthetic data.

    Attributes
    ----------
    name, title : str
        Key in ``SCENARIOS`` and one-line heading.
    watch : str
        One sentence: what to watch when the data are clustered.
    also : str
        What papers and users call it, for those who search for that.
    section : str
        The section of the paper it follows; empty where there is none.
    n : int
        Number of points when not given.
    parameters : tuple of ScenarioParameter
        The sliders.
    generate : callable
        ``generate(n, rng, **parameters) -> Points``.
    models : tuple of str
        Further keywords, passed on unchanged: model objects, which no slider can hold.
    former : tuple of (str, float)
        Parameters whose default was another once, with that one: links that do not name them mean it.
    """

    name: str
    title: str
    watch: str
    n: int
    generate: Callable[..., Points]
    also: str = ""
    section: str = ""
    parameters: tuple[ScenarioParameter, ...] = ()
    models: tuple[str, ...] = ()
    former: tuple[tuple[str, float], ...] = ()

    @property
    def found_by(self) -> str:
        """Title, and what else it is called: its text in a list that can be searched."""
        return f"{self.title} · {self.also}" if self.also else self.title

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return every parameter's value: the given one, checked, or the default.

        Raises
        ------
        InvalidParameterError
            For a name the scenario does not have, or a value out of bounds.
        """
        known = [parameter.name for parameter in self.parameters] + list(self.models)
        for name in given:
            if name not in known:
                has = f"It has {', '.join(known)}." if known else "It has none."
                raise InvalidParameterError(f"{name} is not a parameter of the scenario {self.name}. {has}")
        values: dict[str, Any] = {p.name: p.check(given.get(p.name, p.default)) for p in self.parameters}
        return values | {name: given[name] for name in self.models if name in given}


def without_some_cells(X: FloatArray, share: float, rng: np.random.Generator) -> FloatArray:
    """Return X (n, D) with cells missing (NaN) completely at random; every column keeps at least one.

    The cells that are missing at a share are missing at every larger one too, and the others equal those of X.
    """
    chances = rng.random(X.shape)
    missing = chances < share
    missing[chances.argmax(axis=0), np.arange(X.shape[1])] = False
    return np.where(missing, np.nan, X)


def group_sizes(shares: Sequence[float], n: int) -> IntArray:
    """Split n points into groups of the given shares, rounded so that they add up and none is empty.

    Parameters
    ----------
    shares : sequence of float
        Positive, summing to 1.
    n : int
        Number of points, at least the number of shares.
    """
    sizes = np.maximum(np.floor(np.asarray(shares) * n + 1e-9).astype(np.int64), 1)
    remainders = np.asarray(shares) * n - sizes
    while (short := n - int(sizes.sum())) != 0:
        index = int(np.argmax(remainders) if short > 0 else np.argmax(sizes))
        sizes[index] += math.copysign(1, short)
        remainders[index] -= math.copysign(1, short)
    return sizes


def gaussian_groups(
    rng: np.random.Generator,
    sizes: Sequence[int] | IntArray,
    means: Sequence[Sequence[float]] | FloatArray,
    roots: Sequence[FloatArray],
) -> tuple[FloatArray, IntArray]:
    """Draw Gaussian groups one after the other.

    Parameters
    ----------
    rng : numpy.random.Generator
    sizes : sequence of int, length K
    means : sequence of (D,)
    roots : sequence of ndarray (D, D)
        Matrix square root R of each covariance: points are mean + R z with standard normal z.

    Returns
    -------
    X : ndarray (n, D)
    labels : ndarray (n,)
    """
    groups = [
        np.asarray(mean) + rng.standard_normal((int(size), len(mean))) @ root.T
        for size, mean, root in zip(sizes, means, roots, strict=True)
    ]
    return np.vstack(groups), np.repeat(np.arange(len(groups)), sizes)


def ellipse_root(long: float, short: float, degrees: float) -> FloatArray:
    """Square root of a 2-D covariance with standard deviations ``long`` and ``short``, the long axis turned."""
    angle = math.radians(degrees)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return np.asarray(turn * np.array([long, short]))
