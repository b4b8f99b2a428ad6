"""What is done to a chapter's data before one of its runs clusters them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset, Display, display_coordinates, dot_stack, scale
from dpviz.words import say

HIDDEN_SHARE = 0.3
"""Of the cells, each hidden independently of the others and of its value."""


@dataclass(frozen=True)
class Treatment:
    """A change of the data.

    Attributes
    ----------
    words : str
        What it makes of them, for the title of the run's film.
    of : callable
        Given the data and a seed, returns the changed data; every treatment of one seed hides the same cells.
    shown : callable
        Given the data and how they are shown, returns how the changed ones are, at the same places.
    varied : str
        What several of its kind vary, in short; by default the words of each.
    """

    words: str
    of: Callable[[Dataset, int], Dataset]
    shown: Callable[[Dataset, Display], Display] = lambda dataset, display: display
    varied: str = ""


def _standardised(dataset: Dataset, seed: int) -> Dataset:
    scaled = scale(dataset.X, "standardise", dataset.feature_names).X
    return replace(dataset, X=scaled, kinds=("continuous",) * dataset.n_features, category_names=())


def _units(dataset: Dataset) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation (D,) of every column."""
    deviation = dataset.X.std(axis=0)
    return dataset.X.mean(axis=0), np.where(deviation > 0, deviation, 1.0)


def _in_deviations(dataset: Dataset, display: Display) -> Display:
    mean, deviation = _units(dataset)
    return display._replace(directions=display.directions * deviation, origin=(display.origin - mean) / deviation)


STEP = 5
"""Of the last column, which makes it about as wide as the component."""


def by_last_column(dataset: Dataset) -> Display:
    """Place rows by the age, their last column, and by the first principal component of their standardised columns."""
    mean, deviation = _units(dataset)
    display = display_coordinates(_standardised(dataset, 0), "principal_components")
    name = say("treatments.in_steps", column=dataset.feature_names[-1], step=STEP)
    directions = np.stack([np.eye(dataset.n_features)[-1] / STEP, display.directions[0] / deviation])
    placed = display._replace(directions=directions, origin=mean, axis_names=(name, display.axis_names[0]))
    return placed._replace(coordinates=placed.place(dataset.X))


def stacked(dataset: Dataset) -> Display:
    """Place the rows of one column along it, equal ones upon each other."""
    stack = dot_stack(dataset.X)
    coordinates = np.column_stack([stack.positions, stack.heights.astype(np.float64)])
    names = (dataset.feature_names[0], say("treatments.stacked"))
    return Display(coordinates, names, np.array([[1.0], [0.0]]), np.zeros(1))


def chances(at: NDArray[np.uint64]) -> FloatArray:
    """Return a number from 0 to 1 for each cell of these positions, as ``reshaped.js`` does in pages."""
    bits = (at + 1) * 0x9E3779B1 & 0xFFFFFFFF
    bits = (bits ^ bits >> 15) * 0x85EBCA6B & 0xFFFFFFFF
    bits = (bits ^ bits >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return np.asarray((bits ^ bits >> 16) / 2**32)


def _with_holes(dataset: Dataset, seed: int) -> FloatArray:
    X = np.array(dataset.X)
    at = np.arange(seed * X.size, (seed + 1) * X.size, dtype=np.uint64)
    X[(chances(at) < HIDDEN_SHARE).reshape(X.shape)] = np.nan
    return X


def _hidden(dataset: Dataset, seed: int) -> Dataset:
    return replace(dataset, X=_with_holes(dataset, seed), gaps=True)


def _filled(dataset: Dataset, seed: int) -> Dataset:
    X = _with_holes(dataset, seed)
    return replace(dataset, X=np.where(np.isnan(X), np.nanmean(X, axis=0), X))


def apart(gap: float, usual: float) -> Treatment:
    """Return what moves the groups' means about that of all, from a gap of ``usual`` to one of ``gap``."""

    def moved(dataset: Dataset, seed: int) -> Dataset:
        groups = dataset.labels
        assert groups is not None
        means = np.array([dataset.X[groups == group].mean(axis=0) for group in range(groups.max() + 1)])
        return replace(dataset, X=dataset.X + ((gap / usual - 1) * (means - dataset.X.mean(axis=0)))[groups])

    return Treatment(say("treatments.apart", gap=gap), moved, varied=say("treatments.apart_varied"))


STANDARDISED = Treatment(say("treatments.standardised"), _standardised, _in_deviations)
HIDDEN = Treatment(say("treatments.hidden"), _hidden)
FILLED = Treatment(say("treatments.filled"), _filled)
