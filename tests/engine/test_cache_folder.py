"""The folder that users name for the cache is theirs: only what dpviz certainly made is ever removed from it."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dpviz.cache_folder import KEEP_SECONDS, MARKER, cache_root, open_folder, opened_cache, remove_unused
from dpviz.datasets import digits
from dpviz.fit import timing
from dpviz.ui.session import cores

DIGEST, OTHER, THIRD = "0123456789abcdef", "fedcba9876543210", "0000000000000000"
ODD = ["pipe", "folder", "socket", "device"]
OLD = time.time() - KEEP_SECONDS - 24 * 3600


def grow_old(top: Path) -> None:
    """Set the times of a folder and of all in it to 31 days ago."""
    for place, _, names in os.walk(top, topdown=False):
        for path in [*(Path(place, name) for name in names), Path(place)]:
            os.utime(path, (OLD, OLD), follow_symlinks=False)


def ours(root: Path, name: str) -> Path:
    """Make a folder of another version, with every kind of file that dpviz keeps."""
    folder = root / name
    open_folder(folder)
    kernels = folder / "kernels_0123abcd"
    kernels.mkdir()
    for path in (
        kernels / "_sweep-12.py311.nbi",
        kernels / "_sweep-12.py311.1.nbc",
        kernels / "_x-1.py311.nbi.tmp.0123456789ab",
        folder / "pace.json",
        folder / "pacex_1.part",
        folder / f"{'a' * 32}.run",
        folder / "runx_1.part",
    ):
        path.write_bytes(b"x")
    return folder


def imported(folder: Path, program: str = "") -> str:
    """Import dpviz in a fresh process with compiled kernels, and return what the program prints."""
    environment = {**os.environ, "DPVIZ_CACHE_DIR": str(folder)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-c", f"import dpviz\n{program}"]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def on_a_full_disk(program: str) -> str:
    """Run a program that can make files but write nothing into them, and return what it prints."""
    full = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
"""
    command = [sys.executable, "-c", f"from pathlib import Path\n{program.replace('FULL', full)}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def contents(top: Path) -> dict[str, bytes]:
    return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def test_a_full_disk_leaves_no_folder_that_would_stay_for_ever(tmp_path):
    folder, used = tmp_path / DIGEST, tmp_path / OTHER
    used.mkdir()
    (used / "pace.json").write_text("{}")
    program = f"""
from dpviz.cache_folder import open_folder
FULL
for name in ({str(folder)!r}, {str(used)!r}):
    try:
        open_folder(Path(name))
    except OSError as error:
        print("refused")
"""
    assert on_a_full_disk(program).split() == ["refused", "refused"]
    assert not folder.exists() and contents(used) == {"pace.json": b"{}"}


def test_a_marker_that_a_full_disk_left_empty_is_written_again(tmp_path):
    folder, elsewhere = tmp_path / DIGEST, tmp_path / "elsewhere"
    folder.mkdir()
    (folder / MARKER).touch()
    open_folder(folder)
    grow_old(folder)
    remove_unused(tmp_path / OTHER)
    assert not folder.exists()
    elsewhere.touch()
    folder.mkdir()
    (folder / MARKER).symlink_to(elsewhere)
    open_folder(folder)
    assert elsewhere.read_bytes() == b""


def test_a_course_that_cannot_be_written_names_the_file_and_leaves_no_empty_folder(tmp_path):
    program = f"""
from dpviz.course import chapters, offline
chapters.CHAPTERS = offline.CHAPTERS = offline.CHAPTERS[:1]
offline.PARTS = {{"": [(1, offline.CHAPTERS[0])]}}
FULL
try:
    offline.write_course({str(tmp_path / "course")!r})
except OSError as error:
    print(error)
"""
    said = on_a_full_disk(program)
    assert said.startswith(f"{tmp_path}/course/01-") and ".html cannot be written: File too large" in said
    assert not (tmp_path / "course").exists()


def test_importing_dpviz_leaves_the_folders_of_the_user_alone(tmp_path):
    named, elsewhere = tmp_path / "named", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "chapter.txt").write_text("years of work", encoding="utf-8")
    for folder in (named, named / "dpviz-cache"):
        for name in ("thesis", ".ssh", DIGEST, f"runs-{OTHER}"):
            (folder / name).mkdir(parents=True)
            (folder / name / "id").write_text("the only copy", encoding="utf-8")
        (folder / THIRD).symlink_to(elsewhere)
    grow_old(named)
    grow_old(elsewhere)
    before = contents(tmp_path)
    imported(named)
    after = contents(tmp_path)
    assert {path: after.get(path) for path in before} == before
    (made,) = (path for path in after if path not in before)
    assert Path(made).parent.parent == Path("named/dpviz-cache") and Path(made).name == MARKER


def test_importing_dpviz_removes_what_another_version_left_and_no_longer_uses(tmp_path):
    root = tmp_path / "dpviz-cache"
    left, runs, recent = ours(root, DIGEST), ours(root, f"runs-{DIGEST}"), ours(root, OTHER)
    grow_old(left)
    grow_old(runs)
    imported(tmp_path)
    assert not left.exists() and not runs.exists() and recent.exists()


