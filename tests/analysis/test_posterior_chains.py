"""Chain diagnostics on chains whose answers are known, and against second computations."""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri

from dpviz.analysis.posterior import (
    autocorrelation,
    chain_diagnostics,
    raftery_lewis,
    rank_histogram,
    verdict,
)
from dpviz.errors import InvalidDataError, InvalidParameterError


def autoregressive(rho, n_draws, seed):
    """A stationary chain of variance 1 with autocorrelation rho**lag."""
    rng = np.random.default_rng(seed)
    values = np.empty(n_draws)
    values[0] = rng.normal()
    for t in range(1, n_draws):
        values[t] = rho * values[t - 1] + math.sqrt(1 - rho**2) * rng.normal()
    return values


def counting_walk(n_draws, seed):
    """A slow chain of whole numbers, as K is."""
    rng = np.random.default_rng(seed)
    k, values = 5, []
    for _ in range(n_draws):
        k = max(1, k + rng.choice([-1, 0, 0, 0, 1], p=[0.12, 0.3, 0.3, 0.18, 0.10]))
        values.append(k)
    return np.array(values, dtype=float)


def several(rho, n_chains, n_draws, seed=0):
    return np.array([autoregressive(rho, n_draws, seed * 100 + chain) for chain in range(n_chains)])


# --- R-hat and effective sample size ----------------------------------------------------------------------------------


def ranks_with_ties(values):
    return np.array([(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values.ravel()]).reshape(values.shape)


def naive_rhat(chains):
    """Vehtari et al. 2021: split, rank-normalised, for the values and for their distances from the median."""
    half = chains.shape[1] // 2
    split = np.concatenate([chains[:, :half], chains[:, -half:]])
    worst = 0.0
    for values in (split, np.abs(split - np.median(split))):
        normal = ndtri((ranks_with_ties(values) - 3 / 8) / (values.size + 1 / 4))
        within = normal.var(axis=1, ddof=1).mean()
        between = half * normal.mean(axis=1).var(ddof=1)
        worst = max(worst, math.sqrt((half - 1) / half + between / within / half))
    return worst


@pytest.mark.parametrize("shift", [0.0, 0.3, 3.0])
def test_rhat_of_shifted_chains_equals_a_second_computation(shift):
    chains = several(0.3, 4, 201, seed=1)
    chains[0] += shift
    assert chain_diagnostics(chains).rhat == pytest.approx(naive_rhat(chains), abs=1e-12)


def test_rhat_of_counts_with_ties_equals_a_second_computation():
    chains = np.array([counting_walk(150, seed) for seed in range(3)])
    assert chain_diagnostics(chains).rhat == pytest.approx(naive_rhat(chains), abs=1e-12)
    assert chain_diagnostics(chains, burn_in=31).rhat == pytest.approx(naive_rhat(chains[:, 31:]), abs=1e-12)


def test_rhat_sees_a_difference_in_spread_alone():
    chains = several(0.0, 4, 500, seed=2)
    chains[0] *= 4
    assert chain_diagnostics(chains).rhat > 1.05


@pytest.mark.parametrize("rho", [-0.3, 0.0, 0.5, 0.9])
def test_effective_sample_size_of_autoregressive_chains(rho):
    chains = several(rho, 4, 20_000)
    known = 80_000 * (1 - rho) / (1 + rho)  # N / Σ_lag rho^|lag|
    found = chain_diagnostics(chains)
    assert found.ess_bulk == pytest.approx(known, rel=0.1)
    assert found.rhat < 1.01
    # The indicators of the tails forget faster than the values, unless those alternate.
    assert found.ess_tail > 0.9 * min(known, 80_000)


def test_chains_that_do_not_move():
    still = chain_diagnostics(np.full((3, 50), 4))
    assert still.constant
    assert all(math.isnan(value) for value in (still.rhat, still.ess_bulk, still.ess_tail))
    apart = chain_diagnostics([[4.0] * 50, [5.0] * 50])
    assert not apart.constant
    assert apart.rhat == math.inf
    for n_draws in range(8, 120):  # rounding hides a spread of 0 at some lengths
        motionless = np.repeat(np.random.default_rng(n_draws).normal(size=(4, 1)), n_draws, axis=1)
        assert chain_diagnostics(motionless).rhat == math.inf
    middle = np.ones((2, 9))
    middle[0, 4] = 2.0  # which neither half holds
    assert math.isnan(chain_diagnostics(middle).rhat)
    assert math.isnan(chain_diagnostics(autoregressive(0.2, 100, 1)).rhat)
    short = chain_diagnostics([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0]])
    assert math.isnan(short.rhat) and math.isnan(short.ess_bulk)


def test_arviz_is_imported_when_it_is_first_needed():
    program = """
import sys
from dpviz.analysis import posterior
before = "arviz_stats" in sys.modules
posterior.chain_diagnostics([[float(t % 3) for t in range(20)]] * 2)
print(before, "arviz_stats" in sys.modules)
"""
    finished = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert finished.stdout.split() == ["False", "True"], finished.stderr


# --- autocorrelation and ranks ----------------------------------------------------------------------------------------


