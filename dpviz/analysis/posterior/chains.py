"""Diagnostics of scalar series from several chains: agreement and effective sample size.

R-hat and effective sample sizes are ArviZ's (Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021), through its functions
of plain arrays. It is imported when first needed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.analysis.posterior.draws import Floats
from dpviz.errors import InvalidDataError, require
from dpviz.partition.base import whole_number

SHORTEST = 8
"""R-hat and the effective sample sizes need this many values per chain; ArviZ splits each chain into halves of 4."""


def as_chains(series: ArrayLike, burn_in: int = 0, name: str = "series") -> Floats:
    """Check one scalar per sweep of one chain or several.

    Parameters
    ----------
    series : array_like of float, shape (T,) or (C, T)
    burn_in : int
        Number of values at the start of each chain that are left out; at least one must remain.
    name : str
        Name of the series in messages.

    Returns
    -------
    ndarray of float64, shape (C, T − burn_in)

    Raises
    ------
    InvalidDataError
        If the array is empty, has another shape, is not numeric or not finite.
    InvalidParameterError
    """
    try:
        chains = np.atleast_2d(np.asarray(series, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidDataError(f"{name} is not an array of numbers with chains of equal length ({error}).") from error
    if chains.ndim != 2 or chains.size == 0:
        raise InvalidDataError(f"{name} has shape {chains.shape}; it must be (n_draws,) or (n_chains, n_draws).")
    if not np.isfinite(chains).all():
        raise InvalidDataError(f"{name} has values that are not finite; leave those sweeps out.")
    whole = isinstance(burn_in, int) and 0 <= burn_in < chains.shape[1]
    advice = f"{name} has {chains.shape[1]} values per chain: run longer chains."
    require(whole, "burn_in", burn_in, f"a whole number from 0 to {chains.shape[1] - 1}", advice)
    return chains[:, burn_in:]


@dataclass(frozen=True)
class ChainDiagnostics:
    """ArviZ's diagnostics of one scalar.

    Attributes
    ----------
    n_chains, n_draws : int
        Draws per chain.
    rhat : float
        Rank-normalised split R-hat, the larger of bulk and tail; 1 when chains agree. +inf when no half of a chain
        moves and they differ; NaN with one chain, chains shorter than ``SHORTEST``, or one value throughout.
    ess_bulk, ess_tail : float
        Equivalent number of independent draws, for the centre, and for the 5 % and 95 % quantiles. NaN for chains
        shorter than ``SHORTEST`` and for one value throughout.
    constant : bool
        Whether the scalar had one value throughout.
    """

    n_chains: int
    n_draws: int
    rhat: float
    ess_bulk: float
    ess_tail: float
    constant: bool


def chain_diagnostics(series: ArrayLike, burn_in: int = 0) -> ChainDiagnostics:
    """Compute R-hat and effective sample sizes of one scalar, e.g. of K or of nll.

    Parameters
    ----------
    series : array_like of float, shape (T,) or (C, T)
    burn_in : int
        Number of values at the start of each chain that are left out.

    Returns
    -------
    ChainDiagnostics

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    from arviz_stats.base import array_stats  # deferred: it takes long to import

    chains = as_chains(series, burn_in)
    n_chains, n_draws = chains.shape
    constant = bool(np.ptp(chains) == 0)
    if constant or n_draws < SHORTEST:
        return ChainDiagnostics(n_chains, n_draws, np.nan, np.nan, np.nan, constant)
    rhat = _rhat(chains) if n_chains > 1 else np.nan
    bulk, tail = float(array_stats.ess(chains, method="bulk")), float(array_stats.ess(chains, method="tail", prob=0.95))
    return ChainDiagnostics(n_chains, n_draws, rhat, bulk, tail, constant)


def _rhat(chains: Floats) -> float:
    """Return R-hat of several chains; of an odd number of draws its halves leave out the middle one."""
    from arviz_stats.base import array_stats

    half = chains.shape[1] // 2
    halves = np.concatenate([chains[:, :half], chains[:, -half:]])
    if not (np.ptp(halves, axis=1) > 0).any():  # rounding may put some huge number in place of +inf
        return np.inf if np.ptp(halves) > 0 else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):  # folded about their median, the halves may not move
        return float(array_stats.rhat(chains))


def autocorrelation(series: ArrayLike, max_lag: int = 100, burn_in: int = 0) -> Floats:
    """Estimate the autocorrelation of every chain.

    Parameters
    ----------
    series : array_like of float, shape (T,) or (C, T)
    max_lag : int
        ≥ 0; lags beyond the chain's length are left out.
    burn_in : int
        Number of values at the start of each chain that are left out.

    Returns
    -------
    ndarray of float64, shape (C, min(max_lag, T − 1) + 1)
        Σ_t (x_t − x̄)(x_{t+lag} − x̄) / Σ_t (x_t − x̄)², so 1 at lag 0. A chain that never moves has none: its row is
        NaN, which a warning says.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    result = autocorrelation_where_moving(series, max_lag, burn_in)
    still = np.flatnonzero(np.isnan(result[:, 0]))
    if len(still):
        of = ", ".join(map(str, still))
        warnings.warn(f"series never moves in chain {of}, whose autocorrelation is NaN: there is none.", stacklevel=2)
    return result


def autocorrelation_where_moving(series: ArrayLike, max_lag: int, burn_in: int) -> Floats:
    """Do what :func:`autocorrelation` does without its warning, for callers that say which chains are still."""
    require(isinstance(max_lag, int) and max_lag >= 0, "max_lag", max_lag, "a whole number ≥ 0")
    chains = as_chains(series, burn_in)
    n_draws = chains.shape[1]
    moving = np.ptp(chains, axis=1) > 0
    deviations = chains - chains.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(deviations, 2 * n_draws)) ** 2  # padded: no lag wraps around
    covariances = np.fft.irfft(power, 2 * n_draws)[:, : min(max_lag, n_draws - 1) + 1]
    result = np.full_like(covariances, np.nan)
    result[moving] = covariances[moving] / covariances[moving, :1]
    return result


def rank_histogram(series: ArrayLike, n_bins: int = 20, burn_in: int = 0) -> Floats:
    """Count how many draws of every chain fall into each bin of the ranks among all chains.

    Chains that agree have about T/n_bins draws in each bin (Vehtari et al. 2021). Tied values, of which K
    has many, are spread evenly over the ranks they hold together: what breaking ties at random gives on average.

    Parameters
    ----------
    series : array_like of float, shape (T,) or (C, T)
    n_bins : int
        ≥ 1.
    burn_in : int
        Number of values at the start of each chain that are left out.

    Returns
    -------
    ndarray of float64, shape (C, n_bins)
        Each row adds up to T − burn_in.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    from scipy.stats import rankdata  # deferred: it takes half a second to import

    n_bins = whole_number("n_bins", n_bins)
    chains = as_chains(series, burn_in)
    last = rankdata(chains, method="max").reshape(chains.shape)
    first = rankdata(chains, method="min").reshape(chains.shape) - 1  # ties hold the ranks in (first, last]
    edges = np.linspace(0, chains.size, n_bins + 1)
    below = np.clip((edges - first[..., None]) / (last - first)[..., None], 0, 1)
    return np.diff(below, axis=-1).sum(axis=1)