def spoil_marker(folder: Path) -> None:
    (folder / MARKER).write_text("dpviz made this folder?", encoding="utf-8")


def link_marker(folder: Path) -> None:
    (folder / MARKER).rename(folder.parent / "elsewhere")
    (folder / MARKER).symlink_to(folder.parent / "elsewhere")


def add_file(folder: Path) -> None:
    (folder / "kernels_0123abcd" / "thesis.tex").write_text("years of work", encoding="utf-8")


def add_linked_folder(folder: Path) -> None:
    (folder / "kernels_0123abcd" / "linked").symlink_to(folder.parent)


def add_linked_file(folder: Path) -> None:
    (folder / "linked.nbi").symlink_to(folder / MARKER)


def rename(folder: Path) -> None:
    folder.rename(folder.with_name("my-experiments"))


def lose_marker(folder: Path) -> None:
    (folder / MARKER).unlink()


@pytest.mark.parametrize(
    "change", [spoil_marker, link_marker, lose_marker, add_file, add_linked_folder, add_linked_file, rename]
)
def test_what_is_not_certainly_ours_alone_stays_as_it_is(tmp_path, change):
    change(ours(tmp_path, DIGEST))
    kept = tmp_path / OTHER
    open_folder(kept)
    grow_old(tmp_path)
    before = contents(tmp_path)
    remove_unused(kept)
    assert contents(tmp_path) == before


def test_the_folder_in_use_and_links_to_others_of_ours_stay(tmp_path):
    kept, linked = ours(tmp_path / "one", DIGEST), ours(tmp_path / "two", OTHER)
    (tmp_path / "one" / THIRD).symlink_to(linked)
    grow_old(tmp_path)
    before = contents(tmp_path)
    remove_unused(kept)
    assert contents(tmp_path) == before and (tmp_path / "one" / THIRD).is_symlink()


