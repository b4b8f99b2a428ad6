"""The commands: each takes the parsed options and returns the exit code."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import dpviz
from dpviz.analysis.evaluation import Cell, copies_in_words, has_density, why_no_density
from dpviz.analysis.grids import Grid, Progress, grid_frame, latest_cells, run_configs, run_grid
from dpviz.analysis.parameters import nll_compares, variable_parameters
from dpviz.analysis.predicted_table import NEW_NAME, WHY_OFF, predicted_table, see
from dpviz.analysis.prediction import Predictor
from dpviz.analysis.selection import best_cell
from dpviz.analysis.stored_choice import stored_undecided
from dpviz.analysis.stored_merge import merged_order
from dpviz.analysis.stored_names import ShownAs, names_of
from dpviz.analysis.stored_notes import stored_notes
from dpviz.analysis.stored_reading import Reading
from dpviz.analysis.table_units import TableUnits
from dpviz.arrays import FloatArray, IntArray
from dpviz.cli.cluster import Watch, cluster, ended
from dpviz.cli.inputs import (
    STANDARD_INPUT,
    algorithm_asked,
    chosen,
    chosen_with_notes,
    configuration,
    data_and_scaling,
    grid_axes,
    is_file,
    keeps_gaps,
    learners,
    numbers,
    purpose_of,
    read_again,
    read_rows,
    reading_of,
    rows_reader,
    scaled_with_units,
    stored_reading_of,
    stored_run,
    table_as_chosen,
    text_of,
)
from dpviz.cli.interrupts import bare_interrupts, remembered
from dpviz.cli.merges import check_merge, merged, stored_clusters
from dpviz.cli.outputs import (
    check_folder,
    check_out,
    deliver_table,
    kept_from_loss,
    labels_csv,
    progress_line,
    summary,
    table_csv,
    trace_json,
)
from dpviz.cli.purpose import Purpose
from dpviz.cli.reading_options import asked_kinds, asked_reading, option_name, without_reading
from dpviz.cli.repeat import commands_to_repeat
from dpviz.cli.rescue import deliver
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, tables
from dpviz.datasets.preparation import Prepared, scaled_columns
from dpviz.datasets.tables import NewPoints, read_like, read_points
from dpviz.datasets.tables.export import csv_text
from dpviz.datasets.tables.table import news
from dpviz.engine.algorithms.base import ALGORITHMS, algorithm_named
from dpviz.engine.stored import fingerprint
from dpviz.engine.stored_check import check_result
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError, extra, require
from dpviz.families.automatic import AUTOMATIC
from dpviz.files import check_pages, write_whole
from dpviz.server import streamlit_command
from dpviz.text import counted
from dpviz.words import spoken

NOT_TRIED = "not tried"
WRONG_SHOWN = 20
"""Most invalid cells that are named on standard error."""


def run_command(options: argparse.Namespace) -> int:
    """Cluster once; an interrupt ends the run after the current sweep, and keeps it."""
    check_out(options.out, (".json", ".csv", ".txt"), (options.data, options.config))
    algorithm = algorithm_asked(options)
    check_merge(options, algorithm)
    read, scaling = data_and_scaling(**_reading(options, [algorithm]), all_columns=True)
    (data, units), reading = scaled_with_units(read, scaling), reading_of(options, read, scaling)
    wanted = configuration(options, data, options.algorithm)
    ((config, notes),) = chosen_with_notes([wanted], data, options)
    begun, n_sweeps = time.perf_counter(), 0

    with remembered() as codes:
        with progress_line(options.progress) as show:

            def should_stop() -> bool:
                nonlocal n_sweeps
                n_sweeps += 1
                show(f"{counted(n_sweeps, 'sweep')} after {time.perf_counter() - begun:.0f} s")
                return bool(codes)

            trace = units.trace(dpviz.run(data.X, config, should_stop))
        stopped = bool(codes)  # what comes now, while a whole run is written, ends the command after that
        joined = merged(options, data.X, trace)
        as_json = partial(trace_json, reading=reading, notes=notes, undecided=wanted.undecided)
        written: dict[str, Callable[..., str]] = {".json": as_json, ".csv": table_csv}
        kind = Path(options.out or "").suffix
        asks = options.second_opinion and not stopped and trace.config.uses_model
        opinion = _opinion_on(data, trace, joined is not None, options, codes) if asks and kind not in written else None
        write = written.get(kind, partial(summary, opinion=opinion))
        out = kept_from_loss(options.out) if stopped else options.out
        place = deliver(write(data, trace, joined), out, lambda: labels_csv(data, trace, joined))
        if asks and kind in written and options.progress is not False:  # a run that is kept cannot be lost for it
            said = _opinion_on(data, trace, joined is not None, options, codes)
            print(f"dpviz: second opinion: {said}", file=sys.stderr)
    if stopped:
        print(f"dpviz: interrupted; what was done is kept{_where(place)}", file=sys.stderr)
    return codes[0] if codes else int(place != out)


def _opinion_on(data: Dataset, trace: Trace, is_joined: bool, options: argparse.Namespace, codes: Sequence[int]) -> str:
    """Return what draws say of the number of groups, or why they were not asked; an interrupt ends the asking."""
    from dpviz.analysis.second_opinion import second_opinion  # deferred: what it needs takes long to import

    begun = time.perf_counter()
    with progress_line(options.progress) as show:

        def should_stop() -> bool:
            show(f"second opinion, {time.perf_counter() - begun:.0f} s")
            return bool(codes)

        try:
            found = second_opinion(data.X, trace, should_stop=should_stop)
        except (DpvizError, MemoryError) as error:
            return f"{NOT_TRIED}: {error}"
    if found is None:
        return NOT_TRIED
    return f"Before clusters are joined: {found.text}" if is_joined else found.text


def compare_command(options: argparse.Namespace) -> int:
    """Run several algorithms."""
    check_out(options.out, (".csv", ".json", ".txt"), (options.data, options.config))
    each = _data_of_each(options, options.algorithms)
    configs = [
        configuration(options, own.data, algorithm, strict=False)
        for algorithm, own in zip(options.algorithms, each, strict=True)
    ]
    usable = {name for config in configs for name in variable_parameters(config)}
    for name in numbers():
        if getattr(options, name) is not None and name not in usable:
            algorithms = ", ".join(options.algorithms)
            raise InvalidParameterError(f"{option_name(name)} belongs to none of {algorithms}; leave it out.")
    if options.hyperprior and not any(config.hyperpriors for config in configs):
        algorithms = ", ".join(options.algorithms)
        raise InvalidParameterError(
            f"--hyperprior belongs to none of {algorithms}; only {', '.join(learners())} learns."
        )
    if options.folds and not any(map(has_density, configs)):
        raise InvalidParameterError(f"--folds {options.folds}: {', '.join(options.algorithms)} have no density.")
    with cluster(options.scheduler) as watch:
        running = _each_on_its_data(configs, each, options)
        cells, code = _collect(running, len(configs), options, watch)
    cells = [each[cell.index[0]].units.result(cell, cell.config) for cell in cells]
    _say_of_folds([own.data.X for own in each], cells, options.folds)
    rows = [{"algorithm": cell.config.algorithm, **row} for cell, row in zip(cells, _records(cells), strict=True)]
    return _deliver_cells(pd.DataFrame(rows), cells, options, [each[cell.index[0]].scaling for cell in cells], code)


def tune_command(options: argparse.Namespace) -> int:
    """Run a grid, whose cells share partitions where the algorithm minimises the nll, and name its best cell."""
    check_out(options.out, (".csv", ".json", ".txt"), (options.data, options.config))
    data, scaling, units = _data(options, [algorithm_asked(options)])
    axes = grid_axes(options)
    base = configuration(options, data, options.algorithm)
    criterion = _criterion(options, base, [axis.parameter for axis in axes])
    held_out = (len(axes) == 1 or criterion == "held_out") and has_density(base)
    n_folds = options.folds if options.folds is not None else 5 * held_out
    with cluster(options.scheduler) as watch:
        grid = Grid(chosen([base], data, options, n_folds)[0], axes, n_folds)
        running = run_grid(data.X, grid, data.labels, options.jobs, share=True)
        cells, code = _collect(running, grid.n_cells, options, watch)
    cells = [units.result(cell, cell.config) for cell in cells]
    _say_of_folds([data.X], cells, n_folds)
    code = _deliver_cells(grid_frame(grid, cells), cells, options, scaling, code)
    if criterion and cells:
        best = best_cell(cells, criterion)
        found = ", ".join(f"{name} = {value:g}" for name, value in zip(grid.parameters, best.values, strict=True))
        print(f"best by {criterion}: {found} (K = {best.n_clusters})", file=sys.stderr)
    return code


def predict_command(options: argparse.Namespace) -> int:
    """Predict the rows of a table by a stored run; invalid cells are listed on stderr."""
    check_out(options.out, (".csv",), (options.run, options.rows, options.data))
    trace = stored_run(options.run)
    own_options = options if stored_reading_of(options.run) is None else without_reading(options)
    trace, data, in_units = _with_data(trace, own_options)
    joined, shown = stored_clusters(options.run, trace)
    predictor = Predictor(in_units.X, trace, joined)
    rows, points = _rows_like(data, options)
    seen = see(predictor, points, data, in_units.preparation)
    for note in (*news(rows.notes), *points.notes):
        print(f"dpviz: {note}", file=sys.stderr)
    for cell in seen.points.wrong_cells(WRONG_SHOWN):
        where = f"row {cell.row + 1}, column “{data.feature_names[cell.column]}”"
        print(f"dpviz: {where}: “{cell.value}” must be {cell.reason}", file=sys.stderr)
    if off := seen.off_lines(WRONG_SHOWN):
        print(*(f"dpviz: {line}" for line in (*off, WHY_OFF)), sep="\n", file=sys.stderr)
    if not len(seen.rows):
        raise InvalidDataError(f"none of the {len(points.X):,} rows of {options.rows} can be predicted.")
    found = predictor.predict(seen.prepared)
    first = np.unique(predictor.clusters, return_index=True)[1]
    numbers = [] if shown is None else shown.numbers_at(trace.result_labels[first]).tolist()
    names = [*names_of(numbers, shown.names), NEW_NAME] if shown is not None and shown.names else []
    called = "merged" if joined is not None and shown is None else "cluster"  # as the tables of the run call them
    table = predicted_table(seen, found, numbers, names, called)
    return int(deliver(csv_text(table), options.out) != options.out)


def _rows_like(data: Dataset, options: argparse.Namespace) -> tuple[tables.Table, NewPoints]:
    """Read rows as options say, as the run's own file was read where somebody chose how, or else as is detected."""
    reading, asked = stored_reading_of(options.run), asked_reading(options)
    repair = options.repair or (reading is not None and reading.repair)  # who needed it for the data needs it again
    read, choices = rows_reader(options.rows, repair), dict(() if reading is None else reading.choices)
    of_format = {name: value for name, value in choices.items() if name not in ("decimal", "accepted")}
    with suppress(*[InvalidDataError, InvalidParameterError] * bool(of_format)):  # rows may be in another format
        return _read_rows(data, read, of_format | asked)
    return _read_rows(data, read, asked)


