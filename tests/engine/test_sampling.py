"""Chains that are swept together are those that run alone; draws are pooled fairly; bands are quantiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from traces import same_trace

import dpviz
from dpviz.analysis.sampling import Chains, different_starts, pooled_draws, predictive_bands
from dpviz.engine.predict import PartitionFit, PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidDataError, InvalidParameterError

RNG = np.random.default_rng(3)
X = np.concatenate([RNG.normal(centre, 1.0, size=(15, 2)) for centre in ((0, 0), (4, 0), (0, 5))])
CHAIN = usual_config("gibbs", n_sweeps=30, burn_in=0, split_merge=1, seed=7)
STARTS = different_starts(CHAIN, 5, len(X))


def over(chains, n_threads=1):
    assert sum(chains.advance(n_threads)) > 0
    return chains


def test_starts_are_different_and_so_are_seeds():
    assert [config.seed for config in STARTS] == [7, 8, 9, 10, 11]
    assert len({(config.init, config.init_clusters) for config in STARTS[:4]}) == 4
    assert STARTS[4] == replace(STARTS[0], seed=11)
    begun = [next(iter(dpviz.iterate(X, config))).n_clusters for config in STARTS[:4]]
    assert begun[0] == 1 and begun[1] >= 8 and max(begun) > begun[0]


def test_starts_keep_to_what_the_prior_allows():
    two = replace(CHAIN, partition=dpviz.FiniteDirichlet(1.0, 2))
    for config in different_starts(two, 4, len(X)):
        assert next(iter(dpviz.iterate(X, config))).n_clusters <= 2
    for config in different_starts(CHAIN, 4, 1):
        assert next(iter(dpviz.iterate(X[:1], config))).n_clusters == 1
    assert different_starts(replace(CHAIN, seed=2**32 - 1), 2, 9)[1].seed == 0
    with pytest.raises(InvalidParameterError, match="n_chains = 0"):
        different_starts(CHAIN, 0, 9)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_chains_that_are_swept_together_are_those_that_run_alone(n_threads):
    chains = over(Chains(X, STARTS), n_threads)
    series = chains.series()
    assert chains.n_sweeps_done == (30,) * 5 and chains.n_sweeps == 150
    for position, (trace, config) in enumerate(zip(chains.traces(), STARTS, strict=True)):
        same_trace(trace, dpviz.run(X, config), "seconds")
        assert_array_equal(series.n_clusters[position], trace.n_clusters)
        assert_array_equal(series.nll[position], trace.nll)


def test_chains_that_are_continued_are_those_that_were_longer_from_the_beginning():
    first = over(Chains(X, STARTS), 2).traces()
    longer = [replace(config, n_sweeps=50) for config in STARTS]
    chains = Chains(X, longer, first)
    assert chains.n_sweeps_done == (30,) * 5
    assert sum(chains.advance(2)) == 5 * 20
    for trace, config in zip(chains.traces(), longer, strict=True):
        same_trace(trace, dpviz.run(X, config), "seconds")


def test_chains_that_are_stopped_keep_what_they_have_and_go_on_from_there(monkeypatch):
    monkeypatch.setattr("dpviz.analysis.sampling.SLICE_SECONDS", 0.0)  # a sweep at a time
    chains = Chains(X, STARTS)
    running = chains.advance(2)
    for _ in range(40):
        next(running)
    running.close()
    done = chains.n_sweeps_done
    assert 0 < min(done) and max(done) < 30
    stopped = chains.traces()
    assert tuple(trace.n_sweeps for trace in stopped) == done
    for trace, whole in zip(over(Chains(X, STARTS, stopped)).traces(), over(Chains(X, STARTS)).traces(), strict=True):
        same_trace(trace, whole, "seconds")
    assert sum(chains.advance(2)) == 5 * 31 - sum(done) - 5  # the same chains may go on too
    same_trace(chains.traces()[2], dpviz.run(X, STARTS[2]), "seconds")


def test_what_fails_in_a_thread_is_raised(monkeypatch):
    chains = Chains(X, STARTS)
    monkeypatch.setattr("dpviz.engine.kernels.collapsed.CollapsedSweeper.sweep", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(chains.advance(2))


def test_chains_need_data_configurations_and_threads():
    with pytest.raises(InvalidDataError, match="NaN"):
        Chains(np.full((3, 2), np.nan), STARTS)
    with pytest.raises(InvalidParameterError, match="configs"):
        Chains(X, ())
    for wrong in (usual_config(), replace(CHAIN, n_init=2), "gibbs"):
        with pytest.raises(InvalidParameterError, match="configurations of gibbs with n_init=1"):
            Chains(X, [CHAIN, wrong])
    with pytest.raises(InvalidParameterError, match="len"):
        Chains(X, STARTS, [dpviz.run(X, STARTS[0])])
    with pytest.raises(InvalidParameterError, match="n_threads = 0"):
        next(Chains(X, STARTS).advance(0))


@pytest.mark.parametrize(("burn_in", "most", "n_each"), [(10, 1000, 20), (0, 1000, 30), (10, 21, 4), (29, 3, 1)])
def test_draws_are_pooled_evenly(burn_in, most, n_each):
    traces = [dpviz.run(X, config) for config in STARTS]
    labels, chains, sweeps = pooled_draws(traces, burn_in, most)
    assert np.bincount(chains).tolist() == [n_each] * 5 and len(labels) == 5 * n_each
    for row, chain, sweep in zip(labels, chains, sweeps, strict=True):
        assert sweep > burn_in
        assert_array_equal(row, traces[chain].labels_at(int(sweep)))
    assert sweeps.reshape(5, n_each)[0].tolist() == sorted(set(sweeps[:n_each].tolist()))


def test_only_sweeps_that_all_chains_have_are_pooled_and_thinned_chains_give_what_they_kept():
    short = dpviz.run(X, replace(STARTS[0], n_sweeps=14))
    thinned = dpviz.run(X, replace(STARTS[1], thin=3))
    labels, chains, sweeps = pooled_draws([short, thinned], 5, 100)
    assert sweeps[chains == 1].tolist() == [6, 9, 12] and np.count_nonzero(chains == 0) == 3
    assert sweeps.max() <= 14 and labels.shape == (6, len(X))
    with pytest.raises(InvalidParameterError, match="burn_in = 14 must be smaller than the 14 sweeps"):
        pooled_draws([short, thinned], 14, 100)


def test_bands_are_quantiles_of_the_densities_of_the_draws():
    trace = dpviz.run(X, STARTS[1])
    problem, places = Problem.check(X, STARTS[1]), RNG.normal(2, 3, size=(12, 2))
    bands = predictive_bands(problem, trace.draws, places, 0.8)
    each = [
        np.exp(logsumexp(PartitionPredictive(problem, draw.astype(np.int64)).log_scores(places), axis=1))
        for draw in trace.draws
    ]
    assert_allclose(bands.lower, np.quantile(each, 0.1, axis=0))
    assert_allclose(bands.upper, np.quantile(each, 0.9, axis=0))
    fit = PartitionFit(problem, trace.result_labels, trace.draws)
    assert_allclose(np.log(bands.mean), fit.log_density(places), rtol=1e-10)
    with pytest.raises(InvalidParameterError, match="probability = 1"):
        predictive_bands(problem, trace.draws, places, 1)


def test_chains_that_leave_their_model_to_the_data_have_one_in_common():
    X = np.random.default_rng(0).normal(size=(60, 2))
    configs = different_starts(dpviz.RunConfig("gibbs", n_sweeps=4, burn_in=0), 3, len(X))
    made = Chains(X, configs).configs
    assert len({(config.family, config.prior) for config in made}) == 1 and not any(c.is_automatic for c in made)
    assert [config.seed for config in made] == [config.seed for config in configs]
