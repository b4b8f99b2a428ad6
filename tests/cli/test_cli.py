"""The command line: results, files, exit codes, interrupts."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from command_line import cli, own_process, typed
from joblib.externals.loky._base import Future
from joblib.externals.loky.process_executor import ShutdownExecutorError
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.analysis import grids
from dpviz.analysis.grids import Axis, Grid
from dpviz.analysis.merging import tree
from dpviz.analysis.prediction import Predictor, predict
from dpviz.analysis.sharing import accept_offer, partition_nll
from dpviz.cli import cluster, commands, parser
from dpviz.cli.interrupts import end_workers, quiet_cancelling
from dpviz.cli.outputs import kept_from_loss
from dpviz.cli.rescue import deliver
from dpviz.engine.problem import Problem
from dpviz.partition import AUTOMATIC_PARTITION
from examples import ONE_KIND, UNBOUNDED

FULL = "--family normal_wishart --prior none"
DIAGONAL = "--family normal_gamma --prior none"
SHORT = f"--n-init 3 {FULL}"
PLAIN = "--transform none"
BRIEF = f"{SHORT} --effort 0.02"
"""A short search, where another subject than the search asks for any run."""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "flowers.csv"
    iris = dpviz.datasets.load("iris")
    frame = pd.DataFrame(iris.X, columns=["a", "b", "c", "d"])
    frame["kind"] = np.array(iris.label_names)[iris.labels]
    frame.to_csv(path, index=False)
    return path


def config(**options):
    usual = {"family": "normal_wishart", "partition": "auto", "prior": None, "effort": 0.02}
    return dpviz.RunConfig("mapdp", n_init=3, **{**usual, **options})


def test_run_keeps_the_whole_run(tmp_path, table):
    out = tmp_path / "run.json"
    asked = f"--concentration 0.5 --seed 4 --scaling none {PLAIN}"
    assert cli("run", table, SHORT, asked, "--out", out) == 0
    trace = dpviz.Trace.from_json(out.read_text())
    X = dpviz.datasets.load("iris").X
    expected = dpviz.run(X, config(partition=dpviz.ChineseRestaurant(0.5), seed=4, effort=1.0))
    assert trace.config == expected.config
    assert_array_equal(trace.labels, expected.labels)
    assert_array_equal(trace.nll, expected.nll)


@pytest.mark.parametrize(
    ("asked", "option", "value"),
    [
        ("--n-init 2 --effort 0.02", "effort", 0.02),
        (f"--init single --n-init 1 {FULL} --first-sweep all_points", "first_sweep", "all_points"),
    ],
)
def test_an_option_is_that_of_the_run(asked, option, value, tmp_path):
    out = tmp_path / "run.json"
    assert cli("run iris --quiet", asked, "--out", out) == 0
    trace = dpviz.Trace.from_json(out.read_text())
    assert getattr(trace.config, option) == value
    assert_array_equal(trace.labels, dpviz.run(dpviz.datasets.load("iris").X, trace.config).labels)


def test_run_writes_the_table_with_clusters(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("id,x,y,note,z\n=1+1,0.5,1.5,a,1\nb,,2.5,b,2\nc,0.7,1.25,,3\nd,9.5,8.25,d,4\ne,9.75,8.5,e,5\n")
    out = tmp_path / "labels.csv"
    method = "--algorithm kmeans --n-clusters 2 --exclude z"
    assert cli("run", path, SHORT, method, "--out", out) == 0
    frame = pd.read_csv(out)
    assert list(frame.columns) == ["id", "x", "y", "note", "z", "cluster", "note_"]
    assert frame["id"].tolist() == ["'=1+1", "b", "c", "d", "e"] and frame["z"].tolist() == [1, 2, 3, 4, 5]
    assert frame["cluster"].isna().tolist() == [False, True, False, False, False]
    assert frame["cluster"][0] == frame["cluster"][2] != frame["cluster"][3] == frame["cluster"][4]
    assert frame["note_"].dropna().tolist() == ["not clustered: missing “x”"]


def test_the_summary_tells_of_moves_of_whole_clusters(capsys):
    assert cli("run wine", DIAGONAL, "--seed 1 --concentration 3") == 0
    told = capsys.readouterr().out
    trace = dpviz.run(dpviz.datasets.load("wine").X, dpviz.RunConfig(seed=1, family="normal_gamma", prior=None))
    n_splits = sum(move == "split" for _, move in trace.moves)
    assert f"{n_splits} split" in told and f"from sweep {trace.moves[0][0]} on" in told


def test_the_summary_tells_how_many_splits_and_merges_were_accepted(capsys):
    chain = "--algorithm gibbs --n-sweeps 20 --burn-in 2"
    assert cli("run iris", chain, "--split-merge 2") == 0
    told = capsys.readouterr().out
    options = {"family": "normal_wishart", "partition": "auto", "n_sweeps": 20, "burn_in": 2, "split_merge": 2}
    trace = dpviz.run(dpviz.datasets.load("iris").X, dpviz.RunConfig("gibbs", **options))
    expected = f"{trace.acceptance_rate:.2%} of 40 proposals accepted ({trace.n_accepted.sum()})"
    assert f"split–merge:   {expected}" in told
    assert cli("run iris", chain) == 0 and "proposals" not in capsys.readouterr().out


def test_gibbs_learns_hyperparameters(tmp_path, capsys):
    out, chain = tmp_path / "run.json", f"--algorithm gibbs --n-sweeps 40 --burn-in 10 {FULL}"
    law = "--hyperprior 'concentration=gamma(2, 0.5)'"
    assert cli("run iris", chain, law, "--concentration 0.5 --out", out) == 0
    trace = dpviz.Trace.from_json(out.read_text())
    assert trace.config.hyperpriors == (("concentration", dpviz.Gamma(2, 0.5)),)
    assert trace.config.partition == dpviz.ChineseRestaurant(0.5)
    kept = trace.hyperparameters["concentration"][11:]
    assert cli("run iris", chain, law, "--concentration 0.5") == 0
    assert f"learned:       concentration: mean {kept.mean():.4g}, 90 % of the draws" in capsys.readouterr().out
    both = "--hyperprior power=1+gamma(1,10) --hyperprior concentration=gamma(1,1)"
    assert cli("run iris", chain, both, "--out", out) == 0
    trace = dpviz.Trace.from_json(out.read_text())
    assert trace.config.partition == dpviz.PoweredChineseRestaurant(3.0, 1.1)  # the law's mean
    assert list(trace.hyperparameters) == ["concentration", "power"]
    config = tmp_path / "config.json"
    config.write_text(trace.config.to_json())
    assert cli("run iris --config", config, "--power 1.3 --out", out) == 0
    again = dpviz.Trace.from_json(out.read_text()).config
    assert (again.partition.power, again.hyperpriors) == (1.3, trace.config.hyperpriors)
    assert cli("run iris --config", config, "--algorithm mapdp --n-init 1 --quiet") == 0


def test_a_configuration_in_another_encoding_is_named_and_a_mark_before_utf_8_is_none(tmp_path, capsys):
    text, file = config().to_json(), tmp_path / "config.json"
    for encoding in ("utf-16", "utf-32"):
        file.write_text(text, encoding=encoding)
        assert cli("run iris --config", file) == 1
        said = capsys.readouterr().err
        assert f"{str(file)!r} is no configuration: it is not text in UTF-8." in said and said.count("\n") == 1
        assert cli("predict", file, file, "--data iris") == 1
        assert "is no stored run: it is not text in UTF-8" in capsys.readouterr().err
    file.write_text(text, encoding="utf-8-sig")
    assert cli("run iris --config", file, "--quiet") == 0


def test_run_prints_a_summary_with_scores(capsys):
    assert cli("run iris", BRIEF, "--quiet") == 0
    printed = capsys.readouterr()
    trace = dpviz.run(dpviz.datasets.load("iris").X, config())
    assert f"nll:           {trace.nll[-1]:.6f} nats" in printed.out
    assert "NMI:" in printed.out and str(trace.n_clusters[-1]) in printed.out
    assert printed.err == ""


def test_progress_goes_to_stderr_when_asked_for(capsys):
    assert cli("tune iris", BRIEF, "--parameter power --values 1.1,1.2 --folds 0 --jobs 1 --progress") == 0
    assert "2 of 2 after" in capsys.readouterr().err
    assert cli("run synthetic:moons", BRIEF, "--progress") == 0
    assert "sweeps after" in capsys.readouterr().err


def test_options_reach_the_configuration(tmp_path, capsys):
    saved = tmp_path / "config.json"
    base = dpviz.RunConfig(
        "gibbs",
        n_sweeps=30,
        burn_in=10,
        partition=dpviz.PitmanYor(2.0, 0.1),
        seed=9,
        family="normal_wishart",
        prior=None,
    )
    saved.write_text(base.to_json())
    out = tmp_path / "run.json"
    arguments = typed("run old_faithful --config", saved, "--discount 0.3 --prior c0=0.2 --thin 2")
    assert cli(arguments, "--out", out) == 0
    written = dpviz.Trace.from_json(out.read_text()).config
    expected = dpviz.RunConfig(
        "gibbs",
        n_sweeps=30,
        burn_in=10,
        thin=2,
        seed=9,
        prior={"c0": 0.2},
        partition=dpviz.PitmanYor(2.0, 0.3),
        family="normal_wishart",
    )
    assert written == expected


def test_compare_has_a_row_per_algorithm(tmp_path):
    out = tmp_path / "table.json"
    arguments = "compare synthetic:elliptical_separated --algorithms kmeans,mapdp,dpmeans"
    assert cli(arguments, BRIEF, "--n-clusters 4 --concentration 0.5 --jobs 1 --out", out) == 0
    rows = json.loads(out.read_text())
    assert [row["algorithm"] for row in rows] == ["kmeans", "mapdp", "dpmeans"]
    data = dpviz.datasets.synthesize("elliptical_separated")
    for row in rows:
        trace = dpviz.run(data.X, dpviz.RunConfig.from_dict(row["config"]))
        assert row["objective"] == pytest.approx(trace.objective[-1], rel=1e-12)
        assert row["nmi"] == pytest.approx(dpviz.metrics.nmi(data.labels, trace.labels_at(-1)), rel=1e-12)
    assert rows[0]["nll"] is None and rows[0]["n_clusters"] == 4
    assert rows[1]["config"]["partition"]["concentration"] == 0.5


def test_the_model_under_which_n0_varies_is_chosen_as_that_of_a_run(tmp_path, capsys):
    file, out, run = tmp_path / "iris.csv", tmp_path / "grid.csv", tmp_path / "run.json"
    frame = dpviz.datasets.load("iris").frame
    frame.to_csv(file, index=False)
    columns = f"--features={','.join(frame.columns[:4])}"
    assert cli("run", file, [columns], "--quiet --out", run) == 0
    grid = typed("tune", file, [columns], "--parameter concentration --values 0.3 --folds 0 --jobs 1")
    assert cli(grid, "--out", out) == 0
    trace = dpviz.Trace.from_json(run.read_text())
    assert pd.read_csv(out)["nll"].tolist() == pytest.approx([trace.nll[trace.result_sweep]], rel=1e-9)


@pytest.mark.parametrize("family", [name for name in ONE_KIND if name in UNBOUNDED])
def test_a_family_that_is_asked_for_gets_the_numbers_that_it_takes(family, tmp_path, capsys):
    file, run = tmp_path / "counts.csv", tmp_path / "run.json"
    frame = pd.DataFrame(np.random.default_rng(0).poisson(300, size=(90, 3)), columns=list("abc"))
    frame.to_csv(file, index=False)
    assert cli("run", file, f"--family {family} --effort 0.02 --out", run) == 0
    assert "Columns are not scaled, since the family asked for takes them as they are." in capsys.readouterr().err
    trace = dpviz.Trace.from_json(run.read_text())
    expected = dpviz.run(frame.to_numpy(float), trace.config)
    assert trace.nll.tolist() == expected.nll.tolist()


def test_tune_writes_the_grid_and_names_the_best(tmp_path, capsys):
    out = tmp_path / "grid.csv"
    axes = "--parameter concentration --values 0.1,1,10 --parameter psi0 --range 0.1 1 2"
    assert cli("tune iris", BRIEF, axes, "--folds 2 --jobs 1 --criterion held_out --out", out) == 0
    frame = pd.read_csv(out)
    assert frame["concentration"].tolist() == [0.1, 0.1, 1, 1, 10, 10]
    assert frame["psi0"].tolist() == pytest.approx([0.1, 1] * 3)
    best = frame.loc[frame["held_out"].idxmax()]
    assert f"concentration = {best['concentration']:g}, psi0 = {best['psi0']:g}" in capsys.readouterr().err


POOR_SEARCHES = f"tune iris --init single --parameter concentration --range 0.1 30 8 --log {FULL}"
POOR_SEARCHES += " --folds 0 --jobs 1 --scaling none"


def rows_and_searches_alone(out, seed=0):
    """Rows of a grid that was written as JSON, and the nll of every cell's own search."""
    rows = json.loads(out.read_text())
    grid = Grid(
        dpviz.RunConfig("mapdp", init="single", seed=seed, family="normal_wishart", prior=None),
        (Axis.logarithmic("concentration", 0.1, 30, 8),),
    )
    X = dpviz.datasets.load("iris").X
    return rows, [dpviz.run(X, grid.config((number,), X)).nll[-1] for number in range(8)]


