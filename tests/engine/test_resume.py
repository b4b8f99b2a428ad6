"""A chain that is continued is the chain that was never interrupted, bit for bit."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from traces import same_trace

import dpviz
from dpviz.engine.problem import Problem
from dpviz.engine.search import Search, can_resume
from dpviz.errors import InvalidDataError, InvalidParameterError, TraceFormatError

RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(centre, 1.0, size=(20, 2)) for centre in ((0, 0), (4, 0), (0, 5))])
CHAINS = {
    "shuffled": {},
    "one order": {"order": "permuted", "init": "kmeans++"},
    "one cluster first": {"order": "index", "init": "single"},
    "thinned": {"thin": 4, "burn_in": 3},
    "still burning in": {"burn_in": 17},
    "split and merge": {"split_merge": 3, "partition": dpviz.PitmanYor(0.7, 0.3)},
    "tempered": {"temperature": 2.0, "family": "normal_gamma"},
    "explicit": {"sampler": "explicit_parameters", "family": "normal_gamma"},
    "restarts": {"n_init": 3, "family": "spherical_normal"},
    "labels": {"init": np.arange(60) % 7, "family": "normal_known_covariance"},
    "replayed": {"events_sweep": 5},
}


def chain(n_sweeps, name):
    usual = {"family": "normal_wishart", "prior": None, "n_sweeps": n_sweeps, "burn_in": 2, "seed": 9}
    return dpviz.RunConfig("gibbs", **{**usual, **CHAINS[name]})


@pytest.mark.parametrize("name", CHAINS)
def test_resumed_is_uninterrupted(name):
    first, whole = dpviz.run(X, chain(23, name)), dpviz.run(X, chain(50, name))
    resumed = dpviz.resume(X, first, 50)
    same_trace(resumed, whole, "seconds")
    assert resumed.n_sweeps == 50 and len(np.unique(resumed.draws, axis=0)) > 3
    assert can_resume(Problem.check(X, chain(50, name)), first) == (name not in ("explicit", "restarts"))
    assert (first.position is None) == (name == "explicit")


@pytest.mark.parametrize("family", [name for name in dpviz.FAMILIES if name != "normal_wishart"])
def test_every_family_goes_on_as_it_would_have(family):
    points = dpviz.FAMILIES[family].example_data(50, 3, 2)
    config = dpviz.RunConfig(
        "gibbs", family=family, n_sweeps=8, burn_in=0, init="singletons", split_merge=1, prior=None
    )
    same_trace(
        dpviz.resume(points, dpviz.run(points, config), 20), dpviz.run(points, replace(config, n_sweeps=20)), "seconds"
    )


def test_what_is_done_already_is_not_done_again():
    first = dpviz.run(X, chain(20, "shuffled"))
    longer = Problem.check(X, chain(26, "shuffled"))
    sweeps = [record.sweep for _, _, record in Search(longer, first).records()]
    assert sweeps == list(range(21, 27))
    thinned = dpviz.run(X, chain(21, "thinned"))  # labels were kept of sweep 19 at last
    sweeps = [record.sweep for _, _, record in Search(Problem.check(X, chain(26, "thinned")), thinned).records()]
    assert sweeps == list(range(20, 27))


def test_a_chain_that_was_stopped_or_stored_goes_on_too():
    config, asked = chain(40, "split and merge"), iter(range(1000))
    stopped = dpviz.run(X, config, should_stop=lambda: next(asked) >= 15)
    assert 10 < stopped.n_sweeps < 20
    whole = dpviz.run(X, config)
    same_trace(dpviz.resume(X, stopped, 40), whole, "seconds")
    same_trace(dpviz.resume(X, dpviz.Trace.from_json(stopped.to_json()), 40), whole, "seconds")
    in_steps = dpviz.resume(X, dpviz.resume(X, stopped, 25), 40)
    same_trace(in_steps, whole, "seconds")
    same_trace(dpviz.resume(X, whole, 40), whole, "seconds")


def test_stopping_a_resumed_chain_keeps_what_was_there():
    first = dpviz.run(X, chain(20, "shuffled"))
    again = dpviz.resume(X, first, 100, should_stop=lambda: True)
    assert again.n_sweeps == 21
    assert_array_equal(again.labels[:21], first.labels)


def test_a_chain_of_which_only_the_start_was_kept_begins_again():
    config, asked = replace(chain(40, "one cluster first"), thin=38), iter(range(1000))
    stopped = dpviz.run(X, config, should_stop=lambda: next(asked) >= 15)
    assert stopped.label_sweeps.tolist() in ([0], [0, 2]) and 10 < stopped.n_sweeps < 20
    same_trace(dpviz.resume(X, stopped, 40), dpviz.run(X, config), "seconds")
    early = replace(config, burn_in=0, thin=40)
    kept = dpviz.run(X, early, should_stop=lambda: True)
    assert kept.label_sweeps.tolist() == [0] and kept.position is None
    same_trace(dpviz.resume(X, kept, 40), dpviz.run(X, early), "seconds")


def test_what_cannot_be_continued_is_said():
    trace = dpviz.run(X, chain(20, "shuffled"))
    with pytest.raises(InvalidParameterError, match=r"n_sweeps = 10 must be at least the 20 of the trace"):
        dpviz.resume(X, trace, 10)
    with pytest.raises(InvalidDataError, match="not the data that the trace was made from"):
        dpviz.resume(X + 1, trace, 30)
    with pytest.raises(InvalidParameterError, match="draws a chain"):
        dpviz.resume(X, dpviz.run(X, dpviz.RunConfig("mapdp", n_init=1, family="normal_wishart", prior=None)), 300)


@pytest.mark.parametrize(
    "state", ["none", [], [1, 2, 0, 0], [1, 3, 0], [2**128, 3, 0, 0], [1, 3, 2, 0], [1, 3, 0, True]]
)
def test_random_numbers_of_a_file_are_a_state_or_refused(state):
    text = dpviz.run(X, chain(6, "shuffled")).to_json()
    before = text[text.index('"generator":') :].split(',"arrays"')[0]
    written = '"generator":' + json.dumps(state)
    with pytest.raises(TraceFormatError, match="random numbers"):
        dpviz.Trace.from_json(text.replace(before, written))
