"""Compare every family's default prior with the best of a grid of weights, over scales of the data: writes PRIORS.md.

    python -m benchmarks.priors                  # all, in some ten minutes
    python -m benchmarks.priors poisson binomial # only their sections

Groups are known. A weight is how much the prior counts against the data; its expected mean or spread stays the default.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import dpviz
from benchmarks.generated import Table
from dpviz.metrics import ari

FILE = pathlib.Path(__file__).parent / "PRIORS.md"
SEEDS = 3
SCALES = (1, 10, 100, 1_000, 10_000)
CATEGORIES = (2, 10, 100, 1_000)
WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
WIDTHS = (1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256)
RARE, PLANE, COLUMNS, NOISE = "50 and 5", "12 × 20, D = 2", "4 × 25, D = 10", "4 × 30, one empty column"
TITLE = """# Default priors against the best weight

MAP-DP on data of known groups, means over {seeds} draws: nll (nats), K and adjusted Rand index of the default, and of
that weight of the grid whose nll is lowest. What a weight is, is said for every family; the prior's mean or spread
stays the default's. `50 and 5`: one column, two groups, the levels 1 and 1/50 of the scale. `12 × 20`: levels of .2 to
2 in the plane, .3 apart at least. `4 × 25`: lognormal levels in ten columns. Written by `python -m benchmarks.priors`.

What it says:

- Poisson: the default is within 3 nats of the best weight at every scale. A prior worth one exposure, which expects
  x̄ ± √x̄, is as good at 1, and from 100 on it loses more the larger the counts are, with groups united.
- Exponential, geometric and the Gaussians: the default is within 11 nats of the best weight at every scale, with
  nearly the same groups. Durations and real columns depend on no unit: nll changes by the logarithm of the scale.
- Binomial: within 13 nats, with about the same K. What goes wrong there from 100 on is the number of trials, which is
  taken to be the largest value seen: told the true one, `prior={{"trials": …}}`, MAP-DP finds the four groups in ten
  columns at every scale from 10 to 10,000.
- Categories: up to ten are worth a point each. Of more, each column's weight is what makes it most probable as one
  cluster: where clusters have a few favourites among a hundred or a thousand categories, of which the data show few,
  the groups are found, which one point of each unites; an even column,
  which says nothing, keeps one point of each, since less makes clusters of it. By 20 draws of 100 points each: ARI .54
  → 1 of 100 categories and 0 → 1 of 300 and of 1,000, of which few are seen; no change beside even columns, where ten
  points in all, whatever the column holds, lose up to .33; .42 → .34 beside a column of 1,000 categories with
  probabilities ∝ 1/c that says nothing, at an nll that is 37 nats lower.
