"""The learned shape: the prior expects clusters of the spread and the directions that the clusters found have.

For a partition z of N points into K clusters with means x̄_k,

    W = Σ_k Σ_{i∈k} (x_i − x̄_k)(x_i − x̄_k)ᵀ / N + 10⁻³ T,    T the covariance of all points,

is the pooled within-cluster covariance. Clusters are expected to have it on average, E[Σ] = W: Ψ0 = (a0 − D − 1) W, or
column by column b0 = (a0 − 1) diag(W). How alike their covariances are, a0, is the value of a grid under which z has
the lowest nll; how far apart their means are, c0 = D / mean_k (x̄_k − m0)ᵀ W⁻¹ (x̄_k − m0), within bounds; and m0 is
the mean of all points. MAP-DP given these finds another partition, and so on: from that of the best width until a
partition comes again, which is then searched once under its prior, or for :data:`MOST_ROUNDS` rounds.

With D(D + 1)/2 + 2 numbers fitted to the data nll nearly always falls, and says nothing for or against them. So rows
are held out: shape and width are both fitted to the other rows from the beginning, and the shape is taken if
the mean log density of the rows held out is higher under it by two standard errors. Where clusters have columns without
spread a density has no bound, and the width is kept (:mod:`dpviz.fit.width`).

All of it happens in standardised columns, so that units do not matter; nor does any regular linear map with full
covariances, but for the starts of the search, which are K-means on plain distances.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.improve import canonical_labels
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import DpvizError, IllConditionedError
from dpviz.families.automatic import AUTOMATIC, REAL
from dpviz.families.directions import Directions
from dpviz.families.gaussian.base import variances_or_one
from dpviz.families.gaussian.normal_wishart import NormalWishart, default_scatter
from dpviz.fit.width import (
    Steps,
    Table,
    WidthChoice,
    notes_on,
    runs_off,
    sampled,
    short_run,
    trial_steps,
    width_steps,
)

SPARE_DEGREES = (2.0, 5.0, 20.0, 100.0)
"""a0 − D of full covariances, the points that the expected one is worth. Of independent columns a0 = (1 + this)/2."""
WEIGHTS = (1e-3, 1.0)
"""Least and most points that the prior mean is worth, c0."""
FLOOR = 1e-3
"""Share of all the data's covariance that is added to the pooled one, which may be singular."""
MOST_ROUNDS = 8
N_FOLDS, FEWEST_ROWS = 5, 10
ERRORS = 2.0
"""Standard errors that the gain of a shape must reach: a smaller one may be chance."""
TOO_FEW = "Too few rows ({0:,}; {1} are needed) to hold some out, so that no shape is learned and {2} is kept."
NO_FIT = "A learned shape could not be fitted to a part of the rows, so that {0} is kept."
NO_SPREAD = "No shape is learned, and {0} is kept: some clusters have no spread, where a density has no bound."
TAKEN = "Prior: a learned shape (a0 = {a0:.4g}, c0 = {c0:.3g}). {why}."
KEPT = "Prior: {width}, instead of a learned shape. {why}."
WHY = (
    "Rows held out have a {higher} log density under the shape than under {width}, by {gain:.3f} ± {error:.3f} nats a "
    "row; {least:.0f} standard errors are asked for"
)


