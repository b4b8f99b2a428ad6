"""Output of the commands: runs, labels, tables, and a line of progress."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd

from dpviz.analysis.labelled_table import labelled_table
from dpviz.analysis.stored_choice import with_undecided
from dpviz.analysis.stored_merge import with_merge
from dpviz.analysis.stored_notes import with_notes
from dpviz.analysis.stored_reading import Reading
from dpviz.arrays import FloatArray
from dpviz.cli.inputs import STANDARD_INPUT
from dpviz.cli.merges import Merged
from dpviz.cli.rescue import deliver
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.datasets.tables.export import csv_text
from dpviz.engine.trace import Trace
from dpviz.engine.trace_words import acceptance_in_words, moves_in_words, search_end_in_words
from dpviz.errors import InvalidParameterError, refused, require
from dpviz.files import is_written_to, target_of, unfinished
from dpviz.fit.small_clusters import small_clusters_in_words
from dpviz.metrics import ari, nmi
from dpviz.text import counted


def trace_json(
    data: Dataset,
    trace: Trace,
    joined: Merged | None = None,
    reading: Reading | None = None,
    notes: Sequence[str] = (),
    undecided: Sequence[str] | None = None,
) -> str:
    """Write the whole run, what its clusters were joined to, how its file was read, and how its model was chosen."""
    text = with_undecided(with_notes(trace.to_json(), notes), undecided)
    text = text if joined is None else with_merge(text, joined.tree, joined.n_clusters)
    return (text if reading is None else reading.added_to(text)) + "\n"


def table_csv(data: Dataset, trace: Trace, joined: Merged | None = None) -> str:
    """Write the table that was read with each row's cluster, how probable it is, and what it was joined to."""
    return csv_text(labelled_table(data, trace, data.X, joined=None if joined is None else joined.labels))


def labels_csv(data: Dataset, trace: Trace, joined: Merged | None = None) -> str:
    """Write only one row per point, in short: its row in the file, its cluster, and what that was joined to."""
    rows = data.rows if data.rows is not None else range(data.n_points)
    frame = pd.DataFrame({"row": rows, "cluster": trace.result_labels})
    return csv_text(frame if joined is None else frame.assign(merged=joined.labels))


def _of_what(data: Dataset, trace: Trace) -> str:
    """Say to which table an nll refers if cells are missing: the two kinds are not comparable."""
    if not data.incomplete.any():
        return ""
    return " of the table without its missing cells" if trace.imputed is None else " of the table with cells filled in"


def _prior_of(trace: Trace) -> str:
    """Name the partition prior, and the values at which its parameters are held, or where a chain began."""
    return f"{trace.config.partition.title}, {trace.config.partition.describe()}"


def _in_words(trace: Trace, values: FloatArray) -> str:
    """Summarise the kept draws of a hyperparameter."""
    kept = values[trace.config.burn_in + 1 :]
    if not len(kept):
        return "no draw was kept"
    low, high = np.quantile(kept, [0.05, 0.95])
    return f"mean {kept.mean():.4g}, 90 % of the draws between {low:.4g} and {high:.4g}"


def summary(data: Dataset, trace: Trace, joined: Merged | None = None, opinion: str | None = None) -> str:
    """Return a summary of a run, of what its clusters were joined to, and the second opinion on their number."""
    sweep, labels = trace.result_sweep, trace.result_labels
    end = "converged" if trace.converged else "not converged"
    lines = [
        ("data", f"{data.title}: {counted(data.n_points, 'point')}, {counted(data.n_features, 'feature')}"),
        *(("note", note) for note in data.notes),
        ("configuration", trace.config.to_json()),
        *((("prior", _prior_of(trace)),) if trace.config.uses_model else ()),
        ("sweeps", f"{trace.n_sweeps:,} ({end}), start {trace.chosen_start + 1} of {len(trace.starts)}"),
        *((("moves", f"{moves_in_words(trace)}, from sweep {trace.moves[0][0]} on"),) if trace.moves else ()),
        *((("search", _search_of(trace)),) if trace.n_trial_sweeps else ()),
        *((("split–merge", words),) if (words := acceptance_in_words(trace)) else ()),
        *(("learned", f"{name}: {_in_words(trace, values)}") for name, values in trace.hyperparameters.items()),
        ("clusters", f"{trace.n_clusters[sweep]}, sizes {', '.join(map(str, trace.sizes(sweep)))}"),
        *((("note", words),) if (words := small_clusters_in_words(trace.sizes(sweep))) else ()),
        ("nll", f"{trace.nll[sweep]:.6f} nats{_of_what(data, trace)}"),
        ("objective", f"{trace.objective[sweep]:.6f}"),
    ]
    if data.labels is not None:
        lines += [("NMI", f"{nmi(data.labels, labels):.4f}"), ("ARI", f"{ari(data.labels, labels):.4f}")]
    lines += [] if joined is None else joined.in_words(data)
    lines += [] if opinion is None else [("groups", opinion)]
    return "".join(f"{name + ':':<15}{text}\n" for name, text in lines if not text.startswith("nan"))