def test_tune_leaves_no_cell_worse_than_a_neighbours_partition(tmp_path):
    out = tmp_path / "grid.json"
    assert cli(POOR_SEARCHES, "--out", out) == 0
    rows, alone = rows_and_searches_alone(out)
    assert len(rows) == 8  # one for each cell, however often it improved
    X = dpviz.datasets.load("iris").X
    configs = [dpviz.RunConfig.from_dict(row["config"]) for row in rows]
    partitions = [dpviz.run(X, config).result_labels for config in configs]
    for number, (row, config) in enumerate(zip(rows, configs, strict=True)):
        around = [partitions[other] for other in (number - 1, number + 1) if 0 <= other < 8]
        own, *theirs = partition_nll(Problem(X, config), [partitions[number], *around])
        assert row["nll"] == pytest.approx(own, rel=1e-12) and own <= min(theirs) * (1 + 1e-8)
    assert all(row["nll"] <= before for row, before in zip(rows, alone, strict=True))
    assert any(row["nll"] < before - 1 for row, before in zip(rows, alone, strict=True))


def test_a_grid_that_is_interrupted_while_it_shares_keeps_what_was_gained(tmp_path, monkeypatch, capsys):
    out, rounds = tmp_path / "grid.json", []

    def interrupted_later(*arguments):
        rounds.append(arguments)
        if len(rounds) > 2:
            raise KeyboardInterrupt
        return accept_offer(*arguments)

    monkeypatch.setattr(grids, "accept_offer", interrupted_later)
    assert cli(POOR_SEARCHES, "--seed 1 --out", out) == 130  # no grid that is finished already
    assert "8 of 8 done are kept (not all had weighed" in capsys.readouterr().err
    rows, alone = rows_and_searches_alone(out, seed=1)
    n_gained = sum(row["nll"] < before - 1 for row, before in zip(rows, alone, strict=True))
    assert len(rows) == 8 and 0 < n_gained < 8


