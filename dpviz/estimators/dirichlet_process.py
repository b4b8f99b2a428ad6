"""MAP-DP and Gibbs sampling for Dirichlet process mixtures and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.options import FIRST_SWEEP
from dpviz.engine.predict import PartitionFit
from dpviz.engine.record import Start
from dpviz.errors import InvalidParameterError
from dpviz.estimators.base import DensityClusterer
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.families.base import ClusterSummary
from dpviz.families.gaussian.base import ClusterSummary as GaussianSummary
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.partition import ChineseRestaurant, PartitionPrior
from dpviz.text import quoted


class _NoMethod:
    """A parameter that only ``get_params`` shows: scikit-learn takes whatever has a ``transform`` for a transformer."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, instance: object, value: Any) -> None:
        vars(instance)[self._name] = value

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} has no method {self._name}; get_params() has the parameter.")


class _PartitionClusterer(DensityClusterer):
    """A clusterer whose result is a partition with a posterior."""

    _shortcuts = ("concentration",)
    transform = _NoMethod()

    nll_: float
    starts_: tuple[Start, ...]
    partition: PartitionPrior | str | None
    concentration: float | None

    def _config(self, **changes: Any) -> RunConfig:
        """Build the configuration; a concentration by itself is that of a Chinese restaurant."""
        if self.concentration is None:
            return super()._config(**changes)
        if not (self.partition is None or isinstance(self.partition, str) and self.partition == AUTOMATIC):
            raise InvalidParameterError(
                f"concentration = {quoted(self.concentration)} and partition = {quoted(self.partition)} are both "
                "given; give one: concentration=N0 stands for partition=ChineseRestaurant(N0)."
            )
        return super()._config(**changes, partition=ChineseRestaurant(self.concentration))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; none of them has parameters of its own."""
        return {name: vars(self)[name] for name in self._get_param_names()}

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster X (N, D); see :meth:`TracedClusterer.fit`."""
        super().fit(X, y)
        self.starts_ = self.trace_.starts
        self.nll_ = float(self.trace_.nll[self.trace_.result_sweep])
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of every cluster of ``labels_`` for new points, and of a new cluster (2016 App. E).

        Parameters
        ----------
        X : array_like (n, D)

        Returns
        -------
        ndarray (n, K + 1)
            Columns 0 … K − 1 are the clusters in the order of the labels, the last is a new one; rows sum to 1.
        """
        data = self._validated(X, reset=False)
        return self._partition_fit.probabilities(data)

    @property
    def _partition_fit(self) -> PartitionFit:
        assert isinstance(self._fitted, PartitionFit)
        return self._fitted

    @property
    def weights_(self) -> FloatArray:
        """Probability (K,) of each cluster for one more point before it is seen; the rest, to 1, is a new one's."""
        check_is_fitted(self)
        return self._partition_fit.weights()

    @property
    def means_(self) -> FloatArray:
        """Posterior mean (K, D) of each cluster's location; Gaussian families only, AttributeError otherwise.

        Of transformed columns it is taken back, and so their median, under a logarithm the geometric mean.
        Cells may be missing: see :meth:`cluster_summaries`.
        """
        return np.array([summary.mean for summary in self._gaussian_summaries("means_")])

    @property
    def covariances_(self) -> FloatArray:
        """Posterior mean (K, D, D) of each cluster's covariance; Gaussian families only, AttributeError otherwise.

        Of transformed columns that at the median, to first order. NaN where it has none: under a0 and data of too few
        degrees of freedom. Cells may be missing, see :meth:`cluster_summaries`.
        """
        return np.array([summary.covariance for summary in self._gaussian_summaries("covariances_")])

    def _gaussian_summaries(self, asked_for: str) -> list[GaussianSummary]:
        check_is_fitted(self)
        if not isinstance(self._problem.family, GaussianFamily):
            raise AttributeError(f"{asked_for} exists for Gaussian families; family = {self.trace_.config.family!r}.")
        return [summary for summary in self.cluster_summaries() if isinstance(summary, GaussianSummary)]

    def cluster_summaries(self) -> list[ClusterSummary]:
        """Posterior of every cluster, in the order of the labels; of Gaussians with mean, covariance and predictive.

        Missing cells are left out, or count with the values that the run filled in (of GibbsDP, those of the kept draw
        that ``labels_`` is). Where they are left out, Gaussian clusters have no ``predictive``: it is a Student t of
        every column by itself, with degrees of freedom of its own.
        """
        check_is_fitted(self)
        return self._partition_fit.summaries()


