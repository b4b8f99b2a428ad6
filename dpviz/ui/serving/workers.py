"""Several servers as one: ``python -m dpviz.ui.serving.workers`` starts them and a proxy, and restarts those that end.

:func:`dpviz.server.streamlit_command` runs it. Every program it starts ends with it: it stops them in order when it is
asked to end, and when it is killed, their standard inputs are closed, which ends them.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpviz._jit import NOT_KEPT
from dpviz.errors import DpvizError
from dpviz.server import BOARD, BOUND, RUNS, WORKER, WORKERS, local_address, read_flags, say, server_command
from dpviz.ui.serving import nginx, parent
from dpviz.ui.serving.health import answers

GRACE_SECONDS = 10.0
"""Seconds a program may take to end before it is killed."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a program that ended is restarted; doubled whenever it ends without having been ready."""
CHECK_SECONDS, MOST_MISSES = 5.0, 3
"""Seconds between two health checks of a program that is ready, and how many in a row it may leave unanswered before it
counts as hung. Each waits for :data:`~dpviz.ui.serving.health.PATIENCE_SECONDS`: half a minute of silence in all.
Computations release the interpreter's lock, and tables are read by another process, so neither takes that long; with
300 sessions that asked three times what the machine could do, the slowest answer took 4 s."""
START_SECONDS = 600.0
"""Seconds that a program may take until it is ready again before it counts as hung. At its first start, and at every
one where compiled code cannot be kept, it may have every kernel to compile, on a slow machine: then it is only said."""
_LOOK_SECONDS = 0.2


@dataclass(eq=False)
class Child:
    """A program that is restarted when it ends or hangs.

    Attributes
    ----------
    name : str
        Name in messages.
    command : sequence of str
        Must end when its standard input is closed.
    address : str
        Health check that succeeds from when it is ready, as long as it works.
    process : Process or None
        The present process.
    ready : asyncio.Event
        Set while it is ready.
    """

    name: str
    command: Sequence[str]
    address: str
    process: Process | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)


class NeverReady(RuntimeError):
    """A program ended before it was ever ready: a restart would not help."""


