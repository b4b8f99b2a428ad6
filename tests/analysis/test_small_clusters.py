"""The sentence on clusters that are too small: its numbers are counted again, over all sizes of few points."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import dpviz
from dpviz.cli.outputs import summary
from dpviz.datasets import synthesize
from dpviz.fit.small_clusters import small_clusters_in_words


def sizes_of(n_points: int, largest: int) -> Iterator[list[int]]:
    """All sizes of clusters, the largest first."""
    if n_points == 0:
        yield []
    for first in range(min(n_points, largest), 0, -1):
        for rest in sizes_of(n_points - first, first):
            yield [first, *rest]


@pytest.mark.parametrize("n_points", [1, 2, 9, 20, 25])
def test_single_points_are_counted(n_points):
    for sizes in sizes_of(n_points, n_points):
        said, n_single = small_clusters_in_words(sizes), sizes.count(1)
        found = re.search(r"(All|\d+ of) (\d+) clusters (is a single point|are single points)\.", said)
        assert (found is None) == (n_single == 0 or len(sizes) == 1)
        if found is not None:
            told = len(sizes) if found[1] == "All" else int(found[1].removesuffix(" of"))
            assert (told, int(found[2])) == (n_single, len(sizes))
            assert found[3].startswith("is") == (n_single == 1)


@pytest.mark.parametrize("n_points", [9, 20, 25])
def test_far_more_clusters_than_ten_points_each_allow_are_named(n_points):
    for sizes in sizes_of(n_points, n_points):
        said, allowed = small_clusters_in_words(sizes), max(1, n_points // 10)
        found = re.search(r"(\d+) clusters leave each ([\d.]+) of the (\d+) points .* there would be (\d+)\.", said)
        assert (found is not None) == (len(sizes) > 2 * allowed)
        if found is not None:
            assert (int(found[1]), int(found[3]), int(found[4])) == (len(sizes), n_points, allowed)
            assert abs(float(found[2]) - n_points / len(sizes)) <= 0.05 + 1e-9


def test_the_words_of_an_example():
    assert small_clusters_in_words([30] * 13 + [1] * 14) == "14 of 27 clusters are single points."
    assert small_clusters_in_words([0, 12, 30]) == "" == small_clusters_in_words([250, 250])
    assert small_clusters_in_words([4] * 15) == (
        "15 clusters leave each 4.0 of the 60 points on average; with 10 points each there would be 6."
    )


def test_the_command_line_says_it_of_the_result():
    data = synthesize("spherical_outliers", n=60, seed=0)
    every = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=60, n_init=1))
    assert "note:          All 60 clusters are single points. 60 clusters leave each 1.0" in summary(data, every)
    few = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=2, n_init=1, init=(0,) * 30 + (1,) * 30))
    assert "single point" not in summary(data, few)


@pytest.mark.parametrize("model", [dpviz.MAPDP, dpviz.GibbsDP])
def test_estimators_say_it_among_their_notes(model):
    X = synthesize("spherical_outliers", n=60, seed=0).X
    options = {"family": "normal_gamma", "prior": None, "random_state": 0}
    short = {"n_sweeps": 3, "burn_in": 1} if model is dpviz.GibbsDP else {"max_sweeps": 1, "effort": 0.0}
    options |= {"n_init": 1, **short}
    many = model(concentration=1e6, init="singletons", **options).fit(X)
    said = small_clusters_in_words(many.trace_.sizes(many.trace_.result_sweep))
    assert "single points" in said and many.notes_[-1] == said and said in str(many.show()._repr_html_())
    few = model(concentration=1e-3, **options).fit(X)
    said = small_clusters_in_words(few.trace_.sizes(few.trace_.result_sweep))
    assert few.notes_ == ((said,) if said else ())
