"""Ctrl-C while the command starts: it ends with the code that shells expect, and with one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
AS_INSTALLED = "import sys; from dpviz_command import main; sys.exit(main())"
"""What the installed command does."""
INTERRUPTING = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""


def started(folder: Path, module: str, handler: signal.Handlers = signal.SIG_DFL) -> subprocess.CompletedProcess[str]:
    """Run the command, which is interrupted where it begins to import a module."""
    (folder / "sitecustomize.py").write_text(INTERRUPTING, encoding="utf-8")
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", AS_INSTALLED, "--version"],
        env={**os.environ, "PYTHONPATH": path, "INTERRUPTED_AT": module},
        preexec_fn=lambda: signal.signal(signal.SIGINT, handler), capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    "module", ["dpviz", "numpy", "llvmlite", "numba", "numba.core.types", "scipy", "pandas", "dpviz.cli",
               "dpviz.analysis.studies", "dpviz.cli.commands", "dpviz.cli.reproduce"]
)  # fmt: skip
def test_an_interrupt_while_the_command_starts_is_one_line(tmp_path: Path, module: str) -> None:
    done = started(tmp_path, module)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dpviz: interrupted\n")


def test_where_interrupts_are_ignored_they_stay_so(tmp_path: Path) -> None:
    done = started(tmp_path, "numba", signal.SIG_IGN)
    assert done.returncode == 0 and done.stdout.startswith("dpviz 0")


def test_the_installed_command_is_the_one_tried_here() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"dpviz": "dpviz_command:main"}