@pytest.mark.parametrize(
    ("more", "is_held_out"),
    [
        ([], True),
        ("--parameter psi0 --values 0.5", False),
        ("--parameter psi0 --values 0.5 --criterion held_out", True),
        ("--folds 0", False),
    ],
    ids=["one parameter", "two", "two, judged by it", "not wanted"],
)
def test_tune_holds_points_out_where_that_is_affordable_or_asked_for(tmp_path, more, is_held_out):
    out = tmp_path / "grid.csv"
    assert cli("tune iris", BRIEF, "--parameter concentration --values 1 --jobs 1", more, "--out", out) == 0
    assert pd.read_csv(out)["held_out"].notna().all() == is_held_out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run nosuch.csv", "neither a file nor a bundled"),
        (
            "tune iris --parameter c0 --values 1 --folds 0 --criterion held_out",
            "needs folds",
        ),
        ("run synthetic:nosuch", "scenario"),
        ("run iris --label kind", "about a file"),
        ("run iris --exclude a", "about a file"),
        ("run iris --out nosuch/run.json", "No such file"),
        (
            "tune iris --algorithm kmeans --parameter n_clusters --values 2 --criterion nll",
            "has no nll",
        ),
        (
            "tune iris --algorithm dpmeans --parameter penalty --values 2 --criterion held_out",
            "has no density",
        ),
        (
            "tune iris --algorithm kmeans --parameter n_clusters --values 2 --folds 3",
            "has no density",
        ),
        ("compare iris --algorithms kmeans,dpmeans --folds 2", "have no density"),
        ("run iris --algorithm kmeans --power 2", "power"),
        ("run iris --concentration -1", "concentration"),
        ("run iris --out run.exe", ".json or .csv"),
        ("run iris --config nosuch.json", "nosuch.json"),
        ("run iris --family normal_wishart --prior q=1", "hyperparameter"),
        ("run iris --prior q=1", "no family has"),
        ("compare iris --algorithms kmeans --power 2", "--power"),
        ("compare iris --algorithms magic", "algorithm"),
        ("compare nosuch.csv --algorithms mapdp,gmm", "algorithm = 'gmm' must be one of"),
        ("tune iris --parameter power --values 2,1", "increasing"),
        ("tune iris --parameter power", "--values or --range"),
        ("tune iris --parameter power --range 1 2 2.5", "whole number"),
        ("tune iris --parameter power --values 1.1 --scheduler tcp://127.0.0.1:9", "scheduler"),
        ("run iris --hyperprior concentration=gamma(1,1)", "None with algorithm='mapdp'"),
        ("run iris --algorithm gibbs --hyperprior power=normal(0,1)", "must be a law such as"),
        ("run iris --algorithm gibbs --hyperprior c0=gamma(1,1)", "of parameters among concentration"),
        ("compare iris --algorithms kmeans,mapdp --hyperprior power=gamma(1,1)", "belongs to none of"),
        ("run iris --algorithm dpmeans --merge 2", "--merge 2: dpmeans has no nll"),
    ],
)
def test_what_can_be_put_right_ends_with_1_and_one_line(arguments, message, capsys, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.1)
    assert cli(arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("dpviz: ") and message in printed.err and printed.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        "run",
        "cluster iris",
        "run iris --algorithm magic",
        "run iris --seed x",
        "tune iris --parameter power --values 1,b",
        "run iris --prior c0",
        "tune iris --parameter power --values ,",
        "compare iris --algorithms ''",
        "run data.csv --features ' , '",
        "compare iris --jobs 0",
        "compare iris --jobs -2",
        "run iris --scaling much",
        "app --port 0",
        "app --port x",
        "run iris --merge 0",
        "run iris --merge few",
    ],
)
def test_wrong_usage_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli(arguments)
    assert ended.value.code == 2
    assert "usage: dpviz" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["", "run", "tune", "compare"])
def test_help_teaches_with_examples_that_parse(command, capsys):
    with pytest.raises(SystemExit) as ended:
        cli(command, "--help")
    assert ended.value.code == 0
    examples = [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.startswith("  dpviz ")]
    assert len(examples) >= 6
    for example in examples:
        parser().parse_args(example)


@contextlib.contextmanager
def started(*arguments):
    """A command in a process group of its own, as a terminal would start it."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # Where the tests themselves run in the background, Ctrl-C is ignored, and children would inherit that.
    listening = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), "start_new_session": True}
    with subprocess.Popen(own_process(*arguments), cwd=Path(__file__).parents[2], **listening, **pipes) as process:
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
    out, err = process.communicate(timeout=600)
    return out, err


def test_an_interrupted_run_keeps_what_was_done(tmp_path):
    out = tmp_path / "run.json"
    arguments = f"run old_faithful --algorithm gibbs --n-sweeps 1000000 --progress {FULL}"
    with started(arguments, "--out", out) as process:
        _, err = interrupted(process, r"\d{2,} sweeps after")
    assert process.returncode == 130 and "Traceback" not in err
    trace = dpviz.Trace.from_json(out.read_text())
    assert 0 < trace.n_sweeps < 1_000_000 and trace.labels.shape[1] == 272


LONG_GRID = f"tune wine --parameter concentration --range 0.1 5 3000 --progress --folds 0 --effort 0 {DIAGONAL}"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_grid_keeps_its_finished_cells(tmp_path, jobs):
    out = tmp_path / "grid.csv"
    with started(LONG_GRID, f"--jobs {jobs} --out", out) as process:
        _, err = interrupted(process, "of 3,000")
    assert process.returncode == 130 and "Traceback" not in err, err
    frame = pd.read_csv(out)
    assert 0 < len(frame) < 3000
    assert frame["nll"].notna().all()


def test_an_interrupted_command_alone_says_what_was_cancelled(caplog, recwarn):
    """Joblib warns of it, and a call that it hands out while its workers end is an error in the log."""

    def finished(callback):
        future = Future()
        future.add_done_callback(callback)
        future.set_result(0)

    with quiet_cancelling():
        parallel = joblib.Parallel(n_jobs=2, return_as="generator_unordered", batch_size=1)
        results = parallel(joblib.delayed(abs)(-number) for number in range(200))
        assert next(results) >= 0
        end_workers()
        with pytest.raises(ShutdownExecutorError):
            parallel._backend.submit(abs)
        finished(lambda future: parallel._backend.submit(abs))
        results.close()
    assert not caplog.records and not recwarn.list
    with quiet_cancelling():
        finished(lambda future: 1 / 0)
    assert [record.exc_info[0] for record in caplog.records] == [ZeroDivisionError]


def ctrl_c_at(words):
    """In place of the line of progress: what Ctrl-C does to this process once the line holds the words."""

    @contextlib.contextmanager
    def progress(wanted):
        yield lambda line: signal.raise_signal(signal.SIGINT) if words in line else None

    return progress


@pytest.fixture
def listening():
    """Where the tests themselves run in the background, Ctrl-C is ignored; under nohup a closed terminal is, too."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("listening")
def test_an_interrupted_run_leaves_an_older_result_alone(tmp_path, monkeypatch, capsys):
    out = tmp_path / "run.json"
    out.write_text("older")
    monkeypatch.setattr(commands, "progress_line", ctrl_c_at("12 sweeps after"))
    arguments = f"run old_faithful --algorithm gibbs --n-sweeps 1000000 --progress {FULL}"
    assert cli(arguments, "--out", out) == 130 and "run.partial.json" in capsys.readouterr().err
    assert out.read_text() == "older"
    assert dpviz.Trace.from_json((tmp_path / "run.partial.json").read_text()).n_sweeps > 0


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("at", ["trace_json", "deliver"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_over_is_written_whole_before_an_interrupt_ends_the_command(
    tmp_path, monkeypatch, capsys, at, number, code
):
    out, write = tmp_path / "run.json", getattr(commands, at)

    def interrupted_meanwhile(*arguments, **options):
        signal.raise_signal(number)
        return write(*arguments, **options)

    monkeypatch.setattr(commands, at, interrupted_meanwhile)
    assert cli("run iris", BRIEF, "--quiet --out", out) == code
    assert dpviz.Trace.from_json(out.read_text()).converged and capsys.readouterr().err == ""


@pytest.mark.usefixtures("listening")
def test_an_interrupt_while_draws_are_asked_keeps_the_whole_run(tmp_path, monkeypatch, capsys):
    out, ask = tmp_path / "run.json", commands._opinion_on

    def interrupted_first(*arguments):
        signal.raise_signal(signal.SIGINT)
        return ask(*arguments)

    monkeypatch.setattr(commands, "_opinion_on", interrupted_first)
    assert cli("run iris", BRIEF, "--out", out) == 130
    assert dpviz.Trace.from_json(out.read_text()).converged
    assert "second opinion: not tried" in capsys.readouterr().err


@pytest.mark.parametrize("end", [".json", ".csv", ".txt"])
@pytest.mark.parametrize("error", [dpviz.DpvizError("too many clusters"), MemoryError("no room")])
def test_a_second_opinion_that_fails_loses_nothing(tmp_path, monkeypatch, capsys, end, error):
    def failing(*_, **__):
        raise error

    monkeypatch.setattr("dpviz.analysis.second_opinion.second_opinion", failing)
    out = tmp_path / f"run{end}"
    assert cli("run iris", BRIEF, "--out", out) == 0
    said = f"not tried: {error}"
    assert said in (out.read_text() if end == ".txt" else capsys.readouterr().err)


def test_of_joined_clusters_the_opinion_says_that_it_is_on_those_before(capsys):
    assert cli("run iris", BRIEF, "--quiet --merge 2") == 0
    assert "Before clusters are joined: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("effort", "why"), [("0.001", "its budget was spent"), ("1", "searches from different starts")]
)
def test_a_summary_says_why_the_search_ended_and_how_to_go_on(effort, why, capsys):
    asked = f"run iris --family normal_wishart --prior width=1 --effort {effort} --quiet"
    assert cli(asked, "--no-second-opinion") == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("search:")]
    assert f"ended because {why}" in line
    assert line.endswith("More: --effort 4.") == (effort == "0.001")