def _read_rows(
    data: Dataset, read: Callable[..., tables.Table], asked: Mapping[str, Any]
) -> tuple[tables.Table, NewPoints]:
    """Read rows by the decimal mark that is asked for, or by the one under which they lie where the data do."""
    if "decimal" not in asked:
        return read_like(data, partial(read, **asked))
    table = read(**asked)
    return table, read_points(table, data)


def report_command(options: argparse.Namespace) -> int:
    """Write a stored run as a page, or only its clusters as a table."""
    from dpviz.report import MOST_WORK, described_table, recognised, report  # deferred: only pages need the player

    check_out(options.out, (".html", ".csv"), (options.run, options.data))
    trace, data, in_units = _with_data(stored_run(options.run), options)
    (joined, shown), stored = stored_clusters(options.run, trace), text_of(Path(options.run), "stored run")
    order = merged_order(stored)
    shaping, merged_to = recognised(data, in_units.X), None if joined is None else (len(np.unique(joined)), order)
    joined, names, colours = _as_shown(trace, joined, shown)
    if Path(options.out or "").suffix == ".csv":
        table = described_table(data, trace.result_labels if joined is None else joined, names)
        return int(deliver(csv_text(table.reset_index()), options.out) != options.out)
    page = report(
        data,
        trace,
        in_units.X,
        joined=joined,
        joined_by=order,
        names=names,
        colours=colours,
        shaping=shaping,
        notes=stored_notes(stored),
        undecided=stored_undecided(stored),
        code=commands_to_repeat(options, trace, data, _reading_used(options), shaping.scaling, merged_to),
        most_work=0.0 if options.quick else MOST_WORK,
    )
    return int(deliver(page, options.out) != options.out)


