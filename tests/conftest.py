"""Settings every test runs under."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from hypothesis import settings

# Read when numpy is first imported, which happens after this file.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

# Set regardless of the shell: otherwise every worker and every process of a test would compile all sources again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The same examples in every run, and none judged by how long a busy machine takes.
settings.register_profile("dpviz", derandomize=True, deadline=None)
settings.load_profile("dpviz")


@pytest.fixture(autouse=True)
def own_main_module():
    """A page that a test ran stays behind as ``__main__``, which processes of later tests would run when they start."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def left_to_nobody():
    """What a test's pages still compute ends with it, as it would after a while without anybody who watches."""
    yield
    for thread in threading.enumerate():
        if thread.name == "dpviz work" and (target := getattr(thread, "_target", None)):  # none any more if it is over
            target.__self__.stop()


@pytest.fixture(autouse=True)
def opinions_of_few_draws(monkeypatch):
    """The second opinion that every run of the command line asks takes longer than what most tests are about."""
    for bound in ("FEWEST_SWEEPS", "MOST_SWEEPS"):
        monkeypatch.setattr(f"dpviz.analysis.second_opinion.{bound}", 4)


@pytest.fixture
def tables_read_here(monkeypatch):
    """For pages that are given files: these are read as ever, but without a process for each, which takes longer."""
    from dpviz.datasets.tables import isolated, reading_process

    monkeypatch.setattr(isolated, "_run", lambda given, result, _: reading_process.answer(given, result))
