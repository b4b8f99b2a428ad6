"""The commands: each takes the parsed options and returns the exit code."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

import dpviz
from dpviz.analysis.evaluation import Cell
from dpviz.analysis.grids import Grid, Progress, grid_frame, run_configs, run_grid
from dpviz.analysis.parameters import variable_parameters
from dpviz.analysis.selection import best_cell
from dpviz.cli.inputs import configuration, grid_axes, numbers, option_name, read_data
from dpviz.cli.outputs import check_suffix, deliver, deliver_table, labels_csv, progress_line, summary, trace_json
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import InvalidParameterError

INTERRUPTED = 130


def run_command(options: argparse.Namespace) -> int:
    """Cluster once; an interrupt ends the run after the sweep it is in, and keeps it."""
    check_suffix(options.out, (".json", ".csv", ".txt"))
    data = read_data(options.data, options.label, options.features)
    config = configuration(options, data, options.algorithm)
    begun, n_sweeps = time.perf_counter(), 0

    with _interrupts() as interrupted, progress_line(options.progress) as show:

        def should_stop() -> bool:
            nonlocal n_sweeps
            n_sweeps += 1
            show(f"{n_sweeps:,} sweeps after {time.perf_counter() - begun:.0f} s")
            return bool(interrupted)

        trace = dpviz.run(data.X, config, should_stop)
    text = {".json": trace_json, ".csv": labels_csv}.get(Path(options.out or "").suffix, summary)(data, trace)
    deliver(text, options.out)
    if interrupted:
        print("dpviz: interrupted; what was done is kept", file=sys.stderr)
    return INTERRUPTED if interrupted else 0


def compare_command(options: argparse.Namespace) -> int:
    """Run several algorithms."""
    check_suffix(options.out, (".csv", ".json", ".txt"))
    data = read_data(options.data, options.label, options.features)
    configs = [configuration(options, data, algorithm, strict=False) for algorithm in options.algorithms]
    usable = {name for config in configs for name in variable_parameters(config)}
    for name in numbers():
        if getattr(options, name) is not None and name not in usable:
            algorithms = ", ".join(options.algorithms)
            raise InvalidParameterError(f"{option_name(name)} belongs to none of {algorithms}; leave it out.")
    with _cluster(options.scheduler):
        running = run_configs(data.X, configs, data.labels, options.folds, options.jobs)
        cells, interrupted = _collect(running, len(configs), options.progress)
    rows = [{"algorithm": cell.config.algorithm, **row} for cell, row in zip(cells, _records(cells), strict=True)]
    deliver_table(pd.DataFrame(rows), [cell.config for cell in cells], options.out)
    return INTERRUPTED if interrupted else 0


def tune_command(options: argparse.Namespace) -> int:
    """Run a grid and name its best cell."""
    check_suffix(options.out, (".csv", ".json", ".txt"))
    data = read_data(options.data, options.label, options.features)
    axes = grid_axes(options)
    held_out = len(axes) == 1 or options.criterion == "held_out"
    n_folds = options.folds if options.folds is not None else 5 * held_out
    if options.criterion == "held_out" and n_folds == 0:
        raise InvalidParameterError("--criterion held_out needs folds; leave out --folds 0, or say how many.")
    grid = Grid(configuration(options, data, options.algorithm), axes, n_folds)
    with _cluster(options.scheduler):
        running = run_grid(data.X, grid, data.labels, options.jobs)
        cells, interrupted = _collect(running, grid.n_cells, options.progress)
    deliver_table(grid_frame(grid, cells), [cell.config for cell in cells], options.out)
    criterion = options.criterion or ("nll" if ALGORITHMS[grid.base.algorithm].has_nll else None)
    if criterion and cells:
        best = best_cell(cells, criterion)
        found = ", ".join(f"{name} = {value:g}" for name, value in zip(grid.parameters, best.values, strict=True))
        print(f"best by {criterion}: {found} (K = {best.n_clusters})", file=sys.stderr)
    return INTERRUPTED if interrupted else 0


def app_command(options: argparse.Namespace) -> int:
    """Start the app."""
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    command = streamlit_command(app_file(), options.host, options.port)
    return subprocess.call(command, env={**one_thread, **os.environ})


def app_file(package: Path | None = None) -> Path:
    """Find ``app.py`` beside the package.

    Raises
    ------
    InvalidParameterError
        If dpviz is installed without it.
    """
    path = (package or Path(__file__).parent).parent / "app.py"
    if not path.is_file():
        raise InvalidParameterError(
            "the app is not part of the installed package: its pages live beside it in a checkout. Get the sources, "
            "go to their folder, and run “make app”, or “pip install -e .” and “dpviz app”."
        )
    return path


def streamlit_command(app: Path, host: str, port: int) -> list[str]:
    """Return the command that serves the app."""
    return [sys.executable, "-m", "streamlit", "run", str(app), "--server.address", host, "--server.port", str(port)]


def _collect(running: Iterator[Cell], total: int, progress: bool | None) -> tuple[list[Cell], bool]:
    """Take cells until all are there or the user interrupts; return them in order, and whether that happened."""
    begun, cells, interrupted = time.perf_counter(), [], False
    with progress_line(progress) as show:
        try:
            for cell in running:
                cells.append(cell)
                show(str(Progress(len(cells), total, time.perf_counter() - begun)))
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        print(f"dpviz: interrupted; {len(cells):,} of {total:,} done are kept", file=sys.stderr)
    return sorted(cells, key=lambda cell: cell.index), interrupted


@contextlib.contextmanager
def _interrupts() -> Iterator[list[bool]]:
    """Turn the first Ctrl-C into an entry of a list; the second interrupts as usual."""
    interrupted: list[bool] = []
    default = signal.getsignal(signal.SIGINT)

    def remember(number: int, frame: Any) -> None:
        interrupted.append(True)
        signal.signal(signal.SIGINT, default)

    signal.signal(signal.SIGINT, remember)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, default)


@contextlib.contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """Send what joblib runs to a Dask cluster, if one is named."""
    if address is None:
        yield
        return
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise InvalidParameterError("--scheduler needs Dask: pip install 'dpviz[cluster]'.") from error
    try:
        client = distributed.Client(address, timeout=5)
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidParameterError(f"no scheduler answers at {address} ({error}); is it running?") from error
    with client, joblib.parallel_config(backend="dask"):
        yield


def _records(cells: Iterable[Cell]) -> list[dict[str, Any]]:
    names = ("n_clusters", "nll", "objective", "held_out", "nmi", "ari", "n_sweeps", "converged", "seconds")
    return [{name: getattr(cell, name) for name in names} for cell in cells]
