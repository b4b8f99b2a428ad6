"""Whether whole numbers are counts or measures: nll decides, but where somebody has said what they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import cli

import dpviz
from dpviz.datasets.tables import read_table, to_dataset
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidParameterError
from dpviz.families.automatic import REAL
from dpviz.fit import kinds
from dpviz.fit.automatic import resolve
from dpviz.fit.steps import drained
from dpviz.fit.width import Table, WidthChoice
from dpviz.metrics import ari

GROUPS = np.repeat([0, 1, 2], 60)
CENTRES = np.array([[0.0, 0.0], [27.0, 6.0], [9.0, 30.0]])


def measures(deviation=30.0, seed=0):
    """Round normal groups; the least number of each column is 0, as of counts."""
    X = deviation * (CENTRES[GROUPS] + np.random.default_rng(seed).normal(size=(180, 2)))
    return np.round(X - X.min(axis=0))


def counts(seed=0):
    means = np.array([[4.0, 50.0], [30.0, 12.0], [80.0, 40.0]])
    return np.random.default_rng(seed).poisson(means[GROUPS]).astype(float)


def asking(X, **settings):
    return dpviz.RunConfig(kinds=("whole",) * X.shape[1], partition="auto", **settings)


@pytest.mark.parametrize("deviation", [3.0, 30.0, 300.0])
def test_rounded_normal_groups_are_measures_of_lower_nll(deviation):
    X = measures(deviation)
    choice = resolve(X, asking(X), ["width", "height"])
    assert choice.config.kinds is None and choice.config.family in REAL
    assert choice.notes[0].startswith("Columns “width”, “height” are measured rather than counted: as counts nll is ")
    found = dpviz.run(X, choice.config)
    as_counts = dpviz.run(X, dpviz.RunConfig(kinds=("count", "count"), partition="auto"))
    assert found.nll[-1] < as_counts.nll[-1]
    assert ari(GROUPS, found.result_labels) > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_counts_stay_counts_with_the_model_that_they_have_when_named(seed):
    X = counts(seed)
    choice = resolve(X, asking(X, transform="auto", directions="any"))
    named = resolve(X, dpviz.RunConfig(kinds=("count", "count"), partition="auto"))
    assert choice.config == named.config and choice.config.kinds == ("count", "count")
    assert choice.notes[0].startswith("Whole numbers are taken for counts: as measures they have an nll ")
    assert choice.notes[1:] == named.notes


def test_a_few_nats_leave_counts():
    X = np.random.default_rng(0).poisson(300, (60, 1)).astype(float)  # nearly normal
    choice = resolve(X, asking(X))
    assert choice.config.kinds == ("count",)
    assert "nats lower in short runs (at least 2.6 is asked for)" in choice.notes[0]


def test_every_column_may_have_its_own_kind():
    X = np.column_stack([measures(300.0)[:, 0], counts()[:, 0]])
    X[:, 1] = np.random.default_rng(1).poisson([2.0, 9.0, 40.0], (60, 3)).T.ravel()
    choice = resolve(X, asking(X))
    assert choice.config.kinds == ("continuous", "count") and choice.config.family == "mixed"
    assert choice.notes[0].startswith("Column 0 is measured rather than counted")


def test_one_value_of_many_rows_makes_no_measure():
    """A density may be as high as it likes on a single value, the probability of a whole number is at most 1."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random(300) < 0.6, 7.0, rng.poisson(40.0, 300))[:, None]
    assert len(np.unique(X)) > kinds.FEWEST_VALUES
    assert resolve(X, asking(X)).config.kinds == ("count",)


def test_the_density_within_steps_is_at_most_the_probability_of_a_step():
    """Of one cluster on one value a density has no bound; moved within the step it has."""
    X = np.full((200, 1), 5.0)
    moved = kinds._moved(X, [0])
    assert np.all(np.abs(moved - X) <= 0.5) and np.ptp(moved) > 0.9
    config = dpviz.RunConfig(family="normal_gamma", prior={"width": 0.01})
    nll = float(partition_nll(kinds.sampled_problem(moved, config), [np.zeros(200)])[0])
    assert nll > 0


