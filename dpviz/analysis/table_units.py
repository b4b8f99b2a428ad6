"""Costs and densities of scaled numbers in the units of the table: the one place where results are converted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.analysis.coarsening import Level
from dpviz.analysis.evaluation import Cell
from dpviz.analysis.hyperparameters import SearchStep
from dpviz.analysis.model_table import Model
from dpviz.analysis.recommendation import Candidate, SeedCheck
from dpviz.analysis.search import LocalOptima, Restart
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.datasets.preparation import Preparation
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.trace import Trace


@dataclass(frozen=True, eq=False)
class TableUnits:
    """From results of prepared numbers to those of the table's own columns.

    A density of a column that was divided by s is s times that of the column, so that costs differ by N Σ ln s. For
    principal components and indicators, which have units of their own, nothing changes.

    Attributes
    ----------
    X : ndarray (N, C)
        The numbers that are clustered.
    preparation : Preparation
        How they were made.
    """

    X: FloatArray
    preparation: Preparation

    def scaling_nats(self, config: RunConfig) -> float:
        """Return by how much nll (nats) is higher in units of the table, of an algorithm that has densities."""
        if not ALGORITHMS[config.algorithm].has_density:
            return 0.0
        has_model = config.uses_model
        X = np.zeros_like(self.X) if has_model and config.fills_in else self.X  # filled cells have units, too
        weight = 1.0
        if has_model and config.coarsening is not None:  # what each point counts in the likelihood
            weight = config.coarsening / (config.coarsening + len(X))
        return weight * self._volume(X)

    def _volume(self, X: FloatArray) -> float:
        return -float(self.preparation.log_volume(X).sum()) + 0.0

    def trace(self, trace: Trace) -> Trace:
        """Return a run with its costs in units of the table."""
        return trace.in_units(self.scaling_nats(trace.config))

    def result(self, found: Any, config: RunConfig) -> Any:
        """Return a result with its costs, and the densities of points left out, in units of the table.

        Parameters
        ----------
        found : Trace, Cell, Candidate, SeedCheck, Restart, LocalOptima, SearchStep, Model or Level
            Of anything else nothing changes.
        config : RunConfig
            The one that it is of, if it does not say so itself.
        """
        per_row = self._volume(self.X) / len(self.X)  # of each row as it is
        match found:
            case Trace():
                return self.trace(found)
            case Candidate():
                return replace(found, cell=self.result(found.cell, config))
            case Level():
                return replace(found, fit=found.fit - per_row)
            case Cell():
                more = self.scaling_nats(found.config)
                nll, objective, held_out = found.nll + more, found.objective + more, found.held_out - per_row
                return replace(found, nll=nll, objective=objective, held_out=held_out)
            case Model():
                more = self.scaling_nats(found.config)
                return found._replace(nll=found.nll + more, held_out=found.held_out - per_row)
            case SearchStep():
                return replace(found, nll=found.nll + self.scaling_nats(found.config))
            case SeedCheck() | Restart():
                return replace(found, nll=found.nll + self.scaling_nats(config))
            case LocalOptima():
                return replace(found, nll=found.nll + self.scaling_nats(config))
        return found
