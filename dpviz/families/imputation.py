"""Rows with missing cells if columns depend on each other: values for the cells, and densities without them."""

from __future__ import annotations

import numpy as np

from dpviz.arrays import BoolArray, FloatArray
from dpviz.errors import InvalidParameterError
from dpviz.families.base import Family
from dpviz.families.columns.base import ColumnFamily
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.families.gaussian.normal import normal_log_density
from dpviz.families.gaussian.predictive import Predictive
from dpviz.families.mixed import Mixed, student_densities


def with_cells(
    posterior: Family, x: FloatArray, missing: BoolArray, random_state: np.random.Generator | None
) -> FloatArray:
    """Return a row with its missing cells filled in from their law given its other cells.

    Parameters
    ----------
    posterior : Family
        Hyperparameters after the other members of the row's cluster.
    x : ndarray (D,)
        The values of its missing cells are ignored.
    missing : ndarray of bool (D,)
    random_state : numpy.random.Generator, optional
        Draws the cells; without one they are the mode (2016 App. F), which only real columns have in closed form.

    Raises
    ------
    InvalidParameterError
        If the mode is requested and a column with missing cells is not real.
    """
    filled = x.copy()
    parts = posterior.parts() if isinstance(posterior, Mixed) else [(np.arange(len(x)), posterior)]
    for columns, part in parts:
        gaps = missing[columns]
        if not gaps.any():
            continue
        if isinstance(part, GaussianFamily):
            own = _conditional(part.predictive(), x[columns], gaps, random_state)
        elif random_state is not None:
            own = part.draw(random_state).sample(1, random_state)[0, gaps]  # its columns are independent
        else:
            raise _no_mode(part)
        filled[columns[gaps]] = own
    return filled


def check_modes(family: Family, missing: BoolArray) -> None:
    """Raise unless missing cells (N, D) have modes in closed form: only those of real columns have.

    Raises
    ------
    InvalidParameterError
    """
    parts = family.parts() if isinstance(family, Mixed) else [(np.arange(missing.shape[1]), family)]
    for columns, part in parts:
        if missing[:, columns].any() and not isinstance(part, GaussianFamily):
            raise _no_mode(part)


def _no_mode(family: Family) -> InvalidParameterError:
    return InvalidParameterError(
        f"missing = 'impute' has most probable values for real columns only, not for family = {family.name!r}; "
        "choose missing='marginalise', or algorithm='gibbs', which draws the values."
    )


def has_predictive_of_cells(family: Family) -> bool:
    """Whether :func:`log_predictive_of_cells` supports the family."""
    return isinstance(family, ColumnFamily | GaussianFamily | Mixed)


def log_predictive_of_cells(posterior: Family, X: FloatArray) -> FloatArray:
    """Log predictive (nats, n) of the present cells of each row of X (n, D), under a posterior of any family of dpviz.

    A normal or Student t leaves columns out by leaving out entries of its location and scale.
    """
    total = np.zeros(len(X))
    parts = posterior.parts() if isinstance(posterior, Mixed) else [(np.arange(X.shape[1]), posterior)]
    for columns, part in parts:
        own = X[:, columns]
        missing = np.isnan(own)
        if isinstance(part, ColumnFamily):
            part.check_points(own)
            total += np.where(missing, 0.0, part.log_densities(np.where(missing, 0.0, own))).sum(axis=1)
            continue
        assert isinstance(part, GaussianFamily)
        t = part.predictive()
        for pattern in np.unique(missing, axis=0):
            rows, seen = np.flatnonzero((missing == pattern).all(axis=1)), ~pattern
            if seen.any():
                left = Predictive(t.location[seen], t.scale[np.ix_(seen, seen)], t.degrees_of_freedom, t.independent)
                total[rows] += _log_density(left, own[np.ix_(rows, seen)])
    return total


def _log_density(t: Predictive, X: FloatArray) -> FloatArray:
    if np.isfinite(t.degrees_of_freedom):
        return np.asarray(student_densities(t, X).sum(axis=1))
    return normal_log_density(X, t.location, t.scale)


def _conditional(t: Predictive, x: FloatArray, gaps: BoolArray, random_state: np.random.Generator | None) -> FloatArray:
    """Location, or a draw, of some entries of a normal or Student t given the others.

    Given o entries at a squared distance d² from their location, the others are Student t with ν + o degrees of freedom
    and the conditional normal's location and scale, the scale times (ν + d²)/(ν + o).
    """
    own, others, degrees = np.flatnonzero(gaps), np.flatnonzero(~gaps), t.degrees_of_freedom
    location, scale = t.location[own], t.scale[own[:, None], own]
    if not t.independent and len(others):
        across, apart = t.scale[own[:, None], others], x[others] - t.location[others]
        solved = np.linalg.solve(t.scale[others[:, None], others], np.column_stack([apart, across.T]))
        location, scale = location + across @ solved[:, 0], scale - across @ solved[:, 1:]
        if np.isfinite(degrees):
            squared = float(apart @ solved[:, 0])
            scale, degrees = scale * (degrees + squared) / (degrees + len(apart)), degrees + len(apart)
    if random_state is None:
        return np.asarray(location)
    noise = np.linalg.cholesky((scale + scale.T) / 2) @ random_state.standard_normal(len(location))
    if np.isfinite(degrees):
        n_mixing = len(location) if t.independent else 1
        noise = noise / np.sqrt(random_state.chisquare(degrees, n_mixing) / degrees)
    return np.asarray(location + noise)
