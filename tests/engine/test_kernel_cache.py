"""Compiled code on disk: damaged files are compiled again, and processes that write at once keep each other's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import dpviz
from dpviz import _jit
from dpviz.browser import layout
from dpviz.engine.kernels import collapsed_sweep
from dpviz.families import filling
from dpviz.families.columns import state
from dpviz.kernel_sources import everything, module_of

ROOT = Path(__file__).resolve().parents[2]
KERNEL = """
import numpy as np
from dpviz._jit import kernel

@kernel
def total(a):
    s = a[0] * 0
    for i in range(a.shape[0]):
        s += a[i]
    return s
"""
CALL = """
import sys
import numpy as np
import kernels

print(kernels.total(np.arange(5, dtype=sys.argv[1])))
print(sum(kernels.total._cache_hits.values()), file=sys.stderr)
"""
MEETING = """
import os, sys, time
from numba.core import caching

save_index, save_data = caching.IndexDataCacheFile._save_index, caching.IndexDataCacheFile._save_data
kind, other = sys.argv[1], {"float64": "int64", "int64": "float64"}[sys.argv[1]]

def meet(where):
    open(f"{where}.{kind}", "w").close()
    while not os.path.exists(f"{where}.{other}"):
        time.sleep(0.005)

def save_index_later(self, names):
    if "total" in self._index_name:
        meet("index")
        if kind == "int64":
            while not os.path.exists("written"):
                time.sleep(0.005)
    save_index(self, names)
    if "total" in self._index_name:
        open("written", "w").close()

def save_data_later(self, name, data):
    if "total" in self._index_name:
        meet("data")
    save_data(self, name, data)
    if "total" in self._index_name and kind == "float64":
        meet("both")
        save_data(self, name, data)
    elif "total" in self._index_name:
        meet("both")

caching.IndexDataCacheFile._save_index, caching.IndexDataCacheFile._save_data = save_index_later, save_data_later
"""


def started(folder: Path, code: str, kind: str) -> subprocess.Popen[str]:
    """Start a process whose kernels are in a folder of their own."""
    environment = {**os.environ, "DPVIZ_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    environment.pop("NUMBA_DISABLE_JIT", None)
    return subprocess.Popen(
        [sys.executable, "-c", code, kind],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def called(folder: Path, kind: str) -> tuple[str, str]:
    """Total of 0 to 4 as numbers of a kind, and what is said besides."""
    said, errors = started(folder, CALL, kind).communicate()
    return said.strip(), errors


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "kernels.py").write_text(textwrap.dedent(KERNEL))
    return tmp_path


def kept(folder: Path, suffix: str) -> list[Path]:
    return [path for path in (folder / "cache").rglob(f"*{suffix}") if "total" in path.name]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [b"", b"hello world, not a pickle", None], ids=["empty", "text", "cut"])
def test_damaged_files_are_compiled_again_and_written_anew(folder, suffix, content):
    assert called(folder, "int64") == ("10", "0\n") and called(folder, "int64") == ("10", "1\n")
    (path,) = kept(folder, suffix)
    path.write_bytes(path.read_bytes()[:100] if content is None else content)
    said, errors = called(folder, "int64")
    assert said == "10" and "cannot be read, so it is compiled again" in errors and "Traceback" not in errors
    assert called(folder, "int64") == ("10", "1\n")


def test_machine_code_that_lost_a_block_is_compiled_again_and_not_run(folder):
    """Unlike most damage it could be read: what is read would crash."""
    assert called(folder, "int64")[0] == "10"
    (path,) = kept(folder, ".nbc")
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes(64) + content[middle + 64 :])
    said, errors = called(folder, "int64")
    assert said == "10" and "cannot be read, so it is compiled again" in errors
    assert called(folder, "int64") == ("10", "1\n")


UPGRADED = """
import sys
from pathlib import Path
import numpy as np
from dpviz.engine import warm
from dpviz.numerics import sums

place, twice = Path(sums.__file__), sys.argv[1] == "meanwhile"
text = place.read_text(encoding="utf-8")
if twice:
    place.write_text(text.replace("def pairwise_sum", "# another version\\n\\n\\ndef pairwise_sum"), encoding="utf-8")
print(sums.pairwise_sum(np.arange(5.0)))
print(sum(sums.pairwise_sum._cache_hits.values()), warm.all_saved())
"""


def test_code_of_sources_that_were_replaced_meanwhile_is_not_kept_as_that_of_the_new_ones(tmp_path):
    shutil.copytree(Path(dpviz.__file__).parent, tmp_path / "dpviz", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "DPVIZ_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)

    def said(when):
        command = [sys.executable, "-c", UPGRADED, when]
        return subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=True).stdout

    assert said("meanwhile") == "10.0\n0 False\n"
    assert said("later") == "10.0\n0 True\n"
    assert said("later") == "10.0\n1 True\n"


def test_processes_that_compile_at_once_do_not_take_each_others_code(folder):
    processes = [started(folder, MEETING + CALL, kind) for kind in ("float64", "int64")]
    assert [process.communicate()[0].strip() for process in processes] == ["10.0", "10"]
    assert len(kept(folder, ".nbc")) == 2
    for kind, total in (("float64", "10.0"), ("int64", "10")):
        assert called(folder, kind)[0] == total
        assert called(folder, kind) == (total, "1\n")


WITHOUT_RIGHTS = """
import ctypes, sys
if sys.platform == "linux":  # root may write anywhere
    ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
