"""Compare what MAP-DP finds with every default with scikit-learn's methods: writes DEFAULTS.md.

    python -m benchmarks.defaults [--kept FOLDER] [--seconds S]

All labelled bundled tables, and generated ones whose groups are known. With a folder, results of tables are kept there
and not computed again, and with a number of seconds no table is begun after so many: the rest waits for the next time.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

import dpviz
from benchmarks.generated import ANSWERS, COUNTS, IN_DIRECTIONS, ONE_GROUP, Draw
from dpviz.analysis.merging import MODES, NLL, ticked, tree
from dpviz.analysis.reference_methods import Reference, references
from dpviz.datasets import SCENARIOS, Dataset, scale, synthesize
from dpviz.datasets.views import SPREAD
from dpviz.families.directions import Directions
from dpviz.fit.directions import FEWEST_COLUMNS, parallel_analysis
from dpviz.fit.transforms import is_tried
from dpviz.fit.words import words_for
from dpviz.metrics import ari, nmi

FILE = pathlib.Path(__file__).with_name("DEFAULTS.md")
STARTS = 3
MOST_OF_A_SCENARIO = 600
OURS, MERGED, AS_THEY_ARE, ALONG = "ours", "suggested merge", "as they are", "along directions"
MIXTURE = "Gaussian mixture + BIC"
OTHERS = ("K-means, told K", MIXTURE, "Variational mixture", "HDBSCAN")
METHODS = (OURS, MERGED, AS_THEY_ARE, ALONG, *OTHERS)
COVARIANCES = ("full", "tied", "diag", "spherical")
GENERATED = ((20, 100), (31, 100))
"""Clusters and points in each, in the plane."""
AUTOMATIC = dpviz.RunConfig(partition="auto")
"""Of columns as they are; other benchmarks use it too."""
BEGUN = replace(AUTOMATIC, transform="auto", directions="any")
"""What estimators, command line and pages begin with."""
TIE = 0.02
LOST, ONE_IS_LOST = 0.5, 2
"""ARI below which several groups are lost, if another method has more; clusters above which a single group is."""
MEASURES = {"NMI": nmi, "ARI": ari}
Scores = dict[str, Any]
"""What a method found: a score by each measure, and K."""
TITLE = """# What the defaults find

NMI (arithmetic) and ARI with the labels and, in brackets, K found. `ours` is what estimators, command line and pages
begin with, `dpviz.run(X, dpviz.RunConfig(partition="auto", transform="auto", directions="any"))`: every default, seed
0, not told K; tables of real columns are divided to variance 1 where some are skewed and may be transformed, else
standardised, others are as they are, with the kinds of their columns. `suggested merge` is what
`dpviz.analysis.merging.ticked` suggests of it, empty if it joins none. `as they are` are columns
that are neither transformed nor turned, empty if ours are not. `along directions` is what the pages propose where
columns vary together, empty if they do not. The other methods see standardised columns, whatever they hold. K-means is
told the true K. The mixture by BIC tries four kinds of covariances and at most 12 components, the variational one 20;
noise of HDBSCAN counts as one group. Seconds are of one run on a machine with other work, the choice included. Written
by `python -m benchmarks.defaults`; what is said of aims and losses follows from its numbers. Generated tables are one
draw each, those of the library at most 600 points.
"""
WHY = """
Why it loses, on the tables named:

- In 13 columns and more several clusters to a group have the lower nll, where covariances differ or groups are no bell
  curves. Directions are proposed there.
- Groups in 3 factors of 24 columns cost more than one cluster of full covariance, and not so along directions.
- Rings and crescents are no bell curves; merges by overlap find them (MERGES.md).
- Answers to many items that follow a few traits depend on each other in any group. Within a cluster columns of codes
  are independent, so that clusters stand for the levels of the traits, and directions of the codes see the traits.
