"""A chapter's trial as pages read it: draws of its data, runs, numbers to drag, and claims to count."""

from __future__ import annotations

import json
import math
import struct
import zlib
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dpviz.browser import loader_source
from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, levels
from dpviz.course.claims import Bound, Claim, Draw, Within, quantity_words
from dpviz.course.trial import Trial, started, starts_of
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.laboratory.page import laboratory_module
from dpviz.live.assets import live_modules
from dpviz.player.assets import joined, joined_with_player
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.words import say, words_script

N_DRAWS = 20
_ASSETS = Path(__file__).parent / "assets"
_SHARED = ("tracks", "layers", "newest", "knobs", "agreement", "prices")
_OWN = ("measures", "reshaped", "dragged", "tally", "sentence", "bench", "lead")
# Each module only uses those before it and the player's.


def bench_modules() -> list[Path]:
    """Return the modules that define ``Bench``, in the order for joining."""
    return [*live_modules(_SHARED), laboratory_module("film"), *(_ASSETS / f"{name}.js" for name in _OWN)]


@cache
def bench_script(with_player: bool) -> str:
    """Join the modules and the engine's loader.

    Parameters
    ----------
    with_player : bool
        Whether the player's modules are in the same page already.
    """
    styles = json.dumps((_ASSETS / "bench.css").read_text(encoding="utf-8"))
    modules = joined(bench_modules()) if with_player else joined_with_player(bench_modules())
    return f"{loader_source()}\n{words_script('live', 'bench')}\nconst benchStyles = {styles};\n{modules}"


@cache
def mount_source() -> str:
    """Return the module that defines ``mountBench``, for a Streamlit component, after :func:`bench_script`."""
    return joined([_ASSETS / "mount.js"])


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
    assert chapter.trial is not None
    found = []
    for claim in chapter.claims:
        if isinstance(claim.holds, Within):
            bounds = [_moved(bound, chapter.trial) for bound in claim.holds.bounds]
            if all(bounds):
                found.append(replace(claim, holds=Within(tuple(bound for bound in bounds if bound))))
    return tuple(found)


def _moved(bound: Bound, trial: Trial) -> Bound | None:
    runs = {name: getattr(bound, name) for name in ("run", "per", "beside") if getattr(bound, name) is not None}
    places: dict[str, Any] = {name: trial.place(run) for name, run in runs.items()}
    return None if None in places.values() else replace(bound, **places)


def trial_draw(chapter: Chapter, dataset: Dataset, number: int) -> Draw:
    """Return one of the draws with the runs that a browser makes of it before a number is dragged."""
    assert chapter.trial is not None
    trial = chapter.trial
    configs = [replace(config, seed=seed_of(config, number)) for config in trial.configs(chapter.runs)]
    tables = [chapter.table(dataset, run, number).X if isinstance(run, int) else dataset.X for run in trial.runs]
    return Draw(dataset, tuple(zip(tables, configs, strict=True)), started)


def seed_of(config: RunConfig, number: int) -> int:
    """Seed of a run on one of the draws."""
    return config.seed + N_DRAWS * number


@cache
def trial_bytes(chapter: Chapter) -> bytes:
    """Write a chapter's trial: deflated, a length, what :func:`_facts` says, and the values and groups of all draws."""
    tables = draws(chapter)
    header = json.dumps({**_facts(chapter), "draws": [_draw(table) for table in tables]}, allow_nan=False).encode()
    values = [levels(table.X)[2].astype("<u2").tobytes() for table in tables]
    groups = [] if tables[0].labels is None else [_groups(table).tobytes() for table in tables]
    return zlib.compress(b"".join([struct.pack("<I", len(header)), header, *values, *groups]), 9)


def _groups(table: Dataset) -> np.ndarray:
    assert table.labels is not None
    return np.asarray(np.unique(table.labels, return_inverse=True)[1].astype("u1"))


def _draw(table: Dataset) -> dict[str, Any]:
    low, step, _ = levels(table.X)
    return {"n": table.n_points, "low": low.tolist(), "step": step.tolist()}


def _facts(chapter: Chapter) -> dict[str, Any]:
    """Return what a page repeats of a chapter."""
    trial, table = chapter.trial, chapter.scene.load()
    assert trial is not None
    display = chapter.view(table)
    shown = {} if table.n_features == 2 else {"shown": np.round(display.coordinates.T, 4).tolist()}
    words = dict(chapter.words)
    return {
        "name": chapter.name,
        "text": trial.text,
        "counted": {**_counted(trial.counted), "words": _about(chapter, *trial.counted.split()[:2])},
        "colors": CLUSTER_COLORS,
        "axes": list(display.axis_names),
        "features": list(table.feature_names),
        "grouped": table.labels is not None,
        **shown,
        "seeds": N_DRAWS,
        "turns": [{**turn.knob.written(), "runs": list(turn.runs)} for turn in trial.turns],
        "lead": None if trial.lead is None else asdict(trial.lead),
        "runs": [
            {**_run(config), "words": words.get(run, "") if isinstance(run, int) else ""}
            for run, config in zip(trial.runs, trial.configs(chapter.runs), strict=True)
        ],
        "claims": [
            {"says": claim.says, "bounds": [_bound(chapter, bound) for bound in claim.holds.bounds]}
            for claim in of_trial(chapter)
            if isinstance(claim.holds, Within)
        ],
    }


def _counted(words: str) -> dict[str, Any]:
    quantity, run, *beside = words.split()
    return {"quantity": quantity, "run": int(run), "beside": int(beside[0]) if beside else None}


def _bound(chapter: Chapter, bound: Bound) -> dict[str, Any]:
    ends = {"least": bound.least, "most": bound.most}
    values = {"about": _about(chapter, bound.quantity, bound.run), "ends": bound.ends}
    if bound.per is None:
        words = say("claims.bound", **values)
    else:
        words = say("claims.bound_per", per=_title(chapter, bound.per), **values)
    return {
        **asdict(bound),
        "words": words,
        **{name: end if math.isfinite(end) else None for name, end in ends.items()},
    }


def _about(chapter: Chapter, quantity: str, place: int | str) -> str:
    """Say what a quantity is, and of which run of the trial."""
    return f"{_title(chapter, int(place))}, {quantity_words(quantity)}"


def _title(chapter: Chapter, place: int) -> str:
    """Name a run of the trial, by what sets it apart if its method does not."""
    assert chapter.trial is not None
    configs = chapter.trial.configs(chapter.runs)
    titles = [method_of(config).title for config in configs]
    run = chapter.trial.runs[place]
    words = dict(chapter.words).get(run) if isinstance(run, int) else None
    if titles.count(titles[place]) == 1:
        return titles[place]
    return f"{titles[place]} ({words or ALGORITHMS[configs[place].algorithm].describe(configs[place])})"


def _run(config: RunConfig) -> dict[str, Any]:
    algorithm = ALGORITHMS[config.algorithm]
    plain = {**config.to_dict(), "n_init": config.n_init, "seed": config.seed}
    if algorithm.is_chain:
        plain |= {"burn_in": config.burn_in}  # which pages read, though it be the default
    if algorithm.uses_model:
        plain |= {"partition": config.partition.to_dict(), "prior": dict(config.prior or {})}
    return {
        "config": plain, "title": method_of(config).title, "about": algorithm.describe(config),
        "objective": algorithm.objective, "starts": list(starts_of(config)),
    }  # fmt: skip
