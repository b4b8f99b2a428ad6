"""The lab as one HTML file: the engine, the player, points to begin with, and knobs that answer while they move."""

from __future__ import annotations

import html
import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.browser import columns_of, deflated_module
from dpviz.browser.layout import COLUMNS
from dpviz.config_versions import VERSION
from dpviz.datasets import SCENARIOS, Dataset, synthesize
from dpviz.datasets.tables.cell_values import GAPS, GROUPED, MISSING, MISSING_NUMBERS, PLAIN
from dpviz.datasets.tables.dialect import MAX_NUMBER_LENGTH, SAMPLE_ROWS
from dpviz.datasets.tables.header import CENSORED, NO_NAMES
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import SMALLEST_SPREAD
from dpviz.errors import InvalidDataError
from dpviz.files import PAGE_START, SITE_START
from dpviz.laboratory.methods import FIRST_METHODS, KNOBS, METHODS
from dpviz.limits import LARGEST_VALUE
from dpviz.periods import CIRCULAR, word_of
from dpviz.player.assets import drawing_styles
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.player.standalone import computing_page
from dpviz.shares import KINDS_OF_PARTS
from dpviz.whole_numbers import MEASURE, WHOLE
from dpviz.words import say, say_name

DRAWS, MOST_DRAWN = 3, 500
"""Draws of every scenario in the page, and the most points of each."""
MOST_POINTS, MOST_COLUMNS, MOST_PANELS, SEEDS = 20_000, 30, 3, 20
MOST_VALUES = 200
"""Of all columns of categories."""
MOST_ADDRESS = 200_000
"""Letters of an address that still holds a table; a full canvas has half as many."""
LARGEST_SHOWN = 1e30
"""Largest magnitude of a value: pictures have single precision."""
CANVAS = {"extent": [16.0, 12.0], "most": 5_000, "names": ["blue", "orange", "green", "pink", "red", "sky"]}

_ASSETS = Path(__file__).parent / "assets"

_BODY = """\
<header><h1>{title}</h1>
<p>{lead}</p></header>
<noscript><p>{no_script}</p></noscript>
<main>
<section id="controls" aria-label="{controls}"></section>
<section id="stage" aria-label="{clusters}"><div id="notice" role="status" hidden></div><div id="player"></div>
<div id="why" role="status"></div><div id="dice"></div></section>
</main>"""


def lab_page(dataset: Dataset | None = None, row_nats: float = 0.0) -> str:
    """Write the lab as a page that needs no server and no network.

    Parameters
    ----------
    dataset : Dataset, optional
        Data to begin with, beside the bundled scenarios: 2 to 30 columns and at most 20,000 rows, complete, as they are
        to be clustered. Where a column is no measured number, such as an hour, an amount that may be 0 or a category,
        each is of its own kind, all are independent within a cluster, and the methods are those with a density.
    row_nats : float, default 0
        By how much minus the log density of a row (nats) is higher in units of the table that these data were scaled
        from; costs on the page are in these units.

    Returns
    -------
    str

    Raises
    ------
    InvalidDataError
        If the data have gaps, parts of a whole, too few or too many columns or categories, too many rows, or values
        that are too large to draw or not of their kind.
    """
    given = None if dataset is None else _given(dataset, row_nats)
    own = None if dataset is None else _own(dataset)
    if given and own:
        given["own"] = own.about
    sets = [*([given] if given else []), *_scenarios()]
    contents = {"lab-data": zlib.compress(json.dumps({**_facts(), "sets": sets}).encode(), 9)}
    if own:
        contents |= {"columns": deflated_module(COLUMNS), "own-columns": zlib.compress(own.numbers.tobytes(), 9)}
    css = (_ASSETS / "lab.css").read_text(encoding="utf-8")
    styles = f"{drawing_styles()}\n{css}"
    start = SITE_START if dataset is None else PAGE_START
    names = ("title", "lead", "no_script", "controls", "clusters")
    body = _BODY.format_map({name: html.escape(say(f"lab_page.{name}")) for name in names})
    return computing_page(say("lab_page.title"), styles, body, "lab", contents, start)


