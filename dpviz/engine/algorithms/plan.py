"""What the runs of an algorithm do under a configuration, and how much work they are."""

from __future__ import annotations

from typing import Any, cast

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.description import REGISTERED, Description
from dpviz.errors import InvalidParameterError
from dpviz.words import say_name


class Plan(Description):
    """The part of an algorithm's specification that depends on the configuration alone."""

    @property
    def has_bic(self) -> bool:
        """Whether its number of clusters can be chosen by an information criterion."""
        return bool(self.cluster_count) and type(self).bic is not Plan.bic

    def n_sweeps(self, config: RunConfig) -> int:
        """Return the most sweeps of a start."""
        return config.max_sweeps or 0

    def keeps_labels(self, config: RunConfig, sweep: int) -> bool:
        """Whether a sweep's labels are recorded."""
        return True

    def n_recorded(self, config: RunConfig) -> int:
        """Return the most sweeps whose labels are recorded, without the initial state."""
        return self.n_sweeps(config)

    def can_go_on(self, config: RunConfig) -> bool:
        """Whether further sweeps depend only on clusters and random numbers, so that a run can be resumed."""
        return False

    def improves(self, config: RunConfig) -> bool:
        """Whether a search by changes of whole clusters follows the restarts."""
        return False

    def check_problem(self, problem: Any) -> None:  # noqa: B027
        """Raise if data and configuration do not fit together."""

    def expected_clusters(self, config: RunConfig, n_points: int) -> float:
        """Estimate the number of clusters that a point is compared with, from the configuration."""
        return float(max(config.option(self.cluster_count), 3)) if self.cluster_count else 6.0

    def clusters_on(self, config: RunConfig, X: FloatArray) -> float:
        """Estimate the number of clusters that a point of X (N, D) is compared with, from a quick look at the data."""
        return self.expected_clusters(config, len(X))

    def expected_sweeps(self, config: RunConfig) -> float:
        """Estimate the sweeps of a run, all starts together; errs on the high side."""
        return float(min(self.n_sweeps(config), 25) * (config.n_init or 1))

    def sweep_operations(self, config: RunConfig, n_points: int, n_features: int, n_clusters: float) -> float:
        """Estimate the arithmetic operations of a sweep that compares every point with K clusters."""
        return float(n_points * n_features * n_clusters * 8)

    def operations(self, config: RunConfig, n_points: int, n_features: int) -> float:
        """Estimate the arithmetic operations of a whole run."""
        n_clusters = self.expected_clusters(config, n_points)
        return self.sweep_operations(config, n_points, n_features, n_clusters) * self.expected_sweeps(config)

    def why_no_slow_motion(self, config: RunConfig) -> str:
        """Say why sweeps cannot be replayed visit by visit, as a sentence; empty if they can."""
        return f"{self.title} updates all points together; there are no single visits to replay."

    def bic(self, config: RunConfig, sizes: IntArray, objective: float, n_features: int) -> float:
        """Bayesian information criterion of a result; lower is better, NaN where it is undefined.

        Raises
        ------
        InvalidParameterError
            If the algorithm has no number of clusters to choose.
        """
        raise InvalidParameterError(f"algorithm = {self.name!r} has no number of clusters to choose by BIC.")

    def describe(self, config: RunConfig) -> str:
        """Name the main parameters with their values, e.g. ``K = 3``."""
        own = {option.name: option for option in self.options}
        shown = [(own[name], config.option(name)) for name in self.main if name in own]
        numbers = [
            (option.symbol or say_name(option.words), value) for option, value in shown if not isinstance(value, str)
        ]
        return ", ".join(f"{symbol} = {value:.4g}" for symbol, value in numbers)


PLANS = cast("dict[str, Plan]", REGISTERED)
"""Every algorithm by its ``name``."""
