"""Points in the plane as a still picture: an SVG for pages without a script, and for print."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.datasets import dot_stack
from dpviz.player.palette import CLUSTER_COLORS

SHARE_OF_MARGIN, SHARE_OF_DOT = 0.04, 0.006
PIXELS = 720
FEW = 300
"""Dots of fewer points are larger."""
OPACITY = 0.75
THUMBNAIL, THUMBNAIL_DOT, THUMBNAIL_BINS = (84, 56), 4, 18
"""Its width and height in pixels, the diameter of a dot, and bins of one column."""
MOST_ON_THUMBNAIL = 120
MOST_STRETCH = 4
"""Axes whose ranges differ more are taken for different units."""


def still(points: FloatArray, groups: Sequence[int], words: str, shade: str = "light") -> str:
    """Draw points in the proportions of their axes.

    Parameters
    ----------
    points : ndarray (n, 2)
    groups : sequence of int (n,)
        Which colour each has, from 0; colours repeat after :data:`~dpviz.player.palette.N_COLORS`.
    words : str
        What the picture shows, for those who cannot see it.
    shade : {"light", "dark", "both"}
        Of the paper that the palette is for; ``"both"`` follows the page that the picture is part of.

    Returns
    -------
    str
        An SVG.
    """
    x, y = np.asarray(points, dtype=np.float64).T
    width, height = max(float(x.max() - x.min()), 1e-9), max(float(y.max() - y.min()), 1e-9)
    larger = min(max((FEW / len(x)) ** 0.5, 1.0), 2.0)
    margin, radius = SHARE_OF_MARGIN * max(width, height), larger * SHARE_OF_DOT * max(width, height)
    dots: dict[int, list[str]] = {}
    for a, b, group in zip(x - x.min(), y.max() - y, groups, strict=True):
        dots.setdefault(group, []).append(f'<circle cx="{a:.3f}" cy="{b:.3f}" r="{radius:.3f}"/>')
    layers = "".join(
        f'<g {_paint("fill", group, shade)} fill-opacity="{OPACITY}">{"".join(dots[group])}</g>'
        for group in sorted(dots)
    )
    across, down = width + 2 * margin, height + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PIXELS}" height="{PIXELS * down / across:.0f}" role="img" '
        f'viewBox="{-margin:.3f} {-margin:.3f} {across:.3f} {down:.3f}" aria-label="{html.escape(words)}">'
        f"{layers}</svg>"
    )


def thumbnail(points: FloatArray, groups: Sequence[int], shade: str = "light", times: int = 1) -> str:
    """Draw some of the points no larger than a few letters, in the proportions of their axes where these are alike.

    Parameters
    ----------
    points : ndarray (n, 2) or (n, 1)
        Of one column the points are stacked.
    groups, shade
        As for :func:`still`.
    times : int
        How many times as wide it is drawn, with as many times the dots.

    Returns
    -------
    str
        An SVG without words: what it belongs to has them.
    """
    step, dot = -(-len(points) // (times * MOST_ON_THUMBNAIL)), THUMBNAIL_DOT * times**0.25
    places, size = np.asarray(points, dtype=np.float64)[::step], times * np.array(THUMBNAIL)
    if places.shape[1] == 1:
        places = np.column_stack(dot_stack(places, times * THUMBNAIL_BINS)[:2])
    low, high = places.min(axis=0), places.max(axis=0)
    scale = (size - 2 * dot) / np.maximum(high - low, 1e-9)
    if scale.max() <= MOST_STRETCH * scale.min():
        scale[:] = scale.min()
    dots: dict[int, list[str]] = {}
    for (x, y), group in zip(size / 2 + (places - (low + high) / 2) * scale * (1, -1), groups[::step], strict=True):
        dots.setdefault(group, []).append(f"M{x:.0f} {y:.0f}h0")
    layers = "".join(
        f'<path {_paint("stroke", group, shade)} d="{"".join(own)}"/>' for group, own in sorted(dots.items())
    )
    across, down = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
        f'stroke-width="{dot:.3g}" stroke-linecap="round" stroke-opacity="{OPACITY}">{layers}</svg>'
    )


def _paint(what: str, group: int, shade: str) -> str:
    palettes = CLUSTER_COLORS.values() if shade == "both" else (CLUSTER_COLORS[shade],)
    light, *dark = (colors[group % len(colors)] for colors in palettes)
    return f'style="{what}: light-dark({light}, {dark[0]})"' if dark else f'{what}="{light}"'