def _as_shown(
    trace: Trace, joined: IntArray | None, shown: ShownAs | None
) -> tuple[IntArray | None, list[str], list[int]]:
    """Return clusters (N,) in the order of the numbers that a page gave them, if one did, their names and colours."""
    if shown is None:
        return joined, [], []
    rows = shown.numbers_at(trace.result_labels)
    numbers = np.unique(rows).tolist()
    return rows, [shown.names.get(number, str(number)) for number in numbers], [number - 1 for number in numbers]


def figure_command(options: argparse.Namespace) -> int:
    """Draw a stored run for a paper."""
    from dpviz.report import paper_figure  # deferred, as for the report

    check_out(options.out, (".svg", ".pdf"), (options.run, options.data))
    trace, data, in_units = _with_data(stored_run(options.run), options)
    joined, names, colours = _as_shown(trace, *stored_clusters(options.run, trace))
    drawn = paper_figure(
        data,
        trace,
        in_units.X,
        format=Path(options.out).suffix[1:],
        part=options.part,
        columns=options.columns,
        width=options.width,
        joined=joined,
        colours=colours,
        names=[f"cluster {name}" if name.isdigit() else name for name in names],
    )
    write_whole(options.out, drawn)
    return 0


def app_command(options: argparse.Namespace) -> int:
    """Start the app; the server replaces this process, so that stopping one stops the other."""
    with extra("app", "the app"):
        if find_spec("streamlit") is None:  # the server, which takes the place of this process, imports it
            raise ModuleNotFoundError("no module of the server", name="streamlit")
    spoken()  # a language that there is not is refused here, and not by every page
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    command = streamlit_command(
        options.host, options.port, shared=options.serve, names=options.allow_host, embedders=options.embed_in
    )
    environment = {**one_thread, **os.environ}
    if os.name == "posix":
        os.execve(command[0], command, environment)
    return subprocess.call(command, env=environment)


