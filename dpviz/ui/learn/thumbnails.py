"""Data of lessons as thumbnails beside their names."""

from __future__ import annotations

from dpviz.arrays import FloatArray
from dpviz.course import Chapter
from dpviz.datasets import Dataset
from dpviz.player.still import thumbnail
from dpviz.ui.learn.image import TALLEST, image
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, prepare
from dpviz.ui.session.kept import Kept

_DRAWN: Kept[str] = Kept(2_000_000)


def of_chapter(chapter: Chapter, shade: str) -> str:
    """Return the data of a chapter as HTML."""

    def drawn() -> str:
        dataset = chapter.scene.load()
        return _image(dataset, chapter.view(dataset).coordinates, shade)

    return _DRAWN.get(("chapter", chapter.name, shade), drawn)


def of_choice(choice: DataChoice, shade: str) -> str:
    """Return chosen data as HTML."""

    def drawn() -> str:
        prepared = prepare(choice)
        return _image(prepared.dataset, prepared.display().coordinates, shade)

    return _DRAWN.get(("choice", choice, shade), drawn)


def plain(prepared: PreparedData, words: str, shade: str) -> str:
    """Return points without their groups as HTML, while these are looked for; those of one column are stacked."""
    places = prepared.display().coordinates
    drawing = thumbnail(places, [0] * len(places), shade, times=8)
    return image(drawing, words, tallest=TALLEST)


def _image(dataset: Dataset, places: FloatArray, shade: str) -> str:
    groups = [0] * len(places) if dataset.labels is None else dataset.labels.tolist()
    return image(thumbnail(places, groups, shade), "", widest="none")
