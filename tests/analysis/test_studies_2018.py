"""Studies of the 2018 paper: long chains and their scores against direct runs, figures against results."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import dpviz
from dpviz.analysis.selection import PowerLoss, power_losses
from dpviz.analysis.studies import STUDIES, committed
from dpviz.analysis.studies.long_chains import (
    clustered_points,
    reference_labels,
    standard_error,
    tuned_power,
    two_samples,
    weighted_densities,
)
from dpviz.analysis.studies.results import evaluate
from dpviz.analysis.studies.study import StudyCell
from dpviz.errors import InvalidParameterError
from dpviz.figures.powered_studies import STUDY_FIGURES
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from pages import opened


def cell_of(study: str, row: str, column: str) -> StudyCell:
    """First repetition of a cell with chains of 60 sweeps."""
    cells = STUDIES[study].cells(repetitions=1, sweeps=60)
    return next(cell for cell in cells if cell.key == (row, column, 0))


def test_the_oracles_concentrations_are_those_of_the_paper():
    """Sec. 3.1 prints 0.52 and 0.40 for three clusters among 300 and 2000 points."""
    for n_points, printed in ((300, 0.52), (2000, 0.40)):
        row = f"Sim 1, N = {n_points}"
        cells = [cell for cell in STUDIES["lu2018-simulation-1"].cells(repetitions=1, sweeps=60) if cell.row == row]
        priors = {cell.column: cell.config.partition for cell in cells}
        assert list(priors) == ["CRP-Oracle", "CRP", "pCRP", "pCRP, r = 1.15"]
        assert priors["CRP-Oracle"].concentration * math.log(n_points) == pytest.approx(3, rel=1e-12)
        assert priors["CRP-Oracle"].concentration == pytest.approx(printed, abs=0.01)
        assert priors["CRP"].concentration == 1.0


@pytest.mark.parametrize(
    ("study", "row", "n_groups", "n_points"),
    [
        ("lu2018-simulation-1", "Sim 1, N = 2000", 3, 2000),
        ("lu2018-simulations", "Sim 2, N = 300", 3, 300),
        ("lu2018-simulations", "Sim 2 with a wider half, N = 2000", 3, 2000),
        ("lu2018-separated", "Sim 2, N = 2000", 3, 2000),
        ("lu2018-digits", "N = 1000, 3 principal components", 4, 1000),
        ("lu2018-digits", "N = 3000, 4 spectral coordinates", 4, 3000),
        ("lu2018-geyser", "Old Faithful", 2, 172),
    ],
)
def test_an_oracle_expects_the_true_groups_among_the_points_that_its_chain_runs_on(study, row, n_groups, n_points):
    cell = cell_of(study, row, "CRP-Oracle")
    assert cell.config.partition.concentration * math.log(n_points) == pytest.approx(n_groups, rel=1e-12)
    assert clustered_points(cell).n_points == n_points


def test_both_studies_of_simulation_2_set_the_same_printed_numbers_against_theirs():
    def printed(study):
        return {
            (table.name, entry.row, entry.column): (entry.printed, entry.printed_spread)
            for table in STUDIES[study].tables
            for entry in table.entries
            if entry.row.startswith("Sim 2, N") and entry.printed is not None
        }

    assert printed("lu2018-separated") == printed("lu2018-simulations") != {}


def test_simulation_1_prints_what_most_draws_of_the_authors_data_give():
    study, results = STUDIES["lu2018-simulation-1"], committed("lu2018-simulation-1")
    inside = {}
    for table in study.tables[:4]:
        for entry in table.entries:
            if entry.printed is None:
                continue
            low, high = np.quantile(results.values(*entry.cell, entry.quantity), [0.025, 0.975])
            inside[table.name, entry.row, entry.column] = low <= entry.printed <= high
    del inside["Table 1, VI (bits)", "Sim 1, N = 2000", "pCRP"]  # contradicts the NMI beside it
    assert results.size["repetitions"] == 40
    assert (sum(inside.values()), len(inside)) == (21, 23)


def test_a_table_of_standard_errors_has_those_of_the_scores():
    for name in (
        "lu2018-simulation-1",
        "lu2018-simulations",
        "lu2018-separated",
        "lu2018-digits",
    ):
        *scores, errors = STUDIES[name].tables
        spreads = {
            (f"{entry.row}: {table.name.partition(', ')[2]}", entry.column): entry.printed_spread
            for table in scores
            for entry in table.entries
            if entry.printed_spread is not None
        }
        assert {(e.row, e.column): pytest.approx(e.printed * 2e-3) for e in errors.entries} == spreads


def test_a_chain_is_the_run_that_its_cell_says_scored_draw_by_draw():
    record = evaluate(cell_of("lu2018-simulation-1", "Sim 1, N = 300", "CRP-Oracle"), {})
    data = dpviz.datasets.synthesize("powered_sim_1_authors", n=500, seed=0)
    _, rest = two_samples(data, 200, 0)
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_wishart",
        prior={"m0": [0.0], "c0": 0.030625, "a0": 4.0, "psi0": [[1.96]]},  # (.7 / 4)² points, and 4 · .7²
        partition=ChineseRestaurant(3 / np.log(300)),
        init="random",
        init_clusters=10,
        n_sweeps=60,
        burn_in=30,
        thin=5,
        seed=0,
    )
    trace = dpviz.run(rest.X, config)
    draws = [trace.labels_at(sweep) for sweep in (35, 40, 45, 50, 55, 60)]
    n_clusters = [len(np.unique(draw)) for draw in draws]
    scores = {
        "nmi": [dpviz.metrics.nmi(rest.labels, draw) for draw in draws],
        "vi": [dpviz.metrics.variation_of_information(rest.labels, draw) for draw in draws],
        "k": n_clusters,
    }
    assert record.config == config
    for name, values in scores.items():
        assert record.numbers[name] == pytest.approx(np.mean(values), abs=1e-12)
        expected = 1000 * np.std(values) / np.sqrt(6)
        assert record.numbers[f"{name}_se_thousandths"] == pytest.approx(expected, abs=1e-9)
    assert record.numbers["k_max"] == max(n_clusters)
    assert record.numbers["true_k"] == pytest.approx(np.mean(np.array(n_clusters) == 3))
    assert record.numbers["short"] == (np.sum(np.bincount(draws[-1]) >= 15) < 3)
    outside = [300 - np.sort(np.bincount(draw))[::-1][:3].sum() for draw in draws]
    assert record.numbers["surplus"] == pytest.approx(np.mean(outside) / 300)
    assert_array_equal(record.arrays["k_counts"], np.bincount(n_clusters))
    assert_array_equal(record.arrays["k_trace"], trace.n_clusters[::5])
    assert_array_equal(record.arrays["labels"], trace.result_labels)


def test_the_power_is_cross_validated_on_the_points_that_the_chain_does_not_see():
    cell = cell_of("lu2018-geyser", "Old Faithful", "pCRP")
    settings = dict(cell.settings) | {"powers": (1.01, 1.1, 3.0), "tuning_sweeps": 20}
    record = evaluate(replace(cell, settings=tuple(settings.items())), {})
    geyser = dpviz.datasets.load("old_faithful")
    X = dpviz.datasets.scale(geyser.X, "standardise").X
    tuning, rest = two_samples(replace(geyser, X=X), 100, 0)
    assert sorted(map(tuple, np.vstack([tuning.X, rest.X]))) == sorted(map(tuple, X))
    assert (tuning.n_points, rest.n_points) == (100, 172)
    short = replace(cell.config, n_sweeps=20, burn_in=10)
    losses = list(power_losses(tuning.X, short, (1.01, 1.1, 3.0), 5, n_jobs=1))
    assert [record.numbers[f"loss_{loss.power:.2f}"] for loss in losses] == [loss.loss for loss in losses]
    assert record.numbers["power"] == tuned_power(losses) == record.config.partition.power
    trace = dpviz.run(rest.X, replace(cell.config, partition=PoweredChineseRestaurant(1.0, tuned_power(losses))))
    assert_array_equal(record.arrays["labels"], trace.result_labels)


def test_losses_of_powers_are_those_of_the_points_that_chains_do_not_see():
    cell = cell_of("lu2018-simulation-1", "Sim 1, 200 points", "cross-validation")
    settings = dict(cell.settings) | {"powers": (1.01, 1.1, 3.0)}
    assert set(settings) == {"n_tuning", "powers"} and settings["n_tuning"] == 200
    short = replace(cell.config, n_sweeps=20, burn_in=10)
    record = evaluate(replace(cell, config=short, settings=tuple(settings.items())), {})
    tuning, _ = two_samples(dpviz.datasets.synthesize("powered_sim_1_authors", n=500, seed=0), 200, 0)
    losses = list(power_losses(tuning.X, short, (1.01, 1.1, 3.0), 5, n_jobs=1))
    assert [record.numbers[f"loss_{loss.power:.2f}"] for loss in losses] == [loss.loss for loss in losses]
    chosen = tuned_power(losses)
    assert record.numbers["power"] == chosen == record.config.partition.power
    before = [math.sqrt(5) * loss.loss for loss in losses if loss.power <= chosen]  # a fold has a fifth of the points
    assert (record.numbers["lowest_loss"], record.numbers["highest_loss"]) == (min(before), max(before))


def test_a_power_is_the_last_before_the_loss_blows_up_or_the_largest():
    flat = [PowerLoss(power, 10.0, 2.0) for power in (1.1, 1.2, 1.3)]
    assert tuned_power(flat) == 1.3
    assert tuned_power([*flat, PowerLoss(1.4, 15.0, 1.0)]) == 1.3
    assert tuned_power([flat[0], replace(flat[1], loss=12.0), replace(flat[2], loss=13.0)]) == 1.1


def test_standard_errors_come_from_batches():
    batches = np.arange(20.0)
    expected = np.sqrt(35) / np.sqrt(20)  # the variance of 0 … 19 with n − 1 is 35
    assert standard_error(np.repeat(batches, 7)) == pytest.approx(expected)
    assert np.isnan(standard_error(batches[:19]))


def test_samples_are_told_apart_only_where_both_have_points():
    iris = dpviz.datasets.load("iris")
    tuning, rest = two_samples(iris, 50, 3)
    assert np.bincount(np.concatenate([tuning.labels, rest.labels])).tolist() == [50, 50, 50]
    with pytest.raises(InvalidParameterError, match="n_tuning = 150"):
        two_samples(iris, 150, 0)


def test_without_groups_two_gaussians_are_the_reference():
    geyser = dpviz.datasets.load("old_faithful")
    groups = reference_labels(geyser)
    short = geyser.X[:, 0] < 3.2  # minutes: between the two kinds of eruption
    assert dpviz.metrics.nmi(short, groups) > 0.9
    iris = dpviz.datasets.load("iris")
    assert reference_labels(iris) is iris.labels


def test_weighted_densities_are_students_and_add_up_to_one():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-3, 1, 40), rng.normal(3, 0.5, 20)])[:, None]
    labels = np.repeat([0, 1], [40, 20])
    prior = {"m0": [0.0], "c0": 0.5, "a0": 3.0, "psi0": [[2.0]]}
    config = dpviz.RunConfig("gibbs", family="normal_wishart", prior=prior, partition=ChineseRestaurant(1.5))
    at = np.linspace(-40, 40, 8001)[:, None]
    parts = weighted_densities(X, config, labels, at)
    assert np.trapezoid(parts.sum(axis=0), at[:, 0]) == pytest.approx(1, abs=1e-3)
    for k, members in enumerate([X[:40, 0], X[40:, 0], X[:0, 0]]):
        n, mean = len(members), members.mean() if len(members) else 0.0
        c, a = 0.5 + n, 3.0 + n
        m, psi = n * mean / c, 2.0 + ((members - mean) ** 2).sum() + 0.5 * n / c * mean**2
        density = stats.t.pdf(at[:, 0], a, loc=m, scale=np.sqrt((c + 1) / (c * a) * psi))
        assert_allclose(parts[k], (n or 1.5) / 61.5 * density, rtol=1e-9)


FIGURES = [
    (study, figure)
    for name, study in STUDIES.items()
    if name.startswith("lu2018") and committed(name) is not None
    for figure in study.figures
]


@pytest.mark.parametrize(("study", "figure"), FIGURES, ids=lambda value: getattr(value, "name", None))
def test_figures_show_what_was_found(study, figure):
    results = committed(study.name)
    drawn = STUDY_FIGURES[figure.kind](results, figure.cells)
    CHECKS[figure.kind](results, figure.cells, list(drawn.data))


def shows_losses(results, cells, traces):
    lines, marks = traces[::2], traces[1::2]
    records = [record for cell in cells for record in results.of(*cell)]
    assert len(lines) == len(marks) == len(records)
    for line, mark, record in zip(lines, marks, records, strict=True):
        assert list(line.y) == [record.numbers[f"loss_{power:.2f}"] for power in line.x] and len(line.y) == 20
        assert list(mark.x) == [record.config.partition.power]


def shows_counts(results, cells, traces):
    for cell, trace in zip(cells, traces, strict=True):
        values = results.of(*cell)[0].arrays["k_trace"]
        assert trace.x[0] == 0 and trace.x[-1] == results.size["sweeps"]
        assert_array_equal(trace.y, values[np.asarray(trace.x) // 5])


def shows_laws(results, cells, traces):
    for cell, trace in zip(cells, traces, strict=True):
        law = dict(zip(trace.x, trace.y, strict=True))
        assert sum(law.values()) == pytest.approx(1)
        assert sum(k * p for k, p in law.items()) == pytest.approx(results.values(*cell, "k").mean())


def shows_densities(results, cells, traces):
    histograms = [trace for trace in traces if trace.type == "histogram"]
    lines = iter([trace for trace in traces if trace.type == "scatter"])
    for cell, histogram in zip(cells, histograms, strict=True):
        labels = results.of(*cell)[0].arrays["labels"]
        assert len(histogram.x) == len(labels)
        whole, parts = next(lines), [next(lines) for _ in range(labels.max() + 1)]
        assert np.all(np.sum([part.y for part in parts], axis=0) < whole.y)  # what is left is a new cluster's
        masses = [np.trapezoid(part.y, part.x) for part in parts]
        assert_allclose(masses, np.bincount(labels) / len(labels), atol=0.03)
    assert next(lines, None) is None


def shows_partitions(results, cells, traces):
    data = clustered_points(next(c for c in STUDIES[results.study].cells(**results.size) if c.key == (*cells[0], 0)))
    partitions = [results.of(*cell)[0].arrays["labels"] for cell in cells]
    partitions = partitions if data.labels is None else [data.labels, *partitions]
    members = iter(traces)
    for labels in partitions:
        ranked = np.argsort(-np.bincount(labels), kind="stable")  # the largest has the first colour
        for k in ranked:
            assert_array_equal(next(members).x, data.X[labels == k, 0])
    assert next(members, None) is None


def shows_true_groups(results, cells, traces):
    bars = iter(traces)
    cells_of_study = {cell.key: cell for cell in STUDIES[results.study].cells(**results.size)}
    for cell in cells:
        data = clustered_points(cells_of_study[(*cell, 0)])
        for k in range(3):
            own = next(bars)
            assert own.name == data.label_names[k]
            assert np.sum(own.y) * own.width == pytest.approx(np.mean(data.labels == k))
            mean = np.sum(np.asarray(own.x) * own.y) / np.sum(own.y)
            assert mean == pytest.approx(data.X[data.labels == k, 0].mean(), abs=own.width / 2)
    assert next(bars, None) is None


def shows_sizes(results, cells, traces):
    for cell, bars in zip(cells, traces, strict=True):
        assert list(bars.y) == results.of(*cell)[0].arrays["sizes"].tolist() and sum(bars.y) == 172


def shows_powers(results, cells, traces):
    for cell, trace in zip(cells, traces, strict=True):
        assert list(trace.y) == [results.values(*cell, f"kept_{power:.2f}").mean() for power in trace.x]


CHECKS = {
    "power_losses": shows_losses,
    "cluster_counts": shows_counts,
    "cluster_count_laws": shows_laws,
    "densities": shows_densities,
    "partitions_in_plane": shows_partitions,
    "cluster_sizes": shows_sizes,
    "powers_that_pay": shows_powers,
    "true_groups": shows_true_groups,
}


def test_the_papers_page_shows_these_figures():
    app = opened("papers", papers={"study": "lu2018-geyser"})
    assert len(app.get("plotly_chart")) == len(STUDIES["lu2018-geyser"].figures)