def course_command(options: argparse.Namespace) -> int:
    """Write the chapters, their worksheets and the answers; then the names of the files go to stdout."""
    from dpviz.course import write_course  # deferred: only this command needs the player and what it brings

    check_folder(options.out)
    written = write_course(options.out, force=options.force)
    return int(deliver("".join(f"{path}\n" for path in written), None) is not None)


def site_command(options: argparse.Namespace) -> int:
    """Write the story, the lab and the course; then the names of the files go to stdout."""
    from dpviz.course import write_package, write_site  # deferred, as for the course
    from dpviz.course.handout import checked_address

    packed = options.out.lower().endswith(".zip")
    if options.address:
        require(not packed, "--address", options.address, "none beside a package, which its learning system gives one")
        checked_address(options.address)
    if packed:
        check_out(options.out, (".zip",))
        written = [write_package(options.out, options.force)]
    else:
        check_folder(options.out)
        written = write_site(options.out, options.address, options.force)
    return int(deliver("".join(f"{path}\n" for path in written), None) is not None)


def lab_command(options: argparse.Namespace) -> int:
    """Write the lab as a page, perhaps with data of the user's own; then the name of the file goes to stdout."""
    from dpviz.laboratory import lab_page  # deferred: only this command needs the player and the engine
    from dpviz.report import Shaping

    check_out(options.out, (".html",), (options.data,))
    check_pages([options.out], force=options.force)
    dataset, row_nats = None, 0.0
    if options.data is not None:
        read, scaling = _read_for_lab(options)
        made, units = scaled_with_units(read, scaling)
        row_nats = -float(units.preparation.log_volume(units.X[:1]).sum())
        dataset = replace(made, feature_names=Shaping(scaling).column_names(read, made.n_features))
    where = deliver(lab_page(dataset, row_nats), options.out)
    return int(where != options.out or deliver(f"{where}\n", None) is not None)


