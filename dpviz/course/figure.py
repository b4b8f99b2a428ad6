"""The data of a chapter as a small picture, before anything is clustered."""

from __future__ import annotations

import html

from dpviz.course.chapter import Played
from dpviz.player.notebook import Table
from dpviz.player.palette import CLUSTER_COLORS

MOST_DOTS = 1500
SHARE_OF_MARGIN, SHARE_OF_DOT = 0.04, 0.006


PIXELS = 720


def figure(played: Played) -> str:
    """Draw the data as an HTML figure with a caption."""
    return f"<figure>{picture(played)}<figcaption>{html.escape(caption(played))}</figcaption></figure>"


def caption(played: Played) -> str:
    """Say what the picture shows."""
    names = " against ".join(reversed(Table(played.dataset).display().axis_names))
    return f"{played.dataset.title}: {names}, {len(played.dataset.X):,} points; colours are the true groups."


def picture(played: Played, shade: str = "light") -> str:
    """Draw the points in the proportions of their axes, in the colours of the true groups.

    Parameters
    ----------
    played : Played
    shade : {"light", "dark"}
        Of the page it is drawn for.

    Returns
    -------
    str
        An SVG, whose ground is that of what is around it.
    """
    dataset = played.dataset
    step = -(-len(dataset.X) // MOST_DOTS)
    x, y = Table(dataset).display().coordinates[::step].T
    width, height = max(float(x.max() - x.min()), 1e-9), max(float(y.max() - y.min()), 1e-9)
    margin, radius = SHARE_OF_MARGIN * max(width, height), SHARE_OF_DOT * max(width, height)
    dots: dict[int, list[str]] = {}
    groups = [0] * len(x) if dataset.labels is None else dataset.labels[::step].tolist()
    for a, b, group in zip(x - x.min(), y.max() - y, groups, strict=True):
        dots.setdefault(group, []).append(f'<circle cx="{a:.3f}" cy="{b:.3f}" r="{radius:.3f}"/>')
    colors = CLUSTER_COLORS[shade]
    layers = "".join(
        f'<g fill="{colors[group % len(colors)]}" fill-opacity="0.75">{"".join(dots[group])}</g>'
        for group in sorted(dots)
    )
    across, down = width + 2 * margin, height + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PIXELS}" height="{PIXELS * down / across:.0f}" role="img" '
        f'viewBox="{-margin:.3f} {-margin:.3f} {across:.3f} {down:.3f}" aria-label="{html.escape(caption(played))}">'
        f"{layers}</svg>"
    )
