"""Twenty draws as pages read them: their tables, the runs on them, and claims to count."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpviz.config import RunConfig
from dpviz.course.claims import Claim, Within
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.live.knobs import written_config
from dpviz.player.blocks import envelope

N_DRAWS = 20
LEVELS = 65_535
"""Steps between the least and the largest value of a column in a page."""
MOST_DECIMALS = 4
"""Of columns whose numbers are exact in a page."""


def seed_of(config: RunConfig, number: int) -> int:
    """Seed of a run on one of the draws."""
    return config.seed + N_DRAWS * number


def rounded(dataset: Dataset) -> Dataset:
    """Return a table with its values rounded as they are in a page."""
    columns = [_levels(values) for values in dataset.X.T]
    return replace(dataset, X=np.column_stack([(one.low + one.step * one.levels) / one.per for one in columns]))


class _Levels(NamedTuple):
    """A column as ``(low + step · levels) / per``."""

    low: float
    step: float
    per: float
    levels: np.ndarray


def _levels(values: np.ndarray) -> _Levels:
    """Find the levels of a column (N,): numbers with few decimals, as tables have them, stay exactly what they are."""
    for decimals in range(MOST_DECIMALS + 1):
        per = 10.0**decimals
        whole = np.rint(values * per)
        if np.ptp(whole) <= LEVELS and np.array_equal(whole / per, values):
            return _Levels(float(whole.min()), 1.0, per, whole - whole.min())
    low, high = float(values.min()), float(values.max())
    step = (high - low) / LEVELS if high > low else 1.0
    return _Levels(low, step, 1.0, np.rint((values - low) / step))


def packed(facts: Mapping[str, Any], tables: Sequence[Dataset]) -> bytes:
    """Write tables for ``trialOf`` of ``trial.js``.

    Deflated: a length, what is told with them, and the values and groups of all tables.
    """
    told = {
        **facts,
        "features": list(tables[0].feature_names),
        "grouped": tables[0].labels is not None,
        "seeds": N_DRAWS,
        "draws": [_draw(table) for table in tables],
    }
    values = [np.column_stack([_levels(own).levels for own in table.X.T]).astype("<u2").tobytes() for table in tables]
    groups = [] if tables[0].labels is None else [_groups(table).tobytes() for table in tables]
    return zlib.compress(envelope(told, *values, *groups), 9)


def _groups(table: Dataset) -> np.ndarray:
    assert table.labels is not None
    return np.asarray(np.unique(table.labels, return_inverse=True)[1].astype("u1"))


def _draw(table: Dataset) -> dict[str, Any]:
    columns = [_levels(values) for values in table.X.T]
    told = {name: [getattr(one, name) for one in columns] for name in ("low", "step", "per")}
    return {"n": table.n_points, **told}


def titles_of(configs: Sequence[RunConfig], words: Sequence[str] = ()) -> list[str]:
    """Name runs by their methods; where a method runs twice also by words of their own, or else by their settings."""
    titles = [method_of(config).called for config in configs]
    apart = list(words) or [""] * len(configs)
    own = [said or ALGORITHMS[c.algorithm].describe(c) for c, said in zip(configs, apart, strict=True)]
    return [title if titles.count(title) == 1 else f"{title} ({said})" for title, said in zip(titles, own, strict=True)]


def written_claims(claims: Sequence[Claim], titles: Sequence[str]) -> list[dict[str, Any]]:
    """Write those claims down that a page can count, about runs of these titles."""
    return [
        {"says": claim.says, "bounds": [bound.written(titles) for bound in claim.holds.bounds]}
        for claim in claims
        if isinstance(claim.holds, Within)
    ]


def written_run(config: RunConfig) -> dict[str, Any]:
    """Write down what a page has to know of a run in order to make it."""
    return {"config": written_config(config)}
