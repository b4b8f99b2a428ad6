"""The sentence on a reader's own table: the columns and the names in it are those of the table."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from dpviz.datasets import Dataset
from dpviz.datasets.tables.table import DAYS
from dpviz.report.tables import own_columns
from dpviz.ui.explore.result_words import (
    _placed,
    _share_between,
    mean_in_words,
    result_in_words,
    telling_columns,
    telling_parts,
)
from dpviz.ui.session.jobs import Finished


def people() -> Dataset:
    """Two groups of named rows, told apart by weight, less by height, not by luck; a cell is missing."""
    draws = np.random.default_rng(1)
    group = np.repeat([0, 1], 20)
    columns = {"luck": draws.normal(size=40), "height": 165 + 9 * group + draws.normal(0, 5, 40)}
    columns["weight"] = 60 + 25 * group + draws.normal(0, 4, 40)
    columns["luck"][3] = np.nan
    frame = pd.DataFrame({"town": "here", "name": [f"person {i}" for i in range(40)], **columns})
    X = frame[list(columns)].to_numpy()
    return Dataset(
        X=X, labels=group, name="people", feature_names=tuple(columns), frame=frame, rows=np.arange(40), gaps=True
    )


def test_columns_are_named_by_how_well_they_tell_the_clusters_apart():
    dataset = people()
    assert dataset.labels is not None
    assert [dataset.feature_names[d] for d in telling_columns(dataset, dataset.labels)] == ["weight", "height"]


def test_codes_are_told_by_their_shares_which_are_those_of_a_table_of_counts():
    draws, group = np.random.default_rng(2), np.repeat([0, 1], 50)
    yes = draws.random(100) < np.where(group, 0.9, 0.2)
    town = np.where(draws.random(100) < 0.8, group, 2)
    X = np.column_stack([yes, town, draws.integers(0, 2, 100)]).astype(float)
    X[[0, 60], 0] = np.nan
    codes = (("no", "yes"), ("Kiel", "Ulm", "Bonn"), ("a", "b"))
    dataset = Dataset(
        X=X,
        name="d",
        feature_names=("ill", "town", "luck"),
        kinds=("binary", "categorical", "binary"),
        category_names=codes,
        gaps=True,
    )
    assert sorted(telling_columns(dataset, group)) == [0, 1]
    for k in (0, 1):
        members = np.flatnonzero(group == k)
        shares = pd.Series(X[members, 0]).dropna().mean(), np.mean(town[members] == k)
        assert mean_in_words(dataset, 0, members) == f"yes in {shares[0]:.0%}"
        assert mean_in_words(dataset, 1, members) == f"{codes[1][k]} in {shares[1]:.0%}"
    assert mean_in_words(dataset, 0, np.array([0])) == "missing"
    among = pd.crosstab(group, town)  # Goodman and Kruskal's tau
    within = 1 - float((among**2).div(among.sum(axis=1), axis=0).to_numpy().sum()) / 100
    total = 1 - float((among.sum() ** 2).sum()) / 100**2
    assert_allclose(_share_between(_placed(dataset, 1), group), 1 - within / total)


def test_parts_are_told_by_their_shares_in_which_a_cluster_differs_most():
    words = np.array([[40, 30, 30, 0], [4, 3, 3, 0], [10, 10, 40, 40], [1, 1, 4, 4]], dtype=float)
    dataset = Dataset(X=words, name="words", feature_names=("a", "b", "c", "d"), kinds=("parts",) * 4)
    first, second = np.array([0, 1]), np.array([2, 3])
    assert (telling_parts(dataset, first), telling_parts(dataset, second)) == ([0, 1], [3, 2])
    assert (mean_in_words(dataset, 0, first), mean_in_words(dataset, 3, second)) == ("40.0%", "40.0%")
    assert telling_columns(dataset, np.array([0, 0, 1, 1])) == [] and telling_parts(people(), first) == []


def test_shares_of_parts_are_those_of_rows_and_of_rows_without_any_nothing_is_said():
    counts = np.array([[1, 9], [90, 10], [0, 0], [0, 0]], dtype=float)
    dataset = Dataset(X=counts, name="words", feature_names=("a", "b"), kinds=("parts",) * 2)
    both, empty = np.array([0, 1]), np.array([2, 3])
    assert mean_in_words(dataset, 0, both) == "50.0%" and mean_in_words(dataset, 0, empty) == "missing"
    assert_allclose(own_columns(dataset)[0].numbers, [10, 90, np.nan, np.nan])
    assert telling_parts(replace(dataset, X=np.full((4, 2), 5.0)), both) == []


def test_rows_go_by_the_column_of_distinct_texts():
    assert people().row_names()[:2] == ("person 0", "person 1")
    assert Dataset(X=np.zeros((2, 1)), name="none").row_names() == ()


def test_means_of_dates_are_dates():
    days = np.array([13_634.0, 13_636.2, np.nan, 3e6])  # around 2 May 2007, and what is no date
    dataset = Dataset(X=days[:, None], name="d", feature_names=("when",), units=(("when", DAYS),), gaps=True)
    members = np.arange(3)
    assert mean_in_words(dataset, 0, members) == "2007-05-02"
    assert mean_in_words(dataset, 0, np.array([3])) == "3,000,000"
    plain = Dataset(X=days[:, None], name="d", feature_names=("when",), gaps=True)
    assert mean_in_words(plain, 0, members) == "13,635"


def test_means_have_the_digits_that_tell_the_clusters_apart():
    group = np.repeat([0, 1], 20)
    noise = np.random.default_rng(0).normal(0, 0.03, 40)
    for middle, low, high in (
        (1550.2, "1,549.9", "1,550.4"),
        (1e9, "999,999,999.7", "1,000,000,000.2"),
        (0.02, "", ""),
    ):
        step = 1e-3 if middle < 1 else 0.5
        column = middle + step * (group - 0.5) + step * noise
        dataset = Dataset(X=column[:, None], name="d", feature_names=("nm",))
        said = [mean_in_words(dataset, 0, np.flatnonzero(group == k)) for k in (0, 1)]
        assert said[0] != said[1] and said[0].startswith(low) and said[1].startswith(high)
    far = Dataset(X=1e140 * (1 + group[:, None]), name="d", feature_names=("far",))
    assert mean_in_words(far, 0, np.arange(20)) == "1.00e+140"


def test_means_of_few_known_cells_are_told_with_their_number():
    data = people()
    assert data.labels is not None
    X = data.X.copy()
    X[1:19, 2] = np.nan  # of the first group, two weights are known
    data = replace(data, X=X)
    found = SimpleNamespace(
        choice=SimpleNamespace(source="session"),
        prepared=SimpleNamespace(dataset=data),
        trace=SimpleNamespace(result_sweep=1),
        clusters_at=lambda _: data.labels,
        number_of=lambda cluster, _: cluster + 1,
        name_of="cluster {}".format,
    )
    first, second = result_in_words(cast(Finished, found)).split(" and cluster 2 ")
    assert f"weight {mean_in_words(data, 2, np.arange(20))}, known in 2 of 20 rows" in first
    assert "known in" not in first.replace("known in 2 of 20 rows", "") + second
