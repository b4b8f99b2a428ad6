"""The slider of how wrong the model may be, and the curve from which α is read."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from test_explore_page import computed as computed_run
from test_explore_page import open_page, shown
from test_tune_page import SMALL, X, opened

import dpviz
from dpviz.analysis.coarsening import Level, bend, levels, usual_values
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidParameterError
from dpviz.figures.coarsening import fit_against_clusters
from dpviz.ui.controls.cluster_controls import EXACT
from dpviz.ui.session import naming
from dpviz.ui.shell import links
from dpviz.ui.tune import page as tune
from pages import opened as opened_page
from pages import said, shown_run

MODEL = dpviz.RunConfig(family="normal_gamma", prior=None)


def level(alpha: float, n_clusters: int, fit: float) -> Level:
    return Level(alpha, alpha / (alpha + 100), n_clusters, fit, np.zeros(100, dtype=np.int64), MODEL)


def test_levels_go_from_fine_to_coarse_each_no_worse_than_the_partition_before():
    found = list(levels(X, MODEL, [5.0, 1000.0, 50.0]))
    assert [one.alpha for one in found] == [1000.0, 50.0, 5.0]
    for before, after in zip(found, found[1:], strict=False):
        nll = partition_nll(Problem(X, after.config), [before.labels, after.labels])
        assert nll[1] <= nll[0] + 1e-9
        assert after.weight == after.alpha / (after.alpha + len(X))
    values = usual_values(300)
    assert values[0] == pytest.approx(30_000) and values[-1] == pytest.approx(10) and len(values) == 9


def test_the_bend_is_the_corner_of_the_curve_up_to_the_best_fit():
    corner = level(100, 3, -1.2)
    found = [level(1e4, 9, -1.0), level(1e3, 6, -1.1), corner, level(30, 2, -3.0), level(10, 1, -4.0)]
    assert bend(found) is corner
    assert bend([*found, level(1e5, 20, -1.5)]) is corner, "what fits worse than fewer clusters does not count"
    assert bend([]) is None and bend(found[:2]) is None and bend([level(1, 1, -1.0)] * 4) is None


def test_what_has_no_likelihood_or_no_alpha_is_refused():
    with pytest.raises(InvalidParameterError, match="algorithm = 'kmeans' must be mapdp or gibbs"):
        levels(X, dpviz.RunConfig("kmeans"))
    with pytest.raises(InvalidParameterError, match="coarsening"):
        levels(X, MODEL, [10.0, -1.0])


def test_the_figure_holds_the_levels():
    found = [level(1e4, 9, -1.0), level(100, 3, -1.2), level(10, 1, -4.0)]
    curve, corner, chosen = fit_against_clusters(found[::-1], found[1], found[0]).data
    assert list(curve.x) == [9, 3, 1] and list(curve.y) == [-1.0, -1.2, -4.0]
    assert list(corner.x) == [3] and list(chosen.x) == [9]
    assert len(fit_against_clusters(found, None, found[0]).data) == 2


def test_the_tune_page_draws_the_curve_and_opens_the_run():
    at = opened(tune.COARSENING)
    slider = at.select_slider(key="tune.coarsening.alpha")
    assert len(slider.options) == 9 and "nll cannot, either" in said(at)
    alpha = usual_values(len(X)).tolist()[4]
    slider.set_value(alpha).run()
    assert f"At α = {alpha:.4g}" in said(at)
    at.button(key="tune.coarsening.open").click().run()
    assert shown_run(at).config.coarsening == alpha


def test_the_slider_of_explore_coarsens_the_run_and_follows_a_link():
    config = replace(MODEL, coarsening=33.0, n_init=2)
    at = computed_run(open_page(**links.state_query(SMALL, config)))
    assert shown(at).config.coarsening == 33.0
    key = f"run.coarsening.{naming.data_key(SMALL)}"
    slider = at.select_slider(key=key)
    assert slider.value == 33.0 and "not comparable with that of another α" in said(at)
    computed_run(slider.set_value(EXACT).run())
    assert shown(at).config.coarsening is None


def test_the_posterior_page_keeps_the_alpha_of_a_link_and_lets_it_go():
    setup = {
        "run": replace(MODEL, coarsening=33.0).to_query() | {"algorithm": "gibbs", "n_sweeps": "40", "burn_in": "0"},
        "chains": 1,
    }
    at = opened_page("posterior", data=SMALL.to_json(), posterior=json.dumps(setup))
    slider = at.select_slider(key=f"posterior.coarsening.{naming.data_key(SMALL)}")
    assert slider.value == 33.0
    assert json.loads(at.query_params["posterior"])["run"]["coarsening"] == "33.0"
    slider.set_value(EXACT).run()
    assert "coarsening" not in json.loads(at.query_params["posterior"])["run"]