def _read_for_lab(options: argparse.Namespace) -> tuple[Dataset, str]:
    """Read the data of a lab, and how they are to be scaled.

    Numbers are numbers, unless some column is none: then each is what it is, and codes of categories are codes.
    """
    from dpviz.laboratory import check_scaled, own_kinds  # deferred, as above

    whole = read_rows(options.data, options.repair, asked_reading(options)) if is_file(options.data) else None
    asked = _asked(options) | {"gaps": False, "scaling": options.scaling, "whole": whole}
    try:
        plain = Purpose(("mapdp",), "normal_wishart", options.scaling)
        are_numbers = not own_kinds(data_and_scaling(**asked, purpose=plain)[0])
    except InvalidDataError:  # there is text; of all else that is wrong the other reading tells, too
        are_numbers = False
    purpose = plain if are_numbers else Purpose(("mapdp",), scaling=options.scaling)
    read, scaling = data_and_scaling(**asked, tell=True, purpose=purpose)
    if scaling != "none":
        check_scaled(read)
    return read, scaling


class _Own(NamedTuple):
    """The scaled data of an algorithm, how they were scaled, and what gives costs the units of the table."""

    data: Dataset
    scaling: str
    units: TableUnits


def _data_of_each(options: argparse.Namespace, algorithms: Sequence[str]) -> list[_Own]:
    """Return the same rows as each algorithm takes them by itself, unless a scaling was asked for, which is of all.

    Columns of several kinds are indicators to those that take distances, and others to those with a density.
    """
    ways = [(algorithm.uses_model, algorithm.has_density) for algorithm in map(algorithm_named, algorithms)]
    if not is_file(options.data) or options.scaling != AUTOMATIC or len(set(ways)) == 1:
        return [_data(options, algorithms)] * len(algorithms)
    whole, found = read_rows(options.data, options.repair, asked_reading(options)), dict[tuple[bool, bool], _Own]()
    for way in sorted(set(ways), reverse=True):  # those with a model first, who take the columns as they are
        names = [name for name, own in zip(algorithms, ways, strict=True) if own == way]
        asked = _reading(options, names) | {"gaps": keeps_gaps(options.missing, algorithms), "whole": whole}
        read, scaling = data_and_scaling(**(asked | {"tell": not found}))
        own_data, units = scaled_with_units(read, scaling)
        told = {note for own in found.values() for note in own.data.notes}
        begin = f"{', '.join(names)}: "
        for note in own_data.notes if found else ():
            if note not in told:
                print(f"dpviz: {begin}{note.removeprefix(begin)}", file=sys.stderr)
        found[way] = _Own(own_data, scaling, units)
    return [found[way] for way in ways]


def _each_on_its_data(
    configs: Sequence[RunConfig], each: Sequence[_Own], options: argparse.Namespace
) -> Iterator[Cell]:
    """Run each configuration on its own data; those on the same side by side."""
    of_data: dict[int, list[int]] = {}
    for place, own in enumerate(each):
        of_data.setdefault(id(own.data), []).append(place)
    parts = []
    for places in of_data.values():
        data = each[places[0]].data
        found = chosen([configs[place] for place in places], data, options, options.folds)
        parts.append((data, places, found))
    for data, places, found in parts:
        for cell in run_configs(data.X, found, data.labels, options.folds, options.jobs):
            yield replace(cell, index=(places[cell.index[0]],))


def _data(options: argparse.Namespace, algorithms: Sequence[str]) -> _Own:
    read, scaling = data_and_scaling(**_reading(options, algorithms))
    data, units = scaled_with_units(read, scaling)
    return _Own(data, scaling, units)


def _reading(options: argparse.Namespace, algorithms: Sequence[str]) -> dict[str, Any]:
    """Return the arguments by which data are read for algorithms that are to cluster them."""
    return {
        **_asked(options),
        "scaling": options.scaling,
        "gaps": keeps_gaps(options.missing, algorithms),
        "tell": True,
        "purpose": purpose_of(options, algorithms),
    }


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments by which data are read whoever clusters them."""
    named = {name: getattr(options, name) for name in ("label", "features", "exclude", "repair")}
    return {"name": options.data, **named, "choices": asked_reading(options), "kinds": asked_kinds(options)}


def _with_data(trace: Trace, options: argparse.Namespace) -> tuple[Trace, Dataset, Prepared]:
    """Read a run's own data, to which its costs have to belong; these are then those of the table."""
    data, in_units = _data_of(trace, options)
    check_result(in_units.X, trace)
    return TableUnits(in_units.X, in_units.preparation).trace(trace), data, in_units


