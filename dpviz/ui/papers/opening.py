"""Open a row of a table in Compare: its data, and every method as it was run there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpviz.analysis.studies import Record, Results, Study
from dpviz.analysis.studies.measures import started_at_truth
from dpviz.analysis.studies.study import Source, StudyCell, Table
from dpviz.config import RunConfig
from dpviz.ui.compare import panels
from dpviz.ui.session import naming, state
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset, prepare
from dpviz.ui.shell import navigation


def runs_of_row(study: Study, results: Results, table: Table, row: str) -> list[tuple[StudyCell, Record]]:
    """Return the first repetition of every cell that a row shows, equal configurations once."""
    cells = {cell.key: cell for cell in study.cells(**results.size)}
    keys = dict.fromkeys(entry.cell for entry in table.entries if entry.row == row)
    found: dict[tuple[Source, RunConfig], tuple[StudyCell, Record]] = {}
    for key in keys:
        for record in results.of(*key)[:1]:
            cell = cells[record.key]
            found.setdefault((cell.source, record.config), (cell, record))
    return list(found.values())


def data_sets(runs: Sequence[tuple[StudyCell, Record]]) -> list[Source]:
    """Return the data that some runs are of, each once."""
    return list(dict.fromkeys(cell.source for cell, _ in runs))


def choice_of(source: Source) -> DataChoice | None:
    """Return the choice that stands for the data; None for a table that is not here.

    A part of a table's rows goes along as data of the session.
    """
    if source.kind == "file":
        return None
    if source.groups:
        return keep_session_dataset(source.load())
    plain = DataChoice(source.kind, source.name, scaling=source.scaling, gaps=source.gaps)
    return plain.with_options(**dict(source.options)) if source.options else plain


def open_in_compare(source: Source, runs: Sequence[tuple[StudyCell, Record]]) -> None:
    """Show the runs that are of these data side by side on the Compare page."""
    choice = choice_of(source)
    if choice is None:
        return
    dataset = prepare(choice).dataset
    configs = [
        started_at_truth(dataset, record.config) if record.starts_from_truth else record.config
        for cell, record in runs
        if cell.source == source
    ]
    if len(configs) < panels.FEWEST:
        configs.append(replace(RunConfig("mapdp"), seed=configs[0].seed))
    state.choose_data(choice)
    panels.set_panels(configs[: panels.MOST], panels.Common(), naming.data_key(choice))
    navigation.go_to("compare", "The comparison is set up; open the Compare page to see it.")
