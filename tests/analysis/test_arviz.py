"""Draws of chains in ArviZ: its diagnostics of them are ours, and its groups hold what the traces hold."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from arviz_stats import ess, rhat
from numpy.testing import assert_array_equal

import dpviz
from dpviz.analysis.posterior import chain_diagnostics
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError
from dpviz.ui.posterior import arviz_offer

CONFIG = dpviz.RunConfig(
    "gibbs",
    family="normal_gamma",
    prior=None,
    n_sweeps=70,
    burn_in=10,
    thin=2,
    split_merge=1,
    hyperpriors={"concentration": "gamma(1,0.3)"},
)


@pytest.fixture(scope="module")
def chains():
    X = dpviz.datasets.load("old_faithful").X[:60]
    return X, [dpviz.run(X, replace(CONFIG, seed=seed)) for seed in (1, 2, 3)]


def test_arviz_finds_what_we_find(chains):
    _, traces = chains
    tree = traces[0].to_arviz(*traces[1:])
    for name in ("n_clusters", "nll", "concentration"):
        series = [getattr(t, name) if name != "concentration" else t.hyperparameters[name] for t in traces]
        ours = chain_diagnostics(
            np.array([own[t.label_sweeps[t.draw_rows]] for own, t in zip(series, traces, strict=True)])
        )
        assert ours.n_draws == 30
        assert float(rhat(tree)[name]) == pytest.approx(ours.rhat, rel=1e-12)
        assert float(ess(tree, method="bulk")[name]) == pytest.approx(ours.ess_bulk, rel=1e-12)
        assert float(ess(tree, method="tail", prob=0.95)[name]) == pytest.approx(ours.ess_tail, rel=1e-12)


def test_groups_hold_what_the_traces_hold(chains):
    X, traces = chains
    tree = traces[0].to_arviz(*traces[1:], feature_names=["eruption", "waiting"])
    assert set(tree.children) == {"posterior", "sample_stats", "partition", "observed_data"}
    assert_array_equal(tree["observed_data/X"].sel(feature="waiting"), X[:, 1])
    assert_array_equal(tree["sample_stats/lp"], -tree["posterior/nll"])
    for chain, trace in enumerate(traces):
        for draw, labels in enumerate(trace.draws):
            assert tree["partition/label"][chain, draw].to_numpy().tolist() == labels.tolist()
            sizes = sorted(np.bincount(labels), reverse=True)
            held = tree["posterior/size"][chain, draw].to_numpy()
            assert held[: len(sizes)].tolist() == sizes and held.sum() == 60
            assert int(tree["posterior/n_clusters"][chain, draw]) == len(sizes)
    assert dpviz.RunConfig.from_json(tree.attrs["configuration"]) == traces[0].config
    again = dpviz.Trace.from_json(traces[0].to_json()).to_arviz()
    assert "observed_data" not in again.children and again["posterior"].sizes["draw"] == 30


def test_chains_of_the_page_become_a_tree_by_the_code_beside_them(chains, tmp_path, monkeypatch):
    _, traces = chains
    (tmp_path / arviz_offer.FILE).write_bytes(arviz_offer.zipped(traces, 30))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(arviz_offer.CODE, "shown", "exec"), names)
    tree = names["tree"]
    assert tree["sample_stats/sweep"][:, 0].to_numpy().tolist() == [32] * 3 and tree["posterior"].sizes["draw"] == 20
    assert_array_equal(tree["partition/label"][2], traces[2].draws[10:])


def test_what_are_no_chains_of_one_model_is_refused(chains, monkeypatch):
    X, (first, *_) = chains
    with pytest.raises(InvalidParameterError, match="gibbs"):
        dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=2)).to_arviz()
    with pytest.raises(InvalidParameterError, match="differ in more"):
        first.to_arviz(dpviz.run(X, replace(CONFIG, split_merge=0)))
    with pytest.raises(InvalidParameterError, match="30 as in the first"):
        first.to_arviz(dpviz.run(X, replace(CONFIG, n_sweeps=90)))
    with pytest.raises(InvalidDataError, match="different data"):
        first.to_arviz(dpviz.run(X + 1, CONFIG))
    with pytest.raises(InvalidParameterError, match="chain 2 is one of those before it again, with seed = 1"):
        first.to_arviz(dpviz.Trace.from_json(first.to_json()))
    with pytest.raises(InvalidDataError, match="other numbers"):
        first.to_arviz(X=X + 1)
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    with pytest.raises(DpvizError, match=r"pip install 'dpviz\[arviz\]'"):
        first.to_arviz()
