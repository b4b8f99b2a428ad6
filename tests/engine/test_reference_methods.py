"""Reference rows: against scikit-learn called directly, and noise by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import HDBSCAN
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

import dpviz
from dpviz.analysis.comparison import label_scores
from dpviz.analysis.reference_methods import MOST_COMPONENTS, Reference, Unfitted, n_steps, references

DATA = dpviz.datasets.synthesize("elliptical_separated", n=90)


def test_the_rows_are_what_scikit_learn_finds_with_the_settings_they_name():
    found = [row for row in references(DATA.X, seed=5, n_starts=2) if isinstance(row, Reference)]
    mixture, variational, density = found
    fits = [GaussianMixture(k, n_init=2, max_iter=500, random_state=5).fit(DATA.X) for k in range(1, 7)]
    best = min(fits, key=lambda fit: fit.bic(DATA.X))
    assert 1 < best.n_components < 6
    assert dpviz.metrics.ari(mixture.labels, best.predict(DATA.X)) == 1
    assert "K from 1 to 12 by BIC, 2 starts each, seed 5" in mixture.settings
    assert "truncated at 20" in variational.settings and "2 starts, seed 5" in variational.settings
    assert_array_equal(density.labels, HDBSCAN(min_cluster_size=5, copy=True).fit_predict(DATA.X))
    assert f"{np.sum(density.labels < 0)} points are noise" in density.settings
    assert all(row.seconds > 0 for row in found)
    assert mixture.scores(DATA.labels)["nmi"] == dpviz.metrics.nmi(DATA.labels, mixture.labels)
    assert np.isnan(mixture.scores(DATA.labels)["nll"])


def test_densities_and_distances_have_columns_of_their_own():
    far = DATA.X @ np.array([[5.0, 0.0], [0.0, 0.2]])
    both = [row for row in references(DATA.X, 5, 1, distances=far) if isinstance(row, Reference)]
    densities, distances = ([row for row in references(X, 5, 1) if isinstance(row, Reference)] for X in (DATA.X, far))
    for found, expected in zip(both, [*densities[:2], distances[2]], strict=True):
        assert_array_equal(found.labels, expected.labels)
    assert [row.has_density for row in both] == [True, True, False]
    assert not np.array_equal(densities[2].labels, distances[2].labels)


def test_what_scikit_learn_cannot_fit_is_said_and_the_others_are_found(monkeypatch):
    def fails(*_):  # whether columns that repeat others make it fail depends on the machine's rounding
        raise ValueError("ill-defined")

    monkeypatch.setattr(GaussianMixture, "fit", fails)
    monkeypatch.setattr(BayesianGaussianMixture, "fit_predict", fails)
    found = [row for row in references(DATA.X, 0, 1) if row is not None]
    assert [row.name for row in found] == ["Gaussian mixture + BIC", "Variational mixture", "HDBSCAN"]
    for row in found[:2]:
        assert isinstance(row, Unfitted)
        assert row.in_words() == f"{row.name} could not be fitted to these data. scikit-learn says: ill-defined"
    assert isinstance(found[2], Reference) and len(found[2].labels) == 90


def test_numbers_of_components_that_cannot_be_fitted_lose(monkeypatch):
    fit = GaussianMixture.fit

    def fails_with_many(self, X):
        if self.n_components > 10:
            raise ValueError("ill-defined")
        return fit(self, X)

    expected = next(row for row in references(DATA.X, 5, 2) if row is not None)
    monkeypatch.setattr(GaussianMixture, "fit", fails_with_many)
    found = next(row for row in references(DATA.X, 5, 2) if row is not None)
    assert isinstance(found, Reference) and isinstance(expected, Reference)
    assert_array_equal(found.labels, expected.labels)
    assert "scikit-learn could not fit K = 11 and 12" in found.settings
    assert "could not" not in expected.settings


@pytest.mark.parametrize("n_points", [2, 5, 40])
def test_it_yields_as_often_as_it_says_on_few_points_too(n_points):
    X = DATA.X[:: len(DATA.X) // n_points][:n_points]
    assert len(list(references(X, 0, 1))) == n_steps(X) == 3 + min(n_points, MOST_COMPONENTS)


def test_noise_is_one_group_of_the_agreements_and_no_cluster():
    labels, known = np.array([0, 0, 1, 1, -1, -1]), np.array([0, 0, 1, 1, 2, 2])
    found = label_scores(labels, known)
    assert found["n_clusters"] == 2 and found["delta_k"] == -1
    assert found["nmi"] == found["ari"] == 1