def _facts() -> dict[str, Any]:
    """Return what the page repeats of this package."""
    return {
        "version": VERSION,
        "colors": CLUSTER_COLORS,
        "knobs": [knob.written() for knob in KNOBS],
        "methods": [method.written() for method in METHODS],
        "first": FIRST_METHODS,
        "densities": [name for name, algorithm in ALGORITHMS.items() if algorithm.has_density],
        "canvas": CANVAS,
        "limits": {
            "points": MOST_POINTS,
            "columns": MOST_COLUMNS,
            "panels": MOST_PANELS,
            "seeds": SEEDS,
            "address": MOST_ADDRESS,
            "largest": LARGEST_VALUE,
            "shown": LARGEST_SHOWN,
            "spread": SMALLEST_SPREAD,
        },
        "reading": {
            "plain": PLAIN,
            "grouped": GROUPED,
            "gaps": GAPS,
            "longest": MAX_NUMBER_LENGTH,
            "sample": SAMPLE_ROWS,
            "absent": sorted({*MISSING, *MISSING_NUMBERS, *NO_NAMES}),
            "censored": CENSORED.pattern,
        },
    }


@cache
def _scenarios() -> tuple[dict[str, Any], ...]:
    """Draws of the scenarios of complete points in the plane."""
    found = []
    for name, scenario in SCENARIOS.items():
        draws = [synthesize(name, min(scenario.n, MOST_DRAWN), seed) for seed in range(DRAWS)]
        if all(draw.n_features == 2 and not draw.incomplete.any() for draw in draws):
            written = [_draw(np.round(draw.X, 3), draw.labels) for draw in draws]
            found.append({"name": name, "title": say_name(scenario.title), "axes": ["x", "y"], "draws": written})
    return tuple(found)


def _draw(X: FloatArray, labels: IntArray | None) -> dict[str, Any]:
    """Return rows, their true groups, and the λ that they suggest."""
    return {
        "rows": X.tolist(),
        "groups": None if labels is None else np.unique(labels, return_inverse=True)[1].tolist(),
        "penalty": ALGORITHMS["dpmeans"].typical("penalty", X),
    }


def check_scaled(dataset: Dataset) -> None:
    """Refuse data that are to be scaled with a column whose values would be no numbers to scale.

    Raises
    ------
    InvalidDataError
        If there is one: codes of categories and hours of the day would be clustered as if they were plain numbers.
    """
    for name, kind in zip(dataset.feature_names, dataset.kinds, strict=True):
        if word_of(kind) in (CIRCULAR, "categorical", *KINDS_OF_PARTS):
            raise InvalidDataError(say("lab_page.scaled_column", column=name, kind=kind))


class _Own(NamedTuple):
    """Columns that are each of its own kind: what the page reads of them, and their numbers for the engine."""

    about: dict[str, Any]
    numbers: FloatArray


def own_kinds(dataset: Dataset) -> list[str]:
    """Return the kinds of columns that are each of its own; none if all are measured numbers, or may be."""
    kinds = [MEASURE if kind == WHOLE else kind for kind in dataset.model_kinds]
    return [] if set(kinds) <= {MEASURE, "duration"} else kinds


def _own(dataset: Dataset) -> _Own | None:
    """Return the columns as they are each of its own kind, if they are."""
    kinds = own_kinds(dataset)
    if not kinds:
        return None
    for name, kind in zip(dataset.feature_names, kinds, strict=True):
        if kind in KINDS_OF_PARTS:
            raise InvalidDataError(say("lab_page.parts", column=name))
    table = columns_of(dataset.X, kinds)
    if table.n_values > MOST_VALUES:
        raise InvalidDataError(say("lab_page.takes_categories", most=MOST_VALUES, number=f"{table.n_values:,}"))
    named = (f"{name} ({kind})" for name, kind in zip(dataset.feature_names, kinds, strict=True))
    about = {
        "tables": table.tables,
        "nPoints": dataset.n_points,
        "nCoordinates": table.n_coordinates,
        "periods": table.periods,
        "methods": [method.of_columns(kinds, table.has_width).written() for method in METHODS if method.has_model],
        "said": say("lab_page.own_columns", columns=", ".join(named)),
    }
    return _Own(about, table.numbers)


def _given(dataset: Dataset, row_nats: float) -> dict[str, Any]:
    """Check data from outside, and write them as the page reads them."""
    if dataset.incomplete.any():
        raise InvalidDataError(say("lab_page.cells_missing"))
    for key, number, low, high in (
        ("lab_page.takes_columns", dataset.n_features, 2, MOST_COLUMNS),
        ("lab_page.takes_rows", dataset.n_points, 1, MOST_POINTS),
    ):
        if not low <= number <= high:
            raise InvalidDataError(say(key, low=low, high=f"{high:,}", number=f"{number:,}"))
    if np.abs(dataset.X).max() > LARGEST_SHOWN:
        raise InvalidDataError(say("lab_page.takes_values", most=f"{LARGEST_SHOWN:g}"))
    draw = {**_draw(dataset.X, dataset.labels), "rowNats": row_nats}
    return {"name": "given", "title": dataset.title, "axes": list(dataset.feature_names), "draws": [draw]}
