"""E-M for the Gaussian mixture (2016 Sec. 2.1), one step at a time.

scikit-learn's GaussianMixture would weigh every point four times for one recorded step.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import special
from scipy.linalg import solve_triangular

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import Algorithm, register
from dpviz.engine.candidates import candidate_table, softmax
from dpviz.engine.contributions import Contributions
from dpviz.engine.initialise import StartKind, start_kinds, starting_labels
from dpviz.engine.moment_shapes import SizedShapes, moment_shapes
from dpviz.engine.moves import Moves, Score
from dpviz.engine.options import MAX_SWEEPS, N_COMPONENTS, N_INIT, SEED
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidDataError

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 1e-6
"""E-M has converged when the log likelihood gains less than this per point (nats)."""
REGULARISATION = 1e-6
"""Added to every variance, in units of the largest column's: keeps a component from collapsing onto a point."""


class MixtureParameters(NamedTuple):
    """Explicit parameters of a mixture in centred coordinates, as the trace keeps them per recorded sweep.

    Attributes
    ----------
    weights : ndarray (K,)
    means : ndarray (K, D)
    roots : ndarray (K, D, D)
        Upper triangular R with R Rᵀ the precision of each component.
    """

    weights: FloatArray
    means: FloatArray
    roots: FloatArray

    def log_joint(self, X: FloatArray) -> FloatArray:
        """Log of weight × density (nats) of each row of X (n, D) in every component: (n, K)."""
        n_points, n_features = X.shape
        log_joint = np.empty((n_points, len(self.weights)))
        for k, (mean, root) in enumerate(zip(self.means, self.roots, strict=True)):
            scaled = (X - mean) @ root
            log_joint[:, k] = np.sum(np.log(np.diagonal(root))) - 0.5 * np.einsum("nd,nd->n", scaled, scaled)
        log_joint += np.log(self.weights) - 0.5 * n_features * np.log(2 * np.pi)
        return log_joint