def test_draws_are_asked_unless_they_are_not_wanted(capsys):
    assert cli("run iris", BRIEF, "--quiet") == 0
    assert "groups:        " in capsys.readouterr().out
    for arguments in (f"{BRIEF} --no-second-opinion", "--algorithm kmeans"):
        assert cli("run iris --quiet", arguments) == 0
        assert "groups:" not in capsys.readouterr().out


def hanging_up(monkeypatch, handler):
    """Hang up after some sweeps of a run; return the terminal's side, which nobody reads any more."""
    listening, before = signal.signal(signal.SIGHUP, handler), commands.progress_line

    @contextlib.contextmanager
    def progress(wanted):
        shown = 0

        def show(line):
            nonlocal shown
            shown += 1
            if shown == 5:
                signal.raise_signal(signal.SIGHUP)

        with before(False):
            yield show

    monkeypatch.setattr(commands, "progress_line", progress)
    return listening


@pytest.mark.parametrize("where", ["/dev/full", "a reader that has gone"])
def test_words_that_nobody_can_read_cost_no_result(tmp_path, where):
    out = tmp_path / "run.json"
    command = own_process("run iris --algorithm gibbs --n-sweeps 300 --progress --out", out)
    if where == "/dev/full":
        with open(where, "w") as full:
            code = subprocess.run(command, stderr=full, timeout=300).returncode
    else:
        reading, writing = os.pipe()
        os.close(reading)
        code = subprocess.run(command, stderr=writing, timeout=300).returncode
        os.close(writing)
    assert code == 0 and dpviz.Trace.from_json(out.read_text()).n_sweeps == 300


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_closed_streams_cost_workers_nothing(tmp_path, closed):
    out = tmp_path / "grid.csv"
    asked = "tune iris --parameter concentration --values 0.1,1 --quiet --n-init 1 --jobs 2 --effort 0.02 --folds 0"
    command = own_process(asked, "--out", out)
    code = subprocess.run(command, preexec_fn=lambda: [os.close(number) for number in closed], timeout=600).returncode
    assert code == 0 and pd.read_csv(out)["concentration"].tolist() == [0.1, 1.0]


def test_a_terminal_that_is_really_closed_does_not_take_the_run_with_it(tmp_path):
    out = tmp_path / "run.json"
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        own_process("run iris --algorithm gibbs --n-sweeps 5000000 --out", out),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=lambda: (
            signal.signal(signal.SIGHUP, signal.SIG_DFL),
            os.setsid(),
            fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # its controlling terminal
        ),
    )
    os.close(theirs)
    seen = b""
    while not re.search(rb"[1-9]\d+ sweeps", seen):  # the progress of a run that has begun
        seen += os.read(ours, 4096)
    os.close(ours)
    assert process.wait(timeout=300) == 129
    assert 0 < dpviz.Trace.from_json(out.read_text()).n_sweeps < 5_000_000


@pytest.mark.parametrize(("handler", "code"), [(signal.SIG_DFL, 129), (signal.SIG_IGN, 0)])
def test_a_closed_terminal_ends_a_run_as_ctrl_c_does_unless_it_is_ignored(tmp_path, monkeypatch, handler, code):
    before, out = hanging_up(monkeypatch, handler), tmp_path / "run.json"
    try:
        chain = typed("run iris --algorithm gibbs --n-sweeps 40 --burn-in 5 --out", out)
        assert cli(chain) == code
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (dpviz.Trace.from_json(out.read_text()).n_sweeps == 40) == (code == 0)


@pytest.mark.usefixtures("listening")
def test_an_interrupted_grid_leaves_an_older_result_alone(tmp_path, monkeypatch, capsys):
    out = tmp_path / "grid.csv"
    out.write_text("older")
    monkeypatch.setattr(commands, "progress_line", ctrl_c_at("of 3,000"))
    assert cli(LONG_GRID, "--jobs 1 --out", out) == 130
    assert "stays as it was" in capsys.readouterr().err
    assert out.read_text() == "older"
    assert 0 < len(pd.read_csv(tmp_path / "grid.partial.csv")) < 3000


@pytest.mark.usefixtures("listening")
def test_ctrl_c_while_a_kernel_passes_its_results_on_is_an_interrupt(tmp_path, monkeypatch, capsys):
    """Numba runs Python code there, and a SystemError is what it makes of an exception."""
    out, pressed = tmp_path / "grid.csv", []

    def press(frame, event, argument):
        if event == "call" and frame.f_code.co_name == "_numba_unpickle":
            sys.setprofile(None)
            pressed.append(frame.f_code.co_filename)
            signal.raise_signal(signal.SIGINT)

    @contextlib.contextmanager
    def progress(wanted):
        yield lambda line: sys.setprofile(press)
        sys.setprofile(None)

    monkeypatch.setattr(commands, "progress_line", progress)
    assert cli(LONG_GRID, "--jobs 1 --out", out) == 130
    assert pressed and "are kept" in capsys.readouterr().err
    assert 0 < len(pd.read_csv(out)) < 3000


def descendants(parent):
    """Processes that a process started, and those that they started."""
    found, parents = [], {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, rest = int(status.parent.name), status.read_text().rpartition(")")[2].split()
            if rest[0] != "Z":
                parents[pid] = int(rest[1])
    waiting = [parent]
    while waiting:
        one = waiting.pop()
        children = [pid for pid, above in parents.items() if above == one]
        found += children
        waiting += children
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_sigterm_keeps_what_was_done_and_leaves_no_workers(tmp_path):
    out = tmp_path / "grid.csv"
    with started(LONG_GRID, "--jobs 2 --out", out) as process:
        for line in process.stderr:
            if "of 3,000" in line:
                break
        workers = descendants(process.pid)
        assert len(workers) >= 2
        process.terminate()  # this process alone, as a service manager does
        _, err = process.communicate(timeout=600)
        assert process.returncode == 143 and "Traceback" not in err, err
        assert 0 < len(pd.read_csv(out)) < 3000
        gone = time.monotonic() + 600  # the resource tracker goes when it reads the end of its pipe
        while any(map(alive, workers)) and time.monotonic() < gone:
            time.sleep(0.1)
        assert [pid for pid in workers if alive(pid)] == []


# --- options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "compare", "tune", "app"])
def test_every_option_has_a_text_and_its_default(command):
    (commands,) = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    given = {"--parameter", "--values", "--range"}  # a grid has no default
    for action in commands.choices[command]._actions:
        assert action.help, action
        if action.option_strings and not given & set(action.option_strings) and action.dest != "help":
            assert "default: " in action.help, action.option_strings


def test_help_names_the_defaults_that_a_run_has():
    (commands,) = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    texts = {action.dest: action.help for action in commands.choices["run"]._actions}
    own, usual = AUTOMATIC_PARTITION.concentration, dpviz.RunConfig().partition.concentration
    assert texts["concentration"].endswith(
        f"default: {own:g}, or {usual:g} if another option is about the partition prior"
    )
    assert texts["penalty"].endswith("default: 4.0")
    named = re.findall(r"(\d+) \(([\w, ]+)\)", texts["n_init"].partition("default: ")[2])
    told = {name: int(value) for value, names in named for name in names.split(", ")}
    assert told == {name: algorithm.defaults["n_init"] for name, algorithm in dpviz.ALGORITHMS.items()}


@pytest.mark.parametrize(
    ("asked", "partition"),
    [
        ([], AUTOMATIC_PARTITION),
        ("--seed 2", AUTOMATIC_PARTITION),
        ("--concentration 3", dpviz.ChineseRestaurant(3.0)),
        ("--power 1.2", dpviz.PoweredChineseRestaurant(3.0, 1.2)),
        ("--discount 0.2", dpviz.PitmanYor(3.0, 0.2)),
    ],
)
@pytest.mark.parametrize("algorithm", ["--n-init 1", "--algorithm gibbs --n-sweeps 5 --burn-in 1"])
def test_a_run_that_says_nothing_of_the_partition_prior_has_the_automatic_one(asked, partition, algorithm, capsys):
    assert cli("run iris", FULL, algorithm, asked) == 0
    told = capsys.readouterr().out
    config = dpviz.RunConfig.from_json(re.search("configuration: (.*)", told)[1])
    assert config.partition == partition
    assert f"prior:         {partition.title}, {partition.describe()}" in told


def test_a_configuration_keeps_its_partition_prior(tmp_path, capsys):
    stored = tmp_path / "config.json"
    stored.write_text(dpviz.RunConfig(n_init=1, family="normal_wishart", prior=None).to_json())
    assert cli("run iris --config", stored) == 0
    assert "prior:         Chinese restaurant, N0 = 3\n" in capsys.readouterr().out


def test_standard_input_is_read_as_a_file_would_be(tmp_path, table, monkeypatch):
    outs = tmp_path / "a.csv", tmp_path / "b.csv"
    assert cli("run", table, BRIEF, "--out", outs[0]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table.read_bytes())))
    assert cli("run -", BRIEF, "--out", outs[1]) == 0
    assert outs[0].read_text() == outs[1].read_text()


