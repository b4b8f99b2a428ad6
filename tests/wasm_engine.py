"""The browser's engine in wasmtime, from a configuration to a record that compares with a trace."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache

import numpy as np
import wasmtime
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.browser import columns_of, module_bytes
from dpviz.browser.layout import (
    ALGORITHMS,
    CENTRES_ONLY,
    COLUMNS,
    ENGINE,
    KEPT,
    LAWS,
    ORDERS,
    PARTITIONS,
    PLACES,
    ROW,
    SETTINGS,
    SHAPE,
    STARTS,
    SUMMARY,
)

NAMES = ("n_clusters", "n_moved", "n_born", "n_died", "nll", "objective")


@dataclass(frozen=True)
class Record:
    """What the engine recorded of its best start: labels (R, N), and rows by the names of ``ROW``."""

    labels: np.ndarray
    rows: dict[str, np.ndarray]
    sizes: list[np.ndarray]
    chosen_start: int
    converged: bool


@cache
def instance(name=ENGINE):
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, module_bytes(name))
    return store, wasmtime.Instance(store, module, []).exports(store)


def lent(content, module):
    """Write an array to a module's memory; return its address."""
    store, exports = instance(module)
    address = exports["reserve"](store, max(content.nbytes, 8))
    assert address
    exports["memory"].write(store, content.tobytes(), address)
    return address


def taken(address, like, module):
    """Read an array like this one back, and give its memory back."""
    store, exports = instance(module)
    raw = exports["memory"].read(store, address, address + like.nbytes)
    exports["release"](store, address)
    return np.frombuffer(raw, dtype=like.dtype)


def called(question, config, *arguments, filled, slices=None):
    """Ask with numbers and with arrays, each with its length; return the answer, and the filled arrays.

    In slices, each of so many operations, it is asked until it answers 0.
    """
    name = f"{question}_{config.family if config.algorithm in ('mapdp', 'gibbs') else CENTRES_ONLY}"
    module = COLUMNS if config.family == "mixed" else ENGINE
    store, exports = instance(module)
    addresses = {place: lent(given, module) for place, given in enumerate(arguments) if isinstance(given, np.ndarray)}
    numbers = [
        number
        for place, given in enumerate(arguments)
        for number in ((addresses[place], len(given)) if place in addresses else (given,))
    ]
    found = []
    if slices is None:
        status = exports[name](store, *numbers)
    else:
        answers = (exports[name](store, *numbers, most) for most in slices)
        status = next((answer for answer in answers if answer <= 0), 1)
    for place, address in addresses.items():
        contents = taken(address, arguments[place], module)
        if any(arguments[place] is array for array in filled):
            found.append(contents)
    return status, found


def starting(config):
    """Return the kind of start, the labels if they are given, and whether all restarts would be equal."""
    kind = config.init if isinstance(config.init, str) else ("labels", "centres")[np.ndim(config.init) - 1]
    fixed = kind in ("labels", "centres", "single", "singletons", "sequential") and config.order == "index"
    return kind, fixed and not config.temperature


def hyperparameters(config, n_features):
    """Return the blocks of hyperparameters, NaN where they are not given, and the width."""
    D, share = n_features, np.nan
    first = {"location": 0, "weight": D, "shape": D + 1, "spread": D + 2, "between": D + 2 + D * D}
    blocks = np.full(D + 2 + 2 * D * D, np.nan)
    for name, value in config.prior or ():
        if name == "width":
            share = value
            continue
        place, numbers = first[PLACES[config.family][name]], np.ravel(value)
        if len(numbers) == 1 and name in ("m0", "mu0", "b0"):
            numbers = np.repeat(numbers, D)
        blocks[place : place + len(numbers)] = numbers
    return blocks, share


