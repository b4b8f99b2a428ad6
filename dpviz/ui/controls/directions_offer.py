"""Where a table's columns vary together: an offer to look for clusters along few directions, beside the columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families.automatic import AUTOMATIC
from dpviz.families.columns.binomial import Binomial
from dpviz.fit.directions import FEWEST_COLUMNS, parallel_analysis
from dpviz.text import counted
from dpviz.ui.controls.both_answers import is_gaussian, offer_both
from dpviz.ui.session.chosen_data import DataChoice, is_here, prepare
from dpviz.ui.session.kept import remembered

_ORDERED = "ordinal"


@remembered(1_000_000)
def kept_directions(choice: DataChoice) -> int:
    """Return how many directions parallel analysis keeps of a choice's columns; 0 if it is not for them."""
    X = prepare(choice).X
    if X.shape[1] < FEWEST_COLUMNS or len(X) < 2 or np.isnan(X).any():
        return 0
    found = parallel_analysis(X)
    return 0 if found == X.shape[1] else found


def offer(choice: DataChoice, config: RunConfig, place: str, n_clusters: int = 0) -> None:
    """Say in how many directions the columns vary together, and offer both answers side by side on Compare.

    Columns of few ordered values, such as answers to a questionnaire, are independent within a cluster, so that what
    they share becomes clusters: of them the other answer is along directions of their codes, taken as numbers. Nothing
    is said of few columns, other columns of codes, methods without a model, or where directions are used already.

    Parameters
    ----------
    choice : DataChoice
    config : RunConfig
        Of a run in the columns.
    place : str
        Name of the page, for the button.
    n_clusters : int, optional
        Of the run, if there is one. Of answers in one cluster nothing is said.
    """
    plain = choice.data
    answers = _of_answers(config)
    possible = answers or (config.directions is None and is_gaussian(config))
    if choice.directions or choice.n_components or not possible:
        return
    if not is_here(plain):  # forgotten in another tab, while this one still shows a run
        return
    kept = kept_directions(plain)
    if not kept:
        return
    prepared = prepare(plain)
    if answers and (set(prepared.clustered.kinds) != {_ORDERED} or n_clusters == 1):
        return
    n_columns = prepared.X.shape[1]
    said = f"The columns vary together along {kept} of {n_columns} directions: clusters there may be clearer, or miss "
    along = replace(config, family=AUTOMATIC, prior=AUTOMATIC, kinds=None) if answers else config
    if answers:
        these = "it" if kept == 1 else "them"
        said = (
            f"Inside a cluster these {n_columns} columns of few ordered values are taken as independent. They vary "
            f"together along {counted(kept, 'direction')}: because of groups, or in steps along {these}, which come "
            f"out as clusters too. Clusters of the codes as numbers, along {these}, may be fewer, or miss "
        )
    offer_both(
        f"{said}groups elsewhere.",
        f"{place}.directions",
        "Compares clusters in all columns with clusters along these directions. The Data page sets directions for all "
        "pages.",
        choice,
        (config, replace(along, directions=kept)),
    )


def offer_columns(choice: DataChoice, shown: RunConfig, config: RunConfig, place: str) -> None:
    """Offer clusters of the columns beside those along directions, on Compare.

    Parameters
    ----------
    choice, shown, config
        Data and settings of a run that was to take directions if groups are clearer there, and did: those that make
        exactly this run, and those that leave to the data what was left to them.
    place : str
        Name of the page, for the button.
    """
    offer_both(
        "Clusters of all columns may be others, and finer.",
        f"{place}.columns",
        "Compares these clusters with those of all columns. The Data page sets directions for all pages.",
        choice,
        (shown, replace(config, directions=None)),
    )


def _of_answers(config: RunConfig) -> bool:
    """Whether a run takes its columns for ordered values that are independent within a cluster."""
    of_family = config.family == Binomial.name and config.prior is None
    return ALGORITHMS[config.algorithm].uses_model and config.directions is None and of_family
