"""The recommendation: what it chooses, what it tries, and what it may say of the evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dpviz
from dpviz.analysis import recommendation as analysis
from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.analysis.recommendation import Candidate, HalvesCheck, SeedCheck, choose, gather_evidence, recommendation
from dpviz.analysis.selection import ends_reached
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.ui.tune import recommendation as words

BASE = dpviz.RunConfig("mapdp", n_init=2, effort=0.05, family="normal_wishart", prior=None)
RNG = np.random.default_rng(0)
BLOBS = np.repeat([[0.0, 0.0], [30.0, 5.0], [5.0, 35.0]], 20, axis=0) + RNG.normal(size=(60, 2))
NOISE = RNG.standard_t(2, size=(40, 3))


@pytest.fixture(scope="module")
def evidence():
    return list(gather_evidence(BLOBS, BASE, n_jobs=1))


def cells_of(evidence):
    return [entry for entry in evidence if isinstance(entry, Candidate)]


def with_checks(evidence, seeds, halves=()):
    return recommendation(BASE, [*cells_of(evidence), *seeds, *halves])


def test_far_groups_are_found_and_the_answer_holds(evidence):
    advised = recommendation(BASE, evidence)
    assert advised.cell.n_clusters == 3 and advised.n_agreeing == len(advised.seeds) == analysis.N_SEEDS
    assert advised.is_trusted and advised.agreement_of_halves == 1.0
    assert words.confidence(advised).startswith("Quite sure")
    lowest = min(candidate.cell.nll for candidate in cells_of(evidence))
    assert advised.cell.nll <= lowest + analysis.WORTH_A_PARAMETER
    trace = dpviz.run(BLOBS, advised.cell.config)
    assert trace.nll[-1] == advised.cell.nll


def test_every_check_is_the_run_it_names(evidence):
    advised = recommendation(BASE, evidence)
    for check in advised.seeds:
        trace = dpviz.run(BLOBS, replace(BASE, partition=advised.cell.config.partition, seed=check.seed))
        assert (check.nll, check.n_clusters) == (trace.nll[-1], trace.n_clusters[-1])
        assert check.agreement == dpviz.metrics.ari(advised.cell.labels, trace.labels[-1])
    assert len({check.seed for check in advised.seeds} - {BASE.seed}) == analysis.N_SEEDS


def test_data_without_groups_give_no_certainty():
    advised = recommendation(BASE, list(gather_evidence(NOISE, BASE, n_jobs=1)))
    assert not words.confidence(advised).startswith("Quite sure")


def test_a_prior_with_one_more_parameter_must_be_worth_it(evidence):
    cell = cells_of(evidence)[0].cell
    for gain, chosen in ((2.9, "chinese_restaurant"), (3.1, "powered")):
        candidates = [Candidate("chinese_restaurant", cell), Candidate("powered", replace(cell, nll=cell.nll - gain))]
        assert choose(candidates).prior == chosen


def same_everywhere(evidence):
    """Candidates that all find what the first does."""
    first = cells_of(evidence)[0].cell
    return [
        Candidate(entry.prior, replace(entry.cell, n_clusters=first.n_clusters, labels=first.labels))
        for entry in cells_of(evidence)
    ]


def test_that_the_choice_does_not_matter_is_said_only_if_the_search_is_trusted(evidence):
    candidates = same_everywhere(evidence)
    n_clusters = candidates[0].cell.n_clusters
    good = [SeedCheck(seed, n_clusters, 0.0, 1.0) for seed in range(5)]
    bad = [SeedCheck(seed, n_clusters + 1, 0.0, 0.5) for seed in range(5)]
    claim = "does not depend on your choice"
    assert claim in words.dependence(with_checks(candidates, good))
    assert claim in words.dependence(with_checks(candidates, good[:4] + bad[:1]))
    assert claim not in words.dependence(with_checks(candidates, good[:3] + bad[:2]))
    assert claim not in words.dependence(with_checks(candidates, []))
    advised = with_checks(candidates, good)
    other = replace(advised.row[-1], n_clusters=n_clusters + 1)
    assert claim not in words.dependence(replace(advised, row=(*advised.row[:-1], other)))
    assert claim not in words.dependence(replace(advised, rivals={**advised.rivals, "pitman_yor": other}))


def test_the_same_number_of_other_clusters_is_no_agreement(evidence):
    n_clusters = recommendation(BASE, evidence).cell.n_clusters
    assert not with_checks(evidence, [SeedCheck(seed, n_clusters, 0.0, 0.6) for seed in range(5)]).is_trusted


def test_halves_that_differ_are_not_called_sure(evidence):
    advised = with_checks(
        evidence, [entry for entry in evidence if isinstance(entry, SeedCheck)], [HalvesCheck((3, 5), 0.4)] * 3
    )
    assert "halves of the data give other groups" in words.confidence(advised)


def test_the_stable_range_is_the_stretch_around_the_choice(evidence):
    advised = recommendation(BASE, evidence)
    counts = (3, 2, 2, 2, 3, 2)
    cells = [replace(advised.cell, n_clusters=k, index=(i,), values=(float(i),)) for i, k in enumerate(counts)]
    around = replace(advised, row=tuple(cells), cell=cells[2])
    assert around.stable_range == (1.0, 3.0) and around.depends_on_choice


def test_a_best_value_at_an_end_is_named():
    grid = Grid(BASE, (Axis("concentration", (1.0, 2.0, 3.0)), Axis("c0", (0.5,))))
    cell = next(run_grid(BLOBS, grid, n_jobs=1, cache=None))
    ends = {0: {"concentration": "lowest"}, 1: {}, 2: {"concentration": "highest"}}
    assert {i: ends_reached(grid, replace(cell, index=(i, 0))) for i in ends} == ends


def test_what_cannot_be_advised_on_is_refused():
    with pytest.raises(InvalidDataError, match="12 or more"):
        next(gather_evidence(BLOBS[:11], BASE))
    with pytest.raises(InvalidParameterError, match="mapdp"):
        next(gather_evidence(BLOBS, dpviz.RunConfig("kmeans")))
    with pytest.raises(InvalidParameterError, match="at least one candidate"):
        recommendation(BASE, [])
