"""Results that cannot be written where they should be: kept in a second place, named, and never over an older one."""

from __future__ import annotations

import errno
import io
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import cli, own_process, typed
from test_cli import ctrl_c_at
from test_studies import TOY

import dpviz
from dpviz import files
from dpviz.analysis.studies import STUDIES, Results
from dpviz.cli import commands, rescue
from dpviz.cli.rescue import deliver
from dpviz.course import CHAPTERS, write_course
from dpviz.player.notebook import Film

ROOT = Path(__file__).parents[2]
RUN = "run iris --family normal_gamma --prior none --n-init 1 --quiet --seed 3"
TUNE = "tune iris --parameter concentration --values 1,2 --folds 0 --n-init 1 --jobs 1"
QUICK = "run iris --algorithm kmeans --n-init 1 --quiet"
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
REASONS = [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EACCES, errno.EIO]


@pytest.fixture
def second(tmp_path, monkeypatch) -> Path:
    """The folder for temporary files, the user's own and the present one, all of them empty."""
    for name in ("temporary", "home", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


@pytest.fixture
def results(tmp_path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


def failing(monkeypatch: pytest.MonkeyPatch, *folders: Path, error: OSError = FULL) -> None:
    """Writing in some folders fails at the end, when most is written."""
    fsync = os.fsync

    def full(descriptor: int) -> None:
        if any(Path(os.readlink(f"/proc/self/fd/{descriptor}")).is_relative_to(folder) for folder in folders):
            raise error
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


# --- one result -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", REASONS, ids=errno.errorcode.get)
def test_a_result_goes_to_a_second_place_with_file_and_reason(number, results, second, monkeypatch, capsys):
    failing(monkeypatch, results, error=OSError(number, os.strerror(number)))
    out = results / "run.json"
    out.write_text("older")
    assert cli(RUN, "--out", out) == 1
    kept = only_file(second / "temporary")
    said = capsys.readouterr().err
    assert f"{out} cannot be written: {os.strerror(number)}" in said and str(kept) in said
    assert kept.suffix == ".json" and kept.stat().st_mode & 0o077 == 0
    trace = dpviz.Trace.from_json(kept.read_text())
    assert (trace.labels == dpviz.run(dpviz.datasets.load("iris").X, trace.config).labels).all()
    assert only_file(results).read_text() == "older"


def test_places_are_tried_one_after_the_other(results, second, monkeypatch, capsys):
    failed = [results]
    for place in ("temporary", "home", "here"):
        with monkeypatch.context() as patch:
            failing(patch, *failed)
            where = deliver("text", str(results / "a.txt"))
        assert where is not None and Path(where).read_text() == "text" and Path(where).parent == second / place
        Path(where).unlink()
        failed.append(second / place)
    failing(monkeypatch, *failed)
    assert deliver("text", str(results / "a.txt")) is None
    assert capsys.readouterr().out == "text"
    assert not [path for folder in failed for path in folder.iterdir()]


def test_on_a_terminal_the_labels_are_what_is_shown_in_the_end(results, second, monkeypatch, capsys):
    failing(monkeypatch, second)
    assert cli(RUN, "--out", results / "run.json") == 1
    whole = capsys.readouterr()
    assert dpviz.Trace.from_json(whole.out).n_points == 150 and "The result is on stdout" in whole.err
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli(RUN, "--out", results / "run.json") == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("row,cluster\n0,") and shown.out.count("\n") == 151
    assert "The labels are on stdout" in shown.err


def test_what_is_lost_is_said_to_be(results, second, monkeypatch, capsys):
    failing(monkeypatch, second)
    monkeypatch.setattr(sys.stdout, "write", lambda text: (_ for _ in ()).throw(FULL))
    monkeypatch.setattr(rescue, "_give_up_stdout", lambda: None)
    assert cli(RUN, "--out", results / "run.json") == 1
    said = capsys.readouterr().err
    assert "run.json cannot be written: No space left" in said and "The result is lost" in said


def test_a_folder_that_vanished_while_it_ran_costs_nothing(results, second, monkeypatch, capsys):
    run = dpviz.run
    monkeypatch.setattr(dpviz, "run", lambda *a: (run(*a), shutil.rmtree(results))[0])
    assert cli(RUN, "--out", results / "run.csv") == 1
    assert len(pd.read_csv(only_file(second / "temporary"))) == 150
    assert "run.csv cannot be written: No such file" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["tune", "compare", "predict"])
def test_tables_of_every_command_are_kept(command, results, second, monkeypatch, capsys):
    run, rows = second / "run.json", second / "new.csv"
    dpviz.datasets.load("iris").frame.to_csv(rows, index=False)
    assert cli(RUN, "--out", run) == 0
    arguments = {
        "tune": f"{TUNE} --quiet",
        "compare": "compare iris --algorithms kmeans,dpmeans --jobs 1 --quiet",
        "predict": typed("predict", run, rows, "--data iris"),
    }[command]
    failing(monkeypatch, results)
    assert cli(arguments, "--out", results / "table.csv") == 1
    kept = only_file(second / "temporary")
    assert len(pd.read_csv(kept)) == (150 if command == "predict" else 2)
    assert f"it is in {kept}" in capsys.readouterr().err and not list(results.iterdir())


@pytest.mark.parametrize("broken", ["json", "csv", "both"])
def test_both_files_of_a_study_are_kept(broken, results, second, monkeypatch, capsys):
    monkeypatch.setitem(STUDIES, "toy", TOY)
    write_whole = rescue.write_whole

    def full(path, text):
        if Path(path).parent == results and (broken == "both" or path.endswith(broken)):
            raise FULL
        write_whole(path, text)

    monkeypatch.setattr(rescue, "write_whole", full)
    assert cli("reproduce toy --jobs 1 --out", results) == 1
    files = [*results.iterdir(), *(second / "temporary").iterdir()]
    text = {path.suffix: path for path in files}
    assert Results.from_json(text[".json"].read_text()).complete and len(pd.read_csv(text[".csv"])) == 1
    assert len(list(results.iterdir())) == (0 if broken == "both" else 1)
    assert "Table 0" in capsys.readouterr().out


class Left(io.StringIO):
    """A stdout whose reader has gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError

    def fileno(self) -> int:
        return 1


def test_a_study_is_kept_before_a_reader_who_has_left_ends_the_command(results, monkeypatch):
    monkeypatch.setitem(STUDIES, "toy", TOY)
    monkeypatch.setattr(sys, "stdout", Left())
    with pytest.raises(BrokenPipeError):
        deliver("text", None)
    monkeypatch.setattr("dpviz.cli.os.dup2", lambda *_: None)
    cli("reproduce toy --jobs 1 --out", results)
    assert Results.from_json((results / "toy.json").read_text()).complete


@pytest.mark.parametrize("begun", [True, False], ids=["older", "new"])
def test_an_interrupted_grid_is_kept_too(begun, results, second, monkeypatch, capsys):
    out = results / "grid.csv"
    if begun:
        out.write_text("older")
    failing(monkeypatch, results)
    monkeypatch.setattr(commands, "progress_line", ctrl_c_at("1 of 2"))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert cli(TUNE, "--progress --out", out) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    kept = only_file(second / "temporary")
    said = capsys.readouterr().err
    assert len(pd.read_csv(kept)) == 1 and str(kept) in said
    assert not begun or (out.read_text() == "older" and f"{out} stays as it was; what was done is in {kept}" in said)


# --- a disk that is full ----------------------------------------------------------------------------------------------


def limited(n_bytes: int) -> Callable[[], None]:
    """No file may grow beyond so many bytes, as on a disk with little space left."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


def command(*arguments: Any, place: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command without compiling, which writes files of its own."""
    places = {"TMPDIR": str(place), "HOME": str(place), "DPVIZ_CACHE_DIR": f"{place}-cache"}
    places |= {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(
        own_process(*arguments),
        env={**os.environ, **places},
        cwd=place,
        text=True,
        stderr=subprocess.PIPE,
        **more,
    )


def test_files_that_may_not_grow_leave_the_result_on_stdout_and_older_ones_whole(tmp_path):
    out = tmp_path / "run.json"
    out.write_text("older")
    done = command(QUICK, "--out", out, place=tmp_path, stdout=subprocess.PIPE, preexec_fn=limited(300))
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"{out} cannot be written: File too large" in done.stderr and "is on stdout" in done.stderr
    assert dpviz.Trace.from_json(done.stdout).n_points == 150
    assert only_file(tmp_path) == out and out.read_text() == "older"


def test_a_device_without_space_is_written_to_and_not_replaced(tmp_path):
    (tmp_path / "run.json").symlink_to("/dev/full")
    done = command(QUICK, "--out run.json", place=tmp_path, stdout=subprocess.DEVNULL)
    assert done.returncode == 1 and "run.json cannot be written: No space left on device" in done.stderr
    assert Path("/dev/full").is_char_device()
    (kept,) = tmp_path.glob("run.*.json")
    assert dpviz.Trace.from_json(kept.read_text()).n_points == 150


def test_a_full_stdout_is_no_end_either(tmp_path):
    with open("/dev/full", "w") as full:
        done = command(QUICK, place=tmp_path, stdout=full)
    assert done.returncode == 1 and "stdout cannot be written: No space left on device" in done.stderr
    assert "Exception ignored" not in done.stderr and "Traceback" not in done.stderr
    assert "clusters" in only_file(tmp_path).read_text()


def test_without_a_buffer_nothing_is_cut_off_in_silence(tmp_path, monkeypatch):
    """Python's unbuffered stdout drops what a full disk does not take of a write."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    with (tmp_path / "out.txt").open("w") as out:
        done = command(QUICK, place=tmp_path, stdout=out, preexec_fn=limited(150))
    assert done.returncode == 1 and "stdout cannot be written: File too large" in done.stderr
    assert "The result is lost" in done.stderr
    whole = command(QUICK, place=tmp_path, stdout=subprocess.PIPE)
    monkeypatch.delenv("PYTHONUNBUFFERED")
    assert whole.returncode == 0 and whole.stdout == command(QUICK, place=tmp_path, stdout=subprocess.PIPE).stdout


# --- files of the library ---------------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_written_is_named_and_an_older_one_stays(tmp_path, monkeypatch):
    film, path = Film("<p>page</p>", "title", 640), tmp_path / "film.html"
    assert film.save(path) == path and path.read_text() == "<p>page</p>"
    with monkeypatch.context() as patch:
        failing(patch, tmp_path)
        with pytest.raises(OSError, match=r"No space left on device: .*film\.html"):
            Film("<p>newer</p>", "title", 640).save(path)
    assert only_file(tmp_path).read_text() == "<p>page</p>"
    with pytest.raises(FileNotFoundError, match=r"none/film\.html"):
        film.save(tmp_path / "none" / "film.html")


@pytest.fixture
def quick_course(monkeypatch):
    """The course without its runs."""
    from dpviz.course import offline

    monkeypatch.setattr(offline, "play", lambda chapter: chapter)
    for name in ("chapter_page", "worksheet"):
        monkeypatch.setattr(offline, name, lambda played, number, *_: f"page {number}")
    for name in ("answer_sheet", "index_page"):
        monkeypatch.setattr(offline, name, lambda played, *_, name=name: name)


@pytest.mark.usefixtures("quick_course")
def test_the_course_is_written_whole_whoever_reads_the_names(tmp_path, monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    with monkeypatch.context() as patch, open(writer, "w") as nobody:
        patch.setattr(sys, "stdout", nobody)
        assert cli("course --out", tmp_path / "course") == 0
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2 * len(CHAPTERS) + 3


@pytest.mark.parametrize("place", ["", "file", "file/in it", "/dev/null", "/proc/course", "circle", "a\0b"])
@pytest.mark.parametrize("command", ["course", "reproduce toy"])
def test_a_folder_that_cannot_be_one_is_refused_before_anything_runs(command, place, second, monkeypatch, capsys):
    monkeypatch.setitem(STUDIES, "toy", TOY)
    Path("file").write_text("older")
    Path("circle").symlink_to("circle")
    assert cli(command, "--out", [place]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"dpviz: --out = {place!r} must be ") and said.err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["circle", "file"] and Path("file").read_text() == "older"


@pytest.mark.usefixtures("quick_course")
def test_the_course_names_the_file_that_it_could_not_write(tmp_path, monkeypatch):
    failing(monkeypatch, tmp_path)
    with pytest.raises(OSError, match=r"01-.*\.html cannot be written: No space left on device\."):
        write_course(tmp_path / "course")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_written_file_is_whole_and_leaves_nothing_else(tmp_path):
    files.write_whole(tmp_path / "a.txt", "x\r\ny\ud800")
    assert only_file(tmp_path).read_bytes() == b"x\r\ny?"


@pytest.mark.parametrize("mode", [0o600, 0o640, None], ids=str)
def test_while_it_is_written_a_file_is_no_more_open_than_in_the_end(mode, tmp_path, monkeypatch):
    path, seen = tmp_path / "a.txt", []
    if mode is not None:
        path.write_text("older")
        path.chmod(mode)
    fsync = os.fsync

    def watched(descriptor):
        seen.append(os.fstat(descriptor).st_mode & 0o777)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    files.write_whole(path, "newer")
    (tmp_path / "usual.txt").write_text("")
    expected = (tmp_path / "usual.txt").stat().st_mode & 0o777 if mode is None else mode
    assert path.stat().st_mode & 0o777 == expected and len(seen) == 1 and seen[0] & ~expected == 0


def test_a_write_protected_file_is_not_replaced(tmp_path, monkeypatch, capsys):
    out = tmp_path / "t.csv"
    out.write_text("older")
    out.chmod(0o444)
    access = os.access  # for root no file is protected
    monkeypatch.setattr(os, "access", lambda path, mode: access(path, mode) and Path(path).stat().st_mode & 0o200)
    for command in (QUICK, TUNE):
        assert cli(command, "--out", out) == 1
        assert f"--out = {str(out)!r} is write-protected." in capsys.readouterr().err
    assert out.read_text() == "older" and only_file(tmp_path) == out


def test_what_a_killed_process_left_is_in_nobodys_way(tmp_path):
    left = tmp_path / f".a.txt.{os.getpid()}.unfinished"
    left.write_text("left")
    files.write_whole(tmp_path / "a.txt", "whole")
    assert left.read_text() == "left" and (tmp_path / "a.txt").read_text() == "whole"


def test_threads_that_write_one_file_do_not_hinder_each_other(tmp_path):
    path = tmp_path / "a.txt"

    def write(text):
        for _ in range(40):
            files.write_whole(path, text)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, ["a" * 5000, "b" * 5000, "c" * 5000, "d" * 5000]))
    assert path.read_text() in ["a" * 5000, "b" * 5000, "c" * 5000, "d" * 5000] and only_file(tmp_path) == path


def test_names_as_long_as_a_file_system_takes_them_are_written(tmp_path):
    files.write_whole(tmp_path / ("n" * 250 + ".txt"), "x")
    assert only_file(tmp_path).read_text() == "x"


def test_a_file_that_belonged_to_others_is_no_more_open_afterwards(tmp_path, monkeypatch):
    path, given = tmp_path / "a.txt", []
    path.write_text("older")
    path.chmod(0o640)

    def refused(file, owner, group):
        given.append((owner, group))
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "chown", lambda file, owner, group: given.append((owner, group)))
        files.write_whole(path, "newer")
    owner, group = path.stat().st_uid, path.stat().st_gid
    assert given == [(owner, group)] and path.stat().st_mode & 0o777 == 0o640
    monkeypatch.setattr(os, "chown", refused)
    files.write_whole(path, "newest")
    assert path.stat().st_mode & 0o777 == 0o600 and path.read_text() == "newest"


