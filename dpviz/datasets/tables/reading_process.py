"""The program that reads one table in a separate process; :mod:`dpviz.datasets.tables.isolated` runs it.

Its standard input is a line of JSON and then the file; its standard output is the table, or the error as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

MAX_MEMORY = 3_000_000_000
"""Most bytes of address space."""

MAX_CPU_SECONDS = 60
MAX_RESULT_BYTES = 2_000_000_000

FAILED = 3
"""Exit status when the file could not be read and the output says why."""


def main() -> int:
    """Read a table as requested by the first line of the input."""
    _limit()
    _skip_parent_packages()
    result = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(
        sys.stderr.fileno(), sys.stdout.fileno()
    )  # whatever else is printed, at the start of Python too, is no answer
    result.seek(0)
    result.truncate()
    return answer(sys.stdin.buffer, result)


def answer(given: BinaryIO, result: BinaryIO) -> int:
    """Read a table from one file, write it or the error to the other, and return the exit status."""
    from dpviz.datasets.tables.read import read_here, read_text
    from dpviz.datasets.tables.transfer import send_table
    from dpviz.errors import DpvizError, MemoryLimitError

    asked = json.loads(given.readline())
    content = given.read()
    try:
        if asked["is_text"]:
            table = read_text(content.decode("utf-8", "surrogatepass"), **asked["options"])
        else:
            table = read_here(content, asked["filename"], **asked["options"])
        send_table(table, result)
    except (MemoryError, OSError):  # the latter where the result would be too large a file
        too_much = "Reading the file takes more memory than allowed. Keep fewer rows or columns."
        return _tell(MemoryLimitError(too_much), result)
    except DpvizError as error:
        return _tell(error, result)
    result.flush()
    return 0


def _tell(error: Exception, result: BinaryIO) -> int:
    result.seek(0)
    result.truncate()
    result.write(json.dumps({"error": type(error).__name__, "message": str(error)}).encode())
    result.flush()
    return FAILED


def _limit() -> None:
    """Set limits of the operating system on this process, and lower its priority."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the time limit of the parent process remains
        return
    os.nice(5)
    for kind, most, last in (
        (resource.RLIMIT_AS, MAX_MEMORY, MAX_MEMORY),
        (resource.RLIMIT_CPU, MAX_CPU_SECONDS, MAX_CPU_SECONDS + 1),  # the first limit has a signal of its own
        (resource.RLIMIT_FSIZE, MAX_RESULT_BYTES, MAX_RESULT_BYTES),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, allowed = resource.getrlimit(kind)
        if allowed != resource.RLIM_INFINITY:
            most, last = min(most, allowed), min(last, allowed)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses to limit the address space
            resource.setrlimit(kind, (most, last))


def _skip_parent_packages() -> None:
    """Make ``dpviz.datasets.tables`` importable without the imports of its parent packages.

    The compiler of the kernels and scikit-learn take 1.2 s of every 1.6 s, and reading a table needs neither.
    """
    folder = Path(__file__).resolve().parents[2]
    for name, path in (("dpviz", folder), ("dpviz.datasets", folder / "datasets")):
        package = ModuleType(name)
        package.__path__ = [str(path)]
        sys.modules[name] = package


if __name__ == "__main__":
    os._exit(main())  # everything is written, and Arrow's threads sometimes abort a process that takes its leave