class Keeper:
    """Starts programs, restarts those that end or hang, and ends them all.

    Parameters
    ----------
    say : callable
        Prints a line for the user.
    first_pause : float
        Seconds before a program is restarted.
    """

    def __init__(self, say: Callable[[str], None], first_pause: float = FIRST_PAUSE) -> None:
        self._say, self._first_pause = say, first_pause
        self._children: list[Child] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, *children: Child) -> None:
        """Start programs and wait until all are ready.

        Raises
        ------
        NeverReady
            If one ends before.
        """
        self._children += children
        keeping = [asyncio.create_task(self._keep(child)) for child in children]
        self._tasks += keeping
        waiting = asyncio.create_task(_all_ready(children))
        await asyncio.wait([waiting, *keeping], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        for task in keeping:
            if task.done():
                task.result()

    async def forever(self) -> None:
        """Keep all programs running until cancelled."""
        await asyncio.gather(*self._tasks)

    async def end(self) -> None:
        """End all programs in reverse order of their start; kill those that do not end in time."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(self._end(child) for child in reversed(self._children)))

    async def _keep(self, child: Child) -> None:
        pause = self._first_pause
        never_ready = True
        while True:
            child.process = await asyncio.create_subprocess_exec(
                *child.command, stdin=PIPE, stdout=DEVNULL, start_new_session=True
            )
            looking = asyncio.create_task(self._look(child, compiles=never_ready or bool(NOT_KEPT)))
            try:
                code = await child.process.wait()
            finally:
                looking.cancel()
            _kill_group(child.process.pid)  # its own child processes
            if child.ready.is_set():
                never_ready, pause = False, self._first_pause
            child.ready.clear()
            if never_ready:
                raise NeverReady(f"{child.name} ended ({_how(code)}) before it was ready; {_why(code)}.")
            self._say(f"{child.name} ended ({_how(code)}); it restarts in {pause:g} s.")
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _look(self, child: Child, compiles: bool) -> None:
        assert child.process is not None
        process = f"process {child.process.pid}"
        if await self._until_ready(child, process, compiles):
            child.ready.set()
            self._say(f"{child.name} is ready ({process}).")
            misses = 0
            while misses < MOST_MISSES:
                await asyncio.sleep(CHECK_SECONDS)
                misses = 0 if await asyncio.to_thread(answers, child.address) else misses + 1
            self._say(f"{child.name} does not answer ({process}); it is replaced.")
        _kill_group(child.process.pid)  # which ends a program that heeds no other signal, even a stopped one

    async def _until_ready(self, child: Child, process: str, compiles: bool) -> bool:
        """Wait for the first answer; False if a program that has nothing to compile takes too long for it."""
        clock = asyncio.get_running_loop().time
        told = clock()
        while not await asyncio.to_thread(answers, child.address):
            if clock() - told >= START_SECONDS:
                told = clock()
                then = "it is waited for" if compiles else "it is replaced"
                self._say(f"{child.name} is not ready {START_SECONDS:g} s later ({process}); {then}.")
                if not compiles:
                    return False
            await asyncio.sleep(_LOOK_SECONDS)
        return True

    async def _end(self, child: Child) -> None:
        process = child.process
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE_SECONDS)
        _kill_group(process.pid)
        await process.wait()


async def _all_ready(children: Sequence[Child]) -> None:
    for child in children:
        await child.ready.wait()


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _how(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"code {code}"


def _why(code: int) -> str:
    """Where the reason is: a program that is killed has no time to say one."""
    if code == -signal.SIGKILL:
        return "something killed it, which the system does when its memory is full"
    return "see above for why"


@contextmanager
def reserved_ports(number: int) -> Iterator[list[int]]:
    """Reserve free ports of this machine; the server that listens on one may share it."""
    with ExitStack() as held:
        ports = []
        for _ in range(number):
            one = held.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", 0))
            ports.append(one.getsockname()[1])
        yield ports


def workers(options: dict[str, Any], ports: Sequence[int], folder: Path) -> list[Child]:
    """Return the servers, each on a port of this machine; ``options`` are those of the whole group."""
    children = []
    shared = {RUNS: True, BOUND: True, BOARD: str(folder / "board.sqlite")}
    for number, port in enumerate(ports, 1):
        own = {"server.address": "127.0.0.1", "server.port": port, WORKER: str(number), **shared}
        command = server_command({**options, **own})
        children.append(Child(f"Worker {number}", command, f"{local_address('127.0.0.1', port)}/_stcore/health"))
    return children


def proxy(options: dict[str, Any], ports: Sequence[int], folder: Path) -> Child:
    """Write the proxy's configuration into a folder and return the proxy."""
    host, port = options["server.address"], options["server.port"]
    text = nginx.configuration(folder, host, port, ports, options["server.maxUploadSize"])
    (folder / "nginx.conf").write_text(text)
    own = [nginx.program(), "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
    command = [sys.executable, "-I", "-S", str(parent.__file__), *own]
    return Child("The proxy", command, f"{local_address(host, port)}{nginx.HEALTH}")


async def serve(options: dict[str, Any], number: int, folder: Path, say: Callable[[str], None]) -> None:
    """Serve until cancelled."""
    keeper = Keeper(say)
    with reserved_ports(number) as ports:
        front = proxy(options, ports, folder)
        first, *others = workers(options, ports, folder)
        try:
            say("Worker 1 starts: it loads every kernel, and compiles those that this machine does not have yet.")
            await keeper.start(first)  # alone: the others load what it compiles
            await keeper.start(*others)
            await keeper.start(front)
            address = local_address(options["server.address"], options["server.port"])
            say(f"Ready: {number} workers at {address}")
            await keeper.forever()
        finally:
            await keeper.end()


async def _until_told(serving: asyncio.Task[None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving


def allow_connections() -> None:
    """Raise the limit of open files, which the servers inherit, to the proxy's number of connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = nginx.CONNECTIONS + 100
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def main(arguments: Sequence[str]) -> int:
    """Serve with the options of a single server and ``--workers=4``; return the exit code."""
    options = read_flags(arguments)
    number = options.pop(WORKERS)
    allow_connections()

    async def run(folder: str) -> None:
        await _until_told(asyncio.create_task(serve(options, number, Path(folder), say)))

    try:
        with tempfile.TemporaryDirectory(prefix="dpviz-") as folder:
            asyncio.run(run(folder))
    except (DpvizError, NeverReady) as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
