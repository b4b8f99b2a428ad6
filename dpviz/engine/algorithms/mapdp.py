"""MAP-DP: every point moves to its most probable cluster, or opens a new one (2016 Alg. 3; 2014 Alg. 2)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import register
from dpviz.engine.algorithms.partition_sampling import COLLAPSED_STARTS, PartitionAlgorithm
from dpviz.engine.improve import improvement_budget
from dpviz.engine.options import INIT_CLUSTERS, MAX_SWEEPS, N_INIT, ORDER, SEED, TEMPERATURE
from dpviz.engine.predict import PartitionFit
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace


@register
class MapDP(PartitionAlgorithm):
    """Iterated conditional modes of the collapsed mixture."""

    name = "mapdp"
    title = "MAP-DP"
    explanation = (
        "Moves each point to its most probable cluster, or a new one. Finds K itself, stops when nothing moves."
    )
    options = (INIT_CLUSTERS, ORDER, N_INIT, MAX_SWEEPS, TEMPERATURE, SEED)
    starts = COLLAPSED_STARTS
    defaults = MappingProxyType(
        {"init": "auto", "n_init": 10, "max_sweeps": 200, "order": "permuted", "temperature": 0.0}
    )
    costs_in_words = (
        "Geometry: how badly the point fits the cluster's shape. Density: how few points the cluster has. The smallest "
        "total wins."
    )

    def improves(self, config: RunConfig, n_starts: int) -> bool:
        """Whether splits and merges follow: they do after several automatic starts."""
        return config.init == "auto" and n_starts > 1 and not config.temperature

    def operations(self, config: RunConfig, n_points: int, n_features: int) -> float:
        """Count the sweeps of the starts, and half of those that splits and merges may take."""
        starts = super().operations(config, n_points, n_features)
        if not self.improves(config, config.n_init or 1):
            return starts
        n_sweeps = int(self.expected_sweeps(config))
        budget = improvement_budget(n_points, self.expected_clusters(config, n_points), n_sweeps)
        return starts * (1 + budget // 2 / n_sweeps)

    def fitted(self, problem: Problem, trace: Trace) -> PartitionFit:
        """Return the predictive under the partition found (2016 App. E)."""
        labels = trace.result_labels
        return PartitionFit(problem, labels, labels[None, :])

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return the sequential start, and automatic starts with splits and merges."""
        return {"init": "sequential", "n_init": 2, "max_sweeps": 2}, {"n_init": 5, "max_sweeps": 4}
