"""The sentence on a reader's own table: the columns and the names in it are those of the table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpviz.datasets import Dataset
from dpviz.datasets.tables.cell_values import DAYS
from dpviz.ui.explore.result_words import mean_in_words, telling_columns


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


def test_columns_are_named_by_how_well_they_tell_the_clusters_apart() -> None:
    dataset = people()
    assert dataset.labels is not None
    assert [dataset.feature_names[d] for d in telling_columns(dataset, dataset.labels)] == ["weight", "height"]


def test_rows_go_by_the_column_of_distinct_texts() -> None:
    assert people().row_names()[:2] == ("person 0", "person 1")
    assert Dataset(X=np.zeros((2, 1)), name="none").row_names() == ()


def test_means_of_dates_are_dates() -> None:
    days = np.array([13_634.0, 13_636.2, np.nan, 3e6])  # around 2 May 2007, and what is no date
    dataset = Dataset(X=days[:, None], name="d", feature_names=("when",), units=(("when", DAYS),), gaps=True)
    members = np.arange(3)
    assert mean_in_words(dataset, 0, members) == "2007-05-02"
    assert mean_in_words(dataset, 0, np.array([3])) == "3,000,000"
    plain = Dataset(X=days[:, None], name="d", feature_names=("when",), gaps=True)
    assert mean_in_words(plain, 0, members) == "13,635"