class MAPDP(_PartitionClusterer):
    """Maximum a posteriori clustering with a Dirichlet process mixture (2016 Alg. 3; 2014 Alg. 2).

    Parameters
    ----------
    family : str
        ``"auto"``, the default, is the family of the columns' ``kinds``: ``"normal_wishart"`` or ``"normal_gamma"`` for
        real ones, whichever reaches the lower nll in short runs (:func:`~dpviz.fit.automatic.resolve`), ``"poisson"``
        or ``"negative_binomial"`` for counts alone, likewise;
        ``trace_.config`` holds what was chosen. Or a key of ``dpviz.FAMILIES``: ``"normal_wishart"``,
        ``"normal_gamma"``, ``"spherical_normal"`` or ``"normal_known_covariance"`` for real numbers, ``"exponential"``
        for durations, ``"poisson"``, ``"geometric"`` or ``"negative_binomial"`` for counts, ``"multinomial"`` for parts
        of a total, ``"counted_multinomial"`` for these and the total, ``"binomial"`` for binary and ordinal columns,
        ``"categorical"`` for codes, ``"hurdle"`` for zeros and positive values, ``"share"`` for shares that may be 0 or
        the whole, ``"circular"`` for hours and angles, ``"mixed"`` for columns of several kinds.
    partition : PartitionPrior or "auto", optional
        ``"auto"``, the default, is :data:`~dpviz.partition.automatic.AUTOMATIC_PARTITION`, which opens clusters less
        readily than ``ChineseRestaurant(3.0)``, for which None stands. Any partition prior works.
    concentration : float, optional
        N0 > 0, short for ``partition=ChineseRestaurant(N0)``; parameter searches can vary it by this name;
        not together with ``partition``.
    prior : dict, "auto", "shape" or None
        ``"auto"``, the default, chooses how wide a cluster is, by the nll of short runs; a family without a width keeps
        its usual prior. ``{"width": s}`` expects clusters of s times the usual variance, 0 < s ≤ 8. A dict of
        hyperparameters has empirical Bayes for those not given, and its keys decide between families. None is empirical
        Bayes for all. ``"shape"`` learns from clusters found what covariance to expect within further ones, and how
        alike they are: E[Σ] = W, Ψ0 = (a0 − D − 1) W with W the pooled covariance within them, if rows held out are
        then more probable than under a width (:mod:`dpviz.fit.shape`). It takes about three times as long;
        ``notes_`` says what was taken and by how much, and ``trace_.config`` holds the numbers. Only for real columns.
    kinds : sequence of str, optional
        What the columns hold, for ``family="auto"`` and ``"mixed"``; real by default, see :class:`~dpviz.RunConfig`. A
        DataFrame says it by its dtypes: floats are real, booleans binary, text and categories categorical (ordered ones
        ordinal), and whole numbers are read as in tables, mostly as counts. ``kinds`` take precedence.
    missing : {"auto", "marginalise", "impute"}
        Treatment of missing cells (NaN): they are left out, or filled in; see :class:`~dpviz.RunConfig`. Those
        of points to predict are always left out.
    init : str or array
        ``"auto"`` (several kinds of start, then a search by changes of whole clusters), ``"single"``, ``"kmeans++"``,
        ``"sequential"``, ``"singletons"``, ``"random"``, or integer labels (N,).
    init_clusters : int, optional
        Clusters of the starts ``"kmeans++"`` and ``"random"``; the prior's E[K] by default.
    first_sweep : {"one_point", "all_points"}
        Weight of the one cluster of a ``"single"`` start in its first sweep: that of a single point, so that points
        leave it (2016 App. B: N_1 is 1 in eq. 13), or that of its points.
    n_init : int
        Starts; the lowest nll wins, all are listed in ``starts_``. The search after automatic ones is not counted.
    effort : float
        Length of that search, as a factor on the usual; 0 leaves it out.
    max_sweeps : int
    order : {"index", "permuted", "shuffled"}
        Data order, one permutation per restart, or a new one each sweep.
    temperature : float, optional
        0 (the default) takes the mode. At T > 0 points choose with probability ∝ p^(1/T), and the state of lowest nll
        is returned, not the last.
    directions : int, "auto" or "any", optional
        Clusters in the first q principal directions of the standardised columns, and one Gaussian for all others, for
        groups that few combinations of many real columns tell apart; see :class:`~dpviz.RunConfig`. ``"auto"`` is
        parallel analysis where clusters of the columns are not apart and the directions show some, and ``notes_`` say
        what it left out. ``"any"``, the default, is the same where ``family`` and ``prior`` are automatic. None are the
        columns.
    coarsening : float, optional
        α, in points: the likelihood of each point to the power α/(α + N), so that small departures from the model's
        shapes make no clusters of their own (Miller & Dunson 2019). None, the default, is the likelihood itself. Scores
        of new points are densities of whole points; ``nll_`` is not comparable between values of α.
    transform : "auto", "log", "power", "logratio" or sequence of float or str, optional
        Powers of real columns that are > 0, for skewed ones (Box & Cox 1964). ``"auto"``, the default, transforms those
        that lower nll in short runs, if any does: none where hyperparameters are given as numbers, which are in units
        of the columns. ``"log"`` are logarithms of all, ``"power"`` powers found by likelihood; or one λ per column, 0
        for its logarithm and 1 for the column as it is; ``"logratio"`` are log-ratios of shares that add up; see
        :class:`~dpviz.RunConfig`. ``trace_.config.transform`` holds what was found. ``nll_`` and
        densities stay those of X itself, so that they tell which is better. ``means_`` are medians of transformed
        columns, under a logarithm geometric means. None is X itself.
    random_state : None, int, RandomState or Generator

    Attributes
    ----------
    labels_ : ndarray (N,) int64
    n_clusters_ : int
    nll_ : float
        −ln p(X, labels_) in nats.
    n_iter_ : int
    converged_ : bool
        Whether the run ended in a local optimum, where no single point would move.
    search_exhausted_ : bool
        Whether the search spent its budget before its walks agreed; more ``effort`` may then find a lower nll.
    starts_ : tuple of (init, n_clusters, nll, n_sweeps)
    weights_ : ndarray (K,)
        Probability of each cluster for one more point before it is seen; the rest, to 1, is a new cluster's.
    means_, covariances_ : ndarray (K, D) and (K, D, D)
        Posterior means of the clusters' locations and covariances, of Gaussian families.
    notes_ : tuple of str
        Sentences on columns that may have been read wrongly or that rule out narrower clusters, and on clusters of
        single points or more of them than the points support; ``show()`` has them below the run.
    trace_ : Trace
    """

    _algorithm = "mapdp"

    def __init__(
        self,
        family: str = AUTOMATIC,
        partition: PartitionPrior | str | None = AUTOMATIC,
        concentration: float | None = None,
        prior: Any = AUTOMATIC,
        kinds: Any = None,
        missing: str = "auto",
        init: Any = "auto",
        init_clusters: int | None = None,
        first_sweep: str = FIRST_SWEEP.default,
        n_init: int = 10,
        effort: float = 1.0,
        max_sweeps: int = 200,
        order: str = "permuted",
        temperature: float | None = None,
        directions: int | str | None = ANY,
        coarsening: float | None = None,
        transform: Any = AUTOMATIC,
        random_state: Any = None,
    ) -> None:
        self.family = family
        self.partition = partition
        self.concentration = concentration
        self.prior = prior
        self.kinds = kinds
        self.missing = missing
        self.init = init
        self.init_clusters = init_clusters
        self.first_sweep = first_sweep
        self.n_init = n_init
        self.effort = effort
        self.max_sweeps = max_sweeps
        self.order = order
        self.temperature = temperature
        self.directions = directions
        self.coarsening = coarsening
        self.transform = transform
        self.random_state = random_state

    @property
    def search_exhausted_(self) -> bool:
        """Whether the search spent its budget before its walks agreed."""
        check_is_fitted(self)
        return self.trace_.search_exhausted


