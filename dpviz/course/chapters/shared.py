"""What chapters share: the settings of MAP-DP, and how runs are counted and scored."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import metrics
from dpviz.analysis.posterior.chains import chain_diagnostics
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, Facts, Question, Scene
from dpviz.course.claims import Claim, Draw
from dpviz.course.trial import Trial
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.partition import ChineseRestaurant
from dpviz.words import say, say_section

BURN_IN = 100
TEXTS = say_section("chapters")


def chapter(
    name: str,
    scene: Scene,
    runs: tuple[RunConfig, ...],
    question: Question,
    facts: Callable[[Dataset, Sequence[Trace]], Facts],
    shown: tuple[int, ...],
    claims: tuple[Callable[[Draw], bool], ...],
    trial: Trial,
    **rest: Any,
) -> Chapter:
    """Return a chapter with its texts, which are those below a heading with its name; claims are in their order."""
    told = {key.removeprefix(f"{name}."): text for key, text in TEXTS.items() if key.startswith(f"{name}.")}

    def several(part: str) -> tuple[str, ...]:
        return tuple(text for key, text in told.items() if re.fullmatch(rf"{part}(_\d+)?", key))

    transfers = tuple(
        replace(own, prompt=told[key], answers=several(f"{key}_answer"), reveal=told[f"{key}_reveal"])
        for own, key in zip(trial.transfers, [key for key in told if re.fullmatch(r"again_\d", key)], strict=True)
    )
    counted = f"chapters.{name}.counted" if "counted" in told else ""
    return Chapter(
        name,
        told["title"],
        several("text"),
        scene,
        runs,
        replace(question, prompt=told["prompt"], answers=several("answer"), unit=told.get("unit", ""), counted=counted),
        facts,
        told["reveal"],
        shown,
        told["lesson"],
        told["about"],
        tuple(Claim(says, holds) for says, holds in zip(several("claim"), claims, strict=True)),
        replace(trial, text=told["trial"], lead_text=told["lead"], transfers=transfers),
        feedback={key: text for key, text in told.items() if re.fullmatch(r"low|high|if_\d", key)},
        papers=told.get("papers", ""),
        **rest,
    )


def mapdp(n0: float = 3.0, **options: Any) -> RunConfig:
    """Return the settings of MAP-DP in most chapters, but for what is given."""
    settings = {"family": "normal_wishart", "prior": None, "partition": ChineseRestaurant(n0), "effort": 0.02}
    return RunConfig("mapdp", **{**settings, **options})


def scores(dataset: Dataset, traces: Sequence[Trace], *names: str) -> dict[str, Any]:
    """Count the clusters of the first runs, and score their agreement with the true groups, under these names."""
    assert dataset.labels is not None
    found: dict[str, Any] = {}
    for name, trace in zip(names, traces, strict=False):
        found[f"{name}_k"] = len(np.unique(trace.result_labels))
        found[f"{name}_nmi"] = metrics.nmi(dataset.labels, trace.result_labels)
        found[f"{name}_ari"] = metrics.ari(dataset.labels, trace.result_labels)
    return found


def visited(trace: Trace) -> IntArray:
    """K (S,) in every sweep of a chain after its burn-in."""
    return np.asarray(trace.n_clusters[(trace.config.burn_in or 0) + 1 :])


def shares(trace: Trace, most: int) -> FloatArray:
    """Share (most,) of a chain's sweeps after its burn-in with K = 1, 2, … most."""
    counts = visited(trace)
    return np.asarray(np.bincount(counts, minlength=most + 1)[1 : most + 1] / len(counts))


WITH_ERRORS = say("chapters.shared.label")
"""Says in a chart's title what they are."""


def monte_carlo_error(series: ArrayLike) -> float:
    """Return the standard error of the mean of a chain's values (S,): their deviation by the root of the effective S.

    0 for one value throughout, of which a chain cannot say how far it is off.
    """
    values = np.asarray(series, dtype=np.float64)
    effective = chain_diagnostics(values).ess_bulk
    return float(values.std() / np.sqrt(effective)) if np.isfinite(effective) else 0.0


def errors_of_shares(trace: Trace, most: int) -> FloatArray:
    """Monte Carlo errors (most,) of :func:`shares`."""
    counts = visited(trace)
    return np.array([monte_carlo_error(counts == k) for k in range(1, most + 1)])
