"""Runs inside a notebook: the page that plays them is theirs, whole, and of their own data."""

from __future__ import annotations

import base64
import html
import re

import numpy as np
import pytest
from player_checks import layer

import dpviz
from dpviz.engine.display import register_display
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.limits import MOST_PLAYED_UNASKED
from dpviz.player.blocks import read_header
from dpviz.player.notebook import Film

IRIS = dpviz.datasets.load("iris")
KMEANS = dpviz.RunConfig("kmeans", n_clusters=3, n_init=1)
MAPDP = dpviz.RunConfig("mapdp", n_init=1, init="single", family="normal_wishart", prior=None)


def payload_of(film: Film) -> bytes:
    found = re.search(r'id="payload">([^<]*)<', film.page)
    assert found is not None
    return base64.b64decode(found[1])


def test_a_trace_plays_itself_with_its_curves_and_every_label():
    trace = dpviz.run(IRIS.X, MAPDP)
    payload = payload_of(trace.show(labels=IRIS.labels))
    (panel,) = read_header(payload)["panels"]
    assert panel["title"] == "MAP-DP · N0 = 3 · seed 0" and panel["class_names"] == ["0", "1", "2"]
    np.testing.assert_array_equal(layer(payload, "nll", 0), trace.nll)
    for shown, expected in zip(layer(payload, "labels", 0), trace.labels, strict=True):
        pairs = set(zip(shown.tolist(), expected.tolist(), strict=True))
        assert len(pairs) == len(set(shown.tolist())) == len(set(expected.tolist()))


def test_another_display_can_show_traces():
    trace = dpviz.run(IRIS.X, KMEANS)
    register_display(lambda traces, X, labels, titles: (traces, X, labels, titles))
    try:
        assert trace.show() == ([trace], None, None, [])
        assert trace.show(IRIS.X, IRIS.labels, "mine") == ([trace], IRIS.X, IRIS.labels, ["mine"])
    finally:
        register_display(dpviz.compare_traces)
    assert isinstance(trace.show(), Film)


def test_a_notebook_gets_the_page_in_a_frame_and_a_file_gets_it_as_it_is(tmp_path):
    film = dpviz.run(IRIS.X, KMEANS).show(title="three < four")
    shown = film._repr_html_()
    (source,) = re.findall(r'srcdoc="([^"]*)"', shown)
    assert html.unescape(source) == film.page == film.save(tmp_path / "run.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in film.page and "three &lt; four" in film.page
    assert "three < four" in repr(film) and len(repr(film)) < 200


def test_runs_are_compared_in_colours_that_match():
    traces = [dpviz.run(IRIS.X, config) for config in (KMEANS, MAPDP, MAPDP)]
    film = dpviz.compare_traces(traces, titles=["one", "two", "two again"])
    payload = payload_of(film)
    panels = read_header(payload)["panels"]
    assert [panel["title"] for panel in panels] == ["one", "two", "two again"]
    first, second, third = (layer(payload, "labels", panel)[-1] for panel in range(3))
    np.testing.assert_array_equal(second, third)
    assert np.mean(first == second) > 0.6  # K-means finds nearly the same groups, under the same numbers


def test_an_estimator_plays_its_fit():
    model = dpviz.KMeans(n_clusters=2, n_init=1, random_state=0).fit(IRIS.frame.iloc[:, :4])
    (panel,) = read_header(payload_of(model.show(IRIS.labels)))["panels"]
    assert panel["value_names"] == list(IRIS.feature_names)


def test_a_stored_run_needs_its_data_and_takes_no_others():
    run = dpviz.run(IRIS.X, KMEANS)
    trace = dpviz.Trace.from_json(run.to_json())
    assert trace.X is None and trace._repr_html_() is None
    with pytest.raises(InvalidDataError, match="give them as X"):
        trace.show()
    with pytest.raises(InvalidDataError, match="is not what the run was made from"):
        trace.show(IRIS.X * 2)
    with pytest.raises(InvalidDataError, match="149 rows"):
        trace.show(IRIS.X[1:])
    assert payload_of(trace.show(IRIS.X)) == payload_of(run.show())


def test_data_that_were_changed_after_the_run_are_not_shown_as_its_own():
    X = IRIS.X.copy()
    trace = dpviz.run(X, KMEANS)
    X[0] = 0.0  # the array stays the caller's own
    with pytest.raises(InvalidDataError, match="is not what the run was made from"):
        trace.show()


def test_large_runs_are_played_when_that_is_asked_for():
    X = np.random.default_rng(0).normal(size=(MOST_PLAYED_UNASKED + 1, 1))
    trace = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=2, n_init=1, max_sweeps=1))
    assert trace._repr_html_() is None
    assert "iframe" in trace.show()._repr_html_()
    assert "iframe" in (dpviz.run(X[1:], trace.config)._repr_html_() or "")


@pytest.mark.parametrize(
    ("n_traces", "titles", "message"),
    [(0, (), "number of traces = 0"), (7, (), "number of traces = 7"), (2, ("one",), "number of titles = 1")],
)
def test_what_cannot_be_compared_is_refused(n_traces, titles, message):
    with pytest.raises(InvalidParameterError, match=message):
        dpviz.compare_traces([dpviz.run(IRIS.X, KMEANS)] * n_traces, titles=titles)
