"""The command line: results, files, exit codes, interrupts."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpviz
from dpviz.cli import main
from dpviz.cli.commands import app_file, streamlit_command

SHORT = ["--n-init", "3"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "flowers.csv"
    iris = dpviz.datasets.load("iris")
    frame = pd.DataFrame(iris.X, columns=["a", "b", "c", "d"])
    frame["kind"] = np.array(iris.label_names)[iris.labels]
    frame.to_csv(path, index=False)
    return path


def config(**options):
    return dpviz.RunConfig("mapdp", n_init=3, **options)


def test_run_keeps_the_whole_run(tmp_path, table):
    out = tmp_path / "run.json"
    assert main(["run", str(table), *SHORT, "--concentration", "0.5", "--seed", "4", "--out", str(out)]) == 0
    trace = dpviz.Trace.from_json(out.read_text())
    X = dpviz.datasets.load("iris").X
    expected = dpviz.run(X, config(partition=dpviz.ChineseRestaurant(0.5), seed=4))
    assert trace.config == expected.config
    np.testing.assert_array_equal(trace.labels, expected.labels)
    np.testing.assert_array_equal(trace.nll, expected.nll)


def test_run_writes_labels_by_row_of_the_file(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("x,y\n0.5,1.5\n,2.5\n0.7,1.25\n9.5,8.25\n9.75,8.5\n")
    out = tmp_path / "labels.csv"
    assert main(["run", str(path), *SHORT, "--algorithm", "kmeans", "--n-clusters", "2", "--out", str(out)]) == 0
    frame = pd.read_csv(out)
    assert frame["row"].tolist() == [0, 2, 3, 4]
    assert frame["cluster"].nunique() == 2
    assert frame["cluster"][0] == frame["cluster"][1] != frame["cluster"][2] == frame["cluster"][3]


def test_the_summary_tells_of_moves_of_whole_clusters(capsys):
    assert main(["run", "wine", "--seed", "1"]) == 0
    told = capsys.readouterr().out
    trace = dpviz.run(dpviz.datasets.load("wine").X, dpviz.RunConfig(seed=1))
    n_splits = sum(move == "split" for _, move in trace.moves)
    assert f"{n_splits} split" in told and f"from sweep {trace.moves[0][0]} on" in told


def test_run_prints_a_summary_with_scores(capsys):
    assert main(["run", "iris", *SHORT, "--quiet"]) == 0
    printed = capsys.readouterr()
    trace = dpviz.run(dpviz.datasets.load("iris").X, config())
    assert f"nll:           {trace.nll[-1]:.6f} nats" in printed.out
    assert "NMI:" in printed.out and str(trace.n_clusters[-1]) in printed.out
    assert printed.err == ""


def test_progress_goes_to_stderr_when_asked_for(capsys):
    arguments = ["tune", "iris", *SHORT, "--parameter", "power", "--values", "1.1,1.2", "--folds", "0", "--jobs", "1"]
    assert main([*arguments, "--progress"]) == 0
    assert "2 of 2 after" in capsys.readouterr().err
    assert main(["run", "synthetic:moons", *SHORT, "--progress"]) == 0
    assert "sweeps after" in capsys.readouterr().err


def test_options_reach_the_configuration(tmp_path, capsys):
    saved = tmp_path / "config.json"
    base = dpviz.RunConfig("gibbs", n_sweeps=30, burn_in=10, partition=dpviz.PitmanYor(2.0, 0.1), seed=9)
    saved.write_text(base.to_json())
    out = tmp_path / "run.json"
    arguments = ["run", "old_faithful", "--config", str(saved), "--discount", "0.3", "--prior", "c0=0.2", "--thin", "2"]
    assert main([*arguments, "--out", str(out)]) == 0
    written = dpviz.Trace.from_json(out.read_text()).config
    expected = dpviz.RunConfig("gibbs", n_sweeps=30, burn_in=10, thin=2, seed=9, prior={"c0": 0.2},
                               partition=dpviz.PitmanYor(2.0, 0.3))  # fmt: skip
    assert written == expected


def test_compare_has_a_row_per_algorithm(tmp_path):
    out = tmp_path / "table.json"
    arguments = ["compare", "synthetic:elliptical_separated", "--algorithms", "kmeans,mapdp,dpmeans", *SHORT]
    assert main([*arguments, "--n-clusters", "4", "--concentration", "0.5", "--jobs", "1", "--out", str(out)]) == 0
    rows = json.loads(out.read_text())
    assert [row["algorithm"] for row in rows] == ["kmeans", "mapdp", "dpmeans"]
    data = dpviz.datasets.synthesize("elliptical_separated")
    for row in rows:
        trace = dpviz.run(data.X, dpviz.RunConfig.from_dict(row["config"]))
        assert row["objective"] == pytest.approx(trace.objective[-1], rel=1e-12)
        assert row["nmi"] == pytest.approx(dpviz.metrics.nmi(data.labels, trace.labels_at(-1)), rel=1e-12)
    assert rows[0]["nll"] is None and rows[0]["n_clusters"] == 4
    assert rows[1]["config"]["partition"]["concentration"] == 0.5


def test_tune_writes_the_grid_and_names_the_best(tmp_path, capsys):
    out = tmp_path / "grid.csv"
    arguments = ["tune", "iris", *SHORT, "--parameter", "concentration", "--values", "0.1,1,10", "--folds", "2"]
    arguments += ["--parameter", "psi0", "--range", "0.1", "1", "2", "--jobs", "1", "--out", str(out)]
    assert main([*arguments, "--criterion", "held_out"]) == 0
    frame = pd.read_csv(out)
    assert frame["concentration"].tolist() == [0.1, 0.1, 1, 1, 10, 10]
    assert frame["psi0"].tolist() == pytest.approx([0.1, 1] * 3)
    best = frame.loc[frame["held_out"].idxmax()]
    assert f"concentration = {best['concentration']:g}, psi0 = {best['psi0']:g}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "is_held_out"),
    [([], True), (["--parameter", "psi0", "--values", "0.5"], False),
     (["--parameter", "psi0", "--values", "0.5", "--criterion", "held_out"], True), (["--folds", "0"], False)],
    ids=["one parameter", "two", "two, judged by it", "not wanted"],
)  # fmt: skip
def test_tune_holds_points_out_where_that_is_affordable_or_asked_for(tmp_path, more, is_held_out):
    out = tmp_path / "grid.csv"
    arguments = ["tune", "iris", *SHORT, "--parameter", "concentration", "--values", "1", "--jobs", "1"]
    assert main([*arguments, *more, "--out", str(out)]) == 0
    assert pd.read_csv(out)["held_out"].notna().all() == is_held_out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nosuch.csv"], "neither a file nor a bundled"),
        (
            ["tune", "iris", "--parameter", "c0", "--values", "1", "--folds", "0", "--criterion", "held_out"],
            "needs folds",
        ),
        (["run", "synthetic:nosuch"], "scenario"),
        (["run", "iris", "--label", "kind"], "columns of a file"),
        (["run", "iris", "--algorithm", "kmeans", "--power", "2"], "power"),
        (["run", "iris", "--concentration", "-1"], "concentration"),
        (["run", "iris", "--out", "run.exe"], ".json or .csv"),
        (["run", "iris", "--config", "nosuch.json"], "nosuch.json"),
        (["run", "iris", "--prior", "q=1"], "hyperparameter"),
        (["compare", "iris", "--algorithms", "kmeans", "--power", "2"], "--power"),
        (["compare", "iris", "--algorithms", "magic"], "algorithm"),
        (["tune", "iris", "--parameter", "power", "--values", "2,1"], "increasing"),
        (["tune", "iris", "--parameter", "power"], "--values or --range"),
        (["tune", "iris", "--parameter", "power", "--range", "1", "2", "2.5"], "whole number"),
        (["tune", "iris", "--parameter", "power", "--values", "1.1", "--scheduler", "tcp://127.0.0.1:9"], "scheduler"),
    ],
)
def test_what_can_be_put_right_ends_with_1_and_one_line(arguments, message, capsys):
    assert main(arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("dpviz: ") and message in printed.err and printed.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["run"], ["cluster", "iris"], ["run", "iris", "--algorithm", "magic"], ["run", "iris", "--seed", "x"],
     ["tune", "iris", "--parameter", "power", "--values", "1,b"], ["run", "iris", "--prior", "c0"]],
)  # fmt: skip
def test_wrong_usage_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: dpviz" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["run"], ["tune"], ["compare"]])
def test_help_teaches_with_examples_that_parse(command, capsys):
    from dpviz.cli import parser

    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    examples = [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.startswith("  dpviz ")]
    assert len(examples) >= 6
    for example in examples:
        parser().parse_args(example)


@contextlib.contextmanager
def started(*arguments):
    """A command in a process group of its own, as a terminal would start it."""
    command = [sys.executable, "-m", "dpviz.cli", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # Where the tests themselves run in the background, Ctrl-C is ignored, and children would inherit that.
    listening = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), "start_new_session": True}
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], **listening, **pipes) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def interrupted(process, after):
    """Wait for a line of progress that matches, then do what Ctrl-C does to every process of the group."""
    for line in process.stderr:
        if re.search(after, line):
            break
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return out, err


def test_an_interrupted_run_keeps_what_was_done(tmp_path):
    out = tmp_path / "run.json"
    arguments = ["run", "old_faithful", "--algorithm", "gibbs", "--n-sweeps", "1000000", "--progress"]
    with started(*arguments, "--out", str(out)) as process:
        _, err = interrupted(process, r"\d{2,} sweeps after")
    assert process.returncode == 130 and "Traceback" not in err
    trace = dpviz.Trace.from_json(out.read_text())
    assert 0 < trace.n_sweeps < 1_000_000 and trace.labels.shape[1] == 272


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_grid_keeps_its_finished_cells(tmp_path, jobs):
    out = tmp_path / "grid.csv"
    arguments = ["tune", "wine", "--parameter", "concentration", "--range", "0.1", "5", "3000", "--progress"]
    with started(*arguments, "--folds", "0", "--jobs", jobs, "--out", str(out)) as process:
        _, err = interrupted(process, "of 3,000")
    assert process.returncode == 130 and "Traceback" not in err, err
    frame = pd.read_csv(out)
    assert 0 < len(frame) < 3000
    assert frame["nll"].notna().all()


def test_a_reader_that_stops_early_is_no_error():
    with started("run", "iris", "--n-init", "1") as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


# --- app --------------------------------------------------------------------------------------------------------------


def test_without_a_checkout_the_app_says_where_it_is(tmp_path):
    package = tmp_path / "dpviz"
    package.mkdir()
    with pytest.raises(dpviz.DpvizError, match="checkout"):
        app_file(package)
    (tmp_path / "app.py").touch()
    assert app_file(package) == tmp_path / "app.py"


def test_the_app_is_served_where_it_was_asked_to(tmp_path):
    (tmp_path / "app.py").write_text("import streamlit\nstreamlit.title('hello')\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [*streamlit_command(tmp_path / "app.py", "127.0.0.1", port), "--server.headless", "true"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as process:
        try:
            deadline = time.monotonic() + 60
            while True:
                with contextlib.suppress(OSError):
                    answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5).read()
                    break
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.2)
            assert answer == b"ok"
        finally:
            process.terminate()
