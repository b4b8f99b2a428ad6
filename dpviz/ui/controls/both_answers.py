"""Offers of two answers side by side: a sentence on what the columns show, and a button to Compare.

Where columns vary together there may be clusters along few directions, beside those in all columns; where they are
skewed there may be clusters after powers of them, with which own tables begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.families import family_class
from dpviz.families.automatic import ANY, AUTOMATIC, REAL
from dpviz.families.columns.binomial import Binomial
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.fit.directions import FEWEST_COLUMNS, are_open, parallel_analysis
from dpviz.fit.transforms import can_be_transformed, is_tried, likely_powers
from dpviz.text import counted, escape_markdown
from dpviz.ui.session.chosen_data import DataChoice, is_here, prepare
from dpviz.ui.session.kept import remembered
from dpviz.ui.shell import navigation, prior_factors
from dpviz.ui.shell.page_link import as_text

MOST_POWER = 0.5
"""Columns whose most likely power is higher are hardly skewed to the right."""
_ORDERED = "ordinal"


def is_gaussian(config: RunConfig) -> bool:
    """Whether a run has a model whose family is Gaussian, or will be."""
    families = config.candidates if config.family == AUTOMATIC else (config.family,)
    gaussian = all(issubclass(family_class(name), GaussianFamily) for name in families)
    return config.uses_model and gaussian


def offer_both(said: str, key: str, about: str, choice: DataChoice, both: Sequence[RunConfig]) -> None:
    """Draw a sentence with a button that opens Compare; nothing of data that are gone.

    Parameters
    ----------
    said : str
        The sentence.
    key, about : str
        Key and help of the button.
    choice : DataChoice
        The data that both runs are of.
    both : sequence of RunConfig
    """
    if not is_here(choice.data):  # forgotten in another tab, while this one still shows a run
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escape_markdown(said))
        if st.button("See both", key=key, type="tertiary", icon=":material/compare:", help=about):
            panels = as_text([prior_factors.to_query(own, choice) for own in both])
            otherwise = "Open the Compare page of the whole app to see both."
            navigation.go_to("compare", otherwise, {"data": choice.to_json(), "panels": panels})


# --- along directions -------------------------------------------------------------------------------------------------


@remembered(1_000_000)
def kept_directions(choice: DataChoice) -> int:
    """Return how many directions parallel analysis keeps of a choice's columns; 0 if it is not for them."""
    X = prepare(choice).X
    if X.shape[1] < FEWEST_COLUMNS or len(X) < 2 or np.isnan(X).any():
        return 0
    found = parallel_analysis(X)
    return 0 if found == X.shape[1] else found


def offer_directions(choice: DataChoice, config: RunConfig, place: str, n_clusters: int = 0) -> None:
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
    return config.uses_model and config.directions is None and of_family


# --- after powers -----------------------------------------------------------------------------------------------------


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


def offer_transform(choice: DataChoice, config: RunConfig, place: str) -> None:
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
