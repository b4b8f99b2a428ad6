"""Where columns are skewed: an offer to look for clusters after powers of them, beside the columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpviz.config import RunConfig
from dpviz.families.automatic import AUTOMATIC
from dpviz.fit.transforms import can_be_transformed, likely_powers
from dpviz.text import counted
from dpviz.ui.controls.both_answers import is_gaussian, offer_both
from dpviz.ui.session.chosen_data import DataChoice, is_here, prepare
from dpviz.ui.session.kept import remembered

MOST_POWER = 0.5
"""Columns whose most likely power is higher are hardly skewed to the right."""


@remembered(1_000_000)
def skewed_columns(choice: DataChoice) -> int:
    """Return how many measured columns of a choice are nearer to normal, as wholes, under a root or a logarithm."""
    data = prepare(choice).dataset
    columns = [
        d for d, kind in enumerate(data.kinds) if kind == "continuous" and can_be_transformed(data.X[:, d])
    ]  # fmt: skip
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
    plain = replace(choice, axes=())
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