def test_autocorrelation_equals_a_loop():
    chains = several(0.7, 2, 60)
    found = autocorrelation(chains, max_lag=25)
    assert found.shape == (2, 26)
    for chain, lag in itertools.product(range(2), range(26)):
        deviations = chains[chain] - chains[chain].mean()
        wanted = (deviations[lag:] * deviations[: 60 - lag]).sum() / (deviations**2).sum()
        assert found[chain, lag] == pytest.approx(wanted, abs=1e-12)


def test_autocorrelation_of_an_autoregressive_chain_is_a_power():
    found = autocorrelation(autoregressive(0.8, 200_000, 3), max_lag=10)[0]
    assert_allclose(found, 0.8 ** np.arange(11), atol=0.02)


def test_autocorrelation_of_short_and_still_chains():
    assert autocorrelation([1.0, 2.0, 4.0], max_lag=100).shape == (1, 3)
    with pytest.warns(UserWarning, match="series never moves in chain 0, 2,"):
        found = autocorrelation([[3.0, 3.0, 3.0], [1.0, 2.0, 4.0], [0.1, 0.1, 0.1]], max_lag=1)
    assert np.isnan(found[[0, 2]]).all() and np.isfinite(found[1]).all()


def test_ranks_without_ties_are_counted():
    chains = several(0.4, 3, 40, seed=4)
    position = np.argsort(np.argsort(chains.ravel())).reshape(chains.shape)
    wanted = [[((position[c] * 6) // 120 == b).sum() for b in range(6)] for c in range(3)]
    assert_allclose(rank_histogram(chains, n_bins=6), wanted, atol=1e-12)


def test_tied_ranks_are_the_mean_over_all_ways_to_break_ties():
    chains = np.array([[1, 2, 2], [2, 3, 1]])
    total, ways = np.zeros((2, 3)), 0
    for order in itertools.permutations(range(6)):
        values = chains.ravel()[list(order)]
        if (np.diff(values) >= 0).all():
            ways += 1
            for rank, place in enumerate(order):
                total[place // 3, rank * 3 // 6] += 1
    assert ways == 12
    assert_allclose(rank_histogram(chains, n_bins=3), total / ways, atol=1e-12)


# --- Raftery and Lewis ------------------------------------------------------------------------------------------------

CHAINS = {
    "independent": lambda: autoregressive(0.0, 1500, 1),
    "slow": lambda: autoregressive(0.5, 1500, 2),
    "slower": lambda: autoregressive(0.95, 4000, 3),
    "counts": lambda: counting_walk(3000, 4),
    "short": lambda: autoregressive(0.9, 200, 5),
}


@pytest.mark.parametrize(
    ("chain", "q", "r", "s", "burn_in", "total", "independent", "dependence"),
    [  # as raftery.diag of R's coda 0.19-4.1 printed them for these very chains
        ("independent", 0.025, 0.1, 0.95, 2, 12, 10, 1.2),
        ("independent", 0.5, 0.05, 0.9, 2, 261, 271, 0.963),
        ("independent", 0.975, 0.02, 0.95, 2, 228, 235, 0.97),
        ("slow", 0.025, 0.1, 0.95, 3, 14, 10, 1.4),
        ("slow", 0.5, 0.05, 0.9, 6, 549, 271, 2.03),
        ("slow", 0.975, 0.02, 0.95, 4, 300, 235, 1.28),
        ("slower", 0.025, 0.1, 0.95, 18, 68, 10, 6.8),
        ("slower", 0.025, 0.005, 0.95, 18, 19838, 3746, 5.3),
        ("slower", 0.5, 0.05, 0.9, 45, 3897, 271, 14.4),
        ("slower", 0.975, 0.02, 0.95, 27, 1950, 235, 8.3),
        ("counts", 0.025, 0.1, 0.95, 70, 874, 10, 87.4),
        ("counts", 0.5, 0.05, 0.9, 273, 23476, 271, 86.6),
        ("counts", 0.975, 0.02, 0.95, 26, 958, 235, 4.08),
        ("short", 0.025, 0.1, 0.95, 14, 51, 10, 5.1),
    ],
)
def test_raftery_lewis_equals_the_reference(chain, q, r, s, burn_in, total, independent, dependence):
    found = raftery_lewis(CHAINS[chain](), q, r, s)
    assert (found.burn_in, found.burn_in + found.n_needed, found.n_independent) == (burn_in, total, independent)
    assert float(f"{found.dependence:.3g}") == dependence


def test_raftery_lewis_defaults_are_those_of_the_paper():
    chain = CHAINS["slow"]()
    assert raftery_lewis(chain) == raftery_lewis(chain, 0.025, 0.1, 0.95, 0.001)


@pytest.mark.parametrize("chain", [[3.0] * 40, [1.0, 2.0] * 40])
def test_raftery_lewis_of_a_chain_that_tells_nothing(chain):
    found = raftery_lewis(chain)
    assert (found.burn_in, found.n_needed, found.thinning) == (None, None, None)
    assert math.isnan(found.dependence)


def test_raftery_lewis_refuses_short_chains_and_wrong_parameters():
    with pytest.raises(InvalidParameterError, match="len\\(chain\\) = 9 must be ≥ 10"):
        raftery_lewis(np.arange(9))
    with pytest.raises(InvalidParameterError, match="Call it once per chain"):
        raftery_lewis(np.zeros((2, 50)))
    for name in ("q", "r", "s", "precision"):
        with pytest.raises(InvalidParameterError, match=f"^{name} = "):
            raftery_lewis(np.arange(50), **{name: 0})


# --- the verdict ------------------------------------------------------------------------------------------------------


def test_chains_that_agree_are_settled():
    found = verdict({"K": several(0.2, 4, 1000, seed=5), "nll": several(0.2, 4, 1000, seed=6)})
    assert found.settled
    assert "agree" in found.text
    assert set(found.diagnostics) == {"K", "nll"}
    assert found.diagnostics["K"] == chain_diagnostics(several(0.2, 4, 1000, seed=5))


def test_chains_that_wander_apart_are_told_to_run_longer():
    chains = np.cumsum(several(0.0, 4, 400, seed=7), axis=1)
    found = verdict({"K": several(0.0, 4, 400, seed=8), "nll": chains})
    assert not found.settled
    assert found.text.startswith("These chains disagree about nll")
    assert "run longer, or switch on split–merge moves" in found.text


def test_chains_that_sit_in_different_places_need_another_move():
    chains = several(0.1, 4, 500, seed=9)
    chains[2] += 4
    found = verdict({"K": chains})
    assert not found.settled
    assert "each stays where it is: switch on split–merge moves" in found.text
    still = verdict({"K": np.repeat([[3], [4]], 50, axis=1)})
    assert "R-hat is infinite" in still.text and "split–merge" in still.text


def test_chains_that_differ_a_little_are_not_said_to_stay_apart():
    chains = several(0.1, 4, 500, seed=9)
    chains[2] += 0.6
    found = verdict({"K": chains}, has_split_merge=True)
    assert not found.settled and 1.01 < found.diagnostics["K"].rhat < 1.1
    assert found.text.startswith(f"These chains do not agree about K yet (R-hat {found.diagnostics['K'].rhat:.3f}")
    assert "run longer, or propose more splits and merges" in found.text and "stays" not in found.text


def test_chains_with_few_independent_draws_are_told_how_much_longer():
    values, rng = autoregressive(0.0, 60, 10), np.random.default_rng(10)
    found = verdict({"K": np.array([rng.permutation(values) for _ in range(4)])})  # as alike as chains can be
    smallest = min(found.diagnostics["K"].ess_bulk, found.diagnostics["K"].ess_tail)
    assert found.diagnostics["K"].rhat <= 1.01 and smallest < 400
    assert not found.settled
    assert f"run about {math.ceil(400 / smallest)} times as long" in found.text


def test_a_scalar_that_never_changed_is_named():
    found = verdict({"K": np.full((4, 1000), 3), "nll": several(0.0, 4, 1000, seed=11)})
    assert found.settled
    assert "K is 3" in found.text and "R-hat at most" in found.text


def test_one_chain_and_short_chains_are_not_judged():
    assert "One chain" in verdict({"K": autoregressive(0.0, 500, 1)}).text
    short = verdict({"K": several(0.0, 3, 20)}, burn_in=15)
    assert not short.settled and "5 draws per chain" in short.text


@pytest.mark.parametrize(
    ("series", "message"),
    [
        ([], "shape"),
        ([[[1.0]]], "shape"),
        ([1.0, math.nan], "not finite"),
        ([[1.0, 2.0], [1.0]], "equal length"),
        (["a"], "numbers"),
    ],
)
def test_what_is_no_series_is_refused(series, message):
    for diagnose in (chain_diagnostics, autocorrelation, rank_histogram):
        with pytest.raises(InvalidDataError, match=message):
            diagnose(series)


def test_wrong_parameters_are_refused():
    with pytest.raises(InvalidParameterError, match="burn_in = 3 must be a whole number from 0 to 2"):
        chain_diagnostics([1.0, 2.0, 3.0], burn_in=3)
    with pytest.raises(InvalidParameterError, match="max_lag"):
        autocorrelation([1.0, 2.0], max_lag=-1)
    with pytest.raises(InvalidParameterError, match="n_bins"):
        rank_histogram([1.0, 2.0], n_bins=0)
    with pytest.raises(InvalidParameterError, match="one shape"):
        verdict({"K": [1.0, 2.0], "nll": [1.0, 2.0, 3.0]})
    with pytest.raises(InvalidParameterError, match="at least one"):
        verdict({})


def test_an_r_hat_barely_above_the_bound_is_written_so_that_it_is_above():
    close = []
    for seed in range(400):
        chains = np.random.default_rng(seed).normal(size=(4, 250))
        found = verdict({"K": chains})
        if 1.01 < found.diagnostics["K"].rhat < 1.0105:
            close.append(found)
    assert close
    for found in close:
        written = re.search(r"R-hat ([0-9.]+),", found.text)
        assert written and 1.01 < float(written[1]) == pytest.approx(found.diagnostics["K"].rhat, abs=6e-4)