def growth_of(partition, n_points):
    """Return the growth that comes with a prior, and those numbers of it that are settings."""
    growth = np.zeros(n_points)
    if partition.name == "generalized":
        growth = partition.join_table(n_points)[1:]
    numbers = {"partition": PARTITIONS.index(partition.name), "concentration": partition.concentration}
    numbers["second"] = getattr(partition, "discount", getattr(partition, "power", np.nan))
    return growth, {**numbers, "n_components": getattr(partition, "n_components", np.nan)}


def laws_of(config):
    """Return the laws of learned parameters as settings."""
    numbers = {}
    for name, law in config.hyperpriors or ():
        plain, start = getattr(law, "law", law), "law" if name == "concentration" else "second"
        first, second = (getattr(plain, field.name) for field in fields(plain))
        numbers["law" if start == "law" else "second_law"] = LAWS.index(plain.name)
        numbers |= {f"{start}_first": first, f"{start}_second": second}
        numbers[f"{start}_origin"] = np.nan if law is plain else law.origin
    return numbers


def arguments(X, config):
    """Write a run as the driver's settings and values, and a table of columns of its kinds; return the most sweeps."""
    own = columns_of(X, config.kinds) if config.family == "mixed" else None
    if own:
        X = own.numbers[: len(X) * own.n_coordinates].reshape(len(X), -1)
    n_points, n_features = X.shape
    kind, once = starting(config)
    n_clusters = config.n_clusters if config.algorithm == "kmeans" else config.init_clusters
    sweeps = config.n_sweeps if config.algorithm == "gibbs" else config.max_sweeps
    numbers = dict.fromkeys(SETTINGS, np.nan) | {
        "algorithm": ALGORITHMS.index(config.algorithm),
        "n_points": n_points,
        "n_features": n_features,
        "start": STARTS.index(kind),
        "seed": config.seed,
        "n_starts": 1 if once else config.n_init or 1,
        "order": ORDERS.index(config.order),
        "max_sweeps": sweeps,
        "temperature": config.temperature or 0.0,
        "burn_in": config.burn_in,
        "thin": config.thin,
        "one_point": config.first_sweep == "one_point",
        "penalty": config.penalty,
        "until_birth": config.sweep == "until_birth",
        "split_merge": config.split_merge or 0,
        "n_clusters": np.nan if n_clusters is None else n_clusters,
        "effort": config.effort or 0.0,
    }
    blocks, growth = np.full(n_features + 2 + 2 * n_features**2, np.nan), np.zeros(n_points)
    if config.algorithm in ("mapdp", "gibbs"):
        blocks, numbers["width"] = hyperparameters(config, n_features)
        known = {} if own is None else own.tables["operations"]
        numbers["operations"] = known.get(config.family, [dpviz.FAMILIES[config.family].operations(n_features)])[0]
        growth, of_prior = growth_of(config.partition, n_points)
        numbers = {**of_prior, **{name: value for name, value in numbers.items() if not np.isnan(value)}}
        numbers = dict.fromkeys(SETTINGS, np.nan) | numbers | laws_of(config)
    labels = np.unique(config.init, return_inverse=True)[1] if kind == "labels" else np.zeros(n_points)
    centres = np.ravel(config.init) if kind == "centres" else np.zeros(0)
    settings = np.array([float(numbers[name]) for name in SETTINGS])
    values = np.concatenate([X.ravel(), blocks, labels, growth, centres])
    return (settings, values, *([own.numbers[X.size :]] if own else [])), sweeps


def run(X, config, slices=(math.inf,)):
    """Run a configuration in the browser's engine, in slices of so many operations; None if they do not suffice."""
    run_of, sweeps = arguments(X, config)
    n_points, rows, halves = len(X), sweeps + 1, 1 + (run_of[0][SETTINGS.index("n_starts")] > 1)
    labels, table = np.zeros((halves, rows, n_points), np.int32), np.zeros((halves, rows, len(ROW)))
    filled = (labels.ravel(), table.ravel(), np.zeros(len(SUMMARY)), np.zeros(KEPT))
    status, found = called("run", config, *run_of, *filled, filled=filled, slices=slices)
    if status != 0:
        return None
    summary = dict(zip(SUMMARY, found[2].tolist(), strict=True))
    best, n_rows = int(1 - summary["writing"]), int(summary["n_rows"])
    labels = found[0].reshape(labels.shape)[best, :n_rows]
    table = found[1].reshape(table.shape)[best, :n_rows]
    columns = {name: table[:, position] for position, name in enumerate(ROW)}
    sizes = [np.bincount(row, minlength=int(n)) for row, n in zip(labels, columns["n_sizes"], strict=True)]
    return Record(labels, columns, sizes, int(summary["chosen_start"]), bool(summary["converged"]))