def test_the_place_is_below_what_the_user_names(monkeypatch, tmp_path):
    monkeypatch.setenv("DPVIZ_CACHE_DIR", str(tmp_path))
    assert cache_root() == tmp_path / "dpviz-cache"
    monkeypatch.delenv("DPVIZ_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "dpviz"


def test_a_tilde_that_no_shell_has_read_is_the_user_s_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DPVIZ_CACHE_DIR", "~/x")
    assert cache_root() == tmp_path / "x" / "dpviz-cache"
    monkeypatch.delenv("DPVIZ_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "~/y")
    assert cache_root() == tmp_path / "y" / "dpviz"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_root() == tmp_path / ".cache" / "dpviz"


def test_a_user_without_a_home_has_no_folder_and_keeps_nothing(monkeypatch):
    monkeypatch.setenv("DPVIZ_CACHE_DIR", "~nobody-has-this-name/x")
    with pytest.raises(OSError, match="Not a directory"):
        open_folder(cache_root() / DIGEST)


@pytest.mark.parametrize("kind", ODD)
def test_what_stands_in_the_marker_s_place_is_neither_waited_for_nor_removed(kind, tmp_path):
    folder = tmp_path / DIGEST
    folder.mkdir()
    make_odd(kind, folder / MARKER)
    before = (folder / MARKER).lstat().st_ino
    program = f"""
from dpviz.cache_folder import open_folder
open_folder(Path({str(folder)!r}))
"""
    command = [sys.executable, "-c", f"from pathlib import Path\n{program}"]
    subprocess.run(command, check=True, timeout=300)  # a pipe is waited for without an end
    assert (folder / MARKER).lstat().st_ino == before


def test_opening_keeps_the_whole_folder_young_for_earlier_versions(tmp_path):
    """They remove whatever lies beside their own folders, by its age."""
    kept = ours(tmp_path / "dpviz-cache", DIGEST)
    grow_old(tmp_path)
    open_folder(kept)
    assert all(path.stat().st_mtime > OLD + 3600 for path in (kept, kept.parent))


def make_writable(folder: Path, code: Path) -> Path:
    code.chmod(0o664)
    return code


def make_open(folder: Path, code: Path) -> Path:
    code.parent.chmod(0o1777)  # others may add code to it
    return code.parent


def link_code(folder: Path, code: Path) -> Path:
    code.rename(folder.parent / "elsewhere")
    code.symlink_to(folder.parent / "elsewhere")
    return code


def open_above(folder: Path, code: Path) -> Path:
    folder.parent.chmod(0o777)
    return folder.parent


def share_above(folder: Path, code: Path) -> None:
    folder.parent.chmod(0o1777)  # as /tmp is


@pytest.mark.parametrize("change", [share_above, make_writable, make_open, link_code, open_above])
def test_code_from_where_one_cannot_write_is_read_if_nobody_else_can(change, tmp_path, monkeypatch):
    folder = ours(tmp_path / "root", DIGEST)
    linked = tmp_path / "linked"
    linked.symlink_to(folder.parent)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    changed = change(folder, next(folder.rglob("*.nbc")))
    readable, said = opened_cache(linked / DIGEST)
    assert readable == (folder if changed is None else None)
    assert changed is None or f"you may change {changed}." in said


def test_code_of_a_third_user_is_not_read(tmp_path, monkeypatch):
    folder = ours(tmp_path / "root", DIGEST)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert opened_cache(folder)[0] == folder
    code, lstat = next(folder.rglob("*.nbc")), Path.lstat
    facts = [*code.lstat()]
    facts[stat.ST_UID] = os.getuid() + 1
    monkeypatch.setattr(Path, "lstat", lambda path: os.stat_result(facts) if path == code else lstat(path))
    assert opened_cache(folder)[0] is None


def test_a_folder_that_is_made_where_everyone_may_write_is_closed_to_others(tmp_path):
    before = os.umask(0)
    try:
        assert opened_cache(tmp_path / "new" / "dpviz-cache" / DIGEST) == (
            tmp_path / "new" / "dpviz-cache" / DIGEST,
            "",
        )
    finally:
        os.umask(before)


@pytest.mark.parametrize("user", ["root", "own"])
@pytest.mark.parametrize("which", ["folder", "above"])
@pytest.mark.parametrize("change", ["owner", "everyone"])
def test_a_folder_that_another_user_prepared_is_not_used(user, which, change, tmp_path, monkeypatch):
    folder = ours(tmp_path / "shared", DIGEST)
    assert opened_cache(folder) == (folder, "")
    strange, known = folder if which == "folder" else folder.parent, Path.stat
    me = 0 if user == "root" else 1234

    def seen(path, **options):
        facts = [*known(path, **options)]
        facts[stat.ST_UID] = 77 if path == strange and change == "owner" else me
        facts[stat.ST_MODE] |= stat.S_IWOTH * (path == strange and change == "everyone")
        return os.stat_result(facts)

    monkeypatch.setattr(os, "getuid", lambda: me)
    monkeypatch.setattr(Path, "stat", seen)
    used, said = opened_cache(folder)
    if change == "owner" and user == "root":  # of the machine, or of a container on it
        assert (used, said) == (folder, "")
    else:
        assert used is None and str(strange) in said and "every start compiles anew" in said


CALL = """
import resource
from dpviz._jit import kernel
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # every write to a file fails, as on a full disk
@kernel
def twice(x):
    return 2 * x
print(twice(21))
"""


def test_a_full_disk_costs_nobody_a_compiled_kernel(tmp_path):
    script = tmp_path / "script.py"  # what is typed has no file that a cache could be named by
    script.write_text(CALL, encoding="utf-8")
    assert imported(tmp_path / "cache", f"import sys, runpy; runpy.run_path({str(script)!r})") == "42\n"


def make_odd(kind: str, path: Path) -> None:
    """Put something that is no file where dpviz expects one of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        (path / "in it").mkdir(parents=True)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            here = Path.cwd()
            os.chdir(path.parent)  # the whole path may be too long
            try:
                server.bind(path.name)
            finally:
                os.chdir(here)


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_neither_waited_for_nor_removed(kind, tmp_path):
    root = tmp_path / "root"
    kept, other = ours(root, DIGEST), ours(root, OTHER)
    make_odd(kind, other / MARKER)
    grow_old(other)
    remove_unused(kept)
    assert other.is_dir() and os.path.lexists(other / MARKER)


@pytest.mark.parametrize("kind", ODD)
def test_measured_speeds_that_are_no_file_are_measured_again(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "cache_folder", lambda: tmp_path)
    make_odd(kind, tmp_path / "pace.json")
    assert timing._read() == {}
    timing._write({"kmeans": 5.0})  # a folder stays, and is measured once per process
    assert timing._read() == ({} if kind == "folder" else {"kmeans": 5.0})


@pytest.mark.parametrize("kind", ODD)
def test_an_embedding_that_is_no_file_is_computed_again(kind, tmp_path):
    stored = tmp_path / "embedding.npy"
    make_odd(kind, stored)
    assert digits._read(stored, (3, 2)) is None
    digits._write(stored, np.zeros((3, 2)))
    assert (digits._read(stored, (3, 2)) is None) == (kind == "folder")


def test_an_embedding_that_is_another_file_is_computed_again(tmp_path):
    np.savez(tmp_path / "a.npz", np.zeros((3, 2)))
    np.save(tmp_path / "b.npy", np.zeros((3, 3)))
    huge = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000, 2), }"
    (tmp_path / "c.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(huge).to_bytes(2, "little") + huge)
    for path in tmp_path.iterdir():
        assert digits._read(path, (3, 2)) is None


@pytest.mark.parametrize("kind", ODD)
def test_cores_that_are_no_files_stop_nobody(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(cores, "folder", lambda: tmp_path)
    monkeypatch.setattr(cores, "n_cores", lambda: 2)
    make_odd(kind, tmp_path / "core-0.lock")
    with cores.held_cores() as held:
        assert held.number == 2
