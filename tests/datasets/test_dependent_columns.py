"""Columns that are exact combinations of others are named, and no others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed

from dpviz import MAPDP
from dpviz.datasets.tables import decide
from dpviz.datasets.tables.dependent import SPARE_ROWS, combinations

N = 40


def measured(seed: int = 0, n: int = N) -> pd.DataFrame:
    """Two groups of two columns with two decimals."""
    r = np.random.default_rng(seed)
    group = np.arange(n) % 2
    return pd.DataFrame({"len": np.round(r.normal(5 * group, 1), 2), "wid": np.round(r.normal(-4 * group, 1), 2)})


def found(frame: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    return combinations(frame, list(frame))


def with_combinations(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(x=1.8 * frame["len"] + 32, y=frame["len"] + frame["wid"])


BOTH = (("len", "x"), ("len", "wid", "y"))
X_OUT = "Left out because they follow from “len”, but for rounding: “x”."
Y_OUT = "Left out because they follow from “len”, “wid”, but for rounding: “y”."
TWO = "“len”, “x” are linear functions of each other, but for rounding, which so may count more than once; leave one"
THREE = (
    "Each of “len”, “wid”, “y” is a linear combination of the others, but for rounding, which so may count more than"
)


def test_a_quantity_in_two_units_and_a_total_are_named_wherever_tables_come_in(tmp_path, capsys):
    frame = with_combinations(measured())
    decision = decide(frame)
    assert dict(decision.features).keys() == {"len", "wid"} and not decision.dependent
    assert {X_OUT, Y_OUT} <= set(decision.lines())
    assert "leave out x, because they follow from “len”" in " ".join(
        MAPDP(effort=0.0, n_init=1, random_state=0).fit(frame).notes_
    )
    file = tmp_path / "table.csv"
    frame.to_csv(file, index=False)
    run = typed("run", file, "--algorithm kmeans --n-clusters 2 --n-init 1")
    assert cli(run) == 0
    said = capsys.readouterr()
    assert X_OUT in said.out + said.err and Y_OUT in said.out + said.err
    assert cli(run, "--features len,wid,x,y") == 0
    said = capsys.readouterr()
    assert TWO in said.out + said.err and THREE in said.out + said.err


def test_what_somebody_asks_for_is_clustered_and_said():
    frame = with_combinations(measured())
    asked = decide(frame, features=list(frame))
    assert asked.dependent == BOTH and TWO in " ".join(asked.lines()) and THREE in " ".join(asked.lines())
    of_kind = decide(frame, kinds={"x": "continuous"})
    assert "x" in dict(of_kind.features) and "y" not in dict(of_kind.features) and of_kind.dependent == (BOTH[0],)
    assert not decide(frame, features=["len", "wid"]).dependent


@pytest.mark.parametrize("scale", [1e-140, 1e-6, 1.0, 1e6, 1e140])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_units_and_offsets_change_nothing(scale, offset):
    own = (measured() + offset) * scale
    assert found(with_combinations(own).assign(x=2 * own["len"] + 3 * scale)) == BOTH
    third = (own["len"] + own["wid"]) / scale / 3
    assert not found(own.assign(y=third + 0.05 * np.random.default_rng(1).normal(size=N)))  # five times the step


def test_wild_cells_and_gaps_hide_nothing_and_feign_nothing():
    for wild in (1e5, 1e8, 1e12, 1e300):
        outlier = pd.DataFrame({"len": [wild], "wid": [-wild]})
        own = pd.concat([measured(), outlier], ignore_index=True)
        assert not found(own), wild
        assert found(own.assign(x=2 * own["len"])) == (("len", "x"),), wild
        once = measured().assign(x=2 * measured()["len"])
        assert not found(pd.concat([once, outlier.assign(x=wild)], ignore_index=True)), wild
    gaps = with_combinations(measured(n=80))
    for place, name in enumerate(gaps):
        gaps.loc[place::8, name] = np.nan
    assert found(gaps) == BOTH


def test_too_few_rows_constants_and_copies_tell_nothing():
    own = with_combinations(measured())
    assert found(own[: 4 + SPARE_ROWS]) == BOTH and not found(own[: 3 + SPARE_ROWS])
    assert not found(pd.concat([measured(n=6)] * 20, ignore_index=True).assign(x=lambda rows: 2 * rows["len"]))
    assert found(own.assign(c=7.0, d=np.nan)[["c", "len", "wid", "x", "y"]]) == BOTH
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(15, 40))).rename(columns=str)
    assert not found(wide)
    assert not found(pd.DataFrame(np.random.default_rng(0).normal(size=(300, 201))).rename(columns=str))


def test_shares_of_a_whole_and_a_rule_with_one_exception():
    parts = np.random.default_rng(0).integers(1, 50, size=(5_000, 4))
    shares = pd.DataFrame({f"s{k}": parts[:, k] / parts.sum(axis=1) for k in range(4)})
    assert found(shares) == (("s0", "s1", "s2", "s3"),)
    rule = pd.DataFrame(parts, columns=list("abcd")).assign(sum=parts.sum(axis=1))
    assert found(rule) == (("a", "b", "c", "d", "sum"),)
    rule.loc[17, "sum"] += 40  # the sample may not have this row; rounding each to a whole number does less
    assert not found(rule)


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_chance_are_no_combinations(seed):
    r = np.random.default_rng(seed)
    n = int(r.integers(12, 200))
    columns = {
        "normal": r.normal(size=n),
        "heavy": r.standard_cauchy(n),
        "long": r.lognormal(0, 3, n),
        "rounded": np.round(r.normal(size=n), 1),
        "count": r.poisson(3, n),
        "rare": r.poisson(0.1, n),
        "far": 1e9 + r.normal(size=n),
        "likert": r.integers(1, 6, n),
    }
    columns["nearly"] = 2 * columns["normal"] + 1e-4 * r.normal(size=n)
    assert not found(pd.DataFrame(columns))
    assert not found(pd.DataFrame(r.integers(0, 3, size=(n, min(n - 11, 30)))).rename(columns=str))


def rounded_shares(seed: int, digits: int, whole: float) -> pd.DataFrame:
    """Shares of three groups that add up to a whole, but for rounding."""
    r = np.random.default_rng(seed)
    n, n_parts = int(r.integers(60, 400)), int(r.integers(3, 8))
    centres = r.dirichlet(np.full(n_parts, 2.0), 3)
    shares = np.vstack([r.dirichlet(80 * centres[k]) for k in r.integers(0, 3, n)])
    return pd.DataFrame({f"s{k}": np.round(whole * shares[:, k], digits) for k in range(n_parts)})


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("digits", "whole"), [(0, 100.0), (1, 100.0), (3, 1.0)])
def test_rounded_shares_of_a_whole_are_found_and_the_last_is_left_out(seed, digits, whole):
    frame = rounded_shares(seed, digits, whole)
    made_of = found(frame)
    assert [names[-1] for names in made_of] == [frame.columns[-1]] and len(made_of[0]) >= 3
    assert frame.columns[-1] not in dict(decide(frame).features)


@pytest.mark.parametrize("seed", range(20))
def test_a_total_among_its_parts_is_found_wherever_it_stands(seed):
    r = np.random.default_rng(seed)
    parts = pd.DataFrame({f"p{k}": np.round(r.lognormal(3, 0.5, 150), 1) for k in range(4)})
    total = np.round(parts.sum(axis=1), 0)  # rounded more coarsely than its parts
    place = int(r.integers(0, 5))
    parts.insert(place, "total", total)
    parts.insert(0, "apart", np.round(r.normal(size=150), 2))
    assert [set(names) for names in found(parts)] == [set(parts.columns) - {"apart"}]


@pytest.mark.parametrize("seed", range(20))
def test_a_column_that_another_explains_well_but_not_to_its_digits_is_none(seed):
    r = np.random.default_rng(seed)
    height = np.round(r.normal(170, 8, 200), 0)
    sitting = np.round(0.52 * height + r.normal(0, 1.2, 200), 1)
    likert = pd.DataFrame({f"q{k}": r.integers(1, 6, 200) for k in range(5)})
    assert not found(likert.assign(height=height, sitting=sitting))
    assert not found(pd.DataFrame({"a": r.integers(0, 2, 200), "b": r.integers(0, 2, 200), "c": r.integers(0, 3, 200)}))


def test_the_same_quantity_rounded_in_two_units_is_one():
    cm = np.random.default_rng(0).normal(170, 8, 100)
    frame = pd.DataFrame({"cm": np.round(cm, 1), "in": np.round(cm / 2.54, 1)})
    assert found(frame) == (("cm", "in"),)


@pytest.mark.parametrize("seed", range(5))
def test_whole_numbers_that_differ_by_little_are_kept(seed):
    r = np.random.default_rng(seed)
    n = 150
    before, marks, common = r.integers(10, 60, n), r.integers(0, 21, n), r.normal(5, 2.2, n)
    tables = {
        "groups in a difference": {"pre": before, "post": before + 2 * r.integers(0, 2, n)},
        "years": {"start": 1990 + before, "end": 1990 + before + r.integers(2, 6, n)},
        "marks": {"g1": marks, "g2": marks + r.integers(-1, 2, n), "g3": marks + r.integers(-1, 2, n)},
        "items": {f"q{k}": np.clip(np.round(common + r.normal(0, 0.5, n)), 0, 10) for k in range(8)},
        "rooms": {"rooms": r.integers(2, 9, n), "bedrooms": r.integers(2, 9, n)},
    }
    for columns in tables.values():
        frame = pd.DataFrame(columns)
        assert not found(frame), list(columns)


def in_whole_numbers(seed: int) -> dict[str, pd.DataFrame]:
    """Tables of a normal group in whole numbers with a column that follows from the others, but for rounding."""
    r = np.random.default_rng(seed)
    n = int(r.integers(80, 400))
    parts = pd.DataFrame({name: np.round(r.normal(50, 9, n)) for name in "abc"})
    celsius, cm = r.normal(20, 9, n), r.normal(165, 12, n)
    other = np.round(r.normal(size=n), 2)
    return {
        "mean": parts.assign(mean=np.round(parts.mean(axis=1), 2)),
        "mean, first": pd.DataFrame({"mean": np.round(parts.mean(axis=1), 1)}).join(parts),
        "temperature": pd.DataFrame({"C": np.round(celsius), "F": np.round(1.8 * celsius + 32), "other": other}),
        "length": pd.DataFrame({"cm": np.round(cm), "other": other, "in": np.round(cm / 2.54)}),
    }


@pytest.mark.parametrize("seed", range(20))
def test_means_of_whole_numbers_and_two_units_in_whole_numbers_are_found(seed):
    for name, frame in in_whole_numbers(seed).items():
        assert [set(names) for names in found(frame)] == [set(frame) - {"other"}], name
        assert list(frame)[-1 if name != "temperature" else 1] not in dict(decide(frame).features)


@pytest.mark.parametrize("seed", range(20))
def test_whole_numbers_that_differ_by_more_than_rounding_does_are_kept(seed):
    r = np.random.default_rng(seed)
    n = int(r.integers(80, 400))
    net, tare, won, lost = r.integers(100, 900, n), r.integers(10, 40, n), r.integers(0, 30, n), r.integers(0, 30, n)
    height = np.round(r.normal(170, 8, n))
    tables = {
        "groups in a sum": {"net": net, "tare": tare, "gross": net + tare + 2 * r.integers(0, 2, n)},
        "nearly a difference": {"won": won, "lost": lost, "difference": won - lost + r.integers(-1, 2, n)},
        "grades": {"first": won + 50, "second": won + 50 + r.integers(-1, 2, n)},
        "birth and age": {"year": 1940 + lost, "age": 2024 - 1940 - lost - r.integers(0, 2, n)},
        "sitting": {"height": height, "sitting": np.round(0.52 * height + r.normal(0, 0.8, n))},
        "halves": {"whole": net, "half": net // 2 + r.integers(0, 2, n)},
        "groups in a double": {"once": net, "twice": 2 * net + 2 * r.integers(0, 2, n)},
        "few steps": {"rooms": won % 7, "area": np.round(2.2 * (won % 7) + r.normal(0, 0.3, n))},
        "mean of others": {"a": net, "b": tare, "mean": np.round((net + tare) / 2 + r.normal(0, 0.5, n), 1)},
    }
    for name, columns in tables.items():
        assert not found(pd.DataFrame(columns)), name
