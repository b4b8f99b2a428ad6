"""Columns that are exact combinations of others are named, and no others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpviz import MAPDP
from dpviz.cli import main
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
TWO = "“len”, “x” are exact linear functions of each other, which so may count more than once; leave one out unless"
THREE = "Each of “len”, “wid”, “y” is an exact linear combination of the others, which so may count more than once;"


def test_a_quantity_in_two_units_and_a_total_are_named_wherever_tables_come_in(
    tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = with_combinations(measured())
    decision = decide(frame)
    assert decision.dependent == BOTH and TWO in " ".join(decision.lines()) and THREE in " ".join(decision.lines())
    assert TWO in " ".join(MAPDP(effort=0.0, n_init=1, random_state=0).fit(frame).notes_)
    file = tmp_path / "table.csv"
    frame.to_csv(file, index=False)
    assert main(["run", str(file), "--algorithm", "kmeans", "--n-clusters", "2", "--n-init", "1"]) == 0
    said = capsys.readouterr()
    assert TWO in said.out + said.err and THREE in said.out + said.err
    assert not decide(frame, features=["len", "wid"]).dependent


@pytest.mark.parametrize("scale", [1e-140, 1e-6, 1.0, 1e6, 1e140])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_units_and_offsets_change_nothing(scale: float, offset: float) -> None:
    own = (measured() + offset) * scale
    assert found(with_combinations(own).assign(x=2 * own["len"] + 3 * scale)) == BOTH
    rounded = own.assign(y=np.round((own["len"] + own["wid"]) / scale / 3, 5))
    assert not found(rounded)


def test_wild_cells_and_gaps_hide_nothing_and_feign_nothing() -> None:
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


def test_too_few_rows_constants_and_copies_tell_nothing() -> None:
    own = with_combinations(measured())
    assert found(own[: 4 + SPARE_ROWS]) == BOTH and not found(own[: 3 + SPARE_ROWS])
    assert not found(pd.concat([measured(n=6)] * 20, ignore_index=True).assign(x=lambda rows: 2 * rows["len"]))
    assert found(own.assign(c=7.0, d=np.nan)[["c", "len", "wid", "x", "y"]]) == BOTH
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(15, 40))).rename(columns=str)
    assert not found(wide)
    assert not found(pd.DataFrame(np.random.default_rng(0).normal(size=(300, 201))).rename(columns=str))


def test_shares_of_a_whole_and_a_rule_with_one_exception() -> None:
    parts = np.random.default_rng(0).integers(1, 50, size=(5_000, 4))
    shares = pd.DataFrame({f"s{k}": parts[:, k] / parts.sum(axis=1) for k in range(4)})
    assert found(shares) == (("s0", "s1", "s2", "s3"),)
    rule = pd.DataFrame(parts, columns=list("abcd")).assign(sum=parts.sum(axis=1))
    assert found(rule) == (("a", "b", "c", "d", "sum"),)
    rule.loc[17, "sum"] += 1  # the sample may not have this row
    assert not found(rule)


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_chance_are_no_combinations(seed: int) -> None:
    r = np.random.default_rng(seed)
    n = int(r.integers(12, 200))
    columns = {
        "normal": r.normal(size=n), "heavy": r.standard_cauchy(n), "long": r.lognormal(0, 3, n),
        "rounded": np.round(r.normal(size=n), 1), "count": r.poisson(3, n), "rare": r.poisson(0.1, n),
        "far": 1e9 + r.normal(size=n), "likert": r.integers(1, 6, n),
    }  # fmt: skip
    columns["nearly"] = 2 * columns["normal"] + 1e-4 * r.normal(size=n)
    columns["in inches"] = np.round(columns["normal"] / 2.54, 3)
    assert not found(pd.DataFrame(columns))
    assert not found(pd.DataFrame(r.integers(0, 3, size=(n, min(n - 11, 30)))).rename(columns=str))
