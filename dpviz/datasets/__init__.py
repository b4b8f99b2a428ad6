"""Data to cluster: bundled tables, synthetic scenarios, points drawn by hand, and views of them."""

from __future__ import annotations

from dpviz.datasets.catalog import CatalogEntry, entries, load, names
from dpviz.datasets.dataset import KINDS, Dataset
from dpviz.datasets.indicators import Indicators, one_hot
from dpviz.datasets.scenario import Scenario, ScenarioParameter
from dpviz.datasets.synth import SCENARIOS, from_points, synthesize
from dpviz.datasets.views import (
    Display,
    DotStack,
    PrincipalComponents,
    Scaled,
    display_coordinates,
    dot_stack,
    fill,
    pca,
    scale,
)

__all__ = [
    "KINDS",
    "SCENARIOS",
    "CatalogEntry",
    "Dataset",
    "Display",
    "DotStack",
    "Indicators",
    "PrincipalComponents",
    "Scaled",
    "Scenario",
    "ScenarioParameter",
    "display_coordinates",
    "dot_stack",
    "entries",
    "fill",
    "from_points",
    "load",
    "names",
    "one_hot",
    "pca",
    "scale",
    "synthesize",
]
