"""``dpviz reproduce``: run a study of a paper, and compare its numbers with the printed ones."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
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
from dpviz.analysis.studies.study import Size
from dpviz.cli.cluster import Watch, cluster
from dpviz.cli.interrupts import bare_interrupts, end_workers, exit_code
from dpviz.cli.outputs import check_folder, check_out, kept_from_loss, progress_line
from dpviz.cli.rescue import deliver
from dpviz.datasets.tables.export import csv_text
from dpviz.errors import DpvizError
from dpviz.text import quoted

SUFFIXES = (".json", ".csv")


def reproduce_command(options: argparse.Namespace) -> int:
    """Run a study; without a name, list the studies."""
    if options.name is None:
        deliver("".join(f"{study.name:<24}{study.title} ({study.place})\n" for study in STUDIES.values()), None)
        return 0
    study = study_named(options.name)
    changes = {} if options.repetitions is None else {"repetitions": options.repetitions}
    size = study.size(options.size, **changes)
    files = dict(options.data)
    cells, missing = runnable(study, size, files)
    for name in missing:
        print(f"dpviz: left out, as {name} is not shipped: give --data {name}=PATH", file=sys.stderr)
    _check_folder(options.out, study, files.values())
    before = _found_before(options.out, study, size)
    own = [cell for cell in cells if cell.key in before and cell.source.kind != "file"]  # a file may be another by now
    code, records = 0, {cell.key: before[cell.key] for cell in own}
    left = [cell for cell in cells if cell.key not in records]
    n_before = len(records)
    if n_before:
        print(f"dpviz: going on from {n_before:,} of {len(cells):,} in {options.out}", file=sys.stderr)
    seconds = expected_seconds(study, size) * len(left) / max(1, len(study.cells(**size)))
    if math.isfinite(seconds) and left:
        print(f"dpviz: {len(left):,} runs, measured as {duration(seconds)} of one core", file=sys.stderr)
    with cluster(options.scheduler) as watch, progress_line(options.progress) as show:
        begun = time.perf_counter()
        try:
            with bare_interrupts():
                for record in run_cells(left, files, options.jobs):
                    records[record.key] = record
                    show(str(Progress(len(records) - n_before, len(left), time.perf_counter() - begun)))
        except (KeyboardInterrupt, CancelledError) as interrupt:
            code = _ended(interrupt, watch, options)
    if code:
        print(f"dpviz: ended early; {len(records):,} of {len(cells):,} done are kept", file=sys.stderr)
    if records or not code:
        results = Results.gathered(study, size, records.values(), missing, _command(options, files))
        written = _deliver(study, results, options.out, interrupted=bool(code))
        code = code or int(not written)
    return code


def _found_before(out: str | None, study: Study, size: Size) -> dict[tuple[str, str, int], Record]:
    """Return what interrupted commands left in the folder, of the same study and size, and of the same versions.

    What is older than results that are complete is left: the study is run anew.
    """
    same, finished = [], -math.inf
    for path in [] if out is None else sorted(Path(out).glob(f"{study.name}*.json")):
        with suppress(DpvizError, OSError, UnicodeDecodeError):  # the files of others
            found, changed = Results.from_json(path.read_text("utf-8")), path.stat().st_mtime
            if (found.digest, found.versions) != (study.digest(size), present_versions()):
                continue
            if found.complete:
                finished = max(finished, changed)
            else:
                same.append((changed, found))
    return {record.key: record for changed, found in same if changed > finished for record in found.records}


def _ended(interrupt: BaseException, watch: Watch | None, options: argparse.Namespace) -> int:
    lost = isinstance(interrupt, CancelledError) or (watch is not None and watch.scheduler_lost)
    if watch is not None:
        watch.stop()
    elif options.jobs != 1:
        end_workers()
    return 1 if lost else exit_code(interrupt)


def _check_folder(out: str | None, study: Study, sources: Iterable[str]) -> None:
    """Make the folder, and raise before anything runs if its files cannot be written."""
    if out is None:
        return
    check_folder(out)
    for suffix in SUFFIXES:
        check_out(str(Path(out) / f"{study.name}{suffix}"), SUFFIXES, sources)


def _command(options: argparse.Namespace, files: Mapping[str, str]) -> str:
    """Return the command that makes these results anywhere: paths, processes and places of this machine left out."""
    parts = ["dpviz reproduce", options.name, f"--{options.size}"]
    parts += [] if options.repetitions is None else [f"--repetitions {options.repetitions}"]
    return " ".join([*parts, *(f"--data {name}=PATH" for name in files)])


def _deliver(study: Study, results: Results, out: str | None, interrupted: bool) -> bool:
    """Write all results into the folder, never over older ones if interrupted, and print the tables.

    Returns
    -------
    bool
        Whether everything is where it should be.
    """
    written = True
    texts = {} if out is None else {".json": results.to_json(), ".csv": csv_text(results.to_frame())}
    for suffix, text in texts.items():
        path = str(Path(out or "") / f"{study.name}{suffix}")
        asked = kept_from_loss(path) if interrupted else path
        written &= deliver(text, asked) == asked
    # Last: the reader of stdout may have gone.
    return deliver(tables_in_words(study, results), None) is None and written


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
                "digits": _signed(c.digits, 0),
                "z": _signed(c.z, 1),
                "differs": c.mark,
            }
            for c in compared(table, results)
        ]
        parts.append(f"{study.paper}, {table.name}: {table.title}\n{pd.DataFrame(rows).to_string(index=False)}\n")
        parts += [f"{sentence}\n" for sentence in words_on_settings(table, results)]
    return "\n".join(parts)


def _signed(distance: float, decimals: int) -> str:
    return f"{distance:+,.{decimals}f}" if math.isfinite(distance) else ""


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
