"""Runs on a Dask cluster, and messages when its scheduler or its workers are lost."""

from __future__ import annotations

import _thread
import contextlib
import importlib
import logging
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import Any

import joblib

from dpviz.cli.interrupts import end_workers, exit_code, ignore_interrupts
from dpviz.errors import InvalidParameterError, extra

ANSWER_SECONDS = 5.0
"""Seconds in which a scheduler must answer."""
LOOK_EVERY = 0.5
"""Seconds between two checks of the cluster."""
LOST_AFTER = 5.0
"""Seconds without a connection after which the scheduler is lost; Dask reconnects after a short gap."""


class Watch(threading.Thread):
    """A thread that watches a cluster while cells are computed on it.

    When the scheduler is lost it interrupts the main thread like Ctrl-C, and sets ``scheduler_lost``. When all
    workers are lost it says so once, and once more when one is back: Dask gives their cells to the next one.

    Parameters
    ----------
    client : distributed.Client
    address : str
        Of the scheduler, for the messages.
    """

    def __init__(self, client: Any, address: str) -> None:
        super().__init__(daemon=True)
        self._client, self._address = client, address
        self._over = threading.Event()
        self._had_workers = True
        self._last_seen = time.monotonic()
        self.scheduler_lost = False

    def run(self) -> None:
        """Check at intervals until :meth:`stop`."""
        while not self._over.wait(LOOK_EVERY):
            if self._connected():
                self._last_seen = time.monotonic()
                self._count_workers()
            elif self._client.status == "closed" or time.monotonic() - self._last_seen > LOST_AFTER:
                self.scheduler_lost = True
                _thread.interrupt_main()
                return

    def stop(self) -> None:
        """Look no more."""
        self._over.set()

    def _connected(self) -> bool:
        try:
            self._n_workers = len(self._client.ncores())
        except Exception:  # a broken connection can raise anything
            return False
        return self._client.status == "running"

    def _count_workers(self) -> None:
        if (self._n_workers > 0) == self._had_workers:
            return
        self._had_workers = self._n_workers > 0
        news = (
            "has workers again"
            if self._had_workers
            else ("has no workers left; waiting for one to come (Ctrl-C ends the wait and keeps what is done)")
        )
        print(f"dpviz: the cluster at {self._address} {news}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def cluster(address: str | None) -> Iterator[Watch | None]:
    """Run joblib's calls on a Dask cluster, if one is named.

    Parameters
    ----------
    address : str or None
        Of the scheduler, e.g. ``tcp://10.0.0.1:8786``.

    Yields
    ------
    Watch or None
        Watcher of the cluster; None without one.

    Raises
    ------
    InvalidParameterError
        If Dask is not installed, no scheduler answers, or it has no workers.
    """
    if address is None:
        with joblib.parallel_config(backend="loky", initializer=ignore_interrupts):
            yield None
        return
    distributed = _dask()
    with _silent_dask():
        client = _connect(distributed, address)
        watch = Watch(client, address)
        watch.start()
        try:
            with joblib.parallel_config(backend=_backend(client)):
                yield watch
        finally:
            watch.stop()
            with contextlib.suppress(Exception):  # closing a connection to a lost scheduler fails
                client.close(timeout=1)


def ended(interrupt: BaseException, watch: Watch | None, n_jobs: int) -> tuple[int, bool]:
    """Let workers go after an interrupt; return the command's exit code, and whether the scheduler is lost."""
    lost = isinstance(interrupt, CancelledError) or (watch is not None and watch.scheduler_lost)
    if watch is not None:
        watch.stop()
    elif n_jobs != 1:
        end_workers()
    return 1 if lost else exit_code(interrupt), lost


def _dask() -> Any:
    with extra("cluster", "--scheduler"):
        return importlib.import_module("distributed")


def _connect(distributed: Any, address: str) -> Any:
    try:
        client = distributed.Client(address, timeout=ANSWER_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidParameterError(f"no scheduler answers at {address} ({error}); is it running?") from error
    if not client.ncores():
        client.close()
        raise InvalidParameterError(f"the scheduler at {address} has no workers; start one: dask worker {address}")
    try:
        client.register_plugin(_preload(distributed), name="dpviz")
    except Exception as error:  # a worker's import can raise anything
        client.close()
        raise InvalidParameterError(
            f"the workers at {address} cannot import dpviz ({error}); install it there."
        ) from error
    return client


def _preload(distributed: Any) -> Any:
    """Return a plugin that makes every worker, also later ones, import dpviz before its first cells arrive.

    Cells are unpickled in several threads. Were theirs the first imports, two threads could wait for each other, one
    for a package and one for a module in it, and Python would then hand out half a module.
    """

    class Preload(distributed.WorkerPlugin):  # type: ignore[misc]  # known at run time only
        def setup(self, worker: Any) -> None:
            importlib.import_module("dpviz.analysis.evaluation")

    return Preload()


@contextlib.contextmanager
def _silent_dask() -> Iterator[None]:
    """Suppress Dask's own messages: a line of ours says what matters."""
    own = logging.getLogger("distributed")
    known = [
        own,
        *(logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("distributed.")),
    ]
    levels = [logger.level for logger in known]
    for logger in known:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(known, levels, strict=True):
            logger.setLevel(level)


def _backend(client: Any) -> Any:
    """Return joblib's Dask backend, which would leave a cluster of a single core idle and compute on this machine."""
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]  # joblib has no types
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, int(super().effective_n_jobs(n_jobs)))

    return Backend(client=client)