def _search_of(trace: Trace) -> str:
    """Say why the search ended and, where more work may find more, how to ask for it."""
    longer = f" More: --effort {4 * max(trace.config.effort, 1.0):g}." if trace.search_exhausted else ""
    return f"{search_end_in_words(trace)}{longer}"


def check_out(out: str | None, allowed: tuple[str, ...], sources: Iterable[str | None] = ()) -> None:
    """Raise, before anything runs, unless a result may have this file.

    Parameters
    ----------
    out : str or None
        Value of ``--out``; None is stdout.
    allowed : tuple of str
        Ends of the name that tell a format.
    sources : iterable of str or None
        What the command reads, of which none may be replaced by a result: files, names of data sets, ``-``.

    Raises
    ------
    InvalidParameterError
        If the name tells no format, its folder cannot be written to, or it is that of a source.
    """
    if out is None:
        return
    if Path(out).suffix not in allowed:
        raise InvalidParameterError(f"--out = {out!r} must end in {' or '.join(allowed)}, which chooses the format.")
    try:
        target = target_of(out)
    except OSError as error:
        raise InvalidParameterError(f"--out = {out!r} cannot be written: {error.strerror}.") from error
    if target.is_dir():
        raise InvalidParameterError(f"--out = {out!r} is a folder; name a file in it.")
    if is_written_to(out):  # a pipe, say, has no folder of ours
        require(os.access(out, os.W_OK), "--out", out, "a file that can be written to")
        return
    if any(source is not None and _is_same(source, target) for source in sources):
        raise InvalidParameterError(
            f"--out = {out!r} is what this command reads, and would be lost. Name another file."
        )
    if target.exists() and not os.access(target, os.W_OK):
        raise InvalidParameterError(f"--out = {out!r} is write-protected. Name another file, or let it be written to.")
    try:
        _try_beside(target)
    except OSError as error:
        folder, why = str(target.parent), error.strerror or str(error)
        raise InvalidParameterError(
            f"--out = {out!r} cannot be written: {folder}: {why}. Name a file in a folder that you can write to."
        ) from error


def _is_same(source: str, target: Path) -> bool:
    """Whether a source is this file, by whatever name; standard input may come from it, too."""
    with contextlib.suppress(OSError, ValueError):
        return os.path.samefile(0 if source == STANDARD_INPUT else source, target)
    return False  # one of them is no file


def check_folder(out: str) -> None:
    """Make a folder for results; raise, before anything runs, unless it is one and can be written to."""
    require(out != "", "--out", out, "the name of a folder", "The present one is “.”.")
    try:
        target = target_of(out)
        target.mkdir(parents=True, exist_ok=True)
        _try_beside(target / "file")
    except OSError as error:
        why = "it is a file" if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise refused("--out", out, "a folder that you can make and write to", f"Here: {why}.") from error


def _try_beside(target: Path) -> None:
    """Write a new file next to the target, and remove it."""
    trial = unfinished(target)
    trial.touch(exist_ok=False)
    trial.unlink()


def kept_from_loss(out: str | None) -> str | None:
    """Return the file for the result of an interrupted command: never an older result, which may hold more.

    Parameters
    ----------
    out : str or None
        Value of ``--out``.

    Returns
    -------
    str or None
        ``out`` itself if no such file exists; else the first free of ``NAME.partial.csv``, ``NAME.partial2.csv``, ….
    """
    if out is None:
        return None
    path = Path(out)
    return unused(path.with_suffix(""), [path.suffix])[path.suffix]


def unused(stem: Path, endings: Sequence[str]) -> dict[str, str]:
    """Return files by ending, none of which exists: of the stem, or of the first of STEM.partial, STEM.partial2, …."""
    for number in count():
        partial = f".partial{number if number > 1 else ''}" if number else ""
        files = {end: f"{stem}{partial}{end}" for end in endings}
        if not any(Path(file).exists() for file in files.values()):
            return files
    raise AssertionError


def deliver_table(frame: pd.DataFrame, configs: Sequence[RunConfig], out: str | None) -> str | None:
    """Write a table in the format of the file's name, JSON with each row's configuration; or to stdout; say where."""
    suffix = Path(out or "").suffix
    if suffix == ".csv":
        text = csv_text(frame)
    elif suffix == ".json":
        records = json.loads(frame.to_json(orient="records", double_precision=15))  # NaN becomes null
        rows = [{**row, "config": config.to_dict()} for row, config in zip(records, configs, strict=True)]
        text = json.dumps(rows, indent=1) + "\n"
    else:
        text = frame.to_string(index=False, na_rep="–", float_format=lambda value: f"{value:.6g}") + "\n"
    return deliver(text, out)


@contextlib.contextmanager
def progress_line(wanted: bool | None) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a line on stderr, at most ten times a second; on a terminal it replaces the last."""
    terminal = sys.stderr.isatty()
    visible = terminal if wanted is None else wanted
    latest, pending = 0.0, ""

    def show(line: str) -> None:
        nonlocal latest, pending
        pending = line
        if visible and time.perf_counter() - latest > 0.1:
            latest, pending = time.perf_counter(), ""
            print(f"\r\x1b[K{line}" if terminal else line, end="" if terminal else "\n", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if visible and pending:
            latest = 0.0
            show(pending)
        if visible and terminal:
            print(file=sys.stderr)
