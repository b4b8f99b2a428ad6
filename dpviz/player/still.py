"""Points in the plane as a still picture: an SVG for pages without a script, and for print."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.player.palette import CLUSTER_COLORS

SHARE_OF_MARGIN, SHARE_OF_DOT = 0.04, 0.006
PIXELS = 720
FEW = 300
"""Dots of fewer points are larger."""
OPACITY = 0.75


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
        f'<g {_fill(group, shade)} fill-opacity="{OPACITY}">{"".join(dots[group])}</g>' for group in sorted(dots)
    )
    across, down = width + 2 * margin, height + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PIXELS}" height="{PIXELS * down / across:.0f}" role="img" '
        f'viewBox="{-margin:.3f} {-margin:.3f} {across:.3f} {down:.3f}" aria-label="{html.escape(words)}">'
        f"{layers}</svg>"
    )


def _fill(group: int, shade: str) -> str:
    palettes = CLUSTER_COLORS.values() if shade == "both" else (CLUSTER_COLORS[shade],)
    light, *dark = (colors[group % len(colors)] for colors in palettes)
    return f'style="fill: light-dark({light}, {dark[0]})"' if dark else f'fill="{light}"'
