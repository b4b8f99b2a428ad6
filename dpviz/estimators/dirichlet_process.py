"""MAP-DP and Gibbs sampling for Dirichlet process mixtures and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Start
from dpviz.estimators.base import TracedClusterer
from dpviz.families import ClusterSummary
from dpviz.families.base import FloatArray, IntArray
from dpviz.partition import PartitionPrior


class _PartitionClusterer(TracedClusterer):
    """A clusterer whose result is a partition with a posterior."""

    nll_: float
    starts_: tuple[Start, ...]

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster X (N, D); see :meth:`TracedClusterer.fit`."""
        super().fit(X, y)
        self._problem = Problem(self._fit_data, self.trace_.config)
        self.starts_ = self.trace_.starts
        self.nll_ = float(self.trace_.nll[self._chosen_sweep()])
        del self._fit_data
        return self

    def _predictive(self) -> PartitionPredictive:
        return PartitionPredictive(self._problem, self.labels_)

    def predict(self, X: Any) -> IntArray:
        """Most probable cluster (n,) of each row of X (n, D), −1 for a new one (2016 App. E, second way)."""
        data = self._validated(X, reset=False)
        scores = self._predictive().log_scores(data)
        best = np.argmax(scores, axis=1)
        return np.where(best == self.n_clusters_, -1, best)

    def score_samples(self, X: Any) -> FloatArray:
        """Log density (nats, n) of each row of X (n, D) under the mixture predictive (2016 App. E)."""
        data = self._validated(X, reset=False)
        return np.asarray(logsumexp(self._predictive().log_scores(data), axis=1))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of :meth:`score_samples`: the held-out log density per point (nats)."""
        return float(np.mean(self.score_samples(X)))

    def cluster_summaries(self) -> list[ClusterSummary]:
        """Posterior mean, covariance and predictive of every cluster, in the order of the labels."""
        X, family = self._problem.X, self._problem.family
        return [family.summarise(X[self.labels_ == k]) for k in range(self.n_clusters_)]


class MAPDP(_PartitionClusterer):
    """Maximum a posteriori clustering with a Dirichlet process mixture (2016 Alg. 3; 2014 Alg. 2).

    Parameters
    ----------
    family : str
        ``"normal_wishart"``, ``"normal_gamma"``, ``"spherical_normal"`` or ``"normal_known_covariance"``.
    partition : PartitionPrior, optional
        ``ChineseRestaurant(3.0)`` by default; any other partition prior works too.
    prior : dict, optional
        Hyperparameters of the family; empirical Bayes for those not given.
    init : str or array
        ``"auto"`` (several kinds of start, then splits and merges from the best), ``"single"``, ``"kmeans++"``,
        ``"sequential"``, ``"singletons"``, ``"random"``, or integer labels (N,).
    init_clusters : int, optional
        Clusters of the starts ``"kmeans++"`` and ``"random"``; the prior's E[K] by default.
    n_init : int
        Restarts; the lowest nll wins, all are listed in ``starts_``.
    max_sweeps : int
    order : {"index", "permuted", "shuffled"}
        Data order, one permutation per restart, or a new one each sweep.
    temperature : float, optional
        0 (the default) takes the mode.
    random_state : None, int, RandomState or Generator

    Attributes
    ----------
    labels_ : ndarray (N,) int64
    n_clusters_ : int
    nll_ : float
        −ln p(X, labels_) in nats.
    n_iter_ : int
    converged_ : bool
    starts_ : tuple of (init, n_clusters, nll, n_sweeps)
    trace_ : Trace
    """

    _algorithm = "mapdp"

    def __init__(
        self,
        family: str = "normal_wishart",
        partition: PartitionPrior | None = None,
        prior: Any = None,
        init: Any = "auto",
        init_clusters: int | None = None,
        n_init: int = 10,
        max_sweeps: int = 200,
        order: str = "permuted",
        temperature: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.family = family
        self.partition = partition
        self.prior = prior
        self.init = init
        self.init_clusters = init_clusters
        self.n_init = n_init
        self.max_sweeps = max_sweeps
        self.order = order
        self.temperature = temperature
        self.random_state = random_state


class GibbsDP(_PartitionClusterer):
    """Gibbs sampling of a Dirichlet process mixture (Neal 2000 Alg. 3; 2018 Alg. 1 with a powered restaurant).

    Parameters
    ----------
    family, partition, prior, init, init_clusters, n_init, order, temperature, random_state
        As for :class:`MAPDP`; ``temperature=None`` is 1, which samples the posterior.
    n_sweeps : int
        Length of the chain, burn-in included.
    burn_in : int
        Sweeps that are not kept as draws.
    thin : int
        One draw is kept every ``thin`` sweeps; the trace keeps labels for those sweeps only.
    sampler : {"collapsed", "explicit_parameters", "explicit_weights"}
        Everything integrated out; Neal 2000 Alg. 2; or the finite mixture with explicit weights.

    Attributes
    ----------
    samples_ : ndarray (S, N)
        Labels of the kept draws, S = (n_sweeps − burn_in) // thin.
    labels_ : ndarray (N,) int64
        The kept draw of lowest nll.
    n_clusters_ : int
    nll_ : float
        −ln p(X, labels_) in nats.
    n_iter_ : int
    converged_ : bool
        Always False: a chain does not end by itself.
    starts_ : tuple of (init, n_clusters, nll, n_sweeps)
    trace_ : Trace
    """

    _algorithm = "gibbs"

    def __init__(
        self,
        family: str = "normal_wishart",
        partition: PartitionPrior | None = None,
        prior: Any = None,
        init: Any = "auto",
        init_clusters: int | None = None,
        n_init: int = 1,
        n_sweeps: int = 600,
        burn_in: int = 100,
        thin: int = 1,
        sampler: str = "collapsed",
        order: str = "shuffled",
        temperature: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.family = family
        self.partition = partition
        self.prior = prior
        self.init = init
        self.init_clusters = init_clusters
        self.n_init = n_init
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.thin = thin
        self.sampler = sampler
        self.order = order
        self.temperature = temperature
        self.random_state = random_state

    @property
    def samples_(self) -> Any:
        """Labels (S, N) of the kept draws, in the smallest unsigned type that fits."""
        return self.trace_.labels[self.trace_.label_sweeps > self.burn_in]

    def _chosen_sweep(self) -> int:
        draws = self.trace_.label_sweeps[self.trace_.label_sweeps > self.burn_in]
        return int(draws[np.argmin(self.trace_.nll[draws])])

    def score_samples(self, X: Any) -> FloatArray:
        """Log of the mean density (nats, n) over the kept draws, for each row of X (n, D)."""
        data = self._validated(X, reset=False)
        total = np.full(len(data), -np.inf)
        samples = self.samples_
        for draw in samples:
            predictive = PartitionPredictive(self._problem, draw.astype(np.int64))
            total = np.logaddexp(total, logsumexp(predictive.log_scores(data), axis=1))
        return np.asarray(total - np.log(len(samples)))
