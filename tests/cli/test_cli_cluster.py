"""The command line on a Dask cluster that loses its workers and its scheduler."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import joblib
import pandas as pd
import pytest
from command_line import cli

from dpviz.cli.cluster import cluster

ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 300
"""Nothing takes so long on any machine: what does, hangs."""


class Cluster:
    """A scheduler and single-core workers in processes of their own, which tests may kill."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._file = folder / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self._file)]
        self.scheduler = self._start("distributed.cli.dask_scheduler", *options)
        wait_for(lambda: self._file.exists() and self._file.read_text().endswith("}"))
        self.address = json.loads(self._file.read_text())["address"]

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker; the scheduler has it when its log says so."""
        log = self._folder / f"worker{time.monotonic_ns()}.log"
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        options += ["--local-directory", str(self._folder)]
        worker = self._start("distributed.cli.dask_worker", self.address, *options, log=log)
        wait_for(lambda: "Registered to" in log.read_text())
        return worker

    def _start(self, module: str, *options: str, log: Path | None = None) -> subprocess.Popen[bytes]:
        output = self._stack.enter_context((log or self._folder / "scheduler.log").open("wb"))
        command = [sys.executable, "-m", module, *options]
        process = self._stack.enter_context(subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output))
        self._stack.callback(process.kill)
        return process


def wait_for(happened: object) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def read_until(stream: object, text: str) -> None:
    for line in stream:
        if text in line:
            return
    raise AssertionError(f"the command ended before it said {text!r}")


@pytest.fixture
def own_cluster(tmp_path) -> Iterator[Cluster]:
    with contextlib.ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def test_a_cluster_without_workers_is_refused_and_one_of_one_worker_is_used(own_cluster, capsys):
    assert cli("tune iris --parameter power --values 1.1 --scheduler", own_cluster.address) == 1
    assert "has no workers" in capsys.readouterr().err
    worker = own_cluster.add_worker()
    with cluster(own_cluster.address):
        where = joblib.Parallel()(joblib.delayed(os.getpid)() for _ in range(3))
    assert where == [worker.pid] * 3


def test_lost_workers_are_spoken_of_and_a_lost_scheduler_keeps_what_is_done(own_cluster, tmp_path):
    out = tmp_path / "grid.csv"
    worker = own_cluster.add_worker()
    grid = ["tune", "wine", "--parameter", "concentration", "--range", "0.1", "5", "9000"]
    grid += ["--folds", "0", "--effort", "0", "--family", "normal_gamma", "--prior", "none"]
    command = [sys.executable, "-m", "dpviz.cli", *grid, "--scheduler", own_cluster.address, "--progress"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "--out", str(out)], cwd=ROOT, **pipes) as process:
        try:
            read_until(process.stderr, "of 9,000")
            worker.kill()
            read_until(process.stderr, "has no workers left")
            own_cluster.add_worker()
            read_until(process.stderr, "has workers again")
            read_until(process.stderr, "of 9,000")
            own_cluster.scheduler.kill()
            _, err = process.communicate(timeout=MOST_SECONDS)
        finally:
            process.kill()
    said = [line for line in err.splitlines() if not line[:1].isdigit()]  # without the progress
    assert len(said) == 2 and said[0].startswith(f"dpviz: the scheduler at {own_cluster.address} is lost; "), err
    assert said[1].startswith("best by nll: ")
    assert process.returncode == 1 and "Traceback" not in err, err
    assert 0 < len(pd.read_csv(out)) < 9000