def test_closed_standard_input_is_said(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)  # as Python starts where that is closed
    assert cli("run -", BRIEF) == 1
    assert "standard input (-) is closed" in capsys.readouterr().err


def test_columns_are_chosen_and_left_out(tmp_path, table, capsys):
    outs = tmp_path / "a.csv", tmp_path / "b.csv"
    assert cli("run", table, BRIEF, "--features a,c --label kind --out", outs[0]) == 0
    assert cli("run", table, BRIEF, "--exclude b,d --label kind --out", outs[1]) == 0
    assert outs[0].read_text() == outs[1].read_text()
    for arguments, message in [
        (["--exclude", "q"], "none of the columns a, b, c, d, kind"),
        (["--exclude", "a", "--features", "a"], "contradicts"),
    ]:
        assert cli("run", table, arguments) == 1
        assert message in capsys.readouterr().err


def test_repair_is_asked_for(tmp_path, capsys):
    path = tmp_path / "ragged.csv"
    rows = [f"{i / 7:.3f},{i * i % 11 / 3:.3f}" for i in range(30)]
    path.write_text("\n".join(["x,y", *rows[:20], "1.5,2.5,9", *rows[20:]]) + "\n")
    assert cli("run", path, BRIEF) == 1
    capsys.readouterr()
    assert cli("run", path, BRIEF, "--repair") == 0
    assert "22" in capsys.readouterr().out  # the line that was repaired


@pytest.mark.parametrize("scaling", ["standardise", "robust"])
def test_columns_are_scaled_as_the_library_does(tmp_path, table, scaling):
    out = tmp_path / "run.json"
    assert cli("run", table, BRIEF, f"--scaling {scaling} --out", out) == 0
    X = dpviz.datasets.scale(dpviz.datasets.load("iris").X, scaling).X
    expected, stored = dpviz.run(X, config()), dpviz.Trace.from_json(out.read_text())
    assert_allclose(stored.in_units(0.0).nll, expected.nll, rtol=1e-12)
    spread = dpviz.datasets.scale(dpviz.datasets.load("iris").X, scaling).spread
    assert_allclose(stored.nll, expected.nll + len(X) * np.log(spread).sum(), rtol=1e-12)


@pytest.mark.parametrize(
    ("family", "name", "prior"),
    [
        ("exponential", "coal_mining_intervals", "beta0=[80]"),
        ("categorical", "zoo", "alpha0=0.5"),
        ("binomial", "house_votes_84", "trials=1"),
        ("poisson", "horse_kicks", "beta0=0.7"),
        ("geometric", "london_times_deaths", "alpha0=3"),
        ("mixed", "heart_cleveland", "binomial_alpha0=1.5"),
    ],
)
def test_every_family_runs(tmp_path, family, name, prior):
    out, short = tmp_path / "run.json", "--n-init 1 --effort 0.05"
    assert cli("run", [name], f"--family {family} --prior", [prior], short, "--out", out) == 0
    key, _, value = prior.partition("=")
    data = dpviz.datasets.load(name)
    options = {"family": family, "partition": "auto", "prior": {key: json.loads(value)}}
    config = dpviz.RunConfig(**options, n_init=1, effort=0.05).with_kinds(data.kinds)
    expected = dpviz.run(data.X, config)
    assert_array_equal(dpviz.Trace.from_json(out.read_text()).result_labels, expected.result_labels)


def test_compare_gives_each_algorithm_what_it_gets_by_itself(tmp_path, capsys):
    table, out = tmp_path / "t.csv", tmp_path / "out.json"
    CODED.to_csv(table, index=False)
    names = ["kmeans", "mapdp", "em"]
    brief = "--n-init 2 --effort 0 --quiet"
    assert cli("compare", table, "--algorithms", [",".join(names)], brief, "--jobs 1 --out", out) == 0
    rows = json.loads(out.read_text())
    assert [row["algorithm"] for row in rows] == names
    assert [row["scaling"] for row in rows] == ["one_hot", "none", "dummy"]
    for row in rows:
        alone, config = tmp_path / "alone.json", tmp_path / "c.json"
        config.write_text(json.dumps(row["config"]))
        assert cli("run", table, "--config", config, "--quiet --out", alone) == 0
        trace = dpviz.Trace.from_json(alone.read_text())
        assert row["objective"] == trace.objective[trace.result_sweep]
    capsys.readouterr()
    scaled = "--scaling standardise --exclude colour"
    assert cli("compare", table, "--algorithms kmeans,em", scaled, brief, "--out", out) == 0
    assert [row["scaling"] for row in json.loads(out.read_text())] == ["standardise"] * 2


def test_tables_say_family_and_scaling(tmp_path):
    out = tmp_path / "table.csv"
    assert cli("compare wine --algorithms mapdp,kmeans", BRIEF, "--scaling standardise --jobs 1 --out", out) == 0
    frame = pd.read_csv(out, keep_default_na=False)
    assert frame["family"].tolist() == ["normal_wishart", ""]
    assert frame["scaling"].tolist() == ["standardise"] * 2


# --- files ----------------------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written_to_is_refused_before_the_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dpviz, "run", lambda *_: pytest.fail("it ran"))
    assert cli("run iris --out", tmp_path / "none" / "run.json") == 1
    assert "none" in capsys.readouterr().err
    (tmp_path / "folder.json").mkdir()
    assert cli("run iris --out", tmp_path / "folder.json") == 1
    assert "is a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "source"),
    [
        ("run flowers.csv", "flowers.csv"),
        ("run -", "flowers.csv"),
        ("compare flowers.csv --config config.json", "config.json"),
        ("compare flowers.csv", "flowers.csv"),
        ("tune flowers.csv --parameter concentration --values 1,2", "flowers.csv"),
        ("predict run.json flowers.csv --data iris", "flowers.csv"),
        ("predict run.json iris --data flowers.csv", "flowers.csv"),
    ],
)
@pytest.mark.parametrize("spelling", ["", "./", "linked to "])
def test_a_result_never_replaces_what_the_command_reads(
    tmp_path, table, monkeypatch, capsys, arguments, source, spelling
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text(config().to_json())
    if spelling.startswith("linked"):
        (tmp_path / f"{spelling}{source}").symlink_to(source)
    before = (tmp_path / source).read_bytes()
    with table.open("rb") as file:
        standard_input = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            assert cli(arguments, "--out", [f"{spelling}{source}"]) == 1
        finally:
            os.dup2(standard_input, 0)
            os.close(standard_input)
    assert "is what this command reads, and would be lost. Name another file." in capsys.readouterr().err
    assert (tmp_path / source).read_bytes() == before


def test_a_written_file_keeps_its_link_and_its_rights(tmp_path):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("older")
    target.chmod(0o640)
    link.symlink_to(target)
    deliver("newer", str(link))
    assert link.is_symlink() and target.read_text() == "newer" and target.stat().st_mode & 0o777 == 0o640


def test_partial_results_never_meet(tmp_path):
    out = tmp_path / "grid.csv"
    assert kept_from_loss(None) is None and kept_from_loss(str(out)) == str(out)
    for name in ("grid.csv", "grid.partial.csv", "grid.partial2.csv"):
        assert kept_from_loss(str(out)) == str(tmp_path / name)
        (tmp_path / name).touch()


def test_a_reader_that_stops_early_is_no_error():
    with started("run iris --n-init 1", FULL) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


# --- predicting -------------------------------------------------------------------------------------------------------


def predicted(tmp_path, table, capsys, text, options=""):
    """Run on the table, predict the rows of a text, and return the result, stderr and the exit code."""
    run, new, out = tmp_path / "run.json", tmp_path / "new.csv", tmp_path / "out.csv"
    scaling = options if options.startswith("--scaling") else ""
    assert cli("run", table, BRIEF, scaling, PLAIN, "--quiet --out", run) == 0
    new.write_text(text, encoding="utf-8")
    code = cli("predict", run, new, "--data", table, options, "--out", out)
    return (pd.read_csv(out) if out.exists() else None), capsys.readouterr().err, code


@pytest.mark.parametrize("option", ["--directions", "--coarsening"])
@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "em"])
def test_methods_without_a_model_have_no_other_one(table, capsys, algorithm, option):
    assert cli("run", table, f"--algorithm {algorithm}", [option], "2") == 1
    assert f"{option} is about the model of clusters, and {algorithm} has none; leave it out" in capsys.readouterr().err


