"""The data of a chapter as a small picture, before anything is clustered."""

from __future__ import annotations

import html

from dpviz.course.chapter import Played
from dpviz.player.notebook import Table
from dpviz.player.still import still

MOST_DOTS = 1500


def figure(played: Played) -> str:
    """Draw the data as an HTML figure with a caption."""
    return f"<figure>{picture(played)}<figcaption>{html.escape(caption(played))}</figcaption></figure>"


def caption(played: Played) -> str:
    """Say what the picture shows."""
    names = " against ".join(reversed(Table(played.dataset).display().axis_names))
    return f"{played.chapter.title}: {names}, {len(played.dataset.X):,} points; colours are the true groups."


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
    points = Table(dataset).display().coordinates[::step]
    groups = [0] * len(points) if dataset.labels is None else dataset.labels[::step].tolist()
    return still(points, groups, caption(played), shade)
