"""Numbers of clusters under three restaurants on the same data (Lu, Li & Dunson 2018, Sec. 3, Figs. 4 and 6).

The Chinese restaurant (CRP), the same with the N0 for which N0 ln N is the true number of clusters (CRP-Oracle), and
the powered one (pCRP), each by one Gibbs chain under the same family, length and seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.analysis.posterior import LawOfClusters, law_of_n_clusters
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import check_data
from dpviz.engine.trace import Trace
from dpviz.errors import require
from dpviz.fit.run import run
from dpviz.partition import ChineseRestaurant, PartitionPrior, PoweredChineseRestaurant
from dpviz.partition.base import whole_number

CRP, ORACLE, POWERED = "CRP", "CRP-Oracle", "pCRP"


def rival_priors(
    n_points: int, n_true: int, concentration: float = 1.0, power: float = 1.1
) -> dict[str, PartitionPrior]:
    """Return the three priors by the names of the paper.

    Parameters
    ----------
    n_points : int
        N ≥ 2.
    n_true : int
        The true number of clusters, ≥ 1: CRP-Oracle has N0 = n_true / ln N.
    concentration : float
        N0 of CRP and α of pCRP.
    power : float
        r of pCRP.

    Raises
    ------
    InvalidParameterError
    """
    require(isinstance(n_points, int | np.integer) and n_points >= 2, "n_points", n_points, "a whole number ≥ 2")
    n_true = whole_number("n_true", n_true)
    return {
        CRP: ChineseRestaurant(concentration),
        ORACLE: ChineseRestaurant(float(n_true / np.log(n_points))),
        POWERED: PoweredChineseRestaurant(concentration, power),
    }


@dataclass(frozen=True, eq=False)
class OverClustering:
    """Chains of rival priors on the same N points.

    Attributes
    ----------
    n_points, n_true : int
    traces : dict of str to Trace
        By the name of the prior.
    """

    n_points: int
    n_true: int
    traces: Mapping[str, Trace]

    def laws(self) -> dict[str, LawOfClusters]:
        """Posterior law of K under each prior, from all sweeps after the burn-in."""
        return {name: law_of_n_clusters(t.n_clusters[1:], t.config.burn_in) for name, t in self.traces.items()}


def over_clustering(
    X: Any, n_true: int, base: RunConfig | None = None, concentration: float = 1.0, power: float = 1.1
) -> OverClustering:
    """Run one chain under each of the three priors.

    Parameters
    ----------
    X : array_like (N, D)
        For the posterior of K at two N, as in Fig. 6, call this once with some of the rows and once with all.
    n_true : int
        The true number of clusters.
    base : RunConfig, optional
        Common settings of the chains: gibbs; its partition prior is replaced and it must learn nothing. By default
        ``RunConfig("gibbs")``. The paper has 20,000 sweeps, half of them burn-in, and keeps every fifth.
    concentration, power : float
        As for :func:`rival_priors`; the paper has 1 and chooses r by cross-validation.

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """
    base = RunConfig("gibbs") if base is None else base
    require(ALGORITHMS[base.algorithm].is_chain, "algorithm", base.algorithm, "one that draws a chain, such as gibbs")
    data = check_data(X, gaps=True)
    priors = rival_priors(len(data), n_true, concentration, power)
    first = run(data, replace(base, hyperpriors=None, partition=priors[CRP]))
    model = {"family": first.config.family, "prior": first.config.prior}  # all use what the data chose for the first
    traces = {CRP: first}
    for name in (ORACLE, POWERED):
        traces[name] = run(data, replace(first.config, partition=priors[name], **model))
    return OverClustering(len(data), int(n_true), traces)
