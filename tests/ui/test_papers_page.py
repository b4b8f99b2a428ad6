"""The Papers page: committed numbers at once, rows that open in Compare, and a small run here."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from test_studies import ENTRIES, TOY, gathered

import dpviz
from dpviz.analysis.studies import STUDIES, committed, compared
from dpviz.analysis.studies.comparison import (
    Compared,
    better_settings,
    size_shares,
    times_nearest,
    under_settings,
    words_on_settings,
)
from dpviz.analysis.studies.errata import ERRATA
from dpviz.analysis.studies.measures import started_at_truth
from dpviz.analysis.studies.study import Figure, Remark, Source
from dpviz.figures import papers as figures
from dpviz.ui.papers import opening, running, tables
from dpviz.ui.papers import page as papers
from dpviz.ui.session.chosen_data import DataChoice
from pages import address, chosen, close, computing, ended, labelled, opened, page, plain, press, run, said, set_to

SCENARIOS = "raykov2016-scenarios"
UNEXPLAINED = replace(ENTRIES[0], printed=0.2)


def on(name: str):
    return opened("papers", papers=json.dumps({"study": name}))


@pytest.fixture
def toy(monkeypatch):
    """A study of a moment, whose committed results differ from the paper and say why."""
    remark = Remark("Because *this* is a toy.", rows=("iris",))
    table = replace(TOY.tables[0], entries=(UNEXPLAINED, *TOY.tables[0].entries[1:]), remarks=(remark,))
    study = replace(TOY, tables=(table,))
    monkeypatch.setitem(STUDIES, "toy", study)
    monkeypatch.setattr(papers, "_committed", lambda name: gathered({"repetitions": 2}) if name == "toy" else None)
    return study


def test_every_number_of_the_committed_results_is_shown():
    app = on(SCENARIOS)
    study, results = STUDIES[SCENARIOS], committed(SCENARIOS)
    assert len(app.table) == len(study.tables)
    for table, shown in zip(study.tables, app.table, strict=True):
        for found in compared(table, results):
            text = shown.value.loc[found.entry.row, found.entry.column]
            assert text.endswith(f"{found.words} {found.mark}".rstrip())
            assert found.entry.printed is None or text.startswith(f"{found.printed_words} → ")
    assert results.command.replace("-", "") in said(app).replace("-", "")
    assert len(app.get("plotly_chart")) == len(study.figures)
    assert json.loads(address(app, "papers")) == {"study": SCENARIOS}


def test_every_panel_of_circles_and_outliers_has_its_four_outliers():
    study, results = STUDIES[SCENARIOS], committed(SCENARIOS)
    figure = next(figure for figure in study.figures if figure.title == "Circles and outliers")
    row, column = figure.cells[0]
    data = opening.cells_of(study, results)[results.of(row, column)[0].key].source.load()
    small = np.flatnonzero(np.bincount(data.labels) <= 4)
    outliers = {tuple(point) for point in data.X[np.isin(data.labels, small)].tolist()}
    assert len(outliers) == 4
    drawn, n_shown, n_points = tables._drawn(study, results, figure)
    assert n_shown < n_points
    for axis in {trace.xaxis for trace in drawn.data}:
        panel = [np.column_stack([trace.x, trace.y]) for trace in drawn.data if trace.xaxis == axis]
        assert outliers <= {tuple(point) for point in np.concatenate(panel).tolist()}


@pytest.mark.parametrize("found", [True, False])
def test_differences_are_explained_below_their_table_or_it_is_said_that_no_reason_was_found(toy, monkeypatch, found):
    remark = replace(toy.tables[0].remarks[0], found=found)
    table = replace(toy.tables[0], remarks=(remark,))
    monkeypatch.setitem(STUDIES, "toy", replace(toy, tables=(table,)))
    app = on("toy")
    assert "Why 1 number differs" in [expander.label for expander in app.get("expander")]
    assert "Because *this* is a toy." in said(app)
    n_differing = sum(own.differs for own in compared(table, gathered({"repetitions": 2})))
    for words in ("**No reason found.**", f"For {n_differing} that are ≠ no reason was found."):
        assert (words in said(app)) is not found


def test_one_switch_changes_numbers_figures_and_how_a_row_was_made():
    name = "lu2018-simulation-1"
    study, results, app = STUDIES[name], committed(name), on(name)
    assert [box.label for box in app.selectbox].count("How it was run") == 1
    counts = app.get("plotly_chart")[2].proto.spec
    set_to(app, f"papers.{name}.setting", "r = 1.15")
    for table, shown in zip(study.tables, app.table, strict=True):
        for found in compared(table.under(table.settings[1]) if table.settings else table, results):
            assert found.words in shown.value.loc[found.entry.row, found.entry.column]
    table = study.tables[0]
    assert all(sentence in said(app) for sentence in words_on_settings(table, results))
    app.session_state[tables.made_key(f"papers.{name}.0")] = True
    run(app)
    (record, *_) = results.of("Sim 1, N = 300", "pCRP, r = 1.15")
    assert record.config.to_json() in [code.value for code in app.code]
    assert "pCRP, r = 1.15" in app.get("plotly_chart")[2].proto.spec and "pCRP, r = 1.15" not in counts


@pytest.mark.parametrize("name", ["lu2018-digits", "raykov2016-scenarios"])
def test_how_to_read_the_tables_is_said_once(name):
    app = on(name)
    captions = [plain(caption.value) for caption in app.caption]
    for explanation in {table.explanation for table in STUDIES[name].tables}:
        assert sum(explanation in caption for caption in captions) == 1


def test_what_a_setting_does_not_change_stays_as_it_is_with_its_reasons():
    name = "lu2018-where-powers-pay"
    study, app = STUDIES[name], on(name)
    place = next(place for place, table in enumerate(study.tables) if table.settings)
    before = [table.value for table in app.table]
    set_to(app, f"papers.{name}.setting", study.tables[place].settings[1].name)
    changed = [not table.value.equals(old) for table, old in zip(app.table, before, strict=True)]
    assert [number for number, new in enumerate(changed) if new] == [place]


def test_cells_show_distances_where_these_are_chosen():
    app = on(SCENARIOS)
    set_to(app, "papers.view", tables.DIGITS)
    table = STUDIES[SCENARIOS].tables[0]
    for found in compared(table, committed(SCENARIOS)):
        text = app.table[0].value.loc[found.entry.row, found.entry.column]
        assert text == tables.cell_text(found, tables.DIGITS)


def test_the_words_on_settings_name_the_nearest():
    study = STUDIES["raykov2014-mixtures"]
    table, results = study.tables[0], committed(study.name)
    said_of_all, *better = words_on_settings(table, results)
    by_setting = under_settings(table, results)
    times, n_numbers = times_nearest(by_setting)
    assert all(f"{name}: {number}" in said_of_all for name, number in times.items())
    assert f"Of {n_numbers} printed" in said_of_all and f"Agrees best: {max(times, key=times.get)}" in said_of_all
    for name, numbers in better_settings(by_setting).items():
        assert any(f"“{name}”" in words and numbers[0].words in words for words in better)
    assert words_on_settings(STUDIES["raykov2016-bic"].tables[0], committed("raykov2016-bic")) == []


@pytest.mark.parametrize("name", [SCENARIOS, "raykov2014-uci", "lu2018-geyser"])
def test_formulas_that_are_wrong_are_those_of_the_paper_that_is_shown(name):
    app, paper = on(name), STUDIES[name].paper
    printed = {own.value for own in app.get("latex")}
    wrong = {own.printed for own in ERRATA if any(year[-6:] in paper for year, _ in own.papers)}
    assert wrong
    assert all(any(formula in shown for shown in printed) for formula in wrong)
    assert len(printed) == 2 * len(wrong)


@pytest.mark.parametrize(
    ("link", "words"),
    [
        *((link, "could not be read") for link in ("[]", "{", "x" * 2000)),
        *((link, "were left out") for link in ('{"study": "other"}', '{"study": 3}')),
    ],
)
def test_a_link_to_nothing_shows_the_first_study(link, words):
    app = opened("papers", papers=link)
    assert words in said(app)
    assert json.loads(address(app, "papers"))["study"] == papers.FIRST


def test_a_row_opens_in_compare_with_its_data_and_configurations():
    app = on(SCENARIOS)
    assert not app.code  # nothing is drawn that nobody has asked for
    app.session_state[tables.made_key(f"papers.{SCENARIOS}.0")] = True
    run(app)
    rows = labelled(app, "selectbox", "Row")
    run(rows.set_value("5.4 ellipses, one rotated"))
    results = committed(SCENARIOS)
    records = [results.of("5.4 ellipses, one rotated", column)[0] for column in ("K-means", "MAP-DP", "E-M", "Gibbs")]
    assert all(any(record.config.to_json() == code.value for code in app.code) for record in records)
    app.button(key=f"papers.{SCENARIOS}.0.open.0").click()
    run(app)
    assert "open the Compare page" in said(app)
    assert chosen(app) == DataChoice("synthetic", "elliptical_rotated").with_options(seed=0)
    settings = app.session_state["settings"]
    given = [settings[f"compare.{number}.given"][1] for number in settings["compare.panels"]]
    data = dpviz.datasets.synthesize("elliptical_rotated", seed=0)
    for record in records:
        expected = started_at_truth(data, record.config) if record.starts_from_truth else record.config
        assert expected in given


def test_what_a_source_is_on_the_other_pages():
    assert opening.choice_of(Source("file", "pima")) is None
    scaled = opening.choice_of(Source("bundled", "iris", scaling="standardise", gaps=True))
    assert scaled == DataChoice("bundled", "iris", scaling="standardise", gaps=True)


def test_a_study_runs_here_and_its_results_can_be_looked_at(toy):
    app = on("toy")
    press(app, "papers.run")
    work = computing(app, "papers")
    if work is not None:
        ended(work)
    run(app)
    assert computing(app, "papers") is None
    (found,) = [app.session_state["papers own results"]["toy"]]
    assert found.size == {"repetitions": 1} and found.complete
    direct = gathered({"repetitions": 1})
    np.testing.assert_array_equal(found.values("iris", "K-means", "nmi"), direct.values("iris", "K-means", "nmi"))
    assert labelled(app, "segmented_control", "Results").value == papers.HERE
    assert "repetitions 1" in said(app) and "--quick" in said(app)
    run(labelled(app, "segmented_control", "Results").set_value(papers.COMMITTED))
    assert "repetitions 2" in said(app)
    close(app)


def test_a_run_that_is_stopped_keeps_what_was_done(toy):
    study = replace(TOY, sizes={"quick": {"repetitions": 3}})
    task = running.quick_run(study).begin()
    next(task.steps())
    assert "1 of 3" in task.stages()[0].words and task.stages()[0].share == pytest.approx(1 / 3)
    task.finish(stopped=True)
    results = running.results_of(study, task.result)
    assert len(results.records) == 1 and not results.complete


def test_a_study_without_results_says_so(monkeypatch):
    monkeypatch.setitem(STUDIES, "toy", TOY)
    app = page("papers", papers='{"study": "toy"}')
    assert "No results of this experiment" in said(run(app))


def test_numbers_are_written_with_a_mark_only_where_they_differ():
    found = Compared(UNEXPLAINED, 0.75, 0.02, 3, 2)
    assert tables.cell_text(found) == "0.20 → 0.75 ± 0.02 ≠"
    assert tables.cell_text(replace(found, found=0.205)) == "0.20 → 0.20 ± 0.02 ≈"
    assert tables.cell_text(replace(found, found=0.205, spread=0.01)) == "0.20 → 0.20 ± 0.01"
    assert tables.cell_text(replace(found, found=0.17), tables.DIGITS) == "−3 ≠"
    assert tables.cell_text(replace(found, found=0.18), tables.Z) == "−2.0 ≈"
    assert tables.cell_text(replace(found, found=0.1996), tables.DIGITS) == "+0 ≈"
    assert tables.cell_text(replace(found, entry=replace(UNEXPLAINED, printed=None)), tables.Z) == "–"
    assert tables.cell_text(replace(found, entry=replace(UNEXPLAINED, printed=None))) == "0.75 ± 0.02"
    assert tables.cell_text(replace(found, found=math.nan)) == "0.20 → –"


def test_clusters_have_the_colours_of_the_true_groups_that_they_find():
    study = STUDIES[SCENARIOS]
    shown = [name for name in study.figures if name.kind == "partitions"]
    assert len(shown) == 6
    for figure in shown:
        X, labels = tables.partitions(study, committed(SCENARIOS), figure)
        truth = labels.pop(tables.TRUE_GROUPS)
        for found in labels.values():
            shared = pd.crosstab(truth, found).to_numpy()
            best = shared[linear_sum_assignment(shared, maximize=True)].sum()
            assert len(X) == len(found) and np.sum(truth == found) == best, figure.name


def test_a_sample_of_the_model_is_drawn_by_its_true_groups():
    study = STUDIES["raykov2014-mixtures"]
    figure = next(own for own in study.figures if own.name == "Figure 2")
    X, labels = tables.partitions(study, committed(study.name), figure)
    data = dpviz.datasets.synthesize("crp_mixture", n=600, seed=0)
    np.testing.assert_array_equal(X, data.X)
    assert list(labels) == [tables.TRUE_GROUPS]
    pairs = {*zip(labels[tables.TRUE_GROUPS].tolist(), data.labels.tolist(), strict=True)}
    assert len(pairs) == len(np.unique(data.labels))
    drawn, n_shown, n_points = tables._drawn(study, committed(study.name), figure)
    assert n_shown == n_points == 600 == sum(len(trace.x) for trace in drawn.data)


def test_partitions_are_drawn_point_by_point():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    figure = figures.partitions(X, {"a": np.array([0, 0, 1]), "b": np.array([0, 0, 0])})
    first, second, both = figure.data
    assert (list(first.x), list(first.y), list(second.x)) == ([0.0, 2.0], [1.0, 3.0], [4.0])
    assert list(both.x) == [0.0, 2.0, 4.0] and both.xaxis == "x2"
    assert [note.text for note in figure.layout.annotations] == ["a", "b"]


def test_shares_are_quantiles_over_the_repetitions():
    results = gathered({"repetitions": 3})
    sizes = [np.array([6, 4, 0]), np.array([5, 3, 2]), np.array([9, 1, 0])]
    records = tuple(replace(r, arrays={"sizes": s}) for r, s in zip(results.records, sizes, strict=True))
    cells = Figure("Figure 3", "Shares", "sizes", (("iris", "K-means"),), (0.5, 1.0), 10)
    shares = size_shares(cells, replace(results, records=records))
    np.testing.assert_allclose(shares["K-means"], [[0.6, 0.3, 0.0], [0.9, 0.4, 0.2]])
    median, upper = figures.share_ranks(shares).data
    assert list(median.x) == [1, 2] and list(median.y) == [0.6, 0.3] and list(upper.x) == [1, 2, 3]
    assert median.showlegend and not upper.showlegend
