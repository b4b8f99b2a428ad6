"""What is said where the codes of categories are taken for numbers."""

from __future__ import annotations

from collections.abc import Iterable

from dpviz.config import RunConfig
from dpviz.datasets import Dataset
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
            title, coded = algorithm.title, _coded(for_distances(prepared).dataset)
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


def _coded(dataset: Dataset) -> tuple[str, ...]:
    """Return the columns whose codes stand for something else than themselves."""
    return tuple(
        name
        for name, kind, names in zip(dataset.feature_names, dataset.kinds, dataset.category_names, strict=True)
        if kind == "categorical" and len(names) > 2 and list(names) != [str(code) for code in range(len(names))]
    )
