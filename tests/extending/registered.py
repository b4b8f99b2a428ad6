"""What comes from outside, registered for as long as a test needs it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dpviz.ui.pages  # noqa: F401  (the app's own pages come first in the navigation)
from dpviz import families, partition
from dpviz.engine.algorithms import base as algorithms
from dpviz.families.verbs import SLOT_FIELDS
from dpviz.ui.shell import navigation

FOLDER = Path(__file__).parent
REGISTRIES: dict[str, dict[Any, Any]] = {
    "families": families.FAMILIES,
    "slot fields": SLOT_FIELDS,
    "partition priors": partition.PARTITION_PRIORS,
    "algorithms": algorithms.ALGORITHMS,
    "methods": algorithms.METHODS,
    "pages": navigation.PAGES,
}


def known() -> dict[str, list[Any]]:
    """Keys of every registry."""
    return {name: list(registry) for name, registry in REGISTRIES.items()}


@contextmanager
def imported() -> Iterator[None]:
    """Let modules of this folder be imported, and put every registry back; the modules stay, as kernels know them."""
    before = {name: dict(registry) for name, registry in REGISTRIES.items()}
    sys.path.insert(0, str(FOLDER))
    try:
        yield
    finally:
        sys.path.remove(str(FOLDER))
        for name, registry in REGISTRIES.items():
            registry.clear()
            registry.update(before[name])


@contextmanager
def registered() -> Iterator[SimpleNamespace]:
    """Register the toys for a while."""
    with imported():
        import toy_algorithm
        import toy_family
        import toy_page
        import toy_prior

        families.register(toy_family.ToyCounts)  # once more, since an import registers the first time only
        SLOT_FIELDS[toy_family.ToyState] = ("total", "log_factorials")
        partition.register(toy_prior.ToyPartitions)
        algorithms.register(toy_algorithm.ToyMedians)
        navigation.register(toy_page.PAGE)
        yield SimpleNamespace(
            Counts=toy_family.ToyCounts,
            Partitions=toy_prior.ToyPartitions,
            Medians=toy_algorithm.ToyMedians,
            KMedians=toy_algorithm.ToyKMedians,
            show_page=toy_page.show,
        )


@pytest.fixture
def toys() -> Iterator[SimpleNamespace]:
    """Classes from outside, while they are registered; nothing of them is left behind."""
    before = known()
    with registered() as found:
        yield found
    assert known() == before


@pytest.fixture
def others() -> Iterator[SimpleNamespace]:
    """Further classes from outside: a gamma family of known shape, Gnedin's prior and K-medoids."""
    before = known()
    with imported():
        import gnedin
        import k_medoids
        import known_shape

        families.register(known_shape.KnownShape)
        SLOT_FIELDS[known_shape.KnownShapeState] = ("total", "logarithms")
        partition.register(gnedin.Gnedin)
        algorithms.register(k_medoids.KMedoids)
        yield SimpleNamespace(Durations=known_shape.KnownShape, Gnedin=gnedin.Gnedin, KMedoids=k_medoids.KMedoids)
    assert known() == before