- Ruspini: five clusters at width 0.125 have the lower nll than its four groups at width 1.
- Air conditioning, horse kicks, early biomarkers: no method finds more than .2.
"""


def generated(n_clusters: int, n_each: int) -> Dataset:
    """Circles of deviation 0.6 at least 3.6 apart on a square that they fill alike."""
    rng, centres = np.random.default_rng(0), []
    side = 30 * np.sqrt(n_clusters / 31)
    while len(centres) < n_clusters:
        candidate = rng.uniform(0, side, 2)
        if all(np.hypot(*(candidate - centre)) > 3.6 for centre in centres):
            centres.append(candidate)
    labels = np.repeat(np.arange(n_clusters), n_each)
    X = np.array(centres)[labels] + 0.6 * rng.normal(size=(len(labels), 2))
    return Dataset(X=X, name=f"{n_clusters} generated clusters", labels=labels, kinds=("continuous",) * 2)


def tables() -> Iterator[tuple[str, Dataset]]:
    """Yield the labelled bundled tables and the circles, which other benchmarks use too."""
    for name in dpviz.datasets.names():
        data = dpviz.datasets.load(name)
        if data.labels is not None:
            yield name, data
    for n_clusters, n_each in GENERATED:
        yield f"{n_clusters} generated clusters", generated(n_clusters, n_each)


def further_tables() -> Iterator[tuple[str, Dataset]]:
    """Yield the other generated ones: scenarios of the library, and those of benchmarks."""
    for name, scenario in SCENARIOS.items():
        yield name, synthesize(name, min(scenario.n, MOST_OF_A_SCENARIO))
    for draws, kind in ((IN_DIRECTIONS | ONE_GROUP, "continuous"), (COUNTS, "count"), (ANSWERS, "ordinal")):
        for name, draw in draws.items():
            yield name, _drawn(name, draw, kind)


def _drawn(name: str, draw: Draw, kind: str) -> Dataset:
    X, groups = draw(np.random.default_rng(0))
    return Dataset(X=X, name=name, labels=groups.astype(np.int64), kinds=(kind,) * X.shape[1])


# --- one table --------------------------------------------------------------------------------------------------------


def found_by(data: Dataset) -> Iterator[tuple[str, np.ndarray, str]]:
    """Yield method, labels, and what was chosen in how many seconds."""
    Z, by_kinds = scale(data.X, "standardise").X, set(data.kinds) != {"continuous"}
    X, config = (data.X, BEGUN.with_kinds(data.kinds)) if by_kinds else (Z, BEGUN)
    if not by_kinds and is_tried(data.X, config):
        X = scale(data.X, SPREAD).X
    begun = time.perf_counter()
    trace = dpviz.run(X, config)
    yield OURS, trace.result_labels, f"{words_for(trace.config)}; {time.perf_counter() - begun:.1f} s"
    best = ticked(*(tree(X, trace, order) for order in (NLL, MODES)))
    if best is not None:
        yield MERGED, best.labels(best.mark), ""
    if (trace.config.transform, trace.config.directions) != (None, None):
        alone = dpviz.run(X, replace(config, transform=None, directions=None))
        yield AS_THEY_ARE, alone.result_labels, ""
    kept = 0 if data.n_features < FEWEST_COLUMNS or np.isnan(Z).any() else parallel_analysis(Z)
    if 0 < kept < Directions.of(Z, 0).n_directions:
        yield ALONG, dpviz.run(Z, replace(AUTOMATIC, directions=kept)).result_labels, f"{kept}"
    if not np.isnan(Z).any():
        yield OTHERS[0], KMeans(len(np.unique(data.labels)), n_init=10, random_state=0).fit(Z).labels_, ""
        for reference in references(Z, 0, STARTS, COVARIANCES):
            if isinstance(reference, Reference):
                yield reference.name, reference.labels, ""


def result(name: str, data: Dataset, bundled: bool) -> dict[str, Any]:
    """Return all that the page says of a table, as plain values."""
    scores, words = {}, {}
    for method, labels, said in found_by(data):
        scores[method] = {measure: float(score(data.labels, labels)) for measure, score in MEASURES.items()}
        scores[method]["K"] = len(np.unique(labels))
        words[method] = said
    size = f"{len(data.X)} × {data.n_features}"
    groups = len(np.unique(data.labels))
    return {"name": name, "size": size, "groups": groups, "bundled": bundled, "scores": scores, "words": words}


def row(found: Mapping[str, Any]) -> str:
    cells = []
    for method in METHODS:
        own = found["scores"].get(method)
        cells.append("" if own is None else f"{own['NMI']:.3f}, {own['ARI']:.3f} ({own['K']})")
        if method == ALONG and own is not None:
            cells[-1] += f", q = {found['words'][method]}"
    return f"| {found['name']} | {found['size']} | {found['groups']} | {' | '.join(cells)} | {found['words'][OURS]} |"


# --- all tables -------------------------------------------------------------------------------------------------------


def summary(every: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say whether the aims are met, and where ours loses."""
    yield "\nAims, and whether these numbers meet them:\n"
    for bundled, what in ((True, "bundled"), (False, "generated")):
        own = [found for found in every if found["bundled"] == bundled]
        ours, mixture = (np.mean([f["scores"][method]["ARI"] for f in own]) for method in (OURS, MIXTURE))
        yield f"- {_met(ours >= mixture)}: mean ARI on {what} tables {ours:.3f}, of the mixture by BIC {mixture:.3f}."
        ratios = np.array([found["scores"][OURS]["K"] / found["groups"] for found in own])
        middle = np.median(ratios)
        yield f"- {_met(middle <= 2)}: K on {what} tables is {middle:.2f} times the groups in the median (at most 2)."
        above = ", ".join(f"{f['name']} ({ratio:.1f} times)" for f, ratio in zip(own, ratios, strict=True) if ratio > 4)
        yield (
            f"- {_met(not above)}: K is more than 4 times the groups in {above or 'none'}; the ratio's log2 is "
            f"{np.log2(ratios).mean():.2f} in the mean."
        )
    lost = [found for found in every if not found["bundled"] and _is_lost(found)]
    named = "; ".join(f"{f['name']} ({f['scores'][OURS]['ARI']:.2f}, K {f['scores'][OURS]['K']})" for f in lost)
    yield f"- {_met(not lost)}: groups of a generated table are lost in {named or 'none'}."
    yield "\nWhere ours loses more than .02 of ARI to a method that is not told K, and to which:\n"
    for found in every:
        scores = found["scores"]
        rivals = {m: scores[m]["ARI"] for m in OTHERS[1:] if scores[m]["ARI"] > scores[OURS]["ARI"] + TIE}
        if rivals:
            best = max(rivals, key=lambda method: rivals[method])
            helped = [m for m in (MERGED, AS_THEY_ARE, ALONG) if m in scores and scores[m]["ARI"] >= rivals[best] - TIE]
            closed = f", which {' and '.join(helped)} reach{'es' * (len(helped) == 1)}" if helped else ""
            yield f"- {found['name']}: {scores[OURS]['ARI']:.2f}, {best} {rivals[best]:.2f}{closed}."