class _Fit(NamedTuple):
    """A model with the partition of a short run."""

    problem: Problem
    labels: IntArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of further rows (n, D) under the mixture."""
        return np.asarray(logsumexp(PartitionPredictive(self.problem, self.labels).log_scores(X), axis=1))


class _Both(NamedTuple):
    """Both models of the same rows; no shape where none could be fitted."""

    width: _Fit
    shape: _Fit | None


class _Coordinates(NamedTuple):
    """Where clusters are looked for: in columns or along directions, standardised, so that units do not matter.

    Attributes
    ----------
    directions : Directions or None
    centre, spread : ndarray (C,)
        Means and standard deviations there.
    """

    directions: Directions | None
    centre: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, X: FloatArray, n_directions: int | None) -> _Coordinates:
        """Fit them to rows (N, D), whose cells may be missing if there are no directions."""
        directions = None if n_directions is None else Directions.of(X, n_directions)
        Y = X if directions is None else directions.leading(X)
        return cls(directions, np.nanmean(Y, axis=0), np.sqrt(variances_or_one(Y)))

    def map(self, X: FloatArray) -> FloatArray:
        """Map rows (n, D) to coordinates (n, C)."""
        Y = X if self.directions is None else self.directions.leading(X)
        return np.ascontiguousarray((Y - self.centre) / self.spread)

    def prior_from(self, prior: dict[str, Any]) -> dict[str, Any]:
        """Return hyperparameters for standardised coordinates in the units before."""
        moved = {**prior, "m0": self.centre + self.spread * prior["m0"]}
        if "psi0" in prior:
            return {**moved, "psi0": prior["psi0"] * np.outer(self.spread, self.spread)}
        return {**moved, "b0": prior["b0"] * self.spread**2}


def learned_priors(X: FloatArray, labels: IntArray, family: str) -> list[dict[str, Any]]:
    """Return the priors that a partition teaches, one for each of :data:`SPARE_DEGREES`.

    Parameters
    ----------
    X : ndarray (N, D)
        Cells may be missing (NaN) for independent columns.
    labels : ndarray of int (N,)
        0 … K − 1, each present.
    family : str
        ``"normal_wishart"`` or ``"normal_gamma"``.

    Returns
    -------
    list of dict
        Values of all hyperparameters of the family, in the units of X.
    """
    full = family == NormalWishart.name
    whole = NormalWishart.default_prior(X)["m0"] if full else np.nanmean(X, axis=0)
    means = _means(X, labels)
    within, shifts = X - means[labels], means - whole
    if full:
        pooled = within.T @ within / len(X) + FLOOR * default_scatter(np.ascontiguousarray(X))
        apart = float(np.mean(np.einsum("kd,kd->k", shifts, np.linalg.solve(pooled, shifts.T).T))) / len(whole)
    else:
        pooled = np.nanmean(within**2, axis=0) + FLOOR * variances_or_one(X)
        apart = float(np.nanmean(shifts**2 / pooled))
    common = {"m0": whole, "c0": float(np.clip(1 / apart if apart > 0 else np.inf, *WEIGHTS))}
    if full:
        symmetric = (pooled + pooled.T) / 2
        return [{**common, "a0": len(whole) + spare, "psi0": (spare - 1) * symmetric} for spare in SPARE_DEGREES]
    return [{**common, "a0": (1 + spare) / 2, "b0": (spare - 1) / 2 * pooled} for spare in SPARE_DEGREES]


def may_be_learned(family: str, prior: Mapping[str, Any] | None) -> bool:
    """Whether hyperparameters have the form of :func:`learned_priors`: all are given, and a0 is one of theirs."""
    if family not in REAL or not {"m0", "c0", "a0"} < set(prior or {}):
        return False
    given = prior or {}
    spare = given["a0"] - np.size(given["m0"]) if family == NormalWishart.name else 2 * given["a0"] - 1
    return bool(np.isclose(spare, SPARE_DEGREES).any())


def _means(X: FloatArray, labels: IntArray) -> FloatArray:
    """Mean of the present cells of every cluster (K, D); NaN where a cluster has none."""
    known = ~np.isnan(X)
    members = np.zeros((int(labels.max()) + 1, len(X)))
    members[labels, np.arange(len(X))] = 1.0
    counts = members @ known
    sums = members @ np.where(known, X, 0.0)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def propose(data: Table, so_far: WidthChoice) -> Steps:
    """Choose between the width so far and a learned shape of the same family, along the same directions.

    Of many points a sample decides, and of rows whose missing cells are filled in the complete ones.

    Returns
    -------
    WidthChoice
        All hyperparameters in the units of the columns, or of the coordinates along directions, if the shape is taken.
        The last note says which, and by how much.
    """
    if not so_far.trials:
        return so_far
    width, n_directions = f"width {so_far.width:.4g}", so_far.config.directions
    base = replace(so_far.config, prior=AUTOMATIC, directions=None)
    X, base = _rows(data.under(base).X, base), replace(base, transform=None)
    if len(X) < FEWEST_ROWS:
        return so_far.saying(TOO_FEW.format(len(X), FEWEST_ROWS, width))
    where = _Coordinates.of(X, n_directions)
    Z = where.map(X)
    found = (yield from _fitted(Z, base)).shape
    if found is None:
        return so_far.saying(NO_FIT.format(width))
    if runs_off(Z, base, found.labels):
        own = X if where.directions is None else Z
        return so_far.saying(NO_SPREAD.format(width), *notes_on(own, base, found.labels, data.names))
    gains = yield from _gains(X, base, n_directions)
    if gains is None:
        return so_far.saying(NO_FIT.format(width))
    gain, error = float(np.mean(gains)), float(np.std(gains, ddof=1) / np.sqrt(len(gains)))
    higher = "lower" if gain < 0 else "higher"
    why = WHY.format(higher=higher, width=width, gain=abs(gain), error=error, least=ERRORS)
    if not gain > ERRORS * error:
        return so_far.saying(KEPT.format(width=width, why=why))
    prior = where.prior_from(found.problem.config.prior_dict or {})
    said = TAKEN.format(a0=prior["a0"], c0=prior["c0"], why=why)
    return replace(so_far, config=replace(so_far.config, prior=prior)).saying(said)


def _rows(X: FloatArray, config: RunConfig) -> FloatArray:
    """Return the rows that decide: the complete ones where cells are filled in, and of many a sample."""
    if np.isnan(X).any() and config.fills_in:
        X = X[~np.isnan(X).any(axis=1)]
    return sampled(X, config)


def _fitted(Z: FloatArray, base: RunConfig) -> Generator[None, None, _Both]:
    """Fit the best width and a shape to standardised rows by short runs, from nothing but these rows."""
    choice = yield from width_steps(Z, base)
    sample = short_run(Z, base)
    assert choice.found is not None
    labels = canonical_labels(choice.found.labels)
    width = _Fit(sample.under(replace(sample.config, prior=choice.config.prior)), labels)
    return _Both(width, (yield from _alternated(sample, width.labels)))


def _alternated(sample: Problem, labels: IntArray) -> Generator[None, None, _Fit | None]:
    """Alternate between the prior that a partition teaches and the partition found under it."""
    seen, searched, found = set[bytes](), False, None
    for _ in range(MOST_ROUNDS):
        yield
        taught = _taught(sample, labels)
        if taught is None:
            return None
        trial = yield from trial_steps(taught, 1.0, init=labels, n_init=1)
        if canonical_labels(trial.labels).tobytes() in seen and not searched:
            searched, other = True, (yield from trial_steps(taught, 1.0))
            trial = other if other.nll < trial.nll else trial
        labels = canonical_labels(trial.labels)
        found = _Fit(taught, labels) if np.isfinite(trial.nll) else None
        if found is None or searched and labels.tobytes() in seen:
            break
        seen.add(labels.tobytes())
    return found


def _taught(sample: Problem, labels: IntArray) -> Problem | None:
    """Return the problem under that prior of a partition whose nll is lowest; None if none has an nll."""
    best: tuple[float, Problem] | None = None
    for prior in learned_priors(sample.X, labels, sample.config.family):
        problem = sample.under(replace(sample.config, prior=prior))
        try:
            nll = float(partition_nll(problem, [labels])[0])
        except IllConditionedError:
            continue
        if np.isfinite(nll) and (best is None or nll < best[0]):
            best = nll, problem
    return None if best is None else best[1]


def _gains(X: FloatArray, base: RunConfig, n_directions: int | None) -> Generator[None, None, FloatArray | None]:
    """Return how much higher the log density of each row (N, D) is under a shape than under a width, both without it.

    Coordinates, width, shape and partitions are those of the other folds alone. None if a fold has no shape.
    """
    folds = np.random.default_rng(base.seed).permutation(len(X)) % N_FOLDS
    gains = np.empty(len(X))
    for number in range(N_FOLDS):
        held_out = folds == number
        try:
            where = _Coordinates.of(X[~held_out], n_directions)
            both = yield from _fitted(where.map(X[~held_out]), base)
            if both.shape is None:
                return None
            rows = where.map(X[held_out])
            gains[held_out] = both.shape.log_density(rows) - both.width.log_density(rows)
        except DpvizError:  # a column that is constant, or wholly missing, in the other folds
            return None
    return gains if np.all(np.isfinite(gains)) else None
