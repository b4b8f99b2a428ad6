"""Raykov et al. (2014), Sec. 4.2: seven UCI data sets (Tables 2 and 3), as the paper runs them and with more effort."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.analysis.selection import best_cell, penalty_for
from dpviz.analysis.studies.chains import evenly, mean_scores, stopped_chain
from dpviz.analysis.studies.measures import run_numbers
from dpviz.analysis.studies.study import Entry, Outcome, Remark, Source, Study, StudyCell, Table, register
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.fit.automatic import resolve
from dpviz.fit.run import run
from dpviz.partition import ChineseRestaurant

PAPER = "Raykov, Boukouvalas & Little (2014)"
CONCENTRATIONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Candidates for N0; the paper does not print its own."""
FACTORS = tuple(float(factor) for factor in np.geomspace(1 / 16, 16, 161))
"""Factors on the λ of farthest-first traversal, if that one does not give the true number of clusters."""
LONGEST = 10_000
"""Sweeps after which the paper stops a chain."""
SETS = {
    "Wine": "wine",
    "Iris": "iris",
    "Breast cancer": "breast_cancer_original",
    "Soybean": "soybean_307",
    "Parkinson’s": "parkinsons_voice",
    "Pima": "pima",
    "Vehicle": "vehicle",
}
"""Name in the paper → table."""
NOT_SHIPPED = ("pima",)
DPMEANS, GIBBS, MAPDP = "DP-means", "Gibbs", "MAP-DP"
GIBBS_GROUPS, MAPDP_GROUPS = "Gibbs, random groups", "MAP-DP, random groups"
"""From as many random groups as there are classes, instead of a single cluster."""
SEARCHED, MODEL = "MAP-DP, own search", "MAP-DP, own model"
SCORED_DRAWS = 200
NMI = {
    "Wine": (0.42, (0.72, 0.06), 0.86),
    "Iris": (0.76, (0.75, 0.06), 0.76),
    "Breast cancer": (0.75, (0.70, 0.01), 0.71),
    "Soybean": (0.36, (0.49, 0.00), 0.40),
    "Parkinson’s": (0.02, (0.13, 0.02), 0.12),
    "Pima": (0.03, (0.07, 0.01), 0.07),
    "Vehicle": (0.21, (0.15, 0.02), 0.15),
}
ITERATIONS = {
    "Wine": (19, 2365, 11),
    "Iris": (8, 1543, 5),
    "Breast cancer": (8, 939, 8),
    "Soybean": (14, 10_000, 9),
    "Parkinson’s": (1_000, 1307, 13),
    "Pima": (20, 1189, 17),
    "Vehicle": (12, 939, 9),
}


def paper_prior(X: FloatArray) -> dict[str, Any]:
    """Return the paper's normal–gamma prior: m0 = x̄, c0 = 10/N, a0 = 1, b0 the columns' sample variances.

    A column that never changes, which has no variance, gets 1: it says the same of every partition.
    """
    variances = X.var(axis=0, ddof=1)
    return {"m0": X.mean(axis=0), "c0": 10 / len(X), "a0": 1.0, "b0": np.where(variances > 0, variances, 1.0)}


def with_chosen_concentration(X: FloatArray, config: RunConfig) -> RunConfig:
    """Return the configuration with the concentration whose run ends at the lowest nll (2014 App. A.3, way 2)."""
    grid = Grid(config, (Axis("concentration", CONCENTRATIONS),))
    return best_cell(run_grid(X, grid, n_jobs=1, cache=None), "nll").config


def fit_mode(data: Dataset, config: RunConfig) -> Outcome:
    """Run MAP-DP with the paper's prior and N0 by nll."""
    chosen = with_chosen_concentration(data.X, _on(data, config))
    trace = run(data.X, chosen)
    return Outcome(run_numbers(trace, data) | {"concentration": _concentration(chosen)}, chosen)


def fit_chain(data: Dataset, config: RunConfig, longest: int) -> Outcome:
    """Run Gibbs with the paper's prior and the N0 that MAP-DP chooses, and average over the draws after the burn-in."""
    chain = _on(data, config)
    mode = RunConfig(
        "mapdp",
        family=chain.family,
        prior=chain.prior,
        init=chain.init,
        n_init=1,
        seed=chain.seed,
        init_clusters=chain.init_clusters,
    )
    chain = replace(chain, partition=with_chosen_concentration(data.X, mode).partition)
    trace, burn_in, converged = stopped_chain(data.X, chain, longest)
    numbers = mean_scores(data, evenly(trace.labels[1 + burn_in :], SCORED_DRAWS))
    numbers |= {"iterations": trace.n_sweeps, "burn_in": burn_in, "converged": float(converged)}
    return Outcome(numbers | {"concentration": _concentration(chain)}, trace.config)


