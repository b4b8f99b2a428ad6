"""Lu, Li & Dunson (2018), Sec. 3.1: two simulations (Table 1, Figures 3 to 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpviz.analysis.studies.lu2018_tables import (
    CRP,
    METHODS,
    ORACLE,
    PAPER,
    POWERED,
    SCORES,
    Row,
    chains,
    error_table,
    priors_of,
    score_table,
)
from dpviz.analysis.studies.study import Figure, Remark, Source, Study, StudyCell, register

SIMULATED = (300, 2000)
N_SIMULATED = 3
"""Components of each simulation; the oracle concentrations that the paper prints, 0.52 and 0.40, are 3 / ln N."""
TUNING = 200
SPACING, OUTER_DEVIATION = 4.1, 1.7
"""Of Sim 1 and Sim 2, not printed: chosen so that the CRP scores about its printed NMI at N = 2000."""
CLOSER, WIDER, VAGUER = (
    "Sim 1 with means closer, N = 2000",
    "Sim 2 with a wider half, N = 2000",
    "Sim 1, c0 = 0.01, N = 300",
)
"""The same with the means 3.65 apart; with standard deviation 2; with a vaguer prior of the means than c0 = 0.1."""


def sim_row(name: str, n_points: int) -> str:
    """Name a row of Table 1."""
    return f"{name}, N = {n_points}"


def simulation_cells(repetitions: int, sweeps: int) -> list[StudyCell]:
    """Return every method on both simulations and both sizes, and on variants that show the effect of the choices."""
    first, second = ("powered_sim_1", "spacing"), ("powered_sim_2", "outer_deviation")
    rows: list[tuple[str, tuple[str, str], float, int, Any]] = [
        *((sim_row("Sim 1", n), first, SPACING, n, None) for n in SIMULATED),
        *((sim_row("Sim 2", n), second, OUTER_DEVIATION, n, None) for n in SIMULATED),
        (CLOSER, first, 3.65, 2000, None),
        (WIDER, second, 2.0, 2000, None),
        (VAGUER, first, SPACING, 300, {"c0": 0.01}),
    ]
    cells = []
    for repetition in range(repetitions):
        for row, (scenario, parameter), value, n_points, base in rows:
            options = (("n", n_points + TUNING), ("seed", repetition), (parameter, value))
            source = Source("synthetic", scenario, options)
            cells += chains(row, source, TUNING, priors_of(n_points, N_SIMULATED), sweeps, repetition, base)
    return cells


APART = 5.3
"""Distance between the three means of Sim 2 as its scores have it; chosen like the others."""
ENTROPY = (
    "The printed scores say what the reference of Sim 2 was. As NMI = 1 − VI / (H(U) + H(V)), VI / (1 − NMI) is about "
    "the sum of the entropies of groups and clusters: 3.1 to 3.5 bits in all six rows of Sim 2. Two groups of a third "
    "and two thirds have 0.92 bits, so that the clusters would need 2.2 bits or more, where pCRP's 3.1 clusters have "
    "at most 1.6. Three equal groups have 1.58 bits, which leaves 1.5 to 1.9 for the clusters."
)


def apart_cells(repetitions: int, sweeps: int) -> list[StudyCell]:
    """Return every method on three Gaussians far apart, at both sizes."""
    cells = []
    for repetition in range(repetitions):
        for n_points in SIMULATED:
            options = (("n", n_points + TUNING), ("seed", repetition), ("spacing", APART))
            source = Source("synthetic", "powered_sim_1", options)
            row, priors = sim_row("Sim 2", n_points), priors_of(n_points, N_SIMULATED)
            cells += chains(row, source, TUNING, priors, sweeps, repetition)
    return cells


TABLE_1: Mapping[str, Mapping[str, Row]] = {
    sim_row("Sim 1", 300): {
        ORACLE: (0.800, 1.1e-3, 0.669, 4.5e-3, 4.2, 2.3e-2, 8),
        CRP: (0.773, 1.2e-3, 0.795, 5.4e-3, 5.3, 3.3e-2, 12),
        POWERED: (0.827, 0.7e-3, 0.580, 4.4e-3, 3.6, 1.7e-2, 7),
    },
    sim_row("Sim 1", 2000): {
        ORACLE: (0.812, 5.3e-4, 0.610, 2.6e-3, 4.0, 2.3e-2, 10),
        CRP: (0.782, 8.5e-4, 0.732, 4.0e-3, 5.8, 3.6e-2, 12),
        POWERED: (0.823, 6.6e-4, 0.869, 7.3e-3, 3.5, 1.6e-2, 7),
    },
    sim_row("Sim 2", 300): {
        ORACLE: (0.937, 0.8e-3, 0.210, 3.0e-3, 4.0, 2.3e-2, 9),
        CRP: (0.917, 0.9e-3, 0.287, 3.7e-3, 4.8, 2.9e-2, 12),
        POWERED: (0.963, 0.3e-3, 0.116, 0.8e-3, 3.2, 0.9e-2, 6),
    },
    sim_row("Sim 2", 2000): {
        ORACLE: (0.962, 4.8e-4, 0.122, 1.7e-3, 4.1, 2.2e-2, 8),
        CRP: (0.940, 8.2e-4, 0.205, 3.1e-3, 5.6, 3.5e-2, 13),
        POWERED: (0.977, 1.2e-4, 0.072, 0.4e-3, 3.1, 0.8e-2, 6),
    },
}

_POWERED_CELLS = tuple((row, POWERED) for row in TABLE_1)
_SIM_1, _SIM_2 = (tuple(row for row in TABLE_1 if row.startswith(name)) for name in ("Sim 1", "Sim 2"))
SIM_2_REMARK = Remark(
    "A shared mean with two true clusters, as the paper's text and table have Sim 2, is not what its scores are of. "
    + ENTROPY
    + " The study “simulation 2 as its scores have it” takes three groups apart.",
    rows=_SIM_2,
)
DATA_REMARK = Remark(
    "How far apart the components are decides more than the method. With means 3.65 apart in place of 4.1 the CRP's "
    "NMI falls from 0.81 to 0.72 at N = 2000; a standard deviation of 2 in place of 1.7 takes that of Sim 2 from 0.96 "
    "to 0.78 (further rows). Two draws of 300 points differ by 0.05 themselves; the paper has one.",
)
BASE_REMARK = Remark(
    "The prior of the components, which the paper does not print, decides how many small clusters there are. With c0 "
    "= 0.01 in place of 0.1, which spreads the means ten times as widely in variance, the CRP finds 3.7 clusters in "
    "place of 4.6 in Sim 1 at N = 300 (further row).",
    rows=_SIM_1,
)
POWER_REMARK = Remark(
    "The power is not the paper's, which it shows as a line in Figure 3 and does not print. In Sim 2 our loss is the "
    "same for all powers up to 1.20, as every fit has the same large clusters, so that 1.20 is taken; in Sim 1 it "
    "blows up anywhere between 1.02 and 1.17, depending on the 200 points. The larger the power, the fewer clusters.",
    columns=(POWERED,),
)
SLIP_REMARK = Remark(
    "The printed VI of 0.869 cannot stand beside the printed NMI of 0.823. Together they want entropies of 0.869 / "
    "(1 − 0.823) = 4.9 bits, of which the three groups have 1.6 and 3.5 clusters at most 1.8. VI would be about 0.6.",
    rows=(sim_row("Sim 1", 2000),),
    columns=(POWERED,),
)
REMARKS_1: Mapping[str, tuple[Remark, ...]] = {
    "NMI": (SIM_2_REMARK, DATA_REMARK),
    "VI (bits)": (SLIP_REMARK, SIM_2_REMARK, DATA_REMARK),
    "K": (SIM_2_REMARK, BASE_REMARK, POWER_REMARK),
    "K_max": (SIM_2_REMARK, POWER_REMARK),
}
ERROR_REMARK = Remark(
    "Standard errors follow the scores: a chain whose K varies more has larger ones, and where K agrees "
    "they agree too. None of them counts that successive draws are alike; the table of K has twice the error that "
    "does.",
)

register(
    Study(
        name="lu2018-simulations",
        title="Reducing over-clustering: two simulations",
        paper=PAPER,
        place="Table 1, Figures 3 to 6",
        summary="Collapsed Gibbs sampling under three priors of the partition: the Chinese restaurant with α = 1 "
        "(CRP), the same with α ln N = 3 (CRP-Oracle), and the powered one with α = 1 (pCRP), whose power is "
        "cross-validated on 200 further points: the last r from 1.01 to 1.20 before the loss is 10 % above its lowest "
        "for good, or 1.20 if it never is. 20,000 sweeps, half of them burn-in, every fifth kept, from ten K-means "
        "clusters. The paper shows its densities in a figure and prints neither their parameters nor the prior of the "
        "components. Ours are of the kind that it describes: three unit Gaussians in a row (Sim 1); one, and apart "
        "from it a narrow and a wide one about the same mean (Sim 2), which count as one group, as in its table. How "
        "far apart and how wide was chosen so that the CRP scores about its printed NMI at N = 2000; nothing else was "
        "fitted.",
        cells=simulation_cells,
        sizes={"quick": {"repetitions": 1, "sweeps": 300}, "full": {"repetitions": 2, "sweeps": 20_000}},
        tables=(
            *(
                score_table("Table 1", score, TABLE_1, METHODS, (CLOSER, WIDER, VAGUER), REMARKS_1[score])
                for score in SCORES
            ),
            error_table("Table 1", TABLE_1, (ERROR_REMARK,)),
        ),
        figures=(
            Figure("Figure 3", "Cross-validated loss of the powers", "power_losses", _POWERED_CELLS),
            Figure(
                "Figure 4",
                "Number of clusters, sweep by sweep",
                "cluster_counts",
                tuple((sim_row("Sim 1", 2000), method) for method in METHODS),
            ),
            Figure(
                "Figure 5",
                "Density of the draw that fits best",
                "densities",
                tuple((sim_row("Sim 1", 2000), method) for method in METHODS),
            ),
            Figure(
                "Figure 6",
                "Posterior of the number of clusters",
                "cluster_count_laws",
                tuple((row, method) for row in TABLE_1 for method in METHODS),
            ),
        ),
    )
)

SMALL_CLUSTERS_REMARK = Remark(
    "The paper has a few more small clusters under the CRP. What the prior of the components does to their number is "
    "seen in the other study of the simulations, in the row with c0 = 0.01; the paper's prior is not printed.",
    columns=(ORACLE, CRP),
)
GAP_REMARK = Remark(
    "Giving every point to the nearest of the true means scores 0.968 on the first of these data sets, so that pCRP's "
    "0.96, with 0.01 % of the points outside three clusters, is about the best that they allow. The paper's 0.977 "
    "wants groups a little further apart, and its CRP then loses more to small clusters than ours.",
    rows=(sim_row("Sim 2", 2000),),
    columns=(POWERED,),
)
CLOSE_REMARK = Remark(
    "These differ by about 0.1 clusters. The powers differ too: ours is 1.20 everywhere, as the loss does not blow up, "
    "and the paper's is not printed.",
    columns=(POWERED,),
)
REMARKS_SEPARATED: Mapping[str, tuple[Remark, ...]] = {
    "NMI": (GAP_REMARK,),
    "VI (bits)": (GAP_REMARK,),
    "K": (SMALL_CLUSTERS_REMARK, CLOSE_REMARK),
    "K_max": (SMALL_CLUSTERS_REMARK,),
}

SEPARATED = {row: numbers for row, numbers in TABLE_1.items() if row.startswith("Sim 2")}

register(
    Study(
        name="lu2018-separated",
        title="Reducing over-clustering: simulation 2 as its scores have it",
        paper=PAPER,
        place="Table 1, Figure 6",
        summary="Of simulation 2 the paper says “three well separated Gaussian components” and “shared mean Gaussian "
        "mixture”, and its table gives two as the true number of clusters. " + ENTROPY + " Here Sim 2 is three equal "
        "unit Gaussians in a row, 5.3 apart, which was chosen so that the CRP scores about its printed NMI at N = "
        "2000; nothing else was fitted, and all else is as in the other study of the simulations.",
        cells=apart_cells,
        sizes={"quick": {"repetitions": 1, "sweeps": 300}, "full": {"repetitions": 2, "sweeps": 20_000}},
        tables=(
            *(score_table("Table 1", score, SEPARATED, METHODS, (), REMARKS_SEPARATED[score]) for score in SCORES),
            error_table("Table 1", SEPARATED, (ERROR_REMARK,)),
        ),
        figures=(
            Figure(
                "Figure 3",
                "Cross-validated loss of the powers",
                "power_losses",
                tuple((row, POWERED) for row in SEPARATED),
            ),
            Figure(
                "Figure 6",
                "Posterior of the number of clusters",
                "cluster_count_laws",
                tuple((row, method) for row in SEPARATED for method in METHODS),
            ),
        ),
    )
)
