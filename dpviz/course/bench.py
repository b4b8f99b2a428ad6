"""A chapter's trial as pages read it: draws of its data, runs, numbers to drag, and claims to count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter
from dpviz.course.claims import Bound, Claim, Draw, Within, about
from dpviz.course.draws import N_DRAWS, packed, seed_of, titles_of, written_claims, written_run
from dpviz.course.trial import Trial
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.words import say_name


def draws(chapter: Chapter) -> list[Dataset]:
    """Return the chapter's data, and as many other draws of them as make twenty; a bundled table stays the same."""
    scene = chapter.scene
    if scene.source == "bundled":
        return [scene.load()]
    seeds = (int(dict(scene.options)["seed"]) + number for number in range(N_DRAWS))
    options = dict(scene.options)
    return [replace(scene, options=tuple((options | {"seed": seed}).items())).load() for seed in seeds]


def of_trial(chapter: Chapter) -> tuple[Claim, ...]:
    """Return the chapter's claims that a browser can count, about the runs of its trial."""
    found = []
    for claim in chapter.claims:
        if isinstance(claim.holds, Within):
            bounds = [_moved(bound, chapter.trial) for bound in claim.holds.bounds]
            if all(bounds):
                found.append(replace(claim, holds=Within(tuple(bound for bound in bounds if bound))))
    return tuple(found)


def _moved(bound: Bound, trial: Trial) -> Bound | None:
    runs = {name: getattr(bound, name) for name in ("run", "per", "than", "beside") if getattr(bound, name) is not None}
    places: dict[str, Any] = {name: trial.place(run) for name, run in runs.items()}
    return None if None in places.values() else replace(bound, **places)


def trial_draw(chapter: Chapter, dataset: Dataset, number: int) -> Draw:
    """Return one of the draws with the runs that a browser makes of it before a number is dragged."""
    trial = chapter.trial
    configs = [replace(config, seed=seed_of(config, number)) for config in trial.configs(chapter.runs)]
    tables = [chapter.table(dataset, run, number).X if isinstance(run, int) else dataset.X for run in trial.runs]
    return Draw(dataset, tuple(zip(tables, configs, strict=True)))


@cache
def trial_bytes(chapter: Chapter) -> bytes:
    """Write a chapter's trial: what :func:`_facts` says with the values and groups of all draws."""
    return packed(_facts(chapter), draws(chapter))


def _facts(chapter: Chapter) -> dict[str, Any]:
    """Return what a page repeats of a chapter."""
    trial, table = chapter.trial, chapter.scene.load()
    display = chapter.view(table)
    shown = {} if table.n_features == 2 else {"shown": np.round(display.coordinates.T, 4).tolist()}
    words = dict(chapter.words)
    return {
        "name": chapter.name,
        "text": trial.text,
        "counted": _counted(trial.counted, _titles(chapter)),
        "colors": CLUSTER_COLORS,
        "axes": list(display.axis_names),
        **shown,
        "turns": [{**turn.knob.written(), "runs": list(turn.runs)} for turn in trial.turns],
        "lead": {"text": trial.lead_text, "ends": trial.lead},
        "transfers": [
            {
                "prompt": own.prompt,
                "values": dict(own.values),
                "reveal": own.reveal,
                "answers": [
                    {"text": text, "bounds": [bound.written(_titles(chapter)) for bound in holds.bounds]}
                    for text, holds in zip(own.answers, own.holds, strict=True)
                ],
            }
            for own in trial.transfers
        ],
        "runs": [
            {**_run(config), "words": words.get(run, "") if isinstance(run, int) else ""}
            for run, config in zip(trial.runs, trial.configs(chapter.runs), strict=True)
        ],
        "claims": written_claims(of_trial(chapter), _titles(chapter)),
    }


def _counted(words: str, titles: Sequence[str]) -> dict[str, Any]:
    quantity, run, *beside = words.split()
    told = about(quantity, titles[int(run)])
    return {"quantity": quantity, "run": int(run), "beside": int(beside[0]) if beside else None, "words": told}


def _titles(chapter: Chapter) -> list[str]:
    """Name the runs of the trial, by what sets them apart if their methods do not."""
    words = dict(chapter.words)
    own = [words.get(run, "") if isinstance(run, int) else "" for run in chapter.trial.runs]
    return titles_of(chapter.trial.configs(chapter.runs), own)


def _run(config: RunConfig) -> dict[str, Any]:
    algorithm = ALGORITHMS[config.algorithm]
    return written_run(config) | {
        "title": method_of(config).called,
        "about": algorithm.describe(config),
        "objective": algorithm.objective,
        "meanings": [say_name(meaning) for meaning in algorithm.shape_meanings],
    }
