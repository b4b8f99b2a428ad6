"""Keys of the controls of a run."""

from __future__ import annotations

from typing import NamedTuple

from dpviz.engine.algorithms.base import Algorithm
from dpviz.engine.options import OPTIONS
from dpviz.parameters import Parameter


class Keys(NamedTuple):
    """Keys of the controls of one run.

    Attributes
    ----------
    prefix : str
        First part of all of them.
    data : str
        ``naming.data_key`` of the data, for controls whose meaning depends on these.
    """

    prefix: str
    data: str

    def own(self, name: str) -> str:
        """Name a control that is the same for all data."""
        return f"{self.prefix}.{name}"

    def of_data(self, name: str, *parts: str) -> str:
        """Name a control of these data."""
        return ".".join([self.prefix, name, self.data, *parts])

    def of_option(self, algorithm: Algorithm, option: Parameter) -> str:
        """Name the control of an option; one whose meaning depends on algorithm or data has one control for each."""
        if option.name not in OPTIONS:
            return self.own(f"{algorithm.name}.{option.name}")
        if option.name in algorithm.defaults:
            return self.own(f"{option.name}.{algorithm.name}")
        depends_on_data = option.number and not option.choices and option.explore is None
        return self.of_data(option.name) if depends_on_data else self.own(option.name)