@pytest.mark.parametrize("kind", ["pipe", "deleted file"])
def test_what_has_no_name_is_written_to(kind, tmp_path):
    if kind == "pipe":
        reader, writer = os.pipe()
    else:
        writer = reader = os.open(tmp_path / "a.txt", os.O_RDWR | os.O_CREAT)
        (tmp_path / "a.txt").unlink()
    files.write_whole(f"/dev/fd/{writer}", "text")
    assert os.read(reader, 99) == b"text" and not list(tmp_path.iterdir())
    (tmp_path / "run.csv").symlink_to(f"/dev/fd/{writer}")
    assert cli("run iris --algorithm kmeans --n-init 1 --quiet --out", tmp_path / "run.csv") == 0
    assert len(os.read(reader, 99_999)) > 150 and (tmp_path / "run.csv").is_symlink()
    for handle in {reader, writer}:
        os.close(handle)


def test_links_in_a_circle_and_names_that_no_file_can_have_are_refused(tmp_path):
    (tmp_path / "a.csv").symlink_to("a.csv")
    for name in ("a.csv", "a\0b.csv"):
        with pytest.raises(OSError, match="a"):
            files.write_whole(tmp_path / name, "x")
    done = command(QUICK, "--out a.csv", place=tmp_path, stdout=subprocess.PIPE)
    assert done.returncode == 1 and "--out = 'a.csv' cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp437"])
def test_what_an_encoding_lacks_is_written_by_its_number(encoding, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    chain = "run iris --algorithm gibbs --n-sweeps 4 --burn-in 0 --split-merge 1 --family normal_gamma --prior none"
    done = command(chain, "--quiet --no-second-opinion", place=tmp_path, stdout=subprocess.PIPE)
    assert done.returncode == 0 and "\\u2013" in done.stdout and done.stderr == ""


def test_without_any_stdout_the_result_goes_to_a_second_place(tmp_path):
    done = command(QUICK, place=tmp_path, preexec_fn=lambda: os.close(1))
    assert done.returncode == 1 and "stdout cannot be written" in done.stderr
    assert "clusters" in only_file(tmp_path).read_text()


def test_without_any_stderr_the_result_is_written_all_the_same(tmp_path):
    done = command(QUICK, "--out run.json", place=tmp_path, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2))
    assert done.returncode == 0 and done.stderr == ""
    assert dpviz.Trace.from_json((tmp_path / "run.json").read_text()).n_points == 150
