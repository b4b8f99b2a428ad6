"""Lu, Li & Dunson (2018), Sec. 3.2: handwritten digits (Table 2, Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

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
from dpviz.datasets.digits import DIGITS

LINEAR, NEIGHBOURS = "3 principal components", "4 spectral coordinates"
DIGITS_TAKEN = (1000, 3000)
TUNING = 1000
POWER = 1.05
"""Power chosen by the paper's cross-validation."""
PRINTED_POWER = f"{POWERED}, r = {POWER}"
N_DIGITS = 4
STIFF = "4 principal components, stiff prior"
STIFF_PRIOR = {"a0": 50.0, "psi0": tuple(tuple(50.0 * (row == column) for column in range(4)) for row in range(4))}
"""Expects each component to be about as wide as all the data, with the weight of 50 points."""
EMBEDDINGS = {LINEAR: ("pca", 3, None), NEIGHBOURS: ("neighbours", 4, None), STIFF: ("pca", 4, STIFF_PRIOR)}
"""How digits become points, in how many dimensions, and the prior of the components."""


def _digits_row(n_points: int, embedding: str) -> str:
    return f"N = {n_points}, {embedding}"


def _digit_cells(settings: tuple[tuple[str, int], ...], repetitions: int, sweeps: int) -> list[StudyCell]:
    """Return every method on each (embedding, N); the digits that tune are embedded with the others."""
    cells = []
    for repetition in range(repetitions):
        for embedding, n_points in settings:
            method, n_components, base = EMBEDDINGS[embedding]
            options = (("n", n_points + TUNING), ("method", method), ("n_components", n_components))
            source = Source("bundled", DIGITS, (*options, ("seed", repetition)))
            priors = priors_of(n_points, N_DIGITS, POWER)
            row = _digits_row(n_points, embedding)
            cells += chains(row, source, TUNING, priors, sweeps, repetition, base)
    return cells


TABLE_2: Mapping[int, Mapping[str, Row]] = {
    1000: {
        ORACLE: (0.651, 3.3e-4, 1.382, 1.4e-3, 4.37, 1.3e-2, 7),
        CRP: (0.651, 3.3e-4, 1.386, 1.4e-3, 4.58, 1.6e-2, 8),
        POWERED: (0.651, 3.3e-4, 1.382, 1.4e-3, 4.08, 0.6e-2, 6),
    },
    3000: {
        ORACLE: (0.651, 2.0e-4, 1.400, 1.1e-3, 5.17, 1.2e-2, 8),
        CRP: (0.651, 2.0e-4, 1.402, 1.1e-3, 5.44, 1.6e-2, 9),
        POWERED: (0.652, 1.9e-4, 1.389, 1.1e-3, 4.57, 1.2e-2, 7),
    },
}

DIGITS_REMARK = Remark(
    "The paper's chains hold four clusters of about equal size and some small ones: VI / (1 − NMI) is the sum of the "
    "entropies of groups and clusters, 4.0 bits in every row of its table, of which the four digits have 2. Ours "
    "divide the digits further, as their clouds are not normal: outside the four largest clusters are 40 % (N = 1000) "
    "and 50 % (N = 3000) of the points under the CRP. What the paper's chains had instead is not known, as it prints "
    "neither the embedding nor the prior of the components. A stiff prior in four dimensions comes near its numbers "
    "(the study of digits seen in other ways).",
)
DIGIT_ERRORS_REMARK = Remark(
    "Standard errors follow the scores: where K varies more from draw to draw, its error is larger."
)
DIGIT_REMARKS: Mapping[str, tuple[Remark, ...]] = {
    **dict.fromkeys(SCORES, (DIGITS_REMARK,)),
    "errors": (DIGIT_ERRORS_REMARK,),
}

