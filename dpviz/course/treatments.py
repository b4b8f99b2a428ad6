"""What is done to a chapter's data before one of its runs clusters them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset, Display, display_coordinates, scale

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
    """

    words: str
    of: Callable[[Dataset, int], Dataset]
    shown: Callable[[Dataset, Display], Display] = lambda dataset, display: display


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


def by_standardised_columns(dataset: Dataset) -> Display:
    """Place rows by the principal components of their standardised columns."""
    mean, deviation = _units(dataset)
    display = display_coordinates(_standardised(dataset, 0), "principal_components")
    return display._replace(directions=display.directions / deviation, origin=mean)


def _with_holes(dataset: Dataset, seed: int) -> FloatArray:
    X = np.array(dataset.X)
    X[np.random.default_rng(seed).random(X.shape) < HIDDEN_SHARE] = np.nan
    return X


def _hidden(dataset: Dataset, seed: int) -> Dataset:
    return replace(dataset, X=_with_holes(dataset, seed), gaps=True)


def _filled(dataset: Dataset, seed: int) -> Dataset:
    X = _with_holes(dataset, seed)
    return replace(dataset, X=np.where(np.isnan(X), np.nanmean(X, axis=0), X))


STANDARDISED = Treatment("standardised columns", _standardised, _in_deviations)
HIDDEN = Treatment("cells hidden", _hidden)
FILLED = Treatment("filled with the means of the columns", _filled)
