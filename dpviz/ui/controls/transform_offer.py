"""Where columns are skewed: clusters after powers of them, which own tables begin with, beside those of the columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.families.automatic import ANY, AUTOMATIC, REAL
from dpviz.fit.directions import are_open
from dpviz.fit.transforms import can_be_transformed, is_tried, likely_powers
from dpviz.text import counted
from dpviz.ui.controls.both_answers import is_gaussian, offer_both
from dpviz.ui.session.chosen_data import DataChoice, is_here, prepare
from dpviz.ui.session.kept import remembered

MOST_POWER = 0.5
"""Columns whose most likely power is higher are hardly skewed to the right."""


def begun_with(dataset: Dataset, scaling: str) -> dict[str, Any]:
    """Return the fields of the choice of a reader's own table that leave more to the data than others do.

    Transformations if some column is skewed, and directions if there are columns enough.

    Parameters
    ----------
    dataset : Dataset
    scaling : str
        Of its columns, after which all are real; of columns that are not scaled the kinds say which are.
    """
    config = RunConfig() if scaling != "none" else RunConfig().with_kinds(dataset.model_kinds)
    is_real = set(config.measuring.candidates) <= set(REAL)
    begun: dict[str, Any] = {"directions": ANY} if is_real and are_open(dataset.X) else {}
    return begun | ({"transform": AUTOMATIC} if is_tried(dataset.X, config) else {})


@remembered(1_000_000)
def skewed_columns(choice: DataChoice) -> int:
    """Return how many measured columns of a choice are nearer to normal, as wholes, under a root or a logarithm."""
    data = prepare(choice).dataset
    columns = [d for d, kind in enumerate(data.kinds) if kind == "continuous" and can_be_transformed(data.X[:, d])]
    return int(np.sum(likely_powers(data.X, columns) <= MOST_POWER))


def offer(choice: DataChoice, config: RunConfig, place: str) -> None:
    """Say how many columns are skewed, and offer clusters of them as they are and transformed on Compare.

    Nothing is said of methods without a model, other families, or where columns are transformed already.

    Parameters
    ----------
    choice : DataChoice
    config : RunConfig
        Of a run of the columns.
    place : str
        Name of the page, for the button.
    """
    plain = choice.data
    possible = config.transform is None and is_gaussian(config)
    if choice.transform or choice.n_components or not possible or not is_here(plain):
        return
    n_skewed = skewed_columns(plain)
    if not n_skewed:
        return
    verb = "is" if n_skewed == 1 else "are"
    offer_both(
        f"{counted(n_skewed, 'column')} {verb} nearer to a bell curve under a power such as the logarithm: clusters "
        "there may be fewer. The cost says which is better.",
        f"{place}.transform",
        "Compares clusters of the columns with clusters after powers that lower the cost, if any do. The Data page "
        "sets transformations for all pages.",
        replace(choice, transform=(1.0,)),  # columns that are divided and not moved, for both
        (config, replace(config, transform=AUTOMATIC)),
    )


def offer_as_they_are(choice: DataChoice, shown: RunConfig, config: RunConfig, place: str) -> None:
    """Offer clusters of the columns as they are beside those of transformed ones, on Compare.

    Parameters
    ----------
    choice, shown, config
        Data and settings of a run that was to transform what is worth it, and did: those that make exactly this run,
        and those that leave to the data what was left to them.
    place : str
        Name of the page, for the button.
    """
    offer_both(
        "Clusters of the columns as they are may be others; the cost says which are better.",
        f"{place}.as_they_are",
        "Compares these clusters with those of the columns as they are. The Data page sets transformations for all "
        "pages: None leaves the columns as they are.",
        choice,
        (shown, replace(config, transform=None)),
    )
