"""One of a thing is said in the singular, wherever numbers are counted in words."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import dpviz
from dpviz import RunConfig
from dpviz.analysis.effort import in_words
from dpviz.cli.outputs import summary
from dpviz.text import counted
from dpviz.ui.session.chosen_data import DataChoice
from pages import close, in_app, run, said, settled

THINGS = "chain|cluster|column|component|customer|draw|feature|group|merger?|point|row|run|split|start|sweep|table"
WRONG = re.compile(rf"(?<![\d.,\u202f])1 (?:labelled )?(?:{THINGS})s\b")
FEW = DataChoice("synthetic", "spherical").with_options(n=120)
ONE_CLUSTER = RunConfig("kmeans", n_clusters=1, n_init=1, max_sweeps=1)
ONE_START = RunConfig("mapdp", init="single", n_init=1, max_sweeps=1, partition=dpviz.ChineseRestaurant(1e-9))
CHAIN = RunConfig("gibbs", n_sweeps=4, burn_in=0, partition=dpviz.ChineseRestaurant(1e-9), init="single")
MODEL = {"family": "normal_wishart", "prior": None}


def model(config: RunConfig) -> str:
    return json.dumps(RunConfig.from_dict({**config.to_dict(), **MODEL}).to_query())


PAGES_OF_ONE = {
    "explore K-means": ("explore", {"run": json.dumps(ONE_CLUSTER.to_query())}),
    "explore MAP-DP": ("explore", {"run": model(ONE_START)}),
    "compare": ("compare", {"panels": json.dumps([json.dumps(ONE_CLUSTER.to_query()), model(ONE_START)])}),
    "posterior": ("posterior", {"posterior": json.dumps({"run": json.loads(model(CHAIN)), "chains": 1, "burn_in": 3})}),
    "elicit": ("priors", {"priors": json.dumps({"tab": "elicit", "expected_from": 1, "expected_to": 1})}),
    "data": ("data", {}),
}


@pytest.mark.parametrize("name", PAGES_OF_ONE)
def test_pages_count_one_thing_in_the_singular(name):
    page, query = PAGES_OF_ONE[name]
    app = settled(run(in_app(page, data=FEW.to_json(), **query)))
    assert not app.exception and not app.error
    assert WRONG.findall(said(app)) == []
    close(app)


def test_texts_of_runs_count_one_thing_in_the_singular():
    column = np.linspace(0.0, 1.0, 6)[:, None]
    data = dpviz.datasets.Dataset(X=column, name="one", title="One column")
    for config in (ONE_CLUSTER, RunConfig.from_query(json.loads(model(ONE_START)))):
        trace = dpviz.run(column, config)
        assert trace.n_clusters[-1] == 1
        assert "1 feature" in summary(data, trace) and "1 sweep" in in_words(trace)
        assert WRONG.findall(summary(data, trace) + in_words(trace)) == []


def test_the_search_finds_what_it_looks_for():
    for text in ("1 clusters", "has 1 points.", "of 1 chains", "· 1 labelled groups"):
        assert WRONG.search(text)
    for text in ("11 clusters", "1 cluster", "0.1 points", "1,001 rows", "N0 = 1"):
        assert not WRONG.search(text)
    assert [counted(n, "point") for n in (0, 1, 2, 1001)] == ["0 points", "1 point", "2 points", "1,001 points"]
