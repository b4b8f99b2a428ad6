"""Directions on the pages: set on the Data page for all of them, in links and code, and offered beside the columns."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import dpviz
from dpviz.errors import DpvizError
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.exports import snippet
from pages import address, close, in_app, opened, run, said, settled

WINE = DataChoice("bundled", "wine", scaling="standardise")
ALONG = replace(WINE, directions=3)
QUICK = dpviz.RunConfig(partition="auto", n_init=2, effort=0.0)


def test_explore_clusters_along_the_directions_of_the_data_and_says_so():
    app = opened("explore", data=ALONG.to_json(), run=json.dumps(replace(QUICK, directions=3).to_query()))
    assert "Clusters differ along 3 directions of the columns; along the other 10 all points are one Gaussian" in said(
        app.main
    )
    assert not app.error and not any(str(button.key).endswith(".directions") for button in app.button)
    assert json.loads(address(app, "data"))["directions"] == 3
    close(app)


def test_a_link_to_a_run_along_directions_sets_them_for_the_data():
    app = opened("explore", data=WINE.to_json(), run=json.dumps(replace(QUICK, directions=2).to_query()))
    assert "Clusters differ along 2 directions" in said(app.main) and not app.warning and not app.error
    close(app)


def test_columns_that_vary_together_are_offered_with_both_answers_on_compare():
    app = settled(run(in_app("explore", data=WINE.to_json(), run=json.dumps(QUICK.to_query()))))
    assert "The columns vary together along 3 of 13 directions" in said(app.main)
    settled(run(next(button for button in app.button if button.label == "See both").click()))
    panels = json.loads(address(app, "panels"))
    assert [panel.get("directions") for panel in panels] == [None, "3"]
    assert "3 directions" in said(app.main) and not app.error
    close(app)


def test_answers_are_offered_directions_of_their_codes_as_numbers():
    choice, config = DataChoice("bundled", "breast_cancer_original"), replace(QUICK, family="binomial", prior=None)
    app = settled(run(in_app("explore", data=choice.to_json(), run=json.dumps(config.to_query()))))
    said_of_them = "9 columns of few ordered values are taken as independent. They vary together along 1 direction"
    assert said_of_them in said(app.main)
    settled(run(next(button for button in app.button if button.label == "See both").click()))
    panels = json.loads(address(app, "panels"))
    assert [(panel.get("family"), panel.get("directions")) for panel in panels] == [("binomial", None), (None, "1")]
    assert "1 direction" in said(app.main) and not app.error
    close(app)
    votes = json.dumps(replace(config, kinds=("binary",) * 16).to_query())
    app = settled(run(in_app("explore", data=DataChoice("bundled", "house_votes_84").to_json(), run=votes)))
    assert "vary together" not in said(app.main)  # two answers have no order
    close(app)


def test_links_of_data_hold_directions_and_older_ones_mean_the_columns():
    assert DataChoice.from_json(ALONG.to_json()) == ALONG
    assert "directions" not in WINE.to_json() and DataChoice.from_json(WINE.to_json()).directions == 0
    for wrong in (-1, 2.5, True, "3", 2000):
        with pytest.raises(DpvizError, match="directions"):
            DataChoice.from_json(json.dumps({"source": "bundled", "name": "wine", "directions": wrong}))
    with pytest.raises(DpvizError, match="0 with principal components"):
        replace(ALONG, n_components=2)
    with pytest.raises(DpvizError, match="must be at most 13"):
        prepare(replace(WINE, directions=14))
    with pytest.raises(DpvizError, match="must be 0 with columns that are binary"):
        prepare(DataChoice("bundled", "house_votes_84", directions=2))


def test_rows_with_missing_cells_are_left_out_or_filled_along_directions():
    cancer = DataChoice("bundled", "breast_cancer_original", scaling="standardise", gaps=True, directions=1)
    whole = prepare(replace(cancer, directions=0))
    assert whole.clustered.incomplete.any() and not prepare(cancer).clustered.incomplete.any()
    assert len(prepare(cancer).X) == len(whole.X) - whole.clustered.incomplete.sum()
    assert len(prepare(replace(cancer, fill=True)).X) == len(whole.X)


def test_the_code_of_a_run_makes_it_again():
    expected = dpviz.run(prepare(ALONG).X, replace(QUICK, directions=3))
    made: dict[str, object] = {}
    exec(snippet(prepare(ALONG), expected.config, ("trace = dpviz.run(X, config)",)), made)  # noqa: S102  (it is what is tested)
    assert isinstance(made["trace"], dpviz.Trace) and made["trace"].config == expected.config
    np.testing.assert_array_equal(made["trace"].labels, expected.labels)
