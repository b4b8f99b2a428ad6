"""A whole run as one immutable trace: its labels, its series, and how it ended."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray, LabelArray
from dpviz.config import RunConfig
from dpviz.engine import stored
from dpviz.engine.algorithms.description import REGISTERED
from dpviz.engine.display import shown, shown_unasked
from dpviz.engine.draws_tree import to_arviz
from dpviz.engine.moves import Moves, Score
from dpviz.engine.position import GeneratorState, Position
from dpviz.engine.record import Start, SweepRecord
from dpviz.engine.recording import is_regular
from dpviz.engine.stored import LARGEST_ARRAYS, SERIES
from dpviz.errors import InvalidParameterError, require_kind, require_sequence
from dpviz.partition import PartitionPrior
from dpviz.text import quoted

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree


@dataclass(frozen=True, eq=False)
class Trace:
    """A whole run, immutable: T sweeps after the initial state.

    Attributes
    ----------
    config : RunConfig
        Its configuration; the same configuration and data give the same trace in every field but ``seconds``.
    labels : ndarray (R, N)
        Labels of the recorded sweeps, in the smallest unsigned type that fits.
    label_sweeps : ndarray (R,)
        Which sweeps those are; all of them unless the chain was thinned.
    nll, objective, n_clusters, n_moved, n_born, n_died, seconds : ndarray (T + 1,)
        As in :class:`SweepRecord`; thinning drops none of them.
    starts : tuple of Start
        All restarts; this trace is the best of them.
    chosen_start : int
        Its position among them.
    converged : bool
        Whether the run ended by itself, where no single point would move, rather than by its bound on the sweeps or by
        being cancelled. That is a local optimum; whether the search for better ones was ended by its budget,
        ``search_exhausted`` says.
    events : ndarray (M, 3) or None
        As in :class:`SweepRecord`, for ``config.events_sweep``.
    moves : tuple of (int, str)
        Sweeps that were changes of whole clusters instead, and which; see :attr:`SweepRecord.move`.
    parameters : tuple
        Explicit parameters at every recorded sweep, as in :class:`SweepRecord`; empty for algorithms without any, and
        for runs from a file, where they are not kept.
    total_seconds : float
        Time of the whole run: all starts, and the search after them; NaN if unknown.
    n_trial_sweeps : int
        Work of the search after the starts, in sweeps of all points, rejected changes included.
    search_exhausted : bool
        Whether that search ended because its budget was spent, rather than because its walks agreed or found nothing
        more; see ``config.effort``.
    data : str
        Digest of the data it was made from, see :func:`dpviz.engine.stored.fingerprint`; empty if that is unknown.
    n_accepted : ndarray (T + 1,) or None
        As in :class:`SweepRecord`; None if the configuration asks for no splits and merges.
    generator : tuple of int or None
        State of the random numbers after the last recorded sweep, from which :func:`dpviz.resume` goes on; None of
        runs that cannot be resumed.
    imputed : ndarray (R, M) or None
        Missing cells at every recorded sweep, as in :class:`SweepRecord`: draws of gibbs, or modes of mapdp, which have
        less scatter than the cells that they stand for. ``nll`` is then −ln p(X, z) of the filled
        table, and not comparable with that of runs that leave missing cells out.
    learned : ndarray (T + 1, H) or None
        Hyperparameters after every sweep, as in :class:`SweepRecord`; by name they are in :attr:`hyperparameters`.
        ``nll`` is −ln p(X, z | θ) at the value of each sweep, without the law of θ.
    stride : int
        Where memory was bounded, labels were recorded of every so many of the sweeps that the configuration keeps, and
        beside them of the last two and of the result; else 1.
    scaling_nats : float
        By how much ``nll`` is above −ln p(X, z) of the numbers that were clustered (nats), where it is that of a table
        whose columns were divided before: N Σ ln of the divisors. 0 of :func:`dpviz.run`, whose ``nll`` is that of X as
        given; command line and app say it in units of the table, see :meth:`in_units`.
    """

    config: RunConfig
    labels: LabelArray
    label_sweeps: IntArray
    nll: FloatArray
    objective: FloatArray
    n_clusters: IntArray
    n_moved: IntArray
    n_born: IntArray
    n_died: IntArray
    seconds: FloatArray
    flat_sizes: IntArray
    size_offsets: IntArray
    starts: tuple[Start, ...] = ()
    chosen_start: int = 0
    converged: bool = False
    events: IntArray | None = None
    moves: tuple[tuple[int, str], ...] = ()
    parameters: tuple[Any, ...] = ()
    total_seconds: float = np.nan
    n_trial_sweeps: int = 0
    search_exhausted: bool = False
    data: str = ""
    n_accepted: IntArray | None = None
    generator: GeneratorState | None = None
    imputed: FloatArray | None = None
    learned: FloatArray | None = None
    stride: int = 1
    scaling_nats: float = 0.0

    def __post_init__(self) -> None:
        """Make every array read-only, since traces are shared between sessions."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def X(self) -> FloatArray | None:
        """The data (N, D), of a run from :func:`dpviz.run`; they are not stored with the trace."""
        X: FloatArray | None = vars(self).get("_X")
        return X

    def with_data(self, X: FloatArray) -> Trace:
        """Keep the data of the run for its display, and return the trace itself."""
        object.__setattr__(self, "_X", X)
        return self

    def show(self, X: Any = None, labels: Any = None, title: str = "") -> Any:
        """Play the run inside a notebook.

        Parameters
        ----------
        X : array_like (N, D), optional
            The data of the run, if it does not have them, as after loading from a file.
        labels : array_like (N,), optional
            True groups, as numbers or names.
        title : str, optional
            By default the method with its main parameters and its seed.

        Returns
        -------
        dpviz.player.Film
            A notebook shows it by itself; ``.save(path)`` writes it as a page that needs no network.

        Raises
        ------
        InvalidDataError
            If the data are missing, or the run was made from others.
        """
        return shown(self, X, labels, title)

    def to_arviz(self, *others: Trace, X: FloatArray | None = None, feature_names: Sequence[str] = ()) -> DataTree:
        """Return the kept draws of this chain, and of others of the same model, as an ArviZ DataTree.

        Parameters
        ----------
        *others : Trace
            Further chains, of other seeds.
        X, feature_names : optional
            The data and names of their columns, as for :func:`dpviz.engine.draws_tree.to_arviz`, which says what the
            groups hold.

        Raises
        ------
        DpvizError
            If these are no chains of one model, or arviz-base is not installed: ``pip install 'dpviz[arviz]'``.
        """
        return to_arviz([self, *others], X, feature_names)

    def _repr_html_(self) -> str | None:
        """Play the run where a notebook displays it; None, which means ``repr``, without data or if it is large."""
        return shown_unasked(self)

    def in_units(self, scaling_nats: float) -> Trace:
        """Return the same run with ``nll``, and an objective that is one, so much above those of what was clustered.

        Parameters
        ----------
        scaling_nats : float
            As the attribute of this name will be; 0 for the units of the numbers that were clustered.
        """
        more = scaling_nats - self.scaling_nats
        if more == 0 or not REGISTERED[self.config.algorithm].has_density:  # squared distances have no such units
            return self
        starts = tuple(start._replace(nll=start.nll + more) for start in self.starts)
        moved = replace(
            self, nll=self.nll + more, objective=self.objective + more, starts=starts, scaling_nats=scaling_nats
        )
        return moved if self.X is None else moved.with_data(self.X)

    @property
    def n_sweeps(self) -> int:
        """Number of sweeps T; the initial state not counted."""
        return len(self.nll) - 1

    @property
    def n_points(self) -> int:
        """Number of points N."""
        return self.labels.shape[1]

    @property
    def n_point_sweeps(self) -> int:
        """Number of sweeps before the first change of whole clusters; only these visit points one by one."""
        return self.moves[0][0] - 1 if self.moves else self.n_sweeps

    @property
    def is_chain(self) -> bool:
        """Whether these are draws of a chain, which does not converge to one state."""
        return REGISTERED[self.config.algorithm].is_chain

    @property
    def acceptance_rate(self) -> float:
        """Share of the splits and merges proposed so far that were accepted; NaN if none was proposed."""
        if self.n_accepted is None or not self.n_sweeps:
            return np.nan
        return float(self.n_accepted.sum() / (self.config.split_merge * self.n_sweeps))

    @property
    def draws(self) -> LabelArray:
        """Labels (S, N) of the kept draws of a chain: the recorded sweeps after the burn-in."""
        return self.labels[self.draw_rows]

    @property
    def draw_rows(self) -> IntArray:
        """Rows (S,) of ``labels`` that are the kept draws of a chain.

        With a stride, the result and the last sweeps, which were recorded for other reasons, are no draws, unless there
        is nothing else.
        """
        drawn = self.label_sweeps > self.config.burn_in
        regular = is_regular(self.label_sweeps, self.config, self.stride)
        is_chosen = self.stride > 1 and bool(np.any(drawn & regular))
        return np.flatnonzero(drawn & regular if is_chosen else drawn)

    @property
    def hyperparameters(self) -> dict[str, FloatArray]:
        """Hyperparameters that the run learns, by name: an array (T + 1,) each; empty without ``config.hyperpriors``.

        Row 0 is the start of the chain.
        """
        if self.learned is None:
            return {}
        return {name: self.learned[:, h] for h, (name, _) in enumerate(self.config.hyperpriors)}

    def partition_at(self, sweep: int) -> PartitionPrior:
        """Partition prior after a sweep: that of the configuration, with the hyperparameters learned by then.

        Raises
        ------
        InvalidParameterError
            If the run has no such sweep.
        """
        partition, wanted = self.config.partition, self._checked_sweep(sweep)
        assert partition is not None
        values = {name: float(series[wanted]) for name, series in self.hyperparameters.items()}
        return partition.with_values(values) if values else partition

    @property
    def result_sweep(self) -> int:
        """Sweep whose labels are the result: the last; of a chain the kept draw of lowest nll.

        Of mapdp at a temperature above 0, which never settles, it is the state of lowest nll.
        """
        if not self.is_chain:
            wanders = REGISTERED[self.config.algorithm].minimises_nll and self.config.temperature
            return int(np.nanargmin(self.nll)) if wanders and np.isfinite(self.nll).any() else self.n_sweeps
        draws = self.label_sweeps[self.label_sweeps > self.config.burn_in]
        return int(draws[np.argmin(self.nll[draws])]) if len(draws) else self.n_sweeps

    @property
    def result_row(self) -> int:
        """Row of ``labels`` that is the result; of a chain that was stopped early the last one recorded."""
        return int(np.searchsorted(self.label_sweeps, self.result_sweep, side="right")) - 1

    @property
    def result_labels(self) -> IntArray:
        """Labels (N,) int64 of the result."""
        return self.labels[self.result_row].astype(np.int64)

    @property
    def position(self) -> Position | None:
        """State of the chain after the last recorded sweep; None if it cannot be resumed from there."""
        sweep = int(self.label_sweeps[-1])
        if self.generator is None or sweep == 0 or not self.sizes(sweep).all():  # a file may number clusters with gaps
            return None
        return Position(sweep, self.labels[-1].astype(np.int64), self.generator, self._learned_at(sweep))

    def _learned_at(self, sweep: int) -> tuple[float, ...]:
        return () if self.learned is None else tuple(self.learned[sweep].tolist())

    @property
    def last_record(self) -> SweepRecord:
        """The last sweep whose labels were recorded."""
        sweep = int(self.label_sweeps[-1])
        n_clusters, nll, objective = (getattr(self, name)[sweep].item() for name in ("n_clusters", "nll", "objective"))
        counts = {name: getattr(self, name)[sweep].item() for name in ("n_moved", "n_born", "n_died")}
        learned = self._learned_at(sweep)
        score = Score(self.labels[-1], self.sizes(sweep), n_clusters, nll, objective, hyperparameters=learned)
        return SweepRecord(sweep, score, Moves(**counts), float(self.seconds[sweep]), generator=self.generator)

    def row(self, sweep: int) -> int:
        """Row of ``labels`` that holds a sweep; negative sweeps count from the end.

        Raises
        ------
        InvalidParameterError
            If the run has no such sweep, or thinning did not keep its labels.
        """
        wanted = self._checked_sweep(sweep)
        row = int(np.searchsorted(self.label_sweeps, wanted))
        if row == len(self.label_sweeps) or self.label_sweeps[row] != wanted:
            raise InvalidParameterError(
                f"sweep = {sweep}: its labels were not kept (thin = {self.config.thin}, stride = {self.stride}); see "
                "trace.label_sweeps."
            )
        return row

    def labels_at(self, sweep: int) -> IntArray:
        """Labels (N,) int64 after a sweep; 0 is the initial state."""
        return self.labels[self.row(sweep)].astype(np.int64)

    def sizes(self, sweep: int) -> IntArray:
        """Cluster sizes (K,) after a sweep, in the order of the labels."""
        wanted = self._checked_sweep(sweep)
        return self.flat_sizes[self.size_offsets[wanted] : self.size_offsets[wanted + 1]]

    def _checked_sweep(self, sweep: int) -> int:
        last = self.n_sweeps
        if isinstance(sweep, bool) or not isinstance(sweep, int | np.integer) or not -last - 1 <= sweep <= last:
            raise InvalidParameterError(f"sweep = {quoted(sweep)} must be a whole number between 0 and {last}.")
        return int(sweep) if sweep >= 0 else last + 1 + int(sweep)

    def to_frame(self) -> pd.DataFrame:
        """One row per sweep (index ``sweep``), one column per series, and for ``n_accepted`` and what is learned."""
        import pandas as pd  # deferred: a run needs no tables

        frame = pd.DataFrame({name: getattr(self, name) for name in SERIES})
        if self.n_accepted is not None:
            frame["n_accepted"] = self.n_accepted
        for name, values in self.hyperparameters.items():
            frame[name] = values
        frame.index.name = "sweep"
        return frame

    def to_json(self) -> str:
        """Return the whole run as JSON; arrays are base64 of their zlib-compressed bytes (little-endian).

        The inverse is :meth:`from_json`; nothing is lost.
        """
        return stored.written(self)

    @classmethod
    def from_json(
        cls, text: str, *, n_points: int | Collection[int] | None = None, most_bytes: int = LARGEST_ARRAYS
    ) -> Trace:
        """Load what :meth:`to_json` wrote; the text is untrusted.

        What it says fits together then; whether it is so of data, :func:`dpviz.check_result` computes.

        Parameters
        ----------
        text : str
        n_points : int or collection of int, optional
            Number of points of the data that the run belongs to, or those that it may have; any when omitted.
        most_bytes : int
            Most bytes that its arrays may take in memory, 1 GiB by default.

        Raises
        ------
        TraceFormatError
            If it is not a stored run, is damaged, does not fit together, or has another number of points or more bytes
            than allowed, which is checked before any array is unpacked.
        """
        return stored.read(cls, text, n_points, most_bytes)


def check_trace(trace: object) -> None:
    """Raise unless this is a run."""
    require_kind("trace", trace, Trace, "a Trace, as dpviz.run returns it")


def check_traces(traces: object) -> None:
    """Raise unless these are runs in a list."""
    require_sequence("traces", traces, Trace, "a list of Trace, as dpviz.run returns them")
