"""Kinds that a column could have beside the guessed one: each can be chosen, and sure columns have none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpviz.datasets.tables import dataset_of, decide, read_table
from dpviz.datasets.tables.kinds import ROLES, infer_kind
from dpviz.datasets.tables.other_kinds import other_kinds

rng = np.random.default_rng(5)
N = 120
COLUMNS = {
    "weight": (rng.normal(size=N), "continuous", ()),
    "spent": (np.where(rng.random(N) < 0.4, 0, np.exp(rng.normal(3, 1, N))), "hurdle", ("continuous",)),
    "stars": (rng.integers(1, 6, N), "ordinal", ("count", "categorical")),
    "units": (rng.poisson(20, N), "continuous", ("count",)),
    "age": (rng.integers(18, 90, N), "continuous", ("count",)),
    "degrees": (rng.integers(-3, 4, N), "ordinal", ("categorical",)),
    "days": (rng.integers(1, 400, N), "duration", ("count", "continuous")),
    "hour": (rng.integers(0, 24, N), "circular 24", ("count", "continuous")),
    "yes": (rng.integers(0, 2, N), "binary", ()),
    "colour": (rng.choice(["red", "green", "blue"], N), "categorical", ()),
    "weekday": (rng.choice(["Mon", "Tue", "Wed", "Thu", "Fri"], N), "categorical", ("circular 7",)),
    "town": (rng.choice([f"town {k}" for k in range(20)], N), "categorical", ("identifier",)),
    "name": ([f"person {k}" for k in range(N)], "identifier", ()),
    "clock": ([f"{h:02d}:30" for h in rng.integers(0, 24, N)], "circular 24", ()),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_these_other_kinds(name):
    values, guessed, others = COLUMNS[name]
    column = pd.Series(values, name=name)
    assert infer_kind(column) == guessed
    assert other_kinds(column, guessed) == others


@pytest.mark.parametrize("name", [name for name, (_, _, others) in COLUMNS.items() if others])
def test_every_other_kind_can_be_chosen(name):
    frame = pd.DataFrame({"beside": rng.normal(size=N), name: COLUMNS[name][0]})
    table = read_table(frame.to_csv(index=False).encode(), "table.csv")
    for other in other_kinds(table.frame[name], COLUMNS[name][1]):
        decision = decide(table.frame, kinds={name: other})
        if other in ROLES:
            assert name not in dict(decision.features)
        else:
            assert dict(zip(*attributes(table, decision), strict=True))[name] == other


def attributes(table, decision):
    dataset = dataset_of(table, decision)
    return dataset.feature_names, dataset.kinds


def test_where_cells_are_missing_the_others_decide():
    column = pd.Series([1.0, np.nan, 3.0, 4.0, 2.0, 5.0] * 20, name="stars")
    assert other_kinds(column, "ordinal") == ("count", "categorical")
    assert other_kinds(pd.Series([np.nan] * 9, name="empty"), "continuous") == ()