def test_options_that_a_method_does_not_have_are_named(table, capsys):
    words = "--n-init 1 --quiet --prior c0=1 --thin 2 --max-sweeps 50"
    assert cli("run", table, "--algorithm kmeans", words) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if line.endswith("it changes nothing.")]
    assert told == [
        "dpviz: --thin is no option of kmeans: it changes nothing.",
        "dpviz: --prior is about the model of clusters, and kmeans has none: it changes nothing.",
    ]


def test_tune_judges_hyperparameters_of_coarsened_models_by_unseen_points(table, capsys):
    """The power of a likelihood is no density: by nll the widest clusters of all would be the best."""
    words = typed("tune", table, BRIEF, "--coarsening 20 --jobs 1 --quiet")
    widths = "--parameter psi0 --values 0.5,1"
    assert cli(words, widths) == 0
    told = capsys.readouterr().err
    assert "best by held_out: psi0 = " in told
    assert "of a coarsened model nll and objective say nothing between values of psi0; held-out densities do" in told
    assert cli(words, widths, "--folds 0") == 0
    told = capsys.readouterr().err
    assert "so no best is named" in told and "best by" not in told
    assert cli(words, widths, "--criterion nll") == 1
    assert "--criterion nll: of a coarsened model" in capsys.readouterr().err
    assert cli(words, "--parameter concentration --values 1,2 --folds 0") == 0
    assert "best by nll: concentration = " in capsys.readouterr().err


@pytest.mark.parametrize("options", ["--scaling none", "--scaling standardise", ""], ids=["plain", "scaled", ""])
def test_predict_puts_clusters_beside_the_rows(tmp_path, table, capsys, options):
    X = dpviz.datasets.load("iris").X
    new = pd.DataFrame(X[::10], columns=["a", "b", "c", "d"])[["d", "b", "a", "c"]].assign(other="x")
    found, said, code = predicted(tmp_path, table, capsys, new.to_csv(index=False), options)
    scaled = dpviz.datasets.scale(X, options.removeprefix("--scaling ") or "standardise")
    trace = dpviz.Trace.from_json((tmp_path / "run.json").read_text())
    expected = predict(scaled.X, trace, scaled.X[::10])
    assert code == 0 and "Not among the clustered columns, so left out: “other”" in said
    assert list(found.columns[:5]) == ["d", "b", "a", "c", "other"]
    assert_array_equal(found["cluster"].astype(int), expected.clusters)
    assert_allclose(found["probability"], expected.probabilities.max(axis=1), rtol=1e-9)
    density = expected.log_density - np.log(scaled.spread).sum()
    assert_allclose(found["log_density"], density, rtol=1e-9)


def test_predict_names_wrong_cells_and_predicts_the_others(tmp_path, table, capsys):
    found, said, code = predicted(tmp_path, table, capsys, "a,b,c,d\n5,3,1,0.2\n5,x,1,0.2\n,,,\n5,3,,\n,,,\n")
    assert "The last row has no entry in any cell and is left out." in said
    assert code == 0 and "row 2, column “b”: “x” must be a number" in said
    assert found["cluster"].notna().tolist() == [True, False, True, True]
    assert found["note"][1] == "not predicted: “b” must be a number"


@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "em"])
def test_a_word_that_only_rows_with_gaps_had_is_not_predicted_by_distances(tmp_path, capsys, algorithm):
    X = np.random.default_rng(1).normal(size=(60, 2)) + np.repeat([[0, 0], [6, 0]], 30, axis=0)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(colour=["red", "blue", "green"] * 20)
    frame.loc[[5, 50], "a"], frame.loc[[5, 50], "colour"] = np.nan, "violet"
    data, run, new, out = (tmp_path / name for name in ("t.csv", "run.json", "new.csv", "out.csv"))
    frame.to_csv(data, index=False)
    words = f"--algorithm {algorithm} --features a,b,colour --quiet"
    assert cli("run", data, words, "--out", run) == 0
    new.write_text("a,b,colour\n0,0,red\n0,0,violet\n")
    assert cli("predict", run, new, "--data", data, "--out", out) == 0
    found = pd.read_csv(out)
    assert found["cluster"].notna().tolist() == [True, False]
    assert found["note"][1] == "not predicted: “colour” must be a value that a clustered row has"


DOSES = ["<0.1" if i % 10 == 0 else f"{i / 9 + 0.2:.2f}" for i in range(60)]
WEIGHTS = ["n.d." if i % 12 == 5 else f"{i / 7:.3f}" for i in range(60)]
CHANGED = "x,dose,weight\n" + "".join(
    f"{i % 7 + 0.5},{dose},{weight}\n" for i, (dose, weight) in enumerate(zip(DOSES, WEIGHTS, strict=True))
)
"""A table with bounds, and with words among numbers."""
CHANGES = (
    "Bounds such as <0.1 were read as the limit, 0.1, in “dose”.",
    "5 cells of “weight” that are not numbers count as missing (such as “n.d.”).",
)


@pytest.mark.parametrize(
    ("command", "gaps"),
    [
        (f"run {BRIEF}", "5 missing cells in 5 of 60 rows, which are kept."),
        (f"run {BRIEF} --out run.json", "5 missing cells in 5 of 60 rows, which are kept."),
        ("compare --algorithms kmeans --jobs 1 --quiet", "5 rows with missing cells dropped of 60"),
        (
            "tune --algorithm kmeans --parameter n_clusters --values 2 --jobs 1 --quiet",
            "5 rows with missing cells dropped of 60",
        ),
    ],
    ids=["run", "run --out", "compare", "tune"],
)
def test_every_command_says_what_was_changed_in_a_file(tmp_path, monkeypatch, capsys, command, gaps):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(CHANGED)
    name, _, options = command.partition(" ")
    assert cli(name, "t.csv", options) == 0
    said = capsys.readouterr().err
    assert all(f"dpviz: {line}" in said for line in (*CHANGES, gaps)) and "names of the columns" not in said
    assert len(said.splitlines()) == len(set(said.splitlines()))


@pytest.mark.parametrize(
    ("scaling", "words"),
    [
        ("none", "Columns are not scaled, as asked."),
        ("robust", "Columns are scaled (robust), as asked."),
        ("standardise", "Columns are standardised, since"),
        ("auto", "Columns are standardised, since"),
    ],
)
def test_a_scaling_that_was_asked_for_has_no_other_reason(tmp_path, table, capsys, scaling, words):
    assert cli("run", table, BRIEF, PLAIN, f"--scaling {scaling} --out", tmp_path / "r.csv") == 0
    said = capsys.readouterr().err
    assert words in said and (", since those in large units" in said) == (scaling in ("auto", "standardise"))
    assert "since scaled ones" not in said