def _met(is_met: bool) -> str:
    return "met" if is_met else "**not met**"


def _is_lost(found: Mapping[str, Any]) -> bool:
    """Whether known groups are not found, although another method that is not told K finds them; or one is divided."""
    scores = found["scores"]
    if found["groups"] == 1:
        return bool(scores[OURS]["K"] > ONE_IS_LOST)
    return bool(scores[OURS]["ARI"] < LOST and max(scores[m]["ARI"] for m in OTHERS[1:]) >= LOST)


def compared(every: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Count by each measure how often ours leads on bundled tables, and average the measure over them."""
    scores = [found["scores"] for found in every if found["bundled"]]
    for measure in MEASURES:
        yield f"\nOurs against each by {measure} on bundled tables, a tie being within {TIE:g}:\n"
        yield f"| | leads | ties | loses | mean {measure} |"
        yield "|---" * 5 + "|"
        yield f"| ours | | | | {np.mean([own[OURS][measure] for own in scores]):.3f} |"
        for method in (MERGED, AS_THEY_ARE, ALONG, *OTHERS):
            theirs = [own.get(method, own[OURS])[measure] for own in scores]
            margins = [own[OURS][measure] - other for own, other in zip(scores, theirs, strict=True)]
            leads, ties = sum(m > TIE for m in margins), sum(abs(m) <= TIE for m in margins)
            yield f"| {method} | {leads} | {ties} | {len(scores) - leads - ties} | {np.mean(theirs):.3f} |"
    yield "\nWhere a scale of ours is empty, it counts as ours."


def results(kept: pathlib.Path | None, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the result of each table; those in a folder are read from it, others are kept there."""
    until, circles = time.monotonic() + seconds, {f"{n_clusters} generated clusters" for n_clusters, _ in GENERATED}
    for position, (name, data) in enumerate([*tables(), *further_tables()]):
        place = None if kept is None else kept / f"{position}.json"
        if place is not None and place.exists():
            yield json.loads(place.read_text(encoding="utf-8"))
        elif time.monotonic() > until:
            raise SystemExit(f"Not yet computed: {name} and perhaps more; run it again.")
        else:
            found = result(name, data, name in dpviz.datasets.names() and name not in circles)
            print(row(found), flush=True)
            if place is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(json.dumps(found), encoding="utf-8")
            yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=pathlib.Path, help="folder of results of single tables")
    parser.add_argument("--seconds", type=float, default=np.inf, help="begin no table after these")
    options = parser.parse_args()
    every = list(results(options.kept, options.seconds))
    heads = ["| table | size | groups | " + " | ".join(METHODS) + " | chosen |", "|---" * (len(METHODS) + 4) + "|"]
    lines = [TITLE, *heads, *map(row, every), *summary(every), WHY, *compared(every)]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
