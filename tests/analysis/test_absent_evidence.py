"""Sentences about evidence that is missing, partial, one value only or undefined: nothing is claimed of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_recommendation import BASE, BLOBS
from test_tune_page import SMALL, X, with_settings

import dpviz
from dpviz import RunConfig
from dpviz.analysis.evaluation import Cell
from dpviz.analysis.grids import Axis, Grid, latest_cells, run_grid
from dpviz.analysis.held_out import Fold, HeldOut
from dpviz.analysis.hyperparameters import SearchStep
from dpviz.analysis.recommendation import (
    N_SEEDS,
    N_SPLITS,
    Candidate,
    Evidence,
    HalvesCheck,
    SeedCheck,
    gather_evidence,
    number_of_steps,
    recommendation,
)
from dpviz.analysis.search import LocalOptima, Restart, local_optima
from dpviz.analysis.selection import PowerLoss
from dpviz.ui.predict.folds import measured_words
from dpviz.ui.session.chosen_data import prepare
from dpviz.ui.tune import advice, concentration_and_power, family_prior, report, search_quality
from dpviz.ui.tune import cluster_counts as tune_counts
from dpviz.ui.tune import grid as tune_grid
from dpviz.ui.tune import page as tune
from dpviz.ui.tune import recommendation as words
from pages import in_app, press, run, said, until

CLAIMS = (
    "agree with it",
    "other seeds find",
    "halves of the data give",
    "it holds over",
    "answer does not depend",
    "Quite sure",
    "other seeds disagree",
    "Take the prior",
)
"""What only evidence can say."""


@pytest.fixture(scope="module")
def evidence() -> list[Evidence]:
    return list(gather_evidence(BLOBS, BASE, n_jobs=1))


def everything_said(found: Sequence[Evidence]) -> str:
    advised = recommendation(BASE, found)
    return "\n".join([words.headline(advised), words.confidence(advised), *words.reasons(advised)])


def kind_of(evidence: Sequence[Evidence], kind: type) -> list[Any]:
    return [entry for entry in evidence if isinstance(entry, kind)]


# --- the recommendation -----------------------------------------------------------------------------------------------


def test_two_steps_of_a_recommendation_recommend_nothing(evidence):
    for n_steps in (1, 2, 8):
        text = everything_said(evidence[:n_steps])
        assert not [claim for claim in CLAIMS if claim in text], text
        assert f"only {n_steps} of 63 settings" in text and "Not known" in text
        assert "**Seeds:** not tried." in text and "**Halves of the data:** not tried." in text
        assert "no other seeds and no halves of the data" in text


def test_settings_without_checks_are_compared_and_no_more(evidence):
    text = everything_said(kind_of(evidence, Candidate))
    assert "Take the prior" in text
    assert not [claim for claim in CLAIMS if claim in text and claim != "Take the prior"], text
    assert "Not known: only part of it was tried (no other seeds and no halves of the data)." in text


@pytest.mark.parametrize(
    ("agreeing", "differing", "sure"),
    [(1, 0, None), (0, 1, None), (3, 1, None), (4, 0, True), (5, 0, True), (4, 1, True), (0, 2, False), (3, 2, False)],
)
def test_seeds_tell_once_enough_were_tried(agreeing, differing, sure, evidence):
    cells, halves = kind_of(evidence, Candidate), kind_of(evidence, HalvesCheck)
    k = recommendation(BASE, evidence).cell.n_clusters
    seeds = [SeedCheck(s, k, 1e9, 1.0) for s in range(agreeing)] + [SeedCheck(9, k, 1e9, 0.5)] * differing
    advised = recommendation(BASE, [*cells, *seeds, *halves])
    assert (advised.is_trusted, advised.is_contradicted) == (sure is True, sure is False)
    others = f"Not sure: {differing} of {agreeing + differing} other seeds find other groups"
    opening = {True: "Quite sure", False: others, None: "Not known: only part"}[sure]
    assert words.confidence(advised).startswith(opening)
    text = "\n".join(words.reasons(advised))
    n_seeds = agreeing + differing
    assert (f"Only {n_seeds} of {N_SEEDS} were tried." in text) == (n_seeds < N_SEEDS)


@pytest.mark.parametrize("more", [0, 1])
def test_criteria_disagree_only_where_they_find_other_numbers_of_clusters(more, evidence):
    advised = recommendation(BASE, evidence)
    other = replace(advised.cell, values=(99.0,), n_clusters=advised.cell.n_clusters + more)
    said_of_both = "\n".join(words.reasons(replace(advised, by_held_out=other)))
    assert "N0 = 99" in said_of_both and ("Two criteria disagree" in said_of_both) == bool(more)


@pytest.mark.parametrize("n_halves", range(N_SPLITS + 1))
def test_halves_tell_once_all_were_tried(n_halves, evidence):
    complete = [*kind_of(evidence, Candidate), *kind_of(evidence, SeedCheck)]
    advised = recommendation(BASE, [*complete, *kind_of(evidence, HalvesCheck)[:n_halves]])
    assert words.confidence(advised).startswith("Quite sure" if n_halves == N_SPLITS else "Not known")
    assert (f"Only {n_halves} of {N_SPLITS} were tried" in "\n".join(words.reasons(advised))) == (
        0 < n_halves < N_SPLITS
    )


def test_an_agreement_that_is_undefined_is_no_disagreement(evidence):
    complete = [*kind_of(evidence, Candidate), *kind_of(evidence, SeedCheck)]
    advised = recommendation(BASE, [*complete, *[HalvesCheck((3, 3), float("nan"))] * N_SPLITS])
    assert words.confidence(advised) == "Not known: how far halves of the data agree is undefined."


def test_settings_that_no_unseen_points_judge_are_still_compared_by_nll(evidence):
    cells = [Candidate(e.prior, replace(e.cell, held_out=float("nan"))) for e in kind_of(evidence, Candidate)]
    advised = recommendation(BASE, cells)
    assert advised.by_held_out is None and "no setting was judged by them" in "\n".join(words.reasons(advised))


def test_a_cancelled_recommendation_claims_nothing_on_the_page_and_in_its_report(
    monkeypatch,
):
    gate, calm = threading.Semaphore(2), words.gather_evidence

    def slow(*arguments):
        for entry in calm(*arguments):
            gate.acquire()
            yield entry

    monkeypatch.setattr("dpviz.ui.session.jobs.UNASKED_GRID", 0.0)
    monkeypatch.setattr(words, "gather_evidence", slow)
    own = SMALL.with_options(seed=1234)  # of which no other test in this process has a recommendation
    at = run(with_settings(in_app("tune", data=own), tune.RECOMMENDATION))
    press(at, "tune.run.recommendation")
    until(at, lambda at: "only 2 of 63 settings" in said(at))
    press(at, "tune.cancel.recommendation")
    gate.release()
    shown = said(at)
    assert f"2 of the {number_of_steps(BASE)} steps" in shown or f"the 2 of {number_of_steps(BASE)} steps" in shown
    (section,) = at.session_state["tune report"].values()
    for text in (shown, report.page([section]).decode().partition("</head>")[2]):
        assert not [claim for claim in CLAIMS if claim in text]
        assert "No recommendation yet: only 2 of 63 settings were tried" in text
        assert "no other seeds and no halves of the data" in text
    for _ in range(200):
        gate.release()


# --- grids, N0 and r --------------------------------------------------------------------------------------------------

FAMILY = RunConfig("mapdp", family="normal_wishart", prior=None, effort=0.1)
N0 = Grid(FAMILY, (Axis("concentration", (0.3, 1.0, 3.0, 10.0)),), 2)


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    return latest_cells(run_grid(X, N0, n_jobs=1))


def test_an_end_that_was_compared_with_nothing_is_no_edge(cells):
    assert advice.ends(N0, cells[0], "nll", cells[:1]) == []
    assert "lowest value tried" in advice.ends(N0, cells[0], "nll", cells[:2])[0]


def test_a_part_of_the_range_is_not_the_whole(cells):
    one, two, four = ("\n".join(concentration_and_power.concentration_words(N0, cells[:n])) for n in (1, 2, 4))
    assert "Only 1 of 4 values was tried" in one and "lowest" not in one and "best predicted" not in one
    assert "the 2 of 4 values that were tried" in two and "whole range" not in two
    assert ("the whole range" in four) and "tried:" not in four
    alone = Grid(FAMILY, (Axis("concentration", (1.0,)),), 2)
    text = concentration_and_power.concentration_words(alone, [replace(cells[1], index=(0,))])[0]
    assert "Only one value was tried" in text and "range" not in text


def test_without_unseen_points_nothing_is_said_of_them(cells):
    blind = [replace(cell, held_out=float("nan")) for cell in cells]
    text = "\n".join(concentration_and_power.concentration_words(N0, blind))
    assert "No value has a density of unseen points" in text and "disagree" not in text


POWERS = Grid(FAMILY, (Axis("power", (1.05, 1.2, 1.5, 1.8)),))


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ([], "was not tried"),
        ([1.0], "1 of 4 powers only: whether it blows up cannot be said"),
        ([1.0, 9.0, 9.0], "3 of 4 powers only: whether it blows up cannot be said"),
        ([1.0, 1.0, np.nan, 9.0], "that is not a number somewhere cannot tell"),
        ([1.0, 1.0, 1.0, 1.0], "does not blow up in this range"),
        ([1.0, 1.0, 9.0, 9.0], "blows up after r = 1.2"),
    ],
)
def test_a_loss_blows_up_only_where_all_powers_were_judged(losses, expected, cells):
    powers = [replace(c, values=(r,)) for c, r in zip(cells, POWERS.axes[0].values, strict=True)]
    found = [PowerLoss(r, loss, 2.0) for r, loss in zip(POWERS.axes[0].values, losses, strict=False)]
    text = "\n".join(concentration_and_power.power_words(POWERS, powers, found))
    assert expected in text
    verdicts = ("does not blow up in this range", "blows up after", "Without a blow-up")
    assert any(verdict in text for verdict in verdicts) == (len(losses) == 4 and not np.isnan(losses).any())


def test_one_power_has_no_lowest_nll_and_no_blow_up(cells):
    one = Grid(FAMILY, (Axis("power", (1.05,)),))
    found, loss = [replace(cell, values=(1.05,)) for cell in cells[:2]], PowerLoss(1.05, 1.0, 2.0)
    text = "\n".join(concentration_and_power.power_words(one, found[:1], [loss]))
    assert "lowest" not in text and "Only one value was tried" in text and "A loss of one power cannot tell" in text
    part = "\n".join(concentration_and_power.power_words(POWERS, found, []))
    assert "the 2 of 4 values that were tried" in part


def test_runs_of_a_grid_are_counted_among_all(cells):
    def finding(n):
        measures = {"nll": "nll", "ari": "ARI"}
        some = [replace(cell, ari=float("nan") if cell.index[0] else 0.5) for cell in cells[:n]]
        return tune_grid._finding(N0, some, some[0], "nll", measures)

    assert finding(1).startswith("1 run of 4: ") and "lowest" not in finding(1) and "everywhere" not in finding(1)
    assert finding(2).startswith("2 runs of 4: ") and finding(4).startswith("4 runs: ")
    assert "(ARI 0.50, NMI " in finding(3)


# --- search quality, the prior, the number of clusters ----------------------------------------------------------------


def restart(strategy: str, nll: float) -> Restart:
    return Restart(strategy, strategy, 0, nll, np.arange(4) % 2, 2, 5, 0.1)


def test_one_run_is_compared_with_nothing():
    one = "\n".join(search_quality.found_in_words([restart("auto", -3.0)]))
    assert "100%" not in one and "reach it" not in one and "none was tried beside it" in one
    assert "Not tried:" in one and "the default search" in one
    assert "Not tried" not in "\n".join(search_quality.found_in_words([restart("auto", -3.0)], live=True))


def test_starts_that_were_not_tried_are_named():
    some = [restart("auto", -3.0), restart("single", -2.0)]
    text = "\n".join(search_quality.found_in_words(some))
    assert "50% of the runs reach it" in text and "how different the partitions are and the default search" in text
    every = [restart(name, -3.0) for name in search_quality.STRATEGIES]
    spread = local_optima(every)
    assert isinstance(spread, LocalOptima)
    trace = dpviz.run(X, replace(FAMILY, init="single", n_init=1))
    assert "Not tried" not in "\n".join(search_quality.found_in_words([*every, spread, trace]))


def step(old: float, new: float, nll: float) -> SearchStep:
    return SearchStep("c0", old, new, nll, 3, FAMILY)


@pytest.mark.parametrize(
    ("steps", "expected", "absent"),
    [
        ([step(1, 1, 9.0)], "no change was tried", "No change lowers"),
        ([step(1, 1, 9.0), step(1, 1, 9.0)], "Not all changes were tried", "No change lowers"),
        ([step(1, 1, 9.0), step(1, 1, 9.0), step(1, 1, 9.0)], "No change lowers", "Not all"),
        ([step(1, 1, 9.0), step(1, 2, 8.0)], "in 1 change; K goes from 3 to **3**. Not all changes", "No change"),
        ([step(1, 1, 9.0), step(1, 2, 8.0), *[step(2, 2, 8.0)] * 3], "in 1 change", "Not all"),
    ],
)
def test_a_search_for_a_prior_that_was_cancelled_says_so(steps, expected, absent):
    text = family_prior.fall_in_words(steps, n_parameters=2, most_passes=5)
    assert expected in text and absent not in text


def test_bic_is_lowest_among_what_was_tried(monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(tune_counts.advice, "tell", lambda sentences: told.extend(sentences))
    prepared, grid = prepare(SMALL), tune_counts.bic_grid(RunConfig("kmeans"), 5)
    found = list(run_grid(prepared.X, grid, None, 1))
    tune_counts._draw_bic(prepared, "n_clusters", found[:2], True, grid.n_cells)
    assert "of the 2 of 5 that were tried" in told[0]
    told.clear()
    tune_counts._draw_bic(prepared, "n_clusters", found, True, grid.n_cells)
    assert "that were tried" not in told[0]


# --- folds ------------------------------------------------------------------------------------------------------------


def test_a_mean_over_some_folds_names_them():
    folds = [Fold(n, np.array([2 * n, 2 * n + 1]), np.array([-1.0, -np.inf]), 2) for n in range(3)]
    assert measured_words(HeldOut.of(folds, 6), 3) == "Mean log density of 6 points under fits without them"
    text = measured_words(HeldOut.of(folds[:1], 6), 3)
    assert text == "1 of 3 folds were tried: mean log density of 2 points under fits without them"
