"""Where powers pay: the balance of two partitions against closed forms, chains against direct runs, and the page."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import dpviz
from dpviz.analysis.studies import STUDIES, committed
from dpviz.analysis.studies.one_cluster import against_one, balance, limit_of_break_even, shares_kept, words_on_powers
from dpviz.analysis.studies.results import evaluate
from dpviz.figures.powered_studies import differences_by_power
from dpviz.partition import PoweredChineseRestaurant
from dpviz.ui.papers import powers
from pages import address, labelled, opened, run, said

STUDY = STUDIES["lu2018-where-powers-pay"]
M0, C0, A0, PSI0 = 0.0, 0.030625, 4.0, 1.96


def log_marginal(x):
    """Chain of Student predictives of a Gaussian of unknown mean and variance."""
    total, n, mean, scatter = 0.0, 0, 0.0, 0.0
    for value in x:
        c, a = C0 + n, A0 + n
        m = (C0 * M0 + n * mean) / c
        psi = PSI0 + scatter + C0 * n / c * (mean - M0) ** 2
        total += stats.t.logpdf(value, a, loc=m, scale=math.sqrt((c + 1) / (c * a) * psi))
        scatter += n / (n + 1) * (value - mean) ** 2
        n, mean = n + 1, (n * mean + value) / (n + 1)
    return total


def log_joint(x, labels, concentration, power):
    """ln p(X, z) but for what all partitions share, p(z) ∝ α^K Π Γ(N_k)^r."""
    groups = [x[labels == k] for k in np.unique(labels)]
    return sum(log_marginal(own) + math.log(concentration) + power * math.lgamma(len(own)) for own in groups)


@pytest.mark.parametrize("concentration", [1.0, 2.5])
@pytest.mark.parametrize("coarse", [[0, 0, 0], [0, 0, 1], [0, 1, 1]])
def test_a_balance_is_the_difference_of_nll_at_every_power(concentration, coarse):
    data = dpviz.datasets.synthesize("powered_sim_1_authors", n=80, seed=3)
    partition = PoweredChineseRestaurant(concentration, 1.3)
    config = replace(STUDY.cells(repetitions=1, sweeps=10)[0].config, partition=partition)
    merged = np.array(coarse)[data.labels]
    found = balance(data.X, config, data.labels, merged)
    for power in (1.0, 1.1, 1.7):
        joint = [log_joint(data.X[:, 0], labels, concentration, power) for labels in (data.labels, merged)]
        assert found.difference(power) == pytest.approx(joint[0] - joint[1], abs=1e-8)
    assert found.difference(found.break_even) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.5])
def test_the_break_even_tends_to_the_loss_of_one_gaussian_over_the_entropy_of_the_weights(factor):
    limit = limit_of_break_even((0.35, 0.4, 0.25), (0, 2 * factor, 5 * factor), (0.5, 0.5, 1))
    away = []
    for n in (1_000, 100_000):
        data = dpviz.datasets.synthesize("powered_sim_1_authors", n=n, seed=0, middle=2 * factor, right=5 * factor)
        away.append(abs(against_one(data, STUDY.cells(repetitions=1, sweeps=10)[0].config).break_even - limit))
    assert away[1] < 0.005 and away[1] < away[0]


def test_a_cell_says_what_its_chains_and_closed_forms_say():
    cells = {cell.key: cell for cell in STUDY.cells(repetitions=2, sweeps=40)}
    for column, from_truth in (("ten random groups", False), ("the true groups", True)):
        cell = cells["means 0, 2, 5; N = 100", column, 1]
        record = evaluate(cell, {})
        data = dpviz.datasets.synthesize("powered_sim_1_authors", n=100, seed=1)
        assert record.starts_from_truth == from_truth
        assert record.numbers["break_even"] == against_one(data, cell.config).break_even
        for power in (1.0, 1.2, 1.5):
            config = replace(cell.config, partition=PoweredChineseRestaurant(1.0, power))
            if from_truth:
                config = replace(config, init=data.labels, init_clusters=None)
            sizes = np.bincount(dpviz.run(data.X, config).labels_at(40))
            assert record.numbers[f"kept_{power:.2f}"] == (np.sum(sizes >= 5) >= 3)
            joint = [log_joint(data.X[:, 0], z, 1.0, power) for z in (data.labels, np.zeros(100))]
            assert record.numbers[f"one_{power:.2f}"] == pytest.approx(joint[0] - joint[1], abs=1e-8)


def test_the_words_count_what_the_results_hold():
    results = committed(STUDY.name)
    (figure,) = STUDY.figures
    turn, before, beyond = words_on_powers(results, figure.cells)
    for data in ("means 0, 1.6, 4", "means 0, 2, 5", "means 0, 3, 7.5"):
        even = [
            results.values(f"{data}; N = {n}", "the true groups", "break_even").mean() for n in ("100", "300", "1,000")
        ]
        assert f"{data}: {min(even):.2f} to {max(even):.2f}" in turn
    frame = results.to_frame()
    for sentence, is_beyond in ((before, False), (beyond, True)):
        for column, own in frame.groupby("column"):
            ended = [
                row[f"kept_{power:.2f}"]
                for _, row in own.iterrows()
                for power in (1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5)
                if (power > row["break_even"]) is is_beyond
            ]
            share = f"{100 * np.mean(ended):.1f}".removesuffix(".0")
            assert f"{share}\u202f% of {len(ended):,} from {column}" in sentence


def test_shares_are_those_of_the_chains():
    results = committed(STUDY.name)
    row, column = STUDY.figures[0].cells[0]
    found = shares_kept(results, row, column)
    assert list(found) == [1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5]
    for power, share in found.items():
        assert share == np.mean([record.numbers[f"kept_{power:.2f}"] for record in results.of(row, column)])


def test_lines_over_the_powers_are_the_balances():
    data = dpviz.datasets.synthesize("powered_sim_1_authors", n=100, seed=1)
    own = against_one(data, STUDY.cells(repetitions=1, sweeps=10)[0].config)
    (line,) = differences_by_power([own], 1.1, 2.0).data
    assert list(line.y) == [own.difference(1.0), own.difference(2.0)] and list(line.x) == [1.0, 2.0]


def test_own_numbers_are_answered_at_once_and_kept_in_the_address():
    link = {"study": STUDY.name, "n": 100, "r": 1.3, "distance": 1.5}
    app = opened("papers", papers=link)
    config = STUDY.cells(repetitions=1, sweeps=10)[0].config

    def expected(n, power, factor):
        draws = [
            dpviz.datasets.synthesize("powered_sim_1_authors", n=n, seed=seed, middle=2 * factor, right=5 * factor)
            for seed in range(powers.N_DRAWS)
        ]
        return powers.sentences([against_one(data, config) for data in draws], n, power, factor)

    assert all(sentence in said(app) for sentence in expected(100, 1.3, 1.5))
    run(labelled(app, "slider", "Power r").set_value(1.8))
    shown = said(app)
    assert all(sentence in shown for sentence in expected(100, 1.8, 1.5))
    assert json.loads(address(app, "papers")) == link | {"r": 1.8}


def test_sentences_say_the_side_that_the_numbers_are_on():
    data = dpviz.datasets.synthesize("powered_sim_1_authors", n=300, seed=0)
    own = against_one(data, STUDY.cells(repetitions=1, sweeps=10)[0].config)
    assert 1.0 < own.break_even < 1.1
    assert (
        "nats above" in powers.sentences([own], 300, 1.0, 1.0)[0]
        and "in 0 of 1" in powers.sentences([own], 300, 1, 1)[0]
    )
    assert "nats below" in powers.sentences([own], 300, 1.1, 1.0)[0]


def test_of_a_run_that_was_ended_early_only_what_was_run_is_said():
    results, (figure,) = committed(STUDY.name), STUDY.figures
    few = replace(results, records=type(results.records)(list(results.records)[:3]))
    said = words_on_powers(few, figure.cells)
    assert said and not any("nan" in sentence or "in: ." in sentence for sentence in said)
    assert words_on_powers(replace(results, records=type(results.records)([])), figure.cells) == []
