"""How runs, methods and data are called on the pages."""

from __future__ import annotations

import hashlib

from dpviz.config import RunConfig
from dpviz.partition import PARTITION_PRIORS, PartitionPrior, PoweredChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice

METHODS = {
    "kmeans": "K-means",
    "dpmeans": "DP-means",
    "mapdp": "MAP-DP",
    "gibbs": "Gibbs",
    "pcrp": "Powered CRP",
    "em": "E-M",
}
STARTS_IN_WORDS = {
    "auto": "Automatic (several kinds)",
    "single": "One cluster",
    "kmeans++": "K-means++ seeds",
    "sequential": "Points seated one by one",
    "singletons": "Every point alone",
    "random": "Random labels",
}
ORDERS_IN_WORDS = {
    "index": "As in the data",
    "permuted": "One random order",
    "shuffled": "A new order each sweep",
}
PLAIN_PRIORS = [name for name in PARTITION_PRIORS if name != "generalized"]  # its function cannot be put on a slider


def method_of(config: RunConfig) -> str:
    """Name the method a configuration belongs to."""
    powered = isinstance(config.partition, PoweredChineseRestaurant)
    return "pcrp" if config.algorithm == "gibbs" and powered else config.algorithm


def describe(config: RunConfig) -> str:
    """Title of a run: method and its main parameter."""
    method = method_of(config)
    detail = {
        "kmeans": f"K = {config.n_clusters}",
        "em": f"K = {config.n_components}",
        "dpmeans": f"λ = {config.penalty:.4g}",
    }.get(method, describe_partition(config.partition))
    return f"{METHODS[method]} · {detail} · seed {config.seed}"


def describe_partition(partition: PartitionPrior | None) -> str:
    """Parameters of a partition prior with their symbols."""
    if partition is None:
        return ""
    values = [
        (p.symbol, getattr(partition, p.name))
        for p in partition.parameters
        if isinstance(getattr(partition, p.name), int | float)
    ]
    return ", ".join(f"{symbol} = {value:.4g}" for symbol, value in values)


def data_key(choice: DataChoice) -> str:
    """Short name of the numbers that are clustered: controls whose scale depends on them are kept per data."""
    parts = (choice.source, choice.name, choice.scaling, choice.n_components, choice.whiten)
    return hashlib.blake2b(repr(parts).encode(), digest_size=4).hexdigest()
