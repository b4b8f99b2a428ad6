"""Commands that make a run and its report again, for a page that is published: they name no folder."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from dpviz.analysis.stored_reading import Reading
from dpviz.cli.inputs import DROP, STANDARD_INPUT, keeps_gaps
from dpviz.cli.reading_options import as_options, asked_kinds, asked_reading
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.periods import period_of

CONFIG, PAGE = "config.json", "report.html"
"""Files of the configuration, and of a report that went to standard output."""


def commands_to_repeat(
    options: argparse.Namespace,
    trace: Trace,
    data: Dataset,
    reading: Reading | None,
    scaling: str | None,
    merged: tuple[int, str] | None,
) -> str:
    """Return the commands that make a run from its configuration, and then its report.

    Parameters
    ----------
    options : argparse.Namespace
        Of the report.
    trace : Trace
    data : Dataset
        Of the run.
    reading : Reading or None
        How the run says that its file was read, if that was done for the report, so that no option has to say it.
    scaling : str or None
        Of the columns for this run; None if it is not known.
    merged : tuple of int and str or None
        To how many clusters those that were found are joined, and by which order.
    """
    run, is_file = Path(options.run).name, Path(options.data).is_file()
    file = Path(options.data).name if is_file and options.data != STANDARD_INPUT else options.data
    asked = _columns(options, scaling or options.scaling)
    columns = asked if reading is None else _columns_of(reading, trace, data)
    joins = [] if merged is None else ["--merge", str(merged[0]), "--merge-by", merged[1]]
    words = [
        ["dpviz", "run", file, *columns, "--config", CONFIG, *joins, "--out", run],
        [
            "dpviz",
            "report",
            run,
            "--data",
            file,
            *(asked if reading is None else []),
            *["--quick"] * options.quick,
            "--out",
            Path(options.out or PAGE).name,
        ],
    ]
    stopped = trace.n_sweeps < trace.config.n_sweeps and trace.is_chain
    remark = "; the run was stopped early, and this makes the whole one" if stopped else ""
    lines = [f"# {CONFIG} holds the configuration below{remark}", *map(shlex.join, words)]
    accepted = () if reading is None else dict(reading.choices).get("accepted", ())
    if any(not isinstance(value, str) or period_of(value) is not None for _, value in accepted):
        lines.insert(1, "# cells or rows of the table were changed as proposed: save it without them first")
    return "\n".join(lines)


def _columns(options: argparse.Namespace, scaling: str) -> list[str]:
    """Return the options by which the table was read."""
    words = []
    for name, value in (("label", options.label), ("missing", options.missing), ("scaling", scaling)):
        words += [] if value is None else [f"--{name}={value}"]
    for name, names in (("features", options.features), ("exclude", options.exclude)):
        words += [f"--{name}={','.join(names)}"] if names else []
    words += [f"--kind={name}={kind}" for name, kind in asked_kinds(options).items()]
    return [*words, *["--repair"] * options.repair, *as_options(asked_reading(options).items())]


def _columns_of(reading: Reading, trace: Trace, data: Dataset) -> list[str]:
    """Return the options by which a run reads its table as it did."""
    words = [] if reading.label is None else [f"--label={reading.label}"]
    usual = keeps_gaps(None, [trace.config.algorithm]) is not False
    words += [f"--missing={DROP}"] if usual and not reading.gaps else []
    named = not any("," in name for name in reading.names)  # the option has commas between names
    words += [f"--features={','.join(reading.names)}"] if named else []
    words += [f"--kind={name}={kind}" for name, kind in reading.corrected(data).items()]
    return [*words, f"--scaling={reading.scaling}", *["--repair"] * reading.repair, *as_options(reading.choices)]
