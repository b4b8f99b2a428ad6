"""What each kind of column assumes within a cluster: a picture of two clusters and a line of words."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.hurdles import HURDLE
from dpviz.periods import CIRCULAR, SHARE
from dpviz.player.palette import track_color
from dpviz.shares import PARTS, PARTS_AND_TOTAL

WIDTH, HEIGHT = 120, 36
"""Of a picture, in pixels."""
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}">{drawn}'
    '<path d="M0 {base}H{w}" stroke="#888" fill="none"/></svg>'
)
_X = np.linspace(0.0, 1.0, 61)


def _curves(*densities: FloatArray) -> str:
    """Draw densities over the whole width, on one scale."""
    top = max(float(density.max()) for density in densities)
    return "".join(_curve(density / top, number) for number, density in enumerate(densities))


def _curve(shares: FloatArray, number: int) -> str:
    places = " ".join(f"{WIDTH * x:.1f},{(HEIGHT - 2) * (1 - y) + 1:.1f}" for x, y in zip(_X, shares, strict=True))
    return f'<polyline points="{places}" fill="none" stroke-width="2" stroke="{track_color(number)}"/>'


def _bars(*laws: Sequence[float], begin: float = 0.0, end: float = 1.0) -> str:
    """Draw probabilities of values, those of two clusters side by side."""
    step, top = (end - begin) / len(laws[0]), max(map(max, laws))
    return "".join(
        f'<rect x="{WIDTH * (begin + step * (value + 0.15 + 0.35 * number)):.1f}" width="{WIDTH * step * 0.33:.1f}" '
        f'y="{(HEIGHT - 2) * (1 - chance / top) + 1:.1f}" height="{(HEIGHT - 2) * chance / top:.1f}" '
        f'fill="{track_color(number)}"/>'
        for number, law in enumerate(laws)
        for value, chance in enumerate(law)
    )


def _normal(mean: float, spread: float) -> FloatArray:
    return np.exp(-0.5 * ((_X - mean) / spread) ** 2) / spread


def _poisson(mean: float) -> list[float]:
    return [math.exp(-mean) * mean**k / math.factorial(k) for k in range(11)]


def _binomial(chance: float, n: int) -> list[float]:
    return [math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def _on_circle(mean: float, concentration: float) -> FloatArray:
    return np.exp(concentration * (np.cos(2 * math.pi * (_X - mean)) - 1)) * math.sqrt(concentration)


def _log_normal(mean: float, spread: float) -> FloatArray:
    x = np.maximum(_X - 0.12, 1e-9)
    return np.where(_X > 0.12, np.exp(-0.5 * ((np.log(x) - mean) / spread) ** 2) / x, 0.0)


def _hurdle() -> str:
    zeros = _bars([0.7], [0.25], begin=0.0, end=0.1)
    return zeros + _curves(0.5 * _log_normal(-2.2, 0.5), _log_normal(-1.1, 0.5))


def _share() -> str:
    ends = _bars([0.6], [0.1], begin=0.0, end=0.1) + _bars([0.05], [0.5], begin=0.9, end=1.0)
    x = np.clip((_X - 0.12) / 0.76, 1e-9, 1 - 1e-9)
    inside = (_X > 0.12) & (_X < 0.88)
    logits = np.log(x / (1 - x))
    laws = [np.where(inside, np.exp(-0.5 * ((logits - mean) / 0.7) ** 2) / (x * (1 - x)), 0.0) for mean in (-1.2, 0.8)]
    return ends + _curves(*laws)


def _shares(lengths: tuple[float, float]) -> str:
    """Draw the shares of five parts in two rows of these lengths, darker from part to part."""
    rows = ((0.4, 0.3, 0.15, 0.1, 0.05), (0.05, 0.15, 0.1, 0.3, 0.4))
    return "".join(
        f'<rect x="{WIDTH * length * sum(row[:part]):.1f}" width="{WIDTH * length * share:.1f}" y="{3 + 16 * number}" '
        f'height="12" fill="{track_color(number)}" fill-opacity="{0.3 + 0.17 * part:.2f}"/>'
        for number, (row, length) in enumerate(zip(rows, lengths, strict=True))
        for part, share in enumerate(row)
    )


ASSUMED: dict[str, tuple[str, Callable[[], str]]] = {
    "continuous": ("measures: normal about a mean", lambda: _curves(_normal(0.3, 0.1), _normal(0.65, 0.14))),
    "duration": (
        "times until something happens: exponential",
        lambda: _curves(np.exp(-_X / 0.12) / 0.12, np.exp(-_X / 0.4) / 0.4),
    ),
    "count": ("how many: Poisson, or wider if counts vary more", lambda: _bars(_poisson(1.5), _poisson(5.0))),
    "ordinal": ("levels in order: binomial", lambda: _bars(_binomial(0.25, 4), _binomial(0.75, 4))),
    "binary": ("yes or no: a chance", lambda: _bars([0.8, 0.2], [0.3, 0.7])),
    "categorical": ("names or codes: any chances", lambda: _bars([0.5, 0.1, 0.3, 0.1], [0.1, 0.45, 0.05, 0.4])),
    HURDLE: ("zero, or a positive value with a long tail: a chance of zero, else log-normal", _hurdle),
    SHARE: ("nothing, the whole, or a share between: two chances, else a logit that is normal", _share),
    CIRCULAR: (
        "hours, weekdays, directions: a mean direction, about which midnight is no edge",
        lambda: _curves(_on_circle(0.98, 6.0), _on_circle(0.5, 4.0)),
    ),
    PARTS: ("counts of which only the shares in a row matter", lambda: _shares((1.0, 1.0))),
    PARTS_AND_TOTAL: ("shares, and how large the row's total is", lambda: _shares((0.45, 1.0))),
}
"""What values of a kind are and how they are spread within a cluster, and its picture, in the order of the list."""


@cache
def picture(kind: str) -> str:
    """Return the picture of a kind, two clusters of such values, as the address of an image."""
    drawn = _SVG.format(w=WIDTH, h=HEIGHT, base=HEIGHT - 0.5, drawn=ASSUMED[kind][1]())
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"
