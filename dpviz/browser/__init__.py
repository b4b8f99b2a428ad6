"""The engine in a browser: its own kernels, compiled ahead of time to WebAssembly, and a thin loader.

``make wasm`` builds ``engine.wasm`` from :mod:`dpviz.browser.driver`, :mod:`~dpviz.browser.answers`,
:mod:`~dpviz.browser.visits` and everything that these call, and of the same ``columns.wasm``, for tables whose columns
are each of its own kind. Pages get them with :func:`module_bytes` and ``loader.js`` by :func:`loader_source`, or in a
bundle of :mod:`dpviz.scripts` by :func:`with_tables`. What a page calls, and the messages to its Worker, are at the
head of ``loader.js``. A module imports nothing. Its functions take numbers and arrays, each as address and length, in
the order of those that they are compiled from, and return what these do:

- ``reserve(bytes)`` and ``release(address)`` lend its memory.
- ``run``, ``scores``, ``places``, ``shapes``, ``visits``, each once per family, as in ``run_normal_gamma``, and all but
  ``scores`` for algorithms without a model, as in ``run_centres``; names and codes are in :mod:`dpviz.browser.layout`.
- ``run`` works for a number of operations, and is called again with the same arrays until it is over. It finds the same
  in few slices as in many.

``columns.wasm`` has ``run``, ``scores`` and ``visits`` of ``mixed``, which take one array more, behind the values: a
table as :func:`columns_of` writes it. The data among the values are then its coordinates.

It computes K-means, DP-means, MAP-DP with its search, and collapsed Gibbs at any temperature, with the four Gaussian
families of complete real columns and every partition prior but those of finite mixtures. Chains learn the parameters
of all but a generalised restaurant's growth. The other samplers stay on the server, and so does the choice of a model.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.browser import layout
from dpviz.browser.layout import ALGORITHMS, ENGINE, FAMILIES, PARTITIONS, PLACES
from dpviz.config import RunConfig
from dpviz.config_versions import VERSION
from dpviz.engine.algorithms.description import described
from dpviz.engine.initialise import MOST_POINTS
from dpviz.engine.kernels.search_plan import SLICE
from dpviz.engine.options import COUNTED_STARTS, LOWEST_TEMPERATURE, OPTIONS
from dpviz.engine.problem import Problem
from dpviz.engine.visits import MOST_VISITS, PADDING
from dpviz.families import family_class
from dpviz.families.base import WIDTH
from dpviz.families.columns.placing import N_VALUES, column_numbers
from dpviz.families.mixed import Mixed, MixedWorkingData
from dpviz.limits import LARGEST_VALUE
from dpviz.parameters import LARGEST_NUMBER, Bound, Parameter, Size
from dpviz.partition import PARTITION_PRIORS, Gamma, PartitionPrior, Shifted
from dpviz.partition.hyperpriors import LONGEST_TEXT, WRITTEN
from dpviz.partition.product_form import MAX_POINTS as MOST_RECURSIVE
from dpviz.periods import period_of
from dpviz.scripts import script

FOLDER = Path(__file__).parent
LICENCE = FOLDER / "engine.LICENCE.txt"
MOST_LABELS = 50_000_000
"""Most labels that a page keeps of a start: 200 MB, and twice that of several starts."""
MOST_COSTS = 4_000_000
"""Most candidates of all visits of a sweep."""
FIRST = (
    RunConfig("kmeans", n_init=1),
    RunConfig("mapdp", family="normal_wishart", prior=None, init="kmeans++", n_init=2),
    RunConfig("gibbs", family="normal_wishart", prior=None, init="single", n_sweeps=20, burn_in=0),
)
"""Runs with which a Worker begins: browsers compile functions when they are first called."""


def module_file(name: str) -> Path:
    """Return the file of a module, ``layout.ENGINE`` or ``layout.COLUMNS``."""
    return FOLDER / f"{name}.wasm"


def module_bytes(name: str = ENGINE) -> bytes:
    """Return a compiled module."""
    return module_file(name).read_bytes()


@cache
def deflated_module(name: str = ENGINE) -> bytes:
    """Return a compiled module as pages bring it: deflated, once per process."""
    return zlib.compress(module_bytes(name), 9)


def loader_source() -> str:
    """Return the script (an ES module) that defines and exports ``dpvizEngine``."""
    return with_tables(script("engine"))


@cache
def with_tables(script: str) -> str:
    """Put before a bundle that holds the loader the names and codes that it needs.

    The notices that have to go with every copy of the compiled module are a comment before them.
    """
    licence = LICENCE.read_text(encoding="utf-8")
    tables = json.dumps(_tables(), separators=(",", ":"), allow_nan=False)
    return f"/* {licence}*/\nconst dpvizTables = {tables};\n{script}"


_ONLY: dict[str, Any] = {"sampler": "collapsed", "directions": None, "transform": None, "coarsening": None}


def _codes() -> dict[str, Sequence[str]]:
    kinds = ("algorithm", "start", "order", "partition", "law")
    return {kind: getattr(layout, f"{kind.upper()}S") for kind in kinds} | {"family": FAMILIES}


def _tables() -> dict[str, Any]:
    """Everything that the loader would else repeat of this package."""
    priors = {name: PARTITION_PRIORS[name] for name in PARTITIONS if name in PARTITION_PRIORS}
    own = ("settings", "row", "summary", "shape", "searches", "kept", "ended")
    return {
        **{name: getattr(layout, name.upper()) for name in own},
        "version": VERSION,
        "slice": SLICE,
        "padding": PADDING,
        "centres": layout.CENTRES_ONLY,
        "codes": _codes(),
        "models": [name for name in ALGORITHMS if described(name).uses_model],
        "tempered": COUNTED_STARTS,
        "only": _ONLY,
        "laws": {
            "text": WRITTEN.replace("?P<", "?<"),  # as JavaScript names groups
            "longest": LONGEST_TEXT,
            "parameter": _bounds(Gamma.parameters[0]),
            "origin": _bounds(Shifted.parameters[0]),
        },
        "learned": {name: _learned(prior) for name, prior in priors.items()},
        "places": {name: _places(name) for name in FAMILIES},
        "width": _bounds(WIDTH),
        "options": {name: _bounds(option) for name, option in OPTIONS.items()},
        "partitions": {
            name: {each.name: _bounds(each) if each.number else None for each in prior.parameters}
            for name, prior in priors.items()
        },
        "starts": {name: described(name).starts for name in ALGORITHMS},
        "operations": {name: _operations(name) for name in FAMILIES},
        "defaults": {name: _defaults(name) for name in ALGORITHMS},
        "first": [config.to_dict() for config in FIRST],
        "limits": {
            "most_searched": MOST_POINTS,
            "largest_number": LARGEST_NUMBER,
            "lowest_temperature": LOWEST_TEMPERATURE,
            "largest_value": LARGEST_VALUE,
            "most_labels": MOST_LABELS,
            "most_shapes": layout.MOST_SHAPES,
            "most_visits": MOST_VISITS,
            "most_costs": MOST_COSTS,
            "most_recursive": MOST_RECURSIVE,
        },
    }


class ColumnsOf(NamedTuple):
    """A table of columns that are each of its own kind, as ``columns.wasm`` takes it.

    Attributes
    ----------
    numbers : ndarray
        Coordinates (N, C) in which distances make sense, then the table (:mod:`dpviz.families.columns.placing`).
    n_coordinates, n_values : int
        C, and how many values columns of categories have.
    periods : tuple of float
        After what columns begin again; 0 for those that do not.
    has_width : bool
        Whether clusters have a width in any column.
    tables : dict
        What the loader has in place of its own tables, to know of this family alone.
    """

    numbers: FloatArray
    n_coordinates: int
    n_values: int
    periods: tuple[float, ...]
    has_width: bool
    tables: dict[str, Any]


def columns_of(X: FloatArray, kinds: Sequence[str]) -> ColumnsOf:
    """Write a table for ``columns.wasm``, with the usual hyperparameters.

    Parameters
    ----------
    X : ndarray (N, D)
        Complete rows.
    kinds : sequence of str
        Of the columns.

    Raises
    ------
    InvalidDataError
        If columns cannot be of these kinds.
    """
    config = RunConfig("mapdp", family=Mixed.name, kinds=tuple(kinds), prior=None)
    problem, n_features = Problem.check(X, config), X.shape[1]
    working, has_width = problem.working, len(Mixed.columns_with_width(config.prior_dict, n_features)) > 0
    assert isinstance(working, MixedWorkingData)
    tables = {
        "first": [],
        "codes": {**_codes(), "family": [Mixed.name]},
        "only": {**_ONLY, "kinds": list(kinds)},
        "places": {Mixed.name: {}},
        "operations": {Mixed.name: [working.family.operations(working.X.shape[1]), 0.0, 0.0]},
        **({} if has_width else {"width": {"ends": [], "integer": False, "choices": [WIDTH.default]}}),
    }
    coordinates, table = problem.coordinates, column_numbers(working)
    periods = tuple(period_of(kind) or 0.0 for kind in problem.family.column_kinds(n_features))
    sizes = coordinates.shape[1], int(table[N_VALUES])
    return ColumnsOf(np.concatenate([coordinates.ravel(), table]), *sizes, periods, has_width, tables)


def _operations(family: str) -> list[float]:
    """Return the operations of weighing a point in a cluster as a constant, and factors of D and D²."""
    of = family_class(family).operations
    origin, slope, bend = of(0), 0.5 * (4.0 * of(1) - of(2) - 3.0 * of(0)), 0.5 * (of(2) - 2.0 * of(1) + of(0))
    assert of(7) == origin + 7 * slope + 49 * bend, "only such numbers can be written"
    return [origin, slope, bend]


def _places(family: str) -> dict[str, Any]:
    """Return the block, the shape and the bounds of every hyperparameter of a family."""
    known = {parameter.name: parameter for parameter in family_class(family).hyperparameters}
    return {
        name: {
            "block": block,
            "vector": len(known[name].shape) == 1,
            "matrix": len(known[name].shape) == 2,
            "bound": _bounds(known[name]),
        }
        for name, block in PLACES[family].items()
    }


def _learned(prior: type[PartitionPrior]) -> dict[str, Any]:
    """Return up to how many points chains learn parameters of a prior, and between which ends laws of each may be."""
    most, limits = prior.most_points_learned, {name: own.limits() for name, own in prior.example().learnable.items()}
    return {
        "most": most if math.isfinite(most) else LARGEST_NUMBER,
        "supports": {
            name: [max(low, 0.0), high if math.isfinite(high) else None] for name, (low, high) in limits.items()
        },
    }


def _bounds(parameter: Parameter) -> dict[str, Any]:
    """Return the bounds of a parameter: each end has a sign, a constant, and what a point and a feature add to it."""
    signs = (">=" if parameter.lower_allowed else ">", "<=" if parameter.upper_allowed else "<")
    ends = [(sign, *_linear(end)) for sign, end in zip(signs, (parameter.lower, parameter.upper), strict=True)]
    finite = [end for end in ends if math.isfinite(end[1])]
    return {"ends": finite, "integer": parameter.integer, "choices": parameter.values}


def _linear(bound: Bound) -> tuple[float, float, float]:
    if not callable(bound):
        return float(bound), 0.0, 0.0
    origin = bound(Size(0, 0))
    slopes = bound(Size(1, 0)) - origin, bound(Size(0, 1)) - origin
    assert bound(Size(7, 5)) == origin + 7 * slopes[0] + 5 * slopes[1], "only such bounds can be written"
    return float(origin), float(slopes[0]), float(slopes[1])


def _defaults(algorithm: str) -> dict[str, Any]:
    """Return the options of an algorithm that a written configuration leaves out, as they would be written."""
    plain = RunConfig(algorithm)
    return {**vars(plain), "partition": plain.partition.to_dict()}
