"""MAP-DP: every point moves to its most probable cluster, or opens a new one (2016 Alg. 3; 2014 Alg. 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import register
from dpviz.engine.algorithms.partition_sampling import COLLAPSED_STARTS, PartitionAlgorithm
from dpviz.engine.improve import expected_operations
from dpviz.engine.imputation import completed
from dpviz.engine.initialise import MOST_POINTS, SAMPLE
from dpviz.engine.options import EFFORT, FIRST_SWEEP, INIT_CLUSTERS, MAX_SWEEPS, N_INIT, ORDER, SEED, TEMPERATURE
from dpviz.engine.predict import PartitionFit
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.engine.transforms import partition_fit
from dpviz.families import family_class


@register
class MapDP(PartitionAlgorithm):
    """Iterated conditional modes of the collapsed mixture."""

    name = "mapdp"
    title = "MAP-DP"
    explanation = (
        "Moves each point to its most probable cluster, or a new one. Finds K itself, stops when nothing moves."
    )
    options = (INIT_CLUSTERS, FIRST_SWEEP, ORDER, N_INIT, MAX_SWEEPS, TEMPERATURE, EFFORT, SEED)
    starts = COLLAPSED_STARTS
    defaults = MappingProxyType(
        {"init": "auto", "n_init": 10, "max_sweeps": 200, "order": "permuted", "temperature": 0.0}
    )
    costs_in_words = (
        "Fits its shape badly: −ln f, the more the rarer a point here is in the cluster. Has few points: −ln weight. "
        "Both are told above their lowest. The smallest total wins."
    )

    def applies(self, option: str, chosen: Mapping[str, Any]) -> bool:
        """Whether an option has any effect; effort has one only with automatic starts at temperature 0."""
        if option == "effort":
            return chosen.get("init", "auto") == "auto" and not chosen.get("temperature")
        return super().applies(option, chosen)

    def improves(self, config: RunConfig) -> bool:
        """Whether a search by changes of whole clusters follows: it does after automatic starts."""
        return config.init == "auto" and config.effort > 0 and not config.temperature

    def operations(self, config: RunConfig, n_points: int, n_features: int) -> float:
        """Count the sweeps of the starts, and the operations of the search after them."""
        starts = super().operations(config, n_points, n_features)
        if not self.improves(config):
            return starts
        if n_points > MOST_POINTS:  # one start on all points after a search of a sample
            starts = super().operations(replace(config, n_init=1), n_points, n_features)
            starts += self.operations(config, SAMPLE, n_features)
        each = family_class(config.family).operations(self.scored(config, n_features))
        return starts + expected_operations(n_points, each, config.effort)

    def fitted(self, problem: Problem, trace: Trace) -> PartitionFit:
        """Return the predictive under the partition found (2016 App. E)."""
        labels = trace.result_labels
        return partition_fit(completed(problem, trace, trace.result_row), labels, labels[None, :])

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return the sequential start, and automatic starts with a search after them."""
        return {"init": "sequential", "n_init": 2, "max_sweeps": 2}, {"n_init": 5, "max_sweeps": 9, "effort": 2e-4}
