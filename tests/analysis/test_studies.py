"""Studies of the papers: what is run, what is kept, and how it is set against what was printed."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.analysis.studies import (
    STUDIES,
    Results,
    committed,
    compared,
    expected_seconds,
    run_cells,
    runnable,
)
from dpviz.analysis.studies.comparison import (
    Compared,
    better_settings,
    in_digits,
    off_the_full_ones,
    times_nearest,
    under_settings,
)
from dpviz.analysis.studies.measures import score_run
from dpviz.analysis.studies.results import evaluate
from dpviz.analysis.studies.study import Entry, Figure, Setting, Source, Study, StudyCell, Table
from dpviz.errors import DpvizError, InvalidParameterError, TraceFormatError

ENTRIES = (
    Entry("iris", "K-means", ("iris", "K-means"), "nmi", printed=0.9),
    Entry("iris", "not run", ("iris", "nothing"), "nmi", printed=0.5, printed_spread=0.1),
)


def toy_cells(repetitions: int) -> list[StudyCell]:
    return [
        StudyCell(
            "iris",
            "K-means",
            Source("bundled", "iris"),
            dpviz.RunConfig("kmeans", n_init=1, seed=seed),
            score_run,
            seed,
        )
        for seed in range(repetitions)
    ]


TOY = Study(
    name="toy",
    title="Toy",
    paper="No paper",
    place="Table 0",
    summary="K-means on Iris.",
    cells=toy_cells,
    sizes={"quick": {"repetitions": 1}, "full": {"repetitions": 3}},
    tables=(Table("Table 0", "NMI", "Higher is better.", ENTRIES),),
)


def gathered(size: dict[str, int]) -> Results:
    return Results.gathered(TOY, size, run_cells(TOY.cells(**size), n_jobs=1), command="dpviz reproduce toy")


def test_a_study_finds_what_direct_runs_find():
    results = gathered({"repetitions": 3})
    iris = dpviz.datasets.load("iris")
    traces = [dpviz.run(iris.X, dpviz.RunConfig("kmeans", n_init=1, seed=seed)) for seed in range(3)]
    expected = [dpviz.metrics.nmi(iris.labels, trace.labels[-1]) for trace in traces]
    assert_array_equal(results.values("iris", "K-means", "nmi"), expected)
    assert_array_equal(results.values("iris", "K-means", "iterations"), [t.n_sweeps for t in traces])
    first, second = compared(TOY.tables[0], results)
    assert first.found == pytest.approx(np.mean(expected)) and first.n_repetitions == 3
    assert first.spread == pytest.approx(2 * np.std(expected, ddof=1))
    assert first.difference == pytest.approx(np.mean(expected) - 0.9) and first.differs
    assert math.isnan(second.found) and not second.differs and second.words == "–"


def test_a_difference_counts_only_beyond_the_larger_spread_and_the_rounding():
    near = gathered({"repetitions": 1})
    found = float(near.values("iris", "K-means", "nmi")[0])
    for printed, spread, differs in [
        (found + 0.004, None, False),
        (found + 0.006, None, True),
        (found - 0.103, 0.1, False),
        (found - 0.106, 0.1, True),
    ]:
        entry = replace(ENTRIES[0], printed=printed, printed_spread=spread)
        assert next(compared(replace(TOY.tables[0], entries=(entry,)), near)).differs is differs
    other = replace(ENTRIES[0], printed=0.0, comparable=False)
    assert not next(compared(replace(TOY.tables[0], entries=(other,)), near)).differs


def test_a_distance_counts_printed_digits_and_spreads_whatever_the_mark():
    def found(printed, spread, ours, of_ours):
        return Compared(replace(ENTRIES[0], printed=printed, printed_spread=spread), ours, of_ours, 5, 2)

    exact, noisy, near, far = (
        found(0.97, None, 0.97, 0.0),
        found(0.97, None, 0.96, 0.10),
        found(0.57, 0.01, 0.56, 0.004),
        found(0.48, None, 0.69, 0.02),
    )
    assert [own.mark for own in (exact, noisy, near, far)] == ["", "≈", "", "≠"]
    assert [round(own.digits, 6) for own in (exact, noisy, near, far)] == [0, -1, -1, 21]
    assert [round(own.z, 6) for own in (noisy, near, far)] == [-0.2, -2, 21] and math.isnan(exact.z)
    unlike = replace(far, entry=replace(far.entry, comparable=False))
    assert unlike.mark == "" and math.isnan(unlike.digits) and math.isnan(unlike.z)


def with_settings():
    """K-means on Iris, on its own scales, standardised, and begun otherwise; one printed number is of the second."""
    cells = toy_cells(2)
    other = [
        replace(cell, row="standardised", source=Source("bundled", "iris", scaling="standardise")) for cell in cells
    ]
    started = [replace(cell, column="random", config=replace(cell.config, init="random")) for cell in cells]
    study = replace(TOY, cells=lambda repetitions: [*cells, *other, *started])
    results = Results.gathered(study, {"repetitions": 2}, run_cells(study.cells(repetitions=2), n_jobs=1))
    printed = float(results.values("standardised", "K-means", "nmi").mean())
    entries = (replace(ENTRIES[0], printed=round(printed, 2)), replace(ENTRIES[0], row="K", quantity="n_clusters"))
    settings = [
        Setting("as it is"),
        Setting("standardised", rows={"iris": "standardised"}),
        Setting("random", columns={"K-means": "random"}),
        Setting("of others", rows={"iris": "standardised"}, concerns=("E-M",)),
    ]
    return replace(TOY.tables[0], entries=entries).with_settings(settings), results


def test_settings_give_the_numbers_of_other_cells_and_only_those_that_change_something_are_kept():
    table, results = with_settings()
    assert [setting.name for setting in table.settings] == ["as it is", "standardised", "random"]
    cells = [("iris", "K-means"), ("standardised", "K-means"), ("iris", "random")]
    for setting, cell in zip(table.settings, cells, strict=True):
        found = next(compared(table.under(setting), results))
        assert found.found == results.values(*cell, "nmi").mean() and found.entry.row == "iris"
    assert replace(table, settings=()).with_settings([table.settings[0]]).settings == ()


def test_the_nearest_setting_is_that_of_least_distance_in_printed_digits():
    table, results = with_settings()
    runs = [list(compared(table.under(setting), results)) for setting in table.settings]
    away = [[round(100 * abs(found.found - found.entry.printed)) for found in run] for run in runs]
    assert away[1][0] == 0 < away[0][0]  # the number was printed for standardised columns
    least = [min(run[number] for run in away) for number in range(2)]
    wins = [sum(run[number] == least[number] for number in range(2)) for run in away]
    by_setting = under_settings(table, results)
    times, n_numbers = times_nearest(by_setting)
    assert list(times.values()) == wins and n_numbers == 2
    assert "standardised" in better_settings(by_setting)
    (nearer,) = better_settings(by_setting)["standardised"]
    assert nearer.found == results.values("standardised", "K-means", "nmi").mean()
    without = under_settings(TOY.tables[0], results)
    assert times_nearest(without) == ({}, 0) and better_settings(without) == {}


def test_units_are_those_of_the_digits_that_are_printed():
    def unit(printed, decimals):
        return Compared(replace(ENTRIES[0], printed=printed), 0.0, 0.0, 1, decimals).unit

    assert [unit(0.71, 2), unit(0.651, 3), unit(13.3, 2), unit(5900.0, 2), unit(7.0, 0)] == [0.01, 0.001, 0.1, 1, 1]


@pytest.mark.parametrize("name", ["raykov2014-mixtures", "lu2018-geyser"])
def test_how_long_a_study_takes_is_what_was_measured(name):
    study, full = STUDIES[name], committed(name)
    seconds = pd.DataFrame([(r.row, r.column, r.seconds) for r in full.records], columns=["row", "column", "seconds"])
    assert expected_seconds(study, full.size) == pytest.approx(seconds["seconds"].sum())
    once = seconds.groupby(["row", "column"])["seconds"].mean().sum()
    assert expected_seconds(study, dict(full.size) | {"repetitions": 1}) == pytest.approx(once)
    quick = study.size("quick")
    twice = quick | {"repetitions": 2 * quick["repetitions"]}
    assert expected_seconds(study, twice) == pytest.approx(2 * expected_seconds(study, quick))
    other = next(key for key in quick if key != "repetitions")
    assert math.isnan(expected_seconds(study, quick | {other: quick[other] + 1}))


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_every_study_knows_its_quick_time(study):
    assert 0 < study.quick_seconds < 600


def test_numbers_of_a_small_size_are_held_against_those_of_the_full_one():
    full = gathered({"repetitions": 3})
    small = gathered({"repetitions": 1})
    table = TOY.tables[0]
    (own, _), (other, _) = compared(table, small), compared(table, full)
    beyond = abs(own.found - other.found) > other.spread + 0.005
    assert off_the_full_ones(TOY.tables, small, full) == (int(beyond), 1)
    (moved,) = [replace(r, numbers={**r.numbers, "nmi": 0.1}) for r in small.records]
    assert off_the_full_ones(TOY.tables, replace(small, records=(moved,)), full) == (1, 1)


def test_a_number_over_another_is_the_ratio_of_their_means():
    table, results = with_settings()
    entry = replace(table.entries[0], quantity="objective", over=("standardised", "K-means"))
    means = {row: results.values(row, "K-means", "objective").mean() for row in ("iris", "standardised")}
    (found,) = compared(replace(table, entries=(entry,)), results)
    assert found.found == pytest.approx(means["iris"] / means["standardised"]) and math.isnan(found.spread)
    swapped = replace(entry, over=entry.cell, cell=entry.over).under(Setting("", rows={"iris": "standardised"}))
    assert swapped.over == swapped.cell == ("standardised", "K-means")


def test_a_number_in_brackets_is_a_share_of_counts():
    results = gathered({"repetitions": 2})
    counts = [np.array([0, 3, 1]), np.array([0, 0, 2, 2])]
    records = tuple(replace(r, arrays={"k_counts": own}) for r, own in zip(results.records, counts, strict=True))
    results = replace(results, records=records)
    for place, expected in enumerate(([0, 0], [0.75, 0], [0.25, 0.5], [0, 0.5], [0, 0])):
        assert results.values("iris", "K-means", f"k_counts[{place}]").tolist() == expected
    assert results.values("iris", "K-means", "others[1]").size == 0


def test_results_come_back_from_their_text_whole():
    results = gathered({"repetitions": 2})
    kept = replace(results.records[0], arrays={"labels": np.arange(5)}, numbers={"nmi": math.nan, "k": 3.0})
    results = replace(results, records=(kept, *results.records[1:]))
    again = Results.from_json(results.to_json())
    assert again.to_json() == results.to_json()
    assert again.records[0].config == kept.config and again.size == {"repetitions": 2}
    assert_array_equal(again.records[0].arrays["labels"], np.arange(5))
    assert math.isnan(again.records[0].numbers["nmi"]) and again.complete
    frame = results.to_frame()
    assert frame["seed"].tolist() == [0, 1] and frame["row"].tolist() == ["iris", "iris"]
    assert [own.entry.printed for own in compared(TOY.tables[0], again)] == [0.9, 0.5]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "dpviz-study-1"}', '{"format": "other"}'])
def test_damaged_results_are_refused(text):
    with pytest.raises(TraceFormatError):
        Results.from_json(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("seconds", value) for value in (None, "soon", [], {}, -1.0, 1e400, float("nan"))],
        *[("row", value) for value in (None, [], {}, 3)],
        ("repetition", None),
        ("size", {"repetitions": 1e400}),
    ],
)
def test_results_of_which_one_value_is_damaged_are_refused(name, value):
    plain = json.loads(gathered({"repetitions": 2}).to_json())
    (plain if name in plain else plain["records"][1])[name] = value
    with pytest.raises(TraceFormatError, match="damaged"):
        Results.from_json(json.dumps(plain))


def test_results_that_lie_too_deep_in_each_other_are_refused():
    with pytest.raises(TraceFormatError, match="damaged"):
        Results.from_json("[" * 100_000)


def test_records_are_ordered_by_the_study_and_gaps_are_told():
    size = {"repetitions": 3}
    records = list(run_cells(TOY.cells(**size), n_jobs=1))[::-1]
    assert [r.repetition for r in Results.gathered(TOY, size, records).records] == [0, 1, 2]
    assert not Results.gathered(TOY, size, records[:2]).complete


def test_a_digest_follows_everything_that_decides_the_results():
    size = {"repetitions": 1}

    def changed(**values):
        return replace(TOY, cells=lambda repetitions: [replace(c, **values) for c in toy_cells(repetitions)])

    others = [
        changed(config=dpviz.RunConfig("kmeans", n_init=2)),
        changed(source=Source("bundled", "wine")),
        changed(settings=(("from_truth", True),)),
        changed(row="other"),
        changed(measure=evaluate),
        replace(TOY, version=2),
        replace(TOY, name="other"),
    ]
    digests = {study.digest(size) for study in [TOY, *others]} | {TOY.digest({"repetitions": 2})}
    assert len(digests) == len(others) + 2
    assert replace(TOY, title="Other words").digest(size) == TOY.digest(size)


def test_sizes_are_checked():
    assert TOY.size("full", repetitions=7) == {"repetitions": 7}
    for name, changes in [("huge", {}), ("full", {"repetitions": 0}), ("full", {"restarts": 2})]:
        with pytest.raises(InvalidParameterError):
            TOY.size(name, **changes)


def test_numbers_are_written_with_the_digits_they_deserve():
    assert in_digits(0.7123, 0.05, 2) == "0.71 ± 0.05"
    assert in_digits(-6.94, None, 2) == "−6.94"
    assert in_digits(7300.4, 4000.0, 2) == "7,300 ± 4,000"
    assert in_digits(math.nan, 1.0, 2) == "–"


def test_sources_load_what_they_name(tmp_path):
    drawn = Source("synthetic", "spherical_unequal_radius", (("n", 50), ("seed", 3))).load()
    assert_array_equal(drawn.X, dpviz.datasets.synthesize("spherical_unequal_radius", n=50, seed=3).X)
    scaled = Source("bundled", "iris", scaling="standardise").load()
    assert_allclose(scaled.X.std(axis=0), 1)
    two = Source("bundled", "iris", groups=("setosa", "virginica")).load()
    whole = dpviz.datasets.load("iris")
    kept = whole.labels != whole.label_names.index("versicolor")
    assert_array_equal(two.X, whole.X[kept])
    with pytest.raises(InvalidParameterError, match="setosa"):
        Source("bundled", "iris", groups=("tulip",)).load()
    path = tmp_path / "own.csv"
    path.write_text("a,b,label\n1.5,2.5,x\n3.5,4.5,y\n5.5,6.5,x\n")
    own = Source("file", "own").load({"own": str(path)})
    assert own.X.tolist() == [[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]] and own.labels.tolist() == [0, 1, 0]
    with pytest.raises(DpvizError, match="--data own=PATH"):
        Source("file", "own").load()
    with pytest.raises(DpvizError, match="no such file"):
        Source("file", "own").load({"own": str(tmp_path / "gone.csv")})


def test_rows_whose_table_is_not_there_are_left_out_and_named(tmp_path):
    cell = replace(toy_cells(1)[0], row="own", source=Source("file", "own"))
    study = replace(TOY, cells=lambda repetitions: [*toy_cells(repetitions), cell])
    cells, missing = runnable(study, {"repetitions": 1}, {})
    assert [c.row for c in cells] == ["iris"] and missing == ["own"]
    assert Results.gathered(study, {"repetitions": 1}, run_cells(cells, n_jobs=1), missing).complete
    path = tmp_path / "own.csv"
    path.write_text("a,b,label\n" + "".join(f"{i}.5,{i * i}.25,{i % 2}\n" for i in range(9)))
    cells, missing = runnable(study, {"repetitions": 1}, {"own": str(path)})
    assert [c.row for c in cells] == ["iris", "own"] and missing == []
    with pytest.raises(DpvizError, match="own"):
        runnable(study, {"repetitions": 1}, {"other": str(path)})


def cells_of(entries):
    return {cell for entry in entries for cell in (entry.cell, entry.over) if cell is not None}


@pytest.mark.parametrize("name", STUDIES)
def test_every_table_and_figure_shows_cells_that_the_study_has(name):
    study = STUDIES[name]
    for size in study.sizes:
        cells = study.cells(**study.size(size))
        keys = [cell.key for cell in cells]
        assert len(set(keys)) == len(keys)
        there = {(cell.row, cell.column) for cell in cells}
        assert {cell for table in study.tables for cell in cells_of(table.entries)} <= there
        assert {cell for figure in study.figures for cell in figure.cells} <= there
        for shown in (*study.tables, *study.figures):
            for setting in shown.settings:
                under = shown.under(setting)
                cells = under.cells if isinstance(under, Figure) else cells_of(under.entries)
                assert set(cells) <= there, (shown.name, setting.name)
                assert (under == shown) == (setting is shown.settings[0])
    for table in study.tables:
        places = [(entry.row, entry.column) for entry in table.entries]
        assert len(set(places)) == len(places)


def test_a_scenario_cell_is_the_run_that_its_configuration_says():
    study = STUDIES["raykov2016-scenarios"]
    cells = {cell.key: cell for cell in study.cells(repetitions=2, restarts=3)}
    cell = cells["5.4 ellipses, one rotated", "MAP-DP", 1]
    record = evaluate(cell, {})
    data = dpviz.datasets.synthesize("elliptical_rotated", n=4000, seed=1)
    options = {"family": "normal_wishart", "prior": None, "order": "permuted", "seed": 1}
    trace = dpviz.run(data.X, dpviz.RunConfig("mapdp", init="single", n_init=10, **options))
    assert record.numbers["nmi"] == dpviz.metrics.nmi(data.labels, trace.labels[-1])
    assert record.numbers["iterations"] == trace.n_sweeps and record.config == trace.config


def test_e_m_begins_at_the_true_groups_and_outliers_at_the_nearest_of_the_largest():
    data = dpviz.datasets.synthesize("spherical_outliers", n=300, seed=0)
    found = score_run(data, dpviz.RunConfig("em", n_components=3), from_truth=True)
    means = np.array([data.X[data.labels == k].mean(axis=0) for k in range(3)])
    nearest = np.argmin(((data.X[:, None] - means) ** 2).sum(axis=2), axis=1)
    start = np.where(data.labels < 3, data.labels, nearest)
    trace = dpviz.run(data.X, dpviz.RunConfig("em", n_components=3, init=start, n_init=1))
    assert found.starts_from_truth and found.numbers["nmi"] == dpviz.metrics.nmi(data.labels, trace.labels[-1])
    assert isinstance(found.config.init, str)


def test_k_means_begun_at_the_truth_says_who_leaves_and_what_the_objective_becomes():
    cells = {cell.key: cell for cell in STUDIES["raykov2016-from-the-truth"].cells(repetitions=2)}
    record = evaluate(cells["5.4 ellipses, one rotated", "K-means", 1], {})
    data = dpviz.datasets.synthesize("elliptical_rotated", seed=1)
    end = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=3, init=data.labels, n_init=1)).labels[-1]

    def objective(labels):
        return sum(((data.X[labels == k] - data.X[labels == k].mean(axis=0)) ** 2).sum() for k in range(3))

    assert record.starts_from_truth and isinstance(record.config.init, str)
    assert record.numbers["left"] == np.mean(end != data.labels) > 0 and record.numbers["stays"] == 0
    assert record.numbers["objective_ratio"] == pytest.approx(objective(end) / objective(data.labels))
    assert record.numbers["nmi"] == dpviz.metrics.nmi(data.labels, end)


def test_random_starts_find_a_lower_objective_than_k_means_begun_at_the_truth():
    results = committed("raykov2016-from-the-truth").of("5.4 ellipses, one rotated", "K-means")
    for record in results[:20]:
        data = dpviz.datasets.synthesize("elliptical_rotated", seed=record.repetition)
        best = dpviz.run(data.X, dpviz.RunConfig("kmeans", n_clusters=3, n_init=10, seed=record.repetition))
        assert best.objective[-1] < record.numbers["objective"]
        assert record.numbers["stays"] == 0 and record.numbers["objective_ratio"] < 1


def test_k_by_bic_is_the_k_of_lowest_bic():
    study = STUDIES["raykov2016-bic"]
    cell = study.cells(repetitions=1, restarts=1)[4]
    source = replace(cell.source, options=(("n", 200), ("seed", 0)))
    record = evaluate(replace(cell, source=source, settings=(("largest", 5),)), {})
    data = dpviz.datasets.synthesize("elliptical_separated", n=200, seed=0)
    values, cheaper = [], []
    for k in range(1, 6):
        trace = dpviz.run(data.X, replace(cell.config, n_clusters=k))
        sizes, sse = trace.sizes(-1), float(trace.objective[-1])
        s = sse / (2 * (200 - k))
        log_likelihood = np.sum(sizes * np.log(sizes / 200)) - 200 * np.log(2 * np.pi * s) - sse / (2 * s)
        values.append(-2 * log_likelihood + 3 * k * np.log(200))
        cheaper.append(-2 * log_likelihood + 3 * k * 2)
    assert record.numbers["chosen_k"] == 1 + np.argmin(values)
    assert record.numbers["chosen_k_aic"] == 1 + np.argmin(cheaper)


WITH_RESULTS = [name for name in STUDIES if committed(name) is not None]


@pytest.mark.parametrize("name", WITH_RESULTS)
def test_results_that_come_along_are_complete_and_of_the_present_study(name):
    study, results = STUDIES[name], committed(name)
    assert results.study == name and results.complete and results.missing == ()
    assert set(results.size) == set(study.sizes["full"])
    assert results.digest == study.digest(results.size), "run dpviz reproduce again and commit its results"
    assert [record.key for record in results.records] == [cell.key for cell in study.cells(**results.size)]
    assert results.command.startswith(f"dpviz reproduce {name} --full")
    for table in study.tables:
        for entry in table.entries:
            for cell in {entry.cell, *(setting.of(entry.cell) for setting in table.settings)}:
                assert np.isfinite(results.values(*cell, entry.quantity)).any(), entry


@pytest.mark.parametrize("name", WITH_RESULTS)
def test_every_difference_from_a_paper_is_explained(name):
    results = committed(name)
    for table in STUDIES[name].tables:
        for found in compared(table, results):
            explained = any(remark.covers(found.entry) for remark in table.remarks)
            assert explained or not found.differs, (table.name, found.entry.row, found.entry.column)


@pytest.mark.parametrize("name", WITH_RESULTS)
def test_every_remark_is_about_a_difference(name):
    results = committed(name)
    for table in STUDIES[name].tables:
        differing = [found.entry for found in compared(table, results) if found.differs]
        assert all(any(remark.covers(entry) for entry in differing) for remark in table.remarks)


def test_every_study_has_results_that_come_along():
    assert set(WITH_RESULTS) == set(STUDIES)
