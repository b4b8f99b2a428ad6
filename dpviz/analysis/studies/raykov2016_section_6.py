"""Raykov et al. (2016), Sec. 6: groups of patients, on public tables in place of the paper's private one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpviz.analysis.profiles import column_tests
from dpviz.analysis.studies.measures import by_size, run_numbers
from dpviz.analysis.studies.study import Entry, Outcome, Source, Study, StudyCell, Table, register
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.fit.run import run
from dpviz.partition import ChineseRestaurant

PAPER = "Raykov, Boukouvalas, Baig & Little (2016)"
SIGNIFICANCE = 0.01
"""The paper's level of the tests between two groups, not corrected for their number."""
MAPDP, OURS = "MAP-DP", "MAP-DP, own search"
N_GROUPS = 4
"""Groups whose shares and means are kept, the largest first."""
SHARES = (50.0, 43.0, 5.0, 1.6)
N_SIGNIFICANT, N_COLUMNS, N_PATIENTS, N_FOUND = 61, 215, 527, 5


@dataclass(frozen=True)
class Stand:
    """A public table, and the columns of it that are shown.

    Attributes
    ----------
    row : str
        What it is called here.
    source : Source
    yes : tuple of str
        Columns of yes and no, or of codes where any but 0 is a yes.
    scores : tuple of str
        Columns whose mean is shown.
    """

    row: str
    source: Source
    yes: tuple[str, ...]
    scores: tuple[str, ...]


PARKINSON = Stand(
    "Early Parkinson’s (pd and rbd)",
    Source("bundled", "parkinson_early_biomarkers", groups=("pd", "rbd")),
    ("sex", "antidepressant", "benzodiazepine"),
    (
        "age",
        "clonazepam_mg",
        "read_speech_timing_rate",
        "read_pause_duration_ms",
        "read_voiced_duration_ms",
        "mono_speech_timing_rate",
        "mono_pause_duration_ms",
    ),
)
SKIN = Stand(
    "Dermatology",
    Source("bundled", "dermatology", gaps=True),
    ("family_history",),
    (
        "itching",
        "koebner_phenomenon",
        "polygonal_papules",
        "knee_and_elbow_involvement",
        "scalp_involvement",
        "fibrosis_of_the_papillary_dermis",
        "clubbing_of_the_rete_ridges",
        "spongiosis",
        "band_like_infiltrate",
    ),
)


def groups_of_patients(data: Dataset, config: RunConfig, yes: tuple[str, ...], scores: tuple[str, ...]) -> Outcome:
    """Run MAP-DP with a distribution for each kind of column, and compare the groups column by column.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
    yes, scores : tuple of str
        Columns whose shares, and whose means, are kept by group.

    Returns
    -------
    Outcome
        ``n_clusters``; ``share_1``, … in percent; ``significant``, columns that differ between the two largest groups
        with p < 0.01; ``yes NAME k`` and ``mean NAME k`` of group k, the largest first.
    """
    config = config.with_kinds(data.kinds)
    trace = run(data.X, config)
    ranked = by_size(trace.result_labels)
    numbers = run_numbers(trace, data)
    sizes = np.bincount(ranked, minlength=N_GROUPS)
    numbers |= {f"share_{k + 1}": 100 * float(sizes[k] / len(ranked)) for k in range(N_GROUPS)}
    numbers["significant"] = float(len(significant(data, ranked)))
    for word, names in (("yes", yes), ("mean", scores)):
        for name in names:
            column = data.X[:, data.feature_names.index(name)]
            values = np.where(np.isnan(column), np.nan, column > 0) if word == "yes" else column
            for k in range(N_GROUPS):
                numbers[f"{word} {name} {k + 1}"] = _mean(values[ranked == k])
    return Outcome(numbers, trace.config)


def significant(data: Dataset, ranked: IntArray) -> list[str]:
    """Columns that differ between the two largest clusters by Student's t-test, as the paper tests them."""
    two = ranked < 2
    kinds = ("continuous",) * data.n_features
    tests = column_tests(data.X[two], ranked[two], kinds, data.feature_names)
    return [str(name) for name in tests.index[tests["p"] < SIGNIFICANCE]]