def _data_of(trace: Trace, options: argparse.Namespace) -> tuple[Dataset, Prepared]:
    """Read a run's own data, and scale them as the run has them: as it says itself, unless options say otherwise."""
    reading = _reading_used(options)
    if reading is not None:
        with suppress(*([] if options.data == STANDARD_INPUT else [InvalidDataError, InvalidParameterError])):
            data = read_again(options.data, reading)
            in_units = scaled_columns(data, reading.scaling)
            if options.data == STANDARD_INPUT or trace.data in ("", fingerprint(in_units.X)):
                return data, in_units
    gaps, chosen = keeps_gaps(options.missing, [trace.config.algorithm]), _table_as_chosen(options)
    now: tuple[str, bool | None, Purpose] = (options.scaling, gaps, Purpose.of(trace, options.scaling))
    if options.data == STANDARD_INPUT or not trace.data:
        return _read_and_scale(options, *now, whole=chosen)
    unnamed = replace(now[2], family=AUTOMATIC)  # the family may have been found, rather than named when data were read
    earlier = [(options.scaling, gaps, Purpose())]  # once all algorithms and families had numbers as categories
    if options.scaling == AUTOMATIC:
        earlier.append(("none", gaps, now[2]))  # then columns of several kinds were not made comparable
    if options.scaling == AUTOMATIC and options.missing is None:
        earlier.append(("none", False, Purpose()))  # and neither were columns scaled nor rows with missing cells kept
    ways: list[tuple[str, bool | None, Purpose]] = [now, (options.scaling, gaps, unnamed), *earlier]
    for whole, way in product([None] if chosen is None else [chosen, None], ways):
        with suppress(InvalidDataError):
            found = _read_and_scale(options, *way, whole=whole)
            if trace.data == fingerprint(found[1].X):
                return found
    how = _how_chosen(options)
    try:
        n_rows = len(_read_and_scale(options, *now, whole=chosen)[1].X)
    except InvalidDataError as error:  # which says more if it cannot be read at all
        raise InvalidDataError(f"{error}{how}") from error
    rows = "" if n_rows == trace.n_points else f" ({counted(n_rows, 'row')}, where the run has {trace.n_points:,})"
    raise InvalidDataError(
        f"--data {options.data} holds other numbers than those that the run was made from{rows}: it has changed since, "
        "or is read with other options. Give it as it was, with the options of the run, or cluster it again by dpviz "
        f"run.{how}"
    )


def _how_chosen(options: argparse.Namespace) -> str:
    """Say how the owner of a stored run had its file read."""
    reading = stored_reading_of(options.run)
    return f" The run read its table with {reading.chosen}." if reading is not None and reading.choices else ""


def _table_as_chosen(options: argparse.Namespace) -> tables.Table | None:
    """Read a run's own data with its owner's choices, and those of options; None if its owner made none."""
    reading = stored_reading_of(options.run) if is_file(options.data) else None
    if reading is None or not (reading.choices or reading.repair):
        return None
    with suppress(*([] if options.data == STANDARD_INPUT else [InvalidDataError, InvalidParameterError])):
        return table_as_chosen(options.data, reading, options.repair, asked_reading(options))
    return None


def _reading_used(options: argparse.Namespace) -> Reading | None:
    """Return how a stored run says that its file was read, unless options say it."""
    return None if _says_how(options) or not is_file(options.data) else stored_reading_of(options.run)


def _says_how(options: argparse.Namespace) -> bool:
    """Whether options say how a run's own data are read."""
    named = options.label is not None or options.features is not None or options.exclude or options.repair
    chosen = asked_reading(options) or asked_kinds(options)
    return bool(named or options.scaling != AUTOMATIC or options.missing is not None or chosen)


def _read_and_scale(
    options: argparse.Namespace, asked: str, gaps: bool | None, purpose: Purpose, whole: tables.Table | None = None
) -> tuple[Dataset, Prepared]:
    data, scaling = data_and_scaling(**_asked(options), gaps=gaps, scaling=asked, purpose=purpose, whole=whole)
    return data, scaled_columns(data, scaling)


