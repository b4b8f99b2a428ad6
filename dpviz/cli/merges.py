"""The option --merge: clusters of a run joined until few are left, beside those that were found."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dpviz.analysis.merging import MODES, NLL, ORDERS, MergeTree, ticked, tree
from dpviz.analysis.stored_merge import merged_labels
from dpviz.analysis.stored_names import ShownAs, stored_names
from dpviz.arrays import FloatArray, IntArray
from dpviz.cli.inputs import text_of
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.metrics import ari, nmi
from dpviz.text import counted, quoted

AUTO = "auto"


class Merged(NamedTuple):
    """Clusters that were joined.

    Attributes
    ----------
    tree : MergeTree
    n_clusters : int
        How many are left.
    """

    tree: MergeTree
    n_clusters: int

    @property
    def labels(self) -> IntArray:
        """The joined clusters (N,)."""
        return self.tree.labels(self.n_clusters)

    def in_words(self, data: Dataset) -> list[tuple[str, str]]:
        """Return lines of a summary."""
        sizes = ", ".join(map(str, np.bincount(self.labels)))
        lines = [
            ("merged", f"{self.n_clusters}, sizes {sizes}"),
            ("its price", f"{self.tree.cost(self.n_clusters):.6f} nats; merges by {self.tree.order}"),
        ]
        if data.labels is not None:
            lines += [(f"merged {name}", f"{measure(data.labels, self.labels):.4f}") for name, measure in _MEASURES]
        return lines


_MEASURES = (("NMI", nmi), ("ARI", ari))


def add_merge(run: argparse.ArgumentParser) -> None:
    """Add the options."""
    run.add_argument(
        "--merge",
        type=_number,
        metavar="K|auto",
        help="join clusters until K are left, or as far as is suggested (auto): of 6 clusters or more, up to the first "
        "union that costs 4 times as much as any before, or, without such a step, until two would be joined that do "
        "not look like one group; the results then have both, the clusters found and those joined; default: none "
        "are joined",
    )
    run.add_argument(
        "--merge-by",
        choices=ORDERS,
        help="which two clusters are joined next: those whose union has the lowest nll, "
        "that look most like one group, that overlap most, or whose union takes most off the entropy of memberships; "
        "overlap and entropy follow curved groups in few columns; auto then takes what this order suggests; default: "
        "nll, or what auto takes",
    )


def _number(text: str) -> int | str:
    if text == AUTO:
        return text
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{quoted(text)} must be a whole number from 1, or auto")
    return int(text)


def check_merge(options: argparse.Namespace, algorithm: str) -> None:
    """Raise, before anything runs, if the algorithm's clusters cannot be joined."""
    if options.merge is not None and not ALGORITHMS[algorithm].uses_model:
        raise InvalidParameterError(
            f"--merge {options.merge}: {algorithm} has no nll, and so no cost of joining two clusters; leave it out, "
            "or take mapdp or gibbs."
        )


def merged(options: argparse.Namespace, X: FloatArray, trace: Trace) -> Merged | None:
    """Join clusters as asked; None if not asked, or if it cannot be done, which stderr says: the run is not lost."""
    if options.merge is None:
        return None
    try:
        found, wanted = _asked(options, X, trace)
    except DpvizError as error:
        print(f"dpviz: no clusters are joined: {error}", file=sys.stderr)
        return None
    if wanted > found.n_leaves:
        print(
            f"dpviz: --merge {wanted}: the run found {counted(found.n_leaves, 'cluster')}, so none are joined",
            file=sys.stderr,
        )
    elif options.merge == AUTO and wanted == found.n_leaves:
        said = f"the suggestion is the {counted(found.n_leaves, 'cluster')} that the run found, so none are joined"
        print(f"dpviz: --merge auto: {said}", file=sys.stderr)
    return Merged(found, min(wanted, found.n_leaves))


def _asked(options: argparse.Namespace, X: FloatArray, trace: Trace) -> tuple[MergeTree, int]:
    """Return a tree of the run's clusters, and how many are to be left of them."""
    if options.merge == AUTO and options.merge_by is None:
        by_price, by_modes = (tree(X, trace, order) for order in (NLL, MODES))
        best = ticked(by_price, by_modes)
        return (by_price, by_price.n_leaves) if best is None else (best, best.mark)
    found = tree(X, trace, options.merge_by or NLL)
    return found, found.mark if options.merge == AUTO else options.merge


def stored_clusters(name: str, trace: Trace) -> tuple[IntArray | None, ShownAs | None]:
    """Return what a stored run's clusters were joined to, and how a page showed them; None each if it does not say.

    Raises
    ------
    DpvizError
        If that is damaged.
    """
    run = text_of(Path(name), "stored run")
    joined = merged_labels(run, trace.result_labels)
    if joined is not None and len(np.unique(joined)) == len(np.unique(trace.result_labels)):  # none are
        joined = None
    return joined, stored_names(run, trace.result_labels, joined)
