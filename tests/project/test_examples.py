"""The example notebooks: they run, and what they show is what is kept in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
LARGEST_BYTES = 40_000
"""Of a notebook with its outputs: players are left out of them, since they are pages of their own."""


def said(cell: Any) -> str:
    """Everything a cell has put out as text; digits count as any digits, as chains differ between processors."""
    parts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return re.sub(r"[\s\d.]+", " ", "".join(parts))


def cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_four():
    assert NOTEBOOKS == ["first_steps.ipynb", "galaxies.ipynb", "mixed_table.ipynb", "posterior.ipynb"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_says_what_it_says_in_the_file(name):
    kept = nbformat.read(FOLDER / name, as_version=4)
    fresh = nbformat.read(FOLDER / name, as_version=4)
    for cell in cells(fresh):
        cell.outputs = []
    # no limit of its own: a machine may be slow
    nbclient.NotebookClient(fresh, timeout=None, kernel_name="python3").execute()
    for before, after in zip(cells(kept), cells(fresh), strict=True):
        assert before.outputs and said(before)[:60] == said(after)[:60]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_small_and_name_no_place_of_the_machine_that_ran_them(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST_BYTES
    nbformat.validate(nbformat.reads(text, as_version=4))
    assert not re.search(r"/(home|root|work|tmp|usr)/", text)