def _mean(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else math.nan


def medical_cells(repetitions: int) -> list[StudyCell]:
    """Return MAP-DP from permuted single-cluster starts on both tables; other seeds permute otherwise."""
    cells = []
    for stand in (PARKINSON, SKIN):
        for seed in range(repetitions):
            model = {"partition": ChineseRestaurant(3.0), "seed": seed}
            paper = RunConfig("mapdp", init="single", n_init=10, order="permuted", **model)  # type: ignore[arg-type]
            own = RunConfig("mapdp", effort=0.3, **model)  # type: ignore[arg-type]
            settings = (("yes", stand.yes), ("scores", stand.scores))
            for column, config in ((MAPDP, paper), (OURS, own)):
                cells.append(StudyCell(stand.row, column, stand.source, config, groups_of_patients, seed, settings))
    return cells


def _overview() -> tuple[Entry, ...]:
    printed: dict[str, float] = {"n_clusters": N_FOUND, "significant": N_SIGNIFICANT}
    printed |= {f"share_{k + 1}": share for k, share in enumerate(SHARES)}
    words = {"n_clusters": "Groups found", "significant": "Columns that differ (p < 0.01)"}
    words |= {f"share_{k + 1}": f"Share of group {k + 1} (%)" for k in range(N_GROUPS)}
    entries = []
    for quantity, row in words.items():
        entries.append(Entry(row, PARKINSON.row, (PARKINSON.row, MAPDP), quantity, printed[quantity], comparable=False))
        entries.append(Entry(row, f"{PARKINSON.row}, own search", (PARKINSON.row, OURS), quantity))
        entries.append(Entry(row, SKIN.row, (SKIN.row, MAPDP), quantity))
        entries.append(Entry(row, f"{SKIN.row}, own search", (SKIN.row, OURS), quantity))
    return tuple(entries)


def _by_group(stand: Stand, word: str, names: tuple[str, ...]) -> tuple[Entry, ...]:
    return tuple(
        Entry(name.replace("_", " "), f"Group {k + 1}", (stand.row, MAPDP), f"{word} {name} {k + 1}")
        for name in names
        for k in range(N_GROUPS)
    )


OTHER_DATA = (
    "The paper’s patients are in a private table, so these are other people and other columns: numbers beside the "
    "paper’s show the same kind of result, and no difference means anything."
)
YES = "Each number is the share of the group for which the answer is yes (sex: male); 1 is everybody."
MEANS = "Each number is the mean of the column in the group. Group 1 is the largest."

register(
    Study(
        name="raykov2016-patients",
        title="Groups of patients, on public tables in place of the private one",
        paper=PAPER,
        place="Section 6, Tables 3 and 4",
        summary="MAP-DP with a distribution for each kind of column (normal, binomial, yes or no) and missing cells "
        f"left out, from ten permuted orders with N0 = 3. The paper has {N_PATIENTS} patients with "
        f"{N_COLUMNS} columns that nobody else may see. In their place stand 80 people with early Parkinson’s disease "
        "or a sleep disorder that often precedes it, with 32 columns on medication and speech, and 366 patients with "
        "six diseases of the skin.",
        cells=medical_cells,
        sizes={"quick": {"repetitions": 1}, "full": {"repetitions": 5}},
        tables=(
            Table("Section 6", "How many groups, how large, and what differs", OTHER_DATA, _overview(), decimals=1),
            Table("Table 3 (Parkinson’s)", "Yes or no by group", YES, _by_group(PARKINSON, "yes", PARKINSON.yes)),
            Table("Table 4 (Parkinson’s)", "Means by group", MEANS, _by_group(PARKINSON, "mean", PARKINSON.scores)),
            Table("Table 3 (Dermatology)", "Yes or no by group", YES, _by_group(SKIN, "yes", SKIN.yes)),
            Table("Table 4 (Dermatology)", "Scores from 0 to 3 by group", MEANS, _by_group(SKIN, "mean", SKIN.scores)),
        ),
    )
)
