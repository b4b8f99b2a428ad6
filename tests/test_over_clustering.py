"""Three restaurants on the same data: their priors, their chains, and what the charts hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import dpviz
from dpviz.analysis.over_clustering import over_clustering, rival_priors
from dpviz.errors import InvalidParameterError
from dpviz.figures import over_clustering as figures

BASE = dpviz.RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=120, burn_in=40, thin=4, seed=2)
SIM = dpviz.datasets.synthesize("powered_sim_1", n=200, seed=1).X


def test_the_oracles_concentrations_are_those_of_the_paper():
    """Sec. 3.1 prints 0.52 and 0.40 for three clusters among 300 and 2000 points."""
    for n_points, printed in ((300, 0.52), (2000, 0.40)):
        priors = rival_priors(n_points, 3)
        assert list(priors) == ["CRP", "CRP-Oracle", "pCRP"]
        assert priors["CRP-Oracle"].concentration * math.log(n_points) == pytest.approx(3, rel=1e-12)
        assert priors["CRP-Oracle"].concentration == pytest.approx(printed, abs=0.01)
        assert (priors["CRP"].concentration, priors["pCRP"]) == (1.0, dpviz.PoweredChineseRestaurant(1.0, 1.1))


def test_each_chain_is_the_run_of_its_own_prior():
    result = over_clustering(SIM, 3, replace(BASE, hyperpriors={"concentration": "gamma(1,1)"}), power=1.2)
    for name, prior in rival_priors(200, 3, power=1.2).items():
        alone = dpviz.run(SIM, replace(BASE, partition=prior))
        np.testing.assert_array_equal(result.traces[name].labels, alone.labels)
        law = result.laws()[name]
        shares = np.bincount(alone.n_clusters[41:], minlength=30) / 80
        np.testing.assert_allclose(law.probabilities, shares[law.values], atol=1e-12)
    assert result.laws()["pCRP"].mean < result.laws()["CRP"].mean


def test_all_have_the_model_that_was_chosen_for_the_first():
    result = over_clustering(SIM, 3, dpviz.RunConfig("gibbs", n_sweeps=4, burn_in=0))
    assert len({(t.config.family, t.config.prior) for t in result.traces.values()}) == 1


def test_charts_hold_the_chains_and_their_laws():
    some, all_points = over_clustering(SIM[:80], 3, BASE), over_clustering(SIM, 3, BASE)
    drawn = figures.traces_of_n_clusters(all_points)
    assert [trace.name for trace in drawn.data] == list(all_points.traces)
    for line, trace in zip(drawn.data, all_points.traces.values(), strict=True):
        np.testing.assert_array_equal(line.y, trace.n_clusters)
    assert {shape.y0 for shape in drawn.layout.shapes} == {3}
    drawn = figures.laws_of_n_clusters([some, all_points])
    expected = [law for result in (some, all_points) for law in result.laws().values()]
    for line, law in zip(drawn.data, expected, strict=True):
        np.testing.assert_array_equal(line.x, law.values)
        np.testing.assert_array_equal(line.y, law.probabilities)
    assert [note.text for note in drawn.layout.annotations] == ["N = 80", "N = 200"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_true": 0}, r"n_true = 0 must be a whole number from 1"),
        ({"n_true": 2.5}, r"n_true = 2.5 must be a whole number from 1"),
        ({"X": SIM[:1]}, r"n_points = 1 must be a whole number ≥ 2"),
        ({"base": dpviz.RunConfig("mapdp")}, r"algorithm = 'mapdp' must be one that draws a chain"),
        ({"power": -1.0}, r"power = -1.0 must be"),
    ],
)
def test_bad_values_are_named(change, message):
    with pytest.raises(InvalidParameterError, match=message):
        over_clustering(**{"X": SIM, "n_true": 3, "base": BASE, **change})
    with pytest.raises(InvalidParameterError, match="results"):
        figures.laws_of_n_clusters([])