def _criterion(options: argparse.Namespace, config: RunConfig, parameters: Sequence[str]) -> str | None:
    """Return what the best cell is chosen by, if it is; raise, before anything runs, if the cells will not have it."""
    algorithm = ALGORITHMS[config.algorithm]
    silent = f"of a coarsened model nll and objective say nothing between values of {' and '.join(parameters)}"
    compares = nll_compares(config, parameters)
    if options.criterion in ("nll", "objective") and not compares:
        raise InvalidParameterError(f"--criterion {options.criterion}: {silent}; take held_out.")
    if options.criterion == "nll" and not algorithm.has_nll:
        raise InvalidParameterError(f"--criterion nll: {algorithm.name} has no nll; leave it out or take objective.")
    if options.criterion == "held_out" and not algorithm.has_density:
        raise InvalidParameterError(f"--criterion held_out: {algorithm.name} has no density; take objective.")
    if options.criterion == "held_out" and options.folds == 0:
        raise InvalidParameterError("--criterion held_out needs folds; leave out --folds 0, or say how many.")
    if options.folds and not algorithm.has_density:
        raise InvalidParameterError(f"--folds {options.folds}: {algorithm.name} has no density; leave it out.")
    if compares:
        return options.criterion or ("nll" if algorithm.has_nll else None)
    by_density = options.folds != 0
    print(f"dpviz: {silent}{'; held-out densities do' if by_density else ', so no best is named'}.", file=sys.stderr)
    return "held_out" if by_density else None


def _collect(
    running: Iterator[Cell], total: int, options: argparse.Namespace, watch: Watch | None
) -> tuple[list[Cell], int]:
    """Collect cells until all are done or the command is interrupted; return the latest of each, and the exit code."""
    begun, cells, code, why = time.perf_counter(), {}, 0, ""
    n_gained = 0
    with progress_line(options.progress) as show:
        try:
            with bare_interrupts():
                for cell in running:
                    n_gained += cell.index in cells
                    cells[cell.index] = cell
                    gained = f", {n_gained:,} improved by a neighbour's partition" if n_gained else ""
                    show(str(Progress(len(cells), total, time.perf_counter() - begun)) + gained)
        except (KeyboardInterrupt, CancelledError) as interrupt:
            code, lost = ended(interrupt, watch, options.jobs)
            why = f"the scheduler at {options.scheduler} is lost" if lost else "interrupted"
    if code:
        early = " (not all had weighed their neighbours' partitions)" if len(cells) == total else ""
        print(f"dpviz: {why}; {len(cells):,} of {total:,} done are kept{early}", file=sys.stderr)
    return latest_cells(cells.values()), code


def _say_of_folds(data: Sequence[FloatArray], cells: list[Cell], n_folds: int) -> None:
    """Say why there are no held-out densities, or that copies of a row are left out together.

    ``data`` are those of each run of ``dpviz compare``, or of all.
    """
    if n_folds and (why := why_no_density(cells)):
        print(f"dpviz: {why} Leave such columns out, or choose other folds, or no directions.", file=sys.stderr)
        return
    judged = [cell for cell in cells if np.isfinite(cell.held_out)]
    words = {copies_in_words(data[cell.index[0] if len(data) > 1 else 0], cell.config, n_folds) for cell in judged[:1]}
    for copies in filter(None, words):
        print(f"dpviz: {copies}", file=sys.stderr)


def _deliver_cells(
    frame: pd.DataFrame, cells: list[Cell], options: argparse.Namespace, scaling: str | list[str], code: int
) -> int:
    """Write the table; of an interrupted command the part that is done, and never over an older one.

    Returns
    -------
    int
        The exit code: the given one, or 1 if the table could not be written where it should be.
    """
    if code and not cells:
        return code
    uses_model = [cell.config.uses_model for cell in cells]
    families: list[Any] = [cell.config.family if uses else None for cell, uses in zip(cells, uses_model, strict=True)]
    frame = frame.assign(family=families, scaling=scaling)
    out = kept_from_loss(options.out) if code else options.out
    place = deliver_table(frame, [cell.config for cell in cells], out)
    if out != options.out:
        print(f"dpviz: {options.out} stays as it was; what was done is{_where(place)}", file=sys.stderr)
    return code or int(place != out)


def _where(out: str | None) -> str:
    return "" if out is None else f" in {out}"


def _records(cells: Iterable[Cell]) -> list[dict[str, Any]]:
    names = ("n_clusters", "nll", "objective", "held_out", "nmi", "ari", "n_sweeps", "converged", "seconds")
    return [{name: getattr(cell, name) for name in names} for cell in cells]