def fees(at, n=120):
    """Return eleven measured columns in whole numbers (n, 12), and a twelfth of which a third is one value."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(n, 2)) + 6 * (np.arange(n) % 2)[:, None] * [1, 0]
    X = np.round(100 * factors @ rng.normal(size=(2, 11)) + 30 * rng.normal(size=(n, 11))) + 3000
    return np.column_stack([X, np.where(np.arange(n) % 3 == 0, at, np.round(rng.normal(500, 60, n)))])


@pytest.mark.parametrize(("at", "directions", "kind"), [(500, "any", None), (500, None, "count"), (0, "any", "count")])
def test_a_heaped_column_is_measured_where_it_alone_stands_in_the_way_of_directions(at, directions, kind):
    X = fees(at)
    settings = {"directions": directions, "effort": 0.0}
    choice = drained(kinds.propose(Table(X), WidthChoice(asking(X, **settings))))
    assert (choice.config.kinds or (None,))[-1] == kind
    assert any(note.startswith("Column 11 is measured like all others") for note in choice.notes) == (kind is None)


def test_what_is_named_is_kept():
    X = measures()
    named = dpviz.RunConfig(kinds=("count", "count"), partition="auto")
    assert resolve(X, named).config.kinds == ("count", "count")
    for settings in ({"family": "poisson"}, {"family": "mixed"}, {"prior": {"dispersion": 0.1}}):
        assert asking(X, **settings).kinds == ("count", "count")
    frame = pd.DataFrame(X.astype(int), columns=["width", "height"])
    model = dpviz.MAPDP(kinds=["count", "count"], random_state=0).fit(frame)
    assert model.trace_.config.kinds == ("count", "count")
    assert not any("rather than counted" in note for note in model.notes_)


def test_counts_with_a_width_that_follow_from_each_other_are_clustered_in_directions():
    X = counts()[:, [0, 0]]
    for kind in ("whole", "count"):
        config = dpviz.RunConfig(kinds=(kind, kind), prior={"width": 0.3}, partition="auto", n_init=1, effort=0.05)
        choice = resolve(X, config)
        assert choice.config.directions == 1 and choice.config.family in REAL
        assert dict(choice.config.prior)["width"] == 0.3 and "directions instead" in choice.notes[0]


def test_categories_and_few_values_are_no_measures():
    rng = np.random.default_rng(0)
    X = np.column_stack([GROUPS, rng.integers(0, 2, 180), rng.integers(0, 20, 180), measures(300.0)[:, 0]])
    config = dpviz.RunConfig(kinds=("categorical", "binary", "whole", "whole"), partition="auto")
    choice = resolve(X, config)
    assert choice.config.kinds == ("categorical", "binary", "count", "continuous")
    few = resolve(X[:, 2:3], dpviz.RunConfig(kinds=("whole",)))
    assert few.config.kinds == ("count",) and not any("measure" in note for note in few.notes)


def test_frames_and_estimators_ask_and_say_what_was_decided():
    frame = pd.DataFrame(measures().astype(int), columns=["width", "height"])
    model = dpviz.MAPDP(random_state=0).fit(frame)
    assert model.trace_.config.kinds is None and model.trace_.config.family in REAL
    assert any("“width”, “height” are measured rather than counted" in note for note in model.notes_)
    assert ari(GROUPS, model.labels_) > 0.95
    other = dpviz.GibbsDP(n_sweeps=20, burn_in=5, random_state=0).fit(frame)
    assert other.trace_.config.family in REAL


def test_the_command_asks_of_what_no_option_names(tmp_path, capsys):
    path = tmp_path / "table.csv"
    pd.DataFrame(measures().astype(int), columns=["width", "height"]).to_csv(path, index=False)
    cli("run", path, "--out", tmp_path / "run.json")
    said = capsys.readouterr().err
    assert "“width”, “height” are measured rather than counted" in said
    assert "whole numbers, which a model takes for counts unless nll prefers measures: “width”, “height”." in said
    assert dpviz.Trace.from_json((tmp_path / "run.json").read_text()).config.family in REAL
    named = "--kind width=count --kind height=count"
    cli("run", path, named, "--out", tmp_path / "named.json")
    said = capsys.readouterr().err
    assert "Clustered as count: “width”, “height”." in said and "rather than counted" not in said
    assert dpviz.Trace.from_json((tmp_path / "named.json").read_text()).config.kinds == ("count", "count")


def test_a_table_says_which_kinds_were_guessed():
    table = read_table(b"size,visits,group\n" + b"".join(b"%d,%d,a\n" % (i, i % 7) for i in range(60)), "t.csv")
    guessed = to_dataset(table, features=["size", "visits"])
    assert guessed.kinds == ("count", "count") and guessed.model_kinds == ("whole", "whole")
    named = to_dataset(table, features=["size", "visits"], kinds={"visits": "count"})
    assert named.kinds == ("count", "count") and named.model_kinds == ("whole", "count")
    assert replace(guessed, kinds=("continuous", "count")).model_kinds == ("continuous", "whole")
    assert dpviz.datasets.load("phd_articles").model_kinds == dpviz.datasets.load("phd_articles").kinds


def holed(X, share=0.1):
    return np.where(np.random.default_rng(7).random(X.shape) < share, np.nan, X)


RNG = np.random.default_rng(3)
TABLES = {
    "two rows": (measures()[:2], ("count", "count")),
    "a constant column": (np.column_stack([measures()[:, 0], np.full(180, 4.0)]), ("continuous", "count")),
    "all equal": (np.full((30, 2), 3.0), ("count", "count")),
    "a number too large for a count": (np.column_stack([counts()[:, 0], RNG.integers(0, 2**53, 180)]), None),
    "negative numbers": (measures() - 100, None),
    "gaps": (holed(measures()), None),
    "gaps in counts": (holed(counts()), ("count", "count")),
}


@pytest.mark.parametrize("table", list(TABLES))
def test_hard_tables_have_kinds_and_runs(table):
    X, expected = TABLES[table]
    found = resolve(X, asking(X, n_init=1, effort=0.05)).config
    assert found.kinds == expected
    assert np.isfinite(dpviz.run(X, found).nll[-1])


def test_cells_that_are_filled_in_leave_counts():
    X = holed(measures())
    with pytest.raises(InvalidParameterError, match="real columns only, not for family = 'poisson'"):
        resolve(X, asking(X, missing="impute"))


def test_many_rows_are_decided_by_a_sample(monkeypatch):
    seen = []
    own = kinds._counted

    def noted(part, config):
        seen.append(len(part.X))
        return (yield from own(part, config))

    monkeypatch.setattr(kinds, "_counted", noted)
    X = np.round(np.random.default_rng(0).normal(0, 40, (7000, 1)))
    X -= X.min()
    assert resolve(X, asking(X)).config.kinds is None
    assert seen == [5000]


def test_the_kind_is_open_until_the_data_are_there():
    config = asking(counts(), transform="auto", directions="any")
    assert config.is_automatic and "kinds" in config.undecided and config.transform == "auto"
    assert dpviz.RunConfig.from_json(config.to_json()) == config
    assert config.provisional.kinds == ("count", "count") and not config.provisional.is_automatic
    assert config.measuring.kinds is None
    with pytest.raises(InvalidParameterError, match="transform = 'log'"):
        asking(counts(), transform="log")
    assert dpviz.RunConfig("kmeans", kinds=("whole",)).kinds == ("count",)
    assert Table(counts()).for_all(config).X.shape == (180, 2)