"""


def set_modes(top: Path, folders: int, files: int) -> None:
    for path in [*top.rglob("*"), top]:
        path.chmod(folders if path.is_dir() else files)


def called_without_rights(folder: Path, call: str = CALL) -> tuple[str, str]:
    said, errors = started(folder, WITHOUT_RIGHTS + call, "int64").communicate()
    return said.strip(), errors


def test_code_is_read_from_a_folder_that_cannot_be_written_to(folder):
    called(folder, "int64")
    set_modes(folder / "cache", 0o555, 0o444)
    assert called_without_rights(folder) == ("10", "1\n")
    others = "import numpy as np, kernels\nfor kind in 'if':\n    kernels.total(np.arange(5, dtype=kind))"
    _, errors = called_without_rights(folder, others)
    assert errors.count("every start compiles anew what is not there") == 1 and len(errors.splitlines()) == 1


def test_code_that_others_could_have_written_is_not_read(folder):
    called(folder, "int64")
    (code,) = kept(folder, ".nbc")
    set_modes(folder / "cache", 0o555, 0o444)
    code.chmod(0o446)
    said, errors = called_without_rights(folder)
    assert said == "10" and f"others than root and you may change {code}" in errors
    assert "every start compiles anew, " in errors and errors.splitlines()[1:] == ["0"]


def test_a_folder_that_cannot_be_filled_is_said_once_and_only_where_something_is_compiled(folder):
    (folder / "cache").mkdir(mode=0o555)
    assert called_without_rights(folder, "import dpviz") == ("", "")
    said, errors = called_without_rights(folder)
    assert said == "10" and errors.count("cannot be kept in") == 1 and "(Permission denied)" in errors


COPIED = """
import sys
import numpy as np
import dpviz
from dpviz.numerics.matrices import cholesky
from dpviz.numerics.special import log_gammas
from dpviz.numerics.sums import pairwise_sum

print(dpviz.__file__)
print(cholesky(np.eye(2))[0, 0], log_gammas(np.ones(2))[0] + 0.0, pairwise_sum(np.ones(3)))
found = [sum(compiled._cache_hits.values()) for compiled in (cholesky, log_gammas, pairwise_sum)]
print(*found, file=sys.stderr)
"""


def test_an_edit_compiles_anew_what_depends_on_it_and_a_copy_of_the_package_finds_the_rest(tmp_path):
    def in_a_copy(name, edit=""):
        """Call three kernels of a copy of the package, which share a cache; say which of them were found in it."""
        copy = tmp_path / name
        shutil.copytree(Path(dpviz.__file__).parent, copy / "dpviz", ignore=shutil.ignore_patterns("__pycache__"))
        edited = copy / "dpviz" / "numerics" / "sums.py"
        edited.write_text(edited.read_text(encoding="utf-8") + edit, encoding="utf-8")
        environment = {**os.environ, "DPVIZ_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(copy)}
        environment.pop("NUMBA_DISABLE_JIT", None)
        done = subprocess.run(
            [sys.executable, "-c", COPIED], cwd=copy, env=environment, text=True, capture_output=True, check=True
        )
        where, said = done.stdout.splitlines()
        assert Path(where).is_relative_to(copy) and said == "1.0 0.0 3.0"
        return done.stderr.strip()

    assert in_a_copy("first") == "0 0 0"
    assert in_a_copy("second") == "1 1 1"
    assert in_a_copy("edited", "\n# a remark\n") == "1 1 0"


def test_a_key_names_states_what_implements_verbs_for_them_and_constants_from_files_without_kernels(monkeypatch):
    sweep = collapsed_sweep.__name__
    keys = {_jit._key(frozenset({sweep, *states})) for states in ([], [state.__name__], [filling.__name__])}
    assert len(keys) == 3
    before = _jit._key(frozenset({"dpviz.browser.driver"}))
    known = {**_jit._implementing, state.__name__: {state.__name__, "dpviz.numerics.variates"}}
    with monkeypatch.context() as patched:
        patched.setattr(_jit, "_implementing", known)
        assert _jit._key(frozenset({sweep, state.__name__})) not in keys
    monkeypatch.setattr("dpviz.browser.driver.SINGLE", layout.SINGLE + 1)  # of a file without kernels
    _jit._digest_of.cache_clear()
    assert _jit._key(frozenset({"dpviz.browser.driver"})) != before
    _jit._digest_of.cache_clear()


def test_every_kernel_is_a_function_of_a_file_that_keys_look_into():
    """A file that compiles something without naming where that comes from would be left out of all keys."""
    modules = {module_of(path) for path in everything()}
    compiled = {
        value.__module__
        for module in [m for name, m in sys.modules.items() if name.startswith("dpviz.")]
        for value in vars(module).values()
        if hasattr(value, "py_func")
    }
    assert compiled <= modules and bool(compiled) == _jit.COMPILED
