"""What is said where a method takes the codes of categories for numbers."""

from __future__ import annotations

from collections.abc import Iterable

from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.text import in_words

MOST_NAMED = 3


def codes_in_words(configs: Iterable[RunConfig], dataset: Dataset) -> str:
    """Say which methods take the codes 0, 1, … of which columns for lengths; empty if none does.

    Two categories have one distance, so that their codes mislead nobody.
    """
    methods = [ALGORITHMS[config.algorithm] for config in configs]
    titles = list(dict.fromkeys(method.title for method in methods if not method.uses_model))
    coded = [
        name
        for name, kind, names in zip(dataset.feature_names, dataset.kinds, dataset.category_names, strict=True)
        if kind == "categorical" and len(names) > 2 and list(names) != [str(code) for code in range(len(names))]
    ]
    if not titles or not coded:
        return ""
    named = [f"“{name}”" for name in coded[:MOST_NAMED]]
    if len(coded) > MOST_NAMED:
        named.append(f"{len(coded) - MOST_NAMED} more columns")
    takes = "takes" if len(titles) == 1 else "take"
    return f"{in_words(titles)} {takes} the codes 0, 1, … of {in_words(named)} for numbers."
