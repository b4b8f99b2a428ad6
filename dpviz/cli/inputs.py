"""What the options mean: data, configuration, axes of a grid."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import dpviz
from dpviz.analysis.grids import Axis
from dpviz.analysis.parameters import variable_parameters, with_parameter
from dpviz.config import STARTS, RunConfig
from dpviz.datasets import Dataset, tables
from dpviz.errors import InvalidDataError, InvalidParameterError

SYNTHETIC = "synthetic:"
# The concentration comes before what turns the Chinese restaurant into another prior of equal concentration.
NUMBERS = ("concentration", "power", "discount", "n_components", "penalty", "n_clusters", "temperature")
OPTIONS = ("family", "init", "init_clusters", "n_init", "max_sweeps", "order", "n_sweeps", "burn_in", "thin", "sampler",
           "seed")  # fmt: skip


def option_name(name: str) -> str:
    """Write a parameter's name as an option."""
    return "--" + name.replace("_", "-")


def read_data(
    name: str, label: str | None = None, features: Sequence[str] | None = None, *, repair: bool = False
) -> Dataset:
    """Read a file, a bundled data set, or draw ``synthetic:SCENARIO``.

    Parameters
    ----------
    name : str
    label : str, optional
        Column of a file that holds the reference groups.
    features : sequence of str, optional
        Columns of a file to cluster.
    repair : bool
        Whether to read a file that is no clean table; what was repaired is among the notes of the data set.

    Raises
    ------
    DpvizError
        If there is none of that name, or it cannot be clustered.
    """
    path = Path(name)
    if path.is_file():
        table = tables.read_table(path.read_bytes(), path.name, repair=repair)
        return tables.to_dataset(table, label=label, features=features)
    if label is not None or features is not None:
        raise InvalidParameterError(f"--label and --features choose columns of a file, and {name!r} is none.")
    if name.startswith(SYNTHETIC):
        return dpviz.datasets.synthesize(name.removeprefix(SYNTHETIC))
    if name in dpviz.datasets.names():
        return dpviz.datasets.load(name)
    raise InvalidDataError(
        f"{name!r} is neither a file nor a bundled data set ({', '.join(dpviz.datasets.names())}). "
        f"Or write {SYNTHETIC}SCENARIO with one of {', '.join(dpviz.datasets.SCENARIOS)}."
    )


def configuration(options: argparse.Namespace, data: Dataset, algorithm: str | None, strict: bool = True) -> RunConfig:
    """Build the configuration that the options describe.

    Parameters
    ----------
    options : argparse.Namespace
    data : Dataset
    algorithm : str or None
        None takes the one of ``--config``, or mapdp.
    strict : bool
        Whether a number that the algorithm does not have is an error, rather than meant for another algorithm.

    Raises
    ------
    DpvizError
    """
    base = RunConfig() if options.config is None else RunConfig.from_json(Path(options.config).read_text("utf-8"))
    if algorithm is not None and algorithm != base.algorithm:
        kept = {key: value for key, value in base.to_dict().items() if key not in ("init", "n_init", "temperature")}
        base = RunConfig.from_dict({**kept, "algorithm": algorithm})
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name) is not None}
    if not strict and given.get("init") not in STARTS[base.algorithm]:
        given.pop("init", None)
    if options.prior:
        given["prior"] = {**(base.prior_dict or {}), **dict(options.prior)}
    config = replace(base, **given)
    for name in NUMBERS:
        value = getattr(options, name)
        if value is not None and (strict or name in variable_parameters(config)):
            config = with_parameter(config, name, value, data.X)
    return config


def grid_axes(options: argparse.Namespace) -> tuple[Axis, ...]:
    """Pair every ``--parameter`` with its ``--values`` or ``--range``."""
    given = options.axes or []
    if len(given) != len(options.parameter):
        raise InvalidParameterError(
            f"--parameter is given {len(options.parameter)} times and --values or --range {len(given)} times; "
            "each parameter needs one of them, in the same order."
        )
    axes = []
    for parameter, values in zip(options.parameter, given, strict=True):
        if isinstance(values, tuple):
            axes.append(Axis(parameter, values))
            continue
        lower, upper, n_values = values
        spaced = Axis.logarithmic if options.log else Axis.linear
        axes.append(spaced(parameter, lower, upper, int(n_values) if n_values == int(n_values) else n_values))
    return tuple(axes)