class GibbsDP(_PartitionClusterer):
    """Gibbs sampling of a Dirichlet process mixture (Neal 2000 Alg. 3; 2018 Alg. 1 with a powered restaurant).

    Parameters
    ----------
    family, partition, concentration, prior, kinds, init, init_clusters, first_sweep, n_init, order, temperature, \
    directions, coarsening, transform, random_state
        As for :class:`MAPDP`; ``temperature=None`` is 1, which samples the posterior. At T the chain targets the law
        ∝ p(z, X)^(1/T) over partitions z. With ``n_init`` > 1 the chain whose best kept draw has the lowest nll is
        taken, and ``samples_`` are its draws: leave it at 1 for draws from the posterior.
    n_sweeps : int
        Length of the chain, burn-in included.
    burn_in : int
        Sweeps that are not kept as draws.
    thin : int
        One draw is kept every ``thin`` sweeps; the trace keeps labels for those sweeps only.
    sampler : {"collapsed", "explicit_parameters", "explicit_weights"}
        Everything integrated out; Neal 2000 Alg. 2; or the finite mixture with explicit weights.
    split_merge : int
        Splits and merges of whole clusters proposed after every sweep (Dahl 2005): for posteriors whose parts a chain
        that moves one point at a time does not reach. ``trace_.acceptance_rate`` tells how many are accepted.
    hyperpriors : dict, optional
        Parameters of the partition prior that are learned, each with its law, e.g.
        ``{"concentration": dpviz.Gamma(1, 0.3)}`` or ``{"concentration": "gamma(1,0.3)"}``; see
        :class:`~dpviz.RunConfig`. ``trace_.hyperparameters`` has their values by name, and densities of new points are
        averaged over the draws, each at its own values.

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
    weights_, means_, covariances_ : ndarray
        As for :class:`MAPDP`, of the clusters of ``labels_``.
    notes_ : tuple of str
        As for :class:`MAPDP`.
    trace_ : Trace
    """

    _algorithm = "gibbs"

    def __init__(
        self,
        family: str = AUTOMATIC,
        partition: PartitionPrior | str | None = AUTOMATIC,
        concentration: float | None = None,
        prior: Any = AUTOMATIC,
        kinds: Any = None,
        missing: str = "auto",
        init: Any = "auto",
        init_clusters: int | None = None,
        first_sweep: str = FIRST_SWEEP.default,
        n_init: int = 1,
        n_sweeps: int = 600,
        burn_in: int = 100,
        thin: int = 1,
        sampler: str = "collapsed",
        split_merge: int = 0,
        order: str = "shuffled",
        temperature: float | None = None,
        hyperpriors: Any = None,
        directions: int | str | None = ANY,
        coarsening: float | None = None,
        transform: Any = AUTOMATIC,
        random_state: Any = None,
    ) -> None:
        self.family = family
        self.partition = partition
        self.concentration = concentration
        self.prior = prior
        self.kinds = kinds
        self.missing = missing
        self.init = init
        self.init_clusters = init_clusters
        self.first_sweep = first_sweep
        self.n_init = n_init
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.thin = thin
        self.sampler = sampler
        self.split_merge = split_merge
        self.order = order
        self.temperature = temperature
        self.hyperpriors = hyperpriors
        self.directions = directions
        self.coarsening = coarsening
        self.transform = transform
        self.random_state = random_state

    @property
    def samples_(self) -> Any:
        """Labels (S, N) of the kept draws, in the smallest unsigned type that fits."""
        return self.trace_.draws
