"""Open a row of a table in Compare: its data, and every method with its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from dpviz.analysis.studies import STUDIES, Record, Results, Study
from dpviz.analysis.studies.measures import started_at_truth
from dpviz.analysis.studies.study import Source, StudyCell, Table
from dpviz.config import RunConfig
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset, prepare
from dpviz.ui.shell import navigation
from dpviz.ui.stage import panels


def cells_of(study: Study, results: Results) -> Mapping[tuple[str, str, int], StudyCell]:
    """Return the cells of some results, by their keys."""
    return _cells(study.name, tuple(results.size.items()))


@lru_cache(maxsize=32)
def _cells(name: str, size: tuple[tuple[str, int], ...]) -> Mapping[tuple[str, str, int], StudyCell]:
    """Make the cells of a study once: there are hundreds, and every figure and row of the page needs them."""
    return {cell.key: cell for cell in STUDIES[name].cells(**dict(size))}


def runs_of_row(study: Study, results: Results, table: Table, row: str) -> list[tuple[StudyCell, Record]]:
    """Return the first repetition of every cell in a row, without duplicate configurations."""
    cells = cells_of(study, results)
    keys = dict.fromkeys(entry.cell for entry in table.entries if entry.row == row)
    found: dict[tuple[Source, RunConfig], tuple[StudyCell, Record]] = {}
    for key in keys:
        for record in results.of(*key)[:1]:
            cell = cells[record.key]
            found.setdefault((cell.source, record.config), (cell, record))
    return list(found.values())


def data_sets(runs: Sequence[tuple[StudyCell, Record]]) -> list[Source]:
    """Return the distinct data of some runs."""
    return list(dict.fromkeys(cell.source for cell, _ in runs))


def choice_of(source: Source) -> DataChoice | None:
    """Return the choice that stands for the data; None for a table that is not bundled.

    A subset of a table's rows becomes data of the session.
    """
    if source.kind == "file":
        return None
    if source.groups:
        return keep_session_dataset(source.load())
    plain = DataChoice(source.kind, source.name, scaling=source.scaling, gaps=source.gaps)
    return plain.with_options(**dict(source.options)) if source.options else plain


def open_in_compare(source: Source, runs: Sequence[tuple[StudyCell, Record]]) -> None:
    """Show the runs of these data side by side on the Compare page."""
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
    panels.set_panels(configs[: panels.MOST], panels.Common(), choice)
    navigation.go_to("compare", "The comparison is set up; open the Compare page to see it.")
