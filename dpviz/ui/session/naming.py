"""Names of runs and data on the pages."""

from __future__ import annotations

import hashlib

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS
from dpviz.ui.session.chosen_data import DataChoice


def method_title(name: str) -> str:
    """Name a method for people."""
    return METHODS[name].title


def main_parameters(config: RunConfig) -> str:
    """Name the parameters that distinguish a run, with their symbols."""
    return ALGORITHMS[config.algorithm].describe(config)


def data_key(choice: DataChoice) -> str:
    """Short name of the clustered numbers: controls whose scale depends on them are kept per data set."""
    parts = (choice.source, choice.name, choice.scaling, choice.n_components, choice.whiten)
    parts += (choice.gaps,) if choice.gaps else ()  # type: ignore[assignment]
    parts += ("fill",) if choice.fill else ()  # type: ignore[assignment]
    parts += ("directions", choice.directions) if choice.directions else ()
    parts += ("transform", choice.transform) if choice.transform else ()
    return hashlib.blake2b(repr(parts).encode(), digest_size=4).hexdigest()
