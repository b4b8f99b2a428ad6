"""MAP-DP and Gibbs sampling for Dirichlet process mixtures and their relatives."""

from __future__ import annotations

from typing import Any

from dpviz.engine.trace import Start
from dpviz.estimators.base import DensityClusterer
from dpviz.families.base import ClusterSummary
from dpviz.partition import PartitionPrior


class _PartitionClusterer(DensityClusterer):
    """A clusterer whose result is a partition with a posterior."""

    nll_: float
    starts_: tuple[Start, ...]

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster X (N, D); see :meth:`TracedClusterer.fit`."""
        super().fit(X, y)
        self.starts_ = self.trace_.starts
        self.nll_ = float(self.trace_.nll[self.trace_.result_sweep])
        return self

    def cluster_summaries(self) -> list[ClusterSummary]:
        """Posterior of every cluster, in the order of the labels; of Gaussians with mean, covariance and predictive."""
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
        return self.trace_.draws
