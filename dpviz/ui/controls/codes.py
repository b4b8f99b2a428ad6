"""What is said where the codes of categories are taken for numbers."""

from __future__ import annotations

from collections.abc import Iterable

from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.datasets.indicators import CODINGS, coded_in_words
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families import FAMILIES
from dpviz.families.automatic import can_hold
from dpviz.text import in_words
from dpviz.ui.session.chosen_data import PreparedData, for_distances

MOST_NAMED = 3


def codes_in_words(configs: Iterable[RunConfig], prepared: PreparedData) -> str:
    """Say which methods and families take the codes 0, 1, … of which columns for numbers; empty if none does.

    Two categories have one distance, so that their codes mislead nobody.

    Parameters
    ----------
    configs : iterable of RunConfig
    prepared : PreparedData
        The data as chosen for the page, or as prepared for methods of distances.
    """
    takers: dict[tuple[str, ...], list[str]] = {}
    for config in configs:
        algorithm = ALGORITHMS[config.algorithm]
        if not algorithm.uses_model:
            own = for_distances(prepared, algorithm.name)
            title, coded = algorithm.title, () if own.choice.mixed in CODINGS else _coded(own.dataset)
        elif prepared.choice.scaling == "none" and all(can_hold(name, ("categorical",)) for name in config.candidates):
            continue  # columns that are scaled are plain numbers to every family
        else:
            title, coded = FAMILIES[config.candidates[0]].title.partition(" (")[0], _coded(prepared.dataset)
        if coded and title not in takers.setdefault(coded, []):
            takers[coded].append(title)
    said = []
    for coded, titles in takers.items():
        named = [f"“{name}”" for name in coded[:MOST_NAMED]]
        if len(coded) > MOST_NAMED:
            named.append(f"{len(coded) - MOST_NAMED} more columns")
        takes = "takes" if len(titles) == 1 else "take"
        said.append(f"{in_words(titles)} {takes} the codes 0, 1, … of {in_words(named)} for numbers.")
    return " ".join(said)


def made_comparable(configs: Iterable[RunConfig], prepared: PreparedData) -> str:
    """Say what methods of distances make of columns of several kinds; empty if no method makes anything of them.

    Parameters
    ----------
    configs, prepared
        As for :func:`codes_in_words`.
    """
    takers: dict[str, list[str]] = {}
    for name in dict.fromkeys(config.algorithm for config in configs):
        own = None if ALGORITHMS[name].uses_model else for_distances(prepared, name)
        if own is not None and own.choice.mixed:
            takers.setdefault(coded_in_words(own.dataset, own.choice.mixed), []).append(ALGORITHMS[name].title)
    return " ".join(f"{in_words(titles)}: {what}." for what, titles in takers.items())


def said_of_codes(configs: Iterable[RunConfig], prepared: PreparedData) -> str:
    """Say what each method makes of columns that have no distances, and which of them takes codes for numbers."""
    both = list(configs)
    return " ".join(filter(None, (made_comparable(both, prepared), codes_in_words(both, prepared))))


def _coded(dataset: Dataset) -> tuple[str, ...]:
    """Return the columns whose codes stand for something else than themselves."""
    return tuple(
        name
        for name, kind, names in zip(dataset.feature_names, dataset.kinds, dataset.category_names, strict=True)
        if kind == "categorical" and len(names) > 2 and list(names) != [str(code) for code in range(len(names))]
    )
