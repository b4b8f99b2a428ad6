"""Draws of chains as an ArviZ DataTree, for its plots and diagnostics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.stored import fingerprint
from dpviz.errors import InvalidDataError, InvalidParameterError, extra, require
from dpviz.families.listed import ListedRows, is_sparse, n_features_of

if TYPE_CHECKING:
    from xarray import DataTree

Chain: TypeAlias = Any
"""A :class:`~dpviz.engine.trace.Trace`, whose module imports this one."""
SERIES = ("n_moved", "n_born", "n_died", "n_accepted")
"""What is told of every sweep."""


def to_arviz(traces: Sequence[Chain], X: FloatArray | None = None, feature_names: Sequence[str] = ()) -> DataTree:
    """Return the kept draws of chains of one model as an ArviZ DataTree.

    Parameters
    ----------
    traces : sequence of Trace
        Of ``gibbs``, with the same number of kept draws each.
    X : ndarray (N, D), optional
        The data; by default what the first trace has kept, if it has.
    feature_names : sequence of str, optional
        Of the columns of X; ``x1``, ``x2``, … by default.

    Returns
    -------
    xarray.DataTree
        Group ``posterior``: ``n_clusters``; ``nll``, −ln p(X, z) in nats; ``size``, the sizes of the clusters by rank,
        the largest first and 0 where a draw has fewer; and each learned hyperparameter by its name. ``sample_stats``:
        ``lp`` = −nll, the ``sweep``, and how many points moved and clusters were born and died in it.
        ``partition``: ``label``, whose names mean nothing across draws. ``observed_data``: ``X``, if it is known.
        Draws are what :attr:`Trace.draws` keeps: burn-in, thinning and stride of the runs are gone.

    Raises
    ------
    InvalidParameterError
        If there is no trace, one is no chain or is given twice, or they differ in model, points or draws.
    InvalidDataError
        If they are of other data.
    MissingPackageError
        Without the package arviz-base.
    """
    _check(traces)
    with extra("arviz", "to_arviz"):
        from arviz_base import from_dict  # slow to import
    first, sweeps = traces[0], [trace.label_sweeps[trace.draw_rows] for trace in traces]
    posterior: dict[str, Any] = {
        name: np.stack([getattr(trace, name)[own] for trace, own in zip(traces, sweeps, strict=True)])
        for name in ("n_clusters", "nll")
    }
    posterior["size"] = _sizes(traces, sweeps)
    for name in first.hyperparameters:
        learned = [trace.hyperparameters[name][own] for trace, own in zip(traces, sweeps, strict=True)]
        posterior[name] = np.stack(learned)
    groups: dict[str, dict[str, Any]] = {
        "posterior": posterior,
        "sample_stats": {"lp": -posterior["nll"], "sweep": np.stack(sweeps), **_stats(traces, sweeps)},
        "partition": {"label": np.stack([trace.draws for trace in traces])},
    }
    dims, coords = {"size": ["rank"], "label": ["point"]}, {"rank": np.arange(1, posterior["size"].shape[2] + 1)}
    values = first.X if X is None else X
    if values is not None:
        groups["observed_data"] = {"X": _checked_data(values, first)}
        dims["X"] = ["point", "feature"]
        n_features = groups["observed_data"]["X"].shape[1]
        names = list(feature_names) or [f"x{d + 1}" for d in range(n_features)]
        require(len(names) == n_features, "feature_names", names, f"{n_features} names, one per column")
        coords["feature"] = np.array(names, dtype=object)
    tree = from_dict(groups, dims=dims, coords=coords)
    tree.attrs.update(
        inference_library="dpviz", configuration=first.config.to_json(), seeds=[trace.config.seed for trace in traces]
    )
    return tree


def _check(traces: Sequence[Chain]) -> None:
    require(len(traces) > 0, "traces", traces, "at least one chain")
    first = _model(traces[0])
    for trace in traces:
        algorithm = trace.config.algorithm
        require(trace.is_chain, "algorithm", algorithm, "gibbs", "Other methods give one answer, and no draws.")
        n_draws, n_first = len(trace.draw_rows), len(traces[0].draw_rows)
        require(n_draws > 0, "number of kept draws", n_draws, "≥ 1", "Run more sweeps than the burn-in.")
        require(n_draws == n_first, "number of kept draws", n_draws, f"{n_first} as in the first chain")
        if _model(trace) != first:
            raise InvalidParameterError("these chains differ in more than their seeds and starts; give those of one.")
        if trace.n_points != traces[0].n_points or len({"", trace.data, traces[0].data}) > 2:
            raise InvalidDataError("these chains were made from different data; give those of the same.")
    for place, trace in enumerate(traces):
        same = (own for own in traces[:place] if own.config == trace.config and np.array_equal(own.draws, trace.draws))
        if next(same, None) is not None:
            raise InvalidParameterError(
                f"chain {place + 1} is one of those before it again, with seed = {trace.config.seed}: a chain given "
                "twice seems to have converged. Give each once, or run chains with other seeds."
            )


def _model(trace: Chain) -> dict[str, Any]:
    """Return a configuration without what may differ between chains of one model."""
    config: dict[str, Any] = json.loads(trace.config.to_json())
    return {name: value for name, value in config.items() if name not in ("seed", "init", "init_clusters", "n_init")}


def _sizes(traces: Sequence[Chain], sweeps: Sequence[IntArray]) -> IntArray:
    """Return the sizes (C, S, K) of clusters by rank, with 0 where a draw has fewer than the most of all."""
    every = [[np.sort(trace.sizes(int(t)))[::-1] for t in own] for trace, own in zip(traces, sweeps, strict=True)]
    most = max(len(sizes) for chain in every for sizes in chain)
    return np.array([[np.pad(sizes, (0, most - len(sizes))) for sizes in chain] for chain in every], dtype=np.int64)


def _stats(traces: Sequence[Chain], sweeps: Sequence[IntArray]) -> dict[str, Any]:
    known = [name for name in SERIES if all(getattr(trace, name) is not None for trace in traces)]
    return {
        name: np.stack([getattr(trace, name)[own] for trace, own in zip(traces, sweeps, strict=True)]) for name in known
    }


def _checked_data(X: FloatArray, trace: Chain) -> FloatArray:
    values = ListedRows.of(X).dense(n_features_of(X)) if is_sparse(X) else np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or len(values) != trace.n_points or trace.data not in ("", fingerprint(values)):
        raise InvalidDataError("X holds other numbers than those that the traces were made from; give their own data.")
    return values
