"""Reference clusterings by scikit-learn for comparisons: two Gaussian mixtures and one by density."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpviz.analysis.comparison import label_scores
from dpviz.arrays import FloatArray, IntArray
from dpviz.text import counted, in_words

MOST_COMPONENTS = 12
"""Most components of the mixture chosen by BIC."""
BY_BIC, VARIATIONAL = "Gaussian mixture + BIC", "Variational mixture"
TRUNCATION = 20
"""Components of the variational mixture, which leaves unneeded ones empty."""
SMALLEST_CLUSTER = 5
"""Smallest cluster of HDBSCAN: scikit-learn's own default."""
MOST_ITERATIONS = 500


@dataclass(frozen=True, eq=False)
class Reference:
    """Result of one of these methods.

    Attributes
    ----------
    name, settings : str
        The method, and all its settings.
    labels : ndarray of int, shape (N,)
        −1 is noise.
    seconds : float
        The whole computation, all starts and all K.
    scaling : str
        How the columns were scaled or coded, where that is not what the other methods have.
    has_density : bool
        Whether it is a mixture, whose densities need columns none of which follows from others.
    """

    name: str
    settings: str
    labels: IntArray
    seconds: float
    scaling: str = ""
    has_density: bool = True

    def scores(self, reference: IntArray | None) -> dict[str, float]:
        """Score it as a run is scored; it has no nll of the model, and no sweeps."""
        found = label_scores(self.labels, reference)
        return found | {"nll": np.nan, "n_sweeps": np.nan, "seconds": self.seconds}


class Unfitted(NamedTuple):
    """A method that could not be fitted to the data, and why."""

    name: str
    reason: str

    def in_words(self) -> str:
        """Say so in a sentence."""
        return f"{self.name} could not be fitted to these data. scikit-learn says: {self.reason}"


def references(
    X: FloatArray,
    seed: int,
    n_starts: int,
    covariances: Sequence[str] = ("full",),
    distances: FloatArray | None = None,
) -> Iterator[Reference | Unfitted | None]:
    """Compute all of them, yielding each when it is done, and None at points where it can be stopped.

    Parameters
    ----------
    X : ndarray (N, D)
        N ≥ 2.
    seed : int
    n_starts : int
        Of each mixture.
    covariances : sequence of str
        Kinds of covariance matrices between which BIC chooses too, as scikit-learn names them.
    distances : ndarray (N, D'), optional
        The same rows for the method without densities, where categories are coded by an indicator each; those of one
        column add up to a constant, so that covariances of them are singular. By default ``X``.
    """
    yield None
    yield from _mixture_by_bic(X, seed, n_starts, covariances)
    yield _variational_mixture(X, seed, n_starts)
    yield _by_density(X if distances is None else distances)


def n_steps(X: FloatArray) -> int:
    """Return how often :func:`references` yields."""
    return 3 + _most_components(X)


def _most_components(X: FloatArray) -> int:
    return min(MOST_COMPONENTS, len(X))


def _mixture_by_bic(
    X: FloatArray, seed: int, n_starts: int, covariances: Sequence[str]
) -> Iterator[Reference | Unfitted | None]:
    from sklearn.mixture import GaussianMixture

    best, lowest, seconds, reasons = np.zeros(len(X), dtype=np.int64), np.inf, 0.0, dict[str, str]()
    for n_components in range(1, _most_components(X) + 1):
        begun = time.perf_counter()
        for covariance in covariances:
            mixture = GaussianMixture(
                n_components, covariance_type=covariance, n_init=n_starts, max_iter=MOST_ITERATIONS, random_state=seed
            )
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a K that does not converge, or has empty components, loses by BIC
                    bic = mixture.fit(X).bic(X)
            except ValueError as error:  # scikit-learn's own, about covariances
                reasons[str(n_components)] = str(error)
                continue
            if bic < lowest:
                best, lowest = mixture.predict(X), bic
        seconds += time.perf_counter() - begun
        if n_components < _most_components(X):
            yield None
    if not np.isfinite(lowest):
        yield Unfitted(BY_BIC, next(iter(reasons.values())))
        return
    but = f" (scikit-learn could not fit K = {in_words(list(reasons))})" if reasons else ""
    settings = (
        f"GaussianMixture, {in_words(covariances)} covariances, K from 1 to {_most_components(X)}{but} by BIC, "
        f"{_starts(n_starts)} each, seed {seed}"
    )
    yield Reference(BY_BIC, settings, best.astype(np.int64), seconds)


def _variational_mixture(X: FloatArray, seed: int, n_starts: int) -> Reference | Unfitted:
    from sklearn.mixture import BayesianGaussianMixture

    most = min(TRUNCATION, len(X))
    begun = time.perf_counter()
    mixture = BayesianGaussianMixture(
        n_components=most,
        n_init=n_starts,
        max_iter=MOST_ITERATIONS,
        random_state=seed,
        weight_concentration_prior_type="dirichlet_process",
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unconverged result still gets a row
            labels = mixture.fit_predict(X)
    except ValueError as error:  # as above
        return Unfitted(VARIATIONAL, str(error))
    settings = (
        f"BayesianGaussianMixture, Dirichlet process truncated at {most}, concentration 1/{most} and other priors as "
        f"scikit-learn sets them, {_starts(n_starts)}, seed {seed}"
    )
    return Reference(VARIATIONAL, settings, labels.astype(np.int64), time.perf_counter() - begun)


def _by_density(X: FloatArray) -> Reference:
    from sklearn.cluster import HDBSCAN

    smallest = max(2, min(SMALLEST_CLUSTER, len(X)))
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = HDBSCAN(min_cluster_size=smallest, copy=True).fit_predict(X)
    noise = int(np.sum(labels < 0))
    is_are = "is" if noise == 1 else "are"
    settings = (
        f"smallest cluster {smallest}, no seed; {counted(noise, 'point')} {is_are} noise, one group in the agreements"
    )
    return Reference("HDBSCAN", settings, labels.astype(np.int64), time.perf_counter() - begun, has_density=False)


def _starts(n_starts: int) -> str:
    return "1 start" if n_starts == 1 else f"{n_starts} starts"