class EMStepper:
    """One start of E-M: parameters and responsibilities, advanced step by step.

    Attributes
    ----------
    parameters : MixtureParameters
    """

    def __init__(self, problem: Problem, parameters: MixtureParameters) -> None:
        self._X, self._log_jacobian = problem.centred, log_jacobian(problem)
        self.parameters = parameters
        self._expect()

    @classmethod
    def begun(cls, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> EMStepper:
        """Begin at the moments of a start's clusters."""
        labels = starting_labels(problem, kind, np.arange(len(problem.X)), random_state)
        weights, means, covariances = _moments(problem.centred, labels)
        return cls(problem, MixtureParameters(weights, means, _precision_roots(covariances)))

    def _expect(self) -> None:
        """E step: responsibilities (N, K), and the recorded scores of the present parameters."""
        log_joint = self.parameters.log_joint(self._X)
        self._labels = np.argmax(log_joint, axis=1)
        highest = np.take_along_axis(log_joint, self._labels[:, None], axis=1)
        shares = np.exp(log_joint - highest)
        totals = np.sum(shares, axis=1)
        self._responsibilities = shares / totals[:, None]
        self._objective = -float(np.sum(highest) + np.sum(np.log(totals))) - len(self._X) * self._log_jacobian

    def _maximise(self) -> None:
        """M step."""
        counts = np.sum(self._responsibilities, axis=0) + 10 * np.finfo(np.float64).eps  # never 0
        means = self._responsibilities.T @ self._X / counts[:, None]
        n_features = self._X.shape[1]
        covariances = np.empty((len(counts), n_features, n_features))
        for k, mean in enumerate(means):
            residuals = self._X - mean
            covariances[k] = (self._responsibilities[:, k] * residuals.T) @ residuals / counts[k]
        roots = _precision_roots(covariances + REGULARISATION * np.eye(n_features))
        self.parameters = MixtureParameters(counts / np.sum(counts), means, roots)

    def _sizes(self) -> IntArray:
        return np.bincount(self._labels, minlength=len(self.parameters.weights))

    def score(self) -> Score:
        """−ln p(X | parameters) (2016 eq. 5) and hard assignments."""
        sizes = self._sizes()
        n_clusters = int(np.count_nonzero(sizes))
        return Score(self._labels, sizes, n_clusters, np.nan, self._objective, self.parameters)

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One M step, and the E step after it."""
        labels, objective, before = self._labels, self._objective, self._sizes() > 0
        self._maximise()
        self._expect()
        after = self._sizes() > 0
        moves = Moves(
            int(np.count_nonzero(labels != self._labels)),
            int(np.count_nonzero(after & ~before)),
            int(np.count_nonzero(before & ~after)),
        )
        return moves, objective - self._objective < TOLERANCE * len(self._X)


def log_jacobian(problem: Problem) -> float:
    """Return the constant that converts log densities in centred coordinates to the data's units (nats per point)."""
    return float(-problem.X.shape[1] * np.log(problem.scale))


def parameters_at(problem: Problem, trace: Trace, row: int) -> MixtureParameters:
    """Return the parameters at a recorded row; a run from a file is stepped again, since files lack them."""
    if trace.parameters:
        kept: MixtureParameters = trace.parameters[row]
        return kept
    start = trace.chosen_start
    random_state = np.random.default_rng([problem.config.seed, start])
    stepper = EMStepper.begun(problem, start_kinds(problem)[start], random_state)
    for sweep in range(int(trace.label_sweeps[row])):
        stepper.step(sweep + 1)
    return stepper.parameters


class FittedMixture:
    """A finished run that predicts new points."""

    def __init__(self, problem: Problem, trace: Trace) -> None:
        self._problem = problem
        self._parameters = parameters_at(problem, trace, trace.result_row)
        self._components = np.unique(trace.result_labels)

    def _log_joint(self, X: FloatArray) -> FloatArray:
        problem = self._problem
        return self._parameters.log_joint(np.asarray((X - problem.X.mean(axis=0)) / problem.scale))

    @property
    def opens_clusters(self) -> bool:
        """E-M opens none."""
        return False

    @property
    def log_weights(self) -> FloatArray:
        """Log of the weights (K,) of the components of training points."""
        return np.asarray(np.log(self._parameters.weights[self._components]))

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Log of weight × density (nats) of each row of X (n, D) in the components of training points: (n, K)."""
        return np.asarray(self._log_joint(X)[:, self._components] + log_jacobian(self._problem))

    def contributions(self, X: FloatArray) -> Contributions:
        """Return the terms of the scores of X (n, D): each column's own normal density, and a joint term."""
        _, means, covariances = self.moments()
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        squared = (X[:, None, :] - means) ** 2 / variances
        columns = np.asarray(-0.5 * (squared + np.log(2 * np.pi * variances)))
        weights = self.log_weights
        return Contributions.of(columns, self.log_scores(X) - weights, weights)

    def predict(self, X: FloatArray) -> IntArray:
        """Most probable component (n,) among those of training points, renumbered without gaps."""
        return np.argmax(self._log_joint(X)[:, self._components], axis=1).astype(np.int64)

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Responsibilities (n, K) for each row of X (n, D), of the same components as :meth:`predict`."""
        return np.asarray(special.softmax(self.log_scores(X), axis=1))

    def moments(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights (K,), means (K, D) and covariances (K, D, D) of those components, in the units of the data."""
        weights, means, roots = (values[self._components] for values in self._parameters)
        precisions = roots @ roots.transpose(0, 2, 1)
        scale = self._problem.scale
        covariances = np.asarray(np.linalg.inv(precisions) * scale**2, dtype=np.float64)
        return weights, np.asarray(means * scale + self._problem.X.mean(axis=0)), covariances

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats, n) of each row of X (n, D) under the mixture."""
        return np.asarray(special.logsumexp(self._log_joint(X), axis=1) + log_jacobian(self._problem))


@register
class EM(Algorithm):
    """Expectation–maximisation for a Gaussian mixture with full covariances."""

    name = "em"
    title = "E-M"
    explanation = "Fits a mixture of K Gaussians by soft assignments. K is yours to guess."
    options = (N_COMPONENTS, N_INIT, MAX_SWEEPS, SEED)
    main = ("n_components",)
    starts = ("kmeans++", "random")
    defaults = MappingProxyType({"init": "kmeans++", "n_init": 10, "max_sweeps": 200, "order": "index"})
    page_defaults = MappingProxyType({"n_init": 3})
    has_density = True
    cluster_count = "n_components"
    objective = "−ln p(X | parameters)"
    costs = ("fits its shape badly", "is rare")
    costs_in_words = (
        "Fits its shape badly: −ln density, the more the rarer a point here is in the cluster. Is rare: −ln π_k. Both "
        "are told above their lowest. The smaller the total, the more probable."
    )

    def check_problem(self, problem: Problem) -> None:
        """Raise for a single point, which has no covariance."""
        if len(problem.X) < 2:
            raise InvalidDataError("X has 1 sample; em needs at least 2 points to estimate a covariance.")

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> EMStepper:
        """Begin one start."""
        return EMStepper.begun(problem, kind, random_state)

    def expected_sweeps(self, config: RunConfig) -> float:
        """Return forty steps per start."""
        return float(min(self.n_sweeps(config), 40) * (config.n_init or 1))

    def sweep_operations(self, config: RunConfig, n_points: int, n_features: int, n_clusters: float) -> float:
        """Count a score of every point in every component."""
        per_component = n_points * (n_features**2 * 0.5 + 50)
        return 1e5 + config.n_components * (5e4 + per_component)

    def explain(self, problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
        """Density and weight of every component."""
        parameters = parameters_at(problem, trace, row)
        log_weight = np.log(parameters.weights)
        log_density = parameters.log_joint(problem.centred[point : point + 1])[0] - log_weight + log_jacobian(problem)
        return candidate_table(-log_density, -log_weight, softmax(log_density + log_weight), has_new=False)

    def scored_again(self, problem: Problem, trace: Trace, row: int) -> Score:
        """Score the parameters at a recorded row; a run from a file is stepped again."""
        return EMStepper(problem, parameters_at(problem, trace, row)).score()

    def fitted(self, problem: Problem, trace: Trace) -> FittedMixture:
        """Return the mixture."""
        return FittedMixture(problem, trace)

    def shapes(self, problem: Problem, trace: Trace, rows: IntArray) -> list[SizedShapes]:
        """Each cluster's own covariance."""
        return [moment_shapes(problem, trace, int(row)) for row in rows]

    def bic(self, config: RunConfig, sizes: IntArray, objective: float, n_features: int) -> float:
        """−2 ln p(X) plus (K − 1) + KD + KD(D + 1)/2 times ln N, which is scikit-learn's bic on the data."""
        K = config.n_components
        n_parameters = (K - 1) + K * n_features + K * n_features * (n_features + 1) / 2
        return float(2 * objective + n_parameters * np.log(sizes.sum()))

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return one start."""
        return ({"n_init": 1},)


def _precision_roots(covariances: FloatArray) -> FloatArray:
    """Upper triangular R (K, D, D) with R Rᵀ the inverse of each covariance."""
    identity = np.eye(covariances.shape[1])
    return np.array([solve_triangular(factor, identity, lower=True).T for factor in np.linalg.cholesky(covariances)])


def _moments(X: FloatArray, labels: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, means and covariances of a partition; clusters too small for a covariance borrow the pooled one."""
    n_points, n_features = X.shape
    n_clusters = int(labels.max()) + 1
    ridge = REGULARISATION * np.eye(n_features)
    means = np.array([X[labels == k].mean(axis=0) for k in range(n_clusters)])
    residuals = X - means[labels]
    pooled = residuals.T @ residuals / n_points + ridge
    covariances = []
    for k in range(n_clusters):
        own = residuals[labels == k]
        covariances.append(own.T @ own / len(own) + ridge if len(own) > n_features else pooled)
    return np.bincount(labels) / n_points, means, np.array(covariances)