CODED = pd.DataFrame(
    {
        "x": np.sin(np.arange(80.0)).round(3),
        "dose": np.array([0.5, 5, 50, 500])[np.arange(80) % 4],
        "colour": np.array(["red", "green", "blue"])[np.arange(80) % 3],
        "sex": 1 + np.arange(80) % 2,
    }
)
REAL_FAMILY = "--family normal_gamma --n-init 1 --effort 0"
PLAIN_NUMBERS = "--scaling standardise makes plain numbers of all columns, and text is in “colour”."


@pytest.mark.parametrize(
    ("columns", "command", "said", "unsaid"),
    [
        ("x dose", "run --algorithm kmeans --scaling none --quiet", ["continuous: “x”, “dose”"], []),
        ("x dose", f"run {BRIEF} --scaling robust", ["Clustered as continuous: “x”, “dose”."], []),
        ("x dose sex", f"run {BRIEF} --scaling robust", ["Clustered as continuous: “x”, “dose”, “sex”."], ["binary"]),
        ("x dose", f"run {BRIEF} --family mixed", ["Clustered as categorical: “dose”"], ["count as numbers"]),
        (
            "x dose sex",
            f"run {REAL_FAMILY} --scaling none",
            ["Clustered as continuous: “x”, “dose”, “sex”."],
            ["categorical: ", "Coded as", "count as numbers"],
        ),
        *(
            (
                "x dose",
                f"{command} {REAL_FAMILY} --jobs 1 --quiet",
                ["Clustered as continuous: “x”, “dose”."],
                ["count as numbers"],
            )
            for command in (
                "compare --algorithms mapdp,kmeans",
                "tune --algorithm mapdp --parameter concentration --values 1",
            )
        ),
        (
            "x dose colour sex",
            "run --algorithm dpmeans --quiet",
            ["dpmeans: 3 numbers standardised, “colour” as 3 indicators."],
            ["count as numbers"],
        ),
        (
            "x dose colour sex",
            "run --algorithm dpmeans --scaling none",
            ["Codes of colour count as numbers in dpmeans; leave such columns out"],
            [],
        ),
        (
            "x dose colour sex",
            "compare --algorithms mapdp,kmeans --n-init 1 --effort 0 --quiet",
            ["kmeans: 3 numbers standardised, “colour” as 3 indicators."],
            [],
        ),
        ("x colour dose", f"run {REAL_FAMILY} --exclude colour", ["Clustered as continuous: “x”, “dose”."], []),
        ("x colour dose", f"run {BRIEF} --family mixed", ["Clustered as categorical: “colour”, “dose”."], []),
        (
            "x colour dose",
            f"run {REAL_FAMILY}",
            ["dpviz: The family normal_gamma models numbers, and text is in “colour”. Leave such columns out"],
            ["Clustered"],
        ),
        *(
            (
                "x colour dose",
                f"run {BRIEF} {family} --scaling standardise",
                [f"dpviz: {PLAIN_NUMBERS}", "--exclude", "--scaling none"],
                ["Clustered"],
            )
            for family in ("", REAL_FAMILY, "--family mixed")
        ),
    ],
)
def test_columns_are_numbers_or_codes_as_the_method_takes_them(columns, command, said, unsaid, tmp_path, capsys):
    name, _, options = command.partition(" ")
    CODED[columns.split()].to_csv(tmp_path / "t.csv", index=False)
    assert cli(name, tmp_path / "t.csv", options) == ("Clustered" in unsaid)
    told = capsys.readouterr().err
    assert all(words in told for words in said) and not any(words in told for words in unsaid)


@pytest.mark.parametrize(
    ("columns", "asked", "scaling"),
    [
        ("x dose", "--algorithm kmeans", "none"),
        ("x dose sex", REAL_FAMILY, "none"),
        ("x dose sex", "--config c.json --n-init 1 --effort 0", "none"),
        ("x dose", BRIEF, "robust"),
    ],
    ids=["distances", "option", "configuration", "scaled"],
)
def test_numbers_are_clustered_as_the_library_does_and_predicted(columns, asked, scaling, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, run = CODED[columns.split()], Path("run.json")
    frame.to_csv("t.csv", index=False)
    Path("c.json").write_text('{"version": 8, "algorithm": "mapdp", "family": "normal_gamma"}')
    assert cli("run t.csv", asked, f"--scaling {scaling} --quiet --out run.json") == 0
    trace = dpviz.Trace.from_json(run.read_text())
    X = dpviz.datasets.scale(frame.to_numpy(float), scaling).X
    assert_array_equal(trace.labels, dpviz.run(X, trace.config).labels)
    predict = f"predict run.json t.csv --data t.csv --scaling {scaling} --out out.csv"
    assert cli(predict) == 0
    clusters = pd.read_csv("out.csv")["cluster"].tolist()
    assert len(clusters) == 80 and ("kmeans" not in asked or clusters == trace.result_labels.tolist())
    codes = frame.assign(**{name: pd.factorize(frame[name], sort=True)[0] for name in columns.split()[1:]})
    if scaling == "none":
        run.write_text(dpviz.run(codes.to_numpy(float), trace.config).to_json())  # as earlier versions stored it
        assert cli(predict) == 0


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("scaling", ["standardise", "robust"])
def test_a_run_knows_its_own_data_whatever_family_was_found(tmp_path, scaling, seed):
    rng = np.random.default_rng(seed)
    table, run, out = tmp_path / "t.csv", tmp_path / "run.json", tmp_path / "out.csv"
    dose = np.where(rng.integers(0, 2, 120), rng.choice([0.5, 5, 50], 120), rng.choice([5, 50], 120))
    columns = {"clinic": rng.choice([1, 7], 120), "score": rng.choice([2, 4, 8], 120), "grade": rng.integers(1, 6, 120)}
    pd.DataFrame({"dose": dose, **columns}).to_csv(table, index=False)
    asked = typed(f"--n-init 1 --effort 0 --scaling {scaling} --out", run, "--quiet")
    assert cli("run", table, asked) == 0
    again = typed("predict", run, table, "--data", table, f"--scaling {scaling} --out", out)
    assert cli(again) == 0
    assert pd.read_csv(out)["cluster"].notna().all()


@pytest.mark.parametrize(
    "asked",
    [
        "--missing drop",
        "--missing impute",
        "--exclude y --scaling robust",
        "--features x,z --label word",
        "--algorithm kmeans --n-clusters 2",
    ],
)
def test_prediction_needs_no_options_whatever_the_run_had(asked, tmp_path):
    rng = np.random.default_rng(0)
    table, run, out = tmp_path / "t.csv", tmp_path / "run.json", tmp_path / "out.csv"
    frame = pd.DataFrame(rng.normal(size=(60, 3)) + 6 * (np.arange(60) % 2)[:, None], columns=["x", "y", "z"]).round(3)
    frame.iloc[[3, 9], 0] = np.nan
    frame["word"] = np.array(["up", "down"])[np.arange(60) % 2]
    frame.to_csv(table, index=False)
    own = "" if "--algorithm" in asked else "--prior none --effort 0 --n-init 1"
    assert cli("run", table, asked, own, "--quiet --out", run) == 0
    assert cli("predict", run, table, "--data", table, "--out", out) == 0
    trace = dpviz.Trace.from_json(run.read_text())
    predicted = pd.read_csv(out)["cluster"].astype("Int64")
    rows = np.delete(np.arange(60), [3, 9]) if trace.n_points == 58 else np.arange(60)
    assert (predicted.iloc[rows].to_numpy() == trace.result_labels).mean() > 0.95
    told = ("reading", "undecided", "notes")  # by the command alone
    without = {name: value for name, value in json.loads(run.read_text()).items() if name not in told}
    assert json.loads(trace.to_json()) == without
    damaged = json.loads(run.read_text()) | {"reading": {"names": 3}}
    run.write_text(json.dumps(damaged))
    assert cli("predict", run, table, "--data", table, "--out", out) == 1


def test_predict_says_what_was_changed_in_the_rows(tmp_path, table, capsys):
    text = "New rows\n\na,b,c,d\n5 cm,3,<1,0.2\n5 cm,3,1,0.2\n"
    found, said, code = predicted(tmp_path, table, capsys, text, "--repair")
    assert code == 0 and len(found) == 2
    notes = (
        "Left out above the table: line 1",
        "The unit cm was removed in “a”.",
        "read as the limit, 0.1, in “c”",
        "In cm here, and without",
    )
    assert [note for note in notes if note not in said] == [] and "names of the columns" not in said


@pytest.mark.parametrize(
    "text", ["a,b,c,d\n5,3,1,0.2\n5,3,1\n", 'a,b,c,d\n5,"3,1,0.2\n5,3,1,2\n'], ids=["short", "mark"]
)
def test_repairs_are_advised_in_the_words_of_the_command_line(tmp_path, table, capsys, text):
    _, said, code = predicted(tmp_path, table, capsys, text)
    assert code == 1 and "(--repair)" in said and "repair=True" not in said
    assert cli("run", tmp_path / "new.csv") == 1
    assert "(--repair)" in capsys.readouterr().err


@pytest.mark.parametrize("from_stream", [False, True])
def test_predict_reads_the_decimal_mark_of_the_data(tmp_path, monkeypatch, capsys, from_stream):
    rng = np.random.default_rng(0)
    data, rows, run = tmp_path / "data.csv", tmp_path / "rows.tsv", tmp_path / "run.json"
    written = [f"{a:.3f};{b:.3f}".replace(".", ",") for a, b in rng.normal([[1.5, 3.0], [3.5, 5.0]] * 20, 0.05)]
    data.write_text("\n".join(["x;y", *written]))
    rows.write_text("x\ty\n1,512\t3,020\n3,490\t5,011\n")
    assert cli("run", data, BRIEF, "--quiet --out", run) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows.read_bytes())))
    assert cli("predict", run, ["-" if from_stream else str(rows)], "--data", data) == 0
    told = capsys.readouterr()
    assert "The decimal comma is taken" in told.err
    assert pd.read_csv(io.StringIO(told.out))["x"].tolist() == [1.512, 3.49]