"""


DrawAt = Callable[[float, np.random.Generator], Table]
Weighed = Iterator[tuple[float, dict[str, Any]]]
"""Weights, and the hyperparameters of each."""


class Case(NamedTuple):
    """Data of one family at several scales, and priors of several weights."""

    family: str
    layout: str
    draw: DrawAt
    priors: Callable[[np.ndarray], Weighed]
    scales: tuple[float, ...] = SCALES


class Found(NamedTuple):
    """Means over the draws."""

    nll: float
    n_clusters: float
    ari: float

    def __str__(self) -> str:
        return f"{self.nll:,.0f} | {self.n_clusters:.1f} | {self.ari:.2f}"


def levels(layout: str, rng: np.random.Generator) -> Table:
    """Return levels (N, D) of the points and their groups."""
    if layout == RARE:
        each, sizes = np.array([[1.0], [0.02]]), [50, 5]
    elif layout == PLANE:
        each, sizes = np.zeros((0, 2)), [20] * 12
        while len(each) < 12:
            new = rng.uniform(0.2, 2, (1, 2))
            each = np.vstack([each, new]) if np.all(np.hypot(*(each - new).T) > 0.3) else each
    else:
        each, sizes = rng.lognormal(0, 1, (4, 10)), [25] * 4
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return each[groups], groups


# --- data -------------------------------------------------------------------------------------------------------------


def draw_columns(family: str, layout: str) -> DrawAt:
    def draw(scale: float, rng: np.random.Generator) -> Table:
        level, groups = levels(layout, rng)
        if family == "poisson":
            X = rng.poisson(scale * level)
        elif family == "exponential":
            X = rng.exponential(scale * level)
        elif family == "geometric":
            X = rng.geometric(1 / (1 + scale * level)) - 1
        elif family == "binomial":
            X = rng.binomial(int(scale), level / (1 + level))
        else:  # real: a twentieth of the range is the spread within a group
            X = scale * (level + rng.normal(0, 0.05, level.shape))
        return np.asarray(X, dtype=np.float64), groups

    return draw


def draw_categories(layout: str) -> DrawAt:
    def draw(n_categories: float, rng: np.random.Generator) -> Table:
        most, groups = int(n_categories), np.repeat(np.arange(4), 30 if layout == NOISE else 25)
        own, n_columns = (4, 6) if layout == NOISE else (most, 10)
        chances = rng.dirichlet(np.full(own, min(0.5, 5 / own)), (4, n_columns))
        X = [[rng.choice(own, p=chances[k, d]) for d in range(n_columns)] for k in groups]
        empty = rng.integers(0, most, (len(groups), 1)) if layout == NOISE else np.zeros((len(groups), 0))
        return np.hstack([np.array(X, dtype=np.float64), empty]), groups

    return draw


# --- weights ----------------------------------------------------------------------------------------------------------


def of_poisson(X: np.ndarray) -> Weighed:
    mean = np.maximum(X.mean(axis=0), 0.5 / len(X))
    for w in WEIGHTS:
        yield w, {"alpha0": np.full(len(mean), w), "beta0": w / mean}


def of_durations(X: np.ndarray) -> Weighed:
    mean = np.maximum(X.mean(axis=0), 0.5 / len(X))
    for w in WEIGHTS:
        yield w, {"alpha0": np.full(len(mean), w), "beta0": w * mean / 2}


def of_binomial(trials: int | None = None) -> Callable[[np.ndarray], Weighed]:
    def priors(X: np.ndarray) -> Weighed:
        most = np.maximum(X.max(axis=0), 1.0)
        half = 0.5 / (len(X) * most)
        share = np.clip(X.mean(axis=0) / most, half, 1 - half)
        for w in WEIGHTS:
            yield w, {"alpha0": w * share, "beta0": w * (1 - share), "trials": most}

    return priors


def of_categories(X: np.ndarray) -> Weighed:
    most = X.max() + 1
    for w in sorted({1 / most, 4 / most, 16 / most, 64 / most, 0.25, 0.5, 1.0, 2.0}):
        if w <= 4:
            yield w, {"alpha0": w}


def of_normal(family: str) -> Callable[[np.ndarray], Weighed]:
    def priors(X: np.ndarray) -> Weighed:
        usual = dpviz.families.FAMILIES[family].default_prior(X)
        for w in WEIGHTS:
            for width in WIDTHS:
                yield w, _weighed(family, usual, w, width, X.shape[1])

    return priors


def _weighed(family: str, usual: dict[str, Any], w: float, width: float, n_features: int) -> dict[str, Any]:
    """Return the default with its spread narrowed, which is worth w times as much as by default."""
    if family == "normal_gamma":
        return {**usual, "c0": 0.1 * w * width, "a0": 1 + 0.5 * w, "b0": usual["b0"] * w * width}
    if family == "normal_wishart":
        return {**usual, "c0": 0.1 * w * width, "a0": n_features + 1 + w, "psi0": usual["psi0"] * w * width}
    own, centres = ("sigma_hat_sq", "sigma0_sq") if family == "spherical_normal" else ("sigma_hat", "sigma0")
    return {**usual, own: usual[own] * width, centres: usual[centres] / w}


WORDS = {
    "poisson": "Weight: α₀, with β₀ = α₀/x̄. The default is α₀ = 2.",
    "exponential": "Weight: α₀, with β₀ = α₀ x̄/2. The default is α₀ = 2.",
    "geometric": "Weight: α₀, with β₀ = α₀ x̄/2. The default is α₀ = 2.",
    "binomial": "Weight: α₀ + β₀, in trials. The default is 2. The scale is the number of trials, of which the family "
    "is told only the largest value seen.",
    "categorical": "Weight: points of each category. The default is, for every column, what makes it most probable as "
    "one cluster, from min(1, 10/C) of C categories to 1. The scale is the number of categories.",
    "normal_gamma": "Weight: on c₀ and 2 (a₀ − 1) at once, the expected variance kept, best width of each. The default "
    "is 1, with its width by nll. The scale is a unit, and data at 10,000 are shifted by a million.",
    "normal_wishart": "Weight: on c₀ and a₀ − D − 1 at once, the expected covariance kept; as before.",
    "spherical_normal": "Weight: on the precision of the centres, 1/σ₀²; as before.",
    "normal_known_covariance": "Weight: on the precision of the centres, Σ₀⁻¹; as before.",
}


def cases() -> Iterator[Case]:
    for layout in (RARE, PLANE, COLUMNS):
        yield Case("poisson", layout, draw_columns("poisson", layout), of_poisson)
    for family in ("exponential", "geometric"):
        for layout in (RARE, COLUMNS):
            yield Case(family, layout, draw_columns(family, layout), of_durations)
    for layout in (RARE, PLANE, COLUMNS):
        yield Case("binomial", layout, draw_columns("binomial", layout), of_binomial())
    for layout in (COLUMNS, NOISE):
        yield Case("categorical", layout, draw_categories(layout), of_categories, CATEGORIES)
    for family in ("normal_gamma", "normal_wishart", "spherical_normal", "normal_known_covariance"):
        for layout in (RARE, PLANE):
            yield Case(family, layout, draw_columns(family, layout), of_normal(family), (1, 10_000))


# --- runs -------------------------------------------------------------------------------------------------------------


BESIDE: dict[str, tuple[str, Callable[[np.ndarray], Any]]] = {
    "poisson": ("one exposure", lambda X: {"alpha0": X.mean(axis=0), "beta0": 1.0}),
    "categorical": ("one of each", lambda X: {"alpha0": 1.0}),
}
"""Other rules than the default that are shown beside it."""


def outcome(X: np.ndarray, groups: np.ndarray, family: str, prior: Any) -> Found:
    trace = dpviz.run(X, dpviz.RunConfig(family=family, prior=prior, effort=0.1))
    labels = trace.result_labels
    return Found(float(trace.nll[trace.result_sweep]), len(np.unique(labels)), ari(groups, labels))


def mean(found: list[Found]) -> Found:
    return Found(*np.mean(found, axis=0))


def row(case: Case, scale: float) -> str:
    normal = case.family.startswith(("normal", "spherical"))
    usual, beside, by_weight = [], [], {}
    for seed in range(SEEDS):
        X, groups = case.draw(scale, np.random.default_rng(seed))
        X = X + 1e6 if normal and scale > 1 else X
        usual.append(outcome(X, groups, case.family, "auto"))
        if case.family in BESIDE:
            beside.append(outcome(X, groups, case.family, BESIDE[case.family][1](X)))
        tried: dict[int, Found] = {}
        for w, prior in case.priors(X):
            found = outcome(X, groups, case.family, prior)
            place = _place(case, w, X)
            tried[place] = min(tried.get(place, found), found, key=lambda each: each.nll)
            by_weight.setdefault(place, {"w": w, "found": []})
        for place, found in tried.items():
            by_weight[place]["found"].append(found)
    best = min(by_weight.values(), key=lambda each: mean(each["found"]).nll)
    chosen, shown = mean(best["found"]), mean(usual)
    cells = [case.layout, f"{scale:,}", *([str(mean(beside))] if beside else []), str(shown), f"{best['w']:.3g}"]
    return "| " + " | ".join([*cells, str(chosen), f"{shown.nll - chosen.nll:+.1f}"]) + " |"


def _place(case: Case, w: float, X: np.ndarray) -> int:
    """Number a weight alike in every draw: those of categories depend on how many there are."""
    return round(1e6 * w * (X.max() + 1 if case.family == "categorical" and w not in (0.25, 0.5, 1.0, 2.0) else 1))


def section(family: str) -> str:
    beside = f"{BESIDE[family][0]}: nll | K | ARI | " if family in BESIDE else ""
    head = f"| groups | scale | {beside}default: nll | K | ARI | best weight | nll | K | ARI | default − best |"
    lines = [f"## {family}", "", WORDS[family], "", head, "|" + "---|" * (head.count("|") - 1)]
    for case in cases():
        if case.family == family:
            for scale in case.scales:
                lines.append(row(case, scale))
                print(family, lines[-1], flush=True)
    return "\n".join([*lines, ""])


def main(families: list[str]) -> None:
    known = FILE.read_text(encoding="utf-8").split("\n## ")[1:] if FILE.is_file() else []
    kept = {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in known}
    for family in families or list(WORDS):
        kept[family] = section(family)
        own = [kept[name] for name in WORDS if name in kept]
        FILE.write_text("\n".join([TITLE.format(seeds=SEEDS), *own]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
