"""Ctrl-C while the command starts: it ends with the code that shells expect, and with one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
AS_INSTALLED = "import sys\nfrom dpviz.cli import main\nsys.exit(main())\n"
"""What the installed command does."""
INTERRUPTING = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
LATE = "dpviz.cli.reproduce"
"""Among the last modules that the command imports."""


def started(
    folder: Path, module: str, command: list[str], handler: signal.Handlers = signal.SIG_DFL
) -> subprocess.CompletedProcess[str]:
    """Run a command, which is interrupted where it begins to import a module."""
    (folder / "sitecustomize.py").write_text(INTERRUPTING, encoding="utf-8")
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": path, "INTERRUPTED_AT": module},
        preexec_fn=lambda: signal.signal(signal.SIGINT, handler),
        capture_output=True,
        text=True,
    )


def installed(folder: Path, name: str = "dpviz") -> list[str]:
    """The script that an installation writes."""
    script = folder / name
    script.write_text(AS_INSTALLED, encoding="utf-8")
    return [str(script), "--version"]


@pytest.mark.parametrize("module", ["numpy", "numba", "numba.core.types", "scipy", "pandas", "dpviz.cli", LATE])
def test_an_interrupt_while_the_command_starts_is_one_line(tmp_path, module):
    done = started(tmp_path, module, installed(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dpviz: interrupted\n")


@pytest.mark.parametrize("module", ["numba", LATE])
def test_the_same_holds_of_the_module(tmp_path, module):
    done = started(tmp_path, module, ["-m", "dpviz.cli", "--version"])
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dpviz: interrupted\n")


def test_where_interrupts_are_ignored_they_stay_so(tmp_path):
    done = started(tmp_path, "numba", installed(tmp_path), signal.SIG_IGN)
    assert done.returncode == 0 and done.stdout.startswith("dpviz 0")


def test_other_programs_that_import_the_library_get_their_own_interrupts(tmp_path):
    done = started(tmp_path, LATE, installed(tmp_path, "analysis"))
    assert done.returncode != 130 and "KeyboardInterrupt" in done.stderr


def test_the_installed_command_is_the_one_tried_here():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"dpviz": "dpviz.cli:main"}
