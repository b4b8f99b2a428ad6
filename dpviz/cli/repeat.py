"""Commands that make a run and its report again, for a page that is published: they name no folder."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from dpviz.cli.inputs import STANDARD_INPUT
from dpviz.engine.trace import Trace

CONFIG, PAGE = "config.json", "report.html"
"""Files of the configuration, and of a report that went to standard output."""


def commands_to_repeat(
    options: argparse.Namespace, trace: Trace, scaling: str | None, merged: tuple[int, str] | None
) -> str:
    """Return the commands that make a run from its configuration, and then its report.

    Parameters
    ----------
    options : argparse.Namespace
        Of the report.
    trace : Trace
    scaling : str or None
        Of the columns for this run; None if it is not known.
    merged : tuple of int and str or None
        To how many clusters those that were found are joined, and by which order.
    """
    run, is_file = Path(options.run).name, Path(options.data).is_file()
    data = Path(options.data).name if is_file and options.data != STANDARD_INPUT else options.data
    columns = _columns(options, scaling or options.scaling)
    joins = [] if merged is None else ["--merge", str(merged[0]), "--merge-by", merged[1]]
    words = [
        ["dpviz", "run", data, *columns, "--config", CONFIG, *joins, "--out", run],
        ["dpviz", "report", run, "--data", data, *columns, *["--quick"] * options.quick,
         "--out", Path(options.out or PAGE).name],
    ]  # fmt: skip
    stopped = trace.n_sweeps < trace.config.n_sweeps and trace.is_chain
    remark = "; the run was stopped early, and this makes the whole one" if stopped else ""
    return "\n".join([f"# {CONFIG} holds the configuration below{remark}", *map(shlex.join, words)])


def _columns(options: argparse.Namespace, scaling: str) -> list[str]:
    """Return the options by which the table was read."""
    words = []
    for name, value in (("label", options.label), ("missing", options.missing), ("scaling", scaling)):
        words += [] if value is None else [f"--{name}={value}"]
    for name, names in (("features", options.features), ("exclude", options.exclude)):
        words += [f"--{name}={','.join(names)}"] if names else []
    return [*words, *["--repair"] * options.repair]
