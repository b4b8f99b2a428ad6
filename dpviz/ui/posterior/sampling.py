"""Running the chains of the Posterior page: in the background, on all cores if these are free, with continuation."""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from dpviz.analysis.grids import duration
from dpviz.analysis.sampling import Chains, Series
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace
from dpviz.errors import MemoryLimitError
from dpviz.fit.timing import Estimate
from dpviz.text import counted
from dpviz.ui.posterior.settings import KEPT_BYTES, Setup
from dpviz.ui.session import jobs
from dpviz.ui.session.background import Stage
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.computation import Computation
from dpviz.ui.session.cores import held_cores

MOST_BYTES = 4 * KEPT_BYTES
"""Most bytes of labels of continued chains."""
PLACE = "posterior"


@dataclass(frozen=True, eq=False)
class Sampled:
    """Chains that finished or were stopped.

    Attributes
    ----------
    setup : Setup
    data : str
        Digest of their data.
    traces : tuple of Trace
        One per chain.
    """

    setup: Setup
    data: str
    traces: tuple[Trace, ...]

    @property
    def n_sweeps(self) -> int:
        """Length of the shortest chain: comparisons end there."""
        return min(trace.n_sweeps for trace in self.traces)

    @property
    def stopped(self) -> bool:
        """Whether they are shorter than requested."""
        return self.n_sweeps < self.setup.config.n_sweeps

    @property
    def key(self) -> Hashable:
        """Their key, as :func:`key_of`."""
        return self.setup.identity, self.data

    def is_of(self, setup: Setup, prepared: PreparedData) -> bool:
        """Whether they were made with these settings and data."""
        return self.key == key_of(setup, prepared)


def key_of(setup: Setup, prepared: PreparedData) -> Hashable:
    """Return a key that differs for other settings or other data."""
    return setup.identity, fingerprint(prepared.X)


def work_of(setup: Setup, prepared: PreparedData) -> Estimate:
    """Estimate all chains, on one core."""
    return jobs.expected(setup.config, prepared).times(setup.n_chains)


def wanted(setup: Setup, prepared: PreparedData, earlier: Sampled | None = None) -> Computation:
    """Return the chains of these settings and data as a computation; ``earlier`` ones are continued."""
    return Computation(
        PLACE,
        key_of(setup, prepared),
        lambda: Sampling(setup, prepared, earlier),
        work_of(setup, prepared),
        unasked=jobs.UNASKED_OPERATIONS,
        at_once=jobs.QUICK_OPERATIONS,
        shared=prepared.choice.source != "session",
        keeps=True,
    )


class Sampling:
    """Chains in progress, a task of :mod:`dpviz.ui.session.background`.

    Parameters
    ----------
    setup : Setup
    prepared : PreparedData
    earlier : Sampled, optional
        Shorter chains of the same settings, which are continued.

    Attributes
    ----------
    setup : Setup
    result : Sampled or None
        Set once it is over.

    Raises
    ------
    DpvizError
        If data and settings do not fit together, or longer chains would take too much memory.
    """

    waits, resumes = True, False

    def __init__(self, setup: Setup, prepared: PreparedData, earlier: Sampled | None = None) -> None:
        config = setup.config
        n_bytes = setup.n_chains * config.n_sweeps // config.thin * len(prepared.X)
        if n_bytes > MOST_BYTES:
            raise MemoryLimitError(
                f"these chains would keep {n_bytes / 1e6:,.0f} MB of labels; {MOST_BYTES / 1e6:,.0f} MB is the limit. "
                "Choose more sweeps above and run again: longer chains are thinned more."
            )
        self.setup = setup
        self.result: Sampled | None = None
        self._data = fingerprint(prepared.X)
        self._operations = work_of(setup, prepared).operations / (setup.n_chains * config.n_sweeps)
        self._units = prepared.units
        before = () if earlier is None else tuple(trace.in_units(0.0) for trace in earlier.traces)
        chains = Chains(prepared.X, setup.configs(len(prepared.X)), before)
        self._chains: Chains | None = chains
        self._stages: list[Stage] = []
        self._already = sum(chains.n_sweeps_done)
        self._steps: Generator[float, None, None] | None = None
        self._begun = time.monotonic()

    def steps(self) -> Iterator[float]:
        """Sweep the chains, yielding the operations done."""
        self._steps = self._swept()
        return self._steps

    def _swept(self) -> Generator[float, None, None]:
        assert self._chains is not None
        with held_cores(self.setup.n_chains) as cores, closing(self._chains.advance(cores.number)) as running:
            for n_sweeps in running:  # closing it waits for the current slices
                yield n_sweeps * self._operations

    def picture(self) -> Series:
        """Series of all chains so far."""
        assert self._chains is not None  # it is not over
        series, more = self._chains.series(), self._units.scaling_nats(self.setup.config)
        return replace(series, nll=tuple(nll + more for nll in series.nll))

    def finish(self, stopped: bool) -> None:
        """Keep the sweeps done, and nothing else."""
        assert self._chains is not None
        if self._steps is not None:
            self._steps.close()
        self.result = Sampled(self.setup, self._data, tuple(map(self._units.trace, self._chains.traces())))
        self._stages, self._chains = self.stages(), None

    def stages(self) -> list[Stage]:
        """Report the chains' progress."""
        chains = self._chains
        if chains is None:
            return self._stages
        done, total = chains.n_sweeps_done, chains.n_sweeps
        new = sum(done) - self._already
        words = f"{counted(len(done), 'chain')}, sweep {min(done):,} of {self.setup.config.n_sweeps:,}"
        if new:
            left = (time.monotonic() - self._begun) / new * (total - sum(done))
            words += f" · about {duration(left)} left"
        return [Stage(sum(done) / total, words)]
