"""``dpviz reproduce``: run a study of a paper, and compare its numbers with the printed ones."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpviz.analysis.grids import Progress, duration
from dpviz.analysis.studies import (
    STUDIES,
    Record,
    Results,
    Study,
    compared,
    expected_seconds,
    run_cells,
    runnable,
    study_named,
)
from dpviz.analysis.studies.comparison import words_on_settings
from dpviz.analysis.studies.results import present_versions
from dpviz.analysis.studies.study import Size, StudyCell
from dpviz.cli.cluster import cluster, ended
from dpviz.cli.interrupts import bare_interrupts
from dpviz.cli.outputs import check_folder, check_out, progress_line, unused
from dpviz.cli.rescue import deliver
from dpviz.datasets.tables.export import csv_text
from dpviz.errors import DpvizError, require
from dpviz.files import write_whole
from dpviz.text import counted, quoted

SUFFIXES = (".json", ".csv")
Key = tuple[str, str, int]
EVERY = "all"
"""Name that stands for all studies."""
SAVED_EVERY = 30.0
"""Seconds of work, and one cell's, that are lost at most when the command is killed."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be run of a study, and where it goes.

    Attributes
    ----------
    study : Study
    size : Size
    files : dict of str to str
        Paths of its tables that are not shipped.
    missing : list of str
        Names of those that were not given.
    before : dict of key to Record
        What was found earlier.
    ended : list of Path
        Files of ended runs that hold it, and nothing else.
    left : list of StudyCell
    asked, kept : dict of str to str
        Files by suffix: those asked for, and those of an ended run, which replace none; none for stdout.
    """

    study: Study
    size: Size
    files: dict[str, str]
    missing: list[str]
    before: dict[Key, Record]
    ended: list[Path]
    left: list[StudyCell]
    asked: dict[str, str]
    kept: dict[str, str]

    @property
    def n_cells(self) -> int:
        """Runs that can be done here, those that are done included."""
        return len(self.before) + len(self.left)

    @property
    def seconds(self) -> float:
        """Processor time that it is expected to take; NaN if that was not measured."""
        whole = self.study.cells(**self.size)
        return expected_seconds(self.study, self.size) * len(self.left) / len(whole) if self.left else 0.0


def reproduce_command(options: argparse.Namespace) -> int:
    """Run a study, or all, one after the other; without a name, list the studies."""
    if options.name is None:
        deliver("".join(f"{study.name:<24}{study.title} ({study.place})\n" for study in STUDIES.values()), None)
        return 0
    plans = [_plan(name, options) for name in (STUDIES if options.name == EVERY else [options.name])]
    unused = sorted(set(dict(options.data)) - {name for plan in plans for name in plan.files})
    require(not unused, "--data", ", ".join(unused), "left out: no study needs it")
    for plan in plans:
        for name in plan.missing:
            print(f"dpviz: left out, as {name} is not shipped: give --data {name}=PATH", file=sys.stderr)
    if len(plans) > 1:
        print(f"dpviz: {counted(len(plans), 'experiment')}: {_lasts(plans)}", file=sys.stderr)
    codes = [0]
    for plan in plans:
        code, early = _run(plan, options)
        if early:
            return code
        codes.append(code)
    return max(codes)


def _plan(name: str, options: argparse.Namespace) -> Plan:
    """Find what is left to do, and raise before anything runs if it cannot be done."""
    study, files = study_named(name), dict(options.data)
    size = study.size(options.size, **({} if options.repetitions is None else {"repetitions": options.repetitions}))
    if options.name == EVERY:
        asked_for = {cell.source.name for cell in study.cells(**size) if cell.source.kind == "file"}
        files = {name: path for name, path in files.items() if name in asked_for}
    cells, missing = runnable(study, size, files)
    _check_folder(options.out, study, files.values())
    found, ended = _found_before(options.out, study, size, with_complete=options.name == EVERY)
    # a file may be another by now
    before = {cell.key: found[cell.key] for cell in cells if cell.key in found and cell.source.kind != "file"}
    left = [cell for cell in cells if cell.key not in before]
    asked = {} if options.out is None else {end: str(Path(options.out) / f"{name}{end}") for end in SUFFIXES}
    kept = unused(Path(options.out) / name, SUFFIXES) if asked else {}
    return Plan(study, size, files, missing, before, ended, left, asked, kept)


def _lasts(plans: Iterable[Plan]) -> str:
    """Say how many runs there are, and how long they took where that was measured."""
    seconds, n_left = sum(plan.seconds for plan in plans), sum(len(plan.left) for plan in plans)
    measured = f", measured as {duration(seconds)} of one core" if seconds > 0 else ""
    return f"{counted(n_left, 'run')}{measured}"


def _run(plan: Plan, options: argparse.Namespace) -> tuple[int, bool]:
    """Run what is left of a study, and write and print its results.

    Returns
    -------
    code : int
        Of the command's exit.
    early : bool
        Whether it was ended early.
    """
    code, records, name = 0, dict(plan.before), plan.study.name
    if plan.asked and not (plan.left or plan.ended) and all(Path(file).exists() for file in plan.asked.values()):
        print(f"dpviz: {name} is complete in {options.out}", file=sys.stderr)  # perhaps with tables not given now
        return 0, False

    def results() -> Results:
        return Results.gathered(plan.study, plan.size, records.values(), plan.missing, _command(plan, options))

    if plan.before:
        print(f"dpviz: {name}, going on from {len(records):,} of {plan.n_cells:,} in {options.out}", file=sys.stderr)
    if plan.left:
        print(f"dpviz: {name}, {_lasts([plan])}", file=sys.stderr)
    with cluster(options.scheduler) as watch, progress_line(options.progress) as show:
        begun = saved = time.perf_counter()
        try:
            with bare_interrupts():
                for n_done, record in enumerate(run_cells(plan.left, plan.files, options.jobs), 1):
                    records[record.key], now = record, time.perf_counter()
                    show(str(Progress(n_done, len(plan.left), now - begun)))
                    if plan.kept and now - saved > SAVED_EVERY:
                        saved = now
                        with suppress(OSError):  # a full disk is said at the end
                            write_whole(plan.kept[".json"], results().to_json())
        except (KeyboardInterrupt, CancelledError) as interrupt:
            code, _ = ended(interrupt, watch, options.jobs)
    early = bool(code)
    if early:
        print(f"dpviz: ended early; {len(records):,} of {plan.n_cells:,} done are kept", file=sys.stderr)
    if records or not early:
        written = _deliver(results(), plan.kept if early else plan.asked)
        code = code or int(not written)
        if written and not early:
            _remove_saved(plan)
    return code, early


def _remove_saved(plan: Plan) -> None:
    """Remove what was saved on the way, now that the whole is where it was asked for."""
    saved = [*plan.ended, *map(Path, plan.kept.values())]
    asked = {Path(path) for path in plan.asked.values()}
    for path in {file.with_suffix(end) for file in saved for end in SUFFIXES} - asked:
        path.unlink(missing_ok=True)


def _found_before(
    out: str | None, study: Study, size: Size, with_complete: bool
) -> tuple[dict[Key, Record], list[Path]]:
    """Return what interrupted commands left in the folder, of the same study, size and versions, and their files.

    Unless what is complete is wanted too, that and what is older is left: the study is run anew.
    """
    same, finished = [], -math.inf
    for path in [] if out is None else sorted(Path(out).glob(f"{study.name}*.json")):
        with suppress(DpvizError, OSError, UnicodeDecodeError):  # the files of others
            found, changed = Results.from_json(path.read_text("utf-8")), path.stat().st_mtime
            if (found.digest, found.versions) != (study.digest(size), present_versions()):
                continue
            if found.complete and not with_complete:
                finished = max(finished, changed)
            else:
                same.append((changed, path, found))
    newer = [(path, found) for changed, path, found in same if changed > finished]
    records = {record.key: record for _, found in newer for record in found.records}
    return records, [path for path, found in newer if not found.complete]


def _check_folder(out: str | None, study: Study, sources: Iterable[str]) -> None:
    """Make the folder, and raise before anything runs if its files cannot be written."""
    if out is None:
        return
    check_folder(out)
    for suffix in SUFFIXES:
        check_out(str(Path(out) / f"{study.name}{suffix}"), SUFFIXES, sources)


def _command(plan: Plan, options: argparse.Namespace) -> str:
    """Return the command that makes these results anywhere: paths, processes and places of this machine left out."""
    parts = ["dpviz reproduce", plan.study.name, f"--{options.size}"]
    parts += [] if options.repetitions is None else [f"--repetitions {options.repetitions}"]
    return " ".join([*parts, *(f"--data {name}=PATH" for name in plan.files)])


def _deliver(results: Results, files: Mapping[str, str]) -> bool:
    """Write all results into files by their suffix, and print the tables.

    Returns
    -------
    bool
        Whether everything is where it should be.
    """
    texts = {".json": results.to_json(), ".csv": csv_text(results.to_frame())} if files else {}
    written = [deliver(texts[suffix], path) == path for suffix, path in files.items()]
    # Last: the reader of stdout may have gone.
    return deliver(tables_in_words(study_named(results.study), results), None) is None and all(written)


def tables_in_words(study: Study, results: Results) -> str:
    """Write the tables of a study: the paper's numbers, ours with two standard deviations, and how far they are apart.

    That is in units of the last printed digit, in standard deviations, and by the marks ≠ and ≈ of :class:`Compared`.
    """
    parts = []
    for table in study.tables:
        rows = [
            {
                "": c.entry.row,
                " ": c.entry.column,
                "paper": c.printed_words,
                "here": c.words,
                "digits": c.digits_words,
                "z": c.z_words,
                "differs": c.mark,
            }
            for c in compared(table, results)
        ]
        parts.append(f"{study.paper}, {table.name}: {table.title}\n{pd.DataFrame(rows).to_string(index=False)}\n")
        parts += [f"{sentence}\n" for sentence in words_on_settings(table, results)]
    return "\n".join(parts)


def size_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of a study."""
    size = command.add_mutually_exclusive_group()
    size.add_argument(
        "--quick",
        dest="size",
        action="store_const",
        const="quick",
        default="quick",
        help="few repetitions, to see that it works; this is the default",
    )
    size.add_argument(
        "--full",
        dest="size",
        action="store_const",
        const="full",
        help="as many as the paper has, or enough for its digits; default: --quick",
    )
    command.add_argument("--repetitions", type=int, metavar="N", help="draws of the data; default: those of the size")
    command.add_argument(
        "--data",
        type=_assigned,
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="where a table is that does not come with dpviz, as CSV with a column label; may be "
        "repeated; default: its rows are left out",
    )


def _assigned(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"{quoted(text)} must be NAME=PATH")
    return name, path
