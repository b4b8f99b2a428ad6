"""Read files in a separate process, so that none can block or end this one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import Any, BinaryIO

from dpviz import errors
from dpviz.datasets.tables import reading_process
from dpviz.datasets.tables.limits import check_size
from dpviz.datasets.tables.reading_process import FAILED, MAX_CPU_SECONDS, MAX_MEMORY
from dpviz.datasets.tables.table import Table
from dpviz.datasets.tables.transfer import receive_table
from dpviz.datasets.tables.turns import Turns
from dpviz.errors import InvalidDataError, MemoryLimitError, require

MAX_PROCESSES = 2
"""Most files that are read at the same time; others wait."""

MAX_WAIT_SECONDS = 120.0
"""Most seconds of wall-clock time of a reading process, and of the wait for a turn."""

_turns = Turns(MAX_PROCESSES)
_SHOWN_COMPLAINT = 2_000
_OUT_OF_MEMORY = (
    "bad_alloc",
    "MemoryError",
    "Cannot allocate memory",
    "memory allocation of",
)  # of C++, Python, C, Rust


def read_isolated(content: bytes | str, filename: str = "", owner: str = "", **options: Any) -> Table:
    """Read a table in another process, with limits on its memory and time.

    The process may take ``MAX_MEMORY`` bytes of address space and ``MAX_CPU_SECONDS`` seconds of computing. The table
    comes back as a file that is mapped into memory, so that this process copies nothing and its other threads run on.

    Parameters
    ----------
    content : bytes or str
        The content of a file, or pasted text.
    filename : str
        The file's name; not used for pasted text.
    owner : str
        Who asks, such as a session: of each, one file is read at a time, and nobody's second before another's first.
    **options
        Those of :func:`~dpviz.datasets.tables.read_table`, or for pasted text of
        :func:`~dpviz.datasets.tables.read_text`.

    Returns
    -------
    Table
        As :func:`~dpviz.datasets.tables.read_table` returns it; its columns are read-only.

    Raises
    ------
    InvalidParameterError, InvalidDataError
        As for :func:`~dpviz.datasets.tables.read_table`.
    MemoryLimitError
        If it is too large, or takes more memory or time than allowed.
    """
    require(isinstance(content, (bytes, str)), "content", type(content).__name__, "bytes or a string")
    check_size(len(content))
    asked = {"filename": filename, "is_text": isinstance(content, str), "options": options}
    with _turns.taken(owner, MAX_WAIT_SECONDS):
        try:
            return _read(asked, content)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise MemoryLimitError(f"There is no room to read the file now ({reason}). Try again later.") from error


def _read(asked: dict[str, Any], content: bytes | str) -> Table:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as result, tempfile.TemporaryFile() as complaint:
        given.write(json.dumps(asked, default=str).encode() + b"\n")
        given.write(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        given.seek(0)
        status = _run(given, result, complaint)
        if status == 0:
            return receive_table(result)
        raise _error(status, result, complaint)


def _run(given: BinaryIO, result: BinaryIO, complaint: BinaryIO) -> int | None:
    """Run the reading process; return its exit status, or None if it had to be killed."""
    command = [sys.executable, "-P", reading_process.__file__]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, stdin=given, stdout=result, stderr=complaint, env=environment)
    try:
        return process.wait(MAX_WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _error(status: int | None, result: BinaryIO, complaint: BinaryIO) -> errors.DpvizError:
    """Explain why the process returned no table."""
    if status == FAILED:
        result.seek(0)
        with contextlib.suppress(ValueError, KeyError, AttributeError):
            answer = json.loads(result.read())
            error: errors.DpvizError = getattr(errors, answer["error"])(answer["message"])
            return error
    advice = "Keep fewer rows or columns, or save the table as CSV."
    if status is None:
        return MemoryLimitError(
            f"Reading the file took longer than {MAX_WAIT_SECONDS:g} seconds, so it was ended. {advice}"
        )
    if status == -getattr(signal, "SIGXCPU", 0):
        return MemoryLimitError(
            f"Reading the file took more than {MAX_CPU_SECONDS} seconds of computing, so it was ended. {advice}"
        )
    complaint.seek(0)
    words = complaint.read(_SHOWN_COMPLAINT).decode("utf-8", "replace")
    if any(sign in words for sign in _OUT_OF_MEMORY):
        return MemoryLimitError(
            f"Reading the file took more than {MAX_MEMORY / 1e9:.0f} GB of memory, so it was ended. {advice}"
        )
    if status == -getattr(signal, "SIGKILL", 0):
        return MemoryLimitError(f"The system ended the program that reads the file, as when memory runs out. {advice}")
    if status < 0:
        return InvalidDataError(
            f"The file is damaged: the program that reads it ended with signal {_signal_name(-status)}. Save it again, "
            "or save the table as CSV."
        )
    return InvalidDataError(
        f"The program that reads files ended with status {status} and without an answer. Save the table as CSV."
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