def test_predict_refuses_another_unit(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n" + "".join(f"{i / 7 + 1:.3f} kg,{i % 5}.5\n" for i in range(40)))
    found, said, code = predicted(tmp_path, table, capsys, "a,b\n2.2 lb,1.5\n")
    assert code == 1 and found is None and "The column “a” is in lb, and in the data it is in kg." in said


@pytest.mark.parametrize("command", ["predict", "report"])
def test_a_table_that_changed_since_the_run_is_told_with_ways_on(command, tmp_path, table, capsys):
    run, changed, out = tmp_path / "run.json", tmp_path / "changed.csv", tmp_path / "out.csv"
    assert cli("run", table, BRIEF, "--quiet --out", run) == 0
    lines = table.read_text().splitlines(keepends=True)
    for text, rows in (
        ("".join(lines[:-1]), f" ({len(lines) - 2} rows, where the run has {len(lines) - 1})"),
        ("".join([*lines[:-1], lines[-2]]), ""),
    ):
        changed.write_text(text)
        capsys.readouterr()
        given = [str(run), str(table)] if command == "predict" else [str(run)]
        assert cli([command], given, "--data", changed, "--out", out) == 1
        said = capsys.readouterr().err
        assert f"{changed} holds other numbers than those that the run was made from{rows}: it has changed" in said
        assert "cluster it again by dpviz run" in said and not out.exists()


def test_predict_refuses_what_does_not_belong_together(tmp_path, table, capsys):
    _, said, code = predicted(tmp_path, table, capsys, "a,b,c,d\nx,3,1,0.2\n")
    assert code == 1 and "none of the 1 rows" in said
    run, new = str(tmp_path / "run.json"), str(tmp_path / "new.csv")
    for arguments, message in (
        ([run, new, "--data", str(table), "--scaling", "robust"], "other numbers"),
        ([run, new, "--data", "wine"], "178 rows, where the run has"),
        ([run, str(tmp_path / "none.csv"), "--data", str(table)], "is no file"),
        ([str(tmp_path / "none.json"), new, "--data", str(table)], "is no file"),
        ([new, new, "--data", str(table)], "stored run is damaged"),
        ([run, new, "--data", str(table), "--out", "x.json"], "must end in .csv"),
    ):
        assert cli("predict", arguments) == 1
        assert message in capsys.readouterr().err


# --- merging ----------------------------------------------------------------------------------------------------------


def test_merged_clusters_stand_beside_those_found_and_predict(tmp_path, table, capsys):
    run, labels, new = tmp_path / "run.json", tmp_path / "labels.csv", tmp_path / "new.csv"
    asked = typed("run", table, BRIEF, PLAIN, "--quiet --init singletons --max-sweeps 1")
    for out in (run, labels):
        assert cli(asked, "--merge 3 --out", out) == 0
    trace = dpviz.Trace.from_json(run.read_text())
    X = dpviz.datasets.scale(dpviz.datasets.load("iris").X, "standardise").X
    found = tree(X, trace)
    assert found.n_leaves > 4
    told = json.loads(run.read_text())["merged"]
    assert told == {
        "order": "nll",
        "n_found": found.n_leaves,
        "n_clusters": 3,
        "suggestion": found.suggestion,
        "cost": pytest.approx(found.costs[: found.n_leaves - 3].sum()),
        "labels": found.labels(3).tolist(),
    }
    frame = pd.read_csv(labels)
    assert_array_equal(frame["cluster"], trace.result_labels)
    assert_array_equal(frame["merged"], found.labels(3))
    assert cli(asked, "--merge auto --merge-by entropy") == 0
    printed = capsys.readouterr().out
    by_entropy = tree(X, trace, "entropy")
    assert f"merged:        {by_entropy.suggestion}, sizes" in printed and "merges by entropy" in printed

    pd.DataFrame(dpviz.datasets.load("iris").X[::10], columns=["a", "b", "c", "d"]).to_csv(new, index=False)
    assert cli("predict", run, new, "--data", table) == 0
    answer = pd.read_csv(io.StringIO(capsys.readouterr().out))
    expected = Predictor(X, trace, found.labels(3)).predict(X[::10])
    assert [name for name in answer if name.startswith("p_")] == ["p_0", "p_1", "p_2", "p_new"]
    assert_allclose(answer["probability"], expected.probabilities.max(axis=1), rtol=1e-9)
    names = ["new" if k < 0 else str(k) for k in expected.clusters]
    assert answer["merged"].astype(str).tolist() == names and "cluster" not in answer  # which are those found


def test_more_clusters_than_were_found_are_no_error_and_lose_nothing(tmp_path, table, capsys):
    out = tmp_path / "labels.csv"
    assert cli("run", table, BRIEF, "--quiet --merge 99 --out", out) == 0
    assert "--merge 99: the run found" in capsys.readouterr().err
    frame = pd.read_csv(out)
    assert len(np.unique(frame[["cluster", "merged"]], axis=0)) == frame["cluster"].nunique()
    run, again = tmp_path / "run.json", tmp_path / "again.csv"
    assert cli("run", table, BRIEF, "--quiet --merge 99 --out", run) == 0
    assert cli("predict", run, table, "--data", table, "--out", again) == 0
    predicted = pd.read_csv(again)
    assert "merged" not in predicted and (predicted["cluster"] == frame["cluster"]).mean() > 0.95


@pytest.mark.parametrize(("command", "suffix"), [("predict", ".csv"), ("report", ".csv"), ("figure", ".svg")])
def test_damaged_merges_are_refused(command, suffix, tmp_path, table, capsys):
    run, out = tmp_path / "run.json", tmp_path / f"out{suffix}"
    assert cli("run", table, BRIEF, "--quiet --merge 1 --out", run) == 0
    whole = json.loads(run.read_text())
    rows = [table] if command == "predict" else []
    asked = typed(command, run, rows, "--data", table, "--out", out)
    for labels, words in (
        ("x", "no list of labels"),
        ([0.5] * 150, "no list of labels"),
        ([0] * 9, "9 labels for 150 points"),
        ([point % 2 for point in range(150)], "divides some of them"),
    ):
        run.write_text(json.dumps({**whole, "merged": {"labels": labels}}))
        assert cli(asked) == 1
        assert words in capsys.readouterr().err
        assert not out.exists()
    run.write_text(json.dumps(whole), encoding="utf-8-sig")  # as some editors store it
    assert cli(asked) == 0
    assert out.exists()