GRAPH_REMARK = Remark(
    "Another embedding gives other clusters: this one separates the digits better, so that NMI is higher. The chains "
    "still put 22 % of the points (N = 1000) and 39 % (N = 3000) outside the four largest clusters under the CRP; why "
    "they divide these digits so far was not found.",
    rows=tuple(_digits_row(n_points, NEIGHBOURS) for n_points in DIGITS_TAKEN),
)
STIFF_REMARK = Remark(
    "With a prior that expects wide clusters K is near the paper's, 4.0 to 4.1 and 5.0 to 5.1 in place of 9 to 13 "
    "with our usual prior in three dimensions, and at N = 3000 NMI is too. The fifth cluster there holds 12 % of the "
    "points, more than the paper's scores allow, which add up to 4.0 bits of entropy; ours to 4.3. What is left is "
    "not explained: neither this embedding nor this prior is known to be the paper's, and the spread of one draw of "
    "the digits is that of its chain alone.",
    rows=tuple(_digits_row(n_points, STIFF) for n_points in DIGITS_TAKEN),
)
OTHER_REMARKS: Mapping[str, tuple[Remark, ...]] = {
    **dict.fromkeys(SCORES, (GRAPH_REMARK, STIFF_REMARK)),
    "errors": (DIGIT_ERRORS_REMARK,),
}

DIGIT_COLUMNS = (*METHODS, PRINTED_POWER)
LINEAR_DIGITS = tuple((LINEAR, n_points) for n_points in DIGITS_TAKEN)
OTHER_DIGITS = tuple((embedding, n_points) for embedding in (NEIGHBOURS, STIFF) for n_points in DIGITS_TAKEN)


def _digit_study(
    name: str,
    title: str,
    particular: str,
    settings: tuple[tuple[str, int], ...],
    remarks: Mapping[str, tuple[Remark, ...]],
) -> Study:
    printed = {_digits_row(n_points, embedding): TABLE_2[n_points] for embedding, n_points in settings}
    return Study(
        name=name,
        title=title,
        paper=PAPER,
        place="Table 2, Figure 7",
        summary="The same three priors on MNIST digits 1 to 4 in a few dimensions, with α ln N = 4 for CRP-Oracle. The "
        "power is cross-validated on 1,000 other digits; one column takes the paper's r = 1.05 instead. The paper "
        "clusters “in spectral space” and says no more, nor does it print the prior of the components, so what is "
        f"shown here need not be its choice. {particular}",
        cells=partial(_digit_cells, settings),
        sizes={"quick": {"repetitions": 1, "sweeps": 100}, "full": {"repetitions": 1, "sweeps": 20_000}},
        tables=(
            *(score_table("Table 2", score, printed, DIGIT_COLUMNS, (), remarks.get(score, ())) for score in SCORES),
            error_table("Table 2", printed, remarks.get("errors", ())),
        ),
        figures=(
            *(
                Figure(
                    "Figure 7",
                    f"Clusters of the draw that fits best: {row}",
                    "partitions_in_plane",
                    tuple((row, method) for method in METHODS),
                )
                for row in list(printed)[::-1]
            ),
            Figure(
                "Section 3.2",
                "Cross-validated loss of the powers",
                "power_losses",
                tuple((row, POWERED) for row in printed),
            ),
        ),
    )


register(
    _digit_study(
        "lu2018-digits",
        "Reducing over-clustering: digits 1 to 4",
        "Three principal components come nearest to the paper's NMI when a mixture of four normal components is "
        "fitted; the prior of the components is our usual one.",
        LINEAR_DIGITS,
        DIGIT_REMARKS,
    )
)
register(
    _digit_study(
        "lu2018-digits-others",
        "Reducing over-clustering: digits seen in other ways",
        "Four coordinates of the graph of ten nearest neighbours (spectral embedding), which separate the digits much "
        "better, with our usual prior; and four principal components with a stiff prior, which expects every cluster "
        "to be about as wide as all the data, with the weight of 50 points.",
        OTHER_DIGITS,
        OTHER_REMARKS,
    )
)
