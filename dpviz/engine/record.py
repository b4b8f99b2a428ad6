"""What is recorded of a restart and of a sweep while a run goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray, LabelArray
from dpviz.engine.moves import Moves, Score
from dpviz.engine.position import GeneratorState


class Start(NamedTuple):
    """One restart: its kind of start, its final number of clusters and nll (nats), and its sweeps.

    For kmeans, dpmeans and em, which have no nll, ``nll`` is the objective.
    """

    init: str
    n_clusters: int
    nll: float
    n_sweeps: int


@dataclass(frozen=True, eq=False)
class SweepRecord:
    """The state after one sweep, and the sweep's counts.

    The parts of ``score`` and ``moves`` are attributes of the record too.

    Attributes
    ----------
    sweep : int
        0 is the initial state.
    score : Score
        The state, with labels in the smallest unsigned type that fits.
    moves : Moves
        The counts.
    seconds : float
        Spent on this sweep, the recording included; 0 for the initial state.
    converged : bool
        Whether the start has converged; only changes of whole clusters may still follow.
    move : str
        ``"merge"``, ``"split"`` or ``"swap"`` (as many clusters as before) if this is not one sweep but a whole
        improvement of that kind, the sweeps after it included; ``n_moved``, ``n_born`` and ``n_died`` then compare its
        end with its beginning. Only near the end of mapdp runs with ``"auto"`` starts.
    generator : tuple of int or None
        State of the random numbers after the sweep, of runs that can be resumed from it.
    labels : ndarray (N,)
        0 … K − 1 from the oldest to the youngest cluster, in the smallest unsigned type that fits.
    sizes : ndarray (K,)
    nll : float
        −ln p(X, z) in nats; NaN for kmeans, dpmeans and em.
    objective : float
        The quantity in the papers' figures: E (2016 eq. 12) in nats for mapdp and gibbs; Σ‖x − μ‖² + λK for kmeans and
        dpmeans (λ = 0 for kmeans, of which 2016 eq. 1 is half); 2016 eq. 5 in nats for em.
    n_clusters, n_moved, n_born, n_died : int
    events : ndarray (M, 3) or None
        Every visit of the sweep as (point, from, to), in order, if the configuration asked for this sweep. Clusters
        are numbered as at the start of the sweep; one born during the sweep takes the lowest free number.
    parameters : object
        Explicit parameters after the sweep, of algorithms that have any: of em
        :class:`~dpviz.engine.algorithms.em.MixtureParameters`.
    n_accepted : int
        Of the ``config.split_merge`` splits and merges that gibbs proposes after a sweep, those that were accepted.
    cells : ndarray (M,) or None
        Values of the data's missing cells, row by row, if the run fills them in; nll is then that of
        the filled table.
    hyperparameters : tuple of float
        Learned ones of the partition prior, after the sweep, in the order of ``config.hyperpriors``.
        ``nll`` and ``objective`` are those at these values.
    """

    sweep: int
    score: Score
    moves: Moves
    seconds: float
    converged: bool = False
    move: str = ""
    generator: GeneratorState | None = None

    @property
    def labels(self) -> LabelArray:
        """Label of every point (N,)."""
        return self.score.labels

    @property
    def sizes(self) -> IntArray:
        """Points of every cluster (K,)."""
        return self.score.sizes

    @property
    def nll(self) -> float:
        """−ln p(X, z) in nats; NaN without one."""
        return self.score.nll

    @property
    def objective(self) -> float:
        """The quantity in the papers' figures."""
        return self.score.objective

    @property
    def n_clusters(self) -> int:
        """Clusters with points."""
        return self.score.n_clusters

    @property
    def parameters(self) -> Any:
        """Explicit parameters, or None."""
        return self.score.parameters

    @property
    def cells(self) -> FloatArray | None:
        """Filled cells (M,), or None."""
        return self.score.cells

    @property
    def hyperparameters(self) -> tuple[float, ...]:
        """Learned hyperparameters."""
        return self.score.hyperparameters

    @property
    def n_moved(self) -> int:
        """Points that changed cluster."""
        return self.moves.n_moved

    @property
    def n_born(self) -> int:
        """Clusters opened."""
        return self.moves.n_born

    @property
    def n_died(self) -> int:
        """Clusters emptied."""
        return self.moves.n_died

    @property
    def n_accepted(self) -> int:
        """Accepted splits and merges."""
        return self.moves.n_accepted

    @property
    def events(self) -> IntArray | None:
        """Every visit (M, 3), or None."""
        return self.moves.events


def smallest_unsigned(labels: IntArray, n_clusters: int) -> LabelArray:
    """Copy labels 0 … n_clusters − 1 into the smallest unsigned type that holds them."""
    return labels.astype(np.min_scalar_type(max(n_clusters - 1, 0)))
