"""Shared code of the studies of Lu, Li & Dunson (2018): the priors, the chains, and the layout of their tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.analysis.studies.long_chains import score_chain
from dpviz.analysis.studies.study import Entry, Remark, Source, StudyCell, Table
from dpviz.config import RunConfig
from dpviz.partition import ChineseRestaurant, PartitionPrior, PoweredChineseRestaurant

PAPER = "Lu, Li & Dunson (2018)"
CRP, ORACLE, POWERED = "CRP", "CRP-Oracle", "pCRP"
"""The Chinese restaurant, the same with the N0 for which N0 ln N is the true number of clusters, and the powered."""
METHODS = (ORACLE, CRP, POWERED)
CONCENTRATION = 1.0
POWERS = tuple(round(1 + 0.01 * step, 2) for step in range(1, 21))
"""Powers that are cross-validated, 1 + ε upwards."""
TUNING_SWEEPS = 500
THIN = 5
FIRST_CLUSTERS = 10
"""Chains start from this many K-means clusters: a chain of the powered CRP from one hardly ever opens another."""

Row = tuple[float, float, float, float, float, float, float]
"""NMI, its standard error, VI, its standard error, K, its standard error, largest K."""


def priors_of(n_points: int, n_true: int, paper_power: float | None = None) -> dict[str, PartitionPrior]:
    """Return the prior of every column; with the power that the paper chose, if it prints one, as a further column."""
    priors: dict[str, PartitionPrior] = {
        ORACLE: ChineseRestaurant(float(n_true / np.log(n_points))),
        CRP: ChineseRestaurant(CONCENTRATION),
        POWERED: PoweredChineseRestaurant(CONCENTRATION, POWERS[0]),
    }
    if paper_power is not None:
        priors[f"{POWERED}, r = {paper_power:.2f}"] = PoweredChineseRestaurant(CONCENTRATION, paper_power)
    return priors


def chains(
    row: str,
    source: Source,
    n_tuning: int,
    priors: Mapping[str, PartitionPrior],
    sweeps: int,
    repetition: int,
    base: Any = None,
) -> list[StudyCell]:
    """Return a chain of every prior on one data set; the power of pCRP is cross-validated.

    ``base`` is the prior of the components; by default empirical Bayes.
    """
    cells = []
    for column, partition in priors.items():
        config = RunConfig(
            "gibbs",
            family="normal_wishart",
            prior=base,
            partition=partition,
            init="kmeans++",
            init_clusters=FIRST_CLUSTERS,
            n_sweeps=sweeps,
            burn_in=sweeps // 2,
            thin=THIN,
            seed=repetition,
        )
        settings: list[tuple[str, Any]] = [("n_tuning", n_tuning)]
        if column == POWERED:
            settings += [("powers", POWERS), ("tuning_sweeps", min(TUNING_SWEEPS, sweeps))]
        if repetition == 0:
            settings.append(("keep", True))
        cells.append(StudyCell(row, column, source, config, score_chain, repetition, tuple(settings)))
    return cells


SCORES = {
    "NMI": ("nmi", 0, "1 means that the clusters are the true groups, 0 that they say nothing about them.", 2),
    "VI (bits)": ("vi", 2, "Variation of information: 0 means that the clusters are the true groups.", 2),
    "K": ("k", 4, "Number of clusters, averaged over the draws.", 2),
    "K_max": ("k_max", 6, "Largest number of clusters among the draws.", 0),
}
"""Quantity, place among the printed numbers, explanation and decimals."""
SPREAD = (
    "The paper's spread is two of its standard errors, which take draws for independent. Ours is that between draws of "
    "the data together with two standard errors of the chain, which count that successive draws are alike."
)


def score_table(
    table: str,
    score: str,
    printed: Mapping[str, Mapping[str, Row]],
    columns: tuple[str, ...],
    others: tuple[str, ...],
    remarks: tuple[Remark, ...] = (),
) -> Table:
    """Compare one score with the printed ones, row by row; ``others`` are rows that the paper lacks."""
    quantity, place, explanation, decimals = SCORES[score]
    entries = []
    for row in (*printed, *others):
        for column in columns:
            within = "" if quantity == "k_max" else f"{quantity}_2se"
            numbers = printed.get(row, {}).get(column)
            if numbers is None:
                entries.append(Entry(row, column, (row, column), quantity, spread=within))
            else:
                spread = None if quantity == "k_max" else 2 * numbers[place + 1]
                entries.append(Entry(row, column, (row, column), quantity, numbers[place], spread, within))
    return Table(f"{table}, {score}", explanation, SPREAD, tuple(entries), remarks, decimals)


def error_table(table: str, printed: Mapping[str, Mapping[str, Row]], remarks: tuple[Remark, ...] = ()) -> Table:
    """Compare the printed standard errors with ours, computed in the same way."""
    entries = [
        Entry(f"{row}: {score}", column, (row, column), f"{quantity}_se_thousandths", 1000 * numbers[place + 1])
        for row, methods in printed.items()
        for score, (quantity, place, _, _) in SCORES.items()
        if quantity != "k_max"
        for column, numbers in methods.items()
    ]
    return Table(
        f"{table}, standard errors",
        "Standard errors of the means over the draws, in thousandths",
        "As if the draws were independent, which is how the paper's come out; the spread is over draws of the data.",
        tuple(entries),
        remarks,
        1,
    )
