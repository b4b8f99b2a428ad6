"""Trees of merges of finished runs: each is made once in a session, and not unasked if that takes long."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from dpviz.analysis.merging import MODES, NLL, MergeTree, ticked, tree
from dpviz.engine.trace import Trace
from dpviz.engine.without_itself import MOST_ROWS
from dpviz.errors import InvalidParameterError
from dpviz.text import counted
from dpviz.ui.session import jobs
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Level, Scale
from dpviz.ui.session.state import of_session

UNION = 20.0
"""Operations of weighing a point in a union, in those of a visit in a sweep: statistics are built anew for each."""
Trees = WeakKeyDictionary[Trace, dict[str, MergeTree]]


def _made() -> Trees:
    return of_session("trees of merges", Trees)


def tree_of(finished: Finished, order: str = NLL) -> MergeTree:
    """Return the tree of a run.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        As :func:`~dpviz.analysis.merging.tree` does.
    """
    trees = _made().setdefault(finished.trace, {})
    if order not in trees:
        trees[order] = tree(finished.prepared.X, finished.trace, order)
    return trees[order]


def suggested(finished: Finished) -> MergeTree | None:
    """Return the tree whose mark is ticked, None where the clusters are best left as they were found.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        As :func:`~dpviz.analysis.merging.tree` does.
    """
    return ticked(tree_of(finished), tree_of(finished, MODES))


def operations(finished: Finished, order: str = NLL) -> float:
    """Operations that a tree takes, roughly; none if it is made already."""
    if order in _made().get(finished.trace, {}):
        return 0.0
    n_points, n_features = finished.prepared.X.shape
    unions = UNION * (n_points + MOST_ROWS) * n_found(finished)
    return unions * finished.problem.model.operations(n_features)


def n_found(finished: Finished) -> int:
    """Clusters of the result as the run found them."""
    return len(np.unique(finished.trace.result_labels))


def at_level(finished: Finished, level: Level, asks: str = "The link") -> Scale | None:
    """Return the scale that ``asks``, a link or a file, wants of a run; None for the clusters as they were found.

    Raises
    ------
    DpvizError
        With the reason why it is not shown.
    """
    if not level.n_clusters:
        return None
    asked, found, algorithm = counted(level.n_clusters, "cluster"), n_found(finished), finished.problem.algorithm
    if not algorithm.uses_model:
        raise InvalidParameterError(
            f"{asks} asks for {asked}, joined from those of the run, but {algorithm.title} has no nll, and so no "
            "cost of joining two."
        )
    if level.n_clusters > found:
        raise InvalidParameterError(
            f"{asks} asks for {asked}, but the run found {counted(found, 'cluster')}, as they are shown."
        )
    if operations(finished, level.order) > jobs.UNASKED_OPERATIONS:
        raise InvalidParameterError(
            f"{asks} asks for {asked}, joined from {found}. Weighing all unions takes a while, so it waits for you "
            "on Explore, under “From fine to coarse”."
        )
    return Scale.of(tree_of(finished, level.order), finished.trace, level.n_clusters)
