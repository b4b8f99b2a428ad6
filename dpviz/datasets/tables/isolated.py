"""Read untrusted uploads in a separate process, so that no file can block or crash this one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from typing import Any, BinaryIO

from dpviz import errors
from dpviz.datasets.tables import reading_process
from dpviz.datasets.tables.limits import check_size
from dpviz.datasets.tables.reading_process import FAILED, MAX_CPU_SECONDS, MAX_MEMORY
from dpviz.datasets.tables.table import Table
from dpviz.datasets.tables.transfer import receive_table
from dpviz.errors import InvalidDataError, MemoryLimitError, require

MAX_PROCESSES = 2
"""Most files that are read at the same time; others wait."""

MAX_WAIT_SECONDS = 180.0
"""Most seconds of wall-clock time of a reading process."""

_turns = threading.BoundedSemaphore(MAX_PROCESSES)


def read_isolated(content: bytes | str, filename: str = "", **options: Any) -> Table:
    """Read a table in another process, with limits on its memory and time.

    The process may take ``MAX_MEMORY`` bytes of address space and ``MAX_CPU_SECONDS`` seconds of computing. The table
    comes back as a file that is mapped into memory, so that this process copies nothing and its other threads run on.

    Parameters
    ----------
    content : bytes or str
        The content of a file, or pasted text.
    filename : str
        The file's name; not used for pasted text.
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
    if not _turns.acquire(timeout=MAX_WAIT_SECONDS):
        raise MemoryLimitError("Other files are being read, which takes long. Try again in some minutes.")
    try:
        return _read(asked, content)
    except OSError as error:
        raise MemoryLimitError(f"There is no room to read the file now ({error.strerror}). Try again later.") from error
    finally:
        _turns.release()


def _read(asked: dict[str, Any], content: bytes | str) -> Table:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as result:
        given.write(json.dumps(asked, default=str).encode() + b"\n")
        given.write(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        given.seek(0)
        status = _run(given, result)
        if status == 0:
            return receive_table(result)
        raise _error(status, result)


def _run(given: BinaryIO, result: BinaryIO) -> int | None:
    """Run the reading process; return its exit status, or None if it had to be killed."""
    command = [sys.executable, "-P", reading_process.__file__]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, stdin=given, stdout=result, stderr=subprocess.DEVNULL, env=environment)
    try:
        return process.wait(MAX_WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _error(status: int | None, result: BinaryIO) -> errors.DpvizError:
    """Explain why the process returned no table."""
    if status == FAILED:
        result.seek(0)
        with contextlib.suppress(ValueError, KeyError, AttributeError):
            answer = json.loads(result.read())
            error: errors.DpvizError = getattr(errors, answer["error"])(answer["message"])
            return error
    advice = "Keep fewer rows or columns, or save the table as CSV."
    if status is None or status in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)):
        return MemoryLimitError(
            f"Reading the file took more than {MAX_CPU_SECONDS} seconds of computing, so it was ended. {advice}"
        )
    return InvalidDataError(
        f"The program that reads files ended unexpectedly on this one (status {status}); it may take up to "
        f"{MAX_MEMORY / 1e9:.0f} GB of memory. {advice}"
    )
