"""Words about what a run did: when and why its cost rose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from configs import usual_config

import dpviz
from dpviz.config import RunConfig
from dpviz.engine.trace_words import final_start_in_words, rise_in_words
from dpviz.fit.run import run

X = dpviz.datasets.synthesize("null_gaussian", 200, 1).X


def mapdp(first_sweep: str) -> RunConfig:
    """Configure one start from one cluster."""
    return usual_config(init="single", n_init=1, first_sweep=first_sweep)


def test_a_rise_of_the_first_sweep_is_explained_by_the_rule_that_makes_it():
    with_rule, without = run(X, mapdp("one_point")), run(X, mapdp("all_points"))
    assert with_rule.nll[1] > with_rule.nll[0]
    assert "sweep 1" in rise_in_words(with_rule)
    assert not np.any(np.diff(without.nll) > 0)
    assert rise_in_words(without) == ""


def test_a_rise_of_a_start_that_is_running_is_no_error_whatever_ran_before_it():
    whole = run(X, mapdp("one_point"))
    running = replace(whole, chosen_start=len(whole.starts))
    assert np.any(np.diff(running.nll) > 0) and rise_in_words(running) == ""


@pytest.mark.parametrize("config", [usual_config("gibbs", n_sweeps=30, burn_in=5)])
def test_a_chain_rises_by_chance(config):
    chain = run(X, config)
    assert np.any(np.diff(chain.nll) > 0)
    assert "at random" in rise_in_words(chain)


def test_no_reason_is_given_for_what_never_rises():
    assert rise_in_words(run(X, RunConfig("kmeans", n_clusters=3))) == ""


def test_a_best_start_that_was_final_is_said_and_one_that_moved_is_not():
    draws = np.random.default_rng(0)
    points = np.concatenate([draws.normal(centre, 1, (40, 2)) for centre in ([0, 0], [30, 0], [0, 30])])
    settings = RunConfig("mapdp", family="auto", prior="auto", partition="auto")
    final = run(points, settings)
    assert final.n_moved.sum() == 0 and final.starts[final.chosen_start].init == "kmeans(3)"
    words = final_start_in_words(final)
    assert words.startswith(f"Found among {len(final.starts)} starts: the best, K-means with 3 clusters, was final")
    alone = run(points, replace(settings, init="random", init_clusters=6))
    assert alone.n_moved.sum() > 0 and final_start_in_words(alone) == ""