def _on(data: Dataset, config: RunConfig) -> RunConfig:
    """Return the configuration with the paper's prior for the data; random groups are as many as the classes."""
    n_classes = len(np.unique(data.labels)) if config.init == "random" else None  # type: ignore[arg-type]
    return replace(config, prior=paper_prior(data.X), init_clusters=n_classes)


def fit_penalty(data: Dataset, config: RunConfig) -> Outcome:
    """Run DP-means with the λ nearest to that of farthest-first traversal that gives the true number of clusters."""
    assert data.labels is not None
    n_groups = len(np.unique(data.labels))
    first = penalty_for(data.X, n_groups)
    runs = []
    for factor in FACTORS:
        trace = run(data.X, replace(config, penalty=first * factor))
        runs.append((abs(int(trace.n_clusters[-1]) - n_groups), abs(math.log(factor)), factor, trace))
    _, _, factor, trace = min(runs, key=lambda found: found[:3])
    return Outcome(run_numbers(trace, data) | {"factor": factor}, trace.config)


def fit_own_model(data: Dataset, config: RunConfig) -> Outcome:
    """Run MAP-DP with the family that fits the columns, full covariances among them, and its width by nll."""
    chosen = resolve(data.X, config.with_kinds(data.kinds)).config
    trace = run(data.X, chosen)
    return Outcome(run_numbers(trace, data), chosen)


def _concentration(config: RunConfig) -> float:
    assert isinstance(config.partition, ChineseRestaurant)
    return config.partition.concentration


def uci_cells(repetitions: int, longest: int) -> list[StudyCell]:
    """Return every method on every table; methods with a random order of visits are repeated."""
    cells = []
    model: dict[str, Any] = {"family": "normal_gamma", "prior": None}
    means = RunConfig("dpmeans", init="single", n_init=1, order="index", sweep="until_birth", max_sweeps=1_000)
    starts = (("single", MAPDP, GIBBS), ("random", MAPDP_GROUPS, GIBBS_GROUPS))
    for row, name in SETS.items():
        source = Source("file" if name in NOT_SHIPPED else "bundled", name)
        cells += [
            StudyCell(row, DPMEANS, source, means, fit_penalty),
            StudyCell(row, SEARCHED, source, RunConfig("mapdp", effort=0.3, **model), fit_mode),
            StudyCell(row, MODEL, source, RunConfig("mapdp", partition=ChineseRestaurant(3.0)), fit_own_model),
        ]
        for seed in range(repetitions):
            for init, mode_column, chain_column in starts:
                mode = RunConfig("mapdp", init=init, n_init=1, order="permuted", seed=seed, **model)
                chain = RunConfig("gibbs", init=init, seed=seed, **model)
                cells.append(StudyCell(row, mode_column, source, mode, fit_mode, seed))
                cells.append(StudyCell(row, chain_column, source, chain, fit_chain, seed, (("longest", longest),)))
    return cells


def _nmi_entries() -> tuple[Entry, ...]:
    entries = []
    for row, (means, (gibbs, spread), mode) in NMI.items():
        entries += [
            Entry(row, DPMEANS, (row, DPMEANS), "nmi", means),
            Entry(row, GIBBS, (row, GIBBS), "nmi", gibbs, spread, spread="nmi_2sd"),
            Entry(row, MAPDP, (row, MAPDP), "nmi", mode),
            Entry(row, GIBBS_GROUPS, (row, GIBBS_GROUPS), "nmi", spread="nmi_2sd"),
            Entry(row, MAPDP_GROUPS, (row, MAPDP_GROUPS), "nmi"),
            Entry(row, SEARCHED, (row, SEARCHED), "nmi"),
            Entry(row, MODEL, (row, MODEL), "nmi"),
        ]
    return tuple(entries)


def _iteration_entries() -> tuple[Entry, ...]:
    methods = (DPMEANS, GIBBS, MAPDP)
    return tuple(
        Entry(row, method, (row, method), "iterations", number)
        for row, numbers in ITERATIONS.items()
        for method, number in zip(methods, numbers, strict=True)
    )