def scores(X, config, labels, point):
    """Return the log predictives and log weights of all clusters and a new one."""
    run_of, _ = arguments(X, config)
    found = np.zeros(2 * max(labels) + 4)
    n_clusters, (numbers,) = called("scores", config, *run_of, np.int32(labels), point, found, filled=[found])
    return numbers[: n_clusters + 1], numbers[n_clusters + 1 : 2 * n_clusters + 2]


def places(X, config, labels, where):
    """Return the log predictives of places (P, C), the log weights (C,), and taker, margin and cost (P,) of each."""
    run_of, _ = arguments(X, config)
    filled = [np.zeros((len(where) + 1) * (max(labels) + 2)), np.zeros(3 * len(where))]
    count, (numbers, taken_by) = called(
        "places", config, *run_of, np.int32(labels), np.ravel(where), *filled, filled=filled
    )
    table = numbers[: (len(where) + 1) * count].reshape(-1, count)
    return table[:-1], table[-1], taken_by.reshape(-1, 3).T


def shapes(X, config, labels, directions, origin):
    """Return the numbers (M, len(SHAPE)) of the clusters of partitions (R, N), and where each begins (R + 1,)."""
    run_of, _ = arguments(X, config)
    plane, most = np.concatenate([np.ravel(directions), origin]), int((np.max(labels, axis=1) + 1).sum())
    given = (np.int32(labels).ravel(), plane, np.zeros(most * len(SHAPE)), np.zeros(len(labels) + 1, np.int32))
    count, (numbers, offsets) = called("shapes", config, *run_of, *given, filled=given[2:])
    return numbers.reshape(-1, len(SHAPE))[:count], offsets


def visits(X, config, start, sweep, n_visits, width=40):
    """Return the visits (V, 3) of a sweep, candidates and costs (V, C), and the nll after each."""
    run_of, _ = arguments(X, config)
    filled = [np.zeros(n_visits * size, kind) for size, kind in ((3, "i4"), (width, "i4"), (width, "f8"), (1, "f8"))]
    count, (visited, *table, nll) = called("visits", config, *run_of, start, sweep, *filled, filled=filled)
    assert 0 < count <= width, count
    return visited.reshape(-1, 3), *(numbers.reshape(-1, width)[:, :count] for numbers in table), nll


def assert_equal_to_the_servers(X, config):
    """Run a configuration in both homes and compare everything that a record holds."""
    trace, record = dpviz.run(X, config), run(X, config)
    assert (len(record.labels), record.chosen_start) == (trace.n_sweeps + 1, trace.chosen_start)
    assert_array_equal(record.labels[trace.label_sweeps], trace.labels)
    for name in NAMES[:4]:
        assert_array_equal(record.rows[name], getattr(trace, name), err_msg=name)
    floor = 1e-12 * float(np.var(X)) * X.size  # where every point is its own centre, a sum of squares is rounding only
    for name, smallest in (("nll", 0.0), ("objective", floor if np.isnan(trace.nll).all() else 0.0)):
        assert_allclose(record.rows[name], getattr(trace, name), rtol=1e-12, atol=smallest, err_msg=name)
    for sweep, sizes in enumerate(record.sizes):
        assert_array_equal(sizes, trace.sizes(sweep))
    for name, values in trace.hyperparameters.items():
        place = "concentration" if name == "concentration" else "second"
        assert_allclose(record.rows[place], values, rtol=1e-12, err_msg=name)
    return record
