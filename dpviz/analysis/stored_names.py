"""Numbers and names that a page gave to clusters, in the run stored there: whatever tells of the run uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from dpviz.analysis.stored_extras import added, carried
from dpviz.arrays import IntArray
from dpviz.errors import TraceFormatError

KEY, HIGHEST, LONGEST = "shown", 1_000_000, 1_000


@dataclass(frozen=True)
class ShownAs:
    """How clusters were shown.

    Attributes
    ----------
    numbers : mapping of int to int
        By the labels of the run's result, from 1; clusters that are joined share one.
    names : mapping of int to str
        Those that the user gave, by number.
    """

    numbers: Mapping[int, int]
    names: Mapping[int, str] = field(default_factory=dict)

    def numbers_at(self, labels: IntArray) -> IntArray:
        """Return the number of the cluster of each label (n,) of the result."""
        return np.array([self.numbers[label] for label in labels.tolist()], dtype=np.int64)

    def added_to(self, run: str) -> str:
        """Add it to a run's JSON."""
        names = {str(number): name for number, name in self.names.items()}
        return added(run, KEY, {"numbers": [self.numbers[label] for label in sorted(self.numbers)], "names": names})


def names_of(numbers: Sequence[int], names: Mapping[int, str]) -> list[str]:
    """Name clusters as their owner did, with the number where several have the same name, or by their numbers."""
    given = [names.get(number) for number in numbers]
    return [
        f"cluster {number}" if own is None else f"{own} ({number})" if given.count(own) > 1 else own
        for number, own in zip(numbers, given, strict=True)
    ]


def stored_names(run: str, labels: IntArray, clusters: IntArray | None = None) -> ShownAs | None:
    """Return how the clusters of a stored run were shown; None if it does not say.

    Parameters
    ----------
    run : str
        The run's JSON, which is untrusted.
    labels : (N,) array of int
        The clusters of its result.
    clusters : (N,) array of int, optional
        What these were joined to.

    Raises
    ------
    TraceFormatError
        If there is not one number for each cluster, other than those of all others, or a name is no text.
    """
    found = carried(run, KEY)
    if found is None:
        return None
    own = np.unique(labels).tolist()
    numbers, names = (found.get("numbers"), found.get("names", {})) if isinstance(found, dict) else (None, None)
    if _are_numbers(numbers, len(own)) and _are_names(names):
        shown = ShownAs(dict(zip(own, numbers, strict=True)), {int(number): name for number, name in names.items()})
        if _one_for_each(shown.numbers_at(labels), labels if clusters is None else clusters):
            return shown
    raise TraceFormatError("this stored run is damaged: numbers and names of its clusters make no sense.")


def _one_for_each(numbers: IntArray, clusters: IntArray) -> bool:
    pairs = len(np.unique([numbers, clusters], axis=1).T)
    return pairs == len(np.unique(numbers)) == len(np.unique(clusters))


def _are_numbers(numbers: Any, n_clusters: int) -> TypeGuard[list[int]]:
    whole = isinstance(numbers, list) and all(type(number) is int and 0 < number <= HIGHEST for number in numbers)
    return whole and len(numbers) == n_clusters


def _are_names(names: Any) -> TypeGuard[dict[str, str]]:
    return isinstance(names, dict) and all(
        number.isascii()
        and number.isdigit()
        and len(number) <= len(str(HIGHEST))
        and isinstance(name, str)
        and len(name) <= LONGEST
        for number, name in names.items()
    )
