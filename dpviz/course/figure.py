"""The data of a chapter as a small picture, before anything is clustered."""

from __future__ import annotations

import html

import numpy as np

from dpviz.course.chapter import Chapter
from dpviz.datasets import Dataset
from dpviz.player.data import panel_of_labels
from dpviz.player.payload import build_payload
from dpviz.player.still import still
from dpviz.words import say_count

MOST_DOTS = 1500


def data_film(chapter: Chapter, dataset: Dataset) -> bytes:
    """Return the payload of a player that shows the data in the colours of the true groups, before any run."""
    display = chapter.view(dataset)
    groups = np.zeros(len(dataset.X), dtype=np.int64) if dataset.labels is None else dataset.labels
    panel = panel_of_labels(display.coordinates, groups[np.newaxis], title=chapter.title, axis_names=display.axis_names)
    return build_payload([panel], groups=dataset.labels)


def figure(chapter: Chapter, dataset: Dataset) -> str:
    """Draw the data as an HTML figure with a caption."""
    words = html.escape(caption(chapter, dataset))
    return f"<figure>{picture(chapter, dataset, 'both')}<figcaption>{words}</figcaption></figure>"


def caption(chapter: Chapter, dataset: Dataset) -> str:
    """Say what the picture shows."""
    across, up = chapter.view(dataset).axis_names
    key = "course.caption_without_groups" if dataset.labels is None else "course.caption"
    return say_count(key, len(dataset.X), title=chapter.title, across=across, up=up)


def picture(chapter: Chapter, dataset: Dataset, shade: str = "light") -> str:
    """Draw the points in the proportions of their axes, in the colours of the true groups.

    Parameters
    ----------
    chapter : Chapter
    dataset : Dataset
        Its data.
    shade : {"light", "dark", "both"}
        Of the page it is drawn for; ``"both"`` follows the page it is part of.

    Returns
    -------
    str
        An SVG, whose ground is that of what is around it.
    """
    step = -(-len(dataset.X) // MOST_DOTS)
    points = chapter.view(dataset).coordinates[::step]
    groups = [0] * len(points) if dataset.labels is None else dataset.labels[::step].tolist()
    return still(points, groups, caption(chapter, dataset), shade)