NMI_REMARKS = (
    Remark(
        "Wine: it is the start. From a single cluster, which the paper says it begins with, MAP-DP stays there in most"
        " orders of the points, and so does Gibbs; from three random groups MAP-DP scores 0.86 ± 0.00, the printed "
        "number, and Gibbs 0.77 ± 0.08. So the printed runs most likely began with several groups. The lowest nll we "
        "know of, 3,527, has four clusters that score 0.74; the state that scores 0.86 has 3,542.",
        rows=("Wine",),
        columns=(GIBBS, MAPDP),
    ),
    Remark(
        "Soybean, DP-means: we could not find the cause. With the codes as numbers, every λ we tried that leaves the "
        "true 15 clusters scores 0.70 to 0.72, in either order of the points and with either way of ending a pass; "
        "fewer clusters score less, six 0.56, four 0.46 and three 0.42. The printed 0.36 would go with fewer still.",
        rows=("Soybean",),
        columns=(DPMEANS,),
    ),
    Remark(
        "Soybean, MAP-DP: it is the order in which points are visited. Eight orders score 0.32 to 0.48, around the "
        "printed 0.40; the three here happen to lie closer together.",
        rows=("Soybean",),
        columns=(MAPDP,),
    ),
    Remark(
        "Parkinson’s, DP-means: every λ we tried that leaves two clusters scores 0.00 after 2 to 4 passes, so the "
        "cause is not λ. The paper’s run had not converged after 1,000 passes, and its number is that of a state on "
        "the way; why it did not converge we could not find out.",
        rows=("Parkinson’s",),
        columns=(DPMEANS,),
    ),
    Remark(
        "Pima, MAP-DP: it is N0, whose candidates the paper does not print. The one of lowest nll among ours gives "
        "0.075 to 0.08; N0 = 10 and N0 = 30 give 0.072, which prints as 0.07.",
        rows=("Pima",),
        columns=(MAPDP,),
    ),
    Remark(
        "Vehicle, DP-means: it is λ. Those we tried that leave four clusters score 0.19 to 0.21.",
        rows=("Vehicle",),
        columns=(DPMEANS,),
    ),
)
ITERATION_REMARKS = (
    Remark(
        "DP-means: several λ give the true number of clusters, and it takes them 17 to 20 passes on Wine, 2 to 8 on "
        "Iris and 9 to 41 on Vehicle, around the printed numbers; on Pima 17 to 18, on Soybean 19 to 30 and on "
        "Parkinson’s 2 to 4, which are not the printed 20, 14 and 1,000. What is different there we could not find "
        "out.",
        columns=(DPMEANS,),
    ),
    Remark(
        "Gibbs: where the number of clusters never changes (one on Wine, two on breast cancer, three on Vehicle, four "
        "on Parkinson’s), the diagnostic can say nothing of it, and the chain goes on to the end. Applied to the nll "
        "alone, it wants fewer than 100 passes with r = 0.1, and 240 to 1,700 with r = 0.02, nearer to the printed 939"
        " to 2,365. To which number the paper applies it, it does not say. The NMI is the printed one but for Wine, "
        "which is explained above.",
        columns=(GIBBS,),
    ),
    Remark(
        "MAP-DP: on Wine it stays in its first cluster (see Table 2). On Parkinson’s eight orders of the points take "
        "11 to 13 passes, so there it is the order. On Vehicle they take 3 or 6, and runs from random groups 3 to 10, "
        "around the printed 9: there it is the start. On breast cancer all eight orders take 5 or 6 passes for the "
        "printed 8, and why we could not find out.",
        columns=(MAPDP,),
    ),
)

register(
    Study(
        name="raykov2014-uci",
        title="Seven UCI data sets with known classes",
        paper=PAPER,
        place="Tables 2 and 3",
        summary="Measured tables whose rows belong to known classes, on their own scales. DP-means gets the λ that "
        "gives the true number of clusters; MAP-DP and Gibbs have one variance per column and cluster, the "
        "paper's prior, and the N0 of lowest nll (−ln of the probability of data and clusters) among eight. "
        "Both begin with one cluster, as the paper says, and beside that at as many random groups as there are"
        " classes. Two more columns show what is to be gained: the same model with a better search (several "
        "kinds of start, moves of whole clusters), and the model that dpviz chooses for the columns. The Pima "
        "table may not be shipped: its row runs where its path is given, and the results that come along were "
        "made with it.",
        cells=uci_cells,
        sizes={"quick": {"repetitions": 1, "longest": 300}, "full": {"repetitions": 3, "longest": LONGEST}},
        tables=(
            Table(
                "Table 2",
                "Agreement with the classes (NMI)",
                "1 means that the clusters are the classes, 0 that they say nothing about them. The spread of Gibbs is "
                "that over the draws of its chains.",
                _nmi_entries(),
                NMI_REMARKS,
            ),
            Table(
                "Table 3",
                "Iterations to convergence",
                "Passes through the data; of DP-means a pass ends as soon as a cluster is opened. The paper's “1,000+” "
                "and “10,000+”, which say that it gave up, stand here as 1,000 and 10,000.",
                _iteration_entries(),
                ITERATION_REMARKS,
                decimals=0,
            ),
        ),
    )
)
