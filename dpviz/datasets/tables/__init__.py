"""Tables of users: safe reading, guesses of the columns' kinds, conversion to a dataset, export."""

from __future__ import annotations

from dpviz.datasets.tables.convert import dataset_of, to_dataset
from dpviz.datasets.tables.decision import Decision, decide
from dpviz.datasets.tables.dialect import ENCODINGS
from dpviz.datasets.tables.export import export_csv
from dpviz.datasets.tables.isolated import read_isolated
from dpviz.datasets.tables.kinds import ALL_KINDS, ROLES, infer_kinds
from dpviz.datasets.tables.limits import MAX_ABSOLUTE, MAX_BYTES, MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from dpviz.datasets.tables.points import NewPoints, WrongCell, read_like, read_points
from dpviz.datasets.tables.read import EXTENSIONS, read_text
from dpviz.datasets.tables.table import Table
from dpviz.datasets.tables.table_files import read_table

__all__ = [
    "ALL_KINDS",
    "ENCODINGS",
    "EXTENSIONS",
    "MAX_ABSOLUTE",
    "MAX_BYTES",
    "MAX_CELLS",
    "MAX_COLUMNS",
    "MAX_ROWS",
    "ROLES",
    "Decision",
    "NewPoints",
    "Table",
    "WrongCell",
    "dataset_of",
    "decide",
    "export_csv",
    "infer_kinds",
    "read_isolated",
    "read_like",
    "read_points",
    "read_table",
    "read_text",
    "to_dataset",
]
